/* ps_parse.c - the command line of ps: options of three styles, selections
 *
 * A word with one dash has options of the first style, one with two a long option, one without
 * letters of the second style or a list of processes. When that cannot be, all is read once more as
 * the second style alone, dashes or not.
 */
#include "builtins/ps.h"

#include "base/num.h"
#include "builtins/fsops.h"

/* Where the reading is. */
struct at {
    struct ps *s;
    int i;
    const char *p; /* behind the letter */
    bool all_bsd;
};

typedef const char *reader(struct ps *s, const char *text, uint32_t *id);

/* ---- lists */

static bool whole_number(const char *text, uint64_t *v)
{
    struct wk_str t = wk_str_c(text);
    bool minus = t.n && t.p[0] == '-';
    int base = 10, err;
    if (t.n && (t.p[0] == '+' || minus))
        t = wk_str_from(t, 1);
    if (t.n > 2 && t.p[0] == '0' && (t.p[1] | 32) == 'x') {
        base = 16;
        t = wk_str_from(t, 2);
    } else if (t.n > 1 && t.p[0] == '0') {
        base = 8;
    }
    if (!t.n || wk_scan_u64(t, base, v, &err) != t.n)
        return false;
    if (err)
        *v = UINT64_MAX;
    else if (minus)
        *v = 0 - *v;
    return true;
}

static const char *read_pid(struct ps *s, const char *text, uint32_t *id)
{
    uint64_t v;
    (void)s;
    if (!whole_number(text, &v))
        return "process ID list syntax error";
    if (!v || v > INT32_MAX)
        return "process ID out of range";
    *id = (uint32_t)v;
    return NULL;
}

static const char *read_id(const char *text, uint32_t *id, const char *range)
{
    uint64_t v = 0;
    (void)whole_number(text, &v);
    if (v > UINT32_MAX && v < UINT64_MAX - INT32_MAX)
        return range;
    *id = (uint32_t)v;
    return NULL;
}

static const char *read_user(struct ps *s, const char *text, uint32_t *id)
{
    uint64_t v;
    if (whole_number(text, &v))
        return read_id(text, id, "user ID out of range");
    return wk_user_id(s->names, text, false, id) ? NULL : "user name does not exist";
}

static const char *read_group(struct ps *s, const char *text, uint32_t *id)
{
    uint64_t v;
    if (whole_number(text, &v))
        return read_id(text, id, "group ID out of range");
    return wk_group_id(s->names, text, false, id) ? NULL : "group name does not exist";
}

static const char *read_tty(struct ps *s, const char *text, uint32_t *id)
{
    static const char *const places[] = {"/dev/pts/", "/dev/tty", "/dev/"};
    struct wk_stat st;
    *id = 0;
    if (strcmp(text, "?") == 0 || strcmp(text, "-") == 0)
        return NULL;
    bool found = wk_cmd_stat(s->c, text, true, &st) == 0 && text[0] == '/';
    for (size_t i = 0; i < WK_COUNTOF(places) && !found; i++)
        found = text[0] != '/' &&
                wk_cmd_stat(s->c, wk_strf(s->c, "%s%s", places[i], text), true, &st) == 0;
    if (!found)
        return "TTY could not be found";
    if (!WK_S_ISCHR(st.mode))
        return "list member was not a TTY";
    uint32_t major = (uint32_t)(st.rdev >> 8 & 0xfff), minor = (uint32_t)(st.rdev & 0xff);
    *id = major << 8 | minor;
    return NULL;
}

/* Splits a list at commas and blanks: NULL when a part is empty. */
static const char **split(struct ps *s, const char *text, size_t *n)
{
    char *copy = wk_dup(s->c, text);
    const char **v = wk_new_n(s->c, const char *, strlen(text) + 2);
    *n = 0;
    for (char *p = copy;;) {
        size_t len = strcspn(p, ", \t");
        if (!len)
            return NULL;
        v[(*n)++] = p;
        if (!p[len])
            return v;
        p[len] = '\0';
        p += len + 1;
    }
}

static const char *add_list(struct ps *s, enum ps_select by, reader *read, const char *text)
{
    size_t n;
    const char **words = split(s, text, &n);
    if (!words)
        return "improper list";
    struct ps_list *l = wk_new(s->c, struct ps_list);
    *l = (struct ps_list){.by = by, .n = n, .names = words, .ids = wk_new_n(s->c, uint32_t, n)};
    for (size_t i = 0; i < n && read; i++) {
        const char *wrong = read(s, words[i], &l->ids[i]);
        if (wrong)
            return wrong;
        wk_tick(s->c, 1);
    }
    struct ps_list **end = &s->lists;
    while (*end)
        end = &(*end)->next;
    *end = l;
    return NULL;
}

