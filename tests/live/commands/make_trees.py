"""What makes, moves, removes and changes files: mkdir, rmdir, rm, cp, mv, ln, install, chmod, touch, chown, chgrp, mkfifo, truncate."""
from making import command, quote

MODES = ("755", "644", "u+x", "go-rwx", "a=r", "+x", "u=rwx,go=", "0", "7777", "g=u", "-w", "o+t", "u+s,g+s", "X", "a+X", "=", "u=g,o+w", "8", "rwx", "u+z", "",
         "01777", "00755", "-rwx", "u-w,", "+", "a=rwX", "-0022", "=755", "u=4", "00", "ug+rw")
BACKUP = ("none", "off", "numbered", "t", "existing", "nil", "simple", "never", "x", "n")


def some(m, paths, low=1, high=3):
    """Operands out of the tree and others."""
    chosen = [quote(p) for p in m.sample(paths, low, high)] if paths else []
    if m.chance(0.15):
        chosen.insert(m.number(0, len(chosen)), m.pick("missing", ".", "''", "a/", "b/.", "./a", "missing/x", "a/b/c/d", "new", "new/", "x/../a"))
    out = " ".join(chosen)
    return f"-- {out}" if any(c.startswith(("-", "'-")) for c in chosen) and m.chance(0.9) else out


def tree(m, **more):
    m.shows_files()
    return m.files(**{"kinds": "ffffdddlh", "odd": m.pick(0.0, 0.1, 0.3), "high": 4, **more})


def overwriting(m):
    return m.options(m.option("f", "force", p=0.15), m.option("i", "interactive", p=0.08), m.option("v", "verbose", p=0.4), m.option("b", None, p=0.1),
                     m.option(None, "backup" + m.pick("", *(f"={b}" for b in BACKUP)), p=0.1), m.option("S", "suffix", m.pick(".b", "~", "", "/x"), 0.08),
                     m.option("T", "no-target|-directory", p=0.1), m.option(None, "strip-trail|ing-slashes", p=0.06))


def target(m, paths):
    return m.option("t", "target|-directory", m.pick(*(paths or ["d"]), "d", "missing", "."), 0.12)


@command("cp")
def cp(m):
    paths = tree(m)
    m.line("mkdir -p d 2>/dev/null")
    if m.chance(0.5):
        m.shows_times()
    options = m.options(overwriting(m), target(m, paths), m.flags("RarPLHdpnulsx", 0.12), m.option(None,
                                                                                                   "pres|erve" + m.pick("", "=mode", "=timestamps", "=all",
                                                                                                           "=links", "=mode,ownership", "=x", "=xattr",
                                                                                                                   ""), p=0.12),
                        m.option(None, "no-pre|serve=" + m.pick("mode", "timestamps", "all", "x", "links"), p=0.08), m.option(None, "pare|nts", p=0.08),
                        m.option(None, "attributes-only", p=0.05), m.option(None, "copy-contents", p=0.03),
                        m.option(None, "remove|-destination", p=0.06), m.option(None, "reflink" + m.pick("=auto", "=never", "=x"), p=0.04),
                        m.option(None, "sparse=" + m.pick("auto", "never", "always", "x"), p=0.05), m.option(None, "one-file-system", p=0.02),
                        m.option(None, "no-clob|ber", p=0.04), m.option(None, "update", p=0.05), m.option(None, "recursive", p=0.1),
                        m.option(None, "archive", p=0.05))
    return f"cp {options} {some(m, paths)} {m.pick('d', 'd', 'new', 'd/x', '.', some(m, paths, 0, 1))} < /dev/null"


@command("mv")
def mv(m):
    paths = tree(m)
    m.line("mkdir -p d 2>/dev/null")
    if m.chance(0.5):
        m.shows_times()
    options = m.options(overwriting(m), target(m, paths), m.flags("nu", 0.12), m.option(None, "no-clob|ber", p=0.05), m.option(None, "update", p=0.05))
    return f"mv {options} {some(m, paths)} {m.pick('d', 'd', 'new', 'new/', 'd/x', '.', some(m, paths, 0, 1))} < /dev/null"


