"""The tags of an HTML text, in the order of the page and in one linear pass.

It knows the tokenizer of the HTML standard: comments, raw text, attributes; it must not know what a tag means.
It builds no tree on purpose: the standard's tree builder is quadratic (lexbor needs minutes for a megabyte of nested
``<div>``, row A27), and a tree forgets whether a tag was ever closed, which wholeness is proven by.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from html.entities import html5
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

CUT = ""
"""Name of the last tag when the text ends inside a tag, a comment, a template or raw text."""

_SPACE = r"\t\n\f\r "
# HTML 13.2.5.32-38: a name, then perhaps a value; an "=" without a whole value fails the tag, and so ends the text.
_VALUE = rf"""(?:[{_SPACE}]*+=[{_SPACE}]*+(?:"[^"]*+"|'[^']*+'|[^{_SPACE}>"'][^{_SPACE}>]*+|(?=>))|(?![{_SPACE}]*+=))"""
_ATTRIBUTES = rf"(?:[{_SPACE}/]++|[^{_SPACE}/>][^{_SPACE}/>=]*+{_VALUE})*+"
_ATTRIBUTE = re.compile(
    rf"""([^{_SPACE}/>][^{_SPACE}/>=]*+)"""
    rf"""(?:[{_SPACE}]*+=[{_SPACE}]*+(?:"([^"]*+)"|'([^']*+)'|([^{_SPACE}>"'][^{_SPACE}>]*+))?+)?+"""
)
# HTML 13.1.2.5: without ";" a reference counts in attribute values only if neither "=" nor a letter or digit follows.
_REFERENCE = re.compile(r"&(?:#[0-9]++;?+|#[xX][0-9a-fA-F]++;?+|([a-zA-Z][a-zA-Z0-9]*+)(;|=|))")
_TITLE = re.compile(r"<title\b[^<>]*+>([^<]{0,1000})", re.IGNORECASE | re.ASCII)
_HEAD_CHARS = 65_536
_COMMENT = re.compile(r"-?+>|.*?--!?+>", re.DOTALL)
_TAG_OPEN = re.compile(r"</?+[a-z]", re.IGNORECASE | re.ASCII)
_RAW_TEXT = frozenset({"iframe", "noembed", "noframes", "plaintext", "script", "style", "textarea", "title", "xmp"})
_INERT = _RAW_TEXT | {"template"}


class Tag(NamedTuple):
    """One start or end tag."""

    name: str
    """Lower case; :data:`CUT` for the end of a text that ends too early."""
    closes: bool
    """True for an end tag."""
    raw: str
    """The attributes as they stand."""
    start: int
    """Offset of its ``<`` in the text."""
    stop: int
    """Offset behind its ``>``."""

    @property
    def attributes(self) -> dict[str, str]:
        """Attributes by lower-case name, as :func:`read_attributes` reads them."""
        return read_attributes(self.raw)


def read_attributes(raw: str) -> dict[str, str]:
    """Attributes by lower-case name, references decoded; of equal names the first holds (HTML 13.2.5.33)."""
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(raw):
        value = double or single or bare
        found.setdefault(name.lower(), decode_references(value) if "&" in value else value)
    return found


def scan(text: str, names: frozenset[str]) -> Iterator[Tag]:
    """Yield the tags that bear one of the names; comments, CDATA, raw text and templates hold none.

    Args:
        text: the decoded page.
        names: lower-case tag names; those of raw text and ``template`` are never yielded.
    """
    for match in _matches(text, _pattern(names | _INERT)):
        if match is None:
            yield Tag(CUT, closes=False, raw="", start=len(text), stop=len(text))
        elif (name := match[2].lower()) in names:
            yield Tag(name, match[1] == "/", match["rest"], match.start(1) - 1, match.end())


def start_tags(text: str, names: frozenset[str], known: str = "") -> list[re.Match[str]]:
    """Find each start tag that bears one of the names: the fast way through a page of links.

    Args:
        text: the decoded page.
        names: lower-case tag names; none of raw text, nor ``template``.
        known: a pattern, in exact case, of attributes with which many of these tags begin.

    Returns:
        Groups: 2 the name as it stands, then those of ``known``, ``rest`` the attributes (behind ``known`` where that
        matched), and one more.
    """
    return [match for match in _matches(text, _pattern(_INERT, names, known)) if match]


def _matches(text: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str] | None]:
    """Yield the pattern's tags outside raw text and templates; None at last when the text ends too early."""
    position: int | None = 0
    templates = 0
    while position is not None:
        for match in pattern.finditer(text, position):
            name = match[2]
            if name is None:
                if match["other"] is None and not templates:
                    return
                position = None if match["other"] is None else _after_declaration(text, match.start("other") - 1)
                break
            if len(name) > 1 and (lower := name.lower()) in _INERT:
                if lower == "template":
                    templates = max(0, templates - 1) if match[1] else templates + 1
                elif not match[1]:
                    position = _after_raw_text(text, lower, match.end())
                    break
            elif not templates:
                yield match
        else:
            return
    yield None


