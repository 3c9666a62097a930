/* test_blake2b.c - BLAKE2b and SM3: vectors that b2sum and cksum gave, and every cutting of the
 * input */
#include "base/blake2b.h"
#include "base/sm3.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void to_hex(const unsigned char *d, size_t n, char out[129])
{
    for (size_t i = 0; i < n; i++)
        sprintf(out + 2 * i, "%02x", d[i]);
}

static void blake2b(size_t size, const char *p, size_t n, size_t cut, char out[129])
{
    struct wk_blake2b s;
    unsigned char d[WK_BLAKE2B_MAX];
    wk_blake2b_init(&s, size);
    for (; n > cut; p += cut, n -= cut)
        wk_blake2b_add(&s, p, cut);
    wk_blake2b_add(&s, p, n);
    to_hex(d, wk_blake2b_finish(&s, d), out);
}

static void sm3(const char *p, size_t n, size_t cut, char out[129])
{
    struct wk_sm3 s;
    unsigned char d[WK_SM3_SIZE];
    wk_sm3_init(&s);
    for (; n > cut; p += cut, n -= cut)
        wk_sm3_add(&s, p, cut);
    wk_sm3_add(&s, p, n);
    to_hex(d, wk_sm3_finish(&s, d), out);
}

/* The lines that seq 1000 prints. */
static size_t numbers(char out[4000])
{
    size_t n = 0;
    for (int i = 1; i <= 1000; i++)
        n += (size_t)sprintf(out + n, "%d\n", i);
    return n;
}

Test(blake2b, vectors)
{
    char out[129], text[4000];
    blake2b(64, "abc", 3, 99, out);
    cr_expect_str_eq(out, "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                          "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
    blake2b(20, text, numbers(text), 999, out);
    cr_expect_str_eq(out, "476d60d88fa70da334f3a577e6e76e7a4a8500e8");
}

Test(blake2b, sm3_vectors)
{
    char out[129], text[4000];
    sm3("abc", 3, 99, out);
    cr_expect_str_eq(out, "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0");
    sm3(text, numbers(text), 999, out);
    cr_expect_str_eq(out, "297fb19ad214364d8ac619526d0e1260f093ae2494488346d9581b86cc27f139");
}

Test(blake2b, cutting_changes_nothing)
{
    char text[4000], whole[129], parts[129];
    numbers(text);
    for (size_t n = 0; n < 300; n++) {
        for (size_t cut = 1; cut < 140; cut += 7) {
            blake2b(64, text, n, 4000, whole);
            blake2b(64, text, n, cut, parts);
            cr_assert_str_eq(parts, whole, "BLAKE2b of %zu bytes by %zu", n, cut);
            sm3(text, n, 4000, whole);
            sm3(text, n, cut, parts);
            cr_assert_str_eq(parts, whole, "SM3 of %zu bytes by %zu", n, cut);
        }
    }
}
