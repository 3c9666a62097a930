/* re_pcre.c - the only file that knows PCRE2: Perl's syntax, and back-references
 *
 * POSIX wants the longest of the leftmost matches. PCRE2 finds the leftmost start; then a callout
 * at the pattern's end refuses every match in turn and remembers the longest.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/re/re_priv.h"

#include <pcre2.h>

/* Called at: the end, a turn of a repetition, the start of a try (Perl's syntax); and at every item
 * (PCRE2's own number) of a pattern that turned out to be slow. */
enum { CALLOUT_END = 1, CALLOUT_TURN, CALLOUT_TRY, CALLOUT_ITEM = 255 };

/* What a try counts for at most: one may take PCRE2's whole match limit. */
enum { TRY_WORK = 4096 };

enum { QUICK_LIMIT = 200000, DEFAULT_LIMIT = 10000000, HEAP_LIMIT_KIB = 65536 };

struct wk_re_pcre {
    struct wk_mem *mem;
    pcre2_general_context *general;
    pcre2_code *code;
    pcre2_code *watched; /* the same with a callout at every item, made when it is needed */
    char *text;          /* what they are compiled from */
    size_t text_n;
    uint32_t options;
    pcre2_match_data *data;
    pcre2_match_context *context;
    bool data_busy; /* both */
    bool longest; /* made from a tree: has the callouts */
};

/* What the callout works on. */
struct hunt {
    struct wk_re_run *run;
    bool accept;  /* the first match will do */
    size_t best;  /* greatest end so far; valid when any */
    bool any;
    struct wk_re_span *spans;
    size_t n;
    int err;
};

static void *give(PCRE2_SIZE n, void *ctx)
{
    return wk_alloc(ctx, n);
}

static void take(void *p, void *ctx)
{
    wk_free(ctx, p);
}

void wk_re_pcre_free(struct wk_re *re)
{
    struct wk_re_pcre *p = re->pcre;
    if (!p)
        return;
    pcre2_match_data_free(p->data);
    pcre2_match_context_free(p->context);
    pcre2_code_free(p->code);
    pcre2_code_free(p->watched);
    wk_free(re->mem, p->text);
    pcre2_general_context_free(p->general);
    wk_free(re->mem, p);
    re->pcre = NULL;
}

/* ---- compiling ---- */

struct compile_call {
    struct wk_re_pcre *p;
    pcre2_code *code;
    struct wk_str text;
    uint32_t options;
    int number;
    PCRE2_SIZE at;
    bool no_memory;
};

static int call_compile(void *arg)
{
    struct compile_call *c = arg;
    pcre2_compile_context *context = pcre2_compile_context_create(c->p->general);
    if (!context) {
        c->no_memory = true;
        return 0;
    }
    pcre2_set_parens_nest_limit(context, WK_RE_MAX_DEPTH);
    c->code = pcre2_compile((PCRE2_SPTR)c->text.p, c->text.n, c->options, &c->number, &c->at,
                               context);
    pcre2_compile_context_free(context);
    return 0;
}

static void compile_code(struct wk_re *re, struct compile_call *c)
{
    if (re->env.lib_call)
        re->env.lib_call(re->env.ctx, call_compile, c);
    else
        call_compile(c);
}

