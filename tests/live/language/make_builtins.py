"""Directories, lookup, aliases, sources, ends of functions and loops, and the small ones."""
from grammar import show_words, statement

PLACES = "mkdir -p d/e d/f 'sp ace' -- -dash cdp/d cdp/only; ln -sfn d/e link; ln -sfn gone broken; > plain; mkdir -p locked"


def sub(*lines):
    return "(\n" + "\n".join(lines) + "\n)"


def place(g):
    return g.pick("d", "d/e", "link", "..", ".", "link/..", "./d", "d/../d/f", "missing", "plain", "broken", "'sp ace'", "-- -dash", "''", "-", "~", "$HOME", "/", "//", "///", "link/.", "only", "d//e", "d/", "plain/..", "d/missing/..", "/tmp/..", "v", "$nothing", "../d", "-dash", "/usr/../bin/..", "//tmp", "d/e/../..", "link/../f")


# cd, pwd, pushd, popd, dirs. The directory's own name is taken out of what they print.

@statement("builtin.cd")
def cd(g):
    lines = [PLACES, g.pick("", "", "CDPATH=cdp", "CDPATH=:cdp", "CDPATH=$HOME/cdp:.", "CDPATH=none::", "shopt -s cdable_vars; v=d", "unset HOME", "unset OLDPWD", "HOME=d", "HOME=", "set -P", "OLDPWD=gone", "set -o posix", "CDPATH=cdp/", "CDPATH=/", "OLDPWD=", "HOME=missing", "cd d")]
    for _ in range(g.number(1, 3)):
        lines.append(f"cd {g.pick('', '', '-P ', '-L ', '-e ', '-Pe ', '-@ ', '-LP ', '-z ', '-- ', '-PL ', '-eP ')}{g.pick(place(g), place(g), place(g), '', place(g) + ' extra')}; echo $? $PWD $OLDPWD; pwd; pwd -P")
    return sub(*lines)


@statement("builtin.cd.variables")
def cd_variables(g):
    return sub(PLACES, g.pick("readonly PWD", "readonly OLDPWD", "unset PWD", "PWD=x", "unset OLDPWD PWD", "export PWD=y", "declare -i PWD", "OLDPWD=d", "PWD=/; pwd", "unset -v PWD; PWD=z", "f() { local PWD; cd d; pwd; echo $PWD; }; f; echo $PWD", "f() { local OLDPWD; cd d; }; f; echo $OLDPWD") + f"; cd {place(g)}; echo $?; pwd; echo \"$PWD|$OLDPWD\"; declare -p PWD OLDPWD")


@statement("builtin.cd.gone")
def cd_gone(g):
    return sub(f"mkdir -p x/y; cd x/y; rmdir ../y; {g.pick('cd .', 'cd -P .', 'cd -Pe .', 'cd ..', 'pwd', 'pwd -P', 'cd -e .', 'pwd -L', 'cd ../..', 'cd -', 'pwd')}; echo $? $PWD")


@statement("builtin.pwd")
def pwd(g):
    return sub(PLACES, f"cd {g.pick('d', 'link', '.', 'link/..')}; pwd {g.pick('', '-P', '-L', '-LP', '-PL', '-z', 'extra', '-P x', '--', '-W', '-')} > out 2>&1; echo $?; head -n 2 out; {g.pick('', 'set -P; pwd', 'set -o posix; pwd', 'PWD=/bogus; pwd')}")


