/* cd.c - cd, pwd: the shell's working directory, logical and physical
 *
 * Standard: POSIX XCU cd, pwd; bash 4.1. Oracle: bash 5.2.
 */
#include "builtins/shell/chdir.h"
#include "interp/builtin.h"
#include "interp/quote.h"
#include "interp/vars.h"
#include "vfs/vfs.h"

extern const struct wk_builtin wk_builtin_cd, wk_builtin_pwd;

/* A name that began with two slashes keeps them. */
static bool starts_with_two(struct wk_str s)
{
    return s.n > 1 && s.p[0] == '/' && s.p[1] == '/' && (s.n == 2 || s.p[2] != '/');
}

/* The directory that a `..` takes back must be one: 0 or why it is not. */
static int check_taken_back(struct wk_shell *sh, struct wk_str dir)
{
    struct wk_stat st;
    int r = wk_vfs_stat(sh->k->vfs, &sh->proc->cred, NULL, dir, 0, &st);
    return r ? r : WK_S_ISDIR(st.mode) ? 0 : -WK_ENOTDIR;
}

/* Make `path` (absolute, or relative to `base`) absolute without `.`, `..` and double slashes, by
 * text alone. In the arena; p is NULL when memory is refused. *err: a part before a `..` is no directory. */
static struct wk_str logical_path(struct wk_shell *sh, struct wk_str base, struct wk_str path, int *err)
{
    size_t cap = base.n + path.n + 4;
    char *room = wk_arena_alloc(&sh->arena, cap);
    *err = 0;
    if (!room)
        return wk_str(NULL, 0);
    char *out = room + 1; /* in front there is place for a second slash */
    size_t n = 0;
    bool absolute = path.n && path.p[0] == '/';
    struct wk_str parts[2] = {base, path};
    for (int k = absolute ? 1 : 0; k < 2; k++) {
        struct wk_str rest = parts[k];
        while (rest.n) {
            ptrdiff_t slash = wk_str_chr(rest, '/');
            struct wk_str part = slash < 0 ? rest : wk_str_take(rest, (size_t)slash);
            rest = slash < 0 ? wk_str(NULL, 0) : wk_str_from(rest, (size_t)slash + 1);
            if (part.n == 0 || wk_str_is(part, "."))
                continue;
            if (wk_str_is(part, "..")) {
                out[n] = '\0';
                if (k == 1 && n && !*err)
                    *err = check_taken_back(sh, wk_str(out, n));
                while (n && out[n - 1] != '/')
                    n--;
                n -= n > 0;
                continue;
            }
            out[n++] = '/';
            memcpy(out + n, part.p, part.n);
            n += part.n;
        }
    }
    if (!n)
        out[n++] = '/';
    out[n] = '\0';
    if (!starts_with_two(absolute ? path : base))
        return wk_str(out, n);
    room[0] = '/';
    return wk_str(room, n + 1);
}

/* two: with a second slash in front. */
static int physical_path(struct wk_shell *sh, struct wk_vdir *d, bool two, struct wk_str *out)
{
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, 1 << 20);
    if (two)
        wk_buf_putc(&b, '/');
    int r = wk_vdir_path(d, &b);
    if (!r && b.failed)
        r = -WK_ENOMEM;
    if (!r) {
        char *p = wk_arena_strndup(&sh->arena, wk_buf_c(&b), b.n);
        *out = wk_str(p, b.n);
        r = p ? 0 : -WK_ENOMEM;
    }
    wk_buf_release(&b);
    return r;
}

/* Does the logical name in $PWD still mean the present directory? */
static bool pwd_is_right(struct wk_shell *sh, struct wk_str pwd)
{
    struct wk_stat a, b;
    if (!pwd.n || pwd.p[0] != '/')
        return false;
    return wk_vfs_stat(sh->k->vfs, &sh->proc->cred, NULL, pwd, 0, &a) == 0 &&
           wk_vdir_stat(sh->proc->cwd, &sh->proc->cred, &b) == 0 && a.dev == b.dev && a.ino == b.ino;
}

/* The variable stays, with its attributes; its value goes. */
static int lose_value(struct wk_shell *sh, uint32_t name)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (!v)
        return -WK_ENOMEM;
    if (v->flags & WK_VAR_READONLY)
        return wk_var_set(sh, name, WK_STR(""));
    if (!(v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC | WK_VAR_NAMEREF | WK_VAR_DYNAMIC))) {
        if (v->flags & WK_VAR_TEXT)
            wk_val_unref(sh->mem, v->text);
        v->text = NULL;
        v->flags &= ~(uint32_t)(WK_VAR_SET | WK_VAR_TEXT | WK_VAR_INT);
    }
    return wk_var_attributes(sh, name, WK_VAR_DECLARED, 0);
}

