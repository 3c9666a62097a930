/* find_parse.c - the expression of find, compiled to steps with jumps */
#include "base/fnum.h"
#include "base/num.h"
#include "builtins/find.h"

/* Operators that wait for their right side, by rising precedence. */
enum pending { P_OPEN, P_COMMA, P_OR, P_AND, P_NOT };

struct wait {
    enum pending op;
    size_t jump; /* step to be given its target */
};

struct parser {
    struct wk_find *f;
    struct wk_cmd *c;
    char **argv;
    int at, argc;
    struct wait *stack;
    size_t n, cap;
    bool operand;      /* an operand has just ended */
    const char *last;  /* last operator */
    const char *first_test; /* or action */
    int64_t base;      /* what ages count from: now, or with -daystart the coming midnight */
};

static size_t emit(struct wk_find *f, enum wk_find_op op, struct wk_find_pred *pred)
{
    if (f->n == f->cap) {
        f->cap = f->cap ? f->cap * 2 : 32;
        f->steps = (struct wk_find_step *)wk_heap_realloc(f->c->heap, f->steps,
                                                          f->cap * sizeof *f->steps);
    }
    f->steps[f->n] = (struct wk_find_step){.op = op, .pred = pred};
    return f->n++;
}

static void push(struct parser *p, enum pending op, size_t jump)
{
    if (p->n == p->cap) {
        p->cap = p->cap ? p->cap * 2 : 32;
        p->stack = (struct wait *)wk_heap_realloc(p->c->heap, p->stack, p->cap * sizeof *p->stack);
    }
    p->stack[p->n++] = (struct wait){op, jump};
}

/* Ends what binds at least as tightly. */
static void reduce(struct parser *p, enum pending least)
{
    while (p->n && p->stack[p->n - 1].op >= least && p->stack[p->n - 1].op != P_OPEN) {
        struct wait w = p->stack[--p->n];
        if (w.op == P_NOT)
            emit(p->f, WK_FIND_NOT, NULL);
        else if (w.op != P_COMMA)
            p->f->steps[w.jump].to = p->f->n;
    }
}

static void binary(struct parser *p, enum pending op)
{
    reduce(p, op);
    size_t jump = 0;
    if (op == P_AND || op == P_OR)
        jump = emit(p->f, op == P_AND ? WK_FIND_JUMP_FALSE : WK_FIND_JUMP_TRUE, NULL);
    push(p, op, jump);
    p->operand = false;
}

static struct wk_find_pred *new_pred(struct parser *p, bool (*fn)(struct wk_find *,
                                                                  struct wk_find_pred *))
{
    struct wk_find *f = p->f;
    struct wk_find_pred *pred = wk_new(p->c, struct wk_find_pred);
    pred->fn = fn;
    if (f->preds_n == f->preds_cap) {
        f->preds_cap = f->preds_cap ? f->preds_cap * 2 : 32;
        f->preds = (struct wk_find_pred **)wk_heap_realloc(p->c->heap, f->preds,
                                                           f->preds_cap * sizeof(void *));
    }
    f->preds[f->preds_n++] = pred;
    return pred;
}

static const char *argument(struct parser *p, const char *name)
{
    if (p->at >= p->argc)
        wk_find_fail(p->f, "missing argument to `%s'", name);
    return p->argv[p->at++];
}

/* [+-]N */
static enum wk_find_cmp sign_of(const char **text)
{
    char ch = **text;
    *text += ch == '+' || ch == '-';
    return ch == '+' ? WK_FIND_GT : ch == '-' ? WK_FIND_LT : WK_FIND_EQ;
}

static void read_number(struct parser *p, struct wk_find_pred *pred, const char *text)
{
    const char *t = text;
    uint64_t v;
    pred->cmp = sign_of(&t);
    bool bad = !wk_is_digit(*t) || wk_parse_u64(wk_str_c(t), 10, &v) || v > INT64_MAX;
    if (bad && strcmp(pred->name, "-used") == 0)
        wk_find_fail(p->f, "Invalid argument %s to -used", text);
    if (bad)
        wk_find_fail(p->f, "invalid argument `%s' to `%s'", text, pred->name);
    pred->num = (int64_t)v;
}

