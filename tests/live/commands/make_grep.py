"""grep, egrep and fgrep."""
from making import command, quote

BASIC = ("a", "b*", "^a", "c$", "[ab]", "[^a]", "[[:alpha:]]", "\\(a\\)\\1", "a\\{2\\}", "a\\{1,\\}", "a\\{,2\\}", "\\<a", "b\\>", "\\bfoo\\b", "\\w*", "\\W",
         "\\s", "\\S", "a\\|b", "a\\+", "a\\?", ".", ".*", "^", "$", "^$",
         "*a", "\\(*a\\)", "a**", "\\(^a\\)", "a\\|^b", "[]a]", "[^]a]", "[a-c]", "[a-]", "[[.-.]]", "[[=a=]]", "\\.", "\\*", "foo", "x\\{0\\}", "\\B", "\\`a",
         "a\\'", "é", "[é]", "[^é]", "日.", "\\(a*\\)*", "\\(\\)",
         "a^b", "a$b", "+", "?", "{1}", "a{2}", "|", "(a)", "\\n", "\\t", "[\\n]", "-", "the", "[0-9]\\+", "\\(a\\|b\\)\\{2,3\\}", "\\(b*\\)\\1$")
EXTENDED = ("a|b", "(a)", "(a|b)+", "a{2}", "a{1,}", "a{,2}", "a{1,2}{2}", "a?", "a+", "^(a|b)*$", "(a)(b)?\\2", "()", "(|a)", "a||b", "|a", "a|", "*a", "+a",
            "?a", "(*a)", "(+a)", "^*", "^+", "a{x", "a{", "{1}a", "{",
            "a{1", "}", "\\(a", "\\<foo\\>", "\\bx", "(foo|Foo)bar?", "[0-9]+", "([a-z])\\1", "^a|b$", "a.c", "(a*)+", "(a*)*b", "x{0}", "^$", "a\\|b", "(^a)",
            "(b$)", "a^", "$a", "(é|ß)", "\\w+", "\\W+", "..", "(a|ab)(c|bcd)",
            "(.)(.)\\2\\1", "a{0,1}b", "[[:digit:][:space:]]", "[[:upper:]]", "((a))", "a**", "a+?", "\\.")
WRONG = ("[", "a[", "[[:foo:]]", "\\(", "\\)", "(", ")", "a\\{1", "a{2,1}", "a\\{2,1\\}", "\\", "[b-a]", "[[.xx.]]", "\\1", "a{99999}", "a\\{1a\\}",
         "[:space:]", "[[:space:]", "\\d", "\\y", "\\(a\\)\\2", "(a)\\2")
PERL = ("a", "\\d+", "(?i)foo", "a(?=b)", "(?<=a)b", "\\bfoo\\b", "(a)(b)?", "a+?", "^\\s*$", "\\K", "a\\Kb", "x*", "[[:alpha:]]+", "(?:a|b)+", "\\w", "\\x61",
        "\\p{L}", "(", "(?<n>a)\\k<n>", "a|b", "$", "^", "\\Qa.b\\E", "[",
        "é", ".", "\\R", "\\N", "(?s).", "a{2,}", "(?!a).", "\\A.", ".\\z", ".\\Z", "\\h", "*", "a++")
FIXED = ("a", "", "foo", "a.b", "*", "[", "\\", "é", "ab", "b", " ", "'q'", "-3", "1", "x1\nfoo", "the")


LETTERS = ("a", "b", "c", "a", "b", "A", "é", "_", "1", " ", "x", "-", "ß", "σ", "日", "ſ")
SETS = ("[ab]", "[^a]", "[a-c]", "[[:alpha:]]", "[[:space:]]", "[^[:digit:]]", "[]a]", "[a-]", "[é]", "[^é]", "[[:upper:]]", "[[.a.]b]", "[[=a=]]", "[^ab]",
        "[0-9]", "[A-Z]", "[a-zA-Z_]")
REPEATS = (("*", "*"), ("*", "*"), ("\\+", "+"), ("\\?", "?"), ("\\{2\\}", "{2}"), ("\\{1,2\\}", "{1,2}"), ("\\{,2\\}", "{,2}"), ("\\{2,\\}", "{2,}"),
           ("\\{0\\}", "{0}"))
