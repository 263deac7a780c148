// Tests server.readers: of all routes of the server, a reader may use those that only read. The routes are those that the
// server registers, so a route that is added later is tested too.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { API_ROUTES } from '../../src/http/api/routes.ts';
import { HASH, OTHER_HASH, OTHER_PASSWORD, PASSWORD, request, startWebServer } from './web-config-support.ts';

const routes: Pick<RouteOptions, 'method' | 'url'>[] = [];

/** Fastify publishes each app when it has been created, before it has routes. */
const watchRoutes = (message: unknown): void => {
  const { fastify: app } = message as { readonly fastify: FastifyInstance };
  app.addHook('onRoute', ({ method, url }) => void routes.push({ method, url }));
};

const USERS = { basic_auth_users: { reader: HASH, operator: OTHER_HASH } };
const READER = { auth: `reader:${PASSWORD}` };
const OPERATOR = { auth: `operator:${OTHER_PASSWORD}` };
const REFUSAL =
  '{"error":"this user is one of server.readers, so it can read everything and change nothing; log in as another user"}';

let server: Awaited<ReturnType<typeof startWebServer>>;

beforeEach(async () => {
  routes.length = 0;
  subscribe('fastify.initialization', watchRoutes);
  server = await startWebServer(USERS, undefined, ['reader'], ['*']);
  unsubscribe('fastify.initialization', watchRoutes);
});
afterEach(() => server[Symbol.asyncDispose]());

const methodsOf = ({ method }: (typeof routes)[number]): readonly string[] => [method].flat();
const ask = (method: string, path: string, user: object) =>
  request(server.url + path.replaceAll(/:\w+|\*/g, 'x'), { method, ...user });
/** Returns the routes with one of these methods, as `GET /metrics`. */
const routesWith = (...methods: readonly string[]): string[] =>
  routes.flatMap((route) =>
    methodsOf(route)
      .filter((method) => methods.includes(method))
      .map((method) => `${method} ${route.url}`),
  );

const refusedOf = async (names: readonly string[]): Promise<string[]> => {
  const refused: string[] = [];
  for (const name of names) {
    const [method = '', path = ''] = name.split(' ');
    const { status, body } = await ask(method, path, READER);
    if (status === 403 && (method === 'HEAD' || body === REFUSAL)) refused.push(name);
  }
  return refused;
};

it('refuses every route that is not read with GET or HEAD', async () => {
  const writing = [...new Set(routes.flatMap(methodsOf))].filter(
    (method) => !['GET', 'HEAD'].includes(method),
  );
  const names = routesWith(...writing);
  expect(names).toEqual(
    expect.arrayContaining([
      'POST /-/reload',
      'POST /api/v1/silences',
      'DELETE /api/v1/silences/:silence_id',
    ]),
  );
  expect(await refusedOf(names)).toEqual(names);
});

it('refuses, of the routes that are read with GET, only those that test something', async () => {
  const names = routesWith('GET', 'HEAD');
  expect(await refusedOf(names)).toEqual(['GET /probe']);
  const api = API_ROUTES.map(({ path }) => `GET ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
  const others = routesWith('GET').filter((name) => !api.includes(name));
  // A route that is added to this list must not change anything, or needs `config: {acts: true}`.
  expect(others.toSorted()).toEqual([
    'GET /',
    'GET /-/healthy',
    'GET /-/ready',
    'GET /api/v1/openapi.json',
    'GET /assets/*',
    'GET /badge/*',
    'GET /metrics',
    'GET /probe',
    'GET /public/*',
  ]);
});

it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
  'refuses %s on every path, also on those that do not exist',
  async (method) => {
    expect(await refusedOf([`${method} /`, `${method} /metrics`, `${method} /nothing`])).toHaveLength(3);
  },
);

it('lets the other users do what they could do before', async () => {
  expect((await ask('POST', '/-/reload', OPERATOR)).status).toBe(501);
  expect((await ask('GET', '/probe', OPERATOR)).status).toBe(400);
  expect((await ask('POST', '/api/v1/silences', OPERATOR)).status).toBe(400);
});

it('asks for a password before it refuses', async () => {
  expect((await ask('POST', '/-/reload', { auth: 'reader:guess' })).status).toBe(401);
  expect((await ask('POST', '/-/reload', {})).status).toBe(401);
});

it('says on the page that the user is a reader', async () => {
  const page = async (user: object) => (await ask('GET', '/', user)).body;
  expect(await page(READER)).toContain('You are a reader: you see everything, and cannot change anything.');
  expect(await page(OPERATOR)).not.toContain('You are a reader');
});

// A name that nobody configured may be one that an attacker lets lead here. The empty body of a change is refused with 400.
it.each([
  ['of an operator', OPERATOR, 'localhost', 'on', 400],
  ['of an operator at an unknown name', OPERATOR, 'watch.example', 'off', 403],
  ['of a reader', READER, 'localhost', 'reader', 403],
  ['of a reader at an unknown name', READER, 'watch.example', 'reader', 403],
])('the page %s has the actions that the API accepts from it', async (_, user, host, actions, status) => {
  const { body } = await request(`${server.url}/`, { ...user, headers: { host } });
  expect(/data-actions="(\w+)"/.exec(body)?.[1]).toBe(actions);
  const change = { method: 'POST', headers: { host, origin: `http://${host}` }, ...user };
  expect((await request(`${server.url}/api/v1/silences`, change)).status).toBe(status);
});

it('lets nobody in when web.yml loses its users', async () => {
  await using changed = await startWebServer(USERS, undefined, ['reader']);
  changed.configure({});
  for (const user of [READER, OPERATOR, {}]) {
    expect((await request(`${changed.url}/-/reload`, { method: 'POST', ...user })).status).toBe(401);
    expect((await request(`${changed.url}/metrics`, user)).status).toBe(401);
  }
});
