// Goal: the user at the other end of a loopback connection is found in the kernel's table, and nobody is taken for another one.

import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { ownerIn, peerOwner, type PeerOwner } from "../../../src/kit/network/peer-owner.ts";
import { eventually } from "../../kit/eventually.ts";

/** As the kernel writes it: 127.0.0.1:40000 → 127.0.0.1:8743 of user 1001, and both ends of others. */
const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2227 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 11 1 0000000000000000 100 0 0 10 0
   1: 0100007F:2227 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 12 1 0000000000000000 20 4 30 10 -1
   2: 0100007F:9C40 0100007F:2227 01 00000000:00000000 02:000AF2A8 00000000  1001        0 13 2 0000000000000000 20 4 0 10 -1
   3: 0A00000A:9C41 0100007F:2227 01 00000000:00000000 00:00000000 00000000  1002        0 14 1 0000000000000000 20 4 30 10 -1
   4: 0100007F:9C44 0100007F:2227 05 00000000:00000000 00:00000000 00000000     0        0 0 1 0000000000000000 20 4 30 10 -1
   5: 0100007F:9C42 0100007F:2228 01 00000000:00000000 00:00000000 00000000  1003        0 15 1 0000000000000000 20 4 30 10 -1
`;
const TABLE6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000001000000:9C40 00000000000000000000000001000000:2227 01 00000000:00000000 00:00000000 00000000  1004        0 16 1 0000000000000000 20 4 30 10 -1
   1: 0000000000000000FFFF00000100007F:9C41 0000000000000000FFFF00000100007F:2227 01 00000000:00000000 00:00000000 00000000  1005        0 17 1 0000000000000000 20 4 30 10 -1
`;

test.each<[string, string, number, PeerOwner]>([
  ["the other end", TABLE, 40_000, 1001],
  ["an address that is not loopback", TABLE, 40_001, undefined],
  ["a connection to another port", TABLE, 40_002, undefined],
  ["no connection", TABLE, 40_003, undefined],
  ["a closed end, which root seems to own", TABLE, 40_004, "gone"],
  ["IPv6", TABLE6, 40_000, 1004],
  ["IPv4 inside IPv6", TABLE6, 40_001, 1005],
  ["no table", "", 40_000, undefined],
])("%s", (_, table, peer, owner) => {
  expect(ownerIn(table, { peer, own: 8743 })).toBe(owner);
});

const onLinux = test.skipIf(process.platform !== "linux");

describe.each(["127.0.0.1", "::1"])("a real connection over %s", (address) => {
  const connected = async () => {
    const opened = Promise.withResolvers<void>();
    const server = Bun.listen({
      hostname: address,
      port: 0,
      socket: { open: () => opened.resolve(), data: () => {}, end: () => {} },
      allowHalfOpen: true,
    });
    const client = connect({ host: address, port: server.port });
    await Promise.all([opened.promise, once(client, "connect")]);
    const peer = client.localPort!;
    return {
      client,
      owner: () => peerOwner({ address, peer, own: server.port }),
      [Symbol.dispose]() {
        client.destroy();
        server.stop(true);
      },
    };
  };

  onLinux("belongs to the user of this test, and to nobody once it is closed", async () => {
    using one = await connected();
    expect(one.owner()).toBe(process.getuid!());
    one.client.destroy();
    await eventually(() => one.owner(), "gone");
  });
});

onLinux("no connection at all belongs to nobody", () => {
  expect(peerOwner({ address: "127.0.0.1", peer: 1, own: 2 })).toBe("gone");
});
