#!/usr/bin/env python3
"""Records the options of the real tools, as their --help names them.

usage: record_options.py WHELK

Writes tests/cases/options.txt, which tests/cli/test_help.py compares with what whelk's commands have: a line for each command of whelk that this machine
has too, "NAME: -a --all -k= --key=", an = behind what takes an argument. Only names: no texts.
"""
import os
import pathlib
import re
import subprocess
import sys

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "cases" / "options.txt"
SHELLS = {"bash", "sh", "["}
WHOLE_TEXT = {"find", "tree"}   # their options stand in running lines
WORDS = {"find", "xxd", "dos2unix", "unix2dos", "mac2unix", "unix2mac"}     # whose options have one dash and several letters
TOKEN = re.compile(r"(?<![\w>/-])(--[A-Za-z0-9][\w-]*|-[A-Za-z][\w-]+|-[^\s,=\[\]<>|)/-](?!\w))(\[?=| ?<|\[?[A-Z]|(?: \[?[A-Z]{2,}| #| \[?[a-z]+\]?$))?")
NO_OPTIONS = {"cut": "-M", "numfmt": "-M", "find": "-N"}      # ranges of fields, a number below N


def unprivileged():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


def help_text(name):
    try:
        done = subprocess.run([name, "--help"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=5, cwd="/", check=False,
                              env={"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C", "COLUMNS": "200"}, preexec_fn=unprivileged if os.geteuid() == 0 else None)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace")


def option_part(line):
    """What stands in front of the description, which two blanks part from it."""
    pieces = re.split(r"\t|  +", line.strip())
    out = []
    for piece in pieces:
        if not piece.startswith("-"):
            break
        out.append(piece)
    return "  ".join(out)


def options(name):
    text = help_text(name)
    if text is None:
        return None
    found = {}
    for line in text.split("\n"):
        part = line if name in WHOLE_TEXT else option_part(line)
        for option, argument in TOKEN.findall(part):
            word = re.match(r"-\w.", option) is not None
            if word and name not in WORDS or re.match(r"--[A-Z]+-", option):    # settings, bundles, placeholders
                continue
            if option == NO_OPTIONS.get(name):
                continue
            found.setdefault(option, bool(argument))
            found[option] |= bool(argument)
    return " ".join(option + ("=" if found[option] else "") for option in sorted(found, key=lambda o: (o.lstrip("-").lower(), o)))


def main():
    names = subprocess.run([sys.argv[1], "-c", "ls /usr/bin"], stdout=subprocess.PIPE, check=True).stdout.decode().split()
    lines = []
    for name in sorted(set(names) - SHELLS):
        found = options(name)
        if found:
            lines.append(f"{name}: {found}\n")
    OUT.write_text("".join(lines), encoding="utf-8")
    print(f"{len(lines)} commands, {sum(len(line.split()) - 1 for line in lines)} options")


if __name__ == "__main__":
    sys.exit(main())
