/* tree_markup.c - tree as JSON, XML and HTML */
#include "builtins/tree.h"

static const char *type_of(const struct wk_tree_node *n)
{
    switch (n->known ? n->st.mode & WK_S_IFMT : 0) {
    case WK_S_IFDIR:
        return "directory";
    case WK_S_IFREG:
        return "file";
    case WK_S_IFLNK:
        return "link";
    case WK_S_IFIFO:
        return "fifo";
    case WK_S_IFSOCK:
        return "socket";
    case WK_S_IFBLK:
        return "block";
    case WK_S_IFCHR:
        return "char";
    default:
        return "unknown";
    }
}

static void put_json(struct wk_out *out, const char *s)
{
    static const char from[] = "\b\f\n\r\t\"\\", to[] = "bfnrt\"\\";
    for (; *s; s++) {
        const char *at = strchr(from, *s);
        if (at)
            wk_out_fmt(out, "\\%c", to[at - from]);
        else if ((unsigned char)*s < ' ')
            wk_out_fmt(out, "\\u00%c%c", '0' + (*s >> 4), "0123456789abcdef"[*s & 15]);
        else
            wk_out_char(out, *s);
    }
}

static void put_entities(struct wk_out *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '&')
            wk_out_c(out, "&amp;");
        else if (*s == '<')
            wk_out_c(out, "&lt;");
        else if (*s == '>')
            wk_out_c(out, "&gt;");
        else if (*s == '"')
            wk_out_c(out, "&quot;");
        else
            wk_out_char(out, *s);
    }
}

static void put_url(struct wk_out *out, const char *s)
{
    for (; *s; s++) {
        unsigned char ch = (unsigned char)*s;
        if (ch == '&')
            wk_out_c(out, "&amp;");
        else if (ch > ' ' && ch < 127 && !strchr("\"#%+<>?[\\]^", ch))
            wk_out_char(out, *s);
        else
            wk_out_fmt(out, "%%%c%c", "0123456789ABCDEF"[ch >> 4], "0123456789ABCDEF"[ch & 15]);
    }
}

static void line_end(struct wk_tree *t)
{
    if (!t->o.no_indent)
        wk_out_char(t->out, '\n');
}

static void margin(struct wk_tree *t, size_t depth)
{
    for (size_t i = 0; !t->o.no_indent && i < depth; i++)
        wk_out_c(t->out, "  ");
}

/* ---- JSON and XML ------------------------------------------------------------------------------- */

/* What was asked for, as members or attributes. */
static void put_fields(struct wk_tree *t, const struct wk_tree_node *n)
{
    const struct wk_tree_opts *o = &t->o;
    struct wk_out *out = t->out;
    bool json = o->form == WK_TREE_JSON;
    bool root = t->depth == 0;
    if (o->inodes)
        wk_out_fmt(out, json ? ",\"inode\":%llu" : " inode=\"%llu\"", (unsigned long long)(root ? 0 : n->end.ino));
    if (o->device)
        wk_out_fmt(out, json ? ",\"dev\":%llu" : " dev=\"%llu\"", (unsigned long long)(root ? 0 : n->end.dev));
    if (o->protection) {
        char mode[11];
        uint32_t m = n->st.mode;
        wk_mode_text(m, mode);
        mode[10] = '\0';
        wk_out_fmt(out, json ? ",\"mode\":\"%c%c%c%c\",\"prot\":\"%s\"" : " mode=\"%c%c%c%c\" prot=\"%s\"",
                   '0' + (m >> 9 & 7),
                   '0' + (m >> 6 & 7), '0' + (m >> 3 & 7), '0' + (m & 7), mode);
    }
    for (int i = 0; i < 2; i++) {
        if (!(i ? o->group : o->user))
            continue;
        const char *name = i ? wk_group_name(t->ids, n->st.gid) : wk_user_name(t->ids, n->st.uid);
        wk_out_fmt(out, json ? ",\"%s\":\"" : " %s=\"", i ? "group" : "user");
        if (name)
            wk_out_c(out, name);
        else
            wk_out_u64(out, i ? n->st.gid : n->st.uid);
        wk_out_char(out, '"');
    }
    if (o->size) {
        wk_buf_reset(t->text);
        wk_tree_size_text(o, n->size, t->text);
        const char *p = t->text->p + strspn(t->text->p, " ");
        if (!json)
            wk_out_fmt(out, " size=\"%llu\"", (unsigned long long)n->size);
        else
            wk_out_fmt(out, o->human ? ",\"size\":\"%s\"" : ",\"size\":%s", p);
    }
    if (o->date) {
        struct wk_buf *b = t->meta;
        wk_buf_reset(b);
        wk_tree_time_text(t, n, b);
        wk_out_fmt(out, json ? ",\"time\":\"%s\"" : " time=\"%s\"", b->p ? b->p : "");
    }
}

