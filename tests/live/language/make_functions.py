"""Functions: every form of definition, what `declare -f` and `type` print of every construct of the grammar, calls, scope, export."""
import re

from grammar import show_words, single_quoted
from grammar import statement as plain_statement


def quoted_line(text):
    """The text as one word on one line without `; `, so that a script cut down never runs a part of it."""
    for one, other in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\t", "\\t"), ("; ", ";\\x20")):
        text = text.replace(one, other)
    return "$'" + text + "'"


def statement(construct, last=False):
    """As grammar's; but what defines a function stays whole, or a part cut out could make one that starts itself without end."""
    def register(function):
        def whole(g):
            text = function(g)
            return "eval " + quoted_line(text) if re.search(r"\(\)|function |trap|while|until", text) and not text.startswith("eval $'") else text
        plain_statement(construct, last)(whole)
        return function
    return register


class Maker:
    """Writes commands as source that is only parsed; a here-document's body is put behind the line on which it begins."""

    def __init__(self, g):
        self.g = g
        self.depth = 0
        self.bodies = []

    def nl(self):
        bodies, self.bodies = self.bodies, []
        return "\n" + "".join(bodies)

    def sep(self):
        return self.g.pick("; ", ";", self.nl) if self.bodies == [] and self.g.chance(0.5) else self.nl()

    def end(self):
        """A separator in front of a reserved word: `;` or a newline."""
        return "; " if not self.bodies and self.g.chance(0.4) else self.nl()

    # Words.

    def word(self):
        g = self.g
        if g.chance(0.35):
            return g.pick(g.simple(), g.value())
        return g.pick(self.WORDS)(self)

    WORDS = [
        lambda m: m.g.pick('"a b"', "'a b'", "a\\ b", "$'a\\tb'", '$"tr"', '"a\\"b"', "'a'\\''b'", '""', "''", "\\\\", "\\$x", '"\\$x"', '"\\`"', "a\\\nb", "$'\\x41\\u00e9'"),
        lambda m: m.g.pick("$x", "${x}", "${x:-d}", '"${x:=a b}"', "${x#*/}", "${x/a/b}", "${x//[a-z]/\"$y\"}", "${#x}", "${!x}", "${!x@}", "${!x*}", "${x[@]}", "${x[1+1]}",
                           "${x:1:2}", "${x^^}", "${x,}", "${x@Q}", '"$@"', "$*", "$#", "$?", "$$", "$!", "$-", "$0", "${10}", "$1", "${x:-'a}'}", '"${x:-"a b"}"', "${x+$(a; b)}"),
        lambda m: m.g.pick("$((1+2))", "$(( x ? y : z ))", "$((x[1]+ 2))", "$[1+2]", "$(( a<<2 ))", '"$((1 + 2 ))"'),
        lambda m: m.g.pick("*", "?.c", "[a-z]*", "~", "~/x", "~root", "{a,b}", "{1..3}", "a{b,c}d", "x=y", "a=~", "-n", "--", "#no", "a#b", "!", "%1", "@", "+", "[", "]", "{", "}",
                           "{}", "a}", "then", "in", "do", "time", "function", "=", "==", "a=(", "a+=b", "a[1]=2", "x=\\(")
        if m.g.chance(0.9) else m.g.pick("@(a|b)", "!(x)", "*(a|b c)"),
        lambda m: "`" + m.g.pick("echo a", "a; b", "a | b", "echo \\`b\\`", "echo \"\\$x\"", "") + "`",
        lambda m: m.subst("$("),
        lambda m: m.subst(m.g.pick("<(", ">(")),
        lambda m: '"' + "a" + m.subst("$(") + ' b"',
        lambda m: m.subst("$("),
        lambda m: "$(" + m.g.pick("< file", "<file", "", " ", "# c\n", "case x in a) b;; esac", "case x in (a) b;; esac", "( a )", "{ a; }", " (a); (b)", "a\n", "a &", "a #c\n", "a;") + ")",
    ]

    def subst(self, opener):
        if self.depth > 1:
            return opener + "a b)"
        self.depth += 1
        kept, self.bodies = self.bodies, []
        inner = self.commands(1, 2)
        if inner.startswith("("):
            inner = " " + inner
        text = opener + inner + (self.nl() if self.bodies else "") + ")"
        self.bodies = kept
        self.depth -= 1
        return text

    def words(self, low=0, high=3):
        return "".join(" " + self.word() for _ in range(self.g.number(low, high)))

    # Redirections.

    def redirection(self):
        g = self.g
        kind = g.number(0, 11)
        if kind == 0 and self.depth < 1:
            return self.heredoc()
        fd = g.pick("", "", "", "1", "2", "0", "3", "12", "{fd}", "{a[1]}")
        if kind == 1:
            return g.pick("&>", "&>>", "&> ", ">& ") + g.pick("f", '"$x"', "/dev/null")
        if kind == 2:
            return fd + g.pick("<<<", "<<< ") + g.pick("w", '"a b"', "$x", "'q'", "$'a\\nb'", '"$(c)"')
        if kind < 6:
            return fd + g.pick(">&", "<&", ">& ", "<& ") + g.pick("1", "2", "3", "-", "3-", "$x", "$x-", '"$x"', "${x}-")
        return fd + g.pick(">", "<", ">>", "<>", ">|", "> ", "< ") + g.pick("f", "/dev/null", '"a b"', "$x", "${x}y", "~/f", "*", self.subst("<(") if g.chance(0.3) else "'q q'")

    def heredoc(self):
        g = self.g
        word = g.pick("E", "E", "'E'", '"E"', "\\E", "E\\F", "'E F'", "$E", "-x", "E-O", "'E)'", "''")
        plain = word.replace("'", "").replace('"', "").replace("\\", "")
        tabs = g.chance(0.3)
        lines = g.many(0, 3, lambda: g.pick("a", "$x ${y}", "$(a b)", "`c`", "\\$x", "a\\\\b", "it's", '"q"', "\ttab", "  blank", "x\\", "", "é", " E", "E ", "\tE " if not tabs else "t"), "\n")
        body = (lines + "\n" if lines else "") + ("\t" if tabs and g.chance(0.5) else "") + plain + "\n"
        if lines.endswith("\\"):
            body = lines + "z\n" + plain + "\n"
        self.bodies.append(body)
        return g.pick("", "", "0", "3", "{h}") + ("<<-" if tabs else "<<") + g.pick("", " ") + word

    def redirections(self, p):
        return "".join(self.g.pick(" ", " ") + self.redirection() for _ in range(self.g.number(1, 2))) if self.g.chance(p) else ""

    # Commands.

    def assignment(self):
        g = self.g
        return g.pick("x=1", "x=", "x+=a", "x[1]=b", "x[a b]=c", 'x["k"]+=v', "x=$y", "x='a b'", "x=~", "x=$(a)", "x=a:~/b", "x=(a b)", "x=()", "x+=( c )", "x=([1]=a [k]=b)", "x=(a\nb # c\n c)",
                      "x=($(a) \"$@\" *)", "x=( [0]=$'q' ${y[@]} )", "x=a\\ b", "X=\"$x y\"", "x[1+1]=$((2))", "x=<(a)", "x=([a]+=1)", "x[$y]=(", "x==")

    def simple(self):
        g = self.g
        kind = g.number(0, 9)
        if kind == 0:
            return self.many_assignments(1, 2) + self.redirections(0.15)
        if kind == 1:
            return self.many_assignments(1, 2) + " " + g.pick("cmd", "$c", '"c d"', "\\ls") + self.words() + self.redirections(0.2)
        if kind == 2:
            return self.redirection() + " " + g.pick("cmd", "echo", "x=1") + self.words() + self.redirections(0.2)
        if kind == 3:
            return self.redirection()
        if kind == 4:
            return g.pick("declare", "local", "export", "readonly", "typeset -a", "local -A", "declare -i") + " " + self.many_assignments(1, 2) + g.pick("", " b", ' "c=$d"', " -r")
        return g.pick("echo", "cmd", ":", "printf", "eval", "$c", '"$c"', "./x", "[", "test", ".", "builtin", "command", "exec", "return", "break", "exit", "alias") + self.words() + self.redirections(0.3)

    def many_assignments(self, low, high):
        return " ".join(self.assignment().replace("x[$y]=(", "x[$y]=") for _ in range(self.g.number(low, high)))

    def arith(self):
        return self.g.pick("1", "x = 1", "x++", " x < 3 ", "i=0, j=1", "x ? y : z", "(1+2)*3", "x[1]=2", "!x", "$x + ${y}", "a && b", "a<<=1", "-x", "~ 1", '"x" + 1', "1 ,\n2", "x >= 1 || y", "16#ff", "")

    def condition(self):
        g = self.g
        if self.depth < 4 and g.chance(0.35):
            self.depth += 1
            left = self.condition()
            made = g.pick(lambda: f"{left} && {self.condition()}", lambda: f"{left} || {self.condition()}", lambda: f"! {left}", lambda: f"( {left} )", lambda: f"!({left})",
                          lambda: f"{left} &&\n {self.condition()}")()
            self.depth -= 1
            return made
        return g.pick("-f x", "-n $x", "-z \"$y\"", "a == b", "$a = b*", "a != 'c d'", "$x =~ ^a(b|c)+$", '$x =~ "a b"', "a =~ [[:space:]]\\ x", "a < b", "a > b", "1 -eq 2", "x -nt y", "-v a[1]", "-o errexit",
                      "$x", "a", "'q q'", "x == @(a|b)", "-t 1", "$x == \"$y\"*", "$(a) == b", "a -ef b", "$x -lt 1+2", "x =~ a\\|b", "$x =~ $re", "-e ~/f", "x == \\*")

    def compound(self):
        g = self.g
        kinds = ["brace", "subshell", "if", "while", "for", "cfor", "select", "case", "cond", "arith", "function", "coproc"]
        return getattr(self, "make_" + g.pick(*kinds))()

    def make_brace(self):
        return "{ " + self.commands(1, 3) + self.end() + "}" + self.redirections(0.2)

    def make_subshell(self):
        inner = self.commands(1, 3)
        if inner.startswith("("):
            inner = " " + inner
        return self.g.pick("(", "( ") + inner + (self.nl() if self.bodies or self.g.chance(0.1) else self.g.pick("", " ", "; ")) + ")" + self.redirections(0.2)

    def make_if(self):
        g = self.g
        text = "if " + self.commands(1, 2) + self.end() + "then" + g.pick(" ", self.nl()) + self.commands(1, 2) + self.end()
        for _ in range(g.number(0, 2) if g.chance(0.4) else 0):
            text += "elif " + self.commands(1, 1) + self.end() + "then " + self.commands(1, 2) + self.end()
        if g.chance(0.4):
            text += "else" + g.pick(" ", self.nl()) + self.commands(1, 2) + self.end()
        return text + "fi" + self.redirections(0.2)

    def body(self):
        return self.g.pick("do ", "do" + self.nl()) + self.commands(1, 2) + self.end() + "done" + self.redirections(0.2)

    def make_while(self):
        text = self.g.pick("while ", "until ") + self.commands(1, 2) + self.end()
        return text + self.body()

    def make_for(self):
        g = self.g
        text = g.pick("for x", "for i", "for do", "for in") + g.pick(f" in{self.words(0, 3)}" + self.end(), self.end(), " ", self.nl())
        if g.chance(0.12):
            return text + "{ " + self.commands(1, 2) + self.end() + "}"
        return text + self.body()

    def make_cfor(self):
        g = self.g
        part = lambda: g.pick("", "i=0", " i<3 ", "i++", "i = 1, j=2", " x ? y : z", "a[1]++", "$x", "!i", "i<<2", "(i)", "i+=1 ", " ")  # noqa: E731
        text = g.pick("for ((", "for (( ") + part() + g.pick(";", " ; ", "; ") + part() + ";" + part() + "))" + g.pick("; ", " ", self.nl(), ";" + self.nl())
        if g.chance(0.12):
            return text + "{ " + self.commands(1, 2) + self.end() + "}"
        return text + self.body()

    def make_select(self):
        text = self.g.pick("select x", "select y") + self.g.pick(f" in{self.words(1, 3)}" + self.end(), self.end(), f" in{self.words(0, 2)}" + self.end())
        return text + self.body()

    def make_case(self):
        g = self.g
        text = "case " + g.pick("$x", '"$x"', "a", "'a b'", self.word(), "$(a)") + g.pick(" in ", " in" + self.nl(), self.nl() + "in ")
        for at in range(g.number(0, 3)):
            text += g.pick("", "(", "( ") + self.pattern() + g.many(0, 1, lambda: g.pick("|", " | ") + self.pattern(), "") + g.pick(")", " )") + g.pick(" ", self.nl())
            if g.chance(0.85):
                text += self.commands(1, 2)
            text += (self.nl() if self.bodies or g.chance(0.4) else " ") + g.pick(";;", ";;", ";&", ";;&") + g.pick(" ", self.nl(), self.nl())
        return text + "esac" + self.redirections(0.15)

    def pattern(self):
        return self.g.pick("a", "*", "?", "[a-z]*", "'q q'", '"$x"*', "$x", "a\\ b", "''", "~", "esac1", "${y}z", "*.c", "\\*", "-*", "[!a]", "if", "{a,b}", "$(a)", "'*'")

    def make_cond(self):
        return "[[ " + self.condition() + " ]]" + self.redirections(0.1)

    def make_arith(self):
        return "((" + self.arith() + "))" + self.redirections(0.1)

    def make_function(self):
        g = self.g
        name = g.pick("g", "h", "a-b", "x.y", "x:y", "é", "a/b", "g+", "@g", "time1", "a,b", "a~")
        head = g.pick(f"{name}() ", f"{name} () ", f"function {name} ", f"function {name}() ", f"function {name} () ", f"{name}()" + self.nl(), f"function {name}" + self.nl())
        body = g.pick(self.make_brace, self.make_brace, self.make_subshell, self.make_if, self.make_while, self.make_case, self.make_cond, self.make_arith, self.make_for, self.make_cfor)()
        if not head.endswith(")") and body.startswith("(") and "()" not in head:
            body = "{ " + body + (self.nl() if self.bodies else "; ") + "}"
        return head + body

    def make_coproc(self):
        g = self.g
        return "coproc " + g.pick(self.simple, lambda: g.pick("", "NAME ") + g.pick(self.make_brace, self.make_subshell, self.make_while, self.make_if)())()

    def command(self):
        self.depth += 1
        simple = self.depth > 2 or self.g.chance(0.6 if self.depth > 1 else 0.3)
        made = self.simple() if simple else self.compound()
        self.depth -= 1
        return made

    def pipeline(self):
        g = self.g
        text = g.pick("! ", "time ", "time -p ", "! ! ", "time ! ", "! time ") if g.chance(0.12) else ""
        text += self.command()
        while g.chance(0.2):
            text += g.pick(" | ", " |& ", "|", " |" + self.nl()) + self.command()
        return text

    def commands(self, low, high):
        g = self.g
        text = self.pipeline()
        for _ in range(g.number(low, high) - 1):
            text += g.pick(" && ", " || ", "&&", " &&" + self.nl(), " || ") if g.chance(0.3) else g.pick(" & ", " &" + self.nl()) if g.chance(0.15) else g.pick("; ", ";" + self.nl(), self.nl(), self.nl())
            text += g.pick("", "", "", "# comment" + self.nl()) if text.endswith("\n") else ""
            text += self.pipeline()
        if g.chance(0.06):
            text += " &" + self.nl()
            text += self.simple()
        return text


