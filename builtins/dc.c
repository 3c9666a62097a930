/* dc.c - calculator of any precision in reverse Polish notation
 *
 * Standard: GNU dc 1.4.1 (of bc 1.07.1). Oracle: dc.
 */
#include "builtins/dc.h"

#include "base/num.h"

struct unit {
    bool file;
    const char *arg;
};

struct dc_opts {
    struct unit *v;
    size_t n, cap;
};

static int add_unit(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    struct dc_opts *s = (struct dc_opts *)c->opts;
    if (s->n == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 8;
        s->v = (struct unit *)wk_heap_realloc(c->heap, s->v, s->cap * sizeof *s->v);
    }
    s->v[s->n++] = (struct unit){o->value != 0, arg};
    return 0;
}

static const struct wk_opt dc_options[] = {
    WK_FUNC_OPT(add_unit, 0, 'e', "expression", "EXPR", "run the commands in EXPR"),
    WK_FUNC_OPT(add_unit, 1, 'f', "file", "FILE", "run the commands in FILE"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "the same as --help"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "the same as --version"),
    WK_OPTS_END,
};

/* ---- what is run --------------------------------------------------------------------------------------- */

/* Bytes of a stream at hand; they are a copy, since two streams are read in turn. */
static bool fill(struct dc *d, struct wk_in *in, const char **p, const char **end)
{
    const char *piece;
    size_t n;
    if (*p != *end)
        return true;
    if (!wk_in_chunk(in, &piece, &n))
        return false;
    char **own = in == d->c->in ? &d->stdin_piece : &d->piece;
    wk_heap_free(d->c->heap, *own);
    *own = wk_dupn(d->c, piece, n);
    *p = *own;
    *end = *p + n;
    return n > 0;
}

static int stream_peek(struct dc *d, struct wk_in *in)
{
    bool own = in != d->c->in;
    if (!fill(d, in, own ? &d->p : &d->stdin_p, own ? &d->end : &d->stdin_end))
        return -1;
    return (unsigned char)(own ? *d->p : *d->stdin_p);
}

static void stream_skip(struct dc *d, const struct wk_in *in)
{
    if (in != d->c->in)
        d->p++;
    else
        d->stdin_p++;
}

static int peek(struct dc *d)
{
    struct dc_frame *f = &d->frame[d->n_frame - 1];
    if (!f->text)
        return stream_peek(d, d->in);
    return f->pos < f->text->n ? (unsigned char)f->text->p[f->pos] : -1;
}

static int next(struct dc *d)
{
    int ch = peek(d);
    struct dc_frame *f = &d->frame[d->n_frame - 1];
    if (ch >= 0 && f->text)
        f->pos++;
    else if (ch >= 0)
        stream_skip(d, d->in);
    return ch;
}

static void drop_frame(struct dc *d)
{
    struct dc_frame *f = &d->frame[--d->n_frame];
    if (f->text)
        wk_dc_drop(d, (struct dc_value){.text = f->text});
}

/* Takes the reference. A macro that has nothing left to do makes room. */
static void run_text(struct dc *d, struct dc_text *text)
{
    size_t levels = 1;
    if (d->n_frame > 1 && d->frame[d->n_frame - 1].pos == d->frame[d->n_frame - 1].text->n) {
        levels += d->frame[d->n_frame - 1].levels;
        drop_frame(d);
    }
    DC_ROOM(d, d->frame, d->n_frame, d->frame_cap);
    d->frame[d->n_frame++] = (struct dc_frame){text, 0, levels};
}

static void run_value(struct dc *d, struct dc_value v)
{
    if (v.text)
        run_text(d, v.text);
    else
        wk_dc_push(d, v);
}

/* A register's name; -1 after saying that there is none. */
static int register_name(struct dc *d)
{
    int ch = next(d);
    if (ch < 0)
        wk_dc_say(d, "dc: unexpected EOS");
    return ch;
}

