// A workplace where lock 1 of web search is open: the switch, a key, a container daemon that answers (a stand-in: nothing runs in a
// container here), and a search service on this machine. Grants and decisions are the test's own.

import { join } from "node:path";
import type { EgressGrant, EgressRequest } from "../../src/service/egress/schema.ts";
import type { Client } from "./client.ts";
import { temporaryFolder } from "./folder.ts";
import { searchService, type SearchService } from "./search-service.ts";
import { testService, type TestService, type TestServiceOptions } from "./service.ts";
import { workplace, type Workplace } from "./workplace.ts";

/** The stand-in for docker is a shell script. */
export const searchable = process.platform !== "win32";

export interface SearchLab extends Workplace {
  readonly service: SearchService;
  readonly data: string;
  grant(agentId?: number): Promise<EgressGrant>;
  /** Waits until so many searches wait for a person. */
  pending(count?: number): Promise<EgressRequest[]>;
  decide(request: EgressRequest, decision: "approve" | "refuse", client?: Client): Promise<EgressRequest>;
  /** Stops the service and starts it again on the same data. */
  restart(): Promise<TestService>;
}

const POLL_MS = 5;

export async function searchLab(options: TestServiceOptions & { config?: string } = {}): Promise<SearchLab> {
  const { config = "egress: true\negress_key: canary-search-key\nsandbox: docker\n", ...rest } = options;
  const folder = await temporaryFolder();
  const service = searchService();
  const docker = await folder.write("bin/docker", '#!/bin/sh\n[ "$1" = version ] && echo 1.0\n');
  Bun.spawnSync(["chmod", "755", docker]);
  const data = join(folder.path, "data");
  await folder.write("data/config.yaml", config);
  const settings = {
    ...rest,
    data,
    network: service.network,
    environment: {
      PATH: join(folder.path, "bin") + ":/bin:/usr/bin",
      TMPDIR: folder.path,
      ...rest.environment,
    },
  };
  const lab = await workplace("anthropic", settings);
  let at = lab.at;
  const admin = () => at.admin;
  return {
    ...lab,
    service,
    data,
    grant: (agentId = lab.orchestratorId) =>
      admin().post(`/workspaces/${lab.workspaceId}/egress`, { agent_id: agentId }),
    async pending(count = 1) {
      for (;;) {
        const waiting = await admin().get("/egress/pending");
        if (waiting.length >= count) return waiting;
        await Bun.sleep(POLL_MS);
      }
    },
    decide: (request, decision, client = admin()) =>
      client.post(`/egress/requests/${request.id}/decision`, { decision, query_hash: request.query_hash }),
    async restart() {
      await at.service.stop("test");
      return (at = await testService(settings));
    },
    async [Symbol.asyncDispose]() {
      await at[Symbol.asyncDispose]();
      await lab[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
