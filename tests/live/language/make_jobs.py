"""Jobs: background commands, wait, jobs, fg, bg, disown, coproc, select, pipelines and their statuses."""
from grammar import single_quoted
from make_functions import statement

# Process numbers become P where messages and listings have them.
SHOW = (r'while IFS= read -r x; do [[ $x =~ ^(.*:\ line\ [0-9]+:|\[[0-9]+\].)\ +[0-9]+\ ([A-Z].*)$ ]] && x="${BASH_REMATCH[1]} P ${BASH_REMATCH[2]}"; '
        r'[[ $x =~ ^\ +[0-9]+(\ .*)$ ]] && x=" P${BASH_REMATCH[1]}"; [[ $x =~ ^(.*\(|.*\ pid\ |.*:\ )[0-9]+(\).*|\ is\ .*|[:.].*)$ ]] && x="${BASH_REMATCH[1]}P${BASH_REMATCH[2]}"; '
        r'[[ $x =~ ^(.*coproc\ \[)[0-9]+(:.*)$ ]] && x="${BASH_REMATCH[1]}P${BASH_REMATCH[2]}"; ')
HIDE = "2>&1 | " + SHOW + 'echo "$x"; done'
# … and numbers of descriptors N.
HIDE_NUMBERS = "2>&1 | " + SHOW + 'echo "${x//[0-9][0-9]/N}"; done'
# … and where a line begins with one.
HIDE_FIRST = "2>&1 | " + SHOW + '[[ $x == [0-9]* ]] && x="P ${x//[0-9]}"; echo "$x"; done'


def job_spec(g):
    return g.pick("%1", "%2", "%%", "%+", "%-", "%", "%3", "%sleep", "%?eep", "%nope", "%?nope", "%1x", "%-1", "$p", "$q", "$!", "99999999", "x", "''", "-1", "1x", "%0", "0", "%sl", "%?5", "%(", "%{")


def spawn(g):
    return g.pick("sleep 0.02 & p=$!", "(exit 3) & p=$!", "true & p=$!", "false & p=$!", "{ exit 5; } & p=$!", "(exit 3) & p=$!; (exit 4) & q=$!", "sleep 0.02 & p=$!; (exit 4) & q=$!", "sleep 5 & p=$!; kill $p", "sh -c 'exit 7' & p=$!", ": | (exit 6) & p=$!", "sleep 5 & p=$!; kill -9 $p", "f() { return 9; }; f & p=$!",
                  "nosuchcmd 2>/dev/null & p=$!", "x=1 & p=$!", "(exit 300) & p=$!", "! true & p=$!", "true && (exit 8) & p=$!")


@statement("job.wait")
def waits(g):
    options = g.pick("", "", "", "-n", "-p v", "-n -p v", "-f", "-x", "-np v", "-p", "-p 1x", "-nf", "-p v[1]", "--", "-fn -p v", "-p ''", "-n -p ro", "--help | head -2;")
    specs = g.many(0, 2, lambda: g.pick("$p", "$p", "$p", "$q", "$!", "%1", "%2", "%%", "99999999", "x", "%9", "%nope", "-1", "''", "1x", "$p $p", "0", "'1 2'", "$$", "%-"))
    if specs.startswith("-1"):
        specs = "$p " + specs
    if options.endswith("p") and specs.startswith("$"):     # a number as the name of a variable would be told of
        specs = "x " + specs
    after = g.pick("", "wait $p; echo \"again $?\"", "wait; echo all $?", "wait -n; echo $?", "jobs", "wait $p $q; echo $?", "wait %1; echo $?")
    return f"(readonly ro=1; {g.pick('', '', 'set -m; ', 'set -o posix; ')}{spawn(g)}\nwait {options} {specs}; echo \"$? ${{v-unset}}\" | while read -r a b; do case $b in \"$p\") b=P;; \"$q\") b=Q;; esac; echo \"$a $b\"; done; {after}) {HIDE}"


@statement("job.wait.trap")
def wait_trap(g):
    return f"(trap 'echo T' USR1; (sleep 0.05; kill -USR1 $$BASHPID) & :; sleep 0.2 & p=$!; {g.pick('wait', 'wait $p', 'wait -n', 'wait %2')}; echo $?; wait $p; echo $?) 2>&1".replace("$$BASHPID", "$pp").replace("(trap", "(pp=$BASHPID; trap", 1)


