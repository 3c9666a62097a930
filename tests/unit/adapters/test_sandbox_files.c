/* test_sandbox_files.c - the file calls over a box in memory: in all its manners, with faults at every place */
#include "adapters/sandbox/sandbox_request.h"
#include "tree_box.h"
#include "tests/api/file_cases.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static whelk_sandbox *box;
static struct tree_box *fake;
static struct wk_mem *mem;

static void open_box(void)
{
    cr_assert_eq(whelk_sandbox_open_kind(&tree_kind, NULL, &box), WHELK_OK);
    fake = box->box;
    mem = wk_mem_ref(box->mem);
}

static void close_box(void)
{
    whelk_sandbox_close(box);
    cr_expect_eq(wk_mem_used(mem), 0);
    wk_mem_unref(mem);
}

TestSuite(sandbox_files, .init = open_box, .fini = close_box);

static void run_cases(const struct tree_manners *how)
{
    for (const struct file_case *c = file_cases; c->name; c++) {
        close_box();
        open_box();
        fake->how = *how;
        c->run(box);
        cr_expect_lt(fake->most_under_way, 65, "%s", c->name);
        cr_expect_lt(fake->most_bytes, 14 << 20, "%s", c->name);
    }
}

Test(sandbox_files, answered_at_once)
{
    run_cases(&(struct tree_manners){.appends = true});
}

Test(sandbox_files, answered_later_and_backwards)
{
    run_cases(&(struct tree_manners){.later = true, .piece = 5000});
}

Test(sandbox_files, told_again)
{
    run_cases(&(struct tree_manners){.later = true, .again = true, .appends = true, .piece = 100});
}

/* ---- faults -------------------------------------------------------------------------------------- */

static int see_nothing(void *ctx, const char *path, const whelk_stat *st, const char *target)
{
    (void)ctx, (void)path, (void)st, (void)target;
    return 0;
}

static int see_no_path(void *ctx, const char *path)
{
    (void)ctx, (void)path;
    return 0;
}

static int see_no_match(void *ctx, const whelk_match *m)
{
    (void)ctx, (void)m;
    return 0;
}

static int do_stat(void)
{
    whelk_stat st = {.size = sizeof st};
    return whelk_sandbox_stat(box, "d/f1", 0, &st);
}

static int do_list(void)
{
    return whelk_sandbox_list(box, ".", 3, see_nothing, NULL);
}

static int do_read(void)
{
    whelk_sandbox_data d = {.size = sizeof d};
    whelk_sandbox_range r = {.size = sizeof r, .lines = 1, .offset = 1};
    int code = whelk_sandbox_read_file(box, "d/f1", &r, &d);
    free(d.data);
    return code;
}

static int do_write(void)
{
    int code = whelk_sandbox_write_file(box, "w/x/y", "contents", 8, 0, 0);
    return code ? code : whelk_sandbox_write_file(box, "link", "more", 4, 0600, WHELK_WRITE_APPEND);
}

static int do_edit(void)
{
    int code = whelk_sandbox_edit(box, "link", "needle", "pin\n", 1, NULL);
    if (!code)
        code = whelk_sandbox_edit(box, "link", "pin", "needle", 1, NULL);
    return code ? code : whelk_sandbox_insert(box, "d/f1", 1, "a line");
}

static int do_glob(void)
{
    return whelk_sandbox_glob(box, ".", "{d,e}/**/*1", 0, see_no_path, NULL, NULL);
}

static int do_grep(void)
{
    whelk_sandbox_search w = {.size = sizeof w, .pattern = "ne+dle", .regex = 1, .include = "f*", .context = 2};
    return whelk_sandbox_grep(box, &w, see_no_match, NULL, NULL);
}

static int do_names(void)
{
    int code = whelk_sandbox_make_dir(box, "n/o/p", 1, 0);
    if (!code)
        code = whelk_sandbox_symlink(box, "o", "n/l");
    if (!code)
        code = whelk_sandbox_rename(box, "n/l", "n/m");
    if (!code)
        code = whelk_sandbox_chmod(box, "n/o", 0700);
    if (!code)
        code = whelk_sandbox_remove(box, "n/o/p", 0);
    return code ? code : whelk_sandbox_remove(box, "n", 1);
}

/* The first of the files' codes. */
static int do_transfer(void)
{
    char data[] = "data";
    whelk_transfer t[3] = {{.size = sizeof *t, .path = "t/1", .data = data, .len = 4},
                           {.size = sizeof *t, .path = "t/u/2", .data = data, .len = 4},
                           {.size = sizeof *t, .path = "link", .data = data, .len = 4}};
    int code = whelk_sandbox_upload(box, t, 3);
    for (int i = 0; i < 3 && !code; i++)
        code = t[i].code;
    if (code)
        return code;
    code = whelk_sandbox_download(box, t, 3);
    for (int i = 0; i < 3; i++) {
        code = code ? code : t[i].code;
        cr_expect(!t[i].code || !t[i].data);
        free(t[i].data);
    }
    return code;
}

