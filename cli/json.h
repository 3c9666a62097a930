/* json.h - the result of a run as one JSON object (RFC 8259) */
#ifndef WK_CLI_JSON_H
#define WK_CLI_JSON_H

#include <whelk.h>

/* One line on stdout: status, stdout, stderr, stop, limit, signal, files (changes from a to b),
 * steps, wall_ms, memory_peak, jobs. Bytes that are not UTF-8 become U+FFFD and "binary" names the
 * streams concerned. a and b may be NULL. */
void wk_cli_print_json(const whelk_result *r, const whelk_snapshot *a, const whelk_snapshot *b);

#endif
