/* bind.c - bind: keys and variables of a line editor
 *
 * Standard: bash 4.2. Oracle: bash 5.2.
 * Differs: the whelk program's own editor does not read them; keymaps of vi begin empty.
 *
 * What was changed is a list of texts in the state, the latest last: KIND, keymap, then key sequence or name, and
 * after a newline the value. A key sequence is kept as `bind -p' writes it, so it holds neither NUL nor newline.
 */
#include "base/num.h"
#include "interp/builtin.h"
#include "interp/eval.h"
#include "vfs/vfs.h"

#include "builtins/shell/bind_tables.h"
#include "builtins/shell/vallist.h"

extern const struct wk_builtin wk_builtin_bind;

enum { FILE_MAX = 1 << 20, SHOWN = 5 };

enum kind { FUNCTION = 'f', MACRO = 'm', SHELL = 'x', VARIABLE = 'v', NOTHING = 'r' };

/* ---- keymaps --------------------------------------------------------------------------------- */

struct keymap {
    const char *name;
    char id;            /* e, or i and c of vi */
    const char *prefix; /* the part of it behind this key */
};

static const struct keymap keymaps[] = {
    {"emacs", 'e', ""},        {"emacs-standard", 'e', ""}, {"emacs-meta", 'e', "\\e"}, {"emacs-ctlx", 'e', "\\C-x"},
    {"vi", 'c', ""},           {"vi-move", 'c', ""},        {"vi-command", 'c', ""},    {"vi-insert", 'i', ""},
};

struct binder {
    struct wk_shell *sh;
    const struct keymap *map;
    int status;
    int err; /* -WK_ENOMEM or -WK_ESTOP */
};

/* ---- key sequences --------------------------------------------------------------------------- */

static void put_key(struct wk_buf *b, unsigned char c)
{
    if (c == 0x1b)
        wk_buf_put_c(b, "\\e");
    else if (c == 0x7f)
        wk_buf_put_c(b, "\\C-?");
    else if (c < ' ')
        wk_buf_fmt(b, "\\C-%c", c >= 1 && c <= 26 ? c + 0x60 : c + 0x40);
    else if (c == '"' || c == '\\')
        wk_buf_fmt(b, "\\%c", c);
    else if (c >= 0x80)
        wk_buf_fmt(b, "\\%03o", c);
    else
        wk_buf_putc(b, (char)c);
}

static unsigned char control(unsigned char c)
{
    return c == '?' ? 0x7f : (unsigned char)((c >= 'a' && c <= 'z' ? c - 0x20 : c) & 0x1f);
}

/* A key with Meta is a byte of its own (convert-meta off). */
static unsigned char with_meta(unsigned char c, bool meta)
{
    return meta ? (unsigned char)(c | 0x80) : c;
}

/* The escape behind a backslash at i; the bytes used. */
static size_t put_escape(struct wk_buf *b, struct wk_str s, size_t i)
{
    static const char plain[] = "abdefnrtv\\\"'", codes[] = "\a\b\x7f\x1b\f\n\r\t\v\\\"'";
    const char *at = s.p[i] ? strchr(plain, s.p[i]) : NULL;
    bool ctrl = false, meta = false;
    size_t from = i;
    while (i + 2 < s.n && s.p[i + 1] == '-' && (s.p[i] == 'C' || s.p[i] == 'M')) {
        ctrl = ctrl || s.p[i] == 'C';
        meta = meta || s.p[i] == 'M';
        i += 2;
        if (i + 2 < s.n && s.p[i] == '\\')
            i++;
        at = NULL;
    }
    if (ctrl || meta) {
        put_key(b, with_meta(ctrl ? control((unsigned char)s.p[i]) : (unsigned char)s.p[i], meta));
        return i + 1 - from;
    }
    if (at) {
        put_key(b, (unsigned char)codes[at - plain]);
        return 1;
    }
    unsigned v = 0;
    size_t n = 0;
    if (s.p[i] >= '0' && s.p[i] <= '7') {
        for (; n < 3 && i + n < s.n && s.p[i + n] >= '0' && s.p[i + n] <= '7'; n++)
            v = v * 8 + (unsigned)(s.p[i + n] - '0');
        put_key(b, (unsigned char)v);
        return n;
    }
    put_key(b, (unsigned char)s.p[i]);
    return 1;
}

