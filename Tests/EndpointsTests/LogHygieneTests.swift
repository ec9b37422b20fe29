import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("The log contains no secrets")
struct LogHygieneTests {
    @Test("The log, the audit log and the tables contain no secret of a whole flow and its failures")
    func wholeFlow() async throws {
        let message = "TX-4711"
        let fixture = try await EndpointFixture {
            $0.apis = [try Samples.resourceServer { $0.allowsOfflineAccess = true }]
        }
        let delivery = fixture.server.delivering()
        defer { delivery.cancel() }
        var secrets = fixture.secrets
        for endpoint in EndpointFixture.Endpoint.allCases where endpoint != .remove {
            let request = try fixture.good(endpoint)
            secrets += request.fields.values(of: "Authorization").map { String($0.split(separator: " ").last ?? "") }
            secrets += request.fields.values(of: "MFA-DPoP")
            // Sends every secret to wrong places, too: the wrong tenant, the wrong scheme, a malformed body.
            _ = await fixture.server.send(request.with("Host", InProcessServer.otherHost))
            _ = await fixture.server.send(
                request.with("Authorization", "Basic " + (request.fields["Authorization"] ?? "")))
            var broken = request
            broken.body += Array("}&x=%zz".utf8)
            _ = await fixture.server.send(broken)
            _ = await fixture.server.send(request)
            _ = await fixture.server.send(request)
        }
        let id = try await fixture.client.started(["audience": Samples.api, "scope": "openid offline_access"])
        let response = try fixture.phone.response(to: try await fixture.phone.notification(of: id))
        secrets += [id, response]
        _ = try await fixture.phone.decide(id)
        let tokens = try await fixture.client.poll(id)
        for name in ["access_token", "id_token", "refresh_token"] {
            secrets.append(try (tokens[name]?.stringValue).orThrow("no \(name)"))
        }
        let log = fixture.server.log.lines.joined(separator: "\n")
        #expect(!log.isEmpty)
        let audit = try await fixture.server.auditText()
        let tables = try await fixture.server.dump().joined(separator: "\n")
        for secret in secrets where secret.utf8.count > 8 {
            #expect(!log.contains(secret), "\(secret)")
            #expect(!audit.contains(secret), "\(secret)")
            #expect(!tables.contains(secret), "\(secret)")
            #expect(!tables.contains(Hex.encode(Array(secret.utf8)).uppercased()), "\(secret)")
        }
        // The binding message is only for the user.
        #expect(!log.contains(message))
        #expect(!audit.contains(message))
    }

    @Test("External input is truncated in the log")
    func bounded() async throws {
        let fixture = try await EndpointFixture()
        let long = String(repeating: "A", count: 9000)
        _ = await fixture.server.send(.form("/oauth/token", ["client_id": long, "client_secret": "x"]))
        let header = Base64URL.encode(Array("{\"alg\":\"\(long)\"}".utf8))
        _ = await fixture.server.send(fixture.phone.answerRequest(fixture.notification, response: "\(header).e30.AA"))
        #expect(fixture.server.log.lines.count == 2)
        for line in fixture.server.log.lines { #expect(line.utf8.count < 400, "\(line)") }
    }
}
