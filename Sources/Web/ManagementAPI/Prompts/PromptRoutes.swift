import APIDescription
import Administration
import HTTPModel
import JSONSchema
import Primitives

/// `/prompts/{prompt}/partials`: the tenant's own parts of hosted pages.
struct PromptRoutes: Sendable {
    typealias Prompt = ManagePromptPartials.Prompt
    private static let group = RouteGroup("Prompts", scopes: "prompts")

    let partials: ManagePromptPartials

    private static let details = """
        By screen and insertion point: `{"customized-consent": {"form-content": "…"}}`. Kept, and not rendered yet: the \
        hosted pages allow no script and no style of others, so HTML of a tenant's own has to be made safe first.
        """

    private static let screens = Set(Prompt.allCases.flatMap(\.screens)).sorted()

    private static let members = screens.map { screen in
        Member(
            screen,
            .object(
                ManagePromptPartials.insertionPoints.map {
                    Member($0, .text(0...ManagePromptPartials.partLimit)).protecting(.identity)
                }))
    }
    private static let shape = Shape.object(members)
    /// Scoped, because users type passwords on these pages.
    private static let update = Shape.object(members.map { $0.protecting(.identity, ["update:prompts"]) })

    private static let example: JSONValue = [
        "customized-consent": ["form-content": "<p>Payments need your consent.</p>"]
    ]

    var all: [ManagementRoute] {
        let answer = Operation.Answer(
            200, "The parts, by screen and insertion point", Self.shape, example: Self.example)
        return [
            ManagementRoute(
                .get, "/prompts/{prompt}/partials", "get_prompt_partials", "Show a page's own parts", in: Self.group,
                details: Self.details, answer: answer
            ) { call in
                .object(try await partials.partials(of: try Self.prompt(call), in: call.tenant))
            },
            ManagementRoute(
                .put, "/prompts/{prompt}/partials", "set_prompt_partials", "Replace a page's own parts", in: Self.group,
                details: Self.details, body: Operation.Body(Self.update, example: Self.example), answer: answer
            ) { call in
                let prompt = try Self.prompt(call)
                for (screen, _) in call.document where !prompt.screens.contains(screen) {
                    let screens = prompt.screens.joined(separator: ", ")
                    throw ManagementFailure.invalidBody("is no screen of \(prompt.rawValue): \(screens)", at: screen)
                }
                try await partials.set(prompt, call.document, for: call.context)
                return .object(call.document)
            },
        ]
    }

    private static func prompt(_ call: ManagementCall) throws(ManagementFailure) -> Prompt {
        guard let prompt = Prompt(rawValue: call.id("prompt")) else {
            let names = Prompt.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidPath("must be one of \(names)", at: "prompt")
        }
        return prompt
    }
}
