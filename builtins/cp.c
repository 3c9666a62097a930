/* cp.c - copy files and directories
 *
 * Standard: GNU coreutils 9.1. Oracle: cp.
 * Differs:  --sparse is accepted and changes nothing: contents are shared.
 */
#include "builtins/choice.h"
#include "builtins/copy.h"
#include "builtins/targets.h"

struct cp_opts {
    bool archive, backup_flag, d, parents, strip, no_target_dir, ignored, preserve_flag, debug;
    const char *backup, *suffix, *target_dir, *sparse, *unkept;
    int reflink; /* when: 0 for auto */
    struct wk_copy_opts o;
};

enum cp_attr { CP_MODE, CP_TIMES, CP_OWNER, CP_LINKS, CP_OTHER, CP_ALL };

static void keep(struct wk_copy_opts *o, int attr, bool on)
{
    if (attr == CP_MODE || attr == CP_ALL) {
        o->keep_mode = on;
        o->plain_mode = !on;
    }
    if (attr == CP_TIMES || attr == CP_ALL)
        o->keep_times = on;
    if (attr == CP_OWNER || attr == CP_ALL)
        o->keep_owner = on;
    if (attr == CP_LINKS || attr == CP_ALL)
        o->keep_links = on;
}

static void keep_list(struct wk_cmd *c, const char *option, const char *list, bool on)
{
    static const struct wk_choice attrs[] = {{"mode", CP_MODE},   {"timestamps", CP_TIMES},
                                             {"ownership", CP_OWNER}, {"links", CP_LINKS},
                                             {"context", CP_OTHER}, {"xattr", CP_OTHER + 10},
                                             {"all", CP_ALL},     {NULL, 0}};
    struct cp_opts *o = (struct cp_opts *)c->opts;
    for (;;) {
        size_t n = strcspn(list, ",");
        int attr = wk_choice_read(c, option, wk_dupn(c, list, n), attrs);
        if (attr == CP_OTHER && on)
            wk_fail(c, 1, "cannot preserve security context without an SELinux-enabled kernel");
        keep(&o->o, attr, on);
        list += n;
        if (!*list++)
            return;
    }
}

static int set_preserve(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    keep_list(c, "--preserve", arg ? arg : "mode,timestamps,ownership", true);
    return 0;
}

static int set_reflink(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice reflinks[] = {{"auto", 0}, {"always", 1}, {"never", 2}, {NULL, 0}};
    (void)opt;
    ((struct cp_opts *)c->opts)->reflink = arg ? wk_choice_read(c, "--reflink", arg, reflinks) : 1;
    return 0;
}

static int set_context(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    if (arg)
        wk_out_fmt(c->err, "%s: warning: ignoring --context; it requires an SELinux-enabled kernel\n", c->name);
    return 0;
}

static int set_simple(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct cp_opts *o = (struct cp_opts *)c->opts;
    (void)arg;
    switch (opt->value) {
    case 'a':
        o->o.links = WK_COPY_NEVER;
        keep(&o->o, CP_ALL, true);
        o->o.recursive = true;
        break;
    case 'd':
        o->o.links = WK_COPY_NEVER;
        o->o.keep_links = true;
        break;
    case 'p':
        keep(&o->o, CP_MODE, true);
        keep(&o->o, CP_TIMES, true);
        keep(&o->o, CP_OWNER, true);
        break;
    case 'f':
        o->o.force = true;
        break;
    case 'i':
        o->o.ask = WK_COPY_ASK;
        break;
    case 'n':
        o->o.ask = WK_COPY_NO_CLOBBER;
        break;
    default:
        break;
    }
    return 0;
}

static int set_unkept(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    keep_list(c, "--no-preserve", arg, false);
    return 0;
}

#define CP struct cp_opts

