"""The door: who may come in, from where, and what a browser may do with what it gets.

One user: a token that works once, then a cookie that only this browser has. Pages of other sites,
and of other programs on this machine, are kept out by the checks of host, origin and cookie.
"""

from __future__ import annotations

import secrets
from collections.abc import MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

FORM_BYTES = 8 * 1024 * 1024
"""The most that a form without a file may hold."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
ALONE = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-downloads"
"""For pages that were written as files: they need nothing but their own style."""
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
ENTER = "/enter"


class Door:
    """Everything that is asked of the page passes here first."""

    def __init__(self, app: ASGIApp, *, port: int, upload_bytes: int) -> None:
        self._app = app
        self._port = port
        self._upload_bytes = upload_bytes
        self._token: str | None = None
        self._session: str | None = None
        self.form_token = secrets.token_urlsafe(32)
        """Stands in every form; a form of another page does not know it."""
        self.landing = "/"
        """Where whoever comes in is led."""

    def new_address(self) -> str:
        """An address that opens the page once."""
        self._token = secrets.token_urlsafe(32)
        return f"http://127.0.0.1:{self._port}{ENTER}?token={self._token}"

    @property
    def cookie(self) -> str:
        """Its name; browsers share cookies between the ports of a machine."""
        return f"halfmask-studio-{self._port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in what may come in."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(message)
            await send(message)

        refused = self._refused(scope)
        await (refused or self._app)(scope, receive, guarded)

    def _refused(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.get("host") not in self._hosts:
            return _no(400, "This page is only at 127.0.0.1 on its own port.")
        if scope["path"] == ENTER and scope["method"] == "GET":
            return self._entered(QueryParams(scope["query_string"]).get("token", ""))
        if not self._known(headers):
            return _no(
                403,
                "This page is for whoever started it. Open the address that `halfmask studio` "
                "printed; it works once. Press Enter in its terminal for a new one.",
            )
        if scope["method"] not in ("GET", "HEAD"):
            return self._refused_form(scope, headers)
        return None

    @property
    def _hosts(self) -> tuple[str, str]:
        return f"127.0.0.1:{self._port}", f"localhost:{self._port}"

    def _known(self, headers: Headers) -> bool:
        try:
            sent = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        value = sent[self.cookie].value if self.cookie in sent else ""
        return self._session is not None and _same(value, self._session)

    def _refused_form(self, scope: Scope, headers: Headers) -> Response | None:
        if headers.get("origin") != f"http://{headers['host']}":
            return _no(403, "This form was not sent by this page.")
        length = headers.get("content-length", "")
        if not length.isdigit():
            return _no(411, "The length of what is sent must be said first.")
        most = self._upload_bytes if scope["path"] == "/upload" else FORM_BYTES
        if int(length) > most:
            return _no(
                413,
                f"That is {int(length) / 1e6:,.0f} MB, and at most {most / 1e6:,.0f} MB are taken; "
                "name its folder with --folder and pick the file there, or allow more with "
                "--upload-at-most.",
            )
        return None

    def _entered(self, token: str) -> Response:
        if self._token is None or not _same(token, self._token):
            return _no(
                403,
                "This address was used already or never was one. Press Enter in the terminal of "
                "`halfmask studio` for a new one.",
            )
        self._token = None
        self._session = secrets.token_urlsafe(32)
        answer = RedirectResponse(self.landing, status_code=303)
        answer.set_cookie(self.cookie, self._session, path="/", httponly=True, samesite="strict")
        return answer

    def check_form(self, token: Any) -> bool:
        """Whether a form came from this page."""
        return isinstance(token, str) and _same(token, self.form_token)


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())


def _no(code: int, sentence: str) -> Response:
    return PlainTextResponse(f"{sentence}\n", status_code=code)


def _add_headers(message: MutableMapping[str, Any]) -> None:
    headers = MutableHeaders(scope=message)
    for name, value in _HEADERS.items():
        headers[name] = value
    headers.setdefault("Content-Security-Policy", POLICY)
    if "server" in headers:
        del headers["server"]
