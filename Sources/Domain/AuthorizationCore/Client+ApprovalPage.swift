import Primitives

extension Client {
    /// The approval page in the place of a client, for logins that no client asked for. It is registered nowhere, so it
    /// gets no code and no token.
    package static func approvalPage(of tenant: Tenant) -> Client {
        Client(id: approvalPageID, name: tenant.name, secretHashes: [])
    }

    package static let approvalPageID = ClientID("approval-page")
}
