#!/usr/bin/env python3
"""Gate: which folder may include whose headers (docs/architecture.md, section 1).

usage: check_layers.py ROOT
Prints one line per violation and exits 1 when there is any.
"""
import os
import re
import sys

LAYERS = {
    "include": {"include"},
    "base": {"base"},
    "text": {"base", "text"},
    "vfs": {"base", "vfs"},
    "kern": {"base", "vfs", "kern"},
    "interp": {"base", "text", "vfs", "kern", "interp"},
    "builtins": {"base", "text", "vfs", "kern", "builtins"},
    "builtins/shell": {"base", "text", "vfs", "kern", "interp", "builtins", "builtins/shell"},
    "adapters": {"include", "base", "text", "text/json", "vfs", "kern", "adapters", "adapters/guest"},
    "adapters/guest": {"adapters/guest"},
    "api": {"include", "base", "text", "vfs", "kern", "interp", "builtins", "builtins/shell",
            "adapters", "api"},
    "cli": {"include", "base", "text/json", "cli"},
    "bench": {"include", "base", "bench"},
    "examples": {"include"},
    "fuzz": {"include", "base", "text", "vfs", "kern", "interp", "builtins", "adapters", "fuzz"},
    "tests/api": {"include", "tests/api"},
    "tests/harness": {"include", "base", "tests/harness"},
}
# A unit test of X sees what X sees.
UNIT = {x: LAYERS[x] | {x} for x in
        ("base", "text", "vfs", "kern", "interp", "builtins", "adapters", "api")}
UNIT["adapters"] |= {"tests/api"}  # cases of the public interface, for kinds by their tables too
UNIT["api"] |= {"tests/api"}  # and kinds that are played
UNIT["harness"] = {"base", "tests/harness"}
UNIT["builtins_shell"] = LAYERS["builtins/shell"]

# Headers of libraries, and the only folders that may know them.
LIBRARIES = [
    (re.compile(r"pcre2(posix)?\.h"), ("text/re/",)),
    (re.compile(r"zlib\.h"), ("builtins/",)),
    (re.compile(r"(readline|editline)/"), ("cli/",)),
    (re.compile(r"(regex|glob|fnmatch|libintl|iconv|langinfo)\.h"), ()),
    (re.compile(r"(locale|setjmp)\.h"), ("cli/",)),
]
GENERATED = {"commands.inc": "api", "builtins.inc": "api", "unicode.inc": "base", "zones.inc": "text/date", "magic.inc": "builtins",
             "charsets.inc": "builtins", "guest.inc": "adapters"}     # and who includes them
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')


def folder_of(path):
    """The row of the table that a file or a header belongs to."""
    parts = path.split("/")
    for n in (2, 1):
        key = "/".join(parts[:n])
        if len(parts) > n and key in LAYERS:
            return key
    return parts[0]


def allowed_for(path):
    if path.startswith("tests/unit/"):
        folder = path.split("/")[2]
        return UNIT.get(folder, set()) | {"tests/unit/" + folder}
    if path.startswith("bench/") and path.endswith("_bench.c"):
        return set(LAYERS) - {"cli"}
    return LAYERS.get(folder_of(path))


def target_of(name):
    if name == "whelk.h" or name.startswith("whelk/"):
        return "include"
    if name.startswith("include/"):
        return "include"
    if name.startswith("tests/unit/"):
        return "/".join(name.split("/")[:3])
    if name.startswith("text/json"):
        return "text/json"
    return folder_of(name)


def check_file(root, path):
    allowed = allowed_for(path)
    if allowed is None:
        return []
    faults = []
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
        for number, line in enumerate(f, 1):
            m = INCLUDE.match(line)
            if not m:
                continue
            quote, name = m.groups()
            where = f"{path}:{number}"
            test = path.startswith(("tests/", "fuzz/"))
            if quote == "<":
                for pattern, homes in LIBRARIES:
                    if pattern.match(name) and not path.startswith(homes or "\0") and not test:
                        faults.append(f"{where}: <{name}> is not for {folder_of(path)}/")
                if name != "whelk.h" and not name.startswith("whelk/"):
                    continue
            if name in GENERATED:
                if not path.startswith(GENERATED[name] + "/"):
                    faults.append(f"{where}: {name} is for {GENERATED[name]}/ alone")
                continue
            target = target_of(name)
            if target == "text/json" and "text" in allowed:
                continue
            beside = os.path.join(root, os.path.dirname(path), name)
            if test and "/" not in name and os.path.exists(beside):
                continue
            if "/" not in name and target != "include":
                faults.append(f'{where}: "{name}" must be written with its folder')
            elif target not in allowed:
                faults.append(f"{where}: {folder_of(path)}/ may not include {target}/")
    return faults


def main():
    root = sys.argv[1]
    faults = []
    count = 0
    for top in ("include", "base", "text", "vfs", "kern", "interp", "builtins", "adapters", "api",
                "cli", "bench", "examples", "fuzz", "tests"):
        for directory, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                if name.endswith((".c", ".h", ".inc")):
                    path = os.path.relpath(os.path.join(directory, name), root)
                    faults += check_file(root, path)
                    count += 1
    print("\n".join(faults) if faults else f"layers: {count} files, all arrows hold")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
