"""The classes of scripts in which whelk is known to differ from bash: each a minimal input, the reason, and how a cut-down script is recognised.

At most fifteen. docs/divergences/language.md says the same for readers.
"""
import re


class Class:
    """script: what the cut-down script holds; only: the parts (0 status, 1 output, 2 errors) in which the two may differ; outcomes: what else holds."""

    def __init__(self, name, minimal, reason, script, only=(0, 1, 2), outcomes=lambda bash, ours: True):
        self.name, self.minimal, self.reason = name, minimal, reason
        self.script = re.compile(script, re.S)
        self.only = only
        self.outcomes = outcomes

    def matches(self, text, bash, ours):
        return self.script.search(text) is not None and all(at in self.only for at in range(3) if bash[at] != ours[at]) and self.outcomes(bash, ours)


def only_order(bash, ours):
    """The same lines in another order."""
    return bash[0] == ours[0] and all(sorted(bash[at].split(b"\n")) == sorted(ours[at].split(b"\n")) for at in (1, 2))


CLASSES = [
    Class("texts of help", "help cd", "whelk's help texts are its own", r"\bhelp\b|--help", only=(1, 2)),
    Class("builtins out of files", "enable -f FILE NAME", "no code of the host's is loaded into the process", r"\benable\b[^\n]* -[a-z]*f"),
    Class("restricted shells", "set -r", "what a session may do is the host's to say", r"\bset -[a-zA-Z]*r|\b(bash|sh) (-[a-zA-Z]+ )*-[a-zA-Z]*r|--restricted"),
    Class("descriptor limit and redirections", "ulimit -n 1 2 > out", "redirections of builtins need no free descriptor", r"\bulimit\b[^\n]*-n"),
    Class("the program time", "set -o posix; time -p true", "there is none; in POSIX mode and behind quotes and | it is what `time` means",
          r"\btime +-|\| *time\b|['\\\\]time"),
    Class("strings for translation", "bash -D", "there are no catalogues", r"\bbash (-[a-zA-Z]+ )*-[a-zA-Z]*D|--dump"),
    Class("order of what runs at once", "echo a & echo b", "whelk's processes take turns, the same ones each time; a machine's as it likes",
          r"&(?!&)|\||[<>]\(|\bcoproc\b|\bbash\b", only=(1, 2), outcomes=only_order),
    Class("bash dies or never ends", "f() { f; }; f", "calls without end use up bash's stack; a few faults of its own end it, too; whelk's limits tell",
          r"", outcomes=lambda bash, ours: bash[0] in (139, 134, "timeout") and ours[0] not in (139, 134, "timeout")),
]
