import CFIDO2

/// Limits of CBOR (RFC 8949) that libcbor loads. It allocates for as many elements as a head announces, before it reads
/// one of them, so a head of nine bytes could take all memory.
enum CBORBounds {
    /// Arrays, maps and tags in all, and so within one another. CTAP 2 allows four levels.
    private static let depthLimit = 16

    private final class Counts {
        /// Elements that the heads of arrays and maps announced.
        var announced = 0
        var containers = 0
        var hasUnknownLength = false

        func add(_ size: Int, times factor: Int) {
            containers += 1
            let (elements, isOverflow) = size.multipliedReportingOverflow(by: factor)
            let (sum, overflows) = announced.addingReportingOverflow(elements)
            // A size beyond Int arrives as a negative number.
            announced = size < 0 || isOverflow || overflows ? .max : sum
        }
    }

    /// True if `bytes` are whole items that announce no more elements than there are bytes, and contain few arrays, maps
    /// and tags, each of a known length. Allocates nothing for what they announce.
    static func hold(_ bytes: some Collection<UInt8>) -> Bool {
        let bytes = Array(bytes)
        let counts = Counts()
        var callbacks = cbor_empty_callbacks
        callbacks.array_start = { counts, size in CBORBounds.counts(counts)?.add(size, times: 1) }
        callbacks.map_start = { counts, size in CBORBounds.counts(counts)?.add(size, times: 2) }
        callbacks.tag = { counts, _ in CBORBounds.counts(counts)?.containers += 1 }
        callbacks.indef_array_start = { CBORBounds.counts($0)?.hasUnknownLength = true }
        callbacks.indef_map_start = { CBORBounds.counts($0)?.hasUnknownLength = true }
        callbacks.byte_string_start = { CBORBounds.counts($0)?.hasUnknownLength = true }
        callbacks.string_start = { CBORBounds.counts($0)?.hasUnknownLength = true }
        let context = Unmanaged.passUnretained(counts).toOpaque()
        return withExtendedLifetime(counts) {
            bytes.withUnsafeBufferPointer { buffer in
                var place = 0
                while let start = buffer.baseAddress, place < buffer.count {
                    let result = cbor_stream_decode(start + place, buffer.count - place, &callbacks, context)
                    guard result.status == CBOR_DECODER_FINISHED, result.read > 0 else { return false }
                    place += result.read
                    guard !counts.hasUnknownLength, counts.containers <= depthLimit, counts.announced <= bytes.count
                    else { return false }
                }
                return true
            }
        }
    }

    private static func counts(_ context: UnsafeMutableRawPointer?) -> Counts? {
        context.map { Unmanaged<Counts>.fromOpaque($0).takeUnretainedValue() }
    }
}
