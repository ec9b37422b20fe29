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
