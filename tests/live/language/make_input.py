"""read, mapfile and readarray."""
from grammar import single_quoted, statement

DATA = ("a b c\\n", "  a   b  \\n", "one\\ntwo\\nthree\\n", "no newline", "a\\\\ b\\\\\\nc d\\n", "a:b::c:\\n", "\\n", "", "a\\tb\\t\\n", "x\\0y\\0z\\0", "a\\0b\\n", "::\\n", ":a:\\n", " : a : b : \\n", "line\\\\\\ncontinued\\n", "a\\\\tb\\n", "back\\\\slash\\\\\\\\end\\n", "é日本 ß\\n", "\\xff\\xfeab\\n",
        "a,b,c\\n", "k=v w=x\\n", "1 2 3 4 5\\n", "\\\\\\n\\\\\\nx\\n", "q\\\\", "a\\n\\nb\\n", "'q' \"d\"\\n", "*\\n", "a b\\n\\n\\n", "aXbXc", "tail \\n", "\\\\a \\\\b\\n", "\\r\\n", "-n x\\n", "a\\001b\\177c\\n", "\\\\:a:b\\n", "a b c ", "a:b:c::", "\\303", "12345", "ab\\ncd")
SEPARATORS = ("' '", ":", "','", "''", "$'\\n'", "$' \\t'", "': '", "X", "'\\\\'", "a", "$'\\t'", "' :'", "$'\\n:'", "é", "b", "$'\\001'", "$'\\177'", "'*'", "0", "n", "x", "' \\'")


def data(g):
    if g.chance(0.8):
        return g.pick(*DATA)
    pieces = [g.pick("a", "b", " ", "  ", ":", "\\n", "\\\\", "\\\\\\n", "\\t", "\\0", "é", "c") for _ in range(g.number(0, 10))]
    # A backslash with nothing to quote behind it, a NUL or the end, leaves a byte of bash's own (\001) in the value.
    return "".join(piece for piece, following in zip(pieces, pieces[1:] + ["\\0"]) if piece != "\\\\" or following not in ("\\0", "\\\\"))


def names(g, low=0, high=4):
    return g.many(low, high, lambda: g.pick("v", "w", "x1", "arr", "'arr[1]'", "'map[k]'"))


def options(g, low=0, high=3):
    return g.many(low, high, lambda: g.pick("-r", "-r", "-a arr", "-d :", "-d ''", "-d X", "-n 3", "-n 1", "-N 2", "-N 5", "-n 0", "-N 0", "-s", "-d '\\n'", "-d ' '", "-e", "-p P", "-t 5", "-d é", "-n 20", "-i x", "-ra arr", "-d ab", "-u 0", "-rn2", "-d a", "-n2", "-N3 -r", "-t 0.5", "-d \\\\"))


SET_UP = "unset -v v w x1 arr map REPLY; v=old w=old x1=old arr=(o p q); declare -A map=([k]=old)"
SHOW = "echo $?; declare -p v w x1 arr map REPLY 2>&1"


def fed(g, command):
    return f"printf '{data(g)}' > in; {command}"


@statement("builtin.read.options")
def read_options(g):
    separators = g.pick("", "", f"IFS={g.pick(*SEPARATORS)} ")
    return f"{SET_UP}\nprintf '{data(g)}' > in\n{separators}read {options(g)} {names(g)} < in; {SHOW}"


@statement("builtin.read.separators")
def read_separators(g):
    return f"{SET_UP}\nprintf '{data(g)}' > in\nIFS={g.pick(*SEPARATORS)} read {g.pick('', '-r ')}{g.pick('-a arr', names(g, 0, 4), names(g, 1, 3))} < in; {SHOW}"


@statement("builtin.read.loop")
def read_loop(g):
    return f"printf '{data(g)}{data(g)}' > in; while {g.pick('', 'IFS= ', 'IFS=: ')}read {g.pick('', '-r ', '-rd : ', '-n 2 ', '-rN 3 ')}{g.pick('v', 'v w', '', '-a arr')}; do printf '<%s>' \"$v\" \"$w\" \"$REPLY\" \"${{arr[@]}}\"; done < in; echo \"$? [$v]\""


