"""awk: programs made of statements and expressions over small tables, and one topic each: formats, texts, records, arrays, redirections, numbers, times,
functions, sources, options, programs that are wrong."""
from making import command, quote

BLANKS = (" ", " ", " ", "  ", "\n")


def string(text):
    return '"' + text + '"'


class Program:
    """Makes pieces of programs. Loops count with variables of their own, so that they end."""

    def __init__(self, m):
        self.m, self.depth, self.rule, self.loops = m, 0, False, 0

    def number(self):
        return self.m.pick("0", "1", "2", "3", "10", "-1", "0.5", "1e3", "100", "3.14159", "1e-5", "123456789", "1e18", ".5", "017", "0x1F", "1e300", "-0", "2147483648",
                           "1e6", "999999", "0.1", "1234567.8")

    def string(self):
        return self.m.pick('""', '"a"', '"abc"', '"foo bar"', '"10"', '" 12 "', '"1e2x"', '"é日"', '"a,b,c"', '"\\t"', '"x\\ny"', '"A"', '"0"', '"+5"',
                           '"0x11"', '"a.b"', '"&"', '"\\\\"', '"%s"', '"a b  c"', '"aXbXc"', '"-1"', '".5"', '"1e"', '"+"', '"nan"', '"+inf"', '"0x"', '" "', '"\\\\&"',
                           '"ÀÉ"', '"1 2"', '"abcabc"', '"\\/"', '"\\""', '"\\101\\x42"', '"3.0"', '"010"')

    def regex(self):
        return self.m.pick("/a/", "/^a/", "/[0-9]+/", "/b*/", "/o$/", "/[[:alpha:]]+/", "/a|b/", "/(a)(b)?/", "/./", "/ +/", "/[^,]*/", "/x{1,2}/", "/[ab]/", "/,/",
                           "/\\./", "/\\//", "/[]a]/", "/a.c/", "/,/", "/^$/", "/[a-c]+|[0-9]/", "/\\<[a-z]/", "/\\y/", "/\\w+/", "/[[:upper:]]/", "/(ab)*c?/", "/[^a-z]/",
                           "/^[ \\t]*/", "/\\s/", "/é/", "/[é-ü]/", "/a{2}/", "/(^|,)b/", "/[.]/", "/a?b+/", "/[[:space:]]+/", "/x*$/", "/[-+]?[0-9]/", "/\\$/", "/a\\+b/")

    def variable(self):
        return self.m.pick("x", "y", "z", "s", "t", "NR", "NF", "FNR", "u")

    def place(self):
        return self.m.pick("x", "y", "z", "s", "$1", "$2", "$NF", "$(1+1)", f"a[{self.expression()}]", 'a["k"]', "a[x]", "$3", "$0")

    def function(self):
        m, e = self.m, self.expression
        return m.pick(lambda: f"length({e()})", lambda: "length()", lambda: f"substr({e()}, {self.number()})", lambda: "length",
                      lambda: f"substr({e()}, {self.number()}, {self.number()})", lambda: f"index({e()}, {self.string()})", lambda: f"toupper({e()})",
                      lambda: f"tolower({e()})", lambda: f"int({e()})", lambda: f"sprintf({self.format()}, {e()}, {e()}, {e()})",
                      lambda: f"match({e()}, {self.regex()}) RSTART RLENGTH", lambda: f"split({e()}, b, {m.pick(self.string(), self.regex())})",
                      lambda: f"split({e()}, b)", lambda: f"gsub({self.regex()}, {self.string()}, {self.place()})",
                      lambda: f"sub({self.regex()}, {m.pick(self.string(), chr(34) + '[&]' + chr(34), chr(34) + '<' + chr(92) * 2 + '&>' + chr(34))})",
                      lambda: f"gensub({self.regex()}, {m.pick(self.string(), chr(34) + '<' + chr(92) * 2 + '1>' + chr(34))}, "
                              f"{m.pick(chr(34) + 'g' + chr(34), '1', '2')}, {e()})",
                      lambda: f"f({e()})", lambda: f"g({e()}, {e()})", lambda: f"strtonum({e()})", lambda: f"and({m.number(0, 99)}, {m.number(0, 99)})",
                      lambda: f"lshift({m.number(0, 9)}, {m.number(0, 9)})", lambda: f"sqrt({m.number(0, 99)})", lambda: f"exp({m.number(-3, 3)})",
                      lambda: f"atan2({self.number()}, {self.number()})", lambda: f"typeof({self.variable()})", lambda: f"typeof({e()})",
                      lambda: f"fact({m.number(0, 12)})", lambda: f"log({m.number(1, 99)})", lambda: f"xor({m.number(0, 99)}, {m.number(0, 99)})")()

    def format(self):
        m = self.m
        parts = m.list(1, 3, lambda: f"%{m.pick('', '-', '0', '+', ' ', '#', '-0', '+#', '#0')}{m.pick('', '3', '8', '12')}{m.pick('', '.0', '.2', '.10', '.')}"
                                     f"{m.pick(*'dsfgexciouXGEFaA%')}")
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
            lambda: f"({e()} {m.pick('&&', '||')} {e()})", lambda: f"!{e()}", lambda: f"-{e()}", lambda: f"(x = {e()})",
            lambda: f"({e()} ? {e()} : {e()})", lambda: f"({e()} in a)", lambda: f"a[{e()}]", lambda: f"a[{e()}, {e()}]",
            lambda: f"({self.place()} {m.pick('=', '+=', '-=', '*=')} {e()})", lambda: f"(({e()}, {e()}) in a)", lambda: f"({e()} {e()} {e()})",
            lambda: f"{m.pick('x', 'y', 'z')}{m.pick('++', '--')}", lambda: f"{m.pick('++', '--')}{m.pick('x', 'y', 'z')}", self.function, self.function,
            lambda: f"{m.number(0, 9)} ^ {m.number(0, 4)}", lambda: f"a[{e()}]{m.pick('++', '--', '')}", lambda: f"({self.place()} {m.pick('^=', '%=', '/=')} 3)",
            lambda: f"({self.regex()} ? {e()} : {e()})", lambda: "length(a)", lambda: f"{e()} == {e()}", lambda: f"$({m.number(0, 4)})")()
        self.depth -= 1
        return made

    def loop(self, body):
        self.loops += 1
        v, n = f"l{self.loops}", self.m.number(0, 4)
        jump = self.m.pick("", "", f"if ({v} == 1) {self.m.pick('break', 'continue')}; ")
        return self.m.pick(f"for ({v} = 0; {v} < {n}; {v}++) {{ {jump}{body} }}", f"{v} = 0; while ({v}++ < {n}) {{ {jump}{body} }}",
                           f"{v} = {n}; do {{ {body} }} while (--{v} > 0)", f"for ({v} = {n}; {v}; {v} -= 1) {{ {jump}{body} }}",
                           f"{v} = {n}; while (!({v} <= 0)) {{ {v} = {v} - 1; {jump}{body} }}")

    def statement(self, level=0):
        m, e, s = self.m, self.expression, lambda: self.statement(level + 1)
        if level > 2:
            return f"print {e()}"
        return m.pick(lambda: f"print {e()}", lambda: f"print {e()}, {e()}", lambda: "print",
                      lambda: f"printf {self.format()} \"\\n\", {e()}, {e()}, {e()}", lambda: f"{self.place()} = {e()}",
                      lambda: f"{self.place()} {m.pick('+=', '-=')} {e()}", lambda: f"{m.pick('x', 'y', 'a[x]', 'a[$1]', '$2')}{m.pick('++', '--')}",
                      lambda: f"if ({e()}) {{ {s()} }} else {{ {s()} }}", lambda: f"if ({e()}) {s()}", lambda: f"if ({e()}) {s()}; else {s()}",
                      lambda: self.loop(s()), lambda: self.loop(f"{s()}; {s()}"),
                      lambda: f"for (k in a) {{ {m.pick('print k, a[k]', 'n++', 'delete a[k]', 'if (k > 1) break; print k')} }}",
                      lambda: f"n = split({e()}, a{m.pick('', ', ' + self.regex(), ', ' + self.string())}); for (i = 1; i <= n; i++) print i, a[i]",
                      lambda: f"delete a[{e()}]", lambda: "delete a", lambda: f"a[{e()}] = {e()}", lambda: f"a[{e()}] {m.pick('+=', '*=')} {e()}",
                      lambda: f"switch ({e()}) {{ case {m.pick('1', chr(34) + 'a' + chr(34), self.regex())}: {s()}; {m.pick('break;', '')} default: {s()} }}",
                      lambda: f"$0 = {e()}; print NF, $1", lambda: f"NF = {m.number(0, 4)}; print",
                      lambda: f"{m.pick('FS', 'OFS', 'ORS', 'SUBSEP')} = {m.pick(self.string(), chr(34) + ':' + chr(34), chr(34) + ',' + chr(34))}",
                      lambda: f"$2 = {e()}; print; print NF", lambda: "next" if self.rule and m.chance(0.3) else f"print {e()}",
                      lambda: f"print {e()} > \"/dev/stderr\"" if m.chance(0.2) else f"print({e()}, {e()})",
                      lambda: f"{m.pick('x', 's')} = {m.pick('x', 's')} {e()}", lambda: f"s = s {e()} s; if (length(s) > 99) s = 1",
                      lambda: f"exit {m.number(0, 3)}" if m.chance(0.1) else f"s = s {self.string()}; print s",
                      lambda: f"CONVFMT = {m.pick(chr(34) + '%.2g' + chr(34), chr(34) + '%d' + chr(34))}; print (3.14159 \"\")" if m.chance(0.3) else f"print -{e()}")()

    def pattern(self):
        m = self.m
        return m.pick("", "", "", self.regex(), f"NR == {m.number(1, 3)}", f"$1 {m.pick('>', '==', '~')} {self.string()}",
                      f"{self.regex()}, {self.regex()}", f"NR == 2, NR == {m.number(2, 4)}", self.expression(), f"!{self.regex()}")

    def whole(self):
        m = self.m

        def rule():
            self.rule = True
            made = f"{self.pattern()} {{ {self.statement()}; {self.statement()} }}"
            self.rule = False
            return made

        parts = ["BEGIN { a[\"q\"] = 7; c[1] }"] + m.list(0, 1, lambda: f"BEGIN {{ {self.statement()}; {self.statement()} }}") + m.list(1, 3, rule) + m.list(
            0, 1, lambda: f"END {{ {self.statement()}; {self.statement()} }}")
        return "\n".join(parts + ["function f(q) { q = q + 1; return q \"\" }", "function g(p, q,  r) { r = p q; sub(/a/, \"b\", r); return r }",
                                  "function fact(n) { return n < 2 ? 1 : n * fact(n - 1) }"]) + "\n"


