/* join.c - join the lines of two files on a common field
 *
 * Standard: GNU coreutils 9.1, in byte order. Oracle: join.
 */
#include "base/num.h"
#include "builtins/fsops.h"

enum { TAB_BLANKS = -1, TAB_NONE = -2 };

struct out_field {
    int file; /* 0 the join field, 1 or 2 */
    size_t field;
};

struct join_opts {
    bool late[2]; /* -j1, -j2 in one word: they count when all options are read */
    bool unpaired[2], no_pairs, ignore_case, header, zero, automatic, tab_given;
    int check; /* 0 when a line has no partner, 1 always, -1 never */
    int tab;
    const char *empty;
    size_t key[2]; /* 0: not given */
    struct out_field *list;
    size_t n_list, cap_list;
};

static size_t field_number(struct wk_cmd *c, const char *arg)
{
    uint64_t v;
    int r = wk_parse_u64(wk_str_c(arg + strspn(arg, " \t\n\v\f\r")), 10, &v);
    if (r == -WK_EINVAL || (!r && v == 0))
        wk_fail(c, 1, "invalid field number: %s", wk_quote_arg(c, arg));
    return r || v > SIZE_MAX ? SIZE_MAX : (size_t)v;
}

static void set_key(struct wk_cmd *c, size_t *at, size_t v)
{
    if (*at && *at != v)
        wk_fail(c, 1, "incompatible join fields %zu, %zu", *at, v);
    *at = v;
}

/* One of "0", "1.FIELD", "2.FIELD". */
static void add_field(struct wk_cmd *c, struct join_opts *o, const char *spec)
{
    struct out_field f = {0, 0};
    if (*spec == '0') {
        if (spec[1])
            wk_fail(c, 1, "invalid field specifier: %s", wk_quote_arg(c, spec));
    } else if (*spec == '1' || *spec == '2') {
        if (spec[1] != '.')
            wk_fail(c, 1, "invalid field specifier: %s", wk_quote_arg(c, spec));
        f.file = *spec - '0';
        f.field = field_number(c, spec + 2) - 1;
    } else {
        wk_fail(c, 1, "invalid file number in field spec: %s", wk_quote_arg(c, spec));
    }
    if (o->n_list == o->cap_list) {
        o->cap_list = o->cap_list ? o->cap_list * 2 : 8;
        o->list = (struct out_field *)wk_heap_realloc(c->heap, o->list, o->cap_list * sizeof f);
    }
    o->list[o->n_list++] = f;
}

static void add_fields(struct wk_cmd *c, struct join_opts *o, const char *text)
{
    for (const char *p = text;; p++) {
        size_t n = strcspn(p, ", \t");
        char *one = wk_dupn(c, p, n);
        add_field(c, o, one);
        wk_heap_free(c->heap, one);
        p += n;
        if (!*p)
            return;
    }
}

static void set_tab(struct wk_cmd *c, struct join_opts *o, const char *arg)
{
    int tab = *arg && *arg != '\n' ? (unsigned char)*arg : TAB_NONE;
    if (*arg && arg[1]) {
        if (strcmp(arg, "\\0") != 0)
            wk_fail(c, 1, "multi-character tab %s", wk_quote_arg(c, arg));
        tab = '\0';
    }
    if (o->tab_given && o->tab != tab)
        wk_fail(c, 1, "incompatible tabs");
    o->tab = tab;
    o->tab_given = true;
}

/* Whether an argument stands in the word of its option. */
static bool is_attached(const struct wk_cmd *c, const char *arg)
{
    for (int i = 1; i < c->argc; i++)
        if (arg == c->argv[i] + 2)
            return true;
    return false;
}

