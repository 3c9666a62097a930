"""What cuts, copies and compares contents: split, csplit, dd, cmp, diff, patch."""
from making import command, quote


def lines(m, low=0, high=14):
    return "".join(m.list(low, high, lambda: m.pick("a", "b", "c", "one", "two", "%%", "1", "", "a b", "x" * 30, "é") + "\n")) + m.pick("", "", "end")


def given(m, name="a"):
    m.go_inside()
    m.shows_files()
    return m.file(name, lines(m) if m.chance(0.8) else m.bytes(0, 90))


@command("split")
def split(m):
    given(m)
    how = m.pick(m.option("b", "bytes", m.pick("1", "5", "10", "1k", "1KB", "0", "x", "16", "9999999999999999999"), 1),
                 m.option("l", "lines", m.pick("1", "2", "3", "0", "x", "100"), 1), m.option("C", "line-bytes", m.pick("1", "4", "10", "40", "0"), 1),
                 m.option("n", "number", m.pick("1", "2", "3", "5", "l/2", "l/3", "r/2", "r/3", "2/3", "l/1/2", "l/2/3", "r/1/3", "0", "x", "4/3", "l/0",
                                                "r/2/2", "l/x"), 1), m.pick("-1", "-2", "-3", "-0", "-22", ""))
    options = m.options(how, m.option("a", "suffix|-length", m.pick("1", "2", "3", "0", "x"), 0.25), m.flags("dexu", 0.12),
                        m.option(None, "numeric|-suffixes" + m.pick("", "=1", "=5", "=98", "=x"), p=0.1),
                        m.option(None, "hex|-suffixes" + m.pick("", "=1", "=9"), p=0.08),
                        m.option(None, "add|itional-suffix", m.pick(".x", "/", "", "x y"), 0.15),
                        m.option("t", "sep|arator", m.pick("a", "\\0", "ab", " ", "e", ""), 0.12), m.option(None, "verbose", p=0.25),
                        m.option(None, "elide|-empty-files", p=0.08), m.option(None, "unbuf|fered", p=0.05))
    return f"split {options} {m.pick('a', 'a', 'a', '-', '', 'missing', '.')} {m.pick('', '', 'p', 'p', 'd/p', 'a b', '')} < a"


@command("csplit")
def csplit(m):
    given(m)
    patterns = " ".join(quote(m.pick("2", "3", "5", "1", "100", "0", "/a/", "/b/+1", "/c/-1", "%a%", "%b%1", "{1}", "{*}", "{2}", "/one/", "/^$/", "%x%", "/[/",
                                     "x", "/a", "/a/x", "{x}", "7", "/a/+0", "/end/", "/é/", "-1")) for _ in range(m.number(0, 4)))
    options = m.options(m.option("f", "pre|fix", m.pick("p", "", "d/p", "a b"), 0.2), m.option("b", "suffix-f|ormat",
                                                                                               m.pick("%d", "%03x", "%o.t", "x", "%s", "%d%d", "%%%d", "%5.3u",
                                                                                                       "%-3d|", "%#X"), 0.2),
                                                                                                               m.option("n", "dig|its",
                                                                                                                       m.pick("1", "3", "0", "x"), 0.2),
                                                                                                                               m.flags("skqz", 0.15),
                                                                                                                                       m.option(None,
                                 "suppress|-matched", p=0.12),
                        m.option(None, "elide|-empty-files", p=0.1), m.option(None, "keep|-files", p=0.1), m.option(None, "quiet", p=0.05))
    return f"csplit {options} {m.pick('a', 'a', 'a', '-', 'missing', '.')} {patterns} < a"


@command("dd")
def dd(m):
    given(m)
    m.file("o", m.pick("", "0123456789abcdef", "zz"))
    words = m.sample(["if=a", "of=o", f"bs={m.pick('1', '3', '5', '512', '0', '1k', 'x', '2x3', '1b', '1w')}", f"ibs={m.pick('1', '4', '7', '10')}",
                      f"obs={m.pick('1', '3', '8')}", f"cbs={m.pick('4', '10', '0')}",
                      f"count={m.pick('0', '1', '2', '3', '5B', '10', 'x', '-1')}", f"skip={m.pick('0', '1', '2', '3B', '100')}",
                      f"seek={m.pick('0', '1', '2', '3B')}", f"iseek={m.pick('1', '2')}", f"oseek={m.pick('1', '2')}",
                      "conv=" + m.pick("ascii", "ucase", "lcase", "swab", "notrunc", "sync", "noerror", "block", "unblock", "ebcdic", "ibm", "excl", "nocreat",
                                       "ucase,lcase", "notrunc,swab", "block,sync", "x", "sync,ucase", "sparse", "fsync", "fdatasync"),
                      f"iflag={m.pick('fullblock', 'count_bytes', 'skip_bytes', 'directory', 'nofollow', 'count_bytes,skip_bytes', 'append', 'x', 'nonblock')}",
                      f"oflag={m.pick('append', 'seek_bytes', 'nofollow', 'append,seek_bytes', 'x', 'directory')}",
                      f"status={m.pick('none', 'noxfer', 'none', 'noxfer', 'x')}", "if=missing", "of=d/x", "x=1", "conv", "of=new", "if=o"], 1,
                      6)
    return f"dd {' '.join(words)} < a 2>../err; s=$?; sed 's/copied, .*/copied/' ../err >&2; (exit $s)"


