// Dashboards, monitors and starred queries for the palette, asked for when it is opened and only where they may be read.
// Loaded with the first of it, so that the first screen does not pay for it.

import { address } from "../address/address.svelte.ts";
import { listDashboards } from "../api/dashboards.ts";
import { listMonitors } from "../api/monitors.ts";
import { listStarred } from "../api/starred.ts";
import { catalogue } from "../session/catalogue.svelte.ts";
import { visible } from "../values/hostile.ts";
import type { Entry } from "./matching.ts";

interface Kind {
  name: string;
  may: () => boolean;
  list: () => Promise<Entry[]>;
}

const entry = (kind: string, id: string, title: string, run: () => void): Entry => ({
  id: `${kind} ${id}`,
  name: visible(title),
  title,
  hint: kind,
  run,
});

const KINDS: Kind[] = [
  {
    name: "dashboards",
    may: () => catalogue.mayOrg("dashboards", "read"),
    list: async () =>
      (await listDashboards()).map(({ uid, dashboard }) =>
        // Each begins with a range of its own.
        entry("dashboard", uid, dashboard.name, () =>
          address.open(address.link(`/dashboards/${encodeURIComponent(uid)}`, { from: null, to: null })),
        ),
      ),
  },
  {
    name: "monitors",
    may: () => catalogue.mayOrg("monitors", "read"),
    list: async () =>
      (await listMonitors()).map(({ id, name }) =>
        entry("monitor", id, name, () => address.go(`/monitors/${encodeURIComponent(id)}`)),
      ),
  },
  {
    name: "starred queries",
    may: () => catalogue.maySome("starredQueries", "read"),
    list: async () =>
      (await listStarred()).map(({ id, name, query }) =>
        entry("query", id, name, () =>
          address.go("/explore", { q: query.apl, from: query.startTime || null, to: query.endTime || null, star: id }),
        ),
      ),
  },
];

export interface Named {
  entries: Entry[];
  /** The kinds that could not be read. */
  failed: string[];
}

/** All that may be listed; what one kind is refused or fails at does not take the others away. */
export async function named(): Promise<Named> {
  const kinds = KINDS.filter(({ may }) => may());
  const outcomes = await Promise.allSettled(kinds.map(({ list }) => list()));
  return {
    entries: outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : [])),
    failed: kinds.filter((_, place) => outcomes[place]?.status === "rejected").map(({ name }) => name),
  };
}
