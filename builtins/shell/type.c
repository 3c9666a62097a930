/* type.c - type, hash, and what command -v and -V print
 *
 * Standard: POSIX XCU type, hash; bash 4.1, 4.2. Oracle: bash 5.2.
 */
#include "builtins/shell/declaration.h"
#include "builtins/shell/describe.h"
#include "interp/expand.h"
#include "interp/lookup.h"
#include "interp/parser.h"
#include "interp/vars.h"

#include "base/hash.h"
#include "vfs/vfs.h"

extern const struct wk_builtin wk_builtin_type, wk_builtin_hash;

enum {
    TYPE_ALL = 1,
    TYPE_NO_FUNCTIONS = 2,
    TYPE_WORD = 4,
    TYPE_PATH = 8,
    TYPE_FORCE_PATH = 16,
    TYPE_REUSE = 32
};

static void put_file(struct wk_buf *b, struct wk_str name, struct wk_str path, int flags, bool hashed)
{
    if (flags & TYPE_WORD)
        wk_buf_put_c(b, "file\n");
    else if (flags & (TYPE_PATH | TYPE_FORCE_PATH | TYPE_REUSE))
        wk_buf_fmt(b, "%s\n", path.p);
    else if (hashed)
        wk_buf_fmt(b, "%s is hashed (%s)\n", name.p, path.p);
    else
        wk_buf_fmt(b, "%s is %s\n", name.p, path.p);
}

static void put_found(struct wk_shell *sh, struct wk_buf *b, struct wk_str name,
                      const struct wk_found *f, int flags)
{
    static const char *const kinds[] = {"", "alias", "keyword", "function", "builtin", "file"};
    if (f->kind == WK_FOUND_FILE) {
        put_file(b, name, f->path, flags, f->hashed && !(flags & TYPE_ALL));
        return;
    }
    if (flags & TYPE_WORD) {
        wk_buf_fmt(b, "%s\n", kinds[f->kind]);
        return;
    }
    if (flags & TYPE_PATH)
        return;
    if (flags & TYPE_REUSE) {
        if (f->kind == WK_FOUND_ALIAS) {
            wk_buf_fmt(b, "alias %s=", name.p);
            wk_quote_plain(b, f->path);
            wk_buf_putc(b, '\n');
        } else {
            wk_buf_fmt(b, "%s\n", name.p);
        }
        return;
    }
    switch (f->kind) {
    case WK_FOUND_ALIAS:
        wk_buf_fmt(b, "%s is aliased to `%s'\n", name.p, f->path.p);
        break;
    case WK_FOUND_KEYWORD:
        wk_buf_fmt(b, "%s is a shell keyword\n", name.p);
        break;
    case WK_FOUND_FUNCTION:
        wk_buf_fmt(b, "%s is a function\n", name.p);
        (void)wk_print_function_def(sh, f->func, b);
        break;
    case WK_FOUND_BUILTIN:
        wk_buf_fmt(b,
                   (f->builtin->flags & WK_BUILTIN_SPECIAL) && wk_opt(sh, POSIX)
                       ? "%s is a special shell builtin\n"
                       : "%s is a shell builtin\n",
                   name.p);
        break;
    default:
        break;
    }
}

/* Every executable of that name along $PATH: whether there was one. */
static bool all_files(struct wk_shell *sh, struct wk_buf *b, struct wk_str name, int flags,
                      bool first_only)
{
    char scratch[24];
    struct wk_str dirs = WK_STR(""), path;
    bool found = false;
    (void)wk_var_get(sh, wk_names_intern(sh->names, WK_STR("PATH")), scratch, &dirs);
    if (!dirs.n)
        return false;
    do {
        struct wk_stat st;
        if (!wk_path_step(sh, &dirs, name, &path))
            return found;
        if (!wk_exec_ignored(sh, path) &&
            wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, path, 0, &st) == 0 && WK_S_ISREG(st.mode) &&
            wk_stat_allows(&st, &sh->proc->cred, WK_X_OK)) {
            put_file(b, name, path, flags, false);
            found = true;
            if (first_only)
                return true;
        }
    } while (dirs.p);
    return found;
}

