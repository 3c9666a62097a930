/* tree_text.c - tree's lines: indentation, what is in brackets, names, colours, the report */
#include "base/num.h"
#include "base/utf8.h"
#include "builtins/tree.h"

/* ---- what is in brackets ------------------------------------------------------------------------ */

void wk_tree_size_text(const struct wk_tree_opts *o, uint64_t size, struct wk_buf *b)
{
    if (!o->human) {
        wk_buf_fmt(b, " %11llu", (unsigned long long)size);
        return;
    }
    uint64_t unit = o->si ? 1000 : 1024, whole = size, below = 0;
    const char *letter = o->si ? "BkMGTPE" : "BKMGTPE";
    if (size < unit) {
        wk_buf_fmt(b, " %4llu", (unsigned long long)size);
        return;
    }
    uint64_t scale = 1;
    for (; whole >= unit && letter[1]; letter++) {
        scale *= unit;
        whole = size / scale;
    }
    below = size % scale;
    if (whole < 10) { /* one digit behind the point, to the nearest */
        double part = (double)below / (double)scale * 10;
        uint64_t tenths = (uint64_t)part;
        tenths += part - (double)tenths > 0.5 || (part - (double)tenths >= 0.5 && (tenths & 1));
        wk_buf_fmt(b, " %llu.%llu%c", (unsigned long long)(whole + tenths / 10),
                   (unsigned long long)(tenths % 10), *letter);
        return;
    }
    whole += below * 2 > scale || (below * 2 == scale && (whole & 1));
    wk_buf_fmt(b, whole < 100 ? "  %llu%c" : " %llu%c", (unsigned long long)whole, *letter);
}

void wk_tree_time_text(struct wk_tree *t, const struct wk_tree_node *n, struct wk_buf *b)
{
    int64_t ns = t->o.by_ctime ? n->st.ctim : n->st.mtim;
    int64_t sec = wk_instant_of(ns).sec, now = wk_instant_of(wk_cmd_now(t->c)).sec;
    const int64_t half_a_year = (int64_t)6 * 31 * 86400;
    struct wk_str format = t->o.time_format                           ? wk_str_c(t->o.time_format)
                           : sec > now || sec + half_a_year < now ? WK_STR("%b %e  %Y")
                                                                     : WK_STR("%b %e %H:%M");
    wk_zone_text(t->c, t->text, t->tz, format, ns);
    wk_buf_put(b, t->text->p, WK_MIN(t->text->n, 255));
}

static void put_padded(struct wk_buf *b, const char *name, uint32_t id)
{
    char number[WK_NUM_MAX];
    size_t n = name ? strlen(name) : wk_fmt_u64(number, id, 10);
    wk_buf_putc(b, ' ');
    wk_buf_put(b, name ? name : number, WK_MIN(n, 32));
    if (n < 8)
        wk_buf_fill(b, ' ', 8 - n);
}

void wk_tree_meta(struct wk_tree *t, const struct wk_tree_node *n, struct wk_buf *b)
{
    const struct wk_tree_opts *o = &t->o;
    wk_buf_reset(b);
    if (o->inodes)
        wk_buf_fmt(b, " %7llu", (unsigned long long)n->end.ino);
    if (o->device)
        wk_buf_fmt(b, " %3llu", (unsigned long long)n->end.dev);
    if (o->protection) {
        char mode[11];
        wk_mode_text(n->st.mode, mode);
        wk_buf_putc(b, ' ');
        wk_buf_put(b, mode, 10);
    }
    if (o->user)
        put_padded(b, wk_user_name(t->ids, n->st.uid), n->st.uid);
    if (o->group)
        put_padded(b, wk_group_name(t->ids, n->st.gid), n->st.gid);
    if (o->size)
        wk_tree_size_text(o, n->size, b);
    if (o->date) {
        wk_buf_putc(b, ' ');
        wk_tree_time_text(t, n, b);
    }
    if (b->n)
        b->p[0] = '[';
    if (b->n)
        wk_buf_putc(b, ']');
}

/* ---- indentation -------------------------------------------------------------------------------- */

