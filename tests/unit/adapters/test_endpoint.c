/* test_endpoint.c - which engine is meant, and what is said where none can be used */
#include "adapters/docker/endpoint.h"
#include "base/sha2.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static struct wk_mem *mem;
static struct wk_engine e;
static char dir[64];

static void open_all(void)
{
    static const char *const names[] = {"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_TLS_VERIFY", "XDG_RUNTIME_DIR"};
    snprintf(dir, sizeof dir, "%s", "/tmp/wk-endpoint-XXXXXX");
    cr_assert_not_null(mkdtemp(dir));
    mem = wk_mem_new(SIZE_MAX);
    wk_engine_init(&e, mem, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    setenv("HOME", dir, 1);
    setenv("DOCKER_CONFIG", dir, 1);
}

static void close_all(void)
{
    char command[64] = "rm -r ";
    wk_engine_release(&e);
    cr_expect_eq(wk_mem_used(mem), 0);
    wk_mem_unref(mem);
    strcat(command, dir);
    cr_expect_eq(system(command), 0);
}

TestSuite(endpoint, .init = open_all, .fini = close_all);

static void path_of(char *to, const char *name)
{
    strcpy(to, dir);
    strcat(to, name);
}

static void write_file(const char *name, const char *text)
{
    char path[300];
    path_of(path, name);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
}

/* Answers every request on the socket as an engine does /_ping. */
static void *serve(void *listener)
{
    static const char said[] = "HTTP/1.1 200 OK\r\nApi-Version: 1.43\r\nContent-Length: 2\r\n\r\nOK";
    for (;;) {
        char in[4096];
        int fd = accept((int)(intptr_t)listener, NULL, NULL);
        if (fd < 0)
            return NULL;
        (void)!read(fd, in, sizeof in);
        (void)send(fd, said, sizeof said - 1, MSG_NOSIGNAL);
        close(fd);
    }
}

static void start_engine(const char *name)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    pthread_t thread;
    path_of(a.sun_path, name);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    cr_assert_eq(bind(listener, (struct sockaddr *)&a, sizeof a), 0);
    cr_assert_eq(listen(listener, 4), 0);
    cr_assert_eq(pthread_create(&thread, NULL, serve, (void *)(intptr_t)listener), 0);
    pthread_detach(thread);
}

static bool says(const char *part)
{
    return strstr(wk_buf_c(&e.error), part) != NULL;
}

static void make_context(const char *name, const char *host)
{
    char path[300], text[400];
    unsigned char digest[WK_SHA2_MAX];
    struct wk_sha2 sha;
    wk_sha2_init(&sha, WK_SHA256);
    wk_sha2_add(&sha, name, strlen(name));
    wk_sha2_finish(&sha, digest);
    path_of(path, "/contexts");
    cr_assert(mkdir(path, 0700) == 0 || errno == EEXIST);
    strcat(path, "/meta");
    cr_assert(mkdir(path, 0700) == 0 || errno == EEXIST);
    strcat(path, "/");
    for (int i = 0; i < 32; i++)
        sprintf(path + strlen(path), "%02x", digest[i]);
    cr_assert_eq(mkdir(path, 0700), 0);
    sprintf(text, "{\"Name\":\"%s\",\"Endpoints\":{\"docker\":{\"Host\":\"%s\"}}}", name, host);
    strcat(path, "/meta.json");
    write_file(path + strlen(dir), text);
}

Test(endpoint, addresses)
{
    cr_expect_eq(wk_engine_set_address(&e, WK_STR("unix:///run/x.sock")), WHELK_OK);
    cr_expect_str_eq(e.path, "/run/x.sock");
    cr_expect(!e.distant);
    cr_expect_eq(wk_engine_set_address(&e, WK_STR("tcp://10.1.2.3:2375")), WHELK_OK);
    cr_expect_null(e.path);
    cr_expect_str_eq(e.address, "10.1.2.3");
    cr_expect_eq(e.port, 2375);
    cr_expect(e.distant);
    cr_expect_eq(wk_engine_set_address(&e, WK_STR("tcp://[::1]:80/")), WHELK_OK);
    cr_expect_str_eq(e.address, "::1");
    cr_expect(!e.distant);
    cr_expect_eq(wk_engine_set_address(&e, WK_STR("tcp://localhost:80")), WHELK_OK);
    cr_expect_str_eq(e.address, "127.0.0.1");
    cr_expect_eq(wk_engine_set_address(&e, WK_STR("tcp://1.2.3.4:0")), WHELK_E_INVALID);
    cr_expect_eq(wk_engine_set_address(&e, WK_STR("tcp://1.2.3.4:99999")), WHELK_E_INVALID);
    cr_expect_eq(wk_engine_set_address(&e, WK_STR("unix://relative")), WHELK_E_INVALID);
    cr_expect_eq(wk_engine_set_address(&e, WK_STR("fd://3")), WHELK_E_UNSUPPORTED);
    cr_expect_eq(wk_engine_set_address(&e, WK_STR("ssh://h")), WHELK_E_UNSUPPORTED);
    cr_expect(says("ssh -N -L"));
}

