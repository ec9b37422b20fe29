import CurlTransport
import Foundation
import HTTPModel
import Primitives
import Synchronization
import TestSupport

/// A minimal browser without scripts: cookies, redirects and forms. It follows redirects within
/// its sites and stops at any other.
final class WebBrowser: Sendable {
    enum Place: Sendable {
        case page(WebPage)
        /// The address that a redirect led to, outside of the sites.
        case elsewhere(String)
    }

    struct Hop: Sendable {
        let status: Int
        let location: String
    }

    private struct State {
        /// By host and name: cookies know no ports (RFC 6265 clause 8.5).
        var cookies: [String: [String: String]] = [:]
        var hops: [Hop] = []
    }

    private let transport: any HTTPClient
    private let sites: [String]
    private let state = Mutex(State())

    /// A browser that trusts the authorities of `servers`.
    convenience init(_ servers: TestServer..., sites: [String] = []) throws {
        var configuration = CurlTransport.Configuration()
        configuration.trust = .pem(try servers.flatMap { Array(try Data(contentsOf: URL(filePath: $0.authority))) })
        try self.init(CurlTransport(configuration), sites: servers.map(\.issuer) + sites)
    }

    init(_ transport: some HTTPClient, sites: [String], cookies: [String: [String: String]] = [:]) throws {
        self.transport = transport
        self.sites = sites
        state.withLock { $0.cookies = cookies }
    }

    /// By host and name.
    var cookies: [String: [String: String]] { state.withLock { $0.cookies } }

    /// Redirects of the last action, first to last.
    var hops: [Hop] { state.withLock { $0.hops } }

    /// Another browser with the same cookies, for concurrent requests.
    func another(at server: TestServer, sites: [String] = []) throws -> WebBrowser {
        let browser = try WebBrowser(server, sites: sites)
        let cookies = state.withLock { $0.cookies }
        browser.state.withLock { $0.cookies = cookies }
        return browser
    }

    func open(_ url: String) async throws -> Place {
        state.withLock { $0.hops = [] }
        return try await follow(.get, url)
    }

    /// Sends the form that has a button of that text. `values` are typed into its fields.
    func submit(
        _ page: WebPage, _ button: String? = nil, _ values: KeyValuePairs<String, String> = [:]
    ) async throws -> Place {
        try await submit(try page.form(with: button), on: page, button, values)
    }

    /// Sends a form as the page's script does, or with a button pressed.
    func submit(
        _ form: WebPage.Form, on page: WebPage, _ button: String? = nil, _ values: KeyValuePairs<String, String>
    ) async throws -> Place {
        state.withLock { $0.hops = [] }
        var fields = form.fields
        for (name, value) in values {
            let index = try fields.firstIndex { $0.name == name }.orThrow("no field \(name) on \(page)")
            fields[index].value = value
        }
        if let pressed = form.buttons.first(where: { $0.text == button }), let name = pressed.name {
            fields.append((name, pressed.value))
        }
        guard form.method == "post" else { throw Unexpected("a form of \(page) is sent with \(form.method)") }
        let target = try Self.resolve(form.action, at: page.url)
        let origin = page.url.split(separator: "/", maxSplits: 2).prefix(2).joined(separator: "//")
        return try await follow(.post, target, origin: origin, body: Array(FormFields(fields).encoded.utf8))
    }

    func click(_ link: String, on page: WebPage) async throws -> Place {
        try await open(Self.resolve(page.links[link].orThrow("no link \(link) on \(page)"), at: page.url))
    }

    private func follow(
        _ method: HTTPMethod, _ url: String, origin: String? = nil, body: [UInt8]? = nil
    ) async throws -> Place {
        var (method, url, body) = (method, url, body)
        for _ in 0..<12 {
            guard sites.contains(where: { url.hasPrefix($0) }) else { return .elsewhere(url) }
            var fields: HTTPFields = ["Accept": "text/html", "Accept-Language": "en"]
            if let cookies = cookies(for: url) { fields.append("Cookie", cookies) }
            if body != nil {
                fields.append("Content-Type", "application/x-www-form-urlencoded")
                if let origin { fields.append("Origin", origin) }
            }
            let answer = try await transport.send(
                ClientRequest(method: method, url: url, fields: fields, body: body, timeout: .seconds(60)))
            try take(answer.fields.values(of: "Set-Cookie"), from: url)
            guard (300..<400).contains(answer.status), let location = answer.fields["Location"] else {
                // Server URLs are over TLS; a loopback callback is not.
                let isOurs = url.hasPrefix("https:") && answer.fields.mediaType == "text/html"
                return .page(
                    WebPage(url: url, status: answer.status, markup: isOurs ? try Markup.read(answer.body) : nil))
            }
            state.withLock { $0.hops.append(Hop(status: answer.status, location: location)) }
            (method, url, body) = (.get, try Self.resolve(location, at: url), nil)
        }
        throw Unexpected("the redirects do not end: \(hops.map(\.location))")
    }

    // MARK: cookies

    private static func host(_ url: String) throws -> String {
        try URL(string: url)?.host().orThrow("no host in \(url)") ?? ""
    }

    private func cookies(for url: String) -> String? {
        guard let host = try? Self.host(url) else { return nil }
        let own = state.withLock { $0.cookies[host] ?? [:] }
        return own.isEmpty ? nil : own.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ")
    }

    /// Enforces the cookie prefix as browsers do (RFC 6265bis 4.1.3.2), and the server's promises.
    private func take(_ headers: [String], from url: String) throws {
        let host = try Self.host(url)
        for header in headers {
            var parts = header.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }[...]
            let pair = parts.removeFirst().split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let needed: Set = ["Path=/", "Secure", "HttpOnly", "SameSite=Lax"]
            guard pair.count == 2, pair[0].hasPrefix("__Host-"), needed.isSubset(of: parts),
                !parts.contains(where: { $0.hasPrefix("Domain") })
            else { throw Unexpected("a browser does not take the cookie \(header)") }
            let isOver = parts.contains("Max-Age=0")
            state.withLock { $0.cookies[host, default: [:]][String(pair[0])] = isOver ? nil : String(pair[1]) }
        }
    }

    private static func resolve(_ location: String, at base: String) throws -> String {
        let url = URL(string: location, relativeTo: URL(string: base))
        return try (url?.absoluteString).orThrow("\(location) is no address")
    }
}

extension WebBrowser.Place {
    func page() throws -> WebPage {
        switch self {
        case .page(let page): return page
        case .elsewhere(let url): throw Unexpected("a redirect to \(url) instead of a page")
        }
    }

    /// The parameters that a client's redirect URI was called with.
    func callback(_ uri: String = LoginApp.callback) throws -> FormFields {
        switch self {
        case .page(let page): throw Unexpected("no redirect, but \(page)")
        case .elsewhere(let url):
            guard url.hasPrefix(uri + "?") else { throw Unexpected("a redirect to \(url) instead of \(uri)") }
            return try FormFields(parsing: Array(url.dropFirst(uri.count + 1).utf8))
        }
    }
}
