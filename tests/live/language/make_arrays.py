"""Arrays: every form of assignment, subscripts of all kinds, what reads and removes elements."""
from grammar import show_words, single_quoted, statement, word


def index(g):
    return g.pick("0", "1", "2", "3", "5", "-1", "-2", "-9", "1+1", "n", "$n", "n+1", "$((n))", '"1"', "n++", "a[0]", "${#a[@]}", "x", "", "@", "*", " 2 ", "1 2", "08", "2**2", "$u", "\"$n\"", "n=2", "0x2", "n?3:4",
                  "$(echo 1)", "`echo 2`", "-n", "1,2", "z")


def key(g):
    return g.pick("k", "1", "'a b'", '"x y"', "$n", '"$w"', "'*'", "'@'", "'$n'", '"\\$n"', "\\]", '"]"', "']'", "é", "a.b", "'\"'", "\"'\"", "''", "$u", "~", "$(echo k)", "`echo q`", "$'a\\tb'", "a'b'c", "x=y", "'a[0]'", "@", "*",
                  "-1", "+", "1+1", "a/b", "'#'", "\\*", '"a$n"', "$'\\n'", "{a,b}", "[", "'['", "'\\'", '"`echo z`"', "a\\ b")


def element(g):
    sub = g.chance(0.4)
    value = g.pick(g.value(), g.simple(), g.simple(), "$w", '"$w"', "$*", '"$@"', "$u", '"$u"', "~", "*", "{x,y}", "$((n+1))", "$(echo a b)", '"${a[@]}"', "${a[@]}", "${a[*]}", "''", "1+1", "x=y", "a:~", "$n")
    return (f"[{index(g)}]{g.pick('=', '=', '+=')}{value if value != '{x,y}' else 'x'}" if sub else value)


def keyed(g):
    value = g.pick(g.value(), g.simple(), "$w", '"$w"', "$*", '"$@"', "$u", "~", "*", "$((n+1))", "$(echo a b)", '"${a[@]}"', "''", "1+1")
    return f"[{key(g)}]{g.pick('=', '=', '+=')}{value}"


def start(g):
    return "\n".join(["unset a A b u n; declare -A A", "n=1 w='q r'; set -- p 'q r'", g.pick("", "a=(x y z)", "a=([2]=two [5]=five)", "a=s", "declare -a a", "a=('' 'a b' '*')", "declare -i -a a=(1 2)", "a=()"),
                      g.pick("", "A=([k]=v ['a b']=w)", "A=([1]=one [x]=)", "A=()")])


def shown(g, which="a"):
    return g.pick(f"declare -p {which} 2>&1", show_words(f'"${{{which}[@]}}" "${{!{which}[@]}}"'), f"echo ${{#{which}[@]}}; declare -p {which}", f"echo \"${{{which}[@]@A}}\"", f"declare -p {which}; echo \"${{{which}@a}}\"")


def form(g):
    elements = g.many(0, 4, lambda: element(g))
    return g.pick(lambda: f"a=({elements})", lambda: f"a=({elements})", lambda: f"a+=({elements})", lambda: f"a[{index(g)}]={g.value()}", lambda: f"a[{index(g)}]+={g.simple()}", lambda: f"declare -a a=({elements})",
                  lambda: f"declare a+=({elements})", lambda: f"declare -a a[{g.number(0, 3)}]={g.simple()}", lambda: f"declare 'a[{g.number(0, 3)}]'={g.simple()}", lambda: f"local a=({elements})", lambda: f"readonly -a b=({elements})",
                  lambda: f"export a=({elements})", lambda: f"declare -i a=({elements})", lambda: f"declare -u a=({elements})", lambda: f"a=(\n{elements} # comment\n\n{element(g)}\n)", lambda: f"declare -a a='({g.simple()} {g.simple()})'",
                  lambda: f"declare -a \"a=([1]={g.simple()} $n)\"", lambda: f"eval 'a=({g.simple()} \"$w\")'", lambda: f"a={g.simple()}", lambda: f"a+={g.simple()}", lambda: f"x=1 a=({elements}) b[2]=3",
                  lambda: f"read -ra a <<< {g.value()}", lambda: f"mapfile -t a <<< {g.value()}", lambda: f"printf -v 'a[{g.number(0, 4)}]' '%s' {g.value()}", lambda: f"(( a[{index(g)}] {g.pick('=', '+=', '*=')} {g.number(0, 5)} ))",
                  lambda: f": $(( a[{index(g)}]++ ))", lambda: f"a=(\"${{a[@]}}\" {elements})", lambda: f"a=(${{a[@]}} {elements})", lambda: f": \"${{a[{index(g)}]:={g.simple()}}}\"", lambda: f"for a[{g.number(0, 2)}] in 1; do :; done",
                  lambda: f"let 'a[{g.number(0, 3)}]=4'", lambda: f"read 'a[{g.number(0, 3)}]' <<< {g.value()}", lambda: f"a=([{g.number(0, 3)}]=\"{g.simple()}\"[x] [y]=)")()


