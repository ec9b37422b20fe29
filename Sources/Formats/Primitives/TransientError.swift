/// What a port's errors say of themselves where its callers need to know it.
package protocol TransientError: Error {
    /// Nothing was changed, and the same call may work in a moment: there is too much to do, or an end was just made.
    var isTransient: Bool { get }
}
