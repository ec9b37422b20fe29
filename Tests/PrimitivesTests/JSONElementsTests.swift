import Primitives
import Testing

@Suite("Elements of a large JSON text")
struct JSONElementsTests {
    private func elements(_ text: String) -> [String]? {
        let bytes = Array(text.utf8)
        return JSONElements.ranges(in: bytes)?.map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    @Test("The elements of an array, and values behind one another, are found")
    func found() {
        #expect(elements("[]") == [])
        #expect(elements(" [ ] \n") == [])
        #expect(elements(#"[{"a":"]},"},{"b":[1,{"c":"\""}]}]"#) == [#"{"a":"]},"}"#, #"{"b":[1,{"c":"\""}]}"#])
        #expect(elements(#"[ 1 , "x" ,null, {} ]"#) == ["1", #""x""#, "null", "{}"])
        #expect(elements("{\"a\":1}\n{\"b\":2}\r\n") == [#"{"a":1}"#, #"{"b":2}"#])
        #expect(elements("{}") == ["{}"])
    }

    @Test(
        "A text that is no array and no list of values is nil",
        arguments: ["", " ", "[", "[{}", "[{}]x", "[{},]", "[,{}]", "{}]", "[{} {}]", "{\"a", "[\"a]", "]", "[}"])
    func refused(text: String) { #expect(elements(text) == nil) }
}
