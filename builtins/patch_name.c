/* patch_name.c - patch: the names in headers, and which file they mean */
#include "base/num.h"
#include "builtins/patch.h"

/* ---- names ------------------------------------------------------------------------------------- */

/* A name in double quotes with escapes as in C: bytes used, 0 when it is none. */
static size_t quoted(struct patch *p, struct wk_str s, char **out)
{
    char *b = (char *)wk_heap_alloc(p->c->heap, s.n + 1);
    size_t n = 0, i = 1;
    while (i < s.n && s.p[i] != '"' && s.p[i] != '\n') {
        char ch = s.p[i++];
        if (ch == '\\' && i < s.n) {
            static const char from[] = "abfnrtv\\\"", to[] = "\a\b\f\n\r\t\v\\\"";
            const char *known = strchr(from, s.p[i]);
            if (known && *known) {
                ch = to[known - from];
                i++;
            } else if (s.p[i] >= '0' && s.p[i] <= '3' && i + 2 < s.n) {
                ch = (char)((s.p[i] - '0') << 6 | (s.p[i + 1] - '0') << 3 | (s.p[i + 2] - '0'));
                i += 3;
            } else {
                return 0;
            }
        }
        b[n++] = ch;
    }
    if (i >= s.n || s.p[i] != '"')
        return 0;
    b[n] = '\0';
    *out = b;
    return i + 1;
}

/* Takes leading directories away as -p asks; NULL when there are not enough. */
static char *stripped(const struct patch *p, char *name)
{
    int64_t left = p->o->has_strip ? p->o->strip : -1;
    char *start = name;
    for (char *s = name; *s; s++) {
        if (*s != '/')
            continue;
        while (s[1] == '/')
            s++;
        if (!p->o->has_strip || --left >= 0)
            start = s + 1;
    }
    return (!p->o->has_strip || left <= 0) && *start ? start : NULL;
}

static int64_t time_of(struct patch *p, struct wk_str text)
{
    int64_t ns;
    const struct wk_tz *tz = p->o->set_time ? wk_zone_of(p->c) : wk_tz_utc();
    if (!text.n)
        return -1;
    text = wk_str_trim(text);
    if (!wk_zone_parse(p->c, tz, wk_dupn(p->c, text.p, text.n), wk_cmd_now(p->c), &ns))
        return -1;
    const int64_t hour = INT64_C(3600) * 1000000000;
    if (!p->o->set_time && !p->o->set_utc)
        return ns > -25 * hour && ns < 26 * hour ? 0 : ns < 0 ? -1 : ns; /* the epoch, wherever that was written */
    return ns < 0 ? -1 : ns;
}

/* Where an unquoted name ends: at a tab, or at a blank when there is none. */
static size_t name_end(struct wk_str s)
{
    ptrdiff_t tab = wk_str_chr(s, '\t');
    if (tab >= 0)
        return (size_t)tab;
    size_t n = 0;
    while (n < s.n && !wk_is_space((unsigned char)s.p[n]))
        n++;
    return n;
}

void wk_patch_take_name(struct patch *p, struct wk_str s, int slot)
{
    while (s.n && s.p[0] != '\n' && wk_is_space((unsigned char)s.p[0]))
        s = wk_str_from(s, 1);
    char *name = NULL;
    size_t n = s.n && s.p[0] == '"' ? quoted(p, s, &name) : 0;
    if (!n) {
        n = name_end(s);
        name = wk_dupn(p->c, s.p, n);
    }
    struct wk_str rest = wk_str_from(s, n);
    if (rest.n && rest.p[rest.n - 1] == '\n')
        rest.n--;
    struct wk_str shown = rest;
    if (rest.n && rest.p[rest.n - 1] == '\r')
        shown.n--;
    int64_t time = -1;
    if (strcmp(name, "/dev/null") == 0) {
        name = p->h.git ? p->h.name[slot] : NULL;
        time = 0;
    } else {
        time = slot < PATCH_INDEX ? time_of(p, rest) : -1;
        name = *name ? stripped(p, name) : NULL;
        if (!name && p->h.git)
            name = p->h.name[slot];
    }
    p->h.name[slot] = name;
    if (slot < PATCH_INDEX) {
        p->h.time[slot] = time;
        p->h.time_text[slot] = shown;
    }
}

bool wk_patch_git_names(struct patch *p, struct wk_str s)
{
    char *name[2];
    for (int i = 0; i < 2; i++) {
        while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
            s = wk_str_from(s, 1);
        size_t n = s.n && s.p[0] == '"' ? quoted(p, s, &name[i]) : 0;
        if (!n) {
            while (n < s.n && !wk_is_space((unsigned char)s.p[n]))
                n++;
            name[i] = wk_dupn(p->c, s.p, n);
        }
        if (!n)
            return false;
        s = wk_str_from(s, n);
    }
    if (wk_str_trim(s).n)
        return false;
    p->h.name[PATCH_OLD] = stripped(p, name[0]);
    p->h.name[PATCH_NEW] = stripped(p, name[1]);
    return true;
}

/* ---- choosing ---------------------------------------------------------------------------------- */

static bool safe(const char *name)
{
    if (name[0] == '/')
        return false;
    for (const char *s = name; *s;) {
        size_t n = strcspn(s, "/");
        if (n == 2 && s[0] == '.' && s[1] == '.')
            return false;
        s += n + (s[n] == '/');
    }
    return true;
}

static size_t components(const char *name)
{
    size_t n = 0;
    for (const char *s = name; *s; s++)
        n += *s != '/' && (s == name || s[-1] == '/');
    return n;
}

static size_t base_length(const char *name)
{
    size_t n;
    (void)wk_last_component(name, &n);
    return n;
}

