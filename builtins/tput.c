/* tput.c - tput, clear: what a terminal understands
 *
 * Standard: POSIX (tput). Oracle: ncurses 6.4. Differs: docs/divergences/tput.md.
 */
#include "base/num.h"
#include "kern/cmd.h"

static const struct wk_opt tput_options[] = {
    {WK_OPT_FLAG, 'S', NULL, NULL, "tput: read lines of names from standard input", 0, 0, NULL},
    {WK_OPT_STR, 'T', NULL, "TERM", "instead of $TERM (tput, clear)", 0, 0, NULL},
    {WK_OPT_FLAG, 'V', NULL, NULL, "the version", 0, 0, NULL},
    {WK_OPT_FLAG, 'x', NULL, NULL, "clear leaves the scrolled text", 0, 0, NULL},
    WK_OPTS_END,
};

/* Every name of a capability; those that are numbers. */
static const char all_names[] =
    " "
    "acsc am bce bel bicr binel birep bitwin bitype blink bold btns bufsz bw cbt ccc chr chts civis clear cmdch "
    "cnorm colornm colors cols cpi cpix cps cr crxm csin csnm csr cub cub1 cud cud1 cuf cuf1 cup cuu cuu1 cvr "
    "cvvis cwin da daisy db dch dch1 dclk defbi defc devt dial dim dispc dl dl1 docr dsl ech ed ehhlm el el1 "
    "elhlm elohlm enacs endbi eo erhlm eslok ethlm evhlm ff flash fln fsl getm gn hc hd hls home hook hpa hs ht "
    "hts hu hup hz ich ich1 if il il1 in ind indn initc initp invis ip iprog is1 is2 is3 it kBEG kCAN kCMD kCPY "
    "kCRT kDC kDL kEND kEOL kEXT kFND kHLP kHOM kIC kLFT kMOV kMSG kNXT kOPT kPRT kPRV kRDO kRES kRIT kRPL kSAV "
    "kSPD kUND ka1 ka3 kb2 kbeg kbs kc1 kc3 kcan kcbt kclo kclr kcmd kcpy kcrt kctab kcub1 kcud1 kcuf1 kcuu1 "
    "kdch1 kdl1 ked kel kend kent kext kf0 kf1 kf10 kf11 kf12 kf13 kf14 kf15 kf16 kf17 kf18 kf19 kf2 kf20 kf21 "
    "kf22 kf23 kf24 kf25 kf26 kf27 kf28 kf29 kf3 kf30 kf31 kf32 kf33 kf34 kf35 kf36 kf37 kf38 kf39 kf4 kf40 "
    "kf41 kf42 kf43 kf44 kf45 kf46 kf47 kf48 kf49 kf5 kf50 kf51 kf52 kf53 kf54 kf55 kf56 kf57 kf58 kf59 kf6 "
    "kf60 kf61 kf62 kf63 kf7 kf8 kf9 kfnd khlp khome khts kich1 kil1 kind kll km kmous kmov kmrk kmsg knp knxt "
    "kopn kopt kpp kprt kprv krdo kref kres krfr kri krmir krpl krst ksav kslt kspd ktbc kund lf0 lf1 lf10 lf2 "
    "lf3 lf4 lf5 lf6 lf7 lf8 lf9 lh lines ll lm lpi lpix lw ma maddr mc0 mc4 mc5 mc5i mc5p mcs mcub mcub1 mcud "
    "mcud1 mcuf mcuf1 mcuu mcuu1 mgc mhpa minfo mir mjump mls mrcup msgr mvpa ncv ndscr nel nlab npc npins "
    "nrrmc nxon oc op orc orhi orl orvi os pad pairs pause pb pctrm pfkey pfloc pfx pfxl pln porder prot pulse "
    "qdial rbim rc rcsd rep reqmp rev rf rfi ri rin ritm rlm rmacs rmam rmclk rmcup rmdc rmicm rmir rmkx rmln "
    "rmm rmp rmpch rmsc rmso rmul rmxon rs1 rs2 rs3 rshm rsubm rsupm rum rwidm s0ds s1ds s2ds s3ds sam sbim sc "
    "scesa scesc sclk scp scs scsd sdrfq setab setaf setb setcolor setf sgr sgr0 sgr1 sitm slength slines slm "
    "smacs smam smcup smdc smgb smgbp smgl smglp smglr smgr smgrp smgt smgtb smgtp smicm smir smkx smln smm "
    "smpch smsc smso smul smxon snlq snrmq spinh spinv sshm ssubm ssupm subcs sum supcs swidm tbc tone tsl u0 "
    "u1 u2 u3 u4 u5 u6 u7 u8 u9 uc ul vpa vt wait widcs wind wingo wnum wsl xenl xhp xhpa xmc xoffc xon xonc "
    "xsb xt xvpa zerom ";
