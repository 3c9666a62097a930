/* awk_random.c - the numbers of rand(), which are gawk's (seen in its output)
 *
 * An additive generator over 63 words, as random(3) has it, whose results are shuffled in a table
 * (Bays and Durham): what was given last says which one comes next.
 */
#include "builtins/awk.h"

enum { WORDS = 63, SHUFFLED = 512 };

struct awk_random {
    uint32_t word[WORDS], table[SHUFFLED];
    unsigned front; /* the other end is the word before it */
    uint32_t last;
};

static uint32_t plain(struct awk_random *r)
{
    unsigned rear = r->front ? r->front - 1 : WORDS - 1;
    uint32_t v = r->word[r->front] += r->word[rear];
    r->front = (r->front + 1) % WORDS;
    return v >> 1;
}

static uint32_t shuffled(struct awk_random *r)
{
    uint32_t *slot = &r->table[r->last % SHUFFLED];
    r->last = *slot;
    *slot = plain(r);
    return r->last;
}

static void seed_with(struct awk_random *r, int32_t seed)
{
    for (int i = 0; i < WORDS; i++) {
        r->word[i] = (uint32_t)seed;
        if (seed == 0)
            seed = 123459876;
        seed = 16807 * (seed % 127773) - 2836 * (seed / 127773);
        if (seed < 0)
            seed += 2147483647;
    }
    r->front = 1;
    for (int i = 0; i < SHUFFLED; i++)
        r->table[i] = plain(r);
    r->last = plain(r);
    for (int i = 0; i < 10 * WORDS; i++)
        (void)shuffled(r);
}

static struct awk_random *generator(struct awk *a)
{
    if (!a->random) {
        a->random = wk_new(a->c, struct awk_random);
        seed_with(a->random, 1);
        a->seed = 1;
    }
    return a->random;
}

double wk_awk_random(struct awk *a)
{
    struct awk_random *r = generator(a);
    double v;
    do {
        double low = shuffled(r), high = shuffled(r);
        v = 0.5 + (low / 2147483648.0 + high) / 2147483648.0;
        v -= 0.5;
    } while (v >= 1);
    return v;
}

double wk_awk_seed(struct awk *a, double seed)
{
    struct awk_random *r = generator(a);
    int64_t before = a->seed;
    a->seed = seed >= -9223372036854775808.0 && seed < 9223372036854775808.0 ? (int64_t)seed : INT64_MIN;
    seed_with(r, (int32_t)(uint32_t)(uint64_t)a->seed);
    return (double)before;
}
