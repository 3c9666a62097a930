"""Parameter expansion: every operator, on every kind of parameter, wherever an expansion may stand; word splitting."""
import re

from grammar import show_words, single_quoted, statement, word

RESET = "IFS=$' \\t\\n'"


def braced(inner):
    return "${" + inner + "}"


# What is expanded.

def texts(g, low=0, high=4):
    return g.many(low, high, g.value)


def indexed(g):
    """The words of an array, perhaps with holes."""
    if g.chance(0.3):
        return " ".join(f"[{n}]={g.value()}" for n in g.rng.sample(range(9), g.number(1, 4)))
    return texts(g)


def keyed(g):
    return " ".join(f"[{k}]={g.value()}" for k in g.rng.sample(["k", "1", "'a b'", "x", "foo", "'*'"], g.number(0, 2)))


def ifs(g):
    return g.pick("IFS=", "unset IFS", "IFS=:", "IFS=,", "IFS=' '", "IFS=$'\\n'", "IFS=' :'", "IFS=$' \\t\\n'", "IFS=x", "IFS=ab", "IFS='\\'", "IFS='*'",
                  "IFS=/", "IFS=1", "IFS=-", "IFS=$'\\t'", "IFS=\"'\"", "IFS='\"'", "IFS='[]'")


def setting(g):
    """Lines that give what `target` names its values; each stands on its own, so that what is not needed can be cut."""
    lines = [f"v={g.value()}", f"w={g.value()}", f"set -- {texts(g)}", "unset a A u; declare -A A", f"a=({indexed(g)})", f"A=({keyed(g)})",
             f"i={g.pick('v', 'w', '1', 'a[0]', 'a[@]', 'a[*]', 'A[k]', 'A[@]', 'u', 'a', 'A', '2', '#', 'a[-1]', 'i', 'v[0]', 'a[1+1]')}"]
    if g.chance(0.4):
        lines.append(ifs(g))
    return lines


def scalar(g):
    return g.pick("v", "v", "v", "w", "u", "1", "2", "a[0]", "a[1]", "a[-1]", "a", "A[k]", "A[foo]", "A", "v[0]", "u[2]", "!i", "3", "0+", "#", "?", "-", "A[\"a b\"]", "A[\"$w\"]",
                  "a[1+1]", "a[$(echo 0)]", "10", "v[1]").replace("0+", "v")


def several(g):
    return g.pick("@", "*", "a[@]", "a[*]", "A[@]", "A[*]", "@", "*", "a[@]", "a[*]", "v[@]", "u[@]", "u[*]", "v[*]", "!i")


def target(g):
    return scalar(g) if g.chance(0.55) else several(g)


# Operands.

def piece(g):
    """A part of the word of `:-` and its like."""
    return g.pick(
        g.simple, g.simple, lambda: "'" + g.pick("a b", "x", "", "$v", "}", '"', "\\", "*") + "'",
        lambda: '"' + g.pick("a b", "x", "", "$v", "}", "'", "\\$", "\\\\", "\\a", "${w}", "$@", "$*", "${a[@]}", "*") + '"',
        lambda: "\\" + g.pick("a", "}", "$", "\\", '"', "'", "*", " ", "~", "&", "{", "`", "n"),
        lambda: "$'" + g.pick("a\\tb", "\\n", "x y", "\\x41", "\\e", "") + "'",
        lambda: g.pick("$v", "$w", "${v}", "$u", "$1", "$@", "$*", "${a[@]}", "${a[*]}", "$#", "${#v}"),
        lambda: braced(g.pick("u", "v", "w") + g.pick(":-", "-", ":+", "+") + (piece(g) if g.chance(0.7) else "")),
        lambda: "$(echo " + g.pick("x", '"a  b"', "'q'", "$v", '"$w"', "'}'", '"}"') + ")", lambda: "`echo " + g.pick("x", "a b", "\\$v", '"q"') + "`",
        lambda: "$((1+" + g.pick("1", "2", "$#") + "))", lambda: g.pick("~", "~/x", ":~", "*", "?", "[a]", "{a,b}", "=", "/", "a b", "  ", "#", "!", "%", "a  b ", "{", "(", ")", "&", ";", "|", "<"))()


def operand(g):
    return "".join(piece(g) for _ in range(g.number(0, 3)))


