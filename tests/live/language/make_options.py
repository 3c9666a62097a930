"""set, shopt, getopts, let, shift."""
from grammar import show_words, statement

LETTERS = "abefhkmnptuvxBCEHPT"
LONG = ("allexport", "braceexpand", "emacs", "errexit", "errtrace", "functrace", "hashall", "histexpand", "history", "ignoreeof", "interactive-comments", "keyword", "monitor", "noclobber", "noexec", "noglob", "nolog", "notify", "nounset", "onecmd", "physical", "pipefail", "posix", "privileged",
        "verbose", "vi", "xtrace")
SHOPT = ("autocd", "assoc_expand_once", "cdable_vars", "cdspell", "checkhash", "checkjobs", "checkwinsize", "cmdhist", "compat31", "compat32", "compat40", "compat41", "compat42", "compat43", "compat44", "complete_fullquote", "direxpand", "dirspell", "dotglob", "execfail", "expand_aliases", "extdebug", "extglob",
         "extquote", "failglob", "force_fignore", "globasciiranges", "globskipdots", "globstar", "gnu_errfmt", "histappend", "histreedit", "histverify", "hostcomplete", "huponexit", "inherit_errexit", "interactive_comments", "lastpipe", "lithist", "localvar_inherit", "localvar_unset", "login_shell", "mailwarn",
         "no_empty_cmd_completion", "nocaseglob", "nocasematch", "noexpand_translation", "nullglob", "patsub_replacement", "progcomp", "progcomp_alias", "promptvars", "restricted_shell", "shift_verbose", "sourcepath", "syslog_history", "varredir_close", "xpg_echo")
SAFE_LONG = [o for o in LONG if o not in ("noexec", "onecmd", "privileged", "history", "monitor", "xtrace", "verbose")]
QUIET = [o for o in SHOPT if o not in ("restricted_shell", "extdebug", "syslog_history", "login_shell")]


def sub(*lines):
    return "(\n" + "\n".join(lines) + "\n)"


@statement("builtin.set.letters")
def letters(g):
    letter = g.pick(*[c for c in LETTERS if c not in "ntpmxv"])
    return sub(f"set {g.pick('-', '+')}{letter}; echo $? $-; set -o | grep {g.pick('on$', 'off$')}; echo $SHELLOPTS")


@statement("builtin.set.long")
def long_options(g):
    option = g.pick(*SAFE_LONG)
    return sub(f"set {g.pick('-o', '+o')} {option}; echo $? $-", f"{g.pick('shopt -o ' + option, 'shopt -op ' + option, 'set -o | grep ' + option, 'set +o | grep ' + option, 'echo $SHELLOPTS', '[[ -o ' + option + ' ]]; echo $?')}; echo $?")


@statement("builtin.set.list")
def list_options(g):
    return sub(*(f"set {g.pick('-o', '+o')} {g.pick(*SAFE_LONG)}" for _ in range(g.number(0, 2))), g.pick("set -o", "set +o", "shopt -o", "shopt -po", "shopt -so", "shopt -uo", "echo $- $SHELLOPTS", "shopt -op -s", "set -o +o", "set +o -o"))


@statement("builtin.set.arguments")
def arguments(g):
    words = g.many(0, 4, lambda: g.pick("a", "'b c'", "-", "--", "+", "-u", "+u", "''", "-x", "x", "-o", "-f", "--x", "+B", "-e +e", "-fC", "+fC", "1", "-o noglob", "+o noglob", "$nothing", '"$nothing"', "-", "-au", "*"))
    return sub("set -- p 'q r' s", f"set {words} > out 2>&1; echo $? $# $-", 'printf "<%s>" "$@"; echo; head -n 3 out')


@statement("builtin.set.bad")
def bad(g):
    form = g.pick("-z", "-o bogus", "+o bogus", "-Z x", "-xq", "-é", "--bad", "-o ''", "+z", "-o -x", "-1", "-e-", "-o posix -z", "-o noglob -o bogus", "-l", "-w", "-fy x", "+-", "-+", "-o bogus x y", "-x-o", "-c", "-s", "-i", "-D", "-A", "-r x", "+r", "-a -i", "-O extglob", "-y", "-q")
    return sub(f"set {form} > out; echo $? $# $-; set +x")


