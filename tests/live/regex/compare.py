#!/usr/bin/env python3
"""Compares text/re with glibc's regcomp and regexec on generated patterns and subjects.

    tests/live/regex/compare.py --program build/release/live-regex --count 100000 --seed 1

The program (main.c) makes a pattern and eight subjects from a number, asks glibc in a child of its own with limits and text/re in its process, and cuts
down what differs: in the error of the pattern, in whether there is a match, in the span of the whole or in those of the groups. Here the work
is divided and the differences are sorted into the classes of differences.py.

  --program PROGRAM   --count N   pairs of a pattern and a subject (100000)     --seed S   the first pattern's number (1)
  --jobs J (2)        --most M    tells of the first M differences of no class (20), --class NAME of those of a class

Status 0 when nothing differs but what has a class. Runs as nobody when it is started by root.
"""
import argparse
import collections
import multiprocessing.pool
import os
import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import differences  # noqa: E402

NOBODY, SUBJECTS, PART = 65534, 8, 500
TOTALS = ("patterns", "pairs", "compared", "refused", "matched", "unknown", "compile", "match", "whole", "groups", "limit")


def limit():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 27, 1 << 27))
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def part(task):
    program, count, seed = task
    run = subprocess.run([program, str(count), str(seed)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, preexec_fn=limit, timeout=3600)
    lines = run.stdout.decode().split("\n")[:-1]
    if run.returncode or not lines or not lines[-1].startswith("totals\t"):
        return seed, lines, None
    return seed, lines[:-1], dict(zip(TOTALS, map(int, lines[-1].split("\t")[1:])))


def show(line):
    number, kind, flags, pattern, eflags, subject, glibc, ours = line
    print(f"{number} {kind}: [{flags}] {pattern}  on [{eflags}] {subject!r}\n    glibc {glibc}\n    ours  {ours}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/live-regex")
    for name, default in (("--count", 100000), ("--seed", 1), ("--jobs", 2), ("--most", 20)):
        parser.add_argument(name, type=int, default=default)
    parser.add_argument("--class", dest="shown")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    patterns = -(-options.count // SUBJECTS)
    tasks = [(program, min(PART, patterns - at), options.seed + at) for at in range(0, patterns, PART)]
    totals, known, unknown, broken = collections.Counter(), collections.Counter(), 0, 0
    with multiprocessing.pool.ThreadPool(options.jobs) as pool:
        for seed, lines, counts in pool.imap_unordered(part, tasks):
            if counts is None:
                broken += 1
                print(f"the patterns from {seed} on came to no end: {lines[-1:]}")
                continue
            totals.update(counts)
            for fields in (line.split("\t") for line in lines):
                name = differences.class_of(differences.Pair(fields))
                known[name] += 1
                unknown += name is None
                if name == options.shown and (name or unknown <= options.most):
                    show(fields)
            sys.stdout.flush()
    for name, times in known.most_common():
        if name:
            print(f"known: {times} {name}")
    told = totals["patterns"] or 1
    print(f"{totals['patterns']} patterns ({totals['refused']} refused by glibc) from {options.seed}, {totals['pairs']} pairs: {totals['compared']} compared, "
          f"{totals['unknown']} to which glibc gave no answer in time, {100 * totals['matched'] // max(1, totals['pairs'])} % matched")
    print("pairs that differ: " + ", ".join(f"{totals[name]} {name}" for name in TOTALS[6:]) +
          f"; told {sum(known.values())} ({1000 * sum(known.values()) // told / 10} % of patterns), of no class {unknown}")
    return 1 if unknown or broken else 0


if __name__ == "__main__":
    sys.exit(main())