def run(m, text, files="a", before=""):
    """The program as a word, or from a file."""
    if m.chance(0.5):
        m.file("p", text + "\n")
        return f"{m.local()}awk {before} -f p {files}"
    return f"{m.local()}awk {before} {quote(text)} {files}"


@command("awk")
def whole_programs(m):
    p = Program(m)
    m.file("a", m.table())
    m.file("b", m.text(0, 4))
    m.file("p", p.whole())
    options = m.options(m.option("F", "field-separator", m.pick(",", ":", "\t", " ", "[,:]", "ab", "|", "t", "."), 0.4),
                        m.option("v", "assign", m.pick("x=5", "s=a b", "OFS=-", "RS=", "RS=;", "y=2", "z=\\t"), 0.3))
    return f"{m.local()}awk {options} -f p {m.pick('a', 'a b', 'a x=7 a', '- < a', 'a')}"


@command("awk")
def formats(m):
    def directive():
        width = m.pick("", "", str(m.number(0, 20)), "*", str(m.number(1, 9)))
        precision = m.pick("", "", f".{m.number(0, 12)}", ".", ".*", f".{m.number(0, 25)}")
        number = f"{m.number(1, 3)}$" if m.chance(0.06) and "*" not in width + precision else ""
        return f"%{number}{''.join(m.sample('-+ #0', 0, 2))}{width}{precision}{m.pick(*'dddiouxXeEfFgGaAcsssc%')}"

    def value():
        return m.pick("0", "1", "-1", "42", "3.14159", "-2.5", "1e10", "1e-10", "123456789012", "2^31", "2^53", "2^53+1", "-2^63", "2^64", "1e30", "\"abc\"", "\"é日本\"", "\"\"",
                      "\"12x\"", "\"0x1f\"", "\"+inf\"+0", "-\"+nan\"", "log(-1)", "x", "$1", "0.5", "1.5", "2.5", "0.05", "65", "256", "233", "0x65e5", "\"é\"", "-0.0", "1e300", "99.5",
                      "100000", "1000000", "0.0001", "0.00001", "123456.5", "-3")

    parts = m.list(1, 3, directive)
    values = []
    for part in parts:
        values += [m.pick("0", "1", "3", "8", "-5", "12", "2.7", "\"4\"") for _ in range(part.count("*"))] + [value()]
    fmt = m.pick("", " ", "|").join(parts) + m.pick("", "|", "x\\n", "%")
    call = m.pick("printf", "printf", "print sprintf")
    values = ", ".join(values[:-1] if m.chance(0.06) and len(values) > 1 else values)
    return f"{m.local()}awk {quote('BEGIN { ' + call + '(' + string(fmt) + ', ' + values + ') }')} 2>&1"


