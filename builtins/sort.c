/* sort.c - sort lines of text files
 *
 * Standard: GNU coreutils 9.1, in C.UTF-8. Oracle: sort.
 * Differs:  docs/divergences/sort.md
 */
#include "builtins/sort.h"

#include "base/num.h"
#include "builtins/choice.h"
#include "kern/rlimit.h"

struct sort_opts {
    struct wk_sorter s; /* as far as options set it */
    bool merge, check, zero;
    int check_letter; /* 'c' or 'C' */
    const char *output, *files_from, *random_source;
    int tab_given;
};

static int set_letter(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)arg;
    const char letter[2] = {(char)opt->value, '\0'};
    (void)wk_sort_letters(&((struct sort_opts *)c->opts)->s.global, letter, 3);
    return 0;
}

static int set_word(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice words[] = {
        {"general-numeric", 'g'}, {"human-numeric", 'h'}, {"month", 'M'}, {"numeric", 'n'},
        {"random", 'R'},          {"version", 'V'},       {NULL, 0}};
    struct wk_opt as = *opt;
    as.value = wk_choice_read(c, "--sort", arg, words);
    return set_letter(c, &as, NULL);
}

static int set_check(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice words[] = {
        {"quiet", 'C'}, {"silent", 'C'}, {"diagnose-first", 'c'}, {NULL, 0}};
    struct sort_opts *o = (struct sort_opts *)c->opts;
    int letter = arg ? wk_choice_read(c, "--check", arg, words) : opt->value;
    if (o->check && o->check_letter != letter)
        wk_fail(c, 2, "options '-cC' are incompatible");
    o->check = true;
    o->check_letter = letter;
    return 0;
}

static int set_key(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    struct sort_opts *o = (struct sort_opts *)c->opts;
    o->s.c = c;
    wk_sort_add_key(&o->s, arg);
    return 0;
}

static int set_tab(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    struct sort_opts *o = (struct sort_opts *)c->opts;
    if (!*arg)
        wk_fail(c, 2, "empty tab");
    int tab = (unsigned char)arg[0];
    if (arg[1] && strcmp(arg, "\\0") == 0)
        tab = '\0';
    else if (arg[1])
        wk_fail(c, 2, "multi-character tab %s", wk_quote_arg(c, arg));
    if (o->tab_given && o->s.tab != tab)
        wk_fail(c, 2, "incompatible tabs");
    o->tab_given = 1;
    o->s.tab = tab;
    return 0;
}

static int set_once(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct sort_opts *o = (struct sort_opts *)c->opts;
    const char **at = opt->value == 'o'   ? &o->output
                      : opt->value == 'R' ? &o->random_source
                                          : &o->s.compress;
    if (*at && strcmp(*at, arg) != 0)
        wk_fail(c, 2, "multiple %s specified",
                opt->value == 'o'   ? "output files"
                : opt->value == 'R' ? "random sources"
                                    : "compress programs");
    *at = arg;
    return 0;
}

/* -S: kilobytes unless a letter says otherwise; % is of what the session's limit leaves. */
static int set_buffer(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const char units[] = "bkmgtpezy"; /* 1024 to the power of the place */
    struct sort_opts *o = (struct sort_opts *)c->opts;
    uint64_t v;
    size_t n = strspn(arg, "0123456789");
    int r = wk_parse_u64(wk_str(arg, n), 10, &v);
    const char *name = opt->long_name ? "--buffer-size" : "-S";
    if (n == 0 || r == -WK_EINVAL)
        wk_fail(c, 2, "invalid %s argument '%s'", name, arg);
    if (arg[n] && (arg[n + 1] || !strchr("%bkKmMgGtTPEZY", arg[n])))
        wk_fail(c, 2, "invalid suffix in %s argument '%s'", name, arg);
    bool large = r == -WK_ERANGE;
    if (arg[n] == '%') {
        struct wk_mem *m = wk_heap_mem(c->heap);
        size_t used = wk_mem_used(m), left = m->limit > used ? m->limit - used : 0;
        v = v < 1000000 ? left / 100 * v : left;
    } else {
        const char *unit = strchr(units, arg[n] ? arg[n] | 0x20 : 'k');
        for (; unit > units; unit--)
            large = large || __builtin_mul_overflow(v, (uint64_t)1024, &v);
    }
    if (large)
        wk_fail(c, 2, "%s argument '%s' too large", name, arg);
    if (v > o->s.buffer)
        o->s.buffer = v;
    return 0;
}

