"""declare and its kin: attributes, kinds, scopes, listings; unset."""
from grammar import statement

NAMES = ("v", "w", "x1", "arr", "map", "ref")
ATTRIBUTES = "aAilnruxtc"


def before(g, name):
    """What the name may be already."""
    return g.pick(f"unset -v {name}", f"{name}={g.value()}", f"{name}={g.number(0, 9)}", f"declare -a {name}=(x y 'z z')", f"declare -a {name}=([3]=c [1]=a)",
                  f"declare -A {name}=([k]=v)", f"declare -i {name}=5", f"declare -u {name}=abC", f"declare -l {name}=AbC", f"declare -x {name}=out", f"declare {name}",
                  f"declare -a {name}", f"declare -A {name}", f"{name}=()", f"export {name}", f"declare -ai {name}=(1 2+3)", f"declare -Au {name}=([k]=low)",
                  f"declare -n {name}=other; other={g.value()}", f"declare -n {name}=arr2[1]; arr2=(p q)", f"declare -n {name}", f"declare -t {name}=t", f"declare -c {name}='hello WORLD'",
                  f"{name}[2]=q", f"declare -ax {name}=(e)", f"declare -ilx {name}=7")


def before_array(g, name):
    return g.pick(f"declare -a {name}=(x y 'z z')", f"declare -a {name}=([3]=c [1]=a)", f"declare -A {name}=([k]=v)", f"declare -a {name}", f"declare -A {name}", f"{name}=()",
                  f"declare -ai {name}=(1 2+3)", f"declare -Au {name}=([k]=low)", f"{name}[2]=q", f"declare -ax {name}=(e)")


def two_kinds(text):
    """-a with +a or -A and so on, an element being -a, too. Where the variable is no array yet bash makes it one, goes on
    as if it had not, and reads the array's memory as text."""
    kinds = {word[0] + c for word in text.split() if word[0] in "-+" for c in word[1:] if c in "aA"}
    if "[" in text and "-A" not in kinds:
        kinds.add("-a")
    return {"-a", "+a"} <= kinds or {"-A", "+A"} <= kinds or {"-a", "-A"} <= kinds


def of_one_kind(make):
    text = make()
    while two_kinds(text):
        text = make()
    return text


def flags(g, letters=ATTRIBUTES, low=0, high=2):
    parts = []
    for _ in range(g.number(low, high)):
        parts.append(g.pick("-", "-", "-", "+") + "".join(g.pick(*letters) for _ in range(g.pick(1, 1, 2))))
    return " ".join(parts)


def compound(g):
    def element():
        return g.pick(g.simple(), g.value(), f"[{g.subscript()}]={g.simple()}", f"[{g.subscript()}]+={g.simple()}", f"[{g.number(0, 4)}]={g.value()}", "$v", '"$v"', '"${arr[@]}"', "{a,b}", "*",
                      "1+2", "[1]", "[k]=", "$(echo p q)", "a=b", "[x]y", "~")
    return "(" + g.many(0, 4, element) + ")"


def subscript(g):
    return g.pick("0", "1", "2", "k", "-1", "1+1", "'a b'", '"$v"', "$((1))", "x1", "@", "*", "", "-9", "]", "a]b", "$v", "k k", "007", "08", "1.5", "'", "10#3")


def quiet_subscript(g):
    return g.pick("0", "1", "2", "k", "-1", "1+1", "'a b'", '"$v"', "$((1))", "x1", "@", "*", "-9", "$v", "007", "10#3")


