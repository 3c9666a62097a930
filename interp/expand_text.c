/* expand_text.c - parts of expansion that look at text alone: tilde, substitution output, matching,
 * quoting, splitting for read */
#include "base/err.h"
#include "base/utf8.h"
#include "interp/expand_parts.h"
#include "interp/run.h"
#include "text/printfmt/printfmt.h"

/* ---- tilde
 * -----------------------------------------------------------------------------------------------
 */

static bool copy_value(struct wk_shell *sh, uint32_t name, struct wk_str *out)
{
    char scratch[24];
    struct wk_str s;
    if (!wk_var_get(sh, name, scratch, &s))
        return false;
    char *p = wk_arena_strndup(&sh->arena, s.p, s.n);
    *out = wk_str(p, s.n);
    return p != NULL;
}

/* Field `want` (from 0) of a line of /etc/passwd. */
static struct wk_str passwd_field(struct wk_str line, unsigned want)
{
    while (want--) {
        ptrdiff_t colon = wk_str_chr(line, ':');
        if (colon < 0)
            return WK_STR("");
        line = wk_str_from(line, (size_t)colon + 1);
    }
    ptrdiff_t colon = wk_str_chr(line, ':');
    return colon < 0 ? line : wk_str_take(line, (size_t)colon);
}

/* The home directory of a user in the session's /etc/passwd. */
static bool user_home(struct wk_shell *sh, struct wk_str user, struct wk_str *out)
{
    enum { MOST = 64 * 1024 };
    struct wk_vfile *f;
    bool found = false;
    if (wk_vfs_open(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, WK_STR("/etc/passwd"), WK_O_RDONLY,
                    0, &f) != 0)
        return false;
    char *text = wk_vfile_kind(f) == WK_S_IFREG ? wk_alloc(sh->mem, MOST) : NULL;
    int64_t n = text ? wk_vfile_pread(f, text, MOST, 0) : 0;
    struct wk_str all = wk_str(text, n > 0 ? (size_t)n : 0);
    while (all.n && !found) {
        ptrdiff_t nl = wk_str_chr(all, '\n');
        struct wk_str line = nl < 0 ? all : wk_str_take(all, (size_t)nl);
        all = wk_str_from(all, line.n + 1);
        if (!wk_str_eq(passwd_field(line, 0), user))
            continue;
        struct wk_str home = passwd_field(line, 5);
        char *p = wk_arena_strndup(&sh->arena, home.p, home.n);
        *out = wk_str(p, home.n);
        found = p != NULL;
    }
    wk_free(sh->mem, text);
    wk_vfile_unref(f);
    return found;
}

bool wk_tilde(struct wk_shell *sh, struct wk_str text, struct wk_str *out)
{
    if (!text.n) {
        if (copy_value(sh, wk_known(sh, WK_KNOWN_HOME), out))
            return true;
        if (user_home(sh, wk_str_c(sh->k->user), out))
            return true;
        *out = WK_STR("/");
        return true;
    }
    if (text.n == 1 && text.p[0] == '+')
        return copy_value(sh, wk_known(sh, WK_KNOWN_PWD), out);
    if (text.n == 1 && text.p[0] == '-')
        return copy_value(sh, wk_known(sh, WK_KNOWN_OLDPWD), out);
    size_t i = text.p[0] == '+' || text.p[0] == '-';
    uint64_t n = 0;
    bool number = i < text.n;
    for (size_t j = i; j < text.n && number; j++) {
        number = wk_is_digit((unsigned char)text.p[j]) && n < UINT32_MAX;
        n = n * 10 + (unsigned)(text.p[j] - '0');
    }
    if (number) { /* ~2, ~+2, ~-0: the stack of directories */
        const struct wk_dirstack *d = sh->st->dirs;
        uint64_t depth = d ? d->n : 0;
        if (n > depth)
            return false;
        uint64_t at = text.p[0] == '-' ? depth - n : n;
        if (at == 0)
            return copy_value(sh, wk_known(sh, WK_KNOWN_PWD), out);
        *out = wk_val_str(d->v[depth - at]);
        return true;
    }
    return i == 0 && user_home(sh, text, out);
}