LAZY = ("*?", "+?", "??", "*+", "{1,2}?", "*", "+", "?")
ONLY_PERL = ("(?:ab|a)", "(?=b)", "(?!b)", "(?<=a)", "(?<!a)", "\\d", "\\D", "\\h", "\\x{e9}", "(?i:A)", "\\p{Lu}", "\\K", "\\Aa", "a\\z", "(?>a+)", "(?#c)", "\\Q.\\E", "\\N", "\\R", "\\G",
             "[[:^alpha:]]", "(?|(a)|(b))", "\\g{1}", "(?<n>b)", "\\t", "\\101")


def grown(m, kind, depth=0, groups=None):
    """A pattern grown from a grammar; groups: how many are complete, and may be referred to."""
    groups = groups if groups is not None else [0]
    basic = kind not in ("E", "P")
    out = []
    for _ in range(m.pick((0, 1, 1, 2, 2, 3) if depth else (1, 1, 2, 2, 3, 4))):
        k = m.number(0, 99)
        if k < 16 and depth < 3:
            inner = grown(m, kind, depth + 1, groups)
            piece = f"\\({inner}\\)" if basic else f"({inner})"
            groups[0] += 1
        elif k < 30:
            piece = m.pick(SETS)
        elif k < 38:
            piece = "."
        elif k < 46:
            piece = m.pick("^", "$", "\\<", "\\>", "\\b", "\\B") if kind != "P" else m.pick("^", "$", "\\b", "\\B")
        elif k < 50 and groups[0]:
            piece = f"\\{m.number(1, min(groups[0], 9))}"
        elif k < 56:
            piece = m.pick("\\w", "\\W", "\\s", "\\S")
        elif k < 62 and kind == "P":
            piece = m.pick(ONLY_PERL)
        elif k < 64:
            piece = m.pick("\\.", "\\*", "\\/", "\\-")
        else:
            piece = m.pick(LETTERS)
        if m.chance(0.25) and piece[0] not in "^$" and piece not in ("\\<", "\\>", "\\b", "\\B"):
            piece += m.pick(LAZY) if kind == "P" and m.chance(0.3) else m.pick(REPEATS)[not basic]
        out.append(piece)
    text = "".join(out)
    if m.chance(0.15):
        text += ("\\|" if basic else "|") + grown(m, kind, min(depth + 1, 4), groups)
    return text


def spoilt(m, text):
    """With a character more or less."""
    at = m.number(0, len(text))
    return text[:at] + m.pick("(", ")", "[", "]", "*", "{", "}", "\\", "|", "+", "?", "^", "$", "[:", "\\(", "\\)", "\\{", "{1", "{1,2", "") + text[at + m.pick(0, 1):]


def pattern(m, kind):
    choices = {"E": EXTENDED, "F": FIXED, "P": PERL}.get(kind, BASIC)
    if m.chance(0.04):
        return m.pick(WRONG)
    if m.chance(0.5):
        if kind == "F":
            return "".join(m.list(0, 3, lambda: m.pick(LETTERS)))
        text = grown(m, kind)
        return spoilt(m, text) if m.chance(0.05) else text
    text = m.pick(choices)
    if m.chance(0.25):
        text += m.pick(choices) if kind == "P" else m.pick("", "|", "\n")[:1] + m.pick(choices)
    return text


def data(m):
    if m.chance(0.1):
        return m.bytes()
    if m.chance(0.55):
        pieces = ("a", "b", "c", "aa", "ab", " ", "é", "foo", "_", "1", "\t", "A", "B", "É", "x", "-", "σ", "ς", "Σ", "ß", "ſ", "日", "aXa", "\udcff", "\udcc3")
        pieces = pieces if m.chance(0.25) else pieces[:-2]
        return "".join("".join(m.list(0, 6, lambda: m.pick(pieces))) + m.pick("\n", "\n", "\n", "\r\n") for _ in range(m.number(0, 10)))
    return m.text().replace("\n", "\0" if m.chance(0.05) else "\n")


