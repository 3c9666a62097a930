/* ls_color.c - colours of ls */
#include "builtins/ls.h"

enum color {
    C_LEFT, C_RIGHT, C_END, C_RESET, C_NORM, C_FILE, C_DIR, C_LINK, C_FIFO, C_SOCK, C_BLK, C_CHR,
    C_MISSING, C_ORPHAN, C_EXEC, C_DOOR, C_SETUID, C_SETGID, C_STICKY, C_OTHER_W, C_STICKY_OTHER_W,
    C_CAP, C_MULTI, C_CLEAR, C_COUNT
};

struct extension {
    struct wk_str suffix, seq;
};

struct wk_ls_colors {
    struct wk_str v[C_COUNT];
    struct extension *ext;
    size_t ext_n, ext_cap;
    bool used, link_as_target;
};

static const char codes[C_COUNT][3] = {"lc", "rc", "ec", "rs", "no", "fi", "di", "ln",
                                       "pi", "so", "bd", "cd", "mi", "or", "ex", "do",
                                       "su", "sg", "st", "ow", "tw", "ca", "mh", "cl"};

static const char *const defaults[C_COUNT] = {
    "\033[", "m", NULL, "0", NULL, NULL, "01;34", "01;36", "33", "01;35", "01;33", "01;33",
    NULL, NULL, "01;32", "01;35", "37;41", "30;43", "37;44", "34;42", "30;42", NULL, NULL, "\033[K"};

/* Decodes \e, \n, \ooo, \xhh, ^X up to one of the ends. NULL when it breaks off. */
static const char *decode(struct wk_cmd *c, const char *p, bool equals_ends, struct wk_str *out)
{
    char *text = (char *)wk_heap_alloc(c->heap, strlen(p) + 1);
    size_t n = 0;
    while (*p && *p != ':' && !(equals_ends && *p == '=')) {
        if ((*p == '\\' && !p[1]) || (*p == '^' && !((p[1] >= '@' && p[1] <= '~') || p[1] == '?')))
            return NULL;
        if (*p == '\\') {
            static const char from[] = "abefnrtv?_", to[] = "\a\b\033\f\n\r\t\v\177 ";
            const char *at = strchr(from, p[1]);
            p++;
            if (*p >= '0' && *p <= '7') {
                unsigned v = 0;
                for (int i = 0; i < 3 && *p >= '0' && *p <= '7'; i++)
                    v = v * 8 + (unsigned)(*p++ - '0');
                text[n++] = (char)v;
            } else if (*p == 'x' || *p == 'X') {
                unsigned v = 0;
                for (p++; wk_is_xdigit(*p); p++)
                    v = v * 16 + (unsigned)(wk_is_digit(*p) ? *p - '0' : (*p | 32) - 'a' + 10);
                text[n++] = (char)v;
            } else {
                text[n++] = at ? to[at - from] : *p;
                p++;
            }
        } else if (*p == '^') {
            text[n++] = p[1] == '?' ? '\177' : (char)(p[1] & 31);
            p += 2;
        } else {
            text[n++] = *p++;
        }
    }
    *out = wk_str(text, n);
    return p;
}

static void add_extension(struct wk_cmd *c, struct wk_ls_colors *k, const struct extension *e)
{
    if (k->ext_n == k->ext_cap) {
        k->ext_cap = k->ext_cap ? k->ext_cap * 2 : 64;
        k->ext = (struct extension *)wk_heap_realloc(c->heap, k->ext, k->ext_cap * sizeof *k->ext);
    }
    k->ext[k->ext_n++] = *e;
}

