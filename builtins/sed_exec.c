/* sed_exec.c - sed: the program run over the lines */
#include "builtins/sed_debug.h"

#include "base/utf8.h"

/* ---- addresses ------------------------------------------------------------------------------- */

bool wk_sed_search(struct sed *s, struct wk_re *re, struct wk_str text, size_t from,
                   struct wk_re_span *spans, size_t n)
{
    if (from == 0) { /* else it goes on in the text of the search before */
        s->run = wk_cmd_re_run(s->c);
        s->run.same = true;
    }
    int r = wk_re_search(re, &s->run, text, from, spans, n);
    if (r == -WK_ENOMEM)
        wk_heap_exhausted(s->c->heap);
    if (r < 0)
        wk_sed_die(s, 4, "%s", r == -WK_ELIMIT ? "the regular expression takes too much work"
                                               : wk_err_text(-r));
    return r == 1;
}

static bool regex_matches(struct sed *s, struct sed_re *re)
{
    if (!re)
        re = s->last;
    if (!re)
        wk_sed_fault(s, "no previous regular expression");
    s->last = re;
    return wk_sed_search(s, re->re, wk_str(s->pattern.p, s->pattern.n), 0, NULL, 0);
}

static bool address_matches(struct sed *s, const struct sed_addr *a)
{
    switch (a->kind) {
    case SED_LINE:
        return s->line == a->n;
    case SED_STEP:
        return s->line >= a->n && (s->line - a->n) % a->step == 0;
    case SED_LAST:
        return wk_sed_at_end(s);
    case SED_RE:
        return regex_matches(s, a->re);
    case SED_ZERO: /* of 0r */
        return s->line == 1;
    case SED_NO_ADDR:
    case SED_PLUS: /* as a first address it has 0, and says nothing */
    case SED_MULTIPLE:
        break;
    }
    return true;
}

/* The first line of a range: whether it is one of the range, and whether that goes on. */
static bool begin_range(struct sed *s, struct sed_cmd *cmd)
{
    const struct sed_addr *a = &cmd->a2;
    cmd->active = true;
    cmd->begun = true;
    switch (a->kind) {
    case SED_LINE:
        cmd->end = a->n;
        cmd->active = s->line < a->n;
        /* N may have taken the input past all of the range */
        return cmd->a1.kind != SED_LINE || s->line <= a->n || s->line == cmd->a1.n;
    case SED_PLUS:
        cmd->end = a->n > UINT64_MAX - s->line ? UINT64_MAX : s->line + a->n;
        cmd->active = a->n > 0;
        return true;
    case SED_MULTIPLE: /* the next multiple behind this line */
        cmd->end = a->n > UINT64_MAX - s->line ? UINT64_MAX
                   : a->n                      ? s->line + a->n - s->line % a->n
                                               : s->line;
        cmd->active = a->n > 0;
        return true;
    case SED_LAST:
    case SED_STEP:
        cmd->active = !address_matches(s, a);
        return true;
    case SED_NO_ADDR:
    case SED_RE:
    case SED_ZERO:
        break;
    }
    return true;
}

static bool in_range(struct sed *s, struct sed_cmd *cmd)
{
    switch (cmd->a2.kind) {
    case SED_LINE:
        cmd->active = s->line < cmd->end;
        return s->line <= cmd->end;
    case SED_PLUS:
    case SED_MULTIPLE:
        cmd->active = s->line < cmd->end;
        return true;
    case SED_NO_ADDR:
    case SED_STEP:
    case SED_LAST:
    case SED_RE:
    case SED_ZERO:
        break;
    }
    cmd->active = !address_matches(s, &cmd->a2);
    return true;
}

/* A range from a line on begins once, there or where the input is then; others begin again. */
static bool begins(struct sed *s, const struct sed_cmd *cmd)
{
    if (cmd->a1.kind == SED_LINE)
        return !cmd->begun && s->line >= cmd->a1.n;
    if (cmd->a1.kind == SED_ZERO)
        return false;
    return address_matches(s, &cmd->a1);
}

static bool selects(struct sed *s, struct sed_cmd *cmd)
{
    if (!cmd->a2.kind)
        return address_matches(s, &cmd->a1);
    if (cmd->active)
        return in_range(s, cmd);
    return begins(s, cmd) && begin_range(s, cmd);
}

