"""The classes in which whelk's jq, which is 1.8, is known to differ from jq 1.7 on made programs; docs/divergences/jq.md says of those that 1.8 has too.
Each: a name, a minimal program, the reason, and how it is recognised by the program, the real output and ours."""
import json
import re


class Class:
    def __init__(self, name, minimal, reason, program, real="", ours=""):
        self.name, self.minimal, self.reason = name, minimal, reason
        self.parts = [re.compile(p, re.S) for p in (program, real, ours)]

    def matches(self, *texts):
        return all(p.search(t) for p, t in zip(self.parts, texts))


SHORTER = [(r"Cannot (index|iterate over|update|check|delete|determine|use) .*", r"Cannot \1"),
           (r"(Invalid path expression (with result|near attempt to access element|near attempt to iterate through)) .*", r"\1"),
           (r"(null|boolean|number|string|array|object) \(.*?\) (and|cannot|is not|has|not valid|to|number|only|must)", r"\1 \2"),
           (r".*(at line|at EOF|while parsing|cannot be parsed).*", "PARSE")]


def plain(value):
    """1.8's messages show keys, and more of a value: both sides without what they show."""
    if isinstance(value, str):
        for _ in range(2):
            for pattern, instead in SHORTER:
                value = re.sub(pattern, instead, value, flags=re.S)
        return value
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {plain(k): plain(v) for k, v in value.items()}
    return value


def same(real, ours):
    def lines(text):
        for line in text.splitlines():
            try:
                yield json.dumps(plain(json.loads(line)))
            except ValueError:
                yield plain(line)
    return real == ours or list(lines(real)) == list(lines(ours))


CLASSES = [
    Class("several initial values", "[1,2]|reduce .[] as $x (0,1;.+$x)", "1.7 gives the source null instead of the input from the second one on; 1.8 does not",
          r"reduce|foreach"),
    Class("what is made of a message", "try (1|.a) catch length", "the messages of 1.8 are others", r"catch|\?", r"", r""),
    Class("a break met by ?//", "first(1 as $x ?// $y|2)", "1.7's first, limit and their like break out by an error, which ?// takes for a pattern's: 1.8 too; "
          "here they do not", r"\?//"),
    Class("functions in C within paths", "path(1|add)", "what 1.7 defines in jq fails at its first step when it is no path; here it fails at the end",
          r"path|del|pick|=", r"Invalid path|Cannot|^\[\]"),
    Class("unchanged by del or setpath", "{}|path(del(.a))", "1.7 copies what nothing is deleted of, so that it is not its input any more", r"path|del|pick|=",
          r"Invalid path expression with result"),
    Class("last of nothing", "last(empty)", "null in 1.7, no output in 1.8", r"last"),
    Class("min, sort and others of what is no array", "1|sort_by(.)", "other functions look at it first: other words", r"", r"cannot be|Cannot|must|requires|required|not a valid",
          r"cannot be|Cannot|must|requires|required|not a valid"),
    Class("join, implode, explode and case", "1|ascii_downcase", "1.8 looks at the input itself", r"join|implode|explode|ascii|flatten|ltrimstr|tojson|error"),
]
