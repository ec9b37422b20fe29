import AuthorizationCore
import Primitives
import Synchronization

/// Endpoints by which the service knows devices. It names forgotten ones again.
final class SNSEndpoints: Sendable {
    struct Name: Hashable {
        let credentials: CredentialStamp
        let application: SNSApplication
        let token: String
    }

    struct Endpoint {
        let arn: String
        /// True after this server enabled it again.
        var wasEnabled = false
    }

    private let endpoints = Mutex(BoundedTable<Name, Endpoint>(limit: 10_000))

    func known(_ name: Name) -> Endpoint? { endpoints.withLock { $0[name] } }

    func keep(_ endpoint: Endpoint, _ name: Name) { endpoints.withLock { $0[name] = endpoint } }

    func forget(_ name: Name) { endpoints.withLock { $0[name] = nil } }
}