@statement("builtin.set.list-all")
def list_all(g):
    return sub(f"v={g.value()} w=({g.value()} {g.value()}); declare -A m=([{g.value()}]={g.value()}); x1= ; declare y1; f() {{ echo a; }}", g.pick("", "set -o posix"), f"set | grep -a -A2 -E '^(v|w|m|x1|y1|f)( |=)'; {g.pick('set > out', 'set - > out', 'set -- > out')}; echo $?")


@statement("builtin.set.effect")
def effect(g):
    return sub(g.pick("set -e; false; echo not", "set -u; echo $nothing; echo not", "set -f; echo *", "set -C; echo a > f; echo b > f; echo $?; echo c >| f; cat f", "set -a; v=1; env | grep ^v=", "set +B; echo {a,b}", "set -v; echo a\nset +v", "set -x; v=1 true; set +x", "set -n; echo a", "set -t; echo a; echo b\necho c",
                      "set +h; hash; set -h", "set -P; mkdir d; ln -s d l; cd l; pwd", "set -o pipefail; false | true; echo $?", "set -E; trap 'echo err' ERR; f() { false; }; f", "set -T; trap 'echo dbg $BASH_COMMAND' DEBUG; f() { :; }; f; trap - DEBUG", "set -o posix; set -o | grep posix", "set -eu; (false; echo in); echo not", "set -e; f() { false; echo in; }; f || echo or",
                      "set -o nounset; echo ${x-d} ${#x}", "set -u; set --; echo \"$@\" $* $#; echo $1", "set -u; arr=(); echo ${arr[@]}; echo ${arr[0]}; echo n", "set - a b; echo $#; set -; echo $#; set --; echo $#", "set -vx; echo a\nset - b", "set -e -o pipefail; false | true; echo not", "set -o errexit; ! true; echo in; true && false; echo not", "set -x -v\n:\nset +xv", "set -b; set -m; echo $-; set +m"))


@statement("builtin.shopt.each")
def shopt_each(g):
    option = g.pick(*QUIET)
    return sub(f"shopt {option}; echo $?; shopt {g.pick('-s', '-u')} {option}; echo $?; shopt {g.pick('', '-p', '-q')} {option}; echo $?; [[ $BASHOPTS == *{option}* ]]; echo $?")


@statement("builtin.shopt.list")
def shopt_list(g):
    return sub(*(f"shopt {g.pick('-s', '-u')} {g.pick(*[o for o in QUIET if not o.startswith('compat')])}" for _ in range(g.number(0, 3))), g.pick("shopt", "shopt -p", "shopt -s", "shopt -u", "shopt -q", "shopt -sp", "shopt -up", "echo $BASHOPTS", "shopt -qs", "shopt -pq", "shopt -o -q", "shopt --") + "; echo $?")


@statement("builtin.shopt.several")
def shopt_several(g):
    options = g.many(1, 4, lambda: g.pick(*QUIET, "bogus", "''", "errexit", "-s"))
    return sub(f"shopt {g.pick('', '-s', '-u', '-q', '-p', '-o', '-so', '-qo', '-po', '-su', '-sq', '-uq', '-sp', '-uo', '-opq')} {options}; echo $?", f"shopt {g.pick(*QUIET)}")


@statement("builtin.shopt.long")
def shopt_long(g):
    return sub(f"shopt {g.pick('-o', '-so', '-uo', '-qo', '-po', '-o -s', '-oq')} {g.many(0, 2, lambda: g.pick(*SAFE_LONG, 'bogus', 'extglob'))} | grep -v history; echo ${{PIPESTATUS[0]}} $-; set +xv")


