"""rg. Its output comes from several threads, so trees are searched with --sort path, and what it prints of times is cut out."""
from making import command, quote

ATOMS = ("a", "b", "c", "ab", "foo", "Foo", "bar", ".", "[ab]", "[^a]", "[a-c]", "\\w", "\\W", "\\d", "\\D", "\\s", "\\S", "\\b", "\\B", "^", "$", "\\A", "\\z",
         "[[:alpha:]]", "[[:^alpha:]]", "[[:digit:]x]", "[[:space:]]", "[^\\w]", "[\\d.]", "\\.", "\\t", "\\x61", "\\x{62}", "\\u0063", "é", "ß", "日", "\\p{L}", "\\pN",
         "\\p{Greek}", "\\P{L}", "\\p{Lu}", "[a-z&&[^b]]", "[a-c--b]", "[a-c~~b-d]", "(?i)a", "(?i:foo)", "(?-i:a)", "(?s).", "(?U)a+", "1", "x1", "_", "-", " ", "[é]",
         "[^é]", "[[a]b]", "[]a]", "[^]a]", "[-a]", "[a-]", "the", "10", "(?:)", "()", "[\\s\\S]", "(?x) a b # c", "\\#", "&", "~", "\\-")
WRONG = ("(", ")", "[", "a[", "[[:foo:]]", "[b-a]", "a{2,1}", "a{", "a{1", "a{x}", "{2}", "*a", "+", "?", "\\", "\\1", "(a)\\1", "(?=a)", "(?!a)", "(?<=a)b",
         "(?<!a)b", "\\Z", "\\y", "\\/", "\\\"", "\\<", "(?P<n>a)(?P<n>b)", "(?P<>a)", "(?P<n", "(?z)", "(?i", "(?", "\\p{Foo}", "\\pX", "\\xg", "\\x{110000}", "[\\d-z]",
         "[a\\b]", "a\\nb", "\\n", "[a", "x{1,", "(?i-)", "(?ii)a", "((a)", "[z-a]b", "\\u12", "[a&&b]", "a|*", "(*a)", "[[a]", "[a--", "\\x{", "\\p{", "(?i-i:a)", "[^]",
         "x{99999999999}", "(?P<1>a)")


def pattern(m, deep=True):
    if m.chance(0.04):
        return m.pick(WRONG)
    parts = []
    for _ in range(m.number(1, 3)):
        part = m.pick(ATOMS)
        if deep and m.chance(0.15):
            part = m.pick("({})", "(?:{})", "(?P<n>{})").format(pattern(m, False))
            if any("(?P<n>" in other for other in parts):
                part = part.replace("(?P<n>", "(")
        if m.chance(0.25):
            part += m.pick("*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{1,}", "{0}", "{2,}?", "**")
        parts.append(part)
        if m.chance(0.15):
            parts.append("|")
    return "".join(parts)


def plain(m):
    """What is found more often than not."""
    return m.pick("a", "b", "foo", "Foo", "o", "ab", "the", "1", "[a-c]+", "\\w+", "fo+", "a|b", "^a", "b$", "a.", "", "^", "x*", "é", "\\bfoo\\b", "(a)(b)?", "(?P<n>o)(o)?", "q")


def data(m):
    if m.chance(0.08):
        return m.bytes()
    if m.chance(0.5):
        pieces = ("a", "b", "c", "aa", "ab", " ", "é", "foo", "Foo", "bar", "_", "1", "\t", "-", ".", "x1", "日本", "α", "e\u0301", "\udcff", "the")
        ends = ("\n",) * 8 + ("\r\n",)
        return "".join("".join(m.list(0, 6, lambda: m.pick(pieces))) + m.pick(ends) for _ in range(m.number(0, 12))) + m.pick("", "", "foo")
    return m.text()