@command("awk")
def texts(m):
    p = Program(m)

    def text():
        return m.pick('"abc"', '"hello world"', '"éàü日本語"', '"a\\\\b"', '"aaa"', '"foo.bar.baz"', '"  lead"', '"x1y22z333"', '"ÀéÎ ßß"', '"\\303"', '"a\\303\\251b\\377c"', "12345",
                      "0.1 + 0.2", '""', "$0", "$1", '"a/b/c"', '"AbC"', '"tab\\there"')

    def where():
        return m.pick("0", "1", "2", "-1", "1.5", "2.5", "3", "10", "1e10", '"2"', '"x"', "-1e10", "0.5", "1.4999", "length(s)", '"+nan"+0', "2.9")

    def with_(groups):
        return string("".join(m.list(0, 3, lambda: m.pick("x", "&", "[&]", "\\\\&", "\\\\\\\\&", "\\\\\\\\\\\\&", "é", "\\\\\\\\", "\\\\q", *(("\\\\1", "\\\\2", "\\\\0", "\\\\9") if groups else ())))))

    def one():
        r = m.pick(p.regex(), p.regex(), string(m.pick("a", ".", "b+", "[a-z]", "\\\\.", "^x", "é", "(a)(b)", "[0-9]+", "")))
        return m.pick(lambda: f"print substr({text()}, {where()})", lambda: f"print substr({text()}, {where()}, {where()})",
                      lambda: f"print index({text()}, {m.pick(text(), string('b'), string('é'), string(''))})", lambda: f"print length({text()})",
                      lambda: f"print toupper({text()}) tolower({text()})", lambda: f"print match({text()}, {r}), RSTART, RLENGTH",
                      lambda: f"print match({text()}, {r}, m); for (i = 0; i < 4; i++) print i, m[i], m[i, \"start\"], m[i, \"length\"]",
                      lambda: f"s = {text()}; print {m.pick('sub', 'gsub')}({r}, {with_(False)}, s), s",
                      lambda: f"print gensub({r}, {with_(True)}, {m.pick(string('g'), '1', '2', '3', string('G'), '1.5')}, {text()})",
                      lambda: f"n = split({text()}, v, {m.pick(r, string(' '), string(''), string('a'), string('|'))}{m.pick('', ', q')}); "
                              f"for (i = 0; i <= n; i++) print i, v[i], q[i]",
                      lambda: f"n = patsplit({text()}, v{m.pick('', ', ' + r, ', ' + r + ', q')}); for (i = 0; i <= n; i++) print i, v[i], q[i]",
                      lambda: f"print ({text()} ~ {r}), ({text()} !~ {r})", lambda: f"print ({text()} {m.pick('<', '==', '>=')} {text()})",
                      lambda: f"$0 = {text()}; print {m.pick('sub', 'gsub')}({r}, {with_(False)}), $0, NF",
                      lambda: f"$0 = {text()}; $2 = \"q\"; print {m.pick('sub', 'gsub')}({r}, {with_(False)}, $1), $0, NF",
                      lambda: f"x = {text()} {text()}; y = x; x = x \"z\"; print x, y", lambda: f"print ({text()}) ({where()}) {text()}")()

    head = m.pick("", "", "", "IGNORECASE = 1; ")
    return run(m, "BEGIN { $0 = \"alpha Beta,gamma 12\"; " + head + "; ".join(m.list(1, 3, one)) + " }", "")


