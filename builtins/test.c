/* test.c - the programs test and [: whether an expression is true
 *
 * Standard: POSIX; GNU coreutils 9.1. Oracle: /usr/bin/test, /usr/bin/[. The shell has a test of its own.
 * Up to four words are read by how many they are, as POSIX says; more by the precedence of !, -a, -o.
 */
#include "builtins/fsops.h"

enum { DEPTH_MOST = 200 };

struct test {
    struct wk_cmd *c;
    char **v;
    int n, at, depth;
};

static bool either(struct test *t);

static WK_NORETURN void fail(struct test *t, const char *before, const char *word, const char *behind)
{
    wk_fail(t->c, 2, "%s%s%s", before, wk_quote_arg(t->c, word), behind);
}

static WK_NORETURN void ended(struct test *t)
{
    fail(t, "missing argument after ", t->v[t->n - 1], "");
}

static bool is(const struct test *t, int at, const char *word)
{
    return at < t->n && strcmp(t->v[at], word) == 0;
}

/* Moves on to a word that must be there. */
static const char *next(struct test *t)
{
    if (++t->at >= t->n)
        ended(t);
    return t->v[t->at];
}

static bool is_binary(const char *s)
{
    static const char *const words[] = {"=",   "==",  "!=",  "-eq", "-ne", "-lt",
                                        "-le", "-gt", "-ge", "-nt", "-ot", "-ef"};
    for (size_t i = 0; i < WK_COUNTOF(words); i++)
        if (strcmp(s, words[i]) == 0)
            return true;
    return false;
}

/* ---- operators ---------------------------------------------------------------------------------- */

struct integer {
    bool minus;
    const char *p; /* digits without zeros in front */
    size_t n;
};

static struct integer read_integer(struct test *t, const char *s)
{
    static const char blanks[] = " \t\n\v\f\r";
    struct integer v = {false, s + strspn(s, blanks), 0};
    v.minus = *v.p == '-';
    v.p += *v.p == '-' || *v.p == '+';
    size_t digits = strspn(v.p, "0123456789");
    if (!digits || v.p[digits + strspn(v.p + digits, blanks)])
        fail(t, "invalid integer ", s, "");
    size_t zeros = strspn(v.p, "0");
    v.p += zeros < digits ? zeros : digits;
    v.n = digits > zeros ? digits - zeros : 0;
    v.minus = v.minus && v.n;
    return v;
}

static int compare(struct integer a, struct integer b)
{
    if (a.minus != b.minus)
        return a.minus ? -1 : 1;
    int r = a.n != b.n ? (a.n < b.n ? -1 : 1) : memcmp(a.p, b.p, a.n);
    return a.minus ? -r : r;
}

static bool compare_numbers(struct test *t, const char *op, const char *left, const char *right)
{
    struct integer a = read_integer(t, left);
    int r = compare(a, read_integer(t, right));
    switch (op[1]) {
    case 'e': return r == 0;
    case 'n': return r != 0;
    case 'l': return op[2] == 't' ? r < 0 : r <= 0;
    default: return op[2] == 't' ? r > 0 : r >= 0;
    }
}

static bool compare_files(struct test *t, const char *op, const char *left, const char *right)
{
    struct wk_stat a, b;
    bool has_a = wk_at_stat(t->c, NULL, left, true, &a) == 0, has_b = wk_at_stat(t->c, NULL, right, true, &b) == 0;
    if (op[1] == 'e')
        return has_a && has_b && wk_stat_same(&a, &b);
    if (op[1] == 'n')
        return has_a && (!has_b || a.mtim > b.mtim);
    return has_b && (!has_a || a.mtim < b.mtim);
}