@statement("builtin.shopt.bad")
def shopt_bad(g):
    return sub(f"shopt {g.pick('-z', '--bad', 'bogus', '-s bogus', '-u bogus extglob', '-q bogus', '-su extglob', '-so bogus', '-o', '-p bogus', '-s -u', '+s extglob', '-sz', '-', '-s -- extglob', '-so extglob', '1', '-sZ', '-sqz')} > out; echo $?")


@statement("builtin.options.readonly-variables")
def readonly_variables(g):
    return sub(g.pick("SHELLOPTS=x", "BASHOPTS=x", "declare -p SHELLOPTS > out; echo $?", "declare -p BASHOPTS", "unset SHELLOPTS", "POSIXLY_CORRECT=1; echo $SHELLOPTS", "set -o posix; echo ${POSIXLY_CORRECT-unset}; set +o posix; echo ${POSIXLY_CORRECT-unset}", "POSIXLY_CORRECT=; set -o | grep posix; unset POSIXLY_CORRECT; set -o | grep posix",
                      "IGNOREEOF=3; set -o | grep ignoreeof", "set -o ignoreeof; echo $IGNOREEOF; set +o ignoreeof; echo ${IGNOREEOF-u}", "BASH_COMPAT=4.2; shopt compat42; echo $BASH_COMPAT", "shopt -s compat43; echo $BASH_COMPAT; shopt -u compat43; echo \"[$BASH_COMPAT]\"", "BASH_COMPAT=9; echo $?", "BASH_COMPAT=42; shopt compat42", "BASH_COMPAT=; echo $?", "export SHELLOPTS; set -f; bash -c 'echo $-' | tr -d chs",
                      "shopt -s compat31 compat44; echo $BASH_COMPAT; shopt | grep compat", "BASH_COMPAT=5.2; echo $?", "BASH_COMPAT=3.9; echo $?", "unset BASH_COMPAT; echo $?") + "; echo $?")


# getopts

def getopts_words(g):
    return g.many(0, 5, lambda: g.pick("-a", "-b", "-c", "-ab", "-b x", "-bx", "-abx", "-cv", "-x", "--", "-", "p", "-ba", "-c ''", "-b ''", "--long", "-a -", "-é", "-?", "-:", "'-a b'", "+a", "-1", "-aab", "''", "-b --", "-b -a", "'- '"))


def spec(g):
    return g.pick("ab:c", ":ab:c", "abc", ":abc", "a:b:c:", "", ":", "ab:c?", "a b", "1a", "ab::c", "::ab", "-a", "a:", "b:a", ":b:", "aé:", "abcdefghij", "?")


@statement("builtin.getopts.loop")
def getopts_loop(g):
    return sub(g.pick("", "OPTERR=0", "OPTERR=1", "OPTERR=", "OPTERR=x", "unset OPTERR"), f"set -- {getopts_words(g)}", f"n=0; while getopts '{spec(g)}' o; do echo \"$o [$OPTARG] $OPTIND\"; (( ++n > 9 )) && break; done; echo \"$? $o [${{OPTARG-unset}}] $OPTIND\"", g.pick("", "shift $((OPTIND - 1)); echo \"$@\""))


@statement("builtin.getopts.arguments")
def getopts_arguments(g):
    return sub(f"set -- -q", f"for i in 1 2 3 4 5; do getopts '{spec(g)}' o {getopts_words(g)}; echo \"$? $o [${{OPTARG-unset}}] $OPTIND\"; done")


def single_options(g):
    return g.many(0, 5, lambda: g.pick("-a", "-b", "-c", "-b x1", "-x", "--", "-1", "pp", "-?", "-:", "+a"))


