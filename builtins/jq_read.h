/* jq_read.h - JSON texts to jq's values
 *
 * Owner: the process heap; a reader is registered there and released with it.
 */
#ifndef WK_BUILTINS_JQ_READ_H
#define WK_BUILTINS_JQ_READ_H

#include "builtins/jq.h"
#include "text/json/json.h"

enum { WK_JQ_RECENT = 512 };

struct jq_reader {
    struct jq *q;
    struct wk_json json;
    struct jq_val *stack; /* parts of the containers that are open */
    size_t n, cap;
    struct jq_level *levels; /* where theirs begin */
    size_t levels_n, levels_cap;
    struct jq_val path;      /* in stream mode: of the part at hand, an array */
    struct jq_val waiting;   /* in stream mode: the event of a scalar whose comma or end is not met; JQ_NONE */
    uint8_t ahead;           /* in stream mode: the token that was met then; 0 */
    bool entered;            /* in stream mode: the container at hand has had no part yet */
    struct jq_recent {
        struct jq_str *key;
        uint16_t follower; /* the key that came behind it the last time */
    } recent[WK_JQ_RECENT]; /* keys met lately: equal ones become one string */
    uint16_t last_key;
};

struct jq_reader *wk_jq_reader_new(struct jq *q, unsigned mode); /* of wk_json */
/* The next value, or event of a stream: 1 and *v; 0: the reader is to be fed; 2: the end; -1: r->json's
 * error (what is unfinished is dropped). P */
int wk_jq_read(struct jq_reader *r, struct jq_val *v);
/* In stream mode: the path of where the error was met; JQ_NONE: outside of all. */
struct jq_val wk_jq_reader_path(struct jq_reader *r);
/* Drops what is unfinished, and the error. */
void wk_jq_reader_reset(struct jq_reader *r);

/* A reader of a text as a whole (not copied), which is read to its end before the next is asked for. */
struct jq_reader *wk_jq_text_reader(struct jq *q, struct wk_str text);
/* What is wrong: "Unfinished string at EOF at line 1, column 4". */
struct jq_val wk_jq_reader_error(struct jq_reader *r);

#endif
