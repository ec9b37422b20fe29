/// Secret bytes, overwritten when freed and never printed.
package final class SecretBytes: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private nonisolated(unsafe) let storage: UnsafeMutableBufferPointer<UInt8>

    package init(_ bytes: [UInt8]) {
        storage = .allocate(capacity: bytes.count)
        _ = storage.initialize(from: bytes)
    }

    /// Copies memory that the caller owns and clears, so that no array of it remains.
    package init(copying memory: UnsafeBufferPointer<UInt8>) {
        storage = .allocate(capacity: memory.count)
        _ = storage.initialize(from: memory)
    }

    /// Memory that `fill` writes to, and whose first bytes it counts.
    package init<Failure>(
        capacity: Int, filling fill: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Int
    ) throws(Failure) {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: capacity)
        memory.initialize(repeating: 0)
        do { storage = UnsafeMutableBufferPointer(start: memory.baseAddress, count: try fill(memory)) } catch {
            overwrite(memory)
            memory.deallocate()
            throw error
        }
    }

    package init(utf8 text: String) {
        var text = text
        storage = text.withUTF8 { text in
            let storage = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count)
            _ = storage.initialize(from: text)
            return storage
        }
    }

    deinit {
        // Out of line, so that the optimiser cannot remove a write that nothing reads.
        overwrite(storage)
        storage.deallocate()
    }

    package var count: Int { storage.count }

    /// A copy, not overwritten when freed. Keep it short-lived.
    package var bytes: [UInt8] { Array(storage) }

    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        try body(UnsafeBufferPointer(storage))
    }

    package var description: String { "[redacted]" }
    package var debugDescription: String { "[redacted]" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

@inline(never)
private func overwrite(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
    for index in buffer.indices { buffer[index] = 0 }
}

/// Compares in a time that depends only on the lengths.
@inline(never)
package func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
}
