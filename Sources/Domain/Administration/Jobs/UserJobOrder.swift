import Audit
import AuthorizationCore
import Configuration
import Primitives

/// Work of a job, and its author. Sealed in the store, so that nobody without the master key gives it other rights.
package struct UserJobOrder: Sendable, Equatable {
    package enum Format: String, Sendable, CaseIterable { case json, csv }

    /// A member of an export, by its path, and its name there.
    package struct ExportedField: Sendable, Equatable {
        package let name: String
        package let exportAs: String

        package init(name: String, exportAs: String? = nil) {
            self.name = name
            self.exportAs = exportAs ?? name
        }
    }

    package struct Import: Sendable, Equatable {
        package var upsert = false
        package var sendsMail = false
        package var externalID: String?

        package init(upsert: Bool = false, sendsMail: Bool = false, externalID: String? = nil) {
            self.upsert = upsert
            self.sendsMail = sendsMail
            self.externalID = externalID
        }
    }

    package struct Export: Sendable, Equatable {
        package var format = Format.json
        package var limit: Int?
        /// Empty for the preset ones.
        package var fields: [ExportedField] = []

        package init(format: Format = .json, limit: Int? = nil, fields: [ExportedField] = []) {
            self.format = format
            self.limit = limit
            self.fields = fields
        }

        /// Place of the first field that is at the same place in a user as one before.
        var repeatedField: Int? {
            var places: Set<[Substring]> = []
            return fields.firstIndex { !places.insert($0.name.split { ".[]".contains($0) }).inserted }
        }
    }

    package enum Work: Sendable, Equatable {
        case usersImport(Import)
        case usersExport(Export)
    }

    package let work: Work
    /// Name of the connection. Nil for an export of all.
    package let connection: String?
    package let connectionID: String?
    /// Name of the connection that its users have.
    let usersConnection: String?
    /// Key of the links to an export's file.
    let linkKey: String
    private let actor: AuditEvent.Actor
    private let scopes: Set<String>
    private let remoteAddress: String?

    init(
        _ work: Work, connection: String?, isDatabase: Bool, id connectionID: String?, linkKey: String,
        for context: AdministrativeContext
    ) {
        self.work = work
        self.connection = connection
        self.connectionID = connectionID
        usersConnection = isDatabase ? LoginConnection.defaultDatabaseName : connection
        self.linkKey = linkKey
        actor = context.actor
        scopes = context.managementScopes
        remoteAddress = context.remoteAddress
    }

    /// The author's context of the time when the job was made. One request made the job, but each user that it writes
    /// leaves an entry, so that the job's pace bounds them.
    func context(of job: UserJob, now: Timestamp) -> AdministrativeContext {
        AdministrativeContext(
            tenant: job.tenant, actor: actor, managementScopes: scopes, remoteAddress: remoteAddress, now: now,
            charge: job.isLimited ? .limited(by: .jobs) : nil)
    }

    // MARK: the stored form

    var json: JSONObject {
        var json: JSONObject = [
            "actor": .string(actor.rawValue), "scopes": JSONValue(scopes.sorted()), "link_key": .string(linkKey),
        ]
        json["remote_address"] = remoteAddress.map(JSONValue.string)
        json["connection"] = connection.map(JSONValue.string)
        json["connection_id"] = connectionID.map(JSONValue.string)
        json["users_connection"] = usersConnection.map(JSONValue.string)
        switch work {
        case .usersImport(let order):
            json["upsert"] = .bool(order.upsert)
            json["send_completion_email"] = .bool(order.sendsMail)
            json["external_id"] = order.externalID.map(JSONValue.string)
        case .usersExport(let order):
            json["format"] = .string(order.format.rawValue)
            json["limit"] = order.limit.map { .number(JSONNumber($0)) }
            json["fields"] = .array(
                order.fields.map { ["name": .string($0.name), "export_as": .string($0.exportAs)] })
        }
        return json
    }

    /// Nil for a text that no order is.
    init?(_ json: JSONObject) {
        guard let actor = json["actor"]?.stringValue.flatMap(AuditEvent.Actor.init(rawValue:)),
            let scopes = json["scopes"]?.stringsValue, let linkKey = json["link_key"]?.stringValue
        else { return nil }
        self.actor = actor
        self.scopes = Set(scopes)
        self.linkKey = linkKey
        remoteAddress = json["remote_address"]?.stringValue
        connection = json["connection"]?.stringValue
        connectionID = json["connection_id"]?.stringValue
        usersConnection = json["users_connection"]?.stringValue
        if let format = json["format"]?.stringValue.flatMap(Format.init(rawValue:)) {
            let fields = (json["fields"]?.arrayValue ?? []).compactMap { field in
                field["name"]?.stringValue.map { ExportedField(name: $0, exportAs: field["export_as"]?.stringValue) }
            }
            work = .usersExport(Export(format: format, limit: json["limit"]?.intValue, fields: fields))
        } else {
            work = .usersImport(
                Import(
                    upsert: json["upsert"]?.boolValue ?? false,
                    sendsMail: json["send_completion_email"]?.boolValue ?? false,
                    externalID: json["external_id"]?.stringValue))
        }
    }
}
