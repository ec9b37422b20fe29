import Files
import OpenSSLCrypto
import Primitives
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("Sealing under a master key")
struct SealingTests {
    private let sealer = AESGCMSealer(masterKey: .generate())

    @Test("A box opens to the sealed value", arguments: [0, 1, 15, 16, 17, 5000])
    func roundTrip(size: Int) throws {
        let plaintext = SystemRandom().bytes(size)
        let sealed = try sealer.seal(plaintext, context: "key one")
        #expect(sealed.count == size + 29)
        #expect(try sealer.open(sealed, context: "key one").bytes == plaintext)
        #expect(try sealer.seal(plaintext, context: "key one") != sealed)
    }

    @Test("NIST SP 800-38D: any changed bit, another length, context or key is refused")
    func refused() throws {
        let sealed = try sealer.seal(Array("secret".utf8), context: "a")
        for index in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[index] ^= 1 << UInt8(bit)
                #expect(throws: AESGCMSealer.Failure.refused) { try sealer.open(changed, context: "a") }
            }
        }
        for count in 0..<sealed.count {
            #expect(throws: AESGCMSealer.Failure.refused) { try sealer.open(Array(sealed[..<count]), context: "a") }
        }
        #expect(throws: AESGCMSealer.Failure.refused) { try sealer.open(sealed + [0], context: "a") }
        #expect(throws: AESGCMSealer.Failure.refused) { try sealer.open(sealed, context: "b") }
        #expect(throws: AESGCMSealer.Failure.refused) { try sealer.open(sealed, context: "") }
        let other = AESGCMSealer(masterKey: .generate())
        #expect(throws: AESGCMSealer.Failure.refused) { try other.open(sealed, context: "a") }
    }

    @Test("RFC 5869 A: HKDF with SHA-256")
    func hkdf() throws {
        let first = HKDF.derive(
            SecretBytes([UInt8](repeating: 0x0B, count: 22)), salt: Array(0...0x0C), info: Array(0xF0...0xF9), count: 42
        )
        #expect(
            Hex.encode(first.bytes)
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        let third = HKDF.derive(SecretBytes([UInt8](repeating: 0x0B, count: 22)), salt: [], info: [], count: 42)
        #expect(
            Hex.encode(third.bytes)
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
    }

    @Test("Each label derives its own key, always the same")
    func labels() {
        let key = MasterKey.generate()
        #expect(key.derived(label: "a").bytes == key.derived(label: "a").bytes)
        #expect(key.derived(label: "a").bytes != key.derived(label: "b").bytes)
        #expect(key.derived(label: "a").bytes != MasterKey.generate().derived(label: "a").bytes)
    }

    @Test("A master key is read from base64url or hexadecimal only")
    func text() throws {
        let bytes = SystemRandom().bytes(32)
        let derived = try MasterKey(text: Base64URL.encode(bytes)).derived(label: "x")
        #expect(try MasterKey(text: " \(Hex.encode(bytes))\r\n").derived(label: "x").bytes == derived.bytes)
        let refused = [
            "", "\n", "short", Base64URL.encode(bytes) + "=", Hex.encode(bytes.dropLast()),
            Base64URL.encode(bytes + [0]), String(repeating: "z", count: 64),
        ]
        for text in refused { #expect(throws: MasterKey.FormFailure.self) { try MasterKey(text: text) } }
    }

    @Test("A key file is created once with mode 0600, and refused if others may read it")
    func file() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("master.key")
        let key = MasterKey.generate()
        try key.createFile(path)
        #expect(folder.mode("master.key") == 0o600)
        #expect(try MasterKey(file: path).derived(label: "x").bytes == key.derived(label: "x").bytes)
        #expect(throws: FileFailure.self) { try MasterKey.generate().createFile(path) }
        #expect(try MasterKey(file: path).derived(label: "x").bytes == key.derived(label: "x").bytes)
        #expect(folder.names == ["master.key"])
        for mode in [0o640, 0o604, 0o660, 0o644] as [mode_t] {
            folder.setMode("master.key", mode)
            let failure = #expect(throws: FileFailure.self) { try MasterKey(file: path) }
            #expect(failure?.description.contains("chmod 600 \(path)") == true)
        }
        let wrong = folder.path("wrong.key")
        try folder.write("short", to: "wrong.key")
        folder.setMode("wrong.key", 0o600)
        let failure = #expect(throws: MasterKey.FormFailure.self) { try MasterKey(file: wrong) }
        #expect(failure?.description.hasPrefix("\(wrong): a master key is 32 bytes") == true)
        #expect(throws: FileFailure.self) { try MasterKey(file: folder.path("missing")) }
        #expect(throws: FileFailure.self) { try MasterKey(file: folder.path("")) }
    }
}
