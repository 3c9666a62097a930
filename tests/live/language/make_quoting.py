"""Quoting, here-documents, braces, tildes, command substitution, process substitution and arithmetic expansion."""
from grammar import show_words, single_quoted, statement, word


# Quotes.

def escape(g):
    return g.pick("\\n", "\\t", "\\a", "\\b", "\\e", "\\E", "\\f", "\\r", "\\v", "\\\\", "\\'", '\\"', "\\?", "\\x41", "\\x4", "\\xff", "\\x", "\\xg", "\\101", "\\0", "\\08", "\\7", "\\377", "\\u00e9", "\\u65e5", "\\u41", "\\U1F600", "\\U0000e9", "\\u",
                  "\\cA", "\\c?", "\\c[", "\\c\\\\", "\\q", "\\ ", "\\$", "\\x{41}", "\\x{}", "\\1", "\\12345", "\\ud800", "\\u0", "\\x00", "\\000")


@word("quote.ansi")
def ansi(g):
    return "$'" + g.many(0, 4, lambda: g.pick(escape(g), escape(g), g.simple(), " ", '"', "$v", "`x`", "*"), "") + "'"


@word("quote.translated")
def translated(g):
    return '$"' + g.many(0, 3, lambda: g.pick(g.simple(), " ", "$v", "\\$", "\\\"", "'", "*", "$(echo t)", "\\n"), "") + '"'


def in_double(g):
    return g.pick(g.simple(), " ", "  ", "'", "\\\\", '\\"', "\\$", "\\`", "\\a", "\\n", "\\'", "\\*", "\\!", "*", "?", "~", "{a,b}", "$v", "${v}", "${u:-d}", "$(echo 'c d')", "$(echo \"q  r\")", "`echo b`", "`echo \\\"e  f\\\"`", "$((1+2))", "$", "$ ",
                  "#", ";", "&", "|", "<", ">", "(", ")", "\n", "\\\n", "\t", "é", "%", "$'a'", "!", "${v#?}", "${v+\"$v\"}", "${u-'x'}", "${#v}", "$*", "$@", "${a[@]}", "$[1+1]", "\\x", "=", "]", "[")


@word("quote.double")
def double(g):
    return '"' + g.many(0, 5, lambda: in_double(g), "").replace("$$", "$\\$") + '"'


def bare(g):
    return g.pick(g.simple(), g.simple(), "\\ ", "\\$v", "\\\\", "\\'", '\\"', "\\*", "\\n", "\\\n", "\\~", "\\#", "\\;", "\\&", "\\(", "\\é", "$v", "${v}", "~", "=", "#", "%", "@", "^", ",", ":", "+", "'a b'", "''", '""', "$u", "!", "[", "]", "{", "}", "{}", "a#b",
                  "$(echo q r)", "`echo s t`", "$((2))", "\\t", "$''", '$""', "$", "-", "?", "*", "/")


@word("quote.mixed")
def mixed(g):
    return g.many(1, 5, lambda: g.pick(bare, bare, double, ansi, translated, lambda g: g.value())(g), "").replace("$$", "$\\$")   # a number of the process otherwise


def setting(g):
    return f"v={g.value()} u=; unset u\nset -- {g.many(0, 3, g.value)}\na=(x 'y z')"


@statement("quote.words")
def quoted_words(g):
    words = g.many(1, 3, lambda: g.pick(mixed, double, ansi, translated)(g))
    return "\n".join([setting(g), g.pick(show_words(words), f"x={mixed(g)}\n" + show_words('"$x"'), f"echo {words}", f"case {mixed(g)} in {mixed(g)}) echo 1;; {double(g)}) echo 2;; *) echo 3;; esac",
                                         f"[[ {mixed(g)} == {mixed(g)} ]]; echo $?", f"[[ {double(g)} = {double(g)} ]]; echo $?", f"cat <<< {mixed(g)}", f"for i in {words}; do echo \"[$i]\"; done", f"a=({words}); declare -p a",
                                         "eval " + single_quoted("echo " + words), f"x=${{u:-{mixed(g)}}}; echo \"$x\"", f"echo \"${{u:-{double(g)}}}\" ${{v+{double(g)}}}"),
                      "unset x"])


@statement("quote.ansi")
def ansi_quotes(g):
    return f"x={ansi(g)}; printf '%s' \"$x\" | od -An -tx1; printf '%q\\n' \"$x\"; echo \"${{x@Q}}\"; declare -p x; unset x"


