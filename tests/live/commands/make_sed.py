"""sed."""
from making import command, quote

REGEX = ("a", "b*", "^", "$", ".", "x*", "[ab]", "[^a]*", "\\(a\\)\\(b*\\)", "foo", "^a.*", "a\\|b", "\\<", "\\b", "a\\+", "\\w\\+", "[[:digit:]]", "é", "\\n",
         "\\(.\\)\\1", "a\\{2\\}", "the", "^$", " *", "\\t", "[/]", "\\`", "\\'", "a$", "\\s", "")
EXTENDED = ("(a|b)+", "(a)(b)?", "a{2}", "^(.*)$", "(.)\\1", "a?", "[0-9]+", "\\w+", "(^|b)", "()", "a|b", "x*", "(foo|bar)", "^", "\\+")
REPLACEMENT = ("X", "", "&&", "[&]", "\\1", "\\2\\1", "\\n", "\\t", "\\U&", "\\u&\\E.", "\\l\\U&", "\\L&\\Ex", "a\\/b", "\\&", "\\\\", "<\\0>", "\\\n", "é",
               "\\x41", "\\d065", "\\o101", "\\cA", "&\\U\\1\\l&", "\\q")
FLAGS = ("", "", "", "g", "p", "2", "2g", "i", "I", "gp", "w ../out", "w /dev/stdout", "3p", "M", "mg", "gg", "0", "pp", "", "k", "g;p", "gI2", "99")


def regex(m, extended):
    return m.pick(EXTENDED if extended and m.chance(0.7) else REGEX)


def address(m, extended):
    kind = m.number(0, 11)
    if kind <= 3:
        return m.pick("1", "2", "3", "$", "0", "10", "1", "2")
    if kind <= 6:
        return f"/{regex(m, extended).replace('/', chr(92) + '/')}/{m.pick('', '', '', 'I', 'M')}"
    if kind == 7:
        return f"\\,{regex(m, extended)},"
    if kind == 8:
        return m.pick("0~2", "1~2", "2~0", "2~3", "0~0", "1~", "~2")
    return str(m.number(1, 4))


def addresses(m, extended):
    kind = m.number(0, 9)
    if kind <= 3:
        return ""
    first = address(m, extended)
    if kind <= 6:
        text = first
    else:
        text = first + "," + m.pick(address(m, extended), address(m, extended), "+1", "+0", "~2", "~0", "+2", "$", "1", "0", "+", " 3")
    return text + m.pick("", "", "", "!", " ! ", "!!") if m.chance(0.3) else text


def piece(m, extended, depth=1):
    where = addresses(m, extended)
    kind = m.number(0, 35)
    if kind <= 9:
        d = m.pick("/", "/", "/", ",", "|", "a", ";", "x", "\n")
        text = f"s{d}{regex(m, extended)}{d}{m.pick(REPLACEMENT)}{d}" if d != "/" else f"s/{regex(m, extended).replace('[/]', '[,]')}/{m.pick(REPLACEMENT)}/"
        return where + text + m.pick(FLAGS)
    if kind <= 12:
        return where + m.pick("p", "d", "D", "P", "n", "N", "x", "h", "H", "g", "G", "=", "l", "l 3", "l 1", "l 0", "z", "F", "p;p", "N;P;D", "$!N", "x;p;x",
                              "G;h")
    if kind <= 15:
        return where + m.pick("a", "i", "c") + m.pick("\\\n", " ", "", "\\", "\\\n  ", "  ") + m.pick("text", "two\\\nlines", "\\ttab", "x\\", "", "a  b",
                "\\\\n", "{}", "}")
    if kind <= 17:
        return where + m.pick("q", "q5", "Q", "Q 3", "q 0", "q;p", "Q256", "qx")
    if kind == 18:
        return where + m.pick("y/abc/xyz/", "y/a/é/", "y,a/b,x\\,y,", "y/a\\nb/\\n\\\\c/", "y/ab/c/", "y/a/b", "yaxbyaxa", "y/é日/ab/", "y/\\//x/", "y/a/b/g",
                              "y/aa/bc/", "y///")
    if kind == 19:
        return where + m.pick("r b", "r missing", "R b", "R b", "w ../out", "W ../out", "r", "w", "r /dev/stdin", "w /dev/stderr", "R missing", "w /dev/stdout",
                              "r b;p")
    if kind == 20:
        return m.pick(":a;s/a/b/;ta", ":x;N;$!bx", ":l;n;bl", "b;p", "t;p", "T;p", ":a", "bmissing", "b x;p;:x", ": a b", ":", "s/a/b/;T;s/b/c/", ":a;$!{N;ba}",
                      "{:a};ba", ":a;N;ta;P;D", "b x y", "t a;:a;p")
    if kind <= 23 and depth:
        return where + "{" + m.pick(";", "\n").join(m.list(1, 3, lambda: piece(m, extended, depth - 1))) + m.pick("}", ";}", "\n}")
    if kind == 24:
        return m.pick("v", "v 4.2", "v 9.0", "v x")
    if kind == 25:
        return m.pick("# comment", "#n", "p # x", "}", "{", "p;}", "k", "p p", "1,2=", "1,2i\\", "L", "dp", "s", "s/a", "s/a/b", "s/\\(a/b/",
                      "s/a\\)/b/", "s/a/\\3/", "/a/,p", "1,2,3p", ",2p", "+1p", "a", "y", "/[/p", "p}", "1!!p", ";;p", "  p ", "1 , 2 p")
    return where + m.pick("p", "d", "n", "N", "=", "s/a/X/", "s/b*/-/g", "l", "x", "G", "H")


@command("sed")
def sed(m):
    def word():
        return m.pick("a", "b", "ab", "aab", "foo", "the", "x1", "é", "日本", "10", "", "a/b", "\t", "\\", "abc", "Foo")
    m.go_inside()
    m.file("a", m.text(0, 6, word).replace("\n", "\0" if m.chance(0.03) else "\n") if m.chance(0.9) else m.bytes())
    m.file("b", m.text(0, 4, word))
    extended = m.chance(0.3)
    script = m.pick(";", "\n").join(m.list(1, 4, lambda: piece(m, extended)))
    how = m.options(m.pick("-E", "-r", "--regexp-extended") if extended else "", m.option("n", m.pick("qui|et", "sil|ent"), p=0.3),
                    m.option("s", "sep|arate", p=0.08), m.option("z", "nul|l-data", p=0.06), m.option("u", "unb|uffered", p=0.03),
                    m.option("l", "line|-length", m.pick("1", "5", "20", "0", "x", "70"), 0.06), m.option(None, "po|six", p=0.06),
                    m.option("b", "bin|ary", p=0.02), m.option(None, "sand|box", p=0.04), m.option(None, "follow|-symlinks", p=0.03))
    files = m.operands("a", "b", "a")
    if m.chance(0.15):
        how += m.pick(" -i", " -i.bak", " --in-place", " --in-place=~", " -ib_*", " -n -i", " -i -s")
        files = m.pick("a", "a b", "b", "missing", ".", "a missing b", "")
    m.shows_files()
    if m.chance(0.15):
        m.file("f", script + m.pick("\n", "", "\n"))
        given = m.option("f", "file", "f", 1)
        if m.chance(0.3):
            given += " " + m.option("e", "exp|ression", piece(m, extended), 1)
    elif m.chance(0.2):
        given = " ".join(m.option("e", "exp|ression", part, 1) for part in script.split("\n"))
    else:
        given = ("-e " if script.startswith("-") else "") + quote(script)
    return f"sed {how} {given} {files} < a"
