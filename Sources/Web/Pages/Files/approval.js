/*
 * Moves the time that is left, and lets nobody allow what was not in view (docs/approvals.md, "A page to approve on").
 *
 * A part is read once its bottom half was in view for 300 milliseconds, or as much of that half as fits. Scrolling
 * looks at once, so that no part counts while it flies past. Without scripts, a person says to have read a long
 * request.
 */
'use strict';
{
    const readingTime = 300, pause = 100, tolerance = 1;
    const clock = document.querySelector('[data-left]');
    const start = Date.now(), left = Number(clock.dataset.left);
    const two = number => String(number).padStart(2, '0');
    const tick = () => {
        const rest = Math.max(0, left - Math.floor((Date.now() - start) / 1000));
        const [hours, minutes] = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60];
        clock.textContent = `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(rest % 60)}`;
    };
    document.querySelector('.until').hidden = true;
    tick();
    setInterval(tick, 1000);

    const unread = new Set(document.querySelectorAll('[data-part]'));
    const since = new Map();
    let timer;
    const notice = document.querySelector('.unread');
    const box = document.getElementById('read');
    const buttons = document.querySelectorAll('[data-allows]');
    const isInView = ({ top, bottom }, height) => {
        const half = Math.max((top + bottom) / 2, bottom - height);
        return half >= -tolerance && bottom <= height + tolerance;
    };
    const show = () => {
        for (const button of buttons) button.disabled = unread.size > 0;
        if (box) box.checked = unread.size === 0;
        notice.hidden = unread.size === 0;
        notice.querySelector('span').textContent = unread.size;
    };
    const observe = () => {
        const now = performance.now(), before = unread.size;
        for (const part of unread) {
            if (document.hidden || !isInView(part.getBoundingClientRect(), innerHeight)) since.delete(part);
            else if (!since.has(part)) since.set(part, now);
            else if (now - since.get(part) >= readingTime) unread.delete(part);
        }
        if (unread.size < before) show();
        if (!unread.size) clearInterval(timer);
    };
    if (notice) {
        if (box) box.parentElement.hidden = true;
        notice.querySelector('button').addEventListener('click', () => {
            const [part] = unread;
            part.tabIndex = -1;
            part.focus({ preventScroll: true });
            part.scrollIntoView({ block: 'start' });
        });
        addEventListener('scroll', observe, { passive: true });
        timer = setInterval(observe, pause);
        show();
    }
}
