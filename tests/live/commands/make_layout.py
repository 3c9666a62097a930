"""nl, seq, fold, fmt, expand, unexpand, numfmt, column: text laid out anew."""
from making import command, quote


def files(m, make=None):
    names = ["a", "b"] + ([m.odd_name()] if m.chance(0.08) else [])
    for name in names:
        m.file(name, (make or m.mix)())
    return names


@command("nl")
def nl(m):
    delimiter = m.pick("\\:", "\\:", "\\:", "x:", "ab", "é", "x", "")
    def line():
        if m.chance(0.2):
            return (delimiter if len(delimiter) != 1 else delimiter + ":") * m.number(1, 4)
        return m.pick("", "", " ", "a", "foo", "x y", "\t", "bar", "é", "\\:x", "10")
    names = files(m, lambda: m.pick(lambda: "\n".join(m.list(0, 14, line)) + m.pick("\n", "\n", ""), lambda: "\n".join(m.list(0, 14, line)) + "\n", m.mix)())
    def style():
        return m.pick("a", "t", "n", "a", "t", "pfoo", "p^b", "p[", "px*y", "p", "x", "", "ax", "p\\(a\\|b\\)", "p^$")
    def small():
        return str(m.number(0, 5)) if m.chance(0.85) else m.count()
    options = m.options(m.option("b", "b|ody-numbering", style(), 0.3), m.option("d", "se|ction-delimiter", delimiter, 0.3),
                        m.option("f", "f|ooter-numbering", style(), 0.25),
                        m.option("h", "hea|der-numbering", style(), 0.25), m.option("i", "line|-increment", m.pick(small(), "-2", "-1"), 0.15), m.option("l",
                            "j|oin-blank-lines", small(), 0.2),
                        m.option("n", "number-f|ormat", m.pick("ln", "rn", "rz", "x", "", "rzz"), 0.2), m.option("p", "no|-renumber", p=0.15), m.option("s",
                            "number-s|eparator", m.pick(":", "", " - ", "é", "\t"), 0.15),
                        m.option("v", "st|arting-line-number", m.pick(small(), "-5", "998", "9223372036854775806"), 0.15), m.option("w", "number-w|idth",
                            small(), 0.15), m.stray("xk@"))
    return f"{m.local()}nl {options} {m.operands(*names)}{m.feed(*names)}"


@command("seq")
def seq(m):
    def integer():
        return m.pick(str(m.number(-5, 20)), str(m.number(0, 20)), str(m.number(95, 120)), "007", "1e1", "+3", "0x1f", "1000000", "-0")
    def real():
        return m.pick(f"{m.number(-3, 9)}.{m.number(0, 99)}", ".5", "1.", "1e-1", "2.50", "-.25", "1.5e1", "0x1p-2", "0.1", "1e3", "100000000000000000000",
                      "1E2", "0x.8", "9007199254740993", "1e-3", "1.000")
    def odd():
        return m.pick("x", "", "nan", "inf", "-inf", "1x", "1e", "--", " 3", "3 ", "1e400", "0x", "1,5", "infinity", "-nan", "1e-5000")
    def value(step=False):
        kind = m.number(0, 19)
        return odd() if kind == 0 else real() if kind < (7 if not step else 9) else integer()
    count = m.pick(1, 1, 2, 2, 2, 3, 3, 3) if m.chance(0.97) else m.pick(0, 4)
    values = [value(count == 3 and at == 1) for at in range(count)]
    if count > 1 and m.chance(0.7):     # upwards
        values[0], values[-1] = sorted((values[0], values[-1]), key=lambda text: float(text) if text.lstrip("-").replace(".", "", 1).isdigit() else 50)
    values = list(map(quote, values))
    form = m.pick("%g", "%f", "%e", "%.2f", "%05.1f", "%10g", "%-8.3e|", "%a", "%G", "%+g", "% g", "x%gy", "%%%g%%", "%'f", "%#g", "%Lg", "%.0f", "%0*d", "%d",
                  "%s", "%", "%g%g", "x", "", "%5", "%E", "%.10g", "%08.3f", "%A", "é%g",
                  "%-5g.", "%.g", "%F")
    options = m.options(m.option("f", "f|ormat", form, 0.3), m.option("s", "s|eparator", m.pick(",", "", ":", "\n\n", "é", "\\n", " "), 0.25),
                        m.option("w", "e|qual-width", p=0.25), m.stray("xk@"))
    taken = m.pick(" | head -c 3000 | head -n 30", " | head -c 400") if m.chance(0.97) else m.pick(" > /dev/full", " >&-")
    return f"seq {options} {m.pick('', '', '', '-- ')}{' '.join(values)}{taken}"


