"""Syntax errors: correct scripts, damaged; wherever a script can be read from."""
import re

from contexts import here, inner_shell, same_shell, single_quoted
from grammar import statement

GOOD = (
    "if true; then echo a; fi", "if false; then echo a; elif true; then echo b; else echo c; fi", "while false; do echo a; done", "until true; do echo a; done", "for i in a b; do echo $i; done", "for i; do echo $i; done",
    "for ((i=0;i<2;i++)); do echo $i; done", "for ((i=0;i<2;i++)) { echo $i; }", "for i in a b; { echo $i; }", "case x in x) echo x;; y) echo y;; esac", "case x in (x|y) echo x;& z) echo z;;& *) echo s;; esac",
    "select x in a b; do echo $x; break; done <<< 1", "{ echo a; echo b; }", "( echo a; echo b )", "f() { echo F; }; f", "function f { echo F; }; f", "function f() ( echo F ); f", "f() if true; then echo F; fi; f",
    "[[ a == b || ! -n c ]] && echo t", "[[ ( a < b ) && x =~ ^(x|y)$ ]]; echo $?", "(( 1 + 2 > 2 )) && echo t", "echo $(( (1 + 2) * 3 ))", "echo $(echo a; echo b)", "echo `echo a`", "echo \"a $(echo \"b\") c\"", "echo ${v:-${w:-x}}",
    "a=(1 2 3); echo ${a[1]}", "declare -A h=([k]=v); echo ${h[k]}", "echo a | cat | cat", "true && echo a || echo b", "! false", "echo a > out; cat < out", "cat <<E\nhere $v\nE", "cat <<-'E'\n\tx\n\tE", "cat <<< word", "echo a 2>&1 >&2", "sleep 0 & wait",
    "coproc { cat; }; wait", "coproc N { :; }; wait", "echo <(echo a) > /dev/null", "echo 'single quoted' \"double $v\" $'ansi\\n'", "time -p true 2> /dev/null", "x=1 y=2 echo z", "echo a{b,c}d", "trap 'echo t' EXIT", "eval 'echo e'", "echo a; # comment",
    "let 'x = 1 + 2'", "echo $[1+2]", "f() { local a=1; return 2; }; f; echo $?", "while read -r l; do echo \"$l\"; done <<E\na\nb\nE", "if [[ -n $x ]]; then (echo a) | { cat; }; fi", "echo ${a[@]:1:2} ${v//a/b} ${v^^} ${!v} ${#v}",
    "case $v in *) ;; esac", "case a in esac", "for i in; do :; done", "[[ $v =~ a(b|c)* ]]", "echo @(a|b) !(c)", "shopt -s extglob\necho @(a|b)", "{ { echo a; } ; }", "( ( echo a ) )", "((x=1)); ((x++))", "f() { :; } > out; f", "cat << A << B\na\nA\nb\nB",
)
TOKENS = ("if", "then", "else", "elif", "fi", "while", "until", "do", "done", "for", "in", "case", "esac", "select", "function", "{", "}", "(", ")", "((", "))", "[[", "]]", "!", "time", "coproc", ";", ";;", ";&", ";;&", "&", "&&", "|", "||", "|&", "<", ">", ">>",
          "<<", "<<<", "<&", ">&", "<>", ">|", "&>", "&>>", "'", '"', "`", "$(", "${", "$((", "$[", "\\", "#", "\n", "word", "x=1", "a=(", "=", "$", "$'", '$"', "-n", "==", "=~", "<(", ">(", "2>", "{v}>", "f()", "*", "1", "EOF", ")&", "&)", ";)", "; ;", "-a")


def pieces_of(text):
    """Words and operators of text, with the blanks between them; roughly."""
    out, at = [], 0
    while at < len(text):
        if text[at] in " \n":
            end = at + 1
        elif text[at].isalnum() or text[at] in "_-":
            end = at + 1
            while end < len(text) and (text[end].isalnum() or text[end] in "_-"):
                end += 1
        elif text[at:at + 2] in ("&&", "||", ";;", "((", "))", "[[", "]]", "$(", "${", "<<", ">>", ">&", "<("):
            end = at + 2
        else:
            end = at + 1
        out.append(text[at:end])
        at = end
    return out