/* The kinds before files, one after the other. */
static bool all_others(struct wk_shell *sh, struct wk_buf *b, struct wk_str name, int flags)
{
    struct wk_found f = {0};
    bool found = false;
    enum wk_flow flow = wk_lookup(sh, name, WK_RUN_DEFAULT_PATH, &f); /* not what is remembered */
    if (flow != WK_NEXT)
        return false;
    if (f.kind == WK_FOUND_ALIAS || f.kind == WK_FOUND_KEYWORD) {
        put_found(sh, b, name, &f, flags);
        found = true;
    }
    uint32_t id = wk_names_find(sh->names, name);
    struct wk_func *fn = id == WK_NAME_NONE ? NULL : wk_func_find(sh, id);
    if (fn && !(flags & TYPE_NO_FUNCTIONS)) {
        f = (struct wk_found){.kind = WK_FOUND_FUNCTION, .func = fn};
        put_found(sh, b, name, &f, flags);
        found = true;
    }
    const struct wk_builtin *bi = wk_builtin_find(sh, name);
    if (bi && wk_builtin_enabled(sh, bi)) {
        f = (struct wk_found){.kind = WK_FOUND_BUILTIN, .builtin = bi};
        put_found(sh, b, name, &f, flags);
        found = true;
    }
    return found;
}

static enum wk_flow type_one(struct wk_shell *sh, struct wk_buf *b, struct wk_str name, int flags,
                             bool *found)
{
    struct wk_found f;
    if (flags & TYPE_FORCE_PATH) {
        const struct wk_hash_entry *h = flags & TYPE_ALL ? NULL : wk_hash_touch(sh, name);
        struct wk_str hashed = h ? wk_hash_path(sh, h) : wk_str(NULL, 0);
        *found = true;
        if (hashed.p)
            put_file(b, name, hashed, flags, false);
        else if (memchr(name.p, '/', name.n)) {
            (void)wk_lookup(sh, name, WK_RUN_NO_FUNCTIONS, &f);
            *found = f.kind == WK_FOUND_FILE;
            if (*found)
                put_file(b, name, name, flags, false);
        } else if (flags & TYPE_ALL) {
            *found = all_files(sh, b, name, flags, false);
        } else {
            enum wk_flow flow = wk_lookup(sh, name, WK_RUN_NO_FUNCTIONS | WK_RUN_NO_BUILTINS, &f);
            *found = f.kind == WK_FOUND_FILE;
            if (*found)
                put_file(b, name, f.path, flags, false);
            return flow;
        }
        return WK_NEXT;
    }
    if (flags & TYPE_ALL) {
        bool others = all_others(sh, b, name, flags);
        if (memchr(name.p, '/', name.n)) {
            (void)wk_lookup(sh, name, WK_RUN_NO_FUNCTIONS, &f);
            *found = f.kind == WK_FOUND_FILE;
            if (*found)
                put_file(b, name, name, flags, false);
        } else {
            *found = all_files(sh, b, name, flags, false);
        }
        *found = *found || others;
        return WK_NEXT;
    }
    enum wk_flow flow = wk_lookup(sh, name, 0, &f);
    if (f.kind == WK_FOUND_FUNCTION && (flags & TYPE_NO_FUNCTIONS))
        flow = wk_lookup(sh, name, WK_RUN_NO_FUNCTIONS, &f);
    *found = f.kind != WK_FOUND_NONE;
    if (*found)
        put_found(sh, b, name, &f, flags);
    return flow;
}

/* The long names of the options are taken with one dash or two, anywhere before the names. */
static void short_options(const struct wk_args *a)
{
    static const struct {
        const char *name, *option;
    } rows[] = {{"type", "-t"}, {"path", "-p"}, {"all", "-a"}};
    for (size_t i = 1; i < a->n && a->v[i].n && a->v[i].p[0] == '-'; i++) {
        struct wk_str name = wk_str_from(a->v[i], a->v[i].n > 1 && a->v[i].p[1] == '-' ? 2 : 1);
        for (size_t r = 0; r < WK_COUNTOF(rows); r++) {
            if (wk_str_is(name, rows[r].name))
                a->v[i] = wk_str_c(rows[r].option);
        }
    }
}