static int set_pwd_vars(struct wk_shell *sh, struct wk_str cwd)
{
    struct wk_val *v = wk_val_new(sh->mem, cwd);
    if (!v)
        return -WK_ENOMEM;
    char scratch[24];
    struct wk_str old = {NULL, 0};
    uint32_t pwd = wk_names_intern(sh->names, WK_STR("PWD"));
    uint32_t oldpwd = wk_names_intern(sh->names, WK_STR("OLDPWD"));
    int r = 0;
    if (wk_var_get(sh, pwd, scratch, &old))
        r = wk_var_set(sh, oldpwd, old);
    else
        r = lose_value(sh, oldpwd);
    if (r != -WK_ENOMEM) {
        int e = wk_var_set(sh, pwd, wk_val_str(v));
        r = e ? e : r;
    }
    wk_val_unref(sh->mem, sh->st->cwd); /* `cwd` may point into it */
    sh->st->cwd = v;
    return r;
}

/* Not in the way of other messages: it comes from further down. */
static void tell_lost(struct wk_shell *sh, const char *who)
{
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, 4096);
    wk_buf_fmt(&b,
               "%s: error retrieving current directory: getcwd: cannot access parent directories: "
               "%s\n",
               who ? who : "cd", wk_err_text(WK_ENOENT));
    (void)wk_sh_write(sh, 2, wk_buf_str(&b));
    wk_buf_release(&b);
}

/* In POSIX mode a tidy name whose parts cannot be gone through (err) is that of no directory. */
static int posix_error(struct wk_shell *sh, struct wk_str name, int err)
{
    struct wk_stat st;
    if (err == -WK_ENOENT || err == -WK_ENAMETOOLONG || err == -WK_ENOMEM ||
        wk_vfs_stat(sh->k->vfs, &sh->proc->cred, NULL, name, 0, &st) == 0)
        return err;
    return -WK_ENOTDIR;
}

/* Change to `dir`; 0 or -WK_Exxx. On success the variables follow. */
static int change_to(struct wk_shell *sh, struct wk_str dir, bool physical, bool *lost)
{
    struct wk_vdir *d;
    struct wk_str name = dir;
    struct wk_str base = sh->st->cwd ? wk_val_str(sh->st->cwd) : WK_STR("/");
    int r = 0;
    if (!physical) {
        name = logical_path(sh, base, dir, &r);
        if (!name.p)
            return -WK_ENOMEM;
        if (wk_opt(sh, POSIX) && dir.n && dir.p[0] != '/' && !pwd_is_right(sh, base))
            return -WK_ENOENT;
    }
    if (!r)
        r = wk_vfs_dir(sh->k->vfs, &sh->proc->cred, physical ? sh->proc->cwd : NULL, name, &d);
    if (r && !physical) {
        if (wk_opt(sh, POSIX))
            return posix_error(sh, name, r);
        /* As bash does: the name as typed may work where its tidy form does not. */
        int again = wk_vfs_dir(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, dir, &d);
        if (again)
            return r == -WK_ENOENT ? again : r;
        physical = true;
        r = 0;
    }
    if (r)
        return r;
    if (physical) {
        r = physical_path(sh, d, starts_with_two(dir.p[0] == '/' ? dir : base), &name);
        if (r ==
            -WK_ENOENT) { /* the directory was removed: the name as typed goes behind the old one */
            tell_lost(sh, sh->builtin_name);
            *lost = true;
            char *p = wk_arena_alloc(&sh->arena, base.n + dir.n + 2);
            if (p) {
                memcpy(p, base.p, base.n);
                p[base.n] = '/';
                memcpy(p + base.n + 1, dir.p, dir.n);
                p[base.n + 1 + dir.n] = '\0';
            }
            name = wk_str(p, base.n + 1 + dir.n);
            r = p ? 0 : -WK_ENOMEM;
        }
    }
    if (r) {
        wk_vdir_unref(d);
        return r;
    }
    wk_vdir_unref(sh->proc->cwd);
    sh->proc->cwd = d;
    return set_pwd_vars(sh, name);
}

int wk_sh_chdir(struct wk_shell *sh, struct wk_str dir, bool physical)
{
    bool lost = false;
    return change_to(sh, dir, physical, &lost);
}

/* Try the directories of CDPATH. Returns 1 when one fitted (*shown is the name to print, if any), 0 when none
 * did, or -WK_ENOMEM. */
