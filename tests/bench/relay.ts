// The least program that does the service's main job: reads the provider's stream, parses the JSON of every chunk, and writes a new event
// of it, one write and one flush for each read. Streaming is compared with it.
//   bun tests/bench/relay.ts <model url>   → its address on the first line

const [modelUrl] = process.argv.slice(2);

interface Chunk {
  readonly choices: readonly { readonly delta?: { readonly content?: string } }[];
}

function relay(body: AsyncIterable<Uint8Array>): Response {
  const decoder = new TextDecoder();
  let text = "";
  /** The new events of the whole events in `text`, which keeps the rest. */
  const takeEvents = (): string => {
    let events = "";
    let start = 0;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n", start)) {
      const data = text.slice(start + "data: ".length, end);
      start = end + 2;
      if (data === "[DONE]") continue;
      const said = (JSON.parse(data) as Chunk).choices[0]?.delta?.content;
      if (said) events += `event: delta\ndata: ${JSON.stringify({ data: { text: said } })}\n\n`;
    }
    text = text.slice(start);
    return events;
  };
  const source: Bun.DirectUnderlyingSource<string> = {
    type: "direct",
    async pull(controller) {
      for await (const bytes of body) {
        text += decoder.decode(bytes, { stream: true });
        controller.write(takeEvents());
        await controller.flush();
      }
      controller.close();
    },
  };
  const stream = new ReadableStream<string>(source as unknown as UnderlyingDefaultSource<string>);
  return new Response(stream, { headers: { "Content-Type": "text/event-stream" } });
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch() {
    const upstream = await fetch(`${modelUrl}/v1/chat/completions`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: "Bearer k" },
      // With usage in every chunk, as the service asks for it.
      body: JSON.stringify({
        model: "m",
        stream: true,
        stream_options: { include_usage: true },
        messages: [{ role: "user", content: "go" }],
      }),
    });
    return relay(upstream.body!);
  },
});
console.log(String(server.url));
