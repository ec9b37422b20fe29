package import AuthorizationCore
package import Primitives

/// A family of refresh tokens, of which the outside sees one token that changes.
package struct RefreshTokenRecord: Sendable, Equatable {
    package let family: RefreshTokenFamily
    package let metadata: JSONObject

    package init(family: RefreshTokenFamily, metadata: JSONObject) {
        self.family = family
        self.metadata = metadata
    }
}
