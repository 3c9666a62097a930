"""od, base64, xxd, hexdump, strings, md5sum, sha256sum: bytes shown as text and back."""
import base64 as encoding
import hashlib

from making import command, quote


def binary(m):
    return m.pick(lambda: m.bytes(0, 80), lambda: m.bytes(0, 80), lambda: b"\0" * m.number(0, 70) + m.bytes(0, 20), lambda: m.bytes(4, 4) * m.number(1, 30),
                  m.mix, lambda: bytes(range(m.number(0, 200), 256)),
                  lambda: m.bytes(16, 16) * 3 + m.bytes(0, 9))()


def files(m, make=None):
    names = ["a", "b"] + ([m.odd_name()] if m.chance(0.08) else [])
    for name in names:
        m.file(name, (make or (lambda: binary(m)))())
    return names


def offset(m):
    return str(m.number(0, 40)) if m.chance(0.8) else m.pick("0x10", "010", "1b", "1K", "2x", "", "-1", "99999999999999999999", "1kB", "x", "0x", "3b", "1m")


@command("od")
def od(m):
    names = files(m)
    def kind():
        one = lambda: m.pick("a", "c", "d", "o", "u", "x", "f") + m.pick("", "", "1", "2", "4", "8", "C", "S", "I", "L", "F", "D") + m.pick("", "", "z")
        return "".join(m.list(1, 2, lambda: m.pick("x1", "c", "a", "d2", "o4", "u8", "fF", "fD", "fL", "x2z", "d1",
                                                   "x8") if m.chance(0.6) else one())) if m.chance(0.96) else m.pick("x3", "", "q", "fC", "x16",
                                                       "d99999999999999999999", "B", "fH", "f16z")
    options = m.options(m.option("A", "ad|dress-radix", m.pick("d", "o", "x", "n", "n", "q", ""), 0.3), m.option("j", "sk|ip-bytes", offset(m), 0.2),
                        m.option("N", "rea|d-bytes", offset(m), 0.2),
                        m.option("t", "f|ormat", kind(), 0.4), m.option("t", "format", kind(), 0.2), m.option("v", "o|utput-duplicates",
                                                                                                              p=0.15), m.pick("--endian=big", "--endian=little",
                                                                                                                  "--end=b",
                                                                                                    "--endian=x") if m.chance(0.15) else "",
                        m.pick("-w", "-w8", "-w4", "--width", "--width=16", "-w32", "-w3", "-w0", "-w1", "--wi=24", "-wx",
                               "-w12") if m.chance(0.25) else "", m.flags("abcdfiloshxeDFHILOXB", 0.03),
                        m.pick("-S3", "--strings", "--strings=2", "-S 1", "--str=4", "-Sx", "-S0") if m.chance(0.08) else "", m.stray("kz@"))
    if m.chance(0.12):
        place = lambda: m.pick("+", "", "+") + m.pick("4", "10", "0x10", "10.", "1b", "x8", "20", "8.b", "9", "+3")
        form = options if m.chance(0.5) else m.flags("abcdoxv")
        return f"od {m.pick('--traditional', '--trad', '--traditional', '')} {form} {m.pick('a', 'a', '-', '')} {m.pick(place(), place() + ' ' + place())} < b"
    return f"{m.local()}od {options} {m.operands(*names)}{m.feed(*names)}"


@command("base64")
def base64(m):
    tool = m.pick("base64", "base64", "base64", "base32")
    encode = encoding.b64encode if tool == "base64" else encoding.b32encode
    def encoded():
        text = encode(m.bytes(0, 70)).decode()
        width = m.pick(76, 10, 1000, 7)
        text = "\n".join(text[i:i + width] for i in range(0, len(text), width)) + m.pick("\n", "", "\n\n")
        while m.chance(0.25) and text:
            at = m.number(0, len(text))
            text = text[:at] + m.pick("", "*", " ", "=", "\t", "\n", "é", "A", "-", "==", "\0", "\r\n") + text[at + m.pick(0, 0, 1, 2, 3):]
        return text
    decode = m.chance(0.5)
    names = files(m, encoded if decode and m.chance(0.93) else None)
    options = m.options(m.option("d", "d|ecode", p=1 if decode else 0), m.option("i", "i|gnore-garbage", p=0.25),
                        m.option("w", "w|rap", m.pick("0", "10", "76", "1", "4", m.count(), "1000"), 0.3), m.stray("xDk@"))
    return f"{m.local()}{tool} {options} {quote(m.pick(names)) if m.chance(0.5) else m.operands(*names)}{m.feed(*names)}"


