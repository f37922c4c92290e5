"""What an implementation is named by: the references, a user's module or file; and each name that is none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from fenceproof.checker.implementations import implementation
from fenceproof.model.errors import AdapterError, FenceproofError, ModelError, UsageError

ADAPTER = """
class Mine:
    def reset(self, parameters):
        from neighbour import START
        self.n = START

    def apply(self, event):
        self.n += 1

    def snapshot(self):
        return {"n": self.n}
"""


def written(text: str = ADAPTER, name: str = "adapter_of_mine.py") -> str:
    Path(name).write_text(text)
    (Path(name).parent / "neighbour.py").write_text("START = 7\n")
    return name


def opened(name: str, url: str | None = None) -> object:
    with implementation(name, url=url) as adapter:
        adapter.reset({})
        return adapter.snapshot()


@pytest.fixture(autouse=True)
def _modules(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    """Forget the modules of other tests, which lie in other folders."""
    for name in ("adapter_of_mine", "neighbour"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.parametrize("name", ["memory", "sqlite"])
def test_a_reference_is_named_by_what_it_keeps_its_records_in(name: str) -> None:
    seen = opened(name)
    assert isinstance(seen, dict)
    assert seen["record"] == [{"live": 1, "committed": None, "outcome": None}]


@pytest.mark.parametrize("name", ["adapter_of_mine.py", "adapter_of_mine.py:Mine", "adapter_of_mine:Mine"])
def test_an_adapter_is_named_by_its_file_or_module_and_finds_its_neighbours(name: str) -> None:
    written()
    before = list(sys.path)
    assert opened(name) == {"n": 7}
    assert sys.path == before


def test_an_adapter_may_be_made_by_a_function() -> None:
    written(ADAPTER + "\n\ndef made():\n    return Mine()\n")
    assert opened("adapter_of_mine.py:made") == {"n": 7}


@pytest.mark.parametrize(
    ("name", "url", "error", "words"),
    [
        ("memroy", None, UsageError, "The implementation 'memroy' is not known. Did you mean memory?"),
        ("", None, UsageError, "module:Adapter"),
        ("nowhere.py:Mine", None, UsageError, "there is no file nowhere.py."),
        ("nowhere_at_all:Mine", None, UsageError, "there is no module nowhere_at_all"),
        ("nowhere_at_all.deep:Mine", None, UsageError, "there is no module nowhere_at_all.deep"),
        ("adapter_of_mine.py:Mien", None, ModelError, "The adapter of adapter_of_mine.py 'Mien' is not known."),
        ("json:Mine", None, ModelError, "The adapter of json 'Mine' is not known. There is: none."),
        ("adapter_of_mine.py:number", None, ModelError, "number of adapter_of_mine.py is no class"),
        ("two.py", None, ModelError, "two.py:1: there are 2 adapters in this file: Mine, Other."),
        ("none.py", None, ModelError, "none.py:1: there is no adapter in this file."),
        ("broken.py:Mine", None, ModelError, "broken.py:1: this file is not Python"),
        ("raising.py:Mine", None, ModelError, "raising.py:1: ZeroDivisionError: division by zero"),
        ("raising:Mine", None, AdapterError, "the module raising cannot be imported: ZeroDivisionError"),
        ("importing:Mine", None, AdapterError, "the module importing cannot be imported: No module named 'absent'"),
        ("adapter_of_mine.py", "sqlite:///a.db", UsageError, "--url is the database of sqlite or postgres"),
        ("memory", "sqlite:///a.db", UsageError, "memory has none"),
        ("sqlite", "postgresql://localhost/x", UsageError, "sqlite: the --url names a database of postgresql."),
        ("sqlite", "sqlite://", UsageError, "sqlite: the --url names no file."),
        ("postgres", "sqlite:///a.db", UsageError, "postgres: the --url names a database of sqlite."),
        ("postgres", "nonsense", UsageError, "postgres: the --url is not one that names a database."),
        ("postgres", None, UsageError, "postgres needs a database. Name one: --url postgresql://"),
    ],
)
def test_a_name_that_is_none_says_what_to_write_instead(
    name: str, url: str | None, error: type[FenceproofError], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FENCEPROOF_URL", raising=False)
    written(ADAPTER + "\n\nnumber = 3\n")
    written(ADAPTER + ADAPTER.replace("Mine", "Other"), "two.py")
    written("number = 3\n", "none.py")
    written("class Mine(\n", "broken.py")
    written("1 / 0\n", "raising.py")
    written("import absent\n", "importing.py")
    with pytest.raises(error) as raised:
        opened(name, url)
    assert words in str(raised.value)
    assert raised.value.exit_code == 2


@pytest.mark.parametrize(
    ("name", "library", "command"),
    [
        ("sqlite", "sqlalchemy", "pip install 'fenceproof[sql]'"),
        ("postgres", "sqlalchemy", "pip install 'fenceproof[postgres]'"),
        ("postgres", "psycopg", "pip install 'fenceproof[postgres]'"),
    ],
)
def test_a_library_that_is_missing_is_one_line_with_the_command_that_installs_it(
    name: str, library: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import util

    found = util.find_spec

    def without(wanted: str, package: str | None = None) -> object:
        return None if wanted == library else found(wanted, package)

    monkeypatch.setattr(util, "find_spec", without)
    monkeypatch.setenv("FENCEPROOF_URL", "postgresql://localhost/x")
    with pytest.raises(UsageError) as raised:
        opened(name)
    assert command in str(raised.value)
    assert "\n" not in str(raised.value)
