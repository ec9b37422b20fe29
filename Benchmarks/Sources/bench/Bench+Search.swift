import Workbench
import Administration
import AuthorizationCore
import Configuration
import Load
import OpenSSLCrypto
import Persistence
import Primitives
import SQL
import SQLiteDriver

/// User search: the use case over the product's store, without HTTP.
extension Bench {
    mutating func measureSearch() async throws {
        let count = options.isQuick ? 100_000 : 1_000_000
        progress("making \(formatted(Double(count))) users to search")
        var configuration = SQLiteConfiguration(path: "\(folder)/search.db")
        // Larger while users are created, whose keys are spread over the indexes. Readers keep the normal size.
        configuration.writerCache = 524_288
        let database = try SQLiteDatabase(configuration)
        try await database.migrate(Schema.migrations)
        let store = Store(
            database: database, hashing: OpenSSLHashing(), rows: AESGCMSealer(masterKey: .generate()))
        let residents = Residents(count: count)
        let began = ContinuousClock.now
        try await residents.fill(store)
        let rate = Double(count) / (ContinuousClock.now - began).seconds
        progress("searching; \(formatted(rate)) users a second were made")

        let search = SearchUsers(store: store)
        let known = try await times(residents) { number in
            guard try await store.record(of: residents.user(number).id, tenant: Residents.tenant) != nil else {
                throw Failure("user \(number) is not there")
            }
        }
        let queries: [(String, @Sendable (Int) -> String, String)] = [
            ("e-mail", { "email:\"\(residents.user($0).email?.description ?? "")\"" }, ""),
            ("id", { "user_id:\"\(residents.user($0).id)\"" }, ""),
            (
                "name prefix", { "name:\(residents.namePrefix($0))*" },
                "a given name and two syllables of the family's, the first page of 50; "
            ),
            ("app_metadata", { "app_metadata.customer:\"\(Residents.customer($0))\"" }, ""),
        ]
        for (name, query, note) in queries {
            progress("searching by \(name)")
            let taken = try await times(residents) { number in
                let found = try await search.search(
                    SearchUsers.Request(query: query(number)), tenant: Residents.tenant)
                guard found.users.contains(where: { $0.user.id == residents.user(number).id }) || found.next != nil
                else {
                    throw Failure("\(query(number)) does not find its user")
                }
            }
            rows.append(
                Row(
                    name: "user search by \(name), \(formatted(Double(count))) users", value: median(taken), unit: "ms",
                    reference: median(known), referenceName: "reading a known user", goal: .valueAtMost(2),
                    note: note + "p99 \(formatted(taken.sorted()[taken.count * 99 / 100])) ms"))
        }
        await database.close()
    }

    /// Milliseconds of each of many calls, for users spread over the whole set.
    private func times(_ residents: Residents, _ body: (Int) async throws -> Void) async throws -> [Double] {
        var taken: [Double] = []
        for round in 0..<(options.isQuick ? 1000 : 3000) {
            let number = round * 7919 % residents.count
            let began = ContinuousClock.now
            try await body(number)
            taken.append((ContinuousClock.now - began).seconds * 1000)
        }
        return taken
    }
}

/// Users, the same in every run.
struct Residents: Sendable {
    static let tenant = TenantID("bench")
    private static let syllables = [
        "ba", "de", "fi", "go", "hu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "wu", "ya", "ze", "xi",
        "jo",
        "lu",
    ]
    private static let began = Timestamp(seconds: 1_700_000_000)

    let count: Int

    /// Digits of a pseudorandom number, the same in every run.
    private func syllables(_ number: Int, _ count: Int) -> String {
        var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        state ^= state >> 29
        var text = ""
        for _ in 0..<count {
            text += Self.syllables[Int(state % 20)]
            state /= 20
        }
        return text
    }

    private func names(_ number: Int) -> (given: String, family: String) {
        (syllables(number, 2), syllables(number &+ 0x5DEE_CE66, 4))
    }

    func namePrefix(_ number: Int) -> String {
        let (given, family) = names(number)
        return "\(given)\\ \(family.prefix(4))"
    }

    static func customer(_ number: Int) -> String { "C-\(number * 7 + 1000)" }

    func user(_ number: Int) -> User {
        let (given, family) = names(number)
        var user = User(
            id: UserID("auth0|\(syllables(number, 8))\(number)"),
            createdAt: Self.began + .seconds(number))
        user.email = EmailAddress(parsing: "\(family).\(number)@\(given).example")
        user.emailVerified = true
        user.name = "\(given.capitalizedFirst) \(family.capitalizedFirst)"
        user.givenName = given.capitalizedFirst
        user.familyName = family.capitalizedFirst
        user.nickname = family
        return user
    }

    /// Writes in large transactions, by the same code as `countersign apply`.
    func fill(_ store: Store) async throws {
        let tenant = Tenant(id: Self.tenant, name: "Bench", hosts: ["bench.localhost"])
        _ = try await store.commit(ConfigurationCommit(Self.tenant, [.tenant(tenant)]), ifVersion: nil)
        try await fillUsers(store, batch: 20_000)
    }

    func fillUsers(_ store: Store, batch: Int) async throws {
        for start in stride(from: 0, to: count, by: batch) {
            try await store.change { transaction in
                for number in start..<min(start + batch, count) {
                    let user = user(number)
                    try transaction.put(user, passwordHash: nil, in: Self.tenant)
                    try transaction.put(
                        UserMetadata(app: ["customer": .string(Self.customer(number)), "plan": "gold"]), of: user.id,
                        in: Self.tenant)
                }
            }
            if start > 0, start % 100_000 == 0 { progress("\(formatted(Double(start))) users") }
        }
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
