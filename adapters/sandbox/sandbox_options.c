/* sandbox_options.c - the options of a sandbox: copied as a whole, and checked */
#include "adapters/sandbox/code.h"
#include "adapters/sandbox/sandbox.h"
#include "base/num.h"

void whelk_sandbox_options_init(whelk_sandbox_options *o)
{
    if (!o)
        return;
    memset(o, 0, sizeof *o);
    o->size = sizeof *o;
}

void whelk_sandbox_request_init(whelk_sandbox_request *r)
{
    if (!r)
        return;
    memset(r, 0, sizeof *r);
    r->size = sizeof *r;
}

/* ---- one block ----------------------------------------------------------------------------------- */

/* Filled twice: without a base it only measures. */
struct pack {
    char *base;
    size_t at;
    int code;
};

static void *pack_bytes(struct pack *k, const void *p, size_t n)
{
    size_t at = (k->at + 15) & ~(size_t)15;
    if (n > SIZE_MAX / 4 - at) {
        k->code = WHELK_E_INVALID;
        return NULL;
    }
    k->at = at + n;
    if (!k->base)
        return NULL;
    if (n)
        memcpy(k->base + at, p, n);
    return k->base + at;
}

static const char *pack_text(struct pack *k, const char *s)
{
    return s ? pack_bytes(k, s, strlen(s) + 1) : NULL;
}

/* An array of n elements, copied as it is; NULL where there are none, or for now only measured. */
static void *pack_array(struct pack *k, const void *p, size_t n, size_t size)
{
    size_t bytes;
    if (!n)
        return NULL;
    if (!p || __builtin_mul_overflow(n, size, &bytes)) {
        k->code = WHELK_E_INVALID;
        return NULL;
    }
    return pack_bytes(k, p, bytes);
}

static void pack_texts(struct pack *k, const char *const **v, size_t n)
{
    const char *const *from = *v;
    const char **to = pack_array(k, from, n, sizeof *from);
    for (size_t i = 0; i < n && !k->code; i++) {
        const char *copy = pack_text(k, from[i]);
        if (to)
            to[i] = copy;
    }
    if (k->base)
        *v = to;
}

/* A struct with a size in front, as ours. */
static void take(struct pack *k, void *dst, size_t known, const void *src)
{
    int code = wk_struct_take(dst, known, src);
    if (code)
        k->code = code;
    memcpy(dst, &known, sizeof known);
}

static void pack_secrets(struct pack *k, whelk_sandbox_options *o)
{
    const whelk_secret *from = o->secrets;
    whelk_secret *to = pack_array(k, from, o->n_secrets, sizeof *from);
    for (size_t i = 0; i < o->n_secrets && !k->code; i++) {
        whelk_secret s;
        take(k, &s, sizeof s, &from[i]);
        s.name = pack_text(k, s.name);
        s.value = pack_text(k, s.value);
        pack_texts(k, &s.commands, s.n_commands);
        if (to)
            to[i] = s;
    }
    if (k->base)
        o->secrets = to;
}

static void pack_ports(struct pack *k, whelk_sandbox_options *o)
{
    const whelk_port *from = o->ports;
    whelk_port *to = pack_array(k, from, o->n_ports, sizeof *from);
    for (size_t i = 0; i < o->n_ports && !k->code; i++) {
        whelk_port p;
        take(k, &p, sizeof p, &from[i]);
        if (to)
            to[i] = p;
    }
    if (k->base)
        o->ports = to;
}

static void pack_mounts(struct pack *k, whelk_session_options *s)
{
    const whelk_mount *from = s->mounts;
    whelk_mount *to = pack_array(k, from, s->n_mounts, sizeof *from);
    for (size_t i = 0; i < s->n_mounts && !k->code; i++) {
        whelk_mount m;
        take(k, &m, sizeof m, &from[i]);
        m.path = pack_text(k, m.path);
        m.host_path = pack_text(k, m.host_path);
        if (to)
            to[i] = m;
    }
    if (k->base)
        s->mounts = to;
}

static void pack_files(struct pack *k, whelk_session_options *s)
{
    const whelk_file *from = s->files;
    whelk_file *to = pack_array(k, from, s->n_files, sizeof *from);
    for (size_t i = 0; i < s->n_files && !k->code; i++) {
        whelk_file f;
        take(k, &f, sizeof f, &from[i]);
        f.path = pack_text(k, f.path);
        f.data = f.data ? pack_bytes(k, f.data, f.data_len) : NULL;
        if (to)
            to[i] = f;
    }
    if (k->base)
        s->files = to;
}

