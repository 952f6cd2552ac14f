"""A browser without a screen: follows redirects within the service, and fills in the forms of its pages."""

from html.parser import HTMLParser
from urllib.parse import urljoin

import requests

PASSWORD = "correct horse battery staple 42"


class Form(HTMLParser):
    """The first form of a page: where it goes, and what is in it."""

    def __init__(self, text):
        super().__init__()
        self.action, self.fields = None, {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form" and self.action is None:
            self.action = attributes.get("action", "")
        if tag == "input" and "name" in attributes:
            self.fields[attributes["name"]] = attributes.get("value") or ""


class Browser:
    def __init__(self, url, email=None, password=PASSWORD):
        self.url, self.email, self.password = url, email, password
        self.session = requests.Session()

    def follow(self, address, **form):
        """Goes to an address, or sends a form there, and on to where the answers lead. Gives the page, or the address
        of another service that the last answer leads to."""
        answer = self.session.request("POST" if form else "GET", address, data=form or None, allow_redirects=False)
        for _ in range(10):
            if answer.status_code not in (302, 303):
                if answer.status_code >= 400:
                    raise AssertionError(f"{answer.status_code} at {answer.url}: {answer.text}")
                return answer
            target = urljoin(answer.url, answer.headers["Location"])
            if not target.startswith(f"{self.url}/"):
                return target
            answer = self.session.get(target, allow_redirects=False)
        raise AssertionError("too many redirects")

    def send(self, page, **filled):
        """Sends the form of a page with some fields filled in."""
        form = Form(page.text)
        return self.follow(urljoin(page.url, form.action), **{**form.fields, **filled})

    def set_password(self, link):
        page = self.follow(link)
        self.email = Form(page.text).fields["username"]
        self.send(page, password=self.password)

    def allow(self, address):
        """Signs in where that is asked for, and allows what is asked for."""
        answer = self.follow(address)
        if not isinstance(answer, str) and "password" in Form(answer.text).fields:
            answer = self.send(answer, email=self.email, password=self.password)
        if isinstance(answer, str):
            return answer
        answer = self.send(answer, decision="allow")
        return answer
