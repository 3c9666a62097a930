/* df.c - free space of the session's mounts
 *
 * Standard: POSIX; GNU coreutils 9.1. Oracle: df.
 * Differs:  docs/divergences/df.md
 */
#include "base/num.h"
#include "builtins/fsops.h"
#include "builtins/human.h"
#include "vfs/mount.h"

enum field { SOURCE, FSTYPE, ITOTAL, IUSED, IAVAIL, IPCENT, SIZE, USED, AVAIL, PCENT, FILE_NAME, TARGET, FIELDS };

struct df_opts {
    bool all, inodes, local, portable, type, total, output, ignored, sized;
    struct wk_opt_list only, without;
    const char *fields;
    struct wk_block_size size;
};

#define DF struct df_opts

/* ---- options ----------------------------------------------------------------------------------- */

static int set_block(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    DF *o = (DF *)c->opts;
    wk_block_size_read(c, opt->long_name ? "--block-size" : "-B", arg, 1, &o->size);
    o->sized = true;
    return 0;
}

static int set_unit(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    DF *o = (DF *)c->opts;
    (void)arg;
    o->sized = true;
    o->size = (struct wk_block_size){.unit = (uint64_t)opt->value};
    if (opt->value < 1024)
        o->size = (struct wk_block_size){.unit = 1, .base = opt->value ? 1000 : 1024};
    return 0;
}

static int set_output(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    DF *o = (DF *)c->opts;
    (void)opt;
    o->output = true;
    if (arg)
        o->fields = o->fields ? wk_strf(c, "%s,%s", o->fields, arg) : arg;
    return 0;
}

static const struct wk_opt df_options[] = {
    WK_FLAG(DF, all, 'a', "all", "include pseudo, duplicate, inaccessible file systems"),
    WK_FUNC_OPT(set_block, 0, 'B', NULL, "SIZE", "scale sizes by SIZE before printing them"),
    WK_FUNC_OPT(set_block, 0, 0, "block-size", "SIZE", "the same"),
    WK_FUNC_OPT(set_unit, 0, 'h', "human-readable", NULL, "print sizes in powers of 1024"),
    WK_FUNC_OPT(set_unit, 1, 'H', "si", NULL, "print sizes in powers of 1000"),
    WK_FLAG(DF, inodes, 'i', "inodes", "list inode information instead of block usage"),
    WK_FUNC_OPT(set_unit, 1024, 'k', NULL, NULL, "like --block-size=1K"),
    WK_FUNC_OPT(set_unit, 1048576, 'm', NULL, NULL, "like --block-size=1M"),
    WK_FLAG(DF, local, 'l', "local", "limit listing to local file systems (all are)"),
    WK_FLAG(DF, ignored, 0, "no-sync", "do not invoke sync before getting usage info"),
    WK_FUNC_OPT(set_output, 0, 0, "output", "[FIELD_LIST", "use the output format defined by FIELD_LIST"),
    WK_FLAG(DF, portable, 'P', "portability", "use the POSIX output format"),
    WK_FLAG(DF, ignored, 0, "sync", "invoke sync before getting usage info (nothing is kept back)"),
    WK_FLAG(DF, total, 0, "total", "produce a grand total"),
    WK_LIST_OPT(DF, only, 't', "type", "TYPE", "limit listing to file systems of type TYPE"),
    WK_FLAG(DF, type, 'T', "print-type", "print file system type"),
    WK_LIST_OPT(DF, without, 'x', "exclude-type", "TYPE", "limit listing to file systems not of type TYPE"),
    WK_FLAG(DF, ignored, 'v', NULL, "(ignored)"),
    WK_OPTS_END,
};

/* ---- the table --------------------------------------------------------------------------------- */

struct usage {
    uint64_t total, used, avail; /* blocks in bytes, or inodes */
};

struct df {
    struct wk_cmd *c;
    DF *o;
    enum field columns[FIELDS];
    size_t n;
    const char **cells; /* rows of n */
    size_t rows, cap;
    struct usage blocks, inodes; /* grand total */
    bool processed;
};

