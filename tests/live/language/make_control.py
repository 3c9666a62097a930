"""Control flow: compound commands in each other, loops left from odd places, conditional expressions, lists."""
from contexts import inner_shell, same_shell, somewhere
from grammar import statement


def step(g, depth=2):
    how = g.number(0, 13) if depth > 0 else g.number(0, 4)
    inner = lambda: steps(g, depth - 1)
    if how <= 2:
        return g.pick("echo a", "echo b", "echo \"s=$?\"", ":", "true", "false", "x=1", "(exit 3)", "echo $i", "! true", "! false", "[ $i ]", "let 0", "f", "return 4", "set -- p", "shift", "nosuch 2>/dev/null", "((i > 1))", "! ! true", "echo $x $#", "exit 6", "! ! false", "! [[ a ]]", "!", "! !")
    if how <= 4:
        return g.pick("break", "break 2", "continue", "continue 2", "break 9", "[ $i = 2 ] && break", "[ $i = 1 ] && continue", "break 0", "[ $i = 2 ] && continue 2", "eval break", "f2 break", "f2 continue", "(break)", "break | cat", "command break", "break && echo no", "! break", "x=1 break", "eval 'continue 2'", ". ./brk", "break &\nwait", "break > /dev/null", "$(echo break)", "x=$(break; echo in)", "trap break USR1", "return", "f2 return")
    if how == 5:
        return f"if {step(g, depth - 1)}; then\n{inner()}\n" + (f"elif {step(g, 0)}; then\n{inner()}\n" if g.chance(0.4) else "") + (f"else\n{inner()}\n" if g.chance(0.5) else "") + "fi"
    if how == 6:
        return g.pick("while", "until") + f" (( ++n < 12 )) {g.pick('&&', '||')} {g.pick('false', 'true', '[ $n -lt 3 ]', 'break', 'continue')}\ndo (( ++n > 20 )) && exit 9\n{inner()}\ndone"
    if how == 7:
        return "for i in " + g.pick("1 2", "1 2 3", "", "$x", '"$@"', "{1..2}") + f"; do\n{inner()}\ndone"
    if how == 8:
        subject, first = g.pick("a", "b", "$x", "$i", '""'), g.pick("a", "a|b", "(b)", "*", '""', "[12]", "?")
        return f"case {subject} in\n{first}) {inner()} {g.pick(';;', ';&', ';;&')}\n{g.pick('1', 'a', '*', 'b|1')}) {inner()} {g.pick(';;', ';&', ';;&', '')}\nesac"
    if how == 9:
        return g.pick(f"(\n{inner()}\n)", f"{{\n{inner()}\n}}")
    if how == 10:
        return step(g, depth - 1) + g.pick(" && ", " || ", " | ", "; ", " &&\n") + step(g, depth - 1)
    if how == 11:
        return f"g{depth}() {{\n{inner()}\n}}\ng{depth}{g.pick('', ' a b', ' | cat', ' && echo ok', ' || echo nok')}"
    if how == 12:
        return f"for ((k{depth}=0; k{depth}<2; k{depth}++)); do\n{inner()}\ndone"
    return g.pick(f"eval '{inner()}'" if depth < 2 else "eval break", "! { false; }", "! ( exit 2 )", f"x=$(\n{inner()}\n)\necho \"x=$x\"", f"{{\n{inner()}\n}} | cat", f"! {{\n{inner()}\n}}", f"select i in p q; do\n{inner()}\ndone <<< $'1\\n2\\n'")


def steps(g, depth):
    return g.many(1, 3, lambda: step(g, depth), "\n")


@statement("control.nested")
def nested(g):
    return inner_shell(g, "echo break > brk; x=b i=1 n=0; f() { return 2; }; f2() { \"$@\"; echo \"f2 $?\"; }\n" + steps(g, 3) + '\necho "end=$?"', g.pick("", "", " -e", " -o posix", " -x", " -u"))


