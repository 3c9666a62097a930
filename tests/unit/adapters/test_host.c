/* test_host.c - the kind "host" by its table: commands, files, ends, refusals, what is left behind */
#include "adapters/host/host.h"
#include "adapters/sandbox/sandbox.h"
#include "box_rig.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char cache[64];
static whelk_sandbox_options options;
static struct rig rig;

static void set_up(void)
{
    snprintf(cache, sizeof cache, "%s", "/tmp/whelk-host-test.XXXXXX");
    cr_assert(mkdtemp(cache));
    setenv("XDG_CACHE_HOME", cache, 1);
    setenv("ALLOW_DANGEROUS_LOCAL_HOST", "1", 1);
    options = (whelk_sandbox_options){.size = sizeof options};
    rig = (struct rig){0};
}

static void tear_down(void)
{
    rig_close(&rig);
    cr_expect_eq(rig_children(), 0);
    int tmp = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_expect_eq(wk_host_remove(tmp, strrchr(cache, '/') + 1), 0);
    close(tmp);
}

TestSuite(host, .init = set_up, .fini = tear_down, .timeout = 120);

static void open_host(void)
{
    rig_open(&rig, &wk_host_kind, &options);
    cr_assert_eq(rig.code, WHELK_OK, "%d %s", rig.code, rig.error);
}

static void expect_sh(const char *script, const char *out)
{
    struct rig_run run;
    cr_assert(rig_sh(&rig, &run, script), "%s: %s %s", script, run.order, run.text);
    cr_expect_str_eq(run.out[0], out, "%s: %s%s", script, run.out[0], run.out[1]);
    cr_expect_eq(run.exit.code, 0, "%s: %s", script, run.out[1]);
    rig_free(&run);
}

/* Entries of the folder of sandboxes. */
static size_t folders(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/whelk/sandboxes", cache);
    DIR *d = opendir(path);
    size_t n = 0;
    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

Test(host, runs_commands_in_a_workspace_of_its_own)
{
    struct rig_run run;
    open_host();
    cr_expect(strstr(rig.notices, "never in production"), "%s", rig.notices);
    cr_assert(rig_sh(&rig, &run, "pwd; echo bad >&2; exit 7"));
    cr_expect(strcmp(run.order, "soec") == 0 || strcmp(run.order, "seoc") == 0, "%s", run.order);
    cr_expect_eq(run.exit.code, 7);
    cr_expect_eq(run.exit.signal, 0);
    cr_expect_str_eq(run.out[1], "bad\n");
    cr_expect_eq(strncmp(run.out[0], rig.facts.workspace, strlen(rig.facts.workspace)), 0);
    rig_free(&run);
    expect_sh("test \"$HOME\" != \"$PWD\" && test -w \"$HOME\" && ls -A; stat -c %a .", "700\n");
    cr_expect_eq(folders(), 1);
    rig_close(&rig);
    cr_expect_eq(folders(), 0);
}

Test(host, a_killed_command_has_a_signal_and_no_code)
{
    struct rig_run run;
    open_host();
    cr_assert(rig_sh(&rig, &run, "kill -9 $$"));
    cr_expect_eq(run.exit.code, -1);
    cr_expect_eq(run.exit.signal, 9);
    rig_free(&run);
}

Test(host, what_cannot_start_says_why)
{
    struct rig_run run = {0};
    const char *argv[] = {"no-such-program", NULL};
    open_host();
    cr_assert_eq(rig_start(&rig, &run, argv, 0), WHELK_OK);
    cr_assert(rig_until(&rig, &run.ended));
    cr_expect_str_eq(run.order, "f");
    cr_expect_eq(run.code, WHELK_E_NOENT);
    cr_expect_str_eq(run.text, "no-such-program: No such file or directory");
    rig_free(&run);
}

Test(host, input_comes_piece_by_piece)
{
    struct rig_run run = {0};
    const char *argv[] = {"cat", NULL};
    open_host();
    cr_assert_eq(rig_start(&rig, &run, argv, WHELK_SPEC_INPUT), WHELK_OK);
    cr_assert(rig_until(&rig, &run.started));
    cr_expect(run.room >= 65536);
    cr_expect_eq(rig.kind->write(rig.box, run.id, "hello ", 6), WHELK_OK);
    cr_expect_eq(rig.kind->write(rig.box, run.id, "world", 5), WHELK_OK);
    cr_expect_eq(rig.kind->write(rig.box, run.id, NULL, 0), WHELK_OK);
    cr_assert(rig_until(&rig, &run.ended));
    cr_expect_str_eq(run.out[0], "hello world");
    rig_free(&run);
}

Test(host, the_end_is_not_that_of_the_output)
{
    const char *scripts[] = {"sleep 60 & echo hi", "setsid sleep 60 & echo hi"};
    open_host();
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct rig_run run;
        cr_assert(rig_sh(&rig, &run, scripts[i]), "%s", scripts[i]);
        cr_expect_str_eq(run.out[0], "hi\n");
        cr_expect_eq(run.exit.survivors, 1, "%s: %u", scripts[i], run.exit.survivors);
        rig_free(&run);
    }
}

