/* dos2unix.c - dos2unix, unix2dos, mac2unix, unix2mac: line breaks of one system for those of
 * another
 *
 * Standard: none. Oracle: dos2unix 7.4.3. Differs: docs/divergences/dos2unix.md.
 */
#include "builtins/charset.h"
#include "builtins/fsops.h"

enum direction { DOS_UNIX, UNIX_DOS, MAC_UNIX, UNIX_MAC };
enum mode { M_ASCII, M_7BIT, M_ISO };
enum links { LINKS_SKIP, LINKS_FOLLOW, LINKS_REPLACE };
enum bom { BOM_NONE, BOM_UTF8, BOM_UTF16LE, BOM_UTF16BE };
enum bom_rule { BOM_DEFAULT, BOM_KEEP, BOM_REMOVE, BOM_ADD };

static const struct wk_opt dos2unix_options[] = {
    {WK_OPT_FLAG, 0, "allow-chown", NULL, "the file's owner may change", 0, 0, NULL},
    {WK_OPT_FLAG, 0, "no-allow-chown", NULL, "it may not (default)", 0, 0, NULL},
    {WK_OPT_FLAG, 'c', "convmode", "MODE",
     "ascii (default), 7bit, iso or mac; also -ascii, -7, -iso", 0, 0, NULL},
    {WK_OPT_FLAG, 0, NULL, NULL, "-437 -850 -860 -863 -865 -1252: the code page of -iso", 0, 0,
     NULL},
    {WK_OPT_FLAG, 'b', "keep-bom", NULL, "keep a byte order mark (default of unix2dos)", 0, 0,
     NULL},
    {WK_OPT_FLAG, 'm', "add-bom", NULL, "write one", 0, 0, NULL},
    {WK_OPT_FLAG, 'r', "remove-bom", NULL, "write none (default of dos2unix)", 0, 0, NULL},
    {WK_OPT_FLAG, 'f', "force", NULL, "binary files, too", 0, 0, NULL},
    {WK_OPT_FLAG, 's', "safe", NULL, "leave binary files alone (default)", 0, 0, NULL},
    {WK_OPT_FLAG, 'i', "info", "[=0dumbthcp]",
     "tell line breaks, mark and kind of files, convert nothing", 0, 0, NULL},
    {WK_OPT_FLAG, 'k', "keepdate", NULL, "keep the file's times", 0, 0, NULL},
    {WK_OPT_FLAG, 'l', "newline", NULL, "one more line break behind each converted one", 0, 0,
     NULL},
    {WK_OPT_FLAG, 'n', "newfile", NULL, "pairs of names: input and output", 0, 0, NULL},
    {WK_OPT_FLAG, 'o', "oldfile", NULL, "files are replaced (default)", 0, 0, NULL},
    {WK_OPT_FLAG, 'q', "quiet", NULL, "no messages", 0, 0, NULL},
    {WK_OPT_FLAG, 'v', "verbose", NULL, "more messages", 0, 0, NULL},
    {WK_OPT_FLAG, 'u', "keep-utf16", NULL, "UTF-16 stays so", 0, 0, NULL},
    {WK_OPT_FLAG, 0, "assume-utf16le", NULL, "it is UTF-16, the low byte first (also -ul)", 0, 0, NULL},
    {WK_OPT_FLAG, 0, "assume-utf16be", NULL, "it is UTF-16, the high byte first (also -ub)", 0, 0, NULL},
    {WK_OPT_FLAG, 'F', "follow-symlink", NULL, "convert what links lead to", 0, 0, NULL},
    {WK_OPT_FLAG, 'R', "replace-symlink", NULL, "put a converted file in place of a link", 0, 0,
     NULL},
    {WK_OPT_FLAG, 'S', "skip-symlink", NULL, "leave links alone (default)", 0, 0, NULL},
    {WK_OPT_FLAG, 'h', NULL, NULL, "the same as --help", 0, 0, NULL},
    {WK_OPT_FLAG, 'V', NULL, NULL, "the same as --version", 0, 0, NULL},
    WK_OPTS_END,
};

