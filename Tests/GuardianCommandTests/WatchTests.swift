import Foundation
import Guardian
@testable import GuardianCommand
import GuardianWire
import HTTPModel
import Primitives
import Synchronization
import Terminal
import Testing

@Suite("guardian watch: when the network fails")
struct WatchTests {
    let home = Home()

    @Test("A CA that nobody can read, and a server that is not trusted, end the watch with what to change")
    func untrusted() async throws {
        let server = FakeServer()
        #expect(await home.enroll(on: server) == 0)
        server.fail("/api/notifications", with: .untrusted("the CA's certificates could not be read: x. Name it."))
        let (status, screen) = await home.run(["watch", "--answer", "allow", "--count", "1"], on: server)
        #expect(status == 1)
        #expect(screen.diagnostics == "error: the CA's certificates could not be read: x. Name it.\n")
    }

    @Test("A failure that may pass is told in sentences, with one full stop each")
    func interrupted() async throws {
        let server = FakeServer([FakeServer.request(1)])
        #expect(await home.enroll(on: server) == 0)
        server.fail("/api/notifications", with: .cannotConnect("Nothing listens. Start it."))
        let (status, screen) = await home.run(["watch", "--answer", "allow", "--count", "1"], on: server)
        #expect(status == 0)
        #expect(screen.diagnostics.contains("warning: Nothing listens. Start it. Trying again in 1s.\n"))
    }
}
