/* jq_math.c - jq's functions on numbers: those of the C library's mathematics, on doubles */
#define _GNU_SOURCE /* exp10 */
#include "builtins/jq_builtin.h"

#include <limits.h>
#include <math.h>

enum {
    MOST_ORDER = 1000000 /* of a Bessel function: some milliseconds */
};

static bool need_number(struct jq *q, const struct jq_val *a, unsigned which, unsigned nargs)
{
    if (a[which].kind == JQ_NUMBER)
        return true;
    for (unsigned i = 0; i <= nargs; i++)
        if (i != which)
            jq_free(q, a[i]);
    return wk_jq_type_error(q, a[which], "number required");
}

/* ---- one argument: the input ---- */

static bool unary(struct jq *q, struct jq_val *a, double (*f)(double x), struct jq_val *out)
{
    if (!need_number(q, a, 0, 0))
        return false;
    double x = jq_num(a[0]);
    jq_free(q, a[0]);
    *out = jq_number(f(x));
    return true;
}

/* Without the C library's signgam, which is shared by all threads. */
static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

static double significand_of(double x)
{
    return x == 0 || !isfinite(x) ? x : scalbn(x, -ilogb(x));
}

#define UNARY(name, f)                                                       \
    static bool name(struct jq *q, struct jq_val *a, struct jq_val *out)     \
    {                                                                        \
        return unary(q, a, f, out);                                          \
    }
UNARY(do_acos, acos)
UNARY(do_acosh, acosh)
UNARY(do_asin, asin)
UNARY(do_asinh, asinh)
UNARY(do_atan, atan)
UNARY(do_atanh, atanh)
UNARY(do_cbrt, cbrt)
UNARY(do_ceil, ceil)
UNARY(do_cos, cos)
UNARY(do_cosh, cosh)
UNARY(do_erf, erf)
UNARY(do_erfc, erfc)
UNARY(do_exp, exp)
UNARY(do_exp10, exp10)
UNARY(do_exp2, exp2)
UNARY(do_expm1, expm1)
UNARY(do_fabs, fabs)
UNARY(do_floor, floor)
UNARY(do_gamma, log_gamma)
UNARY(do_j0, j0)
UNARY(do_j1, j1)
UNARY(do_log, log)
UNARY(do_log10, log10)
UNARY(do_log1p, log1p)
UNARY(do_log2, log2)
UNARY(do_logb, logb)
UNARY(do_nearbyint, nearbyint)
UNARY(do_rint, rint)
UNARY(do_round, round)
UNARY(do_significand, significand_of)
UNARY(do_sin, sin)
UNARY(do_sinh, sinh)
UNARY(do_sqrt, sqrt)
UNARY(do_tan, tan)
UNARY(do_tanh, tanh)
UNARY(do_tgamma, tgamma)
UNARY(do_trunc, trunc)
UNARY(do_y0, y0)
UNARY(do_y1, y1)

/* ---- two and three arguments ---- */

static bool binary(struct jq *q, struct jq_val *a, double (*f)(double x, double y), struct jq_val *out)
{
    if (!need_number(q, a, 1, 2) || !need_number(q, a, 2, 2))
        return false;
    double x = jq_num(a[1]), y = jq_num(a[2]);
    jq_free_args(q, a, 2);
    *out = jq_number(f(x, y));
    return true;
}

/* What fits no int is the least one, which is what processors make of it. */
static int to_int(double d)
{
    return d > INT_MIN - 1.0 && d < INT_MAX + 1.0 ? (int)d : INT_MIN;
}

static long to_long(double d)
{
    return d >= -9223372036854775808.0 && d < 9223372036854775808.0 ? (long)d : LONG_MIN;
}

static double ldexp_of(double x, double e)
{
    return ldexp(x, to_int(e));
}

static double scalbln_of(double x, double e)
{
    return scalbln(x, to_long(e));
}

/* As the C library: an exponent that is no whole number gives nan. */
static double scalb_of(double x, double e)
{
    if (isnan(x) || isnan(e))
        return x * e;
    if (isinf(e))
        return e > 0 ? x * e : x == 0 ? x : x / -e;
    if (rint(e) != e)
        return (double)NAN;
    return scalbln(x, e > 100000 ? 100000 : e < -100000 ? -100000 : (long)e);
}

static double nexttoward_of(double x, double y)
{
    return nexttoward(x, (long double)y);
}

#define BINARY(name, f)                                                      \
    static bool name(struct jq *q, struct jq_val *a, struct jq_val *out)     \
    {                                                                        \
        return binary(q, a, f, out);                                         \
    }
BINARY(do_atan2, atan2)
BINARY(do_copysign, copysign)
BINARY(do_drem, remainder)
BINARY(do_fdim, fdim)
BINARY(do_fmax, fmax)
BINARY(do_fmin, fmin)
BINARY(do_fmod, fmod)
BINARY(do_hypot, hypot)
BINARY(do_ldexp, ldexp_of)
BINARY(do_nextafter, nextafter)
BINARY(do_nexttoward, nexttoward_of)
BINARY(do_pow, pow)
BINARY(do_scalb, scalb_of)
BINARY(do_scalbln, scalbln_of)

/* Bessel functions: the C library steps from order to order. */
static bool bessel(struct jq *q, struct jq_val *a, double (*f)(int n, double x), struct jq_val *out)
{
    if (!need_number(q, a, 1, 2) || !need_number(q, a, 2, 2))
        return false;
    int order = to_int(jq_num(a[1]));
    double x = jq_num(a[2]);
    jq_free_args(q, a, 2);
    if (order > MOST_ORDER || order < -MOST_ORDER)
        return wk_jq_error(q, "Bessel functions of this order are not supported");
    wk_tick(q->c, (uint32_t)(order < 0 ? -order : order) + 1);
    *out = jq_number(f(order, x));
    return true;
}
static bool do_jn(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return bessel(q, a, jn, out);
}
static bool do_yn(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return bessel(q, a, yn, out);
}

