/* test_redact.c - secrets in streams: whole, cut anywhere, overlapping, against a plain search */
#include "plan_box.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static whelk_sandbox *box;

static void close_box(void)
{
    whelk_sandbox_close(box);
    box = NULL;
    plan_reset();
}

TestSuite(redact, .fini = close_box);

static void open_with(const char *const *values, size_t n)
{
    whelk_secret s[16];
    whelk_sandbox_options o;
    whelk_sandbox_options_init(&o);
    for (size_t i = 0; i < n; i++)
        s[i] = (whelk_secret){.size = sizeof s[i], .name = "S", .value = values[i]};
    o.secrets = s;
    o.n_secrets = n;
    whelk_sandbox_close(box);
    box = plan_open(&o);
}

static void add(void *ctx, const char *p, size_t n)
{
    wk_buf_put(ctx, p, n);
}

/* What passes of text in pieces of so many bytes. */
static void pass(struct wk_buf *out, const char *text, size_t n, size_t piece)
{
    struct wk_redact r;
    wk_redact_init(&r, box);
    for (size_t at = 0; at < n; at += piece)
        wk_redact_pass(&r, text + at, n - at < piece ? n - at : piece, false, add, out);
    wk_redact_pass(&r, NULL, 0, true, add, out);
    wk_redact_release(&r);
}

static void expect(const char *text, const char *want)
{
    for (size_t piece = 1; piece <= strlen(text) + 1; piece++) {
        struct wk_buf out;
        wk_buf_init(&out, box->mem, 1 << 20);
        pass(&out, text, strlen(text), piece);
        cr_expect_str_eq(wk_buf_c(&out), want, "%s in pieces of %zu: %s", text, piece, wk_buf_c(&out));
        wk_buf_release(&out);
    }
}

Test(redact, values_become_stars)
{
    static const char *const v[] = {"hunter2", "tok_en"};
    open_with(v, 2);
    expect("the password is hunter2, not hunter3", "the password is ***, not hunter3");
    expect("hunter2hunter2tok_en", "*********");
    expect("hunter", "hunter");
    expect("hunthunter2", "hunt***");
    expect("tok_tok_enen", "tok_***en");
    expect("", "");
}

Test(redact, overlapping_values_become_one)
{
    static const char *const v[] = {"abc", "bcd", "cdefg", "x"};
    open_with(v, 4);
    expect("abcd", "***");
    expect("abcdefg.", "***.");
    expect("abcdef", "***ef");
    expect("zxz", "z***z");
    expect("abxcdefg", "ab******");
}

Test(redact, one_inside_of_another)
{
    static const char *const v[] = {"b", "d", "abcde", "zabcdefg"};
    open_with(v, 4);
    expect("abcde", "***");
    expect("abcd!", "a***c***!");
    expect("zabcdef", "z***f");
    expect("zabcdefg", "***");
    expect("zabcd", "za***c***");
}

Test(redact, runs_of_one_byte)
{
    static const char *const v[] = {"aaa"};
    open_with(v, 1);
    expect("aaaaaaaaaaaa", "***");
    expect("aa", "aa");
    expect("baab", "baab");
    expect("baaab", "b***b");
}

Test(redact, without_secrets_all_passes_at_once)
{
    struct wk_redact r;
    struct wk_buf out;
    box = plan_open(NULL);
    wk_redact_init(&r, box);
    cr_assert(r.idle);
    wk_buf_init(&out, box->mem, 100);
    wk_redact_pass(&r, "abc", 3, false, add, &out);
    cr_expect_str_eq(wk_buf_c(&out), "abc");
    wk_buf_release(&out);
    wk_redact_release(&r);
}

Test(redact, nothing_is_kept_back_without_need)
{
    static const char *const v[] = {"secret"};
    struct wk_redact r;
    struct wk_buf out;
    open_with(v, 1);
    wk_redact_init(&r, box);
    wk_buf_init(&out, box->mem, 100);
    wk_redact_pass(&r, "prompt: se", 10, false, add, &out);
    cr_expect_str_eq(wk_buf_c(&out), "prompt: ");
    wk_redact_pass(&r, "cret", 4, false, add, &out);
    cr_expect_str_eq(wk_buf_c(&out), "prompt: ***");
    wk_buf_release(&out);
    wk_redact_release(&r);
}

