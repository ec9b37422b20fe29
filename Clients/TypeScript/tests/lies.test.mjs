// Cases in which something lies between the question and the run. None runs anything but what the person was shown.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { approve, CountersignError } from "countersign";
import { FakeServer } from "countersign/fake";

let lies = 0;
let controls = 0;
after(() => {
  assert.ok(lies >= 300, `${lies} lies`);
  assert.ok(controls >= 20, `${controls} controls`);
});

const bases = [
  { amount: 2500, currency: "USD", payee: "Alice", note: "caf\u00e9" },
  { amount: 0.1, payee: "pay.example.com", items: [{ sku: "a", count: 1 }, { sku: "b", count: 2 }], urgent: true },
  { path: "/srv/app/a.txt", text: "x = 1\n", mode: null, nested: { deep: { er: [1, [2, [3]]] } }, amount: 1e21, payee: "A" },
];

function payment(server, options) {
  const ran = [];
  const pay = approve("payment", {
    client: server.client(options), headline: ({ amount }) => `${amount}`, to: ({ payee }) => String(payee),
  })(function pay(args) { ran.push(args); });
  return { pay, ran };
}

/** Asks with arguments, lets `between` act, and runs. Returns what ran and what was shown. */
async function attempt({ args, between, later, server = new FakeServer() }) {
  const { pay, ran } = payment(server);
  const pending = await pay.ask(args);
  await between?.(args, pending, pay);
  const error = await pay.run(pending, later ?? args).then(() => undefined, error => error);
  return { ran, error, shown: server.requests[0].detail.arguments, pending };
}

function none({ ran, error }, name) {
  lies += 1;
  assert.deepEqual(ran, [], name);
  assert.ok(error instanceof CountersignError, `${name}: ${error}`);
}

function control({ ran, error, shown }, name) {
  controls += 1;
  assert.equal(error, undefined, name);
  assert.deepEqual(ran, [shown], name);
}

const HOMOGLYPHS = { A: "\u0410", a: "\u0430", e: "\u0435", p: "\u0440", c: "\u0441", i: "\u0456", x: "\u0445", o: "\u043e", S: "\u0405" };
const TEXT_LIES = [
  text => `${text} `, text => ` ${text}`, text => `${text}\u200b`, text => `\u202e${text}`, text => `${text}\u0000`, text => text.slice(1),
  text => text + text, text => `${text}\ufe0f`, text => `${text}\n`, text => [text], text => ({ 0: text }), text => text.length,
  ...Object.entries(HOMOGLYPHS).map(([letter, other]) => text => text.replace(letter, other)),
  text => text.normalize("NFD"), text => text.toUpperCase(), text => text.toLowerCase(), text => `${text}\u{e0041}`, () => "", () => null,
  () => undefined, text => new String(text), text => ({ toString: () => text }), text => ({ toJSON: () => text }),
];
const NUMBER_LIES = [n => n + 1, n => -n, n => String(n), n => n * 10, n => n + n * 2 ** -52, () => NaN, () => 0, () => null, () => true,
  n => [n], n => ({ valueOf: () => n }), n => new Number(n), () => Number.MAX_SAFE_INTEGER + 2, n => BigInt(Math.trunc(n))];

/** The same value with one lie in it, for each place in it and each lie that changes it. */
function* lied(value) {
  if (typeof value === "string") for (const lie of TEXT_LIES) if (lie(value) !== value) yield lie(value);
  if (typeof value === "number") for (const lie of NUMBER_LIES) if (!Object.is(lie(value), value)) yield lie(value);
  if (typeof value === "boolean") yield* [!value, String(value), Number(value), null];
  if (value === null) yield* [undefined, "null", 0, false, {}];
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    if (value.length > 1) yield [...value].reverse();
    yield [...value, null];
    yield value.slice(1);
    yield { ...value };
  } else {
    yield { ...value, extra: 1 };
    yield { ...value, arguments: value };
  }
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(value)) {
      const { [name]: removed, ...rest } = value;
      yield rest;
      yield { ...rest, [`${name}\u200b`]: removed };
      yield { ...rest, [name.toUpperCase()]: removed };
    }
    for (const other of lied(member)) {
      const copy = Array.isArray(value) ? [...value] : { ...value };
      copy[name] = other;
      yield copy;
    }
  }
}

