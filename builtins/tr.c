/* tr.c - translate, squeeze, and delete bytes
 *
 * Standard: GNU coreutils 9.1. Oracle: tr.
 */
#include "builtins/tr_set.h"

struct tr_opts {
    bool complement, delete, squeeze, truncate, bytes;
};

static const struct wk_opt tr_options[] = {
    WK_FLAG(struct tr_opts, complement, 'c', "complement", "use the complement of ARRAY1"),
    WK_FLAG(struct tr_opts, complement, 'C', NULL, "the same as -c"),
    WK_FLAG(struct tr_opts, bytes, 'A', NULL, "characters are bytes, as always"),
    WK_FLAG(struct tr_opts, delete, 'd', "delete", "delete characters in ARRAY1, do not translate"),
    WK_FLAG(struct tr_opts, squeeze, 's', "squeeze-repeats",
            "replace each sequence of a repeated character\nthat is listed in the last specified "
            "ARRAY,\nwith a single occurrence of that character"),
    WK_FLAG(struct tr_opts, truncate, 't', "truncate-set1",
            "first truncate ARRAY1 to length of ARRAY2"),
    WK_OPTS_END,
};

struct tr_state {
    struct wk_cmd *c;
    const struct tr_opts *o;
    struct wk_tr_set s1, s2;
    bool second, translating;
    bool in1[256]; /* ARRAY1, complemented when asked */
    bool squeeze[256];
    unsigned char map[256];
};

static void check_operands(struct wk_cmd *c, const struct tr_opts *o)
{
    int least = 1 + (o->delete == o->squeeze), most = 1 + (o->delete <= o->squeeze);
    if (c->nargs < least) {
        if (c->nargs == 0)
            wk_usage(c, "missing operand");
        wk_usage(c, "missing operand after %s\n%s", wk_quote_arg(c, c->args[0]),
                 o->squeeze ? "Two strings must be given when both deleting and squeezing repeats."
                            : "Two strings must be given when translating.");
    }
    if (c->nargs > most)
        wk_usage(c, "extra operand %s%s", wk_quote_arg(c, c->args[most]),
                 c->nargs == 2 ? "\nOnly one string may be given when deleting without squeezing "
                                 "repeats."
                               : "");
}

/* [:lower:] and [:upper:] in ARRAY2 stand against one of them in ARRAY1; a pair counts as one. */
static void check_case_classes(struct tr_state *t)
{
    if (t->o->complement || !t->s2.has_class)
        return;
    enum wk_tr_case k1, k2;
    bool fresh1, fresh2;
    wk_tr_rewind(&t->s1);
    wk_tr_rewind(&t->s2);
    for (int a = 0, b = 0; a >= 0 && b >= 0;) {
        a = wk_tr_next(&t->s1, &k1, &fresh1);
        b = wk_tr_next(&t->s2, &k2, &fresh2);
        wk_tick(t->c, 1);
        if (k2 == WK_TR_NO_CASE)
            continue;
        if (fresh2 && !(fresh1 && k1 != WK_TR_NO_CASE))
            wk_fail(t->c, 1, "misaligned [:upper:] and/or [:lower:] construct");
        wk_tr_skip_item(&t->s1);
        wk_tr_skip_item(&t->s2);
        t->s1.length -= 25;
        t->s2.length -= 25;
    }
}

static void extend_second(struct tr_state *t)
{
    if (t->s1.length <= t->s2.length || t->o->truncate)
        return;
    if (t->s2.length == 0)
        wk_fail(t->c, 1, "when not truncating set1, string2 must be non-empty");
    const struct wk_tr_item *last = &t->s2.v[t->s2.n - 1];
    if (last->kind == WK_TR_CLASS)
        wk_fail(t->c, 1,
                "when translating with string1 longer than string2,\nthe latter string must "
                "not end with a character class");
    wk_tr_extend(&t->s2, last->kind == WK_TR_RANGE ? last->last : last->first,
                 t->s1.length - t->s2.length);
}

static bool is_homogeneous(struct wk_tr_set *s)
{
    int only = -1;
    for (size_t i = 0; i < s->n; i++) {
        const struct wk_tr_item *v = &s->v[i];
        if (!v->count)
            continue;
        if (v->kind == WK_TR_CLASS || (v->kind == WK_TR_RANGE && v->first != v->last) ||
            (only >= 0 && only != v->first))
            return false;
        only = v->first;
    }
    return only >= 0;
}

static void check_sets(struct tr_state *t)
{
    struct wk_cmd *c = t->c;
    struct wk_tr_set *s2 = &t->s2;
    if (t->s1.indefinite)
        wk_fail(c, 1, "the [c*] repeat construct may not appear in string1");
    if (!t->second)
        return;
    if (s2->indefinite > 1)
        wk_fail(c, 1, "only one [c*] repeat construct may appear in string2");
    if (!t->translating) {
        if (s2->indefinite)
            wk_fail(c, 1, "the [c*] construct may appear in string2 only when translating");
        return;
    }
    for (size_t i = 0; i < s2->n && s2->indefinite; i++)
        if (s2->v[i].indefinite && t->s1.length > s2->length) {
            s2->v[i].count = t->s1.length - s2->length;
            s2->length = t->s1.length;
        }
    if (s2->has_equiv)
        wk_fail(c, 1, "[=c=] expressions may not appear in string2 when translating");
    if (s2->has_other_class)
        wk_fail(c, 1,
                "when translating, the only character classes that may appear in\nstring2 are "
                "'upper' and 'lower'");
    check_case_classes(t);
    extend_second(t);
    if (t->o->complement && t->s1.has_class && !(s2->length == t->s1.length && is_homogeneous(s2)))
        wk_fail(c, 1,
                "when translating with complemented character classes,\nstring2 must map all "
                "characters in the domain to one");
}

