/* rg_json.c - rg: --json, an object a line */
#include "base/base64.h"
#include "base/utf8.h"
#include "builtins/rg_text.h"

static void put(struct wk_rg_sink *s, struct wk_buf *b)
{
    if (b->failed)
        wk_heap_exhausted(s->g->c->heap);
    wk_rg_put(s, b->p ? b->p : "", b->n);
    wk_buf_reset(b);
}

static void put_string(struct wk_buf *b, struct wk_str s)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    wk_buf_putc(b, '"');
    for (size_t i = 0, run = 0; i <= s.n; i++) {
        unsigned char ch = i < s.n ? (unsigned char)s.p[i] : 0;
        const char *f = i < s.n && ch ? strchr(from, ch) : NULL;
        if (i < s.n && !f && ch >= 0x20)
            continue;
        wk_buf_put(b, s.p + run, i - run);
        run = i + 1;
        if (f)
            wk_buf_fmt(b, "\\%c", to[f - from]);
        else if (i < s.n)
            wk_buf_fmt(b, "\\u%04x", (unsigned)ch);
    }
    wk_buf_putc(b, '"');
}

/* {"text":…}, or {"bytes":…} where it is not UTF-8. */
static void put_data(struct wk_buf *b, struct wk_str s)
{
    if (wk_utf8_valid(s)) {
        wk_buf_put_c(b, "{\"text\":");
        put_string(b, s);
    } else {
        wk_buf_put_c(b, "{\"bytes\":\"");
        (void)wk_base64_put(b, s);
        wk_buf_putc(b, '"');
    }
    wk_buf_putc(b, '}');
}

static void put_path(struct wk_rg_sink *s, struct wk_buf *b)
{
    const char *name = s->name ? s->name : "<stdin>";
    wk_buf_put_c(b, "\"path\":");
    put_data(b, wk_str_c(name));
}

static struct wk_buf *buffer(struct wk_rg *g)
{
    if (!g->scratch)
        g->scratch = wk_rg_buf(g->c);
    wk_buf_reset(g->scratch);
    return g->scratch;
}

static void begin(struct wk_rg_sink *s)
{
    struct wk_buf *b = buffer(s->g);
    if (s->prelude)
        return;
    s->prelude = true;
    wk_buf_put_c(b, "{\"type\":\"begin\",\"data\":{");
    put_path(s, b);
    wk_buf_put_c(b, "}}\n");
    put(s, b);
}

static bool json_hit(struct wk_rg_sink *s, const struct wk_rg_hit *h)
{
    struct wk_rg *g = s->g;
    bool context = h->kind != 'm';
    const struct wk_rg_found *found = NULL;
    if (!context) {
        s->matches++;
        s->after_left = g->o->max_count >= 0 && s->matches > g->o->max_count ? WK_MAX(s->after_left - 1, 0)
                                                                             : (g->o->passthru ? 0 : g->o->after);
        s->stats.lines += wk_rg_line_count(g, h->text);
    } else if (h->kind == 'a') {
        s->after_left = WK_MAX(s->after_left - 1, 0);
    }
    begin(s);
    if (context == g->o->invert && !(found = wk_rg_find_all(s, h)))
        return false;
    size_t n = found ? found->n : 0;
    s->stats.matches += context ? 0 : n;
    struct wk_buf *b = buffer(g);
    wk_buf_fmt(b, "{\"type\":\"%s\",\"data\":{", context ? "context" : "match");
    put_path(s, b);
    wk_buf_put_c(b, ",\"lines\":");
    put_data(b, h->text);
    if (h->number < 0)
        wk_buf_put_c(b, ",\"line_number\":null");
    else
        wk_buf_fmt(b, ",\"line_number\":%lld", (long long)h->number);
    wk_buf_fmt(b, ",\"absolute_offset\":%llu,\"submatches\":[", (unsigned long long)h->offset);
    for (size_t i = 0; i < n; i++) {
        const struct wk_re_span *m = &found->v[i];
        size_t start = WK_MIN((size_t)m->start, h->text.n), end = WK_MIN((size_t)m->end, h->text.n);
        wk_buf_put_c(b, i ? ",{\"match\":" : "{\"match\":");
        put_data(b, wk_str(h->text.p + start, end - start));
        wk_buf_fmt(b, ",\"start\":%zu,\"end\":%zu}", start, end);
    }
    wk_buf_put_c(b, "]}}\n");
    put(s, b);
    return !wk_rg_should_quit(s);
}

