// What changed between two versions of a text.

export interface FileDiff {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly added: number;
  readonly removed: number;
  /** Unified, three lines around each change. */
  readonly text: string;
}

interface Side {
  readonly version: number;
  readonly text: string;
}

export async function diffOf(path: string, from: Side, to: Side): Promise<FileDiff> {
  // Needed by few, so loaded by those.
  const { createTwoFilesPatch, diffLines } = await import("diff");
  const parts = diffLines(from.text, to.text);
  const count = (which: "added" | "removed") =>
    parts.filter((part) => part[which]).reduce((sum, part) => sum + part.count, 0);
  const names = [`${path} v${from.version}`, `${path} v${to.version}`] as const;
  const text = createTwoFilesPatch(...names, from.text, to.text, undefined, undefined, { context: 3 });
  return {
    path,
    from: from.version,
    to: to.version,
    added: count("added"),
    removed: count("removed"),
    text,
  };
}
