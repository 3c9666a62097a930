/* test_sandbox_files_host.c - the file calls over real files: the kind "host", beside programs of its own */
#include "adapters/host/host.h"
#include "adapters/sandbox/sandbox.h"
#include "tests/api/file_cases.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char cache[64];
static whelk_sandbox *box;
static struct wk_mem *mem;

static void open_box(void)
{
    whelk_sandbox_options o = {.size = sizeof o};
    cr_assert_eq(whelk_sandbox_open_kind(&wk_host_kind, &o, &box), WHELK_OK, "%s", whelk_sandbox_error(box));
    mem = wk_mem_ref(box->mem);
}

static void close_box(void)
{
    whelk_sandbox_close(box);
    cr_expect_eq(wk_mem_used(mem), 0);
    wk_mem_unref(mem);
}

static void set_up(void)
{
    snprintf(cache, sizeof cache, "%s", "/tmp/whelk-files-test.XXXXXX");
    cr_assert(mkdtemp(cache));
    setenv("XDG_CACHE_HOME", cache, 1);
    setenv("ALLOW_DANGEROUS_LOCAL_HOST", "1", 1);
    open_box();
}

static void tear_down(void)
{
    close_box();
    int tmp = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_expect_eq(wk_host_remove(tmp, strrchr(cache, '/') + 1), 0);
    close(tmp);
}

TestSuite(sandbox_files_host, .init = set_up, .fini = tear_down, .timeout = 120);

Test(sandbox_files_host, all_cases)
{
    for (const struct file_case *c = file_cases; c->name; c++) {
        close_box();
        open_box();
        c->run(box);
    }
}

static void sh(const char *script, const char *out)
{
    whelk_sandbox_result *r;
    EXPECT_CODE(box, whelk_sandbox_exec(box, script, &r), WHELK_OK);
    cr_expect(r && r->outcome == WHELK_OUTCOME_EXITED && r->exit_code == 0, "%s: %s", script, r->err);
    cr_expect_str_eq(r->out, out, "%s", script);
    whelk_sandbox_result_free(r);
}

Test(sandbox_files_host, programs_see_the_same_files)
{
    put_text(box, "d/x", "one\n");
    sh("cat d/x; stat -c %a d d/x; echo two >>d/x; ln d/x other; ln -s d link; mkfifo pipe; printf 'a\\0b' >bin",
       "one\n755\n644\n");
    expect_text(box, "link/x", "one\ntwo\n");
    EXPECT_CODE(box, whelk_sandbox_write_file(box, "link/x", "three\n", 6, 0, WHELK_WRITE_APPEND), WHELK_OK);
    sh("cat d/x; test d/x -ef other && rm other", "one\ntwo\nthree\n");
    whelk_sandbox_data d = {.size = sizeof d};
    EXPECT_CODE(box, whelk_sandbox_read_file(box, "pipe", NULL, &d), WHELK_E_INVALID);
    EXPECT_CODE(box, whelk_sandbox_write_file(box, "pipe", "x", 1, 0, 0), WHELK_E_INVALID);
    EXPECT_CODE(box, whelk_sandbox_read_file(box, "bin", NULL, &d), WHELK_OK);
    cr_expect(d.len == 3 && d.binary);
    free(d.data);
    struct shown s = {.n = 0};
    EXPECT_CODE(box, whelk_sandbox_list(box, ".", 1, show_entry, &s), WHELK_OK);
    expect_shown(&s, "f bin\nd d\nl link -> d\no pipe\n");
}

Test(sandbox_files_host, nothing_is_left_beside_what_was_written)
{
    for (int i = 0; i < 20; i++)
        put_text(box, "kept", "text");
    EXPECT_CODE(box, whelk_sandbox_edit(box, "kept", "text", "other", 0, NULL), WHELK_OK);
    sh("ls -A", "kept\n");
}