@statement("job.jobs")
def jobs(g):
    options = g.pick("", "", "-l", "-p", "-r", "-s", "-n", "-x", "-lp", "-rs", "-lr", "--", "-z", "-pl", "-x echo %1", "-x echo %1 %2 a", "-x", "-x nosuch %1", "-x echo %9", "-l -x echo", "-n -l", "-x kill -0 %1", "-x echo $p %%", "-pr", "-ps", "-x echo %1x a%1")
    specs = g.many(0, 2, lambda: job_spec(g)) if g.chance(0.5) and "-x" not in options else ""
    start = g.pick("sleep 5 & p=$!; q=1", "sleep 5 & p=$!; sleep 5 & q=$!", "{ sleep 5; echo \"q q\" $x 'r'; } & p=$!; q=1", "sleep 5 | cat & p=$!; q=1", "(sleep 5) & p=$!; sleep 5 & q=$!; sleep 5 &", "sleep 5 > /dev/null 2>&1 & p=$!; q=1", "while sleep 5; do :; done & p=$!; q=1", "x=1 sleep 5 & p=$!; q=1", "f() { sleep 5; }; f a \"b c\" & p=$!; q=1", "sleep 5 && echo b & p=$!; q=1",
                   "(exit 3) & wait $!; sleep 5 & p=$!; q=1", "sleep 5 & p=$!; q=1; (exit 2) & wait $!", "sleep 5 & p=$!; q=1; true & wait $!", "! sleep 5 & p=$!; q=1", "time sleep 5 & p=$!; q=1", "sleep \\\n5 & p=$!; q=1", "if sleep 5; then echo; fi & p=$!; q=1", "[[ -n $(sleep 5) ]] & p=$!; q=1", "sleep 5 <<< in & p=$!; q=1", "for i in 1; do sleep 5; done & p=$!; q=1", "case a in a) sleep 5;; esac & p=$!; q=1")
    return f"({g.pick('', 'set -m; ', '')}{start}\njobs {options} {specs}; echo \"s $?\"; {g.pick('', 'jobs %1', 'jobs', '(jobs)', 'jobs | cat', 'echo $(jobs)', 'f() { jobs; }; f')}; kill -9 $(jobs -p); wait) {HIDE_FIRST}"


@statement("job.kill")
def kills(g):
    return f"({g.pick('', 'set -m; ')}sleep 5 & p=$!; kill {g.pick('', '-9', '-INT', '-HUP', '-USR1', '-STOP', '-s KILL', '-0', '-TERM', '-PIPE', '-SEGV', '-CONT')} {g.pick('$p', '%1', '%%', '%sleep')}; echo $?; sleep 0.02; {g.pick('wait $p; echo $?', 'jobs; echo', 'wait %1; echo $?', 'wait; echo $?', 'wait -n; echo $?', 'kill -9 $p; jobs -l', 'fg %1; echo $?', 'bg %1; echo $?')} & w=$!; kill -9 $p; wait $w) {HIDE}".replace(" & w=$!; kill -9 $p; wait $w)", "; kill -9 $p; wait)").replace("-INT", "-TERM").replace("-STOP", "-TERM").replace("-CONT", "-9").replace("-0", "-9").replace("sleep 5 & p=$!; kill  ", "sleep 5 & p=$!; kill -15 ")


@statement("job.control-off")
def control_off(g):
    return f"(sleep 0.05 & p=$!; {g.pick('fg', 'bg', 'fg %1', 'bg %1', 'suspend', 'disown', 'disown %1', 'disown -h', 'disown -a', 'disown -r', 'disown -x', 'disown %9', 'disown $p', 'disown 99999999', 'disown -ah %1', 'fg %9', 'bg x', 'suspend -f x', 'suspend -x', 'fg -x', 'bg -x', 'disown -h %%; jobs -r', 'fg %1 %2', 'jobs %nope', 'suspend x', 'disown x', 'disown %%; jobs; wait $p; echo $?', 'disown -a; wait $p; echo $?', 'disown; disown')}; echo $?; wait) {HIDE}"


