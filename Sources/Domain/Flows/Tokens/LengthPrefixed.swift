/// Each part's length precedes it, so that different parts have different bytes.
func lengthPrefixed(_ parts: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    for part in parts {
        bytes.append(UInt8(truncatingIfNeeded: part.utf8.count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: part.utf8.count))
        bytes.append(contentsOf: part.utf8)
    }
    return bytes
}
