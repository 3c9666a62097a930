/* declaration.c - operands of declare, local, export and readonly */
#include "builtins/shell/declaration.h"

#include "interp/eval.h"
#include "interp/expand.h"
#include "interp/parser.h"
#include "interp/run.h"
#include "interp/vars_special.h"
#include "interp/xtrace.h"

enum { ARRAY_BITS = WK_VAR_ARRAY | WK_VAR_ASSOC, CASE_BITS = WK_VAR_LOWER | WK_VAR_UPPER | WK_VAR_CAPITAL };

uint32_t wk_function_level(const struct wk_shell *sh)
{
    return sh->func_depth;
}

/* What an operand's text says. */
struct operand {
    struct wk_str name, sub, value;
    bool has_sub, has_value, append;
    struct wk_str added; /* declare -n r+=added */
    bool makes_array;   /* the variable is none yet, and no option says so */
    bool global;        /* the global variable `beneath` is in the place of the visible one meanwhile */
    uint32_t beneath;
};

/* name, name[sub], each with =value or +=value behind. False when the name is none. */
static bool split_operand(struct wk_str s, struct operand *o)
{
    size_t n = 0;
    while (n < s.n && wk_is_name_char((unsigned char)s.p[n]))
        n++;
    o->name = wk_str_take(s, n);
    if (!wk_str_is_name(o->name))
        return false;
    struct wk_str rest = wk_str_from(s, n);
    if (rest.n && rest.p[0] == '[') {
        size_t i = wk_var_subscript_end(rest, 0);
        bool closed = i < rest.n && (i > 1 || wk_str_starts(wk_str_from(rest, 2), WK_STR("=")) ||
                                     wk_str_starts(wk_str_from(rest, 2), WK_STR("+=")));
        if (!closed)
            return false;
        o->has_sub = true;
        o->sub = wk_str(rest.p + 1, i - 1);
        rest = wk_str_from(rest, i + 1);
    }
    if (!rest.n)
        return true;
    o->append = rest.p[0] == '+';
    rest = wk_str_from(rest, o->append);
    if (!rest.n || rest.p[0] != '=')
        return false;
    o->has_value = true;
    o->value = wk_str_from(rest, 1);
    return true;
}

/* ---- functions ------------------------------------------------------------------------------------- */

int wk_refuse_function_value(struct wk_shell *sh, const struct wk_declaration *d, int *status)
{
    wk_sh_builtin_error(sh, d->who, "cannot use `-f' to make functions");
    *status = 1;
    return 0;
}

static void function_operand(struct wk_shell *sh, const struct wk_declaration *d, struct wk_str name,
                             int *status)
{
    uint32_t id = wk_names_find(sh->names, name);
    const struct wk_func *f = id == WK_NAME_NONE ? NULL : wk_func_find(sh, id);
    if (!f && wk_opt(sh, POSIX) && !d->no_elements && !wk_str_is_name(name)) {
        wk_sh_builtin_error(sh, d->who, "`%s': not a valid identifier", name.p);
        *status = 1;
        return;
    }
    if (!f) {
        bool marks = d->no_elements; /* export, readonly */
        if (!marks && wk_str_chr(name, '=') >= 0)
            (void)wk_refuse_function_value(sh, d, status);
        else if (marks)
            wk_sh_builtin_error(sh, d->who, "%s: not a function", name.p);
        *status = 1;
        return;
    }
    if (d->add & WK_VAR_EXPORT && (wk_str_chr(name, '=') >= 0 || (d->no_elements && wk_str_chr(name, '/') >= 0))) {
        wk_sh_builtin_error(sh, d->who, "%s: cannot export", name.p);
        *status = 1;
        return;
    }
    if (f->flags & WK_VAR_READONLY && d->remove & WK_VAR_READONLY) {
        wk_sh_builtin_error(sh, d->who, "%s: readonly function", name.p);
        *status = 1;
        return;
    }
    if (wk_func_attributes(sh, id, d->add, d->remove) == -WK_ENOMEM)
        (void)wk_sh_nomem(sh); /* the run ends */
}

/* ---- variables -------------------------------------------------------------------------------------- */

static bool already_local(struct wk_shell *sh, const struct wk_declaration *d, uint32_t id)
{
    const struct wk_var *v = wk_var_peek(sh, id);
    return v && v->flags & WK_VAR_LOCAL && v->level == d->level;
}

/* Attributes that would turn one kind of array into the other, or touch a readonly variable. `who`
 * says so. */
static bool attributes_fit(struct wk_shell *sh, const struct wk_declaration *d, const char *who,
                           struct wk_str name, const struct operand *o, const struct wk_var *v,
                           uint32_t add)
{
    const char *why = NULL;
    if (!v)
        return true;
    if (v->flags & WK_VAR_READONLY && d->traced && !(d->add & ARRAY_BITS) && o->has_value && wk_opt(sh, XTRACE)) {
        uint32_t id = wk_names_find(sh->names, name);
        (void)wk_xtrace_assign(sh, &(struct wk_assign){.name = id, .append = o->append}, o->value);
    }
    if (v->flags & WK_VAR_READONLY &&
        (o->has_value || d->remove & (WK_VAR_READONLY | (v->text ? v->flags & WK_VAR_NAMEREF : 0)) ||
         (d->add & WK_VAR_NAMEREF && !(v->flags & ARRAY_BITS)))) {
        /* export and readonly assign as the shell does, without their name. */
        bool plain = d->no_elements && !(d->add & ARRAY_BITS);
        if (d->no_elements) {
            sh->special_error = WK_SPECIAL_FATAL;
            sh->told_fatal = true;
        }
        if (plain)
            who = "";
        why = "readonly variable";
    } else if (d->remove & ARRAY_BITS & v->flags) {
        why = "cannot destroy array variables in this way";
    } else if (add & WK_VAR_ARRAY && v->flags & WK_VAR_ASSOC) {
        why = "cannot convert associative to indexed array";
    } else if (add & WK_VAR_ASSOC && v->flags & WK_VAR_ARRAY) {
        why = "cannot convert indexed to associative array";
    }
    if (why)
        wk_sh_builtin_error(sh, who, "%.*s: %s", (int)name.n, name.p, why);
    return !why;
}

