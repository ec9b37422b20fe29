// Conveniences of the dashboard, which works without them: buttons that copy, and parts that follow the server.
function offerCopies(root) {
    if (!navigator.clipboard) return;
    for (const button of root.querySelectorAll("[data-copied]")) {
        button.hidden = false;
        button.addEventListener("click", () => {
            navigator.clipboard.writeText(button.dataset.copied).then(() => {
                button.setAttribute("aria-pressed", "true");
                setTimeout(() => button.removeAttribute("aria-pressed"), 1500);
            });
        });
    }
}
offerCopies(document);

for (const part of document.querySelectorAll("[data-live]")) {
    const events = new EventSource(part.dataset.live);
    events.addEventListener("change", async () => {
        const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
        if (!answer.ok) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const next = [...page.querySelectorAll("[data-live]")].find((one) => one.dataset.live === part.dataset.live);
        // A part in use stays until the next change.
        if (!next || part.contains(document.activeElement)) return;
        const opened = [...part.querySelectorAll("details")].map((details) => details.open);
        part.replaceChildren(...next.childNodes);
        part.querySelectorAll("details").forEach((details, place) => { details.open = opened[place] ?? details.open; });
        offerCopies(part);
    });
}
