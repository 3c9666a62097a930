/* expand_ops.c - what operators do to a value: trimming, replacing, case, quoting */
#include "base/utf8.h"
#include "interp/expand_parts.h"
#include "interp/prompt.h"
#include "text/printfmt/printfmt.h"

/* ---- patterns under limits
 * ------------------------------------------------------------------------------- */

unsigned wk_pattern_flags(const struct wk_shell *sh, bool nocase)
{
    return (wk_shopt(sh, EXTGLOB) ? WK_PATTERN_EXTGLOB : 0u) | (nocase ? WK_PATTERN_NOCASE : 0u) |
           (sh->st->bytes ? WK_PATTERN_BYTES : 0u);
}

static int count_steps(void *ctx, size_t steps)
{
    struct wk_shell *sh = ctx;
    size_t n = steps / 64 + 1;
    return wk_steps(sh->k, n > UINT32_MAX ? UINT32_MAX : (uint32_t)n);
}

void wk_pattern_run_init(struct wk_shell *sh, struct wk_pattern_run *run)
{
    *run = (struct wk_pattern_run){.mem = sh->mem, .step = count_steps, .ctx = sh};
}

enum wk_flow wk_pattern_failed(struct wk_shell *sh, int err)
{
    if (err == -WK_ELIMIT) {
        (void)wk_kern_breach(sh->k, WK_LIMIT_NESTING);
        return WK_STOP;
    }
    enum wk_flow flow = wk_sh_fail(sh, err);
    return flow == WK_NEXT ? wk_sh_discard(sh) : flow;
}

/* ---- preparing
 * --------------------------------------------------------------------------------------------- */

static bool is_case_op(unsigned op)
{
    return op >= WK_PARAM_OP_UPPER_FIRST && op <= WK_PARAM_OP_TOGGLE_ALL;
}

/* The replacement: & stands for the match when it is not quoted. */
static enum wk_flow replacement(struct wk_shell *sh, const struct wk_word *w, struct wk_pop *o)
{
    struct wk_xp x;
    bool active = wk_shopt(sh, PATSUB_REPLACEMENT);
    wk_xp_init(&x, sh, active ? WK_INTO_REPLACE : WK_INTO_STRING);
    x.join_at = true;
    enum wk_flow flow = wk_xp_segs(&x, w->segs, w->n_segs, false, false);
    if (flow == WK_NEXT)
        flow = wk_xp_string(&x, &o->replacement);
    o->ampersand = active && (memchr(o->replacement.p, '&', o->replacement.n) ||
                              memchr(o->replacement.p, '\\', o->replacement.n));
    return flow;
}

enum wk_flow wk_pop_begin(struct wk_shell *sh, const struct wk_param *p, struct wk_pop *o)
{
    *o = (struct wk_pop){
        .op = p->op, .transform = p->transform, .param = p, .replacement = WK_STR("")};
    bool anchored = p->op == WK_PARAM_OP_REPLACE_PREFIX || p->op == WK_PARAM_OP_REPLACE_SUFFIX;
    struct wk_str text = WK_STR("");
    enum wk_flow flow = WK_NEXT;
    if (p->arg)
        flow = wk_expand_string(sh, p->arg, WK_EXPAND_PATTERN, &text);
    if (flow == WK_NEXT && p->arg2)
        flow = replacement(sh, p->arg2, o);
    /* An empty pattern in quotes matches nothing; without, it is as if there were none. */
    o->none = is_case_op(p->op) && p->arg && !text.n && p->arg->flags & WK_WORD_QUOTED;
    o->star_first = !text.n || text.p[0] == '*';
    if (flow != WK_NEXT || (!text.n && !anchored))
        return flow;
    bool nocase = p->op >= WK_PARAM_OP_REPLACE && p->op <= WK_PARAM_OP_REPLACE_SUFFIX &&
                  wk_shopt(sh, NOCASEMATCH);
    unsigned flags = wk_pattern_flags(sh, nocase);
    if (is_case_op(p->op)) /* extended patterns are always special here */
        flags |= WK_PATTERN_EXTGLOB;
    int r = wk_shared_pattern_get(sh->shared, text, flags, &o->pattern);
    if (r)
        return wk_pattern_failed(sh, r);
    o->pattern_held = true;
    return WK_NEXT;
}

void wk_pop_end(struct wk_shell *sh, struct wk_pop *o)
{
    if (o->pattern_held)
        wk_shared_pattern_done(sh->shared);
    o->pattern_held = false;
}

/* ---- ${x#p} and its kin
 * --------------------------------------------------------------------------------------- */

