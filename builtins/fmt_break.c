/* wk_fmt_break.c - breaking a paragraph into lines so that the whole looks best
 *
 * The cost of a line grows with the square of its distance from the goal and from the length of its neighbour;
 * ends of sentences and parentheses are good places to break, single words of a sentence bad ones. From the last
 * word to the first, the best way to go on from there is found.
 */
#include "builtins/fmt.h"

/* Costs are taken modulo 2^64: a line of blanks can have any length. */
#define SQUARE(n) ((int64_t)((uint64_t)(n) * (uint64_t)(n)))

#define COST_MOST     INT64_MAX
#define COST_LINE     SQUARE(70)
#define COST_NO_BREAK SQUARE(600)   /* behind a period that may end no sentence */
#define BONUS_END     SQUARE(50)    /* behind a sentence */
#define BONUS_PUNCT   SQUARE(40)    /* behind other punctuation */
#define BONUS_PAREN   SQUARE(40)    /* before an opening parenthesis */
#define COST_WIDOW    SQUARE(200)   /* a sentence's first word alone, over its length */
#define COST_ORPHAN   SQUARE(150)   /* its last word alone */
#define CREDIT_LINE   SQUARE(3)     /* an earlier place to cut a long paragraph at */

static int64_t short_cost(int64_t n)
{
    return SQUARE((uint64_t)n * 10);
}

static int64_t ragged_cost(int64_t n)
{
    return short_cost(n) / 2;
}

/* Of beginning a line with word i, whatever is on it. */
static int64_t start_cost(const struct fmt *f, int32_t i)
{
    const struct fmt_word *w = &f->words[i];
    int64_t cost = COST_LINE;
    if (i > 0) {
        const struct fmt_word *before = w - 1;
        if (before->period)
            cost += before->final ? -BONUS_END : COST_NO_BREAK;
        else if (before->punct)
            cost -= BONUS_PUNCT;
        else if (i > 1 && w[-2].final)
            cost += COST_WIDOW / (before->length + 2);
    }
    if (w->paren)
        cost -= BONUS_PAREN;
    else if (w->final)
        cost += COST_ORPHAN / (w->length + 2);
    return cost;
}

/* What a line before word `next` costs, with all behind it, is a polynomial of that line's length: the square
 * of its distance from the goal, half of that of its distance from the length of the line that begins there. */
static void set_polynomial(struct fmt *f, int32_t next, int64_t cost)
{
    const uint64_t short_one = 100, ragged_one = 50;
    struct fmt_word *w = &f->words[next];
    const uint64_t goal = (uint64_t)f->goal, length = (uint64_t)w->line_length;
    w->poly[0] = (uint64_t)cost;
    w->poly[1] = w->poly[2] = 0;
    if (next == f->words_n)
        return;
    w->poly[0] += (uint64_t)short_cost(f->goal);
    w->poly[1] = 0 - 2 * short_one * goal;
    w->poly[2] = short_one;
    if (w->next == f->words_n)
        return;
    w->poly[0] += (uint64_t)ragged_cost(w->line_length);
    w->poly[1] -= 2 * ragged_one * length;
    w->poly[2] += ragged_one;
}

/* The best line that begins with word `start`; its cost. What is behind it was looked at before. `before`: the
 * length of the line before, if that matters. */
static inline int64_t best_line(struct fmt *f, int32_t start, int32_t before)
{
    const int32_t end = f->words_n, width = f->width;
    struct fmt_word *first = &f->words[start];
    const struct fmt_word *w = first;
    int32_t length = (start ? f->other_indent : f->first_indent) + first->length;
    int32_t next = start, best_next = end, best_length = 0;
    int64_t best = COST_MOST;
    for (;;) { /* a line has one word at least, however long */
        next++;
        const uint64_t *poly = w[1].poly, n = (uint64_t)length;
        int64_t cost = (int64_t)((poly[2] * n + poly[1]) * n + poly[0]);
        if (before > 0)
            cost = (int64_t)((uint64_t)cost + (uint64_t)ragged_cost((int64_t)length - before));
        if (cost < best) {
            best = cost;
            best_next = next;
            best_length = length;
        }
        if (next == end)
            break;
        length += w->space + w[1].length;
        w++;
        if (length >= width)
            break;
    }
    wk_tick(f->c, (uint32_t)(next - start));
    first->next = best_next;
    first->line_length = best_length;
    return best;
}

void wk_fmt_break(struct fmt *f)
{
    f->words[f->words_n].cost = 0;
    set_polynomial(f, f->words_n, 0);
    for (int32_t start = f->words_n; start-- > 0;) {
        int64_t cost = start ? best_line(f, start, 0) : best_line(f, start, f->last_length);
        f->words[start].cost = cost + start_cost(f, start);
        set_polynomial(f, start, f->words[start].cost);
    }
}

/* ---- output ------------------------------------------------------------------------------------ */

void wk_fmt_put_space(struct fmt *f, int32_t n)
{
    enum { TAB = 8 };
    int32_t target = f->out_column + n, stop = target / TAB * TAB;
    if (f->tabs && f->out_column + 1 < stop)
        for (; f->out_column < stop; f->out_column = (f->out_column / TAB + 1) * TAB)
            wk_out_char(f->c->out, '\t');
    for (; f->out_column < target; f->out_column++)
        wk_out_char(f->c->out, ' ');
}

static void put_line(struct fmt *f, int32_t from, int32_t indent)
{
    f->out_column = 0;
    wk_fmt_put_space(f, f->prefix_indent);
    wk_out_put(f->c->out, f->prefix, (size_t)f->prefix_n);
    f->out_column += f->prefix_n;
    wk_fmt_put_space(f, indent - f->out_column);
    for (int32_t i = from, end = f->words[from].next; i < end; i++) {
        const struct fmt_word *w = &f->words[i];
        wk_out_put(f->c->out, f->chars + w->text, (size_t)w->length);
        f->out_column += w->length;
        if (i + 1 < end)
            wk_fmt_put_space(f, w->space);
    }
    f->last_length = f->out_column;
    wk_out_char(f->c->out, '\n');
}

void wk_fmt_put(struct fmt *f, int32_t end)
{
    put_line(f, 0, f->first_indent);
    for (int32_t i = f->words[0].next; i != end; i = f->words[i].next)
        put_line(f, i, f->other_indent);
}

/* A break is the better the more its line costs; earlier ones are preferred a little. */
static int32_t best_cut(const struct fmt *f)
{
    int32_t cut = f->words_n;
    int64_t best = COST_MOST;
    for (int32_t i = f->words[0].next; i != f->words_n; i = f->words[i].next) {
        int64_t cost = f->words[i].cost - f->words[f->words[i].next].cost;
        if (cost < best) {
            cut = i;
            best = cost;
        }
        if (best <= COST_MOST - CREDIT_LINE)
            best += CREDIT_LINE;
    }
    return cut;
}

void wk_fmt_make_room(struct fmt *f)
{
    if (f->words_n == 0) { /* one word fills it */
        wk_out_put(f->c->out, f->chars, (size_t)f->chars_n);
        f->chars_n = 0;
        return;
    }
    wk_fmt_break(f);
    int32_t cut = best_cut(f), shift = f->words[cut].text;
    wk_fmt_put(f, cut);
    memmove(f->chars, f->chars + shift, (size_t)(f->chars_n - shift));
    f->chars_n -= shift;
    for (int32_t i = cut; i <= f->words_n; i++)
        f->words[i].text -= shift;
    memmove(f->words, f->words + cut, (size_t)(f->words_n - cut + 1) * sizeof *f->words);
    f->words_n -= cut;
}