static void no_gap(struct wk_rg_sink *s)
{
    (void)s;
}

static void put_elapsed(struct wk_buf *b, int64_t ns, bool sorted)
{
    long long sec = (long long)(ns / 1000000000), rest = (long long)(ns % 1000000000);
    long long micro = (rest + 500) / 1000;
    if (sorted)
        wk_buf_fmt(b, "{\"human\":\"%lld.%06llds\",\"nanos\":%lld,\"secs\":%lld}", sec + micro / 1000000,
                   micro % 1000000, rest, sec);
    else
        wk_buf_fmt(b, "{\"secs\":%lld,\"nanos\":%lld,\"human\":\"%lld.%06llds\"}", sec, rest, sec + micro / 1000000,
                   micro % 1000000);
}

static void json_finish(struct wk_rg_sink *s)
{
    struct wk_rg *g = s->g;
    g->matched = g->matched || s->matches > 0;
    if (!s->prelude)
        return;
    struct wk_buf *b = buffer(g);
    const struct wk_rg_stats *t = &s->stats;
    wk_buf_put_c(b, "{\"type\":\"end\",\"data\":{");
    put_path(s, b);
    if (s->binary_at < 0)
        wk_buf_put_c(b, ",\"binary_offset\":null");
    else
        wk_buf_fmt(b, ",\"binary_offset\":%lld", (long long)s->binary_at);
    wk_buf_put_c(b, ",\"stats\":{\"elapsed\":");
    put_elapsed(b, wk_cmd_monotonic(g->c) - s->started, false);
    wk_buf_fmt(b,
               ",\"searches\":1,\"searches_with_match\":%d,\"bytes_searched\":%llu,\"bytes_printed\":%llu,"
               "\"matched_lines\":%llu,\"matches\":%llu}}}\n",
               s->matches > 0, (unsigned long long)s->bytes, (unsigned long long)t->printed,
               (unsigned long long)t->lines, (unsigned long long)t->matches);
    uint64_t printed = t->printed;
    put(s, b);
    s->stats.printed = printed;
}

void wk_rg_json_init(struct wk_rg_sink *s)
{
    s->hit = json_hit;
    s->gap = no_gap;
    s->finish = json_finish;
}

void wk_rg_json_end(struct wk_rg *g)
{
    struct wk_buf *b = buffer(g);
    const struct wk_rg_stats *t = &g->stats;
    wk_buf_put_c(b, "{\"data\":{\"elapsed_total\":");
    put_elapsed(b, wk_cmd_monotonic(g->c) - g->started, true);
    wk_buf_fmt(b, ",\"stats\":{\"bytes_printed\":%llu,\"bytes_searched\":%llu,\"elapsed\":",
               (unsigned long long)t->printed, (unsigned long long)t->bytes);
    put_elapsed(b, t->elapsed, true);
    wk_buf_fmt(b,
               ",\"matched_lines\":%llu,\"matches\":%llu,\"searches\":%llu,\"searches_with_match\":%llu}},"
               "\"type\":\"summary\"}\n",
               (unsigned long long)t->lines, (unsigned long long)t->matches, (unsigned long long)t->searches,
               (unsigned long long)t->with_match);
    if (b->failed)
        wk_heap_exhausted(g->c->heap);
    wk_out_str(g->c->out, wk_buf_str(b));
}
