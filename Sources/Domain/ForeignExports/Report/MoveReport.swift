package import Primitives

/// The result of a conversion, for the people who move: each member of each object has a line. It holds no secrets.
package struct MoveReport: Sendable, Equatable {
    /// An object of the export.
    package struct Subject: Sendable, Hashable {
        package let kind: String
        package let name: String
        let file: String

        package init(kind: String, name: String, file: String) {
            self.kind = kind
            self.name = name
            self.file = file
        }
    }

    /// Objects that one line is about. Only the first names are kept.
    package struct Subjects: Sendable, Equatable {
        static let nameLimit = 1000

        package let kind: String
        package internal(set) var names: [String] = []
        package internal(set) var count = 0

        mutating func add(_ name: String) {
            count += 1
            if names.count < Self.nameLimit { names.append(name) }
        }

        mutating func drop(_ name: String) {
            guard let index = names.firstIndex(of: name) else { return }
            names.remove(at: index)
            count -= 1
        }
    }

    package struct Came: Sendable, Equatable {
        package internal(set) var subjects: Subjects
        /// Kind and name here.
        package let here: String
        /// Members whose meaning came along.
        package internal(set) var members: [String]
    }

    package struct Difference: Sendable, Equatable {
        package internal(set) var subjects: Subjects
        package let member: String
        package let was: String
        package let here: String
        package let follows: String
    }

    package struct Absence: Sendable, Equatable {
        package internal(set) var subjects: Subjects
        /// Empty for the whole object.
        package let member: String
        package let instead: String
        /// True if the member turned nothing on there.
        package let isIdle: Bool
    }

    package internal(set) var came: [Came] = []
    package internal(set) var differs: [Difference] = []
    package internal(set) var absent: [Absence] = []

    package var json: JSONValue {
        [
            "came": .array(
                came.map { line in
                    .object(line.subjects.json([("here", .string(line.here)), ("members", JSONValue(line.members))]))
                }),
            "differs": .array(
                differs.map { line in
                    .object(
                        line.subjects.json([
                            ("member", .string(line.member)), ("was", .string(line.was)), ("here", .string(line.here)),
                            ("follows", .string(line.follows)),
                        ]))
                }),
            "absent": .array(
                absent.map { line in
                    .object(
                        line.subjects.json([
                            ("member", .string(line.member)), ("instead", .string(line.instead)),
                            ("idle", .bool(line.isIdle)),
                        ]))
                }),
        ]
    }
}

extension MoveReport.Subjects {
    /// The objects in a few words: up to three names.
    package var words: String {
        switch count {
        case 0...3: "\(kind) \(names.joined(separator: ", "))"
        default: "\(kind) \(names.prefix(2).joined(separator: ", ")) and \(count - 2) more"
        }
    }

    fileprivate func json(_ members: [(String, JSONValue)]) -> JSONObject {
        var json: JSONObject = [
            "kind": .string(kind), "names": JSONValue(names), "count": .number(JSONNumber(count)),
        ]
        for (name, value) in members { json[name] = value }
        return json
    }
}
