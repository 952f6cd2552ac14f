// The interface in a real browser against the real service: one service and one browser for all areas. Every message of
// the console and every breach of the page's policy fails the test in which it happens.
//
//   npm run build && TIDEGAUGE_BINARY=…/tidegauge npm run browser

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accessibilityTests } from "./accessibility.js";
import { arrivingTests } from "./arriving.js";
import { browserPath, openBrowser, openPage, signIn } from "./browser.js";
import { buildingTests } from "./building.js";
import { chartingTests } from "./charting.js";
import { colleagueTests } from "./colleagues.js";
import { comparingTests } from "./comparing.js";
import { dashboardTests } from "./dashboards.js";
import { changedDashboardTests } from "./dashboards-changed.js";
import { drawnDashboardTests } from "./dashboards-drawn.js";
import { sharedDashboardTests } from "./dashboards-shared.js";
import { endpointTests } from "./endpoints.js";
import { exploreTests } from "./explore.js";
import { fileTests } from "./files.js";
import { firstMinutesTests } from "./first-minutes.js";
import { hostileTests } from "./hostile.js";
import { keepingTests } from "./keeping.js";
import { keyTests } from "./keys.js";
import { listKeyTests } from "./list-keys.js";
import { foundByMonitorsTests, monitorTests } from "./monitors.js";
import { actedMonitorTests, alertingMonitorTests } from "./monitors-acted.js";
import { narrowingTests } from "./narrowing.js";
import { notifierTests } from "./notifiers.js";
import { readingTests } from "./reading.js";
import { screenTests } from "./screens.js";
import { senderTests } from "./senders.js";
import { routeTests, servedTests } from "./served.js";
import { startService } from "./service.js";
import { sessionTests } from "./session.js";
import { stateTests } from "./states.js";
import { streamingTests } from "./streaming.js";
import { teamTests } from "./team.js";
import { timeTests } from "./times.js";
import { traceTests } from "./traces.js";

if (!browserPath()) test("the interface in a browser", { skip: "not run: no Chromium here" }, () => {});
else {
  const at = {};
  before(async () => {
    // Receivers of messages are on this machine.
    at.service = await startService(["--notify-allowed-networks", "127.0.0.0/8"]);
    at.browser = await openBrowser();
    Object.assign(at, await openPage(at.browser));
  });
  after(async () => {
    await at.browser?.close();
    await at.service?.stop();
  });

  /** A test that also fails when the page complained. */
  const watched = (name, body, allowed = [], timeout = 600_000) =>
    test(name, { timeout }, async () => {
      at.faults.length = 0;
      await body(at);
      const faults = at.faults.filter((fault) => !allowed.some((pattern) => pattern.test(fault)));
      assert.deepEqual(faults, []);
    });

  watched("1: the link of the first start leads by a password to the interface", async ({ page, service }) => {
    await signIn(page, service.link);
    assert.equal(new URL(page.url()).pathname, "/");
    await page.getByRole("heading", { name: "Send your first event" }).waitFor();
  });
  firstMinutesTests(watched);
  monitorTests(watched);
  alertingMonitorTests(watched);
  notifierTests(watched);
  exploreTests(watched);
  comparingTests(watched);
  narrowingTests(watched);
  buildingTests(watched);
  chartingTests(watched);
  readingTests(watched);
  fileTests(watched);
  arrivingTests(watched);
  streamingTests(watched);
  hostileTests(watched);
  screenTests(watched);
  keepingTests(watched);
  timeTests(watched);
  keyTests(watched);
  colleagueTests(watched);
  sessionTests(watched);
  senderTests(watched);
  endpointTests(watched);
  dashboardTests(watched);
  changedDashboardTests(watched);
  drawnDashboardTests(watched);
  sharedDashboardTests(watched);
  routeTests(watched);
  if (process.env.TIDEGAUGE_SERVES_UI !== undefined) servedTests(watched);
  foundByMonitorsTests(watched);
  actedMonitorTests(watched);
  teamTests(watched);
  listKeyTests(watched);
  traceTests(watched);
  stateTests(watched);
  accessibilityTests(watched);
}