static void map_case(struct tr_state *t, bool to_upper)
{
    for (unsigned ch = 'a'; ch <= 'z'; ch++) {
        if (to_upper)
            t->map[ch] = (unsigned char)(ch - 32);
        else
            t->map[ch - 32] = (unsigned char)ch;
    }
}

static void fill_map(struct tr_state *t)
{
    enum wk_tr_case k1 = WK_TR_NO_CASE, k2;
    bool fresh;
    wk_tr_rewind(&t->s1);
    wk_tr_rewind(&t->s2);
    if (t->o->complement) {
        for (unsigned ch = 0; ch < 256; ch++) {
            int to = t->in1[ch] ? wk_tr_next(&t->s2, &k2, &fresh) : (int)ch;
            if (to < 0)
                break;
            t->map[ch] = (unsigned char)to;
        }
        return;
    }
    for (;;) {
        int from = wk_tr_next(&t->s1, &k1, &fresh), to = wk_tr_next(&t->s2, &k2, &fresh);
        if (k1 == WK_TR_LOWER && k2 == WK_TR_UPPER)
            map_case(t, true);
        else if (k1 == WK_TR_UPPER && k2 == WK_TR_LOWER)
            map_case(t, false);
        else if (from < 0 || to < 0)
            return;
        else
            t->map[from] = (unsigned char)to;
        if (k2 != WK_TR_NO_CASE) {
            wk_tr_skip_item(&t->s1);
            wk_tr_skip_item(&t->s2);
        }
        wk_tick(t->c, 1);
    }
}

static void prepare(struct tr_state *t)
{
    struct wk_cmd *c = t->c;
    wk_tr_parse(c, c->args[0], &t->s1);
    if (t->second)
        wk_tr_parse(c, c->args[1], &t->s2);
    wk_tr_mark(&t->s1, t->in1);
    if (t->o->complement) {
        t->s1.length = 0;
        for (size_t i = 0; i < 256; i++) {
            t->in1[i] = !t->in1[i];
            t->s1.length += t->in1[i];
        }
    }
    check_sets(t);
    for (size_t i = 0; i < 256; i++)
        t->map[i] = (unsigned char)i;
    if (t->translating)
        fill_map(t);
    if (t->o->squeeze && t->second)
        wk_tr_mark(&t->s2, t->squeeze);
    else if (t->o->squeeze)
        memcpy(t->squeeze, t->in1, sizeof t->squeeze);
}

/* One piece of at most the size of dst; *last is the byte written before, when it is squeezed. */
static size_t convert(const struct tr_state *t, unsigned char *dst, const unsigned char *p,
                      size_t n, int *last)
{
    size_t k = 0;
    if (!t->o->squeeze && !t->o->delete) {
        for (size_t i = 0; i < n; i++)
            dst[i] = t->map[p[i]];
        return n;
    }
    if (!t->o->squeeze) {
        for (size_t i = 0; i < n; i++) {
            dst[k] = p[i];
            k += !t->in1[p[i]];
        }
        return k;
    }
    for (size_t i = 0; i < n; i++) {
        unsigned char ch = t->map[p[i]];
        if (t->o->delete &&t->in1[p[i]])
            continue;
        if (ch == *last)
            continue;
        *last = t->squeeze[ch] ? ch : -1;
        dst[k++] = ch;
    }
    return k;
}

static int tr_main(struct wk_cmd *c)
{
    enum { PIECE = 8192 };
    struct tr_state *t = wk_new(c, struct tr_state);
    t->c = c;
    t->o = (const struct tr_opts *)c->opts;
    check_operands(c, t->o);
    t->second = c->nargs == 2;
    t->translating = t->second && !t->o->delete;
    prepare(t);
    struct wk_stat st;
    if (!c->in->file)
        wk_fail(c, 1, "read error: %s", wk_err_text(WK_EBADF));
    if (wk_file_stat(c->in->file, &st) >= 0 && WK_S_ISDIR(st.mode))
        wk_fail(c, 1, "read error: %s", wk_err_text(WK_EISDIR));
    unsigned char *dst = (unsigned char *)wk_heap_alloc(c->heap, PIECE);
    const char *p;
    size_t n;
    int last = -1;
    while (wk_in_chunk(c->in, &p, &n)) {
        while (n) {
            size_t use = n < PIECE ? n : PIECE;
            wk_out_put(c->out, dst, convert(t, dst, (const unsigned char *)p, use, &last));
            p += use;
            n -= use;
            wk_tick(c, PIECE / 64);
        }
    }
    return c->status;
}

WK_COMMAND(tr,
           .summary = "translate, squeeze, and/or delete characters from standard input, "
                      "writing to standard output",
           .usage = "tr [OPTION]... STRING1 [STRING2]", .std = "coreutils 9.1", .opts = tr_options,
           .opts_size = sizeof(struct tr_opts), .flags = WK_CMD_NO_PERMUTE | WK_CMD_FILTER,
           .help = "ARRAYs are strings of characters. Interpreted sequences are:\n\n"
                   "  \\NNN            character with octal value NNN (1 to 3 octal digits)\n"
                   "  \\\\ \\a \\b \\f \\n \\r \\t \\v\n"
                   "  CHAR1-CHAR2     all characters from CHAR1 to CHAR2 in ascending order\n"
                   "  [CHAR*]         in ARRAY2, copies of CHAR until length of ARRAY1\n"
                   "  [CHAR*REPEAT]   REPEAT copies of CHAR, REPEAT octal if starting with 0\n"
                   "  [:alnum:] ...   the bytes of a character class\n"
                   "  [=CHAR=]        all characters which are equivalent to CHAR\n");
