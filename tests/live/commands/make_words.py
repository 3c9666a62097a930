"""basename, dirname, printf, echo, expr, test, tsort, getopt, envsubst: words taken apart, put together, judged."""
from making import command, quote


def taken(m):
    """Seldom, something odd about standard output."""
    return m.pick(" >&-", " > /dev/full") if m.chance(0.02) else ""


def path(m):
    return m.pick("a", "/", "//", "///", "", ".", "..", "a/", "a//", "/a", "//a", "/a/b", "a/b/", "a/b//", "./a", "a.c", "dir/a.c", "dir/.c", "a b/c d",
                  "/usr//lib///x.so", "é/ü", "-x", "--", m.odd_name(), "a\nb/c\nd", "a/-x", "x.tar.gz",
                  "\udcff/\udcfe", "../..", "a/.", "a/..", ".c", "c")


@command("basename")
def basename(m):
    suffix = m.pick(".c", "c", "", "b", ".tar.gz", "/", "a", "é", "x", "\udcfe", "a.c", ".")
    options = m.options(m.flags("az", 0.2), m.long("m|ultiple", "z|ero", p=0.08), m.option("s", "s|uffix", suffix, 0.35), m.stray("xk@"))
    operands = m.list(0, 4, lambda: path(m)) if m.chance(0.4) else [path(m), suffix] if m.chance(0.5) else [path(m)]
    return f"{m.local()}basename {options} {m.pick('', '', '-- ')}{' '.join(map(quote, operands))}{taken(m)}"


@command("dirname")
def dirname(m):
    options = m.options(m.option("z", "z|ero", p=0.2), m.stray("xk@"))
    return f"dirname {options} {m.pick('', '', '-- ')}{' '.join(quote(path(m)) for _ in range(m.number(0, 4)))}{taken(m)}"


def number(m):
    return m.pick("0", "1", "-1", "42", "10", "007", "08", "0x1f", "0X1F", "3.14", "-2.5", "1e3", "'a", '"b', "'", "'é", "'ab", "", "abc", "12x", " 5", "5 ",
                  "+7", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
                  "18446744073709551616", "inf", "nan", ".5", "1e400", "0x", "'\udcff", "1e-5", "255", "65", "100000", "1.0", "0x1p3", "-0")


@command("printf")
def printf(m):
    text = lambda: m.pick("a", "foo", "é", "日本", "a b", "", "x\\ny", "\\101", "\\x41z", "\\c", "it's", "\\", "\udcff", "$x", "tab\\there", "\\0101", "a'b\nc",
                          "\\u00e9", "%d", "-n")
    def piece():
        flags = "".join(m.sample("-+ #0'", 0, 2)) if m.chance(0.4) else ""
        width = m.pick("", "", "", "5", "12", "*", "0", "3")
        precision = m.pick("", "", "", ".0", ".2", ".5", ".*", ".", ".10")
        plain = m.pick("d", "i", "o", "u", "x", "X", "s", "s", "c", "b", "f", "e", "g", "G", "E", "a", "F", "A", "q") if m.chance(0.95) else m.pick("z", "ld",
            "n", "", "%", "lld", "hhx", "S", "C", "jd", "Lf")
        return m.pick(f"%{flags}{width}{precision}{plain}", f"%{flags}{width}{precision}{plain}", f"%{plain}",
                      m.pick("x", " ", "\\n", "\\t", "\\\\", "%%", "\\101", "\\0", "\\x4", "\\x", "\\u00e9", "\\U0001F600", "\\u41", "\\c", "\\e", "\\a", "\\q",
                      "é", "\\'", '\\"', "|", "\\1234", "\\8", "\\ud800", "\\U110000", "\\xfff", "\\?"), "|", "\\n")
    form = "".join(m.list(1, 4, piece))
    operands = " ".join(quote(m.pick(number(m), number(m), text(), str(m.number(-9, 30)))) for _ in range(m.number(0, 5)))
    head = m.pick("", "", "", "-- ", "-v x ", "--bogus ") if m.chance(0.1) else ""
    return f"{m.local()}env printf {head}{quote(form) if m.chance(0.98) else ''} {operands}{taken(m)}"


