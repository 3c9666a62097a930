/* confine.c - Landlock and seccomp for a process that is about to run a program
 *
 * Both by system call: neither needs privileges, a namespace, or a program beside this one. The structures are the
 * kernel's interface (linux/landlock.h, linux/seccomp.h), written down here since musl's tree has not always got them.
 */
#define _GNU_SOURCE
#include "adapters/guest/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445, LANDLOCK_RESTRICT = 446 };
enum { LANDLOCK_ASK_VERSION = 1, LANDLOCK_BENEATH = 1 };

/* Rights of Landlock that change something: write, remove and make of each kind; refer (2), truncate (3). */
enum { FS_WRITE = 1 << 1, FS_REMOVE_DIR = 1 << 4, FS_REFER = 1 << 13, FS_TRUNCATE = 1 << 14, FS_CHANGES_V1 = 0x1ff2 };

struct landlock_rules {
    uint64_t fs, net, scoped;
};

struct landlock_path {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

static int landlock_version(void)
{
    long v = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_ASK_VERSION);
    return v > 0 ? (int)v : 0;
}

static uint64_t changes(int version)
{
    return FS_CHANGES_V1 | (version >= 2 ? FS_REFER : 0u) | (version >= 3 ? FS_TRUNCATE : 0u);
}

static bool allow(int rules, const char *path, uint64_t rights)
{
    struct landlock_path p = {.allowed = rights, .parent = open(path, O_PATH | O_CLOEXEC)};
    if (p.parent < 0)
        return true; /* what is not there need not be allowed */
    long r = syscall(LANDLOCK_ADD, rules, LANDLOCK_BENEATH, &p, 0);
    close(p.parent);
    return r == 0;
}

bool guest_confine_files(const char *root, const char *further)
{
    static const char *const devices[] = {"/dev/null",    "/dev/zero", "/dev/full", "/dev/random",
                                          "/dev/urandom", "/dev/tty",  "/dev/ptmx"};
    static const char *const trees[] = {"/tmp", "/var/tmp", "/dev/shm", "/dev/pts"};
    int version = landlock_version();
    struct landlock_rules r = {.fs = changes(version), .scoped = version >= 6 ? 3 : 0};
    size_t size = version >= 6 ? sizeof r : version >= 4 ? 16 : 8;
    if (!version) {
        errno = ENOTSUP;
        return false;
    }
    int rules = (int)syscall(LANDLOCK_CREATE, &r, size, 0);
    bool ok = rules >= 0 && allow(rules, root, r.fs) && (!*further || allow(rules, further, r.fs));
    for (size_t i = 0; ok && i < sizeof trees / sizeof *trees; i++)
        ok = allow(rules, trees[i], r.fs);
    for (size_t i = 0; ok && i < sizeof devices / sizeof *devices; i++)
        ok = allow(rules, devices[i], FS_WRITE | (r.fs & FS_TRUNCATE));
    ok = ok && syscall(LANDLOCK_RESTRICT, rules, 0) == 0;
    int err = errno;
    if (rules >= 0)
        close(rules);
    errno = err;
    return ok;
}

/* ---- seccomp ------------------------------------------------------------------------------------ */

struct filter {
    uint16_t code;
    uint8_t yes, no;
    uint32_t k;
};

struct program {
    unsigned short n;
    const struct filter *v;
};

enum { LOAD = 0x20, EQUAL = 0x15, AT_LEAST = 0x35, ANSWER = 0x06, AT_NUMBER = 0, AT_ARCH = 4, AT_FIRST_ARGUMENT = 16 };
enum { SECCOMP_FILTER_MODE = 2 };
#define ALLOW 0x7fff0000u
#define REFUSE (0x00050000u | EPERM)
#define KILL 0x80000000u
#define OTHER_ABI 0x40000000u

#if defined(__x86_64__)
#define ARCH 0xc000003eu
#elif defined(__aarch64__)
#define ARCH 0xc00000b7u
#else
#define ARCH 0u
#endif

static const uint32_t refused[] = {
    SYS_ptrace,  SYS_mount,        SYS_umount2,        SYS_pivot_root, SYS_keyctl, SYS_add_key, SYS_request_key,
    SYS_bpf,     SYS_perf_event_open, SYS_init_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon,
    SYS_swapoff, SYS_setns,        SYS_unshare,        SYS_userfaultfd, SYS_process_vm_writev, 425 /* io_uring_setup */,
};

bool guest_confine_calls(bool network)
{
    enum { N = sizeof refused / sizeof *refused };
    struct filter v[N + 20];
    unsigned short n = 0;
    v[n++] = (struct filter){LOAD, 0, 0, AT_ARCH};
    v[n++] = (struct filter){EQUAL, 1, 0, ARCH};
    v[n++] = (struct filter){ANSWER, 0, 0, KILL};
    v[n++] = (struct filter){LOAD, 0, 0, AT_NUMBER};
    v[n++] = (struct filter){AT_LEAST, 0, 1, OTHER_ABI}; /* x32's calls have other numbers */
    v[n++] = (struct filter){ANSWER, 0, 0, REFUSE};
    for (unsigned i = 0; i < N; i++)
        v[n++] = (struct filter){EQUAL, (uint8_t)(N - i + (network ? 0 : 4)), 0, refused[i]};
    if (!network) { /* socket(2): Unix ones alone */
        v[n++] = (struct filter){EQUAL, 0, 3, SYS_socket};
        v[n++] = (struct filter){LOAD, 0, 0, AT_FIRST_ARGUMENT};
        v[n++] = (struct filter){EQUAL, 1, 0, AF_UNIX};
        v[n++] = (struct filter){ANSWER, 0, 0, REFUSE};
        v[n++] = (struct filter){ANSWER, 0, 0, ALLOW};
    } else {
        v[n++] = (struct filter){ANSWER, 0, 0, ALLOW};
    }
    v[n++] = (struct filter){ANSWER, 0, 0, REFUSE};
    struct program p = {n, v};
    return prctl(PR_SET_SECCOMP, SECCOMP_FILTER_MODE, &p, 0, 0) == 0;
}

uint32_t guest_confine_abilities(void)
{
    uint32_t can = landlock_version() ? GUEST_CAN_LANDLOCK : 0;
    if (ARCH && (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0))
        can |= GUEST_CAN_SECCOMP;
    return can;
}