/* Keys as they are written, with the prefix of the keymap. */
static void put_sequence(struct wk_buf *b, const struct keymap *map, struct wk_str s)
{
    wk_buf_put_c(b, map->prefix);
    for (size_t i = 0; i < s.n;) {
        if (s.p[i] == '\\' && i + 1 < s.n)
            i += 1 + put_escape(b, s, i + 1);
        else
            put_key(b, (unsigned char)s.p[i++]);
    }
}

/* A key by its name: Control-x, M-Rubout, Space. */
static void put_named_key(struct wk_buf *b, const struct keymap *map, struct wk_str s)
{
    static const struct {
        const char *name;
        char key;
    } names[] = {{"rubout", 0x7f}, {"del", 0x7f},  {"esc", 0x1b},  {"escape", 0x1b}, {"lfd", '\n'}, {"newline", '\n'},
                 {"ret", '\r'},    {"return", '\r'}, {"spc", ' '}, {"space", ' '},   {"tab", '\t'}};
    bool ctrl = false, meta = false;
    for (ptrdiff_t dash; (dash = wk_str_chr(s, '-')) > 0 && (size_t)dash + 1 < s.n;) {
        ctrl = ctrl || s.p[0] == 'C' || s.p[0] == 'c';
        meta = meta || s.p[0] == 'M' || s.p[0] == 'm';
        s = wk_str_from(s, (size_t)dash + 1);
    }
    unsigned char key = s.n ? (unsigned char)s.p[0] : 0;
    for (size_t i = 0; i < WK_COUNTOF(names); i++) {
        size_t n = strlen(names[i].name), j = 0;
        while (j < n && j < s.n && (s.p[j] | 0x20) == names[i].name[j])
            j++;
        if (j == n && n == s.n)
            key = (unsigned char)names[i].key;
    }
    wk_buf_put_c(b, map->prefix);
    put_key(b, with_meta(ctrl ? control(key) : key, meta));
}

/* ---- what is bound --------------------------------------------------------------------------- */

struct record {
    enum kind kind;
    char map;
    struct wk_str key, value;
};

static struct record record_at(const struct wk_shell *sh, uint32_t i)
{
    struct wk_str s = wk_val_str(sh->st->bindings->v[i]), rest = wk_str_from(s, 2);
    ptrdiff_t nl = wk_str_chr(rest, '\n');
    size_t n = nl < 0 ? rest.n : (size_t)nl;
    return (struct record){(enum kind)s.p[0], s.p[1], wk_str_take(rest, n), wk_str_from(rest, WK_MIN(n + 1, rest.n))};
}

/* The entry for a key, or for a variable in map 'v'; -1: none. */
static int64_t find(const struct wk_shell *sh, char map, struct wk_str key)
{
    for (uint32_t i = 0; i < wk_vallist_count(sh->st->bindings); i++) {
        struct record r = record_at(sh, i);
        if (r.map == map && wk_str_eq(r.key, key))
            return i;
    }
    return -1;
}

/* The byte that a written key sequence begins with, which is taken off; -1 at its end. */
static int next_byte(struct wk_str *s)
{
    size_t n = 1;
    int c = -1;
    if (!s->n)
        return -1;
    c = (unsigned char)s->p[0];
    if (c == '\\' && s->n > 3 && s->p[1] == 'C') {
        c = control((unsigned char)s->p[3]);
        n = 4;
    } else if (c == '\\' && s->n > 3 && wk_is_digit(s->p[1])) {
        c = (s->p[1] - '0') * 64 + (s->p[2] - '0') * 8 + s->p[3] - '0';
        n = 4;
    } else if (c == '\\' && s->n > 1) {
        c = s->p[1] == 'e' ? 0x1b : (unsigned char)s->p[1];
        n = 2;
    }
    *s = wk_str_from(*s, n);
    return c;
}

