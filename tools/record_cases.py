#!/usr/bin/env python3
"""Fills case files with what the real bash and tools print, and compares whelk with them.

usage: record_cases.py [--force] [--err] [--dry-run] FILE…
       record_cases.py --live WHELK [--err] [--filter TEXT] FILE…

Each case runs as `bash -c RUN bash ARG…` in the empty directory /tmp/whelk-case, with the files the
case names, LC_ALL=C.UTF-8, TZ=UTC, umask 022, a fixed PATH, and (when started by root) as user 1000.
Recording fills the parts out and status; err and tree only where the case has such a part (err
everywhere with --err). What is already recorded is compared: a change is shown as a diff and only
written with --force. Parts after `differs` are whelk's own and never touched.
--live runs the whelk program on the same cases and prints where stdout, status (stderr with --err)
are not those of bash at this moment. The format of case files is in tests/README.md.
"""
import argparse
import base64
import difflib
import fcntl
import hashlib
import os
import re
import shutil
import signal
import stat
import subprocess
import sys

CASE_DIR = "/tmp/whelk-case"
ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": CASE_DIR, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
USER = 1000
TIMEOUT = 20
TREE_SHOW = 4096
BODY_PARTS = ("file", "in", "run", "args", "out", "err", "tree")
LINE_PARTS = ("status", "differs", "from", "spec", "needs")


class Part:
    def __init__(self, word, rest):
        self.word = word
        self.rest = rest
        self.lines = []  # raw, with line ends

    def flags(self):
        return self.rest.split()

    def data(self):
        """The decoded body."""
        text = b"".join(re.sub(rb"^\\(\\*(---|===))", rb"\1", x) for x in self.lines)
        if "base64" in self.flags():
            return base64.b64decode(text)
        if "no-newline" in self.flags() and text.endswith(b"\n"):
            text = text[:-1]
        return text

    def text(self):
        head = f"--- {self.word} {self.rest}".rstrip().encode("utf-8", "surrogateescape")
        return head + b"\n" + b"".join(self.lines)


def make_part(word, data):
    """A part whose body is these bytes."""
    try:
        text = data.decode("utf-8")
        plain = not re.search(r"[\0-\x08\x0b-\x1f\x7f]", text)
    except UnicodeDecodeError:
        plain = False
    if not plain:
        part = Part(word, "base64")
        coded = base64.b64encode(data).decode()
        part.lines = [(coded[i:i + 76] + "\n").encode() for i in range(0, len(coded), 76)]
        return part
    part = Part(word, "")
    if data and not data.endswith(b"\n"):
        part.rest = "no-newline"
        data += b"\n"
    part.lines = [re.sub(rb"^(\\*(---|===))", rb"\\\1", x) for x in data.splitlines(True)]
    return part


class Case:
    def __init__(self, name):
        self.name = name
        self.parts = []
        self.tail = []  # blank lines and comments behind it

    def find(self, word):
        """The tool's part of that name: not one behind `differs`."""
        for part in self.parts:
            if part.word == "differs":
                return None
            if part.word == word:
                return part
        return None

    def has(self, word):
        return any(p.word == word for p in self.parts)

    def put(self, part, after):
        """Replaces the part of that name, or adds it behind the last of `after`."""
        old = self.find(part.word)
        if old:
            self.parts[self.parts.index(old)] = part
            return
        at = 0
        for i, p in enumerate(self.parts):
            if p.word == "differs":
                break
            if p.word in after:
                at = i + 1
        self.parts.insert(at, part)

    def text(self):
        head = f"=== {self.name}\n".encode("utf-8", "surrogateescape")
        return head + b"".join(p.text() for p in self.parts) + b"".join(self.tail)


def parse(path):
    head, cases, part = [], [], None
    with open(path, "rb") as f:
        for raw in f.read().splitlines(True):
            if raw.startswith(b"=== "):
                # One empty line in front of a case only separates.
                before = part.lines if part else cases[-1].tail if cases else head
                if cases and before and before[-1] == b"\n":
                    before.pop()
                cases.append(Case(raw[4:].decode("utf-8", "surrogateescape").strip()))
                part = None
            elif raw.startswith(b"--- "):
                word, _, rest = raw[4:].decode("utf-8", "surrogateescape").strip().partition(" ")
                if word not in BODY_PARTS + LINE_PARTS:
                    sys.exit(f"{path}: unknown part '{word}' in case '{cases[-1].name}'")
                current = Part(word, rest.strip())
                cases[-1].parts.append(current)
                part = current if word in BODY_PARTS else None
            elif part:
                part.lines.append(raw if raw.endswith(b"\n") else raw + b"\n")
            elif cases:
                cases[-1].tail.append(raw)
            else:
                head.append(raw)
    return head, cases


