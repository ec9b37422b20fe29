extension String {
    /// Nil for invalid UTF-8. Plain ASCII bypasses the standard library's validating initialiser, which costs more than
    /// the copy.
    init?(validUTF8 bytes: UnsafeBufferPointer<UInt8>) {
        var combined: UInt8 = 0
        for byte in bytes { combined |= byte }
        if combined < 0x80 {
            self = String(decoding: bytes, as: UTF8.self)
        } else {
            self.init(validating: bytes, as: UTF8.self)
        }
    }
}

extension Collection<UInt8> {
    /// Without the byte order mark that some editors and encoders put before a text, and that is no part of it
    /// (RFC 8259 clause 8.1).
    package var withoutByteOrderMark: SubSequence {
        starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...]
    }
}