static int compile(struct wk_re *re, struct wk_str text, uint32_t options, struct wk_re_error *err)
{
    struct wk_re_pcre *p = WK_NEW(re->mem, struct wk_re_pcre);
    if (!p)
        return -WK_ENOMEM;
    re->pcre = p;
    p->mem = re->mem;
    p->general = pcre2_general_context_create(give, take, re->mem);
    if (!p->general)
        return -WK_ENOMEM;
    p->text = wk_strndup(re->mem, text.p, text.n);
    p->text_n = text.n;
    p->options = options;
    if (!p->text)
        return -WK_ENOMEM;
    struct compile_call call = {.p = p, .text = text, .options = options};
    compile_code(re, &call);
    p->code = call.code;
    if (call.no_memory || (!p->code && call.number == PCRE2_ERROR_HEAP_FAILED))
        return -WK_ENOMEM;
    if (!p->code) {
        PCRE2_UCHAR message[120];
        if (err && pcre2_get_error_message(call.number, message, sizeof message) > 0) {
            size_t n = WK_MIN(strlen((const char *)message), sizeof err->text - 1);
            memcpy(err->text, message, n);
            err->text[n] = '\0';
            err->at = call.at;
            err->code = 0;
        }
        return -WK_EINVAL;
    }
    p->data = pcre2_match_data_create_from_pattern(p->code, p->general);
    p->context = pcre2_match_context_create(p->general);
    if (!p->data || !p->context)
        return -WK_ENOMEM;
    pcre2_set_heap_limit(p->context, HEAP_LIMIT_KIB);
    uint32_t groups = 0;
    pcre2_pattern_info(p->code, PCRE2_INFO_CAPTURECOUNT, &groups);
    re->groups = groups;
    return 0;
}

static uint32_t common_options(unsigned flags)
{
    uint32_t o = PCRE2_NEVER_BACKSLASH_C;
    if (!(flags & WK_RE_FINAL_NEWLINE))
        o |= PCRE2_DOLLAR_ENDONLY;
    if (!(flags & WK_RE_BYTES))
        o |= PCRE2_UTF | (flags & WK_RE_VALID ? 0 : PCRE2_MATCH_INVALID_UTF);
    if (flags & WK_RE_UNICODE)
        o |= PCRE2_UCP;
    if (flags & WK_RE_ICASE)
        o |= PCRE2_CASELESS;
    return o;
}

/* Length of the settings at a pattern's start, such as (*UCP), which must stay there. */
static size_t settings_at_start(struct wk_str s)
{
    size_t n = 0;
    while (n + 2 < s.n && s.p[n] == '(' && s.p[n + 1] == '*' && wk_is_upper(s.p[n + 2])) {
        ptrdiff_t end = wk_str_chr(wk_str_from(s, n), ')');
        if (end < 0)
            break;
        n += (size_t)end + 1;
    }
    return n;
}

int wk_re_pcre_text(struct wk_re *re, struct wk_str pattern, struct wk_re_error *err)
{
    struct wk_buf text;
    unsigned flags = re->flags;
    wk_buf_init(&text, re->mem, SIZE_MAX / 4);
    bool wrapped = flags & (WK_RE_LINE | WK_RE_WORD);
    size_t settings = wrapped ? 0 : settings_at_start(pattern);
    wk_buf_puts(&text, wk_str_take(pattern, settings));
    wk_buf_put_c(&text, "(?C3)"); /* CALLOUT_TRY: a search can be stopped between two tries */
    wk_buf_put_c(&text, flags & WK_RE_LINE      ? "^(?:"
                        : flags & WK_RE_WORD    ? "(?<!\\w)(?:"
                        : flags & WK_RE_LONGEST ? "(?:"
                                                : "");
    size_t before = text.n - settings;
    wk_buf_puts(&text, wk_str_from(pattern, settings));
    wk_buf_put_c(&text, flags & WK_RE_LINE      ? ")$"
                        : flags & WK_RE_WORD    ? ")(?!\\w)"
                        : flags & WK_RE_LONGEST ? ")(?C1)"
                                                : "");
    uint32_t options = common_options(flags);
    if (flags & WK_RE_NEWLINE)
        options |= PCRE2_MULTILINE;
    if (flags & WK_RE_LONGEST)
        options |= PCRE2_NO_AUTO_POSSESS;
    int r = text.failed ? -WK_ENOMEM : compile(re, wk_buf_str(&text), options, err);
    if (r == -WK_EINVAL && err)
        err->at -= WK_MIN(before, err->at);
    wk_buf_release(&text);
    if (re->pcre)
        re->pcre->longest = flags & WK_RE_LONGEST;
    return r;
}

static void put_hex(struct wk_buf *b, uint32_t c)
{
    wk_buf_fmt(b, "\\x{%x}", (unsigned)c);
}

