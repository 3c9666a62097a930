/* params.c - shift, getopts: positional parameters
 *
 * Standard: POSIX XCU 2.14 shift, getopts; bash 4.1. Oracle: bash 5.2.
 */
#include "interp/builtin.h"
#include "interp/vars.h"
#include "interp/vars_special.h"

#include "base/num.h"

extern const struct wk_builtin wk_builtin_shift, wk_builtin_getopts;

/* ---- shift ----------------------------------------------------------------------------------- */

/* The message names the first argument, whatever it is. */
static enum wk_flow out_of_range(struct wk_shell *sh, const struct wk_args *a, bool told)
{
    if (told && a->n > 1)
        wk_sh_builtin_error(sh, "shift", "%s: shift count out of range", a->v[1].p);
    else if (told)
        wk_sh_builtin_error(sh, "shift", "shift count out of range");
    return wk_status(sh, 1);
}

static enum wk_flow shift_run(struct wk_shell *sh, const struct wk_args *a)
{
    size_t at = 1;
    int64_t n = 1;
    if (a->n > 1 && wk_str_is(a->v[1], "--help")) {
        struct wk_getopt g = {.b = &wk_builtin_shift, .a = a, .spec = ""};
        (void)wk_getopt_next(sh, &g);
        return WK_NEXT;
    }
    if (at < a->n && wk_str_is(a->v[at], "--"))
        at++;
    if (at < a->n && wk_parse_blanked(a->v[at], &n) != 0) {
        wk_sh_builtin_error(sh, "shift", "%s: numeric argument required", a->v[at].p);
        return wk_status(sh, 1);
    }
    if (at + 1 < a->n)
        return wk_sh_too_many(sh, "shift");
    struct wk_params *p = &sh->st->params;
    if (n < 0)
        return out_of_range(sh, a, true);
    if (n > p->n)
        return out_of_range(sh, a, wk_shopt(sh, SHIFT_VERBOSE));
    if (n) {
        p->v += n;
        p->n -= (uint32_t)n;
    }
    return wk_status(sh, 0);
}

/* ---- getopts --------------------------------------------------------------------------------- */

/* What getopts looks at. */
struct scan {
    struct wk_shell *sh;
    const struct wk_str *v; /* v[0] is the first argument */
    size_t n;
    struct wk_str spec;
    bool silent;
    struct wk_getopts_place place;
    char opt;
    struct wk_str arg; /* p == NULL: none */
    struct wk_str message;
};

static int set_var(struct wk_shell *sh, struct wk_str name, struct wk_str value)
{
    uint32_t id = wk_names_intern(sh->names, name);
    return id == WK_NAME_NONE ? -WK_ENOMEM : wk_var_set(sh, id, value);
}

/* OPTERR, read up to where it is no number any more. */
static bool messages_on(struct wk_str s)
{
    size_t i = 0;
    while (i < s.n && wk_is_space((unsigned char)s.p[i]))
        i++;
    i += i < s.n && (s.p[i] == '+' || s.p[i] == '-');
    while (i < s.n && s.p[i] == '0')
        i++;
    return !s.n || (i < s.n && wk_is_digit((unsigned char)s.p[i]));
}

static void illegal(struct scan *s, const char *what)
{
    if (s->silent)
        return;
    char scratch[24];
    struct wk_str on;
    uint32_t id = wk_names_find(s->sh->names, WK_STR("OPTERR"));
    if (id != WK_NAME_NONE && wk_var_get(s->sh, id, scratch, &on) && !messages_on(on))
        return;
    struct wk_buf b;
    wk_buf_init(&b, s->sh->mem, WK_VAL_MAX);
    wk_buf_fmt(&b, "%s: %s -- %c\n", s->sh->name, what, s->opt);
    (void)wk_sh_write(s->sh, 2, wk_buf_str(&b));
    wk_buf_release(&b);
}

/* Finds the cluster to read from: false at the end of the options. */
static bool find_cluster(struct scan *s, struct wk_str *word)
{
    struct wk_getopts_place *g = &s->place;
    if ((uint64_t)g->index > s->n) {
        g->index = (int64_t)s->n + 1;
        return false;
    }
    *word = (uint64_t)g->word <= s->n && g->at ? s->v[g->word - 1] : WK_STR("");
    if (g->at && (uint64_t)g->at < word->n)
        return true;
    *word = s->v[g->index - 1];
    g->word = g->index;
    g->at = 0;
    if (word->n < 2 || word->p[0] != '-')
        return false;
    if (wk_str_is(*word, "--")) {
        g->index++;
        return false;
    }
    g->at = 1;
    return true;
}

/* The argument of an option that ends at `at`. */
static void take_argument(struct scan *s, struct wk_str word, char *found)
{
    struct wk_getopts_place *g = &s->place;
    s->arg = wk_str_from(word, (size_t)g->at);
    g->at = 0;
    g->index++;
    if (s->arg.n)
        return;
    if ((uint64_t)g->index <= s->n) {
        s->arg = s->v[g->index++ - 1];
        return;
    }
    *found = s->silent ? ':' : '?';
    illegal(s, "option requires an argument");
    s->arg = s->silent ? wk_str(&s->opt, 1) : wk_str(NULL, 0);
}

