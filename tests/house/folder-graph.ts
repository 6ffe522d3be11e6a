// The import graph below a folder as data: which folder or file imports which, and where imports form a circle. Type imports count: a
// circle of types is as hard to read as any other.

import { importsOf, type Rule, type SourceFile } from "./source.ts";

/** From a node to the nodes that it imports, each with one import as evidence. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * The folders right below `root`, and its own files as nodes of their own. `root` has no trailing slash: `web`, `src/service`.
 */
export function folderGraph(files: readonly SourceFile[], root: string): Graph {
  return graphOf(files, root, (path) => {
    const [folder, ...rest] = path.slice(root.length + 1).split("/");
    return rest.length > 0 ? `${root}/${folder}` : path;
  });
}

function fileGraph(files: readonly SourceFile[], root: string): Graph {
  return graphOf(files, root, (path) => path);
}

function graphOf(files: readonly SourceFile[], root: string, nodeOf: (path: string) => string): Graph {
  const graph = new Map<string, Map<string, string>>();
  const isInside = (path: string) => path.startsWith(`${root}/`);
  for (const file of files.filter(({ path }) => isInside(path))) {
    const from = nodeOf(file.path);
    const edges = graph.get(from) ?? new Map<string, string>();
    graph.set(from, edges);
    for (const { target } of importsOf(file)) {
      const to = isInside(target) ? nodeOf(target) : from;
      if (to !== from && !edges.has(to)) edges.set(to, `${file.path} imports ${target}`);
    }
  }
  return graph;
}

/** Every set of nodes that reach each other, by name (Tarjan's strongly connected components). */
export function circlesOf(graph: Graph): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string) => {
    order.set(node, order.size);
    lowest.set(node, order.get(node)!);
    stack.push(node);
    for (const next of graph.get(node)?.keys() ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node)!, lowest.get(next)!));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const circle = stack.splice(stack.indexOf(node));
    if (circle.length > 1) circles.push(circle.toSorted());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return circles;
}

/** One sentence for each circle, with the imports that close it. */
function sentences(graph: Graph): string[] {
  return circlesOf(graph).map((circle) => {
    const imports = circle.flatMap((from) =>
      circle.flatMap((to) => graph.get(from)?.get(to) ?? []).map((found) => `  ${found}`),
    );
    return [`${circle.join(", ")} import each other:`, ...imports].join("\n");
  });
}

export const acyclicFolders =
  (root: string): Rule =>
  (files) =>
    sentences(folderGraph(files, root));

export const acyclicFiles =
  (root: string): Rule =>
  (files) =>
    sentences(fileGraph(files, root));
