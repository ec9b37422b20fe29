import Foundation
import HTTPModel
import JSONSchema
import ManagementAPI
import Primitives
import Routing
import TestSupport
import Testing

@Suite("docs/auth0.md")
struct Auth0EndpointTests {
    /// `GET /api/v2/users/{}`.
    private static func key(_ method: String, _ path: String) -> String {
        let segments = path.split(separator: "/").map { $0.hasPrefix("{") ? "{}" : $0 }
        return "\(method.uppercased()) /\(segments.joined(separator: "/"))"
    }

    /// Endpoints of the server, by its own description.
    private func served() async throws -> Set<String> {
        Set(
            try await ManagementFixture.paths.flatMap { path, operations in
                (operations.objectValue ?? [:]).map { Self.key($0.name, path) }
            })
    }

    @Test(
        "Each endpoint that Auth0 documents is served, or is listed as absent, and each of the Management API is listed"
    )
    func complete() async throws {
        let served = try await served()
        var listed: Set<String> = []
        for family in Auth0Family.all {
            let isAbsent = if case .absent = family.support { true } else { false }
            for endpoint in family.endpoints {
                #expect(!endpoint.methods.isEmpty && endpoint.path.hasPrefix("/"), "\(endpoint)")
                for method in endpoint.methods {
                    let key = Self.key(method.rawValue, endpoint.path)
                    #expect(listed.insert(key).inserted, "\(key) is listed twice")
                    #expect(served.contains(key) == !isAbsent, "\(key)")
                }
            }
        }
        // This server's own.
        let own: Set = [
            "GET /api/v2/approvals", "POST /api/v2/approvals", "GET /api/v2/approvals/{}",
            "GET /api/v2/deliveries", "GET /api/v2/deliveries/{}", "POST /api/v2/deliveries/{}/retry",
            "GET /api/v2/health", "POST /api/v2/health/phones", "POST /api/v2/health/mail",
            "GET /api/v2/tenants/configuration", "PUT /api/v2/tenants/configuration",
            "POST /api/v2/guardian/enrollments/invitations", "GET /api/v2/prompts/mfa-push",
            "PATCH /api/v2/prompts/mfa-push",
            "DELETE /api/v2/guardian/factors/push-notification/providers/apns",
            "DELETE /api/v2/guardian/factors/push-notification/providers/fcm",
            "DELETE /api/v2/guardian/factors/push-notification/providers/fcmv1",
            "DELETE /api/v2/guardian/factors/push-notification/providers/sns", "DELETE /api/v2/email-templates/{}",
            "GET /api/v2/guardian/factors/push-notification/providers/fcm",
            "GET /api/v2/guardian/factors/push-notification/providers/fcmv1",
        ]
        #expect(served.filter { $0.contains(" /api/v2/") }.subtracting(listed) == own)
    }

    @Test("An absent endpoint answers 404 with what is absent and what to use instead, and a misspelt path does not")
    func absent() async throws {
        let fixture = try await ManagementFixture()
        for family in Auth0Family.all {
            guard case .absent(let text) = family.support else { continue }
            #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }, "\(text)")
            let expected = "This server has no \(text). docs/auth0.md lists what it has of Auth0's API."
            for endpoint in family.endpoints {
                let path = endpoint.path.split(separator: "/")
                    .map { $0.hasPrefix("{") ? "x%2F1" : String($0) }.joined(separator: "/")
                for method in endpoint.methods {
                    let request = Request(method: method, path: "/\(path)", fields: ["Host": "dev.example"], body: [])
                    let answer = await fixture.server.send(request)
                    #expect(answer.status == 404, "\(method) \(endpoint.path)")
                    if path.hasPrefix("api/v2/") {
                        #expect(answer["message"]?.stringValue == expected && answer["errorCode"] == "not_supported")
                    } else {
                        #expect(answer["error_description"]?.stringValue == expected && answer["error"] == "not_found")
                    }
                }
            }
        }
        let misspelt = await fixture.server.send(.get("/api/v2/organisations"))
        #expect(misspelt.status == 404 && misspelt["message"] == "Not Found" && misspelt["errorCode"] == nil)
        #expect(await fixture.server.send(.get("/api/v2//organizations/")).json["errorCode"] == "not_supported")
    }

    @Test("The table is the generated one (countersign serve --print-field-tables)")
    func table() throws {
        let folders = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let page = try String(contentsOfFile: "/\(folders)/docs/auth0.md", encoding: .utf8)
        #expect(page.contains(Auth0Family.table))
    }
}