/* The next option: false at the end. Result letter in *found. */
static bool next_option(struct scan *s, char *found)
{
    struct wk_getopts_place *g = &s->place;
    struct wk_str w;
    if (g->index < 1)
        *g = (struct wk_getopts_place){.index = 1};
    if (!find_cluster(s, &w))
        return false;
    s->opt = w.p[g->at++];
    ptrdiff_t at = s->opt == ':' ? -1 : wk_str_chr(s->spec, s->opt);
    *found = at >= 0 ? s->opt : '?';
    if (at >= 0 && (size_t)at + 1 < s->spec.n && s->spec.p[at + 1] == ':') {
        take_argument(s, w, found);
        return true;
    }
    if ((uint64_t)g->at >= w.n) {
        g->at = 0;
        g->index++;
    }
    if (at < 0) {
        illegal(s, "illegal option");
        if (s->silent)
            s->arg = wk_str(&s->opt, 1);
    }
    return true;
}

/* Results into the variables; the builtin's status. */
/* An option without argument: OPTARG loses its value where it is, a caller's stays what it is, and exported. One that
 * is readonly keeps it. At the end, and when there is no such option, it is unset. */
static int empty_in_place(struct wk_shell *sh, uint32_t optarg, bool option)
{
    struct wk_var *v = wk_var_own(sh, optarg);
    if (!v)
        return -WK_ENOMEM;
    if (option && v->flags & WK_VAR_READONLY)
        return wk_var_refuse_readonly(sh, optarg);
    v->flags &= ~(uint32_t)WK_VAR_READONLY;
    if (!option || v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC | WK_VAR_NAMEREF))
        return wk_var_unset(sh, optarg);
    uint32_t kept = v->flags & ~(uint32_t)(WK_VAR_SET | WK_VAR_TEXT | WK_VAR_INT), level = v->level;
    wk_var_release(sh->mem, v);
    v->flags = kept | WK_VAR_DECLARED;
    v->level = level;
    if (kept & WK_VAR_EXPORT)
        sh->st->env_gen++;
    return 0;
}

static enum wk_flow store(struct scan *s, struct wk_str name, bool got, char letter)
{
    struct wk_shell *sh = s->sh;
    uint32_t optind = wk_names_intern(sh->names, WK_STR("OPTIND"));
    uint32_t optarg = wk_names_intern(sh->names, WK_STR("OPTARG"));
    if (optind == WK_NAME_NONE || optarg == WK_NAME_NONE)
        return wk_sh_nomem(sh);
    int e = wk_var_set_int(sh, optind, s->place.index);
    sh->st->getopts = s->place; /* setting OPTIND has changed it */
    if ((!e || e == -WK_EPERM) && s->arg.p) {
        e = wk_var_set(sh, optarg, s->arg);
    } else if (!e || e == -WK_EPERM) { /* even when it is readonly */
        e = empty_in_place(sh, optarg, got && letter != '?');
    }
    if (e && e != -WK_EPERM) /* a message does not keep the result back */
        return wk_sh_fail(sh, e);
    if (!wk_str_is_name(name)) {
        wk_sh_builtin_error(sh, "getopts", "`%s': not a valid identifier", name.p);
        return wk_status(sh, 1);
    }
    uint32_t id = wk_names_find(sh->names, name);
    const struct wk_var *v = id == WK_NAME_NONE ? NULL : wk_var_peek(sh, id);
    if (v && v->flags & WK_VAR_NOASSIGN) /* FUNCNAME, GROUPS… */
        return wk_status(sh, got ? 2 : 1);
    e = set_var(sh, name, got ? wk_str(&letter, 1) : WK_STR("?"));
    if (e)
        return e == -WK_EPERM ? wk_status(sh, got ? 2 : 1) : wk_sh_fail(sh, e);
    return wk_status(sh, got ? 0 : 1);
}

static enum wk_flow getopts_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_getopts, .a = a, .spec = ""};
    if (wk_getopt_next(sh, &g) != 0)
        return wk_status(sh, 2);
    size_t at = g.at ? g.at : 1;
    if (at + 2 > a->n)
        return wk_builtin_usage(sh, &wk_builtin_getopts);
    struct scan s = {.sh = sh, .spec = a->v[at], .place = sh->st->getopts};
    s.v = at + 2 < a->n ? a->v + at + 2 : sh->st->params.v;
    s.n = at + 2 < a->n ? a->n - at - 2 : sh->st->params.n;
    if (s.spec.n && s.spec.p[0] == ':') {
        s.silent = true;
        s.spec = wk_str_from(s.spec, 1);
    }
    char letter = '?';
    bool got = next_option(&s, &letter);
    return store(&s, a->v[at + 1], got, letter);
}

WK_BUILTIN(shift, .usage = "shift [n]", .summary = "Shift positional parameters.",
           .help = "Drops the first N positional parameters, by default one.\n\n"
                   "Fails when there are fewer than N.",
           .flags = WK_BUILTIN_SPECIAL, .run = shift_run);

WK_BUILTIN(getopts, .usage = "getopts optstring name [arg ...]",
           .summary = "Parse option arguments.",
           .help = "Puts the next option of the positional parameters, or of the ARGs, in NAME, "
                   "its argument in OPTARG\n"
                   "and the index of the next argument in OPTIND. OPTSTRING has the option "
                   "letters; a colon after one\n"
                   "says that it takes an argument. With a colon in front no messages are printed: "
                   "NAME becomes ? for\n"
                   "an unknown option and : for a missing argument, OPTARG the letter.\n\n"
                   "Fails at the end of the options.",
           .flags = WK_BUILTIN_POSIX, .run = getopts_run);
