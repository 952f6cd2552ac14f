// What the pictures of tokens, people and settings show: a small team with what it would have made.

const days = (count) => new Date(Date.now() + count * 86_400_000).toISOString();

export async function prepareTeam(service) {
  const ids = [];
  for (const [name, role] of [
    ["Ada Lovelace", "admin"],
    ["Grace Hopper", "user"],
    ["Mary Jackson", "read-only"],
  ]) {
    const email = `${name.split(" ")[0].toLowerCase()}@harbour.example`;
    ids.push((await service.call("/v2/users", { name, email, role })).id);
  }
  const role = await service.call("/v2/rbac/roles", {
    name: "On call",
    description: "answers at night",
    members: [ids[1]],
    orgCapabilities: { monitors: ["read", "update"], notifiers: ["read", "update"] },
  });
  await service.call("/v2/rbac/groups", { name: "Night shift", members: [ids[1], ids[2]], roles: [role.id] });
  const shipper = await service.call("/v2/tokens", {
    name: "shipper on web-1",
    description: "Vector, /etc/vector/token",
    expiresAt: days(80),
    datasetCapabilities: { demo: { ingest: ["create"] } },
  });
  await service.call("/v2/tokens", {
    name: "weekly report",
    expiresAt: days(3),
    datasetCapabilities: { "*": { query: ["read"] } },
    orgCapabilities: { datasets: ["read"], dashboards: ["read"] },
  });
  await service.call("/v2/tokens", {
    name: "deploy script",
    endsWithMembership: true,
    orgCapabilities: { annotations: ["create"], monitors: ["create", "read", "update", "delete"] },
  });
  await service.call("/v2/oauth/clients", {
    name: "Reports",
    grants: ["client_credentials"],
    datasetCapabilities: { "*": { query: ["read"] } },
  });
  // A use of the token, and a call that is refused.
  const headers = { authorization: `Bearer ${shipper.token}` };
  await fetch(`${service.direct}/v2/notifiers`, { headers });
}

const press = (name) => async (page) => page.getByRole("button", { name }).first().click();

export const TEAM_STATES = [
  ["tokens", "/tokens", "table.plain"],
  [
    "token-new",
    "/tokens",
    "table.plain",
    async (page) => {
      await press("New token")(page);
      await page.getByLabel("Name", { exact: true }).fill("shipper on web-2");
      await press(/Send events only/)(page);
    },
  ],
  ["people", "/people", "table.plain"],
  ["people-roles", "/people?tab=roles", "table.plain"],
  ["role", "/people?tab=roles", "table.plain", press("Change On call")],
  ["people-groups", "/people?tab=groups", "table.plain"],
  ["settings", "/settings", "dl"],
  ["settings-usage", "/settings?tab=usage", ".drawing, .none, dl"],
  ["settings-audit", "/settings?tab=audit", "table.plain"],
  ["settings-clients", "/settings?tab=clients", "table.plain"],
  ["settings-grants", "/settings?tab=grants", "table.plain, .empty"],
  ["settings-preferences", "/settings?tab=preferences", "section select"],
];
