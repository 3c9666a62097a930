"""Errors: what they say, their status, and what they end."""
from contexts import inner_shell, same_shell, somewhere
from grammar import statement, word


def unset_use(g):
    """A use of something that may be unset, as a command."""
    form = g.pick("$u", "${u}", '"$u"', "${#u}", "${u#a}", "${u%%a}", "${u:1}", "${u:1:2}", "${u/a/b}", "${u^}", "${u@Q}", "${u@A}", "${u@a}", "${!u}", "${a[5]}", "${a[@]}",
                  '"${a[*]}"', "$((u))", "$((u+1))", "$1", "$9", "${10}", "$@", '"$*"', "$!", "${u:-x}", "${u-}", "${u:+x}", "${u+}", "${u:=x}", "${u=}", "x$u", "$u$v", "${#a[@]}",
                  "${a[u]}", "${#a[3]}", "${h[k]}", "${h[@]}", "${!a[@]}", "${!h[@]}", "${!u@}", "${!u*}", "${u[0]}", "${u[@]}", "${u[@]:1}", "${@:1:2}", "$#", "$-", "$?", "${#1}",
                  "${1:-d}", "${1+d}", "${u,,}", "${u:u}", "${v:u:1}", "${v/$u/x}", "${v:-$u}", "${v#$u}", "$(echo $u)", "`echo $u`", "${a[$u]}", "$[u]", "${a[-1]}", "${a[1]:0}",
                  "${u@P}", "${u@E}", "${a[@]@Q}", "${u@U}", "${!n}", "${n}", "${#n}")
    return g.pick(f"echo {form}", f"echo a {form} b", f"x={form}", f'x="{form}" true', f"[[ -n {form} ]]", f"[ -n {form} ]", f"case {form} in *) echo c;; esac",
                  f"for i in {form}; do echo i; done", f"cat <<< {form}", f"cat <<T\n{form}\nT", f": > out{form}", f"declare x={form}", f"export x={form}", f"a=(1 {form})", f"a[2]={form}",
                  f"readonly q={form}", f"[[ a == {form} ]]", f"[[ {form} =~ a ]]", f"printf '%s\\n' {form}", f"{form}", f"(echo {form})", f"{{ echo {form}; }}", f"echo {form} | cat",
                  f"echo {form} &\nwait $!", f"eval 'echo {form}'", f"set -- {form}", f"true && echo {form}", f"let 'x={form}'", f"(( x = {form} ))", f"for ((i={form};i<2;i++)); do echo $i; done",
                  f"while [ {form} ]; do break; done", f"return {form}", f"exit {form}", f"test {form} = a", f"alias z={form}", f"unset {form}", f"shift {form}", f"trap {form} EXIT",
                  f"command echo {form}", f"builtin echo {form}", f"! echo {form}", f"cat < <(echo {form})", f"[[ -v u ]] && echo {form}")


@statement("error.nounset")
def nounset(g):
    before = g.pick("", "v=hello\n", "a=(x y)\n", "declare -A h=([k]=v)\n", "declare u\n", "declare -a a\n", "u=\n", "n=u\n", "declare -n n=u\n", "set -- p q\n", "declare -i u\n")
    return somewhere(g, before + "set -u\n" + unset_use(g))


@statement("error.nounset-more")
def nounset_more(g):
    return inner_shell(g, "set -u\n" + same_shell(g, unset_use(g)) + "\nset +u\n" + unset_use(g) + '\necho "end=$?"')


