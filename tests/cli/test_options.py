"""test_options.py - the options of the whelk program, its statuses, and what it reads and shows"""
import json
import os
import signal
import subprocess
import time

from cli import WHELK, holds, main, same, scratch, whelk


def test_script_and_arguments():
    r = whelk("-c", "echo $0 $# \"$2\"", "name", "a", "b c")
    same((r.out, r.status), (b"name 2 b c\n", 0))
    same(whelk("-c", "exit 7").status, 7)
    same(whelk("-c", "echo $0").out, b"bash\n")


def test_file():
    with scratch() as top:
        path = os.path.join(top, "s.sh")
        with open(path, "w", encoding="utf-8") as f:
            f.write("echo $0 $1\nfalse\nnosuch\n")
        r = whelk(path, "arg")
        same(r.out, f"{path} arg\n".encode())
        same(r.err, f"{path}: line 3: nosuch: command not found\n".encode())
        same(r.status, 127)
        same(whelk(top).status, 126)
    r = whelk("/no/such/file")
    same((r.err, r.status), (b"whelk: /no/such/file: No such file or directory\n", 127))


def test_standard_input_as_script():
    same(whelk(stdin=b"echo a\nexit 3\n").status, 3)
    same(whelk("-s", "x", "y", stdin=b"echo $# $2\n").out, b"2 y\n")
    same(whelk(stdin=b"read x\nthe line\necho got $x\n").out, b"got the line\n")


def test_standard_input_is_read_only_when_asked():
    for script, left in (("echo hi", b"one\ntwo\n"), ("read -r x", None)):
        r, w = os.pipe()
        os.write(w, b"one\ntwo\n")
        os.close(w)
        done = subprocess.run([WHELK, "-c", script], stdin=r, capture_output=True, timeout=30, check=False)
        rest = os.read(r, 100)
        os.close(r)
        same(done.returncode, 0)
        if left is not None:
            same(rest, left, "what is left")
    # Waiting for input that never comes would hang here.
    r, w = os.pipe()
    done = subprocess.run([WHELK, "-c", "echo hi"], stdin=r, capture_output=True, timeout=30, check=False)
    same(done.stdout, b"hi\n")
    os.close(r)
    os.close(w)


def test_output_streams():
    child = subprocess.Popen([WHELK, "-c", "echo first; sleep 30"], stdout=subprocess.PIPE)
    same(child.stdout.readline(), b"first\n")
    child.kill()
    child.wait()
    child.stdout.close()


