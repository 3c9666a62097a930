#include <stdio.h>
#include <whelk.h>

int main(void)
{
    whelk_runtime *rt;
    whelk_session *s;
    const whelk_result *r;

    if (whelk_runtime_new(NULL, &rt) || whelk_session_open(rt, NULL, &s))
        return 1;
    whelk_write_file(s, "words", "hello\nworld\n", 12, 0);
    whelk_exec(s, "while read -r w; do echo $w; done < words | tr a-z A-Z", &r);
    fwrite(r->out, 1, r->out_len, stdout);
    int status = r->status;
    whelk_session_close(s);
    whelk_runtime_free(rt);
    return status;
}
