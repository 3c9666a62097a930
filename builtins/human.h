/* human.h - sizes in blocks or with unit letters, as ls, du and df print them */
#ifndef WK_BUILTINS_HUMAN_H
#define WK_BUILTINS_HUMAN_H

#include "base/buf.h"

enum { WK_HUMAN_MAX = 72 };

struct wk_block_size {
    uint64_t unit;    /* bytes in a block; 1 when human */
    unsigned base;    /* 1024 or 1000: sizes like 1.5K; 0 = plain numbers */
    char suffix[4];   /* "K", "kB", "KiB": printed after plain numbers */
};

/* Reads --block-size's argument: "1K", "MB", "human-readable", "si", with an optional ' in front. */
bool wk_block_size_parse(const char *text, struct wk_block_size *out);
/* The same for a command's option; a wrong text ends the command with a message and the status. */
struct wk_cmd;
void wk_block_size_read(struct wk_cmd *c, const char *option, const char *text, int status,
                        struct wk_block_size *out);
/* Writes `bytes` rounded up, without NUL; the length is returned. */
size_t wk_human_size(char out[WK_HUMAN_MAX], uint64_t bytes, const struct wk_block_size *s);

#endif
