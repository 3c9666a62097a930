/* timing.c - the reserved word `time`
 *
 * Virtual processes have no processor times of their own: user and system time are the machine's.
 */
#include "interp/timing.h"
#include "interp/vars.h"

#include "kern/clock.h"

void wk_timing_start(struct wk_shell *sh, struct wk_timing *t)
{
    t->real_ns = wk_clock_monotonic(&sh->k->clock);
    t->cpu = wk_kern_cpu(sh->k);
}

/* Seconds with `digits` decimals, or minutes and seconds. */
static void put_time(struct wk_buf *b, int64_t ns, unsigned digits, bool minutes)
{
    static const int64_t unit[] = {1000000000, 100000000, 10000000, 1000000};
    int64_t ticks = ns / unit[digits], per_second = 1000000000 / unit[digits];
    int64_t s = ticks / per_second, rest = ticks % per_second;
    if (minutes) {
        wk_buf_fmt(b, "%lldm", (long long)(s / 60));
        s %= 60;
    }
    wk_buf_fmt(b, "%lld", (long long)s);
    if (digits)
        wk_buf_fmt(b, ".%0*lld", (int)digits, (long long)rest);
    if (minutes)
        wk_buf_putc(b, 's');
}

void wk_timing_put(struct wk_buf *b, int64_t ns)
{
    put_time(b, ns, 3, true);
}

/* %P: hundredths of per cent, rounded down. */
static void put_percent(struct wk_buf *b, const struct wk_timing *took)
{
    int64_t cpu_us = (took->cpu.user_ns + took->cpu.system_ns) / 1000,
            real_us = took->real_ns / 1000;
    int64_t p = 0;
    if (real_us > 0 && cpu_us > 0)
        p = cpu_us < INT64_MAX / 10000 ? cpu_us * 10000 / real_us : cpu_us / real_us * 10000;
    wk_buf_fmt(b, "%lld.%02d", (long long)(p / 100), (int)(p % 100));
}

/* One % directive; returns what follows, or NULL after a message. */
static const char *put_directive(struct wk_shell *sh, struct wk_buf *b, const char *f,
                                 const struct wk_timing *took)
{
    unsigned digits = 3;
    bool minutes = false;
    if (*f == '%' || *f == '\0') {
        wk_buf_putc(b, '%');
        return *f ? f + 1 : f;
    }
    if (*f == 'P') {
        put_percent(b, took);
        return f + 1;
    }
    if (wk_is_digit((unsigned char)*f)) {
        digits = WK_MIN((unsigned)(*f - '0'), 3u);
        f++;
    }
    if (*f == 'l') {
        minutes = true;
        f++;
    }
    if (*f != 'R' && *f != 'U' && *f != 'S') {
        wk_sh_error(sh, "TIMEFORMAT: `%c': invalid format character", *f);
        return NULL;
    }
    put_time(b,
             *f == 'R'   ? took->real_ns
             : *f == 'U' ? took->cpu.user_ns
                         : took->cpu.system_ns,
             digits, minutes);
    return f + 1;
}

static void print(struct wk_shell *sh, const struct wk_timing *t, const char *fixed, const char *usual)
{
    char scratch[24];
    struct wk_str format;
    struct wk_buf b;
    struct wk_cpu_time cpu = wk_kern_cpu(sh->k);
    const struct wk_timing took = {
        wk_clock_monotonic(&sh->k->clock) - t->real_ns,
        {cpu.user_ns - t->cpu.user_ns, cpu.system_ns - t->cpu.system_ns}};
    uint32_t name = wk_names_find(sh->names, WK_STR("TIMEFORMAT"));
    if (fixed)
        format = wk_str_c(fixed);
    else if (name == WK_NAME_NONE || !wk_var_get(sh, name, scratch, &format))
        format = wk_str_c(usual);
    if (format.n == 0)
        return;
    wk_buf_init(&b, sh->mem, 1 << 20);
    for (const char *f = format.p; f && *f;) {
        if (*f == '%') {
            f = put_directive(sh, &b, f + 1, &took);
            if (!f) {
                wk_buf_release(&b);
                return;
            }
        } else {
            wk_buf_putc(&b, *f++);
        }
    }
    wk_buf_putc(&b, '\n');
    (void)wk_sh_write(sh, 2, wk_buf_str(&b));
    wk_buf_release(&b);
}

void wk_timing_print(struct wk_shell *sh, const struct wk_timing *t, bool posix)
{
    print(sh, t, posix ? "real %2R\nuser %2U\nsys %2S" : NULL, "\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS");
}

void wk_timing_print_total(struct wk_shell *sh)
{
    const struct wk_timing start = {.real_ns = wk_clock_monotonic(&sh->k->clock)};
    print(sh, &start, NULL, "user\t%2lU\nsys\t%2lS");
}
