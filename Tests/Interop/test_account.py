"""Chromium on the pages of a person's own account: each in three languages, at a phone's and a computer's width, and a walk
without JavaScript.

axe judges each page, and a picture of it is kept in .build/screenshots.
"""

import crypt
import json
import time

import pyotp
from selenium.webdriver.common.by import By

from login import PASSWORD, USER
from programs import run
import test_browser

PATHS = ["", "/phones", "/phones/add", "/phones/lost", "/passkeys", "/recovery-codes", "/sessions", "/applications",
         "/history", "/password", "/preferences", "/export", "/deletion"]
LOG_IN = {"en": "Log in", "de": "Anmelden", "fr": "Se connecter"}


class AccountTest(test_browser.BrowserTest):
    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        configuration["tenants"][0]["settings"]["account_deletion"] = True
        return configuration

    def opened(self, driver, path="", language="en"):
        driver.get(f"{self.issuer}account{path}")
        if driver.find_elements(By.NAME, "password") and "/u/login" in driver.current_url:
            self.log_in(driver, button=LOG_IN[language])

    def test_every_page_in_every_language_and_width(self):
        for language, width, dark in (("en", 360, False), ("de", 1280, True), ("fr", 360, True)):
            driver = self.browser(width=width, language=language, dark=dark)
            for path in PATHS:
                with self.subTest(language=language, width=width, path=path):
                    self.opened(driver, path, language)
                    self.assertTrue(driver.current_url.startswith(f"{self.issuer}account"), driver.current_url)
                    self.seen(driver, f"account{path.replace('/', '-')}-{language}-{width}")
            driver.quit()

    def test_rename_a_phone_choose_a_language_and_log_out_others_without_javascript(self):
        self.server.phone(USER, name="account-phone", tenant="interop")
        driver = self.browser(width=360, scripts=False)
        driver.get(self.issuer)
        self.seen(driver, "welcome-360")
        driver.find_element(By.LINK_TEXT, "Your account").click()
        self.log_in(driver)
        self.assertEqual(self.heading(driver), "Your account")
        driver.find_element(By.LINK_TEXT, "Phones").click()
        driver.find_element(By.LINK_TEXT, "Rename or remove").click()
        field = driver.find_element(By.NAME, "name")
        field.clear()
        field.send_keys("Kitchen phone")
        self.seen(driver, "account-phone-360")
        self.press(driver, "Save")
        self.assertIn("Kitchen phone", driver.find_element(By.TAG_NAME, "main").text)
        self.seen(driver, "account-phones-one-360")
        driver.get(f"{self.issuer}account/preferences")
        self.press(driver, "Deutsch")
        self.assertIn("/account/preferences", driver.current_url)
        driver.get(f"{self.issuer}account/sessions")
        self.assertIn("This browser", driver.find_element(By.TAG_NAME, "main").text)

    def test_an_authenticator_app_of_another_server_is_removed_with_its_code(self):
        secret = pyotp.random_base32()
        file = self.server.folder / "people.json"
        file.write_text(json.dumps([{
            "email": "eve@example.com", "email_verified": True, "password_hash": crypt.crypt(PASSWORD, "$2b$05$ABCDEFGHIJKLMNOPQRSTUO"),
            "mfa_factors": [{"totp": {"secret": secret, "name": "Telefon von gestern"}}]}]), encoding="utf-8")
        run("countersign", "user", "import", file, "--data", self.server.data, "--tenant", "interop")
        driver = self.browser(width=360, language="de")
        driver.get(f"{self.issuer}account/phones")
        self.log_in(driver, email="eve@example.com", button=LOG_IN["de"])
        self.assertIn("Telefon von gestern", driver.find_element(By.TAG_NAME, "main").text)
        self.seen(driver, "account-authenticator-de-360")
        for needs_code in (True, False):
            self.press(driver, "Diese Authenticator-App entfernen")
            self.seen(driver, "account-authenticator-remove-de-360")
            self.press(driver, "Diese Authenticator-App entfernen")
            if needs_code:
                self.assertEqual(self.heading(driver), "Code eingeben")
                self.seen(driver, "mfa-code-de-360")
                self.fill(driver, code=pyotp.TOTP(secret).at(int(time.time())))
                self.press(driver, "Weiter")
        self.assertNotIn("Telefon von gestern", driver.find_element(By.TAG_NAME, "main").text)

    def test_a_path_without_a_page_leads_on(self):
        driver = self.browser(width=360)
        driver.get(f"{self.issuer}no/such/page")
        self.assertEqual(self.heading(driver), "This page does not exist")
        self.seen(driver, "absent-360")
        driver.find_element(By.LINK_TEXT, "Your account").click()
        self.assertIn("/u/login", driver.current_url)
