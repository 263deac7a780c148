// Tests requests that a proxy in front may understand differently than the server (request smuggling).

import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { exchange, HEALTHY, HOST, open, readRest, statusesIn } from './raw-client.ts';
import { BODY, startServer } from './support.ts';

const HEAD = `GET /-/healthy HTTP/1.1\r\n${HOST}`;
/** Nothing may take this for a request. */
const HIDDEN = `GET /metrics HTTP/1.1\r\n${HOST}\r\n`;
/** The server closes the connection after this. */
const LAST = `GET /-/ready HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n';

describe('a request is rejected', () => {
  it.each([
    ['both lengths', `Content-Length: 4\r\n${CHUNKED}0\r\n\r\n`],
    ['two lengths', 'Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd'],
    ['a list of lengths', 'Content-Length: 4, 5\r\n\r\nabcd'],
    ['a signed length', 'Content-Length: +4\r\n\r\nabcd'],
    ['an unknown encoding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['chunked before another encoding', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
    ['chunked twice', `Transfer-Encoding: chunked\r\n${CHUNKED}0\r\n\r\n`],
    ['a space before the colon', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
    ['lines without a carriage return', 'A: b\nContent-Length: 0\r\n\r\n'],
    ['a carriage return inside a header', 'A: b\rContent-Length: 40\r\n\r\n'],
    ['a header on two lines', 'A: b\r\n Transfer-Encoding: chunked\r\n\r\n'],
    ['a header on two lines with a tab', 'A: b\r\n\tContent-Length: 40\r\n\r\n'],
    ['a value on the next line', 'Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n'],
  ])('with %s', async (_, rest) => {
    await using server = await startServer();
    expect(statusesIn(await exchange(server, `${HEAD}${rest}${HIDDEN}`))).toEqual(['400']);
    expect(server.scrapes).toEqual([]);
  });

  it('with several headers Host, also if they are equal', async () => {
    await using server = await startServer();
    for (const other of ['rebound.example', 'localhost']) {
      const answers = await exchange(server, `${HEAD}Host: ${other}\r\n\r\n${LAST}`);
      expect(statusesIn(answers)).toEqual(['400', '200']);
    }
  });
});

describe('the body of a GET request is no other request', () => {
  it.each([
    ['with a length', `Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`],
    ['in chunks', `${CHUNKED}${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`],
    ['after an upgrade', `Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 5\r\n\r\nabcde`],
  ])('%s', async (_, rest) => {
    await using server = await startServer();
    const socket = await open(server);
    socket.write(`${HEAD}${rest}`);
    const [first] = await once(socket, 'data');
    expect(statusesIn(String(first))).toEqual(['200']);
    socket.destroy();
    expect(server.scrapes).toEqual([]);
  });

  it('and the request after it is answered', async () => {
    await using server = await startServer();
    const chunks = `${HIDDEN.length.toString(16)};name=value\r\n${HIDDEN}\r\n0\r\nHost: rebound.example\r\n\r\n`;
    expect(statusesIn(await exchange(server, `${HEAD}${CHUNKED}${chunks}${LAST}`))).toEqual(['200', '200']);
    expect(server.scrapes).toEqual([]);
  });

  it.each([
    'zz\r\n',
    '5\nabcde\r\n0\r\n\r\n',
    'fffffffffffffffff\r\n',
    `5;${'x'.repeat(20_000)}\r\nabcde\r\n`,
  ])('and a chunk that begins with %j ends the connection', async (chunk) => {
    await using server = await startServer();
    const answers = await exchange(server, `${HEAD}${CHUNKED}${chunk}${HIDDEN}`);
    expect(statusesIn(answers).length).toBeLessThanOrEqual(1);
    expect(server.scrapes).toEqual([]);
  });
});

describe('a request for an absolute URL', () => {
  it.each([
    ['GET http://localhost/-/healthy', '200'],
    ['GET HTTPS://127.0.0.1:9876/-/healthy', '200'],
    ['GET http://localhost', '200'],
    ['GET http://localhost?view=account', '200'],
    ['GET http://localhost/metrics?account=other', '400'],
    ['POST http://localhost/metrics', '405'],
    ['GET http://localhost/nowhere', '404'],
    ['GET http://rebound.example/metrics', '421'],
    ['GET http://localhost@rebound.example/metrics', '421'],
    ['GET ftp://localhost/metrics', '404'],
    ['GET *metrics', '404'],
    ['OPTIONS *', '404'],
  ])('is answered as if it had only the path: %s', async (start, status) => {
    await using server = await startServer();
    const request = `${start} HTTP/1.1\r\n${HOST}Connection: close\r\nContent-Length: 0\r\n\r\n`;
    expect(statusesIn(await exchange(server, request))).toEqual([status]);
    expect(server.scrapes).toEqual([]);
  });

  it('has only its path in the log', async () => {
    await using server = await startServer();
    await exchange(
      server,
      `GET http://user:secret@127.0.0.1/-/healthy?secret HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
    );
    expect(JSON.stringify(server.lines)).not.toContain('secret');
  });
});

it('a malformed request ends an answer, and adds nothing to it', async () => {
  const body = new PassThrough();
  body.write(BODY);
  await using server = await startServer({
    scrape: async () => ({ contentType: 'text/plain', contentLength: 1_000, body }),
  });
  const socket = await open(server);
  socket.write(`GET /metrics HTTP/1.1\r\n${HOST}\r\n`);
  await once(socket, 'readable');
  socket.write(`nonsense\r\n\r\n${HEALTHY}`);
  const answers = await readRest(socket);
  expect(answers.split('\r\n\r\n').slice(1)).toEqual([BODY]);
});
