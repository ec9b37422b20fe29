package import Flows
package import Primitives

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Writes mails into a folder instead of sending them, for development. Files sort by time and have mode 0600, since a
/// mail may hold a link that logs its reader in.
package struct MailFolder: MailTransport {
    private let path: String
    private let from: MailAddress

    /// Creates the folder, mode 0700, with the first mail.
    package init(_ path: String, from: MailAddress) {
        self.path = path
        self.from = from
    }

    package func check() async throws(MailFailure) { try make() }

    private func make() throws(MailFailure) {
        if mkdir(path, 0o700) != 0 {
            let number = errno
            guard number == EEXIST else { throw Self.failure("make the folder \(path)", number) }
        }
    }

    package func send(_ finished: FinishedMail, now: Timestamp) async throws(MailFailure) {
        guard let to = MailAddress(finished.to) else { throw .refused("the recipient's address cannot be sent to") }
        let message = MailMessage(from: from, to: to, finished: finished, date: now).bytes(.eightBit)
        try make()
        let file = "\(path)/\(now.iso8601.filter { $0.isNumber })-\(finished.id).eml"
        // An existing file is the same mail, which could not be removed from the store.
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("write \(file)", errno) }
        defer { close(descriptor) }
        var written = 0
        while written < message.count {
            let count = message.withUnsafeBytes { bytes in
                write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
            }
            let number = errno
            if count < 0, number == EINTR { continue }
            guard count > 0 else { throw Self.failure("write \(file)", number) }
            written += count
        }
    }

    private static func failure(_ operation: String, _ number: Int32) -> MailFailure {
        .failed("cannot \(operation): \(String(cString: strerror(number)))")
    }
}
