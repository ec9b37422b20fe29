public import Primitives

public struct JSONSchema: Sendable {
    public struct Failure: Error, Sendable {}
    public struct Violation: Sendable {
        public let english: String
        public let french: String
    }
    public init(compiling value: JSONValue) throws(Failure) {}
    public func validate(_ value: JSONValue) -> Violation? { nil }
}
