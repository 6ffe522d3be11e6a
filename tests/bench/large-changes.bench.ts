// Large changes on servers that hold much: how long each takes, and the longest time that it keeps the serving thread from everyone else, in
// processor time (tests/kit/service/measured-server.ts). Each is measured several times and the median is printed.

import { BATCH_OPERATIONS_MAX } from "../../src/context/versioned-store/schema.ts";
import { furnishedContext, type Furnished } from "../binary/worst-case/context-rows.ts";
import { furnishedService } from "../binary/worst-case/furnished-service.ts";
import { SERVICE_ROWS } from "../binary/worst-case/service-rows.ts";
import type { MeasuredServer } from "../kit/service/measured-server.ts";
import { figure, median, type Row } from "./row.ts";

const SPACE = "/spaces/team";
/** Restores change all these files. */
const PUSHES = 12;
const RESTORED_FILES = PUSHES * BATCH_OPERATIONS_MAX;
const TIMES = 3;
const LONGEST_MS_MAX = 20;

interface Measured {
  readonly took: number;
  readonly longest: number;
}

export async function run(): Promise<Row[]> {
  return [...(await contextRows()), ...(await serviceRows())];
}

async function contextRows(): Promise<Row[]> {
  await using server = await furnishedContext();
  const restores: Measured[] = [];
  await rewrite(server, 0);
  const { id } = await server.admin.post(`${SPACE}/snapshots`, { name: "first" });
  for (let time = 1; time <= TIMES; time += 1) {
    await rewrite(server, time);
    restores.push(
      await timed(server.measured, () => server.admin.post(`${SPACE}/snapshots/${id}/restore`, {})),
    );
  }
  const pushes: Measured[] = [];
  for (let time = 0; time < TIMES; time += 1)
    pushes.push(
      await timed(server.measured, () => server.admin.post(`${SPACE}/push`, pushOf(0, `pushed ${time}`))),
    );
  return [
    ...rowsOf(`restore of ${RESTORED_FILES.toLocaleString("en-US")} files`, restores),
    ...rowsOf(`push of ${BATCH_OPERATIONS_MAX.toLocaleString("en-US")} files`, pushes),
  ];
}

async function serviceRows(): Promise<Row[]> {
  await using service = await furnishedService();
  const { admin, measured, crowdedId } = service;
  const clones: Measured[] = [];
  for (let time = 0; time < TIMES; time += 1)
    clones.push(
      await timed(measured, () => admin.post(`/workspaces/${crowdedId}/clone`, { name: `clone ${time}` })),
    );
  const deletions: Measured[] = [];
  const deletion =
    SERVICE_ROWS["DELETE /workspaces/{id}"]!["a long conversation, until its last row is gone"]!;
  for (let time = 0; time < TIMES; time += 1) deletions.push(await timed(measured, () => deletion(service)));
  return [
    ...rowsOf("clone of a workspace with the most agents and wires", clones),
    ...rowsOf("deletion of a workspace with a long conversation, to its last row", deletions),
  ];
}

async function rewrite(server: Furnished, time: number): Promise<void> {
  for (let push = 0; push < PUSHES; push += 1)
    await server.admin.post(`${SPACE}/push`, pushOf(push, `rewritten ${time}`));
}

function pushOf(push: number, text: string) {
  const ops = Array.from({ length: BATCH_OPERATIONS_MAX }, (_, index) => ({
    op: "put",
    path: `restored/${push}/${index % 20}/${index}.md`,
    content_b64: Buffer.from(
      `# ${index}\n\nSee [[${index}]]: ${text} ${"and so on. ".repeat(40)}\n`,
    ).toString("base64"),
  }));
  return { ops };
}

async function timed(server: MeasuredServer, act: () => Promise<unknown>): Promise<Measured> {
  let took = 0;
  const longest = await server.longestStretch(async () => {
    const started = performance.now();
    await act();
    took = performance.now() - started;
  });
  return { took, longest };
}

function rowsOf(name: string, all: readonly Measured[]): Row[] {
  const typical = (of: (one: Measured) => number) => median(all.map(of));
  const longest = typical((one) => one.longest);
  return [
    figure(
      name,
      typical(({ took }) => took),
    ),
    figure("its longest stretch of the serving thread", longest, { atMost: LONGEST_MS_MAX }),
  ];
}