/* The best of the names with usable[i]: fewest parts, shortest last part, shortest, first; -1: none. */
static int best_name(const struct patch *p, const bool *usable)
{
    int best = -1;
    size_t least[3] = {0, 0, 0};
    for (int i = 0; i < PATCH_NAMES; i++) {
        const char *name = p->h.name[i];
        if (!name || !usable[i])
            continue;
        size_t now[3] = {components(name), base_length(name), strlen(name)};
        int order = 0;
        for (int k = 0; k < 3 && !order && best >= 0; k++)
            order = now[k] < least[k] ? -1 : now[k] > least[k];
        if (best < 0 || order < 0) {
            best = i;
            memcpy(least, now, sizeof now);
        }
    }
    return best;
}

/* How many directories of a name are missing. */
static size_t new_directories(struct patch *p, const char *name)
{
    size_t missing = 0;
    struct wk_stat st;
    char *path = wk_dup(p->c, name);
    for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/')) {
        *slash = '\0';
        if (!*path || wk_cmd_stat(p->c, path, true, &st) == 0)
            break;
        missing++;
    }
    return missing;
}

static int best_new_name(struct patch *p)
{
    size_t count[PATCH_NAMES] = {0}, least = SIZE_MAX;
    bool usable[PATCH_NAMES];
    for (int i = 0; i < PATCH_NAMES; i++)
        if (p->h.name[i]) {
            count[i] = new_directories(p, p->h.name[i]);
            least = WK_MIN(least, count[i]);
        }
    for (int i = 0; i < PATCH_NAMES; i++)
        usable[i] = p->h.name[i] && count[i] == least;
    return best_name(p, usable);
}

void wk_patch_look(struct patch *p)
{
    p->in_err =
        wk_patch_is_doomed(p, p->in_name) ? WK_ENOENT : wk_at_stat(p->c, NULL, p->in_name, p->o->follow, &p->in_st);
    if (p->in_err)
        p->in_st = (struct wk_stat){0};
}

/* A patch that creates what is there, or deletes what is not, may be the wrong way round. */
static void check_direction(struct patch *p, const char *name, bool missing, bool empty)
{
    const int *absent = p->h.absent;
    if (empty && absent[p->reverse ^ missing] == 1 && absent[!p->reverse ^ missing] == 2)
        return;
    if (!(!empty < absent[p->reverse ^ empty]))
        return;
    const char *text =
        wk_strf(p->c, "The next patch%s would %s the file %s,\nwhich %s!", p->reverse ? ", when reversed," : "",
                missing ? "delete"
                : empty ? "empty out"
                        : "create",
                wk_patch_quote(p, name),
                missing ? "does not exist"
                : empty ? "is already empty"
                        : "already exists");
    if (wk_patch_ok_to_reverse(p, text))
        p->reverse = !p->reverse;
}

static int existing_name(struct patch *p, struct wk_stat *st)
{
    bool there[PATCH_NAMES] = {false};
    for (int i = 0; i < PATCH_NAMES; i++) {
        const char *name = p->h.name[i];
        if (!name)
            continue;
        bool again = i > 0 && p->h.name[i - 1] && strcmp(p->h.name[i - 1], name) == 0;
        there[i] = again ? there[i - 1]
                         : !wk_patch_is_doomed(p, name) && wk_at_stat(p->c, NULL, name, p->o->follow, &st[i]) == 0;
        if (again)
            st[i] = st[i - 1];
        if (there[i] && !safe(name)) {
            if (!again)
                PATCH_SAY(p, "Ignoring potentially dangerous file name %s\n", wk_patch_quote(p, name));
            there[i] = false;
            p->h.name[i] = NULL;
        }
        if (there[i] && p->o->posix)
            return i;
    }
    int from = p->reverse ? PATCH_NEW : PATCH_OLD;
    if ((p->h.rename || p->h.copy) && there[from])
        return from;
    return p->o->posix ? -1 : best_name(p, there);
}

static void choose_from_names(struct patch *p)
{
    struct patch_head *h = &p->h;
    struct wk_stat st[PATCH_NAMES];
    if (!p->o->posix && (h->name[PATCH_OLD] || h->name[PATCH_NEW]))
        h->name[PATCH_INDEX] = NULL;
    int i = existing_name(p, st), last = -1;
    for (int k = 0; k < PATCH_NAMES; k++)
        if (h->name[k])
            last = k;
    p->in_name = NULL;
    bool empty = i < 0 || st[i].size == 0;
    if (!p->o->posix && (i >= 0 || last >= 0))
        check_direction(p, h->name[i < 0 ? last : i], i < 0, empty);
    if (i < 0 && !p->skip && (h->absent[p->reverse] || (p->o->force && h->absent[!p->reverse]))) {
        i = best_new_name(p);
        if (i >= 0 && !safe(h->name[i])) {
            PATCH_SAY(p, "Ignoring potentially dangerous file name %s\n", wk_patch_quote(p, h->name[i]));
            i = -1;
        }
    }
    if (i >= 0) {
        p->in_name = h->name[i];
        wk_patch_look(p);
    }
    const char *other = h->name[!p->reverse];
    if ((h->rename || h->copy) && !(p->in_name && i < PATCH_INDEX && other && safe(other))) {
        PATCH_SAY(p, "Cannot %s file without two valid file names\n", h->rename ? "rename" : "copy");
        p->skip = true;
    }
}

void wk_patch_choose(struct patch *p)
{
    if (p->c->nargs > 0) {
        p->in_name = p->c->args[0];
        wk_patch_look(p);
        check_direction(p, p->in_name, p->in_err != 0, p->in_err || p->in_st.size == 0);
    } else {
        choose_from_names(p);
    }
}
