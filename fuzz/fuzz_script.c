/* fuzz_script.c - whole scripts in a session with tight limits: nothing may crash, leak or hang,
 * and the session must answer afterwards
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <whelk.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run(whelk_session *s, const char *script, size_t n, const whelk_result **r)
{
    whelk_run_options o;
    whelk_run_options_init(&o);
    o.script = script;
    o.script_len = n;
    o.in.kind = WHELK_INPUT_BYTES;
    o.in.data = "one two\nthree\n";
    o.in.data_len = 14;
    if (whelk_exec_with(s, &o, r) != WHELK_OK)
        *r = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    whelk_limits l = {.size = sizeof l,
                      .memory_bytes = 16 << 20,
                      .steps = 100000,
                      .output_bytes = 1 << 20,
                      .tasks = 32,
                      .depth = 200,
                      .time_ns = INT64_C(2000000000),
                      .file_bytes = 4 << 20,
                      .files = 2000,
                      .expansion_bytes = 1 << 20,
                      .regex_steps = 1000000};
    whelk_session_options o;
    whelk_runtime *rt;
    whelk_session *s;
    const whelk_result *r;
    if (size > 65536 || whelk_runtime_new(NULL, &rt) != WHELK_OK)
        return 0;
    whelk_session_options_init(&o);
    o.limits = &l;
    o.seed = 1;
    o.clock = WHELK_CLOCK_VIRTUAL;
    o.clock_start_ns = INT64_C(1700000000000000000);
    if (whelk_session_open(rt, &o, &s) == WHELK_OK) {
        run(s, (const char *)data, size, &r);
        /* Whatever the script did to its shell, a fresh one works. */
        whelk_run_options again;
        whelk_run_options_init(&again);
        again.script = "echo alive";
        again.script_len = SIZE_MAX;
        again.flags = WHELK_RUN_FRESH;
        if (whelk_exec_with(s, &again, &r) == WHELK_OK && r->stop == WHELK_STOP_EXIT &&
            r->status == 0 && strcmp(r->out, "alive\n") != 0)
            abort();
        whelk_session_close(s);
    }
    if (whelk_runtime_free(rt) != WHELK_OK)
        abort();
    return 0;
}