/* The value of a nameref must be able to be a name. */
static bool reference_fits(struct wk_shell *sh, const struct wk_declaration *d, struct wk_str name,
                           uint32_t id, struct wk_str value)
{
    struct operand o = {0};
    struct wk_str base, sub;
    bool self = wk_var_split_target(value, &base, &sub) && wk_str_eq(base, name);
    if (self && d->level && !d->global) { /* in a function the outer one may be meant */
        wk_sh_builtin_error(sh, d->who, "warning: %.*s: circular name reference", (int)name.n, name.p);
        const struct wk_var *v = wk_var_peek(sh, id);
        if (!v || !(v->flags & WK_VAR_READONLY) || v->flags & WK_VAR_LOCAL) /* else it cannot become local */
            wk_sh_builtin_error(sh, "", "warning: %.*s: circular name reference", (int)name.n, name.p);
    } else if (self) {
        wk_sh_builtin_error(sh, d->who, "%.*s: nameref variable self references not allowed", (int)name.n,
                            name.p);
        return false;
    }
    if (!value.n) {
        wk_sh_builtin_error(sh, d->who, "`': not a valid identifier");
        return false;
    }
    if (!split_operand(value, &o) || o.has_value) {
        wk_sh_builtin_error(sh, d->who, "`%.*s': invalid variable name for name reference", (int)value.n,
                            value.p);
        return false;
    }
    return true;
}

struct list_text {
    struct wk_shell *sh;
    struct wk_str value;
};

/* What is wrong with such a list: the line is told without the parentheses. */
static void tell_list_error(void *ctx, uint32_t line, struct wk_str text)
{
    struct list_text *t = ctx;
    uint32_t own = t->sh->line;
    struct wk_str inside = wk_str(t->value.p + 1, t->value.n - 2);
    t->sh->line = 0;
    if (text.n && text.p[0] == '`')
        wk_sh_error(t->sh, "array assign: line %u: `%.*s'", line, (int)inside.n, inside.p);
    else
        wk_sh_error(t->sh, "array assign: line %u: %.*s", line + wk_str_ends(text, WK_STR("end of file")), (int)text.n,
                    text.p);
    t->sh->line = own;
}

