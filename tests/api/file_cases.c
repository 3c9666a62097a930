/* file_cases.c - what the file calls of every kind of sandbox do */
#include "file_cases.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void put_text(whelk_sandbox *box, const char *path, const char *text)
{
    EXPECT_CODE(box, whelk_sandbox_write_file(box, path, text, strlen(text), 0, 0), WHELK_OK);
}

char *text_of(whelk_sandbox *box, const char *path)
{
    whelk_sandbox_data d = {.size = sizeof d};
    EXPECT_CODE(box, whelk_sandbox_read_file(box, path, NULL, &d), WHELK_OK);
    return d.data ? d.data : strdup("");
}

void expect_text(whelk_sandbox *box, const char *path, const char *text)
{
    char *is = text_of(box, path);
    cr_expect_str_eq(is, text, "%s", path);
    free(is);
}

unsigned mode_of(whelk_sandbox *box, const char *path)
{
    whelk_stat st = {.size = sizeof st};
    return whelk_sandbox_stat(box, path, 1, &st) == WHELK_OK ? st.mode & 07777 : 0;
}

__attribute__((format(printf, 2, 3))) static int show(struct shown *s, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    s->text = realloc(s->text, s->n + (size_t)n + 1);
    memcpy(s->text + s->n, line, (size_t)n + 1);
    s->n += (size_t)n;
    return ++s->lines == s->stop_after ? 77 : 0;
}

int show_entry(void *ctx, const char *path, const whelk_stat *st, const char *target)
{
    char type = (st->mode & 0170000) == 0100000   ? 'f'
                : (st->mode & 0170000) == 0040000 ? 'd'
                : (st->mode & 0170000) == 0120000 ? 'l'
                                                  : 'o';
    return show(ctx, "%c %s%s%s\n", type, path, target ? " -> " : "", target ? target : "");
}

int show_path(void *ctx, const char *path)
{
    return show(ctx, "%s\n", path);
}

int show_hit(void *ctx, const whelk_match *m)
{
    return show(ctx, "%s%c%llu%c%.*s\n", m->path, m->is_context ? '-' : ':', (unsigned long long)m->number,
                m->is_context ? '-' : ':', (int)m->line_len, m->line);
}

void expect_shown(struct shown *s, const char *text)
{
    cr_expect_str_eq(s->text ? s->text : "", text);
    free(s->text);
    *s = (struct shown){.n = 0};
}

/* ---- single files -------------------------------------------------------------------------------- */

static void writes_and_reads(whelk_sandbox *b)
{
    put_text(b, "a.txt", "hello\n");
    expect_text(b, "a.txt", "hello\n");
    expect_text(b, "./a.txt", "hello\n");
    cr_expect_eq(mode_of(b, "a.txt"), 0644);
    put_text(b, "a.txt", "");
    expect_text(b, "a.txt", "");
    put_text(b, "new/dirs/of/it/b.txt", "deep");
    expect_text(b, "new//dirs/./of/it/b.txt", "deep");
    cr_expect_eq(mode_of(b, "new/dirs"), 0755);
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "a.txt/x", "1", 1, 0, 0), WHELK_E_NOTDIR);
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "a.txt/x/y", "1", 1, 0, 0), WHELK_E_NOTDIR);
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "new", "1", 1, 0, 0), WHELK_E_ISDIR);
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "fresh/", "1", 1, 0, 0), WHELK_E_ISDIR);
    whelk_sandbox_data d = {.size = sizeof d};
    EXPECT_CODE(b, whelk_sandbox_read_file(b, "nothing", NULL, &d), WHELK_E_NOENT);
    EXPECT_CODE(b, whelk_sandbox_read_file(b, "new", NULL, &d), WHELK_E_ISDIR);
    EXPECT_CODE(b, whelk_sandbox_read_file(b, "a.txt/x", NULL, &d), WHELK_E_NOTDIR);
}

static void keeps_modes(whelk_sandbox *b)
{
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "run.sh", "one", 3, 0750, 0), WHELK_OK);
    cr_expect_eq(mode_of(b, "run.sh"), 0750);
    put_text(b, "run.sh", "two");
    cr_expect_eq(mode_of(b, "run.sh"), 0750);
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "run.sh", "3", 1, 0600, 0), WHELK_OK);
    cr_expect_eq(mode_of(b, "run.sh"), 0600);
    EXPECT_CODE(b, whelk_sandbox_chmod(b, "run.sh", 0711), WHELK_OK);
    cr_expect_eq(mode_of(b, "run.sh"), 0711);
    EXPECT_CODE(b, whelk_sandbox_chmod(b, "run.sh", 010000), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_chmod(b, "none", 0711), WHELK_E_NOENT);
    size_t n;
    EXPECT_CODE(b, whelk_sandbox_edit(b, "run.sh", "3", "4", 0, &n), WHELK_OK);
    cr_expect_eq(mode_of(b, "run.sh"), 0711);
}

