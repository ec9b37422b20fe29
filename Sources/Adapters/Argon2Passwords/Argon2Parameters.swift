/// The cost of one Argon2id hash (RFC 9106 clause 3.1).
package struct Argon2Parameters: Sendable, Hashable {
    /// Memory in KiB.
    package var memory: UInt32
    /// Passes over the memory.
    package var passes: UInt32
    /// Number of lanes. They are computed one after another on one thread.
    package var lanes: UInt32

    /// 19 MiB, two passes and one lane are OWASP's recommendation. They take about 30 ms on a server's core.
    package init(memory: UInt32 = 19_456, passes: UInt32 = 2, lanes: UInt32 = 1) {
        self.memory = memory
        self.passes = passes
        self.lanes = lanes
    }

    /// True if the costs are acceptable. Stored hashes may be imported, so they must not cause arbitrary costs.
    var isWithinLimits: Bool {
        (8...1_048_576).contains(memory) && (1...64).contains(passes) && (1...16).contains(lanes) && memory >= 8 * lanes
    }
}

/// A hash in the encoding of Argon2's reference implementation:
/// `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`, Base64 without padding.
struct EncodedHash {
    let parameters: Argon2Parameters

    static let lengthLimit = 512

    /// Nil for other variants or versions, costs beyond the limits, or any other syntax.
    init?(_ text: String) {
        guard text.utf8.count <= Self.lengthLimit else { return nil }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=19",
            Self.isBase64(parts[4], atLeast: 11), Self.isBase64(parts[5], atLeast: 16)
        else { return nil }
        let costs = parts[3].split(separator: ",", omittingEmptySubsequences: false)
        guard costs.count == 3, let memory = Self.cost(costs[0], "m="), let passes = Self.cost(costs[1], "t="),
            let lanes = Self.cost(costs[2], "p=")
        else { return nil }
        parameters = Argon2Parameters(memory: memory, passes: passes, lanes: lanes)
        guard parameters.isWithinLimits else { return nil }
    }

    private static func cost(_ text: Substring, _ name: String) -> UInt32? {
        guard text.hasPrefix(name) else { return nil }
        let digits = text.dropFirst(name.count)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(digits)
    }

    private static func isBase64(_ text: Substring, atLeast count: Int) -> Bool {
        text.utf8.count >= count
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"): true
                default: false
                }
            }
    }
}