/* ---- reading numbers and strings ----------------------------------------------------------------------- */

static bool digit(int ch)
{
    return (ch >= '0' && ch <= '9') || (ch >= 'A' && ch <= 'F');
}

static void read_number(struct dc *d, int ch)
{
    char *text = NULL;
    size_t n = 0, cap = 0, point = SIZE_MAX;
    bool minus = ch == '_';
    if (minus) {
        for (ch = peek(d); ch == ' ' || (ch >= '\t' && ch <= '\r'); ch = peek(d))
            (void)next(d);
        ch = -1;
    }
    for (;; ch = -1) {
        if (ch < 0) {
            ch = peek(d);
            if (!digit(ch) && !(ch == '.' && point == SIZE_MAX))
                break;
            (void)next(d);
        }
        if (ch == '.') {
            point = n;
            continue;
        }
        DC_ROOM(d, text, n, cap);
        text[n++] = (char)ch;
    }
    struct wk_str all = wk_str(text ? text : "", n);
    point = WK_MIN(point, n);
    struct wk_dec *x = wk_dec_read_free(d->c, wk_str_take(all, point), wk_str_from(all, point), d->ibase);
    if (minus) {
        struct wk_dec *r = wk_dec_negate(d->c, x);
        wk_dec_unref(d->c, x);
        x = r;
    }
    wk_heap_free(d->c->heap, text);
    wk_dc_push_number(d, x);
}

static void read_string(struct dc *d)
{
    char *text = NULL;
    size_t n = 0, cap = 0;
    for (size_t depth = 1;;) {
        int ch = next(d);
        if (ch < 0 || (ch == ']' && --depth == 0))
            break;
        depth += ch == '[';
        DC_ROOM(d, text, n, cap);
        text[n++] = (char)ch;
    }
    wk_dc_push(d, (struct dc_value){.text = wk_dc_text_new(d, text, n)});
    wk_heap_free(d->c->heap, text);
}

/* ---- commands ------------------------------------------------------------------------------------------ */

/* The whole part of a value; false for text, and, after saying so, for what does not fit. */
static bool whole(struct dc *d, struct dc_value v, int64_t *out)
{
    *out = -1;
    if (!v.number)
        return false;
    if (wk_dec_i64(v.number, out) && *out >= -INT32_MAX && *out <= INT32_MAX &&
        (*out || wk_dec_zero(v.number)))
        return true;
    wk_dc_say(d, "dc: value overflows simple integer; punting...");
    *out = -1;
    return true;
}

static void set_parameter(struct dc *d, char which)
{
    struct dc_value v;
    int64_t x;
    if (!wk_dc_pop(d, &v))
        return;
    bool good = whole(d, v, &x);
    wk_dc_drop(d, v);
    if (which == 'k') {
        if (!good || x < 0 || x > INT32_MAX)
            wk_dc_say(d, "dc: scale must be a nonnegative number");
        else
            d->scale = (uint32_t)x;
    } else if (which == 'i') {
        if (!good || x < 2 || x > 16)
            wk_dc_say(d, "dc: input base must be a number between 2 and 16 (inclusive)");
        else
            d->ibase = (uint32_t)x;
    } else if (!good || x < 2 || x > INT32_MAX) {
        wk_dc_say(d, "dc: output base must be a number greater than 1");
    } else {
        d->obase = (uint32_t)x;
    }
}

static void rotate(struct dc *d)
{
    struct dc_value v;
    int64_t n = 0;
    if (!wk_dc_pop(d, &v))
        return;
    (void)whole(d, v, &n);
    wk_dc_drop(d, v);
    size_t count = (size_t)WK_MIN(n < 0 ? -(uint64_t)n : (uint64_t)n, (uint64_t)d->n);
    if (count < 2)
        return;
    struct dc_value *low = d->stack + d->n - count, kept = n > 0 ? low[0] : low[count - 1];
    if (n > 0) {
        memmove(low, low + 1, (count - 1) * sizeof *low);
        low[count - 1] = kept;
    } else {
        memmove(low + 1, low, (count - 1) * sizeof *low);
        low[0] = kept;
    }
    wk_tick(d->c, (uint32_t)WK_MIN(count / 4 + 1, (size_t)1 << 24));
}