static void json_node(struct wk_tree *t, const struct wk_tree_node *n, bool last, bool open)
{
    struct wk_out *out = t->out;
    if (n->known) {
        margin(t, t->depth + 1);
        wk_out_fmt(out, "{\"type\":\"%s\"", type_of(n));
    }
    wk_out_c(out, ",\"name\":\"");
    put_json(out, t->o.full_path ? n->path : n->name);
    wk_out_char(out, '"');
    if (n->target && t->depth) {
        wk_out_c(out, ",\"target\":\"");
        put_json(out, n->target);
        wk_out_char(out, '"');
    }
    if (n->known)
        put_fields(t, n);
    if (open) {
        wk_out_c(out, ",\"contents\":[");
        line_end(t);
        return;
    }
    bool spoilt = t->c->status == 2 && t->depth; /* once something could not be opened, all have contents */
    bool again = n->err && n->err[0] == 'r' && !spoilt;
    if (again) { /* as the real one has it, though it is no JSON */
        wk_out_fmt(out, "}{\"error\": \"%s\"}", n->err);
        line_end(t);
    } else if (n->err || spoilt) {
        wk_out_c(out, ",\"contents\":[");
        if (n->err) {
            wk_out_fmt(out, "{\"error\": \"%s\"}", n->err);
            line_end(t);
        }
        if (!t->depth) {
            if (!last)
                wk_out_char(out, ',');
            line_end(t);
        }
        margin(t, 1);
        wk_out_char(out, ']');
    }
    if (!again)
        wk_out_char(out, '}');
    if (!last && (t->depth || n->err))
        wk_out_char(out, ',');
    line_end(t);
}

static void xml_node(struct wk_tree *t, const struct wk_tree_node *n, bool open)
{
    struct wk_out *out = t->out;
    if (n->known) {
        margin(t, t->depth + 1);
        wk_out_fmt(out, "<%s", type_of(n));
    }
    wk_out_c(out, " name=\"");
    put_entities(out, t->o.full_path ? n->path : n->name);
    wk_out_char(out, '"');
    if (n->target && t->depth) {
        wk_out_c(out, " target=\"");
        put_entities(out, n->target);
        wk_out_char(out, '"');
    }
    if (n->known)
        put_fields(t, n);
    wk_out_char(out, '>');
    if (open) {
        wk_out_char(out, '\n');
        return;
    }
    if (n->err)
        wk_out_fmt(out, "<error>%s</error>", n->err);
    if (!t->depth) {
        line_end(t);
        margin(t, 1);
    }
    wk_out_fmt(out, "</%s>", type_of(n));
    line_end(t);
}

/* ---- HTML --------------------------------------------------------------------------------------- */

static const char *class_of(uint32_t mode)
{
    switch (mode & WK_S_IFMT) {
    case WK_S_IFDIR:
        return "DIR";
    case WK_S_IFLNK:
        return "LINK";
    case WK_S_IFIFO:
        return "FIFO";
    case WK_S_IFSOCK:
        return "SOCK";
    case WK_S_IFBLK:
        return "BLOCK";
    case WK_S_IFCHR:
        return "CHAR";
    default:
        return mode & 0111 ? "EXEC" : "NORM";
    }
}

static void html_node(struct wk_tree *t, const struct wk_tree_node *n)
{
    struct wk_out *out = t->out;
    bool root = !t->depth;
    const char *host = t->host, *name = root ? host : t->o.full_path ? n->path : n->name;
    if (!n->known) {
        wk_out_c(out, "<a>");
        put_entities(out, name);
        wk_out_fmt(out, "</a>  [%s]<br>\n", n->err);
        return;
    }
    wk_tree_meta(t, n, t->meta);
    if (!t->o.meta_first)
        wk_tree_indent(t);
    for (size_t i = 0; i < t->meta->n; i++) {
        if (t->meta->p[i] == ' ')
            wk_out_c(out, "&nbsp;");
        else
            wk_out_char(out, t->meta->p[i]);
    }
    if (t->meta->n)
        wk_out_c(out, "&nbsp;&nbsp;&nbsp;&nbsp;");
    if (t->o.meta_first)
        wk_tree_indent(t);
    wk_out_c(out, "<a");
    if (t->o.color)
        wk_out_fmt(out, " class=\"%s\"", n->orphan ? "NORM" : class_of(n->end.mode));
    if (!t->o.no_links) {
        wk_out_c(out, " href=\"");
        put_url(out, host);
        if (!root) {
            put_url(out, t->open[t->depth - 1]->path + strlen(t->open[0]->path));
            if (name[0] != '/')
                wk_out_char(out, '/');
            put_url(out, name);
        }
        wk_out_c(out, n->is_dir || root ? "/\">" : "\">");
    } else {
        wk_out_char(out, '>');
    }
    put_entities(out, name);
    wk_out_c(out, "</a>");
    if (n->err)
        wk_out_fmt(out, "  [%s]", n->err);
    wk_out_c(out, "<br>\n");
}

