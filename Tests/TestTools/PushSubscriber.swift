@testable import OpenSSLCrypto
package import GuardianWire
import JOSE
import Primitives
import TestSupport

/// A browser that subscribed to pushes, with the private half of its keys. It decrypts without the server's code.
package final class PushSubscriber: Sendable {
    package struct Message: Sendable, Equatable {
        package let text: [UInt8]
        /// Bytes of the text with its padding.
        package let paddedSize: Int

        package init(text: [UInt8], paddedSize: Int) {
            self.text = text
            self.paddedSize = paddedSize
        }
    }

    package let endpoint: String
    package let publicKey: [UInt8]
    package let secret: [UInt8]
    private let key: KeyHandle

    package init(_ endpoint: String) throws {
        self.endpoint = endpoint
        key = try KeyHandle(generating: .es256, rsaBits: 0)
        publicKey = try key.p256Point()
        secret = SystemRandom().bytes(16)
    }

    /// Takes keys of an example. `privateKey` has 32 bytes.
    package init(_ endpoint: String, privateKey: [UInt8], publicKey: [UInt8], secret: [UInt8]) throws {
        self.endpoint = endpoint
        self.publicKey = publicKey
        self.secret = secret
        key = try Self.key(privateKey, publicKey)
    }

    /// Wraps a bare key in PKCS #8 (RFC 5958, RFC 5915).
    static func key(_ privateKey: [UInt8], _ publicKey: [UInt8]) throws -> KeyHandle {
        let head = try Hex.decode("308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420").orThrow(
            "hex")
        let middle = try Hex.decode("a144034200").orThrow("hex")
        return try OpenSSLSigner(
            pkcs8DER: SecretBytes(head + privateKey + middle + publicKey), algorithm: .es256
        ).key
    }

    /// JSON as `PushSubscription.toJSON` makes it.
    package var token: String {
        JSONWriter.string([
            "endpoint": .string(endpoint), "expirationTime": .null,
            "keys": ["p256dh": .string(Base64URL.encode(publicKey)), "auth": .string(Base64URL.encode(secret))],
        ])
    }

    package var credentials: PushCredentials { PushCredentials(service: .webPush, token: token) }

    /// Decrypts the only record of a message (RFC 8188 clause 2, RFC 8291 clause 3).
    package func decrypt(_ body: [UInt8]) throws -> Message {
        guard body.count > 86, body[20] == 65 else { throw Unexpected("no header of aes128gcm: \(Hex.encode(body))") }
        let salt = Array(body[..<16])
        let recordSize = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
        let sender = Array(body[21..<86])
        let record = Array(body[86...])
        guard (18...recordSize).contains(record.count), recordSize <= 4096 else {
            throw Unexpected("a record of \(record.count) bytes, where \(recordSize) are allowed")
        }
        let agreed = try key.agree(with: KeyHandle(p256Point: sender))
        let input = HKDF.derive(
            agreed, salt: secret, info: Array("WebPush: info".utf8) + [0] + publicKey + sender, count: 32)
        func derived(_ label: String, _ count: Int) -> SecretBytes {
            HKDF.derive(input, salt: salt, info: Array("Content-Encoding: \(label)".utf8) + [0], count: count)
        }
        let opened = try AESGCM.aes128.open(
            record, key: derived("aes128gcm", 16), nonce: derived("nonce", 12).bytes, "decrypt")
        let padded = try opened.orThrow("the message is for another subscription").bytes
        guard let delimiter = padded.lastIndex(where: { $0 != 0 }), padded[delimiter] == 2 else {
            throw Unexpected("the record does not end a message")
        }
        return Message(text: Array(padded[..<delimiter]), paddedSize: padded.count - 1)
    }
}

/// A key of an example, as sender.
package struct PushSender: Sendable {
    private let key: KeyHandle

    package init(privateKey: [UInt8], publicKey: [UInt8]) throws {
        key = try PushSubscriber.key(privateKey, publicKey)
    }

    package func encrypt(_ message: [UInt8], to subscriber: PushSubscriber, salt: [UInt8]) throws -> [UInt8] {
        try PushMessageCipher().encrypt(
            message, to: subscriber.publicKey, secret: subscriber.secret, size: message.count, from: key, salt: salt)
    }
}
