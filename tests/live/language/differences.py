"""The classes of scripts in which whelk is known to differ from bash: each a minimal input, the reason, and how a cut-down script is recognised.

At most fifteen. docs/divergences/language.md says the same for readers.
"""
import re


class Class:
    def __init__(self, name, reason, script):
        self.name = name
        self.reason = reason
        self.script = re.compile(script, re.S)

    def matches(self, text, _bash, _ours):
        return self.script.search(text) is not None


CLASSES = []
