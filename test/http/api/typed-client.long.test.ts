// Tests that a typed client for TypeScript can be generated from the description of the API, compiles, and works.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { type OpenAPI3 } from 'openapi-typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../../docs/documents.ts';
import { ApiHarness } from './api-harness.ts';

/** A program as a user of the API writes it. Each mistake in it must be found by the compiler. */
const CLIENT = `
import createClient from 'openapi-fetch';
import type { paths } from './api.ts';

const client = createClient<paths, 'application/json'>({ baseUrl: process.argv[2] ?? '' });
const query = { state: ['ok' as const, 'unlimited' as const], sort: '-used_bytes' as const, limit: 2 };
const { data: users, error } = await client.GET('/api/v1/users', { params: { query } });
if (!users) throw new Error(error?.error);
const bytes: (number | null)[] = users.data.map(({ quotas }) => quotas.residential.used_bytes);
const { data: alerts } = await client.GET('/api/v1/alerts', {});
const total: number | undefined = alerts?.total;
const path = { account: users.data[0]?.account ?? '', proxy_user_id: users.data[0]?.proxy_user_id ?? '' };
const one = await client.GET('/api/v1/accounts/{account}/users/{proxy_user_id}', { params: { path } });
console.log(JSON.stringify({ total: users.total, bytes, alerts: total, id: one.data?.proxy_user_id === path.proxy_user_id }));
`;
const MISTAKES = `
import type { paths } from './api.ts';

type Users = paths['/api/v1/users']['get'];
type Query = NonNullable<Users['parameters']['query']>;
type Page = Users['responses'][200]['content']['application/json'];
// @ts-expect-error: there is no such sort
export const sort: Query['sort'] = 'nothing';
// @ts-expect-error: there is no such state
export const state: Query['state'] = ['nothing'];
// @ts-expect-error: a total is a number
export const total: Page['total'] = 'many';
// @ts-expect-error: the state can be null
export const known: string = ({} as Page['data'][number]).quotas.residential.state;
// @ts-expect-error: there is no such path
export type Nothing = paths['/api/v1/nothing'];
`;
const CONFIG = {
  compilerOptions: {
    ...{ strict: true, target: 'es2024', module: 'nodenext', skipLibCheck: true },
    ...{ rewriteRelativeImportExtensions: true, verbatimModuleSyntax: true, types: ['node'] },
  },
  include: ['*.ts'],
};

const run = promisify(execFile);
let api: ApiHarness;
let folder: string;

beforeAll(async () => {
  api = await ApiHarness.build();
  await api.run(1);
  // Here the client finds its packages.
  folder = mkdtempSync(join(ROOT, 'node_modules/.typed-client-'));
}, 60_000);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await api[Symbol.asyncDispose]();
});

it('compiles, finds wrong names, and reads the daemon’s answers', async () => {
  const description = (await api.answer('openapi.json')) as unknown as OpenAPI3;
  const files = {
    'api.ts': await openapiTS(description),
    'client.ts': CLIENT,
    'mistakes.ts': MISTAKES,
    'package.json': JSON.stringify({ type: 'module' }),
    'tsconfig.json': JSON.stringify(CONFIG),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const compiled = await run(process.execPath, [
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    '-p',
    folder,
  ]).catch(({ stdout }: { stdout: string }) => ({ stdout }));
  expect(compiled.stdout).toBe('');
  const { stdout } = await run(process.execPath, [join(folder, 'client.js'), api.url.replace('/api/v1', '')]);
  const { total } = await api.answer('users?state=ok&state=unlimited');
  const { total: alerts } = await api.answer('alerts');
  const [first, second] = await api.items('users?state=ok&state=unlimited&sort=-used_bytes&limit=2');
  const bytesOf = (user: typeof first) =>
    (user?.quotas as { residential: { used_bytes: number } } | undefined)?.residential.used_bytes;
  expect(JSON.parse(stdout)).toEqual({ total, alerts, bytes: [bytesOf(first), bytesOf(second)], id: true });
}, 60_000);
