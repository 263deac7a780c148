// Clients that harm a server, in their own processes, so that no process has too many open files and the test's process
// measures only the server.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What each connection does. */
export interface Behaviour {
  /** How many connections there are. */
  readonly count: number;
  /** Each connection sends the next one of these. */
  readonly requests: readonly string[];
  /** Is sent again and again. */
  readonly drip?: string;
  /** Whether it reads what it gets. */
  readonly isReading?: boolean;
  /** Whether it begins again when the connection has ended. */
  readonly isPersistent?: boolean;
}

/** What the connections have seen. */
export interface Report {
  readonly opened: number;
  /** Number of answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
}

const MAX_PER_PROCESS = 2_500;
const DRIP_MS = 500;
const RETRY_MS = 200;
const SMALL_BYTES = 8_192;
const HEAD_BYTES = 16;

export class HostileClients implements AsyncDisposable {
  readonly #processes: readonly ChildProcess[];

  constructor(port: number, { count, ...behaviour }: Behaviour) {
    const processes = Math.ceil(count / MAX_PER_PROCESS);
    this.#processes = Array.from({ length: processes }, () => {
      const child = fork(import.meta.filename, { execArgv: [] });
      child.send({ port, behaviour: { ...behaviour, count: Math.ceil(count / processes) } });
      return child;
    });
  }

  async report(): Promise<Report> {
    const reports = await Promise.all(this.#processes.map(reportOf));
    const statuses: Record<string, number> = {};
    for (const { statuses: some } of reports)
      for (const [status, count] of Object.entries(some)) statuses[status] = (statuses[status] ?? 0) + count;
    return { opened: reports.reduce((sum, { opened }) => sum + opened, 0), statuses };
  }

  /** Closes all connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.#processes.map((child) => once(child, 'exit'));
    for (const child of this.#processes) child.kill('SIGKILL');
    await Promise.all(ended);
  }
}

const reportOf = async (child: ChildProcess): Promise<Report> => {
  const [[report]] = await Promise.all([once(child, 'message'), child.send('report')]);
  return report;
};

const attack = (
  port: number,
  { count, requests, drip, isReading, isPersistent }: Behaviour,
): (() => Report) => {
  let opened = 0;
  const statuses: Record<string, number> = {};
  const open = (): void => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(requests[opened % requests.length] ?? '');
      opened += 1;
    });
    socket.on('error', () => {});
    if (isReading) socket.on('data', (data) => note(data));
    else socket.pause();
    if (drip !== undefined) dripInto(socket, drip);
    if (isPersistent) socket.on('close', () => setTimeout(open, RETRY_MS));
  };
  const note = (data: Buffer): void => {
    // Only small answers come several at a time, and looking through large ones would take long.
    const head = data.toString('latin1', 0, data.length < SMALL_BYTES ? data.length : HEAD_BYTES);
    for (const [, status = ''] of head.matchAll(/HTTP\/1\.1 (\d+) /g))
      statuses[status] = (statuses[status] ?? 0) + 1;
  };
  for (let index = 0; index < count; index += 1) open();
  return () => ({ opened, statuses });
};

const dripInto = (socket: Socket, drip: string): void => {
  const timer = setInterval(() => socket.write(drip), DRIP_MS);
  socket.on('close', () => clearInterval(timer));
};

if (import.meta.main) {
  let report: (() => Report) | undefined;
  process.on('message', (message: 'report' | { readonly port: number; readonly behaviour: Behaviour }) => {
    if (message === 'report') process.send?.(report?.());
    else report = attack(message.port, message.behaviour);
  });
}
