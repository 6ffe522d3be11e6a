// Paths of documents in the memory of a workspace, and the addresses that show them. Pure.

/** `workspaces/lab-1/shared/plan.md` → `shared/plan.md`; any other path stays as it is. */
export function pathInBranch(branch: string, path: string): string {
  return path.startsWith(`${branch}/`) ? path.slice(branch.length + 1) : path;
}

/** The address of a document in the Memory view, or of what one version of it changed. */
export function memoryHref(workspaceId: number, branch: string, path: string, version?: number): string {
  const params = new URLSearchParams({ document: pathInBranch(branch, path) });
  if (version !== undefined) params.set("version", String(version));
  return `/workspaces/${workspaceId}/memory?${params}`;
}
