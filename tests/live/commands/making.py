"""What the productions of this directory draw from.

A production makes one invocation of the command under whose name it is registered (or a few that belong together):

    @command("sort")
    def sort(m):
        m.file("a", m.table())
        return f"sort {m.options(m.flags('bdfginr'), m.option('k', 'key', m.pick('1', '2,2n')))} a"

It returns lines of shell. In front of them stand the lines that make the files; behind them one that prints the status and, where the command
writes files (`m.shows_files()`), the tree that is left. Rules: no dependence on time (give files theirs with `touch -d`), process numbers, hosts,
users; small sizes and widths only; relative names; nothing that reads a terminal.
"""
import random
import shlex

ODD_NAMES = ("a b", "-x", "new\nline", "\udcff\udc80", "é", "$x", "it's", "*", "a\tb", "\\")     # a byte that is no UTF-8 is a surrogate
COMMANDS = {}       # name: [function]

NAMES = ("a", "b", "c", "d", "e", "f1", "f2", "f10", "foo.c", "bar.h", "x.tar.gz", "Makefile", "B", "long_name_of_a_file", "a-b", "README", "z.c")
ODD_NAMES = ("a b", "-x", ".hid", ".b.c", "x~", "n\nl", "t\tb", "b\\s", "it's", 'q"d', "*", "é", "日本", "\udcff\udcfe", "#x#", "a=b", "$x", "~", "?", "[a]",
             "e\x1b[m", "w:1", "{}", " ",
             "--all", "\x7f", "a;b", "c,d", "%s")
TIMES = ("2001-02-03 04:05:06", "2020-02-29 12:00:00.123456789", "1970-01-01 00:00:00", "1999-12-31 23:59:59", "2019-06-15 10:00:30.5",
         "1969-12-31 23:59:58.25",
         "2020-02-29 12:00:00.1", "2037-01-19 03:14:07")

TREE = r"""find . -mindepth 1 \( -type l -printf '%P %y %l\n' -o -type f -printf '%P %y %m %n %s\n' -o -printf '%P %y %m\n' \) | LC_ALL=C sort
find . -type f | LC_ALL=C sort | while IFS= read -r f; do echo "== $f"; cat -v "$f"; done"""

INSIDE = "mkdir w; cd w"        # so that .. is the same, too; is not cut

FLAT = "head -v -c 5000 -- *"        # one process, where there are no directories
FLAT_MODES = "stat -c '%n %F %a %h %s' -- *"

OLD_TIMES = r"""find . ! -newermt 2025-01-01 -printf '%P %TY-%Tm-%Td %TH:%TM:%TS\n' | LC_ALL=C sort"""


def command(name):
    def register(function):
        COMMANDS.setdefault(name, []).append(function)
        return function
    return register


