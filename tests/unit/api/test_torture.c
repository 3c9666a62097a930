/* test_torture.c - scripts with every allocation of the session failing in turn: no crash, no leak,
 * and a session that works afterwards
 */
#include "api/internal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *const scripts[] = {
    "echo hi",
    "x=1 y=2; z=$x$y; echo \"$z\" ${z:-d} ${#z} ${z/1/9} ${z^^}",
    "f() { local a=1 b=(1 2); local -i c=3; g; echo $a $c; }; g() { a=2; }; f; declare -p a",
    "echo one > f; echo two >> f; cat < f; { echo e >&2; } 2> g; wc -l f g",
    "exec 3> out; echo x >&3; exec 3>&-; cat out",
    "A=1 B=2 env | grep -c '^[AB]='; A=3 eval 'echo $A'; PATH=/bin:$PATH command -v ls",
    "cat <<E\nvalue $((1 + 2)) $(echo in)\nE\ncat <<'Q'\n$raw\nQ\ncat <<<\"word $x\"",
    "a=(1 2 3); a+=(4); a[9]=x; unset 'a[1]'; echo ${a[@]} ${!a[@]} ${#a[@]} \"${a[@]:1:2}\"",
    "declare -A m=([k]=v [l]=w); m[x]=y; for k in \"${!m[@]}\"; do echo $k=${m[$k]}; done | sort",
    "printf '%s\\n' c a b | sort | uniq -c | tr a-z A-Z",
    "seq 100 | while read -r n; do ((n % 50 == 0)) && echo $n; done",
    "x=$(echo $(echo deep) `echo old`); echo $x; (x=2; echo $x); echo $x",
    "trap 'echo bye' EXIT; trap 'echo err' ERR; false; trap 'echo d' DEBUG; :; trap",
    "mkdir d; touch d/a d/b d/.c; shopt -s extglob globstar; echo d/* **/a d/!(a); rm -r d",
    "IFS=: read -r a b c <<< 'x:y:z:w'; echo $a $c; read -a arr <<< 'p q'; echo ${arr[1]}",
    "printf '%5d|%-5s|%q|%(%Y)T|%b\\n' 3 ab 'c d' 0 'x\\ty'; printf -v v %x 255; echo $v",
    "for i in a bc def; do case $i in a) echo A;; b*) echo B;;& *c) echo C;; *) echo D; esac; done",
    "[[ abc123 =~ ^([a-z]+)([0-9]+)$ ]] && echo ${BASH_REMATCH[@]}; [[ x == [wxy] ]] && echo in",
    "sleep 0 & wait $!; { echo a; sleep 0; echo b; } & wait; jobs",
    "mapfile -t l < <(printf '1\\n2\\n'); echo ${l[@]}; echo x | tee >(cat > p) > q; cat q",
    "set -- a 'b c' d; shift; echo $# \"$@\" \"${*}\"; for x; do echo $x; done; getopts ab: o -a",
    "declare -n r=t; r=5; echo $t ${!r}; readonly t; t=6; echo $?; unset r",
    "echo {a,b}{1..3} ~ $'\\x41\\u00e9' $\"l\"; alias q='echo al'; alias; type q f cd",
    "eval 'f() { return 3; }'; f; echo $?; set -e; (false; echo no); echo after",
    "echo 'echo sourced $1' > s; . ./s arg; bash ./s z; sh -c 'echo $0 $1' n m; cd /; pwd",
    "coproc { read l; echo got $l; }; echo hi >&${COPROC[1]}; read x <&${COPROC[0]}; echo $x",
    "select s in a b; do echo $s; break; done <<< 1; set -x; : traced; set +x; time :",
    "printf '1\\n2\\n3\\n' > q; sed -i.b -e '2{s/2/\\u&x/w w' -e '}' -e 'y/é3/e4/;1!G;h;$!d;:a' -e "
    "'s/^.\\{1,3\\}$/ &/;ta' q; sed -s 'R q\nr w\na x\n$!N;P;D' q w; sed -n '/1/,/3/{/2/!p;l;F};$=;W v' q",
    "seq 9 > q; hexdump -C q; echo '4/1 \"%02x \" \"\\n\"' > f; hexdump -f f -e '1/8 \"%g|\"' -s 2 q",
    "cat > f <<< 'b 2'; sed s/b/c/ f; awk '{print $2, $1}' f; grep -n b f; cut -d' ' -f1 f",
    "echo *; : > é; echo ?; case x in @(x|y)) echo ${BASH_VERSINFO[@]};; esac; pushd /; popd; dirs",
    "x=abcabc; echo ${x//b/[&]} ${x^^[a-b]} ${x@Q} ${x@A} ${x:1:2} ${x#*b} ${x%%b*} ${!x*} ${x@P}",
    "a=(3 1 2); b=(\"${a[@]/1/x}\" [9]=q); a+=([1]+=z); declare -p a b; unset a; printf '%s,' "
    "\"${b[@]^}\"",
    "printf '%s\\n' b a a c > f; sort -r f | uniq -d; join f f; comm f f; paste f f; nl f; tac f; "
    "rev f",
    "head -c 3000 /dev/zero > f; split -b 999 f; od f | tail -n 1; md5sum x*; base64 f | fold -w 9 "
    "| wc",
    "mkdir -p a/b; ln -s b a/l; ln -s ../x a/m; ls -lR a; stat a/l; realpath a/l; cp -a a c; rm -r "
    "a; find c",
    "trap 'echo u; trap - USR1' USR1; kill -USR1 $$; (trap 'echo x' EXIT; exit 3); echo $?; kill "
    "-l 9",
    "sleep 9 & sleep 9 & kill %1; kill $!; wait %1; jobs -l; wait; { sleep 9; } & disown; timeout "
    ".001 cat",
    "date -d '2020-01-31 1 month' +%F; seq -w 8 11; numfmt --to=iec 5000; expr 9 \\* 9; shuf -e a; "
    "id -un",
    "printf 'a b\\nc\\n' | xargs -n 1 echo +; ls | xargs -I{} echo {}{}; find / -maxdepth 1 -exec "
    "echo {} +",
    "grep -nE '(a|b)+x?' <<< $'ab\\nc'; grep -oP 'a(?=b)' <<< ab; [[ ab =~ (.)\\1? ]]; expr abc : "
    "'a\\(.\\)'",
    "compgen -W 'aa ab b' a; complete -W x f; complete -p; bind 2> /dev/null; help > /dev/null; "
    "enable -p | head -1",
    "eval 'case a in'; eval 'f() {'; eval 'x=('; eval '${x!}'; echo $((1/0)); echo ${u?no}; echo "
    "after",
    "set -o pipefail; shopt -s lastpipe; echo v | read x; echo $x; false | true; echo $? "
    "${PIPESTATUS[@]}",
    "ls -la / > /dev/null; find /etc -type f | head -2; cp /etc/passwd p; mv p q; ln -s q r; rm q",
};
enum { n_scripts = sizeof scripts / sizeof *scripts };