@statement("builtin.read.rest")
def read_rest(g):
    return f"{SET_UP}\nprintf '{data(g)}rest\\n' | {{ {g.pick('', 'IFS= ')}read {options(g)} {names(g, 0, 2)}; {SHOW}; cat; }}"


@statement("builtin.read.errors")
def read_errors(g):
    bad = g.pick("-z", "-n", "-n x", "-n -1", "-N x", "-t x", "-t -1", "-t", "-u", "-u x", "-u 9", "-u -1", "-u 99999", "1a", "''", "a-b", "'arr['", "'arr[]'", "'arr[@]'", "v 1a", "1a v", "-a 1a", "-a map", "-a v", "-d", "-p", "-i", "-a", "'arr[-9]'", "'v w'", "ro", "v ro w", "-a ro", "-N 1 ro", "-n 1 ro", "-n 1.5", "-n 99999999999999999999", "-t 1e", "-t 1.2.3",
                 "--", "-- v", "-t ''", "-n ''", "-u ''", "-n 0x2", "-n 1x", "-t .", "-t 5.", "-nx", "-a 'arr[1]'", "ref", "bad", "-a int", "int", "up", "-a ''", "-u 1x", "'map[]'", "-q v", "--help x", "-r -z v", "-u 0 v", "- v", "-t 0", "-t 0 v", "-t -0", "-N", "int w", "map", "arr", "'map[k]' w", "-N 0 v", "-n 0 v", "-E v", "-N 1 -a arr")
    return f"{SET_UP}\n(\ndeclare -r ro=r; declare -n ref=w bad=v; declare -i int; declare -u up\nread {bad} <<< {g.pick('a', chr(39) + 'a b c' + chr(39), '1+2', g.value())} > out; {SHOW}; declare -p ro int up\n)"


@statement("builtin.read.from")
def read_from(g):
    form = g.pick("read v < missing", "read v < /dev/null", "read v <&-", "read v w <<< 'a b'", "read -u 3 v 3< in", "exec 4< in; read -u 4 v; read -u 4 w; exec 4<&-", "read -u 4 v", "read < <(echo p q)", "echo x | read v", "printf 'a\\nb\\n' | { read v; read w; }", "read v <<E\na \\\nb\nE", "read -r v <<'E'\na \\\nb\nE",
                  "read v < .", "cat in | while read -r v; do w+=$v; done", "read -t 0 < in", "read -t 0 <&-", "read -p prompt v < in 2>&1", "read -ep prompt v < in", "read -s v < in", "read -t 0.01 v < <(sleep 0.3)", "shopt -s lastpipe; echo l | read v; shopt -u lastpipe", "read v; read w", "read 2> /dev/null v w < in", "TMOUT=5 read v < in", "REPLY=r read < in", "v=t read v < in", "IFS=: read -r v IFS < in; IFS=$' \\t\\n'",
                  "read IFS < in; IFS=$' \\t\\n'", "read -a v < in", "read -a map < in", "read -a arr -N 3 < in", "read -u3 v 3<<< three", "read -n 1 -d '' v < in", "read v v v < in", "read arr < in", "read -r 'arr[5]' 'map[z]' < in", "read 'arr[1+1]' < in", "read PATH v < /dev/null; echo ${PATH:+set}; PATH=/usr/bin:/bin", "f() { local v; read v; echo $v; }; f < in", "f() { read $1; }; f v < in")
    return f"{SET_UP}\nprintf '{data(g)}' > in\n{form} < /dev/null; {SHOW}" if form == "read v; read w" else f"{SET_UP}\nprintf '{data(g)}' > in\n{form}\n{SHOW}"


@statement("builtin.mapfile.options")
def mapfile(g):
    text = "".join(g.pick("a", "b c", "\\n", "\\n", ":", "line\\n", "\\0", "é", "x\\n", "\\\\", " ") for _ in range(g.number(0, 10)))
    opts = g.many(0, 3, lambda: g.pick("-t", "-d :", "-d ''", "-d X", "-n 2", "-n 0", "-n 1", "-O 2", "-O 0", "-O 5", "-s 1", "-s 0", "-s 9", "-u 0", "-td :", "-c 1", "-tn 1", "-d '\\n'", "-d é", "-d ab", "-O1", "-tc 2"))
    return f"{SET_UP}\nprintf '{text}' > in\n{g.pick('mapfile', 'readarray')} {opts} {g.pick('', 'arr', 'v', 'fresh')} < in; echo $?; declare -p v arr MAPFILE fresh 2>&1; unset -v MAPFILE fresh"


