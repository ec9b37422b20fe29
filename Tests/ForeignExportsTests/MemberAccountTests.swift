@testable import ForeignExports
import Primitives
import Testing

@Suite("Every member of an export has a line in the report")
struct MemberAccountTests {
    /// Paths of the members below a value, with `[]` for elements.
    private static func paths(_ value: JSONValue, _ path: String = "") -> [String] {
        switch value {
        case .object(let object):
            object.flatMap { member in
                let inner = path.isEmpty ? member.name : "\(path).\(member.name)"
                return [inner] + paths(member.value, inner)
            }
        case .array(let elements): elements.flatMap { paths($0, path + "[]") }
        case .null, .bool, .number, .string: []
        }
    }

    /// True if a line about one of the names covers the path: about it, about what it is in, or about its parts.
    private static func covers(_ report: MoveReport, _ names: Set<String>, _ path: String, parts: Bool) -> Bool {
        func concerns(_ subjects: MoveReport.Subjects) -> Bool { subjects.names.contains(where: names.contains) }
        func contains(_ member: String) -> Bool {
            member.isEmpty || member == path || path.hasPrefix(member + ".") || path.hasPrefix(member + "[]")
                || parts && (member.hasPrefix(path + ".") || member.hasPrefix(path + "[]"))
        }
        return report.came.contains { concerns($0.subjects) && $0.members.contains(where: contains) }
            || report.differs.contains { concerns($0.subjects) && contains($0.member) }
            || report.absent.contains { concerns($0.subjects) && contains($0.member) }
    }

    /// Members of an object that no line is about. A null and an empty container say nothing.
    private static func missing(
        _ value: JSONValue, _ report: MoveReport, _ names: Set<String>, besides: Set<String> = []
    ) -> [String] {
        paths(value).filter { path in
            let isEmpty = [.null, .array([]), .object([:])].contains(at(path, value))
            return !besides.contains(where: { path == $0 || path.hasPrefix($0 + ".") || path.hasPrefix($0 + "[]") })
                && !isEmpty && !covers(report, names, path, parts: true)
        }
    }

    private static func at(_ path: String, _ value: JSONValue) -> JSONValue? {
        value.objectValue?[path]
    }

    @Test("Auth0's members, file by file")
    func auth0() throws {
        let report = try Exports.auth0().report
        var count = 0
        for file in try Exports.files("auth0") where file.path.hasSuffix(".json") {
            let value = try JSONReader.parse(file.bytes)
            for object in value.arrayValue ?? [value] {
                let named = ["name", "identifier", "domain", "template"].lazy.compactMap { object[$0]?.stringValue }
                    .first
                let missing = Self.missing(object, report, [file.path, named ?? ""])
                #expect(missing == [], "\(file.path)")
                count += Self.paths(object).count
            }
        }
        #expect(count > 400)
    }

    @Test("A realm's members, object by object")
    func keycloak() throws {
        let report = try Exports.keycloak().report
        let realm = try JSONReader.parse(
            try Exports.file("northwind-realm.json", of: try Exports.files("keycloak")).bytes)
        let lists = ["clients": "clientId", "clientScopes": "name", "identityProviders": "alias", "users": "username"]
        let others: Set<String> = ["roles", "groups"]
        #expect(Self.missing(realm, report, ["northwind"], besides: others.union(lists.keys)) == [])
        for (list, name) in lists {
            for object in realm[list]?.arrayValue ?? [] {
                let title = try #require(object[name]?.stringValue)
                #expect(Self.missing(object, report, [title]) == [], "\(list) \(title)")
            }
        }
        let clientRoles = realm["roles"]?["client"]?.objectValue?.flatMap { $0.value.arrayValue ?? [] } ?? []
        for role in (realm["roles"]?["realm"]?.arrayValue ?? []) + clientRoles {
            #expect(Self.missing(role, report, [role["name"]?.stringValue ?? ""], besides: ["composites"]) == [])
        }
        var groups = realm["groups"]?.arrayValue ?? []
        while let group = groups.popLast() {
            groups += group["subGroups"]?.arrayValue ?? []
            #expect(Self.missing(group, report, [group["path"]?.stringValue ?? ""], besides: ["subGroups"]) == [])
        }
    }

    @Test("Members that nobody knows yet")
    func unknown() throws {
        let report = try Exports.keycloak { text in
            text = text.replacing(#""realm": "northwind","#, with: #""realm": "northwind", "newInNextVersion": 1,"#)
        }.report
        #expect(report.absence("northwind", "newInNextVersion") != nil)
    }
}
