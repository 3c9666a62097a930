/* test_sandbox_open.c - opening: options, callbacks, failures; what a sandbox says of itself; environments */
#include "plan_box.h"

#include "adapters/sandbox/code.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

TestSuite(sandbox_open, .fini = plan_reset);

static whelk_sandbox_options options(void)
{
    whelk_sandbox_options o;
    whelk_sandbox_options_init(&o);
    return o;
}

/* Opening with these options is refused with a code and words that hold a part. */
static void refused(const whelk_sandbox_options *o, int code, const char *part)
{
    whelk_sandbox *b = NULL;
    int got = whelk_sandbox_open_kind(&plan_kind, o, &b);
    cr_expect_eq(got, code, "%s: %d", part, got);
    cr_assert_not_null(b);
    cr_expect(strstr(whelk_sandbox_error(b), part), "\"%s\" does not say %s", whelk_sandbox_error(b), part);
    cr_expect_str_eq(whelk_sandbox_workspace(b), "");
    whelk_sandbox_result *r = (void *)1;
    cr_expect_lt(whelk_sandbox_exec(b, "exit:0", &r), 0);
    cr_expect_null(r);
    whelk_sandbox_close(b);
    cr_expect_eq(planned.opened, planned.closed);
}

Test(sandbox_open, options_that_make_no_sense)
{
    static const char *const bad_env[] = {"A=1", "novalue"}, *const no_name[] = {"=x"}, *const null_env[] = {NULL};
    static const char *const slash[] = {"/usr/bin/git"};
    char *too_long = malloc(WK_SECRET_MAX + 2);
    memset(too_long, 'x', WK_SECRET_MAX + 1);
    too_long[WK_SECRET_MAX + 1] = '\0';
    whelk_secret secret = {.size = sizeof secret, .name = "TOKEN", .value = "v"};
    whelk_port twice[] = {{sizeof twice[0], 80, 0}, {sizeof twice[0], 80, 8080}};
    whelk_sandbox_options o;
#define BAD(code, part, ...)             \
    do {                                 \
        o = options();                   \
        __VA_ARGS__;                     \
        refused(&o, code, part);         \
    } while (0)
    BAD(WHELK_E_INVALID, "novalue", o.env = bad_env, o.n_env = 2);
    BAD(WHELK_E_INVALID, "NAME=VALUE", o.env = no_name, o.n_env = 1);
    BAD(WHELK_E_INVALID, "NAME=VALUE", o.env = null_env, o.n_env = 1);
    BAD(WHELK_E_INVALID, "options", o.n_env = 1);
    BAD(WHELK_E_INVALID, "extra", o.extra = bad_env, o.n_extra = 2);
    BAD(WHELK_E_INVALID, "absolute", o.workspace = "here");
    BAD(WHELK_E_INVALID, "absolute", o.workspace_path = "there");
    BAD(WHELK_E_UNSUPPORTED, "allow", o.network = "allow");
    BAD(WHELK_E_INVALID, "pull", o.pull = "sometimes");
    BAD(WHELK_E_INVALID, "isolation", o.isolation = "some");
    BAD(WHELK_E_INVALID, "user", o.user = "root");
    BAD(WHELK_E_INVALID, "user", o.user = "1:");
    BAD(WHELK_E_INVALID, "user", o.user = "4294967295");
    BAD(WHELK_E_INVALID, "delete_on_cleanup", o.delete_on_cleanup = 3);
    BAD(WHELK_E_INVALID, "background", o.background = -1);
    BAD(WHELK_E_INVALID, "timeout_ms", o.timeout_ms = -2);
    BAD(WHELK_E_INVALID, "git_name", o.git_name = "a\nb");
    BAD(WHELK_E_INVALID, "twice", o.ports = twice, o.n_ports = 2);
    BAD(WHELK_E_INVALID, "TOKEN", secret.value = NULL, o.secrets = &secret, o.n_secrets = 1);
    BAD(WHELK_E_INVALID, "65,536", secret.value = too_long, o.secrets = &secret, o.n_secrets = 1);
    BAD(WHELK_E_INVALID, "slash", secret.value = "v", secret.commands = slash, secret.n_commands = 1,
        o.secrets = &secret, o.n_secrets = 1);
    BAD(WHELK_E_INVALID, "name", secret = (whelk_secret){.size = sizeof secret, .name = "A=B", .value = "v"},
        o.secrets = &secret, o.n_secrets = 1);
    BAD(WHELK_E_UNSUPPORTED, "image", o.image = "debian");
    free(too_long);
}

