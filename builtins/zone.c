/* zone.c - the time zone of a process, and times as text */
#include "builtins/zone.h"

#include "builtins/fsops.h"

static void release_buf(void *b)
{
    wk_buf_release((struct wk_buf *)b);
}

struct wk_buf *wk_cmd_buf(struct wk_cmd *c, size_t max)
{
    struct wk_buf *b = wk_new(c, struct wk_buf);
    wk_buf_init(b, wk_heap_mem(c->heap), max);
    wk_heap_own(c->heap, b, release_buf);
    return b;
}

static void release_zone(void *tz)
{
    wk_tz_free((struct wk_tz *)tz);
}

static struct wk_tz *from_file(struct wk_cmd *c, const char *name)
{
    const char *dir = wk_cmd_env(c, "TZDIR");
    const char *path = *name == '/' ? name : wk_join_path(c, dir && *dir ? dir : "/usr/share/zoneinfo", name);
    struct wk_file *f;
    struct wk_tz *tz = NULL;
    struct wk_stat st;
    if (strstr(path, "/../") || wk_at_stat(c, NULL, path, true, &st) || !WK_S_ISREG(st.mode) ||
        wk_cmd_open(c, path, WK_O_RDONLY, 0, &f))
        return NULL;
    struct wk_in *in = wk_in_of(c, f, path);
    in->owned = true;
    char *bytes = (char *)wk_heap_alloc(c->heap, 65536);
    size_t n = wk_in_read(in, bytes, 65536);
    wk_in_close(in);
    if (n && wk_tz_file(wk_heap_mem(c->heap), wk_str(bytes, n), &tz))
        tz = NULL;
    wk_heap_free(c->heap, bytes);
    return tz;
}

static const struct wk_tz *owned(struct wk_cmd *c, struct wk_tz *tz)
{
    if (!tz)
        return wk_tz_utc();
    wk_heap_own(c->heap, tz, release_zone);
    return tz;
}

const struct wk_tz *wk_zone_named(struct wk_cmd *c, const char *name)
{
    struct wk_tz *tz = NULL;
    name += *name == ':';
    if (!*name)
        return wk_tz_utc();
    if (strcmp(name, "localtime") == 0 || strcmp(name, "/etc/localtime") == 0)
        return owned(c, from_file(c, "/etc/localtime"));
    tz = from_file(c, name);
    if (!tz && wk_tz_posix(wk_heap_mem(c->heap), wk_str_c(name), &tz))
        tz = NULL;
    return owned(c, tz);
}

const struct wk_tz *wk_zone_of(struct wk_cmd *c)
{
    const char *name = wk_cmd_env(c, "TZ");
    return wk_zone_named(c, name ? name : "/etc/localtime");
}

int64_t wk_instant_ns(struct wk_instant t)
{
    int64_t ns;
    if (__builtin_mul_overflow(t.sec, INT64_C(1000000000), &ns) ||
        __builtin_add_overflow(ns, (int64_t)t.nsec, &ns))
        return t.sec < 0 ? INT64_MIN : INT64_MAX - 2;
    return ns;
}

void wk_instant_text(struct wk_cmd *c, struct wk_buf *b, const struct wk_tz *tz, struct wk_str format,
                     struct wk_instant t)
{
    struct wk_tm tm;
    wk_buf_reset(b);
    if (!wk_tz_local(tz, t, &tm))
        wk_buf_put_i64(b, t.sec);
    else if (!wk_strftime(b, format, &tm))
        wk_heap_exhausted(c->heap);
}

void wk_zone_text(struct wk_cmd *c, struct wk_buf *b, const struct wk_tz *tz, struct wk_str format,
                  int64_t ns)
{
    wk_instant_text(c, b, tz, format, wk_instant_of(ns));
}

static int named_zone(void *ctx, struct wk_str name, const struct wk_tz **out)
{
    struct wk_cmd *c = (struct wk_cmd *)ctx;
    *out = wk_zone_named(c, wk_dupn(c, name.p, name.n));
    return 0;
}

struct wk_date_reader wk_zone_reader(struct wk_cmd *c, const struct wk_tz *tz)
{
    return (struct wk_date_reader){.now = wk_instant_of(wk_cmd_now(c)), .tz = tz, .zone_named = named_zone, .ctx = c};
}

bool wk_instant_parse(struct wk_cmd *c, const struct wk_tz *tz, const char *text, int64_t now_ns,
                      struct wk_instant *out)
{
    struct wk_date_reader r = wk_zone_reader(c, tz);
    r.now = wk_instant_of(now_ns);
    return wk_date_read(&r, wk_str_c(text), out) == 0;
}

bool wk_zone_parse(struct wk_cmd *c, const struct wk_tz *tz, const char *text, int64_t now_ns,
                   int64_t *ns)
{
    struct wk_instant t;
    if (!wk_instant_parse(c, tz, text, now_ns, &t))
        return false;
    *ns = wk_instant_ns(t);
    return true;
}