@statement("error.required")
def required(g):
    form = "${" + g.pick("u", "v", "e", "a[3]", "a[@]", "1", "@", "*", "h[k]", "!n", "u[0]", "#", "?", "a[0]") + g.pick(":?", "?") + \
        g.pick("", "msg", "a longer  msg", "$w", '"quoted  msg"', "$(echo sub)", "'x'", "~", "*", "${v}", "a\nb", "$((1+1))", "\\$x") + "}"
    before = g.pick("", "v=hello w='x  y'\n", "e=\n", "a=(x)\n", "n=u\n", "set -- ''\n", "set -u\n", "set -e\n")
    use = g.pick("echo {}", "echo \"{}\"", ": {}", "x={}", "[[ {} ]]", "case {} in x) ;; esac", "for i in {}; do :; done", "cat <<T\n{}\nT", ": $(( {} ))", "> {}", "a=({})", "declare d={}",
                 "readonly d={}", "x={} true", "echo {} | cat", "(echo {}; echo more)", "f() { echo {}; }; f", "cat <<< {}", "{} a", "echo $(echo {})", "eval echo '{}'", "command echo {}")
    return somewhere(g, before + use.replace("{}", form, 1))


@statement("error.readonly")
def read_only(g):
    setup = g.pick("readonly r=1", "declare -r r=1", "readonly r", "readonly -a r=(1 2)", "declare -rA r=([k]=1)", "declare -ri r=5", "readonly -a r", "typeset -r r=x", "declare -rx r=1",
                   "fr() { local -r r=1; $1; }", "declare -rn r=t", "declare -n q=r; readonly r=7", "readonly r=1 s=2", "declare -rl r=ABC")
    use = g.pick("r=2", "r+=2", "r[0]=3", "r[1]+=3", "r=(3)", "r+=(3)", "r=2 true", "r=2 :", "r=2 echo hi", "r=2 fn2", "r=2 /bin/echo hi", "r=2 eval 'echo in'", "r=2 export x", "x=1 r=2 y=3",
                 "unset r", "unset -v r", "unset 'r[0]'", "declare r=2", "declare r", "declare +r r", "declare -i r", "typeset r=2", "local r=2", "export r=2", "export r", "export -n r",
                 "readonly r=2", "readonly r", "for r in a b; do echo $r; done", "for ((r=0;r<2;r++)); do echo $r; done", "read r <<< x", "read -a r <<< 'x y'", "read x r <<< 'x y'",
                 "printf -v r x", "printf -v 'r[1]' x", "mapfile r <<< x", "mapfile -t r <<< x", "getopts a r -a", "getopts a: r -a b", "let r=2", "let r++", "(( r = 2 ))", "(( r++ ))",
                 "echo $(( r = 2 ))", "echo $((r++))", "echo ${r:=z}", "echo ${r=z}", "select r in a; do break; done <<< 1", "exec {r}> out", "f2() { local r; r=3; echo $r; }; f2",
                 "f2() { local r=3; echo $r; }; f2", "f2() { declare -g r=4; echo $r; }; f2", "q=2", "wait -p r $!", "r=2; echo same line", "true && r=2; echo same", "r=2 || echo or",
                 "if r=2; then echo t; else echo f; fi", "declare -a r", "declare -A r", "declare -n r", "declare -g r=1", "unset -n r", "[[ $r ]] && r=1", "cat <<< ${r:=2}", "! r=2",
                 "export -p | grep -c ' r='", "unset x r y", "declare x=1 r=2 y=3; echo $x$y", "local x r=1", "export x=1 r=2 y=3; echo $x$y", "eval r=2", "command r=2", "r=$(echo 2)", "r=2 > out",
                 "r=2 < missing", "((r+=1, x=2)); echo $x", "a[r=3]=1", "echo ${a[r++]}", "declare -p r", "readonly -p | grep ' r'", "OPTIND=1 getopts r r", "r=9 command true", "r=9 exec true",
                 "coproc r { :; }", "r() { :; }; echo fn", "read -r -d '' r <<< x", "read -p '' r < /dev/null", "{ r=2; } 2>/dev/null", "r=2 2>/dev/null", "f3() { r=1; echo not; }; f3; echo after f3",
                 "fr 'eval r=2'", "fr 'eval local r=2'", "fr 'unset r'")
    return somewhere(g, setup + "\nfn2() { echo \"fn2 $r\"; }\n" + use)


