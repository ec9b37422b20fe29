"""Chromium on the page to decide a request on: at a phone's width, by keyboard, in German, in the dark, and with every
way in which the page can lose its request.

axe judges each page on its way, and a picture of it is kept in .build/screenshots.
"""

import http.server
import threading
import urllib.parse

import requests
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import test_browser
from login import EMAIL, PASSWORD
from programs import AUDIENCE, DEADLINE
from test_browser import WebDriverWait

AGENT_SECRET = "an-agents-secret-of-forty-eight-characters-or-so"
OTHER = "bob@example.com"
PAYMENT = (
    '[{"type":"money_transfer","instructedAmount":{"amount":"2500.00","currency":"USD"},"creditorName":"Hanna Herwitz",'
    '"creditorAccount":"DE89370400440532013000","purpose":"' + "A long purpose without an end. " * 7 + '"}]')


class Frame(http.server.BaseHTTPRequestHandler):
    """A page of another site that frames what its query names."""

    def do_GET(self):
        target = urllib.parse.unquote(urllib.parse.urlsplit(self.path).query)
        body = f"<!doctype html><html lang=en><title>Frame</title><iframe src='{target}'></iframe>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class ApprovalPageSteps:
    """Clients that lead people to the page, and what people do there. For a `BrowserTest`."""

    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        tenant = configuration["tenants"][0]
        tenant["users"].append({
            "user_id": "auth0|bob", "name": "Bob", "email": OTHER, "email_verified": True, "password": PASSWORD})
        for client_id, channels in (
                ("page-agent", ["page"]), ("reported-agent", ["page"]), ("phone-agent", ["guardian-push"])):
            tenant["clients"].append({
                "client_id": client_id, "name": "Shopping agent", "client_secret": AGENT_SECRET,
                "grant_types": ["urn:openid:params:grant-type:ciba"],
                "async_approval_notification_channels": channels})
        return configuration

    def post(self, path, client="page-agent", **form):
        return requests.post(f"{self.issuer}{path}", data=form, auth=(client, AGENT_SECRET), timeout=DEADLINE)

    def asked(self, client="page-agent", **more):
        """A request for Hanna, with `auth_req_id` and `approval_uri`."""
        answer = self.post("bc-authorize", client, **{
            "login_hint": EMAIL, "binding_message": "Order 4711", "scope": "openid", **more})
        self.assertEqual(answer.status_code, 200, answer.text)
        return answer.json()

    def polled(self, started, client="page-agent"):
        answer = self.post(
            "oauth/token", client, grant_type="urn:openid:params:grant-type:ciba", auth_req_id=started["auth_req_id"])
        return "tokens" if answer.status_code == 200 else answer.json()["error"]

    def opened(self, driver, started, email=EMAIL):
        driver.get(started["approval_uri"])
        if driver.find_elements(By.NAME, "password"):
            self.log_in(driver, email=email)

    def becomes(self, driver, heading):
        """Waits for the page to change by itself."""
        WebDriverWait(driver, ignored_exceptions=[StaleElementReferenceException]).until(
            lambda driver: driver.find_element(By.TAG_NAME, "h1").text == heading)


