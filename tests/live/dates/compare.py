#!/usr/bin/env python3
"""Reads generated dates with the real date and with whelk's, and tells where they differ.

    tests/live/dates/compare.py --whelk build/release/whelk --count 20000 --seed 1

strings.py makes a string from a number; the same number makes the same string. Both tools read a row of them with `date -f`, at a clock that stands
still (clock.c for the real one, `--clock fixed:T` for whelk) and in a zone: 20 instants, 6 zones, and each string in --each of the 120 pairs. Lines of
standard output and standard error are compared to the byte, in order. Strings of what differs are cut down word by word.

  --whelk PROGRAM --date PROGRAM (/usr/bin/date)
  --count N       strings (2000)          --seed S    the first one's number (1)
  --each E        pairs of instant and zone for each string (3); 120 is all
  --debug         with date's --debug, whose lines are compared, too (the strings one by one)
  --formats N     formats instead of strings: N of them, each printing 60 instants from the year -5000 to 20000 in every zone
  --jobs J (2)    --print N   prints the string number N and ends
  --most M (40)   tells of the first M strings that differ
  --no-cut        cuts nothing down

Status 0 when nothing differs, 1 when something does. The real date runs as nobody when this is started by root.
"""
import argparse
import atexit
import multiprocessing
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import strings  # noqa: E402

NOBODY = 65534
ZONES = ["UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "<-0330>3:30<-0230>,M3.2.0/0:01,M11.1.0/0:01"]
# The days around changes of those zones, leap days, ends of months, years and of 32 bits.
INSTANTS = ["1", "86399", "68169600", "951782400.5", "951868799", "1078056000", "1143359999", "1199145599.999999999", "1234567890.123456789", "1330516800",
            "1456704000", "1700000000", "1709210096", "1710054000", "1711846800", "1717200000", "1730012400", "1735689599", "2147483647", "4102444800"]
FORMAT = "+%F %T.%N %Z %z"
OPTIONS = None


def limit():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 27, 1 << 27))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


class Place:
    def __init__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="whelk-dates-"))
        self.dir.chmod(0o755)
        atexit.register(shutil.rmtree, self.dir, True)
        self.clock = self.dir / "clock.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(self.clock), str(HERE / "clock.c")], check=True)

    def real(self, instant, zone, arguments):
        env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": zone, "LIVE_CLOCK": instant_text(instant), "LD_PRELOAD": str(self.clock)}
        return subprocess.run(["stdbuf", "-oL", OPTIONS.date, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env,
                              cwd=self.dir, preexec_fn=limit, timeout=120).stdout.replace(OPTIONS.date.encode() + b": ", b"date: ")

    def ours(self, instant, zone, arguments):
        command = [OPTIONS.whelk, "--clock", f"fixed:{instant}", "--env", f"TZ={zone}", "--env", "LC_ALL=C", "--mount", f"{self.dir}:{self.dir}:ro", "-c",
                   'date "$@" 2>&1', "bash", *arguments]
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.dir, timeout=120).stdout

    def both(self, instant, zone, arguments):
        return self.real(instant, zone, arguments), self.ours(instant, zone, arguments)

    def differs(self, text, instant, zone, more=()):
        try:
            real, ours = self.both(instant, zone, ["-d", text, *more, FORMAT])
        except ValueError:      # a NUL
            return False
        return real != ours


def instant_text(instant):
    """For clock.c: nine digits behind the point."""
    whole, _, rest = instant.partition(".")
    return f"{whole}.{rest.ljust(9, '0')}"


def row_of(place, numbers, instant, zone, name):
    """The strings of one pair, read with -f: numbers of those that differ, with both outcomes."""
    path = place.dir / name
    path.write_text("".join(strings.make_string(n) + "\n" for n in numbers))
    real, ours = (out.split(b"\n") for out in place.both(instant, zone, ["-f", str(path), FORMAT]))
    path.unlink()
    if len(real) != len(numbers) + 1 or len(ours) != len(numbers) + 1:
        return [(numbers[0], instant, zone, b"%d lines" % len(real), b"%d lines" % len(ours))]
    return [(n, instant, zone, a, b) for n, a, b in zip(numbers, real, ours) if a != b]


def one_by_one(place, numbers, instant, zone):
    found = []
    for n in numbers:
        real, ours = place.both(instant, zone, ["--debug", "-d", strings.make_string(n), FORMAT])
        if real != ours:
            found.append((n, instant, zone, real, ours))
    return found


