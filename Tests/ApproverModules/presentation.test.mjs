import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { parse } from "./json.js";
import { headlineOf, presenter, visible } from "./presentation.js";

const vectors = (name) => readFileSync(`${process.env.APPROVER_VECTORS}/${name}`, "utf8");

/** Lines of a value and everything below it, as the vectors have them. */
function lines({ title, description, text, parts, isList }, indent = "", number = "") {
  const name = [number, title].filter((part) => part !== undefined && part !== "").join(" ");
  const own = `${indent}${name}${text === undefined ? "" : `: ${text}`}${description ? ` (${description})` : ""}`;
  return [own, ...(parts ?? []).flatMap((part, index) => lines(part, `${indent}  `, isList ? `${index + 1}.` : ""))];
}

for (const vector of parse(vectors("presentation.json"))) {
  test(`Shown as everywhere: ${vector.get("about")}`, () => {
    const words = Object.fromEntries(vector.get("words"));
    const details = presenter(vector.get("language"), words, "UTC")(vector.get("details"), vector.get("presentation"));
    const shown = details.flatMap((detail) => lines({ ...detail, title: detail.title ?? "-" }));
    assert.deepEqual(shown.map(visible), vector.get("lines"));
    const { lines: headlines, action, isMoney, isGroupable } = headlineOf(details);
    assert.deepEqual(headlines.map(({ text }) => text), vector.get("headlines"));
    assert.deepEqual([action ?? null, isMoney, isGroupable], ["action", "isMoney", "isGroupable"].map((name) => vector.get(name)));
  });
}

const unseen = JSON.parse(vectors("unseen.json"));

test("Each text has its unseen characters as numbers", () => {
  for (const [text, shown] of unseen.texts) assert.equal(visible(text), shown);
});

test("Four marks stay on a base, and each further one is shown by its number", () => {
  for (const [first, last] of unseen.marks) {
    for (let point = Number.parseInt(first, 16); point <= Number.parseInt(last, 16); point += 1) {
      const mark = String.fromCodePoint(point);
      const number = `‹U+${point.toString(16).toUpperCase().padStart(4, "0")}›`;
      assert.equal(visible(`a${mark.repeat(5)}`), `a${mark.repeat(4)}${number}`);
    }
  }
});

/** Each code point is a text's character alone, and then a base of characters that shape it. */
for (const [name, ranges] of Object.entries(unseen.codePoints)) {
  test(`All 1,114,112 code points, ${name}`, () => {
    const suffix = unseen.suffixes[name];
    const is = (point) => ranges.some(([first, last]) => Number.parseInt(first, 16) <= point && point <= Number.parseInt(last, 16));
    for (let point = 0; point < 0x110000; point += 1) {
      // Halves of a character are no text of Swift.
      if (point >= 0xd800 && point < 0xe000) continue;
      const text = `a${String.fromCodePoint(point)}${suffix}a`;
      const isShown = name === "unseen" ? visible(text) !== text : visible(`${suffix}${text}`).endsWith(`${suffix}a`);
      if (isShown !== is(point)) assert.fail(`U+${point.toString(16)}`);
    }
  });
}

test("The table has every character that Unicode calls ignorable, a control, a format or private", () => {
  const unicode = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Default_Ignorable_Code_Point}]/u;
  for (let point = 0; point < 0x110000; point += 1) {
    const text = `a${String.fromCodePoint(point)}a`;
    if (point !== 10 && unicode.test(text)) assert.notEqual(visible(text), text, point.toString(16));
  }
});