def context(m):
    if m.chance(0.55):
        return ""
    count = ("0", "1", "2", "5", "x", "-1", "99999999999999999999") if m.chance(0.1) else ("0", "1", "2", "5")
    return m.options(m.option("A", "after-context", m.pick(count), 0.35), m.option("B", "before-context", m.pick(count), 0.35),
                     m.option("C", "context", m.pick(count), 0.4), m.option(None, "passthru", p=0.1), m.option(None, "passthrough", p=0.03),
                     m.option(None, "context-separator", m.pick("==", "", "\\t", "\\x41"), 0.1), m.option(None, "no-context-separator", p=0.06))


def shown(m):
    return m.options(m.flags("nNobpHI0", 0.08), m.option("n", "line-number", p=0.1), m.option("N", "no-line-number", p=0.04), m.option(None, "column", p=0.08),
                     m.option(None, "no-column", p=0.02), m.option("b", "byte-offset", p=0.05), m.option("o", "only-matching", p=0.1), m.option("c", "count", p=0.06),
                     m.option(None, "count-matches", p=0.06), m.option(None, "include-zero", p=0.04), m.option("l", "files-with-matches", p=0.05),
                     m.option(None, "files-without-match", p=0.04), m.option("q", "quiet", p=0.03), m.option("m", "max-count", m.pick("0", "1", "2", "3"), 0.1),
                     m.option(None, m.pick("heading", "no-heading"), p=0.1), m.option(None, "vimgrep", p=0.06), m.option(None, "trim", p=0.06), m.option(None, "no-trim", p=0.01),
                     m.option("M", "max-columns", m.pick("0", "1", "4", "8", "20"), 0.1), m.option(None, "max-columns-preview", p=0.06),
                     m.option("r", "replace", m.pick("X", "", "$0", "[$1]", "${n}", "$n-$2", "$$", "$", "${1}x$9", "$1x", "a${", "é$0é", "\\n"), 0.15),
                     m.option(None, "color", m.pick("always", "ansi", "never", "auto"), 0.2), m.option(None, "field-match-separator", m.pick("\\t", "", "=>"), 0.05),
                     m.option(None, "field-context-separator", m.pick("\\t", "", "~"), 0.05),
                     m.option(None, "colors", m.pick("match:fg:blue", "match:none", "path:bg:1,2,3", "line:style:bold", "column:fg:0x10", "match:style:nobold",
                                                     "path:style:intense", "match:style:underline", "x", "match:fg:pink", "foo:fg:red", "match:style:x"), 0.06),
                     m.option("H", "with-filename", p=0.06), m.option("I", "no-filename", p=0.05), m.option(None, m.pick("line-buffered", "block-buffered"), p=0.02),
                     m.option("0", "null", p=0.04), m.option(None, "no-messages", p=0.02))


def matching(m):
    return m.options(m.option("i", "ignore-case", p=0.12), m.option("S", "smart-case", p=0.08), m.option("s", "case-sensitive", p=0.03), m.option("w", "word-regexp", p=0.12),
                     m.option("x", "line-regexp", p=0.08), m.option("v", "invert-match", p=0.08), m.option("F", "fixed-strings", p=0.06), m.option(None, "crlf", p=0.04),
                     m.option(None, "no-unicode", p=0.03), m.option("U", "multiline", p=0.06), m.option(None, "multiline-dotall", p=0.04), m.option(None, "null-data", p=0.03),
                     m.option("a", "text", p=0.05), m.option(None, "no-mmap", p=0.1), m.option("E", "encoding", m.pick("none", "auto", "latin1", "utf-8", "utf-16le", "x"), 0.03),
                     m.option("j", "threads", m.pick("1", "0"), 0.02), m.option(None, m.pick("no-crlf", "no-text", "no-multiline", "unicode", "no-pcre2", "no-encoding"), p=0.03))


def finish(m, text):
    """Color needs no terminal; -p asks for one that is not dumb."""
    if m.chance(0.03):
        text = f"TERM=xterm {text}"
    return text


