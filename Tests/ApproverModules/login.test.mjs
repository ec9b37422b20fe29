import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { parse } from "./json.js";
import { loginOf } from "./login.js";
import { presenter } from "./presentation.js";
import texts from "./texts.js";

const languages = ["en", "fr", "de"];
const lines = texts.trim().split("\n").map((line) => line.trim());

/** A text of the catalogue in a language, with its places filled in. */
const catalogue = (language) => (key, values = {}) => {
  const at = lines.findIndex((line, index) => index % (languages.length + 1) === 0 && line === key);
  assert.notEqual(at, -1, key);
  return lines[at + 1 + languages.indexOf(language)].replace(/\{(\w+)\}/g, (_, name) => values[name]);
};

for (const vector of parse(readFileSync(`${process.env.APPROVER_VECTORS}/login.json`, "utf8"))) {
  test(`A login is shown as everywhere: ${vector.get("about")}`, () => {
    const language = vector.get("language");
    const presented = presenter(language, { none: "", yes: "", no: "" }, "UTC");
    const { headline, screen, rows } = loginOf(vector, language, catalogue(language), presented);
    assert.equal(headline, vector.get("headline"));
    assert.equal(screen, vector.get("screen"));
    assert.deepEqual(rows.map(({ label, value }) => [label, value]), vector.get("rows"));
  });
}

test("A request of a client has no login", () => {
  assert.equal(loginOf(new Map(), "en", catalogue("en"), presenter("en", { none: "", yes: "", no: "" })), undefined);
});