/* ---- command substitution
 * ---------------------------------------------------------------------------------- */

enum wk_flow wk_expand_command_sub(struct wk_shell *sh, const struct wk_seg *seg,
                                   struct wk_str *out)
{
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    const char *outer = sh->builtin_name; /* what runs inside is not that builtin */
    sh->builtin_name = NULL;
    enum wk_flow flow = wk_capture_command(sh, seg, &b);
    sh->builtin_name = outer;
    if (flow != WK_NEXT) {
        wk_buf_release(&b);
        return flow;
    }
    if (b.failed) {
        wk_buf_release(&b);
        return wk_sh_nomem(sh);
    }
    size_t n = b.n;
    if (n && memchr(b.p, '\0', n)) {
        size_t to = 0;
        for (size_t i = 0; i < n; i++)
            if (b.p[i])
                b.p[to++] = b.p[i];
        n = to;
        wk_sh_error(sh, "warning: command substitution: ignored null byte in input");
    }
    while (n && b.p[n - 1] == '\n')
        n--;
    char *p = wk_arena_strndup(&sh->arena, b.p, n);
    *out = wk_str(p, n);
    wk_buf_release(&b);
    return p ? WK_NEXT : wk_sh_nomem(sh);
}

/* ---- matching
 * -------------------------------------------------------------------------------------------------
 */

static enum wk_flow match(struct wk_shell *sh, struct wk_str text, struct wk_str pattern,
                          unsigned flags, bool *matched)
{
    const struct wk_pattern *p;
    struct wk_pattern_run run;
    if (!(flags & WK_PATTERN_NOCASE) && !memchr(pattern.p, '\\', pattern.n) &&
        !wk_pattern_has_magic(pattern, flags)) {
        *matched = wk_str_eq(text, pattern);
        return WK_NEXT;
    }
    int r = wk_shared_pattern_get(sh->shared, pattern, flags, &p);
    if (r)
        return wk_pattern_failed(sh, r);
    wk_pattern_run_init(sh, &run);
    r = wk_pattern_match(p, &run, text);
    wk_shared_pattern_done(sh->shared);
    *matched = r > 0;
    return r < 0 ? wk_pattern_failed(sh, r) : WK_NEXT;
}

enum wk_flow wk_match_text(struct wk_shell *sh, struct wk_str text, struct wk_str pattern,
                           bool nocase, bool *matched)
{
    return match(sh, text, pattern, wk_pattern_flags(sh, nocase), matched);
}

enum wk_flow wk_match_cond(struct wk_shell *sh, struct wk_str text, struct wk_str pattern,
                           bool nocase, bool *matched)
{
    return match(sh, text, pattern, wk_pattern_flags(sh, nocase) | WK_PATTERN_EXTGLOB, matched);
}

enum wk_flow wk_match_word(struct wk_shell *sh, struct wk_str text, const struct wk_word *pattern,
                           bool nocase, bool *matched)
{
    struct wk_str p;
    unsigned flags = wk_pattern_flags(sh, nocase);
    if (pattern && (pattern->flags & (WK_WORD_LITERAL | WK_WORD_GLOB)) == WK_WORD_LITERAL &&
        !(flags & (WK_PATTERN_NOCASE | WK_PATTERN_EXTGLOB))) {
        *matched = wk_str_eq(text, wk_word_text(pattern));
        return WK_NEXT;
    }
    enum wk_flow flow = wk_expand_case(sh, pattern, &p);
    return flow == WK_NEXT ? match(sh, text, p, flags, matched) : flow;
}

/* ---- quoting
 * ----------------------------------------------------------------------------------------------------
 */

