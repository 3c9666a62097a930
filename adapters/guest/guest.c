/* guest.c - the guest helper: frames in, frames out, and the loop between
 *
 * Run with the connection as standard input and output. It ends, and every process with it, when the connection does.
 */
#define _GNU_SOURCE
#include "adapters/guest/guest.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "adapters/guest/confine.h"

enum {
    OUT_FULL = 1 << 19,  /* bytes for the host that may wait before bulk stops */
    OWN_WATCHED = 4,
    PORT_PAUSE_MS = 20   /* between looks at a port */
};

int64_t guest_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

char *guest_copy(const char *p, size_t n)
{
    char *s = memchr(p, 0, n) ? NULL : malloc(n + 1);
    if (s) {
        memcpy(s, p, n);
        s[n] = 0;
    }
    return s;
}

/* ---- frames for the host ------------------------------------------------------------------------ */

static bool make_room(struct queue *q, size_t n)
{
    if (q->at && q->at == q->n)
        q->at = q->n = 0;
    if (q->n + n <= q->cap)
        return true;
    if (q->at) {
        memmove(q->p, q->p + q->at, q->n - q->at);
        q->n -= q->at;
        q->at = 0;
    }
    if (q->n + n <= q->cap)
        return true;
    size_t cap = q->cap ? q->cap : 4096;
    while (cap < q->n + n)
        cap *= 2;
    unsigned char *p = realloc(q->p, cap);
    if (!p)
        return false;
    q->p = p;
    q->cap = cap;
    return true;
}

bool guest_queue_put(struct queue *q, const void *p, size_t n)
{
    if (!make_room(q, n))
        return false;
    memcpy(q->p + q->n, p, n);
    q->n += n;
    return true;
}

bool guest_frame(struct guest *g, uint32_t type, uint32_t id, size_t n)
{
    if (!make_room(&g->out, GUEST_HEADER + n))
        return false;
    guest_add_u32(g, (uint32_t)n);
    guest_add_u32(g, type);
    guest_add_u32(g, id);
    return true;
}

/* There is room: guest_frame made it. */
void guest_add(struct guest *g, const void *p, size_t n)
{
    if (n)
        memcpy(g->out.p + g->out.n, p, n);
    g->out.n += n;
}

void guest_add_u32(struct guest *g, uint32_t v)
{
    guest_put_u32(g->out.p + g->out.n, v);
    g->out.n += 4;
}

void guest_add_u64(struct guest *g, uint64_t v)
{
    guest_put_u64(g->out.p + g->out.n, v);
    g->out.n += 8;
}

void guest_add_text(struct guest *g, const char *p, size_t n)
{
    guest_add_u32(g, (uint32_t)n);
    guest_add(g, p, n);
}

void guest_ok(struct guest *g, uint32_t id)
{
    (void)guest_frame(g, GUEST_OK, id, 0);
}

void guest_error(struct guest *g, uint32_t id, int err, const char *what)
{
    size_t n = strlen(what);
    if (guest_frame(g, GUEST_ERROR, id, 8 + n)) {
        guest_add_u32(g, (uint32_t)err);
        guest_add_text(g, what, n);
    }
}

bool guest_may_send(const struct guest *g)
{
    return g->out.n - g->out.at < OUT_FULL;
}

/* ---- requests ----------------------------------------------------------------------------------- */

