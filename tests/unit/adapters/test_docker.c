/* test_docker.c - the kind "docker" without an engine: its options, the container's description, owners */
#include "adapters/docker/docker.h"
#include "adapters/docker/tar.h"

#include <criterion/criterion.h>
#include <sys/wait.h>
#include <unistd.h>

static struct wk_mem *mem;
static struct wk_docker_box b;
static struct wk_docker_plan p;
static whelk_sandbox_options o;
static struct wk_doc d;

static void open_all(void)
{
    mem = wk_mem_new(SIZE_MAX);
    memset(&b, 0, sizeof b);
    b.mem = mem;
    wk_engine_init(&b.engine, mem, NULL);
    wk_doc_init(&d, mem);
    whelk_sandbox_options_init(&o);
    o.workspace_in_container = 1;
}

static void close_all(void)
{
    wk_doc_release(&d);
    wk_engine_release(&b.engine);
    cr_expect_eq(wk_mem_used(mem), 0);
    wk_mem_unref(mem);
}

TestSuite(docker, .init = open_all, .fini = close_all);

/* The description as a document. */
static const struct wk_doc_node *described(void)
{
    struct wk_buf json;
    wk_buf_init(&json, mem, 1 << 20);
    cr_assert_eq(wk_docker_plan(&p, &o, &b.engine), WHELK_OK, "%s", wk_buf_c(&b.engine.error));
    cr_assert(wk_docker_describe(&p, &b, "abc", &json));
    cr_assert_eq(wk_doc_parse(&d, wk_buf_str(&json)), 0, "%s", wk_buf_c(&json));
    wk_buf_release(&json);
    return wk_doc_root(&d);
}

static const struct wk_doc_node *config(const char *key)
{
    return wk_doc_get(&d, wk_doc_get(&d, wk_doc_root(&d), "HostConfig"), key);
}

Test(docker, defaults_are_limits)
{
    const struct wk_doc_node *root = described();
    cr_expect(wk_str_is(wk_doc_text_at(&d, root, "Image", NULL), "python:3.12-bookworm"));
    cr_expect(p.background);
    cr_expect_eq(wk_doc_number(&d, config("Memory"), 0), INT64_C(2) << 30);
    cr_expect_eq(wk_doc_number(&d, config("MemorySwap"), 0), INT64_C(2) << 30);
    cr_expect_eq(wk_doc_number(&d, config("NanoCpus"), 0), 2000000000);
    cr_expect_eq(wk_doc_number(&d, config("PidsLimit"), 0), 512);
    cr_expect(wk_str_is(wk_doc_text(&d, config("NetworkMode")), "none"));
    cr_expect(wk_doc_true(config("AutoRemove")));
    cr_expect(wk_str_is(wk_doc_text(&d, wk_doc_first(&d, config("CapDrop"))), "ALL"));
    cr_expect(wk_str_is(wk_doc_text(&d, wk_doc_first(&d, config("SecurityOpt"))), "no-new-privileges"));
    cr_expect(wk_doc_true(wk_doc_get(&d, root, "StdinOnce")));
    cr_expect(wk_str_is(wk_doc_text_at(&d, root, "Labels", "dev.whelk.session"), "abc"));
    cr_expect_null(config("Privileged"));
    cr_expect_null(wk_doc_first(&d, config("Mounts")));
    o.image = "my/image";
    described();
    cr_expect(!p.background);
}

