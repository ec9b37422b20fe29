package import Primitives

/// A signed message in compact form (RFC 7515 clause 7.1), not yet verified. Only `verified` returns the payload.
package struct JWS: Sendable {
    package enum Failure: Error, Sendable, Equatable {
        case malformed
        case tooLong(limit: Int)
        /// `alg` is none, symmetric or unknown.
        case algorithm(String)
        /// `crit` names an extension, and none is supported (RFC 7515 clause 4.1.11).
        case critical
        case signature
    }

    package let header: JSONObject
    package let algorithm: JWSAlgorithm
    private let payload: [UInt8]
    private let signature: [UInt8]
    private let signingInput: [UInt8]

    package var keyID: String? { header["kid"]?.stringValue }
    package var type: String? { header["typ"]?.stringValue }

    /// Reads the compact form. `limit` is in bytes.
    package init(parsing token: String, limit: Int = 16_384) throws(Failure) {
        let bytes = Array(token.utf8)
        guard bytes.count <= limit else { throw .tooLong(limit: limit) }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let headerBytes = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]),
            let header = (try? JSONReader.parse(headerBytes, depthLimit: 8))?.objectValue
        else { throw .malformed }
        guard let name = header["alg"]?.stringValue else { throw .malformed }
        // A value that is no string (RFC 7515 clauses 4.1.4 and 4.1.9) would otherwise count as absent.
        for text in ["kid", "typ"] where header[text] != nil && header[text]?.stringValue == nil { throw .malformed }
        guard let algorithm = JWSAlgorithm(name: name) else { throw .algorithm(name) }
        guard header["crit"] == nil else { throw .critical }
        self.header = header
        self.algorithm = algorithm
        self.payload = payload
        self.signature = signature
        signingInput = Array(bytes[..<parts[1].endIndex])
    }

    /// The payload, if the signature fits the key, and the algorithm is in `allowed` and fits the key.
    package func verified(
        by key: JWK, allowed: Set<JWSAlgorithm>, using verifier: some Verifier
    ) throws(Failure) -> [UInt8] {
        guard allowed.contains(algorithm), key.allows(algorithm) else { throw .algorithm(algorithm.rawValue) }
        guard verifier.verify(signature, of: signingInput, algorithm: algorithm, key: key) else { throw .signature }
        return payload
    }

    /// Claims of the unverified payload, only for finding the key that should have signed it.
    package var unverifiedClaims: JSONObject? { (try? JSONReader.parse(payload))?.objectValue }

    /// Signs `payload`. The header has `alg`, `typ` if given, the `kid` of the signer's key if any, and `extra`.
    package static func sign(
        _ payload: [UInt8], type: String? = "JWT", extra: JSONObject = [:], with signer: some Signer
    ) throws -> String {
        var header = JSONWriter(capacity: 128)
        header.object { header in
            header.member("alg", signer.algorithm.rawValue)
            header.member("typ", ifPresent: type)
            header.member("kid", ifPresent: signer.publicKey.keyID)
            for (name, value) in extra { header.member(name, value) }
        }
        var token = Base64URL.encodedBytes(header.bytes)
        // Room for a signature of P-256.
        token.reserveCapacity(token.count + payload.count * 4 / 3 + 96)
        token.append(UInt8(ascii: "."))
        token.append(contentsOf: Base64URL.encodedBytes(payload))
        let signature = try signer.sign(token)
        token.append(UInt8(ascii: "."))
        token.append(contentsOf: Base64URL.encodedBytes(signature))
        return String(decoding: token, as: UTF8.self)
    }
}
