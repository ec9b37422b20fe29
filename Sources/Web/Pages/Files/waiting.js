/*
 * Loads the page instead of reloading what is shown, which may be the answer to a form.
 *
 * A browser has six connections to a host, so only a page in sight is held; a hidden or displaced one asks every 5
 * seconds. An answer that stays an error is something new to show. After a failure that may pass, the script asks
 * again after 5 seconds, later after a minute.
 */
'use strict';
const { page, polled } = document.currentScript.dataset;
let turn = 0, failures = 0, isDisplaced = false, isLeaving = false, asking;
const askIn = seconds => {
    const mine = turn;
    setTimeout(() => mine === turn && ask(), 1000 * seconds);
};
async function ask() {
    const mine = ++turn;
    const isHeld = !document.hidden && !isDisplaced;
    asking = new AbortController();
    const { status, type } = await fetch(polled, {
        redirect: 'manual', signal: asking.signal, headers: isHeld ? {} : { Prefer: 'wait=0' },
    }).catch(() => ({}));
    if (mine !== turn) return;
    const isFinal = status >= 400 && status < 500 && ![408, 409, 429].includes(status);
    if (status === 205 || type === 'opaqueredirect' || isFinal) {
        isLeaving = true;
        return location.replace(page);
    }
    if (status === 409) isDisplaced = true;
    failures = status === 204 || status === 409 ? 0 : failures + 1;
    if (failures) askIn(Math.min(60, 5 * 2 ** (failures - 1)));
    else askIn(isHeld && !isDisplaced ? 1 : 5);
}
const askNow = () => {
    if (isLeaving) return;
    isDisplaced = false;
    if (asking) asking.abort();
    ask();
};
document.addEventListener('visibilitychange', askNow);
addEventListener('focus', () => isDisplaced && askNow());
askIn(1);
