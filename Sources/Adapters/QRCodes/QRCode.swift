import CQREncode
import Glibc

/// A QR code (ISO/IEC 18004) with error correction level M.
package struct QRCode: Sendable {
    package enum Failure: Error, Sendable, Equatable {
        /// The text has more than 2,331 bytes, which the largest code holds.
        case tooLong(bytes: Int)
        case outOfMemory
    }

    /// Number of modules per side, without the quiet zone.
    package let size: Int
    private let dark: [Bool]

    package init(_ text: String) throws(Failure) {
        let bytes = Array(text.utf8)
        guard let count = CInt(exactly: bytes.count), count > 0 else { throw .tooLong(bytes: bytes.count) }
        guard let code = QRcode_encodeData(count, bytes, 0, QR_ECLEVEL_M) else {
            throw errno == ENOMEM ? .outOfMemory : .tooLong(bytes: bytes.count)
        }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        // The lowest bit of a module is its colour. The others classify it.
        dark = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
    }

    /// False outside the code, in the quiet zone.
    package func isDark(row: Int, column: Int) -> Bool {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
        return dark[row * size + column]
    }

    /// Rows of modules without the quiet zone. True means dark.
    package var modules: [[Bool]] { stride(from: 0, to: dark.count, by: size).map { Array(dark[$0..<$0 + size]) } }
}
