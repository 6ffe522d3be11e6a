// Agents' proposals for the library. A proposal takes effect only once a person accepts its exact wording. Anyone who sees its workspace may
// decide; a proposal to change an instruction also requires the right to change it.

import { rfc3339, type Clock, rfc3339OrNull } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, fieldError, notFound } from "../../kit/error.ts";
import { plural } from "../../kit/text/amounts.ts";
import type { Approval } from "../approvals/schema.ts";
import type { Audit } from "../audit/audit.ts";
import type { Journal } from "../journal/journal.ts";
import type { ApprovalEvents } from "../approvals/events.ts";
import type { Caller } from "../identity/caller.ts";
import type { ToolScope } from "../tools/tool.ts";
import type { Access } from "../workspaces/access.ts";
import { contentOf, mayEdit, parseWording, type Instructions, type Wording } from "./instructions.ts";
import type { PendingRow, ProposalRow, ProposalStore } from "./proposal-store.ts";
import { PROPOSALS_OPEN_PER_WORKSPACE_MAX, type DecideProposal, type Proposal } from "./schema.ts";

/** The words of the interface. */
const STATUS_WORDS = { pending: "pending", accepted: "approved", refused: "rejected" } as const;

/** Texts of up to 100,000 characters. */
const PER_PAGE = 10;

interface ProposalsDeps {
  db: Db;
  store: ProposalStore;
  instructions: Instructions;
  access: Access;
  journal: Journal<ApprovalEvents>;
  audit: Audit;
  clock: Clock;
}

export class Proposals {
  readonly #deps: ProposalsDeps;

  constructor(deps: ProposalsDeps) {
    this.#deps = deps;
  }

