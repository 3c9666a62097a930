/* uniq.c - report or omit repeated lines
 *
 * Standard: GNU coreutils 9.1. Oracle: uniq.
 */
#include "base/num.h"
#include "builtins/choice.h"
#include "builtins/fsops.h"

enum group { GROUP_NONE, GROUP_PREPEND, GROUP_APPEND, GROUP_SEPARATE, GROUP_BOTH };

struct uniq_opts {
    bool count, repeated, unique, all_repeated, ignore_case, zero;
    int separate; /* enum group, of -D */
    int group;    /* of --group */
    uint64_t fields, chars, width;
    bool width_given, chars_given, old_fields;
};

/* Numbers past the greatest are the greatest. */
static uint64_t number(struct wk_cmd *c, const char *arg, const char *what)
{
    uint64_t v;
    const char *p = arg + strspn(arg, " \t\n\v\f\r");
    int r = wk_parse_u64(wk_str_c(p), 10, &v);
    if (r == -WK_EINVAL)
        wk_fail(c, 1, "%s: %s", arg, what);
    return v;
}

static int set_number(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct uniq_opts *o = (struct uniq_opts *)c->opts;
    if (opt->value == 'f') {
        o->fields = number(c, arg, "invalid number of fields to skip");
        o->old_fields = false;
    } else if (opt->value == 's') {
        o->chars = number(c, arg, "invalid number of bytes to skip");
    } else {
        o->width = number(c, arg, "invalid number of bytes to compare");
        o->width_given = true;
    }
    return 0;
}

static int set_all_repeated(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice methods[] = {
        {"none", GROUP_NONE}, {"prepend", GROUP_PREPEND}, {"separate", GROUP_SEPARATE}, {NULL, 0}};
    (void)opt;
    struct uniq_opts *o = (struct uniq_opts *)c->opts;
    o->all_repeated = true;
    o->separate = arg ? wk_choice_read(c, "--all-repeated", arg, methods) : GROUP_NONE;
    return 0;
}

static int set_group(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice methods[] = {{"prepend", GROUP_PREPEND},
                                               {"append", GROUP_APPEND},
                                               {"separate", GROUP_SEPARATE},
                                               {"both", GROUP_BOTH},
                                               {NULL, 0}};
    (void)opt;
    struct uniq_opts *o = (struct uniq_opts *)c->opts;
    o->group = arg ? wk_choice_read(c, "--group", arg, methods) : GROUP_SEPARATE;
    return 0;
}

static int set_plain_all(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    (void)arg;
    struct uniq_opts *o = (struct uniq_opts *)c->opts;
    o->all_repeated = true;
    o->separate = GROUP_NONE;
    return 0;
}

