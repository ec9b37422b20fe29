package import HTTPModel

extension Request {
    /// True for a browser that opens an address. Browsers name HTML then (Fetch Standard, "document" destination).
    /// Programs name JSON, anything, or nothing.
    package var wantsPage: Bool {
        fields.values(of: "Accept").contains { value in
            value.split(separator: ",").contains { range in
                range.prefix { $0 != ";" }.lowercased().split { $0 == " " || $0 == "\t" } == ["text/html"]
            }
        }
    }
}