class ApprovalPageTest(ApprovalPageSteps, test_browser.BrowserTest):
    def test_allow_on_a_phone_and_click_again(self):
        started = self.asked(
            audience=AUDIENCE, authorization_details=PAYMENT, approval_receipt="true")
        driver = self.browser(width=360)
        driver.get(started["approval_uri"])
        self.seen(driver, "approval-login-360")
        self.log_in(driver)
        self.assertEqual(self.heading(driver), "US$2,500.00 to Hanna Herwitz")
        self.read(driver)
        self.seen(driver, "approval-360")
        self.assertIn("2500.00", driver.find_element(By.TAG_NAME, "main").text)
        self.assertEqual(self.polled(started), "authorization_pending")
        page = driver.current_url
        driver.execute_script(
            "const form = document.querySelector('form').cloneNode(true); form.id = 'copy'; document.body.append(form)")
        again = driver.execute_script("return new URLSearchParams(new FormData(document.querySelector('#copy'))).toString()")
        cookies = {cookie["name"]: cookie["value"] for cookie in driver.get_cookies()}
        self.press(driver, "Allow US$2,500.00")
        self.assertEqual(self.heading(driver), "This request was allowed")
        self.assertIn("US$2,500.00 to Hanna Herwitz", driver.find_element(By.TAG_NAME, "main").text)
        self.seen(driver, "approval-allowed-360")
        # The second click, and the other button of the page that was left open.
        for decision in ("allow", "deny"):
            answer = requests.post(
                page.split("?")[0], data=f"{again}&decision={decision}", cookies=cookies, timeout=DEADLINE,
                headers={"Content-Type": "application/x-www-form-urlencoded", "Origin": self.issuer.rstrip("/")})
            self.assertIn("This request was allowed", answer.text)
        answer = self.post(
            "oauth/token", grant_type="urn:openid:params:grant-type:ciba", auth_req_id=started["auth_req_id"])
        self.assertEqual(answer.status_code, 200, answer.text)
        self.assertIn("approval_receipt", answer.json())

    def test_reject_with_a_reason_by_keyboard_without_javascript_in_the_dark(self):
        started = self.asked()
        driver = self.browser(scripts=False, dark=True)
        self.opened(driver, started)
        self.seen(driver, "approval-dark")
        driver.find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)
        here = driver.find_element(By.TAG_NAME, "html")
        driver.find_element(By.NAME, "reason").send_keys("I did not ask for this", Keys.ENTER)
        WebDriverWait(driver).until(lambda driver: driver.find_element(By.TAG_NAME, "html") != here)
        self.assertEqual(self.heading(driver), "This request was rejected")
        answer = self.post(
            "oauth/token", grant_type="urn:openid:params:grant-type:ciba", auth_req_id=started["auth_req_id"]).json()
        self.assertEqual((answer["error"], answer["reason"]), ("access_denied", "I did not ask for this"))

    def test_the_page_waits_in_the_background_and_keeps_what_is_typed(self):
        started = self.asked()
        driver = self.browser()
        self.opened(driver, started)
        driver.find_element(By.TAG_NAME, "summary").click()
        driver.find_element(By.NAME, "reason").send_keys("Not my order")
        self.asked_for(driver, "wait=polled")
        # The tab has loaded, and the person's words and place stay.
        state = driver.execute_script(
            "return [document.readyState, performance.getEntriesByType('navigation')[0].loadEventEnd > 0,"
            " document.activeElement.value]")
        self.assertEqual(state, ["complete", True, "Not my order"])
        self.seen(driver, "approval-reason")
        self.withdraw(started)
        self.becomes(driver, "This request was withdrawn")

    def test_the_page_goes_on_by_itself_without_scripts(self):
        started = self.asked()
        driver = self.browser(scripts=False)
        self.opened(driver, started)
        self.withdraw(started)
        self.becomes(driver, "This request was withdrawn")

    def withdraw(self, started):
        answer = self.post("oauth/revoke", token=started["auth_req_id"])
        self.assertEqual(answer.status_code, 200, answer.text)

    def test_another_account_switches(self):
        started = self.asked()
        driver = self.browser(language="de")
        driver.get(started["approval_uri"])
        self.log_in(driver, email=OTHER, button="Anmelden")
        self.assertEqual(self.heading(driver), "Ist das das richtige Konto?")
        self.assertNotIn("Shopping", driver.page_source)
        self.assertNotIn("4711", driver.page_source)
        self.seen(driver, "approval-other-account-de")
        self.press(driver, "Anderes Konto verwenden")
        self.log_in(driver, button="Anmelden")
        self.assertEqual(self.heading(driver), "Shopping agent bittet um Ihre Zustimmung")
        self.read(driver)
        self.seen(driver, "approval-de")
        self.allow(driver, "Erlauben")
        self.assertEqual(self.polled(started), "tokens")

    def test_scanners_and_prefetching_decide_nothing_and_learn_nothing(self):
        started = self.asked()
        unknown = started["approval_uri"].split("=")[0] + "=cns_AAAAAAAAAAAAAAAAAAAAAA"
        for headers in ({}, {"Sec-Purpose": "prefetch"}):
            answers = [
                requests.get(uri, headers=headers, allow_redirects=False, timeout=DEADLINE)
                for uri in (started["approval_uri"], unknown)]
            self.assertEqual([answer.status_code for answer in answers], [302, 302])
            for answer in answers:
                self.assertTrue(answer.headers["Location"].startswith("/u/login?state="))
                self.assertEqual(answer.content, b"")
        for uri in (started["approval_uri"], unknown):
            self.assertEqual(requests.head(uri, timeout=DEADLINE).status_code, 405)
            self.assertNotIn("Shopping", requests.get(uri, timeout=DEADLINE).text)
        driver = self.browser()
        self.opened(driver, started)
        cookies = {cookie["name"]: cookie["value"] for cookie in driver.get_cookies()}
        for more in ("", "&decision=allow", "&pick=42"):
            answer = requests.get(started["approval_uri"] + more, cookies=cookies, timeout=DEADLINE)
            self.assertIn("Order 4711", answer.text)
        self.assertEqual(requests.head(started["approval_uri"], cookies=cookies, timeout=DEADLINE).status_code, 405)
        self.assertEqual(self.polled(started), "authorization_pending")

    def test_nobody_frames_the_page(self):
        started = self.asked()
        driver = self.browser()
        self.opened(driver, started)
        site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Frame)
        threading.Thread(target=site.serve_forever, daemon=True).start()
        self.addCleanup(site.server_close)
        self.addCleanup(site.shutdown)
        driver.get(f"http://127.0.0.1:{site.server_port}/?{urllib.parse.quote(started['approval_uri'])}")
        driver.switch_to.frame(driver.find_element(By.TAG_NAME, "iframe"))
        self.assertNotIn("Shopping", driver.page_source)
        self.assertFalse(driver.find_elements(By.TAG_NAME, "form"))

    def test_the_open_page_learns_that_the_request_ended(self):
        driver = self.browser()
        self.opened(driver, self.asked())
        # Withdrawn by the client.
        started = self.asked()
        self.opened(driver, started)
        self.post("oauth/revoke", token=started["auth_req_id"], token_type_hint="auth_req_id")
        self.becomes(driver, "This request was withdrawn")
        self.seen(driver, "approval-withdrawn")
        # Expired.
        started = self.asked(requested_expiry="4")
        self.opened(driver, started)
        self.becomes(driver, "This request has expired")
        self.seen(driver, "approval-expired")
        # Decided elsewhere.
        started = self.asked()
        self.opened(driver, started)
        other = self.browser(width=360)
        self.opened(other, started)
        self.press(other, "Reject")
        self.becomes(driver, "This request was rejected")
        self.seen(driver, "approval-rejected")
        self.assertEqual(self.polled(started), "access_denied")

    def test_a_request_for_a_phone_is_shown_without_buttons(self):
        self.server.phone("auth0|hanna", name="approval-page-phone", tenant="interop")
        started = self.asked("phone-agent")
        driver = self.browser(width=360)
        self.opened(driver, started)
        self.assertEqual(self.heading(driver), "Shopping agent asks for your approval")
        self.assertFalse(driver.find_elements(By.TAG_NAME, "form"))
        link = self.button(driver, "Answer with its key").get_attribute("href")
        self.assertIn("/approver#request=cns_", link)
        self.seen(driver, "approval-on-phone-360")
