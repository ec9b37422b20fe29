import Primitives

/// A file of another product's export.
package struct ForeignFile: Sendable {
    /// Name as people know it: below the export's folder, or as given.
    package let path: String
    package let bytes: [UInt8]

    package init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    /// Deepest nesting of a realm: groups within groups.
    private static let depthLimit = 96

    func json() throws(ForeignFailure) -> JSONValue { try json(Array(bytes.withoutByteOrderMark)) }

    func json(_ bytes: [UInt8]) throws(ForeignFailure) -> JSONValue {
        do throws(JSONReader.Failure) {
            return try JSONReader.parse(bytes, depthLimit: Self.depthLimit)
        } catch {
            let problem =
                switch error {
                case .syntax(let offset, let text): "is not valid JSON: \(text), at byte \(offset + 1); export it again"
                case .tooDeep(let limit): "is nested more than \(limit) levels deep; no export is"
                case .duplicateName(let name): "has the member \(name) twice in one object; remove one of them"
                }
            throw ForeignFailure(file: path, path: "", problem)
        }
    }
}

/// An export that cannot be read: the place, and the change that it needs.
package struct ForeignFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package let file: String
    /// Members down to the fault. Empty for the whole file.
    package let path: String
    package let message: String

    package init(file: String, path: String, _ message: String) {
        self.file = file
        self.path = path
        self.message = message
    }

    package var description: String { path.isEmpty ? "\(file): \(message)" : "\(file): \(path) \(message)" }
}
