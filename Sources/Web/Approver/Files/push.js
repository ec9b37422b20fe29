/** The service worker and its push subscription. */

import { abilities } from "./device.js";
import { fromBase64url } from "./keys.js";
import { change, keepValue } from "./store.js";
import { t } from "./text.js";

const scope = "/approver";
const workerURL = "/approver/sw.js";

const registered = () => navigator.serviceWorker?.getRegistration(scope);

const isApple = /iPhone|iPad|iPod/.test(navigator.userAgent)
  || (navigator.platform === "MacIntel" && navigator.maxTouchPoints > 1);

/** True if the page runs as an installed app. */
const isInstalled = matchMedia("(display-mode: standalone)").matches || navigator.standalone === true;
/** True for phones that give notifications to installed apps alone. */
export const needsInstallation = isApple && !isInstalled;

/** The worker's address is the only script that this page names by a text (Trusted Types). */
const policy = globalThis.trustedTypes?.createPolicy("approver-worker", { createScriptURL: () => workerURL });

export async function startWorker() {
  const address = policy ? policy.createScriptURL("") : workerURL;
  await navigator.serviceWorker?.register(address, { scope, updateViaCache: "none" }).catch(console.error);
}

/** Texts and addresses that the worker needs, in the page's language. */
export const brief = (settings) => keepValue("brief", {
  base: settings.base, name: settings.name, someRequest: t("noticeSomeRequest"), over: t("noticeOver"),
});

/**
 * If pushes come: `on`, `off`, `denied`, `install` (only after installation), `none` in a browser
 * without push, or `server` at a server without it.
 * @param {object} settings of the tenant
 */
export async function state(settings) {
  if (!settings.web_push_key) return "server";
  if (!("serviceWorker" in navigator)) return "none";
  if (needsInstallation) return "install";
  if (!("PushManager" in window) || !("Notification" in window)) return "none";
  if (Notification.permission === "denied") return "denied";
  const isOn = Notification.permission === "granted" && await (await registered())?.pushManager.getSubscription();
  return isOn ? "on" : "off";
}

/** The worker. A browser that could not register it tries again, and throws after ten seconds. */
async function worker() {
  if (!await registered()) await startWorker();
  return Promise.race([
    navigator.serviceWorker.ready,
    new Promise((_, fail) => { setTimeout(() => fail(new Error("no worker")), 10_000); }),
  ]);
}

/** The subscription under the tenant's key. An older one under another key gives way. */
async function subscription(settings) {
  const key = fromBase64url(settings.web_push_key);
  const { pushManager } = await worker();
  const known = await pushManager.getSubscription();
  const knownKey = known && new Uint8Array(known.options.applicationServerKey ?? []);
  if (known && knownKey.length === key.length && knownKey.every((byte, index) => byte === key[index])) return known;
  await known?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}

/** Asks the person, and subscribes. Throws if the browser or its push service refuses. */
export async function turnOn(settings, devices) {
  if (await Notification.requestPermission() !== "granted") return;
  const made = await subscription(settings);
  await Promise.all(devices.map((device) => describe(device, made)));
}

/** Ends the subscription. The push service then refuses what a server still sends there. */
export const end = async () => (await (await registered())?.pushManager?.getSubscription())?.unsubscribe();

/** Ends the subscription, and tells the server. */
export async function turnOff(devices) {
  await end();
  for (const device of devices) {
    await change(device.account, { pushEndpoint: undefined });
    await device.update({ push_credentials: null });
  }
}

/**
 * Tells the server what changed since the last start: a subscription, also one that the server lost, or this version's
 * abilities. Notes the server's name of each account.
 */
export async function renew(settings, devices) {
  const made = await state(settings) === "on" ? await subscription(settings).catch(console.error) : undefined;
  await Promise.allSettled(devices.map(async (device) => {
    const { account: label, devices: phones } = await device.phones();
    if (label !== device.account.label) await change(device.account, { label });
    if (!phones.find(({ current }) => current)?.push) device.account.pushEndpoint = undefined;
    await describe(device, made);
  }));
}

async function describe(device, made) {
  const { account } = device;
  if (account.capabilities === abilities(account) && (!made || account.pushEndpoint === made.endpoint)) return;
  await device.describe(made);
  await change(account, { capabilities: abilities(account), ...(made && { pushEndpoint: made.endpoint }) });
}

/** Closes the notification of a request that is over. */
export async function closeNotice(tag) {
  for (const notice of await (await registered())?.getNotifications({ tag }) ?? []) notice.close();
}

/** Closes an account's notifications of requests that wait no longer. */
export async function closeNotices(account, waiting) {
  for (const notice of await (await registered())?.getNotifications() ?? []) {
    if (notice.data?.account === account && !waiting.includes(notice.tag)) notice.close();
  }
}
