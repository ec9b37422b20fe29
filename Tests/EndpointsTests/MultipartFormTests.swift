@testable import HTTPModel
import Testing

@Suite("Forms with files (RFC 7578)")
struct MultipartFormTests {
    private static let type = "multipart/form-data; boundary=\"a b\""

    private func form(_ body: String, _ type: String = "multipart/form-data; boundary=XX", parts: Int = 3) throws
        -> MultipartForm
    {
        try MultipartForm(Array(body.utf8), contentType: type, partLimit: parts)
    }

    private func part(_ head: String, _ body: String) -> String { "--XX\r\n\(head)\r\n\r\n\(body)\r\n" }

    @Test("Fields and files are read as they are, whatever their bytes")
    func read() throws {
        let body =
            part("Content-Disposition: form-data; name=\"a\"", "1\r\n--X")
            + part(
                "content-disposition: form-data; name=f; filename=\"x \\\"y\\\".json\"\r\nContent-Type: text/plain", "")
        for end in ["--XX--", "--XX--\r\n"] {
            let form = try form(body + end, "Multipart/Form-Data; charset=utf-8; boundary=\"XX\"")
            #expect(form.parts["a"] == MultipartForm.Part(name: "a", fileName: nil, body: Array("1\r\n--X".utf8)))
            #expect(form.parts["f"] == MultipartForm.Part(name: "f", fileName: "x \"y\".json", body: []))
        }
        #expect(try form("--XX--").parts.isEmpty)
    }

    @Test(
        "Anything odd is refused",
        arguments: [
            "", "XX", "--XX", "--XX\r\n", "--XXx\r\n", "preamble\r\n--XX--", "--XX--more", "--XX--\r\nmore",
            "--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n1",
            "--XX\r\nContent-Disposition: form-data\r\n\r\n1\r\n--XX--",
            "--XX\r\nContent-Disposition: attachment; name=a\r\n\r\n1\r\n--XX--",
            "--XX\r\nContent-Type: text/plain\r\n\r\n1\r\n--XX--", "--XX\r\n\r\n1\r\n--XX--",
            "--XX\r\nContent-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\n1\r\n--XX--",
            "--XX\r\nContent-Disposition: form-data; name=\"a\r\n\r\n1\r\n--XX--",
            "--XX\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\n1\r\n--XX--",
        ])
    func refused(body: String) { #expect(throws: MultipartForm.Failure.self) { try form(body) } }

    @Test("Limits are those of parts, heads and boundaries; a name comes once")
    func limits() {
        let one = part("Content-Disposition: form-data; name=a", "1")
        #expect(throws: MultipartForm.Failure("The part a is repeated; send it once")) {
            try form(one + one + "--XX--")
        }
        let many = (0..<4).map { part("Content-Disposition: form-data; name=n\($0)", "1") }.joined()
        #expect(throws: MultipartForm.Failure("There are more than 3 parts")) { try form(many + "--XX--") }
        let long = part("Content-Disposition: form-data; name=\(String(repeating: "x", count: 1100))", "1")
        #expect(throws: MultipartForm.Failure.self) { try form(long + "--XX--") }
        for type in [
            "multipart/form-data", "multipart/mixed; boundary=XX", "multipart/form-data; boundary=",
            "multipart/form-data; boundary=XX; boundary=YY", Self.type,
            "multipart/form-data; boundary=\(String(repeating: "x", count: 71))",
        ] {
            #expect(throws: MultipartForm.Failure.self, "\(type)") { try form("--XX--", type) }
        }
    }
}
