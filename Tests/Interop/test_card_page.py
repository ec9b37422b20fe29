"""Chromium on what nobody may allow by mistake: the client's words above another amount, and a long request."""

import json
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from programs import AUDIENCE
import test_browser
from test_approval_page import ApprovalPageSteps
from test_browser import WebDriverWait

TRANSFER = {
    "type": "money_transfer", "instructedAmount": {"amount": "2500.00", "currency": "EUR"},
    "creditorName": "Merchant A"}
LONG = [{"type": "money_transfer", **{f"member{number}": f"value {number}" for number in range(9)}} for _ in range(4)]
DEEP = {"type": "money_transfer", "one": {"two": [{"three": {"four": "deep"}}, {"three": {"four": "end"}}]},
        "long": "Donaudampfschifffahrtsgesellschaftskapitaen" * 3, "marks": "a" + "\u0301" * 40}


class CardPageTest(ApprovalPageSteps, test_browser.BrowserTest):
    def request(self, *details, client="page-agent", message="Refund of 25 EUR to you"):
        return self.asked(
            client, audience=AUDIENCE, authorization_details=json.dumps(details), binding_message=message)

    def phone(self, **more):
        driver = self.browser(width=360, **more)
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": 360, "height": 640, "deviceScaleFactor": 1, "mobile": True})
        return driver

    def main(self, driver):
        return driver.find_element(By.TAG_NAME, "main").text

    def test_the_amount_outranks_the_words_of_the_client(self):
        for language, line, allow in (
                # The driver shows no-break spaces as spaces.
                ("en", "€2,500.00 to Merchant A", "Allow €2,500.00"),
                ("fr", "2\u202f500,00 € à Merchant A", "Autoriser 2\u202f500,00 €"),
                ("de", "2.500,00 € an Merchant A", "2.500,00 € erlauben")):
            started = self.request(TRANSFER)
            driver = self.phone(language=language, dark=language == "de")
            driver.get(started["approval_uri"])
            self.log_in(driver, button={"en": "Log in", "fr": "Se connecter", "de": "Anmelden"}[language])
            self.assertEqual(self.heading(driver), line)
            # The largest text is the amount's, and it is in sight before anybody scrolls.
            largest, bottom = driver.execute_script(
                "const sizes = [...document.querySelectorAll('main *')].filter(e => e.innerText && !e.children.length);"
                "sizes.sort((a, b) => parseFloat(getComputedStyle(b).fontSize) - parseFloat(getComputedStyle(a).fontSize));"
                "return [sizes[0].closest('h1') !== null, document.querySelector('h1').getBoundingClientRect().bottom]")
            self.assertTrue(largest)
            self.assertLessEqual(bottom, 640)
            said = driver.find_element(By.TAG_NAME, "figure").text
            self.assertIn("Shopping agent", said)
            self.assertIn("Refund of 25 EUR to you", said)
            self.seen(driver, f"card-{language}-360")
            self.allow(driver, allow)
            self.assertIn(line, self.main(driver))
            self.seen(driver, f"card-allowed-{language}-360")

    def test_one_press_of_end_is_not_reading(self):
        started = self.request(*LONG)
        driver = self.phone()
        self.opened(driver, started)
        unread = lambda: int(driver.execute_script("return document.querySelector('.unread span').textContent"))
        allow = driver.find_element(By.CSS_SELECTOR, "[value=allow]")
        driver.find_element(By.TAG_NAME, "body").send_keys(Keys.END)
        # The rule's time passes at the end of the page: nothing between the start and the end counts as read.
        WebDriverWait(driver).until(lambda driver: driver.execute_script(
            "if (innerHeight + scrollY < document.documentElement.scrollHeight - 2) return false;"
            "window.arrived ??= performance.now(); return performance.now() - arrived > 1000"))
        self.assertGreater(unread(), 10)
        self.assertFalse(allow.is_enabled())
        self.seen(driver, "card-unread-360")
        # The keyboard reads on: the button leads to the next part and gives it the focus.
        following = driver.find_element(By.CSS_SELECTOR, ".unread button")
        following.send_keys(Keys.ENTER)
        self.assertTrue(driver.execute_script("return document.activeElement.matches('[data-part]')"))
        self.assertEqual(self.polled(started), "authorization_pending")
        self.allow(driver)
        self.assertEqual(self.polled(started), "tokens")

    def test_without_scripts_a_long_request_is_confirmed(self):
        started = self.request(*LONG)
        driver = self.phone(scripts=False)
        self.opened(driver, started)
        self.press(driver, "Allow")
        self.assertIn("Read the whole request first", self.main(driver))
        self.assertEqual(self.polled(started), "authorization_pending")
        self.seen(driver, "card-not-read-360")
        driver.find_element(By.ID, "read").click()
        self.press(driver, "Allow")
        self.assertEqual(self.heading(driver), "This request was allowed")

    def test_a_report_is_one_press_and_has_its_own_outcome(self):
        started = self.request(TRANSFER, client="reported-agent")
        driver = self.phone()
        self.opened(driver, started)
        self.press(driver, "I did not ask for this")
        self.assertEqual(self.heading(driver), "This request was rejected and reported")
        self.assertIn("€2,500.00 to Merchant A", self.main(driver))
        self.seen(driver, "card-reported-360")
        self.assertEqual(self.polled(started, "reported-agent"), "access_denied")

    def test_the_time_that_is_left_moves(self):
        driver = self.phone()
        self.opened(driver, self.request(TRANSFER))
        clock = lambda: driver.find_element(By.CSS_SELECTOR, "[data-left]").text
        first = clock()
        self.assertRegex(first, r"^\d+:\d\d$")
        WebDriverWait(driver).until(lambda _: clock() != first)

    def test_depth_long_words_and_marks_stay_in_their_rows(self):
        driver = self.phone()
        self.opened(driver, self.request(DEEP))
        self.assertIn("\u2039U+0301\u203a", self.main(driver))
        # Each level begins farther right, and nothing is wider than the card.
        lefts = driver.execute_script(
            "return [...document.querySelectorAll('main dl, main ol')].map(e => e.getBoundingClientRect().left)")
        self.assertGreaterEqual(len(set(lefts)), 4)
        self.assertLess(max(lefts), 180)
        self.read(driver)
        self.seen(driver, "card-deep-360")


def load_tests(loader, _, pattern):
    """The tests of this module, without those that it inherits."""
    names = [name for name in loader.getTestCaseNames(CardPageTest) if name in vars(CardPageTest)]
    return unittest.TestSuite(map(CardPageTest, names))
