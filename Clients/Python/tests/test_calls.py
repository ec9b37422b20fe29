"""Functions that ask, the client's waiting, and checks in an API, against the fake server."""

import asyncio
import functools
import threading
import time

import pytest

from countersign import (
    CannotAsk, Changed, Countersign, NobodyAnswered, Pending, Policy, Rejected, approve, calling, current, run_all,
    run_all_async)
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


@pytest.mark.parametrize("value", [float("nan"), b"1", object(), 2**60, [10**5000], {1: 2}, "\ud800"])
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
    text = payment(Countersign.fake()).call(5, "Bob Miller").start().to_json()
    assert "Bob Miller" not in text and Pending.from_json(text).to_json() == text
    for broken in ("", "[]", "{}", text.replace('"version":1', '"version":2'), text.replace('"interval":5', '"interval":"5"')):
        with pytest.raises(CannotAsk):
            Pending.from_json(broken)


def test_receipts_are_kept_before_the_call_runs(tmp_path):
    folder = tmp_path / "receipts"
    seen = []
    approve(client=Countersign.fake(receipts=folder))(lambda: seen.extend(folder.iterdir()))()
    assert sorted(file.suffix for file in seen) == [".json", ".jwt"]
    assert all(file.stat().st_mode & 0o077 == 0 for file in seen)


def test_an_async_function_cannot_keep_receipts_that_nobody_would_wait_for():
    async def keep(_):
        pass

    for option in ("receipts", "on_asked"):
        with pytest.raises(TypeError, match="plain functions"):
            Countersign.fake(**{option: keep})


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


def test_names_of_arguments_are_no_text_whose_parts_would_be_left_out():
    for name in ("leave_out", "as_digest"):
        with pytest.raises(TypeError, match="several names"):
            Policy(**{name: "request"})
    assert Policy(leave_out=iter(["a"])).leave_out == frozenset("a")


def test_a_decorator_without_parentheses_and_a_function_without_a_name_are_refused():
    with pytest.raises(TypeError, match="parentheses"):
        approve(lambda: 1)
    with pytest.raises(TypeError, match="name"):
        approve()(functools.partial(lambda: 1))


def test_an_object_with_an_async_call_waits_in_the_loop():
    class Tool:
        async def __call__(self) -> str:
            return current().subject

    assert asyncio.run(approve(name="tool", client=Countersign.fake())(Tool())()) == "auth0|person"


def test_an_object_that_generates_is_refused():
    class Tool:
        def __call__(self):
            yield 1

    with pytest.raises(TypeError, match="piece by piece"):
        approve(name="tool")(Tool())


def test_a_digest_keeps_a_value_and_the_text_of_its_json_apart():
    call = approve(as_digest=["x"], client=Countersign.fake())(lambda x: x)
    shown = [call.call(x).question.detail["arguments"]["x"] for x in ("[1]", b"[1]", [1])]
    assert shown[0] == shown[1] == {"sha256": shown[2]["sha256"], "bytes": 3} and shown[2]["kind"] == "json"
    with pytest.raises(CannotAsk, match="surrogate"):
        call("\ud800")


def test_the_zero_that_runs_is_the_zero_that_was_shown():
    client = Countersign.fake()
    assert str(approve("payment", headline="{x} EUR", client=client)(lambda x: x)(-0.0)) == "0.0"
    assert client.asked[0]["headline"] == "0.0 EUR"


def test_a_template_cannot_hide_an_argument():
    client = Countersign.fake()
    approve(headline=lambda given: given.pop("x"), client=client)(lambda x: x)("all")
    assert client.asked[0]["arguments"] == {"x": "all"}


def test_words_of_a_model_that_no_text_may_have_stop_no_call():
    client = Countersign.fake()
    with calling(says="a\0b\ud800"):
        payment(client)(5, "Bob")
    assert client.asked[0]["says"] == "a\ufffdb\ufffd"


def test_a_refused_argument_is_named_with_advice():
    with pytest.raises(CannotAsk, match="argument when .*type object.*encode.*leave_out"):
        approve(client=Countersign.fake())(lambda when: when)(object())


def test_an_exception_of_one_function_of_several_takes_nothing_from_the_others():
    client = Countersign.fake()

    @approve(client=client)
    def divide(by):
        return 1 / by

    @approve(client=client)
    async def divide_async(by):
        return 1 / by

    for results in (
        run_all([divide.call(0), divide.call(1)]), asyncio.run(run_all_async([divide_async.call(0), divide_async.call(1)])),
    ):
        assert isinstance(results[0], ZeroDivisionError) and results[1] == 1


def test_an_interrupted_wait_for_several_withdraws_all():
    server = FakeServer(None, "fake-client")
    client = FakeCountersign(server=server)

    @approve(client=client)
    def work(x):
        raise KeyboardInterrupt

    withdrawn, withdraw = threading.Event(), server.withdraw

    def noticed(form):
        withdrawn.set()
        return withdraw(form)

    server.withdraw = noticed

    def answer(detail):
        while detail["arguments"]["x"] == 1 and len(server.requests) < 2:
            time.sleep(0.01)
        return "allow" if detail["arguments"]["x"] == 1 or not withdrawn.wait(5) else None

    server.answer(answer)
    with pytest.raises(KeyboardInterrupt):
        run_all([work.call(1), work.call(2)])
    assert server.requests[0].is_withdrawn and server.requests[1].is_withdrawn


def test_a_request_that_cannot_be_announced_is_withdrawn():
    def broken(_):
        raise ValueError("no page")

    client = Countersign.fake(on_asked=broken)
    with pytest.raises(ValueError, match="no page"):
        payment(client)(5, "Bob")
    assert client.server.requests[0].is_withdrawn


def test_receipts_of_rejections_are_kept_too(tmp_path):
    kept = []
    client = Countersign.fake(("reject", "too much"), receipts=kept.append)
    with pytest.raises(Rejected):
        payment(client)(5, "Bob")
    assert [(receipt.allowed, receipt.reason) for receipt in kept] == [(False, "too much")]
    call = payment(Countersign.fake(None, receipts=tmp_path)).call(5, "Bob")
    pending = call.start()
    call.cancel(pending)
    with pytest.raises(Rejected):
        call.resume(pending)
    assert list(tmp_path.iterdir()) == []


def test_a_rejection_whose_receipt_cannot_be_kept_is_one(caplog):
    def full(_):
        raise OSError("no space")

    with pytest.raises(Rejected):
        payment(Countersign.fake("reject", receipts=full))(5, "Bob")
    assert "no space" in caplog.text


def test_a_secret_that_is_given_counts_before_a_key_of_the_environment(monkeypatch):
    monkeypatch.setenv("COUNTERSIGN_CLIENT_KEY", "/nowhere")
    assert read_settings("https://id.example.com/", "agent", "secret").secret == "secret"


@pytest.mark.parametrize("issuer", [
    "https://id.example.com:99999/", "https://id.example.com/a b", "https://b\u00fccher.example/", "https://a@b/",
    "https://[::1/", "https://id.example.com/?", "https://id.example.com/#"])
def test_an_address_that_cannot_be_called_is_refused_at_the_start(issuer):
    with pytest.raises(CannotAsk, match="https address"):
        read_settings(issuer, "agent", "secret")
