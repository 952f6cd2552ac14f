// The choices of a filter as lines of text, and back. A choice that was not changed keeps all of its keys.

import { isObject, type Value } from "../../../values/value.ts";

export function optionLines(options: Value | undefined): string {
  if (!Array.isArray(options)) return "";
  return options
    .map((option) => {
      if (!isObject(option)) return typeof option === "string" ? option : "";
      const [key, value] = [String(option.key ?? ""), String(option.value ?? "")];
      return key === "" || key === value ? value : `${key} = ${value}`;
    })
    .join("\n");
}

export function readOptionLines(text: string, before: Value | undefined): Value[] {
  const old = Array.isArray(before) ? before.filter(isObject) : [];
  const lines = text.split("\n").map((line) => line.trim());
  const wanted = lines
    .filter((line) => line !== "")
    .map((line) => {
      const at = line.indexOf("=");
      const [key, value] = at < 0 ? [line, line] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      const same = old.find((option) => option.key === key && option.value === value);
      return { ...(same ?? { key, value }) };
    });
  return wanted.map((option, place) => {
    const { default: _, ...rest } = option as { [name: string]: Value };
    return place === 0 ? { ...rest, default: true } : rest;
  });
}