@command("rg")
def patterns(m):
    m.file("a", data(m))
    options = m.options(m.flags(m.pick("onciwvSH", "oncixvSH"), 0.12), m.option(None, "count-matches", p=0.1), m.option(None, "color=always", p=0.1), m.option(None, "no-unicode", p=0.03),
                        m.option("r", None, m.pick("<$0>", "$1"), 0.1), m.option(None, "column", p=0.1), m.option(None, "no-mmap", p=0.1))
    if m.chance(0.1):
        return f"rg {options} -e {quote(pattern(m))} -e {quote(pattern(m))} a"
    return f"rg {options} -e {quote(pattern(m))} a"


@command("rg")
def files(m):
    m.file("a", data(m))
    m.file("b", data(m))
    wanted = quote(pattern(m) if m.chance(0.3) else plain(m))
    first = "-e" if wanted.lstrip("'").startswith("-") else m.pick("", "", "-e")
    if m.chance(0.08):
        m.file("p", "\n".join(m.list(0, 3, lambda: plain(m))) + m.pick("\n", ""))
        first, wanted = m.option("f", "file", m.pick("p", "p", "p", "missing"), 1), ""
    where = m.pick("a", "a", "a", "a b", "b a", "a b missing", "-", "", "a -", "missing")
    given = m.pick("a", "b") if "-" in where or not where else "/dev/null"
    if where == "":
        where = "-"
    return finish(m, f"rg --sort path {m.options(shown(m), context(m), matching(m))} {first} {wanted} {where} < {given}")


@command("rg")
def lines(m):
    """Matches that span lines."""
    m.file("a", data(m))
    m.file("b", data(m))
    wanted = m.pick("a\\nb", "\\n", "a\\s+b", "\\s", "[^a]+", "o\\n.", "(?s)a.*b", "(?s:.)", "a$\\n^b", "\\n\\n", "^a?$", "\\W+", "foo|\\n", "(a|b)\\n(.)", "[^x]", "\\z", "\\A.", "$",
                    "^", "x*\\n?", "(?-m:^)a", "(?-m:$)", "\\r\\n", "")
    options = m.options("-U", shown(m), context(m), m.flags(m.pick("viw", "vix"), 0.06), m.option(None, "multiline-dotall", p=0.1))
    return f"rg --sort path {options} -e {quote(wanted)} {m.pick('a', 'a b', '-')} < a"


@command("rg")
def json(m):
    m.file("a", data(m))
    m.file("b", data(m))
    options = m.options(m.flags(m.pick("iwvoU", "ixvoU"), 0.1), context(m), m.option("m", "max-count", m.pick("0", "1", "2"), 0.15), m.option("r", "replace", "x", 0.05),
                        m.option(None, "no-json", p=0.02), m.option("c", "count", p=0.02), m.option("q", "quiet", p=0.02), m.option("N", "no-line-number", p=0.05))
    return (f"rg --sort path --json {options} -e {quote(plain(m))} {m.pick('a', 'a b', '-', '.')} < a > out; s=$?; "
            "sed -E 's/\"(human|nanos|secs)\":(\"[^\"]*\"|[0-9]+)/\"\\1\":0/g; /\"elapsed_total\"/s/\"bytes_searched\":[0-9]+/N/' out; (exit $s)")


@command("rg")
def stats(m):
    m.file("a", data(m))
    m.file("b", data(m))
    options = m.options(m.flags(m.pick("iwvoUclq", "ixvoUclq"), 0.1), m.option("m", "max-count", m.pick("1", "2"), 0.1))
    return (f"rg --sort path --stats {options} -e {quote(plain(m))} {m.pick('a', 'a b', '.')} < /dev/null > out; s=$?; "
            "sed -E 's/^[0-9.]+ seconds/T seconds/' out; (exit $s)")


