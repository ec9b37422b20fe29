/// Client of an unanswered request.
package protocol ClientPresence: AnyObject, Sendable {
    /// True if no answer can reach the client any more, as far as the system knows. A client that closed only its
    /// sending side counts as gone, because a server cannot distinguish the two.
    var hasLeft: Bool { get }

    /// Time since the client's last bytes reached this machine. For a handler that has just begun, it is the time for
    /// which the server left the request unread.
    var silence: Duration { get }
}

extension ClientPresence {
    package var silence: Duration { .zero }
}
