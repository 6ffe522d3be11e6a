// The least program between a provider and a viewer: hands the provider's body on as it is. A floor to compare with.
//   bun tests/bench/relay.ts <model url>   → its address on the first line

const [modelUrl] = process.argv.slice(2);
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch() {
    const upstream = await fetch(`${modelUrl}/v1/chat/completions`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: "Bearer k" },
      body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "go" }] }),
    });
    return new Response(upstream.body);
  },
});
console.log(String(server.url));
