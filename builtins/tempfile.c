/* tempfile.c - temporary files of commands: without a name as soon as they are open */
#include "builtins/tempfile.h"

const char *wk_temp_dir(struct wk_cmd *c)
{
    const char *dir = wk_cmd_env(c, "TMPDIR");
    return dir && *dir ? dir : "/tmp";
}

int wk_temp_open(struct wk_cmd *c, const char *dir, const char *prefix, struct wk_file **out,
                 const char **name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    enum { RANDOM = 6, TRIES = 1000 };
    char *path = wk_strf(c, "%s/%sXXXXXX", dir, prefix), *x = path + strlen(path) - RANDOM;
    int err = WK_EEXIST;
    for (int tries = 0; err == WK_EEXIST && tries < TRIES; tries++) {
        uint64_t bits = wk_kern_random(c->k);
        for (int i = 0; i < RANDOM; i++, bits /= 62)
            x[i] = letters[bits % 62];
        err = wk_cmd_open(c, path, WK_O_RDWR | WK_O_CREAT | WK_O_EXCL, 0600, out);
    }
    if (!err)
        (void)wk_at_unlink(c, NULL, path);
    *name = path;
    return err;
}
