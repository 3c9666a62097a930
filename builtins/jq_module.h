/* jq_module.h - modules of jq programs (jq_module.c) */
#ifndef WK_BUILTINS_JQ_MODULE_H
#define WK_BUILTINS_JQ_MODULE_H

#include "builtins/jq_code.h"

struct jq_module;

/* The definitions of ~/.jq, when that is a file, added to a scope. */
struct jq_scope *wk_jq_home_module(struct jq_text *t, struct jq_scope *scope);
/* Functions about modules; NULL: not one of them. */
const struct jq_builtin *wk_jq_module_builtin(struct wk_str name, uint32_t arity);

#endif
