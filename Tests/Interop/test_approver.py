"""Chromium as a phone: the web app at /approver enrols, shows requests and answers them, online and off.

axe judges each view, and a picture of it is kept in .build/screenshots.
"""

import base64
import hashlib
import json
import os
import re
import secrets
import ssl
import subprocess
import urllib.parse

import http_ece
import requests
from cryptography.hazmat.primitives.asymmetric import ec
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

import test_browser
from login import EMAIL, PASSWORD, USER
from programs import AUDIENCE, CIBA, DEADLINE, PAYMENT, eventually, run
from test_browser import WebDriverWait
from test_web_push import PushService, subscription

BOB = "auth0|bob"
# Stands in for the browser's own push service, which cannot be reached here. The rest is the app's and the server's.
SUBSCRIBE = """
    (() => {
        const made = (key) => ({
            endpoint: SUBSCRIPTION.endpoint, options: {applicationServerKey: new Uint8Array(key).buffer},
            toJSON: () => (SUBSCRIPTION), unsubscribe: async () => { delete localStorage.subscribed; return true },
        })
        PushManager.prototype.subscribe = async ({applicationServerKey}) => {
            localStorage.subscribed = JSON.stringify([...applicationServerKey])
            return made(applicationServerKey)
        }
        // The next document finds it, too.
        PushManager.prototype.getSubscription = async () =>
            localStorage.subscribed ? made(JSON.parse(localStorage.subscribed)) : null
    })()
"""


def public_key_hash(authority, port):
    """SHA-256 of the server's key, by which Chromium trusts it: a service worker needs a connection without errors."""
    certificate = ssl.get_server_certificate(("localhost", port), ca_certs=str(authority))
    key = subprocess.run(
        ["openssl", "x509", "-pubkey", "-noout"], input=certificate.encode(), capture_output=True, check=True).stdout
    der = subprocess.run(
        ["openssl", "pkey", "-pubin", "-outform", "der"], input=key, capture_output=True, check=True).stdout
    return base64.b64encode(hashlib.sha256(der).digest()).decode()


def modules():
    """A script that makes the app's modules for accounts and the device API known as `approver`. The served file has no
    names for them."""
    return subprocess.run(
        ["esbuild", "--bundle", "--format=iife", "--global-name=approver"], check=True, capture_output=True, text=True,
        cwd="Sources/Web/Approver/Files", input='export * from "./store.js"; export * from "./device.js"').stdout


