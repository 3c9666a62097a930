/* test.c - evaluate an expression: the program (the shell has a builtin of its own)
 *
 * Standard: GNU coreutils 9.1. Oracle: env test, env [.
 *
 * Up to four words are told apart by their number, as POSIX asks; more are read by a grammar.
 * Parentheses are read on a stack of their own, so no input makes the evaluation deep.
 */
#include "builtins/fsops.h"

struct test {
    struct wk_cmd *c;
    char **v;
    int n, at;
};

static WK_NORETURN void beyond(struct test *t)
{
    wk_fail(t->c, 2, "missing argument after %s", wk_quote_arg(t->c, t->v[t->n - 1]));
}

/* Past a word; with `more` there has to be another. */
static void advance(struct test *t, bool more)
{
    t->at++;
    if (more && t->at >= t->n)
        beyond(t);
}

static bool is(const char *word, const char *text)
{
    return strcmp(word, text) == 0;
}

static bool is_binary(const char *word)
{
    static const char *const words[] = {"=",   "!=",  "==",  "-nt", "-ot", "-ef",
                                        "-eq", "-ne", "-lt", "-le", "-gt", "-ge"};
    for (size_t i = 0; i < WK_COUNTOF(words); i++)
        if (is(word, words[i]))
            return true;
    return false;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* A decimal number of any length. */
struct number {
    bool minus;
    const char *digits; /* without zeros in front */
    size_t n;
};

static struct number read_number(struct test *t, const char *word)
{
    const char *p = word + strspn(word, " \t\n\v\f\r");
    struct number v = {.minus = *p == '-'};
    p += *p == '-' || *p == '+';
    size_t n = strspn(p, "0123456789");
    if (n == 0 || p[n + strspn(p + n, " \t\n\v\f\r")])
        wk_fail(t->c, 2, "invalid integer %s", wk_quote_arg(t->c, word));
    size_t zeros = strspn(p, "0");
    v.digits = p + zeros;
    v.n = n - zeros;
    v.minus = v.minus && v.n > 0;
    return v;
}

static struct number length_of(struct test *t, const char *word)
{
    return read_number(t, wk_strf(t->c, "%zu", strlen(word)));
}

static int compare(const struct number *a, const struct number *b)
{
    if (a->minus != b->minus)
        return a->minus ? -1 : 1;
    int r = a->n != b->n ? (a->n < b->n ? -1 : 1) : memcmp(a->digits, b->digits, a->n);
    return a->minus ? -r : r;
}

static bool holds(const char *op, int r)
{
    switch (op[1] << 8 | op[2]) {
    case 'e' << 8 | 'q':
        return r == 0;
    case 'n' << 8 | 'e':
        return r != 0;
    case 'l' << 8 | 't':
        return r < 0;
    case 'l' << 8 | 'e':
        return r <= 0;
    case 'g' << 8 | 't':
        return r > 0;
    default:
        return r >= 0;
    }
}

/* ---- operators ------------------------------------------------------------------------------- */

static bool binary_files(struct test *t, const char *a, const char *op, const char *b)
{
    struct wk_stat x, y;
    bool have_x = !wk_at_stat(t->c, NULL, a, true, &x),
         have_y = !wk_at_stat(t->c, NULL, b, true, &y);
    if (is(op, "-ef"))
        return have_x && have_y && wk_stat_same(&x, &y);
    if (is(op, "-nt"))
        return have_x && (!have_y || x.mtim > y.mtim);
    return have_y && (!have_x || x.mtim < y.mtim);
}

/* The operator is the second word, or the third when -l is the first. */
static bool binary(struct test *t, bool left_length)
{
    if (left_length)
        advance(t, false);
    int op = t->at + 1;
    bool right_length = op < t->n - 2 && is(t->v[op + 1], "-l");
    if (right_length)
        advance(t, false);
    const char *word = t->v[op];
    if (word[0] != '-') { /* strings; where a -l stands on the right they are taken one too far */
        bool same = is(t->v[t->at], t->v[t->at + 2]);
        t->at += 3;
        return same == (word[0] == '=');
    }
    if (is(word, "-nt") || is(word, "-ot") || is(word, "-ef")) {
        t->at += 3;
        if (left_length || right_length)
            wk_fail(t->c, 2, "%s does not accept -l", word);
        return binary_files(t, t->v[op - 1], word, t->v[op + 1]);
    }
    struct number a = left_length ? length_of(t, t->v[op - 1]) : read_number(t, t->v[op - 1]);
    struct number b = right_length ? length_of(t, t->v[op + 2]) : read_number(t, t->v[op + 1]);
    t->at += 3;
    return holds(word, compare(&a, &b));
}

static bool is_terminal(struct test *t, const char *word)
{
    struct number v = read_number(t, word);
    uint64_t fd = 0;
    for (size_t i = 0; i < v.n && fd <= INT32_MAX; i++)
        fd = fd * 10 + (uint64_t)(v.digits[i] - '0');
    if (v.minus || fd > INT32_MAX)
        return false;
    struct wk_file *f = wk_fd_get(t->c->proc->fds, (int)fd);
    return f && f->is_tty;
}

static bool unary_file(struct test *t, char op, const char *name)
{
    static const char access[] = "rwx";
    static const int wants[] = {WK_R_OK, WK_W_OK, WK_X_OK};
    const char *at = strchr(access, op);
    struct wk_stat st;
    if (at)
        return !wk_at_access(t->c, NULL, name, wants[at - access]);
    if (wk_at_stat(t->c, NULL, name, op != 'h' && op != 'L', &st))
        return false;
    uint32_t kind = st.mode & WK_S_IFMT;
    switch (op) {
    case 'b':
        return kind == WK_S_IFBLK;
    case 'c':
        return kind == WK_S_IFCHR;
    case 'd':
        return kind == WK_S_IFDIR;
    case 'f':
        return kind == WK_S_IFREG;
    case 'h':
    case 'L':
        return kind == WK_S_IFLNK;
    case 'p':
        return kind == WK_S_IFIFO;
    case 'S':
        return kind == WK_S_IFSOCK;
    case 'g':
        return st.mode & 02000;
    case 'k':
        return st.mode & 01000;
    case 'u':
        return st.mode & 04000;
    case 's':
        return st.size > 0;
    case 'N':
        return st.mtim > st.atim;
    case 'O':
        return st.uid == t->c->proc->cred.uid;
    case 'G':
        return st.gid == t->c->proc->cred.gid;
    default:
        return true; /* -e */
    }
}

static bool unary(struct test *t)
{
    char op = t->v[t->at][1];
    if (!strchr("bcdefghkLnNOGprsStuwxz", op))
        wk_fail(t->c, 2, "%s: unary operator expected", wk_quote_arg(t->c, t->v[t->at]));
    advance(t, true);
    const char *word = t->v[t->at++];
    if (op == 'n' || op == 'z')
        return (*word != '\0') == (op == 'n');
    if (op == 't')
        return is_terminal(t, word);
    return unary_file(t, op, word);
}

static bool is_unary_form(const char *word)
{
    return word[0] == '-' && word[1] && !word[2];
}

/* ---- few words ------------------------------------------------------------------------------- */

static bool one_word(struct test *t)
{
    return t->v[t->at++][0] != '\0';
}

static bool two_words(struct test *t)
{
    if (is(t->v[t->at], "!")) {
        advance(t, false);
        return !one_word(t);
    }
    if (!is_unary_form(t->v[t->at]))
        beyond(t);
    return unary(t);
}

/* False: they are to be read by the grammar. */
static bool three_words(struct test *t, bool *value)
{
    char **v = t->v + t->at;
    if (is_binary(v[1])) {
        *value = binary(t, false);
    } else if (is(v[0], "!")) {
        advance(t, true);
        *value = !two_words(t);
    } else if (is(v[0], "(") && is(v[2], ")")) {
        advance(t, false);
        *value = one_word(t);
        advance(t, false);
    } else if (is(v[1], "-a") || is(v[1], "-o")) {
        return false;
    } else {
        wk_fail(t->c, 2, "%s: binary operator expected", wk_quote_arg(t->c, v[1]));
    }
    return true;
}

/* The value of n words at hand; false: they are to be read by the grammar, *negate: for its
 * opposite. */
static bool few_words(struct test *t, int n, bool *value, bool *negate)
{
    char **v = t->v + t->at;
    *negate = false;
    if (n == 1) {
        *value = one_word(t);
        return true;
    }
    if (n == 2) {
        *value = two_words(t);
        return true;
    }
    if (n == 3)
        return three_words(t, value);
    if (n == 4 && is(v[0], "!")) {
        advance(t, true);
        *negate = true;
        if (!three_words(t, value))
            return false;
        *value = !*value;
        return true;
    }
    if (n == 4 && is(v[0], "(") && is(v[3], ")")) {
        advance(t, false);
        *value = two_words(t);
        advance(t, false);
        return true;
    }
    return false;
}

/* ---- the grammar ----------------------------------------------------------------------------- */

/* A parenthesis that is open: the values so far, and what becomes of the value inside. */
struct level {
    bool any, all;         /* of -o, of -a */
    bool negated, outside; /* outside: of the parenthesis as a whole */
};

struct levels {
    struct level *v;
    size_t n, cap;
};

static void push(struct test *t, struct levels *s, bool outside)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 8;
        s->v = wk_heap_realloc(t->c->heap, s->v, s->cap * sizeof *s->v);
    }
    s->v[s->n++] = (struct level){.all = true, .outside = outside};
}