@command("fold")
def fold(m):
    names = files(m)
    width = str(m.pick(m.number(1, 12), m.number(1, 30))) if m.chance(0.9) else m.pick(m.count(), "0", "80")
    options = m.options(m.flags("bs", 0.25), m.long("b|ytes", "s|paces", p=0.08), m.option("w", "w|idth", width, 0.8), m.stray("xk@"),
                        m.pick("-5", "-12s", "-b7", "-s20", "-0", "-3x") if m.chance(0.12) else "")
    return f"{m.local()}fold {options} {m.operands(*names)}{m.feed(*names)}"


@command("fmt")
def fmt(m):
    def prose():
        words = lambda: m.pick("the", "quick", "brown", "fox.", "jumps", "over", "(lazy", "dog).", "a", "I", "Is", "it?", "Yes!", "etc.", "\"so\"", "and", "é",
                               "日本", "supercalifragilistic", "x," "--", "end.'", "one;")
        paragraph = lambda: "\n".join(m.pick("", "", " ", "  ", "    ", "\t", "# ", "> ", " # ", "#", "## ") + m.pick(" ", " ", "  ",
            "\t").join(m.list(1, 12, words)) for _ in range(m.number(1, 6)))
        return m.pick("\n\n", "\n\n", "\n\n\n", "\n \n").join(m.list(0, 3, paragraph)) + m.pick("\n", "\n", "")
    names = files(m, lambda: m.pick(prose, prose, prose, m.mix)())
    width = lambda: str(m.number(1, 60)) if m.chance(0.92) else m.pick(m.count(), "2500", "2501", "0", "75")
    options = m.options(m.flags("cstu", 0.15), m.long("c|rown-margin", "s|plit-only", "t|agged-paragraph", "u|niform-spacing", p=0.05),
                        m.option("p", "p|refix", m.pick("#", "> ", " # ", "", "#  ", "  >", "é"), 0.2),
                        m.option("w", "w|idth", width(), 0.5), m.option("g", "g|oal", width(), 0.15), m.stray("xk@"))
    if m.chance(0.15):
        options = f"-{m.number(1, 50)}{m.pick('', '', '', 's', 'x')} {options if m.chance(0.4) else ''}"
    elif m.chance(0.03):
        options = f"{options} -{m.number(1, 50)}"
    return f"{m.local()}fmt {options} {m.operands(*names)}{m.feed(*names)}"


def tab_list(m):
    if m.chance(0.15):
        return m.pick("0", "x", "", "3,2", "4,4", "/4", "+3", "2,/4,6", "2,/0", ",", " ", "99999999999999999999", "3x", "2,+", "/", "+", "+4,/5", "/3,+2",
                      "1/2", "-3", "3,,5", "/3/4")
    stops = sorted(m.sample(range(1, 30), 1, 4))
    return m.pick(",", ",", " ").join(map(str, stops)) + m.pick("", "", "", ",/4", ",+5", " /3")


def blanks(m):
    def line():
        return "".join(m.list(0, 8, lambda: m.pick("\t", "\t\t", " ", "  ", "   ", "        ", "    ", "a", "bc", "word", "é", "日", "\b", " \t", "\udcff",
                                                   "x" * 8, "\r", "\x01")))
    return "\n".join(m.list(0, 6, line)) + m.pick("\n", "\n", "\n", "")