SHOWS = ("declare -f f", "type f", "declare -fp f", "typeset -f f", "export -f f; declare -f f; env | grep -c BASH_FUNC_f; bash -c 'declare -f f'; export -fn f")


def shown(g, text, before=""):
    """Defines f by the text, and shows it in one of the ways; what is shown must read back to the same."""
    again = "f=$(declare -f f); eval \"$f\"; [[ $f == \"$(declare -f f)\" ]] || declare -f f"
    return f"{before}eval {quoted_line(text)}; echo $?\n" + g.pick(again, f"{g.pick(*SHOWS)}", f"{g.pick(*SHOWS)}; {again}") + "\nunset -f f"


def printed(g, make, before=""):
    m = Maker(g)
    text = make(m)
    head = g.pick("f() ", "f () ", "function f ", "function f() ", "f()\n")
    if g.chance(0.85) or "coproc" in text:
        body = "{ " + text + (m.nl() if m.bodies or text.endswith("&") or g.chance(0.5) else "; ") + "}"
    else:
        body = "( " + text + m.nl() + ")"
    body += m.redirections(0.15)
    return shown(g, head + body + m.nl(), before)


def register(construct, make):
    statement(construct)(lambda g: printed(g, make))


for _kind in ("brace", "subshell", "if", "while", "for", "cfor", "select", "case", "cond", "arith", "function", "coproc"):
    register("func.print." + _kind, lambda m, kind=_kind: getattr(m, "make_" + kind)())
