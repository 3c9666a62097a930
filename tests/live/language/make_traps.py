"""Traps: listing, setting, inheritance, what they see and leave; signals sent to the shell itself."""
from grammar import single_quoted
from make_functions import statement
from make_jobs import HIDE

SIGNALS = ("HUP", "INT", "QUIT", "USR1", "USR2", "TERM", "ALRM", "PIPE", "CHLD", "WINCH", "CONT", "URG", "RTMIN", "RTMIN+1", "RTMAX-1", "RTMAX", "XCPU", "IO", "SYS")
CATCHABLE = ("HUP", "USR1", "USR2", "TERM", "ALRM", "PIPE", "WINCH", "URG", "XCPU", "IO", "VTALRM")
PSEUDO = ("EXIT", "DEBUG", "ERR", "RETURN")


def spec(g):
    """A signal specification: a name in some spelling, a number, or nothing of the kind."""
    name = g.pick(*SIGNALS, *PSEUDO)
    return g.pick(name, name, name, name, "SIG" + name, name.lower(), "sig" + name.lower(), "SIG" + name.lower(), "0", "1", "2", "15", "10", "64", "65", "NOSUCH", "SIG", "-1", "''", "1x", "999999", "KILL", "STOP", "9", "19", " 2",
                  "34", "35", "RTMIN+15", "RTMIN+16", "RTMAX-14", "RTMAX-15", "RTMIN-1", "SIG0", "SIGEXIT", "exit", "Err", "02", "0x2", "+2", "CLD", "IOT", "POLL", "PWR", "STKFLT", "LOST", "EMT", "INFO", "UNUSED", "33", "32", "SIGSIGINT", "TERM ", "T*")


def action(g):
    return g.pick("echo t", "echo 'q q'", 'echo "$?"', "", "-", "echo a; echo b", "echo a\necho b", "it's", "exit 3", "return 2", ":", "false", "echo $LINENO", "echo $BASH_COMMAND", "a\tb", "é", "$'x\\ny'", " echo blank", "\\", "trap - EXIT", "echo ${FUNCNAME[*]}")


@statement("trap.list")
def listing(g):
    sets = g.many(0, 4, lambda: f"trap {single_quoted(action(g))} {g.many(1, 2, lambda: g.pick(*CATCHABLE, *PSEUDO))}", "; ")
    show = g.pick("trap", "trap -p", "trap -p " + g.many(1, 3, lambda: spec(g)), "trap -p -- INT", "trap -pl", "trap -p | cat", "(trap)", "(trap -p)", "echo \"$(trap)\"", "echo \"$(trap -p EXIT INT)\"", "(trap 'echo n' USR1; trap)", "trap --", "f() { trap; }; f", "trap -p EXIT DEBUG ERR RETURN",
                  "(: ; trap)", "(trap - INT; trap)", "trap | (cat; trap)", "eval trap", "{ trap; } > o; cat o", "trap -p 0 1 2", "(trap -p USR1; trap '' USR1; trap -p USR1)", "x=$(trap 'echo in' USR2; trap); echo \"$x\"", "cat <(trap)", "trap & wait", "(trap -p EXIT)", "command trap -p")
    return f"({sets or ':'}\n{show}; echo $?; trap - DEBUG ERR RETURN EXIT) 2>&1"


@statement("trap.signal-list")
def signal_list(g):
    return "trap -l" + g.pick("", "", " x", " -p", " INT", "p") + "; echo $?"


