/* mock_text.c - a recording as text: written and read */
#include "adapters/sandbox/mock.h"

#include "adapters/sandbox/code.h"
#include "base/num.h"

enum { PIECE = 4096, ITEMS_MOST = 1 << 22 };

/* What stands behind a word: so many numbers, then so many texts. */
static const struct {
    const char *name;
    unsigned char numbers, texts;
} words[WK_MOCK_WORDS] = {
    [WK_MOCK_ALWAYS] = {"always", 0, 0},   [WK_MOCK_OUT] = {"out", 0, 1},       [WK_MOCK_ERR] = {"err", 0, 1},
    [WK_MOCK_IN] = {"in", 0, 1},           [WK_MOCK_END] = {"end", 0, 0},       [WK_MOCK_UNREAD] = {"unread", 0, 0},
    [WK_MOCK_SIGNAL] = {"signal", 2, 0},   [WK_MOCK_RESIZE] = {"resize", 2, 0}, [WK_MOCK_FAILED] = {"failed", 1, 1},
    [WK_MOCK_EXIT] = {"exit", 1, 0},       [WK_MOCK_KILLED] = {"killed", 1, 0}, [WK_MOCK_MEMORY] = {"memory", 1, 0},
    [WK_MOCK_USED] = {"used", 4, 0},       [WK_MOCK_LOST] = {"lost", 0, 1},     [WK_MOCK_WITH] = {"with", 0, 1},
    [WK_MOCK_ENTRY] = {"entry", 10, 2},    [WK_MOCK_DATA] = {"data", 0, 1},     [WK_MOCK_DONE] = {"done", 2, 1},
    [WK_MOCK_REFUSED] = {"refused", 1, 0},
};

static const char *const file_ops[] = {NULL,      "stat",   "list",   "get",        "put",    "make-dir",
                                       "symlink", "remove", "rename", "attributes", "changes",
                                       "append"};

char *wk_mock_copy(struct whelk_mock *m, const char *text)
{
    char *copy = text ? wk_strndup(m->mem, text, strlen(text)) : NULL;
    if (text && !copy)
        m->failed = true;
    return copy;
}

/* ---- quoted texts --------------------------------------------------------------------------------- */

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c != 0x7f && c != '"' && c != '\\';
}

/* Bytes of 0x80 and above stay: most are of characters. */
static void quote(struct wk_buf *out, const char *p, size_t n)
{
    static const char hex[] = "0123456789abcdef";
    wk_buf_putc(out, '"');
    for (size_t i = 0; i < n;) {
        size_t from = i;
        while (i < n && is_plain((unsigned char)p[i]))
            i++;
        wk_buf_put(out, p + from, i - from);
        if (i == n)
            break;
        unsigned char c = (unsigned char)p[i++];
        char code[4] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
        if (c == '\n' || c == '\t' || c == '\r' || c == '"' || c == '\\') {
            code[1] = c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : (char)c;
            wk_buf_put(out, code, 2);
        } else {
            wk_buf_put(out, code, 4);
        }
    }
    wk_buf_putc(out, '"');
}

static void quote_hidden(struct whelk_mock *m, struct wk_buf *out, const char *text)
{
    struct wk_buf seen;
    wk_buf_init(&seen, m->mem, SIZE_MAX / 2);
    wk_redact_text(&m->hides, wk_str_c(text), SIZE_MAX, &seen);
    quote(out, wk_buf_c(&seen), seen.n);
    if (seen.failed)
        out->failed = true;
    wk_buf_release(&seen);
}

static int hex_digit(char c)
{
    return wk_is_digit(c) ? c - '0' : wk_is_xdigit(c) ? wk_to_lower(c) - 'a' + 10 : -1;
}

