/* declare_list.c - name=(…) as an argument of declare, local, export and readonly
 *
 * Lists are assigned while the words are expanded, before anything of the command runs: the values are expanded, the
 * name is declared with what the options as they are written say about its kind and its values, then the list is
 * assigned as on its own. The builtin finds the name alone, and gives it the other attributes.
 */
#include "builtins/shell/declaration.h"

#include "interp/eval.h"
#include "interp/run.h"

extern const struct wk_builtin wk_builtin_export, wk_builtin_readonly;

enum { ARRAY_BITS = WK_VAR_ARRAY | WK_VAR_ASSOC };

void wk_declare_case(struct wk_declaration *d, uint32_t bit, bool plus)
{
    const uint32_t cases = WK_VAR_LOWER | WK_VAR_UPPER | WK_VAR_CAPITAL;
    if (!plus)
        d->add |= bit;
    d->remove |= plus ? bit : cases & ~bit;
}

/* -a, -A and -g count wherever they stand. */
static void read_kind(const struct wk_node_simple *s, uint32_t at, struct wk_declaration *d)
{
    for (uint32_t i = 1; i < at; i++) {
        struct wk_str w = wk_word_source(s->words[i]);
        for (size_t j = 1; w.n && w.p[0] == '-' && j < w.n; j++) {
            char c = w.p[j];
            d->add |= c == 'A' ? WK_VAR_ASSOC : c == 'a' ? WK_VAR_ARRAY : 0;
            d->global = d->global || c == 'g';
        }
    }
    if (d->add & WK_VAR_ASSOC)
        d->add &= ~(uint32_t)WK_VAR_ARRAY;
}

/* -i, -l, -u, -c and -I count among the options. All have one sign, as if they were one option: a minus,
 * or that of the first. */
static void read_conversions(const struct wk_node_simple *s, uint32_t at, struct wk_declaration *d, bool minus)
{
    bool known = minus, plus = false;
    for (uint32_t i = 1; i < at; i++) {
        struct wk_str w = wk_word_source(s->words[i]);
        if (!w.n || (w.p[0] != '-' && w.p[0] != '+') || wk_str_is(w, "--"))
            return;
        for (size_t j = 1; j < w.n; j++) {
            char c = w.p[j];
            uint32_t bit = c == 'l' ? WK_VAR_LOWER : c == 'u' ? WK_VAR_UPPER : c == 'c' ? WK_VAR_CAPITAL : 0;
            if (!bit && c != 'i' && c != 'I')
                continue;
            plus = known ? plus : w.p[0] == '+';
            known = true;
            if (bit)
                wk_declare_case(d, bit, plus);
            else if (c == 'i')
                *(plus ? &d->remove : &d->add) |= WK_VAR_INTEGER;
            else
                d->inherit = true;
        }
    }
}

/* Is it the innermost function's, or refers to what is? */
static bool own_local(struct wk_shell *sh, uint32_t id, uint32_t level)
{
    struct wk_str sub;
    const struct wk_var *v = wk_var_peek(sh, id);
    if (v && v->flags & WK_VAR_NAMEREF && wk_var_resolve(sh, &id, &sub) == 0)
        v = wk_var_peek(sh, id);
    return v && v->flags & WK_VAR_LOCAL && v->level == level;
}

/* Is it the function's own associative array, or takes over one? */
static bool stays_assoc(struct wk_shell *sh, const struct wk_declaration *d, uint32_t id)
{
    const struct wk_var *v = wk_var_peek(sh, id);
    bool own = v && v->flags & WK_VAR_LOCAL && v->level == d->level;
    return v && v->flags & WK_VAR_ASSOC && (own || d->inherit || wk_shopt(sh, LOCALVAR_INHERIT));
}

/* *good: the name may be assigned to. A local that cannot be declared is left to the builtin to tell of. */
static enum wk_flow declare_name(struct wk_shell *sh, const struct wk_declaration *d, struct wk_str name, bool locals,
                                 bool *good)
{
    int status = 0;
    enum wk_flow flow = wk_declare_operand(sh, d, name, &status);
    *good = !status;
    if (flow != WK_NEXT || !status || locals)
        return flow;
    return wk_sh_discard_as(sh, 0);
}

/* name[sub]=(…): an array is made for it, all the same. */
static struct wk_str element(struct wk_shell *sh, const struct wk_assign *as)
{
    struct wk_str name = wk_names_str(sh->names, as->name), sub = as->sub->text;
    char *p = wk_arena_alloc(&sh->arena, name.n + sub.n + 3);
    if (!p)
        return wk_str(NULL, 0);
    memcpy(p, name.p, name.n);
    p[name.n] = '[';
    if (sub.n)
        memcpy(p + name.n + 1, sub.p, sub.n);
    p[name.n + 1 + sub.n] = ']';
    p[name.n + 2 + sub.n] = '\0';
    return wk_str(p, name.n + sub.n + 2);
}

/* The global variable takes the visible one's place; as a reference to nothing it ends. */
static bool enter_global(struct wk_shell *sh, uint32_t id)
{
    wk_var_swap_global(sh, id);
    struct wk_var *v = wk_var_own(sh, id);
    if (v && v->flags & WK_VAR_NAMEREF && !(v->text && v->text->n))
        v->flags &= ~(uint32_t)WK_VAR_NAMEREF;
    return v != NULL;
}

enum wk_flow wk_declare_list(struct wk_shell *sh, const struct wk_builtin *b, const struct wk_node_simple *s,
                             uint32_t at)
{
    const struct wk_assign *as = s->words[at]->assign;
    const struct wk_assign *expanded;
    struct wk_str name = wk_names_str(sh->names, as->name);
    struct wk_declaration d = {.who = sh->running ? sh->running : "", .level = wk_function_level(sh)};
    bool marks = b == &wk_builtin_export || b == &wk_builtin_readonly, good = true;
    read_kind(s, at, &d);
    bool keyed = d.add & WK_VAR_ASSOC, locals = d.level && !marks;
    d.global = marks ? !own_local(sh, as->name, d.level) : d.global;
    d.local = locals && !d.global;
    read_conversions(s, at, &d, d.add || d.global);
    if (d.local && !(d.add & ARRAY_BITS) && !stays_assoc(sh, &d, as->name))
        d.add |= WK_VAR_ARRAY;
    enum wk_flow flow = WK_NEXT;
    if (!as->sub)
        flow = wk_assign_expand(sh, as, keyed, &expanded);
    else if (!(name = element(sh, as)).p)
        flow = wk_sh_nomem(sh);
    if (flow != WK_NEXT)
        return flow;
    if (locals || d.add || d.remove || d.global || d.inherit)
        flow = declare_name(sh, &d, name, locals, &good);
    if (flow == WK_NEXT && good && as->sub) /* refused */
        return wk_assign_expand(sh, as, keyed, &expanded);
    if (flow != WK_NEXT || !good)
        return flow;
    bool global = d.global && d.level;
    if (global && !enter_global(sh, as->name))
        return wk_sh_nomem(sh);
    sh->declares = true;
    flow = wk_opt(sh, XTRACE) ? wk_assign_trace(sh, expanded) : WK_NEXT;
    if (flow == WK_NEXT)
        flow = wk_assign_run(sh, expanded);
    sh->declares = false;
    if (global)
        wk_var_swap_global(sh, as->name);
    return flow;
}
