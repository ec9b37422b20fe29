import AuthorizationCore
import HTTPModel

/// Clients that wait send the same poll again and again. One that came before, to the byte, need not be read to be
/// answered.
enum RepeatedPoll {
    /// Bytes of a poll, head and body, beyond which it is read as any other request: what fits on the stack.
    private static let longest = 1_024

    /// Calls `body` with all that the answer hangs on, and the place of the request's name in it; returns nil where it
    /// cannot be such a poll. A certificate of the connection is not in these bytes.
    static func withBytes<Result>(
        of request: Request, _ configuration: ConfigurationSnapshot,
        _ body: (_ poll: UnsafeBufferPointer<UInt8>, _ authReqID: UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result? {
        guard request.query == nil, request.clientCertificate == nil else { return nil }
        return request.body.withUnsafeBufferPointer { content in
            guard let authReqID = authReqID(in: content) else { return nil }
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: longest) { memory in
                var bytes = Bytes(memory)
                // Each part is preceded by its length, so that no two requests read the same.
                bytes.append(configuration.number)
                bytes.append(UInt16(truncatingIfNeeded: request.fields.count))
                for field in request.fields {
                    bytes.append(field.name.utf8)
                    bytes.append(field.value.utf8)
                }
                bytes.append(content)
                return bytes.written.map { body($0, authReqID) }
            }
        }
    }

    private static let name = Array("auth_req_id".utf8)

    /// Whether the parameter's name stands in the body. A poll that spells it with escapes is read as any other request.
    static func mayBePoll(_ body: [UInt8]) -> Bool {
        body.withUnsafeBufferPointer { place(of: name, in: $0) != nil }
    }

    /// Where the parameter's value seems to stand, in a form or in JSON. Taking something else for it does no harm: no
    /// request has such a name, or the poll is not the same as any of its own.
    private static func authReqID(in body: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        guard var start = place(of: name, in: body) else { return nil }
        start += name.count
        while start < body.count, !isIdentifier(body[start]) { start += 1 }
        var end = start
        while end < body.count, isIdentifier(body[end]) { end += 1 }
        return UnsafeBufferPointer(rebasing: body[start..<end])
    }

    /// Looks at every eleventh byte or so: one that is not in the name rules out all places that it would be part of
    /// (Horspool's way).
    private static func place(of name: [UInt8], in body: UnsafeBufferPointer<UInt8>) -> Int? {
        let skips = skips
        let last = name.count - 1
        var end = last
        while end < body.count {
            let skip = skips[Int(body[end])]
            if skip == 0, body[(end - last)..<end].elementsEqual(name[..<last]) { return end - last }
            end += max(1, Int(skip))
        }
        return nil
    }

    /// How far the name's end lies behind the last place in it of a byte; its length for a byte that it has not.
    private static let skips: [UInt8] = {
        var skips = [UInt8](repeating: UInt8(name.count), count: 256)
        for (place, byte) in name.enumerated() { skips[Int(byte)] = UInt8(name.count - 1 - place) }
        return skips
    }()

    /// Of base64url, as `Identifiers.authReqID` writes it.
    private static func isIdentifier(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Memory that is filled from its start, until something does not fit.
    private struct Bytes {
        private let memory: UnsafeMutableBufferPointer<UInt8>
        private var count = 0
        private var isOver = false

        init(_ memory: UnsafeMutableBufferPointer<UInt8>) { self.memory = memory }

        mutating func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number) { copy($0) }
        }

        mutating func append(_ part: some Collection<UInt8>) {
            // A part whose length does not fit into 16 bits does not fit into the memory either.
            append(UInt16(truncatingIfNeeded: part.count))
            let isCopied: Void? = part.withContiguousStorageIfAvailable { copy(UnsafeRawBufferPointer($0)) }
            if isCopied == nil { isOver = true }
        }

        private mutating func copy(_ bytes: UnsafeRawBufferPointer) {
            guard !isOver, bytes.count <= memory.count - count else {
                isOver = true
                return
            }
            UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(memory)[count...])
                .copyMemory(from: bytes)
            count += bytes.count
        }

        /// Nil where something did not fit.
        var written: UnsafeBufferPointer<UInt8>? {
            isOver ? nil : UnsafeBufferPointer(rebasing: memory[..<count])
        }
    }
}
