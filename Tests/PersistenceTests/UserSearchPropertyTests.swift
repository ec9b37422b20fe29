@testable import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import Persistence
import Primitives
import SearchQuery
import TestSupport
import TestTools
import Testing

/// Compares a store with a check of each user, for random users and queries.
@Suite("User search against a direct check of each user")
struct UserSearchPropertyTests {
    @Test("Finds, counts, sorts and pages like the direct check", arguments: StoreKind.all, [1, 2, 3] as [UInt64])
    func property(kind: StoreKind, seed: UInt64) async throws {
        let made = try await kind.populated()
        var random = SeededGenerator(seed: seed)
        try await random.fill(made.store, users: 120)
        // In order of creation.
        var records: [UserRecord] = []
        for user in [LoginSamples.ann, LoginSamples.bob] + (0..<120).map(SeededGenerator.id) {
            if let record = try await made.store.record(of: user, tenant: LoginSamples.tenant) {
                records.append(record)
            }
        }
        var sizes: Set<Int> = []
        for _ in 0..<150 {
            let query = random.query(depth: 3)
            let sort = random.sort()
            let matching = records.filter(query.matches)
            let expected = Self.sorted(matching, by: sort).map(\.user.id)
            sizes.insert(expected.count)

            let whole = try await search(made, UserSearch(query: query, sort: sort, countsTotal: true), count: 200)
            try #require(whole.users.map(\.user.id) == expected, "\(query) by \(sort?.description ?? "-")")
            #expect(whole.total == expected.count)
            #expect(whole.next == nil)
            for record in whole.users { #expect(records.contains(record)) }

            let size = random.number(1...40)
            let first = random.number(0...expected.count)
            let page = try await search(
                made, UserSearch(query: query, sort: sort, part: .page(first: first, count: size)))
            try #require(
                page.users.map(\.user.id) == Array(expected.dropFirst(first).prefix(size)),
                "\(query) by \(sort?.description ?? "-"), \(size) from \(first)")
            #expect(page.total == nil)

            var walked: [UserID] = []
            var cursor: UserSearchCursor?
            repeat {
                let part = try await search(
                    made, UserSearch(query: query, sort: sort, part: .following(cursor, count: size)))
                walked += part.users.map(\.user.id)
                cursor = part.next.flatMap { UserSearchCursor(opaque: $0.opaque) }
                #expect(cursor == part.next)
            } while cursor != nil
            try #require(walked == expected, "\(query) by \(sort?.description ?? "-"), by \(size)")
        }
        #expect(sizes.count > 15, "the queries tell users apart")
    }

    @Test("Every valid query text finds the same users", arguments: StoreKind.all)
    func written(kind: StoreKind) async throws {
        let made = try await kind.populated()
        var random = SeededGenerator(seed: 7)
        try await random.fill(made.store, users: 60)
        let records = try await search(made, UserSearch(), count: 100).users
        var fuzzer = MutationFuzzer(
            corpus: [
                "email:a* AND NOT name:\"a b\"", "(blocked:true OR app_metadata.a:[1 TO 3]) -b",
                "_exists_:user_metadata.a",
                "name:['a' TO *} OR user_id:*\\'*", "created_at:{2026-11-20 TO *]", "a* b? \"'; DROP TABLE user; --\"",
            ], tokens: ["'", "\"", "%", "_", "[", "]", "*", "?", "--", ";", "OR", "NOT", "a", "$1", "[^a]"], cost: 20)
        var inputs: [String] = []
        fuzzer.check("query") { bytes in
            inputs.append(String(decoding: bytes, as: UTF8.self))
            return true
        }
        var read = 0
        for text in inputs {
            guard let query = try? UserQuery(parsing: text) else { continue }
            read += 1
            let found = try await search(made, UserSearch(query: query), count: 100).users.map(\.user.id)
            try #require(found == records.filter(query.matches).map(\.user.id), "\(text)")
        }
        #expect(read > inputs.count / 10, "the corpus stays close to valid queries")
    }