static int compare_keys(struct wk_str a, struct wk_str b)
{
    for (;;) {
        int x = next_byte(&a), y = next_byte(&b);
        if (x != y || x < 0)
            return x - y;
    }
}

/* Records are in the order of their keys: the new last one moves to its place. */
static void settle(const struct wk_shell *sh)
{
    struct wk_dirstack *d = sh->st->bindings; /* our own since the change */
    for (uint32_t i = d->n - 1; i > 0; i--) {
        if (compare_keys(record_at(sh, i - 1).key, record_at(sh, i).key) <= 0)
            break;
        struct wk_val *v = d->v[i];
        d->v[i] = d->v[i - 1];
        d->v[i - 1] = v;
    }
}

static void change(struct binder *b, enum kind kind, char map, struct wk_str key, struct wk_str value)
{
    struct wk_buf t;
    int64_t at = find(b->sh, map, key);
    wk_buf_init(&t, b->sh->mem, WK_VAL_MAX);
    wk_buf_fmt(&t, "%c%c", kind, map);
    wk_buf_puts(&t, key);
    wk_buf_putc(&t, '\n');
    wk_buf_puts(&t, value);
    struct wk_dirstack **list = &b->sh->st->bindings;
    int e = t.failed ? -WK_ENOMEM
            : at < 0 ? wk_vallist_push(b->sh, list, wk_buf_str(&t))
                     : wk_vallist_set(b->sh, list, (uint32_t)at, wk_buf_str(&t));
    wk_buf_release(&t);
    if (!e && at < 0)
        settle(b->sh);
    if (!e && wk_steps(b->sh->k, wk_vallist_count(*list) / 16 + 1) != 0)
        e = -WK_ESTOP;
    b->err = b->err ? b->err : e;
}

static const char *const (*default_keys(const struct keymap *map))[2]
{
    return map->id == 'e' ? wk_bind_keys : map->id == 'c' ? wk_bind_vi_command_keys : wk_bind_vi_insert_keys;
}

/* The default keys of a function, one after the other: *at is the place; false at the end. */
static bool next_default(const struct binder *b, const char *function, size_t *at, char text[3], struct wk_str *key)
{
    struct wk_str prefix = wk_str_c(b->map->prefix);
    const char *const (*keys)[2] = default_keys(b->map);
    char id = b->map->id;
    if (id == 'c' && strcmp(function, "self-insert") == 0)
        return false;
    if (strcmp(function, "self-insert") == 0) {
        for (; !prefix.n && *at <= '~' - ' ';) {
            char c = (char)(' ' + (*at)++);
            text[0] = '\\';
            text[1] = c;
            *key = c == '"' || c == '\\' ? wk_str(text, 2) : wk_str(text + 1, 1);
            if (find(b->sh, id, *key) < 0)
                return true;
        }
        return false;
    }
    while (keys[*at][0]) {
        size_t i = (*at)++;
        *key = wk_str_c(keys[i][0]);
        if (strcmp(keys[i][1], function) == 0 && wk_str_starts(*key, prefix) && find(b->sh, id, *key) < 0)
            return true;
    }
    return false;
}

/* Keys that were bound to it. */
static bool next_bound(const struct binder *b, const char *function, uint32_t *at, struct wk_str *key)
{
    while (*at < wk_vallist_count(b->sh->st->bindings)) {
        struct record r = record_at(b->sh, (*at)++);
        *key = r.key;
        if (r.kind == FUNCTION && r.map == b->map->id && wk_str_is(r.value, function) &&
            wk_str_starts(r.key, wk_str_c(b->map->prefix)))
            return true;
    }
    return false;
}