Test(host, closing_ends_everything_and_removes_the_workspace)
{
    struct rig_run run = {0};
    const char *argv[] = {"sh", "-c",
                          "(setsid sh -c 'trap \"\" TERM HUP INT; echo $$ >a; while :; do sleep 1; done' &)\n"
                          "(setsid env -i sh -c 'echo $$ >b; exec sleep 60' &)\n"
                          "mkdir -p x/y; chmod 0 x/y; ln -s / x/root; mkdir x/z; touch x/z/f; chmod 0 x/z x; wait\n"
                          "sleep 60",
                          NULL};
    open_host();
    cr_assert_eq(rig_start(&rig, &run, argv, 0), WHELK_OK);
    cr_assert(rig_until(&rig, &run.started));
    int a = rig_number(rig.facts.workspace, "a"), b = rig_number(rig.facts.workspace, "b");
    cr_assert(rig_alive(a) && rig_alive(b));
    rig_close(&rig);
    cr_expect(rig_gone(a, 2000) && rig_gone(b, 2000));
    cr_expect_str_eq(run.order, "sl");
    cr_expect_str_eq(run.text, "the sandbox was closed");
    cr_expect_eq(folders(), 0);
    rig_free(&run);
}

Test(host, a_given_workspace_stays)
{
    char given[] = "/tmp/whelk-given.XXXXXX", path[64];
    struct stat st;
    cr_assert(mkdtemp(given));
    snprintf(path, sizeof path, "%s/f", given);
    options.workspace = given;
    open_host();
    expect_sh("echo x >f", "");
    rig_close(&rig);
    cr_expect_eq(stat(path, &st), 0);
    cr_expect_eq(folders(), 0);
    options.delete_on_cleanup = WHELK_YES;
    open_host();
    rig_close(&rig);
    cr_expect_eq(stat(given, &st), -1);
}

Test(host, a_made_workspace_may_stay)
{
    char path[256];
    struct stat st;
    options.delete_on_cleanup = WHELK_NO;
    open_host();
    expect_sh("echo x >f", "");
    snprintf(path, sizeof path, "%s/f", rig.facts.workspace);
    rig_close(&rig);
    cr_expect_eq(stat(path, &st), 0);
    cr_expect_eq(wk_host_reap(), 0);
    cr_expect_eq(stat(path, &st), 0);
}

static void expect_refused(int code, const char *text)
{
    rig_open(&rig, &wk_host_kind, &options);
    cr_expect_eq(rig.code, code, "%d instead of %d: %s", rig.code, code, rig.error);
    cr_expect(strstr(rig.error, text), "'%s' has no '%s'", rig.error, text);
    rig_close(&rig);
    options = (whelk_sandbox_options){.size = sizeof options};
    cr_expect_eq(folders(), 0);
}

