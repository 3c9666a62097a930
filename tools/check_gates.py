#!/usr/bin/env python3
"""Gate of the gates: plants a fault for each rule and sees it rejected, and good code accepted.

usage: check_gates.py ROOT [CC]
"""
import os
import shutil
import subprocess
import sys
import tempfile

TOOLS = os.path.dirname(os.path.abspath(__file__))
GOOD = {
    "base/good.h": "#ifndef G\n#define G\nint wk_good(int a);\n#endif\n",
    "base/good.c": '#include "base/good.h"\nstatic const int table[2] = {1, 2};\n'
                   "int wk_good(int a)\n{\n    return table[a & 1];\n}\n",
    "include/whelk.h": "#ifndef W\n#define W\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
                       "int whelk_ok(void);\n#ifdef __cplusplus\n}\n#endif\n#endif\n",
    "api/ok.c": '#include "whelk.h"\n#include "base/good.h"\nint whelk_ok(void)\n{\n'
                "    return wk_good(1);\n}\n",
}
LAYER_FAULTS = [
    ("vfs/a.c", '#include "kern/kern.h"\n', "vfs/ may not include kern/"),
    ("builtins/a.c", '#include "interp/shell.h"\n', "builtins/ may not include interp/"),
    ("interp/a.c", '#include "builtins/shell/a.h"\n', "interp/ may not include builtins/shell/"),
    ("text/a.c", '#include "vfs/vfs.h"\n', "text/ may not include vfs/"),
    ("text/a.c", "#define P 8\n#include <pcre2.h>\n", "<pcre2.h> is not for text/"),
    ("kern/a.c", "#include <setjmp.h>\n", "<setjmp.h> is not for kern/"),
    ("api/a.c", "#include <readline/readline.h>\n", "is not for api/"),
    ("base/a.c", '#include "mem.h"\n', "must be written with its folder"),
    ("cli/a.c", '#include "interp/shell.h"\n', "cli/ may not include interp/"),
    ("tests/unit/vfs/a.c", '#include "kern/kern.h"\n', "may not include kern/"),
    ("tests/api/a.c", '#include "base/mem.h"\n', "may not include base/"),
]
SYMBOL_FAULTS = [
    ("base/a.c", "int wk_counter;\nint wk_f(void);\nint wk_f(void) { return ++wk_counter; }\n",
     "wk_counter is mutable data"),
    ("base/a.c", "int wk_f(void);\nint wk_f(void) { static int n = 5; return ++n; }\n",
     "is mutable data"),
    ("base/a.c", "int wk_f(void);\nint wk_f(void) { static _Thread_local int n; return ++n; }\n",
     "is mutable data"),
    ("base/a.c", "int loose(void);\nint loose(void) { return 1; }\n", "lacks the prefix"),
    ("base/a.c", "int whelk_f(void);\nint whelk_f(void) { return 1; }\n", "lacks the prefix"),
    ("text/a.c", "#include <stdlib.h>\nvoid *wk_f(void);\nvoid *wk_f(void) { return malloc(9); }\n",
     "imports malloc"),
    ("base/a.c", "#include <stdlib.h>\nvoid *wk_f(void);\nvoid *wk_f(void) { return malloc(9); }\n",
     "imports malloc"),
    ("kern/a.c", "#include <stdlib.h>\nvoid wk_f(void);\nvoid wk_f(void) { abort(); }\n",
     "imports abort"),
    ("builtins/a.c", "#include <stdlib.h>\nlong wk_f(char *s);\n"
     "long wk_f(char *s) { return strtol(s, 0, 10); }\n", "strtol"),
    ("interp/a.c", "void *wk_heap_alloc(void *, unsigned long);\nvoid *wk_f(void *p);\n"
     "void *wk_f(void *p) { return wk_heap_alloc(p, 1); }\n", "does not return"),
    ("builtins/shell/a.c", "void *wk_heap_alloc(void *, unsigned long);\nvoid *wk_f(void *p);\n"
     "void *wk_f(void *p) { return wk_heap_alloc(p, 1); }\n", "does not return"),
    ("interp/a.c", "#include <errno.h>\nint wk_f(void);\nint wk_f(void) { return errno; }\n",
     "__errno_location"),
    ("vfs/a.c", "#include <unistd.h>\nlong wk_f(char *p);\nlong wk_f(char *p) { return read(0, p, 1); }\n",
     "imports read"),
]
SYMBOL_FAULTS.append(("vfs/a.c", "int wk_good(int a);\nint wk_good(int a) { return a; }\n",
                      "wk_good is defined in"))
