"""test_delegate.py - whelk --delegate: commands of a session that run in a sandbox"""
import json
import os
import pty
import select
import signal
import subprocess
import time

from cli import WHELK, holds, main, same, scratch, whelk

ALLOWED = "ALLOW_DANGEROUS_LOCAL_HOST"
WARNING = b"whelk: warning: "


def host_env(top):
    return {**os.environ, ALLOWED: "1", "XDG_CACHE_HOME": top, "HOME": top}


def without_warnings(err):
    return b"".join(line for line in err.splitlines(True) if not line.startswith(WARNING))


def test_files_go_there_and_come_back():
    with scratch() as top:
        r = whelk("--delegate", "host=python3", "--cwd", "/work", "-c",
                  "echo 'print(open(\"in\").read().upper()); open(\"out\", \"w\").write(\"made\")' > a.py\n"
                  "echo text > in; mkdir d; echo gone > d/gone\n"
                  "python3 a.py; cat out; echo; python3 -c 'import os; os.remove(\"d/gone\")'; ls d; pwd",
                  env=host_env(top))
        same((r.out, without_warnings(r.err), r.status), (b"TEXT\n\nmade\n/work\n", b"", 0))


def test_entries_of_another_type():
    with scratch() as top:
        make = {"link": "ln -s nowhere x", "file": "echo text >x", "directory": "mkdir x; echo in >x/f"}
        show = {"link": b"nowhere\n", "file": b"text\n", "directory": b"in\n"}
        look = "readlink x || cat x/f || cat x"
        for a in make:
            for b in make:
                if a != b:
                    r = whelk("--delegate", "host=sh", "-c", f"{make[a]}; sh -c 'rm -r x; {make[b]}'; {look}; sh -c '{look}'", env=host_env(top))
                    same((r.out, a, b), (2 * show[b], a, b))
                    r = whelk("--delegate", "host=sh", "-c", f"sh -c '{make[a]}'; rm -r x; {make[b]}; sh -c '{look}'; {look}", env=host_env(top))
                    same((r.out, a, b), (2 * show[b], a, b))


def test_many_arguments():
    with scratch() as top:
        r = whelk("--delegate", "host=sh", "-c", "sh -c 'echo $# ${100000}' sh $(seq 100000)", env=host_env(top))
        same((r.out, r.status), (b"100000 100000\n", 0))
        r = whelk("--delegate", "host=sh", "-c", "x=$(printf %200000d 0); sh -c 'echo no' \"$x\"; echo $?", env=host_env(top))
        same(r.out, b"126\n")    # as bash says of one that is longer than the kernel takes
        holds(b"Argument list too long", r.err)


def test_streams_status_and_signals():
    with scratch() as top:
        env = host_env(top)
        script = "import sys; d = sys.stdin.read(); print(len(d)); print(\"bad\", file=sys.stderr); sys.exit(7)"
        r = whelk("--delegate", "host=python3", "-c", f"yes | head -c 3000000 | python3 -c '{script}' | cat; "
                  "echo ${PIPESTATUS[*]}", env=env)
        same((r.out, without_warnings(r.err)), (b"3000000\n141 0 7 0\n", b"bad\n"))
        r = whelk("--delegate", "host=python3", "-c",
                  "python3 -c 'import os; os.kill(os.getpid(), 15)'; echo $?; python3 -c 'print(input())'",
                  stdin=b"of the program\n", env=env)
        same(r.out, b"143\nof the program\n")
        r = whelk("--delegate", "host=python3", "--user", "ann:1234", "--env", "A=b", "-c",
                  "id -un; unset A; python3 -c 'import os; print(os.environ.get(\"A\"))'", env=env)
        same(r.out, b"ann\nNone\n")
        r = whelk("--delegate", "host=yes2,python3", "-c", "yes2; echo $?; type python3; A=b python3 -c "
                  "'import os; print(os.environ[\"A\"])'", env=env)
        same(r.out, b"127\npython3 is /usr/bin/python3\nb\n")


def test_several_sandboxes():
    with scratch() as top:
        env = {**host_env(top), "DOCKER_HOST": f"unix://{top}/none.sock"}
        r = whelk("--delegate", "host=python3", "--delegate", "docker=there,where", "-c",
                  "python3 -c 'print(1)'; there; echo $?", env=env)
        same(r.out, b"1\n126\n")


def test_what_it_changes_is_in_the_result():
    with scratch() as top:
        r = whelk("--delegate", "host=python3", "--json", "-c", "python3 -c 'open(\"f\", \"w\").write(\"x\")'",
                  env=host_env(top))
        o = json.loads(r.out)
        same([(f["change"], os.path.basename(f["path"])) for f in o["files"]], [("added", "f")])


