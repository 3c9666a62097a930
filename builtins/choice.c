/* choice.c - option arguments that are one of several words */
#include "builtins/choice.h"

int wk_choice_read(struct wk_cmd *c, const char *option, const char *arg,
                   const struct wk_choice *table)
{
    size_t n = strlen(arg);
    const struct wk_choice *found = NULL;
    bool ambiguous = false;
    for (const struct wk_choice *k = table; k->word; k++) {
        if (strncmp(k->word, arg, n) != 0)
            continue;
        if (!k->word[n])
            return k->value;
        ambiguous = ambiguous || (found && found->value != k->value);
        found = k;
    }
    if (found && !ambiguous)
        return found->value;
    wk_msg(c, "%s argument %s for %s", found ? "ambiguous" : "invalid", wk_quote_arg(c, arg), wk_quote_arg(c, option));
    wk_out_c(c->err, "Valid arguments are:");
    for (const struct wk_choice *k = table; k->word; k++)
        wk_out_fmt(c->err, "%s%s", k > table && k[-1].value == k->value ? ", " : "\n  - ", wk_quote_arg(c, k->word));
    wk_out_fmt(c->err, "\nTry '%s --help' for more information.\n", c->name);
    wk_exit(c, 1);
}
