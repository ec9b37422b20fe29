"""A single-page app in Chromium: it gets tokens like auth0-spa-js with its defaults, by a hidden frame and by a
pop-up whose answers are messages, and by a fetch from another origin."""

import datetime
import functools
import http.server
import ipaddress
import ssl
import tempfile
import threading

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from selenium.webdriver.common.by import By

import test_browser
from login import CODE_GRANTS, EMAIL, USER
from programs import DEADLINE
from test_browser import WebDriverWait

# The SDK's requests, and its wait for the response. `all` has the messages of every origin.
SCRIPT = """
const all = [];
addEventListener("message", event => all.push({ origin: event.origin, data: event.data }));

const base64url = bytes => btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

async function asked({ issuer, ...more }) {
    const verifier = random();
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    const parameters = {
        client_id: "page", scope: "openid profile email", response_type: "code", response_mode: "web_message",
        state: btoa(random()), nonce: btoa(random()), redirect_uri: location.origin,
        code_challenge: base64url(digest), code_challenge_method: "S256",
        auth0Client: btoa(JSON.stringify({ name: "auth0-spa-js", version: "2.9.0" })), ...more };
    return { issuer, verifier, parameters, url: `${issuer}authorize?${new URLSearchParams(parameters)}` };
}

const answered = asked => new Promise(resolve => {
    addEventListener("message", function take(event) {
        if (event.origin != new URL(asked.issuer).origin) return;
        if (event.data?.type !== "authorization_response") return;
        removeEventListener("message", take);
        resolve(event.data.response);
    });
});

async function redeemed({ issuer, verifier, parameters }, response) {
    if (response.state !== parameters.state) return { error: "state_mismatch" };
    if (response.error) return response;
    const answer = await fetch(`${issuer}oauth/token`, {
        method: "POST", headers: { "Auth0-Client": parameters.auth0Client },
        body: new URLSearchParams({
            client_id: parameters.client_id, code_verifier: verifier, code: response.code,
            grant_type: "authorization_code", redirect_uri: parameters.redirect_uri }) });
    const tokens = await answer.json();
    if (!tokens.id_token) return tokens;
    const part = tokens.id_token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    const claims = JSON.parse(atob(part));
    return { sub: claims.sub, isMine: claims.nonce === parameters.nonce };
}

function framed(url) {
    const frame = document.createElement("iframe");
    frame.style.display = "none";
    frame.src = url;
    document.body.append(frame);
    return frame;
}

async function silently(settings) {
    const asking = await asked({ prompt: "none", ...settings });
    const answer = answered(asking);
    const frame = framed(asking.url);
    const response = await answer;
    frame.remove();
    return redeemed(asking, response);
}

// The window is opened while the click is handled, as browsers want it.
async function inPopUp(settings) {
    const popUp = open("", "login", "width=400,height=600");
    const asking = await asked(settings);
    const answer = answered(asking);
    popUp.location.href = asking.url;
    const response = await answer;
    popUp.close();
    return redeemed(asking, response);
}
"""

PAGE = f"""<!doctype html><html lang=en><meta charset=utf-8><title>Single-page app</title><h1>App</h1>
<button>Log in</button><script>{SCRIPT}
document.querySelector("button").onclick = async () => {{
    window.result = undefined;
    window.result = await inPopUp(window.settings);
}};
</script>"""


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *_):
        pass