@statement("trap.set")
def setting(g):
    what = g.pick(f"trap {single_quoted(action(g))} {g.many(0, 3, lambda: spec(g))}", f"trap - {g.many(0, 3, lambda: spec(g))}", f"trap '' {g.many(1, 2, lambda: spec(g))}", f"trap {spec(g)}", f"trap {spec(g)} {spec(g)}", f"trap -- {single_quoted(action(g))} {spec(g)}",
                  f"trap -- {spec(g)}", f"trap -x INT", "trap -p -x", "trap --help | head -3", f"trap 2 {spec(g)}", f"trap '2' INT", "trap 'x' 'INT TERM'", "trap ''", "trap -", "trap echo", "trap -- - INT", "trap - -- INT", f"trap -lp {spec(g)}", "trap '' ''", "trap 15 2", "trap 1", "trap 99", "trap INT TERM",
                  "trap '-' INT", "trap '-p' INT", "trap -- '-p' INT", "trap ' -' INT", "trap -n INT")
    posix = "set -o posix; " if g.chance(0.15) else ""
    return f"({posix}trap 'echo old' INT USR1; {what}; echo $?; trap -p; trap - EXIT DEBUG ERR RETURN) 2>&1"


def place(g, body):
    """The body in a place that has its own rules about traps."""
    return g.pick("{0}", "({0})", "f() {{ {0}\n}}; f", "eval {1}", "x=$({0}); echo \"$x\"", "{{ {0}\n}} | cat", ": | {{ {0}\n}}", "echo {1} > src; . ./src", "{0} & wait $!", "bash -c {1}", "if true; then {0}\nfi", "for i in 1 2; do {0}\ndone", "f() ( {0}\n); f", "cat <({0})", "f() {{ g; }}; g() {{ {0}\n}}; f",
                  "while :; do {0}\nbreak; done", "echo `{2}`").format(body, single_quoted(body), body.replace("\\", "\\\\").replace("`", "\\`"))


@statement("trap.exit")
def on_exit(g):
    act = g.pick('echo "x $?"', 'echo "x $?"; exit 7', "echo x; false", 'echo "$BASH_COMMAND $LINENO"', "exit", "return 3", 'echo "v=$v"; v=2', "trap 'echo second' EXIT", "trap - EXIT; echo gone", "(exit 5); echo x", "echo a\necho b $?", "kill -USR1 $$", "f", "echo $BASH_SUBSHELL ${FUNCNAME[0]-none}", "set -e; false; echo no",
                 "break; echo b", "exec echo execd", "eval 'echo e $?'", "exit 1; echo no", "nosuch 2>/dev/null; echo $?", "echo \"$*\"", "syntax (", "trap", "trap -p EXIT", "echo ${BASH_SOURCE[0]##*/}", "unset v; echo ${u?msg}; echo no", "cd .; echo $? $_", "readonly v; v=3; echo after", "local z=1; echo $?")
    how = g.pick("true", "false", "exit 3", "exit", "(exit 4)", "return 5", "set -e; false; echo no", "set -u; echo $nope; echo no", "kill -TERM $BASHPID", "kill -HUP $BASHPID", "exec true", "exec nosuch", "f() { exit 6; }; f", "v=${u?unset}", "eval 'exit 7'", "$(exit 2)", "! true", "echo $((1/0)); echo after", "trap 'echo new' EXIT",
                 "(trap - EXIT; exit 8)", "(exit 9)", ": | exit 3", "trap", "nosuch", "set -o posix; readonly r=1; r=2; echo no", "f() { return 4; }; f", "(:)", "kill -USR1 $BASHPID", "kill -PIPE $BASHPID", "break", "fi", "echo ${", "while :; do exit 2; done", "exec 2>&1; exit 5", "exit 1 2", "exit x", "exit -1", "trap 'exit 4' TERM; kill -TERM $BASHPID; echo no")
    body = f"f() {{ echo f; }}; trap {single_quoted(act)} EXIT; v=1; {how}"
    return "{ " + g.pick("(" + body + ") 2>&1", "bash -c " + single_quoted(body) + " name a b 2>&1", "x=$(" + body + "\n) 2>&1; echo \"<$x>\"", "{ " + body + "\n} 2>&1 | cat", "printf '%s\\n' " + single_quoted(body) + " | bash 2>&1", "(" + body + ") 2>&1 & wait $!", "( (" + body + ") 2>&1; echo in $?)") + "\necho \"s $?\"\n} 2>/dev/null"


