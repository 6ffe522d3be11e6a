// The means of the worst cases' rows: the furnished service, and one request to it whose answer has to be the expected one.

import type { Client } from "../../kit/http/client.ts";
import type { MeasuredServer } from "../../kit/service/measured-server.ts";

export type ServiceCase = (service: FurnishedService) => Promise<void>;

export interface FurnishedService extends AsyncDisposable {
  readonly measured: MeasuredServer;
  readonly admin: Client;
  readonly workspaceId: number;
  readonly agentId: number;
  readonly turnId: number;
  /** Of an image as large as it may be. */
  readonly attachedHash: string;
  readonly modelId: number;
  readonly userId: number;
  /** Of the workspace, in the space. */
  readonly branch: string;
  readonly data: string;
  /** A workspace with as many agents and wires as there may be. */
  readonly crowdedId: number;
  /** A workspace with as many bound instructions as there may be, and one of them, with many versions. */
  readonly libraryId: number;
  readonly instructionId: number;
  /** A workspace with many messages and events as long as they may be. */
  readonly longId: number;
  readonly longAgentId: number;
  /** With many tool calls whose arguments are as long. */
  readonly longTurnId: number;
  /** Of the newest messages. */
  readonly longCallId: number;
  /** Workspaces with long conversations, to be deleted. */
  readonly spareIds: number[];
  /** A turn that begins another branch than all others. */
  readonly forkId: number;
  /** Of the last entries, and of one that has all but the last. */
  readonly calls: readonly [number, number];
}

type Path = (service: FurnishedService) => string;
type Body = (service: FurnishedService) => unknown;

export const asks =
  (method: string, path: Path, status: number, body?: Body): ServiceCase =>
  async (service) => {
    const answer = await service.admin.raw(
      method,
      path(service),
      body ? { body: body(service) as never } : {},
    );
    const text = await answer.text();
    if (answer.status !== status)
      throw new Error(`${method} ${path(service)}: ${answer.status}, not ${status}: ${text.slice(0, 200)}`);
  };
export const get = (path: Path): ServiceCase => asks("GET", path, 200);
export const own =
  (rest: string): Path =>
  ({ workspaceId }) =>
    `/workspaces/${workspaceId}${rest}`;