/* A tree being written. PCRE2 takes 64 KiB of its own code, and a class of all letters is some 7 KiB,
 * copied by every interval around it: large sets are written once, as groups behind the others. */
enum { LARGE_SET = 16, MOST_SHARED = 64 };

struct tree_text {
    struct wk_buf *b;
    const struct wk_re_tree *t;
    const struct wk_re_set *shared[MOST_SHARED];
    uint32_t n;
};

/* The number of the group that stands for a set, 0 = it is written in its place. */
static uint32_t shared_set(struct tree_text *w, const struct wk_re_set *s)
{
    uint32_t k = 0;
    if (s->n < LARGE_SET)
        return 0;
    while (k < w->n && (w->shared[k]->n != s->n ||
                        memcmp(w->shared[k]->r, s->r, s->n * sizeof *s->r) != 0))
        k++;
    if (k == MOST_SHARED)
        return 0;
    if (k == w->n)
        w->shared[w->n++] = s;
    return w->t->groups + 1 + k;
}

static void put_set(struct wk_buf *b, const struct wk_re_set *s, bool utf8)
{
    size_t from = b->n;
    wk_buf_putc(b, '[');
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t lo = s->r[i].lo, hi = s->r[i].hi;
        if (utf8 && wk_utf8_is_bad(lo))
            continue;
        put_hex(b, lo);
        if (hi > lo) {
            wk_buf_putc(b, '-');
            put_hex(b, hi);
        }
    }
    if (!b->failed && b->n == from + 1) {
        b->n = from;
        wk_buf_put_c(b, "(*FAIL)");
        return;
    }
    wk_buf_putc(b, ']');
}

static void put_assert(struct wk_buf *b, uint32_t which, bool multiline)
{
    static const char *const texts[] = {
        [WK_RE_BOL] = "^",
        [WK_RE_EOL] = "$",
        [WK_RE_BOS] = "\\A",
        [WK_RE_EOS] = "\\z",
        [WK_RE_WORDB] = "\\b",
        [WK_RE_NWORDB] = "\\B",
        [WK_RE_WBEG] = "\\b(?=\\w)",
        [WK_RE_WEND] = "\\b(?<=\\w)",
        [WK_RE_NOT_AFTER_WORD] = "(?<!\\w)",
        [WK_RE_NOT_BEFORE_WORD] = "(?!\\w)",
    };
    if (multiline && which <= WK_RE_EOL)
        wk_buf_put_c(b, which == WK_RE_BOL ? "(?m:^)" : "(?m:$)");
    else
        wk_buf_put_c(b, texts[which]);
}

/* Writes a tree in Perl's syntax; depth is bounded by the parser. */
static void put_node(struct tree_text *w, const struct wk_re_node *n)
{
    struct wk_buf *b = w->b;
    const struct wk_re_tree *t = w->t;
    uint32_t group;
    switch ((enum wk_re_kind)n->kind) {
    case WK_RE_EMPTY:
        return;
    case WK_RE_SET:
        group = shared_set(w, &t->sets[n->arg]);
        if (group)
            wk_buf_fmt(b, "(?%u)", (unsigned)group);
        else
            put_set(b, &t->sets[n->arg], t->utf8);
        return;
    case WK_RE_ASSERT:
        put_assert(b, n->arg, t->flags & (WK_RE_NEWLINE | WK_RE_ANCHORS));
        return;
    case WK_RE_CAT:
    case WK_RE_ALT:
        wk_buf_put_c(b, "(?:");
        for (const struct wk_re_node *c = n->first; c; c = c->next) {
            put_node(w, c);
            if (c->next && n->kind == WK_RE_ALT)
                wk_buf_putc(b, '|');
        }
        wk_buf_putc(b, ')');
        return;
    case WK_RE_REPEAT:
        wk_buf_put_c(b, "(?:(?C2)"); /* CALLOUT_TURN */
        put_node(w, n->first);
        wk_buf_fmt(b, "){%u,", (unsigned)n->min);
        if (n->max != WK_RE_NO_MAX)
            wk_buf_put_u64(b, n->max);
        wk_buf_putc(b, '}');
        return;
    case WK_RE_GROUP:
        wk_buf_putc(b, '(');
        put_node(w, n->first);
        wk_buf_putc(b, ')');
        return;
    case WK_RE_BACKREF:
        wk_buf_fmt(b, t->flags & WK_RE_ICASE ? "(?i:\\g{%u})" : "\\g{%u}", (unsigned)n->arg);
        return;
    }
}

