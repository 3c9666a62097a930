/* tree.c - list directories as a tree
 *
 * Standard: none. Oracle: tree 2.1.0. Differs: docs/divergences/tree.md.
 */
#include "base/num.h"
#include "builtins/tree.h"

static const struct wk_opt tree_options[] = {
    WK_FLAG(struct wk_tree_opts, all, 'a', NULL, "also names that begin with a dot"),
    WK_FLAG(struct wk_tree_opts, dirs_only, 'd', NULL, "directories only"),
    WK_FLAG(struct wk_tree_opts, follow, 'l', NULL, "go into links to directories"),
    WK_FLAG(struct wk_tree_opts, full_path, 'f', NULL, "whole paths"),
    WK_FLAG(struct wk_tree_opts, one_fs, 'x', NULL, "stay on one file system"),
    WK_STR_OPT(struct wk_tree_opts, host, 'L', NULL, "LEVEL", "at most so many levels"),
    WK_FLAG(struct wk_tree_opts, rerun, 'R', NULL, "start anew at the last level (refused with -L)"),
    WK_LIST_OPT(struct wk_tree_opts, only, 'P', NULL, "PATTERN", "only files whose names match"),
    WK_LIST_OPT(struct wk_tree_opts, ignore, 'I', NULL, "PATTERN", "no files whose names match"),
    WK_FLAG(struct wk_tree_opts, ignore_case, 0, "ignore-case", "patterns match in either case"),
    WK_FLAG(struct wk_tree_opts, match_dirs, 0, "matchdirs", "-P looks at directories too; all in a match counts"),
    WK_FLAG(struct wk_tree_opts, meta_first, 0, "metafirst", "what is in brackets begins the line"),
    WK_FLAG(struct wk_tree_opts, prune, 0, "prune", "no empty directories"),
    WK_FLAG(struct wk_tree_opts, no_report, 0, "noreport", "no totals"),
    WK_STR_OPT(struct wk_tree_opts, charset, 0, "charset", "NAME", "lines and HTML in this character set"),
    WK_INT_OPT(struct wk_tree_opts, file_limit, 0, "filelimit", "N", "list no directories with more than N entries"),
    WK_STR_OPT(struct wk_tree_opts, output, 'o', NULL, "FILE", "write to FILE"),
    WK_FLAG(struct wk_tree_opts, hide, 'q', NULL, "what cannot be printed becomes '?'"),
    WK_FLAG(struct wk_tree_opts, raw, 'N', NULL, "names as they are"),
    WK_FLAG(struct wk_tree_opts, quote, 'Q', NULL, "names in double quotes"),
    WK_FLAG(struct wk_tree_opts, protection, 'p', NULL, "type and permissions"),
    WK_FLAG(struct wk_tree_opts, user, 'u', NULL, "owner"),
    WK_FLAG(struct wk_tree_opts, group, 'g', NULL, "group"),
    WK_FLAG(struct wk_tree_opts, size, 's', NULL, "size in bytes"),
    WK_FLAG(struct wk_tree_opts, human, 'h', NULL, "size with a unit letter"),
    WK_FLAG(struct wk_tree_opts, si, 0, "si", "the same by powers of 1000"),
    WK_FLAG(struct wk_tree_opts, du, 0, "du", "directories count with all below them"),
    WK_FLAG(struct wk_tree_opts, date, 'D', NULL, "time of the last change"),
    WK_STR_OPT(struct wk_tree_opts, time_format, 0, "timefmt", "FORMAT", "the time by strftime's FORMAT"),
    WK_FLAG(struct wk_tree_opts, classify, 'F', NULL, "a mark of the type behind the name, as ls -F"),
    WK_FLAG(struct wk_tree_opts, inodes, 0, "inodes", "inode number"),
    WK_FLAG(struct wk_tree_opts, device, 0, "device", "device number"),
    WK_SET(struct wk_tree_opts, sort, WK_TREE_BY_VERSION, 'v', NULL, "sort by version"),
    WK_SET(struct wk_tree_opts, sort, WK_TREE_BY_MTIME, 't', NULL, "sort by the time of the last change"),
    WK_SET(struct wk_tree_opts, sort, WK_TREE_BY_CTIME, 'c', NULL, "sort by status change, and show that time"),
    WK_FLAG(struct wk_tree_opts, unsorted, 'U', NULL, "do not sort"),
    WK_FLAG(struct wk_tree_opts, reverse, 'r', NULL, "reverse the order"),
    WK_FLAG(struct wk_tree_opts, dirs_first, 0, "dirsfirst", "directories before files"),
    WK_FLAG(struct wk_tree_opts, files_first, 0, "filesfirst", "files before directories"),
    WK_STR_OPT(struct wk_tree_opts, title, 0, "sort", "WORD", "name, version, size, mtime or ctime"),
    WK_FLAG(struct wk_tree_opts, no_indent, 'i', NULL, "no lines of indentation"),
    WK_SET(struct wk_tree_opts, lines, WK_TREE_ANSI, 'A', NULL, "lines by ANSI's graphics"),
    WK_SET(struct wk_tree_opts, lines, WK_TREE_CP437, 'S', NULL, "the same as --charset=IBM437"),
    WK_FLAG(struct wk_tree_opts, no_color, 'n', NULL, "no colours"),
    WK_FLAG(struct wk_tree_opts, color, 'C', NULL, "colours"),
    WK_SET(struct wk_tree_opts, form, WK_TREE_XML, 'X', NULL, "XML"),
    WK_SET(struct wk_tree_opts, form, WK_TREE_JSON, 'J', NULL, "JSON"),
    WK_STR_OPT(struct wk_tree_opts, host, 'H', NULL, "BASE", "HTML with links below BASE"),
    WK_STR_OPT(struct wk_tree_opts, title, 'T', NULL, "TEXT", "title of the HTML page"),
    WK_FLAG(struct wk_tree_opts, no_links, 0, "nolinks", "no links in HTML"),
    WK_OPTS_END,
};

