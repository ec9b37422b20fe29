import CountersignServer
import Glibc
import Primitives
import Terminal

/// Contains the master key itself. There is no such option, since other users can see a process's options.
let masterKeyVariable = "COUNTERSIGN_MASTER_KEY"
/// Contains the password for the mail server, for the same reason.
let smtpPasswordVariable = "COUNTERSIGN_SMTP_PASSWORD"

extension ServerChoices {
    static let configurationFile = Option<String?>.optional(
        "config", .path, environment: "COUNTERSIGN_CONFIG",
        "JSON file with settings. Options and environment variables override it.")

    /// Settings that find the server's data folder, for commands that work on it.
    static let installationOptions = OptionGroup(
        Setting.storage.heading, Setting.storage.settings.map(\.declaration) + [configurationFile])

    /// Reads the given settings from the options, the environment and the file.
    init(_ invocation: Invocation, settings: [Setting]) throws(UsageError) {
        let file =
            if let path = try invocation[Self.configurationFile] { try SettingsFile(path: path) } else {
                SettingsFile?.none
            }
        for setting in settings { try setting.take(invocation, file, &self) }
        self.settings.fileWithPassword = file?.holderOfPassword
        if let text = invocation.environment[masterKeyVariable], !text.isEmpty {
            do { try self.settings.useMasterKey(text) } catch { throw UsageError("\(masterKeyVariable): \(error)") }
        }
        try joinTLS()
        try joinDevelopment()
        try joinMail(password: invocation.environment[smtpPasswordVariable])
    }

    private mutating func joinTLS() throws(UsageError) {
        switch (tls, tlsCertificate, tlsKey) {
        case (.files, let certificate?, let key?): settings.tls = .files(certificate: certificate, key: key)
        case (.files, _, _):
            throw UsageError("tls files needs a certificate and a key", hint: "set tls-certificate and tls-key")
        case (_, .some, _), (_, _, .some):
            throw UsageError("tls-certificate and tls-key need tls files, not \(tls.rawValue)")
        case (.local, nil, nil): settings.tls = .local
        case (.off, nil, nil):
            guard settings.isLoopback else {
                throw UsageError(
                    "tls off needs a loopback address, not \(settings.address): secrets would cross the network",
                    hint: "use 127.0.0.1 behind a proxy with TLS, or tls files")
            }
            settings.tls = .off
        }
        if settings.mtlsPort != nil, tls == .off {
            throw UsageError(
                "mtls-port needs TLS, but tls is off",
                hint: "let the proxy forward client certificates, and name it in certificate-proxies")
        }
    }

    private mutating func joinDevelopment() throws(UsageError) {
        guard let host = settings.developmentHost else { return }
        let isName =
            host.utf8.count <= 253
            && host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                    && label.allSatisfy {
                        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == UInt8(ascii: "-")
                    }
            }
        guard isName else {
            throw UsageError(
                "development-host must be a host name or an IPv4 address, not \"\(host)\"",
                hint: "without a scheme and a port, such as laptop.local")
        }
        guard settings.development else { throw UsageError("development-host needs development on") }
        settings.developmentHost = host.lowercased()
    }
}

/// Reads a file, of a longer one the first `limit` bytes. `-` is standard input.
func readFile(_ path: String, limit: Int = .max) throws(CommandFailure) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("cannot open \(path)", errno) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < limit {
        let count = read(descriptor, &buffer, min(buffer.count, limit - bytes.count))
        let number = errno
        if count > 0 {
            bytes.append(contentsOf: buffer[..<count])
        } else if count == 0 {
            return bytes
        } else if number != EINTR {
            throw .system("cannot read \(path)", number)
        }
    }
    return bytes
}

extension Invocation {
    /// Prints a result as JSON if the option `asJSON` is given, or else as a table.
    func show(_ value: @autoclosure () -> JSONValue, _ table: @autoclosure () -> Table, asJSON: Option<Bool>) throws {
        if try self[asJSON] { output.json(value()) } else { output.table(table()) }
    }
}

extension CommandFailure {
    /// `what` and the system's description of the error `number` (errno).
    static func system(_ what: String, _ number: Int32) -> CommandFailure {
        CommandFailure("\(what): \(String(cString: strerror(number)))")
    }
}
