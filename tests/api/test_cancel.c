/* test_cancel.c - whelk_cancel from another thread ends every command, in whatever it is doing, and the
 * session goes on. How soon is measured by bench/cancel.py. */
#include "api_session.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

struct canceller {
    whelk_session *s;
    atomic_bool done;
};

/* Again when the run had not begun yet. */
static void *cancel_later(void *arg)
{
    struct canceller *c = (struct canceller *)arg;
    do {
        usleep(40000);
        whelk_cancel(c->s);
    } while (!atomic_load(&c->done));
    return NULL;
}

static void cancel_one(struct api_session *a, const char *script)
{
    struct canceller c = {.s = a->s};
    pthread_t t;
    cr_assert_eq(pthread_create(&t, NULL, cancel_later, &c), 0);
    const whelk_result *r = api_run(a, script);
    cr_expect_eq(r->stop, WHELK_STOP_CANCEL, "%s: stop %d status %d stderr %.200s", script, r->stop, r->status,
                 r->err);
    atomic_store(&c.done, true);
    pthread_join(t, NULL);
    api_expect(a, "rm -rf /tmp/* && echo usable", "usable\n", 0);
}

static struct api_session large(void)
{
    whelk_limits l = {.size = sizeof l,
                      .memory_bytes = UINT64_C(4) << 30,
                      .output_bytes = UINT64_C(1) << 40,
                      .file_bytes = UINT64_C(1) << 40,
                      .file_size = UINT64_C(1) << 40,
                      .files = 10000000};
    whelk_session_options o;
    whelk_session_options_init(&o);
    o.limits = &l;
    return api_open(&o);
}

static void cancel_each(const char *const *scripts, size_t n)
{
    struct api_session a = large();
    for (size_t i = 0; i < n; i++)
        cancel_one(&a, scripts[i]);
    api_close(&a);
}

/* What reads lines that never end. */
Test(cancel, text)
{
    static const char *const scripts[] = {
        "yes | cat > /dev/null",
        "yes | tee /dev/null > /dev/null",
        "yes | wc",
        "yes | wc -l",
        "yes 'a b c' | uniq",
        "yes 'a b c' | uniq -c",
        "seq 1 100000000000 | uniq -D",
        "yes 'a b c' | cut -d ' ' -f 2 > /dev/null",
        "yes 'a b c' | tr a-z A-Z > /dev/null",
        "yes aabb | tr -s a-z > /dev/null",
        "yes 'a b c' | sed 's/b/x/' > /dev/null",
        "yes 'a b c' | sed -n '$p'",
        "yes 'a b c' | sed ':a;N;ba'",
        "yes 'a b c' | grep -c 'b.*c'",
        "yes 'a b c' | grep -v b",
        "yes 'a b c' | grep -o x",
        "comm <(yes) <(yes) > /dev/null",
        "join <(yes a) <(yes b)",
        "join <(seq 100000000000 199999999999) <(seq 100000000000 199999999999) > /dev/null",
        "paste <(yes) <(yes) > /dev/null",
        "yes 'a b c' | nl > /dev/null",
        "yes 'a b c' | fold -w 2 > /dev/null",
        "yes 'a b c' | fmt > /dev/null",
        "yes 'a b c' | pr > /dev/null",
        "yes 'a b c' | expand > /dev/null",
        "yes 'a  b  c' | unexpand -a > /dev/null",
        "yes 'a b c' | rev > /dev/null",
        "yes 'a b c' | head -n -10 > /dev/null",
        "yes 'a b c' | tail -n 10",
        "yes 'a b c' | tail -n +1000 > /dev/null",
        "yes 'a b c' | shuf -n 10",
        "yes 'a b c' | shuf",
        "yes 'a b c' | tac",
        "yes 'a b c' | sort",
        "seq 1 100000000000 | sort -n",
        "seq 1 100000000000 | sort -k1.2r -S 300k",
        "seq 100000000000 200000000000 | sort -c",
        "sort -m <(yes a) <(yes b) > /dev/null",
        "yes 'a b' | tsort",
        "yes 'a b c' | column -t",
        "yes 'a b c' | split -l 1000 - /tmp/x",
        "yes 'a b c' | csplit -f /tmp/x - '/c/' '{*}'",
        "yes 'a b c' | xargs -n 10 > /dev/null",
        "yes 12345 | numfmt --to=si > /dev/null",
        "yes 12345 | factor > /dev/null",
        "yes '1+2' | bc > /dev/null",
        "diff <(yes a) <(yes b)",
        "cmp <(yes) <(yes)",
        "while read -r x; do :; done < <(yes)",
        "mapfile x < <(yes)",
    };
    cancel_each(scripts, sizeof scripts / sizeof *scripts);
}

/* Bytes without a line end, and what only writes. */
Test(cancel, bytes)
{
    static const char *const scripts[] = {
        "yes > /dev/null",
        "seq 1 100000000000 > /dev/null",
        "cat /dev/zero > /dev/null",
        "head -c 1T /dev/zero > /dev/null",
        "head -c -10 /dev/zero > /dev/null",
        "cat /dev/zero | tail -c 10",
        "base64 /dev/zero > /dev/null",
        "base64 /dev/zero | base64 -d > /dev/null",
        "base32 /dev/zero > /dev/null",
        "od /dev/zero > /dev/null",
        "od -v -c /dev/zero > /dev/null",
        "xxd /dev/zero > /dev/null",
        "hexdump -C /dev/zero > /dev/null",
        "strings /dev/urandom > /dev/null",
        "md5sum /dev/zero",
        "sha1sum /dev/zero",
        "sha512sum /dev/zero",
        "b2sum /dev/zero",
        "cksum /dev/zero",
        "sum /dev/zero",
        "cmp /dev/zero /dev/zero",
        "dd if=/dev/zero of=/dev/null bs=1M status=none",
        "tr '\\0' x < /dev/zero > /dev/null",
        "fold /dev/zero > /dev/null",
        "cut -b 1-5 /dev/zero",
        "wc /dev/zero",
        "split -b 1M /dev/zero /tmp/x",
        "cat /dev/urandom > /dev/null",
        "shuf -r -i 1-1000000 > /dev/null",
        "shuf -i 1-100000000 > /dev/null",
        "factor 10000000000000000000000000000603000000000000000000000000001881",
        "echo '2^2^30' | bc",
        "tail -f /dev/null",
        "sleep 1000",
        "cp /dev/zero /tmp/x",
    };
    cancel_each(scripts, sizeof scripts / sizeof *scripts);
}

/* Large trees. */
Test(cancel, trees)
{
    static const char *const scripts[] = {
        "while :; do find /t > /dev/null; done", "while :; do ls -lR /t > /dev/null; done",
        "while :; do du -a /t > /dev/null; done", "while :; do grep -r nothing /t; done",
        "while :; do cp -r /t /tmp/c; rm -r /tmp/c; done",
        "while :; do chmod -R u+w /t; done", "while :; do tree /t > /dev/null; done",
    };
    struct api_session a = large();
    api_expect(&a, "mkdir /t && cd /t && mkdir {1..40} && for d in *; do touch $d/{1..100}; done; echo made", "made\n",
               0);
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        cancel_one(&a, scripts[i]);
    api_close(&a);
}
