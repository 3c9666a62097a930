#!/usr/bin/env python3
"""Writes builtins/charsets/*.map: sets of several bytes a character and others that are no 128 letters beside ASCII,
as the converters of this machine's C library have them. Run it by hand after a change: the results are kept.

A section is "[NAME BASE...]": it begins as a copy of another ("+8080" adds to its codes, "sjis" turns rows of
94 into Shift JIS). Lines of it: "CODE characters" for characters in a row, "<CODE characters" only for reading,
">CODE characters" only for writing, "-CODE COUNT" takes away, "!HEX" a character that has no code, "=CODE HEX" one that cannot stand in a text, "*CODE HEX" two bytes that are read as one character, "#LINEAR HEX COUNT" four bytes
of GB 18030 in a row. U+FFFD leaves a place out."""
import ctypes
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
libc.iconv_open.restype = ctypes.c_void_p
libc.iconv.argtypes = [ctypes.c_void_p] + [ctypes.c_void_p] * 4
libc.iconv.restype = ctypes.c_size_t
libc.iconv_close.argtypes = [ctypes.c_void_p]
ENCODED = 'utf-32-le'


class Converter:
    def __init__(self, to, source):
        self.cd = libc.iconv_open(to.encode(), source.encode())
        assert self.cd not in (None, 2**64 - 1), (to, source)
        self.inb = ctypes.create_string_buffer(16)
        self.outb = ctypes.create_string_buffer(64)

    def __call__(self, data):
        """The bytes it gives; None: invalid; False: more are wanted."""
        libc.iconv(self.cd, None, None, None, None)
        ctypes.memmove(self.inb, data, len(data))
        ip, il = ctypes.c_void_p(ctypes.addressof(self.inb)), ctypes.c_size_t(len(data))
        op, ol = ctypes.c_void_p(ctypes.addressof(self.outb)), ctypes.c_size_t(64)
        r = libc.iconv(self.cd, ctypes.byref(ip), ctypes.byref(il), ctypes.byref(op), ctypes.byref(ol))
        err = ctypes.get_errno()
        if r != 2**64 - 1:
            libc.iconv(self.cd, None, None, ctypes.byref(op), ctypes.byref(ol))
        if r == 2**64 - 1:
            return False if err == 22 else None
        return self.outb.raw[:64 - ol.value] if il.value == 0 and r == 0 else None

    def lenient(self, data):
        """The same where what is spelled in another way counts."""
        libc.iconv(self.cd, None, None, None, None)
        ctypes.memmove(self.inb, data, len(data))
        ip, il = ctypes.c_void_p(ctypes.addressof(self.inb)), ctypes.c_size_t(len(data))
        op, ol = ctypes.c_void_p(ctypes.addressof(self.outb)), ctypes.c_size_t(64)
        r = libc.iconv(self.cd, ctypes.byref(ip), ctypes.byref(il), ctypes.byref(op), ctypes.byref(ol))
        return None if r == 2**64 - 1 else self.outb.raw[:64 - ol.value]


def decode_all(name, most):
    conv, found, work = Converter('UTF-32LE', name), {}, [b'']
    while work:
        head = work.pop()
        for b in range(256):
            code = head + bytes([b])
            got = conv(code)
            if got:
                text = got.decode(ENCODED)
                if not (len(code) > 1 and len(text) > 1 and conv(code[:1])):
                    found[int.from_bytes(code, 'big') | len(code) << 24 if 0 else (len(code), int.from_bytes(code, 'big'))] = text
            elif got is False and len(code) < most:
                work.append(code)
    return found


def encode_all(name, planes):
    conv, found = Converter(name, 'UTF-32LE'), {}
    for lo, hi in planes:
        for u in range(lo, hi):
            if 0xd800 <= u < 0xe000:
                continue
            got = conv(u.to_bytes(4, 'little'))
            if got:
                found[chr(u)] = (len(got), int.from_bytes(got, 'big'))
    return found


def sjis_of(code):
    hi, lo = code >> 8, code & 255
    row = (hi - 0x21) // 2
    lead = row + 0x81 if row < 0x1f else row + 0xc1
    trail = lo + 0x1f + (lo >= 0x60) if hi & 1 else lo + 0x7e
    return lead << 8 | trail


