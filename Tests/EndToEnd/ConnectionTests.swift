import CurlTransport
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Connections") struct ConnectionTests {
        @Test("The certificate verifies against the printed CA and no other")
        func certificate() async throws {
            let folder = try OwnFolder()
            let program = try await Program(
                ["serve", "--data", "data", "--port", "0", "--metrics-port", "none"], in: folder.url)
            let issuer = try await program.line { $0.contains("  issuer ") }.split(separator: " ").last
            let authority = try await program.line { $0.contains("  CA ") }.split(separator: " ").last
            _ = try await program.line { $0.hasPrefix("Countersign listens on ") }
            let request = ClientRequest(method: .get, url: try #require(issuer) + ".well-known/jwks.json")
            var configuration = CurlTransport.Configuration()
            configuration.trust = .file(folder.url.appending(path: String(try #require(authority))).path)
            #expect(try await CurlTransport(configuration).send(request).status == 200)
            let error = await #expect(throws: HTTPClientError.self) { try await CurlTransport().send(request) }
            guard case .untrusted = error else {
                Issue.record("another failure: \(String(describing: error))")
                return
            }
            program.send(SIGTERM)
            #expect(await program.status() == 0)
        }

        @Test("SIGTERM: a request in transfer is answered before the server ends")
        func graceful() async throws {
            let server = try await TestServer.start(options: ["--tls=off"])
            _ = try await TestPhone(user: 0, at: server)
            let (head, body) = Self.request(to: server, message: "The last one")
            let connection = try await RawConnection.open(to: server.port, sending: head)
            // The server read the head and waits for the body (RFC 9110 clause 10.1.1).
            #expect(try await connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100"))
            server.program.send(SIGTERM)
            try await eventually(within: .seconds(10)) { server.program.errors.soFar.contains("stopping") }
            try await connection.send(body)
            let answer = try await connection.receive()
            #expect(answer.contains("200 OK") && answer.contains("auth_req_id"), "\(answer)")
            #expect(await server.program.status() == 0)
            await #expect(throws: RawConnection.Failure.self) { try await RawConnection.open(to: server.port) }
        }

        @Test("SIGTERM: a server whose database hangs still ends within its limit, with a message")
        func force() async throws {
            let server = try await TestServer.start(options: ["--tls=off", "--stop-limit=1s"])
            _ = try await TestPhone(user: 0, at: server)
            let (head, body) = Self.request(to: server, message: "Never stored")
            let connection = try await RawConnection.open(to: server.port, sending: head)
            #expect(try await connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100"))
            // Another process keeps the database to itself. The server's writer waits five seconds for it.
            let lock = """
                import sqlite3, sys
                connection = sqlite3.connect("data/countersign.db", isolation_level=None)
                connection.execute("BEGIN IMMEDIATE")
                print("locked", flush=True)
                sys.stdin.read()
                """
            let other = try await Program(["-c", lock], of: "python3", in: server.folder, input: "")
            _ = try await other.line { $0 == "locked" }
            try await connection.send(body)
            let begun = ContinuousClock.now
            server.program.send(SIGTERM)
            #expect(await server.program.status() == 1)
            #expect(ContinuousClock.now - begun < .seconds(4))
            let errors = await server.program.errors.all()
            #expect(errors.contains("stopped by force"), "\(errors)")
            #expect(errors.contains("waiting_for=database") || errors.contains("waiting_for=background_work"))
        }

        @Test("Memory for unauthenticated requests is bounded, also over many connections")
        func memory() async throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let commands = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            let result = try await Program.run(
                [
                    root.appending(path: "scripts/hold-connections").path, "--connections", "200", "--bound", "100",
                    "--program", commands.appending(path: "countersign").path,
                ], of: "python3", in: FileManager.default.temporaryDirectory)
            #expect(result.status == 0, "\(result.output)\(result.errors)")
        }

        @Test("Slow or silent clients delay no other client and are disconnected", arguments: ["local", "off"])
        func slow(tls: String) async throws {
            let server = try await TestServer.start(
                options: ["--tls=\(tls)", "--head-timeout=3s", "--body-timeout=3s"])
            let phone = try await TestPhone(user: 0, at: server)
            let (head, body) = Self.request(to: server, message: "Never whole")
            // A ClientHello that says it is longer than it is; heads and a body that stop half-way.
            let beginnings =
                tls == "off"
                ? ["", String(head.dropLast(2)), "GET / HT", head + body.prefix(20)]
                : ["", "\u{16}\u{3}\u{1}", "\u{16}"]
            var stuck: [RawConnection] = []
            for beginning in beginnings {
                for _ in 0..<60 { stuck.append(try await RawConnection.open(to: server.port, sending: beginning)) }
            }
            try await within(.seconds(10), "requests beside \(stuck.count) slow clients") {
                let agent = try Agent(server)
                for number in 0..<20 {
                    let id = try await agent.started("Beside \(number)")
                    #expect(try await agent.poll(id).error == "authorization_pending")
                }
                for try await notified in try await phone.requests(over: agent.transport) {
                    #expect(try await phone.decide(notified, accept: true, over: agent.transport) == 204)
                    break
                }
            }
            // Each ends by itself, told why or not.
            for connection in stuck { _ = try await connection.receive() }
            // Nor does the phone's stream, which ended beside them, leave a connection that the stop would wait for.
            let clock = ContinuousClock()
            let stop = await clock.measure { await server.stop() }
            #expect(stop < .seconds(10), "what it would wait for at most")
        }

        /// A start whose head asks for leave to send the body.
        private static func request(to server: TestServer, message: String) -> (head: String, body: String) {
            let hint: JSONValue = ["format": "iss_sub", "iss": .string(server.issuer), "sub": "auth0|0"]
            let body = FormFields([
                ("client_id", TestServer.clientID), ("client_secret", TestServer.clientSecret), ("scope", "openid"),
                ("binding_message", message), ("login_hint", JSONWriter.string(hint)),
            ]).encoded
            let fields = [
                "POST /bc-authorize HTTP/1.1", "Host: \(server.host)", "Connection: close", "Expect: 100-continue",
                "Content-Type: application/x-www-form-urlencoded", "Content-Length: \(body.utf8.count)",
            ]
            return (fields.joined(separator: "\r\n") + "\r\n\r\n", body)
        }

        @Test("1,000 polls are held at once, and each gets its tokens when its request is allowed")
        func longPolls() async throws {
            let (users, each) = (10, 100)
            let server = try await TestServer.start(users: users, options: ["--max-connections-per-address=3000"])
            var phones: [TestPhone] = []
            for user in 0..<users { phones.append(try await TestPhone(user: user, at: server)) }
            let agent = try Agent(server)
            var requests: [String] = []
            for number in 0..<users * each {
                requests.append(try await agent.started("Poll \(number)", user: number % users))
            }
            try await within(.seconds(60), "1,000 held polls") { [requests, phones] in
                try await withThrowingTaskGroup(of: Agent.Answer?.self) { group in
                    for id in requests { group.addTask { try await agent.poll(id, wait: 50) } }
                    // A connection for each poll, and none for anything else.
                    try await eventually(within: .seconds(50)) { try server.establishedConnections() >= requests.count }
                    for phone in phones {
                        group.addTask {
                            let transport = try server.transport()
                            var answered = 0
                            for try await notified in try await phone.requests(over: transport) {
                                let status = try await phone.decide(notified, accept: true, over: transport)
                                #expect(status == 204)
                                answered += 1
                                if answered == each { break }
                            }
                            return nil
                        }
                    }
                    var tokens: Set<String> = []
                    for try await answer in group {
                        guard let answer else { continue }
                        #expect(answer.status == 200, "\(answer.json)")
                        tokens.insert(answer.json["refresh_token"]?.stringValue ?? "")
                    }
                    #expect(tokens.count == requests.count)
                }
            }
            await server.stop()
        }
    }
}
