/* fuzz_command.c - one invocation of a command over small files, in a session with tight limits
 *
 * The first line is the command: words parted by single blanks, \001 standing for a blank in a word. What stands
 * behind it is cut in two at the first byte 0xFE: standard input with file a, and file b. Nothing may crash, leak or
 * hang, and the session must answer afterwards. Seeds: fuzz/make_command_seeds.py DIRECTORY.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <whelk.h>

enum { MAX_WORDS = 24, MAX_LINE = 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Parts the line in place; the number of words. */
static size_t split_words(char *line, const char **words)
{
    size_t n = 0;
    for (char *p = line; p && n < MAX_WORDS;) {
        words[n++] = p;
        char *blank = strchr(p, ' ');
        if (blank)
            *blank++ = 0;
        for (; *p; p++)
            if (*p == 1)
                *p = ' ';
        p = blank;
    }
    return n;
}

static whelk_session *open_session(whelk_runtime *rt)
{
    whelk_limits l = {.size = sizeof l,
                      .memory_bytes = 16 << 20,
                      .steps = 300000,
                      .output_bytes = 1 << 20,
                      .tasks = 16,
                      .depth = 100,
                      .time_ns = INT64_C(2000000000),
                      .file_bytes = 4 << 20,
                      .files = 500,
                      .expansion_bytes = 1 << 20,
                      .regex_steps = 300000};
    whelk_session_options o;
    whelk_session *s = NULL;
    whelk_session_options_init(&o);
    o.limits = &l;
    o.seed = 1;
    o.clock = WHELK_CLOCK_VIRTUAL;
    o.clock_start_ns = INT64_C(1700000000000000000);
    return whelk_session_open(rt, &o, &s) == WHELK_OK ? s : NULL;
}

static void run_command(whelk_session *s, char *line, const uint8_t *rest, size_t n)
{
    const char *words[MAX_WORDS];
    const uint8_t *part = n ? memchr(rest, 0xFE, n) : NULL;
    size_t a = part ? (size_t)(part - rest) : n;
    whelk_run_options o;
    const whelk_result *r;
    if (whelk_write_file(s, "a", rest, a, 0) != WHELK_OK ||
        whelk_write_file(s, "b", part ? part + 1 : rest, part ? n - a - 1 : 0, 0) != WHELK_OK)
        return;
    whelk_run_options_init(&o);
    o.args = words;
    o.n_args = split_words(line, words);
    o.script = "mkdir -p d/e; echo x > d/f; ln -s a l; \"$@\"";
    o.script_len = SIZE_MAX;
    o.in.kind = WHELK_INPUT_BYTES;
    o.in.data = (const char *)rest;
    o.in.data_len = a;
    (void)whelk_exec_with(s, &o, &r);
    whelk_run_options_init(&o);
    o.script = "echo alive";
    o.script_len = SIZE_MAX;
    o.flags = WHELK_RUN_FRESH;
    if (whelk_exec_with(s, &o, &r) == WHELK_OK && r->stop == WHELK_STOP_EXIT && r->status == 0 &&
        strcmp(r->out, "alive\n") != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char line[MAX_LINE];
    whelk_runtime *rt;
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    size_t n = end ? (size_t)(end - data) : size;
    if (n >= sizeof line || size > 65536 || whelk_runtime_new(NULL, &rt) != WHELK_OK)
        return 0;
    memcpy(line, data, n);
    line[n] = 0;
    whelk_session *s = open_session(rt);
    if (s) {
        run_command(s, line, end ? end + 1 : data + size, end ? size - n - 1 : 0);
        whelk_session_close(s);
    }
    if (whelk_runtime_free(rt) != WHELK_OK)
        abort();
    return 0;
}
