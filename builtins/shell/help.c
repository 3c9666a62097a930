/* help.c - help: what the builtins and the words of the language do
 *
 * Standard: bash 4.2. Oracle: bash 5.2 for options, forms and usage lines; the texts are ours.
 */
#include "builtins/shell/describe.h"
#include "interp/builtin.h"
#include "interp/expand.h"
#include "interp/vars.h"

#include "base/num.h"

extern const struct wk_builtin wk_builtin_help;

/* A topic: a builtin's row, or a part of the language. */
struct topic {
    const char *name, *usage, *summary, *text;
    const struct wk_builtin *builtin;
};

static const struct topic words[] = {
    {"%", "job_spec [&]", "Move a job to the foreground.",
     "JOB_SPEC is %N, %STRING, %?STRING, %%, %+ or %-. With & the job goes on in the background.\n\n"
     "Status of the command that is moved to the foreground.",
     NULL},
    {"(( ... ))", "(( expression ))", "Evaluate arithmetic expression.",
     "The same as `let \"EXPRESSION\"'.\n\nStatus 1 when the value is 0, else 0.", NULL},
    {"[[ ... ]]", "[[ expression ]]", "Execute conditional command.",
     "Takes the conditions of `test', without splitting words or expanding file names in them. == and != compare\n"
     "with a pattern, =~ with an extended regular expression; ( ), !, && and || combine conditions.\n\n"
     "Status 0 when the expression is true, 1 when it is false, 2 when it is malformed.",
     NULL},
    {"case", "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac",
     "Execute commands based on pattern matching.",
     "Runs the COMMANDS of the first PATTERN that WORD matches. `;&' goes on with the next commands, `;;&' with the\n"
     "next pattern that matches.\n\nStatus of the last command, or 0.",
     NULL},
    {"coproc", "coproc [NAME] command [redirections]", "Create a coprocess named NAME.",
     "Runs COMMAND in the background; NAME[0] is a descriptor to read its output, NAME[1] one to write its input.\n"
     "The default NAME is COPROC.\n\nStatus 0.",
     NULL},
    {"for", "for NAME [in WORDS ... ] ; do COMMANDS; done", "Execute commands for each member in a list.",
     "NAME is each of the WORDS in turn; without `in' each positional parameter.\n\nStatus of the last command.", NULL},
    {"for ((", "for (( exp1; exp2; exp3 )); do COMMANDS; done", "Arithmetic for loop.",
     "Evaluates EXP1 once; while EXP2 is not 0, runs the COMMANDS and evaluates EXP3. A missing expression is 1.\n\n"
     "Status of the last command.",
     NULL},
    {"function", "function name { COMMANDS ; } or name () { COMMANDS ; }", "Define shell function.",
     "NAME as a command runs the COMMANDS in this shell, with its arguments as $1 …, and its name in $FUNCNAME.\n\n"
     "Status 0 unless NAME is read-only.",
     NULL},
    {"if", "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... [ else COMMANDS; ] fi",
     "Execute commands based on conditional.",
     "Runs the commands behind the first condition whose status is 0, or those behind `else'.\n\n"
     "Status of the last command, or 0 when no condition was true.",
     NULL},
    {"select", "select NAME [in WORDS ... ;] do COMMANDS; done", "Select words from a list and execute commands.",
     "Prints the WORDS with numbers on standard error and reads a line into REPLY; NAME is the word of that number.\n"
     "Goes on until `break' or the end of the input.\n\nStatus of the last command.",
     NULL},
    {"time", "time [-p] pipeline", "Report time consumed by pipeline's execution.",
     "Prints the real, user and system time that PIPELINE took, in the form of $TIMEFORMAT.\n\n"
     "  -p   in the form that POSIX asks for\n\nStatus of PIPELINE.",
     NULL},
    {"until", "until COMMANDS; do COMMANDS-2; done", "Execute commands as long as a test does not succeed.",
     "Runs COMMANDS-2 while the status of COMMANDS is not 0.\n\nStatus of the last command.", NULL},
    {"variables", "variables - Names and meanings of some shell variables", "Common shell variable names and usage.",
     "  BASH_VERSION    the version of bash whose language this is\n"
     "  CDPATH          directories that `cd' looks in\n"
     "  GLOBIGNORE      patterns of names that file name expansion leaves out\n"
     "  HISTFILE        the history file\n"
     "  HISTFILESIZE    how many lines it may have\n"
     "  HISTIGNORE      patterns of lines that are not kept\n"
     "  HISTSIZE        how many lines are kept\n"
     "  HOME            the directory that `cd' and ~ mean\n"
     "  IFS             the characters that words are split at\n"
     "  PATH            directories that commands are looked for in\n"
     "  PROMPT_COMMAND  commands before each prompt\n"
     "  PS1, PS2        the prompts\n"
     "  PWD             the working directory\n"
     "  SHELLOPTS       the options that are on\n"
     "  TIMEFORMAT      the form of `time'",
     NULL},
    {"while", "while COMMANDS; do COMMANDS-2; done", "Execute commands as long as a test succeeds.",
     "Runs COMMANDS-2 while the status of COMMANDS is 0.\n\nStatus of the last command.", NULL},
    {"{ ... }", "{ COMMANDS ; }", "Group commands as a unit.",
     "Runs the COMMANDS in this shell; redirections behind the brace hold for all of them.\n\n"
     "Status of the last command.",
     NULL},
};

