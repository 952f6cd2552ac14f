// The pages to sign in look like the interface: a colour that both name is the same, and edges of fields can be seen.

// @ts-expect-error: the test runs in Node, of whose types the interface has no need.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import css from "../../src/styles/tokens.css?raw";

const pages = String(readFileSync("../crates/http/assets/pages.css"));

/** The colours of a sheet by their names: of its light part, then of its dark one. */
function colours(sheet: string): Map<string, string>[] {
  const [light = "", dark = ""] = sheet.split(/data-theme="dark"|prefers-color-scheme: dark/);
  return [light, dark].map(
    (part) =>
      new Map(
        [...part.split("box-sizing")[0]!.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, name, value]) => [
          name!,
          value!,
        ]),
      ),
  );
}

function light(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [bright = 0, dim = 0] = [light(one), light(other)].sort((a, b) => b - a);
  return (bright + 0.05) / (dim + 0.05);
}

test.each(["light", "dark"])("colours with one name are one colour, %s", (theme) => {
  const place = theme === "light" ? 0 : 1;
  const [own, signIn] = [colours(css)[place]!, colours(pages)[place]!];
  const both = [...signIn.keys()].filter((name) => own.has(name));
  expect(both.length).toBeGreaterThan(15);
  for (const name of both) expect(`${name} ${signIn.get(name)}`).toBe(`${name} ${own.get(name)}`);
});

test.each(["light", "dark"])("edges of fields and buttons stand out, %s", (theme) => {
  for (const sheet of [css, pages]) {
    const all = colours(sheet)[theme === "light" ? 0 : 1]!;
    for (const ground of ["paper", "field", "ground"])
      expect(contrast(all.get("line-strong")!, all.get(ground)!), ground).toBeGreaterThanOrEqual(3);
  }
});
