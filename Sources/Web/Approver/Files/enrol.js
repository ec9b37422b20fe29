/**
 * Adds this phone to an account.
 *
 * @typedef {object} Link
 * @property {string} [ticket]
 * @property {string} [code] eight characters that stand for a ticket
 * @property {string} [account]
 * @property {string} [elsewhere] host of another server
 */

import { generator } from "./code.js";
import { abilities, Device, enroll, Lost, Refused } from "./device.js";
import { button, form, h, heading, seal, shapes } from "./dom.js";
import { makeKey } from "./keys.js";
import { needsInstallation } from "./push.js";
import { mark, note, notes, unmark } from "./farewell.js";
import { accounts, change, forget, keep, keepValue, value } from "./store.js";
import { foreign, say, t } from "./text.js";
import { scanButton } from "./ways.js";

/**
 * An enrolment's ticket in a link of this server: the approver's own, that of the ticket page, or a code's text.
 * @param {string} text
 * @returns {Link|undefined}
 */
export function ticketOf(text) {
  const code = codeIn(text);
  if (code) return { code };
  // People type the code in the groups of four that the ticket page shows.
  const plain = /^([\w-]{4}\s+)+[\w-]{1,4}$/.test(text.trim()) ? text.replace(/\s+/g, "") : text.trim();
  if (/^[\w-]{16,128}$/.test(plain)) return { ticket: plain };
  try {
    return ticketIn(new URL(plain));
  } catch {
    return undefined;
  }
}

/**
 * The short code of a text: eight characters of Crockford's Base32, as people type them.
 * @param {string} text
 * @returns {string|undefined}
 */
export function codeIn(text) {
  const plain = text.toUpperCase().replace(/[\s-]/g, "").replaceAll("O", "0").replace(/[IL]/g, "1");
  return /^[0-9A-HJKMNP-TV-Z]{8}$/.test(plain) ? plain : undefined;
}

/** Throws if a part of the address cannot be read. @param {URL} url @returns {Link|undefined} */
function ticketIn(url) {
  if (url.protocol === "otpauth:") {
    const base = url.searchParams.get("base_url");
    if (base && new URL(base).origin !== location.origin) return { elsewhere: new URL(base).host };
    return found(url.searchParams.get("enrollment_tx_id"), decodeURIComponent(url.pathname.split(":").pop()));
  }
  const fragment = new URLSearchParams(url.hash.slice(1));
  const ticket = fragment.get("enroll") ?? url.searchParams.get("ticket");
  if (ticket && url.origin !== location.origin) return { elsewhere: url.host };
  return found(ticket, fragment.get("account"));
}

const found = (ticket, account) => (ticket ? { ticket, account: account || undefined } : undefined);

/** The fragment of an address that makes the app add this phone. */
export const fragmentOf = ({ ticket, code, account }) =>
  new URLSearchParams({ ...(code ? { code } : { enroll: ticket }), ...(account && { account }) });

/** A name for this phone, as its browser describes itself. */
function suggestedName(agent = navigator.userAgent) {
  const named = (...names) => names.find((name) => agent.includes(name));
  const full = { CrOS: "ChromeOS", Edg: "Edge", OPR: "Opera", FxiOS: "Firefox", CriOS: "Chrome" };
  const [system, browser] = [
    named("iPhone", "iPad", "Android", "CrOS", "Windows", "Mac", "Linux"),
    named("Edg", "OPR", "Samsung", "Firefox", "FxiOS", "Chrome", "CriOS", "Safari"),
  ].map((name) => full[name] ?? name);
  if (system && browser) return t("phoneName", { browser, system }).replace(/[\u2068\u2069]/g, "");
  return system ?? browser ?? t("thisPhone");
}

