"""cat, head, tail, wc, tee, tac, rev, yes: whole files and lines of them."""
from making import command, quote


def files(m, make=None):
    """a, b and now and then one with an odd name."""
    names = ["a", "b"]
    if m.chance(0.15):
        names.append(m.odd_name())
    for name in names:
        m.file(name, (make or m.mix)())
    return names


@command("cat")
def cat(m):
    names = files(m)
    options = m.options(m.flags("AbeEnstTuv", 0.15), m.long("number", "number-|nonblank", "show-a|ll", "show-e|nds", "show-n|onprinting", "show-t|abs",
                                                            "s|queeze-blank", p=0.05), m.stray("zx@"))
    if m.chance(0.04):
        return f"cat {options} {m.operands(*names)} {m.pick('>> a', '> a', '1<> a', '>> b < b')}"
    return f"cat {options} {m.operands(*names)}{m.feed(*names)}"


def many_lines(m):
    """Up to forty short lines: enough for the ten that are the default."""
    text = "\n".join(f"{i} {m.word()}" for i in range(m.number(0, 40)))
    return text + ("" if m.chance(0.2) else "\n")


def some(m):
    return m.pick(m.mix, m.mix, lambda: many_lines(m), lambda: "x\0y z\0" * m.number(0, 9), lambda: "line\n" * m.number(0, 3000))()


@command("head")
def head(m):
    names = files(m, lambda: some(m))
    def amount():
        return m.pick("", "", "-") + m.count()
    options = m.options(m.option("n", "l|ines", amount(), 0.35), m.option("c", "b|ytes", amount(), 0.3), m.flags("qvz", 0.2),
                        m.long("q|uiet", "si|lent", "verb|ose", "z|ero-terminated", p=0.05), m.stray("xf@"))
    if m.chance(0.15):
        options = f"-{m.number(0, 20)}{m.pick('', '', 'c', 'l', 'q', 'v', 'k', 'b', 'm', 'z', 'cv', 'lq', 'ck', 'x', 'K')} {options if m.chance(0.2) else ''}"
    if m.chance(0.15):
        return f"cat {quote(m.pick(names))} 2> /dev/null | head {options} {m.pick('', '-', '- a')}"
    return f"head {options} {m.operands(*names)}{m.feed(*names)}"


@command("tail")
def tail(m):
    names = files(m, lambda: some(m))
    def amount():
        return m.pick("", "", "+", "-") + m.count()
    follow = m.options(m.pick("-f", "-F", "--follow=name", "--follow=descriptor", "--follow", "--fol=n", "--retry", "--ret -f", "--follow=x"), "--pid=99999999",
                       m.pick("-s.01", "--sleep-interval=0.01", "-s 0x.1p-4"),
                       m.option(None, "max|-unchanged-stats", m.count(), 0.1)) if m.chance(0.06) else ""
    options = m.options(m.option("n", "l|ines", amount(), 0.35), m.option("c", "b|ytes", amount(), 0.3), m.flags("qvz", 0.2),
                        m.long("q|uiet", "si|lent", "verb|ose", "z|ero-terminated", p=0.05), m.stray("xk@"), follow,
                        m.pick("--retry", "--pid=1", "-s 1", "-s x", "--pid=x", "--max-unchanged-stats=x") if m.chance(0.05) else "")
    if m.chance(0.2):
        unit = m.pick("", "", "c", "l", "b", "cl", "x", "q", "ck", "f --pid=99999999")
        options = f"{m.pick('-', '+')}{m.pick(m.number(0, 20), m.number(0, 20), '')}{unit} {options if m.chance(0.1) else ''}"
    if m.chance(0.2):
        return f"cat {quote(m.pick(names))} 2> /dev/null | tail {options} {m.pick('', '-', '- a', '+3')}"
    return f"tail {options} {m.operands(*names)}{m.feed(*names)}"