static int try_cdpath(struct wk_shell *sh, struct wk_str dir, bool physical, struct wk_str *shown)
{
    char scratch[24];
    struct wk_str path;
    if (dir.p[0] == '/' || wk_str_is(dir, ".") || wk_str_is(dir, "..") ||
        wk_str_starts(dir, WK_STR("./")) || wk_str_starts(dir, WK_STR("../")))
        return 0;
    if (!wk_var_get(sh, wk_names_intern(sh->names, WK_STR("CDPATH")), scratch, &path) || !path.n)
        return 0;
    for (;;) {
        ptrdiff_t colon = wk_str_chr(path, ':');
        struct wk_str part = colon < 0 ? path : wk_str_take(path, (size_t)colon);
        char *full = wk_arena_alloc(&sh->arena, part.n + dir.n + 2);
        if (!full)
            return -WK_ENOMEM;
        size_t n = part.n;
        if (n)
            memcpy(full, part.p, n);
        if (n && full[n - 1] != '/')
            full[n++] = '/';
        memcpy(full + n, dir.p, dir.n + 1);
        int r = wk_sh_chdir(sh, n + dir.n ? wk_str(full, n + dir.n) : WK_STR("."), physical);
        if (r == 0) {
            if (part.n)
                *shown = physical ? wk_str(full, n + dir.n) : wk_val_str(sh->st->cwd);
            return 1;
        }
        if (r == -WK_ENOMEM)
            return r;
        if (colon < 0)
            return 0;
        path = wk_str_from(path, (size_t)colon + 1);
    }
}

struct cd_options {
    bool physical, strict;
};

static enum wk_flow print_dir(struct wk_shell *sh, const char *name, struct wk_str dir)
{
    struct wk_bout o;
    wk_bout_init(&o, sh, name);
    wk_buf_puts(&o.buf, dir);
    wk_buf_putc(&o.buf, '\n');
    return wk_bout_finish(&o);
}

/* The directory meant: HOME, OLDPWD or the operand. false after a message. */
static bool choose_dir(struct wk_shell *sh, const struct wk_args *a, size_t at, struct wk_str *dir,
                       bool *show, char *scratch)
{
    *show = false;
    if (at >= a->n) {
        if (!wk_var_get(sh, wk_names_intern(sh->names, WK_STR("HOME")), scratch, dir)) {
            wk_sh_builtin_error(sh, "cd", "HOME not set");
            return false;
        }
        return true;
    }
    *dir = a->v[at];
    if (wk_str_is(*dir, "-")) {
        if (!wk_var_get(sh, wk_names_intern(sh->names, WK_STR("OLDPWD")), scratch, dir)) {
            wk_sh_builtin_error(sh, "cd", "OLDPWD not set");
            return false;
        }
        *show = true;
    }
    return true;
}

/* With cdable_vars a name that is no directory may be a variable. 1 changed, and its value is to be printed; 0 not, or
 * -WK_ENOMEM. */
static int try_variable(struct wk_shell *sh, struct wk_str dir, bool physical, struct wk_str *shown)
{
    char scratch[24];
    struct wk_str value;
    if (!wk_shopt(sh, CDABLE_VARS) || !wk_str_is_name(dir) ||
        !wk_var_get(sh, wk_names_intern(sh->names, dir), scratch, &value))
        return 0;
    char *copy = wk_arena_strndup(&sh->arena, value.p, value.n); /* it may be OLDPWD's, which changes */
    if (!copy)
        return -WK_ENOMEM;
    *shown = wk_str(copy, value.n);
    int r = wk_sh_chdir(sh, *shown, physical);
    return r == 0 ? 1 : r == -WK_ENOMEM ? r : 0;
}

/* 0, -WK_Exxx. shown->p is set when the directory is to be printed. */
static int find_and_change(struct wk_shell *sh, struct wk_str dir, bool physical, bool search, bool *lost,
                           struct wk_str *shown)
{
    int r = search ? try_cdpath(sh, dir, physical, shown) : 0;
    if (r)
        return r == 1 ? 0 : r;
    if (!dir.n && !physical) /* bash: the empty name stays where it is */
        return set_pwd_vars(sh, wk_val_str(sh->st->cwd));
    r = dir.n ? change_to(sh, dir, physical, lost) : -WK_ENOENT;
    if (r != -WK_ENOENT && r != -WK_ENOTDIR)
        return r;
    struct wk_str value;
    int v = try_variable(sh, dir, physical, &value);
    if (v == 1)
        *shown = value;
    return v == 1 ? 0 : v ? v : r;
}

