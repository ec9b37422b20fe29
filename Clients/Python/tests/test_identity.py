"""An approval is one of one question to one person by one client, once, and by keys that the issuer still has."""

import pytest

from countersign import Changed, Countersign, approve, calling
from countersign.api import NotApproved, OnceInMemory, Verifier
from countersign.fake import ISSUER, FakeCountersign, FakeServer

TRAVEL = "https://travel.example.com/"
TOOLS = "urn:countersign:agent-tools"


def deploying(client, user):
    return approve(client=client, user=user)(lambda version: f"deployed {version}")


def approved(call):
    pending = call.start()
    return pending, call.wait(pending)


def test_an_approval_of_another_person_runs_nothing():
    client = Countersign.fake()
    pending = deploying(client, "auth0|bob").call("1.4").start()
    with pytest.raises(Changed, match="person"):
        deploying(client, "auth0|alice").call("1.4").resume(pending)
    _, approval = approved(deploying(client, "auth0|bob").call("1.4"))
    with pytest.raises(Changed):
        deploying(client, "auth0|alice").call("1.4").run(approval)
    assert deploying(client, "auth0|bob").call("1.4").run(approval) == "deployed 1.4"


def test_a_pending_request_to_another_address_runs_nothing_and_stays():
    client = Countersign.fake()
    pending = deploying(client, "bob@example.com").call("1.4").start()
    with pytest.raises(Changed, match="another person"):
        deploying(client, "alice@example.com").call("1.4").resume(pending)
    assert deploying(client, "bob@example.com").call("1.4").resume(pending) == "deployed 1.4"


def test_a_server_that_takes_the_answer_of_another_person_runs_nothing():
    class Other(FakeServer):
        def start(self, form, headers):
            return super().start({**form, "login_hint": form["login_hint"].replace("alice", "bob")}, headers)

    client = FakeCountersign(server=Other("allow", "fake-client"))
    with pytest.raises(Changed, match="person"):
        deploying(client, "auth0|alice")("1.4")
    assert deploying(client, "alice@example.com")("1.4") == "deployed 1.4"


def test_an_approval_of_another_function_with_the_same_type_runs_nothing():
    client = Countersign.fake()
    book = approve("trip", audience=TRAVEL, name="book", client=client)(lambda to: "booked")
    cancel = approve("trip", audience=TRAVEL, name="cancel", client=client)(lambda to: "cancelled")
    with pytest.raises(Changed):
        cancel.call("FCO").resume(book.call("FCO").start())
    _, approval = approved(book.call("FCO"))
    with pytest.raises(Changed):
        cancel.call("FCO").run(approval)


def test_an_approval_for_another_api_runs_nothing():
    client = Countersign.fake()
    calls = [approve("trip", audience=each, name="book", client=client)(lambda to: "booked").call("FCO")
             for each in (TRAVEL, f"{TRAVEL}test/")]
    _, approval = approved(calls[0])
    with pytest.raises(Changed):
        calls[1].run(approval)


def test_the_same_call_for_two_people_is_two_requests():
    client = Countersign.fake()
    with calling("call-1"):
        calls = [deploying(client, user).call("1.4") for user in ("auth0|alice", "auth0|bob")]
    assert len({call.start().auth_req_id for call in calls}) == 2


def test_an_answer_that_the_server_gives_twice_runs_once():
    class Forgetful(FakeServer):
        def tokens(self, asked):
            asked.is_redeemed = False
            self.first = getattr(self, "first", None) or super().tokens(asked)
            return self.first

    ran = []
    call = approve(client=FakeCountersign(server=Forgetful("allow", "fake-client")))(ran.append).call(1)
    pending = call.start()
    call.resume(pending)
    with pytest.raises(Changed, match="already used"):
        call.resume(pending)
    assert ran == [1]


class Rotating(FakeServer):
    """A server that withdraws its key."""

    withdrawn = False

    def send(self, request):
        answer = super().send(request)
        if self.withdrawn and request.url.endswith("jwks.json"):
            return type(answer)(200, {}, b'{"keys":[]}')
        return answer


def test_a_key_that_the_issuer_withdrew_counts_no_longer():
    server = Rotating("allow", "fake-client")
    client = FakeCountersign(server=server)
    verifier = Verifier(ISSUER, TOOLS, transport=server)
    work = approve(client=client)(lambda: "done")
    detail = {"type": "tool_call", "tool": "<lambda>", "arguments": {}}
    assert work() == "done"
    verifier.check(f"Bearer {approved(work.call())[1].access_token}", detail)
    server.withdrawn = True
    token = approved(work.call())[1].access_token
    server.sleep(601)
    with pytest.raises(NotApproved):
        verifier.check(f"Bearer {token}", detail)
    with pytest.raises(Changed, match="not signed by the issuer"):
        work()


def test_an_api_compares_the_agents_words_if_it_expects_some():
    client = Countersign.fake()
    verifier = Verifier(ISSUER, TOOLS, transport=client.server)
    pay = approve("payment", headline="{amount} EUR", says="I need it", name="pay", client=client)(lambda amount: 1)
    detail = {"type": "payment", "tool": "pay", "arguments": {"amount": 5}, "headline": "5 EUR"}

    def check(more):
        _, approval = approved(pay.call(5))
        return verifier.check(f"Bearer {approval.access_token}", {**detail, **more}, approval.receipt.text)

    assert check({}).receipt.allowed and check({"says": "I need it"}).receipt.allowed
    for more in ({"says": "Other words"}, {"headline": "6 EUR"}):
        with pytest.raises(NotApproved):
            check(more)


def test_words_are_a_member_like_others_in_types_of_other_apis():
    client = Countersign.fake()
    verifier = Verifier(ISSUER, TRAVEL, transport=client.server)
    _, approval = approved(approve("trip", audience=TRAVEL, client=client)(lambda says: 1).call("go"))
    with pytest.raises(NotApproved):
        verifier.check(f"Bearer {approval.access_token}", {"type": "trip"})


def test_used_tokens_are_forgotten_after_their_end():
    once = OnceInMemory()
    assert all(once(str(number), 100, 0) for number in range(5000))
    assert not once("4711", 100, 0) and once("new", 9999, 1000)
    assert all(once(f"more {number}", 9999, 1000) for number in range(5000))
    assert len(once._used) < 6000
