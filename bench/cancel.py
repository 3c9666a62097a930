#!/usr/bin/env python3
"""How soon a run ends after whelk_cancel from another thread: the scripts of tests/api/test_cancel.c, one at a time.

usage: cancel.py LIBWHELK.so [--rounds N] [--goal-ms MS] [--filter TEXT]

Prints for each the most time of the processor that was used after the call, and the longest time that passed (which
the machine's other work adds to); the exit status is 1 when the former is past the goal."""
import argparse
import ctypes as C
import os
import re
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class Limits(C.Structure):
    _fields_ = [("size", C.c_size_t)] + [(n, C.c_uint64) for n in (
        "memory_bytes", "time_ns", "steps", "output_bytes", "tasks", "descriptors", "depth", "nesting",
        "expansion_bytes", "regex_steps", "file_bytes", "files", "file_size")]


class Options(C.Structure):
    _fields_ = [("size", C.c_size_t), ("env", C.c_void_p), ("n_env", C.c_size_t), ("cwd", C.c_char_p),
                ("user", C.c_char_p), ("uid", C.c_uint32), ("gid", C.c_uint32), ("hostname", C.c_char_p),
                ("clock", C.c_int), ("clock_start_ns", C.c_int64), ("seed", C.c_uint64), ("limits", C.POINTER(Limits)),
                ("mounts", C.c_void_p), ("n_mounts", C.c_size_t), ("files", C.c_void_p), ("n_files", C.c_size_t),
                ("snapshot", C.c_void_p), ("umask", C.c_uint32)]


def scripts():
    text = open(os.path.join(HERE, "..", "tests", "api", "test_cancel.c")).read()
    for block in re.findall(r"scripts\[\] = \{(.*?)\};", text, re.S):
        for s in re.findall(r'^ *"((?:[^"\\]|\\.)*)"', block, re.M) + re.findall(r', "((?:[^"\\]|\\.)*)"', block):
            yield s.replace("\\\\", "\\").replace('\\"', '"')


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("lib")
    ap.add_argument("--rounds", type=int, default=5)
    ap.add_argument("--goal-ms", type=float, default=10)
    ap.add_argument("--filter", default="")
    a = ap.parse_args()
    lib = C.CDLL(os.path.abspath(a.lib))
    runtime, result = C.c_void_p(), C.c_void_p()
    lib.whelk_runtime_new(None, C.byref(runtime))
    limits = Limits(C.sizeof(Limits), 4 << 30)
    for name in ("output_bytes", "file_bytes", "file_size"):
        setattr(limits, name, 1 << 40)
    limits.files = 10000000
    options = Options()
    lib.whelk_session_options_init(C.byref(options))
    options.limits = C.pointer(limits)
    clock = time.pthread_getcpuclockid(threading.get_ident())
    rows = []
    for script in scripts():
        if a.filter not in script:
            continue
        late = used = 0
        for i in range(a.rounds):
            session, at = C.c_void_p(), [0.0, 0.0]
            lib.whelk_session_open(runtime, C.byref(options), C.byref(session))
            make = b"mkdir -p /t; cd /t; mkdir {1..40}; for d in *; do touch $d/{1..100}; done; cd /tmp"
            if "/t " in script or "/t;" in script:
                lib.whelk_exec(session, make, C.byref(result))

            done = threading.Event()

            def cancel():
                while not done.wait(0.03 + 0.017 * i):  # again when the run had not begun yet
                    at[:] = time.monotonic(), time.clock_gettime(clock)
                    lib.whelk_cancel(session)

            t = threading.Thread(target=cancel)
            t.start()
            lib.whelk_exec(session, script.encode(), C.byref(result))
            end = time.monotonic(), time.clock_gettime(clock)
            done.set()
            t.join()
            late = max(late, (end[0] - at[0]) * 1e3)
            used = max(used, (end[1] - at[1]) * 1e3)
            lib.whelk_session_close(session)
        rows.append((used, late, script))
    for used, late, script in sorted(rows):
        print("%8.2f ms %8.2f ms  %s" % (used, late, script))
    return 1 if rows and max(rows)[0] > a.goal_ms else 0


if __name__ == "__main__":
    sys.exit(main())