static const char numbers[] =
    " "
    "bitwin bitype btns bufsz colors cols cps it lh lines lm lw ma maddr mcs mjump mls ncv nlab npins orc orhi "
    "orl orvi pairs pb spinh spinv vt widcs wnum wsl xmc ";

/* What terminals have: a text, "#N" or "!"; the second one is xterm-256color's where it is another. */
struct capability {
    const char *name, *xterm, *more;
};
static const struct capability xterms[] = {
    {"am", "!", ""}, {"bce", "!", ""}, {"bel", "\007", ""}, {"blink", "\033[5m", ""}, {"bold", "\033[1m", ""},
    {"cbt", "\033[Z", ""}, {"civis", "\033[?25l", ""}, {"cnorm", "\033[?12l\033[?25h", ""},
    {"colors", "#8", "#256"}, {"cr", "\r", ""}, {"cub", "\033[%p1%dD", ""}, {"cub1", "\010", ""},
    {"cud", "\033[%p1%dB", ""}, {"cud1", "\n", ""}, {"cuf", "\033[%p1%dC", ""}, {"cuf1", "\033[C", ""},
    {"cup", "\033[%i%p1%d;%p2%dH", ""}, {"cuu", "\033[%p1%dA", ""}, {"cuu1", "\033[A", ""},
    {"cvvis", "\033[?12;25h", ""}, {"dch", "\033[%p1%dP", ""}, {"dch1", "\033[P", ""}, {"dim", "\033[2m", ""},
    {"dl", "\033[%p1%dM", ""}, {"dl1", "\033[M", ""}, {"ech", "\033[%p1%dX", ""}, {"ed", "\033[J", ""},
    {"el", "\033[K", ""}, {"el1", "\033[1K", ""}, {"flash", "\033[?5h\033[?5l", ""}, {"home", "\033[H", ""},
    {"hpa", "\033[%i%p1%dG", ""}, {"ht", "\011", ""}, {"hts", "\033H", ""}, {"ich", "\033[%p1%d@", ""},
    {"il", "\033[%p1%dL", ""}, {"il1", "\033[L", ""}, {"ind", "\n", ""}, {"indn", "\033[%p1%dS", ""},
    {"invis", "\033[8m", ""}, {"is2", "\033[!p\033[?3;4l\033[4l\033>", ""}, {"it", "#8", ""}, {"kbs", "\177", ""},
    {"kcbt", "\033[Z", ""}, {"kcub1", "\033OD", ""}, {"kcud1", "\033OB", ""}, {"kcuf1", "\033OC", ""},
    {"kcuu1", "\033OA", ""}, {"kdch1", "\033[3~", ""}, {"kend", "\033OF", ""}, {"kent", "\033OM", ""},
    {"kf1", "\033OP", ""}, {"kf10", "\033[21~", ""}, {"kf11", "\033[23~", ""}, {"kf12", "\033[24~", ""},
    {"kf2", "\033OQ", ""}, {"kf3", "\033OR", ""}, {"kf4", "\033OS", ""}, {"kf5", "\033[15~", ""},
    {"kf6", "\033[17~", ""}, {"kf7", "\033[18~", ""}, {"kf8", "\033[19~", ""}, {"kf9", "\033[20~", ""},
    {"khome", "\033OH", ""}, {"kich1", "\033[2~", ""}, {"km", "!", ""}, {"knp", "\033[6~", ""},
    {"kpp", "\033[5~", ""}, {"mir", "!", ""}, {"msgr", "!", ""}, {"npc", "!", ""}, {"op", "\033[39;49m", ""},
    {"pairs", "#64", "#65536"}, {"rc", "\0338", ""}, {"rev", "\033[7m", ""}, {"ri", "\033M", ""},
    {"rin", "\033[%p1%dT", ""}, {"ritm", "\033[23m", ""}, {"rmacs", "\033(B", ""}, {"rmam", "\033[?7l", ""},
    {"rmcup", "\033[?1049l\033[23;0;0t", ""}, {"rmir", "\033[4l", ""}, {"rmkx", "\033[?1l\033>", ""},
    {"rmso", "\033[27m", ""}, {"rmul", "\033[24m", ""}, {"rs1", "\033c", "\033c\033]104\007"},
    {"rs2", "\033[!p\033[?3;4l\033[4l\033>", ""}, {"sc", "\0337", ""},
    {"setab", "\033[4%p1%dm", "\033[%?%p1%{8}%<%t4%p1%d%e%p1%{16}%<%t10%p1%{8}%-%d%e48;5;%p1%d%;m"},
    {"setaf", "\033[3%p1%dm", "\033[%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e38;5;%p1%d%;m"},
    {"sgr0", "\033(B\033[m", ""}, {"sitm", "\033[3m", ""}, {"smacs", "\033(0", ""}, {"smam", "\033[?7h", ""},
    {"smcup", "\033[?1049h\033[22;0;0t", ""}, {"smir", "\033[4h", ""}, {"smkx", "\033[?1h\033=", ""},
    {"smso", "\033[7m", ""}, {"smul", "\033[4m", ""}, {"tbc", "\033[3g", ""}, {"vpa", "\033[%i%p1%dd", ""},
    {"xenl", "!", ""},
};
static const struct capability dumbs[] = {
    {"am", "!", ""}, {"bel", "\a", ""}, {"cr", "\r", ""}, {"cud1", "\n", ""}, {"ind", "\n", ""},
};

