package import HTTPModel
package import Primitives
import Synchronization

/// A browser without a window: keeps cookies as RFC 6265bis has browsers keep them, sends the forms of the pages it was
/// shown, and follows redirects within the server's hosts. The browser stops at a redirect to any other
/// host.
///
/// `SameSite` is not modelled: every request counts as same-site, which is the attacker's best case.
package final class InProcessBrowser: Sendable {
    /// A cookie in the jar.
    package struct Cookie: Sendable, Equatable {
        package var name: String
        package var value: String
        /// The host that set the cookie, and the only one that receives it.
        package var host: String
        /// Attributes in lower case, with their values.
        package let attributes: [String: String]
        package let expiresAt: Timestamp?
    }

    /// A form of a page, with its field values.
    package struct Form: Sendable, Equatable {
        package var action: String
        package var method: HTTPMethod
        package var fields: [String: String]

        /// A form that is sent with POST.
        package init(action: String, fields: [String: String]) {
            self.init(action: action, method: .post, fields: fields)
        }

        fileprivate init(action: String, method: HTTPMethod, fields: [String: String]) {
            self.action = action
            self.method = method
            self.fields = fields
        }
    }

    /// The page that the browser reached.
    package struct Waiting: Sendable {
        package let page: String
        package let polled: String
        package let followed: String
    }

    package struct Page: Sendable {
        /// URL in the address bar.
        package let url: String
        /// The last answer of the server: the page's, or the redirect that led away.
        package let answer: HTTPAnswer
        /// Forms that people see. Empty if the browser was led away.
        package let forms: [Form]
        /// Targets of the links.
        package let links: [String]
        /// Visible text of the page.
        package let text: String
        /// Fields that a form sent to another host.
        let posted: FormFields?
        /// Event that the page waits for, as its script and its element for browsers without scripts name it.
        package let waiting: Waiting?

        /// True if the browser left the server for another host or an app.
        package var isAway: Bool { !url.hasPrefix("https://\(host)/") }
        let host: String

        package var path: String {
            let path = isAway ? url[...] : url.dropFirst("https://\(host)".count)
            return String(path.prefix { $0 != "?" && $0 != "#" })
        }

        /// Parameters in the query, the fragment or a form.
        package var parameters: FormFields {
            if let posted { return posted }
            guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.utf8.firstIndex(of: UInt8(ascii: "?"))
            else { return FormFields() }
            return (try? FormFields(parsing: Array(url.utf8[mark...].dropFirst()))) ?? FormFields()
        }

        /// The background request of a page that waits.
        package func waitingRequest(_ way: KeyPath<Waiting, String> = \.followed) throws -> Request {
            let parts = try waiting.orThrow("the page waits for nothing")[keyPath: way].split(separator: "?")
            return Request(
                method: .get, path: String(parts[0]), query: parts.dropFirst().first.map(String.init),
                fields: ["Host": host])
        }

        /// The form with that action.
        package func form(_ path: String) throws -> Form {
            try forms.first { $0.action == path }.orThrow("no form for \(path) at \(url): \(answer.status) \(text)")
        }

        /// The only form.
        package var form: Form {
            get throws {
                guard forms.count == 1 else {
                    throw Unexpected("\(forms.count) forms at \(url): \(answer.status) \(text)")
                }
                return forms[0]
            }
        }
    }

    private struct State {
        var jar: [Cookie] = []
        var refused: [String] = []
        var visited: [String] = []
        var answers: [HTTPAnswer] = []
    }

    private let state = Mutex(State())
    private let server: InProcessServer
    package let host: String
    package let address: String
    /// Sent with every request.
    private let fields: HTTPFields

    package init(
        _ server: InProcessServer, host: String = InProcessServer.host, address: String = "198.51.100.7",
        fields: HTTPFields = [:]
    ) {
        self.server = server
        self.host = host
        self.address = address
        self.fields = fields
    }

    // MARK: recorded data

    /// Every URL of the address bar, which the history contains.
    package var history: [String] { state.withLock { $0.visited } }

    /// Every answer of the server.
    package var answers: [HTTPAnswer] { state.withLock { $0.answers } }

    package var cookies: [Cookie] {
        let now = server.clock.now
        return state.withLock { $0.jar.filter { cookie in cookie.expiresAt.map { now < $0 } ?? true } }
    }

    /// Cookies that scripts could read.
    package var readableCookies: [Cookie] { cookies.filter { $0.attributes["httponly"] == nil } }

    /// `Set-Cookie` values that a browser ignores.
    package var refusedCookies: [String] { state.withLock { $0.refused } }

    /// Copies another browser's cookies into this one, as an attacker might.
    package func plant(_ cookies: [Cookie]) {
        state.withLock { state in
            state.jar.removeAll { kept in cookies.contains { $0.name == kept.name && $0.host == kept.host } }
            state.jar += cookies
        }
    }

    package func forgetCookies(named name: String) { state.withLock { $0.jar.removeAll { $0.name == name } } }

    // MARK: actions

    /// Opens a URL, or a path with a query, of the server.
    package func open(_ url: String) async throws -> Page { try await go(.get, url, nil) }

    /// Sends a form. `values` are typed values and the pressed button. `origin` is the form's page, which a browser
    /// adds by itself; nil sends none, like old browsers.
    package func send(
        _ form: Form, _ values: [String: String?] = [:], origin: String? = "https://\(InProcessServer.host)"
    ) async throws -> Page {
        var fields = form.fields
        for (name, value) in values { fields[name] = value }
        let sent = FormFields(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        return try await go(form.method, form.action, sent, origin: origin)
    }

    /// Sends one request with the browser's cookies. Cookies of the answer are stored; redirects are not followed.
    package func request(_ request: Request) async -> HTTPAnswer {
        var request = request
        request.remoteAddress = address
        for field in fields { request.fields.append(field.name, field.value) }
        let sent = cookies.filter { $0.host == host }
        if !sent.isEmpty {
            request.fields.append("Cookie", sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; "))
        }
        let answer = await server.send(request)
        for text in answer.fields.values(of: "Set-Cookie") { keep(text) }
        state.withLock { $0.answers.append(answer) }
        return answer
    }

    // MARK: implementation

    private func go(
        _ method: HTTPMethod, _ url: String, _ form: FormFields?, origin: String? = nil
    ) async throws -> Page {
        var method = method
        var form = form
        var target = url
        for _ in 0..<10 {
            guard let path = ownPath(target) else {
                let last = try state.withLock { $0.answers.last }.orThrow("no answer yet")
                state.withLock { $0.visited.append(target) }
                return Page(
                    url: target, answer: last, forms: [], links: [], text: "", posted: form, waiting: nil, host: host)
            }
            let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            var request = Request(
                method: method, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : nil,
                fields: ["Host": host])
            if method == .post {
                request.fields.append("Content-Type", "application/x-www-form-urlencoded")
                if let origin { request.fields.append("Origin", origin) }
                request.body = Array((form ?? FormFields()).encoded.utf8)
            }
            let answer = await self.request(request)
            state.withLock { $0.visited.append("https://\(host)\(path)") }
            guard (300...399).contains(answer.status), let location = answer.fields["Location"] else {
                return try page("https://\(host)\(path)", answer)
            }
            // RFC 9110 15.4.8, 15.4.9: 307 and 308 would resend the typed values.
            guard ![307, 308].contains(answer.status) else { throw Unexpected("the form would be sent on") }
            (method, form, target) = (.get, nil, location)
        }
        throw Unexpected("redirects without end from \(url)")
    }

    /// Path and query of a URL of the server. The fragment stays in the browser.
    private func ownPath(_ url: String) -> String? {
        var path = url[...]
        if path.hasPrefix("https://\(host)/") { path = path.dropFirst("https://\(host)".count) }
        guard path.hasPrefix("/"), !path.hasPrefix("//") else { return nil }
        return String(path.prefix { $0 != "#" })
    }

    private func page(_ url: String, _ answer: HTTPAnswer) throws -> Page {
        guard answer.fields.mediaType == "text/html" else {
            return Page(
                url: url, answer: answer, forms: [], links: [], text: answer.text, posted: nil, waiting: nil, host: host
            )
        }
        let root = try Markup.read(answer.body)
        return Page(
            url: url, answer: answer, forms: root.shown.filter { $0.name == "form" }.map(Self.form),
            links: root.all("a").compactMap { $0["href"] }, text: root.all("body").map(\.shownText).joined(),
            posted: nil,
            waiting: Self.waiting(root), host: host)
    }

    private static func waiting(_ root: Markup.Element) -> Waiting? {
        guard let script = root.all("script").first(where: { $0["data-polled"] != nil }),
            let meta = root.all("noscript").flatMap({ $0.all("meta") }).first, let content = meta["content"],
            meta["http-equiv"] == "refresh", content.hasPrefix("1; url=")
        else { return nil }
        return Waiting(
            page: script["data-page"] ?? "", polled: script["data-polled"] ?? "",
            followed: String(content.dropFirst("1; url=".count)))
    }

    private static func form(_ element: Markup.Element) -> Form {
        var form = Form(
            action: element["action"] ?? "", method: element["method"] == "post" ? .post : .get, fields: [:])
        for input in element.all("input") {
            guard let name = input["name"], input["type"] != "checkbox" || input["checked"] != nil else { continue }
            form.fields[name] = input["value"] ?? ""
        }
        for area in element.all("textarea") {
            // Browsers drop a line break at the beginning (HTML 13.2.6.4.7).
            if let name = area["name"] { form.fields[name] = String(area.text.drop { $0 == "\n" }) }
        }
        for choice in element.all("select") {
            let options = choice.all("option")
            let chosen = options.first { $0["selected"] != nil } ?? options.first
            if let name = choice["name"] { form.fields[name] = chosen?["value"] ?? "" }
        }
        return form
    }

    /// RFC 6265bis 5.7, for the attributes that this server uses.
    private func keep(_ text: String) {
        let parts = text.split(separator: ";").map { $0.drop { $0 == " " } }
        let pair = parts.first?.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) ?? []
        guard pair.count == 2, !pair[0].isEmpty else { return refuse(text) }
        var attributes: [String: String] = [:]
        for part in parts.dropFirst() {
            let attribute = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            attributes[attribute[0].lowercased()] = attribute.count > 1 ? String(attribute[1]) : ""
        }
        let name = String(pair[0])
        let isSecure = attributes["secure"] != nil
        // A Domain attribute would let sibling and child hosts read and set the cookie.
        guard attributes["domain"] == nil, isSecure || !name.hasPrefix("__"),
            attributes["path"] == "/" || !name.hasPrefix("__Host-")
        else { return refuse(text) }
        let lifetime = attributes["max-age"].flatMap { Int($0) }
        let cookie = Cookie(
            name: name, value: String(pair[1]), host: host, attributes: attributes,
            expiresAt: lifetime.map { server.clock.now + .seconds($0) })
        plant([cookie])
    }

    private func refuse(_ text: String) { state.withLock { $0.refused.append(text) } }
}
