/// The client of a request that has not been answered yet.
package protocol ClientPresence: AnyObject, Sendable {
    /// True once no answer can reach the client any more, as far as the system knows at this moment. A client that
    /// closed only its sending side counts as gone: a server cannot tell the two apart.
    var hasLeft: Bool { get }
}
