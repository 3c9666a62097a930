"""Namerefs: to scalars, arrays, elements, chains and circles; what follows them and what does not."""
from grammar import show_words, statement

END = "unset -n r s q 2>/dev/null; unset v a A u t r s q"


def start(g):
    return "v=val w='x y'\na=(one two three)\ndeclare -A A=([k]=v1 [z]=v2)"


def goal(g):
    return g.pick("v", "v", "a", "A", "u", "'a[1]'", "'A[k]'", "'a[@]'", "'a[*]'", "'u[2]'", "s", "w", "'a[-1]'", "'A[new]'", "1", "''", "'x y'", "r", "'a[$n]'", "'v[0]'", "@", "PWD", "'a[9]'", "'A[@]'", "'a[n]'")


def use(g):
    return g.pick(show_words('"$r" "${r}" "${#r}"'), show_words('"${r[0]}" "${r[1]}" "${r[@]}" "${#r[@]}"'), 'echo "${!r}"', show_words('"${!r[@]}"'), f"r={g.value()}; echo $?", f"r+={g.simple()}; echo $?", "r[1]=new; echo $?", "r=(p q); echo $?",
                  "r+=(z); echo $?", "unset r; echo $?", "unset -n r; echo $?", "declare -p r", "declare -n r; declare -p r", 'echo "${r:-def}" "${r+set}" "${r-unset}"', 'echo "${r^^}" "${r#v}" "${r/a/b}" "${r:1:2}"', 'echo "${r@Q}" "${r@A}" "${r@a}"',
                  ': "${r:=given}"; echo "$r"', "(( r = 5 )); echo $? $r", "(( r++ )); echo $?", "echo $(( r + 1 ))", "read r <<< 'from read'; echo $?", "printf -v r '%s' pf; echo $?", "export r; declare -p r v 2>&1", "readonly r; r=no; echo $?",
                  "declare -i r; declare -p v 2>&1", "declare r=dcl; declare -p r", "f() { local r=loc; echo $r; }; f; echo $r", "f() { local -n l=$1; l=changed; }; f v; echo $v", "f() { local -n v=v; v=x; echo $v; }; f", "f() { local v=inner; local -n l=v; l=z; echo $v; }; f; echo $v",
                  "[[ -v r ]]; echo $?", "[[ -R r ]]; echo $?", "test -R r; echo $?", "[[ $r == val ]]; echo $?", "for r in v w u; do r=$r; echo $?; done", "for r in v w; do echo \"$r\" \"${!r}\"; done", "declare +n r; declare -p r", "declare -n r=w; echo $r",
                  "declare -n r+=x; echo $?", "mapfile -t r <<< $'m1\\nm2'; echo $?", "read -a r <<< 'q1 q2'; echo $?", "getopts a r -a; echo $r", "declare -a r; declare -p r a 2>&1", "declare -A r; echo $?", "unset 'r[0]'; echo $?", "unset 'r[1]'; echo $?", "declare -x r; echo $?",
                  "typeset -n r; echo $?", "set -u; ( echo \"$r\" ); set +u", "r=v; echo $r $v", "declare -l r=ABC; echo $r", "case $r in v*) echo 1;; *) echo 2;; esac", "r[k]=newk; echo ${A[k]}", 'echo "${r[k]}" "${r[-1]}"', "let r=3+4; echo $r",
                  "echo ${r[@]:1:1} ${r[*]/o/0}", "wait -p r 2>/dev/null; echo $?", "r= ; echo \"<$r>\"", "select_() { :; }; declare -f select_", "echo ${!r*}", "declare -n; echo $?", "local -n r=v", "unset -v r; declare -p v 2>&1", "compgen -v r | head -n 1")


def after(g):
    return g.pick("declare -p v a A 2>&1", "declare -p r 2>&1", "declare -p u 2>&1", "echo \"${v-unset}\" \"${a[*]}\"", "declare -p v", "declare -p r v")


@statement("nameref.use")
def using(g):
    return "\n".join([start(g), f"declare -n r={goal(g)}; echo $?"] + [use(g) for _ in range(g.number(1, 3))] + [after(g), END])


@statement("nameref.chain")
def chain(g):
    return "\n".join([start(g), g.pick("declare -n r=s s=v", "declare -n s=v; declare -n r=s", "declare -n r=s; declare -n s='a[1]'", "declare -n r=s; s=v; declare -n s", "declare -n q=a s=q r=s", "declare -n r=s; s=w", "declare -n s=a; declare -n r='s[1]'",
                                       "declare -n r=q; declare -n q=u"), use(g), use(g), after(g), "declare -p s q 2>&1", END])


@statement("nameref.circle")
def circle(g):
    made = g.pick("declare -n r=r", "declare -n r=s; declare -n s=r", "declare -n r=s s=q q=r", "declare -n r; r=r", "r=1; declare -n r=r", "declare -n r='r[0]'", "declare -n r=s; declare -n s; s=r")
    return "\n".join([start(g), made + "; echo $?", g.pick('echo "<$r>"', "r=1; echo $?", "echo ${#r}", "unset r; echo $?", "echo ${!r}", "(( r )); echo $?", "declare -p r", "[[ -v r ]]; echo $?", "r[1]=x; echo $?", "read r <<< x; echo $?"), END])


@statement("nameref.function")
def functions(g):
    name = g.pick("v", "a", "A", "'a[1]'", "u", "l", "'A[k]'")
    body = g.pick('echo "$l"', "l=new", "l+=more", "l=(n1 n2)", "l[0]=el", "unset l", "unset -n l; l=plain; echo $l", 'echo "${l[@]}" "${#l[@]}"', 'echo "${!l}" "${!l[@]}"', "declare -p l", "local -n m=l; m=deep", "g l", "for l in v w; do echo $l; done",
                  "read l <<< rd", "printf -v l pv", "(( l += 1 ))", "local l2=$l; echo $l2", "declare -n", "local -p", "local v=shadow; l=q; echo $v", "typeset +n l; echo $l", "readonly l; l=1")
    head = g.pick("local -n l=$1", "declare -n l=$1", "typeset -n l=$1", "local -n l; l=$1", "local -n l=\"$1\"", "local -n l=$1 k=w")
    return "\n".join([start(g), f"g() {{ local -n l=$1; l=fromg; }}; f() {{ {head}; {body}; }}", f"f {name}; echo $?", after(g), "unset -f f g", END])


@statement("nameref.loop")
def loops(g):
    return "\n".join([start(g), "declare -n r" + g.pick("", "=v", "=u"), f"for r in {g.many(0, 4, lambda: g.pick('v', 'w', 'a', 'A', 'u', chr(39) + 'a[1]' + chr(39), '1', chr(39) + chr(39), 'r', '$w'))}; do {g.pick('echo $r', 'r=set', 'echo ${!r} $r', 'unset r', 'r=(1 2)')}; done; echo $?",
                      after(g), END])