bool wk_printable(struct wk_str s, bool bytes)
{
    for (size_t i = 0; i < s.n;) {
        uint32_t c;
        size_t n = wk_char_next(bytes, s.p + i, s.n - i, &c);
        if (wk_utf8_is_bad(c) || !wk_utf8_is(c, WK_CLASS_PRINT))
            return false;
        i += n;
    }
    return true;
}

const char *wk_shown_name(struct wk_shell *sh, struct wk_str name)
{
    struct wk_buf b;
    if (wk_printable(name, sh->st->bytes))
        return name.p;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    const char *p = wk_quote_single(&b, name, sh->st->bytes) ? wk_arena_strndup(&sh->arena, wk_buf_c(&b), b.n) : NULL;
    wk_buf_release(&b);
    return p ? p : name.p;
}

bool wk_quote_single(struct wk_buf *b, struct wk_str s, bool bytes)
{
    return wk_quote_text(b, s, WK_QUOTE_SINGLE | (bytes ? WK_QUOTE_BYTES : 0u));
}

bool wk_quote_plain(struct wk_buf *b, struct wk_str s)
{
    if (wk_str_is(s, "'"))
        return wk_buf_put_c(b, "\\'");
    wk_buf_putc(b, '\'');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\'')
            wk_buf_put_c(b, "'\\''");
        else
            wk_buf_putc(b, s.p[i]);
    }
    return wk_buf_putc(b, '\'');
}

bool wk_quote_if_needed(struct wk_buf *b, struct wk_str s, bool bytes)
{
    return wk_quote_text(b, s, WK_QUOTE_AS_NEEDED | (bytes ? WK_QUOTE_BYTES : 0u));
}

bool wk_quote_double(struct wk_buf *b, struct wk_str s, bool bytes)
{
    return wk_quote_text(b, s, WK_QUOTE_DOUBLE | (bytes ? WK_QUOTE_BYTES : 0u));
}

/* ---- read
 * ---------------------------------------------------------------------------------------------------------
 */

/* Does s.p[i] belong to no character? */
static bool is_stray(struct wk_str s, size_t i)
{
    size_t k = i;
    uint32_t c;
    while (k && i - k < 3 && wk_utf8_continues((unsigned char)s.p[k]))
        k--;
    size_t end = k + wk_utf8_next(s.p + k, s.n - k, &c);
    return k < i ? end <= i : wk_utf8_is_bad(c);
}

/* Is the character c, l bytes long, one of IFS? Of a value that is not UTF-8 the first character alone counts. */
static bool has_char(const struct wk_ifs *ifs, const char *c, size_t l)
{
    for (size_t j = 0, n; j < (ifs->stray ? 1 : ifs->text.n); j += n) {
        uint32_t u;
        n = wk_utf8_next(ifs->text.p + j, ifs->text.n - j, &u);
        if (n == l && memcmp(ifs->text.p + j, c, l) == 0)
            return true;
    }
    return false;
}

size_t wk_ifs_long(const struct wk_ifs *ifs, struct wk_str s, size_t i, bool read)
{
    uint32_t c;
    size_t l = wk_utf8_next(s.p + i, s.n - i, &c);
    if (!wk_utf8_is_bad(c))
        return has_char(ifs, s.p + i, l) ? l : 0;
    return read || is_stray(s, i); /* any byte of IFS */
}

/* Kind of the delimiter at s[i] (0 none, 1 white, 2 other) and its length. */
static inline unsigned delimiter_at(const struct wk_ifs *ifs, const char *s, size_t n, size_t i,
                                    const uint8_t *escaped, size_t *len)
{
    unsigned kind = escaped && escaped[i] ? 0 : ifs->kind[(unsigned char)s[i]];
    *len = 1;
    if (WK_LIKELY(kind < 3))
        return kind;
    *len = wk_ifs_long(ifs, wk_str(s, n), i, true);
    return *len ? 2 : 0;
}

