"""Chromium as a phone: nobody approves by mistake. The amount stands first, everything was read, groups show their sum,
and history tells each outcome apart."""

import json
import os
import re
import secrets

import requests
from cryptography.hazmat.primitives.asymmetric import ec
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import test_approver
from login import USER
from programs import DEADLINE, eventually, run
from test_approver import SUBSCRIBE
from test_web_push import subscription

CLIENT = "Interoperability agent"
# Text nodes of an element, each with its words that are broken over two lines.
BROKEN = """
    const broken = []
    for (const element of document.querySelectorAll('button, h1, h2, h3, dt, nav a span, .chip, summary')) {
        if (!element.checkVisibility() || element.clientWidth <= 1) continue
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
        while (walker.nextNode()) {
            const node = walker.currentNode
            // A word of somebody else may be longer than a line.
            if (node.parentElement.closest('[dir=auto]')) continue
            for (const {index, 0: word} of node.data.matchAll(/[\\p{L}\\p{M}]+/gu)) {
                const range = document.createRange()
                range.setStart(node, index)
                range.setEnd(node, index + word.length)
                const rows = new Set([...range.getClientRects()].filter(({width}) => width > 0).map(({top}) => Math.round(top)))
                if (rows.size > 1) broken.push(word)
            }
        }
        if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline')
            broken.push('cut: ' + element.textContent)
    }
    return broken"""
# The largest text that the person sees on the card.
LARGEST = """
    let [size, text] = [0, '']
    const walker = document.createTreeWalker(document.querySelector('.card'), NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
        const {data, parentElement} = walker.currentNode
        const found = parseFloat(getComputedStyle(parentElement).fontSize)
        if (data.trim() && parentElement.checkVisibility() && !parentElement.closest('[aria-hidden]')) {
            if (found > size) text = ''
            if (found >= size) { text += data; size = found }
        }
    }
    return text"""


def transfer(amount, payee="Merchant A", currency="EUR", type="transfer"):
    return {"type": type, "amount": {"amount": amount, "currency": currency}, "payee": payee}


def plain(text):
    return re.sub("[\u2066-\u2069]", "", text).replace("\u00a0", " ").replace("\u202f", " ")