struct state {
    struct wk_cmd *c;
    enum direction dir;
    enum mode mode;
    enum links links;
    enum bom_rule bom_rule;
    enum bom assume;
    const struct wk_charset_table *page;
    bool pair; /* unix2dos: CR came, and goes with what follows */
    bool force, keep_date, extra, new_file, quiet, verbose, keep16;
    const char *info; /* flags of -i; NULL: convert */
    bool header_done;
    /* a file */
    enum bom bom;
    struct wk_charset in_set, out_set;        /* of text in UTF-16 */
    bool wide, wide_out, found_binary, began; /* wide: in UTF-16 */
    uint32_t before; /* the character before the present one; 0 at the start */
    bool pending_cr; /* dos2unix, mac2unix: a CR waits for what follows */
    uint64_t line, converted, breaks, dos, unix_n, mac;
    uint32_t binary; /* the symbol */
    uint64_t binary_line;
    bool failed; /* a character that the output cannot hold */
    struct wk_out *out;
    struct wk_fifo_buf held;
};

static void say(struct state *s, const char *text)
{
    int status = s->c->status;
    if (!s->quiet)
        wk_msg(s->c, "%s", text);
    s->c->status = status;
}

/* ---- characters ---------------------------------------------------------------------------------
 */

static uint32_t by_page(const struct state *s, uint32_t c)
{
    if (c < 0x80 || s->bom || s->wide) /* marked text is Unicode */
        return c;
    if (s->mode == M_7BIT)
        return ' ';
    if (s->mode != M_ISO)
        return c;
    if (s->dir == DOS_UNIX || s->dir == MAC_UNIX) {
        uint32_t u = s->page->code[c - 0x80];
        return u >= 0xa0 && u < 0x100 ? u : '.';
    }
    for (uint32_t i = 0; c >= 0xa0 && i < 128; i++)
        if (s->page->code[i] == c)
            return 0x80 + i;
    return '.';
}

static void put(struct state *s, uint32_t c)
{
    unsigned char out[4];
    c = by_page(s, c);
    if (!s->wide) {
        wk_out_char(s->out, (char)c);
        return;
    }
    size_t n = wk_charset_put(&s->out_set, c, out);
    if (!n)
        s->failed = true;
    wk_out_put(s->out, (const char *)out, n);
}

static void put_break(struct state *s)
{
    bool extra = s->extra && !(s->dir == UNIX_DOS && s->before == '\r');
    for (int i = 0; i <= extra; i++) {
        if (s->dir == UNIX_DOS || s->dir == UNIX_MAC)
            put(s, '\r');
        if (s->dir != UNIX_MAC)
            put(s, '\n');
    }
    s->converted++;
}

static bool is_binary(uint32_t c)
{
    return c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f';
}

/* Counts, for -i and for what is told in the end. */
static void count(struct state *s, uint32_t c)
{
    if (is_binary(c) && !s->found_binary) {
        s->found_binary = true;
        s->binary = c;
        s->binary_line = s->line;
    }
    if (c == '\n') {
        s->line += s->dir == DOS_UNIX || s->dir == UNIX_DOS || s->before != '\r';
        if (s->before == '\r') {
            s->dos++;
            s->mac--;
        } else {
            s->unix_n++;
        }
    } else if (c == '\r') {
        s->line += s->dir == MAC_UNIX || s->dir == UNIX_MAC;
        s->mac++;
    }
}

static void convert(struct state *s, uint32_t c)
{
    if (s->dir == UNIX_DOS || s->dir == UNIX_MAC) {
        bool after = s->dir == UNIX_DOS ? s->pair : s->before == '\r';
        s->pair = c == '\r' && !after;
        if (c == '\n' && !after)
            put_break(s);
        else
            put(s, c);
        return;
    }
    bool waiting = s->pending_cr;
    s->pending_cr = false;
    if (waiting) {
        if (s->dir == DOS_UNIX && c == '\n') {
            put_break(s);
            return;
        }
        if (s->dir == MAC_UNIX && c != '\n')
            put_break(s);
        else
            put(s, '\r');
    }
    if (c == '\r')
        s->pending_cr = true;
    else
        put(s, c);
}