Test(host, refusals_name_the_option)
{
    options.network = "none";
    expect_refused(WHELK_E_UNSUPPORTED, "runs on the host, so it always has the host's network and cannot enforce "
                                        "another policy: remove the network argument");
    options.image = "x";
    expect_refused(WHELK_E_UNSUPPORTED, "image");
    options.setup_script = "x";
    expect_refused(WHELK_E_UNSUPPORTED, "setup_script");
    options.n_ports = 1;
    expect_refused(WHELK_E_UNSUPPORTED, "ports");
    options.memory_bytes = 1;
    expect_refused(WHELK_E_UNSUPPORTED, "memory_bytes");
    options.pids = 1;
    expect_refused(WHELK_E_UNSUPPORTED, "pids");
    options.cpu_milli = 1;
    expect_refused(WHELK_E_UNSUPPORTED, "cpu_milli");
    options.isolation = "much";
    expect_refused(WHELK_E_INVALID, "isolation: much is none of none, auto, bwrap, strict");
    options.shell = "no-such-shell";
    expect_refused(WHELK_E_NOENT, "no-such-shell");
    options.workspace = "relative";
    expect_refused(WHELK_E_INVALID, "no absolute path");
    options.workspace = "/nonexistent/directory";
    expect_refused(WHELK_E_NOENT, "/nonexistent/directory");
    options.workspace = "/tmp";
    options.delete_on_cleanup = WHELK_YES;
    expect_refused(WHELK_E_INVALID, "delete_on_cleanup");
    options.git_name = "a\nb";
    expect_refused(WHELK_E_INVALID, "git_name");
    options.user = "root";
    expect_refused(WHELK_E_INVALID, "user: root is not of the form uid[:gid]");
    setenv("ALLOW_DANGEROUS_LOCAL_HOST", "yes", 1);
    expect_refused(WHELK_E_ACCESS, "set ALLOW_DANGEROUS_LOCAL_HOST=1 in the environment");
}

/* ---- processes --------------------------------------------------------------------------------------- */

Test(host, a_trees_end_reaches_what_hides)
{
    struct rig_run run = {0};
    const char *argv[] = {"sh", "-c", "(setsid env -i sh -c 'trap \"\" TERM; echo $$ >a; exec sleep 60' &); sleep 60",
                          NULL};
    open_host();
    cr_assert_eq(rig_start(&rig, &run, argv, 0), WHELK_OK);
    cr_assert(rig_until(&rig, &run.started));
    int a = rig_number(rig.facts.workspace, "a");
    cr_expect(rig_alive(a));
    cr_expect_eq(rig_signal(&rig, &run, 9, WHELK_SCOPE_TREE), WHELK_OK);
    cr_assert(rig_until(&rig, &run.ended));
    cr_expect(rig_gone(a, 2000));
    cr_expect_eq(run.exit.signal, 9);
    cr_expect_eq(run.exit.survivors, 0);
    cr_expect_eq(rig_signal(&rig, &run, 9, WHELK_SCOPE_LEADER), WHELK_E_NOENT);
    rig_free(&run);
}

Test(host, much_output_is_counted_and_not_kept)
{
    struct rig_run run;
    open_host();
    cr_assert(rig_sh(&rig, &run, "head -c 1073741824 /dev/zero; echo end >&2"));
    cr_expect_eq(run.total[0], 1u << 30);
    cr_expect_str_eq(run.out[1], "end\n");
    rig_free(&run);
}

Test(host, output_that_nobody_takes_breaks_the_pipe)
{
    struct rig_run run = {.no_welcome = true};
    const char *argv[] = {"yes", NULL};
    open_host();
    cr_assert_eq(rig_start(&rig, &run, argv, 0), WHELK_OK);
    rig.kind->welcome(rig.box, run.id, 1, 1000);
    rig.kind->welcome(rig.box, run.id, 1, SIZE_MAX);
    cr_assert(rig_until(&rig, &run.ended));
    cr_expect_eq(run.exit.signal, 13);
    rig_free(&run);
}

Test(host, input_that_nobody_read_is_counted)
{
    struct rig_run run = {0};
    const char *argv[] = {"sh", "-c", "read -r a; echo $a", NULL};
    open_host();
    cr_assert_eq(rig_start(&rig, &run, argv, WHELK_SPEC_INPUT), WHELK_OK);
    cr_expect_eq(rig.kind->write(rig.box, run.id, "early", 5), WHELK_E_INVALID); /* there was no room yet */
    cr_assert(rig_until(&rig, &run.started));
    cr_expect_eq(rig.kind->write(rig.box, run.id, "one\ntwo\n", 8), WHELK_OK);
    cr_assert(rig_until(&rig, &run.ended));
    cr_expect_str_eq(run.out[0], "one\n");
    cr_expect_eq(run.exit.input_left, 4);
    rig_free(&run);
}

