@testable import ForeignExports
import Primitives
import Testing

@Suite("Users of Auth0 and the hashes of their passwords")
struct Auth0UsersTests {
    private static let hash = "$2b$10$ABCDEFGHIJKLMNOPQRSTUOn3HzDtIrNcl6HFzVmZAUZK2dIUdk8e6"
    private static let ann = """
        {"user_id":"auth0|5dea","email":"ann@northwind.example","email_verified":true,"username":"ann","nickname":"ann",\
        "created_at":"2024-01-01T00:00:00.000Z","updated_at":"2024-01-01T00:00:00.000Z","last_ip":"192.0.2.1",\
        "last_login":"2024-01-01T00:00:00.000Z","logins_count":7,"app_metadata":{"plan":"pro"},"multifactor":["guardian"],\
        "identities":[{"provider":"auth0","user_id":"5dea","connection":"customers","isSocial":false},\
        {"provider":"github","user_id":"9","connection":"github","isSocial":true,"profileData":{"a":1}}]}
        """
    private static let ben = #"{"user_id":"auth0|euclid","email":"ben@northwind.example","locale":"de-AT"}"#
    private static let others = """
        {"user_id":"google-oauth2|1","email":"cat@northwind.example"}
        {"user_id":"auth0|old","email":"dan@northwind.example","identities":[{"provider":"auth0","connection":"old-staff"}]}
        """
    private static let hashes = """
        {"_id":{"$oid":"5dea"},"email_verified":true,"email":"ann@northwind.example","passwordHash":"\(hash)",\
        "password_set_date":{"$date":"2019-12-06T18:36:12.412Z"},"tenant":"northwind","connection":"customers",\
        "_tmp_is_unique":true}
        {"_id":{"$oid":"77aa"},"alt_id":"euclid","passwordHash":"\(hash)","connection":"customers",\
        "identifiers":[{"type":"email","value":"ben@northwind.example","verified":false}]}
        {"_id":{"$oid":"88bb"},"email":"dan@northwind.example","passwordHash":"\(hash)","connection":"old-staff"}
        """

    private func move(users: [String] = [], hashes: [String] = []) throws -> SettledMove {
        func files(_ texts: [String], _ name: String) -> [ForeignFile] {
            texts.enumerated().map { ForeignFile(path: "\(name)\($0.offset).ndjson", bytes: Array($0.element.utf8)) }
        }
        let people = Auth0Users(users: files(users, "users"), hashes: files(hashes, "hashes"))
        return try Exports.settled(
            try Auth0Export(try Exports.files("auth0"), into: Exports.target).configuration(users: people))
    }

    private func user(_ move: SettledMove, _ id: String) -> JSONObject? {
        move.users.first { $0["user_id"]?.stringValue == "auth0|\(id)" }
    }

    @Test("Users come with their ids, profiles and hashes; other databases' and providers' have a line")
    func both() throws {
        let move = try move(users: [Self.ann + "\n" + Self.ben + "\n\n" + Self.others], hashes: [Self.hashes])
        #expect(move.users.count == 2)
        let ann = try #require(user(move, "5dea"))
        #expect(ann["username"] == "ann" && ann["email_verified"] == true && ann["app_metadata"] == ["plan": "pro"])
        #expect(ann["password_hash"]?.stringValue == Self.hash)
        for member in ["created_at", "last_login", "logins_count", "identities", "multifactor"] {
            #expect(ann[member] == nil, "\(member)")
        }
        let ben = try #require(user(move, "euclid"))
        #expect(ben["password_hash"]?.stringValue == Self.hash && ben["locale"] == "de")
        let report = move.report
        #expect(report.absence("auth0|old")?.instead.contains("one database, here customers") == true)
        #expect(report.absence("google-oauth2|1")?.instead.contains("first login") == true)
        #expect(report.absence("dan@northwind.example")?.instead.contains("one database") == true)
        #expect(report.difference("auth0|5dea", "multifactor")?.follows.contains("loses the factor") == true)
        #expect(report.difference("auth0|5dea", "identities")?.was == "a linked account of github")
        #expect(report.absence("auth0|5dea", "last_login") != nil)
        #expect(report.absence("all") == nil || report.absence("all")?.subjects.kind != "users")
        #expect(!JSONWriter.string(report.json).contains(Self.hash))
    }

    @Test("A page of the Management API, a list, and one object a line are read alike")
    func forms() throws {
        let page = "{\n \"start\": 0,\n \"users\": [\(Self.ann), \(Self.ben)]\n}"
        for text in ["[\(Self.ann),\n\(Self.ben)]", page, "\(Self.ann)\r\n\(Self.ben)\r\n"] {
            #expect(try move(users: [text]).users.count == 2, "\(text)")
        }
        #expect(try move(users: [Self.ann, Self.ben]).users.count == 2)
    }

    @Test("People without a hash are counted in one line, and hashes alone make users")
    func apart() throws {
        let bare = try move(users: [Self.ann + "\n" + Self.ben]).report
        let line = try #require(bare.difference("auth0|5dea", "password"))
        #expect(line.subjects.count == 2 && line.follows.contains("Forgot your password?"))
        let alone = try move(hashes: [Self.hashes])
        #expect(alone.users.count == 2)
        #expect(user(alone, "euclid")?["email"] == "ben@northwind.example")
        #expect(user(alone, "euclid")?["email_verified"] == false)
        let none = try move()
        #expect(none.report.absent.contains { $0.subjects.kind == "users" && $0.instead.contains("on request") })
        let stray = try move(users: [Self.ben], hashes: [Self.hashes])
        #expect(stray.report.absence("ann@northwind.example")?.instead.contains("no such user") == true)
    }

    @Test("Usernames have the login page name them")
    func usernames() throws {
        func options(_ move: SettledMove) throws -> JSONValue? {
            try Exports.entry(move)["connections"]?.element("strategy", "auth0")?["options"]
        }
        #expect(try options(try move(users: [Self.ann]))?["requires_username"] == true)
        #expect(try options(try move(users: [Self.ben]))?["requires_username"] == nil)
    }

    @Test("A line that is no JSON, and a user without an id, are named")
    func malformed() throws {
        for (text, message) in [
            ("\(Self.ann)\n{\"user_id\":", "users0.ndjson: line 2 is not valid JSON"),
            (#"{"email":"a@b.example"}"#, "users0.ndjson: [0].user_id is required"),
            ("7", "must be an object, not a number"),
        ] {
            let failure = #expect(throws: ForeignFailure.self) { try move(users: [text]) }
            #expect(failure?.description.contains(message) == true, "\(failure?.description ?? "")")
        }
        let failure = #expect(throws: ForeignFailure.self) { try move(hashes: [#"{"email":"a@b.example"}"#]) }
        #expect(failure?.description.contains("has no $oid") == true)
    }
}