static void appends(whelk_sandbox *b)
{
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "log/x", "one\n", 4, 0, WHELK_WRITE_APPEND), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "log/x", "two\n", 4, 0, WHELK_WRITE_APPEND), WHELK_OK);
    expect_text(b, "log/x", "one\ntwo\n");
    cr_expect_eq(mode_of(b, "log/x"), 0644);
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "log/x", "", 0, 0600, WHELK_WRITE_APPEND), WHELK_OK);
    cr_expect_eq(mode_of(b, "log/x"), 0600);
    expect_text(b, "log/x", "one\ntwo\n");
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "log", "x", 1, 0, WHELK_WRITE_APPEND), WHELK_E_ISDIR);
}

static void only_new_ones(whelk_sandbox *b)
{
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "n", "1", 1, 0, WHELK_WRITE_NEW), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "n", "2", 1, 0, WHELK_WRITE_NEW), WHELK_E_EXISTS);
    expect_text(b, "n", "1");
    EXPECT_CODE(b, whelk_sandbox_symlink(b, "nowhere", "l"), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "l", "2", 1, 0, WHELK_WRITE_NEW), WHELK_E_EXISTS);
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "n", "2", 1, 0, 64), WHELK_E_UNSUPPORTED);
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "n", NULL, 1, 0, 0), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "n", "2", 1, 0100644, 0), WHELK_E_INVALID);
}

static void follows_links(whelk_sandbox *b)
{
    whelk_stat st = {.size = sizeof st};
    put_text(b, "real/file", "text");
    EXPECT_CODE(b, whelk_sandbox_symlink(b, "real", "dir"), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_symlink(b, "real/file", "link"), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_symlink(b, "../link", "real/again"), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_symlink(b, "x", "link"), WHELK_E_EXISTS);
    EXPECT_CODE(b, whelk_sandbox_symlink(b, "", "y"), WHELK_E_INVALID);
    expect_text(b, "dir/again", "text");
    put_text(b, "dir/again", "changed");
    expect_text(b, "real/file", "changed");
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "link", "!", 1, 0, WHELK_WRITE_APPEND), WHELK_OK);
    expect_text(b, "real/file", "changed!");
    EXPECT_CODE(b, whelk_sandbox_stat(b, "link", 0, &st), WHELK_OK);
    cr_expect_eq(st.mode & 0170000, 0120000);
    EXPECT_CODE(b, whelk_sandbox_stat(b, "link", 1, &st), WHELK_OK);
    cr_expect_eq(st.mode & 0170000, 0100000);
    cr_expect_eq(st.bytes, 8);
    EXPECT_CODE(b, whelk_sandbox_edit(b, "link", "changed", "edited", 0, NULL), WHELK_OK);
    expect_text(b, "real/file", "edited!");
    EXPECT_CODE(b, whelk_sandbox_chmod(b, "link", 0640), WHELK_OK);
    cr_expect_eq(mode_of(b, "real/file"), 0640);
    /* One that leads to nothing yet is written through as well. */
    EXPECT_CODE(b, whelk_sandbox_symlink(b, "later/it", "dangling"), WHELK_OK);
    put_text(b, "dangling", "there");
    expect_text(b, "later/it", "there");
    EXPECT_CODE(b, whelk_sandbox_symlink(b, "loop", "loop"), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "loop", "x", 1, 0, 0), WHELK_E_LOOP);
    EXPECT_CODE(b, whelk_sandbox_stat(b, "loop", 1, &st), WHELK_E_LOOP);
}

static void names_nothing(whelk_sandbox *b)
{
    whelk_stat st = {.size = sizeof st};
    char *longer = malloc(6000);
    memset(longer, 'x', 5999);
    longer[5999] = 0;
    for (int i = 10; i < 5999; i += 10)
        longer[i] = '/';
    EXPECT_CODE(b, whelk_sandbox_stat(b, "", 0, &st), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_stat(b, NULL, 0, &st), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_stat(b, longer, 0, &st), WHELK_E_NAMETOOLONG);
    EXPECT_CODE(b, whelk_sandbox_stat(b, "x", 0, NULL), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_write_file(b, longer, "", 0, 0, 0), WHELK_E_NAMETOOLONG);
    EXPECT_CODE(b, whelk_sandbox_remove(b, "", 1), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_rename(b, "a", ""), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_make_dir(b, "", 1, 0), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_chmod(b, NULL, 0), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_read_file(b, NULL, NULL, NULL), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_edit(b, "a", "", "x", 0, NULL), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_list(b, "", 1, show_entry, NULL), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_glob(b, ".", "", 0, show_path, NULL, NULL), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_grep(b, NULL, show_hit, NULL, NULL), WHELK_E_INVALID);
    put_text(b, "odd\nname \\*[x]{y}", "odd");
    expect_text(b, "odd\nname \\*[x]{y}", "odd");
    put_text(b, "f", "x");
    EXPECT_CODE(b, whelk_sandbox_stat(b, "f/", 0, &st), WHELK_E_NOTDIR);
    free(longer);
}

/* ---- names --------------------------------------------------------------------------------------- */

