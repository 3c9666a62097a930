"""test_repl.py - the prompt on a terminal: lines, several-line commands, Ctrl-C, completion, the end"""
import os
import pty
import select
import signal
import time

from cli import WHELK, holds, main, same

SECONDS = 15


class Terminal:
    """The program on a pseudo-terminal."""

    def __init__(self, *args):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            env = {"TERM": "dumb", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
            for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
                if name in os.environ:
                    env[name] = os.environ[name]
            os.execve(WHELK, [WHELK, *args], env)
        self.seen = b""

    def read_until(self, text):
        """What came up to and with text."""
        end = time.monotonic() + SECONDS
        while text not in self.seen:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                raise AssertionError(f"{text!r} did not come; there was {self.seen[-400:]!r}")
            try:
                more = os.read(self.fd, 4096)
            except OSError:
                more = b""
            if not more:
                raise AssertionError(f"ended before {text!r}; there was {self.seen[-400:]!r}")
            self.seen += more
        at = self.seen.index(text) + len(text)
        got, self.seen = self.seen[:at], self.seen[at:]
        return got

    def send(self, text):
        os.write(self.fd, text)

    def line(self, text, answer):
        """Sends a command, and waits for what it prints on lines of its own."""
        self.send(text + b"\n")
        return self.read_until(b"\r\n" + answer)

    def drain(self, wait):
        """Reads what is there; False when that is nothing, or all."""
        if not select.select([self.fd], [], [], wait)[0]:
            return False
        try:
            more = os.read(self.fd, 4096)
        except OSError:
            return False
        self.seen += more
        return bool(more)

    def end(self):
        """The exit status; what was still printed is in seen."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            self.drain(0.05)
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                while self.drain(0):  # it may have printed since the last look
                    pass
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        raise AssertionError(f"did not end; there was {self.seen[-400:]!r}")


def test_commands_and_state():
    t = Terminal()
    t.read_until(b"$ ")
    t.line(b"x=5; f() { echo f$x; }", b"")
    t.line(b"f", b"f5\r\n")
    t.line(b"cd /tmp; pwd", b"/tmp\r\n")
    t.line(b"(exit 3)", b"")
    t.line(b"echo s$?", b"s3\r\n")
    t.send(b"exit 4\n")
    same(t.end(), 4)


def test_several_lines():
    t = Terminal()
    t.read_until(b"$ ")
    t.send(b"for i in 1 2\n")
    t.read_until(b"> ")
    t.send(b"do echo i$i\n")
    t.read_until(b"> ")
    t.send(b"done\n")
    t.read_until(b"i1\r\ni2\r\n")
    t.send(b"cat <<E\n")
    t.read_until(b"> ")
    t.send(b"in $((1 + 1))\nE\n")
    t.read_until(b"in 2\r\n")
    t.send(b"echo 'a\n")
    t.read_until(b"> ")
    t.send(b"b'\n")
    t.read_until(b"a\r\nb\r\n")
    t.send(b"exit\n")
    same(t.end(), 0)


def test_errors_do_not_end_it():
    t = Terminal()
    t.read_until(b"$ ")
    t.line(b"nosuch", b"")
    t.read_until(b"nosuch: command not found")
    t.line(b"echo )", b"")
    t.read_until(b"syntax error")
    t.line(b": ${q?missing}", b"")
    t.read_until(b"q: missing")
    t.line(b"echo on $((40 + 2))", b"on 42\r\n")
    t.send(b"exit\n")
    t.end()


def test_interrupt_ends_the_command_only():
    t = Terminal()
    t.read_until(b"$ ")
    for script in (b"echo up$((1+1)); sleep 100", b"echo up$((1+1)); while :; do :; done"):
        t.line(script, b"up2\r\n")
        time.sleep(0.2)
        t.send(b"\x03")
        t.read_until(b"$ ")
        t.line(b"echo s$?", b"s130\r\n")
    t.read_until(b"$ ")  # what is typed before the prompt is echoed by the terminal, and Ctrl-C would drop it
    t.send(b"echo half")
    t.read_until(b"half")
    t.send(b"\x03")
    t.read_until(b"$ ")
    t.line(b"echo alive", b"alive\r\n")
    t.read_until(b"$ ")
    t.send(b"for i in 1\n")
    t.read_until(b"> ")
    t.send(b"\x03")
    t.read_until(b"$ ")
    t.line(b"echo still", b"still\r\n")
    t.send(b"exit\n")
    t.end()


def test_jobs_between_lines():
    t = Terminal()
    t.read_until(b"$ ")
    t.line(b"sleep 100 &", b"")
    t.read_until(b"$ ")
    t.send(b"jobs\n")
    t.read_until(b"Running")
    t.line(b"kill %1; wait $!; echo s$?", b"")
    t.read_until(b"s143\r\n")
    t.send(b"exit\n")
    t.end()


def test_completion():
    """Tab completes commands where one stands, files elsewhere; a plain build has no completion."""
    with open(WHELK, "rb") as f:
        program = f.read()
    if b"libreadline.so" not in program and b"libedit.so" not in program:
        return
    t = Terminal()
    t.read_until(b"$ ")
    t.line(b"cd /tmp && : > unusual_name && mkdir unusual_dir && echo ok$((1 + 1))", b"ok2\r\n")
    t.read_until(b"$ ")
    t.send(b"basena\t")
    t.read_until(b"basename")
    t.send(b" /a/b\n")
    t.read_until(b"b\r\n")
    t.read_until(b"$ ")
    t.send(b"echo got unusual_n\t\n")
    t.read_until(b"\r\ngot unusual_name\r\n")
    t.read_until(b"$ ")
    t.send(b"echo got unusual_d\t\n")
    t.read_until(b"\r\ngot unusual_dir/\r\n")
    t.send(b"exit\n")
    same(t.end(), 0)


def test_history():
    """Lines are kept and expanded, also after one was interrupted; the prompt leaves no trace."""
    t = Terminal()
    t.read_until(b"$ ")
    t.line(b"echo on$((1+0))", b"on1\r\n")
    t.read_until(b"$ ")
    t.line(b"!!; echo two", b"echo on$((1+0)); echo two\r\non1\r\ntwo\r\n")
    t.line(b"sleep 100", b"")
    time.sleep(0.2)
    t.send(b"\x03")
    t.read_until(b"$ ")
    t.send(b"for i in 1\ndo :\ndone\n")
    t.read_until(b"$ ")
    t.line(b"!nope", b"")
    t.read_until(b"!nope: event not found")
    t.line(b"history", b"    1  echo on$((1+0))\r\n    2  echo on$((1+0)); echo two\r\n    3  sleep 100\r\n"
                       b"    4  for i in 1; do :; done\r\n    5  history\r\n")
    t.send(b"history -w; exit\n")
    same(t.end(), 0)


def test_exit_trap_at_the_end_of_input():
    t = Terminal()
    t.read_until(b"$ ")
    t.line(b"trap 'echo bye; wc -l <~/.bash_history 2>&1' EXIT", b"")
    t.read_until(b"$ ")
    t.line(b"history -a", b"")
    t.read_until(b"$ ")
    t.send(b"\x04")
    same(t.end(), 0)
    holds(b"bye\r\n2\r\n", t.seen)


def test_end_of_input():
    t = Terminal()
    t.read_until(b"$ ")
    t.line(b"(exit 6)", b"")
    t.read_until(b"$ ")
    t.send(b"\x04")
    same(t.end(), 6)


def test_host_stays_hidden():
    t = Terminal("--user", "ann:1001")
    t.read_until(b"$ ")
    t.line(b"cat /etc/shadow; echo s$?", b"")
    t.read_until(b"s1\r\n")
    got = t.line(b"id -un", b"ann\r\n")
    holds(b"ann", got)
    t.send(b"exit\n")
    t.end()


if __name__ == "__main__":
    main(dict(globals()))
