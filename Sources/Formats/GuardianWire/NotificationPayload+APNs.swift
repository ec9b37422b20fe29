package import Primitives

extension NotificationPayload {
    /// Reads APNs' form. Throws for a payload of another category.
    package init(apns value: JSONValue) throws(GuardianWireFailure) {
        let outer = try Members(value)
        let aps = try outer.members("aps")
        guard try aps.string("category") == Self.category else {
            throw .invalid("aps.category", expected: Self.category)
        }
        try self.init(try outer.members("mfa"))
        isUrgent = outer.value("urgent")?.boolValue ?? false
        // An alert may also be one string (APNs: the whole text).
        title = aps.value("alert")?["title"]?.stringValue
        body = aps.value("alert")?["body"]?.stringValue ?? aps.value("alert")?.stringValue
    }

    package init(apnsParsing bytes: [UInt8]) throws(GuardianWireFailure) {
        let value: JSONValue
        do { value = try JSONReader.parse(bytes) } catch { throw .notJSON }
        try self.init(apns: value)
    }

    private init(_ mfa: Members) throws(GuardianWireFailure) {
        guard let date = Timestamp(iso8601: try mfa.string("d")) else {
            throw .invalid(mfa.name("d"), expected: "a date-time of RFC 3339")
        }
        // Auth0's documents write txlinkid; the wire has txlnkid. Both are read.
        let linkingName = mfa.value("txlnkid") == nil ? "txlinkid" : "txlnkid"
        self.init(
            enrollmentID: try mfa.string("dai"), transactionToken: try mfa.string("txtkn"),
            transactionLinkingID: try mfa.optionalString(linkingName),
            challenge: try mfa.string("c"), date: date, host: try mfa.string("sh"),
            source: Source(lenient: mfa.value("s")), location: Location(lenient: mfa.value("l")))
    }

    package var apns: [UInt8] { JSONWriter.object(capacity: 512, writeAPNs) }

    func writeAPNs(to writer: inout JSONWriter) {
        writer.member("aps") { writer in
            writer.member("alert") { writer in
                writer.member("title", ifPresent: title)
                writer.member("body", ifPresent: body)
            }
            writer.member("category", Self.category)
            writer.member("mutable-content", 1)
            writer.member("sound", "default")
        }
        writer.member("mfa", object: writeMFA)
        if isUrgent { writer.member("urgent", true) }
    }

    private func writeMFA(to writer: inout JSONWriter) {
        writer.member("dai", enrollmentID)
        writer.member("txtkn", transactionToken)
        writer.member("txlnkid", ifPresent: transactionLinkingID)
        writer.member("c", challenge)
        writer.member("d", date.iso8601)
        writer.member("sh", host)
        if let source { writer.member("s", source.json) }
        if let location { writer.member("l", location.json) }
    }
}

extension NotificationPayload.Agent {
    init?(lenient value: JSONValue?) {
        guard let name = value?["n"]?.stringValue else { return nil }
        self.init(name: name, version: value?["v"]?.stringValue)
    }

    var json: JSONValue {
        var object: JSONObject = ["n": .string(name)]
        object["v"] = version.map(JSONValue.string)
        return .object(object)
    }
}

extension NotificationPayload.Source {
    /// Nil if neither browser nor system has a name: a hint must not make the push fail.
    init?(lenient value: JSONValue?) {
        browser = .init(lenient: value?["b"])
        system = .init(lenient: value?["os"])
        if browser == nil && system == nil { return nil }
    }

    var json: JSONValue {
        var object = JSONObject()
        object["b"] = browser?.json
        object["os"] = system?.json
        return .object(object)
    }
}

extension NotificationPayload.Location {
    /// Latitude and longitude are both strings or both numbers. Unreadable ones are omitted.
    init?(lenient value: JSONValue?) {
        guard let value, value.objectValue != nil else { return nil }
        func degrees(_ name: String) -> Double? {
            let number = value[name]?.doubleValue ?? value[name]?.stringValue.flatMap { Double($0) }
            return number.flatMap { $0.isFinite ? $0 : nil }
        }
        name = value["n"]?.stringValue
        if let latitude = degrees("lat"), let longitude = degrees("long") {
            self.latitude = latitude
            self.longitude = longitude
        }
        if name == nil && latitude == nil { return nil }
    }

    var json: JSONValue {
        var object = JSONObject()
        object["n"] = name.map(JSONValue.string)
        if let latitude = latitude.flatMap({ JSONNumber($0) }), let longitude = longitude.flatMap({ JSONNumber($0) }) {
            object["lat"] = .string(latitude.literal)
            object["long"] = .string(longitude.literal)
        }
        return .object(object)
    }
}
