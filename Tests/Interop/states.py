"""States of the approver and of the hosted pages, each with the way to it.

A way is a function with the attribute of its name. It gets the stage, and leaves the browser in the state, in any
language: so it finds buttons by their place and not by their words. To add a state, write a function under `@state`.
"""

import urllib.parse

from login import EMAIL, PASSWORD
from pages import Browser
from programs import PAYMENT, eventually

STATES = {}


def state(name):
    """Adds a way to the table."""
    def added(way):
        assert name not in STATES, name
        STATES[name] = way
        return way
    return added


# The approver

@state("approver-welcome")
def welcome(stage):
    stage.anew()
    stage.open("approver")
    stage.waits("h1")


@state("approver-enrol")
def enrol(stage):
    stage.anew()
    stage.open("approver#" + urllib.parse.urlencode({"enroll": stage.ticket(), "account": EMAIL}))
    stage.waits("#name")


@state("approver-link-used")
def link_used(stage):
    stage.anew()
    stage.open("approver#enroll=AAAAAAAAAAAAAAAAAAAAAA")
    stage.click("button.allow")
    eventually(lambda: stage.find(".problem").text)


@state("approver-ready")
def ready(stage):
    stage.enrolled()
    stage.open("approver")
    stage.waits(".idle .seal.good")


@state("approver-code")
def code(stage):
    ready(stage)
    stage.click(".codes summary")
    stage.waits(".digits span")


@state("approver-offline")
def offline(stage):
    ready(stage)
    stage.cut_off()
    stage.waits(".status.offline")


@state("approver-card")
def card(stage):
    stage.enrolled()
    stage.request(details=[PAYMENT], scope="openid read:profile")
    stage.open("approver")
    stage.waits(".answers .reject:enabled")


@state("approver-card-long")
def card_long(stage):
    stage.enrolled()
    stage.request(details=[{"type": "anything", "list": [f"line {number}" for number in range(99)]}])
    stage.open("approver")
    stage.waits(".answers .reject:enabled")


@state("approver-card-deep")
def card_deep(stage):
    stage.enrolled()
    stage.request(details=[{"type": "anything", "one": {"two": {"three": {"four": "five"}}}}])
    stage.open("approver")
    stage.waits(".answers .reject:enabled")


@state("approver-group")
def group(stage):
    stage.enrolled()
    for number in range(3):
        stage.request(message=f"Order {number}", details=[PAYMENT])
    stage.open("approver")
    stage.waits("article.group [data-all] .reject:enabled")


@state("approver-group-question")
def group_question(stage):
    group(stage)
    stage.click("[data-all] .reject")
    stage.waits("dialog")


@state("approver-reason")
def reason(stage):
    card(stage)
    stage.click(".answers .row:last-of-type .quiet:first-of-type")
    stage.waits("dialog textarea")


@state("approver-report")
def report(stage):
    card(stage)
    stage.click(".answers .row:last-of-type .quiet:last-of-type")
    stage.waits("dialog")


@state("approver-allowed")
def allowed(stage):
    card(stage)
    stage.click(".answers .allow")
    stage.waits(".outcome")


@state("approver-rejected")
def rejected(stage):
    card(stage)
    stage.click(".answers .reject")
    stage.waits(".outcome")


@state("approver-reported")
def reported(stage):
    report(stage)
    stage.click("dialog .danger")
    stage.waits(".outcome")


@state("approver-history")
def history(stage):
    stage.enrolled()
    stage.open("approver#history")
    stage.waits(".decisions li")


@state("approver-settings")
def settings(stage):
    stage.enrolled()
    stage.open("approver#settings")
    stage.waits(".phones li")


def logging_in(stage):
    """Another browser that waits for this phone."""
    browser = Browser(stage.issuer)
    browser.session.verify = str(stage.server.authority)
    page = browser.open(stage.url(prompt="login"))
    form = next(form for form in page.forms if "password" in form.fields)
    browser.submit(page, form=form, username=EMAIL, password=PASSWORD)