static void directories(whelk_sandbox *b)
{
    EXPECT_CODE(b, whelk_sandbox_make_dir(b, "d", 0, 0), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_make_dir(b, "d", 0, 0), WHELK_E_EXISTS);
    EXPECT_CODE(b, whelk_sandbox_make_dir(b, "d/e/f", 0, 0), WHELK_E_NOENT);
    EXPECT_CODE(b, whelk_sandbox_make_dir(b, "d/e/f/", 1, 0700), WHELK_OK);
    cr_expect_eq(mode_of(b, "d/e"), 0755);
    cr_expect_eq(mode_of(b, "d/e/f"), 0700);
    EXPECT_CODE(b, whelk_sandbox_make_dir(b, "d/e/f", 1, 0755), WHELK_OK);
    cr_expect_eq(mode_of(b, "d/e/f"), 0700);
    put_text(b, "file", "");
    EXPECT_CODE(b, whelk_sandbox_make_dir(b, "file", 1, 0), WHELK_E_EXISTS);
    EXPECT_CODE(b, whelk_sandbox_make_dir(b, "file/x", 1, 0), WHELK_E_NOTDIR);
    EXPECT_CODE(b, whelk_sandbox_make_dir(b, ".", 1, 0), WHELK_OK);
}

static void removals(whelk_sandbox *b)
{
    put_text(b, "d/e/file", "x");
    put_text(b, "kept", "x");
    EXPECT_CODE(b, whelk_sandbox_symlink(b, "../kept", "d/link"), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_make_dir(b, "empty", 0, 0), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_remove(b, "d", 0), WHELK_E_NOTEMPTY);
    expect_text(b, "d/e/file", "x");
    EXPECT_CODE(b, whelk_sandbox_remove(b, "empty", 0), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_remove(b, "empty", 0), WHELK_E_NOENT);
    EXPECT_CODE(b, whelk_sandbox_remove(b, "kept/", 1), WHELK_E_NOTDIR);
    EXPECT_CODE(b, whelk_sandbox_remove(b, "d", 1), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_remove(b, "d", 1), WHELK_E_NOENT);
    expect_text(b, "kept", "x");
    EXPECT_CODE(b, whelk_sandbox_remove(b, "kept", 0), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_remove(b, ".", 1), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_remove(b, "/", 1), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_remove(b, "..", 1), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_remove(b, whelk_sandbox_workspace(b), 1), WHELK_E_INVALID);
}

/* What the workspace lies in goes neither away nor elsewhere. */
static void workspace_stays(whelk_sandbox *b)
{
    char above[4096];
    const char *workspace = whelk_sandbox_workspace(b);
    snprintf(above, sizeof above, "%s", workspace);
    char *last = strrchr(above, '/');
    put_text(b, "x", "1");
    EXPECT_CODE(b, whelk_sandbox_rename(b, workspace, "../elsewhere"), WHELK_E_INVALID);
    if (last != above) {
        *last = 0;
        EXPECT_CODE(b, whelk_sandbox_rename(b, above, "/tmp/elsewhere"), WHELK_E_INVALID);
        EXPECT_CODE(b, whelk_sandbox_remove(b, above, 1), WHELK_E_INVALID);
    }
    expect_text(b, "x", "1");
    EXPECT_CODE(b, whelk_sandbox_remove(b, "x", 0), WHELK_OK);
}

static void renames(whelk_sandbox *b)
{
    put_text(b, "a/x", "1");
    put_text(b, "y", "2");
    EXPECT_CODE(b, whelk_sandbox_rename(b, "a/x", "y"), WHELK_OK);
    expect_text(b, "y", "1");
    EXPECT_CODE(b, whelk_sandbox_rename(b, "a/", "b/"), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_rename(b, "a", "c"), WHELK_E_NOENT);
    EXPECT_CODE(b, whelk_sandbox_rename(b, "y", "none/y"), WHELK_E_NOENT);
    EXPECT_CODE(b, whelk_sandbox_rename(b, "y", "z/"), WHELK_E_NOTDIR);
    EXPECT_CODE(b, whelk_sandbox_rename(b, "y", "b/y"), WHELK_OK);
    expect_text(b, "b/y", "1");
}

static void lists(whelk_sandbox *b)
{
    struct shown s = {.n = 0};
    put_text(b, "b/c/d", "x");
    put_text(b, "b/a", "x");
    put_text(b, "b.txt", "x");
    put_text(b, ".hidden", "x");
    EXPECT_CODE(b, whelk_sandbox_symlink(b, "b/c", "l"), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_list(b, ".", 0, show_entry, &s), WHELK_OK);
    expect_shown(&s, "f .hidden\nd b\nf b.txt\nl l -> b/c\n");
    EXPECT_CODE(b, whelk_sandbox_list(b, "b/", 1, show_entry, &s), WHELK_OK);
    expect_shown(&s, "f b/a\nd b/c\n");
    EXPECT_CODE(b, whelk_sandbox_list(b, ".", 3, show_entry, &s), WHELK_OK);
    expect_shown(&s, "f .hidden\nd b\nf b.txt\nf b/a\nd b/c\nf b/c/d\nl l -> b/c\n");
    EXPECT_CODE(b, whelk_sandbox_list(b, "l", 1, show_entry, &s), WHELK_OK);
    expect_shown(&s, "f l/d\n");
    s.stop_after = 2;
    EXPECT_CODE(b, whelk_sandbox_list(b, ".", 3, show_entry, &s), 77);
    expect_shown(&s, "f .hidden\nd b\n");
    EXPECT_CODE(b, whelk_sandbox_list(b, "none", 1, show_entry, &s), WHELK_E_NOENT);
    EXPECT_CODE(b, whelk_sandbox_list(b, "b.txt", 1, show_entry, &s), WHELK_E_NOTDIR);
    EXPECT_CODE(b, whelk_sandbox_make_dir(b, "empty", 0, 0), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_list(b, "empty", 5, show_entry, &s), WHELK_OK);
    expect_shown(&s, "");
    char *absolute = malloc(4096);
    snprintf(absolute, 4096, "%s/b", whelk_sandbox_workspace(b));
    EXPECT_CODE(b, whelk_sandbox_list(b, absolute, 1, show_entry, &s), WHELK_OK);
    char *wanted = malloc(16384);
    snprintf(wanted, 16384, "f %s/a\nd %s/c\n", absolute, absolute);
    expect_shown(&s, wanted);
    free(wanted);
    free(absolute);
}

