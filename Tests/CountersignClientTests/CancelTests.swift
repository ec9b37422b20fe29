import CountersignClient
import HTTPModel
import Primitives
import Testing

@Suite("Cancelling a request")
struct CancelTests {
    @Test("RFC 7009 2.1: the call has the auth_req_id and the client's credentials")
    func cancelled() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.answer("/oauth/revoke") { request in
            #expect(request.timeout == .seconds(5))
            return ClientResponse(status: 200, fields: [:], body: [])
        }
        try await client.cancel(pending)
        let sent = try #require(fixture.transport.sent("/oauth/revoke").first)
        #expect(sent.form["token"] == "req-1")
        #expect(sent.form["token_type_hint"] == "auth_req_id")
        #expect(sent.form["client_secret"] == "s3cret")
    }

    @Test("RFC 7009 2.2.1: the server's refusal of an unknown client is reported")
    func refused() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.answer("/oauth/revoke", 401, ["error": "invalid_client", "error_description": "who?"])
        await #expect(throws: CountersignError.self) { try await client.cancel(pending) }
    }

    @Test("An unreachable server does not delay a cancelled task")
    func unreachable() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.answer("/oauth/token", failing: .cancelled)
        fixture.transport.answer("/oauth/revoke", failing: .cannotConnect("no"))
        await #expect(throws: CountersignError.cancelled) { try await client.tokens(for: pending) }
        #expect(fixture.transport.sent("/oauth/revoke").count == 1)
    }

    @Test("Dropping the sequence of states does not cancel the request")
    func states() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.answer("/oauth/token", failing: .cancelled)
        await #expect(throws: CountersignError.cancelled) { for try await _ in client.states(of: pending) {} }
        #expect(fixture.transport.sent("/oauth/revoke").isEmpty)
    }
}
