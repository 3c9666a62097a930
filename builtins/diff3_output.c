/* diff3_output.c - diff3: the parts as they stand, as a script for ed, or the merged file */
#include "builtins/diff3.h"

static bool has_newline(struct wk_str s)
{
    return s.n && s.p[s.n - 1] == '\n';
}

static void put_lines(struct diff3 *d, const struct diff3_part *p, int file)
{
    for (int64_t i = 0; i < p->n[file]; i++) {
        wk_out_str(d->c->out, p->line[file][i]);
        wk_tick(d->c, 1);
    }
}

/* ---- the parts ----------------------------------------------------------------------------------
 */

static void put_range(struct diff3 *d, const struct diff3_part *p, int file)
{
    long long start = (long long)p->start[file], n = (long long)p->n[file];
    wk_out_fmt(d->c->out, "%d:", file + 1);
    if (!n)
        wk_out_fmt(d->c->out, "%llda\n", start);
    else if (n == 1)
        wk_out_fmt(d->c->out, "%lldc\n", start + 1);
    else
        wk_out_fmt(d->c->out, "%lld,%lldc\n", start + 1, start + n);
}

static void put_part(struct diff3 *d, const struct diff3_part *p)
{
    static const char order[][DIFF3_FILES] = {{0, 1, 2}, {0, 2, 1}, {0, 1, 2}, {0, 1, 2}};
    static const char *const marks[] = {"====1\n", "====2\n", "====3\n", "====\n"};
    /* Of the two that are alike only the second is shown. */
    int hidden = p->kind == DIFF3_BY_MINE ? DIFF3_OLD : p->kind == DIFF3_BY_ALL ? -1 : DIFF3_MINE;
    struct wk_out *out = d->c->out;
    wk_out_c(out, marks[p->kind]);
    for (int i = 0; i < DIFF3_FILES; i++) {
        int file = order[p->kind][i];
        put_range(d, p, file);
        for (int64_t k = 0; file != hidden && k < p->n[file]; k++) {
            struct wk_str s = p->line[file][k];
            wk_out_c(out, d->o->initial_tab ? "\t" : "  ");
            wk_out_str(out, s);
            if (!has_newline(s))
                wk_out_c(out, "\n\\ No newline at end of file\n");
            wk_tick(d->c, 1);
        }
    }
}

int wk_diff3_put_parts(struct diff3 *d)
{
    for (size_t i = 0; i < d->n; i++)
        put_part(d, &d->part[i]);
    return 0;
}

/* ---- what is wanted -----------------------------------------------------------------------------
 */

enum action {
    ACTION_NONE,
    ACTION_TAKE,    /* the lines of YOURFILE */
    ACTION_CONFLICT,
    ACTION_SHOW_OLD /* only OLDFILE differs: the old lines are shown beside the new ones */
};

static enum action action_of(const struct diff3 *d, enum diff3_kind kind)
{
    int script = d->o->script;
    bool overlaps_only = script == DIFF3_OVERLAP || script == DIFF3_OVERLAP_X;
    switch (kind) {
    case DIFF3_BY_OLD:
        return script == DIFF3_ALL_BRACKETS ? ACTION_SHOW_OLD : ACTION_NONE;
    case DIFF3_BY_YOURS:
        return overlaps_only ? ACTION_NONE : ACTION_TAKE;
    case DIFF3_BY_ALL:
        if (script == DIFF3_ALL_BRACKETS || script == DIFF3_ED_BRACKETS)
            return ACTION_CONFLICT;
        return script == DIFF3_EASY ? ACTION_NONE : ACTION_TAKE;
    default:
        return ACTION_NONE;
    }
}

/* ---- scripts for ed -----------------------------------------------------------------------------
 */

/* Lines as input of ed, one that begins with a dot has another in front: whether there was one. */
static bool put_dotted(struct diff3 *d, const struct diff3_part *p, int file)
{
    bool dots = false;
    for (int64_t i = 0; i < p->n[file]; i++) {
        struct wk_str s = p->line[file][i];
        if (s.p[0] == '.')
            wk_out_char(d->c->out, '.');
        dots = dots || s.p[0] == '.';
        wk_out_str(d->c->out, s);
        wk_tick(d->c, 1);
    }
    return dots;
}

/* Ends the input; when it had dots, lines `from` … `from` + n - 1 lose the ones in front. */
static void end_input(struct diff3 *d, bool dots, int64_t from, int64_t n)
{
    wk_out_c(d->c->out, ".\n");
    if (!dots)
        return;
    if (n > 1)
        wk_out_fmt(d->c->out, "%lld,%llds/^\\.//\n", (long long)from, (long long)(from + n - 1));
    else
        wk_out_fmt(d->c->out, "%llds/^\\.//\n", (long long)from);
}

