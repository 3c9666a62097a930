/* chown.c - change owner and group of files; chgrp
 *
 * Standard: GNU coreutils 9.1. Oracle: chown, chgrp.
 */
#include "builtins/ftw.h"
#include "builtins/idnames.h"

enum { DEREF_UNSAID, DEREF_YES, DEREF_NO };

struct chown_opts {
    int tell; /* the last of -c, -v */
    bool quiet, keep_root, any_root, recursive;
    int deref; /* what a symbolic link stands for */
    int walk;  /* P, H or L */
    const char *reference, *from;
};

#define CH struct chown_opts

static const struct wk_opt chown_options[] = {
    WK_SET(CH, tell, 'c', 'c', "changes", "like verbose but report only when a change is made"),
    WK_FLAG(CH, quiet, 'f', "silent", "suppress most error messages"),
    WK_FLAG(CH, quiet, 0, "quiet", "the same as --silent"),
    WK_SET(CH, tell, 'v', 'v', "verbose", "output a diagnostic for every file processed"),
    WK_SET(CH, deref, DEREF_YES, 0, "dereference", "affect the referent of each symbolic link (default)"),
    WK_SET(CH, deref, DEREF_NO, 'h', "no-dereference", "affect symbolic links instead of any referenced file"),
    WK_STR_OPT(CH, from, 0, "from", "CURRENT_OWNER:CURRENT_GROUP",
               "change only files whose owner and group match"),
    WK_FLAG(CH, any_root, 0, "no-preserve-root", "do not treat '/' specially (the default)"),
    WK_FLAG(CH, keep_root, 0, "preserve-root", "fail to operate recursively on '/'"),
    WK_FLAG(CH, recursive, 'R', "recursive", "operate on files and directories recursively"),
    WK_STR_OPT(CH, reference, 0, "reference", "RFILE", "use RFILE's owner and group"),
    WK_SET(CH, walk, 'H', 'H', NULL, "follow an operand that is a link to a directory (-R)"),
    WK_SET(CH, walk, 'L', 'L', NULL, "follow every link to a directory (-R)"),
    WK_SET(CH, walk, 'P', 'P', NULL, "follow no links (default)"),
    WK_OPTS_END,
};

struct chown_state {
    struct wk_cmd *c;
    const CH *o;
    struct wk_idnames *ids;
    struct wk_ftw *t;
    bool group_only;
    bool follow; /* what a link leads to is changed */
    const char *what; /* "ownership" or "group" */
    const char *spec; /* as given, for messages */
    uint32_t uid, gid;           /* UINT32_MAX: stays */
    uint32_t from_uid, from_gid; /* UINT32_MAX: any */
};

/* USER and GROUP of a text divided there; a reason, or NULL. */
static const char *split_spec(struct chown_state *s, const char *text, const char *at, uint32_t *uid, uint32_t *gid)
{
    const char *user = at ? wk_dupn(s->c, text, (size_t)(at - text)) : text;
    *uid = *gid = UINT32_MAX;
    if (*user && !wk_user_id(s->ids, user, true, uid))
        return at && !at[1] && wk_is_digit(*user) ? "invalid spec" : "invalid user";
    if (at && at[1] && !wk_group_id(s->ids, at + 1, true, gid))
        return "invalid group";
    /* The login group belongs to a name: numbers have none. */
    bool number = *user == '+' || wk_is_digit(*user);
    if (at && !at[1] && *user && (number || !wk_user_group(s->ids, *uid, gid)))
        return "invalid spec";
    return NULL;
}

/* OWNER, OWNER:, OWNER:GROUP, :GROUP; a dot was once for the colon. */
static void read_spec(struct chown_state *s, const char *text, uint32_t *uid, uint32_t *gid)
{
    struct wk_cmd *c = s->c;
    if (s->group_only) {
        *uid = *gid = UINT32_MAX;
        if (*text && !wk_group_id(s->ids, text, true, gid))
            wk_fail(c, 1, "invalid group: %s", wk_quote_arg(c, text));
        return;
    }
    const char *colon = strchr(text, ':'), *dot = colon ? NULL : strchr(text, '.');
    const char *why = split_spec(s, text, colon, uid, gid);
    if (why && dot && !split_spec(s, text, dot, uid, gid)) {
        wk_out_fmt(c->err, "%s: warning: '.' should be ':': %s\n", c->name, wk_quote_arg(c, text));
        return;
    }
    if (why)
        wk_fail(c, 1, "%s: %s", why, wk_quote_arg(c, text));
}

static const char *name_of(struct chown_state *s, uint32_t id, bool user)
{
    const char *name = user ? wk_user_name(s->ids, id) : wk_group_name(s->ids, id);
    return name ? name : wk_strf(s->c, "%u", id);
}

