/* json_in.c - just enough JSON reading for one request line of the benchmark protocol */
#include "bench/json_in.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    const char *p, *end;
    int depth;
};

static struct json_value *parse_value(struct reader *r);

static void skip_blanks(struct reader *r)
{
    while (r->p < r->end && strchr(" \t\r\n", *r->p) && *r->p)
        r->p++;
}

static bool take(struct reader *r, char c)
{
    skip_blanks(r);
    if (r->p >= r->end || *r->p != c)
        return false;
    r->p++;
    return true;
}

static bool hex4(struct reader *r, unsigned *out)
{
    *out = 0;
    if (r->end - r->p < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        char c = *r->p++;
        unsigned d = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                            : 16;
        if (d > 15)
            return false;
        *out = *out * 16 + d;
    }
    return true;
}

static size_t put_utf8(char *out, unsigned c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    out[0] = (char)((0xf00 >> n & 0xff) | c);
    return n;
}

static bool escape(struct reader *r, char *out, size_t *n)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (r->p >= r->end)
        return false;
    char c = *r->p++;
    const char *at = strchr(from, c);
    if (at && c) {
        out[(*n)++] = to[at - from];
        return true;
    }
    unsigned u, low;
    if (c != 'u' || !hex4(r, &u))
        return false;
    if (u >= 0xd800 && u < 0xdc00 && r->end - r->p >= 6 && r->p[0] == '\\' && r->p[1] == 'u') {
        r->p += 2;
        if (!hex4(r, &low))
            return false;
        u = 0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00);
    }
    *n += put_utf8(out + *n, u);
    return true;
}

static char *parse_string(struct reader *r, size_t *len)
{
    if (!take(r, '"'))
        return NULL;
    char *out = malloc((size_t)(r->end - r->p) + 5);
    size_t n = 0;
    while (out && r->p < r->end && *r->p != '"') {
        if (*r->p != '\\') {
            out[n++] = *r->p++;
        } else {
            r->p++;
            if (!escape(r, out, &n))
                break;
        }
    }
    if (!out || r->p >= r->end || *r->p != '"') {
        free(out);
        return NULL;
    }
    r->p++;
    out[n] = '\0';
    *len = n;
    return out;
}

static bool parse_members(struct reader *r, struct json_value *v, char close)
{
    struct json_value **at = &v->first;
    if (take(r, close))
        return true;
    do {
        char *key = NULL;
        size_t n;
        if (v->kind == JSON_OBJECT) {
            skip_blanks(r);
            key = parse_string(r, &n);
            if (!key || !take(r, ':')) {
                free(key);
                return false;
            }
        }
        struct json_value *child = parse_value(r);
        if (!child) {
            free(key);
            return false;
        }
        child->key = key;
        *at = child;
        at = &child->next;
    } while (take(r, ','));
    return take(r, close);
}

static bool parse_word(struct reader *r, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0)
        return false;
    r->p += n;
    return true;
}

static bool fill_value(struct reader *r, struct json_value *v)
{
    skip_blanks(r);
    if (r->p >= r->end)
        return false;
    switch (*r->p) {
    case '"':
        v->kind = JSON_STRING;
        v->text = parse_string(r, &v->text_len);
        return v->text != NULL;
    case '{':
    case '[':
        v->kind = *r->p == '{' ? JSON_OBJECT : JSON_ARRAY;
        r->p++;
        return parse_members(r, v, v->kind == JSON_OBJECT ? '}' : ']');
    case 't':
    case 'f':
        v->kind = JSON_BOOL;
        v->truth = *r->p == 't';
        return parse_word(r, v->truth ? "true" : "false");
    case 'n':
        return parse_word(r, "null");
    default: {
        char *end;
        v->kind = JSON_NUMBER;
        v->number = strtod(r->p, &end);
        bool ok = end > r->p && end <= r->end;
        r->p = end;
        return ok;
    }
    }
}

static struct json_value *parse_value(struct reader *r)
{
    struct json_value *v = r->depth < 32 ? calloc(1, sizeof *v) : NULL;
    if (!v)
        return NULL;
    r->depth++;
    bool ok = fill_value(r, v);
    r->depth--;
    if (ok)
        return v;
    json_free(v);
    return NULL;
}

struct json_value *json_parse(const char *s, size_t n)
{
    struct reader r = {s, s + n, 0};
    struct json_value *v = parse_value(&r);
    skip_blanks(&r);
    if (v && r.p != r.end) {
        json_free(v);
        v = NULL;
    }
    return v;
}

void json_free(struct json_value *v)
{
    while (v) {
        struct json_value *next = v->next;
        json_free(v->first);
        free(v->key);
        free(v->text);
        free(v);
        v = next;
    }
}

const struct json_value *json_get(const struct json_value *v, const char *key)
{
    for (v = v && v->kind == JSON_OBJECT ? v->first : NULL; v; v = v->next)
        if (v->key && strcmp(v->key, key) == 0)
            return v;
    return NULL;
}
