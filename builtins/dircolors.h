/* dircolors.h - the table of colors that is built into dircolors */
#ifndef WK_BUILTINS_DIRCOLORS_H
#define WK_BUILTINS_DIRCOLORS_H

/* Lines without their newlines; NULL behind the last. */
extern const char *const wk_dircolors_table[];

#endif
