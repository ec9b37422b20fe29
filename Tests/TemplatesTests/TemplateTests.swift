import Primitives
@testable import Templates
import TestSupport
import Testing

@Suite("Templates of mails")
struct TemplateTests {
    private static let values: JSONObject = [
        "application": ["name": "Shop & <b>Co</b>", "clientID": "shop"],
        "user": ["name": "Ann O'Neil", "email": "ann@example.org", "nickname": ""],
        "url": "https://id.example/u/approve?id=cns_1&x=2", "binding_message": "Pay 12.50 to Bob",
        "scopes": ["one", "two", "three"], "count": 3, "isUrgent": false,
        "lines": [["name": "b", "price": 10], ["name": "a", "price": 2]], "shop": "Node.js shop", "blanks": "  ",
    ]
    private static let own = TemplatePaths(["url", "user.email"])
    /// 2026-11-20T10:00:00Z, a Friday.
    private static let now = Timestamp(seconds: 1_795_168_800)

    private func rendered(_ source: String, as format: Template.Format = .html) throws -> String {
        try Template(parsing: source).rendered(with: Self.values, own: Self.own, as: format, now: Self.now)
    }

    @Test(
        "Liquid's output, filters, conditions and loops",
        arguments: [
            ("{{ user.email }}", "ann@example.org"), ("{{user['email']}}", "ann@example.org"),
            ("{{ scopes[0] }}{{ scopes[-1] }}{{ scopes.size }}{{ scopes.first }}", "onethree3one"),
            ("{{ missing.member.of }}|{{ missing | default: 'none' }}|{{ user.nickname | default: 'x' }}", "|none|x"),
            ("{{ 'a' | append: 'b' | prepend: 'c' | upcase }}", "CAB"), ("{{ 'aBC' | capitalize }}", "Abc"),
            ("{{ '  x ' | strip }}.", "x."), ("{{ 'a-b-c' | split: '-' | join: '+' }}", "a+b+c"),
            ("{{ 'a-b' | replace: '-', '--' | remove: 'a' }}", "--b"),
            ("{{ 'one two three' | truncate: 7 }}|{{ 'one two three' | truncatewords: 2 }}", "one ...|one two..."),
            ("{{ 'a b&c' | url_encode }}", "a+b%26c"), ("{{ 'abc' | slice: 1, 5 }}{{ 'abc' | size }}", "bc3"),
            ("{{ 'now' | date: '%-d %B %Y, %H:%M %p %a %%' }}", "20 November 2026, 10:00 AM Fri %"),
            ("{{ '2026-01-05' | date: '%e/%b/%y' }}", " 5/Jan/26"),
            ("{{ 'now' | date: '%s' | plus: 432000 | date: '%F' }}|{{ 999 | date: '%F' }}", "2026-11-25|1970-01-01"),
            ("{{ 253402300800 | date: '%F' }}|{{ -62135596801 | date: '%F' }}", "253402300800|-62135596801"),
            ("{{ 'no date' | date: '%Y' }}", "no date"),
            ("{{ count | plus: 2 | times: 2 | divided_by: 3 | modulo: 2 }}", "1"), ("{{ 7 | divided_by: 2.0 }}", "3.5"),
            ("{% if count > 2 and isUrgent %}a{% elsif count == 3 %}b{% else %}c{% endif %}", "b"),
            ("{% unless isUrgent %}calm{% else %}urgent{% endunless %}", "calm"),
            ("{% if scopes contains 'two' %}1{% endif %}{% if url contains 'approve' %}2{% endif %}", "12"),
            ("{% if user.nickname == blank and missing == nil and count != 4 %}yes{% endif %}", "yes"),
            ("{% if false and false or true %}1{% else %}2{% endif %}", "2"),
            ("{% case count %}{% when 1, 2 %}few{% when 3 or 4 %}some{% else %}many{% endcase %}", "some"),
            (
                "{% for s in scopes %}{{ forloop.index }}{{ s }}{% unless forloop.last %},{% endunless %}{% endfor %}",
                "1one,2two,3three"
            ),
            ("{% for s in scopes limit:1 offset:1 %}{{ s }}{% endfor %}", "two"),
            (
                "{% for s in scopes reversed %}{% if s == 'two' %}{% continue %}{% endif %}{{ s }} {% endfor %}",
                "three one "
            ),
            ("{% for i in (1..3) %}{{ i }}{% if i == 2 %}{% break %}{% endif %}{% endfor %}", "12"),
            ("{% for s in missing %}x{% else %}none{% endfor %}", "none"),
            ("{% for l in lines %}{{ l.name }}={{ l.price }};{% endfor %}", "b=10;a=2;"),
            ("{% for i in (1..1000000000) limit: 2 offset: 5 %}{{ i }}{% endfor %}", "67"),
            ("{% for p in user limit: 1 %}{{ p[0] }}={{ p[1] | size }}{% endfor %}", "name=10"),
            (
                "{% assign n = user.name | downcase %}{% capture c %}<i>{{ n }}</i>{% endcapture %}{{ c }}",
                "<i>ann o&#39;neil</i>"
            ),
            ("{% raw %}{{ not }} {% this %}{% endraw %}{% comment %}{{ nor {% endcomment %}.", "{{ not }} {% this %}."),
            ("{{ 'a.a.a' | replace_first: 'a', 'b' | remove_first: '.' | remove_first: 'x' }}", "ba.a"),
            ("{{ 2.4 | ceil }}{{ 2.6 | floor }}{{ -3 | abs }}{{ 4 | at_least: 5 }}{{ 4 | at_most: 3 }}", "32353"),
            ("{{ 'b,a,b' | split: ',' | uniq | sort | join: '' }}", "ab"),
            ("{{ lines | sort: 'price' | map: 'name' | join: ',' }}{{ scopes | reverse | first }}", "a,bthree"),
            ("{{ scopes | concat: lines | size }}{{ 'x' | sort }}{{ 'x' | map: 'y' }}", "5x"),
            ("{{ false | default: 'a' }}{{ false | default: 'a', allow_false: true }}", "afalse"),
            ("[{{ blanks | default: 'x' }}]{% if blanks == blank and blanks != empty %}y{% endif %}", "[  ]y"),
            (
                "{% for i in (1..3) %}{% cycle 'a', 'b' %}{% cycle 'g': 1, 2 %}{% endfor %}{% cycle 'g': 8, 9 %}",
                "a1b2a19"
            ),
            ("{% increment n %}{% increment n %}{% decrement m %}{{ n }}{% assign n = 9 %}{{ n }}", "01-129"),
            ("{{ '<b>' | strip }}{{ ' <i> ' | lstrip | rstrip }}{{ '<u>' | strip_newlines }}", "<b><i><u>"),
            (
                "{% capture c %}<i>{{ user.name }}</i>\n{% endcapture %}{{ c | strip_newlines }}",
                "<i>Ann O&#39;Neil</i>"
            ),
            ("a {{- ' b ' -}} c", "a b c"), ("{%- if true -%} x {%- endif -%}", "x"),
        ])
    func renders(source: String, expected: String) throws {
        #expect(try rendered(source) == expected)
    }

