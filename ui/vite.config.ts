// How the interface is built: hashed names under /ui/, no inlined file, a manifest for the test that adds up the sizes.
// The development server hands every other path to a service that runs elsewhere (TIDEGAUGE_ADDRESS).

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { developmentShell } from "./tools/development-shell.js";

const service = process.env.TIDEGAUGE_ADDRESS ?? "http://127.0.0.1:8080";

export default defineConfig({
  base: "/ui/",
  plugins: [svelte(), developmentShell(service)],
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    manifest: true,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
  },
  server: { proxy: { "^/(v1|v2|login|logout|setup|account|assets|version|docs|openapi.json)": service } },
});
