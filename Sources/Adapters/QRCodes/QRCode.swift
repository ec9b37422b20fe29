import CQREncode
import Glibc

/// A QR code (ISO/IEC 18004) of a text, at error correction level M.
package struct QRCode: Sendable {
    package enum Failure: Error, Sendable, Equatable {
        /// More than the largest code holds: 2,331 bytes.
        case tooLong(bytes: Int)
        case outOfMemory
    }

    /// Modules a side, without the quiet zone.
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
        // The lowest bit of a module is its colour; the others say which part of the code it belongs to.
        dark = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
    }

    /// False outside the code, where the quiet zone is.
    package func isDark(row: Int, column: Int) -> Bool {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
        return dark[row * size + column]
    }

    /// Row by row, true for a dark module, without the quiet zone.
    package var modules: [[Bool]] {
        stride(from: 0, to: dark.count, by: size).map { Array(dark[$0..<$0 + size]) }
    }
}
