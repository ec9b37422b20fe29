/// Error of a port that may be transient.
package protocol TransientError: Error {
    /// True if a retry may succeed, as under overload or at a shutdown.
    var isTransient: Bool { get }
    /// True if nobody knows whether it was done. Otherwise nothing was changed.
    var mayBeDone: Bool { get }
    /// True if everybody's work fails alike. The port itself tells the operator once, and nobody else logs it.
    var isOutage: Bool { get }
}

extension TransientError {
    package var mayBeDone: Bool { false }
    package var isOutage: Bool { false }
}

extension Error {
    /// True for an error that is logged where it arises.
    package var isToldElsewhere: Bool { (self as? any TransientError)?.isOutage ?? false }
}
