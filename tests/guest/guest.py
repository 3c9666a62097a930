"""A host for the guest helper, for tests: frames over a socket pair. Says what adapters/guest/protocol.h says."""
import os
import select
import socket
import struct
import subprocess
import time

(HELLO, SPAWN, STDIN, STDIN_END, CREDIT, SIGNAL, RESIZE, READ_LOG, STOP_WAITING, FORGET, WAIT_PORT, PUT, PUT_DATA, MAKE, REMOVE, ATTRIBUTES, GET, SCAN,
 KILL_ALL, PING, STAT, LIST, RENAME) = range(1, 24)
READY, STARTED, FAILED, OUTPUT, INPUT_ROOM, EXIT, CLOSED, LOG, OK, ERROR, DATA, ENTRY = range(64, 76)
LEADER, GROUP, TREE = range(3)
WITH_STDIN, WITH_TTY, MERGED, LOGGED, NO_PRIVILEGES, CONFINE_FILES, NETWORK, CONFINE_CALLS = (1 << k for k in range(8))
CONFINED = CONFINE_FILES | CONFINE_CALLS
FILE, DIR, LINK, OTHER = range(4)
ADDED, CHANGED, REMOVED, THERE = range(4)
SAME = 0xffffffff
NOW = -(1 << 63)
VERSION = 2


def u32(*v):
    return struct.pack(f"<{len(v)}I", *v)


def text(s):
    s = s if isinstance(s, bytes) else s.encode()
    return u32(len(s)) + s


class Reader:
    def __init__(self, body):
        self.b = body

    def take(self, form):
        n = struct.calcsize(form)
        v = struct.unpack(form, self.b[:n])
        self.b = self.b[n:]
        return v[0] if len(v) == 1 else v

    def text(self):
        n = self.take("<I")
        v, self.b = self.b[:n], self.b[n:]
        return v


