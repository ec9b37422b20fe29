/// Property of a port's error that its callers need to know.
package protocol TransientError: Error {
    /// Nothing was changed, and the same call may work in a moment: there is too much to do, or an end was just made.
    var isTransient: Bool { get }
}
