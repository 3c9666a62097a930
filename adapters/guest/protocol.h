/* protocol.h - what a sandbox's host and the guest helper say to one another
 *
 * One connection, frames both ways: a header of 12 bytes (length of the body, type, id; little-endian,
 * 32 bits each) and the body. The id is the process, transfer or request that a frame is about; the host
 * chooses it. Numbers in a body are little-endian, texts are a 32-bit length and their bytes.
 *
 * Flow: the guest sends a process's output only as far as the host gave credit, and takes its input as it
 * gives credit itself, so neither side has to keep what the other does not want yet.
 * End:  a process has ended when GUEST_EXIT says so, whoever still holds its output; GUEST_CLOSED follows
 *       when what had been written was passed on. The end of the connection ends every process.
 *
 * This header is all that both sides share. It needs nothing but the C library's <stdint.h> and <string.h>.
 */
#ifndef WK_ADAPTERS_GUEST_PROTOCOL_H
#define WK_ADAPTERS_GUEST_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define GUEST_SAME UINT32_MAX
#define GUEST_NOW INT64_MIN

enum {
    GUEST_PROTOCOL = 2,        /* its version */
    GUEST_HEADER = 12,
    GUEST_BODY_MAX = 1 << 20,  /* bytes; a longer one ends the connection */
    GUEST_CHUNK = 1 << 16,     /* most data in one frame that carries some */
    GUEST_PROCESSES = 512,     /* most that run at once */
    GUEST_INPUT = 1 << 18      /* of standard input that is welcome at first */
};

enum guest_request {
    /* u32 version, u32 enum guest_hello_flag, u32 uid and u32 gid of files that are put (GUEST_SAME: the guest's own),
     * text workspace, text of a further directory for GUEST_CONFINE_FILES or "". Answer: GUEST_READY or GUEST_ERROR. */
    GUEST_HELLO = 1,
    /* struct guest_spawn below. Answer: GUEST_STARTED or GUEST_FAILED. */
    GUEST_SPAWN,
    GUEST_STDIN,       /* bytes for its standard input */
    GUEST_STDIN_END,   /* no more of them */
    /* u32 stream, u32 bytes: so much more of its output is welcome; 0xffffffff: nobody takes it any more */
    GUEST_CREDIT,
    /* u32 process, u32 signal, u32 enum guest_scope. Answer: GUEST_OK with a u32 count; GUEST_ERROR */
    GUEST_SIGNAL,
    GUEST_RESIZE,      /* u32 rows, u32 columns of its terminal */
    /* u32 process, u32 stream, u64 offset, u32 most, u32 wait: 1 until there is some, or it ended. Answer: GUEST_LOG,
     * GUEST_ERROR. */
    GUEST_READ_LOG,
    GUEST_STOP_WAITING,/* its logs are read, or the port seen, as things are */
    GUEST_FORGET,      /* u32 process: its record and its logs go; it must have ended. Answer: GUEST_OK, GUEST_ERROR */
    /* u32 port on the guest's loopback. Answer when one listens: GUEST_OK; when it is given up: GUEST_ERROR. */
    GUEST_WAIT_PORT,
    /* A file: u32 mode (GUEST_SAME: as it was, or 0644), i64 mtime in ns (GUEST_NOW), u64 size, text path;
     * GUEST_PUT_DATA follow. Answer: GUEST_OK, GUEST_ERROR. */
    GUEST_PUT,
    GUEST_PUT_DATA,    /* at most GUEST_CHUNK; of a file that was answered already: passed over */
    /* A directory or a link: u32 enum guest_kind, u32 mode, i64 mtime, text path, text target. Answer: GUEST_OK with a
     * u32: 1 when the directory was there, which is left as it is. */
    GUEST_MAKE,
    GUEST_REMOVE,      /* text path, and all below it. Answer as of GUEST_PUT */
    GUEST_ATTRIBUTES,  /* u32 mode (GUEST_SAME), i64 mtime (GUEST_NOW: as it is), text path */
    /* u64 offset, u64 most, text path. Answers: GUEST_DATA…, then GUEST_OK with u64 size; or GUEST_ERROR. */
    GUEST_GET,
    /* What has changed below a directory since the last GUEST_SCAN of it: text path, u32 count, that many texts: names
     * that are left out. The first one of a path tells nothing, and so does the one after an error.
     * Answers: GUEST_ENTRY…, then GUEST_OK */
    GUEST_SCAN,
    GUEST_KILL_ALL,    /* every process. Answer: GUEST_OK with a u32: how many there were */
    GUEST_PING,        /* answer: GUEST_OK */
    GUEST_STAT,        /* u32 follow a link at its end, text path. Answer: GUEST_ENTRY with path "", then GUEST_OK */
    GUEST_LIST,        /* u32 depth (at least 1), text path. Answers: GUEST_ENTRY…, then GUEST_OK */
    GUEST_RENAME,      /* text path, text to where. Answer as of GUEST_PUT */
    /* Behind what a file, which is there, holds: u64 size, text path; GUEST_PUT_DATA follow. Answer as of GUEST_PUT */
    GUEST_APPEND
};

