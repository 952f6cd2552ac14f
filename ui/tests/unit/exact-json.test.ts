// Digits of integers survive the way through the page.

import { expect, test } from "vitest";
import { parseExact, stringifyExact } from "../../src/values/exact-json.ts";

test("integers beyond 2^53 keep their digits", () => {
  const text = '{"a":9007199254740993,"b":[-9223372036854775808,18446744073709551615],"c":9007199254740991}';
  const value = parseExact(text);
  expect(value).toEqual({
    a: 9007199254740993n,
    b: [-9223372036854775808n, 18446744073709551615n],
    c: 9007199254740991,
  });
  expect(stringifyExact(value)).toBe(text);
});

test("digits inside of strings and floats are left alone", () => {
  const text =
    '{"id":"9007199254740993","quote":"a\\"9007199254740993","f":1234567890123456.5,"e":1e20,"x":0.12345678901234567890}';
  expect(parseExact(text)).toEqual(JSON.parse(text));
});

test("a text that looks like the mark of an integer stays a text", () => {
  const value = parseExact('{"a":9007199254740993,"b":"\\u0001abc:12"}');
  expect(value).toEqual({ a: 9007199254740993n, b: "\u0001abc:12" });
});

test("a field called __proto__ is a field", () => {
  const value = parseExact('{"__proto__":"x","n":9007199254740993}') as Record<string, unknown>;
  expect(Object.getOwnPropertyDescriptor(value, "__proto__")?.value).toBe("x");
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test("an integer of 300 digits", () => {
  const digits = "7".repeat(300);
  expect(stringifyExact(parseExact(`[${digits}]`))).toBe(`[${digits}]`);
});
