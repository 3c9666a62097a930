#!/usr/bin/env python3
"""Gate: lengths of files and lines; long functions and lines a little too long are warned of.

usage: check_sizes.py ROOT
tools/sizes_allowed.txt lists files that may be longer: "path reason…" a line.
"""
import os
import re
import sys

SOURCE_CAP, HEADER_CAP, PUBLIC_CAP, FUNCTION_CAP = 1000, 250, 400, 80
COLUMNS, COLUMNS_CAP = 100, 120
TOPS = ("include", "base", "text", "vfs", "kern", "interp", "builtins", "adapters", "api", "cli",
        "bench", "fuzz", "tests", "examples")


def allowed(root):
    path = os.path.join(root, "tools/sizes_allowed.txt")
    if not os.path.exists(path):
        return set()
    with open(path, encoding="utf-8") as f:
        return {line.split()[0] for line in f if line.strip() and not line.startswith("#")}


def width(line):
    return len(line.expandtabs(8))


def long_functions(lines):
    """A function's body starts with '{' in column 0 and ends with '}' there."""
    start = None
    for number, line in enumerate(lines, 1):
        if line.startswith("{"):
            start = number
        elif line.startswith("}") and start:
            if number - start + 1 > FUNCTION_CAP:
                name = next((re.search(r"(\w+)\(", lines[i]) for i in range(start - 2, -1, -1)
                             if re.match(r"^\w.*\(", lines[i])), None)
                yield start, name.group(1) if name else "?", number - start + 1
            start = None


def check_file(root, path, exceptions):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
        lines = f.read().splitlines()
    faults, warnings = [], []
    header = path.endswith(".h")
    cap = PUBLIC_CAP if path.startswith("include/") else HEADER_CAP if header else SOURCE_CAP
    if len(lines) > cap and path not in exceptions:
        faults.append(f"{path}: {len(lines)} lines, cap {cap}")
    for number, line in enumerate(lines, 1):
        if width(line) <= COLUMNS:
            continue
        if width(line) > COLUMNS_CAP:
            faults.append(f"{path}:{number}: {width(line)} columns, cap {COLUMNS_CAP}")
        else:
            warnings.append(f"{path}:{number}: warning: {width(line)} columns, aim {COLUMNS}")
    if not header:
        warnings += [f"{path}:{at}: warning: {name} has {n} lines, aim {FUNCTION_CAP}"
                     for at, name, n in long_functions(lines)]
    return faults, warnings


def main():
    root = sys.argv[1]
    exceptions = allowed(root)
    faults, warnings, count = [], [], 0
    for top in TOPS:
        for directory, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                if name.endswith((".c", ".h", ".S")):
                    path = os.path.relpath(os.path.join(directory, name), root)
                    f, w = check_file(root, path, exceptions)
                    faults += f
                    warnings += w
                    count += 1
    for line in warnings + faults:
        print(line)
    print(f"sizes: {count} files, {len(faults)} faults, {len(warnings)} warnings")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
