"""Chromium as a phone that confirms logins in another browser: where they come from, which one counts, and typed numbers."""

import re

from selenium.webdriver.common.by import By

import test_approver

FIREFOX = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:128.0) Gecko/20100101 Firefox/128.0"


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

    def test_logins_of_two_browsers_both_wait_and_each_names_its_screen(self):
        phone, first, second = self.phone(), self.browser(), self.browser()
        second.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": FIREFOX})
        # Nobody looks meanwhile, so that no card keeps its place.
        self.close_channel(phone)
        numbers = {"Chromium on Linux": self.waiting(first)}
        states = {"Chromium on Linux": self.state}
        numbers["Firefox on macOS"] = self.waiting(second)
        states["Firefox on macOS"] = self.state
        phone.get(self.approver)
        self.sees(phone, "Which number does Firefox on macOS show?", "1 more waits")
        self.assertEqual(len(phone.find_elements(By.CSS_SELECTOR, ".card")), 1)
        self.seen(phone, "approver-login-two-360")
        self.assert_facts(phone, "Firefox on macOS")
        for screen, driver, more in (("Firefox on macOS", second, True), ("Chromium on Linux", first, False)):
            self.sees(phone, f"Which number does {screen} show?")
            self.tap(phone, numbers[screen])
            self.sees(phone, "Allowed")
            if more:
                self.tap(phone, "Next request")
            self.state = states[screen]
            self.assertIn("code", self.came_back(driver))

    def assert_facts(self, phone, screen):
        """The card says which application asks, and where from."""
        text = self.text(phone)
        self.assertIn("Log in to Mobile app?", text)
        for title, value in (("Browser, as it says", screen), ("Address", "127.0.0.1"), ("Time", r".*\d:\d\d.*")):
            self.assertRegex(text, f"{title}\n{value if title == 'Time' else re.escape(value)}\n")

    def test_a_login_is_shown_in_the_language_of_its_reader(self):
        phone = self.phone(language="de", add="Dieses Telefon hinzufügen", idle="Keine offenen Anfragen", dark=True)
        self.waiting(self.browser(language="en"))
        self.sees(phone, "Bei Mobile app anmelden?", "Chromium auf Linux", "Adresse", "Zeit", "Welche Zahl zeigt Chromium auf Linux?")
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
