// Goal: the files of the lab agree with each other, with the image, with the program and with the manual, and only its proxy is reachable.

import { describe, expect, test } from "bun:test";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { loadServerConfig } from "../../src/context/config/config.ts";
import { temporaryFolder } from "../kit/folder.ts";

const LAB = join(ROOT, "release/lab");
const PROXY_PORT = 8740;

interface Service {
  readonly image: string;
  readonly build?: object;
  readonly entrypoint?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks: { readonly lab: { readonly ipv4_address: string } };
}

interface Compose {
  readonly services: Readonly<Record<"one" | "two" | "storage" | "proxy", Service>>;
  readonly networks: { readonly lab: { readonly ipam: { readonly config: readonly { subnet: string }[] } } };
  readonly volumes: object;
}

const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");
const labFile = (name: string) => readFileSync(join(LAB, name), "utf8");
const manual = textOf("docs/high-availability.md");
const compose = Bun.YAML.parse(labFile("compose.yaml")) as Compose;
const { services } = compose;
const addressOf = (name: keyof typeof services) => services[name].networks.lab.ipv4_address;
const proxy = labFile("haproxy.cfg");
const found = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map((match) => match.slice(1));

async function settingsOf(node: string) {
  await using folder = await temporaryFolder();
  await folder.write("server.yaml", labFile("server.yaml").replace("node: NODE", `node: ${node}`));
  return loadServerConfig(folder.path);
}

describe("the lab", () => {
  test.each(["one", "two"] as const)("gives node %s settings that the program reads", async (node) => {
    const { listen, trustedProxies, allowedHosts, replication } = await settingsOf(node);
    expect(services[node].environment).toMatchObject({ NODE: node });
    expect(String(listen.port)).toBe(
      /^EXPOSE (8743)$/m.exec(textOf("release/containers/Containerfile"))![1]!,
    );
    expect(trustedProxies).toEqual([addressOf("proxy")]);
    // The health check of the proxy, the clients on this machine, and the commands in the container.
    expect(allowedHosts).toEqual(["localhost", "127.0.0.1"]);
    expect(replication).toMatchObject({ node, endpoint: `http://${addressOf("storage")}:7070` });
    expect(services.storage.entrypoint!.at(-1)).toContain(`/buckets/${replication!.bucket} `);
  });

  test("names the nodes in the proxy as they are called and where they are", async () => {
    const { listen } = await settingsOf("one");
    expect(found(/^ {2}server (\S+) (\S+)$/gm, proxy)).toEqual(
      (["one", "two"] as const).map((node) => [node, `${addressOf(node)}:${listen.port}`]),
    );
    const [{ subnet }] = compose.networks.lab.ipam.config as [{ subnet: string }];
    const addresses = (["one", "two", "storage", "proxy"] as const).map(addressOf);
    expect(new Set(addresses).size).toBe(4);
    for (const address of addresses) expect(`${address.replace(/\d+$/, "0")}/24`).toBe(subnet);
  });

  test("publishes the port of the proxy on loopback, and nothing else", () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => [name, port]),
    );
    expect(published).toEqual([["proxy", `127.0.0.1:${PROXY_PORT}:${PROXY_PORT}`]]);
    expect(found(/^ {2}bind (\S+)$/gm, proxy)).toEqual([[`:${PROXY_PORT}`], ["127.0.0.1:8741"]]);
    for (const text of [labFile("try"), manual]) expect(text).toContain(`http://127.0.0.1:${PROXY_PORT}`);
  });

  test.each(Object.keys(services) as (keyof typeof services)[])("bounds and watches %s", (name) => {
    const service = services[name];
    // A copy: the runner writes into what it compares, and the nodes share parts.
    expect(structuredClone(service)).toMatchObject({
      restart: "unless-stopped",
      read_only: true,
      cap_drop: ["ALL"],
      mem_limit: expect.stringMatching(/^\d+[gm]$/),
      healthcheck: { test: expect.any(Array), interval: expect.any(String) },
      logging: { options: { "max-size": "10m" } },
    });
    if (service.build === undefined) expect(service.image).toMatch(/:v?\d+\.\d+\.\d+(?:-alpine)?$/);
    const mounted = service.volumes.map((volume) => volume.split(":")[0]!);
    for (const source of mounted)
      if (source.startsWith("./")) expect(readdirSync(LAB)).toContain(source.slice(2));
      else expect(Object.keys(compose.volumes)).toContain(source);
  });

  test("uses the variables that the manual generates, and the files that it names", () => {
    const used = new Set(found(/\$\{(\w+)/g, labFile("compose.yaml")).map(([name]) => name!));
    const generated = found(/echo "?([A-Z_]+)=/g, manual).map(([name]) => name!);
    expect(generated.sort()).toEqual([...used].sort());
    expect(manual).toContain("> lab/.env");
    for (const name of ["compose.yaml", "try", "haproxy.cfg", "server.yaml"])
      expect(manual).toContain(`lab/${name}`);
    for (const name of ["node", "try"]) {
      expect(statSync(join(LAB, name)).mode & 0o111).toBe(0o111);
      expect(Bun.spawnSync(["bash", "-n", join(LAB, name)]).exitCode).toBe(0);
    }
  });
});
