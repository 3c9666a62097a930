/* test_inode.c - directory trees and contents at size: against a sorted array and a plain buffer,
 * with older versions held and checked */
#include "vfs/inode.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t next_random(uint64_t *s)
{
    *s = *s * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*s >> 33);
}

enum { NAMES = 3000 };

struct version {
    struct wk_block *root;
    bool in[NAMES];
};

static struct wk_str name_of(unsigned i, char *buf)
{
    /* long common beginnings and short names both */
    int n = i % 3 ? sprintf(buf, "file-number-%u", i * 7919 % NAMES) : sprintf(buf, "%u", i);
    return wk_str(buf, (size_t)n);
}

static void check_version(const struct version *v)
{
    char buf[32], prev[32] = "";
    struct wk_dcursor c;
    struct wk_dent *e;
    size_t want = 0, got = 0;
    for (unsigned i = 0; i < NAMES; i++) {
        struct wk_str s = name_of(i, buf);
        e = wk_dtree_find(v->root, wk_dent_key(s), s);
        cr_assert_eq(e != NULL, v->in[i]);
        cr_assert(!e || e->val == i);
        want += v->in[i];
    }
    wk_dcursor_start(&c, v->root);
    while ((e = wk_dcursor_next(&c)) != NULL) {
        cr_assert_lt(strcmp(prev, e->name->s), 0);
        strcpy(prev, e->name->s);
        got++;
    }
    cr_assert_eq(got, want);
    for (size_t skip = 0; skip < want; skip += 97) {
        wk_dcursor_start(&c, v->root);
        wk_dcursor_skip(&c, skip);
        size_t left = 0;
        while (wk_dcursor_next(&c))
            left++;
        cr_assert_eq(left, want - skip);
    }
}

static void dtree_round(struct wk_mem *m, uint64_t seed)
{
    struct wk_bctx c = {.mem = m};
    static struct version now, old;
    memset(&now, 0, sizeof now);
    memset(&old, 0, sizeof old);
    char buf[32];
    for (int step = 0; step < 20000; step++) {
        unsigned i = next_random(&seed) % NAMES;
        bool growing = step / 5000 % 2 == 0;
        struct wk_str s = name_of(i, buf);
        m->fail_at = next_random(&seed) % 4 == 0 ? m->count + 1 + next_random(&seed) % 4 : 0;
        if (!now.in[i] && (growing || next_random(&seed) % 8 == 0)) {
            struct wk_name *n = wk_name_new(&c, s.p, s.n);
            if (n && wk_dtree_reserve(&c, &now.root, wk_dent_key(s), s) == 0) {
                wk_dtree_insert(now.root, wk_dent_key(s), n, i);
                now.in[i] = true;
            }
            wk_block_drop(&c, n);
        } else if (now.in[i] && (!growing || next_random(&seed) % 8 == 0)) {
            if (wk_dtree_own(&c, &now.root, wk_dent_key(s), s) == 0) {
                wk_dtree_remove(&c, &now.root, wk_dent_key(s), s);
                now.in[i] = false;
            }
        }
        m->fail_at = 0;
        if (step % 2500 == 2499) {
            check_version(&now);
            check_version(&old);
            wk_block_drop(&c, old.root);
            old = now;
            wk_block_ref(now.root);
        }
        if (step % 64 == 0)
            wk_block_reap(&c, 8);
    }
    for (unsigned i = 0; i < NAMES; i++) { /* down to nothing */
        struct wk_str s = name_of(i, buf);
        if (!now.in[i])
            continue;
        cr_assert_eq(wk_dtree_own(&c, &now.root, wk_dent_key(s), s), 0);
        wk_dtree_remove(&c, &now.root, wk_dent_key(s), s);
        now.in[i] = false;
    }
    cr_expect_null(now.root);
    check_version(&old);
    wk_block_drop(&c, old.root);
    wk_block_reap(&c, SIZE_MAX);
}

Test(inode, directory_trees, .timeout = 100)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    for (uint64_t seed = 1; seed <= 5; seed++)
        dtree_round(m, seed);
    cr_expect_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
}

/* ---- contents -------------------------------------------------------------------------------- */

enum { FILE_MAX = 6 << 20 };

struct plain {
    struct wk_block *data;
    uint64_t size, held;
    uint8_t *bytes; /* FILE_MAX */
};

static void check_contents(const struct plain *p)
{
    static uint8_t got[FILE_MAX];
    uint64_t held = 0;
    wk_content_read(p->data, got, (size_t)p->size, 0);
    cr_assert_eq(memcmp(got, p->bytes, (size_t)p->size), 0);
    for (uint64_t i = 0; i < FILE_MAX >> WK_CHUNK_BITS; i++) {
        struct wk_chunk *k = wk_content_chunk(p->data, i);
        held += k ? k->len : 0;
    }
    cr_assert_eq(held, p->held);
    uint64_t at = wk_content_seek(p->data, 0, false);
    for (uint64_t i = 0; i < WK_MIN(at, p->size); i++)
        cr_assert_eq(p->bytes[i], 0);
}

static void write_plain(struct wk_bctx *c, struct plain *p, uint64_t off, size_t n, uint8_t fill)
{
    static uint8_t src[WK_CHUNK_SIZE];
    memset(src, fill, sizeof src);
    while (n > 0) {
        size_t part = WK_MIN(n, (size_t)(WK_CHUNK_SIZE - (off & (WK_CHUNK_SIZE - 1))));
        uint64_t grown;
        int err = wk_content_write(c, &p->data, src, part, off, UINT64_MAX, &grown);
        if (err)
            return;
        memset(p->bytes + off, fill, part);
        p->held += grown;
        off += part;
        n -= part;
        p->size = WK_MAX(p->size, off);
    }
}

static void content_round(struct wk_mem *m, uint64_t seed)
{
    struct wk_bctx c = {.mem = m};
    struct plain now = {.bytes = calloc(1, FILE_MAX)}, old = {.bytes = calloc(1, FILE_MAX)};
    for (int step = 0; step < 600; step++) {
        uint64_t off = next_random(&seed) % (FILE_MAX - 200000);
        if (next_random(&seed) % 3 == 0)
            off = next_random(&seed) % 40000;
        m->fail_at = next_random(&seed) % 3 == 0 ? m->count + 1 + next_random(&seed) % 6 : 0;
        if (next_random(&seed) % 4) {
            write_plain(&c, &now, off, next_random(&seed) % 100000, (uint8_t)(step | 1));
        } else if (off < now.size || next_random(&seed) % 2) {
            uint64_t freed = 0;
            if (off >= now.size || wk_content_cut(&c, &now.data, off, &freed) == 0) {
                if (off < now.size)
                    memset(now.bytes + off, 0, (size_t)(now.size - off));
                now.size = off;
                now.held -= freed;
            }
        }
        m->fail_at = 0;
        if (step % 60 == 59) {
            check_contents(&now);
            check_contents(&old);
            wk_block_drop(&c, old.data);
            memcpy(old.bytes, now.bytes, FILE_MAX);
            old.data = wk_block_ref(now.data);
            old.size = now.size;
            old.held = now.held;
        }
    }
    wk_block_drop(&c, now.data);
    wk_block_drop(&c, old.data);
    wk_block_reap(&c, SIZE_MAX);
    free(now.bytes);
    free(old.bytes);
}

Test(inode, contents, .timeout = 100)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    for (uint64_t seed = 1; seed <= 4; seed++)
        content_round(m, seed);
    cr_expect_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
}
