"""find."""
from making import command, quote

PRINTF = ("%p\\n", "%f|%h\\n", "%P %d\\n", "%s %b %k\\n", "%m %M %y\\n", "%Y %l\\n", "%n %u %g %U %G\\n", "%T+ %t\\n", "%TY-%Tm-%Td %TH:%TM:%TS\\n", "%T@\\n",
          "%H\\n", "%-10f|\\n", "%10f|\\n", "%.2f|\\n", "%5d|%-5d|%05d\\n", "%#m\\n",
          "%%\\n", "\\101\\t\\0\\\\\\n", "%f\\c%p", "%q\\n", "%", "\\", "%TZ %Tz %Ta %TA %Tb %TB %Tj\\n", "%Tk %Tl %TI %Tp %Tr %TT %TX %Tx %TD %TF\\n",
          "%Ts %Ty %TU %TW %Tw\\n", "%S\\n", "%f\\n", "%{\\n",
          "%p", "%-.3p|%+5s|% 5s\\n", "%Tq\\n", "\\e\\z\\n", "%10T+|%-25TY|\\n", "%06s|%+d|%#s\\n", "%P|%H|%h\\n", "%Y%y\\n", "%h\\n")
SIZES = ("0", "+0", "-1", "1", "1c", "+1c", "-100c", "512c", "1b", "1w", "1k", "+1k", "-2k", "1M", "-1M", "x", "", "1G", "+9", "1x", "c", "6c", "12c")
REGEX = (".*", "./a", ".*/[ab]", "\\./.*\\.c", ".*\\(a\\|b\\).*", ".*(a|b).*", ".*[0-9]+", ".*a\\{1\\}", ".*f1?", "[", "(", "\\(", ".*/.\\{1,3\\}", ".*/f+",
         ".*\\.[ch]$", "^./b", ".*/\\w+", "*a", "a|b", ".+")
TYPES = ("emacs", "findutils-default", "ed", "sed", "awk", "gnu-awk", "posix-awk", "posix-basic", "posix-minimal-basic", "posix-egrep", "egrep", "grep",
         "posix-extended", "bogus", "gnu-awk")
MODES = ("644", "-644", "/222", "u=rw", "-u+x", "/u+x,g+x", "0", "/0", "-0", "a=rwx", "+x", "+222", "-4000", "/7000", "u+s", "-g=w,o=r", "999", "u", "x", "",
         "-", "755", "-111", "go-w", "u=rwx,go=rx", "/a+w")


def number(m, *more):
    return m.pick("0", "1", "2", "+0", "+1", "-1", "-2", *more)


def test(m):
    kind = m.number(0, 33)
    pattern = m.pick("*", "a*", "?", "[ab]*", "*.c", ".*", "*/a", "./*", "B", "[", "\\a", "*é", "f1*", "README", "[!a-z]*", "a\\*", "*~", "")
    if kind <= 1:
        return f"-name {quote(pattern)}"
    if kind == 2:
        return f"-iname {quote(pattern)}"
    if kind == 3:
        return f"{m.pick('-path', '-wholename', '-ipath', '-iwholename')} {quote(m.pick('./a*', '*/*', '*b*', './?', '.', 't/*', pattern))}"
    if kind == 4:
        return f"{m.pick('-lname', '-ilname')} {quote(m.pick('*', 'miss*', '..', '?', 'MISSING'))}"
    if kind in (5, 6):
        return f"{m.pick('-regex', '-iregex')} {quote(m.pick(REGEX))}"
    if kind in (7, 8):
        return (f"{m.pick('-type', '-type', '-xtype')} "
                f"{m.pick('f', 'd', 'l', 'p', 'f,d', 'l,f', 's', 'b', 'c', 'x', 'D', 'fd', '', 'f,', ',f', 'f,f', 'd,l,f,p')}")
    if kind in (9, 10):
        return f"-size {quote(m.pick(SIZES))}"
    if kind in (11, 12):
        return f"-perm {quote(m.pick(MODES))}"
    if kind == 13:
        return m.pick("-empty", "-true", "-false", "-readable", "-writable", "-executable", "-nouser", "-nogroup")
    if kind == 14:
        return f"-links {number(m, 'x', '')}"
    if kind == 15:
        return f"{m.pick('-uid', '-gid')} {m.pick('1000', '0', '+999', '-1', '+1000', 'x')}"
    if kind == 16:
        return f"{m.pick('-user', '-group')} {m.pick('root', '0', '1000', 'nobody_here', '65534')}"
    if kind == 17:
        return f"{m.pick('-newer', '-newer', '-newermm')} {m.pick('a', '.', 'missing', '../ref', '../ref')}"
    if kind in (18, 19):
        when = m.pick("2001-02-03 04:05:06", "2020-02-29 12:00:00", "1970-01-01", "2019-06-15 10:00:30", "@0", "@951782400", "2020-02-29 12:00:00.1",
                      "nonsense", "1999-12-31 23:59:59 UTC", "")
        return f"-newermt {quote(when)}"
    if kind == 20:
        return f"{m.pick('-mtime', '-mmin')} {m.pick('0', '+0', '-1', '+1000', '-100000', '+100', 'x', '-0', '+99999999', '1.5', '-1.5')}"
    if kind == 21:
        return f"-samefile {m.pick('a', '.', 'missing', 'b')}"
    if kind == 22:
        return f"-newer{m.pick('mm', 'xt', 'ma', 'mX', 'tt', 'mm')} ../ref"
    if kind == 23:
        return f"{m.pick('-used', '-inum', '-links')} {m.pick('x', '+0', '+0')}" if m.chance(0.3) else "-links +0"
    return f"-name {quote(pattern)}" if m.chance(0.5) else f"-type {m.pick('f', 'd', 'l')}"