/* -mmin, -mtime and their kin: see find_test.c. Days are counted whole, minutes are not. */
static void read_age(struct parser *p, struct wk_find_pred *pred, const char *text, bool days)
{
    const char *t = text;
    long double v;
    int err;
    pred->cmp = sign_of(&t);
    size_t used = wk_scan_ldouble(wk_str_c(t), &v, &err);
    if (used == 0 || t[used] || !(v >= 0))
        wk_find_fail(p->f, "invalid argument `%s' to `%s'", text, pred->name);
    pred->unit = days ? INT64_C(86400000000000) : INT64_C(60000000000);
    if (days && pred->cmp != WK_FIND_LT)
        v += 1;
    v *= (long double)pred->unit;
    pred->num = v > (long double)(INT64_MAX / 2) ? INT64_MAX / 2 : (int64_t)v;
    pred->when = p->base;
    if (days && pred->cmp == WK_FIND_GT && pred->num < INT64_MAX / 2)
        pred->num--; /* "more than" takes in the border */
}

static void read_size(struct parser *p, struct wk_find_pred *pred, const char *text)
{
    static const char units[] = "bckwMG";
    static const int64_t sizes[] = {512, 1, 1024, 2, 1048576, 1073741824};
    const char *t = text;
    size_t n = strlen(text);
    uint64_t v;
    const char *unit = n ? strchr(units, text[n - 1]) : NULL;
    if (!n || (!unit && !wk_is_digit(text[n - 1])))
        wk_find_fail(p->f, n ? "invalid -size type `%s'" : "invalid null argument to -size", n ? text + n - 1 : "");
    pred->unit = unit ? sizes[unit - units] : 512;
    pred->cmp = sign_of(&t);
    size_t digits = strlen(t) - (unit != NULL);
    if (wk_parse_u64(wk_str(t, digits), 10, &v) || v > INT64_MAX)
        wk_find_fail(p->f, "Invalid argument `%s' to -size", text);
    pred->num = (int64_t)v;
}

static void read_types(struct parser *p, struct wk_find_pred *pred, const char *text)
{
    static const char letters[] = "bcdpfls";
    static const uint32_t bits[] = {WK_S_IFBLK, WK_S_IFCHR, WK_S_IFDIR, WK_S_IFIFO,
                                    WK_S_IFREG, WK_S_IFLNK, WK_S_IFSOCK};
    if (!*text)
        wk_find_fail(p->f, "Arguments to %s should contain at least one letter", pred->name);
    for (const char *t = text; *t; t += 2) {
        const char *at = strchr(letters, *t);
        if (*t == 'D')
            wk_find_fail(p->f, "%s D is not supported because Solaris doors are not supported on the "
                               "platform find was compiled on.", pred->name);
        if (!at)
            wk_find_fail(p->f, "Unknown argument to %s: %c", pred->name, *t);
        uint32_t bit = 1u << (bits[at - letters] >> 12);
        if (pred->mode & bit)
            wk_find_fail(p->f, "Duplicate file type '%c' in the argument list to %s.", *t, pred->name);
        pred->mode |= bit;
        if (!t[1])
            break;
        if (t[1] != ',')
            wk_find_fail(p->f, "Must separate multiple arguments to %s using: ','", pred->name);
        if (!t[2])
            wk_find_fail(p->f, "Last file type in list argument to %s is missing, i.e., list is "
                               "ending on: ','", pred->name);
    }
}

static void read_perm(struct parser *p, struct wk_find_pred *pred, const char *text)
{
    const char *t = text;
    pred->perm = *t == '-' ? WK_FIND_PERM_ALL : *t == '/' ? WK_FIND_PERM_ANY : WK_FIND_PERM_EXACT;
    t += pred->perm != WK_FIND_PERM_EXACT;
    /* +MODE in octal was once what /MODE is now. */
    struct wk_mode_change *m = *t == '+' && wk_is_digit(t[1]) ? NULL : wk_mode_parse(p->c, t);
    if (!m)
        wk_find_fail(p->f, "invalid mode %s", wk_quote_arg(p->c, text));
    pred->mode = wk_mode_apply(m, 0, false, 0, NULL);
    if (pred->perm == WK_FIND_PERM_ANY && pred->mode == 0)
        wk_out_fmt(p->c->err,
                   "%s: warning: you have specified a mode pattern %s (which is equivalent to /000). The meaning of "
                   "-perm /000 has now been changed to be consistent with -perm -000; that is, while it used to match "
                   "no files, it now matches all files.\n", p->c->name, text);
    pred->mode_dir = wk_mode_apply(m, 0, true, 0, NULL);
}