@statement("builtin.dirs")
def dirs(g):
    lines = [PLACES]
    for _ in range(g.number(1, 5)):
        kind = g.number(0, 3)
        number = g.pick("+0", "-0", "+1", "-1", "+2", "-2", "+9", "-9", "+x", "-x", "+", "-", "1", "+01", "-1 extra", "+1x", "")
        if kind == 0:
            lines.append(f"pushd {g.pick('', '-n ', '-- ', '-z ', '', '')}{g.pick(number, place(g), place(g))}; echo $?")
        elif kind == 1:
            lines.append(f"popd {g.pick('', '', '-n ', '-z ', '-- ')}{number}; echo $?")
        elif kind == 2:
            lines.append(f"dirs {g.pick('', '-c', '-l', '-p', '-v', '-lp', '-lv', '-cl', '-z', '-p +1', '-v -0', '-l +0', '-p -v', 'extra', '--')} {g.pick('', number)}; echo $?")
        else:
            lines.append(g.pick("echo ~+ ~- ~0 ~1 ~-1 ~+1 ~9", 'echo "${DIRSTACK[@]}"', "cd d", "cd /", "DIRSTACK[1]=new; dirs", "declare -p DIRSTACK", "echo ${#DIRSTACK[@]}", "pwd", "unset 'DIRSTACK[1]'; dirs", "DIRSTACK=(a b); dirs", "cd -", "DIRSTACK[0]=z; dirs", "(popd)", "DIRSTACK[9]=z; dirs"))
    return sub(*lines, "dirs -v")


# type, command, builtin, enable, hash

def command_name(g):
    return g.pick("f", "al", "echo", "if", "cat", "none", "./prgm", "prgm", "while", "[[", "{", "until", "function", "test", "[", ":", ".", "export", "d", "plain", "''", "sub/tool", "ls", "!", "in", "select", "}", "al2", "unalias", "e", "/bin/cat", "/none", "-p", "cat2", "printf", "do", "tool", "set", "plain/x", "bothf", "coproc")


LOOKUP = "mkdir -p sub d; printf '#!/bin/bash\\necho tool \"$@\"\\n' > sub/tool; chmod +x sub/tool; cp sub/tool prgm; > plain; shopt -s expand_aliases; alias al='echo al' al2=al e='echo -n '; f() { echo f; }; echo() { builtin echo \"$@\"; }; PATH=$PWD/sub:$PATH"


@statement("builtin.type")
def type_(g):
    return sub(LOOKUP, g.pick("", "", "unset -f echo", "hash tool", "hash -p /nowhere cat", "shopt -u expand_aliases", "tool", "set +h", "enable -n echo", "set -o posix", "PATH="), f"type {g.pick('', '', '-t', '-a', '-p', '-P', '-f', '-at', '-ap', '-aP', '-af', '-z', '-tp', '-pf', '--', '-a -f -t', '-type', '-path', '-all', '--type', '--all', '-pa')} {g.many(0, 3, lambda: command_name(g))} | /usr/bin/grep -v -E '^(/usr)?/bin/|is (/usr)?/bin/'; builtin echo ${{PIPESTATUS[0]}}")


@statement("builtin.command.look-up")
def command_look(g):
    return sub(LOOKUP, g.pick("", "", "unset -f echo", "hash tool", "hash -p /nowhere tool", "enable -n echo", "set -o posix"), f"command {g.pick('-v', '-V', '-pv', '-pV', '-vp', '-Vv', '-vV', '-v --', '-vz')} {g.many(0, 3, lambda: command_name(g))} | grep -v -E '^(/usr)?/bin/|is (/usr)?/bin/'; builtin echo ${{PIPESTATUS[0]}}")


@statement("builtin.command.run")
def command_run(g):
    form = g.pick("", "echo a", "f", "none", "cat < /dev/null", "tool x", "al", "if", "cd d", "eval f", "export v=1", "v=1", "exit 3", "set -- a b", ". ./plain", "false", "if true", "./prgm q", "plain", "./plain", "d", "declare v=(1)", "readonly r=1", "return 2", "break", "-x", "--", "''", "local v", ":", "shift 9", "unset v")
    return sub(LOOKUP, f"{g.pick('command', 'command', 'builtin', 'command -p', 'command --', 'builtin --', 'command command', 'command builtin', 'builtin command', 'command -p -v', 'command -z', 'builtin -x', 'command -', 'exec -z')} {form}; builtin echo $? $v $#")


