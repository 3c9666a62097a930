#!/usr/bin/env python3
"""A container engine of the tests' own: a private dockerd, or podman's service, below one folder of /tmp.

    with engine.Docker() as e:          # raises engine.Unavailable, with a reason, where none can be started
        e.socket, e.folder, e.api(...), e.load("small"), e.kill(), e.start()

    engine.py docker|podman [-i IMAGE]... COMMAND...    # runs COMMAND with DOCKER_HOST set; status 77: unavailable

The engine belongs to a keeper, a process beside the test that holds the end of a pipe: when the test ends, however
it does, the keeper stops the engine, unmounts what is left and removes the folder and the cgroups."""
import glob
import http.client
import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time

SKIP = 77


class Unavailable(Exception):
    pass


# ---- the engine's API -------------------------------------------------------------------------------------------

class Connection(http.client.HTTPConnection):
    def __init__(self, path, timeout=60):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def call(path, method, target, body=None, kind="application/json", timeout=60):
    """(status, bytes of the body)."""
    c = Connection(path, timeout)
    try:
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        c.request(method, target, body, {"Content-Type": kind} if body is not None else {})
        r = c.getresponse()
        return r.status, r.read()
    finally:
        c.close()


# ---- images, of this machine's own programs ----------------------------------------------------------------------

SMALL = ("sh bash cat cp chmod chown cut date dd df du echo env expr false find grep head id kill ln ls mkdir mkfifo mv nice nohup nproc od "
         "paste printf pwd readlink rm rmdir sed seq setsid sha256sum sleep sort stat sync tail tee test timeout touch tr true tty uname "
         "uniq wc yes").split()
PYTHON_WITHOUT = {"test", "ensurepip", "lib2to3", "idlelib", "tkinter", "pydoc_data", "distutils", "turtledemo", "dist-packages", "site-packages",
                  "unittest", "sqlite3", "curses", "xmlrpc", "wsgiref"}


class Root:
    """A root file system as a tar."""

    def __init__(self):
        self.out = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.out, mode="w", format=tarfile.PAX_FORMAT)
        self.have = set()
        for name, mode in (("tmp", 0o1777), ("etc", 0o755), ("root", 0o700), ("proc", 0o755), ("sys", 0o755), ("dev", 0o755), ("home/user", 0o755)):
            self.directory("/" + name, mode)
        self.text("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000::/home/user:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n")
        self.text("/etc/group", "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n")
        for link in ("bin", "lib", "lib64", "sbin"):
            if os.path.islink("/" + link):
                self.parents("/usr/" + link + "/x")
                self.add("/" + link)

    def directory(self, path, mode=0o755):
        self.parents(path)
        if path not in self.have:
            self.have.add(path)
            info = tarfile.TarInfo(path[1:])
            info.type, info.mode = tarfile.DIRTYPE, mode
            self.tar.addfile(info)

    def parents(self, path):
        parts = path.split("/")[1:-1]
        for k in range(len(parts)):
            d = "/" + "/".join(parts[:k + 1])
            if d not in self.have and not os.path.islink(d):
                self.have.add(d)
                info = tarfile.TarInfo(d[1:])
                info.type, info.mode = tarfile.DIRTYPE, 0o755
                self.tar.addfile(info)

    def text(self, path, text):
        self.parents(path)
        info = tarfile.TarInfo(path[1:])
        info.size = len(text)
        self.tar.addfile(info, io.BytesIO(text.encode()))

    def add(self, path):
        """A file or link as it is here, under the name that it really has."""
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if real in self.have:
            return
        self.have.add(real)
        self.parents(real)
        info = self.tar.gettarinfo(path, real[1:])
        info.uid = info.gid = 0
        info.uname = info.gname = ""
        if info.islnk():
            info.type, info.size = tarfile.REGTYPE, os.stat(path).st_size
        if info.isreg():
            with open(path, "rb") as f:
                self.tar.addfile(info, f)
        else:
            self.tar.addfile(info)

    def libraries(self, path):
        said = subprocess.run(["ldd", path], capture_output=True, text=True).stdout
        for lib in re.findall(r"(/\S+) \(0x", said):
            self.whole(lib)

    def whole(self, path):
        """What a link leads to, under the link's own name."""
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if real not in self.have:
            self.have.add(real)
            self.parents(real)
            with open(path, "rb") as f:
                info = tarfile.TarInfo(real[1:])
                info.size, info.mode, info.mtime = os.fstat(f.fileno()).st_size, 0o755, int(os.fstat(f.fileno()).st_mtime)
                self.tar.addfile(info, f)

    def program(self, name, path=None):
        path = path or shutil.which(name, path="/usr/bin:/bin:/usr/sbin:/sbin")
        if not path:
            return False
        self.whole(path)
        self.libraries(path)
        return True

    def tree(self, top, without=()):
        for folder, dirs, files in os.walk(top):
            dirs[:] = [d for d in sorted(dirs) if d not in without and not d.startswith("config-") and not os.path.islink(os.path.join(folder, d))]
            self.directory(os.path.realpath(folder))
            for f in sorted(files):
                if not re.search(r"\.opt-[12]\.pyc$|\.a$|^git-(remote-|http-|imap-|daemon|shell)", f):
                    self.add(os.path.join(folder, f))

    def close(self):
        self.tar.close()
        return self.out.getvalue()


