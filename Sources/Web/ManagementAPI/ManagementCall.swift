import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import Primitives
import Routing

/// A request that was let in. Its parts are read and checked against the operation's declaration.
struct ManagementCall: Sendable {
    let call: EndpointCall
    /// For changes in the caller's name.
    let context: AdministrativeContext
    /// Parameters of the query, in the types that they were declared with.
    let query: JSONObject
    /// Empty if the operation takes none.
    let body: JSONValue
    let scopes: Set<String>

    var configuration: TenantConfiguration { call.configuration }
    var tenant: TenantID { call.tenant.id }
    var now: Timestamp { call.now }
    /// Path of the request, without the query.
    var target: String { call.request.path }

    /// A parameter of the path.
    func id(_ name: String = "id") -> String { call.parameter(name) }

    /// Members of the body.
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
