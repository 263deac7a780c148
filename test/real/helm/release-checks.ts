// Checks that the objects of a release are valid and fit together. Each check throws if it finds a mistake.

import { join } from 'node:path';
import { expect } from 'vitest';
import { parseDocument } from 'yaml';
import type { Settings } from '../../../src/daemon/settings.ts';
import { parseShard } from '../../../src/daemon/shards/shard.ts';
import { hasSchema, validate } from '../../deploy/kubernetes-schemas.ts';
import { IMAGE_ENVIRONMENT, PORT, settingsIn, type Yaml } from '../../deploy/support.ts';
import { textOf } from '../../docs/documents.ts';
import type { Rendered } from './renderer.ts';

const KEYS = '/run/secrets/proxywatch';

/** Kinds of the Prometheus operator have no schema here. kustomization.test.ts compares them. */
const OPERATOR = 'monitoring.coreos.com/v1';

/** Returns the object of a kind. Fails if there is no such object, or more than one. */
export const objectOf = ({ objects }: Rendered, kind: string): Yaml => {
  const found = objects.filter(({ content }) => content.kind === kind);
  expect([kind, found.length]).toEqual([kind, 1]);
  return found[0]?.content;
};

export const podOf = (release: Rendered): Yaml => objectOf(release, 'StatefulSet').spec.template;

export const containerOf = (release: Rendered): Yaml => podOf(release).spec.containers[0];

export const checkRelease = (release: Rendered): void => {
  expect(release.missing, 'templates with missing values').toEqual([]);
  checkObjects(release);
  checkSelectors(release);
  checkPorts(release);
  checkShards(release);
  checkVolumes(release);
  checkRestricted(release);
  settingsOfRelease(release);
};

const checkObjects = ({ objects }: Rendered): void => {
  for (const { content, text } of objects) {
    if (hasSchema(content)) validate(content);
    else expect(content.apiVersion).toBe(OPERATOR);
    expect(parseDocument(text, { version: '1.1' }).errors).toEqual([]);
  }
  const names = objects.map(({ content: { kind, metadata } }) => `${kind} ${metadata.name}`);
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
  for (const name of names) expect(name).toMatch(/^\w+ [a-z]([-a-z0-9]{0,61}[a-z0-9])?$/);
};

const checkSelectors = (release: Rendered): void => {
  const set = objectOf(release, 'StatefulSet').spec;
  const labels = set.selector.matchLabels;
  expect(Object.keys(labels)).toEqual(['app.kubernetes.io/instance', 'app.kubernetes.io/name']);
  // The job of Prometheus is the value of this label, and the rules expect this job.
  expect(labels['app.kubernetes.io/name']).toBe('proxywatch');
  const service = objectOf(release, 'Service');
  expect(service.spec.selector).toEqual(labels);
  expect(service.metadata.name).toBe(set.serviceName);
  expect(set.template.metadata.labels).toMatchObject(labels);
  for (const { content } of release.objects) {
    expect(content.metadata.labels).toMatchObject(labels);
    const { selector, podSelector } = content.spec ?? {};
    for (const each of [selector, podSelector])
      if (each?.matchLabels) expect(each.matchLabels, `selector of ${content.kind}`).toEqual(labels);
  }
};

const checkPorts = (release: Rendered): void => {
  const container = containerOf(release);
  expect(container.ports).toEqual([{ name: 'http', containerPort: PORT }]);
  expect(objectOf(release, 'Service').spec.ports, 'ports').toEqual([
    { name: 'http', port: PORT, targetPort: 'http' },
  ]);
  for (const { httpGet, tcpSocket } of [container.livenessProbe, container.readinessProbe]) {
    expect((httpGet ?? tcpSocket).port).toBe('http');
    if (httpGet) expect(textOf('src/http/health-routes.ts')).toContain(`'${httpGet.path}'`);
  }
  for (const { content } of release.objects) {
    if (content.kind === 'NetworkPolicy') expect(content.spec.ingress[0].ports[0].port).toBe(PORT);
    if (content.kind === 'ServiceMonitor') expect(content.spec.endpoints[0].port).toBe('http');
  }
};

