/* dc_math.c - dc's arithmetic */
#include "builtins/dc.h"

/* Of a number that should have no fraction. */
static void warn_scale(struct dc *d, const struct wk_dec *x, const char *what)
{
    if (x->scale)
        wk_dc_say(d, "Runtime warning: non-zero scale in %s", what);
}

static struct wk_dec *power(struct dc *d, struct wk_dec *x, struct wk_dec *y)
{
    int64_t e;
    warn_scale(d, y, "exponent");
    if (!wk_dec_i64(y, &e) || (e && wk_dec_length(x) > 1 && (e > INT32_MAX || e < -(int64_t)INT32_MAX))) {
        wk_dc_say(d, "Runtime error: exponent too large in raise");
        return wk_dec_int(d->c, 1);
    }
    struct wk_dec *r = wk_dec_raise(d->c, x, e, d->scale);
    return r ? r : wk_dec_int(d->c, 0);
}

static struct wk_dec *times_mod(struct dc *d, struct wk_dec *gone, const struct wk_dec *y, const struct wk_dec *m)
{
    struct wk_dec *p = wk_dec_mul(d->c, gone, y, d->scale), *r = wk_dec_mod(d->c, p, m, d->scale, NULL);
    wk_dec_unref(d->c, gone);
    wk_dec_unref(d->c, p);
    return r;
}

/* base ^ e mod m, by squares; e is halved as a decimal number. */
static struct wk_dec *power_mod(struct dc *d, struct wk_dec *base, struct wk_dec *e, const struct wk_dec *m)
{
    struct wk_dec *two = wk_dec_int(d->c, 2), *r = wk_dec_int(d->c, 1), *left = wk_dec_cut(d->c, e, 0), *half;
    struct wk_dec *square = wk_dec_ref(base);
    while (!wk_dec_zero(left)) {
        struct wk_dec *odd = wk_dec_mod(d->c, left, two, 0, &half);
        if (!wk_dec_zero(odd))
            r = times_mod(d, r, square, m);
        square = times_mod(d, square, square, m);
        wk_dec_unref(d->c, odd);
        wk_dec_unref(d->c, left);
        left = half;
    }
    wk_dec_unref(d->c, two);
    wk_dec_unref(d->c, left);
    wk_dec_unref(d->c, square);
    return r;
}

static bool numbers(struct dc *d, size_t n)
{
    if (d->n < n) {
        wk_dc_say(d, "dc: stack empty");
        return false;
    }
    for (size_t i = 0; i < n; i++)
        if (!d->stack[d->n - 1 - i].number) {
            wk_dc_say(d, "dc: non-numeric value");
            return false;
        }
    return true;
}

static void replace(struct dc *d, size_t n, struct wk_dec *r)
{
    for (size_t i = 0; i < n; i++)
        wk_dc_drop(d, d->stack[--d->n]);
    wk_dc_push_number(d, r);
}

static void modular(struct dc *d)
{
    if (!numbers(d, 3))
        return;
    struct wk_dec *m = d->stack[d->n - 1].number, *e = d->stack[d->n - 2].number, *x = d->stack[d->n - 3].number;
    if (wk_dec_zero(m)) {
        wk_dc_say(d, "dc: remainder by zero");
        return;
    }
    if (e->minus)
        return;
    warn_scale(d, x, "base");
    warn_scale(d, e, "exponent");
    warn_scale(d, m, "modulus");
    replace(d, 3, power_mod(d, x, e, m));
}

void wk_dc_arithmetic(struct dc *d, char op)
{
    if (op == '|') {
        modular(d);
        return;
    }
    if (!numbers(d, 2))
        return;
    struct wk_dec *y = d->stack[d->n - 1].number, *x = d->stack[d->n - 2].number, *r, *rest = NULL;
    switch (op) {
    case '+':
    case '-':
        r = wk_dec_add(d->c, x, y, op == '-');
        break;
    case '*':
        r = wk_dec_mul(d->c, x, y, d->scale);
        break;
    case '/':
        r = wk_dec_div(d->c, x, y, d->scale);
        break;
    case '%':
        r = wk_dec_mod(d->c, x, y, d->scale, NULL);
        break;
    case '~':
        rest = wk_dec_mod(d->c, x, y, d->scale, &r);
        r = rest ? r : NULL;
        break;
    default:
        r = power(d, x, y);
    }
    if (!r) {
        wk_dc_say(d, op == '%' ? "dc: remainder by zero" : "dc: divide by zero");
        return;
    }
    replace(d, 2, r);
    if (rest)
        wk_dc_push_number(d, rest);
}

void wk_dc_root(struct dc *d)
{
    struct dc_value v;
    if (!wk_dc_pop(d, &v))
        return;
    struct wk_dec *r = v.number ? wk_dec_sqrt(d->c, v.number, d->scale) : NULL;
    if (r)
        wk_dc_push_number(d, r);
    else
        wk_dc_say(d, v.number ? "dc: square root of negative number" : "dc: square root of nonnumeric attempted");
    wk_dc_drop(d, v);
}