/* Reads a quoted text at the start of *s, appended to out. */
static bool unquote(struct wk_str *s, struct wk_buf *out)
{
    size_t i = 1;
    if (!s->n || s->p[0] != '"')
        return false;
    for (; i < s->n && s->p[i] != '"'; i++) {
        char c = s->p[i];
        if (c == '\\') {
            if (++i == s->n)
                return false;
            c = s->p[i];
            if (c == 'x') {
                if (s->n - i < 3 || hex_digit(s->p[i + 1]) < 0 || hex_digit(s->p[i + 2]) < 0)
                    return false;
                c = (char)(hex_digit(s->p[i + 1]) << 4 | hex_digit(s->p[i + 2]));
                i += 2;
            } else {
                c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
            }
        }
        wk_buf_putc(out, c);
    }
    if (i == s->n)
        return false;
    *s = wk_str_from(*s, i + 1);
    return true;
}

/* ---- lines of requests ---------------------------------------------------------------------------- */

void wk_mock_put_run(struct whelk_mock *m, const whelk_spec *s, struct wk_buf *out)
{
    wk_buf_put_c(out, s->script ? "run script" : "run argv");
    if (s->script) {
        wk_buf_putc(out, ' ');
        quote_hidden(m, out, s->script);
    }
    for (size_t i = 0; !s->script && s->argv[i]; i++) {
        wk_buf_putc(out, ' ');
        quote_hidden(m, out, s->argv[i]);
    }
    wk_buf_put_c(out, " cwd ");
    quote_hidden(m, out, s->cwd ? s->cwd : "");
    if (s->uid != UINT32_MAX)
        wk_buf_fmt(out, " user %u:%u", s->uid, s->gid);
    wk_buf_put_c(out, s->flags & WHELK_SPEC_INPUT ? " input" : "");
    wk_buf_put_c(out, s->flags & WHELK_SPEC_TTY ? " tty" : "");
    wk_buf_put_c(out, s->flags & WHELK_SPEC_MERGED ? " merged" : "");
    wk_buf_put_c(out, s->flags & WHELK_SPEC_LOGGED ? " logged" : "");
}

void wk_mock_put_file(struct whelk_mock *m, const whelk_file_request *r, struct wk_buf *out)
{
    static const char scratch[] = "/tmp/.whelk-script-"; /* named by the clock */
    bool known = r->op > 0 && (size_t)r->op < WK_COUNTOF(file_ops);
    wk_buf_fmt(out, "file %s ", known ? file_ops[r->op] : "other");
    if (r->path && strncmp(r->path, scratch, sizeof scratch - 1) == 0)
        wk_buf_fmt(out, "\"%s*\"", scratch);
    else
        quote_hidden(m, out, r->path ? r->path : "");
    if (r->op == WHELK_FILE_SYMLINK || r->op == WHELK_FILE_RENAME) {
        wk_buf_put_c(out, " to ");
        quote_hidden(m, out, r->target ? r->target : "");
    }
    if (r->op == WHELK_FILE_PUT || r->op == WHELK_FILE_MAKE_DIR || r->op == WHELK_FILE_ATTRIBUTES)
        wk_buf_fmt(out, " mode %o", r->mode);
    if (r->op == WHELK_FILE_GET)
        wk_buf_fmt(out, " from %llu length %llu", (unsigned long long)r->offset, (unsigned long long)r->length);
    if (r->op == WHELK_FILE_LIST)
        wk_buf_fmt(out, " depth %u", r->depth);
    wk_buf_put_c(out, r->flags & WHELK_FILE_FOLLOW ? " follow" : "");
}

void wk_mock_put_port(uint16_t port, struct wk_buf *out)
{
    wk_buf_fmt(out, "port %u", port);
}

/* ---- blocks --------------------------------------------------------------------------------------- */

struct wk_mock_block *wk_mock_add_block(struct whelk_mock *m, const char *head)
{
    struct wk_mock_block *k = m->failed ? NULL : WK_NEW(m->mem, struct wk_mock_block);
    if (k)
        k->head = wk_mock_copy(m, head);
    if (!k || !k->head || !wk_vec_grow(m->mem, &m->blocks, &m->cap, m->n + 1, sizeof(struct wk_mock_block *))) {
        m->failed = true;
        if (k)
            wk_free(m->mem, k->head);
        wk_free(m->mem, k);
        return NULL;
    }
    m->blocks[m->n++] = k;
    return k;
}

