/* box_rig.c - a box by its table, and a loop that pumps it */
#include "box_rig.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void keep_error(void *ctx, const char *text)
{
    struct rig *r = ctx;
    snprintf(r->error, sizeof r->error, "%s", text);
}

static void keep_notice(void *ctx, int notice, const char *text)
{
    struct rig *r = ctx;
    size_t n = strlen(r->notices);
    snprintf(r->notices + n, sizeof r->notices - n, "%d %s\n", notice, text);
}

static int never(void *ctx)
{
    (void)ctx;
    return 0;
}

void rig_open(struct rig *r, const whelk_sandbox_kind *kind, const whelk_sandbox_options *o)
{
    whelk_opening with = {sizeof with, r, keep_error, keep_notice, never};
    *r = (struct rig){.kind = kind, .facts = {.size = sizeof r->facts}};
    r->code = kind->open(kind->ctx, o, &with, &r->box, &r->facts);
}

void rig_close(struct rig *r)
{
    if (r->box)
        r->kind->close(r->box, WHELK_DEFAULT);
    r->box = NULL;
}

bool rig_until_ms(struct rig *r, const bool *flag, int ms)
{
    int64_t end = now_ms() + ms;
    while (!*flag && now_ms() < end) {
        int fds[8];
        short events[8];
        struct pollfd p[8];
        int64_t timeout;
        if (r->kind->pump(r->box) != WHELK_OK) {
            r->lost = true;
            break;
        }
        if (*flag)
            break;
        size_t n = r->kind->poll(r->box, fds, events, 8, &timeout);
        for (size_t i = 0; i < n; i++)
            p[i] = (struct pollfd){.fd = fds[i], .events = events[i]};
        int64_t left = end - now_ms();
        left = timeout >= 0 && timeout < left ? timeout : left;
        (void)poll(p, n, (int)(left < 0 ? 0 : left));
    }
    return *flag;
}

bool rig_until(struct rig *r, const bool *flag)
{
    return rig_until_ms(r, flag, RIG_WAIT_MS);
}

/* ---- processes ------------------------------------------------------------------------------------ */

static void note(struct rig_run *run, char c)
{
    size_t n = strlen(run->order);
    if (n + 1 < sizeof run->order && !(c == 'o' && strchr(run->order, 'o')))
        run->order[n] = c;
}

static void on_started(void *ctx)
{
    struct rig_run *run = ctx;
    note(run, 's');
    run->started = true;
}

static void on_failed(void *ctx, int code, const char *text)
{
    struct rig_run *run = ctx;
    note(run, 'f');
    run->failed = run->ended = true;
    run->code = code;
    snprintf(run->text, sizeof run->text, "%s", text);
}

static void on_output(void *ctx, int stream, const void *p, size_t n)
{
    struct rig_run *run = ctx;
    int k = stream - 1;
    note(run, 'o');
    cr_assert(stream == 1 || stream == 2);
    run->total[k] += n;
    size_t part = run->keep - run->n[k] < n ? run->keep - run->n[k] : n;
    if (part) {
        run->out[k] = realloc(run->out[k], run->n[k] + part + 1);
        memcpy(run->out[k] + run->n[k], p, part);
        run->n[k] += part;
        run->out[k][run->n[k]] = 0;
    }
    if (!run->no_welcome)
        run->r->kind->welcome(run->r->box, run->id, stream, n);
}

static void on_room(void *ctx, size_t n)
{
    struct rig_run *run = ctx;
    if (n == SIZE_MAX)
        run->unread = true;
    else
        run->room += n;
}

static void on_exited(void *ctx, const whelk_exit *e)
{
    struct rig_run *run = ctx;
    note(run, 'e');
    run->exited = true;
    run->exit = *e;
}

static void on_closed(void *ctx)
{
    struct rig_run *run = ctx;
    note(run, 'c');
    run->closed = run->ended = true;
}

static void on_lost(void *ctx, const char *text)
{
    struct rig_run *run = ctx;
    note(run, 'l');
    run->lost = run->ended = true;
    snprintf(run->text, sizeof run->text, "%s", text);
}

static const whelk_process_events process_events = {sizeof process_events, on_started, on_failed, on_output,
                                                    on_room,               on_exited,  on_closed, on_lost};

int rig_start_spec(struct rig *r, struct rig_run *run, const whelk_spec *spec)
{
    bool own = run->no_welcome;
    *run = (struct rig_run){.r = r, .id = ++r->next_id, .keep = 1 << 20, .no_welcome = own};
    for (int k = 0; k < 2; k++)
        run->out[k] = calloc(1, 1);
    int code = r->kind->start(r->box, run->id, spec, &process_events, run);
    for (int k = 1; k <= 2 && !code && !own; k++)
        r->kind->welcome(r->box, run->id, k, 1 << 20);
    return code;
}

int rig_start(struct rig *r, struct rig_run *run, const char *const *argv, uint32_t flags)
{
    const char *env[64] = {"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"};
    size_t n = 1;
    for (size_t i = 0; i < r->facts.n_env && n < 63; i++)
        env[n++] = r->facts.env[i];
    whelk_spec spec = {.size = sizeof spec,
                       .flags = flags,
                       .argv = argv,
                       .env = env,
                       .cwd = r->facts.workspace,
                       .uid = UINT32_MAX,
                       .gid = UINT32_MAX,
                       .umask = 022,
                       .rows = 24,
                       .columns = 80,
                       .log_bytes = 1 << 16};
    return rig_start_spec(r, run, &spec);
}