def extended(g):
    return g.pick("@(a|b)", "*(a)", "+(a|ab)", "?(a)b", "!(a)", "!(*b)", "+([a-c])", "@(foo|bar*)", "*(*(a)|b)", "@(|a)", "!(a|b)*", "+(?)", "@('a'|\"b\")", "@($v)", "?(*)", "+(!(a))",
                  "a!(b)c", "@(a|b", "!()", "@([ab]|c)", "+(foo)")


def trim_pattern(g):
    def one():
        return g.pick(g.pattern, g.pattern, lambda: extended(g), lambda: g.pick('"$v"', "$w", '"*"', "'?'", "\\*", "${v:0:1}", "$'\\n'", "[\"a\"b]", "[$v]", "[[:alnum:][:space:]]", "[a-z]",
                      "[!'a']", "\\a", "[\\]]", '"${w#a}"', "é", "[é]", "[[:punct:]]", "}", "\\}", "'}'", "~", "[a-\\c]", "\\\\", "[\\\\]", "%", "#", "/", "\\/", " "))()
    return "".join(one() for _ in range(g.pick(0, 1, 1, 1, 2)))


def replacement(g):
    return "".join(g.pick(lambda: "&", lambda: "\\&", lambda: "'&'", lambda: '"&"', lambda: "\\\\&", lambda: '"\\&"', lambda: "$r", lambda: '"$r"', lambda: "/", lambda: "[&]", lambda: piece(g))()
                   for _ in range(g.number(0, 2)))


def offset(g):
    return g.pick(g.offset, g.offset, lambda: g.pick("", " ", "x", "$n", "n", "n+1", "a[0]", "n?1:2", "(n?1:2)", "#v", "${#v}", "$#", "-1", " -0", "1 ", "0x1", "08", "1+", "2**1", "\"1\"", "'1'", "n++", " -n",
                  "-n", "(1,2)", "1,2", "--n", "~0", "!n", "$((n))", "${u:-1}", "${u:-}", "$(echo 1)", "A[k]", "1.5", "n=2", "9223372036854775807", "z", ":"))()


def replaced(g, how):
    """A target and the pattern to be replaced in it: of a whole list never none, for which bash leaves bytes of its own (\\001) in the elements."""
    name, pattern = target(g), trim_pattern(g)
    return name, how + (pattern or ("x" if name[-1] in "*@]i" else ""))


def ends(made, more):
    return made[0], made[1] + more


OPERATORS = {
    "default": lambda g: (target(g), g.pick(":-", "-") + operand(g)),
    "alternative": lambda g: (target(g), g.pick(":+", "+") + operand(g)),
    "assign": lambda g: (g.pick("u", "v", "a[3]", "a[0]", "A[n]", "A[k]", "!i", "u[1]", "1", "@", "a[@]", "A[@]", "a[*]", "*", "w"), g.pick(":=", "=") + operand(g)),
    "trim-prefix": lambda g: (target(g), "#" + trim_pattern(g)),
    "trim-prefix-long": lambda g: (target(g), "##" + trim_pattern(g)),
    "trim-suffix": lambda g: (target(g), "%" + trim_pattern(g)),
    "trim-suffix-long": lambda g: (target(g), "%%" + trim_pattern(g)),
    "replace": lambda g: ends(replaced(g, "/"), ("/" + replacement(g)) if g.chance(0.85) else ""),
    "replace-all": lambda g: ends(replaced(g, "//"), ("/" + replacement(g)) if g.chance(0.85) else ""),
    "replace-prefix": lambda g: ends(replaced(g, "/#"), "/" + replacement(g)),
    "replace-suffix": lambda g: ends(replaced(g, "/%"), "/" + replacement(g)),
    "slice": lambda g: (target(g), ":" + offset(g) + ((":" + offset(g)) if g.chance(0.6) else "")),
    "upper": lambda g: (target(g), g.pick("^", "^^") + (trim_pattern(g) if g.chance(0.5) else "")),
    "lower": lambda g: (target(g), g.pick(",", ",,") + (trim_pattern(g) if g.chance(0.5) else "")),
    "toggle": lambda g: (target(g), g.pick("~", "~~") + (trim_pattern(g) if g.chance(0.3) else "")),
    "length": lambda g: ("#" + g.pick("v", "w", "u", "1", "2", "@", "*", "a[@]", "a[*]", "a", "a[0]", "a[-1]", "a[7]", "A[@]", "A[k]", "A", "#", "?", "-", "!", "10", "u[@]", "v[@]"), ""),
    "indirect": lambda g: ("!" + g.pick("i", "i", "i", "v", "w", "u", "1", "a[0]", "#"), ""),
    "names": lambda g: ("!" + g.pick("LONG", "zz", "zz_", "BASH_VERS", "zzz_none", "OPT", "HOSTT") + g.pick("*", "@"), ""),
    "keys": lambda g: ("!" + g.pick("a", "A", "v", "u", "i") + g.pick("[@]", "[*]"), ""),
    "plain": lambda g: (target(g), ""),
}
for letter in "QEPAaKkUuL":
    OPERATORS["transform-" + (letter if letter.isupper() else letter * 2)] = lambda g, letter=letter: (target(g), "@" + letter)