static void swap(struct dc *d)
{
    if (d->n < 2)
        return;
    struct dc_value t = d->stack[d->n - 1];
    d->stack[d->n - 1] = d->stack[d->n - 2];
    d->stack[d->n - 2] = t;
}

/* The bytes of a number's whole part, the highest first. */
static void put_bytes(struct dc *d, struct wk_dec *x)
{
    char *p = NULL;
    size_t n = 0, cap = 0;
    x = wk_dec_cut(d->c, x, 0);
    do {
        char byte = (char)wk_dec_take_byte(d->c, &x);
        DC_ROOM(d, p, n, cap);
        p[n++] = byte;
    } while (!wk_dec_zero(x));
    while (n)
        wk_out_char(d->c->out, p[--n]);
    wk_out_flush(d->c->out);
    wk_dec_unref(d->c, x);
    wk_heap_free(d->c->heap, p);
}

static void pop_print(struct dc *d, bool bytes)
{
    struct dc_value v;
    if (!wk_dc_pop(d, &v))
        return;
    if (bytes && v.number)
        put_bytes(d, v.number);
    else
        wk_dc_print(d, v, false);
    wk_dc_drop(d, v);
}

static void to_character(struct dc *d)
{
    struct dc_value v;
    if (!wk_dc_pop(d, &v))
        return;
    char ch = 0;
    size_t n = 1;
    if (v.text) {
        n = WK_MIN(v.text->n, (size_t)1);
        ch = v.text->p[0];
    } else {
        int64_t x;
        (void)whole(d, v, &x);
        ch = (char)(x & 255);
    }
    wk_dc_drop(d, v);
    wk_dc_push(d, (struct dc_value){.text = wk_dc_text_new(d, &ch, n)});
}

static void measure(struct dc *d, char which)
{
    struct dc_value v;
    if (!wk_dc_pop(d, &v))
        return;
    size_t n = which == 'Z' ? (v.text ? v.text->n : wk_dec_significant(v.number)) : v.text ? 0 : v.number->scale;
    wk_dc_drop(d, v);
    wk_dc_push_int(d, (int64_t)n);
}

/* What a register holds, 0 when it was never used; false, after saying so, when it only has an array. */
static bool register_value(struct dc *d, unsigned char name, struct dc_value *v)
{
    struct dc_level *l = wk_dc_level_of(d, name, false);
    if (l && !l->value.number && !l->value.text) {
        if (name > ' ' && name < 127)
            wk_dc_say(d, "dc: BUG: register '%c' (0%o) exists but is uninitialized?", name, (unsigned)name);
        else
            wk_dc_say(d, "dc: BUG: register 0%o exists but is uninitialized?", (unsigned)name);
        return false;
    }
    *v = l ? wk_dc_ref(l->value) : (struct dc_value){.number = wk_dec_int(d->c, 0)};
    return true;
}

static void store(struct dc *d, bool push)
{
    struct dc_value v;
    int name = register_name(d);
    if (name < 0 || !wk_dc_pop(d, &v))
        return;
    struct dc_level *l = push ? wk_dc_level_push(d, (unsigned char)name) : wk_dc_level_of(d, (unsigned char)name, true);
    wk_dc_drop(d, l->value);
    l->value = v;
}

static void say_empty(struct dc *d, int name)
{
    if (name > ' ' && name < 127)
        wk_dc_say(d, "dc: stack register '%c' (0%o) is empty", name, (unsigned)name);
    else
        wk_dc_say(d, "dc: stack register 0%o is empty", (unsigned)name);
}