static void compile_pattern(struct parser *p, struct wk_find_pred *pred, const char *text, bool fold)
{
    if (wk_pattern_compile(p->f->arena, wk_str_c(text), fold ? WK_PATTERN_NOCASE : 0, &pred->pattern))
        wk_heap_exhausted(p->c->heap);
}

static void release_re(void *re)
{
    wk_re_unref((struct wk_re *)re);
}

static int lib_call(void *ctx, int (*fn)(void *arg), void *arg)
{
    struct wk_cmd *c = (struct wk_cmd *)ctx;
    int result = -WK_ENOMEM;
    int r = wk_lib_call(c->task, fn, arg, &result);
    return r < 0 ? r : result;
}

static void compile_regex(struct parser *p, struct wk_find_pred *pred, const char *text, bool fold)
{
    struct wk_re_env env = {.lib_call = lib_call, .ctx = p->c};
    struct wk_re_error err = {.text = ""};
    unsigned flags = p->f->re_flags | WK_RE_LINE | WK_RE_NOSUB | (fold ? WK_RE_ICASE : 0);
    int r = wk_re_compile(wk_heap_mem(p->c->heap), wk_str_c(text), flags, &env, &pred->re, &err);
    if (r == -WK_ENOMEM)
        wk_heap_exhausted(p->c->heap);
    if (r)
        wk_find_fail(p->f, "failed to compile regular expression '%s': %s", text,
                     *err.text ? err.text : wk_err_text(r));
    wk_heap_own(p->c->heap, pred->re, release_re);
}

static void set_regextype(struct parser *p, const char *type)
{
    static const struct { const char *name; unsigned flags; } types[] = {
        {"findutils-default", WK_RE_EMACS}, {"ed", 0}, {"emacs", WK_RE_EMACS | WK_RE_LINE_DOT},
        {"gnu-awk", WK_RE_EXTENDED}, {"grep", 0}, {"posix-awk", WK_RE_EXTENDED},
        {"awk", WK_RE_EXTENDED}, {"posix-basic", 0}, {"posix-egrep", WK_RE_EXTENDED | WK_RE_GREP},
        {"egrep", WK_RE_EXTENDED | WK_RE_GREP}, {"posix-extended", WK_RE_EXTENDED},
        {"posix-minimal-basic", 0}, {"sed", 0}};
    for (size_t i = 0; i < WK_COUNTOF(types); i++) {
        if (strcmp(types[i].name, type) == 0) {
            p->f->re_flags = types[i].flags;
            return;
        }
    }
    struct wk_buf all;
    wk_buf_init(&all, wk_heap_mem(p->c->heap), SIZE_MAX / 2);
    for (size_t i = 0; i < WK_COUNTOF(types); i++)
        wk_buf_fmt(&all, "%s%s", i ? ", " : "", wk_quote_arg(p->c, types[i].name));
    wk_find_fail(p->f, "Unknown regular expression type %s; valid types are %s.", wk_quote_arg(p->c, type),
                 wk_keep(p->c, &all));
}

static void reference(struct parser *p, const char *path, struct wk_stat *st)
{
    int err = wk_at_stat(p->c, NULL, path, p->f->links != 'P', st);
    if (err)
        wk_find_fail(p->f, "%s: %s", wk_quote_arg(p->c, path), wk_err_text(err));
}

/* -newerXY, p->argv[p->at] is the reference. */
static void read_newer(struct parser *p, struct wk_find_pred *pred, char x, char y)
{
    if (p->at >= p->argc && strncmp(pred->name, "-newer", 6) == 0 && pred->name[6]) /* -newerXY */
        wk_find_fail(p->f, "The '%s' test needs an argument", pred->name);
    const char *ref = argument(p, pred->name);
    struct wk_stat st;
    pred->which = x;
    if (y == 't') {
        if (!wk_zone_parse(p->c, p->f->tz, ref, p->f->now, &pred->when))
            wk_find_fail(p->f, "I cannot figure out how to interpret %s as a date or time",
                         wk_quote_arg(p->c, ref));
        return;
    }
    reference(p, ref, &st);
    pred->when = wk_find_time(&st, y);
}

