// The ownership of workspaces, for the deletion of a user. Runs inside the write that deletes the user.

import { AppError } from "../../kit/error.ts";
import type { OwnedWorkspaces } from "../people/users.ts";
import type { WorkspaceStore } from "./store.ts";

export class Ownership implements OwnedWorkspaces {
  readonly #store: WorkspaceStore;

  constructor(store: WorkspaceStore) {
    this.#store = store;
  }

  releaseUnfinished(userId: number): void {
    this.#store.disownUnfinished.run(userId);
  }

  countOf(userId: number): number {
    return this.#store.countOwnedBy.get(userId)!.count;
  }

  transfer(from: number, to: number): void {
    const clash = this.#store.nameOwnedByBoth.get(from, to);
    if (clash)
      throw new AppError(
        "conflict",
        `the new owner already has a workspace named "${clash.name}"; choose another owner, or delete one of the two`,
      );
    this.#store.transfer.run(to, from);
  }
}
