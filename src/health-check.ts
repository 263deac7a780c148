// Whether a daemon answers, for the supervisor of a container: a program of its own, since it starts every half minute.
// Exits with 0 if it does, or if it demands a password, and with 1 otherwise. It ignores readiness: a supervisor
// may restart what is not healthy, and a full disk or a first pass that takes long is no better after a restart.

import { get } from 'node:http';
import { get as getOverTls } from 'node:https';
import { text } from 'node:stream/consumers';

const TIMEOUT_MS = 4_000;
/** It answers, and asks for a password that is none of the supervisor's business. */
const UNAUTHORIZED = 401;

const { PROXYWATCH_HEALTH_URL: url = 'http://127.0.0.1:9876/-/healthy' } = process.env;
const signal = AbortSignal.timeout(TIMEOUT_MS);

const request = url.startsWith('https:')
  ? // Nothing is sent that a false server could be after, and a certificate is rarely of the loopback address.
    getOverTls(url, { signal, rejectUnauthorized: false })
  : get(url, { signal });
request.on('response', async (response) => {
  const isWell = response.statusCode === 200 || response.statusCode === UNAUTHORIZED;
  process.stdout.write(`${response.statusCode} ${await text(response)}`);
  process.exitCode = isWell ? 0 : 1;
});
request.on('error', ({ message }) => {
  process.stderr.write(`${url}: ${message}\n`);
  process.exitCode = 1;
});
