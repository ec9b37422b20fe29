#if canImport(CryptoKit)
    import Foundation
    import HTTPModel
    import Security

    /// The only authorities trusted for servers.
    struct PinnedAuthorities: Sendable {
        /// DER certificates, at least one.
        private let certificates: [Data]

        init(pem: String, advice: String) throws(HTTPClientError) {
            certificates = pem.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().compactMap { part in
                let base64 = part.components(separatedBy: "-----END CERTIFICATE-----")[0]
                return Data(base64Encoded: base64, options: .ignoreUnknownCharacters)
                    .flatMap { Self.certificate($0) == nil ? nil : $0 }
            }
            guard !certificates.isEmpty else { throw .untrusted("the CA certificates could not be read. \(advice)") }
        }

        private static func certificate(_ der: Data) -> SecCertificate? {
            SecCertificateCreateWithData(nil, NSData(data: der) as CFData)
        }

        func vouch(for trust: SecTrust) -> Bool {
            let anchors = NSArray(array: certificates.compactMap { Self.certificate($0) })
            guard SecTrustSetAnchorCertificates(trust, anchors as CFArray) == errSecSuccess,
                SecTrustSetAnchorCertificatesOnly(trust, true) == errSecSuccess
            else { return false }
            return SecTrustEvaluateWithError(trust, nil)
        }
    }
#endif
