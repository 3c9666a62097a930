#!/usr/bin/env python3
"""The guest helper by itself, on this machine: processes, their ends, kept output, files, scans.

usage: test_guest.py GUEST-PROGRAM [TEST…]"""
import errno
import os
import shutil
import socket
import struct
import sys
import tempfile
import time

from guest import *  # pylint: disable=wildcard-import,unused-wildcard-import

PROGRAM = ""


class Work:
    """A helper over a directory of its own."""

    def __enter__(self):
        self.dir = tempfile.mkdtemp(prefix="whelk-guest.")
        self.guest = Guest(PROGRAM, self.dir)
        return self.guest, self.dir

    def __exit__(self, *_):
        self.guest.close()
        shutil.rmtree(self.dir, ignore_errors=True)


def refused(fn, *args, **kw):
    try:
        fn(*args, **kw)
    except OSError as e:
        return e.errno
    return 0


def test_streams_and_statuses():
    with Work() as (g, d):
        assert g.run("echo", "a b") == (0, 0, b"a b\n", b"", 0)
        assert g.run("sh", "-c", "echo out; echo err >&2; exit 7") == (7, 0, b"out\n", b"err\n", 0)
        assert g.run("sh", "-c", "echo out; echo err >&2", flags=MERGED)[2] == b"out\nerr\n"
        assert g.run("sh", "-c", "kill -TERM $$")[:2] == (0, 15)
        assert g.run("pwd", cwd=d)[2] == d.encode() + b"\n"
        code, _, out, _, _ = g.run("env", env=("PATH=/bin:/usr/bin", "A=1=2"))
        lines = out.decode().split("\n")
        assert code == 0 and "A=1=2" in lines and len([x for x in lines if x]) == 2
        assert g.run("sh", "-c", "umask; ulimit -n", limits=((7, 64),))[2] == b"0022\n64\n"
        assert refused(g.spawn, ["no-such-program"]) == errno.ENOENT
        assert refused(g.spawn, ["/"]) == errno.EACCES
        assert refused(g.spawn, ["true"], cwd="/no/such") == errno.ENOENT


def test_a_text_without_interpreter_is_a_scripts():
    with Work() as (g, d):
        g.put("s", b"echo $0 $1\n", mode=0o755)
        assert g.run("./s", "x", cwd=d)[2] == b"./s x\n"


def test_standard_input():
    with Work() as (g, d):
        p = g.spawn(["cat"], flags=WITH_STDIN)
        g.send(STDIN, p, b"hello ")
        g.send(STDIN, p, b"world")
        g.send(STDIN_END, p)
        assert g.finish(p)[2] == b"hello world"
        assert g.run("cat")[2] == b""
        p = g.spawn(["true"], flags=WITH_STDIN)        # nobody reads: said so
        room = g.expect(p, INPUT_ROOM)[1].take("<I")
        assert room == SAME, room
        g.finish(p)


def test_output_waits_for_credit():
    with Work() as (g, d):
        p = g.spawn(["sh", "-c", "head -c 300000 /dev/zero; echo end >&2"], credit=0)
        g.send(CREDIT, p, u32(1, 1000))
        got = b""
        while len(got) < 1000:
            _, r = g.expect(p, OUTPUT)
            assert r.take("<I") == 1
            got += r.b
        assert len(got) == 1000 and g.receive(0.1) is None
        g.send(CREDIT, p, u32(1, 1 << 20))
        g.send(CREDIT, p, u32(2, 1 << 20))
        code, _, out, err, _ = g.finish(p)
        assert (code, len(out), err) == (0, 299000, b"end\n")


def test_what_was_written_before_the_end_comes_however_late():
    with Work() as (g, d):
        p = g.spawn(["sh", "-c", "head -c 50000 /dev/zero"], credit=0)
        g.expect(p, EXIT)
        time.sleep(0.3)
        g.send(CREDIT, p, u32(1, 1 << 20))
        total = 0
        while True:
            kind, r = g.expect(p, OUTPUT, CLOSED)
            if kind == CLOSED:
                break
            total += len(r.b) - 4
        assert total == 50000, total