/* -g: sessions, or else groups. */
static const char *add_leaders(struct ps *s, const char *text)
{
    const char *wrong = add_list(s, BY_SID, read_pid, text);
    if (wrong)
        wrong = add_list(s, BY_EGID, read_group, text);
    return wrong ? "list of session leaders OR effective group IDs was invalid" : NULL;
}

/* ---- arguments of options */

/* The rest of the word, or the next one; NULL: there is none, or it is empty. */
static const char *argument(struct at *a)
{
    const char *text = a->p;
    a->p = "";
    if (!*text) {
        if (a->i + 1 >= a->s->c->argc)
            return NULL;
        text = a->s->c->argv[++a->i];
    }
    return *text ? text : NULL;
}

static const char *take_list(struct at *a, enum ps_select by, reader *read, const char *missing)
{
    const char *text = argument(a);
    return text ? add_list(a->s, by, read, text) : missing;
}

static const char *take_quick(struct at *a, const char *missing)
{
    a->s->quick = true;
    return take_list(a, BY_PID, read_pid, missing);
}

static const char *add_own(struct ps *s, const char *text)
{
    s->own = true;
    return wk_ps_add_format(s, text);
}

/* -O: columns between ready-made ones. */
static const char *add_preset(struct ps *s, const char *text)
{
    if (s->own || s->preset)
        return "option -O can not follow other format options";
    s->preset = s->own = true;
    wk_ps_add_column(s, "pid", NULL, 0);
    const char *wrong = wk_ps_add_format(s, text);
    if (wrong)
        return wrong;
    wk_ps_add_column(s, "s", NULL, 0);
    wk_ps_add_column(s, "tname", NULL, 0);
    wk_ps_add_column(s, "time", NULL, 0);
    wk_ps_add_column(s, "command", NULL, 0);
    return NULL;
}

/* What is wrong with the keys is said when all is read. */
static const char *add_sort(struct ps *s, const char *text, bool codes)
{
    const char *wrong = codes ? wk_ps_add_codes(s, text) : wk_ps_add_sort(s, text);
    if (wrong && codes && s->own)
        return "option O is neither first format nor sort order";
    if (!wrong && s->sorted)
        wrong = "multiple sort options";
    s->sorted = true;
    if (!s->late)
        s->late = wrong;
    return NULL;
}

static const char *heading(struct ps *s, int value)
{
    if (s->headings)
        return "only one heading option may be specified";
    s->headings = value;
    return NULL;
}

static const char *alone(struct at *a, const char *word)
{
    return a->s->c->argc == 2 && strcmp(a->s->c->argv[1], word) == 0
               ? NULL
               : wk_strf(a->s->c, "the option is exclusive: %s", word);
}

static WK_NORETURN void list_specs(struct ps *s)
{
    size_t i = 0;
    for (const struct ps_spec *f; (f = wk_ps_spec_at(i)); i++)
        wk_out_fmt(s->c->out, "%-12s %-8.8s\n", f->name, f->header);
    wk_exit(s->c, 0);
}

/* ---- the first style */

static const char *sysv_selection(struct at *a, char letter)
{
    struct ps *s = a->s;
    const char *text;
    switch (letter) {
    case 'A':
    case 'e':
        s->every = true;
        return NULL;
    case 'a':
        s->with_tty = true;
        return NULL;
    case 'd':
        s->no_leaders = true;
        return NULL;
    case 'N':
        s->negate = true;
        return NULL;
    case 'C':
        return take_list(a, BY_COMM, NULL, "list of command names must follow -C");
    case 'G':
        return take_list(a, BY_RGID, read_group, "list of real groups must follow -G");
    case 'U':
        return take_list(a, BY_RUID, read_user, "list of real users must follow -U");
    case 'g':
        text = argument(a);
        return text ? add_leaders(s, text)
                    : "list of session leaders OR effective group names must follow -g";
    case 'p':
        return take_list(a, BY_PID, read_pid, "list of process IDs must follow -p");
    case 'q':
        return take_quick(a, "List of process IDs must follow -q.");
    case 's':
        return take_list(a, BY_SID, read_pid, "list of session IDs must follow -s");
    case 't':
        return take_list(a, BY_TTY, read_tty, "list of terminals (pty, tty...) must follow -t");
    case 'u':
        return take_list(a, BY_EUID, read_user, "list of users must follow -u");
    default:
        return "unsupported SysV option";
    }
}

