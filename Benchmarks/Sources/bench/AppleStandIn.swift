import Workbench
import Glibc
import JOSE
import Load
import OpenSSLCrypto
import Primitives

/// Debian's nghttpd as Apple's push service: HTTP/2 over TLS, which accepts every message to its devices.
final class AppleStandIn {
    /// Certificate that the server has to trust.
    let authorityFile: String
    let address: String
    /// Key of the provider tokens, as Apple's developer site gives it.
    let keyFile: String
    let signer: OpenSSLSigner
    private let child: Child
    private let log: String?
    private let descriptor: Int32
    private var rest: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var counts: [String: Int] = [:]

    static let keyID = "ABC123DEFG"
    static let teamID = "DEF123GHIJ"
    static let bundleID = "com.example.bench"

    static var isInstalled: Bool { Child.isInstalled("nghttpd") && Child.isInstalled("h2load") }

    /// Number of a device as its token.
    static func token(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    /// With `notesReceipts`, notes the receipt of each message.
    init(folder: String, devices: Int, notesReceipts: Bool) throws {
        let authority = try LocalCA(folder: "\(folder)/ca", now: .current)
        let certificate = try authority.serverCertificate(names: ["localhost"], now: .current)
        authorityFile = authority.certificateFile
        signer = try OpenSSLSigner.generate(algorithm: .es256)
        keyFile = "\(folder)/AuthKey.p8"
        let key = Base64.encode(try signer.exportPKCS8().bytes)
        try writeFile(keyFile, "-----BEGIN PRIVATE KEY-----\n\(key)\n-----END PRIVATE KEY-----\n")
        let (chainFile, privateFile) = ("\(folder)/server.pem", "\(folder)/server.key")
        try writeFile(chainFile, String(decoding: certificate.certificatePEM, as: UTF8.self))
        try writeFile(privateFile, String(decoding: certificate.privateKeyPEM.bytes, as: UTF8.self))
        // nghttpd answers 200 for an existing file.
        for part in ["", "/3", "/3/device"] { try makeFolder("\(folder)/files\(part)") }
        for device in 0..<devices { try writeFile("\(folder)/files/3/device/\(Self.token(device))", "") }
        let port = try freePort()
        address = "https://localhost:\(port)"
        log = notesReceipts ? "\(folder)/nghttpd.log" : nil
        child = try Child(
            ["nghttpd", "-a", "127.0.0.1", "-d", "\(folder)/files", "-m", "1000"] + (notesReceipts ? ["-v"] : [])
                + [String(port), privateFile, chainFile], log: log)
        descriptor = log.map { open($0, O_RDONLY | O_CLOEXEC) } ?? -1
        guard waitUntilReachable(port: port, child: child, within: .seconds(5)) else {
            child.end()
            throw Failure("nghttpd did not start")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func stop() { child.end() }

    /// Messages to a device so far.
    func count(_ token: String) -> Int {
        while case let size = read(descriptor, &buffer, buffer.count), size > 0 { rest += buffer[..<size] }
        guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return counts[token] ?? 0 }
        let text = String(decoding: rest[...end], as: UTF8.self)
        rest.removeFirst(end + 1)
        let mark = ":path: /3/device/"
        for line in text.split(separator: "\n") where line.utf8.count > 64 + mark.utf8.count {
            guard line.dropLast(64).hasSuffix(mark) else { continue }
            counts[String(line.suffix(64)), default: 0] += 1
        }
        return counts[token] ?? 0
    }

    /// Time at which a device had that many messages, read within a tenth of a millisecond.
    func awaitReceipt(_ token: String, _ wanted: Int, within limit: Duration = .seconds(30)) throws -> UInt64 {
        let end = ContinuousClock.now + limit
        while count(token) < wanted {
            guard ContinuousClock.now < end else { throw Failure("nghttpd did not get a push to \(token)") }
            usleep(50)
        }
        return MonotonicClock.now
    }
}