static const struct wk_opt cp_options[] = {
    WK_FUNC_OPT(set_simple, 'a', 'a', "archive", NULL, "same as -dR --preserve=all"),
    WK_FLAG(CP, o.attrs_only, 0, "attributes-only", "don't copy the file data, just the attributes"),
    WK_STR_OPTIONAL(CP, backup, 0, "backup", "CONTROL",
                    "make a backup of each existing destination file"),
    WK_FLAG(CP, backup_flag, 'b', NULL, "like --backup but does not accept an argument"),
    WK_FLAG(CP, o.contents, 0, "copy-contents", "copy contents of special files when recursive"),
    WK_FUNC_OPT(set_simple, 'd', 'd', NULL, NULL, "same as --no-dereference --preserve=links"),
    WK_FUNC_OPT(set_simple, 'f', 'f', "force", NULL,
                "if an existing destination file cannot be opened, remove it\nand try again"),
    WK_FUNC_OPT(set_simple, 'i', 'i', "interactive", NULL, "prompt before overwrite"),
    WK_SET(CP, o.links, WK_COPY_OPERANDS, 'H', NULL, "follow command-line symbolic links in SOURCE"),
    WK_FLAG(CP, o.hard_link, 'l', "link", "hard link files instead of copying"),
    WK_SET(CP, o.links, WK_COPY_ALWAYS, 'L', "dereference", "always follow symbolic links in SOURCE"),
    WK_FUNC_OPT(set_simple, 'n', 'n', "no-clobber", NULL, "do not overwrite an existing file"),
    WK_SET(CP, o.links, WK_COPY_NEVER, 'P', "no-dereference",
           "never follow symbolic links in SOURCE"),
    WK_FUNC_OPT(set_simple, 'p', 'p', NULL, NULL, "same as --preserve=mode,ownership,timestamps"),
    WK_FLAG(CP, parents, 0, "parents", "use full source file name under DIRECTORY"),
    WK_FUNC_OPT(set_unkept, 0, 0, "no-preserve", "ATTR_LIST",
                "don't preserve the specified attributes"),
    WK_FUNC_OPT(set_preserve, 0, 0, "preserve", "[ATTR_LIST", "preserve the specified attributes"),
    WK_FLAG(CP, o.recursive, 'R', "recursive", "copy directories recursively"),
    WK_FLAG(CP, o.recursive, 'r', NULL, "the same as -R"),
    WK_FLAG(CP, o.remove_dest, 0, "remove-destination",
            "remove each existing destination file before\nattempting to open it"),
    WK_FUNC_OPT(set_reflink, 0, 0, "reflink", "[WHEN", "control clone/CoW copies"),
    WK_STR_OPT(CP, sparse, 0, "sparse", "WHEN", "control creation of sparse files"),
    WK_FLAG(CP, strip, 0, "strip-trailing-slashes",
            "remove any trailing slashes from each SOURCE\nargument"),
    WK_STR_OPT(CP, suffix, 'S', "suffix", "SUFFIX", "override the usual backup suffix"),
    WK_FLAG(CP, o.sym_link, 's', "symbolic-link", "make symbolic links instead of copying"),
    WK_STR_OPT(CP, target_dir, 't', "target-directory", "DIRECTORY",
               "copy all SOURCE arguments into DIRECTORY"),
    WK_FLAG(CP, no_target_dir, 'T', "no-target-directory", "treat DEST as a normal file"),
    WK_FLAG(CP, o.update, 'u', "update",
            "copy only when the SOURCE file is newer\nthan the destination file or when the\n"
            "destination file is missing"),
    WK_FLAG(CP, o.verbose, 'v', "verbose", "explain what is being done"),
    WK_FLAG(CP, o.one_fs, 'x', "one-file-system", "stay on this file system"),
    WK_FLAG(CP, ignored, 'Z', NULL, "(ignored)"),
    WK_FUNC_OPT(set_context, 0, 0, "context", "[CTX]", "(ignored with a warning)"),
    WK_OPTS_END,
};

static void check_words(struct wk_cmd *c, const CP *o)
{
    static const struct wk_choice sparses[] = {{"never", 0}, {"auto", 1}, {"always", 2}, {NULL, 0}};
    if (o->sparse)
        (void)wk_choice_read(c, "--sparse", o->sparse, sparses);
}

