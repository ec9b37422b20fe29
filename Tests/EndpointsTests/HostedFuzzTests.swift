import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import TestTools
import Testing

@Suite("Fuzz: the hosted login")
struct HostedFuzzTests {
    /// True if an answer is safe for a browser: a well-formed page or a redirect to an allowed target.
    private static func isFit(_ answer: HTTPAnswer) throws -> Bool {
        guard answer.status < 500,
            answer.fields.allSatisfy({ field in field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } })
        else { return false }
        if let location = answer.fields["Location"] {
            let targets = ["/", "https://web.example/callback?", "https://web.example/callback#"]
            guard [302, 303].contains(answer.status), targets.contains(where: location.hasPrefix),
                !location.hasPrefix("//"),
                location.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { return false }
        }
        guard answer.fields.mediaType == "text/html" else { return true }
        // The reader accepts only markup as the pages write it, so input cannot have become markup.
        let root = try Markup.read(answer.body)
        return answer.fields["X-Frame-Options"] == "DENY"
            && root.all("script").allSatisfy { $0["src"]?.hasPrefix("/assets/") == true && $0.text.isEmpty }
            && (root.all("form").compactMap { $0["action"] } + root.all("a").compactMap { $0["href"] })
                .allSatisfy { url in
                    url.hasPrefix("#") || url.hasPrefix("/") && !url.hasPrefix("//")
                        || url == "https://web.example/callback"
                }
    }

    private static let markup = [
        "<script>", "\"><img src=x onerror=alert(1)>", "&lt;", "&#0;", "'", "\"", "<!--", "]]>", "javascript:alert(1)",
        "//evil.example", "https://evil.example/", "%3Cscript%3E", "%22%3E", "%0d%0a", "+", "&", "=", "%", "#", ";",
    ]

    @Test("No query of /authorize redirects to a foreign host, becomes markup, or fails", .timeLimit(.minutes(10)))
    func authorize() async throws {
        let fixture = try await HostedFixture()
        let good = FormFields(HostedFixture.authorize).encoded
        var fuzzer = MutationFuzzer(
            corpus: [
                good, good + "&prompt=none", good + "&response_mode=form_post&prompt=login", good + "&max_age=0",
                good + "&login_hint=ann%40example.org&ui_locales=fr&screen_hint=signup",
                good + "&connection=Username-Password-Authentication&audience=https%3A%2F%2Fpay.example%2F",
                "client_id=web&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3Ax",
            ],
            tokens: Self.markup + [
                "redirect_uri=", "state=", "client_id=", "none", "fragment", "form_post", "plain", "response_mode=",
                "%E2%84%AA", "login_hint=", "nonce=", "claims=",
            ], cost: 10)
        await fuzzer.check(awaiting: "/authorize") { input in
            var request = Request.get("/authorize")
            request.query = String(decoding: input, as: UTF8.self)
            return try Self.isFit(await fixture.server.send(request))
        }
    }

    @Test("No cookie header creates a session, becomes markup, or fails", .timeLimit(.minutes(10)))
    func cookies() async throws {
        let fixture = try await HostedFixture()
        let typed = ["username": "ann@example.org", "password": "a long pass phrase"]
        _ = try await fixture.browser.send(fixture.form, typed)
        let jar = fixture.browser.cookies
        let session = try jar.first { $0.name == "__Host-countersign" }.orThrow("not logged in").value
        var fuzzer = MutationFuzzer(
            corpus: [
                "__Host-countersign=x; __Host-countersign-browser=y",
                "__Host-countersign=" + String(session.reversed()),
                "a=b; __Host-countersign=\"x\"",
                jar.map { "\($0.name)=\(String($0.value.dropLast()))" }.joined(separator: "; "),
            ], tokens: Self.markup + ["__Host-countersign=", "__Host-", "; ", "-browser", ","], cost: 10)
        await fuzzer.check(awaiting: "Cookie") { input in
            var request = Request.get("/authorize", fields: ["Cookie": String(decoding: input, as: UTF8.self)])
            request.query = FormFields(HostedFixture.authorize + [("prompt", "none")]).encoded
            let answer = await fixture.server.send(request)
            guard try Self.isFit(answer) else { return false }
            return answer.fields["Location"]?.contains("error=login_required") == true
        }
    }

    @Test("No form logs a user in without the password, becomes markup, or fails", .timeLimit(.minutes(10)))
    func forms() async throws {
        let fixture = try await HostedFixture { setup in
            setup.tenant.settings.loginsPerMinutePerAddress = 1_000_000
            setup.tenant.settings.actionsPerMinute = 1_000_000
            setup.tenant.settings.bruteForceProtection.attemptsPerAddress = 1000
            setup.tenant.settings.bruteForceProtection.attemptsPerAddressInAll = 100_000
            setup.tenant.settings.bruteForceProtection.attemptsPerAccount = 10_000
        }
        let bodies = HostedFixture.forms.map { path in
            path + "\n" + String(decoding: fixture.sending(path).body, as: UTF8.self)
        }
        var fuzzer = MutationFuzzer(
            corpus: bodies,
            tokens: Self.markup + HostedFixture.forms.map { $0 + "\n" } + [
                "state=", "csrf=", "username=", "ticket=", "decision=allow", "ui_locales=fr", "name=", "code=",
            ], cost: 10)
        let cookies = fixture.browser.cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
        await fuzzer.check(awaiting: "form") { input in
            let end = input.firstIndex(of: 0x0A) ?? input.endIndex
            var request = Request.form(
                String(decoding: input[..<end], as: UTF8.self), [:], fields: ["Cookie": cookies])
            request.body = Array(input[end...].dropFirst())
            let answer = await fixture.server.send(request)
            // Only signup may create a session, because it is open to everybody.
            let gotIn = answer.fields.values(of: "Set-Cookie").contains { $0.hasPrefix("__Host-countersign=") }
            return try Self.isFit(answer) && (!gotIn || request.path == "/u/signup")
        }
    }

    @Test("A registered redirect URI allows itself, only ASCII, and no other host")
    func redirectURIs() {
        var fuzzer = MutationFuzzer(
            corpus: [
                "https://web.example/callback?a=1", "com.example.app:/callback", "http://127.0.0.1:80/callback",
                "http://[::1]/callback", "http://localhost:3000/K;x",
            ],
            tokens: [
                "://", "@", "#", "\\", "%2f", ":0", ":99999", "127.0.0.1", "[::1]", "javascript:", "//", "*", "..",
                "\u{212A}", "\u{37E}", "\u{301}", "?", "evil.example",
            ])
        let registered = [
            "https://web.example/callback?a=1", "com.example.app:/callback", "http://127.0.0.1/callback",
            "http://[::1]/callback", "http://127.0.0.1/K;x",
        ].compactMap { RedirectURI(registering: $0) }
        fuzzer.check("redirect URI") { input in
            guard let text = String(validating: input, as: UTF8.self) else { return true }
            if let uri = RedirectURI(registering: text) {
                guard uri.allows(text), text.utf8.elementsEqual(uri.description.utf8), !text.contains("#"),
                    text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
                else { return false }
            }
            let requested = RedirectURI.withoutFragment(text)
            return registered.allSatisfy { uri in
                guard uri.allows(requested), !requested.utf8.elementsEqual(uri.description.utf8) else { return true }
                // Only the port may differ.
                let parts = requested.split(separator: ":", omittingEmptySubsequences: false)
                guard let last = parts.last,
                    requested.hasPrefix("http://127.0.0.1:") || requested.hasPrefix("http://[::1]:")
                else { return false }
                let port = last.prefix { $0.isASCII && $0.isNumber }
                return UInt16(port) != nil
                    && requested.replacing(":\(port)", with: "").utf8.elementsEqual(uri.description.utf8)
            }
        }
    }

    @Test("A parsed authorization request is within its limits and survives writing and parsing again")
    func requests() throws {
        let limits = AuthorizationDetails.Limits()
        let good = FormFields(HostedFixture.authorize).encoded
        var fuzzer = MutationFuzzer(
            corpus: [
                good, good + "&prompt=login%20consent&max_age=3600&nonce=n&response_mode=fragment",
                good + "&authorization_details=%5B%7B%22type%22%3A%22payment%22%7D%5D&audience=a&ui_locales=fr",
            ], tokens: ["&", "=", "%20", "none", "login", "S256", "code", "%00", "max_age=", "prompt=", "+"])
        fuzzer.check("authorization request") { input in
            guard let parameters = try? Parameters(form: input),
                let request = try? AuthorizationRequest(parsing: parameters, limits: limits)
            else { return true }
            let kept = parameters.encoded(only: AuthorizationRequest.parameterNames)
            let again = try AuthorizationRequest(parsing: Parameters(form: Array(kept.utf8)), limits: limits)
            return again == request && (request.state?.utf8.count ?? 0) <= 2048
                && (request.nonce?.utf8.count ?? 0) <= 512
                && (!request.prompts.contains(.none) || request.prompts.count == 1)
        }
    }
}
