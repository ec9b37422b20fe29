/**
 * Notes apart from the keys, by which a phone whose key is gone is known. A browser that needs space deletes IndexedDB
 * as a whole; these are in Cache Storage and, for the page, in `localStorage`, too. The service worker reads them.
 *
 * @typedef {object} Mark
 * @property {string} id the enrolment's id
 * @property {string} userId
 * @property {string} label the account's name
 * @property {string} identifier the phone's identifier: with it, a new enrolment replaces this one
 * @property {string} [farewell] secret that tells the server, once, that the key is gone
 *
 * @typedef {object} Notes
 * @property {string} [base] of the device API
 * @property {string} [name] of the service
 * @property {string} [notice] text of a notification in the person's language
 * @property {string} [usedCode] code that enrolled this phone
 * @property {Mark[]} marks
 */

import { farewell } from "./device.js";

const address = "/approver/farewell.json";
const place = globalThis.localStorage;

/** @returns {Promise<Notes>} */
export async function notes() {
  /** @type {Notes} */
  let found = { marks: [] };
  try {
    found = { ...found, ...JSON.parse(place?.getItem("approver") ?? "{}") };
  } catch {
    // Somebody else's text, or no storage.
  }
  const cached = await globalThis.caches?.match(address).then((answer) => answer?.json()).catch(() => undefined);
  return { ...found, ...cached };
}

/** @param {Partial<Notes>} changes */
export async function note(changes) {
  const text = JSON.stringify({ ...await notes(), ...changes });
  try {
    place?.setItem("approver", text);
  } catch {
    // The cache may take it.
  }
  await globalThis.caches?.open("marks").then((cache) => cache.put(address, new Response(text))).catch(console.error);
}

/** Marks accounts, and leaves the farewells of those that have one. @param {Mark[]} accounts */
export async function mark(...accounts) {
  const { marks } = await notes();
  const known = (id) => marks.find((other) => other.id === id);
  const made = accounts.map(({ id, userId, label, identifier, farewell = known(id)?.farewell }) =>
    ({ id, userId, label, identifier, farewell }));
  await note({ marks: [...marks.filter(({ id }) => !made.some((one) => one.id === id)), ...made] });
}

/** @param {(mark: Mark) => boolean} isGone */
export async function unmark(isGone) {
  const { marks } = await notes();
  await note({ marks: marks.filter((one) => !isGone(one)) });
}

/**
 * Marks without an account. Tells the server of each, so that it sends nothing there.
 * @param {{id: string}[]} accounts
 */
export async function lost(accounts) {
  const { base, marks } = await notes();
  const gone = marks.filter(({ id }) => !accounts.some((account) => account.id === id));
  for (const one of gone) {
    if (!one.farewell || !base) continue;
    // A refusal means that the server knows already. Without an answer the next start tries again.
    const isTold = await farewell(base, one.id, one.farewell).then(() => true, (error) => Boolean(error.code));
    if (isTold) await note({ marks: (await notes()).marks.map((other) => other.id === one.id ? { ...other, farewell: undefined } : other) });
  }
  return gone;
}
