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
        assert refused(g.spawn, ["true"], cwd=d + "/none") == errno.ENOENT


def test_a_text_without_interpreter_is_a_scripts():
    with Work() as (g, d):
        g.put("s", b"echo $0 $1\n", mode=0o755)
        assert g.run("./s", "x", cwd=d)[2] == b"./s x\n"


def test_a_command_has_its_own_descriptors_alone():
    with Work() as (g, d):
        assert g.run("sh", "-c", "ls /proc/self/fd | tr '\\n' ' '")[2] == b"0 1 2 3 "


def test_a_script_that_is_too_long_for_an_argument():
    with Work() as (g, d):
        script = "echo $0 $# ${LINENO:-1}\n: '" + "x" * 200000 + "'\nls /proc/self/fd | tr '\\n' ' '\nexit 7\n"
        for shell in ("sh", "bash"):
            code, _, out, err, _ = g.finish(g.spawn([shell, "-c", ". /dev/fd/9"], script=script))
            assert (code, err) == (7, b"") and out.startswith(shell.encode() + b" 0 1\n") and out.endswith(b"0 1 2 3 "), (out, err)


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


def test_a_trees_end_reaches_what_hides():
    scripts = ("(setsid env -i sh -c 'echo $$ >a; exec sleep 60' &); sleep 60",
               "setsid setsid sh -c 'trap \"\" TERM; echo $$ >a; while :; do sleep 1; done' & sleep 60")
    for script in scripts:
        with Work() as (g, d):
            other = g.spawn(["sleep", "60"])
            p = g.spawn(["sh", "-c", script], cwd=d)
            while not (exists(d + "/a") and os.path.getsize(d + "/a")):
                time.sleep(0.01)
            a = int(open(d + "/a").read())
            assert g.signal(p, 9, TREE) >= 2
            assert g.finish(p) == (0, 9, b"", b"", 0) and gone(a)
            assert g.signal(other, 0, LEADER) == 1


def test_what_goes_on_can_still_be_ended():
    with Work() as (g, d):
        p = g.spawn(["sh", "-c", "setsid sleep 60 >/dev/null 2>&1 & echo $!"])
        code, _, out, _, survivors = g.finish(p)
        assert (code, survivors) == (0, 1) and alive(int(out))
        assert refused(g.signal, p, 9, LEADER) == errno.ESRCH
        assert g.signal(p, 9, TREE) == 1 and gone(int(out))
        end = time.monotonic() + 10
        while refused(g.signal, p, 0, TREE) == 0 and time.monotonic() < end:
            time.sleep(0.01)
        assert refused(g.signal, p, 0, TREE) == errno.ESRCH    # nothing is left, and so it is forgotten


def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="latin-1") as f:
        return int(f.read().rsplit(")", 1)[1].split()[1])


def test_a_killed_minder_loses_nothing():
    with Work() as (g, d):
        p = g.spawn(["sh", "-c", "(setsid sleep 60 & echo $! >a); exec sleep 60"], cwd=d)
        while not (exists(d + "/a") and os.path.getsize(d + "/a")):
            time.sleep(0.01)
        a = int(open(d + "/a").read())
        minder = parent_of(a)
        assert parent_of(minder) == g.process.pid
        os.kill(minder, 9)
        assert gone(minder) and alive(a)
        assert g.signal(p, 15, LEADER) == 1
        assert g.finish(p)[:2] == (0, 15)
        g.ask(KILL_ALL)
        assert gone(a)


def test_the_end_of_the_helper_ends_everything():
    with Work() as (g, d):
        g.spawn(["sh", "-c", "(setsid env -i sh -c 'echo $$ >a; exec sleep 60' &); sleep 60"], cwd=d)
        while not (exists(d + "/a") and os.path.getsize(d + "/a")):
            time.sleep(0.01)
        a = int(open(d + "/a").read())
        g.process.kill()
        assert gone(a)


def test_many_at_once():
    with Work() as (g, d):
        running = [g.spawn(["sh", "-c", f"echo {i}; (sleep 0.2 &)"]) for i in range(60)]
        for i, p in enumerate(running):
            assert g.finish(p, wait=30.0)[:3] == (0, 0, f"{i}\n".encode())


def test_time_is_over():
    with Work() as (g, d):
        start = time.monotonic()
        p = g.spawn(["sh", "-c", "trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 60' & sleep 60"], timeout=200, grace=200)
        code, sig, _, _, survivors = g.finish(p)
        assert (code, sig, survivors) == (0, 9, 0) and time.monotonic() - start >= 0.4
        p = g.spawn(["sh", "-c", "trap 'echo bye; exit 3' TERM; sleep 60 & wait"], timeout=200, grace=20000)
        assert g.finish(p)[:3] == (3, 0, b"bye\n")


def test_output_that_nobody_takes():
    with Work() as (g, d):
        p = g.spawn(["sh", "-c", "yes; echo ${?} >&2"], credit=0)
        g.send(CREDIT, p, u32(2, 1000))
        g.send(CREDIT, p, u32(1, SAME))
        code, _, out, err, _ = g.finish(p)
        assert (code, out, err) == (0, b"", b"141\n"), err