static void end_text(struct state *s)
{
    if (!s->pending_cr)
        return;
    if (s->dir == MAC_UNIX)
        put_break(s);
    else
        put(s, '\r');
}

/* ---- reading ------------------------------------------------------------------------------------
 */

static size_t find_bom(struct state *s, const unsigned char *p, size_t n)
{
    s->bom = BOM_NONE;
    if (n >= 3 && memcmp(p, "\357\273\277", 3) == 0)
        s->bom = BOM_UTF8;
    else if (n >= 2 && memcmp(p, "\377\376", 2) == 0)
        s->bom = BOM_UTF16LE;
    else if (n >= 2 && memcmp(p, "\376\377", 2) == 0)
        s->bom = BOM_UTF16BE;
    enum bom kind = s->bom ? s->bom : s->assume;
    s->wide = kind >= BOM_UTF16LE;
    (void)wk_charset_find(kind == BOM_UTF16BE ? WK_STR("UTF-16BE") : WK_STR("UTF-16LE"),
                          &s->in_set);
    s->wide_out = s->wide && s->keep16;
    s->out_set = s->in_set;
    if (s->wide && !s->keep16)
        (void)wk_charset_find(wk_cmd_utf8(s->c) ? WK_STR("UTF-8") : WK_STR("ASCII"), &s->out_set);
    return s->bom == BOM_UTF8 ? 3 : s->bom ? 2 : 0;
}

/* Whether a byte order mark is written, and which. */
static void put_bom(struct state *s)
{
    bool keep = s->bom_rule == BOM_KEEP ||
                (s->bom_rule == BOM_DEFAULT && (s->dir == UNIX_DOS || s->dir == UNIX_MAC));
    if (!(s->bom_rule == BOM_ADD || (keep && (s->bom || s->wide))))
        return;
    if (s->wide_out) {
        unsigned char out[4];
        size_t n = wk_charset_put(&s->out_set, 0xfeff, out);
        wk_out_put(s->out, (const char *)out, n);
    } else {
        wk_out_c(s->out, "\357\273\277");
    }
    if (s->verbose)
        say(s, !s->wide_out    ? "Writing UTF-8 BOM."
               : s->in_set.big ? "Writing UTF-16BE BOM."
                               : "Writing UTF-16LE BOM.");
}

static void tell_page(struct state *s)
{
    if (s->mode == M_ISO && !s->wide && !(s->bom && (s->dir == MAC_UNIX || s->dir == UNIX_MAC)))
        say(s, wk_strf(s->c, "using code page %s.", s->page->name));
}

/* The bytes at hand; `last` when no more come. True as long as the text can go on. */
static bool take(struct state *s, bool writing, bool last, const char *name)
{
    size_t n = s->held.n, i = 0;
    const unsigned char *p = n ? (const unsigned char *)s->held.p + s->held.head : (const unsigned char *)"";
    if (!s->began) {
        if (n < 3 && !last)
            return true;
        s->began = true;
        i = find_bom(s, p, n);
        if (writing && s->assume && s->verbose)
            say(s, s->assume == BOM_UTF16LE ? "Assuming UTF-16LE encoding."
                                            : "Assuming UTF-16BE encoding.");
        if (writing && s->bom && s->verbose)
            say(s, wk_strf(s->c, "Input file %s has %s BOM.", name,
                           s->bom == BOM_UTF8      ? "UTF-8"
                           : s->bom == BOM_UTF16LE ? "UTF-16LE"
                                                   : "UTF-16BE"));
        if (writing)
            tell_page(s);
        if (writing)
            put_bom(s);
    }
    while (i < n) {
        uint32_t c = p[i];
        size_t length = 1;
        if (s->wide) {
            int r = wk_charset_get(&s->in_set, p + i, n - i, &c);
            if (r == WK_CHARSET_SHORT)
                break;
            s->failed = s->failed || r < 0;
            length = r < 0 ? 2 : (size_t)r;
        }
        i += length;
        count(s, c);
        if (s->found_binary && !s->force && !s->info)
            return false;
        if (writing)
            convert(s, c);
        if (s->failed)
            return false;
        s->before = c;
    }
    wk_fifo_take(&s->held, i);
    wk_tick(s->c, (uint32_t)(n / 16 & 0xffffff) + 1);
    return true;
}

