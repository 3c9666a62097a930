/* mv.c - move (rename) files
 *
 * Standard: GNU coreutils 9.1. Oracle: mv.
 */
#include "builtins/copy.h"
#include "builtins/targets.h"

struct mv_opts {
    bool backup_flag, strip, no_target_dir, ignored;
    const char *backup, *suffix, *target_dir;
    struct wk_copy_opts o;
};

#define MV struct mv_opts

static const struct wk_opt mv_options[] = {
    WK_STR_OPTIONAL(MV, backup, 0, "backup", "CONTROL",
                    "make a backup of each existing destination file"),
    WK_FLAG(MV, backup_flag, 'b', NULL, "like --backup but does not accept an argument"),
    WK_SET(MV, o.ask, WK_COPY_FORCE, 'f', "force", "do not prompt before overwriting"),
    WK_SET(MV, o.ask, WK_COPY_ASK, 'i', "interactive", "prompt before overwrite"),
    WK_SET(MV, o.ask, WK_COPY_NO_CLOBBER, 'n', "no-clobber", "do not overwrite an existing file"),
    WK_FLAG(MV, strip, 0, "strip-trailing-slashes",
            "remove any trailing slashes from each SOURCE\nargument"),
    WK_STR_OPT(MV, suffix, 'S', "suffix", "SUFFIX", "override the usual backup suffix"),
    WK_STR_OPT(MV, target_dir, 't', "target-directory", "DIRECTORY",
               "move all SOURCE arguments into DIRECTORY"),
    WK_FLAG(MV, no_target_dir, 'T', "no-target-directory", "treat DEST as a normal file"),
    WK_FLAG(MV, o.update, 'u', "update",
            "move only when the SOURCE file is newer\nthan the destination file or when the\n"
            "destination file is missing"),
    WK_FLAG(MV, o.verbose, 'v', "verbose", "explain what is being done"),
    WK_FLAG(MV, ignored, 'Z', "context", "(ignored)"),
    WK_OPTS_END,
};

static int mv_main(struct wk_cmd *c)
{
    MV *o = (MV *)c->opts;
    struct wk_targets t;
    o->o.move = o->o.recursive = true;
    o->o.links = WK_COPY_NEVER;
    o->o.keep_mode = o->o.keep_times = o->o.keep_owner = o->o.keep_links = true;
    wk_targets_read(c, o->target_dir, o->no_target_dir, false, &t);
    if (o->o.ask == WK_COPY_NO_CLOBBER && (o->backup_flag || o->backup || o->suffix))
        wk_usage(c, "options --backup and --no-clobber are mutually exclusive");
    o->o.backup = wk_backup_kind(c, o->backup_flag, o->backup, o->suffix);
    o->o.suffix = wk_backup_suffix(c, o->suffix);
    struct wk_copy *s = wk_copy_new(c, &o->o, t.n > 1);
    for (size_t i = 0; i < t.n; i++) {
        if (o->strip)
            wk_strip_slashes(t.sources[i]);
        const char *src = t.sources[i], *dst = t.dir ? wk_target_in(c, t.dir, src) : t.target;
        wk_copy_operand(s, src, dst);
    }
    return c->status;
}

WK_COMMAND(mv, .summary = "rename SOURCE to DEST, or move SOURCE(s) to DIRECTORY",
           .usage = "mv [OPTION]... [-T] SOURCE DEST\nmv [OPTION]... SOURCE... DIRECTORY\n"
                    "mv [OPTION]... -t DIRECTORY SOURCE...",
           .std = "coreutils 9.1", .opts = mv_options, .opts_size = sizeof(MV),
           .help = "If you specify more than one of -i, -f, -n, only the final one takes effect.\n");
