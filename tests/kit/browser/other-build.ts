// A service whose interface is replaced by another build while people use it: a proxy that, once told, gives every hashed file another name,
// in the pages, the scripts and the worker, and answers 404 for the names of before.

interface OtherBuild extends AsyncDisposable {
  readonly url: string;
  /** From now on the other build is served. */
  install(): void;
}

/** Content of the meta element `build` in pages of the other build. */
export const OTHER_BUILD = "other";
const PREFIX = "other.";
const TEXT = /javascript|html|css/;

export async function otherBuild(service: string): Promise<OtherBuild> {
  const worker = await (await fetch(`${service}/sw.js`)).text();
  const names = [...new Set(worker.match(/(?<=\/assets\/)[\w.-]+/g))].sort((a, b) => b.length - a.length);
  const anyName = new RegExp(`(?<![\\w.-])(?:${names.join("|").replaceAll(".", "\\.")})`, "g");
  const build = new Bun.CryptoHasher("sha256")
    .update(await (await fetch(`${service}/`)).text())
    .digest("hex")
    .slice(0, 20);
  if (!worker.includes(build)) throw new Error("the worker does not name its build");
  let installed = false;

  const renamed = (text: string) =>
    text
      .replaceAll(anyName, (name) => PREFIX + name)
      .replaceAll(build, `${PREFIX}${build}`)
      .replace("<head>", `<head><meta name="build" content="${OTHER_BUILD}">`);

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    let path = url.pathname;
    if (installed && path.startsWith("/assets/")) {
      if (!path.startsWith(`/assets/${PREFIX}`)) return new Response("not found", { status: 404 });
      path = path.replace(PREFIX, "");
    }
    const headers = new Headers(request.headers);
    headers.delete("host");
    // One build must not answer for the other.
    headers.delete("if-none-match");
    if (headers.has("origin")) headers.set("origin", service);
    const found = await fetch(service + path + url.search, {
      method: request.method,
      headers,
      body: request.body,
      redirect: "manual",
      signal: request.signal,
    });
    const given = new Headers(found.headers);
    given.delete("content-encoding");
    given.delete("content-length");
    const isText = installed && !path.startsWith("/api/") && TEXT.test(given.get("content-type") ?? "");
    return new Response(isText ? renamed(await found.text()) : found.body, {
      status: found.status,
      headers: given,
    });
  }

  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch: answer });
  return {
    url: `http://127.0.0.1:${server.port}`,
    install: () => void (installed = true),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
