/* getopt.c - parse the options of a script
 *
 * Oracle: getopt of util-linux 2.38.1. The parser is used twice: for the command's own options and for those it is
 * given.
 */
#include "builtins/fsops.h"
#include "builtins/zone.h"

struct long_option {
    struct wk_str name;
    int arg; /* 0 none, 1 needed, 2 may be there */
};

enum { OPT_END = -1, OPT_BAD = -2, OPT_OPERAND = -3, OPT_LONG = -4 };

struct parser {
    struct wk_cmd *c;
    const char *name; /* for messages */
    bool quiet, in_order, stops, alternative;
    const char *shorts; /* without the signs in front */
    struct long_option *longs;
    size_t nlongs, cap;
    char **args;
    int n, at;
    const char *rest; /* what is left of a word of short options */
    char **operands;
    int noperands;
    const char *arg; /* of the option found, or the operand; NULL: none */
    size_t found;    /* number of the long one */
};

/* ---- the parser -------------------------------------------------------------------------------- */

static int complain(struct parser *p, const char *text)
{
    if (!p->quiet && p->shorts[0] != ':')
        wk_out_fmt(p->c->err, "%s: %s\n", p->name, text);
    return OPT_BAD;
}

static void set_shorts(struct parser *p, const char *s)
{
    p->stops = *s == '+' || wk_cmd_env(p->c, "POSIXLY_CORRECT") != NULL;
    p->in_order = *s == '-';
    p->shorts = s + (*s == '+' || *s == '-');
}

static int ambiguous(struct parser *p, const char *dashes, const char *word, struct wk_str name)
{
    struct wk_buf *b = wk_cmd_buf(p->c, SIZE_MAX / 2);
    wk_buf_fmt(b, "option '%s%s' is ambiguous; possibilities:", dashes, word);
    for (size_t i = 0; i < p->nlongs; i++)
        if (wk_str_starts(p->longs[i].name, name))
            wk_buf_fmt(b, " '%s%.*s'", dashes, (int)WK_MIN(p->longs[i].name.n, (size_t)INT32_MAX), p->longs[i].name.p);
    return complain(p, wk_keep(p->c, b));
}

/* A long option; `word` stands behind the dashes. OPT_END: it is none, and short ones may be meant. */
static int take_long(struct parser *p, const char *dashes, const char *word, bool may_be_short)
{
    struct wk_str name = wk_str(word, strcspn(word, "="));
    size_t match = SIZE_MAX, matches = 0;
    for (size_t i = 0; i < p->nlongs; i++) {
        wk_tick(p->c, 1);
        if (wk_str_eq(p->longs[i].name, name)) {
            match = i;
            matches = 1;
            break;
        }
        if (wk_str_starts(p->longs[i].name, name)) {
            match = matches ? match : i;
            matches++;
        }
    }
    if (matches > 1)
        return ambiguous(p, dashes, word, name);
    if (!matches)
        return may_be_short ? OPT_END : complain(p, wk_strf(p->c, "unrecognized option '%s%s'", dashes, word));
    const struct long_option *l = &p->longs[match];
    const char *full = wk_dupn(p->c, l->name.p, l->name.n);
    p->found = match;
    if (word[name.n]) {
        if (!l->arg)
            return complain(p, wk_strf(p->c, "option '%s%s' doesn't allow an argument", dashes, full));
        p->arg = word + name.n + 1;
    } else if (l->arg == 1) {
        if (p->at >= p->n)
            return complain(p, wk_strf(p->c, "option '%s%s' requires an argument", dashes, full));
        p->arg = p->args[p->at++];
    }
    return OPT_LONG;
}

static const char *find_short(const struct parser *p, char ch)
{
    return ch == ':' || ch == ';' || !ch ? NULL : strchr(p->shorts, ch);
}

static int take_short(struct parser *p)
{
    char ch = *p->rest++;
    const char *o = find_short(p, ch);
    const char *rest = *p->rest ? p->rest : NULL;
    p->rest = rest;
    if (!o)
        return complain(p, wk_strf(p->c, "invalid option -- '%c'", ch));
    bool w = o[0] == 'W' && o[1] == ';';
    if (!w && o[1] != ':')
        return (unsigned char)ch;
    p->rest = NULL;
    if (rest) {
        p->arg = rest;
    } else if (w || o[2] != ':') {
        if (p->at >= p->n)
            return complain(p, wk_strf(p->c, "option requires an argument -- '%c'", ch));
        p->arg = p->args[p->at++];
    }
    if (!w)
        return (unsigned char)ch;
    const char *word = p->arg;
    p->arg = NULL;
    return take_long(p, "-W ", word, false);
}

