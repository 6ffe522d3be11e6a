// The files in a backup of either program.

import { readArchive } from "../../src/kit/backup/archive.ts";

export interface BackupMember {
  name: string;
  bytes: Uint8Array;
}

export async function membersOf(path: string): Promise<BackupMember[]> {
  const members: BackupMember[] = [];
  const keep = async ({ name, content }: { name: string; content: AsyncIterable<Uint8Array> }) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(Buffer.from(piece));
    members.push({ name, bytes: Buffer.concat(pieces) });
  };
  await readArchive(path, keep, new AbortController().signal);
  return members;
}
