/* sed_debug.c - sed --debug: the program as it was understood, and what it does */
#include "builtins/sed_debug.h"

/* ---- text ------------------------------------------------------------------------------------ */

/* One byte; GNU takes those above 127 for negative numbers. */
static void put_byte(struct wk_out *o, char ch)
{
    static const char from[] = "\\\a\f\n\r\t\v", to[] = "\\afnrtv";
    const char *at = ch ? strchr(from, ch) : NULL;
    if (at)
        wk_out_fmt(o, "\\%c", to[at - from]);
    else if (ch >= 0x20 && ch < 0x7f)
        wk_out_char(o, ch);
    else
        wk_out_fmt(o, "\\o%03o", (unsigned)(int)(signed char)ch);
}

static void put_bytes(struct wk_out *o, struct wk_str text)
{
    for (size_t i = 0; i < text.n; i++)
        put_byte(o, text.p[i]);
}

static void put_regex(struct wk_out *o, const struct sed_re *re)
{
    wk_out_char(o, '/');
    for (size_t i = 0; re && i < re->text.n; i++) {
        if (re->text.p[i] == '/')
            wk_out_char(o, '\\');
        put_byte(o, re->text.p[i]);
    }
    wk_out_char(o, '/');
}

/* ---- commands -------------------------------------------------------------------------------- */

static void put_address(struct wk_out *o, const struct sed_addr *a)
{
    switch (a->kind) {
    case SED_NO_ADDR:
        return;
    case SED_LINE:
        wk_out_u64(o, a->n);
        return;
    case SED_STEP:
        wk_out_u64(o, a->n);
        wk_out_char(o, '~');
        wk_out_u64(o, a->step);
        return;
    case SED_LAST:
        wk_out_char(o, '$');
        return;
    case SED_RE:
        put_regex(o, a->re);
        wk_out_c(o, a->re && a->re->icase ? "I" : "");
        wk_out_c(o, a->re && a->re->multiline ? "M" : "");
        return;
    case SED_ZERO:
        wk_out_char(o, '0');
        return;
    case SED_PLUS:
    case SED_MULTIPLE:
        if (!a->n) {
            wk_out_c(o, "[ADDR-NULL]");
            return;
        }
        wk_out_char(o, a->kind == SED_PLUS ? '+' : '~');
        wk_out_u64(o, a->n);
        return;
    }
}

static void put_addresses(struct wk_out *o, const struct sed_cmd *cmd)
{
    if (cmd->a1.kind == SED_ZERO && !cmd->a2.kind) /* 0r */
        wk_out_char(o, '1');
    else
        put_address(o, &cmd->a1);
    if (cmd->a2.kind)
        wk_out_char(o, ',');
    put_address(o, &cmd->a2);
    if (cmd->negate)
        wk_out_char(o, '!');
    if (cmd->a1.kind)
        wk_out_char(o, ' ');
}

static void put_replacement(struct wk_out *o, const struct sed_subst *sub)
{
    int last = 0;
    for (size_t i = 0; i < sub->nparts; i++) {
        const struct sed_part *p = &sub->parts[i];
        if (p->mode != last)
            wk_out_c(o, p->mode & SED_UPPER_ONE   ? "\\u"
                        : p->mode & SED_LOWER_ONE ? "\\l"
                        : p->mode & SED_UPPER     ? "\\U"
                        : p->mode & SED_LOWER     ? "\\L"
                                                  : "\\E");
        last = p->mode;
        wk_out_str(o, p->text);
        if (p->group > 0)
            wk_out_fmt(o, "\\%d", p->group);
        else if (p->group == 0)
            wk_out_char(o, '&');
    }
}

static void put_subst(struct wk_out *o, const struct sed_subst *sub)
{
    put_regex(o, sub->re);
    put_replacement(o, sub);
    wk_out_char(o, '/');
    wk_out_c(o, sub->re && sub->re->icase ? "i" : "");
    wk_out_c(o, sub->re && sub->re->multiline ? "m" : "");
    wk_out_c(o, sub->global ? "g" : "");
    wk_out_c(o, sub->print ? "p" : "");
    if (sub->numbered)
        wk_out_u64(o, sub->number);
    if (sub->out)
        wk_out_fmt(o, "w%s", sub->out->name);
}