static const struct {
    const char *name, *title;
    size_t width;
} field_names[FIELDS] = {
    [SOURCE] = {"source", "Filesystem", 14}, [FSTYPE] = {"fstype", "Type", 4}, [ITOTAL] = {"itotal", "Inodes", 5},
    [IUSED] = {"iused", "IUsed", 5},         [IAVAIL] = {"iavail", "IFree", 5}, [IPCENT] = {"ipcent", "IUse%", 4},
    [SIZE] = {"size", NULL, 5},              [USED] = {"used", "Used", 5},      [AVAIL] = {"avail", NULL, 5},
    [PCENT] = {"pcent", NULL, 4},            [FILE_NAME] = {"file", "File", 0}, [TARGET] = {"target", "Mounted on", 0},
};

static const char **new_row(struct df *d)
{
    if (d->rows == d->cap) {
        d->cap = d->cap * 2 + 16;
        d->cells = (const char **)wk_heap_realloc(d->c->heap, (void *)d->cells, d->cap * d->n * sizeof *d->cells);
    }
    return d->cells + d->rows++ * d->n;
}

/* "1K", "1kB", "512B", "1M", "1024": what a block is called in the heading. */
static const char *unit_name(struct df *d)
{
    uint64_t u = d->o->size.unit;
    static const char letters[] = "KMGTPE";
    if (d->o->portable)
        return wk_strf(d->c, "%llu", (unsigned long long)u);
    uint64_t by[2] = {1024, 1000}, left[2] = {u, u};
    int steps[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        for (; left[i] % by[i] == 0 && left[i] && steps[i] < 6; steps[i]++)
            left[i] /= by[i];
    int si = steps[1] > steps[0];
    if (!steps[si])
        return wk_strf(d->c, "%lluB", (unsigned long long)u);
    char letter = si && steps[1] == 1 ? 'k' : letters[steps[si] - 1];
    return wk_strf(d->c, "%llu%c%s", (unsigned long long)left[si], letter, si ? "B" : "");
}

static const char *title_of(struct df *d, enum field f)
{
    bool human = d->o->size.base != 0, posix = d->o->portable && !human;
    if (f == SIZE)
        return human ? "Size" : wk_strf(d->c, "%s-blocks", unit_name(d));
    if (f == AVAIL)
        return human || d->o->output ? "Avail" : "Available";
    if (f == PCENT)
        return posix ? "Capacity" : "Use%";
    return field_names[f].title;
}

static const char *amount(struct df *d, uint64_t v, bool inodes)
{
    char text[WK_HUMAN_MAX];
    const struct wk_block_size count = {.unit = 1, .base = d->o->size.base};
    size_t n = wk_human_size(text, v, inodes ? &count : &d->o->size);
    return wk_dupn(d->c, text, n);
}

static const char *percent(struct df *d, const struct usage *u)
{
    uint64_t all = u->used + u->avail;
    if (!all)
        return "-";
    uint64_t p = (uint64_t)(((__uint128_t)u->used * 100 + all - 1) / all);
    return wk_strf(d->c, "%llu%%", (unsigned long long)p);
}

static void put_row(struct df *d, const char *source, const char *type, const char *file, const char *target,
                    const struct usage *b, const struct usage *i)
{
    const char **row = new_row(d);
    for (size_t k = 0; k < d->n; k++) {
        enum field f = d->columns[k];
        const struct usage *u = f <= IPCENT ? i : b;
        bool inodes = f <= IPCENT;
        row[k] = f == SOURCE                    ? source
                 : f == FSTYPE                  ? type
                 : f == FILE_NAME               ? file
                 : f == TARGET                  ? target
                 : f == ITOTAL || f == SIZE     ? amount(d, u->total, inodes)
                 : f == IUSED || f == USED      ? amount(d, u->used, inodes)
                 : f == IAVAIL || f == AVAIL    ? amount(d, u->avail, inodes)
                                                : percent(d, u);
    }
}

static void print_table(struct df *d)
{
    struct wk_out *out = d->c->out;
    size_t width[FIELDS];
    for (size_t k = 0; k < d->n; k++) {
        width[k] = field_names[d->columns[k]].width;
        for (size_t r = 0; r < d->rows; r++)
            width[k] = WK_MAX(width[k], strlen(d->cells[r * d->n + k]));
    }
    for (size_t r = 0; r < d->rows; r++) {
        for (size_t k = 0; k < d->n; k++) {
            const char *cell = d->cells[r * d->n + k];
            enum field f = d->columns[k];
            bool left = f == SOURCE || f == FSTYPE || f == FILE_NAME || f == TARGET;
            size_t pad = width[k] - strlen(cell);
            if (k)
                wk_out_char(out, ' ');
            for (size_t i = 0; !left && i < pad; i++)
                wk_out_char(out, ' ');
            for (const char *p = cell; *p; p++) /* a name must not break the table */
                wk_out_char(out, (unsigned char)*p < ' ' || *p == 127 ? '?' : *p);
            for (size_t i = 0; left && k + 1 < d->n && i < pad; i++)
                wk_out_char(out, ' ');
        }
        wk_out_char(out, '\n');
    }
}

/* ---- file systems ------------------------------------------------------------------------------ */

static bool listed(const struct wk_opt_list *l, const char *type)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->v[i], type) == 0)
            return true;
    return false;
}

