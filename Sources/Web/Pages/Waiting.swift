/// A page that waits for what happens elsewhere, such as a decision on the phone. A script asks in the background, so
/// that the tab does not load all the time and what the person types stays. Without scripts, the browser follows a held
/// redirect.
package struct Waiting: Sendable, Equatable {
    /// The page itself.
    package let page: PageURL
    /// For the script. The server holds its answer: 204 if nothing changed, 205 if the page has something new to show,
    /// and 409 if newer pages wait in this one's place.
    package let asked: PageURL
    /// For browsers without scripts. The server holds its redirect.
    package let followed: PageURL

    package init(page: PageURL, asked: PageURL, followed: PageURL) {
        self.page = page
        self.asked = asked
        self.followed = followed
    }

    /// Seconds until the page begins to wait. A browser would add a history entry for a later reload, and a page that has
    /// something new to show each time must not load without a pause.
    static let pause = 1

    /// Loads the page instead of reloading what is shown, which may be the answer to a form. A page in whose place others
    /// wait asks again once the person uses it. A failure is tried again after 5 seconds, later after a minute.
    static let script = """
        'use strict';
        const { page, asked } = document.currentScript.dataset;
        let failures = 0;
        const askIn = seconds => setTimeout(ask, 1000 * seconds);
        async function ask() {
            const { status, type } = await fetch(asked, { redirect: 'manual' }).catch(() => ({}));
            if (status === 205 || type === 'opaqueredirect') return location.replace(page);
            if (status === 409) return addEventListener('focus', ask, { once: true });
            failures = status === 204 ? 0 : failures + 1;
            askIn(failures ? Math.min(60, 5 * 2 ** (failures - 1)) : \(pause));
        }
        askIn(\(pause));

        """
}
