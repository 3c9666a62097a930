/* choice.c - option arguments that are one of several words */
#include "builtins/choice.h"

int wk_choice_value(const char *arg, const struct wk_choice *table)
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
    return ambiguous ? -2 : found ? found->value : -1;
}

static void complain(struct wk_cmd *c, const char *option, const char *arg, const struct wk_choice *table,
                     bool ambiguous)
{
    wk_msg(c, "%s argument %s for %s", ambiguous ? "ambiguous" : "invalid", wk_quote_arg(c, arg),
           wk_quote_arg(c, option));
    wk_out_c(c->err, "Valid arguments are:");
    for (const struct wk_choice *k = table; k->word; k++)
        wk_out_fmt(c->err, "%s%s", k > table && k[-1].value == k->value ? ", " : "\n  - ", wk_quote_arg(c, k->word));
    wk_out_char(c->err, '\n');
}

void wk_choice_complain(struct wk_cmd *c, const char *option, const char *arg, const struct wk_choice *table)
{
    complain(c, option, arg, table, wk_choice_value(arg, table) == -2);
}

int wk_choice_read(struct wk_cmd *c, const char *option, const char *arg,
                   const struct wk_choice *table)
{
    int value = wk_choice_value(arg, table);
    if (value >= 0)
        return value;
    wk_choice_complain(c, option, arg, table);
    wk_out_fmt(c->err, "Try '%s --help' for more information.\n", c->name);
    wk_exit(c, 1);
}

int wk_choice_exact(struct wk_cmd *c, const char *option, const char *arg, const struct wk_choice *table)
{
    for (const struct wk_choice *k = table; k->word; k++)
        if (strcmp(k->word, arg) == 0)
            return k->value;
    complain(c, option, arg, table, false);
    wk_out_fmt(c->err, "Try '%s --help' for more information.\n", c->name);
    wk_exit(c, 1);
}
