/* hash.c - a fast hash of contents, 32 bytes at a time: it tells whether they have changed, no more */
#include "adapters/guest/guest.h"

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

/* Four products that do not wait for one another. */
static uint64_t block(uint64_t h, const unsigned char *p)
{
    uint64_t v[4];
    memcpy(v, p, sizeof v);
    uint64_t a = (v[0] ^ h) * 0x9fb21c651e98df25u, b = (v[1] + h) * 0xd6e8feb86659fd93u;
    uint64_t c = (v[2] ^ (h >> 7)) * 0xff51afd7ed558ccdu, d = (v[3] + (h << 9)) * 0xc4ceb9fe1a85ec53u;
    return mix(a ^ b >> 31, c ^ d >> 29) + b + (d << 1);
}

void guest_hash_add(struct guest_hash *s, const void *p, size_t n)
{
    const unsigned char *b = p;
    size_t have = s->n % sizeof s->rest;
    s->n += n;
    if (have) {
        size_t part = sizeof s->rest - have < n ? sizeof s->rest - have : n;
        memcpy(s->rest + have, b, part);
        b += part;
        n -= part;
        if (have + part < sizeof s->rest)
            return;
        s->h = block(s->h, s->rest);
    }
    for (; n >= sizeof s->rest; b += sizeof s->rest, n -= sizeof s->rest)
        s->h = block(s->h, b);
    if (n)
        memcpy(s->rest, b, n);
}

uint64_t guest_hash_end(const struct guest_hash *s)
{
    unsigned char last[32] = {0};
    memcpy(last, s->rest, s->n % sizeof s->rest);
    uint64_t h = mix(block(s->h, last), s->n);
    return h + (h == 0);
}
