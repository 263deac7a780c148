// Listens with the shortest queue of connections, as a process of its own that a test can stop.

import { type AddressInfo, createServer } from 'node:net';

const server = createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  process.send?.((server.address() as AddressInfo).port);
});
// Without its parent, nobody ends it.
process.on('disconnect', () => process.exit());
