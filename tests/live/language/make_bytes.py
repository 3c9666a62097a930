"""Bytes that are no characters, NULs, carriage returns, long words, locales."""
import re

from contexts import here, inner_shell
from grammar import statement, word


def piece(g):
    """A $'…' word with bytes that may or may not make characters."""
    return "$'" + "".join(g.pick("a", "b", "\\xff", "\\xc3", "\\xa9", "\\xc3\\xa9", "é", "\\xe6\\x97", "\\xe6\\x97\\xa5", "日", "\\xf0\\x9f\\x98\\x80", "\\x80", "\\x01", "\\x7f", "\\t", "\\n", " ", "\\r", "Z", "\\xc0\\x80", "\\xed\\xa0\\x80", "ß", "İ", "\\e", "*", "\\\\", "?", "\\'", "\"", "\\u00e9", "\\U1F600", "\\u0301", "/", "$", "ı", "\\xe2\\x80\\xa8", "\\xc2\\xa0", "\\xc2\\x85", "\\200", "\\cA", "ÿ", "ǆ")
                          for _ in range(g.number(0, 6))) + "'"


def bytes_pattern(g):
    return g.pick("?", "*", "??", "[!a]", "[é]", "[a-é]", "[[:alpha:]]", "[![:ascii:]]", "[[:print:]]", "[[:cntrl:]]", "[[:space:]]", "$'\\xff'", "$'\\xc3'", "?$'\\xa9'", "[$'\\xff']", "[$'\\x80'-$'\\xff']", "a?", "?b", "é", "[^é]", "*$'\\xff'*", "[[:upper:]]", "[[:lower:]]", "@(é|a)", "$'\\n'", "日", "[日]*", "[[=e=]]", "[[:alnum:]]*", "[[:punct:]]", "\\*", "$'\\r'")


SHOW = "show() { printf '<%s>' \"$@\" | od -An -tx1 | tr -d '\\n'; echo \" $#\"; }"


