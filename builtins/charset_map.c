/* charset_map.c - character sets of several bytes a character, read from their maps
 *
 * The maps (builtins/charsets/, see tools/make_charset_maps.py) are text. A set is read when a
 * command asks for it.
 */
#include "builtins/charset_map.h"
#include "base/num.h"
#include "base/utf8.h"

static const unsigned char maps[] = {
#include "charsets.inc"
};

enum { NONE = -1, ROW = 94, LEAD_THREE = 0x8f };

/* ---- entries -----------------------------------------------------------------------------------
 */

/* Where what a code stands for is kept; NULL: no such code. */
static uint32_t *slot(struct wk_charset_map *m, uint32_t code)
{
    if (code < 0x100)
        return &m->one[code];
    if (code < 0x10000)
        return code >= 0x8000 ? &m->two[code - 0x8000] : NULL;
    uint32_t hi = (code >> 8 & 255) - 0xa1, lo = (code & 255) - 0xa1;
    return code >> 16 == LEAD_THREE && hi < ROW && lo < ROW ? &m->three[hi * ROW + lo] : NULL;
}

static void add_far(struct wk_charset_map *m, uint32_t c, uint32_t code)
{
    if (m->nfar == m->far_cap) {
        m->far_cap = m->far_cap ? 2 * m->far_cap : 256;
        m->far = (struct wk_charset_far *)wk_heap_realloc(m->c->heap, m->far,
                                                          m->far_cap * sizeof *m->far);
    }
    m->far[m->nfar++] = (struct wk_charset_far){c, code};
}

static void add_joined(struct wk_charset_map *m, uint32_t c, uint32_t code)
{
    if (m->njoined == m->joined_cap) {
        m->joined_cap = m->joined_cap ? 2 * m->joined_cap : 256;
        m->joined = (struct wk_charset_far *)wk_heap_realloc(m->c->heap, m->joined, m->joined_cap * sizeof *m->joined);
    }
    m->joined[m->njoined++] = (struct wk_charset_far){c, code};
}

/* `read`, `write`: the directions that it counts for. */
static void add(struct wk_charset_map *m, uint32_t code, uint32_t c, bool read, bool write)
{
    uint32_t *at = slot(m, code);
    if (at && read)
        *at = c;
    if (write && c < 0x10000)
        m->code[c] = code;
    else if (write && !(c & WK_CHARSET_PAIR))
        add_far(m, c, code);
}

/* ---- sections ----------------------------------------------------------------------------------
 */

/* How codes of a base become a set's own. */
struct change {
    uint32_t plus;
    bool sjis;
};

static uint32_t changed(const struct change *how, uint32_t code)
{
    if (!how->sjis)
        return code + how->plus;
    uint32_t hi = code >> 8, lo = code & 255, row = (hi - 0x21) / 2;
    uint32_t lead = row < 0x1f ? row + 0x81 : row + 0xc1;
    uint32_t trail = hi & 1 ? lo + 0x1f + (lo >= 0x60) : lo + 0x7e;
    return lead << 8 | trail;
}

static uint32_t hex(struct wk_str *s)
{
    uint64_t v = 0;
    int err;
    size_t n = wk_scan_u64(*s, 16, &v, &err);
    *s = wk_str_from(*s, n);
    if (s->n && s->p[0] == ' ')
        *s = wk_str_from(*s, 1);
    return (uint32_t)v;
}

static void forget(struct wk_charset_map *m, uint32_t code, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *at = slot(m, code + i);
        if (at)
            *at = (uint32_t)NONE;
        if (code + i < 0x10000)
            m->gone[(code + i) / 8] |= (unsigned char)(1u << (code + i) % 8);
    }
    m->any_gone = true;
}

/* Characters whose codes are gone have none. */
static void forget_writing(struct wk_charset_map *m)
{
    for (uint32_t c = 0; m->any_gone && c < 0x10000; c++) {
        uint32_t code = m->code[c];
        if (code < 0x10000 && (m->gone[code / 8] >> code % 8 & 1))
            m->code[c] = (uint32_t)NONE;
    }
    if (m->any_gone)
        memset(m->gone, 0, 0x10000 / 8);
    m->any_gone = false;
    wk_tick(m->c, 64);
}

static void read_escaped(struct wk_charset_map *m, struct wk_str s, const struct change *how,
                         bool read, bool write)
{
    uint32_t code = changed(how, hex(&s)), c = hex(&s);
    if (s.n && m->npairs < WK_COUNTOF(m->pair)) {
        m->pair[m->npairs][0] = c;
        m->pair[m->npairs][1] = hex(&s);
        c = WK_CHARSET_PAIR | (uint32_t)m->npairs++;
        write = false;
    }
    add(m, code, c, read, write);
}