    private func search(
        _ made: TemporaryStore, _ search: UserSearch, count: Int? = nil
    ) async throws -> UserSearchResult {
        var search = search
        if let count { search.part = .page(first: 0, count: count) }
        return try await made.store.search(search, tenant: LoginSamples.tenant, within: .seconds(60))
    }

    private static func sorted(_ records: [UserRecord], by sort: UserSort?) -> [UserRecord] {
        guard let sort else { return records }
        func isBefore(_ left: (text: String, number: Int64), _ right: (text: String, number: Int64)) -> Bool {
            left.text == right.text ? left.number < right.number : right.text.isBehind(left.text)
        }
        let present = records.enumerated().filter { $0.element.sortKey(sort.field) != nil }.sorted { left, right in
            guard let first = left.element.sortKey(sort.field), let second = right.element.sortKey(sort.field) else {
                return false
            }
            if first == second { return sort.isDescending ? left.offset > right.offset : left.offset < right.offset }
            return sort.isDescending ? isBefore(second, first) : isBefore(first, second)
        }.map(\.element)
        let absent = records.filter { $0.sortKey(sort.field) == nil }
        return present + (sort.isDescending ? absent.reversed() : absent)
    }
}

/// Random users and queries, from so few values that they meet.
private struct SeededGenerator {
    private var state: UInt64
    private static let texts = [
        "a", "A", "ab", "a b", "b", "ba", "Ä", "ä", "é", "ß", "ẞ", "İ", "Σ", "ς", "a*b", "a?b", "a[b]", "a%b", "a_b",
        "a\\b",
        "'", "\"", "true", "1", "10", "9", "\u{10FFFF}", "a\u{D7FF}", "a\u{E000}", "日本",
    ]
    private static let names = ["a", "b", "a.b", "c d", "a'b"]
    private static let providers = ["github", "corp"]

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    private mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { range.lowerBound + Int(next() >> 33) % range.count }
    private mutating func flip(_ one: Int = 2) -> Bool { number(1...one) == 1 }
    private mutating func pick<Value>(_ values: [Value]) -> Value { values[number(0...values.count - 1)] }
    private mutating func maybe<Value>(_ value: (inout SeededGenerator) -> Value) -> Value? {
        flip() ? value(&self) : nil
    }
    private mutating func text() -> String { flip(3) ? pick(Self.texts) + pick(Self.texts) : pick(Self.texts) }
    private mutating func time() -> Timestamp { LoginSamples.start + .milliseconds(number(-3...3) * 500) }

    // MARK: users

    static func id(_ number: Int) -> UserID {
        switch number % 4 {
        case 0: UserID("github|\(number)")
        case 1: UserID("plain\(number)")
        default: UserID("auth0|\(number)")
        }
    }

    mutating func fill(_ store: Store, users: Int) async throws {
        for number in 0..<users {
            var user = User(id: Self.id(number), createdAt: time())
            user.updatedAt = time()
            let email = maybe {
                "\($0.pick(Self.texts).lowercased())\(number)@\($0.pick(["a.example", "ä.example", "b.example"]))"
            }
            user.email = email.flatMap { EmailAddress(parsing: $0) }
            user.name = maybe { $0.text() }
            user.givenName = maybe { $0.text() }
            user.familyName = maybe { $0.text() }
            user.nickname = maybe { $0.text() }
            user.username = maybe { $0.text() + "\(number)" }
            user.phoneNumber = maybe { "+\($0.number(1...9))" }
            user.emailVerified = flip()
            user.phoneVerified = flip()
            user.blocked = flip()
            let metadata = UserMetadata(user: object(depth: 2), app: object(depth: 2))
            let made = user
            try await store.change { transaction in
                try transaction.put(made, passwordHash: nil, in: LoginSamples.tenant)
                try transaction.put(metadata, of: made.id, in: LoginSamples.tenant)
            }
            if flip(3) {
                let provider = pick(Self.providers)
                _ = try await store.link(
                    UpstreamIdentity(provider: provider, id: "\(number)"), to: user.id, tenant: LoginSamples.tenant,
                    event: LoginSamples.event(.identityLinked))
            }
            for login in 0..<(self.number(0...2)) {
                let session = LoginSamples.session("\(number) \(login)", user: user.id)
                var event = LoginSamples.event(.loggedIn)
                event.remoteAddress = maybe { "192.0.2.\($0.number(1...3))" }
                _ = try await store.create(session, replacing: nil, event: event)
            }
        }
    }

