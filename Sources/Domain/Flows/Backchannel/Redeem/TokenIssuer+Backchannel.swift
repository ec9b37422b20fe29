import AuthorizationCore
import Primitives

extension TokenIssuer {
    /// How the user was authenticated (RFC 8176): a key the device holds, over a channel apart from the client's.
    private static let methods = ["pop", "mca"]

    /// What a user allowed on a device. No browser's session is behind it.
    func access(of request: BackchannelRequest, decidedAt: Timestamp) -> GrantedAccess {
        GrantedAccess(
            id: Identifiers.authorization(random), tenant: request.tenant, client: request.client, user: request.user,
            scope: request.scope, audience: request.audience, authorizationDetails: request.authorizationDetails,
            authTime: decidedAt, methods: Self.methods, contextClass: AuthenticationContextClass.deviceKey.rawValue,
            session: nil)
    }
}
