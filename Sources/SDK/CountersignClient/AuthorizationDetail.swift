import PlatformFoundation
public import Primitives

/// A JSON value that keeps the order of members and the notation of numbers.
public typealias JSONValue = Primitives.JSONValue

/// A type of authorization details (RFC 9396), such as a payment. Declare every member except `type` as a property.
/// Encoding adds `type`.
///
/// ```swift
/// struct Payment: AuthorizationDetail {
///     static let type = "payment"
///     var amount: String
/// }
/// ```
public protocol AuthorizationDetail: Codable, Sendable {
    /// The value of the member `type`, as registered with the API.
    static var type: String { get }
}

extension AuthorizationDetail {
    /// The JSON object that is sent.
    public func json() throws(CountersignError) -> JSONValue {
        guard let data = try? JSONEncoder().encode(self), let value = try? JSONReader.parse(Array(data)),
            let object = value.objectValue
        else { throw .invalidAuthorizationDetails("\(Self.type) does not encode to a JSON object") }
        var typed: JSONObject = ["type": .string(Self.type)]
        for (name, value) in object where name != "type" { typed[name] = value }
        return .object(typed)
    }
}

extension [JSONValue] {
    /// The authorization details of one type, in order. Throws if one of them does not decode.
    public func filter<Detail: AuthorizationDetail>(byType type: Detail.Type) throws(CountersignError) -> [Detail] {
        var found: [Detail] = []
        for value in self where value["type"]?.stringValue == Detail.type {
            do {
                found.append(try JSONDecoder().decode(Detail.self, from: Data(JSONWriter.bytes(value))))
            } catch {
                throw .invalidAuthorizationDetails("an authorization detail of type \(Detail.type) does not decode")
            }
        }
        return found
    }
}