/* All keys of a function in the present keymap, in the order of their bytes: visit(ctx, key, i); their number. */
static size_t each_key(const struct binder *b, const char *function,
                       void (*visit)(void *ctx, struct wk_str key, size_t i), void *ctx)
{
    size_t n = 0, cut = strlen(b->map->prefix), i = 0;
    uint32_t j = 0;
    char text[3];
    struct wk_str own = {0}, set = {0};
    bool more = next_default(b, function, &i, text, &own), bound = next_bound(b, function, &j, &set);
    while (more || bound) {
        bool first = more && (!bound || compare_keys(own, set) < 0);
        visit(ctx, wk_str_from(first ? own : set, cut), n++);
        if (first)
            more = next_default(b, function, &i, text, &own);
        else
            bound = next_bound(b, function, &j, &set);
    }
    return n;
}

static const char *function_named(struct wk_str name)
{
    for (size_t i = 0; wk_bind_functions[i]; i++)
        if (wk_str_is(name, wk_bind_functions[i]))
            return wk_bind_functions[i];
    return NULL;
}

static const char *known_function(struct binder *b, struct wk_str name)
{
    const char *f = function_named(name);
    if (!f) {
        wk_sh_builtin_error(b->sh, "bind", "`%s': unknown function name", name.p);
        b->status = 1;
    }
    return f;
}

/* ---- showing --------------------------------------------------------------------------------- */

struct shown {
    struct wk_buf *out;
    const char *function;
};

static void show_line(void *ctx, struct wk_str key, size_t i)
{
    struct shown *s = ctx;
    (void)i;
    wk_buf_fmt(s->out, "\"%.*s\": %s\n", (int)key.n, key.p, s->function);
}

static void show_in_list(void *ctx, struct wk_str key, size_t i)
{
    struct shown *s = ctx;
    if (i < SHOWN)
        wk_buf_fmt(s->out, "%s\"%.*s\"", i ? ", " : "", (int)key.n, key.p);
}

static void end_list(struct wk_buf *out, size_t n)
{
    wk_buf_put_c(out, n > SHOWN ? ", ...\n" : ".\n");
}

static void show_functions(struct binder *b, struct wk_buf *out, bool as_commands)
{
    wk_buf_putc(out, '\n');
    for (size_t i = 0; wk_bind_functions[i]; i++) {
        const char *f = wk_bind_functions[i];
        struct shown s = {out, f};
        if (wk_steps(b->sh->k, wk_vallist_count(b->sh->st->bindings) / 16 + 1) != 0) {
            b->err = -WK_ESTOP;
            return;
        }
        if (as_commands) {
            if (each_key(b, f, show_line, &s) == 0)
                wk_buf_fmt(out, "# %s (not bound)\n", f);
            continue;
        }
        size_t at = out->n;
        wk_buf_fmt(out, "%s can be found on ", f);
        size_t n = each_key(b, f, show_in_list, &s);
        if (n) {
            end_list(out, n);
        } else {
            if (!out->failed)
                out->n = at;
            wk_buf_fmt(out, "%s is not bound to any keys\n", f);
        }
    }
}

static void query(struct binder *b, struct wk_buf *out, struct wk_str name)
{
    const char *f = known_function(b, name);
    if (!f)
        return;
    struct wk_buf keys;
    struct shown s = {&keys, f};
    wk_buf_init(&keys, b->sh->mem, WK_VAL_MAX);
    size_t n = each_key(b, f, show_in_list, &s);
    if (n) {
        wk_buf_fmt(out, "%s can be invoked via ", f);
        wk_buf_puts(out, wk_buf_str(&keys));
        end_list(out, n);
    } else {
        wk_buf_fmt(out, "%s is not bound to any keys.\n", f);
    }
    b->status = n ? b->status : 1;
    wk_buf_release(&keys);
}

