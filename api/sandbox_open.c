/* sandbox_open.c - sandboxes by the names of their kinds */
#include "api/sandbox_inprocess.h"

#include "adapters/host/host.h"
#include "adapters/sandbox/sandbox.h"
#include "api/internal.h"

static const whelk_sandbox_kind *const kinds[] = {&wk_inprocess_kind, &wk_docker_kind, &wk_host_kind};

const whelk_sandbox_kind *wk_sandbox_kind_named(const char *name)
{
    for (size_t i = 0; i < WK_COUNTOF(kinds); i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

static int open_nothing(void *ctx, const whelk_sandbox_options *o, const whelk_opening *with, void **box,
                        whelk_box_facts *facts)
{
    const char *name = ctx;
    char text[128];
    static const char end[] = ": no such kind of sandbox: inprocess, docker or host";
    size_t n = strlen(name);
    (void)o, (void)box, (void)facts;
    n = WK_MIN(n, sizeof text - sizeof end);
    memcpy(text, name, n);
    memcpy(text + n, end, sizeof end);
    with->error(with->ctx, text);
    return WHELK_E_UNSUPPORTED;
}

const whelk_sandbox_kind *whelk_sandbox_kind_named(const char *name)
{
    return name ? wk_sandbox_kind_named(name) : NULL;
}

int whelk_sandbox_open(const char *kind, const whelk_sandbox_options *options, whelk_sandbox **out)
{
    if (!out)
        return WHELK_E_INVALID;
    *out = NULL;
    if (!kind)
        return WHELK_E_INVALID;
    const whelk_sandbox_kind *k = wk_sandbox_kind_named(kind);
    if (k)
        return whelk_sandbox_open_kind(k, options, out);
    union {
        const char *in;
        void *out;
    } name = {.in = kind};
    whelk_sandbox_kind none = wk_inprocess_kind; /* a table without gaps; it does not get far */
    none.name = "none";
    none.open = open_nothing;
    none.ctx = name.out;
    return whelk_sandbox_open_kind(&none, options, out);
}

static int reap_docker(const whelk_sandbox_options *options)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    whelk_sandbox_options *o = NULL;
    struct wk_buf words;
    if (!m)
        return WHELK_E_NOMEM;
    wk_buf_init(&words, m, 65536);
    int n = wk_sandbox_options_copy(m, options, &o);
    if (!n)
        n = wk_docker_reap(o, &words);
    wk_buf_release(&words);
    wk_free(m, o);
    wk_mem_unref(m);
    return n;
}

int whelk_sandbox_reap(const char *kind, const whelk_sandbox_options *options)
{
    if (!kind)
        return WHELK_E_INVALID;
    const whelk_sandbox_kind *k = wk_sandbox_kind_named(kind);
    if (k == &wk_docker_kind)
        return reap_docker(options);
    if (k == &wk_host_kind)
        return wk_host_reap();
    return k ? 0 : WHELK_E_UNSUPPORTED; /* sessions end with their program */
}
