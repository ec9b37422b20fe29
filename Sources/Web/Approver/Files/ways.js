/** Ways into an account: installation, the camera, another phone, and the way back after a key is gone. */

import { Refused } from "./device.js";
import { button, drawing, h, heading, icon, seal, shapes } from "./dom.js";
import { pasteForm, ticketOf } from "./enrol.js";
import * as passkey from "./passkey.js";
import { fromBase64url } from "./keys.js";
import { confirmed, sheet, trying } from "./sheet.js";
import { foreign, moment, say, t } from "./text.js";

/** Two groups of four characters, and until when they are valid. */
const shownCode = ({ code, expires_at }) => [
  h("output.code", { "aria-label": t("wayCode") }, code),
  h("p.hint", t("wayValid", { time: moment(Date.parse(expires_at)) })),
];

/**
 * The page in the browser of a phone that gives notifications to installed apps alone. The link stays unused.
 * @param {import("./enrol.js").Link} link
 * @param {() => Promise<{code: string, expires_at: string}>} issue gets a code that stands for the link
 * @param {() => void} stay goes on in this browser
 */
export function installView(settings, link, issue, stay) {
  const place = h("div.part", { role: "status" }, h("p.hint", t("connecting")));
  const fill = async () => {
    try {
      const made = await issue();
      place.replaceChildren(h("p", t("wayTypeCode")), ...shownCode(made));
      // The app starts with the code, where the phone keeps the address.
      const manifest = document.querySelector("link[rel=manifest]");
      manifest?.setAttribute("href", `/approver/manifest.webmanifest?code=${made.code}`);
      // A code that ended while the person looked away is replaced.
      const rest = Math.max(Date.parse(made.expires_at) - Date.now(), 30_000);
      setTimeout(() => place.isConnected && fill(), rest);
    } catch (error) {
      const isOver = error instanceof Refused && error.code === "enrollment_transaction_not_found";
      place.replaceChildren(h("p.problem", { role: "alert" }, t(isOver ? "enrolOver" : "enrolLost")));
    }
  };
  fill();
  const anyway = async () => {
    if (await confirmed(t("waySafari"), t("waySafariLead"), t("waySafariYes"), "plain")) stay();
  };
  const picture = document.querySelector("link[rel=icon]")?.getAttribute("href") ?? "";
  return h("section.page",
    seal(shapes.phone), heading(t("wayInstall")),
    h("p.lead", say("wayInstallLead", { tenant: settings.name })),
    link.account && h("p.who", t("account"), " ", h("strong", foreign(link.account))),
    h("ol.steps",
      h("li", icon(shapes.share), h("span", t("wayShare"))),
      h("li", icon(shapes.add), h("span", t("wayHome"))),
      h("li", h("img", { src: picture, alt: "", width: 28, height: 28 }), h("span", t("wayOpen")))),
    place, button("quiet", t("waySafari"), anyway));
}

/** A button that reads a link with the camera, where the browser can. @param {(link: object) => void} use */
export function scanButton(use) {
  // @ts-ignore: TypeScript does not know it.
  const Detector = globalThis.BarcodeDetector;
  if (!Detector || !navigator.mediaDevices?.getUserMedia) return undefined;
  return button("plain", t("wayScan"), () => trying(async () => {
    const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
    const detector = new Detector({ formats: ["qr_code"] });
    const video = h("video.camera", { playsinline: true, muted: true, "aria-label": t("wayScan") });
    video.srcObject = stream;
    const found = await sheet(t("wayScan"), (close) => {
      const scan = async () => {
        if (!video.isConnected) return;
        const codes = await detector.detect(video).catch(() => []);
        const link = codes.map(({ rawValue }) => ticketOf(rawValue)).find((one) => one?.ticket);
        if (link) close(link);
        else setTimeout(scan, 250);
      };
      video.addEventListener("playing", scan);
      setTimeout(() => video.play().catch(console.error));
      return [h("p", t("wayScanLead")), video];
    });
    for (const track of stream.getTracks()) track.stop();
    if (found) use(found);
  }));
}

/**
 * The page of a phone whose key is gone.
 * @param {import("./farewell.js").Mark[]} lost
 */
export const lostView = (settings, lost, use, forgetAll) => h("section.page",
  seal(shapes.away), heading(t("wayLost")),
  lost.map(({ label }) => h("p.who", t("account"), " ", h("strong", foreign(label)))),
  h("p.lead", say("wayLostLead", { tenant: settings.name })),
  h("h2", t("wayBack")),
  h("ul.ways",
    h("li", t("wayBackPhone")),
    h("li", say("wayBackAccount", { page: h("a", { href: "/account" }, t("wayAccount")) })),
    h("li", t("wayBackAsk"))),
  pasteForm(use), scanButton(use),
  button("quiet", t("wayForget"), forgetAll));

/** The page of a browser that cannot keep a key. @param {string} reason key of a text */
export const unableView = (reason) => h("main", h("section.page", seal(shapes.away), heading(t("cannotStart")),
  h("p", t(reason))));

/** The reason for which this browser cannot keep a key. @returns {string|undefined} key of a text */
export function unable() {
  if (!globalThis.isSecureContext) return "wayNeedsSecure";
  if (!globalThis.crypto?.subtle || !globalThis.indexedDB) return "wayNeedsBrowser";
  return undefined;
}

/** The modules of a QR code as a picture. @param {string[]} rows */
function picture(rows) {
  const [svg, path] = ["svg", "path"].map((name) => document.createElementNS(drawing, name));
  // Four modules around it (ISO 18004).
  const size = rows.length + 8;
  svg.setAttribute("viewBox", `-4 -4 ${size} ${size}`);
  svg.setAttribute("class", "qr");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", t("wayPicture"));
  path.setAttribute("d", rows.map((row, y) =>
    [...row].map((module, x) => (module === "1" ? `M${x} ${y}h1v1h-1z` : "")).join("")).join(""));
  svg.append(path);
  return svg;
}

/** Shows a link that adds another phone of this person. */
export const addAnother = (device, rule) => trying(async () => {
  let assertion;
  if (rule === "passkey") {
    const { challenge } = await device.passkey();
    assertion = await passkey.confirm({ device, digest: fromBase64url(challenge) });
    if (!assertion) return;
  }
  const made = await device.newPhone(assertion);
  await sheet(t("wayAnother"), () => [
    h("p", t("wayAnotherLead")), picture(made.modules), h("p", t("wayTypeCode")), shownCode(made),
    button("plain", t("copyLink"), async (event) => {
      await navigator.clipboard.writeText(made.link);
      event.target.textContent = t("copied");
    }),
  ], t("ok"));
});