static enum wk_flow trim(struct wk_shell *sh, const struct wk_pop *o, struct wk_str in,
                         struct wk_str *out)
{
    struct wk_pattern_run run;
    struct wk_str lit;
    size_t at;
    bool prefix = o->op == WK_PARAM_OP_TRIM_PREFIX || o->op == WK_PARAM_OP_TRIM_PREFIX_LONG;
    bool longest = o->op == WK_PARAM_OP_TRIM_PREFIX_LONG || o->op == WK_PARAM_OP_TRIM_SUFFIX_LONG;
    *out = in;
    if (!o->pattern)
        return WK_NEXT;
    if (wk_pattern_literal(o->pattern, &lit)) {
        if (prefix && wk_str_starts(in, lit))
            *out = wk_str_from(in, lit.n);
        else if (!prefix && wk_str_ends(in, lit))
            out->n -= lit.n;
        return WK_NEXT;
    }
    wk_pattern_run_init(sh, &run);
    int r = prefix ? wk_pattern_prefix(o->pattern, &run, in, longest, &at)
                   : wk_pattern_suffix(o->pattern, &run, in, longest, &at);
    if (r < 0)
        return wk_pattern_failed(sh, r);
    if (r && prefix)
        *out = wk_str_from(in, at);
    else if (r)
        out->n = at;
    return WK_NEXT;
}

/* ---- ${x/p/r}
 * -------------------------------------------------------------------------------------------------
 */

static void put_replacement(struct wk_buf *b, const struct wk_pop *o, struct wk_str match)
{
    if (!o->ampersand) {
        wk_buf_puts(b, o->replacement);
        return;
    }
    struct wk_str r = o->replacement;
    for (size_t i = 0; i < r.n; i++) {
        if (r.p[i] == '\\' && i + 1 < r.n && (r.p[i + 1] == '&' || r.p[i + 1] == '\\'))
            wk_buf_putc(b, r.p[++i]);
        else if (r.p[i] == '&')
            wk_buf_puts(b, match);
        else
            wk_buf_putc(b, r.p[i]);
    }
}

static enum wk_flow take_buf(struct wk_shell *sh, struct wk_buf *b, struct wk_str *out)
{
    enum wk_flow flow = WK_NEXT;
    char *p = b->failed ? NULL : wk_arena_strndup(&sh->arena, wk_buf_c(b), b->n);
    *out = wk_str(p, b->n);
    wk_charge(sh->k, b->n);
    if (b->over)
        flow = wk_kern_breach(sh->k, WK_LIMIT_EXPANSION) ? WK_STOP : WK_STOP;
    else if (!p)
        flow = wk_sh_nomem(sh);
    wk_buf_release(b);
    return flow;
}

static size_t expansion_max(const struct wk_shell *sh)
{
    uint64_t max = sh->k->limits.expansion;
    return max && max < SIZE_MAX / 2 ? (size_t)max : SIZE_MAX / 2;
}

/* Where the next match at or after `from` is: 1, 0 or an error. */
static int find_match(struct wk_shell *sh, const struct wk_pop *o, struct wk_pattern_run *run,
                      struct wk_str in, size_t from, size_t *start, size_t *end)
{
    (void)sh;
    struct wk_str lit;
    if (!in.n && o->op != WK_PARAM_OP_REPLACE_SUFFIX && !o->star_first) /* bash looks no closer */
        return 0;
    if (wk_pattern_mismeasured(o->pattern))
        return 0;
    if (o->op == WK_PARAM_OP_REPLACE_PREFIX) {
        *start = 0;
        return wk_pattern_prefix(o->pattern, run, in, true, end);
    }
    if (o->op == WK_PARAM_OP_REPLACE_SUFFIX) {
        *end = in.n;
        return wk_pattern_suffix(o->pattern, run, in, true, start);
    }
    if (wk_pattern_literal(o->pattern, &lit)) {
        ptrdiff_t at = wk_str_find(wk_str_from(in, from), lit);
        if (at < 0)
            return 0;
        *start = from + (size_t)at;
        *end = *start + lit.n;
        return 1;
    }
    return wk_pattern_find(o->pattern, run, in, from, start, end);
}

static enum wk_flow replace(struct wk_shell *sh, const struct wk_pop *o, struct wk_str in,
                            struct wk_str *out)
{
    struct wk_pattern_run run;
    struct wk_buf b;
    size_t from = 0, copied = 0, start, end;
    int r = 0;
    *out = in;
    if (!o->pattern)
        return WK_NEXT;
    wk_pattern_run_init(sh, &run);
    run.keep = true; /* one subject for all the searches */
    wk_buf_init(&b, sh->mem, expansion_max(sh));
    bool any = false;
    while (from <= in.n && !b.failed && (r = find_match(sh, o, &run, in, from, &start, &end)) > 0) {
        any = true;
        wk_buf_put(&b, in.p + copied, start - copied);
        put_replacement(&b, o, wk_str(in.p + start, end - start));
        copied = from = end;
        if (o->op != WK_PARAM_OP_REPLACE_ALL || in.n == 0)
            break;
        if (start == end) { /* an empty match: one character goes by */
            uint32_t c;
            if (end >= in.n)
                break;
            from = end + wk_char_next(sh->st->bytes, in.p + end, in.n - end, &c);
            wk_buf_put(&b, in.p + end, from - end);
            copied = from;
            if (from >= in.n)
                break;
        } else if (from >= in.n) {
            break;
        }
        if (wk_step(sh->k) != 0) {
            r = -WK_ESTOP;
            break;
        }
    }
    wk_pattern_run_release(&run);
    if (r < 0 || (!any && !b.failed)) {
        wk_buf_release(&b);
        return r < 0 ? wk_pattern_failed(sh, r) : WK_NEXT;
    }
    wk_buf_puts(&b, wk_str_from(in, copied));
    return take_buf(sh, &b, out);
}

