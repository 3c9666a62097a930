/* test_host.c - the kind "host" by its table: commands, files, ends, refusals, what is left behind */
#include "adapters/host.h"
#include "adapters/sandbox.h"
#include "box_rig.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char cache[] = "/tmp/whelk-host-test.XXXXXX";
static whelk_sandbox_options options;
static struct rig rig;

static void set_up(void)
{
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
    options.workspace = "/no/such/directory";
    expect_refused(WHELK_E_NOENT, "/no/such/directory");
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