static void put_variable(struct wk_buf *out, const char *name, struct wk_str value, bool as_commands)
{
    wk_buf_fmt(out, as_commands ? "set %s " : "%s is set to `", name);
    wk_buf_puts(out, value);
    wk_buf_put_c(out, as_commands ? "\n" : "'\n");
}

static void show_variables(struct binder *b, struct wk_buf *out, bool as_commands)
{
    for (const struct wk_bind_variable *v = wk_bind_variables; v->name; v++) {
        int64_t at = find(b->sh, 'v', wk_str_c(v->name));
        put_variable(out, v->name, at < 0 ? wk_str_c(v->value) : record_at(b->sh, (uint32_t)at).value, as_commands);
    }
}

/* Macros (-s, -S) or shell commands (-X) of the present keymap. */
static void show_texts(struct binder *b, struct wk_buf *out, enum kind kind, bool as_commands)
{
    size_t cut = strlen(b->map->prefix);
    for (uint32_t i = 0; i < wk_vallist_count(b->sh->st->bindings); i++) {
        struct record r = record_at(b->sh, i);
        if (r.kind != kind || r.map != b->map->id || !wk_str_starts(r.key, wk_str_c(b->map->prefix)))
            continue;
        wk_buf_put_c(out, as_commands ? "\"" : "");
        wk_buf_puts(out, wk_str_from(r.key, cut));
        wk_buf_put_c(out, as_commands ? "\": \"" : " outputs ");
        for (size_t j = 0; j < r.value.n; j++) {
            if (kind == SHELL && (r.value.p[j] == '"' || r.value.p[j] == '\\'))
                wk_buf_putc(out, '\\');
            wk_buf_putc(out, r.value.p[j]);
        }
        wk_buf_put_c(out, as_commands ? "\"\n" : "\n");
    }
}

/* ---- changing -------------------------------------------------------------------------------- */

static void readline_says(struct binder *b, struct wk_str line, const char *what)
{
    struct wk_buf t;
    wk_buf_init(&t, b->sh->mem, WK_VAL_MAX);
    wk_buf_put_c(&t, "readline: ");
    wk_buf_puts(&t, line);
    wk_buf_fmt(&t, "%s\n", what);
    (void)wk_sh_write(b->sh, 2, wk_buf_str(&t));
    wk_buf_release(&t);
}

static struct wk_str trim(struct wk_str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
        s = wk_str_from(s, 1);
    while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t' || s.p[s.n - 1] == '\n' || s.p[s.n - 1] == '\r'))
        s.n--;
    return s;
}

static struct wk_str first_word(struct wk_str s)
{
    size_t n = 0;
    while (n < s.n && s.p[n] != ' ' && s.p[n] != '\t')
        n++;
    return wk_str_take(s, n);
}

/* set NAME VALUE */
static void set_variable(struct binder *b, struct wk_str s)
{
    struct wk_str name = first_word(s), value = trim(wk_str_from(s, name.n));
    const struct wk_bind_variable *v = wk_bind_variables;
    while (v->name && !wk_str_is(name, v->name))
        v++;
    if (!v->name) {
        readline_says(b, name, ": unknown variable name");
        return;
    }
    if (v->is_switch) {
        bool on = !value.n || wk_str_is(value, "1") ||
                  (value.n == 2 && (value.p[0] | 0x20) == 'o' && (value.p[1] | 0x20) == 'n');
        value = on ? WK_STR("on") : WK_STR("off");
    } else if (strcmp(v->name, "editing-mode") == 0 && !wk_str_is(value, "vi") && !wk_str_is(value, "emacs")) {
        struct wk_buf t;
        wk_buf_init(&t, b->sh->mem, WK_VAL_MAX);
        wk_buf_fmt(&t, ": could not set value to `%.*s'", (int)WK_MIN(value.n, (size_t)4096), value.p);
        readline_says(b, name, t.failed ? "" : t.p);
        wk_buf_release(&t);
        return;
    } else if (value.n && wk_is_digit(v->value[v->value[0] == '-'])) {
        int64_t n;
        int err;
        if (wk_scan_i64(value, 10, &n, &err) != value.n)
            value = WK_STR("0");
    } else if (strcmp(v->name, "bell-style") == 0 && !wk_str_is(value, "none") && !wk_str_is(value, "visible")) {
        value = WK_STR("audible");
    }
    change(b, VARIABLE, 'v', name, value);
}

