export function demoEvents(_a: number, _b: number, _c: number, _d: number): unknown[] { return []; }