Test(sandbox_open, what_the_kind_cannot_do)
{
    whelk_sandbox_options o;
    whelk_port port = {sizeof port, 80, 0};
    planned.lacks = WHELK_BOX_BACKGROUND | WHELK_BOX_NETWORK_NONE | WHELK_BOX_PORTS;
    BAD(WHELK_E_UNSUPPORTED, "background", o.background = WHELK_YES);
    BAD(WHELK_E_UNSUPPORTED, "network", o.network = "none");
    BAD(WHELK_E_UNSUPPORTED, "ports", o.ports = &port, o.n_ports = 1);
}

Test(sandbox_open, structs_of_other_versions)
{
    struct {
        whelk_sandbox_options o;
        char tail[32];
    } later;
    memset(&later, 0, sizeof later);
    later.o.size = sizeof later;
    whelk_sandbox *b;
    cr_assert_eq(whelk_sandbox_open_kind(&plan_kind, &later.o, &b), WHELK_OK);
    whelk_sandbox_close(b);
    later.tail[20] = 1;
    refused(&later.o, WHELK_E_UNSUPPORTED, "version");
    whelk_sandbox_options earlier = {.size = offsetof(whelk_sandbox_options, image), .image = (const char *)1};
    cr_assert_eq(whelk_sandbox_open_kind(&plan_kind, &earlier, &b), WHELK_OK);
    cr_assert_null(b->options.image);
    whelk_sandbox_close(b);
    earlier.size = 3;
    refused(&earlier, WHELK_E_INVALID, "options");
}

Test(sandbox_open, bad_arguments)
{
    whelk_sandbox *b = NULL;
    whelk_sandbox_kind gaps = plan_kind;
    gaps.pump = NULL;
    cr_expect_eq(whelk_sandbox_open_kind(NULL, NULL, &b), WHELK_E_INVALID);
    cr_expect_eq(whelk_sandbox_open_kind(&plan_kind, NULL, NULL), WHELK_E_INVALID);
    cr_expect_eq(whelk_sandbox_open_kind(&gaps, NULL, &b), WHELK_E_INVALID);
    cr_expect_str_eq(whelk_sandbox_kind_name(b), "");
    whelk_sandbox_close(b);
    whelk_sandbox_close(NULL);
    whelk_sandbox_cancel(NULL);
    whelk_sandbox_result_free(NULL);
    cr_expect_neq(*whelk_sandbox_error(NULL), '\0');
}

Test(sandbox_open, options_are_copied)
{
    char name[] = "NAME", value[] = "VALUE", cwd[] = "/home", text[] = "data";
    const char *commands[] = {name};
    whelk_secret secret = {.size = sizeof secret, .name = name, .value = value, .commands = commands, .n_commands = 1};
    whelk_port port = {sizeof port, 80, 8080};
    whelk_limits limits = {.size = sizeof limits, .files = 7};
    whelk_mount mount = {.size = sizeof mount, .kind = WHELK_MOUNT_MEMORY, .path = name};
    whelk_file file = {.size = sizeof file, .path = name, .data = text, .data_len = 5};
    whelk_session_options session = {.size = sizeof session, .cwd = cwd, .limits = &limits, .mounts = &mount,
                                     .n_mounts = 1, .files = &file, .n_files = 1, .env = commands, .n_env = 1};
    whelk_sandbox_options o = options();
    o.secrets = &secret;
    o.n_secrets = 1;
    o.ports = &port;
    o.n_ports = 1;
    o.session = &session;
    whelk_sandbox *b = plan_open(&o);
    memset(name, 'x', 4), memset(value, 'x', 5), memset(cwd, 'x', 5), memset(text, 'x', 4);
    memset(&secret, 0, sizeof secret), memset(&session, 0, sizeof session), memset(&limits, 0, sizeof limits);
    const whelk_sandbox_options *c = &b->options;
    cr_expect_str_eq(c->secrets[0].name, "NAME");
    cr_expect_str_eq(c->secrets[0].value, "VALUE");
    cr_expect_str_eq(c->secrets[0].commands[0], "NAME");
    cr_expect_eq(c->ports[0].outside, 8080);
    cr_expect_str_eq(c->session->cwd, "/home");
    cr_expect_eq(c->session->limits->files, 7);
    cr_expect_str_eq(c->session->mounts[0].path, "NAME");
    cr_expect_str_eq(c->session->files[0].data, "data");
    cr_expect_str_eq(c->session->env[0], "NAME");
    whelk_sandbox_close(b);
}

