import CurlTransport
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A development server for phones in the same network") struct NetworkPhoneTests {
        @Test("It serves TLS for its name, and its link enrols a phone that then answers")
        func link() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "network-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            // Every resolver knows names below localhost (RFC 6761 clause 6.3).
            let server = try await Program(
                [
                    "serve", "--data", "data", "--port", "0", "--metrics-port", "none", "--address", "0.0.0.0",
                    "--development-host", "phone.localhost",
                ], in: folder)
            #expect(await server.output.wait(for: "Countersign listens on "), "\(server.errors.soFar)")
            let lines = server.output.soFar.split(separator: "\n").map(String.init)
            let link = try #require(lines.first { $0.hasPrefix("https://") })
            let issuer = try #require(link.firstRange(of: "approver#enroll=").map { String(link[..<$0.lowerBound]) })
            #expect(issuer.hasPrefix("https://phone.localhost:"))
            #expect(lines.contains { $0.contains("data/tls/ca.pem on it") })
            #expect(lines.count { $0.contains("█") || $0.contains("▀") } > 15, "the link's code is drawn")

            let authority = folder.appending(path: "data/tls/ca.pem").path
            var trusting = CurlTransport.Configuration()
            trusting.trust = .file(authority)
            let transport = try CurlTransport(trusting)
            let metadata = try await transport.send(
                ClientRequest(method: .get, url: "\(issuer).well-known/openid-configuration"))
            #expect(try JSONReader.parse(metadata.body)["issuer"]?.stringValue == issuer)

            let store = folder.appending(path: "phone.json").path
            func phone(_ arguments: [String]) async throws -> Program.Result {
                try await Program.run(arguments + ["--store", store, "--ca", authority], of: "guardian", in: folder)
            }
            let enrolled = try await phone(["enroll", link])
            #expect(enrolled.status == 0, "\(enrolled.errors)")
            #expect(try await phone(["enroll", link]).status == 1, "a link enrols once")
            let asking = try await Program(
                ["ask", "--data", "data", "--user", "auth0|48616e6e6120486572776974", "--message", "From the network"],
                in: folder)
            let answered = try await phone(["allow", "--wait", "30s"])
            #expect(answered.status == 0 && answered.output.contains("From the network"), "\(answered.errors)")
            #expect(await asking.status() == 0)
            server.send(SIGTERM)
            #expect(await server.status() == 0)
        }
    }
}