static const struct wk_opt uniq_options[] = {
    WK_FLAG(struct uniq_opts, count, 'c', "count", "prefix lines by the number of occurrences"),
    WK_FLAG(struct uniq_opts, repeated, 'd', "repeated",
            "only print duplicate lines, one for each group"),
    WK_FUNC_OPT(set_plain_all, 0, 'D', NULL, NULL, "print all duplicate lines"),
    WK_FUNC_OPT(set_all_repeated, 0, 0, "all-repeated", "[METHOD",
                "like -D, but allow separating groups\nwith an empty line;\n"
                "METHOD={none(default),prepend,separate}"),
    WK_FUNC_OPT(set_number, 'f', 'f', "skip-fields", "N", "avoid comparing the first N fields"),
    WK_FUNC_OPT(set_group, 0, 0, "group", "[METHOD",
                "show all items, separating groups with an empty line;\n"
                "METHOD={separate(default),prepend,append,both}"),
    WK_FLAG(struct uniq_opts, ignore_case, 'i', "ignore-case",
            "ignore differences in case when comparing"),
    WK_FUNC_OPT(set_number, 's', 's', "skip-chars", "N", "avoid comparing the first N characters"),
    WK_FLAG(struct uniq_opts, unique, 'u', "unique", "only print unique lines"),
    WK_FLAG(struct uniq_opts, zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
    WK_FUNC_OPT(set_number, 'w', 'w', "check-chars", "N",
                "compare no more than N characters in lines"),
    WK_OPTS_END,
};

/* A digit is an option: those of all words make the number of -f, also between other letters. */
static bool take_digits(struct uniq_opts *o, const char *word)
{
    if (strspn(word, "0123456789Dcdiuz") != strlen(word) || !strpbrk(word, "0123456789"))
        return false;
    for (const char *p = word; *p; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (wk_is_digit(*p) && !o->old_fields)
            o->fields = 0;
        if (wk_is_digit(*p) && (o->fields > UINT64_MAX / 10 ||
                                __builtin_add_overflow(o->fields * 10, digit, &o->fields)))
            o->fields = UINT64_MAX;
        o->old_fields = o->old_fields || wk_is_digit(*p);
        o->all_repeated = o->all_repeated || *p == 'D';
        o->separate = *p == 'D' ? GROUP_NONE : o->separate;
        o->count = o->count || *p == 'c';
        o->repeated = o->repeated || *p == 'd';
        o->ignore_case = o->ignore_case || *p == 'i';
        o->unique = o->unique || *p == 'u';
        o->zero = o->zero || *p == 'z';
    }
    return true;
}

/* -N is -f N, +N is -s N. */
static int uniq_old_style(struct wk_cmd *c, int at)
{
    struct uniq_opts *o = (struct uniq_opts *)c->opts;
    const char *arg = c->argv[at];
    if (arg[0] == '-')
        return take_digits(o, arg + 1);
    if (!wk_is_digit(arg[1]) || arg[1 + strspn(arg + 1, "0123456789")])
        return 0;
    o->chars = number(c, arg + 1, "invalid number of bytes to skip");
    return 1;
}

struct uniq_state {
    struct wk_cmd *c;
    const struct uniq_opts *o;
    struct wk_out *out;
    char eol;
    char *line; /* the line before, a copy */
    size_t n, cap;
    struct wk_str key; /* part of it that is compared */
};

static struct wk_str key_of(const struct uniq_opts *o, struct wk_str s)
{
    size_t i = 0;
    for (uint64_t f = 0; f < o->fields && i < s.n; f++) {
        while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\t' || s.p[i] == '\n'))
            i++;
        while (i < s.n && s.p[i] != ' ' && s.p[i] != '\t' && s.p[i] != '\n')
            i++;
    }
    i += o->chars < s.n - i ? (size_t)o->chars : s.n - i;
    struct wk_str key = wk_str_from(s, i);
    return o->width_given && o->width < key.n ? wk_str_take(key, (size_t)o->width) : key;
}

static bool same(const struct uniq_opts *o, struct wk_str a, struct wk_str b)
{
    if (a.n != b.n)
        return false;
    if (!o->ignore_case)
        return a.n == 0 || memcmp(a.p, b.p, a.n) == 0;
    for (size_t i = 0; i < a.n; i++)
        if (wk_to_lower((unsigned char)a.p[i]) != wk_to_lower((unsigned char)b.p[i]))
            return false;
    return true;
}

static void keep(struct uniq_state *s, struct wk_str line, struct wk_str key)
{
    if (line.n > s->cap) {
        size_t cap = line.n + line.n / 2 + 64;
        s->line = (char *)wk_heap_realloc(s->c->heap, s->line, cap);
        s->cap = cap;
    }
    if (line.n)
        memcpy(s->line, line.p, line.n);
    s->n = line.n;
    s->key = key.n ? wk_str(s->line + (key.p - line.p), key.n) : wk_str("", 0);
}

static void put_kept(struct uniq_state *s)
{
    wk_out_put(s->out, s->line, s->n);
    wk_out_char(s->out, s->eol);
}

static void put_count(struct wk_out *out, uint64_t n)
{
    char text[WK_NUM_MAX];
    size_t len = wk_fmt_u64(text, n, 10);
    for (size_t i = len; i < 7; i++)
        wk_out_char(out, ' ');
    wk_out_put(out, text, len);
    wk_out_char(out, ' ');
}

/* --group: every line, with an empty one between, before or after the groups. */
static void show_groups(struct uniq_state *s, struct wk_in *in)
{
    int how = s->o->group;
    struct wk_str line;
    bool first = true;
    while (wk_line_next(in, s->eol, &line)) {
        struct wk_str key = key_of(s->o, line);
        bool fresh = first || !same(s->o, key, s->key);
        if (fresh && (how == GROUP_PREPEND || how == GROUP_BOTH || !first))
            wk_out_char(s->out, s->eol);
        if (fresh)
            keep(s, line, key);
        wk_out_str(s->out, line);
        wk_out_char(s->out, s->eol);
        first = false;
    }
    if ((how == GROUP_BOTH || how == GROUP_APPEND) && !first)
        wk_out_char(s->out, s->eol);
}

/* -D: the lines of groups of two and more. With -u the last of each group is left out. */
static void show_repeated(struct uniq_state *s, struct wk_in *in)
{
    struct wk_str line;
    bool any = false, have = false;
    uint64_t in_group = 0;
    while (wk_line_next(in, s->eol, &line)) {
        struct wk_str key = key_of(s->o, line);
        if (have && same(s->o, key, s->key)) {
            if (in_group == 0 &&
                (s->o->separate == GROUP_PREPEND || (s->o->separate == GROUP_SEPARATE && any)))
                wk_out_char(s->out, s->eol);
            in_group++;
            any = true;
            put_kept(s);
        } else {
            if (in_group && !s->o->unique)
                put_kept(s);
            in_group = 0;
        }
        keep(s, line, key);
        have = true;
    }
    if (in_group && !s->o->unique)
        put_kept(s);
}

static void end_group(struct uniq_state *s, uint64_t n)
{
    const struct uniq_opts *o = s->o;
    if (n == 1 ? o->repeated : o->unique)
        return;
    if (o->count)
        put_count(s->out, n);
    put_kept(s);
}

static void show_firsts(struct uniq_state *s, struct wk_in *in)
{
    struct wk_str line;
    uint64_t n = 0;
    bool stream = !s->o->count && !s->o->repeated && !s->o->unique;
    while (wk_line_next(in, s->eol, &line)) {
        struct wk_str key = key_of(s->o, line);
        if (n && same(s->o, key, s->key)) {
            n++;
            continue;
        }
        if (n && !stream)
            end_group(s, n);
        keep(s, line, key);
        n = 1;
        if (stream)
            put_kept(s);
    }
    if (n && !stream)
        end_group(s, n);
}

static void check_options(struct wk_cmd *c, const struct uniq_opts *o)
{
    if (c->nargs > 2)
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[2]));
    bool output = o->count || o->repeated || o->unique || o->all_repeated;
    if (o->group && output)
        wk_usage(c, "--group is mutually exclusive with -c/-d/-D/-u");
    if (o->all_repeated && o->count)
        wk_usage(c, "printing all duplicated lines and repeat counts is meaningless");
}