Test(sandbox_open, says_what_it_is)
{
    whelk_sandbox *b = plan_open(NULL);
    cr_expect_str_eq(whelk_sandbox_kind_name(b), "fake");
    cr_expect_str_eq(whelk_sandbox_workspace(b), "/w");
    cr_expect_str_eq(whelk_sandbox_description(b), "nothing real");
    cr_expect_eq(whelk_sandbox_capabilities(b), 0xffff);
    cr_expect_eq(whelk_sandbox_port(b, 80), 1080);
    cr_expect_null(whelk_sandbox_session(b));
    whelk_snapshot *snap = (void *)1;
    cr_expect_eq(whelk_sandbox_snapshot(b, &snap), WHELK_E_UNSUPPORTED);
    cr_expect_null(snap);
    whelk_sandbox_close(b);
    whelk_sandbox_options o = options();
    o.background = WHELK_NO;
    b = plan_open(&o);
    cr_expect_eq(whelk_sandbox_capabilities(b), 0xffff & ~WHELK_BOX_BACKGROUND);
    whelk_sandbox_close(b);
}

Test(sandbox_open, close_says_what_to_keep)
{
    static const int want[] = {WHELK_DEFAULT, WHELK_NO, WHELK_YES};
    for (int choice = 0; choice < 3; choice++) {
        whelk_sandbox_options o = options();
        o.delete_on_cleanup = choice;
        whelk_sandbox_close(plan_open(&o));
        cr_expect_eq(planned.keep, want[choice]);
    }
    cr_expect_eq(planned.closed, 3);
}

Test(sandbox_open, words_of_a_kind_that_does_not_open)
{
    whelk_secret secret = {.size = sizeof secret, .name = "S", .value = "s3cret"};
    whelk_sandbox_options o = options();
    o.secrets = &secret;
    o.n_secrets = 1;
    planned.open_code = WHELK_E_NOENT;
    planned.open_text = "no engine at s3cret";
    refused(&o, WHELK_E_NOENT, "no engine at ***");
    planned.open_text = NULL;
    refused(&o, WHELK_E_NOENT, "fake: Not found");
}

struct told {
    char text[256];
    int created, destroyed, answer;
    int exec_code;
};

static void notice(void *ctx, int kind, const char *text)
{
    struct told *t = ctx;
    snprintf(t->text + strlen(t->text), sizeof t->text - strlen(t->text), "%d:%s;", kind, text);
}

static int on_create(void *ctx, whelk_sandbox *b)
{
    struct told *t = ctx;
    whelk_sandbox_result *r = NULL;
    t->created++;
    t->exec_code = whelk_sandbox_exec(b, "out:hook;exit:4", &r);
    cr_expect_eq(r->exit_code, 4);
    whelk_sandbox_result_free(r);
    if (t->answer)
        wk_sandbox_fail(b, t->answer, "git is missing");
    return t->answer;
}

static void on_destroy(void *ctx, whelk_sandbox *b)
{
    struct told *t = ctx;
    whelk_sandbox_result *r = NULL;
    t->destroyed++;
    cr_expect_eq(whelk_sandbox_exec(b, "exit:5", &r), WHELK_OK);
    whelk_sandbox_result_free(r);
}

Test(sandbox_open, hooks_and_notices)
{
    struct told t = {.text = ""};
    whelk_secret secret = {.size = sizeof secret, .name = "S", .value = "s3cret"};
    whelk_sandbox_options o = options();
    o.secrets = &secret;
    o.n_secrets = 1;
    o.on_create = on_create;
    o.on_destroy = on_destroy;
    o.notice = notice;
    o.ctx = &t;
    whelk_sandbox *b = plan_open(&o);
    cr_expect_str_eq(t.text, "2:opening with ***;");
    cr_expect_eq(t.created, 1);
    cr_expect_eq(t.exec_code, WHELK_OK);
    cr_expect_eq(t.destroyed, 0);
    whelk_sandbox_close(b);
    cr_expect_eq(t.destroyed, 1);
    t.answer = WHELK_E_IO;
    refused(&o, WHELK_E_STATE, "on_create refused the sandbox: git is missing");
    cr_expect_eq(t.destroyed, 1);
}