@statement("array.assign")
def assigning(g):
    lines = [form(g) if not (f := form(g)).startswith("local") else f"f() {{ {f}; declare -p a; }}; f" for _ in range(g.number(1, 3))]
    return "\n".join([start(g)] + [x for line in lines for x in (line, "echo $?")] + [shown(g)])


@statement("array.assign.one")
def one(g):
    return "\n".join([start(g), f"a[{index(g)}]{g.pick('=', '+=')}{g.value()}; echo $?", shown(g)])


@statement("array.assoc")
def associative(g):
    elements = g.many(0, 4, lambda: keyed(g))
    pairs = g.many(0, 5, lambda: g.pick(g.value(), g.simple(), "$w", '"$w"', "$*", '"$@"', "*", "~", "$u", "''", "{a,b}", "$(echo a b)", "[k]=x", "[k]"))
    lines = [g.pick(f"A=({elements})", f"A+=({elements})", f"A[{key(g)}]={g.value()}", f"A[{key(g)}]+={g.simple()}", f"A=({pairs})", f"A+=({pairs})", f"declare -A A=({elements})", f"declare -A A=({pairs})", f"declare -A b=({elements})",
                    f"declare -iA b=({elements})", f"declare A=({elements})", f"typeset -A A+=({elements})", f"A=({elements} {g.simple()})", f"declare -A A='([k]=x [z]=\"y w\")'", f"declare -lA b=([K]=AbC)", f"A={g.simple()}", f"A+={g.simple()}",
                    f"declare -A A", f"declare -a A", f"readarray -t A <<< x", f"(( A[{g.pick('k', 'n', '1', '$n', 'z')}]++ ))", f"read -a A <<< 'x y'", f"A=(\n[k]=1 # c\n['z']=2\n)") for _ in range(g.number(1, 3))]
    return "\n".join([start(g)] + [x for line in lines for x in (line, "echo $?")] + [g.pick("declare -p A", 'printf "<%s>" "${A[@]}" "${!A[@]}"; echo', "declare -p b 2>&1", 'echo "${A[@]@K}" ${#A[@]}', "printf '<%s>' \"${A[@]@k}\"; echo",
                                                                                   f'echo "<${{A[{key(g)}]}}>" "${{A[{key(g)}]-none}}"', 'for i in "${!A[@]}"; do echo "$i=${A[$i]}"; done'), "unset A b"])


@statement("array.read")
def reading(g):
    name = g.pick("a", "a", "A")
    sub = index(g) if name == "a" else key(g)
    inner = g.pick("", "", ":-d", "-d", "+s", ":+s", "#x", "%y", "/x/y", "^", ",,", "@Q", "@a", "@A", "@K", ":1", ":0:1", ": -1", ":?", "?m")
    e = g.pick(f"${{{name}[{sub}]{inner}}}", f"${{#{name}[{sub}]}}", f"${{!{name}[@]}}", f"${{{name}[@]:{g.offset()}:{g.offset()}}}", f"${{{name}[*]: -1}}", f"$(({name}[{sub}]))" if '"' not in sub and "'" not in sub else f"${name}", f"${name}[0]",
               f"${{{name}[{sub}]}}", f"${{{name}}}", f"${{#{name}}}")
    return "\n".join([start(g), f"( {show_words(g.pick(e, chr(34) + e + chr(34)))}\n); echo $?"])


