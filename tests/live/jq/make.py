"""Makes jq programs from the grammar, and inputs for them. A program is as long as its depth allows and ends: no loop in it is without a bound."""
import json
import random

KEYS = ("a", "b", "c")
LEAVES = (". . . .a .b .c .[0] .[-1] .[1:] .[:2] .[] .[]? .a? .. null true false 0 1 2 3 \"a\" \"b\" \"abc\" empty [] {} [1,2,3] {a:1,b:[2]} .a.b .a[0] "
          ".[0]? .[\"a\"] .\"b\" error not length keys add first last type tostring .a[]?").split()
PATHS = (".a .b .[0] .[]? .a.b .[1:] .a[0] .[-1] .[\"a\"] .a,.b .. .[] .a[]? .[0,1] first(.[]?) .a|select(.) .[]?|select(.) getpath([\"a\",\"b\"]) .a//.b .[:1] "
         "recurse limit(1;.[]?) .a? (.a,.b)[0]? .[1] .c empty paths .[2]").split() + [
             "if . then .a else .b end", ".a as $q|.b", "reduce (1,2) as $i (.;.)", "label $l|.a,break $l"]
FUNCTIONS = ("length keys add first last type tostring tojson not reverse sort min max to_entries from_entries paths recurse values nulls arrays objects scalars "
             "iterables strings numbers booleans flatten transpose any all floor explode tonumber empty error keys_unsorted tostream .. .[] combinations "
             "@json @text @base64 @html group_by(.) first(.[]?) [limit(3;..)] del(.a) del(.[0]) del(..) with_entries(.) splits(\"a\")? join(\",\") "
             "getpath([\"a\"])? fromjson? implode? has(\"a\")? indices(\"a\")? @sh? @csv? tojson|fromjson infinite|type walk(.) limit(2;.[]?) $__loc__ "
             "[.[]?] map_values(empty)? map_values(.)? path(..) [paths] env|type").split()
CALLS = ("map select map select first del path any all sort_by group_by min_by max_by unique_by with_entries has isempty map_values error join flatten index "
         "contains inside split startswith in pick walk IN").split()
MORE_CALLS = ("range(3) range(1,2) range(2.5) range(0,1;2,3) [limit(5;0|while(.<3;.+1))] setpath([\"a\"];%s) setpath([0];%s) setpath([\"a\",\"b\"];%s) "
              "delpaths([[\"a\"]]) delpaths([[0],[1]]) delpaths([paths]) getpath([\"a\",\"b\"]) getpath([%s]) limit(1;%s) limit(2;%s) nth(1;%s) "
              "[limit(8;recurse(%s))] [match(\"a\";\"g\").offset?] test(\"a\")").split()


def make_value(r, depth=0):
    k = r.random()
    if depth > 2 or k < .45:
        return r.choice([None, True, False, 0, 1, 2, 3, 5, 10, "", "a", "b", "abc", "a,b", "x y"])
    if k < .72:
        return [make_value(r, depth + 1) for _ in range(r.randint(0, 4))]
    return {r.choice(KEYS): make_value(r, depth + 1) for _ in range(r.randint(0, 3))}


