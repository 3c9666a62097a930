/* jq_options.c - jq's command line: options anywhere, short ones in clusters, the last one counts */
#include "builtins/jq_options.h"

#include "base/err.h"
#include "base/num.h"
#include "builtins/jq_input.h"

enum operands { AS_FILES, AS_STRINGS, AS_JSON };

struct parse {
    struct jq *q;
    struct wk_cmd *c;
    struct jq_options *o;
    int at; /* the argument at hand */
    enum operands operands;
};

static WK_NORETURN void hint(struct wk_cmd *c)
{
    wk_out_c(c->err, "Use jq --help for help with command-line options,\n"
                     "or see the jq manpage, or online docs  at https://jqlang.org\n");
    wk_exit(c, JQ_STATUS_USAGE);
}

static WK_NORETURN void unknown(struct parse *p, char letter)
{
    if (letter)
        wk_out_fmt(p->c->err, "jq: Unknown option -%c\n", letter);
    else
        wk_out_fmt(p->c->err, "jq: Unknown option %s\n", p->c->argv[p->at]);
    hint(p->c);
}

/* The n arguments behind the one at hand. */
static char **take(struct parse *p, const char *option, int n)
{
    if (p->c->argc - 1 - p->at < n) {
        if (n == 1)
            wk_out_fmt(p->c->err, "jq: --%s takes one parameter\n", option);
        else if (strcmp(option, "slurpfile") == 0 || strcmp(option, "rawfile") == 0)
            wk_out_fmt(p->c->err, "jq: --%s takes two parameters (e.g. --%s varname filename)\n", option, option);
        else
            wk_out_fmt(p->c->err, "jq: --%s takes two parameters (e.g. --%s varname %s)\n", option, option,
                       strcmp(option, "argjson") == 0 ? "text" : "value");
        hint(p->c);
    }
    char **args = p->c->argv + p->at + 1;
    p->at += n;
    return args;
}

/* ---- values ---- */

/* Binds a name that has no value yet; takes v. */
static void bind(struct parse *p, const char *name, struct jq_val v)
{
    struct jq *q = p->q;
    struct jq_val key = wk_jq_string(q, wk_str_c(name));
    if (wk_jq_object_get(q->named, key)) {
        jq_free(q, key);
        jq_free(q, v);
    } else {
        q->named = wk_jq_object_set(q, q->named, key, v);
    }
}

/* The only value of a JSON text; false when there is none, or more, or an error. */
static bool parse_text(struct jq *q, const char *text, struct jq_val *v)
{
    if (wk_jq_fromjson(q, wk_str_c(text), v))
        return true;
    jq_free(q, q->error);
    q->error = jq_none();
    return false;
}

static WK_NORETURN void bad_json(struct parse *p, const char *option)
{
    wk_out_fmt(p->c->err, "jq: invalid JSON text passed to --%s\n", option);
    hint(p->c);
}

static void bind_json(struct parse *p)
{
    char **args = take(p, "argjson", 2);
    struct jq_val v;
    if (!parse_text(p->q, args[1], &v))
        bad_json(p, "argjson");
    bind(p, args[0], v);
}

static WK_NORETURN void bad_file(struct parse *p, const char *option, char **args, struct wk_str what)
{
    wk_out_fmt(p->c->err, "jq: Bad JSON in --%s %s %s: ", option, args[0], args[1]);
    wk_out_str(p->c->err, what);
    wk_out_char(p->c->err, '\n');
    wk_exit(p->c, JQ_STATUS_USAGE);
}

