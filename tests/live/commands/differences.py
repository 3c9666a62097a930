"""The classes of invocations in which whelk's commands are known to differ from the real ones: each a minimal input, the reason, and how a cut-down
script is recognised. At most fifteen a command; docs/divergences/NAME.md says the same for readers."""
import re


class Class:
    """script: what the cut-down script holds; only: the parts (0 status, 1 output, 2 errors) in which the two may differ; outcomes: what else holds."""

    def __init__(self, name, minimal, reason, script, only=(0, 1, 2), outcomes=lambda real, ours: True):
        self.name, self.minimal, self.reason = name, minimal, reason
        self.script = re.compile(script, re.S)
        self.only = only
        self.outcomes = outcomes

    def matches(self, text, real, ours):
        return self.script.search(text) is not None and all(at in self.only for at in range(3) if real[at] != ours[at]) and self.outcomes(real, ours)


def same_lines(at):
    """One of the parts holds the same lines in another order."""
    return lambda real, ours: sorted(real[at].split(b"\n")) == sorted(ours[at].split(b"\n"))


def is_utf8(data):
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


class StrayBytes(Class):
    """Where a file of the script, made by printf, holds bytes that are no characters."""

    def matches(self, text, real, ours):
        files = re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m[1], 8)]), text.encode("utf-8", "surrogateescape"))
        return not is_utf8(files) and super().matches(text, real, ours)


def said(*texts):
    """The real tool's errors hold all of these."""
    return lambda real, ours: all(text in real[2] for text in texts)


CLOSED_INPUT = Class("standard input that is closed", "COMMAND <&-", "which of its calls fails first shows in what a tool says: same status, other words",
                     r"<&-", only=(2,))

FULL_OUTPUT = Class("a full device and a message", "cut -f1 . a > /dev/full", "the real tool's message has tried to write before, and the reason is lost",
                    r"/dev/full|>&-", only=(2,),
                    outcomes=lambda real, ours: real[2] == ours[2].replace(b": No space left on device", b"").replace(b"write error: Bad file descriptor",
                        b"write error"))
CLOSED_OUTPUT = Class("standard output that is closed", "uniq a . >&-", "the file that is opened takes its number", r">&-", only=(2,))

