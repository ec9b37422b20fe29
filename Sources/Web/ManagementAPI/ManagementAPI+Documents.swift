import Administration
import AuthorizationCore
import Primitives

/// Objects as the API returns them.
extension ManagementAPI {
    static func document(of block: UserBlock) -> JSONObject {
        var document: JSONObject = [
            "identifier": .string(block.identifier), "connection": .string(block.connection),
            "factor": .string(block.secret.rawValue),
        ]
        document["ip"] = block.address.map(JSONValue.string)
        return document
    }
}