Test(host, a_terminal)
{
    struct rig_run run = {0};
    const char *argv[] = {"sh", "-c", "stty size; test -t 0 && test -t 1 && echo tty; read x; stty size; echo got $x",
                          NULL};
    open_host();
    cr_assert_eq(rig_start(&rig, &run, argv, WHELK_SPEC_TTY), WHELK_OK);
    cr_assert(rig_until(&rig, &run.started));
    cr_expect_eq(rig.kind->resize(rig.box, run.id, 50, 100), WHELK_OK);
    cr_expect_eq(rig.kind->write(rig.box, run.id, "hello\n", 6), WHELK_OK);
    cr_assert(rig_until(&rig, &run.ended));
    cr_expect(strstr(run.out[0], "tty\r\n") && strstr(run.out[0], "50 100\r\n") && strstr(run.out[0], "got hello\r\n"),
              "%s", run.out[0]);
    rig_free(&run);
}

Test(host, limits_hold)
{
    struct rig_run run = {0};
    const char *argv[] = {"sh", "-c", "ulimit -n; ulimit -f; exit 3", NULL};
    const char *env[] = {"PATH=/usr/bin:/bin", NULL};
    open_host();
    whelk_spec spec = {.size = sizeof spec, .argv = argv, .env = env, .cwd = rig.facts.workspace, .uid = UINT32_MAX,
                       .gid = UINT32_MAX, .descriptors = 50, .file_bytes = 1 << 20};
    cr_assert_eq(rig_start_spec(&rig, &run, &spec), WHELK_OK);
    cr_assert(rig_until(&rig, &run.ended));
    cr_expect_str_eq(run.out[0], "50\n2048\n");
    cr_expect_eq(run.exit.code, 3);
    rig_free(&run);
}

Test(host, an_unknown_directory_is_named)
{
    struct rig_run run = {0};
    const char *argv[] = {"true", NULL}, *env[] = {NULL};
    open_host();
    whelk_spec spec = {.size = sizeof spec, .argv = argv, .env = env, .cwd = "/nonexistent/place", .uid = UINT32_MAX,
                       .gid = UINT32_MAX};
    cr_assert_eq(rig_start_spec(&rig, &run, &spec), WHELK_OK);
    cr_assert(rig_until(&rig, &run.ended));
    cr_expect_eq(run.code, WHELK_E_NOENT);
    cr_expect_str_eq(run.text, "cannot enter the directory /nonexistent/place: No such file or directory");
    rig_free(&run);
}

struct logged {
    bool done;
    int code, ended;
    uint64_t offset;
    size_t n;
    char text[64];
};

static void on_log(void *ctx, int code, uint64_t offset, uint64_t lost, int ended, const void *p, size_t n)
{
    struct logged *l = ctx;
    *l = (struct logged){true, code, ended, offset, n, ""};
    cr_expect_eq(lost, 0);
    memcpy(l->text, p, n < 63 ? n : 63);
}

Test(host, kept_output)
{
    struct rig_run run = {0};
    struct logged l = {0};
    const char *argv[] = {"sh", "-c", "echo one; read x; echo two", NULL};
    open_host();
    cr_assert_eq(rig_start(&rig, &run, argv, WHELK_SPEC_LOGGED | WHELK_SPEC_INPUT), WHELK_OK);
    cr_expect_eq(rig.kind->log(rig.box, run.id, 1, 0, 100, 1, on_log, &l), WHELK_OK);
    cr_assert(rig_until(&rig, &l.done));
    cr_expect_str_eq(l.text, "one\n");
    l.done = false;
    cr_expect_eq(rig.kind->log(rig.box, run.id, 1, 4, 100, 1, on_log, &l), WHELK_OK);
    rig.kind->stop_waiting(rig.box, run.id);
    cr_assert(rig_until(&rig, &l.done));
    cr_expect(l.n == 0 && !l.ended);
    cr_expect_eq(rig.kind->write(rig.box, run.id, NULL, 0), WHELK_OK);
    cr_assert(rig_until(&rig, &run.ended));
    cr_expect_str_eq(run.order, "sec");
    l.done = false;
    cr_expect_eq(rig.kind->log(rig.box, run.id, 1, 4, 100, 0, on_log, &l), WHELK_OK);
    cr_assert(rig_until(&rig, &l.done));
    cr_expect(l.ended);
    cr_expect_str_eq(l.text, "two\n");
    rig_free(&run);
    cr_expect_eq(rig.kind->log(rig.box, run.id, 1, 4, 100, 0, on_log, &l), WHELK_E_NOENT);
}

