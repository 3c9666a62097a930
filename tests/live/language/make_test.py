"""test, [ and [[ ]]."""
from grammar import single_quoted, statement, word

FILE_UNARY = "abcdefghkprstuwxGLOS"
STRING_UNARY = "nz"
NUMBER_BINARY = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")
STRING_BINARY = ("=", "==", "!=", "<", ">")
FILE_BINARY = ("-nt", "-ot", "-ef")
SET_UP = "echo x > file; > empty; mkdir -p dir; ln -sf file link; ln -sf nowhere broken; mkfifo fifo 2>/dev/null; cp file script; chmod 755 script; chmod 000 empty; touch -d @100 old; unset -v nothing; v=val arr=(a '' c); declare -A map=([k]=v ['a b']=w); declare -n nref=v; declare unset_one"
FILES = ("file", "empty", "dir", "link", "broken", "fifo", "script", "old", "missing", "dir/", "file/", "''", ".", "/", "/dev/null", "dir/none", "'no such'", "./file", "dir/../file")


def operand(g):
    return g.pick("a", "b", "''", "1", "2", "-1", "0", "file", "dir", "missing", '"$v"', "$nothing", '"$nothing"', "'a b'", "-n", "-z", "-f", "!", "\\(", "\\)", "-a", "-o", "=", "-eq", "\\<", "x", "01", "' 1'", "1x", "--", "-", "]", "-t", "-v", "v", "abc", "'*'", "==", "-d", "2+1")


