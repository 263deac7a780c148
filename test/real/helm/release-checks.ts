// Checks that the objects of a release are valid and fit together. Each check throws if it finds a mistake.

import { expect } from 'vitest';
import { parseDocument } from 'yaml';
import { hasSchema, validate } from '../../deploy/kubernetes-schemas.ts';
import { PORT } from '../../deploy/support.ts';
import { textOf } from '../../docs/documents.ts';
import { checkRestricted, checkShards, checkVolumes } from './pod-checks.ts';
import { containerOf, objectOf, settingsOfRelease } from './release-parts.ts';
import type { Rendered } from './renderer.ts';

/** Kinds of the Prometheus operator have no schema here. kustomization.test.ts compares them. */
const OPERATOR = 'monitoring.coreos.com/v1';

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
    if (httpGet) expect(textOf('src/http/server.ts')).toContain(`'${httpGet.path}'`);
  }
  for (const { content } of release.objects) {
    if (content.kind === 'NetworkPolicy') expect(content.spec.ingress[0].ports[0].port).toBe(PORT);
    if (content.kind === 'ServiceMonitor') expect(content.spec.endpoints[0].port).toBe('http');
  }
};