static int uniq_main(struct wk_cmd *c)
{
    const struct uniq_opts *o = (const struct uniq_opts *)c->opts;
    struct uniq_state s = {.c = c, .o = o, .out = c->out, .eol = o->zero ? '\0' : '\n'};
    check_options(c, o);
    struct wk_in *in = c->in;
    if (c->nargs > 0 && !(in = wk_in_open(c, c->args[0], true)))
        return 1;
    if (c->nargs > 1 && strcmp(c->args[1], "-") != 0) {
        struct wk_file *f;
        int err = wk_cmd_open(c, c->args[1], WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, 0666, &f);
        if (err) {
            wk_warn(c, c->args[1], err);
            return 1;
        }
        s.out = wk_out_of(c, f);
    }
    struct wk_stat st;
    if (in->file && wk_file_stat(in->file, &st) >= 0 && WK_S_ISDIR(st.mode))
        wk_fail(c, 1, "error reading %s", wk_quote(c, c->nargs ? c->args[0] : "-"));
    if (o->group)
        show_groups(&s, in);
    else if (o->all_repeated)
        show_repeated(&s, in);
    else
        show_firsts(&s, in);
    if (s.out != c->out) {
        int err = wk_out_close(s.out);
        if (err)
            wk_msg(c, "write error: %s", wk_err_text(err));
    }
    return c->status;
}

WK_COMMAND(uniq, .summary = "report or omit repeated lines",
           .usage = "uniq [OPTION]... [INPUT [OUTPUT]]", .std = "coreutils 9.1",
           .opts = uniq_options, .opts_size = sizeof(struct uniq_opts), .flags = WK_CMD_NEG_NUMBERS | WK_CMD_FILTER,
           .old_style = uniq_old_style,
           .help = "A field is a run of blanks (usually spaces and/or TABs), then non-blank\n"
                   "characters.  Fields are skipped before chars.\n");