def test_both_streams_in_one_file_keep_their_order():
    done = subprocess.run([WHELK, "-c", "echo a; echo b >&2; echo c; nosuch; echo d; (echo e >&2) & wait; echo f"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30,
                          check=False)
    same(done.stdout, b"a\nb\nc\nbash: line 1: nosuch: command not found\nd\ne\nf\n")


def test_closed_output():
    done = subprocess.run(["bash", "-c", '"$0" -c "yes" | head -n 1; echo "${PIPESTATUS[0]}"', WHELK],
                          capture_output=True, timeout=30, check=False)
    same(done.stdout, b"y\n141\n")


def test_flags_of_set():
    same(whelk("-e", "-c", "false; echo no").status, 1)
    r = whelk("-u", "-c", "echo $nope; echo no")
    same((r.out, r.status), (b"", 127))
    same(whelk("-x", "-c", "echo a").err, b"+ echo a\n")
    same(whelk("-n", "-c", "echo a").out, b"")
    same(whelk("-o", "pipefail", "-c", "false | true").status, 1)
    same(whelk("-eo", "pipefail", "-c", "false | true; echo no").out, b"")
    same(whelk("-e", "+e", "-c", "false; echo yes").out, b"yes\n")
    same(whelk("-euc", "echo $-").out, b"ehuBc\n")


def test_environment_is_invisible_unless_granted():
    env = dict(os.environ, SECRET="1")
    same(whelk("-c", "echo ${SECRET-none}", env=env).out, b"none\n")
    same(whelk("--env", "A=b c", "--env=B=2", "-c", "echo $A $B; printenv A").out, b"b c 2\nb c\n")
    same(whelk("--env", "PATH=/x", "-c", "echo $PATH").out, b"/x\n")
    same(whelk("--env", "oops", "-c", ":").status, 2)


def test_host_files_are_invisible():
    with scratch() as top:
        with open(os.path.join(top, "f"), "w", encoding="utf-8") as f:
            f.write("data\n")
        r = whelk("-c", f"cat {top}/f; ls {top}", cwd=top)
        same(r.out, b"")
        same(r.status, 2)
        same(whelk("-c", "cat f; ls", cwd=top).out, b"")
    same(whelk("-c", "cat /etc/shadow /etc/hostname").out, b"")


def test_mount_read_only():
    with scratch() as top:
        with open(os.path.join(top, "f"), "w", encoding="utf-8") as f:
            f.write("data\n")
        os.symlink("/etc/passwd", os.path.join(top, "out"))
        r = whelk("--mount", f"{top}:/m", "-c", "cat /m/f; echo x > /m/f; echo x > /m/new; cat /m/../m/f")
        same(r.out, b"data\ndata\n")
        holds(b"Read-only file system", r.err)
        same(sorted(os.listdir(top)), ["f", "out"])
        r = whelk("--mount", f"{top}:/m:ro", "-c", "cat /m/out")
        same(b"root:" in r.out and b"/bin/bash" in r.out and r.out == open("/etc/passwd", "rb").read(), False)


def test_script_under_a_mount():
    with scratch() as top:
        with open(os.path.join(top, "s"), "w", encoding="utf-8") as f:
            f.write('echo "$0" "$@"\n')
        for path in ("/m", top):
            r = whelk("--mount", f"{top}:{path}", f"{path}/s", "a", "b c")
            same((r.out.decode(), r.err.decode(), r.status), (f"{path}/s a b c\n", "", 0))


def test_mount_read_write():
    with scratch() as top:
        whelk("--mount", f"{top}:/m:rw", "-c", "echo new > /m/f; mkdir /m/d; echo deep > /m/d/g")
        with open(os.path.join(top, "f"), encoding="utf-8") as f:
            same(f.read(), "new\n")
        with open(os.path.join(top, "d/g"), encoding="utf-8") as f:
            same(f.read(), "deep\n")


def test_mount_overlay():
    with scratch() as top:
        path = os.path.join(top, "f")
        with open(path, "w", encoding="utf-8") as f:
            f.write("host\n")
        r = whelk("--mount", f"{top}:/m:overlay", "-c", "cat /m/f; echo mine > /m/f; cat /m/f; echo n > /m/n; rm /m/f; ls /m")
        same((r.out, r.status), (b"host\nmine\nn\n", 0))
        same(os.listdir(top), ["f"])
        with open(path, encoding="utf-8") as f:
            same(f.read(), "host\n")


def test_bad_mounts():
    for word in ("x", "/tmp:rel", "/tmp:/m:what", ":/m"):
        same(whelk("--mount", word, "-c", "echo no").status, 2)
    r = whelk("--mount", "/no/such/dir:/m", "-c", "echo no")
    same((r.out, r.status), (b"", 2))


def test_cwd_user_hostname():
    same(whelk("--cwd", "/a/b", "-c", "pwd; echo $PWD").out, b"/a/b\n/a/b\n")
    same(whelk("-c", "pwd; id -u; whoami; hostname").out, b"/home/user\n1000\nuser\nwhelk\n")
    r = whelk("--user", "bob:77", "--hostname", "box", "-c", "id -u; id -un; echo $USER $HOME $UID; uname -n")
    same(r.out, b"77\nbob\nbob /home/bob 77\nbox\n")
    same(whelk("--user", "root:0", "-c", "id -u; echo x > /etc/made && echo ok").out, b"0\nok\n")
    same(whelk("--user", "root:0", "-c", "touch f; chmod 6755 f; chown 1:1 f; stat -c %a f; chmod 6644 f; chown 0 f; stat -c %a f").out, b"755\n2644\n")
    same(whelk("-c", "echo x > /etc/made").status, 1)


def test_clocks():
    script = 'printf "%(%s)T\\n" -1; sleep 3600; printf "%(%s)T\\n" -1'
    start = time.monotonic()
    same(whelk("--clock", "virtual:1000", "-c", script).out, b"1000\n4600\n")
    same(time.monotonic() - start < 20, True)
    same(whelk("--clock", "fixed:5", "-c", 'printf "%(%s)T\\n" -1; sleep 0.05; printf "%(%s)T\\n" -1').out,
         b"5\n5\n")
    for clock in ("fixed:0", "virtual:0", "fixed:1e-300"):
        same(whelk("--clock", clock, "-c", 'printf "%(%s)T\\n" -1').out, b"0\n", clock)
    for clock in ("fixed:nan", "fixed:inf", "fixed:-1", "fixed:1e10", "fixed:", "virtual:x"):
        same(whelk("--clock", clock, "-c", ":").status, 2, clock)
    now = int(whelk("--clock", "real", "-c", 'printf "%(%s)T\\n" -1').out)
    same(abs(now - time.time()) < 30, True)
    same(whelk("--clock", "fixed", "-c", ":").status, 2)


def test_seed():
    script = "echo $RANDOM $RANDOM $SRANDOM; mktemp -u; head -c 8 /dev/urandom | sha256sum"
    a, b, c = (whelk("--seed", n, "-c", script).out for n in ("5", "5", "6"))
    same(a, b)
    same(a != c, True)


def test_json():
    r = whelk("--json", "-c", "echo out; echo err >&2; echo x > f; exit 3")
    o = json.loads(r.out)
    same((o["status"], o["stdout"], o["stderr"], o["stop"]), (3, "out\n", "err\n", "exit"))
    same(o["files"], [{"change": "added", "path": "/home/user/f"}])
    same(r.status, 3)
    o = json.loads(whelk("--json", "--limit", "time=100ms", "-c", "echo a; sleep 50").out)
    same((o["stop"], o["limit"], o["status"], o["stdout"]), ("limit", "time", 124, "a\n"))
    o = json.loads(whelk("--json", "-c", r"printf 'q\"\\\1\377é\0'").out)
    same("é" in o["stdout"], True)
    o = json.loads(whelk("--json", "-c", "kill -9 $$").out)
    same((o["stop"], o["status"]), ("signal", 137))


def test_help_and_version():
    r = whelk("--help")
    same(r.status, 0)
    for word in (b"--mount", b"--json", b"--limit", b"--clock", b"--seed", b"--env", b"--user", b"--cwd"):
        holds(word, r.out)
    holds(b"whelk 0.", whelk("--version").out)


def test_bad_options():
    for args in (["--bogus"], ["-c"], ["--limit", "foo=1"], ["--limit", "time=x"], ["--limit", "memory"],
                 ["--user", ""], ["--seed", "x"], ["-Q"], ["--cwd", "rel"], ["--mount"]):
        r = whelk(*args)
        same((r.out, r.status), (b"", 2), repr(args))
        holds(b"--help", r.err)


def interrupt(script, sig):
    child = subprocess.Popen([WHELK, "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL)
    same(child.stdout.readline(), b"up\n")
    start = time.monotonic()
    child.send_signal(sig)
    rest = child.communicate(timeout=30)[0]
    same(rest, b"", "output after the signal")
    same(time.monotonic() - start < 5, True, "seconds until it ended")
    return child.returncode


def test_interrupt_cancels():
    for script in ("echo up; sleep 100; echo no", "echo up; while :; do :; done; echo no",
                   "echo up; yes > /dev/null; echo no", "trap '' INT; echo up; while :; do :; done; echo no"):
        same(interrupt(script, signal.SIGINT), 130, script)


if __name__ == "__main__":
    main(dict(globals()))