static int (*const calls[])(void) = {do_stat, do_list, do_read, do_write,   do_edit,
                                     do_glob, do_grep, do_names, do_transfer};
enum { CALLS = sizeof calls / sizeof *calls };

static void make_tree(void)
{
    tree_add(fake, "/work/d/f1", "one\nneedle\nthree\n", NULL, 0);
    tree_add(fake, "/work/e/g/f1", "needle", NULL, 0);
    tree_add(fake, "/work/link", NULL, "d/f1", 0);
}

/* Whole or not there: what a call that failed leaves behind. */
static void expect_whole(const char *path, const char *a, const char *b, const char *c)
{
    const char *text = tree_text(fake, path, NULL);
    cr_expect(!text || !strcmp(text, a) || !strcmp(text, b) || !strcmp(text, c), "%s: %s", path, text);
}

Test(sandbox_files, without_memory)
{
    for (int k = 0; k < CALLS; k++)
        for (int later = 0; later < 2; later++) {
            int code = WHELK_E_NOMEM;
            for (unsigned n = 1; code; n++) {
                close_box();
                open_box();
                make_tree();
                fake->how.later = later;
                box->mem->fail_at = box->mem->count + n;
                box->mem->fail_forever = n % 2;
                code = calls[k]();
                box->mem->fail_at = 0;
                cr_assert(code == WHELK_OK || code == WHELK_E_NOMEM, "call %d, allocation %u: %d", k, n, code);
                cr_assert_lt(n, 2000);
                expect_whole("/work/w/x/y", "contents", "", "");
                if (k == 3)
                    expect_whole("/work/d/f1", "one\nneedle\nthree\n", "one\nneedle\nthree\nmore", "");
            }
        }
}

Test(sandbox_files, errors_of_every_request)
{
    static const int codes[] = {WHELK_E_ACCESS, WHELK_E_NOSPACE, WHELK_E_IO, WHELK_E_CLOSED, 5, -99};
    for (int k = 0; k < CALLS; k++)
        for (int way = 0; way < 12; way++) {
            unsigned n = 0;
            int code = 0;
            do {
                close_box();
                open_box();
                make_tree();
                fake->how.later = way % 2;
                fake->how.refuse = way < 6;
                fake->how.code = codes[way / 2 % 6];
                fake->how.fail_at = ++n;
                code = calls[k]();
                int wanted = fake->how.code > 0 || fake->how.code < WHELK_E_BUG ? WHELK_E_IO : fake->how.code;
                /* A directory that cannot be read, or a file, is passed over by a search. */
                cr_assert(code == wanted || !code, "call %d, way %d, request %u: %d", k, way, n, code);
                bool words = *whelk_sandbox_error(box);
                cr_expect(!code || k == CALLS - 1 || words, "call %d, way %d, request %u", k, way, n);
            } while (fake->requests >= n);
            cr_assert_eq(code, WHELK_OK);
        }
}

Test(sandbox_files, lost_at_every_request)
{
    for (int k = 0; k < CALLS; k++)
        for (unsigned n = 1;; n++) {
            close_box();
            open_box();
            make_tree();
            fake->how.later = true;
            fake->how.lost_at = n;
            int code = calls[k]();
            if (fake->requests < n)
                break;
            cr_assert_eq(code, WHELK_E_CLOSED, "call %d, request %u: %d", k, n, code);
        }
}

static void cancel_then(struct tree_box *f, unsigned number, const whelk_file_request *r)
{
    (void)r;
    if (number == *(unsigned *)f->how.ctx)
        whelk_sandbox_cancel(box);
}

Test(sandbox_files, cancelled_at_every_request)
{
    for (int k = 0; k < CALLS; k++)
        for (unsigned n = 1;; n++) {
            close_box();
            open_box();
            make_tree();
            fake->how.later = true;
            fake->how.before = cancel_then;
            fake->how.ctx = &n;
            int code = calls[k]();
            if (fake->answers < n)
                break;
            /* With the last request the call may be done before it is cancelled. */
            cr_assert(code == WHELK_E_CLOSED || code == WHELK_OK, "call %d, request %u: %d", k, n, code);
            /* It is forgotten when the next one starts. */
            fake->how.before = NULL;
            whelk_stat st = {.size = sizeof st};
            cr_assert_eq(whelk_sandbox_stat(box, "d", 0, &st), WHELK_OK);
        }
}

/* ---- a box that lies, or says nothing ------------------------------------------------------------ */

