import Foundation
import Guardian
import HTTPModel
import Synchronization

/// Answers like a server and records the requests.
final class SampleServer: HTTPClient {
    static let shared: SampleServer = {
        let server = SampleServer()
        Guardian.configure(GuardianConfiguration(transport: server))
        return server
    }()

    private let seen = Mutex<[ClientRequest]>([])

    func requests(to domain: String) -> [ClientRequest] {
        seen.withLock { $0.filter { $0.url.hasPrefix("https://\(domain)/") } }
    }

    func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        seen.withLock { $0.append(request) }
        if request.url.contains("/rich-consents/") { return json(Self.consent) }
        if request.url.hasSuffix("/api/enroll") { return json(Self.enrollment) }
        if request.method == .patch { return json(#"{"name":"New name"}"#) }
        return ClientResponse(status: 204, fields: [:], body: [])
    }

    func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
        throw .other("no stream here")
    }

    private func json(_ text: String) -> ClientResponse {
        ClientResponse(status: 200, fields: ["Content-Type": "application/json"], body: Array(text.utf8))
    }

    static let consent = #"""
        {"id":"cns_abc123","requested_details":{"audience":"https://api.example.com","scope":["openid"],
        "binding_message":"21-49-38","authorization_details":[{"type":"payment","amount":12.5,"currency":"EUR",
        "string_property":"s","bool_property":true,"numeric_property":7,"nested_property":{"a":1},
        "nested_array_property":[1,2]}]},"created_at":1746693720,"expires_at":1746693750}
        """#

    static let enrollment =
        #"{"id":"dev_1","url":"https://x","issuer":"T","user_id":"auth0|1","token":"t","totp":{"secret":"JBSWY3DPEHPK3PXP","algorithm":"sha1","digits":6,"period":30}}"#

    /// A payload as APNs delivers it.
    static var userInfo: [AnyHashable: Any] {
        [
            "aps": ["category": "com.auth0.notification.authentication", "alert": ["title": "T", "body": "B"]],
            "mfa": [
                "dai": "dev_1", "txtkn": "tx-token", "txlnkid": "cns_abc123", "c": "challenge",
                "d": "2026-11-20T10:00:00.000Z", "sh": "id.example.org",
            ],
        ]
    }
}