@statement("job.control-on")
def control_on(g):
    cmd = g.pick("fg", "fg %1", "fg %2", "fg %sleep", "bg", "bg %1", "bg %9", "fg %9", "fg x", "disown", "disown %1; jobs", "disown -h; jobs", "disown -a; jobs", "disown -r; jobs", "%1", "%1 &", "%%", "%2", "%nope", "%?leep", "fg -- %1", "bg -- %1", "jobs; fg > o; cat o", "fg | cat", "(fg)", "wait %1", "wait -n", "bg %1 %2", "fg %- ", "%-", "f() { fg; }; f", "disown %1 %9; jobs", "fg %1 %2", "bg $p", "fg $p", "%sl", "%", "%+ x")
    start = g.pick("sleep 0.03 & p=$!", "sleep 0.03 & p=$!; sleep 0.04 &", "(sleep 0.03; exit 3) & p=$!", "{ sleep 0.03; echo out; } & p=$!", "true & p=$!; wait $p", "p=1", "sleep 0.03 | cat & p=$!", "(exit 2) & p=$!")
    return f"(set -m; {start}; {cmd}; echo $?; wait; jobs) {HIDE}"


@statement("job.monitor")
def monitor(g):
    return "(set -m; " + g.pick("echo $-", "set -o | grep monitor; case $- in *m*) echo m;; esac", "(exit 3) & wait; echo $?", "sleep 0.01 | cat; echo ${PIPESTATUS[@]}", "(case $- in *m*) echo m;; esac); x=$(case $- in *m*) echo m;; *) echo no;; esac); echo $x", "set +m; jobs", "bash -c 'case $- in *m*) echo m;; *) echo no;; esac'", "sleep 5 & kill $!; wait $! 2>/dev/null; echo $?", "trap 'echo C' CHLD; (exit 3); true & wait; trap - CHLD",
                              "shopt -s lastpipe; echo a | read x; echo \"<$x>\"", "{ sleep 0.01; } & fg 2>/dev/null; echo $?") + f") {HIDE}"


@statement("job.chld")
def chld(g):
    return f"(trap 'echo C' CHLD; {g.pick('(exit 3)', 'true', '/bin/true', 'x=$(echo a)', 'echo a | cat', ': & wait $!', 'wait', 'bash -c :', 'env true', 'ls', '{ :; }', 'cat < /dev/null', 'for i in 1 2; do (:); done', 'sleep 0.01 & sleep 0.02 & wait', 'cat <(echo a)', 'f() { (:); }; f')}; echo end) 2>&1"


@statement("job.background")
def background(g):
    cmd = g.pick("echo a", "(exit 3)", "{ echo b; exit 4; }", "cat", "read x; echo \"<$x> $?\"", "x=5", "f", "if true; then echo i; fi", "for i in 1 2; do echo $i; done", "echo a | cat", "! true", "exit 7", "return 2", "cd /; pwd", "set -e; false; echo no", "echo $BASH_SUBSHELL", "trap", "cat <<< in", "nosuch", "echo $1", "(echo n &) ; wait", "exec echo e", "eval 'echo v &'; wait", "[[ a ]]", "((0))", "break", "v=new",
                 "cat < missing", "case a in a) echo c;; esac", "time : 2>/dev/null", "echo \"${BASHPID-}\" > /dev/null", "false || true", "true && false", "jobs", "wait; echo w$?", "kill -9 $BASHPID")
    return f"(f() {{ echo f; return 6; }}; set -- arg; v=old; {cmd} & {g.pick('', 'echo $?; ', 'p=$!; ')}wait $!; echo \"$? $v ${{x-u}}\") < /dev/null {HIDE}"