int wk_re_pcre_tree(struct wk_re *re, const struct wk_re_tree *t, struct wk_re_error *err)
{
    struct wk_buf text;
    wk_buf_init(&text, re->mem, SIZE_MAX / 4);
    struct tree_text w = {.b = &text, .t = t};
    put_node(&w, t->root);
    wk_buf_put_c(&text, "(?C1)");
    if (w.n)
        wk_buf_put_c(&text, "(?(DEFINE)");
    for (uint32_t k = 0; k < w.n; k++) {
        wk_buf_putc(&text, '(');
        put_set(&text, w.shared[k], t->utf8);
        wk_buf_putc(&text, ')');
    }
    if (w.n)
        wk_buf_putc(&text, ')');
    /* Sets hold both cases already, and PCRE2 would be long about folding them once more. */
    uint32_t options = common_options(t->flags & ~(unsigned)WK_RE_ICASE) | PCRE2_NO_AUTO_POSSESS;
    if (t->utf8)
        options |= PCRE2_UCP;
    int r = text.failed ? -WK_ENOMEM : compile(re, wk_buf_str(&text), options, err);
    wk_buf_release(&text);
    re->groups = t->groups;
    if (re->pcre)
        re->pcre->longest = true;
    return r;
}

/* ---- searching ---- */

static void copy_spans(struct wk_re_span *spans, size_t n, const PCRE2_SIZE *ovector, size_t have)
{
    for (size_t g = 0; g < n; g++) {
        bool set = g < have && ovector[2 * g] != PCRE2_UNSET;
        spans[g].start = set ? (ptrdiff_t)ovector[2 * g] : -1;
        spans[g].end = set ? (ptrdiff_t)ovector[2 * g + 1] : -1;
    }
}

static int on_callout(pcre2_callout_block *b, void *data)
{
    struct hunt *h = data;
    if (b->callout_number == CALLOUT_ITEM) {
        h->err = wk_re_work(h->run, 4);
        return h->err ? PCRE2_ERROR_CALLOUT : 0;
    }
    if (b->callout_number == CALLOUT_TURN || b->callout_number == CALLOUT_TRY) {
        size_t rest = b->subject_length - b->current_position;
        h->err = wk_re_work(h->run, b->callout_number == CALLOUT_TURN ? 16
                                                                      : WK_MIN(rest, TRY_WORK));
        return h->err ? PCRE2_ERROR_CALLOUT : 0;
    }
    if (h->accept)
        return 0;
    if (!h->any || b->current_position > h->best) {
        h->any = true;
        h->best = b->current_position;
        copy_spans(h->spans, h->n, b->offset_vector, b->capture_top);
        h->spans[0].start = (ptrdiff_t)b->start_match;
        h->spans[0].end = (ptrdiff_t)b->current_position;
    }
    return b->current_position < b->subject_length; /* go on looking for longer */
}

static int code_of(int r)
{
    switch (r) {
    case PCRE2_ERROR_NOMATCH:
        return 0;
    case PCRE2_ERROR_NOMEMORY:
        return -WK_ENOMEM;
    case PCRE2_ERROR_MATCHLIMIT:
    case PCRE2_ERROR_DEPTHLIMIT:
    case PCRE2_ERROR_HEAPLIMIT:
        return -WK_ELIMIT;
    default:
        return -WK_EINVAL;
    }
}

