// Tests that the samples in the documentation work: configurations load, commands and options exist, queries parse.

import { join } from 'node:path';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { historyRules } from '../../prometheus/source/history-rules.ts';
import { ALERT_FAMILIES } from '../../src/alerts/families.ts';
import { FAMILIES, HISTORY_FAMILIES } from '../../src/collectors/index.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { loadSettings } from '../../src/daemon/load-settings.ts';
import { settingsSchema } from '../../src/daemon/settings.ts';
import { DaemonMetrics } from '../../src/metrics/daemon-metrics.ts';
import { scenarioSchema } from '../../src/simulator/scenario.ts';
import { createFolder } from '../config/support.ts';
import { metricsIn } from '../grafana/promql.ts';
import { HASH } from '../http/web-config-support.ts';
import { callsIn, mistakesIn, readAllCommands } from './commands.ts';
import { type CodeBlock, codeBlocksIn, codeWordsOf, DOCUMENTS, proseOf, textOf } from './documents.ts';
import type { CommandUsage } from './list-commands.ts';

const BLOCKS = DOCUMENTS.flatMap(codeBlocksIn);

const blocksIn = (...languages: string[]): CodeBlock[] =>
  BLOCKS.filter(({ language }) => languages.includes(language));

const LANGUAGES = [
  '',
  'diff',
  'http',
  'ini',
  'js',
  'json',
  'jsonnet',
  'promql',
  'python',
  'sh',
  'sql',
  'text',
  'ts',
  'yaml',
];

test('every code block has one of a few languages', () => {
  const unknown = BLOCKS.filter(({ language }) => !LANGUAGES.includes(language));
  expect(unknown.map(({ place, language }) => `${place}: ${language}`)).toEqual([]);
});

describe('a configuration, or a scenario of the simulated provider', () => {
  /**
   * Top-level keys of other programs' files: Prometheus, Alertmanager, web.yml, Compose, Kubernetes, the Helm chart,
   * Grafana, Mimir.
   */
  const OTHER_KEYS = [
    'metric_relabel_configs',
    ...['global', 'scrape_configs', 'rule_files', 'alerting', 'groups'],
    ...['route', 'receivers', 'inhibit_rules'],
    ...['tls_server_config', 'basic_auth_users', 'http_server_config', 'rate_limit'],
    ...['services', 'volumes', 'networks', 'secrets'],
    ...['apiVersion', 'kind', 'resources', 'spec', 'config'],
    ...['datasources', 'providers', 'storage', 'limits'],
  ];
  const ACCOUNT = { name: 'main', public_key: 'public', private_key: 'private' };
  const SETTINGS = [...Object.keys(settingsSchema.shape), 'defaults'];

  const linesOfSecrets: Readonly<Record<string, string>> = {
    proxy_file: '192.0.2.1:8000:alice:password',
    token_file: 'token-0123456789abcdef0123456789',
    // It has the form that each template needs.
    url_file: 'https://hooks.example.com/sendMessage',
    smtp_url_file: 'smtp://user:password@mail.example.com',
    smtp_ca_file: textOf('test/fixtures/certificates/ca.pem'),
    ca_file: textOf('test/fixtures/certificates/ca.pem'),
    body_file: '{"text": "{{title}}"}',
  };
  /** Creates the files that a configuration names, except web.yml, and returns it with their paths. */
  const withFiles = (text: string): { text: string; files: Record<string, string> } => {
    const files: Record<string, string> = { 'web.yml': `basic_auth_users: {grafana: ${HASH}}\n` };
    const changed = text
      .replaceAll(/web_config_file: *[^\s,}]+/g, 'web_config_file: web.yml')
      .replaceAll(/\b(?!web_config)(\w+_file): *(?:\$\{\w+\}|[^\s,}])+/g, (_, key: string) => {
        const name = `${key}-${Object.keys(files).length}`;
        files[name] = linesOfSecrets[key] ?? 'secret';
        return `${key}: ${name}`;
      });
    return { text: changed, files };
  };

  /** Completes a part of a configuration: top-level settings, or settings of an account. */
  const complete = (text: string): string => {
    const value = parse(text) as Record<string, unknown>;
    const keys = Object.keys(value).filter((key) => !key.startsWith('x-'));
    if (keys.includes('accounts')) return text;
    if (keys.every((key) => SETTINGS.includes(key))) return JSON.stringify({ ...value, accounts: [ACCOUNT] });
    const missing = Object.entries(ACCOUNT).filter(([key]) => !(`${key}_file` in value));
    return JSON.stringify({ accounts: [{ ...Object.fromEntries(missing), ...value }] });
  };

  const load = (text: string): string => {
    const { text: configuration, files } = withFiles(text);
    const variables = [...configuration.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);
    const env = Object.fromEntries(
      variables.map((name) => [name, /URL|HOOK/.test(name) ? 'https://example.com/' : 'value']),
    );
    try {
      loadSettings(
        join(createFolder({ ...files, 'config.yaml': complete(configuration) }), 'config.yaml'),
        env,
      );
      return 'loads';
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
      throw error;
    }
  };

  const isOther = (text: string): boolean => {
    const keys = Object.keys((parse(text.split(/^---$/m)[0] ?? '') as object | null) ?? {});
    return keys.some((key) => OTHER_KEYS.includes(key)) && !keys.includes('accounts');
  };

  const isScenario = (text: string): boolean => scenarioSchema.safeParse(parse(text)).success;

  it.each(blocksIn('yaml').filter(({ text }) => !isOther(text)))('of $place loads', ({ text }) => {
    if (!isScenario(text)) expect(load(text)).toBe('loads');
  });

  it('with a mistake does not load', () => {
    expect(load('proxy_tests: {url: []}')).toMatch(/unknown key/);
    expect(load('remote_write: [{name: victoria, url_file: /run/secrets/url, begin: 7d}]')).toMatch(
      /unknown key/,
    );
    expect(load('alerts: {receivers: [{type: heartbeat, url_file: /run/secrets/ping, every: 1m}]}')).toBe(
      'loads',
    );
    expect(load('server: {listen: ":9876", web_config_file: /etc/web.yml}')).toBe('loads');
  });
});

