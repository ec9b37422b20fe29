import APIDescription
import Administration
package import AuthorizationCore
import Configuration
package import HTTPModel
package import JSONSchema
package import Primitives
package import Routing

/// One request of the API as a value: answered inside the process, and shown as a command for a terminal.
package struct ManagementRequest: Sendable, Hashable {
    /// Id of the operation: `update_role`.
    package let operation: String
    /// Values of the path's parameters, in their order.
    package var values: [String]
    package var query: [Pair]
    /// Nil for an operation without a body.
    package var body: JSONValue?

    package struct Pair: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(_ operation: String, _ values: [String] = [], query: [Pair] = [], body: JSONValue? = nil) {
        self.operation = operation
        self.values = values
        self.query = query
        self.body = body
    }
}

/// Refusal of a request, as the API's answer says it.
package struct ManagementRefusal: Error, Equatable {
    package let status: Int
    package let message: String
    /// Problems of single members, by their paths: `scopes[0].value`.
    package let problems: [(path: String, message: String)]

    package init(_ status: Int, _ message: String, problems: [(path: String, message: String)] = []) {
        self.status = status
        self.message = message
        self.problems = problems
    }

    package static func == (one: ManagementRefusal, other: ManagementRefusal) -> Bool {
        one.status == other.status && one.message == other.message
            && one.problems.elementsEqual(other.problems) { $0 == $1 }
    }
}

/// The API for a person who is logged in, inside the process: the operations, checks, limits and audit entries are those
/// of requests with a token, and the scopes are those that the person's roles permit.
package struct PersonalManagement: Sendable {
    fileprivate let api: ManagementAPI
    private let call: EndpointCall
    private let user: UserID
    package let scopes: Set<String>

    fileprivate init(_ api: ManagementAPI, _ user: User, _ call: EndpointCall) {
        self.api = api
        self.call = call
        self.user = user.id
        scopes = call.configuration.permissions(of: user, at: call.tenant.managementAudience)
    }

    /// True if the person's scopes are enough for the operation, apart from members that need more.
    package func allows(_ operation: String) -> Bool {
        guard let served = api.served[operation] else { return false }
        guard case .scopes(let sets) = served.operation.operation.security else { return true }
        return sets.contains(where: scopes.isSuperset)
    }

    /// Sets of scopes of which the operation needs one.
    package func needs(_ operation: String) -> [[String]] {
        guard let served = api.served[operation], case .scopes(let sets) = served.operation.operation.security
        else { return [] }
        return sets
    }

    /// Sets of scopes of which sending a member needs one, beside the operation's. Empty for a member that needs none.
    package func needs(_ operation: String, toSend member: [String]) -> [[String]] {
        let rules = api.served[operation]?.operation.operation.memberScopes ?? []
        return rules.first { $0.path == member }?.sets ?? []
    }

    /// Declaration of the operation's body. Nil if it has none.
    package func body(of operation: String) -> Shape? { api.served[operation]?.operation.operation.body?.shape }

    /// Members of the body that these scopes do not suffice to send.
    package func withheld(in operation: String) -> Set<[String]> {
        let rules = api.served[operation]?.operation.operation.memberScopes ?? []
        return Set(rules.filter { !$0.sets.contains(where: scopes.isSuperset) }.map(\.path))
    }

    /// Counts what the person does besides operations towards their limit. Throws ``ManagementRefusal`` beyond it.
    package func count() throws {
        let usage = api.usage(of: .person(user), call)
        if usage.isExceeded { throw ManagementRefusal(.tooManyRequests(wait: usage.wait)) }
    }

    /// Throws ``ManagementRefusal``, or an error of the server itself.
    package func answer(_ request: ManagementRequest) async throws -> JSONValue {
        guard let served = api.served[request.operation] else {
            throw ManagementRefusal(404, "There is no operation \(request.operation)")
        }
        do {
            let inside = call.inside(served.route, request.values, request.http(served, call.request))
            return try await api.perform(served, inside, by: .person(user), scopes).json
        } catch let failure as ManagementFailure {
            throw ManagementRefusal(failure)
        } catch let failure as AdministrationFailure {
            throw ManagementRefusal(failure)
        }
    }

    /// Method and target of a request, below the issuer. Nil for an operation that does not exist.
    package func target(of request: ManagementRequest) -> (method: HTTPMethod, target: String)? {
        api.served[request.operation].map { served in
            let http = request.http(served, call.request)
            return (http.method, http.path + (http.query.map { "?\($0)" } ?? ""))
        }
    }
}

extension ManagementAPI {
    /// The operations for the person of a page.
    package func personal(_ user: User, _ call: EndpointCall) -> PersonalManagement {
        PersonalManagement(self, user, call)
    }
}

extension ManagementRequest {
    /// The request over HTTP that a program would send from the same place.
    fileprivate func http(_ served: ManagementAPI.Served, _ outer: Request) -> Request {
        let placed = OperationRequest(
            served.operation.method, served.operation.path, values, query: query, body: body)
        var request = outer
        request.method = placed.method
        request.path = placed.filledPath
        request.query = placed.encodedQuery
        request.body = body.map(JSONWriter.bytes) ?? []
        request.fields = [:]
        for name in ["Host", "User-Agent", "X-Correlation-ID"] {
            if let value = outer.fields[name] { request.fields.append(name, value) }
        }
        if body != nil { request.fields.append("Content-Type", "application/json") }
        return request
    }
}

extension ManagementRefusal {
    init(_ failure: ManagementFailure) {
        let problem = failure.member.flatMap { path in failure.problem.map { (path: path, message: $0) } }
        self.init(failure.status, failure.message, problems: problem.map { [$0] } ?? [])
    }

    init(_ failure: AdministrationFailure) {
        var problems: [(path: String, message: String)] = []
        if case .invalid(let found) = failure { problems = found.map { ($0.path, $0.message) } }
        let whole = ManagementFailure(failure)
        self.init(whole.status, whole.message, problems: problems)
    }
}