# ---- running ------------------------------------------------------------------------------------

def prepare(case, top):
    """The case's files below top, owned by the user that runs it."""
    shutil.rmtree(top, ignore_errors=True)
    os.makedirs(top)
    for part in case.parts:
        if part.word != "file":
            continue
        words = part.flags()
        path = os.path.join(top, words[0])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(part.data())
        mode = next((int(w, 8) for w in words[1:] if re.fullmatch(r"[0-7]{3}", w)), 0o644)
        os.chmod(path, mode)
    if os.geteuid() == 0:
        for directory, _, files in os.walk(top):
            os.chown(directory, USER, USER)
            for name in files:
                os.lchown(os.path.join(directory, name), USER, USER)


def drop():
    for number in (signal.SIGINT, signal.SIGQUIT):  # a shell cannot take back what was ignored when it began
        signal.signal(number, signal.SIG_DFL)
    os.umask(0o022)
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(USER)
        os.setuid(USER)


def run(argv, case, cwd):
    args = [a.decode("utf-8", "surrogateescape")
            for p in case.parts if p.word == "args" for a in p.data().splitlines()]
    stdin = next((p.data() for p in case.parts if p.word == "in"), b"")
    script = next(p.data() for p in case.parts if p.word == "run")
    child = subprocess.Popen(argv + ["-c", script, "bash"] + args, cwd=cwd, env=ENV,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             preexec_fn=drop, start_new_session=True)
    try:
        out, err = child.communicate(stdin, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        out, err = child.communicate()
        return out, err, None
    status = child.returncode
    return out, err, 128 - status if status < 0 else status


def run_bash(case):
    prepare(case, CASE_DIR)
    result = run(["bash"], case, CASE_DIR)
    tree = list_tree(CASE_DIR) if case.has("tree") else None
    remove(CASE_DIR)
    return result + (tree,)


def run_whelk(case, whelk):
    top = CASE_DIR + ".live"
    prepare(case, top)
    argv = [whelk, "--mount", f"{top}:{CASE_DIR}:overlay", "--cwd", CASE_DIR]
    for name, value in ENV.items():
        argv += ["--env", f"{name}={value}"]
    result = run(argv, case, "/")
    remove(top)
    return result


def remove(top):
    for directory, dirs, _ in os.walk(top):
        for d in dirs:
            full = os.path.join(directory, d)
            if not os.path.islink(full):
                os.chmod(full, 0o755)
    shutil.rmtree(top, ignore_errors=True)


def list_tree(top):
    """What tests/harness prints for the files left behind."""
    out = []

    def visit(directory, prefix):
        for name in sorted(os.listdir(directory.encode())):
            full = os.path.join(directory.encode(), name)
            st = os.lstat(full)
            rel = prefix + name
            mode = b"%03o " % stat.S_IMODE(st.st_mode)
            if stat.S_ISDIR(st.st_mode):
                out.append(b"d " + mode + rel + b"\n")
                visit(os.fsdecode(full), rel + b"/")
            elif stat.S_ISREG(st.st_mode):
                out.append(b"f " + mode + rel + b"\n")
                with open(full, "rb") as f:
                    data = f.read()
                if b"\0" in data or len(data) > TREE_SHOW:
                    digest = hashlib.sha256(data).hexdigest()
                    out.append(f"# {len(data)} bytes, sha256 {digest}\n".encode())
                    continue
                for line in data.split(b"\n")[:-1]:
                    out.append(b"| " + line + b"\n")
                if data and not data.endswith(b"\n"):
                    out.append(b"| " + data.split(b"\n")[-1] + b"\n\\ no newline\n")
            else:
                letter = b"l " if stat.S_ISLNK(st.st_mode) else (
                    b"p " if stat.S_ISFIFO(st.st_mode) else b"? ")
                out.append(letter + rel + b"\n")

    visit(top, b"")
    return b"".join(out)


# ---- what the two modes do ------------------------------------------------------------------------

def versions():
    def first(cmd):
        try:
            out = subprocess.run(cmd, capture_output=True, text=True, check=False).stdout
        except OSError:
            return ""
        m = re.search(r"(\d+\.\d+(\.\d+)?)", out)
        return m.group(1) if m else ""
    return f"bash {first(['bash', '--version'])}, coreutils {first(['ls', '--version'])}"


def missing_tool(case):
    for part in case.parts:
        if part.word == "needs":
            for tool in part.rest.split():
                if not shutil.which(tool, path=ENV["PATH"]):
                    return tool
    return None


def show_diff(case, word, old, new):
    print(f"{case.name}: {word} changes")
    old = old.decode("utf-8", "replace").splitlines()
    new = new.decode("utf-8", "replace").splitlines()
    for line in difflib.unified_diff(old, new, "recorded", "now", lineterm="", n=1):
        print("    " + line)


def record_case(case, opts, stamp):
    """True when the case was changed."""
    tool = missing_tool(case)
    if tool:
        print(f"{case.name}: skipped, {tool} is not installed")
        return False
    out, err, status, tree = run_bash(case)
    if status is None:
        print(f"{case.name}: did not end within {TIMEOUT} s, left alone")
        return False
    new = [("out", out)]
    if opts.err or case.find("err"):
        new.append(("err", err))
    if case.find("tree"):
        new.append(("tree", tree))
    order = ["file", "in", "args", "run"]
    fresh = case.find("out") is None
    changed = False
    for word, data in new:
        old = case.find(word)
        if not old or not old.lines and fresh or old.data() != data:
            if old and not fresh:
                show_diff(case, word, old.data(), data)
            if fresh or opts.force:
                case.put(make_part(word, data), order)
                changed = True
        order.append(word)
    old = case.find("status")
    if (int(old.rest) if old else 0) != status:
        if not fresh:
            print(f"{case.name}: status changes from {old.rest if old else 0} to {status}")
        if fresh or opts.force:
            case.put(Part("status", str(status)), order)
            changed = True
    if changed:
        case.put(Part("from", stamp), order + ["status"])
    return changed


def record(path, opts, stamp):
    head, cases = parse(path)
    changed = 0
    for case in cases:
        if opts.filter in case.name and record_case(case, opts, stamp):
            changed += 1
    text = b"".join(head) + b"\n".join(c.text() for c in cases)
    if changed and not opts.dry_run:
        with open(path, "wb") as f:
            f.write(text)
    print(f"{path}: {len(cases)} cases, {changed} recorded")


def live(path, opts):
    _, cases = parse(path)
    wrong = 0
    for case in cases:
        if opts.filter not in case.name or case.has("differs") or missing_tool(case):
            continue
        want, got = run_bash(case), run_whelk(case, opts.live)
        for word, a, b in (("out", want[0], got[0]), ("err", want[1], got[1])):
            if a != b and (word == "out" or opts.err):
                show_diff(case, word, a, b)
        if want[2] != got[2]:
            print(f"{case.name}: status {got[2]}, bash has {want[2]}")
        wrong += want[0] != got[0] or want[2] != got[2] or (opts.err and want[1] != got[1])
    print(f"{path}: {len(cases)} cases, {wrong} unlike bash")
    return wrong


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--force", action="store_true")
    ap.add_argument("--err", action="store_true")
    ap.add_argument("--dry-run", action="store_true")
    ap.add_argument("--filter", default="")
    ap.add_argument("--live", metavar="WHELK")
    ap.add_argument("files", nargs="+")
    opts = ap.parse_args()
    os.umask(0o022)
    if opts.live:
        opts.live = os.path.abspath(opts.live)
    with open(CASE_DIR + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the directory's name is in the output: one at a time
        if opts.live:
            return 1 if sum(live(f, opts) for f in opts.files) else 0
        stamp = versions()
        for path in opts.files:
            record(path, opts, stamp)
    return 0


if __name__ == "__main__":
    sys.exit(main())
