/* endpoint.h - which container engine is meant, as Docker's own client finds it
 *
 * In this order: the option; DOCKER_HOST; DOCKER_CONTEXT, or the current context of config.json; the usual sockets of
 * Docker and Podman, of which the first that answers is taken. What is named must answer: there is no second choice
 * then.
 *
 * Trust:   config.json and a context's file are the user's own, and bounded all the same.
 */
#ifndef WK_ADAPTERS_ENDPOINT_H
#define WK_ADAPTERS_ENDPOINT_H

#include "adapters/docker/engine.h"

/* Finds the engine, asks whether it is there, and leaves e ready for use; option: NULL for none. Errors: NOENT (none
 * answers), ACCESS, INVALID, UNSUPPORTED (ssh, TLS, pipes of Windows), IO (one answers nothing within 2 s), CLOSED.
 */
int wk_endpoint_find(struct wk_engine *e, const char *option);
/* Docker's folder of configuration: $DOCKER_CONFIG, or ~/.docker. False when there is none. */
bool wk_endpoint_config_folder(struct wk_buf *b);

#endif
