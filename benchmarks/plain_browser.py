"""A Chromium as a reader's: nothing in it keeps what the page asked for.

What drives a browser for tests has it keep the body of each answer, which is a fifth of the memory
of a page with Python. This driver asks for values of expressions, and chooses files.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tornado.websocket import WebSocketClientConnection, websocket_connect

__all__ = ["PlainPage", "plain_page"]

#: Seconds until something has to be there.
LONGEST = 300


class PlainPage:
    """A page of a browser."""

    def __init__(self, connection: WebSocketClientConnection) -> None:
        self._connection = connection
        self._count = 0
        self._session = ""

    async def send(self, method: str, **given: Any) -> Any:
        """Return the answer to a command of the DevTools protocol."""
        self._count += 1
        command = {"id": self._count, "method": method, "params": given}
        if self._session:
            command["sessionId"] = self._session
        await self._connection.write_message(json.dumps(command))
        while (text := await self._connection.read_message()) is not None:
            found = json.loads(text)
            if found.get("id") == self._count:
                if "error" in found:
                    raise RuntimeError(found["error"]["message"])
                return found["result"]
        raise RuntimeError("the browser has ended")

    async def attach(self) -> None:
        """Speak to the first page of the browser from now on."""
        targets = (await self.send("Target.getTargets"))["targetInfos"]
        page = next(each["targetId"] for each in targets if each["type"] == "page")
        found = await self.send("Target.attachToTarget", targetId=page, flatten=True)
        self._session = found["sessionId"]

    async def evaluate(self, expression: str) -> Any:
        """Return the value of an expression."""
        found = await self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        return found["result"].get("value")

    async def until(self, expression: str) -> None:
        """Wait until an expression is true."""
        async with asyncio.timeout(LONGEST):
            while not await self.evaluate(expression):
                await asyncio.sleep(0.1)

    async def choose(self, selector: str, file: Path) -> None:
        """Choose a file, as a reader does."""
        root = (await self.send("DOM.getDocument"))["root"]["nodeId"]
        found = await self.send("DOM.querySelector", nodeId=root, selector=selector)
        await self.send("DOM.setFileInputFiles", nodeId=found["nodeId"], files=[str(file)])

    async def memory(self) -> int:
        """Return the bytes of the process of the page: its proportional part, workers included."""
        session, self._session = self._session, ""
        processes = (await self.send("SystemInfo.getProcessInfo"))["processInfo"]
        self._session = session
        return max(_resident(each["id"]) for each in processes if each["type"] == "renderer")


def _resident(process: int) -> int:
    for line in Path(f"/proc/{process}/smaps_rollup").read_text("utf-8").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


@asynccontextmanager
async def plain_page(address: str) -> AsyncIterator[PlainPage]:
    """Open an address in a browser of its own."""
    executable = os.environ.get("CHROMIUM") or shutil.which("chromium") or "chromium"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        arguments = ["--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
        arguments += ["--no-sandbox"] if os.geteuid() == 0 else []
        quiet = asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(
            executable, *arguments, "--window-size=1440,900", "about:blank", stderr=quiet
        )
        try:
            place = Path(profile, "DevToolsActivePort")
            async with asyncio.timeout(LONGEST):
                while not place.exists() or place.read_text("utf-8").count("\n") != 1:
                    await asyncio.sleep(0.1)
            port, path = place.read_text("utf-8").split("\n")
            connection = await websocket_connect(f"ws://127.0.0.1:{port}{path}")
            page = PlainPage(connection)
            await page.attach()
            await page.send("Page.navigate", url=address)
            yield page
            connection.close()
        finally:
            process.terminate()
            await process.wait()
