import Glibc

/// Reason why a measurement failed. A missed goal is not a failure.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// With the text of `errno`, read by the caller right after the call.
    init(_ description: String, errno code: Int32) {
        self.description = "\(description): \(String(cString: strerror(code)))"
    }
}

/// Prints a line of progress. Only the table goes to standard output.
func progress(_ text: String) {
    let line = Array("bench: \(text)\n".utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