test("other arguments than those that were shown never run", async () => {
  for (const base of bases) {
    control(await attempt({ args: base, later: structuredClone(base) }), "a copy");
    control(await attempt({ args: base, later: Object.fromEntries(Object.entries(base).reverse()) }), "another order");
    control(await attempt({ args: base, later: Object.assign(Object.create(null), base) }), "no prototype");
    control(await attempt({ args: base, later: { ...base, nothing: undefined, [Symbol("hidden")]: 1 } }), "nothing more");
    for (const later of lied(base)) none(await attempt({ args: base, later }), JSON.stringify(later, (_, value) => typeof value === "bigint" ? "big" : value));
  }
});

test("an object that changes in place between the question and the run does not run", async () => {
  const changes = {
    set: args => { args.amount = 9999; },
    add: args => { args.bcc = "mallory"; },
    remove: args => { delete args.payee; },
    accessor: args => { Object.defineProperty(args, "amount", { get: () => 9999, enumerable: true }); },
    json: args => { args.toJSON = () => bases[0]; },
    prototype: args => { delete args.amount; Object.setPrototypeOf(args, { amount: 2500 }); },
    class: args => { Object.setPrototypeOf(args, class Args {}.prototype); },
    hidden: args => { Object.defineProperty(args, "amount", { value: 2500, enumerable: false }); },
    own: args => { Object.defineProperty(args, "__proto__", { value: { amount: 1 }, enumerable: true }); },
  };
  for (const [name, between] of Object.entries(changes)) none(await attempt({ args: { ...bases[0] }, between }), name);
  const nested = structuredClone(bases[1]);
  none(await attempt({ args: nested, between: args => { args.items[0].count = 1000; } }), "nested");
  none(await attempt({ args: structuredClone(bases[1]), between: args => { args.items.push({ sku: "c", count: 9 }); } }), "pushed");
});

test("an object that answers differently each time never runs with what was not shown", async () => {
  const kinds = {
    getter: (first, second, reads) => {
      let count = 0;
      return { payee: "Alice", get amount() { return count++ < reads ? first : second; } };
    },
    proxy: (first, second, reads) => {
      let count = 0;
      return new Proxy({ payee: "Alice", amount: first }, {
        get: (target, name) => name === "amount" && count++ >= reads ? second : target[name] });
    },
    names: (first, second, reads) => {
      let count = 0;
      const all = { payee: "Alice", amount: first, bcc: "mallory" };
      return new Proxy(all, { ownKeys: () => count++ < reads ? ["payee", "amount"] : ["payee", "amount", "bcc"] });
    },
    list: (first, second, reads) => {
      let count = 0;
      return { payee: "Alice", get amount() { count += 1; return count <= reads ? [first] : [first, second]; } };
    },
  };
  for (const [name, make] of Object.entries(kinds)) {
    for (let reads = 0; reads <= 12; reads += 1) {
      const outcome = await attempt({ args: make(10, 9999, reads) });
      if (reads === 1) none(outcome, `${name} after ${reads}`);
      else control(outcome, `${name} after ${reads}`);
      for (const args of outcome.ran) assert.deepEqual(args, outcome.shown, name);
    }
  }
});

test("members that every object inherits are refused, since nobody was shown them", async () => {
  const args = { payee: "Alice" };
  const polluted = between => async () => {
    Object.prototype.amount = 9999;
    try {
      return await attempt({ args, between });
    } finally {
      delete Object.prototype.amount;
    }
  };
  const { pay, ran } = payment(new FakeServer());
  const pending = await pay.ask(args);
  Object.prototype.amount = 9999;
  const error = await pay.run(pending, args).then(() => undefined, error => error);
  delete Object.prototype.amount;
  none({ ran, error }, "polluted before the run");
  await assert.rejects(polluted(), CountersignError);
  lies += 1;
});

