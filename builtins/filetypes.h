/* filetypes.h - names of files by type */
#ifndef WK_BUILTINS_FILETYPES_H
#define WK_BUILTINS_FILETYPES_H

struct wk_filetype {
    const char *name; /* NULL ends the table */
    const char *globs; /* divided by blanks */
};
extern const struct wk_filetype wk_filetypes[];

#endif
