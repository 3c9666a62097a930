/* fuzz_base.c - number, duration, size, UTF-8 and base64 readers on any bytes, with what must hold
 */
#include "base/base64.h"
#include "base/err.h"
#include "base/fnum.h"
#include "base/num.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_utf8(struct wk_str s)
{
    size_t chars = wk_utf8_count(s), left, back = 0;
    if (wk_utf8_offset(s, chars, &left) != s.n || left)
        __builtin_trap();
    for (size_t n = s.n; n; back++)
        n -= wk_utf8_prev(s.p, n);
    if (back != chars)
        __builtin_trap();
}

/* A value printed with enough digits reads back as itself. */
static void check_double(struct wk_mem *m, struct wk_str s)
{
    double v, again;
    long double lv;
    int err;
    size_t n = wk_scan_double(s, &v, &err);
    if (n != wk_scan_ldouble(s, &lv, &err))
        __builtin_trap();
    if (n == 0 || !(v - v <= 0))
        return;
    struct wk_buf b;
    wk_buf_init(&b, m, 1000);
    wk_buf_put_double(&b, v, &(struct wk_fnum){.conv = 'e', .precision = 16});
    if (wk_parse_double(wk_buf_str(&b), &again) == -WK_EINVAL || again < v || again > v)
        __builtin_trap();
    wk_buf_release(&b);
}

static void check_base64(struct wk_mem *m, struct wk_str s)
{
    struct wk_buf coded, plain;
    wk_buf_init(&coded, m, 1 << 24);
    wk_buf_init(&plain, m, 1 << 24);
    wk_base64_put(&coded, s);
    if (wk_base64_get(&plain, wk_buf_str(&coded)) || !wk_str_eq(wk_buf_str(&plain), s))
        __builtin_trap();
    wk_buf_reset(&plain);
    (void)!wk_base64_get(&plain, s);
    wk_buf_release(&coded);
    wk_buf_release(&plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wk_mem *m = wk_mem_new(1 << 26);
    struct wk_str s = wk_str((const char *)data, size);
    int64_t i;
    uint64_t u;
    if (!m)
        return 0;
    (void)!wk_parse_i64(s, 0, &i);
    (void)!wk_parse_u64(s, 36, &u);
    (void)!wk_parse_size(s, true, &u);
    (void)!wk_parse_duration(s, &i);
    check_utf8(s);
    check_double(m, s);
    check_base64(m, s);
    if (wk_mem_used(m))
        __builtin_trap();
    wk_mem_unref(m);
    return 0;
}
