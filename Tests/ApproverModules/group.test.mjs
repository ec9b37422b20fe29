import assert from "node:assert/strict";
import test from "node:test";

Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"] }, configurable: true });
const { allowable, outliers, totals } = await import("./group.js");
const { order } = await import("./requests.js");
const { parse } = await import("./json.js");

const request = (record) => ({ record: parse(JSON.stringify(record)) });
const payment = (amount, more = {}) => request({
  client_name: "Shop",
  authorization_details: [{ type: "payment", amount: { amount, currency: "EUR" }, payee: "Merchant A" }],
  presentation: [{ groupable: true }], ...more,
});
const plain = request({ client_name: "Shop", binding_message: "Order" });

test("Requests without money may be allowed together, but those with a number to pick", () => {
  const numbered = request({ matching_choices: ["07", "42", "85"] });
  assert.deepEqual(allowable([plain, plain, numbered]), [plain, plain]);
});

test("Requests about money may be allowed together if each of their types says so", () => {
  const single = payment("5", { presentation: [] });
  assert.equal(allowable([payment("5"), payment("6")]).length, 2);
  assert.deepEqual(allowable([payment("5"), single]), []);
  assert.deepEqual(allowable([plain, single]), []);
});

test("The sum of each currency is exact", () => {
  assert.equal(totals([plain]), undefined);
  assert.equal(totals([payment("0.10"), payment("0.20"), payment("90071992547409930.05")]), "€90,071,992,547,409,930.35");
});

test("An amount far above the others of its currency is told apart", () => {
  const euros = (...amounts) => amounts.map((amount) => ({ amount, currency: "EUR" }));
  assert.deepEqual(outliers(euros("30", "40", "9000", "35")), [false, false, true, false]);
  assert.deepEqual(outliers(euros("30", "9000")), [false, false], "nobody knows which of two is usual");
  assert.deepEqual(outliers([...euros("30", "40", "35"), { amount: "9000", currency: "JPY" }, undefined]),
    [false, false, false, false, false]);
});

test("Urgent requests stand first, then the newest login, then the oldest request", () => {
  const waiting = (createdAt, { urgent = false, login } = {}) =>
    ({ createdAt, urgent, record: parse(JSON.stringify(login ? { login: {} } : {})) });
  const all = [
    waiting(1), waiting(5, { login: true }), waiting(2), waiting(6, { login: true }), waiting(9, { urgent: true }),
  ];
  assert.deepEqual([...all].sort(order).map(({ createdAt }) => createdAt), [9, 6, 5, 1, 2]);
});
