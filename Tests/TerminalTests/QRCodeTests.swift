import QRCodes
import Testing

@testable import Terminal

@Suite("QR codes (ISO/IEC 18004)")
struct QRCodeTests {
    @Test("A drawn code decodes to its text, with and without colours", arguments: [true, false])
    func decodes(_ colours: Bool) throws {
        let code = try QRCode("Countersign é")
        let drawn = modules(code.lines(colours: colours), colours: colours)
        #expect(code.size == 21)
        #expect(drawn.count == 30 && drawn.allSatisfy { $0.count == 29 })
        for (row, line) in drawn.enumerated() {
            for (column, isDark) in line.enumerated() {
                #expect(isDark == code.isDark(row: row - 4, column: column - 4))
            }
        }
        let inner = drawn[4..<25].map { Array($0[4..<25]) }
        #expect(VersionOneReader(modules: inner).text() == "Countersign é")
    }

    @Test("An enrolment URI can be drawn, and a text that is too long is refused")
    func limits() throws {
        let uri = "otpauth://totp/tenant:ana?secret=ABCDEFGH&enrollment_tx_id=" + String(repeating: "x", count: 200)
        #expect(try QRCode(uri).size > 21)
        #expect(try QRCode(String(repeating: "x", count: 2331)).size == 177)
        #expect(throws: QRCode.Failure.tooLong(bytes: 2332)) { try QRCode(String(repeating: "x", count: 2332)) }
        #expect(throws: QRCode.Failure.tooLong(bytes: 0)) { try QRCode("") }
    }

    @Test("Colours are set and reset on every line, so that scrolling keeps them")
    func everyLine() throws {
        for line in try QRCode("x").lines(colours: true) {
            #expect(line.hasPrefix("\u{1B}[38;5;16;48;5;231m") && line.hasSuffix("\u{1B}[0m"))
        }
    }

    /// Dark modules of a drawn code, two rows a line.
    private func modules(_ lines: [String], colours: Bool) -> [[Bool]] {
        lines.flatMap { line -> [[Bool]] in
            let glyphs = colours ? line.dropFirst(19).dropLast(4) : line[...]
            let upper = glyphs.map { ("█▀" as String).contains($0) == colours }
            let lower = glyphs.map { ("█▄" as String).contains($0) == colours }
            return [upper, lower]
        }
    }
}

/// Reads an undamaged version 1 code in byte mode, level M: ISO/IEC 18004 clause 7 in reverse.
private struct VersionOneReader {
    let modules: [[Bool]]

    func text() -> String? {
        guard finder(0, 0), finder(0, 14), finder(14, 0) else { return nil }
        let bits = dataBits()
        func number(_ range: Range<Int>) -> Int { bits[range].reduce(0) { $0 * 2 + ($1 ? 1 : 0) } }
        guard number(0..<4) == 0b0100 else { return nil }
        let count = number(4..<12)
        guard count <= 14 else { return nil }
        let bytes = (0..<count).map { UInt8(number(12 + $0 * 8..<20 + $0 * 8)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func finder(_ top: Int, _ left: Int) -> Bool {
        (0..<7).allSatisfy { row in
            (0..<7).allSatisfy { column in
                let ring = max(abs(row - 3), abs(column - 3))
                return modules[top + row][left + column] == (ring != 2)
            }
        }
    }

    /// The format information beside the first finder contains the mask's number, masked with 101.
    private var mask: Int {
        let bits = (2...4).map { modules[8][$0] }
        return bits.reduce(0) { $0 * 2 + ($1 ? 1 : 0) } ^ 0b101
    }

    private func isMasked(_ i: Int, _ j: Int) -> Bool {
        switch mask {
        case 0: (i + j) % 2 == 0
        case 1: i % 2 == 0
        case 2: j % 3 == 0
        case 3: (i + j) % 3 == 0
        case 4: (i / 2 + j / 3) % 2 == 0
        case 5: i * j % 2 + i * j % 3 == 0
        case 6: (i * j % 2 + i * j % 3) % 2 == 0
        default: ((i + j) % 2 + i * j % 3) % 2 == 0
        }
    }

    private func isFunction(_ row: Int, _ column: Int) -> Bool {
        row == 6 || column == 6 || (row < 9 && column < 9) || (row < 9 && column > 12) || (row > 12 && column < 9)
    }

    /// Reads pairs of columns up and down from the lower right, without the timing column.
    private func dataBits() -> [Bool] {
        var bits: [Bool] = []
        var upwards = true
        for right in [20, 18, 16, 14, 12, 10, 8, 5, 3, 1] {
            for step in 0..<21 {
                let row = upwards ? 20 - step : step
                for column in [right, right - 1] where !isFunction(row, column) {
                    bits.append(modules[row][column] != isMasked(row, column))
                }
            }
            upwards.toggle()
        }
        return bits
    }
}
