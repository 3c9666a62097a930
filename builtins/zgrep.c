/* zgrep.c - grep in files that may be compressed: zgrep, zegrep, zfgrep
 *
 * Standard: gzip 1.12. Oracle: zgrep.
 * Each file goes through `gzip -cdfq` into a grep of its own, which is told its name.
 */
#include "builtins/fsops.h"

enum { NOT_MATCHED = 1, FAILED = 2, DAMAGED = 64 /* added by the script when gzip failed */ };

/* 141: grep had seen enough. 2: only a warning. */
static const char script[] = "f=$1; shift; gzip -cdfq -- \"$f\" | grep \"$@\"\n"
                             "s=(\"${PIPESTATUS[@]}\")\n"
                             "case ${s[0]} in 0|2|141) exit \"${s[1]}\"; esac\n"
                             "exit $((64 + (s[1] > 2 ? 2 : s[1])))";

struct zgrep {
    struct wk_cmd *c;
    const char **args; /* of grep, the file's own before them */
    size_t n_args;
    const char **files;
    size_t n_files;
    const char *prefix; /* how messages begin */
    bool has_pattern, no_names;
};

static void take(struct zgrep *z, const char *arg)
{
    z->args[z->n_args++] = arg;
}

WK_NORETURN static void refuse(struct zgrep *z, const char *option)
{
    wk_out_fmt(z->c->err, "%s: %s: option not supported\n", z->prefix, option);
    wk_exit(z->c, FAILED);
}

/* Patterns of a file are read once, since it may be the standard input. */
static void take_patterns(struct zgrep *z, const char *path)
{
    struct wk_file *file = NULL;
    struct wk_in *in = z->c->in;
    int err = strcmp(path, "-") == 0 ? 0 : wk_cmd_open(z->c, path, WK_O_RDONLY, 0, &file);
    if (err) {
        wk_out_fmt(z->c->err, "cat: %s: %s\n", path, wk_err_text(err));
        wk_exit(z->c, FAILED);
    }
    if (file)
        in = wk_in_of(z->c, file, path);
    struct wk_str text = wk_in_all(in);
    if (file)
        wk_in_close(in);
    z->has_pattern = true;
    if (!text.n) {
        take(z, "-f");
        take(z, "/dev/null");
        return;
    }
    take(z, "-e");
    take(z, wk_dupn(z->c, text.p, text.n - (text.p[text.n - 1] == '\n')));
}

/* A word of short options at `at`; returns the word after it and what it took. */
static int take_short(struct zgrep *z, int at)
{
    const char *p = z->c->argv[at] + 1;
    for (; *p; p++) {
        const char *option = wk_strf(z->c, "-%c", *p);
        if (strchr("drRzZ", *p))
            refuse(z, option);
        if (*p == 'V' || *p == 'h')
            z->no_names = z->no_names || *p == 'h';
        if (*p == 'V')
            wk_cmd_about(z->c, true);
        if (!strchr("ABCDefmX", *p)) {
            take(z, option);
            continue;
        }
        const char *arg = p[1] ? p + 1 : z->c->argv[++at];
        if (!arg) {
            wk_out_fmt(z->c->err, "%s: %s option requires an argument\n", z->prefix, option);
            wk_exit(z->c, FAILED);
        }
        if (*p == 'f') {
            take_patterns(z, arg);
        } else {
            z->has_pattern = z->has_pattern || *p == 'e';
            take(z, option);
            take(z, arg);
        }
        break;
    }
    return at + 1;
}

static int take_long(struct zgrep *z, int at)
{
    static const char *const refused[] = {"--dereference-recursive", "--directories", "--exclude", "--include",
                                          "--null", "--recursive"};
    const char *word = z->c->argv[at], *next = z->c->argv[at + 1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "--version") == 0)
        wk_cmd_about(z->c, word[2] == 'v');
    for (size_t i = 0; i < WK_COUNTOF(refused); i++)
        if (strncmp(word, refused[i], strlen(refused[i])) == 0)
            refuse(z, word);
    bool separate = strcmp(word, "--file") == 0 || strcmp(word, "--regexp") == 0;
    if (separate && !next) {
        wk_out_fmt(z->c->err, "%s: %s option requires an argument\n", z->prefix, word);
        wk_exit(z->c, FAILED);
    }
    if (strncmp(word, "--file=", 7) == 0 || strcmp(word, "--file") == 0) {
        take_patterns(z, separate ? next : word + 7);
    } else {
        z->has_pattern = z->has_pattern || strncmp(word, "--regexp", 8) == 0;
        z->no_names = z->no_names || strcmp(word, "--no-filename") == 0;
        take(z, word);
        if (separate)
            take(z, next);
    }
    return at + 1 + separate;
}

