/* rg_input.c - rg: what is read of a file: itself, what a program makes of it, or its text in another encoding */
#include "base/utf8.h"
#include "builtins/charset.h"
#include "builtins/fsops.h"
#include "builtins/rg.h"
#include "builtins/subprogram.h"

struct wk_rg_input {
    struct wk_rg *g;
    struct wk_in *in, own;
    struct wk_subprogram sub;
    const char *path;
    char *const *argv; /* of the program; NULL: none */
    char *text;        /* all of it, decoded */
    size_t text_n;
    const char *first; /* of the first piece, what is left of it */
    size_t first_n;
    bool decoded, started, regular;
    char head[4];
};

static bool is_running(const struct wk_rg_input *in)
{
    return in->argv != NULL;
}

/* ---- encodings ---------------------------------------------------------------------------------------------------
 */

/* A label of the web's list; what it does not know is looked up by name. */
static bool find_encoding(const char *label, struct wk_charset *set)
{
    static const char *const latin[] = {"latin1",   "iso-8859-1",   "iso8859-1", "iso_8859-1", "l1",    "ascii",
                                        "us-ascii", "windows-1252", "cp1252",    "x-cp1252",   "cp819", "ibm819"};
    char name[32];
    size_t n = strlen(label);
    if (n >= sizeof name)
        return false;
    for (size_t i = 0; i <= n; i++)
        name[i] = (char)wk_to_lower((unsigned char)label[i]);
    for (size_t i = 0; i < WK_COUNTOF(latin); i++)
        if (strcmp(name, latin[i]) == 0)
            return wk_charset_find(WK_STR("CP1252"), set);
    if (strcmp(name, "utf-16") == 0)
        return wk_charset_find(WK_STR("UTF-16LE"), set);
    if (strcmp(name, "shift_jis") == 0 || strcmp(name, "sjis") == 0)
        return wk_charset_find(WK_STR("SHIFT_JIS"), set);
    if (strncmp(name, "windows-", 8) == 0 && wk_charset_find(wk_str_c(name), set))
        return true;
    return wk_charset_find(wk_str(label, n), set);
}

void wk_rg_check_encoding(struct wk_rg *g)
{
    const char *label = g->o->encoding;
    struct wk_charset set;
    if (!label || strcmp(label, "auto") == 0 || strcmp(label, "none") == 0 || find_encoding(label, &set))
        return;
    wk_out_fmt(g->c->err, "grep config error: unknown encoding: %s\n", label);
    wk_exit(g->c, 2);
}

/* How many bytes at p are what is left of one character that is cut short, or one that is none. */
static size_t bad_length(const unsigned char *p, size_t n)
{
    unsigned lo = p[0] == 0xe0   ? 0xa0
                  : p[0] == 0xf0 ? 0x90
                                 : 0x80,
             hi = p[0] == 0xed   ? 0x9f
                  : p[0] == 0xf4 ? 0x8f
                                 : 0xbf;
    bool three = p[0] >= 0xe0 && p[0] <= 0xef, four = p[0] >= 0xf0 && p[0] <= 0xf4;
    if (n < 2 || !(three || four) || p[1] < lo || p[1] > hi)
        return 1;
    return four && n > 2 && wk_utf8_continues(p[2]) ? 3 : 2;
}

static void decode(struct wk_rg_input *in, const struct wk_charset *set, struct wk_str raw)
{
    struct wk_cmd *c = in->g->c;
    size_t cap = raw.n + 64;
    in->text = wk_heap_alloc(c->heap, cap);
    for (size_t at = 0; at < raw.n;) {
        uint32_t ch;
        const unsigned char *p = (const unsigned char *)raw.p + at;
        int n = set->kind == WK_CHARSET_UTF8 ? (int)wk_utf8_next(raw.p + at, raw.n - at, &ch)
                                             : wk_charset_get(set, p, raw.n - at, &ch);
        if (set->kind == WK_CHARSET_UTF8 && wk_utf8_is_bad(ch)) {
            at += bad_length(p, raw.n - at);
            ch = 0xfffd;
        } else if (n == WK_CHARSET_BAD && set->table && strcmp(set->table->name, "1252") == 0) {
            ch = *p; /* to the web these are control characters */
            at++;
        } else if (n <= 0) {
            at += n == WK_CHARSET_BAD ? WK_MAX((size_t)ch, (size_t)1) : raw.n - at;
            ch = 0xfffd;
        } else {
            at += (size_t)n;
        }
        if (cap - in->text_n < 8) {
            cap *= 2;
            in->text = wk_heap_realloc(c->heap, in->text, cap);
        }
        in->text_n += wk_utf8_put(in->text + in->text_n, ch & ~WK_CHARSET_PAIR);
        if ((at & 4095) < 4)
            wk_tick(c, 64);
    }
    in->decoded = true;
}

