package import Primitives

/// An example of what a schema accepts, for people who look at how it is shown.
package enum SchemaSample {
    /// Nil if none is found.
    package static func detail(of schema: JSONValue, type: String) -> JSONObject? {
        var example = SchemaExample(of: schema)
        return example.object(with: ["type": .string(type)])?.objectValue
    }
}
