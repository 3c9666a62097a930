#!/usr/bin/env python3
"""Runs generated invocations of commands in bash with the real tools and in whelk, and tells where they differ.

    tests/live/commands/compare.py --whelk build/release/whelk --count 200 sort cut ls

An invocation is made from the productions of this directory (making.py says how) for a command and a number: the same number makes the same one. Standard
output, status and standard error are compared to the byte. What differs is cut down; if a class of the command in differences.py matches it
is counted there, else it is told. Without names all commands are run that have productions.

  --whelk PROGRAM --bash PROGRAM (/bin/bash)
  --count N       invocations a command (200)     --seed S    the first one's number (1)
  --jobs J (2)    --timeout SECONDS (10)
  --bulk B        so many invocations in one script, each in a directory of its own; those whose part differs run once more alone (1)
  --no-cut        tells what differs as it was made
  --print N       prints invocation N of the commands and ends
  --most M (5)    tells of the first M differences of a command
  --no-stderr     leaves standard error out
  --dry           makes them and runs nothing

Status 0 when nothing unknown differs, 1 when something does. Needs root (to become user 1000) or runs as who you are.
"""
import argparse
import collections
import importlib
import itertools
import multiprocessing
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import making  # noqa: E402
import shells  # noqa: E402

OPTIONS = None


def load_productions():
    for path in sorted(HERE.glob("make_*.py")):
        importlib.import_module(path.stem)


def settle(_, out, err):
    """Without the path of the script and the number of its line, which cutting down changes; quotes of messages as in the C locale."""
    err = re.sub(rb"^\S+: line \d+: ", b"LINE: ", err, flags=re.M).replace("‘".encode(), b"'").replace("’".encode(), b"'")
    return out, b"" if OPTIONS.no_stderr else err


def begin_work(options, count):
    global OPTIONS
    OPTIONS = options
    place = shells.become_user(options, count)
    load_productions()
    work.place = shells.Place(place, options, settle)


MARK = b"=@= end of one"


def bulk_script(invocations):
    """The invocations one behind the other, with a line on both outputs behind each."""
    text = ["mkdir " + " ".join(map(str, range(len(invocations))))]
    for at, lines in enumerate(invocations):
        text += [f"cd {at}", "(", *lines, ")", "cd ..", f"echo '{MARK.decode()}'; echo '{MARK.decode()}' >&2"]
    return ("\n".join(text) + "\n").encode("utf-8", "surrogateescape")


def suspects(name, numbers):
    """The numbers of those that may differ: one script runs them all."""
    if len(numbers) == 1:
        return numbers
    bash, ours = work.place.both(bulk_script([making.make(name, number) for number in numbers]), seconds=OPTIONS.timeout + len(numbers))
    bash, ours = (list(zip(*(part.split(MARK) for part in run[1:]))) for run in (bash, ours))
    if len(bash) != len(numbers) + 1 or len(ours) != len(numbers) + 1:
        return numbers
    return [number for number, a, b in zip(numbers, bash, ours) if a != b]


def work(task):
    name, numbers = task
    return [work_alone(name, number) for number in suspects(name, numbers)]


def work_alone(name, number):
    lines = making.make(name, number)
    work.place.head = [lines.pop(0)] if lines[0] == making.INSIDE else []
    different, bash, ours = work.place.differs(lines, seconds=OPTIONS.timeout)
    if not different:
        return name, number, None
    if not OPTIONS.no_cut:
        lines = work.place.cut(lines)
        _, bash, ours = work.place.differs(lines)
    known = next((c.name for c in importlib.import_module("differences").CLASSES.get(name, ()) if c.matches("\n".join(lines), bash, ours)), None)
    return name, number, (known, work.place.head + lines, bash, ours)


def tell(name, number, found):
    _, lines, bash, ours = found
    print(f"==== {name} {number}")
    print("\n".join(line[:600] for line in lines))
    for what, at in (("status", 0), ("stdout", 1), ("stderr", 2)):
        if bash[at] != ours[at]:
            print(f"-- {what}: real  {str(bash[at])[:1500]}\n   {' ' * len(what)}  whelk {str(ours[at])[:1500]}")
    sys.stdout.flush()


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    for name, default in (("--whelk", "build/release/whelk"), ("--bash", "/bin/bash")):
        parser.add_argument(name, default=default)
    for name, default in (("--count", 200), ("--seed", 1), ("--jobs", 2), ("--timeout", 10), ("--print", None), ("--most", 5), ("--bulk", 1)):
        parser.add_argument(name, type=int, default=default)
    for name in ("--dry", "--no-stderr", "--no-cut"):
        parser.add_argument(name, action="store_true")
    OPTIONS = parser.parse_args()
    OPTIONS.whelk = os.path.abspath(OPTIONS.whelk)
    load_productions()
    names = OPTIONS.names or sorted(making.COMMANDS)
    missing = [name for name in names if name not in making.COMMANDS]
    if missing:
        parser.error(f"no productions for {' '.join(missing)}")
    numbers = range(OPTIONS.seed, OPTIONS.seed + OPTIONS.count)
    if OPTIONS.print is not None:
        for name in names:
            print("\n".join(making.make(name, OPTIONS.print)))
        return 0
    if OPTIONS.dry:
        same = [name for name in names if len({"\n".join(making.make(name, number)) for number in numbers}) * 2 < len(numbers)]
        print(f"{len(names)} commands; in less than half of their invocations different: {' '.join(same) or 'none'}")
        return 1 if same else 0
    shells.prepare_tree()
    unknown, known = collections.Counter(), collections.Counter()
    with multiprocessing.Pool(OPTIONS.jobs, begin_work, (OPTIONS, shells.counter())) as pool:
        tasks = [(name, numbers[at:at + OPTIONS.bulk]) for name in names for at in range(0, len(numbers), OPTIONS.bulk)]
        for name, number, found in itertools.chain.from_iterable(pool.imap_unordered(work, tasks, chunksize=4 if OPTIONS.bulk == 1 else 1)):
            if found is None:
                continue
            if found[0]:
                known[name, found[0]] += 1
                continue
            unknown[name] += 1
            if unknown[name] <= OPTIONS.most:
                tell(name, number, found)
    shells.remove_places()
    for (name, what), times in sorted(known.items()):
        print(f"known: {times} {name}: {what}")
    for name, times in unknown.most_common():
        print(f"{times:6} {name}")
    print(f"{len(names)} commands, {OPTIONS.count} invocations each from {OPTIONS.seed}: {sum(unknown.values())} differ, {sum(known.values())} of known classes")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