def dump(m, plain):
    """What `xxd -r` reads, mostly."""
    data = m.bytes(0, 50)
    if plain:
        text = data.hex()
        width = m.pick(60, 10, 7, 100)
        return "\n".join(text[i:i + width] for i in range(0, len(text), width)) + "\n"
    lines = []
    for at in range(0, len(data), 16):
        piece = data[at:at + 16].hex()
        lines.append(f"{at:08x}: " + " ".join(piece[i:i + 4] for i in range(0, len(piece),
                                                                            4)) + "  " + "".join(chr(b) if 32 <= b < 127 else "." for b in data[at:at + 16]))
    text = "\n".join(lines) + "\n"
    while m.chance(0.25):
        at = m.number(0, len(text))
        text = text[:at] + m.pick("", "x", " ", "\n", "0", "g", ":") + text[at + m.pick(0, 1, 2):]
    return text


@command("xxd")
def xxd(m):
    back, plain = m.chance(0.25), m.chance(0.3)
    names = files(m, (lambda: dump(m, plain)) if back else None)
    m.shows_files()
    small = lambda: str(m.number(0, 20)) if m.chance(0.9) else m.pick("x", "-1", "0x10", "300", "256", "010", "", "257")
    options = m.options(m.pick("-r", "-revert", "-r") if back else "", m.pick("-a", "-autoskip") if m.chance(0.15) else "",
                        m.pick("-b", "-bits") if m.chance(0.12) else "",
                        m.pick("-c ", "-cols ", "-c") + small() if m.chance(0.3) else "", m.pick("-E",
                                                                                                 "-EBCDIC") if m.chance(0.07) else "",
                                                                                                    "-e" if m.chance(0.12) else "",
                        m.pick("-g ", "-groupsize ", "-g") + m.pick(small(), "1", "2", "4", "8") if m.chance(0.25) else "", m.pick("-i",
                            "-include") if m.chance(0.12) else "", "-C" if m.chance(0.06) else "",
                        m.pick("-l ", "-len ",
                               "-l") + small() if m.chance(0.2) else "", f"-n {m.pick('name', 'x-y', 'é')}" if m.chance(0.06) else "", m.pick("-o ",
                                   "-o ") + m.pick(small(), "0x100") if m.chance(0.1) else "",
                        m.pick("-p", "-ps", "-postscript",
                               "-plain") if (plain if back else m.chance(0.2)) else "", "-d" if m.chance(0.08) else "", m.pick("-s ", "-seek ",
                            "-s ") + m.pick(small(), "+3", "-5", "+-3", "0x4") if m.chance(0.2) else "",
                        m.pick("-u", "-u", "-upper") if m.chance(0.12) else "")
    operands = m.pick("a", "a", "b", "-", "", "missing", quote(names[-1]), "a out", "- out", "-- a", "a .", "a b" if back else "a")
    return f"xxd {options} {operands} < {m.pick('a', 'b', '/dev/null')}"


@command("hexdump")
def hexdump(m):
    names = files(m)
    def unit():
        count = m.pick("", "", "2/", "4/", "8/", "3/", "1/", "/")
        size = m.pick("1", "2", "4", "8", "") if count else m.pick("", "", "1")
        form = m.pick("%02x", "%d", "%c", "%_c", "%_p", "%_u", "%o", "%5u", "%x ", "%_ax ", "%_Ad", "%f", "%e", "%08.8_ax  ", "%s", "%-4s|", "%3d,", "%i", "%X",
                      "\\n", "x", "%.3s", "%g", "%#x", "%+d", "% d", "%_ao", "%E", "%_ad: ",
                      "%%", "%q", "%02X\\t", "%3_u", "%2_c", "é", "%*d", "%_x", "%5.2s", "%1_p")
        return f'{count}{size} "{form}"'
    def form():
        return m.pick(" ", " ", "").join(m.list(1, 3, unit)) + m.pick("", ' "\\n"', ' "\\n"', ' "\\n"') if m.chance(0.95) else m.pick("", '"', "x", '4/4 "%x"x',
            '"%x', "4 4", '-1 "%x"', '0/1 "%x"')
    options = m.options(m.flags("bcCdoxv", 0.1), m.long("one-byte-o|ctal", "one-byte-c|har", "ca|nonical", "two-bytes-d|ecimal", "two-bytes-o|ctal",
                                                        "two-bytes-h|ex", "no|-squeezing", p=0.04), m.option("e", "format", form(), 0.5),
                        m.option("e", "format", form(), 0.12), m.option("n", "le|ngth", offset(m), 0.2), m.option("s", "s|kip", offset(m), 0.2),
                        m.pick("-L", "--color", "--color=never", "--color=always", "-Lauto", "--color=x") if m.chance(0.06) else "", m.stray("kz@"))
    if m.chance(0.08):
        m.file("format", m.pick(f"{form()}\n", f"# comment\n{form()}\n\n{form()}\n", ""))
        options += m.pick(" -f format", " --format-file=format", " -f missing", " -f .")
    return f"hexdump {options} {m.operands(*names)}{m.feed(*names)}"


