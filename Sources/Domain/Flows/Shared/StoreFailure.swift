/// What a store's errors say of themselves where the ports' callers need to know it.
public protocol StoreFailure: Error {
    /// Nothing was changed, and the same call may work in a moment: the store has too much to do, or is just ending.
    var isPassing: Bool { get }
}