describe('a command', () => {
  let all: readonly CommandUsage[] = [];
  let commands: readonly CommandUsage[] = [];

  beforeAll(async () => {
    all = await readAllCommands();
    commands = all.filter(({ isHidden }) => !isHidden);
  });

  const mistakesOf = (shell: string, known = commands): string[] =>
    callsIn(shell).flatMap((args) => mistakesIn(args, known));

  /** These also speak of the former names of commands. */
  const NAMES_FORMER = ['CHANGELOG.md', 'docs/reference/commands.md'];

  it.each(blocksIn('sh'))('of $place exists, with its options', ({ text }) => {
    expect(mistakesOf(text)).toEqual([]);
  });

  it.each(DOCUMENTS)('in the text of %s exists, with its options', (document) => {
    // Quoted messages such as "proxywatch needs Node.js 24" are no commands.
    const words = codeWordsOf(proseOf(textOf(document))).filter((word) =>
      /^proxywatch (?!needs |is )[a-z-]/.test(word),
    );
    // The text may name a command without the options that it needs.
    const mistakes = words.flatMap((word) =>
      mistakesOf(word.replaceAll('…', ''), NAMES_FORMER.includes(document) ? all : commands),
    );
    expect(mistakes.filter((mistake) => !mistake.includes(' needs '))).toEqual([]);
  });

  it('that does not exist is detected', () => {
    expect(
      mistakesOf(`
# proxywatch nothing
npm run proxywatch -- check --config config.yaml
npm run proxywatch -- run --help
npx proxywatch reconcile --to 2026-07-01
sudo -u proxywatch proxywatch store check --config /etc/proxywatch/config.yaml
docker exec proxywatch proxywatch store backup --force /data/backup.db --config config.yaml
kubectl -n proxywatch exec proxywatch-0 -- proxywatch doctor --conf x --config config.yaml
docker run --name proxywatch proxywatch && sudo systemctl restart proxywatch
journalctl -u proxywatch -f
proxywatch export once \\
  --config config.yaml --test 2> metrics.txt
`),
    ).toEqual([
      'no command check',
      'reconcile needs --from',
      'store backup has no option --force',
      'doctor has no option --conf',
      'export once has no option --test',
    ]);
  });

  it('is on the page of commands', () => {
    const page = textOf('docs/reference/commands.md');
    const missing = commands.filter(({ name }) => !page.includes(`\`${name}`));
    expect(missing).toEqual([]);
  });
});

/** The guide to a collector creates it. */
const CREATED_BY_GUIDE = 'proxywatch_country_nodes';

describe('a query', () => {
  const daemon = new DaemonMetrics({ version: '0.0.0', nodeVersion: '24.0.0' });
  const families = [...FAMILIES, ...ALERT_FAMILIES, ...HISTORY_FAMILIES, ...daemon.families];
  const series = new Set([
    ...families.flatMap(({ name, type }) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
    ),
    ...['up', 'ALERTS', 'ALERTS_FOR_STATE'],
    ...[...historyRules().matchAll(/record: (\S+)/g)].map(([, name = '']) => name),
  ]);

  /** A block holds one query on several lines, or one on each line. */
  const metricsOf = (text: string): string[] => {
    try {
      return metricsIn(text);
    } catch {
      return text
        .split('\n')
        .filter((line) => !/^\s*(#|$)/.test(line))
        .flatMap(metricsIn);
    }
  };

  it.each(blocksIn('promql'))('of $place parses and names existing metrics', ({ text }) => {
    const names = metricsOf(text);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !series.has(name))).toEqual([]);
  });

  it('with a mistake is detected', () => {
    expect(() => metricsOf('sum(\nproxywatch_fault == 1')).toThrow('⟨here⟩');
  });

  it.each(DOCUMENTS)('names of metrics in the text of %s exist', (document) => {
    const names = codeWordsOf(proseOf(textOf(document))).flatMap(
      (word) => word.match(/\bproxywatch_\w+(?![\w*…])/g) ?? [],
    );
    const isKnown = (name: string): boolean =>
      series.has(name) ||
      name === CREATED_BY_GUIDE ||
      families.some((family) => family.name === name || family.name.startsWith(`${name.replace(/_$/, '')}_`));
    expect(names.filter((name) => !isKnown(name))).toEqual([]);
  });
});