    @Test("A value from outside is always escaped in HTML, once, whatever filters it passes")
    func escaping() throws {
        let name = "Shop &amp; &lt;b&gt;Co&lt;/\u{200C}b&gt;"
        #expect(try rendered("{{ application.name }}") == name)
        #expect(try rendered("{{ application.name | escape }}") == name)
        #expect(try rendered("{{ application.name | append: '<br>' }}") == name + "<br>")
        #expect(try rendered("<a href=\"{{ url }}\">") == "<a href=\"https://id.example/u/approve?id=cns_1&amp;x=2\">")
        for filter in [
            "upcase", "escape | url_decode", "url_encode | url_decode", "split: ' ' | join: ' '",
            "escape | replace: '&lt;', '<'",
            "slice: 0, 99", "strip_newlines", "default: 'x'", "newline_to_br", "escape | truncate: 99", "escape_once",
            "strip",
        ] {
            #expect(try !rendered("{{ application.name | \(filter) }}").contains("<b>"), "\(filter)")
        }
        #expect(try rendered("{% assign x = application.name %}{% for a in (1..1) %}{{ x }}{% endfor %}") == name)
        #expect(throws: TemplateFailure.self) { try Template(parsing: "{{ application.name | raw }}") }
    }

    @Test("Plain text gets values without escapes")
    func plain() throws {
        #expect(
            try rendered("{{ application.name | escape }}: {{ user.name }}", as: .plain)
                == "Shop & <b>Co</\u{200C}b>: Ann O'Neil")
    }

    @Test("Text from outside is compared as it is")
    func compared() throws {
        #expect(try rendered("{% if shop == 'Node.js shop' and shop contains 'e.j' %}yes{% endif %}") == "yes")
        #expect(
            try rendered("{{ shop | replace: '.js', '' }}{% case shop %}{% when 'Node.js shop' %}!{% endcase %}")
                == "Node shop!")
    }

    @Test("No way into the output makes a link of text from outside", arguments: [Template.Format.html, .plain])
    func links(format: Template.Format) throws {
        let hostile = "www.evil.example/x\nhttps://evil.example a\u{202E}b me@evil.example"
        let values: JSONObject = [
            "x": .string(hostile), "hidden": "www&#46;evil&#46;example https&#58;&#47;&#47;evil&#46;example",
            "l": .array([.string(hostile), .string(hostile)]), "o": [hostile: 1, "k": .string(hostile)],
            "own": "https://id.example/a", "a": "evil.", "b": "example",
        ]
        let filters = [
            "upcase", "downcase", "capitalize", "append: ''", "prepend: ''", "append: '<br>' | strip", "escape",
            "escape_once", "strip",
            "strip_html", "strip_newlines", "newline_to_br", "replace: ' ', '+'", "replace_first: 'a', 'a'",
            "remove: '?'",
            "remove_first: '?'", "truncate: 200", "truncatewords: 9", "slice: 0, 99", "url_encode | url_decode",
            "url_encode", "default: 'x'",
            "date: '%F'", "base64_encode | base64_decode", "remove_last: '?'", "replace_last: 'a', 'a'", "h",
            "split: ' ' | sort_natural | join: ' '", "split: ' ' | compact", "replace: '', ''",
            "split: ' '", "split: ' ' | join: ' '", "split: ' ' | first", "split: ' ' | reverse",
            "split: ' ' | sort | last",
            "split: ' ' | uniq | concat: l", "escape | url_decode", "escape | replace: '&', '&'",
        ]
        func check(_ source: String) throws {
            let output = try Template(parsing: source).rendered(
                with: values, own: TemplatePaths(["own"]), as: format, now: Self.now)
            for part in ["evil.example", "ww.e", "WW.E", "https://e", "//", "@evil", "\u{202E}"] {
                #expect(!output.lowercased().contains(part), "\(source): \(output)")
            }
        }
        for filter in filters {
            for source in ["{{ x | \(filter) }}", "{{ hidden | \(filter) }}", "{{ hidden | escape_once | \(filter) }}"]
            {
                try check(source)
                try check("{% capture c %}\(source){% endcapture %}{{ c }}{{ c | upcase }}{{ c | escape_once }}")
                try check("{% assign a = x | \(filter) %}{{ a }}{{ 'z' | append: a }}{{ 'z' | replace: 'z', a }}")
            }
        }
        for source in [
            "{{ l }}", "{{ l | join: '+' }}", "{% for e in l %}{{ e }}{% endfor %}",
            "{% for e in o %}{{ e }}{{ e[0] }}{{ e[1] }}{% endfor %}",
            "{% echo x %}", "{% liquid echo x %}", "{% ifchanged %}{{ x }}{% endifchanged %}",
            "{% tablerow e in l %}{{ e }}{% endtablerow %}", "{% for e in x %}{{ e }}{% endfor %}",
            "{{ l | where: 'w' }}", "{{ l | map: x }}", "{{ l | find: 'w' }}{{ ['x'] }}",
            "{% cycle x, 'y' %}", "{% cycle 'g': x %}", "{{ 'a b' | split: ' ' | join: x }}",
            "{{ 'a' | truncate: 0, x }}", "{{ o.k | append: o['k'] }}",
            "{{ nothing | default: x }}", "{{ 'x' | date: x }}",
            // Texts that make a link only together.
            "{% assign p = x | split: '' %}{% for c in p %}{{ c }}{% endfor %}{{ p }}{{ p | join: '' }}",
            "{{ a }}{{ b }}{{ a | append: b }}{% capture c %}{{ a }}{% endcapture %}{{ c }}{{ b }}",
        ] { try check(source) }
        let rendered = try Template(parsing: "{{ own }}{{ own | upcase }}{{ x | url_encode | slice: 0, 12 }}").rendered(
            with: values, own: TemplatePaths(["own"]), as: format, now: Self.now)
        #expect(rendered == "https://id.example/aHTTPS://ID.EXAMPLE/Awww%2Eevil%2")
    }

    @Test(
        "Texts that make a link only together stay apart in the HTML and in its plain text, whatever tags are between",
        arguments: [
            "<b>{{ a }}</b>{{ b }}", "{{ a }}<b>{{ b }}</b>", "{{ a }}<!-- > -->{{ b }}",
            "{{ a }}<i title=\">\">{{ b }}</i>", "{{ a }}<a href=\"{{ own }}\">{{ b }}</a>",
            "{{ a }}<i title='{{ x }}'>{{ b }}</i>", "<img alt=\"{{ a }}\">{{ b }}",
            "{% capture c %}<b>{{ b }}</b>{% endcapture %}{{ a }}{{ c }}{{ a | append: c }}",
            "{% capture c %}<b>{{ a }}</b>{% endcapture %}{{ c }}{{ b }}{{ c | append: b }}{{ b | prepend: c }}",
            "{{ 'x' | append: a | append: b }}", "{{ nested }}", "{{ '' | append: nested }}",
            "{{ a }}{{ none }}{{ b }}", "{{ a }}{{ nothing }}{% assign n = nested | concat: nested %}{{ n }}",
            "1 < 2 {{ a }}{{ b }}", "<p title=it's>{{ a }}{{ b }}",
        ])
    func apart(source: String) throws {
        let values: JSONObject = [
            "a": "evil.", "b": "example", "x": "y", "own": "https://id.example/", "none": "",
            "nested": [["evil."], [["example", "."]], .null, "example"],
        ]
        for format in [Template.Format.html, .plain] {
            let output = try Template(parsing: source).rendered(
                with: values, own: TemplatePaths(["own"]), as: format, now: Self.now)
            #expect(output.contains("example"), "\(source)")
            #expect(!output.contains("evil.example"), "\(source): \(output)")
            if format == .html {
                let text = try HTMLText.text(of: output)
                #expect(!text.contains("evil.example"), "\(source): \(text)")
            }
        }
    }

    @Test("No joiner comes into an address of the template, or between words")
    func unbroken() throws {
        let values: JSONObject = ["a": "Jr.", "b": "bob"]
        for source in [
            "{{ a }}<a href=\"https://x.example/?u={{ b }}\">", "{{ a }} {{ b }}", "{{ a }}-<i>{{ b }}</i>",
            "{{ b }}{{ a }}",
        ] {
            let output = try Template(parsing: source).rendered(with: values, as: .html, now: Self.now)
            #expect(!output.contains("\u{200C}"), "\(source): \(output)")
        }
    }

    @Test("The paths of a hostile template stay short and few, and it is known that there are more")
    func manyPaths() throws {
        let long = Self.repeated("x", 30_000)
        for source in [
            "{% assign a = u" + Self.repeated(".b", 16_000) + " %}" + Self.repeated("{{a.c}}", 4000),
            "{% assign a = u['\(long)'] %}" + Self.repeated("{{a.c}}", 4000), "{{ u['\(long)']['\(long)'] }}",
        ] {
            let template = try Template(parsing: source)
            #expect(template.paths.count <= 2 && !template.hasMorePaths)
            #expect(template.paths.allSatisfy { $0.utf8.count <= 600 })
        }
        let many = try Template(parsing: (0..<6000).map { "{{v\($0)}}" }.joined())
        #expect(many.paths.count == 1000 && many.hasMorePaths)
    }

    @Test(
        "Visible text has a joiner where a name or an address would begin, and stays the same when made visible again")
    func visible() {
        for (text, expected) in [
            ("Node.js", "Node.\u{200C}js"), ("12.50 3/4", "12.50 3/4"),
            ("a@b://c", "a@\u{200C}b:\u{200C}/\u{200C}/\u{200C}c"), ("é.é", "é.\u{200C}é"),
            ("a\u{200C}b", "a‹U+200C›b"), ("a.\u{200C}\u{200C}b", "a.\u{200C}b"), ("a\nb", "a‹U+000A›b"), ("", ""),
            (".", "."),
        ] {
            #expect(text.visible == expected && expected.visible == expected, "\(text)")
        }
    }

    @Test("Paths of values are known without rendering")
    func paths() throws {
        let template = try Template(
            parsing: """
                {{ user.email | append: x.y }}{% assign a = user.name %}{{ a.size }}{{ a }}
                {% for s in scopes %}{{ s.value }}{{ forloop.index }}
                {% if q[0].r and user['k'] %}{% endif %}{% endfor %}{{ s }}
                {% capture c %}{{ d[e.f].g }}{% endcapture %}{{ c }}{% cycle h: i %}
                {% case j %}{% when k %}{% endcase %}
                """)
        let expected = [
            "user.email", "x.y", "user.name", "user.name.size", "scopes", "scopes.value", "q.r", "user.k", "s", "e.f",
            "d", "h", "i", "j",
            "k",
        ]
        #expect(template.paths == expected)
        let known = TemplatePaths(["user.email", "user.meta", "scopes.value"])
        for path in ["user", "user.email", "user.email.size", "user.meta.a.b", "scopes.first.value", "scopes.size"] {
            #expect(known.leadsTo(path), "\(path)")
        }
        for path in ["users", "user.name", "scopes.name"] { #expect(!known.leadsTo(path), "\(path)") }
        #expect(try Template(parsing: "{{ a" + Self.repeated(".b", 30_000) + " }}").paths.count == 1)
    }

    @Test(
        "A fault is named with its line and column",
        arguments: [
            ("a\nb {{ x | shout }}", 2, 10, "shout is not known"), ("{{ x", 1, 1, "{{ has no }}"),
            ("{% if x %}", 1, 4, "{% if %} has no {% endif %}"), ("é{% endif %}", 1, 5, "does not belong here"),
            ("{% if x == %}y{% endif %}", 1, 11, "a value is missing"),
            ("{% for x of y %}{% endfor %}", 1, 10, "in is missing"),
            ("{{ 'x }}", 1, 4, "closing quotation mark"), ("{{ x y }}", 1, 6, "nothing may follow"),
            ("{% include 'x' %}", 1, 4, "include is not known"),
            ("{{ x | replace_last: 'a' }}", 1, 8, "2 arguments, not 1"),
            ("{{ x ; }}", 1, 6, "not understood"),
            ("{% if x %}{% else if y %}{% endif %}", 1, 19, "nothing may follow"),
            ("{% raw %}", 1, 1, "no {% endraw %}"), ("{{ x | default: 1, y: 2 }}", 1, 8, "0 to 1 arguments, not 2"),
            ("{% liquid\necho 'a'\nendif %}", 3, 1, "does not belong here"),
            ("{% # a\n b %}", 2, 2, "begins with #"), ("{% comment %}{% comment %}{% endcomment %}", 1, 1, "no {% end"),
            ("{% if \(repeated("x", 256)) %}{% endif %}", 1, 7, "a name is too long"),
        ])
    func faults(source: String, line: Int, column: Int, problem: String) throws {
        let failure = try #require(throws: TemplateFailure.self) { try Template(parsing: source) }
        #expect(failure.problem.contains(problem), "\(failure)")
        #expect([failure.line, failure.column] == [line, column], "\(failure)")
    }

    @Test(
        "A hostile template costs a bounded number of steps and bytes",
        arguments: [
            "{% for i in (1..1000000000) %}x{% endfor %}",
            "{% for i in (1..200) %}{% for j in (1..200) %}x{% endfor %}{% endfor %}",
            "{% assign s = 'xxxxxxxx' %}{% for i in (1..40) %}{% assign s = s | append: s %}{% endfor %}{{ s }}",
            "{% assign s = 'xxxxxxxx' %}{% for i in (1..9) %}{% assign s = s | replace: 'x', s %}{% endfor %}{{ s }}",
            "{% assign s = 'xxxxxxxxxxxxxxxx' %}{% for i in (1..40) %}{% assign s = s | split: '' | join: s %}{% endfor %}",
            Self.long + "{% for i in (1..9999) %}{% if s contains p %}{% endif %}{% endfor %}",
            Self.long + "{% for i in (1..9999) %}{% if s == t %}{% endif %}{% endfor %}",
            Self.long + "{% for i in (1..9999) %}{% assign x = s | remove: p %}{% endfor %}",
            Self.long + "{% for i in (1..9999) %}{% assign x = '' | append: s | size %}{% endfor %}",
            Self.long + "{% assign x = s | split: '' %}",
            "{% case 1 %}{% when 2" + repeated(",2", 30_000)
                + " %}{% endcase %}",
            "{% assign x = 'now' | date: '" + repeated("%F", 30_000) + "' %}",
            "{% capture s %}{% for i in (1..9000) %}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{% endfor %}{% endcapture %}",
            Self.wide + "{% for i in (1..9999) %}{% capture t %}{{ s }}{% endcapture %}{% endfor %}",
            Self.wide + "{% for i in (1..200) %}" + repeated("{% capture t %}{{ s }}{% endcapture %}", 45)
                + "{% endfor %}",
            Self.wide + "{% for i in (1..9999) %}{% assign t = s %}{% endfor %}",
            Self.wide + "{% for i in (1..9999) %}{% if s %}{% endif %}{% endfor %}",
            Self.wide + "{% for i in (1..9999) %}{% if s.size == s.size %}{% endif %}{% endfor %}",
            Self.wide + "{% for i in (1..9999) %}{% if s['size'] == s['size'] %}{% endif %}{% endfor %}",
            Self.wide + "{% for i in (1..9) %}{% if 1 == s.size %}{% endif %}{% endfor %}",
            Self.wide + "{% for i in (1..9999) %}{% cycle s: '' %}{% endfor %}",
            Self.list + "{% for i in (1..9999) %}{% for e in l reversed %}{% break %}{% endfor %}{% endfor %}",
            Self.list + "{% for i in (1..9999) %}{% for e in l limit: 1 offset: 9 %}{% endfor %}{% endfor %}",
            Self.list + "{% for i in (1..9999) %}{% assign t = l %}{% endfor %}",
            Self.list + "{% for i in (1..9999) %}{% assign t = l | sort | reverse %}{% endfor %}",
            Self.list + "{% for i in (1..9999) %}{% assign t = l | map: l %}{% endfor %}",
            Self.list + "{% for i in (1..9999) %}{% assign t = l | split: 'a' %}{% endfor %}",
            Self.list + "{% for i in (1..9999) %}{% assign t = l | where: 'a', 'b' %}{% endfor %}",
            Self.list + "{% for i in (1..9999) %}{% assign t = l | sum %}{% endfor %}",
            "{% for i in (1..9999) %}{% assign t = (1..9999) | reverse %}{% endfor %}",
            "{% assign t = (1..1000000000) | join %}", "{% tablerow i in (1..1000000000) %}{% endtablerow %}",
            "{{ 'now' | date: '" + repeated("%999d", 9000) + "' }}",
            "{% for i in (1..9999) %}{% ifchanged %}" + repeated("x", 9000) + "{% endifchanged %}{% endfor %}",
            "{% for i in (1..9999) %}{% if a" + repeated(".b", 20_000) + " %}{% endif %}{% endfor %}",
            "{% for i in (1..9999) %}{% if a" + repeated(" or a", 14) + " %}{% endif %}{% endfor %}",
        ])
    func limits(source: String) throws {
        let clock = ContinuousClock()
        let start = clock.now
        #expect(throws: TemplateFailure.self) { try rendered(source) }
        // 50 ms in a release build. Builds for tests are about 20 times slower, and tests run beside others.
        #expect(clock.now - start < .seconds(5) * Patience.factor)
    }

    private static let wide = "{% assign s = '" + repeated("a", 50_000) + "' | replace: 'aaaa', 'aaaaaaaaaaaaaaaa' %}"
    private static let list = "{% assign l = '" + repeated("a,", 9_990) + "' | split: ',' %}"

    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    /// Variables with many bytes, of which `p` is almost everywhere in `s`.
    private static let long =
        "{% assign s = '" + repeated("a", 20_000)
        + "' %}{% assign t = s | append: 'b' %}{% assign s = t | prepend: s %}"
        + "{% assign p = '" + repeated("a", 10_000) + "c' %}"

    @Test("All variables have one limit, whatever their number; a variable that is replaced counts no more")
    func variables() throws {
        let long = "{% assign s = '" + Self.repeated("a", 60_000) + "' %}"
        let many = (1...17).map { "{% assign v\($0) = s %}" }.joined()
        let failure = #expect(throws: TemplateFailure.self) { try rendered(long + many) }
        #expect(failure?.problem == "the variables have more than 1048576 bytes")
        #expect(try rendered(long + Self.repeated("{% assign v = s %}", 40) + "x") == "x")
    }

    @Test(
        "A template that opens without end is refused in linear time",
        arguments: ["{%", "{% ", "{%endraw", "{%- endraw -"])
    func openings(piece: String) {
        let clock = ContinuousClock()
        let start = clock.now
        let source = "{% raw %}" + Self.repeated(piece, 60_000 / piece.utf8.count) + "{% x %}"
        #expect(throws: TemplateFailure.self) { try Template(parsing: source) }
        let comment = "{% comment %}" + Self.repeated("{% raw %}\(piece)", 60_000 / (9 + piece.utf8.count))
        #expect(throws: TemplateFailure.self) { try Template(parsing: comment) }
        #expect(clock.now - start < .seconds(5) * Patience.factor)
    }

    @Test(
        "Tags within HTML are taken out in linear time",
        arguments: ["<script", "<!--", "<style>", "<", "<script></style>"])
    func unclosed(piece: String) {
        let clock = ContinuousClock()
        let start = clock.now
        _ = HTMLText.withoutTags(Self.repeated(piece, Template.outputLimit / piece.utf8.count))
        #expect(clock.now - start < .seconds(5) * Patience.factor)
    }

    @Test(
        "Texts are found byte by byte",
        arguments: [
            ("aabaaab", "aaab", [3]), ("aaaa", "aa", [0, 2]), ("abcabcabd", "abcabd", [3]), ("abc", "", []),
            ("", "a", []),
            ("aab", "b", [2]), ("ab", "abc", []),
        ])
    func searches(text: String, part: String, offsets: [Int]) {
        #expect(ByteSearch(part).occurrences(in: text.utf8) == offsets)
        #expect(ByteSearch(part).isIn(text.utf8) == (part.isEmpty || !offsets.isEmpty))
    }

    @Test("Sources, blocks, brackets and conditions have a limit")
    func sourceLimits() throws {
        func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
        for source in [
            repeated("x", Template.sourceLimit + 1), repeated("{% if a %}", 5000) + repeated("{% endif %}", 5000),
            "{{ a" + repeated("[a", 5000) + repeated("]", 5000) + " }}",
            "{% if a" + repeated(" and a", 5000) + " %}{% endif %}",
            repeated("{%", 30_000), repeated("{{", 30_000), repeated("{% raw %}", 7000),
        ] {
            #expect(throws: TemplateFailure.self) { try Template(parsing: source) }
        }
        _ = try Template(parsing: repeated("{% if a %}", 15) + repeated("{% endif %}", 15))
    }
}