register("func.print.simple", lambda m: m.simple())
register("func.print.pipeline", lambda m: m.command() + m.g.pick(" | ", " |& ") + m.command())
register("func.print.prefix", lambda m: m.g.pick("! ", "time ", "time -p ", "! ! ", "! time ", "time -p ! ") + m.command())
register("func.print.time", lambda m: m.g.pick("time -- ", "time -p -- ", "time -- ! ", "time -- -p ") + m.simple())
register("func.print.list", lambda m: m.commands(2, 4))
register("func.print.background", lambda m: m.pipeline() + " & " + m.commands(1, 2))
register("func.print.heredoc", lambda m: m.g.pick("cat ", "x=1 ", "") + m.heredoc() + m.redirections(0.5) + m.g.pick("", " | b", " && c", " &", " || d"))
register("func.print.heredocs", lambda m: m.command() + m.redirections(0) + m.nl() + "cat " + m.heredoc() + " " + m.heredoc() + m.nl() + m.commands(1, 2))
register("func.print.redirect", lambda m: m.command() + m.nl() + "cmd" + m.redirections(1) + m.redirections(0.5))
register("func.print.words", lambda m: "cmd" + m.words(2, 5))
register("func.print.assign", lambda m: m.many_assignments(1, 3))


@statement("func.print.direct")
def direct(g):
    """The body of a function that is no group."""
    m = Maker(g)
    body = g.pick(m.make_subshell, m.make_if, m.make_while, m.make_for, m.make_cfor, m.make_case, m.make_cond, m.make_arith, m.make_select)()
    head = g.pick("f() ", "f ()\n", "function f() ")
    return shown(g, head + body + m.nl())