@command("rg")
def binary(m):
    m.file("a", m.pick("foo\n", "", "bar\n") + m.pick("x\0y\n", "\0", "foo\0foo\n") + m.pick("", "foo\nbar\n"))
    m.file("b", m.text())
    m.line(f"printf '{'foo bar' if m.chance(0.7) else 'bar'}\\n%.0s' {{1..{m.pick(3, 200, 9000)}}} > c; printf 'x\\0y foo\\n' >> c")
    if m.chance(0.6):
        m.line("mkdir d; cp a d/a; cp c d/c")
    options = m.options(m.flags("nocvlqHa", 0.08), m.option(None, "binary", p=0.2), m.option(None, "text", p=0.06), m.option(None, "no-binary", p=0.04), m.option(None, "no-mmap", p=0.2),
                        m.option(None, "files-without-match", p=0.08), m.option("m", None, m.pick("1", "2"), 0.1), m.option(None, "null-data", p=0.05),
                        m.option("C", None, m.pick("1", "2"), 0.1), m.option(None, "count-matches", p=0.06), m.option(None, "color=always", p=0.05), m.option(None, "heading", p=0.05),
                        m.pick("", "", "", "-u", "-uu", "-uuu"))
    where = m.pick("a", "c", "a b", "a c", ".", "d", "", "-", "./*") if m.chance(0.9) else "- d"
    given = m.pick("a", "c") if "-" in where else "/dev/null"
    behind = "cksum" if m.chance(0.3) else "tail -n 30"
    return f"rg --sort path {options} {m.pick('foo', 'bar', 'y', '^', 'zzz')} {where} < {given} | {behind}; exit ${{PIPESTATUS[0]}}"


RULES = ("*.c", "a", "a/", "/a", "d/", "*", "!*.c", "!a", "!d/", "d/*", "!d/a", "**/b", "b/**", "a/**/b", "*.[ch]", "[ab]", "?", "f*", "!f1", "/d/b", "d/b", "#x", "\\#x#", "\\!a", " a",
         "a ", "a\\ ", "", "# c", "*~", ".*", "!.hid", "{a,b}", "*.{c,h}", "**", "/", "foo.c", "/**/a", "**/d/**", "!/a", "[!a]", "[a", "{a", "a}", "{a,{b}}", "B", "*.tar.gz", "README", "x\\",
         "[]a]", "[^b]", "d//", "/*", "!/d", "d/**", "!**/a", "*/a", "./a")


def rules(m):
    return "".join(m.pick(RULES) + m.pick("\n", "\n", "\n", "\r\n") for _ in range(m.number(0, 5)))


def tree(m):
    m.files(depth=3, high=5, kinds="fffffdddl", odd=0.1, modes=False, times=False)
    m.line("mkdir -p d/b a.d; echo foo > d/a.c; echo foo > d/b/a; echo bar > d/b/f1; echo foo > .hid; echo hello > foo.h 2> /dev/null") if m.chance(0.7) else None
    m.line("mkdir .git") if m.chance(0.6) else None
    for name in (".gitignore", ".ignore", ".rgignore", "d/.gitignore", "d/.ignore", "d/b/.gitignore", "../.ignore", "../.gitignore"):
        if m.chance(0.25):
            m.line(f"printf {quote(rules(m).replace(chr(92), chr(92) * 2).replace('%', '%%') or ' ')} > {name}")
    m.line("mkdir -p .git/info; printf 'a\\n' > .git/info/exclude") if m.chance(0.1) else None
    m.line("mkdir d/.git") if m.chance(0.06) else None


