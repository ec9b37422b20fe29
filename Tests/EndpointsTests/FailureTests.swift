import AuthorizationCore
import HTTPModel
import JOSE
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Server failures are not reported as client errors")
struct FailureTests {
    @Test("A missing signing key is a server_error without internal details, and redeems nothing")
    func missingKey() async throws {
        let fixture = try await EndpointFixture { $0.clients[0].idTokenAlgorithm = .es256 }
        _ = try await fixture.phone.decide(fixture.authReqID)
        let entry = try fixture.server.entry
        func keep(_ algorithms: [JWSAlgorithm]) {
            let signers = algorithms.compactMap { entry.keys.signer(for: $0) }
            fixture.server.configuration.current = ConfigurationSnapshot(tenants: [
                TenantConfiguration(
                    tenant: entry.tenant, clients: entry.clients,
                    resourceServers: Array(entry.resourceServers.values), roles: [],
                    keys: KeyRing(current: signers, published: signers.map(\.publicKey)))
            ])
        }
        keep([.rs256])
        let answer = try await fixture.refused(try fixture.good(.token), at: .token, [500], ["server_error"])
        #expect(!answer.message.contains("ES256"))
        #expect(fixture.server.log.lines.last?.contains("es256") == true)
        // With the key, the same request gets its tokens.
        keep([.rs256, .es256])
        #expect(try await fixture.client.poll(fixture.authReqID).status == 200)
    }

    /// Endpoints that write. The others only read.
    private static let changing: [EndpointFixture.Endpoint] = [.start, .enroll, .resolve, .consent, .update, .remove]

    @Test(
        "RFC 6749 4.1.2.1: an overloaded store is temporarily_unavailable with Retry-After",
        arguments: changing, [SQLError.overloaded, .busy, .closed])
    func overloaded(endpoint: EndpointFixture.Endpoint, error: SQLError) async throws {
        let fixture = try await EndpointFixture()
        fixture.server.failChanges(with: error)
        let answer = try await fixture.refused(
            try fixture.good(endpoint), at: endpoint, [503], ["temporarily_unavailable"])
        #expect(answer.fields["Retry-After"] == "1")
        #expect(fixture.server.log.lines.last?.contains("\(error)") == true)
        if endpoint.isDevice { #expect(answer["error"]?.stringValue == "Service Unavailable") }
        // The same request succeeds once the store recovers.
        fixture.server.failChanges(with: nil)
        let again = await fixture.server.send(try fixture.good(endpoint))
        #expect(fixture.isGood(again, endpoint), "\(again.status) \(again.text)")
    }

    @Test("An exchange that the overloaded store refuses redeems nothing")
    func overloadedExchange() async throws {
        let fixture = try await EndpointFixture()
        _ = try await fixture.phone.decide(fixture.authReqID)
        fixture.server.failChanges(with: .overloaded)
        try await fixture.refused(try fixture.good(.token), at: .token, [503], ["temporarily_unavailable"])
        fixture.server.failChanges(with: nil)
        #expect(try await fixture.client.poll(fixture.authReqID).status == 200)
    }

    @Test(
        "A server that cannot store is not ready until a change succeeds; what an operator mends soon is temporary",
        arguments: [
            (SQLError.diskFull, 503), (.readOnly, 503), (.unavailable(reason: "gone"), 503), (.corrupt, 500),
            (.other(code: 10, message: "disk I/O error"), 500),
        ])
    func broken(error: SQLError, status: Int) async throws {
        let fixture = try await EndpointFixture()
        func readiness() async -> Int { await fixture.server.send(.get("/readyz")).status }
        #expect(await readiness() == 200)
        fixture.server.failChanges(with: error)
        let answer = try await fixture.refused(
            try fixture.good(.start), at: .start, [status], [status == 503 ? "temporarily_unavailable" : "server_error"]
        )
        #expect((answer.fields["Retry-After"] != nil) == (status == 503))
        let isLogged = fixture.server.log.lines.contains { $0.contains("\(error)") }
        #expect(isLogged == (status == 500), "the store tells of an outage once, and no request does")
        let unready = await fixture.server.send(.get("/readyz"))
        #expect(unready.status == 503)
        #expect(unready["status"]?.stringValue == "unavailable")
        #expect(await fixture.server.send(.get("/healthz")).status == 200)
        fixture.server.failChanges(with: nil)
        #expect(await readiness() == 200, "a change that changes nothing was tried")
    }

    @Test(
        "Nothing was changed, says an answer, unless nobody knows", arguments: changing,
        [(SQLError.overloaded, true), (.diskFull, true), (.unknownOutcome, false)])
    func unknownOutcome(endpoint: EndpointFixture.Endpoint, failure: (error: SQLError, isUndone: Bool)) async throws {
        let fixture = try await EndpointFixture()
        fixture.server.failChanges(with: failure.error)
        let answer = try await fixture.refused(
            try fixture.good(endpoint), at: endpoint, [503], ["temporarily_unavailable"])
        #expect(answer.fields["Retry-After"] == "1")
        #expect(answer.message.contains("nothing was changed") == failure.isUndone, "\(answer.message)")
    }

    @Test("A client removed from the configuration is unknown at its next request")
    func removedClient() async throws {
        let fixture = try await EndpointFixture()
        let entry = try fixture.server.entry
        fixture.server.configuration.current = ConfigurationSnapshot(tenants: [
            TenantConfiguration(
                tenant: entry.tenant, clients: [], resourceServers: [], roles: [],
                keys: KeyRing(current: [], published: []))
        ])
        try await fixture.refused(try fixture.good(.token), at: .token, [401], ["invalid_client"])
    }
}
