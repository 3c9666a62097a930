"""test_limits.py - what must not hurt: each ends with a limit's line and status, within the limit"""
import json
import os
import re
import resource
import subprocess

from cli import WHELK, SECONDS, holds, main, same, scratch, whelk

NUL = open("/dev/null", "rb")  # pylint: disable=consider-using-with


def limit(script, line, *options, status=125, keeps=b""):
    """The run ends by the limit whose line is given; what was printed before stays."""
    r = whelk(*options, "-c", script)
    holds(line, r.err)
    same(r.status, status, script)
    if keeps:
        same(r.out[:len(keeps)], keeps)
    return r


def run_file(text):
    """The script from a file: argument lists end at 128 KiB."""
    with scratch() as top:
        path = os.path.join(top, "s")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return whelk("--limit", "time=20s", path)


def test_time():
    limit("echo a; while :; do :; done", b"time limit reached", "--limit", "time=200ms", status=124, keeps=b"a\n")
    limit("echo a; sleep 100", b"time limit reached", "--limit", "time=0.2s", status=124, keeps=b"a\n")


def test_loops_inside_commands():
    for script in ("yes > /dev/null", "cat /dev/zero > /dev/null", "tail -f /dev/null", "seq inf > /dev/null",
                   "head -c 1000G /dev/zero > /dev/null", "wc /dev/zero", "tr a b < /dev/zero > /dev/null",
                   "tee < /dev/zero > /dev/null", "cut -c 1 /dev/zero", "uniq /dev/zero", "read -r -d x < /dev/zero",
                   "sort /dev/zero", "grep x /dev/zero", "rev /dev/zero", "tac /dev/zero", "nl /dev/zero",
                   "sha256sum /dev/zero", "xargs < /dev/zero", "mapfile < /dev/zero", "x=$(cat /dev/zero)",
                   "tail /dev/zero", "yes | xargs -n 1 true", "yes | while read -r x; do :; done",
                   "for ((;;)); do :; done", "until false; do x=$(echo a); done", "f() { while :; do f2; done; }; f2() { :; }; f",
                   "sed ':a;ba' <<< x", "sed ':a;s/x/x/;ta' <<< x", "yes | sed -n p", "yes | sed s/x/y/ > /dev/null",
                   "hexdump /dev/zero", "hexdump -v /dev/zero > /dev/null",
                   "sed 'G;D' <<< x", "timeout 1000 yes > /dev/null", "env yes > /dev/null", "find / -exec sleep 1000 \\;",
                   "printf '%d\\n' {1..3} | while :; do :; done", "wait < <(sleep 1000); sleep 1000"):
        r = whelk("--limit", "time=300ms", "--limit", "memory=64M", "-c", script)
        if r.status == 127 and b"command not found" in r.err:
            continue
        same(r.status in (124, 125), True, f"{script}: {r.status} {r.err[-200:]}")
        holds(b"limit reached", r.err)


def test_steps():
    limit("echo a; while :; do :; done", b"step limit reached", "--limit", "steps=10000", keeps=b"a\n")


def test_work_is_counted_by_its_size():
    """What goes through a long value or list is many steps, so that the limits are looked at."""
    text = "x=$(head -c 1000000 /dev/zero | tr '\\0' a); "
    array = "a=({1..20000}); "
    for start, work in ((text, "y=${x^^}"), (text, "y=${x,,[a]}"), (text, "y=${x@Q}"), (text, "y=${x@P}"), (text, "y=$x"),
                        (text, ": \"$x\""), (text, ": $x"), (text, "y=${#x}"), (text, "y=${x:99:1}"), (text, "y=${x#b}"),
                        (text, "[[ $x < $x ]]"), (array, 'b=("${a[@]}")'), (array, "y=${a[*]}"), (array, ': "${a[@]^}"'),
                        (array, ': "${a[@]@Q}"'), (array, "y=${a[@]:1:1}"), (array, "y=${!a[*]}")):
        r = limit(f"{start}while :; do echo; {work}; done", b"step limit reached", "--limit", "steps=2000000")
        same(0 < len(r.out) < 700, True, f"{work}: {len(r.out)} turns")
    for work in ("split -b 1 f", "split -l 1 f", "split -n 30000 f"):
        limit(f"head -c 30000 /dev/zero | tr '\\0' '\\n' > f; {work} -a 4", b"step limit reached", "--limit", "steps=5000")


