// Files that are compiled in as text: `import sql from "./x.sql" with { type: "text" }`.

declare module "*.sql" {
  const text: string;
  export default text;
}

declare module "*.css" {
  const text: string;
  export default text;
}

/** A script that goes to browsers as it is. */
declare module "*/embed/console/enhance.js" {
  const text: string;
  export default text;
}

declare module "*/embed/console/graph.js" {
  const text: string;
  export default text;
}

declare module "*.md" {
  const text: string;
  export default text;
}

declare module "*.txt" {
  const text: string;
  export default text;
}
