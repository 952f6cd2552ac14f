// Serves the built files as the service will: the page behind the session with its strict policy, hashed files that may
// be kept for ever, compressed ones beside plain. Every other path goes to a service that runs elsewhere.
//
//   TIDEGAUGE_ADDRESS=http://127.0.0.1:8080 PORT=8090 node tools/preview.js
//
// The service must have been started with --public-url http://127.0.0.1:8090.

import { readFile, stat } from "node:fs/promises";
import { request as ask, createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { extrasOf, filledIn, formTokenOf, newNonce, policyFor, SCREENS } from "./shell.js";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const KINDS = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".html": "text/html; charset=utf-8",
};

export function preview(service) {
  return createServer((request, response) => {
    answer(service, request, response).catch((error) => {
      response.writeHead(502);
      response.end(String(error));
    });
  });
}

async function answer(service, request, response) {
  const path = (request.url ?? "/").split("?")[0];
  if (request.method === "GET" && SCREENS.test(path)) return page(service, request, response);
  if (request.method === "GET" && path.startsWith("/ui/")) return file(path, request, response);
  return forward(service, request, response);
}

async function page(service, request, response) {
  const formToken = await formTokenOf(service, request.headers.cookie);
  if (formToken === null) {
    response.writeHead(303, {
      location: `/login?return_to=${encodeURIComponent(request.url)}`,
      "cache-control": "no-store",
    });
    return response.end();
  }
  const nonce = newNonce();
  const text = await readFile(join(DIST, "index.html"), "utf8");
  response.writeHead(200, {
    "content-type": KINDS[".html"],
    "content-security-policy": policyFor(nonce),
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "x-content-type-options": "nosniff",
  });
  response.end(filledIn(text, { formToken, nonce, routes: await extrasOf(service) }));
}

async function file(path, request, response) {
  const name = normalize(path.slice("/ui/".length));
  if (name.startsWith("..") || name === "index.html") return missing(response);
  const encodings = String(request.headers["accept-encoding"] ?? "");
  for (const [coding, ending] of [
    ["br", ".br"],
    ["gzip", ".gz"],
    [null, ""],
  ]) {
    if (coding && !encodings.includes(coding)) continue;
    const full = join(DIST, name + ending);
    if (!(await stat(full).catch(() => null))?.isFile()) continue;
    response.writeHead(200, {
      "content-type": KINDS[extname(name)] ?? "application/octet-stream",
      "cache-control": name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache",
      "x-content-type-options": "nosniff",
      vary: "accept-encoding",
      ...(coding ? { "content-encoding": coding } : {}),
    });
    return response.end(await readFile(full));
  }
  return missing(response);
}

function missing(response) {
  response.writeHead(404);
  response.end();
}

function forward(service, request, response) {
  const target = new URL(request.url, service);
  const onward = ask(
    target,
    { method: request.method, headers: { ...request.headers, host: target.host } },
    (found) => {
      const headers = { ...found.headers };
      // Who signs in comes to the interface.
      if (headers.location === "/account" && request.method === "POST") headers.location = "/";
      response.writeHead(found.statusCode ?? 502, headers);
      found.pipe(response);
    },
  );
  onward.on("error", () => {
    if (!response.headersSent) response.writeHead(502);
    response.end();
  });
  // Whoever gives up a query here must end it there too.
  response.on("close", () => onward.destroy());
  request.pipe(onward);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const service = process.env.TIDEGAUGE_ADDRESS ?? "http://127.0.0.1:8080";
  const port = Number(process.env.PORT ?? 8090);
  preview(service).listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port} before ${service}`));
}
