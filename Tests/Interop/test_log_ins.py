"""Chromium as a phone that confirms logins in another browser: where they come from, which one counts, and typed numbers."""

from selenium.webdriver.common.by import By

import test_approver


class LogInsTest(test_approver.ApproverTest):
    def waiting(self, driver):
        """Logs in with the password, and returns the number on the page that waits for the phone."""
        driver.get(self.url())
        self.log_in(driver)
        return driver.find_element(By.CSS_SELECTOR, ".pick strong").text

    def test_a_newer_login_takes_the_place_of_the_older_one_in_its_browser(self):
        phone, browser = self.phone(), self.browser()
        self.waiting(browser)
        old = browser.current_url
        self.sees(phone, "Log in to", "on Linux", "127.0.0.1")
        number = self.waiting(browser)
        new = browser.current_url
        browser.get(old)
        self.sees(browser, "took the place of this one")
        self.seen(browser, "login-superseded")
        browser.get(new)
        phone.get(f"{self.approver}#")
        phone.refresh()
        self.sees(phone, "Which number does")
        self.seen(phone, "approver-login-360")
        self.tap(phone, number)
        self.sees(phone, "Allowed")
        self.assertIn("code", self.came_back(browser))

    def test_a_login_is_shown_in_the_language_of_its_reader(self):
        phone = self.phone(language="de", add="Dieses Telefon hinzufügen", idle="Keine offenen Anfragen", dark=True)
        self.waiting(self.browser(language="en"))
        self.sees(phone, "anmelden?", "auf Linux", "Adresse", "Welche Zahl zeigt")
        self.assertNotIn("Log in", self.text(phone))
        self.seen(phone, "approver-login-de-360-dark")
        self.tap(phone, "Ablehnen")

    def test_the_number_is_typed(self):
        self.change(lambda tenant: tenant["settings"].update(login_matching="type"))
        phone, browser = self.phone(), self.browser()
        number = self.waiting(browser)
        self.sees(phone, "Type the number that")
        self.seen(phone, "approver-login-typed-360")
        field = phone.find_element(By.CSS_SELECTOR, "input.digits")
        field.send_keys(number[0])
        self.tap(phone, "Allow")
        self.sees(phone, "Type the two digits")
        field.send_keys(number[1])
        self.tap(phone, "Allow")
        self.sees(phone, "Allowed")
        self.assertIn("code", self.came_back(browser))