def damage(g, text):
    pieces = pieces_of(text)
    for _ in range(g.number(1, 2)):
        at = g.number(0, max(0, len(pieces) - 1))
        if not pieces:
            break
        how = g.number(0, 5)
        if how == 0:
            del pieces[at]
        elif how == 1:
            pieces.insert(at, pieces[at])
        elif how == 2:
            other = g.number(0, len(pieces) - 1)
            pieces[at], pieces[other] = pieces[other], pieces[at]
        elif how == 3:
            pieces.insert(at, g.pick(" ", "") + g.pick(TOKENS) + g.pick(" ", ""))
        elif how == 4:
            pieces[at] = g.pick(TOKENS)
        else:
            pieces = pieces[:at]
    made = "".join(pieces)
    return made if harmless(made) else "echo left out"


def harmless(text):
    """Nothing that could run for long, read a terminal or write outside: a damaged script may say anything."""
    if re.search(r"[{(][^})]*\bf\b *[^( ]", text):     # a function that calls itself
        return False
    return not any(bad in text for bad in ("/dev/tty", "~", "/*", "while true", "until false", "for ((;", "while !", "until !", "while :"))


def lines_around(g, text):
    before = g.pick("", "echo first\n", "echo first\necho second\n", "# comment\n\n", "echo a \\\n  b\n", "v=abc\n", "cat <<Q\nx\ny\nQ\n", "echo 'two\nlines'\n", "if true; then\necho in\nfi\n", "f0() {\necho f0\n}\n")
    after = g.pick("", "\necho last", "\necho last\necho more", "\n", "; echo same", "\n\n# end", "\necho 'q", "\nfi", "\ndone", "\n)", "\n}", " && echo and", " | cat", " &", "\\")
    return before + text + after


def read_from(g, text):
    """A shell of its own that reads text from somewhere, perhaps only to look at it."""
    how = g.number(0, 11)
    n = g.pick("", "", "", " -n", " -o posix", " -v", " -x", " -e", " -nv")
    if how <= 1:
        made = here("s.sh", text, "STOP") + f"\nbash{n} ./s.sh a b"
    elif how == 2:
        made = f"bash{n} -c {single_quoted(text)}"
    elif how == 3:
        made = f"bash{n} -c {single_quoted(text)} name"
    elif how == 4:
        made = here("s.sh", text, "STOP") + f"\nbash{n} < s.sh"
    elif how == 5:
        made = here("s.sh", text, "STOP") + f"\nbash{n} -c '. ./s.sh; echo \"src=$?\"'"
    elif how == 6:
        made = here("s.sh", text, "STOP") + f"\nbash{n} -c 'echo a\neval \"$(cat s.sh)\"\necho \"ev=$?\"'"
    elif how == 7:
        made = here("s.sh", text, "STOP") + "\n(eval \"$(< s.sh)\"; echo \"ev=$?\")"
    elif how == 8:
        made = here("s.sh", text, "STOP") + "\n(source ./s.sh; echo \"src=$?\")"
    elif how == 9:
        made = here("s.sh", text, "STOP") + "\n(f() { echo f; eval \"$(< s.sh)\"; echo \"f=$?\"; }; f; echo \"after=$?\")"
    elif how == 10:
        made = here("s.sh", text, "STOP") + "\n(trap \"$(< s.sh)\" EXIT; echo body)"
    else:
        made = inner_shell(g, same_shell(g, text), n).replace("END", "STOP")
    return made + '\necho "inner=$?"'


@statement("syntax.damaged")
def damaged(g):
    return read_from(g, lines_around(g, damage(g, g.pick(GOOD))))


@statement("syntax.damaged-one")
def damaged_one(g):
    return read_from(g, damage(g, g.pick(GOOD)))


@statement("syntax.damaged-nested")
def damaged_nested(g):
    inner = damage(g, g.pick(GOOD))
    outer = g.pick("echo $({})", "( {} )", "{{ {}; }}", "if true; then {}; fi", "f() {{ {}; }}; f", "echo \"$({})\"", "echo `{}`", "while {}; do break; done", "case x in x) {};; esac", "cat <({})", "x=$({})", "echo a | {}", "true && {}", "! {}", "eval '{}'" if "'" not in inner else "{}",
                   "cat <<T\n$({})\nT", "a=($({}))", "for i in $({}); do :; done", "[[ $({}) ]]", "echo $(( $({}) ))", "echo ${{v:-$({})}}", "coproc {{ {}; }}", "echo $(case x in x) {};; esac)", "echo $({}\n)", "(\n{}\n)", "{{\n{}\n}}")
    return read_from(g, lines_around(g, outer.replace("{{", "{").replace("}}", "}").replace("{}", inner, 1)))


@statement("syntax.tokens")
def tokens(g):
    made = g.many(1, 4, lambda: g.pick(TOKENS), g.pick(" ", " ", ""))
    return read_from(g, lines_around(g, made if harmless(made) else "fi"))