def use(g):
    p = bytes_pattern(g)
    text = g.pick('show "${#v}"', 'show "${v:0:1}"', 'show "${v:1:1}"', 'show "${v: -1}"', 'show "${v:1}"', 'show "${v:0:-1}"', f'show "${{v#{p}}}"', f'show "${{v##{p}}}"', f'show "${{v%{p}}}"', f'show "${{v%%{p}}}"', f'show "${{v/{p}/X}}"', f'show "${{v//{p}/X}}"', f'show "${{v//{p}}}"', f'show "${{v/#{p}/X}}"', f'show "${{v/%{p}/X}}"', 'show "${v^}"', 'show "${v^^}"', 'show "${v,}"', 'show "${v,,}"', 'show "${v~~}"', f'show "${{v^^{p}}}"',
                  'printf "%q\\n" "$v"', 'show "$(printf %q "$v")"', 'show "${v@Q}"', 'show "${v@A}"', 'show "${v@E}"', 'show "${v@U}"', 'show "${v@L}"', 'show "${v@u}"', 'show "${v@K}"', 'declare -p v', 'set | grep -a ^v= | od -An -c', 'show $v', 'show "$v"', "IFS=${w//$'\\x01'}; show $v", f'IFS={piece(g)}; show $v', "IFS=${v//$'\\x01'}; show $w; show \"$*\"", f'case $v in {p}) echo m;; *) echo n;; esac', f'[[ $v == {p} ]]; echo $?', f'[[ $v =~ {g.pick(".", "^.$", "^..$", "[^a]", "é", "^[[:alpha:]]+$", "(.)(.)")} ]]; echo $?; show "${{BASH_REMATCH[@]}}"',
                  '[[ $v < $w ]]; echo $?', '[[ $v == $w ]]; echo $?', '[ "$v" \\> "$w" ]; echo $?', 'printf "%s" "$v" | od -An -tx1', 'printf "%b" "$v" | od -An -tx1', 'printf "%5s|%-4s|%.2s|\\n" "$v" "$v" "$v" | od -An -tx1', 'printf "%c" "$v" | od -An -tx1', "printf '%d\\n' \"'$v\"", 'echo "$v" | od -An -tx1', 'echo -e "$v" | od -An -tx1', 'read -r x <<< "$v"; show "$x"', 'read x <<< "$v"; show "$x"', 'read -n 1 x <<< "$v"; show "$x"', 'read -N 2 x <<< "$v"; show "$x"', 'read -d é x <<< "$v"; show "$x"', 'read -ra x <<< "$v"; show "${x[@]}"',
                  'read -d "$w" x <<< "$v"; show "$x"', 'mapfile -t m <<< "$v"; show "${m[@]}"', 'mapfile -d "$w" m <<< "$v"; show "${m[@]}"', 'a=([5]="$v" "$w"); declare -p a', 'declare -A h=(["$v"]=1); declare -p h; show "${!h[@]}"', 'x=$(printf %s "$v"); show "$x"', 'show "$(cat <<< "$v")"', 'cat <<T | od -An -tx1\n$v\nT', 'set -x; : "$v"; set +x', 'trap "$v" USR1; trap -p', 'alias x="$v"; alias x', 'f() { show "$@"; }; f "$v"', 'eval "show $(printf %q "$v")"', 'eval "show ${v@Q}"',
                  'export v; printenv v | od -An -tx1', 'bash -c \'printf "%s" "$1" | od -An -tx1\' _ "$v"', ': > "f$w.x"; for q in f*; do show "$q"; done', ': > "f${v//\\//}"; show f*', 'show "${v:${#w}}"', '"$v"', 'show "${!v}"', 'x=$v; x+=$w; show "${#x}" "$x"', 'local "$v"', 'unset "$v"', 'show $(echo "$v")', 'show `echo "$v"`', 'printf -v x %s "$v$w"; show "$x"', 'declare -u x=$v; show "$x"', 'declare -l x=$v; show "$x"', 'declare -c x=$v; show "$x"', 'show "${v:-$w}" "${u:-$v}"', 'show {$v,$w}', 'echo $(( ${#v} + ${#w} ))', 'compgen -W "$v" | od -An -c', 'select x in "$v"; do break; done <<< 1 2>&1 | od -An -c', 'show "${v@P}"', 'printf "%(%Y)T$w\\n" 0 | od -An -c', 'echo ${v:?$w}', 'hash "$v"', 'cd "$v"', 'type "$v"', '. "$v"', 'test -n "$v" -a "$v" = "$v"; echo $?', 'case é in ?) echo one;; ??) echo two;; esac', 'show "${v//[$w]/_}"', 'show "${v##*[$w]}"', "printf '%s\\n' \"$v\" | while read -r l; do show \"$l\"; done", "printf '%s\\0' \"$v\" \"$w\" | while IFS= read -r -d '' l; do show \"$l\"; done", 'wc -c <<< "$v"', 'show "${v::2}" "${w: -2:1}"', 'x=("${v:0:1}" "${v:1:1}"); show "${x[@]}"', '$v=1', 'printf "%ls|%.1ls|%lc\\n" "$v" "$v" "$v" | od -An -c', 'history -s "$v"', 'help "$v"', 'kill -l "$v"', 'exec 3<<< "$v"; read -u 3 x; show "$x"')
    # Of whole characters alone: changing case, bash writes the bytes of one that is cut off twice.
    if re.search(r"\{v[\^,~]|v@[ULu]|declare -[ulc]", text):
        return "c=" + g.pick("$'aéİ日ßÿ\\t'", "ǆ", "'Aé b'", "ııÉ", "$'\\U1F600z'") + "; " + text.replace("{v", "{c").replace("$v", "$c")
    # Where IFS is no text of whole characters, bash looks into a buffer that it has not filled.
    if re.match(r"IFS=\$", text):
        chars = "".join(g.pick("é", "日", "\\U1F600", "\\u00a0", "\\u0301", " ", ":", "\\n", "a", "\\t", "\\u2028", "ß") for _ in range(g.number(1, 4)))
        return f"IFS=$'{chars}'; " + text.split("; ", 1)[1]
    # bash's own marks in a text, \001 and \177, are lost in a word list.
    return text.replace('compgen -W "$v"', "compgen -W \"${v//[$'\\x01\\x7f']}\"")


def locale(g):
    return g.pick("", "", "", "LC_ALL=C\n", "LC_ALL=C.UTF-8\n", "LC_CTYPE=C\n", "LANG=C\n", "unset LANG LC_ALL\n", "export LC_ALL=C\n", "LC_ALL=POSIX\n")


@statement("bytes.uses")
def uses(g):
    return inner_shell(g, SHOW + f"\n{g.pick('', 'shopt -s extglob' + chr(10))}{locale(g)}v={piece(g)} w={piece(g)}\n" + "\n".join(use(g) for _ in range(g.number(1, 4))) + '\necho "next=$?"', g.pick("", "", "", " -u", " -o posix"))


