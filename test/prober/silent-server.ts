// Starts a server at 127.0.0.1 that ignores connections: its queue is full, and its process takes none from it.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const LISTENER = new URL('silent-listener.ts', import.meta.url);
/** More than the queue takes. */
const FILLERS = 8;

export interface SilentServer extends AsyncDisposable {
  readonly port: number;
  /** Takes connections from now on. The system repeats the requests of those that wait. */
  readonly wake: () => void;
}

export const startSilentServer = async (): Promise<SilentServer> => {
  const child = fork(LISTENER);
  const [port] = (await once(child, 'message')) as [number];
  child.kill('SIGSTOP');
  const fillers = Array.from({ length: FILLERS }, () => connect(port, '127.0.0.1').on('error', () => {}));
  // The first connections enter the queue at once.
  await once(fillers[0] as Socket, 'connect');
  return {
    port,
    wake: () => void child.kill('SIGCONT'),
    [Symbol.asyncDispose]: async () => {
      for (const socket of fillers) socket.destroy();
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
};
