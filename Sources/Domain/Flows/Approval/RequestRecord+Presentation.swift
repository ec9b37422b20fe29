import ApprovalWire
import AuthorizationCore
import JSONSchema
import Primitives

extension RequestRecord.Display {
    /// Adds the labels, order and formats that the API's schemas declare for the details.
    mutating func add(_ details: [JSONObject], registeredBy api: ResourceServer?) {
        let types = details.map { detail in
            api?.authorizationDetailsTypes.first { $0.type == detail["type"]?.stringValue }
        }
        presentation = SchemaPresentation.nodes(zip(details, types).map { ($0, $1?.schemaSource) })
        isUrgent = types.contains { $0?.isUrgent == true }
    }
}