static void parse(struct zgrep *z)
{
    struct wk_cmd *c = z->c;
    const char *pattern = NULL;
    bool options = true;
    for (int i = 1; i < c->argc;) {
        const char *word = c->argv[i];
        if (options && strcmp(word, "--") == 0) {
            options = false;
            i++;
        } else if (options && word[0] == '-' && word[1] == '-') {
            i = take_long(z, i);
        } else if (options && word[0] == '-' && word[1]) {
            i = take_short(z, i);
        } else {
            z->files[z->n_files++] = word;
            i++;
        }
    }
    if (!z->has_pattern) {
        if (!z->n_files) {
            wk_out_fmt(c->err, "%s: missing pattern; try '%s --help' for help\n", z->prefix, z->prefix);
            wk_exit(c, FAILED);
        }
        pattern = z->files[0];
        z->files++, z->n_files--;
        take(z, "-e");
        take(z, pattern);
    }
    if (!z->n_files)
        z->files[z->n_files++] = "-";
}

/* grep's status for one file, FAILED when gzip's was bad. */
static int search(struct zgrep *z, const char *file, bool named)
{
    struct wk_cmd *c = z->c;
    char **argv = wk_new_n(c, char *, z->n_args + 8);
    size_t n = 0;
    const char *head[] = {"bash", "-c", script, "grep", file};
    for (size_t i = 0; i < WK_COUNTOF(head); i++)
        argv[n++] = wk_dup(c, head[i]);
    if (strcmp(file, "-") != 0)
        argv[n++] = wk_strf(c, "--label=%s", file);
    if (named)
        argv[n++] = wk_dup(c, "-H");
    for (size_t i = 0; i < z->n_args; i++)
        argv[n++] = (char *)(uintptr_t)z->args[i];
    struct wk_exit e;
    int err = wk_cmd_run(c, (int)n, argv, NULL, &e);
    if (err)
        wk_fail(c, FAILED, "gzip: %s", wk_err_text(err));
    wk_heap_free(c->heap, argv);
    if (e.signal)
        wk_exit(c, 128 + e.signal);
    return e.code >= DAMAGED ? FAILED : e.code;
}

static int zgrep_main(struct wk_cmd *c)
{
    struct zgrep z = {.c = c, .prefix = wk_strf(c, "/usr/bin/%s", c->name)};
    z.args = wk_new_n(c, const char *, 2 * (size_t)c->argc + 8);
    z.files = wk_new_n(c, const char *, (size_t)c->argc + 2);
    if (strcmp(c->name, "zgrep") != 0)
        take(&z, c->name[1] == 'e' ? "-E" : "-F");
    parse(&z);
    int status = NOT_MATCHED;
    for (size_t i = 0; i < z.n_files; i++) {
        int r = search(&z, z.files[i], z.n_files > 1 && !z.no_names);
        if (r >= FAILED || (r == 0 && status == NOT_MATCHED))
            status = r;
    }
    return status;
}

WK_COMMAND(zgrep, .aliases = "zegrep zfgrep", .summary = "search the contents of files that may be compressed",
           .usage = "zgrep [OPTION]... [-e] PATTERN [FILE]...",
           .help = "The options are those of grep but for -R (--dereference-recursive), -d (--directories),\n"
                   "--exclude, --exclude-from, --exclude-dir, --include, -Z (--null),\n"
                   "-z (--null-data) and -r (--recursive).\n",
           .std = "gzip 1.12", .flags = WK_CMD_RAW_ARGS, .usage_status = 2);
