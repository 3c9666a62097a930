/* test_md5.c - MD5, SHA-1 and both CRCs: vectors, and every cutting of the input */
#include "base/crc32.h"
#include "base/md5.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void digest(bool sha1, const char *p, size_t n, size_t cut, char out[41])
{
    struct wk_md s;
    unsigned char d[WK_SHA1_SIZE];
    if (sha1)
        wk_sha1_init(&s);
    else
        wk_md5_init(&s);
    for (; n > cut; p += cut, n -= cut)
        wk_md_add(&s, p, cut);
    wk_md_add(&s, p, n);
    size_t len = wk_md_finish(&s, d);
    for (size_t i = 0; i < len; i++)
        sprintf(out + 2 * i, "%02x", d[i]);
}

/* What the tool prints first for the first n bytes of data. */
static void tool_says(const char *tool, const char *data, size_t n, char out[60])
{
    char cmd[300];
    snprintf(cmd, sizeof cmd, "printf %%s '%.*s' | %s", (int)n, data, tool);
    FILE *f = popen(cmd, "r");
    cr_assert(f && fgets(out, 60, f));
    pclose(f);
    out[strcspn(out, " \n")] = 0;
}

Test(md5, equal_to_the_tools)
{
    char data[200], want[60], got[60];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)('a' + i * 11 % 26);
    for (size_t n = 0; n<140; n += n % 64> 50 ? 1 : 7) {
        tool_says("md5sum", data, n, want);
        digest(false, data, n, n % 17 + 1, got);
        cr_assert_str_eq(got, want, "MD5 of %zu", n);
        tool_says("sha1sum", data, n, want);
        digest(true, data, n, n % 17 + 1, got);
        cr_assert_str_eq(got, want, "SHA-1 of %zu", n);
        tool_says("cksum", data, n, want);
        uint32_t crc = wk_cksum_add(0, data, n / 3);
        crc = wk_cksum_add(crc, data + n / 3, n - n / 3);
        snprintf(got, sizeof got, "%u", wk_cksum_finish(crc, n));
        cr_assert_str_eq(got, want, "cksum of %zu", n);
    }
}

Test(md5, crc_of_gzip)
{
    cr_assert_eq(wk_crc32(0, "123456789", 9), 0xcbf43926u);
    cr_assert_eq(wk_crc32(wk_crc32(0, "1234", 4), "56789", 5), 0xcbf43926u);
    cr_assert_eq(wk_crc32(0, "", 0), 0);
}
