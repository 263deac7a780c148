// The Kubernetes manifests hold together, and keep to what the restricted standard of pods asks for.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { prometheusRuleOf } from '../../deploy/kubernetes/write-prometheus-rule.ts';
import { ROOT, textOf } from '../docs/documents.ts';
import { IMAGE_ENVIRONMENT, PORT, settingsOf, type Yaml, yamlOf } from './support.ts';

const FOLDER = 'deploy/kubernetes';
const kustomization = yamlOf(`${FOLDER}/kustomization.yaml`);
const [service, set, policy, monitor, rule, secret] = [
  'service',
  'statefulset',
  'network-policy',
  'service-monitor',
  'prometheus-rule',
  'secret.example',
].map((name) => yamlOf(`${FOLDER}/${name}.yaml`));
const pod = set.spec.template;
const [container] = pod.spec.containers;
const ALL = { 'app.kubernetes.io/name': 'proxywatch' };

const mountPathOf = (volume: string): string =>
  container.volumeMounts.find(({ name }: Yaml) => name === volume).mountPath;

test('the kustomization has every manifest, and a secret that the operator makes', () => {
  const missing = kustomization.resources.filter((name: string) => !existsSync(join(ROOT, FOLDER, name)));
  expect(missing.filter((name: string) => name !== 'secret.yaml')).toEqual([]);
  expect(textOf('.gitignore')).toContain('deploy/kubernetes/secret.yaml');
  expect(kustomization.images[0].name).toBe(container.image);
  expect(kustomization.images[0].newTag).toBe(JSON.parse(textOf('package.json')).version);
});

test('the rules for the operator are those of Prometheus: write-prometheus-rule.ts makes them', () => {
  const rules = textOf('prometheus/rules/proxywatch.yml');
  expect(textOf(`${FOLDER}/prometheus-rule.yaml`)).toBe(prometheusRuleOf(rules));
  expect(rule.spec).toEqual(yamlOf('prometheus/rules/proxywatch.yml'));
});

test('one set of labels joins pod, service, monitor and policy', () => {
  const selectors = [
    set.spec.selector.matchLabels,
    pod.metadata.labels,
    service.metadata.labels,
    service.spec.selector,
    monitor.spec.selector.matchLabels,
    policy.spec.podSelector.matchLabels,
  ];
  for (const labels of selectors) expect(labels).toEqual(ALL);
  expect(monitor.spec.jobLabel in service.metadata.labels).toBe(true);
  expect(set.spec.serviceName).toBe(service.metadata.name);
});

test('all ports are that of the image', () => {
  expect(IMAGE_ENVIRONMENT.PROXYWATCH_LISTEN).toBe(`0.0.0.0:${PORT}`);
  expect(container.ports).toEqual([{ name: 'http', containerPort: PORT }]);
  expect(service.spec.ports).toMatchObject([{ name: 'http', port: PORT, targetPort: 'http' }]);
  expect(monitor.spec.endpoints[0].port).toBe('http');
  expect(policy.spec.ingress[0].ports[0].port).toBe(PORT);
  for (const probe of [container.livenessProbe, container.readinessProbe]) {
    expect(probe.httpGet.port).toBe('http');
    expect(textOf('src/http/health-routes.ts')).toContain(`'${probe.httpGet.path}'`);
  }
});

test('there is one daemon, and its store is kept', () => {
  expect(set.spec.replicas).toBe(1);
  expect(IMAGE_ENVIRONMENT.PROXYWATCH_STORE).toBe(join(mountPathOf('data'), 'proxywatch.db'));
  expect(set.spec.volumeClaimTemplates[0].metadata.name).toBe('data');
});

test('every volume is mounted, and every mount has a volume', () => {
  const volumes = [
    ...pod.spec.volumes,
    ...set.spec.volumeClaimTemplates.map(({ metadata }: Yaml) => metadata),
  ];
  const names = (list: Yaml[]) => list.map(({ name }) => name).toSorted();
  expect(names(container.volumeMounts)).toEqual(names(volumes));
});

test('the configuration is mounted where the image looks, and loads with the keys of the secret', () => {
  expect(join(mountPathOf('config'), 'config.yaml')).toBe('/etc/proxywatch/config.yaml');
  const generator = kustomization.configMapGenerator[0];
  expect(generator).toEqual({ name: 'proxywatch-config', files: ['config.yaml'] });
  const keys = pod.spec.volumes.find(({ name }: Yaml) => name === 'keys');
  expect(keys.secret.secretName).toBe(secret.metadata.name);
  const names = Object.keys(secret.stringData);
  const settings = settingsOf(`${FOLDER}/config.yaml`, mountPathOf('keys'), names);
  expect(settings.accounts[0]?.public_key.reveal()).toBe('value of proxy_public_key');
});

describe('the restricted standard', () => {
  test('is enforced in the namespace', () => {
    const { metadata } = yamlOf(`${FOLDER}/namespace.yaml`);
    expect(metadata.name).toBe(kustomization.namespace);
    expect(metadata.labels['pod-security.kubernetes.io/enforce']).toBe('restricted');
  });

  test('is kept to', () => {
    const [, uid] = /^USER (\d+):/m.exec(textOf('Dockerfile')) ?? [];
    expect(pod.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: Number(uid),
      fsGroup: Number(uid),
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.spec.automountServiceAccountToken).toBe(false);
  });
});
