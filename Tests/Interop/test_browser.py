"""Chromium: every hosted page, at a phone's width, by keyboard, in French, without JavaScript.

axe judges each page on its way, and a picture of it is kept in .build/screenshots.
"""

import http.server
import json
import os
import pathlib
import secrets
import tempfile
import threading
import urllib.parse

import requests
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from axe_selenium_python import Axe
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support import wait

from login import EMAIL, PASSWORD, USER, LoginTest
from programs import DEADLINE, Phone, Server, eventually

PICTURES = pathlib.Path(".build/screenshots")
# Pictures of the documents, by the names of those that tests take. With WRITE_PICTURES=1 tests write them.
DOCUMENTED = {
    "dashboard-users-en-1280": "dashboard-users", "dashboard-review-1280": "dashboard-review",
    "dashboard-requests-live-1280": "dashboard-requests", "first-payment-receipt-1280": "dashboard-receipt",
}


class WebDriverWait(wait.WebDriverWait):
    """Looks twenty times a second, and not twice."""

    def __init__(self, driver, timeout=DEADLINE, ignored_exceptions=None):
        super().__init__(driver, timeout, 0.05, ignored_exceptions)


class App(http.server.ThreadingHTTPServer):
    """A server that receives the loopback redirect (RFC 8252 7.3) and shows its parameters."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.callback = f"http://127.0.0.1:{self.server_port}/callback"
        # Redirects to another host, as web apps do that have separate hosts for login and work.
        self.hop = f"http://127.0.0.1:{self.server_port}/hop"
        self.landed = f"http://localhost:{self.server_port}/landed"
        self.posted = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        if parts.path == "/hop":
            self.send_response(303)
            self.send_header("Location", f"{self.server.landed}?{parts.query}")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(b"<!doctype html><html lang=en><title>App</title><h1>Back in the app</h1>")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.posted = dict(urllib.parse.parse_qsl(body))
        self.do_GET()

    def log_message(self, *_):
        pass


def gone(element):
    """True if the page of an element was left, also between two documents, when the driver raises an unspecific
    error."""
    try:
        element.is_enabled()
    except StaleElementReferenceException:
        return True
    except WebDriverException as error:
        if "does not belong to the document" not in error.msg:
            raise
        return True
    return False


class BrowserTest(LoginTest):
    # Further options of the browser.
    arguments = ()

    def __init_subclass__(cls, **more):
        """Hides inherited tests, which would run a second time. Modules import this one and not the class, which
        unittest would run for each of them."""
        super().__init_subclass__(**more)
        for name in dir(cls):
            if name.startswith("test_") and name not in vars(cls):
                setattr(cls, name, None)

    @classmethod
    def setUpClass(cls):
        cls.app = App()
        cls.addClassCleanup(cls.app.server_close)
        cls.addClassCleanup(cls.app.shutdown)
        super().setUpClass()
        PICTURES.mkdir(parents=True, exist_ok=True)

    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        for client in configuration["tenants"][0]["clients"]:
            if "callbacks" in client:
                client["callbacks"].append("http://127.0.0.1/hop")
                client["allowed_logout_urls"] = [f"http://127.0.0.1:{cls.app.server_port}/bye", cls.app.hop]
        configuration["tenants"][0]["settings"]["branding"] = {"primary_color": "#0b6e4f"}
        return configuration

    def browser(self, width=1024, language="en", scripts=True, dark=False):
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--window-size={width},900",
                         *self.arguments):
            options.add_argument(argument)
        # The authority is the server's own. Other clients test that its certificate is verified.
        options.accept_insecure_certs = True
        options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
        options.add_experimental_option("prefs", {
            "intl.accept_languages": language,
            "profile.managed_default_content_settings.javascript": 1 if scripts else 2,
        })
        options.binary_location = "/usr/bin/chromium"
        # Chromium leaves its profile behind.
        folder = tempfile.TemporaryDirectory(prefix="countersign-browser-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(
            "/usr/bin/chromedriver", env={**os.environ, "TMPDIR": folder.name}))
        self.addCleanup(driver.quit)
        driver.set_page_load_timeout(DEADLINE)
        # By default, headless windows are at least 500 pixels wide.
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
        if dark:
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.scripts = scripts
        return driver

    def url(self, client="mobile", scope="openid profile", **more):
        self.state = secrets.token_urlsafe(12)
        return f"{self.issuer}authorize?" + urllib.parse.urlencode({
            "response_type": "code", "client_id": client, "redirect_uri": self.app.callback, "scope": scope,
            "state": self.state, "code_challenge_method": "S256",
            "code_challenge": create_s256_code_challenge(secrets.token_urlsafe(40)), **more})

    def landed(self, driver):
        """Parameters of the app's callback."""
        WebDriverWait(driver).until(lambda driver: driver.current_url.startswith(self.app.landed))
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(driver.current_url).query))

    # Checks of every page

    def seen(self, driver, name):
        """Saves a screenshot, and checks the page with axe and its width."""
        driver.save_screenshot(str(PICTURES / f"{name}.png"))
        if name in DOCUMENTED and os.environ.get("WRITE_PICTURES"):
            driver.save_screenshot(f"docs/pictures/{DOCUMENTED[name]}.png")
        if not self.scripts:
            return
        axe = Axe(driver)
        axe.inject()
        results = axe.run()
        # This axe does not know the tokens for passkeys and codes (HTML, 4.10.18.7.1: "webauthn", "one-time-code").
        unknown = ('autocomplete="username webauthn"', 'autocomplete="one-time-code"')
        found = [
            (violation["id"], node["html"]) for violation in results["violations"] for node in violation["nodes"]
            if not (violation["id"] == "autocomplete-valid" and any(token in node["html"] for token in unknown))]
        self.assertEqual(found, [], name)
        wide = driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
        self.assertLessEqual(wide, 0, f"{name} scrolls sideways")

    def heading(self, driver):
        return driver.find_element(By.TAG_NAME, "h1").text

    def button(self, driver, *texts):
        """The button or link with one of the texts."""
        for element in driver.find_elements(By.CSS_SELECTOR, "button, a"):
            if element.text.strip() in texts:
                return element
        raise AssertionError(
            f"no {texts} on {driver.current_url}: "
            f"{[element.text for element in driver.find_elements(By.CSS_SELECTOR, 'button, a')]}")

    def press(self, driver, *texts):
        """Presses a button and waits for the next page."""
        here = driver.find_element(By.TAG_NAME, "html")
        self.button(driver, *texts).click()
        WebDriverWait(driver).until(lambda _: gone(here))

    def fill(self, driver, **values):
        for name, value in values.items():
            field = driver.find_element(By.NAME, name)
            field.clear()
            field.send_keys(value)

    def log_in(self, driver, email=EMAIL, password=PASSWORD, button="Log in"):
        self.fill(driver, username=email, password=password)
        self.press(driver, button)

    def read(self, driver):
        """Goes from part to part until the request may be allowed."""
        WebDriverWait(driver).until(lambda driver: driver.execute_script(
            "const buttons = [...document.querySelectorAll('[data-allows]')];"
            "if (buttons.every(button => !button.disabled)) return true;"
            "if (!window.visited) window.visited = new Set();"
            "const count = document.querySelector('.unread span').textContent;"
            "if (!visited.has(count)) { visited.add(count); document.querySelector('.unread button').click(); }"
            "return false"))

    def allow(self, driver, text="Allow"):
        self.read(driver)
        self.press(driver, text)

    def came_back(self, driver):
        """Parameters that the app received."""
        WebDriverWait(driver).until(lambda driver: driver.current_url.startswith(self.app.callback))
        parts = urllib.parse.urlsplit(driver.current_url)
        told = dict(urllib.parse.parse_qsl(parts.query or parts.fragment))
        self.assertEqual((told["state"], told["iss"]), (self.state, self.issuer))
        return told

    def asked_for(self, driver, text):
        """Waits until a script asks for an address that contains the text."""
        def found():
            for entry in driver.get_log("performance"):
                message = json.loads(entry["message"])["message"]
                if message["method"] == "Network.requestWillBeSent" and message["params"].get("type") == "Fetch":
                    if text in message["params"]["request"]["url"]:
                        return True
            return False
        eventually(found)

    # Paths through the pages

    def test_log_in_single_sign_on_silent_and_log_out(self):
        driver = self.browser()
        driver.get(self.url())
        self.seen(driver, "login")
        self.log_in(driver, password="not the password")
        self.assertIn("Wrong", driver.find_element(By.CSS_SELECTOR, "[role=alert]").text)
        self.seen(driver, "wrong-password")
        self.log_in(driver)
        self.assertIn("code", self.came_back(driver))
        # Another client in the same browser does not ask again.
        driver.get(self.url(client="second"))
        self.assertIn("code", self.came_back(driver))
        driver.get(self.url(prompt="none"))
        self.assertIn("code", self.came_back(driver))
        driver.get(self.url(prompt="select_account"))
        self.seen(driver, "select-account")
        driver.get(self.url(prompt="login"))
        self.assertTrue(driver.find_elements(By.NAME, "password"))
        driver.get(f"{self.issuer}v2/logout?client_id=mobile&returnTo=" + urllib.parse.quote(
            f"http://127.0.0.1:{self.app.server_port}/bye"))
        WebDriverWait(driver).until(lambda driver: "/bye" in driver.current_url)
        driver.get(self.url(prompt="none"))
        self.assertEqual(self.came_back(driver)["error"], "login_required")
        driver.get(f"{self.issuer}v2/logout")
        self.seen(driver, "logged-out")

    def test_sign_up_with_a_password_that_is_strong_enough(self):
        driver = self.browser(width=360)
        driver.get(self.url(screen_hint="signup"))
        self.seen(driver, "sign-up-360")
        self.fill(driver, email="new@example.com", password="password")
        self.press(driver, "Sign up")
        self.assertTrue(driver.find_elements(By.CSS_SELECTOR, "[aria-invalid=true]"))
        self.seen(driver, "weak-password-360")
        self.fill(driver, email="new@example.com", password="seven swans a swimming")
        self.press(driver, "Sign up")
        self.assertIn("code", self.came_back(driver))

    def test_somebody_elses_client_needs_consent_and_asks_once(self):
        driver = self.browser()
        asked = self.url(client="partner", scope="openid read:profile", audience="https://api.example.com")
        driver.get(asked)
        self.log_in(driver)
        self.assertIn("Read your profile", driver.find_element(By.TAG_NAME, "main").text)
        self.seen(driver, "consent")
        self.press(driver, "Deny")
        self.assertEqual(self.came_back(driver)["error"], "access_denied")
        driver.get(self.url(client="partner", scope="openid read:profile", audience="https://api.example.com"))
        self.press(driver, "Allow")
        self.assertIn("code", self.came_back(driver))
        driver.get(self.url(client="partner", scope="openid read:profile", audience="https://api.example.com"))
        self.assertIn("code", self.came_back(driver))

    def test_forgotten_passwords_are_set_anew_by_mail(self):
        driver = self.browser(width=360, dark=True)
        driver.get(self.url())
        self.press(driver, "Forgot your password?")
        self.seen(driver, "forgot-password-360-dark")
        self.fill(driver, email=EMAIL)
        self.press(driver, "Send the link")
        self.seen(driver, "forgot-password-sent-360-dark")
        link = self.server.mailed_link("/u/reset-password")
        driver.get(link)
        self.seen(driver, "reset-password-360-dark")
        self.fill(driver, password=PASSWORD + "!", password_again=PASSWORD + "!")
        self.press(driver, "Change the password")
        self.seen(driver, "password-changed-360-dark")
        driver.get(link)
        self.assertFalse(driver.find_elements(By.NAME, "password"))
        # Restored for other tests: a file with another password than before replaces the user's own.
        for password in ("another one for a moment", PASSWORD):
            configuration = self.configuration()
            user = next(user for user in configuration["tenants"][0]["users"] if user["user_id"] == USER)
            user["password"] = password
            self.server.apply(configuration, "interop.json")

    def test_the_language_from_the_request_and_from_the_browser(self):
        driver = self.browser(language="fr-CA,fr")
        driver.get(self.url(ui_locales="de"))
        self.seen(driver, "login-german")
        self.assertEqual(driver.find_element(By.TAG_NAME, "html").get_attribute("lang"), "de")
        self.press(driver, "Passwort vergessen?")
        self.seen(driver, "forgot-password-german")
        self.press(driver, "Zurück zur Anmeldung")
        self.fill(driver, username=EMAIL, password="wrong")
        self.press(driver, "Anmelden")
        self.assertTrue(driver.title.startswith("Problem: Anmelden"), driver.title)
        self.assertIn("E-Mail-Adresse oder Passwort ist falsch.", driver.find_element(By.ID, "problems").text)
        self.fill(driver, username=EMAIL, password=PASSWORD)
        self.press(driver, "Anmelden")
        self.assertIn("code", self.came_back(driver))
        driver = self.browser(language="fr-CA,fr")
        driver.get(self.url())
        self.assertEqual(driver.find_element(By.TAG_NAME, "html").get_attribute("lang"), "fr")
        self.seen(driver, "login-french")
        driver.get(self.url(ui_locales="en"))
        self.assertEqual(driver.find_element(By.TAG_NAME, "html").get_attribute("lang"), "en")

    def test_the_keyboard_is_enough(self):
        driver = self.browser(width=360)
        driver.get(self.url())
        self.seen(driver, "login-360")
        for _ in range(20):
            webdriver.ActionChains(driver).send_keys(Keys.TAB).perform()
            if driver.switch_to.active_element.get_attribute("name") == "username":
                break
        webdriver.ActionChains(driver).send_keys(EMAIL, Keys.TAB).perform()
        for _ in range(3):
            if driver.switch_to.active_element.get_attribute("name") == "password":
                break
            webdriver.ActionChains(driver).send_keys(Keys.TAB).perform()
        webdriver.ActionChains(driver).send_keys(PASSWORD, Keys.ENTER).perform()
        self.assertIn("code", self.came_back(driver))

    def test_without_javascript_everything_works(self):
        driver = self.browser(scripts=False)
        driver.get(self.url(response_mode="form_post"))
        self.log_in(driver)
        self.seen(driver, "form-post-without-scripts")
        self.press(driver, "Continue")
        self.assertEqual((self.app.posted["state"], self.app.posted["iss"]), (self.state, self.issuer))
        self.assertIn("code", self.app.posted)

    def test_form_post_goes_on_by_itself_with_javascript(self):
        driver = self.browser()
        driver.get(self.url(response_mode="form_post"))
        self.log_in(driver)
        WebDriverWait(driver).until(lambda driver: driver.current_url.startswith(self.app.callback))
        self.assertIn("code", self.app.posted)

    def test_a_callback_may_lead_on_to_another_host(self):
        driver = self.browser()
        driver.get(self.url(redirect_uri=self.app.hop))
        self.log_in(driver, password="not the password")
        self.log_in(driver)
        self.assertEqual(self.landed(driver)["state"], self.state)
        driver.get(self.url(redirect_uri=self.app.hop, response_mode="form_post", prompt="login"))
        self.log_in(driver)
        self.landed(driver)
        self.assertEqual(self.app.posted["state"], self.state)
        driver.get(self.url(redirect_uri=self.app.hop, prompt="select_account"))
        driver.find_element(By.CSS_SELECTOR, "button.account").click()
        self.assertIn("code", self.landed(driver))
        driver.get(self.url(redirect_uri=self.app.hop, client="partner", prompt="consent"))
        self.button(driver, "Allow").click()
        self.assertIn("code", self.landed(driver))
        driver.get(self.url(redirect_uri=self.app.hop, screen_hint="signup", prompt="login"))
        self.fill(driver, email="hop@example.com", password="seven swans a swimming")
        self.button(driver, "Sign up").click()
        self.assertIn("code", self.landed(driver))

    def test_the_page_that_asks_before_logging_out_leads_back_to_the_client(self):
        driver = self.browser()
        for target, arrived in ((f"http://127.0.0.1:{self.app.server_port}/bye", "/bye"), (self.app.hop, "/landed")):
            driver.get(self.url())
            self.log_in(driver)
            self.came_back(driver)
            driver.get(f"{self.issuer}oidc/logout?client_id=mobile&state=done&" + urllib.parse.urlencode({
                "post_logout_redirect_uri": target}))
            self.seen(driver, "logout-confirm")
            self.button(driver, "Log out").click()
            WebDriverWait(driver).until(
                lambda driver, arrived=arrived: f"{arrived}?state=done" in driver.current_url)
            driver.get(self.url(prompt="none"))
            self.assertEqual(self.came_back(driver)["error"], "login_required")

    def test_errors_that_may_not_be_redirected_are_shown(self):
        driver = self.browser()
        for name, broken in (
            ("error-client", self.url(client="nobody")),
            ("error-callback", self.url().replace("callback", "elsewhere")),
        ):
            driver.get(broken)
            self.assertTrue(driver.current_url.startswith(self.issuer))
            self.seen(driver, name)