class Maker:
    """The random source of one invocation, and its files."""

    def __init__(self, name, number):
        self.rng = random.Random(f"{name} {number}")
        self.setup = []
        self.tree = False
        self.flat = []
        self.times = False
        self.inside = False

    def pick(self, *choices):
        if len(choices) == 1 and not isinstance(choices[0], str):
            choices = choices[0]
        return choices[self.rng.randrange(len(choices))]

    def chance(self, p):
        return self.rng.random() < p

    def number(self, low, high):
        return self.rng.randint(low, high)

    def list(self, low, high, make):
        return [make() for _ in range(self.number(low, high))]

    def sample(self, choices, low, high):
        """So many different choices, in any order."""
        return self.rng.sample(list(choices), min(len(choices), self.number(low, high)))

    # Files.

    def shows_files(self):
        self.tree = True

    def shows_flat_files(self, modes=False):
        """The same at less cost, for a directory without others in it."""
        self.flat = [FLAT, *([FLAT_MODES] if modes else [])]

    def shows_times(self):
        """The times of files that were not changed now."""
        self.times = True

    def line(self, text):
        """A line of shell in front: mkdir, ln, chmod, touch…"""
        self.setup.append(text)

    def file(self, name, data):
        """A file with these bytes (a str is UTF-8), made by printf so that the script holds everything."""
        if isinstance(data, str):
            data = data.encode("utf-8", "surrogateescape")
        self.setup.append(f"printf -- '{printf_text(data)}' > {quote(name)}")
        return name

    def name(self, odd=0.2):
        """A file name."""
        return self.pick(ODD_NAMES if self.chance(odd) else NAMES)

    def files(self, top=".", depth=2, low=1, high=6, kinds="fffffddlh", odd=0.2, modes=True, times=True):
        """A random tree under `top`. kinds: f file, d directory, l symbolic link (dangling ones, too), h hard link, p FIFO. Returns the paths."""
        found = []
        if top != ".":
            self.line(f"mkdir {quote(top)}")
        self.go_inside()
        self.fill(top, depth, low, high, kinds, odd, found)
        if modes:
            self.modes([path for kind, path in found if kind in "fp"], ("644", "755", "600", "444", "4755", "2711", "664", "000", "1644", "7777"), 0.4)
            self.modes([path for kind, path in found if kind == "d"], ("755", "700", "1777", "2775", "555", "777", "1700"), 0.3)
        paths = [path for _, path in found]
        if times and paths:
            for when in self.sample(TIMES, 1, 4):
                some = [path for path in paths if self.chance(0.5)]
                paths = [path for path in paths if path not in some]
                self.line(f"touch -hd '{when}' -- {' '.join(map(quote, some))}" if some else ":")
            self.line(f"touch -hd '{self.pick(TIMES)}' -- {' '.join(map(quote, [*paths, top]))}")
            if top == ".":
                self.line(f"touch -d '{self.pick(TIMES)}' ..")
        return [path for _, path in found]

    def go_inside(self):
        if not self.inside:
            self.inside = True
            self.setup.insert(0, INSIDE)

    def fill(self, top, depth, low, high, kinds, odd, found):
        names = []
        for _ in range(self.number(low, high)):
            name = self.name(odd)
            if name in names:
                continue
            names.append(name)
            path = name if top == "." else f"{top}/{name}"
            kind = self.pick(*kinds)
            if kind == "d" and depth:
                self.line(f"mkdir -- {quote(path)}")
            elif kind == "p":
                self.line(f"mkfifo -- {quote(path)}")
            elif kind == "l":
                target = self.pick(*names, "missing", "..", ".", "/nowhere/else", "x" * 50)
                self.line(f"ln -s -- {quote(target)} {quote(path)}")
            elif kind == "h" and any(k == "f" for k, _ in found):
                kind = "f"
                self.line(f"ln -- {quote(self.pick([p for k, p in found if k == 'f']))} {quote(path)}")
            else:
                kind = "f"
                self.file("./" + path, self.pick("", "x\n", "hello\nworld\n", self.text(), self.bytes(), "y" * self.pick(1, 99, 511, 512, 513, 1023, 1024)))
                if self.chance(0.1):
                    self.line(f"truncate -s {self.pick('1234', '4096', '4097', '10000', '99999')} -- {quote(path)}")
            found.append((kind, path))
            if kind == "d":
                self.fill(path, depth - 1, 0 if high > 1 else 1, max(high - 1, 1), kinds, odd, found)

    def modes(self, paths, choices, p):
        for path in paths:
            if self.chance(p):
                self.line(f"chmod {self.pick(choices)} -- {quote(path)}")

    def date(self):
        """One of a few times."""
        return self.pick(TIMES)

    def odd_name(self):
        return self.pick(ODD_NAMES)

    def text(self, low=0, high=12, word=None):
        """A few lines of a few words; now and then without a newline at the end, or empty."""
        word = word or self.word
        lines = self.list(low, high, lambda: " ".join(self.list(0, 5, word)))
        return "\n".join(lines) + ("" if self.chance(0.1) else "\n") if lines else ""

    def table(self, separator=None, word=None):
        """Lines of fields."""
        separator = separator or self.pick(" ", "\t", ":", ",", "  ")
        word = word or self.word
        columns = self.number(1, 5)
        lines = self.list(0, 12, lambda: separator.join(word() for _ in range(columns if self.chance(0.9) else self.number(0, 6))))
        return "\n".join(lines) + ("" if self.chance(0.1) else "\n") if lines else ""

    def mix(self):
        """Bytes of any kind: a text, a table, lines with tabs, blanks and control characters, binary data."""
        return self.pick(self.text, self.text, self.table, self.bytes, self.untidy, self.untidy)()

    def untidy(self):
        """Lines with blanks, tabs, control characters, long runs, bytes that are no UTF-8, empty ones in a row."""
        def piece():
            return self.pick(" ", "  ", "\t", "\t\t", "        ", "x" * self.number(1, 20), "word ", "the quick brown fox. ", "\r", "\f", "\v", "\b", "\x01",
                "\x7f", "\0", "é", "日本語", "e\u0301",
                             "\udcff", "\udcc3", "\u00a0", "\u3000", "\n", "\n\n", "\n\n\n", ".", "?!", "- ", "*")
        text = "".join(self.list(0, 40, piece))
        return text if self.chance(0.2) else text + "\n"

    def word(self):
        return self.pick("a", "b", "c", "ab", "abc", "foo", "Foo", "bar", "baz", "x1", "10", "9", "-3", "2.5", "1e3", "007", "0x1f", "é", "ß", "日本", "A", "Z",
            "the", "quick", "_k", "a-b", "a.b",
                         "", "\t", "#", "'q'", '"d"', "\\", "1K", "2M", "Jan", "v1.10", "v1.9")

    def bytes(self, low=0, high=64):
        """Any bytes, with many of the usual ones."""
        return bytes(self.pick((0, 10, 32, 65, 97, 127, 128, 195, 169, 255, self.number(0, 255))) for _ in range(self.number(low, high)))

    # Options.

    def flags(self, letters, p=0.25):
        """Some of the letters, each alone or in clusters."""
        chosen = [c for c in letters if self.chance(p)]
        self.rng.shuffle(chosen)
        out = ""
        for c in chosen:
            out += c if out and not out.endswith(" ") and self.chance(0.5) else f" -{c}"
        return out.strip()

    def option(self, short, long, value=None, p=0.5):
        """An option in one of the ways in which it may be spelled, or nothing. Long names are now and then cut short: give `long` a `|` behind what is
        needed to tell it from others (`rev|erse`)."""
        if not self.chance(p):
            return ""
        if long and (not short or self.chance(0.4)):
            needed, _, rest = long.partition("|")
            name = needed + rest if not rest or self.chance(0.7) else needed + rest[:self.number(0, len(rest))]
            if value is None:
                return f"--{name}"
            return f"--{name}{self.pick('=', ' ')}{quote(value)}"
        if value is None:
            return f"-{short}"
        return f"-{short}{self.pick('', ' ') if value else ' '}{quote(value)}"

    def options(self, *parts):
        """What is not empty of them, in any order."""
        chosen = [part for part in parts if part]
        self.rng.shuffle(chosen)
        return " ".join(chosen)

    def operands(self, *names):
        """Some of the names; now and then `-`, `--`, one that is missing, a directory."""
        chosen = [quote(self.pick(*names)) for _ in range(self.number(0, 3))]
        if self.chance(0.1):
            chosen.insert(self.number(0, len(chosen)), self.pick("missing", ".", "-", "/"))
        if self.chance(0.1):
            chosen.insert(0, "--")
        return " ".join(chosen)

    def long(self, *names, p=0.1):
        """Some long options without a value, spelled as option() does."""
        return self.options(*(self.option(None, name, p=p) for name in names))

    def stray(self, letters="@", p=0.03):
        """Seldom, an option that there is not."""
        return self.pick(f"-{self.pick(list(letters))}", "--bogus", "--bogus=1", "--he=x", "--version=1", "-") if self.chance(p) else ""

    def count(self):
        """A number as an option's value: mostly small, with suffixes, and now and then none at all."""
        if self.chance(0.75):
            return str(self.number(0, 12))
        return self.pick("1K", "1kB", "1KiB", "2b", "1M", "0x10", "010", " 3", "+3", "-3", "", "x", "3x", "1.5", "1KB", "1Z", "9223372036854775807",
            "9223372036854775808", "18446744073709551615",
                         "18446744073709551616", "99999999999999999999", "1Y", "00", "-0", "1k", "1g", "3 ")

    def feed(self, *names):
        """Where standard input comes from, and seldom what is odd about the output."""
        given = f" < {quote(self.pick(*names))}" if self.chance(0.92) else self.pick(" < /dev/null", " < .", " <&-", " < missing")
        return given + (self.pick(" > /dev/full", " >&-", " >> out") if self.chance(0.06) else "")

    def local(self):
        """In front of a command: mostly nothing, or a locale of bytes."""
        return "LC_ALL=C " if self.chance(0.2) else ""