class Guest:
    """The helper at work. Frames that nobody asked for yet are kept in `frames`."""

    def __init__(self, program, workspace, flags=1, uid=SAME, gid=SAME):
        ours, theirs = socket.socketpair()
        self.sock = ours
        self.process = subprocess.Popen([program], stdin=theirs, stdout=theirs)
        theirs.close()
        self.frames, self.buf, self.next = [], b"", 1
        self.send(HELLO, 0, u32(VERSION, flags, uid, gid) + text(workspace) + text(""))
        self.ready = self.expect(0, READY)

    def send(self, kind, ident, body=b""):
        self.sock.sendall(u32(len(body), kind, ident) + body)

    def receive(self, wait=10.0):
        """The next frame, or None after that many seconds; EOFError at the end of the connection."""
        end = time.monotonic() + wait
        while True:
            if len(self.buf) >= 12:
                n, kind, ident = struct.unpack("<3I", self.buf[:12])
                if len(self.buf) >= 12 + n:
                    body, self.buf = self.buf[12:12 + n], self.buf[12 + n:]
                    return kind, ident, body
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.sock], [], [], left)[0]:
                return None
            more = self.sock.recv(1 << 20)
            if not more:
                raise EOFError
            self.buf += more

    def expect(self, ident, *kinds, wait=10.0):
        """The next frame of that id and one of those kinds."""
        for at, (kind, i, body) in enumerate(self.frames):
            if i == ident and kind in kinds:
                del self.frames[at]
                return kind, Reader(body)
        end = time.monotonic() + wait
        while True:
            frame = self.receive(max(0.0, end - time.monotonic()))
            assert frame, f"no frame of {kinds} for {ident}; there were {self.frames}"
            if frame[1] == ident and frame[0] in kinds:
                return frame[0], Reader(frame[2])
            self.frames.append(frame)

    def new(self):
        self.next += 1
        return self.next

    def spawn(self, argv, flags=0, cwd="", env=("PATH=/usr/bin:/bin",), uid=SAME, gid=SAME, limits=(), log=1 << 16, credit=1 << 30, timeout=0, grace=0, script=""):
        ident = self.new()
        body = u32(flags, uid, gid, 0o022) + struct.pack("<3Q", log, timeout, grace) + u32(24, 80, len(limits))
        body += b"".join(struct.pack("<IQ", r, v) for r, v in limits)
        body += text(cwd) + u32(len(argv)) + b"".join(map(text, argv)) + u32(len(env)) + b"".join(map(text, env)) + text(script)
        self.send(SPAWN, ident, body)
        kind, r = self.expect(ident, STARTED, FAILED)
        if kind == FAILED:
            raise OSError(*r.take("<2I"))
        if credit:
            for stream in (1, 2):
                self.send(CREDIT, ident, u32(stream, credit))
        return ident

    def finish(self, ident, wait=10.0):
        """(code, signal, standard output, standard error, survivors) when all has been passed on."""
        out, end = {1: b"", 2: b""}, None
        while True:
            kind, r = self.expect(ident, OUTPUT, EXIT, CLOSED, wait=wait)
            if kind == OUTPUT:
                out[r.take("<I")] += r.b
            elif kind == EXIT:
                end = r.take("<IIQQQIIQ")
                self.input_read = end[7]
            else:
                return end[0], end[1], out[1], out[2], end[5]

    def run(self, *argv, **how):
        return self.finish(self.spawn(argv, **how))

    def ask(self, kind, body=b"", ident=None):
        """The answer to a request: a reader, or OSError."""
        ident = ident or self.new()
        self.send(kind, ident, body)
        return self.answer(ident)

    def answer(self, ident, wait=10.0):
        kind, r = self.expect(ident, OK, ERROR, wait=wait)
        if kind == ERROR:
            raise OSError(r.take("<I"), r.text().decode())
        return r

    def put(self, path, data, mode=0o644, mtime=1700000000 * 10**9):
        ident = self.new()
        self.send(PUT, ident, u32(mode) + struct.pack("<qQ", mtime, len(data)) + text(path))
        for at in range(0, len(data), 65536):
            self.send(PUT_DATA, ident, data[at:at + 65536])
        self.answer(ident)

    def get(self, path, offset=0, most=1 << 40):
        ident, data = self.new(), b""
        self.send(GET, ident, struct.pack("<QQ", offset, most) + text(path))
        while True:
            kind, r = self.expect(ident, DATA, OK, ERROR)
            if kind == ERROR:
                raise OSError(r.take("<I"), r.text().decode())
            if kind == OK:
                return data
            data += r.b

    def signal(self, process, sig, scope):
        """How many got it; OSError."""
        return self.ask(SIGNAL, u32(process, sig, scope)).take("<I")

    def entries(self, kind, body):
        """{path: (change, kind, mode, target)}; the rest of what was told is in self.details."""
        ident, out, self.details = self.new(), {}, {}
        self.send(kind, ident, body)
        while True:
            what, r = self.expect(ident, ENTRY, OK, ERROR)
            if what == ERROR:
                raise OSError(r.take("<I"), r.text().decode())
            if what == OK:
                return out
            change, kind, mode, mtime, size, _, links, _, uid, gid = r.take("<IIIqQQIQII")
            path = r.text().decode()
            assert path not in out
            out[path] = (change, kind, mode, r.text().decode())
            self.details[path] = (mtime, size, links, uid, gid)

    def scan(self, left_out=(), start=""):
        return self.entries(SCAN, text(start) + u32(len(left_out)) + b"".join(map(text, left_out)))

    def list(self, path="", depth=1):
        return self.entries(LIST, u32(depth) + text(path))

    def stat(self, path, follow=0):
        return self.entries(STAT, u32(follow) + text(path))[""]

    def make(self, path, kind=DIR, mode=0o755, mtime=NOW, target=""):
        return self.ask(MAKE, u32(kind, mode) + struct.pack("<q", mtime) + text(path) + text(target)).take("<I")

    def close(self):
        self.sock.close()
        self.process.wait(10)


def alive(pid):
    """Whether a process is there and no zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="latin-1") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):    # not there; went while it was read
        return False


def gone(pid, seconds=5.0):
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.005)
    return not alive(pid)


def exists(path):
    return os.path.lexists(path)
