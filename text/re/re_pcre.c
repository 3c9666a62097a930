/* re_pcre.c - the only file that knows PCRE2: Perl's syntax; and the way to re_backref.c, the other engine that is no
 * automaton
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/re/re_backref.h"

#include <pcre2.h>

/* Called where a match ends, of which the longest is wanted; at the start of a try; and at every item (PCRE2's own
 * number) of a pattern that turned out to be slow. */
enum { CALLOUT_END = 1, CALLOUT_TRY = 3, CALLOUT_ITEM = 255 };

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
    uint32_t options, extra;
    pcre2_match_data *data;
    pcre2_match_context *context;
    bool data_busy; /* both */
    bool longest;   /* has the callout of its end */
    /* Back-references: nothing of the above but mem and data_busy. */
    const struct wk_re_prog *prog;
    struct wk_re_back *back;
    uint32_t required;
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
    wk_re_back_free(p->back);
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
    pcre2_set_compile_extra_options(context, c->p->extra);
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

static int compile(struct wk_re *re, struct wk_str text, uint32_t options, uint32_t extra, struct wk_re_error *err)
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
    p->extra = extra;
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
    bool wrapped = (flags & WK_RE_WORD) && !(flags & WK_RE_LINE);
    size_t settings = wrapped ? 0 : settings_at_start(pattern);
    wk_buf_puts(&text, wk_str_take(pattern, settings));
    wk_buf_put_c(&text, "(?C3)"); /* CALLOUT_TRY: a search can be stopped between two tries */
    bool longest = flags & WK_RE_LONGEST;
    wk_buf_put_c(&text, wrapped ? "(?<!\\w)(?:" : longest ? "(?:" : "");
    size_t before = text.n - settings;
    wk_buf_puts(&text, wk_str_from(pattern, settings));
    wk_buf_put_c(&text, wrapped ? ")(?!\\w)" : longest ? ")(?C1)" : ""); /* CALLOUT_END */
    uint32_t options = common_options(flags);
    if (flags & WK_RE_NEWLINE)
        options |= PCRE2_MULTILINE;
    if (longest)
        options |= PCRE2_NO_AUTO_POSSESS;
    int r = text.failed ? -WK_ENOMEM : compile(re, wk_buf_str(&text), options,
                                             flags & WK_RE_LINE ? PCRE2_EXTRA_MATCH_LINE : 0, err);
    if (r == -WK_EINVAL && err)
        err->at -= WK_MIN(before, err->at);
    if (re->pcre)
        re->pcre->longest = longest;
    wk_buf_release(&text);
    return r;
}

int wk_re_pcre_tree(struct wk_re *re, const struct wk_re_tree *t, struct wk_re_error *err)
{
    (void)err;
    struct wk_re_pcre *p = WK_NEW(re->mem, struct wk_re_pcre);
    if (!p)
        return -WK_ENOMEM;
    re->pcre = p;
    p->mem = re->mem;
    int r = wk_re_prog_make(re, t, re->env.max_states ? re->env.max_states : (size_t)WK_RE_MAX_STATES);
    p->prog = re->prog;
    re->prog = NULL; /* no automaton can run it */
    p->required = wk_re_back_required(t->root);
    if (!r && !(p->back = wk_re_back_new(re, p->prog, p->required)))
        r = -WK_ENOMEM;
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
    if (b->callout_number == CALLOUT_TRY) {
        h->err = wk_re_work(h->run, WK_MIN(b->subject_length - b->current_position, (size_t)TRY_WORK));
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
    pcre2_set_match_limit(context, WK_MIN(limit, (uint32_t)QUICK_LIMIT));
    struct hunt begun = *h;
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
        copy_spans(spans, n, pcre2_get_ovector_pointer(data), (size_t)r);
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

static int search_back(struct wk_re *re, struct wk_re_run *run, struct wk_str s, size_t from,
                       struct wk_re_span *spans, size_t n)
{
    struct wk_re_pcre *p = re->pcre;
    bool own = p->data_busy; /* another fiber's search is parked in a step */
    struct wk_re_back *back = own ? wk_re_back_new(re, p->prog, p->required) : p->back;
    if (!back)
        return -WK_ENOMEM;
    p->data_busy = true;
    int r = wk_re_back_search(back, run, s, from, spans, n);
    if (own)
        wk_re_back_free(back);
    else
        p->data_busy = false;
    return r;
}

int wk_re_pcre_search(struct wk_re *re, struct wk_re_run *run, struct wk_str s, size_t from,
                      struct wk_re_span *spans, size_t n)
{
    struct wk_re_pcre *p = re->pcre;
    if (p->back)
        return search_back(re, run, s, from, spans, n);
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
