// Asks the kernel for one TCP socket of this machine (sock_diag(7)). The answer takes microseconds, however many sockets there are. Linux only.

import { ptr, type Library } from "bun:ffi";
import { systemCalls } from "../c-library.ts";

const SYMBOLS = {
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  send: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
  recv: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
} as const;

const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
/** A datagram socket that children do not inherit. */
const SOCK_DGRAM_CLOEXEC = 2 | 0o2000000;
const NETLINK_SOCK_DIAG = 4;
const MSG_DONTWAIT = 0x40;
const TCP = 6;
const SOCK_DIAG_BY_FAMILY = 20;
const NLM_F_REQUEST = 1;
const ANY = 0xffffffff;

/** `struct nlmsghdr` (16 bytes), then `struct inet_diag_req_v2` (56). Ports and addresses are in network order, the rest in that of the machine. */
const REQUEST_BYTES = 72;
const AT = { length: 0, type: 4, flags: 6, sequence: 8, family: 16, protocol: 17, states: 20 } as const;
const ID = { port: 24, peerPort: 26, address: 28, peerAddress: 44, cookie: 64 } as const;
/** Of the answer: the same header, then `struct inet_diag_msg`. */
const FOUND = { port: 20, peerPort: 22, user: 80, inode: 84, bytes: 88 } as const;
const ANSWER_BYTES = 512;
/** 127.0.0.1 and ::1. */
export const LOOPBACK = { 4: [127, 0, 0, 1], 6: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] } as const;

const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

interface Channel {
  readonly descriptor: number;
  readonly calls: Library<typeof SYMBOLS>["symbols"];
}

interface FoundSocket {
  /** The ID of its user. */
  readonly user: number;
  /** False: its program has closed it. */
  readonly isOpen: boolean;
}

let channel: Channel | null | undefined;
let sequence = 0;

/** Returns the socket with the port `port` on loopback whose other end has the port `peerPort`; undefined: there is none, or the system does not tell. */
export function loopbackSocket(version: 4 | 6, port: number, peerPort: number): FoundSocket | undefined {
  return foundSocket({ version, address: LOOPBACK[version], port, peerPort });
}

/** Returns the socket that takes connections to this address of this machine; undefined as above. `address`: 4 or 16 bytes. */
export function listeningSocket(
  version: 4 | 6,
  address: readonly number[],
  port: number,
): FoundSocket | undefined {
  return foundSocket({ version, address, port, peerPort: 0 });
}

interface Wanted {
  readonly version: 4 | 6;
  /** Of both ends. */
  readonly address: readonly number[];
  readonly port: number;
  readonly peerPort: number;
}

function foundSocket(wanted: Wanted): FoundSocket | undefined {
  const { port, peerPort } = wanted;
  channel ??= opened();
  if (channel === null) return undefined;
  sequence = (sequence + 1) >>> 0;
  const { calls, descriptor } = channel;
  const answer = new DataView(new ArrayBuffer(ANSWER_BYTES));
  calls.send(descriptor, ptr(requestFor(wanted)), REQUEST_BYTES, 0);
  // The kernel has answered when `send` returns.
  const bytes = Number(calls.recv(descriptor, ptr(answer), ANSWER_BYTES, MSG_DONTWAIT));
  // An error is shorter.
  if (bytes < FOUND.bytes || answer.getUint32(AT.sequence, littleEndian) !== sequence) return undefined;
  if (answer.getUint16(AT.type, littleEndian) !== SOCK_DIAG_BY_FAMILY) return undefined;
  // Without such a connection, the kernel finds a socket that listens on the port.
  if (answer.getUint16(FOUND.port) !== port || answer.getUint16(FOUND.peerPort) !== peerPort)
    return undefined;
  return {
    user: answer.getUint32(FOUND.user, littleEndian),
    isOpen: answer.getUint32(FOUND.inode, littleEndian) !== 0,
  };
}

function requestFor({ version, address, port, peerPort }: Wanted): DataView {
  const view = new DataView(new ArrayBuffer(REQUEST_BYTES));
  view.setUint32(AT.length, REQUEST_BYTES, littleEndian);
  view.setUint16(AT.type, SOCK_DIAG_BY_FAMILY, littleEndian);
  view.setUint16(AT.flags, NLM_F_REQUEST, littleEndian);
  view.setUint32(AT.sequence, sequence, littleEndian);
  view.setUint8(AT.family, version === 4 ? AF_INET : AF_INET6);
  view.setUint8(AT.protocol, TCP);
  view.setUint32(AT.states, ANY, littleEndian);
  view.setUint16(ID.port, port);
  view.setUint16(ID.peerPort, peerPort);
  for (const at of [ID.address, ID.peerAddress])
    for (const [index, byte] of address.entries()) view.setUint8(at + index, byte);
  view.setUint32(ID.cookie, ANY);
  view.setUint32(ID.cookie + 4, ANY);
  return view;
}

function opened(): Channel | null {
  const calls = systemCalls(SYMBOLS);
  if (calls === null) return null;
  const descriptor = calls.socket(AF_NETLINK, SOCK_DGRAM_CLOEXEC, NETLINK_SOCK_DIAG);
  return descriptor < 0 ? null : { descriptor, calls };
}