BROKEN = ("v@", "v@Z", "v@QQ", "v@ Q", "", "v!", "v:", "a[]", "1a", "+a", "v;w", "v w", "#v#", "#v:1", "!", "!v!", "#", "##", "#:-x", "!@", "v%%%", "@Q", "v@q", "v^^^",
          "v.x", "v//", "v/", "!v@", "!v*x", "#a[@]:1", "-", "--", "?x", "?:-x", "!#", "!?", "$v", "#-", "#?", "!:-x", "*:1:1:1", "v:1:1:1", "v:", "v::", "v::1", "v: :1", "@:",
          "v=", "v#", "\"v\"", "v\\", "'v'", "v[0]]", "v[]", "A[]", "A[@]]", "v-", "v+", "v?")


def expansion(g, names=None):
    """An expansion in braces of any operator."""
    name, rest = OPERATORS[g.pick(list(names or OPERATORS))](g)
    return braced(name + rest)


# Where it stands.

def heredoc(g, text):
    """Not with a $( in a slice or a replacement: bash loses the end of those in a here-document."""
    if re.search(r"\$\{[^}]*(:[^-=?+}]|/)[^}]*(\$\{[^}]*)?(\$\(|`)", text):
        return show_words(f'"{text}"' if '"' not in text else text)
    return f"cat <<{g.pick('E', '-E')}\n{g.pick('', 'x ')}{text}{g.pick('', ' y')}\nE"


PLACES = (
    lambda g, e: show_words(e), lambda g, e: show_words(f'"{e}"'), lambda g, e: show_words(e), lambda g, e: show_words(f'"{e}"'),
    lambda g, e: show_words(f'x{e}y "x{e}y"'), lambda g, e: show_words(f'"x"{e}"y"'), lambda g, e: f'x={e}\n' + show_words('"$x"'), lambda g, e: f'x="{e}"\n' + show_words('"$x"'),
    lambda g, e: f'[[ {e} == {g.pattern() if g.chance(0.5) else g.simple()} ]]; echo $?', lambda g, e: f'[[ "{e}" == "{g.simple()}" || -n {e} ]]; echo $?', lambda g, e: f'[[ {g.value()} == {e} ]]; echo $?',
    lambda g, e: f'case {e} in {g.simple()}) echo 1;; {g.simple()}*) echo 2;; *) echo 3;; esac', lambda g, e: f'case {g.value()} in {e}) echo 1;; "{e}") echo 2;; *) echo 3;; esac',
    lambda g, e: heredoc(g, e), lambda g, e: f"cat <<< {e}", lambda g, e: f'cat <<< "{e}"', lambda g, e: f"x=({e})\ndeclare -p x", lambda g, e: f'x=("{e}")\ndeclare -p x',
    lambda g, e: f"for x in {e}; do printf '<%s>' \"$x\"; done; echo", lambda g, e: f'for x in "{e}"; do printf \'<%s>\' "$x"; done; echo',
    lambda g, e: show_words(f'{braced("u" + g.pick("-", ":-", "") + e) if g.chance(0.7) else e}'), lambda g, e: show_words(f'"{braced("u:-" + e)}"'), lambda g, e: show_words(f'"{braced("v:+" + e)}"'),
    lambda g, e: show_words(f'${{v:+"{e}"}}'), lambda g, e: f"declare x={e}\ndeclare -p x", lambda g, e: f'f() {{ local x={e} y="{e}"; {show_words("$x $y")}; }}\nf', lambda g, e: f"x=({g.simple()}); x+=([3]={e})\ndeclare -p x",
    lambda g, e: f"set -- {e}; echo $#", lambda g, e: f'set -- "{e}"; echo $# "$1"', lambda g, e: f"x=pre; x+={e}\n" + show_words('"$x"'), lambda g, e: show_words(f"$(echo {e})"), lambda g, e: show_words(f'"$(printf %s, "{e}")"'),
    lambda g, e: show_words(f"`echo {e}`"), lambda g, e: f"echo {e}", lambda g, e: f"x={e} eval 'printf \"<%s>\" \"$x\"'; echo", lambda g, e: f"declare -A x; x[q]={e}\ndeclare -p x; unset x",
)


