/* json.c - the reader: bytes to tokens, and what may follow what
 *
 * Of every open container one byte is kept: whether it is an object, and whether that had a key when
 * something was opened inside of it. `next` is a value that is complete and waits for a comma, a
 * colon or an end; there is none at the outermost level, where a value is handed out at once.
 * A key is handed out before its colon was seen: when none comes, an error follows and the text is
 * never complete.
 */
#include "text/json/json_priv.h"

enum { NEXT_NONE, NEXT_STRING, NEXT_OTHER };
enum { PARTIAL_NONE, PARTIAL_STRING, PARTIAL_LITERAL };
enum { LEVEL_OBJECT = 1, LEVEL_KEY = 2 };
enum { BOM_DONE = 4, RS = 0x1e };

enum class {
    LITERAL,
    BLANK,
    NEWLINE,
    QUOTE,
    STRUCTURE
};

static const uint8_t classes[256] = {
    [' '] = BLANK,     ['\t'] = BLANK,    ['\r'] = BLANK,    ['\n'] = NEWLINE,  ['"'] = QUOTE,
    ['['] = STRUCTURE, [']'] = STRUCTURE, ['{'] = STRUCTURE, ['}'] = STRUCTURE, [','] = STRUCTURE,
    [':'] = STRUCTURE};

void wk_json_init(struct wk_json *j, struct wk_mem *mem, unsigned mode, size_t depth_max)
{
    *j = (struct wk_json){.mode = mode, .depth_max = depth_max, .slow = true, .waiting = mode & WK_JSON_SEQ};
    wk_buf_init(&j->spill, mem, SIZE_MAX / 2);
    wk_buf_init(&j->decoded, mem, SIZE_MAX / 2);
}

void wk_json_release(struct wk_json *j)
{
    wk_free(j->spill.mem, j->levels);
    wk_buf_release(&j->spill);
    wk_buf_release(&j->decoded);
    j->levels = NULL;
    j->levels_cap = 0;
}

void wk_json_reset(struct wk_json *j)
{
    j->depth = 0;
    j->object = false;
    j->slow = true;
    j->next = NEXT_NONE;
    j->after_comma = j->has_key = j->escaped = false;
    j->partial = PARTIAL_NONE;
    j->error = NULL;
    j->error_at_end = j->error_placeless = j->error_at_rs = false;
    wk_buf_reset(&j->spill);
}

void wk_json_restart(struct wk_json *j)
{
    wk_json_reset(j);
    j->p = j->end = j->fed = NULL;
    j->before = j->line_at = 0;
    j->line = 0;
    j->bom = 0;
    j->ended = j->last_blank = j->failed = false;
    j->waiting = j->mode & WK_JSON_SEQ;
}

void wk_json_feed(struct wk_json *j, const char *p, size_t n)
{
    j->before += (uint64_t)(j->end - j->fed);
    j->p = j->fed = p;
    j->end = p + n;
}

void wk_json_finish(struct wk_json *j)
{
    j->ended = true;
}

void wk_json_put_error(const struct wk_json *j, struct wk_buf *out)
{
    wk_buf_put_c(out, j->error);
    if (!j->error_placeless)
        wk_buf_fmt(out, " at %sline %zu, column %zu", j->error_at_end ? "EOF at " : "", j->line + 1,
                   wk_json_column(j));
    if (j->mode & WK_JSON_SEQ && !j->error_at_end && !j->error_at_rs && !j->error_placeless)
        wk_buf_put_c(out, " (need RS to resync)");
}

static enum wk_json_token fail(struct wk_json *j, const char *error)
{
    j->slow = true;
    j->error = error;
    return WK_JSON_ERROR;
}

/* The account refused: the caller looks at `failed`. */
static enum wk_json_token fail_memory(struct wk_json *j)
{
    j->failed = j->error_placeless = true;
    return fail(j, "Out of memory");
}

/* Uses the byte at p. */
static void use(struct wk_json *j)
{
    if (*j->p++ == '\n') {
        j->line++;
        j->line_at = j->before + (uint64_t)(j->p - j->fed);
    }
}

void wk_json_skip(struct wk_json *j, size_t n)
{
    j->p += n;
    j->line_at += n;
}

