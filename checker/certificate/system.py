"""The core of a system as JSON, and back: what is read is well formed, well typed, and written in the one way that a
system is written, or it is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from fenceproof.model.errors import FormatError
from fenceproof.model.expressions import LARGEST, PREDICATE, UNBOUNDED, Op
from fenceproof.model.layout import Slot
from fenceproof.model.system import DEADLOCK

from .core import SORTS, STEP, STUCK, Core, Judgement, Property, Step
from .fields import Types, check, check_name, items, objects
from .nodes import LEAVES, NATURALS, Node, Nodes

#: At most so many of each are read.
MOST_SLOTS: Final = 4096
MOST_STATES: Final = 2**17
MOST_NODES: Final = 2**20
MOST_STEPS: Final = 2**14
MOST_PROPERTIES: Final = 1024

_TRUTH: Final = "truth"
_OPS: Final = {op.value: op for op in Op} | {_TRUTH: Op.CONST}
_SYSTEM: Final[dict[str, Types]] = dict.fromkeys(("slots", "initial", "nodes", "steps", "properties"), (list,))
_SLOT: Final[dict[str, Types]] = {"name": (str,), "sort": (str,), "lo": (int,), "hi": (int, type(None))}
_STEP: Final[dict[str, Types]] = {
    "name": (str,),
    "fault": (str, type(None)),
    "guard": (int,),
    "updates": (list,),
    "outcome": (int,),
    "mistake": (int,),
    "params": (list,),
}
_PROPERTY: Final[dict[str, Types]] = {"name": (str,), "sort": (str,), "meaning": (str,), "judgements": (list,)}
_TRUTH_VALUE: Final = "truth value"
_NUMBER: Final = "number"
_SET: Final = "set of numbers"
_SLOT_SORTS: Final = (_TRUTH_VALUE, _NUMBER, _SET)


def to_json(core: Core) -> dict[str, Any]:
    """A core as JSON values, and the same ones for the same core."""
    return {
        "slots": [
            {"name": s.name, "sort": _sort(s), "lo": s.lo, "hi": s.hi if s.hi < UNBOUNDED else None} for s in core.slots
        ],
        "initial": [list(state) for state in core.initial],
        "nodes": [_row(node) for node in core.nodes],
        "steps": [
            {
                "name": s.name,
                "fault": s.fault,
                "guard": s.guard,
                "updates": [list(update) for update in s.updates],
                "outcome": s.outcome,
                "mistake": s.mistake,
                "params": list(s.params),
            }
            for s in core.steps
        ],
        "properties": [
            {
                "name": p.name,
                "sort": p.sort,
                "meaning": p.meaning,
                "judgements": [[j.holds, j.mistake] for j in p.judgements],
            }
            for p in core.properties
        ],
    }


def _sort(slot: Slot) -> str:
    return _TRUTH_VALUE if slot.is_bool else _SET if slot.hi == PREDICATE else _NUMBER


def _row(node: Node) -> list[object]:
    if node.op is Op.CONST and node.is_bool:
        return [_TRUTH, node.value]
    if node.op in NATURALS:
        return [node.op.value, node.value, node.lo]
    if node.op is Op.EXISTS:
        return [node.op.value, *node.args, node.value]
    return [node.op.value, *([node.value] if node.op in LEAVES else node.args)]


def from_json(where: str, value: object, *, is_wide: bool) -> Core:
    """The core that JSON values describe, of numbers without a bound where `is_wide`. FormatError, with the place, for
    anything that is not one."""
    fields = check(where, value, _SYSTEM)
    slots = tuple(_slots(f"{where}: 'slots'", fields["slots"], is_wide))
    nodes = _nodes(f"{where}: 'nodes'", Nodes(slots, is_wide=is_wide), fields["nodes"])
    initial = tuple(
        tuple(items(f"{where}: 'initial', item {n}", state, int, MOST_SLOTS))
        for n, state in enumerate(items(f"{where}: 'initial'", fields["initial"], list, MOST_STATES), start=1)
    )
    core = Core(
        nodes,
        initial,
        tuple(_steps(f"{where}: 'steps'", fields["steps"])),
        tuple(_properties(f"{where}: 'properties'", fields["properties"])),
    )
    check_core(where, core)
    return core


def _slots(where: str, values: Sequence[object], is_wide: bool) -> Iterator[Slot]:
    for place, fields in objects(where, values, _SLOT, MOST_SLOTS):
        sort, lo, hi = fields["sort"], fields["lo"], fields["hi"]
        if sort not in _SLOT_SORTS:
            raise FormatError(f"{place} has the sort {sort!r:.60}, which is not one of {', '.join(_SLOT_SORTS)}.")
        is_bool = sort == _TRUTH_VALUE
        if hi is None and is_wide and not is_bool and (lo == 0 or sort == _NUMBER) and 0 <= lo <= LARGEST:
            yield Slot(fields["name"], lo, UNBOUNDED if sort == _NUMBER else PREDICATE)
            continue
        if hi is None or sort == _SET or not (-LARGEST <= lo <= hi <= LARGEST) or (is_bool and (lo, hi) != (0, 1)):
            raise FormatError(f"{place} has the range {lo} to {hi}, which it cannot have.")
        yield Slot(fields["name"], lo, hi, is_bool)


def _nodes(where: str, nodes: Nodes, values: Sequence[object]) -> Nodes:
    for number, value in enumerate(items(where, values, list, MOST_NODES)):
        place = f"{where}, item {number + 1},"
        name, *rest = value or [None]
        if not isinstance(name, str) or name not in _OPS:
            raise FormatError(f"{place} begins with {name!r:.60}, which is no operator.")
        args = tuple(items(place, rest, int, MOST_NODES))
        op = _OPS[name]
        try:
            if op is Op.EXISTS and args:
                made = nodes.add(op, args[:-1], args[-1])
            elif op not in LEAVES:
                made = nodes.add(op, args)
            elif op in NATURALS and len(args) == 2:
                made = nodes.add(op, value=args[0], least=args[1])
            elif op in NATURALS:
                raise FormatError(f"{op.value!r} has two numbers.")
            elif len(args) == 1:
                made = nodes.add(op, value=args[0], truth=name == _TRUTH)
            else:
                raise FormatError(f"{op.value!r} has one number.")
        except FormatError as error:
            raise FormatError(f"{place} has no meaning: {error}") from error
        if made != number:
            raise FormatError(f"{place} is the same as item {made + 1}.")
    return nodes


def _steps(where: str, values: Sequence[object]) -> Iterator[Step]:
    for place, fields in objects(where, values, _STEP, MOST_STEPS):
        updates = [
            tuple(items(f"{place} update {n}", update, int, 2))
            for n, update in enumerate(items(f"{place} 'updates'", fields["updates"], list, MOST_SLOTS), start=1)
        ]
        if not all(len(update) == 2 for update in updates):
            raise FormatError(f"{place} has an update that is not a slot and a node.")
        pairs = tuple((update[0], update[1]) for update in updates)
        params = tuple(items(f"{place} 'params'", fields["params"], int, MOST_PROPERTIES))
        yield Step(
            fields["name"], fields["fault"], fields["guard"], pairs, fields["outcome"], fields["mistake"], params
        )


def _properties(where: str, values: Sequence[object]) -> Iterator[Property]:
    for place, fields in objects(where, values, _PROPERTY, MOST_PROPERTIES):
        if fields["sort"] not in SORTS:
            raise FormatError(f"{place} has the sort {fields['sort']!r:.60}, which is not one of {', '.join(SORTS)}.")
        judgements = [
            tuple(items(f"{place} judgement {n}", pair, int, 2))
            for n, pair in enumerate(items(f"{place} 'judgements'", fields["judgements"], list, MOST_STEPS), start=1)
        ]
        if not all(len(pair) == 2 for pair in judgements):
            raise FormatError(f"{place} has a judgement that is not two nodes.")
        made = tuple(Judgement(pair[0], pair[1]) for pair in judgements)
        yield Property(fields["name"], fields["sort"], fields["meaning"], made)


def check_core(where: str, core: Core) -> None:
    """That every part of a core is one that has a meaning where it stands. FormatError names the first that is not."""
    names = [slot.name for slot in core.slots]
    if len(set(names)) != len(names):
        raise FormatError(f"{where}: two slots have one name.")
    for name in names:
        check_name(f"{where}: a slot", name)
    if not core.initial or len(set(core.initial)) != len(core.initial):
        raise FormatError(f"{where}: there is no initial state, or one stands there twice.")
    for number, state in enumerate(core.initial, start=1):
        if len(state) != len(core.slots) or not all(
            slot.lo <= value <= slot.hi for slot, value in zip(core.slots, state, strict=True)
        ):
            raise FormatError(f"{where}: initial state {number} is not within the slots' ranges.")
    if len({p.name for p in core.properties}) != len(core.properties) or not core.properties:
        raise FormatError(f"{where}: there is no property, or two have one name.")
    if any((p.sort == STUCK) is not (p.name == DEADLOCK) for p in core.properties):
        raise FormatError(f"{where}: what is said of deadlocks is called {DEADLOCK}, and nothing else is.")
    for step in core.steps:
        check_name(f"{where}: a step", step.name)
        if step.fault is not None:
            check_name(f"{where}: a fault", step.fault)
    for prop in core.properties:
        check_name(f"{where}: a property", prop.name)
    used: list[int] = []
    for number, step in enumerate(core.steps, start=1):
        used += _check_step(f"{where}: step {number}", core, step)
    for prop in core.properties:
        used += _check_property(f"{where}: the property {prop.name!r:.60}", core, prop)
    if len(core.nodes.below(used)) != len(core.nodes):
        raise FormatError(f"{where}: there are nodes that nothing reads.")


def _check_step(where: str, core: Core, step: Step) -> list[int]:
    positions = [position for position, _ in step.updates]
    if sorted(set(positions)) != positions or not all(0 <= p < len(core.slots) for p in positions):
        raise FormatError(f"{where} does not update slots in their order, each once.")
    values = [value for _, value in step.updates]
    _check_sort(where, core.nodes, [step.guard], is_bool=True)
    _check_sort(where, core.nodes, [step.outcome, step.mistake], is_bool=False)
    for position, value in step.updates:
        _check_sort(where, core.nodes, [value], is_bool=core.slots[position].is_bool)
        node, is_set = core.nodes[value], core.slots[position].hi == PREDICATE
        if node.is_set is not is_set and not (is_set and node.op is Op.CONST and node.value >= 0):
            raise FormatError(f"{where} has a set where a number belongs, or a number where a set does.")
    for parameter in step.params:
        _check_sort(where, core.nodes, [parameter], is_bool=False)
    named = [core.nodes[parameter].value for parameter in step.params if core.nodes[parameter].op is Op.PARAM]
    if named != list(range(len(step.params))):
        raise FormatError(f"{where} does not number its parameters in their order.")
    roots = [step.guard, *values, step.outcome, step.mistake]
    _check_reads(where, core.nodes, roots, frozenset())
    _check_naturals(where, core.nodes, roots, step.params)
    return [*roots, *step.params]


def _check_property(where: str, core: Core, prop: Property) -> list[int]:
    steps = core.steps if prop.sort == STEP else [None]
    if len(prop.judgements) != len(steps):
        raise FormatError(f"{where} has {len(prop.judgements)} judgements, and needs {len(steps)}.")
    for judgement, step in zip(prop.judgements, steps, strict=True):
        roots = [judgement.holds, judgement.mistake]
        _check_sort(where, core.nodes, [judgement.holds], is_bool=True)
        _check_sort(where, core.nodes, [judgement.mistake], is_bool=False)
        _check_reads(where, core.nodes, roots, frozenset() if step is None else frozenset({Op.NEXT, Op.OUTCOME}))
        _check_naturals(where, core.nodes, roots, () if step is None else step.params)
        if step is not None:
            _check_outcomes(where, core.nodes, roots, step)
    return [root for judgement in prop.judgements for root in (judgement.holds, judgement.mistake)]


def _check_sort(where: str, nodes: Nodes, roots: Iterable[int], *, is_bool: bool) -> None:
    for root in roots:
        if not 0 <= root < len(nodes):
            raise FormatError(f"{where} reads node {root}, and there are {len(nodes)}.")
        if nodes[root].is_bool is not is_bool:
            raise FormatError(
                f"{where} has a truth value where a number belongs, or a number where a truth value does."
            )


def _check_reads(where: str, nodes: Nodes, roots: Sequence[int], allowed: frozenset[Op]) -> None:
    found = {nodes[n].op for n in nodes.below(roots)} & {Op.NEXT, Op.OUTCOME}
    if not found <= allowed:
        raise FormatError(f"{where} reads the state after a step, or its outcome, before there is one.")


def _check_naturals(where: str, nodes: Nodes, roots: Sequence[int], params: Sequence[int]) -> None:
    """That no parameter is read but those of the step, and no bound variable outside of its quantifier."""
    free: dict[int, frozenset[tuple[int, int]]] = {}
    for number in nodes.below(roots):
        node = nodes[number]
        if node.op is Op.PARAM and number not in params:
            raise FormatError(f"{where} reads a parameter that its step does not have.")
        found = frozenset[tuple[int, int]]().union(*(free[a] for a in node.args))
        if node.op is Op.EXISTS:
            inside = {pair for pair in free[node.args[1]] if pair[0] == node.value}
            if len(inside) > 1 or any(level == node.value for level, _ in free[node.args[0]]):
                raise FormatError(f"{where} has a quantifier whose variable is not one.")
            found -= inside
        free[number] = found | {(node.value, node.lo)} if node.op is Op.BOUND else found
    if any(free[root] for root in roots):
        raise FormatError(f"{where} reads a bound variable outside of its quantifier.")


def _check_outcomes(where: str, nodes: Nodes, roots: Sequence[int], step: Step) -> None:
    outcome = nodes[step.outcome]
    for number in nodes.below(roots):
        node = nodes[number]
        if node.op is Op.OUTCOME and not (outcome.lo >= 0 and outcome.hi < node.value):
            raise FormatError(f"{where} takes the step {step.name!r:.60} to have fewer outcomes than it has.")
