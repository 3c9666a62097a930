"""A place in which both shells run the same script: an empty directory of the same name, the same environment, user 1000."""
import multiprocessing
import os
import pathlib
import pwd
import resource
import shutil
import signal
import subprocess

TREE = pathlib.Path("/tmp/whelk-live")
USER = 1000


def user_name():
    """As bash finds it: by the number, not by the environment."""
    try:
        return pwd.getpwuid(USER if os.geteuid() == 0 else os.geteuid()).pw_name
    except KeyError:
        return "user"


class Place:
    """The directory in which one worker runs both shells. `settle(arguments, out, err)` is what is made of output before it is compared."""

    def __init__(self, number, options, settle=lambda arguments, out, err: (out, err)):
        self.options, self.settle = options, settle
        self.top = TREE / str(number)
        self.dir = self.top / "d"
        self.script = self.top / "s"
        self.head = []      # pieces that stand in front and are not cut
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.dir), "PWD": str(self.dir), "LANG": "C.UTF-8", "USER": user_name(),
                    "LOGNAME": user_name(), "SHELL": "/bin/bash", "TZ": "UTC"}

    def clear(self):
        if self.dir.exists():
            self.dir.chmod(0o755)
            for above, names, _ in os.walk(self.dir):
                for name in names:      # before they are looked into
                    if not os.path.islink(os.path.join(above, name)):
                        os.chmod(os.path.join(above, name), 0o755)
            shutil.rmtree(self.dir, ignore_errors=True)
        self.dir.mkdir(parents=True, exist_ok=True)

    def run(self, program, before, text, how="file", arguments=(), seconds=10):
        """(status, standard output, standard error) of a script given as `how` says: a file, a command, or on stdin."""
        command = ["bash", *before, *arguments]
        given = b""
        if how == "file":
            self.script.write_bytes(text)
            command.append(str(self.script))
        elif how == "command":
            command += ["-c", text]
        else:
            given = text
        child = subprocess.Popen(command, executable=program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir, env=self.env,
                                 start_new_session=True)
        resource.prlimit(child.pid, resource.RLIMIT_CPU, (self.options.timeout, self.options.timeout))
        try:
            out, err = child.communicate(given, seconds)
            status = child.returncode if child.returncode >= 0 else 128 - child.returncode      # ended by a signal: as a shell tells it
            return status, *self.settle(arguments, out, err)
        except subprocess.TimeoutExpired as late:
            return "timeout", late.stdout or b"", late.stderr or b""
        finally:
            try:
                os.killpg(child.pid, signal.SIGKILL)    # what it left in the background
            except ProcessLookupError:
                pass
            child.kill()
            child.communicate()

    def both(self, text, how="file", arguments=(), seconds=10):
        self.clear()
        bash = self.run(self.options.bash, [], text, how, arguments, seconds)
        self.clear()
        granted = ["--cwd", str(self.dir), "--user", user_name()]
        for name, value in self.env.items():
            if name != "PWD":
                granted += ["--env", f"{name}={value}"]
        return bash, self.run(self.options.whelk, granted, text, how, arguments, seconds)

    def differs(self, pieces, how="file", arguments=(), seconds=3):
        text = ("\n".join([*self.head, *pieces]) + "\n").encode("utf-8", "surrogateescape")
        bash, ours = self.both(text, how, arguments, seconds)
        return bash != ours, bash, ours

    def cut(self, pieces, how="file", arguments=()):
        """Fewer pieces that still differ: halves first, then one by one."""
        size = max(1, len(pieces) // 2)
        while True:
            at = 0
            while at < len(pieces):
                fewer = pieces[:at] + pieces[at + size:]
                if fewer and self.differs(fewer, how, arguments)[0]:
                    pieces = fewer
                else:
                    at += size
            if size == 1:
                return pieces
            size //= 2


def prepare_tree():
    TREE.mkdir(exist_ok=True)
    if os.geteuid() == 0:
        TREE.chmod(0o777)


def remove_places():
    """Those of this program's workers."""
    for path in TREE.glob(f"{os.getpid()}.*"):
        shutil.rmtree(path, ignore_errors=True)


def counter():
    """For become_user: one a pool."""
    return multiprocessing.Value("i", 0)


def become_user(options, count):
    """A worker becomes user 1000 once, with limits, so that starting a shell costs no more than it must. Returns the name of its place."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):   # as this was started they may be ignored: the shells would list that as traps
        signal.signal(number, signal.SIG_DFL)
    with count.get_lock():
        number = count.value
        count.value += 1
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 26, 1 << 26))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    processes = 400 + 100 * options.jobs    # a script that forks without end must not take the machine with it
    resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(USER)
        os.setuid(USER)
    os.umask(0o022)
    return f"{os.getppid()}.{number}"
