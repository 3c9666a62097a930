/* whelk_worker.c - whelk-bench: times scripts in fresh sessions of this process
 *
 * Reads one JSON request a line (id, script, repeat, warmup, fixtures, mutates, default_limits) and
 * answers one line each: medians of execution, creation and CPU time, hash and size of the output.
 */
#define _GNU_SOURCE
#include "base/sha2.h"
#include "bench/json_in.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <whelk.h>

struct worker {
    whelk_runtime *rt;
    whelk_snapshot *fixtures; /* the tree with the fixtures of `key` */
    char *key;
};

struct timing {
    int64_t run, create, cpu;
};

static int64_t now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static char *read_all(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    if (!f)
        return NULL;
    char *p = fstat(fileno(f), &st) == 0 ? malloc((size_t)st.st_size + 1) : NULL;
    *len = p ? fread(p, 1, (size_t)st.st_size, f) : 0;
    fclose(f);
    return p;
}

/* Copy a host file or directory into the session. */
static int load(whelk_session *s, const char *host, const char *to)
{
    struct stat st;
    if (lstat(host, &st) != 0)
        return -1;
    if (S_ISLNK(st.st_mode)) {
        char target[4096];
        ssize_t n = readlink(host, target, sizeof target - 1);
        if (n < 0)
            return -1;
        target[n] = '\0';
        return whelk_symlink(s, target, to);
    }
    if (S_ISREG(st.st_mode)) {
        size_t n;
        char *p = read_all(host, &n);
        int r = p ? whelk_write_file(s, to, p, n, st.st_mode & 07777) : -1;
        free(p);
        return r;
    }
    if (!S_ISDIR(st.st_mode))
        return 0;
    int r = whelk_make_dir(s, to, 1, 0);
    DIR *d = opendir(host);
    for (struct dirent *e; !r && d && (e = readdir(d));) {
        char a[4096], b[4096];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        snprintf(a, sizeof a, "%s/%s", host, e->d_name);
        snprintf(b, sizeof b, "%s/%s", to, e->d_name);
        r = load(s, a, b);
    }
    if (d)
        closedir(d);
    return r;
}

static whelk_limits raised_limits(void)
{
    whelk_limits l;
    memset(&l, 0, sizeof l);
    l.size = sizeof l;
    l.memory_bytes = UINT64_C(8) << 30;
    l.output_bytes = UINT64_C(8) << 30;
    l.file_bytes = UINT64_C(4) << 30;
    l.file_size = UINT64_C(4) << 30;
    l.expansion_bytes = UINT64_C(1) << 30;
    return l;
}

/* Fixtures are loaded once for the same request and shared by all its sessions. */
static const char *prepare(struct worker *w, const struct json_value *fx)
{
    const struct json_value *root = json_get(fx, "root"), *at = json_get(fx, "at");
    const struct json_value *paths = json_get(fx, "paths");
    char key[8192] = "";
    if (!root || !at || !paths || !paths->first)
        return NULL;
    for (const struct json_value *p = paths->first; p; p = p->next)
        snprintf(key + strlen(key), sizeof key - strlen(key), "%s/%s\n", root->text, p->text);
    if (w->key && strcmp(w->key, key) == 0)
        return at->text;
    whelk_snapshot_free(w->fixtures);
    free(w->key);
    w->fixtures = NULL;
    w->key = strdup(key);
    whelk_limits l = raised_limits();
    whelk_session_options o;
    whelk_session_options_init(&o);
    o.limits = &l;
    o.cwd = at->text;
    whelk_session *s;
    if (whelk_session_open(w->rt, &o, &s) != WHELK_OK)
        return NULL;
    for (const struct json_value *p = paths->first; p; p = p->next) {
        char a[4096], b[4096];
        snprintf(a, sizeof a, "%s/%s", root->text, p->text);
        snprintf(b, sizeof b, "%s/%s", at->text, p->text);
        if (load(s, a, b) != 0)
            fprintf(stderr, "whelk-bench: %s: cannot load\n", a);
    }
    whelk_snapshot_take(s, &w->fixtures);
    whelk_session_close(s);
    return at->text;
}

struct answer {
    char *out, *err;
    size_t out_len, err_len;
    int status;
};

static void keep(char **dst, size_t *n, const char *p, size_t len)
{
    free(*dst);
    *dst = malloc(len + 1);
    *n = *dst ? len : 0;
    if (*dst)
        memcpy(*dst, p, len);
}

