"""What a request must have to be answered: host, origin, token, size; and what each answer has."""

from __future__ import annotations

from collections.abc import Collection
from secrets import compare_digest
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 32 * 1024 * 1024
"""The largest body of a request."""

_MOST_CHARS = 4_000

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""The content security policy of the application itself."""

_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Refuses requests that do not come from the studio's own windows.

    Args:
        app: the application behind it.
        token: what the address of the studio has, and then a cookie.
        hosts: the names and ports under which the studio is reached.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: Collection[str]) -> None:
        self._app = app
        self._token = token
        self._hosts = frozenset(hosts)
        ports = sorted(host.rpartition(":")[2] for host in hosts)
        self.cookie = f"studio-{ports[0]}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse, a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = self._refusal(scope)
        if refused is not None:
            await refused(scope, receive, _with_headers(send))
            return
        await self._app(scope, _bounded(receive), _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", "").lower(), headers.get("origin")
        is_foreign = origin is not None and origin.lower() != f"http://{host}"
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        status = 403
        # Numbers of more digits cannot be read.
        if len(scope["path"]) + len(scope["query_string"]) > _MOST_CHARS:
            status, why = 414, "the address is too long"
        elif host not in self._hosts:
            status, why = 421, "this host is not the studio's"
        elif is_foreign or headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}:
            why = "requests of other sites are refused"
        elif scope["method"] not in {"GET", "HEAD"} and origin is None:
            why = "the origin of the request is not known"
        elif scope["path"] == "/" and given and self._is_token(given):
            answer = RedirectResponse("/", 303)
            answer.set_cookie(self.cookie, self._token, httponly=True, samesite="strict")
            return answer
        elif not self._is_token(cookie_parser(headers.get("cookie", "")).get(self.cookie, "")):
            why = "the address of the studio has a token; use the address that it printed"
        else:
            return None
        return PlainTextResponse(why, status)

    def _is_token(self, given: str) -> bool:
        return compare_digest(given.encode("utf-8", "replace"), self._token.encode("utf-8"))


def _bounded(receive: Receive) -> Receive:
    size = 0

    async def bounded() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > MOST_BYTES:
            raise HTTPException(413, "the request is too large")
        return message

    return bounded


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(_ALWAYS)
            headers.setdefault("Content-Security-Policy", POLICY)
        await send(message)

    return sending