@statement("trap.exit.last", last=True)
def on_exit_last(g):
    act = g.pick('echo "x $?"', 'echo "x $?"; exit 7', "echo x; false", 'echo "$BASH_COMMAND $LINENO"', "exit", "return 3", "trap 'echo second' EXIT", "(exit 5); echo x", "kill -TERM $$; echo no", "exec echo e", "trap -p", "break", "echo $LINENO\necho $LINENO")
    how = g.pick("true", "false", "exit 3", "exit", "(exit 4)", "return 5", "set -e; false; echo no", "set -u; echo $nope; echo no", "kill -TERM $$", "kill -USR1 $$; echo no", "exec true", "exec nosuch", "f() { exit 6; }; f", "v=${u?unset}", "fi", "echo ${", "set -e; (exit 3)", ": | false", "\n\n", "( exit 2 )", "exit 256", "kill -9 $$")
    return f"trap {single_quoted(act)} EXIT\n{how}"


@statement("trap.err")
def on_err(g):
    act = g.pick('echo "E $? $LINENO"', 'echo "E $BASH_COMMAND"', 'echo "E $? ${FUNCNAME[*]} ${BASH_LINENO[*]}"', "echo E; exit 5", "echo E; false; echo after", "return 9", "echo \"E ${PIPESTATUS[*]}\"", "trap - ERR; echo once", "set +e; echo E", "break", "echo \"E $BASH_SUBSHELL $_\"", "nosuch")
    cmds = g.many(1, 4, lambda: g.pick("false", "(exit 3)", "true", "! true", "! false", "false || true", "true && false", "false && true", "false | true", "true | false", "if false; then :; fi", "while false; do :; done", "f() { false; }; f", "f() { return 4; }; f", "(false)", "(false; true)", "x=$(false)", "echo $(false)",
                                             "[[ a == b ]]", "((0))", "[ a = b ]", "{ false; }", "{ false; true; }", "eval false", "nosuch", "local x=$(false)", "f() { false; true; }; f", "f() { false; } ; f || true", "until true; do :; done", "case x in x) false;; esac", "for i in 1 2; do false; done", "command false", "builtin false",
                                             "false & wait $!", "cat < missing", "x=1 false", "export x=$(false)", "set -o pipefail; false | true; set +o pipefail", "let 0", "test", "f() ( false ); f", "false; false", "! (false)", "if (false) then :; fi", "time false 2>/dev/null", "for ((;0;)); do :; done", "readonly ro=1; ro=2", "[[ -z x ]] && :", "{ false || false; }", "{ false; } | cat",
                                             ". ./missing", "echo 'false' > src; . ./src", "echo 'return 3' > src; . ./src", "cd missing", "exec 3< missing", "f() { false\nfalse\n}; f", "$(false)", "x=$(exit 2) y=$(exit 0)", "{ ! true; }", "false > /dev/null", "> missing/x", "(! true)", "f() { ! true; }; f", "wait 99999", "select i in a; do false; break; done <<< 1"), g.pick("; ", "\n"))
    options = g.pick("", "", "set -E; ", "set -e; ", "set -eE; ", "shopt -s extdebug; ", "set -o errtrace; ", "set -T; ", "set -o posix; ")
    return f"({options}trap {single_quoted(act)} ERR\n{cmds}\necho end $?) 2>&1; echo $?; rm -f src"