@statement("func.print.posix")
def print_posix(g):
    return printed(g, lambda m: m.commands(1, 2), "set -o posix; ") + "; set +o posix"


# Definitions and names.

NAMES = ("f", "a-b", "x.y", "a:b", "é", "f+", "@f", "a/b", "a,b", "1f", "-f", "f=g", "f=", "a[1]", "f]", "%f", "^f", "~f", "a~", "{f", "f}", "f#", "a\\ b", "'f'", '"f"', "$x", "f$x", "f*", "?", "!", "!f", "if",
         "while", "time", "in", "[", "[[", "{", "}", ":", ".", "return", "eval", "break", "exit", "set", "unset", "ls", "cd", "echo", "declare", "f\\", "``", "$(f)", "f<", "1", "12", "0x1", "-", "--", "+",
         "a.b-c", "coproc", "select", "function", "done", "esac", "f{", "a{1,2}", "f'g'", "=f", "a=b", "é-ß")


@statement("func.define.name")
def define_name(g):
    name = g.pick(*NAMES)
    form = g.pick("{0}() {{ echo in:$1; }}", "{0} () {{ echo in:$1; }}", "function {0} {{ echo in:$1; }}", "function {0}() {{ echo in:$1; }}", "function {0} () ( echo in:$1 )")
    posix = "set -o posix\n" if g.chance(0.15) else ""
    use = g.pick("declare -f", "declare -F", f"type -t {name}", f"{name} 2", f"declare -f {name}", f"unset -f {name}; declare -F", f"type {name}", f"command -v {name}", f"declare -fp {name}",
                 f"declare -F {name}", f"unset {name}; echo $?; declare -F")
    text = posix + form.format(name) + "\n" + use + "\necho $?"
    return "(eval " + single_quoted(text) + ")\necho $?"


@statement("func.define.forms")
def define_forms(g):
    body = g.pick("{ echo a; }", "( echo a )", "for i in 1 2; do echo $i; done", "if true; then echo t; fi", "while false; do :; done", "case $1 in *) echo c;; esac", "[[ -n $1 ]]", "((1 + 1))",
                  "until true; do :; done", "for ((i=0;i<2;i++)); do echo $i; done", "select x in a; do break; done < /dev/null", "echo a", "{ }", "{ ; }", "! true", "true | false", "x=1", "()", "( )", "((0))",
                  "\n\n{ echo nl; }", "# c\n{ echo c; }", "{ echo a; } | cat", "{ echo a; } && echo b", "{ echo a; }; echo b", "{ echo a; } > out; f; cat out", "{ echo e >&2; } 2>&1", "g() { echo n; }", "function g { :; }", "coproc { :; }",
                  "time { :; }", "{ cat; } <<< in", "{ cat; } <<E\nbody $1\nE\n")
    head = g.pick("f()", "f ( )", "f(\t)", "function f", "function f()", "function f ( )", "f() ", "f()\n", "function f\n", "f\\\n()", "func\\\ntion f", "function\tf ")
    text = head + g.pick(" ", "", "\n") + body + "\nf x\necho $?\ndeclare -f f"
    return "(eval " + single_quoted(text) + ")\necho $?"