Test(sandbox_files, lies_are_found_out)
{
    make_tree();
    for (int later = 0; later < 2; later++) {
        fake->how.lies = true;
        fake->how.later = later;
        cr_expect_eq(do_list(), WHELK_E_IO);
        cr_expect_eq(do_glob(), WHELK_E_IO);
        cr_expect_eq(do_grep(), WHELK_E_IO);
        whelk_sandbox_data d = {.size = sizeof d};
        whelk_sandbox_range r = {.size = sizeof r, .limit = 4};
        EXPECT_CODE(box, whelk_sandbox_read_file(box, "d/f1", &r, &d), WHELK_E_IO);
        fake->how.lies = false;
        EXPECT_CODE(box, whelk_sandbox_read_file(box, "d/f1", &r, &d), WHELK_OK);
        free(d.data);
    }
}

static bool ask_once(void *ctx, struct wk_request *q)
{
    int *left = ctx;
    if (!*left)
        return false;
    --*left;
    *q = wk_request(WHELK_FILE_PUT, "/work/silent");
    q->r.data = "text";
    q->r.length = 4;
    return true;
}

Test(sandbox_files, silence_has_an_end)
{
    int left = 3;
    fake->how.silent = true;
    int64_t begun = wk_sandbox_now();
    struct wk_requests how = {.ask = ask_once, .patience_ms = 50, .ctx = &left};
    cr_expect_eq(wk_requests_run(box, &how), WHELK_E_IO);
    cr_expect(strstr(whelk_sandbox_error(box), "does not answer"));
    cr_expect_geq(wk_sandbox_now() - begun, 50000000);
    /* What was asked is answered after all, to nobody: its data were kept for that. */
    fake->how.silent = false;
    whelk_stat st = {.size = sizeof st};
    fake->how.later = true;
    EXPECT_CODE(box, whelk_sandbox_stat(box, "d", 0, &st), WHELK_E_NOENT);
    cr_expect_eq(fake->answers, 4);
    cr_expect_str_eq(tree_text(fake, "/work/silent", NULL), "text");
}

Test(sandbox_files, given_up_and_closed)
{
    int left = 3;
    fake->how.silent = true;
    struct wk_requests how = {.ask = ask_once, .patience_ms = 20, .ctx = &left};
    cr_expect_eq(wk_requests_run(box, &how), WHELK_E_IO); /* close_box finds nothing left of them */
}

/* ---- others that change things meanwhile --------------------------------------------------------- */

/* Another program changes the file before it is read, so many times; or, below 0, whenever it is looked at. */
static void interfere(struct tree_box *f, unsigned number, const whelk_file_request *r)
{
    int *times = f->how.ctx;
    (void)number;
    if (r->op == WHELK_FILE_GET && *times > 0) {
        --*times;
        tree_add(f, "/work/d/f1", "one\nneedle\nchanged\n", NULL, 0);
    }
    if (r->op == WHELK_FILE_STAT && *times < 0)
        tree_add(f, "/work/d/f1", ++*times % 2 ? "needle needle" : "needle", NULL, 0);
}

Test(sandbox_files, edit_begins_anew_when_the_file_was_changed)
{
    make_tree();
    int times = 1;
    fake->how.before = interfere;
    fake->how.ctx = &times;
    EXPECT_CODE(box, whelk_sandbox_edit(box, "d/f1", "needle", "pin", 0, NULL), WHELK_OK);
    cr_expect_str_eq(tree_text(fake, "/work/d/f1", NULL), "one\npin\nchanged\n");
    times = -1000;
    EXPECT_CODE(box, whelk_sandbox_edit(box, "d/f1", "needle", "pin", 1, NULL), WHELK_E_BUSY);
    cr_expect_null(strstr(tree_text(fake, "/work/d/f1", NULL), "pin"));
}

Test(sandbox_files, what_is_no_file_stays)
{
    tree_add(fake, "/work/device", "x", NULL, 0666);
    tree_make_other(fake, "/work/device");
    EXPECT_CODE(box, whelk_sandbox_write_file(box, "device", "y", 1, 0, 0), WHELK_E_INVALID);
    EXPECT_CODE(box, whelk_sandbox_write_file(box, "device", "y", 1, 0, WHELK_WRITE_APPEND), WHELK_E_INVALID);
    EXPECT_CODE(box, whelk_sandbox_edit(box, "device", "x", "y", 0, NULL), WHELK_E_INVALID);
    cr_expect_str_eq(tree_kind_of(fake, "/work/device"), "o");
    whelk_stat st = {.size = sizeof st};
    EXPECT_CODE(box, whelk_sandbox_stat(box, "device", 0, &st), WHELK_OK);
    cr_expect_eq(st.mode, 0666);
}