static const char *sysv_letter(struct at *a, char letter)
{
    static const char letters[] = "fFljcyPMZLT";
    static const unsigned bits[] = {FULL, EXTRA,  LONG,   JOBS, CLASSES, NO_FLAGS,
                                    CPUS, LABELS, LABELS, LWPS, SPIDS};
    struct ps *s = a->s;
    const char *at = strchr(letters, letter), *text, *wrong;
    if (at) {
        s->format |= bits[at - letters];
        return NULL;
    }
    switch (letter) {
    case 'H':
        s->hierarchy = true;
        return NULL;
    case 'm':
        s->below = true;
        return NULL;
    case 'w':
        s->wide++;
        return NULL;
    case 'o':
        text = argument(a);
        return text ? add_own(s, text) : "format specification must follow -o";
    case 'O':
        text = argument(a);
        return text ? add_preset(s, text) : "format or sort specification must follow -O";
    case 'V':
        wrong = alone(a, "-V");
        if (!wrong)
            wk_cmd_about(s->c, true);
        return wrong;
    default:
        return sysv_selection(a, letter);
    }
}

/* ---- the second style */

static const char *bsd_argument(struct at *a, char letter)
{
    struct ps *s = a->s;
    const char *text;
    switch (letter) {
    case 'p':
        return take_list(a, BY_PID, read_pid, "list of process IDs must follow p");
    case 'q':
        return take_quick(a, "List of process IDs must follow q.");
    case 'U':
        return take_list(a, BY_EUID, read_user, "list of users must follow U");
    case 't':
        if (*a->p ||
            (a->i + 1 < s->c->argc && s->c->argv[a->i + 1][0] && s->c->argv[a->i + 1][0] != '-'))
            return take_list(a, BY_TTY, read_tty, NULL);
        __attribute__((fallthrough));
    case 'T':
        return add_list(s, BY_TTY, NULL, "?");
    case 'k':
        text = argument(a);
        return text ? add_sort(s, text, false) : "long sort specification must follow 'k'";
    case 'o':
        text = argument(a);
        return text ? add_own(s, text) : "format specification must follow o";
    case 'O': {
        text = argument(a);
        if (!text)
            return "format or sort specification must follow O";
        size_t columns = s->ncolumns;
        bool format = wk_ps_add_format(s, text) == NULL;
        s->ncolumns = columns;
        if (format && !s->own) {
            s->comm_only = true;
            return add_preset(s, text);
        }
        return add_sort(s, text, true);
    }
    default:
        return "unsupported option (BSD syntax)";
    }
}

static const char *bsd_letter(struct at *a, char letter)
{
    struct ps *s = a->s;
    const char *wrong;
    bool *flag = letter == 'a'                    ? &s->bsd_all
                 : letter == 'x'                  ? &s->bsd_no_tty
                 : letter == 'r'                  ? &s->running
                 : letter == 'c'                  ? &s->comm_only
                 : letter == 'e'                  ? &s->environment
                 : letter == 'f'                  ? &s->forest
                 : letter == 'H'                  ? &s->threads
                 : letter == 'm' || letter == 'M' ? &s->below_bsd
                 : letter == 'n'                  ? &s->numeric
                                                  : NULL;
    s->bsd = true;
    if (flag) {
        *flag = true;
        return NULL;
    }
    switch (letter) {
    case 'g':
        s->bsd_g = true;
        return NULL;
    case 'S': /* nothing of dead children is counted */
        return NULL;
    case 'h':
        return heading(s, -1);
    case 'w':
        s->wide++;
        return NULL;
    case 'Z':
        s->format |= LABELS;
        return NULL;
    case 'j':
    case 'l':
    case 's':
    case 'u':
    case 'v':
    case 'X':
        s->conflict = s->conflict || (s->bsd_format && s->bsd_format != letter);
        s->bsd_format = letter;
        return NULL;
    case 'L':
        wrong = alone(a, "L");
        if (!wrong)
            list_specs(s);
        return wrong;
    case 'V':
        wrong = alone(a, "V");
        if (!wrong)
            wk_cmd_about(s->c, true);
        return wrong;
    default:
        return bsd_argument(a, letter);
    }
}

/* ---- long options */

static const char *take_size(struct at *a, size_t *out, const char *missing)
{
    const char *text = argument(a);
    uint64_t v;
    if (!text || !whole_number(text, &v) || !v || v > INT32_MAX)
        return missing;
    *out = (size_t)v;
    return NULL;
}

