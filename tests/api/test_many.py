"""test_many.py - many sessions at once and one after the other, through the shared library

usage: test_many.py LIBWHELK.SO
Ten thousand open at once after one run each may cost 32 KiB of resident memory apiece.
"""
import ctypes
import sys

AT_ONCE, MOST = 10000, 32 * 1024
lib = ctypes.CDLL(sys.argv[1])
P = ctypes.c_void_p
lib.whelk_runtime_new.argtypes = [P, ctypes.POINTER(P)]
lib.whelk_runtime_free.argtypes = [P]
lib.whelk_session_open.argtypes = [P, P, ctypes.POINTER(P)]
lib.whelk_session_close.argtypes = [P]
lib.whelk_session_close.restype = None
lib.whelk_exec.argtypes = [P, ctypes.c_char_p, ctypes.POINTER(P)]


def resident():
    with open("/proc/self/status", encoding="ascii") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmRSS"))


def expect(ok, what):
    if not ok:
        sys.exit(f"FAILED: {what}")


def opened(rt):
    s, r = P(), P()
    expect(lib.whelk_session_open(rt, None, ctypes.byref(s)) == 0, "open")
    expect(lib.whelk_exec(s, b"echo hi", ctypes.byref(r)) == 0, "run")
    return s


def main():
    sanitized = hasattr(lib, "__asan_init") or hasattr(lib, "__tsan_init")
    rt = P()
    expect(lib.whelk_runtime_new(None, ctypes.byref(rt)) == 0, "runtime")
    for _ in range(100):
        lib.whelk_session_close(opened(rt))
    start = resident()
    for _ in range(1000 if sanitized else 10000):
        lib.whelk_session_close(opened(rt))
    grown = resident() - start
    expect(sanitized or grown < 1 << 20, f"{grown} bytes more after closing all")
    start = resident()
    many = [opened(rt) for _ in range(500 if sanitized else AT_ONCE)]
    each = (resident() - start) / len(many)
    print(f"{len(many)} sessions at once: {each / 1024:.1f} KiB each")
    expect(sanitized or each <= MOST, f"{each} bytes for each session")
    for s in many:
        lib.whelk_session_close(s)
    expect(lib.whelk_runtime_free(rt) == 0, "free")


main()
