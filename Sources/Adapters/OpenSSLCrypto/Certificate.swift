import COpenSSL
import Primitives

/// Owns an X.509 certificate (RFC 5280), immutable once complete.
final class Certificate: Sendable {
    /// Never changed once the certificate is complete.
    nonisolated(unsafe) let pointer: OpaquePointer

    init(taking pointer: OpaquePointer) { self.pointer = pointer }

    deinit { X509_free(pointer) }

    convenience init(pem: [UInt8]) throws(OpenSSLFailure) {
        let source = try openSSL("read a certificate", BIO_new_mem_buf(pem, Int32(clamping: pem.count)))
        defer { BIO_free(source) }
        self.init(taking: try openSSL("read a certificate", PEM_read_bio_X509(source, nil, { _, _, _, _ in -1 }, nil)))
    }

    func pem() throws(OpenSSLFailure) -> [UInt8] {
        let memory = try openSSL("write a certificate", BIO_new(BIO_s_mem()))
        defer { BIO_free(memory) }
        try openSSL("write a certificate", PEM_write_bio_X509(memory, pointer))
        return Array(memory.memoryContents)
    }

    func der() throws(OpenSSLFailure) -> [UInt8] {
        var output: UnsafeMutablePointer<UInt8>?
        let count = Int(i2d_X509(pointer, &output))
        guard count > 0, let output else { throw .last("write a certificate") }
        defer { CRYPTO_free(output, #file, #line) }
        return Array(UnsafeBufferPointer(start: output, count: count))
    }

    /// True if the certificate is valid at `moment`, including its last second.
    func isValid(at moment: Timestamp) -> Bool {
        var time = Int(moment.seconds)
        return X509_cmp_time(X509_get0_notBefore(pointer), &time) < 0
            && X509_cmp_time(X509_get0_notAfter(pointer), &time) > 0
    }

    func belongs(to key: KeyHandle) -> Bool {
        defer { ERR_clear_error() }
        return X509_check_private_key(pointer, key.pointer) == 1
    }

    func isSigned(by key: KeyHandle) -> Bool {
        defer { ERR_clear_error() }
        return X509_verify(pointer, key.pointer) == 1
    }

    /// Content of an extension. Nil means that there is none.
    func content(ofExtension id: Int32) -> [UInt8]? {
        let index = X509_get_ext_by_NID(pointer, id, -1)
        guard index >= 0, let found = X509_get_ext(pointer, index), let data = X509_EXTENSION_get_data(found) else {
            return nil
        }
        return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(data), count: Int(ASN1_STRING_length(data))))
    }
}

struct CertificateContent {
    var commonName: String
    var notBefore: Timestamp
    var notAfter: Timestamp
    /// Extensions in OpenSSL's textual form. The form has a syntax, so values must be constants or of a checked
    /// alphabet.
    var extensions: [(id: Int32, value: String)]
}

extension Certificate {
    private static let operation = "make a certificate"

    /// Makes a certificate for `key`, signed by `issuer`. Nil makes it self-signed.
    static func make(
        _ content: CertificateContent, for key: KeyHandle, issuer: (certificate: Certificate, key: KeyHandle)? = nil,
        algorithm: SigningMethod = .sha256
    ) throws(OpenSSLFailure) -> Certificate {
        let certificate = Certificate(taking: try openSSL(operation, X509_new()))
        let pointer = certificate.pointer
        // Version 3 is written as 2 (RFC 5280 clause 4.1.2.1).
        try openSSL(operation, X509_set_version(pointer, 2))
        try setSerialNumber(of: pointer)
        try setTime(X509_set1_notBefore, pointer, content.notBefore)
        try setTime(X509_set1_notAfter, pointer, content.notAfter)
        let subject = X509_get_subject_name(pointer)
        let name = Array(content.commonName.utf8)
        // MBSTRING_UTF8 is a macro that Swift does not see.
        let utf8 = MBSTRING_FLAG
        try openSSL(
            operation, X509_NAME_add_entry_by_NID(subject, NID_commonName, utf8, name, Int32(name.count), -1, 0))
        let issuerCertificate = issuer?.certificate.pointer ?? pointer
        try openSSL(operation, X509_set_issuer_name(pointer, X509_get_subject_name(issuerCertificate)))
        try openSSL(operation, X509_set_pubkey(pointer, key.pointer))
        for (id, value) in content.extensions {
            let made = try makeExtension(id, value, subject: pointer, issuer: issuerCertificate)
            defer { X509_EXTENSION_free(made) }
            try openSSL(operation, X509_add_ext(pointer, made, -1))
        }
        try sign(pointer, with: issuer?.key ?? key, algorithm)
        return certificate
    }

    /// Signature algorithm of the issuer.
    enum SigningMethod {
        case sha256, sha384, sha512, pssSHA256, pssSHA384
        /// Ed25519, which hashes by itself.
        case ed25519
    }

    private static func sign(
        _ certificate: OpaquePointer, with key: KeyHandle, _ method: SigningMethod
    ) throws(OpenSSLFailure) {
        let digest: DigestMethod? =
            switch method {
            case .sha256, .pssSHA256: .of(.sha256)
            case .sha384, .pssSHA384: .of(.sha384)
            case .sha512: .of(.sha512)
            case .ed25519: nil
            }
        let context = try openSSL(operation, EVP_MD_CTX_new())
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?
        try openSSL(operation, EVP_DigestSignInit(context, &keyContext, digest?.pointer, nil, key.pointer))
        switch method {
        case .pssSHA256, .pssSHA384:
            try openSSL(operation, EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING))
            try openSSL(operation, EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, Int32(digest?.size ?? 0)))
        case .sha256, .sha384, .sha512, .ed25519: break
        }
        // Returns the signature's length on success.
        guard X509_sign_ctx(certificate, context) > 0 else { throw .last(operation) }
    }

    static func makeExtension(
        _ id: Int32, _ value: String, subject: OpaquePointer?, issuer: OpaquePointer?
    ) throws(OpenSSLFailure) -> OpaquePointer {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, subject, nil, nil, 0)
        return try openSSL(operation, X509V3_EXT_conf_nid(nil, &context, id, value))
    }

    /// Sets 127 random bits (RFC 5280 clause 4.1.2.2 requires a positive number of at most 20 bytes).
    private static func setSerialNumber(of certificate: OpaquePointer) throws(OpenSSLFailure) {
        var bytes = SystemRandom().bytes(16)
        bytes[0] = bytes[0] & 0x7F | 0x40
        let number = try openSSL(operation, BN_bin2bn(bytes, Int32(bytes.count), nil))
        defer { BN_free(number) }
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil else { throw .last(operation) }
    }

    private static func setTime(
        _ set: (OpaquePointer?, UnsafePointer<ASN1_TIME>?) -> Int32, _ certificate: OpaquePointer, _ moment: Timestamp
    ) throws(OpenSSLFailure) {
        guard let time = ASN1_TIME_set(nil, Int(moment.seconds)) else { throw .last(operation) }
        defer { ASN1_TIME_free(time) }
        try openSSL(operation, set(certificate, time))
    }
}
