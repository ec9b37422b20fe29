import Primitives

extension TypeModule {
    /// A module of TypeScript.
    var typeScript: String {
        var lines = ["// Made by countersign types. Changes are lost."]
        for declaration in declarations {
            lines += [""] + Self.comment(declaration.text, "") + ["export interface \(declaration.name) {"]
            for member in declaration.members {
                lines += Self.comment(member.text, "  ")
                let name = isIdentifier(member.name) ? member.name : JSONWriter.string(.string(member.name))
                lines.append("  \(name)\(member.isRequired ? "" : "?"): \(member.shape.typeScript);")
            }
            lines.append("}")
        }
        let all = details.isEmpty ? "never" : details.joined(separator: " | ")
        return (lines + ["", "export type AuthorizationDetail = \(all);"]).joined(separator: "\n")
    }

    /// A module of Python, from 3.10 on. The functional form takes names such as `from`, which are keywords.
    var python: String {
        var lines = [
            #""""Made by countersign types. Changes are lost.""""#, "",
            "from typing import Any, Literal, TypedDict, Union",
        ]
        for declaration in declarations {
            lines += ["", ""]
            for isRequired in [true, false] {
                let members = declaration.members.filter { $0.isRequired == isRequired }
                let name = "_\(declaration.name)\(isRequired ? "Required" : "Optional")"
                lines.append("\(name) = TypedDict(\"\(name)\", {")
                for member in members {
                    if let text = member.text { lines.append("    # \(oneLine(text))") }
                    lines.append("    \(JSONWriter.string(.string(member.name))): \(member.shape.python),")
                }
                lines.append(isRequired ? "})" : "}, total=False)")
            }
            lines += ["", "", "class \(declaration.name)(_\(declaration.name)Required, _\(declaration.name)Optional):"]
            lines.append("    \(pythonText(declaration.text ?? declaration.name))")
        }
        let all = details.isEmpty ? "None" : "Union[\(details.joined(separator: ", "))]"
        return (lines + ["", "", "AuthorizationDetail = \(all)"]).joined(separator: "\n")
    }

    private static func comment(_ text: String?, _ indent: String) -> [String] {
        text.map { ["\(indent)/** \(oneLine($0).replacing("*/", with: "* /")) */"] } ?? []
    }
}

private func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " ").showingUnseen
}

private func pythonText(_ text: String) -> String { JSONWriter.string(.string(oneLine(text))) }

private func isIdentifier(_ name: String) -> Bool {
    let isPlain = name.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || $0 == "_" || "0"..."9" ~= $0)
    }
    return isPlain && name.first.map { !$0.isNumber } == true
}

extension SchemaShape {
    fileprivate var typeScript: String {
        switch self {
        case .any: "unknown"
        case .text: "string"
        case .number, .integer: "number"
        case .flag: "boolean"
        case .null: "null"
        case .literals(let values):
            values.isEmpty
                ? "never" : values.map { $0.isLiteral ? JSONWriter.string($0) : "unknown" }.joined(separator: " | ")
        case .list(let element): "Array<\(element.typeScript)>"
        case .map(let value): "Record<string, \(value.typeScript)>"
        case .named(let name): name
        case .union(let shapes): shapes.isEmpty ? "never" : shapes.map(\.typeScript).joined(separator: " | ")
        }
    }

    fileprivate var python: String {
        switch self {
        case .any: "Any"
        case .text: "str"
        case .number: "float"
        case .integer: "int"
        case .flag: "bool"
        case .null: "None"
        case .literals(let values): Self.union(values.map(Self.python))
        case .list(let element): "list[\(element.python)]"
        case .map(let value): "dict[str, \(value.python)]"
        // A text, because a type may contain itself.
        case .named(let name): "\"\(name)\""
        case .union(let shapes): Self.union(shapes.map(\.python))
        }
    }

    private static func union(_ parts: [String]) -> String {
        parts.isEmpty ? "Any" : parts.count == 1 ? parts[0] : "Union[\(parts.joined(separator: ", "))]"
    }

    private static func python(_ value: JSONValue) -> String {
        switch value {
        case .string: "Literal[\(JSONWriter.string(value))]"
        case .bool(let flag): flag ? "Literal[True]" : "Literal[False]"
        case .null: "None"
        case .number(let number): Int(number.literal) == nil ? "float" : "Literal[\(number.literal)]"
        case .array, .object: "Any"
        }
    }
}

extension JSONValue {
    fileprivate var isLiteral: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }
}