@command("expand")
def expand(m):
    names = files(m, lambda: m.pick(lambda: blanks(m), lambda: blanks(m), m.mix)())
    options = m.options(m.option("i", "i|nitial", p=0.25), m.option("t", "t|abs", tab_list(m), 0.6), m.option("t", "tabs", tab_list(m), 0.1), m.stray("xk@"),
                        m.pick("-4", "-2,6", "-3i", "-i5", "-0", "-12,5", "-4 -9") if m.chance(0.1) else "")
    return f"{m.local()}expand {options} {m.operands(*names)}{m.feed(*names)}"


@command("unexpand")
def unexpand(m):
    names = files(m, lambda: m.pick(lambda: blanks(m), lambda: blanks(m), m.mix)())
    options = m.options(m.option("a", "a|ll", p=0.3), m.option(None, "f|irst-only", p=0.15), m.option("t", "t|abs", tab_list(m), 0.6),
                        m.option("t", "tabs", tab_list(m), 0.1), m.stray("xk@"),
                        m.pick("-4", "-2,6", "-3a", "-a5", "-0", "-12,5", "-4 -9") if m.chance(0.1) else "")
    return f"{m.local()}unexpand {options} {m.operands(*names)}{m.feed(*names)}"


def number(m, suffixes):
    sign = m.pick("", "", "", "-") if m.chance(0.97) else "+"
    digits = m.pick(str(m.number(0, 1500)), str(m.number(0, 10**9)), "1024", "1000", "999", "1023", f"{m.number(0, 99)}.{m.number(0, 999)}", "0", "1048576",
                    "999999", "0.5", ".5", "5.", "007", "1.000", "9.95", "999.5", "18446744073709551615",
                    "1" + "0" * m.number(10, 33), "0.001", "123456789012345678")
    return sign + digits + (m.pick(suffixes) if m.chance(0.93) else m.pick("k", "B", "KB", "Q", "m", " K", "x", "Kx", "Ki", "G", "e3"))


@command("numfmt")
def numfmt(m):
    separator = m.pick(" ", " ", "  ", "\t", ":", ",")
    source = m.pick("", "", "none", "auto", "si", "iec", "iec-i", "si", "iec", "auto") if m.chance(0.96) else m.pick("x", "ie", "i", "s")
    suffixes = {"auto": ("", "K", "Ki", "M", "Mi", "G", "T", "P"), "si": ("", "K", "M", "G", "T", "Y"), "iec": ("", "K", "M", "E", "Z"),
                "iec-i": ("Ki", "Mi", "Gi", "Yi")}.get(source, ("",))
    word = lambda: number(m, suffixes) if m.chance(0.93) else m.pick("", "abc", "-", ".", "1,000", "0x10", "nan", "é", "--5", "- 3")
    names = files(m, lambda: m.table(separator, word))
    units = lambda: m.pick("none", "auto", "si", "iec", "iec-i", "si", "iec", "auto") if m.chance(0.96) else m.pick("x", "", "ie", "i", "s")
    size = lambda: m.pick("1", "2", "10", "1000", "1024", "3") if m.chance(0.85) else m.pick("0", "1K", "1Ki", "x", "", "-1", "1.5", "4KB",
                                                                                             "99999999999999999999")
    form = m.pick("%f", "%10f", "%-10f", "%010f", "%.1f", "%.3f", "%'f", "%'.2f", "x%fy", "%8.2fé") if m.chance(0.7) else m.pick("%%%f", "%d", "%", "%f%f", "",
        "x", "% f", "%-8.0f|", "%.f",
                  "%0f", "%'10.1f", "%.99f", "%*f", "%5", "%.xf")
    fields = m.pick("1", "2", "-", "1,3", "2-", "-2", "1-2", "1,2-3", "5") if m.chance(0.9) else m.pick("0", "x", "3-1", "")
    options = m.options(m.option(None, "fro|m", source, 1) if source else "", m.option(None, "to", units(), 0.5), m.option(None, "from-u|nit", size(), 0.1),
                        m.option(None, "to-|unit", size(), 0.1),
                        m.option(None, "fie|ld", fields, 0.25), m.option(None, "form|at", form, 0.2), m.option(None, "p|adding",
                            m.pick("10", "-10", "5", "-3", "15") if m.chance(0.9) else m.pick("0", "x"), 0.12), m.option(None, "gr|ouping", p=0.06),
                        m.pick("--header", "--header=2", "--head=0", "--header=x", "--header=1") if m.chance(0.12) else "", m.option(None, "inv|alid",
                            m.pick("abort", "fail", "warn", "ignore", "fail", "warn", "ignore") if m.chance(0.95) else m.pick("x", "f"), 0.4),
                        m.option(None, "ro|und", m.pick("up", "down", "from-zero", "towards-zero", "nearest", "n") if m.chance(0.95) else "x",
                                 0.2), m.option(None, "su|ffix",
                            m.pick("B", "bps", "", "é", "K"), 0.15), m.option(None, "deb|ug", p=0.08),
                        m.option("d", "del|imiter", m.pick(separator[0], separator[0], ":") if m.chance(0.93) else m.pick("", "ab", "é"), 0.3), m.option("z",
                            "z|ero-terminated",
                            p=0.05), m.stray("xk@"))
    if m.chance(0.5):
        words = " ".join(quote(word()) for _ in range(m.number(1, 4)))
        return f"{m.local()}numfmt {options} {m.pick('-- ', '-- ', '-- ', '')}{words}"
    return f"{m.local()}numfmt {options}{m.feed(*names)}"