static int run(struct state *s, struct wk_in *in, bool writing, const char *name)
{
    const char *p;
    size_t n;
    int err = 0;
    s->bom = BOM_NONE;
    s->began = s->found_binary = s->pair = s->pending_cr = s->failed = s->wide = false;
    s->before = 0;
    s->line = 1;
    s->converted = s->dos = s->unix_n = s->mac = 0;
    wk_fifo_take(&s->held, s->held.n);
    while ((n = wk_raw_next(s->c, in, &p, &err)) > 0) {
        n = WK_MIN(n, 65536);
        wk_fifo_put(s->c, &s->held, p, n);
        wk_file_skip(in->file, n);
        if (!take(s, writing, false, name))
            return 0;
    }
    if (err || !take(s, writing, true, name))
        return err;
    if (writing)
        end_text(s);
    return 0;
}

/* ---- -i -----------------------------------------------------------------------------------------
 */

static void print_info(struct state *s, const char *name)
{
    static const char *const boms[] = {"no_bom", "UTF-8", "UTF-16LE", "UTF-16BE"};
    struct wk_out *out = s->c->out;
    bool only = strchr(s->info, 'c') != NULL, all = !only && !strpbrk(s->info, "dumbt");
    char end = strchr(s->info, '0') ? '\0' : '\n';
    const char *flags = all ? "dumbt" : s->info;
    if (only) {
        uint64_t n = s->dir == DOS_UNIX ? s->dos : s->dir == MAC_UNIX ? s->mac : s->unix_n;
        if (!n || (s->found_binary && !s->force))
            return;
    }
    bool columns = strpbrk(flags, "dumbt") != NULL;
    if (strchr(s->info, 'h') && !s->header_done) {
        s->header_done = true;
        if (strchr(flags, 'd'))
            wk_out_c(out, "     DOS");
        if (strchr(flags, 'u'))
            wk_out_c(out, "    UNIX");
        if (strchr(flags, 'm'))
            wk_out_c(out, "     MAC");
        if (strchr(flags, 'b'))
            wk_out_c(out, "  BOM     ");
        if (strchr(flags, 't'))
            wk_out_c(out, "  TXTBIN");
        wk_out_fmt(out, "%sFILE%c", columns ? "  " : "", end);
    }
    if (strchr(flags, 'd'))
        wk_out_fmt(out, "%8llu", (unsigned long long)s->dos);
    if (strchr(flags, 'u'))
        wk_out_fmt(out, "%8llu", (unsigned long long)s->unix_n);
    if (strchr(flags, 'm'))
        wk_out_fmt(out, "%8llu", (unsigned long long)s->mac);
    if (strchr(flags, 'b'))
        wk_out_fmt(out, "  %-8s", boms[s->bom]);
    if (strchr(flags, 't'))
        wk_out_fmt(out, "  %-6s", s->found_binary ? "binary" : "text");
    const char *slash = name && strchr(s->info, 'p') ? strrchr(name, '/') : NULL;
    if (name)
        wk_out_fmt(out, "%s%s", columns ? "  " : "", slash ? slash + 1 : name);
    wk_out_char(out, end);
}

/* ---- files --------------------------------------------------------------------------------------
 */

/* Whether the file is to be looked at at all; says why not. */
static bool suitable(struct state *s, const char *name, bool paired, struct wk_stat *st)
{
    struct wk_cmd *c = s->c;
    int err = wk_cmd_stat(c, name, false, st);
    bool link = !err && (st->mode & WK_S_IFMT) == WK_S_IFLNK;
    if (link && !paired && !s->info && s->links == LINKS_SKIP) {
        say(s, wk_strf(c, "Skipping symbolic link %s.", name));
        return false;
    }
    if (link)
        err = wk_cmd_stat(c, name, true, st);
    if (err) {
        say(s, wk_strf(c, "%s: %s", name, wk_err_text(err)));
        if (!s->quiet)
            c->status = err;
    }
    if (!err && (st->mode & WK_S_IFMT) == WK_S_IFREG)
        return true;
    if (link && !paired)
        say(s, wk_strf(c, "Skipping symbolic link %s, target is not a regular file.", name));
    else
        say(s, wk_strf(c, "Skipping %s, not a regular file.", name));
    return false;
}