static void say_hello(struct guest *g, uint32_t id, struct guest_reader *r)
{
    struct utsname u;
    uint32_t version = guest_u32(r), flags = guest_u32(r);
    g->uid = guest_u32(r);
    g->gid = guest_u32(r);
    size_t n, k;
    const char *root = guest_text(r, &n), *more = guest_text(r, &k);
    char *path = r->bad ? NULL : guest_copy(root, n), *writable = r->bad ? NULL : guest_copy(more, k);
    int err = version != GUEST_PROTOCOL ? EPROTO : !path || !writable || g->root >= 0 ? EINVAL : 0;
    if (!err && flags & GUEST_SUBREAPER && prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        err = errno;
    if (!err && (g->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0)
        err = errno;
    if (err) {
        guest_error(g, id, err, path && err != EPROTO ? path : "hello");
        free(path);
        free(writable);
        return;
    }
    g->root_path = path;
    g->writable = writable;
    if (flags & GUEST_WATCH_PARENT)
        g->parent = (int)syscall(SYS_pidfd_open, getppid(), 0);
    (void)uname(&u);
    if (guest_frame(g, GUEST_READY, id, 16 + strlen(u.machine))) {
        guest_add_u32(g, GUEST_PROTOCOL);
        guest_add_u32(g, (uint32_t)getpid());
        guest_add_u32(g, (g->is_init ? GUEST_CAN_INIT : 0) | guest_confine_abilities());
        guest_add_text(g, u.machine, strlen(u.machine));
    }
}

static bool answers(int family, const void *address, socklen_t size)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return false;
    bool ok = connect(fd, address, size) == 0;
    if (!ok && errno == EINPROGRESS) {
        struct pollfd w = {.fd = fd, .events = POLLOUT};
        int err = 0;
        socklen_t n = sizeof err;
        ok = poll(&w, 1, 5) == 1 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &n) == 0 && err == 0;
    }
    close(fd);
    return ok;
}

static bool port_answers(uint16_t number)
{
    struct sockaddr_in four = {
        .sin_family = AF_INET, .sin_port = htons(number), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(number)};
    six.sin6_addr.s6_addr[15] = 1;
    return answers(AF_INET, &four, sizeof four) || answers(AF_INET6, &six, sizeof six);
}

static void look_at_ports(struct guest *g)
{
    for (struct port **at = &g->ports; *at;) {
        struct port *p = *at;
        if (!port_answers(p->number)) {
            at = &p->next;
            continue;
        }
        guest_ok(g, p->id);
        *at = p->next;
        free(p);
    }
}

static void wait_port(struct guest *g, uint32_t id, struct guest_reader *r)
{
    uint32_t number = guest_u32(r);
    struct port *p = !r->bad && number > 0 && number < 65536 ? calloc(1, sizeof *p) : NULL;
    if (!p) {
        guest_error(g, id, EINVAL, "port");
        return;
    }
    *p = (struct port){g->ports, id, (uint16_t)number};
    g->ports = p;
    look_at_ports(g);
}

/* True when a wait for a port was given up. */
static bool stop_port(struct guest *g, uint32_t id)
{
    for (struct port **at = &g->ports; *at; at = &(*at)->next)
        if ((*at)->id == id) {
            struct port *p = *at;
            *at = p->next;
            free(p);
            guest_error(g, id, ETIMEDOUT, "port");
            return true;
        }
    return false;
}

static void handle(struct guest *g, uint32_t type, uint32_t id, struct guest_reader *r)
{
    if (type == GUEST_HELLO) {
        say_hello(g, id, r);
    } else if (type == GUEST_PING) {
        guest_ok(g, id);
    } else if (g->root < 0) {
        guest_error(g, id, EPROTO, "hello comes first");
    } else if (type == GUEST_SPAWN) {
        guest_spawn(g, id, r);
    } else if (type == GUEST_KILL_ALL) {
        unsigned n = guest_kill_all(g);
        if (guest_frame(g, GUEST_OK, id, 4))
            guest_add_u32(g, n);
    } else if (type == GUEST_WAIT_PORT) {
        wait_port(g, id, r);
    } else if (type == GUEST_STOP_WAITING && stop_port(g, id)) {
        return;
    } else if (type >= GUEST_STDIN && type <= GUEST_FORGET) {
        guest_process_request(g, type, id, r);
    } else if (type == GUEST_SCAN) {
        guest_scan(g, id, r);
    } else {
        guest_file_request(g, type, id, r);
    }
}

/* Takes what the host sent, whole frames at a time. */
static void receive(struct guest *g)
{
    size_t room = GUEST_HEADER + GUEST_BODY_MAX - g->in_n;
    ssize_t n = read(0, g->in + g->in_n, room);
    if (n <= 0) {
        g->over = n == 0 || (errno != EAGAIN && errno != EINTR);
        return;
    }
    g->in_n += (size_t)n;
    size_t at = 0;
    while (g->in_n - at >= GUEST_HEADER) {
        uint32_t body = guest_get_u32(g->in + at);
        if (body > GUEST_BODY_MAX) {
            g->over = true;
            return;
        }
        if (g->in_n - at < GUEST_HEADER + (size_t)body)
            break;
        struct guest_reader r = {g->in + at + GUEST_HEADER, body, false};
        handle(g, guest_get_u32(g->in + at + 4), guest_get_u32(g->in + at + 8), &r);
        at += GUEST_HEADER + body;
    }
    memmove(g->in, g->in + at, g->in_n - at);
    g->in_n -= at;
}

