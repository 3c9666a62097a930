/* test_lexer.c - words: segments, quoting, flags, braces, arithmetic */
#include "interp/parser.h"

#include "base/err.h"

#include <criterion/criterion.h>
#include <stdio.h>

struct env {
    struct wk_mem *m;
    struct wk_names *names;
    struct wk_tree *t;
};

/* The first argument of the command in `script`. */
static struct wk_word *word_of(struct env *e, const char *script, uint32_t flags)
{
    e->m = wk_mem_new(SIZE_MAX);
    e->names = wk_names_new(e->m, 3);
    struct wk_parse_opts o = {.mem = e->m, .names = e->names, .flags = flags};
    struct wk_parser *p = wk_parser_new(&o, wk_str_c(script));
    cr_assert_eq(wk_parser_next(p, &e->t), 1, "%s", script);
    wk_parser_free(p);
    return wk_as_simple(e->t->root)->words[1];
}

static void done(struct env *e)
{
    wk_tree_unref(e->t);
    wk_names_free(e->names);
    cr_assert_eq(wk_mem_used(e->m), 0);
    wk_mem_unref(e->m);
}

/* kind letter, Q for quoted, O and C for group ends, text */
static void show(char *out, size_t cap, const struct wk_word *w)
{
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < w->n_segs; i++) {
        const struct wk_seg *s = &w->segs[i];
        n += (size_t)snprintf(out + n, cap - n, "%s%c%s%s%s%s", i ? " " : "", "LPCAST{"[s->kind],
                              s->flags & WK_SEG_QUOTED ? "q" : "",
                              s->flags & WK_SEG_DQ_OPEN ? "o" : "",
                              s->flags & WK_SEG_DQ_CLOSE ? "c" : "",
                              s->flags & WK_SEG_MIXED ? "m" : "");
        if (s->kind == WK_SEG_LIT)
            n += (size_t)snprintf(out + n, cap - n, ":%.*s:%.*s", (int)s->text_len, s->text,
                                  (int)s->pat_len, s->u.pat);
        if (s->kind == WK_SEG_PARAM)
            n += (size_t)snprintf(out + n, cap - n, ":%.*s", (int)s->u.param->prefix.n,
                                  s->u.param->prefix.p);
    }
}

static void check(const char *script, const char *want)
{
    struct env e;
    char got[512];
    show(got, sizeof got, word_of(&e, script, 0));
    cr_expect_str_eq(got, want, "%s", script);
    done(&e);
}

Test(lexer, segments)
{
    check("e abc", "L:abc:abc");
    check("e 'a b'", "Lq:a b:a b");
    check("e ''", "Lq::");
    check("e \"\"", "Lq::");
    check("e a'*'b", "Lm:a*b:a\\*b");
    check("e \\*x", "Lm:*x:\\*x");
    check("e 'x'\\''y'", "Lq:x'y:x'y");
    check("e $x", "P:x");
    check("e \"$x\"", "Pqoc:x");
    check("e a\"b$x\"c", "L:a:a Lqo:b:b Pqc:x L:c:c");
    check("e \"$x$y\"z", "Pqo:x Pqc:y L:z:z");
    check("e \"$@\"\"\"", "Pqoc:@ Lq::");
    check("e ${a[1]}$10", "P:a[1] P:1 L:0:0");
    check("e ~/x", "T L:/x:/x");
    check("e ~'a'", "Lm:~a:~a");
    check("e $'a\\tb\\x41'", "Lq:a\tbA:a\tbA");
    check("e $", "L:$:$");
    check("e \"a\\\nb\"", "Lq:ab:ab");
    check("e a#b", "L:a#b:a#b");
    check("e `x`$(y)$((1))<(z)", "C C A S");
}

Test(lexer, flags)
{
    static const struct {
        const char *script;
        uint32_t set, clear;
    } rows[] = {
        {"e abc", WK_WORD_LITERAL | WK_WORD_SINGLE_FIELD, WK_WORD_GLOB},
        {"e 'a*'", WK_WORD_LITERAL | WK_WORD_QUOTED, WK_WORD_GLOB},
        {"e a*", WK_WORD_GLOB, WK_WORD_LITERAL | WK_WORD_SINGLE_FIELD},
        {"e $x", WK_WORD_SPLIT, WK_WORD_SINGLE_FIELD},
        {"e \"$x\"", WK_WORD_SINGLE_FIELD, WK_WORD_SPLIT | WK_WORD_AT},
        {"e \"$@\"", WK_WORD_AT, WK_WORD_SINGLE_FIELD},
        {"e \"${a[@]}\"", WK_WORD_AT, WK_WORD_SINGLE_FIELD},
        {"e \"${x:-\"$@\"}\"", WK_WORD_AT, WK_WORD_SINGLE_FIELD},
        {"e \"$*\"", WK_WORD_SINGLE_FIELD, WK_WORD_AT},
        {"e {a,b}", WK_WORD_BRACE, WK_WORD_LITERAL},
        {"e {a}", WK_WORD_LITERAL, WK_WORD_BRACE},
        {"e [ ]", WK_WORD_LITERAL, WK_WORD_GLOB},
        {"declare x=~/y", WK_WORD_ASSIGN, WK_WORD_LITERAL},
        {"e x=y", WK_WORD_LITERAL, WK_WORD_ASSIGN},
    };
    for (size_t i = 0; i < WK_COUNTOF(rows); i++) {
        struct env e;
        struct wk_word *w = word_of(&e, rows[i].script, 0);
        cr_expect_eq(w->flags & rows[i].set, rows[i].set, "%s", rows[i].script);
        cr_expect_eq(w->flags & rows[i].clear, 0, "%s", rows[i].script);
        done(&e);
    }
}

