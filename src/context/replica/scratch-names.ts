// Files that editors and downloads keep for a moment beside the real one. A new file with such a name is not sent; a file that has versions is.

const SCRATCH = [
  /^\..*\.sw[a-z]$/i,
  /^\.#/,
  /^#.*#$/,
  /~$/,
  /^~\$/,
  /^\.~lock\..*#$/,
  /^4913$/,
  /\.(?:tmp|temp|part|crdownload)$/i,
];

export function isScratch(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return SCRATCH.some((pattern) => pattern.test(name));
}