static uint64_t read_number(struct wk_cmd *c, const char *what, const char *arg)
{
    uint64_t v;
    size_t n = strspn(arg, "0123456789");
    int r = wk_parse_u64(wk_str(arg, n), 10, &v);
    if (arg[n] || r == -WK_EINVAL)
        wk_fail(c, 2, "invalid %s%s argument '%s'", n ? "suffix in " : "", what, arg);
    return r ? UINT64_MAX : v;
}

static int set_batch(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct sort_opts *o = (struct sort_opts *)c->opts;
    uint64_t v = read_number(c, "--batch-size", arg);
    uint64_t most = wk_rlimit_get(c->proc, WK_RLIMIT_NOFILE).soft;
    (void)opt;
    most = most > 5 ? most - 3 : 2;
    if (v < 2)
        wk_fail(c, 2, "invalid --batch-size argument %s\n%s: minimum --batch-size argument is '2'",
                wk_quote_arg(c, arg), c->name);
    if (v > most) {
        wk_msg(c, "--batch-size argument %s too large", wk_quote_arg(c, arg));
        wk_fail(c, 2, "maximum --batch-size argument with current rlimit is %llu",
                (unsigned long long)most);
    }
    o->s.batch = v;
    return 0;
}

/* The number of threads changes nothing about the result: one is always used. */
static int check_parallel(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    if (read_number(c, "--parallel", arg) == 0)
        wk_fail(c, 2, "number in parallel must be nonzero");
    return 0;
}

static int ignore(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)c;
    (void)opt;
    (void)arg;
    return 0;
}

#define LETTER(ch, name, help) WK_FUNC_OPT(set_letter, ch, ch, name, NULL, help)