@command("rg")
def trees(m):
    tree(m)
    m.line(f"printf {quote(rules(m).replace(chr(92), chr(92) * 2).replace('%', '%%') or ' ')} > ../X")
    off = [f"--no-ignore{part}" for part in ("", "-dot", "-exclude", "-files", "-global", "-parent", "-vcs", "-messages")]
    on = [f"--ignore{part}" for part in ("", "-dot", "-exclude", "-files", "-global", "-parent", "-vcs", "-messages")]
    options = m.options(m.pick(off) if m.chance(0.25) else "", m.pick(on) if m.chance(0.05) else "", m.pick("", "", "", "", "-u", "-uu", "-uuu", "--hidden", "-.", "--no-hidden"),
                        m.option("g", "glob", m.pick("*.c", "!*.c", "a", "d/**", "!d", "/a", "*", "!*", "{a,b}", "d/", "[", "**/b", "!.hid", ".hid"), 0.2),
                        m.option("g", "glob", m.pick("!a", "*.h", "d/b/*", "!**/b"), 0.08), m.option(None, "iglob", m.pick("*.C", "!A", "readme"), 0.08),
                        m.option(None, "glob-case-insensitive", p=0.04), m.option(None, "ignore-file-case-insensitive", p=0.04),
                        m.option("t", "type", m.pick("c", "md", "make", "all", "x", "readme", "foo"), 0.08), m.option("T", "type-not", m.pick("c", "make", "x", "all"), 0.06),
                        m.option(None, "type-add", m.pick("foo:*.h", "foo:include:c,make", "foo:a", "x", "c:a*", "foo:include:zz"), 0.06),
                        m.option(None, "type-clear", m.pick("c", "foo"), 0.04), m.option(None, "ignore-file", m.pick("../X", "../X", "../missing"), 0.1),
                        m.option(None, m.pick("max-depth", "maxdepth"), m.pick("0", "1", "2", "3"), 0.12),
                        m.option(None, "max-filesize", m.pick("0", "1", "5", "1K", "10M", "1G", "1T"), 0.06),
                        m.option("L", "follow", p=0.08), m.option(None, "one-file-system", p=0.04), m.option(None, "no-require-git", p=0.08), m.option(None, "no-messages", p=0.04),
                        m.option(None, "path-separator", m.pick("+", "/", "ab"), 0.03))
    what = m.pick("--files", "--files", "-l foo", "-c .", "foo", "--files-without-match foo", "-q foo", "--files -0", "--files -q", "-e ''")
    where = m.pick("", "", "", "", ".", "./", "d", "d/", "d/b", "./d", "* ", "a d", "$PWD", "../w", "d/a.c", "../w/d")
    return f"rg {m.pick('--sort path', '--sort path', '--sortr path', '--sort-files')} {options} {what} {where} < /dev/null"


@command("rg")
def perl(m):
    m.file("a", data(m))
    wanted = m.pick("a(?=b)", "(?<=a)b", "(a)(b)?\\1", "\\bfoo\\b", "a++", "(?i)FOO", "^\\w+", "\\d", "[é]", ".", "x*", "(", "a|b", "(?<n>o)\\k<n>", "\\Aa", "$", "\\K", "a\\Kb", "(?!a).", "\\p{L}+",
                    "[[:alpha:]]", "*", "[", "(?P<n>a)")
    options = m.options(m.pick("-P", "--pcre2", "--engine=pcre2", "--engine auto", "--auto-hybrid-regex"), m.flags(m.pick("onciwvUS", "oncixvUS"), 0.1), m.option("r", None, m.pick("<$0>", "$1", "$n"), 0.15),
                        m.option(None, "no-unicode", p=0.05), m.option(None, "count-matches", p=0.1))
    return f"rg {options} -e {quote(wanted)} a"


@command("rg")
def usage(m):
    return (f"rg {m.options(m.pick('-@', '--bogus', '--bogus=1', '--he=x', '-', '', '', '', ''), m.pick('--bogus', '--color=x', '--sort y', '-e', '--engine=z', '-j x', '-m x', '-M -1', '--max-depth=x', '--max-filesize 1X', '', ''), m.pick('foo', ''))}"
            " < /dev/null 2> err; s=$?; head -n 1 err; (exit $s)")