@command("strings")
def strings(m):
    def data():
        piece = lambda: m.pick(b"abcd", b"hello world", b"xy", b"a\tb c", b"\0", b"\1\2", b"\n", "été à la".encode(), "日本語文字".encode(), b"\xff",
                               b"w\0i\0d\0e\0r\0", b"\0w\0i\0d\0e\0r", b"l\0\0\0o\0\0\0n\0\0\0g\0\0\0e\0\0\0",
                               b"\0\0\0l\0\0\0o\0\0\0n\0\0\0g", b"caf\xe9s!", b"line one\nline two", b"\r\n", b"tail", b"\x7f", b"   ", "aéb€c𝄞d".encode(),
                                   b"\xc3")
        return b"".join(m.list(0, 14, piece))
    names = files(m, lambda: m.pick(data, data, data, lambda: binary(m))())
    options = m.options(m.flags("awf", 0.15), m.long("all", "incl|ude-all-whitespace", "print|-file-name", p=0.06),
                        m.option("n", "by|tes", m.pick("1", "2", "3", "5", "4", "8") if m.chance(0.9) else m.pick("0", "x", "0x3", "", "-1", "4294967298"),
                                 0.35),
                        m.option("t", "r|adix", m.pick("o", "d", "x") if m.chance(0.95) else m.pick("q", "", "dd"), 0.25), m.pick("-o", "-2", "-6",
                            "-12") if m.chance(0.1) else "", m.option("e", "enc|oding",
                                                                      m.pick("s", "S", "b", "l", "B", "L") if m.chance(0.95) else m.pick("q", "", "ss"), 0.35),
                        m.option("s", "out|put-separator", m.pick("|", "", "\n--\n", "é"), 0.12), m.option("U", "uni|code",
                                                                                                           m.pick("d", "i", "x", "e", "h", "default", "invalid",
                                                                                                               "hex",
                                                                                                    "escape") if m.chance(0.95) else m.pick("q", "s", ""),
                                                                                                    0.25), m.stray("kz@"))
    return f"strings {options} {m.operands(*names)}{m.feed(*names)}"


def checksums(m, tool, algorithm, tag):
    names = files(m, m.mix)
    for name in names[2:]:
        m.file(name, "x\n")
    if m.chance(0.4):
        def line():
            name = m.pick("a", "b", "empty", "missing", names[-1])
            digest = m.pick(hashlib.new(algorithm, b"").hexdigest(), hashlib.new(algorithm, b"x\n").hexdigest(), "0" * 32,
                            hashlib.new(algorithm, b"").hexdigest().upper())
            return m.pick(f"{digest}  {name}", f"{digest} *{name}", f"{tag} ({name}) = {digest}", f"{digest}  {name}", f"{digest} {name}", f"{digest}",
                          "nonsense", "", f"# {digest}  a", f"\\{digest}  a\\nb", f"{digest[:-1]}  a",
                          f"  {digest}  {name}", f"{digest}\t{name}", f"{tag}({name})= {digest}", f"{digest}  {name}\r")
        m.file("empty", "")
        m.line(f"{tool} a b > good")
        m.file("sums", "\n".join(m.list(0, 6, line)) + m.pick("\n", "\n", ""))
        options = m.options(m.option("c", "c|heck", p=1), m.long("ig|nore-missing", "q|uiet", "stat|us", "str|ict", p=0.15), m.option("w", "w|arn", p=0.2),
                            m.flags("btz", 0.04), m.option(None, "tag", p=0.03), m.stray("xk@"))
        return f"{tool} {options} {m.pick('sums', 'sums', 'good', 'sums good', '-', '', 'missing', '.', 'good missing')} < sums"
    options = m.options(m.flags("btz", 0.12), m.long("bi|nary", "te|xt", "ta|g", "z|ero", p=0.1),
                        m.pick("--quiet", "--strict", "--ignore-missing", "--status", "-w") if m.chance(0.04) else "", m.stray("xk@"))
    return f"{tool} {options} {m.operands(*names)}{m.feed(*names)}"


@command("md5sum")
def md5sum(m):
    return checksums(m, "md5sum", "md5", "MD5")


@command("sha256sum")
def sha256sum(m):
    return checksums(m, "sha256sum", "sha256", "SHA256")
