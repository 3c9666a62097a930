/* awk_place.c - what an awk program says and stores: messages, variables with a meaning, places
 */
#include "builtins/awk_cells.h"
#include "builtins/awk_parse.h"

#include <stdarg.h>

/* ---- messages ---- */

/* Where in the program, and in the input, things are. */
void wk_awk_put_place(struct awk *a)
{
    struct wk_out *err = a->c->err;
    wk_out_fmt(err, "%s: ", a->c->name);
    if (a->pc) {
        uint32_t at = a->code.lines[a->pc - a->code.v - 1];
        const char *source = a->sources[at >> 20];
        if (source)
            wk_out_fmt(err, "%s:%u: ", source, at & 0xfffff);
        else
            wk_out_fmt(err, "cmd. line:%u: ", at & 0xfffff);
    } else if (a->parser) {
        const char *source = a->sources[a->parser->which];
        wk_out_fmt(err, "%s:%zu: ", source ? source : "cmd. line", a->parser->line);
    }
    if (a->fnr > 0) {
        struct awk_str *name = awk_to_str(a, &a->globals[AWK_FILENAME]);
        struct wk_str shown = name->n ? awk_slice(name) : wk_str_c("-");
        wk_out_fmt(err, "(FILENAME=%.*s FNR=%lld) ", (int)WK_MIN(shown.n, (size_t)4000), shown.p,
                   (long long)a->fnr);
    }
}

/* PLACE: KIND: text */
static WK_PRINTF(3, 0) void say(struct awk *a, const char *kind, const char *fmt, va_list ap)
{
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(a->c->heap), SIZE_MAX / 2);
    wk_buf_vfmt(&b, fmt, ap);
    const char *text = wk_keep(a->c, &b);
    wk_out_flush(a->c->out);
    wk_awk_put_place(a);
    wk_out_fmt(a->c->err, "%s: %s\n", kind, text);
}

void wk_awk_fatal(struct awk *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(a, "fatal", fmt, ap);
    va_end(ap);
    wk_awk_leave_outputs(a);
    wk_exit(a->c, 2);
}

void wk_awk_warning(struct awk *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(a, "warning", fmt, ap);
    va_end(ap);
}

/* ---- variables ---- */

/* A parameter that was handed over before it was anything: the caller's variable. */
struct awk_val *wk_awk_behind(struct awk *a, struct awk_val *v, size_t depth)
{
    while (v->type == AWK_REF && depth--)
        v = v->slot & 1 ? &a->stack[v->slot >> 1] : &a->globals[v->slot >> 1];
    return v;
}

/* What a value is called in the program: a variable, a parameter; NULL: neither. */
static const char *name_of(struct awk *a, const struct awk_val *v, bool *parameter)
{
    size_t slot = (size_t)(v - a->globals);
    *parameter = false;
    if (v >= a->globals && slot < a->nglobals)
        return a->names[slot];
    if (!a->nframes || v < a->stack + a->base || v >= a->stack + a->top)
        return NULL;
    const struct awk_func *f = &a->funcs[a->frames[a->nframes - 1].func];
    slot = (size_t)(v - a->stack) - a->base;
    *parameter = slot < f->params;
    return *parameter ? f->names[slot] : NULL;
}

void wk_awk_array_as_scalar(struct awk *a, struct awk_val *v)
{
    bool parameter;
    const char *name = name_of(a, v, &parameter), *own = v->type == AWK_ARRAY ? v->array->name : NULL;
    if (parameter && own && strcmp(name, own) != 0)
        wk_awk_fatal(a, "attempt to use array `%s (from %s)' in a scalar context", name, own);
    if (name || own)
        wk_awk_fatal(a, "attempt to use array `%s' in a scalar context", name ? name : own);
    wk_awk_fatal(a, "attempt to use array in a scalar context");
}

/* NAME["KEY"] of an element: looked for, since this is told only once. */
static const char *element_name(struct awk *a, struct awk_array *t, const struct awk_val *e)
{
    struct awk_key *keys = wk_awk_array_keys(a, t);
    for (size_t i = 0; i < t->n; i++) {
        struct awk_val key = awk_string(keys[i].text ? keys[i].text
                                                     : wk_awk_num_str(a, (double)keys[i].number, a->convfmt));
        if (wk_awk_array_at(a, t, &key, false) == e)
            return wk_strf(a->c, "%s[\"%.*s\"]", t->name ? t->name : "", (int)WK_MIN(key.str->n, (size_t)1000),
                           key.str->p);
    }
    return "";
}

void wk_awk_element_as_scalar(struct awk *a, struct awk_array *t, const struct awk_val *e)
{
    wk_awk_fatal(a, "attempt to use array `%s' in a scalar context", element_name(a, t, e));
}

struct awk_array *wk_awk_sub_array(struct awk *a, struct awk_array *t, struct awk_val *e)
{
    if (e->type == AWK_UNSET) {
        awk_drop(a, e);
        *e = (struct awk_val){.type = AWK_ARRAY, .array = wk_awk_array_new(a)};
        e->array->name = element_name(a, t, e);
    } else if (e->type != AWK_ARRAY) {
        wk_awk_fatal(a, "attempt to use scalar `%s' as an array", element_name(a, t, e));
    }
    return e->array;
}

struct awk_val wk_awk_unset_value(struct awk *a, struct awk_val *v)
{
    if (v->type == AWK_ARRAY)
        wk_awk_array_as_scalar(a, v);
    struct awk_val *real = wk_awk_behind(a, v, 10000);
    if (real->type == AWK_ARRAY)
        wk_awk_array_as_scalar(a, real);
    if (real->type == AWK_UNSET)
        real->scalar = true;
    return (struct awk_val){.type = AWK_UNSET, .scalar = true};
}