Test(docker, options_are_passed_on)
{
    static const char *const extra[] = {"mount=/a b:/c \"d\":ro", "cap_add=NET_RAW", "dns=9.9.9.9", "dns=1.1.1.1",
                                        "add_host=x:1.2.3.4",     "shm_bytes=4096",  "network=mine"};
    static const whelk_port ports[] = {{sizeof *ports, 80, 0}, {sizeof *ports, 443, 8443}};
    o.extra = extra;
    o.n_extra = sizeof extra / sizeof *extra;
    o.ports = ports;
    o.n_ports = 2;
    o.network = "all";
    o.runtime = "runsc";
    o.read_only_root = 1;
    o.memory_bytes = 123456789;
    o.cpu_milli = 1500;
    o.pids = 7;
    const struct wk_doc_node *root = described();
    cr_expect(wk_str_is(wk_doc_text(&d, config("NetworkMode")), "mine"));
    cr_expect(wk_str_is(wk_doc_text(&d, config("Runtime")), "runsc"));
    cr_expect_eq(wk_doc_number(&d, config("Memory"), 0), 123456789);
    cr_expect_eq(wk_doc_number(&d, config("NanoCpus"), 0), 1500000000);
    cr_expect_eq(wk_doc_number(&d, config("PidsLimit"), 0), 7);
    cr_expect_eq(wk_doc_number(&d, config("ShmSize"), 0), 4096);
    cr_expect(wk_doc_true(config("ReadonlyRootfs")));
    cr_expect(wk_str_is(wk_doc_text(&d, wk_doc_next(&d, wk_doc_first(&d, config("Dns")))), "1.1.1.1"));
    const struct wk_doc_node *m = wk_doc_first(&d, config("Mounts"));
    cr_expect(wk_str_is(wk_doc_text_at(&d, m, "Target", NULL), "/workspace"));
    m = wk_doc_next(&d, m);
    cr_expect(wk_str_is(wk_doc_text_at(&d, m, "Target", NULL), "/.whelk"));
    m = wk_doc_next(&d, m);
    cr_expect(wk_str_is(wk_doc_text_at(&d, m, "Source", NULL), "/a b"));
    cr_expect(wk_str_is(wk_doc_text_at(&d, m, "Target", NULL), "/c \"d\""));
    cr_expect(wk_doc_true(wk_doc_get(&d, m, "ReadOnly")));
    const struct wk_doc_node *bound = wk_doc_first(&d, wk_doc_get(&d, config("PortBindings"), "443/tcp"));
    cr_expect(wk_str_is(wk_doc_text_at(&d, bound, "HostIp", NULL), "127.0.0.1"));
    cr_expect(wk_str_is(wk_doc_text_at(&d, bound, "HostPort", NULL), "8443"));
    cr_expect_not_null(wk_doc_get(&d, wk_doc_get(&d, root, "ExposedPorts"), "80/tcp"));
}

static int refused(void)
{
    int code = wk_docker_plan(&p, &o, &b.engine);
    whelk_sandbox_options_init(&o);
    return code;
}

Test(docker, what_cannot_be)
{
    static const char *const bad_extra[] = {"privileged=1"}, *const bad_mount[] = {"mount=/a"},
                             *const bad_shm[] = {"shm_bytes=many"}, *const host[] = {"network=host"};
    static const whelk_port port = {sizeof port, 80, 0}, none = {sizeof none, 0, 80};
    o.extra = bad_extra, o.n_extra = 1;
    cr_expect_eq(refused(), WHELK_E_UNSUPPORTED);
    cr_expect(strstr(wk_buf_c(&b.engine.error), "privileged"));
    o.extra = bad_mount, o.n_extra = 1;
    cr_expect_eq(refused(), WHELK_E_INVALID);
    o.extra = bad_shm, o.n_extra = 1;
    cr_expect_eq(refused(), WHELK_E_INVALID);
    o.extra = host, o.n_extra = 1; /* and no network */
    cr_expect_eq(refused(), WHELK_E_INVALID);
    o.extra = host, o.n_extra = 1, o.network = "all", o.ports = &port, o.n_ports = 1;
    cr_expect_eq(refused(), WHELK_E_INVALID);
    o.network = "all", o.ports = &none, o.n_ports = 1;
    cr_expect_eq(refused(), WHELK_E_INVALID);
    o.workspace_path = "/.whelk/x";
    cr_expect_eq(refused(), WHELK_E_INVALID);
    o.workspace_path = "/a/../b";
    cr_expect_eq(refused(), WHELK_E_INVALID);
    o.workspace_path = "/a\nb";
    cr_expect_eq(refused(), WHELK_E_INVALID);
    o.user = "root";
    cr_expect_eq(refused(), WHELK_E_INVALID);
    o.user = "4294967295";
    cr_expect_eq(refused(), WHELK_E_INVALID);
    o.platform = "linux/s390x";
    cr_expect_eq(refused(), WHELK_E_UNSUPPORTED);
    o.platform = "windows/amd64";
    cr_expect_eq(refused(), WHELK_E_UNSUPPORTED);
    o.image = "";
    cr_expect_eq(refused(), WHELK_E_INVALID);
    o.memory_bytes = UINT64_MAX;
    cr_expect_eq(refused(), WHELK_E_INVALID);
}