@command("ln")
def ln(m):
    paths = tree(m)
    m.line("mkdir -p d 2>/dev/null")
    options = m.options(overwriting(m).replace("--strip-trailing-slashes", ""), target(m, paths), m.flags("snrLP", 0.2),
                        m.option(None, "sym|bolic", p=0.4), m.option(None, "relative", p=0.1), m.option(None, "no-deref|erence", p=0.06),
                        m.option(None, "logical", p=0.05),
                        m.option(None, "physical", p=0.05))
    return f"ln {options} {some(m, paths)} {m.pick('d', 'd', 'new', 'new/', 'd/x', '', some(m, paths, 0, 1))} < /dev/null"


@command("rm")
def rm(m):
    paths = tree(m)
    m.line(f"printf '{m.pick('y', 'n', 'y', '')}\\n{m.pick('y', 'n', 'y')}\\ny\\nn\\ny\\ny\\n' > ../answers")
    options = m.options(m.flags("rRfdvi", 0.25), m.option(None, "interactive" + m.pick("", "=never", "=once", "=always", "=no", "=x", "=yes"), p=0.08),
                        m.option("I", None, p=0.08), m.option(None, "recursive", p=0.1), m.option(None, "force", p=0.08),
                        m.option(None, "dir", p=0.06), m.option(None, "verb|ose", p=0.06), m.option(None, "one-file|-system", p=0.03),
                        m.option(None, "no-preserve-root", p=0.02), m.option(None, "preserve-root" + m.pick("", "=all", "=x"), p=0.03))
    operands = some(m, paths, 0, 3).replace("'/'", "a")
    return f"rm {options} {' '.join(o if o not in ('/', '..') else 'a' for o in operands.split(' '))} < ../answers"


@command("rmdir")
def rmdir(m):
    paths = tree(m, depth=3)
    options = m.options(m.flags("pv", 0.3), m.option(None, "ignore|-fail-on-non-empty", p=0.2), m.option(None, "parents", p=0.2),
                        m.option(None, "verbose", p=0.1))
    return f"rmdir {options} {some(m, paths, 0, 3)}"


@command("mkdir")
def mkdir(m):
    paths = tree(m, high=3)
    m.line(f"umask {m.pick('022', '077', '0', '002', '027', '022')}")
    options = m.options(m.flags("pv", 0.35), m.option("m", "mode", m.pick(MODES), 0.3), m.option(None, "par|ents", p=0.15), m.option(None, "verb|ose", p=0.1),
                        m.option("Z", None, p=0.02))
    names = [quote(m.pick("n", "n/m", "n/m/o", "./n", "n/", "n//m", "n/../o", *(p + "/n" for p in paths), *paths, ".", "x/y",
                          m.name(0.5))) for _ in range(m.number(0, 3))]
    return f"mkdir {options} {'-- ' if m.chance(0.3) else ''}{' '.join(names)}; s=$?; umask 022; (exit $s)"


@command("install")
def install(m):
    paths = tree(m, modes=m.chance(0.3))
    m.line("mkdir -p d 2>/dev/null")
    if m.chance(0.4):
        m.shows_times()
    options = m.options(m.option("b", None, p=0.1), m.option(None, "backup" + m.pick("", *(f"={b}" for b in BACKUP)), p=0.08), m.flags("vpdDCTc", 0.15),
                        m.option("m", "mode", m.pick(MODES), 0.3), m.option("S", "suffix", m.pick(".b", ""), 0.06), target(m, paths),
                        m.option(None, "directory", p=0.05),
                        m.option(None, "comp|are", p=0.06), m.option(None, "preserve-t|imestamps", p=0.06), m.option(None, "verb|ose", p=0.1),
                        m.option("g", "group", m.pick("1000", "0", "nogr"), 0.04), m.option("o", "owner", m.pick("1000", "0", "nous"), 0.04),
                        m.option(None, "no-target|-directory", p=0.05))
    return f"install {options} {some(m, paths)} {m.pick('d', 'd', 'new', 'd/x', 'new/x', '.', some(m, paths, 0, 1))}"


@command("chmod")
def chmod(m):
    paths = tree(m)
    m.line(f"umask {m.pick('022', '077', '0', '022')}")
    options = m.options(m.flags("Rvcf", 0.2), m.option(None, "reference", m.pick(*(paths or ["a"]), "missing"), 0.1),
                        m.option(None, "recursive", p=0.1), m.option(None, "changes", p=0.08), m.option(None, "verbose", p=0.1),
                        m.pick("", "", "", "--quiet", "--silent", "--preserve-root", "--no-preserve-root"))
    mode = "" if "reference" in options and m.chance(0.9) else quote(m.pick(MODES))
    return f"chmod {options} {mode} {some(m, paths, 0, 3)}; s=$?; umask 022; (exit $s)".replace(" / ", " a ").replace(" .. ", " . ").replace(" ..;",
            " .;").replace(" /;", " a;")


