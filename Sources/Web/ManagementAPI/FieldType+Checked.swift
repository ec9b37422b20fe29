import Configuration
import JSONSchema
import Primitives

/// Members that nothing but the operation's schema checks.
extension FieldType {
    static func checked(_ shape: Shape, _ take: @escaping @Sendable (JSONValue) -> Value?) -> FieldType {
        FieldType(shape, "", read: { $0.value($1).flatMap(take) }, write: { _ in nil })
    }

    static func id<Tag>() -> FieldType where Value == ID<Tag> {
        checked(.text(1...255)) { $0.stringValue.map { ID($0) } }
    }

    static func ids<Tag>(_ count: ClosedRange<Int>) -> FieldType where Value == [ID<Tag>] {
        checked(.list(.text(1...255), count)) { $0.stringsValue?.map { ID($0) } }
    }
}

extension FieldType where Value == String {
    /// `length` is in characters.
    static func characters(_ length: ClosedRange<Int> = 1...255) -> FieldType { checked(.text(length), \.stringValue) }
}
