// A person who can sign in through the login page: a user with a password, and a client that acts as them.

import { createClient, type Client } from "../http/client.ts";

export interface Person {
  readonly id: number;
  readonly name: string;
  readonly password: string;
  readonly token: string;
  readonly client: Client;
}

export async function createPerson(admin: Client, name: string, role = "member"): Promise<Person> {
  const password = `password of ${name}`;
  const { user } = await admin.post("/users", { name, role });
  await admin.put(`/users/${user.id}/password`, { password });
  // Setting a password revokes the tokens that were there.
  const { token } = await admin.post(`/users/${user.id}/tokens`);
  return { id: user.id, name, password, token, client: createClient(admin.url, token) };
}
