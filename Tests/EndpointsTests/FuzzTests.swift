import AuthorizationCore
import GuardianWire
import HTTPModel
import Localization
import OAuthWire
import Primitives
import TestSupport
import TestTools
import Testing

@Suite("Fuzz: whole requests")
struct FuzzTests {
    @Test("Every mutation of a valid request is answered, and never with 5xx", .timeLimit(.minutes(10)))
    func requests() async throws {
        let fixture = try await EndpointFixture()
        // Excludes the request that removes the phone, which the others need.
        let good = try EndpointFixture.Endpoint.allCases.filter { $0 != .remove }.map { try fixture.good($0) }
        var fuzzer = MutationFuzzer(
            corpus: good.map(RequestText.write),
            tokens: [
                "\n", "\n\n", ": ", "?", "/", "%2", "%00", "%zz", "&", "=", "client_id=agent", "{", "}", "[", "\"",
                "\\u",
                "null", ".", "Bearer ", "MFA-DPoP ", "Basic ", "Ticket id=\"", "wait=1", "Prefer: wait=0",
                "Accept-Language: fr", "\u{E9}", "Host: dev.example", "Host: other.example", "application/json",
                "application/x-www-form-urlencoded",
                "cns_", "dev_", "-1", "1e999", "GET", "POST", "DELET", "eyJhbGciOiJub25lIn0",
            ], cost: 5)
        await fuzzer.check(awaiting: "request") { input in
            let request = RequestText.read(input)
            // A held request would never end: the test clock stands still.
            guard request.fields["Prefer"] == nil else { return true }
            let answer = await fixture.server.send(request)
            return (200..<500).contains(answer.status) && fixture.isClean(answer, echoing: input)
                && answer.hasPlainDescription
        }
        #expect(await fixture.server.send(.get("/readyz")).status == 200)
    }

    @Test("A parsed login_hint survives writing and parsing again")
    func loginHints() {
        var fuzzer = MutationFuzzer(
            corpus: [
                InProcessClient.loginHint(),
                #"{ "format" : "iss_sub", "iss" : "https://dev.example/", "sub" : "a|b" }"#,
                #"{"sub":"auth0\u007cann","iss":"x","format":"iss_sub","more":[{"a":1}]}"#,
                #"{"format":"email","email":"ann@shop.example"}"#, #"{"format":"opaque","id":"auth0|ann"}"#,
                #"{"format":"phone_number","phone_number":"+4930123456"}"#, "ann@shop.example",
            ],
            tokens: [
                "\"format\"", "\"iss_sub\"", "\"iss\"", "\"sub\"", "{", "}", "\\u0000", "\\ud83d", ":", ",", "[[[[",
            ])
        fuzzer.check("login_hint") { input in
            guard let text = String(validating: input, as: UTF8.self), let hint = try? LoginHint(parsing: text) else {
                return true
            }
            let (name, limit) =
                switch hint {
                case .issuerSubject(_, let subject): (subject, LoginHint.subjectLimit)
                case .opaque(let id): (id, LoginHint.subjectLimit)
                case .email(let address): (address, LoginHint.emailLimit)
                case .phoneNumber(let number): (number, 16)
                }
            return try LoginHint(parsing: hint.json) == hint && (1...limit).contains(name.utf8.count)
        }
    }

    @Test("Parsed authorization_details are within every limit and survive writing and parsing again")
    func details() {
        let limits = AuthorizationDetails.Limits()
        var fuzzer = MutationFuzzer(
            corpus: [
                #"[{"type":"payment","amount":{"value":12.50,"currency":"EUR"}}]"#,
                #"[{"type":"a"},{"type":"b","c":[1,[2,[3]],null,true,"\u00e9"]},{"type":"c"},{"type":"d"},{"type":"e"}]"#,
            ],
            tokens: ["{\"type\":\"x\"}", ",", "[", "]", "{", "}", "\"type\":", "1e400", "\\u0000", "\"a.b-c_d\":1"])
        fuzzer.check("authorization_details") { input in
            guard let text = String(validating: input, as: UTF8.self),
                let read = try? AuthorizationDetails(parsing: text)
            else { return true }
            let again = try AuthorizationDetails(read.json, limits: limits)
            return again == read && (1...limits.entries).contains(read.entries.count)
                && read.entries.allSatisfy { $0.object.count <= limits.properties && !$0.type.isEmpty }
        }
    }

