import OpenSSLCrypto
import Testing

@Suite("Random bytes")
struct RandomTests {
    @Test("What was handed out is not handed out again, in any length and on any thread")
    func unique() async {
        let drawn = await withTaskGroup(of: [[UInt8]].self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<2_000).map { SystemRandom().bytes(12 + $0 % 37) } }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(drawn.enumerated().allSatisfy { $1.count == 12 + $0 % 2_000 % 37 })
        #expect(Set(drawn.map { $0.prefix(12) }).count == drawn.count)
    }

    @Test(
        "So many bytes as were asked for, also none and more than are kept in stock",
        arguments: [0, 1, 511, 512, 513, 5_000])
    func count(_ count: Int) {
        let bytes = SystemRandom().bytes(count)
        #expect(bytes.count == count)
        // In 511 random bytes fewer than 50 are zero, but for 10^-40 of the cases.
        if count > 500 { #expect(bytes.count { $0 == 0 } < count / 10) }
    }
}
