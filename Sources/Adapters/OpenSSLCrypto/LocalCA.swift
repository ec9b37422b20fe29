import COpenSSL
import JOSE
import Files
package import Primitives

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A certificate authority for development, stored in a folder, and the server certificate that it issues.
///
/// Clients must trust `ca.pem`. A reader of the folder's authority key could pose as any server to them, so both keys
/// have mode 0600.
package struct LocalCA: Sendable {
    /// A name that is neither a DNS name nor an IP address.
    package struct NameFailure: Error, Sendable, Equatable, CustomStringConvertible {
        package let name: String

        package var description: String { "\"\(name)\" is neither a DNS name nor an IP address" }
    }

    /// Certificate chain and key for a TLS server.
    package struct ServerCertificate: Sendable {
        package let certificatePEM: [UInt8]
        package let privateKeyPEM: SecretBytes
        package let certificateFile: String
        package let keyFile: String
        /// False if the stored certificate was still usable.
        package let isNew: Bool
    }

    private static let authorityLifetime = Duration.seconds(3650 * 86_400)
    /// Apple's systems refuse longer lifetimes from public authorities, and may do so for private ones.
    private static let serverLifetime = Duration.seconds(397 * 86_400)
    private static let renewalMargin = Duration.seconds(30 * 86_400)
    /// Tolerates clients whose clocks are slow.
    private static let clockMargin = Duration.seconds(3600)

    private let folder: String
    private let certificate: Certificate
    private let key: KeyHandle

    /// Path of the certificate that clients must trust.
    package var certificateFile: String { Self.path(folder, "ca.pem") }

    private static func path(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// Reads the authority in `folder`. Makes a new one if there is none or it expires within 14 months.
    /// - Throws: `FileFailure`, or `OpenSSLFailure` for malformed files.
    package init(folder: String, now: Timestamp) throws {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw FileFailure("cannot create \(folder)") }
        self.folder = folder
        (certificate, key) = try Folder(folder).locked {
            let certificateFile = Self.path(folder, "ca.pem")
            let keyFile = Self.path(folder, "ca-key.pem")
            // The key is written first, so a crash can leave a key without a certificate.
            if PrivateFile.exists(certificateFile) {
                let certificate = try Certificate(pem: PrivateFile.readPublic(certificateFile))
                let key = try KeyHandle(pem: PrivateFile.readSecret(keyFile))
                guard certificate.belongs(to: key) else {
                    throw FileFailure("\(certificateFile) does not belong to \(keyFile)", number: 0)
                }
                if certificate.isValid(at: now), certificate.isValid(at: now + Self.serverLifetime + Self.renewalMargin)
                {
                    return (certificate, key)
                }
            }
            let key = try KeyHandle(generating: .es256, rsaBits: 0)
            let certificate = try Self.makeAuthority(key, now: now)
            try PrivateFile.store(key.pkcs8PEM(), to: keyFile, mode: 0o600)
            try PrivateFile.store(SecretBytes(certificate.pem()), to: certificateFile, mode: 0o644)
            return (certificate, key)
        }
    }

    private static func makeAuthority(_ key: KeyHandle, now: Timestamp) throws -> Certificate {
        // Distinguishes the authorities of several folders, since verifiers look up issuers by name.
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

    /// Returns the certificate for a server with these DNS names and IP addresses. Reuses the stored one unless it
    /// expires within 30 days, has other names or was not issued by this authority.
    ///
    /// OpenSSL and GnuTLS match no wildcard directly under a top-level name: name hosts such as `a.localhost` singly.
    /// - Throws: `NameFailure`, `FileFailure` or `OpenSSLFailure`.
    package func serverCertificate(names: [String], now: Timestamp) throws -> ServerCertificate {
        let certificateFile = Self.path(folder, "server.pem")
        let keyFile = Self.path(folder, "server-key.pem")
        let alternativeNames = try Self.alternativeNames(names)
        return try Folder(folder).locked {
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
            try PrivateFile.store(made.privateKeyPEM, to: keyFile, mode: 0o600)
            try PrivateFile.store(SecretBytes(made.certificatePEM), to: certificateFile, mode: 0o644)
            return made
        }
    }

    /// Nil if a file is missing or malformed, so that a new certificate replaces it.
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

    /// Writes the names in OpenSSL's textual form. Refuses names that could contain its commas.
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
        // Only digits, dots, colons and A to F, none of which is special in the textual form.
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

    /// Accepts letters, digits and hyphens in labels of `1...63` (RFC 1123 clause 2.1), optionally under a wildcard
    /// label.
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