/* y: characters as they were written; bytes in order, those that change. */
static void show_map(struct wk_out *o, const struct sed_map *m, bool utf8)
{
    wk_out_char(o, '/');
    if (utf8)
        wk_out_str(o, m->from);
    for (int ch = 0; ch < 256 && !utf8; ch++)
        if (m->bytes[ch] != ch)
            wk_out_char(o, (char)ch);
    wk_out_char(o, '/');
    if (utf8)
        wk_out_str(o, m->to);
    for (int ch = 0; ch < 256 && !utf8; ch++)
        if (m->bytes[ch] != ch)
            wk_out_char(o, (char)m->bytes[ch]);
    wk_out_char(o, '/');
}

static void put_arguments(const struct sed *s, struct wk_out *o, const struct sed_cmd *cmd)
{
    switch (cmd->name) {
    case ':':
        wk_out_str(o, cmd->text);
        break;
    case 'a':
    case 'c':
    case 'i':
        wk_out_char(o, '\\');
        wk_out_str(o, cmd->text);
        break;
    case 'b':
    case 't':
    case 'T':
    case 'r':
    case 'R':
        if (cmd->text.n)
            wk_out_char(o, ' ');
        wk_out_str(o, cmd->text);
        break;
    case 'l':
    case 'L':
    case 'q':
    case 'Q':
        if (cmd->number != -1)
            wk_out_fmt(o, " %lld", (long long)cmd->number);
        break;
    case 's':
        put_subst(o, cmd->u.subst);
        break;
    case 'w':
    case 'W':
        wk_out_str(o, cmd->text);
        break;
    case 'y':
        show_map(o, cmd->u.map, s->utf8);
        break;
    default:
        break;
    }
}

/* The depth of blocks is counted by the braces that were shown. */
static void put_command(struct sed *s, const struct sed_cmd *cmd)
{
    struct wk_out *o = s->c->out;
    if (cmd->name == '}' && s->level > 0)
        s->level--;
    for (int i = 0; i < s->level; i++)
        wk_out_c(o, "  ");
    put_addresses(o, cmd);
    wk_out_char(o, cmd->name);
    put_arguments(s, o, cmd);
    wk_out_char(o, '\n');
    if (cmd->name == '{')
        s->level++;
}

/* ---- the run --------------------------------------------------------------------------------- */

void wk_sed_show_program(struct sed *s)
{
    wk_out_c(s->c->out, "SED PROGRAM:\n");
    for (size_t i = 0; s->prog[i].name; i++) {
        wk_out_c(s->c->out, "  ");
        put_command(s, &s->prog[i]);
    }
    s->level = 0;
}

static void put_space(struct sed *s, const char *title, const struct sed_space *sp)
{
    wk_out_c(s->c->out, title);
    put_bytes(s->c->out, wk_str(sp->p, sp->n));
    wk_out_char(s->c->out, '\n');
}

void wk_sed_show_line(struct sed *s)
{
    const char *name = strcmp(s->in.name, "-") == 0 ? "STDIN" : s->in.name;
    wk_out_fmt(s->c->out, "INPUT:   '%s' line %llu\n", name, (unsigned long long)s->line);
    put_space(s, "PATTERN: ", &s->pattern);
}

void wk_sed_show_command(struct sed *s, const struct sed_cmd *cmd)
{
    wk_out_c(s->c->out, "COMMAND: ");
    put_command(s, cmd);
}

void wk_sed_show_spaces(struct sed *s, char name)
{
    if (strchr("DGNnsxyz", name))
        put_space(s, "PATTERN: ", &s->pattern);
    if (strchr("gHhx", name))
        put_space(s, "HOLD:    ", &s->hold);
}

void wk_sed_show_match(struct sed *s, struct wk_str text, const struct wk_re_span *spans, size_t n)
{
    struct wk_out *o = s->c->out;
    wk_out_c(o, "MATCHED REGEX REGISTERS\n");
    for (size_t i = 0; i < n && i < 10; i++) {
        if (spans[i].start < 0)
            continue;
        wk_out_fmt(o, "  regex[%zu] = %td-%td '", i, spans[i].start, spans[i].end);
        wk_out_put(o, text.p + spans[i].start, (size_t)(spans[i].end - spans[i].start));
        wk_out_c(o, "'\n");
    }
}

void wk_sed_show_end(struct sed *s)
{
    wk_out_c(s->c->out, "END-OF-CYCLE:\n");
}
