"""sed."""
from making import command, quote

LETTERS = ("a", "b", "c", "x", "foo", "the", "é", "日", "1", "0", " ", "A", "B", "/", ",", ".", "-", "_", "\\.", "\\*", "\\/", "\\[", "\\]", "\\$", "\\^", "\\\\",
           "=", ";", "}", "#", "&", "\t", "~", "%", "ß", "\udcff")
ESCAPES = ("\\n", "\\t", "\\x41", "\\x61", "\\d097", "\\o141", "\\cA", "\\cz", "\\x5e", "\\x2a", "\\x5b", "\\x2", "\\d9", "\\o7", "\\x26", "\\f", "\\v", "\\a", "\\r",
           "\\c\\\\", "\\xg", "\\d", "\\o9", "\\x5c", "\\x0a", "\\d010", "\\e", "\\i", "\\-", "\\!", "\\%", "\\}")
BRACKETS = ("[ab]", "[^a]", "[a-c]", "[[:alpha:]]", "[^[:space:]]", "[]a]", "[^]a]", "[a\\n]", "[\\n]", "[/]", "[[:digit:]x]", "[a-]", "[-a]", "[\\]", "[\\t]", "[.]", "[*]",
            "[é日]", "[a-é]", "[[:upper:]]", "[[.a.]]", "[[=a=]]", "[[.-.]]", "[^\\n]*", "[\\x41b]", "[\\d097]", "[$]", "[^^]", "[[:alnum:]_]", "[[:punct:]]", "[0-9]",
            "[a\\]", "[\\w]", "[\\/]", "[,;]", "[[]")
OPERATORS = ("\\w", "\\W", "\\s", "\\S", "\\b", "\\B", "\\<", "\\>", "\\`", "\\'")
WRONG = ("[a", "\\(", "\\)", "a\\{", "a\\{2", "[[:foo:]]", "[:space:]", "a\\{3,2\\}", "\\1", "[z-a]", "*", "(", ")", "a{", "{1}", "a{,2}", "**", "+a", "?", "[[.ab.]]", "\\", "(*a)",
         "a|*b", "a\\|*b", "^*", "\\(*a\\)", "\\(^a\\)", "a\\{99999\\}", "x\\{1,2\\}\\{2\\}", "()", "\\(\\)", "a**", "[[:alpha:", "\\n*", "[a\nb]", "a\nb", "\\\n")