static void read_line(struct wk_charset_map *m, struct wk_str s, const struct change *how)
{
    char kind = s.p[0];
    bool read = kind != '>', write = kind != '<';
    if (kind == '-') {
        s = wk_str_from(s, 1);
        uint32_t code = hex(&s);
        forget(m, changed(how, code), hex(&s));
        return;
    }
    forget_writing(m);
    if (kind == '!') {
        struct wk_str t = wk_str_from(s, 1);
        uint32_t c = hex(&t);
        if (c < 0x10000)
            m->code[c] = (uint32_t)NONE;
        return;
    }
    if (kind == '*') {
        struct wk_str t = wk_str_from(s, 1);
        uint32_t code = hex(&t);
        add_joined(m, hex(&t), code);
        return;
    }
    if (kind == '#') {
        struct wk_str t = wk_str_from(s, 1);
        if (m->nranges < WK_COUNTOF(m->range)) {
            struct wk_charset_range *r = &m->range[m->nranges++];
            r->linear = hex(&t);
            r->c = hex(&t);
            r->n = hex(&t);
        }
        return;
    }
    if (kind == '<' || kind == '>')
        s = wk_str_from(s, 1);
    if (s.p[0] == '=') {
        read_escaped(m, wk_str_from(s, 1), how, read, write);
        return;
    }
    uint32_t code = hex(&s);
    for (size_t i = 0; i < s.n; code++) {
        uint32_t c;
        i += wk_utf8_next(s.p + i, s.n - i, &c);
        if (c != 0xfffd)
            add(m, changed(how, code), c, read, write);
    }
}

static bool read_section(struct wk_charset_map *m, const char *name, const struct change *how,
                         int depth);

/* "[NAME BASE +8080]" */
static void read_base(struct wk_charset_map *m, struct wk_str head, const struct change *outer,
                      int depth)
{
    char base[32] = "";
    ptrdiff_t blank = wk_str_chr(head, ' ');
    if (blank < 0)
        return;
    head = wk_str_from(head, (size_t)blank + 1);
    blank = wk_str_chr(head, ' ');
    struct wk_str word = blank < 0 ? head : wk_str_take(head, (size_t)blank);
    if (word.n >= sizeof base)
        return;
    memcpy(base, word.p, word.n);
    struct change how = *outer;
    struct wk_str rest = blank < 0 ? WK_STR("") : wk_str_from(head, (size_t)blank + 1);
    how.sjis = how.sjis || wk_str_is(rest, "sjis");
    if (rest.n && rest.p[0] == '+') {
        rest = wk_str_from(rest, 1);
        how.plus += hex(&rest);
    }
    if (strcmp(base, "ASCII") == 0)
        for (uint32_t c = 0; c < 128; c++)
            add(m, c, c, true, true);
    else
        (void)read_section(m, base, &how, depth + 1);
}

static bool read_section(struct wk_charset_map *m, const char *name, const struct change *how,
                         int depth)
{
    struct wk_str text = wk_str((const char *)maps, sizeof maps);
    size_t n = strlen(name);
    bool inside = false;
    while (text.n && depth < 4) {
        const char *end = (const char *)memchr(text.p, '\n', text.n);
        struct wk_str line = wk_str_take(text, end ? (size_t)(end - text.p) : text.n);
        text = wk_str_from(text, line.n + 1);
        if (!line.n)
            continue;
        if (line.p[0] != '[') {
            if (inside)
                read_line(m, line, how);
            continue;
        }
        if (inside)
            break;
        inside = line.n > n + 1 && memcmp(line.p + 1, name, n) == 0 &&
                 (line.p[n + 1] == ' ' || line.p[n + 1] == ']');
        if (inside)
            read_base(m, wk_str(line.p + 1, line.n - 2), how, depth);
    }
    forget_writing(m);
    return inside;
}

/* ---- what is no character ----------------------------------------------------------------------
 */

