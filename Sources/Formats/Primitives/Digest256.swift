/// A SHA-256 digest (FIPS 180-4) in words, so that computing, comparing and storing it allocates nothing.
public struct Digest256: Sendable, Hashable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    public static let size = 32

    /// Takes the first 32 of `bytes`, padded with zeros.
    public init(_ bytes: UnsafeRawBufferPointer) {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { words in
            words.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.size)))
        }
        self.words = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
    }

    private init(_ words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    public init(_ bytes: [UInt8]) { self = bytes.withUnsafeBytes { Digest256($0) } }

    public var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.size) { output, count in
            let words = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
            count = withUnsafeBytes(of: words) { output.initialize(fromContentsOf: $0) }
        }
    }

    /// The digest with its first six bytes replaced by the last six of `number`.
    public func beginning(with number: UInt64) -> Digest256 {
        Digest256((number << 16 | words.0 & 0xFFFF, words.1, words.2, words.3))
    }

    /// The last byte, for distributing digests over a few shards.
    public var lastByte: UInt8 { UInt8(truncatingIfNeeded: words.3) }

    /// Compares in a time that does not depend on the digests.
    @inline(never)
    public func matches(_ other: Digest256) -> Bool {
        (words.0 ^ other.words.0) | (words.1 ^ other.words.1) | (words.2 ^ other.words.2) | (words.3 ^ other.words.3)
            == 0
    }

    public static func == (left: Digest256, right: Digest256) -> Bool { left.words == right.words }

    /// One word of a cryptographic hash distributes well enough, and equality compares all. Not the first, whose bytes
    /// `beginning(with:)` may replace.
    public func hash(into hasher: inout Hasher) { hasher.combine(words.3) }
}
