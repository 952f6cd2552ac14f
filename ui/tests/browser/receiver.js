// Somebody on this machine who is told: keeps what arrives and answers as a test wants. The service must be let at
// loopback for it (notify_allowed_networks).

import { createServer } from "node:http";

export async function startReceiver() {
  const received = [];
  let status = 200;
  const server = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      received.push({ path: request.url, headers: request.headers, body: Buffer.concat(parts).toString() });
      response.writeHead(status);
      response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}/hook`,
    received,
    answer(wanted) {
      status = wanted;
    },
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
