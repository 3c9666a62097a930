"""compgen with every action and option, complete and compopt: listings and errors."""
from grammar import single_quoted
from make_functions import statement

FILES = "mkdir -p cd1 cd2/sub; : > ca; : > cb.c; : > 'c d'; : > .hid; chmod +x ca; "


def words(g):
    return g.pick("'a b c'", "'aa ab ba'", "'a:b:c'", "'$x y'", "'$(echo s t)'", "'\"a b\" c'", "\"'a b' c\"", "'a\\ b c'", "''", "'é ñ'", "'a\nb\nc'", "'{x,y}'", "'*'", "'~'", "'a  b'", "'-n -e'", "'a;b a&b'", "'$((1+2))'", "'`echo q`'", "'A a B'", "'a a'", "'\"'", "'${a[@]}'", "'a=b a:c'", "'<x> <y>'")


def prefix(g):
    return g.pick("", "", "a", "c", "x", "-- a", "''", "'a b'", "-- -n", "z", "ca", "c*", "A", "é", "'$x'", "./c", "cd2/", "~", "a b", "'\"a'", "\\\\")


def option(g):
    return g.pick(f"-W {words(g)}", f"-W {words(g)}", "-P pre", "-S suf", "-X '*b*'", "-X '!*b*'", "-X '&*'", "-X ''", "-X '!&'", "-P '<' -S '>'", "-F cf", "-C cc", "-G 'c*'", "-G '*'", "-G '{x,c}*'", "-o default", "-o nospace", "-o bashdefault", "-o filenames", "-o dirnames", "-o plusdirs", "-o noquote", "-o nosort", "-o nosuch", "-A nosuch", "-V arr", "-x", "-P", "-F nosuchf", "-C nosuchc")


def told(asked):
    """Names of files come in the order of the directory, which is the machine's."""
    files = any(kind in asked for kind in ("-G", "default", "dirs", "dirnames", "-f", "-d", "file", "directory"))
    return " | sort; echo ${PIPESTATUS[0]}" if files else "; echo $?"


ACTIONS = ("alias", "arrayvar", "binding", "builtin", "command", "directory", "disabled", "enabled", "export", "file", "function", "group", "helptopic", "hostname", "job", "keyword", "running", "service", "setopt", "shopt", "signal", "stopped", "user", "variable")
LONG = ("group", "user", "command", "variable", "hostname", "service", "export", "binding")


@statement("compgen.action")
def action(g):
    name = g.pick(*ACTIONS)
    if name in LONG:
        word = g.pick("zz", "nosuch", "vq", "fq", "qq") if name != "binding" else g.pick("ab", "vi-", "zz")
    else:
        word = g.pick("", "a", "b", "e", "c", "n", "S", "SIGI", "x", "h", "f", "sh", "i", "[", "re", "./", "cd2/", "ca", "'c '", ".")
    short = {"alias": "-a", "builtin": "-b", "directory": "-d", "export": "-e", "file": "-f", "job": "-j", "keyword": "-k", "user": "-u", "variable": "-v", "command": "-c", "group": "-g", "service": "-s"}
    option_text = short[name] if name in short and g.chance(0.5) else g.pick("-A ", "-A", "-A ") + name
    if name in ("helptopic",):
        word = g.pick("c", "ec", "zz", "he")
    if name == "builtin" or name == "enabled":
        word = g.pick("c", "ec", "zz", "h", "t", "de")
    return f"({FILES}alias aa=b ab=c 2>/dev/null; fq1() {{ :; }}; fq2() {{ :; }}; vq1=1; arrq=(1); export vqe=2; enable -n caller; compgen {option_text} {g.pick('', '', '', '-P p', '-S s', chr(45) + 'X ' + chr(39) + '*a' + chr(39))} {g.pick('', '-- ')}{word}{told(option_text)}) 2>&1 | cut -c 1-200; rm -rf cd1 cd2 ca cb.c 'c d' .hid"