/* ---- what is printed behind the cycle -------------------------------------------------------- */

static void append(struct sed *s, char kind, struct wk_str text, char *copy)
{
    if (s->nappends == s->appends_cap) {
        s->appends_cap = s->appends_cap ? s->appends_cap * 2 : 8;
        s->appends = wk_heap_realloc(s->c->heap, s->appends, s->appends_cap * sizeof *s->appends);
    }
    s->appends[s->nappends++] = (struct sed_append){kind, text, copy};
}

/* R: a line of the file now, to be printed later. */
static void append_line(struct sed *s, struct sed_stream *in)
{
    struct wk_str line;
    bool newline;
    if (!wk_sed_stream_line(s, in, &line, &newline))
        return;
    char *copy = wk_heap_alloc(s->c->heap, line.n + 1);
    if (line.n)
        memcpy(copy, line.p, line.n);
    copy[line.n] = s->eol;
    append(s, 'R', wk_str(copy, line.n + newline), copy);
}

static void print_appends(struct sed *s)
{
    wk_sed_raw(s, s->out, wk_str("", 0)); /* ends an unfinished line */
    for (size_t i = 0; i < s->nappends; i++) {
        struct sed_append *a = &s->appends[i];
        if (a->kind == 'r')
            wk_sed_copy_file(s, a->text.p);
        else
            wk_sed_raw(s, s->out, a->text);
        wk_heap_free(s->c->heap, a->copy);
    }
    s->nappends = 0;
}

static void print_pattern(struct sed *s, struct sed_out *to)
{
    wk_sed_line(s, to, wk_str(s->pattern.p, s->pattern.n), s->pattern.newline);
}

/* ---- commands -------------------------------------------------------------------------------- */

static struct wk_str first_line(const struct sed *s)
{
    struct wk_str text = wk_str(s->pattern.p, s->pattern.n);
    const char *end = text.n ? memchr(text.p, s->eol, text.n) : NULL;
    return end ? wk_str(text.p, (size_t)(end - text.p)) : text;
}

/* P and W: the first line of the pattern space. */
static void print_first(struct sed *s, struct sed_out *to)
{
    struct wk_str line = first_line(s);
    wk_sed_line(s, to, line, line.n < s->pattern.n || s->pattern.newline);
}

/* i and c: whatever ends their text stands for an end of line. */
static void print_text(struct sed *s, struct wk_str text)
{
    if (text.n)
        wk_sed_line(s, s->out, wk_str(text.p, text.n - 1), true);
}

static void copy_space(struct sed *s, struct sed_space *to, const struct sed_space *from, bool join)
{
    if (join) {
        wk_sed_add(s, to, &s->eol, 1);
    } else {
        to->n = 0;
        to->borrowed = false;
        to->p = to->buf;
    }
    wk_sed_add(s, to, from->p, from->n);
    to->newline = from->newline;
}

static void exchange(struct sed *s)
{
    wk_sed_room(s, &s->pattern, 0); /* the window moves on */
    struct sed_space old = s->pattern;
    s->pattern = s->hold;
    s->hold = old;
}

static const struct sed_pair *find_pair(const struct sed_map *m, uint32_t c)
{
    size_t lo = 0, hi = m->npairs;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (m->pairs[mid].from < c)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < m->npairs && m->pairs[lo].from == c ? &m->pairs[lo] : NULL;
}

static void transliterate(struct sed *s, const struct sed_map *m)
{
    struct sed_space *p = &s->pattern;
    wk_tick(s->c, (uint32_t)(p->n / 64 & 0xffffff));
    if (m->simple) {
        for (size_t i = 0; i < p->n; i++)
            p->p[i] = (char)m->bytes[(unsigned char)p->p[i]];
        return;
    }
    s->spare.n = 0;
    for (size_t i = 0; i < p->n;) {
        uint32_t c;
        size_t n = wk_utf8_next(p->p + i, p->n - i, &c);
        const struct sed_pair *pair = find_pair(m, c);
        wk_sed_add(s, &s->spare, pair ? pair->to : p->p + i, pair ? pair->n : n);
        i += n;
    }
    copy_space(s, p, &(struct sed_space){.p = s->spare.p, .n = s->spare.n, .newline = p->newline},
               false);
}