static enum wk_flow type_run(struct wk_shell *sh, const struct wk_args *a)
{
    short_options(a);
    struct wk_getopt g = {.b = &wk_builtin_type, .a = a, .spec = "afptP"};
    struct wk_bout o;
    int flags = 0;
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c == '?')
            return wk_status(sh, 2);
        if (strchr("tpP", c)) /* the last one counts; -P goes on to look for a file */
            flags &= ~(TYPE_WORD | TYPE_PATH);
        flags |= c == 'a'   ? TYPE_ALL
                 : c == 'f' ? TYPE_NO_FUNCTIONS
                 : c == 't' ? TYPE_WORD
                 : c == 'p' ? TYPE_PATH
                            : TYPE_FORCE_PATH | TYPE_PATH;
    }
    size_t at = g.at ? g.at : 1;
    wk_bout_init(&o, sh, "type");
    sh->status = 0;
    for (; at < a->n; at++) {
        bool found;
        enum wk_flow flow = type_one(sh, &o.buf, a->v[at], flags, &found);
        if (flow != WK_NEXT) {
            wk_bout_drop(&o);
            return flow;
        }
        if (!found) {
            if (!(flags & (TYPE_WORD | TYPE_PATH | TYPE_FORCE_PATH)))
                wk_sh_builtin_error(sh, "type", "%s: not found", a->v[at].p);
            sh->status = 1;
        }
    }
    return wk_bout_finish(&o);
}

enum wk_flow wk_describe_command(struct wk_shell *sh, const struct wk_str *names, size_t n,
                                 bool words, bool default_path)
{
    struct wk_bout o;
    bool any = false;
    wk_bout_init(&o, sh, "command");
    for (size_t i = 0; i < n; i++) {
        struct wk_found f;
        enum wk_flow flow = wk_lookup(sh, names[i], 0, &f);
        bool elsewhere = f.kind == WK_FOUND_FILE && !f.hashed && !memchr(names[i].p, '/', names[i].n);
        if (flow == WK_NEXT && default_path && (f.kind == WK_FOUND_NONE || elsewhere))
            flow = wk_lookup(sh, names[i], WK_RUN_NO_FUNCTIONS | WK_RUN_DEFAULT_PATH, &f);
        if (flow != WK_NEXT) {
            wk_bout_drop(&o);
            return flow;
        }
        if (words && f.kind == WK_FOUND_FILE && !f.hashed && !memchr(names[i].p, '/', names[i].n) &&
            f.path.p[0] != '/') {
            f.path = wk_path_here(sh, f.path);
            if (!f.path.p) {
                wk_bout_drop(&o);
                return wk_sh_nomem(sh);
            }
        }
        if (f.kind != WK_FOUND_NONE) {
            put_found(sh, &o.buf, names[i], &f, words ? 0 : TYPE_REUSE);
            any = true;
        } else if (words) {
            wk_sh_builtin_error(sh, "command", "%s: not found", names[i].p);
        }
    }
    /* Whether it could be written makes no difference. */
    int e = o.buf.failed ? -WK_ENOMEM : o.buf.n ? wk_sh_write(sh, 1, wk_buf_str(&o.buf)) : 0;
    wk_bout_drop(&o);
    if (e == -WK_ENOMEM || e == -WK_ESTOP)
        return wk_sh_fail(sh, e);
    return wk_status(sh, any ? 0 : 1);
}

/* ---- hash ------------------------------------------------------------------------------------ */

static uint32_t bucket_of(struct wk_str s)
{
    return wk_fnv1(s) & (WK_HASH_BUCKETS - 1);
}

static enum wk_flow hash_list(struct wk_shell *sh, bool reusable)
{
    size_t n, shown = 0;
    const struct wk_hash_entry *v = wk_hash_list(sh, &n);
    struct wk_bout o;
    wk_bout_init(&o, sh, "hash");
    for (uint32_t b = 0; b < WK_HASH_BUCKETS; b++) {
        for (size_t i = n; i-- > 0;) {
            struct wk_str name = wk_names_str(sh->names, v[i].name);
            if (!v[i].shown || bucket_of(name) != b)
                continue;
            if (reusable)
                wk_buf_fmt(&o.buf, "builtin hash -p %s %s\n", v[i].path->p, name.p);
            else
                wk_buf_fmt(&o.buf, "%s%4u\t%s\n", shown ? "" : "hits\tcommand\n", v[i].hits,
                           v[i].path->p);
            shown++;
        }
    }
    sh->status = 0;
    if (!shown && !reusable && !wk_opt(sh, POSIX))
        wk_buf_put_c(&o.buf, "hash: hash table empty\n");
    return wk_bout_finish(&o);
}