def placed(g, text):
    return g.pick(PLACES)(g, text)


def around(g, lines):
    """The setting in front of the lines. Not with an empty IFS when they cut a whole array without quotes: bash leaves bytes of its own (\\001) in it."""
    before = setting(g)
    if re.search(r"\$\{(!i|\w+\[[@*]\])[#%]", "\n".join(lines)):
        before = [line.replace("IFS=", "IFS=:") if line == "IFS=" else line for line in before]
    return before + lines


def shown(g, lines, low=1, high=2):
    """The setting, and the expansions somewhere in it; errors of one do not end the script as a file."""
    return "\n".join(around(g, ["n=1 r='[&]'"] + lines) + [RESET + "; unset x"])


def register(construct, make):
    @statement("param." + construct)
    def _(g):
        return shown(g, [placed(g, braced("".join(make(g)))) for _ in range(g.number(1, 3))])


for construct_name, maker in OPERATORS.items():
    register(construct_name, maker)


@statement("param.error")
def errors(g):
    return "\n".join(setting(g) + [f"( {placed(g, braced(target(g) + g.pick(':?', '?') + operand(g)))}\n); echo $?", RESET])


@statement("param.extglob")
def with_extglob(g):
    names = ("trim-prefix", "trim-prefix-long", "trim-suffix", "trim-suffix-long", "replace", "replace-all", "replace-prefix", "replace-suffix", "upper", "lower")
    return "shopt -s extglob\n" + shown(g, [placed(g, expansion(g, names)) for _ in range(g.number(1, 3))]) + "\nshopt -u extglob"


@statement("param.patsub-off")
def without_patsub(g):
    return "shopt -u patsub_replacement\n" + shown(g, [placed(g, expansion(g, ("replace", "replace-all", "replace-prefix", "replace-suffix"))) for _ in range(2)]) + "\nshopt -s patsub_replacement"


@statement("param.nocasematch")
def without_case(g):
    names = ("replace", "replace-all", "replace-prefix", "replace-suffix", "trim-prefix", "trim-suffix-long", "upper")
    return "shopt -s nocasematch\n" + shown(g, [placed(g, expansion(g, names)) for _ in range(2)]) + "\nshopt -u nocasematch"


@statement("param.broken")
def broken(g):
    wrong = braced(g.pick(BROKEN))
    line = f"eval {single_quoted(g.pick('echo ', 'x=', ': a') + wrong)}" if g.chance(0.2) else placed(g, wrong)
    return "\n".join(setting(g) + [f"( {line}\n); echo $?", RESET])


@statement("param.nounset")
def nounset(g):
    return "\n".join(around(g, [f"( set -u; {placed(g, expansion(g))}\n); echo $?"]) + [RESET])


@statement("param.nested")
def nested(g):
    inner = expansion(g)
    outer = g.pick("${u:-%s}", '"${u:-%s}"', '${v#%s}', '"${v%%%s}"', '${v/%s/x}', '${v/a/%s}', '"${v//a/"%s"}"', "${v:%s}", "${a[%s]}", '${v^%s}', '${v:+"%s"}', "'${u}'%s", "$(echo %s)", "`echo %s`", "$((%s))",
                   '"${u:-"%s"}"', "${u:-'%s'}", "\"${u:-'%s'}\"").replace("%s", inner).replace("%%", "%")
    return shown(g, [placed(g, outer)])


@statement("param.positional")
def positional(g):
    sigil = g.pick("@", "*")
    expansions = [braced(sigil + g.pick("", f":{offset(g)}", f":{offset(g)}:{offset(g)}", ": -1", ":0", ":0:1", ":1:0", ": -2:1", ":2: -1", "#a", "%%b*", "/a/b", "//?/x", "^", "^^", ",,", "@Q", "@U", "@A", "@a", "@E", "@K", "@k",
                                        ":-x", "-x", ":+x", "+x"))]
    lines = [placed(g, e) for e in expansions]
    if g.chance(0.5):
        lines.append(g.pick("shift", "shift 2; echo $?", 'set -- "$@" x "$*"', "set -- $* end", "f() { echo $# \"$1\" \"${@: -1}\" \"${*:1:1}\"; }; f \"$@\"") + '; echo $# "$*"')
    return shown(g, lines)