/* The end of the cycle: the pattern space is printed unless -n was given. */
static void finish(struct sed *s, bool print)
{
    if (print && !s->o->quiet)
        print_pattern(s, s->out);
    if (s->nappends)
        print_appends(s);
}

/* n: false when no line follows; the pattern space is printed first, anyway. */
static bool next_line(struct sed *s)
{
    bool last = wk_sed_at_end(s);
    if (!s->o->quiet)
        print_pattern(s, s->out);
    if (last)
        return false;
    if (s->nappends)
        print_appends(s);
    return wk_sed_read(s, false);
}

static bool join_next(struct sed *s)
{
    if (wk_sed_at_end(s))
        return false;
    if (s->nappends)
        print_appends(s);
    return wk_sed_read(s, true);
}

static void delete_first_line(struct sed *s)
{
    struct wk_str line = first_line(s);
    s->dropped = true;
    if (line.n == s->pattern.n)
        return;
    s->pattern.p += line.n + 1;
    s->pattern.n -= line.n + 1;
    s->restart = true;
    if (WK_UNLIKELY(s->o->debug))
        wk_sed_show_spaces(s, 'D');
}

static void print_number(struct sed *s)
{
    char text[24];
    size_t i = sizeof text;
    uint64_t v = s->line;
    do {
        text[--i] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    wk_sed_line(s, s->out, wk_str(text + i, sizeof text - i), true);
}

/* The commands that do something and let the next one follow. */
static void perform(struct sed *s, struct sed_cmd *cmd)
{
    switch (cmd->name) {
    case 'r':
        if (cmd->a1.kind == SED_ZERO && !cmd->a2.kind) {
            wk_sed_copy_file(s, cmd->text.p);
            break;
        }
        append(s, 'r', cmd->text, NULL);
        break;
    case 'a':
        append(s, 'a', cmd->text, NULL);
        break;
    case 'R':
        append_line(s, cmd->u.stream);
        break;
    case 'i':
        print_text(s, cmd->text);
        break;
    case 'g':
    case 'G':
        copy_space(s, &s->pattern, &s->hold, cmd->name == 'G');
        break;
    case 'h':
    case 'H':
        copy_space(s, &s->hold, &s->pattern, cmd->name == 'H');
        break;
    case 'x':
        exchange(s);
        break;
    case 'y':
        transliterate(s, cmd->u.map);
        break;
    case 'z':
        s->pattern.n = 0;
        break;
    case 'p':
        print_pattern(s, s->out);
        break;
    case 'P':
        print_first(s, s->out);
        break;
    case 'w':
        print_pattern(s, cmd->u.out);
        break;
    case 'W':
        print_first(s, cmd->u.out);
        break;
    case '=':
        print_number(s);
        break;
    case 'F':
        wk_sed_line(s, s->out, wk_str_c(s->name), true);
        break;
    case 'l':
        wk_sed_list(s, wk_str(s->pattern.p, s->pattern.n),
                    cmd->number < 0 ? s->o->width : cmd->number);
        break;
    case 'L':
        wk_sed_die(s, 4, "INTERNAL ERROR: Bad cmd L");
    default:
        break;
    }
}

static void substitute(struct sed *s, struct sed_subst *sub)
{
    if (!wk_sed_substitute(s, sub))
        return;
    s->replaced = true;
    if (sub->print)
        print_pattern(s, s->out);
    if (sub->out)
        print_pattern(s, sub->out);
}

/* Whether b, t or T jumps. */
static bool jumps(struct sed *s, char name)
{
    bool replaced = s->replaced;
    if (name == 'b')
        return true;
    s->replaced = false;
    return replaced == (name == 't');
}

static void quit(struct sed *s, const struct sed_cmd *cmd)
{
    s->quit = true;
    s->status = (int)(WK_MAX(cmd->number, 0) & 0xff);
    if (cmd->name == 'q') {
        finish(s, true);
        wk_sed_raw(s, s->out, wk_str("", 0)); /* ends an unfinished line */
    }
    s->nappends = 0;
}

/* The next command, with --debug, after what the one before did. */
static void show(struct sed *s, const struct sed_cmd *cmd, const struct sed_cmd **before)
{
    if (*before)
        wk_sed_show_spaces(s, (*before)->name);
    *before = NULL;
    if (cmd->name)
        wk_sed_show_command(s, cmd);
}

/* The program, once; whether the pattern space is to be printed. */
static bool run_program(struct sed *s)
{
    struct sed_cmd *prog = s->prog;
    const struct sed_cmd *before = NULL; /* with --debug: what was done last */
    for (size_t pc = 0;; pc++) {
        struct sed_cmd *cmd = &prog[pc];
        wk_tick(s->c, 1);
        if (WK_UNLIKELY(s->o->debug))
            show(s, cmd, &before);
        bool chosen = (!cmd->a1.kind || selects(s, cmd)) != cmd->negate;
        if (!chosen) {
            if (cmd->name == '{')
                pc = cmd->to - 2; /* its '}' is next */
            continue;
        }
        before = cmd;
        switch (cmd->name) {
        case '\0':
            return true;
        case '{':
        case '}':
        case ':':
            break;
        case 's':
            substitute(s, cmd->u.subst);
            break;
        case 'b':
        case 't':
        case 'T':
            if (jumps(s, cmd->name))
                pc = cmd->to - 1;
            break;
        case 'n':
            if (!next_line(s))
                return false;
            break;
        case 'N':
            if (!join_next(s))
                return !s->strict;
            break;
        case 'c':
            if (!cmd->a2.kind || !cmd->active)
                print_text(s, cmd->text);
            return false;
        case 'D':
            delete_first_line(s);
            return false;
        case 'd':
            return false;
        case 'q':
        case 'Q':
            quit(s, cmd);
            return false;
        default:
            perform(s, cmd);
            break;
        }
    }
}

/* ---- the gate -------------------------------------------------------------------------------- */

static bool counts_lines(const struct sed *s)
{
    for (size_t i = 0; i < s->nprog; i++) {
        const struct sed_cmd *cmd = &s->prog[i];
        const enum sed_addr_kind kinds[] = {cmd->a1.kind, cmd->a2.kind};
        if (cmd->name == '=')
            return true;
        for (size_t k = 0; k < 2; k++)
            if (kinds[k] != SED_NO_ADDR && kinds[k] != SED_RE && kinds[k] != SED_LAST)
                return true;
    }
    return false;
}

/* When nothing happens to a line unless one expression matches it, the lines that it does not match
 * need no cycle: one command, or a block, behind its address, or s alone. */
static void find_gate(struct sed *s)
{
    const struct sed_cmd *cmd = &s->prog[0];
    size_t rest = cmd->name == '{' ? cmd->to : 1;
    if (cmd->name == '\0' || cmd->negate || cmd->a2.kind || s->prog[rest].name != '\0' ||
        s->o->unbuffered)
        return;
    const struct sed_re *re = NULL;
    if (cmd->a1.kind == SED_RE)
        re = cmd->a1.re;
    else if (cmd->a1.kind == SED_NO_ADDR && cmd->name == 's' && !cmd->u.subst->edge)
        re = cmd->u.subst->re;
    s->gate = re ? re->re : NULL;
    s->gate_lines = s->gate && counts_lines(s);
}

/* ---- all lines ------------------------------------------------------------------------------- */

static void run_lines(struct sed *s)
{
    while (!s->quit) {
        if (!s->restart) {
            if (s->gate)
                wk_sed_skip(s);
            if (!wk_sed_read(s, false))
                return;
        }
        if (WK_UNLIKELY(s->o->debug) && !s->restart)
            wk_sed_show_line(s);
        s->restart = s->dropped = false;
        bool print = run_program(s);
        if (WK_UNLIKELY(s->o->debug) && !s->quit && !s->dropped)
            wk_sed_show_end(s);
        finish(s, print);
    }
}

void wk_sed_run(struct sed *s)
{
    if (!s->o->debug)
        find_gate(s);
    if (!s->o->separate) {
        run_lines(s);
    } else {
        while (!s->quit && wk_sed_next_file(s))
            run_lines(s);
        if (s->temp)
            wk_sed_finish_edit(s);
    }
    wk_sed_leave_input(s);
}