static enum wk_flow hash_show(struct wk_shell *sh, const struct wk_args *a, size_t at,
                              bool reusable)
{
    struct wk_bout o;
    bool several = at + 1 < a->n;
    wk_bout_init(&o, sh, "hash");
    sh->status = 0;
    for (; at < a->n; at++) {
        const struct wk_hash_entry *h = wk_hash_touch(sh, a->v[at]);
        struct wk_str path = h ? wk_hash_path(sh, h) : wk_str(NULL, 0);
        if (!path.p) {
            wk_sh_builtin_error(sh, "hash", "%s: not found", a->v[at].p);
            sh->status = 1;
        } else if (reusable) {
            wk_buf_fmt(&o.buf, "builtin hash -p %s %s\n", path.p, a->v[at].p);
        } else if (several) {
            wk_buf_fmt(&o.buf, "%s\t%s\n", a->v[at].p, path.p);
        } else {
            wk_buf_fmt(&o.buf, "%s\n", path.p);
        }
    }
    return wk_bout_finish(&o);
}

static int hash_one(struct wk_shell *sh, struct wk_str name, struct wk_str path, bool forget)
{
    if (forget)
        return wk_hash_forget(sh, name);
    if (path.p) {
        struct wk_stat st;
        if (wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, path, 0, &st) == 0 &&
            WK_S_ISDIR(st.mode)) {
            wk_sh_builtin_error(sh, "hash", "%s: Is a directory", path.p);
            return -WK_EPERM;
        }
        return wk_hash_set(sh, name, path);
    }
    if (memchr(name.p, '/', name.n))
        return 0;
    const struct wk_builtin *b = wk_builtin_find(sh, name);
    uint32_t id = wk_names_find(sh->names, name);
    if (b || (id != WK_NAME_NONE && wk_func_find(sh, id)))
        return 0;
    struct wk_leaf leaf = {0};
    (void)wk_hash_forget(sh, name);
    int e = wk_leaf_find(sh, name, WK_FIND_LAST, &leaf);
    return e ? e : wk_hash_set(sh, name, wk_str_c(leaf.path));
}

static enum wk_flow hash_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_hash, .a = a, .spec = "dlp:rt"};
    bool forget = false, reusable = false, clear = false, show = false;
    struct wk_str path = {NULL, 0};
    if (!wk_opt(sh, HASHALL)) {
        wk_sh_builtin_error(sh, "hash", "hashing disabled");
        return wk_status(sh, 1);
    }
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        switch (c) {
        case 'd':
            forget = true;
            break;
        case 'l':
            reusable = true;
            break;
        case 'p':
            path = g.arg;
            break;
        case 'r':
            clear = true;
            break;
        case 't':
            show = true;
            break;
        default:
            return wk_status(sh, 2);
        }
    }
    size_t at = g.at ? g.at : 1;
    if (at >= a->n && (forget || show)) {
        wk_sh_builtin_error(sh, "hash", "-%c: option requires an argument", forget ? 'd' : 't');
        return wk_status(sh, 1);
    }
    if (at >= a->n && !clear)
        return hash_list(sh, reusable);
    if (clear)
        wk_hash_clear(sh);
    if (show)
        return hash_show(sh, a, at, reusable);
    sh->status = 0;
    for (; at < a->n; at++) {
        if (memchr(a->v[at].p, '/', a->v[at].n)) /* nothing to look up */
            continue;
        int e = hash_one(sh, a->v[at], path, forget);
        if (e == -WK_ENOMEM)
            return wk_sh_nomem(sh);
        if (e) {
            if (e != -WK_EPERM)
                wk_sh_builtin_error(sh, "hash", "%s: not found", a->v[at].p);
            sh->status = 1;
        }
    }
    return WK_NEXT;
}

WK_BUILTIN(
    type, .usage = "type [-afptP] name [name ...]",
    .summary = "Display information about command type.",
    .help =
        "Tells what each NAME would run.\n\n"
        "  -a   all of its meanings\n  -f   do not look for functions\n"
        "  -P   look for a file even if NAME is something else\n  -p   only the path of a file\n"
        "  -t   one word: alias, keyword, function, builtin or file",
    .flags = WK_BUILTIN_POSIX, .run = type_run);

WK_BUILTIN(
    hash, .usage = "hash [-lr] [-p pathname] [-dt] [name ...]",
    .summary = "Remember or display program locations.",
    .help =
        "  -d   forget NAME\n  -l   print as commands\n  -p   use PATHNAME as the place of NAME\n"
        "  -r   forget everything\n  -t   print where NAME is",
    .flags = WK_BUILTIN_POSIX, .run = hash_run);