def plain(text):
    return len(text) == 1 and (ord(text) >= 0xa0 or 0x20 < ord(text) < 0x7f) and text not in '\u2028\u2029\ufffd' \
        and not 0xfdd0 <= ord(text) <= 0xfdef


def runs(entries, mark):
    """entries: {code: text}. Lines of characters in a row."""
    out, codes, i = [], sorted(entries), 0
    while i < len(codes):
        c = codes[i]
        if not plain(entries[c]):
            out.append('%s%X %s' % ('=' if not mark else mark + '=', c, ' '.join('%X' % ord(x) for x in entries[c])))
            i += 1
            continue
        text, at = entries[c], c
        while i + 1 < len(codes) and codes[i + 1] - at <= 2 and codes[i + 1] >> 8 == c >> 8 and plain(entries[codes[i + 1]]):
            text += '\ufffd' * (codes[i + 1] - at - 1) + entries[codes[i + 1]]
            i += 1
            at = codes[i]
        out.append('%s%X %s' % (mark, c, text))
        i += 1
    return out


def joined(name):
    """Letters and marks that are read as one character."""
    conv, out = Converter('UTF-32LE', name), []
    for a in range(256):
        for b in range(128, 256):
            got = conv(bytes([a, b]))
            if got and len(got) == 4:
                out.append('*%X %X' % (a << 8 | b, ord(got.decode(ENCODED))))
    return out


def section(title, dec, enc, base_dec, base_enc):
    """dec: {code: text}, enc: {char: code}; only what differs from the base is written."""
    out = ['[%s]' % title]
    gone = [c for c in base_dec if dec.get(c) != base_dec[c]] + \
           [c for t, c in base_enc.items() if base_dec.get(c) == t and enc.get(t) != c and dec.get(c) == t]
    i, gone = 0, sorted(set(gone))
    while i < len(gone):
        n = 1
        while i + n < len(gone) and gone[i + n] == gone[i] + n:
            n += 1
        out.append('-%X %X' % (gone[i], n))
        i += n
    gone = set(gone)
    left_dec = {c: t for c, t in base_dec.items() if c not in gone}
    left_enc = {t: c for t, c in base_enc.items() if c not in gone}
    both = {c: t for c, t in dec.items() if left_dec.get(c) != t and enc.get(t) == c}
    left_dec.update(both)
    left_enc.update({t: c for c, t in both.items()})
    out += runs(both, '')
    only = {c: t for c, t in dec.items() if left_dec.get(c) != t}
    out += runs(only, '<')
    write = {t: c for t, c in enc.items() if left_enc.get(t) != c}
    out += ['!%X' % ord(t) for t in sorted(left_enc) if t not in enc and len(t) == 1]
    by = {}
    for t, c in write.items():
        by.setdefault(c, []).append(t)
    for k in range(max([len(v) for v in by.values()] or [0])):
        out += runs({c: v[k] for c, v in by.items() if len(v) > k}, '>')
    return out


BMP = [(0, 0x10000)]
PLANE2 = BMP + [(0x10000, 0x10200), (0x1f100, 0x1f300), (0x20000, 0x30000)]


def full(name, most=3, planes=BMP):
    dec = {c: t for (n, c), t in decode_all(name, most).items()}
    enc = {t: c for t, (n, c) in encode_all(name, planes).items()}
    print(name, len(dec), len(enc), file=sys.stderr)
    return dec, enc