/* ---- ranges -------------------------------------------------------------------------------------- */

static void expect_range(whelk_sandbox *b, const char *path, int lines, uint64_t offset, uint64_t limit,
                         const char *text, uint64_t next, uint64_t total)
{
    whelk_sandbox_range r = {.size = sizeof r, .lines = lines, .offset = offset, .limit = limit};
    whelk_sandbox_data d = {.size = sizeof d};
    EXPECT_CODE(b, whelk_sandbox_read_file(b, path, &r, &d), WHELK_OK);
    cr_expect_str_eq(d.data, text);
    cr_expect_eq(d.len, strlen(text));
    cr_expect_eq(d.next, next, "%d %llu %llu: next %llu", lines, (unsigned long long)offset, (unsigned long long)limit,
                 (unsigned long long)d.next);
    cr_expect_eq(d.total, total, "%d %llu %llu: total %llu", lines, (unsigned long long)offset,
                 (unsigned long long)limit, (unsigned long long)d.total);
    free(d.data);
}

static void ranges(whelk_sandbox *b)
{
    put_text(b, "t", "one\ntwo\n\nfour");
    expect_range(b, "t", 1, 0, 1, "one\n", 1, 4);
    expect_range(b, "t", 1, 1, 2, "two\n\n", 3, 4);
    expect_range(b, "t", 1, 3, 9, "four", 4, 4);
    expect_range(b, "t", 1, 0, 0, "one\ntwo\n\nfour", 4, 4);
    expect_range(b, "t", 1, 4, 1, "", 4, 4);
    expect_range(b, "t", 1, UINT64_MAX, UINT64_MAX, "", 4, 4);
    expect_range(b, "t", 0, 4, 3, "two", 7, 13);
    expect_range(b, "t", 0, 9, 0, "four", 13, 13);
    expect_range(b, "t", 0, 13, 5, "", 13, 13);
    expect_range(b, "t", 0, 99, 5, "", 13, 13);
    put_text(b, "t", "a\nb\n");
    expect_range(b, "t", 1, 1, 1, "b\n", 2, 2);
    put_text(b, "t", "");
    expect_range(b, "t", 1, 0, 0, "", 0, 0);
    expect_range(b, "t", 0, 0, 0, "", 0, 0);
    whelk_sandbox_range wrong = {.size = sizeof wrong, .lines = 2};
    whelk_sandbox_data d = {.size = sizeof d};
    EXPECT_CODE(b, whelk_sandbox_read_file(b, "t", &wrong, &d), WHELK_E_INVALID);
}

static void many_lines(whelk_sandbox *b)
{
    size_t n = 0, cap = 1 << 20;
    char *text = malloc(cap);
    for (int i = 0; i < 60000; i++)
        n += (size_t)sprintf(text + n, "line %d\n", i);
    put_text(b, "many", text);
    whelk_sandbox_range r = {.size = sizeof r, .lines = 1, .offset = 50000};
    whelk_sandbox_data d = {.size = sizeof d};
    EXPECT_CODE(b, whelk_sandbox_read_file(b, "many", &r, &d), WHELK_OK);
    cr_expect_eq(strncmp(d.data, "line 50000\n", 11), 0);
    cr_expect_str_eq(d.data + d.len - 11, "line 51999\n");
    cr_expect_eq(d.next, 52000);
    cr_expect_eq(d.total, 60000);
    free(d.data);
    free(text);
}

static int is_binary(whelk_sandbox *b, const char *data, size_t n, uint64_t offset, uint64_t limit)
{
    whelk_sandbox_range r = {.size = sizeof r, .offset = offset, .limit = limit};
    whelk_sandbox_data d = {.size = sizeof d};
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "bin", data, n, 0, 0), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_read_file(b, "bin", &r, &d), WHELK_OK);
    free(d.data);
    return d.binary;
}

static void binaries(whelk_sandbox *b)
{
    static const char euros[] = "\xe2\x82\xac\xe2\x82\xac";
    cr_expect_eq(is_binary(b, "text", 4, 0, 0), 0);
    cr_expect_eq(is_binary(b, "te\0t", 4, 0, 0), 1);
    cr_expect_eq(is_binary(b, "caf\xe9!", 5, 0, 0), 1);
    cr_expect_eq(is_binary(b, "cut \xe2\x82", 6, 0, 0), 1);
    for (uint64_t from = 0; from < 6; from++)
        for (uint64_t to = from + 1; to <= 6; to++)
            cr_expect_eq(is_binary(b, euros, 6, from, to - from), 0, "%d to %d", (int)from, (int)to);
}