def operand(g, name=None):
    name = name or g.pick(*NAMES)
    g.subscript = lambda: quiet_subscript(g)
    sub = f"{name}[{quiet_subscript(g)}]"
    return g.pick(name, name, f"{name}={g.value()}", f"{name}={g.simple()}", f"{name}+={g.simple()}", f"{name}={compound(g)}", f"{name}+={compound(g)}", f"{sub}={g.simple()}",
                  f"{sub}+={g.simple()}", sub, f"'{name}=(1 2)'", f'"{name}={g.simple()}"', f"'{name}=([1]=q [k]=r)'", f"{name}=1+2", f"{name}+=4", f"{sub}={g.value()}",
                  f"{name}=$v", f'{name}="${{arr[@]}}"', f"'{name}[1]'=s", f"{name}=~", f"{name}=a:~", f"'{name}=(1'", f"{name}=\\(1\\)", f'"{name}=($v)"')


def bad_operand(g):
    return g.pick("1a", "a-b", "''", "a.b", "=", "=x", "v[", "v]", "v[1", "v[]", "v[]=1", "'v w'", "v+", "v+ =1", "-", "a=b=c", "1=2", "f", "@", "*", "$'\\n'", "/", "é", "v[1]x", "v[1]x=2", "+=1",
                  "v==", "'v[1]=(a)'", "v[@]=1", "v[*]=(1)", "[1]=2", "[k]", "v[1][2]=3", "$nothing", '"$nothing"', "--", "-z", "-Z", "v[0]=(1 2)".replace("(", "\\(").replace(")", "\\)"))


def look(g, names=NAMES):
    names = list(names)
    return g.pick(f"declare -p {' '.join(names)}", "for n in " + " ".join(names) + '; do declare -p $n; done', f'echo "$?" "${{{names[0]}-unset}}" "${{{names[0]}@a}}"', f"echo $?; declare -p {names[0]}",
                  f'printf "<%s>" "${{{names[0]}[@]}}" "${{!{names[0]}[@]}}"; echo', f"typeset -p {names[0]} {names[1]}; echo $?")


def forget():
    return "unset -n " + " ".join(NAMES) + " other arr2; unset -v " + " ".join(NAMES) + " other arr2"


def builtin(g):
    return g.pick("declare", "declare", "typeset", "export", "readonly", "local")


def run(g, lines):
    """The lines in a subshell, so that what is read-only goes with them; alone, if nothing is."""
    text = "\n".join(lines)
    if "readonly" in text or any(f in text for f in ("-r", "r ")):
        return forget() + "\n(\n" + text + "\n)"
    return forget() + "\n" + text


@statement("builtin.declare.attributes")
def attributes(g):
    name = g.pick(*NAMES)
    lines = [f"{g.pick('declare', 'typeset')} {flags(g, high=3)} {operand(g, name)}; echo $?" for _ in range(g.number(1, 3))]
    lines.insert(0, before_array(g, name) if any(two_kinds(line) for line in lines) else before(g, name))
    lines.append(f"declare -p {name}")
    if g.chance(0.4):
        lines += [f"{operand_assign(g, name)}; echo $?", f"declare -p {name}"]
    return run(g, lines)


def operand_assign(g, name):
    g.subscript = lambda: quiet_subscript(g)
    sub = f"{name}[{quiet_subscript(g)}]"
    return g.pick(f"{name}={g.value()}", f"{name}+={g.simple()}", f"{name}={compound(g)}", f"{name}+={compound(g)}", f"{sub}={g.simple()}", f"{sub}+={g.value()}", f"{name}=2*3", f"{name}+=1")


@statement("builtin.declare.several")
def several(g):
    line = f"{g.pick('declare', 'typeset')} {flags(g)} {g.many(1, 4, lambda: operand(g))}; echo $?"
    made = before_array if two_kinds(line) else before
    lines = [made(g, g.pick(*NAMES)) for _ in range(g.number(0, 2))] + [line]
    lines.append(look(g))
    return run(g, lines)


@statement("builtin.declare.one-flag")
def one_flag(g):
    flag = g.pick(*[s + c for s in "-+" for c in "aAilnruxtcgpfFIbzZ"])
    name = g.pick(*NAMES)
    line = f"declare {flag} {operand(g, name)} 2>&1 | head -n 3; declare {flag} {operand(g, name)} > out; echo $?"
    return run(g, [before_array(g, name) if two_kinds(line) else before(g, name), line, f"declare -p {name}"])


