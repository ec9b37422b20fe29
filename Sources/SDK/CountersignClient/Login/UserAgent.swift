public import PlatformFoundation

/// The browser in which a person logs in (the external user-agent of RFC 8252): `SystemBrowser`, on Apple platforms
/// `WebAuthenticationSession`, or the app's own implementation.
public protocol UserAgent: Sendable {
    /// Prepares one redirect back to this app.
    func prepare() async throws(CountersignError) -> any PreparedRedirect

    /// The URL that the server redirects to after a logout. Nil means none.
    var logoutReturn: URL? { get }

    /// Shows the logout page. Returns when the browser has returned to `logoutReturn`, or at once if that is nil.
    func show(logout page: URL) async throws(CountersignError)
}

/// One redirect from the browser back to this app.
public protocol PreparedRedirect: Sendable {
    /// The exact `redirect_uri`.
    var uri: String { get }

    /// Shows a page and waits for the redirect.
    ///
    /// - Parameters:
    ///   - page: The authorization request.
    ///   - state: The `state` of that request. If other programs can reach the redirect's address, requests with
    ///     another `state` must be ignored.
    /// - Returns: The URL of the redirect with its parameters, which are not checked yet.
    /// - Throws: `cancelledByUser`, `expired` if nobody returned in time, `noBrowser`, `cancelled`.
    func visit(_ page: URL, state: String) async throws(CountersignError) -> URL
}
