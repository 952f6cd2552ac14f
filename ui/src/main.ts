// Where the interface begins: reads the address and this browser's preferences, mounts the frame, then asks the service
// who is there.

import { mount } from "svelte";
import App from "./App.svelte";
import { address } from "./address/address.svelte.ts";
import { catalogue } from "./session/catalogue.svelte.ts";
import { organisation } from "./session/organisation.svelte.ts";
import { preferences } from "./session/preferences.svelte.ts";
import { theme } from "./session/theme.svelte.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";

address.begin();
organisation.id = address.get("org");
preferences.begin();
theme.apply(preferences.theme);

const target = document.getElementById("app");
if (target) mount(App, { target });
void catalogue.load();
void preferences.load().catch(() => undefined);
