import COpenSSL
import COpenSSLSeam
import OpenSSLCrypto
import Primitives
import Testing

/// Contexts that a thread reuses must not carry anything from one call to the next.
@Suite("OpenSSL's contexts of a thread")
struct SeamTests {
    private let hashing = OpenSSLHashing()

    private static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test("FIPS 180-4: a digest does not depend on earlier digests of any algorithm")
    func digests() {
        for _ in 0..<3 {
            #expect(Hex.encode(hashing.hash(.sha256, Array("abc".utf8))) == Self.abc)
            #expect(hashing.hash(.sha512, [UInt8](repeating: 1, count: 1_000)).count == 64)
            #expect(hashing.hash(.sha1, []).count == 20)
            #expect(Hex.encode(hashing.hash(.sha256, [])) == Self.empty)
        }
    }

    @Test("RFC 4231 4.2, RFC 2202 3: an HMAC does not depend on earlier keys and algorithms")
    func authenticationCodes() {
        let message = Array("Hi There".utf8)
        let key = [UInt8](repeating: 0x0B, count: 20)
        for _ in 0..<3 {
            #expect(
                Hex.encode(hashing.hmac(.sha256, key: key, message))
                    == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
            #expect(
                Hex.encode(hashing.hmac(.sha1, key: key, message)) == "b617318655057264e28bc0b6fb378c8ef146be00")
            #expect(
                Hex.encode(hashing.hmac(.sha256, key: [], []))
                    == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
        }
    }

    @Test("Digests and HMACs at once on several threads do not mix")
    func threads() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        #expect(Hex.encode(hashing.hash(.sha256, Array("abc".utf8))) == Self.abc)
                        #expect(hashing.hmac(.sha256, key: [1], [2]) == hashing.hmac(.sha256, key: [1], [2]))
                    }
                }
            }
        }
    }

    @Test("An HMAC is refused if the memory for it has another size")
    func wrongSize() throws {
        let mac = try #require(EVP_MAC_fetch(nil, "HMAC", nil))
        defer { EVP_MAC_free(mac) }
        let context = try #require(EVP_MAC_CTX_new(mac))
        defer { EVP_MAC_CTX_free(context) }
        var name = Array("SHA256".utf8CString)
        name.withUnsafeMutableBufferPointer { name in
            var parameters = [
                OSSL_PARAM_construct_utf8_string(COpenSSL_MAC_DIGEST, name.baseAddress, 0),
                OSSL_PARAM_construct_end(),
            ]
            #expect(EVP_MAC_init(context, [0], 1, &parameters) == 1)
        }
        var output = [UInt8](repeating: 0, count: 64)
        #expect(countersign_openssl_hmac(context, [1], 1, [2], 1, &output, 32) == 1)
        #expect(countersign_openssl_hmac(context, [1], 1, [2], 1, &output, 64) == 0)
        #expect(countersign_openssl_hmac(context, [1], 1, [2], 1, &output, 16) == 0)
    }

    @Test("A certificate is not verified if no authority vouches for it")
    func unknownAuthority() throws {
        let store = try #require(X509_STORE_new())
        defer { X509_STORE_free(store) }
        let certificate = try #require(X509_new())
        defer { X509_free(certificate) }
        #expect(countersign_openssl_verify_client(store, certificate, nil, 0, 0) == 0)
    }
}
