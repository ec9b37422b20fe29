import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@testable import Endpoints

@Suite("What a poll is known again by")
struct RepeatedPollBytesTests {
    private let configuration = ConfigurationSnapshot(tenants: [])
    private let request = Request(
        method: .post, path: "/oauth/token", fields: ["Host": "dev.example", "Content-Type": "a/b"],
        body: Array("grant_type=x&auth_req_id=an_id-1&client_secret=s".utf8))

    private func known(_ request: Request, _ configuration: ConfigurationSnapshot? = nil) -> (
        bytes: [UInt8], id: String
    )? {
        RepeatedPoll.withBytes(of: request, configuration ?? self.configuration) { poll, id in
            (Array(poll), String(decoding: id, as: UTF8.self))
        }
    }

    private func changed(_ change: (inout Request) -> Void) -> Request {
        var request = request
        change(&request)
        return request
    }

    @Test("All that came and what was configured, and no two requests by the same bytes")
    func everything() throws {
        let known = try self.known(request).orThrow("not known")
        #expect(known.id == "an_id-1")
        #expect(self.known(request)?.bytes == known.bytes)
        #expect(self.known(request, ConfigurationSnapshot(tenants: []))?.bytes != known.bytes)
        let others = [
            changed { $0.fields = ["Host": "dev.example", "Content-Type": "a/bc"] },
            changed { $0.fields = ["Host": "dev.exampleContent-Type", "": "a/b"] },
            changed { $0.fields = ["Content-Type": "a/b", "Host": "dev.example"] },
            changed { $0.fields.append("X", "") },
            changed { $0.body.append(0x74) },
        ]
        for other in others { #expect(self.known(other)?.bytes != known.bytes) }
    }

    @Test("A certificate and a query are not in the bytes; what is long is read")
    func elsewhere() {
        #expect(known(changed { $0.clientCertificate = ClientCertificate(leaf: [1], issuers: []) }) == nil)
        #expect(known(changed { $0.query = "" }) == nil)
        #expect(known(changed { $0.fields.append("X", String(repeating: "a", count: 1_024)) }) == nil)
        #expect(known(changed { $0.body.append(contentsOf: [UInt8](repeating: 0x61, count: 70_000)) }) == nil)
    }

    @Test(
        "The request's name is found in a form and in JSON",
        arguments: [
            ("auth_req_id=abc", "abc"), (#"{"auth_req_id": "a_b-c", "x": 1}"#, "a_b-c"), ("auth_req_id", ""),
            ("auth_req_idauth_req_id=z", "auth_req_id"), ("aauth_req_id=%61b", "61b"),
        ])
    func name(_ body: String, _ id: String) {
        #expect(known(changed { $0.body = Array(body.utf8) })?.id == id)
    }

    @Test("Without a name there is none", arguments: ["", "a", "grant_type=refresh_token", "auth_req_i"])
    func nameless(_ body: String) {
        #expect(known(changed { $0.body = Array(body.utf8) }) == nil)
    }
}