@statement("job.last-pid")
def last_pid(g):
    return g.pick("(echo \"${!-unset}<$!>\"; set -u; echo $!)", "(: & p=$!; [[ $p = $! ]] && echo same; wait; [[ $p = $! ]] && echo kept; : & [[ $p = $! ]] || echo new; wait)", "(: & p=$!; (echo $!; [[ $! = $p ]] && echo sub; : & [[ $! = $p ]] || echo other; wait) ; [[ $! = $p ]] && echo back) | grep -v '[0-9]'",
                  "(x=$(: & echo $!); [[ $x ]] && echo got; echo \"${!-none}\")", "(: | : & [[ $! ]] && echo pipe; wait)", "(coproc :; [[ $! = $COPROC_PID ]] && echo co; wait)", "(cat <(:) ; [[ $! ]] && echo ps)", "(set -m; : & [[ $! = $(jobs -p) ]] && echo j; wait)", "(f() { : & }; f; [[ $! ]] && echo f; wait $!; echo $?)", "([[ $BASHPID != $$ ]] && echo d; bash -c '[[ $BASHPID = $$ ]] && echo s'; echo $((BASHPID == $$)))",
                  "(: & wait $!; wait $!; echo $?; wait $! $!; echo $?) 2>/dev/null", "(p=$(sleep 0.01 >/dev/null & echo $!); wait $p; echo $?) 2>&1 | grep -c child")


@statement("job.coproc")
def coprocs(g):
    form = g.pick("coproc cat", "coproc NAME { cat; }", "coproc { cat; }", "coproc NAME (cat)", "coproc (cat)", "coproc cat 2>&1", "coproc NAME while read -r l; do echo \"<$l>\"; done", "coproc NAME for i in 1 2; do read l; echo \"$i $l\"; done", "coproc f", "coproc NAME if read l; then echo \"got $l\"; fi", "coproc echo hi", "coproc exit 3", "coproc NAME { exit 4; }", "coproc nosuch",
                  "coproc 1x { cat; }", "coproc a-b { cat; }", "coproc NAME[1] { cat; }", "coproc RO { cat; }", "coproc $N { cat; }", "coproc tr a-z A-Z", "coproc NAME case x in x) cat;; esac", "coproc NAME [[ x ]]", "coproc (( 1 ))", "coproc f a b", "coproc v=1", "coproc NAME { cat; } > o", "coproc > o", "coproc cat < missing", "coproc NAME time cat", "coproc ! true", "coproc set -u", "coproc function g { :; }", "coproc NAME until ! read -r l; do echo \"u$l\"; done")
    name = "NAME" if "NAME" in form else "COPROC"
    use = g.pick("echo hello >&\"${{{0}[1]}}\"; read -r r <&\"${{{0}[0]}}\"; echo \"r=$r\"", "exec {{w}}>&\"${{{0}[1]-99}}\"-; echo x >&$w; exec {{w}}>&-; cat <&\"${{{0}[0]}}\"", "eval \"exec ${{{0}[1]}}>&-\"; cat <&\"${{{0}[0]}}\"", "echo \"${{#{0}[@]}} ${{!{0}[@]}}\"", "declare -p {0}_PID {0} | tr -d 0-9", "[[ ${0}_PID = $! ]] && echo pid", "exec {{{0}[1]}}>&-; cat <&${{{0}[0]}}",
                 "echo a >&${{{0}[1]}}; (read r <&${{{0}[0]}}; echo \"sub $r\") 2>/dev/null; echo", "jobs | tr -d 0-9", "unset {0}; echo ${0}_PID | tr -d 0-9", "kill ${0}_PID; wait ${0}_PID; echo $?; echo \"${{{0}-gone}} ${{{0}_PID-gone}}\"", "declare -p {0} | cat | tr 0-9 N", "coproc X cat 2> /dev/null; echo $?", "echo $?; wait $!; echo $?").format(name)
    return f"(readonly RO; N=DYN; f() {{ read l; echo \"f $l $*\"; }}\n{form}\n{use}\nexec {{COPROC[1]}}>&- {{NAME[1]}}>&-; kill ${{COPROC_PID-}} ${{NAME_PID-}}; wait) < /dev/null {HIDE_NUMBERS}; rm -f o"