/* Which bytes lie in some value, by looking everywhere. */
static void plain(const char *const *v, size_t n_v, const char *text, size_t n, char *out)
{
    bool *in = calloc(n + 1, 1), *from = calloc(n + 1, 1);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n_v; k++) {
            size_t len = strlen(v[k]);
            if (i + len > n || memcmp(text + i, v[k], len))
                continue;
            /* Values that only touch are two. */
            memset(in + i, 1, len);
            for (size_t j = 1; j < len; j++)
                from[i + j] = true;
        }
    for (size_t i = 0; i < n; i++)
        if (!in[i])
            *out++ = text[i];
        else if (!from[i] || !i || !in[i - 1])
            out += sprintf(out, "***");
    *out = '\0';
    free(in);
    free(from);
}

Test(redact, against_a_plain_search)
{
    struct wk_rng rng;
    wk_rng_seed(&rng, 7);
    for (int turn = 0; turn < 400; turn++) {
        char values[8][12];
        const char *v[8];
        size_t n_v = 1 + wk_rng_below(&rng, 8), n = wk_rng_below(&rng, 200);
        for (size_t k = 0; k < n_v; k++) {
            size_t len = 1 + wk_rng_below(&rng, 10);
            for (size_t i = 0; i < len; i++)
                values[k][i] = (char)('a' + wk_rng_below(&rng, 2));
            values[k][len] = '\0';
            v[k] = values[k];
        }
        char text[200], want[1000];
        for (size_t i = 0; i < n; i++)
            text[i] = (char)('a' + wk_rng_below(&rng, turn % 2 ? 2 : 3));
        open_with(v, n_v);
        plain(v, n_v, text, n, want);
        for (size_t piece = 1; piece < 60; piece += 1 + piece / 4) {
            struct wk_buf out;
            wk_buf_init(&out, box->mem, 4000);
            pass(&out, text, n, piece);
            cr_assert_str_eq(wk_buf_c(&out), want, "turn %d, pieces of %zu", turn, piece);
            wk_buf_release(&out);
        }
    }
}

Test(redact, long_values_in_a_long_stream)
{
    enum { LONG = 65536 };
    char *value = malloc(LONG + 1), *text = malloc(20 * LONG);
    memset(value, 'a', LONG);
    value[LONG] = '\0';
    const char *v[] = {value, "b"};
    open_with(v, 2);
    struct wk_buf out;
    wk_buf_init(&out, box->mem, 1 << 24);
    /* Beginnings that come to nothing: each byte is still looked at a few times at most. */
    memset(text, 'a', 20 * LONG);
    for (size_t i = 0; i < 20; i++)
        text[i * LONG + LONG - 1] = 'c';
    pass(&out, text, 20 * LONG, 4096);
    cr_assert_eq(out.n, 20 * LONG);
    cr_assert_eq(memcmp(out.p, text, out.n), 0);
    wk_buf_reset(&out);
    memset(text, 'a', 20 * LONG);
    pass(&out, text, 20 * LONG, 4096);
    cr_assert_str_eq(wk_buf_c(&out), "***");
    wk_buf_release(&out);
    free(value);
    free(text);
}

Test(redact, memory_may_fail)
{
    static const char *const v[] = {"secret"};
    open_with(v, 1);
    for (uint64_t at = 1; at <= 2; at++) {
        struct wk_buf out;
        wk_buf_init(&out, box->mem, 4000);
        box->mem->fail_at = box->mem->count + at;
        wk_redact_text(box, wk_str_c("a secret"), 100, &out);
        box->mem->fail_at = 0;
        cr_expect_str_eq(wk_buf_c(&out), "***");
        wk_buf_release(&out);
    }
}
