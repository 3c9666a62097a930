/* test_streams.c - the host's ends of a run's standard streams: callbacks, descriptors, their end */
#include "api_session.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Gives a text in small pieces; each is there only after a wake. */
struct pieces {
    whelk_session *s;
    const char *text;
    size_t at, n, piece;
    int ready, asked;
};

static ptrdiff_t give_piece(void *ctx, void *dst, size_t cap)
{
    struct pieces *p = ctx;
    p->asked++;
    if (!p->ready) {
        p->ready = 1;
        whelk_wake(p->s);
        return WHELK_IO_AGAIN;
    }
    p->ready = 0;
    size_t n = p->piece < p->n - p->at ? p->piece : p->n - p->at;
    n = n < cap ? n : cap;
    memcpy(dst, p->text + p->at, n);
    p->at += n;
    return (ptrdiff_t)n;
}

Test(streams, several_readers_share_an_input_callback)
{
    struct api_session a = api_open(NULL);
    char text[4000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 8 == 7 ? '\n' : 'x';
    struct pieces p = {.s = a.s, .text = text, .n = sizeof text, .piece = 40};
    whelk_run_options o;
    whelk_run_options_init(&o);
    o.script = "exec 3<&0\n"
               "for i in 1 2 3; do while read -r l; do echo $l; done <&3 > /tmp/o$i & done; cat <&3 "
               "> /tmp/o4; wait; cat /tmp/o? | wc -c";
    o.script_len = SIZE_MAX;
    o.in.kind = WHELK_INPUT_CALLBACK;
    o.in.read = give_piece;
    o.in.ctx = &p;
    cr_assert_eq(whelk_exec_with(a.s, &o, &a.r), WHELK_OK);
    cr_expect_str_eq(a.r->out, "4000\n");
    cr_expect_eq(p.at, sizeof text);
    api_close(&a);
}

static ptrdiff_t take_nothing_at_first(void *ctx, const void *src, size_t n)
{
    struct pieces *p = ctx;
    (void)src;
    if (p->asked++ < 3) {
        whelk_wake(p->s);
        return 0;
    }
    p->at += n;
    return (ptrdiff_t)n;
}

Test(streams, an_output_callback_that_takes_nothing_is_asked_after_a_wake)
{
    struct api_session a = api_open(NULL);
    struct pieces p = {.s = a.s};
    whelk_run_options o;
    whelk_run_options_init(&o);
    o.script = "echo hello";
    o.script_len = SIZE_MAX;
    o.out.kind = WHELK_OUTPUT_CALLBACK;
    o.out.write = take_nothing_at_first;
    o.out.ctx = &p;
    cr_assert_eq(whelk_exec_with(a.s, &o, &a.r), WHELK_OK);
    cr_expect_eq(p.at, 6);
    api_close(&a);
}

Test(streams, a_closed_host_pipe_sends_the_host_no_signal)
{
    int fd[2];
    struct api_session a = api_open(NULL);
    whelk_run_options o;
    whelk_run_options_init(&o);
    cr_assert_eq(pipe(fd), 0);
    close(fd[0]);
    signal(SIGPIPE, SIG_DFL);
    o.script = "yes; echo $? >&2; tail -f /etc/hosts; echo $? >&2";
    o.script_len = SIZE_MAX;
    o.out.kind = WHELK_OUTPUT_FD;
    o.out.fd = fd[1];
    cr_assert_eq(whelk_exec_with(a.s, &o, &a.r), WHELK_OK);
    cr_expect_str_eq(a.r->err, "141\n141\n");
    close(fd[1]);
    api_close(&a);
}

Test(streams, input_of_a_run_is_over_with_it)
{
    struct api_session a = api_open(NULL);
    char *data = strdup("first\nsecond\nthird\n");
    whelk_run_options o;
    whelk_run_options_init(&o);
    o.script = "exec 3<&0; read -r l; echo $l; { sleep 0.05; cat <&3 > /tmp/late; } & true";
    o.script_len = SIZE_MAX;
    o.in.kind = WHELK_INPUT_BYTES;
    o.in.data = data;
    o.in.data_len = strlen(data);
    cr_assert_eq(whelk_exec_with(a.s, &o, &a.r), WHELK_OK);
    cr_expect_str_eq(a.r->out, "first\n");
    free(data);
    api_expect(&a, "read -r l <&3; echo $? [$l]; wait; cat /tmp/late", "1 []\n", 0);
    struct pieces p = {.s = a.s, .text = "never", .n = 5, .piece = 5};
    o.script = "exec 3<&0; cat <&3 > /tmp/late & true";
    o.in.kind = WHELK_INPUT_CALLBACK;
    o.in.read = give_piece;
    o.in.ctx = &p;
    cr_assert_eq(whelk_exec_with(a.s, &o, &a.r), WHELK_OK);
    int asked = p.asked;
    api_expect(&a, "read -r l <&3; echo $? [$l]; wait; wc -c < /tmp/late", "1 []\n0\n", 0);
    cr_expect_eq(p.asked, asked);
    api_close(&a);
}

Test(streams, a_run_that_cannot_start_leaves_nothing_behind)
{
    struct api_session a = api_open(NULL);
    api_run(&a, "sleep 1000 &");
    whelk_limits few = {.size = sizeof few, .steps = 50, .tasks = 1};
    whelk_run_options o;
    whelk_run_options_init(&o);
    o.script = "echo hi";
    o.script_len = SIZE_MAX;
    o.limits = &few;
    cr_expect_eq(whelk_exec_with(a.s, &o, &a.r), WHELK_E_SYSTEM);
    api_expect(&a, "for ((i = 0; i < 1000; i++)); do :; done; echo $i", "1000\n", 0);
    api_close(&a);
}
