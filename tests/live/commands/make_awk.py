"""awk: programs made of statements and expressions over small tables."""
from making import command


class Program:
    def __init__(self, m):
        self.m, self.depth, self.rule = m, 0, False

    def number(self):
        return self.m.pick("0", "1", "2", "3", "10", "-1", "0.5", "1e3", "100", "3.14159", "1e-5", "123456789", "1e18")

    def string(self):
        return self.m.pick('""', '"a"', '"abc"', '"foo bar"', '"10"', '" 12 "', '"1e2x"', '"é日"', '"a,b,c"', '"\\t"', '"x\\ny"', '"A"', '"0"', '"+5"',
                      '"0x11"', '"a.b"', '"&"', '"\\\\"', '"%s"')

    def regex(self):
        return self.m.pick("/a/", "/^a/", "/[0-9]+/", "/b*/", "/o$/", "/[[:alpha:]]+/", "/a|b/", "/(a)(b)?/", "/./", "/ +/", "/[^,]*/", "/x{1,2}/",
                      "/\\./", "/\\//", "/[]a]/", "/a.c/", "/,/", "/^$/", "/[a-c]+|[0-9]/")

    def variable(self):
        return self.m.pick("x", "y", "z", "i", "s", "NR", "NF", "FNR")

    def place(self):
        return self.m.pick("x", "y", "z", "s", "$1", "$2", "$NF", "$(1+1)", f"a[{self.expression()}]", 'a["k"]', "a[i]", "$3")

    def function(self):
        m, e = self.m, self.expression
        return m.pick(lambda: f"length({e()})", lambda: "length()", lambda: f"substr({e()}, {self.number()})",
                      lambda: f"substr({e()}, {self.number()}, {self.number()})",
                      lambda: f"index({e()}, {self.string()})", lambda: f"toupper({e()})", lambda: f"tolower({e()})", lambda: f"int({e()})",
                                    lambda: f"sprintf({self.format()}, {e()}, {e()}, {e()})",
                      lambda: f"match({e()}, {self.regex()})", lambda: f"split({e()}, b, {m.pick(self.string(), self.regex())})",
                                    lambda: f"split({e()}, b)", lambda: f"gsub({self.regex()}, {self.string()}, {self.place()})",
                      lambda: f"sub({self.regex()}, {m.pick(self.string(), chr(34) + '[&]' + chr(34), chr(34) + '<' + chr(92) * 2 + '&>' + chr(34))})",
                      lambda: f"gensub({self.regex()}, {m.pick(self.string(), chr(34) + '<' + chr(92) * 2 + '1>' + chr(34))}, "
                              f"{m.pick(chr(34) + 'g' + chr(34), '1', '2')}, {e()})",
                      lambda: f"f({e()})", lambda: f"g({e()}, {e()})", lambda: f"strtonum({e()})", lambda: f"and({m.number(0, 99)}, {m.number(0, 99)})",
                                    lambda: f"lshift({m.number(0, 9)}, {m.number(0, 9)})",
                      lambda: f"sqrt({m.number(0, 99)})", lambda: f"exp({m.number(-3, 3)})", lambda: f"atan2({self.number()}, {self.number()})",
                                    lambda: f"typeof({self.variable()})")()

    def format(self):
        m = self.m
        parts = m.list(1, 3, lambda: f"%{m.pick('', '-', '0', '+', ' ', '#')}{m.pick('', '3', '8')}{m.pick('', '.0', '.2', '.10')}{m.pick(*'dsfgexcioXGE')}")
        return '"' + m.pick("", "<", "a ").join(parts) + m.pick("", "|", "%%") + '"'

    def expression(self):
        m, e = self.m, self.expression
        self.depth += 1
        leaf = self.depth > 4 or m.chance(0.35)
        made = m.pick(self.number, self.string, self.variable, self.variable,
                      lambda: m.pick("$0", "$1", "$2", "$NF", "$(NF-1)" if m.chance(0.2) else "$3"))() if leaf else m.pick(
            lambda: f"({e()} {m.pick('+', '-', '*', '%', '/')} {m.pick('2', '3', '10', '0.5')})", lambda: f"{e()} {m.pick('+', '-', '*')} {e()}",
                          lambda: f"({e()} {e()})", lambda: f"({e()} {m.pick('<', '<=', '==', '!=', '>', '>=')} {e()})",
            lambda: f"({e()} {m.pick('~', '!~')} {m.pick(self.regex(), self.string() if m.chance(0.2) else self.regex())})",
                          lambda: f"({e()} {m.pick('&&', '||')} {e()})", lambda: f"!{e()}", lambda: f"-{e()}",
            lambda: f"({e()} ? {e()} : {e()})", lambda: f"({e()} in a)", lambda: f"a[{e()}]", lambda: f"a[{e()}, {e()}]",
                          lambda: f"({self.place()} {m.pick('=', '+=', '-=', '*=')} {e()})",
            lambda: f"{m.pick('x', 'y', 'i')}{m.pick('++', '--')}", lambda: f"{m.pick('++', '--')}{m.pick('x', 'y', 'i')}", self.function, self.function,
                          lambda: f"{m.number(0, 9)} ^ {m.number(0, 4)}",
            lambda: f"({self.regex()} ? {e()} : {e()})", lambda: f"length(a)")()
        self.depth -= 1
        return made

    def statement(self, level=0):
        m, e, s = self.m, self.expression, lambda: self.statement(level + 1)
        if level > 2:
            return f"print {e()}"
        return m.pick(lambda: f"print {e()}", lambda: f"print {e()}, {e()}", lambda: "print",
                      lambda: f"printf {self.format()} \"\\n\", {e()}, {e()}, {e()}", lambda: f"{self.place()} = {e()}",
                      lambda: f"{self.place()} {m.pick('+=', '-=')} {e()}",
                      lambda: f"if ({e()}) {{ {s()} }} else {{ {s()} }}", lambda: f"if ({e()}) {s()}",
                                    lambda: f"for (i = 0; i < {m.number(1, 4)}; i++) {{ {s()} }}",
                                    lambda: f"for (k in a) {{ {m.pick('print k, a[k]', 'n++', 'delete a[k]')} }}",
                      lambda: f"n = split({e()}, a{m.pick('', ', ' + self.regex(), ', ' + self.string())}); for (i = 1; i <= n; i++) print i, a[i]",
                                    lambda: f"delete a[{e()}]", lambda: "delete a", lambda: f"a[{e()}] = {e()}",
                      lambda: f"while (i < {m.number(1, 3)}) {{ {m.pick('i++')}; {s()}; i++ }}",
                                    lambda: f"switch ({e()}) {{ case {m.pick('1', chr(34) + 'a' + chr(34), self.regex())}: {s()}; break; default: {s()} }}",
                      lambda: f"$0 = {e()}; print NF, $1", lambda: f"NF = {m.number(0, 4)}; print",
                                    lambda: f"{m.pick('FS', 'OFS', 'ORS', 'SUBSEP')} = "
                                            f"{m.pick(self.string(), chr(34) + ':' + chr(34), chr(34) + ',' + chr(34))}",
                      lambda: f"$2 = {e()}; print; print NF", lambda: "next" if self.rule and m.chance(0.3) else f"print {e()}",
                                    lambda: f"print {e()} > \"/dev/stderr\"" if m.chance(0.2) else f"print({e()}, {e()})",
                      lambda: f"{m.pick('x', 's')} = {m.pick('x', 's')} {e()}",
                                    lambda: f"exit {m.number(0, 3)}" if m.chance(0.1) else f"s = s {self.string()}; print s",
                      lambda: f"split({self.string()}, t, {self.regex()}); t[{self.number()}] = {self.string()}; "
                              f"n = {m.pick('asort', 'asorti')}(t, c); for (i = 1; i <= n; i++) print c[i]",
                      lambda: f"while ((getline line < \"b\") > {m.number(0, 1)}) print line; close(\"b\")" if m.chance(0.5)
                      else f"\"echo q\" | getline {m.pick('', 'x', '$2')}; print x, $0",
                      lambda: f"print {e()} | \"cat\"; close(\"cat\")" if m.chance(0.3) else f"print length({e()})",
                                    lambda: f"CONVFMT = {m.pick(chr(34) + '%.2g' + chr(34), chr(34) + '%d' + chr(34))}; print (3.14159 \"\")")()

    def pattern(self):
        m = self.m
        return m.pick("", "", "", self.regex(), f"NR == {m.number(1, 3)}", f"$1 {m.pick('>', '==', '~')} {self.string()}",
                      f"{self.regex()}, {self.regex()}", f"NR == 2, NR == {m.number(2, 4)}", self.expression(), f"!{self.regex()}")


@command("awk")
def awk(m):
    p = Program(m)
    m.file("a", m.table())
    m.file("b", m.text(0, 4))

    def rule():
        p.rule = True
        made = f"{p.pattern()} {{ {p.statement()}; {p.statement()} }}"
        p.rule = False
        return made

    parts = ["BEGIN { a[\"q\"] = 7; c[1] }"] + m.list(0, 1, lambda: f"BEGIN {{ {p.statement()}; {p.statement()} }}") + m.list(1, 3, rule) + m.list(0, 1,
                  lambda: f"END {{ {p.statement()}; {p.statement()} }}")
    parts += ["function f(q) { q = q + 1; return q \"\" }", "function g(p, q,  r) { r = p q; sub(/a/, \"b\", r); return r }"]
    m.file("p", "\n".join(parts) + "\n")
    options = m.options(m.option("F", "field-separator", m.pick(",", ":", "\t", " ", "[,:]", "ab", "|", "t", "."), 0.4),
                        m.option("v", "assign", m.pick("x=5", "s=a b", "OFS=-", "RS=", "RS=;", "i=2", "z=\\t"), 0.3))
    return f"awk {options} -f p {m.pick('a', 'a b', 'a x=7 a', '- < a', 'a')}"