def title(text: str) -> str:
    """The text of the page's title, spaces collapsed; empty when it has none."""
    match = _TITLE.search(text, 0, _HEAD_CHARS)
    return " ".join(unescape(match[1]).split()) if match else ""


def plain_text(markup: str) -> str:
    """The text of a piece of markup without its tags, references decoded, spaces collapsed."""
    return " ".join(unescape(re.sub(r"<[^<>]*+>", " ", markup)).split())


def decode_references(value: str) -> str:
    """Decode the character references of an attribute value (HTML 13.2.5.73)."""
    return _REFERENCE.sub(_decode_reference, value)


def _decode_reference(match: re.Match[str]) -> str:
    name, end = match[1], match[2]
    if name is None:
        return unescape(match[0])
    known = html5.get(name + ";") if end == ";" else html5.get(name) if end == "" else None
    return match[0] if known is None else known


@lru_cache(maxsize=32)
def _pattern(names: frozenset[str], starting: frozenset[str] = frozenset(), known: str = "") -> re.Pattern[str]:
    """One match a wanted tag: what lies before it is eaten inside the match, which keeps the loop in C.

    Groups: 1 the slash of an end tag, 2 name, ``rest`` the attributes; ``other`` the character after a ``<`` that
    begins something else, a tag without end included. None of them: the end of the text. It is possessive throughout
    and always matches, so it is linear.

    Args:
        names: lower-case names of wanted tags.
        starting: names more, wanted as start tags only.
        known: attributes with which many wanted tags begin.
    """
    wanted = rf"/?+{_one_of(names)}"
    if starting:
        wanted = rf"{_one_of(starting)}|{wanted}"
    skipped = rf"<(?!{wanted})/?+[a-z][^{_SPACE}/>]*+(?:>|{_ATTRIBUTES}>)"
    begun = rf"(?-i:{known})?+" if known else ""
    return re.compile(
        rf"(?:[^<]++|{skipped}|<(?![a-z/!?]))*+(?:<(?={wanted})(/?+)([^{_SPACE}/>]++){begun}(?P<rest>{_ATTRIBUTES})>"
        r"|<(?P<other>[a-z/!?])|\Z)",
        re.IGNORECASE | re.ASCII,
    )


def _one_of(names: frozenset[str]) -> str:
    # Looking at the first letter alone refuses most tags at once.
    return rf"(?=[{''.join(sorted({name[0] for name in names}))}])(?:{'|'.join(sorted(names))})(?=[{_SPACE}/>])"


def _after_declaration(text: str, start: int) -> int | None:
    """Where a comment, CDATA section or bogus comment ends; None at the end of the text, or for a tag without end."""
    if text.startswith("<!--", start):
        comment = _COMMENT.match(text, start + 4)
        return comment.end() if comment else None
    if text.startswith("<![CDATA[", start) and (section := text.find("]]>", start)) >= 0:
        return section + 3
    if _TAG_OPEN.match(text, start):
        return None
    return text.find(">", start + 2) + 1 or None


def _after_raw_text(text: str, name: str, start: int) -> int | None:
    end = re.compile(rf"</{name}(?=[{_SPACE}/>])", re.IGNORECASE | re.ASCII).search(text, start)
    return end.start() if end and name != "plaintext" else None