class Script:
    """The random source of one script, and what its parts must agree on."""

    def __init__(self, m):
        self.m = m
        self.extended = m.chance(0.35)
        self.labels = 0
        self.posix = False
        self.rounds = m.chance(0.12)     # it has D: then nothing may put newlines in again and again
        self.groups = 0

    # Expressions.

    def atom(self, depth):
        m = self.m
        kind = m.number(0, 23)
        if kind <= 9:
            return m.pick("a", "b", "c", "x", "a", "b") if m.chance(0.6) else m.pick(LETTERS)
        if kind <= 11:
            return "."
        if kind <= 14:
            return m.pick(BRACKETS)
        if kind <= 16 and depth:
            self.groups += 1
            left, right = ("(", ")") if self.extended else ("\\(", "\\)")
            return left + self.expression(depth - 1) + right
        if kind == 17:
            return m.pick(ESCAPES)
        if kind == 18:
            return m.pick(OPERATORS)
        if kind == 19 and self.groups:
            return f"\\{m.number(1, self.groups)}"
        if kind == 20:
            return m.pick("^", "$", "^", "$", "\\n")
        return m.pick("a", "b", "o", "é")

    def repeated(self, depth):
        m = self.m
        text = self.atom(depth)
        kind = m.number(0, 15)
        if kind <= 8:
            return text
        if kind <= 11:
            return text + "*"
        signs = ("+", "?", "{2}", "{1,2}", "{0,1}", "{1,}", "{,2}", "+?", "*+") if self.extended else (
            "\\+", "\\?", "\\{2\\}", "\\{1,2\\}", "\\{0,1\\}", "\\{1,\\}", "\\{,2\\}", "*\\?", "**")
        return text + m.pick(signs)

    def expression(self, depth=2):
        m = self.m
        text = "".join(m.list(1, 3 if depth else 2, lambda: self.repeated(depth)))
        if m.chance(0.1):
            text = text + ("|" if self.extended else "\\|") + "".join(m.list(0, 2, lambda: self.repeated(depth)))
        return text

    def regex(self, delimiter="/"):
        m = self.m
        self.groups = 0
        kind = m.number(0, 19)
        if kind == 0:
            return ""
        if kind == 1 and m.chance(0.5):
            text = m.pick(WRONG)
        elif kind <= 5:
            text = m.pick("a", "b*", "^", "$", ".", "x*", "foo", "^a.*", "the", "^$", " *", "a$", ".*", "^.", "[^ ]*", "[0-9][0-9]*", "\\w*", "a", "b", "\\n")
        else:
            text = self.expression()
            if m.chance(0.12):
                text = "^" + text
            if m.chance(0.12):
                text += "$"
        return self.hide(text, delimiter)

    def hide(self, text, delimiter):
        """With a backslash before the delimiter, mostly."""
        if self.m.chance(0.02):
            return text
        out, at = "", 0
        while at < len(text):
            if text[at] == "\\" and at + 1 < len(text):
                out += text[at:at + 2]
                at += 2
                continue
            out += ("\\" if text[at] == delimiter else "") + text[at]
            at += 1
        return out

    # Addresses.

    def address(self):
        m = self.m
        kind = m.number(0, 15)
        if kind <= 4:
            return m.pick("1", "2", "3", "4", "$", "$", "10", "1", "2", "01")
        if kind <= 9:
            return f"/{self.regex()}/{m.pick('', '', '', '', 'I', 'M', 'IM', ' I', 'MI')}"
        if kind == 10:
            d = m.pick(",", "|", "x", "%", "a", "s", ";", ".", "(", "*", "^", "n", " ", "+", "{")
            return f"\\{d}{self.regex(d)}{d}{m.pick('', '', 'I')}"
        if kind == 11:
            return m.pick("0~2", "1~2", "2~0", "2~3", "0~0", "1~", "0~1", "2 ~ 2", "0~3", "5~1", "~2", "+1", "~", "0")
        return str(m.number(1, 6))

    def addresses(self):
        m = self.m
        kind = m.number(0, 11)
        if kind <= 4:
            return ""
        if kind <= 7:
            text = self.address()
        elif kind == 8:
            text = m.pick("0,", "0,", "0 , ") + f"/{self.regex()}/" + m.pick("", "", "I")
        else:
            second = m.pick("+1", "+0", "+2", "~2", "~0", "~3", "$", "1", "2", "4", "0", "+", " 3", "~ 2", "1~2", "0~4", "2~2", "~", "+ 1") if m.chance(0.55) else self.address()
            text = self.address() + m.pick(",", ",", ",", " ,", ", ", " , ") + second
            if m.chance(0.01):
                text += m.pick(",", ",3", "/a/")
        return text + (m.pick("!", "!", " !", "! ", " ! ", "!!", "! !") if m.chance(0.15) else m.pick("", "", "", "", " "))

    # Commands.

    def replacement(self, delimiter):
        m = self.m

        def part():
            kind = m.number(0, 15)
            if kind <= 4:
                return m.pick("X", "y", "<", ">", "[", "]", ".", " ", "é", "日", "-", "ab", "Q", "ö", "ǆ")
            if kind <= 6:
                return "&"
            if kind <= 8:
                return f"\\{m.pick(0, 1, 1, 1, 2, 2, 3, 9) if m.chance(0.15) else m.number(0, self.groups)}"
            if kind <= 11:
                return m.pick("\\u", "\\l", "\\U", "\\L", "\\E") + (m.pick("&", "\\0", "x", "É", "Ab", "") if m.chance(0.7) else "")
            if kind == 12:
                return m.pick("\\\\", "\\&", "\\/", "\\t", "\\,", "\\q", "\\%", "\\ ", "\\-", "\\.")
            if kind == 13:
                return m.pick(ESCAPES) if not self.rounds else m.pick("\\x41", "\\d065", "\\o101", "\\cA", "\\x26", "\\x5c")
            if kind == 14 and not self.rounds:
                return m.pick("\\n", "\\\n", "\\n")
            return m.pick("", "z", "é", delimiter if m.chance(0.1) else "w")
        return "".join("\\" + piece if piece == delimiter and m.chance(0.9) else piece for piece in m.list(0, 4, part))

    def flags(self):
        m = self.m
        kind = m.number(0, 19)
        if kind <= 8:
            return ""
        if kind <= 13:
            return "g"
        if kind <= 16:
            return "".join(m.sample(("g", "p", "2", "i", "I", "m", "M", "3"), 1, 3))
        if kind == 17:
            return m.pick("w out", "gw out", "w /dev/stdout", "pw out", "w /dev/stderr", "gpw out2", "2w out", "w  out", "wout")
        return m.pick("gg", "0", "pp", "k", "g;p", "gI2", "99", "1 2", "g p", "10", "g ", "p#x", "g}", "w", "2g", "3g", "ig", "Mg", "18446744073709551616")

    def substitute(self):
        m = self.m
        d = "/" if m.chance(0.7) else m.pick(",", "|", "a", ";", "x", "#", ":", "@", "!", "_", " ", "\t", "^", ".", "*", "(", "s", "n", "1", "&", "\n", "\\", "é", "%", "+", "-")
        if m.chance(0.5):
            d = "/"
        text = f"s{d}{self.regex(d)}{d}{self.replacement(d)}{d}"
        if m.chance(0.004):
            text = text[:m.number(1, len(text))]
        return text + self.flags()

    def text_command(self):
        m = self.m
        name = m.pick("a", "i", "c")
        body = m.pick("text", "two\\\nlines", "\\ttab", "x\\", "", "a  b", "\\\\n", "{}", "}", "a;b", "\\  lead", "#no", "é\\x41", "tail\\", "\\", "one\\\n", "a\\nb", "\\a", "a\\tb",
                      "\\\\", "x\\\\", "p\\\n\\\n", "$!N", "  two  ", "\\d065", "\\cA", "back\\slash", "&", "a\\\n  b", "\\\ta", "\\x5cn")
        return name + m.pick("\\\n", "\\\n", " ", " ", "", "\\", "\\\n  ", "  ", "\t", "\\ \n", "\\\t", " \\", "  \\\n", "\\\n\\") + body, True

    def jump(self):
        """Labels of its own, so that nothing loops for ever; whether a newline must follow."""
        m = self.m
        self.labels += 1
        name = m.pick("a", "x y"[:1], "end", "L1", "é") + str(self.labels)
        kind = m.number(0, 13)
        if kind <= 2:
            return m.pick("b", "t", "T") + m.pick("", "", " ", ";p")
        if kind <= 5:
            inner = m.pick("s/a/X/", "p", "N", "s/b//", "=", "x" if not self.rounds else "p", "$!N")
            where = m.pick("", "", "2", "/a/", "$!", "1,2")
            return f"{where}{m.pick('b', 't', 'T', 'b')}{m.pick(' ', '', '  ')}{name}{m.pick(';', chr(10))}{inner}{m.pick(';', chr(10))}:{m.pick('', ' ')}{name}"
        if kind <= 7:
            return m.pick(f":{name};s/a/b/;t{name}", f":{name};s/^x*\\(.\\)y/\\1/;t{name}", f":{name}\ns/\\([0-9]\\)\\([0-9][0-9][0-9]\\)\\b/\\1,\\2/\nt{name}",
                          f":{name};s/aa/a/g;t {name}", f":{name};s/b\\?//;T;s/c//;t{name}")
        if kind <= 10:
            return m.pick(f":{name};N;$!b{name}", f":{name};$!{{N;b{name}}}", f":{name};$!{{N;b{name}\n}}", f":{name};/\\\\$/{{N;s/\\\\\\n//;b{name}}}", f":{name};n;b{name}",
                          f"{{:{name};n}};$!b{name}", f":{name}\n$!N\ns/\\n/,/\nt{name}", f":{name};N;b{name}")
        if kind == 11:
            return m.pick("bmissing", ":", f":{name} ", ": ", f"1:{name}", "t missing;p", f":{name};:{name}", f"b {name};p;:{name} ;p", f"b{name}}}", f":{name}#c", f"b{name}#c\n:{name}")
        return f"b{name};p;:{name}"

    def simple(self):
        m = self.m
        choices = ["p", "d", "P", "n", "N", "h", "H", "g", "=", "l", "l 3", "l 1", "l 0", "z", "F", "$!N", "l 7", "h;p", "n;d", "N;P", "q", "Q", "l5", "= ", "p ;p", "N;N", "n;n",
                   "y/abc/xyz/", "v", "$!{h;d}", "W out", "w out"]
        if self.rounds:
            choices += ["D", "D", "N;P;D", "$!N;P;D", "D", "N;D", "/a/D"]
        else:
            choices += ["x", "G", "x;p;x", "G;h", "1!G;h;$!d", "H;x", "x;G", "H;$!d;x", "x;1d"]
        return m.pick(choices)

    def other(self):
        """(text, whether a newline must follow it)"""
        m = self.m
        kind = m.number(0, 12)
        if kind <= 2:
            return m.pick("y/abc/xyz/", "y/a/é/", "y,a/b,x\\,y,", "y/a\\nb/\\n\\\\c/", "y/ab/c/", "y/a/b", "yaxbyaxa", "y/é日/ab/", "y/\\//x/", "y/a/b/g", "y/aa/bc/", "y///",
                          "y/a\\tb/\\t\\n\\x41/", "y/\\x41\\d066/ab/", "y/abcé/xyzö/", "y/a/\\n/" if not self.rounds else "y/a/b/", "y/a\\\\b/123/", "y;a\\;b;123;", "y/a/b/ ; p",
                          "y/\\a/b/", "y/a\\/", "y|a\\|b|x\\|y|", "y/\n/x/", "yé1é2é", "y/日é/é日/", "y/a\\qb/12345/", "y/a-c/x-z/", "y/a/b/}"), False
        if kind <= 5:
            return m.pick("r b", "r missing", "R b", "R b", "R c", "w out", "W out", "r /dev/null", "w /dev/stderr", "R missing", "w /dev/stdout", "r b;p", "R b}", "w out2", "W /dev/stdout",
                          "r  b", "rb", "Rb", "wout", "r c", "r ./b", "w ./out", "r /dev/stdin", "R /dev/stdin", "0r b"), True
        if kind == 6:
            return m.pick("q", "q5", "Q", "Q 3", "q 0", "q;p", "Q256", "qx", "q 5 ;p", "$q7", "2q", "3Q", "/a/q", "Q9", "q 1", "1,2q", "q -1", "q5}", "q999999999999"), False
        if kind == 7:
            return m.pick("v", "v 4.2", "v 9.0", "v x", "v 4.9", "v 4", "v4.3.1", "v 4.10"), False
        if kind == 8:
            return m.pick("# comment", "#n", "p # x", "}", "{", "p;}", "k", "p p", "1,2=", "L", "dp", "s", "s/a", "s/a/b", "s/\\(a/b/", "s/a\\)/b/", "s/a/\\3/", "/a/,p", "1,2,3p",
                          ",2p", "+1p", "a", "y", "/[/p", "p}", "1!!p", ";;p", "  p ", "1 , 2 p", "1#c", "!", "1", "$", "/a", "\\", "1,", "1,$", "a\\", "i", "c\\", "u", "E", "e" if m.chance(0) else "j",
                          "0p", "0,2p", "0~2,3p", "/a/I,/b/Ip", "//p", "s//X/", "//,//p", "{p", "{{p}", "{p}}", "{p}p", "{};p", "{;p;}", "s/a/b/w", "r", "w", "R", "W", ":", "l x", "l -1",
                          "1,2}", "1{p}", "x1", "p1", "d2", "=x", "h h", "\np", " \t p", "\r", "p\r", "1~2~3p", "2,1!p", "n1", "s/a/b/ p", "s/a/b/ ; p", "{s/a/b/}", "{y/a/b/}", "{a x\n}", "{r b\n}"), True
        return self.simple(), False

    def block(self, depth):
        m = self.m
        text = "{" + m.pick("", "", " ", "\n", ";")
        for number in range(m.number(1, 3)):
            piece, newline = self.piece(depth - 1)
            text += piece + ("\n" if newline and m.chance(0.95) else m.pick(";", ";", "\n", " ; ", ";;"))
        if m.chance(0.3):
            text = text.rstrip(";\n ")
        return text + m.pick("}", "}", "}", " }", "};", "} ")

    def piece(self, depth=2):
        m = self.m
        where = self.addresses()
        kind = m.number(0, 29)
        if kind <= 10:
            text = self.substitute()
            return where + text, " w" in text[-12:] or "w o" in text
        if kind <= 18:
            return where + self.simple(), False
        if kind <= 20:
            text, newline = self.text_command()
            return where + text, newline
        if kind <= 22:
            text = self.jump()
            return (where if text[0] in "btT" else "") + text, True
        if kind <= 25 and depth:
            return where + self.block(depth), False
        text, newline = self.other()
        return where + text, newline

    def whole(self):
        """The script: pieces with what stands between them."""
        m = self.m
        out = m.pick("#n\n", "#n", "#no\n", "# c\n", "#n ", "\n", ";", " ") if m.chance(0.06) else ""
        for number in range(m.number(1, 4)):
            piece, newline = self.piece()
            out += ("" if not number else "\n" if last and m.chance(0.97) else m.pick(";", ";", "\n", "; ", " ;", "\n\n")) + piece
            last = newline
        return out + m.pick("", "", "", "", ";", "\n", " ", "\n\n", " # c")


