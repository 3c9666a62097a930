/* jq_prelude.c - the functions of jq that are written in jq */
#include "builtins/jq_builtin.h"

#define DEFINITION(name, nargs, ...) {name, nargs, "def " __VA_ARGS__}

static const struct jq_prelude definitions[] = {
    /* Selecting and mapping. */
    DEFINITION("map", 1, "map(f): [.[] | f];"),
    DEFINITION("map_values", 1, "map_values(f): .[] |= f;"),
    DEFINITION("select", 1, "select(f): if f then . else empty end;"),
    DEFINITION("nulls", 0, "nulls: select(. == null);"),
    DEFINITION("values", 0, "values: select(. != null);"),
    DEFINITION("booleans", 0, "booleans: select(type == \"boolean\");"),
    DEFINITION("numbers", 0, "numbers: select(type == \"number\");"),
    DEFINITION("finites", 0, "finites: select(isfinite);"),
    DEFINITION("normals", 0, "normals: select(isnormal);"),
    DEFINITION("strings", 0, "strings: select(type == \"string\");"),
    DEFINITION("arrays", 0, "arrays: select(type == \"array\");"),
    DEFINITION("objects", 0, "objects: select(type == \"object\");"),
    DEFINITION("iterables", 0, "iterables: select(type | . == \"array\" or . == \"object\");"),
    DEFINITION("scalars", 0, "scalars: select(type | . != \"array\" and . != \"object\");"),
    DEFINITION("toarray", 0, "toarray: if type == \"array\" then . else [.] end;"),
    DEFINITION("with_entries", 1, "with_entries(f): to_entries | map(f) | from_entries;"),
    DEFINITION("recurse", 0, "recurse: recurse(.[]?);"),
    DEFINITION("recurse", 1, "recurse(f): def r: ., (f | r); r;"),
    DEFINITION("recurse", 2, "recurse(f; cond): def r: ., (f | select(cond) | r); r;"),
    DEFINITION("walk", 1,
               "walk(f): def w: if type == \"object\" then map_values(w)"
               " elif type == \"array\" then map(w) else . end | f; w;"),
    DEFINITION("flatten", 0, "flatten: flatten(infinite);"),
    DEFINITION("transpose", 0,
               "transpose: _transpose // [range(0; map(length) | max // 0) as $i | [.[][$i]]];"),
    DEFINITION("in", 1, "in(xs): . as $x | xs | has($x);"),
    DEFINITION("inside", 1, "inside(xs): . as $x | xs | contains($x);"),
    DEFINITION("combinations", 0,
               "combinations: if length == 0 then [] else .[0][] as $x"
               " | (.[1:] | combinations) as $rest | [$x] + $rest end;"),
    DEFINITION("combinations", 1, "combinations(n): . as $a | [range(n)] | map($a) | combinations;"),

    /* Sorting. */
    DEFINITION("sort_by", 1, "sort_by(f): _sort_by_impl(map([f]));"),
    DEFINITION("group_by", 1, "group_by(f): _group_by_impl(map([f]));"),
    DEFINITION("unique_by", 1, "unique_by(f): _unique_by_impl(map([f]));"),
    DEFINITION("min_by", 1, "min_by(f): _min_by_impl(map([f]));"),
    DEFINITION("max_by", 1, "max_by(f): _max_by_impl(map([f]));"),

    /* Generators. */
    DEFINITION("add", 1, "add(f): reduce f as $x (null; . + $x);"),
    DEFINITION("range", 1, "range($n): range(0; $n);"),
    DEFINITION("range", 3,
               "range($from; $upto; $by): if $by > 0 then $from | while(. < $upto; . + $by)"
               " elif $by < 0 then $from | while(. > $upto; . + $by) else empty end;"),
    DEFINITION("while", 2, "while(cond; update): def w: if cond then ., (update | w) else empty end; w;"),
    DEFINITION("until", 2, "until(cond; update): def u: if cond then . else update | u end; u;"),
    DEFINITION("repeat", 1, "repeat(f): def r: f, r; r;"),
    DEFINITION("first", 0, "first: .[0];"),
    DEFINITION("last", 0, "last: .[-1];"),
    DEFINITION("nth", 1, "nth($n): .[$n];"),
    DEFINITION("first", 1, "first(f): label $out | f | ., break $out;"),
    DEFINITION("last", 1, "last(f): reduce f as $x ([]; [$x]) | .[];"),
    DEFINITION("nth", 2,
               "nth($n; f): if $n < 0 then error(\"nth doesn't support negative indices\")"
               " else first(skip($n; f)) end;"),
    DEFINITION("limit", 2,
               "limit($n; f): if $n > 0 then label $out | foreach f as $x ($n; . - 1;"
               " $x, if . <= 0 then break $out else empty end)"
               " elif $n == 0 then empty else error(\"limit doesn't support negative count\") end;"),
    DEFINITION("skip", 2,
               "skip($n; f): if $n > 0 then foreach f as $x ($n; . - 1; if . < 0 then $x else empty end)"
               " elif $n == 0 then f else error(\"skip doesn't support negative count\") end;"),
    DEFINITION("isempty", 1, "isempty(f): first((f | false), true);"),
    DEFINITION("any", 1, "any(f): any(.[]; f);"),
    DEFINITION("any", 2, "any(g; f): first((g | f | if . then true else empty end), false);"),
    DEFINITION("all", 1, "all(f): all(.[]; f);"),
    DEFINITION("all", 2, "all(g; f): first((g | f | if . then empty else false end), true);"),
    DEFINITION("inputs", 0, "inputs: try repeat(input) catch if . == \"break\" then empty else error end;"),
    DEFINITION("debug", 1, "debug(messages): (messages | debug | empty), .;"),
    DEFINITION("halt_error", 0, "halt_error: halt_error(5);"),

    /* Paths. */
    DEFINITION("paths", 0, "paths: path(..) | select(. != []);"),
    DEFINITION("paths", 1, "paths(f): . as $top | paths | select(. as $p | $top | getpath($p) | f);"),
    DEFINITION("pick", 1, "pick(f): . as $top | reduce path(f) as $p (null; setpath($p; $top | getpath($p)));"),
    DEFINITION("del", 1, "del(f): delpaths([path(f)]);"),
    DEFINITION("_assign", 2, "_assign(f; $v): reduce path(f) as $p (.; setpath($p; $v));"),
    DEFINITION("_modify", 2,
               "_modify(f; update): reduce path(f) as $p ([., []]; . as [$x, $gone] | label $out"
               " | ([($x | setpath($p; getpath($p) | update)), $gone] | ., break $out), [$x, $gone + [$p]])"
               " | . as [$x, $gone] | $x | delpaths($gone);"),

    /* Streams. */
    DEFINITION("tostream", 0,
               "tostream: . as $v | def more: . as $from | $v | _tostream($from) as [$events, $next]"
               " | $events[], (if $next == null then empty else $next | more end); null | more;"),
    DEFINITION("fromstream", 1,
               "fromstream(f): foreach f as $event (null; _fromstream($event);"
               " if .[0] then .[1] else empty end);"),
    DEFINITION("truncate_stream", 1,
               "truncate_stream(f): . as $n | null | f | if (.[0] | length) > $n"
               " then setpath([0]; .[0][$n:]) else empty end;"),

    /* Places. */
    DEFINITION("indices", 1,
               "indices($x): if type == \"array\" and ($x | type) == \"array\" then .[$x]"
               " elif type == \"array\" then .[[$x]]"
               " elif type == \"string\" and ($x | type) == \"string\" then _strindices($x)"
               " else .[$x] end;"),
    DEFINITION("index", 1, "index($x): indices($x) | .[0];"),
    DEFINITION("rindex", 1, "rindex($x): indices($x) | .[-1:][0];"),

    /* Regular expressions. */
    DEFINITION("match", 1, "match(re): _match(re)[];"),
    DEFINITION("match", 2, "match(re; flags): _match(re; flags)[];"),
    DEFINITION("capture", 1, "capture(re): _captures(re)[];"),
    DEFINITION("capture", 2, "capture(re; flags): _captures(re; flags)[];"),
    DEFINITION("scan", 2, "scan($re; $flags): _scan($re; \"g\" + $flags)[];"),
    DEFINITION("scan", 1, "scan($re): scan($re; null);"),
    DEFINITION("split", 2, "split($re; flags): _split($re; \"g\" + flags);"),
    DEFINITION("splits", 1, "splits($re): splits($re; null);"),
    DEFINITION("splits", 2, "splits($re; flags): split($re; flags)[];"),
    DEFINITION("sub", 2, "sub($re; text): sub($re; text; \"\");"),
    DEFINITION("sub", 3,
               "sub($re; text; $flags): . as $in | _edits($re; $flags) as [$edits, $tail]"
               " | if $edits == [] then $in else"
               " reduce $edits[] as [$gap, $found] ([]; _insert($gap; [$found | text]))"
               " | if . == [] then $in else .[] + $tail end end;"),
    DEFINITION("gsub", 2, "gsub($re; text): sub($re; text; \"g\");"),
    DEFINITION("gsub", 3, "gsub($re; text; $flags): sub($re; text; $flags + \"g\");"),

    /* Dates. */
    DEFINITION("todateiso8601", 0, "todateiso8601: strftime(\"%Y-%m-%dT%H:%M:%SZ\");"),
    DEFINITION("fromdateiso8601", 0, "fromdateiso8601: strptime(\"%Y-%m-%dT%H:%M:%SZ\") | mktime;"),
    DEFINITION("todate", 0, "todate: todateiso8601;"),
    DEFINITION("fromdate", 0, "fromdate: fromdateiso8601;"),

    /* As in SQL. */
    DEFINITION("INDEX", 2,
               "INDEX(stream; f): reduce (stream | . as $row | f | tostring | [., $row]) as [$key, $row]"
               " ({}; .[$key] = $row);"),
    DEFINITION("INDEX", 1, "INDEX(f): INDEX(.[]; f);"),
    DEFINITION("IN", 1, "IN(s): any(s == .; .);"),
    DEFINITION("IN", 2, "IN(source; s): any(source == s; .);"),
    DEFINITION("JOIN", 2, "JOIN($idx; f): [.[] | [., $idx[f]]];"),
    DEFINITION("JOIN", 3, "JOIN($idx; stream; f): stream | [., $idx[f]];"),
    DEFINITION("JOIN", 4, "JOIN($idx; stream; f; join): stream | [., $idx[f]] | join;"),
};

const struct jq_prelude *wk_jq_prelude_at(size_t i)
{
    return i < WK_COUNTOF(definitions) ? &definitions[i] : NULL;
}

const struct jq_prelude *wk_jq_prelude(const char *name, size_t n, unsigned nargs)
{
    for (size_t i = 0; i < WK_COUNTOF(definitions); i++) {
        const struct jq_prelude *d = &definitions[i];
        if (d->nargs == nargs && strncmp(d->name, name, n) == 0 && d->name[n] == '\0')
            return d;
    }
    return NULL;
}
