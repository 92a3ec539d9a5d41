// The engine on this machine: a WebSocket of the server that the page came from. A server that is
// started anew gets every command again that changed what is open.

import { Journal } from "./journal.js";
import { randomName } from "./names.js";

/** Milliseconds until a lost connection is tried again. */
const AGAIN = 1_000;
/** Asks a server what it has open. */
const HELLO = JSON.stringify({ do: "hello", id: "hello" });

/** @typedef {import("./protocol.js").Greeting} Greeting */

/** @returns {import("./engine.js").Wire} */
export function socketWire() {
  const reader = (sessionStorage["kueuelab-reader"] ??= randomName());
  const journal = new Journal();
  /** @type {(found: {greeting: Greeting, restores: boolean}) => void} */
  let greeted = () => {};
  /** @type {Promise<{greeting: Greeting, restores: boolean}>} */
  const first = new Promise((resolve) => (greeted = resolve));
  /** Answers to commands of the journal that are still to come; null before the server said what is open. @type {number | null} */
  let replaying = null;
  /** Ends the connection, and begins another one at once. */
  let connectAnew = () => {};
  const connect = () => {
    replaying = null;
    const address = new URL(`engine?reader=${reader}`, location.href.split("#")[0]);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    connectAnew = () => {
      socket.onmessage = socket.onclose = null;
      socket.close();
      connect();
    };
    wire.send = (text) => socket.send(text);
    wire.sendFile = (id, file) => socket.send(new Blob([`${id}\n`, file]));
    socket.onopen = () => socket.send(HELLO);
    socket.onmessage = async ({ data }) => {
      if (replaying === 0) return wire.onText(data);
      if (replaying !== null) {
        if (JSON.parse(data).progress) return wire.onText(data);
        replaying -= 1;
      } else {
        /** @type {Greeting} */
        const greeting = JSON.parse(data).answer;
        // A reader that the server does not know has changed nothing there.
        const isNew = !greeting.opened.undo && !greeting.opened.redo;
        if (isNew) await journal.ready;
        replaying = isNew ? journal.entries.length : 0;
        greeted({ greeting, restores: Boolean(replaying) });
        if (replaying) wire.onState("restoring");
        if (replaying) journal.replay(wire.send, wire.sendFile);
      }
      if (!replaying) wire.onState("ready");
      return undefined;
    };
    socket.onclose = () => {
      wire.onState("lost");
      setTimeout(connect, AGAIN);
    };
  };
  /** @type {import("./engine.js").Wire & {sendFile: (id: string, file: Blob) => void}} */
  const wire = {
    place: "machine",
    comesBack: true,
    send: () => {},
    sendFile: () => {},
    done: (...done) => journal.done(...done),
    stop: () => {
      if (!replaying) return wire.send("stop");
      // What is being restored, and what follows from it, is not tried again. A late answer to it
      // must not be taken for another one.
      journal.cut(journal.entries.length - replaying);
      return connectAnew();
    },
    onText: () => {},
    onState: () => {},
    greeting: async () => (await first).greeting,
    restores: async () => (await first).restores,
  };
  connect();
  return wire;
}