@statement("bytes.locale-change")
def locale_change(g):
    return inner_shell(g, SHOW + f"\nv={piece(g)} w={piece(g)}\n" + use(g) + "\n" + locale(g) + use(g) + "\nLC_ALL=\n" + use(g) + "\nunset LC_ALL\n" + use(g), "")


@statement("bytes.nul")
def nuls(g):
    made = g.pick("'a\\0b'", "'\\0'", "'a\\0\\0b\\0'", "'\\0\\n\\0'", "'x\\0\\n'", "'a\\nb\\0zz\\n\\n'", "'%s\\0' a b", "'\\xff\\0\\xfe'")
    return inner_shell(g, SHOW + "\n" + g.pick("x=$(printf {}); show \"$x\"", "show $(printf {})", "show \"`printf {}`\"", "printf {} | { read -r x; show \"$x\"; }", "printf {} | { read -r -d '' x; show \"$x\"; }", "printf {} | { IFS= read -r -d '' -n 3 x; show \"$x\"; }", "printf {} | { read -N 3 x; show \"$x\"; }", "printf {} > f; show \"$(<f)\"", "printf {} > f; read x < f; show \"$x\"",
                                         "printf {} | { mapfile -t m; show \"${m[@]}\"; }", "printf {} | { mapfile -d '' m; show \"${m[@]}\"; }", "printf {} | { mapfile -d '' -t m; show \"${m[@]}\"; }", "printf {} > f; . ./f", "printf {} > f; bash ./f", "printf {} | bash", "printf 'echo hi'{} > f; bash ./f", "printf 'echo a\\necho '{} > f; . ./f", "bash -c \"$(printf {})\"", "eval \"$(printf 'echo '{})\"", "for i in $(printf {}); do show $i; done",
                                         "cat <<< \"$(printf {})\" | od -An -c", "printf {} | cat | od -An -c", "printf -v x {}; show \"$x\"", "x=$(printf {} | cat); show \"${#x}\"", "echo -en {} | od -An -c", "show $'a\\0b'", "show $'\\x00z' b", "show $'a\\c@b'", "show \"$(echo -e {})\"", "show \"$(printf {}; printf {})\"", "printf %b {} | od -An -c", "printf {} | while read -r l; do show \"$l\"; done", "x=$(< <(printf {})); show \"$x\"", "case $(printf {}) in ab) echo m;; *) echo n;; esac", "declare x=$(printf {}); show \"$x\"", "show a\"$(printf {})\"b").replace("{}", made) + '\necho "next=$?"')


@statement("bytes.carriage")
def carriage(g):
    lines = ["echo a", "x=1", "echo \"$x\"", "if true; then", "echo in", "fi", "for i in 1; do", "echo $i", "done", "cat <<E", "body", "E", "case a in", "a) echo c;;", "esac", "f() {", "echo f", "}", "f", "true", "nosuch", "exit 3", "cd .", "echo 'q", "q2'", "", "# c", "echo a \\", "  b", "set -u", "set -o pipefail", "[ a = a ]", "[[ a == a ]]", "(( 1 ))", "return", "shift", "break", "export y=2", "a=(1 2)", "echo ${a[1]}", "{ echo g; }", "echo $((1+1))", "read z"]
    if g.chance(0.5):
        start = g.number(0, len(lines) - 1)
        chosen = lines[start:start + g.number(1, 5)]
    else:
        chosen = [g.pick(lines) for _ in range(g.number(1, 4))]
    all_of_them = g.chance(0.6)
    text = "".join(line + ("\r" if all_of_them or g.chance(0.3) else "") + "\n" for line in chosen)
    return g.pick(lambda: here("f", text.rstrip("\n"), "STOP") + "\nbash ./f 2>&1 | od -An -c", lambda: here("f", text.rstrip("\n"), "STOP") + "\n(. ./f) 2>&1 | od -An -c", lambda: inner_shell(g, text).replace("END", "STOP"), lambda: here("f", text.rstrip("\n"), "STOP") + "\nbash -c \"$(cat f)\" < /dev/null 2>&1 | cat -A", lambda: here("f", text.rstrip("\n"), "STOP") + "\n(eval \"$(cat f)\") < /dev/null 2>&1 | cat -A")()


