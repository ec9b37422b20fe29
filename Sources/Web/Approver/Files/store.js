/**
 * Accounts and settings in IndexedDB. The service worker reads them too.
 *
 * @typedef {object} Account
 * @property {string} id the enrolment's id, `dev_…`
 * @property {string} identifier the phone's identifier, which signs answers
 * @property {string} userId
 * @property {string} label the account's name as the person knows it
 * @property {string} name the phone's name
 * @property {CryptoKeyPair} key
 * @property {number} addedAt milliseconds
 * @property {string} [capabilities] abilities that the server knows
 * @property {import("./code.js").Generator} [generator] of one-time codes
 * @property {string} [pushEndpoint] address of the push subscription that the server knows
 * @property {?{from: string, to: string}} [quietHours]
 * @property {import("./passkey.js").Passkeys} [passkeys] those that the server knew when it was last asked
 */

let opened;

function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("approver", 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("accounts", { keyPath: "id" });
      request.result.createObjectStore("values");
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

/** Runs one request in a transaction, and waits until it is on disk. */
async function run(store, mode, work) {
  const transaction = (await database()).transaction(store, mode, { durability: "strict" });
  return new Promise((resolve, reject) => {
    const request = work(transaction.objectStore(store));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** In the order of their enrolment. @returns {Promise<Account[]>} */
export async function accounts() {
  const all = await run("accounts", "readonly", (store) => store.getAll());
  return all.sort((one, other) => one.addedAt - other.addedAt);
}

/** @param {string} id @returns {Promise<Account|undefined>} */
export const account = (id) => run("accounts", "readonly", (store) => store.get(id));

/** Adds an account. @param {Account} account */
export const keep = (account) => run("accounts", "readwrite", (store) => store.put(account));

/** Changes members of an account, and leaves those alone that another tab changed. An account that is gone stays so. */
export function change(account, changes) {
  Object.assign(account, changes);
  return run("accounts", "readwrite", (store) => {
    const request = store.get(account.id);
    request.onsuccess = () => request.result && store.put({ ...request.result, ...changes });
    return request;
  });
}

/** @param {string} id */
export const forget = (id) => run("accounts", "readwrite", (store) => store.delete(id));

/** @param {string} name */
export const value = (name) => run("values", "readonly", (store) => store.get(name));

/** @param {string} name */
export const keepValue = (name, value) => run("values", "readwrite", (store) => store.put(value, name));
