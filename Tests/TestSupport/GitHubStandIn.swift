package import HTTPModel
import MicroHTTPServer
import OAuthWire
import Primitives
import Synchronization

/// Speaks what GitHub speaks to an OAuth app, under GitHub's paths and in its shapes: the web application flow, `/user`
/// and `/user/emails`, also below `/api/v3` as an Enterprise Server has them. Every visitor is logged in as `person`
/// and allows the app at once.
package final class GitHubStandIn: Sendable {
    package struct Person: Sendable {
        package struct Email: Sendable {
            package var address: String
            package var primary: Bool
            package var verified: Bool

            package init(_ address: String, primary: Bool = true, verified: Bool = true) {
                self.address = address
                self.primary = primary
                self.verified = verified
            }
        }

        package var id = 583_231
        package var login = "octocat"
        package var name: String? = "The Octocat"
        /// The address of the public profile.
        package var publicEmail: String?
        package var emails = [Email("octocat@github.example"), Email("o@home.example", primary: false)]
        /// Makes the user refuse.
        package var denies = false
    }

    private struct Code {
        let redirectURI: String
        let challenge: String?
        let scope: String
    }

    private struct State {
        var person = Person()
        var codes: [String: Code] = [:]
        /// Scope by token.
        var tokens: [String: String] = [:]
        var made = 0
        var requests: [Request] = []
    }

    private let state = Mutex(State())
    private let clientID: String
    private let clientSecret: String
    /// The registered redirect URI. GitHub also allows paths below it.
    private let callbackURL: String
    private let server = Mutex<HTTPServer?>(nil)

    package init(clientID: String, clientSecret: String, callbackURL: String) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.callbackURL = callbackURL
    }

    package var person: Person {
        get { state.withLock { $0.person } }
        set { state.withLock { $0.person = newValue } }
    }

    /// Requests, oldest first.
    package var requests: [Request] { state.withLock { $0.requests } }

    // MARK: on the loopback

    /// Listens on a port that the system chooses, and returns its URL.
    package func start() throws -> String {
        let made = try HTTPServer(
            configuration: HTTPServerConfiguration(threads: 1), handler: { [self] in handle($0) })
        try made.start()
        server.withLock { $0 = made }
        return "http://127.0.0.1:\(made.port)"
    }

    package func stop() async {
        let running = server.withLock { server in
            defer { server = nil }
            return server
        }
        await running?.stop(within: .seconds(1))
    }

    // MARK: answers

    package func handle(_ request: Request) -> Response {
        state.withLock { $0.requests.append(request) }
        let path = request.path.hasPrefix("/api/v3") ? String(request.path.dropFirst("/api/v3".count)) : request.path
        return switch (request.method, path) {
        case (.get, "/login/oauth/authorize"): authorize(request)
        case (.post, "/login/oauth/access_token"): accessToken(request)
        case (.get, "/user"): api(request, scope: nil, user)
        case (.get, "/user/emails"): api(request, scope: "user:email", emails)
        default:
            Self.json(404, ["message": "Not Found", "documentation_url": .string(Self.documentation), "status": "404"])
        }
    }

    private func authorize(_ request: Request) -> Response {
        let query = (try? FormFields(parsing: Array((request.query ?? "").utf8))) ?? FormFields()
        guard query["client_id"] == clientID else { return Response(status: 404) }
        let redirectURI = query["redirect_uri"] ?? callbackURL
        func redirect(_ parameters: [(name: String, value: String)], to uri: String) -> Response {
            var answer = FormFields(parameters)
            if let state = query["state"] { answer.append("state", state) }
            return Response(status: 302, fields: ["Location": "\(uri)?\(answer.encoded)"])
        }
        guard redirectURI == callbackURL || redirectURI.hasPrefix(callbackURL + "/") else {
            return redirect(
                [
                    ("error", "redirect_uri_mismatch"),
                    (
                        "error_description",
                        "The redirect_uri is not associated with this application."
                    ),
                    ("error_uri", "\(Self.documentation)/troubleshooting-authorization-request-errors"),
                ], to: callbackURL)
        }
        guard !person.denies else {
            return redirect(
                [
                    ("error", "access_denied"),
                    ("error_description", "The user has denied your application access."),
                    ("error_uri", "\(Self.documentation)/troubleshooting-authorization-request-errors"),
                ], to: redirectURI)
        }
        let code = state.withLock { state in
            state.made += 1
            let code = Hex.encode(SeededRandom(seed: UInt64(state.made)).bytes(10))
            state.codes[code] = Code(
                redirectURI: redirectURI, challenge: query["code_challenge"], scope: query["scope"] ?? "")
            return code
        }
        return redirect([("code", code)], to: redirectURI)
    }

    /// Errors have the status 200, and the answer is a form unless the request accepts JSON.
    private func accessToken(_ request: Request) -> Response {
        let form = (try? FormFields(parsing: request.body)) ?? FormFields()
        func answer(_ members: [(name: String, value: String)]) -> Response {
            guard request.fields["Accept"] == "application/json" else {
                return Response(
                    status: 200, fields: ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"],
                    body: .bytes(Array(FormFields(members).encoded.utf8)))
            }
            var object = JSONObject()
            for (name, value) in members { object[name] = .string(value) }
            return Self.json(200, .object(object))
        }
        func failure(_ error: String, _ description: String) -> Response {
            answer([("error", error), ("error_description", description), ("error_uri", Self.documentation)])
        }
        guard form["client_id"] == clientID, form["client_secret"] == clientSecret else {
            return failure("incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect.")
        }
        // A code works once.
        guard let code = state.withLock({ $0.codes.removeValue(forKey: form["code"] ?? "") }),
            code.challenge == nil
                || code.challenge == CodeChallenge(of: form["code_verifier"] ?? "", Samples.hashing).description
        else { return failure("bad_verification_code", "The code passed is incorrect or expired.") }
        guard form["redirect_uri"] == nil || form["redirect_uri"] == code.redirectURI else {
            return failure(
                "redirect_uri_mismatch", "The redirect_uri MUST match the registered callback URL for this application."
            )
        }
        let token = state.withLock { state in
            state.made += 1
            let token = "gho_" + Base32.encode(SeededRandom(seed: UInt64(state.made)).bytes(20))
            state.tokens[token] = code.scope
            return token
        }
        let scope = code.scope.split(separator: " ").joined(separator: ",")
        return answer([("access_token", token), ("scope", scope), ("token_type", "bearer")])
    }

    private func api(_ request: Request, scope needed: String?, _ answer: () -> JSONValue) -> Response {
        guard request.fields["User-Agent"]?.isEmpty == false else {
            return Response(
                status: 403, fields: ["Content-Type": "text/plain"],
                body: .bytes(
                    Array(
                        "Request forbidden by administrative rules. Please make sure your request has a User-Agent header"
                            .utf8)))
        }
        func refusal(_ status: Int, _ message: String) -> Response {
            Self.json(
                status,
                [
                    "message": .string(message), "documentation_url": "https://docs.github.com/rest",
                    "status": .string("\(status)"),
                ])
        }
        guard let presented = request.fields["Authorization"] else { return refusal(401, "Requires authentication") }
        let token = presented.split(separator: " ").last.map(String.init) ?? ""
        guard presented.lowercased().hasPrefix("bearer "), let scope = state.withLock({ $0.tokens[token] }) else {
            return refusal(401, "Bad credentials")
        }
        if let needed, !scope.split(separator: " ").contains(where: { $0 == needed || $0 == "user" }) {
            return refusal(404, "Not Found")
        }
        return Self.json(200, answer())
    }

    private func user() -> JSONValue {
        let person = person
        let url = "https://api.github.com/users/\(person.login)"
        return [
            "login": .string(person.login), "id": .number(JSONNumber(person.id)), "node_id": "MDQ6VXNlcjU4MzIzMQ==",
            "avatar_url": .string("https://avatars.githubusercontent.com/u/\(person.id)?v=4"), "gravatar_id": "",
            "url": .string(url), "html_url": .string("https://github.com/\(person.login)"),
            "repos_url": .string("\(url)/repos"), "type": "User", "user_view_type": "private", "site_admin": false,
            "name": person.name.map(JSONValue.string) ?? .null, "company": "@github", "blog": "https://github.blog",
            "location": "San Francisco", "email": person.publicEmail.map(JSONValue.string) ?? .null,
            "hireable": .null, "bio": .null, "public_repos": 8, "followers": 22_000, "following": 9,
            "created_at": "2011-01-25T18:44:36Z", "updated_at": "2026-10-22T11:26:49Z",
        ]
    }

    private func emails() -> JSONValue {
        .array(
            person.emails.map { email in
                [
                    "email": .string(email.address), "primary": .bool(email.primary),
                    "verified": .bool(email.verified), "visibility": email.primary ? "private" : .null,
                ]
            })
    }

    private static let documentation = "https://docs.github.com/apps/managing-oauth-apps"

    private static func json(_ status: Int, _ value: JSONValue) -> Response {
        Response(
            status: status, fields: ["Content-Type": "application/json; charset=utf-8"],
            body: .bytes(JSONWriter.bytes(value)))
    }
}