@statement("syntax.word-after")
def word_after(g):
    """A compound command and what may not follow it."""
    good = g.pick(GOOD[:20])
    return read_from(g, lines_around(g, good + g.pick(" ", "") + g.pick(TOKENS)))


@statement("syntax.token-before")
def token_before(g):
    return read_from(g, lines_around(g, g.pick(TOKENS) + g.pick(" ", " ", "\n") + g.pick(GOOD)))


@statement("syntax.unterminated")
def unterminated(g):
    text = g.pick("echo 'abc", 'echo "abc', "echo `abc", "echo $(abc", "echo ${abc", "echo $((1+", "echo $((1+2)", "echo $[1+", "cat <<E", "cat <<E\nabc", "cat <<'E'\nabc\n", "cat <<-E\n\tabc", "cat <<E <<F\na\nE\nb", "if true", "if true; then", "if true; then echo a; else", "while true; do echo",
                  "for i in a b", "for i in a; do", "for ((i=0;i<1;i++", "for ((i=0;i<1;i++))", "case x", "case x in", "case x in x)", "case x in x) echo", "case x in x) echo;;", "{", "{ echo a", "(", "( echo a", "f() {", "f()", "function f", "function", "[[", "[[ a", "[[ a ==", "[[ a == b", "[[ ( a",
                  "[[ a &&", "[[ !", "((", "(( 1", "(( 1 )", "a=(", "a=(1 2", "a[", "a[1", "a[1]=(", "echo a |", "echo a &&", "echo a ||", "!", "time", "coproc", "echo a >", "echo a <", "echo a <<", "echo a <<<", "echo a 2>&", "echo $'abc", 'echo $"abc', "echo \"$(echo 'a)\"", "echo \"${a:-'b}\"",
                  "echo \"`echo 'a`\"", "echo ${a:-$(b}", "echo $(case x in x) echo;; )", "echo $(if true)", "echo <(abc", "echo >(abc", "echo @(a", "echo !(a|b", "declare -A h=([a]=1", "select x in a", "select x", "until", "echo a \\", "echo $(cat <<E\nabc)", "echo $(cat <<E\nabc\nE", "echo `cat <<E\nabc`",
                  "if", "fi", "echo ${a[", "echo ${a[1", "echo ${#", "echo ${!", "x=$(", "x=`", "x=\"", "x='", "x=${", "x=$((", "f() { echo \"a; }", "f() { echo 'a; }", "if [ a = 'b ]; then echo; fi", "echo \"a\" \"b", "case x in 'x) echo;; esac", "case x in x|", "case x in (", "case x in ( x", "# 'comment\necho \"",
                  "echo $(( ( 1 )", "echo $((1+2) )", "(( ( 1 ))", "((1)", "echo ${v//a/", "echo ${v/\"a/b}", "echo \"${v/'a/b}\"", "cat <<E && echo '\nbody\nE", "cat <<E; (\nbody\nE", "echo `echo \\`a`", "echo $(echo $(echo a)", "echo \"$(echo \"$(echo \"a\")\")", "[[ a =~ (b ]]", "[[ a =~ b) ]]", "[[ a == (b) ]]", "[[ a b ]]",
                  "[[ a == b c ]]", "[[ == ]]", "[[ ]]", "[[ -f ]]", "[[ -f a b ]]", "[[ a -eq ]]", "[[ a -foo b ]]", "[[ ! ]]", "[[ () ]]", "[[ a && ]]", "[[ && a ]]", "[[ a || || b ]]", "[[ a & b ]]", "[[ a ; b ]]", "[[ a | b ]]", "[[ a > ]]", "[[ > a ]]", "[[ a\n== b ]]", "[[ a ==\nb ]]", "[[ -n\na ]]", "[[ (\na\n) ]]", "[[ a\n&&\nb ]]", "[[ a =~ ]]", "[[ a = ( b ) ]]", "[[ $( ]]")
    return read_from(g, lines_around(g, text))


