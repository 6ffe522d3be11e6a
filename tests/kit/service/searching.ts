// A workplace where lock 1 of web search is open: the switch, a key, a container daemon that answers (a stand-in: nothing runs in a
// container here), and a search service on this machine. Grants and decisions are the test's own.

import type { EgressRequest } from "../../../src/service/egress/schema.ts";
import { until } from "../eventually.ts";
import { temporaryFolder } from "../folder.ts";
import { searchService } from "./search-service.ts";
import { type ServiceOptions, world } from "./world.ts";

/** The stand-in for docker is a shell script. */
export const searchable = process.platform !== "win32";

export type SearchLab = Awaited<ReturnType<typeof searchLab>>;

const CONFIG = "egress: true\negress_key: canary-search-key\nsandbox: docker\n";

export async function searchLab({ config = CONFIG, ...options }: ServiceOptions & { config?: string } = {}) {
  const folder = await temporaryFolder();
  const service = searchService();
  const docker = await folder.write("bin/docker", '#!/bin/sh\n[ "$1" = version ] && echo 1.0\n');
  Bun.spawnSync(["chmod", "755", docker]);
  await folder.write("data/config.yaml", config);
  const PATH = `${folder.path}/bin:/bin:/usr/bin`;
  const at = await world({
    model: true,
    ...options,
    data: `${folder.path}/data`,
    network: service.network,
    environment: { PATH, TMPDIR: folder.path, ...options.environment },
    under: [folder, service],
  });
  return Object.assign(at, {
    service,
    grant: (agentId = at.orchestratorId) => at.admin.post(`${at.own}/egress`, { agent_id: agentId }),
    /** Waits until this many searches wait for a person. */
    pending: (count = 1): Promise<EgressRequest[]> =>
      until(async () => {
        const waiting = await at.admin.get("/egress/pending");
        return waiting.length >= count && waiting;
      }) as Promise<EgressRequest[]>,
    decide: (request: EgressRequest, decision: "approve" | "refuse", client = at.admin) =>
      client.post(`/egress/requests/${request.id}/decision`, { decision, query_hash: request.query_hash }),
  });
}
