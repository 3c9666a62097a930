#!/usr/bin/env python3
"""Runs generated scripts in bash and in whelk, and tells where they differ.

    tests/live/language/compare.py --whelk build/release/whelk --count 50000 --seed 1

Each script is made from the productions of this directory (grammar.py says how) and a number; the same number makes the same script. Both shells
start in an empty directory of the same name with the same environment and user 1000; standard output, status and standard error are compared to the
byte. A script that differs is run again: when an outcome of one shell is one of the other's, it is unsteady, and only counted. Others
are cut down to what is needed for the difference; if that matches a class of differences.py it is counted there, else it is told. Standard error of no use to compare (a message that comes at a moment of its own) is for productions to redirect.

  --whelk PROGRAM --bash PROGRAM (/bin/bash)
  --count N       scripts (1000)          --seed S    the first one's number (1)
  --only PREFIX   statements whose construct starts so (repeatable)
  --no-cut        tells the numbers of what differs, whole, and cuts nothing down: forty times as fast where much differs
  --numbers FILE  the scripts whose numbers FILE has (the first word of each line) instead of --count from --seed
  --alone         a script is one statement, and the constructs take turns: tells where most is left to do
  --jobs J (2)    --timeout SECONDS (10)
  --keep DIR      writes what differs to DIR/N.sh, .bash and .whelk
  --print N       prints the script number N and ends
  --most M (400)  tells of the first M differences   --each E (3)  at most E of what looks like one sort
  --counts        how often each construct was shown
  --dry           makes the scripts and runs nothing; a construct in less than 1 % of them is a failure
  --no-stderr     leaves standard error out

Status 0 when nothing unknown differs, 1 when something does. Needs root (to become user 1000) or runs as who you are.
"""
import argparse
import collections
import importlib
import multiprocessing
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import grammar  # noqa: E402
import shells  # noqa: E402

OPTIONS = None


def load_productions(only):
    for path in sorted(HERE.glob("make_*.py")):
        importlib.import_module(path.stem)
    if only:
        keep = {c: f for c, f in grammar.STATEMENTS.items() if c.startswith(tuple(only))}
        grammar.STATEMENTS.clear()
        grammar.STATEMENTS.update(keep)


def known_classes():
    try:
        return importlib.import_module("differences").CLASSES
    except ImportError:
        return []


def settle(arguments, out, err):
    if "-x" in arguments:   # the stages of a pipeline are traced in any order
        err = b"\n".join(sorted(err.split(b"\n")))
    return without_numbers(out), b"" if OPTIONS.no_stderr else without_numbers(err)


def without_numbers(text):
    """Output without what is the machine's: numbers of processes where reports, traces and lists have them, times that were measured, the host's name,
    and COMP_WORDBREAKS, which bash lists only when it has been read."""
    text = re.sub(rb"(line \d+:) +\d+ ([A-Z][a-z]+)", rb"\1 PID \2", text)
    text = re.sub(rb"^((?:declare -\S+ )?(?:PPID|HOSTNAME)=).*$", rb"\1", text, flags=re.M)
    text = re.sub(rb"^(?:declare -\S+ )?COMP_WORDBREAKS=.*\n", b"", text, flags=re.M)
    text = re.sub(rb"\b(real|user|sys)([\t ])\d+(?:m[\d.]+s|\.\d+)", rb"\1\2", text)
    return re.sub(rb"^(\++ (?:(?:wait|kill|jobs|disown|fg|bg) |pp?=|q=))(.*)", lambda m: m[1] + re.sub(rb"\b\d+\b", b"PID", m[2]), text, flags=re.M)


def minimal(place, statements, how, arguments):
    for simpler in ([], None):      # without arguments of the shell, and as a file, if it then still differs
        tried = ("file", []) if simpler is None else (how, simpler)
        if (how, arguments) != tried and place.differs(statements, *tried)[0]:
            how, arguments = tried
    statements = place.cut(statements, how, arguments)
    lines = place.cut("\n".join(statements).split("\n"), how, arguments)
    if len(lines) <= 6:
        parted = [p for line in lines for p in line.replace("; ", ";\n").split("\n")]
        if place.differs(parted, how, arguments)[0]:
            lines = place.cut(parted, how, arguments)
    return lines, how, arguments


def work(task):
    number = task
    place = work.place
    statements, how, arguments, shown = (grammar.make_statement if OPTIONS.alone else grammar.make_script)(number)
    different, bash, ours = place.differs(statements, how, arguments, OPTIONS.timeout)
    if not different:
        return number, shown, None
    _, bash2, ours2 = place.differs(statements, how, arguments, OPTIONS.timeout)
    if {bash, bash2} & {ours, ours2}:       # what one does the other does, too, at another time
        return number, shown, ("unsteady", [], how, arguments, bash, ours)
    if OPTIONS.no_cut:
        lines = "\n".join(statements).split("\n")
    else:
        lines, how, arguments = minimal(place, statements, how, arguments)
        _, bash, ours = place.differs(lines, how, arguments)
    name = None if OPTIONS.no_cut else next((c.name for c in known_classes() if c.matches("\n".join(lines), bash, ours)), None)
    return number, shown, (name, lines, how, arguments, bash, ours)


def begin_work(options, only, count):
    global OPTIONS
    OPTIONS = options
    place = shells.become_user(options, count)
    load_productions(only)
    work.place = shells.Place(place, options, settle)


