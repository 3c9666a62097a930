/* jq_session.c - functions that look at the world around a program: inputs, messages, the environment,
 * its end
 */
#include "builtins/jq_builtin.h"

#include <math.h>

static bool input(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    jq_free(q, a[0]);
    int r = q->inputs ? q->inputs->next(q->inputs, out) : 0;
    return r > 0 || (r == 0 && wk_jq_error(q, "break"));
}

static bool debug(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    *out = a[0];
    q->on_debug(q, jq_copy(a[0]));
    return true;
}

static bool to_stderr(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    *out = a[0];
    q->on_stderr(q, jq_copy(a[0]));
    return true;
}

static bool env(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    jq_free(q, a[0]);
    *out = wk_jq_env(q);
    return true;
}

static bool input_filename(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    jq_free(q, a[0]);
    *out = q->filename.kind == JQ_NONE ? jq_null() : jq_copy(q->filename);
    return true;
}

static bool input_line_number(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    jq_free(q, a[0]);
    *out = jq_number((double)q->line_number);
    return true;
}

static bool prog_origin(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    jq_free(q, a[0]);
    *out = wk_jq_string(q, wk_str_c(q->origin ? q->origin : "."));
    return true;
}

static bool jq_origin(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    jq_free(q, a[0]);
    *out = wk_jq_string_valid(q, WK_STR("/usr/bin"));
    return true;
}

static bool builtins(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    jq_free(q, a[0]);
    *out = wk_jq_builtin_list(q);
    return true;
}

/* ---- the end ---- */

static bool halt(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    jq_free(q, a[0]);
    q->halted = true;
    q->halt_status = 0;
    q->halt_value = jq_none();
    *out = jq_none();
    return true;
}

static bool halt_error(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    if (a[1].kind != JQ_NUMBER) {
        jq_free(q, a[1]);
        return wk_jq_type_error(q, a[0], "halt_error/1: number required");
    }
    q->halted = true;
    q->halt_status = (int)(wk_jq_int(jq_num(a[1])) & 255);
    q->halt_value = a[0];
    jq_free(q, a[1]);
    *out = jq_none();
    return true;
}

static bool raise(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    (void)out;
    return wk_jq_raise(q, a[0]);
}

static bool raise_value(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    (void)out;
    jq_free(q, a[0]);
    return wk_jq_raise(q, a[1]);
}

/* ---- paths given as values ---- */

static bool setpath(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return wk_jq_setpath(q, a[0], a[1], a[2], out);
}

static bool getpath(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return wk_jq_getpath(q, a[0], a[1], out);
}

static bool delpaths(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return wk_jq_delpaths(q, a[0], a[1], out);
}

static const struct jq_builtin functions[] = {
    {"input", 0, input},
    {"debug", 0, debug},
    {"stderr", 0, to_stderr},
    {"env", 0, env},
    {"input_filename", 0, input_filename},
    {"input_line_number", 0, input_line_number},
    {"get_prog_origin", 0, prog_origin},
    {"get_jq_origin", 0, jq_origin},
    {"builtins", 0, builtins},
    {"halt", 0, halt},
    {"halt_error", 1, halt_error},
    {"error", 0, raise},
    {"error", 1, raise_value},
    {"setpath", 2, setpath},
    {"getpath", 1, getpath},
    {"delpaths", 1, delpaths},
};
const struct jq_table wk_jq_session_table = {functions, WK_COUNTOF(functions)};