@statement("error.readonly-special")
def readonly_special(g):
    name = g.pick("UID", "EUID", "PPID", "BASHOPTS", "SHELLOPTS", "BASH_VERSINFO")
    use = g.pick("{n}=1", "unset {n}", "declare {n}=2", "export {n}=2", "local {n}=1", "for {n} in 1; do :; done", "read {n} <<< 1", "(( {n} = 3 ))", "{n}=1 true", "printf -v {n} 1", "{n}+=1",
                 "readonly {n}", "{n}[0]=1", "{n}=(1)", "declare +r {n}")
    return somewhere(g, use.replace("{n}", name))


@statement("error.bad-substitution")
def bad_substitution(g):
    form = g.pick("${}", "${ }", "${a b}", "${-a}", "${a-b", "${1a}", "${a.b}", "${a+}", "${/a}", "${a/}", "${a//}", "${a:}", "${a::}", "${a:::}", "${a:1:2:3}", "${a@}", "${a@Z}", "${a@QQ}",
                  "${a@ }", "${#a#b}", "${#a:1}", "${#a/b}", "${#}", "${#:}", "${##}", "${#-}", "${!}", "${!!}", "${!a b}", "${a!b}", "${a$b}", "${$a}", "${'a'}", "${\"a\"}", "${a[}", "${a[]}", "${a[1}",
                  "${a[1]x}", "${a[1]]}", "${[1]}", "${@[1]}", "${*x}", "${@@}", "${@@Q}", "${*@Z}", "${%a}", "${^a}", "${a^^^}", "${a,,,x}", "${a~}", "${a~~}", "${a<b}", "${a>b}", "${a;b}", "${a|b}",
                  "${a&b}", "${(a)}", "${a=}", "${1=x}", "${1:=x}", "${@:=x}", "${*=x}", "${#=x}", "${?:=x}", "${a[@]=x}", "${a[*]:=x}", "${a[@]:?x}", "${!a[@]x}", "${!a@x}", "${!a*x}", "${!1}", "${!@}",
                  "${!*}", "${!#}", "${!?}", "${!$}", "${!-}", "${a:x y}", "${a:1x}", "${a: -}", "${a:$}", "${a:(}", "${a[1 2]}", "${a[1+]}", "${a[$]}", "${a[+]}", "${a[-9]}", "${a[0x]}", "${éa}", "${0a}",
                  "${00}", "${01}", "${99999999999999999999}", "${a[@]:1:-1}", "${@:1:-1}", "${a:0:-9}", "${v: -9:1}", "${v:1:-9}", "${!v-}", "${!v}", "${!e}", "${!e:-x}", "${!undef}", "${!undef:-x}",
                  "${!undef@Q}", "${#!}", "${#?}", "${#$}", "${#@}", "${#*}", "${#*x}", "${#1}", "${#0}", "${#1x}", "${v@Q}", "${v@q}", "${v@A }", "${v@UU}", "${ v}", "${v }", "${\tv}", "${\nv}", "${v\n}",
                  "${{v}", "${v}}", "${+v}", "${.v}", "${,v}", "${=v}", "${:v}", "${~v}", "${v#", "${!v[", "${v[@", "${#v[@]}", "${#v[@]x}", "${#v[", "${!x1 }", "${!2abc}", "${!a.b}")
    quote = g.pick("", "", '"')
    before = g.pick("", "a=(x y z) v=hello\n", "v='a b' e=\n", "v=1x\n", "set -- 'a b' 2\n", "set -u\n", "declare -A a=([x]=1)\n")
    use = g.pick("echo {}", "echo a {} b; echo same line", "x={}", "x={}; echo same", "[[ {} ]]", "case {} in x) ;; esac", "for i in {}; do echo $i; done", "cat <<T\n{}\nT", ": $(( {} ))", "a=({})",
                 "declare d={}", "{}", "x={} true", "cat <<< {}", "echo $(echo {})", "> out{}", "echo `echo {}`", "printf '<%s>' {}", "(echo {})", "f() { echo {}; }; f", "eval 'echo {}'")
    return somewhere(g, before + use.replace("{}", quote + form + quote, 1))