/* The first bytes tell of UTF-16, and of a mark that is not text. */
static void begin(struct wk_rg_input *in)
{
    const char *label = in->g->o->encoding;
    struct wk_charset set;
    bool named = false;
    in->started = true;
    if (label && strcmp(label, "none") == 0)
        return;
    if (!wk_in_chunk(in->in, &in->first, &in->first_n))
        return;
    while (in->first_n < 3) { /* pieces of a pipe may be this short */
        const char *more;
        size_t n;
        if (in->first != in->head)
            memcpy(in->head, in->first, in->first_n);
        in->first = in->head;
        if (!wk_in_chunk(in->in, &more, &n))
            break;
        in->head[in->first_n++] = *more;
        wk_in_used(in->in, 1);
    }
    struct wk_str start = wk_str(in->first, in->first_n);
    if (label && strcmp(label, "auto") != 0)
        named = find_encoding(label, &set);
    size_t mark = 0;
    if (wk_str_starts(start, WK_STR("\xef\xbb\xbf"))) {
        mark = 3;
        named = false;
    } else if (wk_str_starts(start, WK_STR("\xff\xfe")) || wk_str_starts(start, WK_STR("\xfe\xff"))) {
        mark = 2;
        named = wk_charset_find(start.p[0] == '\xff' ? WK_STR("UTF-16LE") : WK_STR("UTF-16BE"), &set);
    }
    in->first += mark;
    in->first_n -= mark;
    in->decoded = mark > 0;
    if (!named && in->g->o->engine == WK_RG_ENGINE_P && !label &&
        !in->g->o->no_unicode) { /* it has only characters to look at */
        named = wk_charset_find(WK_STR("UTF-8"), &set);
        in->decoded = true;
    }
    if (!named)
        return;
    struct wk_str head = wk_str(wk_dupn(in->g->c, in->first, in->first_n), in->first_n), rest = wk_in_all(in->in);
    char *raw = wk_heap_alloc(in->g->c->heap, head.n + rest.n + 1);
    memcpy(raw, head.p, head.n);
    if (rest.n)
        memcpy(raw + head.n, rest.p, rest.n);
    struct wk_str all = wk_str(raw, head.n + rest.n);
    if (set.kind == WK_CHARSET_UTF8 && wk_utf8_valid(all)) {
        in->text = raw;
        in->text_n = all.n;
    } else {
        decode(in, &set, all);
        wk_heap_free(in->g->c->heap, raw);
    }
    in->first = in->text;
    in->first_n = in->text_n;
}

/* ---- programs ----------------------------------------------------------------------------------------------------
 */

static const struct unpacker {
    const char *ends; /* of names, divided by blanks */
    const char *words[4];
} unpackers[] = {{".gz .tgz", {"gzip", "-d", "-c", NULL}},        {".bz2 .tbz2", {"bzip2", "-d", "-c", NULL}},
                 {".xz .txz", {"xz", "-d", "-c", NULL}},          {".lz4", {"lz4", "-d", "-c", NULL}},
                 {".lzma", {"xz", "--format=lzma", "-dc", NULL}}, {".br", {"brotli", "-d", "-c", NULL}},
                 {".zst .zstd", {"zstd", "-q", "-dc", NULL}},     {".Z", {"uncompress", "-c", NULL, NULL}}};

static const struct unpacker *unpacker_of(const char *path)
{
    size_t n = strlen(path);
    for (size_t i = 0; i < WK_COUNTOF(unpackers); i++)
        for (const char *p = unpackers[i].ends; *p; p += strspn(p, " ")) {
            size_t k = strcspn(p, " ");
            if (n > k && memcmp(path + n - k, p, k) == 0)
                return &unpackers[i];
            p += k;
        }
    return NULL;
}

static bool wants_pre(struct wk_rg *g, const char *path)
{
    struct wk_rules rules = {.n = 0};
    const char *glob = NULL;
    size_t n;
    if (!g->o->pre_globs.n)
        return true;
    for (size_t i = 0; i < g->o->pre_globs.n; i++) {
        const char *why = wk_rules_add(g->c, &rules, wk_str_c(g->o->pre_globs.v[i]), false, &glob);
        if (why) {
            wk_out_fmt(g->c->err, "error parsing glob '%s': %s\n", glob, why);
            wk_exit(g->c, 2);
        }
    }
    if (path[0] == '.' && path[1] == '/')
        path += 2;
    enum wk_verdict v = wk_rules_ask(g->c, &rules, path, strlen(path), wk_last_component(path, &n), false);
    bool yes = v == WK_RULES_SILENT ? rules.keeps == rules.n : v == WK_RULES_IGNORE;
    wk_rules_release(g->c, &rules);
    return yes;
}

