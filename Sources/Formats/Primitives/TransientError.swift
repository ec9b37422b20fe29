/// Error of a port that may be transient.
package protocol TransientError: Error {
    /// True if a retry may succeed, as under overload or at a shutdown.
    var isTransient: Bool { get }
    /// True if nobody knows whether it was done. Otherwise nothing was changed.
    var mayBeDone: Bool { get }
}

extension TransientError {
    package var mayBeDone: Bool { false }
}