test("a function that gets its arguments cannot be given others while it is asked", async () => {
  const args = { ...bases[0] };
  const server = new FakeServer(() => {
    args.amount = 9999;
    return "allow";
  });
  const { pay, ran } = payment(server);
  const error = await pay(args).then(() => undefined, error => error);
  none({ ran, error }, "during the wait");
});

test("templates cannot change a call, and a template that lies the second time stops it", async () => {
  const server = new FakeServer();
  const ran = [];
  const sly = approve("payment", {
    client: server.client(), tool: "pay", headline: args => { args.amount = 9999; return "one"; } })(args => { ran.push(args); });
  await sly({ amount: 1 });
  control({ ran, shown: server.requests[0].detail.arguments }, "changed in a template");
  let count = 0;
  const lying = approve("payment", { client: server.client(), tool: "pay", headline: () => `${count++}` })(args => { ran.push(args); });
  const error = await lying({ amount: 1 }).then(() => undefined, error => error);
  none({ ran: ran.slice(1), error }, "another headline");
});

test("a pending request that was changed, or is one of another call, runs nothing", async () => {
  const other = async server => payment(server).pay.ask({ ...bases[0], amount: 1, payee: "Mallory" });
  for (const name of ["auth_req_id", "request_id", "digest", "issuer"]) {
    const server = new FakeServer();
    none(await attempt({
      args: bases[0], server, between: async (_, pending) => { pending[name] = name === "issuer" ? "https://x.invalid/" : (await other(server))[name]; },
    }), name);
  }
  const server = new FakeServer();
  none(await attempt({ args: bases[0], server, between: async (_, pending) => Object.assign(pending, await other(server)) }), "all of another");
  const same = new FakeServer();
  const { pay, ran } = payment(same);
  const [first, second] = [await pay.ask(bases[0]), await pay.ask(bases[0])];
  const mixed = { ...second, auth_req_id: first.auth_req_id };
  none({ ran, error: await pay.run(mixed, bases[0]).then(() => undefined, error => error) }, "an equal call's approval");
});