@statement("func.define.redirect")
def define_redirect(g):
    redirects = g.many(1, 3, lambda: g.pick("> out", "2>&1", "< in", ">> out", "3> out3", "<<< \"here $1\"", "2> err", ">&2", "{fd}> out4", "< missing", "> \"$1\"", ">&-", "&> both", "<<E\n$1 x\nE\n"), " ")
    if "<<E" in redirects:
        redirects = redirects.split("<<E")[0] + "<<E\n$1 x\nE\n"
    return f"echo content > in\nf() {{ echo \"out $1\"; echo err >&2; cat 2>&1; }} {redirects}\nf arg < in\necho \"$?\"; for i in arg both err out out3 out4; do [ -f $i ] && echo \"$i: $(cat $i)\"; done; rm -f arg both err out out3 out4"


# Scope, recursion, return.

@statement("func.scope.local")
def scope_local(g):
    decl = g.pick("local v", "local v=1", "local -i v=2+3", "local -a v", "local -a v=(1 2)", "local -A v=([k]=v)", "local -r v=9", "local -x v=e", "local -n v=w", "local -u v=up", "declare v=d", "typeset v=t",
                  "declare -g v=g", "local v+=x", "local -I v", "local -I v=q", "local v w=$v", "local -p", "local", "local 1x", "local -Z v", "local v=1 -x", "readonly v=r", "export v=ex", "local -g v=1",
                  "local -a v='(1 2)'", "local v[1]=x", "local -f v", "local -F", "local -", "local -t v=3", "local +x v", "declare -gi v=4+4", "local -ai v=(1+1 2+2)", "local v=(a b)", "unset v; local v", "local -A v; v[a]=1")
    after = g.many(1, 3, lambda: g.pick("v=new", "unset v", "v+=app", "g", "declare -p v", "echo \"${v-unset}\"", "export v", "v=(p q)", "declare -g v=glob", "local -p | head -3", "bash -c 'echo ${v-none}'",
                                        "unset v; unset v", "readonly v", "v=3 g", "(v=sub; g)", "local v", "local v=again", "unset v; v=set"), "; ")
    call = g.pick('f', 'f; f', 'v=tmp f', 'f | cat', 'f arg')
    while call == "v=tmp f" and "bash -c" in after and any(array in decl + after for array in (" -a", " -A", "v=(", "v[")):
        call = g.pick('f', 'f; f', 'f | cat', 'f arg')  # bash puts the text of the environment, v=tmp, there as v's value
    return (f"unset v w; {g.pick('', 'v=outer; ', 'v=(o p); ', 'w=ref; ', 'export v=exp; ', 'declare -i v=5; ', 'declare -r v=ro; ', 'declare -A v=([o]=p); ')}\n"
            f"g() {{ declare -p v; {g.pick(':', 'v=ing', 'unset v', 'local v=ing', 'v+=ing')}; }}\nf() {{ {decl}; echo \"s=$?\"; {after}; }}\n({call}; echo \"s=$?\"; declare -p v w)")


@statement("func.scope.option")
def scope_option(g):
    change = g.many(1, 3, lambda: g.pick("set -f", "set -u", "set -C", "set -o pipefail", "set +B", "set -e", "set -o noglob", "shopt -s extglob", "shopt -s nullglob", "set -a", "set +h", "set -k"), "; ")
    return f"f() {{ local -; {change}; echo \"$-\"; {g.pick(':', 'g', 'local -; set -f', 'return 3', 'local -p', 'declare -p -- -', 'echo ${-}')}; }}\ng() {{ echo \"g $-\"; set -f; }}\n(f; echo \"$? $-\"; shopt extglob nullglob; set -o | grep -E 'noglob|pipefail')"


@statement("func.scope.temporary")
def scope_temporary(g):
    use = g.many(1, 3, lambda: g.pick("v=in", "unset v", "local v", "local v=l", "declare -p v", "g", "export v", "readonly v", "echo ${v-u}", "v+=x", "env | grep '^v='", "declare -g v=gg", "local -I v; declare -p v", "unset v; echo ${v-u}"), "; ")
    return f"unset v; {g.pick('', 'v=outer')}\ng() {{ echo \"g ${{v-u}}\"; v=g; }}\nf() {{ {use}; }}\n({g.pick('v=tmp f', 'v=tmp w=2 f', 'v+=tmp f', 'v=tmp g', 'v=tmp eval f', 'v=tmp command g', 'v=tmp . ./none')}; echo \"${{v-u}}\"; declare -p v)"