def quote(text):
    """A word of shell; bytes that are no UTF-8 and control characters as $'…'."""
    data = text.encode("utf-8", "surrogateescape")
    if text.isprintable() and "\udc80" > max(text, default=""):
        return shlex.quote(text)
    try:
        data.decode()
        plain = min(data) >= 32
    except UnicodeDecodeError:
        plain = False
    if plain:
        return shlex.quote(text)
    return "$'" + "".join(chr(b) if 32 <= b < 127 and chr(b) not in "\\'" else f"\\{b:03o}" for b in data) + "'"


def quote(name):
    """A word of shell; one line, and no raw bytes that are no UTF-8."""
    if all(c.isprintable() for c in name):
        return shlex.quote(name)
    text = "".join(c if c.isprintable() and c not in "\\'" else "".join(f"\\{byte:03o}" for byte in c.encode("utf-8", "surrogateescape")) for c in name)
    return f"$'{text}'"


def printf_text(data):
    """A format of printf, as a body of a single-quoted word, that prints the bytes."""
    out = []
    for byte in data:
        c = chr(byte)
        if c == "-" and not out:
            out.append("\\055")
        elif c == "\n":
            out.append("\\n")
        elif c == "\t":
            out.append("\\t")
        elif c in "\\%":
            out.append(c * 2)
        elif c == "'":
            out.append("\\047")
        elif 32 <= byte < 127:
            out.append(c)
        else:
            out.append(f"\\{byte:03o}")
    return "".join(out)


def make(name, number):
    """The lines of the invocation of the command that the number names."""
    m = Maker(name, number)
    body = m.pick(COMMANDS[name])(m)
    return [*m.setup, *body.split("\n"), 'echo "status $?"', *(TREE.split("\n") if m.tree else []), *m.flat, *([OLD_TIMES] if m.times else [])]
