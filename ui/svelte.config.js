// How Svelte components are compiled: TypeScript inside of them, styles in files of their own (the policy allows no
// inline style elements).

import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

export default {
  preprocess: vitePreprocess(),
  compilerOptions: { runes: true, css: "external" },
};
