"""Redirections: every form, on every kind of command, in good and bad order."""
from contexts import inner_shell, same_shell, somewhere
from grammar import statement


def target(g):
    return g.pick("out", "out", "out2", "./out", "dir", "nodir/x", "''", '""', "$u", '"$u"', "$two", '"$two"', "*", "no*match", "{p,q}", '"a b"', "$(echo out)", "`echo out`", "/dev/null", "out$v", "${u:-out}", "ro", "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/9", "out",
                  "${arr[@]}", "\"${arr[@]}\"", "$empty", "$'out'", "~/out", "-", "&", "out\\ x", "in", "noread", "x/", "in/x", "loop")


def descriptor(g):
    return g.pick("", "", "", "1", "2", "0", "3", "4", "7", "9", "10", "{fd}", "{fd}", "{a[1]}", "{1x}", "{ro}", "{}", "01", "255", "1023")


def redirection(g):
    how = g.number(0, 9)
    if how <= 3:
        return descriptor(g) + g.pick(">", ">>", ">|", "<", "<>", ">", ">>", "<") + g.pick("", " ") + target(g)
    if how <= 6:
        # A {name} for a descriptor that an expansion names and that is not open: bash's message has bytes of memory it gave back as a number.
        fd = descriptor(g)
        unopened = () if fd.startswith("{") else ('"$u"', "''", "99999999999999999999")
        return fd + g.pick(">&", "<&") + g.pick("", "", " ") + g.pick(*unopened, "1", "2", "0", "-", "3", "4", "9", "3-", "1-", "9-", "$v", "$n", "$m", "$u", "${n}-", "out", "x1", "1x", "-1", "99", "256", "$(echo 1)", "- ", "1 2", "--", "$fd", "\"$two\"", "*", "01")
    if how == 7:
        return g.pick("&>", "&>>") + g.pick("", " ") + target(g)
    if how == 8:
        return descriptor(g) + "<<<" + g.pick("", " ") + g.pick("word", "$v", '"a  b"', "''", "$two", "~", "{a,b}", "*", "$(echo x)", "$'a\\nb'", "a b", '"$two"', "${arr[@]}", '"${arr[*]}"', "$((1+1))", "`echo y`")
    return g.pick("2>&1 >out", ">out 2>&1", "2>&1 1>&2", "3>&1 1>&2 2>&3", "3>&1 1>&2 2>&3-", "3<in <&3", "3<&0 <in", ">&2 2>/dev/null", "2>/dev/null >&2", "<in >out", "> out < out", ">>out >>out2", ">out >out2", "<in <in2", "3>out >&3", "3>out >&3-", "3>out 4>&3 >&4 3>&-", "9>&- 8<&-", "1>&-", "2>&-", "0<&-", "<&- >&-", "3<>out")


def command(g, redirections):
    body = g.pick("echo hi", "cat", "cat; echo err >&2", "echo hi; echo err >&2", "read x; echo \"<$x>\"", "echo a >&3", "cat <&3", "echo err >&2", ":", "true", "false", "printf 'x\\ny\\n'", "echo $v; read y")
    simple = body.split(";")[0]
    return g.pick(f"{simple} {redirections}", f"{redirections} {simple}", f"{redirections}", f"{{ {body}; }} {redirections}", f"( {body} ) {redirections}", f"if true; then {body}; fi {redirections}", f"if false; then :; else {body}; fi {redirections}",
                  f"for i in 1 2; do {body}; done {redirections}", f"for ((i=0;i<2;i++)); do {body}; done {redirections}", f"while read -r l; do echo \"$l\"; done {redirections}", f"while :; do {body}; break; done {redirections}",
                  f"until false; do {body}; break; done {redirections}", f"case x in x) {body};; esac {redirections}", f"select x in a; do {body}; break; done {redirections}", f"[[ a == a ]] {redirections}", f"(( 1 )) {redirections}",
                  f"f() {{ {body}; }} {redirections}\nf", f"f() {{ {body}; }}\nf {redirections}", f"f() ( {body} ) {redirections}\nf; f", f"exec {redirections}\n{body}", f"eval '{body}' {redirections}", f". ./in {redirections}", f"command {simple} {redirections}",
                  f"builtin echo x {redirections}", f"x=1 {redirections}\necho \"x=$x\"", f"x=$(echo sub) {redirections} true", f"export x=1 {redirections}\necho \"x=$x\"", f"! {simple} {redirections}", f"{simple} {redirections} | cat", f"echo in | {simple} {redirections}",
                  f"{simple} {redirections} && echo and || echo or", f"out=$({simple} {redirections})\necho \"<$out>\"", f"{simple} {redirections} &\nwait $!", f"function g2 {{ {body}; }} {redirections}; g2 2>&1", f"set -- {redirections} a b; echo $#", f"shift {redirections}", f": {redirections}",
                  f"coproc {{ {body}; }} {redirections}\nwait", f"cat <({simple} {redirections})", f"command exec {redirections}\n{body}", f"read x {redirections}; echo \"$x\"", f"trap 'echo bye' EXIT {redirections}", f"return {redirections}", f"unset x {redirections}", f"exit 3 {redirections}")


