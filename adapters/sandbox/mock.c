/* mock.c - sandboxes for tests: making and freeing mocks (whelk/sandbox_mock.h) */
#include "adapters/sandbox/mock.h"

#include "adapters/sandbox/code.h"

static whelk_mock *new_mock(const whelk_sandbox_kind *table)
{
    struct wk_mem *mem = wk_mem_new((size_t)4 * WK_MOCK_MOST);
    whelk_mock *m = mem ? WK_NEW(mem, struct whelk_mock) : NULL;
    if (!m) {
        wk_mem_unref(mem);
        return NULL;
    }
    m->mem = mem;
    m->table = *table;
    m->table.ctx = m;
    m->hides.mem = mem;
    wk_buf_init(&m->text, mem, 2 * WK_MOCK_MOST);
    wk_buf_init(&m->error, mem, 65536);
    return m;
}

int whelk_mock_record(const whelk_sandbox_kind *kind, whelk_mock **out)
{
    if (!out)
        return WHELK_E_INVALID;
    *out = NULL;
    if (!kind || kind->size < sizeof *kind || !kind->name)
        return WHELK_E_INVALID;
    whelk_mock *m = new_mock(&wk_mock_record_kind);
    if (!m)
        return WHELK_E_NOMEM;
    m->inner = kind;
    m->table.name = kind->name;
    m->kind = wk_mock_copy(m, kind->name);
    if (m->failed) {
        whelk_mock_free(m);
        return WHELK_E_NOMEM;
    }
    *out = m;
    return WHELK_OK;
}

int whelk_mock_replay(const char *text, size_t n, whelk_mock **out)
{
    if (!out)
        return WHELK_E_INVALID;
    *out = NULL;
    if (!text && n)
        return WHELK_E_INVALID;
    whelk_mock *m = new_mock(&wk_mock_replay_kind);
    if (!m)
        return WHELK_E_NOMEM;
    *out = m;
    int code = n > WK_MOCK_MOST ? WHELK_E_INVALID : wk_mock_read(m, wk_str(text, n));
    if (n > WK_MOCK_MOST)
        wk_buf_put_c(&m->error, "it is longer than 64 MiB");
    if (code == WHELK_E_NOMEM) {
        whelk_mock_free(m);
        *out = NULL;
    } else if (m->kind) {
        m->table.name = m->kind;
    }
    return code;
}

const whelk_sandbox_kind *whelk_mock_kind(const whelk_mock *m)
{
    return m ? &m->table : NULL;
}

const char *whelk_mock_text(whelk_mock *m, size_t *n)
{
    if (n)
        *n = 0;
    if (!m || m->failed)
        return NULL;
    wk_mock_write(m);
    if (m->text.failed)
        return NULL;
    if (n)
        *n = m->text.n;
    return wk_buf_c(&m->text);
}

const char *whelk_mock_left(whelk_mock *m)
{
    for (size_t i = 0; m && i < m->n; i++)
        if (!m->blocks[i]->used && !m->blocks[i]->always)
            return m->blocks[i]->head;
    return NULL;
}

const char *whelk_mock_error(const whelk_mock *m)
{
    return m ? wk_buf_c(&m->error) : whelk_strerror(WHELK_E_NOMEM);
}

static void free_block(struct wk_mem *mem, struct wk_mock_block *k)
{
    for (size_t i = 0; i < k->n; i++) {
        wk_free(mem, k->items[i].text);
        wk_free(mem, k->items[i].text2);
    }
    wk_free(mem, k->items);
    wk_free(mem, k->head);
    wk_free(mem, k);
}

void whelk_mock_free(whelk_mock *m)
{
    if (!m)
        return;
    struct wk_mem *mem = m->mem;
    char *texts[] = {m->kind, m->workspace, m->home, m->shell, m->path, m->description, m->refusal};
    for (size_t i = 0; i < WK_COUNTOF(texts); i++)
        wk_free(mem, texts[i]);
    for (size_t i = 0; i < m->n; i++)
        free_block(mem, m->blocks[i]);
    for (size_t i = 0; i < m->n_env; i++)
        wk_free(mem, m->env[i]);
    wk_free(mem, m->blocks);
    wk_free(mem, m->env);
    wk_free(mem, m->ports);
    wk_mock_unhide(m);
    wk_buf_release(&m->text);
    wk_buf_release(&m->error);
    wk_free(mem, m);
    wk_mem_unref(mem);
}