static const char *kind_text(const struct state *s, bool out)
{
    if (out && !s->wide_out)
        return wk_cmd_utf8(s->c) ? "UTF-8" : "ANSI_X3.4-1968";
    return s->in_set.big ? "UTF-16BE" : "UTF-16LE";
}

/* Binary, or not to be converted: says so. */
static bool refused(struct state *s, const char *name)
{
    if (s->found_binary && !s->force) {
        int status = s->c->status;
        if (!s->quiet)
            wk_msg(s->c, "Binary symbol 0x%02X found at line %llu", s->binary,
                   (unsigned long long)s->binary_line);
        s->c->status = status;
        say(s, wk_strf(s->c, "Skipping binary file %s", name));
        return true;
    }
    if (!s->failed)
        return false;
    if (!s->quiet) {
        wk_msg(s->c, "Invalid or incomplete multibyte or wide character");
        wk_msg(s->c, "Skipping UTF-16 file %s, an UTF-16 conversion error occurred on line %llu.",
               name, (unsigned long long)s->line);
        s->c->status = 1;
    }
    return true;
}

static void tell_counts(struct state *s)
{
    int status = s->c->status;
    if (s->verbose) {
        bool mac = s->dir == MAC_UNIX || s->dir == UNIX_MAC;
        uint64_t all = s->dos + s->unix_n + (mac ? s->mac : 0);
        wk_msg(s->c, "Converted %llu out of %llu line breaks.", (unsigned long long)s->converted,
               (unsigned long long)all);
    }
    s->c->status = status;
}

static void tell_result(struct state *s, const char *in, const char *out)
{
    static const char *const systems[] = {"Unix", "DOS", "Unix", "Mac"};
    int status = s->c->status;
    if (s->quiet)
        return;
    tell_counts(s);
    const char *to = systems[s->dir];
    const char *from_kind = s->wide ? wk_strf(s->c, "%s ", kind_text(s, false)) : "";
    const char *to_kind = s->wide ? wk_strf(s->c, "%s ", kind_text(s, true)) : "";
    if (out)
        wk_msg(s->c, "converting %sfile %s to %sfile %s in %s format...", from_kind, in, to_kind,
               out, to);
    else if (s->wide)
        wk_msg(s->c, "converting %sfile %s to %s%s format...", from_kind, in, to_kind, to);
    else
        wk_msg(s->c, "converting file %s to %s format...", in, to);
    s->c->status = status;
}

static void failed_file(struct state *s, const char *in, const char *out, const char *what, int err)
{
    if (s->quiet)
        return;
    wk_msg(s->c, "%s: %s", what, wk_err_text(err));
    if (out)
        wk_msg(s->c, "problems converting file %s to file %s", in, out);
    else
        wk_msg(s->c, "problems converting file %s", in);
    s->c->status = err;
}

static char *temporary_name(struct state *s, const char *target)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    char text[7] = {0};
    uint64_t bits = wk_kern_random(s->c->k);
    for (int i = 0; i < 6; i++, bits /= 62)
        text[i] = letters[bits % 62];
    const char *slash = strrchr(target, '/');
    int dir = slash ? (int)(slash - target) + 1 : 0;
    return wk_strf(s->c, "%.*sd2utmp%s", dir, target, text);
}

