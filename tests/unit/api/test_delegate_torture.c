/* test_delegate_torture.c - delegated commands with every allocation of the session failing in turn */
#include "api/internal.h"
#include "tests/api/fake_kind.c" /* the same played processes, in a program that sees the inside */

#include <criterion/criterion.h>
#include <whelk/delegate.h>

static const char *const scripts[] = {
    "play say x",
    "play fill 100000 | play count; echo text | play copy | cat",
    "seq 2000 > f; { play read 3; wc -c; } < f; cat f | { play read 3; play count; }",
    "play hold & play say b; kill $!; wait $!; echo $?; v=$(play say c code 3); echo $v",
    "export V=/home/user/x; cd /tmp; play cwd; cd; mkdir d; cd d; play args /home/user/d --a=/home/user env V",
    "missing; denied; lose; play say again",
    "play fill 300000 | head -c 1; timeout 9 play err oops 2>&1; play say x >> g; cat g",
};

static whelk_session *open_session(whelk_runtime *rt, whelk_sandbox_kind *kind)
{
    static const char *const names[] = {"play", "missing", "denied", "lose"};
    whelk_limits l = {.size = sizeof l, .time_ns = INT64_C(5000000000)};
    whelk_session_options o;
    whelk_session *s;
    whelk_delegate d;
    whelk_session_options_init(&o);
    o.limits = &l;
    cr_assert_eq(whelk_session_open(rt, &o, &s), WHELK_OK);
    whelk_delegate_init(&d);
    d.supplied = kind;
    d.commands = names;
    d.n_commands = WK_COUNTOF(names);
    d.sync = WHELK_SYNC_NONE;
    cr_assert_eq(whelk_session_delegate(s, &d), WHELK_OK);
    return s;
}

/* The n-th allocation from the script's start fails, and if `on` all after it; false once it ends before. */
static bool one(const char *script, uint64_t n, bool on)
{
    struct fake f = {0};
    whelk_sandbox_kind kind = fake_kind(&f);
    whelk_runtime *rt;
    const whelk_result *r;
    cr_assert_eq(whelk_runtime_new(NULL, &rt), WHELK_OK);
    whelk_session *s = open_session(rt, &kind);
    struct wk_mem *m = wk_mem_ref(s->mem);
    m->fail_at = m->count + n;
    m->fail_forever = on;
    int rc = whelk_exec(s, script, &r);
    bool due = m->count >= m->fail_at;
    cr_expect(rc == WHELK_OK || rc == WHELK_E_NOMEM, "%s: allocation %d: exec says %d", script, (int)n, rc);
    if (rc == WHELK_OK && r->stop == WHELK_STOP_LIMIT && r->limit != WHELK_LIMIT_MEMORY)
        cr_expect(false, "%s: allocation %d: limit %s", script, (int)n, whelk_limit_name(r->limit));
    m->fail_at = 0;
    m->fail_forever = false;
    rc = whelk_exec(s, "cd; play say alive | play copy", &r);
    cr_expect(rc == WHELK_OK && strcmp(r->out, "alive\n") == 0, "%s: allocation %d%s: afterwards %d %s %s", script,
              (int)n, on ? " on" : "", rc, rc ? "" : r->out, rc ? "" : r->err);
    whelk_session_close(s);
    cr_expect_eq(wk_mem_used(m), 0, "%s: allocation %d%s: %zu bytes left", script, (int)n, on ? " on" : "",
                 wk_mem_used(m));
    cr_expect_eq(f.opened, f.closed);
    wk_mem_unref(m);
    cr_assert_eq(whelk_runtime_free(rt), WHELK_OK);
    return due;
}

/* The first ones all, then ever wider steps; a share of the time for each. */
static void torture(bool on)
{
    for (size_t i = 0; i < WK_COUNTOF(scripts); i++) {
        time_t end = time(NULL) + 5;
        bool due = true;
        for (uint64_t n = 1; due && time(NULL) < end; n += 1 + (n > 300 ? n / 100 : 0))
            due = one(scripts[i], n, on);
    }
}

Test(delegate_torture, one_failure, .timeout = 110)
{
    torture(false);
}

Test(delegate_torture, failures_from_then_on, .timeout = 110)
{
    torture(true);
}