def shown(m):
    return m.options(m.flags("ivwxnbHhosqcaUTZlLz", 0.07), m.option("o", "only|-matching", p=0.12), m.option("n", "line-n|umber", p=0.1),
                     m.option("c", "cou|nt", p=0.06), m.option("m", "max|-count", m.pick("0", "1", "2", "-1", "x", "1K"), 0.1),
                     m.option("l", "files-with-m|atches", p=0.03), m.option("L", "files-without|-match", p=0.03),
                     m.option(None, "label", m.pick("in", "", "a b"), 0.05), m.option(None,
                                                                                      m.pick("color", "colour") + m.pick("=always", "=always", "", "=never",
                                                                                              "=auto"), p=0.25),
                     m.option(None, "binary-|files", m.pick("binary", "text", "without-match", "x"), 0.05), m.option("I", None, p=0.03),
                     m.option(None, "line-b|uffered", p=0.02), m.option(None, "null", p=0.03), m.option("y", None, p=0.02),
                     m.option("s", "no-m|essages", p=0.03), m.option(None, m.pick("qui|et", "sil|ent"), p=0.02), m.option(None, "init|ial-tab", p=0.03),
                     m.option(None, "null-|data", p=0.03), m.option(None, "no-ig|nore-case", p=0.03),
                     m.option(None, "with-f|ilename", p=0.03), m.option(None, "no-f|ilename", p=0.03), m.option(None, "binary", p=0.02),
                     m.option(None, "inv|ert-match", p=0.03), m.option(None, "word|-regexp", p=0.03))


def context(m):
    if m.chance(0.6):
        return ""
    return m.options(m.option("A", "after|-context", m.pick("0", "1", "2", "x", "-1", "99"), 0.4),
                     m.option("B", "before|-context", m.pick("0", "1", "2", "x"), 0.4), m.option("C", "cont|ext", m.pick("0", "1", "2"), 0.3),
                     m.pick("", "", "-1", "-2", "-12"),
                     m.option(None, "group-s|eparator", m.pick("==", "", "--", "a b"), 0.15), m.option(None, "no-g|roup-separator", p=0.1))


@command("grep")
def grep(m):
    m.file("a", data(m))
    m.file("b", data(m))
    if m.chance(0.3):
        m.line("mkdir d")
        m.file("d/c", data(m))
    kind = m.pick("", "G", "E", "E", "F", "P")
    long = {"E": "--extended-regexp", "G": "--basic-regexp", "F": "--fixed-strings", "P": "--perl-regexp"}
    how = (long[kind] if kind and m.chance(0.15) else f"-{kind}") if kind else ""
    first = "-e" if m.chance(0.1) else ""
    wanted = quote(pattern(m, kind))
    if m.chance(0.1):
        m.file("p", "\n".join(m.list(0, 3, lambda: pattern(m, kind))) + m.pick("\n", ""))
        first, wanted = m.option("f", "file", "p", 1), ""
    elif m.chance(0.15):
        first = m.option("e", "reg|exp", pattern(m, kind), 1) + " " + m.option("e", "reg|exp", pattern(m, kind), 1)
        wanted = ""
    if wanted.lstrip("'").startswith("-"):
        first = "-e"
    options = m.options(how, shown(m), context(m))
    colors = m.pick("mt=01;32", "ms=1:mc=2:sl=3:cx=4:fn=35:ln=32:bn=33:se=36", "rv:sl=3:cx=4", "ne", "x", "mt=", "fn=")
    before = f"GREP_COLORS={quote(colors)} " if m.chance(0.2) else ""
    before = m.local() + before
    return f"{before}grep {options} {first} {wanted} {m.operands('a', 'b', 'd')} < {m.pick('a', 'b')}"


@command("grep")
def recursive(m):
    m.files(kinds="fffffddl", modes=m.chance(0.2), times=False)
    options = m.options(m.pick("-r", "-R", "-r", "--recursive", "--dereference-recursive", "-d recurse", "-d skip", "-d read", "--directories=recurse", "-dx",
                               "-rh"), m.option(None, "include", m.pick("*.c", "f*", "[ab]", "*", "*.h"), 0.25),
                        m.option(None, "exclude", m.pick("*.c", "a*", "*~", ".*", "./a", "-"), 0.25),
                        m.option(None, "exclude-dir", m.pick("d", "*", "a/", ".", "b*", "./c"), 0.2), m.flags("lLcnHhsiovZT", 0.1),
                        m.option("D", "dev|ices", m.pick("skip", "skip", "x"), 0.1),
                        m.option(None, "exclude-from", m.pick("X", "missing"), 0.05), m.option(None, "color=always", p=0.1))
    m.file("X", "*.c\na\n")
    if "-d read" in options:
        options = options.replace("-d read", "-d skip")
    where = m.pick("", "", ".", "*", "./*", "a d", "-- [a-z]*")
    return f"grep {options} {m.pick('hello', 'y', 'l*o', 'x', '.', 'the')} {where} < /dev/null | tr '\\0' '\\n' | LC_ALL=C sort; (exit ${{PIPESTATUS[0]}})"


