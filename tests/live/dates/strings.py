"""Dates as people write them, and as nobody should: strings for `date -d`, made from a number."""
import random

MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split()
UNITS = "year month fortnight week day hour minute min second sec".split()
ORDINALS = "last this next first third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
ZONES = """GMT UT UTC WET WEST BST ART BRT BRST NST NDT AST ADT CLT CLST EST EDT CST CDT MST MDT PST PDT AKST AKDT HST HAST HADT SST WAT CET CEST MET MEZ
 MEST MESZ EET EEST CAT SAST EAT MSK MSD IST SGT KST JST GST NZST NZDT""".split()
NAMED = ["UTC", "America/New_York", "Europe/Berlin", "Asia/Tokyo", "EST5EDT", "<+03>-3", "Bad/Zone", "", "CET-1CEST,M3.5.0,M10.5.0/3", ":Australia/Lord_Howe"]


class Maker:
    def __init__(self, number):
        self.r = random.Random(number)

    def chance(self, p):
        return self.r.random() < p

    def pick(self, things):
        return self.r.choice(things)

    def case(self, word):
        return self.pick([word, word, word.lower(), word.lower(), word.upper(), word.capitalize()])

    def number(self, low, high):
        n = self.r.randint(low, high)
        if self.chance(0.04):
            n = self.pick([0, high + 1, 99, 60, 24, 100, 9999, 2147483647, 2147483648, 99999999999])
        text = str(n)
        if self.chance(0.3):
            text = text.zfill(2)
        return text.zfill(self.r.randint(3, 5)) if self.chance(0.01) else text

    def year(self):
        k = self.r.random()
        if k < 0.6:
            return str(self.r.randint(1970, 2038))
        if k < 0.75:
            return f"{self.r.randint(0, 99):02}"
        if k < 0.9:
            return f"{self.r.randint(1, 9999):04}"
        return self.pick(["2024", "2000", "1900", "1", "9999", "10000", "99999", "2147483647", "2147485547", "2147485548", "0", "0000", "1969", "68", "69", "3000"])

    def month(self):
        name = self.pick(MONTHS)
        k = self.r.random()
        if k < 0.6:
            name = name[:3]
        elif k < 0.65:
            name = name[:4]
        return self.case(name) + ("." if self.chance(0.05) else "")

    def weekday(self):
        name = self.pick(DAYS)
        k = self.r.random()
        if k < 0.5:
            name = name[:3]
        elif k < 0.6:
            name = name[:4]
        elif k < 0.65:
            name = name[:5]
        return self.case(name) + ("." if self.chance(0.04) else "")

    def gap(self):
        return self.pick(["", " ", " ", " ", "  ", "\t"])

    def date(self):
        y, m, d, mon = self.year(), self.number(1, 12), self.number(1, 31), self.month()
        k = self.r.randint(0, 13)
        return [f"{y}-{m}-{d}", f"{y}-{m.zfill(2)}-{d.zfill(2)}", f"{m}/{d}/{y}", f"{m}/{d}", f"{y}/{m}/{d}", f"{d} {mon} {y}", f"{d}-{mon}-{y}",
                f"{mon} {d}", f"{mon} {d}, {y}", f"{mon}-{d}-{y}", f"{d} {mon}", f"{d}{self.gap()}{mon}{self.gap()}{y}", f"{mon} {d} {y}",
                f"{y}-{m}" if self.chance(0.3) else f"{y} -{m} - {d}"][k]

    def offset(self):
        k = self.r.random()
        sign = self.pick("+-")
        if k < 0.3:
            return f"{sign}{self.number(0, 14).zfill(2)}"
        if k < 0.6:
            return f"{sign}{self.r.randint(0, 14):02}{self.pick(['00', '30', '45', '59', '60'])}"
        if k < 0.8:
            return f"{sign}{self.number(0, 14)}:{self.pick(['00', '30', '45', '59', '60', '5'])}"
        return sign + self.pick(["0", "24", "2400", "2401", "25", "530", "1", "12345", "24:00", "24:01", "99", "9999", "05 : 30", " 5", "000", "0530:15", "14:00:00", "00:00:30"])

    def time(self):
        h, m, s = self.number(0, 23), self.number(0, 59).zfill(2), self.number(0, 59).zfill(2)
        text = self.pick([f"{h}:{m}", f"{h}:{m}:{s}", f"{h}:{m}:{s}", f"{h}:{m}:{s}{self.pick('.,')}{self.r.randint(0, 9999999999)}", f"{h} : {m}", f"{h}:{m} :{s}"])
        k = self.r.random()
        if k < 0.2:
            text = f"{self.number(1, 12)}{self.pick(['', ':' + m, ':' + m + ':' + s])}{self.gap()}{self.case(self.pick(['am', 'pm', 'a.m.', 'p.m.', 'a.m', 'am.']))}"
        elif k < 0.35:
            text += self.gap() + self.offset()
        elif k < 0.45:
            text += self.gap() + self.zone()
        elif k < 0.47:
            text = self.pick(["noon", "midnight", "12:00 noon", "24:00", "23:59:60", "00:00:61", "12am", "0pm", "13pm"])
        return text

    def zone(self):
        k = self.r.random()
        if k < 0.6:
            return self.case(self.pick(ZONES))
        if k < 0.75:
            return self.case(self.pick("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        if k < 0.85:
            return self.case(self.pick(["UTC", "GMT", "EST", "CET", "IST", "Z"])) + self.gap() + self.offset()
        if k < 0.93:
            return self.case(self.pick(ZONES)) + " " + self.case("DST")
        return self.pick(["Z", "z", "LHST", "LHDT", "+1030", "LMT", "lmt", "dst", "CET+1", "UTC+5 hours", "EST-", "U.T.C.", "e.s.t"])

    def amount(self):
        k = self.r.random()
        if k < 0.7:
            return str(self.r.randint(0, 40))
        if k < 0.85:
            return str(self.r.randint(0, 2000))
        return self.pick(["1.5", "0.25", "1.999999999", "0.0000000001", "100000", "2147483647", "2147483648", "9223372036854775807", "9223372036854775808", "99999999999", "0", "00", "01", "1,5"])

    def relative(self):
        unit = self.pick(UNITS) + self.pick(["", "s", "s"])
        k = self.r.random()
        if k < 0.08:
            return self.case(self.pick(["tomorrow", "yesterday", "today", "now"]))
        if k < 0.14:
            text = unit
        elif k < 0.3:
            text = f"{self.case(self.pick(ORDINALS))} {unit}"
        else:
            text = self.pick(["", "", "+", "-", "-", "+ ", "- ", "--", "+-"]) + self.amount() + self.gap() + self.case(unit)
        if self.chance(0.2):
            text += " " + self.case(self.pick(["ago", "ago", "hence"]))
        return text

    def day(self):
        k = self.r.random()
        name = self.weekday()
        if k < 0.4:
            return name
        if k < 0.5:
            return name + ","
        if k < 0.85:
            return f"{self.case(self.pick(ORDINALS))} {name}"
        return f"{self.pick(['', '+', '-'])}{self.number(0, 5)} {name}"

    def digits(self):
        if self.chance(0.5):
            return f"{self.r.randint(1970, 2040)}{self.r.randint(1, 12):02}{self.r.randint(1, 31):02}{self.pick(['', '', 'T10', 'T1030', ' 1030', 't123456'])}"
        return "".join(self.pick("0123456789") for _ in range(self.r.randint(1, 12)))

    def iso(self):
        text = f"{self.r.randint(1990, 2040):04}-{self.r.randint(1, 12):02}-{self.r.randint(1, 31):02}{self.pick(['T', 'T', 't', ' T', 'T ', ' '])}"
        text += self.pick([f"{self.r.randint(0, 24):02}", f"{self.r.randint(0, 23):02}:{self.r.randint(0, 60):02}", f"{self.r.randint(0, 23):02}:30:{self.r.randint(0, 61):02}",
                           f"{self.r.randint(0, 23):02}:30:15{self.pick('.,')}{self.r.randint(0, 999999)}"])
        return text + self.pick(["", "", "Z", self.offset(), " " + self.offset(), " " + self.zone(), "Z" + self.offset()])

    def epoch(self):
        return "@" + self.pick(["", "", "", "-", "+", " ", "--"]) + self.pick([str(self.r.randint(0, 4000000000)), str(self.r.randint(0, 10 ** 11)), "0", "1.5", "0.999999999999",
                                                                            "2147483647", "2147483648", "9223372036854775807", "9223372036854775808", "67767976233532799",
                                                                            "67768036191676799", "67768036191676800", "1,5", "12 x", "1 day", "", ".5", "5."])

    def remark(self):
        return self.pick(["(x)", "(a (b) c)", "()", "(open", "close)", "((", "(1 day)"])

    def edge(self):
        """A local time that some zone skips or has twice."""
        day = self.pick(["2024-03-10", "2024-03-31", "2024-11-03", "2024-10-27", "2024-04-07", "2024-10-06", "2018-11-04", "2023-03-12", "2016-12-31", "1974-01-06", "2038-01-19"])
        return f"{day} {self.pick(['00', '01', '02', '03', '3', '23'])}:{self.pick(['00', '01', '14', '15', '30', '59'])}{self.pick(['', '', ':30'])}"

    def items(self):
        kinds = [(self.date, 4), (self.time, 4), (self.relative, 4), (self.day, 2), (self.zone, 1.5), (self.digits, 1), (self.iso, 1.5), (self.remark, 0.3), (self.edge, 1.5)]
        n = self.pick([1, 1, 1, 2, 2, 2, 3, 3, 4])
        makers = self.r.choices([k for k, _ in kinds], [w for _, w in kinds], k=n)
        return [make() for make in makers]

    def mutate(self, text):
        for _ in range(self.r.randint(1, 2)):
            at = self.r.randint(0, len(text))
            text = self.pick([text[:at] + text[at + 1:], text[:at] + self.pick("0123456789 -+:/.,()@TZaxm") + text[at:], text[:at] + text[at:][:3] + text[at:],
                              text[:at] + " " + text[at:], text[:at], text[at:]])
        return text

    def text(self):
        if self.chance(0.05):
            return self.epoch()
        text = self.pick([" ", " ", " ", " ", "  ", "\t", "", ", "]).join(self.items())
        if self.chance(0.05):
            text = f'TZ="{self.pick(NAMED)}"{self.gap()}{text}'
        if self.chance(0.12):
            text = self.mutate(text)
        if self.chance(0.03):
            text = self.pick([" ", "\t"]) + text + self.pick(["", " "])
        return text.replace("\n", " ")


def make_string(number):
    return Maker(number).text()


def make_format(number):
    """A format of one to three directives with flags and widths."""
    maker = Maker(f"format {number}")
    text = ""
    for _ in range(maker.r.randint(1, 3)):
        flags = "".join(maker.pick("-_0+^#") for _ in range(maker.pick([0, 0, 1, 1, 2])))
        width = maker.pick(["", "", "", "0", "1", "3", "5", "6", "8", "10", "15", "20"])
        modifier = maker.pick([""] * 8 + ["E", "O"])
        colons = maker.pick([""] * 6 + [":", "::", ":::", "::::"])
        directive = maker.pick("aAbBcCdDeFgGhHIjklmMnNpPqrRsStTuUVwWxXyYzzzZZ%%fiQ")
        text += maker.pick(["", "x", "[", "é", " "]) + "%" + flags + width + modifier + (colons if directive in "zs" or maker.chance(0.1) else "") + directive
    return text + maker.pick([""] * 9 + ["%", "%5", "%-", "%E", "%:"])