@statement("error.not-found")
def not_found(g):
    # not dir, which is a command of some machines
    name = g.pick("nosuchcmd", "./nosuch", "nodir/x", "./adir", "adir/", "adir", "/", "./plain", "plain/x", "./empty", "''", '""', "./noexec", "'a b'", "$'x\\ny'", "'\\a'", ".", "..", "./", "~", "~/x", "-x",
                  "--", "1", "a=b=", "$u", '"$u"', "$(:)", "'no\tsuch'", "$'\\xff'", "élan", "./dangling", "./loop", "noslash.sh", "x/../y", "%1x", "*", "[x]", "]", "}x", "{", "'if'", "\\then", "'{'",
                  "./binary", "./badint", "./dirint", "./noint", "./shebang")
    setup = ("mkdir -p adir; echo 'echo plain $0 $#' > plain; chmod +x plain; : > empty; chmod +x empty; echo x > noexec; ln -sf nowhere dangling; ln -sf loop loop; "
             "printf '\\0\\1\\2' > binary; chmod +x binary; printf '#!/no/such/int\\necho x\\n' > badint; chmod +x badint; printf '#!./adir\\necho x\\n' > dirint; chmod +x dirint; "
             "printf '#!\\necho noint\\n' > noint; printf '#! /bin/bash -u\\necho \"$0 $- $1\"\\n' > shebang; chmod +x noint shebang")
    how = g.pick("{}", "{} arg", "command {}", "exec {}", "exec {} x", "builtin {}", "x=1 {}", "{} | cat", "{} &\nwait $!", ". {}", "source {}", "source {} arg", "type {}", "command -v {}", "command -V {}",
                 "hash {}", "! {}", "{} > out", "(exec {})", "exec {} || echo or", "bash {}", "bash -c {}", "eval {}", "trap {} EXIT", "cd {}", "PATH= {}", "PATH=. {}", "PATH=./adir {}", "cat {}", "type -p {}",
                 "type -a {}", "type -t {}", "hash -p /x {}", "enable {}", "command -p {}", "cat < {}", "echo > {}", "echo >> {}", "exec < {}", "exec 3< {}", "shopt -s execfail\nexec {}\necho still",
                 "set -e\n{}", "command exec {}", "{} 2>&1", "command_not_found_handle() { echo \"handler <$*>\"; return 5; }\n{}", "f() { {}; }; f", "unset {}", "unalias {}", "pushd {}", "help {}",
                 "fg {}", "wait {}", "shift {}", "return {}", "break {}", "let {}", "read {} < /dev/null", "getopts a {}", "printf -v {} x", "mapfile {} < /dev/null",
                 "declare {}", "export {}", "readonly {}", "local {}", "declare -n {}", "declare -f {}", "shopt {}", "shopt -o {}", "set -o {}", "umask {}", "kill -l {}", "test {}", "[ {}", "[ {} ]")
    return somewhere(g, setup + "\n" + how.replace("{}", name, 1))


