// After a build: writes each file that is worth it also as gzip and brotli, so that serving costs nothing.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const assets = fileURLToPath(new URL("../dist/assets/", import.meta.url));
for (const name of await readdir(assets)) {
  if (/\.(gz|br)$/.test(name)) continue;
  const content = await readFile(assets + name);
  if (content.length < 600) continue;
  await writeFile(`${assets}${name}.gz`, gzipSync(content, { level: 9 }));
  await writeFile(
    `${assets}${name}.br`,
    brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  );
}