/* ---- arguments: read here, since a letter's argument is always the next word --------------------- */

static WK_NORETURN void bad_option(struct wk_cmd *c, const char *text)
{
    wk_out_fmt(c->err, "%s\nusage: %s\n", text, c->command->usage);
    wk_exit(c, 1);
}

static void set_charset(struct wk_tree *t, const char *name)
{
    static const struct {
        const char *name;
        int lines;
    } known[] = {{"UTF-8", WK_TREE_UTF8},   {"utf8", WK_TREE_UTF8},       {"IBM437", WK_TREE_CP437},
                 {"cp437", WK_TREE_CP437},  {"IBM850", WK_TREE_CP437},    {"cp850", WK_TREE_CP437},
                 {"KOI8-R", WK_TREE_KOI8},  {"KOI8-U", WK_TREE_KOI8},     {"ISO-8859-1", WK_TREE_LATIN1},
                 {"latin1", WK_TREE_LATIN1}};
    t->charset = name;
    for (size_t i = 0; i < WK_COUNTOF(known); i++) {
        const char *a = name, *b = known[i].name;
        while (*a && wk_to_lower(*a) == wk_to_lower(*b))
            a++, b++;
        if (!*a && !*b)
            t->o.lines = known[i].lines;
    }
}

static void set_sort(struct wk_tree *t, const char *word)
{
    static const char *const words[] = {"name", "version", "size", "mtime", "ctime"};
    for (int i = 0; i < (int)WK_COUNTOF(words); i++) {
        if (strcmp(word, words[i]) == 0) {
            t->o.sort = i;
            return;
        }
    }
    wk_out_fmt(t->c->err, "%s: Sort type '%s' not valid, should be one of: ", t->c->name, word);
    (void)wk_out_flush(t->c->err);
    wk_out_c(t->c->out, "name,version,size,mtime,ctime\n"); /* the list goes there */
    wk_exit(t->c, 1);
}

