import Foundation
@testable import GuardianCommand
import GuardianWire
import Primitives
import Terminal
import Testing

@Suite("guardian code")
struct CodeCommandTests {
    let home = Home()

    /// The secret of RFC 6238, appendix B.
    static func server() throws -> FakeServer {
        FakeServer(totp: try TOTPParameters(secret: Base32.encode(Array("12345678901234567890".utf8))))
    }

    private func code(
        at seconds: Double, _ more: String..., environment: [String: String] = [:]
    ) async -> (status: Int32, screen: Screen) {
        let screen = Screen()
        let command = codeCommand { Date(timeIntervalSince1970: seconds) }
        let status = await command.run(
            arguments: ["--store", home.store] + more, environment: environment, output: screen.output())
        return (status, screen)
    }

    @Test(
        "RFC 6238 appendix B: the password of the moment, alone on standard output, and how long it is good for",
        arguments: [(59.0, "287082", "1s"), (60, "359152", "30s"), (1_111_111_109.5, "081804", "1s")])
    func shown(at seconds: Double, code expected: String, left: String) async throws {
        #expect(await home.enroll(on: try Self.server()) == 0)
        let (status, screen) = await code(at: seconds)
        #expect(status == 0)
        #expect(screen.standard == "\(expected)\n")
        #expect(screen.diagnostics == "It changes in \(left).\n")
    }

    @Test(
        "The note beside the password is in the person's language",
        arguments: [("de", "Er wechselt"), ("fr", "Il change")])
    func language(tag: String, beginning: String) async throws {
        #expect(await home.enroll(on: try Self.server()) == 0)
        #expect(await code(at: 59, environment: ["LANG": "\(tag).UTF-8"]).screen.diagnostics.hasPrefix(beginning))
    }

    @Test("--json has the password and the seconds that are left")
    func json() async throws {
        #expect(await home.enroll(on: try Self.server()) == 0)
        let (status, screen) = await code(at: 59, "--json", "--device", "dev_1")
        #expect(status == 0)
        #expect(screen.standard == #"{"code":"287082","seconds_left":1}"# + "\n")
        #expect(screen.diagnostics.isEmpty)
    }

    @Test("A phone without one-time passwords, and one that is not enrolled, say so")
    func nothing() async throws {
        #expect(await code(at: 59).screen.diagnostics.contains("guardian enroll URI enrols it"))
        #expect(await home.enroll(on: FakeServer()) == 0)
        let (status, screen) = await code(at: 59)
        #expect(status == 1)
        #expect(screen.diagnostics.contains("the server gave dev_1 no one-time passwords"))
    }

    @Test("The program knows the command")
    func known() async throws {
        let server = try Self.server()
        #expect(await home.enroll(on: server) == 0)
        let (status, screen) = await home.run(["code"], on: server)
        #expect(status == 0)
        #expect(screen.standard.count == 7)
    }
}
