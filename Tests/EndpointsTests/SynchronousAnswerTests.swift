import AuthorizationCore
import Endpoints
import HTTPModel
import Primitives
import TestSupport
import Testing

/// Polls of requests that this node knows to be pending must not cost a task, because most requests are such polls.
/// Other tests do not notice, because the answer is the same.
@Suite("Synchronously answered polls")
struct SynchronousAnswerTests {
    private func poll(
        _ client: InProcessClient, _ id: String, _ changes: [String: String?] = [:], fields: HTTPFields = [:]
    ) -> Request {
        .form(
            "/oauth/token", client.pollParameters(id).merging(changes) { _, changed in changed }, fields: fields)
    }

    @Test("CIBA Core 11: authorization_pending and slow_down for a request of this node take no task")
    func pending() async throws {
        let fixture = try await EndpointFixture()
        let request = poll(fixture.client, fixture.authReqID)
        for error in ["authorization_pending", "slow_down"] {
            let response = try fixture.server.application.answerSynchronously(request).orThrow(
                "left to a task: \(error)")
            let answer = await HTTPAnswer(response)
            #expect(answer.status == 400)
            #expect(answer["error"]?.stringValue == error)
        }
    }

    @Test("Other requests, and errors, are left to a task")
    func others() async throws {
        let fixture = try await EndpointFixture { setup in
            setup.clients.append(Samples.client("bound") { $0.bindsTokensToCertificate = true })
        }
        let (client, id) = (fixture.client, fixture.authReqID)
        let bound = InProcessClient("bound", via: fixture.server)
        let requests = [
            poll(client, id, ["client_secret": "wrong"]),
            poll(client, id, fields: ["Prefer": "wait=5"]),
            poll(client, "unknown"),
            poll(client, id, ["grant_type": "client_credentials"]),
            poll(bound, try await bound.started()),
        ]
        for request in requests { #expect(fixture.server.application.answerSynchronously(request) == nil) }
    }

    @Test("Each poll is parsed and its client authenticated, even after an identical poll")
    func everyPoll() async throws {
        let fixture = try await EndpointFixture()
        let application = fixture.server.application
        let good = poll(fixture.client, fixture.authReqID, fields: ["Accept-Language": "fr"])
        for _ in 0..<3 {
            let response = try application.answerSynchronously(good).orThrow("left to a task")
            let answer = await HTTPAnswer(response)
            #expect(answer["error"]?.stringValue == "authorization_pending")
            fixture.server.clock.advance(by: .seconds(5))
        }
        let changes: [(inout Request) -> Void] = [
            { $0.fields.set("Host", "elsewhere.example") }, { $0.fields.append("Content-Type", "text/plain") },
            { $0.path = "/bc-authorize" }, { $0.method = .get }, { $0.query = "a=b" },
            { $0.fields.append("Prefer", "wait=5") },
            { $0.fields.append("Authorization", "Basic YWdlbnQ6d3Jvbmc=") },
            { $0.body.replace(Array("client_secret=".utf8), with: Array("client_secret=x".utf8)) },
            { $0.body.append(contentsOf: Array("&client_id=agent".utf8)) },
        ]
        for change in changes {
            var request = good
            change(&request)
            #expect(application.answerSynchronously(request) == nil)
        }

        var rotated = try fixture.server.configuration.current.tenant(id: TenantID("dev")).orThrow("no tenant").clients
        for index in rotated.indices { rotated[index].secretHashes = [[UInt8](repeating: 0, count: 32)] }
        let tenant = try fixture.server.entry
        fixture.server.configuration.current = ConfigurationSnapshot(tenants: [
            TenantConfiguration(
                tenant: tenant.tenant, clients: rotated, resourceServers: Array(tenant.resourceServers.values),
                roles: Array(tenant.roles.values), keys: tenant.keys)
        ])
        #expect(application.answerSynchronously(good) == nil)
        #expect(await fixture.server.send(good)["error"]?.stringValue == "invalid_client")
    }
}