@statement("func.recursion")
def recursion(g):
    kind = g.number(0, 4)
    if kind == 0:
        return "fact() { local n=$1; ((n < 2)) && { echo 1; return; }; echo $((n * $(fact $((n-1))))); }\nfact " + str(g.number(0, 6))
    if kind == 1:
        return f"FUNCNEST={g.pick('3', '1', '0', '-1', 'x', '2+2', '', '5')}\nf() {{ echo \"d ${{#FUNCNAME[@]}}\"; (( $1 > 0 )) && f $(($1 - 1)); echo \"back $1\"; }}\n(f {g.number(0, 6)}; echo \"$?\"); unset FUNCNEST"
    if kind == 2:
        return f"f() {{ local d=$1; ((d)) || return {g.number(0, 300)}; f $((d-1)); local s=$?; echo \"$d:$s\"; return $s; }}\nf {g.number(0, 6)}; echo $?"
    if kind == 3:
        return "f() { unset -f f; echo gone; f 2>/dev/null; echo $?; }; f; f 2>/dev/null; echo $?"
    return "f() { f() { echo second; }; echo first; f; }; f; f; declare -f f"


@statement("func.return")
def returns(g):
    value = g.pick("", "0", "1", "255", "256", "-1", "300", "x", "1x", "1 2", "--", "-- 3", "-x", "''", "\"$?\"", "99999999999999999999", "+3", " 4", "010", "0x10", "--help", "2147483648", "$(false; echo 7)")
    place = g.pick("return {0}", "{{ return {0}; }}", "(return {0}); echo s$?", "if true; then return {0}; fi", "for i in 1 2; do return {0}; done", "while :; do return {0}; done", "case a in a) return {0};; esac", "true && return {0}",
                   "false || return {0}", "! return {0}", "return {0} | cat; echo p$?", ": | return {0}; echo p$?", "eval 'return {0}'", ". ./src {0}", "x=$(return {0}); echo x$?", "[[ -n $(return {0}) ]]; echo c$?", "return {0} & wait $!; echo b$?",
                   "trap 'return {0}' USR1; kill -USR1 $BASHPID; echo after", "command return {0}", "builtin return {0}", "time return {0} 2>/dev/null", "return {0} > out", "v=1 return {0}", "false; return {0}", "until return {0}; do :; done",
                   "return {0} < missing", "select x in a; do return {0}; done <<< 1", "{{ return {0}; }} > out", "coproc return {0}; wait $!; echo co$?").format(value)
    call = g.pick("f", "f; echo $?", "f || echo no $?", "if f; then echo y; else echo n $?; fi", "f | cat", "x=$(f); echo $x")
    return f"echo 'return \"$@\"' > src\nf() {{ {place}\necho \"not reached? $?\"; }}\n({call}\necho \"end $?\")\nrm -f out src"


@statement("func.return-outside")
def return_outside(g):
    text = g.pick("return", "return 3", "return x", "(return 3)", "return 3; echo after", "{ return 4; }", "if true; then return 5; fi", "eval return 6", "! return", "return 1 2", "true && return 7 || echo or", "return 3 | cat",
                  "for i in 1 2; do return; echo $i; done", "trap 'return 3; echo t' USR1; kill -USR1 $$; echo after", "command return 3", "set -e; return 3; echo no", "set -o posix; return 3; echo posix")
    return g.pick("bash -c {0}", "bash -c {0} name", "printf %s {0} | bash", "(eval {0}); echo s$?").format(single_quoted(text + "; echo \"r$?\"")) + "\necho $?"


@statement("func.control")
def control(g):
    cmd = g.pick("break", "continue", "break 2", "continue 2", "break 0", "break x", "continue -1", "break 99", "exit 3", "break 1 2", "break --", "continue 0")
    body = g.pick("{0}; echo f $?", "for j in 1; do {0}; echo f $?; done", "if true; then {0}; echo f $?; fi").format(cmd)
    return f"f() {{ {body}; }}\n(for i in 1 2; do f; echo \"i $i $?\"; done; {g.pick('f', 'echo')}; echo end)"


# Positional parameters, call stack.

@statement("func.positional")
def positional(g):
    use = g.many(1, 3, lambda: g.pick('echo "$# $*"', "shift", "shift 2; echo $?", "set -- x y z", "set --", 'echo "${@:2}"', 'echo "${*: -1}"', 'for i; do echo "<$i>"; done', 'echo "$0"', "shift 9; echo $?", "g \"$@\"", "unset 1", "getopts ab: o; echo \"$? $o $OPTARG $OPTIND\"",
                                      'echo "${!#}"', 'echo "${@:0:2}"', "eval 'echo $1'", ". ./src a1 a2", ". ./src", 'echo "${10}"'), "; ")
    return f"echo 'echo \"src $# $1\"; shift; set -- s \"$@\"' > src\ng() {{ echo \"g $# $1\"; set -- gg; }}\nf() {{ {use}; }}\nset -- o1 o2 o3\nf {g.words(0, 4)}; echo \"$# $*\"; rm src; set --; OPTIND=1"