struct line_set {
    const char *bar, *branch, *last;
};
static const struct line_set line_sets[] = {
    [WK_TREE_ASCII] = {"|   ", "|-- ", "`-- "},
    [WK_TREE_UTF8] = {"\342\224\202\302\240\302\240 ", "\342\224\234\342\224\200\342\224\200 ",
                      "\342\224\224\342\224\200\342\224\200 "},
    [WK_TREE_CP437] = {"\263   ", "\303\304\304 ", "\300\304\304 "},
    [WK_TREE_KOI8] = {"\201   ", "\206\200\200 ", "\204\200\200 "},
    [WK_TREE_LATIN1] = {"|   ", "|-- ", "&middot;-- "},
    [WK_TREE_ANSI] = {"x   ", "tqq ", "mqq "},
};

void wk_tree_indent(struct wk_tree *t)
{
    const struct line_set *set = &line_sets[t->o.lines];
    bool ansi = t->o.lines == WK_TREE_ANSI, html = t->o.form == WK_TREE_HTML;
    if (t->o.no_indent)
        return;
    if (html)
        wk_out_char(t->out, '\t');
    if (ansi && t->depth)
        wk_out_c(t->out, "\033(0");
    for (size_t i = 0; i < t->depth; i++) {
        const struct wk_tree_node *n = t->open[i];
        bool last = n->at >= n->n;
        if (i + 1 == t->depth)
            wk_out_c(t->out, last ? set->last : set->branch);
        else
            wk_out_c(t->out, !last ? set->bar : html ? "&nbsp;&nbsp;&nbsp; " : "    ");
    }
    if (ansi && t->depth)
        wk_out_c(t->out, "\033(B");
}

/* ---- names -------------------------------------------------------------------------------------- */

static void put_byte(struct wk_tree *t, unsigned char ch)
{
    static const char from[] = "\a\b\f\n\r\t\v\\", to[] = "abfnrtv\\";
    const char *at = ch ? strchr(from, ch) : NULL;
    if (at)
        wk_out_fmt(t->out, "\\%c", to[at - from]);
    else if (ch == '"' && t->o.quote)
        wk_out_c(t->out, "\\\"");
    else if (ch == ' ' && !t->o.quote)
        wk_out_c(t->out, "\\ ");
    else if (ch >= ' ' && ch < 127)
        wk_out_char(t->out, (char)ch);
    else if (!t->o.hide)
        wk_out_fmt(t->out, "\\%c%c%c", '0' + (ch >> 6), '0' + (ch >> 3 & 7), '0' + (ch & 7));
    else /* where text is UTF-8, bytes that are none of it stay */
        wk_out_char(t->out, t->utf8 && ch > 127 ? (char)ch : '?');
}

static void put_octal(struct wk_tree *t, uint32_t c)
{
    char digits[WK_NUM_MAX];
    size_t n = wk_fmt_u64(digits, c, 8);
    wk_out_char(t->out, '\\');
    wk_out_put(t->out, "000", n < 3 ? 3 - n : 0);
    wk_out_put(t->out, digits, n);
}

static void put_name(struct wk_tree *t, const char *name)
{
    struct wk_str s = wk_str_c(name);
    if (t->o.quote)
        wk_out_char(t->out, '"');
    if (t->o.raw) {
        wk_out_str(t->out, s);
    } else if (t->utf8 && wk_utf8_valid(s)) {
        for (size_t i = 0; i < s.n;) {
            uint32_t c;
            size_t n = wk_utf8_next(s.p + i, s.n - i, &c);
            if (wk_utf8_is(c, WK_CLASS_PRINT))
                wk_out_put(t->out, s.p + i, n);
            else if (t->o.hide)
                wk_out_char(t->out, '?');
            else
                put_octal(t, c);
            i += n;
        }
    } else {
        for (size_t i = 0; i < s.n; i++)
            put_byte(t, (unsigned char)s.p[i]);
    }
    if (t->o.quote)
        wk_out_char(t->out, '"');
}

/* ---- colours ------------------------------------------------------------------------------------ */

enum color { C_NORM, C_FILE, C_DIR, C_LINK, C_FIFO, C_SOCK, C_BLK, C_CHR, C_ORPHAN, C_MISSING, C_EXEC,
             C_SETUID, C_SETGID, C_STICKY, C_OTHER_W, C_STICKY_OTHER_W, C_COUNT };
static const char codes[C_COUNT][3] = {"no", "fi", "di", "ln", "pi", "so", "bd", "cd", "or", "mi", "ex",
                                       "su", "sg", "st", "ow", "tw"};

struct suffix_color {
    struct wk_str suffix, seq;
};

struct wk_tree_colors {
    struct wk_str v[C_COUNT], left, right, end;
    struct suffix_color *ext;
    size_t n;
    bool as_target;
};

