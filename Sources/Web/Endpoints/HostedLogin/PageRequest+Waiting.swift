import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives

/// Pages that wait for what happens elsewhere, such as a decision on the phone. Their `Refresh` field names the same
/// page with the parameter `wait`, whose answer is held until the page has something new to show. The browser shows the
/// page meanwhile.
extension PageRequest {
    /// Parameter of the held request: how many were held in a row, or `never`.
    static let wait = "wait"
    /// Value of ``wait`` for a page that newer ones displaced. It waits again once the person uses it.
    private static let never = "never"
    /// Redirects of one page in a row. Browsers give up after 20.
    private static let waitLimit = 15
    /// Seconds after which a browser begins to wait by itself. With a longer time browsers would add a history entry.
    private static let refresh = 1

    /// False for a page that newer ones displaced.
    var isWaiting: Bool { parameters[Self.wait] != Self.never }

    /// Makes the response of a page wait. `address` is that of the page, with a value of ``wait``.
    ///
    /// Reloads by a header, which a screen reader can turn off, and not by an element.
    func waiting(_ response: Response, at address: (String?) -> String) -> Response {
        guard isWaiting else { return response }
        var response = response
        response.fields.append("Refresh", "\(Self.refresh); url=\(address("1"))")
        return response
    }

    /// Answers the held request: redirects once the page has something new to show or to wait on. Nil for any other
    /// request, which shows the page. The browser keeps showing the page until then, and the keyboard's focus stays
    /// (WCAG 2.2, failure F41 of 2.2.1).
    ///
    /// - Parameters:
    ///   - key: What the page waits for. Nobody else may know it, because few of its pages are held.
    ///   - goesOn: Returns when the page has something new to show, or after a while. True means that the browser goes
    ///     on waiting.
    func waited(
        for key: String, at address: (String?) -> String, while goesOn: @escaping @Sendable () async throws -> Bool
    ) async throws -> Response? {
        guard http.method == .get, let waits = parameters[Self.wait].flatMap({ Int($0) }) else { return nil }
        guard isRefresh else { return redirect(to: address(nil)) }
        let place = "\(tenant.id)\n\(http.path)\n\(key)"
        let next: String? =
            switch try await hosted.heldPages.hold(hosted.ports.hashing.sha256(Array(place.utf8)), goesOn) {
            case true?: waits < Self.waitLimit ? String(max(waits, 1) + 1) : nil
            case false?: nil
            case nil: Self.never
            }
        return redirect(to: address(next))
    }

    /// False if a person loads the address of a held request, which the address bar has after a broken connection. The
    /// person would see nothing for minutes. Browsers without these fields count as refreshing.
    private var isRefresh: Bool {
        let cache = http.fields.values(of: "Cache-Control").joined(separator: ",").lowercased()
            .split { $0 == "," || $0 == " " }
        let site = http.fields["Sec-Fetch-Site"]
        // Refreshes have it, too, if the person clicked or typed on the page just before.
        let isActive = http.fields["Sec-Fetch-User"] == "?1"
        if cache.contains("max-age=0") { return false }
        // Developer tools that turn the cache off send it with every request.
        if cache.contains("no-cache"), isActive || site == nil { return false }
        return switch site {
        case nil, "same-origin"?: true
        // Some browsers never send `Sec-Fetch-User`, so this may be a refresh.
        case "none"?: !isActive
        default: false
        }
    }
}