  /** Yields pending proposals of the workspaces visible to the caller, oldest first. Each page takes a few milliseconds. */
  *pages(caller: Caller): Generator<Proposal[]> {
    const ids = [...this.#visible(caller)].map(({ id }) => id);
    for (let from = 0; from < ids.length; from += PER_PAGE) {
      // Read now, because some may have been decided or hidden meanwhile.
      const sees = this.#deps.access.sight(caller);
      yield ids
        .slice(from, from + PER_PAGE)
        .map((id) => this.#deps.store.byId.get(id))
        .filter((row) => row !== null && row.status === "pending" && sees(row.workspace_id))
        .map((row) => toProposal(row!));
    }
  }

  get(caller: Caller, id: number): Proposal {
    return toProposal(this.#existing(caller, id));
  }

  /** An ApprovalSource of the proposals that the caller may decide. */
  approvals(caller: Caller, limit: number): Approval[] {
    if (caller.agent !== undefined) return [];
    return this.#visible(caller)
      .filter((row) => this.#mayDecide(caller, row))
      .take(limit)
      .map((row) => this.#toApproval(row))
      .toArray();
  }

  /**
   * Runs inside the write of a tool. Proposing the same wording again returns the pending proposal. Raises `invalid`, `refused` (too many
   * pending).
   */
  proposeIn(scope: ToolScope, name: string, text: string): Proposal {
    const { store, instructions, journal, clock } = this.#deps;
    const wording = parseWording(name, text);
    const current = instructions.existingByKey(wording.name.key);
    const same = store.samePending.get(scope.workspaceId, wording.hash, current?.version ?? null);
    if (same) return this.#record(same.id);
    if (current?.name === wording.name.text && current.text === wording.text)
      throw new AppError("refused", `"${current.name}" already has exactly this text`);
    if (store.pendingCount.get(scope.workspaceId)!.count >= PROPOSALS_OPEN_PER_WORKSPACE_MAX) {
      throw new AppError(
        "refused",
        `this workspace already has ${PROPOSALS_OPEN_PER_WORKSPACE_MAX} pending proposals`,
      );
    }
    const { id } = store.insert.get({
      workspace_id: scope.workspaceId,
      instruction_id: current?.id ?? null,
      base_version: current?.version ?? null,
      name: wording.name.text,
      name_key: wording.name.key,
      text: wording.text,
      hash: wording.hash,
      agent: scope.agentName,
      user_id: scope.caller.userId,
      user_name: scope.caller.name,
      turn_id: scope.turnId,
      tainted: scope.tainted ? 1 : 0,
      characters: lengthOf(wording.text),
      created_at: clock.now(),
    })!;
    journal.append(scope.workspaceId, scope.turnId, "approval.requested", {
      approval: this.#toApproval(store.byId.get(id)!),
    });
    return this.#record(id);
  }

  /** Raises `not_found`, `forbidden`, `conflict` (already decided, different wording, or the instruction changed since). */
  decide(caller: Caller, id: number, input: DecideProposal): Promise<Proposal> {
    const { db, store, journal, audit, clock } = this.#deps;
    return db.write(() => {
      const row = this.#existing(caller, id);
      if (caller.agent !== undefined)
        throw new AppError("forbidden", "only a person may decide on a proposal");
      // Everyone who sees it sees its status, and who may decide depends on the instruction that an acceptance made.
      if (row.status !== "pending")
        throw new AppError("conflict", `this proposal is already ${STATUS_WORDS[row.status]}`);
      if (!this.#mayDecide(caller, row))
        throw new AppError(
          "forbidden",
          "only the instruction's author or an admin may decide on a change to it",
        );
      if (input.content_hash !== undefined && input.content_hash !== row.hash) {
        throw fieldError("conflict", "content_hash", "not the hash of this proposal; review it again");
      }
      const status = input.decision === "accept" ? "accepted" : "refused";
      const wording = parseWording(row.name, row.text);
      if (status === "accepted") this.#putInForce(caller, row, wording);
      store.decide.run({
        id,
        status,
        decided_by: caller.name,
        decided_auth: caller.auth,
        decided_at: clock.now(),
      });
      const detail = { workspace: row.workspace_id, proposed_by: row.agent, name: row.name };
      audit.record(caller, {
        action: `instruction-proposal.${input.decision}`,
        target: `instruction-proposal:${id}`,
        detail,
        content: contentOf(wording),
      });
      journal.append(row.workspace_id, row.turn_id, "approval.decided", {
        kind: "instruction",
        id,
        decision: status,
        by: caller.name,
        auth: caller.auth,
        reason: null,
        content_hash: row.hash,
        subject: row.name,
        version: null,
        agent: row.agent,
        requested_at: rfc3339(row.created_at),
      });
      return this.#record(id);
    });
  }

  #putInForce(caller: Caller, row: ProposalRow, wording: Wording): void {
    const { instructions } = this.#deps;
    const current = instructions.existingByKey(row.name_key);
    if ((current?.version ?? null) !== row.base_version || (current?.id ?? null) !== row.instruction_id) {
      throw new AppError(
        "conflict",
        `"${row.name}" has changed since this was proposed; reject it and ask for a new proposal`,
      );
    }
    if (current) instructions.updateIn(caller, current, wording, row.agent);
    else instructions.createIn(caller, wording, row.agent);
  }

  #visible(caller: Caller): IteratorObject<PendingRow> {
    const sees = this.#deps.access.sight(caller);
    return this.#deps.store.pending
      .all()
      .values()
      .filter((row) => sees(row.workspace_id));
  }

  #existing(caller: Caller, id: number): ProposalRow {
    const row = this.#deps.store.byId.get(id);
    if (!row || !this.#deps.access.sees(caller, row.workspace_id)) throw notFound("instruction proposal", id);
    return row;
  }

  /** Anyone who sees the workspace may decide on a new instruction; a change requires its author or an admin. */
  #mayDecide(caller: Caller, row: PendingRow): boolean {
    const current = this.#deps.instructions.authorOf(row.name_key);
    return current === null || mayEdit(caller, current);
  }

  #record(id: number): Proposal {
    return toProposal(this.#deps.store.byId.get(id)!);
  }

  #toApproval(row: PendingRow): Approval {
    const kind = row.base_version === null ? "a new instruction" : `a change to version ${row.base_version}`;
    const bound = row.instruction_id === null ? 0 : this.#deps.instructions.boundCount(row.instruction_id);
    const facts = [`It is ${kind}, ${row.characters} characters long.`];
    if (bound > 0) facts.push(`It is bound in ${plural(bound, "place")} and will be part of those prompts.`);
    if (row.tainted === 1) facts.push("It was written after the turn had read text from outside.");
    return {
      kind: "instruction",
      id: row.id,
      title:
        row.base_version === null
          ? `Add the instruction "${row.name}"`
          : `Change the instruction "${row.name}"`,
      subject: row.name,
      facts,
      callers: null,
      content_hash: row.hash,
      workspace_id: row.workspace_id,
      agent: row.agent,
      requested_by: row.user_name,
      requested_at: rfc3339(row.created_at),
      expires_at: null,
      decide: { method: "POST", path: `/api/v1/instruction-proposals/${row.id}/decision` },
    };
  }
}

function toProposal(row: ProposalRow): Proposal {
  const { id, workspace_id, instruction_id, base_version, name, text, agent, turn_id, status, decided_by } =
    row;
  return {
    id,
    workspace_id,
    instruction_id,
    base_version,
    name,
    text,
    content_hash: row.hash,
    agent,
    requested_by: row.user_name,
    turn_id,
    tainted: row.tainted === 1,
    status,
    decided_by,
    decided_at: rfc3339OrNull(row.decided_at),
    created_at: rfc3339(row.created_at),
  };
}

/** Counts code points without making an array of them. */
function lengthOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