class MultiFactorTest(BrowserTest):
    """A tenant that always requires a second factor."""

    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        tenant = configuration["tenants"][0]
        tenant["settings"]["multi_factor"] = "always"
        # The phone of these tests answers by itself, and sees no number to pick.
        tenant["settings"]["login_matching"] = "off"
        return configuration

    # Focuses the button, and records how the page continues.
    WATCH = """
        if (location.pathname == '/u/mfa-push') {
            localStorage.pages = +(localStorage.pages || 0) + 1
            addEventListener('DOMContentLoaded', () => {
                const button = document.querySelector('button')
                button.focus()
                const watch = setInterval(() => {
                    if (document.activeElement == button) localStorage.focused = +(localStorage.focused || 0) + 1
                    else localStorage.lost = 'yes'
                }, 50)
                // A page that is being left has no focus to keep.
                addEventListener('beforeunload', () => clearInterval(watch))
            })
        }"""

    def enrolled(self, driver):
        """Scans the code of the page with a new phone."""
        uri = next(
            element.get_attribute("textContent").strip() for element in driver.find_elements(By.CSS_SELECTOR, "code, textarea, pre, details p")
            if "otpauth://" in element.get_attribute("textContent"))
        return Phone(self.server.authority, uri, self.server.folder / f"{secrets.token_hex(4)}.json")

    def test_a_user_without_a_device_enrols_one_and_confirms_with_it(self):
        driver = self.browser(width=360)
        # The page cannot go on by itself.
        driver.execute_cdp_cmd("Network.enable", {})
        driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*wait=polled*"]})
        driver.get(self.url())
        self.log_in(driver)
        self.seen(driver, "enroll-device-360")
        phone = self.enrolled(driver)
        self.press(driver, "I have scanned it")
        self.seen(driver, "multi-factor-push-360")
        phone.answer("allow")
        self.press(driver, "Continue")
        # A first phone may get lost.
        self.seen(driver, "recovery-codes-offer-360")
        self.press(driver, "Make recovery codes")
        self.assertEqual(len(driver.find_elements(By.CSS_SELECTOR, ".codes code")), 10)
        self.seen(driver, "recovery-codes-made-360")
        self.press(driver, "I have kept them")
        self.assertIn("code", self.came_back(driver))

    def test_the_page_that_waits_for_the_phone_stays_and_keeps_its_focus(self):
        driver = self.browser()
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": self.WATCH})
        driver.get(self.url(screen_hint="signup"))
        self.fill(driver, email="waiting@example.com", password="seven swans a swimming")
        self.press(driver, "Sign up")
        phone = self.enrolled(driver)
        # The page goes on by itself.
        self.asked_for(driver, "wait=polled")
        phone.answer("allow")
        WebDriverWait(driver).until(lambda driver: "/u/mfa-push" not in driver.current_url)
        self.press(driver, "Later")
        self.assertIn("code", self.came_back(driver))
        driver.get(f"{self.issuer}v2/logout")
        seen = driver.execute_script("return [localStorage.pages, +localStorage.focused > 0, localStorage.lost]")
        self.assertEqual(seen, ["1", True, None])


