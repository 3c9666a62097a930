/* file_data.c - data that no line of magic can know: tar archives, JSON, comma-separated values */
#include "builtins/file.h"

static bool tell(struct wk_probe *p, const char *text, const char *mime)
{
    if (p->say == WK_FILE_TEXT)
        wk_buf_put_c(p->out, text);
    else if (p->say == WK_FILE_MIME && p->mime_type)
        wk_buf_put_c(p->out, mime);
    p->printed = p->printed || p->say == WK_FILE_TEXT || (p->say == WK_FILE_MIME && p->mime_type);
    p->separator = true;
    return true;
}

/* ---- tar ---------------------------------------------------------------------------------------
 */

static int64_t octal_field(const char *p, size_t n)
{
    int64_t v = 0;
    size_t i = 0;
    while (i < n && wk_is_space(p[i]))
        i++;
    if (i == n)
        return -1;
    for (; i < n && p[i] >= '0' && p[i] <= '7'; i++)
        v = v << 3 | (p[i] - '0');
    return i < n && p[i] && !wk_is_space(p[i]) ? -1 : v;
}

bool wk_probe_tar(struct wk_probe *p)
{
    const char *d = p->data.p;
    if (p->data.n < 512)
        return false;
    int64_t want = octal_field(d + 148, 8), sum = 0;
    for (size_t i = 0; i < 512; i++)
        sum += i >= 148 && i < 156 ? ' ' : (unsigned char)d[i];
    if (sum != want || sum == 8 * ' ')
        return false;
    const char *text = memcmp(d + 257, "ustar  ", 8) == 0 ? "POSIX tar archive (GNU)"
                       : memcmp(d + 257, "ustar", 6) == 0 ? "POSIX tar archive"
                                                          : "tar archive";
    return tell(p, text, "application/x-tar");
}

/* ---- JSON --------------------------------------------------------------------------------------
 */

enum { JSON_DEPTH = 500 };

struct json {
    struct wk_str s;
    size_t at;
    bool closed; /* an array or object was read */
};

static void skip_space(struct json *j)
{
    while (j->at < j->s.n && (j->s.p[j->at] == ' ' || j->s.p[j->at] == '\t' ||
                              j->s.p[j->at] == '\n' || j->s.p[j->at] == '\r'))
        j->at++;
}

static char look(const struct json *j)
{
    return j->at < j->s.n ? j->s.p[j->at] : '\0';
}

static bool json_string(struct json *j)
{
    while (j->at < j->s.n) {
        char ch = j->s.p[j->at++];
        if (ch == '"')
            return true;
        if (ch != '\\')
            continue;
        ch = look(j);
        j->at++;
        if (ch == 'u') {
            for (int i = 0; i < 4; i++, j->at++)
                if (!wk_is_xdigit(look(j)))
                    return false;
        } else if (!ch || !strchr("\"\\/bfnrt", ch)) {
            return false;
        }
    }
    return false;
}

static bool json_number(struct json *j)
{
    bool digits = false;
    if (look(j) == '-')
        j->at++;
    for (; wk_is_digit(look(j)); digits = true)
        j->at++;
    if (look(j) == '.')
        j->at++;
    for (; wk_is_digit(look(j)); digits = true)
        j->at++;
    if (digits && (look(j) | 0x20) == 'e') {
        j->at++;
        if (look(j) == '+' || look(j) == '-')
            j->at++;
        bool power = false;
        for (; wk_is_digit(look(j)); power = true)
            j->at++;
        return power;
    }
    return digits;
}

static bool json_word(struct json *j, const char *word)
{
    if (!wk_str_starts(wk_str_from(j->s, j->at), wk_str_c(word)))
        return false;
    j->at += strlen(word);
    return true;
}

/* "name": of an object. */
static bool json_key(struct json *j)
{
    skip_space(j);
    if (look(j) != '"')
        return false;
    j->at++;
    if (!json_string(j))
        return false;
    skip_space(j);
    if (look(j) != ':')
        return false;
    j->at++;
    return true;
}

/* What is open is kept on a stack of its own. */
static bool json_value(struct wk_probe *p, struct json *j)
{
    char open[JSON_DEPTH];
    int depth = 0;
    for (;;) {
        wk_tick(p->c, 1);
        skip_space(j);
        char ch = look(j);
        bool closed = false;
        if (ch == '{' || ch == '[') {
            if (depth == JSON_DEPTH)
                return false;
            open[depth++] = ch;
            j->at++;
            skip_space(j);
            if (look(j) == (ch == '{' ? '}' : ']'))
                closed = true;
            else if (ch == '{' && !json_key(j))
                return false;
            if (!closed)
                continue;
        } else if (ch == ']' && depth && open[depth - 1] == '[') {
            closed = true; /* after a comma */
        } else if (ch == '"') {
            j->at++;
            if (!json_string(j))
                return false;
        } else if (!(wk_is_digit(ch) || ch == '-'
                         ? json_number(j)
                         : json_word(j, "true") || json_word(j, "false") || json_word(j, "null"))) {
            return false;
        }
        /* A value has ended: so may those around it. */
        while (depth) {
            skip_space(j);
            ch = look(j);
            char close = open[depth - 1] == '{' ? '}' : ']';
            if (ch == close) {
                j->at++;
                depth--;
                j->closed = true;
                closed = false;
                continue;
            }
            if (ch != ',' || closed)
                return false;
            j->at++;
            if (close == '}' && !json_key(j))
                return false;
            break;
        }
        if (!depth)
            return true;
    }
}

bool wk_probe_json(struct wk_probe *p)
{
    struct json j = {.s = p->data};
    skip_space(&j);
    if (look(&j) != '{' && look(&j) != '[')
        return false;
    int values = 0;
    for (; j.at < j.s.n; values++) {
        if (!json_value(p, &j) || !j.closed)
            return false;
        skip_space(&j);
    }
    return tell(p, values > 1 ? "New Line Delimited JSON text data" : "JSON text data",
                values > 1 ? "application/x-ndjson" : "application/json");
}

/* ---- comma-separated values --------------------------------------------------------------------
 */

enum { CSV_LINES = 10 };

/* Behind the quote that ends what began before `at`; two of them stand for one. */
static size_t behind_quote(struct wk_str s, size_t at)
{
    bool quote = false;
    for (; at < s.n; at++) {
        if (s.p[at] == '"')
            quote = !quote;
        else if (quote)
            return at;
    }
    return s.n;
}

bool wk_probe_csv(struct wk_probe *p)
{
    struct wk_str s = p->data;
    size_t commas = 0, want = 0, lines = 0;
    if (!p->text)
        return false;
    for (size_t i = 0; i < s.n && lines < CSV_LINES; i++) {
        if (i % 64 == 0)
            wk_tick(p->c, 1);
        if (s.p[i] == '"') {
            i = behind_quote(s, i + 1) - 1;
        } else if (s.p[i] == ',') {
            commas++;
        } else if (s.p[i] == '\n') {
            lines++;
            if (!want)
                want = commas;
            if (!want || want != commas)
                return false;
            commas = 0;
        }
    }
    return lines > 2 && tell(p, "CSV text", "text/csv");
}

bool wk_probe_cdf(struct wk_probe *p)
{
    if (p->data.n < 512 || memcmp(p->data.p, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8) != 0)
        return false;
    return tell(p, "Composite Document File V2 Document, Cannot read section info",
                "application/CDFV2");
}
