// The first eight colours of series can be told apart, also by who sees red and green alike.

import { expect, test } from "vitest";
import css from "../../src/styles/tokens.css?raw";

type Three = [number, number, number];

function coloursOf(theme: "light" | "dark"): Three[] {
  const found = [...css.matchAll(/--series-(\d+): (#[0-9a-f]{6})/g)].map((match) => match[2]!);
  expect(found).toHaveLength(24);
  const wanted = theme === "light" ? found.slice(0, 8) : found.slice(12, 20);
  return wanted.map((hex) => [1, 3, 5].map((at) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255)) as Three);
}

const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const dot = (row: readonly number[], [r, g, b]: Three) => row[0]! * r + row[1]! * g + row[2]! * b;

/** How colours are seen, in linear light (Machado, Oliveira and Fernandes 2009, severity 1). */
const SIGHTS: Record<string, readonly (readonly number[])[]> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

function oklab(colour: Three): Three {
  const l = Math.cbrt(dot([0.4122214708, 0.5363325363, 0.0514459929], colour));
  const m = Math.cbrt(dot([0.2119034982, 0.6806995451, 0.1073969566], colour));
  const s = Math.cbrt(dot([0.0883024619, 0.2817188376, 0.6299787005], colour));
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

for (const theme of ["light", "dark"] as const) {
  for (const [sight, rows] of Object.entries(SIGHTS)) {
    test(`40: eight series can be told apart, ${theme}, ${sight}`, () => {
      const seen = coloursOf(theme).map((colour) =>
        oklab(rows.map((row) => Math.min(1, Math.max(0, dot(row, colour)))) as Three),
      );
      let least = 1;
      seen.forEach((a, place) => {
        for (const b of seen.slice(place + 1))
          least = Math.min(least, Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
      });
      expect(least).toBeGreaterThan(0.09);
    });
  }
}
