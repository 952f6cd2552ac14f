// The screens that are looked at for who sees, hears or points otherwise, with what has to stand on them: lists with rows,
// pages of one thing each.

import { setTimeout as pause } from "node:timers/promises";

/** What the service is given for them. */
const NAME = "Looked at";

const SCREENS = [
  ["/explore?q=demo&from=now-6h&to=now", ".row .cell"],
  ["/explore?q=demo&from=now-6h&to=now&mode=builder", ".builder"],
  ["/explore?q=demo+%7C+summarize+count()+by+bin_auto(_time),+service&from=now-6h&to=now", "table.legend"],
  ["/explore?q=demo&from=now-6h&to=now&tab=patterns", "td.template"],
  ["/explore?q=demo&from=now-6h&to=now&tab=compare&group=status+%3E%3D+500", "article"],
  ["/explore?q=demo&from=now-6h&to=now&tab=explain", ".explain"],
  ["/explore?q=demo+%7C+summarize+histogram(duration_ms,+20)+by+bin_auto(_time)&from=now-6h&to=now", ".heat .cell"],
  ["/explore?q=demo+%7C+summarize+count()+by+path&from=now-6h&to=now&chart=scatter", "circle"],
  ["/stream?dataset=web", ".event"],
  ["/datasets", "table.plain"],
  ["/datasets/gen", ".row"],
  ["/datasets/gen?view=virtual", "table.plain"],
  ["/datasets/gen?view=views", "table.plain"],
  ["/datasets/gen?view=send", ".snippets pre"],
  ["/datasets/gen?view=care", ".care"],
  ["/queries", "table.plain"],
  ["/queries?view=history", "table.plain"],
  ["/start", "h1"],
  ["/monitors", "table.plain, .empty"],
  ["/monitors/new?q=demo", ".drawing"],
  ["/monitors/{monitor}", "svg.states"],
  ["/monitors/{defined}?view=edit", ".drawing"],
  ["/notifiers", "table.plain, .empty"],
  ["/notifiers/new", "form"],
  ["/notifiers/{notifier}", "table.plain"],
  ["/notifiers/{notifier}?view=settings", "form"],
  ["/notifiers/{notifier}?view=signing", ".signing"],
  ["/endpoints", "table.plain, .empty"],
  ["/endpoints/{endpoint}", ".notice"],
  ["/endpoints/{endpoint}?view=settings", "form"],
  ["/endpoints/new?dataset=web&kind=loki", "form"],
  ["/datasets/web?view=endpoints", "table.plain, .empty"],
  ["/tokens", "table.plain, .empty"],
  ["/people", "table.plain"],
  ["/people?tab=roles", "table.plain"],
  ["/people?tab=groups", "table.plain, .empty"],
  ["/settings", "dl"],
  ["/settings?tab=usage", ".drawing, .none, dl"],
  ["/settings?tab=audit", "table.plain"],
  ["/settings?tab=clients", "table.plain, .empty"],
  ["/settings?tab=grants", "table.plain, .empty"],
  ["/settings?tab=preferences", "section select"],
  ["/dashboards", "table.plain"],
  ["/dashboards/all-charts", ".cells .cell"],
  ["/dashboards/all-charts?edit=1", ".corner"],
  ["/dashboards/all-charts?edit=1&chart=timeseries-1", ".cm-content"],
  ["/dashboards/all-charts?edit=1&chart=table-1", "fieldset ol li"],
  ["/dashboards/filters?edit=1&chart=bar", "fieldset"],
  ["/dashboards/service:health", "section .value"],
];

/** The screens, with the ids of what they show. */
export async function screens(service) {
  const ids = {
    endpoint: await refusedEndpoint(service),
    defined: await definedMonitor(service),
    monitor: await monitorWithRuns(service),
    notifier: await notifierThatFailed(service),
  };
  await definitions(service);
  return SCREENS.map(([path, ready]) => [path.replace(/\{(\w+)\}/, (_, kind) => ids[kind]), ready]);
}

/** One of the name, made where there is none; `fresh` hears of one that was made. */
async function one(service, path, body, fresh = async () => {}) {
  const found = (await service.call(path)).find(({ name }) => name === body.name);
  if (found) return found.id;
  const made = await service.call(path.split("?")[0], body);
  await fresh(made);
  return made.id;
}

function refusedEndpoint(service) {
  const body = { name: "Refused something", kind: "loki", dataset: "web", labels: { site: "pier" } };
  return one(service, "/v2/endpoints", body, ({ url }) =>
    fetch(url.replace(service.address, service.direct), { method: "POST", body: "{}" }),
  );
}

/** One whose query can be asked, so that its backtest is drawn. */
function definedMonitor(service) {
  return one(service, "/v2/monitors", {
    name: NAME,
    type: "Threshold",
    aplQuery: "demo | summarize count() by bin_auto(_time)",
    operator: "Above",
    threshold: 1e9,
    intervalMinutes: 1,
    rangeMinutes: 5,
  });
}

/** Any that ran, whatever came of it. */
async function monitorWithRuns(service) {
  const time = (hours) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const runs = (id) => service.call(`/v2/monitors/${id}/runs?startTime=${time(-1)}&endTime=${time(1)}&limit=10`);
  for (const { id } of await service.call("/v2/monitors")) if ((await runs(id)).length > 0) return id;
  const id = await definedMonitor(service);
  while ((await runs(id)).length === 0) await pause(1000);
  return id;
}

/** Nobody listens there, so its message has attempts with a reason. */
function notifierThatFailed(service) {
  const body = { name: NAME, properties: { webhook: { url: "http://127.0.0.1:9/looked-at" } } };
  return one(service, "/v2/notifiers", body, ({ id }) => service.call(`/v2/notifiers/${id}/test`, undefined, "POST"));
}

async function definitions(service) {
  await one(service, "/v2/vfields?dataset=gen", {
    dataset: "gen",
    name: "is_slow",
    expression: "status >= 500",
    description: "what somebody waited for",
    type: "boolean",
    unit: "",
  });
  await one(service, "/v2/views", { name: "gen-failures", aplQuery: "gen | where status >= 500", description: NAME });
  await one(service, "/v2/apl-starred-queries?who=all", {
    kind: "apl",
    name: NAME,
    who: "me",
    dataset: "demo",
    metadata: {},
    query: { apl: "demo | where status >= 500 | summarize count() by bin_auto(_time), service, path, level" },
  });
}
