package import AuthorizationCore
package import Primitives

/// An entity whose document may have members that are only stored.
package protocol OpenEntity {
    var document: JSONObject { get }
    var additional: JSONObject { get set }
}

extension OpenEntity {
    /// Configured members and, beside them, the members that are only stored.
    package var flatDocument: JSONObject {
        var document = document
        document["additional"] = nil
        return document.completed(with: additional)
    }
}

extension Client: OpenEntity {}
extension ClientGrant: OpenEntity {}
extension LoginConnection: OpenEntity {}
extension ResourceServer: OpenEntity {}
