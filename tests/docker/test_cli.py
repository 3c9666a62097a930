#!/usr/bin/env python3
"""The program with containers, of a real engine: test_cli.py WHELK"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import engine  # noqa: E402

PYTHON = ("--image", "whelk-test/python")


def main():
    program = os.path.abspath(sys.argv[1])
    with engine.Docker() as e, tempfile.TemporaryDirectory(dir="/tmp") as work:
        e.load("small")
        e.load("python")
        env = {k: v for k, v in os.environ.items() if not k.startswith("DOCKER_")}
        env.update(DOCKER_HOST="unix://" + e.socket, XDG_CACHE_HOME=work + "/cache")

        def whelk(*args, text=None):
            return subprocess.run([program, *args], input=text, capture_output=True, text=True, env=env, cwd=work, timeout=300)

        def said(status, out, *args, **more):
            r = whelk(*args, **more)
            assert (r.returncode, r.stdout) == (status, out), (args, r)
            return r.stderr

        # A script in a container.
        box = ("--sandbox", "docker", *PYTHON)
        said(0, "42\n", *box, "-c", "python3 -c 'print(6*7)'")
        said(7, "", *box, "-c", "exit 7")
        said(137, "", *box, "-c", "kill -KILL $$")
        said(0, "given", *box, "-c", "cat", text="given")
        assert "timed out" in said(124, "", *box, "--timeout", "1s", "-c", "sleep 100")
        r = whelk("--sandbox", "docker", "--image", "whelk-test/none", "--pull", "never", "-c", "true")
        assert r.returncode == 125 and "whelk-test/none" in r.stderr, r
        r = whelk("--sandbox", "docker", "--image", "whelk-test/small", "--network", "all", "-c", "true")
        assert r.returncode == 125 and "bridge" in r.stderr, r

        # Commands of a session that run in one, with its files, which are where the session has them.
        to = ("--delegate", "docker:whelk-test/python=python3,git")
        where = 'mkdir s; cd s; python3 -c "import os, sys; print(os.getcwd(), os.path.exists(sys.argv[1]))" /home/user/s'
        said(0, "/home/user/s True\n", *to, "-c", where)
        said(0, "/w/s True\n", *to, "--workspace-path", "/w", "-c", where)
        said(0, "/workspace False\n", "--cwd", "/etc", *to, "-c", where.replace("mkdir s; cd s; ", ""))
        script = r"""
            mkdir -p deep/er && echo hello >deep/er/in
            cat >s.py <<'END'
import os, sys
text = open("deep/er/in").read()
open("out", "w").write(text.upper())
os.makedirs("made/by", exist_ok=True)
open("made/by/python", "w").write("x" * 100000)
os.remove("gone")
print("read", len(text), sys.stdin.read().strip())
sys.exit(3)
END
            touch gone
            echo piped | python3 s.py | tr a-z A-Z
            echo "${PIPESTATUS[*]}"
            cat out; wc -c <made/by/python; ls gone 2>/dev/null || echo gone
            git init -q . && git add . && git commit -qm first && git log --format='%an %s'
            echo more >>out && git diff --stat | tail -n 1
            git checkout -q out && cat out
        """
        expected = "READ 6 PIPED\n0 3 0\nHELLO\n100000\ngone\nwhelk first\n 1 file changed, 1 insertion(+)\nHELLO\n"
        assert said(0, expected, *to, "-c", script) == ""
        # Many files, and what is not in the session's tree is not in the container's either.
        said(0, "1000 500500\n", *to, "-c", "for i in $(seq 1000); do echo $i >f$i; done; "
             "python3 -c 'import glob; v = [int(open(f).read()) for f in glob.glob(\"f*\")]; print(len(v), sum(v))'")
        r = whelk(*to, "--json", "-c", "python3 -c 'raise SystemExit(5)'")
        assert json.loads(r.stdout)["status"] == 5, r
        assert not os.listdir(work + "/cache/whelk/sandboxes") and not e.containers(), (os.listdir(work + "/cache/whelk/sandboxes"), e.containers())
    print("all passed")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except engine.Unavailable as why:
        print(f"skipped: {why}")
        sys.exit(engine.SKIP)