def test_output():
    r = limit("yes", b"output limit reached", "--limit", "output=100K", keeps=b"y\ny\n")
    same(len(r.out) <= 100 * 1024, True)
    same(len(r.out) > 50 * 1024, True, "bytes kept")


def test_memory():
    for script in ("x=aaaaaaaa; while :; do x=$x$x; done", "echo {1..999999999}",
                   "a=(); while :; do a+=(\"$RANDOM some text that takes room\"); done",
                   "x=$(head -c 100000000 /dev/zero | tr '\\0' a); echo ${#x}",
                   "declare -A h; i=0; while :; do h[$i]=$i; ((i++)); done",
                   "printf -v x '%0100000000d' 1; echo ${#x}", "f=x; while :; do f+=$f; eval \"$f() { :; }\"; done",
                   "x=$(printf '%*s' 100000000 ''); echo ${#x}", "IFS= read -r -d '' x < <(yes); echo no",
                   "sed -n ':a;s/.*/&&/;ta' <<< x", "yes | sed -n H", "sed ':a;N;ba' < <(yes) > f"):
        r = whelk("--limit", "memory=16M", "--limit", "time=50s", "-c", "echo a; " + script)
        same(r.status in (1, 2, 125), True, f"{script}: status {r.status} {r.err[-200:]}")
        holds(b"limit", r.err) if r.status == 125 else None
        same(r.out[:2], b"a\n")
        same(len(r.out) < 100, True, script)


def test_memory_of_the_process():
    """A 64 MB limit is a limit of the host's memory too."""
    def bound():
        resource.setrlimit(resource.RLIMIT_DATA, (400 << 20, 400 << 20))
    if "AddressSanitizer" in str(subprocess.run(["nm", "-D", WHELK], capture_output=True, check=False).stdout) or \
            b"__asan_init" in subprocess.run(["nm", WHELK], capture_output=True, check=False).stdout:
        return
    done = subprocess.run([WHELK, "--limit", "memory=64M", "-c", "x=aaaaaaaa; while :; do x=$x$x; done"],
                          stdin=NUL, capture_output=True, timeout=SECONDS, preexec_fn=bound, check=False,
                          env=dict(os.environ))
    same(done.returncode, 125)
    holds(b"memory limit reached", done.stderr)


def test_endless_recursion():
    for script in ("f() { f; }; f", "e() { eval e; }; e", "f() { g; }; g() { f; }; f", "f() { ( f ); }; f",
                   "f() { x=$(f); }; f", "f() { f | cat; }; f", "echo '. ./s' > s; . ./s",
                   "x='eval \"$x\"'; eval \"$x\"", "f() { local a=1; [[ a ]] && f; }; f",
                   "f() { case a in a) f;; esac; }; f", "f() { for i in 1; do f; done; }; f",
                   "f() { time f; }; f", "f() { f < <(:); }; f", "f() { ${1:-f} <<< x; }; f",
                   "a='a[a]'; echo $((a))", "trap f EXIT; f() { f; }; exit", "trap f DEBUG; f() { f; }; :",
                   "trap f ERR; f() { false; f; }; set -E; false", "alias a='b' b='a'; f() { eval 'f'; }; f",
                   "command_not_found_handle() { nosuch; }; nosuch", "echo 'bash s' > s; bash s"):
        r = whelk("--limit", "time=20s", "--limit", "memory=256M", "-c", "echo a; " + script)
        same(r.out[:2], b"a\n", script)
        same(r.status not in (0, 124), True, f"{script}: status {r.status} {r.err[-200:]}")


def test_aliases_without_end():
    """The parser alone is at work, on little memory."""
    for value in ("$'a'$((i + 1))$'\\na'$((i + 1))", '"a$((i + 1)) a$((i + 1)) "'):
        limit("echo a; shopt -s expand_aliases; for i in {0..40}; do alias a$i=" + value + "; done; alias a41=' '\neval a0",
              b"time limit reached", "--limit", "time=200ms", status=124, keeps=b"a\n")