    @Test("A parsed enrolment URI survives writing and parsing again")
    func enrollmentURIs() {
        var fuzzer = MutationFuzzer(
            corpus: [
                "otpauth://totp/My%20Tenant:ann%40example.org?enrollment_tx_id=f3QwL0&base_url=https%3A%2F%2Fid.example",
                "otpauth://TOTP/x?secret=JBSWY3DP&enrollment_tx_id=a&issuer=I&id=dev_1&algorithm=sha1&digits=6&counter=0&period=30",
                "otpauth://totp/?enrollment_tx_id=%C3%A9#fragment",
            ],
            tokens: [
                "otpauth://", "totp", "/", "?", "&", "=", ":", "%3A", "%", "%00", "enrollment_tx_id=", "digits=-1", "#",
            ])
        fuzzer.check("otpauth URI") { input in
            guard let text = String(validating: input, as: UTF8.self), let read = try? EnrollmentURI(parsing: text)
            else { return true }
            return try EnrollmentURI(parsing: read.text).transactionID == read.transactionID
        }
    }

    @Test(
        "Parameters, Basic credentials, scopes and Accept-Language parse or are refused", arguments: ["form", "json"])
    func parameters(kind: String) {
        let type = kind == "form" ? "application/x-www-form-urlencoded" : "application/json"
        var fuzzer = MutationFuzzer(
            corpus: kind == "form"
                ? ["client_id=a&client_secret=b&scope=openid&login_hint=%7B%7D&ui_locales=fr%20en"]
                : [#"{"client_id":"a","client_secret":"b","scope":"openid x","requested_expiry":300,"n":null}"#],
            tokens: ["&", "=", "%", "{", "}", "\"", ":", ",", "client_id", "fr", "q=", ";"])
        fuzzer.check("parameters") { input in
            guard let parameters = try? Parameters(body: input, mediaType: type) else { return true }
            _ = try? PresentedCredentials(authorization: nil, parameters: parameters)
            let text = String(decoding: input, as: UTF8.self)
            _ = try? PresentedCredentials(authorization: "Basic " + text, parameters: parameters)
            _ = Language.preferred(uiLocales: parameters["ui_locales"], acceptLanguage: text)
            if let scope = parameters["scope"], let read = try? ScopeSet(parsing: scope) {
                return try ScopeSet(parsing: read.description) == read
            }
            return true
        }
    }
}

/// A request as text for mutation: request line, fields, empty line, body.
private enum RequestText {
    static func write(_ request: Request) -> String {
        let fields = request.fields.map { "\($0.name): \($0.value)\n" }.joined()
        return "\(request.method) \(request.path)\n\(fields)\n" + String(decoding: request.body, as: UTF8.self)
    }

    static func read(_ bytes: [UInt8]) -> Request {
        var rest = bytes[...]
        func line() -> String? {
            guard let end = rest.firstIndex(of: 0x0A) else { return nil }
            defer { rest = rest[(end + 1)...] }
            return String(decoding: rest[..<end], as: UTF8.self)
        }
        let first = (line() ?? "").split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let target = (first.count > 1 ? String(first[1]) : "/")
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var request = Request(
            method: HTTPMethod(String(first[0])), path: target.first.map(String.init) ?? "",
            query: target.count > 1 ? String(target[1]) : nil)
        while let field = line(), !field.isEmpty {
            let parts = field.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            request.fields.append(
                String(parts[0]), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
        }
        request.body = Array(rest)
        return request
    }
}

extension EndpointFixture {
    /// True if an error contains no name of the program, except names that it echoes from the input.
    fileprivate func isClean(_ answer: HTTPAnswer, echoing input: [UInt8]) -> Bool {
        guard answer.status >= 400 else { return true }
        let sent = String(decoding: input, as: UTF8.self)
        return Self.programNames.allSatisfy { !answer.text.contains($0) || sent.contains($0) || $0.utf8.count < 6 }
    }
}