@command("awk")
def records(m):
    text = m.pick(m.table, m.table, m.text, m.untidy, lambda: "a1b22c333d\nx,y;z\n\n\n\nnew para\nline 2\n\n\nlast", lambda: 'a,"b,c",d\n"x ""y""",,z\n1,2,3\n',
                  lambda: "one  two\tthree\n  four five \n\nsix\n", lambda: "a;b;c;;d;")()
    m.file("a", text)
    m.file("b", m.text(0, 4))

    def quoted(*choices):
        return string(m.pick(choices))

    def setting():
        return m.pick(lambda: "FS = " + quoted(" ", ",", ":", "\\t", "[,;]", "a", "|", "\\\\|", "", "^x", "b+", ", *", " +", "[ ]", "\\\\", ".", "$", "(a|b)"),
                      lambda: "RS = " + quoted("\\n", "", ";", "a", "[0-9]+", "\\n\\n+", "[;,]", "\\n|$", "b", "x*", "^a", "\\r?\\n", " ", "é"), lambda: "OFS = " + quoted("-", "", ", ", "\\n"),
                      lambda: "FPAT = " + quoted("[^,]+", "([^,]*)|(\\\"[^\\\"]+\\\")", "[a-z]+", "[0-9]*", "."),
                      lambda: "FIELDWIDTHS = " + quoted("1 2 3", "3 *", "2:2 1", "5", "1 1 1 1 1", "0 3"), lambda: "IGNORECASE = " + m.pick("1", "0"),
                      lambda: "ORS = " + quoted("\\n", "|", ""))()

    def action():
        return m.pick("print NR \":\" NF \":\" $0 \"|\" RT \"|\"", "print NR, $1; for (i = 1; i <= NF; i++) printf \"[%s]\", $i; print \"\"", "$1 = $1; print", "$3 = \"X\"; print; print NF",
                      "NF = 2; print; $5 = \"\"; print NF \":\" $0", "NF++; print", "NF -= 1; print NF, $0", "$0 = $2 \" \" $1; print NF, $1", "print $NF; $(NF + 2) = \"n\"; print",
                      "r = getline; print r, $0, NR", "r = (getline x); print r, x, NR, FNR", "while ((getline l < \"b\") > 0) print \"b:\" l, NR; close(\"b\")", "getline < \"b\"; print $0, NF, NR, FNR",
                      "if (NR == 2) next; print", "if (FNR == 2) nextfile; print FILENAME, FNR, $0", "print length(), length($1)", "$2 = \"\"; print; print $0 ~ /^ /",
                      setting() + "; print $1, NF", "print; " + setting(), "t = t $NF; print t", "n += $2; print n", "print ($1 == $2), ($1 < $2), ($1 == 10), !$1", "c[$1]++; print c[$1]",
                      "\"echo q r\" | getline; print $2, NR, NF; close(\"echo q r\")", "\"echo s t\" | getline y; print y, NR; close(\"echo s t\")", "x = $1; $1 = \"new\"; print x, $1, $0",
                      "sub(/a/, \"<&>\"); print $0, $1", "gsub(/[a-z]/, \"(&)\", $2); print $0, NF", "print > \"/dev/stdout\"", "print $1, $2 > \"o\" FNR", "print NR; NR = 10; print NR, FNR")

    begin = f"BEGIN {{ {'; '.join(m.list(0, 2, setting))} }}"
    rules = m.list(1, 2, lambda: f"{m.pick('', '', 'NR > 1', '/a/', '$2 != 1', 'NF', '!seen[$1]++', 'NR == 1, /b/', 'FNR == 1', '/^$/')} {{ {action()} }}")
    more = m.list(0, 1, lambda: m.pick("END { print NR, $0, NF }", "ENDFILE { print FILENAME, FNR }", "BEGINFILE { print \"bf\", FILENAME, ERRNO; if (ERRNO) nextfile }",
                                       "END { while ((getline x) > 0) n++; print n }", "END { getline; print }"))
    if m.chance(0.2):
        m.shows_files()
    options = m.options(m.option("F", "field-separator", m.pick(",", ":", "\t", " ", "[,:]", "ab", "|", "t", ".", "\\t", "\\|", ""), 0.2),
                        m.option("v", "assign", m.pick("x=5", "OFS=-", "RS=", "RS=;", "FS=,", "z=a\\tb", "NR=5", "FPAT=[a-z]+"), 0.2))
    return run(m, "\n".join([begin, *rules, *more]), m.pick("a", "a", "a b", "b a", "FS=, a", "- < a", "a RS=; b", "a missing b" if more else "a", "< a", "x=1 a x=2"), options)


