"""The kernel handles what a page sends one after another, in one thread: no view is locked."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("ipykernel", reason="there is no kernel here: pip install '.[lab]'")

#: A click changes a value; the page is told, and can change the value, too.
CELL = """
import threading, ipywidgets
seen, found = [], {}
def note(what):
    seen.append((what, threading.current_thread().name))
button, text = ipywidgets.Button(), ipywidgets.Text()
def pressed(_):
    note("click")
    text.value += "x"
button.on_click(pressed)
text.observe(lambda change: note(change["new"]), names="value")
found = button.comm.comm_id, text.comm.comm_id
"""


@pytest.fixture(scope="module")
def kernel() -> Iterator[Any]:
    """A client of a kernel of its own."""
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(kernel_name="python3", startup_timeout=300)
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def evaluated(kernel: Any, expression: str, cell: str = "") -> Any:
    """Run a cell, and return what an expression is then."""
    found = kernel.execute_interactive(
        cell, user_expressions={"it": expression}, output_hook=lambda _: None
    )
    return ast.literal_eval(found["content"]["user_expressions"]["it"]["data"]["text/plain"])


def subshell(kernel: Any) -> str | None:
    """Make the thread that JupyterLab asks for, where kernels have such threads."""
    features = kernel.kernel_info(reply=True, timeout=300)["content"].get("supported_features", ())
    if "kernel subshells" not in features:
        return None
    request = kernel.session.msg("create_subshell_request", {})
    kernel.control_channel.send(request)
    while True:
        reply = kernel.get_control_msg(timeout=300)
        if reply["parent_header"].get("msg_id") == request["header"]["msg_id"]:
            return str(reply["content"]["subshell_id"])


def test_messages_are_handled_in_the_order_in_which_a_page_sends_them(kernel: Any) -> None:
    button, text = evaluated(kernel, "found", CELL)
    shell = subshell(kernel)

    def send(comm: str, **data: Any) -> None:
        message = kernel.session.msg("comm_msg", {"comm_id": comm, "data": data})
        if shell is not None:
            message["header"]["subshell_id"] = shell
        kernel.shell_channel.send(message)

    click = {"method": "custom", "content": {"event": "click"}}
    wanted = []
    for number in range(5):
        send(button, **click)
        send(text, method="update", state={"value": f"typed {number}"}, buffer_paths=[])
        before = f"typed {number - 1}" if number else ""
        wanted += ["click", f"{before}x", f"typed {number}"]
    # It is over when all of it has been seen: other threads may still be at it.
    while len(seen := evaluated(kernel, "seen")) < len(wanted):
        pass
    assert [what for what, _ in seen] == wanted
    assert len({thread for _, thread in seen}) == 1