Test(endpoint, option_before_variable_before_context)
{
    char a[300] = "unix://", b[300] = "unix://", c[300] = "unix://";
    start_engine("/engine");
    path_of(a + 7, "/engine");
    path_of(b + 7, "/of-variable");
    path_of(c + 7, "/of-context");
    make_context("mine", c);
    write_file("/config.json", "{\"currentContext\":\"mine\"}");
    cr_expect_eq(wk_endpoint_find(&e, NULL), WHELK_E_NOENT);
    cr_expect(says("/of-context"), "%s", wk_buf_c(&e.error));
    setenv("DOCKER_HOST", b, 1);
    cr_expect_eq(wk_endpoint_find(&e, NULL), WHELK_E_NOENT);
    cr_expect(says("/of-variable"));
    cr_expect_eq(wk_endpoint_find(&e, a), WHELK_OK);
    cr_expect_eq(e.minor, 43);
    cr_expect(!e.podman);
}

Test(endpoint, contexts)
{
    char a[300] = "unix://";
    start_engine("/engine");
    path_of(a + 7, "/engine");
    make_context("mine", a);
    make_context("far", "ssh://me@far");
    make_context("none", "");
    setenv("DOCKER_CONTEXT", "mine", 1);
    cr_expect_eq(wk_endpoint_find(&e, NULL), WHELK_OK);
    setenv("DOCKER_CONTEXT", "far", 1);
    cr_expect_eq(wk_endpoint_find(&e, NULL), WHELK_E_UNSUPPORTED);
    setenv("DOCKER_CONTEXT", "none", 1);
    cr_expect_eq(wk_endpoint_find(&e, NULL), WHELK_E_NOENT);
    cr_expect(says("names no engine"));
    setenv("DOCKER_CONTEXT", "unknown", 1);
    cr_expect_eq(wk_endpoint_find(&e, NULL), WHELK_E_NOENT);
    cr_expect(says("\"unknown\""));
}

Test(endpoint, usual_sockets)
{
    char podman[300];
    setenv("XDG_RUNTIME_DIR", dir, 1);
    path_of(podman, "/podman");
    cr_assert_eq(mkdir(podman, 0700), 0);
    if (access("/var/run/docker.sock", F_OK) == 0)
        return; /* the machine's own comes first */
    start_engine("/podman/podman.sock");
    cr_expect_eq(wk_endpoint_find(&e, NULL), WHELK_OK, "%s", wk_buf_c(&e.error));
    cr_expect(strstr(e.path, "/podman/podman.sock"));
}

Test(endpoint, encrypted_ones_are_refused)
{
    setenv("DOCKER_HOST", "tcp://10.0.0.1:2376", 1);
    setenv("DOCKER_TLS_VERIFY", "1", 1);
    cr_expect_eq(wk_endpoint_find(&e, NULL), WHELK_E_UNSUPPORTED);
    cr_expect(says("TLS"));
}

Test(endpoint, without_memory)
{
    char a[300] = "unix://";
    int code = WHELK_E_NOMEM;
    start_engine("/engine");
    path_of(a + 7, "/engine");
    make_context("mine", a);
    setenv("DOCKER_CONTEXT", "mine", 1);
    for (uint64_t k = 1; code && k < 100; k++) {
        mem->count = 0;
        mem->fail_at = k;
        code = wk_endpoint_find(&e, NULL);
        bool reached = mem->count >= k;
        mem->fail_at = 0;
        cr_expect(reached ? code != WHELK_OK : code == WHELK_OK, "%d: %d", (int)k, code);
    }
    cr_expect_eq(code, WHELK_OK);
}

static int after_some(void *ctx)
{
    return ++*(int *)ctx > 2;
}

Test(endpoint, waiting_can_be_given_up)
{
    char a[300] = "unix://";
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int asked = 0, listener = socket(AF_UNIX, SOCK_STREAM, 0);
    whelk_opening with = {.size = sizeof with, .ctx = &asked, .interrupted = after_some};
    path_of(a + 7, "/silent");
    path_of(at.sun_path, "/silent");
    cr_assert_eq(bind(listener, (struct sockaddr *)&at, sizeof at), 0);
    cr_assert_eq(listen(listener, 4), 0);
    e.with = &with;
    cr_expect_eq(wk_endpoint_find(&e, a), WHELK_E_CLOSED, "%s", wk_buf_c(&e.error));
    cr_expect_eq(asked, 3);
    close(listener);
}

Test(endpoint, broken_configuration)
{
    write_file("/config.json", "{\"currentContext\":");
    int code = wk_endpoint_find(&e, NULL);
    cr_expect(code == WHELK_OK || code == WHELK_E_NOENT || code == WHELK_E_ACCESS, "%d", code);
}