bool rig_sh(struct rig *r, struct rig_run *run, const char *script)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    *run = (struct rig_run){0};
    return rig_start(r, run, argv, 0) == WHELK_OK && rig_until(r, &run->ended) && run->closed;
}

void rig_free(struct rig_run *run)
{
    if (run->r && run->r->box)
        run->r->kind->forget(run->r->box, run->id);
    free(run->out[0]);
    free(run->out[1]);
    run->out[0] = run->out[1] = NULL;
}

struct answer {
    bool done;
    int code;
};

static void on_answer(void *ctx, int code)
{
    *(struct answer *)ctx = (struct answer){true, code};
}

int rig_signal(struct rig *r, const struct rig_run *run, int sig, int scope)
{
    struct answer a = {false, 0};
    int code = r->kind->signal(r->box, run->id, sig, scope, on_answer, &a);
    return code ? code : rig_until(r, &a.done) ? a.code : WHELK_E_AGAIN;
}

/* ---- files ----------------------------------------------------------------------------------------- */

static void on_entry(void *ctx, const whelk_file_entry *e)
{
    struct rig_file *f = ctx;
    size_t n = strlen(e->path) + (e->target ? strlen(e->target) : 0) + 32;
    f->list = realloc(f->list, f->list_n + n);
    f->list_n += (size_t)snprintf(f->list + f->list_n, n, "%d %d %s%s%s\n", e->type, e->change, e->path,
                                  e->target ? " -> " : "", e->target ? e->target : "");
    f->last = *e;
    f->entries++;
}

static void on_data(void *ctx, const void *p, size_t n)
{
    struct rig_file *f = ctx;
    f->data = realloc(f->data, f->data_n + n + 1);
    memcpy(f->data + f->data_n, p, n);
    f->data_n += n;
    f->data[f->data_n] = 0;
}

static void on_done(void *ctx, int code, uint64_t size, const char *text)
{
    struct rig_file *f = ctx;
    f->done = true;
    f->code = code;
    f->size = size;
    snprintf(f->text, sizeof f->text, "%s", text);
}

static const whelk_file_events file_events = {sizeof file_events, on_entry, on_data, on_done};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lines in order: entries come in that of the directory. */
static void sort_lines(char *text, size_t lines)
{
    size_t n = strlen(text), k = 0;
    char *copy = strdup(text), **line = calloc(lines + 1, sizeof *line), *save = NULL;
    for (char *p = strtok_r(copy, "\n", &save); p && k < lines; p = strtok_r(NULL, "\n", &save))
        line[k++] = p;
    qsort(line, k, sizeof *line, by_text);
    for (size_t i = 0, at = 0; i < k; i++)
        at += (size_t)snprintf(text + at, n + 1 - at, "%s\n", line[i]);
    free(line);
    free(copy);
}

int rig_file(struct rig *r, struct rig_file *f, const whelk_file_request *q)
{
    *f = (struct rig_file){0};
    f->list = calloc(1, 1);
    f->data = calloc(1, 1);
    int code = r->kind->file(r->box, q, &file_events, f);
    if (code)
        f->code = code;
    else if (!rig_until(r, &f->done))
        f->code = WHELK_E_AGAIN;
    sort_lines(f->list, f->entries);
    return f->code;
}

void rig_file_free(struct rig_file *f)
{
    free(f->list);
    free(f->data);
    f->list = f->data = NULL;
}

int rig_put(struct rig *r, const char *path, const void *data, size_t n)
{
    struct rig_file f;
    whelk_file_request q = {.size = sizeof q, .op = WHELK_FILE_PUT, .path = path, .mode = 0644, .data = data,
                            .length = n, .mtime_ns = INT64_MIN};
    int code = rig_file(r, &f, &q);
    rig_file_free(&f);
    return code;
}

/* ---- what is there ----------------------------------------------------------------------------------- */

bool rig_alive(int pid)
{
    char path[64], stat[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, stat, sizeof stat - 1);
    if (fd >= 0)
        close(fd);
    stat[n > 0 ? n : 0] = 0;
    const char *p = strrchr(stat, ')');
    return p && p[1] == ' ' && p[2] != 'Z' && p[2] != 'X';
}

static void pause_ms(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

bool rig_gone(int pid, int ms)
{
    for (int64_t end = now_ms() + ms; rig_alive(pid) && now_ms() < end;)
        pause_ms(2);
    return !rig_alive(pid);
}

int rig_number(const char *directory, const char *name)
{
    char path[512], text[32];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    for (int64_t end = now_ms() + RIG_WAIT_MS; now_ms() < end; pause_ms(2)) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
        if (fd >= 0)
            close(fd);
        if (n > 0 && text[n - 1] == '\n') {
            text[n] = 0;
            return atoi(text);
        }
    }
    return 0;
}

static size_t count_dir(const char *path)
{
    DIR *d = opendir(path);
    size_t n = 0;
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

size_t rig_descriptors(void)
{
    return count_dir("/proc/self/fd");
}

size_t rig_children(void)
{
    char path[64], text[65536];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    size_t count = 0;
    if (fd >= 0)
        close(fd);
    for (ssize_t i = 0; i < n; i++)
        count += text[i] == ' ';
    return count;
}
