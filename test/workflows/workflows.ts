// Loads the workflows for tests.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT, textOf } from '../docs/documents.ts';

export interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

export type Permissions = string | Readonly<Record<string, string>>;

export interface Job {
  /** A workflow that the job calls. Such a job has no steps. */
  readonly uses?: string;
  readonly needs?: string | readonly string[];
  readonly permissions?: Permissions;
  readonly steps?: readonly Step[];
  readonly container?: { readonly image: string };
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
  readonly 'timeout-minutes'?: number;
}

export interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Permissions;
  readonly concurrency?: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

export const WORKFLOWS: readonly string[] = readdirSync(join(ROOT, '.github/workflows'))
  .map((name) => `.github/workflows/${name}`)
  .toSorted();

export const workflowOf = (path: string): Workflow => parse(textOf(path)) as Workflow;

export const stepsOf = ({ steps = [] }: Job): readonly Step[] => steps;
