/* test_keep.c - what is kept of a stream, against all of it */
#include "adapters/sandbox/keep.h"
#include "whelk/sandbox.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static struct wk_mem *mem;

static void open_mem(void)
{
    mem = wk_mem_new(SIZE_MAX);
}

static void close_mem(void)
{
    cr_expect_eq(wk_mem_used(mem), 0);
    wk_mem_unref(mem);
}

TestSuite(keep, .init = open_mem, .fini = close_mem);

/* Puts text in pieces of so many bytes; what is kept, as a string to be freed. */
static char *kept(int how, size_t max, const char *text, size_t n, size_t piece)
{
    struct wk_keep k;
    wk_keep_init(&k, mem, how, max);
    for (size_t at = 0; at < n; at += piece)
        wk_keep_put(&k, text + at, n - at < piece ? n - at : piece);
    cr_assert_eq(k.total, n);
    cr_assert_eq(wk_keep_is_cut(&k), n > max);
    char *out = malloc(wk_keep_room(&k) + 1);
    size_t len = wk_keep_write(&k, out);
    cr_assert_leq(len, wk_keep_room(&k));
    out[len] = '\0';
    wk_keep_release(&k);
    return out;
}

#define KEPT(how, max, text, want)                                                                  \
    do {                                                                                            \
        for (size_t piece_ = 1; piece_ < 40; piece_++) {                                            \
            char *got_ = kept(how, max, text, strlen(text), piece_);                                \
            cr_expect_str_eq(got_, want, "in pieces of %zu: %s", piece_, got_);                     \
            free(got_);                                                                             \
        }                                                                                           \
    } while (0)

Test(keep, all_of_what_fits)
{
    KEPT(WHELK_KEEP_HEAD_TAIL, 10, "0123456789", "0123456789");
    KEPT(WHELK_KEEP_HEAD, 10, "0123456789", "0123456789");
    KEPT(WHELK_KEEP_TAIL, 10, "0123456789", "0123456789");
    KEPT(WHELK_KEEP_TAIL, 10, "", "");
}

Test(keep, the_middle_is_left_out)
{
    KEPT(WHELK_KEEP_HEAD_TAIL, 10, "0123456789abcdef", "01234\n[… 6 bytes left out …]\nbcdef");
    KEPT(WHELK_KEEP_HEAD_TAIL, 9, "abc\n456789abcdef", "abc\n[… 7 bytes left out …]\nbcdef");
}

Test(keep, the_end_or_the_beginning_is_left_out)
{
    KEPT(WHELK_KEEP_HEAD, 4, "0123456789", "0123\n[… 6 bytes left out …]\n");
    KEPT(WHELK_KEEP_TAIL, 4, "0123456789", "[… 6 bytes left out …]\n6789");
}

Test(keep, no_character_is_cut)
{
    KEPT(WHELK_KEEP_HEAD_TAIL, 6, "aä€äöü€", "aä\n[… 9 bytes left out …]\n€");
    KEPT(WHELK_KEEP_HEAD, 3, "a€b", "a\n[… 4 bytes left out …]\n");
    KEPT(WHELK_KEEP_TAIL, 2, "a€", "[… 4 bytes left out …]\n");
    KEPT(WHELK_KEEP_HEAD, 4, "a€bc", "a€\n[… 2 bytes left out …]\n");
}

Test(keep, large_numbers_have_commas)
{
    char note[WK_KEEP_NOTE], text[WK_KEEP_NOTE + 1];
    static const struct {
        uint64_t n;
        const char *want;
    } of[] = {{0, "[… 0 bytes left out …]\n"},
              {999, "[… 999 bytes left out …]\n"},
              {1234567, "[… 1,234,567 bytes left out …]\n"},
              {UINT64_MAX, "[… 18,446,744,073,709,551,615 bytes left out …]\n"}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        snprintf(text, sizeof text, "%.*s", (int)wk_keep_note(of[i].n, note), note);
        cr_expect_str_eq(text, of[i].want);
    }
}

Test(keep, against_all_of_it)
{
    char text[4000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('A' + i % 23);
    for (size_t n = 0; n <= sizeof text; n += 37)
        for (size_t max = 1; max < 3000; max = max * 3 + 1)
            for (size_t piece = 1; piece < 5000; piece = piece * 7 + 1) {
                char *got = kept(WHELK_KEEP_HEAD_TAIL, max, text, n, piece);
                size_t head = n < max / 2 ? n : max / 2, tail = n <= max ? n - head : max - max / 2, len = strlen(got);
                cr_assert_eq(memcmp(got, text, head), 0);
                cr_assert_eq(memcmp(got + len - tail, text + n - tail, tail), 0);
                cr_assert(n > max || len == n);
                free(got);
            }
}

Test(keep, a_gap_is_left_out_too)
{
    struct wk_keep k;
    char out[256];
    wk_keep_init(&k, mem, WHELK_KEEP_HEAD_TAIL, 100);
    wk_keep_put(&k, "front\n", 6);
    wk_keep_skip(&k, 1000);
    wk_keep_put(&k, "behind", 6);
    cr_assert(wk_keep_is_cut(&k));
    out[wk_keep_write(&k, out)] = '\0';
    cr_expect_str_eq(out, "front\n[… 1,000 bytes left out …]\nbehind");
    wk_keep_release(&k);
}

Test(keep, memory_may_fail)
{
    for (uint64_t at = 1; at < 6; at++) {
        struct wk_keep k;
        wk_keep_init(&k, mem, WHELK_KEEP_HEAD_TAIL, 100000);
        mem->fail_at = mem->count + at;
        for (int i = 0; i < 1000; i++)
            wk_keep_put(&k, "some hundred bytes, or as many as there are in this very line of text here", 74);
        cr_assert_eq(k.total, 74000);
        cr_assert(k.failed, "allocation %llu", (unsigned long long)at);
        mem->fail_at = 0;
        wk_keep_release(&k);
    }
}
