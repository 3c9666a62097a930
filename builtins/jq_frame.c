/* jq_frame.c - frames and choices of jq's machine */
#include "builtins/jq_run.h"

static size_t frame_bytes(const struct jq_code *code)
{
    return sizeof(struct jq_frame) + code->nslots * sizeof(struct jq_val) +
           code->nclosures * sizeof(struct jq_closure);
}

struct jq_frame *wk_jq_frame(struct jq_machine *m, struct jq_code *code)
{
    size_t n = frame_bytes(code), class = (n + JQ_FRAME_UNIT - 1) / JQ_FRAME_UNIT;
    struct jq_frame *f;
    wk_tick(m->q->c, 1 + code->nslots / 16);
    if (class < JQ_FRAME_CLASSES && m->pool[class]) {
        f = m->pool[class];
        m->pool[class] = f->to;
    } else {
        f = wk_heap_alloc(m->q->c->heap, class < JQ_FRAME_CLASSES ? class * JQ_FRAME_UNIT : n);
    }
    memset(f, 0, n);
    f->refs = 1;
    f->class = class < JQ_FRAME_CLASSES ? (uint16_t)class : 0;
    f->code = code;
    f->closures = (struct jq_closure *)(void *)(f->s + code->nslots);
    return f;
}

/* One count less; what is dead now goes to the list of dead frames, with the callers that only it counted. */
static void bury(struct jq_machine *m, struct jq_frame *f)
{
    while (f && --f->refs == 0) {
        struct jq_frame *to = f->to;
        f->to = m->dead;
        m->dead = f;
        f = to;
    }
}

void wk_jq_frame_free(struct jq_machine *m, struct jq_frame *f)
{
    f->refs = 1;
    bury(m, f);
    while ((f = m->dead)) {
        m->dead = f->to;
        for (uint32_t i = 0; i < f->code->nslots; i++)
            jq_free(m->q, f->s[i]);
        for (uint32_t i = 0; i < f->code->nclosures; i++)
            bury(m, f->closures[i].frame);
        bury(m, f->parent);
        if (f->class) {
            f->to = m->pool[f->class];
            m->pool[f->class] = f;
        } else {
            wk_heap_free(m->q->c->heap, f);
        }
    }
}

struct jq_choice *wk_jq_choose(struct jq_machine *m, enum jq_choice_kind kind, const struct jq_ins *pc)
{
    if (m->n == m->cap) {
        m->cap = m->cap ? m->cap * 2 : 32;
        m->choices = wk_heap_realloc(m->q->c->heap, m->choices, m->cap * sizeof *m->choices);
    }
    struct jq_choice *c = &m->choices[m->n++];
    c->kind = (uint8_t)kind;
    c->f = jq_frame_ref(m->f);
    c->pc = pc;
    c->v = c->p = jq_none();
    c->i = 0;
    return c;
}

void wk_jq_cut(struct jq_machine *m, size_t n)
{
    while (m->n > n) {
        struct jq_choice *c = &m->choices[--m->n];
        struct jq_frame *f = c->f;
        jq_free(m->q, c->v);
        jq_free(m->q, c->p);
        jq_frame_unref(m, f);
    }
}
