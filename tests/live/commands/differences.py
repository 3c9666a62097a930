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


def is_utf8(data):
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


CLASSES = {
    **{name: [Class("the order of a directory's entries", f"{name} -R…", "directories have the order of names here", rf"\b{name}\b", (1, 2), lambda real,
                    ours: all(same_lines(at)(real, ours) for at in (1, 2)))]
       for name in ("chmod", "chown", "chgrp", "mkdir", "install", "rmdir", "tree")},
    **{name: [Class("a wrong word of --backup", f"{name} --backup=x a b", "what could be done at once is done before the word is looked at",
                    r"--backup[= ](x|n)\b|-n|--no-clob", (0, 1, 2)),
              Class("a directory into itself", f"{name} -r d .", "never here; GNU's result depends on the order of entries", r" -[a-zA-Z]*[rRa]|--rec|--arch",
                    (1, 2)),
              Class("the order of a directory's entries", f"{name} -R…", "directories have the order of names here", rf"\b{name}\b", (1, 2), lambda real,
                    ours: all(same_lines(at)(real, ours) for at in (1, 2)))]
       for name in ("cp", "mv", "ln")},
    "rm": [Class("the order of a directory's entries", "rm -rv d", "directories have the order of names here", r"\brm\b", (1, 2), lambda real,
                 ours: all(same_lines(at)(real, ours) for at in (1, 2))),
           Class("the hint for a file whose name is an option", "touch -- -x; rm -x", "says the usual only", r"\brm\b", (2,), lambda real,
                 ours: b"to remove the file" in real[2])],
    "stat": [Class("a width for seconds with a fraction", "stat -c %12.3Y a", "GNU stat puts blanks behind what is longer than the width",
                   r"%[-0]*[0-9]+\.[0-9]*[XYZW]", (1,))],
    "du": [Class("which of several names counts, the order of messages", "ln a b; du", "directories have the order of names here", r"\bdu\b.*", (1, 2),
                 lambda real, ours: same_lines(2)(real, ours))],
    "find": [
        Class("the operands of a comma", "find . -links 1 , -type d",
              "GNU find sorts tests by their cost, across commas, too, and then takes the value of the wrong one", r" , ", (0, 1, 2)),
        Class("a wrong word in front of which nothing is printed", "find . ! ! -name a -maxdepth 1 -warn", "the warning names the test, not the !", r"-warn.*!", (2,)),
        Class("a test of the current time", "find . -printf '%t'", "", r"%[0-9.+-]*(t|T)", (1,), lambda real,
              ours: re.sub(rb"2026\S*", b"", real[1]) == re.sub(rb"2026\S*", b"", ours[1])),
        Class("messages in the order of a directory", "find -L . -name x -delete", "directories have the order of names here", r"\bfind\b", (2,),
              same_lines(2)),
    ],
    "grep": [
        Class("messages in the order of a directory", "grep -r x", "directories have the order of names here",
              r"\bgrep\b.* (-[a-zA-Z]*[rR]|--rec|--deref|-d|--dir)", (2,), same_lines(2)),
        Class("-v with a negative -m", "grep -v -m -1 x", "GNU grep 3.8 selects nothing then", r"(-m|--max\S*) ?=?-\d.*", (0, 1)),
        Class("an interval at the start with -o or --color", "grep -oE '{1}a'", "GNU's two matchers do not agree there", r"\{.*", (1,)),
    ],
    "sed": [
        Class("a match of nothing before a character of several bytes", "echo é | sed 's/x*/-/g'", "sed breaks the character",
              r"[*?]|\{|\(\)|s.\\?[`'<>bB]|//|\^", (1,),
              lambda real, ours: not is_utf8(real[1]) and is_utf8(ours[1])),
        Class("a directory in front of which a command asks for the end", "sed '$d' a .", "the next file is looked at only when its turn has come", r"\$", (0, 1, 2), lambda real, ours: b"read error on" in ours[2]),
        Class("a missing file with --follow-symlinks", "sed --follow-symlinks p missing", "it is read, not followed", r"--fol", (0, 2)),
        Class("/dev/stdin as a file of r", "sed 'r /dev/stdin' a < b", "a name of the open file here, which is read once; sed opens the file anew each time",
              r"/dev/stdin", (1,)),
    ],
    "xargs": [
        Class("NULs in what is no list of -0", "printf 'a\\0b' | xargs -I{} echo {}x", "GNU's length counts what stands behind the NUL, too", r"\\000", (0, 1, 2)),
        Class("a shell's own messages", "echo \"'\" | xargs -I{} sh -c {}", "sh is the shell itself here, not dash", r"\bsh\b|IFS", (0, 1, 2), lambda real, ours: b"yntax error" in real[2]),
        Class("what children and xargs say at once", "xargs -n1 ls", "they run beside each other", r"\bxargs\b", (2,), same_lines(2)),
    ],
    "ls": [Class("messages in the order of a directory", "ln -s missing a; ln -s missing b; ls -L", "directories have the order of names here", r"\bls\b", (2,),
                 same_lines(2))],
}
