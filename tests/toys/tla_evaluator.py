"""TLA+ as far as exports use it, read by a public grammar and evaluated: which states are reached, what is violated.

It knows nothing of how exports are made, nor of expressions: what an operator does is what "Specifying Systems" says,
and it is stricter than TLC about types. What exports do not use is an error here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from tla_fairness import Fair, stays
from tla_tree import NOT_FOR_TLC, bare, field_of, parsed, parts_of, said, settings, walk
from tla_values import (
    COMPUTED,
    Among,
    Fn,
    Value,
    as_function,
    as_number,
    as_positive,
    as_set,
    functions,
    is_in,
    is_same,
    is_true,
    records,
    replaced,
    subsets,
)
from tree_sitter import Node


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


class Module:
    """A module that was read: it can be explored."""

    def __init__(self, text: str) -> None:
        root = parsed(text)
        module = next(n for n in root.children if n.type == "module")
        self.text = text
        self.name = said(module.child_by_field_name("name"))
        self.variables: list[str] = []
        self.definitions: dict[str, Definition] = {}
        for node in module.named_children:
            if node.type == "variable_declaration":
                self.variables += [said(n) for n in node.named_children if n.type == "identifier"]
            elif node.type == "operator_definition":
                name, definition = self._defined(node)
                assert name not in self.definitions and name not in self.variables, name
                self.definitions[name] = definition
        self._codes: dict[int, Code] = {}
        self._actions: dict[str, bool] = {}
        self._numbers: dict[tuple[Value, ...], int] = {}

    def _defined(self, node: Node) -> tuple[str, Definition]:
        named = [said(n) for n in node.children_by_field_name("parameter") if n.type == "identifier"]
        return said(field_of(node, "name")), Definition(tuple(named), field_of(node, "definition"))

    def explore(self) -> Found:
        """Every reachable state, and which of the invariants and properties of its configuration are violated."""
        listed = settings(self.text)
        assert listed["SPECIFICATION"] == ["Spec"]
        assert listed["CHECK_DEADLOCK"] == ["FALSE"]
        assert said(self.definitions["Spec"].body) == "Init /\\ [][Next]_vars"
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
            violated |= {name for name, code in asked.items() if not is_true(code(Env(state, {})))}
            edges.append(set())
            for env in self._solve(self.definitions["Next"].body, Env(state, {}), "'"):
                after = self._numbers.setdefault(self._key(env.after), len(states))
                if after == len(states):
                    states.append(env.after)
                if after != number:
                    edges[number].add(after)
                    violated |= {name for name, code in steps.items() if not is_true(code(Env(state, env.after)))}
        graph = dict(enumerate(edges))
        violated |= {n for n, action in actions.items() if action is None and self._fails(n, states, graph, first)}
        return Found(len(states), frozenset(violated))

    def _fails(self, name: str, states: list[dict[str, Value]], edges: Mapping[int, set[int]], first: range) -> bool:
        """Whether some fair behaviour is not as a formula says: `fairness => (a ~> b)`, or `<>b`, or either alone."""
        body = self.definitions[name].body
        inner = [self._let(body, Env(state, {})) if body.type == "let_in" else Env(state, {}) for state in states]
        formula = bare(field_of(body, "expression") if body.type == "let_in" else body)
        demands: list[Fair] = []
        if field_of(formula, "symbol").type == "implies":
            demands = [self._fair(node, states) for node in self._fairness(said(field_of(formula, "lhs")))]
            formula = bare(field_of(formula, "rhs"))
        sign = field_of(formula, "symbol").type
        assert sign in ("leads_to", "eventually"), sign
        goal = self._code(field_of(formula, "rhs"))
        begins: list[int] = list(first)
        if sign == "leads_to":
            trigger = self._code(field_of(formula, "lhs"))
            begins = [number for number, env in enumerate(inner) if is_true(trigger(env))]
        return stays(edges, begins, lambda number: is_true(goal(inner[number])), demands)

    def _fairness(self, name: str) -> list[Node]:
        body = self.definitions[name].body
        return [parts_of(item)[-1] for item in parts_of(body)] if body.type == "conj_list" else [body]

    def _fair(self, node: Node, states: list[dict[str, Value]]) -> Fair:
        assert node.type == "fairness"
        variables, action = parts_of(node)
        assert said(variables) == "vars"
        steps: dict[int, set[int]] = {}
        for number, state in enumerate(states):
            found = self._solve(action, Env(state, {}), "'")
            steps[number] = {self._numbers[self._key(env.after)] for env in found} - {number}
        return Fair(said(node).startswith("SF_"), steps)

    def _key(self, state: Mapping[str, Value]) -> tuple[Value, ...]:
        assert len(state) == len(self.variables), "a step says what every variable is"
        return tuple(state[name] for name in self.variables)

    def _each_step(self, name: str) -> Node | None:
        """The action of a property `[][action]_vars`; None for a formula of whole behaviours."""
        always = self.definitions[name].body
        if always.type != "bound_prefix_op" or field_of(always, "symbol").type != "always":
            return None
        boxed = field_of(always, "rhs")
        assert boxed.type == "step_expr_or_stutter"
        action, variables = parts_of(boxed)
        assert said(variables) == "vars"
        return action

    # What a formula allows to come next

    def _solve(self, node: Node, env: Env, prime: str) -> Iterator[Env]:
        """Each way to make a formula true by what it says of variables that are not known yet."""
        match node.type:
            case "conj_list":
                yield from self._all([parts_of(item)[-1] for item in parts_of(node)], env, prime)
            case "disj_list":
                for item in parts_of(node):
                    yield from self._solve(parts_of(item)[-1], env, prime)
            case "parentheses":
                yield from self._solve(parts_of(node)[0], env, prime)
            case "let_in":
                inner = self._let(node, env)
                yield from self._solve(field_of(node, "expression"), inner, prime)
            case "identifier_ref" if said(node) in self.definitions and self._is_action(said(node)):
                for found in self._solve(self.definitions[said(node)].body, Env(env.now, env.after), prime):
                    yield Env(env.now, found.after, env.bound)
            case "bound_prefix_op" if field_of(node, "symbol").type == "unchanged":
                same = field_of(node, "rhs")
                named = self.definitions["vars"].body if said(same) == "vars" else same
                after = dict(env.after)
                for name in map(said, parts_of(named)):
                    assert name not in after
                    after[name] = env.now[name]
                yield Env(env.now, after, env.bound)
            case "bound_infix_op" if field_of(node, "symbol").type == "lor" and prime and self._speaks_of_next(node):
                yield from self._solve(field_of(node, "lhs"), env, prime)
                yield from self._solve(field_of(node, "rhs"), env, prime)
            case "bound_infix_op" if field_of(node, "symbol").type == "land":
                yield from self._all([field_of(node, "lhs"), field_of(node, "rhs")], env, prime)
            case "bound_infix_op" if self._assigned(node, env, prime) is not None:
                name = str(self._assigned(node, env, prime))
                value = self._code(field_of(node, "rhs"))(env)
                several = field_of(node, "symbol").type == "in"
                for one in as_set(value) if several else [value]:
                    yield Env(env.now, {**env.after, name: one}, env.bound)
            case _:
                if is_true(self._code(node)(env)):
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
            or (node.type == "identifier_ref" and said(node) in self.definitions and self._is_action(said(node)))
            for node in walk(root)
        )

    def _assigned(self, node: Node, env: Env, prime: str) -> str | None:
        left = field_of(node, "lhs")
        if field_of(node, "symbol").type not in ("eq", "in"):
            return None
        text = said(left)
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
                number = int(said(node))
                return lambda env: number
            case "boolean":
                truth = said(node) == "TRUE"
                return lambda env: truth
            case "string":
                text = said(node)[1:-1]
                return lambda env: text
            case "boolean_set":
                return lambda env: Among(lambda v: isinstance(v, bool))
            case "parentheses":
                return self._code(parts_of(node)[0])
            case "identifier_ref":
                return self._name(said(node))
            case "conj_list":
                return _every([self._code(parts_of(item)[-1]) for item in parts_of(node)], stop=False)
            case "disj_list":
                return _every([self._code(parts_of(item)[-1]) for item in parts_of(node)], stop=True)
            case "bound_prefix_op":
                return self._prefixed(field_of(node, "symbol").type, field_of(node, "rhs"))
            case "bound_postfix_op":
                assert field_of(node, "symbol").type == "prime"
                name = said(field_of(node, "lhs"))
                assert name in self.variables
                return lambda env: env.after[name]
            case "bound_infix_op":
                return self._infix(field_of(node, "symbol").type, field_of(node, "lhs"), field_of(node, "rhs"))
            case "if_then_else":
                test, then, other = (self._code(field_of(node, part)) for part in ("if", "then", "else"))
                return lambda env: then(env) if is_true(test(env)) else other(env)
            case "case":
                return self._cases(node)
            case "let_in":
                body = self._code(field_of(node, "expression"))
                return lambda env: body(self._let(node, env))
            case "bound_op":
                return self._called(node)
            case "tuple_literal":
                items = [self._code(n) for n in parts_of(node)]
                return lambda env: tuple(i(env) for i in items)
            case "finite_set_literal":
                elements = [self._code(n) for n in parts_of(node)]
                return lambda env: frozenset(e(env) for e in elements)
            case "function_evaluation":
                of, at = (self._code(n) for n in parts_of(node))
                return lambda env: as_function(of(env))[at(env)]
            case "record_value":
                whole, named = parts_of(node)
                record, key = self._code(whole), said(named)
                return lambda env: as_function(record(env))[key]
            case "function_literal" | "record_literal" | "set_of_functions" | "set_of_records" | "except":
                return self._structured(node)
            case _:
                raise AssertionError(f"{node.type}: {said(node)}")

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
            named = self.definitions["vars"].body if said(operand) == "vars" else operand
            names = [said(n) for n in parts_of(named)]
            return lambda env: all(env.now[n] == env.after[n] for n in names)
        value = self._code(operand)
        match sign:
            case "lnot":
                return lambda env: not is_true(value(env))
            case "negative":
                return lambda env: -as_number(value(env))
            case "powerset":
                return lambda env: subsets(value(env))
            case _:
                raise AssertionError(sign)

    def _infix(self, sign: str, lhs: Node, rhs: Node) -> Code:
        a, b = self._code(lhs), self._code(rhs)
        match sign:
            case "land":
                return lambda env: is_true(a(env)) and is_true(b(env))
            case "lor":
                return lambda env: is_true(a(env)) or is_true(b(env))
            case "implies":
                return lambda env: not is_true(a(env)) or is_true(b(env))
            case "eq":
                return lambda env: is_same(a(env), b(env))
            case "neq":
                return lambda env: not is_same(a(env), b(env))
            case "in":
                return lambda env: is_in(a(env), b(env))
            case "dots_2":
                return lambda env: frozenset(range(as_number(a(env)), as_number(b(env)) + 1))
            case "cup":
                return lambda env: as_set(a(env)) | as_set(b(env))
            case "setminus":
                return lambda env: as_set(a(env)) - as_set(b(env))
            case "lt" | "gt" | "leq" | "geq" | "plus" | "minus" | "mul":
                compute = COMPUTED[sign]
                return lambda env: compute(as_number(a(env)), as_number(b(env)))
            case "div" | "mod":
                if sign == "div":
                    return lambda env: as_number(a(env)) // as_positive(b(env))
                return lambda env: as_number(a(env)) % as_positive(b(env))
            case _:
                raise AssertionError(sign)

    def _cases(self, node: Node) -> Code:
        arms: list[tuple[Code, Code]] = []
        for arm in parts_of(node):
            if arm.type == "case_box":
                continue
            parts = [self._code(n) for n in parts_of(arm) if n.type != "case_arrow"]
            arms.append((parts[0], parts[1]) if arm.type == "case_arm" else (lambda env: True, parts[0]))
        return lambda env: next(gives(env) for test, gives in arms if is_true(test(env)))

    def _called(self, node: Node) -> Code:
        definition = self.definitions[said(field_of(node, "name"))]
        given = [self._code(n) for n in node.children_by_field_name("parameter") if n.is_named]
        body = self._code(definition.body)

        def call(env: Env) -> Value:
            bound = {p: _later(g, env) for p, g in zip(definition.parameters, given, strict=True)}
            return body(Env(env.now, env.after, bound))

        return call

    def _structured(self, node: Node) -> Code:
        parts = parts_of(node)
        match node.type:
            case "function_literal":
                name, domain = said(field_of(parts[0], "intro")), self._code(field_of(parts[0], "set"))
                value = self._code(parts[1])
                assert name not in self.definitions and name not in self.variables

                def function(env: Env) -> Value:
                    assert name not in env.bound
                    each = [(k, {**env.bound, name: _given(k)}) for k in as_set(domain(env))]
                    return Fn((k, value(Env(env.now, env.after, bound))) for k, bound in each)

                return function
            case "record_literal":
                fields = [(said(k), self._code(v)) for k, v in zip(parts[::2], parts[1::2], strict=True)]
                return lambda env: Fn((k, v(env)) for k, v in fields)
            case "set_of_records":
                ranges = [(said(k), self._code(v)) for k, v in zip(parts[::2], parts[1::2], strict=True)]
                return lambda env: records({k: v(env) for k, v in ranges})
            case "set_of_functions":
                domain, values = (self._code(n) for n in parts)
                return lambda env: functions(as_set(domain(env)), values(env))
            case _:
                whole = self._code(parts[0])
                updates = [self._update(n) for n in parts[1:]]

                def excepted(env: Env) -> Value:
                    found = whole(env)
                    for path, value in updates:
                        found = replaced(as_function(found), [p(env) for p in path], value(env))
                    return found

                return excepted

    def _update(self, node: Node) -> tuple[list[Code], Code]:
        path: list[Code] = []
        specifier = next(n for n in node.named_children if n.type == "except_update_specifier")
        for step in specifier.named_children:
            (key,) = parts_of(step)
            path.append(self._code(key) if step.type == "except_update_fn_appl" else _constant(said(key)))
        return path, self._code(field_of(node, "new_val"))


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
        return stop if any(is_true(c(env)) is stop for c in codes) else not stop

    return code
