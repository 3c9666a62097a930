/* shared.c - caches that all shells of a session share */
#include "interp/shared.h"

#include "interp/run.h"
#include "interp/start.h"

struct wk_shared *wk_shared_new(struct wk_mem *m)
{
    struct wk_shared *s = WK_NEW(m, struct wk_shared);
    if (!s)
        return NULL;
    s->mem = m;
    uint64_t seed = (uint64_t)(uintptr_t)s * 0x9e3779b97f4a7c15u;
    wk_map_init(&s->patterns, m, seed, true);
    wk_map_init(&s->regexes, m, seed, false);
    wk_arena_init(&s->pattern_arena, m);
    return s;
}

static void drop_regexes(struct wk_shared *s)
{
    void *re;
    for (size_t pos = 0; wk_map_next(&s->regexes, &pos, NULL, &re);)
        wk_re_unref(re);
    wk_map_release(&s->regexes);
}

void wk_shared_free(struct wk_shared *s)
{
    if (!s)
        return;
    drop_regexes(s);
    wk_map_release(&s->patterns);
    wk_arena_release(&s->pattern_arena);
    wk_val_unref(s->mem, s->ifs_val);
    wk_free(s->mem, s);
}

int wk_shared_names(struct wk_shared *s, struct wk_names *names)
{
    static const char *const text[WK_KNOWN_COUNT] = {
#define WK_X(id, name) name,
        WK_KNOWN_NAMES(WK_X)
#undef WK_X
    };
    for (int i = 0; !s->named && i < WK_KNOWN_COUNT; i++) {
        s->known[i] = wk_names_intern(names, wk_str_c(text[i]));
        if (s->known[i] == WK_NAME_NONE)
            return -WK_ENOMEM;
    }
    s->named = true;
    return 0;
}

/* The key of a cache: flags, then the text; in the caller's room when it is short. */
struct key {
    char small[120];
    struct wk_str s;
    char *block;
};

static int make_key(struct key *k, struct wk_mem *m, struct wk_str text, unsigned flags)
{
    char *p = k->small;
    k->block = NULL;
    if (text.n + sizeof flags > sizeof k->small)
        p = k->block = wk_alloc(m, text.n + sizeof flags);
    if (!p)
        return -WK_ENOMEM;
    memcpy(p, &flags, sizeof flags);
    if (text.n)
        memcpy(p + sizeof flags, text.p, text.n);
    k->s = wk_str(p, text.n + sizeof flags);
    return 0;
}

/* ---- patterns -----------------------------------------------------------------------------------
 */

static int add_pattern(struct wk_shared *s, const struct key *k, struct wk_str text, unsigned flags,
                       const struct wk_pattern **out)
{
    if (!s->patterns_held && (s->patterns.count >= WK_SHARED_ENTRIES ||
                              s->pattern_arena.next_size > WK_SHARED_BYTES / 4)) {
        wk_map_release(&s->patterns);
        wk_arena_release(&s->pattern_arena);
    }
    /* The pattern may point into its text: both live in the arena. */
    char *copy = wk_arena_strndup(&s->pattern_arena, k->s.p, k->s.n);
    if (!copy)
        return -WK_ENOMEM;
    struct wk_str own = wk_str(copy + (k->s.n - text.n), text.n);
    int r = wk_pattern_compile(&s->pattern_arena, own, flags, out);
    if (r)
        return r;
    union {
        const struct wk_pattern *in;
        void *out;
    } u = {.in = *out};
    return wk_map_set(&s->patterns, wk_str(copy, k->s.n), u.out);
}

int wk_shared_pattern_get(struct wk_shared *s, struct wk_str text, unsigned flags,
                          const struct wk_pattern **out)
{
    struct key k;
    int r = make_key(&k, s->mem, text, flags);
    if (r)
        return r;
    *out = wk_map_get(&s->patterns, k.s);
    if (!*out)
        r = add_pattern(s, &k, text, flags, out);
    wk_free(s->mem, k.block);
    s->patterns_held += !r;
    return r;
}

void wk_shared_pattern_done(struct wk_shared *s)
{
    s->patterns_held--;
}

/* ---- regular expressions
 * --------------------------------------------------------------------------- */

static int on_deep_stack(void *ctx, int (*fn)(void *arg), void *arg)
{
    struct wk_task *t = ctx;
    int result = -WK_ENOMEM;
    int r = wk_lib_call(t, fn, arg, &result);
    return r ? r : result;
}

int wk_shared_regex_get(struct wk_shell *sh, struct wk_str text, unsigned flags, struct wk_re **out,
                        struct wk_re_error *err)
{
    struct wk_shared *s = sh->shared;
    struct key k;
    int r = make_key(&k, s->mem, text, flags);
    if (r)
        return r;
    *out = wk_map_get(&s->regexes, k.s);
    if (!*out) {
        const struct wk_re_env env = {.lib_call = on_deep_stack, .ctx = sh->task};
        if (s->regexes.count >= WK_SHARED_ENTRIES / 4)
            drop_regexes(s);
        r = wk_re_compile(s->mem, text, flags, &env, out, err);
        if (!r && wk_map_set(&s->regexes, k.s, *out) != 0) {
            wk_re_unref(*out);
            r = -WK_ENOMEM;
        }
    }
    wk_free(s->mem, k.block);
    if (!r)
        (void)wk_re_ref(*out);
    return r;
}

/* ---- parsing at run time
 * ------------------------------------------------------------------------------ */

struct deep_arg {
    struct wk_shell *sh;
    int (*fn)(void *arg);
    void *arg;
    uintptr_t *floor;
};

static int deep_call(void *arg)
{
    struct deep_arg *d = arg;
    uintptr_t outer = *d->floor;
    *d->floor = d->sh->task->stack_floor;
    int r = d->fn(d->arg);
    *d->floor = outer;
    return r;
}

static int parser_deep(void *ctx, int (*fn)(void *arg), void *arg, uintptr_t *floor)
{
    struct wk_shell *sh = ctx;
    struct deep_arg d = {sh, fn, arg, floor};
    int result = 0;
    int e = wk_stack_call(sh->task, deep_call, &d, &result);
    return e ? -WK_ENOMEM : result;
}

static void parser_message(void *ctx, uint32_t line, struct wk_str text)
{
    struct wk_shell *sh = ctx;
    (void)line;
    wk_sh_error(sh, "%.*s", (int)text.n, text.p);
}

void wk_text_parse_opts(struct wk_shell *sh, struct wk_parse_opts *o)
{
    wk_run_parse_opts(sh, o);
    o->first_line = sh->line;
    o->stack_floor = sh->task->stack_floor;
    o->deep = parser_deep;
    o->message = parser_message;
    o->ctx = sh;
}
