import Glibc
import MicroHTTPServer
import OpenSSLCrypto
public import Persistence
import Primitives
import SQL
import SQLiteDriver

/// A data folder, opened: the store, the master key and the certificates. Commands open one beside a running server.
public final class Installation: Sendable {
    public let store: Store
    let masterKey: MasterKey
    let sealer: AESGCMSealer
    let keys: SealedKeys
    /// What was made because it was missing, for people.
    public let made: [String]
    /// As it was given, perhaps relative to the working folder.
    public var dataFolder: String { settings.dataFolder }
    private let settings: ServerSettings
    private let database: SQLiteDatabase

    /// Makes what is missing: the folder, the master key and the database.
    public init(_ settings: ServerSettings) async throws {
        self.settings = settings
        var made: [String] = []
        if mkdir(settings.dataFolder, 0o700) == 0 { made.append("data folder \(settings.dataFolder)") }
        if let key = settings.masterKey {
            masterKey = key
        } else {
            let file = settings.masterKeyFile ?? settings.dataFolder + "/master.key"
            if settings.masterKeyFile == nil, access(file, F_OK) != 0 {
                try MasterKey.generate().createFile(file)
                made.append("master key \(file)")
            }
            masterKey = try MasterKey(file: file)
        }
        sealer = AESGCMSealer(masterKey: masterKey)
        keys = SealedKeys(sealer: sealer)
        let path = settings.dataFolder + "/countersign.db"
        if access(path, F_OK) != 0 { made.append("database \(path)") }
        database = try SQLiteDatabase(SQLiteConfiguration(path: path))
        _ = try await database.migrate(Schema.migrations(OpenSSLHashing()))
        store = Store(database: database, hashing: OpenSSLHashing())
        self.made = made
    }

    /// The file of the local authority's certificate, which clients must trust; nil unless TLS is local.
    public var authorityFile: String? {
        settings.tls == .local ? Self.authorityFile(folder: settings.dataFolder) : nil
    }

    /// Where a data folder has the certificate of its local authority, if it has one.
    public static func authorityFile(folder: String) -> String { folder + "/tls/ca.pem" }

    /// The certificate for every tenant's hosts.
    func tlsIdentity(hosts: [String]) throws -> TLSIdentity? {
        switch settings.tls {
        case .off: return nil
        case .files(let certificate, let key):
            return TLSIdentity(
                certificateChainPEM: try Self.text(of: certificate), privateKeyPEM: try Self.text(of: key))
        case .local:
            let authority = try LocalCA(folder: settings.dataFolder + "/tls", now: SystemClock().now)
            let names = hosts.map { $0.split(separator: ":").first.map(String.init) ?? $0 }
            let certificate = try authority.serverCertificate(
                names: ["localhost", "127.0.0.1", "::1"] + names, now: SystemClock().now)
            return TLSIdentity(
                certificateChainPEM: String(decoding: certificate.certificatePEM, as: UTF8.self),
                privateKeyPEM: String(decoding: certificate.privateKeyPEM.bytes, as: UTF8.self))
        }
    }

    static func text(of path: String) throws -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(path: path, number: errno) }
        defer { Glibc.close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw FileFailure(path: path, number: errno) }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    /// A file that could not be read.
    public struct FileFailure: Error, Sendable, CustomStringConvertible {
        let path: String
        let number: Int32

        public var description: String { "cannot read \(path): \(String(cString: strerror(number)))" }
    }

    public func close() async { await database.close() }
}
