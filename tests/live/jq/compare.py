#!/usr/bin/env python3
"""Makes jq programs, runs them with a real jq (1.7 or 1.8) and in whelk, and compares what they print. Errors are outputs: each program is a `try`.

  compare.py [--whelk PROGRAM] [--jq PROGRAM | --batch COMMAND] [--count N] [--first SEED] [--show N] [--all]

COMMAND is given a file [[input, program, [option…]]…] and prints a list: a text for each that ends well, anything else for those that do not."""
import argparse
import collections
import json
import os
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from differences import CLASSES, same  # noqa: E402
from make import make  # noqa: E402

AT_ONCE = 250


def run_real(args, cases, directory):
    if not args.batch:
        out = []
        for text, program in cases:
            p = subprocess.run([args.jq, "-c", program], input=text.encode(), capture_output=True, timeout=20)
            out.append(p.stdout.decode("utf-8", "replace") if p.returncode == 0 else None)
        return out
    path = os.path.join(directory, "batch.json")
    with open(path, "w") as f:
        json.dump([[text, program, ["-c"]] for text, program in cases], f)
    os.chmod(path, 0o644)
    p = subprocess.run(shlex.split(args.batch) + [path], capture_output=True, timeout=200)
    return [x if isinstance(x, str) else None for x in json.loads(p.stdout)]


def run_ours(args, cases, directory):
    path = os.path.join(directory, "cases.sh")
    with open(path, "w") as f:
        for text, program in cases:
            f.write("jq -c %s <<'END' 2> /dev/null\n%s\nEND\necho @@$?\n" % (shlex.quote(program), text))
    p = subprocess.run([args.whelk, path], capture_output=True, timeout=200)
    parts, now = [], []
    for line in p.stdout.decode("utf-8", "replace").split("\n"):
        if line.startswith("@@"):
            parts.append("\n".join(now) if line == "@@0" else None)
            now = []
        else:
            now.append(line)
    return parts + ["stopped"] * (len(cases) - len(parts))


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--whelk", default="build/release/whelk")
    a.add_argument("--jq", default="jq")
    a.add_argument("--batch")
    a.add_argument("--count", type=int, default=1000)
    a.add_argument("--first", type=int, default=1)
    a.add_argument("--show", type=int, default=20)
    a.add_argument("--all", action="store_true", help="show what is known too")
    args = a.parse_args()
    known, unknown, both = collections.Counter(), 0, 0
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        for first in range(args.first, args.first + args.count, AT_ONCE):
            cases = [make(seed) for seed in range(first, min(first + AT_ONCE, args.first + args.count))]
            real, ours = run_real(args, cases, directory), run_ours(args, cases, directory)
            for at, ((text, program), r, o) in enumerate(zip(cases, real, ours)):
                if r is None or o is None:
                    both += r is None and o is None
                    if (r is None) == (o is None):
                        continue
                elif same(r.rstrip("\n"), o.rstrip("\n")):
                    continue
                c = next((c for c in CLASSES if c.matches(program, r or "", o or "")), None)
                if c:
                    known[c.name] += 1
                else:
                    unknown += 1
                if args.all or (not c and unknown <= args.show):
                    print("seed %d: jq -c %s <<< %s\n  real: %s\n  ours: %s" % (first + at, shlex.quote(program), shlex.quote(text), repr(r)[:300], repr(o)[:300]))
    print("%d programs, %d refused by both, %d differ in ways not known" % (args.count, both, unknown))
    for name, n in known.most_common():
        print("  %5d  %s" % (n, name))
    return unknown > 0


if __name__ == "__main__":
    sys.exit(main())
