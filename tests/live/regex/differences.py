"""The classes of pairs in which text/re is known to differ from glibc: each a minimal input, the reason, and how a cut-down pair is recognised."""
import re

ASSERTION = r"\^|\$|\\[bB<>`']"
REPEATED = r"[*+?]|\{"


class Pair:
    def __init__(self, fields):
        self.number, self.kind, self.flags, self.pattern, self.eflags, self.subject, self.glibc, self.ours = fields

    def has(self, what):
        """In the pattern."""
        return re.search(what, self.pattern) is not None


class Class:
    def __init__(self, name, minimal, reason, matches):
        self.name, self.minimal, self.reason, self.matches = name, minimal, reason, matches


CLASSES = [
    Class("our limit", "((a*)*\\1)*x", "a search that may take longer than it is allowed to ends with an error", lambda p: p.kind == "limit"),
    Class("range with an end that is not ASCII", "[à-ÿ] in C.UTF-8", "glibc's C.UTF-8 knows no order of them and refuses; here the numbers of the characters count",
          lambda p: p.kind == "compile" and "U" in p.flags and p.glibc == "error 3" and p.has(r"\[.*\\x[c-f].*-|\[.*-\\x[c-f]")),
    Class("escaped letter without regard to case", "\\n with REG_ICASE", "glibc makes the subject capital but not the escaped letter, which then never matches",
          lambda p: "I" in p.flags and p.has(r"\\[ac-rt-vx-z]")),
    Class("stray byte in the pattern", "\\xa9 in C.UTF-8", "glibc drops to bytes where it can, and finds the byte inside of characters",
          lambda p: "U" in p.flags and p.has(r"\\x[89a-f]") and p.kind in ("match", "whole", "groups") and not is_utf8(p.pattern)),
    Class("encoded surrogate", ". on \\xed\\xa0\\x80 in C.UTF-8", "no character to glibc's decoder, but one to the quick way that it has for '.'",
          lambda p: "U" in p.flags and re.search(r"\\xed\\x[ab]", p.subject) is not None),
    Class("line anchor at a newline inside of the match", ".^ on \\n", "glibc's table of transitions takes the newline for the end of a line though REG_NEWLINE is off",
          lambda p: "n" not in p.flags and "\\x0a" in p.subject and p.has(r"\^|\$")),
    Class("back-reference, groups", "()(\\1)", "glibc leaves groups unset or ends them before they begin, or takes another of the ways of the same length",
          lambda p: p.kind == "groups" and p.has(r"\\[1-9]")),
    Class("back-reference, match", "(){2}\\1", "glibc loses track of a group that is empty or repeated",
          lambda p: p.kind in ("match", "whole") and p.has(r"\\[1-9]")),
    Class("assertion in what is repeated, or in a group", "(^a)+ on aa", "glibc's copies of what follows an assertion lose the assertion, or its truth",
          lambda p: p.kind in ("match", "whole", "groups") and p.has(ASSERTION) and (p.has(REPEATED) or p.kind == "groups")),
    Class("unfinished character, without regard to case", "\\> on \\xe6\\xa5 with REG_ICASE", "glibc's capital copy of the subject ends words elsewhere",
          lambda p: "I" in p.flags and "U" in p.flags and not is_utf8(p.subject) and p.has(ASSERTION)),
    Class("repeated repetition of what can be empty", "(a*){2,}{,} on a", "which empty turn counts", lambda p: p.kind == "groups" and
          len(re.findall(REPEATED, p.pattern)) >= 2),
]


def is_utf8(escaped):
    data = re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), escaped.encode())
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def class_of(pair):
    return next((c.name for c in CLASSES if c.matches(pair)), None)