SETUP = ("v=val n=1 m=2 empty= two='a b' arr=(o1 o2); readonly ro=1; printf 'in1\\nin2\\n' > in; echo second > in2; mkdir -p dir; : > ro; chmod 400 ro; : > noread; chmod 200 noread; ln -sf loop loop")


def look(g):
    return "\nfor q in out out2 outval 'a b' a p x1 o1; do [ -f \"$q\" ] && { echo \"== $q\"; cat \"$q\"; }; done"


def prefix(g):
    return g.pick("", "", "", "set -C\n", "set -C; echo old > out\n", "echo old > out\n", "exec 3> out3\n", "exec 3< in\n", "set -o posix\n", "set -e\n", "set -u\n", "exec 4>&1\n", "trap 'echo exit' EXIT\n", "exec {fd}> out3\n", "shopt -s nullglob\n", "set -f\n", "shopt -s failglob\n", "set -x\n", "trap 'echo err' ERR\n", "shopt -s varredir_close\n")


@statement("redirect.forms")
def forms(g):
    return inner_shell(g, SETUP + "\n" + prefix(g) + command(g, redirection(g)) + '\necho "next=$?"' + look(g))


@statement("redirect.several")
def several(g):
    return inner_shell(g, SETUP + "\n" + prefix(g) + command(g, g.many(2, 3, lambda: redirection(g))) + '\necho "next=$?"' + look(g))


@statement("redirect.places")
def places(g):
    return inner_shell(g, SETUP + "\n" + prefix(g) + same_shell(g, command(g, redirection(g))) + look(g))


@statement("redirect.exec")
def exec_chain(g):
    steps = g.many(2, 5, lambda: g.pick("exec 3>out", "exec 3>&1", "exec 3>&-", "exec 4<in", "read -u 4 x; echo \"$x\"", "echo three >&3", "exec 4<&-", "exec 5<>out", "echo five >&5", "read -u 5 y; echo \"$y\"", "exec >out2", "exec >&2", "exec 1>&3", "exec 3>&1 >out2", "exec >&3 3>&-", "echo plain", "echo err >&2",
                                        "exec 2>&1", "exec 2>/dev/null", "exec {fd}>out", "echo fd >&$fd", "exec {fd}>&-", "exec {fd}<in", "read -u $fd z; echo \"$z\"", "exec {fd}<&$fd", "echo $(( fd >= 10 ))", "exec 6<&4-", "cat <&6", "exec <in", "read l; echo \"l=$l\"", "exec 0<&-", "{ echo grp; } >&3", "f() { echo f >&3; }; f", "(exec 3>&-; echo sub >&3)",
                                        "exec 3>>out", "exec 3<<E\nhere $v\nE", "exec 3<<< \"str $v\"", "cat <&3", "echo a | cat >&3", "exec 9>&3-", "echo nine >&9", "exec nosuch 3>out", "exec 3>nodir/x", "exec 3<missing", "command exec 3<missing", "exec 3>&8", "exec {ro}>out", "exec {n}>out; echo ok", "unset fd", "exec {fd}>&1 {fd2}>&2; echo two >&$fd; echo e >&$fd2"), "\n")
    return inner_shell(g, SETUP + "\n" + steps + '\necho "next=$?" >&2' + look(g))


def here_document(g):
    quoted = g.pick("", "", "'", '"', "\\", "-", "-'")
    word = g.pick("EOT", "E", "_x", "a.b", "eof", "E1", "if", "done", "}", "x-y")
    dash = "-" if quoted.startswith("-") else ""
    quote = quoted.strip("-")
    opened = {"": word, "'": f"'{word}'", '"': f'"{word}"', "\\": "\\" + word}[quote]
    line = lambda: g.pick("", "\t", "\t\t", " ") + g.pick("plain", "$v", "${v}", "\\$v", "$(echo sub)", "`echo bq`", "\\`x\\`", "\"quoted $v\"", "'single $v'", "$((1+2))", "a\\\nb", "\\\\", "\\n", "$", "$ x", "${u:-def}", "${u:-'q'}", "${u:-\"q\"}", "\"", "'", "`echo \"a b\"`", "$'a'", "$\"a\"", "~", "*", "{a,b}", "!", "#c", "${v//l/L}", "${arr[@]}", "$1 $# $@",
                                                           "x" + word, word + "x", " " + word, "\\" + word, "", "${v:+a\nb}", "$(cat <<I\ninner\nI\n)", "\\\"", "\\'", "\\a\\t", "a \\\\$v", "$(( v ))", "$[1+1]", "é日", "\\\ttab", "<<X", "$(echo ')')", "${u-}}", "$(echo \"in $v\")")
    body = "".join(line() + "\n" for _ in range(g.number(0, 4)))
    return f"<<{dash}{g.pick('', ' ')}{opened}", body + g.pick("", "", "", "\t" if dash else "") + word


