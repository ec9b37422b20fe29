import COpenSSL
import JOSE
package import Primitives

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A certificate authority for development, kept in a folder, and the server certificate it issues.
///
/// `ca.pem` is what clients are told to trust. The folder holds its key, so whoever reads it can pose as any server
/// to them: both keys have mode 0600.
package struct LocalCA: Sendable {
    /// A name that is neither a DNS name nor an IP address.
    package struct NameFailure: Error, Sendable, Equatable, CustomStringConvertible {
        package let name: String

        package var description: String { "\"\(name)\" is neither a DNS name nor an IP address" }
    }

    /// A chain and key as a TLS server takes them.
    package struct ServerCertificate: Sendable {
        package let certificatePEM: [UInt8]
        package let privateKeyPEM: SecretBytes
        package let certificateFile: String
        package let keyFile: String
        /// False if what the folder held was still good.
        package let isNew: Bool
    }

    private static let authorityLifetime = Duration.seconds(3650 * 86_400)
    /// Apple's systems refuse longer ones from public authorities, and others may follow for private ones.
    private static let serverLifetime = Duration.seconds(397 * 86_400)
    private static let renewalMargin = Duration.seconds(30 * 86_400)
    /// For clients whose clocks are behind.
    private static let clockMargin = Duration.seconds(3600)

    private let folder: String
    private let certificate: Certificate
    private let key: KeyHandle

    /// The file that clients are told to trust.
    package var certificateFile: String { Self.path(folder, "ca.pem") }

    private static func path(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// Reads the authority in `folder`, or makes one where there is none or it ends within 14 months.
    /// - Throws: `FileFailure`, or `OpenSSLFailure` where the files are not what they should be.
    package init(folder: String, now: Timestamp) throws {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw FileFailure.system("create it", folder) }
        self.folder = folder
        (certificate, key) = try PrivateFile.locked(folder) {
            let certificateFile = Self.path(folder, "ca.pem")
            let keyFile = Self.path(folder, "ca-key.pem")
            // The key is written first: one without a certificate is what a crash leaves.
            if PrivateFile.exists(certificateFile) {
                let certificate = try Certificate(pem: PrivateFile.readPublic(certificateFile))
                let key = try KeyHandle(pem: PrivateFile.readSecret(keyFile))
                guard certificate.belongs(to: key) else {
                    throw FileFailure(path: certificateFile, problem: "it does not belong to \(keyFile)")
                }
                if certificate.isValid(at: now), certificate.isValid(at: now + Self.serverLifetime + Self.renewalMargin)
                {
                    return (certificate, key)
                }
            }
            let key = try KeyHandle(generating: .es256, rsaBits: 0)
            let certificate = try Self.makeAuthority(key, now: now)
            try PrivateFile.store(key.pkcs8PEM(), to: keyFile, mode: 0o600, .replacesExisting)
            try PrivateFile.store(SecretBytes(certificate.pem()), to: certificateFile, mode: 0o644, .replacesExisting)
            return (certificate, key)
        }
    }

    private static func makeAuthority(_ key: KeyHandle, now: Timestamp) throws -> Certificate {
        // Authorities of several folders are told apart by name: verifiers look an issuer up by it.
        let suffix = Hex.encode(SystemRandom().bytes(4))
        return try Certificate.make(
            CertificateContent(
                commonName: "Countersign development CA \(suffix)", notBefore: now - clockMargin,
                notAfter: now + authorityLifetime,
                extensions: [
                    (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
                    (NID_key_usage, "critical,keyCertSign,cRLSign"), (NID_subject_key_identifier, "hash"),
                    (NID_authority_key_identifier, "keyid:always"),
                ]),
            for: key)
    }

    /// The certificate for a server with these DNS names and IP addresses. What the folder holds is used again unless
    /// it ends within 30 days, is for other names or was not issued by this authority.
    ///
    /// OpenSSL and GnuTLS match no wildcard right under a top-level name: for hosts such as `a.localhost` give each.
    /// - Throws: `NameFailure`, `FileFailure` or `OpenSSLFailure`.
    package func serverCertificate(names: [String], now: Timestamp) throws -> ServerCertificate {
        let certificateFile = Self.path(folder, "server.pem")
        let keyFile = Self.path(folder, "server-key.pem")
        let alternativeNames = try Self.alternativeNames(names)
        return try PrivateFile.locked(folder) {
            if let (known, knownKey) = try readServer(certificateFile, keyFile),
                try isUsable(known, knownKey, alternativeNames, now: now)
            {
                return try ServerCertificate(
                    certificatePEM: known.pem(), privateKeyPEM: knownKey.pkcs8PEM(),
                    certificateFile: certificateFile, keyFile: keyFile, isNew: false)
            }
            let key = try KeyHandle(generating: .es256, rsaBits: 0)
            let certificate = try Certificate.make(
                CertificateContent(
                    commonName: "Countersign development server", notBefore: now - Self.clockMargin,
                    notAfter: now + Self.serverLifetime,
                    extensions: [
                        (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                        (NID_ext_key_usage, "serverAuth"), (NID_subject_key_identifier, "hash"),
                        (NID_authority_key_identifier, "keyid:always"), (NID_subject_alt_name, alternativeNames),
                    ]),
                for: key, issuer: (self.certificate, self.key))
            let made = try ServerCertificate(
                certificatePEM: certificate.pem(), privateKeyPEM: key.pkcs8PEM(), certificateFile: certificateFile,
                keyFile: keyFile, isNew: true)
            try PrivateFile.store(made.privateKeyPEM, to: keyFile, mode: 0o600, .replacesExisting)
            try PrivateFile.store(
                SecretBytes(made.certificatePEM), to: certificateFile, mode: 0o644, .replacesExisting)
            return made
        }
    }

    /// Nil if a file is missing or unreadable as what it should be: a new certificate replaces it.
    private func readServer(_ certificateFile: String, _ keyFile: String) throws -> (Certificate, KeyHandle)? {
        guard PrivateFile.exists(certificateFile), PrivateFile.exists(keyFile) else { return nil }
        let certificatePEM = try PrivateFile.readPublic(certificateFile)
        let keyPEM = try PrivateFile.readSecret(keyFile)
        guard let certificate = try? Certificate(pem: certificatePEM), let key = try? KeyHandle(pem: keyPEM) else {
            return nil
        }
        return (certificate, key)
    }

    private func isUsable(
        _ certificate: Certificate, _ key: KeyHandle, _ alternativeNames: String, now: Timestamp
    ) throws(OpenSSLFailure) -> Bool {
        let wanted = Certificate(taking: try openSSL("make a certificate", X509_new()))
        let made = try Certificate.makeExtension(NID_subject_alt_name, alternativeNames, subject: nil, issuer: nil)
        defer { X509_EXTENSION_free(made) }
        try withExtendedLifetime(wanted) { () throws(OpenSSLFailure) in
            try openSSL("make a certificate", X509_add_ext(wanted.pointer, made, -1))
        }
        return certificate.belongs(to: key) && certificate.isSigned(by: self.key)
            && certificate.isValid(at: now) && certificate.isValid(at: now + Self.renewalMargin)
            && certificate.content(ofExtension: NID_subject_alt_name)
                == wanted.content(ofExtension: NID_subject_alt_name)
    }

    /// The names in OpenSSL's textual form, each checked so that it cannot carry that form's commas.
    private static func alternativeNames(_ names: [String]) throws(NameFailure) -> String {
        guard !names.isEmpty else { throw NameFailure(name: "") }
        var entries: [String] = []
        for name in names {
            if isAddress(name) {
                entries.append("IP:\(name)")
            } else if isDNSName(name) {
                entries.append("DNS:\(name.lowercased())")
            } else {
                throw NameFailure(name: name)
            }
        }
        return entries.joined(separator: ",")
    }

    private static func isAddress(_ name: String) -> Bool {
        // Digits, dots, colons and A to F: nothing that the textual form would read as more.
        let isPlain = name.utf8.allSatisfy { byte in
            (0x2E...0x3A).contains(byte) && byte != 0x2F || (0x61...0x66).contains(byte | 0x20)
        }
        guard isPlain, let address = a2i_IPADDRESS(name)
        else {
            ERR_clear_error()
            return false
        }
        ASN1_OCTET_STRING_free(address)
        return true
    }

    /// Letters, digits and hyphens in labels of 1 to 63 (RFC 1123 clause 2.1), perhaps under a wildcard label.
    private static func isDNSName(_ name: String) -> Bool {
        let plain = name.hasPrefix("*.") ? name.dropFirst(2) : name[...]
        guard (1...253).contains(name.utf8.count) else { return false }
        return plain.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "-")
                }
        }
    }
}
