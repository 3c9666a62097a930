#!/usr/bin/env python3
"""Runs commands over large inputs on whelk and, in bash, with the machine's own tools: time of the processor, time
that passed, most memory, and the ratios.

usage: stream.py --whelk PROGRAM [--size MB] [--filter TEXT] [--rounds N] [--memory LIMIT] [--json FILE]

The inputs are made below a temporary directory, which whelk sees through a mount, with a temporary directory of the
host; the tools run in LC_ALL=C. In a script @B is the size in bytes, @Q a quarter of it, @K00 lines of about as many bytes.
The exit status is 1 when an output differs."""
import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WORDS = ("the quick brown fox jumps over lazy dog and runs away from it while nobody looks at the old grey house on a "
         "hill near x y z 1 22 333 4444 alpha beta gamma delta\tepsilon").split(" ")


def make_inputs(d, size):
    r = random.Random(1)
    block = []
    for _ in range(60000):
        block.append(" ".join(r.choice(WORDS) for _ in range(r.randrange(3, 22))) + "\n")
    data = "".join(block).encode()
    with open(os.path.join(d, "text"), "wb") as f:
        n = 0
        while n < size:  # the beginning of each block differs: nothing repeats exactly
            head = b"block %d starts here\n" % n
            f.write(head + data)
            n += len(head) + len(data)
    shutil.copy(os.path.join(d, "text"), os.path.join(d, "text2"))
    for name, step in (("sorted", 1), ("sorted2", 2)):
        with open(os.path.join(d, name), "w") as f:
            for at in range(0, size // 22, 10000):
                f.write("".join("%010d %d\n" % (i * step, i % 7) for i in range(at, at + 10000)))


def run(argv, env):
    """CPU and wall seconds, most memory in KB, a digest of what was written. time(1) tells the memory: what wait4
    says includes this program's own, from before the exec."""
    with tempfile.NamedTemporaryFile("r") as report:
        start = time.monotonic()
        p = subprocess.Popen(["/usr/bin/time", "-o", report.name, "-f", "%M"] + argv, env=env, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        out = hashlib.md5(p.stdout.read()).hexdigest()
        _, _, u = os.wait4(p.pid, 0)
        p.returncode = 0
        return u.ru_utime + u.ru_stime, time.monotonic() - start, int(report.read().split()[-1]), out


def best(argv, env, rounds):
    all_runs = [run(argv, env) for _ in range(rounds)]
    return (min(r[0] for r in all_runs), min(r[1] for r in all_runs), max(r[2] for r in all_runs), all_runs[0][3])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--whelk", required=True)
    ap.add_argument("--size", type=int, default=256)
    ap.add_argument("--filter", default="")
    ap.add_argument("--rounds", type=int, default=1)
    ap.add_argument("--memory", default="256M")
    ap.add_argument("--dir", help="where the temporary directory is made")
    ap.add_argument("--json")
    a = ap.parse_args()
    rows, wrong = [], 0
    top = tempfile.mkdtemp(prefix="whelk-stream.", dir=a.dir)
    try:
        size = a.size << 20
        work, tmp = os.path.join(top, "in"), os.path.join(top, "tmp")
        os.mkdir(work)
        os.mkdir(tmp)
        make_inputs(work, size)
        whelk = [os.path.abspath(a.whelk), "--mount", work + ":/in:ro", "--mount", tmp + ":/tmp:rw", "--cwd", "/in",
                 "--limit", "memory=" + a.memory, "--limit", "output=1000G", "--limit", "file-size=1000G",
                 "--env", "LC_ALL=C", "--env", "TMPDIR=/tmp", "-c"]
        env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "TMPDIR": tmp}
        print("%-12s %26s %28s %15s" % ("%d MB" % a.size, "whelk", "tools", "ratio"))
        print("%-12s %8s %8s %8s  %8s %8s %10s %7s %7s" % ("", "cpu", "wall", "memory", "cpu", "wall", "memory", "cpu",
                                                          "wall"))
        for c in json.load(open(os.path.join(HERE, "stream.json"))):
            if a.filter not in c["id"]:
                continue
            script = c["script"].replace("@B", str(size)).replace("@Q", str(size // 4))
            script = script.replace("@K", str(size // 1000))
            w = best(whelk + [script], env, a.rounds)
            t = best(["bash", "-c", "cd '%s' || exit; %s" % (work, script)], env, a.rounds)
            bad = w[3] != t[3]
            wrong += bad
            rows.append({"id": c["id"], "whelk": w[:3], "tools": t[:3], "cpu": w[0] / max(t[0], 1e-3),
                         "wall": w[1] / max(t[1], 1e-3)})
            print("%-12s %7.2fs %7.2fs %6.1fMB  %7.2fs %7.2fs %8.1fMB %6.2fx %6.2fx%s" % (
                c["id"], w[0], w[1], w[2] / 1024, t[0], t[1], t[2] / 1024, rows[-1]["cpu"], rows[-1]["wall"],
                "  WRONG OUTPUT" if bad else ""), flush=True)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    if a.json:
        json.dump({"size_mb": a.size, "rows": rows}, open(a.json, "w"), indent=1)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