const clone = value => JSON.parse(JSON.stringify(value));
const other = detail => [{ ...clone(detail), arguments: { amount: 9999 } }];
const LIES = {
  claims: {
    "another issuer": claims => ({ ...claims, iss: "https://evil.invalid/" }),
    "another API": claims => ({ ...claims, aud: "https://api.invalid/" }),
    "other APIs": claims => ({ ...claims, aud: ["https://api.invalid/"] }),
    "another client": claims => ({ ...claims, client_id: "other" }),
    "no client": ({ client_id, ...claims }) => claims,
    "expired": claims => ({ ...claims, exp: claims.iat - 3600 }),
    "an earlier approval": claims => ({ ...claims, iat: claims.iat - 60 }),
    "no date": ({ iat, ...claims }) => claims,
    "no expiry": ({ exp, ...claims }) => claims,
    "an expiry in text": claims => ({ ...claims, exp: String(claims.exp) }),
    "other details": claims => ({ ...claims, authorization_details: other(claims.authorization_details[0]) }),
    "more details": claims => ({ ...claims, authorization_details: [...claims.authorization_details, ...other(claims.authorization_details[0])] }),
    "details twice": claims => ({ ...claims, authorization_details: [...claims.authorization_details, ...claims.authorization_details] }),
    "no details": ({ authorization_details, ...claims }) => claims,
    "empty details": claims => ({ ...claims, authorization_details: [] }),
    "details in text": claims => ({ ...claims, authorization_details: JSON.stringify(claims.authorization_details) }),
    "another person": claims => ({ ...claims, sub: "fake|mallory" }),
    "another approval": claims => ({ ...claims, approval: { ...claims.approval, id: "cns_other" } }),
    "another digest": claims => ({ ...claims, approval: { ...claims.approval, digest: "A".repeat(43) } }),
  },
  record: {
    "other details": record => ({ ...record, authorization_details: other(record.authorization_details[0]) }),
    "more details": record => ({ ...record, authorization_details: [...record.authorization_details, ...other(record.authorization_details[0])] }),
    "no details": ({ authorization_details, ...record }) => record,
    "another id": record => ({ ...record, id: "cns_other" }),
    "another issuer": record => ({ ...record, iss: "https://evil.invalid/" }),
    "another client": record => ({ ...record, client_id: "other" }),
    "another person": record => ({ ...record, sub: "fake|mallory" }),
    "another API": record => ({ ...record, audience: "https://api.invalid/" }),
    "a late decision": record => ({ ...record, expires_at: record.created_at }),
    "an early decision": record => ({ ...record, created_at: record.expires_at }),
    "a homoglyph": record => JSON.parse(JSON.stringify(record).replace('"Alice"', '"\u0410lice"')),
    "a hidden member": record => ({ ...record, authorization_details: [{ ...record.authorization_details[0], to2: "Mallory" }] }),
  },
  receipt: {
    "a rejection": receipt => ({ ...receipt, decision: "rejected" }),
    "another id": receipt => ({ ...receipt, id: "cns_other" }),
    "another client": receipt => ({ ...receipt, aud: "other" }),
    "another person": receipt => ({ ...receipt, sub: "fake|mallory" }),
    "another digest": receipt => ({ ...receipt, request_digest: "A".repeat(43) }),
    "another record": receipt => ({ ...receipt, record: receipt.record.replace("2500", "2501") }),
    "no answer": ({ answer, ...receipt }) => receipt,
    "a session without one": receipt => ({ ...receipt, evidence: "session" }),
    "another level": receipt => ({ ...receipt, evidence: "user-verified" }),
    "a broken answer": receipt => ({ ...receipt, answer: `${receipt.answer.slice(0, -4)}AAAA` }),
    "another phone": receipt => ({ ...receipt, device: { ...receipt.device, identifier: "other" } }),
    "another log": receipt => ({ ...receipt, audit: { ...receipt.audit, head: `0:${"0".repeat(64)}` } }),
    "a date in future": receipt => ({ ...receipt, decided_at: "2999-01-01T00:00:00.000Z" }),
    "an earlier issue": receipt => ({ ...receipt, iat: 1 }),
  },
  response: {
    "no token": ({ access_token, ...response }) => response,
    "no receipt": ({ approval_receipt, ...response }) => response,
    "no details": ({ authorization_details, ...response }) => response,
    "other details": response => ({ ...response, authorization_details: other(response.authorization_details[0]) }),
    "the receipt as token": response => ({ ...response, access_token: response.approval_receipt }),
    "the token as receipt": response => ({ ...response, approval_receipt: response.access_token }),
    "an unsigned token": response => ({ ...response, access_token: `${Buffer.from('{"alg":"none","typ":"at+jwt","kid":"1"}').toString("base64url")}.${response.access_token.split(".")[1]}.` }),
    "a cut signature": response => ({ ...response, access_token: response.access_token.slice(0, -2) }),
    "another signature": response => ({ ...response, access_token: [...response.access_token.split(".").slice(0, 2), response.approval_receipt.split(".")[2]].join(".") }),
    "other claims": response => ({ ...response, access_token: response.access_token.split(".").map((part, index) => index === 1
      ? Buffer.from(Buffer.from(part, "base64url").toString().replace("2500", "2501")).toString("base64url") : part).join(".") }),
    "a padded token": response => ({ ...response, access_token: `${response.access_token}=` }),
    "a token with white space": response => ({ ...response, access_token: `${response.access_token}\n` }),
    "a list of tokens": response => ({ ...response, access_token: [response.access_token] }),
  },
};

for (const [place, changes] of Object.entries(LIES)) {
  test(`a lie in the ${place} runs nothing`, async () => {
    for (const [name, change] of Object.entries(changes)) {
      class Liar extends FakeServer {}
      Liar.prototype[place] = async function (...values) {
        return change(await FakeServer.prototype[place].apply(this, values), this);
      };
      if (place === "claims" || place === "record") {
        Liar.prototype[place] = function (...values) { return change(FakeServer.prototype[place].apply(this, values), this); };
      }
      none(await attempt({ args: bases[0], server: new Liar() }), name);
    }
  });
}

