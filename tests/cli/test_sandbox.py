"""test_sandbox.py - whelk --sandbox: the script's streams and status, options that are refused, cancelling"""
import json
import os
import pty
import select
import signal
import subprocess
import time

from cli import WHELK, holds, main, same, scratch, whelk

BOX = ("--sandbox", "inprocess")
ALLOWED = "ALLOW_DANGEROUS_LOCAL_HOST"


def host_env(top):
    return {**os.environ, ALLOWED: "1", "XDG_CACHE_HOME": top, "HOME": top}


def test_streams_and_status():
    r = whelk(*BOX, "-c", "pwd; cat; echo bad >&2; exit 7", stdin=b"in\n")
    same((r.out, r.err, r.status), (b"/workspace\nin\n", b"bad\n", 7))
    r = whelk(*BOX, "-c", "echo \"$0|$1|$#\"", "name", "it's", "x")
    same(r.out, b"name|it's|2\n")
    same(whelk(*BOX, "-c", "kill -9 $$").status, 137)
    same(whelk(*BOX, "-eu", "-o", "pipefail", "-c", "false | true; echo no").status, 1)
    same(whelk(*BOX, "-c", "echo $A", "--env", "A=b").out, b"\n")  # what follows the script are its arguments
    same(whelk(*BOX, "--env", "A=b", "--cwd", "/tmp", "-c", "echo $A; pwd").out, b"b\n/tmp\n")


def test_files_and_standard_input_as_script():
    with scratch() as top:
        path = os.path.join(top, "s.sh")
        with open(path, "w", encoding="utf-8") as f:
            f.write("#!/bin/bash\necho $0 $1\nread x\necho got $x\nnosuch\n")
        r = whelk(*BOX, path, "arg", stdin=b"line\n")
        same((r.out, r.status), (f"{path} arg\ngot line\n".encode(), 127))
        holds(b"line 5: nosuch: command not found", r.err)
        long = os.path.join(top, "long.sh")
        with open(long, "w", encoding="utf-8") as f:
            f.write("# " + "x" * 300000 + "\necho $1\n")
        same(whelk(*BOX, long, "end").out, b"end\n")
        same(whelk(*BOX, top).status, 126)
    same(whelk(*BOX, "/no/such").status, 127)
    same(whelk(*BOX, stdin=b"echo a\nexit 3\n").status, 3)
    same(whelk(*BOX, "-s", "x", "y", stdin=b"echo $# $2\nread l\nthe line\necho $l\n").out, b"2 y\nthe line\n")


def test_input_is_read_only_when_asked():
    for script, left in (("echo hi; sleep 0.1", b"one\ntwo\n"), ("read -r x", None)):
        r, w = os.pipe()
        os.write(w, b"one\ntwo\n")
        os.close(w)
        subprocess.run([WHELK, *BOX, "-c", script], stdin=r, capture_output=True, timeout=30, check=True)
        if left is not None:
            same(os.read(r, 100), left)
        os.close(r)


def test_closed_standard_descriptors():
    with scratch() as top:
        for options in (), BOX, ("--sandbox", "host"), ("--delegate", "host=uname"):
            def run(closed, script, options=options):
                return subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", WHELK, *options, "-c", script], env=host_env(top),
                                      stdin=subprocess.PIPE, capture_output=True, timeout=30, check=False)
            same(run("<&-", "cat; echo end").stdout, b"end\n", options)
            r = run(">&-", "echo to nobody, at some length; uname; echo heard >&2; exit 3")
            same((r.stdout, r.stderr[-6:], r.returncode), (b"", b"heard\n", 3), options)
            r = run("<&- >&- 2>&-", "echo to nobody, at some length; echo nor this >&2; uname; exit 3")
            same((r.stdout, r.stderr, r.returncode), (b"", b"", 3), options)


def test_output_that_cannot_be_written():
    with open("/dev/full", "wb") as full:
        r = subprocess.run([WHELK, *BOX, "-c", "echo x; sleep 60"], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
                           timeout=30, check=False)
    same((r.stderr, r.returncode), (b"whelk: write error: No space left on device\n", 125))


