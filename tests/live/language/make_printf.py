"""printf and echo."""
from grammar import single_quoted, statement

NUMBERS = ("0", "1", "-1", "42", "007", "08", "0x1F", "0XfF", "-0x10", "1e3", "3.14", ".5", "-2.5", "1.", "abc", "''", "' 5'", "'5 '", "12abc", "0x", "1_000", "+7", "--7", "'-'", "\"'a\"", "\"'\"", "'\"b'", "\"'é\"", "\"'日\"",
           "\"'ab\"", "99999999999999999999", "-99999999999999999999", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "18446744073709551616", "inf", "nan", "-inf", "Infinity", "1e400",
           "1e-400", "0b11", "2#11", "0x1p3", "1,5", "$'\\t3'", "0777", "-08", "x1", "0x1G", "1e", "1e+", "١")
FLOATS = ("0", "1", "-1", "3.14159", "2.5", "0.5", "1.5", "1e10", "1e-10", "123456789", "0.0001", "0.00001234", "1e100", "-0", "-0.0", "inf", "nan", "-nan", "0x1.8p1", "abc", "1.5x", "''", "\"'a\"", "99999.95", "1e15", "1e17", "0.1", "100", "1000000", "9.9999999",
          "1e308", "4.9e-324", "12345678901234567890")


def text_word(g):
    return g.pick(g.value(), g.value(), g.simple())


def escapes(g):
    return g.pick("\\n", "\\t", "\\\\", "\\a", "\\b", "\\r", "\\v", "\\f", "\\e", "\\E", "\\0", "\\01", "\\012", "\\0101", "\\101", "\\1", "\\7", "\\x41", "\\x4", "\\xg", "\\x", "\\x{41}", "\\u41", "\\u00e9", "\\u", "\\U1F600", "\\u20AC", "\\U", "\\c", "\\q", "\\'", "\\\"", "\\?",
                  "\\8", "\\xe9", "\\400", "\\777", "\\0777", "\\u1234x", "\\x414", "\\", "\\ ", "\\%", "\\z", "\\N", "\\uD800", "\\U110000", "\\xff", "\\cx", "\\-")


def width(g):
    return g.pick("", "", "", "1", "5", "10", "*", "0", "3", "12", "-6", "05", "-")


def precision(g):
    return g.pick("", "", "", ".0", ".1", ".3", ".", ".10", ".*", ".20")


def conversion(g, letters):
    flags = "".join(g.pick("-", "+", " ", "0", "#", "'") for _ in range(g.pick(0, 0, 0, 1, 1, 2)))
    size = g.pick("", "", "", "", "", "", "l", "ll", "h", "hh", "j", "z", "t", "L")
    return "%" + flags + width(g) + precision(g) + size + g.pick(*letters)


def arguments(g, low, high, kind):
    return g.many(low, high, lambda: kind(g))


def number_word(g):
    return g.pick(*NUMBERS)


def float_word(g):
    return g.pick(*FLOATS)


def with_stars(g, formats, kind):
    """The arguments for the formats: a small number for each star."""
    words = []
    for f in formats:
        words += [g.pick("3", "-7", "0", "5", "12", "''", "x", "-1", "2") for _ in range(f.count("*"))]
        words.append(kind(g))
    if words and g.chance(0.2):
        words.pop()
    if g.chance(0.2):
        words += [kind(g) for _ in range(g.number(1, 3))] if not any("*" in f for f in formats) else []
    return " ".join(words)


def printf(g, letters, kind, between=":"):
    formats = [conversion(g, letters) for _ in range(g.number(1, 3))]
    text = between.join(formats).replace("'", "'\\''")
    return f"printf '<{text}>\\n' {with_stars(g, formats, kind)}; echo $?"


@statement("builtin.printf.integer")
def integers(g):
    return printf(g, "di", number_word)


@statement("builtin.printf.unsigned")
def unsigned(g):
    return printf(g, "uoxX", number_word)


@statement("builtin.printf.float")
def floats(g):
    return printf(g, "feEgGF", float_word)


@statement("builtin.printf.hex-float")
def hex_floats(g):
    formats = [g.pick("%a", "%A", "%.2a", "%12a", "%La")]
    return f"printf '<{formats[0]}>\\n' {g.pick('1', '0', '0.5', '3.14', '-2', '1e10', 'inf', 'abc')}; echo $?"


@statement("builtin.printf.string")
def strings(g):
    return printf(g, "sscb", text_word)


@statement("builtin.printf.quote")
def quotes(g):
    return printf(g, "qqQ", text_word)


