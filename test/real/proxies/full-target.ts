// Starts a target to which no connection can be made: its queue of connections is full, so it ignores new ones.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Listening } from './listening.ts';

const BLOCKED = new URL('blocked-listener.ts', import.meta.url);
/** More than the queue takes. */
const FILLERS = 8;

export const startFullTarget = async (): Promise<Listening> => {
  const child = fork(BLOCKED);
  const [port] = (await once(child, 'message')) as [number];
  const fillers = Array.from({ length: FILLERS }, () => connect(port, '127.0.0.1').on('error', () => {}));
  // The first connections enter the queue at once. The others wait until the end of the test.
  await once(fillers[0] as Socket, 'connect');
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of fillers) socket.destroy();
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
};