@statement("builtin.enable")
def enable(g):
    # Not '': bash looks for a builtin of that name in its own program then, and the loader's words follow.
    names = g.many(0, 3, lambda: g.pick("echo", "cat", "none", "printf", "test", "[", ":", "export", "if", "cd", "f"))
    return sub("f() { :; }", f"enable {g.pick('', '-n', '-a', '-p', '-s', '-ps', '-an', '-as', '-d', '-z', '-pn', '--', '-nd', '-sn')} {names} | grep -E 'echo|test|print|export|enable -n|^f'; echo ${{PIPESTATUS[0]}}", f"{g.pick('enable -n', 'enable -pn', 'type -t echo', 'echo x', 'enable -n echo test; enable -n; type echo | head -n 1', 'enable -n printf; command -v printf > out; echo $?', 'enable -n cd; builtin cd .; echo $?', 'enable -n enable; enable', 'help -s enable | head -n 1', 'enable -n f', 'command echo -e y')}; echo $?")


@statement("builtin.enable.list")
def enable_list(g):
    return sub(f"enable {g.pick('', '-p', '-a', '-s', '-ps', '-as')} ; enable -n :; enable -n", "enable :")


@statement("builtin.hash")
def hash_(g):
    return sub("PATH=$PWD/sub:/usr/bin:/bin; mkdir -p sub sub2; printf 'echo t1\\n' > sub/t1; printf 'echo t2 \"$@\"\\n' > sub/t2; chmod +x sub/*; cp sub/t1 sub2", *(f"hash {g.pick('', '-r', '-l', '-t', '-d', '-p sub2/t1', '-p /none', '-lt', '-z', '-p', '-dt', '--', '-rt', '-p sub', '-rl', '-t -d')} {g.many(0, 2, lambda: g.pick('t1', 't2', 'none', 'cd', 'f', './t1', 'sub/t1', chr(39) * 2, '/bin/cat', 'if'))}; echo $?" for _ in range(g.number(1, 4))), g.pick("t1; hash", "t2 a; t2 b; hash; hash -l", "t1; rm sub/t1; t1; echo $?", "t1; hash -r; hash", "t1; PATH=$PATH; hash; echo $?", "echo ${!BASH_CMDS[@]}; declare -p BASH_CMDS", "BASH_CMDS[zz]=/nowhere; hash -t zz; zz; echo $?", "hash -p /none t1; t1; echo $?", "t1; t1; t1; hash -l", "shopt -s checkhash; hash -p /none t1; t1; echo $?", "unset 'BASH_CMDS[t1]'; hash", "hash -t t1 t2; echo $?", "set +h; hash t1; echo $?"))


# alias

@statement("builtin.alias")
def alias(g):
    def one():
        return g.pick("a=b", "'a=b c'", "a", "none", "'x y=z'", "=x", "a=", "-p", "if=echo", "a='it'\\''s'", "\"q=\\\"d\\\"\"", "'n=a\nb'", "'a/b=c'", "'a$=c'", "--", "-z", "-a", "1=2", "!=x", "@=y", "a==", "'t=\ttab'", "-=x", "'k=$v'", "a+=b", "'a;=b'", "'[=x'", "+=z", "'a&b=c'", "'a=*'", "'s= '", "$'c=\\x01'", "'a\\b=c'", "''")
    return sub("shopt -s expand_aliases", *(f"{g.pick('alias', 'alias', 'unalias', 'alias -p', 'unalias -a')} {g.many(0, 3, one)}; echo $?" for _ in range(g.number(1, 3))), g.pick("alias", "alias -p", "declare -p BASH_ALIASES", "echo ${!BASH_ALIASES[@]}", "BASH_ALIASES[new]='echo new'; alias new", "unset 'BASH_ALIASES[a]'; alias", "set -o posix; alias; alias -p", "BASH_ALIASES['x y']=1; alias", "type a", "BASH_ALIASES+=([z]=1); alias z"))


