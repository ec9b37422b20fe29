import assert from "node:assert/strict";
import test from "node:test";

import { isInView, Reading, readingTime } from "./reading.js";

const view = { top: 0, bottom: 500 };

test("A part is in view once its bottom half is", () => {
  assert.equal(isInView({ top: 100, bottom: 140 }, view), true);
  assert.equal(isInView({ top: 480, bottom: 500 }, view), true);
  assert.equal(isInView({ top: 481, bottom: 502 }, view), false, "its foot is below the view");
  assert.equal(isInView({ top: -20, bottom: 20 }, view), true, "half of it is above the view");
  assert.equal(isInView({ top: -30, bottom: 20 }, view), false);
});

test("A part that is taller than the view is in view when its foot fills it", () => {
  assert.equal(isInView({ top: -1500, bottom: 500 }, view), true);
  assert.equal(isInView({ top: -1500, bottom: 300 }, view), false);
});

test("A part counts once it stayed in view for 300 ms, and not when it flew past", () => {
  const reading = new Reading(3);
  assert.equal(reading.note([0, 1], 1000), false);
  assert.equal(reading.note([0, 1], 1000 + readingTime - 1), false);
  assert.equal(reading.note([1, 2], 1000 + readingTime), true);
  assert.deepEqual([...reading.unread], [0, 2]);
  // The first comes back: its time begins anew.
  reading.note([0], 2000);
  assert.deepEqual([...reading.unread], [0, 2]);
  reading.note([0], 2000 + readingTime);
  assert.deepEqual([...reading.unread], [2]);
});

test("One jump to the end reads the end alone", () => {
  const reading = new Reading(40);
  for (let now = 0; now <= 1000; now += 100) reading.note([37, 38, 39], now);
  assert.equal(reading.unread.size, 37);
});

test("A request without parts is read", () => {
  assert.equal(new Reading(0).unread.size, 0);
});
