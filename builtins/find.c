/* find.c - search for files in directory trees
 *
 * Standard: GNU findutils 4.9. Oracle: find.
 * Differs:  entries come in the order of their names; docs/divergences/find.md
 */
#include "builtins/find.h"

static void run_steps(struct wk_find *f)
{
    bool value = true;
    for (size_t pc = 0; pc < f->n && !f->quit;) {
        const struct wk_find_step *s = &f->steps[pc];
        pc++;
        switch (s->op) {
        case WK_FIND_NOT:
            value = !value;
            break;
        case WK_FIND_JUMP_TRUE:
            if (value)
                pc = s->to;
            break;
        case WK_FIND_JUMP_FALSE:
            if (!value)
                pc = s->to;
            break;
        default:
            value = s->pred->fn(f, s->pred);
            break;
        }
    }
    wk_tick(f->c, (uint32_t)f->n);
}

static void start_entry(struct wk_find *f, uint32_t type)
{
    f->st_known = false;
    f->st_err = 0;
    f->type = type;
    f->prune = false;
    f->level = f->t->depth;
}

static void visit(struct wk_find *f)
{
    if ((int64_t)f->level >= f->min_depth && (int64_t)f->level <= f->max_depth)
        run_steps(f);
}

/* Whether the present file is a directory to go into. */
static bool is_way(struct wk_find *f, uint64_t root_dev)
{
    struct wk_ftw *t = f->t;
    if (f->prune || (int64_t)t->depth >= f->max_depth)
        return false;
    uint32_t type = wk_find_type(f);
    if (type != WK_S_IFDIR)
        return false;
    return !f->one_fs || (wk_find_stat(f) && f->st.dev == root_dev);
}

/* With -L: the present file is a directory that is being walked. Reported. */
static bool is_loop(struct wk_find *f)
{
    struct wk_ftw *t = f->t;
    if (f->links != 'L' || wk_find_type(f) != WK_S_IFDIR || !wk_find_stat(f))
        return false;
    for (size_t i = 0; i < t->depth; i++) {
        if (t->levels[i].dev == f->st.dev && t->levels[i].ino == f->st.ino) {
            wk_msg(f->c,
                   "File system loop detected; %s is part of the same file system loop as %s.",
                   wk_quote_arg(f->c, t->path), wk_quote_arg(f->c, wk_dupn(f->c, t->path, t->levels[i].path_n)));
            return true;
        }
    }
    return false;
}

/* Goes into the present directory; afterwards (-depth) it is looked at from outside again. */
static bool enter(struct wk_find *f)
{
    int err = wk_ftw_enter(f->t, f->st_known && !f->st_err ? &f->st : NULL);
    if (err)
        wk_msg(f->c, "%s: %s", wk_quote_arg(f->c, f->t->path), wk_err_text(err));
    return !err;
}

static void walk(struct wk_find *f, const char *operand)
{
    struct wk_ftw *t = f->t;
    struct wk_dirent e;
    int err;
    wk_ftw_start(t, operand);
    f->operand_n = t->path_n;
    start_entry(f, 0);
    if (!wk_find_stat(f))
        return;
    uint64_t root_dev = f->st.dev;
    bool go = true, more = true;
    if (!f->depth_first)
        visit(f);
    go = !f->quit && is_way(f, root_dev) && enter(f);
    if (f->depth_first && !go) {
        start_entry(f, 0);
        visit(f);
    }
    while (!f->quit && t->depth) {
        more = wk_ftw_next(t, &e, &err);
        if (!more) {
            if (err)
                wk_msg(f->c, "%s: %s", wk_quote_arg(f->c, t->path), wk_err_text(err));
            wk_find_flush(f, true);
            wk_ftw_leave(t);
            if (f->depth_first) {
                start_entry(f, WK_S_IFDIR);
                visit(f);
            }
            continue;
        }
        start_entry(f, f->links == 'L' && e.type == WK_S_IFLNK ? 0 : e.type);
        /* Of these find knows more than the name. */
        bool looked_at = e.type == WK_S_IFDIR || (f->links == 'L' && e.type == WK_S_IFLNK);
        if (looked_at && !wk_find_stat(f)) {
            f->type = 0;
            if (f->st_err != WK_ELOOP)
                visit(f);
            continue;
        }
        if (is_loop(f))
            continue;
        if (f->depth_first) {
            if (is_way(f, root_dev) && enter(f))
                continue;
            start_entry(f, f->type);
            visit(f);
        } else {
            visit(f);
            if (!f->quit && is_way(f, root_dev))
                (void)enter(f);
        }
    }
    wk_find_flush(f, true);
    wk_ftw_stop(t);
}

static bool is_expression(const char *arg)
{
    return (arg[0] == '-' && arg[1]) || ((arg[0] == '(' || arg[0] == '!') && !arg[1]);
}

/* -H -L -P -D -O in front. */
static int leading_options(struct wk_find *f)
{
    struct wk_cmd *c = f->c;
    int at = 0;
    for (; at < c->nargs; at++) {
        const char *a = c->args[at];
        if (strcmp(a, "-H") == 0 || strcmp(a, "-L") == 0 || strcmp(a, "-P") == 0) {
            f->links = a[1];
        } else if (strcmp(a, "-D") == 0) {
            if (++at >= c->nargs)
                wk_usage(c, "Missing argument after the -D option.");
        } else if (strncmp(a, "-O", 2) == 0) {
            if (!wk_is_digit(a[2]))
                wk_find_fail(f, a[2] ? "Please specify a decimal number immediately after -O"
                                     : "The -O option must be immediately followed by a decimal "
                                       "integer");
        } else if (strcmp(a, "--") == 0) {
            return at + 1;
        } else {
            break;
        }
    }
    return at;
}

