/* tsort.c - an order of all items that agrees with pairs "this before that"
 *
 * Items without predecessors leave first, in order of name at the start and of release later. When none is
 * left a loop is searched, told and cut at one place.
 *
 * Standard: POSIX; GNU coreutils 9.1. Oracle: tsort.
 */
#include "base/map.h"
#include "builtins/fsops.h"
#include "builtins/ptrsort.h"
#include "builtins/tokens.h"

struct follower {
    struct item *item;
    struct follower *next;
};

struct item {
    const char *name;
    size_t before;           /* pairs that still name something before it */
    struct follower *after;  /* the latest pair first */
    struct item *link;       /* in the queue, or in the loop: its follower there */
    bool done;
};

struct tsort {
    struct wk_cmd *c;
    const char *file;
    struct wk_map map;
    const void **items; /* by name */
    size_t n, left;
    struct item *first, *last; /* those without predecessors */
};

static const struct wk_opt tsort_options[] = {WK_OPTS_END};

static void release_map(void *map)
{
    wk_map_release((struct wk_map *)map);
}

static struct item *item_of(struct tsort *s, struct wk_str name)
{
    void **at = wk_map_at(&s->map, name);
    if (at)
        return (struct item *)*at;
    struct item *it = (struct item *)wk_heap_bump(s->c->heap, sizeof *it);
    char *text = (char *)wk_heap_bump(s->c->heap, name.n + 1);
    memcpy(text, name.p, name.n);
    text[name.n] = '\0';
    *it = (struct item){.name = text};
    if (wk_map_set(&s->map, wk_str(text, name.n), it))
        wk_heap_exhausted(s->c->heap);
    s->n++;
    return it;
}

static void read_pairs(struct tsort *s, struct wk_in *in)
{
    struct wk_tokens t = {.c = s->c, .in = in};
    struct wk_str word;
    struct item *head = NULL;
    while (wk_token_next(&t, &word)) {
        struct item *it = item_of(s, word);
        if (!head) {
            head = it;
            continue;
        }
        if (it != head) {
            struct follower *f = (struct follower *)wk_heap_bump(s->c->heap, sizeof *f);
            *f = (struct follower){it, head->after};
            head->after = f;
            it->before++;
        }
        head = NULL;
    }
    if (head)
        wk_fail(s->c, 1, "%s: input contains an odd number of tokens", wk_quote_maybe(s->c, s->file));
}

static int by_name(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return strcmp(((const struct item *)a)->name, ((const struct item *)b)->name);
}

static void sort_items(struct tsort *s)
{
    size_t pos = 0, n = 0;
    void *value;
    s->items = (const void **)wk_heap_calloc(s->c->heap, s->n + 1, sizeof *s->items);
    while (wk_map_next(&s->map, &pos, NULL, &value))
        s->items[n++] = value;
    wk_ptr_sort(s->c, s->items, n, by_name, NULL);
    s->left = n;
}

static struct item *item_at(const struct tsort *s, size_t i)
{
    return (struct item *)(uintptr_t)s->items[i];
}

static void release(struct tsort *s, struct item *it)
{
    if (s->last)
        s->last->link = it;
    else
        s->first = it;
    s->last = it;
    it->link = NULL;
}

/* All that can leave does. */
static void put_free(struct tsort *s)
{
    for (size_t i = 0; i < s->n; i++) {
        struct item *it = item_at(s, i);
        if (!it->before && !it->done)
            release(s, it);
    }
    wk_tick(s->c, (uint32_t)(s->n / 16 & 0xffffff) + 1);
    for (struct item *it = s->first; it; it = it->link) {
        wk_out_c(s->c->out, it->name);
        wk_out_char(s->c->out, '\n');
        it->done = true;
        s->left--;
        for (struct follower *f = it->after; f; f = f->next) {
            wk_tick(s->c, 1);
            if (--f->item->before == 0)
                release(s, f->item);
        }
    }
    s->first = s->last = NULL;
}

/* The chain from `loop` up to `end` is a circle: tells it, and takes out the pair that closes it. */
static void tell_loop(struct tsort *s, struct item *loop, struct item *end, struct follower **closing)
{
    struct item *next;
    bool told = false;
    for (; loop; loop = next) {
        next = loop->link;
        if (!told)
            wk_msg(s->c, "%s", loop->name);
        if (loop == end && !told) {
            (*closing)->item->before--;
            *closing = (*closing)->next;
            told = true;
        }
        loop->link = NULL;
    }
}

/* Goes over the items again and again, each time putting in front of the chain what comes before its first,
 * until one comes twice. */
static void cut_loop(struct tsort *s)
{
    struct item *loop = NULL;
    for (;;) {
        for (size_t i = 0; i < s->n; i++) {
            struct item *it = item_at(s, i);
            wk_tick(s->c, 1);
            if (!it->before)
                continue;
            if (!loop) {
                loop = it;
                continue;
            }
            struct follower **f = &it->after;
            while (*f && (*f)->item != loop) {
                f = &(*f)->next;
                wk_tick(s->c, 1);
            }
            if (!*f)
                continue;
            if (it->link) {
                tell_loop(s, loop, it, f);
                return;
            }
            it->link = loop;
            loop = it;
        }
    }
}

static int tsort_main(struct wk_cmd *c)
{
    struct tsort *s = wk_new(c, struct tsort);
    s->c = c;
    s->file = c->nargs ? c->args[0] : "-";
    wk_map_init(&s->map, wk_heap_mem(c->heap), wk_kern_random(c->k), true);
    wk_heap_own(c->heap, &s->map, release_map);
    struct wk_in *in;
    int err = wk_raw_open(c, s->file, true, &in);
    if (err) {
        if (strcmp(s->file, "-") == 0)
            wk_fail(c, 1, "standard input: %s", wk_err_text(err));
        wk_warn(c, s->file, err);
        return 1;
    }
    read_pairs(s, in);
    sort_items(s);
    while (s->left) {
        put_free(s);
        if (s->left) {
            wk_msg(c, "%s: input contains a loop:", wk_quote_maybe(c, s->file));
            cut_loop(s);
        }
    }
    return c->status;
}

WK_COMMAND(tsort, .summary = "write totally ordered list consistent with the partial ordering in FILE",
           .usage = "tsort [OPTION] [FILE]",
           .std = "coreutils 9.1", .opts = tsort_options, .opts_size = 1, .max_args = 1,
           .help = "With no FILE, or when FILE is -, read standard input.");
