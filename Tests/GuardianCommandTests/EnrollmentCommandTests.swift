import Foundation
import Guardian
@testable import GuardianCommand
import GuardianWire
import HTTPModel
import Primitives
import Terminal
import Testing

@Suite("guardian: enrolments")
struct EnrollmentCommandTests {
    let home = Home()
    let server = FakeServer()

    @Test("enroll uses the URI's server and ticket, and keeps the key in a file of mode 0600")
    func enroll() async throws {
        #expect(await home.enroll(on: server) == 0)
        let request = try #require(server.requests.first)
        #expect(request.url == "https://id.example.org/appliance-mfa/api/enroll")
        #expect(request.fields["Authorization"] == #"Ticket id="ticket""#)
        let body = try EnrollmentRequest(parsing: try #require(request.body))
        #expect(body.name == "Laptop")
        #expect(body.pushCredentials == nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: home.store)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let device = try await home.device()
        #expect(try device.signingKey.verificationKey().deviceIdentifier == device.localIdentifier)
    }

    @Test("A link of the web app enrols this phone at its server")
    func approverLink() async throws {
        let (status, _) = await home.run(
            ["enroll", "https://id.example.org:8443/approver#enroll=a-ticket_1&account=ann%40example.org"], on: server)
        #expect(status == 0)
        let request = try #require(server.requests.first)
        #expect(request.url == "https://id.example.org:8443/appliance-mfa/api/enroll")
        #expect(request.fields["Authorization"] == #"Ticket id="a-ticket_1""#)
        for wrong in ["http://id.example.org/approver#enroll=a", "https://id.example.org/approver#enroll=a%2Fb"] {
            #expect(await home.run(["enroll", wrong], on: server).status == 2)
        }
    }

    @Test("devices shows neither key nor token")
    func devices() async throws {
        #expect(await home.enroll(on: server) == 0)
        let key = try #require(try await home.device().signingKey as? P256PrivateKey).data
        for arguments in [["devices"], ["devices", "--json"]] {
            let (status, screen) = await home.run(arguments, on: server)
            #expect(status == 0)
            #expect(screen.standard.contains("dev_1") && screen.standard.contains("Laptop"))
            #expect(!screen.standard.contains("secret-token"))
            #expect(!screen.standard.contains(key.base64EncodedString()))
        }
    }

    @Test("A store that others can read is refused, and so is a damaged one")
    func permissions() async throws {
        #expect(await home.enroll(on: server) == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: home.store)
        let (status, screen) = await home.run(["devices"], on: server)
        #expect(status == 1)
        #expect(screen.diagnostics.contains("chmod 600"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: home.store)
        try Data("{".utf8).write(to: URL(filePath: home.store))
        #expect(await home.run(["devices"], on: server).status == 1)
    }

    @Test("guardian says its version, and is completed in every shell", arguments: Command.Shell.allCases)
    func program(shell: Command.Shell) async throws {
        #expect(await home.run(["--version"], on: server).screen.standard == "guardian \(Release.version)\n")
        let (status, screen) = await home.run(["completions", shell.rawValue], on: server)
        #expect(status == 0)
        #expect(screen.standard.contains("guardian"))
        func completed(_ words: String...) async throws -> [String] {
            let (status, screen) = await home.run(["completions", shell.rawValue, "--"] + words, on: server)
            #expect(status == 0)
            return screen.standard.split(separator: "\n").map(String.init)
        }
        #expect(try await completed("unen") == ["unenroll"])
        #expect(try await completed("watch", "--an") == ["--answer"])
        #expect(try await completed("comp") == ["completions"])
    }

    @Test("A ticket may be typed in the groups that its page shows")
    func typedTicket() async throws {
        let (status, screen) = await home.run(
            ["enroll", "n2xq 0DkT  rCf", "--domain", "id.example.org", "--name", "Desk"], on: server)
        #expect(status == 0, "\(screen.diagnostics)")
        #expect(server.requests.last?.fields["Authorization"] == "Ticket id=\"n2xq0DkTrCf\"")
    }

    @Test("The link of a mail enrols, and names its server")
    func mailedLink() async throws {
        let (status, screen) = await home.run(
            ["enroll", "https://id.example.org/guardian/enroll?ticket=n2xq0DkTrCf", "--name", "Desk"], on: server)
        #expect(status == 0, "\(screen.diagnostics)")
        #expect(server.requests.last?.fields["Authorization"] == "Ticket id=\"n2xq0DkTrCf\"")
    }

    @Test("A ticket alone needs the domain; without a store that can be written, the ticket is not used up")
    func refusals() async throws {
        #expect(await home.run(["enroll", "ticket"], on: server).status == 2)
        let (status, _) = await home.run(
            ["enroll", "ticket", "--domain", "id.example.org", "--store", "/proc/none/devices.json"], on: server)
        #expect(status == 1)
        #expect(server.requests.isEmpty)
    }

    @Test(
        "Input that is neither a code nor a ticket is refused with the reason, before any question",
        arguments: [
            ("not a code", "URI is neither the text of an enrolment's QR code nor a ticket"),
            ("https://id.example.org/u/login?ticket=x", "URI is the address of a page: open it"),
            ("https://id.example.org/guardian/enroll?ticket=", "URI is the address of a page: open it"),
            ("otpauth://hotp/a?enrollment_tx_id=x", "URI is a code of another type than totp"),
            ("otpauth://totp/a?secret=ABC", "URI has no enrollment_tx_id: it is for an authenticator app"),
            ("otpauth://totp/a%2?enrollment_tx_id=x", "URI is damaged: a percent escape is broken"),
            ("otpauth://totp/a?enrollment_tx_id=x&digits=six", "URI has a digits that is not a number"),
            ("ticket", "--domain is required: a ticket alone does not name its server"),
            ("otpauth://totp/a?enrollment_tx_id=x", "--domain is required: the code does not name its server"),
        ])
    func noCode(text: String, problem: String) async throws {
        let (status, screen) = await home.run(["enroll", text], on: server)
        #expect(status == 2)
        #expect(screen.diagnostics.contains(problem), "\(screen.diagnostics)")
        if text.contains(":"), !problem.hasPrefix("--domain") {
            #expect(await home.run(["enroll", text, "--domain", "id.example.org"], on: server).status == 2)
        }
        #expect(server.requests.isEmpty)
    }

    @Test("rename tells the server and the store; unenroll deletes both")
    func renameAndUnenroll() async throws {
        #expect(await home.enroll(on: server) == 0)
        #expect(await home.run(["rename", "Desk"], on: server).status == 0)
        #expect(server.requests.last?.method == .patch)
        #expect(
            server.requests.last?.body.map { String(decoding: $0, as: UTF8.self) }
                == #"{"name":"Desk","capabilities":["signed-digest","number-matching","number-typing","one-time-code"]}"#
        )
        #expect(try await FileDeviceStore(path: home.store).devices().map(\.name) == ["Desk"])
        #expect(await home.run(["unenroll"], on: server).status == 0)
        #expect(server.requests.last?.method == .delete)
        #expect(try await FileDeviceStore(path: home.store).devices().isEmpty)
        let (status, screen) = await home.run(["rename", "X"], on: server)
        #expect(status == 1)
        #expect(screen.diagnostics.contains("not enrolled"))
    }
}
