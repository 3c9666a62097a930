#!/usr/bin/env python3
"""Writes builtins/charset_tables.c: single-byte character sets from Python's codecs, and plain spellings of
characters from the decompositions of Unicode (unicodedata). Run it by hand after a change: the result is kept."""
import unicodedata

SETS = [('8859_%d' % n, 'iso8859_%d' % n) for n in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16)]
SETS += [('125%d' % n, 'cp125%d' % n) for n in range(9)]
SETS += [(str(n), 'cp%d' % n) for n in (437, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 866, 869)]
SETS += [('koi8_r', 'koi8_r'), ('koi8_u', 'koi8_u')]
# Where the C library's sets have more or other characters than the codecs.
OTHER = {
    '8859_7': {0xa4: 0x20ac, 0xa5: 0x20af, 0xaa: 0x37a},
    '8859_8': {0xaf: 0xaf, 0xfd: 0x200e, 0xfe: 0x200f},
}
SPELL = {
    0xa0: ' ', 0xa9: '(C)', 0xab: '<<', 0xad: '-', 0xae: '(R)', 0xb5: 'u', 0xb8: ',', 0xbb: '>>', 0xbc: ' 1/4 ',
    0xbd: ' 1/2 ', 0xbe: ' 3/4 ', 0xc6: 'AE', 0xd7: 'x', 0xdf: 'ss', 0xe6: 'ae', 0x152: 'OE', 0x153: 'oe',
    0x2c6: '^', 0x2dc: '~', 0x2010: '-', 0x2011: '-', 0x2012: '-', 0x2013: '-', 0x2014: '--', 0x2015: '-',
    0x2018: "'", 0x2019: "'", 0x201a: ',', 0x201c: '"', 0x201d: '"', 0x201e: ',,', 0x2020: '+', 0x2022: 'o',
    0x2025: '..', 0x2026: '...', 0x2039: '<', 0x203a: '>', 0x20ac: 'EUR', 0x2122: '(TM)', 0x2116: 'No',
    0x2190: '<-', 0x2192: '->', 0x21d0: '<=', 0x21d2: '=>', 0x2212: '-', 0xfeff: '', 0x2215: '/', 0x2264: '<=', 0x2265: '>=',
}
SPELL_UTF8 = {
    0xa1: '!', 0xa2: 'c', 0xa3: 'GBP', 0xa5: 'JPY', 0xb1: '+-', 0xb7: '.', 0xd0: 'D', 0xd8: 'O', 0xde: 'TH',
    0xf0: 'd', 0xf7: '/', 0xf8: 'o', 0xfe: 'th', 0x110: 'D', 0x111: 'd', 0x126: 'H', 0x127: 'h', 0x131: 'i',
    0x141: 'L', 0x142: 'l',
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


def spellings():
    found = {c: (t, False) for c, t in SPELL.items()}
    found.update({c: (t, True) for c, t in SPELL_UTF8.items()})
    for c in [*range(0xa0, 0x250), *range(0x1e00, 0x1f00), *range(0x2000, 0x2190), *range(0xfb00, 0xfb07),
              *range(0xff01, 0xff5f)]:
        kind = unicodedata.decomposition(chr(c))
        text = unicodedata.normalize('NFKD', chr(c))
        text = ''.join(x for x in text if not unicodedata.combining(x))
        if c not in found and kind and text.isascii() and text.strip():
            found[c] = (text, not kind.startswith('<') or kind.startswith('<super>'))
    return sorted(found.items())


def main():
    out = ['/* charset_tables.c - single-byte character sets, and plain spellings of characters',
           ' *', ' * Made by tools/make_charsets.py: change that.', ' */', '#include "builtins/charset.h"', '',
           'const struct wk_charset_table wk_charset_tables[] = {']
    for name, codes in rows():
        out.append('    {"%s", {' % name)
        for i in range(0, 128, 15):
            out.append('        %s,' % ', '.join(str(c) for c in codes[i:i + 15]))
        out.append('    }},')
    out += ['    {0},', '};', '', 'const struct wk_spelling wk_spellings[] = {']
    line = '   '
    for c, (text, utf8) in spellings():
        item = ' {0x%x, %d, "%s"},' % (c, utf8, text.replace('\\', '\\\\').replace('"', '\\"'))
        if len(line + item) > 118:
            out.append(line)
            line = '   '
        line += item
    out += [line, '};', 'const size_t wk_spellings_n = WK_COUNTOF(wk_spellings);']
    open('builtins/charset_tables.c', 'w').write('\n'.join(out) + '\n')


main()