static void pack_session(struct pack *k, whelk_sandbox_options *o)
{
    if (!o->session)
        return;
    whelk_session_options s;
    take(k, &s, sizeof s, o->session);
    if (k->code)
        return;
    pack_texts(k, &s.env, s.n_env);
    s.cwd = pack_text(k, s.cwd);
    s.user = pack_text(k, s.user);
    s.hostname = pack_text(k, s.hostname);
    if (s.limits) {
        whelk_limits l;
        take(k, &l, sizeof l, s.limits);
        s.limits = pack_bytes(k, &l, sizeof l);
    }
    pack_mounts(k, &s);
    pack_files(k, &s);
    o->session = pack_bytes(k, &s, sizeof s);
}

static void pack_options(struct pack *k, whelk_sandbox_options *o)
{
    const char **texts[] = {&o->workspace, &o->shell,        &o->network, &o->git_name,  &o->git_email,
                            &o->image,     &o->pull,         &o->platform, &o->endpoint, &o->setup_script,
                            &o->user,      &o->runtime,      &o->isolation, &o->workspace_path};
    void *self = pack_bytes(k, o, sizeof *o);
    for (size_t i = 0; i < WK_COUNTOF(texts); i++)
        *texts[i] = pack_text(k, *texts[i]);
    pack_texts(k, &o->env, o->n_env);
    pack_texts(k, &o->extra, o->n_extra);
    pack_secrets(k, o);
    pack_ports(k, o);
    pack_session(k, o);
    if (self)
        memcpy(self, o, sizeof *o);
}

int wk_sandbox_options_copy(struct wk_mem *m, const whelk_sandbox_options *from, whelk_sandbox_options **out)
{
    struct pack k = {0};
    for (int turn = 0; turn < 2; turn++) {
        whelk_sandbox_options o;
        take(&k, &o, sizeof o, from);
        if (!k.code)
            pack_options(&k, &o);
        if (k.code)
            break;
        if (!turn) {
            k.base = wk_alloc(m, k.at);
            if (!k.base)
                return WHELK_E_NOMEM;
            k.at = 0;
        }
    }
    if (k.code)
        wk_free(m, k.base);
    else
        *out = (whelk_sandbox_options *)(void *)k.base;
    return k.code;
}

/* ---- checks --------------------------------------------------------------------------------------- */

static int refuse(struct wk_buf *why, int code, const char *name, const char *value, const char *text)
{
    wk_buf_fmt(why, "%s%s%s%s: %s", name, value ? " \"" : "", value ? value : "", value ? "\"" : "", text);
    return code;
}

static bool one_of(const char *s, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(s, names[i]) == 0)
            return true;
    return false;
}

bool wk_sandbox_user(const char *text, uint32_t *uid, uint32_t *gid)
{
    struct wk_str s = wk_str_c(text);
    uint64_t u, g;
    int err;
    size_t n = wk_scan_u64(s, 10, &u, &err);
    if (!n || err || u >= UINT32_MAX || !wk_is_digit(s.p[0]))
        return false;
    g = u;
    if (n < s.n) {
        s = wk_str_from(s, n + 1);
        if (text[n] != ':' || !s.n || !wk_is_digit(s.p[0]) || wk_scan_u64(s, 10, &g, &err) != s.n || err ||
            g >= UINT32_MAX)
            return false;
    }
    *uid = (uint32_t)u;
    *gid = (uint32_t)g;
    return true;
}

static int check_secrets(const whelk_sandbox_options *o, struct wk_buf *why)
{
    for (size_t i = 0; i < o->n_secrets; i++) {
        const whelk_secret *s = &o->secrets[i];
        if (!s->name || !*s->name || strchr(s->name, '='))
            return refuse(why, WHELK_E_INVALID, "secrets", NULL, "one has no name that a variable can have");
        if (!s->value)
            return refuse(why, WHELK_E_INVALID, "secret", s->name, "has no value");
        if (strlen(s->value) > WK_SECRET_MAX)
            return refuse(why, WHELK_E_INVALID, "secret", s->name, "its value is longer than 65,536 bytes");
        for (size_t c = 0; c < s->n_commands; c++)
            if (!s->commands[c] || !*s->commands[c] || strchr(s->commands[c], '/'))
                return refuse(why, WHELK_E_INVALID, "secret", s->name, "a command's name is empty or has a slash");
    }
    return WHELK_OK;
}

