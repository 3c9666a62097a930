#!/usr/bin/env python3
"""Gate: what the library's objects define and import.

usage: check_symbols.py [--archive libwhelk.a] LIST
LIST names one object file a line, as CMake places them (…/wk_base.dir/base/mem.c.o).

1. No mutable data: nothing in .data, .bss, .tdata, .tbss (sections, since nm's letters mislead for
   position-independent code).
2. Global names start with wk_; those of api/ and adapters/ may start with whelk_.
3. Imports forbidden for the folder.
4. No global is defined twice (a test that links one folder alone would not notice).
5. The archive exports whelk_ names only.
"""
import os
import re
import subprocess
import sys

MUTABLE = re.compile(r"^\.(data|bss|tdata|tbss)(?!\.rel\.ro)(\.|$)")


def words(text):
    return set(text.split())


# Nowhere in the library: these allocate out of sight, take locks, read the locale, change the
# process or cannot stop.
NEVER = words("""
    qsort qsort_r getline getdelim asprintf vasprintf regcomp regexec glob fnmatch wordexp iconv
    iconv_open strftime wcsftime mktime timegm localtime localtime_r gmtime gmtime_r asctime ctime
    setlocale newlocale uselocale strcoll strxfrm localeconv nl_langinfo mbrtowc mbstowcs wcwidth
    sprintf vsprintf strcpy strcat strtok strtok_r gets scanf sscanf fscanf __isoc99_sscanf
    strtol strtoul strtoll strtoull strtod strtold strtof atoi atol atoll atof
    __isoc23_strtol __isoc23_strtoul __isoc23_strtoll __isoc23_strtoull
    snprintf vsnprintf printf fprintf puts putchar fputs fputc fwrite perror vprintf vfprintf
    abort exit _exit _Exit quick_exit atexit on_exit __assert_fail __assert
    setjmp _setjmp __sigsetjmp longjmp siglongjmp _longjmp
    rand srand random srandom drand48 signal sigaction raise alarm setitimer
    chdir fchdir umask setenv putenv unsetenv clearenv tmpnam mktemp system popen dlopen
    bindtextdomain gettext strerror strsignal basename dirname
    """)
HEAP = words("malloc calloc realloc free strdup strndup aligned_alloc posix_memalign memalign")
FILES = words("""
    open open64 openat openat64 creat read write pread pread64 pwrite pwrite64 close lseek lseek64
    stat stat64 lstat lstat64 fstat fstat64 fstatat fstatat64 unlink unlinkat rename renameat
    renameat2 mkdir mkdirat rmdir link linkat symlink symlinkat readlink readlinkat opendir fdopendir
    readdir readdir64 closedir fopen fopen64 fclose fread pipe pipe2 dup dup2 dup3 poll ppoll select
    epoll_wait mmap mmap64 munmap ioctl fcntl fcntl64 socket connect syscall
    """)
PROCESSES = words("fork vfork clone execv execve execvp execvpe posix_spawn posix_spawnp kill "
                  "waitpid wait wait4 getpid")
WORLD = words("getenv secure_getenv time clock gettimeofday clock_gettime nanosleep "
              "clock_nanosleep usleep sleep getrandom getentropy")
ERRNO = words("__errno_location")
THREADS = re.compile(r"^(pthread_|thrd_|mtx_|cnd_)")
NO_RETURN_HEAP = re.compile(r"^wk_heap_")

PURE = HEAP | FILES | PROCESSES | WORLD | ERRNO
FORBIDDEN = {
    "base": FILES | PROCESSES | WORLD | ERRNO,
    "text": PURE,
    "vfs": HEAP | FILES | PROCESSES | WORLD | ERRNO,
    "kern": PROCESSES - {"getpid"},
    "interp": PURE,
    "builtins": PURE,
    "builtins/shell": PURE,
    "adapters": set(),
    "api": PROCESSES,
}
# Leaves that make system calls, each with what it may import besides.
LEAVES = [
    (re.compile(r"^vfs/(host|overlay)"), FILES | ERRNO),
]
# The account itself is the only user of malloc below kern/.
BASE_HEAP_OWNER = re.compile(r"^base/mem\.c")


def folder_of(path):
    return "builtins/shell" if path.startswith("builtins/shell/") else path.split("/")[0]


def source_of(obj):
    """base/mem.c from …/wk_base.dir/base/mem.c.o"""
    tail = re.sub(r"^.*/wk_\w+\.dir/", "", obj)
    return os.path.normpath(re.sub(r"\.o(bj)?$", "", tail))


def objdump(obj):
    out = subprocess.run(["objdump", "-t", obj], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        m = re.match(r"^[0-9a-f]+ (.{7}) (\S+)\s+([0-9a-f]+)\s+(?:\.hidden |\.internal |\.protected )?"
                     r"(\S+)$", line)
        if m:
            flags, section, size, name = m.groups()
            yield flags, section, int(size, 16), name


def check_object(obj, owners):
    source = source_of(obj)
    folder = folder_of(source)
    forbidden = NEVER | FORBIDDEN.get(folder, set())
    if folder == "base" and not BASE_HEAP_OWNER.match(source):
        forbidden = forbidden | HEAP
    for pattern, also in LEAVES:
        if pattern.match(source):
            forbidden = forbidden - also
    faults = []
    symbols = list(objdump(obj))
    if any(name.startswith("__gcov") for _, _, _, name in symbols):
        return faults
    for flags, section, size, name in symbols:
        kind = flags[6:7]
        is_global = flags[0] in "gu!" or flags[1:2] == "w"
        is_object = kind == "O" or section.startswith((".tbss", ".tdata"))  # TLS has no letter
        if section == "*COM*" or (MUTABLE.match(section) and size and is_object):
            faults.append(f"{source}: {name} is mutable data ({section})")
        if section == "*UND*":
            if name in forbidden:
                faults.append(f"{source}: imports {name}, which {folder}/ may not")
            elif NO_RETURN_HEAP.match(name) and folder in ("interp", "builtins/shell"):
                faults.append(f"{source}: imports {name}: the process heap does not return")
            elif THREADS.match(name) and folder not in ("kern", "api", "adapters"):
                faults.append(f"{source}: imports {name}, which {folder}/ may not")
        elif is_global and owners.setdefault(name, source) != source:
            faults.append(f"{source}: {name} is defined in {owners[name]} too")
        elif is_global and not name.startswith("wk_"):
            if not (name.startswith("whelk_") and folder in ("api", "adapters")):
                faults.append(f"{source}: global {name} lacks the prefix wk_")
    return faults


def check_archive(path):
    if not os.path.exists(path):
        return [f"{path}: was not built"]
    out = subprocess.run(["nm", "-g", "--defined-only", path], capture_output=True, text=True,
                         check=True).stdout
    names = [line.split()[-1] for line in out.splitlines() if len(line.split()) == 3]
    return [f"{path}: exports {n}" for n in names if not n.startswith("whelk_")]


def main():
    args = sys.argv[1:]
    faults = []
    if args[0] == "--archive":
        faults += check_archive(args[1])
        args = args[2:]
    with open(args[0], encoding="utf-8") as f:
        objects = [line.strip() for line in f if line.strip()]
    owners = {}
    for obj in objects:
        faults += check_object(obj, owners) if os.path.exists(obj) else [f"{obj}: was not built"]
    print("\n".join(faults) if faults else f"symbols: {len(objects)} objects, all in order")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