def spellings():
    """"HEX WHERE TEXT": how //TRANSLIT writes a character in ASCII, in both locales (0), in C.UTF-8 (1), in C (2)."""
    found = {}
    for where, name in ((2, b'C'), (1, b'C.UTF-8')):
        libc.setlocale(6, name)
        conv = Converter('ASCII//TRANSLIT', 'UTF-32LE')
        for u in list(range(0x80, 0xd800)) + list(range(0xe000, 0x30000)):
            got = conv.lenient(u.to_bytes(4, 'little'))
            if got is not None and got != b'?':
                found.setdefault(u, {})[where] = got.decode()
    out = ['[+]']
    for u in sorted(found):
        texts = found[u]
        if texts.get(1) == texts.get(2):
            texts = {0: texts[1]}
        out += ['%X %d%s' % (u, where, texts[where]) for where in sorted(texts)]
    return out


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../builtins/charsets')
    files = {}
    dec, enc = full('EUC-JP')
    d208 = {c - 0x8080: t for c, t in dec.items() if 0xa1a1 <= c <= 0xfefe}
    e208 = {t: c - 0x8080 for t, c in enc.items() if 0xa1a1 <= c <= 0xfefe}
    up = lambda d: {c + 0x8080: t for c, t in d.items()}
    upe = lambda e: {t: c + 0x8080 for t, c in e.items()}
    jp = section('JISX0208', d208, e208, {}, {})
    jp += section('EUC-JP JISX0208 +8080', dec, enc, up(d208), upe(e208))
    sj = {sjis_of(c): t for c, t in d208.items()}
    sje = {t: sjis_of(c) for t, c in e208.items()}
    dsj, esj = full('SHIFT_JIS')
    jp += section('SHIFT_JIS JISX0208 sjis', dsj, esj, sj, sje)
    d9, e9 = full('CP932')
    jp += section('CP932 SHIFT_JIS', d9, e9, dsj, esj)
    files['japanese'] = jp
    dk, ek = full('EUC-KR')
    kr = section('EUC-KR', dk, ek, {}, {})
    du, eu = full('UHC')
    kr += section('UHC EUC-KR', du, eu, dk, ek)
    files['korean'] = kr
    dc, ec = full('EUC-CN')
    cn = section('EUC-CN', dc, ec, {}, {})
    dg, eg = full('GBK')
    cn += section('GBK EUC-CN', dg, eg, dc, ec)
    d8, e8 = full('GB18030', 2, PLANE2)
    four = {t: c for t, c in e8.items() if c > 0xffff and ord(t) < 0x10000}
    e8 = {t: c for t, c in e8.items() if c <= 0xffff}
    cn += section('GB18030 GBK', d8, e8, dg, eg)
    lin = sorted((((c >> 24) - 0x81) * 12600 + ((c >> 16 & 255) - 0x30) * 1260 + ((c >> 8 & 255) - 0x81) * 10 + (c & 255) - 0x30, ord(t)) for t, c in four.items())
    i = 0
    while i < len(lin):
        n = 1
        while i + n < len(lin) and lin[i + n] == (lin[i][0] + n, lin[i][1] + n):
            n += 1
        cn.append('#%X %X %X' % (lin[i][0], lin[i][1], n))
        i += n
    files['chinese'] = cn
    db, eb = full('BIG5')
    tw = section('BIG5', db, eb, {}, {})
    d5, e5 = full('CP950')
    tw += section('CP950 BIG5', d5, e5, db, eb)
    dh, eh = full('BIG5-HKSCS', 3, PLANE2)
    tw += section('BIG5-HKSCS BIG5', dh, eh, db, eb)
    files['taiwanese'] = tw
    single = []
    for name in ('CP037', 'CP500', 'CP1047', 'VISCII', 'TCVN5712-1', 'KOI8-T', 'KOI8-RU', 'MACINTOSH', 'MAC-CYRILLIC',
                 'MAC-UK', 'MAC-CENTRALEUROPE', 'MAC-IS', 'MAC-SAMI', 'CP874', 'TIS-620', 'IBM1140', 'CP424', 'CP273', 'CP277', 'CP278', 'CP280', 'CP284', 'CP285', 'CP297', 'CP871', 'CP875', 'CP1026',
                 'CP1255', 'CP1258', 'PT154', 'RK1048', 'ARMSCII-8', 'GEORGIAN-PS', 'GEORGIAN-ACADEMY', 'HP-ROMAN8', 'JOHAB', 'CP1133'):
        if name == 'JOHAB':
            continue
        try:
            d, e = full(name, 1)
        except AssertionError:
            print('none:', name, file=sys.stderr)
            continue
        before = len(single)
        ascii_d = {c: chr(c) for c in range(128)}
        if all(d.get(c) == chr(c) for c in range(128)):
            single += section(name + ' ASCII', d, e, ascii_d, {chr(c): c for c in range(128)})
        else:
            single += section(name, d, e, {}, {})
        if len(single) > before and name in ('CP1255', 'CP1258', 'TCVN5712-1'):
            single += joined(name)
    files['single'] = single
    files['spellings'] = spellings()
    for name, lines in files.items():
        with open(os.path.join(root, name + '.map'), 'w', encoding='utf-8') as f:
            f.write('\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