/* ---- what may follow what ---- */

static inline bool in_object(const struct wk_json *j)
{
    return j->object;
}

static bool is_stream(const struct wk_json *j)
{
    return j->mode & WK_JSON_STREAM;
}

/* --stream says what stands where a key should. */
static const char *open_error(const struct wk_json *j, bool object)
{
    if (j->depth >= j->depth_max)
        return "Exceeds depth limit for parsing";
    if (!is_stream(j))
        return j->next == NEXT_NONE ? NULL : "Expected separator between values";
    if (j->next != NEXT_NONE)
        return "Expected a separator between values";
    if (!in_object(j) || j->has_key)
        return NULL;
    if (j->after_comma)
        return object ? "Expected string key after ',' in object, not '{'"
                      : "Expected string key after ',' in object, not '['";
    return object ? "Expected string key after '{', not '{'" : "Expected string key after '{', not '['";
}

static enum wk_json_token open_level(struct wk_json *j, bool object)
{
    const char *error = open_error(j, object);
    if (error)
        return fail(j, error);
    if (j->depth && j->has_key)
        j->levels[j->depth - 1] |= LEVEL_KEY;
    if (WK_UNLIKELY(j->depth == j->levels_cap) &&
        !wk_vec_grow(j->spill.mem, &j->levels, &j->levels_cap, j->depth + 1, 1))
        return fail_memory(j);
    j->levels[j->depth++] = object ? LEVEL_OBJECT : 0;
    j->object = object;
    j->after_comma = j->has_key = false;
    return object ? WK_JSON_OBJECT : WK_JSON_ARRAY;
}

/* Behind a value inside of a container most often a comma stands. */
static inline void take_comma(struct wk_json *j)
{
    if (j->p < j->end && *j->p == ',' && (!j->object || j->has_key)) {
        j->p++;
        j->next = NEXT_NONE;
        j->after_comma = true;
        j->has_key = false;
    }
}

static enum wk_json_token close_level(struct wk_json *j)
{
    bool object = j->object;
    j->after_comma = j->has_key = j->object = false;
    j->next = NEXT_NONE;
    if (--j->depth) {
        uint8_t *level = &j->levels[j->depth - 1];
        j->object = *level & LEVEL_OBJECT;
        j->has_key = *level & LEVEL_KEY;
        *level &= (uint8_t)~LEVEL_KEY;
        j->next = NEXT_OTHER;
        take_comma(j);
    }
    return object ? WK_JSON_OBJECT_END : WK_JSON_ARRAY_END;
}

static const char *array_end_error(const struct wk_json *j)
{
    bool missing = j->next == NEXT_NONE && j->after_comma;
    if (!is_stream(j) && (!j->depth || in_object(j)))
        return "Unmatched ']'";
    if (!j->depth)
        return "Unmatched ']' at the top-level";
    if (missing)
        return "Expected another array element";
    return in_object(j) ? "Unmatched ']' in the middle of an object" : NULL;
}

static const char *object_end_error(const struct wk_json *j)
{
    if (is_stream(j)) {
        if (!j->depth)
            return "Unmatched '}' at the top-level";
        if (j->next == NEXT_NONE && j->after_comma && !j->has_key)
            return "Expected another key:value pair";
        if (!in_object(j))
            return "Unmatched '}' in the middle of an array";
        if (j->next != NEXT_NONE)
            return j->has_key ? NULL : "Objects must consist of key:value pairs";
        return j->has_key ? "Missing value in key:value pair" : NULL;
    }
    if (!j->depth)
        return "Unmatched '}'";
    if (j->next != NEXT_NONE)
        return in_object(j) && j->has_key ? NULL : "Objects must consist of key:value pairs";
    if (!in_object(j) || j->has_key)
        return "Unmatched '}'";
    return j->after_comma ? "Expected another key-value pair" : NULL;
}

static const char *colon_error(const struct wk_json *j)
{
    if (!is_stream(j) && j->next == NEXT_NONE)
        return "Expected string key before ':'";
    if (!in_object(j))
        return "':' not as part of an object";
    if (j->next == NEXT_NONE)
        return "Expected string key before ':'";
    if (j->has_key && !is_stream(j))
        return "':' not as part of an object";
    return j->has_key || j->next != NEXT_STRING ? "Object keys must be strings" : NULL;
}

