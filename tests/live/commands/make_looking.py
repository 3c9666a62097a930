"""What tells of files and names: stat, du, readlink, realpath, mktemp, tree, env, which."""
from making import command, quote
from make_trees import some

FORMATS = ("%n", "%N", "%a", "%A", "%#a", "%f", "%F", "%s", "%b %B", "%h", "%u %g", "%U %G", "%x", "%y", "%X", "%Y", "%.3Y", "%.X", "%10s|", "%-10s|", "%010s|",
           "%+s", "% s", "%'s", "%.2n|", "%10n|", "%-10n|", "%o", "%t %T", "%t", "%%", "%", "%q", "%n\\n", "%a\\t%s",
           "a%nb", "%12.4Y|", "%012.3Y|", "%-12.3Y|", "%#t", "%#f", "%5a|", "%-5a|", "%05a|", "%n", "%.1y", "%.25y|", "%30y|", "%.0Y",
           "%n", "%n", "%20F|", "%.3F|", "\\101\\x41\\e\\q", "%s %", "%-", "%10", "%n", "%5%|", "%.15Y|", "%3.Y|", "%0.2Y")


@command("stat")
def stat(m):
    paths = m.files(kinds="fffdllhp", odd=m.pick(0.0, 0.3), high=4)
    form = "".join(m.list(1, 3, lambda: m.pick(FORMATS) + m.pick(" ", "", "|")))
    options = m.options(m.option("L", "deref|erence", p=0.2), m.option("c", "format", form, 0.8) or m.option(None, "printf", form, 1),
                        m.option(None, "cached=" + m.pick("never", "always", "default", "x"), p=0.04))
    quoting = m.pick("", "", "", "QUOTING_STYLE=literal ", "QUOTING_STYLE=c ", "QUOTING_STYLE=x ", "QUOTING_STYLE=shell ", "POSIXLY_CORRECT=1 ", "TZ=EST5 ")
    return f"{quoting}stat {options} {some(m, paths, 0, 3)}"


@command("du")
def du(m):
    m.files(kinds="fffddlh", odd=m.pick(0.0, 0.2), high=5, modes=m.chance(0.3))
    options = m.options(m.flags("abcDHhklLmPsSx", 0.1), m.option(None, "all", p=0.1), m.option(None, "apparent|-size", p=0.15),
                        m.option("B", "block|-size", m.pick("1", "K", "512", "kB", "KiB", "x", "si", "1K", "human-readable", "'1", "0", "M"), 0.12),
                        m.option("d", "max|-depth", m.pick("0", "1", "2", "x", "-1"), 0.15),
                        m.option(None, "exclude", m.pick("*.c", "a*", "[ab]", "?", "./a"), 0.1), m.option(None, "si", p=0.06),
                        m.option("t", "thresh|old", m.pick("1", "4K", "-4K", "5000", "-0", "x", "0"), 0.08), m.option(None, "inodes", p=0.1),
                        m.option(None, "summarize", p=0.08),
                        m.option(None, "separate|-dirs", p=0.06), m.option(None, "total", p=0.08), m.option(None, "time", p=0.06),
                        m.option(None, "time-style", m.pick("+%Y", "iso", "long-iso", "full-iso", "x", "+"), 0.08), m.option(None, "count|-links", p=0.06),
                        m.option("l", None, p=0.05), m.option("X", "exclude-from", m.pick("missing", "/dev/null"), 0.04),
                        m.option(None, "files0-from", m.pick("missing", "/dev/null", "-"), 0.04))
    before = m.pick("", "", "", "", "DU_BLOCK_SIZE=1 ", "BLOCKSIZE=512 ", "POSIXLY_CORRECT=1 ", "BLOCK_SIZE=K ")
    return (f"{before}du {options} {m.pick('', '', '.', '*', './', 'a', 'a missing', '. a', 'a a', '-- *')} < /dev/null | LC_ALL=C sort -k2; (exit "
            f"${{PIPESTATUS[0]}})")


def name(m, paths):
    return quote(m.pick(*(paths or ["a"]), *(paths or ["a"]), "missing", "missing/x", "a/../b", "./a", "a/", "..", ".", "/", "//", "/usr/../bin/.", "", "a/b/c",
                        "/nowhere/x", "d/..", "a//b", "/.."))


@command("readlink")
def readlink(m):
    paths = m.files(kinds="fddlllh", odd=m.pick(0.0, 0.3), high=4, modes=False)
    options = m.options(m.flags("femnqsvz", 0.15), m.option(None, m.pick("canonicalize", "canonicalize-e|xisting",
                                                                         "canonicalize-m|issing"), p=0.15), m.option(None, "no-n|ewline", p=0.08),
                                                                         m.option(None, "zero", p=0.08), m.pick("", "", "--verbose", "--quiet", "--silent"))
    return (f"cd -P .; readlink {options} -- {' '.join(name(m, paths) for _ in range(m.number(0, 3)))} | sed \"s:$(cd ..; pwd):TOP:g\"; (exit "
            f"${{PIPESTATUS[0]}})")


@command("realpath")
def realpath(m):
    paths = m.files(kinds="fddlllh", odd=m.pick(0.0, 0.3), high=4, modes=False)
    options = m.options(m.flags("emLPqsz", 0.15), m.option(None, "relative-to", m.pick(*(paths or ["a"]), ".", "..", "/", "missing", "/usr"), 0.2),
                        m.option(None, "relative-base", m.pick(*(paths or ["a"]), ".", "..", "/", "missing"), 0.15),
                        m.pick("", "", "", "--strip", "--no-symlinks", "--zero", "--quiet", "--logical", "--physical",
                        "--canonicalize-existing", "--canonicalize-missing"))
    return f"realpath {options} -- {' '.join(name(m, paths) for _ in range(m.number(0, 3)))} | sed \"s:$(cd ..; pwd):TOP:g\"; (exit ${{PIPESTATUS[0]}})"


