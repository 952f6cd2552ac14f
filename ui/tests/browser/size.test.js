// What a browser fetches, added up from the files as they were built: packed by gzip, which every browser reads. Needs no
// browser and no service.

import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const DIST = fileURLToPath(new URL("../../dist/", import.meta.url));
const FIRST = 250_000;
const SCREEN = 40_000;
const EXPLORE = "src/screens/explore/Explore.svelte";
const EDITOR = "src/editor/code-editor.ts";

/** Bytes of a file on its way, packed where the packed one is smaller. */
function bytes(name) {
  const packed = `${DIST}${name}.gz`;
  return statSync(existsSync(packed) ? packed : DIST + name).size;
}

/** The files that come with these modules: what they import, and its styles. */
function filesOf(manifest, modules) {
  const [seen, files] = [new Set(), new Set()];
  const visit = (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    const { file, css = [], imports = [] } = manifest[name];
    for (const found of [file, ...css]) files.add(found);
    for (const next of imports) visit(next);
  };
  for (const name of modules) visit(name);
  return files;
}

const sum = (files) => [...files].reduce((all, name) => all + bytes(name), 0);

if (!existsSync(`${DIST}.vite/manifest.json`))
  test("sizes", { skip: "not run: the interface was not built" }, () => {});
else {
  const manifest = JSON.parse(readFileSync(`${DIST}.vite/manifest.json`, "utf8"));

  test("3: entry, Explore and the editor have at most 250 kB of gzip", () => {
    const parts = [["index.html"], ["index.html", EXPLORE], ["index.html", EXPLORE, EDITOR]];
    const [entry, screen, whole] = parts.map((modules) => sum(filesOf(manifest, modules)));
    console.log(`    entry ${entry}, with Explore ${screen}, with the editor ${whole} bytes`);
    assert.ok(whole <= FIRST, `${whole} bytes`);
  });

  test("3: each other screen has at most 40 kB that Explore has not fetched", () => {
    // Its charts are Explore's as well, which fetches them with the first chart.
    const explore = Object.keys(manifest).filter((name) => name.includes("/explore/"));
    const known = filesOf(manifest, ["index.html", EDITOR, ...explore]);
    const screens = manifest["index.html"].dynamicImports.filter(
      (name) => name.startsWith("src/screens/") && !known.has(manifest[name].file),
    );
    assert.ok(screens.length > 8, screens.join());
    const beyond = (name, before) => sum([...filesOf(manifest, [name])].filter((file) => !before.has(file)));
    const sizes = screens.flatMap((screen) => {
      const own = new Set([...known, ...filesOf(manifest, [screen])]);
      const parts = (manifest[screen].dynamicImports ?? []).filter((name) => !own.has(manifest[name].file));
      return [[screen, beyond(screen, known)], ...parts.map((name) => [name, beyond(name, own)])];
    });
    console.log(
      `    ${sizes.map(([name, size]) => `${name.split("/").at(-1).replace(".svelte", "")} ${size}`).join(", ")}`,
    );
    assert.deepEqual(
      sizes.filter(([, size]) => size > SCREEN),
      [],
    );
  });
}