def test_the_end_does_not_wait_for_who_holds_the_output():
    for command in ("sleep 60 & echo hi", "setsid sleep 60 & echo hi", "(yes & ) ; echo hi", "(setsid env -i sleep 60 &) ; echo hi"):
        with Work() as (g, d):
            start = time.monotonic()
            p = g.spawn(["sh", "-c", command])
            code, sig, out, _, survivors = g.finish(p)
            assert time.monotonic() - start < 3 and (code, sig) == (0, 0) and out.find(b"hi") >= 0, command
            assert survivors == 1, (command, survivors)


def test_signals_reach_leader_group_and_tree():
    with Work() as (g, d):
        script = "setsid sh -c 'sleep 60 & echo $! >a; wait' & (sleep 60 & echo $! >b); echo ready; wait"
        p = g.spawn(["sh", "-c", script], cwd=d)
        assert g.expect(p, OUTPUT)[1].b[4:] == b"ready\n"
        while not (exists(d + "/a") and exists(d + "/b") and os.path.getsize(d + "/a") and os.path.getsize(d + "/b")):
            time.sleep(0.01)
        a, b = int(open(d + "/a").read()), int(open(d + "/b").read())
        assert g.signal(p, 15, GROUP) == 1
        assert g.expect(p, EXIT)[1].take("<II") == (0, 15)
        assert gone(b) and alive(a)
        assert refused(g.signal, p, 9, TREE) in (0, errno.ESRCH)    # when its output had been passed on
        p2 = g.spawn(["true"])
        g.finish(p2)
        assert g.ask(KILL_ALL).take("<I") >= 0 and gone(a)


def test_tree_of_a_running_command():
    with Work() as (g, d):
        other = g.spawn(["sleep", "60"])
        script = "setsid sh -c 'sleep 60 & echo $! >a; wait' & echo ready; wait"
        p = g.spawn(["sh", "-c", script], cwd=d)
        g.expect(p, OUTPUT)
        while not (exists(d + "/a") and os.path.getsize(d + "/a")):
            time.sleep(0.01)
        a = int(open(d + "/a").read())
        assert g.signal(p, 9, TREE) >= 3
        assert g.finish(p)[:2] == (0, 9) and gone(a)
        assert g.signal(other, 0, LEADER) == 1
        assert g.signal(other, 9, LEADER) == 1
        assert g.finish(other)[:2] == (0, 9)


def test_the_end_of_the_connection_ends_everything():
    with Work() as (g, d):
        g.spawn(["sh", "-c", "setsid sh -c 'trap \"\" TERM HUP; sleep 60 & echo $! >a; wait' & (sleep 60 & echo $! >b) & sleep 60"], cwd=d)
        while not (exists(d + "/a") and exists(d + "/b") and os.path.getsize(d + "/a") and os.path.getsize(d + "/b")):
            time.sleep(0.01)
        pids = [int(open(d + "/" + x).read()) for x in "ab"]
        g.sock.close()
        g.process.wait(5)
        assert all(gone(p) for p in pids)


def read_log(g, p, stream, offset, wait=0, most=65536):
    ident = g.new()
    g.send(READ_LOG, ident, u32(p, stream) + struct.pack("<Q", offset) + u32(most, wait))
    _, r = g.expect(ident, LOG)
    at, lost, ended = r.take("<QQI")
    return at, lost, ended, r.b


def test_kept_output():
    with Work() as (g, d):
        p = g.spawn(["sh", "-c", "echo one; sleep 0.3; echo two; echo bad >&2"], flags=LOGGED)
        assert read_log(g, p, 1, 0, wait=1) == (0, 0, 0, b"one\n")
        assert read_log(g, p, 1, 4, wait=1)[3] == b"two\n"
        g.expect(p, EXIT)
        g.expect(p, CLOSED)
        assert read_log(g, p, 1, 0) == (0, 0, 1, b"one\ntwo\n") and read_log(g, p, 2, 0)[3] == b"bad\n"
        assert read_log(g, p, 1, 8, wait=1) == (8, 0, 1, b"")
        g.ask(FORGET, u32(p))
        assert refused(g.ask, FORGET, u32(p)) == errno.ESRCH
        p = g.spawn(["seq", "100000"], flags=LOGGED, log=2000)
        g.expect(p, CLOSED)
        whole = "".join(f"{i}\n" for i in range(1, 100001)).encode()
        at, lost, _, data = read_log(g, p, 1, 0)
        assert (at, lost, data) == (0, 0, whole[:1000])
        at, lost, _, data = read_log(g, p, 1, 1000)
        assert (at, lost) == (len(whole) - 1000, len(whole) - 2000) and data == whole[-1000:]
        at, lost, _, data = read_log(g, p, 1, len(whole) - 10)
        assert (at, lost, data) == (len(whole) - 10, 0, whole[-10:])


