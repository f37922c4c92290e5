"""TLA+ as far as exports use it, read by a public grammar and evaluated: which states are reached, what is violated.

It knows nothing of how exports are made, nor of expressions: what an operator does is what "Specifying Systems" says,
and it is stricter than TLC about types. What exports do not use is an error here.
"""

from __future__ import annotations

import itertools
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import tree_sitter_tlaplus
from tla_fairness import Fair, stays
from tree_sitter import Language, Node, Parser

Value = object
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # the grammar's package gives its language as a number
    _LANGUAGE = Language(tree_sitter_tlaplus.language())  # pyright: ignore[reportDeprecated]


class Fn(dict[object, object]):
    """A function, or a record, which is one of strings; it is not changed once it is there."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


@dataclass(frozen=True)
class Among:
    """A set that is only asked what is in it."""

    contains: Callable[[Value], bool]


@dataclass
class Env:
    """What an expression is evaluated in: the state, the next one as far as it is known, and what is bound."""

    now: Mapping[str, Value]
    after: dict[str, Value]
    bound: dict[str, Callable[[], Value]] = field(default_factory=dict[str, Callable[[], Value]])


Code = Callable[[Env], Value]


@dataclass(frozen=True)
class Definition:
    parameters: tuple[str, ...]
    body: Node


@dataclass(frozen=True)
class Found:
    """What an exhaustive search found."""

    states: int
    violated: frozenset[str]


def parsed(text: str) -> Node:
    """The tree of a file. Fails where the grammar does not know it."""
    tree = Parser(_LANGUAGE).parse(text.encode())
    for node in _walk(tree.root_node):
        assert not node.is_error and not node.is_missing, f"{node.start_point}: {_said(node)[:200]}"
    assert not tree.root_node.has_error
    return tree.root_node


def _walk(root: Node) -> Iterator[Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(node.children)


def _said(node: Node | None) -> str:
    assert node is not None
    assert node.text is not None
    return node.text.decode()


def _inner(node: Node) -> list[Node]:
    """What a node is made of, without signs and comments."""
    return [n for n in node.named_children if n.type not in _SIGNS]


_SIGNS = frozenset(
    ("langle_bracket", "rangle_bracket", "all_map_to", "maps_to", "comment", "bullet_conj", "bullet_disj")
)


def _bare(node: Node) -> Node:
    return _inner(node)[0] if node.type == "parentheses" else node


def _field(node: Node, name: str) -> Node:
    found = node.child_by_field_name(name)
    assert found is not None, (node.type, name)
    return found


#: What is listed in a comment: TLC would not come back from it.
NOT_FOR_TLC = "NOT FOR TLC"


def settings(text: str) -> dict[str, list[str]]:
    """What the configuration at the end of a file lists."""
    found: dict[str, list[str]] = {}
    at = ""
    for line in text.split("---- CONFIG ")[1].splitlines()[1:-1]:
        words = line.split()
        if line.startswith("\\* PROPERTY "):
            found.setdefault(NOT_FOR_TLC, []).append(words[-1])
        elif line.startswith(" "):
            found[at].extend(words)
        else:
            at = words[0]
            found[at] = words[1:]
    return found


class Module:
    """A module that was read: it can be explored."""

    def __init__(self, text: str) -> None:
        root = parsed(text)
        module = next(n for n in root.children if n.type == "module")
        self.text = text
        self.name = _said(module.child_by_field_name("name"))
        self.variables: list[str] = []
        self.definitions: dict[str, Definition] = {}
        for node in module.named_children:
            if node.type == "variable_declaration":
                self.variables += [_said(n) for n in node.named_children if n.type == "identifier"]
            elif node.type == "operator_definition":
                name, definition = self._defined(node)
                assert name not in self.definitions and name not in self.variables, name
                self.definitions[name] = definition
        self._codes: dict[int, Code] = {}
        self._actions: dict[str, bool] = {}
        self._numbers: dict[tuple[Value, ...], int] = {}

    def _defined(self, node: Node) -> tuple[str, Definition]:
        named = [_said(n) for n in node.children_by_field_name("parameter") if n.type == "identifier"]
        return _said(_field(node, "name")), Definition(tuple(named), _field(node, "definition"))

    def explore(self) -> Found:
        """Every reachable state, and which of the invariants and properties of its configuration are violated."""
        listed = settings(self.text)
        assert listed["SPECIFICATION"] == ["Spec"]
        assert listed["CHECK_DEADLOCK"] == ["FALSE"]
        assert _said(self.definitions["Spec"].body) == "Init /\\ [][Next]_vars"
        asked = {name: self._code(self.definitions[name].body) for name in listed["INVARIANTS"]}
        formulas = [*listed.get("PROPERTIES", []), *listed.get(NOT_FOR_TLC, [])]
        actions = {name: self._each_step(name) for name in formulas}
        steps = {name: self._code(action) for name, action in actions.items() if action is not None}
        violated: set[str] = set()
        states = [env.after for env in self._solve(self.definitions["Init"].body, Env({}, {}), "")]
        assert states
        first = range(len(states))
        self._numbers = {self._key(state): number for number, state in enumerate(states)}
        edges: list[set[int]] = []
        for number, state in enumerate(states):
            violated |= {name for name, code in asked.items() if not _true(code(Env(state, {})))}
            edges.append(set())
            for env in self._solve(self.definitions["Next"].body, Env(state, {}), "'"):
                after = self._numbers.setdefault(self._key(env.after), len(states))
                if after == len(states):
                    states.append(env.after)
                if after != number:
                    edges[number].add(after)
                    violated |= {name for name, code in steps.items() if not _true(code(Env(state, env.after)))}
        graph = dict(enumerate(edges))
        violated |= {n for n, action in actions.items() if action is None and self._fails(n, states, graph, first)}
        return Found(len(states), frozenset(violated))

    def _fails(self, name: str, states: list[dict[str, Value]], edges: Mapping[int, set[int]], first: range) -> bool:
        """Whether some fair behaviour is not as a formula says: `fairness => (a ~> b)`, or `<>b`, or either alone."""
        body = self.definitions[name].body
        inner = [self._let(body, Env(state, {})) if body.type == "let_in" else Env(state, {}) for state in states]
        formula = _bare(_field(body, "expression") if body.type == "let_in" else body)
        demands: list[Fair] = []
        if _field(formula, "symbol").type == "implies":
            demands = [self._fair(node, states) for node in self._fairness(_said(_field(formula, "lhs")))]
            formula = _bare(_field(formula, "rhs"))
        sign = _field(formula, "symbol").type
        assert sign in ("leads_to", "eventually"), sign
        goal = self._code(_field(formula, "rhs"))
        begins: list[int] = list(first)
        if sign == "leads_to":
            trigger = self._code(_field(formula, "lhs"))
            begins = [number for number, env in enumerate(inner) if _true(trigger(env))]
        return stays(edges, begins, lambda number: _true(goal(inner[number])), demands)

    def _fairness(self, name: str) -> list[Node]:
        body = self.definitions[name].body
        return [_inner(item)[-1] for item in _inner(body)] if body.type == "conj_list" else [body]

    def _fair(self, node: Node, states: list[dict[str, Value]]) -> Fair:
        assert node.type == "fairness"
        variables, action = _inner(node)
        assert _said(variables) == "vars"
        steps: dict[int, set[int]] = {}
        for number, state in enumerate(states):
            found = self._solve(action, Env(state, {}), "'")
            steps[number] = {self._numbers[self._key(env.after)] for env in found} - {number}
        return Fair(_said(node).startswith("SF_"), steps)

    def _key(self, state: Mapping[str, Value]) -> tuple[Value, ...]:
        assert len(state) == len(self.variables), "a step says what every variable is"
        return tuple(state[name] for name in self.variables)

    def _each_step(self, name: str) -> Node | None:
        """The action of a property `[][action]_vars`; None for a formula of whole behaviours."""
        always = self.definitions[name].body
        if always.type != "bound_prefix_op" or _field(always, "symbol").type != "always":
            return None
        boxed = _field(always, "rhs")
        assert boxed.type == "step_expr_or_stutter"
        action, variables = _inner(boxed)
        assert _said(variables) == "vars"
        return action

    # What a formula allows to come next

    def _solve(self, node: Node, env: Env, prime: str) -> Iterator[Env]:
        """Each way to make a formula true by what it says of variables that are not known yet."""
        match node.type:
            case "conj_list":
                yield from self._all([_inner(item)[-1] for item in _inner(node)], env, prime)
            case "disj_list":
                for item in _inner(node):
                    yield from self._solve(_inner(item)[-1], env, prime)
            case "parentheses":
                yield from self._solve(_inner(node)[0], env, prime)
            case "let_in":
                inner = self._let(node, env)
                yield from self._solve(_field(node, "expression"), inner, prime)
            case "identifier_ref" if _said(node) in self.definitions and self._is_action(_said(node)):
                for found in self._solve(self.definitions[_said(node)].body, Env(env.now, env.after), prime):
                    yield Env(env.now, found.after, env.bound)
            case "bound_prefix_op" if _field(node, "symbol").type == "unchanged":
                same = _field(node, "rhs")
                named = self.definitions["vars"].body if _said(same) == "vars" else same
                after = dict(env.after)
                for name in map(_said, _inner(named)):
                    assert name not in after
                    after[name] = env.now[name]
                yield Env(env.now, after, env.bound)
            case "bound_infix_op" if _field(node, "symbol").type == "lor" and prime and self._speaks_of_next(node):
                yield from self._solve(_field(node, "lhs"), env, prime)
                yield from self._solve(_field(node, "rhs"), env, prime)
            case "bound_infix_op" if _field(node, "symbol").type == "land":
                yield from self._all([_field(node, "lhs"), _field(node, "rhs")], env, prime)
            case "bound_infix_op" if self._assigned(node, env, prime) is not None:
                name = str(self._assigned(node, env, prime))
                value = self._code(_field(node, "rhs"))(env)
                several = _field(node, "symbol").type == "in"
                for one in _set(value) if several else [value]:
                    yield Env(env.now, {**env.after, name: one}, env.bound)
            case _:
                if _true(self._code(node)(env)):
                    yield env

    def _all(self, nodes: list[Node], env: Env, prime: str) -> Iterator[Env]:
        if not nodes:
            yield env
            return
        for found in self._solve(nodes[0], env, prime):
            yield from self._all(nodes[1:], Env(found.now, found.after, env.bound), prime)

    def _is_action(self, name: str) -> bool:
        """Whether an operator speaks of the next state."""
        if name not in self._actions:
            self._actions[name] = self._speaks_of_next(self.definitions[name].body)
        return self._actions[name]

    def _speaks_of_next(self, root: Node) -> bool:
        return any(
            node.type in ("prime", "unchanged")
            or (node.type == "identifier_ref" and _said(node) in self.definitions and self._is_action(_said(node)))
            for node in _walk(root)
        )

    def _assigned(self, node: Node, env: Env, prime: str) -> str | None:
        left = _field(node, "lhs")
        if _field(node, "symbol").type not in ("eq", "in"):
            return None
        text = _said(left)
        name = text.removesuffix("'") if prime else text
        known = name in self.variables and text == name + prime and name not in env.after
        return name if known else None

    # What an expression is worth

    def _code(self, node: Node) -> Code:
        if node.id not in self._codes:
            self._codes[node.id] = self._made(node)
        return self._codes[node.id]

    def _let(self, node: Node, env: Env) -> Env:
        inner = Env(env.now, env.after, dict(env.bound))
        for defined in node.children_by_field_name("definitions"):
            name, definition = self._defined(defined)
            assert not definition.parameters
            assert name not in self.definitions and name not in self.variables and name not in inner.bound
            inner.bound[name] = _later(self._code(definition.body), inner)
        return inner

    def _made(self, node: Node) -> Code:
        match node.type:
            case "nat_number":
                number = int(_said(node))
                return lambda env: number
            case "boolean":
                truth = _said(node) == "TRUE"
                return lambda env: truth
            case "string":
                text = _said(node)[1:-1]
                return lambda env: text
            case "boolean_set":
                return lambda env: Among(lambda v: isinstance(v, bool))
            case "parentheses":
                return self._code(_inner(node)[0])
            case "identifier_ref":
                return self._name(_said(node))
            case "conj_list":
                return _every([self._code(_inner(item)[-1]) for item in _inner(node)], stop=False)
            case "disj_list":
                return _every([self._code(_inner(item)[-1]) for item in _inner(node)], stop=True)
            case "bound_prefix_op":
                return self._prefixed(_field(node, "symbol").type, _field(node, "rhs"))
            case "bound_postfix_op":
                assert _field(node, "symbol").type == "prime"
                name = _said(_field(node, "lhs"))
                assert name in self.variables
                return lambda env: env.after[name]
            case "bound_infix_op":
                return self._infix(_field(node, "symbol").type, _field(node, "lhs"), _field(node, "rhs"))
            case "if_then_else":
                test, then, other = (self._code(_field(node, part)) for part in ("if", "then", "else"))
                return lambda env: then(env) if _true(test(env)) else other(env)
            case "case":
                return self._cases(node)
            case "let_in":
                body = self._code(_field(node, "expression"))
                return lambda env: body(self._let(node, env))
            case "bound_op":
                return self._called(node)
            case "tuple_literal":
                items = [self._code(n) for n in _inner(node)]
                return lambda env: tuple(i(env) for i in items)
            case "finite_set_literal":
                elements = [self._code(n) for n in _inner(node)]
                return lambda env: frozenset(e(env) for e in elements)
            case "function_evaluation":
                of, at = (self._code(n) for n in _inner(node))
                return lambda env: _function(of(env))[at(env)]
            case "record_value":
                whole, named = _inner(node)
                record, key = self._code(whole), _said(named)
                return lambda env: _function(record(env))[key]
            case "function_literal" | "record_literal" | "set_of_functions" | "set_of_records" | "except":
                return self._structured(node)
            case _:
                raise AssertionError(f"{node.type}: {_said(node)}")

    def _name(self, name: str) -> Code:
        if name in self.variables:
            return lambda env: env.now[name]
        if name in self.definitions:
            body = self.definitions[name].body
            assert not self.definitions[name].parameters
            return lambda env: self._code(body)(Env(env.now, env.after))
        return lambda env: env.bound[name]()

    def _prefixed(self, sign: str, operand: Node) -> Code:
        if sign == "unchanged":
            named = self.definitions["vars"].body if _said(operand) == "vars" else operand
            names = [_said(n) for n in _inner(named)]
            return lambda env: all(env.now[n] == env.after[n] for n in names)
        value = self._code(operand)
        match sign:
            case "lnot":
                return lambda env: not _true(value(env))
            case "negative":
                return lambda env: -_number(value(env))
            case "powerset":
                return lambda env: _subsets(value(env))
            case _:
                raise AssertionError(sign)

    def _infix(self, sign: str, lhs: Node, rhs: Node) -> Code:
        a, b = self._code(lhs), self._code(rhs)
        match sign:
            case "land":
                return lambda env: _true(a(env)) and _true(b(env))
            case "lor":
                return lambda env: _true(a(env)) or _true(b(env))
            case "implies":
                return lambda env: not _true(a(env)) or _true(b(env))
            case "eq":
                return lambda env: _same(a(env), b(env))
            case "neq":
                return lambda env: not _same(a(env), b(env))
            case "in":
                return lambda env: _is_in(a(env), b(env))
            case "dots_2":
                return lambda env: frozenset(range(_number(a(env)), _number(b(env)) + 1))
            case "cup":
                return lambda env: _set(a(env)) | _set(b(env))
            case "setminus":
                return lambda env: _set(a(env)) - _set(b(env))
            case "lt" | "gt" | "leq" | "geq" | "plus" | "minus" | "mul":
                compute = _COMPUTED[sign]
                return lambda env: compute(_number(a(env)), _number(b(env)))
            case "div" | "mod":
                if sign == "div":
                    return lambda env: _number(a(env)) // _positive(b(env))
                return lambda env: _number(a(env)) % _positive(b(env))
            case _:
                raise AssertionError(sign)

    def _cases(self, node: Node) -> Code:
        arms: list[tuple[Code, Code]] = []
        for arm in _inner(node):
            if arm.type == "case_box":
                continue
            parts = [self._code(n) for n in _inner(arm) if n.type != "case_arrow"]
            arms.append((parts[0], parts[1]) if arm.type == "case_arm" else (lambda env: True, parts[0]))
        return lambda env: next(gives(env) for test, gives in arms if _true(test(env)))

    def _called(self, node: Node) -> Code:
        definition = self.definitions[_said(_field(node, "name"))]
        given = [self._code(n) for n in node.children_by_field_name("parameter") if n.is_named]
        body = self._code(definition.body)

        def call(env: Env) -> Value:
            bound = {p: _later(g, env) for p, g in zip(definition.parameters, given, strict=True)}
            return body(Env(env.now, env.after, bound))

        return call

    def _structured(self, node: Node) -> Code:
        parts = _inner(node)
        match node.type:
            case "function_literal":
                name, domain = _said(_field(parts[0], "intro")), self._code(_field(parts[0], "set"))
                value = self._code(parts[1])
                assert name not in self.definitions and name not in self.variables

                def function(env: Env) -> Value:
                    assert name not in env.bound
                    each = [(k, {**env.bound, name: _given(k)}) for k in _set(domain(env))]
                    return Fn((k, value(Env(env.now, env.after, bound))) for k, bound in each)

                return function
            case "record_literal":
                fields = [(_said(k), self._code(v)) for k, v in zip(parts[::2], parts[1::2], strict=True)]
                return lambda env: Fn((k, v(env)) for k, v in fields)
            case "set_of_records":
                ranges = [(_said(k), self._code(v)) for k, v in zip(parts[::2], parts[1::2], strict=True)]
                return lambda env: _records({k: v(env) for k, v in ranges})
            case "set_of_functions":
                domain, values = (self._code(n) for n in parts)
                return lambda env: _functions(_set(domain(env)), values(env))
            case _:
                whole = self._code(parts[0])
                updates = [self._update(n) for n in parts[1:]]

                def excepted(env: Env) -> Value:
                    found = whole(env)
                    for path, value in updates:
                        found = _replaced(_function(found), [p(env) for p in path], value(env))
                    return found

                return excepted

    def _update(self, node: Node) -> tuple[list[Code], Code]:
        path: list[Code] = []
        specifier = next(n for n in node.named_children if n.type == "except_update_specifier")
        for step in specifier.named_children:
            (key,) = _inner(step)
            path.append(self._code(key) if step.type == "except_update_fn_appl" else _constant(_said(key)))
        return path, self._code(_field(node, "new_val"))


def _constant(value: Value) -> Code:
    return lambda env: value


def _given(value: Value) -> Callable[[], Value]:
    return lambda: value


def _later(code: Code, env: Env) -> Callable[[], Value]:
    """What is evaluated when it is first asked for, and only once."""
    known: list[Value] = []

    def value() -> Value:
        if not known:
            known.append(code(env))
        return known[0]

    return value


def _every(codes: list[Code], stop: bool) -> Code:
    def code(env: Env) -> Value:
        return stop if any(_true(c(env)) is stop for c in codes) else not stop

    return code


def _true(value: Value) -> bool:
    assert isinstance(value, bool), value
    return value


def _number(value: Value) -> int:
    assert isinstance(value, int) and not isinstance(value, bool), value
    return value


def _positive(value: Value) -> int:
    number = _number(value)
    assert number > 0, "TLA+ divides by positive numbers only"
    return number


def _set(value: Value) -> frozenset[object]:
    assert isinstance(value, frozenset), value
    return value  # pyright: ignore[reportUnknownVariableType]


def _function(value: Value) -> Fn:
    assert isinstance(value, Fn), value
    return value


def _same(a: Value, b: Value) -> bool:
    assert type(a) is type(b), (a, b)
    return a == b


def _is_in(value: Value, among: Value) -> bool:
    if isinstance(among, Among):
        return among.contains(value)
    assert all(type(value) is type(element) for element in itertools.islice(_set(among), 1)), (value, among)
    return value in _set(among)


def _subsets(value: Value) -> Among:
    return Among(lambda v: _set(v) <= _set(value))


def _functions(domain: frozenset[object], values: Value) -> Among:
    return Among(lambda v: _function(v).keys() == domain and all(_is_in(x, values) for x in _function(v).values()))


def _records(ranges: Mapping[str, Value]) -> Among:
    return Among(
        lambda v: _function(v).keys() == ranges.keys() and all(_is_in(_function(v)[k], r) for k, r in ranges.items())
    )


def _replaced(whole: Fn, path: list[Value], value: Value) -> Fn:
    at, *rest = path
    assert at in whole, "EXCEPT changes nothing where there is no such argument"
    return Fn({**whole, at: _replaced(_function(whole[at]), rest, value) if rest else value})


_COMPUTED: Mapping[str, Callable[[int, int], Value]] = {
    "lt": operator.lt,
    "gt": operator.gt,
    "leq": operator.le,
    "geq": operator.ge,
    "plus": operator.add,
    "minus": operator.sub,
    "mul": operator.mul,
}
