/* patch_head.c - patch: finding the next patch in the file, among whatever else stands there */
#include "base/num.h"
#include "builtins/patch.h"

/* ---- lines ------------------------------------------------------------------------------------- */

/* The next line as it is; a last line without a newline counts for nothing. */
static bool raw_line(struct patch *p, struct wk_str *line)
{
    if (p->at >= p->text.n)
        return false;
    struct wk_str rest = wk_str_from(p->text, p->at);
    ptrdiff_t end = wk_str_chr(rest, '\n');
    p->line++;
    if (end >= 0) {
        *line = wk_str(rest.p, (size_t)end + 1);
        p->at += line->n;
        return true;
    }
    PATCH_SAY(p, "patch unexpectedly ends in middle of line\n");
    p->line--;
    p->at = p->text.n;
    return false;
}

bool wk_patch_next_line(struct patch *p, bool comments, struct wk_str *out)
{
    struct wk_str line;
    while (raw_line(p, &line)) {
        for (size_t column = 0; column < p->h.indent && line.n > 1; line = wk_str_from(line, 1)) {
            if (line.p[0] == '\t')
                column += 8 - column % 8;
            else if (line.p[0] == ' ' || line.p[0] == 'X')
                column++;
            else
                break;
        }
        for (int i = 0; i < p->h.nesting && wk_str_starts(line, WK_STR("- ")); i++)
            line = wk_str_from(line, 2);
        if (p->h.strip_cr && line.n > 1 && line.p[line.n - 2] == '\r') {
            char *copy = wk_dupn(p->c, line.p, line.n);
            copy[line.n - 2] = '\n';
            line = wk_str(copy, line.n - 1);
        }
        if (!comments && line.p[0] == '#')
            continue;
        *out = line;
        return true;
    }
    return false;
}

/* ---- looking ----------------------------------------------------------------------------------- */

struct look {
    size_t at, before;         /* where this line and the one before begin */
    int64_t line, line_before; /* their numbers */
    size_t first_command;      /* of an ed script; SIZE_MAX: none */
    int64_t first_command_line;
    char first_letter;
    size_t indent, indent_before;
    bool need_header, command, command_before, stars_before;
    struct wk_str s; /* the line without indentation */
};

/* "1,2c3" alone in its line. */
static bool is_command(struct wk_str s)
{
    size_t i = 0;
    while (i < s.n && (wk_is_digit((unsigned char)s.p[i]) || s.p[i] == ','))
        i++;
    if (!i || !wk_is_digit((unsigned char)s.p[0]) || i >= s.n || !strchr("acd", s.p[i]))
        return false;
    for (i++; i < s.n && (wk_is_digit((unsigned char)s.p[i]) || s.p[i] == ',');)
        i++;
    while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\t' || s.p[i] == '\r'))
        i++;
    return i < s.n && s.p[i] == '\n';
}

static bool take(struct wk_str s, const char *word, struct wk_str *rest)
{
    struct wk_str w = wk_str_c(word);
    *rest = wk_str_from(s, w.n);
    return wk_str_starts(s, w);
}

static uint32_t octal(struct wk_str s)
{
    int64_t v = 0;
    int err;
    size_t n = s.n && wk_is_digit((unsigned char)s.p[0]) ? wk_scan_i64(s, 8, &v, &err) : 0;
    return n && v <= 0177777 ? (uint32_t)v : 0;
}

/* 2 for a hash of zeros, 1 for that of nothing. */
static int hash_absent(struct wk_str s)
{
    size_t n = 0;
    while (n < s.n && s.p[n] == '0')
        n++;
    if (n && (n == s.n || !wk_is_xdigit((unsigned char)s.p[n])))
        return 2;
    static const char empty[] = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
    n = 0;
    while (n < s.n && n < sizeof empty - 1 && s.p[n] == empty[n])
        n++;
    return n >= 7 && (n == s.n || !wk_is_xdigit((unsigned char)s.p[n]));
}

static void index_line(struct patch_head *h, struct wk_str rest)
{
    size_t dots = 0;
    while (dots + 1 < rest.n && !(rest.p[dots] == '.' && rest.p[dots + 1] == '.'))
        dots++;
    h->absent[PATCH_OLD] = hash_absent(wk_str_take(rest, dots));
    struct wk_str second = wk_str_from(rest, dots + 2);
    h->absent[PATCH_NEW] = hash_absent(second);
    ptrdiff_t blank = wk_str_chr(second, ' ');
    uint32_t mode = blank >= 0 ? octal(wk_str_from(second, (size_t)blank + 1)) : 0;
    if (mode)
        h->mode[0] = h->mode[1] = mode;
    h->extended = true;
}