/* search: along CDPATH, too. show: as it was given. */
static enum wk_flow cd_to(struct wk_shell *sh, struct wk_str dir, const struct cd_options *o, bool search, bool show)
{
    /* The slice may point into OLDPWD, which is about to change. */
    char *copy = wk_arena_strndup(&sh->arena, dir.p, dir.n);
    if (!copy)
        return wk_sh_nomem(sh);
    dir = wk_str(copy, dir.n);
    bool lost = false;
    struct wk_str shown = show ? dir : wk_str(NULL, 0);
    int r = find_and_change(sh, dir, o->physical, search, &lost, &shown);
    if (r == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    if (r == -WK_EPERM) /* PWD or OLDPWD is readonly: said already */
        return wk_status(sh, 1);
    if (r) {
        wk_sh_builtin_error(sh, "cd", "%s: %s", wk_shown_name(sh, dir), wk_err_text(r));
        return wk_status(sh, 1);
    }
    sh->status = lost && o->strict && o->physical;
    return shown.p ? print_dir(sh, "cd", shown) : WK_NEXT;
}

static enum wk_flow cd_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct cd_options o = {.physical = wk_opt(sh, PHYSICAL)};
    struct wk_getopt g = {.b = &wk_builtin_cd, .a = a, .spec = "LPe@"};
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        switch (c) {
        case 'L':
            o.physical = false;
            break;
        case 'P':
            o.physical = true;
            break;
        case 'e':
            o.strict = true;
            break;
        case '@':
            wk_sh_builtin_error(sh, "cd", "-@: invalid option");
            return wk_builtin_usage(sh, &wk_builtin_cd);
        default:
            return wk_status(sh, 2);
        }
    }
    if (a->n - g.at > 1) {
        wk_sh_builtin_error(sh, "cd", "too many arguments");
        return wk_status(sh, 1);
    }
    struct wk_str dir;
    bool show;
    char scratch[24];
    if (!choose_dir(sh, a, g.at, &dir, &show, scratch))
        return wk_status(sh, 1);
    return cd_to(sh, dir, &o, g.at < a->n && !show, show);
}

/* The physical form of the name that the shell came by. Where that name leads nowhere any more: of
 * the directory, which is the name from then on. 0, -WK_ENOMEM, or why there is none. */
static int physical_name(struct wk_shell *sh, struct wk_str *name)
{
    struct wk_vdir *d;
    int r = wk_vfs_dir(sh->k->vfs, &sh->proc->cred, NULL, *name, &d);
    if (!r) {
        r = physical_path(sh, d, starts_with_two(*name), name);
        wk_vdir_unref(d);
        return r;
    }
    r = physical_path(sh, sh->proc->cwd, false, name);
    struct wk_val *v = r ? NULL : wk_val_new(sh->mem, *name);
    if (!v)
        return r ? r : -WK_ENOMEM;
    wk_val_unref(sh->mem, sh->st->cwd);
    sh->st->cwd = v;
    *name = wk_val_str(v);
    return 0;
}

static enum wk_flow pwd_run(struct wk_shell *sh, const struct wk_args *a)
{
    bool physical = wk_opt(sh, PHYSICAL);
    struct wk_getopt g = {.b = &wk_builtin_pwd, .a = a, .spec = "LP"};
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c == '?')
            return wk_status(sh, 2);
        physical = c == 'P';
    }
    struct wk_str name = sh->st->cwd ? wk_val_str(sh->st->cwd) : WK_STR("/");
    int r = 0;
    if (physical || (wk_opt(sh, POSIX) && !pwd_is_right(sh, name)))
        r = physical_name(sh, &name);
    if (r == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    struct wk_bout o;
    wk_bout_init(&o, sh, "pwd");
    if (r) {
        wk_buf_fmt(&o.buf,
                   "pwd: error retrieving current directory: getcwd: cannot access parent directories: %s\n",
                   wk_err_text(r));
        (void)wk_sh_write(sh, 2, wk_buf_str(&o.buf));
        wk_buf_reset(&o.buf);
        sh->status = 1;
        (void)wk_bout_finish(&o);
        return wk_status(sh, 1);
    }
    wk_buf_puts(&o.buf, name);
    wk_buf_putc(&o.buf, '\n');
    sh->status = 0;
    return wk_bout_finish(&o);
}

WK_BUILTIN(cd,
    .usage = "cd [-L|[-P [-e]] [-@]] [dir]", .summary = "Change the shell's working directory.",
    .help = "Changes to DIR, or to $HOME when there is none; `-' is $OLDPWD. Directories in\n"
            "$CDPATH are searched for a relative DIR.\n\n"
            "  -L   follow links by name: `..' takes back the last part of the name (default)\n"
            "  -P   use the physical directory: links are resolved first\n"
            "  -e   with -P: fail when the new directory's name cannot be determined\n\n"
            "Status 0 when the directory was changed.",
    .run = cd_run);

WK_BUILTIN(pwd,
    .usage = "pwd [-LP]", .summary = "Print the name of the working directory.",
    .help = "  -L   the name as it was reached, with links (default)\n"
            "  -P   the physical name, without links",
    .flags = WK_BUILTIN_LEAF, .run = pwd_run);