/* How many words the parenthesis at hand holds: more than four count as all that follow. */
static int words_inside(const struct test *t)
{
    int n = 1;
    while (t->at + n < t->n && !is(t->v[t->at + n], ")")) {
        if (n == 4)
            return t->n - t->at;
        n++;
    }
    return n;
}

static void close_parenthesis(struct test *t)
{
    bool bracket = is(t->c->name, "["); /* its ] is found */
    if (t->at >= t->n && !bracket)
        wk_fail(t->c, 2, "%s expected", wk_quote_arg(t->c, ")"));
    if (!is(t->v[t->at], ")"))
        wk_fail(t->c, 2, "%s expected, found %s", wk_quote_arg(t->c, ")"),
                wk_quote_arg(t->c, t->v[t->at]));
    advance(t, false);
}

/* A term that is no parenthesis. */
static bool primary(struct test *t)
{
    char **v = t->v + t->at;
    int left = t->n - t->at;
    if (left >= 4 && is(v[0], "-l") && is_binary(v[2]))
        return binary(t, true);
    if (left >= 3 && is_binary(v[1]))
        return binary(t, false);
    return is_unary_form(v[0]) ? unary(t) : one_word(t);
}

/* The start of a term, at its innermost parenthesis: true with its value, false when a level was
 * opened. */
