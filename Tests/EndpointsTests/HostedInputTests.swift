import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

/// A server and a browser in the middle of a login.
struct HostedFixture {
    /// Forms that belong to a login and carry its `state`.
    static let loginForms = [
        "/u/login", "/u/signup", "/u/account", "/u/consent", "/u/mfa-push", "/u/mfa-code", "/u/mfa-none", "/u/enroll",
        "/u/email-verification",
    ]
    static let forms = loginForms + ["/u/forgot-password", "/u/reset-password", "/guardian/enroll"]
    /// Paths that accept GET and POST.
    static let pages = forms + ["/authorize", "/oidc/logout"]
    static let looks = ["/login/callback", "/v2/logout", "/u/connection"]

    static let authorize: [(name: String, value: String)] = [
        ("client_id", "web"), ("code_challenge", CodeChallenge(of: Samples.verifier, Samples.hashing).description),
        ("code_challenge_method", "S256"), ("redirect_uri", "https://web.example/callback"), ("response_type", "code"),
        ("scope", "openid"), ("state", "s"),
    ]

    let server: InProcessServer
    let browser: InProcessBrowser
    /// Form of the login page.
    let form: InProcessBrowser.Form

    init(_ change: (inout InProcessServer.Setup) throws -> Void = { _ in }) async throws {
        server = try await InProcessServer { setup in
            setup.clients.append(Samples.website())
            setup.users[0].email = "ann@example.org"
            setup.passwords[setup.users[0].id] = "a long pass phrase"
            setup.connections = [.defaultDatabase]
            try change(&setup)
        }
        browser = InProcessBrowser(server)
        form = try await browser.open("/authorize?" + FormFields(Self.authorize).encoded).form("/u/login")
    }

    /// Sends a request and expects an error page without names of the program, and no change of any table.
    @discardableResult
    func refused(
        _ request: Request, _ statuses: Set<Int> = [400], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> HTTPAnswer {
        let before = try await server.dump()
        let answer = await browser.request(request)
        let shown: Comment = "\(request.method) \(request.path) \(answer.status) \(answer.text)"
        #expect(statuses.contains(answer.status), shown, sourceLocation: sourceLocation)
        #expect(answer.fields["Location"] == nil, shown, sourceLocation: sourceLocation)
        #expect(answer.fields.mediaType == "text/html", shown, sourceLocation: sourceLocation)
        #expect(answer.fields["X-Frame-Options"] == "DENY", shown, sourceLocation: sourceLocation)
        #expect(throws: Never.self, shown, sourceLocation: sourceLocation) { try Markup.read(answer.body) }
        for name in EndpointFixture.programNames where name != "nil" {
            #expect(!answer.text.contains(name), shown, sourceLocation: sourceLocation)
        }
        #expect(try await server.dump() == before, shown, sourceLocation: sourceLocation)
        return answer
    }

    /// Submits the login form to `path`, with the fields of other forms.
    func sending(_ path: String, _ changes: [String: String?] = [:], raw: String = "") -> Request {
        var fields: [String: String?] = form.fields
        for (name, value) in ["username": "ann@example.org", "email": "ann@example.org", "password": "p"] {
            fields[name] = value
        }
        for (name, value) in changes { fields[name] = .some(value) }
        var request = Request.form(path, fields)
        request.body += Array(raw.utf8)
        return request
    }
}

@Suite("Bad input: the hosted login")
struct HostedInputTests {
    private static let brokenQueries = [
        "state=a&state=b", "%zz=1", "a=%", "a=%00", "x=%ff", "x=%C3%28", "ui_locales=fr&ui_locales=fr",
        (0..<200).map { "p\($0)=x" }.joined(separator: "&"),
    ]

