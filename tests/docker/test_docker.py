#!/usr/bin/env python3
"""Sandboxes of the kind "docker" with a real engine: test_docker.py docker|podman|none DOCKER-BOX [--few] [NAME...]

"none" is what needs no engine: none there, no permission, one that never answers, one that talks nonsense."""
import base64
import glob
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import engine  # noqa: E402
import registry  # noqa: E402

EXITED, SIGNALED, TIMEOUT, CANCELLED, MEMORY, FAILED, LOST, DETACHED = range(8)
NOMEM, INVALID, UNSUPPORTED, BUSY, CLOSED, STATE, NOENT, ACCESS = -1, -2, -3, -4, -5, -6, -7, -8
IO, AGAIN = -17, -18
CAN_BACKGROUND, CAN_ON_HOST, CAN_ISOLATED = 1 << 1, 1 << 7, 1 << 14
PROGRAM = ""
FEW = False  # containers: where they are slow
E = None  # the engine of this run
REGISTRY = None  # and one of images
CACHE = ""  # XDG_CACHE_HOME of all boxes


def soon(what, seconds=30):
    """Waits until what() is true."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)


class Refused(Exception):
    def __init__(self, answer):
        super().__init__(f"{answer['code']}: {answer.get('error')}")
        self.code, self.words = answer["code"], answer.get("error", "")


class Box:
    """docker-box at work; opened at once unless open=False."""

    def __init__(self, open=True, image="whelk-test/small", user=None, env=None, netns=None, **options):
        words = [PROGRAM] if not netns else ["nsenter", "-t", str(netns), "-n", PROGRAM]
        more = {k: v for k, v in os.environ.items() if not k.startswith("DOCKER_")}
        more.update({"XDG_CACHE_HOME": CACHE, **(env or {})})
        demote = (lambda: (os.setgroups([]), os.setgid(user), os.setuid(user))) if user else None
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=more, preexec_fn=demote)
        self.notices = []
        if open:
            self.open(image=image, **options)

    def ask(self, what, **more):
        self.send(what, **more)
        return self.receive()

    def send(self, what, **more):
        self.process.stdin.write(json.dumps({"do": what, **more}) + "\n")
        self.process.stdin.flush()

    def receive(self):
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError(f"docker-box ended: {self.process.wait()}")
            a = json.loads(line)
            if "notice" not in a:
                return a
            self.notices.append(a["text"])

    def open(self, **options):
        options.setdefault("endpoint", "unix://" + E.socket if E else None)
        if options["endpoint"] is None:
            del options["endpoint"]
        a = self.ask("open", **options)
        if a["code"]:
            self.end()
            raise Refused(a)
        self.facts = a

    def exec(self, script, **more):
        a = self.ask("exec", script=script, **more)
        return self.result(a)

    def result(self, a):
        if a["code"]:
            raise Refused(a)
        a["out"], a["err"] = base64.b64decode(a["out"]), base64.b64decode(a["err"])
        return a

    def out(self, script, **more):
        r = self.exec(script, **more)
        assert (r["outcome"], r["exit_code"]) == (EXITED, 0), r
        return r["out"].decode()

    def end(self):
        self.process.stdin.close()
        code = self.process.wait(60)
        self.process.stdout.close()
        assert code == 0, code

    def close(self):
        a = self.ask("close")
        self.end()
        return a

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            if kind is None:
                self.close()
            else:
                self.process.kill()
                self.process.wait()
                self.process.stdin.close()
                self.process.stdout.close()


def refusal(**options):
    try:
        Box(**options).close()
    except Refused as r:
        return r
    raise AssertionError("it opened")


def folders():
    return glob.glob(CACHE + "/whelk/sandboxes/*")


def ours():
    return E.containers()


def nothing_left():
    soon(lambda: not ours())
    assert not folders(), folders()


# ---- with an engine ----------------------------------------------------------------------------------------------

def test_commands():
    with Box() as b:
        assert b.out("echo hello; echo $((6*7))") == "hello\n42\n"
        r = b.exec("echo out; echo err >&2; exit 7")
        assert (r["outcome"], r["exit_code"], r["out"], r["err"]) == (EXITED, 7, b"out\n", b"err\n"), r
        r = b.exec("kill -TERM $$")
        assert (r["outcome"], r["signal"]) == (SIGNALED, 15), r
        assert b.out("cat", input="given\n") == "given\n"
        assert b.out("cat") == ""
        assert b.out("pwd; id -u; echo $HOME") == "/workspace\n0\n/root\n"
        assert b.out("id -u; id -g; echo $HOME", user="1000:1000").split()[:2] == ["1000", "1000"]
        r = b.exec("no-such-program")
        assert r["exit_code"] == 127, r
        assert b.out("tty; test -t 1 && echo yes", tty=1).endswith("yes\r\n")
        assert len(b.exec("head -c 3000000 /dev/zero")["out"]) == 3000000
        # What is process 1, and that nobody can end it.
        assert "guest" in b.out("cat /proc/1/cmdline")
        b.exec("kill -KILL 1; kill -TERM 1")
        assert b.out("echo still") == "still\n"
        assert b.facts["capabilities"] & CAN_ON_HOST and b.facts["capabilities"] & CAN_ISOLATED
        assert "network none" in b.facts["description"] and "whelk-test/small" in b.facts["description"]
    nothing_left()


def test_confinement():
    with Box(pids=40) as b:
        status = dict(line.split(":", 1) for line in b.out("cat /proc/self/status").splitlines())
        assert status["NoNewPrivs"].strip() == "1"
        caps = int(status["CapEff"], 16)
        assert caps & 1 << 21 == 0 and caps & 1 << 13 == 0 and caps & 1 << 27 == 0, hex(caps)  # SYS_ADMIN, NET_RAW, MKNOD
        as_user = dict(line.split(":", 1) for line in b.out("cat /proc/self/status", user="1000").splitlines())
        assert int(as_user["CapEff"], 16) == 0
        # No network but its own loopback, no route.
        assert sorted(b.out("ls /sys/class/net").split()) == ["lo"] and len(b.out("cat /proc/net/route").splitlines()) <= 1
        assert int(b.out("ulimit -n")) >= 1024
        r = b.exec("sh -c 'for i in $(seq 60); do sleep 1 & done; wait'")
        assert b"ork" in r["err"], r  # Cannot fork
        soon(lambda: b.exec("echo $$")["outcome"] == EXITED)
    with Box(memory_bytes=64 << 20) as b:
        r = b.exec("x=$(head -c 200000000 /dev/zero | tr '\\0' x); echo ${#x}")
        assert r["outcome"] == MEMORY and "memory" in r["error_text"], r
        r = b.exec("kill -KILL $$")
        assert (r["outcome"], r["signal"]) == (SIGNALED, 9), r
        assert b.out("echo on") == "on\n"


def test_workspaces():
    # Made: on the host, gone at the end, unless it is to be kept.
    with Box() as b:
        b.out("echo text >file; mkdir -p deep/er; ln -s / link; chmod 000 deep")
    nothing_left()
    with Box(delete_on_cleanup=2) as b:
        b.out("echo kept >file")
    found = [f for f in glob.glob(CACHE + "/whelk/**/file", recursive=True)]
    assert len(found) == 1 and open(found[0]).read() == "kept\n", found
    subprocess.run(["rm", "-r", CACHE + "/whelk"], check=True)
    # The user's own: commands are its owner, and it stays.
    with tempfile.TemporaryDirectory(dir="/tmp") as d:
        os.chown(d, 4242, 4243)
        os.chmod(d, 0o755)
        with open(d + "/given", "w") as f:
            f.write("here\n")
        with Box(workspace=d, workspace_path="/my/work") as b:
            assert b.out("cat given; id -u; id -g; pwd; touch $HOME/x; echo new >made") == "here\n4242\n4243\n/my/work\n"
        st = os.stat(d + "/made")
        assert (st.st_uid, st.st_gid) == (4242, 4243)
    # In the container.
    with Box(workspace_in_container=1) as b:
        assert not b.facts["capabilities"] & CAN_ON_HOST
        assert b.out("echo a >f; cat f; pwd") == "a\n/workspace\n"
    with Box(workspace_in_container=1, read_only_root=1, user=None) as b:
        assert b.out("echo a >f; cat f; echo t >/tmp/t; touch $HOME/h; touch /etc/x 2>/dev/null || echo no") == "a\nno\n"
    with Box(read_only_root=1) as b:
        assert b.out("echo a >f; cat f; touch /usr/x 2>/dev/null || echo no") == "a\nno\n"
    nothing_left()


def test_files():
    big = os.urandom(5 << 20)
    for options in ({}, {"user": "1234:1235"}, {"workspace_in_container": 1}):
        with Box(open=False) as b:
            b.open(image="whelk-test/small", **options)
            for path, data, mode in (("f", b"text\n", 0), ("deep/er/x.sh", b"#!/bin/sh\necho ran\n", 0o755), ("big", big, 0o600), ("/tmp/abs", b"", 0)):
                assert b.ask("put", path=path, data=base64.b64encode(data).decode(), mode=mode)["code"] == 0
                assert base64.b64decode(b.ask("get", path=path)["data"]) == data
            assert b.out("deep/er/x.sh; cat f; sha256sum <big | cut -c1-64; stat -c %a big") == f"ran\ntext\n{hashlib.sha256(big).hexdigest()}\n600\n"
            assert b.out("stat -c %u:%g f deep/er/x.sh").split() == [options.get("user", "0:0")] * 2
            b.out("echo from inside >made; ln -s /etc/passwd link; ln -s made near")
            assert base64.b64decode(b.ask("get", path="made")["data"]) == b"from inside\n"
            assert b.ask("get", path="missing")["code"] == NOENT
    nothing_left()


def test_users():
    with Box(open=False) as b:
        b.open(image="whelk-test/small", user="1234:1235")
        assert b.out("id -u; id -g; echo x >file; cat file; touch $HOME/y; stat -c %u file") == "1234\n1235\nx\n1234\n"
    nothing_left()


def test_environment():
    with Box(image="whelk-test/python", env=None, git_name='A "B" C', **{"background": 1}) as b:
        assert b.out("git config user.name; git config user.email") == 'A "B" C\nwhelk@localhost\n'
        assert b.out("git init -q . && echo 1 >f && git add f && git commit -qm one && git log --format=%an") == 'A "B" C\n'
        # Another user than the files' own.
        assert b.out("git -C /workspace log --format=%s", user="1000") .strip() in ("one", "")
        assert b.out("python3 -c 'print(6*7)'") == "42\n"
        assert b.facts["capabilities"] & CAN_BACKGROUND
    with Box(image="whelk-test/python") as b:
        assert not b.facts["capabilities"] & CAN_BACKGROUND  # an image of one's own is not vouched for


def test_ends_of_commands():
    with Box() as b:
        def alive():
            return b.out("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -o 'sleep 12[0-9][0-9]' || true").split("\n")[:-1]
        start = time.monotonic()
        r = b.exec("sleep 1201 & echo hi")
        assert r["out"] == b"hi\n" and r["survivors"] == 1 and time.monotonic() - start < 20, r
        r = b.exec("setsid sleep 1202 & sleep 1203", timeout_ms=500, grace_ms=100)
        assert r["outcome"] == TIMEOUT, r
        assert "sleep 1203" not in alive() and "sleep 1202" not in alive(), alive()
        r = b.exec("trap '' TERM; sleep 1204; sleep 1205", timeout_ms=300, grace_ms=100)
        assert (r["outcome"], r["signal"]) == (TIMEOUT, 9), r
        r = b.exec("sleep 1206", cancel_ms=300, grace_ms=100)
        assert r["outcome"] == CANCELLED, r
        soon(lambda: not [s for s in alive() if s != "sleep 1201"])
        assert b.out("echo on") == "on\n"
    nothing_left()


def test_background():
    with Box(background=1) as b:
        a = b.ask("start", script="echo begun; while :; do sleep 0.1; echo tick; done")
        assert not a["code"], a
        soon(lambda: b"begun\ntick\n" in base64.b64decode(b.ask("output", id=a["id"], wait_ms=1000)["data"]))
        assert b.ask("wait", id=a["id"], timeout_ms=0)["code"] == AGAIN
        assert b.ask("signal", id=a["id"], signal=15)["code"] == 0
        w = b.ask("wait", id=a["id"], timeout_ms=30000)
        assert (w["code"], w["state"], w["signal"]) == (0, 1, 15), w
        b.ask("start", script="sleep 1000")
    nothing_left()
    with Box() as b:
        assert b.ask("start", script="true")["code"] == UNSUPPORTED


def test_program_killed():
    """kill -9 of the program with a busy container: all of it is gone by itself."""
    b = Box(background=1)
    b.ask("start", script="setsid sleep 1000 & while :; do :; done")
    assert len(ours()) == 1
    b.process.kill()
    b.process.wait()
    start = time.monotonic()
    soon(lambda: not ours())
    took = time.monotonic() - start
    assert took < 20, took
    b.process.stdin.close()
    b.process.stdout.close()
    # The directory goes with the next opening.
    assert folders()
    with Box():
        pass
    nothing_left()


def test_container_killed():
    with Box() as b:
        b.send("exec", script="touch begun; sleep 1000")
        soon(lambda: glob.glob(CACHE + "/whelk/sandboxes/*/workspace/begun"))
        assert E.api("POST", f"/containers/{ours()[0]['Id']}/kill")[0] == 204
        r = b.result(b.receive())
        assert r["outcome"] == LOST and r["error_text"], r
        assert b.ask("exec", script="true")["code"] == CLOSED
    nothing_left()


def test_engine_killed():
    if E.kind == "podman":
        return  # its containers have no daemon
    b = Box()
    b.send("exec", script="touch begun; sleep 1000")
    soon(lambda: glob.glob(CACHE + "/whelk/sandboxes/*/workspace/begun"))
    E.kill()
    r = b.result(b.receive())
    assert r["outcome"] == LOST, r
    a = b.ask("exec", script="true")
    assert a["code"] == CLOSED, a
    b.close()
    E.start()
    # The helper has ended with its connection, or what is left of the container goes with the next opening.
    with Box():
        pass
    nothing_left()
    # A container whose program is gone, and which still runs.
    owner = "/".join(label_of_a_dead_owner())
    status, c = E.api("POST", "/containers/create", {"Image": "whelk-test/small", "Cmd": ["sleep", "1000"], "HostConfig": {"NetworkMode": "none"},
                                                    "Labels": {"dev.whelk.managed": "1", "dev.whelk.owner": owner}})
    assert status == 201, c
    assert E.api("POST", f"/containers/{c['Id']}/start")[0] == 204
    # One that its program did not come to start, and one of another machine.
    never = dict(Image="whelk-test/small", Cmd=["true"], Labels={"dev.whelk.managed": "1", "dev.whelk.owner": owner})
    assert E.api("POST", "/containers/create", never)[0] == 201
    foreign = dict(Image="whelk-test/small", Cmd=["sleep", "1000"], Labels={"dev.whelk.managed": "1", "dev.whelk.owner": "0123456789abcdef/1/1/x"})
    status, f = E.api("POST", "/containers/create", foreign)
    assert status == 201, f
    try:
        with Box(open=False) as b:
            a = b.ask("reap", endpoint="unix://" + E.socket)
            assert (a["code"], a["n"]) == (0, 3), a  # both, and the directory of the one that was killed
            assert [c["Id"] for c in ours()] == [f["Id"]]
    finally:
        assert E.api("DELETE", f"/containers/{f['Id']}")[0] == 204
    nothing_left()


def label_of_a_dead_owner():
    """That of a box which was killed, as its container has it."""
    b = Box()
    label = ours()[0]["Labels"]["dev.whelk.owner"].split("/")
    b.process.kill()
    b.process.wait()
    b.process.stdin.close()
    b.process.stdout.close()
    soon(lambda: not ours())
    return label


def test_setup():
    with Box(setup_script="echo one; echo two >&2; echo made >made; id -u") as b:
        assert set(b.notices) >= {"one", "two", "0"}, b.notices
        assert b.out("cat made") == "made\n"
    r = refusal(setup_script="echo so far; echo it was bad >&2; exit 9")
    assert r.code == STATE and "exit code 9" in r.words and "it was bad" in r.words, r
    r = refusal(setup_script="echo slow; sleep 1000", setup_timeout_ms=400)
    assert r.code == STATE and "time" in r.words and "slow" in r.words, r
    nothing_left()


def test_options_refused():
    for code, word, options in (
            (UNSUPPORTED, "isolation", dict(isolation="auto")), (UNSUPPORTED, "inherit_env", dict(inherit_env=1)),
            (UNSUPPORTED, "network", dict(network="some")), (INVALID, "ports", dict(port=80)), (INVALID, "workspace", dict(workspace="relative")),
            (NOENT, "workspace", dict(workspace="/no/such/directory")), (INVALID, "workspace_path", dict(workspace_path="/")),
            (INVALID, "workspace_in_container", dict(workspace="/tmp", workspace_in_container=1)),
            (UNSUPPORTED, "delete_on_cleanup", dict(workspace_in_container=1, delete_on_cleanup=2)),
            (UNSUPPORTED, "runtime", dict(runtime="no-such-runtime")), (INVALID, "pull", dict(pull="now")),
            (UNSUPPORTED, "extra", dict(extra=["privileged=1"])), (INVALID, "image", dict(image="a b"))):
        r = refusal(**options)
        assert r.code == code and word in r.words, (options, r)
    r = refusal(image="whelk-test/missing", pull="never")
    assert r.code == NOENT and "whelk-test/missing" in r.words and "never" in r.words, r
    if E.kind == "docker":
        r = refusal(network="all")
        assert r.code == UNSUPPORTED and "bridge" in r.words and "network=host" in r.words, r
        with Box(network="all", extra=["network=host", "shm_bytes=1048576"]) as b:
            assert "network host" in b.facts["description"]
            assert sorted(b.out("ls /sys/class/net").split()) == sorted(os.listdir("/sys/class/net"))
    nothing_left()


def test_mounts():
    with tempfile.TemporaryDirectory(dir="/tmp") as d:
        os.chmod(d, 0o755)
        with open(d + "/f", "w") as f:
            f.write("data\n")
        with Box(extra=[f"mount={d}:/data:ro"]) as b:
            assert b.out("cat /data/f; touch /data/g 2>/dev/null || echo no") == "data\nno\n"
            assert not b.facts["capabilities"] & CAN_ISOLATED
        r = refusal(extra=["mount=/no/such/place:/data"], workspace=d)
        assert "/no/such/place" in r.words, r
    nothing_left()


def test_foreign_architecture():
    arm = "whelk-test/arm"
    status, said = E.api("POST", f"/images/create?fromSrc=-&repo={arm}&tag=latest&platform=linux/arm64", engine.small_root().close(), kind="application/x-tar")
    assert status == 200, said
    _, image = E.api("GET", f"/images/{arm}/json")
    if image["Architecture"] == "amd64":  # this engine does not take the platform of an import
        return
    r = refusal(image=arm)
    assert r.code == UNSUPPORTED and "arm64" in r.words, r


def test_pull():
    with REGISTRY as reg:
        name = f"127.0.0.1:{reg.port}/small"
        with Box(image=name, pull="missing") as b:
            assert b.out("echo pulled") == "pulled\n"
            assert any("ull" in n or "ownload" in n for n in b.notices), b.notices
        r = refusal(image=f"127.0.0.1:{reg.port}/nothing")
        assert r.code == NOENT and "nothing" in r.words, r
        with tempfile.TemporaryDirectory(dir="/tmp") as d:
            reg.require("me", "s3cret:word")
            r = refusal(image=name, pull="always", env={"DOCKER_CONFIG": d})
            assert r.code in (NOENT, IO, ACCESS), r
            with open(d + "/config.json", "w") as f:
                json.dump({"credsStore": "desk"}, f)
            r = refusal(image=name, pull="always", env={"DOCKER_CONFIG": d})
            assert "docker-credential-desk" in r.words, r
            with open(d + "/config.json", "w") as f:
                json.dump({"auths": {f"https://127.0.0.1:{reg.port}/v1/": {"auth": base64.b64encode(b"me:s3cret:word").decode()}}}, f)
            with Box(image=name, pull="always", env={"DOCKER_CONFIG": d}) as b:
                assert b.out("echo let in") == "let in\n"
    nothing_left()


def test_many():
    said = []

    def some(n):
        for _ in range(n):
            with Box() as b:
                said.append(b.out("echo here"))
    n = 10 if FEW or E.kind == "podman" else 50
    threads = [threading.Thread(target=some, args=(n // 5,)) for _ in range(5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert said == ["here\n"] * n, said
    nothing_left()
    assert E.api("GET", "/volumes")[1]["Volumes"] in (None, [])


def test_plain_user():
    """A program that is not root's: commands are its user, and so are the files."""
    os.chmod(E.socket, 0o666)
    cache = tempfile.mkdtemp(dir="/tmp")
    os.chown(cache, 65534, 65534)
    try:
        b = Box(open=False, user=65534, env={"XDG_CACHE_HOME": cache})
        with b:
            b.open(image="whelk-test/small", setup_script="mkdir -p by/root/only; touch by/root/deep; chmod 700 by")
            assert b.out("id -u; echo x >file; stat -c %u file; touch $HOME/x") == "65534\n65534\n"
            found = glob.glob(cache + "/whelk/**/file", recursive=True)
            assert len(found) == 1 and os.stat(found[0]).st_uid == 65534
        assert not os.listdir(cache + "/whelk/sandboxes")
        os.chmod(E.socket, 0o600)
        try:
            Box(open=False, user=65534).open(image="whelk-test/small")
            raise AssertionError("it opened")
        except Refused as r:
            assert r.code == ACCESS and E.socket in r.words and "group" in r.words, r
    finally:
        os.chmod(E.socket, 0o660)
        subprocess.run(["rm", "-r", cache], check=True)