static void bind_file(struct parse *p, bool raw)
{
    const char *option = raw ? "rawfile" : "slurpfile";
    char **args = take(p, option, 2);
    struct wk_str text;
    int err = wk_jq_read_file(p->q, args[1], &text);
    if (err) {
        const char *what = wk_strf(p->c, "Could not open %s: %s", args[1],
                                   err == WK_EISDIR ? "It's a directory" : wk_err_text(err));
        bad_file(p, option, args, wk_str_c(what));
    }
    struct jq *q = p->q;
    if (raw) {
        bind(p, args[0], wk_jq_string(q, text));
        return;
    }
    struct jq_reader *r = wk_jq_text_reader(q, text);
    struct jq_val all = wk_jq_array(q, 0), v;
    int got;
    while ((got = wk_jq_read(r, &v)) == 1)
        all = wk_jq_push(q, all, v);
    if (got < 0)
        bad_file(p, option, args, jq_slice(wk_jq_reader_error(r)));
    bind(p, args[0], all);
}

/* ---- options ---- */

static void set_indent(struct parse *p)
{
    struct jq_style *s = &p->o->style;
    int64_t n;
    if (wk_parse_i64(wk_str_c(take(p, "indent", 1)[0]), 10, &n) || n < -1 || n > 7) {
        wk_out_c(p->c->err, "jq: --indent takes a number between -1 and 7\n");
        hint(p->c);
    }
    s->flags &= ~(unsigned)JQ_PRINT_TABS;
    s->flags |= n < 0 ? JQ_PRINT_TABS | JQ_PRINT_LINES : JQ_PRINT_LINES;
    s->indent = n < 0 ? 1 : (unsigned)n;
}

static void set_compact(struct jq_style *s)
{
    s->flags &= ~(unsigned)(JQ_PRINT_TABS | JQ_PRINT_LINES);
    s->indent = 0;
}

static void add_library(struct parse *p, const char *dir)
{
    struct jq_options *o = p->o;
    o->library =
        wk_heap_realloc(p->c->heap, o->library, (o->n_library + 2) * sizeof *o->library);
    o->library[o->n_library++] = dir;
    o->library[o->n_library] = NULL;
}

static void set_letter(struct parse *p, char letter)
{
    struct jq_options *o = p->o;
    switch (letter) {
    case 's':
        o->slurp = true;
        break;
    case 'r':
        o->raw_output = true;
        break;
    case 'j':
        o->raw_output = o->join = true;
        break;
    case 'a':
        o->style.flags |= JQ_PRINT_ASCII;
        break;
    case 'n':
        o->null_input = true;
        break;
    case 'c':
        set_compact(&o->style);
        break;
    case 'C':
        o->colour = 1;
        break;
    case 'M':
        o->colour = -1;
        break;
    case 'S':
        o->style.flags |= JQ_PRINT_SORT;
        break;
    case 'R':
        o->raw_input = true;
        break;
    case 'e':
        o->exit_status = true;
        break;
    case 'f':
        o->from_file = true;
        break;
    case 'b': /* no difference but on Windows */
        break;
    case 'h':
        wk_cmd_about(p->c, false);
    case 'V':
        wk_out_c(p->c->out, "jq-1.8.1\n");
        wk_exit(p->c, 0);
    default:
        unknown(p, letter);
    }
}

static void short_options(struct parse *p)
{
    const char *text = p->c->argv[p->at];
    for (const char *l = text + 1; *l; l++) {
        if (*l != 'L') {
            set_letter(p, *l);
            continue;
        }
        if (l[1]) {
            add_library(p, l + 1);
            return;
        }
        if (p->at + 1 >= p->c->argc) {
            wk_out_c(p->c->err, "-L takes a parameter: (e.g. -L /search/path or -L/search/path)\n");
            hint(p->c);
        }
        add_library(p, p->c->argv[++p->at]);
    }
}

struct long_option {
    const char *name;
    char letter; /* the same as this */
};
static const struct long_option longs[] = {
    {"slurp", 's'},         {"raw-output", 'r'},        {"join-output", 'j'}, {"ascii-output", 'a'},
    {"null-input", 'n'},    {"compact-output", 'c'},    {"color-output", 'C'}, {"monochrome-output", 'M'},
    {"sort-keys", 'S'},     {"raw-input", 'R'},         {"exit-status", 'e'}, {"from-file", 'f'},
    {"binary", 'b'},        {"help", 'h'},              {"version", 'V'}};

