// Starts the app.

import { h, render } from "./lib.js";
import { App } from "./shell.js";
import { start } from "./store.js";

const place = document.getElementById("app");
if (place) render(h(App, null), place);
void start();
