import CQREncode
import Glibc

/// A QR code (ISO/IEC 18004) of a text, at error correction level M.
public struct QRCode: Sendable {
    public enum Failure: Error, Sendable, Equatable {
        /// More than the largest code holds: 2,331 bytes.
        case tooLong(bytes: Int)
        case outOfMemory
    }

    /// Modules a side, without the quiet zone.
    public let size: Int
    private let dark: [Bool]

    public init(_ text: String) throws(Failure) {
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
    public func isDark(row: Int, column: Int) -> Bool {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
        return dark[row * size + column]
    }

    /// Two modules a character, one above the other, with the quiet zone of four modules. `colours` sets black on
    /// white whatever the terminal's colours are; without it, light modules are drawn, as dark terminals need.
    public func lines(colours: Bool) -> [String] {
        let quiet = 4
        return stride(from: -quiet, to: size + quiet, by: 2).map { row in
            let modules = (-quiet..<size + quiet).map { column in
                let upper = isDark(row: row, column: column)
                let lower = isDark(row: row + 1, column: column)
                return switch (upper, lower) {
                case (true, true): colours ? "█" : " "
                case (true, false): colours ? "▀" : "▄"
                case (false, true): colours ? "▄" : "▀"
                case (false, false): colours ? " " : "█"
                }
            }.joined()
            return colours ? "\u{1B}[38;5;16;48;5;231m\(modules)\u{1B}[0m" : modules
        }
    }
}

extension Output {
    /// Draws the code on standard output.
    public func qrCode(_ code: QRCode) {
        raw(code.lines(colours: standard.hasColours).joined(separator: "\n"))
    }
}
