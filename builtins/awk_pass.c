/* awk_pass.c - which parameters are arrays: an element that is handed over for one becomes an array before the call
 *
 * Whether a parameter is used as an array shows in the function's body, or in that of one which it is handed on to;
 * either may stand behind the call. So what is seen is noted while the program is read, and settled at its end.
 */
#include "builtins/awk_parse.h"

struct awk_pass {
    enum awk_pass_kind kind;
    uint32_t at;         /* ELEMENT: where its word is in the code */
    size_t func, slot;   /* whose parameter is used, or handed on */
    size_t callee, param; /* what it is handed to */
};

struct awk_passes {
    struct awk_pass *v;
    size_t cap;
};

void wk_awk_note_pass(struct awk_parser *p, enum awk_pass_kind kind, size_t slot, size_t callee, size_t param)
{
    struct wk_heap *heap = p->a->c->heap;
    if (!p->passes)
        p->passes = wk_new(p->a->c, struct awk_passes);
    if (p->npasses == p->passes->cap) {
        p->passes->cap = p->passes->cap ? 2 * p->passes->cap : 16;
        p->passes->v = (struct awk_pass *)wk_heap_realloc(heap, p->passes->v, p->passes->cap * sizeof *p->passes->v);
    }
    uint32_t here = (uint32_t)p->a->code.n;
    p->passes->v[p->npasses++] = (struct awk_pass){kind, here ? here - 1 : 0, p->func, slot, callee, param};
}

void wk_awk_settle_passes(struct awk_parser *p)
{
    struct awk *a = p->a;
    size_t *first = wk_new_n(a->c, size_t, a->nfuncs + 1);
    for (size_t f = 0; f < a->nfuncs; f++)
        first[f + 1] = first[f] + a->funcs[f].params;
    bool *arrays = wk_new_n(a->c, bool, first[a->nfuncs] + 1);
    for (bool more = p->npasses > 0; more;) {
        more = false;
        for (size_t i = 0; i < p->npasses; i++) {
            const struct awk_pass *x = &p->passes->v[i];
            bool known = x->kind == AWK_PASS_ARRAY ||
                         (x->kind == AWK_PASS_ON && x->param < a->funcs[x->callee].params &&
                          arrays[first[x->callee] + x->param]);
            if (known && !arrays[first[x->func] + x->slot])
                more = arrays[first[x->func] + x->slot] = true;
            wk_tick(a->c, 1);
        }
    }
    for (size_t i = 0; i < p->npasses; i++) {
        const struct awk_pass *x = &p->passes->v[i];
        if (x->kind == AWK_PASS_ELEMENT && x->param < a->funcs[x->callee].params &&
            arrays[first[x->callee] + x->param] && a->code.v[x->at] == AWK_ELEM_ANY)
            a->code.v[x->at] = AWK_SUB_ARRAY;
    }
    wk_heap_free(a->c->heap, arrays);
    wk_heap_free(a->c->heap, first);
}