static void *cancel_soon(void *arg)
{
    whelk_sandbox **of = arg, *b;
    while (!(b = __atomic_load_n(of, __ATOMIC_ACQUIRE)))
        ;
    whelk_sandbox_cancel(b);
    return NULL;
}

Test(sandbox_open, can_be_cancelled)
{
    whelk_sandbox *b = NULL;
    pthread_t thread;
    planned.wait_for_cancel = true;
    pthread_create(&thread, NULL, cancel_soon, &b);
    cr_expect_eq(whelk_sandbox_open_kind(&plan_kind, NULL, &b), WHELK_E_CLOSED);
    pthread_join(thread, NULL);
    cr_expect_str_eq(whelk_sandbox_error(b), "given up");
    whelk_sandbox_close(b);
}

static int give_up(void *ctx)
{
    const struct told *t = ctx;
    return t->created;
}

static int hang(void *ctx, whelk_sandbox *b)
{
    struct told *t = ctx;
    whelk_sandbox_result *r = NULL;
    t->created = 1;
    cr_expect_eq(whelk_sandbox_exec(b, "hang", &r), WHELK_OK);
    cr_expect_eq(r->outcome, WHELK_OUTCOME_CANCELLED);
    cr_expect_eq(r->signal, 15);
    whelk_sandbox_result_free(r);
    return WHELK_E_CLOSED;
}

Test(sandbox_open, can_be_given_up_by_who_opens_it)
{
    struct told t = {.text = ""};
    whelk_sandbox_options o = options();
    whelk_sandbox *b = NULL;
    o.on_create = hang;
    o.ctx = &t;
    cr_expect_eq(wk_sandbox_open_kind(&plan_kind, &o, give_up, &t, &b), WHELK_E_STATE);
    whelk_sandbox_close(b);
}

/* ---- environments --------------------------------------------------------------------------------- */

static bool has_line(const char *text, const char *line)
{
    size_t n = strlen(line);
    for (const char *at = text; *at; at = strchr(at, '\n') + 1)
        if (strncmp(at, line, n) == 0 && at[n] == '\n')
            return true;
    return false;
}

static size_t count_name(const char *text, const char *name)
{
    size_t n = strlen(name), count = 0;
    for (const char *at = text; *at; at = strchr(at, '\n') + 1)
        count += strncmp(at, name, n) == 0 && at[n] == '=';
    return count;
}

static void run(whelk_sandbox *b, const char *name, const char *const *env, size_t n_env, const char *const *secrets,
                size_t n_secrets)
{
    const char *argv[] = {name, "exit:0"};
    whelk_sandbox_request q;
    whelk_sandbox_result *r;
    whelk_sandbox_request_init(&q);
    q.argv = argv;
    q.n_argv = 2;
    q.env = env;
    q.n_env = n_env;
    q.secrets = secrets;
    q.n_secrets = n_secrets;
    int code = whelk_sandbox_exec_with(b, &q, &r);
    cr_assert_eq(code, WHELK_OK, "%s", whelk_sandbox_error(b));
    whelk_sandbox_result_free(r);
}

Test(sandbox_open, the_environment_of_a_command)
{
    static const char *const of_box[] = {"A=box", "B=box", "FROM=box"}, *const of_request[] = {"B=request", "C="};
    static const char *const usual[] = {
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/w", "LANG=C.UTF-8",
        "LC_ALL=C.UTF-8", "TERM=dumb", "TMPDIR=/tmp", "CI=1", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0",
        "DEBIAN_FRONTEND=noninteractive", "PYTHONUNBUFFERED=1", "PYTHONDONTWRITEBYTECODE=1",
        "GIT_CONFIG_GLOBAL=/w/.gitconfig", "A=box", "B=request", "C=", "FROM=box"};
    whelk_sandbox_options o = options();
    o.env = of_box;
    o.n_env = 3;
    whelk_sandbox *b = plan_open(&o);
    run(b, "prog", of_request, 2, NULL, 0);
    for (size_t i = 0; i < WK_COUNTOF(usual); i++)
        cr_expect(has_line(planned.last_env, usual[i]), "%s is not in %s", usual[i], planned.last_env);
    cr_expect_eq(count_name(planned.last_env, "B"), 1);
    cr_expect_eq(count_name(planned.last_env, "FROM"), 1);
    cr_expect_eq(count_name(planned.last_env, "GIT_AUTHOR_NAME"), 0);
    whelk_sandbox_close(b);
}