class Maker:
    def __init__(self, r):
        self.r, self.vars, self.functions, self.labels = r, [], [], []

    def any(self, depth):
        r = self.r
        if depth <= 0 or r.random() < .18:
            return "$" + r.choice(self.vars) if self.vars and r.random() < .4 else r.choice(LEAVES)
        return r.choice(self.KINDS)(self, depth - 1)

    def group(self, depth):
        return "(%s)" % self.any(depth)

    def pipe(self, depth):
        return "(%s | %s)" % (self.any(depth), self.any(depth))

    def comma(self, depth):
        return "(%s, %s)" % (self.group(depth), self.group(depth))

    def operator(self, depth):
        op = self.r.choice(["+", "-", "*", "+", "==", "!=", "<", "<=", ">", ">=", "and", "or", "//", "//"])
        return "(%s %s %s)" % (self.group(depth), op, self.group(depth))

    def minus(self, depth):
        return "(-%s)" % self.group(depth)

    def chain(self, depth):
        text = self.r.choice([".", self.group(depth), ".a"])
        for _ in range(self.r.randint(1, 3)):
            dot = "" if text == "." else "."
            text += self.r.choice(["[]", "[0]", dot + "a", dot + "b", "[1:]", "[%s]" % self.any(depth - 1), "[]?", "[0]?",
                                   "[%s:%s]" % (self.any(depth - 1), self.any(depth - 1)), "[\"a\"]?", dot + "[0]"])
        return text

    def forgiving(self, depth):
        return self.group(depth) + "?"

    def array(self, depth):
        return "[%s]" % self.any(depth)

    def object(self, depth):
        pairs = []
        for _ in range(self.r.randint(1, 3)):
            pairs.append(self.r.choice([
                lambda: self.r.choice(KEYS), lambda: "%s:%s" % (self.r.choice(KEYS), self.group(depth)),
                lambda: "\"%s\":%s" % (self.r.choice(KEYS), self.group(depth)), lambda: "(%s|tostring):%s" % (self.group(depth), self.group(depth)),
                lambda: "\"x\\(%s)\":%s" % (self.any(depth - 1), self.group(depth)),
                lambda: "$" + self.r.choice(self.vars) if self.vars else self.r.choice(KEYS)])())
        return "{%s}" % ",".join(pairs)

    def condition(self, depth):
        text = "if %s then %s" % (self.any(depth), self.any(depth))
        if self.r.random() < .3:
            text += " elif %s then %s" % (self.any(depth), self.any(depth))
        return text + (" else " + self.any(depth) if self.r.random() < .7 else "") + " end"

    def attempt(self, depth):
        return "(try %s%s)" % (self.group(depth), " catch " + self.group(depth) if self.r.random() < .6 else "")

    def bound(self, names, make):
        self.vars = self.vars + names
        text = make()
        self.vars = self.vars[:len(self.vars) - len(names)]
        return text

    def name(self):
        return self.r.choice("xyzuvw")

    def fold(self, depth):
        name, word = self.name(), self.r.choice(["reduce", "foreach"])
        head = "%s %s as $%s (%s; " % (word, self.group(depth), name, self.any(depth))
        more = word == "foreach" and self.r.random() < .5
        return head + self.bound([name], lambda: self.any(depth) + ("; " + self.any(depth) if more else "")) + ")"

    def pattern(self, depth):
        k = self.r.random()
        if depth <= 0 or k < .4:
            name = self.name()
            return "$" + name, [name]
        parts, names = [], []
        for _ in range(self.r.randint(1, 2)):
            inner, inside = self.pattern(depth - 1)
            names += inside
            parts.append(inner if k < .7 else self.r.choice(["a:", "\"b\":", "(\"a\",\"b\"):"]) + inner)
        return ("[%s]" if k < .7 else "{%s}") % ",".join(parts), names

    def binding(self, depth):
        patterns, names = [], []
        for _ in range(self.r.choice([1, 1, 1, 2])):
            text, inside = self.pattern(2)
            patterns.append(text)
            names += inside
        return "(%s as %s | %s)" % (self.group(depth), " ?// ".join(patterns), self.bound(names, lambda: self.any(depth)))

    def update(self, depth):
        left = self.r.choice(PATHS) if self.r.random() < .75 else self.any(depth)
        return "((%s) %s %s)" % (left, self.r.choice(["=", "|=", "|=", "+=", "-=", "*=", "//="]), self.group(depth))

    def call(self, depth):
        k = self.r.random()
        if k < .3:
            return self.r.choice(FUNCTIONS)
        if k < .5:
            text = self.r.choice(MORE_CALLS)
            return text.replace("%s", self.any(depth))
        if k < .6 and self.functions:
            name, arity = self.r.choice(self.functions)
            return name + ("(%s)" % ";".join(self.any(depth) for _ in range(arity)) if arity else "")
        if k < .75:
            return self.r.choice(["path(%s)", "del(%s)", "pick(%s)", "[path(%s)]"]) % (self.r.choice(PATHS) if k < .7 else self.any(depth))
        return "%s(%s)" % (self.r.choice(CALLS), self.any(depth))

    def string(self, depth):
        more = "\\(%s)" % self.any(depth) if self.r.random() < .4 else ""
        return "%s\"p\\(%s)q%s\"" % (self.r.choice(["", "@json ", "@text ", "@base64 ", "@html "]), self.any(depth), more)

    def label(self, depth):
        self.labels.append("l%d" % len(self.labels))
        name = self.labels[-1]
        text = "(label $%s | %s%s)" % (name, self.any(depth), " | %s, break $%s" % (self.any(depth), name) if self.r.random() < .4 else "")
        self.labels.pop()
        return text

    def leave(self, depth):
        if not self.labels:
            return self.label(depth)
        return "(if %s then break $%s else %s end)" % (self.any(depth), self.r.choice(self.labels), self.any(depth))

    def define(self, depth):
        name, k, value = "f%d" % self.r.randint(0, 3), self.r.random(), self.name()
        params = [[], ["g"], ["$" + value], ["$" + value, "g"], ["g"]][int(k * 5)]
        inside = [("g", 0)] if "g" in params else []
        self.functions += inside
        body = self.bound([value] if "$" + value in params else [], lambda: self.any(depth))
        if k >= .8:
            step = self.r.choice([".+1|r", ".,(.+1|r)", "g,(.+1|r)", "(.+1|r),."])
            body = "def r: if (type==\"number\" and . < 3) then %s else %s end; r" % (step, body)
        del self.functions[len(self.functions) - len(inside):]
        self.functions.append((name, len(params)))
        text = "(def %s%s: %s; %s)" % (name, "(%s)" % ";".join(params) if params else "", body, self.any(depth))
        self.functions.pop()
        return text

    KINDS = (pipe, pipe, comma, operator, operator, operator, operator, minus, chain, chain, forgiving, array, array, object, condition, attempt, fold, fold,
             binding, binding, binding, update, update, update, call, call, call, call, call, call, string, label, leave, define, define)


def make(seed):
    """An input and a program for it, whose errors are outputs."""
    r = random.Random(seed)
    while True:
        program = "try (%s) catch [\"ERR\",.]" % Maker(r).any(r.randint(2, 5))
        if len(program) < 600 and program.count("[") == program.count("]"):
            return json.dumps(make_value(r)), program