static bool do_fma(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    for (unsigned i = 1; i <= 3; i++)
        if (!need_number(q, a, i, 3))
            return false;
    *out = jq_number(fma(jq_num(a[1]), jq_num(a[2]), jq_num(a[3])));
    jq_free_args(q, a, 3);
    return true;
}

/* ---- two results ---- */

static struct jq_val pair(struct jq *q, double x, double y)
{
    struct jq_val result = wk_jq_push(q, wk_jq_array(q, 2), jq_number(x));
    return wk_jq_push(q, result, jq_number(y));
}

static bool do_frexp(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    int e = 0;
    if (!need_number(q, a, 0, 0))
        return false;
    double x = jq_num(a[0]), fraction = isfinite(x) ? frexp(x, &e) : x;
    jq_free(q, a[0]);
    *out = pair(q, fraction, e);
    return true;
}

static bool do_modf(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    double whole;
    if (!need_number(q, a, 0, 0))
        return false;
    double fraction = modf(jq_num(a[0]), &whole);
    jq_free(q, a[0]);
    *out = pair(q, fraction, whole);
    return true;
}

static bool do_lgamma_r(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    int sign = 0;
    if (!need_number(q, a, 0, 0))
        return false;
    double v = lgamma_r(jq_num(a[0]), &sign);
    jq_free(q, a[0]);
    *out = pair(q, v, sign);
    return true;
}

/* ---- what numbers are ---- */

static bool constant(struct jq *q, struct jq_val *a, double v, struct jq_val *out)
{
    jq_free(q, a[0]);
    *out = jq_number(v);
    return true;
}
static bool infinite(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return constant(q, a, (double)INFINITY, out);
}
static bool not_a_number(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return constant(q, a, (double)NAN, out);
}

#define PREDICATE(name, test)                                                \
    static bool name(struct jq *q, struct jq_val *a, struct jq_val *out)     \
    {                                                                        \
        bool is = a[0].kind == JQ_NUMBER && test(jq_num(a[0]));              \
        jq_free(q, a[0]);                                                    \
        *out = jq_bool(is);                                                  \
        return true;                                                         \
    }
PREDICATE(is_infinite, isinf)
PREDICATE(is_nan, isnan)
PREDICATE(is_normal, isnormal)
PREDICATE(is_finite, !isinf)

static const struct jq_builtin functions[] = {
    {"acos", 0, do_acos},
    {"acosh", 0, do_acosh},
    {"asin", 0, do_asin},
    {"asinh", 0, do_asinh},
    {"atan", 0, do_atan},
    {"atan2", 2, do_atan2},
    {"atanh", 0, do_atanh},
    {"cbrt", 0, do_cbrt},
    {"ceil", 0, do_ceil},
    {"copysign", 2, do_copysign},
    {"cos", 0, do_cos},
    {"cosh", 0, do_cosh},
    {"drem", 2, do_drem},
    {"erf", 0, do_erf},
    {"erfc", 0, do_erfc},
    {"exp", 0, do_exp},
    {"exp10", 0, do_exp10},
    {"exp2", 0, do_exp2},
    {"expm1", 0, do_expm1},
    {"fabs", 0, do_fabs},
    {"fdim", 2, do_fdim},
    {"floor", 0, do_floor},
    {"fma", 3, do_fma},
    {"fmax", 2, do_fmax},
    {"fmin", 2, do_fmin},
    {"fmod", 2, do_fmod},
    {"frexp", 0, do_frexp},
    {"gamma", 0, do_gamma},
    {"hypot", 2, do_hypot},
    {"infinite", 0, infinite},
    {"isfinite", 0, is_finite},
    {"isinfinite", 0, is_infinite},
    {"isnan", 0, is_nan},
    {"isnormal", 0, is_normal},
    {"j0", 0, do_j0},
    {"j1", 0, do_j1},
    {"jn", 2, do_jn},
    {"ldexp", 2, do_ldexp},
    {"lgamma", 0, do_gamma},
    {"lgamma_r", 0, do_lgamma_r},
    {"log", 0, do_log},
    {"log10", 0, do_log10},
    {"log1p", 0, do_log1p},
    {"log2", 0, do_log2},
    {"logb", 0, do_logb},
    {"modf", 0, do_modf},
    {"nan", 0, not_a_number},
    {"nearbyint", 0, do_nearbyint},
    {"nextafter", 2, do_nextafter},
    {"nexttoward", 2, do_nexttoward},
    {"pow", 2, do_pow},
    {"remainder", 2, do_drem},
    {"rint", 0, do_rint},
    {"round", 0, do_round},
    {"scalb", 2, do_scalb},
    {"scalbln", 2, do_scalbln},
    {"significand", 0, do_significand},
    {"sin", 0, do_sin},
    {"sinh", 0, do_sinh},
    {"sqrt", 0, do_sqrt},
    {"tan", 0, do_tan},
    {"tanh", 0, do_tanh},
    {"tgamma", 0, do_tgamma},
    {"trunc", 0, do_trunc},
    {"y0", 0, do_y0},
    {"y1", 0, do_y1},
    {"yn", 2, do_yn},
};
const struct jq_table wk_jq_math_table = {functions, WK_COUNTOF(functions)};