/* ---- many files ---------------------------------------------------------------------------------- */

static void transfers(whelk_sandbox *b)
{
    enum { N = 300 };
    whelk_transfer *t = calloc(N, sizeof *t);
    char (*path)[64] = calloc(N, sizeof *path), (*text)[64] = calloc(N, sizeof *text);
    for (int i = 0; i < N; i++) {
        snprintf(path[i], sizeof path[i], "up/%d/%d.txt", i % 7, i);
        snprintf(text[i], sizeof text[i], "text of %d", i);
        t[i] = (whelk_transfer){.size = sizeof *t, .path = path[i], .data = text[i], .len = strlen(text[i]), .code = 1};
    }
    put_text(b, "file", "x");
    EXPECT_CODE(b, whelk_sandbox_make_dir(b, "dir", 0, 0), WHELK_OK);
    t[0].mode = 0755;
    t[1].path = "dir";
    t[2].path = "file/x";
    t[3].path = "";
    t[4].path = NULL;
    t[5].mode = 0100000;
    EXPECT_CODE(b, whelk_sandbox_upload(b, t, N), WHELK_OK);
    static const int codes[6] = {0, WHELK_E_ISDIR, WHELK_E_NOTDIR, WHELK_E_INVALID, WHELK_E_INVALID, WHELK_E_INVALID};
    for (int i = 0; i < N; i++)
        cr_expect_eq(t[i].code, i < 6 ? codes[i] : 0, "%d: %d", i, t[i].code);
    cr_expect_eq(mode_of(b, "up/0/0.txt"), 0755);
    cr_expect_eq(mode_of(b, "up/6/6.txt"), 0644);
    expect_text(b, "up/5/299.txt", "text of 299");
    t[5].path = "up/none";
    EXPECT_CODE(b, whelk_sandbox_download(b, t, N), WHELK_OK);
    for (int i = 0; i < N; i++) {
        int wanted = i < 5 ? codes[i] : i == 5 ? WHELK_E_NOENT : 0;
        cr_expect_eq(t[i].code, wanted, "%d: %d", i, t[i].code);
        if (!t[i].code)
            cr_expect_str_eq(t[i].data, text[i]);
        else
            cr_expect_null(t[i].data);
        free(t[i].data);
    }
    t[7].size = 0;
    EXPECT_CODE(b, whelk_sandbox_upload(b, t, N), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_download(b, t, N), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_upload(b, NULL, 0), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_download(b, NULL, 1), WHELK_E_INVALID);
    free(t);
    free(path);
    free(text);
}

static void large_files(whelk_sandbox *b)
{
    enum { N = 3, BYTES = 5 << 20 };
    whelk_transfer t[N];
    char *data[N];
    static const char *const path[N] = {"l/1", "l/2", "l/3"};
    for (int i = 0; i < N; i++) {
        data[i] = malloc(BYTES);
        for (size_t k = 0; k < BYTES; k++)
            data[i][k] = (char)(k * 31 + (k >> 8) + (size_t)i);
        t[i] = (whelk_transfer){.size = sizeof *t, .path = path[i], .data = data[i], .len = BYTES};
    }
    EXPECT_CODE(b, whelk_sandbox_upload(b, t, N), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_download(b, t, N), WHELK_OK);
    for (int i = 0; i < N; i++) {
        cr_expect_eq(t[i].code, 0);
        cr_expect(t[i].len == BYTES && !memcmp(t[i].data, data[i], BYTES));
        free(t[i].data);
        free(data[i]);
    }
}

/* ---- edits --------------------------------------------------------------------------------------- */

static void edits(whelk_sandbox *b)
{
    size_t n = 9;
    put_text(b, "t", "one two one\n");
    EXPECT_CODE(b, whelk_sandbox_edit(b, "t", "two", "2", 0, &n), WHELK_OK);
    cr_expect_eq(n, 1);
    expect_text(b, "t", "one 2 one\n");
    EXPECT_CODE(b, whelk_sandbox_edit(b, "t", "one", "1", 0, &n), WHELK_E_STATE);
    cr_expect_eq(n, 2);
    expect_text(b, "t", "one 2 one\n");
    EXPECT_CODE(b, whelk_sandbox_edit(b, "t", "one", "", 1, &n), WHELK_OK);
    cr_expect_eq(n, 2);
    expect_text(b, "t", " 2 \n");
    EXPECT_CODE(b, whelk_sandbox_edit(b, "t", "three", "3", 1, &n), WHELK_E_NOENT);
    cr_expect_eq(n, 0);
    cr_expect(strstr(whelk_sandbox_error(b), "not in it"));
    EXPECT_CODE(b, whelk_sandbox_edit(b, "none", "a", "b", 0, &n), WHELK_E_NOENT);
    EXPECT_CODE(b, whelk_sandbox_make_dir(b, "d", 0, 0), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_edit(b, "d", "a", "b", 0, &n), WHELK_E_ISDIR);
    EXPECT_CODE(b, whelk_sandbox_edit(b, "t", "a", NULL, 0, &n), WHELK_E_INVALID);
    put_text(b, "t", "aaaa");
    EXPECT_CODE(b, whelk_sandbox_edit(b, "t", "aa", "aaa", 1, &n), WHELK_OK);
    expect_text(b, "t", "aaaaaa");
}

