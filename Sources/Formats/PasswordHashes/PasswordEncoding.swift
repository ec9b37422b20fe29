/// Encoding of passwords' texts before they were hashed.
package enum PasswordEncoding: String, Sendable, CaseIterable {
    case utf8, ascii, latin1, binary, ucs2, utf16le, utf16be

    /// Nil for a password that the encoding cannot write, so that no other one stands for it.
    package func bytes(of utf8: [UInt8]) -> [UInt8]? {
        if self == .utf8 { return utf8 }
        guard let text = String(validating: utf8, as: UTF8.self) else { return nil }
        switch self {
        case .utf8: return utf8
        case .ascii: return utf8.allSatisfy { $0 < 0x80 } ? utf8 : nil
        case .latin1, .binary:
            let bytes = text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
            return bytes.count == text.unicodeScalars.count ? bytes : nil
        case .ucs2, .utf16le: return text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        case .utf16be: return text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        }
    }
}