static const struct wk_opt sort_options[] = {
    LETTER('b', "ignore-leading-blanks", "ignore leading blanks"),
    LETTER('d', "dictionary-order", "consider only blanks and alphanumeric characters"),
    LETTER('f', "ignore-case", "fold lower case to upper case characters"),
    LETTER('g', "general-numeric-sort", "compare according to general numerical value"),
    LETTER('i', "ignore-nonprinting", "consider only printable characters"),
    LETTER('M', "month-sort", "compare (unknown) < 'JAN' < ... < 'DEC'"),
    LETTER('h', "human-numeric-sort", "compare human readable numbers (e.g., 2K 1G)"),
    LETTER('n', "numeric-sort", "compare according to string numerical value"),
    LETTER('R', "random-sort", "shuffle, but group identical keys.  See shuf(1)"),
    WK_FUNC_OPT(set_once, 'R', 0, "random-source", "FILE", "get random bytes from FILE"),
    LETTER('r', "reverse", "reverse the result of comparisons"),
    WK_FUNC_OPT(set_word, 0, 0, "sort", "WORD",
                "sort according to WORD:\ngeneral-numeric -g, human-numeric -h, month -M,\n"
                "numeric -n, random -R, version -V"),
    LETTER('V', "version-sort", "natural sort of (version) numbers within text"),
    WK_FUNC_OPT(set_batch, 0, 0, "batch-size", "NMERGE", "merge at most NMERGE inputs at once"),
    WK_FUNC_OPT(set_check, 'c', 'c', NULL, NULL, "check for sorted input; do not sort"),
    WK_FUNC_OPT(set_check, 'C', 'C', NULL, NULL, "like -c, but do not report first bad line"),
    WK_FUNC_OPT(set_check, 'c', 0, "check", "[WHEN",
                "like -c (diagnose-first), or -C (quiet, silent)"),
    WK_FUNC_OPT(set_once, 'P', 0, "compress-program", "PROG",
                "compress temporaries with PROG;\ndecompress them with PROG -d"),
    WK_FLAG(
        struct sort_opts, s.debug, 0, "debug",
        "annotate the part of the line used to sort,\nand warn about questionable usage to stderr"),
    WK_STR_OPT(struct sort_opts, files_from, 0, "files0-from", "F",
               "read input from the files specified by\nNUL-terminated names in file F;\n"
               "If F is - then read names from standard input"),
    WK_FUNC_OPT(set_key, 'k', 'k', "key", "KEYDEF",
                "sort via a key; KEYDEF gives location and type"),
    WK_FLAG(struct sort_opts, merge, 'm', "merge", "merge already sorted files; do not sort"),
    WK_FUNC_OPT(set_once, 'o', 'o', "output", "FILE",
                "write result to FILE instead of standard output"),
    WK_FLAG(struct sort_opts, s.stable, 's', "stable",
            "stabilize sort by disabling last-resort comparison"),
    WK_FUNC_OPT(set_buffer, 0, 'S', NULL, "SIZE", "use SIZE for main memory buffer"),
    WK_FUNC_OPT(set_buffer, 0, 0, "buffer-size", "SIZE", "the same"),
    WK_FUNC_OPT(set_tab, 't', 't', "field-separator", "SEP",
                "use SEP instead of non-blank to blank transition"),
    WK_LIST_OPT(struct sort_opts, s.temp, 'T', "temporary-directory", "DIR",
                "use DIR for temporaries, not $TMPDIR or /tmp;\nmultiple options specify multiple "
                "directories"),
    WK_FUNC_OPT(check_parallel, 0, 0, "parallel", "N", "checked; one thread is used"),
    WK_FLAG(
        struct sort_opts, s.unique, 'u', "unique",
        "with -c, check for strict ordering;\nwithout -c, output only the first of an equal run"),
    WK_FUNC_OPT(ignore, 0, 'y', NULL, "[SIZE", "accepted"),
    WK_FLAG(struct sort_opts, zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
    WK_OPTS_END,
};

/* FILE operands from a list of names that end in NUL. */
static char **names_from(struct wk_cmd *c, const char *list, size_t *count)
{
    size_t cap = 0, n = 0;
    char **v = NULL;
    struct wk_in *in;
    struct wk_str line;
    if (c->nargs)
        wk_usage(c, "extra operand %s\nfile operands cannot be combined with --files0-from",
                 wk_quote(c, c->args[0]));
    int err = wk_raw_open(c, list, true, &in);
    if (err)
        wk_fail(c, 2, "open failed: %s: %s", wk_quote_maybe(c, list), wk_err_text(err));
    while (wk_line_next(in, '\0', &line)) {
        if (n == cap) {
            cap = cap ? cap * 2 : 16;
            v = (char **)wk_heap_realloc(c->heap, v, cap * sizeof *v);
        }
        if (!line.n)
            wk_fail(c, 2, "%s:%zu: invalid zero-length file name", list, n + 1);
        v[n] = wk_dupn(c, line.p, line.n);
        if (strcmp(list, "-") == 0 && strcmp(v[n], "-") == 0)
            wk_fail(c, 2, "when reading file names from stdin, no file name of '-' allowed");
        n++;
    }
    if (!n)
        wk_fail(c, 2, "no input from %s", wk_quote(c, list));
    *count = n;
    return v;
}

/* Problems with files are found before anything is sorted. */
static void check_files(struct wk_cmd *c, char **names, size_t n, const char *output)
{
    for (size_t i = 0; i < n; i++) {
        int err = strcmp(names[i], "-") == 0 ? 0 : wk_at_access(c, NULL, names[i], WK_R_OK);
        if (err)
            wk_fail(c, 2, "cannot read: %s: %s", wk_quote_maybe(c, names[i]), wk_err_text(err));
    }
    struct wk_file *f;
    if (!output)
        return;
    int err = wk_cmd_open(c, output, WK_O_WRONLY | WK_O_CREAT, 0666, &f);
    if (err)
        wk_fail(c, 2, "open failed: %s: %s", wk_quote_maybe(c, output), wk_err_text(err));
    wk_cmd_close(c, f);
}

/* Outside of the C locale a key is hashed as its collation string, with the NUL behind it. */
static bool has_collation(struct wk_cmd *c)
{
    const char *names[] = {"LC_ALL", "LC_COLLATE", "LANG"};
    for (size_t i = 0; i < WK_COUNTOF(names); i++) {
        const char *v = wk_cmd_env(c, names[i]);
        if (v && *v)
            return strstr(v, "UTF-8") || strstr(v, "utf8");
    }
    return false;
}

static void take_seed(struct wk_sorter *s, const char *source)
{
    s->hashes_nul = has_collation(s->c);
    struct wk_in *in;
    if (!source) {
        for (size_t i = 0; i < sizeof s->seed; i++)
            s->seed[i] = (unsigned char)wk_kern_random(s->c->k);
        return;
    }
    int err = wk_raw_open(s->c, source, false, &in);
    if (err)
        wk_fail(s->c, 2, "open failed: %s: %s", wk_quote_maybe(s->c, source), wk_err_text(err));
    if (wk_in_read(in, s->seed, sizeof s->seed) < sizeof s->seed)
        wk_fail(s->c, 2, "%s: end of file", wk_quote(s->c, source));
    wk_in_close(in);
}

static int sort_main(struct wk_cmd *c)
{
    struct sort_opts *o = (struct sort_opts *)c->opts;
    struct wk_sorter *s = &o->s;
    s->c = c;
    s->eol = o->zero ? '\0' : '\n';
    if (!o->tab_given)
        s->tab = -1;
    char dash[] = "-", *none[] = {dash};
    char **names = c->nargs ? c->args : none;
    size_t n = c->nargs ? (size_t)c->nargs : 1;
    if (o->files_from)
        names = names_from(c, o->files_from, &n);
    wk_sort_keys_done(s);
    if (s->debug && (o->check || o->output))
        wk_fail(c, 2, "options '-%c --debug' are incompatible", o->check ? o->check_letter : 'o');
    if (s->debug)
        wk_sort_debug_notes(s);
    if (s->random)
        take_seed(s, o->random_source);
    if (o->check) {
        if (n > 1)
            wk_fail(c, 2, "extra operand %s not allowed with -%c", wk_quote(c, names[1]),
                    o->check_letter);
        if (o->output)
            wk_fail(c, 2, "options '-%co' are incompatible", o->check_letter);
        return wk_sort_check(s, names[0], o->check_letter == 'C');
    }
    check_files(c, names, n, o->output);
    if (o->merge)
        wk_sort_merge(s, names, n, o->output);
    else
        wk_sort_all(s, names, n, o->output);
    return c->status;
}

WK_COMMAND(
    sort, .summary = "write sorted concatenation of all FILE(s) to standard output",
    .usage = "sort [OPTION]... [FILE]...\nsort [OPTION]... --files0-from=F", .std = "coreutils 9.1",
    .opts = sort_options, .opts_size = sizeof(struct sort_opts), .usage_status = 2,
    .flags = WK_CMD_FILTER,
    .help = "KEYDEF is F[.C][OPTS][,F[.C][OPTS]] for start and stop position, where F is a\n"
            "field number and C a character position in the field; both are origin 1, and\n"
            "the stop position defaults to the line's end.  If neither -t nor -b is in\n"
            "effect, characters in a field are counted from the beginning of the preceding\n"
            "whitespace.  OPTS is one or more single-letter ordering options [bdfgiMhnRrV],\n"
            "which override global ordering options for that key.  If no key is given, use\n"
            "the entire line as the key.\n");
