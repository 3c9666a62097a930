/* host_bwrap.c - the words of bubblewrap: what the helper, and all it runs, see of the machine
 *
 * Everything can be read and nothing written but the workspace, the home and a /tmp of their own; what holds keys is
 * covered, and so are the sockets of the machine's services.
 */
#define _GNU_SOURCE
#include "adapters/host/host.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { WORDS_MOST = 128, PATH_MOST = 4096 };

struct words {
    struct wk_mem *mem;
    char **v;
    size_t n;
    bool failed;
};

static void add(struct words *w, const char *word)
{
    char *copy = w->n + 1 < WORDS_MOST ? wk_strndup(w->mem, word, strlen(word)) : NULL;
    if (!copy)
        w->failed = true;
    else
        w->v[w->n++] = copy;
}

static void add2(struct words *w, const char *option, const char *value)
{
    add(w, option);
    add(w, value);
}

static void add3(struct words *w, const char *option, const char *from, const char *to)
{
    add2(w, option, from);
    add(w, to);
}

/* Covers what usually holds keys, where it is; but not the workspace. */
static void cover_secrets(struct words *w, const struct wk_host_box *b)
{
    static const char *const names[] = {".ssh",    ".gnupg",  ".aws",          ".azure",      ".config/gcloud",
                                        ".kube",   ".docker", ".password-store", ".netrc",    ".git-credentials",
                                        ".pgpass", ".npmrc",  ".pypirc",       ".config/gh",  ".local/share/keyrings"};
    const char *home = getenv("HOME");
    struct stat st;
    struct wk_buf path;
    wk_buf_init(&path, w->mem, PATH_MOST);
    for (size_t i = 0; home && *home == '/' && i < sizeof names / sizeof *names; i++) {
        wk_buf_reset(&path);
        wk_buf_fmt(&path, "%s/%s", home, names[i]);
        if (path.failed || lstat(path.p, &st) != 0 || strncmp(b->place.workspace, path.p, path.n) == 0)
            continue;
        if (S_ISDIR(st.st_mode))
            add2(w, "--tmpfs", path.p);
        else if (S_ISREG(st.st_mode))
            add3(w, "--ro-bind", "/dev/null", path.p);
    }
    wk_buf_release(&path);
}

static void add_root(struct words *w, const struct wk_host_box *b)
{
    static const char *const own[] = {"/tmp", "/var/tmp", "/run"};
    struct stat st;
    add3(w, "--ro-bind", "/", "/");
    add2(w, "--dev", "/dev");
    add2(w, "--proc", "/proc");
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (lstat(own[i], &st) == 0 && S_ISDIR(st.st_mode))
            add2(w, "--tmpfs", own[i]);
    if (b->shares_network && stat("/run/systemd/resolve", &st) == 0)
        add3(w, "--ro-bind", "/run/systemd/resolve", "/run/systemd/resolve");
    /* Each after what may lie over it. */
    add3(w, "--bind", b->place.workspace, b->place.workspace);
    add3(w, "--ro-bind", b->place.gitconfig, b->place.gitconfig);
    add3(w, "--bind", b->place.home, b->place.home);
    cover_secrets(w, b);
}

char **wk_host_bwrap_words(struct wk_host_box *b, const char *bwrap, const char *helper)
{
    struct words w = {.mem = b->mem, .v = wk_calloc(b->mem, WORDS_MOST, sizeof *w.v)};
    if (!w.v)
        return NULL;
    add(&w, bwrap);
    add(&w, "--unshare-user-try");
    add(&w, "--unshare-ipc");
    add(&w, "--unshare-pid");
    add(&w, "--unshare-uts");
    add(&w, "--unshare-cgroup-try");
    if (!b->shares_network)
        add(&w, "--unshare-net");
    add(&w, "--new-session");
    add(&w, "--as-pid-1");
    add2(&w, "--cap-drop", "ALL");
    add_root(&w, b);
    if (strncmp(helper, "/proc/", 6) != 0)
        add3(&w, "--ro-bind", helper, helper);
    add2(&w, "--chdir", "/");
    add2(&w, "--", helper);
    if (w.failed) {
        wk_host_bwrap_free(b->mem, w.v);
        return NULL;
    }
    return w.v;
}

void wk_host_bwrap_free(struct wk_mem *m, char **v)
{
    for (char **w = v; w && *w; w++)
        wk_free(m, *w);
    wk_free(m, v);
}