@statement("error.usage")
def usage(g):
    name = g.pick("cd", "pwd", "echo", "printf", "read", "export", "readonly", "declare", "typeset", "local", "unset", "set", "shopt", "shift", "return", "exit", "break", "continue", "eval", ".", "source",
                  "exec", "command", "builtin", "type", "hash", "alias", "unalias", "trap", "wait", "jobs", "fg", "bg", "kill", "disown", "getopts", "let", "test", "[", "mapfile", "readarray", "dirs", "pushd", "popd",
                  "umask", "ulimit", "true", "true", "false", ":", "enable", "help", "history", "fc", "caller", "suspend", "logout", "compgen", "complete", "compopt", "bind")
    argument = g.pick("-Z", "--zzz", "--nosuch", "-9", "-", "--", "-- -x", "+Z", "a b c", "1 2 3", "-1", "abc", "''", "1x", "0x1", "9999999999999999999", "-p", "-p x", "-o nosuch", "-s", "-d", "-n", "-u", "-t",
                      "-i", "-a", "-f", "-l", "-r", "-c", "-v", "-N", "-P", "-L", "x=1", "1=2", "a.b=1", "-x=1", "=", "a-b", "$", "%9", "%x", "%%", "-e -Z", "-Z -e", "-fv x", "-aA x", "-n x", "-g", "2", "256", "-- 1",
                      "a=(1", "'a b'", "x y=2", "-A", "*", "~", "", "-p -Z", "-o", "+o", "-h", "-?", "--help-me", "-xx", "-ab", "9 9", "1 x", "-I", "-k", "-q", "nosuch", "-c nosuch", "a[1]", "a[", "a[]", "a[1]=")
    if name in ("suspend", "kill", "fc", "bind", "ulimit", "times"):
        argument = g.pick("-Z", "--zzz", "-- -x", "+Z")
    if name == "set" and argument == "-r":  # a restricted shell
        argument = "-k"
    stdin = " < /dev/null" if name in ("read", "mapfile", "readarray", "exec", ".", "source") else ""
    return somewhere(g, f"{name} {argument}{stdin}")


@statement("error.errexit")
def errexit(g):
    fail = g.pick("false", "(exit 3)", "return 4", "! true", "! false", "false | true", "true | false", "nosuchcmd", "[[ a == b ]]", "(( 0 ))", "x=$(false)", "x=$(exit 7)", "echo $(false)", "local x=$(false)",
                  "declare x=$(false)", "export x=$(false)", "let 0", "test a = b", "false && true", "true && false", "false || false", "false || true", "{ false; }", "{ false; echo in; }", "( false; echo in )",
                  "f", "f && echo and", "f || echo or", "if f; then echo t; fi", "while f; do break; done", "until f; do break; done", "! f", "eval false", "eval 'false; echo in'", "command false", "builtin false",
                  "x=$(f)", "x=$(false; echo a)", "echo $(f; echo a)", "for i in 1 2; do false; echo $i; done", "for i in 1; do false && true; done", "case a in a) false;; esac", "case a in a) false; echo in;; esac",
                  "f | cat", "cat < nosuch", "> dir/x/y", "read x < /dev/null", "true; false; true", "false &", "false & wait %1", "wait 99999", "cd nosuch", ". ./nosuch", "shift 5", "(f)", "( f; echo in ) || echo or",
                  "g2() { f; echo g2; }; g2", "g2() { f; echo g2; }; g2 || echo or", "if ! f; then echo n; fi", "[ 1 -eq 2 ]", "[[ a ]] && false", "((1)) && ((0))", "trap 'false; echo t' EXIT", "x=`false`", "a=(1 $(false))",
                  "a[$(false)0]=1", "set +e; false; set -e; echo on", "{ false; } || true", "( set +e; false; echo in )", "f() { set +e; false; echo in; }; f; false; echo out", "if false; then :; fi", "while false; do :; done",
                  "false || { false; echo in; }", "true | ( false; echo in )", "echo a | while read x; do false; echo $x; done", "grep a /dev/null", "[[ a =~ ( ]]", "echo $((1/0))", "unset r", "r=1", "cat <(false)",
                  "coproc false; wait", "false | false | true", "select x in a; do false; done <<< 1", "(( x = 0 ))", "set -o pipefail; false | true", "set -o pipefail; true | false | true", "exec 9<&8",
                  "x=1 false", "x=$(false) true", "x=$(false) y=$(true)", "y=$(true) x=$(false)", "getopts a z", "alias nosuch", "type nosuch", "command -v nosuch", "hash nosuch", "break", "unalias q", "export 1a", "printf %d x",
                  "for ((i=0;i<1;i++)); do false; done", "until true; do false; done", "while ! true; do :; done", "if true; then false; fi", "if true; then false; else true; fi", "if false; then :; else false; fi")
    before = g.pick("", "", "shopt -s inherit_errexit\n", "set -o pipefail\n", "trap 'echo \"err $? $LINENO\"' ERR\n", "set -E\ntrap 'echo \"err $?\"' ERR\n", "trap 'echo \"exit $?\"' EXIT\n", "set -o posix\n", "set -u\n",
                    "trap 'echo err $BASH_COMMAND' ERR\n")
    function = g.pick("f() { false; echo f; }", "f() { return 3; }", "f() ( false; echo f )", "f() { (exit 5); echo f; }", "f() { false | true; false || true; false; }", "f() { local x=$(false); echo f; false; }",
                      "f() { set -e; false; echo f; }", "f() if false; then :; fi", "f() { trap 'echo ret' RETURN; false; echo f; }", "f() { eval false; echo f; }", "f() { [[ $1 ]] && echo x; }")
    place = same_shell(g, fail) if g.chance(0.6) else fail
    return inner_shell(g, f'mkdir -p dir; readonly r=0; {function}\n{before}set -e\n{place}\necho "reached $?"')


