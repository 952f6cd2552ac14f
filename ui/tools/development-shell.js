// Lets the development server of Vite answer with the filled-in page for every screen.

import { readFile } from "node:fs/promises";
import { extrasOf, filledIn, formTokenOf, SCREENS } from "./shell.js";

export function developmentShell(service) {
  return {
    name: "tidegauge-shell",
    apply: "serve",
    configureServer(server) {
      server.middlewares.use(async (request, response, next) => {
        const path = (request.url ?? "/").split("?")[0];
        if (request.method !== "GET" || !SCREENS.test(path)) return next();
        const formToken = await formTokenOf(service, request.headers.cookie);
        if (formToken === null) {
          response.writeHead(303, { location: `/login?return_to=${encodeURIComponent(request.url)}` });
          return response.end();
        }
        const page = await server.transformIndexHtml(request.url, await readFile("index.html", "utf8"));
        response.setHeader("content-type", "text/html; charset=utf-8");
        response.end(filledIn(page, { formToken, nonce: "", routes: await extrasOf(service) }));
      });
    },
  };
}
