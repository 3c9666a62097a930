/* factor.c - prime factors
 *
 * Standard: GNU coreutils 9.1. Oracle: factor.
 */
#include "builtins/factor.h"

#include "base/num.h"
#include "builtins/fsops.h"
#include "builtins/tokens.h"
#include "builtins/zone.h"

static const struct wk_opt factor_options[] = {WK_OPTS_END};

/* Numbers of up to 127 bits are held back and passed on in pieces of whole lines; greater ones go out at once,
 * before what is held. */
struct factor {
    struct wk_cmd *c;
    struct wk_buf *line, *held;
    bool at_once; /* a terminal */
};

static void put_word(struct wk_cmd *c, uint64_t v, struct wk_buf *to)
{
    uint64_t f[FACTOR_WORD_MOST];
    size_t n = v > 1 ? wk_factor_word(c, v, f) : 0;
    for (size_t i = 1; i < n; i++) {
        uint64_t x = f[i];
        size_t k = i;
        for (; k && f[k - 1] > x; k--)
            f[k] = f[k - 1];
        f[k] = x;
    }
    for (size_t i = 0; i < n; i++) {
        wk_buf_putc(to, ' ');
        wk_buf_put_u64(to, f[i]);
    }
}

static bool is_long(struct wk_str digits)
{
    static const struct wk_str bound = WK_STR_INIT("170141183460469231731687303715884105728");
    return digits.n > bound.n || (digits.n == bound.n && wk_str_cmp(digits, bound) >= 0);
}

static void pass_on(struct factor *s, struct wk_buf *b)
{
    if (b->failed)
        wk_heap_exhausted(s->c->heap);
    wk_out_put(s->c->out, b->p, b->n);
    wk_buf_reset(b);
}

static void hold(struct factor *s)
{
    enum { PIECE = 512 };
    struct wk_buf *held = s->held;
    wk_buf_puts(held, wk_buf_str(s->line));
    wk_buf_reset(s->line);
    if (s->at_once)
        pass_on(s, held);
    if (held->failed)
        wk_heap_exhausted(s->c->heap);
    if (held->n < PIECE)
        return;
    size_t n = (size_t)(wk_str_rchr(wk_str(held->p, PIECE), '\n') + 1);
    wk_out_put(s->c->out, held->p, n);
    memmove(held->p, held->p + n, held->n - n);
    held->n -= n;
}

static void put_factors(struct factor *s, const char *text)
{
    struct wk_cmd *c = s->c;
    const char *p = text + strspn(text, " ");
    p += *p == '+';
    size_t digits = strspn(p, "0123456789");
    if (!digits || p[digits]) {
        wk_msg(c, "%s is not a valid positive integer", wk_quote_arg(c, text));
        return;
    }
    while (*p == '0' && digits > 1) {
        p++;
        digits--;
    }
    uint64_t v;
    struct wk_str number = wk_str(p, digits);
    wk_buf_puts(s->line, number);
    wk_buf_putc(s->line, ':');
    if (wk_parse_u64(number, 10, &v) == 0)
        put_word(c, v, s->line);
    else
        wk_factor_long(c, number, s->line);
    wk_buf_putc(s->line, '\n');
    if (is_long(number))
        pass_on(s, s->line);
    else
        hold(s);
    wk_tick(c, (uint32_t)(digits / 64 & 0xffffff) + 1);
}

static int factor_main(struct wk_cmd *c)
{
    struct factor s = {.c = c, .line = wk_cmd_buf(c, SIZE_MAX / 2),
                       .held = wk_cmd_buf(c, SIZE_MAX / 2),
                       .at_once = c->out->file && c->out->file->is_tty};
    for (int i = 0; i < c->nargs; i++)
        put_factors(&s, c->args[i]);
    struct wk_tokens t = {.c = c, .in = c->in};
    struct wk_str word;
    while (!c->nargs && c->in && c->in->file && wk_token_next(&t, &word))
        put_factors(&s, word.p);
    pass_on(&s, s.held);
    return c->status;
}

WK_COMMAND(factor, .summary = "print the prime factors of each NUMBER", .usage = "factor [NUMBER]...\nfactor OPTION",
           .std = "coreutils 9.1", .opts = factor_options, .opts_size = 1,
           .help = "Without NUMBERs they are read from standard input.",
           .flags = WK_CMD_FILTER);