/* LEFT OP RIGHT; with -l in front of one it stands for the length of the word behind it. */
static bool binary(struct test *t, bool left_length)
{
    struct wk_cmd *c = t->c;
    int at = t->at + left_length + 1;
    const char *op = t->v[at], *left = t->v[at - 1];
    bool word = op[0] == '-', files = word && (op[2] == 'f' || strcmp(op, "-nt") == 0 || strcmp(op, "-ot") == 0);
    bool right_length = at + 2 < t->n && is(t, at + 1, "-l");
    if (files && (left_length || right_length))
        wk_fail(c, 2, "%s does not accept -l", op);
    const char *right = t->v[at + 1 + right_length];
    t->at = at + 2 + right_length;
    if (!word)
        return (!right_length && strcmp(left, right) == 0) == (op[0] == '=');
    if (files)
        return compare_files(t, op, left, right);
    return compare_numbers(t, op, left_length ? wk_strf(c, "%llu", (unsigned long long)strlen(left)) : left,
                           right_length ? wk_strf(c, "%llu", (unsigned long long)strlen(right)) : right);
}

static bool is_terminal(struct test *t, const char *s)
{
    struct integer v = read_integer(t, s);
    uint64_t fd = 0;
    for (size_t i = 0; i < v.n && fd <= UINT32_MAX; i++)
        fd = fd * 10 + (uint64_t)(v.p[i] - '0');
    struct wk_file *f = v.minus || fd > INT32_MAX ? NULL : wk_fd_get(t->c->proc->fds, (int)fd);
    return f && f->is_tty;
}

static bool unary(struct test *t)
{
    static const char kinds[] = "b\060c\020d\040f\100p\010S\140";
    struct wk_cmd *c = t->c;
    char op = t->v[t->at][1];
    struct wk_stat st;
    if (!strchr("bcdefgGhkLnNOprsStuwxz", op))
        fail(t, "", t->v[t->at], ": unary operator expected");
    const char *s = next(t);
    t->at++;
    if (op == 'n' || op == 'z')
        return (*s != '\0') == (op == 'n');
    if (op == 't')
        return is_terminal(t, s);
    if (op == 'r' || op == 'w' || op == 'x')
        return wk_at_access(c, NULL, s, op == 'r' ? WK_R_OK : op == 'w' ? WK_W_OK : WK_X_OK) == 0;
    if (wk_at_stat(c, NULL, s, op != 'h' && op != 'L', &st) != 0)
        return false;
    switch (op) {
    case 'e': return true;
    case 's': return st.size > 0;
    case 'h':
    case 'L': return WK_S_ISLNK(st.mode);
    case 'g': return (st.mode & 02000) != 0;
    case 'k': return (st.mode & 01000) != 0;
    case 'u': return (st.mode & 04000) != 0;
    case 'N': return st.mtim > st.atim;
    case 'O': return st.uid == c->proc->cred.uid;
    case 'G': return st.gid == c->proc->cred.gid;
    default: break;
    }
    for (const char *k = kinds; *k; k += 2)
        if (*k == op)
            return (st.mode & WK_S_IFMT) >> 9 == (uint32_t)(unsigned char)k[1];
    return false;
}

static bool is_unary_form(const char *s)
{
    return s[0] == '-' && s[1] && !s[2];
}

/* ---- expressions -------------------------------------------------------------------------------- */

static bool one(struct test *t)
{
    return *t->v[t->at++] != '\0';
}

static bool two(struct test *t)
{
    if (is(t, t->at, "!")) {
        t->at++;
        return !one(t);
    }
    if (!is_unary_form(t->v[t->at]))
        ended(t);
    return unary(t);
}

static bool three(struct test *t)
{
    const char *middle = t->v[t->at + 1];
    if (is_binary(middle))
        return binary(t, false);
    if (is(t, t->at, "!")) {
        t->at++;
        return !two(t);
    }
    if (is(t, t->at, "(") && is(t, t->at + 2, ")")) {
        t->at++;
        bool v = one(t);
        t->at++;
        return v;
    }
    if (strcmp(middle, "-a") == 0 || strcmp(middle, "-o") == 0)
        return either(t);
    fail(t, "", middle, ": binary operator expected");
}