def small_root():
    r = Root()
    for name in SMALL:
        if not r.program(name) and name in ("sh", "cat", "sleep"):
            raise Unavailable(f"this machine has no {name} to make an image of")
    return r


def python_root():
    r = small_root()
    python = "/usr/bin/python3"
    if not os.path.exists(python) or not shutil.which("git", path="/usr/bin:/bin"):
        raise Unavailable("this machine has no /usr/bin/python3 or no git to make an image of")
    said = subprocess.run([python, "-Sc", "import sys, sysconfig; print(sys.executable, sysconfig.get_paths()['stdlib'])"],
                          capture_output=True, text=True, check=True).stdout.split()
    r.program("python3", python)
    r.tree(said[1], PYTHON_WITHOUT)
    for f in glob.glob(said[1] + "/lib-dynload/*.so"):
        r.libraries(f)
    for name in ("C.utf8", "C.UTF-8"):
        if os.path.isdir("/usr/lib/locale/" + name):
            r.tree("/usr/lib/locale/" + name)
    r.program("git")
    core = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True, env={"PATH": "/usr/bin:/bin"}).stdout.strip()
    r.tree(core)
    if os.path.isdir("/usr/share/git-core/templates"):
        r.tree("/usr/share/git-core/templates")
    return r


IMAGES = {"small": ("whelk-test/small", small_root), "python": ("whelk-test/python", python_root)}


# ---- the keeper --------------------------------------------------------------------------------------------------

def holders(folder):
    """Processes whose command line names the folder."""
    found = []
    for p in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{p}/cmdline", "rb") as f:
                words = f.read().split(b"\0")
        except OSError:
            continue
        if int(p) != os.getpid() and any(folder.encode() + b"/" in w for w in words) and b"keep" not in words:
            found.append(int(p))
    return found


def descendants(pids):
    parents = {}
    for p in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{p}/stat") as f:
                parents.setdefault(int(f.read().rsplit(")", 1)[1].split()[1]), []).append(int(p))
        except OSError:
            pass
    todo, found = list(pids), []
    while todo:
        p = todo.pop()
        for child in parents.get(p, ()):
            found.append(child)
            todo.append(child)
    return found


def kill(pid, number):
    try:
        os.kill(pid, number)
    except OSError:
        pass


def unmount_below(folder):
    for _ in range(3):
        with open("/proc/self/mountinfo") as f:
            points = [line.split()[4].encode().decode("unicode_escape") for line in f]
        points = [p for p in points if p.startswith(folder + "/")]
        for p in sorted(points, key=len, reverse=True):
            subprocess.run(["umount", "-l", p], stderr=subprocess.DEVNULL)
        if not points:
            break


