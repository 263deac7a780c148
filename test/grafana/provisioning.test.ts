// Tests Grafana's provisioning files: their format, and that their paths exist.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { DOCUMENTS, ROOT, textOf } from '../docs/documents.ts';
import { FOLDER } from './dashboard-files.ts';

const providers = z.strictObject({
  apiVersion: z.literal(1),
  providers: z.tuple([
    z.strictObject({
      name: z.string(),
      folder: z.literal('proxywatch'),
      folderUid: z.literal('proxywatch'),
      type: z.literal('file'),
      updateIntervalSeconds: z.int().min(1),
      allowUiUpdates: z.literal(false),
      options: z.strictObject({ path: z.string().startsWith('/') }),
    }),
  ]),
});
const datasources = z.strictObject({
  apiVersion: z.literal(1),
  datasources: z.tuple([
    z.strictObject({
      name: z.string(),
      uid: z.string().max(40),
      type: z.literal('prometheus'),
      access: z.literal('proxy'),
      url: z.url(),
      jsonData: z.strictObject({
        httpMethod: z.literal('POST'),
        prometheusType: z.literal('Prometheus'),
        prometheusVersion: z.string().regex(/^\d+\.\d+\.\d+$/),
        timeInterval: z.string().regex(/^\d+[sm]$/),
      }),
    }),
  ]),
});

const provisioned = (kind: string): unknown =>
  parse(readFileSync(join(ROOT, 'grafana/provisioning', kind, 'proxywatch.yml'), 'utf8'));

/** Folders of the repository by the paths to which the documentation mounts them. */
const MOUNTS = new Map(
  DOCUMENTS.flatMap((document) => [
    ...textOf(document).matchAll(/-v "?\$PWD\/(grafana\/[\w/]+):([\w/]+):ro/g),
  ]).map(([, from = '', to = '']) => [to, from]),
);

test('the provider of dashboards reads the folder to which they are mounted', () => {
  const { path } = providers.parse(provisioned('dashboards')).providers[0].options;
  expect(join(ROOT, MOUNTS.get(path) ?? '')).toBe(FOLDER);
});

test('the provisioning itself is mounted where Grafana reads it', () => {
  expect(MOUNTS.get('/etc/grafana/provisioning')).toBe('grafana/provisioning');
});

test('the data source is a Prometheus', () => {
  expect(() => datasources.parse(provisioned('datasources'))).not.toThrow();
});
