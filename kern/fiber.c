/* fiber.c - stacks from a pool, fibers on them, further segments, drops */
#define _GNU_SOURCE /* pthread_getattr_np under ASan */
#include "kern/fiber.h"

#include "kern/fiber_switch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if WK_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if WK_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* Stands at the upper end of every stack. */
struct wk_segment {
    struct wk_segment *next; /* pool: next free; fiber: the segment it continued from */
    char *map;               /* guard page, then the stack */
    size_t map_len;
    uintptr_t floor;
};

struct wk_stacks {
    pthread_mutex_t lock;
    struct wk_segment *free, *lib_free;
    size_t nfree, keep;
    size_t guard;
};

struct wk_fiber {
    void *sp;      /* saved context while suspended */
    void *resumer; /* saved context of the resumer while running */
    struct wk_segment *seg;
    struct wk_stacks *pool;
    struct wk_mem *mem;
    void (*fn)(void *);
    void *arg;
#if WK_ASAN
    void *fake, *resumer_fake;
    const void *resumer_bottom;
    size_t resumer_size;
#endif
#if WK_TSAN
    void *tsan, *tsan_resumer;
#endif
};

/* ---- pool ---------------------------------------------------------------------------------------
 */

struct wk_stacks *wk_stacks_new(size_t keep)
{
    struct wk_stacks *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    if (pthread_mutex_init(&s->lock, NULL) != 0) {
        free(s);
        return NULL;
    }
    s->keep = keep;
    long page = sysconf(_SC_PAGESIZE);
    s->guard = page > 0 ? (size_t)page : 4096;
    return s;
}

static void unmap(struct wk_segment *g)
{
    munmap(g->map, g->map_len);
}

void wk_stacks_trim(struct wk_stacks *s, size_t keep)
{
    pthread_mutex_lock(&s->lock);
    while (s->nfree > keep) {
        struct wk_segment *g = s->free;
        s->free = g->next;
        s->nfree--;
        unmap(g);
    }
    while (keep == 0 && s->lib_free) {
        struct wk_segment *g = s->lib_free;
        s->lib_free = g->next;
        unmap(g);
    }
    pthread_mutex_unlock(&s->lock);
}

void wk_stacks_free(struct wk_stacks *s)
{
    if (!s)
        return;
    wk_stacks_trim(s, 0);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* A guard page: in the page tables where the kernel can (Linux 6.13), so that neighbouring stacks
 * stay one mapping; else by protection, which splits it. */
static bool install_guard(char *p, size_t n)
{
#if !WK_ASAN && !WK_TSAN
    enum { GUARD_INSTALL = 102 };
    if (madvise(p, n, GUARD_INSTALL) == 0)
        return true;
#endif
    return mprotect(p, n, PROT_NONE) == 0;
}

static struct wk_segment *map_stack(struct wk_stacks *s, size_t bytes)
{
    size_t len = bytes + s->guard;
    char *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    if (!install_guard(p, s->guard)) {
        munmap(p, len);
        return NULL;
    }
    size_t at = (len - sizeof(struct wk_segment)) & ~(size_t)63;
    void *top = p + at;
    struct wk_segment *g = top;
    *g = (struct wk_segment){.map = p, .map_len = len, .floor = (uintptr_t)p + s->guard};
    return g;
}

static struct wk_segment *take_stack(struct wk_stacks *s)
{
    pthread_mutex_lock(&s->lock);
    struct wk_segment *g = s->free;
    if (g) {
        s->free = g->next;
        s->nfree--;
    }
    pthread_mutex_unlock(&s->lock);
    return g ? g : map_stack(s, WK_STACK_BYTES);
}

static void give_stack(struct wk_stacks *s, struct wk_segment *g)
{
#if WK_ASAN
    __asan_unpoison_memory_region((void *)g->floor, (uintptr_t)g - g->floor);
#endif
    pthread_mutex_lock(&s->lock);
    bool kept = s->nfree < s->keep;
    if (kept) {
        g->next = s->free;
        s->free = g;
        s->nfree++;
    }
    pthread_mutex_unlock(&s->lock);
    if (!kept)
        unmap(g);
}

/* ---- sanitizer hooks
 * ------------------------------------------------------------------------------ */

#if WK_ASAN
static void leave_to(void **fake, const void *bottom, size_t size)
{
    __sanitizer_start_switch_fiber(fake, bottom, size);
}
static void leave_to_segment(void **fake, const struct wk_segment *g)
{
    leave_to(fake, (const void *)g->floor, (uintptr_t)g - g->floor);
}
static void arrive(void *fake, const void **bottom, size_t *size)
{
    __sanitizer_finish_switch_fiber(fake, bottom, size);
}
#endif

/* ---- fibers
 * ----------------------------------------------------------------------------------------- */

static void fiber_start(void *arg)
{
    struct wk_fiber *f = arg;
#if WK_ASAN
    arrive(NULL, &f->resumer_bottom, &f->resumer_size);
#endif
    f->fn(f->arg);
    __builtin_trap();
}

int wk_fiber_new(struct wk_stacks *s, struct wk_mem *charge, void (*fn)(void *), void *arg,
                 struct wk_fiber **out)
{
    if (!wk_mem_charge(charge, WK_STACK_BYTES))
        return -WK_ENOMEM;
    struct wk_segment *g = take_stack(s);
    if (!g) {
        wk_mem_credit(charge, WK_STACK_BYTES);
        return -WK_EAGAIN;
    }
    g->next = NULL;
    void *at = (void *)(((uintptr_t)g - sizeof(struct wk_fiber)) & ~(uintptr_t)63);
    struct wk_fiber *f = at;
    *f = (struct wk_fiber){.seg = g, .pool = s, .mem = charge, .fn = fn, .arg = arg};
    f->sp = wk_fiber_prepare(at, fiber_start, f);
#if WK_TSAN
    f->tsan = __tsan_create_fiber(0);
#endif
    *out = f;
    return 0;
}

void wk_fiber_resume(struct wk_fiber *f)
{
#if WK_TSAN
    f->tsan_resumer = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(f->tsan, 0);
#endif
#if WK_ASAN
    void *mine;
    leave_to_segment(&mine, f->seg);
    wk_fiber_switch(&f->resumer, f->sp);
    arrive(mine, NULL, NULL);
#else
    wk_fiber_switch(&f->resumer, f->sp);
#endif
}

void wk_fiber_yield(struct wk_fiber *f)
{
#if WK_TSAN
    __tsan_switch_to_fiber(f->tsan_resumer, 0);
#endif
#if WK_ASAN
    leave_to(&f->fake, f->resumer_bottom, f->resumer_size);
    wk_fiber_switch(&f->sp, f->resumer);
    void *fake = f->fake;
    f->fake = NULL;
    arrive(fake, &f->resumer_bottom, &f->resumer_size);
#else
    wk_fiber_switch(&f->sp, f->resumer);
#endif
}

void wk_fiber_finish(struct wk_fiber *f)
{
#if WK_TSAN
    __tsan_switch_to_fiber(f->tsan_resumer, 0);
#endif
#if WK_ASAN
    leave_to(NULL, f->resumer_bottom, f->resumer_size);
#endif
    wk_fiber_switch(&f->sp, f->resumer);
    __builtin_unreachable();
}

#if WK_ASAN
/* A dropped fiber leaves a fake stack behind: become its owner for a moment, and leave it for good.
 */
static void drop_fake_stack(void *fake)
{
    pthread_attr_t attr;
    void *bottom = NULL, *mine = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
        pthread_attr_getstack(&attr, &bottom, &size);
        pthread_attr_destroy(&attr);
    }
    leave_to(&mine, bottom, size);
    arrive(fake, NULL, NULL);
    leave_to(NULL, bottom, size);
    arrive(mine, NULL, NULL);
}
#endif

