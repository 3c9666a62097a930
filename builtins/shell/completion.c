/* completion.c - complete, compopt: how the words of a command may be completed
 *
 * Standard: bash 8.7. Oracle: bash 5.2.
 *
 * A specification is kept as one value: its numbers, then the name and the texts, each preceded by
 * '1' and ended by NUL ('0' when it is not given).
 */
#include "base/hash.h"
#include "base/num.h"
#include "base/sort.h"
#include "builtins/shell/completion.h"
#include "builtins/shell/vallist.h"

#include "interp/expand.h"

extern const struct wk_builtin wk_builtin_complete, wk_builtin_compopt;

const char *const wk_comp_options[WK_COMP_NOPTIONS] = {
    "bashdefault", "default", "dirnames", "filenames", "noquote", "nosort", "nospace", "plusdirs"};

const struct wk_comp_action_info wk_comp_actions[WK_COMP_COUNT] = {
#define WK_X(id, name, letter) {name, letter},
    WK_COMP_ACTIONS(WK_X)
#undef WK_X
};

/* Names under which -D, -E and -I are kept: no command can be called so. */
static const char *const special_names[] = {"_DefaultCmD_", "_EmptycmD_", "_InitialWorD_"};

int wk_comp_option_find(struct wk_str name)
{
    for (int i = 0; i < WK_COMP_NOPTIONS; i++) {
        if (wk_str_is(name, wk_comp_options[i]))
            return i;
    }
    return -1;
}

static bool take_action(struct wk_shell *sh, const char *who, struct wk_str name,
                        struct wk_compspec *c)
{
    for (unsigned i = 0; i < WK_COMP_COUNT; i++) {
        if (wk_str_is(name, wk_comp_actions[i].name)) {
            c->actions |= 1u << i;
            return true;
        }
    }
    wk_sh_builtin_error(sh, who, "%s: invalid action name", name.p);
    return false;
}

static bool take_function(struct wk_shell *sh, const char *who, struct wk_str name)
{
    for (size_t i = 0; i < name.n; i++) {
        if (strchr(" \t\n|&;()<>$`\"'\\", name.p[i])) {
            wk_sh_builtin_error(sh, who, "`%s': not a valid identifier", name.p);
            return false;
        }
    }
    return true;
}

bool wk_comp_letter(struct wk_shell *sh, const char *who, int letter, struct wk_str arg,
                    struct wk_compspec *c, bool *bad)
{
    static const char texts[] = "GWPSXCF";
    *bad = false;
    if (letter == 'o') {
        int o = wk_comp_option_find(arg);
        if (o < 0)
            wk_sh_builtin_error(sh, who, "%s: invalid option name", arg.p);
        else
            c->options |= 1u << o;
        *bad = o < 0;
        return !*bad;
    }
    if (letter == 'A') {
        *bad = !take_action(sh, who, arg, c);
        return !*bad;
    }
    const char *at = strchr(texts, letter);
    if (at) {
        *bad = letter == 'F' && !take_function(sh, who, arg);
        c->text[at - texts] = arg;
        return !*bad;
    }
    for (unsigned i = 0; i < WK_COMP_COUNT; i++) {
        if (wk_comp_actions[i].letter == letter) {
            c->actions |= 1u << i;
            return true;
        }
    }
    return false;
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool put_text(struct wk_buf *b, struct wk_str s)
{
    if (!s.p)
        return wk_buf_put(b, "0", 2);
    return wk_buf_putc(b, '1') && wk_buf_puts(b, s) && wk_buf_putc(b, '\0');
}

static struct wk_str get_text(struct wk_str *rest)
{
    struct wk_str s = wk_str_c(rest->p);
    *rest = wk_str_from(*rest, s.n + 1);
    return s.n && s.p[0] == '1' ? wk_str_from(s, 1) : wk_str(NULL, 0);
}

static struct wk_str unpack(const struct wk_val *v, struct wk_compspec *c)
{
    struct wk_str rest = wk_val_str(v);
    memcpy(&c->actions, rest.p, sizeof c->actions);
    memcpy(&c->options, rest.p + sizeof c->actions, sizeof c->options);
    rest = wk_str_from(rest, sizeof c->actions + sizeof c->options);
    memcpy(&c->group, rest.p, sizeof c->group);
    rest = wk_str_from(rest, sizeof c->group);
    struct wk_str name = get_text(&rest);
    for (int i = 0; i < WK_COMP_TEXTS; i++)
        c->text[i] = get_text(&rest);
    return name;
}

/* Place of the specification for a name; -1 = none. */
static int64_t find(const struct wk_shell *sh, struct wk_str name)
{
    const struct wk_dirstack *d = sh->st->completions;
    struct wk_compspec c;
    for (uint32_t i = 0; i < wk_vallist_count(d); i++) {
        if (wk_str_eq(unpack(d->v[i], &c), name))
            return i;
    }
    return -1;
}

static int store(struct wk_shell *sh, struct wk_str name, const struct wk_compspec *c)
{
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, SIZE_MAX / 2);
    wk_buf_put(&b, &c->actions, sizeof c->actions);
    wk_buf_put(&b, &c->options, sizeof c->options);
    wk_buf_put(&b, &c->group, sizeof c->group);
    put_text(&b, name);
    for (int i = 0; i < WK_COMP_TEXTS; i++)
        put_text(&b, c->text[i]);
    int64_t at = find(sh, name);
    int r = b.failed ? -WK_ENOMEM
            : at < 0 ? wk_vallist_push(sh, &sh->st->completions, wk_buf_str(&b))
                     : wk_vallist_set(sh, &sh->st->completions, (uint32_t)at, wk_buf_str(&b));
    wk_buf_release(&b);
    return r;
}