static const char *comma_error(const struct wk_json *j)
{
    if (j->next == NEXT_NONE)
        return "Expected value before ','";
    if (in_object(j) && !j->has_key)
        return "Objects must consist of key:value pairs";
    return NULL;
}

/* The structure byte at p was used. WK_JSON_MORE: nothing to hand out. */
static enum wk_json_token structure(struct wk_json *j, char c)
{
    const char *error;
    switch (c) {
    case '[':
        return open_level(j, false);
    case '{':
        return open_level(j, true);
    case ']':
        error = array_end_error(j);
        return error ? fail(j, error) : close_level(j);
    case '}':
        error = object_end_error(j);
        return error ? fail(j, error) : close_level(j);
    case ':':
        error = colon_error(j);
        if (error)
            return fail(j, error);
        j->has_key = true;
        break;
    default:
        error = comma_error(j);
        if (error)
            return fail(j, error);
        j->after_comma = true;
        j->has_key = false;
    }
    j->next = NEXT_NONE;
    return WK_JSON_MORE;
}

/* A scalar stands where it may; what separates it is taken with it when it stands there. */
static inline enum wk_json_token scalar(struct wk_json *j, enum wk_json_token token)
{
    if (WK_UNLIKELY(j->next != NEXT_NONE))
        return fail(j, "Expected separator between values");
    j->after_comma = false;
    if (!j->depth)
        return token;
    if (token == WK_JSON_STRING && j->object && !j->has_key) {
        j->has_key = j->p < j->end && *j->p == ':';
        j->p += j->has_key;
        j->next = j->has_key ? NEXT_NONE : NEXT_STRING;
        return WK_JSON_KEY;
    }
    j->next = token == WK_JSON_STRING ? NEXT_STRING : NEXT_OTHER;
    take_comma(j);
    return token;
}

/* ---- tokens ---- */

/* An RS stands at p and begins a new text. `cut`: right behind a piece of the one before. Tells so, or goes on. */
static enum wk_json_token at_rs(struct wk_json *j, bool cut, bool number)
{
    bool blank = j->p > j->fed ? classes[(unsigned char)j->p[-1]] - BLANK <= NEWLINE - BLANK : j->last_blank;
    cut = cut || (j->depth && !blank);
    j->p++;
    wk_json_reset(j);
    j->waiting = false;
    if (!cut)
        return WK_JSON_MORE; /* wk_json_next goes on */
    j->error_at_rs = true;
    return fail(j, number ? "Potentially truncated top-level numeric value" : "Truncated value");
}

/* Up to the first RS; false when there was none yet. */
static bool find_rs(struct wk_json *j)
{
    while (j->waiting && j->p < j->end) {
        j->waiting = *j->p != RS;
        use(j);
    }
    return !j->waiting;
}

/* Puts [from, end of what was fed) by until more is fed. */
static enum wk_json_token put_by(struct wk_json *j, const char *from, uint8_t partial)
{
    j->partial = partial;
    j->slow = true;
    j->last_blank = false;
    if (!wk_buf_put(&j->spill, from, (size_t)(j->end - from)))
        return fail_memory(j);
    j->p = j->end;
    return WK_JSON_MORE;
}

/* A string; p is behind its opening quote, or where a further part of it begins. */
static enum wk_json_token read_string(struct wk_json *j)
{
    bool plain = true;
    const char *from = j->p, *end = wk_json_string_end(from, j->end, &j->escaped, &plain);
    const char *rs = j->mode & WK_JSON_SEQ ? memchr(from, RS, (size_t)(end - from)) : NULL;
    if (rs)
        end = rs;
    for (const char *p = from; !plain && (p = memchr(p, '\n', (size_t)(end - p)));) {
        j->line++;
        j->line_at = j->before + (uint64_t)(++p - j->fed);
    }
    if (rs) {
        j->p = rs;
        return at_rs(j, rs > from || (j->partial && j->spill.n), false);
    }
    if (end == j->end) {
        if (!j->ended)
            return put_by(j, from, PARTIAL_STRING);
        j->p = end;
        j->error_at_end = true;
        return fail(j, "Unfinished string");
    }
    struct wk_str raw = wk_str(from, (size_t)(end - from));
    j->p = end + 1;
    if (j->partial) {
        if (!wk_buf_puts(&j->spill, raw))
            return fail_memory(j);
        raw = wk_buf_str(&j->spill);
        j->partial = PARTIAL_NONE;
        plain = false;
    }
    j->text = raw;
    if (!plain) {
        const char *error = wk_json_decode(j, raw, &j->text);
        if (j->failed)
            return fail_memory(j);
        if (error)
            return fail(j, error);
    }
    return scalar(j, WK_JSON_STRING);
}