/* `out` NULL: the file itself is replaced. */
static void convert_file(struct state *s, const char *name, const char *out)
{
    struct wk_cmd *c = s->c;
    struct wk_stat st, plain;
    struct wk_in *in;
    struct wk_file *f;
    if (!suitable(s, name, out != NULL, &st))
        return;
    int err = wk_raw_open(c, name, false, &in);
    if (err) {
        if (!s->quiet)
            c->status = err;
        if (s->info)
            say(s, wk_strf(c, "%s: %s", name, wk_err_text(err)));
        else
            failed_file(s, name, out, name, err);
        return;
    }
    if (s->info) {
        (void)run(s, in, false, name);
        wk_in_close(in);
        print_info(s, name);
        return;
    }
    const char *target = out ? out : name;
    char *real = NULL;
    bool link =
        wk_cmd_stat(c, target, false, &plain) == 0 && (plain.mode & WK_S_IFMT) == WK_S_IFLNK;
    if (link && s->links == LINKS_FOLLOW && wk_at_realpath(c, target, WK_REALPATH_ALL, &real) == 0)
        target = real;
    char *temporary = temporary_name(s, target);
    err = wk_cmd_open(c, temporary, WK_O_WRONLY | WK_O_CREAT | WK_O_EXCL, 0600, &f);
    if (err) {
        wk_in_close(in);
        failed_file(s, name, out, "Failed to open temporary output file", err);
        return;
    }
    s->out = wk_out_of(c, f);
    err = run(s, in, true, name);
    wk_in_close(in);
    int closed = wk_out_close(s->out);
    err = err ? err : closed;
    if (err || (s->found_binary && !s->force) || s->failed) {
        (void)wk_at_unlink(c, NULL, temporary);
        if (!err)
            (void)refused(s, name);
        else
            failed_file(s, name, out, name, err);
        return;
    }
    (void)wk_at_chmod(c, NULL, temporary, true,
                      out ? st.mode & 07777 & ~c->proc->cred.umask : st.mode & 07777);
    if (!out)
        (void)wk_at_chown(c, NULL, temporary, true, st.uid, st.gid);
    if (s->keep_date)
        (void)wk_at_utimens(c, NULL, temporary, true, st.atim, st.mtim);
    err = wk_at_rename(c, NULL, temporary, NULL, target, 0);
    if (err) {
        (void)wk_at_unlink(c, NULL, temporary);
        failed_file(s, name, out, wk_strf(c, "problems renaming '%s' to '%s'", temporary, target),
                    err);
        return;
    }
    tell_result(s, name, out);
}

static void convert_stdin(struct state *s)
{
    struct wk_in *in;
    int err = wk_raw_open(s->c, "-", true, &in);
    s->out = s->c->out;
    if (!err)
        err = run(s, in, !s->info, "stdin");
    if (err)
        wk_fail(s->c, err, "%s", wk_err_text(err));
    if (s->info)
        print_info(s, NULL);
    else if (!refused(s, "stdin") && !s->quiet)
        tell_counts(s);
}

/* ---- options: whole words, each in force for the names behind it
 * ---------------------------------- */

static void use_page(struct state *s, const char *number, bool found)
{
    s->mode = M_ISO;
    s->assume = BOM_NONE;
    for (const struct wk_charset_table *t = wk_charset_tables; t->name; t++)
        if (strcmp(t->name, number) == 0)
            s->page = t;
    if (found)
        say(s, "active code page: 0");
}

static void set_mode(struct state *s, const char *word)
{
    s->assume = BOM_NONE; /* the last word about how to read counts */
    if (strcmp(word, "ascii") == 0)
        s->mode = M_ASCII;
    else if (strcmp(word, "7bit") == 0)
        s->mode = M_7BIT;
    else if (strcmp(word, "iso") == 0)
        use_page(s, "437", true);
    else if (strcmp(word, "mac") == 0)
        s->dir = s->dir == DOS_UNIX ? MAC_UNIX : s->dir == UNIX_DOS ? UNIX_MAC : s->dir;
    else
        wk_fail(s->c, 1, "invalid %s conversion mode specified", word);
}

static void set_info(struct state *s, const char *flags)
{
    for (const char *p = flags; *p; p++)
        if (!strchr("0dumbthcp", *p))
            wk_fail(s->c, 1, "wrong flag '%c' for option -i or --info", *p);
    s->info = flags;
}

static bool is(const char *a, const char *x, const char *y)
{
    return (x && strcmp(a, x) == 0) || (y && strcmp(a, y) == 0);
}