@statement("trap.debug")
def on_debug(g):
    act = g.pick('echo "D $BASH_COMMAND"', 'echo "D $LINENO"', 'echo "D $? $BASH_COMMAND"', '[[ $BASH_COMMAND != skip* ]]', 'echo "D ${FUNCNAME[*]}"', "((n++))", "false", "echo \"D $_\"", "return 2", "trap - DEBUG; echo once", "echo \"D $BASH_SUBSHELL\"", 'echo "D $BASH_COMMAND"; echo "D2 $BASH_COMMAND"', "exit 4", "x=$BASH_COMMAND; echo \"<$x>\"")
    cmds = g.many(1, 3, lambda: g.pick("echo a", "echo $x \"q q\" 'r'", "x=1", "x=1 y=(a b)", "skip; echo s", "f() { echo f; }; f", "f() { echo f1\n echo f2\n}; f", "(echo sub)", "echo a | cat", "if true; then echo t; fi", "for i in 1 2; do echo $i; done", "for ((i=0;i<2;i++)); do echo $i; done", "while [ $((z++)) -lt 1 ]; do echo w; done", "case x in\nx) echo c;;\nesac",
                                             "[[ a == a* ]]", "((1+1))", "echo $(echo c)", "x=$(echo v)", "{ echo g; }", "echo a && echo b", "false || echo o", "! true", "eval 'echo e; echo e2'", "echo 'echo src' > src; . ./src", "echo bg & wait $!", "select i in a; do echo $i; break; done <<< 1 2>/dev/null", "echo a > o; cat o", "local v=1", "declare v=1", "time : 2>/dev/null", "cat <<< here", "cat <<E\ndoc $x\nE",
                                             "echo \\\n two", "until true; do :; done", "export q='a b'", "[ a ]", "true; # comment", "f() { return 3; }; f; echo $?", "f() { :; }; x=1 f", "coproc { :; }; wait", "cat <(echo p)", "a=(1\n2)", "echo {1..3} *.none", "function g { echo g; }", "if false; then :; elif true; then echo el; else :; fi", "echo \"a\nb\"", "echo `echo bq`", "exec 3>&1", "break", "trap 'echo E' ERR; false; trap - ERR"), g.pick("; ", "\n"))
    options = g.pick("", "", "", "set -T; ", "shopt -s extdebug; ", "set -o functrace; ", "set -E; ")
    return f"({options}trap {single_quoted(act)} DEBUG\n{cmds}\ntrap - DEBUG; echo \"end $?\") 2>&1; echo $?; rm -f src o"


@statement("trap.return")
def on_return(g):
    # A RETURN trap that returns is run again by that, without end, in a function that has it: it goes first.
    act = g.pick('echo "R $? ${FUNCNAME[0]-none}"', 'echo "R $LINENO $BASH_COMMAND"', "trap - RETURN; echo R; return 3", "trap - RETURN; echo once", "echo R; false", "echo \"R ${BASH_SOURCE[0]##*/} ${BASH_LINENO[*]}\"", "exit 6", "echo \"R $_ $*\"", "local", "v=changed")
    cmds = g.many(1, 3, lambda: g.pick("f", "f a b", "g", "h", "(f)", "f | cat", "x=$(f); echo \"$x\"", ". ./src", "eval f", "f & wait $!", "if f; then :; fi", "f || true", "f; g", "eval 'f; return 2>/dev/null'", "source ./src a", ". ./src2", "trap", "unset -f f", "declare -ft f; f", "declare -ft g; g", "declare +ft f; f", "k", "bash -c :", "command g"), "; ")
    options = g.pick("", "", "set -T; ", "set -T; ", "shopt -s extdebug; ", "set -E; ", "declare -ft f; ")
    inner = g.pick("", "trap 'echo inner' RETURN; ", "trap - RETURN; ", "local x; ", "trap '' RETURN; ")
    return (f"echo 'echo in src; return 4' > src; echo 'echo src2' > src2\n(f() {{ {inner}echo f; return {g.number(0, 5)}; }}; g() {{ f; echo g; }}; h() {{ trap 'echo h-trap ${{FUNCNAME[0]}}' RETURN; echo h; }}; k() ( echo k; )\n"
            f"{options}trap {single_quoted(act)} RETURN\n{cmds}; echo \"end $? $v\"; trap -p RETURN; trap - RETURN) 2>&1; echo $?; rm -f src src2")


