#!/usr/bin/env python3
"""Runs commands over large inputs on whelk and, in bash, with the machine's own tools: time of the processor, time
that passed, most memory, and the ratios.

usage: stream.py --whelk PROGRAM [--size MB] [--filter TEXT] [--rounds N] [--memory LIMIT] [--json FILE]

The inputs are made below a temporary directory, which whelk sees through a mount, with a temporary directory of the
host; the tools run in LC_ALL=C. In a script @B is the size in bytes, @Q a quarter of it, @K00 lines of about as many bytes.
A row with "rg" also runs that with ripgrep on one thread, a row with "mawk" its script with mawk, when they are installed. "locale" is another one for a row.
Whelk and the tools take turns, and the least of all rounds counts. The exit status is 1 when an output differs."""
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
    repeated(os.path.join(d, "log"), size, log_lines())
    repeated(os.path.join(d, "csv"), size, csv_lines())
    word_list(os.path.join(d, "words"))
    for name, step in (("sorted", 1), ("sorted2", 2)):
        with open(os.path.join(d, name), "w") as f:
            for at in range(0, size // 22, 10000):
                f.write("".join("%010d %d\n" % (i * step, i % 7) for i in range(at, at + 10000)))


def repeated(path, size, lines, block=8 << 20):
    """A file of `lines`, made up to so many bytes and then repeated with a line of its own before each time."""
    data, n = [], 0
    for line in lines:
        data.append(line)
        n += len(line.encode())
        if n >= min(size, block):
            break
    data = "".join(data).encode()
    with open(path, "wb") as f:
        n = 0
        while n < size:
            head = b"part %d\n" % n
            f.write(head + data)
            n += len(head) + len(data)


def log_lines():
    """What a server writes: about 153 bytes a line, 12 % with the status 500, levels in several cases."""
    r = random.Random(2)
    words = "user report item order cart login search admin static asset image feed".split()
    agents = ("Mozilla/5.0 (X11; Linux x86_64)", "curl/7.88.1", "python-requests/2.31", "Go-http-client/1.1", "okhttp/4.9")
    levels = ["INFO"] * 80 + ["DEBUG"] * 10 + ["WARN"] * 4 + ["ERROR"] * 3 + ["error", "Error", "Warning"]
    ms = 0
    while True:
        ms += r.randrange(1, 900)
        s = ms // 1000
        status = 500 if r.random() < .12 else r.choice((200, 200, 200, 200, 301, 404, 204))
        yield ('2024-05-%02dT%02d:%02d:%02d.%03dZ %s worker-%03d request id=%08x method=%s path=/api/v1/%s/%d '
               'status=%d bytes=%d dur=%dms agent="%s"\n' % (
                   1 + s // 86400 % 28, s // 3600 % 24, s // 60 % 60, s % 60, ms % 1000, r.choice(levels),
                   r.randrange(100), r.getrandbits(32), r.choice(("GET", "GET", "POST", "PUT")),
                   "/".join(r.choice(words) for _ in range(r.randrange(1, 4))), r.randrange(100000), status,
                   r.randrange(100000), r.randrange(2000), r.choice(agents)))


def csv_lines():
    r = random.Random(3)
    names = "Alice Bob Carol Dave Eve Frank Grace Heidi Ivan Judy".split()
    cities = "Berlin Paris London Madrid Rome Vienna Oslo Z\u00fcrich".split()
    notes = "late paid open disputed refund partial,shipped".split()
    i = 0
    while True:
        i += 1
        last = "".join(r.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(r.randrange(3, 10))).title()
        yield '%d,%s %s,%s,%d.%02d,2024-%02d-%02d,%s,"%s"\n' % (
            i, r.choice(names), last, r.choice(cities), r.randrange(10000), r.randrange(100), r.randrange(1, 13),
            r.randrange(1, 29), r.choice(("OK", "FAIL", "PENDING")),
            " ".join(r.choice(notes) for _ in range(r.randrange(5))))


def word_list(path):
    r = random.Random(4)
    with open(path, "w") as f:
        for _ in range(1000):
            f.write("".join(r.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(r.randrange(5, 12))) + "\n")


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


def best(runs, rounds):
    """The best of each of `runs`, which take turns."""
    all_runs = [[run(argv, env) for argv, env in runs] for _ in range(rounds)]
    return [(min(r[0] for r in one), min(r[1] for r in one), max(r[2] for r in one), one[0][3])
            for one in zip(*all_runs)]


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
                 "--env", "TMPDIR=/tmp"]
        print("%-12s %26s %28s %15s" % ("%d MB" % a.size, "whelk", "tools", "ratio"))
        print("%-12s %8s %8s %8s  %8s %8s %10s %7s %7s" % ("", "cpu", "wall", "memory", "cpu", "wall", "memory", "cpu",
                                                          "wall"))
        for c in json.load(open(os.path.join(HERE, "stream.json"))):
            if a.filter not in c["id"]:
                continue
            locale = c.get("locale", "C")
            env = {"PATH": os.environ["PATH"], "LC_ALL": locale, "TMPDIR": tmp}
            script = c["script"].replace("@B", str(size)).replace("@Q", str(size // 4))
            script = script.replace("@K", str(size // 1000))
            runs = [(whelk + ["--env", "LC_ALL=" + locale, "-c", script], env),
                    (["bash", "-c", "cd '%s' || exit; %s" % (work, script)], env)]
            others = [name for name in ("rg", "mawk") if name in c and shutil.which(name)]
            for name in others:
                other = c[name].replace("rg ", "rg -j1 --no-config ", 1) if name == "rg" else script.replace("awk", name, 1)
                runs.append((["bash", "-c", "cd '%s' || exit; %s" % (work, other)], env))
            w, t, *rest = best(runs, a.rounds)
            bad = w[3] != t[3]
            wrong += bad
            rows.append({"id": c["id"], "whelk": w[:3], "tools": t[:3], "cpu": w[0] / max(t[0], 1e-3),
                         "wall": w[1] / max(t[1], 1e-3)})
            beside = ""
            for name, one in zip(others, rest):
                rows[-1][name] = one[:3]
                beside += "  %s %7.3fs %6.2fx" % (name, one[0], w[0] / max(one[0], 1e-3))
            print("%-12s %7.3fs %7.3fs %6.1fMB  %7.3fs %7.3fs %8.1fMB %6.2fx %6.2fx%s%s" % (
                c["id"], w[0], w[1], w[2] / 1024, t[0], t[1], t[2] / 1024, rows[-1]["cpu"], rows[-1]["wall"], beside,
                "  WRONG OUTPUT" if bad else ""), flush=True)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    if a.json:
        json.dump({"size_mb": a.size, "rows": rows}, open(a.json, "w"), indent=1)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
