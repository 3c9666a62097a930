/* human.c - sizes in blocks or with unit letters, as ls, du and df print them */
#include "builtins/human.h"

#include "base/num.h"
#include "kern/cmd.h"

bool wk_block_size_parse(const char *text, struct wk_block_size *out)
{
    *out = (struct wk_block_size){.unit = 1};
    text += *text == '\'';
    if (strcmp(text, "human-readable") == 0 || strcmp(text, "si") == 0) {
        out->base = *text == 'h' ? 1024 : 1000;
        return true;
    }
    bool bare = !wk_is_digit(*text);
    char with_one[16] = "1";
    size_t n = strlen(text);
    if (bare) { /* "K" alone: the letter is printed as well */
        if (n == 0 || n > 3)
            return false;
        memcpy(with_one + 1, text, n + 1);
        memcpy(out->suffix, text, n + 1);
        if (n == 2 && out->suffix[0] == 'K')
            out->suffix[0] = 'k'; /* "kB": the letter of powers of 1000 */
    }
    return wk_parse_size(wk_str_c(bare ? with_one : text), true, &out->unit) == 0 && out->unit > 0;
}

void wk_block_size_read(struct wk_cmd *c, const char *option, const char *text, int status,
                        struct wk_block_size *out)
{
    uint64_t v;
    if (wk_block_size_parse(text, out))
        return;
    const char *digits = text + (*text == '\'' || *text == '-');
    int r = wk_parse_size(wk_str_c(digits), true, &v);
    if (r == -WK_ERANGE)
        wk_fail(c, status, "%s argument '%s' too large", option, text);
    bool known = wk_is_digit(*digits) || (*digits && strchr("EGkKmMPTYZ", *digits));
    bool suffix = r == -WK_EINVAL && known;
    wk_fail(c, status, "invalid %s%s argument '%s'", suffix ? "suffix in " : "", option, text);
}

size_t wk_human_size(char out[WK_HUMAN_MAX], uint64_t bytes, const struct wk_block_size *s)
{
    static const char letters[] = "\0KMGTPEZY";
    size_t n;
    if (!s->base) {
        n = wk_fmt_u64(out, bytes / s->unit + (bytes % s->unit != 0), 10);
        for (const char *p = s->suffix; *p; p++)
            out[n++] = *p;
        return n;
    }
    if (bytes < s->base)
        return wk_fmt_u64(out, bytes, 10);
    unsigned e = 0;
    uint64_t unit = 1;
    while (bytes / unit >= s->base) {
        unit *= s->base;
        e++;
    }
    uint64_t whole = bytes / unit, rest = bytes % unit;
    /* Tenths rounded up; units are powers, so ten times the rest may pass 64 bits. */
    uint64_t tenth = rest > UINT64_MAX / 10 ? rest / (unit / 10) + (rest % (unit / 10) != 0)
                                            : rest * 10 / unit + (rest * 10 % unit != 0);
    if (whole < 10 && tenth == 10) {
        whole++;
        tenth = 0;
    }
    if (whole < 10) {
        n = wk_fmt_u64(out, whole, 10);
        out[n++] = '.';
        out[n++] = (char)('0' + tenth);
    } else {
        whole += rest != 0 && !(whole == 10 && bytes / unit == 9);
        if (whole == s->base) {
            e++;
            memcpy(out, "1.0", 3);
            n = 3;
        } else {
            n = wk_fmt_u64(out, whole, 10);
        }
    }
    out[n++] = e == 1 && s->base == 1000 ? 'k' : letters[e];
    return n;
}
