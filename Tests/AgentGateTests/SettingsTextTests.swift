@testable import AgentGate
import Primitives
import Testing

@Suite("Settings of agents")
struct SettingsTextTests {
    private static let group: JSONValue = [
        "hooks": [["type": "command", "command": "gate hook --agent x", "timeout": 600]]
    ]
    private static let path = ["hooks", "PermissionRequest"]

    private func isOwn(_ value: JSONValue) -> Bool { value == Self.group }

    @Test(
        "A hook that is added and taken back leaves every byte as it was, and nothing else is changed meanwhile",
        arguments: [
            "{}", "{\n}", " { } \n", #"{"a":1}"#, "{\n  \"a\": [1, 2],\n  \"model\": \"x\"\n}\n",
            "{\n\t\"hooks\": {}\n}",
            "{\n  \"hooks\": {\n    \"Stop\": [ { \"hooks\": [] } ]\n  },\n  \"z\": \"}\\\"]\"\n}",
            #"{"hooks":{"PermissionRequest":[]}}"#, "{\"hooks\": {\"PermissionRequest\": [ ] , \"b\":{}}}",
            "{\n  \"hooks\": {\n    \"PermissionRequest\": [\n      {\n        \"matcher\": \"A\",\n        \"hooks\": []\n      }\n    ]\n  }\n}",
            "{\r\n  \"a\": \"\\\\\",\r\n  \"b\": \"[{\"\r\n}\r\n",
        ])
    func roundTrip(_ text: String) throws {
        var settings = try SettingsText(Array(text.utf8))
        let before = try JSONReader.parse(text)
        let depth = try settings.append(Self.group, to: Self.path)
        var expected = before.objectValue ?? [:]
        var hooks = expected["hooks"]?.objectValue ?? [:]
        hooks["PermissionRequest"] = .array((hooks["PermissionRequest"]?.arrayValue ?? []) + [Self.group])
        expected["hooks"] = .object(hooks)
        #expect(try JSONReader.parse(settings.bytes) == .object(expected))
        #expect(settings.remove(from: Self.path, keeping: depth, isOwn) == 1)
        #expect(String(decoding: settings.bytes, as: UTF8.self) == text)
        #expect(settings.remove(from: Self.path, keeping: depth, isOwn) == 0)
    }

    @Test("Everything that was added around the hook, or written anew by the agent, stays")
    func changedMeanwhile() throws {
        var settings = try SettingsText(Array(#"{"a":1}"#.utf8))
        let depth = try settings.append(Self.group, to: Self.path)
        let value = try JSONReader.parse(settings.bytes)
        var object = try #require(value.objectValue)
        object["b"] = 2
        var hooks = try #require(object["hooks"]?.objectValue)
        hooks["PermissionRequest"] = .array([["other": 1], Self.group, ["more": 2]])
        object["hooks"] = .object(hooks)
        var again = try SettingsText(Array(JSONWriter.lines(.object(object)).joined(separator: "\n").utf8))
        #expect(again.remove(from: Self.path, keeping: depth, isOwn) == 1)
        #expect(
            try JSONReader.parse(again.bytes)
                == ["a": 1, "hooks": ["PermissionRequest": [["other": 1], ["more": 2]]], "b": 2])
    }

    @Test(
        "Settings that are no JSON object, or have something else in the hook's place, are refused",
        arguments: [
            "", "[]", "{\"a\":1,}", "// x\n{}", #"{"hooks":[]}"#, #"{"hooks":{"PermissionRequest":{}}}"#,
            #"{"hooks":null}"#,
        ])
    func refused(_ text: String) {
        #expect(throws: SettingsText.Failure.self) {
            var settings = try SettingsText(Array(text.utf8))
            _ = try settings.append(Self.group, to: Self.path)
        }
    }
}
