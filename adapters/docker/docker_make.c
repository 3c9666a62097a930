/* docker_make.c - the kind "docker": a container is made, its helper greeted, and removed again */
#define _GNU_SOURCE
#include "adapters/docker/docker.h"

#include "base/err.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    HELLO_MS = 60000,
    CLOSE_MS = 10000,
    GONE_MS = 10000, /* for the engine to remove a container that has ended */
    NAMES_MAX = 64 << 20,
    SESSION = 12 /* bytes of a session's id */
};

/* ---- questions to the helper ---------------------------------------------------------------------------- */

struct question {
    whelk_file_entry entry;
    bool found, done;
};

static void on_entry(void *ctx, const whelk_file_entry *e)
{
    struct question *q = ctx;
    q->entry = *e;
    q->entry.path = q->entry.target = NULL;
    q->found = true;
}

static void on_done(void *ctx, int code, uint64_t size, const char *text)
{
    struct question *q = ctx;
    (void)size;
    (void)text;
    q->found = q->found && code == WHELK_OK;
    q->done = true;
}

/* Whether a path is there, and what it is. WHELK_OK, also when it is not; another code when the helper is gone. */
static int look_at(struct wk_docker_box *b, const char *path, struct question *q)
{
    static const whelk_file_events events = {.size = sizeof events, .entry = on_entry, .done = on_done};
    whelk_file_request r = {.size = sizeof r, .op = WHELK_FILE_STAT, .flags = WHELK_FILE_FOLLOW, .path = path};
    *q = (struct question){.found = false};
    int code = wk_guest_box_file(&b->guest, &r, &events, q);
    return code ? code : wk_docker_until(b, &q->done, wk_docker_deadline(HELLO_MS));
}

int wk_docker_has(struct wk_docker_box *b, const char *path, bool *has)
{
    struct question q;
    int code = look_at(b, path, &q);
    *has = q.found;
    return code;
}

static void on_name(void *ctx, const whelk_file_entry *e)
{
    struct wk_buf *names = ctx;
    wk_buf_put(names, e->path, strlen(e->path) + 1);
}

struct listing {
    struct wk_buf names; /* the first member: entries come with it */
    bool done;
};

static void on_listed(void *ctx, int code, uint64_t size, const char *text)
{
    struct listing *l = ctx;
    (void)code;
    (void)size;
    (void)text;
    l->done = true;
}

void wk_docker_empty(struct wk_docker_box *b, const char *inside)
{
    static const whelk_file_events listed = {.size = sizeof listed, .entry = on_name, .done = on_listed},
                                   removed = {.size = sizeof removed, .done = on_done};
    struct listing l = {.done = false};
    int64_t deadline = wk_docker_deadline(CLOSE_MS);
    wk_buf_init(&l.names, b->mem, NAMES_MAX);
    whelk_file_request r = {.size = sizeof r, .op = WHELK_FILE_LIST, .path = inside, .depth = 1};
    int code = wk_guest_box_file(&b->guest, &r, &listed, &l);
    code = code ? code : wk_docker_until(b, &l.done, deadline);
    r.op = WHELK_FILE_REMOVE;
    for (const char *at = l.names.p; !code && l.done && at && at < l.names.p + l.names.n; at += strlen(at) + 1) {
        struct question q = {.found = false};
        r.path = at;
        code = wk_guest_box_file(&b->guest, &r, &removed, &q);
        code = code ? code : wk_docker_until(b, &q.done, deadline);
        if (code) /* it is answered with the connection's end */
            wk_guest_box_end(&b->guest, "");
        b->greeted = b->greeted && !code;
    }
    if (!l.done) {
        wk_guest_box_end(&b->guest, "");
        b->greeted = false;
    }
    wk_buf_release(&l.names);
}

/* Whether the workspace that the container has is the directory that we mean: the same inode, or a file that was just
 * made there is seen. */
static int sees_workspace(const struct wk_docker_plan *p, struct wk_docker_box *b, bool *sees)
{
    const char *folder = b->folder;
    struct question q;
    struct stat st;
    struct wk_buf ours, theirs;
    int code = look_at(b, p->inside, &q);
    *sees = true;
    if (code || (q.found && stat(folder, &st) == 0 && q.entry.inode == st.st_ino && q.entry.device == st.st_dev))
        return code;
    wk_buf_init(&ours, b->mem, 8192);
    wk_buf_init(&theirs, b->mem, 8192);
    wk_buf_fmt(&ours, "%s/.whelk-probe-%d", folder, (int)getpid());
    wk_buf_fmt(&theirs, "%s/.whelk-probe-%d", p->inside, (int)getpid());
    int fd = ours.failed ? -1 : open(wk_buf_c(&ours), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0) {
        close(fd);
        code = theirs.failed ? WHELK_E_NOMEM : look_at(b, wk_buf_c(&theirs), &q);
        *sees = !code && q.found;
        (void)unlink(wk_buf_c(&ours));
    }
    wk_buf_release(&ours);
    wk_buf_release(&theirs);
    return code;
}

/* ---- making it ------------------------------------------------------------------------------------------ */

