/* zone_table.c - the time zones that the library knows by name
 *
 * cmake/make_zones.cmake writes the table from the compiled zones of the machine that builds.
 */
#include "text/date/zone_priv.h"

struct zone_piece {
    uint32_t at, n;
};

struct zone_name {
    const char *text;
    uint16_t piece;
};

#include "zones.inc"

/* Also by the path in a usual place, and by the name of the same zones without leap seconds. */
static struct wk_str plain_name(struct wk_str name)
{
    static const struct wk_str fronts[] = {WK_STR_INIT("/usr/share/zoneinfo/"), WK_STR_INIT("posix/")};
    for (size_t k = 0; k < WK_COUNTOF(fronts); k++)
        if (name.n > fronts[k].n && memcmp(name.p, fronts[k].p, fronts[k].n) == 0)
            name = wk_str_from(name, fronts[k].n);
    return name;
}

bool wk_tz_find(struct wk_str name, struct wk_str *block)
{
    size_t lo = 0, hi = ZONE_NAMES;
    name = plain_name(name);
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int order = wk_str_cmp(name, wk_str_c(zone_names[mid].text));
        if (order == 0) {
            const struct zone_piece *p = &zone_pieces[zone_names[mid].piece];
            *block = wk_str((const char *)zone_bytes + p->at, p->n);
            return true;
        }
        if (order < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return false;
}
