import assert from "node:assert/strict";
import test from "node:test";

import { names } from "./names.js";

const day = (moment) => new Date(moment).toISOString().slice(0, 10);
const named = (...phones) => {
  const list = phones.map(([name, enrolled_at]) => ({ name, enrolled_at }));
  const told = names(list, day);
  return list.map((phone) => told.get(phone));
};

test("A name that no other phone has stays as it is", () => {
  assert.deepEqual(
    named(["Phone", "2026-11-01T00:00:00.000Z"], ["Tablet", "2026-11-01T00:00:00.000Z"]), ["Phone", "Tablet"]);
});

test("Phones of one name have their day, and a number on the same day", () => {
  assert.deepEqual(
    named(["Chrome", "2026-11-01T08:00:00.000Z"], ["Chrome", "2026-11-02T08:00:00.000Z"]),
    ["Chrome (2026-11-01)", "Chrome (2026-11-02)"]);
  assert.deepEqual(
    named(
      ["Chrome", "2026-11-01T08:00:00.000Z"], ["chrome", "2026-11-01T09:00:00.000Z"], ["Chrome", "2026-11-02T08:00:00.000Z"]),
    ["Chrome (2026-11-01) #1", "chrome (2026-11-01) #2", "Chrome (2026-11-02)"]);
});

test("Two spellings that look alike are one name", () => {
  assert.deepEqual(
    named(["Caf\u00e9", "2026-11-01T08:00:00.000Z"], ["Cafe\u0301", "2026-11-02T08:00:00.000Z"]),
    ["Caf\u00e9 (2026-11-01)", "Cafe\u0301 (2026-11-02)"]);
});
