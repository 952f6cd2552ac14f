// Row ids begin with the time of their event in base 36, so a link to an event needs no more than the id.

export function timeOfRow(id: string): bigint | null {
  const [time = ""] = id.split("-");
  if (!/^[0-9a-z]{13}$/.test(time)) return null;
  let ns = 0n;
  for (const sign of time) ns = ns * 36n + BigInt(Number.parseInt(sign, 36));
  return ns;
}