/* The next n words as POSIX reads that many. */
static bool by_number(struct test *t, int n)
{
    switch (n) {
    case 1: return one(t);
    case 2: return two(t);
    case 3: return three(t);
    case 4:
        if (is(t, t->at, "!")) {
            t->at++;
            return !three(t);
        }
        if (is(t, t->at, "(") && is(t, t->at + 3, ")")) {
            t->at++;
            bool v = two(t);
            t->at++;
            return v;
        }
        break;
    default: break;
    }
    return either(t);
}

static bool in_parentheses(struct test *t)
{
    (void)next(t);
    int n = 1;
    while (t->at + n < t->n && !is(t, t->at + n, ")")) {
        if (n == 4) { /* then it is no short form */
            n = t->n - t->at;
            break;
        }
        n++;
    }
    if (++t->depth > DEPTH_MOST)
        wk_fail(t->c, 2, "parentheses are nested too deeply");
    bool v = by_number(t, n);
    t->depth--;
    if (t->at >= t->n)
        fail(t, "", ")", " expected");
    if (!is(t, t->at, ")")) {
        wk_fail(t->c, 2, "%s expected, found %s", wk_quote_arg(t->c, ")"), wk_quote_arg(t->c, t->v[t->at]));
    }
    t->at++;
    return v;
}

static bool term(struct test *t)
{
    bool negated = false;
    if (t->at >= t->n)
        ended(t);
    while (is(t, t->at, "!")) {
        negated = !negated;
        (void)next(t);
    }
    int left = t->n - t->at;
    if (is(t, t->at, "("))
        return in_parentheses(t) != negated;
    if (left >= 4 && is(t, t->at, "-l") && is_binary(t->v[t->at + 2]))
        return binary(t, true) != negated;
    if (left >= 3 && is_binary(t->v[t->at + 1]))
        return binary(t, false) != negated;
    return (is_unary_form(t->v[t->at]) ? unary(t) : one(t)) != negated;
}

static bool both(struct test *t)
{
    bool v = term(t);
    for (; is(t, t->at, "-a"); wk_tick(t->c, 1)) {
        t->at++;
        v = term(t) && v;
    }
    return v;
}

static bool either(struct test *t)
{
    bool v = both(t);
    while (is(t, t->at, "-o")) {
        t->at++;
        v = both(t) || v;
    }
    return v;
}

static int test_main(struct wk_cmd *c)
{
    struct test t = {.c = c, .v = c->args, .n = c->nargs};
    if (strcmp(c->name, "[") == 0) {
        if (t.n == 1 && (strcmp(t.v[0], "--help") == 0 || strcmp(t.v[0], "--version") == 0))
            wk_cmd_about(c, t.v[0][2] == 'v');
        if (!t.n || strcmp(t.v[t.n - 1], "]") != 0)
            fail(&t, "missing ", "]", "");
        t.n--;
    }
    if (!t.n)
        return 1;
    bool v = by_number(&t, t.n);
    if (t.at < t.n)
        fail(&t, "extra argument ", t.v[t.at], "");
    return !v;
}

/* WK_CMD_HOST: main sees --help, which is a string like any other. */
WK_COMMAND(test, .aliases = "[", .summary = "whether an expression is true",
           .usage = "test EXPRESSION\n[ EXPRESSION ]\n[ OPTION", .std = "coreutils 9.1",
           .flags = WK_CMD_RAW_ARGS | WK_CMD_HOST,
           .help = "The status is 0 when EXPRESSION is true, 1 when it is false, 2 when it is wrong.\n\n"
                   "  ( E )  ! E  E1 -a E2  E1 -o E2\n"
                   "  S  -n S  -z S  S1 = S2  S1 != S2\n"
                   "  N1 -eq N2  -ne  -lt  -le  -gt  -ge   -l S is the length of S\n"
                   "  FILE1 -nt FILE2  -ot  -ef   newer, older, the same\n"
                   "  -e FILE  there; -b -c -d -f -p -S -h -L  its kind; -s  not empty\n"
                   "  -g -k -u  bits of its mode; -r -w -x  what may be done; -O -G  ours; -N  changed since it was read\n"
                   "  -t FD  a terminal\n");
