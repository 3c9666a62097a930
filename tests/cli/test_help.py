"""test_help.py - every option that the real tool's --help names is one of the command's, and is shown by a case or told of as a difference

tests/cases/options.txt holds the real ones (tools/record_options.py).
"""
import pathlib
import re

from cli import main, whelk

TOP = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = TOP / "tests" / "cases" / "options.txt"
ENDS = re.compile(r"[\s|&;()<>`]*[|&;()`\n][\s|&;()<>`]*")
ONE_DASH_WORDS = {"find", "xxd", "dos2unix", "unix2dos", "mac2unix", "unix2mac"}

# One table of options serves all of them: a case of one shows it for the others.
FAMILIES = (("ls", "dir", "vdir"), ("grep", "egrep", "fgrep"), ("dos2unix", "unix2dos", "mac2unix", "unix2mac"), ("hexdump", "hd"), ("chown", "chgrp"),
            ("md5sum", "b2sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum"), ("reset", "tput"), ("base64", "base32", "basenc"), ("awk", "gawk"), ("gzip", "gunzip", "uncompress", "zcat"), ("zgrep", "zegrep", "zfgrep"))


def family(name):
    return next((f for f in FAMILIES if name in f), (name,))


def real_options():
    """{command: {option: takes an argument}}"""
    out = {}
    for line in OPTIONS.read_text(encoding="utf-8").splitlines():
        name, _, rest = line.partition(": ")
        out[name] = {o.rstrip("="): o.endswith("=") for o in rest.split()}
    return out


def run_parts(path):
    """The scripts of a file of cases."""
    part, lines = "", []
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        if line.startswith(("--- ", "=== ")):
            part = line[4:].split(" ")[0] if line.startswith("---") else ""
        elif part in ("run", "args"):
            lines.append(line)
    return "\n".join(lines)


def invocations(scripts):
    """{command: [words behind it]}: roughly, by what parts commands."""
    out = {}
    for command in ENDS.split(scripts.replace("\\\n", " ")):
        words = command.replace("'-\"'", "-\1").replace('"', "").replace("'", "").replace("$(", " ").replace("{", " ").replace("\1", '"').split()
        for at, word in enumerate(words):
            if not word.startswith("-"):
                out.setdefault(word, []).append(words[at + 1:])
    return out


def shown(words, options, name):
    """The options among the words."""
    out = set()
    for word in words:
        if word.startswith("--"):
            given = word.split("=")[0]
            full = [o for o in options if o.startswith(given)]
            out.update([given] if given in options else full)
        elif word in options:
            out.add(word)
        elif name == "find" and re.fullmatch(r"-O\d", word):
            out.add("-Olevel")
        elif word.startswith("-") and name not in ONE_DASH_WORDS:
            for letter in word[1:]:
                if f"-{letter}" not in options and not letter.isdigit():
                    break
                out.add(f"-{letter}")
                if options.get(f"-{letter}"):
                    break
    return out


def help_options(name):
    text = whelk("-c", '"/usr/bin/$1" --help', "bash", name).out.decode("utf-8", "replace")    # the programs: some are builtins too
    return set(re.findall(r"(?<![\w-])(--[A-Za-z0-9][\w-]*|-[A-Za-z0-9][\w-]*|-[^\s\w-])", text))


def test_options_of_the_real_tools():
    cases = "\n".join(run_parts(path) for path in sorted((TOP / "tests" / "cases").glob("*/*.case")))
    used = invocations(cases)
    bad = []
    for name, options in real_options().items():
        have = help_options(name)
        pages = [TOP / "docs" / "divergences" / f"{kin}.md" for kin in family(name)]
        told = shown(re.findall(r"(?<![\w-])-[^\s`,;=\[]+", "".join(page.read_text(encoding="utf-8") for page in pages if page.exists())), options, name)
        seen = set()
        for kin in family(name):
            for words in used.get(kin, []):
                seen |= shown(words, options, name)
        for option in options:
            if option in ("--help", "--version", "-V", "-h") and option in have | {"--help", "--version"}:
                continue
            if option not in have and option not in told:
                bad.append(f"{name} {option}: not in --help")
            elif option not in seen and option not in told:
                bad.append(f"{name} {option}: in no case")
    if bad:
        raise AssertionError(f"{len(bad)} options: " + "; ".join(bad))


if __name__ == "__main__":
    main(dict(globals()))