struct terminal {
    struct wk_cmd *c;
    bool xterm, colors256, keep_scrolled;
};

static const char *find_capability(const struct terminal *t, const char *name)
{
    const struct capability *k = t->xterm ? xterms : dumbs;
    size_t n = t->xterm ? WK_COUNTOF(xterms) : WK_COUNTOF(dumbs);
    for (size_t i = 0; i < n; i++)
        if (strcmp(k[i].name, name) == 0)
            return t->colors256 && *k[i].more ? k[i].more : k[i].xterm;
    return NULL;
}

static bool listed(const char *list, const char *name)
{
    size_t n = strlen(name);
    if (!n || strchr(name, ' '))
        return false;
    for (const char *p = list; (p = strstr(p, name)) != NULL; p++)
        if (p[-1] == ' ' && p[n] == ' ')
            return true;
    return false;
}

/* ---- texts with parameters ---------------------------------------------------------------------- */

struct machine {
    int64_t stack[8], param[9];
    size_t depth;
};

static void push(struct machine *m, int64_t v)
{
    if (m->depth < WK_COUNTOF(m->stack))
        m->stack[m->depth++] = v;
}

static int64_t pop(struct machine *m)
{
    return m->depth ? m->stack[--m->depth] : 0;
}

/* Behind what a condition leaves out: after its %e (when `to_else`) or its %;. */
static const char *skip_part(const char *p, bool to_else)
{
    for (; *p; p++) {
        if (*p != '%' || !p[1])
            continue;
        p++;
        if (*p == ';' || (*p == 'e' && to_else))
            return p + 1;
    }
    return p;
}

static void put_text(struct terminal *t, const char *p, struct machine *m)
{
    while (*p) {
        if (*p != '%' || !p[1]) {
            wk_out_char(t->c->out, *p++);
            continue;
        }
        char op = p[1];
        int64_t b = 0;
        p += 2;
        if (op == 'i') {
            m->param[0]++;
            m->param[1]++;
        } else if (op == 'p') {
            push(m, m->param[*p++ - '1']);
        } else if (op == 'd') {
            wk_out_i64(t->c->out, pop(m));
        } else if (op == '{') {
            for (; wk_is_digit(*p); p++)
                b = b * 10 + (*p - '0');
            p++;
            push(m, b);
        } else if (op == '<' || op == '-') {
            b = pop(m);
            int64_t a = pop(m);
            push(m, op == '<' ? a < b : a - b);
        } else if (op == 't') {
            if (!pop(m))
                p = skip_part(p, true);
        } else if (op == 'e') {
            p = skip_part(p, false);
        }
    }
}

