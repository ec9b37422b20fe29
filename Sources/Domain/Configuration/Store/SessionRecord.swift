package import AuthorizationCore

/// A session with the clients that got codes in it.
package struct SessionRecord: Sendable, Equatable {
    package let session: Session
    package let clients: [ClientID]

    package init(session: Session, clients: [ClientID]) {
        self.session = session
        self.clients = clients
    }
}
