"""uniq, cut, tr, comm, join, paste: lines compared, cut up and put together."""
import re

from making import command, quote


def pair(m, make):
    for name in ("a", "b"):
        m.file(name, make())
    odd = []
    if m.chance(0.1):
        odd.append(m.file(m.odd_name(), make()))
    return ["a", "b", *odd]


def repeated(m):
    """Lines of which many are like the one before, but for case, a field, a few characters."""
    lines, last = [], "a b c"
    for _ in range(m.number(0, 14)):
        if m.chance(0.5):
            last = m.pick("foo bar", "a b c", "  x y", "\tx", "é", "É", "日本", "", " ", m.word(), f"{m.word()} {m.word()}", "\udcff")
        lines.append(m.pick(last, last, last.upper(), last.swapcase(), last + "x", f"{m.number(1, 3)} {last}", " " + last, last[1:], "z" + last[1:]))
    return m.pick("\n", "\n", "\n", "\0").join(lines) + m.pick("\n", "\n", "\n", "", "\0")


@command("uniq")
def uniq(m):
    names = pair(m, lambda: m.pick(lambda: repeated(m), lambda: repeated(m), m.mix)())
    m.shows_files()
    def small():
        return str(m.number(0, 4)) if m.chance(0.85) else m.count()
    options = m.options(m.flags("cdDiuz", 0.15), m.long("c|ount", "rep|eated", "i|gnore-case", "u|nique", "z|ero-terminated", p=0.05),
                        m.option(None, "a|ll-repeated", m.pick("none", "prepend", "separate", "p", "x", ""), 0.1).replace(" ", "="), m.option(None,
                            "all-repeated", p=0.05),
                        m.option(None, "g|roup", m.pick("separate", "prepend", "append", "both", "b", "x"), 0.1).replace(" ", "="), m.option(None, "gr|oup",
                            p=0.05),
                        m.option("f", "skip-f|ields", small(), 0.2), m.option("s", "skip-c|hars", small(), 0.2), m.option("w", "check|-chars", small(),
                            0.2), m.stray("xk@"),
                        m.pick("-1", "+1", "-2", "-f1 -1", "-12", "+x", "-1d", "-d2") if m.chance(0.06) else "")
    operands = " ".join(quote(m.pick(names + (["missing", ".", "-", "", "nodir/x"] if m.chance(0.2) else []))) if at == 0 else m.pick("out", "out", "-", ".",
        "missing/x", "/dev/full")
                        for at in range(m.pick(0, 1, 1, 1, 2, 2, 3) if m.chance(0.5) else m.number(0, 1)))
    return f"{m.local()}uniq {options} {m.pick('-- ', '') if m.chance(0.1) else ''}{operands}{m.feed(*names)}"


def ranges(m):
    def one():
        return m.pick(lambda: str(m.number(1, 9)), lambda: f"{m.number(1, 9)}-", lambda: f"-{m.number(1, 9)}",
                      lambda: "{}-{}".format(*sorted((m.number(1, 9), m.number(1, 12)))),
                      lambda: m.pick("0", "0-3", "5-2", "-", "", "x", "1-x", "1-2-3", "18446744073709551615", "18446744073709551616", "1-18446744073709551615",
                                     "+1", " 2", "1.5", "00001") if m.chance(0.3) else "2")()
    return m.pick(",", ",", ",", " ", "\t").join(m.list(1, 4, one))


@command("cut")
def cut(m):
    separator = m.pick(" ", "\t", ":", ",", "\n")
    names = pair(m, lambda: m.pick(lambda: m.table(separator), lambda: m.table(separator), lambda: m.table(separator).replace("\n", "\0"), m.mix)())
    by = m.pick(m.option("f", "fields", ranges(m), 1), m.option("f", "fi|elds", ranges(m), 1), m.option("b", "b|ytes", ranges(m), 1),
                m.option("c", "ch|aracters", ranges(m), 1))
    odd = m.pick("", "ab", "é", "\n", "\\t", "\udcff", "ab", "::")
    options = m.options(by if m.chance(0.97) else "", m.option("d", "d|elimiter", separator if m.chance(0.9) else odd, 0.7 if "f" in by[:4] else 0.05),
                        m.flags("nsz", 0.15),
                        m.long("co|mplement", p=0.2), m.long("on|ly-delimited", "z|ero-terminated", p=0.05), m.option(None, "ou|tput-delimiter",
                            m.pick("-", "", "ab", "é", "\n", "::", "\\n"), 0.25), m.stray("xk@"),
                        m.option("b", "bytes", "1", 0.02))
    return f"{m.local()}cut {options} {m.operands(*names)}{m.feed(*names)}"


