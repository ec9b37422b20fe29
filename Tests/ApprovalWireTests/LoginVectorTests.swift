import ApprovalWire
import Foundation
import Localization
import Primitives
import Testing

/// The web app's module runs the same vectors (`Tests/ApproverModules`).
@Suite("A login is read as the vectors say, in the reader's language")
struct LoginVectorTests {
    static var vectors: [JSONValue] {
        get throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Vectors/login.json")
            return try #require(try JSONReader.parse(Array(Data(contentsOf: file))).arrayValue)
        }
    }

    @Test("Each login has its question, its screen and its rows", arguments: try vectors)
    func shown(vector: JSONValue) throws {
        var record = try #require(try JSONReader.parse(ReceiptDraft.record().text).objectValue)
        record["login"] = vector["login"]
        let login = try #require(try RequestRecord(parsing: JSONWriter.string(.object(record))).display.login)
        let language = try #require(vector["language"]?.stringValue.flatMap { Language(tag: $0) })
        let shown = LoginPresentation(login, in: language)
        #expect(shown.headline == vector["headline"]?.stringValue)
        #expect(shown.screen == vector["screen"]?.stringValue)
        #expect(shown.rows.map { [$0.label, $0.value] } == vector["rows"]?.arrayValue?.compactMap(\.stringsValue))
    }
}
