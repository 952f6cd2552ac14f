// Programs that check the signature of a message, ready to copy. Each takes the secret from its surroundings, compares in
// constant time and refuses what is too old.

export interface Verifier {
  id: string;
  name: string;
  code: string;
}

export const VERIFIERS: Verifier[] = [
  {
    id: "python",
    name: "Python",
    code: `import base64, hashlib, hmac, os, time

SECRET = base64.b64decode(os.environ["SIGNING_SECRET"].removeprefix("whsec_"))

def is_ours(headers, body: bytes) -> bool:
    sent = int(headers["webhook-timestamp"])
    if abs(time.time() - sent) > 300:
        return False
    signed = f"{headers['webhook-id']}.{sent}.".encode() + body
    wanted = base64.b64encode(hmac.digest(SECRET, signed, hashlib.sha256)).decode()
    given = headers["webhook-signature"].split()
    return any(hmac.compare_digest(f"v1,{wanted}", one) for one in given)`,
  },
  {
    id: "node",
    name: "Node",
    code: `import { createHmac, timingSafeEqual } from "node:crypto";

const secret = Buffer.from(process.env.SIGNING_SECRET.replace(/^whsec_/, ""), "base64");

// body is the bytes of the request as they came, not an object that was read from them.
export function isOurs(headers, body) {
  const sent = Number(headers["webhook-timestamp"]);
  if (!(Math.abs(Date.now() / 1000 - sent) <= 300)) return false;
  const mac = createHmac("sha256", secret).update(\`\${headers["webhook-id"]}.\${sent}.\`).update(body);
  const wanted = Buffer.from(\`v1,\${mac.digest("base64")}\`);
  return headers["webhook-signature"].split(" ").some((one) => {
    const given = Buffer.from(one);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}`,
  },
  {
    id: "shell",
    name: "Shell",
    code: `# body in the file BODY, the headers in ID, TIMESTAMP and SIGNATURE, the secret in SIGNING_SECRET
key=$(printf %s "\${SIGNING_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')
wanted=v1,$({ printf '%s.%s.' "$ID" "$TIMESTAMP"; cat BODY; } |
  openssl dgst -sha256 -mac HMAC -macopt hexkey:"$key" -binary | base64)
[ "$wanted" = "$SIGNATURE" ] && [ $(( $(date +%s) - TIMESTAMP )) -lt 300 ] && echo ours`,
  },
];
