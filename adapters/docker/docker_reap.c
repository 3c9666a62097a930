/* docker_reap.c - the kind "docker": what programs left behind that have died since
 *
 * A container ends with its program by itself. What is left is for an engine that was not there at that time. Only
 * what certainly belonged to a program of this machine is removed: everything that cannot be told stays.
 */
#include "adapters/docker/docker.h"
#include "adapters/docker/endpoint.h"

enum { REMOVE_MS = 20000, AT_ONCE = 64 };

int wk_docker_reap_with(struct wk_engine *e)
{
    struct wk_doc d;
    int n = 0;
    wk_doc_init(&d, e->mem);
    int code = wk_engine_list(e, "dev.whelk.managed=1", &d);
    if (code) {
        wk_doc_release(&d);
        return code;
    }
    for (const struct wk_doc_node *c = wk_doc_first(&d, wk_doc_root(&d)); c && n < AT_ONCE; c = wk_doc_next(&d, c)) {
        struct wk_str id = wk_doc_text_at(&d, c, "Id", NULL),
                      owner = wk_doc_text_at(&d, c, "Labels", "dev.whelk.owner");
        if (id.n && wk_docker_owner_is_dead(owner, e->mem) && wk_engine_remove(e, id.p, REMOVE_MS) == WHELK_OK)
            n++;
    }
    wk_doc_release(&d);
    return n;
}
