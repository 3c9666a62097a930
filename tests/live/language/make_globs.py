"""Patterns: file names, and matching in [[, case, trims and replacements, with every option that changes them."""
from grammar import show_words, single_quoted, statement, word

NAMES = ("a", "b", "ab", "abc", "a.txt", "b.txt", "A", "B.TXT", ".hid", ".x.txt", "a b", "x*y", "[z]", "d/e", "d/f.c", "d/.g", "d/s/t", "s/u", "1", "2", "10", "a-b", "é", "ÿ", "foo", "foobar", "bar", "-n", "a\\b", "Z", "_u", "#h", "q?r", "d2/a", "{m}", "~t", "!w", "日", "a]b", "ünï", "c+c", "(p)")


def tree(g):
    chosen = g.rng.sample(NAMES, g.number(3, 12))
    lines = ["mkdir -p t1 && cd t1 && mkdir -p d/s s d2"]
    lines.append("touch -- " + " ".join(single_quoted(n) for n in chosen))
    if g.chance(0.2):
        lines.append("ln -s d l; ln -s nowhere broken")
    return "\n".join(lines)


END = "[[ $PWD == */t1 ]] && cd .. && rm -rf t1"


def bracket(g):
    inside = "".join(g.pick("a", "b", "a-c", "A-Z", "0-9", "[:alpha:]", "[:digit:]", "[:upper:]", "[:lower:]", "[:punct:]", "[:space:]", "[:alnum:]", "x-", "\\]", "\\-", "é", "a-z", "[.a.]", "[=a=]", "[.-.]", "[:word:]", "[:bogus:]", "*", "?", "\\\\", "-", "'a-c'", '"]"', "$p", "[.hyphen.]", "z-a", "/", ".", "[", "[:", "^", "!", "[:xdigit:]", "[:blank:]", "[:graph:]", "[:cntrl:]", "[:print:]", "ä-ö", "Z")
                     for _ in range(g.number(1, 2)))
    return "[" + g.pick("", "", "!", "^", "]", "!]", "^]") + inside + ("]" if g.chance(0.97) else "")


def extended(g, depth=0):
    return g.pick("?", "*", "+", "@", "!") + "(" + "|".join(pattern(g, depth + 1) for _ in range(g.number(1, 3))) + (")" if g.chance(0.97) else "")


def piece(g, depth):
    if depth < 2 and g.chance(0.2):
        return extended(g, depth)
    return g.pick(lambda: "*", lambda: "?", lambda: bracket(g), lambda: g.pick("a", "b", "c", "foo", "x", "1", "A", ".", ".txt", "ab"), lambda: g.pick("a", "b", "o", "z", "é"), lambda: g.pick("\\*", "\\a", "'*'", '"a"', "'b'", "\\\\", '"?"', "$p", '"$p"', "\\[", "''", "**"))()


def pattern(g, depth=0, low=1):
    return "".join(piece(g, depth) for _ in range(g.number(low, 3)))


def options(g):
    chosen = [o for o in ("extglob", "nullglob", "failglob", "dotglob", "nocaseglob", "globstar", "nocasematch") if g.chance(0.2)] + (["extglob"] if g.chance(0.4) else [])
    lines = [f"shopt -s {' '.join(sorted(set(chosen)))}"] if chosen else []
    off = [o for o in ("globasciiranges", "globskipdots", "patsub_replacement") if g.chance(0.1)]
    if off:
        lines.append(f"shopt -u {' '.join(off)}")
    return lines


RESET = "shopt -u extglob nullglob failglob dotglob nocaseglob globstar nocasematch; shopt -s globasciiranges globskipdots patsub_replacement; unset GLOBIGNORE"