@statement("builtin.alias.use")
def alias_use(g):
    return sub("shopt -s expand_aliases", g.pick("alias e='echo '\nalias x='a b'\ne x x", "alias e=echo; e a", "alias e=echo\ne a; \\e a; 'e' a; $nothing e a", "alias a=b b=c c='echo c'\na; b", "alias a='a x'; alias\na", "alias i='if true; then'\ni echo y; fi", "alias l='for i in'\nl 1 2; do echo $i; done", "alias r='> out'\nr echo z; cat out", "alias n='echo a\necho b'\nn; n", "alias v='x=1'\nv; echo $x", "alias c='echo #'\nc a", "alias e='echo \"'\ne a\"",
                                             "alias f='echo'\nf() { builtin echo fn; }\nf", "alias b='{'; alias d='}'\nb echo x; d", "alias e='echo'\n(e a)\nx=$(e b); echo $x", "alias e=echo\neval 'e c'", "alias q='echo a |'\nq cat", "alias q='echo a;'\nq echo b", "alias q='echo a &&'\nq echo b", "alias t='time -p'\nt true 2>/dev/null", "alias n='! '\nn true; echo $?", "unalias -a\nalias a='echo 1'\nunalias a; a; echo $?", "alias case=echo\ncase x in x) echo r;; esac", "alias do='echo'\nfor i in 1; do echo d; done", "alias in=x\nfor i in 1; do echo $i; done",
                                             "alias e='echo' ww='e x '\nww ww", "alias a='echo (' \na", "alias h='cat <<E'\nh\ntext\nE", "alias a='f() {'\na echo F; }\nf", "alias e='echo ${v}'\nv=5; e", "alias a='b ' b='echo '\na a b a"))


# eval, source, caller, return, break, exec

@statement("builtin.eval")
def eval_(g):
    form = g.pick("", "echo a", "'echo  b; false'", "-- echo c", "-x", "--", "''", "v=1 ; echo $v", "'if'", "'echo a; )'", "'('", "set -- q", "'return 3'", "'break'", "echo 'x  y'", '"echo \\$v"', "'exit 4'", "'echo $LINENO\necho $LINENO'", "false", "# c", "'f() { echo f; }'; f", "'cat <<E\nx\nE'", '\'echo "\'', "'done'", "$nothing", "'\n'")
    return sub(f"eval {form}; echo $? $#")


@statement("builtin.source")
def source(g):
    dot = g.pick(".", "source", "builtin .", "command .")
    body = g.pick("echo in $# \"$@\"", "echo $0 $1; return 3; echo no", "v=1; set -- x y", "false", "shift; echo $#", "return", "echo $BASH_SOURCE ${FUNCNAME[@]} ${#BASH_LINENO[@]}; caller", "if", "exit 5", "f() { return 4; }; f", "echo a; (", "set --; echo $#", "break; echo b", "echo ${BASH_ARGV[@]}", ". ./inner q; echo back $?", "return 1 2", "return x", "echo $LINENO", "")
    form = g.pick("./src", "src", "./src a b", "src 'q q'", "inpath", "inpath z", "missing", "./missing", "d", "", "--", "-- ./src", "-x", "/dev/null", "./src ''", "''", "<(echo echo proc)", "/dev/stdin <<< 'echo std $1'", "inner x", "src --", "-- src -q", "-p . src", "./p")
    return sub("mkdir -p p d; echo 'echo inner \"$@\"' > inner; echo 'echo from-path \"$@\"' > p/inpath; " + f"cat > src <<'E'\n{body}\nE", "set -- one 'two 2'; PATH=$PWD/p:$PATH", g.pick("", "shopt -u sourcepath", "set -o posix", "shopt -s extdebug"), f"{dot} {form}; echo $? $# \"$@\" $v")


