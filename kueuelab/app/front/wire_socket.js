// The engine on this machine: a WebSocket of the server that the page came from.

import { randomName } from "./names.js";

/** Milliseconds until a lost connection is tried again. */
const AGAIN = 1_000;

/** @returns {import("./engine.js").Wire} */
export function socketWire() {
  const reader = (sessionStorage["kueuelab-reader"] ??= randomName());
  /** @type {import("./engine.js").Wire} */
  const wire = { send: () => {}, onText: () => {}, onState: () => {}, stop: () => wire.send("stop") };
  const connect = () => {
    const address = new URL(`engine?reader=${reader}`, location.href.split("#")[0]);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    wire.send = (text) => socket.send(text);
    socket.onopen = () => wire.onState("ready");
    socket.onmessage = (event) => wire.onText(event.data);
    socket.onclose = () => {
      wire.onState("lost");
      setTimeout(connect, AGAIN);
    };
  };
  connect();
  return wire;
}
