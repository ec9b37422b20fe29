import GuardianWire
import Primitives

extension RequestRecord.Display {
    /// Choices of a request for which a number has to be picked.
    package static let choiceCount = 3

    /// `details` is the number of the request's details.
    init(_ record: ApprovalMembers, details: Int) throws(ApprovalFailure) {
        clientLogo = try record.optionalString("client_logo")
        isFirstParty = try record.optionalFlag("client_is_first_party")
        if let value = record.object["matching_choices"] {
            let numbers = value.stringsValue?.compactMap { MatchingNumber($0) } ?? []
            guard numbers.count == Self.choiceCount, numbers.count == value.arrayValue?.count,
                Set(numbers).count == numbers.count
            else { throw .invalid(record.name("matching_choices"), expected: "three numbers of two digits") }
            matchingChoices = numbers
        }
        switch record.object["matching"] {
        case nil: break
        case "type" where matchingChoices.isEmpty: isNumberTyped = true
        default: throw .invalid(record.name("matching"), expected: "type, in a record without matching_choices")
        }
        language = try record.optionalString("language")
        login = try record.object["login"].map { value throws(ApprovalFailure) in
            try RequestRecord.Login(ApprovalMembers(value, path: record.name("login")))
        }
        presentation = try record.optionalArray("presentation").map(\.object)
        guard presentation.isEmpty || presentation.count == details else {
            throw .invalid(record.name("presentation"), expected: "as long as authorization_details")
        }
        isUrgent = try record.optionalFlag("urgent") ?? false
    }

    func write(to writer: inout JSONWriter) {
        writer.member("client_logo", ifPresent: clientLogo)
        if let isFirstParty { writer.member("client_is_first_party", isFirstParty) }
        if !matchingChoices.isEmpty { writer.member("matching_choices", matchingChoices.map(\.description)) }
        if isNumberTyped { writer.member("matching", "type") }
        writer.member("language", ifPresent: language)
        login?.write(to: &writer)
        if !presentation.isEmpty { writer.member("presentation", .array(presentation.map(JSONValue.object))) }
        if isUrgent { writer.member("urgent", true) }
    }
}