enum {
    L_COLS,
    L_ROWS,
    L_SORT,
    L_FORMAT,
    L_PID,
    L_PPID,
    L_QUICK,
    L_SID,
    L_TTY,
    L_EUSER,
    L_RUSER,
    L_EGROUP,
    L_RGROUP,
    L_HELP,
    L_CONTEXT,
    L_FLAGS,
    L_DESELECT = L_FLAGS,
    L_FOREST,
    L_CUMULATIVE,
    L_VERSION,
    L_INFO,
    L_HEADING,
    L_NO_HEADING
};

static const struct {
    const char *name;
    int what;
} long_names[] = {
    {"cols", L_COLS},
    {"columns", L_COLS},
    {"width", L_COLS},
    {"rows", L_ROWS},
    {"lines", L_ROWS},
    {"sort", L_SORT},
    {"format", L_FORMAT},
    {"pid", L_PID},
    {"ppid", L_PPID},
    {"quick-pid", L_QUICK},
    {"sid", L_SID},
    {"tty", L_TTY},
    {"user", L_EUSER},
    {"User", L_RUSER},
    {"group", L_EGROUP},
    {"Group", L_RGROUP},
    {"help", L_HELP},
    {"context", L_CONTEXT},
    {"deselect", L_DESELECT},
    {"forest", L_FOREST},
    {"cumulative", L_CUMULATIVE},
    {"version", L_VERSION},
    {"info", L_INFO},
    {"heading", L_HEADING},
    {"headings", L_HEADING},
    {"header", L_HEADING},
    {"headers", L_HEADING},
    {"no-heading", L_NO_HEADING},
    {"no-headings", L_NO_HEADING},
    {"no-header", L_NO_HEADING},
    {"no-headers", L_NO_HEADING},
    {"noheading", L_NO_HEADING},
    {"noheadings", L_NO_HEADING},
    {"noheader", L_NO_HEADING},
    {"noheaders", L_NO_HEADING},
};

static const char *long_flag(struct at *a, int what)
{
    struct ps *s = a->s;
    const char *wrong;
    switch (what) {
    case L_DESELECT:
        s->negate = true;
        return NULL;
    case L_FOREST:
        s->forest = true;
        return NULL;
    case L_CONTEXT:
        s->context = true;
        return NULL;
    case L_HEADING:
        return heading(s, 1);
    case L_NO_HEADING:
        return heading(s, -1);
    case L_VERSION:
    case L_INFO:
        wrong = alone(a, what == L_INFO ? "--info" : "--version");
        if (!wrong)
            wk_cmd_about(s->c, true);
        return wrong;
    case L_HELP:
        wk_cmd_about(s->c, false);
    default: /* --cumulative */
        return NULL;
    }
}

static const char *long_option(struct at *a)
{
    struct ps *s = a->s;
    const char *word = s->c->argv[a->i], *text;
    size_t n = strcspn(word + 2, "=");
    int what = -1;
    for (size_t i = 0; i < WK_COUNTOF(long_names) && what < 0; i++)
        if (wk_str_is(wk_str(word + 2, n), long_names[i].name))
            what = long_names[i].what;
    if (what < 0)
        return "unknown gnu long option";
    a->p = word[n + 2] ? word + n + 3 : "";
    if (word[n + 2] && !*a->p && what < L_HELP) /* --pid= */
        a->i = s->c->argc;
    if (what >= L_FLAGS && word[n + 2])
        return wk_strf(s->c, "option %.*s does not take an argument",
                       what == L_NO_HEADING ? 12
                       : what == L_HEADING  ? 9
                                            : (int)n + 2,
                       what == L_NO_HEADING ? "--no-heading"
                       : what == L_HEADING  ? "--heading"
                                            : word);
    switch (what) {
    case L_COLS:
        return take_size(a, &s->cols,
                         "number of columns must follow --cols, --width, or --columns");
    case L_ROWS:
        return take_size(a, &s->rows, "number of rows must follow --rows or --lines");
    case L_SORT:
        text = argument(a);
        return text ? add_sort(s, text, false) : "long sort specification must follow --sort";
    case L_FORMAT:
        text = argument(a);
        return text ? add_own(s, text) : "format specification must follow --format";
    case L_PID:
        return take_list(a, BY_PID, read_pid, "list of process IDs must follow --pid");
    case L_PPID:
        return take_list(a, BY_PPID, read_pid, "list of process IDs must follow --ppid");
    case L_QUICK:
        return take_quick(a, "List of process IDs must follow --quick-pid.");
    case L_SID:
        return take_list(a, BY_SID, read_pid, "some sid thing(s) must follow --sid");
    case L_TTY:
        return take_list(a, BY_TTY, read_tty, "list of ttys must follow --tty");
    case L_EUSER:
        return take_list(a, BY_EUID, read_user, "list of effective users must follow --user");
    case L_RUSER:
        return take_list(a, BY_RUID, read_user, "list of real users must follow --User");
    case L_EGROUP:
        return take_list(a, BY_EGID, read_group, "list of effective groups must follow --group");
    case L_RGROUP:
        return take_list(a, BY_RGID, read_group, "list of real groups must follow --Group");
    default:
        return long_flag(a, what);
    }
}

