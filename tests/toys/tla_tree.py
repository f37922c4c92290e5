"""The tree of a TLA+ file, by a public grammar, and how to find one's way in it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import tree_sitter_tlaplus
from tree_sitter import Language, Node, Parser

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # the grammar's package gives its language as a number
    _LANGUAGE = Language(tree_sitter_tlaplus.language())  # pyright: ignore[reportDeprecated]


def parsed(text: str) -> Node:
    """The tree of a file. Fails where the grammar does not know it."""
    tree = Parser(_LANGUAGE).parse(text.encode())
    for node in walk(tree.root_node):
        assert not node.is_error and not node.is_missing, f"{node.start_point}: {said(node)[:200]}"
    assert not tree.root_node.has_error
    return tree.root_node


def walk(root: Node) -> Iterator[Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(node.children)


def said(node: Node | None) -> str:
    assert node is not None
    assert node.text is not None
    return node.text.decode()


def parts_of(node: Node) -> list[Node]:
    """What a node is made of, without signs and comments."""
    return [n for n in node.named_children if n.type not in _SIGNS]


_SIGNS = frozenset(
    ("langle_bracket", "rangle_bracket", "all_map_to", "maps_to", "comment", "bullet_conj", "bullet_disj")
)


def bare(node: Node) -> Node:
    return parts_of(node)[0] if node.type == "parentheses" else node


def field_of(node: Node, name: str) -> Node:
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
