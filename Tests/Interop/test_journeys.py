"""Journeys counted in taps: as many as the table of docs/approver.md says, each performed in Chromium."""

import pathlib
import re

from selenium.webdriver.common.by import By

import test_approver
from login import USER
from programs import PAYMENT, eventually
from test_browser import WebDriverWait


def documented():
    """Taps of each journey, by its name."""
    text = pathlib.Path("docs/approver.md").read_text(encoding="utf-8")
    section = text.split("### Journeys in taps", 1)[1].split("\n#", 1)[0]
    return {name: int(taps) for name, taps in re.findall(r"^\| ([^|]+?) \| (\d+) \|", section, re.MULTILINE)}


class JourneyTest(test_approver.ApproverTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.documented = documented()
        cls.travelled = set()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        # A row that nobody walks says nothing.
        if len(cls.travelled) > 1 and cls.travelled != set(cls.documented):
            raise AssertionError(f"the table has {set(cls.documented)}, and the tests walk {cls.travelled}")

    def setUp(self):
        super().setUp()
        self.taps = 0

    # Each of these is what a finger does. Scrolling and typing are no taps.

    def tap(self, driver, text):
        self.taps += 1
        super().tap(driver, text)

    def press(self, driver, *texts):
        self.taps += 1
        super().press(driver, *texts)

    def follow(self, driver, text):
        """Taps a link that opens a window, and goes there."""
        self.taps += 1
        before = set(driver.window_handles)
        self.button(driver, text).click()
        WebDriverWait(driver).until(lambda driver: set(driver.window_handles) - before)
        driver.switch_to.window((set(driver.window_handles) - before).pop())

    def arrived(self, journey):
        self.travelled.add(journey)
        self.assertEqual(self.taps, self.documented[journey], journey)

    def ready(self):
        """An enrolled phone, whose enrolment does not count."""
        driver = self.phone()
        self.taps = 0
        return driver

    # Journeys

    def test_enrol(self):
        driver = self.browser(width=360)
        driver.get(f"{self.issuer}guardian/enroll?ticket={self.ticket()}")
        self.follow(driver, "Use this device")
        self.tap(driver, "Add this phone")
        self.sees(driver, "This phone is ready")
        self.arrived("Add a phone by a link")

    def test_approve_a_payment(self):
        driver = self.ready()
        asked = self.ask(details=[PAYMENT])
        self.tap(driver, "Allow")
        self.sees(driver, "Allowed")
        self.assertIn("access_token", self.outcome(asked))
        self.arrived("Approve a payment")

    def logging_in(self):
        """A computer at the second factor."""
        computer = self.browser()
        computer.get(self.url(prompt="login"))
        self.log_in(computer)
        self.taps = 0
        return computer

    def test_approve_a_login(self):
        driver = self.ready()
        computer = self.logging_in()
        number = computer.find_element(By.CSS_SELECTOR, ".pick strong").text
        self.tap(driver, number)
        self.sees(driver, "Allowed")
        self.assertIn("code", self.came_back(computer))
        self.arrived("Approve a login")

    def test_read_a_code(self):
        driver = self.ready()
        self.offline(driver, True)
        self.sees(driver, "You are offline")
        self.tap(driver, "One-time code")
        eventually(lambda: re.search(r"\d{6}", driver.find_element(By.CSS_SELECTOR, ".digits").text.replace("\n", "")))
        self.arrived("Read a one-time code without a network")

    def recovery_codes(self, driver):
        """Makes codes on the account page, with the phone in the same browser."""
        driver.get(f"{self.issuer}account/recovery-codes")
        self.log_in(driver)
        number = driver.find_element(By.CSS_SELECTOR, ".pick strong").text
        page = driver.current_window_handle
        driver.switch_to.new_window("tab")
        driver.get(self.approver)
        self.tap(driver, number)
        self.sees(driver, "Allowed")
        driver.switch_to.window(page)
        self.sees(driver, "You have no recovery codes")
        self.press(driver, "Make recovery codes")
        return [each.text for each in driver.find_elements(By.CSS_SELECTOR, ".codes code")]

    def test_from_a_lost_phone_to_a_working_one(self):
        lost = self.ready()
        codes = self.recovery_codes(lost)
        self.assertEqual(len(codes), 10)
        old = self.device(lost)
        lost.quit()
        # The way back begins at the account page, on the new phone.
        driver = self.browser(width=360)
        self.taps = 0
        driver.get(f"{self.issuer}account/phones/lost")
        self.log_in(driver)
        self.press(driver, "I no longer have my phone")
        self.seen(driver, "recovery-code-360")
        self.fill(driver, code=codes[0])
        self.press(driver, "Continue")
        self.seen(driver, "account-phones-lost-360")
        self.press(driver, "Remove it and add another")
        self.follow(driver, "Use this device")
        self.tap(driver, "Add this phone")
        self.sees(driver, "This phone is ready")
        taps = self.taps
        self.assertNotEqual(self.device(driver), old)
        asked = self.ask()
        super().tap(driver, "Allow")
        self.assertIn("access_token", self.outcome(asked))
        self.taps = taps
        self.assertLessEqual(self.taps, 6)
        self.arrived("From a lost phone to a working one")
