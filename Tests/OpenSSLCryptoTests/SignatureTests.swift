import JOSE
import OpenSSLCrypto
import Primitives
import Testing

@Suite("Signatures")
struct SignatureTests {
    private static let algorithms: [JWSAlgorithm] = JWSAlgorithm.allCases
    private let verifier = OpenSSLVerifier()
    private let message = Array("the quick brown fox".utf8)

    @Test("Every algorithm verifies its own signatures and nothing else", arguments: algorithms)
    func roundTrip(algorithm: JWSAlgorithm) throws {
        let signer = try OpenSSLSigner.generate(algorithm: algorithm, keyID: "one")
        let signature = try signer.sign(message)
        let key = signer.publicKey
        #expect(key.keyID == "one" && key.algorithm == algorithm)
        #expect(verifier.verify(signature, of: message, algorithm: algorithm, key: key))
        #expect(!verifier.verify(signature, of: message + [0], algorithm: algorithm, key: key))
        #expect(!verifier.verify(signature + [0], of: message, algorithm: algorithm, key: key))
        #expect(!verifier.verify(Array(signature.dropLast()), of: message, algorithm: algorithm, key: key))
        #expect(!verifier.verify([0] + signature, of: message, algorithm: algorithm, key: key))
        #expect(!verifier.verify([], of: message, algorithm: algorithm, key: key))
        let other = try OpenSSLSigner.generate(algorithm: algorithm)
        #expect(!verifier.verify(signature, of: message, algorithm: algorithm, key: other.publicKey))
        for position in stride(from: 0, to: signature.count, by: 7) {
            var flipped = signature
            flipped[position] ^= 1 << UInt8(position % 8)
            #expect(!verifier.verify(flipped, of: message, algorithm: algorithm, key: key))
        }
    }

    @Test("A key accepts no algorithm but its own", arguments: algorithms)
    func keyConfusion(algorithm: JWSAlgorithm) throws {
        let signer = try OpenSSLSigner.generate(algorithm: algorithm)
        let signature = try signer.sign(message)
        var key = signer.publicKey
        // Without alg, type and curve determine the algorithm.
        key.algorithm = nil
        for other in JWSAlgorithm.allCases where other != algorithm {
            #expect(!verifier.verify(signature, of: message, algorithm: other, key: key))
        }
    }

    @Test(
        "RFC 7518 3.4: ECDSA signatures are r and s side by side, of fixed length",
        arguments: [
            (JWSAlgorithm.es256, 32), (.es384, 48),
        ])
    func ecdsaForm(algorithm: JWSAlgorithm, size: Int) throws {
        let signer = try OpenSSLSigner.generate(algorithm: algorithm)
        let key = signer.publicKey
        let zero = [UInt8](repeating: 0, count: size)
        let ones = [UInt8](repeating: 0xFF, count: size)
        for _ in 0..<300 {
            let signature = try signer.sign(message)
            #expect(signature.count == 2 * size)
            #expect(verifier.verify(signature, of: message, algorithm: algorithm, key: key))
            let r = Array(signature[..<size])
            let s = Array(signature[size...])
            #expect(!verifier.verify(Self.der(r, s), of: message, algorithm: algorithm, key: key))
            #expect(!verifier.verify([0] + r + [0] + s, of: message, algorithm: algorithm, key: key))
        }
        let signature = try signer.sign(message)
        let r = Array(signature[..<size])
        let s = Array(signature[size...])
        for refused in [zero + zero, zero + s, r + zero, ones + s, r + ones] {
            #expect(!verifier.verify(refused, of: message, algorithm: algorithm, key: key))
        }
    }

    @Test("A point off the curve is refused", arguments: [JWK.Curve.p256, .p384])
    func pointOffTheCurve(curve: JWK.Curve) throws {
        let algorithm: JWSAlgorithm = curve == .p256 ? .es256 : .es384
        let signer = try OpenSSLSigner.generate(algorithm: algorithm)
        guard case .ec(_, let x, var y) = signer.publicKey.material else {
            Issue.record("an EC key was expected")
            return
        }
        y[y.count - 1] ^= 1
        let size = curve.coordinateSize
        let signature = try signer.sign(message)
        let broken: [JWK.Material] = [
            .ec(curve: curve, x: x, y: y),
            .ec(curve: curve, x: [UInt8](repeating: 0, count: size), y: [UInt8](repeating: 0, count: size)),
            .ec(curve: curve, x: [UInt8](repeating: 0xFF, count: size), y: [UInt8](repeating: 0xFF, count: size)),
            .ec(curve: curve, x: [], y: []), .ec(curve: curve, x: x + x, y: y + y),
        ]
        #expect(verifier.isUsable(signer.publicKey))
        for material in broken {
            #expect(!verifier.verify(signature, of: message, algorithm: algorithm, key: JWK(material: material)))
            #expect(!verifier.isUsable(JWK(material: material)))
        }
    }