/* The options without a letter. */
static bool other_option(struct parse *p, const char *name)
{
    struct jq_options *o = p->o;
    if (strcmp(name, "tab") == 0) {
        o->style.flags |= JQ_PRINT_TABS | JQ_PRINT_LINES;
        o->style.indent = 1;
    } else if (strcmp(name, "indent") == 0) {
        set_indent(p);
    } else if (strcmp(name, "raw-output0") == 0) {
        o->raw_output = o->join = o->nul = true;
    } else if (strcmp(name, "unbuffered") == 0) {
        o->unbuffered = true;
    } else if (strcmp(name, "stream") == 0) {
        o->stream = true;
    } else if (strcmp(name, "stream-errors") == 0) {
        o->stream = o->stream_errors = true;
    } else if (strcmp(name, "seq") == 0) {
        o->seq = true;
    } else if (strcmp(name, "args") == 0) {
        p->operands = AS_STRINGS;
    } else if (strcmp(name, "jsonargs") == 0) {
        p->operands = AS_JSON;
    } else if (strcmp(name, "library-path") == 0) {
        add_library(p, take(p, name, 1)[0]);
    } else if (strcmp(name, "arg") == 0) {
        char **args = take(p, name, 2);
        bind(p, args[0], wk_jq_string(p->q, wk_str_c(args[1])));
    } else if (strcmp(name, "argjson") == 0) {
        bind_json(p);
    } else if (strcmp(name, "slurpfile") == 0 || strcmp(name, "rawfile") == 0) {
        bind_file(p, name[0] == 'r');
    } else if (strcmp(name, "build-configuration") == 0) {
        wk_out_c(p->c->out, "whelk\n");
        wk_exit(p->c, 0);
    } else {
        return false;
    }
    return true;
}

static void long_option(struct parse *p)
{
    const char *name = p->c->argv[p->at] + 2;
    for (size_t i = 0; i < WK_COUNTOF(longs); i++) {
        if (strcmp(name, longs[i].name) == 0) {
            set_letter(p, longs[i].letter);
            return;
        }
    }
    if (!other_option(p, name))
        unknown(p, 0);
}

static void operand(struct parse *p)
{
    struct jq *q = p->q;
    const char *text = p->c->argv[p->at];
    struct jq_val v;
    if (!p->o->program) {
        p->o->program = text;
    } else if (p->operands == AS_FILES) {
        p->o->files[p->o->n_files++] = text;
    } else {
        if (p->operands == AS_STRINGS)
            v = wk_jq_string(q, wk_str_c(text));
        else if (!parse_text(q, text, &v))
            bad_json(p, "jsonargs");
        q->positional = wk_jq_push(q, q->positional, v);
    }
}

void wk_jq_options(struct jq *q, struct jq_options *o)
{
    struct wk_cmd *c = q->c;
    struct parse p = {.q = q, .c = c, .o = o};
    *o = (struct jq_options){.style = {.flags = JQ_PRINT_LINES, .indent = 2}};
    o->files = wk_new_n(c, const char *, (size_t)c->argc);
    q->named = wk_jq_object(q, 0);
    q->positional = wk_jq_array(q, 0);
    bool done = false;
    for (p.at = 1; p.at < c->argc; p.at++) {
        const char *text = c->argv[p.at];
        if (done || text[0] != '-' || (text[1] != '-' && !wk_is_alpha((unsigned char)text[1])))
            operand(&p); /* -1 is a program */
        else if (text[1] != '-')
            short_options(&p);
        else if (text[2])
            long_option(&p);
        else
            done = true;
    }
    q->library = o->library;
    q->sort_keys = o->style.flags & JQ_PRINT_SORT;
    q->seq = o->seq;
    q->stream = o->stream;
}