/* The match limit is high enough for seconds, and PCRE2 cannot be stopped in between but by a
 * callout: what takes long is begun again with one at every item. */
static int match(struct wk_re *re, pcre2_match_data *data, struct wk_str s, size_t from, uint32_t options,
                 pcre2_match_context *context, struct hunt *h)
{
    struct wk_re_pcre *p = re->pcre;
    uint32_t limit = h->run && h->run->pcre_limit ? h->run->pcre_limit : DEFAULT_LIMIT;
    struct hunt begun = *h;
    pcre2_set_match_limit(context, WK_MIN(limit, (uint32_t)QUICK_LIMIT));
    int r = pcre2_match(p->code, (PCRE2_SPTR)s.p, s.n, from, options, data, context);
    if (r != PCRE2_ERROR_MATCHLIMIT || limit <= QUICK_LIMIT || h->err)
        return r;
    if (!p->watched) {
        struct compile_call call = {
            .p = p, .text = wk_str(p->text, p->text_n), .options = p->options | PCRE2_AUTO_CALLOUT};
        compile_code(re, &call);
        p->watched = call.code;
    }
    *h = begun;
    pcre2_set_match_limit(context, limit);
    return p->watched ? pcre2_match(p->watched, (PCRE2_SPTR)s.p, s.n, from, options, data, context)
                      : PCRE2_ERROR_NOMEMORY;
}

static int run_match(struct wk_re *re, struct wk_re_run *run, pcre2_match_data *data, pcre2_match_context *context,
                     struct wk_str s, size_t from, struct wk_re_span *spans, size_t n)
{
    struct wk_re_pcre *p = re->pcre;
    struct hunt h = {.run = run, .accept = true, .spans = spans, .n = n};
    pcre2_set_callout(context, on_callout, &h);
    uint32_t options = run && run->not_bol ? PCRE2_NOTBOL : 0;
    if (run && run->not_eol)
        options |= PCRE2_NOTEOL;
    if (run && run->not_empty)
        options |= PCRE2_NOTEMPTY;
    if (re->flags & WK_RE_VALID)
        options |= PCRE2_NO_UTF_CHECK;
    int r = match(re, data, s, from, options, context, &h);
    int answer = h.err ? h.err : r > 0 ? 1 : code_of(r);
    if (answer == 1 && n) {
        const PCRE2_SIZE *ovector = pcre2_get_ovector_pointer(data);
        copy_spans(spans, n, ovector, (size_t)r);
        size_t end = (size_t)spans[0].end, start = (size_t)spans[0].start;
        if (p->longest && end < s.n) {
            h.accept = false;
            r = match(re, data, s, start, options | PCRE2_ANCHORED, context, &h);
            if (h.err)
                answer = h.err;
            else if (r > 0)
                copy_spans(spans, n, pcre2_get_ovector_pointer(data), (size_t)r);
            else if (!h.any)
                answer = code_of(r);
        }
    }
    return answer;
}

int wk_re_pcre_search(struct wk_re *re, struct wk_re_run *run, struct wk_str s, size_t from,
                      struct wk_re_span *spans, size_t n)
{
    struct wk_re_pcre *p = re->pcre;
    pcre2_match_data *data = p->data;
    pcre2_match_context *context = p->context;
    bool own = p->data_busy; /* another fiber's search is parked in a step */
    if (own) {
        data = pcre2_match_data_create_from_pattern(p->code, p->general);
        context = data ? pcre2_match_context_copy(p->context) : NULL;
        if (!context) {
            pcre2_match_data_free(data);
            return -WK_ENOMEM;
        }
    }
    p->data_busy = true;
    /* Text that has to be looked through for UTF-8 is so to its end; else the tries count. */
    int err = wk_re_work(run, (re->flags & WK_RE_VALID ? 0 : s.n - from) + 64);
    int r = err ? err : run_match(re, run, data, context, s, from, spans, n);
    if (own) {
        pcre2_match_data_free(data);
        pcre2_match_context_free(context);
    } else {
        p->data_busy = false;
    }
    return r;
}