static void add_usage(struct usage *to, const struct usage *u)
{
    to->total += u->total;
    to->used += u->used;
    to->avail += u->avail;
}

static int statfs_of(struct wk_cmd *c, const char *path, struct wk_statfs *fs)
{
    int r;
    while ((r = wk_vfs_statfs(c->k->vfs, &c->proc->cred, c->proc->cwd, wk_str_c(path), fs)) == -WK_EAGAIN)
        wk_cmd_sleep(c, 1000000);
    return -r;
}

/* One mount, looked at by `path`; `file` is the operand or "-". */
static void add_mount(struct df *d, const struct wk_mount_info *m, const char *path, const char *file)
{
    struct wk_statfs fs;
    const DF *o = d->o;
    if ((o->only.n && !listed(&o->only, m->type)) || listed(&o->without, m->type))
        return;
    int err = statfs_of(d->c, path, &fs);
    if (err) {
        wk_msg(d->c, "%s: %s", wk_quote_maybe(d->c, path), wk_err_text(err));
        return;
    }
    if (strcmp(m->type, "proc") == 0 || strcmp(m->type, "devtmpfs") == 0) /* nothing is kept there */
        fs.blocks = fs.blocks_free = fs.inodes = fs.inodes_free = 0;
    if (!fs.blocks && !o->all && *file == '-' && !file[1])
        return;
    struct usage b = {fs.blocks * fs.block_size, (fs.blocks - fs.blocks_free) * fs.block_size,
                      fs.blocks_free * fs.block_size};
    struct usage i = {fs.inodes, fs.inodes - fs.inodes_free, fs.inodes_free};
    d->processed = true;
    add_usage(&d->blocks, &b);
    add_usage(&d->inodes, &i);
    put_row(d, wk_dup(d->c, m->source), wk_dup(d->c, m->type), file, wk_dup(d->c, m->path), &b, &i);
}

static void add_operand(struct df *d, const char *path)
{
    struct wk_stat st;
    struct wk_mount_info m;
    int err = wk_at_stat(d->c, NULL, path, true, &st);
    if (err) {
        wk_msg(d->c, "%s: %s", wk_quote_maybe(d->c, path), wk_err_text(err));
        return;
    }
    for (size_t i = 0; wk_vfs_mount_at(d->c->k->vfs, i, &m); i++) {
        if (m.dev == st.dev) {
            add_mount(d, &m, path, path);
            return;
        }
    }
}

