// Tests that the Kubernetes manifests match each other and meet the restricted pod security standard.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseShard } from '../../src/daemon/shards/shard.ts';
import { ROOT, textOf } from '../docs/documents.ts';
import { validate } from './kubernetes-schemas.ts';
import { IMAGE_ENVIRONMENT, PORT, patched, settingsOf, type Yaml, yamlOf } from './support.ts';

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

test('the kustomization has every manifest, and a secret that the operator creates', () => {
  const missing = kustomization.resources.filter((name: string) => !existsSync(join(ROOT, FOLDER, name)));
  expect(missing.filter((name: string) => name !== 'secret.yaml')).toEqual([]);
  expect(textOf('.gitignore')).toContain('deploy/kubernetes/secret.yaml');
  expect(kustomization.images[0].name).toBe(container.image);
  expect(kustomization.images[0].newTag).toBe(JSON.parse(textOf('package.json')).version);
});

test('the rules for the Prometheus operator are those of Prometheus', () => {
  expect(rule.spec).toEqual(yamlOf('prometheus/rules/proxywatch.yml'));
});

test('pod, service, monitor and policy use one set of labels', () => {
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

test('all ports equal that of the image', () => {
  expect(IMAGE_ENVIRONMENT.PROXYWATCH_LISTEN).toBe(`0.0.0.0:${PORT}`);
  expect(container.ports).toEqual([{ name: 'http', containerPort: PORT }]);
  expect(service.spec.ports).toMatchObject([{ name: 'http', port: PORT, targetPort: 'http' }]);
  expect(monitor.spec.endpoints[0]).toMatchObject({ port: 'http', honorLabels: true });
  expect(policy.spec.ingress[0].ports[0].port).toBe(PORT);
  for (const probe of [container.livenessProbe, container.readinessProbe]) {
    expect(probe.httpGet.port).toBe('http');
    expect(textOf('src/http/server.ts')).toContain(`'${probe.httpGet.path}'`);
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

test('the configuration is mounted where the image expects it, and loads with the keys of the secret', () => {
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

  test('is met by the pod', () => {
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

test('shards have their own volumes, their numbers, and the same count in both places', () => {
  const shards = yamlOf(`${FOLDER}/shards/kustomization.yaml`);
  expect(shards.kind).toBe('Component');
  expect(shards.resources).toEqual(['pod-disruption-budget.yaml']);
  expect(textOf(`${FOLDER}/kustomization.yaml`)).toContain('#components: [shards]');
  const patch = yamlOf(`${FOLDER}/shards/${shards.patches[0].path}`);
  expect(patch.metadata.name).toBe(set.metadata.name);
  const [changed] = patch.spec.template.spec.containers;
  expect(changed.name).toBe(container.name);
  const environment = Object.fromEntries(changed.env.map(({ name, ...value }: Yaml) => [name, value]));
  expect(changed.env.map(({ name }: Yaml) => name)).toEqual(['POD_INDEX', 'PROXYWATCH_SHARD']);
  expect(environment.POD_INDEX.valueFrom.fieldRef.fieldPath).toBe(
    "metadata.labels['apps.kubernetes.io/pod-index']",
  );
  for (let pod = 0; pod < patch.spec.replicas; pod += 1)
    expect(parseShard(environment.PROXYWATCH_SHARD.value.replace('$(POD_INDEX)', `${pod}`))).toEqual({
      index: pod,
      count: patch.spec.replicas,
    });
  const [{ podAffinityTerm: term }] =
    patch.spec.template.spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution;
  expect(term).toEqual({ topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: ALL } });
  const budget = yamlOf(`${FOLDER}/shards/pod-disruption-budget.yaml`);
  expect(budget.spec).toEqual({ maxUnavailable: 1, selector: { matchLabels: ALL } });
  expect(set.spec.podManagementPolicy).toBe('Parallel');
});

describe('each object matches the schema of Kubernetes', () => {
  const objects = {
    ...{ service, set, policy, secret },
    namespace: yamlOf(`${FOLDER}/namespace.yaml`),
    shards: patched(set, yamlOf(`${FOLDER}/shards/statefulset.yaml`)),
    budget: yamlOf(`${FOLDER}/shards/pod-disruption-budget.yaml`),
  };
  test.each(Object.entries(objects))('%s', (_, object) => {
    validate(object);
  });

  test('and an object with a mistake does not', () => {
    const wrong = patched(objects.shards, { spec: { replicas: 'three' } });
    expect(() => validate(wrong)).toThrow('spec/replicas must be integer');
  });

  test('the shards keep what the single daemon has', () => {
    const [changed] = objects.shards.spec.template.spec.containers;
    expect(changed).toEqual({ ...container, env: changed.env });
    expect(objects.shards.spec.template.spec.volumes).toEqual(pod.spec.volumes);
  });
});