@statement("builtin.mapfile.callback")
def callback(g):
    call = g.pick("echo", "'echo >'", "cb", "'cb x'", "'printf \"<%s>\" a b'", "'eval echo'", "false", "none", "'echo \"${#arr[@]}\"'", "''", "'cb;'", "'return 3'", "break", "'echo $v'", ":")
    return f"{SET_UP}\ncb() {{ echo \"cb:$#:$1:$2:$3:${{#arr[@]}}\"; {g.pick('', 'return 2', 'arr+=(q)', 'false', 'v=$1')}; }}\nprintf 'l1\\nl2\\nl 3\\n$v\\nl5\\n' > in\nmapfile {g.pick('', '-t ')}-C {call} {g.pick('-c 1', '-c 2', '', '-c 9', '-c 3')} {g.pick('', '-O 3 ', '-s 1 ', '-n 3 ', '-n 4 -O 1 ')}arr < in; echo $?; declare -p arr v"


@statement("builtin.mapfile.errors")
def mapfile_errors(g):
    bad = g.pick("-z", "-n", "-n x", "-n -1", "-O x", "-O -1", "-s x", "-s -1", "-c 0", "-c -1", "-c x", "-u 9", "-u x", "-u -1", "1a", "''", "a-b", "'arr[1]'", "map", "ro", "v", "arr extra", "-C", "-d", "-t -q arr", "int", "-n 99999999999999999999", "-O 99999999999", "ref", "-- arr", "--help x", "-u", "-c", "-n 1x arr", "-O '' arr", "-n '' arr", "badref", "-c 0 -C echo arr",
                 "-C echo -c 1 1a", "'v w'", "-u 1 -u 0 arr", "-O 4 v", "roarr", "arr 1a")
    return f"{SET_UP}\n(\ndeclare -r ro=r; declare -ar roarr=(1); declare -i int; declare -n ref=w; declare -n badref='arr[1]'\nmapfile {bad} <<< {g.pick('a', g.value())} > out; echo $?; declare -p v w arr map int MAPFILE 2>&1\n)"


@statement("builtin.mapfile.from")
def mapfile_from(g):
    form = g.pick("mapfile arr < missing", "mapfile arr < /dev/null", "mapfile arr <&-", "mapfile -u 3 arr 3< in", "mapfile -t arr < <(cat in)", "mapfile -n 1 arr < in", "cat in | mapfile arr", "{ mapfile -n 1 arr; read -r v; } < in", "mapfile -t < in; declare -p MAPFILE", "mapfile -t arr <<< \"$v\"", "f() { local arr; mapfile arr; declare -p arr; }; f < in", "f() { local -a fresh; mapfile -t fresh; declare -p fresh; }; f < in",
                  "f() { mapfile -t fresh; }; f < in; declare -p fresh; unset fresh", "{ mapfile -tn 2 arr; cat; } < in", "mapfile -s 1 -n 1 -t arr < in", "mapfile -tO 1 fresh < in; declare -p fresh; unset fresh", "declare -u arr; mapfile -t arr < in", "declare -ai arr; mapfile -t arr <<< 1+1", "IFS=: mapfile -t arr < in", "cat in | { mapfile -n 1 arr; cat; }")
    return f"{SET_UP}\nprintf '{data(g)}{data(g)}' > in\n{form}\necho $?; declare -p arr v"


@statement("builtin.read.echoed")
def read_pieces(g):
    text = single_quoted("".join(g.pick("a", "b", " ", "\\", ":", "\n", "\t", "c") for _ in range(g.number(0, 8))))
    return f"{SET_UP}\nIFS={g.pick(*SEPARATORS)}; read {g.pick('', '-r ')}{g.pick('v', 'v w', 'v w x1', '-a arr', '')} <<< {text}; IFS=$' \\t\\n'; {SHOW}"