@statement("builtin.declare.bad")
def bad(g):
    lines = [before(g, "v"), f"{g.pick('declare', 'typeset', 'export', 'readonly')} {flags(g, high=1)} {g.many(0, 1, lambda: operand(g))} {bad_operand(g)} {g.many(0, 1, lambda: operand(g))} >out; echo $?", look(g)]
    return run(g, lines)


@statement("builtin.declare.bad-option")
def bad_option(g):
    command = g.pick("declare", "typeset", "export", "readonly", "local", "unset")
    text = f"{command} {g.pick('-z', '-q v', '--bad', '-v', '-', '--', '-Z v=1', '-aZ v', '+z', '-ab', '-f -n v', '-é', '-aA v', '-nA v', '-na v', '-fn', '-ni v=x', '-V', '-1', '+', '-fp', '-fz')} > out"
    return run(g, [f"f() {{ {text}; echo $?; }}; f" if command == "local" or g.chance(0.3) else text + "; echo $?"])


@statement("builtin.declare.in-function")
def in_function(g):
    name = g.pick(*NAMES)
    inner = [of_one_kind(lambda: f"{g.pick('declare', 'local', 'typeset')} {flags(g, high=1)} {operand(g, name)}; echo $?") for _ in range(g.number(1, 2))]
    if g.chance(0.4):
        inner.append(operand_assign(g, name))
    if g.chance(0.3):
        inner.append(f"unset {g.pick('', '-v ', '-n ')}{name}")
    inner.append(f"declare -p {name}")
    outer = [before(g, name)]
    return run(g, outer + ["f() {", *inner, "}", "f a b; echo $?", f"declare -p {name}"])


@statement("builtin.declare.global")
def declare_global(g):
    name = g.pick(*NAMES)
    made = before(g, name)
    inner = []
    if g.chance(0.6):
        inner.append(f"local {flags(g, high=1)} {operand(g, name)}")
    said = operand(g, name)
    while "-A" in made + "".join(inner) and ("+=" in said or "=(" in said):  # bash takes the one table for the other, or its memory for text
        said = operand(g, name)
    inner += [f"declare -g{g.pick('', '', 'a', 'A', 'i', 'x', 'r', 'u', 'n')} {said}; echo $?", f"declare -p {name}"]
    return run(g, [made, "f() {", *inner, "}", "g() { " + g.pick("f", f"local {name}=g; f; declare -p {name}", f"local -a {name}; f") + "; }", g.pick("f", "g"), f"declare -p {name}"])


@statement("builtin.local.inherit")
def inherit(g):
    name = g.pick(*NAMES)
    lines = [before(g, name)]
    if g.chance(0.5):
        lines.append("shopt -s localvar_inherit")
    inner = [f"{g.pick('local', 'declare', 'typeset')} {g.pick('', '-I', '-I', '-Ii', '-Ia', '-IA', '-In', '-Ix', '-Ir', '-a', '-A', '-i', '-n', '-I -u')} {operand(g, name)}; echo $?", f"declare -p {name}"]
    return run(g, lines + ["f() {", *inner, "}", "f; echo $?", f"declare -p {name}", "shopt -u localvar_inherit"])


@statement("builtin.local.unset")
def local_unset(g):
    name = g.pick(*NAMES)
    lines = [before(g, name)]
    if g.chance(0.5):
        lines.append("shopt -s localvar_unset")
    inner = f"unset {g.pick('', '-v ', '-n ')}{name}; declare -p {name}; {name}=new; declare -p {name}"
    return run(g, lines + ["f() {", f"local {g.pick('', '-a ', '-i ', '-x ')}{name}{g.pick('', '=l')}", g.pick(inner, "g"), f"declare -p {name}", "}", "g() {", inner, "}", "f", f"declare -p {name}",
                           "shopt -u localvar_unset"])