@statement("trap.signal")
def on_signal(g):
    sig = g.pick(*CATCHABLE)
    act = g.pick('echo "S $?"', 'echo "S $LINENO $BASH_COMMAND"', "echo S; exit 3", "echo S; return 4", "echo S; break", "echo S; continue", "echo S; false", f"trap - {sig}; echo once", f"echo S; kill -USR2 $BASHPID; echo after", "v=trapped; echo \"$_\"", "", "echo S; (exit 5)", "echo ${FUNCNAME[*]-none} $BASH_SUBSHELL", "set -- n1 n2; echo $*", "nosuch", "syntax (", "exit", "eval 'echo e'",
                  "echo a\necho b", "local l=1; echo $?", "trap", "cd .; x=1", "f2() { echo f2; }; f2", "unset v", "echo \"$(echo cs)\"", ": $((1/0)); echo no")
    kill = f"kill -{sig} $BASHPID"
    body = g.pick("{k}; echo after $?", "f() {{ {k}; echo in f $?; }}; f; echo $?", "for i in 1 2; do {k}; echo $i $?; done", "({k}; echo sub $?); echo $?", "x=$({k}; echo cs); echo \"$x\"", "{k} | cat; echo p", "(exit 7); {k}; echo $?", "{k} & wait $!; echo bg", "if {k}; then echo y $?; fi", "{k}; {k}; echo twice", "eval '{k}; echo e'", "while {k}; do echo w; break; done",
                  "f() {{ local v=l; {k}; echo \"$v\"; return 2; }}; f; echo $? $v", "{k} && echo and", "! {k}; echo not $?", "echo '{k}; echo src' > src; . ./src", "echo $({k}) x", "f() {{ {k}; return; }}; false; f; echo $?", "set -e; {k}; echo e $?", "case x in x) {k};; esac; echo c", "trap 'echo X' EXIT; {k}; echo z", "(trap 'echo inner' " + sig + "; {k}; echo q); echo out",
                  "(trap - " + sig + "; {k}; echo no) 2>/dev/null; echo $?", "trap '' " + sig + "; {k}; (trap - " + sig + "; {k}; echo ign); echo $?", "set -o posix; {k}; echo px", "bash -c 'kill -" + sig + " $$; echo child' 2>/dev/null; echo $?", "{{ {k}; echo g; }} > o; cat o; rm o", "sleep 0.05 & {k}; wait $!; echo w $?", "v=$(trap); echo \"$v\"", "(bash -c 'trap' ; trap)").format(k=kill)
    second = g.pick("", "trap 'echo U2' USR2; ", "trap 'echo X $?' EXIT; ", "trap 'echo E' ERR; ", "trap 'echo D $BASH_COMMAND' DEBUG; ")
    return f"{{ ({second}trap {single_quoted(act)} {sig}\nv=orig\n{body}\necho \"end $? $v\") 2>&1; }} 2>/dev/null; echo $?; rm -f src"


@statement("trap.default")
def default_action(g):
    """A signal without a trap ends a subshell; the status tells which."""
    sig = g.pick(*CATCHABLE, "KILL", "ABRT", "SEGV", "RTMIN", "CHLD", "CONT", "USR1", "BUS", "FPE", "ILL", "PROF", "TRAP", "SYS", "RTMAX-2")
    return g.pick(f"{{ (kill -{sig} $BASHPID; echo alive); }} 2>/dev/null; echo $?", f"{{ bash -c 'kill -{sig} $$; echo alive'; }} 2>/dev/null; echo $?", f"{{ (trap 'echo x $?' EXIT; kill -{sig} $BASHPID; echo alive); }} 2>/dev/null; echo $?", f"x=$(kill -{sig} $BASHPID; echo alive) 2>/dev/null; echo $? \"$x\"",
                  f"(kill -{sig} $BASHPID) 2>/dev/null | cat; echo \"${{PIPESTATUS[@]}}\"", f"(kill -{sig} $BASHPID; echo alive) 2>/dev/null & wait $! 2>/dev/null; echo $?", f"{{ sleep 5 & kill -{sig} $!; wait $!; }} 2>/dev/null; echo $?; kill -9 $! 2>/dev/null".replace("kill -CHLD $!", "kill -TERM $!").replace("kill -CONT $!", "kill -TERM $!").replace("kill -URG $!", "kill -TERM $!").replace("kill -WINCH $!", "kill -TERM $!"),
                  f"bash -c 'trap \"\" {sig}; exec bash -c \"kill -{sig} \\$\\$; echo alive\"' 2>/dev/null; echo $?", f"(trap '' {sig}; bash -c 'trap; kill -{sig} $$; echo alive' 2>/dev/null; echo $?)", f"(trap '' {sig}; (trap - {sig}; kill -{sig} $BASHPID; echo alive); echo $?) 2>/dev/null", f"(trap '' {sig}; bash -c 'trap \"echo t\" {sig}; trap -p; kill -{sig} $$; echo alive' 2>/dev/null; echo $?)")


