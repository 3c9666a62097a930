"""test_examples.py - the README's example and examples/ build against the library and do what they say

usage: test_examples.py PROJECT LIBWHELK.A CC [SANITIZERS]
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

PROJECT, ARCHIVE, CC = sys.argv[1:4]
SANITIZE = sys.argv[4] if len(sys.argv) > 4 else ""
WANTED = {
    "embed": "HELLO\nWORLD\n",
    "host_command": "hello bob\ngreet is /usr/bin/greet\nstatus 0\nwhelk: step limit reached\n"
                    "status 125, stopped by a limit\nadded /home/user/names\n",
}


def read(path):
    with open(os.path.join(PROJECT, path), encoding="utf-8") as f:
        return f.read()


def build_and_run(source, wanted, top):
    """What went wrong with this program, as text; nothing when all is well."""
    file, program = os.path.join(top, "example.c"), os.path.join(top, "example")
    with open(file, "w", encoding="utf-8") as f:
        f.write(source)
    libs = subprocess.run(["pkg-config", "--libs", "libpcre2-8", "zlib"], capture_output=True, text=True,
                          check=True).stdout
    flags = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    if SANITIZE:
        flags.append("-fsanitize=" + SANITIZE)
    done = subprocess.run([CC, *flags, "-I", os.path.join(PROJECT, "include"), file, ARCHIVE, "-o", program,
                           *shlex.split(libs), "-lpthread", "-lm"], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
    if (done.stdout, done.returncode) != (wanted, 0):
        return f"status {done.returncode}, printed:\n{done.stdout}{done.stderr}expected:\n{wanted}"
    return ""


def main():
    wrong = []
    readme = re.findall(r"```c\n(.*?)```", read("README.md"), re.DOTALL)
    if len(readme) != 1 or readme[0] != read("examples/embed.c"):
        wrong.append("README.md: its example is not examples/embed.c")
    names = sorted(n[:-2] for n in os.listdir(os.path.join(PROJECT, "examples")) if n.endswith(".c"))
    if names != sorted(WANTED):
        wrong.append(f"examples/: {names}, the test knows {sorted(WANTED)}")
    for name in WANTED:
        with tempfile.TemporaryDirectory(prefix="whelk-example-") as top:
            text = build_and_run(read(f"examples/{name}.c"), WANTED[name], top)
            if text:
                wrong.append(f"examples/{name}.c: {text}")
    print("\n".join(wrong) or f"{len(WANTED)} examples")
    sys.exit(1 if wrong else 0)


main()