@statement("builtin.local.dash")
def local_dash(g):
    option = g.pick("u", "f", "C", "a", "e", "B", "x")
    return run(g, ["f() {", g.pick("local -", "local - v=1", "declare -", "local -i -", "typeset -", "local - -"), f"set -{option}; echo $-; local -p", g.pick("", "return 3", "set +B; echo {a,b}", "local -"), "}", "f 2>&1; echo $? $-",
                   "set +ufCax; set -B"])


@statement("builtin.local.print")
def local_print(g):
    inner = g.many(0, 3, lambda: of_one_kind(lambda: f"local {flags(g, 'aAilrux', high=1)} {operand(g)}"), "\n")
    return run(g, ["f() {", inner, g.pick("local", "local -p", "declare -p | grep -c .>/dev/null; local", "local -p v", "local -p v w nothing", "local -a", "local -i", "local -p -x", "typeset -p v"), "echo $?", "}", "f"])


@statement("builtin.local.outside")
def local_outside(g):
    return f"{g.pick('local', 'local v', 'local v=1 w', 'local -p', 'local -', 'local -z', 'local 1a')}; echo $? ${{v-}}"


@statement("builtin.declare.tempenv")
def temporary(g):
    name = g.pick(*NAMES)
    made = before(g, name)
    append = "" if "-ai" in made else g.pick("", "+")  # += of an integer array reads its memory as text
    return run(g, [made, "f() { " + g.pick(f"local {name}; declare -p {name}", f"local {flags(g, 'ixu', high=1)} {operand(g, name)}; declare -p {name}", f"declare -p {name}", f"export {name}=e", f"unset {name}; declare -p {name}",
                                                     f"declare -g {name}=glob; declare -p {name}", f"local -I {name}; declare -p {name}", f"{name}+=more; declare -p {name}", f"readonly {name}; declare -p {name}") + "; }",
                   f"{name}{append}={g.value()} {g.pick('f', f'declare -p {name}', f'export {name}', f'eval declare -p {name}', f'readonly {name}', f'declare -x {name}', f'unset {name}', f'. /dev/null', f'typeset {name}')}; echo $?",
                   f"declare -p {name}"])


@statement("builtin.declare.print")
def declare_print(g):
    lines = [before(g, g.pick(*NAMES)) for _ in range(g.number(1, 4))]
    lines.append(f"{g.pick('declare', 'typeset', 'readonly', 'export')} -p{g.pick('', '', 'a', 'A', 'x', 'i', 'r', 'n', 'f', 'F', 'u')} {g.many(1, 3, lambda: g.pick(*NAMES, 'nothing', 'v[0]', 'map[k]', '1a', 'v=1'))}; echo $?")
    return run(g, lines)


@statement("builtin.declare.list")
def declare_list(g):
    lines = [before(g, g.pick(*NAMES)) for _ in range(g.number(1, 4))]
    flag = g.pick("-i", "-u", "-l", "-c", "-n", "-t", "-a", "-A", "-ai", "-x", "-r", "-ar", "-p -i", "-p -A", "-p", "", "-px", "-pa", "+i", "+a", "+x", "+p", "-ir", "-Ap", "+", "+r", "-p +i", "-p -ui")
    command = g.pick("declare", "declare", "typeset")
    return run(g, lines + [f"{command} {flag} | grep -E '^(declare -[a-zA-Z-]* )?({'|'.join(NAMES)}|other|arr2)\\b'; echo $?"])


@statement("builtin.export.list")
def export_list(g):
    lines = [before(g, g.pick(*NAMES)) for _ in range(g.number(1, 4))]
    return run(g, lines + [f"{g.pick('export', 'export -p', 'readonly', 'readonly -p', 'readonly -a', 'readonly -A', 'readonly -ap', 'declare -xp')} | grep -E ' ({'|'.join(NAMES)}|other|arr2)\\b'; echo $?"])