    private mutating func object(depth: Int) -> JSONObject {
        var object = JSONObject()
        for _ in 0..<number(0...3) { object[pick(Self.names)] = value(depth: depth) }
        return object
    }

    private mutating func value(depth: Int) -> JSONValue {
        switch number(0...(depth > 0 ? 6 : 4)) {
        case 0: .string(text())
        case 1: .number(JSONNumber(number(0...12)))
        case 2: .number(JSONNumber(Double(number(0...5)) / 2) ?? JSONNumber(0))
        case 3: .bool(flip())
        case 4: flip() ? .null : .string("")
        case 5: .array((0..<number(0...3)).map { _ in value(depth: depth - 1) })
        default: .object(object(depth: depth - 1))
        }
    }

    // MARK: queries

    mutating func sort() -> UserSort? {
        let fields =
            UserQuery.TextField.allCases.map(UserSort.Field.text)
            + UserQuery.TimeField.allCases.map(UserSort.Field.time)
            + UserQuery.FlagField.allCases.map(UserSort.Field.flag) + [.number(.loginsCount)]
        return flip(4) ? nil : UserSort(pick(fields), descending: flip())
    }

    mutating func query(depth: Int) -> UserQuery {
        switch number(0...(depth > 0 ? 12 : 8)) {
        case 0...3:
            let field = pick(UserQuery.TextField.allCases)
            let match = match()
            return .text(field, field.stored(match))
        case 4:
            return .time(
                pick(UserQuery.TimeField.allCases),
                QueryTimeRange(from: maybe { $0.time() }, before: maybe { $0.time() }))
        case 5: return .number(.loginsCount, range())
        case 6: return .flag(pick(UserQuery.FlagField.allCases), flip())
        case 7: return .metadata(path: path(), metadataMatch())
        case 8: return flip(10) ? .everyone : .anywhere(match())
        case 9, 10: return .all((0..<number(1...3)).map { _ in query(depth: depth - 1) })
        case 11: return .any((0..<number(1...3)).map { _ in query(depth: depth - 1) })
        default: return .not(query(depth: depth - 1))
        }
    }

    private mutating func path() -> String {
        let root = pick(["user_metadata", "app_metadata"])
        return flip(8) ? root : root + (0..<number(1...2)).map { _ in ".\(pick(Self.names))" }.joined()
    }

    private mutating func metadataMatch() -> UserQuery.MetadataMatch {
        switch number(0...3) {
        case 0: .present
        case 1: .text(match())
        case 2: .number(range())
        default: .either(match(), range())
        }
    }

    private mutating func match() -> TextMatch {
        switch number(0...6) {
        case 0: .present
        case 1, 2: .equal(flip(4) ? Self.id(number(0...119)).rawValue : flip(6) ? pick(Self.providers) : text())
        case 3: .between(lower: maybe { $0.bound() }, upper: maybe { $0.bound() })
        case 4: .like(TextPattern([.literal(pick(Self.texts)), .anyNumber]))
        default:
            .like(
                TextPattern(
                    (0..<number(1...4)).map { _ in
                        switch number(0...2) {
                        case 0: .anyNumber
                        case 1: .one
                        default: .literal(pick(Self.texts))
                        }
                    }))
        }
    }

    private mutating func bound() -> QueryBound<String> { QueryBound(text(), isInclusive: flip()) }

    private mutating func range() -> QueryNumberRange {
        if flip(3) {
            let point = QueryBound(Double(number(0...10)) / 2)
            return QueryNumberRange(lower: point, upper: point)
        }
        func bound(_ chance: inout SeededGenerator) -> QueryBound<Double> {
            QueryBound(Double(chance.number(0...10)) / 2, isInclusive: chance.flip())
        }
        return QueryNumberRange(lower: maybe { bound(&$0) }, upper: maybe { bound(&$0) })
    }
}