@statement("builtin.printf.escapes-argument")
def escape_arguments(g):
    text = "".join(g.pick(escapes(g), g.pick("a", "b", " ", "1", "%d")) for _ in range(g.number(1, 4)))
    more = g.pick("", "x", single_quoted(escapes(g)))
    return f"printf '{g.pick('%b', '<%b>', '%5b|', '%-8b|', '%.2b|', '%b%b', '%s%b')} ' {single_quoted(text)} {more} | od -An -c; echo ${{PIPESTATUS[0]}}"


@statement("builtin.printf.escapes-format")
def escape_formats(g):
    text = "".join(g.pick(escapes(g), g.pick("a", "b", " ", "1", "%s", "%%", "%d")) for _ in range(g.number(1, 4)))
    return f"printf '{text.replace(chr(39), '')}' {g.many(0, 2, lambda: text_word(g))} | od -An -c; echo ${{PIPESTATUS[0]}}"


@statement("builtin.printf.escapes-messages")
def escape_messages(g):
    form = g.pick("'", "")
    return f"printf '{g.pick('', '%b ')}{form}{g.pick('', 'z')}' '{escapes(g).replace(chr(39), '')}' > out; echo $?; od -An -c out"


@statement("builtin.printf.time")
def times(g):
    letter = g.pick(*"aAbBcCdDeFGgHIjklmMnpPrRsSTtuUVwWxXyYzZ%hEON+")
    flag = g.pick("", "", "", "-", "_", "0", "^", "#", "E", "O", "5", "10", "-5", "_5", "010", ":", "::")
    stamp = g.pick("0", "1", "1700000000", "951827696", "-1", "86399", "1709164800", "4102444800", "253402300799", "-86400", "99999999999", "abc", "12x", "0x10", "''", "1.5")
    form = g.pick(f"%({'%' + flag + letter})T", f"%({'%' + flag + letter}|%%|%{g.pick(*'YmdHMSjaAbB')})T", "%()T", "%(x)T", f"%20(%F)T|", f"%-20(%F)T|", f"%.5(%F)T|", f"%020(%Y)T", "%(%Y-%m-%d %H:%M:%S)T", "%(a(b)c %Y)T", "%(%Y)d", "%(%Y)", "%*(%F)T", "%(%s)T")
    extra = "12 " if "*" in form else ""
    return f"printf '<{form}>\\n' {extra}{stamp}; echo $?"


@statement("builtin.printf.time-zone")
def time_zone(g):
    zone = g.pick("UTC", "UTC0", "EST5EDT", "XYZ-3", "'<+0530>-5:30'", "''", "CET-1CEST,M3.5.0,M10.5.0/3", "UTC+2:30", ":UTC")
    assign = g.pick(f"TZ={zone} printf", f"export TZ={zone}; printf", f"TZ={zone}; printf")
    return f"({assign} '%(%F %T %Z %z)T\\n' {g.pick('0', '1700000000', '1720000000', '951827696')})"


@statement("builtin.printf.unknown")
def unknown(g):
    form = g.pick("%y", "%", "%5", "%-", "%.", "%l", "%ll", "%k", "%é", "a%", "%z%s", "%#", "%1$s", "%n", "%5.5.5s", "%5y", "% ", "%!", "%m", "%v", "%C", "%S", "%p", "%*", "%lc", "%ls", "%hq", "%'s", "%s %y %s", "%d %", "%s%", "%%%", "%-5%", "%5%", "%r", "%B", "%D", "%U", "%t", "%w", "%lls")
    return f'printf "{form}" {g.many(0, 3, lambda: text_word(g))}; echo " $?"'


@statement("builtin.printf.reuse")
def reuse(g):
    form = g.pick("%s\\n", "%s-%s\\n", "[%d]", "x\\n", "%s %d %c\\n", "%%\\n", "%b\\n", "%q ", "%5s|", "%*d|", "%s\\c%s", "a%sb%sc%s\\n", "%d %s %f\\n", "", "%c", "\\n", "%s%", "%b%s\\n", "%.*s|", "%*.*f|")
    return f"printf '{form}' {g.many(0, 6, lambda: g.pick(text_word(g), str(g.number(0, 12)), str(g.number(0, 12))) if '*' not in form else str(g.number(-9, 12)))}; echo \" $?\""


@statement("builtin.printf.stop")
def stop(g):
    return f"printf '%s %b|%s\\n' a '{g.pick('x', '')}\\c{g.pick('y', '')}' {g.many(0, 4, g.simple)}; echo \" $?\"; printf 'a\\cb%s' x; echo \" $?\""