@statement("quote.printed")
def printed(g):
    text = "".join(g.pick("a", " ", "'", '"', "\\", "$", "`", "\t", "\n", "\x01", "\x7f", "é", "*", "~", "#", "=", "!", "\x1b", "日", "{", "}", ",", "-", "^", "%", ":", "/", "@", "\u00a0", "\udcff", "\udcc3") for _ in range(g.number(0, 6)))
    quoted = single_quoted(text)
    return f"x={quoted}\n" + g.pick("printf '%q\\n' \"$x\"", 'echo "${x@Q}" "${x@A}"', "declare -p x", "set | grep -a -A2 '^x='", "a=(\"$x\"); declare -p a; echo \"${a[@]@Q}\"", "declare -A A=([\"$x\"]=1); declare -p A; unset A", 'echo "${a[*]@A}"',
                                    'set -x; : "$x" 2>/dev/null; { set +x; } 2>/dev/null', "f() { echo " + quoted + "; }; declare -f f", "alias z=\"$x\"; alias z; unalias z", "trap -- \"$x\" USR1; trap -p USR1; trap - USR1", "echo \"${x@K}\" \"${x@E}\"", 'read -r y <<< "$x"; declare -p y',
                                    "export x; export -p | grep -a -A1 ' x='; export -n x", "\"$x\" 2>&1") + "; unset x"


# Here-documents.

def body(g):
    return g.many(0, 5, lambda: g.pick(g.text(), g.text(), "$v", '"$v"', "'$v'", "\\$v", "\\\\", "\\`", "\\a", '\\"', "$(echo sub)", "`echo bq`", "$((1+1))", "${u:-d e}", '${u:-"d e"}', "${u:-'d'}", "\\\nx", "\ttab", "$'x'", "${v//a/\"b\"}", "E ", " E", "${a[@]}",
                                         "$(cat <<I\nin $v\nI\n)", "~", "*", "${v#\"a\"}", "${v+\\}}", '"${v-"x"}"', "`echo \\$v \\\\\\$v`", "$(echo \")\" )"), g.pick("\n", " "))


@statement("quote.heredoc")
def heredocs(g):
    delimiter = g.pick("E", "E", "E", "'E'", '"E"', "\\E", "E'x'", "-E", "-'E'", '$\'E\'', "$E", "- E")
    end = {"E'x'": "Ex", "-E": "E", "-'E'": "E", "$'E'": "E", "$E": "$E", "- E": "E"}.get(delimiter, "E")
    tabs = g.pick("", "\t") if delimiter.startswith("-") else ""
    lines = "\n".join(tabs + line for line in body(g).split("\n") if line != end)
    command = g.pick("cat", "cat", "cat", "read -r l; echo \"$l\"", "while read l; do echo \"[$l]\"; done", "cat - <(:)", "mapfile -t m; declare -p m")
    if "; " in command:
        return f"{setting(g)}\n{{ {command}; }} <<{delimiter}\n{lines}\n{tabs}{end}\necho $?"
    return f"{setting(g)}\n{command} <<{delimiter}{g.pick('', '', ' | cat -A', '; echo after', ' 2>&1', ' && echo ok')}\n{lines}\n{tabs}{end}\necho $?"


@statement("quote.herestring")
def herestrings(g):
    return f"{setting(g)}\ncat <<< {mixed(g)}; echo $?"


# Braces.

def brace_item(g, depth=0):
    if depth < 2 and g.chance(0.25):
        return brace(g, depth + 1)
    return g.pick("a", "b", "c", "x", "1", "", "ab", "$v", '"q r"', "'{x,y}'", "\\,", "~", "*", "..", "$(echo w)", "{", "}", "\\{", "é", "${v}", "$((1))", "`echo n`", "a b"[:1], "'a,b'", "-", "/")


def end_of_range(g):
    return g.pick("1", "3", "5", "-2", "0", "01", "003", "-05", "a", "c", "e", "Z", "A", "10", "+3", "$v", "", "z", "aa", "1.5", "0x2", "9", "12", "é", "-0", "08", "'a'")