static void load(struct dc *d, bool pop)
{
    struct dc_value v;
    int name = register_name(d);
    if (name < 0)
        return;
    if (!pop) {
        if (register_value(d, (unsigned char)name, &v))
            wk_dc_push(d, v);
    } else if (wk_dc_level_pop(d, (unsigned char)name, &v)) {
        wk_dc_push(d, v);
    } else {
        say_empty(d, name);
    }
}

static void element(struct dc *d, bool set)
{
    struct dc_value index, v = {0};
    int64_t at;
    int name = register_name(d);
    if (name < 0 || !wk_dc_pop(d, &index))
        return;
    bool good = whole(d, index, &at) && at >= 0;
    wk_dc_drop(d, index);
    if (set && !wk_dc_pop(d, &v))
        return;
    if (!good) {
        wk_dc_say(d, "dc: array index must be a nonnegative integer");
        wk_dc_drop(d, v);
    } else if (set) {
        wk_dc_array_set(d, wk_dc_level_of(d, (unsigned char)name, true), at, v);
    } else {
        v = wk_dc_ref(wk_dc_array_get(wk_dc_level_of(d, (unsigned char)name, false), at));
        if (!v.number && !v.text)
            v.number = wk_dec_int(d->c, 0);
        wk_dc_push(d, v);
    }
}

/* How the topmost two numbers compare; they are gone then. What cannot be compared counts as equal and stays. */
static int compare_top(struct dc *d)
{
    if (d->n < 2) {
        wk_dc_say(d, "dc: stack empty");
        return 0;
    }
    struct dc_value a = d->stack[d->n - 1], b = d->stack[d->n - 2];
    if (!a.number || !b.number) {
        wk_dc_say(d, "dc: non-numeric value");
        return 0;
    }
    int r = wk_dec_compare(a.number, b.number);
    d->n -= 2;
    wk_dc_drop(d, a);
    wk_dc_drop(d, b);
    return r;
}

/* Runs a register when the topmost two numbers compare so. */
static void compare(struct dc *d, int op, bool not)
{
    int name = register_name(d);
    if (name < 0)
        return;
    int r = compare_top(d);
    bool yes = op == '=' ? r == 0 : op == '<' ? r < 0 : r > 0;
    struct dc_value v;
    if (yes != not && register_value(d, (unsigned char)name, &v))
        run_value(d, v);
}

static void system_line(struct dc *d)
{
    char *text = NULL;
    size_t n = 0, cap = 0;
    for (int ch = next(d); ch >= 0 && ch != '\n'; ch = next(d)) {
        DC_ROOM(d, text, n, cap);
        text[n++] = (char)ch;
    }
    DC_ROOM(d, text, n, cap);
    text[n] = '\0';
    char sh[] = "sh", option[] = "-c";
    char *const argv[] = {sh, option, text, NULL};
    struct wk_exit e;
    wk_out_flush(d->c->out);
    int err = wk_cmd_run(d->c, 3, argv, NULL, &e);
    if (err)
        wk_dc_say(d, "dc: sh: %s", wk_err_text(err));
    wk_heap_free(d->c->heap, text);
}

static void bang(struct dc *d)
{
    int ch = peek(d);
    if (ch == '<' || ch == '>' || ch == '=') {
        (void)next(d);
        compare(d, ch, true);
    } else {
        system_line(d);
    }
}

/* A line of standard input, to be run. */
static void ask(struct dc *d)
{
    char *text = NULL;
    size_t n = 0, cap = 0;
    wk_out_flush(d->c->out);
    for (int ch; (ch = stream_peek(d, d->c->in)) >= 0;) {
        stream_skip(d, d->c->in);
        if (ch == '\n')
            break;
        DC_ROOM(d, text, n, cap);
        text[n++] = (char)ch;
    }
    run_text(d, wk_dc_text_new(d, text, n));
    wk_heap_free(d->c->heap, text);
}