static void read_color(struct wk_tree *t, struct wk_tree_colors *k, struct wk_str one)
{
    ptrdiff_t eq = wk_str_chr(one, '=');
    if (eq < 0)
        return;
    struct wk_str name = wk_str_take(one, (size_t)eq), seq = wk_str_from(one, (size_t)eq + 1);
    if (name.n && name.p[0] == '*') {
        k->ext = (struct suffix_color *)wk_heap_realloc(t->c->heap, k->ext, (k->n + 1) * sizeof *k->ext);
        k->ext[k->n++] = (struct suffix_color){wk_str_from(name, 1), seq};
    } else if (wk_str_is(name, "ln") && wk_str_is(seq, "target")) {
        k->as_target = true;
    } else if (wk_str_is(name, "lc") || wk_str_is(name, "rc") || wk_str_is(name, "ec")) {
        *(name.p[0] == 'l' ? &k->left : name.p[0] == 'r' ? &k->right : &k->end) = seq;
    } else {
        for (size_t i = 0; i < C_COUNT; i++)
            if (wk_str_is(name, codes[i]))
                k->v[i] = seq;
    }
}

const struct wk_tree_colors *wk_tree_colors_new(struct wk_tree *t)
{
    struct wk_cmd *c = t->c;
    const char *term = wk_cmd_env(c, "TERM"), *list = wk_cmd_env(c, "TREE_COLORS");
    const char *force = wk_cmd_env(c, "CLICOLOR_FORCE");
    if (!list)
        list = wk_cmd_env(c, "LS_COLORS");
    const char *never = wk_cmd_env(c, "NO_COLOR");
    bool forced = force && !t->o.no_color && !(never && *never);
    if (t->o.form == WK_TREE_HTML ? !t->o.color : !t->o.color && !forced)
        return NULL;
    if (!term && !list)
        return NULL;
    if (!list || !*list)
        list = "no=00:fi=00:di=01;34:ln=01;36:pi=40;33:so=01;35:bd=40;33;01:cd=40;33;01:or=40;31;01:ex=01;32"
               ":*.bat=01;32:*.BAT=01;32:*.btm=01;32:*.cmd=01;32:*.CMD=01;32:*.com=01;32:*.COM=01;32:*.exe=01;32"
               ":*.EXE=01;32:*.arj=01;31:*.bz2=01;31:*.deb=01;31:*.gz=01;31:*.lzh=01;31:*.rpm=01;31:*.tar=01;31"
               ":*.taz=01;31:*.tbz=01;31:*.tbz2=01;31:*.tgz=01;31:*.z=01;31:*.Z=01;31:*.zip=01;31:*.zoo=01;31"
               ":*.asf=01;35:*.avi=01;35:*.AVI=01;35:*.bmp=01;35:*.BMP=01;35:*.flac=01;35:*.gif=01;35:*.GIF=01;35"
               ":*.jpeg=01;35:*.jpg=01;35:*.JPG=01;35:*.m2v=01;35:*.mov=01;35:*.mp3=01;35:*.mpeg=01;35:*.mpg=01;35"
               ":*.ogg=01;35:*.ppm=01;35:*.rm=01;35:*.tga=01;35:*.tif=01;35:*.wav=01;35:*.wmv=01;35:*.xbm=01;35"
               ":*.xpm=01;35";
    struct wk_tree_colors *k = wk_new(c, struct wk_tree_colors);
    k->left = WK_STR("\033[");
    k->right = WK_STR("m");
    k->end = WK_STR("\033[0m");
    struct wk_str s = wk_str_c(list);
    while (s.n) {
        ptrdiff_t colon = wk_str_chr(s, ':');
        size_t n = colon < 0 ? s.n : (size_t)colon;
        read_color(t, k, wk_str_take(s, n));
        s = wk_str_from(s, n + 1);
    }
    return k;
}