def brace(g, depth=0):
    return g.pick(lambda: "{" + g.many(1, 4, lambda: brace_item(g, depth), ",") + "}", lambda: "{" + g.many(2, 4, lambda: brace_item(g, depth), ",") + "}", lambda: "{" + end_of_range(g) + ".." + end_of_range(g) + "}",
                  lambda: "{" + end_of_range(g) + ".." + end_of_range(g) + ".." + g.pick("1", "2", "-1", "0", "3", "x", "", "02", "-3") + "}", lambda: "{" + g.many(1, 3, lambda: brace_item(g, depth), ","), lambda: g.many(1, 2, lambda: brace_item(g, depth), ",") + "}",
                  lambda: "{}", lambda: "{,}", lambda: "${v}{a,b}", lambda: "{a,b}${u:-{c,d}}", lambda: "\\{a,b}", lambda: "{a\\,b}", lambda: "{a,b\\}", lambda: "{'a',\"b\"}", lambda: "{1..2}{a,b}", lambda: "{{1..2},{a..b}}", lambda: "{a,b}{c", lambda: "x{,y}{,z}", lambda: "${a,}")()


@word("brace.list")
def brace_word(g):
    return g.pick("", "p", "'q'", "$v", "-") + brace(g) + g.pick("", "s", '"t"', "$u", brace(g))


@statement("brace.words")
def braces(g):
    words = g.many(1, 3, lambda: brace_word(g))
    return "\n".join([setting(g).replace("\n", "; v=val\n", 1), g.pick(show_words(words), f"echo {words}", f"x={brace_word(g)}; echo \"$x\"", f"a=({words}); declare -p a", f"for i in {words}; do printf '%s,' \"$i\"; done; echo", f"[[ {brace_word(g)} == *a* ]]; echo $?",
                                                            f"case {brace_word(g)} in *a*) echo 1;; *) echo 2;; esac", f"set +B; echo {words}; set -B", f"cat <<< {brace_word(g)}", f"f() {{ echo $# \"$@\"; }}; f {words}", f"declare x={brace_word(g)}; declare -p x",
                                                            f"export {{x1,x2}}={g.simple()}; echo $x1 $x2; unset x1 x2", f"echo \"{words.replace(chr(34), '')}\""), "unset x"])


# Tildes.

@statement("tilde.words")
def tildes(g):
    t = g.pick("~", "~/x", "~+", "~-", "~+/y", "~root", "~nobody_here", "~/", "a~", "~'x'", '"~"', "\\~", "~$v", "~:~", "a:~", "x=~", "x=a:~", "--opt=~", "~0", "~1", "~+1", "~-0", "'~'/x", "~\"/x\"", "~/*", "~//", "{~,~/a}", "~{,/b}", "~\\/x", "~x", "a=~:b", "${u:-~}", "${u:-a:~}", '"${u:-~}"', "~#",
               ":~", "=~", "~=", "~,", "~`echo`", "~$(echo)", "~;", "~+x", "~ ~")
    return "\n".join([g.pick("HOME=/h/me", "HOME=", "HOME='/a b'", "HOME=/", "HOME='*'", "HOME=/x/"), g.pick("", "cd . ; ", "OLDPWD=/old", "unset OLDPWD", "PWD=/fake"), "v=val; unset u",
                      g.pick(show_words(t), f"x={t if ' ' not in t else '~'}; echo \"$x\"", f"x=a:{t if ' ' not in t else '~'}:~; echo \"$x\"", f"[[ {t if ' ' not in t else '~'} == /* ]]; echo $?", f"case {t if ' ' not in t else '~'} in /h*) echo h;; ~) echo t;; *) echo o;; esac", f"case /h/me in {t if ' ' not in t else '~'}) echo m;; *) echo n;; esac",
                             f"a=({t} [3]={t if ' ' not in t else '~'}); declare -p a", f"for i in {t}; do echo $i; done", f"export x={t if ' ' not in t else '~'}; echo $x", f"declare y=b:{t if ' ' not in t else '~'}; echo $y", f"echo ${{v/val/{t}}} ${{v#{t}}}", f"x+={t if ' ' not in t else '~'}; echo \"$x\"", f"alias al={t if ' ' not in t else '~'}; alias al; unalias al",
                             f"eval 'echo {t}'" if "'" not in t else "echo ~", f"cat <<< {t if ' ' not in t else '~'}", f"(set -o posix; echo {t}; x={t if ' ' not in t else '~'}; echo $x)", f"env x={t if ' ' not in t else '~'} printenv x", f"cat <<E\n{t}\nE"), 'HOME=$PWD; unset x y'])


# Substitutions.

