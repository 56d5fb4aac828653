"""The page in a browser: sorting, filtering, choosing, themes, keys, a phone, paper."""

import base64
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytest.importorskip("selenium", reason="drives the browser")
pytest.importorskip("matplotlib", reason="figures are drawn by matplotlib")
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if CHROMIUM is None or DRIVER is None:
    pytest.skip("needs chromium and chromedriver", allow_module_level=True)
ARGUMENTS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-quic", "--window-size=1300,900"),
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (*ARGUMENTS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=DRIVER)
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def path(page, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(page, encoding="utf-8")
    return path


@pytest.fixture
def opened(browser, path):
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    browser.get(path.as_uri())
    browser.execute_script("localStorage.clear()")
    browser.refresh()
    return browser


def column(browser, table, at):
    script = """return [...document.getElementById(arguments[0]).tBodies[0].rows]
        .filter((row) => !row.hidden).map((row) => row.cells[arguments[1]].textContent)"""
    return browser.execute_script(script, table, at)


def head(browser, table, at):
    script = "return document.getElementById(arguments[0]).tHead.rows[0].cells[arguments[1]]"
    return browser.execute_script(script, table, at)


def press(browser, table, at):
    browser.execute_script("arguments[0].querySelector('button').click()", head(browser, table, at))
    return head(browser, table, at).get_attribute("aria-sort")


def test_nothing_is_complained_of_asked_for_or_run(opened, results):
    opened.get_log("browser"), opened.get_log("performance")
    opened.refresh()
    assert opened.get_log("browser") == []
    asked = [entry["message"] for entry in opened.get_log("performance")]
    asked = [text for text in asked if '"Network.requestWillBeSent"' in text]
    assert not [text for text in asked if "file://" not in text and "data:," not in text]
    assert opened.title == f"{results.design.name} – report"
    assert opened.execute_script("return document.querySelectorAll('main script, img').length") == 0


def test_served_it_asks_for_nothing_else(browser, path):
    asked = []

    class Handler(SimpleHTTPRequestHandler):
        def log_request(self, *_):
            asked.append(self.path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=path.parent))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        browser.get(f"http://127.0.0.1:{server.server_port}/page.html")
        browser.get_log("browser")
        browser.refresh()
        assert browser.get_log("browser") == []
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert set(asked) == {"/page.html"}


def test_numbers_are_sorted_as_numbers_and_none_comes_last(opened, results):
    def means():
        return [text.partition(" ±")[0] for text in column(opened, "summary-table", 2)]

    given = means()
    values = sorted(v for v in results.summary()["error"] if v == v)  # noqa: PLR0124
    expected = [f"{value:.4f}" for value in values]
    assert press(opened, "summary-table", 2) == "ascending"
    assert means() == [*expected, "–"]
    assert press(opened, "summary-table", 2) == "descending"
    assert means() == [*expected[::-1], "–"]
    assert press(opened, "summary-table", 2) is None
    assert means() == given


def test_times_are_sorted_by_seconds_not_by_their_digits(opened):
    press(opened, "summary-table", 4)
    cells = opened.execute_script(
        "return [...document.querySelectorAll('#summary-table tbody tr')]"
        ".map((row) => row.cells[4].dataset.v)"
    )
    numbers = [float(cell) for cell in cells if cell]
    assert numbers == sorted(numbers)


def test_texts_are_sorted_with_their_numbers(opened):
    assert press(opened, "datasets-table", 0) == "ascending"
    names = column(opened, "datasets-table", 0)
    assert names.index("9 less") < names.index("10 & more") < names.index("set 0")
    assert "<script>alert(1)</script>" in names
    press(opened, "datasets-table", 1)
    assert head(opened, "datasets-table", 0).get_attribute("aria-sort") is None


def test_keys_reach_and_press_the_headings(opened):
    from selenium.webdriver import ActionChains, Keys

    keys = ActionChains(opened)
    opened.execute_script("document.body.focus()")
    keys.send_keys(Keys.TAB).perform()
    assert opened.switch_to.active_element.text == "Skip to the content"
    assert opened.switch_to.active_element.location["y"] >= 0
    keys.send_keys(Keys.ENTER).perform()
    seen = []
    for _ in range(6):
        keys.send_keys(Keys.TAB).perform()
        seen.append(opened.switch_to.active_element)
        if seen[-1].text.startswith("mean rank"):
            break
    assert seen[-1].tag_name == "button"
    ring = opened.execute_script("return getComputedStyle(arguments[0]).outlineStyle", seen[-1])
    assert ring == "solid"
    keys.send_keys(Keys.ENTER).perform()
    assert head(opened, "summary-table", 1).get_attribute("aria-sort") == "ascending"
    keys.send_keys(Keys.SPACE).perform()
    assert head(opened, "summary-table", 1).get_attribute("aria-sort") == "descending"