test("a receipt for another client, which agrees with itself, runs nothing", async () => {
  class Liar extends FakeServer {
    record(request) { return { ...super.record(request), client_id: "other" }; }
    async receipt(...values) { return { ...await super.receipt(...values), aud: "other" }; }
  }
  none(await attempt({ args: bases[0], server: new Liar() }), "another client");
});

test("a valid receipt of a rejection runs nothing, and one of an approval in a browser runs", async () => {
  for (const decision of ["allowed", "rejected"]) {
    class InBrowser extends FakeServer {
      async receipt(...values) {
        const { device, answer, ...receipt } = await super.receipt(...values);
        const session = { sid_sha256: "A".repeat(43), auth_time: receipt.decided_at, amr: ["pwd"] };
        return { ...receipt, decision, evidence: "session", session };
      }
    }
    const outcome = await attempt({ args: bases[0], server: new InBrowser() });
    if (decision === "allowed") control(outcome, decision);
    else none(outcome, decision);
  }
});

test("a signature by another key, or by the key as a secret, runs nothing", async () => {
  const own = new FakeServer();
  const signs = {
    "another server's key": (_, header, claims) => own.sign(header, claims),
    "an unknown key": (server, header, claims) => FakeServer.prototype.sign.call(server, { ...header, kid: "2" }, claims),
    "no key": (server, header, claims) => FakeServer.prototype.sign.call(server, { ...header, kid: undefined }, claims),
    "another type": (server, header, claims) => FakeServer.prototype.sign.call(server, { ...header, typ: "dpop+jwt" }, claims),
    "a critical header": (server, header, claims) => FakeServer.prototype.sign.call(server, { ...header, crit: ["exp"] }, claims),
    "a symmetric algorithm": (server, header, claims) => FakeServer.prototype.sign.call(server, { ...header, alg: "HS256" }, claims),
    "no algorithm": (server, header, claims) => FakeServer.prototype.sign.call(server, { ...header, alg: "none" }, claims),
  };
  for (const [name, sign] of Object.entries(signs)) {
    class Liar extends FakeServer {
      sign(header, claims) { return header.typ === "at+jwt" ? sign(this, header, claims) : super.sign(header, claims); }
    }
    none(await attempt({ args: bases[0], server: new Liar() }), name);
  }
});

test("names that are there twice run nothing", async () => {
  const twice = text => text.replace(/^\{/, '{"sub":"fake|mallory",');
  class TwiceInToken extends FakeServer {
    async sign(header, claims) {
      const encoded = [JSON.stringify({ alg: "ES256", kid: "1", ...header }), twice(JSON.stringify(claims))];
      const signed = encoded.map(part => Buffer.from(part).toString("base64url")).join(".");
      const [{ privateKey }] = await this.keys;
      const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, Buffer.from(signed));
      return `${signed}.${Buffer.from(signature).toString("base64url")}`;
    }
  }
  class TwiceInAnswer extends FakeServer {
    async fetch(url, init) {
      const answer = await super.fetch(url, init);
      return url.endsWith("oauth/token") ? new Response(twice(await answer.text()).replace("}", ',"sub":""}'), answer) : answer;
    }
  }
  for (const server of [new TwiceInToken(), new TwiceInAnswer(() => "reject")]) {
    none(await attempt({ args: bases[0], server, between: (_, pending) => { pending.expires_at = -1e9; } }), server.constructor.name);
  }
});

test("an approval that the server sends again runs nothing more", async () => {
  class Replaying extends FakeServer {
    async response(request) {
      return this.first ??= await super.response(request);
    }
  }
  const server = new Replaying();
  const { pay, ran } = payment(server);
  await pay(bases[0]);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    none({ ran: ran.slice(1), error: await pay(bases[0]).then(() => undefined, error => error) }, "the first answer again");
  }
  class Sticky extends FakeServer {
    async response(request) {
      request.isRedeemed = false;
      return this.first ??= await super.response(request);
    }
  }
  const sticky = payment(new Sticky());
  const pending = await sticky.pay.ask(bases[0]);
  await sticky.pay.run(pending, bases[0]);
  none({ ran: sticky.ran.slice(1), error: await sticky.pay.run(pending, bases[0]).then(() => undefined, error => error) }, "redeemed twice");
});