def content(m):
    """The bytes of an input."""
    def word():
        return m.pick("a", "b", "ab", "aab", "foo", "the", "x1", "é", "日本", "10", "", "a/b", "\t", "\\", "abc", "Foo", "ABC", "a.b", "1234567", "x", "aXbX", "bb", "c,d", "ß", "a b", "xx")
    kind = m.number(0, 24)
    if kind == 0:
        return m.bytes()
    if kind == 1:
        return m.untidy()
    if kind == 2:
        return m.pick("", "\n", "\n\n", "a", "\0", "\0\n", "a\0b\0", "a\nb\0c\nd\0", "\n\na\n", "\udcff\n", "a\udcc3\n", "\udcc3\udca9\udca9\n", "a" * 200 + "\n", "é" * 40 + "\n")
    text = m.text(0, 7, word)
    if kind == 3:
        return text.replace("\n", "\0")
    if kind == 4:
        return text.replace("é", m.pick("\udcc3", "\udce9", "\udce6\udc97")).replace("the", "\0")
    return text


def given(m, script):
    """The script as options or as the operand."""
    kind = m.number(0, 9)
    if kind <= 1:
        m.file("f", script.whole() + m.pick("\n", "", "\n"))
        text = m.option("f", "file", m.pick("f", "f", "f", "./f"), 1)
        return text + (" " + m.option("e", "exp|ression", script.piece()[0], 1) if m.chance(0.3) else "")
    text = script.whole()
    if kind <= 3:
        return " ".join(m.option("e", "exp|ression", part, 1) for part in text.split("\n"))
    if kind == 4:
        return f"-e {quote(text)} -e {quote(script.piece()[0])}"
    return ("-e " if text.startswith("-") or m.chance(0.3) else "") + quote(text)


