// Checks the pods of a release: their shards, their volumes and what they may do.

import { join } from 'node:path';
import { expect } from 'vitest';
import { parseShard } from '../../../src/daemon/shards/shard.ts';
import { IMAGE_ENVIRONMENT, type Yaml } from '../../deploy/support.ts';
import { textOf } from '../../docs/documents.ts';
import { configMapOf, containerOf, envOf, KEYS, objectOf, podOf } from './release-parts.ts';
import type { Rendered } from './renderer.ts';

/** Each pod must be another shard of one number of shards, and a single daemon must be no shard. */
export const checkShards = (release: Rendered): void => {
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

export const checkVolumes = (release: Rendered): void => {
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

export const checkRestricted = (release: Rendered): void => {
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
