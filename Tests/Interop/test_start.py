"""The start of the approver in Chromium: on a slow network, and without one."""

import json
import re

from selenium.webdriver.common.by import By

import test_approver
from programs import PAYMENT, eventually

# A poor mobile network.
LATENCY, THROUGHPUT = 2000, 50_000
# Seconds from the start to the first card.
COLD, WARM = 9, 3


CARL = "auth0|carl"


class StartTest(test_approver.ApproverTest):
    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        # Logins of one test would be on the cards of the next.
        configuration["tenants"][0]["users"].append({
            "user_id": CARL, "name": "Carl", "email": "carl@example.com", "email_verified": True, "roles": ["reader"]})
        return configuration

    # Milliseconds from the navigation to the first card.
    WATCH = """
        new MutationObserver(() => {
            if (document.querySelector('article.card')) window.cardAt ??= performance.now()
        }).observe(document, {childList: true, subtree: true})"""

    def network(self, driver, latency=0, throughput=-1):
        driver.execute_cdp_cmd("Network.enable", {})
        driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": False, "latency": latency, "downloadThroughput": throughput, "uploadThroughput": throughput})

    def forget_files(self, driver):
        """Leaves the account, and nothing of the app's files."""
        driver.get(f"{self.approver}/settings.json")
        driver.execute_async_script("""
            const done = arguments[0]
            Promise.all([
                navigator.serviceWorker.getRegistrations().then((all) => Promise.all(all.map((one) => one.unregister()))),
                caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name)))),
            ]).then(() => done())""")
        driver.get("about:blank")
        driver.execute_cdp_cmd("Network.clearBrowserCache", {})

    def first_card(self, driver):
        """Requests, bytes and seconds until the first card. Requests that come later do not count."""
        driver.get_log("performance")
        self.network(driver, LATENCY, THROUGHPUT)
        driver.get(self.approver)
        seconds = eventually(lambda: driver.execute_script("return window.cardAt")) / 1000
        self.network(driver)
        asked, kept, size, started = set(), set(), 0, None
        for entry in driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            method, details = message["method"], message["params"]
            if method == "Network.requestWillBeSent" and details["request"]["url"].startswith(self.issuer):
                started = started or details["timestamp"]
                if details["timestamp"] - started < seconds:
                    asked.add(details["requestId"])
            elif method == "Network.responseReceived" and (
                    details["response"].get("fromServiceWorker") or details["response"].get("fromDiskCache")):
                kept.add(details["requestId"])
            elif method == "Network.requestServedFromCache":
                kept.add(details["requestId"])
            elif method == "Network.dataReceived" and details["requestId"] in asked - kept:
                size += details["encodedDataLength"]
        return len(asked - kept), size, seconds

    def test_the_first_card_comes_in_time_on_a_slow_network(self):
        driver = self.phone(user=CARL)
        self.worker(driver)
        self.ask(user=CARL, details=[PAYMENT])
        self.sees(driver, "Order 4711")
        self.forget_files(driver)
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": self.WATCH})
        cold = self.first_card(driver)
        self.worker(driver)
        # The worker keeps the document once it is active.
        driver.execute_async_script("""
            const done = arguments[0]
            const look = async () => (await caches.match('/approver') && navigator.serviceWorker.controller)
                ? done() : setTimeout(look, 50)
            look()""")
        driver.get("about:blank")
        warm = self.first_card(driver)
        for name, (requests, size, seconds) in (("cold", cold), ("warm", warm)):
            print(f"{name}: {requests} requests, {size / 1000:.1f} kB, {seconds:.1f} s")
        self.assertLessEqual(cold[2], COLD)
        self.assertLessEqual(warm[2], WARM)
        # A request for each of these would be a further wait: document, module and channel.
        self.assertLessEqual(cold[0], 9)

    # One-time codes

    def code(self, driver):
        """The six digits that the app shows."""
        return eventually(lambda: (re.findall(
            r"\b\d{6}\b", driver.find_element(By.CSS_SELECTOR, ".digits").get_attribute("textContent")) or [None])[0])

    def test_a_code_of_the_phone_without_a_network_logs_in(self):
        driver = self.phone(width=360)
        self.worker(driver)
        self.offline(driver, True)
        self.sees(driver, "You are offline")
        # One tap from the start.
        self.tap(driver, "One-time code")
        self.sees(driver, "Valid for")
        self.seen(driver, "approver-code-offline-360")
        # The server's clock is a few seconds off at most, and takes the neighbouring codes, too.
        code = self.code(driver)
        computer = self.browser()
        computer.get(self.url(prompt="login"))
        self.log_in(computer)
        self.press(computer, "Enter a code instead")
        self.fill(computer, code=code)
        self.press(computer, "Continue", "Log in", "Confirm")
        self.assertIn("code", self.came_back(computer))
        # Nothing waits for an answer of the phone any more.
        self.offline(driver, False)
        self.sees(driver, "Nothing waits for you")

    def test_the_secret_of_the_codes_is_nowhere_to_read(self):
        driver = self.phone(user=CARL, width=360)
        exported = driver.execute_async_script("""
            const done = arguments[0]
            indexedDB.open('approver').onsuccess = ({target}) => {
                target.result.transaction('accounts').objectStore('accounts').getAll().onsuccess = async ({target}) => {
                    const [account] = target.result
                    const {key} = account.generator
                    const tried = await crypto.subtle.exportKey('raw', key).then(() => 'exported', ({name}) => name)
                    done([key.extractable, key.algorithm.name, tried, JSON.stringify(account).includes('secret')])
                }
            }""")
        self.assertEqual(exported, [False, "HMAC", "InvalidAccessError", False])

    def test_a_code_is_not_offered_to_people_whose_phone_shows_none(self):
        driver = self.phone(user=test_approver.BOB, width=360)
        computer = self.browser()
        computer.get(self.url(prompt="login"))
        self.log_in(computer, email="bob@example.com")
        self.assertIn("Enter a code instead", self.text(computer))
        # A phone of an app that shows no codes says so.
        self.tell(driver, ["signed-digest", "number-matching"])
        computer.get(self.url(prompt="login"))
        self.log_in(computer, email="bob@example.com")
        self.assertNotIn("Enter a code instead", self.text(computer))

    def tell(self, driver, capabilities):
        done = driver.execute_async_script(test_approver.modules() + """
            const [capabilities, done] = arguments;
            (async () => {
                const {base} = JSON.parse(document.documentElement.dataset.settings)
                for (const account of await approver.accounts()) {
                    await new approver.Device(base, account).update({capabilities})
                }
            })().then(() => done('done'), (error) => done(String(error)))""", capabilities)
        self.assertEqual(done, "done")
