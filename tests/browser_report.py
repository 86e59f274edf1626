#!/usr/bin/env python3
"""Opens the report of a results folder in headless Chromium and uses it.

Usage: browser_report.py RESULTS. Drives ChromeDriver over WebDriver (W3C) with nothing but Python's
own library. Checks: no console errors and no request over a network; the cells equal summary.csv;
headings sort; a tick hides its curve; playback moves; no sideways scrolling at three widths; every
control, table and picture has a name, headings follow each other, and text stands out from its
ground (WCAG 2.1 AA) in light and dark.
"""

import csv
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

FAULTS = []


def expect(condition, what):
    if not condition:
        FAULTS.append(what)
        print("FAULT:", what)


class Browser:
    def __init__(self, profile):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update",
                     "--disable-sync", f"--user-data-dir={profile}"]
        options = {"goog:chromeOptions": {"args": arguments},
                   "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        for _ in range(100):
            try:
                answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": options}})
                break
            except OSError:
                time.sleep(0.1)
        else:
            raise RuntimeError("ChromeDriver does not answer")
        self.session = "/session/" + answer["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)["value"]

    def open(self, url):
        self.call("POST", self.session + "/url", {"url": url})

    def run(self, script, *arguments):
        return self.call("POST", self.session + "/execute/sync",
                         {"script": script, "args": list(arguments)})

    def log(self, kind):
        return self.call("POST", self.session + "/se/log", {"type": kind})

    def size(self, width, height):
        self.call("POST", self.session + "/goog/cdp/execute",
                  {"cmd": "Emulation.setDeviceMetricsOverride",
                   "params": {"width": width, "height": height, "deviceScaleFactor": 1,
                              "mobile": False}})

    def dark(self, dark):
        self.call("POST", self.session + "/goog/cdp/execute",
                  {"cmd": "Emulation.setEmulatedMedia",
                   "params": {"features": [{"name": "prefers-color-scheme",
                                            "value": "dark" if dark else "light"}]}})

    def close(self):
        try:
            self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()


CELLS = """return [...document.querySelectorAll('#summary tbody tr')].map(
  (row) => [...row.cells].map((cell) => cell.dataset.value));"""

NAMES = """
const faults = [];
const name = (node) => node.getAttribute('aria-label') || node.textContent.trim() || node.title ||
  [...(node.labels || [])].map((label) => label.textContent.trim()).join('');
for (const node of document.querySelectorAll('button, select, input, a, summary, [role=region]')) {
  if (!name(node)) faults.push('no name: ' + node.outerHTML.slice(0, 80));
}
for (const node of document.querySelectorAll('.chart > svg')) {
  if (node.getAttribute('role') !== 'img' || !node.getAttribute('aria-label')) {
    faults.push('a picture without a name');
  }
}
for (const node of document.querySelectorAll('thead th')) {
  if (node.scope !== 'col') faults.push('a heading without a scope: ' + node.textContent);
}
const levels = [...document.querySelectorAll('h1, h2, h3')].map((node) => Number(node.tagName[1]));
levels.forEach((level, at) => {
  if (level > (at > 0 ? levels[at - 1] : 0) + 1) faults.push('a level of headings is left out');
});
if (!document.documentElement.lang) faults.push('no language');
const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);
if (new Set(ids).size !== ids.length) faults.push('an id is there twice');
return faults;
"""

CONTRAST = """
const parse = (text) => text.match(/[\\d.]+/g).map(Number);
const light = (rgb) => {
  const [r, g, b] = rgb.slice(0, 3).map((c) => (c /= 255) <= 0.03928 ? c / 12.92
    : Math.pow((c + 0.055) / 1.055, 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = (node) => {
  for (; node; node = node.parentElement) {
    const rgb = parse(getComputedStyle(node).backgroundColor);
    if (rgb.length < 4 || rgb[3] > 0) return rgb;
  }
  return [255, 255, 255];
};
const faults = new Set();
for (const node of document.querySelectorAll('body *')) {
  const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
  if (!own || node.closest('script, svg, noscript, .tip')) continue;
  const [a, b] = [light(parse(getComputedStyle(node).color)), light(ground(node))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) faults.add(node.tagName + ' ' + node.className + ' ' + ratio.toFixed(2));
}
return [...faults];
"""


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def check(browser, results):
    # The browser's own start page asks for things.
    browser.open("about:blank")
    time.sleep(0.5)
    browser.log("performance")
    browser.open((results / "report.html").as_uri())
    title = browser.run("return document.getElementById('title').textContent")
    expect(title, "the page has a title")

    with open(results / "summary.csv", newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    expect(browser.run(CELLS) == rows, "the table's cells are those of summary.csv")

    at = header.index("time_to_accuracy_s")
    for turn in ("ascending", "descending"):
        browser.run(f"document.querySelectorAll('#summary th button')[{at}].click()")
        shown = [number(row[at]) for row in browser.run(CELLS)]
        values = [value for value in shown if value is not None]
        expect(values == sorted(values, reverse=turn == "descending"), f"sorts {turn}")
        expect(all(value is None for value in shown[len(values):]), "what has no value comes last")
        sort = browser.run(f"return document.querySelectorAll('#summary th')[{at}].ariaSort")
        expect(sort == turn, f"says that it is sorted {turn}")
    browser.run("""const mode = document.getElementById('ranking-mode');
        mode.value = 'both'; mode.dispatchEvent(new Event('change'));""")
    modes = {row[header.index("mode")] for row in browser.run(CELLS)}
    expect(modes == {"both"}, "the table keeps to a mode")

    curves = "return document.querySelectorAll('#curves-chart .curve').length"
    before = browser.run(curves)
    browser.run("document.querySelector('#curves-legend input').click()")
    expect(browser.run(curves) == before - 1, "a tick hides its curve")
    browser.run("document.querySelector('#curves-legend input').click()")
    expect(browser.run(curves) == before, "and shows it again")

    words = "return document.getElementById('map-text').textContent"
    first = browser.run(words)
    browser.run("document.getElementById('map-next').click()")
    expect(browser.run(words) != first, "the next round is another")
    browser.run("document.getElementById('map-back').click()")
    expect(browser.run(words) == first, "and back")
    run = browser.run("""const data = JSON.parse(document.getElementById('data').textContent);
return data.runs[document.getElementById('map-run').value].id""")
    with open(results / "runs" / run / "routes.csv", newline="") as file:
        links = {(row["members"], frozenset(row["arc"].split("->"))) for row in csv.DictReader(file)
                 if "->" in row["arc"] and row["round"] == "0"}
    ways = browser.run("return document.querySelectorAll('#map-chart .way').length")
    expect(ways == len(links) > 0, f"the map shows the trees of the plans ({ways}, {len(links)})")
    browser.run("document.getElementById('map-play').click()")
    time.sleep(2.2)
    expect(browser.run(words) != first, "playback moves")
    browser.run("document.getElementById('map-play').click()")
    stopped = browser.run(words)
    time.sleep(1.2)
    expect(browser.run(words) == stopped, "playback stops")

    for width in (390, 800, 1400):
        browser.size(width, 900)
        time.sleep(0.4)
        over = browser.run("return document.documentElement.scrollWidth - innerWidth")
        expect(over <= 0, f"nothing sticks out at a width of {width} ({over} pixels)")
    for fault in browser.run(NAMES):
        expect(False, fault)
    for dark in (False, True):
        browser.dark(dark)
        for fault in browser.run(CONTRAST):
            expect(False, f"contrast, {'dark' if dark else 'light'}: {fault}")

    for entry in browser.log("browser"):
        expect(entry["level"] not in ("SEVERE", "WARNING"), "console: " + entry["message"])
    for entry in browser.log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            expect(url.startswith(("file:", "data:")), "asks for " + url)


def main():
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(profile)
        try:
            check(browser, pathlib.Path(sys.argv[1]).resolve())
        finally:
            browser.close()
    if FAULTS:
        sys.exit(1)
    print("the report is as it should be")


if __name__ == "__main__":
    main()
