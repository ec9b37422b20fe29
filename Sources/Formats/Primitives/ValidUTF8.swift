extension String {
    /// Nil for invalid UTF-8. The standard library's validating initialiser costs more than the copy itself, so text
    /// that is plain ASCII goes around it.
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