@command("awk")
def arrays(m):
    def key():
        return m.pick("1", "2", "\"a\"", "\"b\"", "\"10\"", "\"01\"", "1.5", "\"1.0\"", "-1", "1e6", "100000", "x", "\"\"", "i", "i * 3", "\"k\" i", "1, 2", "\"x\", i", "0", "\"+1\"")

    def by():
        return string(m.pick("@ind_str_asc", "@ind_num_asc", "@ind_num_desc", "@ind_str_desc", "@val_num_asc", "@val_str_asc", "@val_type_asc", "@val_num_desc", "@val_type_desc",
                             "@val_str_desc", "@unsorted", "cmp"))

    def value():
        return m.pick("1", "i", "\"a\"", "\"B\"", "10", "9", "\"10\"", "-i", "\"\"", "i % 3", "\"z\" i", "1.5", "$1", "$2", "3 - i")

    def one():
        return m.pick(f"a[{key()}] = {value()}", f"for (i = 0; i < {m.number(1, 30)}; i++) a[{key()}] = {value()}", f"for (i = {m.number(5, 30)}; i > 0; i--) a[i] = {value()}",
                      "for (k in a) print k, a[k]", f"PROCINFO[\"sorted_in\"] = {by()}; for (k in a) print k, a[k]; delete PROCINFO[\"sorted_in\"]",
                      f"n = asort(a, b, {by()}); for (i = 1; i <= n; i++) print i, b[i]", f"n = asorti(a, b, {by()}); for (i = 1; i <= n; i++) print i, b[i]",
                      "n = asort(a); for (i = 1; i <= n; i++) print i, a[i]", "n = asorti(a, b); print n, b[1], b[n]", f"delete a[{key()}]", "delete a", "print length(a)",
                      f"print (({key()}) in a)", f"if (!(({key()}) in a)) print \"no\"", f"a[{key()}]++; print a[{key()}]", f"print a[{key()}] += {value()}", "set(a); print length(a)",
                      f"c[{m.pick('1', 'i', chr(34) + 'q' + chr(34))}][{m.pick('1', 'i', chr(34) + 'r' + chr(34))}] = {value()}; for (k in c) for (j in c[k]) print k, j, c[k][j]",
                      "print isarray(a), isarray(c[1]), typeof(a), typeof(c), typeof(a[1]), typeof(nn)", "print length(c[1]), (1 in c)", "split(\"a b c\", c[5]); print c[5][2]", "delete c[1]",
                      "n = split(\"z y x w\", a); for (k in a) print k, a[k]", "for (k in a) { delete a; print \"d\", k }", "for (k in a) { a[\"n\" k] = 1; if (++z > 20) break }; print length(a)",
                      "split(\"\", a); print length(a)", "for (k in a) { split(k, p, SUBSEP); print p[1], p[2] }", "x = a[1]; a[2] = a[1]; print x a[2]", "unset(u1); print length(u1)", "walk(c, \"\")",
                      "SUBSEP = \":\"; a[1, 2] = 3; for (k in a) print k", "a[1] = a; print \"x\"" if m.chance(0.1) else "print (a[\"none\"] == 0), (a[\"none\"] == \"\")")

    functions = ["function cmp(i1, v1, i2, v2) { return i1 \"\" < i2 \"\" ? -1 : i1 \"\" > i2 \"\" }", "function set(t) { t[\"set\"] = 1; t[7] = 2 }", "function unset(t) { t[1] = 1 }",
                 "function walk(t, at,  k) { for (k in t) if (isarray(t[k])) walk(t[k], at \".\" k); else print at \".\" k, t[k] }"]
    return run(m, "\n".join(["BEGIN { $0 = \"5 3x\"; " + "; ".join(m.list(2, 6, one)) + " }", *functions]), "")


@command("awk")
def redirections(m):
    m.file("a", m.table())
    m.file("b", m.text(0, 4))
    m.shows_files()

    def one():
        return m.pick("print \"x\" > \"o\"; print \"y\" > \"o\"; print close(\"o\")", "print $0 >> \"o\"", "print NR | \"cat\"; print close(\"cat\")", "print NR | \"sort -r\"; close(\"sort -r\")", "print \"k\" | \"cat >&2\"; close(\"cat >&2\")",
                      "while ((\"cat b\" | getline l) > 0) print \"c\", l; print close(\"cat b\")", "\"exit 3\" | getline; print close(\"exit 3\")", "print system(\"echo s; exit 4\")",
                      "printf \"%s\\n\", $1 > \"/dev/stderr\"", "print (getline x < \"missing\"), ERRNO", "print close(\"nothing\")", "print fflush(), fflush(\"o\")", "printf \"a%d\\n\", NR > \"o\" NR; close(\"o\" NR)",
                      "print \"c\" |& \"cat\"; close(\"cat\", \"to\"); \"cat\" |& getline z; print z, close(\"cat\")", "print > \"/dev/stdout\"", "print $1 > $2" if m.chance(0.2) else "print $1 > \"p\" ($1 == 1)",
                      "getline y < \"b\"; print y", "getline < \"b\"; print $0", "print (getline < \"b\") + 0, $0", "print \"1\" > \"o\"; close(\"o\"); getline q < \"o\"; print q", "system(\"\")", "print system(\"cat b\")",
                      "print | \"cat 1>&2\"; close(\"cat 1>&2\")", "cmd = \"cat -n\"; print \"n\", $0 | cmd; close(cmd)", "print \"a\" \"b\" > \"o\" \"1\"", "print(1)(2) > \"o3\"", "print 1, 2 > \"o4\"; print (1, 2) > \"o4\"", "print 1 > 2 \"x\"",
                      "system(\"kill -TERM $$\"); print \"after\"", "print close(\"a\" + 1)", "\"echo \" $1 | getline v; print v", "\"echo a b c\" | getline; print NF, $2, NR")

    return run(m, "{ " + "; ".join(m.list(1, 3, one)) + " }\n" + m.pick("", "END { print NR; print \"end\" > \"o\" }", "END { close(\"o\"); while ((getline l < \"o\") > 0) print \"o:\" l }"), m.pick("a", "a b", "b", "- < b"))