@statement("select")
def selects(g):
    words = g.pick("", " in a b c", " in 'a b' c", ' in "$@"', " in", " in *", " in {1..12}", " in é ñ a", " in one two three four five six seven eight nine ten eleven", " in $'a\\nb' c", " in ''", " in a '' c", " in aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bb cc", " in $(echo x y)", ' in "${a[@]}"')
    text = g.pick("1\\n", "2\\n3\\n", "\\n1\\n", "9\\n", "x\\n", "1", "", "0\\n", "-1\\n", " 2 \\n", "1 x\\n", "01\\n", "1+1\\n", "\\n\\n", "2\\n\\n1\\n", "99999999999999999999\\n", "a\\\\nb\\n", "'1'\\n", "b\\n1\\n")
    body = g.pick('echo "<$x> <$REPLY>"', 'echo "<$x> <$REPLY>"; break', 'echo "$x"; [[ $x ]] && break', "break", "continue", 'echo "$x"; continue', "exit 3", 'echo "$REPLY"; set -- n', "return 2", 'x=changed; echo $x', 'read y; echo "y=$y"; break', ":", "unset x REPLY", "false")
    pre = g.pick("", "", "PS3='? '; ", "PS3=; ", "unset PS3; ", "COLUMNS=20; ", "COLUMNS=1; ", "PS3='$x \\w> '; ", "shopt -s checkwinsize; ", "LINES=3; ", "readonly x; ", "PS3=$'a\\nb'; ", "TMOUT=1; ", "set -e; ", "declare -i x; ")
    return f"({pre}set -- p q; a=(m 'n o')\nselect x{words}; do {body}; done < <(printf {single_quoted(text)}); echo \"$? <${{x-unset}}> <${{REPLY-unset}}>\") 2>&1"


@statement("time")
def times(g):
    fmt = g.pick("", "x", "a b", "%%", "%x", "%", "%l", "%3", "%0R", "\\n", "end\n", "%%R", "%Z", "%%%%", "é", "%lx", "%9", "%0", "$x", "%%P x")
    cmd = g.pick("true", "false", "(exit 3)", ": | (exit 4)", "! true", "{ echo a; }", "for i in 1; do echo $i; done", "nosuch 2>/dev/null", "f", "", "-- true", "x=1", "echo a > /dev/null", "eval 'exit 3'", "[[ a == b ]]", "((0))", "cat <<< in", "if true; then echo t; fi", "! false | true", "time true", "(exit 2) && true", "echo $?", "return 5", "sleep 0", "exit 9", "-p true", "-p", "f | cat", "&& true", "echo a & wait", "-x true", "\\timx", "'timx' true")
    return f"(f() {{ echo f; return 6; }}; TIMEFORMAT={single_quoted(fmt)}; time {cmd}; echo \"s $?\") 2>&1 | grep -v '^real\\|^user\\|^sys'"


@statement("pipe.status")
def pipe_status(g):
    stage = lambda: g.pick("true", "false", "(exit 3)", "{ (exit 4); }", "cat", "f", "exit 5", "return 6", "nosuch", "cat < missing", "if false; then :; fi", "[[ a == b ]]", "((0))", "! true", "for i in 1; do (exit 7); done", "x=1", "x=$(exit 8)", "> o", "eval '(exit 9)'", "kill -9 $BASHPID", "kill -PIPE $BASHPID", ": > missing/x", "sh -c 'exit 10'", "break", "while false; do :; done", "(exit 2) || (exit 11)", "readonly r=1; r=2", "echo ${u?e}", "set -e; false; true", "time :", "command exit 12", "exec false", "(exit 256)", "function g { :; }")  # noqa: E731
    pre = g.many(0, 2, lambda: g.pick("set -o pipefail", "shopt -s lastpipe", "set -e", "set +e", "set -m", "set -u", "false"), "; ") or ":"
    line = g.pick("", "", "! ") + g.many(1, 4, stage, " | ")
    after = g.pick('echo "${PIPESTATUS[@]} $?"', 'echo "$? ${PIPESTATUS[@]}"; echo "${PIPESTATUS[@]}"', 'a=("${PIPESTATUS[@]}"); echo "${a[*]} ${#a[@]} ${PIPESTATUS[*]}"', 'declare -p PIPESTATUS', 'echo ${PIPESTATUS} ${PIPESTATUS[1]-u} ${#PIPESTATUS[@]}', 'if [ $? = 0 ]; then echo "${PIPESTATUS[@]}"; fi', '{ echo "${PIPESTATUS[@]}"; }', '(echo "${PIPESTATUS[@]}")', 'x=1; echo "${PIPESTATUS[@]}"', ': | echo "${PIPESTATUS[@]}"', 'f2() { echo "${PIPESTATUS[@]}"; }; f2', 'echo "$(echo "${PIPESTATUS[@]}")"', 'unset PIPESTATUS; echo "${PIPESTATUS[@]-u}"; true | false; echo "${PIPESTATUS[@]}"', 'PIPESTATUS=(7 8); echo "${PIPESTATUS[@]}"', '[[ a ]]; echo "${PIPESTATUS[@]}"', '((1)); echo ${PIPESTATUS[@]}', 'v=$(false); echo "${PIPESTATUS[@]}"', 'trap "echo \\${PIPESTATUS[@]}" EXIT', 'local z; echo ${PIPESTATUS[@]}')
    return f"{{ (f() {{ return 12; }}; {pre}\n{line}; {after}; echo end) < /dev/null; }} 2>/dev/null; echo $?; rm -f o"