@statement("error.names")
def names(g):
    name = g.pick("1a", "a-b", "a.b", "a b", "", "é", "a+b", "-x", "a=b", "a[", "a[]", "a[1", "a[1]x", "[1]", "a[1][2]", "a]", "a[-1]", "a[-5]", "a[x y]", "a[1/0]", "a[@]", "a[*]", "@", "*", "#", "?", "!", "$", "-", "_",
                  "a/b", "a:b", "a%", "%a", "1", "0", "a'b", 'a"b', "a\nb", "a\tb", "if", "function", "a[$(echo 1)]", "a[\"k\"]", "a[k", "ab\\", "~", "{a}", "a,b", "(a)")
    quoted = "'" + name.replace("'", "'\\''") + "'"
    use = g.pick("export {}", "export {}=1", "readonly {}", "readonly {}=1", "declare {}", "declare {}=1", "typeset -i {}=1", "local {}=1", "lf() { local {}; local {}=2; }; lf", "unset {}", "unset -v {}", "unset -f {}",
                 "read {} <<< x", "read -a {} <<< x", "printf -v {} %s x", "mapfile {} <<< x", "getopts a {} -a", "declare -n {}=x", "declare -n n={}", "declare -A {}", "declare -a {}", "let {}=1",
                 "echo $(( {} ))", "[[ -v {} ]]", "test -v {}", "wait -n -p {}", "alias {}=x", "alias {}", "unalias {}", "hash {}", "declare -p {}", "declare -f {}", "export -f {}",
                 "declare -x {}", "declare +x {}", "export -n {}", "type {}", "exec {}", "set -o {}", "shopt -s {}", "trap : {}", "kill -l {}", "n={}; echo ${!n}", "n={}; declare \"$n=5\"", "n={}; printf -v \"$n\" 5",
                 "declare -g {}=1", "declare -i {}", "declare -t {}", "readonly -f {}", "declare -fr {}", "compgen -v {}", "command {}=1", "cd {}", "umask {}", "shift {}")
    return somewhere(g, use.replace("{}", quoted))


@word("error.silent")
def silent(g):
    """Words that fail quietly and give nothing or little."""
    return g.pick('"$(nosuchcmd 2>/dev/null)"', '"$(exit 3)"', '"$( (echo ${u:?x}) 2>/dev/null)"', '"$(echo $((1/0)) 2>/dev/null)"', '"$(set -u; echo $nou 2>/dev/null)"', "$(false)", "`exit 2`")