@statement("builtin.source.function")
def source_function(g):
    form = g.pick("return 6", "local v=1; echo $v", "set -- z", "shift", "echo $@ $FUNCNAME", "caller 0", "declare w=3", "break", 'trap "echo r" RETURN', "echo ${FUNCNAME[*]}")
    return sub(f"cat > src <<'E'\n{form}\nE", f"f() {{ . ./src {g.pick('', 'a b')}; echo $? $# $*; }}; f p q; echo $? $v $w; for i in 1 2; do . ./src; echo $i; done")


@statement("builtin.caller")
def caller(g):
    form = g.pick("", "0", "1", "2", "9", "x", "-1", "0 1", "-z", "--", "-- 0", "''", "01", "1x")
    return sub(f"f() {{\ncaller {form}; echo $?\n}}", "g() {\nf a\n}", g.pick("f", "g", "eval g", "caller; echo $?", "caller 0; echo $?", "echo $(g)", "echo f > s; . ./s", "trap g EXIT"))


@statement("builtin.return")
def return_(g):
    value = g.pick("", "0", "1", "3", "255", "256", "-1", "x", "1 2", "--", "-- 3", "-z", "''", "1x", "99999999999999999999", "' 2'", "1+1", "+4", "08", "0x1", "$nothing")
    return sub(f"f() {{ {g.pick('', 'false; ', 'true; ', '(exit 7); ')}{g.pick('return ' + value, 'for i in 1 2; do return ' + value + '; done', 'if true; then return ' + value + '; fi', '{ return ' + value + '; }', '( return ' + value + '; echo n ); echo s $?', 'return ' + value + ' | cat', 'eval return ' + value, 'trap ' + chr(34) + 'trap - RETURN; return 9' + chr(34) + ' RETURN; return ' + value, 'return ' + value + ' && echo n', 'command return ' + value, 'builtin return ' + value, '! return ' + value)}; echo not; }}", "f; echo $?")


@statement("builtin.return.outside")
def return_outside(g):
    return sub(f"{g.pick('return', 'return 3', 'return x', '(return 2); echo $?', 'if return; then :; fi', 'return || echo or', 'return 1 2', 'eval return', 'return -z')}; echo $?")


@statement("builtin.break")
def break_(g):
    word = g.pick("break", "continue")
    value = g.pick("", "", "1", "2", "3", "9", "0", "-1", "x", "1 2", "--", "-- 1", "-z", "''", "1x", "99999999999999999999", "' 1'", "+1", "01", "1+1")
    loop = g.pick("for i in 1 2 3; do for j in a b c; do echo $i$j; {}; echo no; done; echo end $i; done", "while ((n++ < 4)); do until ((m++ > 3)); do echo $n$m; {}; done; echo o; done", "for ((i = 0; i < 3; i++)); do echo $i; {}; echo no; done", "for i in 1 2; do case $i in 1) {} ;; esac; echo $i; done", "for i in 1 2; do ( {}; echo sub ); echo $i; done", "f() {{ {}; echo f; }}; for i in 1 2; do f; echo $i; done", "for i in 1 2; do {} | cat; echo $i; done", "for i in 1 2; do eval {}; echo $i; done",
                  "for i in 1 2; do if true; then {}; fi; echo $i; done", "for i in 1 2; do {{ {}; }}; echo $i; done", "for i in 1 2; do {} && echo n; echo $i; done", "select i in a b; do {}; echo $i; done <<< '1\n2'", "while {}; do echo n; done", "until {}; do echo n; done; echo u", "{}; echo out", "for i in $({}; echo s); do echo $i; done", "for i in 1 2; do command {}; echo $i; done", "for i in 1 2; do ! {}; echo $i; done", "for i in 1 2; do builtin {} || echo or; echo $i; done", "f() {{ for k in x y; do {}; echo k; done; }}; for i in 1 2; do f; echo $i; done")
    return sub(loop.replace("{{", "{").replace("}}", "}").replace("{}", f"{word} {value}"), "echo $?")


