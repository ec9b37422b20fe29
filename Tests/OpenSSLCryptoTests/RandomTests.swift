import OpenSSLCrypto
import Testing

@Suite("Random bytes")
struct RandomTests {
    @Test("Random bytes are never handed out twice, in any length and on any thread")
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
        "Any requested number of bytes is returned, including zero",
        arguments: [0, 1, 512, 5_000])
    func count(_ count: Int) {
        let bytes = SystemRandom().bytes(count)
        #expect(bytes.count == count)
        // The chance of 52 or more zeros in 512 random bytes is below 10^-40.
        if count > 500 { #expect(bytes.count { $0 == 0 } < count / 10) }
    }
}
