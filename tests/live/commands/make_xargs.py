"""xargs."""
from making import command, quote

COMMANDS = ("", "", "echo", "echo", "printf '<%s>'", "printf '%s\\n'", "echo a b", "sh -c 'echo $#; exit $#' x", "sh -c 'echo \"$*\"; exit 3' x",
            "sh -c 'exit 255' x", "false", "nosuchcommand", "/", "./plain", "sh -c 'kill -9 $$'", "cat", "basename",
            "wc -c", "ls -d", "env", "sh -c 'cat; echo \"$@\"' x")


def data(m):
    kind = m.number(0, 9)
    if kind == 0:
        return m.bytes()
    words = m.list(0, 12, lambda: m.pick("a", "b", "foo", "a b", "'q r'", '"d e"', "\\ x", "\\n", "é", "x" * m.pick(3, 20, 60), "-n", "{}", "", "'un", '"',
                                         "\\", "_", "END", "1", "'a'\"b\"c", "''", "a\\'b", "\t", "a\nb"))
    separator = m.pick(" ", "\n", "\n", "\0", ",", " \n", "\t", "\n\n", "x")
    return separator.join(words) + m.pick("\n", "", separator, " ", " \n", "\0")


@command("xargs")
def xargs(m):
    m.file("a", data(m))
    m.line("printf 'echo x' > plain")
    run = m.pick(COMMANDS)
    options = m.options(m.option("0", "nul|l", p=0.15), m.option("d", "del|imiter", m.pick(",", "\\n", "x", "\\t", "\\0", "ab", "", "\\x2c", "\\054", "\\q",
                                                                                           "\\\\", "é"), 0.2),
                                                                                           m.option("n", "max-a|rgs",
                                                                                                    m.pick("1", "2", "3", "0", "x", "-1", "100"), 0.3),
                        m.option("L", None, m.pick("1", "2", "3", "0", "x"), 0.15) if m.chance(0.8) else m.pick("-l", "-l2", "--max-lines",
                                "--max-lines=1", "-l0"),
                        m.option("s", "max-c|hars", m.pick("9", "10", "12", "20", "30", "100", "1000", "0", "x", "5", "40"), 0.2), m.option("x", "exit", p=0.1),
                        m.option("r", "no-run|-if-empty", p=0.15), m.option("t", "verbose", p=0.15),
                        m.option("E", None, m.pick("END", "_", "b", ""), 0.1), m.pick("", "", "", "", "", "", "-e", "-eEND", "--eof=b", "--eof", "-i", "-i{}",
                                                                                      "--replace", "--replace=x"),
                                                                                      m.option("a", "arg|-file", m.pick("a", "a", "missing", "."), 0.15),
                        m.option("P", "max-p|rocs", m.pick("1", "1", "x", "-1"), 0.08), m.option("o", "open-|tty", p=0.0),
                        m.option(None, "process-slot-var", m.pick("SLOT", "SLOT", "a=b"), 0.04))
    if m.chance(0.25):
        options += " " + m.option("I", None, m.pick("{}", "{}", "%", "x", "{"), 1)
        run = m.pick("echo {}", "echo a{}b {}", "echo %", "printf '[%s]' {} {}", "echo x", "echo", "sh -c 'echo \"$1\"' x {}", "{}", "echo {}{}{}{}")
    return f"xargs {options} {run} < {m.pick('a', 'a', 'a', '/dev/null')}"