/** A field for a link. @param {(link: object) => void} use */
export function pasteForm(use) {
  const field = h("input", {
    id: "link", type: "text", inputmode: "text", autocomplete: "off", autocapitalize: "none", spellcheck: "false", "aria-describedby": "link-problem",
  });
  const problem = h("p.problem", { id: "link-problem", role: "alert" });
  const submit = () => {
    const link = ticketOf(field.value);
    if (link?.ticket || link?.code) return use(link);
    problem.replaceChildren(...say(link ? "linkElsewhere" : "linkUnknown", { host: link?.elsewhere }));
    field.setAttribute("aria-invalid", "true");
    field.focus();
  };
  return form(submit,
    h("label", { for: "link" }, t("pasteLink")), field, problem, h("button.plain", { type: "submit" }, t("useLink")));
}

const introduction = (settings, title) => [
  seal(shapes.phone), heading(title), h("p.lead", say("welcomeLead", { tenant: settings.name })),
];

/** The page without accounts. */
export const welcome = (settings, use) => h("section.page",
  introduction(settings, t("welcome")),
  installSteps(settings),
  h("h2", t("haveLink")), h("p.hint", t("haveLinkLead")), pasteForm(use), scanButton(use));

/** The way to notifications on phones that give them to installed apps alone. */
export const installSteps = (settings) => needsInstallation && settings.web_push_key
  && h("section.notice", h("h2", t("installApple")),
    h("ol", h("li", t("wayShare"), " ", t("wayHome")), h("li", t("wayOpen")), h("li", t("installApple3"))));

/**
 * The page that adds this phone.
 * @param {Link} link
 * @param {(account: import("./store.js").Account) => void} done
 */
export function enrolView(settings, link, done) {
  const field = h("input", { id: "name", value: suggestedName(), maxlength: 60, autocomplete: "off" });
  const problem = h("p.problem", { role: "alert" });
  const submit = h("button.allow", { type: "submit" }, t("addPhone"));
  const submitted = async () => {
    submit.disabled = true;
    problem.textContent = "";
    try {
      done(await add(settings, link, field.value.trim() || suggestedName()));
    } catch (error) {
      submit.disabled = false;
      problem.textContent = t(problemOf(error, link));
    }
  };
  return h("section.page",
    introduction(settings, t("addPhone")),
    link.account && h("p.who", t("account"), " ", h("strong", foreign(link.account))),
    form(submitted, h("label", { for: "name" }, t("nameOfPhone")), field, problem, submit),
    button("plain", t("cancel"), () => { location.hash = "requests"; }));
}

function problemOf(error, link) {
  if (error instanceof Lost) return "enrolLost";
  if (!(error instanceof Refused)) console.error(error);
  if (error.code === "too_many_requests") return "wayTooMany";
  return error.code === "enrollment_transaction_not_found" ? (link.code ? "wayCodeOver" : "enrolOver") : "enrolRefused";
}

/** Makes a key, and enrols it. */
async function add(settings, link, name) {
  const identifier = await value("identifier") ?? (await notes()).marks.at(0)?.identifier
    ?? crypto.randomUUID();
  await keepValue("identifier", identifier);
  const key = await makeKey();
  // A browser that cannot keep the key says so before the ticket is used up.
  await keepValue("newKey", key);
  const made = await enroll(settings.base, link, { identifier, name, key });
  const account = {
    id: made.id, identifier, userId: made.user_id, label: made.user_id, name, key,
    addedAt: Date.now(), generator: await generator(made.totp), capabilities: abilities({ generator: {} }),
  };
  const device = new Device(settings.base, account);
  try {
    await keep(account);
    await keepValue("newKey", undefined);
    await note({ base: settings.base, name: settings.name, notice: t("wayLost"), usedCode: link.code });
    await mark({ ...account, farewell: made.farewell });
  } catch (error) {
    // Nobody could answer with it.
    await device.remove().catch(console.error);
    throw error;
  }
  // The server replaced an earlier enrolment of the same person on this phone.
  for (const other of await accounts()) {
    if (other.userId === account.userId && other.id !== account.id) await forget(other.id);
  }
  await unmark(({ id, userId }) => userId === account.userId && id !== account.id);
  // Else a browser may delete the key when it needs space.
  navigator.storage?.persist?.().catch(console.error);
  // The link's name of the account may be anybody's.
  await device.phones().then(async ({ account: label }) => {
    await change(account, { label });
    await mark(account);
  }, console.error);
  return account;
}
