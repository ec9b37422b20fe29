import CurlTransport
import Foundation
import GuardianWire
import HTTPModel
import JOSE
import Primitives
import TestSupport
import TestTools
import Testing

@Suite("countersign serve and a push service")
struct WebPushServerTests {
    private static let user = "auth0|48616e6e6120486572776974"
    private static let trust = ["--trusted-authorities", "push-ca.pem"]

    private var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    private func folder(trusting service: PushServiceStandIn) throws -> Folder {
        let folder = try Folder()
        try folder.write(String(decoding: service.authority, as: UTF8.self), to: "push-ca.pem")
        return folder
    }

    /// Enrols a browser.
    private func enroll(_ subscriber: PushSubscriber, at server: RunningServer) async throws {
        let ticket = try await server.command(["device", "ticket", "--user", Self.user])
        let uri = try EnrollmentURI(parsing: String(ticket.output.dropLast()))
        let request = EnrollmentRequest(
            identifier: "BROWSER-1", name: "Browser", pushCredentials: subscriber.credentials,
            publicKey: try Keys.signer(.es256, "browser").publicKey)
        let authorization = try #require(EnrollmentTicketAuthorization(ticket: uri.transactionID)).fieldValue
        var configuration = CurlTransport.Configuration()
        configuration.trust = .file(server.folder.url.appendingPathComponent("countersign-data/tls/ca.pem").path)
        let answer = try await CurlTransport(configuration).send(
            ClientRequest(
                method: .post, url: try #require(uri.baseURL) + "/api/enroll",
                fields: ["Authorization": authorization, "Content-Type": "application/json"], body: request.json))
        #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    }

    /// Starts a request that stays pending.
    private func ask(_ server: RunningServer) async throws {
        let asking = try await Program(["ask", "--user", Self.user, "--message", "Order 4711"], in: server.folder.url)
        #expect(await asking.errors.wait(for: "Waiting for"))
        asking.send(SIGKILL)
        _ = await asking.status()
    }

    /// The key in the request's `Authorization`, to which the subscription is bound.
    private func key(of request: Request) throws -> [UInt8] {
        let text = try #require(request.fields["Authorization"]?.split(separator: "k=").last)
        return try #require(Base64URL.decode(String(text)))
    }

    @Test(
        "RFC 8292 4: a push outlives a restart, and the tenant's key an exchange of the master key and a restored backup",
        .timeLimit(.minutes(2)))
    func restart() async throws {
        let service = try PushServiceStandIn { _ in Response(status: 503, fields: [:], body: .bytes([])) }
        let folder = try folder(trusting: service)
        let server = try await RunningServer(in: folder, Self.trust)
        let subscriber = try service.subscriber()
        try await enroll(subscriber, at: server)
        try await ask(server)
        await service.awaitRequests(1)
        let saved = try await server.command(["backup", "copy.db"])
        #expect(saved.status == 0, "\(saved.errors)")
        #expect(await server.stop() == 0)
        let first = try #require(service.requests.first)
        _ = try service.claims(of: first, key: key(of: first), now: now)
        for command in [["restore", "copy.db", "--force"], ["key-exchange"]] {
            let result = try await Program.run(command, in: folder.url)
            #expect(result.status == 0, "\(command): \(result.errors)")
        }

        let before = service.requests.count
        service.answer(PushServiceStandIn.created)
        let again = try await RunningServer(in: folder, Self.trust)
        await service.awaitRequests(before + 1)
        let last = try #require(service.requests.last)
        _ = try service.claims(of: last, key: key(of: first), now: now)
        let text = try JSONReader.parse(try subscriber.decrypt(last.body).text)
        #expect(text["kind"] == "notification")
        #expect(text["txlnkid"]?.stringValue == last.fields["Topic"])
        #expect(await again.stop() == 0)
        await service.stop()
    }

    @Test(
        "RFC 8292 4.2: a push service that refuses the server's key is in both logs, and is not asked again",
        .timeLimit(.minutes(2)))
    func refusedKey() async throws {
        let service = try PushServiceStandIn { _ in Response(status: 403, fields: [:], body: .bytes([])) }
        let server = try await RunningServer(in: folder(trusting: service), Self.trust)
        try await enroll(service.subscriber(), at: server)
        try await ask(server)
        let reason = "the push service answered 403: it does not accept this server's key or contact"
        #expect(await server.program.errors.wait(for: "\(service.origin) answered 403"))
        var entries: [JSONValue] = []
        while entries.isEmpty {
            let list = try await server.command(["log", "list", "--type", "gd_send_pn_failure", "--json"])
            entries = try JSONReader.parse(list.output).arrayValue ?? []
        }
        #expect(entries.map { $0["details"]?["reason"]?.stringValue } == [reason])
        #expect(service.requests.count == 1)
        #expect(await server.stop() == 0)
        await service.stop()
    }
}