/* A compound value in the text of an expansion: declare -a "$x" with x="a=(1 2)". */
static enum wk_flow assign_compound_text(struct wk_shell *sh, const struct operand *o, uint32_t id)
{
    struct list_text text = {sh, o->value};
    struct wk_parse_opts po = {
        .mem = sh->mem, .names = sh->names, .first_line = sh->line, .message = tell_list_error, .ctx = &text};
    struct wk_tree *tree;
    struct wk_assign *as;
    int r = wk_parse_compound_text(&po, o->value, &tree, &as);
    if (r == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    if (r)
        return wk_sh_discard_as(sh, 0);
    struct wk_assign copy = *as;
    copy.name = id;
    copy.append = o->append;
    const char *who = sh->builtin_name; /* as if it stood there as a list */
    sh->builtin_name = NULL;
    enum wk_flow flow = wk_assign_run(sh, &copy);
    sh->builtin_name = who;
    wk_tree_unref(tree);
    return flow;
}

/* The visible variable as bash takes it when a global array gets a value: for an indexed array, also when it is
 * readonly. What an associative one held is lost. */
static int enter_visible(struct wk_shell *sh, uint32_t id, bool *fixed)
{
    struct wk_var *v = wk_var_own(sh, id);
    if (!v)
        return -WK_ENOMEM;
    *fixed = v->flags & WK_VAR_READONLY;
    v->flags &= ~(uint32_t)WK_VAR_READONLY;
    if (!(v->flags & WK_VAR_ASSOC))
        return 0;
    uint32_t flags = v->flags & ~(uint32_t)(WK_VAR_ASSOC | WK_VAR_SET), level = v->level;
    wk_var_release(sh->mem, v);
    v->flags = flags;
    v->level = level;
    return 0;
}

/* An element of an indexed array, and any that is named, is looked for by the variable's name: the visible one gets
 * it, also when a global one is declared. */
static int assign_text(struct wk_shell *sh, const struct wk_declaration *d, const struct operand *o, uint32_t id)
{
    const struct wk_var *v = wk_var_peek(sh, id);
    bool visible = o->global && v && (o->has_sub || v->flags & WK_VAR_ARRAY);
    if (visible)
        wk_var_swap_global(sh, o->beneath);
    sh->told_readonly = false;
    bool whole = visible && !o->has_sub, fixed = false;
    if (whole && enter_visible(sh, id, &fixed) != 0)
        return -WK_ENOMEM;
    int r = o->has_sub  ? wk_var_sub_set(sh, id, o->sub, o->value, o->append, true)
            : whole     ? wk_var_sub_set(sh, id, WK_STR("0"), o->value, o->append, true)
            : !d->no_elements ? wk_var_set_quietly(sh, id, o->value, o->append)
            : o->append       ? wk_var_append(sh, id, o->value)
                              : wk_var_set(sh, id, o->value);
    struct wk_var *own = fixed ? wk_var_own(sh, id) : NULL;
    if (own)
        own->flags |= WK_VAR_READONLY;
    if (visible)
        wk_var_swap_global(sh, o->beneath);
    return o->has_sub && r == -WK_EPERM && sh->told_readonly ? 0 : r; /* of elements that is only told */
}

static enum wk_flow set_text(struct wk_shell *sh, const struct wk_declaration *d, const struct operand *o, uint32_t id,
                             bool list)
{
    enum wk_flow flow = WK_NEXT;
    if (d->traced && !(d->add & ARRAY_BITS) && wk_opt(sh, XTRACE))
        flow = wk_xtrace_assign(sh, &(struct wk_assign){.name = id, .append = o->append}, o->value);
    if (flow != WK_NEXT)
        return flow;
    if (list && o->has_sub && o->makes_array && !d->local)
        wk_sh_error(sh, "warning: %.*s[%.*s]=%.*s: quoted compound array assignment deprecated", (int)o->name.n,
                    o->name.p, (int)o->sub.n, o->sub.p, (int)o->value.n, o->value.p);
    const struct wk_var *v = wk_var_peek(sh, id);
    int r = !d->no_elements && v && v->flags & WK_VAR_NOASSIGN ? -WK_EPERM : assign_text(sh, d, o, id);
    if (r == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    if (r)
        sh->status = 1;
    return WK_NEXT;
}

static bool is_list(const struct operand *o)
{
    return o->value.n > 1 && o->value.p[0] == '(' && o->value.p[o->value.n - 1] == ')';
}

static enum wk_flow set_value(struct wk_shell *sh, const struct wk_declaration *d, const struct operand *o,
                              uint32_t id, int *status)
{
    int before = sh->status;
    sh->status = 0;
    const struct wk_var *v = wk_var_peek(sh, id);
    bool list = is_list(o);
    /* With -a the whole array is meant, whatever the subscript. */
    bool whole = list && v && v->flags & ARRAY_BITS && (d->add & ARRAY_BITS || !(o->has_sub || d->no_elements));
    enum wk_flow flow = whole ? assign_compound_text(sh, o, id) : set_text(sh, d, o, id, list);
    if (flow != WK_NEXT) /* with the status of what went wrong */
        return flow;
    if (sh->status)
        *status = 1;
    sh->status = before;
    return WK_NEXT;
}

/* declare -n r without a value: what r holds becomes the name. */
static bool becomes_reference(struct wk_shell *sh, const struct wk_declaration *d, struct wk_str name,
                              uint32_t id, const struct wk_var *v)
{
    char scratch[24];
    struct wk_str text;
    if (!v || v->flags & WK_VAR_NAMEREF || !wk_var_get(sh, id, scratch, &text) ||
        wk_str_eq(text, name))
        return true;
    struct operand o = {0};
    if (split_operand(text, &o) && !o.has_value)
        return true;
    wk_sh_builtin_error(sh, d->who, "`%.*s': invalid variable name for name reference", (int)text.n, text.p);
    return false;
}

/* References and arrays exclude each other: -n on an array is refused, on a new one dropped, with a message when
 * the array is local or gets a list. *refused then tells. */
static bool reference_or_array(struct wk_shell *sh, const struct wk_declaration *d, struct wk_str name,
                               const struct operand *o, const struct wk_var *v, uint32_t *add, const char **refused)
{
    bool sub = o->has_sub && o->sub.n;
    if (o->has_sub && !sub && !d->local) { /* no element: only its array */
        *add &= ~(uint32_t)WK_VAR_NAMEREF;
        return true;
    }
    if (o->has_sub || (v && v->flags & ARRAY_BITS)) {
        wk_sh_builtin_error(sh, d->who, "%.*s%s%.*s%s: reference variable cannot be an array", (int)name.n,
                            name.p, sub ? "[" : "", (int)o->sub.n, sub ? o->sub.p : "", sub ? "]" : "");
        return false;
    }
    if (*add & ARRAY_BITS) {
        if (d->local)
            *refused = "reference variable cannot be an array";
        *add &= ~(uint32_t)WK_VAR_NAMEREF;
    }
    return true;
}

static bool exists(const struct wk_var *v)
{
    return v && v->flags & (WK_VAR_SET | WK_VAR_DECLARED | WK_VAR_DYNAMIC | WK_VAR_NAMEREF | WK_VAR_EXPORT);
}

/* Without a function's scope an array that gets a value as it is made counts as set, whatever becomes of that. */
static int count_as_set(struct wk_shell *sh, const struct wk_declaration *d, uint32_t id, bool made)
{
    if (!made || d->local)
        return 0;
    struct wk_var *v = wk_var_own(sh, id);
    if (v && v->flags & ARRAY_BITS)
        v->flags |= WK_VAR_SET;
    return v ? 0 : -WK_ENOMEM;
}

/* declare NAME counts as if it were set to what it is. */
static bool counts_again(enum wk_special kind)
{
    return kind == WK_SPECIAL_OPTIND || kind == WK_SPECIAL_GLOBIGNORE || kind == WK_SPECIAL_EXECIGNORE;
}

/* Attributes and value of the variable: readonly comes last, since the value is still to be set. A
 * nameref's text is set while it does not refer: -n with a value names another variable; with +n
 * the value still goes through. */
static enum wk_flow apply(struct wk_shell *sh, const struct wk_declaration *d,
                          const struct operand *o, uint32_t id, uint32_t add, bool has_value,
                          int *status)
{
    const struct wk_var *v = wk_var_peek(sh, id);
    uint32_t late = WK_VAR_READONLY | (has_value ? WK_VAR_NAMEREF : 0);
    late |= d->no_elements && has_value ? WK_VAR_EXPORT : 0; /* not when the value cannot be evaluated */
    uint32_t remove = d->remove & ~(late & ~(uint32_t)WK_VAR_EXPORT), failed = 0;
    bool made = !exists(v);
    if (add & late & WK_VAR_NAMEREF) /* the value is a name, never converted */
        remove |= (WK_VAR_INTEGER | CASE_BITS) & ~add;
    if (add & late & WK_VAR_NAMEREF && v && v->flags & WK_VAR_NAMEREF)
        remove |= WK_VAR_NAMEREF;
    if (made && wk_opt(sh, ALLEXPORT) && !d->local && !(add & (ARRAY_BITS | WK_VAR_NAMEREF)))
        add |= WK_VAR_EXPORT;
    int r = wk_var_attributes(sh, id, add & ~late, remove | (d->remove & WK_VAR_READONLY));
    if (r == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    if (v && !has_value && !d->no_elements && counts_again(wk_var_kind(v)))
        wk_special_changed(sh, id);
    if (!r && has_value && count_as_set(sh, d, id, made) != 0)
        return wk_sh_nomem(sh);
    enum wk_flow flow = !r && has_value ? set_value(sh, d, o, id, &r) : WK_NEXT;
    if (r) {
        *status = 1;
        failed = WK_VAR_NAMEREF | (sh->now.arith_failed ? WK_VAR_EXPORT : 0);
    }
    if (flow == WK_NEXT && (add | d->remove) & late & ~failed) {
        bool reference = add & late & ~failed & WK_VAR_NAMEREF;
        uint32_t conversions = reference ? add & (CASE_BITS | WK_VAR_INTEGER) & ~d->remove : 0;
        r = wk_var_attributes(sh, id, (add & late & ~failed) | conversions, d->remove & late & WK_VAR_NAMEREF);
        if (r == -WK_ENOMEM)
            return wk_sh_nomem(sh);
    }
    return flow;
}

/* name[sub]=value with -r: an array that is readonly before the element gets its value. */
static enum wk_flow readonly_element(struct wk_shell *sh, const struct wk_declaration *d,
                                     const struct operand *o, uint32_t id, uint32_t add, int *status)
{
    bool made = !exists(wk_var_peek(sh, id));
    enum wk_flow flow = apply(sh, d, o, id, add & ~(uint32_t)WK_VAR_READONLY, false, status);
    if (flow == WK_NEXT && count_as_set(sh, d, id, made) != 0)
        return wk_sh_nomem(sh);
    if (flow == WK_NEXT)
        flow = apply(sh, d, o, id, WK_VAR_READONLY, false, status);
    if (flow != WK_NEXT)
        return flow;
    int before = sh->status;
    sh->status = 0;
    flow = set_text(sh, d, o, id, is_list(o));
    *status = sh->status ? 1 : *status;
    sh->status = before;
    return flow;
}

/* A name that is local to the function from now on. False after a message. */
static bool make_local(struct wk_shell *sh, const struct wk_declaration *d, struct wk_str name,
                       uint32_t id, int *err)
{
    bool fresh = d->local && d->level && !already_local(sh, d, id);
    const struct wk_var *v = wk_var_peek(sh, id);
    *err = 0;
    bool own = v && (v->flags & WK_VAR_LOCAL || (v->flags & WK_VAR_TEMPENV && v->level == d->level));
    if (fresh && v && v->flags & WK_VAR_READONLY && !own) {
        wk_sh_builtin_error(sh, d->who, "%.*s: readonly variable", (int)name.n, name.p);
        return false;
    }
    if (fresh && v && v->flags & WK_VAR_NOASSIGN && !(v->flags & WK_VAR_LOCAL)) {
        wk_sh_builtin_error(sh, d->who, "%.*s: variable may not be assigned value", (int)name.n, name.p);
        return false;
    }
    if (fresh)
        *err = wk_var_push_local(sh, id, d->level, false, d->inherit);
    return true;
}

/* The kinds of array meant: of both, export and readonly take the one that the value has. */
static uint32_t attributes_meant(const struct wk_declaration *d, const struct operand *o,
                                 const struct wk_var *v)
{
    uint32_t add = (d->add & ~(d->remove & WK_VAR_READONLY)) | WK_VAR_DECLARED;
    if (o->has_sub && !(add & ARRAY_BITS) && !(v && v->flags & ARRAY_BITS))
        add |= WK_VAR_ARRAY;
    if (d->no_elements && (add & ARRAY_BITS) == ARRAY_BITS)
        add &= ~(uint32_t)WK_VAR_ASSOC;
    if (d->no_elements && !o->has_value) /* a name alone is only marked */
        add &= ~(uint32_t)ARRAY_BITS;
    return add;
}

/* A local that becomes an array loses what it held. */
static int empty_local_array(struct wk_shell *sh, uint32_t id, bool assoc)
{
    const struct wk_var *v = wk_var_peek(sh, id);
    const uint32_t other = ARRAY_BITS | WK_VAR_NAMEREF | WK_VAR_DYNAMIC;
    if (!v || !(v->flags & WK_VAR_SET) || v->flags & other)
        return 0;
    int r = wk_var_make_array(sh, id, assoc);
    return r ? r : wk_var_clear_array(sh, id);
}

static const char not_a_name[] = "not a valid identifier";

static enum wk_flow refuse(struct wk_shell *sh, const struct wk_declaration *d, struct wk_str text,
                           const char *why, int *status)
{
    wk_sh_builtin_error(sh, d->who, "`%.*s': %s", (int)text.n, text.p, why);
    *status = 1;
    return WK_NEXT;
}

/* -a and +a, -A and +A, -a and -A: the array is made, and stays, without more. */
static enum wk_flow make_and_refuse(struct wk_shell *sh, const struct wk_declaration *d, struct wk_str name,
                                    const struct operand *o, uint32_t id, uint32_t add, const char *why,
                                    int *status)
{
    bool made = o->has_value && !exists(wk_var_peek(sh, id));
    int r = d->local ? empty_local_array(sh, id, (add & WK_VAR_ASSOC) != 0) : 0;
    if (!r)
        r = wk_var_attributes(sh, id, add & (ARRAY_BITS | WK_VAR_DECLARED), 0);
    if (r || (r = count_as_set(sh, d, id, made)) != 0)
        return wk_sh_nomem(sh);
    wk_sh_builtin_error(sh, d->who, "%.*s: %s", (int)name.n, name.p, why);
    *status = 1;
    return WK_NEXT;
}

/* A function's reference to its own name is looked up, and told of, when a local takes its place. Always true. */
static bool tell_hidden_circle(struct wk_shell *sh, const struct wk_declaration *d, const struct operand *o,
                               uint32_t id)
{
    const struct wk_var *v = wk_var_peek(sh, id);
    const uint32_t both = WK_VAR_NAMEREF | WK_VAR_LOCAL;
    if (!d->local || !v || (v->flags & both) != both || !v->text ||
        !wk_str_eq(wk_val_str(v->text), wk_names_str(sh->names, id)))
        return true;
    for (int i = 0; i < (d->add & WK_VAR_NAMEREF && !o->has_value ? 3 : 2); i++)
        wk_var_warn_circular(sh, id);
    return true;
}

static enum wk_flow declare_here(struct wk_shell *sh, const struct wk_declaration *d,
                                 struct wk_str name, const struct operand *o, uint32_t id,
                                 int *status)
{
    bool has_value = o->has_value, sub = o->has_sub;
    int err;
    struct operand target = {0};
    const struct wk_var *now = d->local && !already_local(sh, d, id) ? NULL : wk_var_peek(sh, id);
    bool array = d->add & ARRAY_BITS || sub || (now && now->flags & ARRAY_BITS);
    if (o->added.p && o->value.n && !sub && !array && !(split_operand(o->value, &target) && !target.has_value)) {
        if (make_local(sh, d, name, id, &err) && !err && d->local)
            err = wk_var_attributes(sh, id, d->add & CASE_BITS, d->remove & CASE_BITS);
        if (err)
            return wk_sh_nomem(sh);
        *status = 1;
        bool quiet = split_operand(o->added, &target) && !target.has_value;
        return quiet ? WK_NEXT : refuse(sh, d, o->added, not_a_name, status);
    }
    bool element = d->add & WK_VAR_NAMEREF && sub && o->sub.n;
    bool named = d->add & WK_VAR_NAMEREF && o->value.n && !element && !(o->added.p && array);
    if ((named && !reference_fits(sh, d, name, id, o->value)) ||
        (element && !reference_or_array(sh, d, name, o, NULL, &(uint32_t){0}, &(const char *){NULL})) ||
        !tell_hidden_circle(sh, d, o, id) || !make_local(sh, d, name, id, &err)) {
        *status = 1;
        return WK_NEXT;
    }
    if (err)
        return wk_sh_nomem(sh);
    const struct wk_var *v = wk_var_peek(sh, id);
    uint32_t add = attributes_meant(d, o, v);
    const char *refused = NULL; /* said when all else is done */
    bool no_name = add & WK_VAR_NAMEREF && !has_value && !sub && !(v && v->flags & ARRAY_BITS) &&
                   !becomes_reference(sh, d, name, id, v);
    bool array_first = add & WK_VAR_NAMEREF && v && v->flags & ARRAY_BITS;
    if (no_name || (array_first && !reference_or_array(sh, d, name, o, v, &add, &refused)) ||
        !attributes_fit(sh, d, d->who, name, o, v, add) ||
        (add & WK_VAR_NAMEREF && !reference_or_array(sh, d, name, o, v, &add, &refused)) ||
        (add & WK_VAR_NAMEREF && !o->value.n && has_value && !reference_fits(sh, d, name, id, o->value))) {
        *status = 1;
        bool emptied = d->local && has_value && add & ARRAY_BITS && v && v->flags & WK_VAR_READONLY;
        if (emptied && !wk_shopt(sh, LOCALVAR_INHERIT)) /* refused only then */
            err = empty_local_array(sh, id, (add & WK_VAR_ASSOC) != 0);
        if (d->local && add & WK_VAR_NAMEREF && sub)
            err = wk_var_attributes(sh, id, WK_VAR_ARRAY, 0);
        if (d->no_elements && v) { /* marked all the same */
            sh->special_error = WK_SPECIAL_FATAL;
            err = wk_var_attributes(sh, id, d->add & (WK_VAR_EXPORT | WK_VAR_READONLY), d->remove);
        }
        const uint32_t kept = CASE_BITS | WK_VAR_INTEGER | WK_VAR_EXPORT | WK_VAR_TRACE | WK_VAR_READONLY;
        bool empty = d->add & WK_VAR_NAMEREF && has_value && !o->value.n;
        if (!d->no_elements && v && empty && !(v->flags & (WK_VAR_READONLY | ARRAY_BITS)))
            err = wk_var_attributes(sh, id, d->add & kept,
                                    (d->remove & ~(uint32_t)WK_VAR_READONLY) |
                                        ((CASE_BITS | WK_VAR_INTEGER) & ~d->add));
        return err == -WK_ENOMEM ? wk_sh_nomem(sh) : WK_NEXT;
    }
    if (d->remove & ARRAY_BITS & add)
        return make_and_refuse(sh, d, name, o, id, add, "cannot destroy array variables in this way", status);
    if ((add & ARRAY_BITS) == ARRAY_BITS) /* made associative, then refused as indexed */
        return make_and_refuse(sh, d, name, o, id, add & ~(uint32_t)WK_VAR_ARRAY,
                               "cannot convert associative to indexed array", status);
    if (d->add & ~add & WK_VAR_NAMEREF && v) /* an array instead: with the attributes that a reference would lose */
        err = wk_var_attributes(sh, id, 0, (CASE_BITS | WK_VAR_INTEGER) & ~d->add);
    if (err)
        return wk_sh_nomem(sh);
    if (refused)
        has_value = false;
    if (d->local && add & ARRAY_BITS && !wk_shopt(sh, LOCALVAR_INHERIT) &&
        empty_local_array(sh, id, (add & WK_VAR_ASSOC) != 0) != 0)
        return wk_sh_nomem(sh);
    if (add & WK_VAR_NAMEREF && add & WK_VAR_INTEGER && has_value) { /* it would be evaluated */
        *status = 1;
        if (!v || !(v->flags & (WK_VAR_SET | WK_VAR_DECLARED | WK_VAR_NAMEREF)))
            return WK_NEXT;
        add &= ~(uint32_t)WK_VAR_NAMEREF;
        has_value = false;
    }
    if (sub && has_value && add & WK_VAR_READONLY)
        return readonly_element(sh, d, o, id, add, status);
    bool marks = (d->add | d->remove) & ~(uint32_t)WK_VAR_DECLARED || d->global || has_value;
    if (!d->no_elements)
        wk_special_look(sh, wk_var_peek(sh, id), marks && !(add & ARRAY_BITS) ? 2 : 1);
    enum wk_flow flow = apply(sh, d, o, id, add, has_value, status);
    if (d->no_elements)
        wk_special_look(sh, wk_var_peek(sh, id), 1);
    if (d->add & (WK_VAR_EXPORT | WK_VAR_READONLY) && wk_var_hand_on(sh, id, !d->no_elements) == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    if (refused && flow == WK_NEXT) {
        wk_sh_builtin_error(sh, d->who, "%.*s: %s", (int)name.n, name.p, refused);
        *status = 1;
    }
    return flow;
}

/* The variable that a declaration finally means. */
static enum wk_flow declare_found(struct wk_shell *sh, const struct wk_declaration *d, struct wk_str name,
                                  struct operand *o, uint32_t id, int *status)
{
    const struct wk_var *v = wk_var_peek(sh, id);
    if (d->undo && !exists(v) && !o->has_value)
        return WK_NEXT;
    o->makes_array = !(v && v->flags & ARRAY_BITS) && !(d->add & ARRAY_BITS);
    return declare_here(sh, d, name, o, id, status);
}

/* declare -n r+=x: what r refers to, and x behind it. */
static bool append_target(struct wk_shell *sh, struct operand *o, uint32_t id)
{
    const struct wk_var *v = wk_var_peek(sh, id);
    char digits[24];
    struct wk_str old = {"", 0};
    if (!o->append || !v || v->flags & ARRAY_BITS ||
        wk_str_eq(o->value, o->name)) /* refused by what is added already */
        return true;
    if (v->flags & (WK_VAR_NAMEREF | WK_VAR_TEXT) ? v->text != NULL : false)
        old = wk_val_str(v->text);
    else if (v->flags & WK_VAR_NAMEREF || !wk_var_get(sh, id, digits, &old))
        return true;
    char *p = wk_arena_alloc(&sh->arena, old.n + o->value.n + 1);
    if (!p)
        return false;
    memcpy(p, old.p, old.n);
    if (o->value.n)
        memcpy(p + old.n, o->value.p, o->value.n);
    p[old.n + o->value.n] = '\0';
    o->value = wk_str(p, old.n + o->value.n);
    o->append = false;
    return true;
}

/* The value as -i, -c, -l and -u make it, before it becomes the name that a reference stands for. */
static int convert_target(struct wk_shell *sh, const struct wk_declaration *d, struct operand *o, bool fits)
{
    struct wk_str number;
    int r = d->add & WK_VAR_INTEGER && !fits && !d->local ? wk_var_convert(sh, WK_VAR_INTEGER, o->value, &number) : 0;
    return r || !fits || !(d->add & CASE_BITS) ? r : wk_var_convert(sh, d->add & CASE_BITS, o->value, &o->value);
}

/* What cannot be a name ends a global reference. */
static enum wk_flow refuse_target(struct wk_shell *sh, const struct wk_declaration *d, const struct operand *o,
                                  uint32_t id, bool fits, int *status)
{
    bool ends = d->remove & WK_VAR_NAMEREF;
    *status = 1;
    if (d->local && !fits)
        return refuse(sh, d, o->value, ends ? not_a_name : "invalid variable name for name reference", status);
    if (!fits)
        (void)refuse(sh, d, o->value, not_a_name, status);
    if (d->no_elements)
        sh->special_error = WK_SPECIAL_FATAL;
    if (d->no_elements)
        return refuse(sh, d, WK_STR(""), not_a_name, status);
    struct wk_var *v = wk_var_own(sh, id);
    if (!v)
        return wk_sh_nomem(sh);
    if (d->local)
        v->flags |= d->add & WK_VAR_INTEGER;
    else
        wk_var_release(sh->mem, v);
    return WK_NEXT;
}

/* A reference that refers to nothing yet takes the value as the name that it stands for. export and readonly go on to
 * that variable. */
static enum wk_flow give_target(struct wk_shell *sh, const struct wk_declaration *d, struct wk_str name,
                                struct operand *o, uint32_t id, int *status)
{
    struct operand target = {0};
    bool fits = split_operand(o->value, &target) && !target.has_value;
    int e = convert_target(sh, d, o, fits);
    if (e)
        return e == -WK_ENOMEM ? wk_sh_nomem(sh) : wk_status(sh, 1);
    if (!fits || (d->add & WK_VAR_INTEGER && !d->no_elements))
        return refuse_target(sh, d, o, id, fits, status);
    if (!d->no_elements)
        return declare_found(sh, d, name, o, id, status);
    uint32_t to = wk_names_intern(sh->names, target.name);
    e = to == WK_NAME_NONE ? -WK_ENOMEM : wk_var_set(sh, id, o->value);
    if (e == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    struct operand bare = {.name = target.name};
    return declare_found(sh, d, target.name, &bare, to, status);
}

/* The reference becomes a variable without a value, which may become an array. */
static enum wk_flow end_reference(struct wk_shell *sh, const struct wk_declaration *d, struct wk_str name,
                                  struct operand *o, uint32_t id, int *status)
{
    struct wk_var *v = wk_var_own(sh, id);
    bool referred = v && v->text && v->text->n;
    bool warns = o->has_value && !(d->remove & WK_VAR_NAMEREF);
    if (!v || (warns && wk_var_end_reference(sh, id, id) != 0))
        return wk_sh_nomem(sh);
    if (wk_var_make_array(sh, id, (d->add & WK_VAR_ASSOC) != 0) != 0)
        return wk_sh_nomem(sh);
    v->flags = o->has_value && referred ? v->flags | WK_VAR_SET : v->flags & ~(uint32_t)WK_VAR_SET;
    return declare_found(sh, d, name, o, id, status);
}

static enum wk_flow declare_empty_reference(struct wk_shell *sh, const struct wk_declaration *d, struct wk_str name,
                                            struct operand *o, uint32_t id, int *status)
{
    if (o->has_sub)
        return end_reference(sh, d, name, o, id, status);
    bool array = d->add & ARRAY_BITS && !d->local;
    if (o->has_value && !array)
        return give_target(sh, d, name, o, id, status);
    if (d->undo)
        return WK_NEXT;
    if (!d->no_elements || o->has_value)
        return declare_found(sh, d, name, o, id, status);
    wk_sh_builtin_error(sh, d->who, "`': %s", not_a_name);
    return WK_NEXT;
}

/* The reference stands for an element: the array is what is declared, and the element gets the value. */
static enum wk_flow declare_element(struct wk_shell *sh, const struct wk_declaration *d, struct operand *o,
                                    uint32_t id, struct wk_str sub, int *status)
{
    struct wk_str name = wk_names_str(sh->names, id);
    char *copy = wk_arena_strndup(&sh->arena, sub.p, sub.n); /* the reference may change meanwhile */
    if (!copy)
        return wk_sh_nomem(sh);
    const struct wk_var *v = wk_var_peek(sh, id);
    if (d->undo && d->no_elements && !o->has_value)
        return WK_NEXT;
    struct wk_str inner;
    bool ends = v && v->flags & WK_VAR_NAMEREF && !d->no_elements;
    if (ends && !o->has_value && d->add | d->remove) /* or the variable that this one refers to */
        ends = wk_var_resolve(sh, &id, &inner) != 0;
    if (ends && wk_var_end_reference(sh, id, id) != 0)
        return wk_sh_nomem(sh);
    o->name = name = wk_names_str(sh->names, id);
    o->has_sub = true;
    o->sub = wk_str(copy, sub.n);
    if (!d->no_elements)
        return declare_found(sh, d, name, o, id, status);
    int e = 0;
    bool kind = o->has_value && d->add & ARRAY_BITS, fits = true;
    if (kind)
        fits = attributes_fit(sh, d, d->who, name, o, wk_var_peek(sh, id), d->add);
    if (!fits)
        *status = 1;
    else if (o->has_value)
        e = wk_var_sub_set(sh, id, o->sub, o->value, o->append, true);
    if (!e && fits && kind)
        e = wk_var_attributes(sh, id, d->add & (WK_VAR_EXPORT | WK_VAR_READONLY), 0);
    if (e == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    if (d->undo)
        return WK_NEXT;
    wk_sh_builtin_error(sh, d->who, "`%.*s[%.*s]': %s", (int)name.n, name.p, (int)sub.n, copy, not_a_name);
    return WK_NEXT;
}

/* References that lead back to their beginning are only told of, mostly more than once; a function's own takes the
 * attributes. */
static enum wk_flow tell_circle(struct wk_shell *sh, const struct wk_declaration *d, struct operand *o,
                                uint32_t id, int *status)
{
    struct wk_str sub;
    uint32_t again = id;
    const struct wk_var *v = wk_var_peek(sh, id);
    bool own = v && v->flags & WK_VAR_LOCAL, value = d->no_elements && o->has_value;
    if (own && d->no_elements) { /* the global variable is meant */
        const struct wk_var *global = wk_var_global(sh, id);
        if (value || !global || !(global->flags & WK_VAR_SET))
            wk_var_warn_circular(sh, id);
        wk_var_swap_global(sh, id);
        enum wk_flow flow = declare_found(sh, d, wk_names_str(sh->names, id), o, id, status);
        wk_var_swap_global(sh, id);
        return flow;
    }
    if (!own || !d->no_elements)
        (void)wk_var_resolve(sh, &again, &sub);
    again = id;
    if (value)
        (void)wk_var_resolve(sh, &again, &sub);
    if (value)
        *status = 1;
    if (!d->local)
        return WK_NEXT;
    struct operand target = {0};
    if (o->has_value && !split_operand(o->value, &target))
        return refuse(sh, d, o->value, "invalid variable name for name reference", status);
    int r = wk_var_attributes(sh, id, d->add & ~(uint32_t)ARRAY_BITS, d->remove & WK_VAR_NAMEREF);
    return r == -WK_ENOMEM ? wk_sh_nomem(sh) : WK_NEXT;
}

/* +n: the last reference of the chain ends. False after a message. */
static bool end_last_reference(struct wk_shell *sh, const struct wk_declaration *d, uint32_t id, int *err)
{
    const struct wk_var *v = wk_var_peek(sh, id);
    for (uint32_t next = id; v->text; id = next) {
        next = wk_names_find(sh->names, wk_val_str(v->text));
        const struct wk_var *to = next == WK_NAME_NONE ? NULL : wk_var_peek(sh, next);
        if (!to || !(to->flags & WK_VAR_NAMEREF))
            break;
        v = to;
    }
    struct wk_str name = wk_names_str(sh->names, id);
    if (v->flags & WK_VAR_READONLY)
        wk_sh_builtin_error(sh, d->who, "%.*s: readonly variable", (int)name.n, name.p);
    *err = v->flags & WK_VAR_READONLY ? -WK_EPERM : wk_var_attributes(sh, id, 0, WK_VAR_NAMEREF);
    return !*err;
}

/* What a reference refers to is declared: id and perhaps the element sub. */
static enum wk_flow declare_target(struct wk_shell *sh, const struct wk_declaration *d, struct operand *o, uint32_t id,
                                   struct wk_str sub, int *status)
{
    if (o->global) { /* what it refers to is global, too */
        wk_var_swap_global(sh, o->beneath);
        wk_var_swap_global(sh, id);
        o->beneath = id;
    }
    struct wk_str name = wk_names_str(sh->names, id);
    if (!sub.p) /* messages have the name that was written */
        return declare_found(sh, d, d->no_elements ? name : o->name, o, id, status);
    if (!o->has_sub)
        return declare_element(sh, d, o, id, sub, status);
    wk_sh_builtin_error(sh, d->who, "`%.*s[%.*s][%.*s]': %s", (int)name.n, name.p, (int)sub.n, sub.p, (int)o->sub.n,
                        o->sub.p, not_a_name);
    *status = 1;
    return WK_NEXT;
}

/* A function's own reference: its target becomes local, too, and for an element one that has the whole text as its
 * name. +n counts when the target is there. */
static enum wk_flow declare_local_target(struct wk_shell *sh, const struct wk_declaration *d, struct operand *o,
                                         uint32_t reference, uint32_t id, bool element, int *status)
{
    if (element) {
        const struct wk_var *v = wk_var_peek(sh, reference);
        id = v ? wk_names_intern(sh->names, wk_val_str(v->text)) : WK_NAME_NONE;
        if (id == WK_NAME_NONE)
            return wk_sh_nomem(sh);
    }
    bool there = exists(wk_var_peek(sh, id)), ends = d->remove & WK_VAR_NAMEREF;
    if (ends && there && o->has_value)
        return refuse(sh, d, o->value, not_a_name, status);
    if (ends && there)
        return declare_found(sh, d, wk_names_str(sh->names, reference), o, reference, status);
    struct wk_declaration rest = *d;
    rest.remove &= ~(uint32_t)WK_VAR_NAMEREF;
    return declare_found(sh, &rest, wk_names_str(sh->names, id), o, id, status);
}

/* Declarations follow a nameref except with -n, and except where a new local hides it. An element with a value, and
 * one without attributes, makes an array of the reference itself. */
static enum wk_flow declare_variable(struct wk_shell *sh, const struct wk_declaration *d, struct wk_str name,
                                     struct operand *o, uint32_t id, int *status)
{
    const struct wk_var *v = wk_var_peek(sh, id);
    if (d->add & WK_VAR_NAMEREF || !v || !(v->flags & WK_VAR_NAMEREF) || (d->local && !already_local(sh, d, id)))
        return declare_found(sh, d, name, o, id, status);
    if (!v->text || !v->text->n)
        return declare_empty_reference(sh, d, name, o, id, status);
    bool ends = d->remove & WK_VAR_NAMEREF, attributes = d->add | (d->remove & ~(uint32_t)WK_VAR_NAMEREF);
    struct wk_str sub;
    uint32_t to = id;
    bool array = o->has_sub && !d->local && !ends;
    if (array && o->has_value)
        return end_reference(sh, d, name, o, id, status);
    if (wk_var_resolve(sh, &to, &sub) != 0)
        return tell_circle(sh, d, o, id, status);
    if (array && !attributes && (sub.p || !exists(wk_var_peek(sh, to))))
        return end_reference(sh, d, name, o, id, status);
    if (d->local)
        return declare_local_target(sh, d, o, id, to, sub.p, status);
    if (!ends)
        return declare_target(sh, d, o, to, sub, status);
    char *copy = sub.p ? wk_arena_strndup(&sh->arena, sub.p, sub.n) : NULL; /* from the reference's text */
    struct wk_declaration rest = *d;
    rest.remove &= ~(uint32_t)WK_VAR_NAMEREF;
    int err;
    if (end_last_reference(sh, d, id, &err) && (o->has_value || attributes))
        return declare_target(sh, &rest, o, to, wk_str(copy, sub.n), status);
    *status = err ? 1 : *status;
    return err == -WK_ENOMEM || (sub.p && !copy) ? wk_sh_nomem(sh) : WK_NEXT;
}

enum wk_flow wk_declare_operand(struct wk_shell *sh, const struct wk_declaration *d, struct wk_str text,
                                int *status)
{
    struct operand o = {0};
    if (d->functions) {
        function_operand(sh, d, text, status);
        return WK_NEXT;
    }
    if (!split_operand(text, &o)) {
        wk_sh_builtin_error(sh, d->who, "`%s': not a valid identifier", text.p);
        *status = 1;
        return WK_NEXT;
    }
    struct wk_str name = o.name;
    if (d->no_elements && o.has_sub) {
        wk_sh_builtin_error(sh, d->who, "`%.*s[%.*s]': not a valid identifier", (int)name.n, name.p,
                            (int)o.sub.n, o.sub.p);
        if (o.has_value)
            sh->special_error = WK_SPECIAL_FATAL;
        *status = 1;
        return WK_NEXT;
    }
    uint32_t id = wk_names_intern(sh->names, name);
    o.added = d->add & WK_VAR_NAMEREF && o.append ? o.value : wk_str(NULL, 0);
    bool fresh = d->local && id != WK_NAME_NONE && !already_local(sh, d, id);
    if (id == WK_NAME_NONE || (d->add & WK_VAR_NAMEREF && !fresh && !append_target(sh, &o, id)))
        return wk_sh_nomem(sh);
    o.global = d->level && (d->global || (d->prefers_local && !already_local(sh, d, id)));
    o.beneath = id;
    if (o.global)
        wk_var_swap_global(sh, id); /* beneath a local of the same name */
    enum wk_flow flow = declare_variable(sh, d, name, &o, id, status);
    if (o.global)
        wk_var_swap_global(sh, o.beneath);
    return flow;
}