@statement("bytes.script")
def in_script(g):
    """Raw bytes in the text of a script."""
    raw = g.pick("\\xff", "\\xc3", "\\xc3\\xa9", "\\x01", "\\x7f", "\\xc2\\xa0", "\\x80", "\\e", "\\x0c", "\\x0b", "\\xef\\xbb\\xbf", "\\x02", "\\x81\\x82", "\\xe2\\x80\\x99", "\\x1a", "\\b")
    text = g.pick("echo a%b", "%b", "echo '%b' \"%b\"", "x=%b; echo $x", "%b=1", "%b() { echo f; }; %b", "echo a%bb | od -An -c", "# %b\\necho c", "cat <<%b\\nx\\n%b", "cat <<E\\n%b\\nE", "echo $'%b'", "case %b in ?) echo 1;; *) echo 2;; esac", "for i in %b; do echo $i; done", "alias %b=true; %b", "[[ a == %b ]]", "(( %b ))", "${%b}", "echo ${x%b}", "echo ${x:-%b}", "$%b", "echo a%b; echo )", "if%b", "a[%b]=1", "declare %b=1", "#!/bin/bash%b\\necho x", "echo *%b*", "%b echo x", "echo x%b", "export a%b=1", "unset %b", "trap %b EXIT", "function %b { :; }; declare -F", "echo \"${x//%b/y}\"", "printf '%%s' \"%b\"", "echo \\\\%b", "echo ~%b", "echo {%b,a}", "%b%b && echo", "echo `echo %b`", "x='%b'; echo ${#x} ${x@Q}; printf '%%q\\n' \"$x\"")
    if raw in ("\\x01", "\\x7f") and "echo" not in text:     # in messages bash puts a byte of its own in front of these two
        text = "echo a%bb | od -An -c"
    count = text.count("%b")
    return f"printf '{text.replace(chr(39), chr(39) + chr(92) + chr(39) + chr(39))}\\n' " + " ".join([f"'{raw}'"] * max(count, 1)) + " > f\n" + g.pick("bash ./f", ". ./f", "bash < f", "bash -c \"$(cat f)\"", "(eval \"$(cat f)\")", "bash -n ./f", "LC_ALL=C bash ./f", "bash -o posix ./f", "bash -v ./f", "bash -x ./f") + " 2>&1 | od -An -c"


@statement("bytes.long")
def long_ones(g):
    n = g.pick("300", "4095", "4096", "4097", "9000", "70000")
    return inner_shell(g, f"printf -v L '%{n}s' ''; L=${{L// /x}}\n" + g.pick("echo ${#L}", "v=$L$L; echo ${#v}", "echo \"$L\" | wc -c", "cat <<T | wc -c\n$L\nT", "cat <<< \"$L\" | wc -c", "read -r x <<< \"$L\"; echo ${#x}", "eval \"x=$L\"; echo ${#x}", "eval \"$L=1\"; echo $?", "declare \"$L=5\"; echo ${!L}", "echo ${L//x/yy} | wc -c", "case $L in x*x) echo m;; esac", "[[ $L =~ ^x+$ ]] && echo m", "f() { echo ${#1}; }; f \"$L\"", "echo $(( 1${L//x/0} )) 2>&1 | wc -c", "eval \"${L}() { echo f; }\"; $L",
                                         "echo \"echo $L\" > f; bash ./f | wc -c", "printf '%s\\n' \"$L\" > f; while read -r l; do echo ${#l}; done < f", "x=$(echo $L); echo ${#x}", "echo ${L:5:10} ${L: -3}", "a=($L $L); echo ${#a[1]}", "set -- $L; echo ${#1}", "echo ${L@Q} | wc -c", "printf %q \"$L\" | wc -c", "printf '%.5s\\n' $L", "mapfile -t m <<< \"$L\"; echo ${#m[0]}", "bash -c \"echo ${L:0:3}; : $L\"", "echo > \"${L:0:255}\"; ls | wc -c", "echo > \"${L:0:256}\"", "cd \"$L\"", "\"${L:0:300}\"", "[ -e \"$L\" ]; echo $?", "[[ $L < ${L}a ]]; echo $?", "echo ${L^^} | cksum", "alias z=\"echo $L\"; alias z | wc -c", "trap \"echo $L | wc -c\" EXIT", "export L; env | wc -l | tr -d ' ' > /dev/null; echo ok", ": ${L:?}", "echo ${L%%x} | wc -c", "IFS=x; set -- $L; echo $#", "printf '%s\\n' {1..50}$L | wc -c") + '\necho "next=$?"', g.pick("", " -u"))


@word("bytes.word")
def bytes_word(g):
    return g.pick(piece(g), f'"${{v//{bytes_pattern(g)}/x}}"', '"${v:1:2}"', '"${v^^}"', '"${v@Q}"')
