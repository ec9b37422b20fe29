import OpenSSLCrypto
import Primitives
import TestSupport
import TestTools
import Testing

@Suite("Encryption of push messages")
struct PushMessageTests {
    /// RFC 8291 appendix A.
    private enum Example {
        static let text = "When I grow up, I want to be a watermelon"
        static let sender = (
            privateKey: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
            publicKey: bytes(
                "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")
        )
        static let receiver = (
            privateKey: bytes("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"),
            publicKey: bytes(
                "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")
        )
        static let secret = bytes("BTBZMqHH6r4Tts7J_aSIgg")
        static let salt = bytes("DGv6ra1nlYgDCS1FRnbzlw")
        static let message = bytes(
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl"
                + "7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")

        static func bytes(_ text: String) -> [UInt8] { Base64URL.decode(text) ?? [] }

        static func subscriber() throws -> PushSubscriber {
            try PushSubscriber(
                "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV", privateKey: receiver.privateKey,
                publicKey: receiver.publicKey, secret: secret)
        }
    }

    private let cipher = PushMessageCipher()

    @Test("RFC 8291 appendix A: the example is encrypted byte by byte")
    func encrypts() throws {
        let sender = try PushSender(privateKey: Example.sender.privateKey, publicKey: Example.sender.publicKey)
        let message = try sender.encrypt(Array(Example.text.utf8), to: Example.subscriber(), salt: Example.salt)
        #expect(Base64URL.encode(message) == Base64URL.encode(Example.message))
    }

    @Test("RFC 8291 appendix A: the receiver of these tests decrypts the example, and nothing changed")
    func decrypts() throws {
        let message = try Example.subscriber().decrypt(Example.message)
        #expect(String(decoding: message.text, as: UTF8.self) == Example.text)
        for index in [0, 25, 86, Example.message.count - 1] {
            var changed = Example.message
            changed[index] ^= 1
            #expect(throws: (any Error).self) { try Example.subscriber().decrypt(changed) }
        }
    }

    @Test("A message of any length has one size, and a new key and salt each time", arguments: [0, 1, 100, 512])
    func padding(count: Int) throws {
        let subscriber = try PushSubscriber("https://push.example/1")
        let text = [UInt8](repeating: 0x61, count: count)
        let messages = try (0..<2).map { _ in
            try cipher.encrypt(text, to: subscriber.publicKey, secret: subscriber.secret, size: 512)
        }
        // The header, the padded text with its delimiter, and the tag.
        #expect(messages.map(\.count) == [86 + 513 + 16, 86 + 513 + 16])
        #expect(messages[0][..<16] != messages[1][..<16])
        #expect(messages[0][21..<86] != messages[1][21..<86])
        for message in messages { #expect(try subscriber.decrypt(message) == .init(text: text, paddedSize: 512)) }
    }

    @Test("RFC 8291 3.1: a message for one subscription opens for no other")
    func otherSubscription() throws {
        let subscriber = try PushSubscriber("https://push.example/1")
        let message = try cipher.encrypt([1], to: subscriber.publicKey, secret: subscriber.secret, size: 512)
        #expect(throws: (any Error).self) { try PushSubscriber("https://push.example/1").decrypt(message) }
    }

    @Test("A key that is no point of P-256 and a message beyond its size are refused")
    func refused() throws {
        let subscriber = try PushSubscriber("https://push.example/1")
        let point = subscriber.publicKey
        let offCurve = point[..<64] + [point[64] ^ 1]
        for wrong in [
            [], Array(point.dropLast()), [2] + point[1...], Array(offCurve), [4] + [UInt8](repeating: 0, count: 64),
        ] {
            #expect(throws: OpenSSLFailure.self) {
                try cipher.encrypt([1], to: wrong, secret: subscriber.secret, size: 512)
            }
        }
        for (count, size) in [(513, 512), (1, 4096)] {
            #expect(throws: OpenSSLFailure.self) {
                try cipher.encrypt(
                    [UInt8](repeating: 0, count: count), to: point, secret: subscriber.secret, size: size)
            }
        }
    }
}