/* The place of the quote that ends what begins at i, or s.n. */
static size_t end_quote(struct wk_str s, size_t i, char quote)
{
    while (i < s.n && s.p[i] != quote)
        i += s.p[i] == '\\' ? 2 : 1;
    return WK_MIN(i, s.n);
}

/* A line as in readline's own file. */
static void take_line(struct binder *b, struct wk_str line)
{
    struct wk_str s = trim(line), value;
    struct wk_buf key, text;
    if (!s.n || s.p[0] == '#' || s.p[0] == '$')
        return;
    if (s.n > 3 && memcmp(s.p, "set", 3) == 0 && (s.p[3] == ' ' || s.p[3] == '\t')) {
        set_variable(b, trim(wk_str_from(s, 3)));
        return;
    }
    bool quoted = s.p[0] == '"';
    size_t end = quoted ? end_quote(s, 1, '"') : 0;
    if (quoted && end >= s.n) {
        readline_says(b, s, ": no closing `\"' in key binding");
        return;
    }
    ptrdiff_t colon = wk_str_chr(wk_str_from(s, end), ':');
    if (colon < 0 && quoted && first_word(wk_str_from(s, end)).n < s.n - end)
        colon = (ptrdiff_t)first_word(wk_str_from(s, end)).n; /* a blank does as well */
    if (colon < 0) {
        readline_says(b, s, ": no key sequence terminator");
        return;
    }
    value = trim(wk_str_from(s, end + (size_t)colon + 1));
    wk_buf_init(&key, b->sh->mem, WK_VAL_MAX);
    wk_buf_init(&text, b->sh->mem, WK_VAL_MAX);
    if (quoted)
        put_sequence(&key, b->map, wk_str_take(wk_str_from(s, 1), end - 1));
    else
        put_named_key(&key, b->map, trim(wk_str_take(s, (size_t)colon)));
    if (value.n && (value.p[0] == '"' || value.p[0] == '\'')) {
        static const struct keymap none = {"", 'e', ""};
        size_t close = end_quote(value, 1, value.p[0]);
        put_sequence(&text, &none, wk_str_take(wk_str_from(value, 1), close - 1));
        change(b, MACRO, b->map->id, wk_buf_str(&key), wk_buf_str(&text));
    } else if (function_named(first_word(value))) {
        change(b, FUNCTION, b->map->id, wk_buf_str(&key), first_word(value));
    }
    if (key.failed || text.failed)
        b->err = -WK_ENOMEM;
    wk_buf_release(&key);
    wk_buf_release(&text);
}

/* "KEYS": command */
static void bind_shell(struct binder *b, struct wk_str arg)
{
    struct wk_str s = trim(arg);
    struct wk_buf key;
    if (!s.n || s.p[0] != '"') {
        wk_sh_builtin_error(b->sh, "bind", "%s: first non-whitespace character is not `\"'", arg.p);
        b->status = 1;
        return;
    }
    size_t end = end_quote(s, 1, '"');
    struct wk_str rest = end < s.n ? trim(wk_str_from(s, end + 1)) : WK_STR("");
    if (end >= s.n || !rest.n || rest.p[0] != ':') {
        wk_sh_builtin_error(b->sh, "bind", end >= s.n ? "no closing `\"' in %s" : "%s: missing colon separator", arg.p);
        b->status = 1;
        return;
    }
    wk_buf_init(&key, b->sh->mem, WK_VAL_MAX);
    put_sequence(&key, b->map, wk_str_take(wk_str_from(s, 1), end - 1));
    if (key.failed)
        b->err = -WK_ENOMEM;
    else
        change(b, SHELL, b->map->id, wk_buf_str(&key), trim(wk_str_from(rest, 1)));
    wk_buf_release(&key);
}

