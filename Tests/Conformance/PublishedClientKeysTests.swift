import AuthorizationCore
import HTTPModel
import JOSE
import Primitives
import Synchronization
import TestSupport
import Testing

/// The jwks_uri of the client `signing`.
private final class KeyHost: Sendable {
    private struct State {
        var response = Response(status: 404)
        var count = 0
        var held: [CheckedContinuation<Void, Never>] = []
        var holds = false
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    func publish(_ keys: [JWK]) {
        answer(Response(status: 200, body: .bytes(JSONWriter.bytes(JWKSet(keys: keys).json))))
    }
    func answer(_ response: Response) { state.withLock { $0.response = response } }

    /// Delays all answers until `release`.
    func hold() { state.withLock { $0.holds = true } }

    func release() {
        let held = state.withLock { state in
            state.holds = false
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    func handle(_ request: Request) async -> Response {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                state.count += 1
                if state.holds { state.held.append(continuation) }
                return state.holds
            }
            if !isHeld { continuation.resume() }
        }
        return state.withLock { $0.response }
    }
}

@Suite("RFC 7591 2: client keys at jwks_uri")
struct PublishedClientKeysTests {
    private let host = KeyHost()

    private func fixture() async throws -> InProcessServer {
        let client = try Samples.signingClient { client in
            client.credentials = []
            client.jwksURI = EndpointURL("https://client.example/keys")
        }
        return try await InProcessServer { [host] setup in
            setup.clients = [client]
            setup.http = HandlerClient(["https://client.example": { await host.handle($0) }])
        }
    }

    private func key(_ name: String) throws -> any Signer { try Keys.signer(.es256, "published \(name)", keyID: name) }

    private func ask(_ server: InProcessServer, _ name: String, _ identifier: String) async throws -> Int {
        let assertion = try Samples.assertion(signer: key(name), at: server.clock.now, identifier: identifier)
        return await server.send(.form("/oauth/revoke", Samples.proof(assertion).merging(["token": "x"]) { $1 })).status
    }

    @Test("Keys are fetched once and cached; an unknown kid causes a new fetch")
    func rotation() async throws {
        let server = try await fixture()
        host.publish([try key("one").publicKey])
        #expect(try await ask(server, "one", "1") == 200)
        #expect(try await ask(server, "one", "2") == 200)
        #expect(host.count == 1)
        host.publish([try key("two").publicKey])
        server.advance(.seconds(30))
        #expect(try await ask(server, "two", "3") == 200)
        #expect(host.count == 2)
        #expect(try await ask(server, "one", "4") == 401, "it is not published any more")
    }

    @Test("A withdrawn key is refused after 5 minutes")
    func withdrawn() async throws {
        let server = try await fixture()
        host.publish([try key("one").publicKey])
        #expect(try await ask(server, "one", "1") == 200)
        host.publish([try key("two").publicKey])
        server.advance(.seconds(299))
        #expect(try await ask(server, "one", "2") == 200)
        server.advance(.seconds(1))
        #expect(try await ask(server, "one", "3") == 401)
    }

    @Test("Invented key ids do not cause repeated fetches")
    func cooldown() async throws {
        let server = try await fixture()
        host.publish([try key("one").publicKey])
        #expect(try await ask(server, "one", "1") == 200)
        for number in 0..<10 { #expect(try await ask(server, "made-up", "x\(number)") == 401) }
        #expect(host.count == 1)
        server.advance(.seconds(30))
        for number in 0..<10 { #expect(try await ask(server, "made-up", "y\(number)") == 401) }
        #expect(host.count == 2)
    }

    @Test("Concurrent requests share one fetch")
    func singleFlight() async throws {
        let server = try await fixture()
        host.publish([try key("one").publicKey])
        host.hold()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<8 { group.addTask { try await ask(server, "one", "\(number)") } }
            while host.count == 0 { await Task.yield() }
            host.release()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 8))
        #expect(host.count == 1)
    }

    @Test("If a fetch fails, cached keys stay valid for an hour")
    func unavailable() async throws {
        let server = try await fixture()
        host.publish([try key("one").publicKey])
        #expect(try await ask(server, "one", "1") == 200)
        host.answer(Response(status: 503))
        server.advance(.seconds(3599))
        #expect(try await ask(server, "one", "2") == 200)
        server.advance(.seconds(1))
        #expect(try await ask(server, "one", "3") == 401)
    }

    @Test("An answer that is too large or not a key set gives no keys", arguments: 0..<5)
    func badAnswers(index: Int) async throws {
        let server = try await fixture()
        let good = JSONWriter.string(JWKSet(keys: [try key("one").publicKey]).json)
        let answers = [
            Response(status: 404, body: .bytes(Array(good.utf8))),
            Response(status: 302, fields: ["Location": "https://client.example/other"], body: .bytes(Array(good.utf8))),
            Response(status: 200, body: .bytes(Array("[]".utf8))),
            Response(status: 200, body: .bytes(Array("<html>".utf8))),
            Response(status: 200, body: .bytes(Array((good + String(repeating: " ", count: 65_536)).utf8))),
        ]
        host.answer(answers[index])
        #expect(try await ask(server, "one", "1") == 401)
        #expect(server.log.lines.contains { $0.hasPrefix("client keys https://client.example/keys") })
    }
}
