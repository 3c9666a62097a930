"""Productions of the script generator, and what they draw from.

A statement production is a function of a Gen that returns one or more lines of shell: they stand alone (they set up what they use, and
leave nothing behind that makes a later statement meaningless), so that a script can be cut down statement by statement. It is registered
under the construct that it shows, the unit in which the generator counts:

    @statement("param.slice")
    def slice_of_scalar(g):
        return f'v={g.value()}; printf "<%s>" "${{v:{g.offset()}:{g.offset()}}}"; echo'

Several functions may show one construct. A word production makes a word (or a part of one) that other statements use; what it counts
is added to the statement around it:

    @word("quote.dollar-single")
    def dollar_single(g): ...

Rules for whoever adds one: no command that is not in PATH of both sides; nothing that depends on the time, process numbers, host or user names,
order of concurrent output; small widths, counts and sizes only; `kill` with $!, $$ and %N alone; only relative names of files.
A production whose statement ends the script says `last=True`: it is put at the end.
"""
import random

STATEMENTS = {}     # construct: [function]
WORDS = {}
LAST = set()        # functions whose statement may end the script
MODES = {}          # construct: function of a Gen that returns arguments of the shell, e.g. ["-o", "posix"]


def _add(table, construct, function):
    table.setdefault(construct, []).append(function)
    return function


def statement(construct, last=False):
    def register(function):
        if last:
            LAST.add(function)
        return _add(STATEMENTS, construct, function)
    return register


def word(construct):
    return lambda function: _add(WORDS, construct, function)


def mode(construct):
    """A way of starting the shell: the function returns (how, arguments), how being file, command or stdin."""
    return lambda function: _add(MODES, construct, function)


def single_quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


class Gen:
    """The random source of one script, and the constructs it has shown so far."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.shown = set()
        self.depth = 0

    # What every production draws from.

    def pick(self, *choices):
        if len(choices) == 1 and not isinstance(choices[0], str):
            choices = choices[0]
        return choices[self.rng.randrange(len(choices))]

    def chance(self, p):
        return self.rng.random() < p

    def number(self, low, high):
        return self.rng.randint(low, high)

    def many(self, low, high, make, between=" "):
        return between.join(make() for _ in range(self.number(low, high)))

    def some(self, *choices):
        """A few of the choices, in their order, perhaps none."""
        return [c for c in choices if self.chance(0.5)]

    def show(self, construct):
        self.shown.add(construct)

    # Names and texts. `text` is what a value holds; the others are shell source.

    def name(self):
        return self.pick("a", "b", "v", "w", "foo", "bar", "x1", "_y", "LONG_name")

    def text(self):
        """Bytes as a str that a variable may hold: from plain to nasty."""
        plain = ("", "a", "ab", "abc", "hello", "foo bar", "  two  blanks ", "a:b:c", "1", "42", "-7", "0x1F", "x=y", "path/to/file.tar.gz", "AbC", "éàü",
                 "日本", "a\tb", "line1\nline2", "*", "a*b", "[x]", "?", "~", "$HOME", "`x`", "\\", "a\\b", "it's", 'say "hi"', "!", "#c", "a;b", "&", "(x)",
                 "{a,b}", "-n", "--", " ", "\n", "tail\n", "%s", "%%", "aXbXc", "foofoo", "ñandú", "ß", "İ", "a'b\"c", "one two three", "ababab", ":", "::", "a::b:")
        if self.chance(0.8):
            return self.pick(*plain)
        return "".join(self.pick(*"aab bc:/*?[]\\'\"$ \t\né-=,.{}~!") for _ in range(self.number(0, 8)))

    def value(self):
        """A text as one quoted word."""
        return single_quoted(self.text())

    def simple(self):
        """A word without blanks or specials."""
        return self.pick("a", "b", "ab", "abc", "x", "foo", "bar", "baz", "1", "2", "10", "A", "Z9", "a.b", "k_v")

    def offset(self):
        return self.pick("0", "1", "2", "3", " -1", " -2", "(-3)", "1+1", " 5", "99", " -99", "$((1))")

    def pattern(self):
        """A glob pattern as source that may stand unquoted in an operand."""
        return self.pick("*", "?", "a*", "*a", "?b", "[a-c]", "[!a]", "[^b]*", "[[:alpha:]]", "[[:digit:]]*", "*.*", "*/", "b*/", "b", "ab", "\\*", "'*'", '"a"', "*b*", "??",
                         "[]a]", "[a", "\\", "''", "*[[:space:]]*", "$'a'", "[a-", "[[:upper:]]", "o", "foo", "[[.a.]]", "[[=e=]]", "[!-]")

    def word(self):
        """A word with expansions: one of the word productions, or text."""
        if self.depth > 3 or self.chance(0.05 + 0.2 * self.depth):
            return self.pick(self.simple(), self.value())
        construct = self.pick(*WORDS)
        self.depth += 1
        self.show(construct)
        made = self.pick(WORDS[construct])(self)
        self.depth -= 1
        return made

    def words(self, low=0, high=4):
        return self.many(low, high, self.word)


def show_words(words):
    """A command that shows the fields of its words without doubt."""
    return f"printf '<%s>' {words}; echo \" $?\""


def make_script(seed):
    """(statements, how, arguments, constructs) of the script that seed names. Constructs are drawn evenly, so that each is shown."""
    g = Gen(seed)
    count = g.number(9, 16)
    chosen = g.rng.sample(sorted(STATEMENTS), min(count, len(STATEMENTS)))
    body, end = [], None
    for construct in chosen:
        production = g.pick(STATEMENTS[construct])
        if production in LAST and end is not None:
            continue
        g.show(construct)
        made = production(g).rstrip("\n")
        if production in LAST:
            end = made
        else:
            body.append((construct, made))
    how, arguments = "file", []
    if MODES and g.chance(0.35):
        construct = g.pick(*MODES)
        g.show(construct)
        how, arguments = g.pick(MODES[construct])(g)
    if "-x" in arguments:   # their traces tell numbers of processes
        body = [(construct, made) for construct, made in body if not construct.startswith(("job.", "kill."))]
    return [made for _, made in body] + ([end] if end is not None else []), how, arguments, g.shown


def construct_alone(number):
    return sorted(STATEMENTS)[number % len(STATEMENTS)]


def make_statement(number):
    """As make_script, for a script of one statement: constructs take turns as the numbers go."""
    g = Gen(number)
    construct = construct_alone(number)
    g.show(construct)
    return [g.pick(STATEMENTS[construct])(g).rstrip("\n")], "file", [], g.shown
