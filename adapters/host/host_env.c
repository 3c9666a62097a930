/* host_env.c - what commands of a host sandbox find in their environment: PATH, the shell, git's identity */
#define _GNU_SOURCE
#include "adapters/host/host.h"

#include "adapters/sandbox/code.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENV_MOST = 1 << 20, NAME_MOST = 256 };

#define USUAL_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* ---- programs ---------------------------------------------------------------------------------------- */

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *wk_host_find(struct wk_mem *m, const char *path, const char *name)
{
    if (*name == '/')
        return is_program(name) ? wk_strndup(m, name, strlen(name)) : NULL;
    if (!*name || strchr(name, '/'))
        return NULL;
    for (const char *p = path;; p++) {
        size_t n = strcspn(p, ":");
        if (n && *p == '/') { /* relative ones would depend on where one is */
            struct wk_buf b;
            wk_buf_init(&b, m, SIZE_MAX / 2);
            wk_buf_fmt(&b, "%.*s/%s", (int)n, p, name);
            char *found = b.failed || !is_program(b.p) ? NULL : wk_buf_take(&b, NULL);
            wk_buf_release(&b);
            if (found)
                return found;
        }
        p += n;
        if (!*p)
            return NULL;
    }
}

static int find_shell(struct wk_host_box *b, const struct wk_host_opening *w)
{
    const char *asked = w->o->shell;
    b->shell = wk_host_find(b->mem, b->path, asked ? asked : "bash");
    if (!b->shell && !asked)
        b->shell = wk_host_find(b->mem, b->path, "sh");
    if (b->shell)
        return WHELK_OK;
    if (asked && *asked == '/')
        return wk_host_refuse(w, WHELK_E_NOENT, "shell: %s is no program", asked);
    return wk_host_refuse(w, WHELK_E_NOENT, "shell: there is no %s in %s", asked ? asked : "bash or sh", b->path);
}

/* ---- variables ---------------------------------------------------------------------------------------- */

static bool has_user_and_password(struct wk_str v)
{
    const char *p = v.n > 3 ? memmem(v.p, v.n, "://", 3) : NULL;
    if (!p)
        return false;
    p += 3;
    size_t n = (size_t)(v.p + v.n - p), host = 0;
    while (host < n && p[host] != '/' && p[host] != '?' && p[host] != '#')
        host++;
    const char *at = memrchr(p, '@', host);
    return at && memchr(p, ':', (size_t)(at - p));
}