enum guest_answer {
    GUEST_READY = 64, /* u32 version, u32 pid, u32 enum guest_can, text machine (x86_64 …) */
    GUEST_STARTED,    /* u32 pid */
    GUEST_FAILED,     /* u32 errno, u32 enum guest_stage */
    GUEST_OUTPUT,     /* u32 stream (1, 2), bytes */
    GUEST_INPUT_ROOM, /* u32: so many more bytes of standard input are welcome; 0xffffffff: nobody reads them */
    /* u32 code, u32 signal, u64 user and u64 system time in µs, u64 most memory in KiB, u32 survivors: processes of
     * its tree that go on, u32 enum guest_exit_flag, u64 bytes of its standard input that were read. */
    GUEST_EXIT,
    GUEST_CLOSED,     /* all its output was passed on; the id is free unless it keeps logs */
    GUEST_LOG,        /* u64 offset of the bytes, u64 lost before them, u32 state (1 running, 0 ended), bytes */
    GUEST_OK,
    GUEST_ERROR,      /* u32 errno, text what was tried */
    GUEST_DATA,       /* bytes of a file */
    /* u32 enum guest_change, u32 enum guest_kind, u32 mode, i64 mtime, u64 size, u64 inode, u32 links, u64 device, u32
     * uid, u32 gid, text path from the directory that was asked for, text target. */
    GUEST_ENTRY
};

/* A path is absolute, and resolved as by any program; or it lies below the workspace ("" is the workspace), consists
 * of names other than . and .., and goes through no link. */

enum guest_scope { GUEST_LEADER, GUEST_GROUP, GUEST_TREE };
enum guest_stage {
    GUEST_AT_FORK,
    GUEST_AT_DIRECTORY,
    GUEST_AT_USER,
    GUEST_AT_LIMITS,
    GUEST_AT_CONFINE,
    GUEST_AT_EXEC
};
enum guest_kind { GUEST_FILE, GUEST_DIR, GUEST_LINK, GUEST_OTHER };
enum guest_change { GUEST_ADDED, GUEST_CHANGED, GUEST_REMOVED, GUEST_THERE /* it is: no change */ };
enum guest_exit_flag {
    GUEST_NO_MEMORY = 1, /* it, or what it waited for, was ended because memory ran out */
    GUEST_TIMED_OUT = 2  /* its timeout_ms was over before */
};
enum guest_hello_flag { GUEST_SUBREAPER = 1, GUEST_WATCH_PARENT = 2 /* end when the parent process does */ };
enum guest_can { GUEST_CAN_INIT = 1 /* it is process 1 */, GUEST_CAN_LANDLOCK = 2, GUEST_CAN_SECCOMP = 4 };

/* Flags of a spawn. */
enum guest_spawn_flag {
    GUEST_WITH_STDIN = 1,   /* else /dev/null */
    GUEST_WITH_TTY = 2,     /* a terminal for all three; output is stream 1 */
    GUEST_MERGED = 4,       /* standard error goes where standard output does */
    GUEST_LOGGED = 8,       /* output is kept for GUEST_READ_LOG, not sent */
    GUEST_NO_PRIVILEGES = 16, /* no_new_privs */
    GUEST_CONFINE_FILES = 32, /* writes only below the workspace, HELLO's further directory and /tmp */
    GUEST_NETWORK = 64,       /* of GUEST_CONFINE_CALLS: network sockets are allowed */
    GUEST_CONFINE_CALLS = 128 /* no tracing, mounting and the like, and no sockets but Unix ones */
};

/* The body of GUEST_SPAWN: u32 flags, u32 uid, u32 gid (GUEST_SAME: as the guest), u32 umask, u64 log_bytes (of each
 * stream), u64 timeout_ms (its tree is ended then; 0: never), u64 grace_ms (between TERM and KILL), u32 rows, u32
 * columns, u32 limits, that many (u32 resource as in <sys/resource.h>, u64 value), text directory, u32 arguments, that
 * many texts, u32 variables, that many texts NAME=VALUE, text script: "" or what it can read as GUEST_SCRIPT, for a
 * shell's text that is too long for an argument. */
#define GUEST_SCRIPT "/dev/fd/9"

/* ---- bodies ------------------------------------------------------------------------------------ */

static inline void guest_put_u32(unsigned char *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(v >> (8 * i));
}

static inline void guest_put_u64(unsigned char *p, uint64_t v)
{
    guest_put_u32(p, (uint32_t)v);
    guest_put_u32(p + 4, (uint32_t)(v >> 32));
}

static inline uint32_t guest_get_u32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t guest_get_u64(const unsigned char *p)
{
    return guest_get_u32(p) | (uint64_t)guest_get_u32(p + 4) << 32;
}

/* Reads a body from its start. Once `bad`, everything reads as 0 and "". */
struct guest_reader {
    const unsigned char *p;
    size_t n;
    bool bad;
};

static inline const unsigned char *guest_take(struct guest_reader *r, size_t n)
{
    static const unsigned char zeros[8];
    const unsigned char *p = r->p;
    if (r->bad || n > r->n) {
        r->bad = true;
        return zeros;
    }
    r->p += n;
    r->n -= n;
    return p;
}

static inline uint32_t guest_u32(struct guest_reader *r)
{
    return guest_get_u32(guest_take(r, 4));
}

static inline uint64_t guest_u64(struct guest_reader *r)
{
    return guest_get_u64(guest_take(r, 8));
}

/* A text, not ended by a NUL; its length in *n. */
static inline const char *guest_text(struct guest_reader *r, size_t *n)
{
    uint32_t k = guest_u32(r);
    if (k > r->n)
        r->bad = true;
    *n = r->bad ? 0 : k;
    return (const char *)guest_take(r, *n);
}

#endif