@statement("heredoc.forms")
def heredocs(g):
    opened, body = here_document(g)
    use = g.pick(f"cat {opened}\n{body}", f"cat {opened} | cat\n{body}", f"cat {opened}; echo same\n{body}", f"{opened} cat\n{body}", f"(cat; echo x) {opened}\n{body}", f"while read -r l; do echo \"[$l]\"; done {opened}\n{body}", f"f() {{\ncat {opened}\n{body}\n}}\nf; declare -f f", f"x=$(cat {opened}\n{body}\n)\necho \"$x\"",
                 f"cat {opened} && echo and\n{body}", f"if true; then cat {opened}\n{body}\nfi", f"for i in 1 2; do cat {opened}\n{body}\ndone", f"cat 3{opened} <&3\n{body}", f"{{ cat; }} {opened}\n{body}", f"cat {opened} > out; cat out\n{body}", f": {opened}\n{body}", f"read -r a b {opened}; echo \"<$a><$b>\"\n{body}", f"{opened}\n{body}",
                 f"case x in x) cat {opened};;\n{body}\nesac", f"cat {opened} &\n{body}\nwait", f"echo \"$(cat {opened}\n{body}\n)\"", f"mapfile a {opened}; echo ${{#a[@]}}; printf '<%s>' \"${{a[@]}}\"\n{body}", f"f() {{ cat; }} {opened}\n{body}\nf", f"eval 'cat {opened}\n{body}'" if "'" not in opened + body else f"cat {opened}\n{body}", f"`cat {opened}\n{body}\n`")
    return inner_shell(g, g.pick("v=val arr=(a 'b c')\n", "v='x  y'\n", "set -u; v=1\n", "set -x\n", "v='$(echo no)' arr=()\n") + use + '\necho "next=$?"').replace("END", "STOP")


@statement("heredoc.several")
def several_heredocs(g):
    made = [here_document(g) for _ in range(2)]
    opened, bodies = [m[0] for m in made], "\n".join(m[1] for m in made)
    use = g.pick(f"cat {opened[0]}; cat {opened[1]}\n{bodies}", f"cat {opened[0]} {opened[1]}\n{bodies}", f"cat {opened[0]} && cat {opened[1]}\n{bodies}", f"cat {opened[0]} | cat - /dev/fd/3 3{opened[1]}\n{bodies}", f"cat 3{opened[0]} 4{opened[1]} <&3; \n{bodies}", f"(cat {opened[0]}; cat) {opened[1]}\n{bodies}",
                 f"if cat {opened[0]}; then cat {opened[1]}; fi\n{bodies}", f"f() {{ cat {opened[0]}; cat {opened[1]}\n{bodies}\n}}; f; declare -f f")
    return inner_shell(g, "v=val arr=(a 'b c')\n" + use + '\necho "next=$?"').replace("END", "STOP")


@statement("redirect.errors")
def errors(g):
    bad = g.pick("< missing", "> nodir/x", "> dir", "<&9", ">&9", "< $u", "> $two", "< ''", "2>&8", "{ro}> out", "{1a}> out", "<> dir", ">> dir", "< dir", "&> dir", "< noread", "> ro", ">&$u", ">&$two", "<&x", "3>&7-", "< *", ">| dir", "<<< ${u?none}", "> ${u?none}", "> $((1/0))", "> ${a b}", "<&-1", "< loop", "< in/x")
    use = g.pick("echo x {}", ": {}", "eval echo x {}", "exec {}", "export x=1 {}", "readonly q=1 {}", "set -- a {}", "shift {}", "unset v {}", ". ./in {}", "return {}", "exit 5 {}", "break {}", "continue {}", "trap - EXIT {}", "times {}", "true {}", "cat {}", "nosuchcmd {}", "{{ echo x; }} {}", "( echo x ) {}", "if true; then echo x; fi {}", "while true; do break; done {}",
                 "for i in 1; do echo x; done {}", "case x in x) echo x;; esac {}", "[[ a ]] {}", "(( 1 )) {}", "f() {{ echo x; }} {}\nf", "fx {}", "x=5 {}", "x=5 : {}", "x=5 echo a {}", "{}", "command : {}", "command exec {}", "builtin : {}", "! echo x {}", "echo a | cat {}", "echo a {} | cat", "coproc cat {}", "echo x {} &\nwait $!", "read y {}", "cd {}", "local z {}", "for i in 1 2; do break {}; done", "until [ ] {}; do break; done")
    return inner_shell(g, SETUP + "\nfx() { echo fx; }\n" + g.pick("", "set -o posix\n", "set -e\n", "set -C\n", "trap 'echo err' ERR\n", "set -o posix -e\n") + same_shell(g, use.replace("{{", "{").replace("}}", "}").replace("{}", bad)) + '\necho "x=$x q=$q v=$v"')
