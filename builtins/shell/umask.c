/* umask.c - umask: permission bits that new files do not get
 *
 * Standard: POSIX XCU umask; bash 4.1. Oracle: bash 5.2.
 */
#include "interp/builtin.h"

extern const struct wk_builtin wk_builtin_umask;

/* u=rwx,g=rx,o=rx of the bits that are allowed. */
static void put_symbolic(struct wk_buf *b, uint32_t mask)
{
    static const char who[] = "ugo";
    for (unsigned i = 0; i < 3; i++) {
        uint32_t allowed = ~mask >> (6 - 3 * i) & 7;
        wk_buf_fmt(b, "%s%c=%s%s%s", i ? "," : "", who[i], allowed & 4 ? "r" : "", allowed & 2 ? "w" : "",
                   allowed & 1 ? "x" : "");
    }
}

/* One clause `[ugoa]*[-+=][rwx]*`, which is all that umask takes of chmod's modes; false at *bad, the
 * offending character. */
static bool apply_clause(struct wk_str s, size_t *at, uint32_t *allowed, char *bad, bool *in_perms)
{
    uint32_t who = 0, perm = 0;
    for (; *at < s.n && strchr("ugoa", s.p[*at]); (*at)++) {
        char c = s.p[*at];
        who |= c == 'u' ? 0700 : c == 'g' ? 0070 : c == 'o' ? 0007 : 0777;
    }
    if (!who)
        who = 0777;
    char op = *at < s.n ? s.p[(*at)++] : '\0';
    if (op != '+' && op != '-' && op != '=') {
        *bad = op;
        return false;
    }
    for (; *at < s.n && s.p[*at] != ','; (*at)++) {
        char c = s.p[*at];
        if (c != 'r' && c != 'w' && c != 'x') {
            *bad = c;
            *in_perms = true;
            return false;
        }
        perm |= c == 'r' ? 0444 : c == 'w' ? 0222 : 0111;
    }
    perm &= who;
    *allowed = op == '+' ? *allowed | perm : op == '-' ? *allowed & ~perm : (*allowed & ~who) | perm;
    return true;
}

static bool parse_symbolic(struct wk_shell *sh, struct wk_str s, uint32_t *mask)
{
    uint32_t allowed = ~*mask & 0777;
    size_t at = 0;
    char bad = '\0';
    bool in_perms = false;
    for (;;) {
        if (!apply_clause(s, &at, &allowed, &bad, &in_perms)) {
            wk_sh_builtin_error(sh, "umask", "`%c': invalid symbolic mode %s", bad,
                                in_perms ? "character" : "operator"); /* a NUL at the end of the mode */
            return false;
        }
        if (at >= s.n)
            break;
        at++; /* the comma */
    }
    *mask = ~allowed & 0777;
    return true;
}

static bool parse_octal(struct wk_shell *sh, struct wk_str s, uint32_t *mask)
{
    uint32_t v = 0;
    bool ok = true;
    for (size_t i = 0; i < s.n && ok; i++) {
        ok = s.p[i] >= '0' && s.p[i] <= '7';
        v = v * 8 + (uint32_t)(s.p[i] - '0');
        ok = ok && v <= 07777;
    }
    if (!ok)
        wk_sh_builtin_error(sh, "umask", "%s: octal number out of range", s.p);
    else
        *mask = v & 0777;
    return ok;
}

static enum wk_flow umask_run(struct wk_shell *sh, const struct wk_args *a)
{
    bool print = false, symbolic = false;
    struct wk_getopt g = {.b = &wk_builtin_umask, .a = a, .spec = "Sp"};
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c == '?')
            return wk_status(sh, 2);
        *(c == 'S' ? &symbolic : &print) = true;
    }
    uint32_t mask = sh->proc->cred.umask;
    bool set = g.at < a->n;
    if (set) {
        struct wk_str s = a->v[g.at];
        bool ok = s.n && wk_is_digit(s.p[0]) ? parse_octal(sh, s, &mask) : parse_symbolic(sh, s, &mask);
        if (!ok)
            return wk_status(sh, 1);
        sh->proc->cred.umask = mask;
    }
    sh->status = 0;
    if (set && !symbolic)
        return WK_NEXT;
    struct wk_bout o;
    wk_bout_init(&o, sh, "umask");
    if (print && !set)
        wk_buf_put_c(&o.buf, symbolic ? "umask -S " : "umask ");
    if (symbolic)
        put_symbolic(&o.buf, mask);
    else
        wk_buf_fmt(&o.buf, "%04o", mask);
    wk_buf_putc(&o.buf, '\n');
    return wk_bout_finish(&o);
}

WK_BUILTIN(umask, .usage = "umask [-p] [-S] [mode]",
           .summary = "Show or set the permission bits that new files do not get.",
           .help = "MODE is octal, or symbolic ([ugoa]*[-+=][rwx]*, comma, ...: the bits that are allowed).\n\n"
                   "  -p   print in a form that can be read back\n"
                   "  -S   print symbolically",
           .run = umask_run);
