import assert from "node:assert/strict";
import test from "node:test";

// The parts of a browser that the modules need when they load.
const kept = new Map();
const cached = new Map();
Object.assign(globalThis, {
  matchMedia: () => ({ matches: false }), window: globalThis,
  location: new URL("https://dev.example/approver"),
  localStorage: { getItem: (name) => kept.get(name) ?? null, setItem: (name, text) => kept.set(name, text) },
  caches: {
    match: async (name) => cached.get(name)?.clone(),
    open: async () => ({ put: async (name, answer) => { cached.set(name, answer); } }),
  },
});
Object.defineProperty(globalThis, "navigator", { value: { userAgent: "", languages: ["en"] }, configurable: true });

const { codeIn, fragmentOf, ticketOf } = await import("./enrol.js");
const { lost, mark, note, notes, unmark } = await import("./farewell.js");
const { isUsable, makeKey } = await import("./keys.js");
const { unable } = await import("./ways.js");

test("A code is read as people type it; other texts are none", () => {
  for (const text of ["0123-ABCD", "0123abcd", " o l 2 3 abcd ", "OI23-ABCD"]) assert.equal(codeIn(text), "0123ABCD");
  for (const text of ["", "0123-ABC", "0123-ABCDE", "0123-ABCU", "https://dev.example"]) assert.equal(codeIn(text), undefined);
  assert.deepEqual(ticketOf("0123-abcd"), { code: "0123ABCD" });
  assert.equal(String(fragmentOf({ code: "0123ABCD" })), "code=0123ABCD");
});

test("A ticket is still read in its groups and in a link", () => {
  const ticket = "abcdefghijklmnopqrstuvwxyz012345";
  assert.deepEqual(ticketOf(ticket.replace(/(.{4})/g, "$1 ").trim()), { ticket });
  assert.deepEqual(ticketOf(`https://dev.example/approver#enroll=${ticket}`), { ticket, account: undefined });
  assert.deepEqual(ticketOf(`https://other.example/approver#enroll=${ticket}`), { elsewhere: "other.example" });
});

const account = { id: "dev_1", userId: "auth0|ann", label: "ann", identifier: "PHONE" };

test("A mark without its account is a lost key, of which the server hears once", async () => {
  const asked = [];
  globalThis.fetch = async (url, options) => {
    asked.push([url, options.method, options.headers.Authorization]);
    return new Response(null, { status: 204 });
  };
  await note({ base: "https://dev.example/appliance-mfa" });
  await mark({ ...account, farewell: "secret" });
  // A start without the secret at hand keeps it.
  await mark(account);
  assert.deepEqual(await lost([account]), []);
  assert.deepEqual(asked, []);
  assert.deepEqual((await lost([])).map(({ id }) => id), ["dev_1"]);
  assert.deepEqual(asked, [["https://dev.example/appliance-mfa/api/device-accounts/dev_1/farewell", "POST", 'Farewell id="secret"']]);
  assert.equal((await lost([])).length, 1);
  assert.equal(asked.length, 1);
});

test("Without an answer the next start tells the server again, and a refusal ends it", async () => {
  let answers = 0;
  await mark({ ...account, farewell: "another" });
  globalThis.fetch = async () => {
    answers += 1;
    if (answers === 1) throw new TypeError("offline");
    return Response.json({ errorCode: "enrollment_not_found" }, { status: 404 });
  };
  for (const expected of [1, 2, 2]) {
    await lost([]);
    assert.equal(answers, expected);
  }
});

test("Either store alone still knows the phone, and neither does once it is forgotten", async () => {
  kept.clear();
  assert.equal((await notes()).marks.length, 1);
  await mark(account);
  cached.clear();
  assert.equal((await notes()).marks.length, 1);
  await unmark(({ id }) => id === "dev_1");
  assert.deepEqual((await notes()).marks, []);
  kept.set("approver", "not JSON");
  cached.clear();
  assert.deepEqual((await notes()).marks, []);
});

test("A key that is missing or damaged is not usable", async () => {
  assert.equal(await isUsable(await makeKey()), true);
  assert.equal(await isUsable(undefined), false);
  assert.equal(await isUsable({}), false);
});

test("A page without a secure context or keys names what is needed", () => {
  assert.equal(unable(), "wayNeedsSecure");
  globalThis.isSecureContext = true;
  assert.equal(unable(), "wayNeedsBrowser");
  globalThis.indexedDB = {};
  assert.equal(unable(), undefined);
});