def tr_set(m):
    def piece():
        return m.pick(lambda: m.pick("a-z", "A-Z", "0-9", "a-c", "x-z", "!-~", "\\0-\\37", "\\001-\\377", "a-", "-", "b-b"),
                      lambda: m.pick("a-z", "a-f", "A-F", "0-5"),
                      lambda: "[:" + m.pick("alpha", "alnum", "blank", "cntrl", "digit", "graph", "lower", "upper", "print", "punct", "space", "xdigit") + ":]",
                      lambda: m.pick("\\n", "\\t", "\\\\", "\\a", "\\b", "\\f", "\\r", "\\v", "\\101", "\\0", "\\12", "\\400", "\\8", "\\q", "\\-", "\\[",
                                     "\\377", "\\x"),
                      lambda: f"[{m.pick('a', 'x', '*', '-', chr(92) + 'n', '#')}*{m.pick('', '3', '010', '0', '20')}]",
                          lambda: f"[={m.pick('a', 'b', '-', '=')}=]",
                      lambda: m.pick("a", "b", "c", "o", "é", "x", " ", "1", "*", "[", "]", ".", "日"),
                      lambda: m.pick("z-a", "[:bogus:]", "[:alpha", "[=ab=]", "[a*x]", "[a*", "[==]", "[::]", "\\", "", "[a*99999999999999999999]", "\udcff",
                                     "[=]", "[a*08]", "a-\\n", "[.a.]") if m.chance(0.4) else "e")()
    return "".join(m.list(1, 3, piece))


@command("tr")
def tr(m):
    m.file("a", m.mix())
    options = m.options(m.flags("cCdst", 0.2), m.long("c|omplement", "d|elete", "s|queeze-repeats", "t|runcate-set1", p=0.05), m.stray("xk@"))
    plain = lambda: "".join(m.list(1, 4, lambda: m.pick("a-z", "A-Z", "0-9", "a-c", "x-z", "a-f", "\\n", "\\t", " ", "o", "e", "é", "\\101", "-", "1",
                                                        "\\0-\\37", "."))).replace("--", "-")
    first = m.pick("[:upper:]", "[:lower:]", "[:lower:]") if m.chance(0.1) else plain() if m.chance(0.5) else tr_set(m)
    second = m.pick("[:upper:]", "[:lower:]", "[:upper:]") if m.chance(0.1) else plain() if m.chance(0.7) else tr_set(m)
    deletes, squeezes = re.search(r"-[a-zA-Z]*d|--d", options), re.search(r"-[a-zA-Z]*s|--s", options)
    fits = [[first, second]] if not deletes and not squeezes or deletes and squeezes else [[first]] if deletes else [[first], [first, second]]
    operands = m.pick(fits) if m.chance(0.95) else m.pick([], [first], [first, second], [first, second, "x"])
    return f"{m.local()}tr {options} {m.pick('-- ', '') if m.chance(0.1) else ''}{' '.join(map(quote, operands))}{m.feed('a')}"


def ordered(m, lines):
    lines = sorted(lines, key=lambda line: line.encode("utf-8", "surrogateescape"))
    if m.chance(0.1):
        m.rng.shuffle(lines)
    end = "\0" if m.chance(0.08) else "\n"
    return end.join(lines) + (end if lines and m.chance(0.9) else "")


