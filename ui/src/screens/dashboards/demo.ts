// Three dashboards over the demo events: how the shop's services do, what its visitors meet, and its log. The service makes
// them with the events; here they are for events that are there already.

import { createDashboard, type Document, listDashboards } from "../../api/dashboards.ts";
import { ApiError } from "../../api/errors.ts";
import log from "./demo/log.json";
import services from "./demo/services.json";
import visitors from "./demo/visitors.json";

export const DEMO_DASHBOARDS: { uid: string; document: Document }[] = [
  { uid: "demo-services", document: services as unknown as Document },
  { uid: "demo-visitors", document: visitors as unknown as Document },
  { uid: "demo-log", document: log as unknown as Document },
];

/** Makes those that are not there yet, and tells how many. What somebody made of one stays. */
export async function makeDemoDashboards(): Promise<number> {
  let made = 0;
  const known = new Set((await listDashboards()).map(({ uid }) => uid));
  for (const { uid, document } of DEMO_DASHBOARDS) {
    if (known.has(uid)) continue;
    try {
      await createDashboard(document, uid);
      made += 1;
    } catch (reason) {
      // One that only its owner sees is in no list.
      if (!(reason instanceof ApiError) || reason.status !== 409) throw reason;
    }
  }
  return made;
}
