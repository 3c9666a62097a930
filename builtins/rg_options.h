/* rg_options.h - rg: the table of options and what reads it */
#ifndef WK_BUILTINS_RG_OPTIONS_H
#define WK_BUILTINS_RG_OPTIONS_H

#include "builtins/rg.h"

enum wk_rg_option {
    WK_RG_OPT_NOTHING,
    WK_RG_OPT_AFTER,
    WK_RG_OPT_BEFORE,
    WK_RG_OPT_CONTEXT,
    WK_RG_OPT_PASSTHRU,
    WK_RG_OPT_WORD,
    WK_RG_OPT_LINE,
    WK_RG_OPT_NULL_DATA,
    WK_RG_OPT_ENGINE,
    WK_RG_OPT_ENCODING,
    WK_RG_OPT_NO_ENCODING,
    WK_RG_OPT_SIZE,
    WK_RG_OPT_GLOB,
    WK_RG_OPT_IGLOB,
    WK_RG_OPT_NO_IGNORE,
    WK_RG_OPT_IGNORE,
    WK_RG_OPT_UNRESTRICTED,
    WK_RG_OPT_MAX_DEPTH,
    WK_RG_OPT_MAX_FILESIZE,
    WK_RG_OPT_TEXT,
    WK_RG_OPT_BINARY,
    WK_RG_OPT_ZIP,
    WK_RG_OPT_PRE,
    WK_RG_OPT_NO_PRE,
    WK_RG_OPT_SORT,
    WK_RG_OPT_SORTR,
    WK_RG_OPT_SORT_FILES,
    WK_RG_OPT_NO_SORT_FILES,
    WK_RG_OPT_COUNT,
    WK_RG_OPT_COUNT_MATCHES,
    WK_RG_OPT_NAMES,
    WK_RG_OPT_NAMES_WITHOUT,
    WK_RG_OPT_MAX_COUNT,
    WK_RG_OPT_MAX_COLUMNS,
    WK_RG_OPT_HEADING,
    WK_RG_OPT_NO_HEADING,
    WK_RG_OPT_COLOR,
    WK_RG_OPT_SEPARATOR,
    WK_RG_OPT_NO_SEPARATOR,
    WK_RG_OPT_FIELD_MATCH,
    WK_RG_OPT_FIELD_CONTEXT,
    WK_RG_OPT_PATH_SEPARATOR,
    WK_RG_OPT_NO_MMAP,
    WK_RG_OPT_THREADS,
    WK_RG_OPT_HELP,
    WK_RG_OPT_VERSION
};

extern const struct wk_opt wk_rg_options[];
/* The function of options that are more than a field. */
int wk_rg_take(struct wk_cmd *c, const struct wk_opt *o, const char *arg);
/* Makes the bool of an option false. */
int wk_rg_take_off(struct wk_cmd *c, const struct wk_opt *o, const char *arg);

#endif
