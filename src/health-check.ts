// Checks for a container's supervisor whether the daemon answers. It is a separate small program, because it starts
// every half minute. It exits with 0 if the daemon answers or demands a password, and with 1 otherwise. It ignores
// readiness, because a restart helps neither against a full disk nor against a first pass that takes long.

import './node-version.cjs';
import { get as getOverTls } from 'node:https';

// An import would load a second HTTP client, as http/error-responses.ts explains.
const { get } = process.getBuiltinModule('node:http');

const TIMEOUT_MS = 4_000;
/** The daemon answers and demands a password, which the supervisor does not need to know. */
const UNAUTHORIZED = 401;

const { PROXYWATCH_HEALTH_URL: url = 'http://127.0.0.1:9876/-/healthy' } = process.env;
const signal = AbortSignal.timeout(TIMEOUT_MS);

const request = url.startsWith('https:')
  ? // The request holds no secret that a false server could take, and certificates rarely name the loopback address.
    getOverTls(url, { signal, rejectUnauthorized: false })
  : get(url, { signal });
request.on('response', (response) => {
  const isHealthy = response.statusCode === 200 || response.statusCode === UNAUTHORIZED;
  process.stdout.write(`${response.statusCode} `);
  response.pipe(process.stdout);
  process.exitCode = isHealthy ? 0 : 1;
});
request.on('error', ({ message }) => {
  process.stderr.write(`${url} does not answer: ${message}\n`);
  process.exitCode = 1;
});