static void add_pattern(struct wk_tree *t, struct wk_opt_list *l, const char *p)
{
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 8;
        l->v = (const char **)wk_heap_realloc(t->c->heap, l->v, l->cap * sizeof *l->v);
    }
    l->v[l->n++] = p;
}

static void set_flag(struct wk_tree *t, const struct wk_opt *o)
{
    if (o->kind == WK_OPT_FLAG)
        memcpy((char *)&t->o + o->offset, &(bool){true}, sizeof(bool));
    else
        memcpy((char *)&t->o + o->offset, &o->value, sizeof(int));
    t->o.by_ctime = t->o.by_ctime || o->short_name == 'c';
    if (o->short_name == 'S')
        t->o.charset = "IBM437";
}

static void set_value(struct wk_tree *t, const struct wk_opt *o, const char *arg)
{
    int err;
    switch (o->short_name) {
    case 'L':
        (void)wk_scan_u64(wk_str_c(arg), 10, &t->o.level, &err);
        if (!t->o.level)
            wk_fail(t->c, 1, "Invalid level, must be greater than 0.");
        return;
    case 'P':
        add_pattern(t, &t->o.only, arg);
        return;
    case 'I':
        add_pattern(t, &t->o.ignore, arg);
        return;
    case 'o':
        t->o.output = arg;
        return;
    case 'H':
        t->o.host = arg;
        t->o.form = WK_TREE_HTML;
        return;
    case 'T':
        t->o.title = arg;
        return;
    default:
        break;
    }
    if (strcmp(o->long_name, "charset") == 0)
        t->o.charset = arg;
    else if (strcmp(o->long_name, "filelimit") == 0)
        (void)wk_scan_u64(wk_str_c(arg), 10, &t->o.file_limit, &err);
    else if (strcmp(o->long_name, "timefmt") == 0)
        t->o.time_format = arg;
    else
        set_sort(t, arg);
}

/* Reads argv[i] as a long option; gives how many words it took. */
static int read_long(struct wk_tree *t, int i)
{
    struct wk_cmd *c = t->c;
    const char *word = c->argv[i] + 2;
    static const char *const refused[] = {"gitignore", "gitfile", "info",   "infofile",
                                          "fromfile",  "fflinks", "hintro", "houtro"};
    for (const struct wk_opt *o = tree_options; o->kind != WK_OPT_END; o++) {
        size_t n = o->long_name ? strlen(o->long_name) : 0;
        if (!n || strncmp(word, o->long_name, n) != 0 || (!o->arg && word[n]))
            continue;
        if (!o->arg) {
            set_flag(t, o);
            return 1;
        }
        if (word[n] == '=') {
            if (!word[n + 1])
                wk_fail(c, 1, "Missing argument to --%s=", o->long_name);
            set_value(t, o, word + n + 1);
            return 1;
        }
        if (i + 1 >= c->argc)
            wk_fail(c, 1, "Missing argument to --%s", o->long_name);
        set_value(t, o, c->argv[i + 1]);
        return 2;
    }
    for (size_t k = 0; k < WK_COUNTOF(refused); k++)
        if (strncmp(word, refused[k], strlen(refused[k])) == 0)
            wk_fail(c, 1, "--%s is not supported here", refused[k]);
    bad_option(c, wk_strf(c, "tree: Invalid argument `--%s'.", word));
}

static int read_letters(struct wk_tree *t, int i)
{
    struct wk_cmd *c = t->c;
    int used = 1;
    for (const char *p = c->argv[i] + 1; *p; p++) {
        const struct wk_opt *o = tree_options;
        while (o->kind != WK_OPT_END && o->short_name != *p)
            o++;
        if (o->kind == WK_OPT_END)
            bad_option(c, wk_strf(c, "tree: Invalid argument -`%c'.", *p));
        if (!o->arg) {
            set_flag(t, o);
            continue;
        }
        if (i + used >= c->argc)
            wk_fail(c, 1, "Missing argument to -%c option.", *p);
        set_value(t, o, c->argv[i + used++]);
    }
    return used;
}