def test_filters_by_text_and_by_column(opened):
    from selenium.webdriver.support.select import Select

    opened.execute_script("document.querySelector('#datasets > details').open = true")
    tools = opened.find_element(
        "xpath", "//table[@id='estimates-table']/ancestor::div[1]/preceding-sibling::div[1]"
    )
    text = tools.find_element("css selector", "input")
    text.send_keys("OTHER")
    assert set(column(opened, "estimates-table", 1)) == {"other means"}
    status = tools.find_element("css selector", "[role=status]")
    assert status.text == "11 of 44 rows"
    text.clear()
    text.send_keys("<script>")
    assert len(column(opened, "estimates-table", 0)) == 4
    text.clear()
    text.send_keys(" ")
    sets, pipelines = map(Select, tools.find_elements("css selector", "select"))
    sets.select_by_visible_text("10 & more")
    pipelines.select_by_visible_text("$\\frac{$")
    assert column(opened, "estimates-table", 0) == ["10 & more"]
    press(opened, "estimates-table", 1)
    assert column(opened, "estimates-table", 1) == ["$\\frac{$"]


def test_one_panel_at_a_time(opened):
    from selenium.webdriver.support.select import Select

    def shown():
        script = """return [...document.querySelectorAll('#confusion .panel')]
            .filter((panel) => !panel.hidden).map((panel) => panel.textContent)"""
        return opened.execute_script(script)

    first, second = map(Select, opened.find_elements("css selector", "#confusion select"))
    (one,) = shown()
    assert f"{second.first_selected_option.text} on set 0" in one
    first.select_by_visible_text("<script>alert(1)</script>")
    (one,) = shown()
    assert "on <script>alert(1)</script>" in one
    second = Select(opened.find_elements("css selector", "#confusion select")[1])
    assert '"it\'s" & <b>' not in [option.text for option in second.options]
    second.select_by_visible_text("other means")
    (one,) = shown()
    assert "other means on" in one
    curves = opened.find_elements("css selector", "#curves .panel:not([hidden])")
    assert len(curves) == 1


def colour(browser, selector, name):
    script = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    return browser.execute_script(script, selector, name)


def contrast(one, other):
    def light(text):
        parts = [float(part) / 255 for part in text.strip("rgba()").split(",")[:3]]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05

    a, b = light(one), light(other)
    return max(a, b) / min(a, b)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read_in_both_themes(opened, scheme):
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    paper = colour(opened, "body", "backgroundColor")
    for selector in ("body", ".note", ".lead + .lead", "nav a", "caption", "small", "td strong"):
        assert contrast(colour(opened, selector, "color"), paper) >= 4.5, selector
    for selector in ('[stroke="#0072b2"]', '[stroke="#000000"]'):
        assert contrast(colour(opened, selector, "stroke"), paper) >= 3, selector
    state = colour(opened, ".state", "backgroundColor")
    assert contrast(colour(opened, ".state a", "color"), state) >= 4.5


def test_the_theme_follows_the_system_until_one_is_chosen(opened):
    papers = {}
    for scheme in ("light", "dark"):
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        opened.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        papers[scheme] = (
            colour(opened, "body", "backgroundColor"),
            colour(opened, '[stroke="#000000"]', "stroke"),
        )
    assert papers["light"][0] != papers["dark"][0]
    assert papers["light"][1] != papers["dark"][1]
    button = opened.find_element("css selector", ".theme")
    assert button.get_attribute("aria-label") == "Show in light colours"
    button.click()
    assert colour(opened, "body", "backgroundColor") == papers["light"][0]
    assert button.get_attribute("aria-label") == "Show in dark colours"
    opened.refresh()
    assert colour(opened, "body", "backgroundColor") == papers["light"][0]


