// The places of memory in the space: a folder for each workspace, in it one that all its agents share and one for each agent. Agents name documents
// `shared/…` and `mine/…`; nothing else of the space can be named this way.

import type { Db } from "../../kit/storage/db.ts";
import { AppError } from "../../kit/error.ts";
import { foldedPath, parseDocumentPath, pathProblem } from "../../kit/text/paths.ts";
import { pathSegment } from "../workspaces/branch-names.ts";
import type { BranchedWorkspace } from "../workspaces/access.ts";
import type { MemoryStore } from "./store.ts";

export const SHARED = "shared";
export const MINE = "mine";

/** The folders of one agent's memory, without a slash at the end. */
export interface AgentBranches {
  readonly shared: string;
  readonly own: string;
}

export class Branches {
  readonly #db: Db;
  readonly #store: MemoryStore;

  constructor(db: Db, store: MemoryStore) {
    this.#db = db;
    this.#store = store;
  }

  /** The agent's folder gets its name here, the first time. */
  async of(
    workspace: BranchedWorkspace,
    agent: { readonly id: number; readonly name: string },
  ): Promise<AgentBranches> {
    const known = this.#store.agentBranch.get(agent.id);
    const { branch } = known ?? (await this.#db.write(() => this.#named(workspace.id, agent)));
    return { shared: workspace.shared_branch, own: `${workspace.branch}/agents/${branch}` };
  }

  /** Undefined: this agent never had a folder, so there is nothing in it. */
  known(workspace: BranchedWorkspace, agentId: number): AgentBranches | undefined {
    const known = this.#store.agentBranch.get(agentId);
    return known
      ? { shared: workspace.shared_branch, own: `${workspace.branch}/agents/${known.branch}` }
      : undefined;
  }

  #named(
    workspaceId: number,
    { id, name }: { readonly id: number; readonly name: string },
  ): { branch: string } {
    const known = this.#store.agentBranch.get(id);
    if (known) return known;
    const plain = pathSegment(name);
    const isFree = pathProblem(plain) === undefined && !this.#store.agentWithBranch.get(workspaceId, plain);
    // Another agent had this name before, or it is none that a folder can have.
    const branch = isFree ? plain : `${plain.replace(/[. ]+$/, "")}-${id}`;
    this.#store.insertAgentBranch.run({ agent_id: id, workspace_id: workspaceId, branch });
    return { branch };
  }
}

/** Turns the name that an agent uses into a path of the space. Raises `invalid` with what is allowed. */
export function pathOf(branches: AgentBranches, name: string): string {
  const slash = name.indexOf("/");
  const root = name.slice(0, slash);
  const rest = name.slice(slash + 1);
  if (slash < 0 || (root !== SHARED && root !== MINE) || rest === "")
    throw new AppError(
      "invalid",
      `"${name}": names begin with ${SHARED}/ or ${MINE}/, for example ${SHARED}/plan.md`,
    );
  return parseDocumentPath("path", `${root === SHARED ? branches.shared : branches.own}/${rest}`);
}

/** Turns a path of the space into the name that an agent uses; undefined: outside its memory. */
export function nameOf(branches: AgentBranches, path: string): string | undefined {
  for (const [root, folder] of [
    [SHARED, branches.shared],
    [MINE, branches.own],
  ] as const)
    if (path.startsWith(`${folder}/`)) return `${root}${path.slice(folder.length)}`;
  return undefined;
}

/** Reports whether a path lies in the memory of a workspace other than this one. */
export function isForeign(workspace: Pick<BranchedWorkspace, "branch">, path: string): boolean {
  const folded = foldedPath(path);
  return folded.startsWith("workspaces/") && !folded.startsWith(`${foldedPath(workspace.branch)}/`);
}