static void read_owner(struct parser *p, struct wk_find_pred *pred, const char *name, bool user)
{
    uint32_t id;
    if (!*name)
        wk_find_fail(p->f, user ? "The argument to -user should not be empty"
                                : "argument to -group is empty, but should be a group name");
    bool ok = user ? wk_user_id(p->f->ids, name, true, &id) : wk_group_id(p->f->ids, name, true, &id);
    if (!ok)
        wk_find_fail(p->f, "%s is not the name of %s %s", wk_quote_arg(p->c, name),
                     user ? "a known" : "an existing", user ? "user" : "group");
    pred->num = id;
    pred->cmp = WK_FIND_EQ;
}

/* Output files are opened at once and shared by those who name them alike. */
static struct wk_out *output(struct parser *p, const char *path)
{
    struct wk_cmd *c = p->c;
    if (strcmp(path, "/dev/stdout") == 0)
        return c->out;
    if (strcmp(path, "/dev/stderr") == 0)
        return c->err;
    for (size_t i = 0; i < p->f->preds_n; i++) {
        const struct wk_find_pred *q = p->f->preds[i];
        if (q->out && q->which == 'o' && strcmp(q->name, path) == 0)
            return q->out;
    }
    struct wk_file *file;
    int err = wk_cmd_open(c, path, WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, 0666, &file);
    if (err)
        wk_find_fail(p->f, "%s: %s", wk_quote_arg(c, path), wk_err_text(err));
    struct wk_find_pred *holder = new_pred(p, wk_find_true);
    holder->which = 'o';
    holder->name = path;
    holder->out = wk_out_of(c, file);
    return holder->out;
}

static void read_exec(struct parser *p, struct wk_find_pred *pred)
{
    int start = p->at, end = start, braces = 0;
    const char *near = NULL; /* a {} that is not alone, before a + */
    for (;; end++) {
        if (end >= p->argc && near && braces > 1)
            wk_find_fail(p->f, "Only one instance of {} is supported with %s ... +", pred->name);
        if (end >= p->argc && near)
            wk_find_fail(p->f, "In %s the %s must appear by itself, but you specified %s",
                         wk_quote_arg(p->c, wk_strf(p->c, "%s ... {} +", pred->name)),
                         wk_quote_arg(p->c, "{}"), wk_quote_arg(p->c, near));
        if (end >= p->argc)
            wk_find_fail(p->f, "missing argument to `%s'", pred->name);
        const char *a = p->argv[end];
        if (strcmp(a, ";") == 0)
            break;
        if (!pred->confirm && strcmp(a, "+") == 0 && end > start) {
            const char *before = p->argv[end - 1];
            if (strcmp(before, "{}") == 0) {
                pred->plus = true;
                break;
            }
            if (strstr(before, "{}"))
                near = before;
        }
        braces += strstr(a, "{}") != NULL;
    }
    if (end == start)
        wk_find_fail(p->f, "invalid argument `%s' to `%s'", p->argv[end], pred->name);
    if (pred->plus && braces > 1)
        wk_find_fail(p->f, "Only one instance of {} is supported with %s ... +", pred->name);
    pred->argv = p->argv + start;
    pred->argc = (size_t)(end - start);
    p->at = end + 1;
    p->f->any_action = true;
}

enum word {
    W_TRUE, W_FALSE, W_NAME, W_PATH, W_LNAME, W_REGEX, W_TYPE, W_XTYPE, W_SIZE, W_MIN, W_TIME, W_NEWER,
    W_USED, W_PERM, W_LINKS, W_INUM, W_SAME, W_USER, W_GROUP, W_UID, W_GID, W_NOUSER, W_NOGROUP, W_EMPTY,
    W_ACCESS, W_FSTYPE, W_PRINT, W_PRINT0, W_PRINTF, W_FPRINT, W_FPRINT0, W_FPRINTF, W_LS, W_FLS,
    W_DELETE, W_PRUNE, W_QUIT, W_EXEC, W_DEPTH, W_MAXDEPTH, W_MINDEPTH, W_XDEV, W_FOLLOW, W_DAYSTART,
    W_REGEXTYPE, W_NOTHING, W_WARN, W_FILES0, W_CONTEXT, W_AND, W_OR, W_NOT, W_VERSION
};

