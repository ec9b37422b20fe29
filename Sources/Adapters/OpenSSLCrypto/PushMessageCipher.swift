import COpenSSL
import JOSE
import Primitives

/// Encrypts push messages with a new P-256 key for each (RFC 8291).
package struct PushMessageCipher: PushEncryption {
    /// Bytes of a record at most, as the header says. A message is one record, which is shorter (RFC 8291 clause 4).
    static let recordSize = 4096
    static let saltSize = 16
    static let keyIDSize = 65
    private static let operation = "encrypt a push message"

    private let random = SystemRandom()

    package init() {}

    package func encrypt(_ message: [UInt8], to publicKey: [UInt8], secret: [UInt8], size: Int) throws -> [UInt8] {
        try encrypt(
            message, to: publicKey, secret: secret, size: size, from: KeyHandle(generating: .es256, rsaBits: 0),
            salt: random.bytes(Self.saltSize))
    }

    func encrypt(
        _ message: [UInt8], to publicKey: [UInt8], secret: [UInt8], size: Int, from sender: KeyHandle, salt: [UInt8]
    ) throws(OpenSSLFailure) -> [UInt8] {
        guard message.count <= size, size + 1 + AESGCM.tagSize < Self.recordSize else {
            throw OpenSSLFailure(operation: Self.operation, reason: "the message is too long")
        }
        let receiver = try KeyHandle(p256Point: publicKey)
        let point = try sender.p256Point()
        let keys = PushMessageKeys(
            agreed: try sender.agree(with: receiver), secret: secret, salt: salt, receiver: publicKey, sender: point)
        // The delimiter of the last record, and the padding (RFC 8188 clause 2).
        let padded = message + [2] + [UInt8](repeating: 0, count: size - message.count)
        let length = UInt32(Self.recordSize).bigEndian
        return salt + withUnsafeBytes(of: length) { Array($0) } + [UInt8(point.count)] + point
            + (try AESGCM.aes128.seal(padded, key: keys.content, nonce: keys.nonce, Self.operation))
    }
}

/// Keys of one message (RFC 8291 clause 3.4).
struct PushMessageKeys {
    let content: SecretBytes
    let nonce: [UInt8]

    init(agreed: SecretBytes, secret: [UInt8], salt: [UInt8], receiver: [UInt8], sender: [UInt8]) {
        let input = HKDF.derive(
            agreed, salt: secret, info: Array("WebPush: info\0".utf8) + receiver + sender, count: 32)
        content = HKDF.derive(input, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8), count: 16)
        nonce =
            HKDF.derive(
                input, salt: salt, info: Array("Content-Encoding: nonce\0".utf8), count: AESGCM.nonceSize
            ).bytes
    }
}

extension KeyHandle {
    /// Reads an uncompressed point (SEC 1 clause 2.3.4). Throws if it is not on P-256.
    convenience init(p256Point point: [UInt8]) throws(OpenSSLFailure) {
        guard point.count == 65, point[0] == 4 else {
            throw OpenSSLFailure(operation: "read a point of P-256", reason: "it is not an uncompressed point")
        }
        try self.init(.ec(curve: .p256, x: Array(point[1...32]), y: Array(point[33...])))
    }

    /// The public half as an uncompressed point.
    func p256Point() throws(OpenSSLFailure) -> [UInt8] {
        guard let point = JWK(material: try publicMaterial()).p256Point else {
            throw OpenSSLFailure(operation: "write a point of P-256", reason: "the key is of another type")
        }
        return point
    }

    /// The secret that both keys share (ECDH, SP 800-56A clause 5.7.1.2).
    func agree(with peer: KeyHandle) throws(OpenSSLFailure) -> SecretBytes {
        let operation = "agree on a secret"
        let context = try openSSL(operation, EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil))
        defer { EVP_PKEY_CTX_free(context) }
        try openSSL(operation, EVP_PKEY_derive_init(context))
        // Reading the peer's key has found that its point is on the curve. P-256 has no other points of small order, so
        // the full check, which costs as much as the agreement, would find nothing more (SP 800-56A clause 5.6.2.3.4).
        try openSSL(operation, EVP_PKEY_derive_set_peer_ex(context, peer.pointer, 0))
        let secret = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: JWK.Curve.p256.coordinateSize)
        defer {
            clear(UnsafeMutableRawBufferPointer(secret))
            secret.deallocate()
        }
        var count = secret.count
        try openSSL(operation, EVP_PKEY_derive(context, secret.baseAddress, &count))
        return SecretBytes(copying: UnsafeBufferPointer(rebasing: secret[..<count]))
    }
}
