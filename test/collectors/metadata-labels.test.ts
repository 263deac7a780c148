// Tests labels_from_metadata: listed keys of the metadata of users become labels of the info metric, within bounds, and nothing
// of other keys is stored or shown.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MetadataLabels } from '../../src/collectors/metadata-labels.ts';
import { userFamilies } from '../../src/collectors/proxy-users/options.ts';
import { loadSettings } from '../../src/daemon/load-settings.ts';
import { gauge } from '../../src/lib/family.ts';
import { MINUTE } from '../../src/lib/time.ts';
import { metadataOf } from '../../src/provider/metadata.ts';
import { detectInvalid } from '../../src/provider/schema.ts';
import { configErrorOf, createFolder } from '../config/support.ts';
import { Harness } from '../support/harness.ts';

const withLabels = (labels: readonly string[]): Promise<Harness> =>
  Harness.build({
    now: '2026-07-05T12:01:30Z',
    scenario: { users: 7 },
    account: {
      ...{ traffic: false, residential_ledger: false, reconciliation: false },
      proxy_users: labels.length === 0 ? {} : { labels_from_metadata: labels },
    },
  });

const infoLines = async (daemon: Harness): Promise<string[]> =>
  (await daemon.metricsText()).split('\n').filter((line) => line.startsWith('proxywatch_proxy_user_info{'));

/** The part of each line behind the labels that the metric always has. */
const addedTo = (lines: readonly string[]): string[] =>
  lines.map((line) => /enforce_https="\w+"(.*)} 1$/.exec(line)?.[1] ?? line);

/** Everything that the store has written. */
const storedText = ({ folder }: Harness): string =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('');

describe('users', () => {
  it('get the listed keys as labels, which are empty where the metadata has no such key', async () => {
    await using daemon = await withLabels(['project', 'team']);
    // The simulator gives each third user a team.
    expect(addedTo(await infoLines(daemon))).toEqual([
      ',project="",team="team-0"',
      ',project="",team=""',
      ',project="",team=""',
      ',project="",team="team-3"',
      ',project="",team=""',
      ',project="",team=""',
      ',project="",team="team-6"',
    ]);
  });

  it('have in all other samples what they have without the setting', async () => {
    await using plain = await withLabels([]);
    await using daemon = await withLabels(['team']);
    const textOf = async (harness: Harness) =>
      (await harness.metricsText())
        .replaceAll(/,team="[^"]*"/g, '')
        .split('\n')
        .filter((line) => line.includes('proxy_user'));
    expect(addedTo(await infoLines(plain))).toEqual(Array(7).fill(''));
    expect(await textOf(daemon)).toEqual(await textOf(plain));
  });

  it('leave nothing of other keys in the store and in the metrics', async () => {
    await using daemon = await withLabels(['project']);
    expect(await daemon.metricsText()).not.toContain('team');
    expect(storedText(daemon)).not.toContain('team-');
    await using listed = await withLabels(['team']);
    expect(storedText(listed)).toContain('team-3');
  });

  it('follow a change of the setting with the next poll', async () => {
    await using daemon = await withLabels([]);
    await daemon.restart({ proxy_users: { labels_from_metadata: ['team'] } });
    await daemon.advance(10 * MINUTE);
    expect(addedTo(await infoLines(daemon))).toContain(',team="team-3"');
    await daemon.restart({ proxy_users: {} });
    await daemon.advance(10 * MINUTE);
    expect(addedTo(await infoLines(daemon))).toEqual(Array(7).fill(''));
  });
});

describe('values', () => {
  const family = gauge('example_info', 'Example.', ['id']);

  it.each([
    ['a text', 'shop', 'shop'],
    ['a number', 7, '7'],
    ['a truth value', false, 'false'],
    ['a long text, which is cut', 'a'.repeat(101), 'a'.repeat(100)],
    ['a text of long characters, of which none is halved', '😀'.repeat(101), '😀'.repeat(100)],
    ['no value', null, null],
    ['an object, of which nothing is read', { canary: 1 }, null],
    ['a list', ['canary'], null],
  ])('are read from %s', (_, value, expected) => {
    expect(metadataOf({ team: value, canary: 'canary' }, ['team'])).toEqual({ team: expected });
  });

  it('are none in empty metadata', () => {
    for (const metadata of [null, {}])
      expect(metadataOf(metadata, ['team', 'constructor'])).toEqual({ team: null, constructor: null });
  });

  it.each([undefined, 'team', ['team'], 7])('are unknown in %j', (metadata) => {
    expect(metadataOf(metadata, ['team', 'constructor'])).toEqual({});
  });

  it.each([
    ['team', true],
    [['team'], true],
    [{ team: ['shop'] }, false],
    [null, false],
    [undefined, false],
  ])('of %j are counted as invalid: %s', (metadata, isInvalid) => {
    expect(detectInvalid(() => metadataOf(metadata, ['team'])).hasInvalidValue).toBe(isInvalid);
  });

  it('of a label are at most 100, and the rest is "other"', () => {
    const labels = new MetadataLabels(family, ['team', 'project']);
    const added = (team: string) => labels.added({ id: '1' }, { team, project: 'x' });
    for (let index = 0; index < 100; index += 1) added(`team-${index}`);
    expect(added('team-100')).toEqual({ id: '1', team: 'other', project: 'x' });
    expect(added('team-99')).toEqual({ id: '1', team: 'team-99', project: 'x' });
    expect(added('')).toEqual({ id: '1', team: '', project: 'x' });
    const inherited = new MetadataLabels(family, ['constructor', 'team']);
    expect(inherited.added({ id: '1' }, { team: null })).toEqual({ id: '1', constructor: '', team: '' });
  });

  it('without names leave the metric as it is', () => {
    const labels = new MetadataLabels(family, []);
    expect(labels.family).toBe(family);
    const given = { id: '1' };
    expect(labels.added(given, { team: 'shop' })).toBe(given);
  });
});

describe('names', () => {
  const mistakesOf = (section: string, names: string): [string, string][] => {
    const text = `accounts: [{name: main, public_key: a, private_key: b, ${section}: {labels_from_metadata: ${names}}}]\n`;
    const path = join(createFolder({ 'config.yaml': text }), 'config.yaml');
    return configErrorOf(() => loadSettings(path, {})).mistakes.map(({ path, message }) => [path, message]);
  };
  const at = (index: number, section = 'proxy_users') =>
    `accounts[0].${section}.labels_from_metadata[${index}]`;

  it.each(['cost-center', '2nd', '__name__', 'größe', '""', 'a b'])(
    'that are no label are a mistake: %s',
    (name) => {
      const [[path, message] = ['', '']] = mistakesOf('proxy_users', `[team, ${name}]`);
      expect(path).toBe(at(1));
      expect(message).toMatch(/^expected a valid name of a label/);
    },
  );

  it.each(userFamilies.user_info.labels)('that the metric has are a mistake: %s', (name) => {
    expect(mistakesOf('proxy_users', `[${name}]`)).toEqual([
      [at(0), `proxywatch_proxy_user_info or its scrape has a label "${name}" already`],
    ]);
  });

  it('that a scrape adds, or that are repeated, are a mistake, for services too', () => {
    expect(mistakesOf('services', '[instance, team, team, status]')).toEqual([
      [at(0, 'services'), 'proxywatch_service_info or its scrape has a label "instance" already'],
      [at(2, 'services'), '"team" is listed twice'],
      [at(3, 'services'), 'proxywatch_service_info or its scrape has a label "status" already'],
    ]);
  });
});