static int once(struct worker *w, const struct json_value *script, const char *at, bool defaults,
                struct timing *t, struct answer *a)
{
    whelk_limits l = raised_limits();
    whelk_session_options o;
    whelk_session_options_init(&o);
    if (!defaults)
        o.limits = &l;
    if (at) {
        o.cwd = at;
        o.from = w->fixtures;
    }
    const char *env[] = {"LC_ALL=C"};
    o.env = env;
    o.n_env = 1;
    int64_t t0 = now(CLOCK_MONOTONIC);
    whelk_session *s;
    int r = whelk_session_open(w->rt, &o, &s);
    if (r)
        return r;
    whelk_run_options run;
    whelk_run_options_init(&run);
    run.script = script->text;
    run.script_len = script->text_len;
    run.flags = WHELK_RUN_LAST;
    int64_t t1 = now(CLOCK_MONOTONIC), c1 = now(CLOCK_PROCESS_CPUTIME_ID);
    const whelk_result *result;
    r = whelk_exec_with(s, &run, &result);
    int64_t t2 = now(CLOCK_MONOTONIC), c2 = now(CLOCK_PROCESS_CPUTIME_ID);
    *t = (struct timing){t2 - t1, t1 - t0, c2 - c1};
    if (!r) {
        keep(&a->out, &a->out_len, result->out, result->out_len);
        keep(&a->err, &a->err_len, result->err, result->err_len);
        a->status = result->status;
    }
    whelk_session_close(s);
    return r;
}

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void put_json(const char *s, size_t n, size_t max)
{
    putchar('"');
    for (size_t i = 0; i < n && i < max; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20 || c > 0x7e)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static long resident(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        long size;
        if (fscanf(f, "%ld %ld", &size, &pages) != 2)
            pages = 0;
        fclose(f);
    }
    return pages * sysconf(_SC_PAGESIZE);
}

static void report(const struct json_value *id, const struct timing *t, int n,
                   const struct answer *a)
{
    int64_t *v = calloc((size_t)n, sizeof *v);
    if (!v)
        return;
    int64_t med[3], least = 0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++)
            v[i] = k == 0 ? t[i].run : k == 1 ? t[i].create : t[i].cpu;
        qsort(v, (size_t)n, sizeof *v, by_value);
        med[k] = v[n / 2];
        if (k == 0)
            least = v[0];
    }
    free(v);
    unsigned char digest[WK_SHA2_MAX];
    struct wk_sha2 h;
    wk_sha2_init(&h, WK_SHA256);
    wk_sha2_add(&h, a->out, a->out_len);
    size_t len = wk_sha2_finish(&h, digest);
    fputs("{\"id\":", stdout);
    put_json(id->text, id->text_len, id->text_len);
    printf(",\"ns_median\":%lld,\"ns_min\":%lld,\"ns_create_median\":%lld,\"ns_cpu_median\":%lld,"
           "\"stdout_sha256\":\"",
           (long long)med[0], (long long)least, (long long)med[1], (long long)med[2]);
    for (size_t i = 0; i < len; i++)
        printf("%02x", digest[i]);
    printf("\",\"stdout_len\":%zu,\"exit\":%d,\"rss\":%ld,\"error\":", a->out_len, a->status,
           resident());
    put_json(a->err, a->err_len, 200);
    fputs(",\"head\":", stdout);
    put_json(a->out, a->out_len, 120);
    puts("}");
}

static void refuse(const struct json_value *id, const char *why)
{
    fputs("{\"id\":", stdout);
    put_json(id ? id->text : "", id ? id->text_len : 0, 1000);
    fputs(",\"error\":", stdout);
    put_json(why, strlen(why), 300);
    puts(",\"exit\":-1}");
}

static void serve(struct worker *w, const struct json_value *m)
{
    const struct json_value *id = json_get(m, "id"), *script = json_get(m, "script");
    const struct json_value *repeat = json_get(m, "repeat"), *warmup = json_get(m, "warmup");
    const struct json_value *defaults = json_get(m, "default_limits");
    if (!id || !script || id->kind != JSON_STRING || script->kind != JSON_STRING) {
        refuse(NULL, "malformed request");
        return;
    }
    int n = repeat && repeat->number >= 1 && repeat->number < 1e6 ? (int)repeat->number : 1;
    int warm = warmup && warmup->number > 0 && warmup->number < 1e6 ? (int)warmup->number : 0;
    const char *at = prepare(w, json_get(m, "fixtures"));
    struct timing *t = calloc((size_t)n, sizeof *t), unused;
    struct answer a = {0};
    int r = t ? 0 : WHELK_E_NOMEM;
    for (int i = -warm; !r && i < n; i++)
        r = once(w, script, at, defaults && defaults->truth, i < 0 ? &unused : &t[i], &a);
    if (r)
        refuse(id, whelk_strerror(r));
    else
        report(id, t, n, &a);
    free(t);
    free(a.out);
    free(a.err);
}

int main(void)
{
    struct worker w = {0};
    if (whelk_runtime_new(NULL, &w.rt) != WHELK_OK)
        return 1;
    puts("{\"ready\": true, \"runner\": \"whelk\"}");
    fflush(stdout);
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    while ((n = getline(&line, &cap, stdin)) > 0) {
        struct json_value *m = json_parse(line, (size_t)n);
        if (m)
            serve(&w, m);
        else
            refuse(NULL, "malformed request");
        json_free(m);
        fflush(stdout);
    }
    free(line);
    whelk_snapshot_free(w.fixtures);
    free(w.key);
    whelk_runtime_free(w.rt);
    return 0;
}