struct wk_mock_item *wk_mock_add(struct whelk_mock *m, struct wk_mock_block *k, enum wk_mock_word word,
                                 const char *text, size_t n)
{
    struct wk_mock_item *i;
    if (!k || m->failed || k->n >= ITEMS_MOST || !wk_vec_grow(m->mem, &k->items, &k->cap, k->n + 1, sizeof *k->items)) {
        m->failed = true;
        return NULL;
    }
    i = &k->items[k->n];
    *i = (struct wk_mock_item){.word = word, .text_n = n};
    if (text && !(i->text = wk_strndup(m->mem, text, n))) {
        m->failed = true;
        return NULL;
    }
    k->n++;
    return i;
}

void wk_mock_append(struct whelk_mock *m, struct wk_mock_block *k, enum wk_mock_word word, const char *p, size_t n)
{
    struct wk_mock_item *i = k && k->n ? &k->items[k->n - 1] : NULL;
    if (!n)
        return;
    if (n > WK_MOCK_MOST - m->bytes)
        m->failed = true;
    if (!i || i->word != word)
        i = wk_mock_add(m, k, word, NULL, 0);
    if (!i || m->failed || !wk_vec_grow(m->mem, &i->text, &i->text_cap, i->text_n + n + 1, 1)) {
        m->failed = true;
        return;
    }
    memcpy(i->text + i->text_n, p, n);
    i->text_n += n;
    i->text[i->text_n] = '\0';
    m->bytes += n;
}

int wk_mock_hide(struct whelk_mock *m, const whelk_sandbox_options *o)
{
    wk_mock_unhide(m);
    m->hides.mem = m->mem;
    return wk_secrets_new(m->mem, o->secrets, o->n_secrets, &m->hides.secrets) ? WHELK_E_NOMEM : WHELK_OK;
}

void wk_mock_unhide(struct whelk_mock *m)
{
    wk_secrets_free(m->mem, m->hides.secrets);
    m->hides.secrets = NULL;
}

/* ---- writing -------------------------------------------------------------------------------------- */

static void write_fact(struct wk_buf *out, const char *name, const char *text)
{
    if (!text)
        return;
    wk_buf_fmt(out, "%s ", name);
    quote(out, text, strlen(text));
    wk_buf_putc(out, '\n');
}

/* Texts of streams line by line: adjacent ones are one. */
static void write_stream(struct wk_buf *out, const char *name, const struct wk_mock_item *i)
{
    for (size_t at = 0; at < i->text_n || (!at && !i->text_n);) {
        size_t left = i->text_n - at, n = left < PIECE ? left : PIECE;
        const char *end = n ? memchr(i->text + at, '\n', n) : NULL;
        if (end)
            n = (size_t)(end - i->text) - at + 1;
        wk_buf_fmt(out, "  %s ", name);
        quote(out, n ? i->text + at : "", n);
        wk_buf_putc(out, '\n');
        at += n;
        if (!n)
            break;
    }
}

static void write_item(struct wk_buf *out, const struct wk_mock_item *i)
{
    if (i->word == WK_MOCK_OUT || i->word == WK_MOCK_ERR || i->word == WK_MOCK_IN || i->word == WK_MOCK_WITH ||
        i->word == WK_MOCK_DATA) {
        write_stream(out, words[i->word].name, i);
        return;
    }
    wk_buf_fmt(out, "  %s", words[i->word].name);
    for (unsigned k = 0; k < words[i->word].numbers; k++)
        wk_buf_fmt(out, " %lld", (long long)i->n[k]);
    if (i->text) {
        wk_buf_putc(out, ' ');
        quote(out, i->text, i->text_n);
    }
    if (i->text2) {
        wk_buf_putc(out, ' ');
        quote(out, i->text2, strlen(i->text2));
    }
    wk_buf_putc(out, '\n');
}

