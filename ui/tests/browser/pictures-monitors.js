// What the pictures of monitors and notifiers show: logins that fail in bursts, monitors that have run, and messages that
// came and did not come.

/** Makes all of it and gives the states that are pictured. Runs need a minute and a half. */
export async function prepareMonitors(service, receiver) {
  const now = Date.now();
  const at = (ms) => new Date(now - ms).toISOString();
  const failures = (path, count) =>
    Array.from({ length: count }, (_, place) => ({ _time: at(place * 900), path, status: 500 }));
  const events = [...failures("/login", 30), ...failures("/pay", 14)];
  for (let minute = 0; minute < 1440; minute += 1)
    events.push({ _time: at(minute * 60_000), path: minute % 2 ? "/login" : "/signup", status: 200 });
  for (const [hours, count] of [
    [3, 44],
    [9, 22],
    [18, 60],
  ])
    for (let place = 0; place < count; place += 1)
      events.push({ _time: at(hours * 3_600_000 - place * 20_000), path: place % 3 ? "/login" : "/pay", status: 500 });
  await service.call("/v1/datasets/logins/ingest", events);
  await service.call("/v1/datasets/gone/ingest", [{ x: 1 }]);

  const webhook = { webhook: { url: receiver.address } };
  const hook = await service.call("/v2/notifiers", { name: "On call", properties: webhook });
  const slack = await service.call("/v2/notifiers", {
    name: "Team channel",
    properties: { slack: { slackUrl: "https://hooks.example/services/T000/B000/SECRET" } },
  });
  const make = (monitor) =>
    service.call("/v2/monitors", { type: "Threshold", operator: "Above", intervalMinutes: 1, ...monitor });
  const failing = await make({
    name: "Failing logins",
    description: "Look at the newest release first",
    aplQuery: "['logins']\n| where status >= 500\n| summarize count() by path",
    threshold: 10,
    rangeMinutes: 10,
    notifyByGroup: true,
    notifierIds: [hook.id],
    resolvable: true,
  });
  await make({
    name: "Sign-ups are away",
    type: "AnomalyDetection",
    operator: "Below",
    aplQuery: "['logins'] | where path == \"/signup\" | summarize count() by bin(_time, 5m)",
    intervalMinutes: 5,
    rangeMinutes: 120,
    notifierIds: [hook.id, slack.id],
  });
  await make({
    name: "During the release",
    aplQuery: "['logins'] | count",
    threshold: 1e6,
    rangeMinutes: 5,
    disabledUntil: new Date(now + 7_200_000).toISOString(),
  });
  await make({ name: "Of a dataset that is gone", aplQuery: "['gone'] | count", threshold: 1, rangeMinutes: 5 });
  await service.call("/v2/datasets/gone", undefined, "DELETE");
  receiver.answer(503);
  await service.call(`/v2/notifiers/${hook.id}/test`, undefined, "POST");
  receiver.answer(200);
  await service.call(`/v2/notifiers/${hook.id}/test`, undefined, "POST");
  await new Promise((resolve) => setTimeout(resolve, 95_000));

  return [
    ["monitors", "/monitors", "table.plain"],
    ["monitor", `/monitors/${failing.id}`, "table.plain"],
    [
      "monitor-editor",
      `/monitors/${failing.id}?view=edit`,
      ".drawing",
      async (page) => {
        await page.locator('[role="slider"]').focus();
        for (let press = 0; press < 5; press += 1) await page.keyboard.press("ArrowDown");
        await page.getByText("saved version, dashed").waitFor();
        await page.waitForTimeout(500);
      },
    ],
    ["notifiers", "/notifiers", "table.plain"],
    [
      "notifier",
      `/notifiers/${hook.id}`,
      "table.plain",
      async (page) => {
        await page.getByRole("button", { name: "Test", exact: true }).click();
        await page.locator(".told").waitFor();
        await page.getByRole("button", { name: /503/ }).first().click();
      },
    ],
    ["notifier-settings", `/notifiers/${slack.id}?view=settings`, "form"],
    ["notifier-signing", `/notifiers/${hook.id}?view=signing`, ".signing"],
  ];
}
