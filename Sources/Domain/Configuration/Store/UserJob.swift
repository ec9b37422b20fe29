package import AuthorizationCore
package import Primitives

/// An import or export of a tenant's users, which is worked in parts, each in one transaction (Auth0 Management API v2:
/// jobs).
package struct UserJob: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case usersImport = "users_import"
        case usersExport = "users_export"
    }

    package enum Status: String, Sendable, CaseIterable { case pending, processing, completed, failed }

    /// Users that were done.
    package struct Counts: Sendable, Equatable {
        package var inserted = 0
        package var updated = 0
        package var failed = 0

        package init(inserted: Int = 0, updated: Int = 0, failed: Int = 0) {
            self.inserted = inserted
            self.updated = updated
            self.failed = failed
        }

        package var total: Int { inserted + updated + failed }
    }

    /// `job_` and 22 characters.
    package let id: String
    package let tenant: TenantID
    package let kind: Kind
    /// True for jobs of a tenant's programs and persons, of which a tenant has only so many and which keep a pace. An
    /// operator's count nowhere.
    package let isLimited: Bool
    package var status = Status.pending
    /// A ``UserJobOrder``, sealed: in whose name the job writes, and what.
    package let sealedOrder: [UInt8]
    /// Number of parts. An export has as many as it has written.
    package var parts: Int
    /// Number of the part that is next.
    package var place = 0
    package var counts = Counts()
    package let createdAt: Timestamp
    package var endedAt: Timestamp?

    package init(
        id: String, tenant: TenantID, kind: Kind, isLimited: Bool, sealedOrder: [UInt8], parts: Int,
        createdAt: Timestamp
    ) {
        self.id = id
        self.tenant = tenant
        self.kind = kind
        self.isLimited = isLimited
        self.sealedOrder = sealedOrder
        self.parts = parts
        self.createdAt = createdAt
    }

    /// Jobs and their results are kept so long.
    package static let retention = Duration.seconds(86_400)

    package static func orderContext(tenant: TenantID, id: String) -> String { "user job \(tenant) \(id)" }

    package static func partContext(tenant: TenantID, id: String, number: Int) -> String {
        "part of a user job \(tenant) \(id) \(number)"
    }
}

/// A user whom an import did not take, for its author to read.
package struct UserJobError: Sendable, Equatable {
    /// Position of the user in the file, from 0.
    package let number: Int
    /// The user without secrets, and the errors.
    package let document: JSONObject

    package init(number: Int, document: JSONObject) {
        self.number = number
        self.document = document
    }

    /// The document with the user's place in the file, from 1.
    package var shown: JSONObject { document.patched(with: ["number": .number(JSONNumber(number + 1))]) }

    /// Reads `shown`. `first` is the place of the job's first user in a longer file. Nil without the user's place.
    package init?(shown: JSONObject, from first: Int) {
        guard let number = shown["number"]?.intValue else { return nil }
        var document = shown
        document["number"] = nil
        self.init(number: first + number - 1, document: document)
    }
}