/* ---- ${x^p}
 * --------------------------------------------------------------------------------------------------------
 */

/* Between two looks at the limits. */
enum { LOOK_BYTES = 16384 };

static uint32_t change_case(unsigned op, uint32_t c)
{
    uint32_t up = wk_utf8_upper(c), low = wk_utf8_lower(c);
    switch (op) {
    case WK_PARAM_OP_UPPER_FIRST:
    case WK_PARAM_OP_UPPER_ALL:
        return up;
    case WK_PARAM_OP_LOWER_FIRST:
    case WK_PARAM_OP_LOWER_ALL:
        return low;
    default:
        return c == up ? low : up;
    }
}

static enum wk_flow convert(struct wk_shell *sh, const struct wk_pop *o, struct wk_str in,
                            struct wk_str *out)
{
    bool first = o->op == WK_PARAM_OP_UPPER_FIRST || o->op == WK_PARAM_OP_LOWER_FIRST ||
                 o->op == WK_PARAM_OP_TOGGLE_FIRST;
    struct wk_pattern_run run;
    struct wk_buf b;
    size_t looked = 0;
    wk_pattern_run_init(sh, &run);
    wk_buf_init(&b, sh->mem, SIZE_MAX / 2);
    for (size_t i = 0; i < in.n && !b.failed;) {
        uint32_t c;
        char enc[6];
        if (i - looked >= LOOK_BYTES) {
            looked = i;
            if (wk_steps(sh->k, LOOK_BYTES / 64) != 0) {
                wk_buf_release(&b);
                return WK_STOP;
            }
        }
        size_t n = wk_char_next(sh->st->bytes, in.p + i, in.n - i, &c);
        int hit = 1;
        if (o->pattern)
            hit = wk_pattern_match(o->pattern, &run, wk_str(in.p + i, n));
        if (hit < 0) {
            wk_buf_release(&b);
            return wk_pattern_failed(sh, hit);
        }
        if (hit && !wk_utf8_is_bad(c))
            wk_buf_put(&b, enc, wk_utf8_put(enc, change_case(o->op, c)));
        else
            wk_buf_put(&b, in.p + i, n);
        i += n;
        if (first) {
            wk_buf_puts(&b, wk_str_from(in, i));
            break;
        }
    }
    return take_buf(sh, &b, out);
}

enum wk_flow wk_pop_apply(struct wk_shell *sh, struct wk_pop *o, struct wk_str in,
                          struct wk_str *out)
{
    if (o->op >= WK_PARAM_OP_TRIM_PREFIX && o->op <= WK_PARAM_OP_TRIM_SUFFIX_LONG)
        return trim(sh, o, in, out);
    if (o->op >= WK_PARAM_OP_REPLACE && o->op <= WK_PARAM_OP_REPLACE_SUFFIX)
        return replace(sh, o, in, out);
    if (is_case_op(o->op) && !o->none)
        return convert(sh, o, in, out);
    *out = in;
    return WK_NEXT;
}

/* ---- ${x@Q} and its kin
 * ------------------------------------------------------------------------------------------------
 */

enum wk_flow wk_transform_value(struct wk_shell *sh, char letter, struct wk_str in,
                                struct wk_str *out)
{
    struct wk_pop o = {.op = letter == 'U'   ? WK_PARAM_OP_UPPER_ALL
                             : letter == 'u' ? WK_PARAM_OP_UPPER_FIRST
                                             : WK_PARAM_OP_LOWER_ALL};
    struct wk_buf b;
    switch (letter) {
    case 'U':
    case 'u':
    case 'L':
        return convert(sh, &o, in, out);
    case 'P':
        return wk_prompt_expand(sh, in, out);
    default:
        break;
    }
    wk_buf_init(&b, sh->mem, expansion_max(sh));
    if (letter == 'E')
        (void)wk_unescape(&b, in, WK_ESCAPE_ANSI | (sh->st->bytes ? WK_ESCAPE_BYTES : 0u), NULL);
    else
        (void)wk_quote_single(&b, in, sh->st->bytes);
    return take_buf(sh, &b, out);
}