def number(g):
    return g.pick("1", "2", "0", "-1", "+1", "01", "08", "0x10", "' 3'", "'3 '", "' '", "''", "abc", "1x", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1+1", "v", "--1", "1.5", "'1 2'", "$'\\t1'", "$'1\\n'", "10#1")


def variable(g):
    return g.pick("v", "nothing", "arr", "arr[0]", "arr[1]", "arr[9]", "arr[-1]", "arr[-9]", "'arr[@]'", "'arr[*]'", "map", "'map[k]'", "'map[a b]'", "'map[none]'", "'map[@]'", "unset_one", "nref", "1", "0", "''", "1a", "'a b'", "'arr['", "'arr[]'", "@", "'*'", "#", "?", "'v[0]'",
                  "'v[1]'", "PATH", "'arr[1+1]'", "'arr[$i]'", "FUNCNAME", "RANDOM", "-", "'map[\"k\"]'", "nothing[0]", "'v[@]'", "'nref[0]'", "_", "10", "2")


def primary(g):
    kind = g.number(0, 8)
    if kind == 0:
        return operand(g)
    if kind == 1:
        return f"-{g.pick(*STRING_UNARY)} {operand(g)}"
    if kind == 2:
        return f"-{g.pick(*FILE_UNARY)} {g.pick(*FILES)}"
    form = g.pick(">", "\\>")
    if kind == 3:
        return f"{operand(g)} {form} {operand(g)}"
    if kind == 4:
        return f"{number(g)} {g.pick(*NUMBER_BINARY)} {number(g)}"
    if kind == 5:
        return f"{g.pick(*FILES)} {g.pick(*FILE_BINARY)} {g.pick(*FILES)}"
    if kind == 6:
        return f"-v {variable(g)}"
    form = g.pick("errexit", "nounset", "braceexpand", "none", "posix", "''", "hashall")
    if kind == 7:
        return f"-o {form}"
    return g.pick("-t 0", "-t 9", "-t x", "-t ''", "-R nref", "-R v", "-R nothing", "-R 'arr[0]'", "-t", "-R ''", "-t 99999999999999999999", "-t -1", "-t ' 0'")


def expression(g, depth=0):
    if depth > 2 or g.chance(0.45):
        return primary(g)
    kind = g.number(0, 3)
    if kind == 0:
        return f"! {expression(g, depth + 1)}"
    if kind == 1:
        return f"\\( {expression(g, depth + 1)} \\)"
    return f"{expression(g, depth + 1)} {g.pick('-a', '-o')} {expression(g, depth + 1)}"


def command(g, expr):
    return g.pick(f"test {expr}", f"[ {expr} ]")


@statement("builtin.test.expression")
def expressions(g):
    return SET_UP + "\n" + "\n".join(f"{command(g, expression(g))}; echo $?" for _ in range(g.number(1, 4)))


@statement("builtin.test.words")
def words(g):
    return SET_UP + "\n" + "\n".join(f"{command(g, g.many(0, 6, lambda: operand(g)))}; echo $?" for _ in range(g.number(1, 4)))


@statement("builtin.test.unary")
def unary(g):
    op = g.pick(*FILE_UNARY, *STRING_UNARY, "y", "Z", "P", "nt", "ne", "")
    return SET_UP + f"\nfor f in {' '.join(g.rng.sample(FILES, 5))}; do test -{op} \"$f\"; echo $?; done"


@statement("builtin.test.binary")
def binary(g):
    op = g.pick(*FILE_BINARY, *NUMBER_BINARY, "=", "!=", "==", "\\<", "\\>", "=~", "-xx", "-foo", "-")
    return SET_UP + f"\n{command(g, f'{g.pick(operand(g), number(g), g.pick(*FILES))} {op} {g.pick(operand(g), number(g), g.pick(*FILES))}')}; echo $?"


@statement("builtin.test.variables")
def variables(g):
    lines = [cond_or_test(g, f"{g.pick('-v', '-v', '-v', '-R')} {variable(g)}") for _ in range(3)]
    return SET_UP + "\nset -- p '' q; i=1\n" + "\n".join(lines)


def cond_or_test(g, expr):
    return g.pick(f"test {expr}; echo $?", f"[ {expr} ]; echo $?", f"[[ {expr} ]]; echo $?", f"test ! {expr}; echo $?")


@statement("builtin.test.messages")
def messages(g):
    expr = g.pick("1 -eq a", "a -eq 1", "( a", "( a )", "a )", "-n", "a b", "a b c", "a b c d", "a b c d e", "! a b", "! ! a", "( )", "-a a", "a -a", "a -a b -o", "-eq", "1 -eq", "a =", "= a", "( a b )", "-f a b", "-f a b c", "! -f a b", "-x -a -x", "( ! a )", "! ( a )", "( a -a )", "a -o -o b", "-o -o -o",
                  "! = !", "( = )", "( -a )", "-a -a -a", "-n -a a", "-z -o", "! !", "!", "( ( a ) )", "( a ) -a ( b )", "a -a ( b", "1 -lt 2 -a", "1 -foo 2", "a -gt b c", "-t a", "-t a b", "a ! b", "! a = b", "! ( a = b )", "-e", "-o", "a = b = c", "-z a -a -n b -o c", "( -n a ) b", ") a (", "a -nt", "-foo a", "--",
                  "-ef a", "-R", "-v", "-N", "a == b == c", "1 2 3 4 5 6", "! -a", "! -a -a", "( -f )", "-n a -n b", "-n ( a )", "( a ) b )", "-z ( )", "( a = b ) )", "! ! ! a", "! ! ! !", "-a", "-l a -eq 1", "1 -eq -l a")
    quoted = " ".join("'" + w + "'" if w in "()!<>" else w for w in expr.split())
    return f"{g.pick('test ' + quoted, '[ ' + quoted + ' ]', '[ ' + quoted, '[ ' + quoted + ' ] ]')}; echo $?"


# [[ ]]

def cond_word(g):
    return g.pick("a", "b", "abc", "''", '"$v"', "$v", "$nothing", '"$nothing"', "$(echo x)", "${arr[@]}", '"${arr[*]}"', "1", "file", "dir", "'a b'", "a*", "'*'", "~", "$HOME", "{a,b}", "x=y", "-x", "$'\\t'", "$#", "é", "\\a", '"a b"c', "ABC", "!a", "a]", "=", "-f", "in", "if", "\\]\\]")


def cond_pattern(g):
    return g.pick("a*", "*", "?", "'*'", '"$v"', "$v", "[a-c]*", "@(a|b)", "!(a)", "*b*", "a\\*", "''", "$p", '"$p"', "+([0-9])", "?(a)b", "*([[:alpha:]])", "[[:upper:]]*", "a\\b", "é", "[!a]", "@(a|b*)c", '"a"*', "~", "~*", "\\~", "!(*)", "[]", "[a", "a|b".replace("|", "\\|"), "(a)".replace("(", "\\(").replace(")", "\\)"), "*/*",
                  "$(echo 'a*')", "{a,b}", "??", "A*", "[A-C]*", "val", "v?l", "\\v*", '"v"al')


def regex(g):
    return g.pick("a", "^a", "a$", "^(a)(b)?", "(a|b)+", "[0-9]+", "'a.c'", '"$p"', "$p", "^$", "a.c", "a\\.c", "([a-z]+)([0-9]*)", "(.*)", "()", "a{2}", "a{1,2}", "[[:space:]]", "(", "a(", "[a", "*", "a**", "+", "a\\", "\\(", "'('", "x|", "|x", "^(.)(.)(.)$", "(a)|(b)", "\\ba", "a\\sb", "\\$", "'^a'", "^'a'", "[b-a]", "(a)(b)(c)(d)?", "é",
                  ".é", "a|b", "((a)|b)*", "[[:alpha:]_][[:alnum:]_]*", "\"a b\"", "a\\ b", "$'a\\nb'", "[']", "['a']+", "[\"]", "a{,2}", "a{2", "a{x}", "[[:bogus:]]", "[[.a.]]", "[[=a=]]", "(^a)", "(a$)", "a\\{2\\}", "\\.", "[.]", "\"[a]\"", "[^a]", "[]a]", "\\x41", "a?b*c+", "\\n", "(ab)*", "a\\+", "$q", '"$q"', '${q}b', "^(-?)([0-9]+)$", "v(a)l",
                  "x{0}", "\\d", "\\w+", "(foo|foobar)", "(a*)(ab)*", "[\\]", "[\\n]", "[a\\]b]", "\\\\", "'\\'", "<", "\\<a", "a>", ">", "&", "\\&", ";", "a b".replace(" ", "\\ "), "\"$v\"$", "${v}", "^${v:0:1}", "$(echo 'a+')", "~", "{a,b}", "[a-c]$", "^[^:]+:", "a#b", "!", "=")


def subject(g):
    return g.pick("a", "abc", "$v", '"$v"', "aab", "''", "'a b'", "foo123", "a.c", "AbC", "'('", "x1=2", "$'a\\nb'", "é", "'a:b:c'", "-42", '"a\'b"', "'a\\b'", "foobar", "val", "'a+'", "'$'", "ABAB", "aXb", "ab12cd", "'['", "'[a]'", "'\\'")


def cond_primary(g):
    kind = g.number(0, 10)
    if kind == 0:
        return cond_word(g)
    if kind == 1:
        return f"-{g.pick(*STRING_UNARY)} {cond_word(g)}"
    if kind == 2:
        return f"-{g.pick(*FILE_UNARY)} {g.pick(*FILES)}"
    if kind in (3, 4):
        return f"{cond_word(g)} {g.pick('==', '=', '!=')} {cond_pattern(g)}"
    if kind == 5:
        return f"{cond_word(g)} {g.pick('<', '>')} {cond_word(g)}"
    if kind == 6:
        return f"{arithmetic(g)} {g.pick(*NUMBER_BINARY)} {arithmetic(g)}"
    if kind == 7:
        return f"{subject(g)} =~ {regex(g)}"
    if kind == 8:
        return f"{g.pick(*FILES)} {g.pick(*FILE_BINARY)} {g.pick(*FILES)}"
    if kind == 9:
        return f"{g.pick('-v', '-R')} {variable(g)}"
    return f"-o {g.pick('errexit', 'braceexpand', 'none', 'nounset')}"


def arithmetic(g):
    return g.pick("1", "2", "1+1", "'2 * 3'", "n", "$n", "nothing", "'n++'", "08", "0x1f", "''", "'1 +'", "arr[0]", "nums[1]", "a", "n=5", "'(1'", "2#101", "-1", "1.5", "1/0", "'n > 1'", "\"$nothing\"", "x y".replace(" ", "\\ "), "\"$v\"")


def cond_expression(g, depth=0):
    if depth > 2 or g.chance(0.4):
        return cond_primary(g)
    kind = g.number(0, 3)
    if kind == 0:
        return f"! {cond_expression(g, depth + 1)}"
    if kind == 1:
        return f"( {cond_expression(g, depth + 1)} )"
    return f"{cond_expression(g, depth + 1)} {g.pick('&&', '||')} {cond_expression(g, depth + 1)}"


@statement("builtin.cond.expression")
def cond_expressions(g):
    option = g.pick("", "", "shopt -s nocasematch; ", "shopt -s extglob; ")
    return SET_UP + f"\n{option}n=3 nums=(1 2) p='a*' q='a+'\n" + "\n".join(f"[[ {cond_expression(g)} ]]; echo $?" for _ in range(g.number(1, 4))) + "\nshopt -u nocasematch extglob"


@statement("builtin.cond.pattern")
def cond_patterns(g):
    return f"p='a*' v={g.value()}; {g.pick('', 'shopt -s nocasematch; ')}[[ {g.pick(cond_word(g), subject(g))} {g.pick('==', '!=', '=')} {cond_pattern(g)} ]]; echo $?; shopt -u nocasematch"


@statement("builtin.cond.regex")
def cond_regexes(g):
    return f"p='a.c' q='^(a)+' v={g.value()}; {g.pick('', '', 'shopt -s nocasematch; ')}[[ {subject(g)} =~ {regex(g)} ]]; echo $?; declare -p BASH_REMATCH; shopt -u nocasematch"


@statement("builtin.cond.regex-variable")
def cond_regex_variable(g):
    text = g.pick("^([^=]+)=(.*)$", "([0-9]+)", "(a)(b)?(c)", "\\.", "[[:alpha:]]+", "a b", "^\\(", "x*", "(.)\\1", "\\bfoo\\b", "^a|b$", "'a'", "[", "(", "a{2,1}", "é+", "[é]", "(.)(.)", "\\", "a\\", "[\\w]", "^.{3}$", "(a|ab)(c|bcd)(d*)", "(x*)*", "(|a)b", "\\'", "\\`a", "\\w\\W")
    form = g.pick("$re", '"$re"', "^$re", "($re)", "$re$", "${re}x?")
    return f"re={single_quoted(text)}; for s in {g.many(1, 4, lambda: subject(g))} k=v abcd aa; do [[ $s =~ {form} ]]; echo \"$? ${{#BASH_REMATCH[@]}} ${{BASH_REMATCH[*]@Q}}\"; done"


@statement("builtin.cond.arithmetic")
def cond_arithmetic(g):
    return f"n=3 nums=(1 2) v={g.value()}; [[ {arithmetic(g)} {g.pick(*NUMBER_BINARY)} {arithmetic(g)} ]]; echo $? $n"


@statement("builtin.cond.lines")
def cond_lines(g):
    return f"[[ {cond_primary(g)}\n&& {cond_primary(g)} ||\n{cond_primary(g)}\n]]; echo $?"


@statement("builtin.cond.trace")
def cond_trace(g):
    return f"v=val p='a*'; set -x; [[ {cond_expression(g)} ]]; set +x"


@statement("builtin.cond.syntax", last=True)
def cond_syntax(g):
    return f"eval '[[ {g.pick('a b', '', '-f', 'a ==', '== a', '( a', 'a )', 'a &&', '&& a', 'a -eq', '! ', 'a = b c', '-z a b', 'a < ', 'a ; b', '-x', 'a -foo b', '-foo a', '(a)', 'a | b', 'a & b', '-n a -a b', '()', 'a =~ (', 'a =~ )', 'a == (b)', '! ! a', 'a && && b', 'a == b == c', '$v', '-v', '<', 'a > b > c', 'a -nt')} ]]; echo $?'"


@word("builtin.word.cond-status")
def cond_status(g):
    return f'$([[ {cond_word(g)} == {cond_pattern(g)} ]]; echo $?)'