def test_ctrl_c():
    with scratch() as top:
        run = subprocess.Popen([WHELK, "--delegate", "host=python3", "-c",
                                "python3 -uc 'import time; print(\"ready\"); time.sleep(1000)'; echo no"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                               env=host_env(top))
        same(run.stdout.readline(), b"ready\n")
        run.send_signal(signal.SIGINT)
        same((run.wait(30), run.stdout.read()), (130, b""))


def read_until(fd, text, seconds=30):
    got, end = b"", time.monotonic() + seconds
    while text not in got:
        ready, _, _ = select.select([fd], [], [], max(0, end - time.monotonic()))
        if not ready:
            raise AssertionError(f"{text!r} is not in {got!r}")
        got += os.read(fd, 4096)


def test_the_prompt():
    with scratch() as top:
        env = host_env(top)
        pid, fd = pty.fork()
        if pid == 0:
            os.execve(WHELK, [WHELK, "--delegate", "host=python3"], env)
        os.write(fd, b"python3 -c 'print(6 * 7)' > f; echo is $(cat f)\n")
        read_until(fd, b"is 42")
        os.write(fd, b"exit 4\n")
        _, status = os.waitpid(pid, 0)
        os.close(fd)
        same(os.waitstatus_to_exitcode(status), 4)


def test_the_host_is_not_used_by_accident():
    env = {k: v for k, v in os.environ.items() if k != ALLOWED}
    r = whelk("--delegate", "host=python3", "-c", "echo before; python3 -V; echo $?", env=env)
    same(r.out, b"before\n126\n")
    holds(ALLOWED.encode(), r.err)


def test_docker_without_an_engine():
    with scratch() as top:
        env = {**os.environ, "DOCKER_HOST": f"unix://{top}/none.sock", "HOME": top}
        r = whelk("--delegate", "docker:registry.local:5000/team/python:3.12=python3,pip", "--pull", "never", "-c",
                  "echo works; pip list; echo $?", env=env)
        same(r.out, b"works\n126\n")
        holds(f"{top}/none.sock".encode(), r.err)
        same(r.err.count(b"\n"), 1)


def test_ways_of_files():
    with scratch() as top:
        env = host_env(top)
        to = ("--delegate", "host=sh")
        script = 'echo a >f; sh -c "ls; echo b >g"; ls'
        same(whelk("--sync", "both", *to, "-c", script, env=env).out, b"f\nf\ng\n")
        same(whelk("--sync=in", *to, "-c", script, env=env).out, b"f\nf\n")
        same(whelk("--sync", "none", *to, "-c", script, env=env).out, b"f\n")
        r = whelk("--sync-limit", "1K", *to, "-c", 'sh -c "head -c 2000 /dev/zero >b"; echo $?; ls', env=env)
        same(r.out, b"0\n")
        holds(b"/b: larger than a file that may come back", r.err)
        # One directory of the host, seen by both sides: nothing has to be carried.
        os.mkdir(top + "/mine")
        shared = ("--mount", f"{top}/mine:/home/user:rw", "--workspace", top + "/mine", "--sync", "none")
        same(whelk(*shared, *to, "-c", 'echo x >f; sh -c "cat f; echo y >g"; cat g', env=env).out, b"x\ny\n")


def test_what_is_refused():
    for args in (("--sync", "in"), ("--sync", "out", "--delegate", "host=git"), ("--sync-limit", "0", "--delegate", "host=git"),
                 ("--delegate", "docker"), ("--delegate", "docker="), ("--delegate", "=git"), ("--delegate", "host="),
                 ("--delegate", "docker:=git"), ("--delegate", "host=a,,b"), ("--delegate", "cloud=git"),
                 ("--delegate", "host:image=git"), ("--delegate", "inprocess=git"), ("--delegate", "host=git", "--image", "debian"),
                 ("--delegate", "docker=git", "--isolation", "auto"), ("--delegate", "host=git", "--tty"),
                 ("--delegate", "host=git", "--memory", "1G"),
                 ("--delegate",), ("--sandbox", "inprocess", "--delegate", "host=git")):
        r = whelk(*args, "-c", "echo no")
        same((r.out, r.status), (b"", 2), args)
        holds(b"Try 'whelk --help'", r.err)
    r = whelk("--delegate", "host=a/b", "-c", "echo no")
    same((r.out, r.status), (b"", 125))
    holds(b"whelk: --delegate host: ", r.err)


if __name__ == "__main__":
    main(globals())