def action(m):
    kind = m.number(0, 19)
    if kind <= 4:
        return "-print"
    if kind == 5:
        return "-print0"
    if kind <= 11:
        return f"-printf {quote(m.pick(PRINTF))}"
    if kind == 12:
        return m.pick("-prune", "-quit", "-prune -o -print")
    if kind == 13:
        command = m.pick("echo {}", "echo x{}y {}", "printf '%s|' {}", "basename {}", "test -d {}", "false", "true", "nosuchcommand {}", "echo",
                         "sh -c 'echo \"$0\"' {}", "echo \"{}{}\"")
        return f"{m.pick('-exec', '-exec', '-execdir', '-ok')} {command} {m.pick(chr(92) + ';', chr(92) + ';', chr(39) + ';' + chr(39))}"
    if kind == 14:
        return (f"{m.pick('-exec', '-exec', '-execdir')} "
                f"{m.pick('echo', 'echo a', 'ls -d', 'false', 'sh -c ' + quote('echo $#') + ' x', 'nosuchcommand', 'echo {}')} "
                f"{m.pick('{} +', '{} +', '{} +', '+', 'x{} +')}")
    if kind == 15:
        return f"{m.pick('-fprint', '-fprint0')} {m.pick('../out', '../out', '/dev/stdout', '/dev/full', 'no/such')}"
    if kind == 16:
        return f"-fprintf {m.pick('../out', '/dev/stdout', '/dev/stderr')} {quote(m.pick(PRINTF))}"
    if kind == 17:
        m.shows_files()
        return "-delete"
    return ""


def expression(m, depth=2):
    if depth and m.chance(0.4):
        left, right = expression(m, depth - 1), expression(m, depth - 1)
        operator = m.pick(" ", " ", " -a ", " -and ", " -o ", " -or ", " , ")
        text = f"{left}{operator}{right}"
        return f"\\( {text} \\)" if m.chance(0.5) else text
    negated = m.pick("! ", "-not ", "! ! ") if m.chance(0.15) else ""
    return negated + test(m)


def options(m):
    return m.options(m.pick("", "", f"-maxdepth {m.pick('0', '1', '2', '1', '2', '3', 'x' if m.chance(0.1) else '1')}"),
                     m.pick("", "", "", f"-mindepth {m.pick('0', '1', '2', '1')}"), m.pick("", "", "", "-depth", "-d"),
                     m.pick("", "", "", "", "-xdev", "-mount", "-follow", "-noleaf",
                     "-ignore_readdir_race", "-warn", "-nowarn", "-daystart", "-files0-from list" if m.chance(0.2) else ""),
                     f"-regextype {m.pick(TYPES)}" if m.chance(0.2) else "")


@command("find")
def find(m):
    if m.chance(0.05):
        m.line("umask 077")
    chain = m.chance(0.4)       # directories of one entry: their order is no question
    m.files(top=m.pick(".", ".", "t"), kinds="dddfflp" if chain else "fffffddlhp", odd=m.pick(0.0, 0.1, 0.4), high=1 if chain else 5, depth=3 if chain else 2,
            modes=m.chance(0.5))
    m.line("printf x > ../ref; touch -d 2010-01-01 ../ref")
    start = m.pick("", "", ".", ".", ".", ".", ".", "./", "*", "t", "missing", "a", "-- .", "a b", ". missing", "''", "../ref", "./.", "..//w", ".",
                   ". .")
    head = m.pick("", "", "", "", "-P ", "-L ", "-H ", "-H -L ", "-O3 ", "")
    if m.chance(0.04):
        listed = m.pick(".\\0", "../ref\\0missing\\0", "", "a\\0\\0b", "../ref")
        m.line(f"printf '{listed}' > list")
    wrong = m.pick("-bogus", "\\(", "\\)", "-name", "-a", "-o -print", "! ", "-type", "x", "-name a -o", "-maxdepth 1 -print", "-exec echo", "-newerXY x",
                   "\\( \\)", ",", "-size 1 2", "-print -maxdepth 1", "-not") if m.chance(0.06) else ""
    actions = " ".join(a for a in (action(m) for _ in range(m.pick(0, 1, 1, 2))) if a)
    text = f"find {head}{start} {options(m)} {expression(m)} {actions} {wrong}"
    if chain:
        return f"{text} < /dev/null"
    text = text.replace("-quit", "-prune").replace("-print0", "-print").replace("-fprint0", "-fprint").replace("\\\\c", "").replace("printf '%s|'", "echo")
    text = text.replace("{} +", "{} \\;")
    return f"{text} < /dev/null | LC_ALL=C sort; (exit ${{PIPESTATUS[0]}})"
