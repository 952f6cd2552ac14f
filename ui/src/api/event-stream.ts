// Reads server-sent events from an answer, whatever pieces it arrives in. Each piece is told, also one that only keeps
// the connection open.

export interface StreamEvent {
  event: string;
  data: string;
}

export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  heard: () => void = () => {},
): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  // The parts of a line that has not ended yet; an answer of megabytes is one line, so they are joined once.
  let open: string[] = [];
  let event = "message";
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      heard();
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      let from = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
        open.push(text.slice(from, end));
        from = end + 1;
        let line = open.join("");
        open = [];
        if (line.endsWith("\r")) line = line.slice(0, -1);
        if (line === "") {
          if (data.length > 0) yield { event, data: data.join("\n") };
          event = "message";
          data = [];
        } else if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
        else if (line.startsWith("event:")) event = line.slice(6).trim();
      }
      if (from < text.length) open.push(text.slice(from));
      if (done) return;
    }
  } finally {
    // Whoever stops reading ends the query on the service too.
    await reader.cancel().catch(() => undefined);
  }
}
