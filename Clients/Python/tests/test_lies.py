"""Lies in the loop: a model, a framework or a server that wants something else to run than what the person approved.

Each case is a call with generated arguments and one lie. Nothing of it runs. The true cases are the same calls without
a lie, and all of them run with exactly the arguments that were given.
"""

import base64
import copy
import json
import random
import unicodedata

import pytest

from countersign import Approval, Countersign, CountersignError, Pending, approve
from countersign._json import canonical, digest
from countersign._jose import sign
from countersign.fake import FakeCountersign, FakeServer
from cryptography.hazmat.primitives.asymmetric import ec

SEEDS = range(9)
NAMES = ["Hanna Herwitz", "Bäckerei Zoë", "Société Générale", "Müller & Söhne", "株式会社", "Ада", "O'Neil", "a\u200bb", "🧾 Ltd"]
# Latin letters, and letters of other scripts that look alike.
ALIKE = {"a": "а", "e": "е", "o": "о", "H": "Н", "c": "с", "i": "і", "M": "М", "S": "Ѕ"}
INVISIBLE = ["\u200b", "\u200d", "\u2060", "\ufe0f", "\U000e0041", "\u202e", "\u00ad"]


def order(chance):
    return {
        "payee": f"{chance.choice(NAMES)} {chance.choice('aeoci')}é",
        "amount": chance.choice([chance.randint(1, 10**6), round(chance.uniform(0.01, 10**6), 2)]),
        "lines": [{"sku": f"{chance.randint(0, 999):03d}", "count": chance.randint(1, 9)} for _ in range(chance.randint(1, 3))],
        "express": chance.random() < 0.5, "note": chance.choice([None, "", "für Anna", "1", "true"]),
    }


class Liar(FakeServer):
    """A server whose parts can be replaced."""

    def __init__(self):
        super().__init__("allow", "fake-client")
        self.change = {}

    def changed(self, part, value, *more):
        return self.change[part](value, *more) if part in self.change else value

    def token_claims(self, asked, digest):
        return self.changed("claims", super().token_claims(asked, digest), asked)

    def record(self, asked):
        return self.changed("record", super().record(asked), asked)

    def receipt(self, asked):
        return self.changed("receipt", super().receipt(asked), asked)

    def tokens(self, asked):
        return self.changed("response", super().tokens(self.changed("asked", asked)), asked)