static void script_brackets(struct diff3 *d, const struct diff3_part *p, bool conflict)
{
    struct wk_out *out = d->c->out;
    int64_t at = p->start[DIFF3_MINE], after = at + p->n[DIFF3_MINE], lines = 0;
    bool dots = false;
    wk_out_fmt(out, "%llda\n", (long long)after);
    if (conflict) {
        if (d->o->script == DIFF3_ALL_BRACKETS) {
            wk_out_fmt(out, "||||||| %s\n", d->label[DIFF3_OLD]);
            dots = put_dotted(d, p, DIFF3_OLD);
        }
        wk_out_c(out, "=======\n");
        dots = put_dotted(d, p, DIFF3_YOURS) || dots;
        lines = p->n[DIFF3_OLD] + 1 + p->n[DIFF3_YOURS]; /* also when the old ones are not shown */
    }
    wk_out_fmt(out, ">>>>>>> %s\n", d->label[DIFF3_YOURS]);
    end_input(d, dots, after + 2, lines);
    wk_out_fmt(out, "%llda\n", (long long)at);
    wk_out_fmt(out, "<<<<<<< %s\n", d->label[conflict ? DIFF3_MINE : DIFF3_OLD]);
    dots = false;
    if (!conflict) {
        dots = put_dotted(d, p, DIFF3_OLD);
        wk_out_c(out, "=======\n");
    }
    end_input(d, dots, at + 2, p->n[DIFF3_OLD]);
}

static void script_take(struct diff3 *d, const struct diff3_part *p)
{
    struct wk_out *out = d->c->out;
    long long at = (long long)p->start[DIFF3_MINE], n = (long long)p->n[DIFF3_MINE];
    char what = !p->n[DIFF3_YOURS] ? 'd' : !n ? 'a' : 'c';
    if (n > 1)
        wk_out_fmt(out, "%lld,%lld%c\n", at + 1, at + n, what);
    else
        wk_out_fmt(out, "%lld%c\n", at + n, what);
    if (what == 'd')
        return;
    bool dots = put_dotted(d, p, DIFF3_YOURS);
    end_input(d, dots, at + 1, p->n[DIFF3_YOURS]);
}

int wk_diff3_put_script(struct diff3 *d)
{
    int conflicts = 0;
    for (size_t i = d->n; i > 0; i--) {
        const struct diff3_part *p = &d->part[i - 1];
        enum action what = action_of(d, p->kind);
        if (what == ACTION_TAKE)
            script_take(d, p);
        if (what != ACTION_CONFLICT && what != ACTION_SHOW_OLD)
            continue;
        conflicts = 1;
        script_brackets(d, p, what == ACTION_CONFLICT);
    }
    if (d->o->write)
        wk_out_c(d->c->out, "w\nq\n");
    return conflicts;
}

/* ---- the merged file ----------------------------------------------------------------------------
 */

/* Lines of MYFILE: written or not; false when there are not so many. */
static bool pass_lines(struct diff3 *d, struct wk_in *in, int64_t n, bool put)
{
    struct wk_str line;
    for (; n > 0; n--) {
        if (!wk_line_next(in, '\n', &line)) {
            if (in->err)
                wk_exit(d->c, 2);
            return false;
        }
        if (put)
            wk_out_str(d->c->out, line);
        if (put && !in->no_newline)
            wk_out_char(d->c->out, '\n');
        wk_tick(d->c, 1);
    }
    return true;
}

static void merge_brackets(struct diff3 *d, const struct diff3_part *p, bool conflict)
{
    struct wk_out *out = d->c->out;
    int first = conflict ? DIFF3_MINE : DIFF3_OLD;
    wk_out_fmt(out, "<<<<<<< %s\n", d->label[first]);
    put_lines(d, p, first);
    if (conflict && d->o->script == DIFF3_ALL_BRACKETS) {
        wk_out_fmt(out, "||||||| %s\n", d->label[DIFF3_OLD]);
        put_lines(d, p, DIFF3_OLD);
    }
    wk_out_c(out, "=======\n");
    put_lines(d, p, DIFF3_YOURS);
    wk_out_fmt(out, ">>>>>>> %s\n", d->label[DIFF3_YOURS]);
}

int wk_diff3_put_merged(struct diff3 *d, struct wk_in *in)
{
    int64_t line = 0;
    int conflicts = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct diff3_part *p = &d->part[i];
        enum action what = action_of(d, p->kind);
        if (what == ACTION_NONE)
            continue;
        if (!pass_lines(d, in, p->start[DIFF3_MINE] - line, true))
            wk_fail(d->c, 2, "input file shrank");
        if (what == ACTION_TAKE)
            put_lines(d, p, DIFF3_YOURS);
        else
            merge_brackets(d, p, what == ACTION_CONFLICT);
        conflicts = conflicts || what != ACTION_TAKE;
        if (!pass_lines(d, in, p->n[DIFF3_MINE], false))
            wk_fail(d->c, 2, "input file shrank");
        line = p->start[DIFF3_MINE] + p->n[DIFF3_MINE];
    }
    (void)pass_lines(d, in, INT64_MAX, true);
    return conflicts;
}
