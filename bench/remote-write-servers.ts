// Serves the remote write benchmark: a target for scrapes, and receivers that count and discard what they get.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { decodeBody } from '../test/remote-write/decode.ts';
import { serve } from './processes.ts';
import { expositionOf } from './remote-write-worker.ts';

export interface Received {
  readonly samples: number;
  readonly bytes: number;
}

const NOTHING: Received = { samples: 0, bytes: 0 };
const SERIES = Number(process.argv[2]);
/** What each sender has sent, by path. */
const received = new Map<string, Received>();
let round = 0;

const receive = async (path: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const body = await buffer(request);
  response.writeHead(204).end();
  const samples = decodeBody(body).reduce((sum, series) => sum + series.samples.length, 0);
  const before = received.get(path) ?? NOTHING;
  received.set(path, { samples: before.samples + samples, bytes: before.bytes + body.length });
};

const server = createServer((request, response) => {
  if (request.method === 'POST') return void receive(request.url ?? '', request, response);
  round += 1;
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(expositionOf(SERIES, round));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
serve((server.address() as AddressInfo).port, ({ path }: { path: string }) => received.get(path) ?? NOTHING);
