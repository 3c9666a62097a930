/* date_lex.c - the words and numbers of a date as people write it */
#include "text/date/date_lex.h"

struct word {
    const char *text;
    enum wk_date_kind kind;
    int value, factor;
};

static const struct word words[] = {
    {"january", WK_DATE_MONTH, 1, 0},   {"february", WK_DATE_MONTH, 2, 0},
    {"march", WK_DATE_MONTH, 3, 0},     {"april", WK_DATE_MONTH, 4, 0},
    {"may", WK_DATE_MONTH, 5, 0},       {"june", WK_DATE_MONTH, 6, 0},
    {"july", WK_DATE_MONTH, 7, 0},      {"august", WK_DATE_MONTH, 8, 0},
    {"september", WK_DATE_MONTH, 9, 0}, {"sept", WK_DATE_MONTH, 9, 0},
    {"october", WK_DATE_MONTH, 10, 0},  {"november", WK_DATE_MONTH, 11, 0},
    {"december", WK_DATE_MONTH, 12, 0}, {"sunday", WK_DATE_DAY, 0, 0},
    {"monday", WK_DATE_DAY, 1, 0},      {"tuesday", WK_DATE_DAY, 2, 0},
    {"tues", WK_DATE_DAY, 2, 0},        {"wednesday", WK_DATE_DAY, 3, 0},
    {"wednes", WK_DATE_DAY, 3, 0},      {"thursday", WK_DATE_DAY, 4, 0},
    {"thur", WK_DATE_DAY, 4, 0},        {"thurs", WK_DATE_DAY, 4, 0},
    {"friday", WK_DATE_DAY, 5, 0},      {"saturday", WK_DATE_DAY, 6, 0},
};

static const struct word meridians[] = {
    {"am", WK_DATE_MERIDIAN, 0, 0}, {"a.m.", WK_DATE_MERIDIAN, 0, 0},
    {"pm", WK_DATE_MERIDIAN, 1, 0}, {"p.m.", WK_DATE_MERIDIAN, 1, 0},
};

static const struct word daylight[] = {
    {"dst", WK_DATE_DST, 0, 0},
};

static const struct word units[] = {
    {"year", WK_DATE_UNIT, WK_DATE_YEAR, 1},     {"month", WK_DATE_UNIT, WK_DATE_MONTHS, 1},
    {"fortnight", WK_DATE_UNIT, WK_DATE_DAYS, 14}, {"week", WK_DATE_UNIT, WK_DATE_DAYS, 7},
    {"day", WK_DATE_UNIT, WK_DATE_DAYS, 1},      {"hour", WK_DATE_UNIT, WK_DATE_HOUR, 1},
    {"minute", WK_DATE_UNIT, WK_DATE_MINUTE, 1}, {"min", WK_DATE_UNIT, WK_DATE_MINUTE, 1},
    {"second", WK_DATE_UNIT, WK_DATE_SECOND, 1}, {"sec", WK_DATE_UNIT, WK_DATE_SECOND, 1},
};

static const struct word relative[] = {
    {"tomorrow", WK_DATE_SHIFT, 1, 0},  {"yesterday", WK_DATE_SHIFT, -1, 0},
    {"today", WK_DATE_SHIFT, 0, 0},     {"now", WK_DATE_SHIFT, 0, 0},
    {"last", WK_DATE_ORDINAL, -1, 0},   {"this", WK_DATE_ORDINAL, 0, 0},
    {"next", WK_DATE_ORDINAL, 1, 0},    {"first", WK_DATE_ORDINAL, 1, 0},
    {"third", WK_DATE_ORDINAL, 3, 0},   {"fourth", WK_DATE_ORDINAL, 4, 0},
    {"fifth", WK_DATE_ORDINAL, 5, 0},   {"sixth", WK_DATE_ORDINAL, 6, 0},
    {"seventh", WK_DATE_ORDINAL, 7, 0}, {"eighth", WK_DATE_ORDINAL, 8, 0},
    {"ninth", WK_DATE_ORDINAL, 9, 0},   {"tenth", WK_DATE_ORDINAL, 10, 0},
    {"eleventh", WK_DATE_ORDINAL, 11, 0}, {"twelfth", WK_DATE_ORDINAL, 12, 0},
    {"ago", WK_DATE_AGO, 0, 0},         {"hence", WK_DATE_AGO, 1, 0},
};

