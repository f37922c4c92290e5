"""A page of so many states in Chromium: how long it takes to open, and how long a step takes.

    python benchmarks/page.py [--states N] [--target NAME]

From the navigation to the moment at which the page is ready to be used, and from a key to the next frame that is drawn.
Exits with 1 if it takes 2 s or more to open.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests/toys"))

from browsed import chromium, opened

MOST_S: Final = 2.0
OPENED: Final = 5
STEP: Final = """() => new Promise((done) => {
    const began = performance.now();
    const enabled = document.querySelectorAll("#enabled .action:not(.no-way)");
    if (enabled.length) enabled[enabled.length - 1].click(); else document.getElementById("restart").click();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
})"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=10_000)
    parser.add_argument("--target", default="last-writer")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        path = Path(folder) / "page.html"
        command = [sys.executable, "-m", "fenceproof", "explore", options.target, "--out", str(path)]
        began = time.monotonic()
        subprocess.run([*command, "--max-states", str(options.states)], check=True, stderr=subprocess.DEVNULL)
        print(f"written in {time.monotonic() - began:.2f} s: {path.stat().st_size / 2**20:.2f} MB")
        began = time.monotonic()
        page, _ = opened(browser, path)
        seconds = [time.monotonic() - began]
        for _ in range(OPENED - 1):
            began = time.monotonic()
            opened(browser, path)
            seconds.append(time.monotonic() - began)
        page, _ = opened(browser, path)
        print(f"opened in {statistics.median(seconds):.2f} s (median of {OPENED}), {max(seconds):.2f} s at most")
        steps: list[float] = [page.evaluate(STEP) for _ in range(100)]
        print(f"a step takes {statistics.median(steps):.0f} ms (median of 100), {max(steps):.0f} ms at most")
        began = time.monotonic()
        page.locator("#search").fill("record.committed=2")
        page.wait_for_function("document.getElementById('found').textContent !== ''")
        print(f"a search takes {time.monotonic() - began:.2f} s")
    return 0 if statistics.median(seconds) < MOST_S else 1


if __name__ == "__main__":
    sys.exit(main())