CLASSES = {
    **{name: [Class("the order of a directory's entries", f"{name} -R…", "directories have the order of names here", rf"\b{name}\b", (1, 2), lambda real,
                    ours: all(same_lines(at)(real, ours) for at in (1, 2)))]
       for name in ("chmod", "chown", "chgrp", "mkdir", "install", "rmdir", "tree")},
    **{name: [Class("a wrong word of --backup", f"{name} --backup=x a b", "what could be done at once is done before the word is looked at",
                    r"--backup[= ](x|n)\b|-n|--no-clob", (0, 1, 2)),
              Class("a directory into itself", f"{name} -r d .", "never here; GNU's result depends on the order of entries", r" -[a-zA-Z]*[rRa]|--rec|--arch",
                    (1, 2)),
              Class("the order of a directory's entries", f"{name} -R…", "directories have the order of names here", rf"\b{name}\b", (1, 2), lambda real,
                    ours: all(same_lines(at)(real, ours) for at in (1, 2)))]
       for name in ("cp", "mv", "ln")},
    "rm": [Class("the order of a directory's entries", "rm -rv d", "directories have the order of names here", r"\brm\b", (1, 2), lambda real,
                 ours: all(same_lines(at)(real, ours) for at in (1, 2))),
           Class("the hint for a file whose name is an option", "touch -- -x; rm -x", "says the usual only", r"\brm\b", (2,), lambda real,
                 ours: b"to remove the file" in real[2])],
    "stat": [Class("a width for seconds with a fraction", "stat -c %12.3Y a", "GNU stat puts blanks behind what is longer than the width",
                   r"%[-0]*[0-9]+\.[0-9]*[XYZW]", (1,))],
    "du": [Class("which of several names counts, the order of messages", "ln a b; du", "directories have the order of names here", r"\bdu\b.*", (1, 2),
                 lambda real, ours: same_lines(2)(real, ours))],
    "find": [
        Class("the operands of a comma", "find . -links 1 , -type d",
              "GNU find sorts tests by their cost, across commas, too, and then takes the value of the wrong one", r" , ", (0, 1, 2)),
        Class("a wrong word in front of which nothing is printed", "find . ! ! -name a -maxdepth 1 -warn", "the warning names the test, not the !", r"-warn.*!", (2,)),
        Class("a test of the current time", "find . -printf '%t'", "", r"%[0-9.+-]*(t|T)", (1,), lambda real,
              ours: re.sub(rb"2026\S*", b"", real[1]) == re.sub(rb"2026\S*", b"", ours[1])),
        Class("messages in the order of a directory", "find -L . -name x -delete", "directories have the order of names here", r"\bfind\b", (2,),
              same_lines(2)),
    ],
    "grep": [
        Class("messages in the order of a directory", "grep -r x", "directories have the order of names here",
              r"\bgrep\b.* (-[a-zA-Z]*[rR]|--rec|--deref|-d|--dir)", (2,), same_lines(2)),
        Class("-v with a negative -m", "grep -v -m -1 x", "GNU grep 3.8 selects nothing then", r"(-m|--max\S*)[ =]?-\d"),
        FULL_OUTPUT,
        Class("standard output that is closed", "grep -L x a >&-", "the file that is opened takes its number", r">&-"),
        Class("a NUL in a pattern, with -z", "printf 'b\\0x' > b; grep -z -f b a", "GNU's search of several lines at once looks across their ends",
              r"grep .*-\S*z.*-f|grep .*-f.*-\S*z|null-data.*-f|-f.*null-data", (0, 1)),
        StrayBytes("-P beside bytes that are no characters", "printf '\\377 é' | grep -aoP '\\S'", "GNU grep goes on behind such a byte at another place", r"-\S*P|--perl"),
        Class("-i beside ſ or ı", "echo ' xſ' | grep -iw -e ' ' -e ''", "the regexec under GNU grep loses its place where the capital is shorter",
              r"-\S*[iy].*|--ig", (0, 1, 2), lambda real, ours: b"\xc5\xbf" in real[1] + ours[1] or b"\xc4\xb1" in real[1] + ours[1]),
        Class("-P: \\D, \\S and \\W on characters that are not ASCII", "echo é | grep -oP '\\W'", "the JIT compiler of PCRE2 10.42 does not let them match",
              r"(-\S*P|--perl).*\\[DSWHN]"),
        Class("an interval at the start with -o, --color, -w, -x or a back-reference", "grep -oE '{1}a'", "GNU's two matchers do not agree there",
              r"(^|[('\n|]|-e ?|012)\^?\(*\{"),
        Class("a repeated assertion", "grep -oE '^*a'", "GNU's two matchers do not agree there, nor do locales", r"(\\[bB<>]|[\^$])[*+?{]"),
        Class("a back-reference to what is empty", "grep -E '(){2}\\1'", "the regexec under GNU grep loses track of such a group", r"(\(\\?\)|[*?|{]).*\\[1-9]"),
        Class("the parts that -o and --color show with -w", "echo 'b b' | grep -owF -e b -e ' b'; echo x | grep -owx x",
              "behind a part GNU's next one stands as at the start of the line, and with -x it holds the line's end",
              r"(-\S*w|--word).*(-\S*o|--on|--colou?r)|(-\S*o|--on|--colou?r).*(-\S*w|--word)", (1,)),
        Class("-w with a pattern that can match nothing", "echo ' _' | grep -w ' *'", "GNU tries shorter matches at a place, but not the empty one",
              r"-\S*w.*([*?|]|\{,|\{0|\(\\?\)|''|-f)"),
        Class("what is said of a pattern that is given twice", "grep -E -e +a -e +a", "GNU leaves out patterns that it has", r"", (2,),
              lambda real, ours: set(re.sub(rb":\d+: ", b"", real[2]).split(b"\n")) == set(re.sub(rb":\d+: ", b"", ours[2]).split(b"\n"))),
        Class("a backslash at the end of several plain patterns", "grep -e a -e 'b\\'", "GNU grep searches them as -F does, and the backslash is one", r"\\", (0, 1, 2),
              lambda real, ours: b"Trailing backslash" in ours[2] and b"Trailing backslash" not in real[2]),
    ],
    "sed": [
        Class("a match of nothing before a character of several bytes", "echo é | sed 's/x*/-/g'", "sed breaks the character",
              r"[*?|]|\{|\(\)|s.(\\|134)?[`'<>bB]|//|\^", (1,), lambda real, ours: not is_utf8(real[1]) or b"\\2" in real[1] or
              b"\\o377" in real[1] or sorted(real[1]) == sorted(ours[1])),
        Class("ranges of characters that are not ASCII", "sed -n '/[а-я]/p'", "glibc has no order of characters in C.UTF-8; here it is that of their numbers",
              r"\[.*-", outcomes=said(b"Invalid collation character")),
        Class("bytes above 127 and case, in the locale C", "echo é | LC_ALL=C sed 's/./\\U&/'", "sed makes 255 of them", r"LC_ALL=C.*(\\|134)[uUlL]", (1,),
              lambda real, ours: b"\xff" in real[1] or b"377" in real[1]),
        Class("bytes that are no characters beside \\b and \\B", "printf '\\200a\\n' | sed 's/\\B/-/g'", "stand for themselves", r"(\\|134)[bB<>]", (1,),
              lambda real, ours: not is_utf8(real[1]) or b"\\2" in real[1] or b"\\3" in real[1]),
        Class("bytes that are no characters, and y", "printf '\\303\\n' | sed y/é/a/", "stand for themselves", r"\by.*/", (1,), lambda real, ours: not is_utf8(ours[1])),
        Class("an anchor that is repeated", "printf 'a\\nb\\n' | sed -n '/b\\\\`*/Mp'", "glibc takes some for nothing there, others for what cannot be",
              r"(\\|134)([`'<>bB]|.?047).*[*+?]", (1,)),
        Class("a line's anchor at a newline inside of the match", "printf 'a\\nb\\n' | sed 'N;s/a$\\n/X/'", "glibc takes it for the end of a line, though only where the match goes on",
              r"\$(\.|\[|(\\|134)n)|(\.|\]|(\\|134)n|\*|\+)\^", (1,)),
        Class("which of two faults of an s is told", "sed 's/[:space:]/\\\\2/'", "the expression's first", r"sed", (0, 2),
              outcomes=lambda real, ours: b"invalid reference" in real[2] and b"character class" in ours[2]),
        Class("the option e of s", "sed s/a/b/e", "runs programs, is refused", r"sed", (0, 2), lambda real, ours: b"not supported" in ours[2]),
        Class("an unmatched parenthesis with --posix", "sed --posix -E 's/)//'", "an error, as without; sed takes it for itself", r"--po",
              outcomes=lambda real, ours: b"Unmatched ) or" in ours[2]),
        Class("-z with the flag M", "printf 'a\\nb\\n' | sed -z 's/$/x/M'", "newlines are nothing special then", r"(?=.*(-\w*z|--z|--nul)).*[mM]", (1,)),
        Class("--posix and files of w", "sed --posix 'w /dev/stdout'", "a file with a buffer of its own, which is written when sed ends", r"--po.*/dev/std", (1, 2)),
        Class("what --debug shows of --posix and of \\u", "sed --debug --posix 's/a\\`/b\\u\\x41/'", "GNU's operators stand without a backslash; a stretch of text is one",
              r"--debug.*(--posix|(\\|134)[ul])|--posix.*--debug", (1,), lambda real, ours: b"SED PROGRAM" in real[1]),
        Class("/dev/stdin as a file of r", "sed 'r /dev/stdin' a < b", "a name of the open file here, which is read once; sed opens the file anew each time",
              r"/dev/stdin", (1,)),
    ],
    "xargs": [
        Class("NULs in what is no list of -0", "printf 'a\\0b' | xargs -I{} echo {}x", "GNU's length counts what stands behind the NUL, too", r"\\000", (0, 1, 2)),
        Class("a shell's own messages", "echo \"'\" | xargs -I{} sh -c {}", "sh is the shell itself here, not dash", r"\bsh\b|IFS", (0, 1, 2), lambda real, ours: b"yntax error" in real[2]),
        Class("what children and xargs say at once", "xargs -n1 ls", "they run beside each other", r"\bxargs\b", (2,), same_lines(2)),
    ],
    "tac": [
        Class("separators that are empty", "printf 'é\\n' | tac -r -s 'a*'", "tac looks for one at each byte of a character, but only with some expressions",
              r"-s ?'?a\*|--s\w*[= ]'?a\*", only=(1,)),
        Class("a directory", "tac .", "the host's file system says what cannot be done with it", "tac", only=(2,),
              outcomes=said(b": read error: Invalid argument")),
        CLOSED_INPUT,
        FULL_OUTPUT,
    ],
    "head": [
        Class("a pipe is not read past what is printed", "cat a | head - -", "what follows can be read by others", r"\| head .*- -"),
        FULL_OUTPUT,
        CLOSED_OUTPUT,
    ],
    "tail": [
        CLOSED_OUTPUT,
        FULL_OUTPUT,
        Class("past the end of what can be sought", "tail -c +9223372036854775808 a",
              "the host's file system says so; a virtual file is as long as it needs to be", r"\+922337203685477580", outcomes=said(b"cannot seek")),
    ],
    "rev": [
        Class("no UTF-8", "printf '\\377\\n' | rev", "bytes that are no character count as one each, rev gives the file up", "rev",
              outcomes=said(b"Invalid or incomplete")),
        Class("NUL", "printf 'a\\0b\\n' | rev", "rev loses the line from the NUL on", r"\\000"),
        CLOSED_INPUT,
        FULL_OUTPUT,
    ],
    "join": [
        Class("-j1 FIELD", "join -j1 2 a b", "an obsolete form", r"-j ?[12] ", only=(2,), outcomes=said(b"invalid field number")),
        Class("-o with more in the words behind it", "join - -o 1.1 a -", "which of them is told first", "-o", only=(2,),
              outcomes=said(b"invalid file number in field spec")),
        Class("both files are -", "join - -", "the reason that join gives is whatever call failed last", "join", only=(2,),
              outcomes=said(b"both files cannot be standard input")),
        CLOSED_INPUT,
        FULL_OUTPUT,
    ],
    "nl": [
        Class("after a wrong option", "nl --bogus -n x", "nl goes on and tells what else is wrong", "nl", only=(2,), outcomes=lambda real,
              ours: real[2].startswith(ours[2].split(b"\nTry")[0])),
        CLOSED_INPUT,
        FULL_OUTPUT,
    ],
    "od": [
        Class("a lot of output to a full device", "od -v a > /dev/full", "od tells twice", "/dev/full", only=(2,), outcomes=said(b"write error\n")),
        CLOSED_INPUT,
        FULL_OUTPUT,
    ],
    "column": [
        Class("-W where a character does not fit", "column -t -c 3 -W 1 a", "column never ends", r"-W|--table-w", outcomes=lambda real,
              ours: real[0] == "timeout"),
        Class("-l and separators in a row", "column -t -l 2 a", "column drops what stands behind them", r"^(?!.*(-s|--sep)).*(-l|table-columns-)", only=(1,)),
        Class("-O with a column twice in a row", "column -t -O 1,1 a", "column loses a column",
              r"(-O|--table-o\w*)[ =]?'?(([\w ]+),\3|N,1|1,N|2,long|long name,2|3,é|é,3)", only=(0, 1)),
        Class("-T, -W with control characters", "printf 'a\\tb\\n' | column -t -s '' -T 1 -c 3", "column makes what it cuts off one character that cannot be shown",
              r"-[TW]|--table-[tw]", only=(1,),
              outcomes=lambda real, ours: "\ufffd".encode() in real[1]),
        CLOSED_INPUT,
        FULL_OUTPUT,
    ],
    "hexdump": [
        Class("standard input that cannot be read", "hexdump -C < .", "hexdump names another of its arguments", r"<(&-| \.)", only=(0, 1, 2)),
        Class("%s", "hexdump -e '2/1 \"%s\"' a", "hexdump reads on behind the bytes of the string", r"%[-\d.]*s", only=(1,)),
    ],
    "numfmt": [
        Class("below -999Y", "numfmt --to=si -- -1000000000000000000000000000", "numfmt has no letter for it and prints (error)", r"--to", only=(1,),
              outcomes=lambda real, ours: b"(error)" in real[1]),
        Class("%% in a format", "numfmt --format=%%%f 1", "numfmt loses a byte for each", r"--fo\w*[ =]'?%%", only=(1,)),
        Class("output that cannot be written after a wrong number", "numfmt --header x >&-", "the status is that of the output", r">&-|/dev/full", only=(0, 2)),
        CLOSED_INPUT,
        FULL_OUTPUT,
    ],
    "xxd": [
        Class("usage", "xxd -c x a", "the list of options is in --help", "xxd", only=(2,), outcomes=said(b"Usage:")),
    ],
    "strings": [
        Class("usage", "strings -e q a", "the list of options is in --help", "strings", only=(2,), outcomes=said(b"Usage: strings")),
        Class("-t o with -U", "strings -U x -t o a", "strings prints more than the number", r"-U|--uni", only=(1,), 
              outcomes=lambda real, ours: re.search(rb"\b(4\d{9,10}|1\w{8}) ", real[1]) is not None),
        Class("-N behind an operand", "strings - -6 a", "strings takes the number from another word", r" -\d", outcomes=said(b"invalid minimum string length 0")),
        Class("-n -1", "strings -n -1 a b", "strings crashes", "-1", outcomes=lambda real, ours: real[0] == 139),
        CLOSED_INPUT,
        FULL_OUTPUT,
    ],
    "rg": [
        Class("bytes that are no UTF-8 with --engine", "printf '\\377' > a; rg --engine pcre2 . a", "rg gives the file up; here they match nothing",
              r"--engine|--auto-hyb", outcomes=lambda real, ours: b"PCRE2: error matching" in real[2]),
        Class("\\A", "printf 'a\\na\\n' > a; rg -o '\\Aa' a", "rg finds lines with it that it then shows no match in; here each line is a text of its own",
              r"\\A", only=(0, 1)),
        Class("\\B past ASCII", "printf '\\303\\251\\n' > a; rg -o '\\B' a", "rg finds it in the midst of characters", r"\\B", only=(0, 1)),
        Class("anchors beside bytes that are no UTF-8", "printf 'a\\377\\n' > a; rg -U '(?-m:$)' a", "to PCRE2 a text ends there", r"\\[23]\d\d.*([$^]|\\[zAb])",
              only=(0, 1)),
        Class("-w and what matches in parts, too", "printf 'x\\nabc d\\n' | rg -wo '\\w+'", "rg loses the first character of lines", r"-\w*w|--word", only=(0, 1)),
        Class("-U, -r and -v", "printf 'o\\no\\nx\\n' > a; rg -Uv -r y 'o\\nx' a", "rg replaces in what lies behind the lines", r"(?=.*-\w*U|.*--multi)(?=.*-\w*r|.*--repl)",
              only=(0, 1)),
        Class("an option twice", "rg -v --invert-match a", "rg's parser refuses some of these", "rg", outcomes=said(b"more than once")),
    ],
    "uniq": [CLOSED_INPUT, CLOSED_OUTPUT, FULL_OUTPUT],
    **{name: [FULL_OUTPUT] for name in ("cat", "basename", "dirname", "printf", "seq", "getopt")},
    **{name: [CLOSED_INPUT, FULL_OUTPUT] for name in ("cut", "tr", "comm", "paste", "fold", "fmt", "expand", "unexpand", "base64", "md5sum",
                                                      "sha256sum", "tsort", "envsubst")},
    "ls": [Class("messages in the order of a directory", "ln -s missing a; ln -s missing b; ls -L", "directories have the order of names here", r"\bls\b", (2,),
                 same_lines(2))],
}