def test_input_that_was_not_read_is_known():
    with Work() as (g, d):
        p = g.spawn(["sh", "-c", "read -r a; echo $a"], flags=WITH_STDIN)
        g.send(STDIN, p, b"one\ntwo\n")
        assert g.finish(p)[2] == b"one\n" and g.input_read == 4
        p = g.spawn(["sh", "-c", "sleep 0.2; read -r a; echo $a"], flags=WITH_STDIN)
        g.send(STDIN, p, b"one\ntwo\n")
        g.send(STDIN_END, p)
        assert g.finish(p)[2] == b"one\n" and g.input_read == 4, g.input_read
        p = g.spawn(["cat"], flags=WITH_STDIN)
        g.send(STDIN, p, b"x" * 100000)
        g.send(STDIN_END, p)
        assert len(g.finish(p)[2]) == 100000 and g.input_read == 100000


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


def test_stat_list_rename():
    with Work() as (g, d):
        assert g.make("dir", mode=0o750) == 0 and g.make("dir", mode=0o700) == 1    # it was there, and stays as it is
        assert os.stat(d + "/dir").st_mode & 0o777 == 0o750
        g.put("dir/f", b"12345", mode=0o640, mtime=10**9)
        g.make("dir/link", LINK, target="f")
        g.make("dir/deep")
        g.put("dir/deep/x", b"")
        os.mkfifo(d + "/pipe")
        assert refused(g.make, "pipe") == errno.EEXIST and refused(g.make, "no/dir") == errno.ENOENT
        assert g.stat("dir/f") == (THERE, FILE, 0o640, "")
        assert g.details[""] == (10**9, 5, 1, os.geteuid(), os.getegid())
        assert g.stat("dir/link") == (THERE, LINK, 0o777, "f") and g.stat("dir/link", follow=1)[:3] == (THERE, FILE, 0o640)
        assert g.stat("")[:2] == (THERE, DIR) and g.stat(d)[:2] == (THERE, DIR) and g.stat("/")[1] == DIR
        assert refused(g.stat, "none") == errno.ENOENT and refused(g.stat, "dir/../pipe") == errno.EINVAL
        assert g.list() == {"dir": (THERE, DIR, 0o750, ""), "pipe": (THERE, OTHER, 0o644, "")}
        assert sorted(g.list(depth=2)) == ["dir", "dir/deep", "dir/f", "dir/link", "pipe"]
        assert sorted(g.list("dir", depth=9)) == ["deep", "deep/x", "f", "link"]
        assert sorted(g.list(d + "/dir")) == ["deep", "f", "link"] and "etc" in g.list("/")
        os.symlink("dir", d + "/away")
        assert refused(g.list, "away") == errno.ELOOP and refused(g.list, "away/deep") == errno.ELOOP
        assert sorted(g.list(d + "/away")) == ["deep", "f", "link"]
        assert refused(g.list, "pipe") == errno.ENOTDIR and refused(g.list, "none") == errno.ENOENT
        g.ask(RENAME, text("dir/f") + text("g"))
        assert g.get("g") == b"12345" and refused(g.stat, "dir/f") == errno.ENOENT
        assert refused(g.ask, RENAME, text("none") + text("x")) == errno.ENOENT
        assert refused(g.ask, RENAME, text("") + text("x")) == errno.EINVAL and refused(g.ask, REMOVE, text("")) == errno.EINVAL


def test_absolute_paths_are_those_of_any_program():
    with Work() as (g, d):
        outside = tempfile.mkdtemp(prefix="whelk-outside.")
        try:
            g.put(outside + "/f", b"one", mode=0o600)
            assert g.get(outside + "/f") == b"one"
            os.symlink(outside + "/f", d + "/link")
            os.symlink("link", d + "/link2")
            g.put(d + "/link2", b"two")    # through the links, as a program would write
            assert open(outside + "/f", "rb").read() == b"two" and os.path.islink(d + "/link2")
            assert g.get(d + "/link2") == b"two" and refused(g.get, "link2") == errno.ELOOP
            g.put("link2", b"three")       # and in a link's place
            assert not os.path.islink(d + "/link2") and open(outside + "/f", "rb").read() == b"two"
            assert refused(g.put, outside, b"x") == errno.EISDIR and refused(g.put, outside + "/none/file", b"x") == errno.ENOENT
            g.ask(ATTRIBUTES, u32(0o640) + struct.pack("<q", 7 * 10**9) + text(d + "/link"))
            assert os.stat(outside + "/f").st_mode & 0o777 == 0o640 and os.lstat(d + "/link").st_mtime != 7
            assert g.get("/proc/self/status").startswith(b"Name:")
            assert refused(g.get, "/dev/null") == errno.EINVAL
            g.ask(REMOVE, text(d + "/link"))
            assert exists(outside + "/f")
            g.ask(REMOVE, text(outside))
            assert not exists(outside)
        finally:
            shutil.rmtree(outside, ignore_errors=True)


