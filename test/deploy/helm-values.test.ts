// Tests which values the schema of the Helm chart accepts.

import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { textOf } from '../docs/documents.ts';
import { CHART, mistakesIn } from './helm-chart.ts';

test('the schema accepts the defaults', () => {
  expect(mistakesIn({})).toEqual([]);
});

test.each([
  { shards: 3 },
  { replicas: 0 },
  { replicas: null },
  { podSecurityContext: null, affinity: null, extraEnv: null },
  { podSecurityContext: { runAsUser: null, fsGroup: null } },
  { fullnameOverride: 'watch' },
  { image: { digest: `sha256:${'0123456789abcdef'.repeat(4)}` } },
  { image: { repository: 'registry.example.com:5000/proxywatch', tag: 'v1.2.3-rc.1' } },
  { config: { accounts: [{ name: 'eu-1', shard: 2 }], 'x-anchors': [] } },
  { config: { server: { listen: '[::]:9876' } } },
  { extraEnv: [{ name: 'PROXY_KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'a' } } }] },
  { persistence: { size: '1.5Ti', accessModes: ['ReadWriteOncePod'], storageClass: 'fast.ssd' } },
  { serviceMonitor: { interval: '1m30s', relabelings: [{ action: 'drop' }] } },
  { dashboards: { labels: { grafana_dashboard: 'yes' } } },
  // Helm gives these to a chart that another chart depends on.
  { global: { registry: 'registry.example.com' } },
])('the schema accepts %j', (values) => {
  expect(mistakesIn(values)).toEqual([]);
});

test.each([
  [{ shard: 3 }, 'additional properties shard'],
  [{ image: { registry: 'example.com' } }, '/image must NOT have additional properties registry'],
  [{ serviceMonitor: { enable: true } }, '/serviceMonitor must NOT have additional properties enable'],
  [{ resources: { request: {} } }, '/resources must NOT have additional properties request'],
  [{ shards: 0 }, '/shards must be >= 1'],
  [{ shards: 1001 }, '/shards must be <= 1000'],
  [{ shards: 1.5 }, '/shards must be integer'],
  [{ shards: '3' }, '/shards must be integer'],
  [{ shards: null }, "must have required property 'shards'"],
  [{ networkPolicy: null }, "must have required property 'networkPolicy'"],
  [{ image: { repository: null } }, "/image must have required property 'repository'"],
  [{ replicas: -1 }, '/replicas must be >= 0'],
  [{ replicas: '1' }, '/replicas must be integer,null'],
  [{ image: { tag: 1.2 } }, '/image/tag must be string'],
  [{ image: { tag: 'a:b' } }, '/image/tag must match'],
  [{ image: { repository: 'example.com/proxywatch:1.0' } }, '/image/repository must match'],
  [{ image: { digest: 'sha256:123' } }, '/image/digest must match'],
  [{ image: { pullPolicy: 'Sometimes' } }, '/image/pullPolicy must be equal to one of'],
  [{ image: { pullSecrets: ['registry-key'] } }, '/image/pullSecrets/0 must be object'],
  [{ fullnameOverride: 'Watch' }, '/fullnameOverride must match'],
  [{ config: 'accounts: []' }, '/config must be object'],
  [{ config: { accounts: [] } }, '/config/accounts must NOT have fewer than 1'],
  [{ config: { accounts: [{ public_key: 'a' }] } }, "/config/accounts/0 must have required property 'name'"],
  [{ extraEnv: { PROXY_KEY: 'a' } }, '/extraEnv must be array'],
  [{ extraEnv: [{ name: 'A', value: 1 }] }, '/extraEnv/0/value must be string'],
  [{ extraEnv: [{ name: 'PROXYWATCH_SHARD', value: '0/2' }] }, '/extraEnv/0/name must NOT be valid'],
  [{ extraEnv: [{ name: 'PROXYWATCH_LISTEN', value: ':80' }] }, '/extraEnv/0/name must NOT be valid'],
  [{ extraEnv: [{ name: 'PROXYWATCH_STORE', value: '/a.db' }] }, '/extraEnv/0/name must NOT be valid'],
  [{ persistence: { size: '5 GB' } }, '/persistence/size must match'],
  [{ persistence: { accessModes: ['ReadWriteMany'] } }, '/persistence/accessModes/0 must be equal'],
  [{ persistence: { accessModes: 'ReadWriteOnce' } }, '/persistence/accessModes must be array'],
  [{ podLabels: { team: 1 } }, '/podLabels/team must be string'],
  [{ extraVolumes: [{ name: 'data', emptyDir: {} }] }, '/extraVolumes/0/name must NOT be valid'],
  [{ serviceMonitor: { interval: '60' } }, '/serviceMonitor/interval must match'],
  [{ serviceMonitor: { scheme: 'HTTPS' } }, '/serviceMonitor/scheme must be equal'],
  [{ networkPolicy: { prometheusNamespace: '' } }, '/networkPolicy/prometheusNamespace must NOT have fewer'],
  [{ networkPolicy: false }, '/networkPolicy must be object'],
  [
    { dashboards: { labels: { grafana_dashboard: 1 } } },
    '/dashboards/labels/grafana_dashboard must be string',
  ],
])('the schema rejects %j', (values, mistake) => {
  expect(mistakesIn(values).join('\n')).toContain(mistake);
});

test('Helm, which is written in Go, knows the patterns of the schema', () => {
  const patterns: string[] = [];
  JSON.parse(textOf(`${CHART}/values.schema.json`), (key, value) => {
    if (key === 'pattern') patterns.push(value);
    return value;
  });
  expect(patterns.length).toBeGreaterThan(5);
  for (const pattern of patterns) expect(() => RE2JS.compile(pattern)).not.toThrow();
  expect(() => RE2JS.compile('a(?=b)')).toThrow();
});