@command("comm")
def comm(m):
    names = pair(m, lambda: ordered(m, m.list(0, 10, lambda: m.pick("a", "b", "c", "d", "d", "é", "", " x", "Z", "\udcff", m.word()))))
    options = m.options(m.flags("123z", 0.15), m.long("chec|k-order", "n|ocheck-order", "t|otal", "z|ero-terminated", p=0.12),
                        m.option(None, "ou|tput-delimiter", m.pick(":", "", "ab", "\\t", "é", "\t"), 0.15),
                        m.option(None, "output-delimiter", ":", 0.05), m.stray("4k@"))
    operands = " ".join(quote(name) for name in (m.pick(["a", "b"], ["a", "b"], ["b", "a"], ["a", "a"], ["-", "b"], ["a", "-"], ["-", "-"],
                                                        [names[-1], "a"]) if m.chance(0.9)
                                                 else m.pick(["a"], [], ["a", "missing"], [".", "a"], ["a", "b", "a"], ["missing", "nothing"])))
    return f"{m.local()}comm {options} {m.pick('-- ', '') if m.chance(0.1) else ''}{operands}{m.feed(*names)}"


@command("join")
def join(m):
    separator = m.pick(" ", " ", "  ", "\t", ":", ",")
    heading = separator.join(m.pick(["k", "h1", "h2"], ["k"], ["x", "k"])) + "\n" if m.chance(0.15) else ""
    def line():
        key = m.pick("a", "b", "c", "d", "A", "B", "10", "9", "é", "", "x1")
        return separator.join([key, *m.list(0, 3, lambda: m.pick(m.word(), "p", "q", ""))])
    names = pair(m, lambda: heading + ordered(m, m.list(0, 8, line)))
    def field():
        return str(m.number(1, 3)) if m.chance(0.9) else m.count()
    def output():
        return m.pick(",", ",", " ").join(m.list(1, 4, lambda: m.pick("0", "1.1", "1.2", "2.1", "2.2", "1.3", "2.9") if m.chance(0.96) else m.pick("3.1", "1.0",
            "x", "1", "0.1", "1.x", "", "1.18446744073709551616")))
    options = m.options(m.option("a", "", m.pick("1", "2"), 0.15), m.option("a", "", m.pick("1", "2", "2", "3", "x"), 0.1),
                        m.option("v", "", m.pick("1", "2"), 0.1), m.option("e", "", m.pick("-", "", "EMPTY", "é"), 0.15),
                        m.option("i", "ig|nore-case", p=0.15), m.option("j", "", field(), 0.08), m.option("o", "",
                                                                                                          m.pick(output(), output(), "auto", output(),
                                                                                                              "aut"), 0.3),
                        m.option("t", "", separator[0] if m.chance(0.8) else m.pick("", "\\0", "ab", "\n", "x", "é", "\udcff", "\\t"), 0.35), m.option("1", "",
                            field(), 0.15), m.option("2", "", field(), 0.15),
                        "--header" if heading and m.chance(0.8) else "", m.long("check|-order", "noch|eck-order", "hea|der", p=0.08), m.option("z",
                            "z|ero-terminated", p=0.06), m.stray("xk@"))
    usual = m.pick(["a", "b"], ["a", "b"], ["b", "a"], ["a", "a"], ["-", "b"], ["a", "-"], [names[-1], "a"])
    odd = m.pick(["a"], [], ["a", "missing"], [".", "a"], ["a", "b", "a"], ["missing", "nothing"])
    operands = " ".join(map(quote, usual if m.chance(0.95) else odd))
    return f"{m.local()}join {options} {m.pick('-- ', '') if m.chance(0.1) else ''}{operands}{m.feed(*names)}"


@command("paste")
def paste(m):
    names = pair(m, lambda: m.pick(m.text, m.table, m.mix, lambda: "1\n2\n3\n"[:m.number(0, 6)])())
    options = m.options(m.option("d", "d|elimiters", m.pick(":", "", ":;", "\\n", "\\t", "\\0", "a\\0b", "\\\\", "é", "x\\", "\\q", "\\b\\f\\r\\v", "\udcff:",
                                                            ",", "\\-"), 0.6), m.flags("sz", 0.25),
                        m.long("s|erial", "z|ero-terminated", p=0.06), m.stray("xk@"))
    operands = " ".join(quote(m.pick(*names, "-")) for _ in range(m.number(0, 4)))
    return f"{m.local()}paste {options} {operands if m.chance(0.8) else m.operands(*names)}{m.feed(*names)}"
