#!/usr/bin/env python3
"""How long headless Chromium takes to open the report of a results folder, as a ratio to a page that
holds nothing but the same library.

Usage: bench_report.py RESULTS (with report.html in it). Each page is opened in turn, nine times; what
counts is the median time from the start of the navigation until everything has run.
"""

import pathlib
import re
import statistics
import sys
import tempfile
import time

from browser_report import Browser

READY = "return performance.getEntriesByType('navigation')[0].loadEventEnd"


def opened_ms(browser, page):
    browser.open(page.as_uri())
    for _ in range(200):
        ready = browser.run(READY)
        if ready > 0:
            return ready
        time.sleep(0.02)
    raise RuntimeError("the page does not load")


def main():
    report = pathlib.Path(sys.argv[1]).resolve() / "report.html"
    html = report.read_text(encoding="utf-8")
    library = max(re.findall(r"<script>(.*?)</script>", html, re.S), key=len)
    with tempfile.TemporaryDirectory() as folder:
        empty = pathlib.Path(folder) / "empty.html"
        empty.write_text(f"<!DOCTYPE html><title>empty</title><script>{library}</script>",
                         encoding="utf-8")
        browser = Browser(folder + "/profile")
        try:
            times = {page: [] for page in (empty, report)}
            for _ in range(9):
                for page, taken in times.items():
                    taken.append(opened_ms(browser, page))
        finally:
            browser.close()
    alone = statistics.median(times[empty])
    whole = statistics.median(times[report])
    size = report.stat().st_size / 1e6
    print(f"report: {size:.2f} MB, opens in {whole:.0f} ms, {whole / alone:.1f} x an empty page with "
          f"the same library ({alone:.0f} ms)")


main()
