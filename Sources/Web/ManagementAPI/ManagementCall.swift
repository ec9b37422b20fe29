import AuthorizationCore
import Configuration
import HTTPModel
import Primitives
import Routing

/// An authorized request whose query and body match the operation's declaration.
struct ManagementCall: Sendable {
    let call: EndpointCall
    /// Context for changes on behalf of the caller.
    let context: AdministrativeContext
    /// Query parameters with their declared types.
    let query: JSONObject
    /// Empty if the operation has no body.
    let body: JSONValue
    let scopes: Set<String>

    var configuration: TenantConfiguration { call.configuration }
    var tenant: TenantID { call.tenant.id }
    var now: Timestamp { call.now }

    /// Path parameter.
    func id(_ name: String = "id") -> String { call.parameter(name) }

    /// Body as an object.
    var document: JSONObject { body.objectValue ?? [:] }

    /// The body, by the fields that describe it. `new` has the defaults. The operation's schema refuses unknown members.
    func read<Body>(_ fields: Fields<Body>, _ new: Body) throws(AdministrationFailure) -> Body {
        var body = new
        try read { fields.read($0, into: &body) }
        return body
    }

    func member<Value>(_ name: String, _ type: FieldType<Value>) throws(AdministrationFailure) -> Value? {
        var value: Value?
        try read { value = type.read($0, name) }
        return value
    }

    /// A member that the operation's schema requires.
    func required<Value>(_ name: String, _ type: FieldType<Value>) throws(AdministrationFailure) -> Value {
        guard let value = try member(name, type) else { throw .invalid(name, "is required") }
        return value
    }

    /// A query parameter that the operation requires.
    func required(_ name: String) throws(ManagementFailure) -> String {
        guard let value = query[name]?.stringValue else { throw .invalidQuery("is required", at: name) }
        return value
    }

    private func read(_ read: (DocumentFields) -> Void) throws(AdministrationFailure) {
        let problems = Problems()
        DocumentFields(body, path: "", problems: problems).map(read)
        guard problems.list.isEmpty else { throw .invalid(problems.list) }
    }

    var paging: Paging {
        if query["from"] != nil || query["take"] != nil { return checkpoint }
        return .offset(page: page, perPage: perPage, includesTotals: query["include_totals"]?.boolValue ?? false)
    }

    /// Paging of lists that support only checkpoints.
    var checkpoint: Paging { .checkpoint(from: checkpointPage.from, take: checkpointPage.take) }

    /// Query of a list that supports only checkpoints.
    var checkpointPage: (from: String?, take: Int) {
        (query["from"]?.stringValue, query["take"]?.intValue ?? Paging.preset)
    }

    var page: Int { query["page"]?.intValue ?? 0 }
    var perPage: Int { query["per_page"]?.intValue ?? Paging.preset }

    var projection: Projection {
        let names = query["fields"]?.stringValue?.split(separator: ",").map { $0.filter { $0 != " " } }
        return Projection(
            names: names.flatMap { $0.isEmpty ? nil : Set($0) }, includes: query["include_fields"]?.boolValue ?? true)
    }
}
