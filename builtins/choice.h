/* choice.h - option arguments that are one of several words */
#ifndef WK_BUILTINS_CHOICE_H
#define WK_BUILTINS_CHOICE_H

#include "kern/cmd.h"

struct wk_choice {
    const char *word; /* NULL ends the table; words with one value stand beside each other */
    int value;
};

/* The value of `arg`, which may be cut short where that is not ambiguous. Otherwise prints GNU's
 * "invalid argument 'x' for '--option'" with the list of words and ends the process. */
int wk_choice_read(struct wk_cmd *c, const char *option, const char *arg,
                   const struct wk_choice *table);

/* The same where words may not be cut short. */
int wk_choice_exact(struct wk_cmd *c, const char *option, const char *arg,
                    const struct wk_choice *table);

/* Its two parts: the value, -1 when there is none and -2 when there are several; the message and the
 * list of words. */
int wk_choice_value(const char *arg, const struct wk_choice *table);
void wk_choice_complain(struct wk_cmd *c, const char *option, const char *arg, const struct wk_choice *table);

#endif
