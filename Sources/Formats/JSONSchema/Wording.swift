import Primitives

/// A finding in words that say what to change.
struct Wording {
    let english: String
    let french: String

    init(_ finding: Finding, in instance: Instance) {
        let steps = instance.path(to: finding.node)
        let path = Self.path(steps)
        let (subject, sujet) = Self.subject(steps, path)
        func tell(_ english: String, _ french: String) -> (String, String) {
            ("\(subject) \(english)", "\(sujet) \(french)")
        }
        func member(_ name: String) -> String { path.isEmpty ? Self.shown(name) : "\(path).\(Self.shown(name))" }

        (english, french) =
            switch finding.problem {
            case .notAllowed: tell("is not allowed; remove it", "n'est pas admis ; retirez-le")
            case .wrongType(let types):
                tell("must be \(Self.list(types, \.english, "or"))", "doit être \(Self.list(types, \.french, "ou"))")
            case .notOneOf(let values) where values.count == 1:
                tell("must be \(Self.shown(values))", "doit être \(Self.shown(values))")
            case .notOneOf(let values):
                tell("must be one of \(Self.shown(values))", "doit être l'une des valeurs \(Self.shown(values))")
            case .beyond(let limit):
                switch finding.keyword {
                case .minimum: tell("must be at least \(limit)", "doit être au moins \(limit)")
                case .exclusiveMinimum: tell("must be greater than \(limit)", "doit être supérieur à \(limit)")
                case .maximum: tell("must be at most \(limit)", "doit être au plus \(limit)")
                default: tell("must be less than \(limit)", "doit être inférieur à \(limit)")
                }
            case .noMultiple(let divisor):
                tell("must be a multiple of \(divisor)", "doit être un multiple de \(divisor)")
            case .wrongSize(let limit):
                switch finding.keyword {
                case .minLength, .minItems, .minProperties:
                    tell(
                        "must have at least \(Self.counted(limit, finding.keyword).english)",
                        "doit avoir au moins \(Self.counted(limit, finding.keyword).french)")
                default:
                    tell(
                        "must have at most \(Self.counted(limit, finding.keyword).english)",
                        "doit avoir au plus \(Self.counted(limit, finding.keyword).french)")
                }
            case .noMatch(let pattern):
                tell(
                    "must match the pattern \(Self.shown(pattern, limit: 200))",
                    "doit respecter le motif \(Self.shown(pattern, limit: 200))")
            case .wrongFormat(let format): tell("must be \(format.english)", "doit être \(format.french)")
            case .repeated(let first, let second):
                tell(
                    "must not repeat an element; [\(second)] equals [\(first)]",
                    "ne doit pas répéter d'élément ; [\(second)] est égal à [\(first)]")
            case .wrongFits(let count, let limit):
                finding.keyword == .maxContains
                    ? tell(
                        "must have at most \(limit) of the elements asked for; it has \(count)",
                        "doit avoir au plus \(limit) des éléments demandés ; il y en a \(count)")
                    : tell(
                        "must have at least \(limit) of the elements asked for; it has \(count)",
                        "doit avoir au moins \(limit) des éléments demandés ; il y en a \(count)")
            case .missing(let name): ("\(member(name)) is missing; add it", "\(member(name)) manque ; ajoutez-le")
            case .missingBeside(let name, let other):
                (
                    "\(member(name)) is missing; \(member(other)) needs it",
                    "\(member(name)) manque ; \(member(other)) l'exige"
                )
            case .noneFits(let count, let nearest):
                Self.alternatives(count, nearest: Wording(nearest, in: instance), tell)
            case .severalFit(let one, let other, let count):
                tell(
                    "must fit exactly one of \(count) alternatives; it fits number \(one) and number \(other)",
                    "doit correspondre à une seule des \(count) formes admises ; les nos \(one) et \(other) conviennent"
                )
            case .excluded: tell("has a form that is excluded; change it", "a une forme exclue ; changez-la")
            case .tooDeep:
                tell(
                    "is nested deeper than \(Instance.depthLimit) levels",
                    "est imbriqué au-delà de \(Instance.depthLimit) niveaux")
            case .exponentTooLong:
                tell(
                    "must have an exponent of at most \(ExactDecimal.exponentDigits) digits",
                    "doit avoir un exposant d'au plus \(ExactDecimal.exponentDigits) chiffres")
            }
    }

    // MARK: Who is spoken of

    private static func subject(_ steps: [Instance.Step], _ path: String) -> (String, String) {
        if case .name(let name)? = steps.last { return ("the name \(shown(name))", "le nom \(shown(name))") }
        return path.isEmpty ? ("the value", "la valeur") : (path, path)
    }