def pair(m):
    m.go_inside()
    text = lines(m).split("\n")
    m.file("a", "\n".join(text))
    for _ in range(m.number(0, 4)):
        if text:
            at = m.number(0, len(text) - 1)
            text[at:at + m.number(0, 2)] = m.list(0, 2, lambda: m.pick("a", "B", "new", "", " a", "a  b", "\ta", "one "))
    m.file("b", "\n".join(text))


@command("cmp")
def cmp(m):
    pair(m)
    options = m.options(m.flags("bls", 0.2), m.option(None, "print-bytes", p=0.1), m.option(None, "verb|ose", p=0.1), m.option(None, "quiet", p=0.06),
                        m.option("i", "ignore|-initial", m.pick("1", "2:3", "0", "x", "5:", "1k", "100"), 0.2),
                        m.option("n", "bytes", m.pick("0", "1", "5", "x", "1k", "10"), 0.2))
    return (f"cmp {options} "
            f"{m.pick('a b', 'a b', 'a b', 'a', 'a -', '- b', 'a missing', 'a . ', 'a b 1', 'a b 1 2', 'a b 1k 1', 'a b x', 'a a', '', 'a b 1 2 3')} < a")


@command("diff")
def diff(m):
    pair(m)
    if m.chance(0.25):
        m.line("mkdir d e; cp a d; cp b e/a; echo x > d/only; echo y > e/other; mkdir d/s e/s; cp a d/s/t; cp b e/s/t; touch -d 2020-02-02 a b d/* e/*")
    m.line("touch -d '2020-01-02 03:04:05.678' a; touch -d '2021-01-02 03:04:05' b")
    options = m.options(m.flags("qsucewybBiEZtTdNrapl", 0.07), m.pick("", "", "-u", "-U1", "-U0", "-c", "-C1", "-y", "-e", "-n", "-f", "--normal",
                                                                            "--context=0", "--unified=2", "-W40 -y", "-y --left-column",
                                                                            "-y --suppress-common-lines", "-D X", "--ifdef=X", "-q", "-s", "-u"),
                        m.option("I", "ignore-m|atching-lines", m.pick("a", "^$", "["), 0.07), m.option(None, "label", m.pick("L1", "x y"), 0.07),
                        m.option(None, "color" + m.pick("=always", "=never", "=x", ""), p=0.08),
                        m.option("F", "show-function-line", m.pick("^[a-z]", "a"), 0.06), m.option("x", "exclude", m.pick("a", "o*"), 0.06),
                        m.option(None, "strip-trail|ing-cr", p=0.05), m.option(None, "ignore-all-space", p=0.04), m.option(None, "ignore-case", p=0.04),
                        m.option(None, "minimal", p=0.04), m.option(None, "expand-tabs", p=0.04), m.option(None, "brief", p=0.03),
                        m.option(None, "tabsize", m.pick("4", "x"), 0.03),
                        m.option(None, "line-format", m.pick("%L", "%dn:%l%c'\\012'"), 0.03),
                        m.option(None, "changed-group-format", m.pick("<%<|%>>", "%(f=l?same:other)"), 0.03), m.option(None, "suppress-blank-empty", p=0.03),
                        m.option(None, "new-file", p=0.04), m.option(None, "recursive", p=0.05))
    return f"diff {options} {m.pick('a b', 'a b', 'a b', 'a b', 'b a', 'd e', 'd e', 'a missing', 'a', 'd a', 'a a', 'a b a', '')} < b"


@command("patch")
def patch(m):
    pair(m)
    m.shows_files()
    m.line("touch -d '2020-01-02 03:04:05' a; touch -d '2021-01-02 03:04:05' b")
    m.line(f"diff {m.pick('-u', '-u', '-c', '', '-e', '-U1', '-U0', '-C1')} {m.pick('', '', '--label x/a --label x/b', '--label a --label a')} a b > p")
    if m.chance(0.3):
        m.line(m.pick("sed -i 1d a", "sed -i '1i new' a", "sed -i 's/a/q/' a", "cp b a", "sed -i 's/b/z/' p", "printf 'junk\\n' | cat - p > q; mv q p",
                      "sed -i '$d' p", "rm a", "chmod 444 a"))
    options = m.options(m.flags("RNstlfEbuce", 0.08), m.option("p", "strip", m.pick("0", "1", "2", "x"), 0.3),
                        m.option("F", "fuzz", m.pick("0", "1", "3", "x"), 0.1), m.option("o", "output", m.pick("out", "-"), 0.1),
                        m.option("r", "reject-file", m.pick("rej", "-"), 0.1), m.option(None, "dry-run", p=0.08), m.option(None, "verbose", p=0.08),
                        m.option(None, "reverse", p=0.05), m.option(None, "forward", p=0.05), m.option(None, "backup", p=0.06),
                        m.option("V", "version-control", m.pick("simple", "numbered", "x"), 0.05), m.option("B", "prefix", m.pick("pre-"), 0.05),
                        m.option("z", "suffix", m.pick(".s"), 0.05), m.option("D", "ifdef", "X", 0.05), m.option(None, "merge" + m.pick("", "=diff3"), p=0.05),
                        m.option("d", "directory", m.pick(".", "missing"), 0.03), m.option(None, "posix", p=0.04), m.option(None, "quiet", p=0.04),
                        m.option(None, "batch", p=0.04), m.option(None, "force", p=0.04), m.option("i", "input", m.pick("p", "missing"), 0.1))
    return f"patch {options} {m.pick('', 'a', 'a', 'a p', 'missing', 'b')} < p"
