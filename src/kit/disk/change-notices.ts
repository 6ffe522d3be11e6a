// Whether the system reports every change below a directory. Inotify reports what programs of this machine do: a disk that other machines or the host
// of a virtual machine write to changes without a notice.

import { statfsSync } from "node:fs";

/** The types of `statfs` on Linux (magic.h and the sources of the file systems). FUSE includes virtiofs and what a desktop's containers mount. */
const OTHERS_WRITE: ReadonlySet<number> = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xff534d42, // CIFS
  0xfe534d42, // SMB 2
  0x65735546, // FUSE
  0x01021997, // 9p
  0x786f4256, // VirtualBox shared folders
  0x5346414f, // AFS
  0x6b414653, // AFS of the kernel
  0x00c36400, // Ceph
  0x01161970, // GFS2
  0x7461636f, // OCFS2
  0x0bd00bd0, // Lustre
  0x19830326, // BeeGFS
  0x47504653, // GPFS
]);

/** True also where the system does not say. */
export function noticesEveryChange(directory: string, platform: string = process.platform): boolean {
  if (platform !== "linux") return true;
  try {
    return !OTHERS_WRITE.has(Number(statfsSync(directory).type) >>> 0);
  } catch {
    return true;
  }
}