def more(names, *classes):
    for name in names:
        CLASSES[name] = CLASSES.get(name, []) + list(classes)


more(("awk",), Class("what gawk cannot name", "awk 'function f(q) { return q } END { f(a[a[1]]) }'", "gawk refuses an array without a name it has made itself", r"awk",
                     outcomes=said(b"`(null)'")))
more(("awk",), Class("what is said of how awk is used", "awk -z", "the help text is whelk's own, and options are read before -v assigns", r"awk",
                     outcomes=lambda real, ours: b"Usage:" in real[2] or b"--help' for more" in ours[2] or b"shared library" in ours[2]))
more(("awk",), Class("a number whose rounding adds a digit", "awk 'BEGIN { printf \"%#.2g\", 99.5 }'", "glibc then loses a zero", r"#",
                     (1,), lambda real, ours: re.sub(rb"1\.0*e", b"1.e", real[1], flags=re.I) == re.sub(rb"1\.0*e", b"1.e", ours[1], flags=re.I)))
more(("awk",), Class("bytes that are no characters", "awk 'BEGIN { print substr(\"a\\303\", 2) }'", "gawk's functions differ in what they take them for", r"\\(303|377)", (1, 2)))
more(("awk",), Class("elements that were never set but looked at", "awk 'BEGIN { print a[1]; print typeof(a[1]) }'", "print makes a string of them in gawk, other uses do not",
                     r"\[", (0, 1, 2), lambda real, ours: re.sub(rb"untyped|unassigned|string", b"", real[1]) == re.sub(rb"untyped|unassigned|string", b"", ours[1])
                     or b"attempt to use scalar `" in real[2]))