static const char *pair(struct chown_state *s, uint32_t uid, uint32_t gid)
{
    if (uid == UINT32_MAX)
        return gid == UINT32_MAX ? "" : name_of(s, gid, false);
    if (gid == UINT32_MAX)
        return name_of(s, uid, true);
    return wk_strf(s->c, "%s:%s", name_of(s, uid, true), name_of(s, gid, false));
}

/* What is asked for, as it was written; "" when it is nothing. */
static const char *wanted(struct chown_state *s)
{
    if (!s->spec)
        return pair(s, s->uid, s->gid);
    const char *colon = s->group_only ? NULL : strchr(s->spec, ':');
    bool number = s->spec[0] == ':' && (s->spec[1] == '+' || wk_is_digit(s->spec[1]));
    char *text = wk_dup(s->c, s->spec + number); /* ":5" is a group, ":root" an empty owner with one */
    if (!s->group_only) { /* the + of a number is not told */
        size_t n = 0;
        for (size_t i = 0; text[i]; i++)
            if (text[i] != '+' || (i && text[i - 1] != ':'))
                text[n++] = text[i];
        text[n] = '\0';
    }
    char *dot = colon || s->group_only || s->gid == UINT32_MAX ? NULL : strchr(text, '.');
    if (dot)
        *dot = ':';
    return text;
}

static void report(struct chown_state *s, const struct wk_stat *st, bool changed)
{
    const char *q = wk_quote(s->c, s->t->path);
    if (s->o->tell != 'v' && !(s->o->tell == 'c' && changed))
        return;
    bool colon = *wanted(s) == ':'; /* an empty owner is one, too */
    const char *what = colon ? "ownership" : s->what;
    const char *old = pair(s, s->uid == UINT32_MAX && !colon ? UINT32_MAX : st->uid,
                           s->gid == UINT32_MAX ? UINT32_MAX : st->gid);
    if (changed)
        wk_out_fmt(s->c->out, "changed %s of %s from %s to %s\n", what, q, old,
                   pair(s, s->uid, s->gid));
    else
        wk_out_fmt(s->c->out, "%s of %s retained%s%s\n", what, q, *old ? " as " : "", old);
}

static void tell_failure(struct chown_state *s, const struct wk_stat *st)
{
    const char *to = wanted(s), *q = wk_quote(s->c, s->t->path);
    if (s->o->tell != 'v')
        return;
    bool colon = *to == ':'; /* an empty owner is one, too */
    wk_out_fmt(s->c->out, "failed to change %s of %s", colon ? "ownership" : s->what, q);
    if (st && *to)
        wk_out_fmt(s->c->out, " from %s", pair(s, s->uid == UINT32_MAX && !colon ? UINT32_MAX : st->uid,
                                               s->gid == UINT32_MAX ? UINT32_MAX : st->gid));
    if (*to)
        wk_out_fmt(s->c->out, " to %s", to);
    wk_out_char(s->c->out, '\n');
}

static void change_one(struct chown_state *s, const struct wk_stat *st, bool follow)
{
    struct wk_cmd *c = s->c;
    if ((s->from_uid != UINT32_MAX && st->uid != s->from_uid) ||
        (s->from_gid != UINT32_MAX && st->gid != s->from_gid)) {
        report(s, st, false);
        return;
    }
    bool changed = (s->uid != UINT32_MAX && s->uid != st->uid) ||
                   (s->gid != UINT32_MAX && s->gid != st->gid);
    int err = wk_at_chown(c, wk_ftw_dir(s->t), wk_ftw_name(s->t), follow, s->uid, s->gid);
    if (!err) {
        report(s, st, changed);
        return;
    }
    if (!s->o->quiet)
        wk_msg(c, "changing %s of %s: %s", s->what, wk_quote(c, s->t->path), wk_err_text(err));
    tell_failure(s, st);
    c->status = 1;
}

static void no_access(struct chown_state *s, const char *what, int err)
{
    struct wk_stat st;
    bool link = (err == WK_ENOENT || (err == WK_ELOOP && !(s->o->recursive && s->o->walk == 'L'))) &&
                !wk_at_stat(s->c, wk_ftw_dir(s->t), wk_ftw_name(s->t), false, &st);
    const char *q = wk_quote(s->c, s->t->path);
    if (!s->o->quiet)
        wk_msg(s->c, "cannot %s %s: %s", link ? "dereference" : what, q, wk_err_text(err));
    tell_failure(s, NULL);
    s->c->status = 1;
}

/* The present entry: *st of what is changed (a link or what it leads to), *walked whether it is a directory to
 * walk, which with `through` may be one that a link leads to. */
