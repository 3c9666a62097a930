"""sort."""
from making import command


def key(m):
    def position(end):
        field = str(m.number(1, 4))
        character = f".{m.number(0 if end else 1, 4)}" if m.chance(0.3) else ""
        return field + character + "".join(m.sample("bdfginrV", 0, 2) if m.chance(0.5) else ())
    return position(False) + (f",{position(True)}" if m.chance(0.6) else "")


def number(m):
    return m.pick("1", "10", "9", "-3", "2.5", "1e3", "007", "-0", "+4", ".5", "1K", "2M", "3k", "1.5G", "nan", "inf", "abc", "", "0x10", "1,000", "12abc")


@command("sort")
def sort(m):
    word = m.pick((m.word, lambda: number(m), lambda: m.pick("Jan", "feb", "MAR", "Dec", "foo", ""),
                   lambda: m.pick("v1.10", "v1.9", "1.0~rc1", "1.0", "a-2.tar", "a-10.tar", "")))
    separator = m.pick(" ", "\t", ":", ",")
    m.file("a", m.table(separator, word))
    m.file("b", m.table(separator, word))
    keys = m.list(0, 2, lambda: m.option("k", "ke|y", key(m), 1))
    options = m.options(m.flags("bdfginrsu", 0.15) if m.chance(0.7) else m.flags("hMVr"), m.option("t", "field|-separator", separator, 0.4), *keys,
                        m.option("z", "zero|-terminated", p=0.05),
                        m.option("c", "check", p=0.1), m.option("C", "check=silent", p=0.05), m.option("m", "merge", p=0.1),
                        m.option("o", "out|put", "out", 0.1),
                        m.option(None, "so|rt", m.pick("numeric", "version", "month", "general-numeric", "human-numeric"), 0.05))
    m.shows_files()
    return f"sort {options} {m.operands('a', 'b')} < a"
