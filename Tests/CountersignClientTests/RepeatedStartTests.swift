import CountersignClient
import Foundation
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import Testing

@Suite("Sending a start again under its key")
struct RepeatedStartTests {
    private let acknowledgement: JSONValue = ["auth_req_id": "req-1", "expires_in": 300]

    private func request(_ key: String? = nil) -> BackchannelRequest {
        BackchannelRequest(user: ClientFixture.user, bindingMessage: "ok", idempotencyKey: key)
    }

    private func keys(_ fixture: ClientFixture) -> [String?] {
        fixture.transport.sent("/bc-authorize").map { $0.fields["Idempotency-Key"] }
    }

    @Test(
        "draft-ietf-httpapi-idempotency-key 2.1: a key is sent as a quoted string, and without one each start has its own"
    )
    func header() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        for key in ["order-4711", #"a "b" \ c"#, nil, nil] {
            fixture.transport.answer("/bc-authorize", 200, acknowledgement)
            _ = try await client.start(request(key))
        }
        let sent = keys(fixture)
        #expect(sent.prefix(2) == [#""order-4711""#, #""a \"b\" \\ c""#])
        #expect(sent.suffix(2).allSatisfy { $0?.utf8.count == 24 })
        #expect(Set(sent).count == 4)
    }

    @Test(
        "A key that no server accepts is not sent",
        arguments: ["", "schlüssel", "a\n", String(repeating: "k", count: 256)])
    func malformed(key: String) async throws {
        let fixture = try ClientFixture()
        let error = await failure { try await fixture.client().start(request(key)) }
        guard case .invalidRequest(let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("Idempotency-Key"))
        #expect(keys(fixture).isEmpty)
    }

    @Test("After a failure of the network the same start is sent once more, with the same key and a new assertion")
    func networkFailure() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client(.privateKey(try OpenSSLSigner.generate(algorithm: .es256, keyID: "mine")))
        fixture.transport.answer("/bc-authorize", failing: .timedOut)
        fixture.transport.answer("/bc-authorize", 200, acknowledgement)
        let pending = try await client.start(request())
        #expect(pending.authReqID == "req-1")
        #expect(fixture.clock.sleeps == [1])
        let sent = fixture.transport.sent("/bc-authorize")
        #expect(sent.count == 2)
        #expect(Set(keys(fixture)).count == 1)
        let assertion = "client_assertion"
        #expect(Set(sent.map { $0.form[assertion] }).count == 2)
        for name in ["login_hint", "binding_message", "scope"] { #expect(Set(sent.map { $0.form[name] }).count == 1) }
        // The request may have begun with the first one.
        #expect(pending.expiresAt.timeIntervalSince1970 == Double(fixture.clock.now.seconds - 1 + 300))
    }

    @Test("A second failure of the network is thrown")
    func secondFailure() async throws {
        let fixture = try ClientFixture()
        for _ in 0..<3 { fixture.transport.answer("/bc-authorize", failing: .cannotConnect("no route")) }
        #expect(await failure { try await fixture.client().start(request()) } == .network("no route"))
        #expect(keys(fixture).count == 2)
    }

    @Test("An answer is final, and so are a certificate that is not trusted and the task's end")
    func final() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        for (status, error) in [(503, "temporarily_unavailable"), (429, "too_many_requests"), (400, "invalid_request")]
        {
            let before = keys(fixture).count
            fixture.transport.answer("/bc-authorize", status, ["error": .string(error)])
            #expect(await failure { try await client.start(request()) } != nil)
            #expect(keys(fixture).count == before + 1, "\(status)")
        }
        for problem in [HTTPClientError.untrusted("x"), .cancelled] {
            let before = keys(fixture).count
            fixture.transport.answer("/bc-authorize", failing: problem)
            #expect(await failure { try await client.start(request()) } != nil)
            #expect(keys(fixture).count == before + 1, "\(problem)")
        }
    }
}
