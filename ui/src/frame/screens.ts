// The screens, in the order of the rail. Each is a chunk of its own, loaded when it is first looked at.

import type { Component } from "svelte";
import type { IconName } from "../parts/Icon.svelte";

export interface Screen {
  path: string;
  name: string;
  icon: IconName;
  /** The letter behind `g`. */
  key: string;
  load: () => Promise<{ default: Component }>;
  /** What somebody must hold to find anything there. Without it the rail leaves the screen out, and the screen itself says
   *  what is missing and asks nothing. */
  needs?: Need;
}

export interface Need {
  area: string;
  /** Of the organisation, or of any dataset. */
  of: "org" | "datasets";
  /** How it goes on behind "You cannot see". */
  what: string;
}

const org = (area: string, what: string): Need => ({ area, of: "org", what: `${what} of this organisation` });

/** The capability as the service writes it. */
export function capabilityOf({ area }: Need): string {
  return `${area}|read`;
}

export const SCREENS: Screen[] = [
  {
    path: "/explore",
    name: "Explore",
    icon: "explore",
    key: "e",
    load: () => import("../screens/explore/Explore.svelte"),
  },
  {
    path: "/stream",
    name: "Stream",
    icon: "stream",
    key: "s",
    load: () => import("../screens/stream/Stream.svelte"),
    needs: { area: "query", of: "datasets", what: "any events here" },
  },
  {
    path: "/dashboards",
    name: "Dashboards",
    icon: "dashboards",
    key: "b",
    load: () => import("../screens/dashboards/Dashboards.svelte"),
    needs: org("dashboards", "the dashboards"),
  },
  {
    path: "/traces",
    name: "Traces",
    icon: "traces",
    key: "t",
    load: () => import("../screens/traces/Traces.svelte"),
    needs: { area: "query", of: "datasets", what: "any events here" },
  },
  {
    path: "/monitors",
    name: "Monitors",
    icon: "monitors",
    key: "m",
    load: () => import("../screens/monitors/Monitors.svelte"),
    needs: org("monitors", "the monitors"),
  },
  {
    path: "/notifiers",
    name: "Notifiers",
    icon: "notifiers",
    key: "o",
    load: () => import("../screens/notifiers/Notifiers.svelte"),
    needs: org("notifiers", "the notifiers"),
  },
  {
    path: "/datasets",
    name: "Datasets",
    icon: "datasets",
    key: "d",
    load: () => import("../screens/datasets/Datasets.svelte"),
  },
  {
    path: "/queries",
    name: "Queries",
    icon: "queries",
    key: "q",
    load: () => import("../screens/queries/Queries.svelte"),
  },
  { path: "/start", name: "Send", icon: "start", key: "n", load: () => import("../screens/first/Start.svelte") },
  {
    path: "/endpoints",
    name: "Endpoints",
    icon: "endpoints",
    key: "i",
    load: () => import("../screens/endpoints/Endpoints.svelte"),
    needs: org("endpoints", "the endpoints"),
  },
  {
    path: "/tokens",
    name: "Tokens",
    icon: "token",
    key: "k",
    load: () => import("../screens/tokens/Tokens.svelte"),
    needs: org("apiTokens", "the tokens"),
  },
  {
    path: "/people",
    name: "People",
    icon: "people",
    key: "p",
    load: () => import("../screens/people/People.svelte"),
    needs: org("users", "the people"),
  },
  {
    path: "/settings",
    name: "Settings",
    icon: "settings",
    key: "c",
    load: () => import("../screens/settings/Settings.svelte"),
  },
];

export function screenAt(path: string): Screen | undefined {
  return SCREENS.find((screen) => path === screen.path || path.startsWith(`${screen.path}/`));
}
