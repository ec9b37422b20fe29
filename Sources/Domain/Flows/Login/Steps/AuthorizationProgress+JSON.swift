import AuthorizationCore
import OAuthWire
import Primitives

/// As a store keeps it.
extension AuthorizationProgress {
    var json: JSONValue {
        var object = JSONObject()
        if let authentication {
            object["authentication"] = [
                "user": .string(authentication.user.rawValue), "at": JSONValue(authentication.at.milliseconds),
                "time_known": .bool(authentication.isTimeKnown), "methods": JSONValue(authentication.methods),
                "connection": .string(authentication.connection),
                "access_endings": .number(JSONNumber(authentication.accessEndings)),
            ]
        }
        if let proof { object["proof"] = .string(Base64URL.encode(proof)) }
        if let session { object["session"] = .string(session.rawValue) }
        switch account {
        case .current(let user): object["account"] = .string(user.rawValue)
        case .other: object["other_account"] = true
        case nil: break
        }
        if let belongings { object["belongings"] = belongings.json }
        if let upstreamAttempt { object["upstream"] = upstreamAttempt }
        if let expectedUser { object["expected_user"] = .string(expectedUser.rawValue) }
        return .object(object)
    }

    /// Reads what `json` wrote; anything else counts as no progress, so that nothing is taken for proven by mistake.
    init(_ value: JSONValue) {
        self.init(expecting: value["expected_user"]?.stringValue.map { UserID($0) })
        if let known = value["authentication"], let user = known["user"]?.stringValue, let at = known["at"]?.intValue,
            let methods = known["methods"]?.stringsValue, let connection = known["connection"]?.stringValue
        {
            authentication = Authentication(
                user: UserID(user), at: Timestamp(milliseconds: Int64(at)),
                isTimeKnown: known["time_known"]?.boolValue ?? false, methods: methods, connection: connection,
                accessEndings: known["access_endings"]?.intValue ?? 0)
        }
        proof = value["proof"]?.stringValue.flatMap { Base64URL.decode($0) }
        session = value["session"]?.stringValue.map { SessionID($0) }
        if value["other_account"] == true {
            account = .other
        } else {
            account = value["account"]?.stringValue.map { .current(UserID($0)) }
        }
        belongings = value["belongings"].flatMap(Belongings.init)
        upstreamAttempt = value["upstream"]
    }
}

extension AuthorizationProgress.Belongings {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "user": .string(owner.user.rawValue), "access_endings": .number(JSONNumber(owner.accessEndings)),
        ]
        if let session = owner.session { object["session"] = .string(session.rawValue) }
        if gaveSecondFactor { object["second_factor"] = true }
        if let consented { object["consented"] = .string(consented.description) }
        if let push {
            object["push"] = [
                "hash": .string(Base64URL.encode(push.hash)), "number": .number(JSONNumber(push.number)),
                "expires_at": JSONValue(push.expiresAt.milliseconds),
                "digest": .string(Base64URL.encode(push.digest)),
            ]
        }
        if let sealedEnrollment { object["enrollment"] = .string(Base64URL.encode(sealedEnrollment)) }
        return .object(object)
    }

    /// Nil for what names no owner.
    fileprivate init?(_ value: JSONValue) {
        guard let user = value["user"]?.stringValue, let endings = value["access_endings"]?.intValue else { return nil }
        self.init(
            of: AuthorizationProgress.Owner(
                user: UserID(user), accessEndings: endings,
                session: value["session"]?.stringValue.map { SessionID($0) }))
        gaveSecondFactor = value["second_factor"]?.boolValue ?? false
        consented = value["consented"]?.stringValue.flatMap { try? ScopeSet(parsing: $0) }
        if let push = value["push"], let hash = push["hash"]?.stringValue.flatMap({ Base64URL.decode($0) }),
            let number = push["number"]?.intValue, let expiresAt = push["expires_at"]?.intValue,
            let digest = push["digest"]?.stringValue.flatMap({ Base64URL.decode($0) })
        {
            self.push = AuthorizationProgress.Push(
                hash: hash, number: number, expiresAt: Timestamp(milliseconds: Int64(expiresAt)), digest: digest)
        }
        sealedEnrollment = value["enrollment"]?.stringValue.flatMap { Base64URL.decode($0) }
    }
}
