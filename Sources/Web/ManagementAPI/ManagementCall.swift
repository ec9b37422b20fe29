import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import Primitives

/// One request that was let in, its parts read and checked against the operation's declaration.
struct ManagementCall: Sendable {
    let configuration: TenantConfiguration
    /// For changes in the caller's name.
    let context: AdministrativeContext
    /// Parameters of the path, percent-decoded.
    let path: [String: String]
    /// Parameters of the query, in the types that they were declared with.
    let query: JSONObject
    /// Empty where the operation takes none.
    let body: JSONValue
    let scopes: Set<String>
    /// The path that was asked, without the query.
    let target: String

    var tenant: TenantID { configuration.tenant.id }
    var now: Timestamp { context.now }

    /// A parameter of the path, which every operation that asks for it has.
    func id(_ name: String = "id") -> String { path[name] ?? "" }

    /// The members of the body.
    var document: JSONObject { body.objectValue ?? [:] }

    var paging: Paging {
        if query["from"] != nil || query["take"] != nil {
            return .checkpoint(from: query["from"]?.stringValue, take: query["take"]?.intValue ?? Paging.preset)
        }
        return .offset(
            page: query["page"]?.intValue ?? 0, perPage: query["per_page"]?.intValue ?? Paging.preset,
            includesTotals: query["include_totals"]?.boolValue ?? false)
    }

    var projection: Projection {
        let names = query["fields"]?.stringValue?.split(separator: ",").map { $0.filter { $0 != " " } }
        return Projection(
            names: names.flatMap { $0.isEmpty ? nil : Set($0) }, includes: query["include_fields"]?.boolValue ?? true)
    }
}
