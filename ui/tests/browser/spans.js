// Spans and logs of a made-up shop as an exporter of OTLP sends them, in JSON. The same number gives the same spans, so
// that a test knows what must be on the screen.

/** Who calls whom, and what is done there. */
const CALLS = {
  web: ["checkout", "search", "users", "cart"],
  checkout: ["payment", "stock", "cart", "mail"],
  cart: ["stock", "users"],
  search: ["stock"],
  payment: ["bank"],
  users: [],
  stock: [],
  mail: [],
  bank: [],
};
const OPERATIONS = {
  web: ["GET /order", "render", "check session"],
  checkout: ["POST /order", "price order", "validate"],
  cart: ["GET /cart", "merge"],
  search: ["GET /search", "rank"],
  payment: ["POST /charge", "check card"],
  users: ["GET /user", "SELECT users"],
  stock: ["POST /reserve", "SELECT stock", "lock row"],
  mail: ["publish mail", "render mail"],
  bank: ["POST /authorise"],
};
const KINDS = [1, 2, 3, 4, 5];

/** A number of chance that is the same each time. */
export function chance(seed) {
  let state = Math.imul(seed, 2654435761) ^ 0x9e3779b9 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const hex = (number, digits) => number.toString(16).padStart(digits, "0");
export const traceId = (number) => `${hex(number, 8)}${"0123456789abcdef".repeat(2).slice(8)}`;
export const spanId = (trace, number) => `${hex(trace, 8)}${hex(number + 1, 8)}`;

/** The spans of one trace, of which the first is the root and each other one lies inside of its parent. */
export function traceSpans({ number, count, start, length, failing = 0.02 }) {
  const random = chance(number * 7919 + count);
  const begin = BigInt(Math.round(start)) * 1_000_000n;
  const spans = [{ id: 0, parent: -1, depth: 0, at: 0, length: length * 1e6, service: "web", name: "GET /order" }];
  for (let id = 1; id < count; id++) {
    // Below one of the last or one of the first, so that the tree is deep in places and wide in others.
    const late = Math.max(0, id - 1 - Math.floor(random() * 30));
    const place = random() < 0.6 && spans[late].depth < 7 ? late : Math.floor(random() * Math.min(id, 200));
    const above = spans[place];
    const at = above.at + above.length * random() * 0.4;
    const called = CALLS[above.service];
    const service =
      called.length === 0 || random() < 0.3 ? above.service : called[Math.floor(random() * called.length)];
    const operations = OPERATIONS[service];
    const name = operations[Math.floor(random() * operations.length)];
    spans.push({
      id,
      parent: place,
      depth: above.depth + 1,
      at,
      length: (above.at + above.length - at) * (0.3 + 0.7 * random()),
      service,
      name,
    });
  }
  return spans.map(({ id, parent, at, length: took, service, name }) => {
    const from = begin + BigInt(Math.round(at));
    const isFailed = id > 0 && random() < failing;
    return {
      service,
      span: {
        traceId: traceId(number),
        spanId: spanId(number, id),
        parentSpanId: parent < 0 ? "" : spanId(number, parent),
        name,
        kind: id === 0 ? 2 : KINDS[Math.floor(random() * KINDS.length)],
        startTimeUnixNano: String(from),
        endTimeUnixNano: String(from + BigInt(Math.round(took))),
        attributes: [
          { key: "http.request.method", value: { stringValue: "GET" } },
          { key: "server.address", value: { stringValue: `${service}-${id % 3}.shop.example` } },
          { key: "order", value: { intValue: String(id * 17) } },
        ],
        events: isFailed
          ? [
              {
                timeUnixNano: String(from + BigInt(Math.round(took / 2))),
                name: "exception",
                attributes: [{ key: "exception.message", value: { stringValue: "out of stock" } }],
              },
            ]
          : [],
        status: isFailed ? { code: 2, message: "out of stock" } : {},
      },
    };
  });
}

/** The request that an exporter sends: spans by their services. */
export function exportOf(spans) {
  const services = new Map();
  for (const { service, span } of spans) {
    if (!services.has(service)) services.set(service, []);
    services.get(service).push(span);
  }
  return {
    resourceSpans: [...services].map(([name, list]) => ({
      resource: { attributes: [{ key: "service.name", value: { stringValue: name } }] },
      scopeSpans: [{ scope: { name: "shop" }, spans: list }],
    })),
  };
}

/** Sends to the route of OTLP as an exporter does. */
export async function sendOtlp(service, signal, dataset, body) {
  const answer = await fetch(`${service.direct}/v1/${signal}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${service.token}`,
      "content-type": "application/json",
      "x-tidegauge-dataset": dataset,
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${signal}: ${answer.status} ${await answer.text()}`);
}

export async function sendSpans(service, dataset, spans, most = 5000) {
  for (let at = 0; at < spans.length; at += most)
    await sendOtlp(service, "traces", dataset, exportOf(spans.slice(at, at + most)));
}

/** Records of one service, each at a span. */
export function logsOf(service, records) {
  return {
    resourceLogs: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: service } }] },
        scopeLogs: [{ logRecords: records }],
      },
    ],
  };
}
