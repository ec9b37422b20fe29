package import QRCodes

extension QRCode {
    /// Draws two rows of modules per line, with the quiet zone of four modules. With `colours` the code is black on
    /// white on any terminal. Without them the light modules are drawn, as dark terminals need.
    package func lines(colours: Bool) -> [String] {
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
    /// Writes the code to standard output.
    package func qrCode(_ code: QRCode) { raw(code.lines(colours: standard.hasColours).joined(separator: "\n")) }
}