/* The lines that git puts below "diff --git": true when this was one. */
static bool git_line(struct patch_head *h, struct wk_str s)
{
    struct wk_str rest;
    if (take(s, "index ", &rest)) {
        index_line(h, rest);
    } else if (take(s, "old mode ", &rest)) {
        h->mode[PATCH_OLD] = octal(rest);
    } else if (take(s, "new mode ", &rest)) {
        h->mode[PATCH_NEW] = octal(rest);
    } else if (take(s, "deleted file mode ", &rest)) {
        h->mode[PATCH_OLD] = octal(rest);
        h->absent[PATCH_NEW] = 2;
    } else if (take(s, "new file mode ", &rest)) {
        h->mode[PATCH_NEW] = octal(rest);
        h->absent[PATCH_OLD] = 2;
    } else if (take(s, "rename from ", &rest) || take(s, "rename to ", &rest)) {
        h->rename = true;
    } else if (take(s, "copy from ", &rest) || take(s, "copy to ", &rest)) {
        h->copy = true;
    } else {
        return false;
    }
    h->extended = true;
    return true;
}

static void stop_here(struct patch *p, const struct look *l, enum patch_kind kind)
{
    p->h.kind = kind;
    p->h.start = l->at;
    p->h.start_line = l->line;
}

/* What only names files: true when the line is done with; *end when a patch without hunks ends before it. */
static bool header_line(struct patch *p, struct look *l, bool cr, bool *end)
{
    struct patch_head *h = &p->h;
    struct wk_str rest, t = l->s;
    int nesting = 0;
    for (; wk_str_starts(t, WK_STR("- ")); t = wk_str_from(t, 2))
        nesting++;
    if (!l->stars_before && take(l->s, "*** ", &rest)) {
        wk_patch_take_name(p, rest, PATCH_OLD);
        h->strip_cr = cr;
    } else if (take(l->s, "+++ ", &rest)) {
        wk_patch_take_name(p, rest, PATCH_OLD);
        h->strip_cr = cr;
    } else if (take(l->s, "Index:", &rest)) {
        wk_patch_take_name(p, rest, PATCH_INDEX);
        h->strip_cr = cr;
    } else if (take(l->s, "Prereq:", &rest)) {
        rest = wk_str_trim(rest);
        size_t n = 0;
        while (n < rest.n && !wk_is_space((unsigned char)rest.p[n]))
            n++;
        h->prereq = wk_str_take(rest, n);
        return true;
    } else if (take(l->s, "diff --git ", &rest)) {
        if (h->extended) {
            *end = true;
            return true;
        }
        for (int i = 0; i < PATCH_NAMES; i++)
            h->name[i] = NULL;
        h->git = wk_patch_git_names(p, rest);
        if (!h->git)
            return true;
    } else if (h->git && git_line(h, l->s)) {
        return true;
    } else if (take(t, "--- ", &rest)) {
        wk_patch_take_name(p, rest, PATCH_NEW);
        h->nesting = nesting;
        h->strip_cr = cr;
        l->need_header = false;
        return false; /* it may begin the second half of an old context diff */
    } else {
        return false;
    }
    l->need_header = false;
    return true;
}

static void swap_sides(struct patch_head *h)
{
    char *name = h->name[PATCH_OLD];
    h->name[PATCH_OLD] = h->name[PATCH_NEW];
    h->name[PATCH_NEW] = name;
    struct wk_str text = h->time_text[0];
    h->time_text[0] = h->time_text[1];
    h->time_text[1] = text;
    int64_t time = h->time[0];
    h->time[0] = h->time[1];
    h->time[1] = time;
}

static bool is_zero(struct wk_str s)
{
    return s.n && s.p[0] == '0' && !(s.n > 1 && wk_is_digit((unsigned char)s.p[1]));
}

static bool wants(const struct patch *p, enum patch_kind kind)
{
    return p->o->kind == PATCH_NONE || (enum patch_kind)p->o->kind == kind;
}

static void begin_unified(struct patch *p, struct look *l)
{
    struct patch_head *h = &p->h;
    swap_sides(h);
    struct wk_str s = wk_str_from(l->s, 4);
    if (is_zero(s))
        h->absent[PATCH_OLD] = 1 + (h->time[PATCH_OLD] == 0);
    size_t i = 0;
    while (i < s.n && s.p[i] != ' ' && s.p[i] != '\n')
        i++;
    while (i < s.n && s.p[i] == ' ')
        i++;
    if (i < s.n && s.p[i] == '+' && is_zero(wk_str_from(s, i + 1)))
        h->absent[PATCH_NEW] = 1 + (h->time[PATCH_NEW] == 0);
    h->indent = l->indent;
    stop_here(p, l, PATCH_UNIFIED);
}

