"""Arithmetic: operators and their precedence, numbers, names whose values are expressions, errors with their token, wherever an expression may stand."""
from contexts import inner_shell, somewhere
from grammar import single_quoted, statement, word

BINARY = ("+", "-", "*", "/", "%", "**", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|", "&&", "||", ",")
ASSIGN = ("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|=")
NAMES = ("a", "b", "c", "arr", "arr[1]", "arr[i]", "arr[i+1]", "h[k]", "e", "s", "u", "big", "neg", "oct", "hex", "rec", "i", "arr[arr[0]]", "arr[-1]", "blank", "sp")


def number(g):
    return g.pick("0", "1", "2", "3", "7", "10", "42", "-1", "-7", "010", "0x1F", "0xff", "2#101", "16#fF", "36#zZ", "37#A", "62#Z", "63#@", "64#_", "64#@_", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615",
                  "08", "2#2", "1#1", "65#1", "0#1", "10#08", "0x", "0xg", "1a", "1_", "3#", "2#", "99999999999999999999999", "10#-3", "0b1", "1.5", "1e3", "007", "16#", "8#18", "0777", "-0", "+5", "00", "0X1f", "16#0x1", "'1'", '"2"', "\\3" if g.chance(0.1) else "5", "63", "64", "65", "-63", "31", "32")


def primary(g, depth):
    how = g.number(0, 9)
    if how <= 3 or depth <= 0:
        return number(g) if g.chance(0.5) else g.pick("1", "2", "3", "4", "5", "6", "9", "12")
    if how <= 6:
        return g.pick(NAMES)
    if how == 7:
        return "(" + expression(g, depth - 1) + ")"
    if how == 8:
        return g.pick("++", "--") + g.pick(NAMES) if g.chance(0.5) else g.pick(NAMES) + g.pick("++", "--")
    return g.pick("$a", "${b}", "$((1+1))", "$(echo 3)", "${#s}", "${arr[1]}", "$e", "$u", "${u:-4}", "$?", "$#", "`echo 6`", "$[2]", '"$a"', "'a'", "${arr[@]}")


def expression(g, depth=3):
    if depth <= 0 or g.chance(0.2):
        return primary(g, depth)
    blank = g.pick("", " ")
    how = g.number(0, 9)
    if how <= 4:
        return expression(g, depth - 1) + blank + g.pick(BINARY) + blank + expression(g, depth - 1)
    if how == 5:
        return g.pick(NAMES[:9]) + blank + g.pick(ASSIGN) + blank + expression(g, depth - 1)
    if how == 6:
        return expression(g, depth - 1) + blank + "?" + blank + expression(g, depth - 1) + blank + ":" + blank + expression(g, depth - 1)
    if how == 7:
        return g.pick("!", "~", "-", "+", "- -", "!!", "-~", "+-", "--", "++", "! ") + expression(g, depth - 1)
    return primary(g, depth)


def damage(g, text):
    for _ in range(g.number(1, 2)):
        at = g.number(0, len(text))
        how = g.number(0, 2)
        if how == 0:
            text = text[:at] + text[at + 1:]
        elif how == 1:
            text = text[:at] + g.pick("+", "-", "*", "/", "=", "(", ")", "?", ":", ",", "&", "|", "<", ">", "!", "~", "%", "^", "[", "]", "#", "@", "$", ".", ";", "\\", "{", "}", "a", "1", " ", "  ", "x", "'", '"', "\t", "é", "0", "==", "++", "--", "&&", " 1 ", "+=", "\n") + text[at:]
        else:
            text = text[:at]
    return text


SETUP = "a=1 b=5 c=-3 arr=(1 2 3) e= s=str str=8 big=9223372036854775807 neg=-2 oct=010 hex=0xA rec='a+b' i=1 blank='  4 ' sp='1 2' k=2; declare -A h=([k]=7)"


def calls(g, text):
    """The expression in one of the places for expressions; all names are told afterwards."""
    quoted = "'" not in text
    forms = [f"echo $(({text}))", f"echo \"$(( {text} ))\"", f"(({text})); echo \"s=$?\"", f"echo $[{text}]" if "]" not in text or g.chance(0.3) else f"echo $(( {text} ))", f"x=$(({text})); echo \"x=$x\"", f"(( x = {text} )); echo \"$x\"", f"if (( {text} )); then echo t; else echo f; fi", f"arr[$(({text}))]=9"]
    if quoted:
        forms += [f"let '{text}'; echo \"s=$?\"", f"let x='{text}' 'y=2'; echo \"s=$? $x $y\"", f"declare -i x='{text}'; echo \"x=$x\"", f"declare -i x; x='{text}'; echo \"x=$x\"", f"declare -i x=3; x+='{text}'; echo \"$x\"", f"[[ '{text}' -eq 1 ]]; echo \"s=$?\"", f"[[ 3 -lt '{text}' ]]; echo \"s=$?\"", f"x='{text}'; echo $((x))",
                  f"x='{text}'; (( x )); echo \"s=$?\"", f"x='{text}'; echo $((x + 1)) ${{arr[x]}}", f"x='{text}'; echo $(( $x ))", f"local x='{text}'", f"export x; typeset -i x='{text}'", f"read -r y <<< '{text}'; echo $((y))", f"declare -ia z=('{text}' 2); echo ${{z[@]}}", f"[ '{text}' -eq 1 ]; echo \"s=$?\"",
                  f"printf '%d\\n' '{text}'", f"x='{text}'; echo \"${{s:x}}\"", f"x='{text}'; echo ${{arr[@]:x:1}}", f"x='{text}'; arr[x]=4; echo \"${{!arr[@]}}\"", f"x='{text}'; unset 'arr[x]'", f"[[ -v arr['{text}'] ]]; echo $?", f"fz() {{ local -i y='{text}'; echo $y; }}; fz"]
    if "]" not in text and "[" not in text:
        forms += [f"echo \"${{arr[{text}]}}\"", f"arr[{text}]=x; echo \"${{!arr[@]}}\"", f"arr[{text}]+=1", f"unset \"arr[{text}]\"; echo ${{#arr[@]}}", f"echo ${{#arr[{text}]}}", f"arr=([{text}]=q); declare -p arr", f"echo ${{arr[{text}]:-def}}"]
    if ":" not in text and "}" not in text:
        forms += [f"echo \"<${{s:{text}}}>\"", f"echo \"<${{s:{text}:2}}>\"", f"echo \"<${{s:0:{text}}}>\"", f"echo \"<${{arr[@]:{text}}}>\"", f"set -- p q r; echo \"${{@:{text}}}\""]
    if ";" not in text:
        forms += [f"for (( x = 0; x < 2 && ({text}); x++ )); do echo \"it $x\"; done", f"for (({text};0;)); do :; done; echo \"s=$?\"", f"for ((x=0;x++<2;{text})); do echo \"it $x\"; [ $x -gt 3 ] && break; done"]
    return g.pick(forms)


def told():
    return '\necho "next=$? a=$a b=$b c=$c e=$e arr=${arr[*]} h=${h[k]} i=$i"'


@statement("arithmetic.expression")
def expressions(g):
    return inner_shell(g, SETUP + "\n" + calls(g, expression(g)) + told(), g.pick("", "", "", " -u", " -e", " -o posix", " -x"))


@statement("arithmetic.values")
def values(g):
    """Many expressions that are good, in one shell: their values."""
    lines = []
    for _ in range(6):
        operators = g.many(1, 4, lambda: g.pick(BINARY[:19]) + g.pick("", " ") + g.pick("1", "2", "3", "5", "8", "13", "-2", "a", "b", "c", "arr[1]", "neg", "hex", "oct", "(b-a)", "~a", "!a", "-b", "big", "rec", "h[k]"))
        lines.append(f"echo $(( {g.pick('1', '7', 'a', 'b', '-c', 'big')} {operators} ))")
    return f"({SETUP}\n" + "\n".join(lines) + "\n)"


@statement("arithmetic.damaged")
def damaged(g):
    return inner_shell(g, SETUP + "\n" + calls(g, damage(g, expression(g, 2))) + told(), g.pick("", "", "", " -u", " -e", " -o posix"))


@statement("arithmetic.errors")
def errors(g):
    text = g.pick("1/0", "1%0", "a/=0", "a%=0", "1/(a-1)", "2**-1", "a**=2", "a**neg", "1+", "+", "*", "1 2", "a b", "1=2", "a+b=3", "(a)=3", "a++=3", "++1", "1++", "--5", "5--", "a++b", "a+++b", "a---b", "a++ +b", "a ++", "++ a", "++a++", "(a++)++", "++(a)", "!a=2", "-a=2", "a=b=c=4", "a?b:c=2", "a?b=1:c", "a?b", "a?:b", "a?b:", "?", ":", "1?2:3:4", "1?2?3:4:5",
                  "1?2:3?4:5", "()", "(1", "1)", "((1)", "(1))", "1,,2", ",1", "1,", "a,b,", "1&&", "&&1", "1||", "|1", "1&", "&1", "<1", "1<", "1<<", "1<<<2", "1>>>2", "1===1", "1=!1", "1<>2", "1!2", "1~2", "a!b", "a.b", "a@", "@", "#", "1#2", "#1", "2#", "$", "a$", "arr[", "arr[]", "arr[1", "arr[ ]", "arr]", "arr[1]]", "arr[[1]]", "arr[x y]", "arr[1]2", "arr[0] 3", "arr[-9]", "arr[-9]=1",
                  "h[]", "h[nokey]", "h[nokey]++", "h['k']", "h[\"k\"]", "h[$k]", "h[k]k", "h[1+1]", "h[@]", "arr[@]", "arr[*]", "arr[1/0]", "arr[1+]", "rec=1", "rec++", "sp", "sp+1", "1+sp", "blank", "blank+1", "str", "s", "s+s", "u", "u++", "{1}", "{a}", "a;b", "1;", ";", "a\\b", "'a'", "\"a\"", "\"a", "'a", "`", "a`b", "1a", "1a+2", "0x", "0xZ", "09", "08+1", "0778", "2#3", "37#z", "64#!", "65#1", "1#0",
                  "16#G", "99#1", "-2#1", "a#1", "10#", "10#a", "10#-1", "1.5", "1e5", "1_000", "1,5", "é", "aé", "a=é", "3 é", "\\", "1\\", "a[", "a[0]", "a[1]", "a[0]=3", "a=", "=1", "a==", "==1", "a+=", "+=1", "a<<=", "a<=", "<=", "a=+", "a=-", "a= 1 2", "1 + + 2", "1 - - 2", "1 +- 2", "1 ++ 2", "1 -- 2", "1++2", "1--2", "1+++2", "a+ +b", "!!a", "~~a", "-+-a", "! ! a", "~ -a", "!~a", "2**3**2", "-2**2", "2**-0",
                  "0**0", "(-1)**63", "2**63", "2**64", "2**62*2-1", "big+1", "-big-2", "big*2", "1<<63", "1<<64", "1<<65", "1<<-1", "-1>>1", "-1>>63", "1>>64", "8>>-1", "(-big-1)/-1", "(-big-1)%-1", "-7/2", "-7%2", "7%-2", "a=1,b=2,a+b", "(a=1,b=2),a", "a||(b=9)", "a&&(b=9)", "0&&(b=9)", "0&&1/0", "1||1/0", "1?2:1/0", "0?1/0:3", "0&&a++", "1||a++", "0?a++:b++", "1?a++:b++", "0&&(1/0)", "1||arr[1/0]", "0&&u",
                  "1,2?3:4", "a=2?3:4", "a+=b-=c", "a=a++ + ++a", "a=a--", "i=i++", "arr[i++]=i", "arr[i]=i++", "arr[i++]++", "arr[i++]+=i", "rec*2", "(rec)*2", "rec2", "loop1", "selfref", "undef1+undef2", "a[b[0]]", "''", "", " ", "\t", "a \t+\n b", "1 # 2", "a=1 #c", "$((1", "$(", "${", "${a", "${a}b", "$a$b", "$a $b", "1$a", "$a#1", "$k#1", "0$a", "0x$a", "${a}${b}", "a${a}", "$u", "$u+1", "1+$u", "$e", "($e)", "-$e", "!$e", "$e,$e")
    return inner_shell(g, SETUP + "; loop1=loop2 loop2=loop1 selfref='selfref+1' rec2='rec*rec'\n" + calls(g, text) + told(), g.pick("", "", "", " -u", " -e", " -o posix"))


@statement("arithmetic.places")
def places(g):
    return somewhere(g, SETUP + "\n" + calls(g, damage(g, expression(g, 1)) if g.chance(0.5) else expression(g, 2)))


@statement("arithmetic.for")
def for_loops(g):
    # an expansion that gives nothing is never alone: bash crashes
    part = lambda: g.pick("", "i=0", "i=3", "i<3", "i--", "i++", "i+=2", "j=0,i=0", "i<3,j<2", "i++,j++", "1", "0", "i<2 || j", "i = 0", " ", "$a", "1/0", "i<", "arr[0]++<3", "\"i\"<2", "n<2", "n=0", "(i<2)", "i <\n2", "i<2 # c", "u", "0${u}", "$(echo 0)", "$((0))", "`echo 0`", "i)", "(i", "i;")
    sep = lambda: g.pick(";", ";", ";", " ; ", ";\n", "; ;", ";;")
    head = part() + sep() + part() + sep() + part() if g.chance(0.9) else part() + g.pick("", ";", ";;;") + part()
    body = 'echo "$i $j"; (( ++n > 4 )) && break'
    form = g.pick("for (({h})); do {b}; done", "for (( {h} )) do {b}; done", "for (({h})); {{ {b}; }}", "for (({h})) {{ {b}; }}", "for (({h}))\ndo\n{b}\ndone", "for (({h}));\n\ndo {b}; done", "for ( ({h}) ); do {b}; done", "for (({h}) ); do {b}; done", "for (({h})) ; do {b}; done", "for(({h}));do {b};done", "for (({h})) ; ; do {b}; done", "for (({h})) & do {b}; done")
    return inner_shell(g, SETUP + "\nn=0 j=0\n" + form.replace("{{", "{").replace("}}", "}").replace("{h}", head).replace("{b}", body) + '\necho "next=$? $i $j $n"')


@word("arithmetic.word")
def arithmetic_word(g):
    return g.pick("$((1+2))", "$(( 0x10 ))", '"$((v))"', "$((${#v}+1))", "$[3*2]", "$(( 7 / 2 ))", "$(( -7 % 3 ))", '"$(( 1 ? 2 : 3 ))"', "$((2**10))", "$(( 1 << 4 ))", "$(( ~0 ))", "$((!1))", "$(( (1,2) ))", "$((16#ff))")