@statement("pipe.variables")
def pipe_variables(g):
    # Whether SIGPIPE ends it when nobody reads is chance.
    writer = "(trap '' PIPE; printf 'a:b\\nc\\n' 2>/dev/null; exit 0)"
    stage = g.pick("read x", "x=in", "{ read x; read y; }", "while read -r l; do x+=$l; n=$((n+1)); done", "mapfile -t a", "(read x)", "f", "eval 'read x'", "IFS=: read x y", "set -- $(cat)", "cd /", "for i in 1 2; do read x; done", "read -a a", "exit 3", "return 4", "break", "unset v", "export v=p", "trap 'echo t' EXIT", "exec 3>&1", "declare x=d", "shopt -s nullglob", "x=1 y=2 eval :", "printf -v x %s p", "((n=5))", "getopts ab x -a", "time read x", "! read x", "if read x; then :; fi", "case a in a) read x;; esac", "[[ x =~ (.) ]]", "until ! read x; do n=$x; done", "read x < <(echo sub)")
    return f"(f() {{ read x; return 3; }}; {g.pick('', 'shopt -s lastpipe; ', 'shopt -s lastpipe; set -o pipefail; ', 'set -m; shopt -s lastpipe; ')}v=o; {writer} | {stage}; echo \"$? ${{x-u}} ${{y-u}} ${{n-u}} ${{a[*]-u}} ${{v-u}} $* ${{PIPESTATUS[*]}} ${{BASH_REMATCH[1]-}} ${{PWD##*/}}\" | tr -d '\\n' | grep -o 'u\\|[0-9a-z]*' | head -20) 2>&1"


@statement("pipe.error")
def pipe_error(g):
    left = g.pick("{ echo o; echo e >&2; }", "f", "cat < missing", "nosuch", "(echo s; echo t >&2)", "echo a > /dev/null", "{ echo e >&2; } 2>/dev/null", "echo e >&2 2>/dev/null", "eval 'echo e >&2'", "cat missing/x | cat", "if :; then echo i >&2; fi", "exec echo x", "{ echo a; } 2> o", "x=1 f", ": ${u?unset}", "echo a |& cat")
    right = g.pick("cat", "tr a-z A-Z", "(cat)", "{ cat; }", "cat > o; cat o", "while read -r l; do echo \"<$l>\"; done", "grep -c .", "cat |& cat", "read x; echo $x", "head -n 1")
    return f"(f() {{ echo fo; echo fe >&2; }}; {left} |& {right}; echo \"${{PIPESTATUS[*]}}\") 2>/dev/null; rm -f o"


@statement("pipe.bang")
def bang(g):
    return "(" + g.pick("! true", "! false", "! ! true", "! ! false", "! (exit 3)", "! true | false", "! false | true", "! { false; }", "! f", "!", "! !", "! ; echo x", "! x=1", "! [[ a ]]", "! ((0))", "! ! ! true", "! eval false", "! return 3", "! exit 3", "! nosuch", "if ! true; then echo t; else echo f; fi", "while ! true; do echo; done", "! true && echo and", "! false || echo or", "true && ! true", "! time true", "! > o", "set -e; ! true; echo cont", "set -e; ! false; echo cont", "! true &", "!true", "! -x", "! function g { :; }", "! coproc :", "! if true; then false; fi", "! trap 'echo E' ERR", "f2() { ! true; }; f2", "f2() { ! return 0; }; f2", "! case a in a) false;; esac") + "; echo \"$? ${PIPESTATUS[*]}\") 2>/dev/null; echo $?; rm -f o"