/* A reader of the old file, or of the new one, but never of half of either. */
Test(sandbox_files_host, a_reader_never_sees_half)
{
    enum { BYTES = 1 << 20, TIMES = 20 };
    char *data = malloc(BYTES);
    memset(data, 'a', BYTES);
    EXPECT_CODE(box, whelk_sandbox_write_file(box, "f", data, BYTES, 0, 0), WHELK_OK);
    static const char watch[] =
        "touch ready; while ! test -e end; do set -- $(cksum <f); case $2 in 1048576) ;; *) echo half $2;; esac; "
        "echo $1 >>seen; done; sort -u seen | wc -l >sums";
    whelk_sandbox_request q = {.size = sizeof q, .script = watch};
    uint32_t id;
    EXPECT_CODE(box, whelk_sandbox_start(box, &q, &id), WHELK_OK);
    whelk_stat st = {.size = sizeof st};
    for (int i = 0; i < 3000 && whelk_sandbox_stat(box, "ready", 0, &st); i++)
        usleep(10000);
    for (int i = 0; i < TIMES; i++) {
        memset(data, 'a' + i % 2, BYTES);
        EXPECT_CODE(box, whelk_sandbox_write_file(box, "f", data, BYTES, 0, 0), WHELK_OK);
    }
    put_text(box, "end", "");
    whelk_process p = {.size = sizeof p};
    EXPECT_CODE(box, whelk_sandbox_wait(box, id, 30000, &p), WHELK_OK);
    whelk_sandbox_read w = {.size = sizeof w, .id = id, .stream = 1};
    whelk_sandbox_output out = {.size = sizeof out};
    EXPECT_CODE(box, whelk_sandbox_read_output(box, &w, &out), WHELK_OK);
    cr_expect_str_eq(out.data, "");
    free(out.data);
    char *sums = text_of(box, "sums");
    cr_expect(atoi(sums) >= 1 && atoi(sums) <= 2, "%s", sums);
    free(sums);
    free(data);
}

Test(sandbox_files_host, a_tree_is_searched)
{
    sh("for i in 1 2 3 4 5 6 7 8 9; do mkdir -p t/$i/a t/$i/node_modules; for k in 1 2 3 4 5 6 7 8 9; do "
       "echo \"needle $i$k\" >t/$i/a/$k.c; cp t/$i/a/$k.c t/$i/node_modules; done; done", "");
    struct shown s = {.n = 0};
    whelk_sandbox_search w = {.size = sizeof w, .pattern = "needle [0-9]*5$", .regex = 1, .exclude = "node_modules"};
    EXPECT_CODE(box, whelk_sandbox_grep(box, &w, show_hit, &s, NULL), WHELK_OK);
    cr_expect_eq(s.lines, 9);
    cr_expect_eq(strncmp(s.text, "t/1/a/5.c:1:needle 15\n", 22), 0);
    free(s.text);
    s = (struct shown){.n = 0};
    EXPECT_CODE(box, whelk_sandbox_glob(box, "t", "{1,2}/**/[12].c", 0, show_path, &s, NULL), WHELK_OK);
    cr_expect_eq(s.lines, 8);
    free(s.text);
}

Test(sandbox_files_host, what_may_not_be_read_is_told)
{
    if (geteuid() == 0)
        return; /* who may read everything */
    sh("mkdir shut; echo needle >open; echo needle >closed; chmod 0 shut closed", "");
    whelk_sandbox_data d = {.size = sizeof d};
    EXPECT_CODE(box, whelk_sandbox_read_file(box, "closed", NULL, &d), WHELK_E_ACCESS);
    EXPECT_CODE(box, whelk_sandbox_write_file(box, "shut/x", "1", 1, 0, 0), WHELK_E_ACCESS);
    struct shown s = {.n = 0};
    whelk_sandbox_search w = {.size = sizeof w, .pattern = "needle"};
    EXPECT_CODE(box, whelk_sandbox_grep(box, &w, show_hit, &s, NULL), WHELK_OK);
    expect_shown(&s, "open:1:needle\n");
    cr_expect(strstr(whelk_sandbox_error(box), "2 files or directories could not be read"));
    sh("chmod 700 shut", "");
}

Test(sandbox_files_host, a_large_file_is_passed_over_and_told)
{
    sh("echo needle >small; truncate -s 65M large; echo needle >>large", "");
    struct shown s = {.n = 0};
    whelk_sandbox_search w = {.size = sizeof w, .pattern = "needle"};
    EXPECT_CODE(box, whelk_sandbox_grep(box, &w, show_hit, &s, NULL), WHELK_OK);
    expect_shown(&s, "small:1:needle\n");
    cr_expect(strstr(whelk_sandbox_error(box), "large"), "%s", whelk_sandbox_error(box));
    w.path = "large";
    EXPECT_CODE(box, whelk_sandbox_grep(box, &w, show_hit, &s, NULL), WHELK_E_NOSPACE);
    whelk_sandbox_range r = {.size = sizeof r, .offset = 65 << 20, .limit = 3};
    whelk_sandbox_data d = {.size = sizeof d};
    EXPECT_CODE(box, whelk_sandbox_read_file(box, "large", &r, &d), WHELK_OK);
    cr_expect_str_eq(d.data, "nee");
    cr_expect_eq(d.total, (65 << 20) + 7);
    cr_expect_eq(d.next, (65 << 20) + 3);
    free(d.data);
    r = (whelk_sandbox_range){.size = sizeof r, .lines = 1, .offset = 1};
    EXPECT_CODE(box, whelk_sandbox_read_file(box, "large", &r, &d), WHELK_OK);
    cr_expect_eq(d.len, 0);
    cr_expect_eq(d.total, 1);
    free(d.data);
}