static void walk_listed(struct wk_find *f)
{
    struct wk_cmd *c = f->c;
    struct wk_in *in;
    struct wk_str name;
    int err = wk_raw_open(c, f->files_from, true, &in);
    if (err)
        wk_find_fail(f, "cannot open %s for reading: %s", wk_quote_arg(c, f->files_from), wk_err_text(err));
    for (size_t i = 1; !f->quit && wk_line_next(in, '\0', &name); i++) {
        char *path = wk_dupn(c, name.p, name.n);
        if (*path)
            walk(f, path);
        else
            wk_msg(c, "%s:%zu: invalid zero-length file name", wk_quote_arg(c, f->files_from), i);
        wk_heap_free(c->heap, path);
    }
}

static void release_arena(void *a)
{
    wk_arena_release((struct wk_arena *)a);
}

static void release_held(void *obj)
{
    wk_vdir_unref(((struct wk_find *)obj)->held);
}

static int find_main(struct wk_cmd *c)
{
    struct wk_find *f = wk_new(c, struct wk_find);
    wk_heap_own(c->heap, f, release_held);
    f->c = c;
    f->links = 'P';
    f->max_depth = INT64_MAX;
    f->re_flags = WK_RE_EMACS | WK_RE_LINE_DOT;
    f->t = wk_ftw_new(c);
    f->ids = wk_idnames_new(c);
    f->tz = wk_zone_of(c);
    f->text = wk_cmd_buf(c, 1 << 20);
    f->arena = wk_new(c, struct wk_arena);
    wk_arena_init(f->arena, wk_heap_mem(c->heap));
    wk_heap_own(c->heap, f->arena, release_arena);
    f->now = f->day_base = wk_cmd_now(c);
    int first = leading_options(f), at = first;
    while (at < c->nargs && !is_expression(c->args[at]))
        at++;
    wk_find_parse(f, at);
    if (f->files_from) {
        if (at > first)
            wk_find_fail(f, "extra operand %s\n%s: file operands cannot be combined with -files0-from",
                         wk_quote_arg(c, c->args[first]), c->name);
        walk_listed(f);
    } else if (at == first) {
        walk(f, ".");
    }
    for (int i = first; i < at && !f->quit; i++)
        walk(f, c->args[i]);
    wk_find_flush(f, false);
    for (size_t i = 0; i < f->preds_n; i++) {
        struct wk_out *out = f->preds[i]->out;
        int err = out && out != c->out && out != c->err && f->preds[i]->which == 'o' ? wk_out_flush(out) : 0;
        if (err) {
            wk_msg(c, "%s: %s", wk_quote_arg(c, f->preds[i]->name), wk_err_text(err));
            wk_exit(c, 1);
        }
    }
    return c->status;
}

WK_COMMAND(find, .summary = "search for files in a directory hierarchy",
           .usage = "find [-H] [-L] [-P] [-Olevel] [-D debugopts] [path...] [expression]",
           .std = "findutils 4.9", .flags = WK_CMD_RAW_ARGS,
           .help = "Default path is the current directory; default expression is -print.\n\n"
                   "Operators (decreasing precedence):\n"
                   "      ( EXPR )   ! EXPR   -not EXPR   EXPR1 -a EXPR2   EXPR1 -and EXPR2\n"
                   "      EXPR1 -o EXPR2   EXPR1 -or EXPR2   EXPR1 , EXPR2\n\n"
                   "Options: -daystart -follow -nowarn -regextype -warn -depth -files0-from FILE\n"
                   "      -maxdepth LEVELS -mindepth LEVELS -mount -noleaf -xdev\n"
                   "      -ignore_readdir_race -noignore_readdir_race\n\n"
                   "Tests (N can be +N or -N or N):\n"
                   "      -amin N -anewer FILE -atime N -cmin N -cnewer FILE -context CONTEXT -ctime N -empty\n"
                   "      -executable -false -fstype TYPE -gid N -group NAME -ilname PATTERN\n"
                   "      -iname PATTERN -inum N -ipath PATTERN -iregex PATTERN -iwholename PATTERN\n"
                   "      -links N -lname PATTERN -mmin N -mtime N -name PATTERN -newer FILE\n"
                   "      -newerXY REF -nogroup -nouser -path PATTERN -perm [-/]MODE -readable\n"
                   "      -regex PATTERN -samefile FILE -size N[bcwkMG] -true -type [bcdpfls]\n"
                   "      -uid N -used N -user NAME -wholename PATTERN -writable -xtype [bcdpfls]\n\n"
                   "Actions:\n"
                   "      -delete -print0 -printf FORMAT -fprintf FILE FORMAT -print -fprint0 FILE\n"
                   "      -fprint FILE -ls -fls FILE -prune -quit -exec COMMAND ;\n"
                   "      -exec COMMAND {} + -ok COMMAND ; -execdir COMMAND ; -execdir COMMAND {} +\n"
                   "      -okdir COMMAND ;\n");
