"""test_examples.py - the README's example and examples/ build against the library and do what they say; the pieces of
docs/sandboxes.md compile

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
    "sandbox": "HELLO\ntrouble\nstatus 3\nsrc/main.c:3:     return 0;\nbegins\nready\nended with 4\n",
    "sandbox_kind": " M main.c\n-> 0\ncc main.c\n-> 2\nsh: not found\n-> 127\n",
}
# What a piece of a program in a page stands in.
AROUND = """#include <stdio.h>
#include <whelk/delegate.h>
#include <whelk/sandbox_mock.h>
void piece(whelk_session *session, whelk_sandbox *box);
void piece(whelk_session *session, whelk_sandbox *box)
{
(void)session, (void)box;
%s}
"""


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


def compile_pieces(page):
    """What is wrong with the pieces of C in a page."""
    wrong = []
    pieces = re.findall(r"```c\n(.*?)```", read(page), re.DOTALL)
    if not pieces:
        wrong.append(f"{page}: there are none")
    for piece in pieces:
        done = subprocess.run([CC, "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I",
                               os.path.join(PROJECT, "include"), "-x", "c", "-"], input=AROUND % piece,
                              capture_output=True, text=True, check=False)
        if done.returncode:
            wrong.append(f"{page}: {piece}{done.stderr}")
    return wrong


def main():
    wrong = compile_pieces("docs/sandboxes.md")
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