@statement("builtin.set.list-variables")
def set_list(g):
    lines = [before(g, g.pick(*NAMES)) for _ in range(g.number(1, 4))]
    if g.chance(0.3):
        lines.append("f() { echo a; }")
    return run(g, lines + [f"{g.pick('set', 'set', 'declare', 'typeset')} | grep -E -A {g.number(0, 2)} '^({'|'.join(NAMES)}|other|arr2)\\b'; echo $?", "unset -f f"])


def function(g):
    body = g.pick("echo a", "echo $1; return 3", "local v=1; v=2", "for i in a b; do echo $i; done", "if true; then :; fi", "cat <<E\nx\nE\n", "case $1 in a) ;; *) echo b ;; esac", "(echo a | cat)", "while :; do break; done",
                  "{ :; } > out 2>&1", "[[ -n a && b ]]", "(( 1 + 2 ))", "echo 'q q' \"$v\"", "a && b || c", "x=(1 2)", "! true")
    return f"{g.pick('f() ', 'function f ', 'function f() ')}{{ {body}\n}}{g.pick('', '', ' > out', ' 2>&1', ' < /dev/null')}"


@statement("builtin.declare.functions")
def functions(g):
    flag = g.pick("-f", "-F", "-pf", "-fp", "-fF", "-Fp", "-fx", "-ft", "-fr", "-f +x", "-f -x", "-fi", "-fa", "+f", "-gf", "-fg", "-xf", "-fl")
    lines = [function(g)]
    if g.chance(0.3):
        lines.append(g.pick("export -f f", "declare -ft f", "shopt -s extdebug"))
    names = g.pick('f', 'f', 'f g', 'nothing', 'f=1', '1x', 'f[1]', 'v') if flag == "+f" else g.pick('f', 'f', 'f g', 'nothing', '', 'f=1', '1x', 'f[1]', 'v')
    lines += [f"{g.pick('declare', 'typeset')} {flag} {names} | grep -v BASH; echo $? ${{PIPESTATUS[0]}}", "shopt -u extdebug"]
    return run(g, lines + ["unset -f f"])


@statement("builtin.export.functions")
def export_functions(g):
    lines = [function(g), f"{g.pick('export -f', 'export -fn', 'readonly -f', 'export -nf', 'export -fp', 'readonly -fp', 'declare -fx')} {g.pick('f', 'f', 'g', 'f g', '', 'f=1', 'v')}; echo $?",
             g.pick("bash -c 'f' 2>&1", "bash -c 'declare -f f'", "declare -F f", "f() { :; }; declare -F", "unset -f f; echo $?", "export -f", "readonly -f", "env | grep -A 2 BASH_FUNC")]
    return "(\n" + "\n".join(lines) + "\n)"


@statement("builtin.export.variables")
def export_variables(g):
    lines = [before(g, g.pick(*NAMES)) for _ in range(g.number(0, 2))]
    lines.append(f"export {g.pick('', '', '-n ', '-p ', '-- ', '-n -- ', '-a ', '-A ')}{g.many(1, 3, lambda: operand(g))}; echo $?")
    lines.append(f"env | grep -E '^({'|'.join(NAMES)}|other)=' | sort; {look(g)}")
    return run(g, lines)


