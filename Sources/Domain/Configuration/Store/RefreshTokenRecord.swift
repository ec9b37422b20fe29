package import AuthorizationCore
package import Primitives

/// A family of refresh tokens, which clients see as one changing token.
package struct RefreshTokenRecord: Sendable, Equatable {
    package let family: RefreshTokenFamily
    package let metadata: JSONObject

    package init(family: RefreshTokenFamily, metadata: JSONObject) {
        self.family = family
        self.metadata = metadata
    }
}
