// Unit tests of the parts that need no browser.

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [svelte()],
  test: { include: ["tests/unit/**/*.test.ts"], environment: "happy-dom" },
});
