/* mock.h - a recording in memory, shared by what writes it and what replays it (whelk/sandbox_mock.h)
 *
 * Owner:   the mock, over an account of its own with a limit.
 */
#ifndef WK_ADAPTERS_MOCK_H
#define WK_ADAPTERS_MOCK_H

#include "adapters/sandbox/sandbox.h"
#include "whelk/sandbox_mock.h"

enum wk_mock_word {
    WK_MOCK_ALWAYS, /* the request may come any number of times */
    WK_MOCK_OUT,    /* text */
    WK_MOCK_ERR,
    WK_MOCK_IN,     /* text: the program writes it */
    WK_MOCK_END,    /* the program ends the input */
    WK_MOCK_UNREAD, /* nobody reads input any more */
    WK_MOCK_SIGNAL, /* the program sends n[0] to scope n[1] */
    WK_MOCK_RESIZE, /* n[0] rows, n[1] columns */
    WK_MOCK_FAILED, /* n[0]: code; text */
    WK_MOCK_EXIT,   /* n[0]: code */
    WK_MOCK_KILLED, /* n[0]: signal */
    WK_MOCK_MEMORY, /* n[0]: signal; memory ran out */
    WK_MOCK_USED,   /* n[0], n[1]: user and system ns; n[2]: bytes; n[3]: survivors; in front of its end */
    WK_MOCK_LOST,   /* text */
    WK_MOCK_WITH,   /* text: of a file that is put */
    WK_MOCK_ENTRY,  /* n[0…9]: type, change, mode, uid, gid, links, mtime, bytes, inode, device; text, text2 */
    WK_MOCK_DATA,   /* text */
    WK_MOCK_DONE,   /* n[0]: code; n[1]: size; text */
    WK_MOCK_REFUSED, /* n[0]: code that the call itself answered */
    WK_MOCK_WORDS
};

struct wk_mock_item {
    enum wk_mock_word word;
    int64_t n[10];
    char *text, *text2; /* NULL: none */
    size_t text_n, text_cap;
};

/* A request and what became of it. */
struct wk_mock_block {
    char *head; /* its line */
    struct wk_mock_item *items;
    size_t n, cap;
    bool always, used;
};

struct whelk_mock {
    struct wk_mem *mem;
    whelk_sandbox_kind table;          /* its ctx is the mock */
    const whelk_sandbox_kind *inner;   /* that is recorded; NULL: it is replayed */
    struct wk_mock_block **blocks;
    size_t n, cap;
    /* what the box said of itself when it opened */
    char *kind, *workspace, *home, *shell, *path, *description, *refusal;
    char **env;
    size_t n_env, env_cap;
    int refused;                       /* the code that opening answered */
    uint64_t capabilities;
    uint16_t *ports;                   /* inside, outside, … */
    size_t n_ports, ports_cap;
    size_t bytes;                      /* of texts that are recorded */
    bool failed;                       /* no memory, or too much: there is no recording */
    struct wk_buf text, error;
    /* of the sandbox that is open: its secrets */
    struct whelk_sandbox hides;
};

/* ---- mock_text.c ---- */

/* The line of a request, with secrets hidden, appended. */
void wk_mock_put_run(struct whelk_mock *m, const whelk_spec *s, struct wk_buf *out);
void wk_mock_put_file(struct whelk_mock *m, const whelk_file_request *r, struct wk_buf *out);
void wk_mock_put_port(uint16_t port, struct wk_buf *out);
enum { WK_MOCK_MOST = 64 << 20 };

/* A new request of that line; NULL without memory (failed is set). */
struct wk_mock_block *wk_mock_add_block(struct whelk_mock *m, const char *head);
/* A new item of it, zeroed but its word, with a copy of the text (NULL: none); NULL without memory (failed is set). */
struct wk_mock_item *wk_mock_add(struct whelk_mock *m, struct wk_mock_block *k, enum wk_mock_word word,
                                 const char *text, size_t n);
/* More of a text: of the last item, when it is of this word, else of a new one. */
void wk_mock_append(struct whelk_mock *m, struct wk_mock_block *k, enum wk_mock_word word, const char *p, size_t n);
/* Writes all of it into m->text; reads it from there into m. INVALID and words, or NOMEM. */
void wk_mock_write(struct whelk_mock *m);
int wk_mock_read(struct whelk_mock *m, struct wk_str text);
/* Makes ready to hide the secrets of a sandbox that opens; forgets them. */
int wk_mock_hide(struct whelk_mock *m, const whelk_sandbox_options *o);
void wk_mock_unhide(struct whelk_mock *m);
/* A copy in the mock's account; NULL for NULL, and without memory (failed is set). */
char *wk_mock_copy(struct whelk_mock *m, const char *text);

/* ---- mock_record.c, mock_replay.c ---- */

extern const whelk_sandbox_kind wk_mock_record_kind, wk_mock_replay_kind;

#endif