/* Minutes east of Greenwich. */
static const struct word zones[] = {
    {"wet", WK_DATE_ZONE, 0, 0},     {"west", WK_DATE_DAYZONE, 0, 0},
    {"bst", WK_DATE_DAYZONE, 0, 0},  {"art", WK_DATE_ZONE, -180, 0},
    {"brt", WK_DATE_ZONE, -180, 0},  {"brst", WK_DATE_DAYZONE, -180, 0},
    {"nst", WK_DATE_ZONE, -210, 0},  {"ndt", WK_DATE_DAYZONE, -210, 0},
    {"ast", WK_DATE_ZONE, -240, 0},  {"adt", WK_DATE_DAYZONE, -240, 0},
    {"clt", WK_DATE_ZONE, -240, 0},  {"clst", WK_DATE_DAYZONE, -240, 0},
    {"est", WK_DATE_ZONE, -300, 0},  {"edt", WK_DATE_DAYZONE, -300, 0},
    {"cst", WK_DATE_ZONE, -360, 0},  {"cdt", WK_DATE_DAYZONE, -360, 0},
    {"mst", WK_DATE_ZONE, -420, 0},  {"mdt", WK_DATE_DAYZONE, -420, 0},
    {"pst", WK_DATE_ZONE, -480, 0},  {"pdt", WK_DATE_DAYZONE, -480, 0},
    {"akst", WK_DATE_ZONE, -540, 0}, {"akdt", WK_DATE_DAYZONE, -540, 0},
    {"hst", WK_DATE_ZONE, -600, 0},  {"hast", WK_DATE_ZONE, -600, 0},
    {"hadt", WK_DATE_DAYZONE, -600, 0}, {"sst", WK_DATE_ZONE, -720, 0},
    {"wat", WK_DATE_ZONE, 60, 0},    {"cet", WK_DATE_ZONE, 60, 0},
    {"cest", WK_DATE_DAYZONE, 60, 0}, {"met", WK_DATE_ZONE, 60, 0},
    {"mez", WK_DATE_ZONE, 60, 0},    {"mest", WK_DATE_DAYZONE, 60, 0},
    {"mesz", WK_DATE_DAYZONE, 60, 0}, {"eet", WK_DATE_ZONE, 120, 0},
    {"eest", WK_DATE_DAYZONE, 120, 0}, {"cat", WK_DATE_ZONE, 120, 0},
    {"sast", WK_DATE_ZONE, 120, 0},  {"eat", WK_DATE_ZONE, 180, 0},
    {"msk", WK_DATE_ZONE, 180, 0},   {"msd", WK_DATE_DAYZONE, 180, 0},
    {"ist", WK_DATE_ZONE, 330, 0},   {"sgt", WK_DATE_ZONE, 480, 0},
    {"kst", WK_DATE_ZONE, 540, 0},   {"jst", WK_DATE_ZONE, 540, 0},
    {"gst", WK_DATE_ZONE, 600, 0},   {"nzst", WK_DATE_ZONE, 720, 0},
    {"nzdt", WK_DATE_DAYZONE, 720, 0},
};

static bool find(const struct word *table, size_t n, struct wk_str w, struct wk_date_token *t)
{
    for (size_t k = 0; k < n; k++)
        if (wk_str_is(w, table[k].text)) {
            t->kind = table[k].kind;
            t->value = table[k].value;
            t->factor = table[k].factor;
            return true;
        }
    return false;
}

/* The local names are compared as they are, with capitals. */
static bool same_letters(struct wk_str lower, const char *abbr)
{
    if (!abbr || strlen(abbr) != lower.n)
        return false;
    for (size_t i = 0; i < lower.n; i++)
        if ((char)wk_to_upper((unsigned char)lower.p[i]) != abbr[i])
            return false;
    return true;
}

static bool find_zone(const struct wk_date_lexer *l, struct wk_str w, struct wk_date_token *t)
{
    bool universal = wk_str_is(w, "gmt") || wk_str_is(w, "ut") || wk_str_is(w, "utc");
    *t = (struct wk_date_token){.kind = WK_DATE_ZONE};
    if (universal)
        return true;
    for (size_t k = 0; k < 2; k++)
        if (same_letters(w, l->local[k])) {
            t->kind = WK_DATE_LOCALZONE;
            t->value = l->local_dst[k];
            return true;
        }
    if (!find(zones, WK_COUNTOF(zones), w, t))
        return false;
    t->value *= 60;
    return true;
}

/* One letter: a military zone. A..I are hours 1..9, K..M 10..12, N..Y -1..-12; J is none. */
static bool find_military(char c, struct wk_date_token *t)
{
    if (c == 'j')
        return false;
    int h = c == 'z' ? 0 : c <= 'i' ? c - 'a' + 1 : c <= 'm' ? c - 'a' : -(c - 'n' + 1);
    *t = (struct wk_date_token){.kind = c == 't' ? WK_DATE_T : WK_DATE_ZONE, .value = h * 3600};
    return true;
}

