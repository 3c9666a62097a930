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


def pattern(m, kind):
    choices = {"E": EXTENDED, "F": FIXED, "P": PERL}.get(kind, BASIC)
    if m.chance(0.07):
        return m.pick(WRONG)
    text = m.pick(choices)
    if m.chance(0.25):
        text += m.pick(choices) if kind == "P" else m.pick("", "|", "\n")[:1] + m.pick(choices)
    return text


def data(m):
    if m.chance(0.1):
        return m.bytes()
    if m.chance(0.3):
        pieces = ("a", "b", "c", "aa", "ab", " ", "é", "foo", "_", "1", "\t")
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
    return f"grep {options} {m.pick('hello', 'y', 'l*o', 'x', '.', 'the')} {where} < /dev/null | LC_ALL=C sort; (exit ${{PIPESTATUS[0]}})"


@command("grep")
def names(m):
    m.file("a", data(m))
    kind = m.pick("egrep", "fgrep")
    return f"{kind} {m.options(m.flags('ivwxno', 0.1))} -e {quote(pattern(m, kind[0].upper()))} {m.operands('a')} < a"
