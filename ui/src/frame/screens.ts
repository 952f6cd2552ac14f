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
}

export const SCREENS: Screen[] = [
  {
    path: "/explore",
    name: "Explore",
    icon: "explore",
    key: "e",
    load: () => import("../screens/explore/Explore.svelte"),
  },
  { path: "/stream", name: "Stream", icon: "stream", key: "s", load: () => import("../screens/stream/Stream.svelte") },
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
];

export function screenAt(path: string): Screen | undefined {
  return SCREENS.find((screen) => path === screen.path || path.startsWith(`${screen.path}/`));
}