/* What is said of a literal counts from the byte behind it. */
static enum wk_json_token literal_error(struct wk_json *j, const char *error)
{
    if (j->p < j->end)
        use(j);
    else
        j->error_at_end = true;
    return fail(j, error);
}

static enum wk_json_token read_literal(struct wk_json *j)
{
    const char *from = j->p, *p = from;
    j->short_number = false;
    bool seq = j->mode & WK_JSON_SEQ, after_comma = j->after_comma;
    while (p < j->end && classes[(unsigned char)*p] == LITERAL && !(seq && *p == RS))
        p++;
    if (p == j->end && !j->ended)
        return put_by(j, from, PARTIAL_LITERAL);
    if (p < j->end && *p == RS && seq && (p > from || j->partial)) {
        /* A number may be a part of one; other things are cut short all the same. */
        struct wk_str part = j->partial ? wk_buf_str(&j->spill) : wk_str(from, (size_t)(p - from));
        bool number = part.n && (wk_is_digit((unsigned char)part.p[0]) || part.p[0] == '-');
        j->p = p;
        return at_rs(j, true, number && !j->depth);
    }
    struct wk_str s = wk_str(from, (size_t)(p - from));
    j->p = p;
    if (j->partial) {
        if (!wk_buf_puts(&j->spill, s))
            return fail_memory(j);
        s = wk_buf_str(&j->spill);
        j->partial = PARTIAL_NONE;
    }
    const char *error;
    enum wk_json_token token = wk_json_literal(s, &j->text, &error);
    if (token == WK_JSON_ERROR)
        return literal_error(j, error);
    token = scalar(j, token);
    if (token == WK_JSON_ERROR)
        return literal_error(j, j->error);
    if (WK_LIKELY(p < j->end)) {
        if (WK_LIKELY(j->depth || classes[(unsigned char)*p] != STRUCTURE || *p == '[' || *p == '{'))
            return token;
        j->p++; /* jq looks at what is wrong with this first */
        return structure(j, *p);
    }
    /* The end of all. */
    j->error_at_end = true;
    j->after_comma = after_comma; /* it is not told any more */
    if (j->depth)
        return fail(j, "Unfinished JSON term");
    if (seq && token == WK_JSON_NUMBER)
        return fail(j, "Potentially truncated top-level numeric value");
    j->error_at_end = false;
    return token;
}

/* A number of few digits, or a word, that ends in what was fed; WK_JSON_MORE: look closer. */
static inline enum wk_json_token short_literal(struct wk_json *j, unsigned char c)
{
    const char *from = j->p, *p = from, *end = j->end;
    if (end - p < 24) /* room for what is looked at below */
        return WK_JSON_MORE;
    if (c == 't' || c == 'n' || c == 'f') {
        size_t n = 4 + (c == 'f');
        if (memcmp(p, c == 't' ? "true" : c == 'n' ? "null" : "false", n) != 0 ||
            classes[(unsigned char)p[n]] == LITERAL)
            return WK_JSON_MORE;
        j->p += n;
        return c == 't' ? WK_JSON_TRUE : c == 'n' ? WK_JSON_NULL : WK_JSON_FALSE;
    }
    p += c == '-';
    const char *first = p;
    uint64_t v = 0;
    while (wk_is_digit((unsigned char)*p) && p - first < 16)
        v = v * 10 + (uint64_t)(*p++ - '0');
    ptrdiff_t whole = p - first, places = 0;
    if (whole == 0 || (*first == '0' && whole > 1))
        return WK_JSON_MORE;
    if (*p == '.') {
        const char *point = ++p;
        while (wk_is_digit((unsigned char)*p) && p - first < 17)
            v = v * 10 + (uint64_t)(*p++ - '0');
        places = p - point;
        if (places == 0)
            return WK_JSON_MORE;
    }
    if (whole + places > 15 || classes[(unsigned char)*p] == LITERAL)
        return WK_JSON_MORE;
    j->p = p;
    j->text = wk_str(from, (size_t)(p - from));
    j->short_number = true;
    j->digits = v;
    j->places = (unsigned)places;
    return WK_JSON_NUMBER;
}