def test_ports():
    if E.kind == "podman":
        return  # its bridge would be the machine's own
    with engine.Docker(bridge=True) as e:
        e.load("python")
        with Box(open=False, netns=e.pid) as b:
            b.open(image="whelk-test/python", endpoint="unix://" + e.socket, network="all", port=8000, background=1)
            assert b.facts["port"] > 0
            b.ask("start", script="echo served >index.html; exec python3 -m http.server 8000")
            get = (f"import urllib.request as u, time\nfor _ in range(300):\n try: print(u.urlopen('http://127.0.0.1:{b.facts['port']}/').read()); break\n"
                   " except OSError: time.sleep(0.1)")
            said = subprocess.run(["nsenter", "-t", str(e.pid), "-n", sys.executable, "-c", get], capture_output=True, text=True)
            assert "served" in said.stdout, said


def test_engine_elsewhere():
    """An engine that does not see our files: here, one whose socket is the same, and the directory is hidden from it."""
    if E.kind == "podman":
        return
    # It is told a directory that is not there for it, by a proxy that renames what is mounted.
    with Proxy(E.socket, lambda head, body: body.replace(b'"Source":"' + CACHE.encode(), b'"Source":"/nowhere' + CACHE.encode())) as p:
        with Box(endpoint="unix://" + p.path) as b:
            assert not b.facts["capabilities"] & CAN_ON_HOST
            assert [n for n in b.notices if "does not see" in n] == b.notices and len(b.notices) == 1, b.notices
            assert b.out("echo a >f; cat f; id -u") == "a\n0\n"
    # The directory is seen, and programs in it cannot be run: the helper is put into the container instead.
    with Proxy(E.socket, lambda head, body: body.replace(b"/whelk-guest", b"/gitconfig")) as p:
        with Box(endpoint="unix://" + p.path) as b:
            assert b.facts["capabilities"] & CAN_ON_HOST
            assert b.out("echo a >f; cat f; git config user.name || echo no git") != ""
    nothing_left()


