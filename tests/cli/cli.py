"""cli.py - what the tests of the whelk program share: running it, and a tiny collector of tests.

usage of a test file: test_NAME.py WHELK [TEST…]
"""
import os
import subprocess
import sys
import tempfile
import traceback

WHELK = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
SECONDS = 60


class Result:
    def __init__(self, done):
        self.status = 128 - done.returncode if done.returncode < 0 else done.returncode
        self.signal = -done.returncode if done.returncode < 0 else 0
        self.out = done.stdout
        self.err = done.stderr


def whelk(*args, stdin=b"", cwd=None, env=None):
    """Runs the program; its output as bytes. A crash of the program itself fails the test."""
    done = subprocess.run([WHELK, *args], input=stdin, capture_output=True, timeout=SECONDS,
                          cwd=cwd, env=env, check=False)
    result = Result(done)
    if result.signal or b"Sanitizer" in result.err or b"runtime error" in result.err:
        raise AssertionError(f"whelk {args!r} ended by signal {result.signal}: "
                             f"{result.err[-2000:].decode('utf-8', 'replace')}")
    return result


def same(got, want, what=""):
    if got != want:
        raise AssertionError(f"{what or 'value'}: {got!r}, expected {want!r}")


def holds(part, whole):
    if part not in whole:
        raise AssertionError(f"{part!r} is not in {whole[-500:]!r}")


def scratch():
    """A temporary directory, removed at the end of `with`."""
    return tempfile.TemporaryDirectory(prefix="whelk-cli-")


def main(tests):
    """Runs every function whose name starts with test_; the process's status is the number that failed."""
    chosen = sys.argv[2:]
    failed = 0
    names = [n for n in tests if n.startswith("test_") and (not chosen or n in chosen)]
    for name in names:
        try:
            tests[name]()
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print(f"FAILED {name}")
            traceback.print_exc(limit=-2, file=sys.stdout)
    print(f"{len(names)} tests, {failed} failed")
    sys.exit(1 if failed else 0)
