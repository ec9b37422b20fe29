/** Questions over the page: dialogs at its lower edge, in reach of the thumb. */

import { Refused } from "./device.js";
import { button, form, h, listen } from "./dom.js";
import { t } from "./text.js";

/**
 * Shows a dialog until it is answered.
 * @param {string|Array} title
 * @param {(close: (value: any) => void) => Array} content gets the function that answers
 * @param {string} [leave] words of the button that closes it without an answer
 * @returns {Promise<any>} undefined if it was closed without an answer
 */
export function sheet(title, content, leave = t("cancel")) {
  return new Promise((resolve) => {
    const dialog = h("dialog.sheet", { "aria-labelledby": "sheet-title" });
    let answer;
    const close = (value) => {
      answer = value;
      dialog.close();
    };
    dialog.append(h("div.sheet-body", h("h2", { id: "sheet-title", tabindex: -1 }, title), content(close),
      button("plain", leave, () => close())));
    listen(dialog, {
      close: () => {
        dialog.remove();
        resolve(answer);
      },
      // A tap beside it closes it.
      click: (event) => event.target === dialog && close(),
    });
    document.querySelector("main")?.append(dialog);
    dialog.showModal();
    dialog.querySelector("h2")?.focus();
  });
}

/** Asks before something that cannot be undone. @returns {Promise<boolean|undefined>} */
export const confirmed = (title, text, yes, style = "danger") =>
  sheet(title, (close) => [h("p", text), button(style, yes, () => close(true))]);

/** A rejection with a reason. @returns {Promise<object|undefined>} the answer */
export const rejection = () =>
  sheet(t("withReason"), (close) => {
    const field = h("textarea", { id: "reason", maxlength: 256, rows: 3, "aria-describedby": "reason-hint" });
    return [
      h("label", { for: "reason" }, t("reason")), h("p.hint", { id: "reason-hint" }, t("reasonHint")), field,
      button("danger", t("reject"), () => close({ accepted: false, reason: field.value.trim() || undefined })),
    ];
  });

/** A rejection of something that the person did not ask for. @returns {Promise<object|undefined>} the answer */
export const report = async () =>
  await confirmed(t("report"), t("reportHint"), t("reportNow")) ? { accepted: false, reported: true } : undefined;

/** Asks for a line of text. @returns {Promise<string|undefined>} */
export const entered = (title, label, value, yes) =>
  sheet(title, (close) => {
    const field = h("input", { id: "line", value, maxlength: 60, autocomplete: "off" });
    return [
      form(() => close(field.value.trim() || undefined),
        h("label", { for: "line" }, label), field, h("button.allow", { type: "submit" }, yes)),
    ];
  });

/** Runs an action of a button, and says if it did not work. */
export async function trying(action) {
  try {
    await action();
  } catch (error) {
    const isRefused = error instanceof Refused;
    if (!isRefused) console.error(error);
    await sheet(t("didNotWork"), () => [h("p", t(isRefused ? "refusedLead" : "tryAgain"))], t("ok"));
  }
}
