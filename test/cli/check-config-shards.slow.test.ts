// Tests that check-config shows which shard runs which account.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkConfig } from '../../src/cli/check-config.ts';
import { ownerOf } from '../../src/daemon/shards/shard.ts';
import { createFolder } from '../config/support.ts';
import { textOf } from '../docs/documents.ts';
import { runCommand } from './run-command.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const PAGE = textOf('docs/how-to/run-several-shards.md');

const check = async (shard?: string, names = NAMES): Promise<string[]> => {
  const accounts = names.map((name) => `  - {name: ${name}, public_key: public, private_key: private}\n`);
  const pinned = '  - {name: pinned, shard: 1, public_key: public, private_key: private}\n';
  const config = join(
    createFolder({ 'config.yaml': `accounts:\n${accounts.join('')}${pinned}` }),
    'config.yaml',
  );
  const { stdout } = await runCommand(checkConfig, { config, ...(shard !== undefined && { shard }) });
  return stdout.split('\n');
};

test('each shard is a line, and costs are those of its own accounts', async () => {
  const lines = await check('1/40');
  const shards = lines.filter((line) => line.startsWith('shard '));
  expect(shards).toHaveLength(40);
  for (const name of NAMES) expect(shards[ownerOf(name, 40)]).toMatch(new RegExp(`: .*\\b${name}\\b`));
  expect(shards[1]).toMatch(/^shard 1 of 40 \(this shard\): .*pinned \(pinned\)$/);
  expect(shards.filter((line) => line.endsWith(': no accounts')).length).toBeGreaterThan(34);
  const own = ['pinned', ...NAMES.filter((name) => ownerOf(name, 40) === 1)];
  expect(lines.filter((line) => line.startsWith('account '))).toHaveLength(own.length);
});

test('without shards, nothing is said about them', async () => {
  expect((await check()).filter((line) => line.includes('shard'))).toEqual([]);
});

test('the page about shards shows what check-config prints, and moves an account between the right stores', async () => {
  const names = ['main', 'shop', 'eu-1', 'us-1'];
  const shown = /no mistakes\n((?: *shard .*\n)+)/.exec(PAGE)?.[1]?.trim().split(/\n */);
  const printed = (await check('0/3', names)).filter((line) => line.startsWith('shard '));
  expect(shown).toEqual(printed.map((line) => line.replace(', pinned (pinned)', '')));
  const [from, to] = [...PAGE.matchAll(/data-(\d)\/proxywatch\.db proxywatch store/g)].map(([, shard]) =>
    Number(shard),
  );
  expect([from, to]).toEqual([ownerOf('eu-1', 3), ownerOf('eu-1', 4)]);
  for (const name of ['main', 'shop', 'us-1']) expect(ownerOf(name, 4)).toBe(ownerOf(name, 3));
});