struct entry {
    const char *name;
    enum word word;
    char arg; /* variant */
};

static const struct entry words[] = {
    {"a", W_AND, 0}, {"amin", W_MIN, 'a'}, {"and", W_AND, 0}, {"anewer", W_NEWER, 'a'},
    {"atime", W_TIME, 'a'}, {"cmin", W_MIN, 'c'}, {"cnewer", W_NEWER, 'c'}, {"context", W_CONTEXT, 0},
    {"ctime", W_TIME, 'c'}, {"d", W_DEPTH, 0}, {"daystart", W_DAYSTART, 0}, {"delete", W_DELETE, 0},
    {"depth", W_DEPTH, 0}, {"empty", W_EMPTY, 0}, {"exec", W_EXEC, 0}, {"execdir", W_EXEC, 'd'},
    {"executable", W_ACCESS, WK_X_OK}, {"false", W_FALSE, 0}, {"files0-from", W_FILES0, 0},
    {"fls", W_FLS, 0}, {"follow", W_FOLLOW, 0}, {"fprint", W_FPRINT, 0}, {"fprint0", W_FPRINT0, 0},
    {"fprintf", W_FPRINTF, 0}, {"fstype", W_FSTYPE, 0}, {"gid", W_GID, 0}, {"group", W_GROUP, 0},
    {"ignore_readdir_race", W_NOTHING, 0},
    {"ilname", W_LNAME, 'i'}, {"iname", W_NAME, 'i'}, {"inum", W_INUM, 0}, {"ipath", W_PATH, 'i'},
    {"iregex", W_REGEX, 'i'}, {"iwholename", W_PATH, 'i'}, {"links", W_LINKS, 0},
    {"lname", W_LNAME, 0}, {"ls", W_LS, 0}, {"maxdepth", W_MAXDEPTH, 0}, {"mindepth", W_MINDEPTH, 0},
    {"mmin", W_MIN, 'm'}, {"mount", W_XDEV, 0}, {"mtime", W_TIME, 'm'}, {"name", W_NAME, 0},
    {"newer", W_NEWER, 'm'}, {"nogroup", W_NOGROUP, 0}, {"noignore_readdir_race", W_NOTHING, 0},
    {"noleaf", W_NOTHING, 0}, {"not", W_NOT, 0}, {"nouser", W_NOUSER, 0}, {"nowarn", W_WARN, 0},
    {"o", W_OR, 0}, {"ok", W_EXEC, 'c'}, {"okdir", W_EXEC, 'C'}, {"or", W_OR, 0}, {"path", W_PATH, 0},
    {"perm", W_PERM, 0}, {"print", W_PRINT, 0}, {"print0", W_PRINT0, 0}, {"printf", W_PRINTF, 0},
    {"prune", W_PRUNE, 0}, {"quit", W_QUIT, 0}, {"readable", W_ACCESS, WK_R_OK},
    {"regex", W_REGEX, 0}, {"regextype", W_REGEXTYPE, 0}, {"samefile", W_SAME, 0}, {"size", W_SIZE, 0},
    {"true", W_TRUE, 0}, {"type", W_TYPE, 0}, {"uid", W_UID, 0}, {"used", W_USED, 0},
    {"user", W_USER, 0}, {"version", W_VERSION, 0}, {"-version", W_VERSION, 0}, {"warn", W_WARN, 1},
    {"wholename", W_PATH, 0}, {"writable", W_ACCESS, WK_W_OK}, {"xdev", W_XDEV, 0},
    {"xtype", W_XTYPE, 0},
};

