import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

// The package, or a bundle of it for browsers.
const { verifyReceipt } = await import(process.env.COUNTERSIGN_MODULE ?? "countersign");
const { jwks, vectors } = JSON.parse(await readFile(new URL("../../../docs/receipts/vectors.json", import.meta.url), "utf8"));

test("every vector is valid, or breaks the rule that it names", async () => {
  assert.ok(vectors.length >= 260);
  for (const { name, rule, issuer, receipt } of vectors) {
    const outcome = await verifyReceipt(receipt, jwks, issuer).then(() => null, error => error.rule ?? error);
    assert.equal(outcome, rule, name);
  }
});