static void settle(struct wk_tree *t)
{
    struct wk_tree_opts *o = &t->o;
    o->human = o->human || o->si;
    o->size = o->size || o->human || o->du;
    o->date = o->date || o->time_format;
    o->prune = o->prune && !o->dirs_only;
    if (o->unsorted)
        o->dirs_first = o->files_first = false;
    if (o->rerun && o->level)
        wk_fail(t->c, 1, "-R with -L is not supported here");
    const char *set = o->charset ? o->charset : wk_cmd_env(t->c, "TREE_CHARSET");
    if (!set && wk_cmd_utf8(t->c))
        set = "UTF-8";
    bool ansi = o->lines == WK_TREE_ANSI;
    o->lines = WK_TREE_ASCII;
    if (set)
        set_charset(t, set);
    if (ansi)
        o->lines = WK_TREE_ANSI;
    t->full = o->du || o->prune || o->match_dirs;
    if (o->host) {
        char *host = wk_dup(t->c, o->host);
        wk_strip_slashes(host);
        t->host = host;
    }
}

/* ---- walking ------------------------------------------------------------------------------------ */

static void push(struct wk_tree *t, struct wk_tree_node *n)
{
    if (t->depth == t->depth_cap) {
        t->depth_cap = t->depth_cap ? t->depth_cap * 2 : 32;
        t->open = (struct wk_tree_node **)wk_heap_realloc(t->c->heap, t->open, t->depth_cap * sizeof *t->open);
    }
    n->at = 0;
    t->open[t->depth++] = n;
}

/* Reads a node below the root (at the depth of the open ones) when it is to be gone into. */
static void look_into(struct wk_tree *t, struct wk_tree_node *n)
{
    if (!n->is_dir || n->read || (n->target && !t->o.follow))
        return;
    bool first = t->o.follow && wk_tree_first_visit(t, &n->end);
    if (n->target && !first) {
        n->err = "recursive, not followed";
        return;
    }
    if (t->o.level && t->depth >= t->o.level)
        return;
    if (t->o.one_fs && n->end.dev != t->root_dev)
        return;
    wk_tree_read(t, n);
    if (n->err && !t->full)
        t->c->status = 2;
}

/* A directory whose entries are all settled: its size, and what of it stays. */
static void settle_node(struct wk_tree *t, struct wk_tree_node *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->n; i++) {
        struct wk_tree_node *n = d->child[i];
        if (t->o.prune && n->is_dir && !n->n && !n->matched) {
            wk_tree_drop(t, n);
            continue;
        }
        if (t->o.du)
            d->size += n->size;
        d->child[kept++] = n;
    }
    d->n = kept;
    wk_tree_order(t, d);
}

static void read_all(struct wk_tree *t, struct wk_tree_node *root)
{
    push(t, root);
    while (t->depth) {
        struct wk_tree_node *d = t->open[t->depth - 1];
        if (d->at == d->n) {
            settle_node(t, d);
            t->depth--;
            continue;
        }
        struct wk_tree_node *n = d->child[d->at++];
        look_into(t, n);
        if (n->n)
            push(t, n);
    }
}

static void print_node(struct wk_tree *t, const struct wk_tree_node *n, bool last)
{
    if (t->o.form == WK_TREE_TEXT)
        wk_tree_text_node(t, n, !t->depth);
    else
        wk_tree_markup_node(t, n, last, n->n > 0);
}

static void print_below(struct wk_tree *t, struct wk_tree_node *root)
{
    push(t, root);
    while (t->depth) {
        struct wk_tree_node *d = t->open[t->depth - 1];
        wk_tick(t->c, 4);
        if (d->at == d->n) {
            t->depth--;
            bool last = t->depth ? t->open[t->depth - 1]->at == t->open[t->depth - 1]->n : !t->more_roots;
            if (t->o.form != WK_TREE_TEXT)
                wk_tree_markup_close(t, d, last);
            for (size_t i = 0; i < d->n; i++)
                wk_tree_drop(t, d->child[i]);
            d->n = 0;
            continue;
        }
        struct wk_tree_node *n = d->child[d->at++];
        look_into(t, n);
        *(n->is_dir ? &t->dirs : &t->files) += 1;
        t->total += n->size;
        print_node(t, n, d->at == d->n);
        if (n->n)
            push(t, n);
    }
}