    @Test("SP 800-56B 6.4.2.2: an even modulus, one with a small factor and a prime are refused")
    func unsoundModulus() throws {
        for algorithm in [JWSAlgorithm.rs256, .edDSA] {
            #expect(verifier.isUsable(try OpenSSLSigner.generate(algorithm: algorithm).publicKey))
        }
        // 2^2048 - 1 is divisible by 3. 2^2203 - 1 is a Mersenne prime.
        let moduli: [[UInt8]] = [
            [0x80] + [UInt8](repeating: 0, count: 255), [UInt8](repeating: 0xFF, count: 256),
            [0x07] + [UInt8](repeating: 0xFF, count: 275),
        ]
        for modulus in moduli { #expect(!verifier.isUsable(JWK(material: .rsa(n: modulus, e: [1, 0, 1])))) }
    }

    @Test("Invalid keys made in code are refused without a trap")
    func hostileMaterial() throws {
        let empty: [JWK.Material] = [
            .rsa(n: [], e: []), .rsa(n: [1], e: [1]), .rsa(n: [UInt8](repeating: 0xFF, count: 128), e: [1, 0, 1]),
            .rsa(n: [UInt8](repeating: 0xFF, count: 4096), e: [1, 0, 1]), .okp(x: []),
            .okp(x: [UInt8](repeating: 0, count: 31)),
        ]
        for material in empty {
            for algorithm in JWSAlgorithm.allCases {
                for count in [0, 1, 64, 96, 128, 256] {
                    let signature = [UInt8](repeating: 1, count: count)
                    #expect(
                        !verifier.verify(signature, of: message, algorithm: algorithm, key: JWK(material: material)))
                }
            }
        }
    }

    @Test("RFC 8017 8.1.2: a PSS signature without its leading zero byte is refused")
    func pssLength() throws {
        let signer = try OpenSSLSigner.generate(algorithm: .ps256)
        for round in 0..<2000 {
            let message = Array("\(round)".utf8)
            let signature = try signer.sign(message)
            guard signature.first == 0 else { continue }
            #expect(verifier.verify(signature, of: message, algorithm: .ps256, key: signer.publicKey))
            #expect(
                !verifier.verify(Array(signature.dropFirst()), of: message, algorithm: .ps256, key: signer.publicKey))
            return
        }
        Issue.record("no signature began with a zero byte")
    }

    @Test("A small cache gives the same results as a large one")
    func smallCache() throws {
        let small = OpenSSLVerifier(capacity: 1)
        let signers = try (0..<4).map { _ in try OpenSSLSigner.generate(algorithm: .es256) }
        let signatures = try signers.map { try $0.sign(message) }
        for _ in 0..<3 {
            for (signer, signature) in zip(signers, signatures) {
                for candidate in signers {
                    let fits = small.verify(
                        signature, of: message, algorithm: .es256, key: candidate.publicKey)
                    #expect(fits == (candidate === signer))
                }
            }
        }
    }

    @Test("Many threads share one signer and one verifier")
    func concurrency() async throws {
        let signers = try [JWSAlgorithm.es256, .edDSA, .ps256].map { try OpenSSLSigner.generate(algorithm: $0) }
        let verifier = verifier
        let failures = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var failures = 0
                    for round in 0..<50 {
                        let signer = signers[(task + round) % signers.count]
                        let message = Array("\(task) \(round)".utf8)
                        let signature = try signer.sign(message)
                        let fits = verifier.verify(
                            signature, of: message, algorithm: signer.algorithm, key: signer.publicKey)
                        if !fits { failures += 1 }
                    }
                    return failures
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(failures == 0)
    }

    private static func der(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
        func integer(_ bytes: [UInt8]) -> [UInt8] {
            let magnitude = bytes.drop { $0 == 0 }
            let padded = (magnitude.first ?? 0) >= 0x80 ? [0] + Array(magnitude) : Array(magnitude)
            return [2, UInt8(padded.count)] + padded
        }
        let content = integer(r) + integer(s)
        return [0x30, UInt8(content.count)] + content
    }
}
