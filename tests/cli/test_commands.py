"""test_commands.py - type, command -v and /usr/bin never name a command that does not run"""
from cli import main, same, whelk


def names():
    return whelk("-c", "ls /usr/bin").out.decode().split()


def test_every_entry_runs():
    """The number that a shell gives for what is not there must not come."""
    script = "".join(f"{n} --help < /dev/null > /dev/null 2>&1; [ $? = 127 ] && echo missing {n}\n"
                     for n in names())
    r = whelk("--limit", "time=50s", "-c", script + "echo end\n")
    same(r.out, b"end\n")


def test_type_agrees():
    script = "".join(f"[ \"$(type -P {n})\" = /usr/bin/{n} ] || echo type {n}\n"
                     f"command -v {n} > /dev/null || echo command {n}\n" for n in names() if n != "[")
    same(whelk("-c", script + "echo end").out, b"end\n")


AGREE = r"""
ls /usr/bin > entries; compgen -b | sort > builtins; compgen -k > keywords; compgen -c | sort -u > all
sort -u entries builtins keywords | diff - all
while read -r n; do
    [[ -f /usr/bin/$n && -x /usr/bin/$n ]] || echo "$n cannot be run"
    [[ $(which -- "$n") == "/usr/bin/$n" && $(type -P -- "$n") == "/usr/bin/$n" ]] || echo "$n is not where which says"
    case $(type -t -- "$n") in
    file) want=/usr/bin/$n ;;
    builtin) want=$n ;;
    *) echo "$n is nothing" ;;
    esac
    [[ $(command -v -- "$n") == "$want" ]] || echo "command -v $n"
done < entries
while read -r n; do
    [[ $(type -t -- "$n") == builtin && $(command -v -- "$n") == "$n" ]] && help -- "$n" > one && [[ -s one ]] || echo "builtin $n"
done < builtins
"""


def test_all_that_tell_names_agree():
    """ls /usr/bin, compgen, which, type, command -v and help."""
    same(whelk("-c", AGREE).out, b"")


def test_what_is_not_there_is_not_named():
    r = whelk("-c", "for n in python3 git gcc perl ssh nosuch; do type $n; command -v $n; which $n; $n; "
                    "echo $?; done 2> /dev/null")
    same(r.out, b"127\n" * 6)


def test_builtins_run():
    script = "for n in $(compgen -b); do case $n in exec|exit|logout|return|break|continue|fg|bg|suspend|read|select) " \
             "continue;; esac; (builtin $n --help) > /dev/null 2>&1 < /dev/null; [ $? = 127 ] && echo missing $n; done; echo end"
    r = whelk("-c", script)
    if b"compgen: command not found" not in r.err:
        same(r.out, b"end\n")


def test_the_first_commands_are_there():
    wanted = ("cat hexdump ls mkdir rmdir rm cp mv ln touch chmod head tail wc sort uniq cut tr tee seq yes sleep env "
              "printenv basename dirname realpath readlink stat mktemp grep sed xargs find date true false expr rev tac "
              "nl sha256sum bash sh timeout which whoami hostname uname id nproc").split()
    have = set(names())
    same([n for n in wanted if n not in have], [])


def test_the_shells_own_are_there():
    wanted = (": . [ alias break cd command continue declare echo eval exec exit export false getopts hash jobs kill "
              "let local mapfile printf pwd read readonly return set shift shopt source test times trap true type "
              "typeset umask unalias unset wait builtin enable disown pushd popd dirs caller").split()
    r = whelk("-c", "for n in " + " ".join(f"'{n}'" for n in wanted) + "; do t=$(type -t \"$n\"); "
                    "[ \"$t\" = builtin ] || echo \"$n $t\"; done")
    same(r.out, b"")


if __name__ == "__main__":
    main(dict(globals()))