more(("awk",), Class("where a wrong program is told to be wrong", "awk 'BEGIN { \"date\" | getline ! y }'", "gawk's tables have read one token more or less", r"awk",
                     (2,), lambda real, ours: all(re.search(rb"\^ |END OF FILE|error: ", side[2]) for side in (real, ours))))
more(("awk",), Class("what sh says", "awk 'BEGIN { system(\"(\") }'", "sh is another shell", r"awk", (2,), lambda real, ours: re.search(rb"^sh: ", real[2], re.M) is not None))
more(("awk",), Class("split by what can match nothing, or by words' borders", "awk 'BEGIN { split(\"abc\", v, /^ */); print v[1] }'",
                     "gawk 5.2.1 then loses a character, and forgets what stands in front of where it looks", r"split\(.*\*/|split\([^;]*\\[y<>]|patsplit\([^;]*/\^", (1,)))
more(("awk",), Class("a match of nothing before a character of several bytes", "awk 'BEGIN { x = \"é\"; gsub(/x*/, \"-\", x); print x }'", "gawk 5.2.1 breaks the character",
                     r"sub\(", (1, 2), lambda real, ours: is_utf8(ours[1]) and (not is_utf8(real[1]) or sorted(real[1]) == sorted(ours[1]))))
more(("awk",), Class("the order of equal elements, and of those behind a negative first key", "awk 'BEGIN { a[-1]; a[1]; a[2]; for (k in a) print k }'",
                     "gawk's order is that of its tables", r"for \(k in a\)|asort", (1,), lambda real, ours: sorted(real[1]) == sorted(ours[1])))