HEADER_FAULTS = [
    ("base/bad.h", "#ifndef B\n#define B\nsize_t wk_n(void);\n#endif\n", "does not compile alone"),
    ("base/bad.h", "struct wk_twice { int a; };\n", "does not compile alone"),
    ("include/whelk/bad.h", "#ifndef B\n#define B\nint whelk_f(int class);\n#endif\n",
     "does not compile alone (g++)"),
]
SIZE_FAULTS = [
    ("base/a.c", "/* x */\n" * 1001, "1001 lines, cap 1000"),
    ("base/a.h", "/* x */\n" * 251, "251 lines, cap 250"),
    ("base/a.c", "/* " + "x" * 130 + " */\n", "columns, cap 120"),
    ("base/a.c", "int wk_long(void)\n{\n" + "    ;\n" * 90 + "}\n", "wk_long has 92 lines"),
]


def write(root, path, text):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as f:
        f.write(text)


def run_tool(tool, *args):
    run = subprocess.run([sys.executable, os.path.join(TOOLS, tool), *args], capture_output=True,
                         text=True)
    return run.returncode, run.stdout + run.stderr


def symbols(root, cc):
    """Compiles every .c below root the way CMake places objects, and runs the gate."""
    lines = []
    for directory, _, files in os.walk(root):
        for name in sorted(files):
            if not name.endswith(".c"):
                continue
            path = os.path.relpath(os.path.join(directory, name), root)
            obj = os.path.join(root, "o/wk_x.dir", path + ".o")
            os.makedirs(os.path.dirname(obj), exist_ok=True)
            subprocess.run([cc, "-std=c11", "-O1", "-fPIC", "-I" + root, "-I" + root + "/include",
                            "-c", "-o", obj, os.path.join(root, path)], check=True)
            lines.append(obj)
    write(root, "list", "\n".join(lines) + "\n")
    return run_tool("check_symbols.py", os.path.join(root, "list"))


class Checker:
    def __init__(self, cc):
        self.cc = cc
        self.wrong = 0
        self.count = 0

    def tool(self, name, root):
        if name == "check_symbols.py":
            return symbols(root, self.cc)
        if name == "check_headers.py":
            return run_tool(name, root, self.cc)
        return run_tool(name, root)

    def one(self, name, fault):
        self.count += 1
        with tempfile.TemporaryDirectory() as root:
            for path, text in GOOD.items():
                write(root, path, text)
            if fault:
                write(root, fault[0], fault[1])
            status, out = self.tool(name, root)
        warning = fault and "wk_long" in fault[2]
        expected = fault is not None and not warning
        if (status != 0) != expected or (fault and fault[2] not in out):
            self.wrong += 1
            what = f"{fault[0]} was not rejected with '{fault[2]}'" if fault else "rejects good code"
            print(f"{name}: {what}; it said:\n{out}")


def main():
    cc = sys.argv[2] if len(sys.argv) > 2 else "cc"
    check = Checker(cc)
    for name, faults in (("check_layers.py", LAYER_FAULTS), ("check_symbols.py", SYMBOL_FAULTS),
                         ("check_headers.py", HEADER_FAULTS), ("check_sizes.py", SIZE_FAULTS)):
        check.one(name, None)
        for fault in faults:
            if "(g++)" in fault[2] and not shutil.which("g++"):
                continue
            check.one(name, fault)
    print(f"gates: {check.count} plants, {check.wrong} not handled")
    return 1 if check.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