/* One CODE=SEQ or *SUFFIX=SEQ. NULL when it is malformed. */
static const char *read_one(struct wk_cmd *c, struct wk_ls_colors *k, const char *p)
{
    if (*p == '*') {
        struct extension e;
        p = decode(c, p + 1, true, &e.suffix);
        if (!p || *p != '=')
            return NULL;
        p = decode(c, p + 1, false, &e.seq);
        if (!p)
            return NULL;
        add_extension(c, k, &e);
        return p;
    }
    if (!p[0] || !p[1] || p[2] != '=')
        return NULL;
    const char *rest = NULL;
    for (size_t i = 0; i < C_COUNT && !rest; i++) {
        if (memcmp(codes[i], p, 2) == 0)
            rest = decode(c, p + 3, false, &k->v[i]);
    }
    if (!rest)
        wk_out_fmt(c->err, "%s: unrecognized prefix: %s\n", c->name, wk_quote_arg(c, wk_dupn(c, p, 2)));
    return rest;
}

/* Without $LS_COLORS the terminal must be one that is known to have colours. */
static bool knows_colors(struct wk_cmd *c)
{
    static const char *const terms[] = {"Eterm", "alacritty", "ansi", "con", "cygwin", "dtterm",
                                        "foot", "gnome", "hurd", "jfbterm", "konsole", "kterm",
                                        "linux", "mlterm", "putty", "rxvt", "screen", "st", "terminator",
                                        "tmux", "vt100", "xterm"};
    const char *color = wk_cmd_env(c, "COLORTERM"), *term = wk_cmd_env(c, "TERM");
    if (color && *color)
        return true;
    if (!term)
        return false;
    for (size_t i = 0; i < WK_COUNTOF(terms); i++)
        if (strncmp(term, terms[i], strlen(terms[i])) == 0)
            return true;
    return strstr(term, "color") != NULL;
}

struct wk_ls_colors *wk_ls_colors_new(struct wk_cmd *c)
{
    struct wk_ls_colors *k = wk_new(c, struct wk_ls_colors);
    for (size_t i = 0; i < C_COUNT; i++)
        k->v[i] = defaults[i] ? wk_str_c(defaults[i]) : (struct wk_str){NULL, 0};
    const char *p = wk_cmd_env(c, "LS_COLORS");
    if ((!p || !*p) && !knows_colors(c))
        return NULL;
    while (p && *p) {
        if (*p == ':') {
            p++;
            continue;
        }
        p = read_one(c, k, p);
        if (!p) {
            int status = c->status;
            wk_msg(c, "unparsable value for LS_COLORS environment variable");
            c->status = status;
            return NULL;
        }
    }
    k->link_as_target = wk_str_is(k->v[C_LINK], "target");
    return k;
}


static bool is_set(const struct wk_ls_colors *k, enum color i)
{
    struct wk_str s = k->v[i];
    return s.n > 0 && !wk_str_is(s, "0") && !wk_str_is(s, "00");
}

bool wk_ls_colors_need_target(const struct wk_ls_colors *k, bool is_long)
{
    return is_set(k, C_ORPHAN) || (is_set(k, C_EXEC) && k->link_as_target) ||
           (is_set(k, C_MISSING) && is_long);
}

static enum color by_mode(const struct wk_ls_colors *k, uint32_t mode, uint32_t nlink)
{
    switch (mode & WK_S_IFMT) {
    case WK_S_IFREG:
        if ((mode & WK_S_ISUID) && is_set(k, C_SETUID))
            return C_SETUID;
        if ((mode & WK_S_ISGID) && is_set(k, C_SETGID))
            return C_SETGID;
        if ((mode & 0111) && is_set(k, C_EXEC))
            return C_EXEC;
        return nlink > 1 && is_set(k, C_MULTI) ? C_MULTI : C_FILE;
    case WK_S_IFDIR:
        if ((mode & WK_S_ISVTX) && (mode & 02) && is_set(k, C_STICKY_OTHER_W))
            return C_STICKY_OTHER_W;
        if ((mode & 02) && is_set(k, C_OTHER_W))
            return C_OTHER_W;
        return (mode & WK_S_ISVTX) && is_set(k, C_STICKY) ? C_STICKY : C_DIR;
    case WK_S_IFLNK:
        return C_LINK;
    case WK_S_IFIFO:
        return C_FIFO;
    case WK_S_IFSOCK:
        return C_SOCK;
    case WK_S_IFBLK:
        return C_BLK;
    case WK_S_IFCHR:
        return C_CHR;
    default:
        return C_ORPHAN;
    }
}

