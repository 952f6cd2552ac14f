// What somebody types into DuckDB to read a dataset in place. The service tells nobody where its catalogue and its files
// are, so what depends on that is to be put in, with the setting that has it.

export interface Place {
  catalogue: "sqlite" | "postgres";
  events: "folder" | "bucket";
}

export interface Hole {
  /** As it stands in the command. */
  text: string;
  /** What belongs there. */
  is: string;
}

export interface Command {
  text: string;
  holes: Hole[];
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

export function duckDbCommand({ catalogue, events }: Place, org: string, dataset: string): Command {
  const lines = [`INSTALL ducklake; INSTALL ${catalogue};${events === "bucket" ? " INSTALL httpfs;" : ""}`];
  if (events === "bucket")
    lines.push("CREATE SECRET (TYPE s3, KEY_ID '<KEY_ID>', SECRET '<SECRET>', REGION '<REGION>');");
  const where =
    catalogue === "sqlite" ? "sqlite:data/catalog.sqlite" : "postgres:host=<HOST> dbname=<DATABASE> user=<READER>";
  lines.push(`ATTACH 'ducklake:${where}' AS lake (READ_ONLY);`);
  lines.push(`SELECT count(*) FROM lake.${quoted(org)}.${quoted(dataset)} WHERE _time > now() - INTERVAL 1 HOUR;`);
  return { text: lines.join("\n"), holes: [...catalogueHoles(catalogue), ...eventHoles(events)] };
}

function catalogueHoles(catalogue: Place["catalogue"]): Hole[] {
  if (catalogue === "sqlite")
    return [{ text: "data", is: "the folder that the setting data names, as seen from where DuckDB is started" }];
  return [
    { text: "<HOST>, <DATABASE>", is: "as in the setting catalog, postgres://user:password@host:port/database" },
    {
      text: "<READER>",
      is: "a role that may read only the views ducklake_…; it can read all organisations. Its password goes into PGPASSWORD",
    },
  ];
}

function eventHoles(events: Place["events"]): Hole[] {
  if (events === "folder") return [];
  return [
    { text: "<KEY_ID>, <SECRET>", is: "keys that may read the bucket of the setting objects" },
    { text: "<REGION>", is: "the setting objects_region" },
    {
      text: "ENDPOINT 'host:port', URL_STYLE 'path', USE_SSL false",
      is: "also in the secret, where objects_endpoint names a service of its own: its address without http://; USE_SSL true where that is https://",
    },
  ];
}