void wk_mock_write(struct whelk_mock *m)
{
    struct wk_buf *out = &m->text;
    wk_buf_reset(out);
    wk_buf_put_c(out, "whelk recording 1\n");
    write_fact(out, "kind", m->kind);
    if (m->refused) {
        wk_buf_fmt(out, "refused %d ", m->refused);
        quote(out, m->refusal ? m->refusal : "", m->refusal ? strlen(m->refusal) : 0);
        wk_buf_putc(out, '\n');
    }
    wk_buf_fmt(out, "capabilities %llu\n", (unsigned long long)m->capabilities);
    write_fact(out, "workspace", m->workspace);
    write_fact(out, "home", m->home);
    write_fact(out, "shell", m->shell);
    write_fact(out, "path", m->path);
    write_fact(out, "description", m->description);
    for (size_t i = 0; i < m->n_env; i++)
        write_fact(out, "env", m->env[i]);
    for (size_t i = 0; i + 1 < m->n_ports; i += 2)
        wk_buf_fmt(out, "exposed %u %u\n", m->ports[i], m->ports[i + 1]);
    for (size_t i = 0; i < m->n; i++) {
        const struct wk_mock_block *k = m->blocks[i];
        wk_buf_fmt(out, "\n%s\n", k->head);
        if (k->always)
            wk_buf_put_c(out, "  always\n");
        for (size_t j = 0; j < k->n; j++)
            write_item(out, &k->items[j]);
    }
}

/* ---- reading -------------------------------------------------------------------------------------- */

static bool take_word(struct wk_str *s, const char *word)
{
    size_t n = strlen(word);
    if (s->n < n || memcmp(s->p, word, n) || (s->n > n && s->p[n] != ' '))
        return false;
    *s = wk_str_from(*s, n + (s->n > n));
    return true;
}

static bool take_number(struct wk_str *s, int64_t *out)
{
    int err;
    size_t n = wk_scan_i64(*s, 10, out, &err);
    if (!n || err || (s->n > n && s->p[n] != ' '))
        return false;
    *s = wk_str_from(*s, n + (s->n > n));
    return true;
}

/* A quoted text and a blank, or the end. */
static char *take_text(struct whelk_mock *m, struct wk_str *s, size_t *n)
{
    struct wk_buf text;
    char *p = NULL;
    wk_buf_init(&text, m->mem, SIZE_MAX / 2);
    if (unquote(s, &text) && (!s->n || s->p[0] == ' ')) {
        if (s->n)
            *s = wk_str_from(*s, 1);
        p = wk_buf_take(&text, n);
        m->failed = m->failed || !p;
    }
    wk_buf_release(&text);
    return p;
}

static bool read_item(struct whelk_mock *m, struct wk_mock_block *k, struct wk_str s)
{
    size_t word = 0;
    while (word < WK_MOCK_WORDS && !take_word(&s, words[word].name))
        word++;
    if (word == WK_MOCK_WORDS || !k)
        return false;
    if (word == WK_MOCK_ALWAYS) {
        k->always = true;
        return !s.n;
    }
    struct wk_mock_item *i = wk_mock_add(m, k, (enum wk_mock_word)word, NULL, 0);
    if (!i)
        return false;
    for (unsigned n = 0; n < words[word].numbers && s.n && s.p[0] != '"'; n++)
        if (!take_number(&s, &i->n[n]))
            return false;
    size_t ignored;
    if (words[word].texts && s.n && !(i->text = take_text(m, &s, &i->text_n)))
        return false;
    if (words[word].texts > 1 && s.n && !(i->text2 = take_text(m, &s, &ignored)))
        return false;
    return !s.n && (i->text || word > WK_MOCK_IN || word < WK_MOCK_OUT);
}