static bool read_rest(struct state *s, const char *a)
{
    if (is(a, "-u", "--keep-utf16"))
        s->keep16 = true;
    else if (is(a, "-ul", "--assume-utf16le"))
        s->assume = BOM_UTF16LE;
    else if (is(a, "-ub", "--assume-utf16be"))
        s->assume = BOM_UTF16BE;
    else if (is(a, "-F", "--follow-symlink"))
        s->links = LINKS_FOLLOW;
    else if (is(a, "-R", "--replace-symlink"))
        s->links = LINKS_REPLACE;
    else if (is(a, "-S", "--skip-symlink"))
        s->links = LINKS_SKIP;
    else if (is(a, "-ascii", NULL))
        set_mode(s, "ascii");
    else if (is(a, "-7", NULL))
        set_mode(s, "7bit");
    else if (is(a, "-iso", NULL))
        use_page(s, "437", true);
    else if (is(a, "-437", "-850") || is(a, "-860", "-863") || is(a, "-865", "-1252"))
        use_page(s, a + 1, false);
    else if (strncmp(a, "-i", 2) == 0)
        set_info(s, a + 2);
    else if (strcmp(a, "--info") == 0 || strncmp(a, "--info=", 7) == 0)
        set_info(s, a[6] ? a + 7 : "");
    else if (is(a, "-h", "--help"))
        wk_cmd_about(s->c, false);
    else if (is(a, "-V", "--version"))
        wk_cmd_about(s->c, true);
    else if (!is(a, "--allow-chown", "--no-allow-chown"))
        return false;
    return true;
}

static void read_option(struct state *s, const char *a)
{
    if (is(a, "-b", "--keep-bom"))
        s->bom_rule = s->bom_rule == BOM_ADD ? BOM_ADD : BOM_KEEP;
    else if (is(a, "-m", "--add-bom"))
        s->bom_rule = BOM_ADD;
    else if (is(a, "-r", "--remove-bom"))
        s->bom_rule = BOM_REMOVE;
    else if (is(a, "-f", "--force"))
        s->force = true;
    else if (is(a, "-s", "--safe"))
        s->force = false;
    else if (is(a, "-k", "--keepdate"))
        s->keep_date = true;
    else if (is(a, "-l", "--newline"))
        s->extra = true;
    else if (is(a, "-n", "--newfile"))
        s->new_file = true;
    else if (is(a, "-o", "--oldfile"))
        s->new_file = false;
    else if (is(a, "-q", "--quiet"))
        s->quiet = true, s->verbose = false;
    else if (is(a, "-v", "--verbose"))
        s->verbose = true, s->quiet = false;
    else if (!read_rest(s, a))
        wk_usage(s->c, "unknown option '%s'", a);
}

static int dos2unix_main(struct wk_cmd *c)
{
    static const char *const names[] = {"dos2unix", "unix2dos", "mac2unix", "unix2mac"};
    struct state s = {.c = c};
    bool ended = false, any = false;
    for (int i = 0; i < 4; i++)
        if (strcmp(c->name, names[i]) == 0)
            s.dir = (enum direction)i;
    for (int i = 1; i < c->argc; i++) {
        const char *a = c->argv[i];
        if (!ended && a[0] == '-') {
            if (strcmp(a, "--") == 0) {
                ended = true;
            } else if (is(a, "-c", "--convmode")) {
                if (i + 1 >= c->argc)
                    wk_fail(c, 1, "option '%s' requires an argument", a);
                set_mode(&s, c->argv[++i]);
            } else {
                read_option(&s, a);
            }
            continue;
        }
        any = true;
        if (!s.new_file || s.info) {
            convert_file(&s, a, NULL);
        } else if (i + 1 >= c->argc) {
            wk_fail(c, 1, "target of file %s not specified in new-file mode", a);
        } else {
            convert_file(&s, a, c->argv[++i]);
        }
    }
    if (!any)
        convert_stdin(&s);
    return c->status;
}

WK_COMMAND(dos2unix, .aliases = "unix2dos mac2unix unix2mac",
           .summary = "convert line breaks between DOS, Mac and Unix",
           .usage = "dos2unix [OPTION]... [FILE]... [-n INFILE OUTFILE]...",
           .std = "dos2unix 7.4.3", .opts = dos2unix_options, .opts_size = sizeof(bool),
           .flags = WK_CMD_RAW_ARGS);