static void quit_levels(struct dc *d)
{
    struct dc_value v;
    int64_t n = 0;
    if (!wk_dc_pop(d, &v))
        return;
    bool good = whole(d, v, &n) && n >= 1;
    wk_dc_drop(d, v);
    if (!good) {
        wk_dc_say(d, "dc: Q command requires a number >= 1");
        return;
    }
    uint64_t depth = 0;
    for (size_t i = 1; i < d->n_frame; i++)
        depth += d->frame[i].levels;
    if ((uint64_t)n > depth)
        wk_dc_say(d, "dc: Q command argument exceeded string execution depth");
    d->quit = n == 1 ? 0 : (int64_t)WK_MIN((uint64_t)n, depth); /* 1Q does nothing in the real dc */
}

static void print_stack(struct dc *d)
{
    for (size_t i = d->n; i-- > 0;)
        wk_dc_print(d, d->stack[i], true);
}

static void execute(struct dc *d)
{
    struct dc_value v;
    if (wk_dc_pop(d, &v))
        run_value(d, v);
}

/* Commands about the stack and output. */
static bool stack_command(struct dc *d, int ch)
{
    switch (ch) {
    case 'p':
    case 'd':
        if (!d->n)
            wk_dc_say(d, "dc: stack empty");
        else if (ch == 'p')
            wk_dc_print(d, d->stack[d->n - 1], true);
        else
            wk_dc_push(d, wk_dc_ref(d->stack[d->n - 1]));
        return true;
    case 'n':
    case 'P':
        pop_print(d, ch == 'P');
        return true;
    case 'f':
        print_stack(d);
        return true;
    case 'c':
        while (d->n)
            wk_dc_drop(d, d->stack[--d->n]);
        return true;
    case 'r':
        swap(d);
        return true;
    case 'R':
        rotate(d);
        return true;
    case 'z':
        wk_dc_push_int(d, (int64_t)d->n);
        return true;
    case 'Z':
    case 'X':
        measure(d, (char)ch);
        return true;
    case 'a':
        to_character(d);
        return true;
    case 'i':
    case 'o':
    case 'k':
        set_parameter(d, (char)ch);
        return true;
    case 'I':
        wk_dc_push_int(d, d->ibase);
        return true;
    case 'O':
        wk_dc_push_int(d, d->obase);
        return true;
    case 'K':
        wk_dc_push_int(d, d->scale);
        return true;
    default:
        return false;
    }
}

/* Commands about registers, and what is run. */
static bool control_command(struct dc *d, int ch)
{
    switch (ch) {
    case 's':
    case 'S':
        store(d, ch == 'S');
        return true;
    case 'l':
    case 'L':
        load(d, ch == 'L');
        return true;
    case ':':
    case ';':
        element(d, ch == ':');
        return true;
    case '<':
    case '>':
    case '=':
        compare(d, ch, false);
        return true;
    case '!':
        bang(d);
        return true;
    case '?':
        ask(d);
        return true;
    case 'x':
        execute(d);
        return true;
    case 'q':
        d->quit = 2;
        return true;
    case 'Q':
        quit_levels(d);
        return true;
    default:
        return false;
    }
}

static void command(struct dc *d, int ch)
{
    if (digit(ch) || ch == '.' || ch == '_') {
        read_number(d, ch);
    } else if (ch == '[') {
        read_string(d);
    } else if (ch == '#') {
        while (ch >= 0 && ch != '\n')
            ch = next(d);
    } else if (ch == 'v') {
        wk_dc_root(d);
    } else if (ch && strchr("+-*/%~^|", ch)) {
        wk_dc_arithmetic(d, (char)ch);
    } else if (!stack_command(d, ch) && !control_command(d, ch) && !(ch && strchr(" \t\n", ch))) {
        /* The real dc says one half on each stream. */
        wk_out_c(d->c->err, "dc: ");
        wk_out_flush(d->c->err);
        if (ch > ' ' && ch < 127)
            wk_out_fmt(d->c->out, "'%c' (0%o) unimplemented\n", ch, (unsigned)ch);
        else
            wk_out_fmt(d->c->out, ch ? "0%o unimplemented\n" : "%o unimplemented\n", (unsigned)ch);
    }
}