@Suite("Text of HTML")
struct HTMLTextTests {
    @Test(
        "Blocks are lines, links have their address, and markup is gone",
        arguments: [
            ("<p>One &amp; two</p><p>Three<br>four</p>", "One & two\n\nThree\nfour"),
            ("<a href=\"https://x.example/?a=1&amp;b=2\">Open</a> it", "Open (https://x.example/?a=1&b=2) it"),
            ("<a class='b' href='https://x.example'>https://x.example</a>", "https://x.example"),
            ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"), ("<head><title>x</title></head>y<style>p{}</style>", "y"),
            ("<SCRIPT>alert('<p>')</SCRIPT>z<!-- <p> -->", "z"), ("a\n  b\t c", "a b c"),
            ("&#8364;&#x20AC;&euro;&nope;", "€€€&nope;"),
            ("<a title=\"x href=https://evil/ y\" href=\"https://x.example/\">Go</a>", "Go (https://x.example/)"),
            ("<a data-href='a' x== HREF = b>Go</a><a href>n</a><a title='href='>m</a>", "Go (b)nm"),
            ("<a/href=a/b>Go</a><a href=a href=b>Go</a>", "Go (a/b)Go (a)"),
            ("<img alt=\"Logo\" src=x> <a>y</a>", "Logo y"), ("", ""), ("a < b", "a"), ("<p title=\">\">x", "x"),
        ])
    func texts(html: String, text: String) throws { #expect(try HTMLText.text(of: html) == text) }

    @Test(
        "Broken HTML of any size takes linear time",
        arguments: [
            "<", "<p", "<!--", "<script>", "&", "<a href='", "<a href=x>", "\n\n<p>", "<br> ", "🇩🇪<br>", "e\u{301}<td>",
            "<a href=a>a</a", "&#10;<p>",
        ])
    func broken(piece: String) throws {
        let (clock, start) = (ContinuousClock(), ContinuousClock.now)
        let count = min(HTMLText.tagLimit, Template.outputLimit / piece.utf8.count)
        _ = try HTMLText.text(of: String(repeating: piece, count: count))
        let address = String(repeating: "a", count: 60_000)
        _ = try HTMLText.text(of: "<a href='\(address)b'>\(address)\(address)</a>")
        #expect(clock.now - start < .seconds(5) * Patience.factor)
    }

    @Test("HTML with too many tags or bytes is refused, with the place")
    func limits() {
        for (piece, count) in [("\n\n<p>", 28_800), ("x", Template.outputLimit + 1)] {
            #expect(throws: TemplateFailure.self) { try HTMLText.text(of: String(repeating: piece, count: count)) }
        }
    }
}
