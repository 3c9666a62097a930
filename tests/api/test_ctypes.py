#!/usr/bin/env python3
"""The public interface bound from Python by ctypes: python3 test_ctypes.py LIBWHELK.so"""
import ctypes as C
import sys

lib = C.CDLL(sys.argv[1])


class Limits(C.Structure):
    _fields_ = [("size", C.c_size_t)] + [(n, C.c_uint64) for n in (
        "memory_bytes", "time_ns", "steps", "output_bytes", "tasks", "descriptors", "depth", "nesting",
        "expansion_bytes", "regex_steps", "file_bytes", "files", "file_size")]


class Result(C.Structure):
    _fields_ = [("size", C.c_size_t), ("stop", C.c_int), ("status", C.c_int), ("signal", C.c_int),
                ("limit", C.c_int), ("shell_ended", C.c_int), ("out", C.c_void_p), ("out_len", C.c_size_t),
                ("err", C.c_void_p), ("err_len", C.c_size_t), ("out_total", C.c_uint64),
                ("err_total", C.c_uint64), ("steps", C.c_uint64), ("wall_ns", C.c_int64),
                ("memory_peak", C.c_uint64), ("jobs", C.c_uint32)]


class CommandOps(C.Structure):
    BEGIN = C.CFUNCTYPE(None, C.c_void_p, C.c_void_p)
    _fields_ = [("size", C.c_size_t), ("begin", BEGIN), ("cancelled", C.c_void_p), ("destroy", C.c_void_p)]


lib.whelk_call_arg.restype = C.c_char_p
lib.whelk_call_write.restype = C.c_ssize_t
for name in ("whelk_session_open", "whelk_exec", "whelk_command_add"):
    getattr(lib, name).restype = C.c_int
failures = []


def check(what, got, want):
    if got != want:
        failures.append("%s: got %r, want %r" % (what, got, want))


runtime, session = C.c_void_p(), C.c_void_p()
check("runtime", lib.whelk_runtime_new(None, C.byref(runtime)), 0)
check("open", lib.whelk_session_open(runtime, None, C.byref(session)), 0)


def run(script):
    result = C.POINTER(Result)()
    check("exec", lib.whelk_exec(session, script.encode(), C.byref(result)), 0)
    r = result.contents
    check("result size", r.size, C.sizeof(Result))
    return C.string_at(r.out, r.out_len).decode(), r.status


check("echo", run("echo hello | tr a-z A-Z; exit 3"), ("HELLO\n", 3))


@CommandOps.BEGIN
def begin(ctx, call):
    text = b"python says " + lib.whelk_call_arg(C.c_void_p(call), C.c_size_t(1)) + b"\n"
    lib.whelk_call_write(C.c_void_p(call), 1, text, C.c_size_t(len(text)))
    lib.whelk_call_complete(C.c_void_p(call), 4)


ops = CommandOps(C.sizeof(CommandOps), begin, None, None)
check("add", lib.whelk_command_add(session, b"pysay", b"from Python", C.byref(ops), None), 0)
check("host command", run("pysay hi | cat; echo ${PIPESTATUS[0]}"), ("python says hi\n4\n", 0))

data, length = C.c_void_p(), C.c_size_t()
check("write", lib.whelk_write_file(session, b"/tmp/x", b"a\0b", C.c_size_t(3), 0), 0)
check("read", lib.whelk_read_file(session, b"/tmp/x", C.byref(data), C.byref(length)), 0)
check("bytes", C.string_at(data, length.value), b"a\0b")
lib.whelk_free(data)
lib.whelk_session_close(session)
check("free", lib.whelk_runtime_free(runtime), 0)
print("\n".join(failures) or "ok")
print("%d passed, %d failed" % (0 if failures else 1, len(failures)))
sys.exit(1 if failures else 0)