static void on_port(void *ctx, int code)
{
    *(struct logged *)ctx = (struct logged){.done = true, .code = code};
}

Test(host, a_port_that_nobody_opens_is_given_up)
{
    struct logged l = {0};
    open_host();
    cr_expect_eq(rig.kind->wait_port(rig.box, 1000, 1, on_port, &l), WHELK_OK);
    cr_expect_not(rig_until_ms(&rig, &l.done, 100));
    rig.kind->stop_waiting(rig.box, 1000);
    cr_assert(rig_until(&rig, &l.done));
    cr_expect_eq(l.code, WHELK_E_AGAIN);
}

/* ---- files ---------------------------------------------------------------------------------------------- */

static int ask(struct rig_file *f, int op, const char *path, const char *target)
{
    whelk_file_request q = {.size = sizeof q, .op = op, .path = path, .target = target, .mode = 0755,
                            .mtime_ns = INT64_MIN, .depth = 1, .length = UINT64_MAX};
    return rig_file(&rig, f, &q);
}

static void expect_list(int op, const char *path, const char *list)
{
    struct rig_file f;
    cr_expect_eq(ask(&f, op, path, NULL), WHELK_OK, "%s: %s", path, f.text);
    cr_expect_str_eq(f.list, list);
    rig_file_free(&f);
}

static void expect_done(int op, const char *path, const char *target, int code)
{
    struct rig_file f;
    cr_expect_eq(ask(&f, op, path, target), code, "%s: %d %s", path, f.code, f.text);
    rig_file_free(&f);
}

Test(host, files)
{
    static char big[3 << 20], path[256];
    struct rig_file f;
    open_host();
    for (size_t i = 0; i < sizeof big; i++)
        big[i] = (char)(i * 7 + i / 251);
    expect_list(WHELK_FILE_CHANGES, "", "");
    expect_done(WHELK_FILE_MAKE_DIR, "d", NULL, WHELK_OK);
    cr_expect_eq(rig_put(&rig, "./d//big", big, sizeof big), WHELK_OK);
    expect_done(WHELK_FILE_SYMLINK, "d/l", "/etc/passwd", WHELK_OK);
    expect_list(WHELK_FILE_CHANGES, "", "");
    expect_sh("cmp d/big d/big && stat -c %s d/big && ln -s x d/l2 && touch made", "3145728\n");
    expect_list(WHELK_FILE_CHANGES, "", "1 1 made\n2 3 d\n3 1 d/l2 -> x\n");
    cr_expect_eq(ask(&f, WHELK_FILE_GET, "d/big", NULL), WHELK_OK);
    cr_expect(f.data_n == sizeof big && f.size == sizeof big && memcmp(f.data, big, sizeof big) == 0);
    rig_file_free(&f);
    expect_list(WHELK_FILE_STAT, "d/l", "3 0 d/l -> /etc/passwd\n");
    expect_list(WHELK_FILE_LIST, "", "1 0 made\n2 0 d\n");
    expect_done(WHELK_FILE_GET, "d/l", NULL, WHELK_E_LOOP);
    expect_done(WHELK_FILE_GET, "d", NULL, WHELK_E_ISDIR);
    expect_done(WHELK_FILE_GET, "none", NULL, WHELK_E_NOENT);
    expect_done(WHELK_FILE_MAKE_DIR, "made", NULL, WHELK_E_EXISTS);
    expect_done(WHELK_FILE_MAKE_DIR, "made/x", NULL, WHELK_E_NOTDIR);
    expect_done(WHELK_FILE_RENAME, "made", "d/moved", WHELK_OK);
    expect_done(WHELK_FILE_REMOVE, "d/big", NULL, WHELK_OK);
    expect_list(WHELK_FILE_CHANGES, "", "");
    snprintf(path, sizeof path, "%s/d", rig.facts.workspace);
    cr_expect_eq(ask(&f, WHELK_FILE_LIST, path, NULL), WHELK_OK);
    cr_expect_eq(f.entries, 3);
    cr_expect_eq(strncmp(strchr(f.list, '/'), path, strlen(path)), 0);
    rig_file_free(&f);
    cr_expect_eq(ask(&f, WHELK_FILE_MAKE_DIR, "d", NULL), WHELK_OK);
    cr_expect_eq(f.size, 1); /* it was there */
    rig_file_free(&f);
    cr_expect_eq(rig_put(&rig, "no/such/dir", big, sizeof big), WHELK_E_NOENT);
    expect_sh("ls -A | wc -l", "1\n");
}