def test_traps_without_end():
    for script in ("trap 'kill -USR1 $$' USR1; kill -USR1 $$; echo no",
                   "trap 'kill -USR2 $$' USR1; trap 'kill -USR1 $$' USR2; kill -USR1 $$; echo no"):
        r = whelk("--limit", "time=1s", "-c", "echo a; " + script)
        same((r.out, r.status in (124, 125)), (b"a\n", True), script)


def test_depth():
    """The rivals crash at 60 or at 100,000."""
    rec = 'f() { (( $1 )) && f $(($1 - 1)); return 0; }; echo a; f %d; echo "b $?"'
    same(whelk("-c", rec % 60).out, b"a\nb 0\n")
    same(whelk("-c", rec % 9000).out, b"a\nb 0\n")
    limit(rec % 100000, b"call depth limit reached", keeps=b"a\n")
    same(whelk("--limit", "depth=200000", "--limit", "memory=4G", "-c", rec % 100000).out, b"a\nb 0\n")


def test_small_stack():
    """The depth does not hang on the host's stack."""
    def bound():
        resource.setrlimit(resource.RLIMIT_STACK, (256 << 10, 256 << 10))
    done = subprocess.run([WHELK, "-c", 'f() { (( $1 )) && f $(($1 - 1)); return 0; }; f 9000; echo $?'], stdin=NUL,
                          capture_output=True, timeout=SECONDS, preexec_fn=bound, check=False)
    same(done.stdout, b"0\n")


def test_nesting():
    for opening, middle, closing in (("echo $(", "echo x", ")"), ("( ", "echo x", " )"), ("{ ", ":", "; }"),
                                     ("if :; then ", ":", "; fi"), ("echo ${x:-", "y", "}"),
                                     ("echo $((", "1", "))"), ("(( ", "1", " ))"),
                                     ("echo \"$(", "echo x", ")\""), ("case a in a) ", ":", ";; esac"),
                                     ("while ", "false", "; do :; done"), ("f() { ", ":", "; }"), ("echo <(", ":", ")")):
        for n in (2000, 10000):
            r = run_file("echo a\n" + opening * n + middle + closing * n)
            same(r.status not in (0, 124), True, f"{opening}: status {r.status}")
            same(r.out[:2], b"a\n", opening)
    same(run_file("echo $((" + "(" * 20000 + "1" + ")" * 20000 + "))").status != 0, True)
    for text in ("echo $((" + "!" * 50000 + "1))", "[[ " + "! " * 50000 + "a ]]",
                 "echo " + "{a," * 20000 + "b" + "}" * 20000, "[[ a " + "&& b " * 50000 + "]]",
                 "echo $((1" + "+1" * 50000 + "))", ":" + " && :" * 50000, ":" + " | :" * 5000,
                 "! " * 50000 + ":", "echo $((1" + "?1:1" * 20000 + "))", "echo $((1" + "**1" * 20000 + "))",
                 "x" + "=x" * 20000, "echo ${" + "!" * 20000 + "x}", "a" + "[a" * 20000 + "]" * 20000 + "=1"):
        same(run_file("echo a\n" + text).out[:2], b"a\n", text[:40])


def test_fork_bomb():
    r = whelk("--limit", "tasks=50", "--limit", "time=5s", "-c", "echo a; b() { b | b & }; b; wait; sleep 0.3; echo end")
    same(r.out[:2], b"a\n")
    holds(b"fork: ", r.err)
    holds(b"Resource temporarily unavailable", r.err)
    for bomb in ("f() { f & f & wait; }; f", ":() { :|:& }; :; sleep 5", "b() { b | b; }; b", "b() { : $(b & b); }; b",
                 "f() { for i in {1..100}; do f & done; wait; }; f", "while :; do sleep 1000 & done",
                 "echo 'bash s & bash s & wait' > s; bash s"):
        o = json.loads(whelk("--json", "--limit", "tasks=60", "-c", "echo kept > k; " + bomb + "; echo end").out)
        same((o["stop"], o.get("limit"), o["status"], o["stdout"]), ("limit", "tasks", 125, ""))
        holds("process limit reached\n", o["stderr"])
        same(o["stderr"].count("limit reached"), 1)
        same(o["files"][-1]["path"][-2:] in ("/k", "/s"), True)
    # One that merely meets the limit sees an error.
    r = whelk("--limit", "tasks=10", "-c", "for i in {1..30}; do sleep 5 & done 2> /dev/null; ls; echo $?; kill $(jobs -p); wait; echo on")
    same(r.out, b"254\non\n")
    holds(b"fork: Resource temporarily unavailable", r.err)
    r = whelk("--limit", "tasks=20", "-c", "for i in {1..100}; do sleep 5 & done 2> e; kill $(jobs -p); wait; read -r l < e; echo \"$l\"")
    holds(b"fork: ", r.out + r.err)