void wk_docker_drop(struct wk_docker_box *b, const char *why)
{
    if (b->greeted)
        wk_guest_box_end(&b->guest, why);
    b->greeted = false;
    if (!b->id)
        return;
    b->engine.with = NULL; /* also when the opening was given up */
    b->engine.timeout_ms = CLOSE_MS;
    int code = wk_engine_remove(&b->engine, b->id, CLOSE_MS);
    struct wk_doc d;
    wk_doc_init(&d, b->mem);
    /* It may be going by itself at this time. Its directory can be removed only when it is gone. */
    for (int64_t end = wk_docker_deadline(GONE_MS); !code && wk_docker_deadline(0) < end;) {
        if (wk_engine_inspect(&b->engine, b->id, &d) != WHELK_OK)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    b->engine.timeout_ms = WK_ENGINE_TIMEOUT_MS;
    wk_doc_release(&d);
    wk_free(b->mem, b->id);
    b->id = NULL;
}

static int create(const struct wk_docker_plan *p, struct wk_docker_box *b)
{
    unsigned char random[SESSION];
    char session[2 * SESSION + 1], name[2 * SESSION + 7] = "whelk-";
    struct wk_buf json;
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return wk_engine_fail(&b->engine, WHELK_E_SYSTEM, "no random numbers");
    for (int i = 0; i < SESSION; i++) {
        session[2 * i] = "0123456789abcdef"[random[i] >> 4];
        session[2 * i + 1] = "0123456789abcdef"[random[i] & 15];
    }
    session[2 * SESSION] = '\0';
    memcpy(name + 6, session, sizeof session);
    wk_buf_init(&json, b->mem, 1 << 20);
    int code = wk_docker_describe(p, b, session, &json)
                   ? wk_engine_create(&b->engine, name, p->o->platform, wk_buf_str(&json), &b->id)
                   : wk_engine_fail(&b->engine, WHELK_E_NOMEM, "no memory");
    wk_buf_release(&json);
    return code;
}

static int greet(const struct wk_docker_plan *p, struct wk_docker_box *b)
{
    struct wk_link *link;
    int code = wk_engine_attach(&b->engine, b->id, &link);
    if (code)
        return code;
    code = wk_engine_start(&b->engine, b->id);
    if (code) {
        wk_link_free(link);
        return code;
    }
    b->greeted = true;
    int err = wk_guest_box_begin(&b->guest, b->mem, link, p->inside, p->uid, p->gid, false, b->engine.with,
                                 wk_docker_deadline(HELLO_MS));
    if (!err)
        return WHELK_OK;
    if (err == -WK_EINTR)
        return wk_engine_fail(&b->engine, WHELK_E_CLOSED, "cancelled");
    return wk_engine_fail(&b->engine, err == -WK_ENOMEM ? WHELK_E_NOMEM : WHELK_E_IO,
                          "the helper in the container did not answer: %s%s%s%.*s", wk_err_text(err),
                          *b->guest.why ? ": " : "", b->guest.why, b->guest.link ? (int)b->guest.link->says_n : 0,
                          b->guest.link ? b->guest.link->says : "");
}

/* Whether the engine's words mean that the directory to be mounted is not there for it. */
static bool is_foreign(const struct wk_docker_box *b, int code)
{
    struct wk_str words = wk_buf_str(&b->engine.error);
    const char *dir = b->host.place.dir;
    if (wk_str_find(words, wk_str_c(b->folder)) < 0 && (!dir || wk_str_find(words, wk_str_c(dir)) < 0))
        return false; /* it is about a mount of the user's */
    return (code == WHELK_E_INVALID || code == WHELK_E_IO) &&
           (wk_str_find(words, WK_STR("bind source path does not exist")) >= 0 ||
            wk_str_find(words, WK_STR("invalid mount config for type \"bind\"")) >= 0 ||
            (wk_str_find(words, WK_STR("statfs")) >= 0 && wk_str_find(words, WK_STR("no such file")) >= 0));
}

/* Makes a container as planned and greets its helper. AGAIN: the engine does not see the workspace's directory. */
static int make(const struct wk_docker_plan *p, struct wk_docker_box *b)
{
    bool sees = true;
    int code = create(p, b);
    if (code && p->where != WK_DOCKER_INSIDE && is_foreign(b, code))
        return WHELK_E_AGAIN;
    code = code ? code : wk_docker_fill(p, b);
    code = code ? code : greet(p, b);
    if (!code && p->where != WK_DOCKER_INSIDE)
        code = sees_workspace(p, b, &sees);
    if (!code && !sees)
        return WHELK_E_AGAIN;
    return code;
}

/* Whether the helper could not be run as it is mounted. */
static bool is_lent_badly(const struct wk_docker_box *b, int code)
{
    struct wk_str words = wk_buf_str(&b->engine.error);
    return b->lent && code != WHELK_E_AGAIN && code != WHELK_E_CLOSED &&
           (wk_str_find(words, WK_STR("/.whelk/")) >= 0 || wk_str_find(words, WK_STR("/whelk-guest")) >= 0);
}

static void start_over(const struct wk_docker_plan *p, struct wk_docker_box *b)
{
    const whelk_opening *with = b->engine.with;
    wk_docker_drop(b, "");
    b->engine.with = with;
    wk_docker_folder_end(b, p->where == WK_DOCKER_MADE);
}

static int make_with_folder(const struct wk_docker_plan *p, struct wk_docker_box *b)
{
    int code = p->where != WK_DOCKER_INSIDE ? wk_docker_folder_make(p, b) : WHELK_OK;
    return code ? code : make(p, b);
}

int wk_docker_make(struct wk_docker_plan *p, struct wk_docker_box *b)
{
    int code = make_with_folder(p, b);
    if (code && is_lent_badly(b, code)) {
        start_over(p, b);
        b->lends_not = true;
        code = make_with_folder(p, b);
    }
    if (code != WHELK_E_AGAIN)
        return code;
    start_over(p, b);
    p->foreign_files = true;
    code = wk_docker_plan_place(p, &b->engine);
    return code ? code : make(p, b);
}