/* A context diff that leaves nothing says so in the second range of its first hunk. */
static void begin_context(struct patch *p, struct look *l, bool cr)
{
    struct patch_head *h = &p->h;
    struct wk_str s = wk_str_from(l->s, 4);
    if (is_zero(s))
        h->absent[PATCH_OLD] = 1 + (h->time[PATCH_OLD] == 0);
    h->indent = l->indent;
    h->strip_cr = cr;
    size_t n = s.n - 1;
    enum patch_kind kind = n && s.p[n - 1] == '*' ? PATCH_NEW_CONTEXT : PATCH_CONTEXT;
    h->kind = kind;
    p->at = l->before;
    p->line = l->line_before - 1;
    if (wk_patch_read_hunk(p) && !p->hunk.side[!p->reverse].n)
        h->absent[PATCH_NEW] = 1 + (h->time[PATCH_NEW] == 0);
    l->at = l->before;
    l->line = l->line_before;
    stop_here(p, l, kind);
}

/* Whether hunks begin here; kind is set then. */
static bool begins(struct patch *p, struct look *l, bool cr)
{
    if (l->first_command != SIZE_MAX && wk_str_eq(l->s, WK_STR(".\n")) && wants(p, PATCH_ED)) {
        l->at = l->first_command;
        l->line = l->first_command_line;
        stop_here(p, l, PATCH_ED);
    } else if (wk_str_starts(l->s, WK_STR("@@ -")) && wants(p, PATCH_UNIFIED)) {
        begin_unified(p, l);
    } else if (l->stars_before && l->indent == l->indent_before && wk_str_starts(l->s, WK_STR("*** ")) &&
               (wants(p, PATCH_CONTEXT) || wants(p, PATCH_NEW_CONTEXT))) {
        begin_context(p, l, cr);
    } else if (l->command_before && (wk_str_starts(l->s, WK_STR("< ")) || wk_str_starts(l->s, WK_STR("> "))) &&
               wants(p, PATCH_NORMAL)) {
        p->h.strip_cr = cr;
        p->h.indent = l->indent;
        l->at = l->before;
        l->line = l->line_before;
        stop_here(p, l, PATCH_NORMAL);
    } else {
        return false;
    }
    return true;
}

static void strip_indent(struct look *l, struct wk_str line)
{
    l->indent = 0;
    for (l->s = line; l->s.n && (l->s.p[0] == ' ' || l->s.p[0] == '\t' || l->s.p[0] == 'X');
         l->s = wk_str_from(l->s, 1))
        l->indent += l->s.p[0] == '\t' ? 8 - l->indent % 8 : 1;
}

static void at_end(struct patch *p, struct look *l)
{
    l->at = p->at;
    l->line = p->line + 1;
    if (l->first_letter && !l->need_header) {
        l->at = l->first_command;
        l->line = l->first_command_line;
        stop_here(p, l, PATCH_ED);
    } else {
        stop_here(p, l, p->h.extended ? PATCH_UNIFIED : PATCH_NONE);
    }
}

static void examine(struct patch *p)
{
    struct look l = {.need_header = p->c->nargs == 0, .first_command = SIZE_MAX};
    p->h = (struct patch_head){.time = {-1, -1}};
    for (;;) {
        struct wk_str line;
        bool end = false;
        l.before = l.at;
        l.line_before = l.line;
        l.command_before = l.command;
        l.indent_before = l.indent;
        l.stars_before = l.s.p && wk_str_starts(l.s, WK_STR("********"));
        l.at = p->at;
        l.line = p->line + 1;
        if (!raw_line(p, &line)) {
            at_end(p, &l);
            return;
        }
        wk_tick(p->c, (uint32_t)(line.n / 64) + 1);
        strip_indent(&l, line);
        l.command = is_command(l.s);
        char letter = wk_patch_ed_letter(l.s);
        if (l.first_command == SIZE_MAX && letter) {
            l.first_command = l.at;
            l.first_command_line = l.line;
            l.first_letter = letter;
            p->h.indent = l.indent;
        }
        bool cr = line.n > 1 && line.p[line.n - 2] == '\r', header = header_line(p, &l, cr, &end);
        if (end) {
            stop_here(p, &l, PATCH_UNIFIED);
            return;
        }
        if (p->h.git && wk_str_starts(l.s, WK_STR("GIT binary patch"))) {
            stop_here(p, &l, PATCH_GIT_BINARY);
            return;
        }
        if (!header && !l.need_header && begins(p, &l, cr))
            return;
    }
}

