import Glibc

/// Reason why a measurement failed. A missed goal is not a failure.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// With the text of `errno`, read by the caller right after the call.
    package init(_ description: String, errno code: Int32) {
        self.description = "\(description): \(String(cString: strerror(code)))"
    }
}

/// Prints a line of progress. Only the table goes to standard output.
package func progress(_ text: String) {
    let line = Array("\(programName): \(text)\n".utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Name under which this program was started.
private let programName = (CommandLine.arguments.first ?? "").split(separator: "/").last.map(String.init) ?? "bench"