@statement("trap.inherit")
def inherit(g):
    sig = g.pick(*CATCHABLE, "EXIT", "ERR", "DEBUG", "RETURN")
    sets = f"trap {single_quoted(g.pick('echo P', '', 'echo P $?'))} {sig}"
    inner = g.pick("trap", "trap -p " + sig, "false", "f() { false; }; f", "echo c", "kill -" + (sig if sig not in PSEUDO else "USR1") + " $BASHPID", "exit 3", "trap 'echo C' " + sig + "; trap", "trap - " + sig + "; trap", ":")
    return f"echo 'false; echo s' > src\n{{ ({g.pick('', 'set -T; ', 'set -E; ', 'set -ET; ', 'shopt -s extdebug; ')}{sets}\n{place(g, inner)}\ntrap - DEBUG\necho \"$?\"); }} 2>/dev/null; echo \"$?\"; rm -f src"


@statement("trap.nested")
def nested(g):
    a, b = g.rng.sample(CATCHABLE, 2)
    return f"(trap 'echo A1; kill -{b} $BASHPID; echo A2' {a}; trap {single_quoted(g.pick('echo B', 'echo B; exit 4', f'echo B; kill -{a} $BASHPID', f'trap - {a}; echo B', 'echo B; return 3'))} {b}\n[ \"$BASHPID\" ] && kill -{a} $BASHPID; echo end $?".replace(f"echo B; kill -{a} $BASHPID", f"trap - {b}; echo B") + ") 2>&1; echo $?"


@statement("trap.line")
def lines(g):
    """LINENO in traps, with commands over several lines."""
    kind = g.pick("ERR", "DEBUG", "EXIT", "USR1", "RETURN")
    fire = {"USR1": "kill -USR1 $BASHPID"}.get(kind, "false")
    body = g.pick("\n{f}\n\n{f}", "f() {{\n\n{f}\n}}\nf", "if true\nthen\n{f}\nfi", "eval '\n\n{f}'", "{{\n{f}\n}}", "(\n\n{f}\n)", "echo '\n\n{f}\n' > src; . ./src", "for i in 1\ndo\n{f}\ndone", "case a in\na)\n{f};;\nesac", "{f} \\\n  && true", "true |\n{f}", "f() {{\n{f}; }}\n\nf\n", "x=$(\n{f}\n)", "[[\na == b\n]]", "((\n0\n))", "cat <<E\na\nE\n{f}", "while\n{f}\ndo :; break; done", "f() {{\nlocal x=$({f})\n{f}\n}}; f || :\nf").format(f=fire)
    return f"({g.pick('', 'set -ET; ')}trap 'echo \"{kind} $LINENO $BASH_COMMAND\"' {kind}\n{body}\n:) 2>&1; rm -f src"


