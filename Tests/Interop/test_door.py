"""Chromium as a phone: ways into an account, and back.

There is no iPhone here: Chromium says that it is one, and its second profile stands in for the installed app, which
shares no storage with Safari.
"""

import json
import urllib.parse

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import test_approver
from login import EMAIL, USER
from programs import DEADLINE, eventually, run
from test_browser import WebDriverWait

IPHONE = ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
          "Version/18.0 Mobile/15E148 Safari/604.1")
LANGUAGES = {
    "en": ("Install this app first", "This phone has lost its key", "Settings", "Add another phone"),
    "fr": ("Installez d’abord cette application", "Ce téléphone a perdu sa clé", "Réglages", "Ajouter un autre téléphone"),
    "de": ("Zuerst diese App installieren", "Dieses Telefon hat seinen Schlüssel verloren", "Einstellungen",
           "Weiteres Telefon hinzufügen"),
}


class DoorTest(test_approver.ApproverTest):
    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        configuration["tenants"][0]["settings"]["phones_add_phones"] = "key"
        return configuration

    def safari(self, installed=False, **more):
        driver = self.browser(**{"width": 360, **more})
        driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": IPHONE, "platform": "iPhone"})
        if installed:
            driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
                "source": "Object.defineProperty(Navigator.prototype, 'standalone', {value: true})"})
        return driver

    def link(self, ticket):
        return f"{self.approver}#" + urllib.parse.urlencode({"enroll": ticket, "account": EMAIL})

    def code(self, driver):
        WebDriverWait(driver).until(lambda driver: driver.find_elements(By.CSS_SELECTOR, "output.code"))
        code = driver.find_element(By.CSS_SELECTOR, "output.code").text
        self.assertRegex(code, "^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$")
        return code

    def typed(self, driver, code):
        WebDriverWait(driver).until(lambda driver: driver.find_elements(By.ID, "link"))
        driver.find_element(By.ID, "link").send_keys(code.lower(), Keys.ENTER)
        self.sees(driver, "Add this phone")

    def lose_key(self, driver):
        """Deletes the key alone, as a browser does that needs space."""
        # Another page of the origin, so that nothing has the database open.
        driver.get(f"{self.approver}/settings.json")
        driver.set_script_timeout(DEADLINE)
        self.assertTrue(driver.execute_async_script("""
            const done = arguments[0]
            const asked = indexedDB.deleteDatabase('approver')
            asked.onsuccess = () => done(true)
            asked.onerror = () => done(false)"""))

    # iPhone

    def test_on_an_iphone_installing_comes_first_and_the_installed_app_takes_the_code(self):
        ticket = self.ticket()
        safari = self.safari()
        safari.get(self.link(ticket))
        self.sees(safari, "Install this app first", "Tap Share", "Add to Home Screen", EMAIL)
        code = self.code(safari)
        self.assertNotIn("Add this phone", self.text(safari))
        self.seen(safari, "door-install-360")
        manifest = safari.execute_async_script("""
            const done = arguments[0]
            fetch(document.querySelector('link[rel=manifest]').href).then((answer) => answer.json()).then(done)""")
        self.assertEqual(manifest["start_url"], f"/approver#code={code.replace('-', '')}")
        self.assertEqual(manifest["id"], "/approver")
        app = self.safari(installed=True)
        app.get(self.approver)
        self.sees(app, "Link or code")
        self.seen(app, "door-installed-360")
        self.typed(app, code)
        self.tap(app, "Add this phone")
        self.sees(app, "This phone is ready")
        self.seen(app, "door-installed-ready-360")
        # The installed app starts with its code each time.
        app.get("about:blank")
        app.get(f"{self.approver}#code={code.replace('-', '')}")
        self.sees(app, "Nothing waits for you")
        # The link is used up now, and Safari says so.
        safari.get("about:blank")
        safari.get(self.link(ticket))
        self.sees(safari, "used already")
        self.seen(safari, "door-install-over-360")

    def test_the_installed_app_starts_with_the_code_where_the_phone_keeps_the_address(self):
        safari = self.safari()
        safari.get(self.link(self.ticket()))
        code = self.code(safari).replace("-", "")
        app = self.safari(installed=True)
        app.get(f"{self.approver}#code={code}")
        self.tap(app, "Add this phone")
        self.sees(app, "This phone is ready")

    def test_safari_is_a_second_deliberate_step(self):
        safari = self.safari()
        safari.get(self.link(self.ticket()))
        self.tap(safari, "Use this browser anyway")
        self.sees(safari, "Notifications will not work here")
        self.seen(safari, "door-safari-anyway-360")
        self.tap(safari, "Go on without notifications")
        self.tap(safari, "Add this phone")
        self.sees(safari, "This phone is ready")

    def test_a_wrong_code_says_so_and_uses_nothing_up(self):
        driver = self.browser(width=360)
        driver.get(self.approver)
        self.typed(driver, "ZZZZ-ZZZZ")
        self.tap(driver, "Add this phone")
        self.sees(driver, "This code is wrong, was used or has expired")
        self.seen(driver, "door-wrong-code-360")

    # A key that is gone

    def test_a_phone_whose_key_is_gone_says_so_tells_the_server_and_comes_back(self):
        driver = self.phone()
        device = self.device(driver)
        self.lose_key(driver)
        driver.get(self.approver)
        self.sees(driver, "This phone has lost its key", EMAIL, "Add another phone", "account page", "recovery code")
        self.assertNotIn("Approve with this phone", self.text(driver))
        self.seen(driver, "door-lost-360")
        self.assertIn("lost its key", eventually(lambda: self.state(device)))
        # It stays so after a reload, and the way back is a link or a code.
        driver.refresh()
        self.sees(driver, "This phone has lost its key")
        safari = self.safari()
        safari.get(self.link(self.ticket()))
        self.typed(driver, self.code(safari))
        self.tap(driver, "Add this phone")
        self.sees(driver, "This phone is ready")
        # The new enrolment replaced the lost one.
        self.assertNotEqual(self.device(driver), device)
        self.assertIsNone(self.state(device))
        self.tap(driver, "Settings")
        self.sees(driver, "Your phones")
        driver.refresh()
        self.sees(driver, "Your phones")

    def state(self, device):
        """State of a phone in `device list`."""
        listed = json.loads(run("countersign", "device", "list", "--data", self.server.data, "--tenant", "dev",
                                "--user", USER, "--json"))
        found = [each for each in listed if each["id"] == device]
        if not found:
            return None
        return "lost its key" if found[0]["key_lost_at"] else ""

    def test_a_phone_can_be_forgotten(self):
        driver = self.phone()
        self.lose_key(driver)
        driver.get(self.approver)
        self.tap(driver, "Forget the account on this phone")
        self.sees(driver, "Approve with this phone")
        driver.refresh()
        self.sees(driver, "Approve with this phone")

    # Another phone

    def test_a_phone_adds_another_in_four_taps(self):
        driver = self.phone()
        taps = 0
        for text in ("Settings", "Add another phone"):
            self.tap(driver, text)
            taps += 1
        code = self.code(driver)
        self.seen(driver, "door-another-360")
        other = self.browser(width=360)
        # The camera's link is one tap, and adding the phone another.
        other.get(self.approver)
        self.typed(other, code)
        self.tap(other, "Add this phone")
        self.sees(other, "This phone is ready")
        self.assertLessEqual(taps + 2, 6)
        self.tap(driver, "OK")
        other.get(f"{self.approver}#settings")
        self.sees(other, "Your phones")

    # Words

    def test_without_keys_the_page_says_what_is_needed(self):
        driver = self.browser(width=360)
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
            "source": "Object.defineProperty(Crypto.prototype, 'subtle', {value: undefined})"})
        driver.get(self.approver)
        self.sees(driver, "This browser cannot keep a key")
        self.seen(driver, "door-no-keys-360")

    def test_without_push_the_page_says_so(self):
        driver = self.browser(width=360)
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "delete window.PushManager"})
        self.phone(driver=driver)
        self.sees(driver, "This browser takes no notifications")
        self.seen(driver, "door-no-push-360")

    def test_every_new_page_in_each_language(self):
        for language, (install, lost, settings, another) in LANGUAGES.items():
            for width, dark in ((360, True), (1280, False)):
                name = f"{language}-{width}{'-dark' if dark else ''}"
                driver = self.safari(width=width, language=language, dark=dark)
                driver.get(self.link(self.ticket()))
                self.sees(driver, install)
                self.code(driver)
                self.seen(driver, f"door-install-{name}")
                driver.quit()
            driver = self.browser(width=360, language=language, dark=True)
            add = {"en": "Add this phone", "fr": "Ajouter ce téléphone", "de": "Dieses Telefon hinzufügen"}[language]
            self.phone(driver=driver, add=add, idle=settings)
            self.tap(driver, settings)
            self.tap(driver, another)
            self.code(driver)
            self.seen(driver, f"door-another-{language}-360-dark")
            self.lose_key(driver)
            driver.get(self.approver)
            self.sees(driver, lost)
            self.seen(driver, f"door-lost-{language}-360-dark")
            driver.quit()