@statement("syntax.names")
def function_names(g):
    name = g.pick("1f", "a-b", "a.b", "a=b", "if", "fi", "then", "{", "}", "!", "[[", "time", "$f", "'f'", '"f"', "f$x", "a[1]", "é", "-f", "--", "break", "return", "eval", "export", "test", "[", "a/b", "/a", "a:b", "a@b", "*", "a*", "~f", "a~", "%", "+", "a,b", "1", "set", ":", ".", "in", "do", "select", "coproc", "function", "a\\b", "f%f",
                  "#f", "f#", "]]", "]", "@", "f!", "^", "=", "==", "x=", "=x", "case", "esac", "echo", "<f", "f&", "${f}", "`f`", "$(f)", "{f}", "f{1,2}")
    form = g.pick("{}() {{ echo F; }}", "function {} {{ echo F; }}", "function {}() {{ echo F; }}", "{} () (echo f)", "function {} (echo f)", "{} ( ) {{ echo F; }}", "function {} () if :; then echo f; fi", "{}()\n{{ echo F; }}", "function {}\n{{ echo F; }}", "function {} echo f", "{}() echo f", "function {} ( ) {{ echo F; }}")
    made = form.replace("{{", "{").replace("}}", "}").replace("{}", name, 1) if "{}" in form else form
    call = g.pick("", f"\n{name}", f"\n{name} x; echo $?", "\ndeclare -F", "\ndeclare -f", f"\nunset -f {name}", f"\ntype {name}", "\nset -o posix; declare -f")
    return read_from(g, g.pick("", "", "set -o posix\n", "shopt -s extglob\n") + made + call + '\necho "end $?"')


@statement("syntax.operators")
def operators(g):
    left, right = g.pick("echo a", "", "(echo a)", "{ echo a; }", "x=1", "f() { :; }", "! true", "time", "if :; then :; fi"), g.pick("echo b", "", "(echo b)", "{ echo b; }", "x=1", "fi", "}", ")", "!", "! true", "done", "# c", "\n\necho b")
    operator = g.pick(";", "&", "&&", "||", "|", "|&", ";;", ";&", ";;&", "& &", "&;", ";&", "&&&", "|||", "||&", "&|", "; ;", "\n;", "\n&&", "\n|", "&&\n", "|\n", "||\n\n", ";\n", "&\n", "|& |", "<>", "<|", ">|", "><", ">>>", "<<<<", ">&|", "&>|", "&>>>", "<&|", "<;", ">;", ">&;", "2>;", "<\n", ">&\n", "<<<;", "<<;", "<< <", "|#", "&#", "(", ")", "()", "((", "))", "{", "}")
    return read_from(g, lines_around(g, f"{left} {operator} {right}"))


@statement("syntax.arrays")
def arrays(g):
    text = g.pick("a=(1 2", "a=(1 ; 2)", "a=(1 & 2)", "a=(1 | 2)", "a=(1 ( 2))", "a=(1 > 2)", "a=(<x)", "a=( # c\n1\n2 )", "a=(\n\n)", "a =(1)", "a= (1)", "a=(1)b", "a=(1)(2)", "a+=(1) b=2", "a[1]=(2)", "a[1]+=(2)", "a=([1]=(2))", "a=([1]=2 [x", "declare a=(1 2", "declare a=(1;2)", "declare -a a=(1 (2))", "echo a=(1 2)", "echo a=( 1", "export a=(1 2)",
                  "readonly a=(1) b=(2); echo ${a[0]}${b[0]}", "local a=(1)", "x=1 a=(2) echo c", "a=(1) echo c", "a=(1) cmd=(2); echo ${cmd}", "eval a=(1 2)", "eval 'a=(1' '2)'; echo ${a[@]}", "alias a=(1)", "let a=(1)", "command declare a=(1)", "builtin declare a=(1 2); echo $a", "env a=(1)", "a=()b", "a=(1)\\\n; echo x", "a=('x\ny' \"z\n\"); echo ${#a[@]}",
                  "a=($(echo 1 2) `echo 3`); echo ${#a[@]}", "a=({1..3}{a,b}); echo ${a[*]}", "a=(if then fi); echo ${a[@]}", "a=(! { } [[); echo ${a[@]}", "a=(x=1 y=(2))", "a=(\\\n1 \\\n2); echo ${a[@]}", "a=(1 2) &", "(a=(1 2)", "a=(1))", "a=((1))", "a=(1 2) b", "typeset -A h=(a b", "h=([a b]=c)", "h=([a]b=c); echo ${h[@]}", "a=([0]=x[1]=y); echo ${a[@]}",
                  "a=([)", "a=([1)", "a=(])", "a=([]=1)", "a=([1]=)", "a=([1]= 2); echo ${a[@]}", "a[1", "a[1 ]=2; echo ${a[1]}", "a[ 1 ]=2; echo ${a[1]}", "a[1]", "a[1] =2", "a[`echo 1`]=2; echo ${a[1]}", "a[$(echo 1; echo)]=2", "a['1']=2", "a[\"1\"]=2; echo ${a[1]}", "a[1]]=2", "a[[1]]=2", "a[b[1]]=2; echo ${a[0]}", "a[1][2]=3")
    return read_from(g, lines_around(g, text))