def test_descriptors():
    r = whelk("-c", "for i in {1..5000}; do exec {fd}< /dev/null || break; done; echo $i; echo more")
    holds(b"Too many open files", r.err)


def test_files():
    r = whelk("--limit", "files=1M", "-c", "head -c 5M /dev/zero > big; echo $?; rm big; echo small > f && cat f")
    holds(b"No space left on device", r.err)
    same(r.out, b"1\nsmall\n")
    r = whelk("--limit", "inodes=2000", "-c", "for i in {1..5000}; do : > f$i || break; done; echo end")
    holds(b"No space left on device", r.err)


def test_files_and_output_stay():
    o = json.loads(whelk("--json", "--limit", "steps=20000", "-c", "echo kept > f; echo out; while :; do :; done").out)
    same((o["stop"], o["limit"], o["stdout"]), ("limit", "steps", "out\n"))
    same(o["files"], [{"change": "added", "path": "/home/user/f"}])


def test_a_limit_cannot_be_caught():
    r = whelk("--limit", "steps=5000", "-c", "trap 'echo no' EXIT ERR; (while :; do :; done) || echo no; echo no")
    same((r.out, r.status), (b"", 125))


def sanitized():
    return b"__asan_init" in subprocess.run(["nm", WHELK], capture_output=True, check=False).stdout


def test_streams_in_constant_memory():
    amount = "50M" if sanitized() else "1G"
    o = json.loads(whelk("--json", "--limit", "memory=4M", "-c", f"cat /dev/zero | head -c {amount} | wc -c").out)
    same((o["status"], o["stdout"].strip()), (0, str(50 << 20 if amount == "50M" else 1 << 30)))
    same(o["memory_peak"] < 2 << 20, True, f"peak {o['memory_peak']}")


def test_refused_mappings():
    """The host gives no more address space: an error of fork, never a crash."""
    if sanitized():
        return
    script = "for i in {1..2000}; do sleep 100 & done 2> e; read -r l < e; echo \"$l\"; kill $(jobs -p); wait; echo end"

    def run(space):
        def bound():
            resource.setrlimit(resource.RLIMIT_AS, (space, space))
        return subprocess.run([WHELK, "--limit", "tasks=5000", "--limit", "time=30s", "-c", script], stdin=NUL,
                              capture_output=True, timeout=SECONDS, preexec_fn=bound, check=False)
    for space in (40 << 20, 60 << 20, 90 << 20):
        done = run(space)
        if done.returncode in (2, 125, 127):  # too little for the program itself, or for its heap
            continue
        same(done.returncode >= 0, True, f"signal {done.returncode}")
        holds(b"Resource temporarily unavailable", done.stdout + done.stderr)


def test_file_size_limit_of_the_host():
    """Files of a mount that outgrow the host's own limit are errors, never SIGXFSZ."""
    def bound():
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
    script = ("head -c 5000 /dev/zero > /m/a; head -c 5000 /dev/zero >> /m/a; echo $?; stat -c %s /m/a; "
              "truncate -s 9000 /m/a; echo $?; head -c 10000 /dev/zero > /m/b; echo $?; stat -c %s /m/b; echo end")
    with scratch() as d:
        done = subprocess.run([WHELK, "--mount", f"{d}:/m:rw", "--user", f"u:{os.getuid()}", "-c", script],
                              stdin=NUL, capture_output=True, timeout=SECONDS, preexec_fn=bound, check=False)
    same(done.stdout, b"1\n8192\n1\n1\n8192\nend\n", done.stderr)
    same(done.stderr.count(b"File too large"), 3)


