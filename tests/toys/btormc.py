"""BTOR2 text, read by the format's reference reader and model-checked by BtorMC, both of the `pyboolector` package.

The reader checks what the format demands: sorts, arities, and that a line refers to earlier ones. (A. Niemetz et al.,
"BTOR2, BtorMC and Boolector 3.0", CAV 2018.) The package's Python part knows neither, so its library is called as is.
"""

from __future__ import annotations

import ctypes
import functools
from importlib import metadata
from pathlib import Path
from typing import Any, Final

_STOP_FIRST: Final = 3
_POINTER: Final = ctypes.c_void_p
#: Operators by their name in the format, where Boolector calls them otherwise.
_RENAMED: Final = {"ite": "cond"}


class _Sort(ctypes.Structure):
    # Of the union that stands last there are two forms; a bit-vector has its width in the first bytes.
    _fields_ = [
        ("id", ctypes.c_int64),
        ("tag", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("width", ctypes.c_uint32),
        ("_element", ctypes.c_int64),
    ]


class _Line(ctypes.Structure):
    _fields_ = [
        ("id", ctypes.c_int64),
        ("lineno", ctypes.c_int64),
        ("name", ctypes.c_char_p),
        ("tag", ctypes.c_int),
        ("sort", _Sort),
        ("init", ctypes.c_int64),
        ("next", ctypes.c_int64),
        ("constant", ctypes.c_char_p),
        ("symbol", ctypes.c_char_p),
        ("nargs", ctypes.c_uint32),
        ("args", ctypes.POINTER(ctypes.c_int64)),
    ]


@functools.cache
def _library() -> ctypes.CDLL:
    files = metadata.files("pyboolector") or []
    return ctypes.CDLL(str(next(file.locate() for file in files if "libboolector" in file.name)))


def _call(name: str, *arguments: Any, result: Any = _POINTER) -> Any:
    function = _library()[name]
    function.restype = result
    return function(*arguments)


class Checker:
    """A model that was read; its bad states are known by the symbols of their lines."""

    def __init__(self, text: str) -> None:
        self.bads: list[str] = []
        self.states: list[str] = []
        self._nodes: dict[int, Any] = {}
        self._mc = _POINTER(_call("boolector_mc_new"))
        self._btor = _POINTER(_call("boolector_mc_get_btor", self._mc))
        _call("boolector_mc_set_opt", self._mc, _STOP_FIRST, 0, result=None)
        self._read(text)

    def reached(self, most: int) -> dict[str, int]:
        """For each bad state that can be reached in so many steps, how many it takes."""
        _call("boolector_mc_bmc", self._mc, 0, most, result=ctypes.c_int32)
        found: dict[str, int] = {}
        for number, symbol in enumerate(self.bads):
            depth = _call("boolector_mc_reached_bad_at_bound", self._mc, number, result=ctypes.c_int32)
            if depth >= 0:
                found[symbol] = depth
        return found

    def close(self) -> None:
        for node in self._nodes.values():
            _call("boolector_release", self._btor, node, result=None)
        _call("boolector_mc_delete", self._mc, result=None)

    def _read(self, text: str) -> None:
        path = Path("model.btor2")
        path.write_text(text, encoding="utf-8")
        libc = ctypes.CDLL(None)
        libc.fopen.restype = _POINTER
        parser = _POINTER(_call("btor2parser_new"))
        file = _POINTER(libc.fopen(str(path).encode(), b"r"))
        is_read = _call("btor2parser_read_lines", parser, file, result=ctypes.c_int)
        libc.fclose(file)
        if not is_read:
            message = _call("btor2parser_error", parser, result=ctypes.c_char_p)
            raise ValueError(message.decode())
        for number in range(1, _call("btor2parser_max_id", parser, result=ctypes.c_int64) + 1):
            line = _call("btor2parser_get_line_by_id", parser, ctypes.c_int64(number), result=ctypes.POINTER(_Line))
            if line:
                self._line(line.contents)
        _call("btor2parser_delete", parser, result=None)

    def _line(self, line: _Line) -> None:
        args = [line.args[i] for i in range(line.nargs)]
        name, symbol = line.name.decode(), line.symbol
        match name:
            case "sort":
                return
            case "init" | "next":
                state, value = (self._node(a) for a in args)
                _call(f"boolector_mc_{name}", self._mc, state, value, result=None)
            case "bad":
                assert symbol, "a bad state is told by its symbol"
                self.bads.append(symbol.decode())
                _call("boolector_mc_bad", self._mc, self._node(args[0]), result=ctypes.c_uint32)
            case "constraint":
                _call("boolector_mc_constraint", self._mc, self._node(args[0]), result=ctypes.c_uint32)
            case _:
                self._nodes[line.id] = self._made(name, line, args)

    def _made(self, name: str, line: _Line, args: list[int]) -> Any:
        mc, btor = self._mc, self._btor
        if name == "const":
            return _POINTER(_call("boolector_const", btor, line.constant))
        sort = _POINTER(_call("boolector_bitvec_sort", btor, ctypes.c_uint32(line.sort.width)))
        match name:
            case "state" | "input":
                if name == "state":
                    self.states.append(line.symbol.decode())
                made = _call(f"boolector_mc_{name}", mc, sort, line.symbol)
                # It is the checker's own, and must not be released.
                made = _call("boolector_copy", btor, _POINTER(made))
            case "zero" | "one":
                made = _call(f"boolector_{name}", btor, sort)
            case "uext" | "sext":
                made = _call(f"boolector_{name}", btor, self._node(args[0]), ctypes.c_uint32(line.args[1]))
            case "slice":
                bits = (ctypes.c_uint32(line.args[i]) for i in (1, 2))
                made = _call("boolector_slice", btor, self._node(args[0]), *bits)
            case _:
                made = _call(f"boolector_{_RENAMED.get(name, name)}", btor, *map(self._node, args))
        return _POINTER(made)

    def _node(self, number: int) -> Any:
        node = self._nodes[abs(number)]
        assert number > 0, "we write no negated reference"
        return node
