/* regex.c - regular expressions in commands: compiled into the process heap, searched as
 * counted work */
#include "builtins/regex.h"

static int lib_call(void *ctx, int (*fn)(void *arg), void *arg)
{
    struct wk_cmd *c = (struct wk_cmd *)ctx;
    int result = -WK_ENOMEM;
    int r = wk_lib_call(c->task, fn, arg, &result);
    return r < 0 ? r : result;
}

static int count_work(void *ctx, size_t bytes)
{
    wk_tick((struct wk_cmd *)ctx, (uint32_t)(bytes / 64 & 0xffffff) + 1);
    return 0;
}

static void release_re(void *re)
{
    wk_re_unref((struct wk_re *)re);
}

struct wk_re *wk_cmd_re(struct wk_cmd *c, struct wk_str pattern, unsigned flags,
                        struct wk_re_error *err)
{
    struct wk_re_env env = {.lib_call = lib_call, .ctx = c};
    struct wk_re *re;
    *err = (struct wk_re_error){.text = ""};
    if (!wk_cmd_utf8(c))
        flags |= WK_RE_BYTES;
    int r = wk_re_compile(wk_heap_mem(c->heap), pattern, flags, &env, &re, err);
    if (r == -WK_ENOMEM)
        wk_heap_exhausted(c->heap);
    if (r) {
        static const char too_big[] = "regular expression too big";
        if (!err->text[0])
            memcpy(err->text, too_big, sizeof too_big);
        return NULL;
    }
    wk_heap_own(c->heap, re, release_re);
    return re;
}

bool wk_cmd_re_search(struct wk_cmd *c, struct wk_re *re, struct wk_re_run *run, struct wk_str subject, size_t from,
                      struct wk_re_span *spans, size_t n, int status)
{
    int r = wk_re_search(re, run, subject, from, spans, n);
    if (r == -WK_ENOMEM)
        wk_heap_exhausted(c->heap);
    if (r < 0)
        wk_fail(c, status, "%s", r == -WK_ELIMIT ? "the regular expression takes too much work" : wk_err_text(-r));
    return r == 1;
}

struct wk_re_run wk_cmd_re_run(struct wk_cmd *c)
{
    return (struct wk_re_run){.step = count_work, .ctx = c};
}
