import APIDescription
import HTTPModel
import JSONSchema
import OAuthWire
import Primitives
import Synchronization

/// Compiles the shapes of an operation on its first request, so that a server starts without compiling unused ones.
final class OperationReader: Sendable {
    private let operation: Operation
    private let patterns: any PatternCompiler
    private let made = Mutex<RequestReader?>(nil)

    init(_ operation: Operation, _ patterns: any PatternCompiler) {
        self.operation = operation
        self.patterns = patterns
    }

    /// Throws `JSONSchema.Failure` if a declaration is not a valid schema.
    var compiled: RequestReader {
        get throws {
            try made.withLock { made in
                if let made { return made }
                let reader = try RequestReader(operation, patterns)
                made = reader
                return reader
            }
        }
    }
}

/// Reads the query and the body of requests to one operation. Refuses requests that do not match its declaration.
struct RequestReader: Sendable {
    /// Maximum nesting depth of a body.
    private static let depthLimit = 32

    private let parameters: [(parameter: Operation.Parameter, schema: JSONSchema)]
    private let body: (schema: JSONSchema, declared: Operation.Body)?

    /// Throws if a declaration is not a valid schema.
    init(_ operation: Operation, _ patterns: any PatternCompiler) throws(JSONSchema.Failure) {
        var parameters: [(parameter: Operation.Parameter, schema: JSONSchema)] = []
        for parameter in operation.parameters where parameter.place == .query {
            parameters.append((parameter, try JSONSchema(compiling: parameter.shape.json, patterns: patterns)))
        }
        self.parameters = parameters
        if let declared = operation.body {
            body = (try JSONSchema(compiling: declared.shape.json, patterns: patterns), declared)
        } else {
            body = nil
        }
    }

    /// Reads the declared parameters and ignores others.
    func query(_ text: String?) throws(ManagementFailure) -> JSONObject {
        var values: [String: [String]] = [:]
        for pair in (text ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(parts[0]), let value = Self.decode(parts.dropFirst().first ?? "".utf8[...])
            else { throw .invalidQuery("is not valid percent-encoding of UTF-8", at: "query") }
            values[name, default: []].append(value)
        }
        var read = JSONObject()
        for (parameter, schema) in parameters {
            guard let given = values[parameter.name], given != [""] else {
                if parameter.isRequired {
                    throw .invalidQuery("Missing required property: \(parameter.name)", at: parameter.name)
                }
                continue
            }
            let declared = parameter.shape.schema
            guard given.count == 1 || declared["type"] == "array" else {
                throw .invalidQuery("is repeated; send it once", at: parameter.name)
            }
            let value = Self.value(given, declared)
            if let violation = schema.validate(value) { throw .invalidQuery(violation.english, at: parameter.name) }
            read[parameter.name] = value
        }
        return read
    }

    private static func decode(_ text: some Collection<UInt8>) -> String? {
        PercentEncoding.decode(text.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }[...])
    }

    /// Converts the text to its declared type. If that fails, returns the text, which the schema refuses.
    private static func value(_ given: [String], _ schema: JSONObject) -> JSONValue {
        let text = given[0]
        switch schema["type"]?.stringValue {
        case "integer": return Int(text).map { .number(JSONNumber($0)) } ?? .string(text)
        case "boolean" where text == "true": return true
        case "boolean" where text == "false": return false
        // Repeated parameters or comma-separated values.
        case "array": return JSONValue(given.flatMap { $0.split(separator: ",").map(String.init) })
        default: return .string(text)
        }
    }

    func body(_ request: Request) throws(ManagementFailure) -> JSONValue {
        guard let body, body.declared.isRequired || !request.body.isEmpty else { return [:] }
        guard let mediaType = request.fields.mediaType, body.declared.mediaTypes.contains(mediaType) else {
            throw ManagementFailure(415, "Send the body as \(body.declared.mediaTypes.joined(separator: " or "))")
        }
        let value =
            mediaType == "application/json"
            ? try Self.json(request) : try Self.form(request, body.declared.shape.schema)
        let unknown = Self.unknown(in: value, body.declared.shape.schema)
        if let first = unknown.first { throw .invalidBody(first.message, at: first.path) }
        if let violation = body.schema.validate(value) {
            throw .invalidBody(violation.english, at: Self.property(violation.pointer))
        }
        return value
    }

    private static func json(_ request: Request) throws(ManagementFailure) -> JSONValue {
        do {
            return try JSONReader.parse(request.body, depthLimit: depthLimit)
        } catch {
            throw .invalidBody(error.text(of: "The body").text)
        }
    }

    /// The parts of a form with a file as members of an object, with the types that the schema has for them.
    private static func form(_ request: Request, _ schema: JSONObject) throws(ManagementFailure) -> JSONValue {
        let properties = schema["properties"]?.objectValue ?? [:]
        let form: MultipartForm
        do throws(MultipartForm.Failure) {
            form = try MultipartForm(
                request.body, contentType: request.fields["Content-Type"] ?? "", partLimit: properties.count + 1)
        } catch {
            throw .invalidBody(error.reason)
        }
        var object = JSONObject()
        for (name, part) in form.parts.sorted(by: { $0.key < $1.key }) {
            guard let text = String(validating: part.body, as: UTF8.self) else {
                throw .invalidBody("must be UTF-8", at: name)
            }
            object[name] = value([text], properties[name]?.objectValue ?? [:])
        }
        return .object(object)
    }

    /// Members that the schema excludes, with the nearest of those that it has.
    private static func unknown(
        in value: JSONValue, _ schema: JSONObject, at path: String = ""
    ) -> [(path: String, message: String)] {
        if let elements = value.arrayValue {
            guard let items = schema["items"]?.objectValue else { return [] }
            return elements.enumerated().flatMap { unknown(in: $1, items, at: "\(path)[\($0)]") }
        }
        guard let members = value.objectValue, let properties = schema["properties"]?.objectValue else { return [] }
        return members.flatMap { name, value in
            let place = path.isEmpty ? name : "\(path).\(name)"
            if let inner = properties[name]?.objectValue { return unknown(in: value, inner, at: place) }
            if schema["additionalProperties"] != false { return [] }
            return [(place, Spelling.unknownField(name, among: properties.map(\.name)))]
        }
    }

    /// Converts `/scopes/0/value` to `scopes[0].value`.
    private static func property(_ pointer: String) -> String {
        var path = ""
        for part in pointer.split(separator: "/") {
            if part.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                path += "[\(part)]"
            } else {
                path += path.isEmpty ? "\(part)" : ".\(part)"
            }
        }
        return path
    }
}