/* Which bytes others follow, and how many bytes of a wrong pair are passed over. */
struct wk_charset_rule {
    const char *name;
    unsigned char lead[4]; /* two ranges */
    enum { ONE, TWO, SJIS, CP932, UHC, GB, GBK, BIG5 } wrong;
};
static const struct wk_charset_rule rules[] = {
    {"EUC-JP", {0x8e, 0x8f, 0xa0, 0xfe}, ONE},  {"SHIFT_JIS", {0x81, 0x9f, 0xe0, 0xea}, SJIS},
    {"CP932", {0x81, 0x9f, 0xe0, 0xfc}, CP932}, {"EUC-KR", {0xa1, 0xff, 1, 0}, TWO},
    {"UHC", {0x81, 0xc8, 0xca, 0xfd}, UHC},     {"EUC-CN", {0x8e, 0x8f, 0xa1, 0xfe}, GB},
    {"GBK", {0x81, 0xfe, 1, 0}, GBK},           {"GB18030", {0x81, 0xfe, 1, 0}, TWO},
    {"BIG5", {0xa1, 0xf9, 1, 0}, BIG5},         {"BIG5-HKSCS", {0x81, 0xfe, 1, 0}, ONE},
};

static bool is_lead(const struct wk_charset_rule *r, unsigned char b)
{
    return r && ((b >= r->lead[0] && b <= r->lead[1]) || (b >= r->lead[2] && b <= r->lead[3]));
}

static bool has_row(const struct wk_charset_map *m, unsigned char lead)
{
    for (uint32_t i = 0; i < 256; i++)
        if (m->two[(lead - 0x80u) << 8 | i] != (uint32_t)NONE)
            return true;
    return false;
}

static bool passes_both(const struct wk_charset_map *m, unsigned char a, unsigned char b)
{
    switch (m->rule->wrong) {
    case TWO:
        return true;
    case SJIS:
        return b >= 0x40;
    case CP932:
        return b >= 0x40 && b != 0x7f && b <= 0xfc && has_row(m, a);
    case UHC:
        return b >= 0xa1;
    case GB:
        return a >= 0xa1 && b >= 0xa1;
    case GBK:
        return !(b < 0x40 || (a == 0xfe && b > 0xa0));
    case BIG5:
        return (b >= 0x40 && b < 0x7f) || (b >= 0xa1 && b < 0xff);
    default:
        return false;
    }
}

/* ---- the set -----------------------------------------------------------------------------------
 */

struct wk_charset_map *wk_charset_map_read(struct wk_cmd *c, const char *name)
{
    struct wk_charset_map *m = wk_new(c, struct wk_charset_map);
    m->c = c;
    m->two = (uint32_t *)wk_heap_alloc(c->heap, 0x8000 * sizeof *m->two);
    m->three = (uint32_t *)wk_heap_alloc(c->heap, (size_t)ROW * ROW * sizeof *m->three);
    m->code = (uint32_t *)wk_heap_alloc(c->heap, 0x10000 * sizeof *m->code);
    m->gone = (unsigned char *)wk_heap_zalloc(c->heap, 0x10000 / 8);
    memset(m->one, 0xff, sizeof m->one);
    memset(m->two, 0xff, 0x8000 * sizeof *m->two);
    memset(m->three, 0xff, (size_t)ROW * ROW * sizeof *m->three);
    memset(m->code, 0xff, 0x10000 * sizeof *m->code);
    for (size_t i = 0; i < WK_COUNTOF(rules); i++)
        if (strcmp(rules[i].name, name) == 0)
            m->rule = &rules[i];
    static const struct change same = {0, false};
    return read_section(m, name, &same, 0) ? m : NULL;
}

/* Four bytes of GB 18030: 81-FE 30-39 81-FE 30-39. */
static int get_four(const struct wk_charset_map *m, const unsigned char *p, size_t n, uint32_t *c)
{
    if (n < 4)
        return WK_CHARSET_SHORT;
    *c = p[2] < 0x81 || p[2] > 0xfe ? 3 : 4;
    if (*c == 3 || p[3] < 0x30 || p[3] > 0x39)
        return WK_CHARSET_BAD;
    uint32_t linear =
        ((p[0] - 0x81u) * 10 + p[1] - 0x30u) * 1260 + (p[2] - 0x81u) * 10 + p[3] - 0x30u;
    if (linear >= 189000 && linear < 189000 + 0x100000) {
        *c = linear - 189000 + 0x10000;
        return 4;
    }
    for (size_t i = 0; i < m->nranges; i++)
        if (linear - m->range[i].linear < m->range[i].n) {
            *c = m->range[i].c + linear - m->range[i].linear;
            return 4;
        }
    return WK_CHARSET_BAD;
}

