import AuthorizationCore
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

/// A server with one enrolled phone and the client `agent`.
struct ConformanceFixture {
    let server: InProcessServer
    let client: InProcessClient
    let phone: InProcessPhone

    init(_ change: (inout InProcessServer.Setup) throws -> Void = { _ in }) async throws {
        server = try await InProcessServer(change)
        client = InProcessClient(via: server)
        phone = try await InProcessPhone(in: server)
    }

    /// Starts a request, has the phone allow it, and returns the answer with the tokens.
    func tokens(_ changes: [String: String?] = [:], from other: InProcessClient? = nil) async throws -> HTTPAnswer {
        let asking = other ?? client
        let authReqID = try await asking.started(changes)
        #expect(try await phone.decide(authReqID).status == 204)
        return try await asking.poll(authReqID)
    }

    /// A token, verified with the keys that the server publishes.
    func verified(_ token: JSONValue?, host: String = InProcessServer.host) async throws -> Verified {
        let text = try (token?.stringValue).orThrow("no token")
        let jws = try JWS(parsing: text)
        let published = try JWKSet(await server.send(.get("/.well-known/jwks.json", host: host)).json)
        let key = try published.key(id: jws.keyID, for: jws.algorithm).orThrow("the key is not published")
        let payload = try jws.verified(by: key, allowed: Set(JWSAlgorithm.allCases), using: OpenSSLVerifier())
        return Verified(jws: jws, claims: try Claims(payload: payload).orThrow("no claims"))
    }

    struct Verified {
        let jws: JWS
        let claims: Claims

        subscript(name: String) -> JSONValue? { claims[name] }
        var names: Set<String> { Set(claims.members.map(\.name)) }
    }
}

/// Expects an OAuth error of that status and code, well-formed by RFC 6749 5.2.
func expectError(
    _ answer: HTTPAnswer, _ status: Int, _ code: String, _ description: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(answer["error"]?.stringValue == code, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(answer["errorCode"] == nil, sourceLocation: sourceLocation)
    #expect(answer.fields["Content-Type"] == "application/json", sourceLocation: sourceLocation)
    #expect(answer.fields["Cache-Control"] == "no-store", sourceLocation: sourceLocation)
    if let description {
        #expect(answer["error_description"]?.stringValue == description, sourceLocation: sourceLocation)
    } else {
        #expect(!answer.message.isEmpty, sourceLocation: sourceLocation)
    }
    #expect(answer.hasPlainDescription, "\(answer.text)", sourceLocation: sourceLocation)
}

func basic(_ id: String, _ secret: String) -> String {
    "Basic " + base64("\(PercentEncoding.encode(id)):\(PercentEncoding.encode(secret))")
}

/// Base64 with padding (RFC 4648 clause 4).
func base64(_ text: String) -> String {
    let encoded = Base64URL.encode(Array(text.utf8))
        .map { $0 == "-" ? "+" : $0 == "_" ? "/" : String($0) }.joined()
    return encoded + String(repeating: "=", count: (4 - encoded.count % 4) % 4)
}

let pendingText = "The end-user authorization is pending"
let undeliveredText = "No device and no mailbox of the user could be notified; start a new request later"
let deniedText = "The end-user denied the authorization request or it has been expired"