static int set_option(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct join_opts *o = (struct join_opts *)c->opts;
    size_t v;
    switch (opt->value) {
    case 'a':
    case 'v':
        o->no_pairs = o->no_pairs || opt->value == 'v';
        v = strcmp(arg, "1") == 0 ? 1 : strcmp(arg, "2") == 0 ? 2 : 0;
        if (!v)
            wk_fail(c, 1, "invalid field number: %s", wk_quote_arg(c, arg));
        o->unpaired[v - 1] = true;
        break;
    case 'e':
        if (o->empty && strcmp(o->empty, arg) != 0)
            wk_fail(c, 1, "conflicting empty-field replacement strings");
        o->empty = arg;
        break;
    case '1':
    case '2':
        set_key(c, &o->key[opt->value - '1'], field_number(c, arg));
        break;
    case 'j':
        v = field_number(c, arg);
        if (v <= 2 && !arg[1] && is_attached(c, arg)) {
            o->late[v - 1] = true;
            break;
        }
        set_key(c, &o->key[0], v);
        set_key(c, &o->key[1], v);
        break;
    case 'o':
        if (strcmp(arg, "auto") == 0)
            o->automatic = true;
        else
            add_fields(c, o, arg);
        break;
    case 't':
        set_tab(c, o, arg);
        break;
    }
    return 0;
}

