import OAuthWire
package import Primitives

/// The API for agents: types of authorization details that fit every tool, so that an agent needs none of its own. The
/// development tenant has it, and `countersign api create --agent-tools` gives it to others.
package enum AgentTools {
    package static let identifier = "urn:countersign:agent-tools"

    package static let document: JSONObject = [
        "identifier": .string(identifier), "name": "Agent tools", "approval_in_tokens": true,
        "authorization_details": [
            ["type": "tool_call", "schema": schema(toolCall)], ["type": "payment", "schema": schema(payment)],
            ["type": "command", "schema": schema(command)],
        ],
    ]

    /// Limits of authorization details below which the types are of no use: a command or a change of a file is longer
    /// than the 255 characters of a tenant's default.
    private static let limits: [(name: String, least: Int, value: @Sendable (AuthorizationDetails.Limits) -> Int)] = [
        ("bytes", 16_384, { $0.bytes }), ("properties", 20, { $0.properties }),
        ("value_length", 8_192, { $0.valueLength }), ("depth", 8, { $0.depth }),
    ]

    /// The limits of a tenant's settings that have to be raised, with their new values. Nil if all are high enough.
    package static func raised(_ limits: JSONObject) -> JSONObject? {
        let presets = AuthorizationDetails.Limits()
        let raised = Self.limits.filter { $0.least > limits[$0.name]?.intValue ?? $0.value(presets) }
        if raised.isEmpty { return nil }
        return raised.reduce(into: JSONObject()) { $0[$1.name] = .number(JSONNumber($1.least)) }
    }

    // MARK: the types

    private struct Member {
        let name: String
        let value: JSONObject
        let titles: (english: String, german: String, french: String)
        var descriptions: (english: String, german: String, french: String)?
        var isRequired = false
    }

    private struct TypeOfDetails {
        let name: String
        let titles: (english: String, german: String, french: String)
        let headline: [String]
        let members: [Member]
    }

    private static let text: JSONObject = ["type": "string", "minLength": 1]

    private static let tool = Member(
        name: "tool", value: text, titles: ("Tool", "Werkzeug", "Outil"), isRequired: true)
    private static let arguments: JSONObject = ["type": "object"]
    private static let shortly = ("In short", "Kurz gesagt", "En bref")
    private static let passed = ("With", "Mit", "Avec")

    /// The agent may be mistaken or misled, so its words stand last and apart.
    private static let says = Member(
        name: "says", value: text,
        titles: ("The agent's own words", "Eigene Worte des Agenten", "Les mots de l'agent"),
        descriptions: (
            "Nobody has checked them.", "Niemand hat sie geprüft.", "Personne ne les a vérifiés."
        ))

    private static let toolCall = TypeOfDetails(
        name: "tool_call", titles: ("Tool call", "Aufruf eines Werkzeugs", "Appel d'un outil"),
        headline: ["headline", "to", "tool"],
        members: [
            Member(name: "headline", value: text, titles: shortly),
            Member(name: "to", value: text, titles: ("To", "An", "À")), tool,
            Member(name: "arguments", value: arguments, titles: passed, isRequired: true), says,
        ])

    private static let payment = TypeOfDetails(
        name: "payment", titles: ("Payment", "Zahlung", "Paiement"), headline: ["headline", "to"],
        members: [
            Member(name: "headline", value: text, titles: ("Amount", "Betrag", "Montant"), isRequired: true),
            Member(name: "to", value: text, titles: ("Payee", "Empfänger", "Bénéficiaire")), tool,
            Member(name: "arguments", value: arguments, titles: passed, isRequired: true), says,
        ])

    private static let command = TypeOfDetails(
        name: "command", titles: ("Work on a computer", "Arbeit an einem Rechner", "Travail sur un ordinateur"),
        headline: ["headline", "tool"],
        members: [
            Member(name: "headline", value: text, titles: shortly), tool,
            Member(name: "command", value: text, titles: ("Command", "Befehl", "Commande")),
            Member(name: "folder", value: text, titles: ("Folder", "Ordner", "Dossier"), isRequired: true),
            Member(
                name: "files", value: ["type": "array", "items": .object(text), "minItems": 1],
                titles: ("Files", "Dateien", "Fichiers")),
            Member(name: "diff", value: text, titles: ("Change", "Änderung", "Modification")),
            Member(name: "arguments", value: arguments, titles: passed),
            Member(
                name: "digest", value: text,
                titles: ("SHA-256 of the call", "SHA-256 des Aufrufs", "SHA-256 de l'appel")),
            says,
        ])

    private static func schema(_ type: TypeOfDetails) -> JSONValue {
        var properties: JSONObject = ["type": ["const": .string(type.name)]]
        for (index, member) in type.members.enumerated() {
            var value = labelled(member.value, member.titles, member.descriptions)
            value["x-order"] = .number(JSONNumber(index + 1))
            properties[member.name] = .object(value)
        }
        var schema = labelled(["type": "object", "x-headline": JSONValue(type.headline)], type.titles, nil)
        schema["required"] = JSONValue(["type"] + type.members.filter(\.isRequired).map(\.name))
        schema["properties"] = .object(properties)
        schema["additionalProperties"] = false
        return .object(schema)
    }

    private static func labelled(
        _ value: JSONObject, _ titles: (english: String, german: String, french: String),
        _ descriptions: (english: String, german: String, french: String)?
    ) -> JSONObject {
        var german: JSONObject = ["title": .string(titles.german)]
        var french: JSONObject = ["title": .string(titles.french)]
        var labelled = value
        labelled["title"] = .string(titles.english)
        if let descriptions {
            labelled["description"] = .string(descriptions.english)
            german["description"] = .string(descriptions.german)
            french["description"] = .string(descriptions.french)
        }
        labelled["x-translations"] = ["de": .object(german), "fr": .object(french)]
        return labelled
    }
}