more(("awk",), Class("options that are not available", "awk -M 'BEGIN { print 2^100 }'", "numbers of any size, the profiler and the like are not part of it", r"awk",
                     outcomes=lambda real, ours: b"is not available here" in ours[2]))
more(("awk",), Class("where gawk breaks", "awk 'BEGIN { a[1]; asort(a) }'", "gawk 5.2.1 reads memory that is not there", r"awk", outcomes=lambda real, ours: real[0] == "timeout" or b"internal error" in real[2] or b"cannot reallocate" in real[1]
                     or re.search(rb"::\w+' not defined", real[2]) or (b"\0" in real[1] and b"\0" not in ours[1])))
more(("awk",), Class("the place in a program that includes a file", "awk '@include \"f\"\nBEGIN { nosuch() }'", "gawk 5.2.1 then names the program's text as its file", r"@include",
                     (2,), lambda real, ours: re.sub(rb"awk: @.*?:(\d+: (?:fatal|error|warning))", rb"awk: cmd. line:\1", real[2], flags=re.S) == ours[2]))
more(("awk",), Class("RS that can match nothing", "printf axb | awk 'BEGIN { RS = \"x*\" } { print }'", "gawk 5.2.1 gives records that are not in the input", r"RS ?= ?.(x\*|\^|\$|\\n\|\$)",
                     (0, 1, 2)))