/* ---- setting up -------------------------------------------------------------------------------- */

static void add_column(struct df *d, enum field f)
{
    d->columns[d->n++] = f;
}

static void read_fields(struct df *d, const char *list)
{
    struct wk_cmd *c = d->c;
    for (;;) {
        size_t n = strcspn(list, ","), f = 0;
        const char *word = wk_dupn(c, list, n);
        while (f < FIELDS && strcmp(field_names[f].name, word) != 0)
            f++;
        if (f == FIELDS)
            wk_usage(c, "option --output: field %s unknown", wk_quote_arg(c, word));
        for (size_t k = 0; k < d->n; k++)
            if (d->columns[k] == (enum field)f)
                wk_usage(c, "option --output: field %s used more than once", wk_quote_arg(c, word));
        add_column(d, (enum field)f);
        if (!list[n])
            return;
        list += n + 1;
    }
}

static void choose_columns(struct df *d)
{
    const DF *o = d->o;
    if (o->fields) {
        read_fields(d, o->fields);
        return;
    }
    for (int f = SOURCE; f < FIELDS; f++) {
        bool inode = f >= ITOTAL && f <= IPCENT, block = f >= SIZE && f <= PCENT;
        if (o->output || f == SOURCE || f == TARGET || (f == FSTYPE && o->type) || (inode && o->inodes) ||
            (block && !o->inodes))
            add_column(d, (enum field)f);
    }
}

static void check_options(struct wk_cmd *c, DF *o)
{
    static const char *const names[] = {"DF_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE"};
    const char *with = o->inodes ? "-i" : o->portable ? "-P" : o->type ? "-T" : NULL;
    if (o->output && with)
        wk_usage(c, "options %s and --output are mutually exclusive", with);
    for (size_t i = 0; i < o->only.n; i++)
        if (listed(&o->without, o->only.v[i]))
            wk_fail(c, 1, "file system type %s both selected and excluded", wk_quote_arg(c, o->only.v[i]));
    if (o->sized)
        return;
    o->size = (struct wk_block_size){.unit = wk_cmd_env(c, "POSIXLY_CORRECT") ? 512 : 1024};
    for (size_t i = 0; i < WK_COUNTOF(names); i++) {
        struct wk_block_size by_env;
        const char *text = wk_cmd_env(c, names[i]);
        if (!text)
            continue;
        if (wk_block_size_parse(text, &by_env))
            o->size = by_env;
        return;
    }
}

static int df_main(struct wk_cmd *c)
{
    struct df d = {.c = c, .o = (DF *)c->opts};
    struct wk_mount_info m;
    check_options(c, d.o);
    choose_columns(&d);
    const char **head = new_row(&d);
    for (size_t k = 0; k < d.n; k++)
        head[k] = title_of(&d, d.columns[k]);
    for (int i = 0; i < c->nargs; i++)
        add_operand(&d, c->args[i]);
    for (size_t i = 0; !c->nargs && wk_vfs_mount_at(c->k->vfs, i, &m); i++)
        add_mount(&d, &m, m.path, "-");
    if (!d.processed) {
        if (c->status == 0)
            wk_fail(c, 1, "no file systems processed");
        return c->status;
    }
    bool target_only = d.n == 1 && d.columns[0] == TARGET;
    bool sourced = false;
    for (size_t k = 0; k < d.n; k++)
        sourced = sourced || d.columns[k] == SOURCE;
    if (d.o->total)
        put_row(&d, "total", "-", "-", sourced && !target_only ? "-" : "total", &d.blocks, &d.inodes);
    print_table(&d);
    return c->status;
}

WK_COMMAND(df, .summary = "report file system space usage", .usage = "df [OPTION]... [FILE]...", .std = "coreutils 9.1",
           .opts = df_options, .opts_size = sizeof(DF),
           .help = "FIELD_LIST is a comma-separated list of columns: source, fstype, itotal, iused, iavail, ipcent,\n"
                   "size, used, avail, pcent, file and target.\n");
