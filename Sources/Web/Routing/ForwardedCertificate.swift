import HTTPModel
import OAuthWire
import Primitives

/// Certificates that a TLS-terminating proxy passes on (RFC 9440). Only listed proxies are believed: every client can
/// send the fields, and a certificate alone proves nothing.
struct ForwardedCertificate: Sendable {
    private static let field = "Client-Cert"
    private static let chainField = "Client-Cert-Chain"
    /// Maximum certificates of authorities in a chain.
    private static let chainLimit = 8

    let proxies: [IPNetwork]

    /// False if `resolved` returns the request unchanged.
    func mayChange(_ request: Request) -> Bool {
        request.fields[Self.field] != nil || request.fields[Self.chainField] != nil
            || (request.clientCertificate != nil && !proxies.isEmpty)
    }

    /// The request with the certificate that a listed proxy passes on. Other peers' fields are removed. The proxy's own
    /// certificate never counts as its client's.
    /// - Throws: `OAuthError` if a listed proxy's fields violate RFC 9440 clause 2.
    func resolved(_ request: Request) throws(OAuthError) -> Request {
        guard mayChange(request) else { return request }
        var resolved = request
        resolved.fields.remove(Self.field)
        resolved.fields.remove(Self.chainField)
        guard let address = IPAddress(request.remoteAddress), proxies.contains(where: { $0.contains(address) }) else {
            return resolved
        }
        resolved.clientCertificate = nil
        guard let text = request.fields[Self.field] else { return resolved }
        guard !request.fields.isRepeated(Self.field), let leaf = Self.byteSequence(text[...]) else {
            throw Self.malformed(Self.field)
        }
        var issuers: [[UInt8]] = []
        for list in request.fields.values(of: Self.chainField) {
            for member in list.split(separator: ",") {
                guard let issuer = Self.byteSequence(member), issuers.count < Self.chainLimit else {
                    throw Self.malformed(Self.chainField)
                }
                issuers.append(issuer)
            }
        }
        resolved.clientCertificate = ClientCertificate(leaf: leaf, issuers: issuers)
        return resolved
    }

    /// RFC 8941 clause 3.3.5: Base64 between colons.
    private static func byteSequence(_ text: Substring) -> [UInt8]? {
        let bare = text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()
        guard bare.count > 2, bare.first == ":", bare.last == ":" else { return nil }
        return Base64.decode(String(bare.dropFirst().dropLast()))
    }

    private static func malformed(_ field: String) -> OAuthError {
        OAuthError(.invalidRequest, "The proxy's field \(field) does not follow RFC 9440")
    }
}