static bool read_text_fact(struct whelk_mock *m, struct wk_str s, bool *known)
{
    const struct {
        const char *name;
        char **to;
    } facts[] = {{"kind", &m->kind},   {"workspace", &m->workspace},     {"home", &m->home}, {"shell", &m->shell},
                 {"path", &m->path},   {"description", &m->description}};
    size_t n;
    *known = true;
    for (size_t i = 0; i < WK_COUNTOF(facts); i++)
        if (take_word(&s, facts[i].name)) {
            wk_free(m->mem, *facts[i].to);
            *facts[i].to = take_text(m, &s, &n);
            return *facts[i].to && !s.n;
        }
    if (take_word(&s, "env")) {
        char *text = take_text(m, &s, &n);
        if (!text || !wk_vec_grow(m->mem, &m->env, &m->env_cap, m->n_env + 1, sizeof *m->env)) {
            wk_free(m->mem, text);
            return false;
        }
        m->env[m->n_env++] = text;
        return !s.n && strchr(text, '=') > text;
    }
    *known = false;
    return true;
}

static bool read_fact(struct whelk_mock *m, struct wk_str s, bool *known)
{
    int64_t a, b;
    bool ok = read_text_fact(m, s, known);
    if (*known)
        return ok;
    *known = true;
    if (take_word(&s, "capabilities")) {
        ok = take_number(&s, &a) && !s.n;
        m->capabilities = ok ? (uint64_t)a : 0;
        return ok;
    }
    if (take_word(&s, "refused")) {
        size_t n;
        wk_free(m->mem, m->refusal);
        m->refusal = NULL;
        if (!take_number(&s, &a) || a >= 0 || a < -1000 || !(m->refusal = take_text(m, &s, &n)))
            return false;
        m->refused = (int)a;
        return !s.n;
    }
    if (take_word(&s, "exposed")) {
        if (!take_number(&s, &a) || !take_number(&s, &b) || s.n || a < 1 || a > 65535 || b < 1 || b > 65535 ||
            !wk_vec_grow(m->mem, &m->ports, &m->ports_cap, m->n_ports + 2, sizeof *m->ports))
            return false;
        m->ports[m->n_ports++] = (uint16_t)a;
        m->ports[m->n_ports++] = (uint16_t)b;
        return true;
    }
    *known = false;
    return true;
}

/* A request's line: taken as it stands, without blanks at its end. */
static bool read_head(struct whelk_mock *m, struct wk_str s, struct wk_mock_block **k)
{
    struct wk_str rest = s;
    if (!take_word(&rest, "run") && !take_word(&rest, "file") && !take_word(&rest, "port"))
        return false;
    char *head = wk_strndup(m->mem, s.p, s.n);
    *k = head ? wk_mock_add_block(m, head) : NULL;
    wk_free(m->mem, head);
    return *k;
}

int wk_mock_read(struct whelk_mock *m, struct wk_str text)
{
    struct wk_mock_block *k = NULL;
    unsigned line_number = 0;
    bool begun = false;
    while (text.n) {
        ptrdiff_t end = wk_str_chr(text, '\n');
        struct wk_str line = end < 0 ? text : wk_str_take(text, (size_t)end), bare = wk_str_trim(line);
        bool ok = true, known = false;
        text = wk_str_from(text, line.n + 1);
        line_number++;
        if (!bare.n || bare.p[0] == '#')
            continue;
        if (memchr(bare.p, '\0', bare.n))
            ok = false;
        else if (!begun)
            ok = begun = wk_str_is(bare, "whelk recording 1");
        else if (line.p[0] == ' ' || line.p[0] == '\t')
            ok = read_item(m, k, bare);
        else
            ok = read_fact(m, bare, &known) && (known || read_head(m, bare, &k));
        if (m->failed)
            return WHELK_E_NOMEM;
        if (!ok) {
            wk_buf_fmt(&m->error, "line %u: %.*s", line_number, (int)(bare.n < 200 ? bare.n : 200), bare.p);
            return WHELK_E_INVALID;
        }
    }
    if (!begun || (!m->workspace && !m->refused)) {
        wk_buf_put_c(&m->error, begun ? "it does not say what the workspace is" : "it does not begin with its version");
        return WHELK_E_INVALID;
    }
    return WHELK_OK;
}
