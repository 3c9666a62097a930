#!/usr/bin/env python3
"""Starts a command: builtins/NAME.c and tests/cases/cmd/NAME.case.

usage: tools/new_command.py NAME ["what it does"]
Nothing else has to be edited: the build finds the command by its WK_COMMAND line.
"""
import os
import re
import sys

SOURCE = '''/* {name}.c - {summary}
 *
 * Standard: GNU coreutils 9.1. Oracle: {name}.
 */
#include "kern/cmd.h"

struct {name}_opts {{
    bool zero;
}};

static const struct wk_opt {name}_options[] = {{
    WK_FLAG(struct {name}_opts, zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
    WK_OPTS_END,
}};

static int {name}_main(struct wk_cmd *c)
{{
    const struct {name}_opts *o = (const struct {name}_opts *)c->opts;
    const char end = o->zero ? '\\0' : '\\n';
    struct wk_in *in = NULL;
    struct wk_str line;

    while (wk_input_next(c, &in)) {{
        while (wk_line_next(in, end, &line)) {{
            wk_out_str(c->out, line);
            wk_out_char(c->out, end);
        }}
    }}
    return c->status;
}}

WK_COMMAND({name}, .summary = "{summary}", .usage = "{name} [OPTION]... [FILE]...",
           .std = "coreutils 9.1", .opts = {name}_options,
           .opts_size = sizeof(struct {name}_opts));
'''

CASES = '''# {name}: fill in by tools/record_cases.py tests/cases/cmd/{name}.case
=== plain
--- file a.txt
one
two
--- run
{name} a.txt

=== standard input
--- in
one
two
--- run
{name}

=== two files
--- file a.txt
one
--- file b.txt
two
--- run
{name} a.txt b.txt

=== missing file
--- run
{name} nosuch
--- err

=== empty file
--- file a.txt
--- run
{name} a.txt

=== no final newline
--- file a.txt no-newline
one
two
--- run
{name} a.txt

=== bad option
--- run
{name} --no-such-option
--- err

=== something big
--- run
seq 20000 | {name} | md5sum
'''


def main():
    if len(sys.argv) < 2 or not re.fullmatch(r"[a-z][a-z0-9_]*", sys.argv[1]):
        sys.exit(__doc__)
    name = sys.argv[1]
    summary = sys.argv[2] if len(sys.argv) > 2 else "one line that says what it does"
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for path, text in ((f"builtins/{name}.c", SOURCE), (f"tests/cases/cmd/{name}.case", CASES)):
        full = os.path.join(root, path)
        if os.path.exists(full):
            sys.exit(f"{path} is there already")
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as f:
            f.write(text.format(name=name, summary=summary))
        print(path)


if __name__ == "__main__":
    main()
