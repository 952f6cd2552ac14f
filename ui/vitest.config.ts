// Unit tests of the parts that need no browser.

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// One that puts its clock forward and back, whatever this machine has.
process.env.TZ = "Europe/Vienna";

export default defineConfig({
  plugins: [svelte()],
  // Components are mounted, which the part of Svelte for servers cannot do.
  resolve: { conditions: ["browser"] },
  // What the service says of itself is compared with what stands here.
  server: { fs: { allow: [".."] } },
  test: { include: ["tests/unit/**/*.test.ts"], environment: "happy-dom", css: { include: [/tokens\.css/] } },
});
