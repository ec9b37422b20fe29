import assert from "node:assert/strict";
import test from "node:test";

import { base64url, makeKey, publicKey, sha256, sign } from "./keys.js";
import { check } from "./receipt.js";

const issuer = "https://id.shop.example/";
const record = { id: "cns_1", iss: issuer, sub: "auth0|ann", client_id: "agent", binding_message: "Order 4711" };
const text = JSON.stringify(record);
const [tenant, phone, other] = await Promise.all([makeKey(), makeKey(), makeKey()]);
const keys = { keys: [{ ...await publicKey(tenant.publicKey), kid: "one", alg: "ES256" }] };
const digest = base64url(await sha256(text));

/** A receipt with changes to its answer, its claims and its header, and the keys that sign. */
async function receipt({ answer = {}, claims = {}, header = {}, signer = tenant, answering = phone } = {}) {
  const signed = await sign(answering, {
    iss: "PHONE", sub: "challenge", auth0_guardian_accepted: true, request_digest: digest, ...answer,
  });
  const all = {
    iss: issuer, sub: record.sub, aud: "agent", id: record.id, iat: 1, record: text, request_digest: digest,
    decision: "allowed", decided_at: "2026-11-20T10:00:42.250Z", evidence: "signed-digest",
    device: { id: "dev_1", name: "Ann's phone", identifier: "PHONE", jwk: await publicKey(phone.publicKey) },
    answer: signed, ...claims,
  };
  return sign(signer, all, { typ: "approval-receipt+jwt", kid: "one", ...header });
}
const proof = async (changes) => (await check(await receipt(changes), keys, issuer)).proof;

test("A receipt says what its signatures prove", async () => {
  assert.equal(await proof({}), "phone");
  assert.equal(await proof({ claims: { evidence: "signed-challenge" }, answer: { request_digest: undefined } }), "challenge");
  assert.equal(await proof({ claims: { evidence: "session", answer: undefined, device: undefined } }), "session");
  assert.equal(await proof({ claims: { decision: "rejected" }, answer: { auth0_guardian_accepted: false } }), "phone");
});

test("A receipt whose signatures, names or digests do not fit proves nothing", async () => {
  const wrong = {
    "signed by another key": { signer: other }, "under an unknown key": { header: { kid: "two" } },
    "of another type": { header: { typ: "JWT" } }, "of another issuer": { claims: { iss: "https://elsewhere.example/" } },
    "about another person": { claims: { sub: "auth0|bob" } }, "about another record": { claims: { record: text.replace("4711", "9999") } },
    "answered by another key": { answering: other }, "answered otherwise": { answer: { auth0_guardian_accepted: false } },
    "a wrong number without numbers": { claims: { decision: "rejected" }, answer: { matching_pick: "42" } },
    "answered by another device": { answer: { iss: "ELSE" } }, "an answer about another text": { answer: { request_digest: "x" } },
    "a session with an answer": { claims: { evidence: "session" } }, "with a critical extension": { header: { crit: ["x"] } },
  };
  for (const [about, changes] of Object.entries(wrong)) assert.equal(await proof(changes), undefined, about);
});

test("A wrong number agrees with a rejection if the record has numbers to pick", async () => {
  const numbered = JSON.stringify({ ...record, matching_choices: ["07", "42", "85"] });
  const ofNumbered = base64url(await sha256(numbered));
  const changes = {
    claims: { record: numbered, request_digest: ofNumbered, decision: "rejected" },
    answer: { matching_pick: "42", request_digest: ofNumbered },
  };
  assert.equal(await proof(changes), "phone");
});

test("What is no receipt is refused", async () => {
  for (const text of ["", "a.b", "a.b.c", "..."]) await assert.rejects(check(text, keys, issuer), text);
});
