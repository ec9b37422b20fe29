import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { CannotAsk, Countersign } from "countersign";

const detail = { type: "tool_call", tool: "probe", arguments: {} };
const FILE = {
  issuer: "https://localhost:8443/", user_id: "auth0|hanna", client_id: "of-the-file", client_secret: "secret-of-the-file",
  audience: "https://api.example.com" };
const VARIABLES = {
  ISSUER: "https://id.example.com", CLIENT_ID: "of-the-variables", CLIENT_SECRET: "secret-of-the-variables", USER: "hanna@example.com",
  AUDIENCE: "urn:example:tools" };
let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-"));
  process.chdir(folder);
  await mkdir("countersign-data/tls", { recursive: true });
  await writeFile("countersign-data/tls/ca.pem", "");
});
after(async () => {
  process.chdir("/");
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  for (const name of Object.keys(process.env)) if (name.startsWith("COUNTERSIGN_")) delete process.env[name];
  await rm("countersign-data/development.json", { force: true });
});

const variables = values => Object.entries(values).forEach(([name, value]) => { process.env[`COUNTERSIGN_${name}`] = value; });
const file = values => writeFile("countersign-data/development.json", JSON.stringify(values));

/** The address and the parameters of a start. */
async function started(options = {}) {
  let sent;
  const client = new Countersign({ ...options, fetch: async (url, { body }) => {
    sent = { url, ...Object.fromEntries(body) };
    return new Response('{"error":"invalid_request"}', { status: 400 });
  } });
  const error = await client.ask(detail).then(assert.fail, error => error);
  assert.ok(error instanceof CannotAsk);
  return sent ?? error.message;
}

test("options count before variables, and variables before the file of a development server", async () => {
  await file(FILE);
  const fromFile = await started();
  assert.equal(fromFile.url, "https://localhost:8443/bc-authorize");
  assert.deepEqual([fromFile.client_id, fromFile.client_secret], ["of-the-file", "secret-of-the-file"]);
  assert.deepEqual(JSON.parse(fromFile.login_hint), { format: "opaque", id: "auth0|hanna" });
  assert.equal(fromFile.audience, "urn:countersign:agent-tools");
  variables(VARIABLES);
  const fromVariables = await started();
  assert.equal(fromVariables.url, "https://id.example.com/bc-authorize");
  assert.deepEqual([fromVariables.client_id, fromVariables.client_secret], ["of-the-variables", "secret-of-the-variables"]);
  assert.deepEqual([fromVariables.login_hint, fromVariables.audience], ["hanna@example.com", "urn:example:tools"]);
  const fromOptions = await started({
    issuer: "https://other.example.com/", clientId: "a", clientSecret: "b", user: "+41441234567", audience: "c", expiry: 60 });
  assert.equal(fromOptions.url, "https://other.example.com/bc-authorize");
  assert.deepEqual([fromOptions.client_id, fromOptions.client_secret, fromOptions.audience], ["a", "b", "c"]);
  assert.deepEqual(JSON.parse(fromOptions.login_hint), { format: "phone_number", phone_number: "+41441234567" });
  assert.equal(fromOptions.requested_expiry, "60");
});

test("a secret of the file is not sent to another server, or as another client's", async () => {
  await file(FILE);
  variables({ ISSUER: VARIABLES.ISSUER });
  assert.match(await started(), /COUNTERSIGN_CLIENT_ID/);
  delete process.env.COUNTERSIGN_ISSUER;
  variables({ CLIENT_ID: "another" });
  assert.match(await started(), /COUNTERSIGN_CLIENT_SECRET/);
  await file({ ...FILE, issuer: "https://id.example.com/" });
  assert.match(await started(), /another machine/);
  await file({ ...FILE, issuer: "https://localhost.example.com/" });
  assert.match(await started(), /another machine/);
});

test("a setting that is missing or wrong is named", async () => {
  assert.match(await started(), /COUNTERSIGN_ISSUER/);
  assert.match(await started({ issuer: "http://id.example.com/" }), /no https address/);
  variables({ ...VARIABLES, USER: "" });
  assert.match(await started(), /COUNTERSIGN_USER/);
  variables({ ...VARIABLES, CA: "no-such.pem" });
  assert.match(await started(), /no-such\.pem cannot be read/);
  delete process.env.COUNTERSIGN_CA;
  variables({ CLIENT_KEY: "key.pem" });
  await writeFile("key.pem", "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n");
  assert.match(await started(), /openssl pkcs8 -topk8/);
  await writeFile("key.pem", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
  assert.match(await started(), /none of P-256/);
});

test("an assertion of the client's key stands for the secret, anew for each request", async () => {
  const { privateKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
  variables(VARIABLES);
  const [first, second] = [await started({ clientKey: privateKey, clientKeyId: "2026" }), await started({ clientKey: privateKey })];
  assert.equal(first.client_secret, undefined);
  const [header, claims] = first.client_assertion.split(".").slice(0, 2).map(part => JSON.parse(Buffer.from(part, "base64url")));
  assert.deepEqual(header, { alg: "ES256", typ: "JWT", kid: "2026" });
  assert.deepEqual([claims.iss, claims.sub, claims.aud], ["of-the-variables", "of-the-variables", "https://id.example.com/"]);
  assert.ok(claims.exp - claims.iat <= 300);
  assert.notEqual(claims.jti, JSON.parse(Buffer.from(second.client_assertion.split(".")[1], "base64url")).jti);
});