class UpstreamTest(BrowserTest):
    """A tenant whose users log in at another Countersign."""

    @classmethod
    def setUpClass(cls):
        cls.secret = secrets.token_urlsafe(48)
        # Another host name, since browsers share a host's cookies among all its ports.
        cls.staff = Server()
        cls.addClassCleanup(cls.staff.stop)
        cls.staff_domain = f"localhost:{cls.staff.port}"
        super().setUpClass()
        configuration = LoginTest.configuration.__func__(cls)
        tenant = configuration["tenants"][0]
        # The development server's tenant under that host name.
        tenant["id"], tenant["host"] = "dev", cls.staff_domain
        tenant["clients"].append({
            "client_id": "customers", "name": "Customers", "client_secret": cls.secret,
            "grant_types": ["authorization_code"], "callbacks": [f"{cls.issuer}login/callback"]})
        cls.staff.apply(configuration, "staff.json")
        # The tenant existed before; the client is new.
        eventually(lambda: requests.post(
            f"https://{cls.staff_domain}/oauth/token", verify=str(cls.staff.authority), timeout=DEADLINE,
            data={"grant_type": "authorization_code", "client_id": "customers", "client_secret": cls.secret},
        ).json()["error"] != "invalid_client")

    @classmethod
    def started(cls):
        return Server(options=lambda _: [f"--trusted-authorities={cls.staff.authority}"])

    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        configuration["tenants"][0]["connections"] = [{
            "name": "staff", "display_name": "Staff", "strategy": "oidc", "options": {
                "issuer": f"https://{cls.staff_domain}/", "client_id": "customers", "client_secret": cls.secret}}]
        # Users of this tenant have no passwords.
        for user in configuration["tenants"][0]["users"]:
            user.pop("password", None)
        return configuration

    def test_the_form_of_the_provider_leads_through_both_servers_to_the_app(self):
        driver = self.browser()
        driver.get(self.url(redirect_uri=self.app.hop))
        self.assertTrue(driver.current_url.startswith(f"https://{self.staff_domain}/u/login"))
        self.fill(driver, username=EMAIL, password=PASSWORD)
        self.button(driver, "Log in").click()
        self.assertEqual(self.landed(driver)["state"], self.state)