struct awk_array *wk_awk_array_of(struct awk *a, struct awk_val *v)
{
    bool parameter, own;
    if (v->type == AWK_ARRAY)
        return v->array;
    struct awk_val *real = wk_awk_behind(a, v, 10000);
    const char *name = name_of(a, v, &parameter), *first = name_of(a, real, &own);
    if (real->type == AWK_UNSET && !real->scalar) {
        if (real->has_str)
            awk_drop(a, real);
        *real = (struct awk_val){.type = AWK_ARRAY, .array = wk_awk_array_new(a)};
        real->array->name = first ? first : name;
    } else if (real->type != AWK_ARRAY) {
        if (name)
            wk_awk_fatal(a, "attempt to use scalar %s`%s' as an array", parameter ? "parameter " : "", name);
        wk_awk_fatal(a, "attempt to use a scalar value as array");
    }
    if (v != real) { /* from now on it is the array itself */
        real->array->refs++;
        *v = *real;
    }
    return real->array;
}

void wk_awk_set_global(struct awk *a, uint32_t slot, struct awk_val v)
{
    awk_store(a, &a->globals[slot], v);
}

static void keep_text(struct awk *a, struct wk_str *to, uint32_t slot)
{
    *to = awk_slice(awk_to_str(a, &a->globals[slot]));
}

void wk_awk_store_special(struct awk *a, uint32_t slot, struct awk_val v)
{
    if ((slot == AWK_FS || slot == AWK_FPAT || slot == AWK_FIELDWIDTHS || slot == AWK_IGNORECASE) &&
        !a->rec.counted)
        (void)wk_awk_count_fields(a); /* the present record is split as it was when it was read */
    if (slot == AWK_OFS)
        (void)wk_awk_field_at(a, 0); /* what was changed is joined by the old one */
    wk_awk_set_global(a, slot, v);
    struct awk_val *g = &a->globals[slot];
    if (a->old && slot >= AWK_IGNORECASE) {
        if (slot == AWK_IGNORECASE)
            wk_awk_warning(a, "`IGNORECASE' is a gawk extension");
        return;
    }
    switch (slot) {
    case AWK_NF:
        wk_awk_set_nf(a, awk_to_num(a, g));
        break;
    case AWK_NR:
        a->nr = awk_to_num(a, g);
        break;
    case AWK_FNR:
        a->fnr = awk_to_num(a, g);
        break;
    case AWK_FS:
        keep_text(a, &a->fs, slot);
        wk_awk_fs_changed(a);
        break;
    case AWK_FPAT:
    case AWK_FIELDWIDTHS:
        wk_awk_split_changed(a, slot);
        break;
    case AWK_IGNORECASE:
        a->icase = wk_awk_is_true(a, g);
        wk_awk_case_changed(a);
        break;
    case AWK_OFS:
        keep_text(a, &a->ofs, slot);
        break;
    case AWK_ORS:
        keep_text(a, &a->ors, slot);
        break;
    case AWK_RS:
        keep_text(a, &a->rs_text, slot);
        wk_awk_rs_changed(a);
        break;
    case AWK_SUBSEP_VAR:
        keep_text(a, &a->subsep, slot);
        break;
    case AWK_CONVFMT:
        keep_text(a, &a->convfmt, slot);
        break;
    case AWK_OFMT:
        keep_text(a, &a->ofmt, slot);
        break;
    default:
        break;
    }
}

double wk_awk_special(struct awk *a, size_t slot)
{
    return slot == AWK_NF ? (double)wk_awk_count_fields(a) : slot == AWK_NR ? a->nr : a->fnr;
}

size_t wk_awk_field_index(struct awk *a, struct awk_val *v)
{
    double d = awk_to_num(a, v);
    if (!(d > -1))
        wk_awk_fatal(a, "attempt to access field %lld", (long long)WK_MAX(d, -9e18));
    return d > 1e9 ? 1000000000 : (size_t)d;
}

/* The value of a place whose parts lie on the stack, at `at`. */
struct awk_val wk_awk_place_value(struct awk *a, enum awk_place place, size_t slot, size_t at)
{
    struct awk_val *v = NULL;
    switch (place) {
    case AWK_AT_L:
        v = awk_local(a, slot);
        break;
    case AWK_AT_S:
        if (slot <= AWK_FNR)
            return awk_num(wk_awk_special(a, slot));
        v = &a->globals[slot];
        break;
    case AWK_AT_FIELD:
        return wk_awk_field_value(a, wk_awk_field_index(a, &a->stack[at]));
    case AWK_AT_ELEM:
        v = wk_awk_array_at(a, a->stack[at + 1].array, &a->stack[at], true);
        break;
    default:
        v = &a->globals[slot];
    }
    return awk_loaded(a, v);
}

/* Stores v, which is taken over. */
void wk_awk_place_store(struct awk *a, enum awk_place place, size_t slot, size_t at,
                         struct awk_val v)
{
    switch (place) {
    case AWK_AT_L:
        awk_store(a, awk_local(a, slot), v);
        break;
    case AWK_AT_S:
        wk_awk_store_special(a, (uint32_t)slot, v);
        break;
    case AWK_AT_FIELD:
        wk_awk_set_field(a, wk_awk_field_index(a, &a->stack[at]), v);
        break;
    case AWK_AT_ELEM:
        awk_store(a, wk_awk_array_at(a, a->stack[at + 1].array, &a->stack[at], true), v);
        break;
    default:
        awk_store(a, &a->globals[slot], v);
    }
}

size_t wk_awk_place_size(enum awk_place place)
{
    return place == AWK_AT_FIELD ? 1 : place == AWK_AT_ELEM ? 2 : 0;
}
