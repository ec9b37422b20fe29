public import Foundation

/// The browser in which a person logs in (RFC 8252 calls it the external user-agent): `SystemBrowser`, on Apple
/// platforms `WebAuthenticationSession`, or one of the app's own.
public protocol UserAgent: Sendable {
    /// Makes ready for one redirect back to this app.
    func prepare() async throws(CountersignError) -> any PreparedRedirect

    /// Where the server may send the browser after a logout; nil where nobody waits for it.
    var logoutReturn: URL? { get }

    /// Shows the page that logs out. Returns when the browser came back to `logoutReturn`, or at once where that is
    /// nil.
    func show(logout page: URL) async throws(CountersignError)
}

/// One way back from the browser to this app.
public protocol PreparedRedirect: Sendable {
    /// The `redirect_uri`, to the letter.
    var uri: String { get }

    /// Shows a page, and waits for the browser to be sent back.
    ///
    /// - Parameters:
    ///   - page: the authorization request.
    ///   - state: an agent that strangers can reach ignores what does not bring this `state` along.
    /// - Returns: the URL that the browser was sent to, with its parameters. They are checked elsewhere.
    /// - Throws: `cancelledByUser`, `expired` when nobody came back in time, `noBrowser`, `cancelled`.
    func visit(_ page: URL, state: String) async throws(CountersignError) -> URL
}