/* ---- all of it */

/* What does not go together. */
static const char *check_threads(struct ps *s)
{
    bool threads = s->format & (LWPS | SPIDS), below = s->below || s->below_bsd;
    if (s->format & LWPS && s->format & SPIDS)
        return "thread flags conflict; can't use both -L and -T";
    if (s->below && s->below_bsd)
        return "thread flags conflict; can't use both m and -m";
    if (below && s->threads)
        return "thread flags conflict; can't use H with m or -m";
    if ((s->forest || s->hierarchy) && (threads || s->threads || below))
        return "thread display conflicts with forest display";
    s->below = below;
    return NULL;
}

static const char *check(struct ps *s)
{
    const char *wrong = check_threads(s);
    if (wrong || s->late)
        return wrong ? wrong : s->late;
    if (s->conflict || (s->context && (s->bsd_format || s->own || s->format & (LONG | EXTRA))))
        return "conflicting format options";
    bool sysv = s->format & (FULL | EXTRA | LONG);
    unsigned modifiers = JOBS | CPUS | NO_FLAGS | CLASSES | LABELS;
    if (sysv + (s->bsd_format != 0) + s->own > 1)
        return "conflicting format options";
    if (s->own && s->format & modifiers)
        return "can not use output modifiers with user-defined output";
    if (s->format & NO_FLAGS && !(s->format & LONG) && !s->bsd_format)
        return "modifier -y without format -l makes no sense";
    if (s->with_tty != s->no_leaders && !s->every && (s->bsd_all || s->bsd_no_tty || s->bsd_g))
        return "process selection options conflict";
    return NULL;
}

static const char *word_style(struct at *a, bool *pids)
{
    const char *word = a->s->c->argv[a->i];
    if (*pids || wk_is_digit((unsigned char)word[0]) ||
        (word[0] == '+' && wk_is_digit((unsigned char)word[1]))) {
        a->s->bsd = *pids = true;
        if (add_list(a->s, BY_PID, read_pid, word))
            return "process ID list syntax error";
        return NULL;
    }
    bool dash = word[0] == '-';
    if (dash && word[1] == '-' && word[2])
        return long_option(a);
    a->p = word + dash;
    if (!wk_is_alpha((unsigned char)*a->p) || (a->all_bsd && !dash))
        return dash && *a->p && *a->p != '-' ? "unsupported SysV option" : "garbage option";
    while (*a->p) {
        char letter = *a->p++;
        const char *wrong = dash && !a->all_bsd ? sysv_letter(a, letter) : bsd_letter(a, letter);
        if (wrong)
            return wrong;
    }
    return NULL;
}

static const char *parse_as(struct ps *s, bool all_bsd)
{
    struct at a = {.s = s, .i = 1, .all_bsd = all_bsd};
    bool pids = false;
    for (; a.i < s->c->argc; a.i++) {
        const char *wrong = word_style(&a, &pids);
        if (wrong)
            return wrong;
    }
    return NULL;
}

static const char *check_quick(const struct ps *s)
{
    if (!s->quick)
        return NULL;
    return s->lists->next ? "q/-q/--quick-pid cannot be combined with other selection options."
           : s->forest || s->hierarchy
               ? "q/-q/--quick-pid cannot be used together with forest type listings."
           : s->negate ? "q/-q/--quick-pid cannot be used together with negation switches."
           : s->sorted ? "q/-q,--quick-pid cannot be used together with sort options."
                       : NULL;
}

void wk_ps_parse(struct ps *s)
{
    struct ps clean = *s;
    const char *wrong = parse_as(s, false);
    if (!wrong)
        wrong = check(s);
    if (wrong) {
        *s = clean;
        if (s->c->argv[1][0] != '-' || parse_as(s, true) || check(s))
            wk_ps_complain(s, wrong);
    }
    if (s->own && s->format & (LWPS | SPIDS) && (s->threads || s->below))
        wk_ps_complain(s, "-L/-T with H/m/-m and -o/-O/o/O is nonsense");
    const char *quick = check_quick(s);
    if (quick) {
        wk_out_fmt(s->c->err, "%s\n", quick);
        wk_exit(s->c, 1);
    }
}