@statement("builtin.getopts.function")
def getopts_function(g):
    # Without a place of its own the function goes on inside of a word of its caller: where its own word there is shorter, bash reads behind it.
    own = g.pick("local OPTIND; ", "local OPTIND=1; ", "", "OPTIND=1; ", "local OPTIND OPTARG o; ", "local OPTERR=0; ")
    words = getopts_words if "OPTIND" in own else single_options
    return sub("f() { " + own + f"while getopts '{spec(g)}' o; do echo \"f $o [$OPTARG] $OPTIND\"; {g.pick('', '', 'g -a -b y; ', 'break; ')}(( ++m > 7 )) && break; done; }}", "g() { " + g.pick("local OPTIND=1; ", "local OPTIND; ", "local OPTIND OPTARG; ") + "while getopts ab: p; do echo \"g $p $OPTARG $OPTIND\"; (( ++k > 5 )) && break; done; }",
               f"set -- {words(g)}", f"n=0; while getopts '{spec(g)}' o; do echo \"$o [$OPTARG] $OPTIND\"; {g.pick('f -a -bx q', 'f ' + words(g), ':')}; (( ++n > 7 )) && break; done; f {words(g)}; echo $OPTIND")


@statement("builtin.getopts.index")
def getopts_index(g):
    return sub(f"set -- {getopts_words(g)}", f"getopts '{spec(g)}' o; echo \"$? $o $OPTIND\"; {g.pick('OPTIND=1', 'OPTIND=2', 'OPTIND=0', 'OPTIND=x', 'OPTIND=-1', 'OPTIND=9', 'unset OPTIND', 'OPTIND=', 'set -- -c -a', 'shift', 'OPTIND=$OPTIND', 'declare -i OPTIND', 'local OPTIND', 'export OPTIND', 'OPTIND+=1', '(OPTIND=1; getopts abc o; echo $o)', 'OPTIND=1 true', 'let OPTIND=1', 'OPTIND=02', 'printf -v OPTIND 1', 'read OPTIND <<< 1')}",
               f"getopts '{spec(g)}' o; echo \"$? $o [${{OPTARG-unset}}] $OPTIND\"; getopts '{spec(g)}' o; echo \"$? $o [${{OPTARG-unset}}] $OPTIND\"")


@statement("builtin.getopts.bad")
def getopts_bad(g):
    form = g.pick("", "ab", "-z a o", "-- ab o", "ab 1o", "ab ''", "ab a-b", "-a o", "ab o extra", "ab ro", "ab 'arr[1]'", "--help x", "ab ref", "ab int", "- o", "ab 'map[k]'", "ab @", "ab 1 -a")
    return sub(f"set -- -a -x; getopts {form} > out; echo \"$? $o ${{ref}} ${{arr[1]}} [${{OPTARG-unset}}] $OPTIND\"").replace("(\n", "(\nreadonly ro; declare -n ref=v; declare -i int; declare -A map\n", 1)


# let, shift

def arithmetic(g):
    return g.pick("1", "0", "a=1", "'a = 2'", "a++", "--a", "'1 +'", "''", "a=b=3", "'(1'", "1/0", "'a[1]=4'", "'a b'", "08", "x", "a,b", "'1, 0'", "a?1:2", "'!a'", "-1", "--", "2**3", "a+=2", "$a", "'1 ? 2'", "1=2", "'b[0]++'", "0x1f", "'a<b'", "'a<<2'", "1.5", "@", "'#1'", "10#8", "a==1", "\"'a'\"")


@statement("builtin.let")
def let(g):
    return sub(f"a=1 b=2; let {g.many(0, 3, lambda: arithmetic(g))}; echo $? $a $b")


@statement("builtin.let.command")
def let_command(g):
    return sub(f"a=1 b=2; (( {arithmetic(g).strip(chr(39))} )); echo $? $a $b; echo after")


@statement("builtin.shift")
def shift(g):
    form = g.pick("", "0", "1", "2", "9", "-1", "x", "1 2", "--", "-- 1", "-z", "''", "99999999999999999999", "1x", "' 1'", "+1", "01", "1+1", "$nothing", "-- -1", "3")
    return sub(f"set -- {g.many(0, 4, g.simple)}", g.pick("", "shopt -s shift_verbose", "set -o posix"), f"shift {form}; echo $? $#", show_words('"$@"'))


@statement("builtin.shift.function")
def shift_function(g):
    return f"f() {{ shift {g.pick('', '1', '2', '5')}; echo $? $# \"$*\"; while shift; do echo \"$@\"; done; }}; f {g.many(0, 4, g.simple)}; echo $#"