def test_output_streams_and_order():
    run = subprocess.Popen([WHELK, *BOX, "-c", "echo first; read x; echo $x"], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE)
    same(run.stdout.readline(), b"first\n")  # before there is any input
    run.stdin.write(b"second\n")
    run.stdin.flush()
    same(run.stdout.readline(), b"second\n")
    run.stdin.close()
    same(run.wait(30), 0)
    done = subprocess.run([WHELK, *BOX, "-c", "echo a; echo b >&2; echo c"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=30, check=False)
    same(done.stdout, b"a\nb\nc\n")
    same(len(whelk(*BOX, "-c", "yes | head -c 30000000").out), 30000000)
    r = subprocess.run(["sh", "-c", f"'{WHELK}' --sandbox inprocess -c yes | head -n 2"], capture_output=True,
                       timeout=30, check=False)
    same(r.stdout, b"y\ny\n")


def test_time_out():
    began = time.monotonic()
    r = whelk(*BOX, "--timeout", "300ms", "-c", "echo before; sleep 1000")
    same((r.out, r.status), (b"before\n", 124))
    holds(b"whelk: timed out after 300 ms", r.err)
    if time.monotonic() - began > 30:
        raise AssertionError("it did not end")


def test_memory():
    r = whelk(*BOX, "--memory", "20M", "-c", "x=$(yes | tr -d '\\n'); echo no")
    same((r.out, r.status), (b"", 137))
    holds(b"memory", r.err)
    same(whelk(*BOX, "--limit", "steps=1000", "-c", "while :; do :; done").status, 137)


def test_ctrl_c():
    for script in ("echo ready; sleep 1000", "echo ready; while :; do :; done"):
        run = subprocess.Popen([WHELK, *BOX, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
        same(run.stdout.readline(), b"ready\n")
        run.send_signal(signal.SIGINT)
        same(run.wait(30), 130)
        same(run.stderr.read(), b"")


def test_json():
    r = whelk(*BOX, "--json", "-c", "echo out; echo err >&2; exit 2")
    o = json.loads(r.out)
    same((o["status"], o["stdout"], o["stderr"], o["stop"], r.status), (2, "out\n", "err\n", "exit", 2))
    o = json.loads(whelk(*BOX, "--json", "--timeout", "200ms", "-c", "sleep 1000").out)
    same((o["stop"], o["limit"]), ("limit", "time"))


def test_what_is_refused():
    for args, word in ((("--image", "debian"), b"image"), (("--network", "all"), b"network"),
                       (("--isolation", "auto"), b"isolation"), (("--publish", "80"), b"ports"),
                       (("--cpus", "1.5"), b"cpu_milli"), (("--inherit-env",), b"inherit_env"),
                       (("--read-only-root",), b"read_only_root"), (("--extra", "a=b"), b"extra"), (("--shell", "zsh"), b"shell"),
                       (("--delete-on-cleanup", "no"), b"delete_on_cleanup")):
        r = whelk(*BOX, *args, "-c", "echo no")
        same((r.out, r.status), (b"", 125), args)
        holds(b"whelk: inprocess: " + word, r.err)
        same(r.err.count(b"\n"), 1, args)
    r = whelk("--sandbox", "cloud", "-c", "true")
    same(r.status, 125)
    holds(b"cloud: no such kind of sandbox", r.err)
    for args in (("--image", "x", "-c", "true"), ("--tty", "-c", "true"), (*BOX, "--json", "--tty", "-c", "true"),
                 ("--sandbox", "host", "--mount", "/:/x", "-c", "true"), (*BOX, "--publish", "x", "-c", "true"),
                 ("--sandbox", "docker", "--limit", "steps=9", "-c", "true"), (*BOX, "--memory", "lots", "-c", "true"),
                 (*BOX, "--cpus", "many", "-c", "true"), (*BOX, "--secret", "NO_SUCH_VARIABLE", "-c", "true"),
                 (*BOX, "--setup"), (*BOX, "--delete-on-cleanup", "maybe", "-c", "true")):
        r = whelk(*args)
        same((r.out, r.status), (b"", 2), args)
        holds(b"Try 'whelk --help'", r.err)
    r = whelk(*BOX, "--setup", "/no/such/file", "-c", "true")
    same((r.err, r.status), (b"whelk: /no/such/file: No such file or directory\n", 125))


def test_sessions_options_hold_for_the_kind_inprocess():
    with scratch() as top:
        with open(os.path.join(top, "f"), "w", encoding="utf-8") as f:
            f.write("of the host\n")
        r = whelk(*BOX, "--mount", f"{top}:/m", "--user", "ann:1234", "--hostname", "box", "--clock", "fixed:0",
                  "-c", "cat /m/f; id -un; id -u; hostname; date +%Y; echo no > /m/f")
        same(r.out, b"of the host\nann\n1234\nbox\n1970\n")
        holds(b"Read-only file system", r.err)


def test_secrets():
    env = {**os.environ, "TOKEN": "very-secret"}
    r = whelk(*BOX, "--secret", "TOKEN=env", "-c", "env | grep TOKEN", env=env)
    same((r.out, r.status), (b"", 2))
    holds(b"without commands", r.err)
    r = whelk(*BOX, "--secret", "TOKEN=bash", "-c", "echo [$TOKEN]", env=env)
    same(r.out, b"[***]\n")
    for options in BOX, ("--sandbox", "host"):
        with scratch() as top:
            r = whelk(*options, "--secret", "TOKEN", "-c", "echo [$TOKEN] ${#TOKEN}; env | grep TOKEN", env={**env, **host_env(top), "TOKEN": env["TOKEN"]})
            same(r.out, b"[***] 11\nTOKEN=***\n")
    r = whelk("--delegate", "host=git", "--secret", "TOKEN", "-c", "true", env=env)
    same(r.status, 2)
    holds(b"names the commands", r.err)


def read_until(fd, text, seconds=30):
    got, end = b"", time.monotonic() + seconds
    while text not in got:
        ready, _, _ = select.select([fd], [], [], max(0, end - time.monotonic()))
        if not ready:
            raise AssertionError(f"{text!r} is not in {got!r}")
        got += os.read(fd, 4096)
    return got


def test_a_terminal():
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(WHELK, [WHELK, *BOX, "--tty", "-c", "tty; echo $COLUMNS; read x; echo \"[$x]\"; sleep 1000"])
    read_until(fd, b"/dev/tty\r\n")
    os.write(fd, b"keys\r")
    read_until(fd, b"[keys]\r\n")
    os.write(fd, b"\x03")
    _, status = os.waitpid(pid, 0)
    same(os.waitstatus_to_exitcode(status), 130)
    os.close(fd)


def test_a_shell_at_a_terminal():
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(WHELK, [WHELK, *BOX])
    read_until(fd, b"$ ")
    os.write(fd, b"echo $((6 * 7))\r")
    same(read_until(fd, b"5.2$ "), b"echo $((6 * 7))\r\n42\r\nbash-5.2$ ")
    os.write(fd, b"sleep 1000\r")
    read_until(fd, b"sleep 1000\r\n")
    os.write(fd, b"\x03")
    read_until(fd, b"$ ")
    os.write(fd, b"cat\rline\r\x04")  # the end of input is cat's, and the shell goes on
    read_until(fd, b"$ ")
    os.write(fd, b"exit 3\r")
    _, status = os.waitpid(pid, 0)
    same(os.waitstatus_to_exitcode(status), 3)
    os.close(fd)


def test_the_host_is_not_used_by_accident():
    env = {k: v for k, v in os.environ.items() if k != ALLOWED}
    r = whelk("--sandbox", "host", "-c", "echo no", env=env)
    same((r.out, r.status), (b"", 125))
    holds(ALLOWED.encode(), r.err)
    same(r.err.count(b"\n"), 1)


def test_the_host():
    with scratch() as top:
        env = host_env(top)
        r = whelk("--sandbox", "host", "-c", "cat; echo $0 $1; echo bad >&2; exit 5", "name", "arg", stdin=b"in\n",
                  env=env)
        same((r.out, r.status), (b"in\nname arg\n", 5))
        holds(b"whelk: warning: ", r.err)
        holds(b"bad\n", r.err)
        r = whelk("--sandbox", "host", "--workspace", top, "-c", "pwd; echo kept > f", env=env)
        same(r.out, f"{top}\n".encode())
        with open(os.path.join(top, "f"), "rb") as f:
            same(f.read(), b"kept\n")
        same(whelk("--sandbox", "host", "-c", "kill -TERM $$", env=env).status, 143)
        same(whelk("--sandbox", "host", "--timeout", "300ms", "-c", "sleep 1000", env=env).status, 124)
        r = whelk("--sandbox", "host", "--network", "none", "-c", "true", env=env)
        same(r.status, 125)
        holds(b"network", r.err)
        left = [os.path.join(d, n) for d, dirs, names in os.walk(os.path.join(top, "whelk")) for n in dirs + names
                if n.startswith("host-")]
        same(left, [])


def test_docker_without_an_engine():
    with scratch() as top:
        env = {**os.environ, "DOCKER_HOST": f"unix://{top}/none.sock", "HOME": top}
        r = whelk("--sandbox", "docker", "-c", "echo no", env=env)
        same((r.out, r.status), (b"", 125))
        holds(f"{top}/none.sock".encode(), r.err)
        same(r.err.count(b"\n"), 1)


if __name__ == "__main__":
    main(globals())