static void put_name(struct wk_buf *b, struct wk_str name)
{
    for (size_t i = 0; i < WK_COUNTOF(special_names); i++) {
        if (wk_str_is(name, special_names[i])) {
            wk_buf_fmt(b, " -%c\n", name.p[1]);
            return;
        }
    }
    wk_buf_putc(b, ' ');
    if (name.n == 0)
        wk_buf_put_c(b, "''");
    else
        wk_quote_if_needed(b, name, false);
    wk_buf_putc(b, '\n');
}

static void put_spec(struct wk_buf *b, const struct wk_val *v)
{
    static const char texts[] = "GWPSXCF";
    struct wk_compspec c;
    struct wk_str name = unpack(v, &c);
    wk_buf_put_c(b, "complete");
    for (unsigned i = 0; i < WK_COMP_NOPTIONS; i++) {
        if (c.options >> i & 1)
            wk_buf_fmt(b, " -o %s", wk_comp_options[i]);
    }
    for (unsigned i = 0; i < WK_COMP_COUNT; i++) {
        if (c.actions >> i & 1 && wk_comp_actions[i].letter)
            wk_buf_fmt(b, " -%c", wk_comp_actions[i].letter);
    }
    for (unsigned i = 0; i < WK_COMP_COUNT; i++) {
        if (c.actions >> i & 1 && !wk_comp_actions[i].letter)
            wk_buf_fmt(b, " -A %s", wk_comp_actions[i].name);
    }
    for (int i = 0; i < WK_COMP_TEXTS; i++) {
        if (!c.text[i].p)
            continue;
        wk_buf_fmt(b, " -%c ", texts[i]);
        if (i == WK_COMP_F)
            wk_quote_if_needed(b, c.text[i], false);
        else
            wk_quote_plain(b, c.text[i]);
    }
    put_name(b, name);
}

/* ---- complete -------------------------------------------------------------------------------- */

static enum wk_flow no_spec(struct wk_shell *sh, const char *who, struct wk_str name)
{
    wk_sh_builtin_error(sh, who, "%s: no completion specification", name.p);
    return wk_status(sh, 1);
}

/* bash keeps them in a table of this many lists, the newest first, and prints it from the front. It grows as
 * much as its tables for arrays do. The names that -D, -E and -I have there decide their places. */
enum { TABLE_LISTS = 512, TABLE_CROWD = 2, TABLE_GROWTH = 4 };

struct placed {
    uint32_t list, at;
};

static int by_place(void *ctx, const void *pa, const void *pb)
{
    const struct placed *a = pa, *b = pb;
    (void)ctx;
    if (a->list != b->list)
        return a->list < b->list ? -1 : 1;
    return a->at > b->at ? -1 : a->at < b->at;
}