def tell(number, found):
    _, lines, how, arguments, bash, ours = found
    if OPTIONS.no_cut:
        place = f" {grammar.construct_alone(number)}" if OPTIONS.alone else ""
        print(f"{number}{place} {[what for what, at in (('status', 0), ('stdout', 1), ('stderr', 2)) if bash[at] != ours[at]]}")
        return
    print(f"==== {number} {how} {' '.join(arguments)}")
    print("\n".join(lines))
    for what, at in (("status", 0), ("stdout", 1), ("stderr", 2)):
        if bash[at] != ours[at]:
            print(f"-- {what}: bash  {bash[at]!r}\n   {' ' * len(what)}  whelk {ours[at]!r}")
    sys.stdout.flush()


def signature(found):
    """What differs, without the numbers and names that come from chance: differences of one sort are told a few times only."""
    bash, ours = found[4:]
    parts = []
    for at in range(3):
        if bash[at] == ours[at]:
            continue
        pairs = zip(str(bash[at]).split("\\n"), str(ours[at]).split("\\n")) if at == 2 else ()
        first = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
        parts.append((at, *(re.sub(r"[0-9]+", "0", re.sub(r"^.*?line [0-9]+: [^:]*", "", text)) for text in first)))
    return repr(parts) if len(parts) == 1 and parts[0][0] == 2 else f"{[p[0] for p in parts]} {found[1][-1].split(' ')[0]}"


def keep(directory, number, found):
    _, lines, _, _, bash, ours = found
    for suffix, what in ((".sh", "\n".join(lines).encode("utf-8", "surrogateescape") + b"\n"), (".bash", bash[1] + bash[2]), (".whelk", ours[1] + ours[2])):
        (pathlib.Path(directory) / f"{number}{suffix}").write_bytes(what)


def dry_run():
    counts = collections.Counter()
    for number in range(OPTIONS.seed, OPTIONS.seed + OPTIONS.count):
        counts.update(grammar.make_script(number)[3])
    rare = [c for c in sorted({*grammar.STATEMENTS, *grammar.WORDS, *grammar.MODES}) if counts[c] * 100 < OPTIONS.count]
    for construct in rare:
        print(f"{100 * counts[construct] / OPTIONS.count:6.2f} %  {construct}")
    print(f"{OPTIONS.count} scripts, {len(counts)} constructs, {len(rare)} of them in less than 1 %")
    return 1 if rare else 0


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("--whelk", "build/release/whelk"), ("--bash", "/bin/bash"), ("--keep", None), ("--numbers", None)):
        parser.add_argument(name, default=default)
    for name, default in (("--count", 1000), ("--seed", 1), ("--jobs", 2), ("--timeout", 10), ("--print", None), ("--most", 400), ("--each", 3)):
        parser.add_argument(name, type=int, default=default)
    parser.add_argument("--only", action="append", default=[])
    for name in ("--alone", "--counts", "--dry", "--no-stderr", "--no-cut"):
        parser.add_argument(name, action="store_true")
    OPTIONS = parser.parse_args()
    OPTIONS.whelk = os.path.abspath(OPTIONS.whelk)
    load_productions(OPTIONS.only)
    numbers = range(OPTIONS.seed, OPTIONS.seed + OPTIONS.count)
    if OPTIONS.numbers:
        numbers = [int(line.split()[0]) for line in pathlib.Path(OPTIONS.numbers).read_text().splitlines() if line[:1].isdigit()]
        OPTIONS.count = len(numbers)
    if OPTIONS.print is not None:
        statements, how, arguments, _ = grammar.make_script(OPTIONS.print)
        print(f"# {how} {' '.join(arguments)}")
        print("\n".join(statements))
        return 0
    if OPTIONS.dry:
        return dry_run()
    shells.prepare_tree()
    if OPTIONS.keep:
        pathlib.Path(OPTIONS.keep).mkdir(parents=True, exist_ok=True)
    counts, classes, sorts, places = (collections.Counter() for _ in range(4))
    unknown = unsteady = 0
    with multiprocessing.Pool(OPTIONS.jobs, begin_work, (OPTIONS, OPTIONS.only, shells.counter())) as pool:
        for number, shown, found in pool.imap_unordered(work, numbers, chunksize=1 if OPTIONS.numbers else 8):
            counts.update(shown)
            if found is None:
                continue
            if found[0] == "unsteady":
                unsteady += 1
                continue
            if found[0] is not None:
                classes[found[0]] += 1
                continue
            unknown += 1
            sorts[signature(found)] += 1
            if OPTIONS.alone:
                places[grammar.construct_alone(number)] += 1
            if OPTIONS.keep:
                keep(OPTIONS.keep, number, found)
            if OPTIONS.no_cut or (unknown <= OPTIONS.most and sorts[signature(found)] <= OPTIONS.each):
                tell(number, found)
    shells.remove_places()
    if OPTIONS.counts:
        for construct, times in sorted(counts.items(), key=lambda item: item[1]):
            print(f"{100 * times / OPTIONS.count:6.2f} %  {construct}")
    for name, times in sorts.most_common(20):
        print(f"{times:6} {name}")
    for name, times in places.most_common():
        print(f"{times:6} {name}")
    for name, times in classes.most_common():
        print(f"known: {times} {name}")
    print(f"{OPTIONS.count} scripts from {OPTIONS.seed}: {unknown} differ, {sum(classes.values())} of known classes, {unsteady} unsteady")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