Test(sandbox_files, set_user_id_is_not_kept)
{
    tree_add(fake, "/work/su", "x", NULL, 04755);
    put_text(box, "su", "y");
    cr_expect_str_eq(tree_kind_of(fake, "/work/su"), "f755");
    EXPECT_CODE(box, whelk_sandbox_write_file(box, "su", "z", 1, 04755, 0), WHELK_OK);
    cr_expect_str_eq(tree_kind_of(fake, "/work/su"), "f4755");
    EXPECT_CODE(box, whelk_sandbox_edit(box, "su", "z", "y", 0, NULL), WHELK_OK);
    cr_expect_str_eq(tree_kind_of(fake, "/work/su"), "f755");
}

Test(sandbox_files, stat_tells_all)
{
    tree_add(fake, "/etc/passwd", "root", NULL, 0640);
    whelk_stat st = {.size = sizeof st};
    EXPECT_CODE(box, whelk_sandbox_stat(box, "/etc/passwd", 0, &st), WHELK_OK);
    cr_expect_eq(st.mode, 0100640);
    cr_expect_eq(st.bytes, 4);
    cr_expect_eq(st.uid, 7);
    cr_expect_eq(st.gid, 8);
    cr_expect_neq(st.ino, 0);
    cr_expect_neq(st.mtime_ns, 0);
    EXPECT_CODE(box, whelk_sandbox_stat(box, "../etc/passwd", 0, &st), WHELK_OK);
    struct {
        whelk_stat st;
        char after[8];
    } small = {.st.size = offsetof(whelk_stat, bytes), .st.bytes = 99};
    EXPECT_CODE(box, whelk_sandbox_stat(box, "/etc/passwd", 0, &small.st), WHELK_OK);
    cr_expect_eq(small.st.bytes, 99);
    cr_expect_eq(small.st.mode, 0100640);
}

/* ---- patterns -------------------------------------------------------------------------------------- */

static int glob_code(const char *pattern)
{
    return whelk_sandbox_glob(box, ".", pattern, 0, see_no_path, NULL, NULL);
}

Test(sandbox_files, patterns_are_bounded)
{
    char *p = calloc(1, 5000);
    make_tree();
    for (int i = 0; i < 7; i++)
        strcat(p, "{a,b}");
    EXPECT_CODE(box, glob_code(p), WHELK_OK); /* 128 ways of two parts: ** stands before each */
    strcat(p, "{a,b}");
    EXPECT_CODE(box, glob_code(p), WHELK_E_INVALID);
    memset(p, '{', 4000);
    p[4000] = 0;
    EXPECT_CODE(box, glob_code(p), WHELK_OK);
    strcat(p, "a,b}");
    EXPECT_CODE(box, glob_code(p), WHELK_OK);
    memset(p, 0, 5000);
    for (int i = 0; i < 256; i++)
        strcat(p, "*/");
    EXPECT_CODE(box, glob_code(p), WHELK_OK);
    strcat(p, "*");
    EXPECT_CODE(box, glob_code(p), WHELK_E_INVALID);
    memset(p, 'x', 4999);
    EXPECT_CODE(box, glob_code(p), WHELK_E_INVALID);
    EXPECT_CODE(box, glob_code("..//x"), WHELK_E_INVALID);
    EXPECT_CODE(box, glob_code("a\\"), WHELK_OK);
    EXPECT_CODE(box, glob_code("[a"), WHELK_OK);
    free(p);
}

Test(sandbox_files, patterns_take_linear_time)
{
    char name[256], path[300], pattern[600];
    memset(name, 'a', 250);
    name[250] = 0;
    for (int i = 0; i < 20; i++) {
        snprintf(path, sizeof path, "/work/%.230s%d", name, i);
        tree_add(fake, path, "", NULL, 0);
    }
    pattern[0] = 0;
    for (int i = 0; i < 120; i++)
        strcat(pattern, "*a");
    strcat(pattern, "b");
    EXPECT_CODE(box, glob_code(pattern), WHELK_OK);
    pattern[0] = 0;
    for (int i = 0; i < 80; i++)
        strcat(pattern, "**/");
    strcat(pattern, "b");
    EXPECT_CODE(box, glob_code(pattern), WHELK_OK);
}

/* ---- many ------------------------------------------------------------------------------------------ */


static int count_path(void *ctx, const char *path)
{
    whelk_stat st = {.size = sizeof st};
    size_t *n = ctx;
    return ++*n % 100 ? 0 : whelk_sandbox_stat(box, path, 0, &st); /* the library may be used from here */
}

Test(sandbox_files, a_visit_may_call_the_library)
{
    for (int i = 0; i < 1000; i++) {
        char path[64];
        snprintf(path, sizeof path, "/work/m/%d/%d", i % 30, i);
        tree_add(fake, path, "x", NULL, 0);
    }
    size_t n = 0;
    fake->how.later = true;
    EXPECT_CODE(box, whelk_sandbox_glob(box, "m", "*[0-9]", 0, count_path, &n, NULL), WHELK_OK);
    cr_expect_eq(n, 1030);
}
