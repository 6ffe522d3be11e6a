// Which reply comes next: a queue or a function per model name, `*` for any other name.
// Knows nothing of HTTP. A script that has run out is a mistake of the test and says so.

import type { ModelRequest } from "./conversation.ts";
import type { Reply, ReplyFunction, ScriptItem, Times } from "./script.ts";

export const ANY_MODEL = "*";

export class Scripts {
  private readonly queues = new Map<string, { items: ScriptItem[]; used: number }>();
  private readonly functions = new Map<string, ReplyFunction>();

  add(model: string, items: readonly ScriptItem[]): void {
    const queue = this.queues.get(model) ?? { items: [], used: 0 };
    queue.items.push(...items);
    this.queues.set(model, queue);
  }

  answerWith(model: string, reply: ReplyFunction): void {
    this.functions.set(model, reply);
  }

  names(): string[] {
    const names = new Set([...this.queues.keys(), ...this.functions.keys()]);
    names.delete(ANY_MODEL);
    return [...names].sort();
  }

  knows(model: string): boolean {
    return [model, ANY_MODEL].some((name) => this.queues.has(name) || this.functions.has(name));
  }

  /** Replies not yet asked for, over all models; a function counts as none. */
  left(): number {
    let count = 0;
    for (const { items } of this.queues.values())
      for (const item of items) count += isTimes(item) ? item.count : 1;
    return count;
  }

  /** Takes the next reply. A queue goes before a function, the model's own before `*`. */
  async next(request: ModelRequest): Promise<Reply> {
    for (const name of [request.model, ANY_MODEL]) {
      const item = this.take(name) ?? this.functions.get(name);
      if (item !== undefined) return typeof item === "function" ? await item(request) : item;
    }
    const used = this.queues.get(request.model)?.used ?? 0;
    throw new Error(`the script of model "${request.model}" has run out after ${used} replies`);
  }

  private take(name: string): Reply | ReplyFunction | undefined {
    const queue = this.queues.get(name);
    const item = queue?.items[0];
    if (queue === undefined || item === undefined) return undefined;
    queue.used++;
    if (!isTimes(item)) {
      queue.items.shift();
      return item;
    }
    if (--item.count <= 0) queue.items.shift();
    return item.reply;
  }
}

function isTimes(item: ScriptItem): item is Times {
  return typeof item === "object" && "kind" in item && item.kind === "times";
}
