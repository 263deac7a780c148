// Listens with the shortest queue of connections, and then accepts none, as a process of its own.

import { type AddressInfo, createServer } from 'node:net';

/** The process ends by itself if nobody ends it. */
const LONGEST_MS = 600_000;

/** While the thread waits, the process accepts no connection. */
const block = (): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LONGEST_MS);
  process.exit();
};

const server = createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  process.send?.((server.address() as AddressInfo).port, block);
});