@statement("builtin.exec")
def exec_(g):
    form = g.pick("echo a", "-a zero bash -c 'echo $0'", "-l bash -c 'echo $0'", "-c env", "-c bash -c 'echo ${x-unset}'", "none", "./missing", ".", "-z", "-a", "-a z", "", "--", "-- echo b", "> out", "3> out", "< missing", "3<&9", "-cl env", "-la n bash -c 'echo $0'", "f", "true", "false", "exit 3", "-c -a q bash -c 'echo $0'", "''", "./plain", "echo a > f2", "2>&1", "-x", "cd", "> .", "-a '' bash -c 'echo [$0]'")
    return sub(g.pick("", "shopt -s execfail", "trap 'echo exit' EXIT"), f"v=1; export x=2; exec {form}; echo after $?").replace("(\n", "(\n> plain; f() { echo f; }\n", 1)


@statement("builtin.exit")
def exit_(g):
    form = g.pick("", "false; ", 'trap "echo t $?" EXIT; ', 'f() { trap "exit 8" EXIT; }; f; ')
    other = g.pick("", "0", "3", "256", "-1", "x", "1 2", "--", "-- 3", "-z", "''", "1x", "99999999999999999999", "+5", "08", "0x3", "' 3'")
    return sub(f"{form}exit {other}; echo not $?") + "; echo $?"


@statement("builtin.logout")
def logout(g):
    return sub(f"logout {g.pick('', '3', 'x')}; echo $?")


# The small ones

@statement("builtin.true")
def true(g):
    return f"{g.pick('true', 'false', ':')} {g.pick('', '--help', '-x', 'a b', '--', '> out', '$nothing', '$(exit 3)', '--version', '< /dev/null', '< missing', '${v:=set}', '*')}; echo $?"


@statement("builtin.umask")
def umask(g):
    def mode():
        return g.pick("022", "0", "077", "7777", "8", "09", "x", "u=rwx", "g-w", "a+r", "u=rwx,g=rx,o=", "o=", "u+x,g+x", "ugo=rx", "=r", "+w", "-w", "a=", "u", "u=", "u+", "z+r", "u*r", "u=z", "g=u", "o=g", "u=rwx,", ",u=r", "u=r,,g=w", "''", "10000", "-1", "1 2", "u=s", "a=t", "u=X", "ug+rw", "u=r+w", "u=r-w,g=x", "00022", "u-rwx,g+rwx", "0o22", "+1", "' 22'", "a+rwx", "o-x", "u+g", "g=o", "u=g,g=o", "-rwx", "--", "u=rw,g=r,o=r", "=", "+", "-r,+w", "0777")
    return sub("umask 022", *(f"umask {g.pick('', '', '-S', '-p', '-pS', '-z', '--', '-S -p')} {g.pick(mode(), mode(), '')}; echo $?" for _ in range(g.number(1, 3))), "umask; umask -S", g.pick("", "> made; mkdir madedir; stat -c %a made madedir"))


@statement("builtin.ulimit")
def ulimit(g):
    form = g.pick("-z", "-c", "-Hc", "-Sc", "-c 0", "-c x", "-f x", "-n -5", "-c unlimited; ulimit -c", "-f unlimited", "-n 1 2", "--bad", "-c 0 0", "-Sc 0; ulimit -Sc", "-Hc 0; ulimit -c unlimited", "-c hard; ulimit -c", "-c soft; ulimit -c", "-y", "-c -1", "-c 0x1", "-c ''", "-t", "-Ht", "-c 99999999999999999999", "-cz", "-c 0 -t", "-HSc 0", "-k", "-c --")
    return sub(f"ulimit {form} > out; echo $?")


@statement("builtin.times")
def times(g):
    return sub(f"times {g.pick('', 'x', '-z', '--', '-- a')} > out; echo $?; tr 0-9 N < out")


