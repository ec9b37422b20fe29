"""A minimal browser without JavaScript: cookies, redirects and forms."""

import html.parser
import urllib.parse

import requests


class Form:
    def __init__(self, attributes):
        self.action = attributes.get("action", "")
        self.method = attributes.get("method", "get").lower()
        self.fields = {}
        # Name and value of each button, by its text.
        self.buttons = {}


class Page(html.parser.HTMLParser):
    """A page's text and forms."""

    def __init__(self, url, text):
        super().__init__()
        self.url, self.forms, self.links, self.headings, self.text = url, [], {}, [], ""
        self._stack, self._button, self._link, self._heading = [], None, None, None
        self.feed(text)
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self.forms.append(Form(attributes))
        elif tag == "input" and self.forms and "name" in attributes:
            if attributes.get("type") not in ("checkbox", "radio") or "checked" in attributes:
                self.forms[-1].fields[attributes["name"]] = attributes.get("value", "")
        elif tag == "button" and self.forms:
            self._button = [attributes.get("name"), attributes.get("value", ""), ""]
        elif tag == "a" and "href" in attributes:
            self._link = [attributes["href"], ""]
        elif tag in ("h1", "h2"):
            self._heading = ""

    def handle_endtag(self, tag):
        if tag == "button" and self._button:
            name, value, text = self._button
            self.forms[-1].buttons[" ".join(text.split())] = (name, value)
            self._button = None
        elif tag == "a" and self._link:
            self.links[" ".join(self._link[1].split())] = self._link[0]
            self._link = None
        elif tag in ("h1", "h2") and self._heading is not None:
            self.headings.append(" ".join(self._heading.split()))
            self._heading = None

    def handle_data(self, data):
        self.text += data + " "
        if self._button:
            self._button[2] += data
        if self._link:
            self._link[1] += data
        if self._heading is not None:
            self._heading += data


class Callback:
    """The redirect to the client."""

    def __init__(self, url):
        self.url = url
        parts = urllib.parse.urlsplit(url)
        self.parameters = dict(urllib.parse.parse_qsl(parts.query or parts.fragment))

    def __getitem__(self, name):
        return self.parameters[name]

    def get(self, name):
        return self.parameters.get(name)


class Browser:
    """Follows redirects within `issuer`. Any other redirect is a `Callback`."""

    def __init__(self, issuer, language=None):
        self.issuer = issuer
        self.session = requests.Session()
        self.elsewhere = ()
        if language:
            self.session.headers["Accept-Language"] = language

    def open(self, url):
        return self._follow(self.session.get(urllib.parse.urljoin(self.issuer, url), allow_redirects=False, timeout=30))

    def submit(self, page, button=None, form=None, **values):
        """Sends the form with the button. `values` replace the values of its fields."""
        form = form or next(
            (each for each in page.forms if button is None or button in each.buttons), None)
        if form is None:
            raise AssertionError(f"no form has the button {button}: {[each.buttons for each in page.forms]}")
        unknown = set(values) - set(form.fields)
        if unknown:
            raise AssertionError(f"the form has no field {unknown}; it has {list(form.fields)}")
        fields = {**form.fields, **values}
        if button is not None and form.buttons[button][0]:
            fields[form.buttons[button][0]] = form.buttons[button][1]
        url = urllib.parse.urljoin(page.url, form.action)
        if form.method == "post":
            answer = self.session.post(url, data=fields, allow_redirects=False, timeout=30, headers={
                "Origin": self.issuer.rstrip("/")})
        else:
            answer = self.session.get(url, params=fields, allow_redirects=False, timeout=30)
        return self._follow(answer)

    def _follow(self, answer):
        for _ in range(12):
            self.last = answer
            if answer.status_code not in (302, 303):
                return Page(answer.url, answer.text)
            target = urllib.parse.urljoin(answer.url, answer.headers["Location"])
            if not target.startswith((self.issuer, *self.elsewhere)):
                return Callback(target)
            answer = self.session.get(target, allow_redirects=False, timeout=30)
        raise AssertionError("the redirects do not end")
