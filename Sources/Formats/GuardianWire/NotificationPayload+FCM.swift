package import Primitives

extension NotificationPayload {
    /// Firebase's data message: a flat object of texts, of which `s` and `l` are JSON.
    package var fcmData: JSONObject {
        var data: JSONObject = [
            "dai": .string(enrollmentID), "txtkn": .string(transactionToken), "c": .string(challenge),
            "d": .string(date.iso8601), "sh": .string(host),
        ]
        data["txlnkid"] = transactionLinkingID.map(JSONValue.string)
        data["s"] = source.map { .string(JSONWriter.string($0.json)) }
        data["l"] = location.map { .string(JSONWriter.string($0.json)) }
        if isUrgent { data["urgent"] = "true" }
        return data
    }
}