@statement("builtin.time")
def time(g):
    # The number of digits of %P is chance.
    timeformat = g.pick("", "TIMEFORMAT=; ", "TIMEFORMAT='%%|%9z'; ", "TIMEFORMAT='%R %U %S %P'; ", "TIMEFORMAT='%0R %1lU %3S %lR'; ", "TIMEFORMAT='x\\ty'; ", "TIMEFORMAT='%'; ", "TIMEFORMAT='%4R %9R'; ", "TIMEFORMAT='%lP'; ", "TIMEFORMAT='a%'; ")
    return sub(f"{timeformat}{{ time {g.pick('', '-p', '--', '-p --')} {g.pick(':', 'true', '{ :; }', '( : )', '', '! true', 'true | true', ': a b')}; }} 2> out; echo $?; tr -s 0-9 N < out" if g.chance(0.7) else f"{timeformat}{{ time {g.pick('-p ', '')}true; }} 2>&1 | tr -s 0-9 N")


@statement("builtin.help")
def help_(g):
    return f"help {g.pick('-s', '-d', '-m', '')} {g.pick('none', '-z', 'nonesuch other')} > out; echo $?; head -n 1 out"


@statement("builtin.usage")
def usage(g):
    name = g.pick("alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete", "compopt", "continue", "declare", "dirs", "disown", "enable", "eval", "exec", "exit", "export", "fc", "fg", "getopts", "hash", "help", "history", "jobs", "kill", "let", "local", "logout", "mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "set", "shift", "shopt", "source", ".", "suspend", "times", "trap", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait")
    return sub(f"{name} {g.pick('-Q', '-?', '--bogus', '-é', '--', '-- -Q', '-Q x', '--Q')} > out < /dev/null; echo $?")


@statement("builtin.names")
def names(g):
    form = g.pick("builtin", "builtin none", "builtin cat", "builtin if", "builtin -- echo a", "builtin -p", "builtin ''", "command", "command -p", "command -v", "command -V", "type", "hash none none2", "unalias", "unalias none", "alias none", "local", "source", "popd", "dirs", "pushd", "enable none", "let", "getopts", "caller", "wait none", "kill", "kill -l 99", "kill none", "disown none", "fg", "bg", "jobs none", "trap x", "trap x NONE", "exec", "eval", "shift 5", "unset", "export", "readonly", "times", "umask", "test", "[", "[ ]", ":", "wait 99999", "wait %5", "suspend -z")
    return sub(f"{form} > out; echo $?")


@statement("builtin.kill.list")
def kill_list(g):
    return f"kill {g.pick('-l', '-L', '-l 9', '-l 15 2', '-l TERM', '-l SIGINT', '-l 130', '-l 137', '-l 999', '-l x', '-l 0', '-l -1', '-l 128', '-l term', '-l EXIT', '-l 64 34 35', '-l rtmin', '-l RTMAX', '-s', '-n', '-s NONE $$', '-z', '-n 99 $$', '-l 1 2 x', '-0 $$', '-s 0 $$', '-l RTMIN+1', '-l DEBUG', '-l ERR')}; echo $?"


@statement("builtin.trap.list")
def trap_list(g):
    def signal():
        return g.pick("EXIT", "0", "INT", "SIGINT", "2", "int", "SigTerm", "DEBUG", "ERR", "RETURN", "CHLD", "NONE", "99", "''", "USR1", "RTMIN", "SIGEXIT", "-1", "1x", "HUP")
    form = g.pick("'echo x'", "''", "-", ":", '"\'"', "'a\nb'")
    return sub(*(f"trap {g.pick('', '', '-- ')}{form} {g.many(0, 3, signal)}; echo $?" for _ in range(g.number(1, 3))), f"trap {g.pick('', '-p', '-p INT', '-p NONE', '-p EXIT 2', '-z', '-', '- INT', 'INT', '2', '-P', '-lp', '-- -p', 'EXIT')} > out; echo $?; cat out; trap - EXIT DEBUG ERR RETURN INT TERM USR1 CHLD HUP")