static int64_t read_level(struct parser *p, const char *name)
{
    const char *text = argument(p, name);
    uint64_t v;
    int r = wk_is_digit(*text) ? wk_parse_u64(wk_str_c(text), 10, &v) : -WK_EINVAL;
    if (r == -WK_EINVAL)
        wk_find_fail(p->f, "Expected a positive decimal integer argument to %s, but got %s", name,
                     wk_quote_arg(p->c, text));
    return r || v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

/* Options that are always true; false when the word is none. */
static bool option(struct parser *p, const struct entry *e, const char *name)
{
    struct wk_find *f = p->f;
    struct wk_tm tm;
    switch (e->word) {
    case W_WARN:
        f->warn = e->arg;
        return true;
    case W_DEPTH:
        if (f->warn && name[2] == '\0')
            wk_out_fmt(p->c->err, "%s: warning: the -d option is deprecated; please use -depth instead, because the "
                       "latter is a POSIX-compliant feature.\n", p->c->name);
        f->depth_first = f->depth_option = true;
        return true;
    case W_MAXDEPTH:
        f->max_depth = read_level(p, name);
        return true;
    case W_MINDEPTH:
        f->min_depth = read_level(p, name);
        return true;
    case W_XDEV:
        f->one_fs = true;
        return true;
    case W_FOLLOW:
        f->links = 'L';
        return true;
    case W_DAYSTART:
        if (wk_tz_local(f->tz, wk_instant_of(f->now), &tm)) {
            struct wk_instant t;
            tm.hour = tm.min = tm.sec = 0;
            tm.nsec = 0;
            tm.mday++;
            if (wk_tz_instant(f->tz, &tm, -1, &t))
                p->base = wk_instant_ns(t);
        }
        return true;
    case W_REGEXTYPE:
        set_regextype(p, argument(p, name));
        return true;
    case W_FILES0:
        f->files_from = argument(p, name);
        return true;
    case W_NOTHING:
        return true;
    default:
        return false;
    }
}

static void warn_of_pattern(struct parser *p, int word, const char *name, const char *pattern)
{
    size_t n = strlen(pattern);
    if (!p->f->warn)
        return;
    if (word == W_NAME && strchr(pattern, '/') && strcmp(pattern, "/") != 0)
        wk_out_fmt(p->c->err,
                   "%s: warning: '%s' matches against basenames only, but the given pattern contains a directory "
                   "separator ('/'), thus the expression will evaluate to false all the time.  Did you mean '%s'?\n",
                   p->c->name, name, name[1] == 'i' ? "-iwholename" : "-wholename");
    if (word == W_PATH && n > 1 && pattern[n - 1] == '/')
        wk_out_fmt(p->c->err, "%s: warning: %s %s will not match anything because it ends with /.\n", p->c->name, name,
                   pattern);
}

static void test(struct parser *p, struct wk_find_pred *k, const struct entry *e, const char *name)
{
    struct wk_stat st;
    const char *arg;
    switch (e->word) {
    case W_FALSE: k->fn = wk_find_false; break;
    case W_NAME:
    case W_PATH:
    case W_LNAME:
        k->fn = e->word == W_NAME ? wk_find_name : e->word == W_PATH ? wk_find_path : wk_find_lname;
        arg = argument(p, name);
        warn_of_pattern(p, (int)e->word, name, arg);
        compile_pattern(p, k, arg, e->arg == 'i');
        break;
    case W_REGEX:
        k->fn = wk_find_regex;
        compile_regex(p, k, argument(p, name), e->arg == 'i');
        break;
    case W_TYPE:
    case W_XTYPE:
        k->fn = e->word == W_TYPE ? wk_find_is_type : wk_find_is_xtype;
        read_types(p, k, argument(p, name));
        break;
    case W_SIZE:
        k->fn = wk_find_size;
        read_size(p, k, argument(p, name));
        break;
    case W_MIN:
    case W_TIME:
        k->fn = wk_find_age;
        k->which = e->arg;
        read_age(p, k, argument(p, name), e->word == W_TIME);
        break;
    case W_NEWER:
        k->fn = wk_find_newer;
        read_newer(p, k, e->arg, 'm');
        break;
    case W_PERM:
        k->fn = wk_find_perm;
        read_perm(p, k, argument(p, name));
        break;
    case W_USED:
    case W_LINKS:
    case W_INUM:
    case W_UID:
    case W_GID:
        k->fn = e->word == W_USED ? wk_find_used : e->word == W_LINKS ? wk_find_links
              : e->word == W_INUM ? wk_find_inum : e->word == W_UID ? wk_find_user : wk_find_group;
        read_number(p, k, p->at < p->argc || e->word == W_USED ? argument(p, name) : name);
        break;
    case W_SAME:
        k->fn = wk_find_same;
        reference(p, argument(p, name), &st);
        k->dev = st.dev;
        k->ino = st.ino;
        break;
    case W_USER:
    case W_GROUP:
        k->fn = e->word == W_USER ? wk_find_user : wk_find_group;
        read_owner(p, k, argument(p, name), e->word == W_USER);
        break;
    case W_NOUSER: k->fn = wk_find_no_user; break;
    case W_NOGROUP: k->fn = wk_find_no_group; break;
    case W_EMPTY: k->fn = wk_find_empty; break;
    case W_ACCESS:
        k->fn = wk_find_access;
        k->num = e->arg;
        break;
    case W_FSTYPE:
        k->fn = wk_find_fstype;
        k->text = argument(p, name);
        break;
    case W_CONTEXT:
        arg = argument(p, name);
        (void)arg;
        wk_find_fail(p->f, "invalid predicate -context: SELinux is not enabled.");
    default: break; /* -true */
    }
}

/* False when the word is no action. */
static bool action(struct parser *p, struct wk_find_pred *k, const struct entry *e, const char *name)
{
    struct wk_find *f = p->f;
    k->out = p->c->out;
    switch (e->word) {
    case W_PRINT: k->fn = wk_find_print; break;
    case W_PRINT0: k->fn = wk_find_print0; break;
    case W_LS: k->fn = wk_find_ls; break;
    case W_FPRINT:
    case W_FPRINT0:
    case W_FLS:
        k->fn = e->word == W_FPRINT ? wk_find_print : e->word == W_FLS ? wk_find_ls : wk_find_print0;
        k->out = output(p, argument(p, name));
        break;
    case W_FPRINTF:
        if (p->at + 1 == p->argc)
            wk_find_fail(f, "invalid argument `%s' to `%s'", p->argv[p->at], name);
        k->out = output(p, argument(p, name));
        k->fn = wk_find_printf;
        k->text = argument(p, name);
        break;
    case W_PRINTF:
        k->fn = wk_find_printf;
        k->text = argument(p, name);
        break;
    case W_DELETE:
        k->fn = wk_find_delete;
        f->depth_first = f->has_delete = true;
        break;
    case W_PRUNE:
        k->fn = wk_find_prune;
        f->has_prune = true;
        return true;
    case W_QUIT:
        k->fn = wk_find_quit;
        return true;
    case W_EXEC:
        k->fn = wk_find_exec;
        k->confirm = e->arg == 'c' || e->arg == 'C';
        k->in_dir = e->arg == 'd' || e->arg == 'C';
        read_exec(p, k);
        break;
    default:
        k->out = NULL;
        return false;
    }
    if (k->text)
        wk_find_check_format(f, k);
    f->any_action = true;
    return true;
}

/* What holds for the whole walk had better stand in front. */
static void warn_of_place(struct parser *p, const struct entry *e, const char *name)
{
    static const char global[] = {W_DEPTH, W_MAXDEPTH, W_MINDEPTH, W_XDEV, W_FILES0, W_NOTHING};
    if (p->f->warn && e && p->first_test && memchr(global, (int)e->word, sizeof global))
        wk_out_fmt(p->c->err,
                   "%s: warning: you have specified the global option %s after the argument %s, but global options "
                   "are not positional, i.e., %s affects tests specified before it as well as those specified after "
                   "it.  Please specify global options before other arguments.\n",
                   p->c->name, name, p->first_test, name);
}

/* -newerXY that is no word of the table. */
static bool is_newer_xy(const char *word)
{
    return strncmp(word, "newer", 5) == 0 && strlen(word) == 7;
}

static void primary(struct parser *p, const char *name)
{
    const struct entry *e = NULL;
    for (size_t i = 0; i < WK_COUNTOF(words) && !e; i++)
        if (strcmp(words[i].name, name + 1) == 0)
            e = &words[i];
    bool newer = !e && is_newer_xy(name + 1);
    if (newer && (!strchr("aBcm", name[6]) || !strchr("aBcmt", name[7])))
        wk_find_fail(p->f, "invalid predicate `%s'", name);
    if (!e && !newer)
        wk_find_fail(p->f, "unknown predicate `%s'", name);
    if (e && e->word == W_AND) {
        if (!p->operand)
            wk_find_fail(p->f, "invalid expression; you have used a binary operator '%s' with nothing "
                               "before it.", name);
        p->last = name;
        binary(p, P_AND);
        return;
    }
    if (e && e->word == W_OR) {
        if (!p->operand)
            wk_find_fail(p->f, "invalid expression; you have used a binary operator '%s' with nothing "
                               "before it.", name);
        p->last = name;
        binary(p, P_OR);
        return;
    }
    if (p->operand)
        binary(p, P_AND);
    if (e && e->word == W_NOT) {
        p->last = name;
        push(p, P_NOT, 0);
        return;
    }
    if (e && e->word == W_VERSION) {
        wk_out_fmt(p->c->out, "find (whelk) 0.1.0\n");
        wk_exit(p->c, 0);
    }
    struct wk_find_pred *k = new_pred(p, wk_find_true);
    k->name = name;
    if (newer) {
        k->fn = wk_find_newer;
        read_newer(p, k, name[6], name[7]);
    } else {
        warn_of_place(p, e, name);
        if (!option(p, e, name)) {
            if (!p->first_test)
                p->first_test = name;
            if (!action(p, k, e, name))
                test(p, k, e, name);
        }
    }
    emit(p->f, WK_FIND_DO, k);
    p->operand = true;
}

static void close_paren(struct parser *p)
{
    if (!p->operand) {
        if (p->n && p->stack[p->n - 1].op == P_OPEN)
            wk_find_fail(p->f, "invalid expression; empty parentheses are not allowed.");
        wk_find_fail(p->f, "expected an expression between '%s' and ')'", p->last ? p->last : "(");
    }
    reduce(p, P_COMMA);
    if (!p->n)
        wk_find_fail(p->f, "you have too many ')'");
    p->n--; /* the open one */
}

/* A word that is no part of an expression: if there is such a file, the shell may have made it of a
 * pattern. */
static WK_NORETURN void paths_first(struct parser *p, const char *a)
{
    struct wk_stat st;
    bool hint = p->f->preds_n && !wk_at_stat(p->c, NULL, a, true, &st);
    wk_msg(p->c, "paths must precede expression: `%s'", a);
    if (hint)
        wk_msg(p->c, "possible unquoted pattern after predicate `%s'?",
               p->f->preds[p->f->preds_n - 1]->name);
    wk_exit(p->c, 1);
}

static void token(struct parser *p)
{
    const char *a = p->argv[p->at++];
    if (strcmp(a, "(") == 0) {
        if (p->operand)
            binary(p, P_AND);
        push(p, P_OPEN, 0);
        p->last = a;
    } else if (strcmp(a, ")") == 0) {
        close_paren(p);
    } else if (strcmp(a, "!") == 0) {
        if (p->operand)
            binary(p, P_AND);
        push(p, P_NOT, 0);
        p->last = a;
    } else if (strcmp(a, ",") == 0) {
        if (!p->operand)
            wk_find_fail(p->f, "invalid expression; you have used a binary operator ',' with nothing "
                               "before it.");
        p->last = a;
        binary(p, P_COMMA);
    } else if (a[0] == '-' && a[1]) {
        primary(p, a);
    } else {
        paths_first(p, a);
    }
    wk_tick(p->c, 8);
}

void wk_find_parse(struct wk_find *f, int at)
{
    struct parser p = {.f = f, .c = f->c, .argv = f->c->args, .at = at, .argc = f->c->nargs,
                       .base = f->now};
    while (p.at < p.argc)
        token(&p);
    if (!p.operand && p.last) {
        if (strcmp(p.last, "(") == 0)
            wk_find_fail(f, "invalid expression; expected to find a ')' but didn't see one. Perhaps you "
                            "need an extra predicate after '('");
        if (f->any_action)
            wk_find_fail(f, "invalid expression");
        wk_find_fail(f, "expected an expression after '%s'", p.last);
    }
    reduce(&p, P_COMMA);
    if (p.n)
        wk_find_fail(f, "invalid expression; I was expecting to find a ')' somewhere but did not see "
                        "one.");
    if (f->has_delete && f->has_prune && !f->depth_option)
        wk_find_fail(f, "The -delete action automatically turns on -depth, but -prune does nothing when "
                        "-depth is in effect.  If you want to carry on anyway, just explicitly use the "
                        "-depth option.");
    if (!f->any_action) {
        if (f->n) { /* ( expression ) -print */
            size_t jump = emit(f, WK_FIND_JUMP_FALSE, NULL);
            f->steps[jump].to = f->n + 1;
        }
        struct wk_find_pred *k = new_pred(&p, wk_find_print);
        k->name = "-print";
        k->out = f->c->out;
        emit(f, WK_FIND_DO, k);
    }
}