def inner(g):
    return g.pick("echo a", "echo 'a  b'", 'echo "$v"', "printf 'x\\n\\n\\n'", "printf '\\n\\na'", "echo $v", "echo \\$v", 'echo "\\$v"', "echo $(echo n)", "echo `echo n`", "echo ')' '('", 'echo ")"', "case a in a) echo c;; esac", "case a in (a) echo p;; esac", "(echo sub)", "{ echo grp; }",
                  "echo a; echo b", "echo a # c )\n", "true", "false", "exit 3", "cat <<I\nhd $v\nI\n", "echo a | cat", "echo err >&2", "echo ${v:-)}", "echo ${u:-\")\"}", "x=1; echo $x", "for i in 1 2; do echo $i; done", "echo $((1+(2)))", "f() { echo fn; }; f", "echo \\\\ \\\" \\'", "echo '\\'",
                  "printf 'a\\0b'", "echo -n", "[[ a == a ]] && echo y", "echo \\\na", "", " ", "# only\n", "echo {1..3}", "echo *", "echo ~", "(( 1 )); echo $?", "echo $'a\\tb'", "echo a;", "if true; then echo t; fi", "echo \"a'b\"", "set -- z; echo $1", "echo \"$(echo \"in $(echo deep)\")\"")


@word("subst.command")
def command_word(g):
    text = inner(g)
    return g.pick(f"$({text})", f'"$({text})"')


@statement("subst.command")
def commands(g):
    text = inner(g)
    sub = f"$({text})"
    return "\n".join([setting(g), g.pick(show_words(sub), show_words(f'"{sub}"'), show_words(f'a{sub}b "c{sub}d"'), f"x={sub}; echo \"$? $x\"", f"x=\"{sub}\"; echo \"$? $x\"", f"echo \"${{u:-{sub}}}\"", f"[[ {sub} == a* ]]; echo $?", f"case {sub} in a*) echo m;; *) echo n;; esac", f"cat <<E\n{sub}\nE", f"cat <<< {sub}",
                                         f"a=({sub}); declare -p a", f"for i in {sub}; do echo \"[$i]\"; done", f"{sub} 2>/dev/null; echo $?", f"x=$(( {sub} + 0 )) 2>/dev/null; echo $x", f"export x={sub}; echo $?", f"local_() {{ local x={sub}; echo \"$? $x\"; }}; local_", f"echo ${{v/{sub}/z}}", f"echo $({text}) $({inner(g)})"), "unset x"])


@statement("subst.backquote")
def backquotes(g):
    text = g.pick("echo a", "echo \\$v", "echo \\\\$v", "echo \\\\\\$v", "echo '\\$v'", 'echo "$v"', 'echo \\"$v\\"', "echo \\`echo in\\`", "echo \\\\", "echo '\\\\'", "echo \\\\\\\\", "echo \\a", "echo 'a b'", "echo $(echo x)", "echo a; echo b", "echo \\\"", "printf '%s\\n' \\\\n", "echo \"\\\\\"", "echo '`"[:6] + "'", "echo # c", "",
                  "echo \\\n x", "cat <<I\nhd\nI\n", "echo \\'", "echo ${v:-\\`}", "echo $((1+1))", "echo \"a \\`echo b\\`\"")
    return "\n".join([setting(g), g.pick(show_words(f"`{text}`"), show_words(f'"`{text}`"'), f"x=`{text}`; echo \"$x\"", f'x="`{text}`"; echo "$x"', f"cat <<E\n`{text}`\nE", f"echo ${{u:-`{text}`}}", f'echo "${{u:-`{text}`}}"', f"a=(`{text}`); declare -p a"), "unset x"])


@statement("subst.file")
def files(g):
    return "\n".join([f"printf '%s' {g.value()} > f", g.pick(show_words('"$(<f)"'), show_words("$(<f)"), show_words('"$(< f)"'), 'x=$(<f); echo "$? $x"', 'echo "$(<nofile)" $?', "x=$(<nofile); echo $?", 'echo "`<f`"', 'echo "$(<f cat)"', 'echo "$(<f; echo x)"', 'echo "$(< f 2>/dev/null)"', 'echo "$(<$v)"', 'v=f; echo "$(<$v)"', 'echo "$(<<E\nx\nE\n)"',
                                                             'echo "$(<<<x)"', 'echo "$(>f2)"; ls', 'echo "$(<f <f)"', 'x=$(<f)y; echo "$x"', 'a=($(<f)); declare -p a', 'for w in $(<f); do echo "[$w]"; done', 'echo "$(<"f")"', 'echo "$(0<f)"', 'cat <<< "$(<f)"', "echo $(<f | cat)"), "rm -f f f2; unset x v"])