def test_every_small_memory():
    """Whatever the moment at which memory ends: an orderly end, and no leak under the sanitizers."""
    script = ("a=(1 2 3); declare -A h=([k]=v); f() { local x=$1; echo \"${x^^}\" | tr A-Z a-z; }; f hello > o; "
              "read -r l < o; for i in {1..20}; do h[$i]=$(echo $i); done; case $l in h*) (cd /tmp; pwd);; esac; "
              "trap 'echo bye' EXIT; cat <(echo sub) <<< x; [[ $l =~ (l+) ]]; eval 'echo ${BASH_REMATCH[1]}'; echo done")
    seen = set()
    for kib in list(range(60, 420, 6)) + [600, 2000, 8000]:
        r = whelk("--limit", f"memory={kib}K", "--limit", "time=20s", "-c", script)
        seen.add(r.status)
        same(r.status in (0, 1, 2, 125, 254), True, f"{kib} KiB: status {r.status} {r.err[-200:]}")
    same(0 in seen, True)


def test_regular_expressions():
    r = whelk("--limit", "time=10s", "-c", "x=$(printf 'a%.0s' {1..20000}); [[ $x =~ ^(a|aa)+$ ]] && echo yes; [[ ${x}b =~ ^((a*)*)*$ ]] || echo no")
    same(r.out, b"yes\nno\n")


HARD = [("(a*)*b", 1), ("(a|aa)+$", 1), ("(a+a+)+y", 1), ("((a{1,30}){1,30}){1,30}$", 1), ("(.*a){20}b", 1), ("((a*)*)*\\2y$", 1), ("^(a|aa)+\\1$", 1),
        ("((a{1,100}){1,100}){1,100}", 2), ("^(.*)(.*)(.*)(.*)\\1\\2\\3\\4y", 2)]


def test_hard_patterns():
    """Each ends soon: with the right answer (1: no match in a row of a's and a c), or with an error (2)."""
    for pattern, status in HARD:
        basic = re.sub(r"[(){}+|]", r"\\\g<0>", pattern)
        script = f"""a=$(printf 'a%.0s' {{1..400}})cy p='{pattern}'; [[ $p == *4y ]] || a=${{a%y}}x
            echo $a > f; mkdir d; touch d/${{a: -200}}
            grep -E "$p" f; echo grep $?
            sed -nE "/$p/p" f; echo sed $?
            expr $a : '{basic}' | grep -c a; echo expr ${{PIPESTATUS[0]}}
            cd d; find * -regextype posix-extended -regex "$p"; echo find $?
            ( [[ $a =~ $p ]]; echo cond $? )"""
        r = whelk("--limit", "time=30s", "-c", script)
        wanted = {1: b"grep 1\nsed 0\n0\nexpr 1\nfind 0\ncond 1\n", 2: b"grep 2\nsed"}[status]
        if status == 1:
            same(r.out, wanted)
        else:
            same(r.out[:len(wanted)], wanted, pattern)
            same([said for said in (b"sed 0", b"expr 1", b"find 0", b"cond 1") if said + b"\n" in r.out], [], pattern)


def test_hard_patterns_of_perl():
    for pattern, said in (("(a*)*b", b"1\n"), ("(a|aa)+$", b"2\n"), ("(a+)+$", b"2\n"), ("((a{1,100}){1,100}){1,100}", b"2\n")):
        r = whelk("--limit", "time=30s", "-c", f"printf 'a%.0s' {{1..4000}} > f; echo c >> f; grep -P '{pattern}' f; echo $?")
        same(r.out, said)


def test_many_words():
    script = """seq 50000 | sed 's/^/w/' > w; paste -sd'|' w > p; seq 40000 60000 | sed 's/^/w/' > f
        for o in '-cF -f w' '-cxF -f w' '-cwF -f w' '-ciF -f w' '-cE -f p' '-cxE -f p' '-cP w50000|w4'; do grep $o f; done
        sed -nE "$(echo "/^($(<p))\$/p")" f | wc -l; head -n 300 f | awk -v p="^($(<p))\$" '$0 ~ p { n++ } END { print n }'
        grep -oE -f p f | sort -u | wc -l"""
    same(whelk("--limit", "time=60s", "-c", script).out, b"20001\n10001\n10001\n20001\n20001\n10001\n10001\n10001\n300\n11002\n")


if __name__ == "__main__":
    main(dict(globals()))
