/* pidof.c - the numbers of the processes that run a program
 *
 * Standard: procps 4.0.2. Oracle: pidof.
 */
#include "base/num.h"
#include "builtins/fsops.h"
#include "builtins/proctable.h"

struct pidof {
    struct wk_cmd *c;
    struct wk_proctable table;
    bool single, scripts, quiet;
    char separator;
    const char **omit;
    size_t omits;
    bool any; /* one was found */
};

/* ---- what is left out */

static bool is_omitted(const struct pidof *s, uint32_t pid)
{
    for (size_t i = 0; i < s->omits; i++)
        for (const char *p = s->omit[i]; *p;) {
            size_t n = strcspn(p, ",;:");
            int64_t v = -1;
            if (n == 5 && strncmp(p, "%PPID", 5) == 0) {
                for (size_t k = 0; k < s->table.n; k++)
                    if (s->table.v[k].pid == s->c->proc->pid)
                        v = s->table.v[k].ppid;
            } else if (wk_parse_i64(wk_str(p, n), 10, &v) != 0) {
                v = -1;
            }
            if (v == (int64_t)pid)
                return true;
            p += n + (p[n] != '\0');
        }
    return false;
}

/* ---- what matches */

static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether a word that runs is the program asked for: the same word, or its last part. */
static bool same_word(const char *word, const char *program)
{
    return strcmp(word, program) == 0 || strcmp(base(word), program) == 0;
}

/* The same file as one that was asked for by its whole path. */
static bool same_file(const struct pidof *s, const struct wk_procinfo *p, const char *word,
                      const char *program)
{
    char *dir, *exe, *mine, *theirs;
    struct wk_cmd *c = s->c;
    if (program[0] != '/')
        return false;
    if (!wk_at_readlink(c, NULL, wk_strf(c, "/proc/%u/exe", p->pid), &exe) &&
        strcmp(exe, program) == 0)
        return true;
    if (!strchr(word, '/') || wk_at_readlink(c, NULL, wk_strf(c, "/proc/%u/cwd", p->pid), &dir))
        return false;
    const char *path = word[0] == '/' ? word : wk_join_path(c, dir, word);
    return !wk_at_realpath(c, path, WK_REALPATH_ALL, &mine) &&
           !wk_at_realpath(c, program, WK_REALPATH_ALL, &theirs) && strcmp(mine, theirs) == 0;
}

/* The i-th argument, "" when there is none. */
static const char *argument(const struct wk_procinfo *p, size_t i)
{
    size_t at = 0;
    for (; i && at < p->args_n; i--)
        at += strlen(p->args + at) + 1;
    return at < p->args_n ? p->args + at : "";
}

static bool runs(const struct pidof *s, const struct wk_procinfo *p, const char *program)
{
    const char *first = argument(p, 0);
    if (!p->args_n)
        return p->state != 'Z' && strcmp(p->comm, program) == 0;
    if (same_word(first, program) || same_file(s, p, first, program))
        return true;
    const char *script = argument(p, 1);
    return s->scripts && *script && strncmp(p->comm, base(script), 15) == 0 &&
           (same_word(script, program) || same_file(s, p, script, program));
}

static void put_number(struct pidof *s, uint32_t pid)
{
    if (s->any)
        wk_out_char(s->c->out, s->separator);
    wk_out_u64(s->c->out, pid);
}

/* Prints those of one program, the latest first; the number that were found. */
static void look_for(struct pidof *s, const char *program)
{
    for (size_t i = s->table.n; i--;) {
        const struct wk_procinfo *p = &s->table.v[i];
        if (p->pid == s->c->proc->pid || is_omitted(s, p->pid) || !runs(s, p, program))
            continue;
        if (!s->quiet)
            put_number(s, p->pid);
        s->any = true;
        wk_tick(s->c, 4);
        if (s->single)
            return;
    }
}

/* Listed by --help; a wrong one ends it without a word. */
static const struct wk_opt pidof_options[] = {
    {WK_OPT_FLAG, 'c', NULL, NULL, "only those with the same root directory: all have it", 0, 0,
     NULL},
    {WK_OPT_STR, 'd', NULL, "SEP", "its first character stands between the numbers", 0, 0, NULL},
    {WK_OPT_FLAG, 'h', NULL, NULL, "what --help prints", 0, 0, NULL},
    {WK_OPT_FLAG, 'n', NULL, NULL, "no look at files of remote machines: there are none", 0, 0,
     NULL},
    {WK_OPT_STR, 'o', NULL, "PID,...", "leave these out; %PPID: its parent", 0, 0, NULL},
    {WK_OPT_FLAG, 'q', NULL, NULL, "print nothing", 0, 0, NULL},
    {WK_OPT_FLAG, 's', NULL, NULL, "one for each program", 0, 0, NULL},
    {WK_OPT_FLAG, 'x', NULL, NULL, "also shells that run a script of this name", 0, 0, NULL},
    {WK_OPT_FLAG, 'z', NULL, NULL, "also those that have ended: they run nothing", 0, 0, NULL},
    WK_OPTS_END,
};

static bool take_letter(struct pidof *s, char letter, const char *arg)
{
    switch (letter) {
    case 'd':
        s->separator = arg[0];
        return true;
    case 'o':
        s->omit[s->omits++] = arg;
        return true;
    case 'q':
        s->quiet = true;
        return true;
    case 's':
        s->single = true;
        return true;
    case 'x':
        s->scripts = true;
        return true;
    case 'h':
        wk_cmd_about(s->c, false);
    default:
        return letter == 'c' || letter == 'n' || letter == 'z';
    }
}

/* The options; what is left are names of programs. False: one of them is wrong. */
static bool read_options(struct pidof *s)
{
    struct wk_cmd *c = s->c;
    bool options = true;
    int n = 0;
    s->omit = wk_new_n(c, const char *, (size_t)c->argc);
    for (int i = 0; i < c->nargs; i++) {
        const char *word = c->args[i];
        if (!options || word[0] != '-' || !word[1]) {
            c->args[n++] = c->args[i];
            continue;
        }
        options = strcmp(word, "--") != 0;
        for (const char *p = word + 1; options && *p; p++) {
            bool takes = *p == 'd' || *p == 'o';
            const char *arg = !takes ? "" : p[1] ? p + 1 : i + 1 < c->nargs ? c->args[++i] : NULL;
            if (!arg || !take_letter(s, *p, arg))
                return false;
            if (takes)
                break;
        }
    }
    c->nargs = n;
    return n > 0;
}

static int pidof_main(struct wk_cmd *c)
{
    struct pidof s = {.c = c, .separator = ' '};
    if (!read_options(&s))
        return 1;
    wk_proctable_read(c, &s.table);
    for (int i = 0; i < c->nargs; i++)
        if (c->args[i][0])
            look_for(&s, c->args[i]);
    if (s.any && !s.quiet)
        wk_out_char(c->out, '\n');
    return s.any ? 0 : 1;
}

WK_COMMAND(pidof, .summary = "print the numbers of the processes that run a program",
           .usage = "pidof [options] <program-name> [...]", .std = "procps 4.0.2",
           .opts = pidof_options, .flags = WK_CMD_RAW_ARGS);
