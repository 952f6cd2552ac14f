// What the pictures of endpoints show: senders that arrive, some that are refused and why, and a listener.

/** Makes them and gives the states that are pictured. */
export async function prepareEndpoints(service) {
  const make = (endpoint) => service.call("/v2/endpoints", endpoint);
  const post = (url, body) =>
    fetch(url.replace(service.address, service.direct), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  await service.call("/v2/datasets", { name: "shop" });
  await service.call("/v2/datasets", { name: "old-shop" });
  const hooks = await make({
    name: "Payment webhooks",
    kind: "ingest",
    dataset: "shop",
    labels: { source: "payments" },
  });
  const paid = (place) => ({ event: "payment.captured", order: 4700 + place, amount: 12.5 + (place % 40) });
  await post(
    hooks.url,
    Array.from({ length: 1843 }, (_, place) => paid(place)),
  );
  const tills = await make({
    name: "Tills at the pier",
    kind: "loki",
    dataset: "shop",
    labels: { site: "pier", floor: 2 },
  });
  const values = Array.from({ length: 212 }, (_, place) => [`${Date.now() - place * 400}000000`, `sold ${place}`]);
  await post(`${tills.url}/loki/api/v1/push`, { streams: [{ stream: { job: "till" }, values }] });
  const half = await make({ name: "Stock exports", kind: "ingest", dataset: "shop" });
  await post(half.url, [...Array.from({ length: 60 }, (_, place) => paid(place)), { _time: "tomorrow", item: 9 }]);
  const collector = await make({ name: "Collector", kind: "otlp", dataset: "shop", labels: { env: "production" } });
  await post(`${collector.url}/loki/api/v1/push`, '{"streams": []}');
  const old = await make({ name: "The old shop", kind: "elastic", dataset: "old-shop" });
  await service.call("/v2/datasets/old-shop", undefined, "DELETE");
  await post(`${old.url}/_bulk`, '{"index": {}}\n{"a": 1}\n');
  const routers = await make({ name: "Routers", kind: "syslog", dataset: "shop" });
  return [
    ["endpoints", "/endpoints", "table.plain"],
    ["endpoint", `/endpoints/${tills.id}`, ".ways"],
    ["endpoint-refused", `/endpoints/${collector.id}`, ".notice"],
    ["endpoint-gone", `/endpoints/${old.id}`, ".notice"],
    ["endpoint-listener", `/endpoints/${routers.id}`, ".ways"],
    ["endpoint-settings", `/endpoints/${tills.id}?view=settings`, "form"],
    ["endpoint-new", "/endpoints/new?dataset=shop&kind=otlp", "form"],
    ["dataset-endpoints", "/datasets/shop?view=endpoints", "table.plain"],
    [
      "endpoint-made",
      "/endpoints/new?dataset=shop&kind=loki",
      "form",
      async (page) => {
        await page.getByLabel("Name", { exact: true }).fill("Tills at the quay");
        await page.getByRole("button", { name: "Make the endpoint" }).click();
        await page.locator("[data-secret]").waitFor();
      },
    ],
    [
      "endpoint-delete",
      `/endpoints/${tills.id}`,
      ".ways",
      async (page) => page.getByRole("button", { name: "Delete" }).click(),
    ],
    ["endpoints-error", "/endpoints/endpoint_00000000000000000000000000000000", ".problem"],
  ];
}