def test_waiting_for_kept_output_can_be_given_up():
    with Work() as (g, d):
        p = g.spawn(["sleep", "60"], flags=LOGGED)
        ident = g.new()
        g.send(READ_LOG, ident, u32(p, 1) + struct.pack("<Q", 0) + u32(100, 1))
        assert g.receive(0.1) is None
        g.send(STOP_WAITING, p)
        assert g.expect(ident, LOG)[1].take("<QQI") == (0, 0, 0)


def test_terminal():
    with Work() as (g, d):
        p = g.spawn(["sh", "-c", "stty size; test -t 0 && test -t 2 && echo tty; read x; echo got $x"], flags=WITH_TTY)
        g.send(STDIN, p, b"hello\n")
        code, _, out, err, _ = g.finish(p)
        assert code == 0 and b"24 80\r\n" in out and b"tty\r\n" in out and b"got hello\r\n" in out and err == b""


def test_ports():
    with Work() as (g, d):
        s = socket.socket()
        s.bind(("127.0.0.1", 0))
        number = s.getsockname()[1]
        ident = g.new()
        g.send(WAIT_PORT, ident, u32(number))
        assert g.receive(0.1) is None
        s.listen()
        g.answer(ident)
        s.close()
        ident = g.new()
        g.send(WAIT_PORT, ident, u32(1))
        g.send(STOP_WAITING, ident)
        assert refused(g.answer, ident) == errno.ETIMEDOUT


def test_files():
    with Work() as (g, d):
        data = os.urandom(300000)
        g.put("a", data, mode=0o751, mtime=1600000000123456789)
        st = os.stat(d + "/a")
        assert (st.st_mode & 0o7777, st.st_mtime_ns) == (0o751, 1600000000123456789)
        assert g.get("a") == data and g.get("a", 100, 50) == data[100:150] and g.get("a", 400000) == b""
        g.ask(MAKE, u32(DIR, 0o700) + struct.pack("<q", 5 * 10**9) + text("d") + text(""))
        g.put("d/b", b"")
        g.ask(MAKE, u32(LINK, 0) + struct.pack("<q", 6 * 10**9) + text("d/l") + text("/etc/passwd"))
        assert os.readlink(d + "/d/l") == "/etc/passwd" and os.stat(d + "/d/b").st_size == 0
        g.ask(ATTRIBUTES, u32(0o600) + struct.pack("<q", 7 * 10**9) + text("d/b"))
        assert os.stat(d + "/d/b").st_mtime == 7
        assert refused(g.get, "d/l") == errno.ELOOP and refused(g.get, "d") == errno.EISDIR and refused(g.get, "x") == errno.ENOENT
        os.symlink("/tmp", d + "/out")
        for path in ("out/x", "../x", "d/../x", "", "d//x", "./x", "d/b/x"):
            assert refused(g.put, path, b"x") in (errno.ELOOP, errno.EINVAL, errno.ENOTDIR), path
        g.put("d/l", b"now a file")
        assert os.path.isfile(d + "/d/l") and not os.path.islink(d + "/d/l")
        assert refused(g.put, "d", b"x") == errno.EISDIR
        g.ask(REMOVE, text("d"))
        g.ask(REMOVE, text("nothing"))
        g.ask(REMOVE, text("out"))
        assert sorted(os.listdir(d)) == ["a"] and os.path.isdir("/tmp")
        g.put("e", b"")
        assert g.get("e") == b""


