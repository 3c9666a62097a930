#!/usr/bin/env python3
"""Writes seeds for fuzz_command: each command with each of its options (tests/cases/options.txt), on small inputs of several kinds.

usage: make_command_seeds.py DIRECTORY
"""
import pathlib
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
INPUTS = (b"b 2 x\na 1 y\n\nc 10 z\n\xfea 1 y\nb 3 x\n", b"1\n22\n-3.5\n1e3\n0x1f\n\xfe7\n", b"\x00\xff\x7fELF\x02\x01\x01\nabc\r\n\tq\x1b[0m\n\xfe\x00\x01\x02",
          b"--- a\n+++ b\n@@ -1,2 +1,2 @@\n-b\n+c\n d\n\xfed\n", b"a,b,c\n1,\"2\n3\",4\n\xc3\xa9\xe6\x97\xa5,x\n\xfe",
          b"\x1f\x8b\x08\x08\x00\xe1\x0b\x5e\x00\x03a\x00\xcbH\xcd\xc9\xc9\xe7\x02\x00 0:6\x06\x00\x00\x00\xfe", b'{"a":[1,2.5,null,"x\\u00e9"],"b":{"c":true}}\n[1]\n\xfe"y"\n')
VALUES = ("1", "2", "a", "b", "%s", "x,1", "1,2", "-1", "1K", "0")
OPERANDS = {"find": "d", "cp": "a\x20d", "expr": "1 + 2", "seq": "1 5", "factor": "123456", "printf": "%5.2f\\n 3", "test": "-f a", "tr": "a-z A-Z", "grep": "a a b", "sed": "s/a/b/g a",
            "date": "-d now", "env": "cat a", "xargs": "echo", "numfmt": "1000", "join": "a b", "diff": "a b", "cmp": "a b", "comm": "a b", "patch": "a b", "iconv": "-f UTF-8 -t UTF-16",
            "bc": "a", "dc": "a", "dd": "if=a of=o", "timeout": "1 cat a", "mktemp": "", "mkdir": "n", "csplit": "a /b/", "look": "a b", "getopt": "ab: -a -b c", "ptx": "a", "file": "a b", "zgrep": "a a b", "rg": "a a b", "jq": ".a a",
            "awk": "{print$1} a"}


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    number = 0
    for line in (TOP / "tests" / "cases" / "options.txt").read_text(encoding="utf-8").splitlines():
        name, _, options = line.partition(": ")
        operands = OPERANDS.get(name, "a")
        for at, option in enumerate(options.split()):
            value = VALUES[(number + at) % len(VALUES)]
            given = option.rstrip("=")
            if option.endswith("="):
                given = f"{given}={value}" if given.startswith("--") else f"{given}{value}"
            seed = f"{name} {given} {operands}".rstrip().encode() + b"\n" + INPUTS[(number + at) % len(INPUTS)]
            (directory / f"{number:04}").write_bytes(seed)
            number += 1
    print(f"{number} seeds")


if __name__ == "__main__":
    sys.exit(main())
