"""Places in which a piece of script can stand: what an error ends depends on where it happens, and how its message begins as well."""
from grammar import single_quoted


def here(name, text, marker="END"):
    """A command that writes text to the file name."""
    return f"cat > {name} <<'{marker}'\n{text}\n{marker}"


def shell_options(g):
    """Options for a shell that a script starts."""
    return g.pick("", "", "", " -e", " -u", " -o posix", " --posix", " -x", " -v", " -n", " -eu", " +e", " -o pipefail", " -O extglob", " -f", " -o nounset", " -a", " -C",
                  " -O expand_aliases", " -O inherit_errexit -e", " -h", " -B", " -p", " --norc", " --noprofile", " -E")


def inner_shell(g, text, options=None):
    """A shell of its own that runs text as a file, as a command or from standard input; its status is told."""
    options = shell_options(g) if options is None else options
    how = g.number(0, 5)
    if how == 0:
        made = here("f.sh", text) + f"\nbash{options} ./f.sh one two"
    elif how == 1:
        made = f"bash{options} -c {single_quoted(text)}"
    elif how == 2:
        made = f"bash{options} -c {single_quoted(text)} name one two"
    elif how == 3:
        made = f"bash{options} <<'END'\n{text}\nEND"
    elif how == 4:
        made = here("f.sh", text) + f"\nbash{options} -s one two < f.sh"
    else:
        made = here("f.sh", text) + f"\n(exec -a sh bash{options} ./f.sh)"
    return made + '\necho "inner=$?"'


def same_shell(g, text):
    """Places inside of one shell. What follows the piece tells whether it was reached."""
    return g.pick(
        lambda: f'{text}\necho "next=$?"',
        lambda: f'(\n{text}\necho "sub=$?"\n)\necho "after=$?"',
        lambda: f'{{\n{text}\necho "group=$?"\n}}\necho "after=$?"',
        lambda: f'fn() {{\n{text}\necho "fn=$?"\n}}\nfn one two\necho "after=$?"',
        lambda: f'fn() (\n{text}\necho "fn=$?"\n)\nfn one two; echo "after=$?"',
        lambda: f'eval {single_quoted(text)}\necho "after=$?"',
        lambda: f'eval {single_quoted(text)}; echo "after=$?"',
        lambda: here("src.sh", f'{text}\necho "src=$?"') + '\n. ./src.sh\necho "after=$?"',
        lambda: here("src.sh", f'{text}\necho "src=$?"') + '\nsource ./src.sh one || echo "or=$?"\necho "after=$?"',
        lambda: f'out=$({text}; echo "cap=$?"); echo "after=$? $out"' if "\n" not in text else f'{text}\necho "next=$?"',
        lambda: f'echo "<$({text})>"\necho "after=$?"' if "\n" not in text else f'{text}; echo "same=$?"',
        lambda: f'if {text}\nthen echo yes\nelse echo "no=$?"\nfi\necho "after=$?"',
        lambda: f'for i in 1 2; do\n{text}\necho "loop=$?"\ndone\necho "after=$?"',
        lambda: f'{text} || echo "or=$?"\necho "after=$?"',
        lambda: f'! {text}\necho "after=$?"',
        lambda: f'trap \'echo "exit=$?"\' EXIT\n{text}\necho "after=$?"',
        lambda: f'trap \'echo "err=$? $LINENO"\' ERR\n{text}\necho "after=$?"',
        lambda: f'command eval {single_quoted(text)}\necho "after=$?"',
        lambda: f'case x in x)\n{text}\necho "case=$?";;\nesac\necho "after=$?"',
        lambda: f'while\n{text}\necho "cond=$?"\nfalse; do break; done\necho "after=$?"',
    )()


def somewhere(g, text):
    """text in a place of a shell of its own, so that nothing that it does ends the script around it."""
    if g.chance(0.15):
        text = same_shell(g, text)
    return inner_shell(g, same_shell(g, text))
