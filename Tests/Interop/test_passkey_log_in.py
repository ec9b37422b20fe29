"""Chromium with a virtual authenticator: a passkey is added on the person's page, and logs in by the button and by the
suggestions of the field for the name. A lost one is replaced.

axe judges each view, and a picture of it is kept in .build/screenshots.
"""

import re

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

from login import PASSWORD
from programs import PAYMENT
from test_browser import WebDriverWait
import test_approver

PASSKEYS = "account/passkeys"


class PasskeyLogInTest(test_approver.ApproverTest):
    # One for each test: the tests share a server.
    people = ("button", "field", "scripts", "refused", "lost", "named")

    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        configuration["tenants"][0]["settings"]["multi_factor"] = "never"
        configuration["tenants"][0]["users"] += [{
            "user_id": f"auth0|{name}", "name": name, "email": f"{name}@example.com", "email_verified": True,
            "password": PASSWORD, "roles": ["reader"]} for name in cls.people]
        return configuration

    def with_authenticator(self, **more):
        driver = self.browser(width=360, **more)
        driver.add_virtual_authenticator(VirtualAuthenticatorOptions(
            protocol="ctap2", transport="internal", has_resident_key=True, has_user_verification=True,
            is_user_verified=True))
        return driver

    def without_suggestions(self, driver):
        """A virtual authenticator would answer the field's request for the person who picks nothing."""
        self.before(driver, "delete PublicKeyCredential.isConditionalMediationAvailable")

    def add_passkey(self, driver, name):
        driver.get(f"{self.issuer}{PASSKEYS}")
        self.sees(driver, "Log in with a passkey")
        self.seen(driver, "login-passkey-360")
        self.log_in(driver, email=f"{name}@example.com")
        self.sees(driver, "You have no passkey.")
        self.seen(driver, "account-passkeys-none-360")
        self.press(driver, "Add a passkey")
        self.sees(driver, "confirms requests and logs you in")
        self.seen(driver, "account-passkeys-360")

    def test_a_passkey_is_offered_renamed_and_leads_back_to_the_account(self):
        driver = self.with_authenticator()
        self.without_suggestions(driver)
        driver.get(f"{self.issuer}account")
        self.log_in(driver, email="named@example.com")
        self.sees(driver, "Log in without a password next time.")
        self.seen(driver, "account-offers-passkey-360")
        self.press(driver, "Add a passkey")
        self.press(driver, "Add a passkey")
        self.sees(driver, "Passkey 1")
        # By keyboard.
        driver.find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)
        field = driver.find_element(By.ID, "name-0")
        self.seen(driver, "account-passkey-rename-360")
        field.clear()
        field.send_keys("Laptop", Keys.ENTER)
        self.sees(driver, "Laptop")
        self.assertNotIn("Passkey 1", self.text(driver))
        self.press(driver, "Your account")
        self.assertEqual(self.heading(driver), "Your account")
        self.assertNotIn("without a password", self.text(driver))

    def remove_passkey(self, driver):
        driver.find_element(By.TAG_NAME, "summary").click()
        self.press(driver, "Remove")
        self.sees(driver, "You have no passkey.")

    def test_a_passkey_logs_in_by_the_button(self):
        driver = self.with_authenticator()
        self.without_suggestions(driver)
        self.add_passkey(driver, "button")
        driver.delete_all_cookies()
        driver.get(self.url())
        self.press(driver, "Log in with a passkey")
        self.assertIn("code", self.came_back(driver))

    def test_a_passkey_logs_in_by_the_suggestions_of_the_field(self):
        driver = self.with_authenticator()
        self.add_passkey(driver, "field")
        driver.delete_all_cookies()
        driver.get(self.url())
        self.assertIn("code", self.came_back(driver))

    def test_without_scripts_the_page_is_as_before(self):
        driver = self.browser(width=360, scripts=False)
        driver.get(self.url())
        self.assertNotIn("passkey", driver.find_element(By.TAG_NAME, "main").text)
        self.log_in(driver, email="scripts@example.com")
        self.assertIn("code", self.came_back(driver))

    def test_a_removed_passkey_is_refused_and_the_password_remains(self):
        driver = self.with_authenticator()
        self.without_suggestions(driver)
        self.add_passkey(driver, "refused")
        self.remove_passkey(driver)
        driver.delete_all_cookies()
        driver.get(self.url())
        self.press(driver, "Log in with a passkey")
        self.sees(driver, "This passkey did not log you in.")
        self.seen(driver, "login-passkey-refused-360")
        self.log_in(driver, email="refused@example.com")
        self.assertIn("code", self.came_back(driver))

    def test_a_lost_passkey_is_replaced_and_the_request_allowed(self):
        driver = self.with_authenticator()
        self.without_suggestions(driver)
        self.change(lambda tenant: tenant["apis"][0].update(evidence="passkey"))
        self.phone(user="auth0|lost", account="lost@example.com", driver=driver)
        asked = self.ask(user="auth0|lost", details=[PAYMENT])
        self.tap(driver, "Allow")
        self.tap(driver, "Make one now")
        self.sees(driver, "Allowed")
        self.assertIn("access_token", self.outcome(asked))
        self.tap(driver, "OK")
        driver.remove_all_credentials()
        asked = self.ask(user="auth0|lost", details=[PAYMENT])
        self.tap(driver, "Allow")
        self.sees(driver, "I don’t have this passkey any more")
        self.seen(driver, "approver-passkey-lost-360")
        phone = driver.current_window_handle
        driver.find_element(By.PARTIAL_LINK_TEXT, "I don’t have this passkey").click()
        WebDriverWait(driver).until(lambda driver: len(driver.window_handles) == 2)
        page = next(handle for handle in driver.window_handles if handle != phone)
        # The page asks for the password, and for the phone.
        driver.switch_to.window(page)
        self.sees(driver, "Log in with a passkey")
        self.log_in(driver, email="lost@example.com")
        self.sees(driver, "Check your phone")
        number = re.search(r"\b\d\d\b", self.text(driver)).group()
        driver.switch_to.window(phone)
        self.tap(driver, "Cancel")
        # The payment keeps its place, and the login waits below it.
        self.sees(driver, "1 more waits")
        driver.execute_script("document.querySelector('button.entry').click()")
        self.tap(driver, number)
        driver.switch_to.window(page)
        self.sees(driver, "confirms requests")
        self.remove_passkey(driver)
        # The request is still there. Its card makes the new one, as a virtual authenticator belongs to one window.
        driver.switch_to.window(phone)
        self.tap(driver, "Next request")
        self.tap(driver, "Allow")
        self.tap(driver, "Make one now")
        self.sees(driver, "Allowed")
        self.assertIn("access_token", self.outcome(asked))