@statement("array.unset")
def unsetting(g):
    what = g.pick(f"'a[{index(g)}]'", f"\"a[{g.number(0, 3)}]\"", f"a[{g.number(-2, 3)}]", "'a[@]'", "'a[*]'", "a", "'A[k]'", "'A[a b]'", "'A[@]'", "'A[*]'", "A", "'A[$n]'", "A[1]", "'a[n]'", "'u[0]'", "'w[0]'", "'w[1]'", "'a[-9]'", "'a[x y]'",
                  "-v 'a[1]'", "'a[0' ", "'a[]'", "-f 'a[0]'", "'a[1]' 'a[0]'")
    return "\n".join([start(g), f"unset {what}; echo $?", g.pick("declare -p a", "declare -p A", show_words('"${a[@]}" "${!a[@]}" "${#a[@]}"'), 'declare -p w'), "unset a A"])


@statement("array.test")
def testing(g):
    sub = g.pick("0", "1", "9", "-1", "@", "*", "n", "k", "$n", "a b", "''", "")
    return "\n".join([start(g), g.pick(f"[[ -v a[{sub if ' ' not in sub else 0}] ]]; echo $?", f"test -v 'a[{sub}]'; echo $?", f"[[ -v A[{sub if ' ' not in sub else 'k'}] ]]; echo $?", f"[ -v 'A[{sub}]' ]; echo $?", "[[ -v a ]]; echo $?", "[[ -v A ]]; echo $?",
                                       '[[ ${a[@]} == "x y z" ]]; echo $?', '[[ "${a[*]}" = x* ]]; echo $?', "[[ -n ${a[@]} && -z ${a[9]} ]]; echo $?", "case ${a[@]} in x*) echo 1;; *) echo 2;; esac", "[[ ${#a[@]} -gt 1 ]]; echo $?")])


@statement("array.loop")
def loops(g):
    return "\n".join([start(g), g.pick('for i in "${a[@]}"; do echo "<$i>"; done', 'for i in ${a[@]}; do echo "<$i>"; done', 'for i in "${!a[@]}"; do echo "$i ${a[i]} ${a[$i]}"; done', 'for (( i=0; i<${#a[@]}; i++ )); do echo "${a[i]}"; done',
                                       'f() { echo $# "$@"; }; f "${a[@]}" "${a[*]}"', 'b=("${a[@]}"); b[1]=q; declare -p a b', 'a=("${a[@]:1}"); declare -p a', 'a=("${a[@]/x/y z}"); declare -p a', 'a=(${a[@]#x}); declare -p a',
                                       'b=("${!a[@]}"); declare -p b', 'IFS=,; echo "${a[*]}" ${a[*]}; IFS=$\' \\t\\n\'', 'a[${#a[@]}]=new; declare -p a', 'a+=(1); a+=2; declare -p a', 'unset "a[-1]"; declare -p a', 'set -- "${a[@]}"; echo $#',
                                       'declare -A A; for i in "${a[@]}"; do (( A[${i:-e}]++ )); done 2>/dev/null; declare -p A', 'b=(); for i in "${a[@]}"; do b=("$i" "${b[@]}"); done; declare -p b', "readonly a; a[0]=1; echo no")])


@statement("array.convert")
def converting(g):
    return "\n".join([start(g), g.pick("a=1; declare -A a", "declare -A a=([x]=1)", "declare -a A=(1)", "w[1]=z; declare -p w", "w+=(z); declare -p w", "declare -a w; declare -p w", "declare -A w; declare -p w", "unset w; w[2]=1; declare -p w",
                                       "f() { local -a w=(1); local -A a=([k]=v); declare -p w a; }; f; declare -p w", "declare -r a; declare -p a", "declare +a a", "declare +A A", "local a=(1)", "export a; declare -p a", "declare -i a; a+=(1+1); declare -p a",
                                       "declare -l a; a=(ABC Def); declare -p a", "declare -n r=a; r=(9); r[3]=x; r+=(y); declare -p a; unset -n r", "declare -n r='a[1]'; r=Q; declare -p a; unset -n r", "a=([0]=x [0]=y); declare -p a", "a[0]=(1 2)",
                                       "declare -a 'a[2]'; declare -p a", "f() { declare -g a=(g); }; f; declare -p a", "f() { local a; a[1]=l; declare -p a; }; f; declare -p a") + "; echo $?", "unset a A w"])


@word("array.element")
def element_word(g):
    return g.pick('"${a[0]}"', '"${a[@]}"', "${a[*]}", "${#a[@]}", '"${!a[@]}"', '"${a[-1]}"', '"${A[k]}"')
