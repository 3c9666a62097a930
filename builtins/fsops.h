/* fsops.h - file operations for commands, relative to a directory handle
 *
 * Purpose: every call takes `dir` (NULL: the process's working directory) and uses the process's
 *          credentials; it waits where a foreign mount is not ready.
 * Errors:  0 or a positive WK_E… code.
 * Parks:   only on foreign mounts that answer "again".
 */
#ifndef WK_BUILTINS_FSOPS_H
#define WK_BUILTINS_FSOPS_H

#include "kern/cmd.h"

/* Attributes of a file; of a symbolic link itself unless `follow`. */
int wk_at_stat(struct wk_cmd *c, struct wk_vdir *dir, const char *path, bool follow,
               struct wk_stat *st);
/* Whether `want` (WK_R_OK…) is allowed. */
int wk_at_access(struct wk_cmd *c, struct wk_vdir *dir, const char *path, int want);
/* The process's umask applies to mkdir, mknod and open. */
int wk_at_mkdir(struct wk_cmd *c, struct wk_vdir *dir, const char *path, uint32_t mode);
int wk_at_rmdir(struct wk_cmd *c, struct wk_vdir *dir, const char *path);
int wk_at_unlink(struct wk_cmd *c, struct wk_vdir *dir, const char *path);
int wk_at_rename(struct wk_cmd *c, struct wk_vdir *from_dir, const char *from,
                 struct wk_vdir *to_dir, const char *to, int at_flags);
int wk_at_link(struct wk_cmd *c, struct wk_vdir *from_dir, const char *from, struct wk_vdir *to_dir,
               const char *to, int at_flags);
int wk_at_symlink(struct wk_cmd *c, struct wk_vdir *dir, const char *target, const char *path);
int wk_at_mknod(struct wk_cmd *c, struct wk_vdir *dir, const char *path, uint32_t mode,
                uint64_t rdev);
int wk_at_chmod(struct wk_cmd *c, struct wk_vdir *dir, const char *path, bool follow, uint32_t mode);
int wk_at_chown(struct wk_cmd *c, struct wk_vdir *dir, const char *path, bool follow, uint32_t uid,
                uint32_t gid);
int wk_at_utimens(struct wk_cmd *c, struct wk_vdir *dir, const char *path, bool follow, int64_t atim,
                  int64_t mtim);
/* The same for an open file; of what has no inode here (a pipe, the host's end of a stream) there are no times. */
int wk_file_utimens(struct wk_cmd *c, struct wk_file *f, int64_t atim, int64_t mtim);
/* The link's text in the process heap. */
int wk_at_readlink(struct wk_cmd *c, struct wk_vdir *dir, const char *path, char **out);
/* The canonical name in the process heap. */
int wk_at_realpath(struct wk_cmd *c, const char *path, enum wk_realpath how, char **out);
/* Name of the working directory, in the process heap. */
int wk_at_cwd(struct wk_cmd *c, char **out);
/* Changes the process's working directory. */
int wk_cmd_chdir(struct wk_cmd *c, const char *path);
/* Handles that the caller must release; a process that may be dropped in between keeps them in
 * something registered with wk_heap_own. */
int wk_at_open(struct wk_cmd *c, struct wk_vdir *dir, const char *path, uint32_t flags, uint32_t mode,
               struct wk_vfile **out);
int wk_at_list(struct wk_cmd *c, struct wk_vdir *dir, const char *path, struct wk_vlist **out);

/* One file (two names of one inode, or the same stat twice). */
static inline bool wk_stat_same(const struct wk_stat *a, const struct wk_stat *b)
{
    return a->dev == b->dev && a->ino == b->ino && a->birth == b->birth;
}

/* The part after the last slash, trailing slashes not counted, as GNU's last_component; *n gets its
 * length without them. "/" gives "" at the end. */
const char *wk_last_component(const char *path, size_t *n);
/* Ends the name before its trailing slashes (in place), keeps a lone one. */
void wk_strip_slashes(char *path);
/* "regular empty file", "directory", "fifo"…: the words of stat and rm. Static. */
const char *wk_file_type_words(const struct wk_stat *st);
/* Writes the "?rwxr-xr-x" form and a NUL. */
void wk_mode_text(uint32_t mode, char out[11]);

/* An unfinished question was printed to c->err already (wk_out_fmt): reads one line of standard input;
 * true when it begins with y or Y. */
bool wk_ask(struct wk_cmd *c);

/* Opens an operand for reading by raw pieces: "-" (with dash) shares standard input. The stream is
 * only a holder of the file: read it with wk_raw_next. Reports nothing. */
int wk_raw_open(struct wk_cmd *c, const char *path, bool dash, struct wk_in **out);
/* Borrows the next bytes: their number, 0 at the end, or a positive code in *err (and 0). They stay
 * unread until wk_file_skip(in->file, n). P */
size_t wk_raw_next(struct wk_cmd *c, struct wk_in *in, const char **p, int *err);

/* For tools that write block by block: flushes c->out; an error ends the process with "error writing
 * 'standard output'" when `total` bytes are more than one block of stdio, else it is told at the end. P */
void wk_pass_flush(struct wk_cmd *c, uint64_t total);

/* At the end of a tool to which a standard output that is closed is no error (util-linux). P */
void wk_out_may_be_closed(struct wk_cmd *c);

/* Passes n of the bytes just borrowed to c->out and consumes them; right also when other processes read
 * from the same description. P */
void wk_raw_pass(struct wk_cmd *c, struct wk_in *in, const char *p, size_t n);

/* Bytes in the process heap that grow at the end and are taken from the front. */
struct wk_fifo_buf {
    char *p;
    size_t head, n, cap; /* live bytes are p[head] … p[head + n - 1] */
};
void wk_fifo_put(struct wk_cmd *c, struct wk_fifo_buf *b, const char *p, size_t n);
static inline void wk_fifo_take(struct wk_fifo_buf *b, size_t n)
{
    b->head += n;
    b->n -= n;
}

/* Where the last `count` lines of a text begin; the end of the text is no border between two. */
size_t wk_last_lines(struct wk_cmd *c, const char *p, size_t n, uint64_t count, char eol);

#endif