@command("echo")
def echo(m):
    word = lambda: m.pick(m.word(), m.odd_name(), "-n", "-e", "-E", "-ne", "-nE", "-x", "--", "-", "-en", "-eE", "\\n", "a\\tb", "\\c", "x\\cy", "\\0101",
                          "\\101", "\\x41", "\\xg", "\\e[0m", "\\\\", "\\", "\\0", "\\u00e9", "\\a\\b\\f\\r\\v", "--hel", "-nn",
                          "\\0377", "\\x", "\\xfff", "\\08")
    start = " ".join(m.list(0, 2, lambda: m.pick("-e", "-n", "-E", "-ne", "-neE", "-en")))
    return f"{m.pick('', '', '', 'POSIXLY_CORRECT=1 ')}env echo {start} {' '.join(quote(word()) for _ in range(m.number(0, 5)))}{taken(m)}"


@command("expr")
def expr(m):
    value = lambda: m.pick(str(m.number(-9, 20)), str(m.number(0, 5)), m.pick("0", "1", "", "abc", "foo", "a", "10", "007", "-0", "99999999999999999999999",
                                                                              "9223372036854775807", "-9223372036854775808", "é日", "+1", " 1", "1.5", "-",
                                                                                  "00", "\udcff",
                                                                                                "length", "match", "=", "(",
                                                                                                    "b")) if m.chance(0.9) else m.word()
    pattern = lambda: m.pick("a*", "\\(a\\)", ".*", "[a-c]*", "\\(.*\\)o", "^a", "a$", "f.\\(.\\)", "\\(", "[", "x", "", ".", "\\([0-9]*\\)", "*a",
                             "\\(a\\)\\|\\(b\\)", "a\\+", "[[:digit:]]*", "a\\{2\\}", "\\1", "é.", "[^é]*", "\\(x\\)*", "a\\{1", "\\w*")
    def expression(depth):
        if depth == 0 or m.chance(0.2):
            return [value()]
        kind = m.number(0, 9)
        if kind < 5:
            return expression(depth - 1) + [m.pick("|", "&", "<", "<=", "=", "==", "!=", ">=", ">", "+", "-", "*", "/", "%", "+", "*")] + expression(depth - 1)
        if kind == 5:
            return [value(), ":", pattern()]
        if kind == 6:
            return ["(", *expression(depth - 1), ")"]
        return m.pick(["match", value(), pattern()], ["substr", value(), *expression(0), value()],
                      ["index", value(), m.pick("o", "abc", "", "é", "0123456789")], ["length", *expression(depth - 1)], ["+", m.pick("length", "(", value())])
    words = expression(m.number(0, 3))
    if m.chance(0.1):
        words.insert(m.number(0, len(words)), m.pick("(", ")", "+", "x", "--", ":", "substr"))
    if m.chance(0.05):
        del words[m.number(0, len(words) - 1)]
    return f"{m.local()}expr {' '.join(map(quote, words))}{taken(m)}"


@command("test")
def test(m):
    m.file("a", m.pick("", "x\n"))
    m.file("b", "y")
    m.line("touch -d '2020-01-01' a; touch -d @1.5 b; mkdir d; ln -s a l; ln -s none broken; ln a hard; mkfifo p; touch -d @3 p d .")
    m.line(f"chmod {m.pick('000', '644', '4755', '2755', '1755', '111')} b")
    name = lambda: m.pick("a", "b", "d", "l", "broken", "hard", "p", "missing", "", ".", "d/x", "a/x", m.odd_name())
    integer = lambda: m.pick(str(m.number(-5, 9)), str(m.number(0, 3)), "007", " 3", "3 ", "+3", "x", "", "99999999999999999999", "-99999999999999999999",
                             "0x3", "1.5", "--3", "3x")
    text = lambda: m.pick("a", "b", "", "abc", "é", "=", "!", "-f", "(", ")", "-a", "10", "9", "-n", "\udcff", "<")
    def primary():
        return m.pick(lambda: ["-" + m.pick(list("bcdefghGkLNOpSrstuwx" if m.chance(0.9) else "zqQh1a")), m.pick(name(), name(), name(), "/dev/null")],
                      lambda: [name(), m.pick("-nt", "-ot", "-ef"), name()], lambda: [integer(), m.pick("-eq", "-ne", "-lt", "-le", "-gt", "-ge"), integer()],
                      lambda: [text(), m.pick("=", "!=", "==", "<", ">", "=~"), text()], lambda: [m.pick("-n", "-z"), text()], lambda: [text()], lambda: ["-t",
                          m.pick("0", "9", "x", "")], lambda: ["-l", text(), "-eq", str(m.number(0, 3))],
                      lambda: [str(m.number(0, 3)), "-eq", "-l", text()])()
    def expression(depth):
        if depth == 0 or m.chance(0.4):
            return primary()
        return m.pick(["!", *expression(depth - 1)], ["(", *expression(depth - 1), ")"], [*expression(depth - 1), m.pick("-a", "-o"), *expression(depth - 1)],
                      [*expression(depth - 1), m.pick("-a", "-o"), *expression(depth - 1)])
    words = expression(m.number(0, 3))
    if m.chance(0.08):
        words.insert(m.number(0, len(words)), m.pick("(", ")", "!", "-a", "x", "-o", "--"))
    if m.chance(0.05):
        del words[m.number(0, len(words) - 1)]
    line = " ".join(map(quote, words))
    return f"env test {line}" if m.chance(0.7) else f"env [ {line} {m.pick(']', ']', ']', ']', '', '] x')}"