static int count_params(const char *text)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, "%p")) != NULL; p += 2)
        n = WK_MAX(n, p[2] - '0');
    return n;
}

/* ---- questions ---------------------------------------------------------------------------------- */

static int clear_screen(struct terminal *t)
{
    if (!t->xterm)
        return 2;
    wk_out_c(t->c->out, t->keep_scrolled ? "\033[H\033[2J" : "\033[H\033[2J\033[3J");
    return 0;
}

static int reset_terminal(struct terminal *t, bool all)
{
    struct wk_cmd *c = t->c;
    if (!c->in->file || !c->in->file->is_tty) {
        wk_msg(c, "terminal attributes: %s", wk_err_text(WK_ENXIO));
        wk_out_char(c->err, '\n');
        return 10;
    }
    if (t->xterm)
        wk_out_c(c->out, all && t->colors256 ? "\033c\033]104\007\033[!p\033[?3;4l\033[4l\033>\033[?69l"
                          : all               ? "\033c\033[!p\033[?3;4l\033[4l\033>\033[?69l"
                                              : "\033[!p\033[?3;4l\033[4l\033>\033[?69l");
    return 0;
}

static int put_number(struct terminal *t, const char *name)
{
    const char *from = strcmp(name, "cols") == 0 ? "COLUMNS" : strcmp(name, "lines") == 0 ? "LINES" : NULL;
    const char *text = from ? wk_cmd_env(t->c, from) : NULL, *own = find_capability(t, name);
    int64_t v = !from ? -1 : from[0] == 'C' ? 80 : 24, asked;
    if (own && wk_parse_i64(wk_str_c(own + 1), 10, &asked) == 0)
        v = asked;
    if (text && wk_parse_i64(wk_str_c(text), 10, &asked) == 0 && asked > 0)
        v = asked;
    wk_out_fmt(t->c->out, "%lld\n", (long long)v);
    return 0;
}

static int put_longname(struct terminal *t)
{
    wk_out_c(t->c->out, !t->xterm       ? "80-column dumb tty"
                        : t->colors256 ? "xterm with 256 colors"
                                       : "xterm terminal emulator (X Window System)");
    return 0;
}

/* Answers for words[0], which may take the words behind it; *used gets how many words that were. */
static int answer(struct terminal *t, int n, char *const *words, int *used)
{
    const char *name = words[0];
    *used = 1;
    if (strcmp(name, "clear") == 0)
        return clear_screen(t);
    if (strcmp(name, "init") == 0 || strcmp(name, "reset") == 0)
        return reset_terminal(t, name[0] == 'r');
    if (strcmp(name, "longname") == 0)
        return put_longname(t);
    if (!listed(all_names, name)) {
        wk_msg(t->c, "unknown terminfo capability '%s'", name);
        return 4;
    }
    if (listed(numbers, name))
        return put_number(t, name);
    const char *text = find_capability(t, name);
    if (!text)
        return 1;
    if (strcmp(text, "!") == 0)
        return 0;
    int params = count_params(text);
    if (params && n == 1) {
        wk_out_c(t->c->out, text);
        return 0;
    }
    struct machine m = {0};
    for (int i = 0; i < params && i + 1 < n; i++, ++*used) {
        int err;
        (void)wk_scan_i64(wk_str_c(words[i + 1]), 10, &m.param[i], &err);
        m.param[i] = WK_MAX(WK_MIN(m.param[i], INT32_MAX), INT32_MIN);
    }
    put_text(t, text, &m);
    return 0;
}