@command("sed")
def sed(m):
    m.go_inside()
    m.file("a", content(m))
    m.file("b", content(m))
    m.file("c", m.pick("", "one\ntwo\nthree\n", "no end"))
    script = Script(m)
    debug, posix = m.chance(0.03), m.chance(0.08)
    how = m.options(m.pick("-E", "-r", "--regexp-extended") if script.extended else "", m.option("n", m.pick("qui|et", "sil|ent"), p=0.3),
                    m.option("s", "sep|arate", p=0.1), m.option("z", m.pick("nul|l-data", "zero|-terminated"), p=0.08), m.option("u", "unb|uffered", p=0.04),
                    m.option("l", "line|-length", m.pick("1", "5", "20", "0", "x", "70", "2", "-1", "3"), 0.06), "--posix" if posix else "",
                    m.option("b", "bin|ary", p=0.02), m.option(None, "sand|box", p=0.03), m.option(None, "follow|-symlinks", p=0.02), "--debug" if debug else "")
    files = m.pick("a", "a b", "a", "a b c", "", "b a", "- b", "a -", "c a", "a missing", "missing", "a missing b", "-- a", "c c", ". a", "a .", "b -- a")
    if m.chance(0.12):
        how += m.pick(" -i", " -i.bak", " --in-place", " --in-place=~", " -ib_*", " -n -i", " -i -s", " --in-place=.o", " -i*.x", " -i.a -n")
        files = m.pick("a", "a b", "b", "missing", ".", "a missing b", "", "a b c", "-", "c a")
        m.shows_flat_files(modes=True)
    else:
        m.shows_flat_files()
    feed = m.pick("< a", "< a", "< a", "< c", "< /dev/null")
    return f"{m.pick('LC_ALL=C ', '', '', '')}sed {how} {given(m, script)} {files} {feed}"
