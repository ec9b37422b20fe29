/// Carries announcements between the nodes of one store.
package protocol NodeLink: Sendable {
    /// False if this node has the store for itself. Then nothing is announced.
    var hasOthers: Bool { get }

    /// Tells the other nodes. Does not wait, and may lose it.
    func announce(_ announcement: Announcement)

    /// Passes on what other nodes announce, until the task is cancelled. Calls `doubt` whenever announcements may have been
    /// lost, also at the beginning.
    func listen(
        _ hear: @escaping @Sendable (Announcement) -> Void, doubt: @escaping @Sendable () -> Void
    ) async
}

/// The link of a node that has its store for itself.
package struct NoOtherNodes: NodeLink {
    package init() {}

    package var hasOthers: Bool { false }

    package func announce(_ announcement: Announcement) {}

    package func listen(
        _ hear: @escaping @Sendable (Announcement) -> Void, doubt: @escaping @Sendable () -> Void
    ) async {}
}