Test(sandbox_open, secrets_by_program_and_by_name)
{
    static const char *const git[] = {"git", "gh"}, *const asked[] = {"KEY"}, *const none[] = {"OTHER"};
    whelk_secret s[] = {{.size = sizeof s[0], .name = "TOKEN", .value = "t0ken", .commands = git, .n_commands = 2},
                        {.size = sizeof s[0], .name = "KEY", .value = "k3y"}};
    whelk_sandbox_options o = options();
    o.secrets = s;
    o.n_secrets = 2;
    whelk_sandbox *b = plan_open(&o);
    run(b, "/usr/bin/git", NULL, 0, NULL, 0);
    cr_expect(has_line(planned.last_env, "TOKEN=t0ken"));
    cr_expect_eq(count_name(planned.last_env, "KEY"), 0);
    run(b, "python3", NULL, 0, asked, 1);
    cr_expect_eq(count_name(planned.last_env, "TOKEN"), 0);
    cr_expect(has_line(planned.last_env, "KEY=k3y"));
    run(b, "git-upload", NULL, 0, NULL, 0);
    cr_expect_eq(count_name(planned.last_env, "TOKEN"), 0);
    whelk_sandbox_request q;
    whelk_sandbox_result *r;
    whelk_sandbox_request_init(&q);
    q.script = "exit:0";
    q.secrets = none;
    q.n_secrets = 1;
    cr_expect_eq(whelk_sandbox_exec_with(b, &q, &r), WHELK_E_INVALID);
    cr_expect(strstr(whelk_sandbox_error(b), "OTHER"));
    whelk_sandbox_close(b);
}

/* ---- memory --------------------------------------------------------------------------------------- */

static int add_file_of(struct wk_mem *m, const whelk_sandbox_options *o, whelk_sandbox_options **copy)
{
    m->fail_at = m->count + 1;
    int code = wk_sandbox_options_copy(m, o, copy);
    m->fail_at = 0;
    return code;
}

Test(sandbox_open, memory_may_fail)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    whelk_sandbox_options *copy = NULL, o = options();
    cr_expect_eq(add_file_of(m, &o, &copy), WHELK_E_NOMEM);
    cr_assert_eq(wk_sandbox_options_copy(m, &o, &copy), WHELK_OK);
    wk_free(m, copy);
    cr_expect_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
    /* Whatever fails behind the kind's own opening: the box is closed again. */
    struct told t = {.answer = 0};
    o.on_create = on_create;
    o.ctx = &t;
    whelk_sandbox *b = plan_open(&o);
    for (uint64_t at = 1; at < 12; at++) {
        char **env;
        b->mem->fail_at = b->mem->count + at;
        env = wk_sandbox_env(b, "git", NULL, 0, NULL, 0);
        uint64_t used = b->mem->count;
        cr_expect_eq(env == NULL, used >= b->mem->fail_at, "allocation %llu", (unsigned long long)at);
        b->mem->fail_at = 0;
        wk_free(b->mem, env);
    }
    whelk_sandbox_close(b);
    cr_expect_eq(planned.opened, planned.closed);
}

Test(sandbox_open, codes)
{
    cr_expect_eq(wk_code(0), WHELK_OK);
    cr_expect_eq(wk_code(-WK_ENOENT), WHELK_E_NOENT);
    cr_expect_eq(wk_code(WK_EPERM), WHELK_E_ACCESS);
    cr_expect_eq(wk_code(-WK_EPIPE), WHELK_E_IO);
    cr_expect_eq(wk_code(-WK_ETIMEDOUT), WHELK_E_AGAIN);
    cr_expect_eq(wk_code(-WK_EOPNOTSUPP), WHELK_E_UNSUPPORTED);
    cr_expect_eq(wk_code(-99999), WHELK_E_INVALID);
}