@command("awk")
def numbers(m):
    def value():
        return m.pick("0", "1", "-1", "3", "10", "0.1", "1e6", "1e15", "1e16", "123456789", "1234567890123", "2^53", "1/3", "-2.5", "1e-7", "\"3x\"", "\"0x10\"", "\"1e3\"", "$1", "$2", "$3", "\"\"", "\" 5 \"", "x",
                      "1e300 * 1e10", "-1e300 * 1e10", "0x10", "011", "1e+2", ".1e1", "100000", "1000000", "17", "3.0", "\".\"", "\"+\"", "\"-3\"", "\"+4\"", "100 / 3", "-0")

    def one():
        v = value
        return m.pick(lambda: f"print {v()}", lambda: f"print {v()} {m.pick('+', '-', '*', '/', '%', '^', '**')} {v()}", lambda: f"print int({v()}), sqrt({v()}), exp({m.number(-5, 5)}), log({v()})",
                      lambda: f"print ({v()} {m.pick('<', '==', '>', '<=', '!=')} {v()})", lambda: f"x = {v()}; y = x; x++; print x, y, x--, --y, x", lambda: f"x = {v()}; x {m.pick('+=', '-=', '*=', '^=', '**=')} {v()}; print x",
                      lambda: f"CONVFMT = \"%.{m.number(1, 9)}{m.pick(*'gfe')}\"; x = {v()}; y = x \"\"; print y; a[x] = 1; for (k in a) print k; delete a", lambda: f"OFMT = \"%.{m.number(1, 9)}{m.pick(*'gfe')}\"; print {v()}, {v()} \"\"",
                      lambda: f"print and({m.number(0, 99)}, {m.number(0, 99)}), or({m.number(0, 99)}, {v()}), xor({m.number(0, 9)}, 5), compl({m.number(0, 9)}), lshift({m.number(0, 99)}, {m.number(0, 60)}), rshift({m.number(0, 999)}, {m.number(0, 9)})",
                      lambda: f"print strtonum({v()}), strtonum(\"0{m.pick('x1F', '17', '8', 'x', '1.5')}\")", lambda: f"print typeof({v()}), !{v()}, -{v()}, +{v()}", lambda: f"print {v()} {v()}", lambda: f"print 1 - - {v()}, 2 ^ 3 ^ 2, -2 ^ 2, !1 + 1, 1 - 1 \" \" -1",
                      lambda: f"print ({v()} ? \"t\" : \"f\"), ({v()} && {v()}), ({v()} || 0)", lambda: f"print atan2({v()}, {v()}), sin({v()}), cos(1)", lambda: f"srand({v()}); print rand(), srand(1), int(rand() * 1000)",
                      lambda: f"print substr(\"hello\", {v()}), length({v()}), index({v()}, 1)", lambda: f"printf \"%d %s %c %5.1f\\n\", {v()}, {v()}, {v()}, {v()}", lambda: f"print {v()} % {v()}", lambda: f"print $({m.pick('1', '2', '1 + 1', 'NF', '3')}) + {v()}",
                      lambda: f"print mkbool({v()}), 1==1.0, \"1\"==1, $1==$2, $1<$3", lambda: f"x[{v()}] = 1; for (k in x) print k; delete x; x = 0" if m.chance(0.05) else f"print {v()}, -{v()}")()

    m.file("a", m.pick("10 9 1e1\n", "0x11 3.0 abc\n", "+5 5 05\n", "nan inf 1\n", ".5 5. -\n", "1e5 100000 1e\n", "+inf -inf 0x\n"))
    return run(m, "{ " + "; ".join(m.list(1, 3, one)) + " }", "a", m.pick("", "", "", "", "-n"))


@command("awk")
def times(m):
    when = m.pick("0", "86399", "1e9", "1234567890", "1700000000", "-1", "951782400", "4102444800", "1e10", "1709210096.7")
    letters = m.list(1, 4, lambda: "%" + m.pick(*"aAbBcCdDeFgGhHIjmMnprRStTuUVwWxXyYzZ%") + m.pick("", " ", "-"))
    made = m.pick(f"print strftime({string(''.join(letters))}, {when}, 1)", f"print strftime({string(''.join(letters))}, {when})",
                  f"print mktime({string(m.pick('2024 02 29 12 30 15', '1970 01 01 00 00 00', '2023 13 01 00 00 00', '2020 1 1 25 61 61', '1999 12 31 23 59 59 1', '2024 6 15 12 0 0 -1', 'x', '2024 01', '2000 -1 -1 0 0 0'))}{m.pick('', ', 1')})",
                  "print (systime() > 1e9), length(strftime()) > 10")
    return f"{m.pick('', 'TZ=Europe/Berlin ', 'TZ=America/New_York ', 'TZ=UTC ')}awk {quote('BEGIN { ' + made.replace('> 10', '== 0') + ' }')}"


