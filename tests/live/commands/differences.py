"""The classes of invocations in which whelk's commands are known to differ from the real ones: each a minimal input, the reason, and how a cut-down
script is recognised. At most fifteen a command; docs/divergences/NAME.md says the same for readers."""
import re


class Class:
    """script: what the cut-down script holds; only: the parts (0 status, 1 output, 2 errors) in which the two may differ; outcomes: what else holds."""

    def __init__(self, name, minimal, reason, script, only=(0, 1, 2), outcomes=lambda real, ours: True):
        self.name, self.minimal, self.reason = name, minimal, reason
        self.script = re.compile(script, re.S)
        self.only = only
        self.outcomes = outcomes

    def matches(self, text, real, ours):
        return self.script.search(text) is not None and all(at in self.only for at in range(3) if real[at] != ours[at]) and self.outcomes(real, ours)


CLASSES = {}