def format_of(place, number):
    r = random.Random(number)
    path = place.dir / f"f{number}"
    path.write_text("".join(f"@{r.randint(-220000000000, 570000000000) if k % 3 else r.randint(0, 4000000000)}.{r.randint(0, 999999999):09}\n" for k in range(60)))
    found, text = [], strings.make_format(number)
    for zone in ZONES:
        real, ours = place.both("1", zone, ["-f", str(path), "+" + text])
        if real != ours:
            pairs = list(zip(real.split(b"\n"), ours.split(b"\n"), path.read_text().split("\n")))
            first = next(((a, b, at) for a, b, at in pairs if a != b), (real, ours, ""))
            found.append((f"+{text}", first[2], zone, first[0], first[1]))
    path.unlink()
    return found


def begin(options):
    global OPTIONS
    OPTIONS = options
    begin.place = Place()


def work(task):
    kind, *rest = task
    if kind == "formats":
        return [f for number in rest[0] for f in format_of(begin.place, number)]
    numbers, instant, zone, name = rest
    if OPTIONS.debug:
        return one_by_one(begin.place, numbers, instant, zone)
    return row_of(begin.place, numbers, instant, zone, name)


def cut(place, text, instant, zone, more):
    """A shorter string that still differs."""
    if not place.differs(text, instant, zone, more):
        return text + "   (only behind others)"
    size = max(1, len(text) // 2)
    while True:
        at = 0
        while at < len(text):
            fewer = text[:at] + text[at + size:]
            if place.differs(fewer, instant, zone, more):
                text = fewer
            else:
                at += size
        if size == 1:
            return text
        size //= 2


def tasks():
    if OPTIONS.formats:
        return [("formats", range(at, min(at + 20, OPTIONS.seed + OPTIONS.formats))) for at in range(OPTIONS.seed, OPTIONS.seed + OPTIONS.formats, 20)]
    pairs = [(i, z) for i in INSTANTS for z in ZONES]
    rows = [[] for _ in pairs]
    for n in range(OPTIONS.seed, OPTIONS.seed + OPTIONS.count):
        for at in random.Random(n).sample(range(len(pairs)), min(OPTIONS.each, len(pairs))):
            rows[at].append(n)
    return [("row", row, *pair, f"r{at}") for at, (row, pair) in enumerate(zip(rows, pairs)) if row]


def tell(place, found):
    shown = {}
    for what, *rest in found:
        shown.setdefault(what, rest)
    for what, (instant, zone, real, ours) in list(shown.items())[:OPTIONS.most]:
        if isinstance(what, int):
            text = strings.make_string(what)
            if not OPTIONS.no_cut:
                text = cut(place, text, instant, zone, ["--debug"] if OPTIONS.debug else [])
                real, ours = place.both(instant, zone, ["-d", text, *(["--debug"] if OPTIONS.debug else []), FORMAT])
            what = f"{what} {text!r}"
        print(f"==== {what} at {instant} in {zone}\n  date  {real.decode(errors='replace')}\n  whelk {ours.decode(errors='replace')}")
    return len(shown)


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("--whelk", "build/release/whelk"), ("--date", "/usr/bin/date")):
        parser.add_argument(name, default=default)
    for name, default in (("--count", 2000), ("--seed", 1), ("--each", 3), ("--formats", 0), ("--jobs", 2), ("--print", None), ("--most", 40)):
        parser.add_argument(name, type=int, default=default)
    for name in ("--no-cut", "--debug"):
        parser.add_argument(name, action="store_true")
    OPTIONS = parser.parse_args()
    OPTIONS.whelk = os.path.abspath(OPTIONS.whelk)
    if OPTIONS.print is not None:
        print(strings.make_format(OPTIONS.print) if OPTIONS.formats else strings.make_string(OPTIONS.print))
        return 0
    found, jobs = [], tasks()
    with multiprocessing.Pool(OPTIONS.jobs, begin, (OPTIONS,)) as pool:
        for part in pool.imap_unordered(work, jobs):
            found += part
    differ = tell(Place(), found)
    if OPTIONS.formats:
        print(f"{OPTIONS.formats} formats from {OPTIONS.seed}: {differ} differ, in {len(found)} of {OPTIONS.formats * len(ZONES)} runs")
    else:
        print(f"{OPTIONS.count} strings from {OPTIONS.seed}: {differ} differ, in {len(found)} of {sum(len(t[1]) for t in jobs)} readings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
