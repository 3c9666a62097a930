"""The classes of invocations in which whelk's commands are known to differ from the real ones: each a minimal input, the reason, and how a cut-down
script is recognised. At most fifteen a command; docs/divergences/NAME.md says the same for readers."""
import re


class Class:
    """script: what the cut-down script holds; only: the parts (0 status, 1 output, 2 errors) in which the two may differ; outcomes: what else holds."""

    def __init__(self, name, minimal, reason, script, only=(0, 1, 2), outcomes=lambda real, ours: True):
        self.name, self.minimal, self.reason = name, minimal, reason
        self.script = re.compile(script, re.S)
        self.only = only
        self.outcomes = outcomes

    def matches(self, text, real, ours):
        return self.script.search(text) is not None and all(at in self.only for at in range(3) if real[at] != ours[at]) and self.outcomes(real, ours)


def same_lines(at):
    """One of the parts holds the same lines in another order."""
    return lambda real, ours: sorted(real[at].split(b"\n")) == sorted(ours[at].split(b"\n"))


CLASSES = {
    "find": [
        Class("the operands of a comma", "find . -links 1 , -type d", "GNU find sorts tests by their cost, across commas, too, and then takes the value of the wrong one", r" , ", (0, 1, 2)),
        Class("a test of the current time", "find . -printf '%t'", "", r"%[0-9.+-]*(t|T)", (1,), lambda real, ours: re.sub(rb"2026\S*", b"", real[1]) == re.sub(rb"2026\S*", b"", ours[1])),
        Class("messages in the order of a directory", "find -L . -name x -delete", "directories have the order of names here", r"\bfind\b", (2,), same_lines(2)),
    ],
    "grep": [
        Class("messages in the order of a directory", "grep -r x", "directories have the order of names here", r"\bgrep\b.* (-[a-zA-Z]*[rR]|--rec|--deref|-d|--dir)", (2,), same_lines(2)),
        Class("-v with a negative -m", "grep -v -m -1 x", "GNU grep 3.8 selects nothing then", r"(-m|--max\S*) ?=?-\d.*", (0, 1)),
        Class("an interval at the start with -o or --color", "grep -oE '{1}a'", "GNU's two matchers do not agree there", r"\{.*", (1,)),
    ],
    "ls": [Class("messages in the order of a directory", "ln -s missing a; ln -s missing b; ls -L", "directories have the order of names here", r"\bls\b", (2,), same_lines(2))],
}
