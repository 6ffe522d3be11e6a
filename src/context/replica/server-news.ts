// Whether the server has something that this copy does not know. An event says the head of its change, so an event for a change that this copy
// sent, or has brought here already, is no news. Pure.

import type { Head } from "../versioned-store/engine.ts";

export class ServerNews {
  /** Something that no head describes, such as a new rule. */
  #isOpen = true;
  #announced: Head | undefined;
  #known: Head | undefined;

  /** `head`: after the change that happened; undefined: unknown. */
  note(head: Head | undefined): void {
    if (head === undefined || (this.#announced && this.#announced.epoch !== head.epoch)) this.#isOpen = true;
    else if (!this.#announced || this.#announced.seq < head.seq) this.#announced = head;
  }

  get isPending(): boolean {
    return this.#isOpen || (this.#announced !== undefined && !this.#isKnown(this.#announced));
  }

  /** Called before the server is asked: its answer explains everything noted so far. */
  asking(): void {
    this.#isOpen = false;
    this.#announced = undefined;
  }

  /** `head`: everything up to it is here. */
  learned(head: Head): void {
    this.#known = head;
  }

  #isKnown({ epoch, seq }: Head): boolean {
    return this.#known?.epoch === epoch && seq <= this.#known.seq;
  }
}
