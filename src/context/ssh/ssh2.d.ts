// The part of ssh2 that the server uses. The package has no types of its own, and the published ones bring the whole of Node's.

declare module "ssh2" {
  import type { EventEmitter } from "node:events";
  import type { Socket } from "node:net";
  import type { Duplex } from "node:stream";

  interface ParsedKey {
    readonly type: string;
    getPublicSSH(): Buffer;
    verify(data: Buffer, signature: Buffer, hash?: string): boolean | Error;
  }

  interface AuthContext {
    readonly username: string;
    readonly method: string;
    /** Of the method `publickey`. */
    readonly key?: { readonly algo: string; readonly data: Buffer };
    readonly blob?: Buffer;
    readonly signature?: Buffer;
    readonly hashAlgo?: string;
    accept(): void;
    reject(methodsLeft?: readonly string[]): void;
  }

  interface Channel extends Duplex {
    exit(code: number): void;
    close(): void;
    readonly stderr: Duplex;
  }

  interface PtyInfo {
    readonly cols: number;
    readonly rows: number;
    readonly term?: string;
  }

  type Session = EventEmitter;

  interface Connection extends EventEmitter {
    end(): void;
  }

  interface Algorithms {
    readonly kex: readonly string[];
    readonly cipher: readonly string[];
    readonly hmac: readonly string[];
    readonly compress: readonly string[];
  }

  class Server {
    constructor(
      config: {
        readonly hostKeys: readonly string[];
        readonly ident: string;
        readonly algorithms: Algorithms;
      },
      connected: (connection: Connection, peer: { readonly ip: string; readonly port: number }) => void,
    );
    injectSocket(socket: Socket): void;
    on(event: "error", then: (error: unknown) => void): this;
  }

  const ssh2: {
    readonly Server: typeof Server;
    readonly utils: {
      generateKeyPairSync(
        type: "ed25519",
        options?: { readonly comment?: string },
      ): { private: string; public: string };
      parseKey(text: string | Buffer): ParsedKey | Error;
    };
  };
  export default ssh2;
  export type { AuthContext, Channel, Connection, PtyInfo, ParsedKey, Session };
}