static int answer_lines(struct terminal *t)
{
    struct wk_str line;
    int failures = 0;
    while (wk_line_next(t->c->in, '\n', &line)) {
        char *p = wk_dupn(t->c, line.p, line.n), *words[10];
        int n = 0, used;
        while (n < 10) {
            p += strspn(p, " \t");
            if (!*p)
                break;
            words[n++] = p;
            p += strcspn(p, " \t");
            if (*p)
                *p++ = '\0';
        }
        int status = n ? answer(t, n, words, &used) : 0;
        if (status == 4)
            return 4;
        failures += status != 0;
    }
    return failures ? 4 + WK_MIN(failures, 100) : 0;
}

/* ---- arguments ---------------------------------------------------------------------------------- */

static int know_terminal(struct terminal *t, const char *name, bool is_clear)
{
    struct wk_cmd *c = t->c;
    if (!name && is_clear) {
        wk_out_c(c->err, "TERM environment variable not set.\n");
        return 1;
    }
    if (!name || (!is_clear && !*name)) {
        wk_msg(c, "No value for $TERM and no -T specified");
        return 2;
    }
    t->colors256 = strcmp(name, "xterm-256color") == 0;
    t->xterm = t->colors256 || strcmp(name, "xterm") == 0;
    if (t->xterm || strcmp(name, "dumb") == 0)
        return 0;
    if (!is_clear)
        wk_msg(c, "unknown terminal \"%s\"", name);
    else
        wk_out_fmt(c->err, "'%s': unknown terminal type.\n", name);
    return is_clear ? 1 : 3;
}

enum who { TPUT, CLEAR };

static WK_NORETURN void usage(struct wk_cmd *c, enum who who)
{
    static const char *const forms[] = {"tput [-SVx] [-T TERM] [NAME [PARAMETER]...]...", "clear [-Vx] [-T TERM]"};
    wk_out_fmt(c->err, "Usage: %s\n", forms[who]);
    wk_exit(c, who == TPUT ? 2 : 1);
}

/* Reads the letters of argv[*at]; an argument of one may be the next word. */
static void read_letters(struct terminal *t, enum who who, int *at, const char **term, bool *lines)
{
    static const char *const flags[] = {"Sx", "x"};
    struct wk_cmd *c = t->c;
    for (const char *p = c->argv[*at] + 1; *p; p++) {
        if (*p == 'V') {
            wk_out_c(c->out, "ncurses 6.4.20221231\n");
            wk_exit(c, 0);
        }
        if (*p == 'T') {
            if (!p[1] && ++*at >= c->argc) {
                wk_msg(c, "option requires an argument -- '%c'", *p);
                usage(c, who);
            }
            *term = p[1] ? p + 1 : c->argv[*at];
            return;
        }
        if (!strchr(flags[who], *p)) {
            wk_msg(c, "invalid option -- '%c'", *p);
            usage(c, who);
        }
        t->keep_scrolled = t->keep_scrolled || *p == 'x';
        *lines = *lines || *p == 'S';
    }
}

static int tput_main(struct wk_cmd *c)
{
    struct terminal t = {.c = c};
    enum who who = strcmp(c->name, "clear") == 0 ? CLEAR : TPUT;
    const char *term = wk_cmd_env(c, "TERM");
    bool lines = false;
    int at = 1, used;
    for (; at < c->argc && c->argv[at][0] == '-' && c->argv[at][1]; at++) {
        if (strcmp(c->argv[at], "--") == 0) {
            at++;
            break;
        }
        read_letters(&t, who, &at, &term, &lines);
    }
    if (who == CLEAR ? at < c->argc : !lines && at >= c->argc)
        usage(c, who);
    int status = know_terminal(&t, term, who == CLEAR);
    if (status)
        return status;
    if (who == CLEAR)
        return clear_screen(&t) ? 1 : 0;
    if (lines)
        return answer_lines(&t);
    for (; at < c->argc && !status; at += used)
        status = answer(&t, c->argc - at, c->argv + at, &used);
    return status;
}

WK_COMMAND(tput, .aliases = "clear", .summary = "ask or set what a terminal understands",
           .usage = "tput [OPTION]... [NAME [PARAMETER]...]...\nclear [OPTION]...",
           .std = "ncurses 6.4", .opts = tput_options, .opts_size = sizeof(bool), .flags = WK_CMD_RAW_ARGS);
