import Administration
import AuthorizationCore
import Primitives
import SearchQuery
import TestSupport
import TestTools
import Testing

@Suite("User search: queries")
struct UserQueryParsingTests {
    struct Reading: Sendable, CustomTestStringConvertible {
        let text: String
        let query: UserQuery
        var testDescription: String { text }

        init(_ text: String, _ query: UserQuery) {
            self.text = text
            self.query = query
        }
    }

    private static func name(_ text: String) -> UserQuery { .text(.name, .equal(text)) }
    private static func like(_ pieces: TextPattern.Piece...) -> TextMatch {
        .like(TextPattern(pieces))
    }
    private static func bound(_ text: String, _ isInclusive: Bool = true) -> QueryBound<String> {
        QueryBound(text, isInclusive: isInclusive)
    }
    private static func point(_ number: Double) -> QueryNumberRange {
        QueryNumberRange(lower: QueryBound(number), upper: QueryBound(number))
    }

    private static let terms = [
        Reading("", .everyone), Reading("  \t\n", .everyone), Reading("*", .everyone), Reading("*:*", .everyone),
        Reading("name:ann", name("ann")), Reading("name:ANN", name("ann")), Reading("name: ann", name("ann")),
        Reading(#"name:"Ann Lee""#, name("ann lee")), Reading(#"name:"a\"b\\c*""#, name(#"a"b\c*"#)),
        Reading(#"name:a\ b\:c\*\?\(\)"#, name("a b:c*?()")), Reading("name:ÄNN", name("änn")),
        Reading("username:Ann", .text(.username, .equal("Ann"))),
        Reading("user_id:auth0|Ann", .text(.userID, .equal("auth0|Ann"))),
        Reading("phone_number:+41-1", .text(.phoneNumber, .equal("+41-1"))),
        Reading("last_ip:2001:db8::1", .text(.lastIP, .equal("2001:db8::1"))),
        Reading("email.domain:A.example", .text(.emailDomain, .equal("a.example"))),
        Reading("identities.connection:GitHub", .text(.identityConnection, .equal("GitHub"))),
        Reading("identities.provider:auth0", .text(.identityProvider, .equal("auth0"))),
        Reading("identities.user_id:1", .text(.identityUserID, .equal("1"))),
        Reading("ann", .anywhere(.equal("ann"))), Reading(#""Ann Lee""#, .anywhere(.equal("Ann Lee"))),
        Reading("A*", .anywhere(like(.literal("A"), .anyNumber))),
        Reading("email:a*", .text(.email, like(.literal("a"), .anyNumber))),
        Reading("email:*@A.example", .text(.email, like(.anyNumber, .literal("@a.example")))),
        Reading("name:j?n**e", .text(.name, like(.literal("j"), .one, .literal("n"), .anyNumber, .literal("e")))),
        Reading("name:*", .text(.name, .present)), Reading("name:[* TO *]", .text(.name, .present)),
        Reading("blocked:true", .flag(.blocked, true)),
        Reading(#"email_verified:"false""#, .flag(.emailVerified, false)),
        Reading("logins_count:3", .number(.loginsCount, point(3))),
        Reading(
            "logins_count:{1 TO 2.5]",
            .number(
                .loginsCount,
                QueryNumberRange(lower: QueryBound(1, isInclusive: false), upper: QueryBound(2.5)))),
        Reading(
            "logins_count:[* TO -1}",
            .number(
                .loginsCount, QueryNumberRange(lower: nil, upper: QueryBound(-1, isInclusive: false)))),
        Reading("name:[A TO c}", .text(.name, .between(lower: bound("a"), upper: bound("c", false)))),
        Reading(#"user_id:{"a b" TO *]"#, .text(.userID, .between(lower: bound("a b", false), upper: nil))),
        Reading("_exists_:name", .text(.name, .present)), Reading("_exists_:blocked", .everyone),
        Reading("_exists_:last_login", .time(.lastLogin, QueryTimeRange(from: nil, before: nil))),
        Reading("_exists_:app_metadata.plan", .metadata(path: "app_metadata.plan", .present)),
        Reading("_exists_:user_metadata", .metadata(path: "user_metadata", .present)),
        Reading("_exists_:identities", .everyone),
        Reading(
            "app_metadata.plan.name:Gold", .metadata(path: "app_metadata.plan.name", .text(.equal("Gold")))),
        Reading(
            #"user_metadata.first\ name:a*"#,
            .metadata(path: "user_metadata.first name", .text(like(.literal("a"), .anyNumber)))),
        Reading(
            "user_metadata.age:-30.5", .metadata(path: "user_metadata.age", .either(.equal("-30.5"), point(-30.5)))),
        Reading("user_metadata.a:0x10", .metadata(path: "user_metadata.a", .text(.equal("0x10")))),
        Reading("user_metadata.a:1e999", .metadata(path: "user_metadata.a", .text(.equal("1e999")))),
        Reading("user_metadata.a:true", .metadata(path: "user_metadata.a", .text(.equal("true")))),
        Reading(
            "user_metadata.age:[20 TO 30]",
            .metadata(
                path: "user_metadata.age",
                .number(QueryNumberRange(lower: QueryBound(20), upper: QueryBound(30))))),
        Reading(
            #"user_metadata.zip:["20" TO 30]"#,
            .metadata(path: "user_metadata.zip", .text(.between(lower: bound("20"), upper: bound("30"))))),
    ]

    private static let combinations = [
        Reading("name:a AND name:b", .all([name("a"), name("b")])),
        Reading("name:a && name:b", .all([name("a"), name("b")])),
        Reading("name:a OR name:b", .any([name("a"), name("b")])), Reading("name:a||name:b", name("a||name:b")),
        Reading("name:a || name:b", .any([name("a"), name("b")])),
        Reading("name:a name:b", .any([name("a"), name("b")])),
        Reading("name:a OR name:b AND name:c", .any([name("a"), .all([name("b"), name("c")])])),
        Reading("(name:a OR name:b) AND name:c", .all([.any([name("a"), name("b")]), name("c")])),
        Reading("NOT name:a", .not(name("a"))), Reading("-name:a", .not(name("a"))),
        Reading("!name:a", .not(name("a"))),
        Reading("NOT NOT name:a", .not(.not(name("a")))), Reading("NOT(name:a)", .not(name("a"))),
        Reading("name:a AND NOT name:b", .all([name("a"), .not(name("b"))])),
        Reading("name:a OR NOT name:b", .any([name("a"), .not(name("b"))])),
        Reading("name:a -name:b", .all([.not(name("b")), name("a")])),
        Reading("name:a NOT name:b name:c", .all([.not(name("b")), .any([name("a"), name("c")])])),
        Reading("-name:a -name:b", .all([.not(name("a")), .not(name("b"))])),
        Reading("+name:a name:b", name("a")), Reading("+name:a +name:b", .all([name("a"), name("b")])),
        Reading("+name:a -name:b name:c", .all([name("a"), .not(name("b"))])),
        Reading("-(name:a name:b)", .not(.any([name("a"), name("b")]))),
        Reading("name:(a OR b)", .any([name("a"), name("b")])), Reading("name:(a b)", .any([name("a"), name("b")])),
        Reading("name:(a AND NOT \"B c\")", .all([name("a"), .not(name("b c"))])),
        Reading("name:(a OR blocked:true)", .any([name("a"), .flag(.blocked, true)])),
        Reading("name:(a (b c))", .any([name("a"), .any([name("b"), name("c")])])),
        Reading("and", .anywhere(.equal("and"))), Reading("ANDY", .anywhere(.equal("ANDY"))),
        Reading("name:(AND\\ x)", name("and x")), Reading("\"OR\"", .anywhere(.equal("OR"))),
        Reading("name:a-b AND name:-c", .all([name("a-b"), name("-c")])),
    ]

    @Test("Terms, phrases, patterns and ranges of each kind of field", arguments: terms)
    func term(reading: Reading) throws { #expect(try UserQuery(parsing: reading.text) == reading.query) }

    @Test("Precedence is NOT, AND, OR; adjacent terms are alternatives", arguments: combinations)
    func combination(reading: Reading) throws { #expect(try UserQuery(parsing: reading.text) == reading.query) }

    @Test(
        "A date is a range of time",
        arguments: [
            ("2024", "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"),
            ("2024-02", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"),
            ("2023-12", "2023-12-01T00:00:00Z", "2024-01-01T00:00:00Z"),
            ("2024-02-29", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"),
            ("\"2024-02-29\"", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"),
            ("2024-02-29T10:00:00Z", "2024-02-29T10:00:00Z", "2024-02-29T10:00:01Z"),
            ("2024-02-29T10:00:00", "2024-02-29T10:00:00Z", "2024-02-29T10:00:01Z"),
            ("2024-02-29T10:00:00.5+02:00", "2024-02-29T08:00:00.5Z", "2024-02-29T08:00:00.501Z"),
            ("9999-12-31", "9999-12-31T00:00:00Z", nil), ("9999", "9999-01-01T00:00:00Z", nil),
            ("[2024-01-01 TO 2024-01-31]", "2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z"),
            ("{2024-01-01 TO 2024-01-31}", "2024-01-02T00:00:00Z", "2024-01-31T00:00:00Z"),
            ("[* TO 2024}", nil, "2024-01-01T00:00:00Z"), ("{2024 TO *]", "2025-01-01T00:00:00Z", nil),
        ] as [(String, String?, String?)])
    func times(text: String, from: String?, before: String?) throws {
        let query = try UserQuery(parsing: "created_at:\(text)")
        guard case .time(.createdAt, let range) = query else {
            Issue.record("\(query)")
            return
        }
        #expect(range.from == from.flatMap(Timestamp.init(iso8601:)))
        // The end of the last valid day cannot be written.
        if text != "9999-12-31" { #expect(range.before == before.flatMap(Timestamp.init(iso8601:))) }
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let text: String
        let message: String
        var testDescription: String { "\(text) → \(message)" }

        init(_ text: String, _ message: String) {
            self.text = text
            self.message = message
        }
    }

    @Test(
        "An invalid query is refused with its position",
        arguments: [
            Wrong("(name:a OR name:b", "unbalanced parenthesis at 0"),
            Wrong("name:a OR (name:b", "unbalanced parenthesis at 10"),
            Wrong("name:a OR name:b)", "unbalanced parenthesis at 16"),
            Wrong("name:(a OR b", "unbalanced parenthesis at 5"), Wrong(")", "missing term at 0"),
            Wrong("()", "missing term at 1"), Wrong("name:()", "missing term at 6"),
            Wrong("name:", "missing term at 5"),
            Wrong("name: ", "missing term at 6"), Wrong("(name:)", "missing term at 6"),
            Wrong("name:\"ann", "phrase without closing quote at 5"),
            Wrong("\"a\\\"", "phrase without closing quote at 0"),
            Wrong("name:[a TO b", "range without closing bracket at 5"),
            Wrong("name:[a", "range without closing bracket at 5"),
            Wrong("name:[", "range without closing bracket at 5"),
            Wrong("name:[a b]", "range that is not [a TO b] at 5"),
            Wrong("name:[a TOb]", "range that is not [a TO b] at 5"),
            Wrong("name:[]", "range that is not [a TO b] at 5"),
            Wrong("name:[a TO b)", "range that is not [a TO b] at 5"),
            Wrong("name:[a* TO b]", "unexpected wildcard at 6"), Wrong("[a TO b]", "range without a field at 0"),
            Wrong("name:a\\", "escape of nothing at 6"), Wrong("name:a AND", "missing operand of AND at 7"),
            Wrong("AND name:a", "missing operand of AND at 0"),
            Wrong("name:a AND AND name:b", "missing operand of AND at 11"),
            Wrong("OR name:a", "missing operand of OR at 0"), Wrong("name:a OR", "missing operand of OR at 7"),
            Wrong("(name:a ||)", "missing operand of OR at 8"),
            Wrong("name:a OR AND b", "missing operand of AND at 10"),
            Wrong("NOT", "missing operand of NOT at 0"), Wrong("name:a -", "missing operand of - at 7"),
            Wrong("(+)", "missing operand of + at 1"), Wrong("!", "missing operand of NOT at 0"),
            Wrong("a]", "unexpected ] at 1"), Wrong(":a", "unexpected : at 0"), Wrong("n*:a", "unexpected : at 0"),
            Wrong("name:a~2", #"unsupported operator ~; escape it as \~ where it is meant literally at 6"#),
            Wrong(#"name:"a b"~2"#, #"unsupported operator ~; escape it as \~ where it is meant literally at 10"#),
            Wrong("name:/jane/", #"unsupported operator /; escape it as \/ where it is meant literally at 5"#),
            Wrong("/j.*e/", #"unsupported operator /; escape it as \/ where it is meant literally at 0"#),
            Wrong("nmae:a", "unknown field nmae (did you mean name?) at 0"),
            Wrong("name:a AND xyzzy.plugh:a", "unknown field xyzzy.plugh at 11"),
            Wrong("usermetadata.a:b", "unknown field usermetadata.a (did you mean user_metadata.a?) at 0"),
            Wrong("user_metadata:b", "unknown field user_metadata (did you mean user_metadata.name?) at 0"),
            Wrong("app_metadata.:b", "unknown field app_metadata. (did you mean app_metadata?) at 0"),
            Wrong("_exists_:emial", "unknown field emial (did you mean email?) at 9"),
            Wrong("_exists_:", "missing term at 9"),
            Wrong("identities:a", "unknown field identities (did you mean identities.user_id?) at 0"),
            Wrong("created_at:yesterday", "created_at needs a date or a time at 11"),
            Wrong("created_at:2024*", "created_at needs a date or a time at 11"),
            Wrong("created_at:2023-02-29", "created_at needs a date or a time at 11"),
            Wrong("created_at:[2024 TO x]", "created_at needs a date or a time at 11"),
            Wrong("logins_count:many", "logins_count needs a number at 13"),
            Wrong("logins_count:nan", "logins_count needs a number at 13"),
            Wrong("blocked:1", "blocked needs true or false at 8"),
            Wrong("blocked:[true TO true]", "blocked needs true or false at 8"),
            Wrong("é\u{301}é AND nmae:a", "unknown field nmae (did you mean name?) at 8"),
            Wrong("name:a\0b", "unexpected character U+0000 at 6"),
        ])
    func wrong(wrong: Wrong) throws {
        let error = try #require(throws: QuerySyntaxError.self) { try UserQuery(parsing: wrong.text) }
        #expect(error.description == wrong.message)
    }

    @Test("Length, depth and number of terms are limited, inclusively")
    func limits() throws {
        func failure(_ text: String) -> QuerySyntaxError.Reason? {
            do throws(QuerySyntaxError) {
                _ = try UserQuery(parsing: text)
                return nil
            } catch {
                return error.reason
            }
        }
        #expect(failure("name:" + String(repeating: "a", count: 4091)) == nil)
        #expect(failure("name:" + String(repeating: "a", count: 4092)) == .tooLong(limit: 4096))
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
        }
        #expect(failure(nested(8)) == nil)
        #expect(failure(nested(9)) == .tooDeep(limit: 8))
        #expect(failure(String(repeating: "-", count: 8) + "a") == nil)
        #expect(failure(String(repeating: "!", count: 4000) + "a") == .tooDeep(limit: 8))
        #expect(failure(Array(repeating: "a", count: 100).joined(separator: " ")) == nil)
        #expect(failure(Array(repeating: "a", count: 101).joined(separator: " OR ")) == .tooManyTerms(limit: 100))
    }

    @Test("Any text is parsed or refused with a position within it")
    func fuzz() {
        let corpus = (Self.terms + Self.combinations).map(\.text)
        var fuzzer = MutationFuzzer(
            corpus: corpus,
            tokens: [
                "AND", "OR", "NOT", " TO ", "(", ")", "[", "]", "{", "}", "\"", "\\", ":", "*", "?", "-", "+", "!",
                "&&",
                "||", "name:", "user_metadata.", "_exists_:", "created_at:", " ",
            ])
        fuzzer.check("query") { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            do throws(QuerySyntaxError) {
                _ = try UserQuery(parsing: text)
                return true
            } catch {
                return (0...text.unicodeScalars.count).contains(error.position)
            }
        }
    }
}

@Suite("User search: sort orders, cursors and requests")
struct UserSearchRequestTests {
    @Test("A sort order is a field and a direction")
    func sorts() throws {
        #expect(try UserSort(parsing: "created_at:-1") == UserSort(.time(.createdAt), descending: true))
        #expect(try UserSort(parsing: "email:1").description == "email:1")
        #expect(UserSort(.text(.identityProvider)) == nil)
        func problem(_ text: String) -> String? {
            do throws(UserSortProblem) {
                _ = try UserSort(parsing: text)
                return nil
            } catch {
                return error.description
            }
        }
        #expect(problem("email") == "not a field and a direction, as in created_at:-1")
        #expect(problem("email:2") == problem("email"))
        #expect(problem("email:1:1") == problem("email"))
        #expect(problem("emial:1") == "emial is no field to sort by (did you mean email?)")
        #expect(problem("user_metadata.plan:1") == "user_metadata.plan is no field to sort by")
        #expect(problem("identities.provider:1") != nil)
    }

    @Test("A cursor is read from its opaque form")
    func cursors() throws {
        let byName = try UserSort(parsing: "name:-1")
        let byLogin = try UserSort(parsing: "last_login:1")
        for cursor in [
            UserSearchCursor(sort: nil, key: .absent, sequence: .max),
            UserSearchCursor(sort: byName, key: .text("é\"\\ \n"), sequence: 1),
            UserSearchCursor(sort: byName, key: .absent, sequence: 2),
            UserSearchCursor(sort: byLogin, key: .integer(-5), sequence: 3),
        ] {
            #expect(UserSearchCursor(opaque: cursor.opaque) == cursor)
        }
    }

    @Test(
        "A cursor that no server issued is refused",
        arguments: [
            "", "x", "[]", "[null,null]", "[null,null,\"1\"]", "[1,null,1]", "[null,\"a\",1]", "[\"name:1\",5,1]",
            "[\"last_login:1\",\"a\",1]", "[\"logins_count:1\",null,1]", "[\"none:1\",null,1]",
            "[\"name:1\",\"\\u0000\",1]",
            "[null,null,1.5]", "[null,[[[[]]]],1]",
        ])
    func forged(text: String) {
        #expect(UserSearchCursor(opaque: Base64URL.encode(Array(text.utf8))) == nil)
        #expect(UserSearchCursor(opaque: text) == nil)
    }

    private struct UnusedDirectory: UserSearchStore {
        struct Called: Error {}

        func record(of user: UserID, tenant: TenantID) async throws -> UserRecord? { throw Called() }
        func search(
            _ search: UserSearch, tenant: TenantID, within limit: Duration
        ) async throws -> UserSearchResult { throw Called() }
    }

    /// Nil if the store was called.
    private func failure(_ request: SearchUsers.Request) async throws -> SearchUsers.Failure? {
        let search = SearchUsers(store: UnusedDirectory())
        do {
            _ = try await search.search(request, tenant: TenantID("dev"))
            return nil
        } catch let failure as SearchUsers.Failure {
            return failure
        } catch is UnusedDirectory.Called {
            return nil
        }
    }

    @Test("An invalid request is refused before any read")
    func requests() async throws {
        typealias Request = SearchUsers.Request
        #expect(try await failure(Request(query: nil)) == nil)
        #expect(
            try await failure(Request(query: "(")) == .query(QuerySyntaxError(.missingTerm, at: 1)))
        #expect(try await failure(Request(query: nil, sort: "x")) == .sort(.notFieldAndDirection))
        let cursor = UserSearchCursor(sort: nil, key: .absent, sequence: 1).opaque
        #expect(try await failure(Request(query: nil, part: .following(cursor, count: 1))) == nil)
        #expect(try await failure(Request(query: nil, sort: "email:1", part: .following(cursor, count: 1))) == .cursor)
        #expect(try await failure(Request(query: nil, part: .following("?", count: 1))) == .cursor)
        #expect(try await failure(Request(query: nil, part: .following(nil, count: 0))) == .part)
        #expect(try await failure(Request(query: nil, part: .page(0, size: 101))) == .part)
        #expect(try await failure(Request(query: nil, part: .page(-1, size: 10))) == .part)
        #expect(try await failure(Request(query: nil, part: .page(.max, size: 10))) == .part)
        #expect(try await failure(Request(query: nil, part: .page(100_000, size: 100))) == nil)
    }
}