bool wk_host_is_secret(struct wk_str name, struct wk_str value)
{
    static const char *const within[] = {"SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "TOKEN", "APIKEY",
                                         "API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "COOKIE"};
    static const char *const ends[] = {"_KEY", "_PASS", "_PAT", "_PWD", "_AUTH", "_DSN", "_KEYS"};
    static const char *const begins[] = {"AWS_", "AZURE_", "OP_SESSION_"};
    static const char *const whole[] = {"SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS",   "GIT_ASKPASS",
                                        "GPG_AGENT_INFO", "KUBECONFIG",   "PGPASSFILE",    "NETRC",
                                        "DOCKER_AUTH_CONFIG", "DBUS_SESSION_BUS_ADDRESS", "XAUTHORITY",
                                        "ALLOW_DANGEROUS_LOCAL_HOST"};
    char s[NAME_MOST];
    if (name.n >= sizeof s)
        return true;
    for (size_t i = 0; i < name.n; i++)
        s[i] = (char)(name.p[i] >= 'a' && name.p[i] <= 'z' ? name.p[i] - 32 : name.p[i]);
    s[name.n] = 0;
    for (size_t i = 0; i < sizeof within / sizeof *within; i++)
        if (strstr(s, within[i]))
            return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t k = strlen(ends[i]);
        if (name.n > k && strcmp(s + name.n - k, ends[i]) == 0)
            return true;
    }
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(s, begins[i], strlen(begins[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(s, whole[i]) == 0)
            return true;
    return has_user_and_password(value);
}

/* Adds NAME=VALUE to the box's variables. */
static void add(struct wk_host_box *b, const char *text, size_t n)
{
    wk_buf_put(&b->env_text, text, n);
    wk_buf_putc(&b->env_text, 0);
    b->n_env++;
}

static void add_named(struct wk_host_box *b, const char *name, const char *value)
{
    wk_buf_put_c(&b->env_text, name);
    add(b, value, strlen(value));
}

static void inherit(struct wk_host_box *b)
{
    for (char **e = environ; e && *e; e++) {
        const char *is = strchr(*e, '=');
        if (!is || is == *e)
            continue;
        struct wk_str name = {*e, (size_t)(is - *e)};
        /* Where the program is says nothing of where its commands are. */
        if (wk_str_is(name, "PWD") || wk_str_is(name, "OLDPWD") || wk_str_is(name, "_") || wk_str_is(name, "SHLVL"))
            continue;
        if (!wk_host_is_secret(name, wk_str_c(is + 1)))
            add(b, *e, strlen(*e));
    }
}

static bool list_env(struct wk_host_box *b)
{
    b->env = wk_calloc(b->mem, b->n_env + 1, sizeof *b->env);
    if (!b->env || b->env_text.failed)
        return false;
    const char *p = b->env_text.p;
    for (size_t i = 0; i < b->n_env; i++, p += strlen(p) + 1)
        b->env[i] = p;
    return true;
}

/* ---- git's configuration -------------------------------------------------------------------------------- */

/* A value in quotes, as git reads it; false for one with control characters. */
static bool put_value(struct wk_buf *b, const char *value)
{
    wk_buf_putc(b, '"');
    for (const char *p = value; *p; p++) {
        if ((unsigned char)*p < 32 || *p == 127)
            return false;
        if (*p == '"' || *p == '\\')
            wk_buf_putc(b, '\\');
        wk_buf_putc(b, *p);
    }
    wk_buf_put_c(b, "\"\n");
    return true;
}

/* In the system's place, so that every other configuration goes before it; the system's own still counts. */
static int write_gitconfig(struct wk_host_box *b, const struct wk_host_opening *w)
{
    const char *name = w->o->git_name ? w->o->git_name : "whelk";
    const char *email = w->o->git_email ? w->o->git_email : "whelk@localhost";
    struct wk_buf text;
    wk_buf_init(&text, b->mem, 1 << 16);
    wk_buf_put_c(&text, "[user]\n\tname = ");
    bool ok = put_value(&text, name);
    wk_buf_put_c(&text, "\temail = ");
    ok = ok && put_value(&text, email);
    wk_buf_put_c(&text, "[safe]\n\tdirectory = *\n[gc]\n\tauto = 0\n[include]\n\tpath = /etc/gitconfig\n");
    if (!ok || text.over) {
        wk_buf_release(&text);
        return wk_host_refuse(w, WHELK_E_INVALID, "git_name, git_email: control characters, or too long");
    }
    int fd = text.failed ? -1 : open(b->place.gitconfig, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    int code = text.failed ? WHELK_E_NOMEM : WHELK_OK;
    if (!code && (fd < 0 || fchmod(fd, 0644) != 0 || write(fd, text.p, text.n) != (ssize_t)text.n))
        code = wk_host_refuse(w, wk_code(errno), "%s: %s", b->place.gitconfig, wk_err_text(errno));
    if (fd >= 0)
        close(fd);
    wk_buf_release(&text);
    return code;
}

int wk_host_env_open(struct wk_host_box *b, const struct wk_host_opening *w)
{
    const char *path = getenv("PATH"), *home = getenv("HOME");
    wk_buf_init(&b->env_text, b->mem, ENV_MOST);
    path = path && *path ? path : USUAL_PATH;
    b->path = wk_strndup(b->mem, path, strlen(path));
    if (!b->path)
        return WHELK_E_NOMEM;
    int code = find_shell(b, w);
    if (!code)
        code = write_gitconfig(b, w);
    if (code)
        return code;
    if (w->o->inherit_env)
        inherit(b);
    if (!w->o->inherit_env || !home || *home != '/')
        add_named(b, "HOME=", b->place.home);
    if (!w->o->inherit_env || !getenv("GIT_CONFIG_SYSTEM"))
        add_named(b, "GIT_CONFIG_SYSTEM=", b->place.gitconfig);
    if (b->env_text.over)
        return wk_host_refuse(w, WHELK_E_INVALID, "inherit_env: the environment is too large");
    return list_env(b) ? WHELK_OK : WHELK_E_NOMEM;
}