static const struct wk_opt join_options[] = {
    WK_FUNC_OPT(set_option, 'a', 'a', NULL, "FILENUM",
                "also print unpairable lines from file FILENUM, where\nFILENUM is 1 or 2, "
                "corresponding to FILE1 or FILE2"),
    WK_FUNC_OPT(set_option, 'e', 'e', NULL, "STRING", "replace missing input fields with STRING"),
    WK_FLAG(struct join_opts, ignore_case, 'i', "ignore-case",
            "ignore differences in case when comparing fields"),
    WK_FUNC_OPT(set_option, 'j', 'j', NULL, "FIELD", "equivalent to '-1 FIELD -2 FIELD'"),
    WK_FUNC_OPT(set_option, 'o', 'o', NULL, "FORMAT", "obey FORMAT while constructing output line"),
    WK_FUNC_OPT(set_option, 't', 't', NULL, "CHAR", "use CHAR as input and output field separator"),
    WK_FUNC_OPT(set_option, 'v', 'v', NULL, "FILENUM",
                "like -a FILENUM, but suppress joined output lines"),
    WK_FUNC_OPT(set_option, '1', '1', NULL, "FIELD", "join on this FIELD of file 1"),
    WK_FUNC_OPT(set_option, '2', '2', NULL, "FIELD", "join on this FIELD of file 2"),
    WK_SET(struct join_opts, check, 1, 0, "check-order",
           "check that the input is correctly sorted, even\nif all input lines are pairable"),
    WK_SET(struct join_opts, check, -1, 0, "nocheck-order",
           "do not check that the input is correctly sorted"),
    WK_FLAG(
        struct join_opts, header, 0, "header",
        "treat the first line in each file as field headers,\nprint them without trying to pair "
        "them"),
    WK_FLAG(struct join_opts, zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
    WK_OPTS_END,
};

/* ---- lines ---- */

struct row {
    char *p;
    size_t n, cap;
    struct wk_str *field;
    size_t n_fields, cap_fields;
};

struct side {
    struct wk_in *in;
    const char *name;
    struct row **v; /* lines with the same key, then one that may have another */
    size_t n, cap;
    char *last; /* a copy of the key of the line read last, for the order */
    size_t last_n, last_cap;
    bool has_last;
    uint64_t number;
    size_t key;
    size_t auto_fields;
    bool warned;
};

struct join_state {
    struct wk_cmd *c;
    const struct join_opts *o;
    struct side side[2];
    struct row blank;
    bool unpaired_seen;
    char eol, separator;
};

static WK_COLD void more_fields(struct wk_cmd *c, struct row *r)
{
    r->cap_fields = r->cap_fields ? r->cap_fields * 2 : 8;
    r->field = (struct wk_str *)wk_heap_realloc(c->heap, r->field, r->cap_fields * sizeof *r->field);
}

static inline void add_part(struct wk_cmd *c, struct row *r, const char *p, size_t n)
{
    if (WK_UNLIKELY(r->n_fields == r->cap_fields))
        more_fields(c, r);
    r->field[r->n_fields++] = wk_str(p, n);
}

static bool is_blank(char ch)
{
    return WK_UNLIKELY((unsigned char)ch <= ' ') && (ch == ' ' || ch == '\t' || ch == '\n');
}

static void cut_fields(struct join_state *s, struct row *r)
{
    const char *p = r->p, *end = r->p + r->n, *e;
    r->n_fields = 0;
    if (p == end)
        return;
    if (s->o->tab == TAB_NONE) {
        add_part(s->c, r, p, r->n);
    } else if (s->o->tab >= 0) {
        for (; p < end && (e = (const char *)memchr(p, s->o->tab, (size_t)(end - p))); p = e + 1)
            add_part(s->c, r, p, (size_t)(e - p));
        add_part(s->c, r, p, (size_t)(end - p));
    } else {
        while (p < end && is_blank(*p))
            p++;
        while (r->n_fields || p < end) {
            for (e = p; e < end && !is_blank(*e);)
                e++;
            add_part(s->c, r, p, (size_t)(e - p));
            if (e == end)
                break;
            for (p = e; p < end && is_blank(*p);)
                p++; /* behind the last blanks there is an empty field */
        }
    }
}

static void set_row(struct join_state *s, struct row *r, struct wk_str text)
{
    if (text.n > r->cap || !r->p) {
        size_t cap = text.n + text.n / 2 + 32;
        r->p = (char *)wk_heap_realloc(s->c->heap, r->p, cap);
        r->cap = cap;
    }
    if (text.n)
        memcpy(r->p, text.p, text.n);
    r->n = text.n;
    cut_fields(s, r);
}

static struct wk_str key_of(const struct row *r, size_t key)
{
    return key < r->n_fields ? r->field[key] : wk_str("", 0);
}

static int compare(const struct join_state *s, struct wk_str a, struct wk_str b)
{
    if (!s->o->ignore_case)
        return wk_str_cmp(a, b);
    for (size_t i = 0; i < a.n && i < b.n; i++) {
        int x = wk_to_upper((unsigned char)a.p[i]), y = wk_to_upper((unsigned char)b.p[i]);
        if (x != y)
            return x - y;
    }
    return (a.n > b.n) - (a.n < b.n);
}

static void check_order(struct join_state *s, struct side *d, const struct row *now)
{
    if (s->o->check < 0 || (s->o->check == 0 && !s->unpaired_seen) || d->warned || !d->has_last)
        return;
    if (compare(s, wk_str(d->last, d->last_n), key_of(now, d->key)) <= 0)
        return;
    d->warned = true;
    wk_out_flush(s->c->out);
    int most = now->n > INT32_MAX ? INT32_MAX : (int)now->n;
    wk_out_fmt(s->c->err, "%s: %s:%llu: is not sorted: %.*s\n", s->c->name, d->name,
               (unsigned long long)d->number, most, now->p);
    if (s->o->check > 0)
        wk_exit(s->c, 1);
}

static void keep_key(struct join_state *s, struct side *d, struct wk_str key)
{
    if (s->o->check < 0)
        return;
    d->has_last = true;
    if (key.n >= d->last_cap) {
        d->last_cap = key.n + key.n / 2 + 32;
        d->last = (char *)wk_heap_realloc(s->c->heap, d->last, d->last_cap);
    }
    memcpy(d->last, key.p, key.n);
    d->last_n = key.n;
}

/* Reads the next line of a file into row `at` of its group. */
static bool read_row(struct join_state *s, struct side *d, size_t at)
{
    struct wk_str line;
    if (!wk_line_next(d->in, s->eol, &line)) {
        if (d->in->err)
            wk_exit(s->c, 1);
        return false;
    }
    while (at >= d->cap) {
        size_t cap = d->cap ? d->cap * 2 : 16;
        d->v = (struct row **)wk_heap_realloc(s->c->heap, d->v, cap * sizeof(struct row *));
        while (d->cap < cap)
            d->v[d->cap++] = NULL;
    }
    /* Memory may not be waited for while the line is borrowed: no call above parks. */
    if (!d->v[at])
        d->v[at] = wk_new(s->c, struct row);
    set_row(s, d->v[at], line);
    d->number++;
    check_order(s, d, d->v[at]);
    keep_key(s, d, key_of(d->v[at], d->key));
    d->n = at + 1;
    wk_tick(s->c, (uint32_t)(d->v[at]->n / 32 & 0xffffff) + 1);
    return true;
}

static bool advance(struct join_state *s, struct side *d)
{
    d->n = 0;
    return read_row(s, d, 0);
}

/* ---- output ---- */

static void put_field(struct join_state *s, const struct row *r, size_t i)
{
    if (i < r->n_fields && r->field[i].n)
        wk_out_str(s->c->out, r->field[i]);
    else if (s->o->empty)
        wk_out_c(s->c->out, s->o->empty);
}

static void put_others(struct join_state *s, const struct row *r, const struct side *d)
{
    size_t n = s->o->automatic ? d->auto_fields : r->n_fields;
    for (size_t i = 0; i < n; i++) {
        if (i == d->key)
            continue;
        wk_out_char(s->c->out, s->separator);
        put_field(s, r, i);
    }
}

static void put_pair(struct join_state *s, const struct row *a, const struct row *b)
{
    const struct join_opts *o = s->o;
    const struct row *key = a == &s->blank ? b : a;
    size_t at = a == &s->blank ? s->side[1].key : s->side[0].key;
    for (size_t i = 0; i < o->n_list; i++) {
        const struct out_field *f = &o->list[i];
        if (i)
            wk_out_char(s->c->out, s->separator);
        if (f->file == 0)
            put_field(s, key, at);
        else
            put_field(s, f->file == 1 ? a : b, f->field);
    }
    if (!o->n_list) {
        put_field(s, key, at);
        put_others(s, a, &s->side[0]);
        put_others(s, b, &s->side[1]);
    }
    wk_out_char(s->c->out, s->eol);
    wk_tick(s->c, 2);
}

static void put_unpaired(struct join_state *s, int which)
{
    if (!s->o->unpaired[which])
        return;
    const struct row *r = s->side[which].v[0];
    put_pair(s, which ? &s->blank : r, which ? r : &s->blank);
}

/* ---- joining ---- */

/* Reads on while the key stays the same: the group is v[0..n-1), the line behind it v[n-1], unless
 * the file ended (*end) and all n-1 … n are group. Returns the size of the group. */
static size_t read_group(struct join_state *s, struct side *d, struct wk_str key, bool *end)
{
    *end = false;
    while (compare(s, key_of(d->v[d->n - 1], d->key), key) == 0) {
        if (!read_row(s, d, d->n)) {
            *end = true;
            return d->n;
        }
    }
    return d->n - 1;
}

static void keep_last(struct side *d, bool end)
{
    if (end) {
        d->n = 0;
        return;
    }
    struct row *r = d->v[0];
    d->v[0] = d->v[d->n - 1];
    d->v[d->n - 1] = r;
    d->n = 1;
}

static void join_groups(struct join_state *s)
{
    struct side *a = &s->side[0], *b = &s->side[1];
    while (a->n && b->n) {
        int r = compare(s, key_of(a->v[0], a->key), key_of(b->v[0], b->key));
        if (r) {
            int which = r < 0 ? 0 : 1;
            put_unpaired(s, which);
            (void)advance(s, &s->side[which]);
            s->unpaired_seen = true; /* the order is looked at from the line behind the next on */
            continue;
        }
        bool end_a, end_b;
        size_t n = read_group(s, a, key_of(b->v[0], b->key), &end_a);
        size_t m = read_group(s, b, key_of(a->v[0], a->key), &end_b);
        for (size_t i = 0; i < n && !s->o->no_pairs; i++)
            for (size_t k = 0; k < m; k++)
                put_pair(s, a->v[i], b->v[k]);
        keep_last(a, end_a);
        keep_last(b, end_b);
    }
}

/* The rest of a file whose partner has ended. */
static void read_tail(struct join_state *s, int which)
{
    struct side *d = &s->side[which];
    bool print = s->o->unpaired[which];
    bool check = s->o->check >= 0 && !(s->side[0].warned && s->side[1].warned);
    if (!d->n || !(print || check))
        return;
    put_unpaired(s, which);
    if (s->side[!which].n)
        s->unpaired_seen = true;
    while (advance(s, d)) {
        put_unpaired(s, which);
        if (d->warned && !print)
            break;
    }
}

static void join_headers(struct join_state *s)
{
    struct side *a = &s->side[0], *b = &s->side[1];
    if (a->n || b->n)
        put_pair(s, a->n ? a->v[0] : &s->blank, b->n ? b->v[0] : &s->blank);
    for (int i = 0; i < 2; i++) {
        s->side[i].has_last = false;
        if (s->side[i].n)
            (void)advance(s, &s->side[i]);
    }
}

static void take_operands(struct wk_cmd *c, struct join_opts *o)
{
    for (size_t i = 0; i < 2; i++) {
        if (!o->late[i])
            continue;
        set_key(c, &o->key[0], i + 1);
        set_key(c, &o->key[1], i + 1);
    }
    /* "-o 1.1 2.2 FILE1 FILE2": the old form of a list */
    while (c->nargs > 2 && o->n_list && c->last_opt && c->last_opt->short_name == 'o') {
        add_fields(c, o, c->args[0]);
        c->args++;
        c->nargs--;
    }
    if (c->nargs > 2)
        wk_usage(c, "extra operand %s", wk_quote(c, c->args[2]));
    if (c->nargs == 0)
        wk_usage(c, "missing operand");
    if (c->nargs == 1)
        wk_usage(c, "missing operand after %s", wk_quote_arg(c, c->args[0]));
}

static int join_main(struct wk_cmd *c)
{
    struct join_opts *o = (struct join_opts *)c->opts;
    struct join_state s = {.c = c, .o = o, .eol = o->zero ? '\0' : '\n'};
    struct wk_stat st;
    take_operands(c, o);
    if (!o->tab_given)
        o->tab = TAB_BLANKS;
    s.separator = o->tab >= 0 ? (char)o->tab : o->tab == TAB_NONE ? '\n' : ' ';
    for (int i = 0; i < 2; i++) {
        struct side *d = &s.side[i];
        d->name = c->args[i];
        d->key = o->key[i] ? o->key[i] - 1 : 0;
        if (!(d->in = wk_in_open(c, d->name, true)))
            return 1;
    }
    if (s.side[0].in == s.side[1].in)
        wk_fail(c, 1, "both files cannot be standard input");
    for (int i = 0; i < 2; i++) {
        struct wk_file *f = s.side[i].in->file;
        if (f && wk_file_stat(f, &st) >= 0 && WK_S_ISDIR(st.mode))
            wk_fail(c, 1, "read error: %s", wk_err_text(WK_EISDIR));
    }
    for (int i = 0; i < 2; i++)
        if (advance(&s, &s.side[i]))
            s.side[i].auto_fields = s.side[i].v[0]->n_fields;
    if (o->header)
        join_headers(&s);
    join_groups(&s);
    size_t left = s.side[1].n;
    read_tail(&s, 0);
    s.side[1].n = left;
    read_tail(&s, 1);
    if (s.side[0].warned || s.side[1].warned)
        wk_fail(c, 1, "input is not in sorted order");
    return c->status;
}

WK_COMMAND(join,
           .summary = "for each pair of input lines with identical join fields, write a line "
                      "to standard output",
           .usage = "join [OPTION]... FILE1 FILE2", .std = "coreutils 9.1", .opts = join_options,
           .opts_size = sizeof(struct join_opts),
           .help = "Unless -t CHAR is given, leading blanks separate fields and are ignored,\n"
                   "else fields are separated by CHAR.  Any FIELD is a field number counted\n"
                   "from 1.  FORMAT is one or more comma or blank separated specifications,\n"
                   "each being 'FILENUM.FIELD' or '0'.  Default FORMAT outputs the join field,\n"
                   "the remaining fields from FILE1, the remaining fields from FILE2, all\n"
                   "separated by CHAR.  If FORMAT is the keyword 'auto', then the first\n"
                   "line of each file determines the number of fields output for each line.\n",
           .flags = WK_CMD_FILTER);