@statement("kill.list")
def kill_list(g):
    args = g.many(0, 3, lambda: spec(g).replace("''", "2").replace("T*", "x") if g.chance(0.5) else g.pick("1", "9", "15", "128", "129", "130", "137", "143", "192", "193", "255", "256", "0", "64", "65", "INT", "SIGINT", "int", "x", "-l", "-9", "1-2", "EXIT", "DEBUG", "ERR", "RETURN", "127", "32", "33", "34", "160", "161", "384", "1000"))
    return f"(kill {g.pick('-l', '-l', '-l', '-L', '-l --', '-ll', '-l -s')} {args}; echo $?) 2>&1"


@statement("kill.form")
def kill_form(g):
    how = g.pick("-s TERM", "-s 15", "-n 15", "-n TERM", "-TERM", "-SIGTERM", "-15", "-term", "-sigterm", "", "-s", "-n", "-s NOSUCH", "-n 99", "-99", "-NOSUCH", "-s ''", "--", "-TERM --", "-s TERM --", "-0", "-s 0", "-n 0", "-s EXIT", "-EXIT", "-sTERM", "-n15", "-s sigterm", "-x", "-n x", "-s -1", "-n -1 --", "-TERMx", "-15x", "-DEBUG", "-s DEBUG", "-s RTMIN", "-CHLD",
                 "-CONT", "-s TERM -n 9", "-TERM -KILL", "-SIG", "-ERR")
    target = g.pick("$p", "$p", "$p", "%1", "%%", "%+", "%sleep", "%?leep", "%-", "", "x", "''", "$p $p", "99999999", "$p 99999999", "%9", "%no", "%?no", "$p x", "1x", "$p %9", "%", "%1x", "0x1", "+$p", "' '$p", "%'' ", "$p.5", "9999999999999999999999")
    if target in ("", "''", "+$p") or how == "-n -1 --":
        target, how = g.pick("x", "$p"), how.replace("-n -1 --", "-n 77")
    if how in ("-s", "-n") or (how == "-s ''" and target.startswith("' '")):   # the number of a process is a signal's where they are small
        target = "xTERM"
    return f"({g.pick('', '', 'set -m; ', 'set -o posix; ')}sleep 5 & p=$!; kill {how} {target}; echo k $?; sleep 0.02; kill -9 $p; wait $p; echo w $?) {HIDE}"


@statement("kill.self")
def kill_self(g):
    return f"(trap 'echo T' TERM; {g.pick('kill -s TERM $BASHPID', 'kill $BASHPID', 'kill -n 15 $BASHPID', 'builtin kill -15 $BASHPID', 'command kill -SIGTERM $BASHPID', 'kill -- $BASHPID', 'kill -0 $BASHPID', 'kill -TERM $BASHPID $BASHPID', 'kill -TERM 99999999 $BASHPID', 'kill -TERM x $BASHPID', 'kill -TERM $BASHPID x')}; echo $?) 2>&1"


@statement("kill.usage")
def kill_usage(g):
    return f"(kill{g.pick('', ' -s', ' -l x y', ' -n 15', ' -s TERM', ' --', ' -TERM', ' --help | head -2', ' -z', ' -sx', ' -', ' -s x y', ' -9 --', ' a b', ' -s INT -', ' -l 999')}; echo $?) 2>&1"


@statement("trap.last-signal", last=True)
def last_signal(g):
    sig = g.pick("TERM", "HUP", "INT", "USR1", "KILL", "ALRM", "QUIT", "PIPE", "ABRT")
    return g.pick(f"kill -{sig} $$; echo alive", f"trap 'echo t; exit 9' {sig}; kill -{sig} $$; echo alive", f"(kill -{sig} $$; echo sub); echo alive", f"trap 'echo x $?' EXIT; kill -{sig} $$; echo alive", f"trap '' {sig}; kill -{sig} $$; echo alive".replace("'' KILL", "'' TERM").replace("-KILL", "-TERM"), f"f() {{ kill -{sig} $$; echo alive; }}; f", f"exec bash -c 'kill -{sig} $$; echo alive'",
                  f"eval 'kill -{sig} $$'; echo alive", f"x=$(kill -{sig} $$; echo cs); echo alive")
