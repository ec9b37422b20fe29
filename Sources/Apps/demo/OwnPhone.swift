import Foundation
import Glibc
import QRCodes
import Terminal

/// The demo's end: a server that the person's own phone can reach, and the address to open on it.
struct OwnPhone {
    let programs: URL
    let output: Output
    /// The end of the demo. Nil does not wait for it.
    let signals: AsyncStream<TerminationSignal>?

    func show() async throws {
        Demo.heading("11. Your own phone can do this, in its browser", output)
        let address = Self.address
        let server = try await ServerProcess(programs: programs, host: address)
        do {
            let installation = server.installation
            let link = try installation.enrollmentLink()
            output.line("The approver is a web app at \(installation.approver)")
            if address == nil {
                output.line("This machine is in no network, so only a browser on it can open the address.")
            }
            output.line("The phone must trust \(installation.authorityFile): see docs/phone-in-your-network.md.")
            output.line("This link enrols one phone, while this server runs:")
            output.line()
            output.raw(link)
            output.line()
            output.qrCode(try QRCode(link))
            if let signals {
                output.line("Press Ctrl-C to end the server.")
                for await _ in signals { break }
            }
        } catch {
            try? server.stop()
            throw error
        }
        try server.stop()
        output.line("The server has ended. make serve runs one that stays: make serve ARGS='--address 0.0.0.0 …'")
    }

    /// The address that this machine sends from. Nil without a network.
    private static var address: String? {
        let connection = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        guard connection >= 0 else { return nil }
        defer { close(connection) }
        // A datagram socket sends nothing when it is connected. The address is one for documents (RFC 5737).
        var remote = sockaddr_in()
        remote.sin_family = sa_family_t(AF_INET)
        remote.sin_port = in_port_t(9).bigEndian
        inet_pton(AF_INET, "192.0.2.1", &remote.sin_addr)
        var own = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = withUnsafePointer(to: &remote) { remote in
            remote.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(connection, $0, size) == 0 }
        }
        guard isKnown else { return nil }
        let isRead = withUnsafeMutablePointer(to: &own) { own in
            own.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(connection, $0, &size) == 0 }
        }
        guard isRead else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
        guard inet_ntop(AF_INET, &own.sin_addr, &text, socklen_t(text.count)) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