@command("awk")
def functions(m):
    p = Program(m)
    bodies = ["function add(x, y) { return x + y }", "function cat(x, y) { return x y }", "function fill(t, n,  i) { for (i = 1; i <= n; i++) t[i] = i * i; return n }", "function none() { }", "function swap(t, i, j,  x) { x = t[i]; t[i] = t[j]; t[j] = x }",
              "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }", "function deep(n) { if (n <= 0) return 0; return 1 + deep(n - 1) }", "function change(x) { x = 5; $1 = \"c\" }", "function un(x) { return typeof(x) }", "function un2(x) { x[1]; return typeof(x) }",
              "function loc(a, b,  c, d) { c = a; d[c] = b; return d[a] }", "function early(x) { if (x) return \"y\"; }", "function rec(t, n) { if (n) { t[n] = n; rec(t, n - 1) } }", "function ret(x) { if (x) return @/b/; return \"z\" }"]

    def one():
        e = p.expression
        return m.pick(f"print add({m.number(0, 9)}, {m.number(0, 9)})", "print cat(\"a\", add(1, 2))", f"n = fill(t, {m.number(0, 9)}); print n, length(t), t[3]", "x = none(); print \"[\" x \"]\", typeof(x)", "fill(t, 3); swap(t, 1, 2); print t[1], t[2]",
                      f"print fib({m.number(0, 12)})", f"print deep({m.number(0, 300)})", "x = 1; change(x); print x, $0", "print un(nn), un(1), un(\"s\"), un($1)", "print un2(nn2), length(nn2)", "print loc(1, 2), early(0) early(1)", "rec(t, 5); print length(t)",
                      "fn = \"add\"; print @fn(3, 4)", "fn = \"cat\"; print @fn(@fn(1, 2), 3)", f"fn = {string(m.pick('toupper', 'length', 'substr', 'nothere', 'none', 'fib', 'index', 'int', 'strlen', ''))}; print @fn(\"hello\"{m.pick('', ', 2')})", "fn = \"fill\"; @fn(t, 2); print t[2]",
                      "r = @/a+b/; print typeof(r), r, (\"caab\" ~ r), length(r)", "r = @/a/; s = \"banana\"; print gsub(r, \"X\", s), s", "r = ret(1); print typeof(r), typeof(ret(0))", "v = @/x/; w = v; a[1] = v; print typeof(w), typeof(a[1]), (v == \"x\")", "print match(\"foobar\", @/o+/), RSTART, RLENGTH",
                      "n = split(\"a1b2c\", q, @/[0-9]/); print n, q[3]", "r = @/,/; n = split(\"a,b\", q, r); print n, q[2]", "print gensub(@/(a)(b)/, \"\\\\2\\\\1\", \"g\", \"abab\")", "print dcgettext(\"msg\"), _\"txt\", dcngettext(\"a\", \"b\", 1), dcngettext(\"a\", \"b\", 2)",
                      "print add(1)" if m.chance(0.5) else "print add(1, 2, 3)", "print undefd(1)" if m.chance(0.2) else f"print {e()}", "exit add(1, 1)", "print none() + 1, none() \"x\"", "fill(x, 1); x = 5" if m.chance(0.1) else "print length(fill(w, 2))")

    names = " ".join(m.pick("BEGIN", "BEGIN", "END") for _ in range(1))
    return run(m, "\n".join([names + " { $0 = \"one two\"; " + "; ".join(m.list(1, 4, one)) + " }", *bodies, "function f(q) { return q }", "function g(p, q) { return p q }", "function fact(n) { return n < 2 ? 1 : n * fact(n - 1) }"]), "< /dev/null")


@command("awk")
def sources(m):
    m.file("lib.awk", m.pick("function twice(x) { return x * 2 }\nBEGIN { l = \"lib\" }\n", "@namespace \"lib\"\nBEGIN { v = 3; V = 4 }\nfunction get() { return v }\nfunction set(x) { v = x }\n", "@include \"base\"\nfunction twice(x) { return base(x) + base(x) }\n"))
    m.file("base.awk", "function base(x) { return x }\n# comment\n")
    m.file("a", m.text(1, 4))
    body = m.pick("BEGIN { print twice(4), l }", "BEGIN { print lib::get(), lib::v, V, v; lib::set(7); print lib::get() }", "{ print NR, $1 }", "BEGIN { ns::x = 1; print ns::x, x; f = \"lib::get\"; print @f() }", "@namespace \"q\"\nBEGIN { z = 1; print q::z, awk::z, NR; FS = \",\"; print awk::FS }",
                  "BEGIN { print base(3) }", "function twice(x) { return x }\nBEGIN { print twice(1) }", "BEGIN { print typeof(lib::v) }", "BEGIN { ns::a[1] = 2; for (k in ns::a) print k; delete ns::a; print length(ns::a) }")
    head = m.pick("@include \"lib.awk\"\n", "@include \"lib\"\n", "", "@include \"missing\"\n", "@include \"lib.awk\"\n@include \"base.awk\"\n", "@namespace \"x\"\n@include \"lib\"\n", "@namespace \"awk\"\n")
    options = m.pick("", "", "", "-i lib.awk", "-i lib", "-f lib.awk", "-f base.awk -i lib.awk", "-e 'BEGIN { e = 1 }'")
    if options:
        m.file("p", head + body + "\n")
        return f"awk {options} {m.pick('-f p', '-e ' + quote(head + body))} a"
    return run(m, head + body)


@command("awk")
def wrong_programs(m):
    p = Program(m)
    tokens = ["{", "}", "(", ")", "print", "if", "else", "while", "for", ";", ",", "+", "=", "==", "$", "!", "in", "a", "1", "\"s\"", "/r/", "getline", "<", ">", "|", "function", "return", "BEGIN", "END", "[", "]", "++", "next", "exit", "delete", "~", "?", ":",
              "&&", "break", "continue", "@", "#", "\\", "'", "\"", "printf", "do", "switch", "case", "%", "0x", "1e", "..", "`", "func", "length", "substr("]
    base = m.pick("{ print $1 }", "BEGIN { x = 1; print x }", "/a/ { n++ } END { print n }", "function f(a, b) { return a + b } BEGIN { print f(1, 2) }", "BEGIN { for (i = 0; i < 3; i++) print i }", "BEGIN { if (x) print 1; else print 2 }", "BEGIN { while (i < 3) i++; print i }",
                  "BEGIN { a[1] = 2; for (k in a) print k, a[k] }", "BEGIN { print substr(\"abc\", 2), length(\"x\") }", "{ gsub(/a/, \"b\"); print }", "BEGIN { switch (1) { case 1: print 1; break; default: print 2 } }", "BEGIN { do { i++ } while (i < 2)\nprint i }", "$1 > 2, /x/ { print; next }",
                  "BEGIN { printf(\"%s %d\\n\", \"a\", 3) > \"/dev/stdout\" }", "BEGIN { getline x < \"b\"; \"date +%Y > /dev/null\" | getline y; print x y }", "BEGIN { print 1,\n2; print (1)(2) }", "BEGIN { x = y ~ /z/ ? 1 : 0; print !x }").split(" ")
    for _ in range(m.number(1, 2)):
        at = m.number(0, len(base) - 1)
        base = m.pick(lambda: base[:at] + base[at + 1:], lambda: base[:at] + [m.pick(tokens)] + base[at:], lambda: base[:at] + [m.pick(tokens)] + base[at + 1:], lambda: base[:at] + [base[at], base[at]] + base[at + 1:])() or ["1"]
    m.file("a", "a 1\nb 2\n")
    m.file("b", "b\n")
    return run(m, " ".join(base)) + " | head -n 40"