static struct wk_str color_of(const struct wk_tree_colors *k, uint32_t mode, const char *name, bool orphan,
                              bool missing)
{
    enum color i = C_FILE;
    if (orphan)
        return k->v[missing ? C_MISSING : C_ORPHAN].n ? k->v[missing ? C_MISSING : C_ORPHAN] : k->v[C_NORM];
    switch (mode & WK_S_IFMT) {
    case WK_S_IFDIR:
        i = C_DIR;
        if ((mode & WK_S_ISVTX) && (mode & 02) && k->v[C_STICKY_OTHER_W].n)
            i = C_STICKY_OTHER_W;
        else if (!(mode & WK_S_ISVTX) && (mode & 02) && k->v[C_OTHER_W].n)
            i = C_OTHER_W;
        else if ((mode & WK_S_ISVTX) && !(mode & 02) && k->v[C_STICKY].n)
            i = C_STICKY;
        break;
    case WK_S_IFLNK:
        i = C_LINK;
        break;
    case WK_S_IFIFO:
        i = C_FIFO;
        break;
    case WK_S_IFSOCK:
        i = C_SOCK;
        break;
    case WK_S_IFBLK:
        i = C_BLK;
        break;
    case WK_S_IFCHR:
        i = C_CHR;
        break;
    default:
        if ((mode & WK_S_ISUID) && k->v[C_SETUID].n)
            return k->v[C_SETUID];
        if ((mode & WK_S_ISGID) && k->v[C_SETGID].n)
            return k->v[C_SETGID];
        if ((mode & 0111) && k->v[C_EXEC].n)
            return k->v[C_EXEC];
        for (size_t e = 0; e < k->n; e++)
            if (wk_str_ends(wk_str_c(name), k->ext[e].suffix))
                return k->ext[e].seq;
    }
    return k->v[i].n ? k->v[i] : k->v[C_NORM];
}

static bool begin_color(struct wk_tree *t, struct wk_str seq)
{
    if (!seq.n)
        return false;
    wk_out_str(t->out, t->colors->left);
    wk_out_str(t->out, seq);
    wk_out_str(t->out, t->colors->right);
    return true;
}

/* ---- a line ------------------------------------------------------------------------------------- */

static void put_class(struct wk_tree *t, uint32_t mode)
{
    char ch = '\0';
    switch (mode & WK_S_IFMT) {
    case WK_S_IFDIR:
        ch = '/';
        break;
    case WK_S_IFSOCK:
        ch = '=';
        break;
    case WK_S_IFIFO:
        ch = '|';
        break;
    case WK_S_IFLNK:
        ch = '@';
        break;
    default:
        if (mode & 0111)
            ch = '*';
    }
    if (ch && t->o.classify && !t->o.dirs_only)
        wk_out_char(t->out, ch);
}

void wk_tree_text_node(struct wk_tree *t, const struct wk_tree_node *n, bool root)
{
    struct wk_buf *b = t->meta;
    wk_buf_reset(b);
    if (n->known)
        wk_tree_meta(t, n, b);
    if (!t->o.meta_first)
        wk_tree_indent(t);
    if (b->n) {
        wk_out_put(t->out, b->p, b->n);
        wk_out_c(t->out, "  ");
    }
    if (t->o.meta_first)
        wk_tree_indent(t);
    bool colored = false;
    if (t->colors && n->known) {
        uint32_t mode = t->colors->as_target ? n->end.mode : n->st.mode;
        if (!(n->orphan && t->colors->as_target))
            colored = begin_color(t, color_of(t->colors, mode, n->name, n->orphan, false));
    }
    put_name(t, t->o.full_path ? n->path : n->name);
    if (colored)
        wk_out_str(t->out, t->colors->end);
    if (n->target && !root) {
        wk_out_c(t->out, " -> ");
        colored = t->colors && begin_color(t, color_of(t->colors, n->end.mode, n->target, n->orphan, true));
        put_name(t, n->target);
        if (colored)
            wk_out_str(t->out, t->colors->end);
        if (!n->orphan)
            put_class(t, n->end.mode);
    } else if (n->known) {
        put_class(t, n->st.mode);
    }
    if (n->err)
        wk_out_fmt(t->out, "  [%s]", n->err);
    wk_out_char(t->out, '\n');
}

void wk_tree_report(struct wk_tree *t)
{
    struct wk_out *out = t->out;
    wk_out_char(out, '\n');
    if (t->o.du) {
        wk_buf_reset(t->text);
        wk_tree_size_text(&t->o, t->total, t->text);
        wk_out_put(out, t->text->p, t->text->n);
        wk_out_c(out, t->o.human ? " used in " : " bytes used in ");
    }
    wk_out_fmt(out, "%llu director%s", (unsigned long long)t->dirs, t->dirs == 1 ? "y" : "ies");
    if (!t->o.dirs_only)
        wk_out_fmt(out, ", %llu file%s", (unsigned long long)t->files, t->files == 1 ? "" : "s");
    wk_out_char(out, '\n');
}