@command("tsort")
def tsort(m):
    node = lambda: m.pick("a", "b", "c", "d", "e", "f", "x1", "é", "\udcff") if m.chance(0.95) else m.word()
    for name in ("a", "b"):
        m.file(name, "".join(f"{node()}{m.pick(' ', ' ', chr(10), '  ', chr(9))}{node()}{m.pick(chr(10), chr(10), ' ')}" for _ in range(m.number(0,
            9))) + m.pick("", "", "", "", "z", "z\0y q\n"))
    return f"tsort {m.stray('xk@')} {m.pick('a', 'a', '', '-', 'b', 'missing', '.', 'a b', '-- a') if m.chance(0.5) else 'a'}{m.feed('a', 'b')}"


@command("getopt")
def getopt(m):
    short = m.pick("ab:c::", "abc", "+ab:", "-ab:c", ":ab:", "", "a:b:", "n::x", "é:", "+:a", "-", "a;b", "W;a", "a:::b")
    long = m.pick("alpha,beta:,gamma::", "alpha", "all,allow:,al", "name:", "", "alpha,,beta", ":", "a-b,c_d::", "alpha beta:,gamma")
    value = lambda: m.pick("-a", "-b", "-bx", "-c", "-cy", "-ab", "--alpha", "--beta=1", "--beta", "--gamma", "--gamma=z", "--al", "--", "-", "x", "file name",
                           "it's", "", "-z", "--bogus", "--alpha=1", "-alpha", "-beta", "a\nb", "!x", "\\y", "--name",
                           "é", "-W alpha", "-abc", "--allo", "\udcff", "$x", "a\tb")
    parameters = " ".join(quote(value()) for _ in range(m.number(0, 6)))
    if m.chance(0.12):
        return f"getopt {quote(short)} {parameters}"
    options = m.options(m.option("a", "alt|ernative", p=0.15), m.option("l", "long|options", long, 0.6),
                        m.option("n", "n|ame", m.pick("prog", "", "a b", "é"), 0.25), m.option("q", "quiet", p=0.1), m.option("Q", "quiet-|output", p=0.06),
                        m.option("s", "s|hell", m.pick("sh", "bash", "csh", "tcsh", "ksh", "zsh"), 0.2), m.option("u", "u|nquoted", p=0.15), m.option("l",
                            "longoptions", "extra:,alphabet", 0.1), m.pick("-T", "--test") if m.chance(0.02) else "",
                        m.stray("zk@"), m.option("o", "o|ptions", short, 0.93))
    set_for = m.pick("POSIXLY_CORRECT=1 ", "GETOPT_COMPATIBLE=1 ") if m.chance(0.06) else ""
    return f"{set_for}getopt {options} {m.pick('-- ', '-- ', '')}{parameters}"


@command("envsubst")
def envsubst(m):
    piece = lambda: m.pick("$FOO", "${BAR}", "$EMPTY", "${UNSET}", "$UNSET ", "$", "$$", "${", "${FOO", "${FOO:-x}", "$1", "$FOO_x", "text ", "\n", "é",
                           "\\$FOO", "$FOOBAR", "${}", "$ {FOO}", "}", "${FOO}${BAR}", "$é", "\0", "\udcff", "$_x", "${1}",
                           "$FOO$BAR", "${FOO }", "$$FOO", "${FOO${BAR}}", "a.$FOO.b", "$foo")
    m.file("a", "".join(m.list(0, 14, piece)) + m.pick("\n", "\n", ""))
    m.line("export FOO='foo value' BAR=$'b\\nr' EMPTY= foo=lower _x=under")
    form = "".join(m.list(0, 4, piece)).replace("\0", "")
    options = m.options(m.option("v", "v|ariables", p=0.2), m.stray("xk@"))
    return f"envsubst {options} {m.pick('', quote(form), quote(form)) if m.chance(0.95) else quote(form) + ' x'}{m.feed('a')}"