/* All topics in the order of their names, in the arena; NULL when refused. */
static struct topic *all_topics(struct wk_shell *sh, size_t *count)
{
    const struct wk_shell_hooks *h = sh->hooks;
    size_t n = 0;
    struct topic *all = wk_arena_alloc(&sh->arena, (WK_COUNTOF(words) + (h ? h->nbuiltins : 0)) * sizeof *all);
    if (!all)
        return NULL;
    for (size_t i = 0; i < WK_COUNTOF(words); i++)
        all[n++] = words[i];
    for (size_t i = 0; h && i < h->nbuiltins; i++) {
        const struct wk_builtin *b = h->builtins[i];
        all[n++] = (struct topic){b->name, b->usage ? b->usage : b->name, b->summary ? b->summary : "", b->help, b};
    }
    for (size_t i = 1; i < n; i++) {
        struct topic t = all[i];
        size_t j = i;
        for (; j > 0 && strcmp(all[j - 1].name, t.name) > 0; j--)
            all[j] = all[j - 1];
        all[j] = t;
    }
    *count = n;
    return all;
}

const struct wk_str *wk_help_topics(struct wk_shell *sh, size_t *n)
{
    const struct topic *all = all_topics(sh, n);
    struct wk_str *names = all ? wk_arena_alloc(&sh->arena, *n * sizeof *names) : NULL;
    for (size_t i = 0; names && i < *n; i++)
        names[i] = wk_str_c(all[i].name);
    return names;
}

/* ---- one topic ------------------------------------------------------------------------------- */

static void put_topic(struct wk_buf *b, const struct topic *t, char form)
{
    switch (form) {
    case 'd':
        wk_buf_fmt(b, "%s - %s\n", t->name, t->summary);
        break;
    case 's':
        wk_buf_fmt(b, "%s: %s\n", t->name, t->usage);
        break;
    case 'm':
        wk_buf_fmt(b, "NAME\n    %s - %s\n\nSYNOPSIS\n    %s\n\nDESCRIPTION\n    %s\n    \n", t->name, t->summary,
                   t->usage, t->summary);
        wk_builtin_indent(b, t->text);
        wk_buf_put_c(b, "\nSEE ALSO\n    bash(1)\n\nIMPLEMENTATION\n    whelk, for bash 5.2\n\n");
        break;
    default:
        wk_buf_fmt(b, "%s: %s\n    %s\n", t->name, t->usage, t->summary);
        if (t->text) {
            wk_buf_put_c(b, "    \n");
            wk_builtin_indent(b, t->text);
        }
    }
}

/* ---- patterns -------------------------------------------------------------------------------- */

/* Topics that a pattern matches, or that begin with it when `prefix`; their number in *found. */
static enum wk_flow put_matches(struct wk_shell *sh, struct wk_buf *b, const struct topic *all, size_t n,
                                struct wk_str pattern, bool prefix, char form, size_t *found)
{
    *found = 0;
    for (size_t i = 0; i < n; i++) {
        struct wk_str name = wk_str_c(all[i].name);
        bool yes = prefix ? wk_str_starts(name, pattern) : wk_str_eq(name, pattern);
        if (!yes && !prefix) {
            enum wk_flow flow = wk_match_text(sh, name, pattern, false, &yes);
            if (flow != WK_NEXT)
                return flow;
        }
        if (yes) {
            put_topic(b, &all[i], form);
            ++*found;
        }
    }
    return WK_NEXT;
}

static bool has_magic(struct wk_str s)
{
    return s.n && (memchr(s.p, '*', s.n) || memchr(s.p, '?', s.n) ||
                   (memchr(s.p, '[', s.n) && memchr(s.p, ']', s.n)));
}

static void put_keywords(struct wk_buf *b, const struct wk_args *a, size_t at)
{
    wk_buf_put_c(b, a->n - at > 1 ? "Shell commands matching keywords `" : "Shell commands matching keyword `");
    for (size_t i = at; i < a->n; i++) {
        wk_buf_puts(b, a->v[i]);
        wk_buf_put_c(b, i + 1 < a->n ? ", " : "'\n\n");
    }
}

