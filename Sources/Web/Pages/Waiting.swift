/// A page that waits for what happens elsewhere, such as a decision on the phone. A script asks in the background, so
/// that the tab does not load all the time and what the person types stays. Without scripts, the browser follows a held
/// redirect.
package struct Waiting: Sendable, Equatable {
    /// The page itself.
    package let page: PageURL
    /// For the script. The server holds its answer: 204 if nothing changed, 205 if the page has something new to show,
    /// 409 if newer pages wait in this one's place, and 503 if it stops. With `Prefer: wait=0` it answers at once.
    package let polled: PageURL
    /// For browsers without scripts. The server holds its redirect.
    package let followed: PageURL

    package init(page: PageURL, polled: PageURL, followed: PageURL) {
        self.page = page
        self.polled = polled
        self.followed = followed
    }

    /// Seconds until the page begins to wait. A browser would add a history entry for a later reload, and a page that has
    /// something new to show each time must not load without a pause.
    static let pause = 1
}