/* ---- telling ----------------------------------------------------------------------------------- */

/* Passes what stands before the hunks, and shows it. */
static void pass_header(struct patch *p)
{
    bool show = p->o->volume == PATCH_VERBOSE || !p->in_name;
    if (show && p->base < p->h.start) {
        PATCH_SAY(p, "The text leading up to this was:\n--------------------------\n");
        for (struct wk_str rest = wk_str(p->text.p + p->base, p->h.start - p->base); rest.n;) {
            ptrdiff_t end = wk_str_chr(rest, '\n');
            size_t n = end < 0 ? rest.n : (size_t)end + 1;
            PATCH_SAY(p, "|%.*s", (int)n, rest.p);
            rest = wk_str_from(rest, n);
        }
        PATCH_SAY(p, "--------------------------\n");
    }
    p->at = p->h.start;
    p->line = p->h.start_line - 1;
}

static bool nothing_more(struct patch *p)
{
    if (p->o->volume == PATCH_VERBOSE)
        PATCH_SAY(p, "%s",
                  p->base ? "  Ignoring the trailing garbage.\ndone\n"
                          : "  I can't seem to find a patch in there anywhere.\n");
    if (!p->base && p->text.n)
        PATCH_FATAL(p, "Only garbage was found in the patch input.");
    return false;
}

static void tell_kind(struct patch *p)
{
    static const char *const words[] = {"",
                                        "a context diff",
                                        "a new-style context diff",
                                        "a normal diff",
                                        "an ed script",
                                        "a unified diff",
                                        "a git binary diff"};
    if (p->o->volume == PATCH_VERBOSE)
        PATCH_SAY(p, "  %sooks like %s to me...\n", p->base ? "The next patch l" : "L", words[p->h.kind]);
    if (p->o->volume == PATCH_SILENT)
        return;
    if (p->h.indent)
        PATCH_SAY(p, "(Patch is indented %zu space%s.)\n", p->h.indent, p->h.indent == 1 ? "" : "s");
    if (p->h.strip_cr)
        PATCH_SAY(p, "(Stripping trailing CRs from patch; use --binary to disable.)\n");
    if (p->in_name)
        return;
    PATCH_SAY(p, "can't find file to patch at input line %lld\n", (long long)p->h.start_line);
    if (p->h.kind != PATCH_ED && p->h.kind != PATCH_NORMAL)
        PATCH_SAY(p, "%s",
                  p->o->has_strip ? "Perhaps you used the wrong -p or --strip option?\n"
                                  : "Perhaps you should have used the -p or --strip option?\n");
}

/* Asks for a name until there is one that exists, or the patch is to be skipped. */
static void ask_for_name(struct patch *p)
{
    if (p->o->force || p->o->batch) {
        PATCH_SAY(p, "No file to patch.  Skipping patch.\n");
        p->skip = true;
        return;
    }
    while (!p->in_name) {
        const char *answer = wk_patch_ask(p, "File to patch: ");
        if (*answer) {
            p->in_name = answer;
            wk_patch_look(p);
            if (!p->in_err)
                return;
            wk_warn(p->c, p->in_name, p->in_err);
            p->in_name = NULL;
        }
        answer = wk_patch_ask(p, "Skip this patch? [y] ");
        if (*answer != 'n') {
            if (p->o->volume != PATCH_SILENT)
                PATCH_SAY(p, "Skipping patch.\n");
            p->skip = true;
            return;
        }
    }
}

bool wk_patch_find(struct patch *p)
{
    if (p->base && p->base >= p->text.n) {
        if (p->o->volume == PATCH_VERBOSE)
            PATCH_SAY(p, "done\n");
        return false;
    }
    if (p->o->volume == PATCH_VERBOSE)
        PATCH_SAY(p, "Hmm...");
    p->at = p->base;
    p->line = p->base_line;
    examine(p);
    if (p->h.kind == PATCH_NONE)
        return nothing_more(p);
    wk_patch_choose(p);
    if (p->o->binary)
        p->h.strip_cr = false;
    if (p->skip) {
        p->at = p->h.start;
        p->line = p->h.start_line - 1;
        return true;
    }
    tell_kind(p);
    pass_header(p);
    if (!p->in_name)
        ask_for_name(p);
    return true;
}