/* --parents: the directories of the source's name, with their modes. False after reporting. */
static bool make_parents(struct wk_cmd *c, const CP *o, const char *dir, const char *source)
{
    char *part = wk_dup(c, source);
    size_t n, at = 0, end = (size_t)(wk_last_component(source, &n) - source);
    while (at < end) {
        while (at < end && part[at] == '/')
            at++;
        while (at < end && part[at] != '/')
            at++;
        if (at >= end)
            break;
        struct wk_stat st, there;
        part[at] = '\0';
        char *to = wk_join_path(c, dir, part);
        int err = wk_at_stat(c, NULL, part, true, &st);
        if (err) {
            wk_msg(c, "failed to get attributes of %s: %s", wk_quote(c, part), wk_err_text(err));
            return false;
        }
        if (wk_at_stat(c, NULL, to, true, &there)) {
            err = WK_S_ISDIR(st.mode) ? wk_at_mkdir(c, NULL, to, (st.mode & 0777) | 0300) : WK_ENOTDIR;
            if (err) {
                wk_msg(c, "cannot make directory %s: %s", wk_quote(c, to), wk_err_text(err));
                return false;
            }
            if (o->o.keep_mode)
                (void)wk_at_chmod(c, NULL, to, true, st.mode & 07777);
            if (o->o.keep_times)
                (void)wk_at_utimens(c, NULL, to, true, st.atim, st.mtim);
            if (o->o.verbose)
                wk_out_fmt(c->out, "%s -> %s\n", part, to);
        } else if (!WK_S_ISDIR(there.mode)) {
            wk_msg(c, "%s exists but is not a directory", wk_quote(c, to));
            return false;
        }
        part[at] = source[at];
    }
    return true;
}

static int cp_main(struct wk_cmd *c)
{
    CP *o = (CP *)c->opts;
    struct wk_targets t;
    check_words(c, o);
    if (o->o.hard_link && o->o.sym_link)
        wk_usage(c, "cannot make both hard and symbolic links");
    if (o->o.ask == WK_COPY_NO_CLOBBER && (o->backup_flag || o->backup || o->suffix))
        wk_usage(c, "options --backup and --no-clobber are mutually exclusive");
    o->o.backup = wk_backup_kind(c, o->backup_flag, o->backup, o->suffix);
    o->o.suffix = wk_backup_suffix(c, o->suffix);
    if (o->reflink == 1 && o->sparse && *o->sparse != 'a')
        wk_usage(c, "--reflink can be used only with --sparse=auto");
    if (!o->o.links && o->o.hard_link)
        o->o.links = WK_COPY_ALWAYS;
    if (!o->o.links && o->o.recursive)
        o->o.links = WK_COPY_NEVER;
    if (o->parents && !o->target_dir && c->nargs >= 2) {
        struct wk_stat st;
        const char *last = c->args[c->nargs - 1];
        if (c->nargs == 2 && (o->no_target_dir || wk_at_stat(c, NULL, last, true, &st) ||
                              !WK_S_ISDIR(st.mode)))
            wk_usage(c, "with --parents, the destination must be a directory");
    }
    wk_targets_read(c, o->target_dir, o->no_target_dir, false, &t);
    struct wk_copy *s = wk_copy_new(c, &o->o, t.n > 1);
    for (size_t i = 0; i < t.n; i++) {
        if (o->strip && t.dir)
            wk_strip_slashes(t.sources[i]);
        const char *src = t.sources[i], *dst = t.target;
        if (o->parents && t.dir) {
            char *bare = wk_dup(c, src);
            wk_strip_slashes(bare);
            if (!make_parents(c, o, t.dir, bare))
                continue;
            dst = wk_join_path(c, t.dir, bare);
        } else if (t.dir) {
            dst = wk_target_in(c, t.dir, src);
        } else if (o->o.force && o->o.backup && strcmp(src, dst) == 0) {
            char *to = wk_backup_name(c, NULL, dst, o->o.backup, o->o.suffix);
            o->o.backup = WK_BACKUP_NONE; /* a file copied onto itself makes its backup */
            dst = to;
        }
        wk_copy_operand(s, src, dst);
    }
    return c->status;
}

WK_COMMAND(cp, .summary = "copy SOURCE to DEST, or multiple SOURCE(s) to DIRECTORY",
           .usage = "cp [OPTION]... [-T] SOURCE DEST\ncp [OPTION]... SOURCE... DIRECTORY\n"
                    "cp [OPTION]... -t DIRECTORY SOURCE...",
           .std = "coreutils 9.1", .opts = cp_options, .opts_size = sizeof(CP),
           .help = "The backup suffix is '~', unless set with --suffix or SIMPLE_BACKUP_SUFFIX.\n"
                   "The version control method may be selected via the --backup option or through\n"
                   "the VERSION_CONTROL environment variable: none, off; numbered, t; existing, nil;\n"
                   "simple, never.\n");
