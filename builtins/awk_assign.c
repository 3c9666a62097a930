/* awk_assign.c - compiles awk's assignments: the code of place and value in the order of their doing
 */
#include "builtins/awk_parse.h"

/* Moves the targets of the jumps in a block, all of which lie in it. */
static void shift_jumps(struct awk_parser *p, uint32_t at, uint32_t end, int64_t by)
{
    uint32_t *v = p->a->code.v;
    for (; at < end; at += (uint32_t)wk_awk_words_of(v[at])) {
        uint32_t op = v[at] & 255;
        if (op == AWK_JMP || op == AWK_JZ || op == AWK_JNZ)
            v[at] = op | (uint32_t)((int64_t)(v[at] >> 8) + by) << 8;
    }
}

static void reverse_words(uint32_t *v, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        uint32_t word = v[i];
        v[i] = v[n - 1 - i];
        v[n - 1 - i] = word;
    }
}

void wk_awk_swap_blocks(struct awk_parser *p, uint32_t place, uint32_t value)
{
    uint32_t end = awk_here(p), *parts[] = {p->a->code.v, p->a->code.lines};
    if (place == value)
        return;
    shift_jumps(p, place, value, (int64_t)end - value);
    shift_jumps(p, value, end, (int64_t)place - value);
    for (size_t k = 0; k < WK_COUNTOF(parts); k++) {
        reverse_words(parts[k] + place, value - place);
        reverse_words(parts[k] + value, end - value);
        reverse_words(parts[k] + place, end - place);
    }
}

void wk_awk_take_first(struct awk_parser *p, uint32_t from, enum awk_place place, size_t slot)
{
    uint32_t *v = p->a->code.v, n = awk_here(p);
    enum awk_op load = place == AWK_AT_G ? AWK_LOAD_G : AWK_LOAD_L;
    if ((place != AWK_AT_G && place != AWK_AT_L) ||
        v[from] != ((uint32_t)load | (uint32_t)slot << 8) || (v[n - 1] & 255) != AWK_CONCAT)
        return;
    for (uint32_t i = from + 1; i < n; i += (uint32_t)wk_awk_words_of(v[i])) {
        uint32_t op = v[i] & 255;
        switch (op) {
        case AWK_CALL:
        case AWK_CALL_NAMED:
        case AWK_GETLINE:
        case AWK_JMP:
        case AWK_JZ:
        case AWK_JNZ:
        case AWK_SUBST:
        case AWK_BUILTIN:
            return;
        default:
            if (v[i] >> 8 == slot && op >= AWK_LOAD_G && op <= AWK_STEP_ELEM && op != AWK_FIELD_C &&
                op != AWK_SUBSEP)
                return;
        }
    }
    v[from] = (uint32_t)(place == AWK_AT_G ? AWK_TAKE_G : AWK_TAKE_L) | (uint32_t)slot << 8;
}