def test_what_is_replaced_keeps_its_mode_and_owner():
    with Work() as (g, d):
        g.put("f", b"1", mode=0o751)
        g.put("f", b"2", mode=SAME)
        assert os.stat(d + "/f").st_mode & 0o777 == 0o751
        g.put("new", b"", mode=SAME, mtime=NOW)
        st = os.stat(d + "/new")
        assert st.st_mode & 0o777 == 0o644 and abs(st.st_mtime - time.time()) < 60
        if os.geteuid() == 0:
            os.chown(d + "/f", 12, 34)
            g.put("f", b"3")
            assert (os.stat(d + "/f").st_uid, os.stat(d + "/f").st_gid) == (12, 34)
        os.chmod(d + "/f", 0)
        g.ask(ATTRIBUTES, u32(0o600) + struct.pack("<q", NOW) + text("f"))
        assert os.stat(d + "/f").st_mode & 0o777 == 0o600


def test_data_behind_a_refused_file_is_passed_over():
    with Work() as (g, d):
        ident = g.new()
        g.send(PUT, ident, u32(0o644) + struct.pack("<qQ", 0, 300000) + text("no/such"))
        for _ in range(5):
            g.send(PUT_DATA, ident, bytes(60000))
        assert refused(g.answer, ident) == errno.ENOENT
        g.ask(PING)
        assert not [f for f in g.frames if f[1] == ident] and os.listdir(d) == []


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
        os.symlink("a", d + "/link")    # and links, which get the same inode
        assert g.scan(["__pycache__"]) == {"link": (ADDED, LINK, 0o777, "a")}
        os.unlink(d + "/link")
        os.symlink("b", d + "/link")
        assert g.scan(["__pycache__"]) == {"link": (CHANGED, LINK, 0o777, "b")}
        os.unlink(d + "/link")
        os.mkdir(d + "/link")    # what is no link any more has no target
        assert g.scan(["__pycache__"]) == {"link": (CHANGED, DIR, 0o755, "")}
        g.ask(REMOVE, text("link"))
        os.symlink("c", d + "/link")
        assert list(g.scan(["__pycache__"])) == ["link"]
        g.put("link", b"")    # nor has what the host put in its place
        os.unlink(d + "/link")
        assert g.scan(["__pycache__"]) == {"link": (REMOVED, FILE, 0o644, "")}
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


def test_scans_of_several_directories():
    with Work() as (g, d):
        other = tempfile.mkdtemp(prefix="whelk-other.")
        try:
            g.make("a")
            g.make("b")
            assert g.scan(start="a") == {} and g.scan(start=other) == {} and g.scan() == {}
            for path in (d + "/a/x", d + "/b/y", other + "/z"):
                open(path, "w").close()
            assert g.scan(start="a") == {"x": (ADDED, FILE, 0o644, "")}
            assert g.scan(start=other) == {"z": (ADDED, FILE, 0o644, "")}
            assert {p: v[0] for p, v in g.scan().items()} == {"a": CHANGED, "a/x": ADDED, "b": CHANGED, "b/y": ADDED}
            # What the host does is not told back, by whichever path it did it.
            g.put("a/x", b"1")
            g.put(d + "/b/new", b"2")
            g.put(other + "/z", b"3")
            g.ask(RENAME, text("b/y") + text("a/y"))
            assert g.scan(start="a") == {} and g.scan(start=other) == {} and g.scan() == {}, g.scan()
            g.make("a/deep")
            g.put("a/deep/1", b"")
            g.make("a/deep/2")
            g.ask(RENAME, text("a/deep") + text("b/moved"))
            assert g.scan(start="a") == {} and g.scan() == {}
            g.ask(REMOVE, text("b"))
            assert g.scan() == {} and g.scan(start="a") == {}
            assert refused(g.scan, start="none") == errno.ENOENT and refused(g.scan, start="a/x") == errno.ENOTDIR
            os.symlink("a", d + "/l")
            assert refused(g.scan, start="l") == errno.ELOOP and refused(g.scan, start="../x") == errno.EINVAL
        finally:
            shutil.rmtree(other)


def test_names_that_are_left_out_have_not_gone():
    with Work() as (g, d):
        g.scan(["skip"])
        os.makedirs(d + "/p/skip/q")
        assert sorted(g.scan(["skip"])) == ["p"]
        assert sorted(g.scan()) == ["p/skip", "p/skip/q"]
        assert g.scan(["skip"]) == {} and sorted(g.scan(["skip", "p"])) == []
        g.put("p/skip/f", b"")
        g.scan()
        os.rename(d + "/p/skip", d + "/p/other")
        assert {p: v[0] for p, v in g.scan(["skip"]).items()} == {"p": CHANGED, "p/other": ADDED, "p/other/f": ADDED, "p/other/q": ADDED}


def test_a_scan_that_failed_begins_anew():
    with Work() as (g, d):
        g.scan(start="")
        deep = d
        for _ in range(450):
            deep += "/d"
            if len(deep) < 4000:
                os.mkdir(deep)
        assert refused(g.scan) == errno.ENAMETOOLONG
        g.ask(RENAME, text("d/d") + text("d2"))
        shutil.rmtree(d + "/d2")
        assert g.scan() == {}
        open(d + "/new", "w").close()
        assert list(g.scan()) == ["new"]


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