    @Test(
        "Wrong method: 405 with the allowed methods",
        arguments: HostedFixture.pages + HostedFixture.looks + ["/enroll"])
    func methods(path: String) async throws {
        let fixture = try await HostedFixture()
        let before = try await fixture.server.dump()
        let changing = ["/authorize", "/login/callback", "/v2/logout", "/oidc/logout", "/u/connection"]
        let allowed =
            (HostedFixture.pages.contains(path) ? "GET, POST" : "GET") + (changing.contains(path) ? "" : ", HEAD")
        for method in ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "BREW", "", "POST"]
        where method != "POST" || !allowed.contains(method) {
            var request = fixture.sending(path)
            request.method = HTTPMethod(method)
            let answer = await fixture.browser.request(request)
            #expect(answer.status == 405, "\(method) \(answer.text)")
            #expect(answer.fields["Allow"] == allowed)
        }
        #expect(try await fixture.server.dump() == before)
    }

    @Test(
        "An error page shows an RFC 6749 code only if the application's developers must fix the error",
        arguments: [
            ("/authorize", "invalid_request"), ("/authorize?client_id=nobody", "invalid_request"),
            ("/authorize?client_id=web&redirect_uri=https%3A%2F%2Fevil.example", "invalid_request"),
            ("/authorize?client_id=agent", "unauthorized_client"),
            ("/authorize?client_id=web&request_uri=urn%3Ax", "invalid_request"),
            ("/oidc/logout?id_token_hint=x", "invalid_request"),
            ("/v2/logout?returnTo=https%3A%2F%2Fevil.example", "invalid_request"),
            ("/u/login?state=x", nil), ("/login/callback?state=x", nil), ("/u/reset-password?ticket=x", nil),
            ("/u/email-verification?ticket=x", nil), ("/guardian/enroll?ticket=x", nil),
        ])
    func codes(path: String, code: String?) async throws {
        let fixture = try await HostedFixture()
        let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
        var request = Request.get(parts[0])
        request.query = parts.count > 1 ? parts[1] : nil
        let answer = try await fixture.refused(request)
        #expect(answer.text.contains("<dt>Error</dt>") == (code != nil), "\(answer.text)")
        if let code { #expect(answer.text.contains("<code>\(code)</code>"), "\(answer.text)") }
    }

    @Test(
        "A refused logout is explained entirely in French",
        arguments: [
            ("/v2/logout?returnTo=https%3A%2F%2Fevil.example", "l’adresse de retour ne figure pas"),
            ("/v2/logout?client_id=nobody", "client_id est inconnu"),
            ("/oidc/logout?id_token_hint=x", "id_token_hint n’est pas un ID token"),
            ("/oidc/logout?client_id=web&post_logout_redirect_uri=https%3A%2F%2Fevil.example", "l’adresse de retour"),
        ])
    func french(path: String, text: String) async throws {
        let fixture = try await HostedFixture()
        let page = try await fixture.browser.open("\(path)&ui_locales=fr")
        #expect(page.answer.status == 400)
        #expect(page.text.contains(text), "\(page.text)")
        for word in [" is ", " not ", " the "] { #expect(!page.text.contains(word), "\(page.text)") }
    }

    @Test("/favicon.ico is an empty, cacheable 204")
    func icon() async throws {
        let answer = try await HostedFixture().browser.request(.get("/favicon.ico"))
        #expect(answer.status == 204 && answer.body.isEmpty)
        #expect(answer.fields["Cache-Control"] == "public, max-age=86400")
    }

    @Test("A malformed query gets an error page", arguments: HostedFixture.pages + HostedFixture.looks)
    func queries(path: String) async throws {
        let fixture = try await HostedFixture()
        for query in Self.brokenQueries {
            var request = Request.get(path)
            request.query = query
            try await fixture.refused(request)
        }
    }

    @Test("A malformed form gets an error page", arguments: HostedFixture.pages)
    func bodies(path: String) async throws {
        let fixture = try await HostedFixture()
        for raw in Self.brokenQueries.map({ "&" + $0 }) { try await fixture.refused(fixture.sending(path, raw: raw)) }
        for body in [[0xFF], [0], Array("{".utf8), Array("{}x".utf8), [UInt8](repeating: 0x5B, count: 30_000)] {
            var request = fixture.sending(path)
            request.body = body
            try await fixture.refused(request.with("Content-Type", "application/json"))
        }
        for type in [nil, "", "text/plain", "multipart/form-data; boundary=x", "text/html"] {
            try await fixture.refused(fixture.sending(path).with("Content-Type", type))
        }
        for name in ["Host", "Content-Type"] {
            var request = fixture.sending(path)
            request.fields.append(name, request.fields[name] ?? "")
            #expect(await fixture.browser.request(request).status == 400)
        }
    }

    @Test(
        "A missing, unknown, too long, expired or foreign `state` gets an error page",
        arguments: HostedFixture.loginForms
    )
    func transactions(path: String) async throws {
        let fixture = try await HostedFixture()
        let own = fixture.form.fields["state"] ?? ""
        for state in [
            nil, "", "x", String(repeating: "x", count: 5000), "\u{1F512}", "' OR 1=1 --", own + "A",
        ] {
            try await fixture.refused(fixture.sending(path, ["state": state]))
            var request = Request.get(path)
            request.query = FormFields([("state", state ?? "")]).encoded
            try await fixture.refused(request)
        }
        try await fixture.refused(fixture.sending(path).with("Host", InProcessServer.otherHost))
        fixture.server.advance(.seconds(3600))
        try await fixture.refused(fixture.sending(path))
    }

    @Test("Very long and unusual input is shown as text or refused, and never fails")
    func typed() async throws {
        let fixture = try await HostedFixture()
        for text in [
            String(repeating: "x", count: 60_000), "\"><script>alert(1)</script>", "'-->]]>&amp;&#0;",
            "\u{202E}\u{2066}",
            "\r\nSet-Cookie: a=b", "\u{FFFE}\u{FFFF}\u{1}", "{{7*7}}${7*7}", "../../etc/passwd",
        ] {
            for (path, name) in [
                ("/u/login", "username"), ("/u/login", "password"), ("/u/signup", "email"), ("/u/signup", "name"),
                ("/u/signup", "password"), ("/u/forgot-password", "email"), ("/u/login", "ui_locales"),
            ] {
                var changes: [String: String?] = [name: text]
                // Makes the address invalid too, so that no account is created.
                if path == "/u/signup", name != "email" { changes["email"] = "nobody" }
                let answer = await fixture.browser.request(fixture.sending(path, changes))
                #expect([200, 400, 429].contains(answer.status), "\(path) \(name) \(answer.status)")
                let root = try Markup.read(answer.body)
                #expect(root.all("script").allSatisfy { $0["src"] != nil && $0.children.isEmpty })
                #expect(answer.fields.allSatisfy { !$0.value.utf8.contains(0x0A) && !$0.value.utf8.contains(0x0D) })
            }
        }
    }

    @Test("A missing, repeated, malformed or too long parameter of an authorization request never yields a code")
    func authorize() async throws {
        let fixture = try await HostedFixture()
        for (name, _) in HostedFixture.authorize {
            let rest = HostedFixture.authorize.filter { $0.name != name }
            for value in [nil, "", String(repeating: "x", count: 8000), "\u{1F512}", "\"\\", "a b", "\t"] as [String?] {
                let browser = InProcessBrowser(fixture.server)
                let fields = FormFields(rest + (value.map { [(name, $0)] } ?? []))
                let page = try await browser.open("/authorize?" + fields.encoded)
                // An error page, an error redirect to the client, or the login page. Never a code.
                let status = page.isAway ? 302 : page.path == "/u/login" ? 200 : 400
                #expect(page.answer.status == status, "\(name) \(page.url)")
                if page.isAway {
                    #expect(page.url.hasPrefix("https://web.example/callback?error="))
                    #expect(page.parameters["error_description"]?.isEmpty == false)
                }
            }
            let repeated = FormFields(HostedFixture.authorize + [(name, "again")]).encoded
            if ["client_id", "redirect_uri"].contains(name) {
                var request = Request.get("/authorize")
                request.query = repeated
                try await fixture.refused(request)
            } else {
                // RFC 6749 clause 4.1.2.1: the error goes to the client, whose parameters are not repeated.
                let page = try await InProcessBrowser(fixture.server).open("/authorize?" + repeated)
                #expect(page.url.hasPrefix("https://web.example/callback?error=invalid_request"), "\(name)")
            }
        }
    }

    @Test("RFC 9110 9.2.1: HEAD starts no login, consumes no pushed request and logs nobody out")
    func head() async throws {
        let fixture = try await HostedFixture()
        for path in ["/authorize", "/v2/logout", "/oidc/logout", "/login/callback", "/u/connection"] {
            var request = Request.get(path)
            request.method = .head
            let answer = await fixture.server.send(request)
            #expect(answer.status == 405, "\(path)")
            #expect(answer.fields["Allow"]?.contains("HEAD") == false, "\(path): \(answer.fields["Allow"] ?? "")")
        }
    }

    @Test("Another tenant's clients, cookies, links and tokens do not work")
    func tenants() async throws {
        let fixture = try await HostedFixture()
        let there = InProcessBrowser(fixture.server, host: InProcessServer.otherHost)
        there.plant(fixture.browser.cookies)
        for (index, (name, _)) in HostedFixture.authorize.enumerated() where name == "client_id" {
            var fields = HostedFixture.authorize
            fields[index].value = "stranger"
            #expect(try await fixture.browser.open("/authorize?" + FormFields(fields).encoded).answer.status == 400)
        }
        let page = try await there.open("/authorize?" + FormFields(HostedFixture.authorize).encoded)
        #expect(page.answer.status == 400)
        let push = await fixture.server.send(
            .form(
                "/oauth/par",
                Dictionary(uniqueKeysWithValues: HostedFixture.authorize.map { ($0.name, $0.value) })
                    .merging(["client_secret": Samples.secret]) { $1 }))
        let uri = try (push["request_uri"]?.stringValue).orThrow(push.text)
        let query = FormFields([("client_id", "web"), ("request_uri", uri)]).encoded
        #expect(try await there.open("/authorize?" + query).answer.status == 400)
        #expect(try await fixture.browser.open("/authorize?" + query).path == "/u/login")
        #expect(try await fixture.browser.open("/authorize?" + query).answer.status == 400)
    }

    @Test("An unused pushed request expires")
    func expiredPush() async throws {
        let fixture = try await HostedFixture()
        let push = await fixture.server.send(
            .form(
                "/oauth/par",
                Dictionary(uniqueKeysWithValues: HostedFixture.authorize.map { ($0.name, $0.value) })
                    .merging(["client_secret": Samples.secret]) { $1 }))
        let uri = try (push["request_uri"]?.stringValue).orThrow(push.text)
        fixture.server.advance(.seconds(30))
        let query = FormFields([("client_id", "web"), ("request_uri", uri)]).encoded
        #expect(try await fixture.browser.open("/authorize?" + query).answer.status == 400)
    }

    @Test("Unknown files and paths are 404")
    func paths() async throws {
        let fixture = try await HostedFixture()
        for path in [
            "/u", "/u/", "/u/login/", "/u//login", "/U/LOGIN", "/u/%6cogin", "/assets/../u/login", "/assets/x",
            "/assets/%2e%2e%2fetc", "/authorize/", "/login", "/login/callback/x", "/oidc/logout/",
        ] {
            let answer = await fixture.browser.request(.get(path))
            #expect(answer.status == 404, "\(path) \(answer.status)")
        }
    }
}