static uint32_t hash_of(struct wk_str name)
{
    static const char *const theirs[] = {"_DefaultCmD_", "_EmptycmD_", "_InitialWorD_"};
    for (size_t i = 0; i < WK_COUNTOF(theirs); i++)
        if (wk_str_is(name, special_names[i]))
            name = wk_str_c(theirs[i]);
    return wk_fnv1(name);
}

static int put_all(struct wk_shell *sh, struct wk_buf *b)
{
    const struct wk_dirstack *d = sh->st->completions;
    uint32_t n = wk_vallist_count(d), lists = TABLE_LISTS;
    if (n == 0)
        return 0;
    while (n >= (uint64_t)lists * TABLE_CROWD)
        lists *= TABLE_GROWTH;
    struct placed *v = wk_calloc(sh->mem, n, sizeof *v);
    if (!v)
        return -WK_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        struct wk_compspec c;
        v[i] = (struct placed){hash_of(unpack(d->v[i], &c)) & (lists - 1), i};
    }
    const struct wk_sort how = {.cmp = by_place};
    int e = wk_sort(sh->mem, v, n, sizeof *v, &how);
    for (uint32_t i = 0; i < n && !e; i++)
        put_spec(b, d->v[v[i].at]);
    wk_free(sh->mem, v);
    return e;
}

/* -p and -r for some names, or for all. */
static enum wk_flow print_or_remove(struct wk_shell *sh, const struct wk_str *names, size_t n,
                                    bool remove)
{
    struct wk_bout o;
    wk_bout_init(&o, sh, "complete");
    sh->status = 0;
    int e = 0;
    if (n == 0 && remove) /* the table stays */
        e = wk_vallist_cut(sh, &sh->st->completions, 0, wk_vallist_count(sh->st->completions));
    else if (n == 0)
        e = put_all(sh, &o.buf);
    for (size_t i = 0; i < n && !e; i++) {
        int64_t at = find(sh, names[i]);
        if (at < 0 && remove && !sh->st->completions)
            continue; /* nothing to remove from */
        if (at < 0)
            (void)no_spec(sh, "complete", names[i]);
        else if (remove)
            e = wk_vallist_cut(sh, &sh->st->completions, (uint32_t)at, (uint32_t)at + 1);
        else
            put_spec(&o.buf, sh->st->completions->v[at]);
    }
    enum wk_flow flow = wk_bout_finish(&o);
    return e ? wk_sh_fail(sh, e) : flow;
}

static uint32_t free_group(const struct wk_shell *sh)
{
    const struct wk_dirstack *d = sh->st->completions;
    struct wk_compspec c;
    uint32_t used = 0;
    for (uint32_t i = 0; i < wk_vallist_count(d); i++) {
        (void)unpack(d->v[i], &c);
        used = WK_MAX(used, c.group);
    }
    return used + 1;
}

static enum wk_flow complete_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_compspec c = {0};
    unsigned place = WK_COUNTOF(special_names); /* of -D, -E and -I the first in this order */
    bool print = false, remove = false, any = false, bad;
    struct wk_getopt g = {.b = &wk_builtin_complete,
                          .a = a,
                          .spec = "abcdefgjksuvo:prA:G:W:P:S:X:F:C:DEI"};
    for (int l; (l = wk_getopt_next(sh, &g)) != 0;) {
        if (l == '?')
            return wk_status(sh, 2);
        if (l == 'p' || l == 'r')
            *(l == 'p' ? &print : &remove) = true;
        else if (l == 'D' || l == 'E' || l == 'I')
            place = WK_MIN(place, l == 'D' ? 0u : l == 'E' ? 1u : 2u);
        else if (!wk_comp_letter(sh, "complete", l, g.arg, &c, &bad))
            return wk_status(sh, 2);
        else
            any = true;
    }
    size_t at = g.at ? g.at : 1;
    struct wk_str special = wk_str_c(place < WK_COUNTOF(special_names) ? special_names[place] : "");
    const struct wk_str *names = special.n ? &special : a->v + at;
    size_t n = special.n ? 1 : a->n - at;
    if (print || remove || (n == 0 && !any))
        return print_or_remove(sh, names, n, remove && !print);
    if (n == 0)
        return wk_builtin_usage(sh, &wk_builtin_complete);
    sh->status = 0;
    c.group = n > 1 ? free_group(sh) : 0;
    for (size_t i = 0; i < n; i++) {
        int e = store(sh, names[i], &c);
        if (e)
            return wk_sh_fail(sh, e);
        if (wk_steps(sh->k, 1 + wk_vallist_count(sh->st->completions) / 8) != 0)
            return WK_STOP;
    }
    return WK_NEXT;
}