def test_scans():
    with Work() as (g, d):
        assert g.scan() == {}
        g.put("kept", b"from the host")
        assert g.scan() == {}
        with open(d + "/new", "w") as f:
            f.write("x")
        os.mkdir(d + "/dir", 0o750)
        os.symlink("new", d + "/dir/link")
        os.mkfifo(d + "/pipe")
        os.mkdir(d + "/__pycache__")
        seen = g.scan(["__pycache__"])
        assert seen == {"new": (ADDED, FILE, 0o644, ""), "dir": (ADDED, DIR, 0o750, ""), "dir/link": (ADDED, LINK, 0o777, "new"),
                        "pipe": (ADDED, OTHER, 0o644, "")}, seen
        assert g.scan(["__pycache__"]) == {}
        with open(d + "/new", "w") as f:    # the same size, at once
            f.write("y")
        assert g.scan(["__pycache__"]) == {"new": (CHANGED, FILE, 0o644, "")}
        st = os.stat(d + "/new")
        time.sleep(0.03)
        assert g.scan(["__pycache__"]) == {}
        with open(d + "/new", "w") as f:    # and with the times set back
            f.write("z")
        os.utime(d + "/new", ns=(st.st_atime_ns, st.st_mtime_ns))
        assert list(g.scan(["__pycache__"])) == ["new"]
        os.chmod(d + "/new", 0o600)
        assert g.scan(["__pycache__"]) == {"new": (CHANGED, FILE, 0o600, "")}
        os.unlink(d + "/dir/link")
        os.rmdir(d + "/dir")
        os.unlink(d + "/pipe")
        assert {p: v[0] for p, v in g.scan(["__pycache__"]).items()} == {"dir": REMOVED, "dir/link": REMOVED, "pipe": REMOVED}
        g.ask(REMOVE, text("new"))
        g.put("kept", b"changed by the host")
        assert g.scan(["__pycache__"]) == {}
        with open(d + "/kept", "r+") as f:
            f.write("C")
        assert list(g.scan(["__pycache__"])) == ["kept"]


def test_confined():
    with Work() as (g, d):
        can = g.ready[1].take("<3I")[2]
        outside = tempfile.mkdtemp(prefix="whelk-outside.", dir=os.path.expanduser("~"))
        try:
            if not can & 2 or not can & 4:
                print("skipped: no Landlock or seccomp here")
                return
            script = f"echo x > in && echo in; echo x > {outside}/f || echo refused; echo x > /dev/null && echo null"
            out = g.run("sh", "-c", script, cwd=d, flags=CONFINED)[2]
            assert out == b"in\nrefused\nnull\n", out
            probe = "import socket\nsocket.socket(socket.AF_UNIX)\ntry:\n socket.socket()\n print('open')\nexcept PermissionError:\n print('closed')"
            env = (f"PATH={os.environ['PATH']}",)
            assert g.run("python3", "-c", probe, flags=CONFINED, env=env)[2] == b"closed\n"
            assert g.run("python3", "-c", probe, flags=CONFINED | NETWORK, env=env)[2] == b"open\n"
            assert g.run("python3", "-c", probe, env=env)[2] == b"open\n"
        finally:
            shutil.rmtree(outside)


def test_hostile_frames():
    for frame in (u32(0xffffffff, SPAWN, 1), u32(2 << 20, PUT, 1)):
        with Work() as (g, d):
            g.sock.sendall(frame)
            try:
                while g.receive(5):
                    pass
                raise AssertionError("the connection stayed open")
            except (EOFError, ConnectionResetError):
                pass
    with Work() as (g, d):
        bodies = [b"", b"\xff" * 8, u32(0xffffffff) * 9, text("x") * 3, bytes(64), b"\x01" * 200]
        for kind in list(range(2, 20)) + [99, 0]:
            for n, body in enumerate(bodies):
                if kind != KILL_ALL:
                    g.send(kind, 1000 + kind * 10 + n, body)
        g.ask(PING)
        assert g.run("echo", "still here")[2] == b"still here\n"


def main():
    global PROGRAM
    PROGRAM = sys.argv[1]
    tests = {name: fn for name, fn in globals().items() if name.startswith("test_") and callable(fn)}
    failed = 0
    for name in sys.argv[2:] or tests:
        try:
            tests[name]()
        except Exception:    # pylint: disable=broad-except
            import traceback
            traceback.print_exc()
            print(f"FAILED {name}")
            failed += 1
    print(f"{len(sys.argv[2:] or tests)} tests, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