class CardTest(test_approver.ApproverTest):
    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        api = configuration["tenants"][0]["apis"][0]
        api["authorization_details"] += [
            {"type": "transfer"}, {"type": "allowance", "schema": {"type": "object", "x-groupable": True}}]
        configuration["tenants"][0]["settings"]["requests_per_minute_per_user"] = 1000
        return configuration

    def words(self, driver):
        return plain(self.text(driver))

    # The amount stands first

    def test_a_clients_words_never_outrank_the_amount(self):
        for language, dark, allow, says, allowed in (
            ("en", False, "Allow €2,500.00", f"{CLIENT} says:", "Allowed: €2,500.00 to Merchant A"),
            ("fr", True, "Autoriser 2 500,00 €", f"{CLIENT} écrit :", "Autorisée : 2 500,00 € à Merchant A"),
            ("de", False, "2.500,00 € erlauben", f"{CLIENT} schreibt:", "Erlaubt: 2.500,00 € an Merchant A"),
        ):
            names = {
                "en": {}, "fr": {"add": "Ajouter ce téléphone", "idle": "Aucune demande en attente"},
                "de": {"add": "Dieses Telefon hinzufügen", "idle": "Keine offenen Anfragen"}}[language]
            driver = self.phone(language=language, dark=dark, **names)
            asked = self.ask(message="Refund of 25 EUR to you", details=[transfer("2500.00")])
            self.sees(driver, "Refund of 25 EUR to you")
            self.assertIn("500", driver.execute_script(LARGEST))
            self.assertNotIn("Refund", driver.execute_script(LARGEST))
            quotation = driver.find_element(By.CSS_SELECTOR, "figure.says")
            self.assertIn(says, plain(quotation.text))
            self.assertEqual(
                quotation.find_element(By.TAG_NAME, "blockquote").value_of_css_property("font-style"), "italic")
            button = driver.find_element(By.CSS_SELECTOR, ".answers .allow")
            self.assertEqual(plain(button.text), allow)
            self.seen(driver, f"card-spoofed-{language}-360{'-dark' if dark else ''}")
            eventually(button.is_enabled)
            button.click()
            eventually(lambda: allowed in self.words(driver))
            self.seen(driver, f"card-allowed-{language}-360{'-dark' if dark else ''}")
            self.assertIn("access_token", self.outcome(asked))
            driver.quit()

    def test_without_a_headline_what_is_asked_is_the_largest_text(self):
        driver = self.phone()
        asked = self.ask(message="Refund of 25 EUR to you", details=[{"type": "anything", "note": "x"}])
        self.sees(driver, "Refund of 25 EUR to you")
        self.assertEqual(driver.execute_script(LARGEST).strip(), "anything")
        self.tap(driver, "Reject")
        self.sees(driver, "Rejected: anything")
        self.tap(driver, "OK")
        self.outcome(asked)
        asked = self.ask(message="Refund of 25 EUR to you")
        self.sees(driver, "Refund of 25 EUR to you")
        self.assertIn("Access to", driver.execute_script(LARGEST))
        self.tap(driver, "Reject")
        self.outcome(asked)

    def test_the_list_of_what_waits_begins_with_the_amount(self):
        driver = self.phone()
        first = self.ask(message="First", client="stranger")
        self.sees(driver, "First")
        other = self.ask(message="Refund", details=[transfer("2500.00")])
        self.sees(driver, "1 more waits")
        entry = driver.find_element(By.CSS_SELECTOR, ".entry")
        self.assertEqual(plain(entry.find_element(By.TAG_NAME, "strong").text), "€2,500.00 to Merchant A")
        self.seen(driver, "card-waiting-360")
        self.tap(driver, "Reject")
        self.tap(driver, "Next request")
        self.tap(driver, "Reject")
        self.outcome(first, client="stranger")
        self.outcome(other)

    # Reading is real

    def test_one_press_of_end_is_not_reading(self):
        driver = self.phone()
        asked = self.ask(details=[{"type": "anything", **{
            f"page-{page}": {f"field-{n}": f"value {n}" for n in range(page * 10, page * 10 + 10)} for page in range(4)}}])
        self.sees(driver, "parts left to read")
        allow = driver.find_element(By.CSS_SELECTOR, ".answers .allow")
        driver.find_element(By.TAG_NAME, "body").send_keys(Keys.END)
        eventually(lambda: driver.execute_script(
            "return scrollY > 500 && !document.querySelector('.read-on').unread.some(({element}) =>"
            " element.textContent === 'value 39')"))
        self.assertFalse(allow.is_enabled())
        left = driver.execute_script("return document.querySelector('.read-on').unread.length")
        self.assertGreater(left, 5)
        self.assertIn(f"{left} parts left to read", self.words(driver))
        self.seen(driver, "card-parts-left-360")
        driver.execute_script("scrollTo(0, 0)")
        taps = 0
        while not allow.is_enabled():
            unread = driver.execute_script("return document.querySelector('.read-on').unread?.[0]?.element")
            driver.find_element(By.CSS_SELECTOR, ".read-on button").click()
            taps += 1
            self.assertEqual(driver.switch_to.active_element, unread)
            eventually(lambda: driver.execute_script(
                "const {unread} = document.querySelector('.read-on');"
                "return !unread.length || unread[0].element !== arguments[0]", unread))
        self.assertLess(taps, 12)
        allow.click()
        self.sees(driver, "Allowed")
        self.assertIn("access_token", self.outcome(asked))

    def test_a_short_request_needs_nothing(self):
        driver = self.phone()
        asked = self.ask(details=[transfer("5.00")])
        allow = eventually(lambda: driver.find_elements(By.CSS_SELECTOR, ".answers .allow"))[0]
        eventually(allow.is_enabled)
        self.assertFalse(driver.find_element(By.CSS_SELECTOR, ".read-on").is_displayed())
        allow.click()
        self.assertIn("access_token", self.outcome(asked))

    # Groups

    def group(self, driver, *details):
        driver.get("about:blank")
        asked = [self.ask(message=f"Order {number}", details=[detail]) for number, detail in enumerate(details)]
        driver.get(self.approver)
        self.sees(driver, f"{len(details)} requests", *[f"Order {number}" for number in range(len(details))])
        return asked

    def test_an_outlier_in_a_group_is_seen_with_the_sum_before_all_are_allowed(self):
        driver = self.phone()
        asked = self.group(driver, *[
            transfer(amount, payee, type="allowance")
            for amount, payee in (("30.00", "A"), ("40.00", "B"), ("9000.00", "C"), ("35.50", "D"))])
        button = driver.find_element(By.CSS_SELECTOR, "[data-all] .allow")
        self.assertEqual(plain(button.text), "Allow all 4: €9,105.50")
        while not button.is_enabled():
            self.read_on(driver)
        self.seen(driver, "card-group-360")
        driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()
        dialog = driver.find_element(By.TAG_NAME, "dialog")
        rows = [plain(row.text) for row in dialog.find_elements(By.CSS_SELECTOR, ".together li")]
        self.assertEqual(
            [row.split("\n")[0] for row in rows],
            ["€30.00 to A", "€40.00 to B", "€9,000.00 to C", "€35.50 to D"])
        self.assertEqual([row for row in rows if "Far more than the others" in row], [rows[2]])
        self.assertIn("Sum\n€9,105.50", plain(dialog.text))
        allow = dialog.find_element(By.CSS_SELECTOR, "button.allow")
        self.assertEqual(plain(allow.text), "Allow all 4: €9,105.50")
        eventually(allow.is_enabled)
        self.seen(driver, "card-group-sum-360")
        allow.click()
        self.sees(driver, "All answered")
        self.seen(driver, "card-group-answered-360")
        for each in asked:
            self.assertIn("access_token", self.outcome(each))

    def test_requests_about_money_are_not_allowed_together_unless_their_type_says_so(self):
        driver = self.phone()
        asked = self.group(driver, transfer("30.00", type="allowance"), transfer("40.00"))
        self.sees(driver, "Requests about money are answered one by one", "Reject all 2")
        self.assertEqual(driver.find_elements(By.CSS_SELECTOR, "[data-all] .allow"), [])
        self.seen(driver, "card-group-money-360")
        self.tap(driver, "Reject all 2")
        driver.find_element(By.CSS_SELECTOR, "dialog button.reject").click()
        self.sees(driver, "All answered")
        for each in asked:
            self.assertEqual(self.outcome(each)["error"], "access_denied")

    # Looking back

    def test_history_tells_each_outcome_apart_and_a_receipt_can_be_read(self):
        driver = self.phone()
        other = self.server.phone(USER, "dev", "history")

        def ask(name, **more):
            return self.ask(message=name, details=[transfer("2500.00")], **more)

        def decide(name, *taps):
            asked = ask(name)
            self.sees(driver, name)
            for text in taps:
                self.tap(driver, text)
            eventually(lambda: driver.find_elements(By.CSS_SELECTOR, ".outcome"))
            self.outcome(asked)
            self.tap(driver, "OK")

        decide("An allowed one", "Allow")
        decide("A rejected one", "Reject")
        decide("A reported one", "I did not ask for this", "Reject and report")
        asked = ask("One with a reason")
        self.tap(driver, "Reject with a reason")
        driver.find_element(By.ID, "reason").send_keys("Too dear")
        driver.find_element(By.CSS_SELECTOR, "dialog button.danger").click()
        self.sees(driver, "Rejected: €2,500.00 to Merchant A")
        self.tap(driver, "OK")
        self.outcome(asked)
        # Answered elsewhere, withdrawn, and expired.
        asked = ask("One answered elsewhere")
        self.sees(driver, "One answered elsewhere")
        other.answer("allow")
        self.outcome(asked)
        self.sees(driver, "No answer needed any more")
        self.tap(driver, "OK")
        asked = ask("A withdrawn one")
        self.sees(driver, "A withdrawn one")
        requests.post(
            f"{self.issuer}oauth/revoke", auth=(self.client_id, self.client_secret), timeout=DEADLINE,
            verify=str(self.server.authority), data={"token": asked["auth_req_id"]})
        self.sees(driver, "No answer needed any more")
        self.tap(driver, "OK")
        ask("An expired one", requested_expiry=2)
        self.sees(driver, "Expired")
        self.tap(driver, "OK")
        # A wrong number.
        self.change(lambda tenant: next(
            client for client in tenant["clients"] if client["client_id"] == self.client_id).update(matching="choose"))
        asked = ask("A wrong number")
        self.sees(driver, "Which number")
        labels = driver.find_elements(By.CSS_SELECTOR, "button.number")
        self.assertIn("Allow €2,500.00 with the number", plain(labels[0].get_attribute("aria-label")))
        wrong = next(each.text for each in labels if each.text != asked["matching_code"])
        self.tap(driver, wrong)
        self.sees(driver, "another number was shown")
        self.tap(driver, "OK")

        expected = [
            ("A wrong number", "Rejected: another number was shown"), ("An expired one", "Expired"),
            ("A withdrawn one", "Withdrawn"), ("One answered elsewhere", "Allowed"),
            ("One with a reason", "Rejected with a reason"), ("A reported one", "Rejected and reported"),
            ("A rejected one", "Rejected"), ("An allowed one", "Allowed")]

        def told():
            driver.get("about:blank")
            driver.get(f"{self.approver}#history")
            self.sees(driver, "An allowed one")
            return [
                (message, each.find_element(By.CLASS_NAME, "chip").text)
                for each in driver.find_elements(By.CSS_SELECTOR, ".decisions > li")[:8]
                for message, _ in expected if message in each.text]

        # The server notes an expiry within seconds.
        eventually(lambda: len(told()) == 8)
        self.assertEqual(told(), expected)
        entries = driver.find_elements(By.CSS_SELECTOR, ".decisions > li")
        for each in entries[:8]:
            self.assertEqual(plain(each.find_element(By.TAG_NAME, "strong").text), "€2,500.00 to Merchant A")
        self.assertIn("Answered with", entries[3].text)
        self.seen(driver, "card-history-360")
        def opened(entry):
            summary = entry.find_element(By.TAG_NAME, "summary")
            summary.send_keys(Keys.ENTER)
            eventually(lambda: entry.find_elements(By.CLASS_NAME, "past"))
            return summary

        opened(entries[4]).send_keys(Keys.ENTER)
        self.assertIn("Reason: Too dear", entries[4].find_element(By.CLASS_NAME, "past").get_attribute("textContent"))
        opened(entries[1]).send_keys(Keys.ENTER)
        self.assertEqual(entries[1].find_elements(By.CLASS_NAME, "receipt"), [])

        allowed = entries[7]
        opened(allowed)
        self.tap(driver, "Show receipt")
        eventually(lambda: "Genuine." in allowed.text)
        receipt = plain(allowed.find_element(By.CLASS_NAME, "receipt").text)
        # The name that the tenant has by now.
        for text in ("Changed Bank signed this receipt", "Chrome on Linux signed this answer to exactly this request",
                     f"Asked by\n{CLIENT}", "What\n€2,500.00 to Merchant A", "Answer\nAllowed", "When\n",
                     "Answered with\nChrome on Linux", f"Signed by\n{self.issuer}"):
            self.assertIn(text, receipt)
        raw = allowed.find_element(By.TAG_NAME, "textarea")
        self.assertFalse(raw.is_displayed(), "the signed text is for experts")
        self.seen(driver, "card-receipt-360")
        allowed.find_element(By.CSS_SELECTOR, ".experts summary").send_keys(Keys.ENTER)
        text = raw.get_attribute("value")
        file = self.server.folder / f"{secrets.token_hex(4)}.jwt"
        file.write_text(text)
        run("countersign", "receipt", "verify", file, "--jwks", f"{self.issuer}.well-known/jwks.json", "--ca",
            self.server.authority)
        self.seen(driver, "card-receipt-experts-360")

    # Notifications

    def test_a_notification_shows_the_amount_only_where_the_person_wants_it(self):
        key, secret = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        driver = self.browser(width=360)
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
            "source": SUBSCRIBE.replace("SUBSCRIPTION", json.dumps(subscription(self.service, "card", key, secret)))})
        self.phone(driver=driver)
        self.worker(driver)
        driver.get(f"{self.approver}#settings")
        self.tap(driver, "Turn on notifications")
        self.sees(driver, "Show what is asked", "on the locked screen")
        device = self.device(driver)
        self.assertFalse(driver.find_element(By.ID, "preview").is_selected(), "off at first")
        self.seen(driver, "card-preview-360")
        asked = self.ask(message="Order 4717", details=[transfer("2500.00")])
        driver.get(self.approver)
        self.sees(driver, "Order 4717")
        request = driver.find_element(By.CSS_SELECTOR, "[data-request]").get_attribute("data-request")

        def notice():
            self.close_channel(driver)
            self.push(driver, kind="notification", dai=device, txlnkid=request)
            [notice] = eventually(lambda: self.notices(driver))
            self.push(driver, kind="withdrawal", dai=device, txlnkid=request)
            eventually(lambda: not self.notices(driver))
            return plain(notice["body"])

        def switched(is_on):
            """Taps the switch unless it is as wanted. The settings are drawn anew once the server has answered."""
            try:
                switch = driver.find_element(By.CSS_SELECTOR, "#preview:enabled")
                if switch.is_selected() is not is_on:
                    switch.click()
                return switch.is_selected() is is_on
            except (NoSuchElementException, StaleElementReferenceException):
                return False

        self.assertEqual(notice(), f"{CLIENT}: Order 4717")
        for is_on, body in ((True, f"{CLIENT}: €2,500.00 to Merchant A"), (False, f"{CLIENT}: Order 4717")):
            driver.get(f"{self.approver}#settings")
            eventually(lambda: switched(is_on))
            self.assertEqual(notice(), body)
        driver.get(self.approver)
        self.tap(driver, "Reject")
        self.outcome(asked)

    # Any text, any size

    def picture(self, driver, element):
        """A picture of an element in the middle, where no bar covers it."""
        element = driver.execute_script(f"const element = {element}; element.scrollIntoView({{block: 'center'}}); return element")
        return element.screenshot_as_png

    def test_marks_stay_in_their_row_and_deep_structure_shows(self):
        driver = self.phone()
        row = "document.querySelectorAll('.detail > dl > dd')"
        pictures = []
        for marks in (0, 60):
            deep = {"one": {"two": {"three": {"four": "bottom"}}}}
            asked = self.ask(
                message=f"Marks {marks}",
                details=[{"type": "anything", "above": "plain", "marked": "a" + "\u0301\u0330" * marks, "below": "plain", "deep": deep}])
            self.sees(driver, f"Marks {marks}")
            self.assertEqual(
                driver.execute_script(f"return [...{row}].slice(0, 3).map((each) => getComputedStyle(each).overflowY)"),
                ["clip"] * 3)
            pictures.append([self.picture(driver, f"{row}[{index}]") for index in (0, 2)])
            self.seen(driver, f"card-marks-{marks}-360")
            # Each level begins further in, or says its number.
            lists = driver.execute_script("""
                return [...document.querySelectorAll('.detail dl dl')].map((each) => [
                    each.getBoundingClientRect().left, Number(each.dataset.depth), each.querySelector('dt').textContent,
                    parseFloat(getComputedStyle(each).borderLeftWidth)])""")
            self.assertEqual([depth for _, depth, _, _ in lists], [2, 3, 4, 5])
            lefts = [left for left, _, _, _ in lists]
            self.assertEqual(lefts, sorted(set(lefts)))
            self.assertTrue(all(border > 0 for _, _, _, border in lists))
            self.assertTrue(all(re.match(r"4(\.1)+ ", text) for _, depth, text, _ in lists if depth >= 4), lists)
            self.tap(driver, "Reject")
            self.sees(driver, "Rejected")
            self.tap(driver, "OK")
            self.outcome(asked)
        self.assertEqual(*pictures)

    def test_at_twice_the_size_no_word_of_ours_is_broken_or_cut(self):
        for language, names in (
            ("en", {}), ("fr", {"add": "Ajouter ce téléphone", "idle": "Aucune demande en attente"}),
            ("de", {"add": "Dieses Telefon hinzufügen", "idle": "Keine offenen Anfragen"}),
        ):
            driver = self.phone(language=language, **names)
            asked = self.ask(message="Rechnung", details=[transfer("2500.00")])
            self.sees(driver, "Rechnung")
            # 360 pixels at 200 percent are 180.
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": 180, "height": 400, "deviceScaleFactor": 2, "mobile": True})
            eventually(lambda: driver.find_element(By.CSS_SELECTOR, ".answers .reject").is_enabled())
            self.assertEqual(driver.execute_script(BROKEN), [], language)
            self.seen(driver, f"card-200-percent-{language}-360")
            driver.find_element(By.CSS_SELECTOR, ".answers .reject").send_keys(Keys.ENTER)
            eventually(lambda: driver.find_elements(By.CSS_SELECTOR, ".outcome"))
            self.assertEqual(driver.execute_script(BROKEN), [], language)
            self.outcome(asked)
            driver.quit()
