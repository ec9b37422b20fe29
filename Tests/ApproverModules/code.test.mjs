import assert from "node:assert/strict";
import test from "node:test";

import { code, fromBase32, generator } from "./code.js";

const seeds = {
  sha1: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
  sha256: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA====",
  sha512: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA=",
};
/** Seconds, and the passwords of SHA-1, SHA-256 and SHA-512. */
const vectors = [
  [59, "94287082", "46119246", "90693936"],
  [1111111109, "07081804", "68084774", "25091201"],
  [1111111111, "14050471", "67062674", "99943326"],
  [1234567890, "89005924", "91819424", "93441116"],
  [2000000000, "69279037", "90698825", "38618901"],
  [20000000000, "65353130", "77737706", "47863826"],
];

test("RFC 6238 appendix B: the password of each time and hash", async () => {
  for (const [index, [algorithm, secret]] of Object.entries(seeds).entries()) {
    const made = await generator({ secret, algorithm, digits: 8, period: 30 });
    for (const [seconds, ...passwords] of vectors) {
      assert.equal((await code(made, seconds * 1000)).text, passwords[index], `${algorithm} at ${seconds}`);
    }
  }
});

test("RFC 6238 5.2: a password is valid until its time step ends", async () => {
  const made = await generator({ secret: seeds.sha1, algorithm: "sha1", digits: 6, period: 30 });
  assert.deepEqual(await code(made, 1111111109_000), { text: "081804", left: 1000 });
  assert.deepEqual(await code(made, 1111111109_999), { text: "081804", left: 1 });
  assert.deepEqual(await code(made, 1111111110_000), { text: "050471", left: 30_000 });
});

test("RFC 4648 10: Base32 is read in both cases, with and without padding, and nothing else", () => {
  const text = (bytes) => bytes && Buffer.from(bytes).toString();
  assert.equal(text(fromBase32("MZXW6YTBOI======")), "foobar");
  assert.equal(text(fromBase32("mzxw6ytb")), "fooba");
  assert.equal(text(fromBase32("MZXW6")), "foo");
  for (const wrong of ["MZXW1", "MZ XW", "MZ=XW"]) assert.equal(fromBase32(wrong), undefined, wrong);
});

test("No script can export the secret, and parameters that this app cannot use give no generator", async () => {
  const right = { secret: seeds.sha1, algorithm: "sha1", digits: 6, period: 30 };
  const { key } = await generator(right);
  assert.equal(key.extractable, false);
  await assert.rejects(crypto.subtle.exportKey("raw", key));
  const wrong = [{ secret: "" }, { secret: "1" }, { algorithm: "md5" }, { digits: 9 }, { period: 0 }, { period: 3601 }];
  for (const part of wrong) assert.equal(await generator({ ...right, ...part }), undefined, JSON.stringify(part));
  assert.equal(await generator(undefined), undefined);
});
