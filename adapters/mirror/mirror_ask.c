/* mirror_ask.c - requests to the box that are under way */
#include "adapters/mirror/mirror_parts.h"

struct wk_mirror_flight *wk_mirror_flight_new(struct wk_mirror *m, size_t pair, struct wk_str path)
{
    struct wk_mirror_flight *f = WK_NEW(m->mem, struct wk_mirror_flight);
    if (!f)
        return NULL;
    f->m = m;
    f->path = wk_mirror_box_path(m, pair, path);
    if (f->path)
        return f;
    wk_free(m->mem, f);
    return NULL;
}

void wk_mirror_flight_free(struct wk_mirror_flight *f)
{
    struct wk_mem *mem = f->m->mem;
    wk_vfile_unref(f->file);
    wk_free(mem, f->path);
    wk_free(mem, f->data);
    wk_free(mem, f);
}

static void land(struct wk_mirror_flight *f)
{
    struct wk_mirror *m = f->m;
    *f->link = f->next;
    if (f->next)
        f->next->link = f->link;
    m->n_flights--;
    m->bytes_under_way -= f->bytes;
}

static void on_entry(void *ctx, const whelk_file_entry *e)
{
    wk_mirror_entry_told(ctx, e);
}

static void on_data(void *ctx, const void *p, size_t n)
{
    wk_mirror_entry_data(ctx, p, n);
}

static void on_done(void *ctx, int code, uint64_t size, const char *text)
{
    struct wk_mirror_flight *f = ctx;
    (void)size;
    (void)text;
    land(f);
    f->done(f, code);
    wk_mirror_flight_free(f);
}

bool wk_mirror_ask(struct wk_mirror_flight *f, whelk_file_request *r)
{
    static const whelk_file_events events = {
        .size = sizeof events, .entry = on_entry, .data = on_data, .done = on_done};
    struct wk_mirror *m = f->m;
    r->size = sizeof *r;
    r->path = f->path;
    f->next = m->flights;
    f->link = &m->flights;
    if (f->next)
        f->next->link = &f->next;
    m->flights = f;
    m->n_flights++;
    m->bytes_under_way += f->bytes;
    int code = m->kind->file(m->box, r, &events, f);
    if (code == WHELK_OK)
        return false; /* it may be gone already */
    land(f);
    if (code != WHELK_E_AGAIN)
        f->done(f, code);
    wk_mirror_flight_free(f);
    return code == WHELK_E_AGAIN;
}

void wk_mirror_drop_flights(struct wk_mirror *m)
{
    while (m->flights) {
        struct wk_mirror_flight *f = m->flights;
        land(f);
        wk_mirror_flight_free(f);
    }
}

bool wk_mirror_is_full(const struct wk_mirror *m, uint64_t bytes)
{
    if (m->n_flights == 0)
        return false;
    uint64_t room = WK_MIRROR_WINDOW - WK_MIN(m->bytes_under_way, (uint64_t)WK_MIRROR_WINDOW);
    return m->n_flights >= WK_MIRROR_REQUESTS || (m->bytes_under_way > 0 && bytes > room);
}
