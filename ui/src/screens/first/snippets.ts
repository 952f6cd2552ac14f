// Ways to send events, with this service's address, the dataset and the token filled in.

export interface Snippet {
  id: string;
  name: string;
  text: string;
}

export function snippets(origin: string, dataset: string, token: string): Snippet[] {
  const path = `${origin}/v1/datasets/${encodeURIComponent(dataset)}/ingest`;
  const host = new URL(origin);
  const isTls = host.protocol === "https:";
  const port = host.port || (isTls ? "443" : "80");
  return [
    {
      id: "curl",
      name: "curl",
      text: `curl -X POST '${path}' \\\n  -H 'Authorization: Bearer ${token}' \\\n  -H 'Content-Type: application/json' \\\n  -d '[{"level": "info", "message": "hello from curl", "took_ms": 12}]'`,
    },
    {
      id: "cli",
      name: "tidegauge",
      text: `export TIDEGAUGE_URL=${origin} TIDEGAUGE_TOKEN=${token}\ntail -F /var/log/syslog | tidegauge ingest ${shellWord(dataset)} - --format lines`,
    },
    {
      id: "vector",
      name: "Vector",
      text: `[sinks.tidegauge]\ntype = "http"\ninputs = ["my_source"]\nuri = "${path}"\nencoding.codec = "json"\nframing.method = "newline_delimited"\nrequest.headers.Authorization = "Bearer ${token}"\nrequest.headers.Content-Type = "application/x-ndjson"`,
    },
    {
      id: "fluent-bit",
      name: "Fluent Bit",
      text: `[OUTPUT]\n    Name             http\n    Match            *\n    Host             ${host.hostname}\n    Port             ${port}\n    URI              ${new URL(path).pathname}\n    Header           Authorization Bearer ${token}\n    Format           json\n    Json_date_key    _time\n    Json_date_format iso8601\n    tls              ${isTls ? "On" : "Off"}`,
    },
    {
      id: "js",
      name: "JavaScript",
      text: `await fetch("${path}", {\n  method: "POST",\n  headers: { "Authorization": "Bearer ${token}", "Content-Type": "application/json" },\n  body: JSON.stringify([{ level: "info", message: "hello from JavaScript" }]),\n});`,
    },
    {
      id: "python",
      name: "Python",
      text: `import json, urllib.request\n\nrequest = urllib.request.Request(\n    "${path}",\n    data=json.dumps([{"level": "info", "message": "hello from Python"}]).encode(),\n    headers={"Authorization": "Bearer ${token}", "Content-Type": "application/json"},\n)\nprint(urllib.request.urlopen(request).read().decode())`,
    },
  ];
}

function shellWord(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