@statement("error.control-outside")
def control_outside(g):
    use = g.pick("return", "return 3", "return x", "return 1 2", "return -1", "return 256", "return 99999999999", "break", "break 0", "break -1", "break x", "break 1 2", "continue", "continue 0", "continue x", "continue 2", "break 99",
                 "exit x", "exit 1 2", "exit -1", "exit 256", "exit ''", "return ''", "break ''", "shift x", "shift -1", "shift 99", "shift 1 2", "shift ''", "local x", "local", "local x=1", "caller", "caller 0", "caller x",
                 "caller 99", "logout", "return 0x10", "return 010", "exit 0x10", "exit ' 3'", "exit '3 '", "exit +3", "return +3", "exit 3 > nodir/x", "exit --", "exit -- 4", "return -- 4", "break -- 1", "exit -x", "exit --help > /dev/null",
                 "unset -f nof", "unset -fv x", "wait x", "wait 1x", "wait %5", "wait -n 99999", "fg", "bg", "fg %1", "disown", "disown %3", "jobs %4", "kill %7", "kill -l 999", "kill -l x", "kill x", "kill -NOSUCH $$", "kill", "trap x", "trap x y",
                 "trap - NOSUCH", "trap '' 999", "trap -l x > /dev/null", "umask 999", "umask u=q", "umask x", "umask -S 22", "getopts", "getopts a", "read -t x v < /dev/null", "read -n x v < /dev/null", "read -u 77 v", "read -u x v", "read -d '' -n -1 v < /dev/null",
                 "printf", "printf %d abc", "printf %q", "printf %z 1", "printf '%d\\n' 1x", "printf '%d' 99999999999999999999", "printf %", "printf '%5'", "printf -v", "printf -v x", "printf '\\x' ; echo", "printf '\\u'; echo", "echo -e '\\x'",
                 "test 1 -eq", "test 1 2", "test 1 2 3", "test a -eq 1", "test 1 -eq a", "test -z a b", "test a b c d e", "test '(' a", "[ a", "[ a = ]", "[ = a ]", "[ a ] ]", "[ ! ]", "[ -f ]", "[ -f a b ]", "[ a -foo b ]", "[ 1 -lt 2x ]",
                 "[ -t x ]", "[ -v ]", "[ a -a ]", "[ a -o ]", "[ '(' ]", "[ '(' ')' ]", "let", "let ''", "let 1+", "let 'a b'", "builtin", "builtin nosuch", "builtin ls", "command", "command -x", "exec -a", "exec -a x", "exec -z true", "eval -x", "eval --", ". ", ".",
                 "source", "source -x", "hash -d nosuch", "hash -t nosuch", "hash -t", "hash -d", "hash nosuch1 nosuch2", "enable nosuch", "enable -d echo", "enable -f x y", "shopt -s nosuch", "shopt nosuch", "shopt -q nosuch", "shopt -su a", "set -o nosuch", "set +o nosuch",
                 "set -Z", "set -o", "unalias", "unalias nosuch", "alias nosuch", "alias 'a b=c'", "alias a/b=c", "dirs +9", "pushd", "pushd +5", "popd", "popd +1", "cd a b", "cd nosuch", "cd ''", "cd -", "cd -x", "OLDPWD= cd -", "HOME= cd", "unset HOME; cd", "unset OLDPWD; cd -",
                 "CDPATH=nosuch cd x", "mapfile -n x a < /dev/null", "mapfile -u 99 a", "mapfile -O -1 a < /dev/null", "mapfile -C", "complete -x", "complete -A nosuch x", "compgen -A nosuch", "compgen -Z", "compopt -o x", "declare -q", "declare -A a=1; a[]=2", "declare -a a=([x y]=1)",
                 "declare -A a=(1 2 3); declare -p a", "declare -A a; a=(k)", "declare -A h=(x); echo ${#h[@]}", "a[-1]=5", "a=(1); a[-2]=5", "unset 'a[-3]'", "declare -n n=n", "declare -n a b=c d", "declare -n x=1a", "declare -i x=1+", "declare -i x='a b'", "x=1; declare -n x", "nameref=x; unset -n q",
                 "declare -A h; declare -a h", "declare -a h; declare -A h", "a=1; declare -A a", "local -n", "readonly -x", "export -f nofn", "export -p x", "typeset -f nofn", "help nosuch", "type", "type -Z", "type nosuch nosuch2", "times -x", "ulimit -Z", "ulimit -n x", "fc -l x", "history -x", "history x", "bind -Z", "caller -x")
    return somewhere(g, use)