static void unbind_key(struct binder *b, struct wk_str keys)
{
    struct wk_buf key;
    wk_buf_init(&key, b->sh->mem, WK_VAL_MAX);
    put_sequence(&key, b->map, keys);
    if (key.failed)
        b->err = -WK_ENOMEM;
    else
        change(b, NOTHING, b->map->id, wk_buf_str(&key), WK_STR(""));
    wk_buf_release(&key);
}

static void unbind_function(struct binder *b, struct wk_str name)
{
    const char *f = known_function(b, name);
    const char *const (*keys)[2] = default_keys(b->map);
    for (size_t i = 0; f && keys[i][0]; i++) {
        struct wk_str key = wk_str_c(keys[i][0]);
        if (strcmp(keys[i][1], f) == 0 && find(b->sh, b->map->id, key) < 0)
            change(b, NOTHING, b->map->id, key, WK_STR(""));
    }
    for (uint32_t i = 0; f && i < wk_vallist_count(b->sh->st->bindings) && !b->err; i++) {
        struct record r = record_at(b->sh, i);
        if (r.kind == FUNCTION && r.map == b->map->id && wk_str_is(r.value, f)) {
            struct wk_val *held = wk_val_ref(b->sh->st->bindings->v[i]); /* r is part of it */
            change(b, NOTHING, r.map, r.key, WK_STR(""));
            wk_val_unref(b->sh->mem, held);
        }
    }
}

static void read_file(struct binder *b, struct wk_str path)
{
    struct wk_file *f = NULL;
    struct wk_buf t;
    char part[4096];
    ptrdiff_t n = 0;
    int e = wk_open(b->sh->task, path.p, WK_O_RDONLY, 0, &f);
    wk_buf_init(&t, b->sh->mem, FILE_MAX);
    while (!e && (n = wk_file_read(b->sh->task, f, part, sizeof part)) > 0 && wk_buf_put(&t, part, (size_t)n))
        ;
    if (f)
        wk_file_unref(f);
    if (!e && n < 0)
        e = (int)n;
    if (e) {
        if (e == -WK_ENOMEM || e == -WK_ESTOP)
            b->err = e;
        else
            wk_sh_builtin_error(b->sh, "bind", "%s: cannot read: %s", path.p, wk_err_text(e));
        b->status = 1;
    }
    struct wk_str rest = e ? WK_STR("") : wk_buf_str(&t);
    while (rest.n && !b->err) {
        ptrdiff_t nl = wk_str_chr(rest, '\n');
        struct wk_str line = nl < 0 ? rest : wk_str_take(rest, (size_t)nl);
        if (!memchr(line.p, '\0', line.n))
            take_line(b, line);
        rest = wk_str_from(rest, WK_MIN(line.n + 1, rest.n));
        if (wk_steps(b->sh->k, (uint32_t)(line.n / 64) + 1) != 0)
            b->err = -WK_ESTOP;
    }
    wk_buf_release(&t);
}

/* ---- bind ------------------------------------------------------------------------------------ */

struct bind_options {
    bool show[128];
    struct wk_str file, query, unbind, remove, shell, keymap;
};

static bool find_keymap(struct binder *b, struct wk_str name)
{
    for (size_t i = 0; i < WK_COUNTOF(keymaps); i++) {
        if (wk_str_is(name, keymaps[i].name)) {
            b->map = &keymaps[i];
            return true;
        }
    }
    wk_sh_builtin_error(b->sh, "bind", "`%s': invalid keymap name", name.p);
    return false;
}