@command("awk")
def faults(m):
    one = m.pick("print 1 / 0", "print 1 % 0", "x = 0; print 1 / x", "x = 0; x /= x", "x = 0; x %= x", "a[1]; print a", "a[1]; a = 2", "x = 1; x[1] = 2", "x = 1; for (k in x) print", "print $(-1)", "NF = -1", "$(-2) = 1", "print substr(\"x\")", "print length(1, 2)", "f(1, 2)",
                 "f(a); a = 1; print f(a)", "x = \"(\"; print \"a\" ~ x", "print \"a\" ~ \"[\"", "print match(\"a\", \"*a\")", "print \"a\" ~ \"a**\"", "print log(-1)", "print sqrt(-1)", "print log(\"x\")", "print int(\"x\")", "print exp(1000)", "printf \"%d %d\\n\", 1", "printf \"%z\\n\", 1",
                 "printf \"%*d\\n\"", "print substr(\"x\", \"y\")", "a[1][2] = 3; a[1] = 4", "a[1] = 1; a[1][2] = 3", "a[1][2] = 1; print a[1]", "print length(a[1][2])", "f = 1", "function g() { }", "return 1", "next", "nextfile", "exit -1", "exit 256", "exit \"3x\"", "exit 1.9",
                 "print toupper()", "print and(1)", "print and(-1, 2)", "print lshift(-1, 2)", "print compl(-1)", "print strtonum()", "close()", "print index(\"a\")", "split(\"a\")", "split(\"a\", 1)", "delete x[1]; x = 1", "getline x < \"\"", "print > \"\"", "print | \"\"", "print > \"/no/such/file\"",
                 "FIELDWIDTHS = \"a\"", "FIELDWIDTHS = \"-1\"", "FPAT = \"(\"", "FS = \"(\"; $0 = \"a b\"; print $1", "RS = \"(\"; getline", "CONVFMT = \"%d%d\"; x = 1.5 \"\"; print x", "OFMT = \"abc\"; print 1.5", "asort(x, x)", "asort(a, b, \"nope\"); a[1]; a[2]; asort(a, b, \"nope\")",
                 "PROCINFO[\"sorted_in\"] = \"nope\"; a[1]; a[2]; for (k in a) print k", "print gensub(/a/, \"b\", \"x\", \"aa\")", "print gensub(/a/, \"b\", 0, \"aa\")", "print gensub(/a/, \"b\", -1, \"aa\")", "fn = \"nope\"; @fn()", "fn = 5; @fn()", "print substr(\"abc\", 0, -1)", "srand(\"x\"); print srand()",
                 "print system(\"exit 300\")", "mktime(1)", "print strftime(1, 2, 3, 4)", "printf(\"%s\")", "printf \"%c\", \"\"", "print -\"x\"", "a[a[1]] = 1; print length(a)", "isarray()", "print typeof()", "print typeof(a, b)", "typeof(a[1]); print length(a)", "f(f)", "BEGIN = 1", "length = 3")
    return run(m, m.pick("BEGIN { ", "{ ", "END { ") + one + " }\nfunction f(x) { return x }", m.pick("< /dev/null", "a", "a")) if not m.setup and not m.file("a", "x y\n1 2\n") else ""


@command("awk")
def option_words(m):
    m.file("a", "a b\nc,d e\n10 20\n")
    m.file("p", "{ print FILENAME, $2 }\n")
    options = m.options(m.pick("", "-F,", "-F ,", "-Ft", "-F '\\t'", "-F ''", "-F", "--field-separator=,", "-F ' '", "-F '|'"), m.pick("", "-v x=1", "-vx=a\\\\tb", "-v 1=2", "-v x", "-v x=", "--assign y=3", "-v f=1 -v f=2", "-v 'x=\"'"),
                        m.pick("", "", "-P", "-c", "--posix", "--traditional", "-b", "-S", "-n", "-N", "-r", "-O", "-s", "--sandbox", "--re-interval", "-E p", "--exec p", "-k"), m.pick("", "", "", "", "--", "-z" if m.chance(0.2) else "", "--bogus" if m.chance(0.2) else "", "-e", "-f missing", "-M" if m.chance(0.1) else "", "-l x"))
    body = m.pick("'{ print $2, x }'", "-f p", "-e '{ print $1 }'", "-e 'BEGIN { x = 3 }' -e '{ print x, $1 }'", "-f p -e 'END { print NR }'", "--source='{ print NF }'", "'BEGIN { print x, y, f; print length(x) }'", "'BEGIN { print ARGC; for (i = 0; i < ARGC; i++) print i, ARGV[i] }'",
                  "'BEGIN { ARGV[1] = \"\"; ARGV[2] = \"a\"; ARGC = 3 } { print }'", "'{ print x }'", "'BEGIN { printf \"%s\\n\", FS; print OFS ORS SUBSEP RS }'", "''", "'{'", "'BEGIN { system(\"echo q\"); print \"z\" > \"o\" }'", "'BEGIN { print ENVIRON[\"AV\"]; print length(ENVIRON) > 0 ? \"\" : \"\" }'",
                  "'BEGIN { print toupper(\"x\"), strtonum(\"0x1f\"), gensub(/a/, \"b\", 1, \"a\") }'", "'/a{1}/'", "'BEGIN { print \"a\\x41\", 2 ** 3; print 0x10 }'")
    return f"AV=env awk {options} {body} {m.pick('a', 'a', 'x=5 a', 'a x=6 a', '', '< a', '- < a', 'x=1 < a', 'missing', 'a missing', './a', '.', '1x=2')} < a"
