/* file_elf.c - how a program is linked, who interprets it, its build and whether symbols are left
 *
 * Standard: the System V ABI's object files. Every offset is checked by reading through `fetch`.
 */
#include "builtins/file.h"

enum { PHDRS = 2048, SHDRS = 32768, NOTES = 256, NOTE_BYTES = 1 << 20 };
enum { ET_REL = 1, ET_EXEC, ET_DYN, ET_CORE };
enum { PT_DYNAMIC = 2, PT_INTERP, PT_NOTE, SHT_SYMTAB = 2, SHT_NOTE = 7 };
enum { DT_NEEDED = 1, DT_FLAGS_1 = 0x6ffffffb, DF_1_PIE = 0x08000000 };

struct elf {
    struct wk_probe *p;
    bool wide, big;
    unsigned type;
    uint64_t phoff, shoff;
    unsigned phsize, phnum, shsize, shnum, shstr;
    int notes;
    bool build_id, os_note;
    bool dynamic, interpreter, flags_1;
    char interp[128];
    size_t needed;
    bool pie;
    struct wk_buf *note; /* what notes tell */
};

/* Bytes of the file; false where it ends before. */
static bool fetch(struct elf *e, uint64_t at, size_t n, char *to)
{
    struct wk_probe *p = e->p;
    if (at <= p->data.n && p->data.n - at >= n) {
        if (n)
            memcpy(to, p->data.p + at, n);
        return true;
    }
    if (!p->file || at > INT64_MAX - n || at + n > p->size ||
        wk_file_seek(p->file, (int64_t)at, 0) < 0)
        return false;
    for (size_t got = 0; got < n;) {
        ptrdiff_t k = wk_file_read(p->c->task, p->file, to + got, n - got);
        if (k <= 0)
            return false;
        got += (size_t)k;
    }
    return true;
}

static uint64_t field(const struct elf *e, const char *p, size_t at, size_t size)
{
    uint64_t v = 0;
    for (size_t i = 0; i < size; i++)
        v = v << 8 | (unsigned char)p[at + (e->big ? i : size - 1 - i)];
    return v;
}

/* A field that is as wide as addresses are. */
static uint64_t word(const struct elf *e, const char *p, size_t narrow, size_t wide)
{
    return e->wide ? field(e, p, wide, 8) : field(e, p, narrow, 4);
}

/* ---- notes -------------------------------------------------------------------------------------
 */

static void put_build_id(struct elf *e, const char *desc, size_t n)
{
    if (e->build_id || n < 4 || n > 20)
        return;
    e->build_id = true;
    const char *kind = n == 8 ? "xxHash" : n == 16 ? "md5/uuid" : n == 20 ? "sha1" : "unknown";
    wk_buf_fmt(e->note, ", BuildID[%s]=", kind);
    for (size_t i = 0; i < n; i++)
        wk_buf_fmt(e->note, "%02x", (unsigned)(unsigned char)desc[i]);
}

static void put_abi(struct elf *e, const char *desc, size_t n)
{
    static const char *const systems[] = {"Linux", "Hurd", "Solaris", "kFreeBSD", "kNetBSD"};
    if (e->os_note || n != 16)
        return;
    e->os_note = true;
    uint64_t os = field(e, desc, 0, 4);
    wk_buf_fmt(e->note, ", for GNU/%s %u.%u.%u", os < 5 ? systems[os] : "<unknown>",
               (unsigned)field(e, desc, 4, 4), (unsigned)field(e, desc, 8, 4),
               (unsigned)field(e, desc, 12, 4));
}

static void put_freebsd(struct elf *e, const char *desc, size_t n)
{
    if (e->os_note || n != 4)
        return;
    e->os_note = true;
    unsigned v = (unsigned)field(e, desc, 0, 4);
    wk_buf_put_c(e->note, ", for FreeBSD");
    if (v == 460002)
        wk_buf_put_c(e->note, " 4.6.2");
    else if (v < 460100)
        wk_buf_fmt(e->note, " %u.%u", v / 100000, v / 10000 % 10);
    else if (v < 500000)
        wk_buf_fmt(e->note, " %u.%u", v / 100000, v / 10000 % 10 + v / 1000 % 10);
    else
        wk_buf_fmt(e->note, " %u.%u", v / 100000, v / 1000 % 100);
    if (v >= 500000 && v / 1000 % 100 && v % 1000)
        wk_buf_fmt(e->note, " (%u)", v);
}