static int look(struct chown_state *s, bool through, struct wk_stat *st, bool *walked)
{
    int err = wk_at_stat(s->c, wk_ftw_dir(s->t), wk_ftw_name(s->t), s->follow, st);
    *walked = !err && s->o->recursive && WK_S_ISDIR(st->mode);
    struct wk_stat other;
    if (err || !s->o->recursive || through == s->follow || !(through ? WK_S_ISLNK(st->mode) : *walked))
        return err;
    err = wk_at_stat(s->c, wk_ftw_dir(s->t), wk_ftw_name(s->t), through, &other);
    *walked = !err && WK_S_ISDIR(other.mode);
    return err == WK_ENOENT ? 0 : err;
}

/* A directory that is being walked, met again by a link. */
static bool is_walked(const struct wk_ftw *t, const struct wk_stat *st)
{
    for (size_t i = 0; i < t->depth; i++)
        if (t->levels[i].dev == st->dev && t->levels[i].ino == st->ino)
            return true;
    return false;
}

static void change_tree(struct chown_state *s, const char *path)
{
    struct wk_cmd *c = s->c;
    struct wk_ftw *t = s->t;
    struct wk_stat st, dir;
    struct wk_dirent e;
    int walk = s->o->recursive ? s->o->walk : 0;
    bool walked, more = true;
    s->follow = s->o->deref != DEREF_NO && (!s->o->recursive || walk == 'H' || walk == 'L');
    wk_ftw_start(t, path);
    do { /* a directory comes behind what is in it */
        int err;
        if (t->depth && !(more = wk_ftw_next(t, &e, &err)))
            wk_ftw_leave(t);
        err = look(s, walk == 'L' || (walk == 'H' && !t->depth), &st, &walked);
        dir = st;
        if (err)
            no_access(s, "access", err);
        else if (!more || !walked ||
                 (WK_S_ISLNK(st.mode) && wk_at_stat(c, wk_ftw_dir(t), wk_ftw_name(t), true, &dir)) ||
                 is_walked(t, &dir))
            change_one(s, &st, s->follow);
        else if ((err = wk_ftw_enter(t, &dir)) != 0)
            no_access(s, "read directory", err);
        more = true;
    } while (t->depth);
}

static int chown_main(struct wk_cmd *c)
{
    const CH *o = (const CH *)c->opts;
    struct chown_state s = {.c = c, .o = o, .ids = wk_idnames_new(c), .t = wk_ftw_new(c),
                            .from_uid = UINT32_MAX, .from_gid = UINT32_MAX};
    int at = o->reference ? 0 : 1;
    s.group_only = strcmp(c->command->name, "chgrp") == 0;
    if (s.group_only && s.o->from)
        wk_usage(c, "unrecognized option '--from=%s'", s.o->from);
    if (o->from)
        read_spec(&s, o->from, &s.from_uid, &s.from_gid);
    if (o->recursive && o->deref == DEREF_YES && o->walk != 'H' && o->walk != 'L')
        wk_fail(c, 1, "-R --dereference requires either -H or -L");
    if (c->nargs == 0)
        wk_usage(c, "missing operand");
    if (c->nargs <= at)
        wk_usage(c, "missing operand after %s", wk_quote_arg(c, c->args[0]));
    if (o->reference) {
        struct wk_stat st;
        int err = wk_at_stat(c, NULL, o->reference, true, &st);
        if (err)
            wk_fail(c, 1, "failed to get attributes of %s: %s", wk_quote(c, o->reference),
                    wk_err_text(err));
        s.uid = s.group_only ? UINT32_MAX : st.uid;
        s.gid = st.gid;
    } else {
        read_spec(&s, c->args[0], &s.uid, &s.gid);
        s.spec = strcmp(c->args[0], ":") == 0 ? "" : c->args[0];
    }
    s.what = s.uid == UINT32_MAX && s.gid != UINT32_MAX ? "group" : "ownership";
    for (; at < c->nargs; at++) {
        if (o->recursive && o->keep_root && strcmp(c->args[at], "/") == 0) {
            wk_msg(c, "it is dangerous to operate recursively on '/'");
            wk_msg(c, "use --no-preserve-root to override this failsafe");
            continue;
        }
        change_tree(&s, c->args[at]);
    }
    return c->status;
}

WK_COMMAND(chown, .summary = "change the owner and/or group of each FILE",
           .usage = "chown [OPTION]... [OWNER][:[GROUP]] FILE...\n"
                    "chown [OPTION]... --reference=RFILE FILE...",
           .std = "coreutils 9.1", .opts = chown_options, .opts_size = sizeof(CH));

#define chgrp_main chown_main
WK_COMMAND(chgrp, .summary = "change the group of each FILE",
           .usage = "chgrp [OPTION]... GROUP FILE...\nchgrp [OPTION]... --reference=RFILE FILE...",
           .std = "coreutils 9.1", .opts = chown_options, .opts_size = sizeof(CH));