@functools.cache
def certificate():
    """A file with a certificate of this machine, which the browser accepts, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "app")])
    now = datetime.datetime.now(datetime.timezone.utc)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number()).not_valid_before(
        now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(days=1)).add_extension(
            x509.SubjectAlternativeName(names), critical=False).sign(key, hashes.SHA256())
    # Kept open, since closing it deletes it.
    file = tempfile.NamedTemporaryFile(suffix=".pem")
    file.write(made.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    file.flush()
    return file


class App(http.server.ThreadingHTTPServer):
    """The app's server. Its page is on the issuer's site, because a site has no port."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Page)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate().name)
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.origin = f"https://127.0.0.1:{self.server_port}"
        # The same program on another site.
        self.other_site = f"https://localhost:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class SinglePageAppTest(test_browser.BrowserTest):
    @classmethod
    def setUpClass(cls):
        cls.page, cls.stranger = App(), App()
        for app in (cls.page, cls.stranger):
            cls.addClassCleanup(app.server_close)
            cls.addClassCleanup(app.shutdown)
        super().setUpClass()

    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        origins = [cls.page.origin, cls.page.other_site]
        configuration["tenants"][0]["clients"].append({
            "client_id": "page", "name": "Single-page app", "app_type": "spa", "token_endpoint_auth_method": "none",
            "grant_types": CODE_GRANTS, "callbacks": origins, "web_origins": origins})
        return configuration

    def opened(self, driver, origin=None):
        driver.get(origin or self.page.origin)
        driver.set_script_timeout(DEADLINE)

    def silently(self, driver, **more):
        return driver.execute_async_script(
            "silently(arguments[0]).then(arguments[1])", {"issuer": self.issuer, **more})

    def begin_pop_up(self, driver, **more):
        """Presses the page's button, and switches to the new window."""
        here = driver.current_window_handle
        driver.execute_script("window.settings = arguments[0]", {"issuer": self.issuer, **more})
        driver.find_element(By.TAG_NAME, "button").click()
        WebDriverWait(driver).until(lambda driver: len(driver.window_handles) == 2)
        driver.switch_to.window(next(handle for handle in driver.window_handles if handle != here))
        WebDriverWait(driver).until(lambda driver: driver.current_url.startswith(self.issuer))
        return here

    def log_in_by_pop_up(self, driver):
        here = self.begin_pop_up(driver)
        self.fill(driver, username=EMAIL, password="not the password")
        self.press(driver, "Log in")
        self.press(driver, "Forgot your password?")
        self.press(driver, "Back to login")
        self.fill(driver, username=EMAIL, password=self.password)
        self.button(driver, "Log in").click()
        driver.switch_to.window(here)
        return self.result(driver)

    password = test_browser.PASSWORD

    def result(self, driver):
        WebDriverWait(driver).until(lambda driver: driver.execute_script("return window.result !== undefined"))
        return driver.execute_script("return window.result")

    def messages(self, driver):
        return driver.execute_script("return all")

    def test_a_pop_up_logs_in_and_a_hidden_frame_renews_after_a_reload(self):
        driver = self.browser()
        self.opened(driver)
        self.assertEqual(self.silently(driver)["error"], "login_required")
        self.assertEqual(self.log_in_by_pop_up(driver), {"sub": USER, "isMine": True})
        # The app closed its window.
        WebDriverWait(driver).until(lambda driver: len(driver.window_handles) == 1)
        driver.refresh()
        self.assertEqual(self.silently(driver), {"sub": USER, "isMine": True})
        self.assertEqual({message["origin"] for message in self.messages(driver)}, {self.issuer.rstrip("/")})
        # With a session the pop-up shows no page.
        here = driver.current_window_handle
        driver.execute_script("window.settings = arguments[0]", {"issuer": self.issuer})
        driver.find_element(By.TAG_NAME, "button").click()
        driver.switch_to.window(here)
        self.assertEqual(self.result(driver), {"sub": USER, "isMine": True})
        driver.get(f"{self.issuer}v2/logout")
        self.opened(driver)
        self.assertEqual(self.silently(driver)["error"], "login_required")

    def test_a_rejected_consent_is_told_to_the_app(self):
        driver = self.browser()
        self.opened(driver)
        self.log_in_by_pop_up(driver)
        here = self.begin_pop_up(driver, prompt="consent")
        self.button(driver, "Deny").click()
        driver.switch_to.window(here)
        self.assertEqual(self.result(driver)["error"], "access_denied")

    def test_a_page_of_another_origin_gets_neither_frame_nor_message(self):
        driver = self.browser()
        self.opened(driver)
        self.log_in_by_pop_up(driver)
        # On the same site, so that the browser would send the session's cookie.
        self.opened(driver, self.stranger.origin)
        shown = driver.execute_async_script("""
            const [settings, done] = arguments;
            asked({ prompt: "none", ...settings }).then(asking => {
                const frame = framed(asking.url);
                frame.onload = () => done(asking.url);
            });""", {"issuer": self.issuer, "redirect_uri": self.page.origin})
        driver.switch_to.frame(driver.find_element(By.TAG_NAME, "iframe"))
        self.assertNotIn("Back to the application", driver.page_source)
        self.assertEqual(driver.find_elements(By.CSS_SELECTOR, "[data-response]"), [])
        driver.switch_to.default_content()
        # The same address posts its response in an allowed frame: only the origin is wrong here.
        here = self.begin_pop_up(driver, prompt="none", redirect_uri=self.page.origin)
        WebDriverWait(driver).until(
            lambda driver: driver.find_elements(By.TAG_NAME, "h1") and self.heading(driver) == "Back to the application")
        self.seen(driver, "web-message")
        driver.switch_to.window(here)
        self.assertEqual(self.messages(driver), [])
        self.opened(driver)
        self.assertEqual(self.silently(driver), {"sub": USER, "isMine": True})
        # Its own origin is not registered with the client.
        self.opened(driver, self.stranger.origin)
        self.begin_pop_up(driver, prompt="none")
        self.assertEqual(self.heading(driver), "This did not work")
        self.assertTrue(shown.startswith(self.issuer))

    def test_interactive_pages_are_not_framed_by_the_app_either(self):
        driver = self.browser()
        self.opened(driver)
        driver.execute_async_script("""
            const [settings, done] = arguments;
            asked(settings).then(asking => { framed(asking.url).onload = () => done(); });""", {"issuer": self.issuer})
        driver.switch_to.frame(driver.find_element(By.TAG_NAME, "iframe"))
        self.assertEqual(driver.find_elements(By.NAME, "password"), [])
        driver.switch_to.default_content()
        self.assertEqual(self.messages(driver), [])

    def test_on_another_site_a_pop_up_logs_in_and_the_frame_says_that_nobody_is(self):
        driver = self.browser()
        self.opened(driver, self.page.other_site)
        self.assertEqual(self.log_in_by_pop_up(driver), {"sub": USER, "isMine": True})
        # The session's cookie stays on its own site (SameSite=Lax).
        self.assertEqual(self.silently(driver)["error"], "login_required")
