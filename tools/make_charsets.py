#!/usr/bin/env python3
"""Writes builtins/charset_tables.c: single-byte character sets from Python's codecs. Run it by hand after a change: the result is kept."""

SETS = [('8859_%d' % n, 'iso8859_%d' % n) for n in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16)]
SETS += [('125%d' % n, 'cp125%d' % n) for n in range(9)]
SETS += [(str(n), 'cp%d' % n) for n in (437, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 866, 869)]
SETS += [('koi8_r', 'koi8_r'), ('koi8_u', 'koi8_u')]
# Where the C library's sets have more or other characters than the codecs.
OTHER = {
    '8859_7': {0xa4: 0x20ac, 0xa5: 0x20af, 0xaa: 0x37a},
    '8859_8': {0xaf: 0xaf, 0xfd: 0x200e, 0xfe: 0x200f},
}


def rows():
    for name, codec in SETS:
        out = []
        for b in range(128, 256):
            try:
                c = ord(bytes([b]).decode(codec))
            except (UnicodeDecodeError, TypeError):
                c = 0
            out.append(OTHER.get(name, {}).get(b, c))
        yield name, out


def main():
    out = ['/* charset_tables.c - single-byte character sets',
           ' *', ' * Made by tools/make_charsets.py: change that.', ' */', '#include "builtins/charset.h"', '',
           'const struct wk_charset_table wk_charset_tables[] = {']
    for name, codes in rows():
        out.append('    {"%s", {' % name)
        for i in range(0, 128, 15):
            out.append('        %s,' % ', '.join(str(c) for c in codes[i:i + 15]))
        out.append('    }},')
    out += ['    {0},', '};']
    open('builtins/charset_tables.c', 'w').write('\n'.join(out) + '\n')


main()