@statement("glob.files")
def files(g):
    def path():
        return g.pick(lambda: pattern(g), lambda: pattern(g), lambda: "*/" + pattern(g), lambda: "d/" + pattern(g), lambda: pattern(g) + "/", lambda: pattern(g) + "/*", lambda: "**", lambda: "**/", lambda: "**/" + pattern(g), lambda: "d/**", lambda: "./" + pattern(g), lambda: ".*", lambda: "./*", lambda: "*.txt", lambda: "../t1/" + pattern(g),
                      lambda: "\\d/" + pattern(g), lambda: "'d'/*", lambda: "d\\/*", lambda: "[d]/*", lambda: "{a,b}*", lambda: "*{.txt,}", lambda: "$p", lambda: "$p*", lambda: '"$p"*', lambda: "**/*/", lambda: "d*/**/t", lambda: "*/*/*", lambda: "[!a]*", lambda: "nosuch*", lambda: "//*"[:1] + "nosuch*", lambda: "l/*", lambda: "d//*", lambda: ".[!.]*", lambda: "*/..", lambda: "*/.", lambda: "?", lambda: "..?")()
    words = g.many(1, 2, path)
    held = g.pick("*", "a*", "?", "[ab]", "x*y", "d/*", "\\*", ".*", "[", "a b*")
    lines = [tree(g), f"p={single_quoted(held)}"] + options(g)
    if g.chance(0.15):
        lines.append("GLOBIGNORE=" + g.pick("'a*'", "'*.txt'", "'*'", "a:b", "'.*'", "'d/*'", "'[ab]'", "''", "'*b:?'", "'d/e'"))
    lines.append(g.pick(show_words(words), show_words(words), f"for i in {words}; do echo \"$i\"; done", f"a=({words}); declare -p a", f"echo {words}", f"x={words.split(' ')[0]}; echo $x; echo \"$x\"", f"set -f; echo {words}; set +f", f"set -- {words}; echo $#", f"[[ -e {words.split(' ')[0]} ]]; echo $?" if "(" not in words else "echo",
                        f"cat < {words.split(' ')[0]}" if "(" not in words else "echo"))
    return "\n".join(lines + [RESET, END])


def subject(g):
    return g.pick(g.value(), "a", "ab", "abc", "foo", "foobar", "A.B", "'a b'", "''", "'[a]'", "'*'", "'\\'", "a-b", "é", "éa", "'a/b'", "aXb", "ababab", "abab", ".a", "'a*b'", "Ab", "'(a)'", "']'", "'-'", "$'\\n'", "'!'", "aab", "10", "日本")


@statement("glob.match")
def matching(g):
    p = pattern(g)
    s = subject(g)
    held = g.pick("*", "a*", "?", "[ab]", "@(a|b)", "\\*", "\\", "[", "+(ab)", "*b", "!(a)")
    lines = options(g) + [f"p={single_quoted(held)} v={s}"]
    for _ in range(g.number(1, 3)):
        p = pattern(g)
        lines.append(g.pick(f"[[ {s} == {p} ]]; echo $?", f"[[ $v != {p} ]]; echo $?", f"case $v in {p}) echo 1;; {pattern(g)}) echo 2;; *) echo 3;; esac", f"case {s} in {p} | {pattern(g)}) echo 1;; *) echo 2;; esac", f'echo "<${{v#{p}}}>" "<${{v##{p}}}>"', f'echo "<${{v%{p}}}>" "<${{v%%{p}}}>"',
                            f'echo "<${{v/{p}/[&]}}>" "<${{v//{p}/X}}>"', f'echo "<${{v/#{p}/X}}>" "<${{v/%{p}/X}}>"', f'echo "<${{v^^{p}}}>" "<${{v,,{p}}}>"', "[[ $v == $p ]]; echo $?", '[[ $v == "$p" ]]; echo $?', "[[ $v = $p* ]]; echo $?", 'case $v in $p) echo 1;; "$p"*) echo 2;; *) echo 3;; esac', 'echo "<${v#$p}>" "<${v%"$p"}>" "<${v//$p/_}>"'))
    return "\n".join(lines + [RESET])


@statement("glob.extended")
def extended_matching(g):
    lines = ["shopt -s extglob", f"v={subject(g)}"]
    for _ in range(g.number(1, 3)):
        p = g.pick("", pattern(g, 1)) + extended(g) + g.pick("", pattern(g, 1))
        lines.append(g.pick(f"[[ $v == {p} ]]; echo $?", f"case $v in {p}) echo 1;; *) echo 2;; esac", f'echo "<${{v#{p}}}>" "<${{v##{p}}}>" "<${{v%{p}}}>" "<${{v%%{p}}}>"', f'echo "<${{v/{p}/X}}>" "<${{v//{p}/<&>}}>"', f"x={single_quoted(p)}; [[ $v == $x ]]; echo $?"))
    return "\n".join(lines + [RESET])


@word("glob.pattern")
def pattern_word(g):
    return "nosuch" + g.pick("*", "?", "[ab]", "*/x", "[a", "[!x]y", "\\*")