@statement("builtin.readonly.variables")
def readonly_variables(g):
    name = g.pick(*NAMES)
    lines = [before(g, name), f"readonly {g.pick('', '', '-a ', '-A ', '-p ', '-- ', '-aA ')}{operand(g, name)}; echo $?", look(g, (name, "w"))]
    touch = g.pick(f"{name}=2", f"{name}+=2", f"{name}[1]=2", f"unset {name}", f"unset {name}[0]", f"declare +r {name}", f"declare -i {name}", f"declare {name}=3", f"read {name} <<< x", f"printf -v {name} x", f"(({name}=1))",
                   f"((a={name}++))", f"for {name} in 1; do :; done", f"export {name}=3", f"export {name}", f"readonly {name}=4", f"getopts a {name} -a", f"mapfile {name} <<< x", f"let {name}=1", f": ${{{name}:=d}}", f"{name}=3 true",
                   f"{name}=3 :", f"{name}=3 eval :", f"declare -a {name}", f"declare -A {name}", f"declare -n {name}=v", f"local {name}", f"f() {{ local {name}=1; echo in; }}; f", f"f() {{ local {name}; echo in; }}; f", f"read -a {name} <<< x",
                   f"{name}=(1 2)", f"declare -g {name}=1", f"f() {{ declare -g {name}=1; }}; f", f"{name}=1 env true", f"cd . && {name}=q", f"typeset +x {name}", f"declare -x {name}", f"declare -r {name}", f"unset -n {name}", f"wait -n -p {name}",
                   f"select {name} in a; do break; done <<< 1", f"declare -p {name}; declare +i {name}", f"{name}=x; echo not", f"true && {name}=x || echo or", f"if {name}=1; then :; fi", f"echo $({name}=1; echo in)",
                   f"v2=1 {name}=2", f"{name}=3 f", f"coproc {name} {{ :; }}", f"exec {{{name}}}< /dev/null", f"declare {name}+=3", f"unset -v {name} v", f"unset -f {name}")
    lines += [f"echo before; {touch}; echo $?", "echo after $?", f"declare -p {name}"]
    return run(g, lines)


@statement("builtin.unset")
def unset(g):
    name = g.pick(*NAMES)
    lines = [before(g, name)]
    if g.chance(0.3):
        lines.append(f"{name}() {{ echo function; }}")
    sub = g.pick(name, name, f"{name}[0]", f"{name}[1]", f"'{name}[k]'", f"{name}[@]", f"'{name}[*]'", f"'{name}[-1]'", f"'{name}[-9]'", f"'{name}[]'", f"'{name}[1'", f"{name}[1]x", "1a", "''", "a-b", "nothing", "PATHX", "-", "--", "'a b'",
                 f"'{name}[1+1]'", f"'{name}[$v]'", f"'{name}[\"k\"]'", f"{name}[x1]")
    lines.append(f"unset {g.pick('', '', '-v ', '-f ', '-n ', '-fv ', '-vn ', '-fn ', '-z ', '-v -- ', '-x ', '-nv ')}{sub} {g.pick('', '', 'w', 'nothing', '1x', '-v')}; echo $?")
    lines.append(f"declare -p {name}; declare -F {name}; unset -f {name}")
    return run(g, lines)


@statement("builtin.unset.special")
def unset_special(g):
    return f"(unset {g.pick('', '-v ')}{g.pick('BASH_VERSINFO', 'EUID', 'UID', 'PPID', 'RANDOM', 'SECONDS', 'IFS', 'PATH', 'OPTIND', 'BASHOPTS', 'SHELLOPTS', 'FUNCNAME', 'BASH_SOURCE', 'GROUPS', 'DIRSTACK', 'HOSTNAME', 'LINENO', '_', 'PWD', 'OLDPWD', 'HOME', 'BASH_LINENO', 'PIPESTATUS', 'BASH_REMATCH', 'BASH_ALIASES', 'BASH_CMDS', 'BASH_ARGV', 'BASH_ARGC')}; echo $?)"