    /// As people write it: `payment.lines[2].amount`. A name is followed no further.
    private static func path(_ steps: [Instance.Step]) -> String {
        steps.reduce(into: "") { path, step in
            switch step {
            case .root, .name: break
            case .member(let name): path += path.isEmpty ? shown(name) : ".\(shown(name))"
            case .element(let index): path += "[\(index)]"
            }
        }
    }

    // MARK: What is quoted

    /// At most `limit` characters, none that controls a terminal or a log.
    private static func shown(_ text: String, limit: Int = 40) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: shown.append("?")
            default: shown.append(scalar)
            }
        }
        return String(shown) + (text.unicodeScalars.count > limit ? "..." : "")
    }

    /// At most ten, strings without their quotation marks.
    private static func shown(_ values: [JSONValue]) -> String {
        let texts = values.prefix(10).map { value in
            if let text = value.stringValue, !text.isEmpty { return shown(text) }
            return shown(JSONWriter.string(value))
        }
        return texts.joined(separator: ", ") + (values.count > 10 ? ", ..." : "")
    }

    private static func counted(_ count: Int, _ keyword: Keyword) -> (english: String, french: String) {
        let (english, french) =
            switch keyword {
            case .minLength, .maxLength: ("character", "caractère")
            case .minItems, .maxItems: ("element", "élément")
            default: ("member", "membre")
            }
        // French has the singular for zero, too.
        return ("\(count) \(english)\(count == 1 ? "" : "s")", "\(count) \(french)\(count <= 1 ? "" : "s")")
    }

    private static func alternatives(
        _ count: Int, nearest: Wording, _ tell: (String, String) -> (String, String)
    ) -> (String, String) {
        // One alternative is none: its own words say it all.
        if count == 1 { return (nearest.english, nearest.french) }
        return tell(
            "fits none of \(count) alternatives; for the nearest, \(nearest.english)",
            "ne correspond à aucune des \(count) formes admises ; pour la plus proche, \(nearest.french)")
    }

    private static func list(
        _ types: Set<ValueType>, _ name: (ValueType) -> String, _ conjunction: String
    ) -> String {
        let names = ValueType.allCases.filter(types.contains).map(name)
        guard let last = names.last, names.count > 1 else { return names.joined() }
        return "\(names.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
    }
}

extension ValueType {
    fileprivate var english: String {
        switch self {
        case .string: "a string"
        case .integer: "a whole number"
        case .number: "a number"
        case .boolean: "true or false"
        case .object: "an object"
        case .array: "an array"
        case .null: "null"
        }
    }

    fileprivate var french: String {
        switch self {
        case .string: "une chaîne de caractères"
        case .integer: "un nombre entier"
        case .number: "un nombre"
        case .boolean: "true ou false"
        case .object: "un objet"
        case .array: "un tableau"
        case .null: "null"
        }
    }
}

extension Format {
    fileprivate var english: String {
        switch self {
        case .date: "a date such as 2026-11-20"
        case .dateTime: "a date and time such as 2026-11-20T10:00:00Z"
        case .time: "a time with its offset, such as 10:00:00Z"
        case .duration: "a duration such as P1DT12H"
        case .email: "an email address"
        case .hostname: "a host name such as www.example.com"
        case .uriReference: "a URI or a relative reference, such as /path?query"
        case .jsonPointer: "a JSON Pointer such as /a/0"
        case .regex: "a regular expression of ECMA-262"
        case .uri: "a URI with a scheme, such as https://example.com/"
        case .uuid: "a UUID"
        case .ipv4: "an IPv4 address"
        case .ipv6: "an IPv6 address"
        }
    }

    fileprivate var french: String {
        switch self {
        case .date: "une date telle que 2026-11-20"
        case .dateTime: "une date et heure telle que 2026-11-20T10:00:00Z"
        case .time: "une heure avec son décalage, telle que 10:00:00Z"
        case .duration: "une durée telle que P1DT12H"
        case .email: "une adresse électronique"
        case .hostname: "un nom d'hôte tel que www.example.com"
        case .uriReference: "une URI ou une référence relative, telle que /chemin?requete"
        case .jsonPointer: "un pointeur JSON tel que /a/0"
        case .regex: "une expression rationnelle d'ECMA-262"
        case .uri: "une URI avec un schéma, telle que https://example.com/"
        case .uuid: "un UUID"
        case .ipv4: "une adresse IPv4"
        case .ipv6: "une adresse IPv6"
        }
    }
}
