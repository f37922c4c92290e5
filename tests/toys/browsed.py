"""A page in real Chromium: opened from its file, watched for whatever it should not do."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Dialog, Page, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class NoBrowserError(Exception):
    """There is no Chromium on this machine."""


@dataclass
class Seen:
    """What a page did that somebody might mind: messages in the console, requests, dialogs."""

    console: list[str] = field(default_factory=list[str])
    requests: list[str] = field(default_factory=list[str])
    dialogs: list[str] = field(default_factory=list[str])


@contextmanager
def chromium() -> Generator[Browser]:
    """The machine's Chromium; NoBrowserError, which says what to install, where there is none."""
    found = next((path for path in map(shutil.which, _NAMES) if path is not None), None)
    if found is None:
        raise NoBrowserError("There is no Chromium here. Install it: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        try:
            yield browser
        finally:
            browser.close()


def opened(
    browser: Browser, path: Path, fragment: str = "", *, width: int = 1280, height: int = 900
) -> tuple[Page, Seen]:
    """A page from its file, ready, and what it did. Violations of its policy come to the console."""
    page = browser.new_context(viewport={"width": width, "height": height}).new_page()
    seen = Seen()

    def dismissed(dialog: Dialog) -> None:
        seen.dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("console", lambda message: seen.console.append(message.text))
    page.on("pageerror", lambda error: seen.console.append(str(error)))
    page.on("request", lambda request: seen.requests.append(request.url))

    page.on("dialog", dismissed)
    page.goto(f"{path.resolve().as_uri()}{fragment}")
    page.wait_for_selector("html[data-ready=yes]")
    return page, seen