@statement("control.case")
def cases(g):
    word = g.pick("a", "abc", '"a b"', "''", "$u", "'*'", "\\*", "[a]", "a*", "$v", '"$v"', "~", "$(echo abc)", "-n", "ABC", "é", "$'a\\nb'", "1", "${v}x", "{a,b}", "$((1+1))", "esac", "in", "if", "$@", '"$@"', "<(:)" if g.chance(0.05) else "x")
    pattern = lambda: g.pick("a", "a*", "*", "?", "??", "[a-c]*", "[!a]", '"a b"', "'*'", "\\*", "$p", '"$p"', "a|abc", "''", "~", "@(a|abc)", "!(a)", "+([a-c])", "?(x)a*", "*(a|b)c", "[[:alpha:]]*", "$(echo 'a*')", "\"$(echo 'a*')\"", "in", "if", "-n", "[", "[a", "a]", "$'a\\nb'", "esac" if g.chance(0.1) else "e", "{a,b}", "é", "[é]", "a\\bc", "a'b'c", "1 | 2", "a |\nabc", "*c", "?(a|b)", "@()", "!()", "@(*)", "[[:upper:]]*", "1", "[$v]", "$((1+1))", "\\a", "\"a\"*")
    items = "".join(f"{g.pick('', '(', '( ')}{pattern()}{g.pick('', ' ')}) {g.pick('echo ' + str(i), '', 'false', 'echo ' + str(i) + '; false', '(exit 4)')} {g.pick(';;', ';;', ';&', ';;&', chr(10) + ';;')}{g.pick(' ', chr(10))}" for i in range(g.number(1, 4)))
    return inner_shell(g, g.pick("", "shopt -s extglob\n", "shopt -s nocasematch\n", "shopt -s extglob nocasematch\n", "set -f\n") + f"v=abc p='a*'; set -- 'a b' c\ncase {word} in {items}esac\necho \"$?\"", g.pick("", "", " -O extglob"))


@statement("control.conditional")
def conditional(g):
    operand = lambda: g.pick("a", "abc", '"a b"', "''", "$v", '"$v"', "$u", "$p", '"$p"', "1", "2", "10", "-1", "$i", "i", "x+1", "a*", "'a*'", "out", ".", "nosuch", "\\(", "é", "[a-c]*", "^a", "(a|b)", "a.c", "$re", '"$re"', "b$", "^(a)(b)(c)$", "[[:alpha:]]+", "a{1,2}", "(", "[", "*", "+a", "a**", "\\.", "\"a\".", "a\\ b", "@(a|abc)", "!(b)", "~", "-n", "!", "]]", "==", "&&", "<", "((a))", "a|b", "$((1+1))", "$(echo abc)", "08", "1/0", "1+", "arr[1]", "v", "arr", "$'a\\nb'", "-f", "=", "{a,b}")
    single = lambda: g.pick(f"{operand()}", f"-n {operand()}", f"-z {operand()}", f"{operand()} {g.pick('==', '=', '!=', '<', '>', '=~', '=~', '==')} {operand()}", f"{operand()} {g.pick('-eq', '-ne', '-lt', '-le', '-gt', '-ge')} {operand()}", f"{operand()} {g.pick('-nt', '-ot', '-ef')} {operand()}",
                            f"-{g.pick('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'k', 'p', 'r', 's', 'u', 'w', 'x', 'G', 'L', 'N', 'O', 'S', 'v', 'R', 'o', 'Z', 'q', 't')} {operand()}", f"-o {g.pick('errexit', 'posix', 'nosuch', 'xtrace')}", f"-v {g.pick('v', 'u', 'arr', 'arr[1]', 'arr[9]', 'arr[@]', 'h[k]', 'h[@]', '1', '@', '1a')}", f"-t {g.pick('0', '9', 'x')}", f"-R {g.pick('v', 'ref')}")
    made = single()
    for _ in range(g.number(0, 3)):
        made = g.pick(f"{made} && {single()}", f"{made} || {single()}", f"! {made}", f"( {made} )", f"!( {made} )" if g.chance(0.2) else f"! ( {made} )", f"{made}\n&& {single()}", f"{made} &&\n{single()}", f"({made})")
    return inner_shell(g, "v=abc p='a*' re='^(a)b' i=2 arr=(x y); declare -A h=([k]=v); declare -n ref=v; > out\n" + g.pick("", "shopt -s nocasematch\n", "shopt -s extglob\n", "set -u\n") + f"[[ {made} ]]\necho \"$? ${{BASH_REMATCH[*]}}\"", g.pick("", "", " -e", " -x", " -o posix"))


