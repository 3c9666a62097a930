#!/usr/bin/env python3
"""Runs the project's own benchmark cases on whelk, bash and dash in one go and prints CPU times and ratios.

usage: run.py --whelk PROGRAM [--bench WORKER] [--filter TEXT] [--rounds N] [--json FILE]

CPU time is user + system of the process and its children, the least of the rounds. A case of bash that
takes long runs fewer turns ("scale" of them for whelk): the ratio is per turn. "goal" is a ratio to bash
that must hold; the exit status is 1 when one does not."""
import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def cpu(argv, cwd):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = subprocess.run(argv, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    t = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return t, p.stdout, p.returncode


def measure(argv, script, turns, start, rounds):
    """Nanoseconds a turn, and the output."""
    best, out = None, None
    for _ in range(rounds):
        cwd = tempfile.mkdtemp(prefix="whelk-bench.")
        try:
            t, out, _ = cpu(argv + [script], cwd)
        finally:
            shutil.rmtree(cwd, ignore_errors=True)
        best = t if best is None else min(best, t)
    return max(best - start, 1e-6) / turns * 1e9, out


def show(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return "%.2f %s" % (ns / size, unit)
    return "%.1f ns" % ns


def sessions(worker):
    """Median of opening a session, one run of it, and both, from the in-process worker."""
    req = {"id": "session", "script": "echo hi", "repeat": 10000, "warmup": 100, "fixtures": {"paths": []},
           "default_limits": True}
    p = subprocess.run([worker], input=json.dumps(req) + "\n", capture_output=True, text=True)
    a = json.loads(p.stdout.splitlines()[1])
    return a["ns_create_median"], a["ns_cpu_median"]


PIECE = """# a function like many others
install_%d() {
    local src=$1 dst="${2:-/usr/local}/lib" mode=0644 i
    if [[ ! -d $dst && -n "$src" ]]; then
        mkdir -p "$dst" || return 1
    fi
    for i in "$src"/*.so "$src"/*.a; do
        case ${i##*/} in
            lib*.so) mode=0755 ;;
            *.a | *.la) mode=$((0644 & ~022)) ;;
        esac
        cp "$i" "$dst/$(basename "$i")" && chmod "$mode" "$dst/${i##*/}" >/dev/null 2>&1
    done
    while read -r name value; do printf '%%s=%%s\n' "$name" "$value"; done <"$src/list" | sort >"$dst/list"
}
"""


def parse(shells, start, rounds):
    """MB/s of reading a script of some 4 MB without running it."""
    text = "".join(PIECE % i for i in range(5500))
    row = {"id": "parse", "bytes": len(text)}
    with tempfile.TemporaryDirectory(prefix="whelk-bench.") as d:
        path = os.path.join(d, "big.sh")
        open(path, "w").write(text)
        for name, argv in shells.items():
            if name == "dash":
                continue
            t = min(cpu([argv[0], "-n", path], d)[0] for _ in range(rounds)) - start[name]
            row[name] = len(text) / 1e6 / max(t, 1e-6)
    row["goal_mb_s"] = 40
    late = row["whelk"] < 40
    print("%-16s %7.1f MB/s %7.1f MB/s %31s%s" % ("parse", row["whelk"], row["bash"], ">= 40 MB/s",
                                                  "  MISSED" if late else ""))
    return row, late


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--whelk", required=True)
    ap.add_argument("--bench")
    ap.add_argument("--filter", default="")
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--json")
    a = ap.parse_args()
    shells = {"whelk": [os.path.abspath(a.whelk), "-c"], "bash": ["bash", "--norc", "--noprofile", "-c"]}
    if shutil.which("dash"):
        shells["dash"] = ["dash", "-c"]
    start = {n: min(cpu(v + [":"], "/")[0] for _ in range(20)) for n, v in shells.items()}
    print("start of a process: " + ", ".join("%s %s" % (n, show(t * 1e9)) for n, t in start.items()))
    print("%-16s %12s %12s %12s %10s %8s" % ("case", "whelk", "bash", "dash", "to bash", "goal"))
    rows, missed = [], 0
    for c in json.load(open(os.path.join(HERE, "cases.json"))):
        if a.filter not in c["id"]:
            continue
        if c.get("inner"):
            if a.bench:
                create, run = sessions(os.path.abspath(a.bench))
                print("%-16s open %s, run `echo hi` %s (CPU)" % (c["id"], show(create), show(run)))
                rows.append({"id": c["id"], "create_ns": create, "run_ns": run})
            continue
        row = {"id": c["id"], "goal": c.get("goal")}
        outs = {}
        for name, argv in shells.items():
            if name == "dash" and not c.get("dash"):
                continue
            turns = c["n"] * (c.get("scale", 1) if name == "whelk" else 1)
            row[name], outs[name] = measure(argv, c["script"].replace("@N", str(turns)), turns, start[name],
                                            a.rounds)
        ratio = row["ratio"] = row["whelk"] / row["bash"]
        wrong = c.get("scale", 1) == 1 and outs["whelk"] != outs["bash"]
        late = c.get("goal") and ratio > c["goal"]
        missed += bool(wrong or late)
        print("%-16s %12s %12s %12s %9.4fx %8s%s" % (
            c["id"], show(row["whelk"]), show(row["bash"]), show(row["dash"]) if "dash" in row else "",
            ratio, c.get("goal", ""), "  WRONG OUTPUT" if wrong else "  MISSED" if late else ""))
        rows.append(row)
    if a.filter in "parse":
        row, late = parse(shells, start, a.rounds)
        rows.append(row)
        missed += late
    if a.json:
        json.dump({"start": start, "rows": rows}, open(a.json, "w"), indent=1)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