@command("wc")
def wc(m):
    names = files(m, lambda: some(m))
    options = m.options(m.flags("clmLw", 0.2), m.long("b|ytes", "c|hars", "l|ines", "m|ax-line-length", "w|ords", p=0.06), m.stray("xz@"))
    if m.chance(0.15):
        chosen = [quote(m.pick(*names, "missing", ".", "-", "")) for _ in range(m.number(0, 4))]
        m.line(f"printf '%s\\0' {' '.join(chosen)} > list" if m.chance(0.9) else f"printf '%s' {' '.join(chosen)} > list")
        return f"{m.local()}wc {options} --files0-from{m.pick('=', ' ')}{m.pick('list', '-', 'missing', '.', 'a')} {m.pick('', '', '', 'a')} < list"
    if m.chance(0.1):
        return f"cat {quote(m.pick(names))} 2> /dev/null | {m.local()}wc {options} {m.pick('', '-', '- a')}"
    return f"{m.local()}wc {options} {m.operands(*names)}{m.feed(*names)}"


@command("tee")
def tee(m):
    files(m)
    m.file("c", "old\n")
    m.shows_files()
    mode = m.pick("warn", "warn-nopipe", "exit", "exit-nopipe", "warn-n", "exit-", "w", "x", "")
    options = m.options(m.flags("aip", 0.25), m.long("a|ppend", "i|gnore-interrupts", p=0.1),
                        m.pick("--output-error", f"--output-error={mode}", f"--out={mode}") if m.chance(0.25) else "", m.stray("xz@"))
    outputs = " ".join(quote(m.pick("c", "c", "d", "d d", m.odd_name(), "-", "missing/x", ".", "/dev/full", "/dev/null", "")) for _ in range(m.number(0, 4)))
    given = m.pick(" < a", " < /dev/null", " < .", " <&-") if m.chance(0.1) else " < b"
    taken = m.pick("", "", "", "", " | cat", " > /dev/full", " >&-", " > out")
    return f"{m.pick('cat a 2> /dev/null |', 'cat b 2> /dev/null |', '')} tee {options} {m.pick('', '', '', '--')} {outputs}{given}{taken}"


@command("tac")
def tac(m):
    names = files(m)
    separator = m.pick("a", "\n", "\n\n", "x", " ", "b", "ab", "", "é", "[ab]", "[0-9]*", "a*", ".", "\\(", "x\\|o", "^", "$", "\\n", "[", "o\\+", "\\.", "the",
                       "o.", "[^a]", "\t", "\\(a\\)\\1")
    options = m.options(m.flags("br", 0.25), m.long("b|efore", "r|egex", p=0.1), m.option("s", "s|eparator", separator, 0.5), m.stray("xz@"))
    if m.chance(0.2):
        return f"cat {quote(m.pick(names))} 2> /dev/null | {m.local()}tac {options} {m.pick('', '-', '- a')}"
    return f"{m.local()}tac {options} {m.operands(*names)}{m.feed(*names)}"


@command("rev")
def rev(m):
    def valid():
        return m.pick(m.untidy, m.text, m.table)().encode("utf-8", "ignore").decode().replace("\0", "")
    names = files(m, m.mix if m.chance(0.1) else valid)
    if m.chance(0.2):
        return f"cat {quote(m.pick(names))} 2> /dev/null | rev {m.pick('', '-')}"
    return f"rev {m.stray('xz@')} {m.operands(*names)}{m.feed(*names)}"


@command("yes")
def yes(m):
    words = " ".join(quote(m.pick(m.word(), m.odd_name(), "--", "-n", "--bogus", "-x", "x" * 100, "a\\n")) for _ in range(m.number(0, 4)))
    return m.pick(f"yes {words} | head -n {m.number(0, 20)}", f"yes {words} | head -c {m.number(0, 5000)}", f"yes {words} > /dev/full", f"yes {words} >&-",
                  f"yes {words} | sed 3q",
                  f"yes {words} | tr -d b | head -c {m.number(0, 70000)} | cksum")