/* The next option: its letter, or one of OPT_… */
static int next_option(struct parser *p)
{
    p->arg = NULL;
    wk_tick(p->c, 1);
    if (p->rest)
        return take_short(p);
    for (; p->at < p->n; p->at++) {
        const char *word = p->args[p->at];
        if (word[0] == '-' && word[1])
            break;
        if (p->stops)
            return OPT_END;
        if (p->in_order) {
            p->arg = p->args[p->at++];
            return OPT_OPERAND;
        }
        p->operands[p->noperands++] = p->args[p->at];
    }
    if (p->at >= p->n)
        return OPT_END;
    const char *word = p->args[p->at++];
    if (!strcmp(word, "--"))
        return OPT_END;
    if (word[1] == '-')
        return take_long(p, "--", word + 2, false);
    bool known = find_short(p, word[1]) != NULL;
    if (p->alternative && (word[2] || !known)) {
        int found = take_long(p, "-", word + 1, known);
        if (found != OPT_END)
            return found;
    }
    p->rest = word + 1;
    return take_short(p);
}

/* ---- the command ------------------------------------------------------------------------------- */

struct getopt {
    struct parser own, given;
    bool unquoted, silent, csh;
};

static void put_quoted(const struct getopt *g, const char *s)
{
    struct wk_out *out = g->own.c->out;
    if (g->silent)
        return;
    wk_out_char(out, ' ');
    if (g->unquoted) {
        wk_out_c(out, s);
        return;
    }
    wk_out_char(out, '\'');
    for (; *s; s++) {
        unsigned char ch = (unsigned char)*s;
        if (ch == '\'')
            wk_out_c(out, "'\\''");
        else if (g->csh && ch == '\\')
            wk_out_c(out, "\\\\");
        else if (g->csh && ch == '\n')
            wk_out_c(out, "\\n");
        else if (g->csh && (ch == '!' || wk_is_space(ch)))
            wk_out_fmt(out, "'\\%c'", ch);
        else
            wk_out_char(out, (char)ch);
    }
    wk_out_char(out, '\'');
}

static int parse_given(struct getopt *g)
{
    struct parser *p = &g->given;
    struct wk_out *out = p->c->out;
    int status = 0, o;
    while ((o = next_option(p)) != OPT_END) {
        if (o == OPT_BAD) {
            status = 1;
            continue;
        }
        if (g->silent)
            continue;
        if (o == OPT_OPERAND) {
            put_quoted(g, p->arg);
        } else if (o == OPT_LONG) {
            wk_out_c(out, " --");
            wk_out_str(out, p->longs[p->found].name);
            if (p->longs[p->found].arg)
                put_quoted(g, p->arg ? p->arg : "");
        } else {
            wk_out_char(out, ' ');
            wk_out_char(out, '-');
            wk_out_char(out, (char)o);
            const char *found = find_short(p, (char)o);
            if (found && found[1] == ':')
                put_quoted(g, p->arg ? p->arg : "");
        }
    }
    if (g->silent)
        return status;
    wk_out_c(out, " --");
    for (int i = 0; i < p->noperands; i++)
        put_quoted(g, p->operands[i]);
    for (int i = p->at; i < p->n; i++)
        put_quoted(g, p->args[i]);
    wk_out_char(out, '\n');
    return status;
}

static WK_NORETURN void bad_usage(struct wk_cmd *c, const char *text)
{
    if (text)
        wk_out_fmt(c->err, "getopt: %s\n", text);
    wk_out_c(c->err, "Try 'getopt --help' for more information.\n");
    wk_exit(c, 2);
}

static void add_long(struct parser *p, struct wk_str name, int arg)
{
    if (p->nlongs == p->cap) {
        p->cap = p->cap ? p->cap * 2 : 16;
        struct long_option *v = wk_new_n(p->c, struct long_option, p->cap);
        if (p->nlongs)
            memcpy(v, p->longs, p->nlongs * sizeof *v);
        wk_heap_free(p->c->heap, p->longs);
        p->longs = v;
    }
    p->longs[p->nlongs++] = (struct long_option){name, arg};
}

/* The list of -l. */
static void add_longs(struct parser *p, const char *list)
{
    for (const char *s = list + strspn(list, ", \t\n"); *s; s += strspn(s, ", \t\n")) {
        size_t n = strcspn(s, ", \t\n");
        struct wk_str name = wk_str(s, n);
        int arg = 0;
        for (; arg < 2 && name.n && name.p[name.n - 1] == ':'; arg++)
            name.n--;
        if (!name.n)
            bad_usage(p->c, "empty long option after -l or --long argument");
        add_long(p, name, arg);
        s += n;
    }
}