class Proxy:
    """Between a box and an engine: what it sends may be changed."""

    def __init__(self, to, change):
        self.to, self.change = to, change

    def __enter__(self):
        self.dir = tempfile.mkdtemp(dir="/tmp")
        self.path = self.dir + "/s"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(16)
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def serve(self):
        while True:
            try:
                c, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.pass_on, args=(c,), daemon=True).start()

    def pass_on(self, c):
        e = socket.socket(socket.AF_UNIX)
        e.connect(self.to)
        head = b""
        while b"\r\n\r\n" not in head:
            head += c.recv(65536)
        head, body = head.split(b"\r\n\r\n", 1)
        length = [int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        while length and len(body) < length[0]:
            body += c.recv(65536)
        changed = self.change(head, body)
        if changed != body:
            head = b"\r\n".join(line if not line.lower().startswith(b"content-length:") else b"Content-Length: %d" % len(changed)
                                for line in head.split(b"\r\n"))
        e.sendall(head + b"\r\n\r\n" + changed)

        def back():
            while data := e.recv(65536):
                c.sendall(data)
            c.shutdown(socket.SHUT_WR)
        t = threading.Thread(target=back, daemon=True)
        t.start()
        try:
            while data := c.recv(65536):
                e.sendall(data)
            e.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        t.join()
        c.close()
        e.close()

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        os.unlink(self.path)
        os.rmdir(self.dir)


# ---- without one -------------------------------------------------------------------------------------------------

class Sham:
    """A socket that answers every request with the same bytes, or never."""

    def __init__(self, answers):
        self.answers = answers

    def __enter__(self):
        self.dir = tempfile.mkdtemp(dir="/tmp")
        self.path = self.dir + "/s"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(16)
        self.open = []
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def serve(self):
        while True:
            try:
                c, _ = self.listener.accept()
            except OSError:
                return
            self.open.append(c)
            if self.answers is None:
                continue
            try:
                target = c.recv(65536).split(b" ")[1]
                for part, said in self.answers:
                    if part in target:
                        c.sendall(said)
                        break
                c.shutdown(socket.SHUT_WR)
            except OSError:
                pass

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for c in self.open:
            c.close()
        os.unlink(self.path)
        os.rmdir(self.dir)


def answer(body, status="200 OK", more=b""):
    return b"HTTP/1.1 " + status.encode() + b"\r\n" + more + b"Content-Length: %d\r\n\r\n" % len(body) + body


PING = (b"/_ping", answer(b"OK", more=b"Api-Version: 1.41\r\n"))


def none_no_engine():
    r = refusal(endpoint="unix:///tmp/no/such.sock")
    assert r.code == NOENT and "/tmp/no/such.sock" in r.words and "DOCKER_HOST" in r.words, r
    for endpoint, code, word in (("ssh://me@there", UNSUPPORTED, "ssh -N"), ("npipe:////./pipe/x", UNSUPPORTED, "unix://"),
                                 ("tcp://example.org:2375", UNSUPPORTED, "numeric"), ("tcp://127.0.0.1", INVALID, "PORT"), ("unix://x", INVALID, "absolute")):
        r = refusal(endpoint=endpoint)
        assert r.code == code and word in r.words, (endpoint, r)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        r = refusal(endpoint=f"tcp://127.0.0.1:{s.getsockname()[1]}")
        assert r.code == NOENT, r


def none_environment():
    def words(**env):
        try:
            with Box(open=False, env={"HOME": "/nonexistent", "XDG_RUNTIME_DIR": "/nonexistent", **env}) as b:
                b.open(image="x", endpoint=None)
        except Refused as r:
            return r
        raise AssertionError("it opened")
    r = words(DOCKER_HOST="tcp://10.0.0.1:2376", DOCKER_TLS_VERIFY="1")
    assert r.code == UNSUPPORTED and "TLS" in r.words and "ssh -N" in r.words, r
    r = words(DOCKER_HOST="unix:///tmp/no/such.sock")
    assert r.code == NOENT and "/tmp/no/such.sock" in r.words, r
    r = words(DOCKER_CONTEXT="elsewhere")
    assert r.code == NOENT and "elsewhere" in r.words, r
    if not os.path.exists("/var/run/docker.sock") and not os.path.exists("/run/podman/podman.sock"):
        r = words()
        assert r.code == NOENT and "/var/run/docker.sock" in r.words and "/nonexistent/podman/podman.sock" in r.words, r


def none_never_answers():
    with Sham(None) as s:
        start = time.monotonic()
        r = refusal(endpoint="unix://" + s.path)
        assert r.code == IO and "in time" in r.words and 1.5 < time.monotonic() - start < 30, r


def none_nonsense():
    ping = PING
    big = b'{"a":' * 100
    for answers, code, word in (
            ([(b"", b"hello\r\n\r\n")], IO, "broke off"), ([(b"", answer(b"OK"))], IO, "no container engine"),
            ([(b"", answer(b"OK", more=b"Api-Version: 1.12\r\n"))], UNSUPPORTED, "too old"),
            ([ping, (b"/info", answer(b"{"))], IO, "makes no sense"), ([ping, (b"/info", answer(big))], IO, "makes no sense"),
            ([ping, (b"/info", answer(b'{"OSType":"windows"}'))], UNSUPPORTED, "windows"),
            ([ping, (b"/info", answer(b'{"message":"so not"}', "500 Internal Server Error"))], IO, "so not"),
            ([ping, (b"/info", answer(b"{}")), (b"/containers/json", answer(b"[]")), (b"/images/", answer(b'{"message":"no such"}', "404 Not Found"))],
             NOENT, "never"),
            ([ping, (b"/info", answer(b"{}")), (b"/containers/json", answer(b"[]")), (b"/images/", answer(b'{"Os":"linux","Architecture":"s390x"}'))],
             UNSUPPORTED, "s390x"),
            ([ping, (b"/info", answer(b"{}")), (b"/containers/json", answer(b"[]")), (b"/images/", answer(b"{}")),
              (b"/containers/create", answer(b'{"Id":7}', "201 Created"))], IO, "without an id")):
        with Sham(answers) as s:
            r = refusal(endpoint="unix://" + s.path, pull="never")
            assert r.code == code and word in r.words, (answers, r)


def none_pull_error_inside():
    lines = b'{"status":"Pulling"}\n{"errorDetail":{"message":"boom"},"error":"pull access denied for x"}\n'
    with Sham([PING, (b"/info", answer(b"{}")), (b"/containers/json", answer(b"[]")), (b"/images/create", answer(lines)),
               (b"/images/", answer(b'{"message":"no such image"}', "404 Not Found"))]) as s:
        r = refusal(endpoint="unix://" + s.path)
        assert r.code == NOENT and "pull access denied for x" in r.words, r


def main():
    global PROGRAM, FEW, E, CACHE, REGISTRY
    which, PROGRAM, names = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3:]
    FEW = "--few" in names
    names = [n for n in names if n != "--few"]
    prefix = "none_" if which == "none" else "test_"
    tests = {n: f for n, f in globals().items() if n.startswith(prefix) and callable(f) and (not names or n in names)}
    failed = 0
    CACHE = tempfile.mkdtemp(prefix="whelk-cache-", dir="/tmp")
    os.chmod(CACHE, 0o755)

    def run():
        nonlocal failed
        for name, test in tests.items():
            start = time.monotonic()
            try:
                test()
            except Exception:
                failed += 1
                print(f"FAILED {name}")
                traceback.print_exc()
            print(f"{name}: {time.monotonic() - start:.1f} s", flush=True)
    try:
        if which == "none":
            run()
        else:
            REGISTRY = registry.Registry({"small": engine.small_root().close()})
            with (engine.Docker if which == "docker" else engine.Podman)(insecure=f"127.0.0.1:{REGISTRY.port}") as E:
                E.load("small")
                E.load("python")
                run()
    except engine.Unavailable as why:
        print(f"skipped: {why}")
        return engine.SKIP
    finally:
        subprocess.run(["rm", "-rf", CACHE], check=True)
    print(f"{len(tests)} tests, {failed} failed")
    return failed != 0 or not tests


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    sys.exit(main())