class ApproverTest(test_browser.BrowserTest):
    @classmethod
    def started(cls):
        return PushService.known_to_server(cls)

    @classmethod
    def configuration(cls):
        # The development server's tenant, under a name: passkeys belong to names, not to addresses.
        cls.domain = f"localhost:{cls.server.port}"
        cls.issuer = f"https://{cls.domain}/"
        configuration = super().configuration()
        tenant = configuration["tenants"][0]
        tenant |= {"id": "dev", "name": "Example Bank", "host": cls.domain}
        tenant["settings"]["multi_factor"] = "when-enrolled"
        # One test's report must not keep the client of the next one waiting.
        tenant["settings"] |= {"rejection_pause": 0, "report_pause": 0}
        tenant["users"].append({
            "user_id": BOB, "name": "Bob", "email": "bob@example.com", "email_verified": True, "password": PASSWORD,
            "roles": ["reader"]})
        tenant["apis"][0]["authorization_details"].append({"type": "anything"})
        tenant["clients"].append({
            "client_id": "stranger", "name": "Stranger's app", "client_secret": cls.client_secret,
            "grant_types": [CIBA]})
        return configuration

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        key = public_key_hash(cls.server.authority, cls.server.port)
        cls.arguments = (f"--ignore-certificate-errors-spki-list={key}",)
        cls.approver = f"{cls.issuer}approver"

    def change(self, change):
        """Applies a changed configuration for the time of one test."""
        configuration = self.configuration()
        configuration["tenants"][0]["name"] = "Changed Bank"
        change(configuration["tenants"][0])
        self.addCleanup(self.apply, self.configuration())
        self.apply(configuration)

    # The client

    def ask(self, user=USER, message="Order 4711", client=None, **more):
        details = more.pop("details", None)
        answer = requests.post(
            f"{self.issuer}bc-authorize", auth=(client or self.client_id, self.client_secret), timeout=DEADLINE,
            verify=str(self.server.authority),
            data={
                "login_hint": self.hint(user), "binding_message": message, "scope": "openid", "audience": AUDIENCE,
                **({"authorization_details": json.dumps(details)} if details else {}), **more})
        self.assertEqual(answer.status_code, 200, answer.text)
        # A request that a failed test leaves would be on the next test's card.
        self.addCleanup(
            requests.post, f"{self.issuer}oauth/revoke", auth=(client or self.client_id, self.client_secret),
            timeout=DEADLINE, verify=str(self.server.authority),
            data={"token": answer.json()["auth_req_id"], "token_type_hint": "auth_req_id"})
        return answer.json()

    def outcome(self, asked, client=None, wait=20):
        return requests.post(
            f"{self.issuer}oauth/token", auth=(client or self.client_id, self.client_secret), timeout=DEADLINE + wait,
            verify=str(self.server.authority), headers={"Prefer": f"wait={wait}"},
            data={"grant_type": CIBA, "auth_req_id": asked["auth_req_id"]}).json()

    # The phone

    def ticket(self, user=USER):
        uri = self.server.ticket(user, "dev")
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(uri).query))["enrollment_tx_id"]

    def text(self, driver):
        """The page's text, without the marks that isolate values. A script reads it in one step, so that a page
        that goes on meanwhile takes no element away from under it."""
        text = driver.execute_script("return document.body ? document.body.innerText : ''")
        return re.sub("[\u2066-\u2069]", "", text)

    def sees(self, driver, *texts):
        for text in texts:
            try:
                WebDriverWait(driver).until(
                    lambda driver, text=text: text in self.text(driver))
            except TimeoutException:
                # The present page, not that before the wait.
                self.fail(f"no {text} in {self.text(driver)}")

    def tap(self, driver, text):
        """Taps a button once it takes taps. A view that is drawn again meanwhile has a new button. "Allow" may name
        what it allows."""
        def is_it(words):
            return words == text or text == "Allow" and words.startswith("Allow ") and not words.startswith("Allow all")

        def tapped(driver):
            for each in driver.find_elements(By.CSS_SELECTOR, "button, nav a, summary"):
                if not each.is_displayed() or not is_it(re.sub("[\u2066-\u2069]", "", each.text.strip())):
                    continue
                if each.is_enabled():
                    # The bar at the foot may cover it.
                    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", each)
                    each.click()
                    return True
                self.read_on(driver)
            return False

        WebDriverWait(driver, ignored_exceptions=[StaleElementReferenceException]).until(
            tapped, f"no {text} in {self.text(driver)}")

    def read_on(self, driver):
        """Goes to the next unread part, if there is one: Allow waits until each part was in view."""
        driver.execute_script("""
            (document.querySelector('dialog') ?? document).querySelector('.read-on:not([hidden]) button')?.click()""")

    def phone(self, user=USER, account=EMAIL, driver=None, add="Add this phone", idle="Nothing waits for you", **more):
        """A browser that is enrolled."""
        driver = driver or self.browser(**{"width": 360, **more})
        fragment = urllib.parse.urlencode({"enroll": self.ticket(user), "account": account})
        driver.get(f"{self.approver}#{fragment}")
        self.tap(driver, add)
        self.sees(driver, idle)
        return driver

    def offline(self, driver, is_offline):
        driver.execute_cdp_cmd("Network.enable", {})
        driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})

    def worker(self, driver):
        """Waits for the service worker, and gives it leave to notify."""
        driver.execute_cdp_cmd("Browser.grantPermissions", {
            "origin": self.issuer.rstrip("/"), "permissions": ["notifications"]})
        driver.set_script_timeout(DEADLINE)
        driver.execute_async_script(
            "const done = arguments[0]; navigator.serviceWorker.ready.then(() => done(true))")
        driver.execute_cdp_cmd("ServiceWorker.enable", {})

    def deliver(self, driver, text):
        """Delivers a push's plain text, as the browser does after it decrypted the message."""
        driver.execute_cdp_cmd("ServiceWorker.deliverPushMessage", {
            "origin": self.issuer, "registrationId": "0", "data": text})

    def push(self, driver, **payload):
        self.deliver(driver, json.dumps({"v": 1, **payload}))

    def notices(self, driver):
        return driver.execute_async_script("""
            const done = arguments[0]
            navigator.serviceWorker.getRegistration('/approver').then(async (registration) => done(
                (await registration.getNotifications()).map(({title, body, tag, silent}) => ({title, body, tag, silent}))
            ))""")

    def device(self, driver):
        """The enrolment's id."""
        return driver.execute_async_script("""
            const done = arguments[0]
            indexedDB.open('approver').onsuccess = ({target}) => {
                target.result.transaction('accounts').objectStore('accounts').getAllKeys().onsuccess =
                    ({target}) => done(target.result[0])
            }""")

    def close_channel(self, driver):
        """Leaves the app, as a person who closes it. The worker stays."""
        driver.get(f"{self.approver}/settings.json")

    # Enrolment

    def test_enrol_from_the_ticket_page_by_the_link_of_its_code(self):
        driver = self.browser(width=360)
        driver.get(f"{self.issuer}guardian/enroll?ticket={self.ticket()}")
        self.seen(driver, "enroll-ticket-360")
        code = driver.find_element(By.CSS_SELECTOR, "details code").get_attribute("textContent")
        link = driver.find_element(By.LINK_TEXT, "Use this device").get_attribute("href")
        self.assertEqual(code, link)
        page = driver.current_window_handle
        self.button(driver, "Use this device").click()
        WebDriverWait(driver).until(lambda driver: len(driver.window_handles) == 2)
        phone = next(handle for handle in driver.window_handles if handle != page)
        driver.switch_to.window(phone)
        self.sees(driver, "Example Bank will ask you here", EMAIL)
        self.assertEqual(driver.find_element(By.ID, "name").get_attribute("value"), "Chrome on Linux")
        self.seen(driver, "approver-enrol-360")
        self.tap(driver, "Add this phone")
        self.sees(driver, "Nothing waits for you", "This phone is ready")
        self.assertNotIn("enroll", driver.current_url)
        self.seen(driver, "approver-ready-360")
        driver.switch_to.window(page)
        self.sees(driver, "Your phone was added", "Chrome on Linux")
        self.seen(driver, "enroll-added-360")
        driver.switch_to.window(phone)
        # The same link again.
        driver.get("about:blank")
        driver.get(link)
        self.tap(driver, "Add this phone")
        self.sees(driver, "This link was used already")

    def enrolled_in_the_terminal(self, driver, name):
        """Enrols a phone in the terminal by the code of the ticket page."""
        uri = next(code.get_attribute("textContent") for code in driver.find_elements(By.TAG_NAME, "code")
                   if code.get_attribute("textContent").startswith("otpauth:"))
        run("guardian", "enroll", uri, "--name", name, "--json", "--ca", self.server.authority,
            "--store", self.server.folder / f"{secrets.token_hex(4)}.json")

    def open_details(self, driver):
        for summary in driver.find_elements(By.TAG_NAME, "summary"):
            summary.send_keys(Keys.ENTER)

    def test_a_mailed_link_survives_scanners_and_its_page_names_the_phone(self):
        printed = self.server.made_ticket(USER, "dev", "--send-mail", "--language", "fr").strip()
        mailed = self.server.mailed_link("/guardian/enroll?ticket=")
        self.assertEqual(mailed, printed + "&ui_locales=fr")
        french = requests.get(mailed, timeout=DEADLINE, verify=str(self.server.authority))
        self.assertIn('<html lang="fr">', french.text)
        link = printed
        for _ in range(10):
            scanned = requests.get(link, timeout=DEADLINE, verify=str(self.server.authority))
            self.assertEqual((scanned.status_code, scanned.headers["Cache-Control"]), (200, "no-store"))
        driver = self.browser(width=360)
        driver.get(link)
        self.sees(driver, EMAIL, "Example Bank")
        self.open_details(driver)
        self.seen(driver, "enroll-link-360")
        copied = driver.execute_script("""
            getSelection().selectAllChildren(document.querySelector('.groups'))
            return getSelection().toString()""")
        self.assertEqual(copied, link.split("ticket=")[1])
        self.press(driver, "I have scanned it")
        self.sees(driver, "No phone was added yet")
        self.enrolled_in_the_terminal(driver, "Hanna's terminal")
        self.sees(driver, "Your phone was added", "Hanna's terminal")
        self.seen(driver, "enroll-link-added-360")
        other = self.browser(width=360)
        other.get(link)
        self.sees(other, "ask the people who gave you the link")
        self.assertNotIn("terminal", self.text(other))
        self.assertNotIn(EMAIL, self.text(other))
        self.seen(other, "enroll-link-over-360")

    def test_the_ticket_page_in_german_and_french_in_the_dark_and_without_javascript(self):
        for language, scripts, added in (
            ("de", True, "Ihr Telefon wurde hinzugefügt"), ("fr", True, "Votre téléphone a été ajouté"),
            ("en", False, "Your phone was added"),
        ):
            driver = self.browser(width=360, language=language, dark=True, scripts=scripts)
            # The short address, as somebody types it.
            driver.get(f"{self.issuer}enroll?ticket={self.ticket()}")
            self.sees(driver, EMAIL)
            self.open_details(driver)
            self.seen(driver, f"enroll-link-{language}-360-dark")
            self.enrolled_in_the_terminal(driver, "Mein Mobiltelefon")
            self.sees(driver, added, "Mein Mobiltelefon")
            self.seen(driver, f"enroll-link-added-{language}-360-dark")
            driver.quit()

    def test_the_page_leads_to_the_tenants_app(self):
        shown = requests.get(self.approver, timeout=DEADLINE, verify=str(self.server.authority)).text
        icon = re.search("approver/[0-9a-f]+/icon-192.png", shown)[0]
        self.change(lambda tenant: tenant["settings"].update(approval_app={
            "app_name": "Bank Approvals", "icon_url": self.issuer + icon,
            "apple_app_link": "https://apps.apple.com/app/id1", "google_app_link": "https://store.example.org/app"}))
        driver = self.browser(width=360)
        driver.get(self.server.made_ticket(USER, "dev", "--page").strip())
        self.sees(driver, "Install Bank Approvals on your phone", "For iPhone, from apps.apple.com",
                  "For Android, from store.example.org", "Open Bank Approvals there")
        self.open_details(driver)
        self.seen(driver, "enroll-app-360")
        self.assertTrue(driver.execute_script("return document.querySelector('.icon').naturalWidth > 0"))
        self.enrolled_in_the_terminal(driver, "Bank Approvals on a phone")
        self.sees(driver, "Your phone was added")

    def test_the_code_of_the_page_can_be_typed_in_its_groups(self):
        ticket = self.ticket()
        driver = self.browser(width=360)
        driver.get(self.approver)
        self.sees(driver, "Do you have a link?")
        groups = " ".join(ticket[start:start + 4] for start in range(0, len(ticket), 4))
        driver.find_element(By.ID, "link").send_keys(groups, Keys.ENTER)
        self.tap(driver, "Add this phone")
        self.sees(driver, "Nothing waits for you")

    def test_without_an_account_a_link_can_be_pasted(self):
        driver = self.browser(width=360)
        driver.get(self.approver)
        self.sees(driver, "Do you have a link?")
        self.seen(driver, "approver-welcome-360")
        for text, problem in (
            ("no such link", "This is not an enrolment link or code"),
            ("https://elsewhere.example/approver#enroll=abcdefghijklmnopqrst", "This link belongs to elsewhere.example"),
        ):
            field = driver.find_element(By.ID, "link")
            field.clear()
            field.send_keys(text, Keys.ENTER)
            self.sees(driver, problem)
        field = driver.find_element(By.ID, "link")
        field.clear()
        field.send_keys(self.server.ticket(USER, "dev"), Keys.ENTER)
        self.sees(driver, EMAIL)
        self.tap(driver, "Add this phone")
        self.sees(driver, "Nothing waits for you")

    def test_a_login_enrols_this_device_and_goes_on_by_itself(self):
        self.change(lambda tenant: tenant["settings"].update(multi_factor="always"))
        driver = self.browser()
        driver.get(self.url(screen_hint="signup"))
        self.fill(driver, email="first@example.com", password="seven swans a swimming")
        self.press(driver, "Sign up")
        self.assertEqual(self.heading(driver), "Add your phone")
        self.seen(driver, "enroll-device-approver")
        waiting = driver.current_window_handle
        self.button(driver, "Use this device").click()
        WebDriverWait(driver).until(lambda driver: len(driver.window_handles) == 2)
        driver.switch_to.window(next(handle for handle in driver.window_handles if handle != waiting))
        self.tap(driver, "Add this phone")
        # The login's page goes on, and asks this phone.
        self.sees(driver, "asks for your approval")
        phone = driver.current_window_handle
        driver.switch_to.window(waiting)
        number = driver.find_element(By.CSS_SELECTOR, ".pick strong").text
        self.seen(driver, "login-number")
        driver.switch_to.window(phone)
        self.tap(driver, number)
        self.sees(driver, "Allowed")
        driver.switch_to.window(waiting)
        self.sees(driver, "Your phone may get lost")
        self.seen(driver, "login-offers-recovery-codes")
        self.press(driver, "Later")
        self.assertIn("code", self.came_back(driver))

    # Answers

    def test_a_card_shows_everything_and_allows(self):
        driver = self.phone()
        asked = self.ask(details=[PAYMENT], scope="openid read:profile")
        self.sees(
            driver, "Interoperability agent asks for your approval", "An application of Example Bank", "Order 4711",
            "money_transfer", "Hanna Herwitz", "2500", "USD", "Read your profile", "Know that it is you", "left")
        self.seen(driver, "approver-card-360")
        self.tap(driver, "Allow")
        self.sees(driver, "Allowed")
        self.seen(driver, "approver-allowed-360")
        tokens = self.outcome(asked)
        self.assertEqual(tokens["authorization_details"], [PAYMENT])
        self.tap(driver, "OK")
        self.sees(driver, "Nothing waits for you")

    def test_hostile_details_stay_text_and_hide_nothing(self):
        driver = self.phone(dark=True)
        detail = {
            "type": "anything", "markup": "<img src=x onerror=alert(1)>", "override": "\u202e1234\u202c a\u200bb",
            "hebrew": "שלום עולם", "long": "word" * 60, "2": "second", "1": "first", "exact": 12345678901234567890,
            "deep": {"a": {"b": {"c": "bottom"}}}, "none": [],
        }
        raw = json.dumps([detail], ensure_ascii=False).replace('"none": []', '"amount": 12.50')
        asked = self.ask(client="stranger", authorization_details=raw)
        self.sees(
            driver, "<img src=x onerror=alert(1)>", "‹U+202E›1234‹U+202C›", "a‹U+200B›b",
            "שלום עולם", "word" * 60, "12345678901234567890", "12.50", "bottom")
        text = self.text(driver)
        self.assertLess(text.index("second"), text.index("first"))
        self.assertEqual(driver.find_elements(By.CSS_SELECTOR, "main img"), [])
        self.seen(driver, "approver-hostile-360-dark")
        self.tap(driver, "Reject")
        self.sees(driver, "Rejected")
        self.assertEqual(self.outcome(asked, client="stranger")["error"], "access_denied")

    def test_reject_with_a_reason(self):
        driver = self.phone()
        asked = self.ask()
        self.sees(driver, "Order 4711")
        self.tap(driver, "Reject with a reason")
        driver.find_element(By.ID, "reason").send_keys("Too expensive")
        self.seen(driver, "approver-reason-360")
        driver.find_element(By.CSS_SELECTOR, "dialog button.danger").click()
        self.sees(driver, "Rejected")
        self.assertEqual(self.outcome(asked)["reason"], "Too expensive")

    def test_report_what_nobody_asked_for(self):
        driver = self.phone(user=BOB, account="bob@example.com")
        asked = self.ask(user=BOB)
        self.sees(driver, "Order 4711")
        self.tap(driver, "I did not ask for this")
        self.sees(driver, "tells the operator")
        self.seen(driver, "approver-report-360")
        self.tap(driver, "Cancel")
        self.tap(driver, "I did not ask for this")
        self.tap(driver, "Reject and report")
        self.sees(driver, "Rejected and reported")
        self.assertEqual(self.outcome(asked)["error"], "access_denied")

    def test_the_time_moves_and_ends(self):
        driver = self.phone()
        asked = self.ask(requested_expiry=6)
        self.sees(driver, "sec left")
        first = driver.find_element(By.CSS_SELECTOR, ".left").text
        eventually(lambda: driver.find_element(By.CSS_SELECTOR, ".left").text != first)
        self.sees(driver, "Expired", "Nothing was allowed")
        self.seen(driver, "approver-expired-360")
        self.assertEqual(self.outcome(asked)["error"], "expired_token")

    def test_another_phone_was_faster(self):
        driver = self.phone()
        other = self.server.phone(USER, "dev", "faster")
        asked = self.ask()
        self.sees(driver, "Order 4711")
        other.answer("allow")
        self.sees(driver, "No answer needed any more")
        self.assertIn("access_token", self.outcome(asked))

    def test_requests_of_one_client_come_as_one_card_and_are_decided_one_by_one_or_all(self):
        driver = self.phone()
        driver.get("about:blank")
        detail = {"type": "anything", "note": "Without an amount"}
        asked = [self.ask(message=f"Order {number}", details=[detail]) for number in range(3)]
        stranger = self.ask(message="Another client", client="stranger")
        driver.get(self.approver)
        self.sees(driver, "3 requests", "Order 0", "Order 1", "Order 2", "1 more waits", "Another client")
        self.seen(driver, "approver-group-360")
        first = driver.find_element(By.CSS_SELECTOR, ".items li")
        self.assertIn("Order 0", first.text)
        eventually(lambda: first.find_element(By.CSS_SELECTOR, "button.reject").is_enabled())
        first.find_element(By.CSS_SELECTOR, "button.reject").click()
        self.assertEqual(self.outcome(asked[0])["error"], "access_denied")
        self.tap(driver, "Allow all 2")
        self.sees(driver, "Allow 2 requests?")
        self.seen(driver, "approver-group-confirm-360")
        allow = driver.find_element(By.CSS_SELECTOR, "dialog button.allow")
        eventually(allow.is_enabled)
        allow.click()
        self.sees(driver, "All answered")
        self.seen(driver, "approver-group-answered-360")
        for each in asked[1:]:
            self.assertIn("access_token", self.outcome(each))
        self.tap(driver, "Next request")
        self.sees(driver, "Another client")
        self.tap(driver, "Reject")
        self.assertEqual(self.outcome(stranger, client="stranger")["error"], "access_denied")

    # Connections

    def test_offline_it_says_so_and_afterwards_it_goes_on(self):
        driver = self.phone()
        self.worker(driver)
        driver.refresh()
        self.sees(driver, "Nothing waits for you")
        self.offline(driver, True)
        self.sees(driver, "You are offline")
        # The kept shell opens without the server.
        driver.refresh()
        self.sees(driver, "You are offline")
        self.seen(driver, "approver-offline-360")
        asked = self.ask()
        self.offline(driver, False)
        self.sees(driver, "Order 4711")
        # An answer that cannot leave the phone is not sent twice: the server is asked first.
        self.offline(driver, True)
        self.tap(driver, "Allow")
        self.sees(driver, "Finding out if your answer arrived")
        # "Next part" is hidden.
        self.assertEqual([
            each.text for each in driver.find_elements(By.CSS_SELECTOR, ".answers button")
            if each.is_displayed() and each.is_enabled()], [])
        self.offline(driver, False)
        self.sees(driver, "Your answer did not arrive")
        self.seen(driver, "approver-lost-360")
        self.tap(driver, "Allow")
        self.sees(driver, "Allowed")
        self.assertIn("access_token", self.outcome(asked))

    def test_a_push_names_client_and_message_that_the_worker_fetched(self):
        driver = self.phone()
        self.worker(driver)
        device = self.device(driver)
        asked = self.ask(message="Order 4713")
        self.sees(driver, "Order 4713")
        request = driver.find_element(By.CSS_SELECTOR, "[data-request]").get_attribute("data-request")
        self.close_channel(driver)
        self.push(driver, kind="notification", dai=device, txlnkid=request)
        [notice] = eventually(lambda: self.notices(driver))
        self.assertEqual(notice, {
            "title": "Example Bank", "body": "Interoperability agent: Order 4713", "tag": request, "silent": False})
        self.push(driver, kind="withdrawal", dai=device, txlnkid=request)
        eventually(lambda: not self.notices(driver))
        self.push(driver, kind="notification", dai=device, txlnkid=request)
        eventually(lambda: self.notices(driver))
        # The address that a tap opens. Showing the card ends the notification's purpose.
        driver.get(f"{self.approver}#request={request}")
        self.tap(driver, "Allow")
        self.sees(driver, "Allowed")
        eventually(lambda: not self.notices(driver))
        self.assertIn("access_token", self.outcome(asked))
        # Answered already: a late push shows nothing.
        self.close_channel(driver)
        self.push(driver, kind="notification", dai=device, txlnkid=request)
        eventually(lambda: not self.notices(driver))

    def test_a_message_that_the_server_encrypted_wakes_the_closed_app_and_names_no_content(self):
        key, secret = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        driver = self.browser(width=360)
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
            "source": SUBSCRIBE.replace("SUBSCRIPTION", json.dumps(subscription(self.service, "approver", key, secret)))})
        self.phone(driver=driver)
        self.worker(driver)
        driver.get(f"{self.approver}#settings")
        self.tap(driver, "Turn on notifications")
        self.sees(driver, "Turn off")
        self.close_channel(driver)
        asked = self.ask(message="Order 4716")
        path, _, body = self.service.messages.get(timeout=DEADLINE)
        self.assertEqual(path, "/push/approver")
        text = http_ece.decrypt(body, private_key=key, auth_secret=secret, version="aes128gcm").decode()
        self.assertEqual(set(json.loads(text)), {"v", "kind", "dai", "txlnkid"})
        self.deliver(driver, text)
        [notice] = eventually(lambda: self.notices(driver))
        self.assertEqual(notice["body"], "Interoperability agent: Order 4716")
        driver.get(self.approver)
        self.tap(driver, "Allow")
        self.sees(driver, "Allowed")
        self.assertIn("access_token", self.outcome(asked))

    def test_quiet_hours_silence_what_is_not_urgent(self):
        driver = self.phone()
        self.worker(driver)
        device = self.device(driver)
        driver.get(f"{self.approver}#settings")
        self.sees(driver, "Quiet hours")
        driver.find_element(By.CSS_SELECTOR, "input[type=checkbox]").click()
        self.sees(driver, "Saved")
        for name, time in (("from", "0000AM"), ("to", "1159PM")):
            driver.execute_script(
                "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))",
                driver.find_element(By.CSS_SELECTOR, f"[id^={name}-]"), {"from": "00:00", "to": "23:59"}[name])
        self.seen(driver, "approver-settings-360")
        asked = self.ask(message="Order 4714")
        driver.get(self.approver)
        self.sees(driver, "Order 4714")
        request = driver.find_element(By.CSS_SELECTOR, "[data-request]").get_attribute("data-request")
        self.close_channel(driver)
        for urgent in (False, True):
            self.push(driver, kind="notification", dai=device, txlnkid=request, **({"urgent": True} if urgent else {}))
            eventually(lambda urgent=urgent: [each for each in self.notices(driver) if each["silent"] is not urgent])
        driver.get(self.approver)
        self.tap(driver, "Reject")
        self.outcome(asked)
        driver.get(f"{self.approver}#settings")
        self.sees(driver, "Quiet hours")
        driver.find_element(By.CSS_SELECTOR, "input[type=checkbox]").click()
        self.sees(driver, "Saved")

    # Accounts

    def test_two_accounts_share_a_phone_and_each_leaves_by_itself(self):
        driver = self.phone()
        self.phone(user=BOB, account="bob@example.com", driver=driver)
        asked = {user: self.ask(user=user, message=f"For {name}") for user, name in ((USER, "Hanna"), (BOB, "Bob"))}
        self.sees(driver, "1 more waits", EMAIL)
        self.seen(driver, "approver-two-accounts-360")
        self.tap(driver, "Allow")
        self.sees(driver, "Allowed")
        self.tap(driver, "Next request")
        self.sees(driver, "bob@example.com", "For Bob")
        self.tap(driver, "Reject")
        self.assertIn("access_token", self.outcome(asked[USER]))
        self.assertEqual(self.outcome(asked[BOB])["error"], "access_denied")
        self.tap(driver, "OK")
        self.tap(driver, "Settings")
        self.sees(driver, EMAIL, "bob@example.com")
        self.seen(driver, "approver-accounts-360")
        driver.find_element(By.CSS_SELECTOR, "[aria-label^=Rename]").click()
        field = driver.find_element(By.ID, "line")
        field.clear()
        field.send_keys("Hanna's tablet", Keys.ENTER)
        self.sees(driver, "Hanna's tablet")
        self.tap(driver, "Remove from this phone")
        self.sees(driver, "will no longer answer")
        self.tap(driver, "Remove")
        eventually(lambda: EMAIL not in self.text(driver))
        self.assertIn("bob@example.com", self.text(driver))
        # The operator removes the other. An open app would hear of it at once, and forget it at the next start.
        other = self.device(driver)
        self.close_channel(driver)
        run("countersign", "device", "remove", other, "--data", self.server.data, "--tenant", "dev")
        driver.get(self.approver)
        self.sees(driver, "This phone was removed from the account bob@example.com", "Do you have a link?")
        self.seen(driver, "approver-removed-360")

    def test_history_with_receipts(self):
        driver = self.phone()
        asked = self.ask(message="Order 4715", details=[PAYMENT])
        self.tap(driver, "Allow")
        self.sees(driver, "Allowed")
        self.outcome(asked)
        self.tap(driver, "History")
        self.sees(driver, "Order 4715", "Allowed")
        self.seen(driver, "approver-history-360")
        driver.find_element(By.CSS_SELECTOR, ".decisions summary").click()
        self.sees(driver, "Hanna Herwitz")
        self.tap(driver, "Show receipt")
        self.tap(driver, "For experts")
        receipt = driver.find_element(By.CSS_SELECTOR, ".receipt textarea").get_attribute("value")
        self.assertEqual(receipt.count("."), 2)
        self.seen(driver, "approver-receipt-360")

    # Declarations of types, and demands of clients

    def test_the_registered_type_names_orders_and_formats_its_members(self):
        self.change(lambda tenant: tenant["apis"][0].update(authorization_details=[{
            "type": "money_transfer", "schema": {
                "type": "object", "title": "Money transfer", "x-translations": {"de": {"title": "Überweisung"}},
                "properties": {
                    "instructedAmount": {"title": "Amount", "format": "money", "x-order": 1},
                    "destinationAccount": {"title": "To account", "format": "account", "x-order": 2},
                }}}]))
        driver = self.phone(language="de", add="Dieses Telefon hinzufügen", idle="Keine offenen Anfragen")
        payment = {**PAYMENT, "destinationAccount": "CH9300762011623852957"}

        asked = self.ask(details=[payment])
        self.sees(driver, "bittet um Ihre Zustimmung", "Überweisung")
        text = self.text(driver)
        self.tap(driver, "Ablehnen")
        self.outcome(asked)
        self.assertIn("2.500 US$", text.replace("\u00a0", " "))
        self.assertIn("CH93 0076 2011 6238 5295 7", text)
        self.assertLess(text.index("Amount"), text.index("To account"))

    def test_the_number_on_the_other_screen_is_picked(self):
        self.change(lambda tenant: next(
            client for client in tenant["clients"] if client["client_id"] == self.client_id).update(matching="choose"))
        driver = self.phone()
        asked = self.ask()
        self.sees(driver, "Which number does the other screen show?")
        self.seen(driver, "approver-numbers-360")
        self.tap(driver, asked["matching_code"])
        self.sees(driver, "Allowed")
        self.assertIn("access_token", self.outcome(asked))
        self.tap(driver, "OK")
        asked = self.ask()
        self.sees(driver, "Which number")
        wrong = next(
            each.text for each in driver.find_elements(By.CSS_SELECTOR, "button.number")
            if each.text != asked["matching_code"])
        self.tap(driver, wrong)
        self.sees(driver, "another number was shown")
        self.seen(driver, "approver-wrong-number-360")
        self.assertEqual(self.outcome(asked)["error"], "access_denied")

    def test_a_passkey_confirms_what_demands_one(self):
        driver = self.browser(width=360)
        driver.add_virtual_authenticator(VirtualAuthenticatorOptions(
            protocol="ctap2", transport="internal", has_resident_key=True, has_user_verification=True,
            is_user_verified=True))
        self.phone(driver=driver)
        # The demand reaches a person without one, and the same request is allowed.
        self.change(lambda tenant: tenant["apis"][0].update(evidence="passkey"))
        asked = self.ask(details=[PAYMENT])
        self.tap(driver, "Allow")
        self.sees(driver, "This needs a passkey")
        self.seen(driver, "approver-passkey-needed-360")
        self.tap(driver, "Make one now")
        self.sees(driver, "Allowed")
        self.assertIn("access_token", self.outcome(asked))
        self.tap(driver, "OK")
        # From now on the phone asks for it without more words.
        asked = self.ask(details=[PAYMENT])
        self.tap(driver, "Allow")
        self.sees(driver, "Allowed")
        self.assertIn("access_token", self.outcome(asked))

    # Faults

    def blocked(self, driver, *patterns):
        driver.execute_cdp_cmd("Network.enable", {})
        driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": list(patterns)})

    def before(self, driver, script):
        """Runs a script in each page that comes, before the page's own."""
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})

    def test_a_wrong_clock_neither_disconnects_nor_ends_requests(self):
        driver = self.phone()
        self.before(driver, """
            const {now} = Date
            window.ahead = 300000
            Date.now = () => now() + ahead""")
        asked = self.ask()
        driver.get("about:blank")
        driver.get(self.approver)
        self.sees(driver, "Order 4711")
        # A jump of the clock alone ends nothing.
        driver.execute_script("ahead += 86400000")
        self.tap(driver, "Allow")
        self.sees(driver, "Allowed")
        self.assertIn("access_token", self.outcome(asked))

    def test_a_request_that_cannot_be_fetched_is_not_forgotten(self):
        driver = self.phone()
        self.before(driver, """
            const fetched = window.fetch
            let refused = 0
            window.fetch = (url, ...more) => String(url).includes('/rich-consents/') && refused++ < 1
                ? Promise.resolve(new Response('{"errorCode": "too_many_requests"}', {status: 429}))
                : fetched(url, ...more)""")
        driver.get("about:blank")
        driver.get(self.approver)
        self.sees(driver, "Nothing waits for you")
        asked = self.ask()
        self.sees(driver, "A request could not be loaded")
        self.seen(driver, "approver-not-loaded-360")
        self.tap(driver, "Reject")
        self.sees(driver, "Rejected")
        self.tap(driver, "OK")
        # A link to what is over says so.
        driver.get(f"{self.approver}#request=cns_unknown")
        self.sees(driver, "No answer needed any more")
        self.tap(driver, "OK")
        self.sees(driver, "Nothing waits for you")
        self.assertEqual(self.outcome(asked)["error"], "access_denied")

    def test_a_network_that_wants_a_login_is_asked_ever_more_seldom(self):
        driver = self.phone()
        self.before(driver, """
            const fetched = window.fetch
            window.asked = 0
            window.portal = true
            window.fetch = (url, ...more) => String(url).includes('/api/notifications?') && ++asked && portal
                ? Promise.resolve(new Response('<p>Log in', {headers: {'Content-Type': 'text/html'}}))
                : fetched(url, ...more)""")
        driver.get("about:blank")
        driver.get(self.approver)
        driver.set_script_timeout(DEADLINE)
        asked = driver.execute_async_script("const [done] = arguments; setTimeout(() => done(asked), 2400)")
        self.assertIn(asked, (2, 3, 4))
        self.assertNotIn("Nothing waits", self.text(driver))
        driver.execute_script("portal = false")
        self.sees(driver, "Nothing waits for you")

    def test_a_subscription_that_the_server_lost_is_told_again_and_turned_off_at_the_server(self):
        driver = self.phone(user=BOB)
        self.worker(driver)
        self.before(driver, """
            const bytes = (text) => Uint8Array.from(atob(text), (each) => each.charCodeAt(0))
            const text = (data) => btoa(String.fromCharCode(...new Uint8Array(data)))
                .replace(/[+]/g, '-').replace(/[/]/g, '_').replace(/=/g, '')
            const made = (async () => {
                const answer = await (await fetch('/approver/settings.json')).json()
                const curve = {name: 'ECDH', namedCurve: 'P-256'}
                const {publicKey} = await crypto.subtle.generateKey(curve, true, ['deriveBits'])
                const p256dh = text(await crypto.subtle.exportKey('raw', publicKey))
                return {
                    endpoint: 'https://push.example.com/one', unsubscribe: async () => { localStorage.isOff = 'yes' },
                    options: {applicationServerKey:
                        bytes(answer.web_push_key.replace(/-/g, '+').replace(/_/g, '/')).buffer},
                    toJSON() {
                        return {endpoint: this.endpoint, keys: {p256dh, auth: text(new Uint8Array(16))}}
                    },
                }
            })()
            PushManager.prototype.getSubscription = async () => localStorage.isOff ? null : made""")
        # Another part of the app's files speaks for the server that forgets.
        lose = modules() + """
            const [done] = arguments;
            (async () => {
                const {base} = await (await fetch('/approver/settings.json')).json()
                const [account] = await approver.accounts()
                const device = new approver.Device(base, account)
                const service = async () => (await device.phones()).devices.find(({current}) => current).push
                // The app notes the subscription after the server did.
                const noted = async () => (await approver.accounts())[0].pushEndpoint
                for (let tries = 0; tries < 50 && !(await service() && await noted()); tries += 1) {
                    await new Promise((wait) => setTimeout(wait, 100))
                }
                const told = await service()
                await device.update({push_credentials: null})
                return [told, await service(), await noted()]
            })().then(done, (error) => done([String(error)]))"""
        for _ in range(2):
            driver.get("about:blank")
            driver.get(f"{self.approver}#settings")
            self.sees(driver, "Turn off")
            self.assertEqual(driver.execute_async_script(lose), ["WEBPUSH", None, "https://push.example.com/one"])
        driver.get("about:blank")
        driver.get(f"{self.approver}#settings")
        self.sees(driver, "Your phones", "· Notifications")
        self.tap(driver, "Turn off")
        self.sees(driver, "Turn on notifications")
        driver.get("about:blank")
        driver.get(f"{self.approver}#settings")
        self.sees(driver, "Your phones")
        self.assertNotIn("· Notifications", self.text(driver))

    def test_eight_windows_leave_connections_for_all(self):
        driver = self.phone()
        for _ in range(7):
            driver.switch_to.new_window("tab")
            driver.get(self.approver)
            self.sees(driver, "Nothing waits for you")
        asked = self.ask()
        for window in driver.window_handles:
            driver.switch_to.window(window)
            self.sees(driver, "Order 4711")
        self.tap(driver, "Allow")
        self.sees(driver, "Allowed")
        self.assertIn("access_token", self.outcome(asked))
        # Another tab learns of an account that this one removes.
        driver.get(f"{self.approver}#settings")
        self.tap(driver, "Remove from this phone")
        self.tap(driver, "Remove")
        self.sees(driver, "Do you have a link?")
        for window in driver.window_handles:
            driver.switch_to.window(window)
            self.sees(driver, "Do you have a link?")

    def test_nothing_is_allowed_before_each_part_was_seen_and_nothing_pushes_one_out_of_sight(self):
        driver = self.phone()
        detail = {"type": "anything", "note": "a\n\n\nb \u2800 c\u200dd", "list": [f"line {n}" for n in range(99)]}
        asked = self.ask(details=[detail])
        self.sees(driver, "Order 4711", "parts left to read", "‹U+000A›‹U+000A›b ‹U+2800› c‹U+200D›d")
        self.seen(driver, "approver-read-on-360")
        reject, allow = (driver.find_element(By.CSS_SELECTOR, f".answers .{name}") for name in ("reject", "allow"))
        eventually(reject.is_enabled)
        self.assertFalse(allow.is_enabled())
        # By the keyboard, from part to part.
        leads = driver.find_element(By.CSS_SELECTOR, ".read-on button")
        while not allow.is_enabled():
            leads.send_keys(Keys.ENTER)
            part = driver.switch_to.active_element
            self.assertIsNotNone(part.get_attribute("data-part"))
            eventually(lambda: driver.execute_script(
                "return document.querySelector('.read-on').hidden || arguments[0] !== document.querySelector('.read-on')"
                ".unread[0].element", part))
        summary = driver.find_element(By.CSS_SELECTOR, ".origin-facts summary")
        summary.send_keys(Keys.ENTER)
        # The card stays as it is when another request comes, and a screen reader hears of it.
        other = self.ask(message="Another client", client="stranger")
        self.sees(driver, "1 more waits")
        self.assertEqual(driver.switch_to.active_element, summary)
        self.assertTrue(driver.find_element(By.CSS_SELECTOR, ".origin-facts").get_attribute("open"))
        self.assertEqual(
            driver.find_element(By.CSS_SELECTOR, "main > .unseen").get_attribute("textContent"), "1 more waits")
        allow.click()
        self.sees(driver, "Allowed")
        self.assertIn("access_token", self.outcome(asked))
        self.tap(driver, "Next request")
        self.tap(driver, "Reject")
        self.assertEqual(self.outcome(other, client="stranger")["error"], "access_denied")

    def test_an_enrolment_that_cannot_be_kept_leaves_no_phone_and_a_link_names_no_account(self):
        driver = self.browser(width=360)
        devices = lambda: run(
            "countersign", "device", "list", "--data", self.server.data, "--tenant", "dev", "--user", BOB, "--json")
        before = devices()
        driver.get(f"{self.approver}#enroll={self.ticket(BOB)}&account=somebody")
        driver.execute_script("""
            window.put = IDBObjectStore.prototype.put
            IDBObjectStore.prototype.put = function (...content) {
                if (this.name === 'accounts') throw new Error('full')
                return put.apply(this, content)
            }""")
        self.tap(driver, "Add this phone")
        self.sees(driver, "The phone could not be added")
        self.assertEqual(devices(), before)
        self.tap(driver, "Cancel")
        self.sees(driver, "Do you have a link?")
        field = driver.find_element(By.ID, "link")
        field.send_keys("otpauth://totp/a?base_url=nonsense&enrollment_tx_id=%", Keys.ENTER)
        self.sees(driver, "This is not an enrolment link or code")
        driver.execute_script("IDBObjectStore.prototype.put = put")
        self.phone(user=BOB, account="somebody", driver=driver)
        driver.get(f"{self.approver}#settings")
        self.sees(driver, "bob@example.com")
        self.assertNotIn("somebody", self.text(driver))

    def test_a_missing_module_leaves_no_blank_page(self):
        driver = self.browser(width=360)
        self.blocked(driver, "*/approver.js")
        driver.get(self.approver)
        self.assertNotIn("needs JavaScript", self.text(driver))
        self.sees(driver, "This page needs JavaScript and a connection")

    # People

    def test_in_german_and_in_french(self):
        for language, add, idle, title, no, rejected in (
            ("de-CH,de", "Dieses Telefon hinzufügen", "Keine offenen Anfragen", "bittet um Ihre Zustimmung", "Ablehnen",
             "Abgelehnt"),
            ("fr-CA,fr", "Ajouter ce téléphone", "Aucune demande en attente", "demande votre accord", "Refuser", "Refusée"),
        ):
            driver = self.phone(language=language, add=add, idle=idle, dark=True)
            self.assertEqual(driver.find_element(By.TAG_NAME, "html").get_attribute("lang"), language[:2])
            asked = self.ask(details=[PAYMENT])
            self.sees(driver, title)
            self.seen(driver, f"approver-card-{language[:2]}-360-dark")
            self.tap(driver, no)
            self.sees(driver, rejected)
            self.outcome(asked)
            driver.get(f"{self.approver}#settings")
            self.sees(driver, EMAIL)
            self.seen(driver, f"approver-settings-{language[:2]}-360-dark")
            driver.quit()

    def test_by_keyboard_alone(self):
        driver = self.phone(width=1024)
        asked = self.ask(details=[PAYMENT])
        self.sees(driver, "Order 4711")

        def focused():
            return driver.switch_to.active_element.text.strip()

        def go_to(text):
            for _ in range(20):
                webdriver.ActionChains(driver).send_keys(Keys.TAB).perform()
                if focused() == text:
                    return
            self.fail(f"the Tab key does not reach {text}")

        eventually(lambda: driver.find_element(By.CSS_SELECTOR, "button.reject").is_enabled())
        go_to("Reject with a reason")
        webdriver.ActionChains(driver).send_keys(Keys.ENTER).perform()
        eventually(lambda: focused() == "Reject with a reason")
        self.assertEqual(driver.switch_to.active_element.tag_name, "h2")
        webdriver.ActionChains(driver).send_keys(Keys.TAB, "No", Keys.TAB, Keys.SPACE).perform()
        self.sees(driver, "Rejected")
        self.assertTrue(focused().startswith("Rejected: "), focused())
        self.assertEqual(self.outcome(asked)["reason"], "No")
        self.seen(driver, "approver-rejected-1024")

    def test_at_twice_the_size_nothing_is_cut_off(self):
        driver = self.phone(width=360)
        asked = self.ask(details=[PAYMENT])
        self.sees(driver, "Order 4711")
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": 320, "height": 450, "deviceScaleFactor": 2, "mobile": True})
        self.seen(driver, "approver-card-200-percent")
        self.tap(driver, "Allow")
        self.assertIn("access_token", self.outcome(asked))

    def test_the_policy_was_never_violated(self):
        driver = self.browser()
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
            window.violations = []
            document.addEventListener('securitypolicyviolation', ({violatedDirective, blockedURI}) =>
                violations.push([violatedDirective, blockedURI]))"""})
        self.phone(driver=driver)
        for part in ("history", "settings", "requests"):
            driver.get(f"{self.approver}#{part}")
        self.ask(message="The last")
        self.tap(driver, "Reject")
        self.assertEqual(driver.execute_script("return violations"), [])