/* The first bytes of all: false when they are the start of a byte order mark that may go on. */
static bool skip_bom(struct wk_json *j)
{
    static const char bom[] = "\xef\xbb\xbf";
    while (j->bom < 3 && j->p < j->end) {
        if (*j->p != bom[j->bom])
            break;
        j->p++;
        j->bom++;
    }
    if (j->bom == 3 || j->p < j->end) {
        if (j->bom == 1 || j->bom == 2) {
            j->error_placeless = true;
            (void)fail(j, "Malformed BOM");
        }
        /* The mark counts for no column. */
        j->line_at += j->bom;
        j->bom = BOM_DONE;
        return true;
    }
    return false;
}

static enum wk_json_token at_end(struct wk_json *j)
{
    if (!j->ended) {
        if (j->p > j->fed)
            j->last_blank = classes[(unsigned char)j->p[-1]] - BLANK <= NEWLINE - BLANK;
        return WK_JSON_MORE;
    }
    if (!j->depth)
        return WK_JSON_END;
    j->error_at_end = true;
    return fail(j, "Unfinished JSON term");
}

static enum wk_json_token next_token(struct wk_json *j)
{
    while (j->p < j->end) {
        unsigned char c = (unsigned char)*j->p;
        enum wk_json_token token;
        switch (classes[c]) {
        case BLANK:
            j->p++;
            continue;
        case NEWLINE:
            use(j);
            continue;
        case QUOTE: {
            const char *from = ++j->p, *quote = json_short_end(from, j->end);
            if (WK_LIKELY(quote != NULL)) {
                j->text = wk_str(from, (size_t)(quote - from));
                j->p = quote + 1;
                return scalar(j, WK_JSON_STRING);
            }
            wk_buf_reset(&j->spill);
            return read_string(j);
        }
        case STRUCTURE:
            j->p++;
            token = structure(j, (char)c);
            if (token == WK_JSON_MORE)
                continue;
            return token;
        default:
            if (WK_LIKELY(j->depth && j->next == NEXT_NONE)) {
                token = short_literal(j, c);
                if (WK_LIKELY(token != WK_JSON_MORE))
                    return scalar(j, token);
            }
            if (c == RS && j->mode & WK_JSON_SEQ)
                return at_rs(j, false, false);
            wk_buf_reset(&j->spill);
            return read_literal(j);
        }
    }
    return at_end(j);
}

/* What is rare: the beginning, an error, a token that goes on. */
static WK_NOINLINE enum wk_json_token next_slow(struct wk_json *j)
{
    if (j->bom != BOM_DONE && !skip_bom(j))
        return j->ended ? WK_JSON_END : WK_JSON_MORE;
    if (j->error)
        return WK_JSON_ERROR;
    if (j->waiting && !find_rs(j)) {
        if (!j->ended)
            return WK_JSON_MORE;
        j->waiting = false;
        j->error_at_end = true;
        return fail(j, "Unfinished abandoned text");
    }
    if (j->partial) {
        if (j->p == j->end && !j->ended)
            return WK_JSON_MORE;
        j->slow = false;
        return j->partial == PARTIAL_STRING ? read_string(j) : read_literal(j);
    }
    j->slow = false;
    return next_token(j);
}

enum wk_json_token wk_json_next(struct wk_json *j)
{
    enum wk_json_token token;
    do
        token = WK_UNLIKELY(j->slow) ? next_slow(j) : next_token(j);
    while (WK_UNLIKELY(token == WK_JSON_MORE) && j->p < j->end);
    return token;
}