static void show_all(struct binder *b, struct wk_buf *out, const struct bind_options *o)
{
    for (size_t i = 0; o->show['l'] && wk_bind_functions[i]; i++)
        wk_buf_fmt(out, "%s\n", wk_bind_functions[i]);
    if (o->show['p'])
        show_functions(b, out, true);
    if (o->show['P'])
        show_functions(b, out, false);
    if (o->show['s'])
        show_texts(b, out, MACRO, true);
    if (o->show['S'])
        show_texts(b, out, MACRO, false);
    if (o->show['v'])
        show_variables(b, out, true);
    if (o->show['V'])
        show_variables(b, out, false);
}

static enum wk_flow bind_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct bind_options o = {0};
    struct binder b = {.sh = sh, .map = &keymaps[0]};
    struct wk_bout out;
    if (!sh->interactive)
        wk_sh_builtin_error(sh, "bind", "warning: line editing not enabled");
    struct wk_getopt g = {.b = &wk_builtin_bind, .a = a, .spec = "lvpVPsSXf:q:u:m:r:x:", .no_help = true};
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c == '?')
            return wk_status(sh, 2);
        struct wk_str *arg = c == 'f'   ? &o.file
                             : c == 'q' ? &o.query
                             : c == 'u' ? &o.unbind
                             : c == 'm' ? &o.keymap
                             : c == 'r' ? &o.remove
                             : c == 'x' ? &o.shell
                                        : NULL;
        if (arg)
            *arg = g.arg;
        else
            o.show[c & 127] = true;
    }
    int64_t mode = find(sh, 'v', WK_STR("editing-mode"));
    if (!o.keymap.p && mode >= 0 && wk_str_is(record_at(sh, (uint32_t)mode).value, "vi"))
        o.keymap = WK_STR("vi-insert");
    if (o.keymap.p && !find_keymap(&b, o.keymap))
        return wk_status(sh, 1);
    wk_bout_init(&out, sh, "bind");
    show_all(&b, &out.buf, &o);
    if (o.file.p)
        read_file(&b, o.file);
    if (o.query.p)
        query(&b, &out.buf, o.query);
    if (o.unbind.p)
        unbind_function(&b, o.unbind);
    if (o.remove.p)
        unbind_key(&b, o.remove);
    if (o.show['X'])
        show_texts(&b, &out.buf, SHELL, true);
    if (o.shell.p)
        bind_shell(&b, o.shell);
    for (size_t i = g.at ? g.at : 1; i < a->n && !b.err; i++)
        take_line(&b, a->v[i]);
    if (b.err) {
        wk_bout_drop(&out);
        return wk_sh_fail(sh, b.err);
    }
    sh->status = b.status;
    return wk_bout_finish(&out);
}

WK_BUILTIN(bind,
           .usage = "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] "
                    "[-x keyseq:shell-command] [keyseq:readline-function or readline-command]",
           .summary = "Set keys of the line editor.",
           .help = "Shows and changes what keys do in a line editor. The bindings are the session's and are shown\n"
                   "again; the editor of the whelk program has keys of its own.\n\n"
                   "  -l          names of the functions\n"
                   "  -p, -P      functions and their keys, as commands or to be read\n"
                   "  -s, -S      keys that type a text\n"
                   "  -v, -V      variables\n"
                   "  -X          keys that run shell commands\n"
                   "  -q NAME     the keys of function NAME\n"
                   "  -u NAME     take function NAME off its keys\n"
                   "  -r KEYSEQ   take KEYSEQ off\n"
                   "  -x 'KEYSEQ: COMMAND'   COMMAND is run on KEYSEQ\n"
                   "  -f FILE     read bindings from FILE\n"
                   "  -m KEYMAP   the keymap meant: emacs, emacs-meta, emacs-ctlx, vi-move, vi-insert\n\n"
                   "Fails after a usage error, an unknown name or a file that cannot be read.",
           .run = bind_run);