Test(host, many_files_at_once)
{
    enum { N = 500 };
    static struct rig_file f[N];
    char path[32];
    open_host();
    for (int i = 0; i < N; i++) {
        whelk_file_request q = {.size = sizeof q, .op = WHELK_FILE_PUT, .path = path, .mode = 0600,
                                .data = "0123456789", .length = (uint64_t)i % 11, .mtime_ns = INT64_MIN};
        snprintf(path, sizeof path, "f%d", i);
        cr_assert_eq(rig_file(&rig, &f[i], &q), WHELK_OK);
        rig_file_free(&f[i]);
    }
    expect_sh("ls | wc -l; cat f* | wc -c", "500\n2485\n");
}

Test(host, a_full_disk_is_told)
{
    char given[] = "/tmp/whelk-full.XXXXXX", command[128];
    static char bytes[1 << 20];
    cr_assert(mkdtemp(given));
    snprintf(command, sizeof command, "mount -t tmpfs -o size=300k none %s 2>/dev/null", given);
    if (geteuid() != 0 || system(command) != 0) {
        rmdir(given);
        cr_skip_test("only root can mount a small file system, and not everywhere");
    }
    options.workspace = given;
    open_host();
    cr_expect_eq(rig_put(&rig, "f", bytes, sizeof bytes), WHELK_E_NOSPACE);
    cr_expect_eq(rig_put(&rig, "g", bytes, 1000), WHELK_OK);
    expect_list(WHELK_FILE_LIST, "", "1 0 g\n");
    struct rig_run run;
    cr_expect(rig_sh(&rig, &run, "head -c 1000000 /dev/zero >big"));
    cr_expect_neq(run.exit.code, 0);
    rig_free(&run);
    rig_close(&rig);
    snprintf(command, sizeof command, "umount %s", given);
    cr_expect_eq(system(command), 0);
    rmdir(given);
}

/* ---- environment ------------------------------------------------------------------------------------------ */

Test(host, git_has_an_identity_that_yields)
{
    options.git_name = "A \"B\" \\C";
    open_host();
    expect_sh("command -v git >/dev/null || { echo 'A \"B\" \\C'; exit; }; git config user.name", "A \"B\" \\C\n");
    expect_sh("command -v git >/dev/null || exit 0; git init -q . && echo x >f && git add f && git commit -qm m &&\n"
              "git config --global user.name Mine && test \"$(git config user.name)\" = Mine &&\n"
              "test -z \"$(git status --short)\"",
              "");
}

Test(host, the_environment_is_made_or_inherited)
{
    setenv("WHELK_TEST_PLAIN", "plain", 1);
    setenv("WHELK_TEST_TOKEN", "hidden", 1);
    setenv("WHELK_TEST_URL", "https://me:hidden@host/x", 1);
    open_host();
    expect_sh("echo ${WHELK_TEST_PLAIN-none}", "none\n");
    rig_close(&rig);
    options.inherit_env = 1;
    open_host();
    expect_sh("echo $WHELK_TEST_PLAIN; env | grep -c hidden || true", "plain\n0\n");
}

