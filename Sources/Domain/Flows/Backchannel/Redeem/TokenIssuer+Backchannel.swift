import AuthorizationCore
import Primitives

extension TokenIssuer {
    /// Methods of authentication (RFC 8176): a key of the device, over a channel other than the client's.
    private static let methods = ["pop", "mca"]

    /// Access that a user allowed on a device. It belongs to no browser session.
    func access(of request: BackchannelRequest, decidedAt: Timestamp) -> GrantedAccess {
        GrantedAccess(
            id: Identifiers.authorization(random), tenant: request.tenant, client: request.client, user: request.user,
            scope: request.scope, audience: request.audience, authorizationDetails: request.authorizationDetails,
            authTime: decidedAt, methods: Self.methods, contextClass: AuthenticationContextClass.deviceKey.rawValue,
            session: nil)
    }
}