/** Each pod must be another shard of one number of shards, and a single daemon must be no shard. */
const checkShards = (release: Rendered): void => {
  const { replicas } = objectOf(release, 'StatefulSet').spec;
  const value = envOf(release).PROXYWATCH_SHARD?.value;
  const shards = [...Array(replicas).keys()].map((pod) =>
    parseShard(value?.replace('$(POD_INDEX)', `${pod}`) ?? '0/1'),
  );
  expect(
    shards.map((shard) => shard?.index),
    'shards',
  ).toEqual([...Array(replicas).keys()]);
  expect(new Set(shards.map((shard) => shard?.count)).size).toBeLessThanOrEqual(1);
  if (value !== undefined)
    expect(envOf(release).POD_INDEX.valueFrom.fieldRef.fieldPath).toBe(
      "metadata.labels['apps.kubernetes.io/pod-index']",
    );
};

const envOf = (release: Rendered): Yaml =>
  Object.fromEntries((containerOf(release).env ?? []).map(({ name, ...rest }: Yaml) => [name, rest]));

const checkVolumes = (release: Rendered): void => {
  const { volumeClaimTemplates: claims, template } = objectOf(release, 'StatefulSet').spec;
  const volumes = [...template.spec.volumes, ...claims.map(({ metadata }: Yaml) => metadata)];
  const names = (list: Yaml[]) => list.map(({ name }) => name).toSorted();
  const { volumeMounts } = containerOf(release);
  expect(names(volumeMounts), 'mounts').toEqual(names(volumes));
  const pathOf = (volume: string) => volumeMounts.find(({ name }: Yaml) => name === volume)?.mountPath;
  expect(IMAGE_ENVIRONMENT.PROXYWATCH_STORE).toBe(join(pathOf('data'), 'proxywatch.db'));
  expect(textOf('Dockerfile')).toContain(join(pathOf('config'), 'config.yaml'));
  const volumeOf = (volume: string) => volumes.find(({ name }) => name === volume);
  expect(volumeOf('config').configMap.name).toBe(configMapOf(release).metadata.name);
  if (volumeOf('keys')) expect(volumeOf('keys').secret.defaultMode, 'mode').toBe(0o440);
  if (volumeOf('keys')) expect(pathOf('keys')).toBe(KEYS);
  // Kubernetes does not allow changes of this part, and labels change with each version.
  expect(claims[0].metadata).toEqual({ name: 'data' });
};

const configMapOf = ({ objects }: Rendered): Yaml =>
  objects.find(({ template }) => template.endsWith('/configmap.yaml'))?.content;

const checkRestricted = (release: Rendered): void => {
  const { spec } = podOf(release);
  expect(spec.securityContext).toMatchObject({
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  expect(spec.securityContext.runAsUser).toBeGreaterThan(0);
  expect(containerOf(release).securityContext, 'security context').toMatchObject({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  expect(spec.automountServiceAccountToken, 'token').toBe(false);
  for (const key of ['hostNetwork', 'hostPID', 'hostIPC', 'initContainers'])
    expect(spec).not.toHaveProperty(key);
  for (const volume of spec.volumes) expect(volume).not.toHaveProperty('hostPath');
};

/** Loads the configuration with the files of the Secret and with the variables of the container. */
export const settingsOfRelease = (release: Rendered): Settings => {
  const text: string = configMapOf(release).data['config.yaml'];
  const files = [...text.matchAll(new RegExp(`${KEYS}/(\\w+)`, 'g'))].map(([, name = '']) => name);
  const env = Object.entries<Yaml>(envOf(release)).map(([name, { value }]) => [
    name,
    value?.replace('$(POD_INDEX)', '0') ?? `value of ${name}`,
  ]);
  return settingsIn(text, KEYS, files, Object.fromEntries(env));
};