@statement("builtin.printf.to-variable")
def to_variable(g):
    target = g.pick("v", "v", "'arr[1]'", "arr[0]", "'map[k]'", "'map[a b]'", "'map[\"q\"]'", "ref", "1a", "''", "'a b'", "'arr[-1]'", "'arr[-9]'", "'arr[@]'", "'arr[*]'", "'map[@]'", "ro", "int", "up", "'v[0]'", "'v[1]'", "'v[k]'", "'arr[x'", "'arr[]'", "arr", "map", "v=1", "a-b", "'int[1]'", "'arr[1+1]'", "'arr[i]'")
    form = g.pick("%s", "%s-%s", "%d", "%q", "x", "", "%b", "%y", "a\\0b", "a\\n", "3+4", "%05d", "%s\\c")
    return ("unset -n ref; unset -v v arr map ref int up\n(\narr=(a b) i=2; declare -A map=([k]=1); declare -n ref=v; declare -r ro=1; declare -i int; declare -u up\n"
            f"printf {g.pick('-v ', '-v ', '-v')}{target} {g.pick('', '-- ')}'{form}' {g.many(0, 2, lambda: g.pick(text_word(g), number_word(g)))}; echo $?\ndeclare -p v arr map int up 2>&1\n)")


@statement("builtin.printf.options")
def options(g):
    return f"printf {g.pick('', '-v', '-v v', '-x', '--', '-- x', '-vv x', '-v v -v w x', '-', '-- -v v', '-n x', '-v v --', '-v 1 x', '-vx', '-v v', '-v v -x', '-a', '-s')} {g.many(0, 2, g.simple)} > out 2> err; echo $?; head -n 2 out err"


@statement("builtin.printf.mixed")
def mixed(g):
    formats = [conversion(g, "sdxfcqbeuoXgGiQ") for _ in range(g.number(1, 5))]
    text = "|".join(formats).replace("'", "")
    words = [g.pick(text_word(g), str(g.number(-99, 999))) for _ in range(g.number(0, 6))]
    if "*" in text:
        words = [str(g.number(-9, 12)) for _ in words]
    return f"printf '{text}\\n' {' '.join(words)}; echo $?"


@statement("builtin.printf.char-codes")
def codes(g):
    quote = g.pick("\\'", '\\"')
    words = g.many(1, 3, lambda: quote + g.pick("a", "é", "日", "ab", "", "' '", "0", "'\\'", "%", "ß", "😀", "$'\\n'"))
    return f"printf '{g.pick('%d', '%x', '%o', '%u', '%f', '%e', '%i %i')} ' {words}; echo $?"


@statement("builtin.printf.bytes")
def byte_strings(g):
    text = g.pick("\\xff", "\\xc3", "\\xe9a", "\\xc3\\xa9", "a\\x80b", "\\xf0\\x9f")
    form = g.pick("%q", "%s", "%5s|", "%.1s|", "%c|", "%-5q|", "%Q", "%.2q", "%b", "%5.1s|")
    return f"v=$'{text}'; printf '{form} ' \"$v\" | od -An -tx1"


@statement("builtin.printf.write-error")
def write_error(g):
    command = g.pick("printf x", "echo x", "printf '%s ' a b", "echo -n", "pwd", "printf ''", "type echo", "declare -p IFS", "echo", "alias", "set -o", "dirs", "umask", "times", "trap", "hash", "shopt extglob", "command -v cat")
    return f"{command} {g.pick('> /dev/full', '>&-')}; echo $?"


@statement("builtin.echo")
def echo(g):
    flags = g.many(0, 3, lambda: g.pick("-n", "-e", "-E", "-ne", "-en", "-neE", "-nx", "--", "-", "-e-", "-nn", "-Ee", "--help", "-E -e", "- n", "-ee"))
    text = "".join(g.pick(escapes(g), g.pick("a", "b", " ")) for _ in range(g.number(0, 4))).replace("'", "")
    return f"echo {flags} '{text}' {g.many(0, 2, lambda: text_word(g))} | od -An -c; echo {flags} '{text}' > out; echo $?"


@statement("builtin.echo.xpg")
def echo_xpg(g):
    text = "".join(g.pick(escapes(g), g.pick("a", "b", " ")) for _ in range(g.number(0, 4))).replace("'", "")
    return f"shopt -s xpg_echo{g.pick('', '; set -o posix')}; echo {g.pick('', '-n', '-e', '-E', '-ne', '-nE', '--')} '{text}' {text_word(g)} | od -An -c; set +o posix; shopt -u xpg_echo"