/* Leaves as many levels as were asked for; false when that ends the program. */
static bool unwind(struct dc *d)
{
    while (d->quit > 0 && d->n_frame) {
        d->quit -= d->n_frame == 1 ? 1 : (int64_t)WK_MIN(d->frame[d->n_frame - 1].levels, (size_t)INT32_MAX);
        drop_frame(d);
    }
    bool end = d->quit > 0 && !d->n_frame;
    d->quit = 0;
    return !end;
}

/* Runs text or a file (text NULL); ends the program at q. */
static void run_unit(struct dc *d, struct dc_text *text, struct wk_in *in)
{
    d->in = in;
    DC_ROOM(d, d->frame, d->n_frame, d->frame_cap);
    d->frame[d->n_frame++] = (struct dc_frame){text, 0, 1};
    while (d->n_frame) {
        wk_tick(d->c, 1);
        int ch = next(d);
        if (ch < 0) {
            drop_frame(d);
            continue;
        }
        command(d, ch);
        if (!d->quit)
            continue;
        if (!unwind(d))
            wk_exit(d->c, text ? 0 : 1);
        if (!d->n_frame && !text)
            wk_exit(d->c, 1);
    }
}

static void run_file(struct dc *d, const char *path)
{
    struct wk_cmd *c = d->c;
    struct wk_file *f;
    struct wk_stat st;
    if (strcmp(path, "-") == 0) {
        run_unit(d, NULL, c->in);
        return;
    }
    if (wk_cmd_open(c, path, WK_O_RDONLY, 0, &f)) {
        wk_dc_say(d, "dc: Could not open file %s", path);
        return;
    }
    if (wk_cmd_stat(c, path, true, &st) == 0 && WK_S_ISDIR(st.mode)) {
        wk_cmd_close(c, f);
        wk_dc_say(d, "dc: Will not attempt to process directory %s", path);
        return;
    }
    struct wk_in *in = wk_in_of(c, f, path);
    d->p = d->end = NULL;
    run_unit(d, NULL, in);
    wk_in_close(in);
}

static size_t width_of(struct wk_cmd *c)
{
    const char *text = wk_cmd_env(c, "DC_LINE_LENGTH");
    int64_t v;
    if (!text || wk_parse_i64(wk_str_c(text), 10, &v) != 0 || v < 0 || v > INT32_MAX)
        return 70;
    return v < 2 ? 0 : (size_t)v;
}

static int dc_main(struct wk_cmd *c)
{
    const struct dc_opts *o = (const struct dc_opts *)c->opts;
    struct dc *d = wk_new(c, struct dc);
    d->c = c;
    d->ibase = d->obase = 10;
    d->width = width_of(c);
    for (size_t i = 0; i < o->n; i++) {
        if (o->v[i].file)
            run_file(d, o->v[i].arg);
        else
            run_unit(d, wk_dc_text_new(d, o->v[i].arg, strlen(o->v[i].arg)), NULL);
    }
    for (int i = 0; i < c->nargs; i++)
        run_file(d, c->args[i]);
    if (!o->n && !c->nargs)
        run_file(d, "-");
    return c->status;
}

WK_COMMAND(dc, .summary = "calculator of any precision in reverse Polish notation", .usage = "dc [OPTION]... [FILE]...",
           .std = "GNU dc 1.4.1",
           .help = "Without FILE, -e and -f, commands are read from standard input.", .opts = dc_options,
           .opts_size = sizeof(struct dc_opts),
           .flags = WK_CMD_FILTER);
