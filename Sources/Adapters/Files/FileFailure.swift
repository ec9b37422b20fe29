#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file or folder that could not be used. The text names the path, and the required change if there is one.
package struct FileFailure: Error, Sendable, Equatable, CustomStringConvertible {
    private let problem: String
    /// The system's `errno`. 0 if the file itself is at fault.
    package let number: Int32

    /// The default number is that of the last failed call, so this must be called directly after the call.
    package init(_ problem: String, number: Int32 = errno) {
        self.problem = problem
        self.number = number
    }

    package var description: String { number == 0 ? problem : "\(problem): \(String(cString: strerror(number)))" }
}
