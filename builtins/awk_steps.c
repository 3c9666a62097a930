/* awk_steps.c - what awk's machine does in its larger steps: texts joined, print, getline, sub, for (k in a)
 */
#include "builtins/awk_cells.h"

/* ---- texts ---- */

void wk_awk_concatenate(struct awk *a, size_t n)
{
    struct awk_val *v = &a->stack[a->top - n];
    size_t size = 0;
    for (size_t i = 0; i < n; i++) {
        size_t more = awk_slice(awk_to_str(a, &v[i])).n;
        if (more > SIZE_MAX / 4 - size)
            wk_heap_exhausted(a->c->heap);
        size += more;
    }
    /* x = x y: grows in place when nobody else has it. */
    struct awk_str *first = v[0].str;
    if (first->refs == 1 && !first->of && first->p == awk_str_bytes(first) && size < first->cap &&
        v[0].type != AWK_UNSET) {
        v[0].type = AWK_STR;
    } else {
        first = wk_awk_str_new(a, v[0].str->refs == 1 && size > 256 ? size + size / 2 : size);
        memcpy(awk_str_bytes(first), v[0].str->p, v[0].str->n);
        first->n = v[0].str->n;
        awk_drop(a, &v[0]);
        v[0] = awk_string(first);
    }
    char *p = awk_str_bytes(first) + first->n;
    for (size_t i = 1; i < n; i++) {
        memcpy(p, v[i].str->p, v[i].str->n);
        p += v[i].str->n;
    }
    first->n = size;
    first->chars = 0;
    awk_drop_to(a, a->top - n + 1);
    wk_tick(a->c, (uint32_t)(size / 64) + 1);
}

/* Keys parted by SUBSEP. */
void wk_awk_join_keys(struct awk *a, size_t n)
{
    struct awk_val *v = &a->stack[a->top - n];
    size_t size = a->subsep.n * (n - 1);
    for (size_t i = 0; i < n; i++)
        size += awk_slice(awk_to_str(a, &v[i])).n;
    struct awk_str *s = wk_awk_str_new(a, size);
    char *p = awk_str_bytes(s);
    for (size_t i = 0; i < n; i++) {
        if (i) {
            memcpy(p, a->subsep.p, a->subsep.n);
            p += a->subsep.n;
        }
        memcpy(p, v[i].str->p, v[i].str->n);
        p += v[i].str->n;
    }
    awk_drop_to(a, a->top - n);
    wk_awk_push(a, awk_string(s));
}

/* ---- statements ---- */

void wk_awk_put_value(struct awk *a, struct wk_out *out, struct awk_val *v)
{
    if (v->type == AWK_NUM && !v->has_str) {
        if (v->num == (double)(int64_t)v->num && v->num > -1e15 && v->num < 1e15)
            wk_out_i64(out, (int64_t)v->num);
        else
            wk_out_str(out, awk_slice(wk_awk_to_str_slow(a, v, a->ofmt)));
    } else {
        wk_out_str(out, awk_slice(awk_to_str(a, v)));
    }
}

void wk_awk_print(struct awk *a, size_t n, enum awk_way way, bool formatted)
{
    struct wk_out *out = a->c->out;
    size_t at = a->top - n;
    if (formatted && n == 0)
        wk_awk_fatal(a, "printf: no arguments");
    if (way != AWK_WAY_NONE) {
        at--;
        out = wk_awk_output(a, way, awk_to_str(a, awk_top(a)));
    }
    if (!out) {
        awk_drop_to(a, at);
        return;
    }
    if (formatted) {
        struct awk_str *s = wk_awk_format(a, &a->stack[at], n);
        wk_out_str(out, awk_slice(s));
        awk_str_unref(a, s);
    } else {
        if (n == 0)
            wk_out_str(out, awk_slice(awk_to_str(a, wk_awk_field_at(a, 0))));
        for (size_t i = 0; i < n; i++) {
            if (i)
                wk_out_str(out, a->ofs);
            wk_awk_put_value(a, out, &a->stack[at + i]);
        }
        wk_out_str(out, a->ors);
    }
    if (out == a->c->err)
        (void)wk_out_flush(out);
    awk_check_output(a, out, formatted ? "printf" : "print");
    wk_tick(a->c, 1);
    awk_drop_to(a, at);
}