static void send_waiting(struct guest *g)
{
    while (g->out.n > g->out.at) {
        ssize_t n = write(1, g->out.p + g->out.at, g->out.n - g->out.at);
        if (n < 0) {
            g->over = g->over || (errno != EAGAIN && errno != EINTR);
            return;
        }
        g->out.at += (size_t)n;
    }
}

/* ---- the loop ----------------------------------------------------------------------------------- */

/* Milliseconds until something is due; -1: nothing is. */
static int until_due(const struct guest *g)
{
    int64_t least = g->ports ? PORT_PAUSE_MS : -1, now = guest_now();
    for (const struct process *p = g->processes; p; p = p->next)
        if (p->ended && !p->closed && !p->forgotten) {
            int64_t left = p->deadline > now ? p->deadline - now : 0;
            if (left == 0 && (p->owed[0] || p->owed[1]))
                continue; /* the host has to take them first */
            least = least < 0 || left < least ? left : least;
        }
    return (int)least;
}

/* Room for what is watched; false without memory. */
static bool make_watch(struct guest *g, struct pollfd **fds, size_t *cap)
{
    size_t need = OWN_WATCHED + GUEST_WATCHED * g->n_processes;
    if (need <= *cap)
        return true;
    struct pollfd *more = realloc(*fds, 2 * need * sizeof *more);
    if (!more)
        return false;
    *fds = more;
    *cap = 2 * need;
    return true;
}

static void turn(struct guest *g, int signals, struct pollfd *fds)
{
    size_t n = 0;
    bool sends = guest_may_send(g) && guest_transfers_waiting(g);
    fds[n++] = (struct pollfd){.fd = 0, .events = POLLIN};
    fds[n++] = (struct pollfd){.fd = signals, .events = POLLIN};
    fds[n++] = (struct pollfd){.fd = 1, .events = g->out.n > g->out.at ? POLLOUT : 0};
    fds[n++] = (struct pollfd){.fd = g->parent, .events = POLLIN};
    for (struct process *p = g->processes; p; p = p->next)
        n += guest_process_poll(g, p, fds + n);
    if (poll(fds, n, sends ? 0 : until_due(g)) < 0 && errno != EINTR)
        g->over = true;
    if (fds[1].revents) {
        struct signalfd_siginfo s[8];
        (void)!read(signals, s, sizeof s);
    }
    if (fds[3].revents)
        g->over = true;
    if (fds[0].revents)
        receive(g);
    for (struct process *p = g->processes, *next; p; p = next) {
        next = p->next;
        guest_process_hear(g, p);
    }
    guest_reap(g); /* after what minders had to say: it may be about who has ended */
    for (struct process *p = g->processes, *next; p; p = next) {
        next = p->next;
        guest_process_pump(g, p);
    }
    guest_transfers_pump(g);
    if (g->ports)
        look_at_ports(g);
    send_waiting(g);
}

int main(void)
{
    static struct guest g = {.root = -1, .parent = -1};
    struct pollfd *fds = NULL;
    size_t cap = 0;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &child, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)syscall(SYS_close_range, 3, ~0u, 0); /* what it was run from */
    int signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    g.is_init = getpid() == 1;
    g.in = malloc(GUEST_HEADER + GUEST_BODY_MAX);
    if (!g.in || signals < 0 || getrandom(&g.random, sizeof g.random, 0) < 0)
        return 1;
    for (int fd = 0; fd < 2; fd++)
        (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    (void)fcntl(0, F_SETFD, FD_CLOEXEC);
    (void)fcntl(1, F_SETFD, FD_CLOEXEC);
    while (!g.over && make_watch(&g, &fds, &cap))
        turn(&g, signals, fds);
    (void)guest_kill_all(&g);
    free(fds);
    return 0;
}
