package import Administration
package import AuthorizationCore
package import Primitives

/// Objects as the API returns them. The command line shows the same documents.
extension ManagementAPI {
    package static func document(of user: UserRecord) -> JSONObject { UserShapes.json(user) }

    /// `secret` is set only if it was just generated.
    package static func document(of client: Client, secret: SecretBytes? = nil, in tenant: Tenant) -> JSONObject {
        ClientShapes.json(client, secret: secret, tenant)
    }

    package static func document(of credential: ClientCredential) -> JSONObject {
        ClientCredentialShapes.json(credential)
    }

    package static func document(of grant: ManageClientGrants.Entry) -> JSONObject { ClientGrantShapes.json(grant) }

    package static func document(of block: UserBlock) -> JSONObject {
        var document: JSONObject = [
            "identifier": .string(block.identifier), "connection": .string(block.connection),
            "factor": .string(block.secret.rawValue),
        ]
        document["ip"] = block.address.map(JSONValue.string)
        return document
    }

    package static func document(of api: ResourceServer, id: String) -> JSONObject {
        ResourceServerShapes.json(api, id: id)
    }
}