@statement("control.test")
def tests(g):
    piece = lambda: g.pick("a", "''", "-n", "-z", "=", "==", "!=", "-eq", "-lt", "1", "2", "!", "\\(", "\\)", "-a", "-o", "<", "\\<", "\\>", "-f", "-d", ".", "nosuch", "$v", '"$u"', "$u", "-e", "x", "-nt", "-ef", "-t", "-v", "v", "'('", "a=b", "-", "--", "-Z", "08", "1x", "' 1'", "-1", "]", "[")
    text = g.many(0, 6, piece)
    return inner_shell(g, f"v=abc; {g.pick('test', '[', 'builtin test', 'command [', 'if [')} {text}" + ("" if g.chance(0.05) else " ]") + "\necho $?").replace("test " + text + " ]", "test " + text).replace(f"if [ {text} ]", f"if [ {text} ]; then echo t; fi")


@statement("control.loops")
def loops(g):
    return somewhere(g, g.pick("for i in 1 2 3; do {}; done", "while read i; do {}; done <<< $'1\\n2\\n3'", "for ((i=1;i<4;i++)); do {}; done", "until ((i++ >= 3)); do {}; done", "for i in 1 2; do for j in 1 2; do {}; echo \"in $i $j\"; done; echo out $i; done", "for i in 1 2; do while :; do {}; break; done; echo $i; done", "select i in a b; do {}; done <<< $'1\\n2'",
                              "while {}; do echo body; break; done", "until {}; do echo body; break; done", "if {}; then echo t; else echo e; fi", "for i in 1 2; do ( {} ); echo \"$i $?\"; done", "for i in 1 2; do lf() {{ {}; echo lf; }}; lf; echo $i; done", "for i in 1 2; do eval '{}'; echo $i; done", "for i in 1 2; do {} | cat; echo $i; done",
                              "for i in 1 2; do echo $({}; echo sub); done", "lf() {{ for i in 1 2; do {}; done; echo lf; }}; for j in x y; do lf; done", "for i in 1 2; do case $i in 1) {};; esac; echo $i; done", "for i in 1 2; do if true; then {}; fi; echo $i; done", "for i in 1 2; do {{ {}; }} > /dev/null; echo $i; done", "for i in 1 2; do true && {}; echo $i; done",
                              "for i in 1 2; do ! {}; echo $i; done", "for i in 1 2; do {} || echo or; echo $i; done", "trap '{}' DEBUG; for i in 1 2; do echo $i; done; trap - DEBUG", "trap '{}' ERR; for i in 1 2; do false; echo $i; done", "for i in 1 2; do trap '{}' EXIT; echo $i; done", "for i in 1 2; do . ./brk; echo $i; done").replace("{{", "{").replace("}}", "}").replace(
        "{}", g.pick("break", "continue", "break 1", "break 2", "continue 2", "break 3", "break 0", "continue -1", "break x", "break 1 2", "return", "return 3", "exit 4", "break; echo no", "false", "command break", "builtin continue", "eval break", "break 99", "continue 1; :", "break > nodir/x", "break 2>&1", "x=1 break", "break \"\"", "break $u", "\\break", "break -- 1", "continue --help > /dev/null", "((i==2)) && break"), 1))


