// Tests that the services of the Compose file match: hosts, ports and paths agree with those in the other files.

import { existsSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT, textOf } from '../docs/documents.ts';
import { IMAGE_ENVIRONMENT, PORT, settingsOf, type Yaml, yamlOf } from './support.ts';

const COMPOSE = yamlOf('deploy/compose.yaml');
const SERVICES: [string, Yaml][] = Object.entries(COMPOSE.services);

/** Returns pairs of a path in the repository and its path in the service's container. */
const mountsOf = (service: Yaml): [string, string][] =>
  (service.volumes ?? [])
    .map((volume: string) => volume.split(':'))
    .filter(([source]: string[]) => source?.startsWith('.'))
    .map(([source, target]: string[]) => [normalize(join('deploy', source ?? '')), target]);

test('the image, its health check and its exposed port agree', () => {
  expect(IMAGE_ENVIRONMENT.PROXYWATCH_LISTEN).toBe(`0.0.0.0:${PORT}`);
  expect(textOf('Dockerfile')).toContain(`EXPOSE ${PORT}`);
  expect(textOf('src/health-check.ts')).toContain(`http://127.0.0.1:${PORT}/-/healthy`);
});

describe.each(SERVICES)('%s', (name, service) => {
  test('mounts only existing files', () => {
    expect(mountsOf(service).filter(([source]) => !existsSync(join(ROOT, source)))).toEqual([]);
  });

  test('publishes its port only on loopback', () => {
    for (const port of service.ports) expect(port).toMatch(/^127\.0\.0\.1:(\d+):\1$/);
  });

  test('has an image of one version, a health check and volumes that are declared', () => {
    if (!service.build) {
      expect(service.image).toMatch(/:v?\d+\.\d+\.\d+(@sha256:[0-9a-f]{64})?$/);
      expect(service.healthcheck.test.join(' ')).toContain(service.ports[0].split(':').at(-1));
    }
    const named = (service.volumes ?? []).map((volume: string) => volume.split(':')[0]);
    const volumes = named.filter((source: string) => !source.startsWith('.'));
    expect(volumes.filter((volume: string) => !(volume in COMPOSE.volumes))).toEqual([]);
    expect([name, volumes.length]).toEqual([name, 1]);
  });
});

test('a profile starts one proxywatch: that of the account or the demo', () => {
  const daemons = SERVICES.filter(([, service]) => service.build);
  expect(daemons.map(([, { profiles }]) => profiles)).toEqual([['account'], ['demo']]);
  for (const [, service] of daemons) {
    expect(service.networks.default.aliases).toEqual(['proxywatch']);
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(service.volumes.at(-1)).toMatch(/:\/data$/);
  }
});

test('the configuration of the account loads with the mounted secret', () => {
  const { account } = COMPOSE.services;
  const env = { PROXY_PUBLIC_KEY: 'public' };
  expect(Object.keys(account.environment)).toEqual(Object.keys(env));
  const settings = settingsOf('deploy/proxywatch/config.yaml', '/run/secrets', account.secrets, env);
  expect(settings.accounts[0]?.private_key.reveal()).toBe('value of proxy_private_key');
  expect(settings.server.listen).toEqual({ host: '0.0.0.0', port: PORT });
  expect(settings.store.path).toBe('/data/proxywatch.db');
  // The name of the container is unknown to a browser, which reaches the port that Docker publishes.
  expect(settings.server.external_url).toBe(`http://localhost:${PORT}/`);
  expect(account.ports).toEqual([`127.0.0.1:${PORT}:${PORT}`]);
  expect(Object.keys(COMPOSE.secrets)).toEqual(account.secrets);
});

test('Prometheus scrapes and notifies existing services on their ports', () => {
  const { scrape_configs, alerting, rule_files } = yamlOf('deploy/prometheus/prometheus.yml');
  const hosts = new Map<string, string>([['localhost', '9090']]);
  for (const [name, { ports, networks }] of SERVICES) {
    const port = ports[0].split(':').at(-1);
    for (const host of [name, ...(networks?.default.aliases ?? [])]) hosts.set(host, port);
  }
  const targets = [...scrape_configs, ...alerting.alertmanagers].flatMap(({ static_configs }: Yaml) =>
    static_configs.flatMap((config: Yaml) => config.targets),
  );
  expect(targets).toContain(`proxywatch:${PORT}`);
  expect(
    targets.filter((target: string) => hosts.get(target.split(':')[0] ?? '') !== target.split(':')[1]),
  ).toEqual([]);
  expect(mountsOf(COMPOSE.services.prometheus)).toContainEqual(['prometheus/rules', '/etc/prometheus/rules']);
  expect(rule_files).toEqual(['rules/*.yml']);
});

test.each(['prometheus', 'alertmanager'])('%s gets the path of the mounted configuration', (name) => {
  const service = COMPOSE.services[name];
  const [file] = service.command.filter((option: string) => option.startsWith('--config.file='));
  const targets = mountsOf(service).map(([, target]) => target);
  expect(targets).toContain(file.slice('--config.file='.length));
});

test('Grafana finds Prometheus and the dashboards', () => {
  const { datasources } = yamlOf('grafana/provisioning/datasources/proxywatch.yml');
  expect(datasources[0].url).toBe('http://prometheus:9090');
  const { providers } = yamlOf('grafana/provisioning/dashboards/proxywatch.yml');
  expect(mountsOf(COMPOSE.services.grafana)).toContainEqual([
    'grafana/dashboards',
    providers[0].options.path,
  ]);
});
