/* jq_builtin.c - the functions of jq by their names */
#include "builtins/jq_builtin.h"

static const struct jq_table *const tables[] = {
    &wk_jq_value_table, &wk_jq_arith_table, &wk_jq_string_table,  &wk_jq_format_table,
    &wk_jq_regex_table, &wk_jq_date_table,  &wk_jq_math_table,    &wk_jq_sorting_table,
    &wk_jq_tree_table,  &wk_jq_stream_table, &wk_jq_session_table,
};

const struct jq_builtin *wk_jq_builtin(const char *name, size_t n, unsigned nargs)
{
    for (size_t t = 0; t < WK_COUNTOF(tables); t++)
        for (size_t i = 0; i < tables[t]->n; i++) {
            const struct jq_builtin *f = &tables[t]->at[i];
            if (f->nargs == nargs && strncmp(f->name, name, n) == 0 && f->name[n] == '\0')
                return f;
        }
    return NULL;
}

static struct jq_val add_name(struct jq *q, struct jq_val list, const char *name, unsigned nargs)
{
    struct wk_buf b = jq_buf(q);
    if (name[0] == '_') /* not for programs */
        return list;
    wk_buf_fmt(&b, "%s/%u", name, nargs);
    return wk_jq_push(q, list, wk_jq_string_take(q, &b));
}

struct jq_val wk_jq_builtin_list(struct jq *q)
{
    /* The machine's own. */
    static const struct {
        const char *name;
        uint8_t nargs;
    } intrinsic[] = {{"empty", 0}, {"path", 1}, {"range", 2}, {"modulemeta", 0}, {"get_search_list", 0},
                     {"not", 0},   {"error", 0}, {"error", 1}, {"builtins", 0}};
    struct jq_val list = wk_jq_array(q, 256);
    for (size_t t = 0; t < WK_COUNTOF(tables); t++)
        for (size_t i = 0; i < tables[t]->n; i++)
            list = add_name(q, list, tables[t]->at[i].name, tables[t]->at[i].nargs);
    for (size_t i = 0; wk_jq_prelude_at(i); i++)
        list = add_name(q, list, wk_jq_prelude_at(i)->name, wk_jq_prelude_at(i)->nargs);
    for (size_t i = 0; i < WK_COUNTOF(intrinsic); i++)
        if (!wk_jq_builtin(intrinsic[i].name, strlen(intrinsic[i].name), intrinsic[i].nargs) &&
            !wk_jq_prelude(intrinsic[i].name, strlen(intrinsic[i].name), intrinsic[i].nargs))
            list = add_name(q, list, intrinsic[i].name, intrinsic[i].nargs);
    return list;
}