Test(host, names_of_secrets)
{
    const struct {
        const char *name, *value;
        bool secret;
    } all[] = {{"OPENAI_API_KEY", "x", true},    {"GITHUB_TOKEN", "x", true},    {"AWS_PROFILE", "x", true},
               {"my_password", "x", true},       {"SSH_AUTH_SOCK", "x", true},   {"DB", "postgres://u:p@h/d", true},
               {"PATH", "/bin", false},          {"KEYBOARD", "x", false},       {"DB", "pg://h/d?x=a:b@c", false},
               {"EDITOR", "vi", false},          {"LANG", "C.UTF-8", false},     {"PROXY", "http://u@h", false},
               {"CLIENT_SECRET_ID", "x", true},  {"DB_PASS", "x", true},         {"COMPASS", "x", false}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        cr_expect_eq(wk_host_is_secret(wk_str_c(all[i].name), wk_str_c(all[i].value)), all[i].secret, "%s",
                     all[i].name);
}

/* ---- isolation -------------------------------------------------------------------------------------------- */

Test(host, confined_processes_write_in_the_workspace_alone)
{
    char outside[] = "/var/lib/whelk-outside.XXXXXX", script[256];
    options.isolation = "auto";
    open_host();
    if (strstr(rig.notices, "no Landlock") || !mkdtemp(outside))
        cr_skip_test("no Landlock, or no directory outside of /tmp that could be written");
    snprintf(script, sizeof script,
             "echo x >in && echo x >~/home && echo x >/tmp/whelk-$$ && rm /tmp/whelk-$$ && echo fine;"
             " (echo x >%s/f) 2>/dev/null || echo refused", outside);
    expect_sh(script, "fine\nrefused\n");
    cr_expect(strstr(rig.facts.description, "Landlock"), "%s", rig.facts.description);
    cr_expect(strstr(rig.facts.description, "the host's network"), "%s", rig.facts.description);
    rmdir(outside);
}

Test(host, bubblewrap_hides_the_network_and_other_processes)
{
    options.isolation = "bwrap";
    rig_open(&rig, &wk_host_kind, &options);
    if (rig.code != WHELK_OK) {
        cr_expect(*rig.error);
        cr_skip_test("bubblewrap cannot be run here");
    }
    cr_expect(rig.facts.capabilities & WHELK_BOX_NETWORK_NONE);
    expect_sh("test $(ls /proc | grep -c '^[0-9]') -lt 20 && echo few; grep -c : /proc/net/dev\n"
              "(echo x >/usr/x) 2>/dev/null || echo refused; echo x >in && echo fine",
              "few\n1\nrefused\nfine\n");
    cr_expect_eq(rig_put(&rig, "f", "x", 1), WHELK_OK);
    expect_sh("cat f; git config user.name >/dev/null 2>&1 || ! command -v git", "x");
    rig_close(&rig);
    options.isolation = "strict";
    rig_open(&rig, &wk_host_kind, &options);
    cr_expect(rig.code == WHELK_OK || strstr(rig.error, "this kernel has no"), "%s", rig.error);
    if (rig.code == WHELK_OK) {
        cr_expect(strstr(rig.facts.description, "Landlock") && strstr(rig.facts.description, "calls filtered"));
        expect_sh("echo x >in && echo y >~/h && echo z >/tmp/t && echo fine", "fine\n");
        rig_close(&rig);
    }
    options.isolation = "bwrap";
    options.network = "all";
    open_host();
    struct rig_run run;
    cr_assert(rig_sh(&rig, &run, "cat /proc/net/dev | wc -l"));
    cr_expect_gt(atoi(run.out[0]), 2);
    rig_free(&run);
}

Test(host, a_command_that_kills_all_processes_it_can)
{
    char own[64] = "";
    struct rig_run run;
    options.isolation = "bwrap";
    rig_open(&rig, &wk_host_kind, &options);
    if (rig.code != WHELK_OK)
        cr_skip_test("bubblewrap cannot be run here");
    /* In a namespace of its own, which is looked at before. */
    cr_assert(readlink("/proc/self/ns/pid", own, sizeof own - 1) > 0);
    cr_assert(rig_sh(&rig, &run, "readlink /proc/self/ns/pid"));
    cr_assert(strncmp(run.out[0], "pid:[", 5) == 0 && strncmp(run.out[0], own, strlen(own)) != 0);
    rig_free(&run);
    cr_assert(rig_sh(&rig, &run, "sleep 60 & kill -9 -1; echo all but itself; exit 4"));
    cr_expect_str_eq(run.out[0], "all but itself\n");
    cr_expect_eq(run.exit.code, 4);
    rig_free(&run);
    expect_sh("echo still here", "still here\n");
}

Test(host, as_another_user)
{
    if (geteuid() != 0) {
        options.user = "65534";
        expect_refused(WHELK_E_UNSUPPORTED, "only root can run commands as another user");
        return;
    }
    chmod(cache, 0711);
    setenv("TMPDIR", cache, 1);
    options.user = "65534:65534";
    open_host();
    cr_expect_eq(rig_put(&rig, "f", "x", 1), WHELK_OK);
    expect_sh("id -u; stat -c %u f .; echo y >>f && cat f", "65534\n65534\n65534\nxy\n");
}

/* ---- what is left behind --------------------------------------------------------------------------------- */

Test(host, two_hundred_leave_nothing)
{
    open_host();
    rig_close(&rig);
    size_t before = rig_descriptors();
    for (int i = 0; i < 200; i++) {
        open_host();
        if (i % 10 == 0)
            expect_sh("sleep 60 & echo hi", "hi\n");
        rig_close(&rig);
    }
    cr_expect_eq(rig_descriptors(), before);
    cr_expect_eq(rig_children(), 0);
    cr_expect_eq(folders(), 0);
}

/* A program that opens a sandbox, starts what does not end, and waits to be killed. */
static void be_killed(int to)
{
    struct rig_run run = {0};
    const char *argv[] = {"sh", "-c", "(setsid env -i sh -c 'trap \"\" TERM HUP; echo $$ >a; while :; do :; done' &)\n"
                                      "(yes >/dev/null & echo $! >b); sleep 60",
                          NULL};
    open_host();
    cr_assert_eq(rig_start(&rig, &run, argv, 0), WHELK_OK);
    cr_assert(rig_until(&rig, &run.started));
    (void)!write(to, rig.facts.workspace, strlen(rig.facts.workspace));
    close(to);
    rig_until_ms(&rig, &run.ended, 60000);
}

Test(host, what_a_killed_program_left_is_ended_and_reaped)
{
    int fd[2];
    char workspace[256] = "";
    cr_assert_eq(pipe(fd), 0);
    pid_t program = fork();
    if (program == 0) {
        close(fd[0]);
        be_killed(fd[1]);
        _exit(0);
    }
    close(fd[1]);
    cr_assert(read(fd[0], workspace, sizeof workspace - 1) > 0);
    close(fd[0]);
    int a = rig_number(workspace, "a"), b = rig_number(workspace, "b");
    cr_expect(rig_alive(a) && rig_alive(b));
    cr_expect_eq(wk_host_reap(), 0); /* it lives */
    kill(program, SIGKILL);
    cr_expect_eq(waitpid(program, NULL, 0), program);
    cr_expect(rig_gone(a, 2000) && rig_gone(b, 2000));
    cr_expect_eq(folders(), 1);
    cr_expect_eq(wk_host_reap(), 1);
    cr_expect_eq(folders(), 0);
}

Test(host, nothing_is_reaped_without_its_marker)
{
    char path[256], marker[300];
    struct stat st;
    options.delete_on_cleanup = WHELK_NO;
    open_host();
    snprintf(path, sizeof path, "%s", rig.facts.workspace);
    *strrchr(path, '/') = 0;
    snprintf(marker, sizeof marker, "%s/owner", path);
    cr_expect_eq(stat(marker, &st), 0);
    cr_expect_eq(unlink(marker), 0);
    rig_close(&rig);
    cr_expect_eq(stat(path, &st), 0);
    FILE *f = fopen(marker, "w");
    fputs("something else\n", f);
    fclose(f);
    cr_expect_eq(wk_host_reap(), 0);
    cr_expect_eq(stat(path, &st), 0);
}

Test(host, removal_follows_no_link_and_goes_deep)
{
    char kept[] = "/tmp/whelk-kept.XXXXXX", script[512];
    struct stat st;
    cr_assert(mkdtemp(kept));
    open_host();
    snprintf(script, sizeof script,
             "touch %s/f; ln -s %s link; mkdir -p d; ln -s %s/f d/f; ln -s .. d/up; mkdir d/locked; touch d/locked/x;"
             "chmod 0 d/locked d", kept, kept, kept);
    expect_sh(script, "");
    int dir = open(rig.facts.workspace, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < 1200; i++) {
        cr_assert_eq(mkdirat(dir, "n", 0755), 0);
        int next = openat(dir, "n", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(dir);
        dir = next;
    }
    close(dir);
    rig_close(&rig);
    cr_expect_eq(folders(), 0);
    snprintf(script, sizeof script, "%s/f", kept);
    cr_expect_eq(stat(script, &st), 0);
    unlink(script);
    rmdir(kept);
}
