import AuthorizationCore
import Flows
import HTTPModel
import OAuthWire
import Pages
import Primitives

/// Pages that wait for what happens elsewhere, such as a decision on the phone. They name themselves with the parameter
/// `wait`, whose answer is held until the page has something new to show.
extension PageRequest {
    /// Parameter of a held request. Its values are those of ``Wait``, and `never`.
    static let wait = "wait"
    /// Value of ``wait`` for a page that newer ones displaced. It waits again once the person uses it.
    private static let never = "never"

    enum Wait {
        /// By the page's script. Its request is answered by a status.
        case polled
        /// By a redirect, in a browser without scripts. The number of redirects in a row.
        case followed(Int)

        /// Redirects of one page in a row. Browsers give up after 20.
        private static let limit = 15

        init?(_ text: String) {
            if text == Self.polled.text {
                self = .polled
            } else {
                guard let count = Int(text) else { return nil }
                self = .followed(max(count, 1))
            }
        }

        var text: String {
            switch self {
            case .polled: "polled"
            case .followed(let count): String(count)
            }
        }

        var isPolled: Bool { if case .polled = self { true } else { false } }

        /// Nil shows the page anew.
        var next: Wait? {
            switch self {
            case .polled: .polled
            case .followed(let count): count < Self.limit ? .followed(count + 1) : nil
            }
        }
    }

    /// Set for the request that a waiting page makes by itself.
    var wait: Wait? { http.method == .get ? parameters[Self.wait].flatMap { Wait($0) } : nil }

    /// False for a page that newer ones displaced.
    var isWaiting: Bool { parameters[Self.wait] != Self.never }

    /// The addresses of a page that waits. `address` is that of the page, with a value of ``wait``.
    func waiting(at address: (String?) -> PageURL) -> Waiting? {
        guard isWaiting else { return nil }
        return Waiting(
            page: address(nil), polled: address(Wait.polled.text), followed: address(Wait.followed(1).text))
    }

    /// Answers the held request once the page has something new to show or to wait on. The browser keeps showing the page
    /// until then, and the keyboard's focus stays (WCAG 2.2, failure F41 of 2.2.1).
    ///
    /// - Parameters:
    ///   - wait: ``wait`` of the request.
    ///   - key: What the page waits for. Nobody else may know it, because few of its pages are held.
    ///   - goesOn: Returns when the page has something new to show, or after a while. True means that the browser goes
    ///     on waiting. Its argument is true if it must return at once.
    func waited(
        _ wait: Wait, for key: String, at address: (String?) -> PageURL,
        while goesOn: @escaping @Sendable (_ atOnce: Bool) async throws -> Bool
    ) async throws -> Response {
        guard isOwn(wait) else { return redirect(to: address(nil).text) }
        func status(_ status: Int) -> Response { Response(status: status, fields: ["Cache-Control": "no-store"]) }
        // RFC 7240 4.3. A hidden or displaced page does not want to be held.
        let isUnchanged: Bool?
        if wait.isPolled, http.fields["Prefer"] == "wait=0" {
            isUnchanged = try await goesOn(true)
        } else {
            let place = "\(tenant.id)\n\(http.path)\n\(key)"
            isUnchanged = try await hosted.heldPages.hold(hosted.flows.hashing.sha256(Array(place.utf8))) {
                try await goesOn(false)
            }
        }
        // A browser that loaded the page now would find no server. It keeps what it shows.
        if isUnchanged != nil, hosted.flows.hub.isReleased { return status(wait.isPolled ? 503 : 204) }
        switch wait {
        case .polled: return status(isUnchanged.map { $0 ? 204 : 205 } ?? 409)
        case .followed:
            let next: String? = isUnchanged.map { $0 ? wait.next?.text : nil } ?? Self.never
            return redirect(to: address(next).text)
        }
    }

    /// False if a person loads the address of a held request, which the address bar has after a broken connection. The
    /// person would see nothing for minutes. Browsers without these fields count as waiting by themselves.
    private func isOwn(_ wait: Wait) -> Bool {
        if wait.isPolled { return ["empty", nil].contains(http.fields["Sec-Fetch-Dest"]) }
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