@state("approver-login")
def login_card(stage):
    stage.enrolled()
    logging_in(stage)
    stage.open("approver")
    stage.waits(".answers .reject:enabled")


@state("approver-login-typed")
def login_typed(stage):
    stage.enrolled()
    stage.change(lambda tenant: tenant["settings"].update(login_matching="type"))
    login_card(stage)
    stage.waits("input.digits")


@state("approver-key-gone")
def key_gone(stage):
    stage.enrolled()
    stage.forget_keys()
    stage.open("approver")
    stage.waits("h1")


# The hosted pages

@state("welcome")
def root(stage):
    stage.anew()
    stage.open("")


@state("absent")
def absent(stage):
    stage.anew()
    stage.open("no/such/page")


@state("login")
def login(stage):
    stage.anew()
    stage.driver.get(stage.url(prompt="login"))


@state("login-wrong-password")
def wrong_password(stage):
    login(stage)
    stage.submit(username=EMAIL, password="not the password")


@state("sign-up")
def sign_up(stage):
    stage.anew()
    stage.driver.get(stage.url(screen_hint="signup"))


@state("sign-up-weak-password")
def weak_password(stage):
    sign_up(stage)
    stage.submit(email="new@example.com", password="password")


@state("forgot-password")
def forgot_password(stage):
    login(stage)
    stage.leave(lambda: stage.click("a[href*=forgot]"))


@state("forgot-password-sent")
def forgot_password_sent(stage):
    forgot_password(stage)
    stage.submit(email="nobody@example.com")


@state("second-factor-push")
def push(stage):
    stage.enrolled()
    stage.anew(cookies_only=True)
    stage.driver.get(stage.url(prompt="login"))
    stage.submit(username=EMAIL, password=PASSWORD)


@state("second-factor-code")
def second_factor_code(stage):
    push(stage)
    stage.leave(lambda: stage.click("a[href*=mfa-code]"))


@state("second-factor-wrong-code")
def wrong_code(stage):
    second_factor_code(stage)
    stage.submit(code="000000")


@state("enroll-ticket")
def ticket(stage):
    stage.anew()
    stage.driver.get(f"{stage.issuer}guardian/enroll?ticket={stage.ticket()}")


@state("enroll-ticket-over")
def ticket_over(stage):
    stage.anew()
    stage.driver.get(f"{stage.issuer}guardian/enroll?ticket=AAAAAAAAAAAAAAAAAAAAAA")


@state("consent")
def consent(stage):
    stage.anew()
    stage.driver.get(stage.url(
        client="partner", scope="openid read:profile", audience="https://api.example.com", prompt="consent"))
    stage.submit(username="bob@example.com", password=PASSWORD)


@state("approval-page")
def approval_page(stage):
    stage.anew()
    stage.driver.get(stage.page_request())
    stage.submit(username="bob@example.com", password=PASSWORD)
    stage.waits("main")


@state("logged-out")
def logged_out(stage):
    stage.anew()
    stage.driver.get(f"{stage.issuer}v2/logout")


@state("error-client")
def error_client(stage):
    stage.anew()
    stage.driver.get(stage.url(client="nobody"))


# The account's pages

def account(path):
    def way(stage):
        stage.anew()
        stage.open(f"account{path}")
        stage.submit(username="bob@example.com", password=PASSWORD)
        stage.waits("h1")
    return way


for _path in (
        "", "/phones", "/phones/add", "/phones/lost", "/passkeys", "/recovery-codes", "/sessions", "/applications",
        "/history", "/password", "/preferences", "/export", "/deletion"):
    STATES[f"account{_path.replace('/', '-')}"] = account(_path)


@state("approval-page-allowed")
def approval_page_allowed(stage):
    approval_page(stage)
    # Each of its parts has to be in view.
    for _ in range(9):
        stage.driver.execute_script("scrollBy(0, 300)")
    stage.leave(lambda: stage.click("button.primary:enabled"))
    stage.waits("h1")
