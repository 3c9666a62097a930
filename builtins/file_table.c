/* file_table.c - the table of types that is built in: builtins/magic/, in order of name */
#include "builtins/file.h"

const unsigned char wk_magic_builtin[] = {
#include "magic.inc"
};
const size_t wk_magic_builtin_n = sizeof wk_magic_builtin;
