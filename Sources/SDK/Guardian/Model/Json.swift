public import Foundation
import Primitives

/// A JSON value from the server. Members keep their order and numbers their notation, so that users read exactly the
/// requested values.
public struct Json: Sendable, Hashable {
    let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    /// Reads JSON text.
    ///
    /// - Throws: An error that names the position of the first fault.
    public init(parsing data: Data) throws { value = try JSONReader.parse(Array(data)) }

    /// Nil means that the value is not a string.
    public var stringValue: String? { value.stringValue }
    /// Nil means that the value is neither true nor false.
    public var boolValue: Bool? { value.boolValue }
    /// A number, rounded to a `Double`. Nil means that the value is not a number.
    public var doubleValue: Double? { value.doubleValue }
    /// A number without rounding, for amounts of money.
    public var decimalValue: Decimal? { numberText.flatMap { Decimal(string: $0, locale: Locale(identifier: "C")) } }
    /// A number in its original notation, such as `12.50`.
    public var numberText: String? { if case .number(let number) = value { number.literal } else { nil } }
    /// Nil means that the value is not an array.
    public var arrayValue: [Json]? { value.arrayValue?.map(Json.init) }
    /// An object's members without their order. Nil means that the value is not an object.
    public var objectValue: [String: Json]? {
        members.map { members in Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first } }
    }
    /// An object's members in their original order.
    public var members: [(name: String, value: Json)]? {
        value.objectValue?.map { (name: $0.name, value: Json($0.value)) }
    }
    public var isNull: Bool { value.isNull }

    /// An array's element. Nil means that the index is out of range or the value is not an array.
    public subscript(index: Int) -> Json? { value[index].map(Json.init) }
    /// An object's member. Nil means that there is no such member or the value is not an object.
    public subscript(name: String) -> Json? { value[name].map(Json.init) }

    /// Compact JSON text.
    public var data: Data { Data(JSONWriter.bytes(value)) }
}

extension Json: CustomStringConvertible {
    /// Compact JSON text.
    public var description: String { JSONWriter.string(value) }
}

extension Json: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = .null
        } else if let flag = try? container.decode(Bool.self) {
            value = .bool(flag)
        } else if let text = try? container.decode(String.self) {
            value = .string(text)
        } else if let number = try? container.decode(Decimal.self) {
            value = try JSONReader.parse("\(number)")
        } else if let array = try? container.decode([Json].self) {
            value = .array(array.map(\.value))
        } else {
            var object = JSONObject()
            for (name, json) in try container.decode([String: Json].self) { object[name] = json.value }
            value = .object(object)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .null: try container.encodeNil()
        case .bool(let flag): try container.encode(flag)
        case .string(let text): try container.encode(text)
        case .number(let number): try container.encode(decimalValue ?? Decimal(number.doubleValue))
        case .array: try container.encode(arrayValue)
        case .object: try container.encode(objectValue)
        }
    }
}
