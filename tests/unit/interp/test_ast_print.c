/* test_ast_print.c - printed commands: against what bash printed, and stable when parsed again */
#include "interp/parser.h"

#include <criterion/criterion.h>
#include <string.h>

static char *print(struct wk_mem *m, const char *script)
{
    struct wk_names *names = wk_names_new(m, 5);
    struct wk_parse_opts o = {.mem = m, .names = names};
    struct wk_parser *p = wk_parser_new(&o, wk_str_c(script));
    struct wk_buf b;
    struct wk_tree *t;
    wk_buf_init(&b, m, SIZE_MAX);
    while (wk_parser_next(p, &t) > 0) {
        if (t->root->kind == WK_NODE_FUNCTION) {
            struct wk_node_function *f = wk_as_function(t->root);
            wk_print_function(&b, wk_word_source(f->name_word), f->body, false);
        } else {
            wk_print_node(&b, t->root, WK_PRINT_LINE);
        }
        wk_buf_putc(&b, '\n');
        wk_tree_unref(t);
    }
    wk_parser_free(p);
    wk_names_free(names);
    return wk_buf_take(&b, NULL);
}

static void check(const char *script, const char *want)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    char *got = print(m, script);
    cr_expect_str_eq(got, want);
    char *again = print(m, got);
    cr_expect_str_eq(again, got);
    wk_free(m, got);
    wk_free(m, again);
    cr_assert_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
}

Test(ast_print, function)
{
    check("f() { a | b |& c; ! d; time -p f; a && b || c; a & b & { c; } & (d; e) & coproc { g; }; }",
          "f () \n{ \n    a | b 2>&1 | c;\n    ! d;\n    time -p f;\n    a && b || c;\n"
          "    a & b & { \n        c\n    } & ( d;\n    e ) & coproc COPROC { \n        g\n    }\n}\n");
    check("f() { for ((i=0; i<3;i++)) do a; done; for x; do d; done; if a; then b; elif c; then d; "
          "fi; }",
          "f () \n{ \n    for ((i=0; i<3; i++))\n    do\n        a;\n    done;\n"
          "    for x in \"$@\";\n    do\n        d;\n    done;\n    if a; then\n        b;\n"
          "    else\n        if c; then\n            d;\n        fi;\n    fi\n}\n");
    check("f() { case $x in a|b) c;; (d) ;; esac; [[ a && ! -f x ]]; ((a + b)); }",
          "f () \n{ \n    case $x in \n        a | b)\n            c\n        ;;\n        d)\n\n"
          "        ;;\n    esac;\n    [[ -n a && ! -f x ]];\n    ((a + b))\n}\n");
    check("f() { cat <<E >y 2>&1; x; cat <<-'E' | z\na $x\nE\n\tfoo\n\tE\n}",
          "f () \n{ \n    cat <<E > y 2>&1\na $x\nE\n\n    x\n    cat <<-'E' |\nfoo\nE\n  z\n}\n");
}

Test(ast_print, words_and_substitutions)
{
    check("echo 'a b' \"$x\" $(ls   -l;x) `ls   x` \"$(a  b)\" ${x:-$(a  b)} $((1+  2)) <(a  b)",
          "echo 'a b' \"$x\" $(ls -l; x) `ls   x` \"$(a b)\" ${x:-$(a b)} $((1+  2)) <(a b)\n");
    check("x=(1   2 [3]=c) declare -a y=( a  b )", "x=(1 2 [3]=c) declare -a y=(a b)\n");
    check("echo a >b 2>c <d >>e >|f <>g <&3 >&4 2>&- &>h &>>i {v}>j <<<k >&m",
          "echo a > b 2> c < d >> e >| f 0<> g 0<&3 1>&4 2>&- &> h &>> i {v}> j <<< k >&m\n");
}
