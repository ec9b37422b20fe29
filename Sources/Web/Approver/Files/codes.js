/** The one-time codes of the accounts, for a login page that no push reached. */

import { code } from "./code.js";
import { now } from "./device.js";
import { h } from "./dom.js";
import { foreign, sayCount, t } from "./text.js";

/** True while the codes are shown, also in a view that is drawn anew. */
let isOpen = false;

/** The code of an account, which changes. @param {import("./device.js").Device} device */
function codeOf({ account }, isNamed) {
  const { generator } = account;
  const digits = h("strong.digits");
  const left = h("span.hint");
  const bar = h("progress", { "aria-hidden": "true", max: generator.period });
  const element = h("div.code.moves",
    isNamed && h("p.who", t("account"), " ", h("strong", foreign(account.label))), digits, bar, left);
  const draw = async () => {
    const made = await code(generator, now());
    const seconds = Math.ceil(made.left / 1000);
    const middle = made.text.length / 2;
    // People read digits in groups, and copy them as one.
    digits.replaceChildren(...[made.text.slice(0, middle), made.text.slice(middle)].map((part) => h("span", part)));
    bar.value = seconds;
    left.replaceChildren(...sayCount("codeLeft", seconds));
  };
  const update = () => { draw().catch(console.error); };
  update();
  return Object.assign(element, { update });
}

/**
 * The codes behind one tap, for views without a request and without a network. Undefined if no account has any.
 * @param {import("./device.js").Device[]} devices
 */
export function codes(devices) {
  const able = devices.filter(({ account }) => account.generator);
  if (able.length === 0) return undefined;
  const place = h("div");
  const fill = () => place.replaceChildren(...(isOpen ? able.map((device) => codeOf(device, devices.length > 1)) : []));
  fill();
  return h("details.codes", {
    open: isOpen, ontoggle: ({ target }) => {
      if (isOpen === target.open) return;
      isOpen = target.open;
      fill();
    },
  }, h("summary", t("oneTimeCode")), h("p.hint", t("oneTimeCodeLead")), place);
}
