// Tests clients that send or read slowly, that send many requests at a time, and what the log says about them.

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  ANSWER_TIMEOUT_MS,
  MAX_PIPELINED,
  MAX_SILENT_CONNECTIONS,
  MAX_UNREAD_TEXT,
} from '../../src/http/limits.ts';
import { MINUTE } from '../../src/lib/time.ts';
import { HEALTHY, HOST, open, openMany, readRest, requestWithoutReading, statusesIn } from './raw-client.ts';
import { BODY, startServer, type TestServer } from './support.ts';

const CHUNK = Buffer.alloc(64 * 1024, 'x');
const SCRAPE = `GET /metrics HTTP/1.1\r\n${HOST}\r\n`;
const LAST_SCRAPE = SCRAPE.replace(HOST, `${HOST}Connection: close\r\n`);
/** Times in ms. They are so short that a test can wait for them. */
const SHORT = {
  headersTimeout: 100,
  requestTimeout: 100,
  connectionsCheckingInterval: 20,
  connectionTimeout: 100,
};

const warnings = ({ lines }: TestServer) => lines.filter(({ level }) => level === 'warn');
const levels = ({ lines }: TestServer) =>
  lines.map(({ level }) => level).filter((level) => level !== 'trace');

/** More than all buffers between the server and a client take. */
const endless = (): Readable =>
  new Readable({
    read() {
      this.push(CHUNK);
    },
  });

describe('requests on one connection', () => {
  const startHeld = async () => {
    const release = Promise.withResolvers<void>();
    const counts = { running: 0, most: 0 };
    const server = await startServer({
      scrape: async () => {
        counts.running += 1;
        counts.most = Math.max(counts.most, counts.running);
        await release.promise;
        await setImmediate();
        counts.running -= 1;
        const body = Readable.from([Buffer.from(BODY)]);
        return { contentType: 'text/plain', contentLength: BODY.length, body };
      },
    });
    return { server, release, counts };
  };

  it('are answered one at a time', async () => {
    const { server, release, counts } = await startHeld();
    await using _ = server;
    const socket = await open(server);
    socket.write(SCRAPE.repeat(MAX_PIPELINED - 1) + LAST_SCRAPE);
    release.resolve();
    expect(statusesIn(await readRest(socket))).toEqual(Array(MAX_PIPELINED).fill('200'));
    expect([counts.most, warnings(server)]).toEqual([1, []]);
  });

  it('end the connection if too many wait', async () => {
    const { server, release, counts } = await startHeld();
    await using _ = server;
    const socket = await open(server);
    socket.write(SCRAPE.repeat(MAX_PIPELINED) + LAST_SCRAPE);
    expect(await readRest(socket)).toBe('');
    expect([counts.most, warnings(server).length]).toEqual([1, 1]);
    release.resolve();
  });
});

describe('a client that does not read', () => {
  it('loses its answer when others need the memory for texts', async () => {
    const about = 'x'.repeat(MAX_UNREAD_TEXT * 0.4);
    await using server = await startServer({
      providerReport: () => ({ about, version: '1.2.3', accounts: [] }),
    });
    const sockets: Socket[] = [];
    for (let client = 0; client < 3; client += 1)
      sockets.push(await requestWithoutReading(server, '/api/v1/provider-report'));
    expect(warnings(server)).toHaveLength(1);
    const lengths = (await Promise.all(sockets.map(readRest))).map(({ length }) => length > about.length);
    expect(lengths).toEqual([false, true, true]);
    expect(server.clock.sleepers).toBe(1);
  });

  it('is disconnected after a minute', async () => {
    const body = endless();
    await using server = await startServer({
      scrape: async () => ({ contentType: 'text/plain', contentLength: 1e12, body }),
    });
    const socket = await requestWithoutReading(server, '/metrics');
    const closed = once(body, 'close');
    server.clock.advance(ANSWER_TIMEOUT_MS - 1);
    expect((await fetch(`${server.url}/-/healthy`)).status).toBe(200);
    expect(body.destroyed).toBe(false);
    server.clock.advance(1);
    await closed;
    socket.destroy();
  });

  it('has a limit for each answer, which ends with the answer', async () => {
    await using server = await startServer();
    const socket = await open(server);
    for (let scrape = 0; scrape < 2; scrape += 1) {
      socket.write(SCRAPE);
      expect(String(await once(socket, 'data'))).toContain(BODY);
      await expect.poll(() => server.clock.sleepers).toBe(0);
      server.clock.advance(ANSWER_TIMEOUT_MS);
    }
    socket.destroy();
  });
});

describe('a connection', () => {
  it('ends when nothing moves in the middle of an answer', async () => {
    const body = new PassThrough();
    body.write(BODY);
    const scrape = async () => ({ contentType: 'text/plain', contentLength: 1_000, body });
    await using server = await startServer({ scrape }, undefined, undefined, SHORT);
    const socket = await requestWithoutReading(server, '/metrics');
    expect((await readRest(socket)).endsWith(BODY)).toBe(true);
    await expect.poll(() => body.destroyed).toBe(true);
  });

  it('gets 408 if the headers of a request do not arrive in time, however often it sends some', async () => {
    await using server = await startServer({}, undefined, undefined, SHORT);
    const socket = await open(server);
    socket.write(`GET /metrics HTTP/1.1\r\n${HOST}`);
    const timer = setInterval(() => socket.write('X: y\r\n'), 10);
    const answer = await readRest(socket);
    clearInterval(timer);
    expect(statusesIn(answer)).toEqual(['408']);
    expect(answer.split('\r\n\r\n')[1]).toBe('{"error":"the request took too long to arrive"}');
  });

  it('ends if the body of a request does not arrive in time', async () => {
    await using server = await startServer({}, undefined, undefined, SHORT);
    const socket = await open(server);
    socket.write(SCRAPE.replace(HOST, `${HOST}Transfer-Encoding: chunked\r\n`));
    const timer = setInterval(() => socket.write('1\r\nx\r\n'), 10);
    const answers = await readRest(socket);
    clearInterval(timer);
    expect(statusesIn(answers)).toEqual(['200', '408']);
  });
});

describe('the log', () => {
  it('says once that clients are turned away, and once that it has ended for a minute', async () => {
    await using server = await startServer();
    const sockets: Socket[] = [];
    const turnAway = async () => {
      const opened = await openMany(server, 2 * MAX_SILENT_CONNECTIONS);
      // When the server answers the newest connection, it has accepted all of them.
      const newest = await open(server);
      newest.write(HEALTHY);
      await once(newest, 'data');
      sockets.push(...opened, newest);
    };
    const pass = async (ms: number) => {
      server.clock.advance(ms);
      await setImmediate();
    };
    await turnAway();
    await pass(MINUTE - 1);
    await turnAway();
    await pass(1);
    await pass(MINUTE - 1);
    expect(levels(server)).toEqual(['warn']);
    await pass(1);
    expect(levels(server)).toEqual(['warn', 'info']);
    expect(server.lines.at(-1)).toMatchObject({ message: 'for a minute no client had to be turned away' });
    await turnAway();
    expect(levels(server)).toEqual(['warn', 'info', 'warn']);
    for (const socket of sockets) socket.destroy();
  });
});
