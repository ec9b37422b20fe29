"""Functions that ask, the client's waiting, and checks in an API, against the fake server."""

import asyncio

import pytest

from countersign import CannotAsk, Changed, Countersign, NobodyAnswered, Pending, Rejected, approve, current, run_all
from countersign._http import Answer, Unreachable
from countersign._settings import hint, read_settings
from countersign.api import NotApproved, Verifier
from countersign.fake import ISSUER, FakeCountersign, FakeServer


def payment(client):
    @approve("payment", headline="{amount} EUR", to="{payee}", client=client)
    def pay(amount: float, payee: str, note: str = "") -> str:
        return f"paid {amount} to {payee}"

    return pay


def test_the_card_is_made_of_the_bound_arguments_with_defaults():
    client = Countersign.fake()
    assert payment(client)(5, payee="Bob") == "paid 5 to Bob"
    assert client.asked == [{
        "type": "payment", "tool": "pay", "headline": "5 EUR", "to": "Bob",
        "arguments": {"amount": 5, "payee": "Bob", "note": ""}}]


def test_other_answers_than_yes_run_nothing():
    client = Countersign.fake([("reject", "too \u202emuch"), "nobody"])
    with pytest.raises(Rejected) as raised:
        payment(client)(5, "Bob")
    assert raised.value.reason == "too \u202emuch" and "\u202e" not in str(raised.value)
    with pytest.raises(NobodyAnswered):
        payment(client)(5, "Bob")
    client.answer(None)
    with pytest.raises(NobodyAnswered):
        payment(client)(5, "Bob")


def test_an_async_function_waits_in_the_loop_and_a_cancelled_one_withdraws():
    server = FakeServer(None, "fake-client")

    async def held(request):
        await asyncio.sleep(0.02)
        return server.send(request)

    server.send_async = held
    client = FakeCountersign(server=server)

    @approve(client=client)
    async def work(x: int) -> str:
        return current().subject

    async def run():
        task = asyncio.create_task(work(1))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        client.answer("allow")
        return await work(2)

    assert asyncio.run(run()) == "auth0|person"
    assert [request.is_withdrawn for request in server.requests] == [True, False]


def test_one_rejection_of_several_rejects_one():
    client = Countersign.fake(lambda detail: "reject" if detail["to"] == "Eve" else "allow")
    pay = payment(client)
    paid, refused, again = run_all([pay.call(1, "Bob"), pay.call(2, "Eve"), pay.call(3, "Bob")])
    assert (paid, again) == ("paid 1 to Bob", "paid 3 to Bob") and isinstance(refused, Rejected)


def test_failures_of_the_network_and_the_server_are_waited_out():
    server = FakeServer("allow", "fake-client")
    send, failures = server.send, [Unreachable("reset"), Answer(503, {"retry-after": "2"}, b""), Unreachable("reset")]

    def failing(request):
        if failures:
            failure = failures.pop()
            if isinstance(failure, Unreachable):
                raise failure
            return failure
        failures.extend([Unreachable("reset")] if request.url.endswith("bc-authorize") else [])
        return send(request)

    server.send = failing
    assert payment(FakeCountersign(server=server))(5, "Bob") == "paid 5 to Bob"
    assert len(server.requests) == 1


def test_a_server_that_stays_away_is_no_answer():
    server = FakeServer("allow", "fake-client")
    client = FakeCountersign(server=server)
    call = payment(client).call(5, "Bob")
    pending = call.start()

    def away(_):
        raise Unreachable("reset")

    server.send = away
    with pytest.raises(CannotAsk, match="could not be reached"):
        call.wait(pending)


@pytest.mark.parametrize("value", [float("nan"), b"1", object(), 2**60, {1: 2}, "\ud800"])
def test_a_value_that_is_no_json_is_refused_before_anybody_is_rung(value):
    client = Countersign.fake()
    with pytest.raises(CannotAsk):
        approve(client=client)(lambda value: value)(value)
    assert client.asked == []


