#!/usr/bin/env python3
"""sandboxes.py - what sandboxes and delegated commands cost, on this machine and in containers of an engine of its own

usage: sandboxes.py PROGRAM [--kinds inprocess,host,docker] [--megabytes N]
PROGRAM is bench-sandboxes. Docker is passed over, aloud, where no dockerd can be started. ./dev bench sandboxes --megabytes
10000 is the long run of ten gigabytes.
"""
import argparse
import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "docker"))
import engine  # noqa: E402  pylint: disable=wrong-import-position

OWN_TURNS = 10


def show(name, value, unit, goal=""):
    print(f"{name:<44} {value:10.2f} {unit:<5} {goal}", flush=True)


def engines_own(e, image):
    """What the engine itself takes to make and start a container that does nothing."""
    took = []
    for _ in range(OWN_TURNS):
        start = time.monotonic()
        status, made = e.api("POST", "/containers/create", {"Image": image, "Cmd": ["/bin/sh", "-c", "read x"], "OpenStdin": True,
                                                            "HostConfig": {"NetworkMode": "none"}})
        if status != 201:
            raise RuntimeError(made)
        e.api("POST", f"/containers/{made['Id']}/start")
        took.append((time.monotonic() - start) * 1e3)
        e.api("DELETE", f"/containers/{made['Id']}?force=true")
    return statistics.median(took)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("program")
    p.add_argument("--kinds", default="inprocess,host,docker")
    p.add_argument("--megabytes", default="100")
    a = p.parse_args()
    env = {**os.environ, "ALLOW_DANGEROUS_LOCAL_HOST": "1"}
    status = 0
    for kind in a.kinds.split(","):
        print(f"== {kind}", flush=True)
        if kind != "docker":
            status |= subprocess.run([a.program, kind, "", "", a.megabytes], env=env, check=False).returncode
            continue
        try:
            with engine.Docker() as e:
                image = e.load("small")
                show("the engine's create and start, median", engines_own(e, image), "ms")
                status |= subprocess.run([a.program, kind, image, "unix://" + e.socket, a.megabytes], env=env, check=False).returncode
        except engine.Unavailable as why:
            print(f"skipped: {why}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