@command("grep")
def contexts(m):
    """Groups of lines: contexts, counts, -m, separators, prefixes of all kinds."""
    m.file("a", "".join(m.pick("x", "x", "a", "b", "xa", "", "a b") + "\n" for _ in range(m.number(0, 16))))
    m.file("b", "".join(m.pick("x", "a", "b", "xa") + m.pick("\n", "\n", "\0") for _ in range(m.number(0, 6))))
    options = m.options(m.option("A", "after-context", str(m.number(0, 4)), 0.5), m.option("B", "before-context", str(m.number(0, 4)), 0.5),
                        m.option("C", "context", str(m.number(0, 2)), 0.2), m.pick("", "", "", "-1", "-2", "-0"),
                        m.option("m", "max-count", str(m.number(0, 4)), 0.4), m.flags("vcnbHTozZaqsLlwxih", 0.07),
                        m.option(None, "color=always", p=0.2), m.option(None, "group-separator", m.pick("", "=", "a b", "é"), 0.15),
                        m.option(None, "no-group-separator", p=0.07), m.option(None, "label", "in", 0.1), m.pick("", "", "-u", "-U", "--line-buffered", "-y"))
    return f"grep {options} {m.pick('a', 'b', 'x', 'ax*', '^$', 'z', '-e a -e b', '-e x -f b')} {m.operands('a', 'b', 'a')} < a"


@command("grep")
def shared_input(m):
    """What is left of standard input behind a search that stops, and output into what is searched."""
    m.file("a", m.text())
    options = m.options(m.pick("-m1", "-m2", "-q", "-l", "-m1 -A1", "-c -m1", "-L", "-m0", "-n"), m.flags("vonbH", 0.1))
    wanted = m.pick("a", "o", ".", "''", "x")
    return m.pick(f"{{ grep {options} {wanted}; echo $?; cat; }} < a", f"{{ grep {options} {wanted} -; cat; }} < a", f"grep {options} {wanted} a >> a; cat a",
                  f"grep {options} {wanted} < a >> a; cat a", f"grep {options} {wanted} - a < a", f"cat a | grep {options} {wanted} a - -",
                  f"grep {options} {wanted} missing a; echo $?; grep -s {options} {wanted} missing a", f"grep {options} {wanted} . a",
                  f"grep {options} {wanted} a missing > /dev/full", f"grep {options} {wanted} <&-", f"grep {options} {wanted} a >&-",
                  f"grep -f a {options} a", f"grep -f - {options} a < a", f"grep -f /dev/null {options} a", f"grep {options} -e {wanted} -f missing a",
                  f"grep -F -f a {options} a", f"grep -x -f a {options} a", f"grep -w -F -f a {options} a")


@command("grep")
def many(m):
    """Lists of words, as -F takes them, and the same by other ways."""
    words = m.list(0, 12, lambda: "".join(m.pick("a", "b", "c", "ab", "é", "A", " ") for _ in range(m.number(0, 4))))
    m.file("w", "\n".join(words) + m.pick("\n", ""))
    m.file("a", data(m))
    options = m.options(m.pick("-F", "-F", "-E", "-G", "-P"), m.flags("iwxvcnobhHl", 0.12), m.option(None, "color=always", p=0.2), m.option("m", None, "2", 0.1))
    return f"grep {options} -f w {m.operands('a')} < a"


@command("grep")
def names(m):
    m.file("a", data(m))
    kind = m.pick("egrep", "fgrep")
    return f"{m.local()}{kind} {m.options(m.flags('ivwxnocbHlL', 0.1))} -e {quote(pattern(m, kind[0].upper()))} {m.operands('a')} < a"