@command("mktemp")
def mktemp(m):
    m.files(kinds="fdd", odd=0, high=3, modes=m.chance(0.3))
    template = m.pick("", "XXX", "aXXX", "XX", "aXXXXb", "a.XXX.c", "XXXaXXX", "d/XXX", "missing/XXX", "XXXX", "a/XXXX", "X", "aXXX/b",
                      "XXXX XXXX", "a b.XXXX", "", "-XXX", "'XXX'")
    options = m.options(m.flags("dqu", 0.2), m.option(None, "dir|ectory", p=0.1), m.option(None, "suf|fix", m.pick(".x", "x", "/x", "", "XX"), 0.2),
                        m.option("p", None, m.pick(".", "a", "missing", ""), 0.2), m.option(None, "tmpdir" + m.pick("", "=.", "=a", "=missing", "="), p=0.15),
                        m.option("t", None, p=0.12), m.option(None, "quiet", p=0.05), m.option(None, "dry-run", p=0.1))
    marked = "-- " if template.startswith("-") else ""
    shown = r'''b=${f##*/}; d=$f; [ "$b" = "$f" ] || d=${f%/*}; [ "$d" != "$f" ] || d=.
    echo "${#b} ${d/#$PWD/TOP} $(stat -c '%a %F' "$d/$b" 2>&1 | sed 's:.*No such.*:none:')"'''
    return (f"export TMPDIR={m.pick('.', '$PWD', './a', 'missing')}; f=$(mktemp {options} {marked}{template} 2>err); s=$?; "
            f"sed \"s:$PWD:TOP:g\" err >&2; if [ $s = 0 ]; then {shown}; fi; (exit $s)")


@command("tree")
def tree(m):
    m.files(kinds="fffddlhp", odd=m.pick(0.0, 0.1, 0.3), high=5, modes=m.chance(0.4))
    options = m.options(m.flags("adlfiqNQpugshFACSnvt", 0.08), m.option(None, "noreport", p=0.15),
                        m.pick("", "", "", "", "", "-L 1", "-L 2", "-L 0", "-L x"), m.pick("", "", "", "", "-P *.c", "-P 'a*'", "-P '[ab]|*.h'", "-P '?'",
                                                                                           "-P '*/'"),
                                                                                           m.pick("", "", "", "", "-I '*.c'", "-I '[ab]|*.h'", "-I '?'",
                                                                                                  "-I d/"),
                        m.pick("", "", "", "--dirsfirst", "--filesfirst", "--sort=size", "--sort=name", "--sort=version", "--sort=mtime", "--sort=x"),
                        m.pick("", "", "", "--prune", "--matchdirs", "--ignore-case", "", "--si", "--du", "--charset=ascii", "--charset=utf-8",
                               "--filelimit 2", "--filelimit=3", "--timefmt %Y", "", "--metafirst", "--noreport"),
                        m.option("J", None, p=0.06), m.option("X", None, p=0.06), m.option("D", None, p=0.05))
    return f"tree {options} {m.pick('', '', '.', 'a', '*', 'missing', './', 'a b', '-- .')} < /dev/null"


@command("env")
def env(m):
    options = m.options(m.option("i", "ign|ore-environment", p=0.3), m.option("u", "uns|et", m.pick("A", "B", "", "A=B", "HOME"), 0.2),
                        m.option("0", "nul|l", p=0.15), m.option("C", "ch|dir", m.pick("/", ".", "missing", "a"), 0.1), m.option("v", "deb|ug", p=0.1),
                        m.pick("", "", "", "-", "--ignore-signal", "--block-signal=x", ""),
                        m.option("S", "split|-string", m.pick("A=1 sh -c 'echo $A'", "echo a\\tb", "echo 'a  b' c", "-i A=1 printenv", "echo ${A}", "echo $A",
                                                              "echo \\", "echo 'a", "printf '<%s>' a\\_b \"c\\_d\" # x", "echo a\\cb c", "", "echo \\q",
                                                              "echo ${X}y", "-u A printenv A"), 0.3))
    words = m.pick("", "A=1 B=2", "A=1 printenv A B", "B= sh -c 'echo \"$A$B\"'", "=x", "printenv A", "nosuch", "A=1 A=2 printenv A", "false", "/",
                   "sh -c 'exit 7'", "A=é printenv A", "echo hi", "a b")
    sort = "" if "-0" in options or "-v" in options else " | grep -v -e '^_=' -e SHLVL -e PWD | LC_ALL=C sort; (exit ${PIPESTATUS[0]})"
    return f"export A='a b' B=x; unset OLDPWD; env {options} {words}{sort}"


@command("which")
def which(m):
    m.line("mkdir p q; printf '#!/bin/sh\\n' > p/t1; printf 'x' > p/t2; cp p/t1 q/t1; chmod +x p/t1 q/t1; mkdir p/dir")
    words = " ".join(quote(m.pick("t1", "t2", "dir", "nosuch", "./p/t1", "p/t1", "p/t2", "", "/p", "t1 t1", "-a", "missing/t1")) for _ in range(m.number(0, 3)))
    return (f"PATH={m.pick('p:q', 'q:p', 'p::q', '$PWD/p', '', ':', 'missing:p')} /usr/bin/which "
            f"{m.pick('', '', '-a', '--', '-s', '-as', '-x', '-a --')} {words}")