@pytest.mark.parametrize("template", ["{amount.real}", "{missing}", "{amount", "   ", "{}"])
def test_a_template_reads_arguments_alone(template):
    with pytest.raises(CannotAsk):
        approve(headline=template, client=Countersign.fake())(lambda amount: 1)(1)


def test_a_pending_request_is_text_without_arguments():
    text = payment(Countersign.fake()).call(5, "Bob").start().to_json()
    assert "Bob" not in text and Pending.from_json(text).to_json() == text
    for broken in ("", "[]", "{}", text.replace('"version":1', '"version":2'), text.replace('"interval":5', '"interval":"5"')):
        with pytest.raises(CannotAsk):
            Pending.from_json(broken)


def test_receipts_are_kept_before_the_call_runs(tmp_path):
    folder = tmp_path / "receipts"
    seen = []
    approve(client=Countersign.fake(receipts=folder))(lambda: seen.extend(folder.iterdir()))()
    assert sorted(file.suffix for file in seen) == [".json", ".jwt"]
    assert all(file.stat().st_mode & 0o077 == 0 for file in seen)


def test_settings_come_from_arguments_then_variables_then_a_loopback_servers_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("ISSUER", "CLIENT_ID", "CLIENT_SECRET", "CLIENT_KEY", "USER", "AUDIENCE", "CA"):
        monkeypatch.delenv(f"COUNTERSIGN_{name}", raising=False)
    with pytest.raises(CannotAsk, match="COUNTERSIGN_ISSUER"):
        read_settings()
    file = tmp_path / "countersign-data" / "development.json"
    file.parent.mkdir()
    text = '{"issuer":"https://HOST:8443/","client_id":"c","client_secret":"s","user_id":"u"}'
    file.write_text(text.replace("HOST", "localhost"))
    assert read_settings().client_id == "c" and read_settings(user="v").user == "v"
    file.write_text(text.replace("HOST", "evil.invalid"))
    with pytest.raises(CannotAsk, match="elsewhere"):
        read_settings()
    monkeypatch.setenv("COUNTERSIGN_ISSUER", "https://id.example.com")
    monkeypatch.setenv("COUNTERSIGN_CLIENT_ID", "agent")
    monkeypatch.setenv("COUNTERSIGN_CLIENT_SECRET", "secret")
    assert read_settings().issuer == "https://id.example.com/"
    with pytest.raises(CannotAsk):
        read_settings("http://id.example.com/")
    for user, form in (("a@b.c", "email"), ("+41", "phone_number"), ("auth0|a@b", "opaque")):
        assert f'"format":"{form}"' in hint(user)


def test_an_api_lets_an_approved_call_through_once():
    client = Countersign.fake()
    call = payment(client).call(5, "Bob")
    approval = call.wait(call.start())
    verifier = Verifier(ISSUER, "urn:countersign:agent-tools", transport=client.server, needs_receipt=True)
    bearer, detail = f"Bearer {approval.access_token}", client.asked[0]
    other = {**detail, "headline": "6 EUR"}
    for header, wanted, receipt, status in (
        (None, detail, approval.receipt.text, 401), (f"{bearer}x", detail, approval.receipt.text, 401),
        (bearer, other, approval.receipt.text, 403), (bearer, detail, None, 403), (bearer, detail, "x.y.z", 403),
    ):
        with pytest.raises(NotApproved) as refused:
            verifier.check(header, wanted, receipt)
        assert refused.value.status == status
    assert asyncio.run(verifier.check_async(bearer, detail, approval.receipt.text)).subject == "auth0|person"
    with pytest.raises(NotApproved) as refused:
        verifier.check(bearer, detail, approval.receipt.text)
    assert refused.value.status == 409


def test_the_plugins_fixture_is_the_client_of_decorators(countersign):
    @approve()
    def work():
        return "done"

    countersign.answer("reject")
    with pytest.raises(Rejected):
        work()
    assert countersign.asked[0]["tool"] == "work"


def test_an_approval_of_other_arguments_is_changed():
    call = approve(client=Countersign.fake())(lambda items: items).call(items := [1])
    approval = call.wait(call.start())
    items.append(2)
    with pytest.raises(Changed):
        call.run(approval)
