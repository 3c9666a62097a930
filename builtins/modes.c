/* modes.c - file modes as text: "u+rwX,go-w", "0644" */
#include "builtins/modes.h"

struct clause {
    char op;         /* + - = */
    uint32_t who;    /* bits that the letters cover; 0: none given, the umask decides */
    uint32_t bits;   /* rwxst as bits of all three classes */
    uint32_t copy;   /* 0700, 0070 or 0007: permissions of that class */
    bool x_if;       /* X */
    bool octal;
    uint32_t named;  /* octal: the bits it speaks about */
};

struct wk_mode_change {
    size_t n;
    struct clause v[];
};

#define ALL 07777u

static uint32_t who_bits(char ch)
{
    switch (ch) {
    case 'u':
        return 04700;
    case 'g':
        return 02070;
    case 'o':
        return 01007;
    case 'a':
        return ALL;
    default:
        return 0;
    }
}

/* What follows the operator; the end of it, NULL when it is wrong. */
static const char *read_perms(const char *p, struct clause *k)
{
    if (*p >= '0' && *p <= '7') {
        size_t digits = 0;
        for (; *p >= '0' && *p <= '7'; p++, digits++) {
            k->bits = k->bits * 8 + (uint32_t)(*p - '0');
            if (k->bits > ALL)
                return NULL;
        }
        k->octal = true;
        k->named = ALL;
        return k->who || (*p && *p != ',') ? NULL : p;
    }
    if (*p == 'u' || *p == 'g' || *p == 'o') {
        k->copy = who_bits(*p) & 0777;
        return p + 1;
    }
    for (;; p++) {
        if (*p == 'r')
            k->bits |= 0444;
        else if (*p == 'w')
            k->bits |= 0222;
        else if (*p == 'x')
            k->bits |= 0111;
        else if (*p == 'X')
            k->x_if = true;
        else if (*p == 's')
            k->bits |= 06000;
        else if (*p == 't')
            k->bits |= 01000;
        else
            return p;
    }
}

static struct wk_mode_change *with_room(struct wk_cmd *c, size_t n)
{
    return (struct wk_mode_change *)wk_heap_zalloc(c->heap, sizeof(struct wk_mode_change) +
                                                                n * sizeof(struct clause));
}

static struct wk_mode_change *parse_octal(struct wk_cmd *c, const char *text)
{
    uint32_t v = 0;
    size_t n = 0;
    for (; text[n] >= '0' && text[n] <= '7'; n++) {
        v = v * 8 + (uint32_t)(text[n] - '0');
        if (v > ALL)
            return NULL;
    }
    if (text[n])
        return NULL;
    struct wk_mode_change *m = wk_mode_exactly(c, v);
    /* Of a directory, set-id bits stay unless the number says otherwise by its length. */
    m->v[0].named = n < 5 ? (v & 06000) | 01777u : ALL;
    return m;
}

struct wk_mode_change *wk_mode_exactly(struct wk_cmd *c, uint32_t bits)
{
    struct wk_mode_change *m = with_room(c, 1);
    m->n = 1;
    m->v[0] = (struct clause){.op = '=', .who = ALL, .bits = bits, .octal = true, .named = ALL};
    return m;
}

struct wk_mode_change *wk_mode_parse(struct wk_cmd *c, const char *text)
{
    if (*text >= '0' && *text <= '7')
        return parse_octal(c, text);
    size_t room = 0;
    for (const char *p = text; *p; p++)
        room += *p == '+' || *p == '-' || *p == '=';
    struct wk_mode_change *m = with_room(c, room);
    const char *p = text;
    for (;; p++) {
        uint32_t who = 0, bits;
        for (; (bits = who_bits(*p)) != 0; p++)
            who |= bits;
        if (*p != '+' && *p != '-' && *p != '=')
            return NULL;
        while (*p == '+' || *p == '-' || *p == '=') {
            struct clause *k = &m->v[m->n++];
            k->op = *p;
            k->who = who;
            p = read_perms(p + 1, k);
            if (!p)
                return NULL;
        }
        if (!*p)
            return m;
        if (*p != ',')
            return NULL;
    }
}

static uint32_t spread(uint32_t old, uint32_t class_mask)
{
    uint32_t shift = class_mask == 0700 ? 6 : class_mask == 0070 ? 3 : 0;
    return (old & class_mask) >> shift & 7u;
}

uint32_t wk_mode_apply(const struct wk_mode_change *m, uint32_t old, bool is_dir, uint32_t umask,
                       uint32_t *changed)
{
    uint32_t mode = old & ALL, all_named = 0;
    for (size_t i = 0; i < m->n; i++) {
        const struct clause *k = &m->v[i];
        uint32_t keep = is_dir ? 06000u : 0; /* set-id bits of directories stay unless named */
        uint32_t value = k->bits;
        if (k->copy)
            value = spread(mode, k->copy) * 0111u;
        if (k->x_if && (is_dir || (mode & 0111)))
            value |= 0111;
        if (k->octal)
            keep = is_dir ? 06000u & ~k->named : 0;
        else
            keep &= ~value;
        uint32_t reach = k->who ? k->who : ALL & ~umask;
        if (k->octal)
            reach = ALL;
        value &= reach & (k->octal ? ALL : ~keep | value);
        if (k->op == '+') {
            mode |= value;
            all_named |= value;
        } else if (k->op == '-') {
            mode &= ~value;
            all_named |= value;
        } else {
            uint32_t wipe = (k->who && !k->octal ? k->who : ALL) & ~keep;
            mode = (mode & ~wipe) | value;
            all_named |= wipe;
        }
    }
    if (changed)
        *changed = all_named;
    return mode;
}