@statement("func.stack")
def stack(g):
    show = 'echo "$LINENO|${FUNCNAME[*]}|${BASH_LINENO[*]}|${#BASH_SOURCE[@]}|$BASH_SUBSHELL|${BASH_ARGC[*]-n}|${BASH_ARGV[*]-n}"; for ((i = 0; ; i++)); do caller $i || break; done; caller'
    call = g.pick("g a b", "$(g x)", "(g a b)", "g | cat", "eval g q", ". ./src z", "eval '\ng r\n'", "{ g; }", "if g; then :; fi", "x=$(g y); echo \"$x\"", "cat <(g z)", "g & wait", "trap 'g t' USR1; kill -USR1 $BASHPID; trap - USR1", "command g", "coproc g; cat <&${COPROC[0]}; wait", "bash -c 'echo ${FUNCNAME[0]-none} ${#BASH_SOURCE[@]} $BASH_LINENO'",
                  "echo `g b`", "while g; do break; done", "g a \\\n b", "for i in 1; do\ng\ndone", "case x in\nx) g;;\nesac")
    return (f"{g.pick('', 'shopt -s extdebug')}\ng() {{\n  {show}\n}}\nf() {{\n\n  {call}\n}}\necho '\ng in src \"$@\"' > src\n"
            f"({g.pick('f', 'f 1 2', 'eval f', 'f | cat', '. ./src', 'g top', 'h() { f; }; h', 'f; f')} 2>&1)\nshopt -u extdebug; rm src")


# Export and import, unset, listings.

@statement("func.export")
def export(g):
    body = g.pick("echo in $1", "cat <<E\nbody $1\nE\n", "echo \"q'q\" 'a\"b'", "local v=1; echo $v", "g", "case $1 in a) echo A;; *) echo o;; esac", "return 3", "echo $(echo sub)", "( echo s )", "for i; do echo $i; done", "{ echo g; } | cat", "echo a & wait")
    name = g.pick("f", "f", "f", "a-b", "x.y", "a:b", "é", "a/b", "f+")
    do = g.pick("export -f {0}", "declare -fx {0}", "typeset -xf {0}", "set -a; {0}() {{ echo auto $1; }}", "export -f {0} nofunc", "export -fn {0}", "export -f {0}; export -fn {0}", "declare -fx {0} none", "export {0}", "export -f -p", "export -f {0}=1", "readonly -f {0}; export -f {0}",
                "export -fp", "declare -f +x {0}", "export -f {0}; declare -fx", "export -f {0}; {0}() {{ echo redefined; }}", "export -f {0}; unset -f {0}", "export -f {0}; declare -F").format(name)
    use = g.pick("bash -c '{0} a; echo $?'", "bash -c 'type {0}; declare -F'", "bash -c 'bash -c \"{0} deep\"'", "env | grep -A1 BASH_FUNC", "(exec bash -c '{0} x')", "env -i bash -c '{0} x'", "bash -p -c '{0} a; echo $?'", "bash --posix -c '{0} p; echo $?'", "bash -c 'declare -f {0}; export -f'",
                "bash -c 'unset -f {0}; bash -c {0}; echo $?'", "bash -c 'export -fn {0}; bash -c \"{0} a\"; echo $?'", "bash -c '{0}() {{ echo new; }}; bash -c {0}'", "printenv 'BASH_FUNC_{0}%%'").format(name)
    return f"(g() {{ echo g; }}\n{name}() {{ {body}\n}}\n{do}; echo $?\n{use}) 2>&1"


@statement("func.import")
def imports(g):
    name = g.pick("f", "a-b", "1f", "/bin/ls", "./f", "a.b", "é", "[")
    value = g.pick("() { echo imported; }", "() { echo a; } ", "() {\n echo lines\n}", " () { echo s; }", "() ( echo sub )", "()  { echo two; }", "function f { :; }", "", "() { echo a; } > o", "{ :; }")
    return f"env 'BASH_FUNC_{name}%%={value}' bash -c 'declare -F; f x; echo $?' 2>&1; echo $?; rm -f o"


@statement("func.unset")
def unset(g):
    cmd = g.pick("unset -f f", "unset f", "unset -v f", "unset -f none", "unset -f f g", "unset -fv f", "unset -f 'a b'", "unset -f 1x", "unset -f", "unset -n f", "unset -f -- f", "unset -f f; f", "unset -x f", "unset v f")
    pre = g.pick("", "f=var; ", "readonly -f f; ", "declare -r f=1; ", "export -f f; ", "declare -ft f; ", "declare -n f=g; ")
    return f"(f() {{ echo f; }}; g() {{ echo g; }}; {pre}{cmd}; echo $?; declare -F; echo \"${{f-unset}}\")"


@statement("func.declare")
def declares(g):
    cmd = g.pick("declare -F", "declare -f", "declare -pf", "declare -Fp", "declare -F f none g", "declare -f none", "declare -f f none", "declare -fr", "declare -ft f; declare -F", "declare -fx f; declare -F", "declare -fr f; declare -F", "declare -fr f; f() { :; }", "declare -ft",
                 "declare -f f=1", "declare -fi f", "declare -fa f", "declare -ft f; declare -ft", "readonly -f f; readonly -f", "readonly -f none", "readonly -pf", "readonly -fp f", "declare -F -x", "typeset -F", "declare -fg f", "declare +f | grep -A 9 '^[fg] ()'", "declare +f f; declare -p f", "declare +F f", "declare -fn f", "declare -fu f", "declare -fA f",
                 "shopt -s extdebug; declare -F f", "shopt -s extdebug; declare -F", "declare -ftx f; declare -pf f", "declare -f +t f", "declare -ft f; declare -f +t f; declare -F", "declare -fr f; declare -f +r f", "declare -Ff f", "local -f f", "export -pf", "export -f f; export -p | tail -2",
                 "set | grep -A 9 '^[fg] ()'", "declare | grep -A 9 '^[fg] ()'", "set -o posix; set | grep -c '^f ()'", "compgen -A function")
    return f"(f() {{ echo f; }}\ng () ( echo g; )\n{cmd}; echo $?)"


