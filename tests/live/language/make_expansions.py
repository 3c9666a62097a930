"""Parameter expansion on scalars."""
from grammar import show_words, statement, word


@word("param.plain")
def plain(g):
    return g.pick('"$v"', "$v", "${v}", '"${v}"', "$w", "${#v}", '"${w}x"')


@word("param.default")
def default(g):
    quote = g.pick("", '"')
    return f'{quote}${{{g.name()}{g.pick(":-", "-", ":+", "+")}{g.word()}}}{quote}'


@word("param.trim")
def trim(g):
    quote = g.pick("", '"')
    return f'{quote}${{v{g.pick("#", "##", "%", "%%")}{g.pattern()}}}{quote}'


@statement("param.trim")
def trims(g):
    return f'v={g.value()}\n' + show_words(g.many(1, 3, lambda: trim(g)))


@statement("param.slice")
def slices(g):
    return f'v={g.value()}\n' + show_words(f'"${{v:{g.offset()}:{g.offset()}}}"')


@statement("param.words")
def words(g):
    return f'v={g.value()} w={g.value()}\n' + show_words(g.words(1, 4))
