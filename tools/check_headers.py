#!/usr/bin/env python3
"""Gate: every header compiles alone; public ones also as C++.

usage: check_headers.py ROOT [CC]
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

TOPS = ("include", "base", "text", "vfs", "kern", "interp", "builtins", "adapters", "api", "cli")
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wundef", "-Wstrict-prototypes", "-Werror"]


def compile_alone(args):
    root, path, command, suffix = args
    with tempfile.NamedTemporaryFile("w", suffix=suffix) as f:
        name = path[len("include/"):] if path.startswith("include/") else path
        # Twice: the guard must hold.
        f.write(f'#include "{name}"\n#include "{name}"\nextern int wk_not_empty;\n')
        f.flush()
        run = subprocess.run(command + ["-I" + root, "-I" + os.path.join(root, "include"),
                                        "-fsyntax-only", f.name], capture_output=True, text=True)
    if run.returncode:
        return f"{path}: does not compile alone ({command[0]})\n{run.stderr.strip()}"
    return None


def main():
    root = os.path.abspath(sys.argv[1])
    cc = sys.argv[2] if len(sys.argv) > 2 else "cc"
    cxx = next((c for c in ("g++", "clang++", "c++") if shutil.which(c)), None)
    jobs = []
    for top in TOPS:
        for directory, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                if not name.endswith(".h"):
                    continue
                path = os.path.relpath(os.path.join(directory, name), root)
                public = top == "include"
                # Inside, a header may hold what is used by some of its includers only.
                relaxed = [] if public else ["-Wno-unused-function"]
                jobs.append((root, path, [cc, "-std=c11"] + STRICT + relaxed, ".c"))
                if public and cxx:
                    flags = [w for w in STRICT if w != "-Wstrict-prototypes"]
                    jobs.append((root, path, [cxx, "-std=c++11"] + flags, ".cc"))
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        faults = [f for f in pool.map(compile_alone, jobs) if f]
    print("\n".join(faults) if faults else f"headers: {len(jobs)} compilations, all pass")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