static void set_shell(struct getopt *g, const char *name)
{
    g->csh = !strcmp(name, "csh") || !strcmp(name, "tcsh");
    if (!g->csh && strcmp(name, "sh") != 0 && strcmp(name, "bash") != 0)
        bad_usage(g->own.c, "unknown shell after -s or --shell argument");
}

/* getopt's own options, up to the first operand; the letters of -o, or NULL. */
static const char *parse_own(struct getopt *g)
{
    static const struct {
        const char *name;
        char letter;
        int arg;
    } longs[] = {{"alternative", 'a', 0}, {"longoptions", 'l', 1}, {"name", 'n', 1},  {"options", 'o', 1},
                 {"quiet", 'q', 0},       {"quiet-output", 'Q', 0}, {"shell", 's', 1}, {"test", 'T', 0},
                 {"unquoted", 'u', 0},    {"help", 'h', 0},         {"version", 'V', 0}};
    struct parser *p = &g->own, *given = &g->given;
    const char *letters = NULL;
    for (size_t i = 0; i < WK_COUNTOF(longs); i++)
        add_long(p, wk_str_c(longs[i].name), longs[i].arg);
    int o;
    while ((o = next_option(p)) != OPT_END) {
        switch (o == OPT_LONG ? longs[p->found].letter : o) {
        case 'a': given->alternative = true; break;
        case 'l': add_longs(given, p->arg); break;
        case 'n': given->name = p->arg; break;
        case 'o': letters = p->arg; break;
        case 'q': given->quiet = true; break;
        case 'Q': g->silent = true; break;
        case 's': set_shell(g, p->arg); break;
        case 'T': wk_exit(p->c, 4);
        case 'u': g->unquoted = true; break;
        case 'h': wk_cmd_about(p->c, false);
        case 'V': wk_cmd_about(p->c, true);
        default: bad_usage(p->c, NULL);
        }
    }
    return letters;
}

static int getopt_main(struct wk_cmd *c)
{
    struct getopt *g = wk_new(c, struct getopt);
    bool compatible = wk_cmd_env(c, "GETOPT_COMPATIBLE") != NULL;
    g->own = (struct parser){.c = c, .name = c->name, .shorts = "ao:l:n:qQs:TuhV", .stops = true, .args = c->args,
                             .n = c->nargs};
    g->given = (struct parser){.c = c, .name = c->name, .args = c->args, .n = c->nargs};
    g->own.operands = wk_new_n(c, char *, (size_t)c->nargs + 1);
    g->given.operands = wk_new_n(c, char *, (size_t)c->nargs + 1);
    if (!c->nargs) {
        if (!compatible)
            bad_usage(c, "missing optstring argument");
        wk_out_c(c->out, " --\n");
        return 0;
    }
    const char *letters;
    if (compatible || c->args[0][0] != '-') {
        letters = c->args[0] + strspn(c->args[0], "-+");
        g->unquoted = true;
        g->given.at = 1;
    } else {
        letters = parse_own(g);
        g->given.at = g->own.at;
        if (!letters && g->own.at >= c->nargs)
            bad_usage(c, "missing optstring argument");
        if (!letters)
            letters = c->args[g->given.at++];
    }
    set_shorts(&g->given, letters);
    return parse_given(g);
}

WK_COMMAND(getopt, .summary = "parse the options of a script",
           .usage = "getopt OPTSTRING [ARG]...\ngetopt [OPTION]... [--] OPTSTRING [ARG]...\n"
                    "getopt [OPTION]... -o OPTSTRING [OPTION]... [--] [ARG]...",
           .help = "  -a, --alternative          long options may begin with one dash\n"
                   "  -h                         the same as --help\n"
                   "  -l, --longoptions=LIST     names of long options, : behind those with an argument\n"
                   "  -n, --name=NAME            who complains\n"
                   "  -o, --options=OPTSTRING    letters of short options, : behind those with an argument\n"
                   "  -q, --quiet                do not complain\n"
                   "  -Q, --quiet-output         print nothing\n"
                   "  -s, --shell=SHELL          quote as sh, bash, csh or tcsh does\n"
                   "  -T, --test                 status 4: this is the getopt with long options\n"
                   "  -u, --unquoted             do not quote\n"
                   "  -V                         the same as --version",
           .std = "util-linux 2.38.1", .flags = WK_CMD_RAW_ARGS, .usage_status = 2);
