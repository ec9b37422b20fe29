"""Approval by e-mail, end to end: auth0-python asks, aiosmtpd takes the mail, link scanners follow its link, and the
person decides in Chromium. Each test has a person of its own.
"""

import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request

from auth0.authentication.back_channel_login import BackChannelLogin
from auth0.authentication.exceptions import Auth0Error
from auth0.authentication.get_token import GetToken
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By

import test_browser
from documents import Shell, document, environment
from login import PASSWORD
from mail_server import MailedServer
from programs import CIBA, DEADLINE, PROGRAMS, eventually, run
from test_browser import WebDriverWait

AGENT_SECRET = "a-mailing-agents-secret-of-forty-eight-characters"
HOUR = 3600
# The persons, with the languages of those who do not read English.
PERSONS = {
    "allows": None, "rejects": None, "scanned": None, "asked": None, "stranger": None, "late": None, "twice": None,
    "phoneless": None, "patient": None, "gone": None, "guided": None, "french": "fr", "german": "de"}


class StrictRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects with the method of the request, as some scanners do."""

    def redirect_request(self, request, *arguments):
        new = super().redirect_request(request, *arguments)
        if new is not None and request.method == "HEAD":
            new.method = "HEAD"
        return new


class EmailChannelTest(MailedServer, test_browser.BrowserTest):
    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        tenant = configuration["tenants"][0]
        for name, language in PERSONS.items():
            person = {
                "user_id": f"auth0|{name}", "name": name.title(), "email": cls.address(name), "email_verified": True,
                "password": PASSWORD}
            tenant["users"].append({**person, "locale": language} if language else person)
        for client_id, channels in (
                ("mail-agent", ["email"]), ("both-agent", ["guardian-push", "email"]), ("guided-agent", ["guardian-push"])):
            tenant["clients"].append({
                "client_id": client_id, "name": "Shopping agent", "client_secret": AGENT_SECRET, "grant_types": [CIBA],
                "async_approval_notification_channels": channels})
        return configuration

    @classmethod
    def options(cls, folder):
        cls.settings = super().options(folder)
        return cls.settings

    # The client

    @staticmethod
    def address(name):
        return f"{name}@example.com"

    def start(self, name, client="mail-agent", expiry=HOUR):
        started = BackChannelLogin(self.domain, client, client_secret=AGENT_SECRET).back_channel_login(
            binding_message="Order 4711", login_hint=self.hint(f"auth0|{name}"), scope="openid",
            **({"requested_expiry": expiry} if expiry else {}))
        self.assertEqual(started["expires_in"], expiry or 300)
        return started

    def poll(self, started, client="mail-agent"):
        """`tokens`, or the error."""
        try:
            answer = GetToken(self.domain, client, client_secret=AGENT_SECRET).backchannel_login(
                auth_req_id=started["auth_req_id"], grant_type=CIBA)
        except Auth0Error as error:
            return error.error_code
        self.assertIn("access_token", answer)
        return "tokens"

    # The mail

    def mailed(self, name):
        sender, mail = self.sink.next_to(self.address(name))
        self.assertEqual(sender, "no-reply@example.com")
        return mail

    def link(self, mail):
        """The one link of the mail, which its two parts have."""
        plain = mail.get_body(("plain",)).get_content()
        links = re.findall(r"https://\S+", plain)
        self.assertEqual(len(links), 1, plain)
        self.assertTrue(links[0].startswith(f"{self.issuer}u/approve?"), links)
        self.assertIn(links[0].replace("&", "&amp;"), mail.get_body(("html",)).get_content())
        return links[0]

    def asked(self, name, **more):
        started = self.start(name, **more)
        mail = self.mailed(name)
        self.assertIn("Shopping agent", mail["Subject"])
        self.assertIn("Order 4711", mail.get_body(("plain",)).get_content())
        return started, self.link(mail)

    # The page

    def opened(self, driver, link, name, button="Log in"):
        driver.get(link)
        self.assertNotIn("4711", driver.page_source)
        self.log_in(driver, email=self.address(name), button=button)

    def test_the_person_allows_and_the_client_gets_tokens(self):
        started, link = self.asked("allows")
        self.assertEqual(self.poll(started), "authorization_pending")
        driver = self.browser(width=360)
        self.opened(driver, link, "allows")
        self.assertEqual(self.heading(driver), "Shopping agent asks for your approval")
        self.assertIn("Order 4711", driver.find_element(By.TAG_NAME, "main").text)
        self.seen(driver, "approval-by-mail-360")
        self.allow(driver)
        self.assertEqual(self.heading(driver), "This request was allowed")
        self.assertEqual(self.poll(started), "tokens")

    def test_the_person_rejects_and_the_client_is_told(self):
        started, link = self.asked("rejects")
        driver = self.browser()
        self.opened(driver, link, "rejects")
        self.press(driver, "Reject")
        self.assertEqual(self.heading(driver), "This request was rejected")
        self.assertEqual(self.poll(started), "access_denied")

    def test_scanners_of_links_decide_nothing(self):
        started, link = self.asked("scanned")
        scanner = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(), StrictRedirects())
        for _ in range(10):
            # Browsers of scanners send a form that they find, too.
            for method, body in (
                    ("GET", None), ("HEAD", None), ("POST", b""),
                    ("POST", urllib.parse.urlsplit(link).query.encode() + b"&decision=allow")):
                request = urllib.request.Request(link, data=body, method=method)
                try:
                    with scanner.open(request, timeout=DEADLINE) as answer:
                        shown = answer.read().decode()
                except urllib.error.HTTPError as refused:
                    with refused:
                        shown = refused.read().decode()
                for secret in ("4711", "Shopping agent"):
                    self.assertNotIn(secret, shown, method)
        self.assertEqual(self.poll(started), "authorization_pending")
        driver = self.browser()
        self.opened(driver, link, "scanned")
        self.allow(driver)
        self.assertEqual(self.poll(started), "tokens")

    def test_another_person_is_told_to_switch_and_learns_nothing(self):
        started, link = self.asked("asked")
        driver = self.browser()
        self.opened(driver, link, "stranger")
        self.assertEqual(self.heading(driver), "Is this the right account?")
        for secret in ("4711", "Shopping agent", self.address("asked"), "Asked"):
            self.assertNotIn(secret, driver.page_source)
        self.assertEqual(self.poll(started), "authorization_pending")
        self.press(driver, "Use another account")
        self.log_in(driver, email=self.address("asked"))
        self.allow(driver)
        self.assertEqual(self.poll(started), "tokens")

    def test_an_expired_request_says_so(self):
        # The mail needs some of the time, and the page waits for the rest.
        started, link = self.asked("late", expiry=8)
        driver = self.browser()
        self.opened(driver, link, "late")
        WebDriverWait(driver, ignored_exceptions=[StaleElementReferenceException]).until(
            lambda _: self.heading(driver) == "This request has expired")
        self.assertFalse(driver.find_elements(By.CSS_SELECTOR, "button[name=decision]"))
        driver.get(link)
        self.assertEqual(self.heading(driver), "This request has expired")
        self.assertEqual(self.poll(started), "expired_token")

    def test_a_second_click_and_a_second_tab_show_the_outcome(self):
        started, link = self.asked("twice")
        driver = self.browser()
        self.opened(driver, link, "twice")
        first = driver.current_window_handle
        driver.switch_to.new_window("tab")
        driver.get(link)
        self.assertEqual(self.heading(driver), "Shopping agent asks for your approval")
        second = driver.current_window_handle
        driver.switch_to.window(first)
        self.press(driver, "Reject")
        self.assertEqual(self.heading(driver), "This request was rejected")
        # The link in the mail again, and the tab that was left open.
        driver.get(link)
        self.assertEqual(self.heading(driver), "This request was rejected")
        driver.switch_to.window(second)
        WebDriverWait(driver, ignored_exceptions=[StaleElementReferenceException]).until(
            lambda _: self.heading(driver) == "This request was rejected")
        self.assertEqual(self.poll(started), "access_denied")

    def test_a_person_without_a_phone_is_asked_by_mail_instead(self):
        started, link = self.asked("phoneless", client="both-agent", expiry=None)
        driver = self.browser()
        self.opened(driver, link, "phoneless")
        self.allow(driver)
        self.assertEqual(self.poll(started, "both-agent"), "tokens")

    def test_a_long_request_goes_by_mail_and_a_short_one_to_the_phone(self):
        phone = self.server.phone("auth0|patient", "interop", "email-channel-phone")
        started, link = self.asked("patient", client="both-agent", expiry=301)
        driver = self.browser()
        self.opened(driver, link, "patient")
        self.allow(driver)
        self.assertEqual(self.poll(started, "both-agent"), "tokens")
        started = self.start("patient", client="both-agent", expiry=300)
        self.assertEqual(phone.answer("allow")["binding_message"], "Order 4711")
        self.assertEqual(self.poll(started, "both-agent"), "tokens")
        # A later mail to the person is the next one: the short request had none.
        self.start("patient", client="both-agent", expiry=302)
        self.mailed("patient")
        self.assertTrue(self.sink.mails.empty())

    def test_a_mailbox_that_does_not_exist_ends_the_request(self):
        self.sink.unknown.add(self.address("gone"))
        started = self.start("gone")
        eventually(lambda: self.poll(started) == "transaction_failed")
        with self.assertRaises(Auth0Error) as refused:
            self.start("gone")
        self.assertIn("User does not have a verified email address", refused.exception.message)

    def test_the_commands_of_the_guide_set_the_channel_up(self):
        folder = self.server.folder
        # The commands find nothing set.
        for kind, name, value in (
                ("client", "guided-agent", "async_approval_notification_channels=null"),
                ("user", "auth0|guided", "email_verified=false")):
            run("countersign", kind, "update", name, "--set", value, "--data", self.server.data, "--tenant", "interop")
        options = dict(zip(self.settings[::2], map(str, self.settings[1::2])))
        (folder / "countersign.json").write_text(
            json.dumps({name[2:].replace("-", "_"): value for name, value in options.items()}), encoding="utf-8")
        commands = document("mail.md").split("```sh\n", 1)[1].split("```", 1)[0]
        self.assertEqual(len(commands.splitlines()), 5)
        shell = Shell(folder, environment(
            folder, PROGRAMS, PATH=f"{PROGRAMS}:{os.environ['PATH']}", CLIENT_ID="guided-agent",
            PERSON="auth0|guided", COUNTERSIGN_TENANT="interop"))
        self.addCleanup(shell.close)
        shell.type("\n".join(commands.splitlines()[:4]))
        self.assertIn("mail server smtp://", shell.output())
        eventually(lambda: self.started_by_guided())
        self.link(self.mailed("guided"))
        shell.type(commands.splitlines()[4])
        self.assertRegex(shell.output(), r"mail +sent +1 ")

    def started_by_guided(self):
        """True once the server has read what the commands changed."""
        try:
            self.start("guided", client="guided-agent")
        except Auth0Error:
            return False
        return True

    def read_in(self, language, name, subject, heading, log_in, allow, allowed):
        started = self.start(name)
        mail = self.mailed(name)
        self.assertEqual(mail["Subject"], subject)
        self.assertEqual(mail["Content-Language"], language)
        driver = self.browser(language=language)
        self.opened(driver, self.link(mail), name, button=log_in)
        self.assertEqual(self.heading(driver), heading)
        self.assertEqual(driver.find_element(By.TAG_NAME, "html").get_attribute("lang"), language)
        self.seen(driver, f"approval-by-mail-{language}")
        self.allow(driver, allow)
        self.assertEqual(self.heading(driver), allowed)
        self.assertEqual(self.poll(started), "tokens")

    def test_in_french(self):
        self.read_in(
            "fr", "french", "Interoperability : Shopping agent demande votre accord",
            "Shopping agent demande votre accord", "Se connecter", "Autoriser", "Cette demande a été autorisée")

    def test_in_german(self):
        self.read_in(
            "de", "german", "Interoperability: Shopping agent bittet um Ihre Zustimmung",
            "Shopping agent bittet um Ihre Zustimmung", "Anmelden", "Erlauben", "Diese Anfrage wurde erlaubt")
