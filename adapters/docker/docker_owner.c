/* docker_owner.c - the kind "docker": who owns a container, and whether that program has died
 *
 * An owner is HOST/PID/START/BOOT: the machine together with the namespace of its process ids, the process and when
 * it started (in ticks since the machine did), and the machine's own start. Only where host and boot are ours can we
 * know.
 */
#define _GNU_SOURCE
#include "adapters/docker/docker.h"

#include "base/num.h"
#include "base/sha2.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* What a small file begins with; its length. */
static size_t read_small(const char *path, char *to, size_t cap)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, to, cap);
    if (fd >= 0)
        close(fd);
    return n < 0 ? 0 : (size_t)n;
}

/* When a process started; 0: it is not there. */
static uint64_t start_of(uint64_t pid)
{
    char path[16 + WK_NUM_MAX] = "/proc/", text[1024];
    size_t n = wk_fmt_u64(path + 6, pid, 10);
    memcpy(path + 6 + n, "/stat", 6);
    struct wk_str s = wk_str(text, read_small(path, text, sizeof text));
    ptrdiff_t end = wk_str_rchr(s, ')'); /* of its name, which may hold anything */
    uint64_t v = 0;
    if (end < 0)
        return 0;
    s = wk_str_from(s, (size_t)end + 2);
    for (int field = 3; field < 22; field++) {
        ptrdiff_t blank = wk_str_chr(s, ' ');
        if (blank < 0)
            return 0;
        s = wk_str_from(s, (size_t)blank + 1);
    }
    ptrdiff_t blank = wk_str_chr(s, ' ');
    return blank > 0 && wk_parse_u64(wk_str_take(s, (size_t)blank), 10, &v) == 0 ? v : 0;
}

static void put_host(struct wk_buf *b)
{
    struct wk_sha2 sha;
    struct utsname u = {0};
    struct stat st = {0};
    char text[128];
    unsigned char digest[WK_SHA2_MAX];
    wk_sha2_init(&sha, WK_SHA256);
    wk_sha2_add(&sha, text, read_small("/etc/machine-id", text, sizeof text));
    (void)uname(&u);
    wk_sha2_add(&sha, u.nodename, strlen(u.nodename));
    if (stat("/proc/self/ns/pid", &st) == 0)
        wk_sha2_add(&sha, &st.st_ino, sizeof st.st_ino);
    wk_sha2_finish(&sha, digest);
    for (int i = 0; i < 8; i++)
        wk_buf_fmt(b, "%02x", digest[i]);
}

static void put_boot(struct wk_buf *b)
{
    char text[64];
    wk_buf_puts(b, wk_str_trim(wk_str(text, read_small("/proc/sys/kernel/random/boot_id", text, sizeof text))));
}

bool wk_docker_put_owner(struct wk_buf *b)
{
    uint64_t pid = (uint64_t)getpid();
    put_host(b);
    wk_buf_putc(b, '/');
    wk_buf_put_u64(b, pid);
    wk_buf_putc(b, '/');
    wk_buf_put_u64(b, start_of(pid));
    wk_buf_putc(b, '/');
    put_boot(b);
    return !b->failed;
}

bool wk_docker_owner_is_dead(struct wk_str owner, struct wk_mem *m)
{
    struct wk_str part[4];
    uint64_t pid, start;
    for (int i = 0; i < 4; i++) {
        ptrdiff_t slash = wk_str_chr(owner, '/');
        if ((slash < 0) != (i == 3))
            return false;
        part[i] = slash < 0 ? owner : wk_str_take(owner, (size_t)slash);
        owner = slash < 0 ? owner : wk_str_from(owner, (size_t)slash + 1);
    }
    if (wk_parse_u64(part[1], 10, &pid) != 0 || wk_parse_u64(part[2], 10, &start) != 0 || !pid || pid > INT32_MAX ||
        !start)
        return false;
    struct wk_buf host, boot;
    wk_buf_init(&host, m, 64);
    wk_buf_init(&boot, m, 64);
    put_host(&host);
    put_boot(&boot);
    bool ours = !host.failed && !boot.failed && wk_str_eq(wk_buf_str(&host), part[0]);
    bool same_boot = boot.n && wk_str_eq(wk_buf_str(&boot), part[3]);
    wk_buf_release(&host);
    wk_buf_release(&boot);
    if (!ours)
        return false;
    if (!same_boot)
        return part[3].n > 0;
    uint64_t now = start_of(pid);
    return now != start && (now != 0 || (kill((pid_t)pid, 0) != 0 && errno == ESRCH));
}