def test_on_a_phone_the_page_does_not_scroll_sideways(opened):
    phone = {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    opened.refresh()
    sizes = "return [document.documentElement.scrollWidth, innerWidth]"
    assert opened.execute_script(sizes) == [360, 360]
    opened.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert opened.execute_script(sizes) == [360, 360]
    wide = opened.execute_script(
        "return [...document.querySelectorAll('.scroll')]"
        ".filter((r) => r.scrollWidth > r.clientWidth && r.tabIndex !== 0).length"
    )
    assert wide == 0


def test_on_a_phone_figures_are_whole_and_can_be_read(opened):
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    opened.refresh()
    plots = opened.execute_script("""return [...document.querySelectorAll('.plot')]
        .filter((plot) => plot.clientWidth)
        .map((plot) => { const box = plot.getBoundingClientRect();
            const texts = [...plot.querySelectorAll('text')];
            const heights = texts.map((text) => text.getBoundingClientRect());
            return [box.left, box.right, Math.max(...heights.map((h) => h.height))]; })""")
    assert len(plots) > 10
    for left, right, text in plots:
        assert left >= 0
        assert right <= 390
        assert text >= 9


def test_wide_tables_say_so(opened):
    hint = """const region = document.getElementById(arguments[0]).parentElement;
        const span = region.querySelector('caption span');
        return [region.scrollWidth > region.clientWidth, getComputedStyle(span, '::after').content]
        """
    for width in (390, 1280):
        screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        opened.refresh()
        wide, said = opened.execute_script(hint, "summary-table")
        assert wide == (width == 390)
        assert ("scroll it sideways" in said) == wide


@pytest.mark.parametrize("width", [768, 1024, 1200, 1320, 1920])
def test_tables_scroll_only_where_there_is_no_room(opened, width):
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    opened.execute_script(FIFTH)
    sizes = "const r = document.getElementById(arguments[0]).parentElement; "
    sizes += "return [r.scrollWidth, r.clientWidth]"
    for table in ("summary-table", "datasets-table"):
        needed, there = opened.execute_script(sizes, table)
        assert needed <= there or there < 720, table


FIFTH = """for (const row of document.getElementById('datasets-table').rows)
    row.append(row.cells[1].cloneNode(true));"""
LONG = """const named = 'th, td:not(.num), option, h3, summary, figcaption, p, dd, caption span';
    for (const place of document.querySelectorAll(named)) place.append('x'.repeat(300));"""


def test_long_names_widen_neither_the_page_nor_columns(opened):
    opened.execute_script(LONG)
    for width in (360, 1200):
        screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        assert opened.execute_script("return document.documentElement.scrollWidth") == width
    widest = "return Math.max(...[...document.querySelectorAll('th')].map((th) => th.offsetWidth))"
    assert opened.execute_script(widest) <= 640  # as a column of texts


def test_headings_can_be_hit_by_a_finger(opened):
    sizes = """return [...document.querySelectorAll('button, select, input, summary, nav a')]
        .filter((e) => e.offsetHeight).map((e) => Math.min(e.offsetWidth, e.offsetHeight))"""
    assert min(opened.execute_script(sizes)) >= 24


def test_paper_has_no_controls_but_all_that_was_folded(opened):
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    for selector in ("nav", ".tools", ".theme", ".skip"):
        assert colour(opened, selector, "display") == "none"
    hidden = "return [...document.querySelectorAll('.panel')].some((p) => !p.offsetHeight)"
    assert not opened.execute_script(hidden)
    opened.execute_script("dispatchEvent(new Event('beforeprint'))")
    folded = "return document.querySelectorAll('details:not([open]):not(.data)').length"
    assert opened.execute_script(folded) == 0
    assert colour(opened, "details.data", "display") == "none"
    assert colour(opened, "body", "backgroundColor") == "rgb(255, 255, 255)"
    opened.execute_script("dispatchEvent(new Event('afterprint'))")
    assert opened.execute_script(folded) > 0
    pdf = base64.b64decode(opened.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert pdf.startswith(b"%PDF")


def test_motion_is_reduced_where_it_is_asked_for(opened):
    assert colour(opened, "html", "scrollBehavior") == "smooth"
    media = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    assert colour(opened, "html", "scrollBehavior") == "auto"


def test_without_scripts_everything_is_there(opened, path):
    opened.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        opened.get(path.as_uri())
        panels = opened.find_elements("css selector", ".panel")
        assert len(panels) == 54
        assert all(panel.is_displayed() for panel in panels[:20])
        assert not opened.find_elements("css selector", ".tools, .theme")
    finally:
        opened.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
