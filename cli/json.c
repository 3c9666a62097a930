/* json.c - the result of a run as one JSON object */
#include "cli/json.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Length of the valid UTF-8 sequence at p (RFC 3629), 0 when there is none. */
static size_t sequence(const unsigned char *p, size_t n)
{
    if (p[0] < 0x80)
        return 1;
    size_t len = p[0] >= 0xc2 && p[0] <= 0xdf   ? 2
                 : (p[0] & 0xf0) == 0xe0        ? 3
                 : p[0] >= 0xf0 && p[0] <= 0xf4 ? 4
                                                : 0;
    if (!len || len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return len;
}

static bool put_string(const char *s, size_t n)
{
    bool binary = false;
    const unsigned char *p = (const unsigned char *)s;
    putchar('"');
    while (n) {
        size_t len = sequence(p, n);
        if (len == 0) {
            fputs("\\ufffd", stdout);
            binary = true;
            len = 1;
        } else if (len > 1) {
            fwrite(p, 1, len, stdout);
        } else if (*p == '"' || *p == '\\') {
            putchar('\\');
            putchar(*p);
        } else if (*p == '\n') {
            fputs("\\n", stdout);
        } else if (*p == '\t') {
            fputs("\\t", stdout);
        } else if (*p < 0x20 || *p == 0x7f) {
            printf("\\u%04x", *p);
        } else {
            putchar(*p);
        }
        p += len;
        n -= len;
    }
    putchar('"');
    return binary;
}

static const char *stop_name(int stop)
{
    switch (stop) {
    case WHELK_STOP_EXIT:
        return "exit";
    case WHELK_STOP_SIGNAL:
        return "signal";
    case WHELK_STOP_LIMIT:
        return "limit";
    case WHELK_STOP_CANCEL:
        return "cancel";
    case WHELK_STOP_CLOSED:
        return "closed";
    default:
        return "fault";
    }
}

static int put_change(void *ctx, int change, const char *path, const char *old_path)
{
    bool *first = ctx;
    const char *kind = change == WHELK_ADDED      ? "added"
                       : change == WHELK_REMOVED  ? "removed"
                       : change == WHELK_MODIFIED ? "modified"
                       : change == WHELK_RENAMED  ? "renamed"
                                                  : "metadata";
    printf("%s{\"change\":\"%s\",\"path\":", *first ? "" : ",", kind);
    put_string(path, strlen(path));
    if (old_path) {
        fputs(",\"from\":", stdout);
        put_string(old_path, strlen(old_path));
    }
    putchar('}');
    *first = false;
    return 0;
}

void wk_cli_print_json(const whelk_result *r, const whelk_snapshot *a, const whelk_snapshot *b)
{
    printf("{\"status\":%d,\"stdout\":", r->status);
    bool bin_out = put_string(r->out, r->out_len);
    fputs(",\"stderr\":", stdout);
    bool bin_err = put_string(r->err, r->err_len);
    printf(",\"stop\":\"%s\"", stop_name(r->stop));
    if (r->stop == WHELK_STOP_LIMIT)
        printf(",\"limit\":\"%s\"", whelk_limit_name(r->limit));
    if (r->stop == WHELK_STOP_SIGNAL)
        printf(",\"signal\":%d", r->signal);
    if (bin_out || bin_err)
        printf(",\"binary\":[%s%s%s]", bin_out ? "\"stdout\"" : "", bin_out && bin_err ? "," : "",
               bin_err ? "\"stderr\"" : "");
    fputs(",\"files\":[", stdout);
    bool first = true;
    if (a && b)
        whelk_snapshot_diff(a, b, put_change, &first);
    printf("],\"steps\":%llu,\"wall_ms\":%.3f,\"memory_peak\":%llu,\"jobs\":%u}\n",
           (unsigned long long)r->steps, (double)r->wall_ns / 1e6,
           (unsigned long long)r->memory_peak, r->jobs);
}