Test(docker, owners)
{
    struct wk_buf me, dead;
    wk_buf_init(&me, mem, 256);
    wk_buf_init(&dead, mem, 256);
    cr_assert(wk_docker_put_owner(&me));
    cr_expect(!wk_docker_owner_is_dead(wk_buf_str(&me), mem));
    struct wk_str s = wk_buf_str(&me);
    ptrdiff_t one = wk_str_chr(s, '/');
    ptrdiff_t two = one + 1 + wk_str_chr(wk_str_from(s, (size_t)one + 1), '/');
    ptrdiff_t three = two + 1 + wk_str_chr(wk_str_from(s, (size_t)two + 1), '/');
    /* The same number, and another process. */
    wk_buf_fmt(&dead, "%.*s/1%.*s", (int)two, s.p, (int)(s.n - (size_t)three), s.p + three);
    cr_expect(wk_docker_owner_is_dead(wk_buf_str(&dead), mem), "%s", wk_buf_c(&dead));
    /* A process that is gone. */
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
    wk_buf_reset(&dead);
    wk_buf_fmt(&dead, "%.*s/%d%.*s", (int)one, s.p, (int)pid, (int)(s.n - (size_t)two), s.p + two);
    cr_expect(wk_docker_owner_is_dead(wk_buf_str(&dead), mem), "%s", wk_buf_c(&dead));
    /* Another machine, another shape. */
    wk_buf_reset(&dead);
    wk_buf_fmt(&dead, "0000000000000000/1/1%.*s", (int)(s.n - (size_t)three), s.p + three);
    cr_expect(!wk_docker_owner_is_dead(wk_buf_str(&dead), mem));
    static const char *const odd[] = {"", "/", "a/b/c/d", "a/1/1", "a/1/1/x/y", "a/-1/1/x", "a/0/0/x"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        cr_expect(!wk_docker_owner_is_dead(wk_str_c(odd[i]), mem), "%s", odd[i]);
    wk_buf_release(&me);
    wk_buf_release(&dead);
}

Test(docker, without_memory)
{
    static const char *const extra[] = {"mount=/a:/b", "dns=9.9.9.9"};
    struct wk_buf json;
    o.extra = extra;
    o.n_extra = 2;
    cr_assert_eq(wk_docker_plan(&p, &o, &b.engine), WHELK_OK);
    for (uint64_t k = 1; k < 60; k++) {
        wk_buf_init(&json, mem, 1 << 20);
        mem->count = 0;
        mem->fail_at = k;
        bool ok = wk_docker_describe(&p, &b, "abc", &json);
        bool reached = mem->count >= k;
        mem->fail_at = 0;
        cr_expect(ok != reached, "%d", (int)k);
        wk_buf_release(&json);
    }
}

Test(docker, archives)
{
    struct wk_buf tar;
    wk_buf_init(&tar, mem, 1 << 20);
    cr_expect(wk_tar_put(&tar, &(struct wk_tar_entry){.path = "d/", .mode = 0755, .uid = 5}));
    cr_expect(wk_tar_put(&tar, &(struct wk_tar_entry){.path = "d/f", .mode = 0644, .data = WK_STR("hello")}));
    cr_expect(wk_tar_end(&tar));
    cr_expect_eq(tar.n, 512 + 1024 + 1024);
    cr_expect_eq(tar.p[156], '5');
    cr_expect_str_eq(tar.p + 108, "0000005");
    cr_expect_str_eq(tar.p + 512 + 124, "00000000005");
    cr_expect_eq(memcmp(tar.p + 1024, "hello", 6), 0);
    char longer[200];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    cr_expect(!wk_tar_put(&tar, &(struct wk_tar_entry){.path = longer}));
    wk_buf_release(&tar);
}