@statement("func.type")
def types(g):
    options = g.pick("", "-t", "-a", "-p", "-P", "-f", "-at", "-ap", "-af", "-tf", "-ta", "-q", "-aP", "-fP", "--", "-type", "-path", "-all", "--type", "--all", "--path")
    names = g.many(0, 3, lambda: g.pick("f", "ls", "echo", "if", "al", "none", "[[", "./x", "''", "{", "!", "while", "cd", "d1", "coproc", "export"))
    cmd = g.pick(f"type {options} {names}", f"type {options} {names}", f"command {g.pick('-v', '-V', '-p', '-pv', '-vV', '-x', '')} {names or 'f'}")
    if cmd.startswith("command ") and "v" not in cmd.split()[1].lower():
        cmd = f"command -V {names}"
    return f"(shopt -s expand_aliases; alias al='echo alias' d1=\"it's\"; f() {{ echo \"$1\"; }}; mkdir -p x; : > y; chmod +x y; {cmd}; echo $?)"


@statement("func.not-found")
def not_found(g):
    handle = g.pick("command_not_found_handle() { echo \"nf $# <$1> <$2> ${FUNCNAME[*]} $BASH_SUBSHELL\"; return 7; }", "command_not_found_handle() { exit 9; }", "command_not_found_handle() { v=changed; echo \"$0\"; }", "command_not_found_handle() ( echo sub; false )", "command_not_found_handle() { local -; set +e; (( ${#FUNCNAME[@]} > 2 )) && return 5; nosuch2; }",
                    "command_not_found_handle() { echo out; echo err >&2; }", "command_not_found_handle() { trap; return; }", "command_not_found_handle() { echo $LINENO $BASH_COMMAND; }", "command_not_found_handle() { [ $BASHPID = $$ ]; }", "command_not_found_handle() { shift; \"$@\"; }")
    use = g.pick("nosuch a b", "nosuch", "./nosuch a", "x=1 nosuch $x", "nosuch | cat", "nosuch > out; cat out", "$(nosuch q)", "nosuch & wait $!; echo bg $?", "if nosuch; then echo y; else echo n; fi", "command nosuch a", "exec nosuch", "nosuch echo r", "(nosuch; echo in $?)", "eval nosuch", "'' a",
                 "builtin nosuch", "v=1; nosuch; echo $v", "PATH= nosuch a", "nosuch 2> out; cat out", "env nosuch 2> /dev/null", "\"no such\" x", "type nosuch", "! nosuch", "trap 'echo T $BASH_COMMAND' ERR; nosuch a", "set -e; nosuch; echo cont", "nosuch/ x", "/nosuch/x", ". nosuch", "exec -c nosuch")
    return f"({handle}\nv=orig\n{use}; echo \"$? $v\") 2>&1; rm -f out"


@statement("func.readonly")
def readonly_function(g):
    again = g.pick("f() { echo 2; }", "unset -f f", "declare +r -f f", "function f { echo 3; }", "f() ( : )", "export -f f", 'eval "f() { echo 4; }"', "g() { f() { echo 5; }; }; g")
    return f"(f() {{ echo 1; }}; readonly -f f; {again}; echo \"$?\"; f) 2>&1"


@statement("func.posix-special")
def posix_special(g):
    text = g.pick("break() { echo f; }; break; echo $?", "eval() { echo f; }; eval echo b", "export() { echo f; }; export x=1", "echo() { printf fn; }; echo x", "f-g() { :; }; echo $?; f-g",
                  "function a.b { :; }; a.b; echo $?", "cd() { printf fn; }; cd /", "[() { printf fn; }; [ x", "function set { printf fn; }; set -u; echo $-", "unset() { printf fn; }; unset v",
                  "time() { printf T; }; time", "f() { return 3; }; v=1 f; echo $? ${v-u}", "f() { :; }; v=1 f; export -p | grep -c v=", "type export; export() { :; }; type export",
                  "command -v break; break() { :; }; command -V break")
    return f"bash {g.pick('--posix', '', '-o posix')} -c {single_quoted(text)} 2>&1; echo $?"


@statement("func.call")
def calls(g):
    return (f"f() {{ echo \"f $# ${{1-}}\"; cat; return {g.number(0, 5)}; }}\n" + g.pick("echo in | f a", "f b <<< here", "f c < /dev/null | cat", "! f d < /dev/null", "f e < /dev/null & wait $!", "x=$(f g <<< sub); echo \"$x\"", "f h << E\ndoc\nE", "f < /dev/null > o; cat o; rm o",
            "f f f < /dev/null && f x < /dev/null", "\\f q < /dev/null", "'f' q < /dev/null", "n=f; $n q < /dev/null", "command f q < /dev/null", "builtin f", "exec f", "env f 2> /dev/null", "v=1 f < /dev/null; echo ${v-u}", "f() { echo new; }; f", "f \"$@\" < /dev/null", "cat <(f p < /dev/null)", "f {1..3} < /dev/null").replace("exec f", "(exec f)") + "\necho $?")


@statement("func.words")
def word_calls(g):
    return "f() { " + show_words('"$@"') + "; }\nf " + g.words(0, 5)