static void list_root(struct wk_tree *t, const char *operand)
{
    struct wk_tree_node *n = wk_tree_root(t, operand);
    t->root_dev = n->end.dev;
    if (n->known && t->o.follow)
        (void)wk_tree_first_visit(t, &n->end);
    wk_tree_read(t, n);
    if (!n->known)
        t->c->status = 2;
    if (t->full && n->err)
        n->err = "error opening dir";
    if (t->full && n->n)
        read_all(t, n);
    if (n->n || (n->err && n->err[0] != 'e'))
        t->dirs++;
    else
        t->total += n->size;
    if (n->err && n->known && n->err[0] == 'e') /* also a directory that cannot be opened */
        t->files++;
    print_node(t, n, !t->more_roots);
    if (n->n)
        print_below(t, n);
    wk_tree_drop(t, n);
}

static void open_output(struct wk_tree *t)
{
    struct wk_file *f;
    t->out = t->c->out;
    if (!t->o.output)
        return;
    if (wk_cmd_open(t->c, t->o.output, WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, 0666, &f) != 0)
        wk_fail(t->c, 1, "invalid filename '%s'", t->o.output);
    t->out = wk_out_of(t->c, f);
}

static int tree_main(struct wk_cmd *c)
{
    struct wk_tree *t = wk_new(c, struct wk_tree);
    const char **roots = wk_new_n(c, const char *, (size_t)c->argc + 1);
    size_t n = 0;
    bool ended = false;
    t->c = c;
    for (int i = 1; i < c->argc;) {
        const char *a = c->argv[i];
        if (ended || a[0] != '-' || !a[1]) {
            roots[n++] = a;
            i++;
        } else if (a[1] != '-') {
            i += read_letters(t, i);
        } else if (!a[2]) {
            ended = true;
            i++;
        } else if (strcmp(a, "--version") == 0) {
            wk_out_c(c->out, "tree v2.1.0 (whelk)\n");
            return 0;
        } else {
            i += read_long(t, i);
        }
    }
    settle(t);
    open_output(t);
    t->utf8 = wk_cmd_utf8(c);
    t->ids = wk_idnames_new(c);
    t->tz = wk_zone_of(c);
    t->text = wk_cmd_buf(c, SIZE_MAX / 2);
    t->meta = wk_cmd_buf(c, SIZE_MAX / 2);
    t->walk = wk_ftw_new(c);
    t->colors = wk_tree_colors_new(t);
    if (!n)
        roots[n++] = ".";
    if (t->o.form != WK_TREE_TEXT)
        wk_tree_markup_begin(t);
    for (size_t i = 0; i < n; i++) {
        t->more_roots = i + 1 < n;
        list_root(t, roots[i]);
    }
    if (t->o.form != WK_TREE_TEXT)
        wk_tree_markup_end(t);
    else if (!t->o.no_report)
        wk_tree_report(t);
    if (t->out != c->out && wk_out_close(t->out) != 0)
        wk_fail(c, 1, "write error");
    return c->status;
}

WK_COMMAND(tree, .summary = "list directories as a tree",
           .usage = "tree [-acdfghilnpqrstuvxACDFJNQRSUX] [-L LEVEL] [-H BASE] [-T TITLE] [-o FILE]\n"
                    "tree [-P PATTERN] [-I PATTERN] [LONG OPTION]... [--] [DIRECTORY]...",
           .std = "tree 2.1.0", .opts = tree_options, .opts_size = sizeof(struct wk_tree_opts),
           .flags = WK_CMD_RAW_ARGS);
