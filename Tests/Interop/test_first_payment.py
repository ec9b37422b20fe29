"""From an empty server to an approved payment in Chromium, without a terminal, counted in a person's steps."""

import json

from selenium.webdriver.common.by import By

import test_browser
from programs import run
from test_browser import WebDriverWait

EMAIL, PASSWORD, API = "ann@example.com", "wide river under snow", "https://pay.example.com/"
TYPE = [{"type": "payment", "schema": {
    "type": "object", "required": ["type", "amount", "payee"], "additionalProperties": False,
    "x-headline": ["amount", "payee"],
    "properties": {"type": {"const": "payment"}, "amount": {"type": "string"}, "payee": {"type": "string"}}}}]
PAYMENT = [{"type": "payment", "amount": "25 EUR", "payee": "Hanna Herwitz"}]
# Seconds that a person needs for a field and for a button, generously.
FIELD, BUTTON, LIMIT = 12, 4, 300


class FirstPaymentTest(test_browser.BrowserTest):
    @classmethod
    def configuration(cls):
        return {"tenants": [{"id": "interop", "name": "Empty Bank", "host": cls.domain}]}

    def fill(self, driver, **values):
        self.seconds += FIELD * len(values)
        super().fill(driver, **values)

    def press(self, driver, *texts):
        self.seconds += BUTTON
        super().press(driver, *texts)

    def typed(self, driver, **values):
        """Fields of the dashboard, by the API's names."""
        self.fill(driver, **{f"m.{name}": value for name, value in values.items()})

    def changed(self, driver, *button):
        """Reviews a form and sends it."""
        self.press(driver, "Continue")
        self.press(driver, *button)

    def text(self, driver):
        return driver.find_element(By.TAG_NAME, "main").text

    def test_an_empty_server_comes_to_an_approved_payment_in_five_minutes(self):
        self.seconds = 0
        invited = json.loads(run(
            "countersign", "admin", "invite", EMAIL, "--tenant", "interop", "--data", self.server.data, "--json"))
        driver = self.browser(width=1280)
        driver.get(invited["link"])
        self.fill(driver, password=PASSWORD, password_again=PASSWORD)
        self.press(driver, "Change the password")
        driver.get(invited["dashboard"])
        self.log_in(driver, EMAIL, PASSWORD)

        self.press(driver, "APIs")
        self.press(driver, "New API")
        self.typed(driver, identifier=API, name="Payments", authorization_details=json.dumps(TYPE))
        self.changed(driver, "New API")
        self.assertEqual(self.heading(driver), "Payments", self.text(driver))

        self.press(driver, "Clients")
        self.press(driver, "New agent")
        self.typed(driver, name="Shopper")
        driver.find_element(By.NAME, "m.async_approval_notification_channels:page").click()
        self.changed(driver, "New agent")
        self.press(driver, "Open the client")

        self.press(driver, "Try it")
        self.typed(driver, binding_message="Order 4711", audience=API, authorization_details=json.dumps(PAYMENT))
        self.changed(driver, "Try it")
        request = self.text(driver)
        self.assertIn("cns_", request)
        page = driver.find_element(By.LINK_TEXT, "Open the request").get_attribute("href")
        self.seen(driver, "first-payment-tried-1280")
        self.press(driver, "Decide on the page")
        self.assertIn("25 EUR", self.text(driver))
        self.read(driver)
        self.press(driver, driver.find_element(By.CSS_SELECTOR, "[data-allows]").text)
        driver.get(page)
        WebDriverWait(driver).until(lambda driver: "Valid: the server" in self.text(driver))
        self.assertIn("25 EUR", self.text(driver))
        self.seen(driver, "first-payment-receipt-1280")

        # The sentence of the guide: "navigate to User Management > Users and click on the user".
        self.press(driver, "Users")
        self.press(driver, EMAIL)
        self.assertIn("Multi-Factor Authentication", self.text(driver))
        print(f"a person needs {self.seconds} s from an empty server to an approved payment")
        self.assertLess(self.seconds, LIMIT)
