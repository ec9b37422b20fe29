/// Error of a port that may be transient.
package protocol TransientError: Error {
    /// True if nothing was changed and a retry may succeed, as under overload or at a shutdown.
    var isTransient: Bool { get }
}