int wk_charset_map_get(const struct wk_charset_map *m, const unsigned char *p, size_t n,
                       uint32_t *c)
{
    uint32_t v = m->one[p[0]];
    *c = 1;
    if (v != (uint32_t)NONE) {
        *c = v;
        return 1;
    }
    if (!is_lead(m->rule, p[0]))
        return WK_CHARSET_BAD;
    if (n < 2)
        return WK_CHARSET_SHORT;
    v = m->two[(p[0] - 0x80u) << 8 | p[1]];
    if (v != (uint32_t)NONE) {
        *c = v;
        return 2;
    }
    if (m->nranges && p[1] >= 0x30 && p[1] <= 0x39)
        return get_four(m, p, n, c);
    if (p[0] == LEAD_THREE && p[1] >= 0xa1 && p[1] < 0xff && m->rule->wrong == ONE &&
        m->rule->lead[0] == 0x8e) {
        if (n < 3)
            return WK_CHARSET_SHORT;
        if (p[2] >= 0xa1 && p[2] < 0xff) {
            v = m->three[(p[1] - 0xa1u) * ROW + p[2] - 0xa1u];
            *c = v != (uint32_t)NONE ? v : 1;
            return v != (uint32_t)NONE ? 3 : WK_CHARSET_BAD;
        }
    }
    *c = passes_both(m, p[0], p[1]) ? 2 : 1;
    return WK_CHARSET_BAD;
}

uint32_t wk_charset_map_join(const struct wk_charset_map *m, uint32_t letter, uint32_t mark)
{
    for (size_t i = 0; i < m->njoined; i++)
        if (m->one[m->joined[i].code >> 8 & 255] == letter && m->one[m->joined[i].code & 255] == mark)
            return m->joined[i].c;
    return 0;
}

bool wk_charset_map_joins(const struct wk_charset_map *m, uint32_t letter)
{
    for (size_t i = 0; i < m->njoined; i++)
        if (m->one[m->joined[i].code >> 8 & 255] == letter)
            return true;
    return false;
}

static size_t put_code(uint32_t code, unsigned char out[4])
{
    size_t n = code < 0x100 ? 1 : code < 0x10000 ? 2 : code < 0x1000000 ? 3 : 4;
    for (size_t i = 0; i < n; i++)
        out[i] = (unsigned char)(code >> 8 * (n - 1 - i));
    return n;
}

static size_t put_four(uint32_t linear, unsigned char out[4])
{
    out[3] = (unsigned char)(0x30 + linear % 10);
    linear /= 10;
    out[2] = (unsigned char)(0x81 + linear % 126);
    linear /= 126;
    out[1] = (unsigned char)(0x30 + linear % 10);
    out[0] = (unsigned char)(0x81 + linear / 10);
    return 4;
}

size_t wk_charset_map_put(const struct wk_charset_map *m, uint32_t c, unsigned char out[4])
{
    if (c < 0x10000 && m->code[c] != (uint32_t)NONE)
        return put_code(m->code[c], out);
    for (size_t i = 0; i < m->nranges; i++)
        if (c - m->range[i].c < m->range[i].n)
            return put_four(m->range[i].linear + c - m->range[i].c, out);
    for (size_t i = 0; i < m->nfar; i++)
        if (m->far[i].c == c)
            return put_code(m->far[i].code, out);
    if (m->nranges && c >= 0x10000 && c <= 0x10ffff)
        return put_four(189000 + c - 0x10000, out);
    return 0;
}

/* ---- spellings ---------------------------------------------------------------------------------
 */

struct wk_spelling *wk_spellings_read(struct wk_cmd *c, size_t *n)
{
    struct wk_str text = wk_str((const char *)maps, sizeof maps);
    ptrdiff_t at = wk_str_find(text, WK_STR("[+]\n"));
    text = at < 0 ? WK_STR("") : wk_str_from(text, (size_t)at + 4);
    struct wk_spelling *v = NULL;
    size_t cap = 0;
    *n = 0;
    while (text.n && text.p[0] != '[') {
        ptrdiff_t end = wk_str_chr(text, '\n');
        struct wk_str line = wk_str_take(text, end < 0 ? text.n : (size_t)end);
        text = wk_str_from(text, line.n + 1);
        if (*n == cap) {
            cap = cap ? 2 * cap : 4096;
            v = (struct wk_spelling *)wk_heap_realloc(c->heap, v, cap * sizeof *v);
        }
        uint32_t code = hex(&line);
        if (line.n)
            v[(*n)++] = (struct wk_spelling){code, (char)(line.p[0] - '0'), wk_str_from(line, 1)};
    }
    wk_tick(c, 256);
    return v;
}