@statement("subst.process")
def processes(g):
    return "\n".join([setting(g), g.pick("cat <(echo a) <(echo b)", "cat < <(echo in)", "while read l; do x=$l; done < <(printf '1\\n2\\n'); echo $x", "read a1 < <(echo 'p q'); echo $a1", "f() { cat \"$1\"; }; f <(echo fn)", "echo x > >(cat); wait $!", "cat <(cat <(echo deep))", "mapfile -t m < <(printf 'a\\nb\\n'); declare -p m",
                                         "paste <(seq 2) <(seq 3 4)", "x=\"<(echo)\"; echo \"$x\"", "echo \"<(echo q)\"", "cat <(echo \"$v\")", "cat <(exit 3); echo $?", "comm <(printf 'a\\nb\\n') <(printf 'b\\nc\\n')", "[[ -p <(:) || -r <(:) ]]; echo $?", "cat <(echo 'a)b' \")\")", "tee >(cat >&2) <<< t 2>&1 >/dev/null | cat", "cat <(cat <<E\nhd\nE\n)",
                                         "for i in 1 2; do cat <(echo $i); done", "wc -l < <(printf '1\\n2\\n')", "cat <(echo ${u:-d}) <(echo \"${a[@]}\")", "x=$(cat <(echo s)); echo $x", "cat < <(cat < <(echo n))"), "unset x"])


# Arithmetic expansion in all the places where a word may stand.

def number(g):
    return g.pick("1", "0", "-1", "x", "$x", "${x}", "y", "z", "x+1", "(x)", "a[0]", "a[1]", "${#v}", "$#", "08"[:1], "0x1F", "2#101", "36#z", "x++", "--x", "-x", "!x", "~x", "x=3", "x+=2", "x?1:2", "1,2", "x<<1", "2**3", "7/2", "7%3", "-7/2", "-7%3", "x==1", "x&&y", "x||y", "x^1", "x|4", "x&1", "1 ", " 1", "010", "\"1\"", "$(echo 4)",
                  "`echo 5`", "$((1+1))", "x>y", "x<=y", "(1+2)*3", "1+", "1 2", "'1'", "08", "1/0", "x y", "@", "9223372036854775807+1", "2#3", "1.5", "x=", "", "${u:-2}", "64#_", "0b1", "x[0]", "++", "3?", "a", "v")


@word("arith.expansion")
def arithmetic_word(g):
    return f"$(({g.pick('1+1', '2*3', 'x', '7/2', '1<2', '${#v}', '2**3', '-5%3', '0x1f', '$#')}))"


@statement("arith.expansion")
def arithmetic(g):
    n = number(g)
    e = f"$(({n}))"
    place = g.pick(f"echo {e}", f'echo "{e}"', f"x2={e}; echo $x2", f"v2=abcdef; echo ${{v2:{n}:{number(g)}}}", f"a=(p q r s); echo \"${{a[{n}]}}\"", f"a[{n}]=new; declare -p a", f"a=([{n}]=e); declare -p a", f"(( {n} )); echo $?", f"let '{n}' 2>&1; echo $?" if "'" not in n else "let 1",
                   f"[[ {n.replace(' ', '') or 0} -eq 1 ]]; echo $?" if not set("()<>&|'\"`$?") & set(n) else "echo -", f"cat <<E\n{e}\nE", f"cat <<< {e}", f"case {e} in 1) echo one;; *) echo other;; esac", f"for (( i=0; i<2; i++, {n if n and ';' not in n else 'x'} )); do echo $i; done", f"echo $[{n}]" if "]" not in n else "echo", f"echo ${{u:-{e}}}",
                   f"declare -i d={single_quoted(n)}; echo $d", f"echo a{e}b{e}", f"set -- {e} {e}; echo $#", f"echo {{1..{e}}}", f"x=({e}); echo $x", f"printf '%d\\n' {e}", f"echo $(( {e} + {number(g)} ))", f"unset d; declare -i d; d+={single_quoted(n)}; echo $d")
    return "\n".join([f"x={g.pick('1', '5', '-3', '0', '', 'y', '1+1', '08', 'z', '0x10')} y=2 z=x v=abc; unset u; a=(4 5)", f"( {place}\n); echo $?", "unset d"])