more(("chown", "chgrp"), Class("the owner of what could not be looked at", "ln -s missing l; chgrp -v 0 l", "GNU tells an owner that it has never read",
                               r"-v|--ver|-\w*v", (1,), lambda real, ours: re.sub(rb" from \S+ to ", b" to ", real[1]) == ours[1]))
more(("chmod", "install", "mkdir"), Class("find in a directory that is closed to it", "chmod 0 .; find . -type f", "GNU find goes back to where it was, and says when it cannot",
                                          r"\bfind\b", (2,), lambda real, ours: re.sub(rb"find: Failed to restore[^\n]*\n", b"", real[2]) == ours[2]))
more(("truncate",), Class("past the largest file of the machine", "truncate -s 1E a", "its limit of a file's size is another", r"truncate",
                          outcomes=lambda real, ours: real[0] in (153, -25) or b"overflow extending" in real[2]))
more(("rm",), Class("questions in the order of a directory", "rm -ri d", "directories have the order of names here", r" -\w*[rRiI]|--rec", (1, 2),
                    lambda real, ours: sorted(re.split(rb"\n|\? ", real[2])) == sorted(re.split(rb"\n|\? ", ours[2]))))
more(("du",), Class("after a wrong option", "du -d x -X missing", "du goes on and tells what else is wrong", r"\bdu\b", (2,),
                    lambda real, ours: set(ours[2].split(b"\n")) < set(real[2].split(b"\n"))))