static void read_note(struct elf *e, const char *name, size_t namesz, const char *desc, size_t n,
                      uint64_t type)
{
    if (namesz == 4 && memcmp(name, "GNU", 4) == 0 && type == 3)
        put_build_id(e, desc, n);
    else if (namesz == 4 && memcmp(name, "GNU", 4) == 0 && type == 1)
        put_abi(e, desc, n);
    else if (namesz == 4 && memcmp(name, "Go\0", 4) == 0 && type == 4 && !e->build_id)
        wk_buf_fmt(e->note, ", Go BuildID=%.*s", (int)WK_MIN(n, 128), desc);
    else if (namesz == 8 && memcmp(name, "FreeBSD", 8) == 0 && type == 1)
        put_freebsd(e, desc, n);
    else if (namesz == 8 && memcmp(name, "OpenBSD", 8) == 0 && type == 1 && !e->os_note) {
        e->os_note = true;
        wk_buf_put_c(e->note, ", for OpenBSD");
    }
}

static void read_notes(struct elf *e, uint64_t at, uint64_t size, uint64_t align)
{
    if (!size || size > NOTE_BYTES)
        return;
    size_t n = (size_t)size, i = 0, step = align == 8 ? 8 : 4;
    char *p = (char *)wk_heap_alloc(e->p->c->heap, n);
    bool ok = fetch(e, at, n, p);
    while (ok && n - i >= 12 && e->notes++ < NOTES) {
        size_t namesz = (size_t)field(e, p, i, 4), descsz = (size_t)field(e, p, i + 4, 4);
        uint64_t type = field(e, p, i + 8, 4);
        if (!namesz && !descsz)
            break;
        i += 12;
        size_t name = i, desc = i + ((namesz + step - 1) & ~(step - 1));
        if (namesz > n - i || desc > n || descsz > n - desc)
            break;
        read_note(e, p + name, namesz, p + desc, descsz, type);
        i = desc + ((descsz + step - 1) & ~(step - 1));
        if (i > n)
            break;
    }
    wk_heap_free(e->p->c->heap, p);
}

/* ---- headers -----------------------------------------------------------------------------------
 */

static void read_dynamic(struct elf *e, uint64_t at, uint64_t size)
{
    char p[16];
    size_t step = e->wide ? 16 : 8;
    for (uint64_t i = 0; i + step <= size && i < 1 << 16; i += step) {
        if (!fetch(e, at + i, step, p))
            return;
        uint64_t tag = word(e, p, 0, 0), v = word(e, p, 4, 8);
        e->flags_1 = e->flags_1 || tag == DT_FLAGS_1;
        e->pie = e->pie || (tag == DT_FLAGS_1 && (v & DF_1_PIE));
        e->needed += tag == DT_NEEDED;
        if (!tag)
            return;
    }
}

static void read_segments(struct elf *e)
{
    char p[56];
    size_t size = e->wide ? 56 : 32;
    if (e->phsize != size)
        return;
    for (unsigned i = 0; i < e->phnum; i++) {
        wk_tick(e->p->c, 1);
        if (!fetch(e, e->phoff + (uint64_t)i * size, size, p))
            return;
        uint64_t type = field(e, p, 0, 4), at = word(e, p, 4, 8), n = word(e, p, 16, 32);
        if (type == PT_DYNAMIC) {
            e->dynamic = true;
            read_dynamic(e, at, n);
        } else if (type == PT_INTERP && n) {
            size_t k = (size_t)WK_MIN(n, sizeof e->interp - 1);
            e->interpreter = fetch(e, at, k, e->interp);
            e->interp[e->interpreter ? k : 0] = '\0';
        } else if (type == PT_NOTE && !e->shnum) {
            read_notes(e, at, n, word(e, p, 28, 48));
        }
    }
}

/* Whether the name of a section is `want`. */
static bool named(struct elf *e, uint64_t strings, uint64_t name, const char *want)
{
    char t[16];
    size_t n = strlen(want) + 1;
    return strings && fetch(e, strings + name, n, t) && memcmp(t, want, n) == 0;
}