void wk_awk_get_line(struct awk *a, enum awk_way way, enum awk_place place, size_t slot)
{
    size_t parts = wk_awk_place_size(place), at = a->top - parts, all = parts;
    struct awk_str *text = NULL;
    double r;
    if (way == AWK_WAY_NONE) {
        if (WK_UNLIKELY(a->rule && strstr(a->rule, "FILE")))
            wk_awk_fatal(a, "non-redirected `getline' invalid inside `%s' rule", a->rule);
        r = wk_awk_next_main(a, &text);
    } else {
        /* The command stands in front of the place, the file behind it. */
        struct awk_val *name = way == AWK_WAY_READ ? awk_top(a) : &a->stack[a->top - parts - 1];
        all++;
        if (way == AWK_WAY_READ)
            at--;
        r = wk_awk_getline(a, way, awk_to_str(a, name), &text);
    }
    if (r > 0 && place == AWK_NO_PLACE)
        wk_awk_set_record(a, text);
    else if (r > 0)
        wk_awk_place_store(a, place, slot, at, awk_input(text));
    awk_become(a, a->top - all, r);
}

void wk_awk_substitute(struct awk *a, bool all, enum awk_place place, size_t slot)
{
    /* [regex, replacement, parts of the place, or a value] */
    size_t parts = place == AWK_NO_PLACE ? 1 : wk_awk_place_size(place), at = a->top - parts;
    struct awk_val *re_value = &a->stack[at - 2], *with = &a->stack[at - 1];
    double times = 0;
    struct awk_val old =
        place == AWK_NO_PLACE ? awk_copy(&a->stack[at]) : wk_awk_place_value(a, place, slot, at);
    struct awk_str *text = awk_str_ref(awk_to_str(a, &old)), *made;
    struct awk_re *re = re_value->type == AWK_PATTERN
                            ? a->regexes[re_value->slot]
                            : wk_awk_regex(a, awk_slice(awk_to_str(a, re_value)));
    made = wk_awk_replace(a, re, awk_to_str(a, with), text, all ? 0 : 1, false, &times);
    awk_str_unref(a, text);
    awk_drop(a, &old);
    if (times == 0 && place == AWK_AT_FIELD)
        wk_awk_touch_field(a, wk_awk_field_index(a, &a->stack[at]));
    if (times > 0 && place != AWK_NO_PLACE)
        wk_awk_place_store(a, place, slot, at, awk_string(made));
    else
        awk_str_unref(a, made);
    awk_become(a, at - 2, times);
}

void wk_awk_begin_for_in(struct awk *a)
{
    struct awk_array *t = awk_top(a)->array;
    struct awk_val *info = &a->globals[AWK_PROCINFO], *by = NULL;
    struct awk_iter *it = wk_new(a->c, struct awk_iter);
    it->n = t->n;
    it->texts_only = t->texts_only;
    if (info->type == AWK_ARRAY && it->n > 1) {
        struct awk_val key = awk_string(a->sorted_in);
        by = wk_awk_array_at(a, info->array, &key, false);
    }
    if (by) {
        struct awk_sorted s;
        wk_awk_sorted(a, t, awk_slice(awk_to_str(a, by)), &s);
        it->keys = wk_new_n(a->c, struct awk_key, s.n + 1);
        for (size_t i = 0; i < s.n; i++)
            it->keys[i].text = awk_str_ref(s.order[i]->key);
        it->texts_only = true;
        wk_awk_sorted_free(a, &s);
    } else {
        it->keys = wk_awk_array_keys(a, t);
    }
    awk_pop_drop(a);
    wk_awk_push(a, (struct awk_val){.type = AWK_ITER, .iter = it});
}

/* Small whole numbers are fresh keys. */
struct awk_val wk_awk_next_key(struct awk *a, struct awk_iter *it)
{
    struct awk_key *key = &it->keys[it->at++];
    int64_t number = key->text && !it->texts_only ? wk_awk_negative_key(awk_slice(key->text)) : 0;
    if (number) {
        awk_str_unref(a, key->text);
        return awk_string(wk_awk_key_str(a, number));
    }
    if (key->text)
        return awk_string(key->text);
    return awk_string(wk_awk_key_str(a, key->number));
}