void wk_fiber_free(struct wk_fiber *f)
{
#if WK_ASAN
    if (f->fake)
        drop_fake_stack(f->fake);
#endif
#if WK_TSAN
    __tsan_destroy_fiber(f->tsan);
#endif
    struct wk_stacks *pool = f->pool;
    struct wk_mem *mem = f->mem;
    /* The fiber's own record lies in the last one. */
    for (struct wk_segment *g = f->seg, *next; g; g = next) {
        next = g->next;
        wk_mem_credit(mem, WK_STACK_BYTES);
        give_stack(pool, g);
    }
}

uintptr_t wk_fiber_floor(const struct wk_fiber *f)
{
    return f->seg->floor;
}

/* ---- further segments
 * ---------------------------------------------------------------------------------- */

struct segment_call {
    int (*fn)(void *);
    void *arg;
    int result;
#if WK_ASAN
    void *inner_fake, *outer_fake;
    const void *outer_bottom;
    size_t outer_size;
#endif
};

static void run_segment(void *arg)
{
    struct segment_call *c = arg;
#if WK_ASAN
    arrive(NULL, &c->outer_bottom, &c->outer_size);
#endif
    c->result = c->fn(c->arg);
#if WK_ASAN
    leave_to(NULL, c->outer_bottom, c->outer_size);
#endif
}

static void call_on(struct wk_segment *g, struct segment_call *c)
{
#if WK_ASAN
    leave_to_segment(&c->outer_fake, g);
    wk_fiber_call_on(g, run_segment, c);
    arrive(c->outer_fake, NULL, NULL);
#else
    wk_fiber_call_on(g, run_segment, c);
#endif
}

int wk_fiber_extend(struct wk_fiber *f, int (*fn)(void *), void *arg, int *result)
{
    if (!wk_mem_charge(f->mem, WK_STACK_BYTES))
        return -WK_ENOMEM;
    struct wk_segment *g = take_stack(f->pool);
    if (!g) {
        wk_mem_credit(f->mem, WK_STACK_BYTES);
        return -WK_EAGAIN;
    }
    g->next = f->seg;
    f->seg = g;
    struct segment_call c = {.fn = fn, .arg = arg};
    call_on(g, &c);
    f->seg = g->next;
    wk_mem_credit(f->mem, WK_STACK_BYTES);
    give_stack(f->pool, g);
    *result = c.result;
    return 0;
}

int wk_fiber_lib_call(struct wk_fiber *f, int (*fn)(void *), void *arg, int *result)
{
    struct wk_stacks *s = f->pool;
    pthread_mutex_lock(&s->lock);
    struct wk_segment *g = s->lib_free;
    if (g)
        s->lib_free = g->next;
    pthread_mutex_unlock(&s->lock);
    if (!g)
        g = map_stack(s, WK_LIB_STACK_BYTES);
    if (!g)
        return -WK_EAGAIN;
    struct segment_call c = {.fn = fn, .arg = arg};
    call_on(g, &c);
    pthread_mutex_lock(&s->lock);
    g->next = s->lib_free;
    s->lib_free = g;
    pthread_mutex_unlock(&s->lock);
    *result = c.result;
    return 0;
}