# Splitting.

@statement("split.words")
def splitting(g):
    value = "".join(g.pick("a", "b", " ", ":", ",", "\t", "\n", "x", "::", "  ", "é", "日", "/", "1", "-", "\\", "*", "'", '"', "[") for _ in range(g.number(0, 9)))
    words = g.pick("$v", "x$v", "${v}y", '"$v"$v', "$v$v", "${v}${v}", "$v ''", "''$v", '$v""', "$(printf %s \"$v\")", "`printf %s \"$v\"`", "${u:-$v}", "${u:-a:b c$v}", "$1$v", "$*", "$@", '"$*"', '"$@"', "x$@y", 'x"$@"y',
                   'x"$*"y', "$@$v", "$*$*", '"$@$@"', '"$*$@"', "${v#?}", "${v/a/ }", "'a b'$v", "${a[@]}", "${a[*]}", '"${a[@]}"', '"${a[*]}"', '"x${a[@]}y"', '${a[@]}${a[@]}', "${u:-$@}", '"${u:-$@}"', '${u:-"$@"}',
                   '${u:-"$*"}', '"${u:-$*}"', "${u:-$*}", "${*#a}", '"${*#a}"', "${@/a/b c}", '"${*/a/:}"', "$((100))$v", "a:b", '"${!a[*]}"', "${!A[*]}", '"${A[*]}"')
    lines = [f"v={single_quoted(value)}", f"set -- {texts(g)}", "unset u a A; declare -A A=([k]=v)", f"a=({indexed(g)})", ifs(g), show_words(words)]
    if g.chance(0.5):
        lines.append(placed(g, words if '"' not in words else "$*"))
    return "\n".join(lines + [RESET])


@statement("split.read")
def reading(g):
    value = "".join(g.pick("a", "b", " ", ":", ",", "\t", "x", "::", "  ", "é", "日", "/", "1", "-", "\\", "\\ ", "\\:", "\\\\") for _ in range(g.number(0, 9)))
    names = g.pick("p", "p q", "p q r", "", "-a p", "p q r s t")
    return "\n".join(["unset p q r s t REPLY", f"{ifs(g)}", f"read {g.pick('', '-r ')}{names} <<< {single_quoted(value)}; echo $?", "declare -p p q r s t REPLY 2>/dev/null", RESET, "unset p q r s t"])


@statement("split.local-ifs")
def split_locally(g):
    return "\n".join([f"v={g.value()}", "f() { local " + ifs(g).replace("unset IFS", "IFS") + "; " + show_words(g.pick("$v", '"$*"', "$*", "$@", '"$@"')) + "; }", "f a:b 'c d' $v", show_words("$v"), "unset -f f"])


@statement("assign.expansion")
def assignments(g):
    lines = around(g, [f"x={operand(g).replace(' ', '')}" if g.chance(0.3) else f"x={expansion(g)}", show_words('"$x"')])
    value = g.pick("~", "~:~", "a:~", "~/x", "$v", "$@", "$*", "${a[*]}", "*", "{a,b}", "a=~", '$(echo "a  b")')
    return "\n".join(lines + [f"x={value}", show_words('"$x"'), RESET])


@word("param.plain")
def plain(g):
    return g.pick('"$v"', "$v", "${v}", '"${v}"', "$w", "${#v}", '"${w}x"')


@word("param.default")
def default(g):
    quote = g.pick("", '"')
    return f'{quote}${{{g.name()}{g.pick(":-", "-", ":+", "+")}{g.word()}}}{quote}'


@word("param.trim-prefix")
def trim(g):
    quote = g.pick("", '"')
    return f'{quote}${{v{g.pick("#", "##", "%", "%%")}{g.pattern()}}}{quote}'


@word("param.any")
def any_expansion(g):
    names = [n for n in OPERATORS if n not in ("assign", "slice")]
    return g.pick("", '"').join(("", expansion(g, names), "")) if g.chance(0.5) else '"' + expansion(g, names) + '"'


@statement("param.words")
def words_of_all(g):
    return f'v={g.value()} w={g.value()}\n' + show_words(g.words(1, 4))