static bool term(struct test *t, struct levels *s, bool *value)
{
    struct level *now = &s->v[s->n - 1];
    bool negate;
    now->negated = false;
    if (t->at >= t->n)
        beyond(t);
    while (is(t->v[t->at], "!")) {
        advance(t, true);
        now->negated = !now->negated;
    }
    if (!is(t->v[t->at], "(")) {
        *value = primary(t);
        return true;
    }
    advance(t, true);
    if (!few_words(t, words_inside(t), value, &negate)) {
        push(t, s, negate);
        return false;
    }
    close_parenthesis(t);
    return true;
}

static bool expression(struct test *t)
{
    struct levels s = {0};
    bool value;
    push(t, &s, false);
    for (;;) {
        wk_tick(t->c, 1);
        if (!term(t, &s, &value))
            continue;
        for (;;) { /* a term ended: what follows it, perhaps the end of its parenthesis */
            struct level *now = &s.v[s.n - 1];
            now->all = now->all && value != now->negated;
            if (t->at < t->n && is(t->v[t->at], "-a")) {
                advance(t, false);
                break;
            }
            now->any = now->any || now->all;
            now->all = true;
            if (t->at < t->n && is(t->v[t->at], "-o")) {
                advance(t, false);
                break;
            }
            value = now->any != now->outside;
            if (--s.n == 0)
                return value;
            close_parenthesis(t);
        }
    }
}

static int test_main(struct wk_cmd *c)
{
    struct test t = {.c = c, .v = c->args, .n = c->nargs};
    bool value, negate;
    if (is(c->name, "[")) {
        if (t.n == 1 && (is(t.v[0], "--help") || is(t.v[0], "--version")))
            wk_cmd_about(c, t.v[0][2] == 'v');
        if (t.n == 0 || !is(t.v[t.n - 1], "]"))
            wk_fail(c, 2, "missing %s", wk_quote_arg(c, "]"));
        t.n--;
    }
    if (t.n == 0)
        return 1;
    if (!few_words(&t, t.n, &value, &negate))
        value = expression(&t) != negate;
    if (t.at < t.n)
        wk_fail(c, 2, "extra argument %s", wk_quote_arg(c, t.v[t.at]));
    return !value;
}

WK_COMMAND(test, .aliases = "[", .summary = "check file types and compare values",
           .usage = "test EXPRESSION\n[ EXPRESSION ]", .std = "coreutils 9.1", .usage_status = 2,
           .flags = WK_CMD_RAW_ARGS | WK_CMD_HOST, /* test has no --help, [ looks at it here */
           .help = "Files: -e exists, -b -c -d -f -h -L -p -S kind, -g -k -u mode bits, -s not "
                   "empty, -r -w -x\n"
                   "access, -O -G owned, -N modified since it was read, -t N is a terminal; A -nt "
                   "B, -ot, -ef.\n"
                   "Strings: -n S, -z S, S, A = B, A != B. Integers: A -eq B, -ne -lt -le -gt -ge; "
                   "-l S is a length.\n"
                   "! E, ( E ), A -a B, A -o B. Exit status: 0 true, 1 false, 2 wrong.");