@statement("subshell")
def subshells(g):
    body = g.many(1, 3, lambda: g.pick("v=in", "unset v", "export v=e", "cd /", "set -- a b c", "f() { echo new; }", "unset -f f", "set -f", "shopt -s nullglob", "alias q=r", "umask 77", "exec 3>&1", "trap 'echo t' EXIT", "readonly v", "a+=(z)", "IFS=:", "OPTIND=5", "exit 3", "(v=deep; echo $v)", "echo $BASH_SUBSHELL", "echo $((n++))", "hash -r", "set -e; false; echo no", "return 4", "break", "local v=1", "ulimit -n 50", "declare -g v=g", "x=$(echo $BASH_SUBSHELL); echo $x", "false", "declare -A m=([a]=b)", "unalias -a", "exec 2>&1", "SECONDS=100", "RANDOM=5", "shift", "BASH_SUBSHELL=9; echo $BASH_SUBSHELL", "wait", ": ${new=made}"), "; ")
    return f"(f() {{ echo f; }}; v=out; a=(x); n=1; set -- p; {g.pick('({0})', '{{ {0}; }} | cat', ': | {{ {0}; }}', 'x=$({0}); echo $x', '({0}) & wait $!', 'cat <({0})', '{{ ({0}); }}', '(({0}) )', '( ({0}) )', 'echo `{0}`', 'f2() ({0}); f2', '({0}) > o; cat o', '{{ {0}; }} & wait').format(body.replace('`', ''))}; echo \"$? $v ${{a[*]}} $n $* $BASH_SUBSHELL $- ${{#IFS}} $OPTIND $(umask) ${{new-unset}} ${{m[a]-u}}\"; f; type -t f2; [ $PWD = / ] && echo root) 2>&1; rm -f o"


@statement("exec")
def execs(g):
    cmd = g.pick("exec echo a", "exec", "exec -a name bash -c 'echo $0'", "exec -c env", "exec -l bash -c 'echo $0'", "exec -cl bash -c 'echo $0 ${HOME:+home}'", "exec nosuch", "exec ./dir", "exec ./notexec", "exec > o; echo to o; exec 1>&2", "exec 3> o; echo x >&3; exec 3>&-; cat o", "exec {fd}> o; echo y >&$fd; cat o", "exec -x echo", "exec -a", "exec -a n", "exec --", "exec -- echo b", "exec f", "exec cd /", "exec true", "exec false", "exec < missing", "exec < missing; echo cont", "exec echo $(echo c) > o; cat o",
                 "v=1 exec bash -c 'echo ${v-u}'", "export v=2; exec bash -c 'echo $v'", "exec ''", "exec bash -c 'echo $SHLVL'", "exec exit 3", "exec :", "exec .", "shopt -s execfail; exec nosuch; echo still $?", "shopt -s execfail; exec < missing; echo still", "exec /nosuch/x", "exec 2>&1 nosuch", "exec 5<&0 6>&1; echo six >&6", "exec 3<&-", "exec 9>&8", "exec bash ./script a b", "exec ./script a b", "exec sh -c 'exit 4'", "trap 'echo t' EXIT; exec echo e", "trap 'echo t' EXIT; exec nosuch", "exec -a '' bash -c 'echo \"<$0>\"'", "command exec echo c", "builtin exec echo d", "eval exec echo e", "exec | cat", "exec & wait", "exec 3> o 4>&3; echo z >&4; cat o", "exec -a x -c bash -c 'echo $0'", "exec {fd}< missing; echo $?")
    return f"(mkdir -p dir; echo 'echo \"script $0 $*\"' > script; chmod +x script; echo x > notexec; f() {{ echo f; }}; {cmd}; echo \"after $?\") 2>&1; echo $?; rm -rf dir script notexec o"
