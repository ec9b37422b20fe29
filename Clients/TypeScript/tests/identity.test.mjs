// An approval is one of one question to one person, once. Servers that answer too much or too often stop nobody.
import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, CannotAsk, Changed, Countersign, Guard, Rejected, verifyReceipt } from "countersign";
import { fake, FakeServer } from "countersign/fake";

const failure = promise => promise.then(assert.fail, error => error);
const deploying = (client, user) => approve("tool_call", { client, user, tool: "deploy" })(({ version }) => `deployed ${version}`);
const args = { version: "1.4" };

test("an approval of another person runs nothing", async () => {
  const { client } = fake();
  const pending = await deploying(client, "auth0|bob").ask(args);
  assert.ok(await failure(deploying(client, "auth0|alice").run(pending, args)) instanceof Changed);
  const named = await deploying(client, "auth0|alice").ask(args, { user: "auth0|bob" });
  assert.equal(await deploying(client, "auth0|alice").run(named, args, { user: "auth0|bob" }), "deployed 1.4");
  const changed = await deploying(client).ask(args, { user: "auth0|bob" });
  assert.ok(await failure(deploying(client).run({ ...changed, user: "auth0|alice" }, args)) instanceof Changed);
});

test("a pending request to another address runs nothing, and stays", async () => {
  const { client } = fake();
  const pending = await deploying(client, "bob@example.com").ask(args);
  assert.match((await failure(deploying(client, "alice@example.com").run(pending, args))).message, /another person was asked/);
  assert.equal(await deploying(client, "bob@example.com").run(pending, args), "deployed 1.4");
});

test("a server that takes the answer of another person runs nothing", async () => {
  class Other extends FakeServer {
    fetch(url, init) {
      return super.fetch(url, { ...init, body: init?.body && String(init.body).replace("alice", "bob") });
    }
  }
  const client = new Other().client();
  assert.match((await failure(deploying(client, "auth0|alice")(args))).message, /another person/);
  assert.equal(await deploying(client, "alice@example.com")(args), "deployed 1.4");
});

test("an approval of another function with the same type runs nothing", async () => {
  const { client } = fake();
  const [book, cancel] = ["book", "cancel"].map(tool => approve("trip", { client, tool, audience: "https://travel.example.com/" })(() => tool));
  assert.match((await failure(cancel.run(await book.ask({ to: "FCO" }), { to: "FCO" }))).message, /another message/);
  assert.equal(await book.run(await book.ask({ to: "FCO" }), { to: "FCO" }), "book");
});

test("the same call for two people is two requests, in a store and at the server", async () => {
  const { client, shown } = fake();
  const store = new Map();
  const deploy = deploying(client);
  const asked = ["auth0|alice", "auth0|bob"].map(user => deploy(args, { key: "call_0", store, user }));
  assert.deepEqual(await Promise.all(asked), ["deployed 1.4", "deployed 1.4"]);
  assert.deepEqual(shown.map(({ user }) => JSON.parse(user).id).sort(), ["auth0|alice", "auth0|bob"]);
  const guard = new Guard("tool_call", { client }, "deploy");
  await guard.settle(args, { key: "call_1", user: "auth0|alice" });
  await guard.call(args, (_, { subject }) => assert.equal(subject, "auth0|bob"), { key: "call_1", user: "auth0|bob" });
});

test("approvals that nobody used are forgotten after their end", async () => {
  let now = Date.now();
  const guard = new Guard("tool_call", { client: fake("allow", { now: () => now }).client }, "pay");
  for (let number = 0; number < 20; number += 1) {
    await guard.settle(args, { key: `call_${number}` });
    now += 60_000;
  }
  assert.ok(guard.settled.size <= 6, String(guard.settled.size));
});

test("a digest keeps a value and the text of its JSON apart", async () => {
  const { client, shown } = fake();
  const send = approve("tool_call", { client, tool: "send", asDigest: ["body"] })(({ body }) => body);
  const pending = await send.ask({ body: "[1]" });
  assert.ok(await failure(send.run(pending, { body: [1] })) instanceof Changed);
  assert.deepEqual(await send({ body: [1] }), [1]);
  assert.deepEqual(shown.map(({ detail }) => detail.arguments.body.kind), [undefined, "json"]);
});

test("receipts of rejections are kept too, and those that cannot be kept change nothing", async t => {
  const warn = t.mock.method(console, "warn", () => undefined);
  const kept = [];
  for (const [answer, reason] of [["reject", undefined], [{ reject: "too much" }, "too much"]]) {
    const { client } = fake(answer, { keep: one => { kept.push(one); } });
    assert.ok(await failure(deploying(client)(args)) instanceof Rejected);
    const { id, receipt, jwks } = kept.pop();
    const proof = await verifyReceipt(receipt, jwks);
    assert.deepEqual([proof.id, proof.decision, proof.reason], [id, "rejected", reason]);
  }
  const withdrawn = fake("allow", { keep: one => { kept.push(one); } }).client;
  const pending = await deploying(withdrawn).ask(args);
  await withdrawn.cancel(pending);
  assert.ok(await failure(deploying(withdrawn).run(pending, args)) instanceof Rejected);
  assert.deepEqual([kept, warn.mock.callCount()], [[], 0]);
  const full = fake("reject", { keep: () => { throw new Error("disk full"); } }).client;
  assert.ok(await failure(deploying(full)(args)) instanceof Rejected);
  assert.match(warn.mock.calls[0].arguments[0], /disk full/);
});

test("a request that cannot be announced is withdrawn", async () => {
  const server = new FakeServer();
  const client = server.client({ onAsked: () => { throw new Error("no page"); } });
  assert.match((await failure(deploying(client)(args))).message, /no page/);
  assert.equal(server.requests[0].isWithdrawn, true);
});

test("an answer that is too large is left, whatever it says", { timeout: 10_000 }, async () => {
  const server = new FakeServer();
  let sent = 0;
  const client = server.client({ fetch: async (url, init) => url.endsWith("jwks.json") ? new Response(new ReadableStream({
    pull(controller) {
      sent += 1;
      controller.enqueue(new Uint8Array(1 << 20).fill(32));
    },
  })) : server.fetch(String(url), init) });
  assert.match((await failure(deploying(client)(args))).message, /too large/);
  assert.ok(sent < 30, String(sent));
});

test("a server that asks for too long a pause is asked again at the request's end, and a broken one is not asked at once", { timeout: 10_000 }, async () => {
  const times = [];
  let now = Date.now();
  for (const answer of [
    () => new Response('{"error":"authorization_pending","interval":1e12}', { status: 400 }),
    () => { throw new TypeError("fetch failed"); },
  ]) {
    const server = new FakeServer("allow", () => now);
    const client = server.client({ fetch: async (url, init) => {
      if (!url.endsWith("token")) return server.fetch(url, init);
      times.push(Date.now());
      now += times.length === 1 ? 359_950 : 100_000;
      return answer();
    } });
    const error = await failure(deploying(client)(args));
    assert.ok(error instanceof CannotAsk);
    assert.equal(error.code, "expired");
  }
  assert.ok(times[1] - times[0] >= 40, "the pause");
  assert.ok(times[3] - times[2] >= 400 && times[4] - times[3] >= 900, "after failures");
});
