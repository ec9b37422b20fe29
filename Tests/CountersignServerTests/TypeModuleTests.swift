@testable import CountersignCommand
import Primitives
import Testing

@Suite("Types from schemas")
struct TypeModuleTests {
    private func module(_ types: KeyValuePairs<String, JSONValue?>) -> TypeModule {
        var module = TypeModule()
        for (type, schema) in types { module.add(type, schema: schema) }
        return module
    }

    private static let transfer: JSONValue = [
        "title": "Transfer", "type": "object", "required": ["type", "amount", "from"],
        "properties": [
            "type": ["const": "money_transfer"], "amount": ["$ref": "#/$defs/money", "title": "Amount"],
            "from": ["type": "string", "description": "Account\nof the payer */ \"\"\""],
            "kind": ["enum": ["fast", 2, nil, true]], "notes": ["type": "array", "items": ["type": "string"]],
            "a-b": ["type": ["integer", "null"]], "more": ["type": "object"],
            "tree": ["$ref": "#/$defs/tree"], "either": ["anyOf": [["type": "boolean"], ["type": "number"]]],
        ],
        "$defs": [
            "money": ["type": "object", "required": ["value"], "properties": ["value": ["type": "number"]]],
            "tree": ["type": "object", "properties": ["below": ["type": "array", "items": ["$ref": "#/$defs/tree"]]]],
        ],
    ]

    @Test("TypeScript: required and optional members, literals, references, recursion and names that are none")
    func typeScript() {
        let text = module(["money_transfer": Self.transfer]).typeScript
        for line in [
            "export interface MoneyTransferMoney {\n  value: number;\n}",
            "export interface MoneyTransferTree {\n  below?: Array<MoneyTransferTree>;\n}",
            "/** Transfer */\nexport interface MoneyTransfer {\n  type: \"money_transfer\";",
            "  amount: MoneyTransferMoney;",
            "  /** Account of the payer * / \"\"\" */\n  from: string;", "  kind?: \"fast\" | 2 | null | true;",
            "  notes?: Array<string>;", "  \"a-b\"?: number | null;", "  more?: Record<string, unknown>;",
            "  either?: boolean | number;", "export type AuthorizationDetail = MoneyTransfer;",
        ] {
            #expect(text.contains(line), "\(line)\nis not in\n\(text)")
        }
    }

    @Test("Python: a TypedDict for each object, in which keywords may be names")
    func python() {
        let text = module(["money_transfer": Self.transfer]).python
        for line in [
            "\"type\": Literal[\"money_transfer\"],", "\"amount\": \"MoneyTransferMoney\",", "\"from\": str,",
            "\"kind\": Union[Literal[\"fast\"], Literal[2], None, Literal[True]],", "\"notes\": list[str],",
            "\"a-b\": Union[int, None],", "\"more\": dict[str, Any],", "\"below\": list[\"MoneyTransferTree\"],",
            "class MoneyTransfer(_MoneyTransferRequired, _MoneyTransferOptional):",
            "AuthorizationDetail = Union[MoneyTransfer]",
        ] {
            #expect(text.contains(line), "\(line)\nis not in\n\(text)")
        }
    }

    @Test("Types without a schema, of equal names and with names that no language has get names of their own")
    func names() {
        let made = module(["payment": nil, "Payment": [:], "2nd": nil, "é": nil, "Literal": nil])
        #expect(made.details == ["Payment", "Payment2", "Type2nd", "Type", "Literal2"])
        #expect(made.typeScript.contains("export interface Payment {\n  type: \"payment\";\n}"))
        #expect(
            made.typeScript
                == module(["payment": nil, "Payment": [:], "2nd": nil, "é": nil, "Literal": nil]).typeScript)
        #expect(module([:]).typeScript.hasSuffix("AuthorizationDetail = never;"))
    }

    @Test("Hostile names and texts stay texts: no line break, no end of a comment, no other statement")
    func hostile() {
        let schema: JSONValue = [
            "title": "x */ import fs\nimport os", "properties": ["a\"]: 1\nimport os": ["const": "\"\"\"\nimport os"]],
        ]
        let made = module(["a\nimport os": schema])
        for text in [made.typeScript, made.python] {
            #expect(!text.split(separator: "\n").contains { $0.hasPrefix("import os") }, "\(text)")
        }
        #expect(!made.typeScript.contains("x */ import"))
    }
}