static bool look_up(const struct wk_date_lexer *l, struct wk_str w, struct wk_date_token *t)
{
    if (find(meridians, WK_COUNTOF(meridians), w, t))
        return true;
    if (w.n == 3 || (w.n == 4 && w.p[3] == '.')) { /* months and days by three letters */
        for (size_t k = 0; k < WK_COUNTOF(words); k++)
            if (memcmp(w.p, words[k].text, 3) == 0) {
                t->kind = words[k].kind;
                t->value = words[k].value;
                return true;
            }
    }
    if (find(words, WK_COUNTOF(words), w, t) || find_zone(l, w, t) ||
        find(daylight, WK_COUNTOF(daylight), w, t) || find(units, WK_COUNTOF(units), w, t))
        return true;
    if (w.n > 1 && w.p[w.n - 1] == 's' &&
        find(units, WK_COUNTOF(units), wk_str_take(w, w.n - 1), t))
        return true;
    if (find(relative, WK_COUNTOF(relative), w, t))
        return true;
    return w.n == 1 && find_military(w.p[0], t);
}

/* Of a long word the first letters count. With its full stops left out it may be a zone. */
static struct wk_date_token read_word(struct wk_date_lexer *l)
{
    struct wk_date_token t = {.kind = WK_DATE_BAD};
    char text[20], bare[20];
    size_t n = 0, m = 0;
    for (; l->i < l->s.n; l->i++) {
        if (!wk_is_alpha((unsigned char)l->s.p[l->i]) && l->s.p[l->i] != '.')
            break;
        if (n == sizeof text - 1)
            continue;
        text[n++] = (char)wk_to_lower((unsigned char)l->s.p[l->i]);
        if (text[n - 1] != '.')
            bare[m++] = text[n - 1];
    }
    if (look_up(l, wk_str(text, n), &t) || (m < n && find_zone(l, wk_str(bare, m), &t)))
        return t;
    for (size_t k = 0; k < m; k++)
        l->bad[k] = (char)wk_to_upper((unsigned char)bare[k]);
    l->bad[m] = '\0';
    t.kind = WK_DATE_BAD;
    return t;
}

static bool digit_at(const struct wk_date_lexer *l, size_t i)
{
    return i < l->s.n && wk_is_digit(l->s.p[i]);
}

/* Digits at l->i, after a sign or none. */
static struct wk_date_token read_number(struct wk_date_lexer *l, int sign)
{
    struct wk_date_token t = {.kind = sign ? WK_DATE_SIGNED : WK_DATE_NUMBER, .negative = sign < 0};
    size_t begin = l->i;
    for (; digit_at(l, l->i); l->i++, t.digits++) {
        int d = l->s.p[l->i] - '0';
        if (__builtin_mul_overflow(t.value, 10, &t.value) ||
            __builtin_add_overflow(t.value, sign < 0 ? -d : d, &t.value)) {
            t.kind = WK_DATE_BAD;
            l->i = begin;
            return t;
        }
    }
    char c = l->i < l->s.n ? l->s.p[l->i] : '\0';
    if ((c != '.' && c != ',') || !digit_at(l, l->i + 1))
        return t;
    t.kind = sign ? WK_DATE_SDECIMAL : WK_DATE_DECIMAL;
    l->i++;
    int32_t scale = 100000000;
    bool rest = false;
    for (; digit_at(l, l->i); l->i++) {
        t.nsec += (l->s.p[l->i] - '0') * scale;
        rest |= scale == 0 && l->s.p[l->i] != '0';
        scale /= 10;
    }
    if (sign < 0) { /* towards minus infinity */
        t.nsec += rest;
        if (t.nsec) {
            if (__builtin_sub_overflow(t.value, 1, &t.value)) {
                t.kind = WK_DATE_BAD;
                l->i = begin;
            }
            t.nsec = 1000000000 - t.nsec;
        }
    }
    return t;
}

/* Past a parenthesised remark; false when it is not closed. */
static bool skip_remark(struct wk_date_lexer *l)
{
    size_t depth = 0;
    for (; l->i < l->s.n; l->i++) {
        if (l->s.p[l->i] == '(')
            depth++;
        else if (l->s.p[l->i] == ')' && --depth == 0) {
            l->i++;
            return true;
        }
    }
    return false;
}

struct wk_date_token wk_date_next(struct wk_date_lexer *l)
{
    l->bad[0] = '\0';
    for (;;) {
        while (l->i < l->s.n && wk_is_space((unsigned char)l->s.p[l->i]))
            l->i++;
        if (l->i >= l->s.n)
            return (struct wk_date_token){.kind = WK_DATE_END};
        char c = l->s.p[l->i];
        if (wk_is_digit(c))
            return read_number(l, 0);
        if (c == '-' || c == '+') {
            l->i++;
            while (l->i < l->s.n && wk_is_space((unsigned char)l->s.p[l->i]))
                l->i++;
            if (digit_at(l, l->i))
                return read_number(l, c == '-' ? -1 : 1);
            continue; /* a sign before anything else means nothing */
        }
        if (wk_is_alpha((unsigned char)c))
            return read_word(l);
        if (c != '(') {
            l->i++;
            return (struct wk_date_token){.kind = WK_DATE_CHAR, .value = (unsigned char)c};
        }
        if (!skip_remark(l))
            return (struct wk_date_token){.kind = WK_DATE_END};
    }
}