@statement("builtin.declare.nameref")
def nameref(g):
    form = g.pick("v", "w", "arr", "map", "nothing", "'arr[1]'", "'map[k]'", "1a", "ref2", "'a b'", "''", "arr[@]", "-x")
    lines = [f"declare -n ref={form}; echo $?",
             before(g, g.pick("v", "w", "arr", "map"))]
    for _ in range(g.number(1, 3)):
        lines.append(g.pick("ref=new", "ref+=more", "ref[1]=s", "ref=(1 2)", "declare ref=d", "declare -i ref", "declare -n ref", "declare -n ref=w", "declare +n ref", "export ref", "readonly ref", "unset ref", "unset -n ref", "local ref", "echo ${!ref}",
                            "echo \"${ref}\" \"${#ref}\" \"${ref[1]}\" \"${ref[@]}\"", "declare -p ref", "for ref in v w; do echo ${!ref}; done", "read ref <<< in", "printf -v ref p", "((ref++))", "declare -a ref", "declare -A ref", "declare -x ref=e",
                            "[[ -v ref ]]", "[[ -R ref ]]", "test -R ref", "declare -n ref+=x", "typeset -n ref2=ref", "unset 'ref[0]'", "ref[k]=t", "declare -u ref=low", "declare ref[1]=z", "declare -n ref=ref", "declare -n ref='v[2]'", "mapfile ref <<< l",
                            "declare -ng ref=v", "f() { local -n ref=w; ref=f; }; f", "f() { local -n r=$1; r=f; }; f v", "f() { local ref=x; declare -p ref; }; f", "f() { declare -n ref; ref=w; declare -p ref; }; f", "declare -np ref", "declare -n", "getopts a ref -a") + "; echo $?")
    lines.append("for n in ref v w arr map; do declare -p $n; done")
    return run(g, lines)


@statement("builtin.declare.array-kinds")
def array_kinds(g):
    name = g.pick(*NAMES)
    return run(g, [f"declare {g.pick('-a', '-A', '-i', '')} {name}={g.pick(compound(subscripted(g)), g.value())}; echo $?", f"declare {g.pick('-a', '-A', '+a', '+A', '-i', '+i', '-ai', '-Ai', '-u', '-n')} {name}; echo $?",
                   operand_assign(g, name) + "; echo $?", f"declare -p {name}", f"declare {operand(g, name)}; echo $?; declare -p {name}"])


def subscripted(g):
    g.subscript = lambda: quiet_subscript(g)
    return g


@statement("builtin.declare.integer")
def integer(g):
    value = g.pick("1+2", "x", "'1 2'", "08", "0x1f", "2#11", "37#1", "''", "'a b'", "1/0", "v", "w+1", "$v", "9223372036854775807+1", "1.5", "'3 +'", "a=4", "-5", "'(2'", "~1", "!0", "1,2", "1?2:3", "v[1]", "064")
    name = g.pick("v", "w")
    return run(g, [f"declare -i {name}{g.pick('', '=1', '=(1 2)')}", g.pick(f"{name}={value}", f"{name}+={value}", f"declare {name}={value}", f"{name}[1]={value}", f"{name}=({value} {value})", f"declare -i {name}+={value}", f"export {name}={value}", f"read {name} <<< {value}",
                                                        f"printf -v {name} %s {value}", f"for {name} in {value} 2; do echo ${name}; done", f"{name}={value} true", f"local {name}={value}") + "; echo $?", f"declare -p {name}"])


@statement("builtin.declare.case")
def case(g):
    return run(g, [f"declare -{g.pick('u', 'l', 'c', 'ul', 'lu', 'uc', 'lc', 'ulc', 'ui')} v{g.pick('', '=', '+=')}{g.value()}; echo $?", f"v{g.pick('=', '+=', '[1]=')}{g.value()}", f"declare {g.pick('-l', '-u', '-c', '+l', '+u', '+c')} v{g.pick('', '=MiXed x')}", "declare -p v"])


@statement("builtin.declare.quoting")
def quoting(g):
    lines = [f"v={g.value()} arr=({g.value()} {g.value()})", f"declare -A map=([{g.value()}]={g.value()})"]
    return run(g, lines + [g.pick("declare -p v arr map", "set | grep -A3 -E '^(v|arr|map)='", "echo ${v@A} ${arr[@]@A} ${map[@]@A}", "echo \"${arr[@]@K}\" \"${map[@]@K}\"", "echo ${v@Q} \"${arr[@]@Q}\"", "declare | grep -A2 -E '^(v|arr|map)='", "export v; export -p | grep -A2 ' v='",
                                  "(readonly v arr; readonly -p | grep -A2 -E '(v|arr)=')")])
