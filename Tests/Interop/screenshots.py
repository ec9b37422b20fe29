"""Pictures of each state of `states.py` in all languages, light and dark, narrow and wide. See scripts/screenshots."""

import argparse
import pathlib
import sys
import time

from axe_selenium_python import Axe
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

import states
import test_approver
from programs import CIBA, DEADLINE
from test_browser import gone

LANGUAGES = {"en": "en", "fr": "fr-CA,fr", "de": "de-CH,de"}
WIDTHS = (360, 1280)
THEMES = ("light", "dark")


class Stage(test_approver.ApproverTest):
    """One server and one browser, in which every state is reached in turn."""

    _account = None

    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        tenant = configuration["tenants"][0]
        tenant["clients"].append({
            "client_id": "page-agent", "name": "Shopping agent", "client_secret": cls.client_secret,
            "grant_types": [CIBA], "async_approval_notification_channels": ["page"]})
        tenant["settings"]["account_deletion"] = True
        return configuration

    def runTest(self):
        """A test case needs a test."""

    # Words for the table of states

    def open(self, path):
        # Another document, also if only the fragment differs.
        self.driver.get("about:blank")
        self.driver.get(f"{self.issuer}{path}")

    def waits(self, selector):
        return WebDriverWait(self.driver, DEADLINE, 0.05, [StaleElementReferenceException]).until(
            lambda driver: next(
                (each for each in driver.find_elements(By.CSS_SELECTOR, selector) if each.is_displayed()), None),
            f"no {selector} in {self.text(self.driver)}")

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def click(self, selector):
        """Presses the last of what the selector finds, once it takes taps."""
        def pressed(driver):
            driver.execute_script("if (!document.querySelector('dialog')) scrollTo(0, document.body.scrollHeight)")
            found = [each for each in driver.find_elements(By.CSS_SELECTOR, selector)
                     if each.is_displayed() and each.is_enabled()]
            if not found:
                return False
            driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", found[-1])
            found[-1].click()
            return True
        WebDriverWait(self.driver, DEADLINE, 0.05, [StaleElementReferenceException]).until(
            pressed, f"no {selector} in {self.text(self.driver)}")

    def leave(self, action):
        here = self.find("html")
        action()
        WebDriverWait(self.driver, DEADLINE).until(lambda _: gone(here))

    def submit(self, **values):
        """Fills the form, and sends it by its own button."""
        self.fill(self.driver, **values)
        field = self.find(f"[name={next(iter(values))}]")
        self.leave(lambda: self.driver.execute_script(
            "const {form} = arguments[0]; form.requestSubmit(form.querySelector('button:not([name=other])'))", field))

    def anew(self, cookies_only=False):
        """A browser without an account of the approver, and without a session."""
        kinds = "cookies" if cookies_only else "cookies,indexeddb,service_workers,cache_storage,local_storage"
        self.driver.get("about:blank")
        self.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {
            "origin": self.issuer.rstrip("/"), "storageTypes": kinds})
        if not cookies_only:
            self._account = None

    def enrolled(self):
        """A browser with an account of the approver."""
        if self._account is None:
            self.anew()
            self.open(f"approver#enroll={self.ticket()}")
            self.click("form button.allow")
            # A login of an earlier state may wait.
            self.waits(".idle, .answers")
            self._account = True

    def request(self, **more):
        return self.ask(**more)

    def page_request(self):
        """The address of a request that is decided on a page."""
        return self.ask(user=test_approver.BOB, client="page-agent")["approval_uri"]

    def forget_keys(self):
        """Deletes what a browser deletes that needs space."""
        self.driver.get("about:blank")
        self.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {
            "origin": self.issuer.rstrip("/"), "storageTypes": "indexeddb"})
        self._account = None

    def cut_off(self):
        self.offline(self.driver, True)

    # Pictures

    def speak(self, language):
        agent = self.driver.execute_script("return navigator.userAgent")
        self.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {
            "userAgent": agent, "acceptLanguage": LANGUAGES[language]})

    def look(self, width, theme):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": theme}]})

    def judged(self):
        """Findings of axe, and if the page scrolls sideways."""
        axe = Axe(self.driver)
        if not self.driver.execute_script("return Boolean(window.axe)"):
            axe.inject()
        # This version of axe does not know two tokens of HTML.
        unknown = ('autocomplete="one-time-code"', 'autocomplete="username webauthn"')
        found = [
            violation["id"] for violation in axe.run()["violations"]
            if not all(any(token in node["html"] for token in unknown) for node in violation["nodes"])]
        wide = self.driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
        return found + (["scrolls sideways"] if wide > 0 else [])

    def pictured(self, name, folder):
        """Pictures of a state, as names with what is wrong in each."""
        for language in LANGUAGES:
            self.speak(language)
            self.look(360, "light")
            states.STATES[name](self)
            for width in WIDTHS:
                for theme in THEMES:
                    self.look(width, theme)
                    picture = f"{name}-{language}-{width}-{theme}"
                    self.driver.execute_script("scrollTo(0, 0)")
                    self.driver.save_screenshot(str(folder / f"{picture}.png"))
                    yield picture, self.judged()
            self.offline(self.driver, False)
            # Requests of one state would be on the cards of the next.
            self.doCleanups()


def main():
    parser = argparse.ArgumentParser(prog="scripts/screenshots")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(".build/screenshots/states"))
    parser.add_argument("--only", default="", help="states whose name contains this")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    chosen = [name for name in states.STATES if options.only in name]
    if not chosen:
        parser.error(f"no state has {options.only} in its name; there are {', '.join(states.STATES)}")
    started, count, wrong = time.monotonic(), 0, 0
    stage = Stage("runTest")
    try:
        Stage.setUpClass()
        stage.driver = stage.browser(width=360)
        # The browser stays until the end.
        kept, stage._cleanups = stage._cleanups, []
        for name in chosen:
            try:
                for picture, found in stage.pictured(name, options.out):
                    count += 1
                    wrong += bool(found)
                    print(f"{picture:48} {', '.join(found) or 'axe finds nothing'}", flush=True)
            except Exception as error:  # A state that cannot be reached is a finding, too.
                wrong += 1
                print(f"{name:48} not reached: {str(error).splitlines()[0][:300]}", flush=True)
                stage.offline(stage.driver, False)
                stage.doCleanups()
        stage._cleanups = kept
    finally:
        stage.doCleanups()
        Stage.doClassCleanups()
    print(f"{count} pictures of {len(chosen)} states in {options.out}, in {time.monotonic() - started:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
