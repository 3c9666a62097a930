"""Prompts: every escape by @P, PS4, prompts of shells without a terminal; history, fc, help and bind in scripts."""
from grammar import single_quoted
from make_functions import statement


def escape(g):
    return g.pick("\\w", "\\W", "\\u", "\\$", "\\#", "\\!", "\\s", "\\v", "\\n", "\\r", "\\e", "\\a", "\\\\", "\\[", "\\]", "\\j", "\\nnn", "\\101", "\\0", "\\07", "\\1012", "\\x41", "\\q", "\\", "\\z", "%", "a", " ", "$x", "$(echo sub)", "${x}", "`echo bq`", "$((1+2))", "é", "~", "'", "\"", "\\D{}", "\\D{%Y-%m}", "\\D{", "\\D", "\\D{%%}", "\\D{x}", "!", "!!", "\\400", "\\8", "$", "\\$x", "\\$(echo no)", "\\\\$x", "\t",
                  "\\V", "\\001", "\\033[1m", "\\D{%n}")


@statement("prompt.escape")
def escapes(g):
    text = g.many(1, 4, lambda: escape(g), "")
    if "\\\\#" in text:
        text = text.replace("\\\\#", "")
    if any(e in text for e in ("\\D{}", "\\D{%Y", "\\D{%")) or "\\D" in text and "{" in text:
        text = "\\D{%%}"
    pre = g.pick("", "", "shopt -u promptvars; ", "PROMPT_DIRTRIM=1; cd d1/d2/d3; ", "cd /usr/bin; ", "HOME=$PWD; ", "HOME=$PWD; cd d1/d2; ", "PROMPT_DIRTRIM=2; cd /usr/share; ", "set -o posix; ", "x='\\w \\u'; ", "x='$(echo deep)'; ", ": & wait; ", "PROMPT_DIRTRIM=-1; cd d1/d2; ", "PROMPT_DIRTRIM=x; cd d1/d2/d3; ", "cd /; ")
    form = g.pick("${P@P}", '"${P@P}"', '"${P@P}" "${#P}"', "\"${a[@]@P}\"", '"${PS1@P}"', '"${1@P}"', '"${*@P}"')
    return f"(mkdir -p d1/d2/d3; x='v w'; {pre}P={single_quoted(text)}; PS1=$P; a=(\"$P\" b); set -- \"$P\"; printf '<%s>' {form}; echo) 2>&1 | tr -d '\\000'; rm -rf d1"


@statement("prompt.script")
def script_prompts(g):
    return g.pick("echo \"${PS1-unset}|${PS2-unset}|${PS3-unset}|${PS4-unset}|${PS0-unset}\"", "(PS0='zero '; echo a)", "(PROMPT_COMMAND='echo pc'; echo a)", "printf 'echo a\\n' | bash -i 2>/dev/null | grep -c a".replace("bash -i", "bash"), "(PS2='cont '; eval 'echo \\\na')", "env PS1=x bash -c 'echo ${PS1-unset}'", "env PS4='- ' bash -xc 'echo a' 2>&1", "(PS4='\\w:$LINENO '; cd /; set -x; echo a) 2>&1", "(PS4='${FUNCNAME-}$(echo q)'; f() { echo f; }; set -x; f) 2>&1", "(shopt -u promptvars; PS4='$x '; set -x; echo a) 2>&1")