static const char style[] =
    " <style type=\"text/css\">\n"
    "  BODY, P { font-family: monospace, sans-serif; color: black; }\n"
    "  P { margin: 0px; padding: 0px; }\n"
    "  A { text-decoration: none; }\n"
    "  A:hover { text-decoration: underline; background-color: yellow; }\n"
    "  .NORM { color: black; }\n  .FIFO { color: purple; }\n  .CHAR, .BLOCK { color: yellow; }\n"
    "  .DIR { color: blue; }\n  .LINK { color: aqua; }\n  .SOCK { color: fuchsia; }\n  .EXEC { color: green; }\n"
    " </style>\n";

static void html_begin(struct wk_tree *t)
{
    struct wk_out *out = t->out;
    const char *title = t->o.title ? t->o.title : "Directory Tree";
    wk_out_c(out, "<!DOCTYPE html>\n<html>\n<head>\n");
    wk_out_fmt(out, " <meta http-equiv=\"Content-Type\" content=\"text/html; charset=%s\">\n",
               t->charset ? t->charset : "iso-8859-1");
    wk_out_fmt(out, " <title>%s</title>\n%s</head>\n<body>\n\t<h1>%s</h1><p>\n", title, style, title);
}

/* ---- the document ------------------------------------------------------------------------------- */

void wk_tree_markup_begin(struct wk_tree *t)
{
    struct wk_out *out = t->out;
    if (t->o.form == WK_TREE_HTML) {
        html_begin(t);
    } else if (t->o.form == WK_TREE_JSON) {
        wk_out_char(out, '[');
        line_end(t);
    } else {
        wk_out_c(out, "<?xml version=\"1.0\"");
        if (t->charset)
            wk_out_fmt(out, " encoding=\"%s\"", t->charset);
        wk_out_c(out, "?>");
        line_end(t);
        wk_out_c(out, "<tree>");
        line_end(t);
    }
}

void wk_tree_markup_node(struct wk_tree *t, const struct wk_tree_node *n, bool last, bool open)
{
    if (t->o.form == WK_TREE_JSON)
        json_node(t, n, last, open);
    else if (t->o.form == WK_TREE_XML)
        xml_node(t, n, open);
    else
        html_node(t, n);
}

void wk_tree_markup_close(struct wk_tree *t, const struct wk_tree_node *n, bool last)
{
    if (t->o.form == WK_TREE_HTML)
        return;
    margin(t, t->depth + 1);
    if (t->o.form == WK_TREE_JSON)
        wk_out_c(t->out, last ? "]}" : "]},");
    else
        wk_out_fmt(t->out, "</%s>", type_of(n));
    line_end(t);
}

static void put_total(struct wk_tree *t, const char *what, uint64_t n)
{
    if (t->o.form == WK_TREE_JSON) {
        wk_out_fmt(t->out, ",\"%s\":%llu", what, (unsigned long long)n);
        return;
    }
    margin(t, 2);
    wk_out_fmt(t->out, "<%s>%llu</%s>", what, (unsigned long long)n, what);
    line_end(t);
}

void wk_tree_markup_end(struct wk_tree *t)
{
    struct wk_out *out = t->out;
    bool json = t->o.form == WK_TREE_JSON;
    if (t->o.form == WK_TREE_HTML) {
        if (!t->o.no_report) {
            wk_out_c(out, "<br><br><p>\n");
            wk_tree_report(t);
            wk_out_c(out, "\n</p>\n");
        }
        wk_out_c(out, "</body>\n</html>\n");
        return;
    }
    if (!t->o.no_report) {
        if (json)
            wk_out_char(out, ',');
        if (json)
            line_end(t);
        margin(t, 1);
        wk_out_c(out, json ? "{\"type\":\"report\"" : "<report>");
        if (!json)
            line_end(t);
        if (t->o.du)
            put_total(t, "size", t->total);
        put_total(t, "directories", t->dirs);
        if (!t->o.dirs_only)
            put_total(t, "files", t->files);
        if (!json)
            margin(t, 1);
        wk_out_c(out, json ? "}" : "</report>");
        line_end(t);
    } else if (json) {
        line_end(t);
    }
    wk_out_c(out, json ? "]\n" : "</tree>\n");
}