static int check_ports(const whelk_sandbox_options *o, struct wk_buf *why)
{
    unsigned char inside[8192] = {0}, outside[8192] = {0};
    for (size_t i = 0; i < o->n_ports; i++) {
        uint16_t in = o->ports[i].inside, out = o->ports[i].outside;
        unsigned char a = (unsigned char)(1 << (in & 7)), b = (unsigned char)(1 << (out & 7));
        if (!in)
            return refuse(why, WHELK_E_INVALID, "ports", NULL, "port 0 inside");
        if (inside[in >> 3] & a || (out && outside[out >> 3] & b))
            return refuse(why, WHELK_E_INVALID, "ports", NULL, "a port is named twice");
        inside[in >> 3] |= a;
        outside[out >> 3] |= b;
    }
    return WHELK_OK;
}

static int check_words(const whelk_sandbox_options *o, struct wk_buf *why)
{
    static const char *const networks[] = {"none", "all"}, *const pulls[] = {"missing", "always", "never"},
                             *const isolations[] = {"none", "auto", "bwrap", "strict"};
    uint32_t uid, gid;
    if (o->network && !one_of(o->network, networks, 2))
        return refuse(why, WHELK_E_UNSUPPORTED, "network", o->network, "only \"none\" and \"all\" can be had");
    if (o->pull && !one_of(o->pull, pulls, 3))
        return refuse(why, WHELK_E_INVALID, "pull", o->pull, "is none of missing, always, never");
    if (o->isolation && !one_of(o->isolation, isolations, 4))
        return refuse(why, WHELK_E_INVALID, "isolation", o->isolation, "is none of none, auto, bwrap, strict");
    if (o->workspace && o->workspace[0] != '/')
        return refuse(why, WHELK_E_INVALID, "workspace", o->workspace, "is no absolute path");
    if (o->workspace_path && o->workspace_path[0] != '/')
        return refuse(why, WHELK_E_INVALID, "workspace_path", o->workspace_path, "is no absolute path");
    if (o->user && !wk_sandbox_user(o->user, &uid, &gid))
        return refuse(why, WHELK_E_INVALID, "user", o->user, "is no uid[:gid]");
    if (o->shell && !*o->shell)
        return refuse(why, WHELK_E_INVALID, "shell", o->shell, "is empty");
    if ((o->git_name && strpbrk(o->git_name, "\n<>")) || (o->git_email && strpbrk(o->git_email, "\n<> ")))
        return refuse(why, WHELK_E_INVALID, "git_name, git_email", NULL, "a line's end, < or > in one");
    return WHELK_OK;
}

int wk_sandbox_options_check(const whelk_sandbox_options *o, struct wk_buf *why)
{
    const char *bad;
    if (!wk_sandbox_env_ok(o->env, o->n_env, &bad))
        return refuse(why, WHELK_E_INVALID, "env", bad, "is no NAME=VALUE");
    if (!wk_sandbox_env_ok(o->extra, o->n_extra, &bad))
        return refuse(why, WHELK_E_INVALID, "extra", bad, "is no NAME=VALUE");
    if (o->delete_on_cleanup < WHELK_DEFAULT || o->delete_on_cleanup > WHELK_NO)
        return refuse(why, WHELK_E_INVALID, "delete_on_cleanup", NULL, "is no enum whelk_choice");
    if (o->background < WHELK_DEFAULT || o->background > WHELK_NO)
        return refuse(why, WHELK_E_INVALID, "background", NULL, "is no enum whelk_choice");
    if (o->timeout_ms < -1)
        return refuse(why, WHELK_E_INVALID, "timeout_ms", NULL, "is negative and not -1");
    if (o->setup_timeout_ms < -1)
        return refuse(why, WHELK_E_INVALID, "setup_timeout_ms", NULL, "is negative and not -1");
    int code = check_words(o, why);
    if (!code)
        code = check_secrets(o, why);
    if (!code)
        code = check_ports(o, why);
    return code;
}
