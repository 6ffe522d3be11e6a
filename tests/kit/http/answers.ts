// The answer of each route, by method and address, from the types of the routes themselves: `Answer<ServiceRoutes, "get", "/users">`.

import type { createRoutes as contextRoutes } from "../../../src/context/server.ts";
import type { createRoutes as serviceRoutes } from "../../../src/service/server.ts";

export type ServiceRoutes = ReturnType<typeof serviceRoutes>["~Routes"]["api"]["v1"];
export type ContextRoutes = ReturnType<typeof contextRoutes>["~Routes"]["api"]["v1"];

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** `unknown` where the address does not tell the route. */
export type Answer<Routes, M extends Method, Address extends string> = string extends Address
  ? unknown
  : Success<RouteAt<Routes, WithoutQuery<Address>>, M>;

type WithoutQuery<Address extends string> = Address extends `/${infer Path}?${string}`
  ? Path
  : Address extends `/${infer Path}`
    ? Path
    : never;

type RouteAt<Node, Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? RouteAt<Below<Node, Segment>, Rest>
  : Below<Node, Path>;

type Below<Node, Segment extends string> = Segment extends keyof Node
  ? Node[Segment]
  : [NameOf<Node, Segment>] extends [never]
    ? { [Key in keyof Node]: Key extends `:${string}` | "*" ? Node[Key] : never }[keyof Node]
    : Node[NameOf<Node, Segment>];

/** The name that an unknown text follows, such as a query that may be empty. */
type NameOf<Node, Segment extends string> = {
  [Key in keyof Node & string]: Segment extends `${Key}${infer Rest}`
    ? string extends Rest
      ? Key
      : never
    : never;
}[keyof Node & string];

type Success<Route, M extends Method> = [Route] extends [never]
  ? unknown
  : Route extends Record<M, { response: infer Responses }>
    ? JsonOf<Responses[keyof Responses & (200 | 201 | 202)]>
    : unknown;

/** A route that also answers with a stream is asked for JSON. */
type JsonOf<Body> = [Exclude<Body, Response>] extends [never] ? unknown : Exclude<Body, Response>;