size_t wk_split_read(const struct wk_ifs *ifs, char *s, size_t n, struct wk_str *out, size_t max,
                     const uint8_t *escaped)
{
    size_t count = 0, i = 0, len;
    while (i < n && delimiter_at(ifs, s, n, i, escaped, &len) == 1)
        i++;
    while (i < n && count < max) {
        size_t from = i, kind = 0;
        if (count + 1 == max) {
            /* The rest, without white space behind it, be it escaped; a lone other delimiter at the very
             * end goes too, and a single field keeps what is escaped. */
            size_t end = i, last = n;
            while (end < n && !(kind = delimiter_at(ifs, s, n, end, escaped, &len)))
                end++;
            size_t field_end = end;
            bool only = true;
            if (kind) {
                size_t j = end;
                while (j < n && delimiter_at(ifs, s, n, j, escaped, &len) == 1)
                    j++;
                if (j < n && delimiter_at(ifs, s, n, j, escaped, &len) == 2) {
                    j += len;
                    while (j < n && delimiter_at(ifs, s, n, j, escaped, &len) == 1)
                        j++;
                }
                only = j == n;
            }
            if (only)
                last = field_end;
            else
                while (last > from && delimiter_at(ifs, s, n, last - 1, NULL, &len) == 1)
                    last--;
            out[count++] = wk_str(s + from, last - from);
            break;
        }
        while (i < n && !(kind = delimiter_at(ifs, s, n, i, escaped, &len)))
            i++;
        out[count++] = wk_str(s + from, i - from);
        if (i >= n)
            break;
        bool other = kind == 2;
        i += len;
        while (i < n) {
            kind = delimiter_at(ifs, s, n, i, escaped, &len);
            if (kind == 2 && !other && len == 1) {
                other = true;
                i += len;
            } else if (kind == 1) {
                i++;
            } else {
                break;
            }
        }
    }
    return count;
}

/* ---- bodies of here-documents that cannot be expanded ----------------------------------------- */

/* Does ${… lack its end behind an operator, and not only behind the name? */
static bool has_operator(struct wk_str s)
{
    size_t i = 2;
    while (i < s.n && (s.p[i] == '!' || s.p[i] == '#'))
        i++;
    while (i < s.n && wk_is_name_char((unsigned char)s.p[i]))
        i++;
    if (i < s.n && s.p[i] == '[')
        i = wk_var_subscript_end(s, i) + 1;
    return i < s.n && memchr(":-=?+#%/^,~", s.p[i], 11);
}

enum wk_flow wk_tell_bad_doc(struct wk_shell *sh, struct wk_str whole, struct wk_str wrong)
{
    const char *closing = wk_str_starts(wrong, WK_STR("`"))     ? "\"`\""
                          : wk_str_starts(wrong, WK_STR("$(("))  ? "`)'"
                          : wk_str_starts(wrong, WK_STR("$["))   ? "`]'"
                          : wk_str_starts(wrong, WK_STR("${")) && has_operator(wrong) ? "`}'"
                                                                 : NULL;
    struct wk_str text = wk_str_starts(wrong, WK_STR("`")) ? wrong : whole;
    int n = (int)WK_MIN(text.n, (size_t)INT32_MAX);
    if (closing)
        wk_sh_error(sh, "bad substitution: no closing %s in %.*s", closing, n, text.p);
    else if (wk_str_starts(wrong, WK_STR("$(")))
        wk_tell_syntax(sh, wk_str_from(wrong, 1), sh->line + 1, "command substitution");
    else
        wk_sh_error(sh, "%.*s: bad substitution", n, text.p);
    bool syntax = !closing && wk_str_starts(wrong, WK_STR("$("));
    if (syntax && wk_opt(sh, ERREXIT) && !sh->now.noerrexit && !sh->interactive) {
        sh->status = 2;
        return WK_EXIT;
    }
    return wk_sh_discard(sh);
}
