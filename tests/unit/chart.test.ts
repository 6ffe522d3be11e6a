// Goal: the chart agrees with the images that it starts, refuses the terminal, and renders objects with settings that the programs read.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readManifest, ROOT } from "../../release/step.ts";
import { EVERY_ADDRESS } from "../../src/kit/network/hosts.ts";
import { ConfigFile } from "../../src/service/config/schema.ts";

const helm = Bun.which("helm");
if (helm === null) console.log("skipped: helm is missing, so the chart was not rendered");

const CHART = join(ROOT, "release/chart");
const textOf = (path: string) => readFileSync(join(ROOT, "release", path), "utf8");
const dataOf = (path: string) => Bun.YAML.parse(textOf(path)) as Record<string, object>;

interface Schema {
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface ClusterObject {
  readonly kind?: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas: number;
    readonly ipFamilyPolicy?: string;
    readonly template: {
      readonly spec: {
        readonly containers: readonly { readonly readinessProbe: object }[];
        readonly initContainers?: readonly { readonly command: readonly string[] }[];
      };
    };
  };
  readonly stringData: Readonly<Record<string, string>>;
}

describe("the chart", () => {
  test("has the version of the programs", async () => {
    const { version } = (await readManifest()) as { version: string };
    expect(dataOf("chart/Chart.yaml")).toMatchObject({ version, appVersion: version });
  });

  test("starts the images as their own user, at their ports and in their directory", () => {
    const images = textOf("containers/Containerfile");
    const user = /^USER (\d+):(\d+)$/m.exec(images)!;
    const chart = ["_helpers.tpl", "service.yaml", "server.yaml"]
      .map((name) => textOf(`chart/templates/${name}`))
      .join("\n");
    const numbers = (pattern: RegExp, text: string) =>
      [...text.matchAll(pattern)].map(([, found]) => found!).sort();
    expect(numbers(/(?:runAsUser|runAsGroup|fsGroup): (\d+)/g, chart)).toEqual([
      user[1]!,
      user[2]!,
      user[2]!,
    ]);
    expect(numbers(/containerPort: (\d+)/g, chart)).toEqual(numbers(/^EXPOSE (\d+)$/gm, images));
    expect(numbers(/name: data, mountPath: ([\w/]+)/g, chart)).toEqual(numbers(/^VOLUME (.+)$/gm, images));
  });

  test("lets both programs listen on all addresses, of IPv4 and IPv6", () => {
    expect(textOf("containers/Containerfile")).toContain(" SERVICE_LISTEN=:8688\n");
    expect(textOf("chart/templates/server.yaml")).toContain(` --address ${EVERY_ADDRESS} `);
  });

  test("describes every value, and only false for the terminal", () => {
    const schema = JSON.parse(textOf("chart/values.schema.json")) as Schema;
    const keysOf = (value: object) => Object.keys(value).sort();
    for (const [program, values] of Object.entries(dataOf("chart/values.yaml")))
      expect(keysOf(schema.properties![program]!.properties!)).toEqual(keysOf(values));
    const { config } = schema.properties!["service"]!.properties!;
    expect(config!.properties!["terminal"]).toEqual({ enum: [false] });
  });
});

describe.skipIf(helm === null)("helm", () => {
  // It starts for each rendering.
  setDefaultTimeout(60_000);
  const run = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([helm!, ...args]);
    return { exitCode, said: exitCode === 0 ? stdout.toString() : stderr.toString() };
  };
  const rendered = (...settings: string[]) =>
    run("template", "try", CHART, ...settings.flatMap((one) => ["--set", one]));
  const objects = (...settings: string[]) =>
    rendered(...settings)
      .said.split(/^---$/m)
      .flatMap((text) => (Bun.YAML.parse(text) as ClusterObject | null) ?? [])
      .filter(({ kind }) => kind !== undefined);
  const all = ["server.enabled=true", "service.ingress.enabled=true", "service.ingress.host=cairn.example"];

  test("accepts the chart", () => {
    expect(run("lint", "--strict", CHART).exitCode).toBe(0);
  });

  test("renders one pod for each program that is enabled", () => {
    const kinds = (...settings: string[]) =>
      objects(...settings)
        .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
        .sort();
    expect(kinds()).toEqual(["Secret try-service", "Service try-service", "StatefulSet try-service"]);
    expect(kinds(...all)).toEqual([
      "Ingress try-service",
      "Secret try-service",
      "Service try-server",
      "Service try-service",
      "StatefulSet try-server",
      "StatefulSet try-service",
    ]);
    for (const { kind, spec } of objects(...all)) if (kind === "StatefulSet") expect(spec.replicas).toBe(1);
  });

  test("writes settings that the workspace reads, with the public host", () => {
    const secret = objects(...all, "service.config.log_level=warn").find(({ kind }) => kind === "Secret")!;
    const config = Bun.YAML.parse(secret.stringData["config.yaml"]!);
    expect(Value.Check(ConfigFile, config)).toBe(true);
    expect(config).toEqual({
      allowed_hosts: ["cairn.example", "localhost"],
      log_level: "warn",
      terminal: false,
    });
  });

  test("makes names of which pods can have the label, also for the longest name of a release", () => {
    const release = `${"r".repeat(43)}-${"s".repeat(9)}`;
    const { said } = run("template", release, CHART, "--set", "server.enabled=true");
    const names = [...said.matchAll(/^kind: StatefulSet\nmetadata:\n {2}name: (.+)$/gm)].map(
      ([, name]) => name,
    );
    expect(names).toEqual(["server", "service"].map((program) => `${"r".repeat(43)}-${program}`));
  });

  test("sends requests to a pod that answers, also an unhealthy one, because there is no other", () => {
    const probes = objects(...all).flatMap(({ kind, spec }) =>
      kind === "StatefulSet" ? spec.template.spec.containers.map(({ readinessProbe }) => readinessProbe) : [],
    );
    const probe = { tcpSocket: { port: "http" }, periodSeconds: 5 };
    expect(probes).toEqual([probe, probe]);
  });

  test("gets the addresses of both families from the cluster, and listens on them", () => {
    const rendering = objects(...all);
    const policies = rendering.flatMap(({ kind, spec }) => (kind === "Service" ? [spec.ipFamilyPolicy] : []));
    expect(policies).toEqual(["PreferDualStack", "PreferDualStack"]);
    const [init] = rendering.flatMap(({ kind, spec }) => {
      return (kind === "StatefulSet" && spec.template.spec.initContainers) || [];
    });
    const told = 'cairn() { printf "%s\\n" "$@"; }';
    const [shell, flag, script] = init!.command;
    const { stdout } = Bun.spawnSync([shell!, flag!, `${told}\n${script}`], {
      env: { SPACE: "of all", ADMIN: "ada" },
    });
    expect(stdout.toString().trim().split("\n")).toEqual([
      "init",
      "server",
      "--noui",
      "--non-interactive",
      "--address",
      EVERY_ADDRESS,
      "--space",
      "of all",
      "--admin",
      "ada",
    ]);
  });

  test("refuses the terminal, also without its schema", () => {
    for (const value of ["true", "1", "yes"])
      expect(rendered(`service.config.terminal=${value}`).exitCode).toBe(1);
    const { exitCode, said } = run(
      "template",
      "try",
      CHART,
      "--skip-schema-validation",
      "--set",
      "service.config.terminal=on",
    );
    expect(exitCode).toBe(1);
    expect(said).toContain("service.config.terminal: the chart does not enable the terminal");
    expect(rendered("service.config.terminal=false").exitCode).toBe(0);
  });
});