/* Runs words + path with the file as its input. */
static bool run_program(struct wk_rg_input *in, const char *const *words, struct wk_file *f)
{
    struct wk_cmd *c = in->g->c;
    size_t n = 0;
    while (words[n])
        n++;
    char **argv = wk_new_n(c, char *, n + 2);
    for (size_t i = 0; i < n; i++)
        argv[i] = wk_dup(c, words[i]);
    argv[n] = wk_dup(c, in->path);
    wk_out_flush(c->out); /* nothing may park while descriptor 0 is another */
    wk_out_flush(c->err);
    struct wk_file *before = wk_fd_get(c->proc->fds, 0);
    if (before)
        wk_file_ref(before);
    bool good = wk_fd_set(&c->proc->fds, 0, wk_file_ref(f), false) >= 0;
    if (good)
        wk_subprogram_start(c, &in->sub, argv, (int)n + 1, true);
    if (before)
        (void)wk_fd_set(&c->proc->fds, 0, before, false);
    else
        (void)wk_fd_close(&c->proc->fds, 0);
    in->argv = argv;
    in->in = in->sub.in;
    if (in->sub.err) {
        wk_rg_complain(in->g, "%s: preprocessor command could not start: '\"%s\" \"%s\"': %s (os error %d)", in->path,
                       argv[0], in->path, wk_err_text(in->sub.err), in->sub.err);
        (void)wk_subprogram_end(c, &in->sub);
        in->argv = NULL;
        return false;
    }
    return true;
}

static bool is_there(struct wk_cmd *c, const char *program)
{
    char *path = NULL;
    const char *list = wk_cmd_env(c, "PATH");
    int r = wk_path_search(c->proc, wk_str_c(list ? list : "/usr/bin:/bin"), wk_str_c(program), &path);
    wk_free(c->k->mem, path);
    return r >= 0;
}

/* 1 when a program reads the file, 0 when it is read as it is, -1 after telling what is missing. */
static int start_program(struct wk_rg_input *in, struct wk_file *f)
{
    struct wk_rg *g = in->g;
    if (g->o->pre && wants_pre(g, in->path)) {
        const char *words[] = {g->o->pre, NULL};
        return run_program(in, words, f) ? 1 : -1;
    }
    const struct unpacker *u = g->o->zip ? unpacker_of(in->path) : NULL;
    if (!u)
        return 0;
    if (is_there(g->c, u->words[0]))
        return run_program(in, u->words, f) ? 1 : -1;
    wk_rg_complain(g, "%s: cannot be decompressed: there is no %s", in->path, u->words[0]);
    return -1;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------
 */

struct wk_rg_input *wk_rg_input_open(struct wk_rg *g, struct wk_vdir *dir, const char *name, const char *path)
{
    struct wk_cmd *c = g->c;
    struct wk_rg_input *in = wk_new(c, struct wk_rg_input);
    *in = (struct wk_rg_input){.g = g, .path = path, .in = c->in};
    if (!path) {
        struct wk_stat st;
        c->in->quiet = true;
        in->regular = c->in->file && wk_file_stat(c->in->file, &st) >= 0 && WK_S_ISREG(st.mode);
        return in;
    }
    struct wk_file *f;
    int err = wk_cmd_open_at(c, dir, name, WK_O_RDONLY, 0, &f);
    if (err) {
        wk_rg_complain_err(g, path, err);
        wk_heap_free(c->heap, in);
        return NULL;
    }
    int program = start_program(in, f);
    if (program) {
        wk_cmd_close(c, f);
        if (program > 0)
            return in;
        wk_heap_free(c->heap, in);
        return NULL;
    }
    in->own = (struct wk_in){.c = c, .file = f, .name = path, .owned = true, .quiet = true};
    in->in = &in->own;
    in->regular = true;
    return in;
}

bool wk_rg_input_next(struct wk_rg_input *in, const char **p, size_t *n)
{
    if (!in->started)
        begin(in);
    if (in->first_n) {
        *p = in->first;
        *n = in->first_n;
        in->first_n = 0;
        return true;
    }
    if (in->text)
        return false;
    if (wk_in_chunk(in->in, p, n))
        return true;
    if (in->in->err)
        wk_rg_complain_err(in->g, in->path ? in->path : "<stdin>", in->in->err);
    return false;
}

bool wk_rg_input_decoded(const struct wk_rg_input *in)
{
    return in->decoded || is_running(in);
}

bool wk_rg_input_regular(const struct wk_rg_input *in)
{
    return in->regular;
}

void wk_rg_input_close(struct wk_rg_input *in)
{
    struct wk_cmd *c = in->g->c;
    if (is_running(in)) {
        int status = wk_subprogram_end(c, &in->sub);
        bool pre = in->g->o->pre != NULL;
        if (status && status != 141)
            wk_rg_complain(in->g, "%s: %s command failed: '\"%s\" \"%s\"': <stderr is empty>", in->path,
                           pre ? "preprocessor" : "decompression", in->argv[0], in->path);
    } else if (in->in == &in->own) {
        wk_in_close(&in->own);
    }
    wk_heap_free(c->heap, in->text);
    wk_heap_free(c->heap, in);
}