@command("chown")
def chown(m):
    paths = tree(m)
    options = m.options(m.flags("Rvcfh", 0.25), m.pick("", "", "", "-H", "-L", "-P"), m.option(None, "from",
                                                                                               m.pick("1000", "1000:1000", ":1000", "0", ":0", "x", "0:0"),
                                                                                               0.15), m.option(None, "ref|erence", m.pick("missing", "."), 0.1),
                                                                                               m.option(None, "deref|erence", p=0.05),
                                                                                               m.option(None, "no-deref|erence", p=0.05),
                        m.pick("", "", "--quiet", "--changes", "--verbose", "--recursive"))
    who = "" if "--ref" in options and m.chance(0.9) else m.pick("1000", "1000:1000", ":1000", "1000:", "+1000", "0", "nobody_here", "1000:nogr", "", ":",
                                                                 "1000.1000", "-1", "x:y", "root", ":root")
    return f"chown {options} {quote(who) if who or 'ref' not in options else ''} {some(m, paths, 0, 3)}".replace(" /", " a").replace("..", ".")


@command("chgrp")
def chgrp(m):
    paths = tree(m)
    options = m.options(m.flags("Rvcfh", 0.25), m.pick("", "", "", "-H", "-L", "-P"), m.option(None, "ref|erence", m.pick("missing", "."), 0.1),
                        m.option(None, "deref|erence", p=0.05), m.pick("", "", "--quiet", "--changes", "--verbose", "--recursive"))
    who = "" if "--ref" in options else m.pick("1000", "+1000", "0", "nogr", "", "root", "-1", "x", "4294967296")
    return f"chgrp {options} {quote(who) if who or '--ref' not in options else ''} {some(m, paths, 0, 3)}".replace(" /", " a").replace("..", ".")


@command("mkfifo")
def mkfifo(m):
    paths = tree(m, high=2)
    m.line(f"umask {m.pick('022', '077', '0')}")
    return (f"mkfifo {m.options(m.option('m', 'mode', m.pick(MODES), 0.5), m.option('Z', None, p=0.03))} "
            f"{some(m, [*paths, 'p', 'q', 'p/q', '-r', 'a b'], 0, 3)}; s=$?; umask 022; (exit $s)")


@command("touch")
def touch(m):
    paths = tree(m)
    m.shows_times()
    options = m.options(m.flags("camhf", 0.2), m.option("d", "date", f"{m.date()}{m.pick('', '', ' UTC', ' +0200')}", 0.6),
                        m.option("t", None, m.pick("202001020304", "202001020304.05", "01020304", "2001020304", "197001010000", "x", "2020010203",
                                                   "202013010000", "202001020304.61", "6901010000", "6801010000"), 0.2),
                        m.option("r", "ref|erence", m.pick(*(paths or ["a"]), "missing"), 0.2),
                        m.option(None, "time", m.pick("access", "atime", "use", "modify", "mtime", "m", "x", "a"), 0.1), m.option(None, "no-cr|eate", p=0.1),
                        m.option(None, "no-deref|erence", p=0.08))
    return f"touch {options} {some(m, [*paths, 'n1', 'n2', '-n3', 'new/', 'd/n'], 0, 3)}"


@command("truncate")
def truncate(m):
    paths = tree(m, modes=False)
    options = m.options(m.option("s", "size", m.pick("0", "1", "10", "+5", "-3", "<4", ">20", "/4", "%8", "1K", "1kB", "K", "x", "", "+", "-", "/0", "%0", " 5",
                                                     "<0", "1b", "-99999", "9999999999999999999", "1M"), 0.85), m.option("c", "no-c|reate", p=0.15),
                                                     m.option("o", "io|-blocks", p=0.08),
                        m.option("r", "ref|erence", m.pick(*(paths or ["a"]), "missing"), 0.2))
    return f"truncate {options} {some(m, [*paths, 'n1', 'd/n'], 0, 3)}"