static void edits_keep_line_ends(whelk_sandbox *b)
{
    put_text(b, "dos", "one\r\ntwo\r\nthree\r\n");
    EXPECT_CODE(b, whelk_sandbox_edit(b, "dos", "one\ntwo\n", "1\n2\n2.5\n", 0, NULL), WHELK_OK);
    expect_text(b, "dos", "1\r\n2\r\n2.5\r\nthree\r\n");
    EXPECT_CODE(b, whelk_sandbox_edit(b, "dos", "2.5\r\n", "x\n", 0, NULL), WHELK_OK);
    expect_text(b, "dos", "1\r\n2\r\nx\r\nthree\r\n");
    EXPECT_CODE(b, whelk_sandbox_insert(b, "dos", 1, "a\nb"), WHELK_OK);
    expect_text(b, "dos", "1\r\na\r\nb\r\n2\r\nx\r\nthree\r\n");
    put_text(b, "mixed", "one\r\ntwo\nthree\r\nfour\n");
    EXPECT_CODE(b, whelk_sandbox_edit(b, "mixed", "two\n", "2\n", 0, NULL), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_edit(b, "mixed", "three\nfive", "3\n4", 0, NULL), WHELK_E_NOENT);
    EXPECT_CODE(b, whelk_sandbox_edit(b, "mixed", "one\n2", "1\nII", 0, NULL), WHELK_OK);
    expect_text(b, "mixed", "1\r\nII\nthree\r\nfour\n");
}

static void inserts(whelk_sandbox *b)
{
    put_text(b, "t", "one\ntwo\n");
    EXPECT_CODE(b, whelk_sandbox_insert(b, "t", 0, "zero"), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_insert(b, "t", 2, "1.5\n"), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_insert(b, "t", 4, "end"), WHELK_OK);
    expect_text(b, "t", "zero\none\n1.5\ntwo\nend\n");
    EXPECT_CODE(b, whelk_sandbox_insert(b, "t", 6, "x"), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_insert(b, "t", UINT64_MAX, "x"), WHELK_E_INVALID);
    put_text(b, "t", "open");
    EXPECT_CODE(b, whelk_sandbox_insert(b, "t", 1, "still"), WHELK_OK);
    expect_text(b, "t", "open\nstill");
    EXPECT_CODE(b, whelk_sandbox_insert(b, "t", 0, "first"), WHELK_OK);
    expect_text(b, "t", "first\nopen\nstill");
    put_text(b, "t", "");
    EXPECT_CODE(b, whelk_sandbox_insert(b, "t", 0, "only"), WHELK_OK);
    expect_text(b, "t", "only\n");
    EXPECT_CODE(b, whelk_sandbox_insert(b, "t", 0, ""), WHELK_OK);
    expect_text(b, "t", "only\n");
    EXPECT_CODE(b, whelk_sandbox_insert(b, "none", 0, "x"), WHELK_E_NOENT);
}

/* ---- searches ------------------------------------------------------------------------------------ */