static struct wk_str color_of(const struct wk_ls_colors *k, const struct wk_ls_file *f, bool target)
{
    enum color i;
    uint32_t mode = f->stat_ok ? f->st.mode : f->type;
    if (target) {
        i = f->link_ok ? by_mode(k, f->link_mode, 1) : k->v[C_MISSING].n ? C_MISSING : C_ORPHAN;
    } else if (!f->stat_ok && !f->type) {
        i = C_MISSING;
    } else {
        i = by_mode(k, mode, f->st.nlink);
        if (i == C_LINK && (k->link_as_target || k->v[C_ORPHAN].n)) {
            if (!f->link_ok)
                i = k->v[C_ORPHAN].n || k->link_as_target ? C_ORPHAN : C_LINK;
            else if (k->link_as_target)
                i = by_mode(k, f->link_mode, 1);
        }
    }
    if (i == C_FILE) {
        struct wk_str name = wk_str_c(target && f->link ? f->link : f->name);
        for (size_t e = k->ext_n; e > 0; e--) { /* the last one in the list wins */
            struct wk_str suffix = k->ext[e - 1].suffix;
            bool hit = name.n >= suffix.n;
            for (size_t b = 0; hit && b < suffix.n; b++)
                hit = wk_to_lower(name.p[name.n - suffix.n + b]) == wk_to_lower(suffix.p[b]);
            if (hit)
                return k->ext[e - 1].seq;
        }
    }
    if (i == C_MISSING && !k->v[i].n)
        return (struct wk_str){NULL, 0};
    return k->v[i];
}

static void put(struct wk_ls *l, struct wk_str s)
{
    wk_out_str(l->out, s);
}

static void end(struct wk_ls *l)
{
    const struct wk_ls_colors *k = l->colors;
    if (k->v[C_END].n) {
        put(l, k->v[C_END]);
    } else {
        put(l, k->v[C_LEFT]);
        put(l, k->v[C_RESET]);
        put(l, k->v[C_RIGHT]);
    }
}

static void start(struct wk_ls *l, struct wk_str seq)
{
    struct wk_ls_colors *k = l->colors;
    if (!k->used) { /* whatever the terminal had */
        k->used = true;
        end(l);
    }
    put(l, k->v[C_LEFT]);
    put(l, seq);
    put(l, k->v[C_RIGHT]);
}

void wk_ls_color_start(struct wk_ls *l)
{
    if (is_set(l->colors, C_NORM))
        start(l, l->colors->v[C_NORM]);
}

void wk_ls_color_end(struct wk_ls *l)
{
    const struct wk_ls_colors *k = l->colors;
    if (k->used && !(wk_str_is(k->v[C_LEFT], "\033[") && wk_str_is(k->v[C_RIGHT], "m"))) {
        put(l, k->v[C_LEFT]);
        put(l, k->v[C_RIGHT]);
    }
}

void wk_ls_colored(struct wk_ls *l, const struct wk_ls_file *f, const char *text, size_t n,
                   bool target, size_t column)
{
    struct wk_ls_colors *k = l->colors;
    struct wk_str seq = color_of(k, f, target);
    bool quotes = !target && f->quoted && f->url && l->align, norm = is_set(k, C_NORM);
    if (seq.p) {
        if (norm) {
            put(l, k->v[C_LEFT]);
            put(l, k->v[C_RIGHT]);
        }
        start(l, seq);
    }
    wk_ls_linked(l, f, text + quotes, n - 2 * (size_t)quotes, quotes);
    if (seq.p || norm)
        end(l);
    if (seq.p && l->line && f->width && column / l->line != (column + f->width - 1) / l->line)
        put(l, k->v[C_CLEAR]);
}
