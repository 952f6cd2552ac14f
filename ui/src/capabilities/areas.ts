// The areas in which something can be done, with their actions and what they are called. The service has the same table
// in `crates/model/src/capability.rs`; a unit test compares the two.

export type Scope = "org" | "datasets" | "views";

export interface Area {
  id: string;
  name: string;
  actions: string[];
}

export const ACTIONS = ["create", "read", "update", "delete"];

const EVERY = ACTIONS;

export const AREAS: Record<Scope, Area[]> = {
  org: [
    { id: "annotations", name: "Annotations", actions: EVERY },
    { id: "apiTokens", name: "API tokens and clients", actions: EVERY },
    { id: "auditLog", name: "Audit trail", actions: ["read"] },
    { id: "billing", name: "Usage and billing", actions: ["read", "update"] },
    { id: "dashboards", name: "Dashboards", actions: EVERY },
    { id: "datasets", name: "Datasets", actions: EVERY },
    { id: "endpoints", name: "Endpoints", actions: EVERY },
    { id: "flows", name: "Flows", actions: EVERY },
    { id: "integrations", name: "Integrations", actions: EVERY },
    { id: "monitors", name: "Monitors", actions: EVERY },
    { id: "notifiers", name: "Notifiers", actions: EVERY },
    { id: "rbac", name: "Roles and groups", actions: EVERY },
    { id: "sharedAccessKeys", name: "Shared access keys", actions: ["read", "update"] },
    { id: "users", name: "Members", actions: EVERY },
    { id: "views", name: "Views", actions: EVERY },
  ],
  datasets: [
    { id: "ingest", name: "Send events", actions: ["create"] },
    { id: "query", name: "Query", actions: ["read"] },
    { id: "starredQueries", name: "Starred queries", actions: EVERY },
    { id: "virtualFields", name: "Virtual fields", actions: EVERY },
    { id: "trim", name: "Trim old events", actions: ["update"] },
    { id: "vacuum", name: "Vacuum fields", actions: ["update"] },
    { id: "data", name: "Delete single events", actions: ["delete"] },
    { id: "share", name: "Share", actions: ["create", "read", "delete"] },
  ],
  views: [
    { id: "query", name: "Query", actions: ["read"] },
    { id: "share", name: "Share", actions: ["create", "read", "delete"] },
  ],
};

/** The name that stands for every dataset or view. */
export const ANY = "*";
