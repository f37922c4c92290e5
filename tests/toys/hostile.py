"""A model whose every name, value and sentence is what a careless page would run, or be broken by."""

from __future__ import annotations

ALERT = "<script>alert(1)</script>"

HOSTILE = '''
from fenceproof.model import Array, Choice, Map, Maybe, Model, Range, Set, action, choose, fault, invariant, require

ALERT = "<script>alert(1)</script>"
ENDS = "</script><img src=x onerror=alert(2)>"
ODD = "\\u2028 \\u2029 \\" ' & \\\\ \\n \\ud800 \\u202e"


class Hostile(Model):
    """<script>alert(3)</script> & <b>more</b>"""

    def __init__(self) -> None:
        self.place = Choice(ALERT, ENDS, ODD)
        self.wide = Map((ENDS, "toString", "__proto__"), Maybe(Range(0, 1)))
        self.held = Set(Choice("constructor", "<i>"))
        self.both = Array(2, Range(0, 1))

    @action(where=(ALERT, ENDS, ODD))
    def go(self, where: str) -> str:
        require(self.place != where)
        self.place = where
        return "<u>" + where

    @action
    def put(self) -> str:
        key = choose([ENDS, "toString", "__proto__"])
        require(self.wide[key] is None)
        self.wide[key] = 1
        return "constructor"

    @fault("<s>fault</s>", budget=1)
    @action
    def hold(self) -> None:
        self.held.add("<i>")
        self.both[1] = 1

    @invariant(name="no <script>alert(4)</script>")
    def never(self) -> bool:
        """</script><script>alert(5)</script>"""
        return not (self.place == ODD and self.wide["__proto__"] is not None)
'''