@statement("history.script")
def history(g):
    return "(" + g.pick("history", "history 5", "history -c; history", "history x", "history -d 1", "history -d x", "history -d", "history -w h; cat h", "history -r missing", "history -a", "history -n", "history -s a b; history", "history -p 'a b'", "history -p '!!'", "history -z", "history -d -1", "history -ra", "history -rw", "history -anrw", "history 1 2", "history -s one; history -s two; history -d 1; history", "history -s one; history -s two; history 1", "history -s one; history -s two; history -w h; cat h; history -c; history -r h; history", "history -s a; history -d 1-1; history", "history -s a; history -s b; history -d 1-2; history", "history -s a; history -d 5", "history -s a; history -d 2-1", "history -s a; history -p '!a' '!!:0'; history", "HISTTIMEFORMAT='%%'; history -s a; history", "history -s 'a\nb'; history", "history -s a; history -s a; HISTCONTROL=ignoredups; history -s a; history", "HISTSIZE=2; history -s a; history -s b; history -s c; history", "HISTSIZE=0; history -s a; history", "history -- 3", "history -c -s x; history", "history -s; history", "set -o history; echo a; history", "set -o history; HISTFILE=h; echo x; history -w; cat h", "history -w /nosuch/h", "history -d 0", "history -s a b; history -d 99999999999999999999", "history --help | head -2", "history ''", "history -1", "history +2", "HISTIGNORE='b*'; history -s b1; history -s c1; history", "history -p", "history -s -x; history", "history -d 1 2", "history -p '!nosuch'; echo $?") + "; echo $?) 2>&1; rm -f h"


@statement("fc.script")
def fc(g):
    return "(FCEDIT=true; " + g.pick("fc", "fc -l", "fc -l 1", "fc -ln", "fc -lr", "fc -s", "fc -s a=b", "fc -e", "fc -e true", "fc -x", "fc -l x", "history -s a b; fc -l", "history -s a b; history -s c d; fc -l 1 2", "history -s a b; history -s c d; fc -lr", "history -s a b; history -s c d; fc -ln 1", "history -s 'echo hi'; fc -s", "history -s 'echo hi'; fc -s hi=ho", "history -s 'echo hi'; history -s x; fc -s echo", "history -s 'echo hi'; fc -s nosuch", "history -s 'echo hi'; fc -l nosuch", "history -s 'echo hi'; fc -l -1", "history -s a; fc -l 5", "history -s a; fc -l 0", "history -s a; history -s b; fc -l -2 -1", "history -s a; history -s b; fc -l b a", "history -s 'echo e'; fc -e cat", "history -s 'echo e'; fc -e - 1", "history -s 'echo e'; FCEDIT=cat; fc", "history -s 'echo e'; EDITOR=cat; fc 1", "fc -lnr", "fc -e true nosuch", "fc -l 1 2 3", "fc --help | head -2", "history -s a; fc -l -- 1", "history -s aa ab; fc -s a=b", "set -o history; echo a; fc -l", "history -s 'a\nb'; fc -l", "history -s 'a\nb'; fc -ln") + "; echo $?) 2>&1"


@statement("help.script")
def helps(g):
    return "(" + g.pick("help -d cd", "help -s cd pwd", "help -s", "help nosuch", "help -x", "help -d nosuch", "help -s nosuch cd", "help -d 'c*'", "help -s 'c[ad]*'", "help -m nosuch", "help -d 'nosuch*'", "help -ds cd", "help -s if", "help -s '(('", "help -s :", "help -d .", "help -s ''", "help -s -- cd", "help -s %", "help -s for", "help -s '{'", "help -s '*'", "help -s [", "help -s '[['", "help -s test", "help -s variables", "help -d var", "help -s e", "help -s ex", "help -s fun") + " | head -n 12; echo ${PIPESTATUS[0]}) 2>&1"


@statement("bind.script")
def bind(g):
    return "(" + g.pick("bind", "bind -x", "bind -z", "bind -q abort", "bind -q nosuch", "bind -u abort", "bind -u nosuch", "bind -r '\\C-a'", "bind -m nosuch", "bind -m vi", "bind -m emacs -q abort", "bind -f missing", "bind '\"\\C-t\": abort'", "bind '\"x\": \"y\"'; bind -s", "bind 'nosuch'", "bind '\"x'", "bind 'set nosuch on'", "bind 'set bell-style none'", "bind -l | head -n 3", "bind -v | head -n 3", "bind -V | head -n 3", "bind -p | head -n 3", "bind -P | head -n 3", "bind -S | head -n 3", "bind -x '\"\\C-t\": echo'; bind -X", "bind -x nosuch", "bind -m", "bind -q", "bind --help | head -n 2", "bind -lv | head -n 2", "bind ''", "bind -q accept-line", "bind -m vi-command -q abort") + "; echo $?) 2>&1"