@statement("compgen.option")
def options(g):
    ifs = g.pick("$IFS", "$IFS", ":", "", "$'\\n'")
    asked = g.many(1, 3, lambda: option(g))
    if not ifs:     # the words given to -C show bash's own byte 1 then
        asked = asked.replace("-C cc", "-C nosuchc")
    return (f"({FILES}x='xa xb'; a=(a1 'a 2'); IFS={ifs}\ncf() {{ COMPREPLY=(f1 'f 2' \"$1\" \"$2\" \"$3\" $COMP_CWORD); echo 'in cf' >&2; }}\ncc() {{ echo c1; echo \"c $1 $2 $3\"; }}; export -f cc\n"
            f"compgen {asked} {prefix(g)}{told(asked)}) 2>&1; rm -rf cd1 cd2 ca cb.c 'c d' .hid")


@statement("complete.define")
def complete(g):
    define = lambda: "complete " + g.many(0, 3, lambda: g.pick(option(g), "-a", "-b", "-f", "-d", "-A file", "-A function", "-v", "-A signal", "-u", "-j", "-k", "-e", "-g", "-s", "-c", "-D", "-E", "-I", "-o nosort -o default")) + " " + g.pick("cmd", "cmd c2", "", "-- cmd", "'a b'", "./x", "/bin/ls", "''", "é", "a/b")  # noqa: E731
    after = g.many(1, 3, lambda: g.pick("complete | sort", "complete -p | sort", "complete -p cmd", "complete -p nosuch", "complete -r cmd", "complete -r", "complete -r nosuch", "complete -p -D", "complete -p -E", "complete -p -I", "complete -rD", "complete -p cmd c2", "complete cmd", "compopt -o nospace cmd", "compopt +o nospace cmd", "compopt cmd", "compopt -o nosuch cmd", "compopt", "compopt -o default", "compopt -D", "compopt -o filenames -D", "compopt nosuch", "compopt -x", "compopt -E -o nospace", "complete -z", "complete -pr", "complete -F f -F g cmd; complete -p cmd", "complete -W a -P p cmd; complete -p cmd", "complete -X '!*.[ch]' -S / -o plusdirs cmd; complete -p cmd", "complete -C 'a b' cmd; complete -p", "complete -G '*.x' c2; complete -p c2", "complete -pE; echo", "complete --", "complete --help | head -n 2", "compgen --help | head -n 2", "compopt --help | head -n 2", "complete -I -W a; complete -p", "complete -DE -W a; complete -p", "(complete -W sub sub); complete -p sub", "bash -c 'complete -p'"), "; ")
    return f"({define()}; echo $?; {after}; echo $?; complete -p | sort) 2>&1"


@statement("compgen.usage")
def usage(g):
    return "(" + g.pick("compgen", "compgen -x", "compgen -A", "compgen -A x", "compgen -W", "compgen -F", "compgen -o", "compgen -o x", "compgen -p", "compgen -r", "compgen -D", "compgen a", "compgen a b", "compgen -W 'a b' a b", "compgen -F f", "compgen -C 'echo a'", "compgen -W 'a' -- -- a", "compgen -W 'x y' ''", "compgen -f -- '' | sort", "compgen -b -k | sort | head -n 3", "compgen -A signal SIGT", "compgen -A signal | head -n 3", "compgen -A setopt n", "compgen -A shopt no", "compgen -k", "compgen -A keyword f", "compgen -W '$(exit 3)'", "compgen -W '${u?e}'", "compgen -W '$((1/0))'", "compgen -o dirnames nosuch", "compgen -E", "compgen -V", "complete -A", "complete -A x cmd", "complete -o x cmd", "complete -W", "complete -p x y", "complete -r x y", "compopt -o", "compopt -x", "compopt +o", "compopt +o x cmd", "compopt -o x", "compopt a", "compopt -D -o nospace; complete -p -D") + "; echo $?) 2>&1"
