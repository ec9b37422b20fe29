package import Primitives

extension RequestRecord {
    /// A login that asks for a second factor, as the person is shown it.
    package struct Login: Sendable, Equatable {
        /// Name of the application that the person logs in to.
        package let application: String
        /// As the browser says. Nil means that it is not among the common ones.
        package let browser: String?
        /// Operating system, as the browser says. Nil means that it is not among the common ones.
        package let system: String?
        /// Network address of the browser. Nil means that the server does not know it.
        package let address: String?
        /// Nil without a database of places, and if the database does not have the address.
        package let place: Place?
        package let at: Timestamp

        package init(
            application: String, browser: String?, system: String?, address: String?, place: Place?, at: Timestamp
        ) {
            self.application = application
            self.browser = browser
            self.system = system
            self.address = address
            self.place = place
            self.at = at
        }
    }

    /// Place of a network address: its city, region and country.
    package struct Place: Sendable, Equatable {
        /// Tags of the languages (RFC 5646) in which the server names places, in the order of the record.
        package static let languages = ["en", "de", "fr"]

        private let names: [String: String]

        /// `names` are by the language's tag. Nil unless each of `languages` has a name.
        package init?(names: [String: String]) {
            guard Self.languages.allSatisfy({ names[$0]?.isEmpty == false }) else { return nil }
            self.names = names.filter { Self.languages.contains($0.key) }
        }

        /// The name in that language, or else the English one.
        package func name(in language: String) -> String { names[language] ?? names["en"] ?? "" }
    }
}

extension RequestRecord.Login {
    init(_ login: ApprovalMembers) throws(ApprovalFailure) {
        var place: RequestRecord.Place?
        if let value = login.object["place"] {
            let members = try ApprovalMembers(value, path: login.name("place"))
            var names: [String: String] = [:]
            for language in RequestRecord.Place.languages { names[language] = try members.string(language) }
            guard let named = RequestRecord.Place(names: names) else {
                throw .invalid(login.name("place"), expected: "names in English, German and French")
            }
            place = named
        }
        self.init(
            application: try login.string("application"), browser: try login.optionalString("browser"),
            system: try login.optionalString("system"), address: try login.optionalString("address"), place: place,
            at: try login.date("at"))
    }

    func write(to writer: inout JSONWriter) {
        writer.member("login") { writer in
            writer.member("application", application)
            writer.member("browser", ifPresent: browser)
            writer.member("system", ifPresent: system)
            writer.member("address", ifPresent: address)
            if let place {
                writer.member("place") { writer in
                    for language in RequestRecord.Place.languages {
                        writer.member(language, place.name(in: language))
                    }
                }
            }
            writer.member("at", at.iso8601)
        }
    }
}
