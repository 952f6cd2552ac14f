// All ways to send events, in the order in which they are offered. Their forms are those of the pages on senders in the
// reference.

import { collectors } from "./senders/collectors.ts";
import { programs } from "./senders/programs.ts";
import type { Sender, Target } from "./senders/sender.ts";
import { listeners, services } from "./senders/services.ts";

export function sendersTo(target: Target): Sender[] {
  return [...programs(target), ...collectors(target), ...services(target), ...listeners(target)];
}
