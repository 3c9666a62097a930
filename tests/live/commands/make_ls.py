"""ls."""
from making import command, quote

SIZES = ("1", "512", "1024", "K", "M", "1K", "KB", "kB", "KiB", "MB", "G", "si", "human-readable", "0", "x", "'1", "1000", "10", "2MiB", "Y", "-1", "")
STYLES = ("full-iso", "long-iso", "iso", "locale", "+%F %T.%N", "+%s", "+%b %e %Y", "+old", "+%%-%j|%H%M\nnew", "posix-long-iso", "posix-locale", "full", "l",
          "bogus", "", "+")
COLORS = ("*.c=33:*~=90", "di=1;34:fi=32:ex=35", "no=31:fi=0", "ln=target", "or=31;1:mi=05", "rs=0;1:di=4", "lc=<:rc=>:ec=.",
          "so=1:pi=2:su=3:sg=4:ca=5:tw=6:ow=7:st=8:mh=9:ex=10", "mh=44", "di=",
          "*README=7", "*.tar.gz=1:*.gz=2", "di", "xx=1", "*.C=9:*.h=8", "\\e", "cl=\\e[K", "=", "fi=\\101^[", "ln=36:mi=7:or=8")
QUOTING = ("literal", "locale", "shell", "shell-always", "shell-escape", "shell-escape-always", "c", "c-maybe", "escape", "clocale", "sh", "bogus")


def look(m):
    """How names are shown."""
    return m.options(m.flags("bNqQ", 0.08), m.option("F", None, p=0.1), m.option("p", None, p=0.1), m.option(None, "file-t|ype", p=0.05),
                     m.option(None, "cl|assify" + m.pick("", "=always", "=never", "=auto", "=x"), p=0.06),
                     m.option(None, "indicator|-style", m.pick("none", "slash", "file-type", "classify", "f", "x"), 0.06),
                     m.option(None, "quoting-style", m.pick(QUOTING), 0.2), m.option(None, "show|-control-chars", p=0.03),
                     m.option(None, "hide-|control-chars", p=0.03),
                     m.option(None, "col|or" + m.pick("", "=always", "=never", "=auto", "=yes", "=no", "=tty", "=force", "=if-tty", "=none", "=x"), p=0.25),
                     m.option(None, "zer|o", p=0.04),
                     m.option(None, "hyperlink" + m.pick("=never", "=auto", "=x", "", "="), p=0.06), m.option("D", "di|red", p=0.05))


def which(m):
    """What is listed, and in which order."""
    return m.options(m.flags("aABdRrSXvtH", 0.1), m.pick("", "-Ud", "-fd") if m.chance(0.06) else "", m.option("L", "dereference", p=0.1),
                     m.option("I", "ig|nore", m.pick("*.c", "a*", "[ab]", "?", "*~", ".*", "[!a]*"), 0.1),
                     m.option(None, "hide", m.pick("*.c", "f*", "*", "?", "[", ".*"), 0.1), m.option(None, "group|-directories-first", p=0.1),
                     m.option(None, "so|rt", m.pick("size", "time", "version", "extension", "width", "w", "name", "x"), 0.1),
                     m.option(None, "dereference-command-line" + m.pick("", "-symlink-to-dir"), p=0.05), m.option(None, "rev|erse", p=0.05),
                     m.option(None, "al|l", p=0.05), m.option(None, "almo|st-all", p=0.05))


def columns(m):
    width = m.option("w", "wid|th", m.pick("0", "1", "2", "5", "10", "13", "20", "30", "40", "79", "200", "x", "-1", "0x10", "010", "99999999999999999999",
                                           "1K"), 0.5)
    return m.options(m.flags("CxmC", 0.35), m.option(None, "form|at", m.pick("across", "commas", "horizontal", "long", "single-column", "verbose", "vertical",
                                                                             "v", "ve", "x"), 0.15), width,
                     m.option("T", "tabs|ize", m.pick("0", "1", "3", "8", "100", "x", ""), 0.2), m.flags("s", 0.1))


def long(m):
    return m.options(m.pick("-l", "-l", "-l", "-o", "-g", "-n", "--full-time", "--format=long", "-go", "-ln"), m.flags("Ghsk1u", 0.1),
                     m.option(None, "author", p=0.08), m.option(None, "no|-group", p=0.05),
                     m.option(None, "si", p=0.07), m.option(None, "human|-readable", p=0.05), m.option(None, "block|-size", m.pick(SIZES), 0.2),
                     m.option(None, "time-", p=0.01),
                     m.option(None, "time-|style", m.pick(STYLES), 0.25), m.option(None, "time",
                                                                                   m.pick("atime", "access", "use", "mtime", "modification", "m", "x"), 0.07),
                     m.option("Z", "cont|ext", p=0.02), m.option(None, "numeric|-uid-gid", p=0.05), m.option(None, "ki|bibytes", p=0.05),
                     m.option(None, "size", p=0.05))


@command("ls")
def ls(m):
    paths = m.files(kinds="fffffddlhp", depth=m.pick(0, 1, 2), high=m.pick(3, 8, 14), odd=m.pick(0.0, 0.2, 0.6))
    before = ""
    if m.chance(0.15):
        before += f"LS_COLORS={quote(m.pick(COLORS))} "
    if m.chance(0.05):
        before += m.pick("COLUMNS=30 ", "COLUMNS=x ", "BLOCK_SIZE=1 ", "LS_BLOCK_SIZE=K ", "BLOCKSIZE=512 ", "POSIXLY_CORRECT=1 ", "QUOTING_STYLE=c ",
                         "QUOTING_STYLE=x ", "TIME_STYLE=iso ", "TIME_STYLE=x ",
                         "TABSIZE=4 ", "LC_ALL=C ", "LC_ALL=C ", "TZ=EST5 ")
    shown = m.pick(columns, columns, long, long, lambda m: m.flags("1s", 0.3))(m)
    wanted = [quote(path) for path in m.sample([p for p in paths if not p.startswith("-")], 0, 3)] if m.chance(0.4) and paths else []
    if m.chance(0.1):
        wanted.append(m.pick("missing", "./", "a/", "b/x", "''", "-- -x", "no/such", "a", "--x", "-y", "."))
    options = m.options(shown, look(m), which(m))
    if " -u" in options or "time" in options or "u" in shown:      # listing a directory changes its time of access
        options = options.replace("-a", "-A").replace("--al ", "").replace("--all", "")
    host = " | sed 's:file.//[a-z]*/:file.//host/:g'" if "hyp" in options else ""
    return f"{before}ls {options} {' '.join(wanted)}{host}"