static enum wk_flow explain(struct wk_shell *sh, const struct wk_args *a, size_t at, char form)
{
    struct wk_bout o;
    size_t last = 0, any = 0, n;
    enum wk_flow flow = WK_NEXT;
    const struct topic *all = all_topics(sh, &n);
    if (!all)
        return wk_sh_nomem(sh);
    wk_bout_init(&o, sh, "help");
    if (has_magic(a->v[at]))
        put_keywords(&o.buf, a, at);
    for (; at < a->n && flow == WK_NEXT; at++) {
        flow = put_matches(sh, &o.buf, all, n, a->v[at], false, form, &last);
        if (flow == WK_NEXT && !last)
            flow = put_matches(sh, &o.buf, all, n, a->v[at], true, form, &last);
        any += last;
        if (wk_step(sh->k))
            flow = WK_STOP;
    }
    if (flow != WK_NEXT) {
        wk_bout_drop(&o);
        return flow;
    }
    sh->status = any ? 0 : 1;
    flow = wk_bout_finish(&o);
    if (flow == WK_NEXT && !any) {
        const char *s = a->v[a->n - 1].p;
        wk_sh_builtin_error(sh, "help", "no help topics match `%s'.  Try `help help' or `man -k %s' or `info %s'.", s,
                            s, s);
    }
    return flow;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* A usage line cut to its column: a star when the builtin is off, > at the end of what was cut. */
static void put_cell(struct wk_shell *sh, struct wk_buf *b, const struct topic *t, size_t width, bool pad)
{
    size_t n = strlen(t->usage), room = width - 2;
    wk_buf_putc(b, t->builtin && !wk_builtin_enabled(sh, t->builtin) ? '*' : ' ');
    wk_buf_put(b, t->usage, WK_MIN(n, room - 1));
    if (n > room - 1)
        wk_buf_putc(b, '>');
    if (pad)
        wk_buf_fill(b, ' ', width - 1 - WK_MIN(n, room));
}

static enum wk_flow list_all(struct wk_shell *sh)
{
    struct wk_bout o;
    char scratch[24];
    struct wk_str s;
    int64_t columns = 80;
    size_t n;
    const struct topic *all = all_topics(sh, &n);
    if (!all)
        return wk_sh_nomem(sh);
    uint32_t id = wk_names_find(sh->names, WK_STR("COLUMNS"));
    if (id == WK_NAME_NONE || !wk_var_get(sh, id, scratch, &s) || wk_parse_i64(s, 10, &columns) != 0 || columns < 1)
        columns = 80;
    size_t width = (size_t)WK_MIN(WK_MAX(columns / 2, 8), 40);
    wk_bout_init(&o, sh, "help");
    wk_buf_put_c(&o.buf, "whelk, a shell for the language of bash 5.2\n"
                         "These are the commands of the shell itself. `help NAME' tells about NAME, which may be a\n"
                         "pattern; `help help' tells about help.\n\n"
                         "A star (*) in front of a name means that the command is disabled.\n\n");
    size_t rows = (n + 1) / 2;
    for (size_t i = 0; i < rows; i++) {
        bool two = i + rows < n;
        put_cell(sh, &o.buf, &all[i], width, two);
        if (two)
            put_cell(sh, &o.buf, &all[i + rows], width, false);
        wk_buf_putc(&o.buf, '\n');
    }
    sh->status = 0;
    return wk_bout_finish(&o);
}

static enum wk_flow help_run(struct wk_shell *sh, const struct wk_args *a)
{
    bool description = false, page = false, usage = false;
    struct wk_getopt g = {.b = &wk_builtin_help, .a = a, .spec = "dms"};
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c == '?')
            return wk_status(sh, 2);
        description = description || c == 'd';
        page = page || c == 'm';
        usage = usage || c == 's';
    }
    size_t at = g.at ? g.at : 1;
    if (at >= a->n)
        return list_all(sh);
    return explain(sh, a, at, description ? 'd' : page ? 'm' : usage ? 's' : '\0');
}

WK_BUILTIN(help, .usage = "help [-dms] [pattern ...]", .summary = "Display information about builtin commands.",
           .help = "Tells about the builtins and words of the language that a PATTERN matches or, when there are\n"
                   "none, that begin with it; without PATTERN lists them all.\n\n"
                   "  -d   the name and one line\n"
                   "  -m   as a manual page\n"
                   "  -s   the usage line\n\n"
                   "Fails when nothing matches.",
           .run = help_run);