class Scene:
    """A client at a server, a guarded function, and the list of what it ran with."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.server = Liar()
        self.client = FakeCountersign(server=self.server)
        self.order, self.ran = order(self.chance), []

        @approve("payment", headline="{order[amount]} EUR", to="{order[payee]}", client=self.client)
        def pay(order, reference=("a", 1)):
            self.ran.append(order)
            return "paid"

        self.pay = pay

    def lie(self, **changes):
        self.server.change.update(changes)

    def runs(self):
        return self.pay(self.order)

    def meanwhile(self, change):
        """Runs a change after the person saw the call, and before it runs."""
        def answer(detail):
            change()
            return "allow"

        self.server.answer(answer)

    def earlier(self, order=None):
        """The token response of another approval."""
        pending = self.pay.call(order or self.order).start()
        return self.server.tokens(self.server.requests[-1]), pending

    def later(self, seconds):
        self.server.sleep(seconds)


def detail_with(change):
    """A change of the details in a token, a response or a record."""
    def apply(value, *_):
        value = copy.deepcopy(value)
        change(value["authorization_details"][0])
        return value

    return apply


# MARK: the server's lies

def forged_headline_in_the_record(scene):
    scene.lie(record=detail_with(lambda detail: detail.update(headline=f"{scene.chance.randint(1, 9)} EUR!")))


def forged_payee_in_the_record(scene):
    scene.lie(record=detail_with(lambda detail: detail.update(to="Somebody")))


def forged_words_in_the_record(scene):
    scene.lie(record=detail_with(lambda detail: detail.update(says="a small payment")))


def other_amount_in_the_token(scene):
    scene.lie(claims=detail_with(lambda detail: detail["arguments"]["order"].update(amount=scene.order["amount"] + 1)))


def other_amount_in_the_response(scene):
    scene.lie(response=detail_with(lambda detail: detail["arguments"]["order"].update(amount=scene.order["amount"] + 1)))


def other_argument_in_all(scene):
    change = detail_with(lambda detail: detail["arguments"]["order"].update(payee="Mallory"))
    scene.lie(claims=change, response=change, record=change)


def one_more_detail(scene):
    def change(value, *_):
        return {**value, "authorization_details": value["authorization_details"] * 2}

    scene.lie(**{scene.chance.choice(["claims", "response", "record"]): change})


def no_details(scene):
    part = scene.chance.choice(["claims", "response", "record"])
    scene.lie(**{part: lambda value, *_: {name: each for name, each in value.items() if name != "authorization_details"}})


def other_issuer(scene):
    if scene.chance.random() < 0.5:
        scene.lie(claims=lambda claims, _: {**claims, "iss": "https://evil.invalid/"})
    else:
        scene.lie(record=lambda record, _: {**record, "iss": "https://evil.invalid/"},
                  receipt=lambda receipt, _: {**receipt, "iss": "https://evil.invalid/"})


def other_audience(scene):
    part = scene.chance.choice(["claims", "record"])
    name = {"claims": "aud", "record": "audience"}[part]
    scene.lie(**{part: lambda value, _: {**value, name: "https://api.invalid/"}})


def other_client(scene):
    if scene.chance.random() < 0.5:
        scene.lie(claims=lambda claims, _: {**claims, "azp": "another"})
    else:
        scene.lie(record=lambda record, _: {**record, "client_id": "another"},
                  receipt=lambda receipt, _: {**receipt, "aud": "another"})


def other_person(scene):
    scene.lie(claims=lambda claims, _: {**claims, "sub": "auth0|somebody"})


def other_message(scene):
    scene.lie(record=lambda record, _: {**record, "binding_message": "Order 4711"})


def ended_token(scene):
    scene.lie(claims=lambda claims, _: {**claims, "iat": claims["iat"] - 9999, "exp": claims["iat"] - 999})


def token_of_another_key(scene):
    key = ec.generate_private_key(ec.SECP256R1())

    def change(response, asked):
        claims = scene.server.token_claims(asked, "x" * 43)
        return {**response, "access_token": sign({"typ": "JWT", "kid": "fake"}, claims, key)}

    scene.lie(response=change)


def unsigned_token(scene):
    def change(response, _):
        payload = response["access_token"].split(".")[1]
        header = base64.urlsafe_b64encode(b'{"alg":"none","kid":"fake","typ":"JWT"}').rstrip(b"=").decode()
        return {**response, "access_token": f"{header}.{payload}."}

    scene.lie(response=change)


def receipt_as_token(scene):
    scene.lie(response=lambda response, _: {**response, "access_token": response["approval_receipt"]})


def token_as_receipt(scene):
    scene.lie(response=lambda response, _: {**response, "approval_receipt": response["access_token"]})


def missing_part(scene):
    part = scene.chance.choice(["access_token", "approval_receipt"])
    scene.lie(response=lambda response, _: {name: each for name, each in response.items() if name != part})


def changed_byte(scene):
    part = scene.chance.choice(["access_token", "approval_receipt"])

    def change(response, _):
        text = response[part]
        place = scene.chance.randrange(len(text) - 1)
        return {**response, part: text[:place] + chr(ord(text[place]) ^ 1) + text[place + 1:]}

    scene.lie(response=change)


def rejection_with_a_token(scene):
    scene.lie(receipt=lambda receipt, _: {**receipt, "decision": "rejected"})


def valid_rejection_with_a_token(scene):
    def change(receipt, _):
        kept = {name: each for name, each in receipt.items() if name not in ("answer", "device")}
        session = {"sid_sha256": "x", "auth_time": "2026-01-01T00:00:00.000Z", "amr": []}
        return {**kept, "decision": "rejected", "evidence": "session", "session": session}

    scene.lie(receipt=change)


def decision_after_the_end(scene):
    scene.lie(receipt=lambda receipt, _: {**receipt, "decided_at": "2999-01-01T00:00:00.000Z"})


def replay(scene):
    """The very answer to an earlier request for the same call."""
    response, _ = scene.earlier()
    scene.lie(response=lambda *_: response)


def replay_without_approval(scene):
    """An earlier token that does not name its approval, beside the receipt of this one."""
    def change(claims, _):
        return {name: each for name, each in claims.items() if name != "approval"}

    scene.lie(claims=change)
    response, _ = scene.earlier()
    scene.later(5)
    scene.lie(response=lambda new, _: {**new, "access_token": response["access_token"]})


def receipt_of_another_request(scene):
    response, _ = scene.earlier()
    scene.lie(response=lambda new, _: {**new, "approval_receipt": response["approval_receipt"]})


def token_of_another_request(scene):
    response, _ = scene.earlier()
    scene.lie(response=lambda new, _: {**new, "access_token": response["access_token"]})


def approval_of_another_call(scene):
    response, _ = scene.earlier(order(scene.chance))
    scene.lie(response=lambda *_: response)


# MARK: lies between asking and running

def alike_letters(scene):
    def change():
        scene.order["payee"] = scene.order["payee"].translate(str.maketrans(ALIKE)).replace("é", "e")

    scene.meanwhile(change)


def invisible_letters(scene):
    scene.meanwhile(lambda: scene.order.update(payee=scene.order["payee"] + scene.chance.choice(INVISIBLE)))


def other_normalization(scene):
    scene.meanwhile(lambda: scene.order.update(payee=unicodedata.normalize("NFD", scene.order["payee"])))


def changed_number(scene):
    amount = scene.order["amount"]
    changed = scene.chance.choice([amount + 1, -amount, str(amount), True, amount * 1.0000000000000004, None, [amount]])
    scene.meanwhile(lambda: scene.order.update(amount=changed))


def changed_deep_inside(scene):
    def change():
        line = scene.order["lines"][-1]
        line.update(scene.chance.choice([{"count": line["count"] + 1}, {"sku": line["sku"] + " "}, {"more": None}]))

    scene.meanwhile(change)


def changed_list(scene):
    lines = scene.order["lines"]
    scene.meanwhile(scene.chance.choice([
        lines.clear, lambda: lines.append(lines[0]), lambda: lines.insert(0, {"sku": "x", "count": 1}), lines.pop]))


def changed_kind(scene):
    scene.meanwhile(lambda: scene.order.update(
        scene.chance.choice([{"express": int(scene.order["express"])}, {"note": "null"}, {"note": 0}, {"express": None}])))


def changed_name(scene):
    scene.meanwhile(lambda: scene.order.update({"Payee": scene.order.pop("payee")}))


def become_unwritable(scene):
    scene.meanwhile(lambda: scene.order.update(amount=scene.chance.choice([float("nan"), 2**60, b"1", object(), {1: 2}])))


# MARK: lies with pending requests and approvals

def resumed(scene, change):
    """A pending request in JSON that was changed while nobody watched."""
    call = scene.pay.call(scene.order)
    members = json.loads(call.start().to_json())
    change(members)
    scene.runs = lambda: call.resume(Pending.from_json(json.dumps(members)))


def pending_of_another_call(scene):
    other = scene.pay.call(order(scene.chance)).start()
    resumed(scene, lambda members: members.update(auth_req_id=other.auth_req_id))


def pending_of_another_request(scene):
    other = scene.pay.call(scene.order).start()
    resumed(scene, lambda members: members.update(auth_req_id=other.auth_req_id))


def pending_of_another_issuer(scene):
    resumed(scene, lambda members: members.update(issuer="https://evil.invalid/"))


def pending_with_another_digest(scene):
    resumed(scene, lambda members: members.update(digest=digest(scene.chance.random())))


def resumed_with_other_arguments(scene):
    pending = scene.pay.call(scene.order).start()
    scene.order["amount"] += 1
    scene.runs = lambda: scene.pay.call(scene.order).resume(pending)


def approval_used_twice(scene):
    call = scene.pay.call(scene.order)
    approval = call.wait(call.start())
    call.run(approval)
    scene.ran.clear()
    scene.runs = lambda: call.run(approval)


def approval_for_another_call(scene):
    call = scene.pay.call(order(scene.chance))
    approval = call.wait(call.start())
    scene.runs = lambda: scene.pay.call(scene.order).run(approval)


def request_redeemed_twice(scene):
    call = scene.pay.call(scene.order)
    pending = call.start()
    call.resume(pending)
    scene.ran.clear()
    scene.runs = lambda: call.resume(Pending.from_json(pending.to_json()))


SERVER = [
    forged_headline_in_the_record, forged_payee_in_the_record, forged_words_in_the_record, other_amount_in_the_token,
    other_amount_in_the_response, other_argument_in_all, one_more_detail, no_details, other_issuer, other_audience,
    other_client, other_person, other_message, ended_token, token_of_another_key, unsigned_token, receipt_as_token,
    token_as_receipt, missing_part, changed_byte, rejection_with_a_token, valid_rejection_with_a_token, decision_after_the_end, replay,
    replay_without_approval, receipt_of_another_request, token_of_another_request, approval_of_another_call]
BETWEEN = [
    alike_letters, invisible_letters, other_normalization, changed_number, changed_deep_inside, changed_list, changed_kind,
    changed_name, become_unwritable]
KEPT = [
    pending_of_another_call, pending_of_another_request, pending_of_another_issuer, pending_with_another_digest,
    resumed_with_other_arguments, approval_used_twice, approval_for_another_call, request_redeemed_twice]
LIES = [*SERVER, *BETWEEN, *KEPT]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_lie_runs_nothing(lie, seed):
    scene = Scene(f"{lie.__name__} {seed}")
    lie(scene)
    with pytest.raises(CountersignError):
        scene.runs()
    assert scene.ran == []


def test_there_are_300_lies():
    assert len(LIES) * len(SEEDS) >= 300


@pytest.mark.parametrize("seed", range(100))
def test_a_true_call_runs_with_exactly_its_arguments(seed):
    scene = Scene(seed)
    before = copy.deepcopy(scene.order)
    assert scene.runs() == "paid"
    assert scene.ran == [before] and canonical(scene.ran[0]) == canonical(before)
    assert scene.server.requests[-1].detail["arguments"] == {"order": before, "reference": ["a", 1]}


@pytest.mark.parametrize("seed", range(20))
def test_a_true_call_goes_on_in_another_process(seed):
    scene = Scene(seed)
    text = scene.pay.call(scene.order).start().to_json()
    scene.later(100)
    assert scene.pay.call(copy.deepcopy(scene.order)).resume(Pending.from_json(text)) == "paid"


def test_a_change_while_the_function_runs_does_not_reach_it():
    scene = Scene(1)
    given = scene.order
    scene.runs()
    given["amount"] = -1
    given["lines"].clear()
    assert scene.ran[0]["amount"] != -1 and scene.ran[0]["lines"]


def test_fakes_have_approvals_of_the_real_type():
    client = Countersign.fake()
    call = approve(client=client)(lambda x: x).call(1)
    assert isinstance(call.wait(call.start()), Approval)