@command("column")
def column(m):
    separator = m.pick(" ", "  ", "\t", ":", ",")
    names = files(m, lambda: m.pick(lambda: m.table(separator), lambda: m.table(separator), m.text, m.mix)())
    titles = ["N", "long name", "é", "c4"][:m.number(1, 4)]
    columns = lambda: m.pick(",", ",").join(m.list(1, 2, lambda: m.pick("1", "2", "3", "0", "-1", titles[0], titles[-1], "9", "x", "-",
                                                                        "") if m.chance(0.3) else m.pick("1", "2", titles[0])))
    table = m.options(m.option("N", "table-columns", ",".join(titles), 0.4), m.option("O", "table-o|rder", columns(), 0.1),
                      m.option("H", "table-hi|de", columns(), 0.12), m.option("R", "table-r|ight", columns(), 0.2),
                      m.option("T", "table-t|runcate", columns(), 0.15), m.option("W", "table-w|rap", columns(), 0.1), m.option("E", "table-noe|xtreme",
                          columns(), 0.1), m.option("d", "table-noh|eadings", p=0.1),
                      m.option("e", "table-hea|der-repeat", p=0.05), m.option("l", "table-columns-|limit", m.pick("1", "2", "3", "0", "x"), 0.1), m.option("J",
                          "j|son", p=0.12), m.option("n", "table-na|me", m.pick("t", "", "é"), 0.1),
                      m.option("r", "tr|ee", m.pick("1", titles[0], "2"), 0.06), m.option("i", "tree-i|d", "1", 0.05), m.option("p", "tree-p|arent", "2",
                          0.05)) if m.chance(0.7) else ""
    options = m.options(m.option("t", "table", p=0.9 if table else 0.2), table, m.option("c", "output-w|idth",
                                                                                         m.pick("20", "30", "40", "80", "10", "unlimited", "0", "x", "-1",
                                                                                                "5"), 0.4),
                        m.option("o", "output-s|eparator", m.pick("|", " | ", "", "\\t", "é"), 0.2), m.option("s", "sep|arator",
                                                                                                              m.pick(separator[0], separator[0], ",:",
                                                                                                                  ""), 0.5), m.option("x", "fi|llrows", p=0.15),
                        m.option("L", "k|eep-empty-lines", p=0.15), m.stray("kz@"))
    return f"column {options} {m.operands(*names)}{m.feed(*names)}"