/* One run with the n-th allocation (and, if `on`, all after it) failing; *due is false once the
 * script ends before it. */
static void one(const char *script, uint64_t n, bool on, bool *due)
{
    whelk_limits l = {.size = sizeof l, .time_ns = INT64_C(5000000000), .steps = 1000000};
    whelk_session_options o;
    whelk_session_options_init(&o);
    o.limits = &l;
    whelk_runtime *rt;
    whelk_session *s;
    const whelk_result *r;
    cr_assert_eq(whelk_runtime_new(NULL, &rt), WHELK_OK);
    cr_assert_eq(whelk_session_open(rt, &o, &s), WHELK_OK);
    struct wk_mem *m = wk_mem_ref(s->mem);
    m->fail_at = m->count + n;
    m->fail_forever = on;
    int rc = whelk_exec(s, script, &r);
    *due = m->count >= m->fail_at;
    if (rc != WHELK_OK && rc != WHELK_E_NOMEM)
        cr_expect(false, "%s: allocation %d: exec says %d", script, (int)n, rc);
    if (rc == WHELK_OK && r->stop == WHELK_STOP_LIMIT && r->limit != WHELK_LIMIT_MEMORY)
        cr_expect(false, "%s: allocation %d: limit %s", script, (int)n, whelk_limit_name(r->limit));
    m->fail_at = 0;
    m->fail_forever = false;
    whelk_run_options again;
    whelk_run_options_init(&again);
    again.script = "x=(1 2); echo alive ${x[1]} | cat";
    again.script_len = SIZE_MAX;
    again.flags = WHELK_RUN_FRESH;
    rc = whelk_exec_with(s, &again, &r);
    if (rc != WHELK_OK || strcmp(r->out, "alive 2\n") != 0)
        cr_expect(false, "%s: allocation %d%s: afterwards %d, %s %s", script, (int)n,
                  on ? " on" : "", rc, rc == WHELK_OK ? r->out : "", rc == WHELK_OK ? r->err : "");
    whelk_session_close(s);
    if (wk_mem_used(m) != 0)
        cr_expect(false, "%s: allocation %d%s: %zu bytes left", script, (int)n, on ? " on" : "",
                  wk_mem_used(m));
    wk_mem_unref(m);
    cr_assert_eq(whelk_runtime_free(rt), WHELK_OK);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* All of the first allocations, then ever wider steps, with an offset of the script's own so that
 * scripts that begin alike do not repeat each other; within the script's share of the time. */
static void torture(bool on)
{
    const double share = 24.0 / n_scripts;
    for (int i = 0; i < n_scripts; i++) {
        bool due = true;
        double end = now() + share;
        for (uint64_t n = 1; due && now() < end; n += 1 + (n > 300 ? n / 100 + (uint64_t)i % 2 : 0))
            one(scripts[i], n, on, &due);
    }
}

Test(torture, one_failure, .timeout = 100)
{
    torture(false);
}

Test(torture, failures_from_then_on, .timeout = 100)
{
    torture(true);
}