static void check_brace(const char *script, const char *want)
{
    struct env e;
    struct wk_brace_iter it;
    struct wk_arena a;
    char got[512] = "";
    struct wk_word *w = word_of(&e, script, 0), *x;
    cr_assert(w->flags & WK_WORD_BRACE, "%s", script);
    wk_arena_init(&a, e.m);
    wk_brace_begin(&it, w, &a, e.names, true);
    while (wk_brace_next(&it, &x) > 0) {
        char one[64];
        cr_assert(x->flags & WK_WORD_LITERAL || x->n_segs > 1 || !x->n_segs);
        snprintf(one, sizeof one, "%s%.*s", got[0] ? " " : "", (int)x->text_len,
                 x->text ? x->text : "?");
        strncat(got, one, sizeof got - strlen(got) - 1);
    }
    cr_expect_str_eq(got, want, "%s", script);
    wk_arena_release(&a);
    done(&e);
}

Test(lexer, braces)
{
    check_brace("e {a,b}{1..3}", "a1 a2 a3 b1 b2 b3");
    check_brace("e x{{1..2},{a..b}}y", "x1y x2y xay xby");
    check_brace("e {01..10..4}", "01 05 09");
    check_brace("e {c..a}", "c b a");
    check_brace("e {a{b,c}d}", "{abd} {acd}");
    check_brace("e {1..{3,4}}", "1..3 1..4");
    check_brace("e {'a,b',\"c d\"}", "a,b c d");
    check_brace("e {-1..1}", "-1 0 1");
}

struct arith_row {
    const char *text, *msg, *token;
};

Test(lexer, arithmetic_errors)
{
    static const struct arith_row rows[] = {
        {"1 + ", "syntax error: operand expected", "+ "},
        {"1 2", "syntax error in expression", "2"},
        {"1.5", "syntax error: invalid arithmetic operator", ".5"},
        {"08", "value too great for base", "08"},
        {"1#1", "invalid arithmetic base", "1#1"},
        {"2#", "invalid integer constant", "2#"},
        {"(1", "missing `)'", "1"},
        {"a ? 1", "`:' expected for conditional expression", "1"},
        {"a ? ", "expression expected", "? "},
        {"1=2", "attempted assignment to non-variable", "=2"},
        {"++a++", "++: assignment requires lvalue", "++"},
        {"a[1", "bad array subscript", "a[1"},
    };
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_names *names = wk_names_new(m, 1);
    struct wk_parse_opts o = {.mem = m, .names = names};
    for (size_t i = 0; i < WK_COUNTOF(rows); i++) {
        struct wk_arena a;
        struct wk_anode *n;
        wk_arena_init(&a, m);
        cr_assert_eq(wk_arith_parse_text(&o, &a, wk_str_c(rows[i].text), &n), 0);
        while (n && n->kind != WK_A_ERROR)
            n = n->kind == WK_A_BINARY ? n->u.k.b : n->kind == WK_A_COND ? n->u.k.c : NULL; /* in either branch */
        cr_assert(n, "%s", rows[i].text);
        cr_expect_str_eq(n->err->msg, rows[i].msg, "%s", rows[i].text);
        cr_expect(wk_str_is(n->err->token, rows[i].token), "%s", rows[i].text);
        wk_arena_release(&a);
    }
    wk_names_free(names);
    cr_assert_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
}

Test(lexer, operands)
{
    struct env e;
    struct wk_arith *a = word_of(&e, "e $(( $x + y[$i] * 2 ))", 0)->segs[0].u.arith;
    cr_assert_eq(a->n_operands, 2);
    cr_assert(a->root);
    cr_assert_eq(a->root->u.k.a->kind, WK_A_OPERAND);
    struct wk_asub *sub = a->root->u.k.b->u.k.a->u.sub;
    cr_assert_eq(sub->first_operand, 1);
    cr_assert_eq(sub->n_operands, 1);
    cr_assert_eq(sub->index->kind, WK_A_OPERAND);
    done(&e);
    a = word_of(&e, "e $(( 1$x ))", 0)->segs[0].u.arith;
    cr_assert(!a->root);
    done(&e);
}

Test(lexer, texts)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_names *names = wk_names_new(m, 1);
    struct wk_parse_opts o = {.mem = m, .names = names};
    struct wk_tree *t;
    struct wk_word *w;
    struct wk_assign *as;
    bool has;
    cr_assert_eq(wk_parse_word_text(&o, WK_STR("a b'c d'$x"), WK_TEXT_WORD, &t, &w), 0);
    cr_assert_eq(w->n_segs, 2);
    cr_assert(wk_str_is(wk_str(w->segs[0].text, w->segs[0].text_len), "a bc d"));
    wk_tree_unref(t);
    cr_assert_eq(wk_parse_word_text(&o, WK_STR("'unterminated"), WK_TEXT_WORD, &t, &w), -WK_ESYNTAX);
    cr_assert_eq(wk_parse_compound_text(&o, WK_STR("(a [2]=b c+=d)"), &t, &as), 0);
    cr_assert_eq(as->n_elems, 3);
    wk_tree_unref(t);
    cr_assert_eq(wk_parse_assign_text(&o, WK_STR("a[1]+=x y"), &t, &as, &has), 0);
    cr_assert(has && as->append && as->sub && wk_str_is(as->value_text, "x y"));
    wk_tree_unref(t);
    cr_assert_eq(wk_parse_assign_text(&o, WK_STR("1a=x"), &t, &as, &has), -WK_ESYNTAX);
    wk_names_free(names);
    cr_assert_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
}
