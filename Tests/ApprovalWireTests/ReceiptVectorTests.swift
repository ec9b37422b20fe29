import ApprovalWire
import Foundation
import JOSE
import OpenSSLCrypto
import Primitives
import Testing

@Suite("Vectors of receipts")
struct ReceiptVectorTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs/receipts/vectors.json")

    /// Writes the file if `WRITE_RECEIPT_VECTORS` is set. Its bytes are the same for the same generator.
    @Test("docs/receipts/vectors.json is what its generator makes")
    func generated() throws {
        let document = try ReceiptVectors().document
        if ProcessInfo.processInfo.environment["WRITE_RECEIPT_VECTORS"] != nil {
            try FileManager.default.createDirectory(
                at: Self.file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(document.utf8).write(to: Self.file)
        }
        let written = try String(contentsOf: Self.file, encoding: .utf8)
        #expect(written == document, "WRITE_RECEIPT_VECTORS=1 swift test --filter ReceiptVectorTests writes it")
    }

    @Test("Every vector is valid, or refused by the rule that it breaks")
    func rules() throws {
        let vectors = try ReceiptVectors()
        for vector in vectors.all {
            let verifier = ReceiptVerifier(
                keys: try JWKSet(vectors.published), issuer: vector.issuer, verifier: OpenSSLVerifier(),
                hashing: OpenSSLHashing())
            var broken: ReceiptFailure?
            do { _ = try verifier.verify(vector.receipt) } catch { broken = error }
            #expect(broken?.rule == vector.rule, "\(vector.name): \(broken?.description ?? "valid")")
        }
        #expect(Set(vectors.all.map(\.name)).count == vectors.all.count)
    }

    @Test("Every rule has a vector that breaks it")
    func complete() throws {
        let broken = Set(try ReceiptVectors().all.compactMap(\.rule))
        #expect(Set(ReceiptFailure.Rule.allCases).subtracting(broken) == [])
    }

    @Test("RFC 6979 A.2.5: the signatures of the vectors are deterministic")
    func deterministic() throws {
        let secret = try #require(
            Hex.decode("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"))
        let signature = try ScalarSigner(secret: secret).sign(Array("sample".utf8))
        let expected =
            "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
            + "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
        #expect(Hex.encode(signature) == expected)
    }
}