/* ---- compopt --------------------------------------------------------------------------------- */

static void put_options(struct wk_buf *b, struct wk_str name, uint32_t options)
{
    wk_buf_put_c(b, "compopt");
    for (unsigned i = 0; i < WK_COMP_NOPTIONS; i++)
        wk_buf_fmt(b, " %co %s", options >> i & 1 ? '-' : '+', wk_comp_options[i]);
    put_name(b, name);
}

/* Of the specification at `place', and of those that have it in common. */
static int change_options(struct wk_shell *sh, uint32_t place, uint32_t group, uint32_t on, uint32_t off)
{
    int e = 0;
    for (uint32_t i = 0; i < wk_vallist_count(sh->st->completions) && !e; i++) {
        struct wk_compspec c;
        struct wk_val *held = wk_val_ref(sh->st->completions->v[i]);
        struct wk_str name = unpack(held, &c);
        if (i == place || (group && c.group == group)) {
            c.options = (c.options | on) & ~off;
            e = store(sh, name, &c);
        }
        wk_val_unref(sh->mem, held);
    }
    return e;
}

static enum wk_flow compopt_run(struct wk_shell *sh, const struct wk_args *a)
{
    uint32_t on = 0, off = 0;
    struct wk_str special = {NULL, 0};
    struct wk_getopt g = {.b = &wk_builtin_compopt, .a = a, .spec = "+o:DEI"};
    for (int l; (l = wk_getopt_next(sh, &g)) != 0;) {
        if (l == '?')
            return wk_status(sh, 2);
        if (l != 'o') {
            special = wk_str_c(special_names[l == 'D' ? 0 : l == 'E' ? 1 : 2]);
            continue;
        }
        int o = wk_comp_option_find(g.arg);
        if (o < 0) {
            wk_sh_builtin_error(sh, "compopt", "%s: invalid option name", g.arg.p);
            return wk_status(sh, 2);
        }
        *(g.plus ? &off : &on) |= 1u << o;
    }
    size_t at = g.at ? g.at : 1;
    const struct wk_str *names = special.p ? &special : a->v + at;
    size_t n = special.p ? 1 : a->n - at;
    if (n == 0) {
        wk_sh_builtin_error(sh, "compopt", "not currently executing completion function");
        return wk_status(sh, 1);
    }
    struct wk_bout o;
    wk_bout_init(&o, sh, "compopt");
    sh->status = 0;
    int e = 0;
    for (size_t i = 0; i < n && !e; i++) {
        int64_t place = find(sh, names[i]);
        if (place < 0) {
            (void)no_spec(sh, "compopt", names[i]);
            continue;
        }
        struct wk_compspec c;
        struct wk_val *held = wk_val_ref(sh->st->completions->v[place]);
        struct wk_str name = unpack(held, &c);
        if (!on && !off) {
            put_options(&o.buf, name, c.options);
        } else {
            e = change_options(sh, (uint32_t)place, c.group, on, off);
        }
        wk_val_unref(sh->mem, held);
    }
    enum wk_flow flow = wk_bout_finish(&o);
    return e ? wk_sh_fail(sh, e) : flow;
}

WK_BUILTIN(complete,
           .usage = "complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] "
                    "[-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] "
                    "[-S suffix] [name ...]",
           .summary = "Say how the arguments of each NAME are to be completed.",
           .help = "  -p   print the specifications as commands\n"
                   "  -r   remove them\n"
                   "  -D   for commands without one; -E for empty lines, -I for first words",
           .run = complete_run);

WK_BUILTIN(compopt, .usage = "compopt [-o|+o option] [-DEI] [name ...]",
           .summary = "Change or show the options of completions.",
           .help = "  -o OPTION   turn on; +o turns off. Without either, the options are shown.",
           .run = compopt_run);