static void make_tree(whelk_sandbox *b)
{
    static const char *const files[] = {"a.c",           "b.h",         "src/main.c",
                                        "src/deep/er/x.c", "src/deep/x.py", "test/test_a.c",
                                        ".hidden/x.c",   "src/.secret.c", "src/[odd].c"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        put_text(b, files[i], files[i]);
    EXPECT_CODE(b, whelk_sandbox_symlink(b, "src", "link"), WHELK_OK);
}

void expect_glob(whelk_sandbox *b, const char *path, const char *pattern, const char *text)
{
    struct shown s = {.n = 0};
    int code = whelk_sandbox_glob(b, path, pattern, 0, show_path, &s, NULL);
    cr_expect_eq(code, 0, "%s: %s", pattern, whelk_sandbox_error(b));
    cr_expect_str_eq(s.text ? s.text : "", text, "%s: %s", pattern, s.text);
    free(s.text);
}

static void globs(whelk_sandbox *b)
{
    make_tree(b);
    expect_glob(b, ".", "*.c", "a.c\nsrc/[odd].c\nsrc/deep/er/x.c\nsrc/main.c\ntest/test_a.c\n");
    expect_glob(b, ".", "./*.c", "a.c\n");
    expect_glob(b, "src", "*.c", "src/[odd].c\nsrc/deep/er/x.c\nsrc/main.c\n");
    expect_glob(b, ".", "src/*.c", "src/[odd].c\nsrc/main.c\n");
    expect_glob(b, ".", "src/**/*.c", "src/[odd].c\nsrc/deep/er/x.c\nsrc/main.c\n");
    expect_glob(b, ".", "src/**",
                "src/[odd].c\nsrc/deep\nsrc/deep/er\nsrc/deep/er/x.c\nsrc/deep/x.py\nsrc/main.c\n");
    expect_glob(b, ".", "**/x.{c,py}", "src/deep/er/x.c\nsrc/deep/x.py\n");
    expect_glob(b, ".", "{src,test}/*[ae]*.c", "src/main.c\ntest/test_a.c\n");
    expect_glob(b, ".", "{a,{b,c}}.[ch]", "a.c\nb.h\n");
    expect_glob(b, ".", "**/deep/**/x.*", "src/deep/er/x.c\nsrc/deep/x.py\n");
    expect_glob(b, ".", "?.c", "a.c\nsrc/deep/er/x.c\n");
    expect_glob(b, ".", ".*", ".hidden\nsrc/.secret.c\n");
    expect_glob(b, ".", ".hidden/*", ".hidden/x.c\n");
    expect_glob(b, ".", "*/", "src\nsrc/deep\nsrc/deep/er\ntest\n");
    expect_glob(b, ".", "src/\\[odd\\].c", "src/[odd].c\n");
    expect_glob(b, ".", "l*", "link\n");
    expect_glob(b, ".", "link/*", "");
    expect_glob(b, "link", "*.py", "link/deep/x.py\n");
    expect_glob(b, ".", "{a.c", "");
    expect_glob(b, ".", "nothing", "");
    char pattern[4096], wanted[8192];
    snprintf(pattern, sizeof pattern, "%s/src/*.c", whelk_sandbox_workspace(b));
    snprintf(wanted, sizeof wanted, "%s/src/[odd].c\n%s/src/main.c\n", whelk_sandbox_workspace(b),
             whelk_sandbox_workspace(b));
    expect_glob(b, ".", pattern, wanted);
    struct shown s = {.n = 0};
    int more = 9;
    EXPECT_CODE(b, whelk_sandbox_glob(b, ".", "*.c", 2, show_path, &s, &more), WHELK_OK);
    expect_shown(&s, "a.c\nsrc/[odd].c\n");
    cr_expect_eq(more, 1);
    EXPECT_CODE(b, whelk_sandbox_glob(b, ".", "*.c", 5, show_path, &s, &more), WHELK_OK);
    cr_expect_eq(more, 0);
    free(s.text);
    s = (struct shown){.stop_after = 1};
    EXPECT_CODE(b, whelk_sandbox_glob(b, ".", "*.c", 0, show_path, &s, &more), 77);
    expect_shown(&s, "a.c\n");
    EXPECT_CODE(b, whelk_sandbox_glob(b, ".", "../x", 0, show_path, &s, &more), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_glob(b, ".", "/", 0, show_path, &s, &more), WHELK_E_INVALID);
    EXPECT_CODE(b, whelk_sandbox_glob(b, "none", "*", 0, show_path, &s, &more), WHELK_E_NOENT);
    EXPECT_CODE(b, whelk_sandbox_glob(b, "a.c", "*", 0, show_path, &s, &more), WHELK_E_NOTDIR);
}

static void expect_grep(whelk_sandbox *b, whelk_sandbox_search w, const char *text)
{
    struct shown s = {.n = 0};
    w.size = sizeof w;
    EXPECT_CODE(b, whelk_sandbox_grep(b, &w, show_hit, &s, NULL), WHELK_OK);
    expect_shown(&s, text);
}

static void greps(whelk_sandbox *b)
{
    put_text(b, "a.txt", "alpha\nbeta (x)\ngamma\n");
    put_text(b, "src/b.c", "int beta;\n\n/* Beta (x) */");
    put_text(b, "src/c.h", "no\r\nbeta\r\n");
    put_text(b, ".github/w.yml", "beta: 1\n");
    put_text(b, ".git/config", "beta\n");
    put_text(b, "node_modules/m.js", "beta\n");
    EXPECT_CODE(b, whelk_sandbox_write_file(b, "bin", "beta\n\0", 6, 0, 0), WHELK_OK);
    EXPECT_CODE(b, whelk_sandbox_symlink(b, "src", "link"), WHELK_OK);
    expect_grep(b, (whelk_sandbox_search){.pattern = "beta"},
                ".github/w.yml:1:beta: 1\na.txt:2:beta (x)\nnode_modules/m.js:1:beta\nsrc/b.c:1:int beta;\n"
                "src/c.h:2:beta\r\n");
    expect_grep(b, (whelk_sandbox_search){.pattern = "beta", .exclude = "{node_modules,.github}", .ignore_case = 1},
                "a.txt:2:beta (x)\nsrc/b.c:1:int beta;\nsrc/b.c:3:/* Beta (x) */\nsrc/c.h:2:beta\r\n");
    expect_grep(b, (whelk_sandbox_search){.pattern = "beta", .path = "src", .include = "*.{c,cc}"},
                "src/b.c:1:int beta;\n");
    expect_grep(b, (whelk_sandbox_search){.pattern = "beta", .include = "src/*"},
                "src/b.c:1:int beta;\nsrc/c.h:2:beta\r\n");
    expect_grep(b, (whelk_sandbox_search){.pattern = "^(int|al)", .regex = 1}, "a.txt:1:alpha\nsrc/b.c:1:int beta;\n");
    expect_grep(b, (whelk_sandbox_search){.pattern = "a (x)"}, "a.txt:2:beta (x)\nsrc/b.c:3:/* Beta (x) */\n");
    expect_grep(b, (whelk_sandbox_search){.pattern = "A (X)", .ignore_case = 1, .path = "a.txt"}, "a.txt:2:beta (x)\n");
    expect_grep(b, (whelk_sandbox_search){.pattern = "beta", .path = ".git"}, ".git/config:1:beta\n");
    expect_grep(b, (whelk_sandbox_search){.pattern = "beta", .path = "bin"}, "");
    expect_grep(b, (whelk_sandbox_search){.pattern = "beta", .path = "link/c.h"}, "link/c.h:2:beta\r\n");
    struct shown s = {.n = 0};
    whelk_sandbox_search w = {.size = sizeof w, .pattern = "(", .regex = 1};
    EXPECT_CODE(b, whelk_sandbox_grep(b, &w, show_hit, &s, NULL), WHELK_E_INVALID);
    w = (whelk_sandbox_search){.size = sizeof w, .pattern = "a\nb"};
    EXPECT_CODE(b, whelk_sandbox_grep(b, &w, show_hit, &s, NULL), WHELK_E_INVALID);
    w = (whelk_sandbox_search){.size = sizeof w, .pattern = "a", .path = "none"};
    EXPECT_CODE(b, whelk_sandbox_grep(b, &w, show_hit, &s, NULL), WHELK_E_NOENT);
}

static void greps_in_context(whelk_sandbox *b)
{
    int more = 9;
    struct shown s = {.n = 0};
    put_text(b, "t", "1\n2\nx3\n4\n5\n6\nx7\nx8\n9\n10\n11\n12\nx13");
    put_text(b, "u", "x\n");
    whelk_sandbox_search w = {.size = sizeof w, .pattern = "x", .context = 1};
    EXPECT_CODE(b, whelk_sandbox_grep(b, &w, show_hit, &s, &more), WHELK_OK);
    expect_shown(&s, "t-2-2\nt:3:x3\nt-4-4\nt-6-6\nt:7:x7\nt:8:x8\nt-9-9\nt-12-12\nt:13:x13\nu:1:x\n");
    cr_expect_eq(more, 0);
    w.context = 3;
    w.path = "t";
    EXPECT_CODE(b, whelk_sandbox_grep(b, &w, show_hit, &s, &more), WHELK_OK);
    expect_shown(&s, "t-1-1\nt-2-2\nt:3:x3\nt-4-4\nt-5-5\nt-6-6\nt:7:x7\nt:8:x8\nt-9-9\nt-10-10\nt-11-11\nt-12-12\n"
                     "t:13:x13\n");
    w = (whelk_sandbox_search){.size = sizeof w, .pattern = "x", .context = 1, .max = 2};
    EXPECT_CODE(b, whelk_sandbox_grep(b, &w, show_hit, &s, &more), WHELK_OK);
    expect_shown(&s, "t-2-2\nt:3:x3\nt-4-4\nt-6-6\nt:7:x7\nt-8-x8\n");
    cr_expect_eq(more, 1);
    w.max = 4;
    EXPECT_CODE(b, whelk_sandbox_grep(b, &w, show_hit, &s, &more), WHELK_OK);
    cr_expect_eq(more, 1);
    free(s.text);
    s = (struct shown){.stop_after = 3};
    w.max = 5;
    EXPECT_CODE(b, whelk_sandbox_grep(b, &w, show_hit, &s, &more), 77);
    expect_shown(&s, "t-2-2\nt:3:x3\nt-4-4\n");
    EXPECT_CODE(b, whelk_sandbox_grep(b, &w, show_hit, &s, &more), WHELK_OK);
    cr_expect_eq(more, 0);
    free(s.text);
}

static void greps_many(whelk_sandbox *b)
{
    enum { N = 200 };
    for (int i = 0; i < N; i++) {
        char path[32], text[64];
        snprintf(path, sizeof path, "m/%d/%03d", i % 10, i);
        snprintf(text, sizeof text, "before\nneedle %d\nbehind\n", i);
        put_text(b, path, text);
    }
    struct shown s = {.n = 0};
    whelk_sandbox_search w = {.size = sizeof w, .pattern = "needle", .path = "m"};
    EXPECT_CODE(b, whelk_sandbox_grep(b, &w, show_hit, &s, NULL), WHELK_OK);
    cr_expect_eq(s.lines, N);
    cr_expect_eq(strncmp(s.text, "m/0/000:2:needle 0\nm/0/010:2:needle 10\n", 38), 0);
    free(s.text);
}

const struct file_case file_cases[] = {{"writes_and_reads", writes_and_reads},
                                       {"keeps_modes", keeps_modes},
                                       {"appends", appends},
                                       {"only_new_ones", only_new_ones},
                                       {"follows_links", follows_links},
                                       {"names_nothing", names_nothing},
                                       {"directories", directories},
                                       {"removals", removals},
                                       {"renames", renames},
                                       {"workspace_stays", workspace_stays},
                                       {"lists", lists},
                                       {"ranges", ranges},
                                       {"many_lines", many_lines},
                                       {"binaries", binaries},
                                       {"transfers", transfers},
                                       {"large_files", large_files},
                                       {"edits", edits},
                                       {"edits_keep_line_ends", edits_keep_line_ends},
                                       {"inserts", inserts},
                                       {"globs", globs},
                                       {"greps", greps},
                                       {"greps_in_context", greps_in_context},
                                       {"greps_many", greps_many},
                                       {NULL, NULL}};