static void read_sections(struct elf *e)
{
    char p[64];
    size_t size = e->wide ? 64 : 40;
    uint64_t strings = 0;
    bool symbols = false, debug = false;
    struct wk_buf *out = e->p->out;
    if (!e->shnum) {
        wk_buf_puts(out, wk_buf_str(e->note));
        wk_buf_put_c(out, ", no section header");
        return;
    }
    if (e->shsize != size) {
        wk_buf_put_c(out, ", corrupted section header size");
        return;
    }
    if (fetch(e, e->shoff + (uint64_t)e->shstr * size, size, p))
        strings = word(e, p, 16, 24);
    else {
        wk_buf_fmt(out, ", missing section headers at %llu",
                   (unsigned long long)(e->shoff + (uint64_t)e->shnum * size));
        return;
    }
    for (unsigned i = 0; i < e->shnum; i++) {
        wk_tick(e->p->c, 1);
        if (!fetch(e, e->shoff + (uint64_t)i * size, size, p))
            return;
        uint64_t type = field(e, p, 4, 4);
        debug = debug || named(e, strings, field(e, p, 0, 4), ".debug_info");
        symbols = symbols || type == SHT_SYMTAB;
        if (type == SHT_NOTE)
            read_notes(e, word(e, p, 16, 24), word(e, p, 20, 32), word(e, p, 32, 48));
    }
    wk_buf_puts(out, wk_buf_str(e->note));
    if (debug)
        wk_buf_put_c(out, ", with debug_info");
    wk_buf_put_c(out, symbols ? ", not stripped" : ", stripped");
}

static bool read_header(struct elf *e)
{
    const char *d = e->p->data.p;
    size_t n = e->p->data.n;
    if (n < 52 || memcmp(d, "\177ELF", 4) != 0 || (d[4] != 1 && d[4] != 2) ||
        (d[5] != 1 && d[5] != 2))
        return false;
    e->wide = d[4] == 2;
    e->big = d[5] == 2;
    if (n <= (e->wide ? 64 : 52))
        return false;
    e->type = (unsigned)field(e, d, 16, 2);
    e->phoff = word(e, d, 28, 32);
    e->shoff = word(e, d, 32, 40);
    size_t at = e->wide ? 54 : 42;
    e->phsize = (unsigned)field(e, d, at, 2);
    e->phnum = (unsigned)field(e, d, at + 2, 2);
    e->shsize = (unsigned)field(e, d, at + 4, 2);
    e->shnum = (unsigned)field(e, d, at + 6, 2);
    e->shstr = (unsigned)field(e, d, at + 8, 2);
    return true;
}

bool wk_probe_elf_pie(struct wk_probe *p)
{
    struct elf e = {.p = p, .note = wk_cmd_buf(p->c, 1 << 16)};
    if (!read_header(&e) || e.type != ET_DYN || e.phnum > PHDRS)
        return p->st && (p->st->mode & 0111);
    read_segments(&e);
    return e.pie || (!e.dynamic && p->st && (p->st->mode & 0111));
}

void wk_probe_elf(struct wk_probe *p)
{
    struct elf *e = wk_new(p->c, struct elf);
    e->p = p;
    e->note = wk_cmd_buf(p->c, 1 << 16);
    if (!read_header(e) || e->type < ET_REL || e->type > ET_CORE)
        return;
    if (p->say != WK_FILE_TEXT) {
        if (e->type != ET_REL && !e->phnum)
            wk_buf_put_c(p->out, ", no program header");
        return;
    }
    if (e->type == ET_CORE && !e->phnum)
        wk_buf_put_c(p->out, ", no program header");
    if (e->type == ET_CORE)
        return;
    if (e->type != ET_REL) {
        if (e->phnum > PHDRS) {
            wk_buf_fmt(p->out, ", too many program headers (%u)", e->phnum);
            return;
        }
        read_segments(e);
        if (!e->phnum)
            wk_buf_put_c(p->out, ", no program header");
        else
            wk_buf_fmt(p->out, ", %s linked",
                       !e->dynamic                                  ? "statically"
                       : e->needed || e->interpreter || !e->flags_1 ? "dynamically"
                                                                    : "static-pie");
        if (e->interpreter) {
            wk_buf_put_c(p->out, ", interpreter ");
            wk_magic_printable(p->out, wk_str_c(e->interp));
        }
    }
    if (e->shnum > SHDRS)
        wk_buf_fmt(p->out, ", too many section (%u)", e->shnum);
    else
        read_sections(e);
}
