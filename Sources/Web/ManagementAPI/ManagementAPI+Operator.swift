package import Administration
package import Audit
package import AuthorizationCore
import Configuration
package import Flows
import HTTPModel
package import Primitives
import Routing

/// The API for the operator at the command line, inside the process: operations and answers are those of requests with a
/// token. Neither scopes nor limits bind the operator, and the managers alone check bodies.
package struct OperatorManagement: Sendable {
    /// By method and path.
    private let operations: [String: ManagementAPI.Served]
    private let actor: AuditEvent.Actor
    private let clock: any WallClock
    private let configuration: @Sendable () async throws -> TenantConfiguration

    /// `configuration` reads the tenant's configuration again if it has changed.
    package init(
        _ managers: Managers, _ basic: BasicPorts, actor: AuditEvent.Actor, clock: any WallClock,
        configuration: @escaping @Sendable () async throws -> TenantConfiguration
    ) {
        let routes = ManagementAPI.routes(ManagementAPI.Ports(managers: managers, basic: basic, server: nil))
        operations = Dictionary(
            uniqueKeysWithValues: routes.map { route in
                (
                    "\(route.method.rawValue) \(route.path)",
                    ManagementAPI.Served(operation: route, managers.schemas.patterns)
                )
            })
        self.actor = actor
        self.clock = clock
        self.configuration = configuration
    }

    /// Throws `AdministrationFailure`, ``ManagementRefusal``, or an error of the store.
    package func answer(_ request: OperationRequest) async throws -> JSONValue {
        guard let served = operations["\(request.method.rawValue) \(request.template)"] else {
            throw ManagementRefusal(404, "There is no operation \(request.method.rawValue) \(request.template)")
        }
        let configuration = try await configuration()
        let context = RequestContext(configuration: configuration, now: clock.now)
        let http = Request(
            method: request.method, path: request.filledPath, query: request.encodedQuery, fields: request.condition)
        let audience = configuration.tenant.managementAudience
        do {
            let call = ManagementCall(
                call: EndpointCall(of: served.route, request.values, http, context),
                context: AdministrativeContext(tenant: configuration.tenant.id, actor: actor, now: context.now),
                query: try served.reader.compiled.query(http.query), body: request.body ?? [:],
                scopes: Set(configuration.resourceServers[audience]?.scopes.map(\.value) ?? []))
            return try await served.operation.handle(call).json(call.projection)
        } catch let failure as ManagementFailure {
            throw ManagementRefusal(failure)
        }
    }
}