class Keeper:
    def __init__(self, kind, folder, options):
        self.kind, self.folder, self.options = kind, folder, options
        self.socket = folder + "/engine.sock"
        self.process = None
        self.storage = ["overlay2", "vfs"] if kind == "docker" else ["overlay", "vfs"]

    def command(self):
        f = self.folder
        if self.kind == "podman":
            return ["podman", "--root", f + "/data", "--runroot", f + "/run", "--tmpdir", f + "/tmp", "--runtime", "runc",
                    "--cgroup-manager", "cgroupfs", "--events-backend", "file", "--storage-driver", self.storage[0], "system", "service",
                    "--time", "0", "unix://" + self.socket]
        words = ["dockerd", "--host", "unix://" + self.socket, "--data-root", f + "/data", "--exec-root", f + "/run", "--pidfile", f + "/pid",
                 "--config-file", f + "/daemon.json", "--storage-driver", self.storage[0], "--cgroup-parent", "/" + os.path.basename(f),
                 "--iptables=false", "--ip6tables=false", "--shutdown-timeout", "1"]
        if not self.options.get("bridge"):
            words.append("--bridge=none")
        return words

    def start(self):
        while True:
            said = self.try_start()
            if not said or len(self.storage) == 1 or "driver" not in said:
                return said
            self.storage.pop(0)

    def try_start(self):
        if os.path.exists(self.socket):
            os.unlink(self.socket)
        if self.kind == "docker":
            with open(self.folder + "/daemon.json", "w") as f:
                json.dump({"insecure-registries": ["127.0.0.0/8"]}, f)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("DOCKER_", "CONTAINER_"))}
        env["CONTAINERS_REGISTRIES_CONF"] = self.folder + "/registries.conf"
        if self.kind == "podman":
            with open(self.folder + "/registries.conf", "w") as f:
                f.write('unqualified-search-registries = []\n')
                if self.options.get("insecure"):
                    f.write(f'[[registry]]\nlocation = "{self.options["insecure"]}"\ninsecure = true\n')
        log = open(self.folder + "/log", "ab")
        begin = log.tell()
        self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, env=env,
                                        cwd=self.folder)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                if call(self.socket, "GET", "/_ping", timeout=2)[0] == 200:
                    return ""
            except OSError:
                pass
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        self.stop(signal.SIGKILL)
        with open(self.folder + "/log", "rb") as f:
            f.seek(begin)
            lines = f.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"

    def stop(self, number=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            kill(self.process.pid, number)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                kill(self.process.pid, signal.SIGKILL)
                self.process.wait()

    def forget_containerd(self):
        """dockerd's own goes with it; its number may be that of a process which nobody has waited for."""
        path = self.folder + "/run/containerd/containerd.pid"
        if os.path.exists(path):
            with open(path) as f:
                kill(int(f.read()), signal.SIGKILL)
            os.unlink(path)

    def clean(self):
        """Everything that is left, whatever state it is in."""
        for _ in range(20):
            left = holders(self.folder)
            if not left:
                break
            for p in descendants(left) + left:
                kill(p, signal.SIGKILL)
            time.sleep(0.1)
        unmount_below(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        # podman's own lie in one for all of its services: those that are in use stay.
        name = "libpod_parent" if self.kind == "podman" else os.path.basename(self.folder)
        for top in glob.glob(f"/sys/fs/cgroup/{name}") + glob.glob(f"/sys/fs/cgroup/*/{name}"):
            for d, _, _ in os.walk(top, topdown=False):
                try:
                    os.rmdir(d)
                except OSError:
                    pass

    def serve(self):
        print(json.dumps({"error": self.start(), "pid": self.process.pid if self.process else 0}), flush=True)
        for line in sys.stdin:
            what = json.loads(line)["do"]
            said = ""
            if what == "kill":
                self.stop(signal.SIGKILL)
                self.forget_containerd()
            elif what == "start":
                said = self.start()
            elif what == "stop":
                break
            print(json.dumps({"error": said, "pid": self.process.pid}), flush=True)


def keep(kind, folder, options):
    # Out of the caller's sight: what ends the test with all its children must leave this one.
    if os.fork():
        os._exit(0)
    os.setsid()
    for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(s, signal.SIG_IGN)
    if options.get("bridge"):
        # Its bridge and its ports are in a network of their own.
        os.unshare(os.CLONE_NEWNET) if hasattr(os, "unshare") else libc_unshare()
        subprocess.run(["ip", "link", "set", "lo", "up"], check=False)
    k = Keeper(kind, folder, options)
    try:
        k.serve()
    except BrokenPipeError:
        pass
    # Nothing of it is kept: there is no need to wait for containers that take their time.
    k.stop(signal.SIGKILL)
    k.clean()


def libc_unshare():
    import ctypes
    if ctypes.CDLL(None, use_errno=True).unshare(0x40000000) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


# ---- for tests ---------------------------------------------------------------------------------------------------

class Engine:
    kind = ""
    program = ""

    def __init__(self, **options):
        self.options = options

    def __enter__(self):
        if os.geteuid() != 0:
            raise Unavailable(f"{self.program} can be started by root only")
        for needed in (self.program, "runc", "ldd"):
            if not shutil.which(needed):
                raise Unavailable(f"{needed} is not installed")
        self.folder = tempfile.mkdtemp(prefix="wke-", dir="/tmp")
        os.chmod(self.folder, 0o755)
        self.socket = self.folder + "/engine.sock"
        self.keeper = subprocess.Popen([sys.executable, "-B", os.path.abspath(__file__), "keep", self.kind, self.folder, json.dumps(self.options)],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        said = self.answer()
        if said:
            self.__exit__()
            raise Unavailable(f"{self.program} does not start here: {said}")
        return self

    def answer(self):
        line = self.keeper.stdout.readline()
        if not line:
            return "its keeper has ended"
        a = json.loads(line)
        self.pid = a["pid"]
        return a["error"]

    def tell(self, what):
        self.keeper.stdin.write(json.dumps({"do": what}) + "\n")
        self.keeper.stdin.flush()
        return self.answer()

    def __exit__(self, *_):
        try:
            self.keeper.stdin.close()
        except OSError:
            pass
        self.keeper.stdout.read()
        self.keeper.stdout.close()
        self.keeper.wait()

    def kill(self):
        """The daemon goes, without a word; containers stay as they are."""
        self.tell("kill")

    def start(self):
        said = self.tell("start")
        if said:
            raise RuntimeError(said)

    def api(self, method, target, body=None, **more):
        status, said = call(self.socket, method, target, body, **more)
        try:
            return status, json.loads(said) if said else None
        except ValueError:
            return status, said

    def load(self, which):
        """Imports an image unless it is there; its name."""
        name, make = IMAGES[which]
        if self.api("GET", f"/images/{name}:latest/json")[0] != 200:
            status, said = self.api("POST", f"/images/create?fromSrc=-&repo={name}&tag=latest", make().close(), kind="application/x-tar", timeout=300)
            if status != 200:
                raise RuntimeError(f"import of {name}: {status} {said}")
        return name

    def containers(self, label="dev.whelk.managed"):
        query = "?all=1&filters=" + json.dumps({"label": [label]}).replace(" ", "").replace('"', "%22").replace("{", "%7B").replace("}", "%7D")
        return self.api("GET", "/containers/json" + query)[1]


class Docker(Engine):
    kind = "docker"
    program = "dockerd"


class Podman(Engine):
    kind = "podman"
    program = "podman"


def main():
    if sys.argv[1] == "keep":
        keep(sys.argv[2], sys.argv[3], json.loads(sys.argv[4]))
        return 0
    words, images = sys.argv[2:], []
    while words and words[0] == "-i":
        images.append(words[1])
        words = words[2:]
    try:
        with (Docker if sys.argv[1] == "docker" else Podman)() as e:
            for i in images:
                e.load(i)
            return subprocess.run(words, env={**os.environ, "DOCKER_HOST": "unix://" + e.socket}).returncode
    except Unavailable as why:
        print(f"skipped: {why}", file=sys.stderr)
        return SKIP


if __name__ == "__main__":
    sys.exit(main())