@statement("control.functions")
def functions(g):
    body = g.pick("echo \"$FUNCNAME $# $*\"", "local x=in; echo $x; return 3", "g() { echo g; }; g", "return", "false; return", "echo ${FUNCNAME[*]}", "caller 0; caller", "unset -f f; echo still", "f() { echo redefined; }; echo first", "set -- x y; echo $*", "shift; echo $*", "[ $1 -gt 2 ] 2>/dev/null && return; echo $1; f $(( ${1:-0} + 1 ))", "local -a l=(1 2); echo ${l[@]}", "trap 'echo ret' RETURN", "trap 'echo exit' EXIT", "return 256", "return -1", "echo $LINENO",
                  "x=glob; declare -g y=1", "local IFS=,; echo \"$*\"", "local v; echo \"<${v-unset}>\"", "local v=$v; echo $v", "eval 'return 5'; echo no", ". ./ret; echo after $?", "exec 3>&1; echo a >&3", "while :; do return 7; done", "for i in 1; do return; done", "case x in x) return 8;; esac", "(return 9); echo $?", "{ return 2; }", "x=$(return 4; echo no); echo \"$? $x\"", "return | cat; echo $?", "! return 1", "if return 6; then :; fi", "return 3 && echo no", "f2; echo back")
    define = g.pick("f() {{ {}; }}", "function f {{ {}; }}", "f() ( {} )", "f() if true; then {}; fi", "f() for q in 1; do {}; done", "f() case a in a) {};; esac", "f() {{ {}; }} 2>&1", "function f() while ! false; do {}; break; done", "f() until false; do {}; break; done", "f()\n\n{{ {}\n}}").replace("{{", "{").replace("}}", "}").replace("{}", body)
    call = g.pick("f", "f a b", "f 1", "x=pre f a", "f a | cat", "(f a)", "y=$(f a); echo \"$y\"", "f a || echo or", "! f a", "f a && f b", "f a > out; cat out", "f <<< in", "command f", "builtin f", "\\f a", "'f' a", "eval f a b", "if f a; then echo t; fi", "f a & wait $!", "for w in 1 2; do f $w; done", "exec f", "x=1 y=2 f a; echo \"$x$y\"", "f \"a b\" 'c'", "declare -f f; f", "set -e; f; echo here", "FUNCNEST=2; f 1", "type f; f")
    return inner_shell(g, f"echo 'return 3' > ret; f2() {{ caller 0; echo ${{FUNCNAME[*]}}; }}; v=outer; set -- p1 p2\n{define}\n{call}\necho \"$? $* $x $y\"")


@statement("control.pipeline")
def pipelines(g):
    stage = lambda: g.pick("echo a", "cat", "true", "false", "(exit 3)", "{ cat; }", "{ exit 4; }", "read x", "while read l; do echo \"[$l]\"; done", "f", "nosuch 2>/dev/null", "tr a b", "! true" if g.chance(0.05) else "cat", "x=5", "[[ a ]]", "((0))", "if cat; then exit 2; fi", "return 5 2>/dev/null", "cd dir", "export q=1", "exit 7", "sleep 0", "eval 'exit 3'", "time true 2>/dev/null" if g.chance(0.05) else "cat", "wait", "set -- z", "for i in 1; do cat; done", "(cat; false)", "printf 'x\\ny\\n'", "head -n 1", "return 2 2> /dev/null")
    made = g.many(2, 4, stage, g.pick(" | ", "|", " |\n", " |& "))
    return inner_shell(g, "mkdir -p dir; f() { cat; return 6; }\n" + g.pick("", "", "set -o pipefail\n", "shopt -s lastpipe\n", "set -e\n", "set -o pipefail -e\n", "shopt -s lastpipe; set -o pipefail\n") + g.pick("", "! ", "! ! ") + made + g.pick("", " || echo or", " && echo and", " > out") + '\necho "$? ${PIPESTATUS[*]} x=$x q=$q $#"')
