"""Chromium on the dashboard: each section in three languages, at a phone's and a computer's width, light and dark, and a
change without JavaScript.

axe judges each page, and a picture of it is kept in .build/screenshots.
"""

import urllib.parse

from selenium.webdriver.common.by import By

from login import USER
from programs import AUDIENCE
from test_approval_page import ApprovalPageSteps
import test_browser
from test_browser import WebDriverWait

API = urllib.parse.quote(AUDIENCE, safe="")
SECTIONS = ["", "/users", "/roles", "/roles/new", "/roles/rol_administrator", "/roles/rol_administrator/edit",
            "/requests", "/deliveries", "/clients", "/clients/new", "/clients/new/agent", "/clients/page-agent",
            "/clients/page-agent/try", "/clients/page-agent/channels", "/apis", f"/apis/{API}", f"/apis/{API}/types",
            f"/apis/{API}/preview:money_transfer", "/grants", "/connections", "/push",
            "/push/apns", "/mail", "/templates", "/templates/welcome_email", "/branding", "/domains", "/settings",
            "/settings/tenant/edit:session_lifetime", "/keys", "/log", "/statistics", "/health", "/health/tenant/mail", "/configuration"]
LOG_IN = {"en": "Log in", "de": "Anmelden", "fr": "Se connecter"}
SCOPES = """read:users update:users create:users delete:users read:roles create:roles update:roles delete:roles
    read:clients create:clients update:clients read:resource_servers read:client_grants read:connections
    read:guardian_factors update:guardian_factors read:email_provider read:email_templates update:email_templates
    read:tenant_settings update:tenant_settings read:custom_domains read:signing_keys read:logs read:stats
    read:approvals create:approvals update:deliveries read:client_credentials create:client_grants
    update:resource_servers update:mfa_policies""".split()


class DashboardTest(ApprovalPageSteps, test_browser.BrowserTest):
    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        tenant = configuration["tenants"][0]
        audience = f"https://{tenant['host']}/api/v2/"
        tenant.setdefault("roles", []).append({
            "id": "rol_administrator", "name": "Administrator", "permissions": [
                {"resource_server_identifier": audience, "permission_name": scope} for scope in SCOPES]})
        user = next(user for user in tenant["users"] if user["user_id"] == USER)
        user["roles"] = [*user.get("roles", []), "rol_administrator"]
        return configuration

    def shown(self, driver, path="", language="en"):
        driver.get(f"{self.issuer}admin{path}")
        if driver.find_elements(By.NAME, "password") and "/u/login" in driver.current_url:
            self.log_in(driver, button=LOG_IN[language])

    def test_every_section_in_every_language_and_width(self):
        for language, width, dark in (("en", 1280, False), ("de", 360, False), ("fr", 1280, True), ("en", 360, True)):
            driver = self.browser(width=width, language=language, dark=dark)
            for path in SECTIONS:
                with self.subTest(language=language, width=width, path=path):
                    self.shown(driver, path, language)
                    self.assertTrue(driver.current_url.startswith(f"{self.issuer}admin"), driver.current_url)
                    name = path.replace("/", "-").replace(":", "-").replace("%", "-")
                    self.seen(driver, f"dashboard{name}-{language}-{width}{'-dark' if dark else ''}")
            driver.quit()

    def test_a_change_without_javascript(self):
        driver = self.browser(width=1280, scripts=False)
        self.shown(driver, "/roles/new")
        driver.find_element(By.NAME, "m.name").send_keys("Auditors")
        self.press(driver, "Continue")
        self.seen(driver, "dashboard-review-1280")
        self.assertIn("Auditors", driver.find_element(By.TAG_NAME, "main").text)
        self.press(driver, "New role")
        self.assertEqual(self.heading(driver), "Auditors")
        driver.get(f"{self.issuer}admin/log")
        self.assertIn("sapi", driver.find_element(By.TAG_NAME, "main").text)

    def test_requests_appear_and_end_without_a_reload(self):
        driver = self.browser(width=1280)
        self.shown(driver, "/requests")
        started = self.asked(binding_message="Appears by itself")
        WebDriverWait(driver).until(
            lambda driver: "Appears by itself" in driver.find_element(By.TAG_NAME, "main").text)
        self.seen(driver, "dashboard-requests-live-1280")
        self.press(driver, "Appears by itself")
        self.assertIn("Waits for an answer", driver.find_element(By.TAG_NAME, "main").text)
        self.seen(driver, "dashboard-request-1280")
        other = self.browser(width=1280)
        self.opened(other, started)
        self.allow(other)
        WebDriverWait(driver).until(
            lambda driver: "Valid: the server" in driver.find_element(By.TAG_NAME, "main").text)
        self.seen(driver, "dashboard-request-allowed-1280")

    def test_an_agent_is_made_and_tried_without_a_terminal_and_without_javascript(self):
        driver = self.browser(width=360, scripts=False)
        self.shown(driver, "/clients/new/agent")
        driver.find_element(By.NAME, "m.name").send_keys("Shopper")
        self.press(driver, "Continue")
        self.press(driver, "New agent")
        self.assertIn("never again", driver.find_element(By.TAG_NAME, "main").text)
        self.seen(driver, "dashboard-secret-360")
        self.press(driver, "Open the client")
        self.assertEqual(self.heading(driver), "Shopper")
        self.shown(driver, "/clients/page-agent/try")
        driver.find_element(By.NAME, "m.binding_message").send_keys("Try me")
        self.press(driver, "Continue")
        self.press(driver, "Try it")
        self.press(driver, "Open the request")
        self.assertIn("Try me", driver.find_element(By.TAG_NAME, "main").text)
        self.seen(driver, "dashboard-tried-360")
