// Builds and calls the program that renders charts as Helm does.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { CHART } from '../../deploy/helm-chart.ts';
import type { Yaml } from '../../deploy/support.ts';
import { ROOT } from '../../docs/documents.ts';

/** The libraries are packages of Debian, so the build needs no network. */
const GO = { GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '', CGO_ENABLED: '0' };

const MAX_BYTES = 64 * 1024 ** 2;

export interface RenderOptions {
  readonly chart?: string;
  readonly release?: { readonly name?: string; readonly namespace?: string };
  readonly kubeVersion?: string;
  readonly numbersAsText?: boolean;
  /** The objects that templates can look up. */
  readonly cluster?: readonly Yaml[];
}

export interface RenderedObject {
  readonly template: string;
  readonly text: string;
  readonly content: Yaml;
}

export interface Rendered {
  readonly objects: readonly RenderedObject[];
  readonly notes: string;
  /** The templates that print values which do not exist. */
  readonly missing: readonly string[];
}

/** Renders the chart with the values of a user. Rejects with the error of Helm. */
export type Render = (values: Yaml, options?: RenderOptions) => Promise<Rendered>;

/** Builds the program before the tests of a group, and returns a function that calls it. */
export const useRenderer = (): Render => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'proxywatch-helm-'));
    const build = ['build', '-o', join(folder, 'renderer'), '.'];
    const cwd = join(import.meta.dirname, 'renderer');
    await promisify(execFile)('go', build, { cwd, env: { ...process.env, ...GO } });
  });
  afterAll(() => rm(folder, { recursive: true }));
  return (values, options) => render(join(folder, 'renderer'), values, options);
};

const render = async (program: string, values: Yaml, options: RenderOptions = {}): Promise<Rendered> => {
  const running = promisify(execFile)(program, { maxBuffer: MAX_BYTES });
  running.child.stdin?.end(JSON.stringify(requestOf(values, options)));
  const { error, ...rendered } = JSON.parse((await running).stdout);
  if (error) throw new Error(error);
  return rendered;
};

const requestOf = (values: Yaml, { chart = join(ROOT, CHART), release, ...options }: RenderOptions) => ({
  kubeVersion: 'v1.32.0',
  ...options,
  chart,
  values: typeof values === 'string' ? values : JSON.stringify(values),
  release: {
    Name: release?.name ?? 'proxywatch',
    Namespace: release?.namespace ?? 'proxywatch',
    Service: 'Helm',
  },
});
