// Rules for workflows that actionlint does not check. They keep code of others away from tokens and published files.

import { type Job, type Permissions, type Step, stepsOf, type Workflow } from './workflows.ts';

/** A version, such as v4 or v4.1.2, or a digest. Branches and "latest" can become other code at any time. */
const PINNED_ACTION = /^[\w.-]+\/[\w./-]+@(v\d+(\.\d+){0,2}|[0-9a-f]{40})$/;
const LOCAL_WORKFLOW = /^\.\/\.github\/workflows\/[\w-]+\.yml$/;
const PINNED_IMAGE = /^[\w./-]+:\d[\w.-]*(@sha256:[0-9a-f]{64})?$/;

const mayWrite = (permissions: Permissions | undefined): boolean =>
  typeof permissions === 'string'
    ? permissions !== 'read-all'
    : Object.values(permissions ?? { all: 'write' }).includes('write');

const stepViolations = ({ uses = '', run = '', with: inputs }: Step): string[] => [
  ...(uses !== '' && !PINNED_ACTION.test(uses) ? [`${uses} names no version`] : []),
  ...(uses.startsWith('actions/checkout@') && inputs?.['persist-credentials'] !== false
    ? ['a checkout keeps its token']
    : []),
  // An expression in a script is text that the shell runs. A variable of the environment is not.
  ...(run.includes('${{') ? [`an expression is part of the script ${run}`] : []),
  ...(/\bcosign sign\b/.test(run) && !/\bcosign sign .*@\$DIGEST/.test(run)
    ? ['cosign signs a tag instead of a digest']
    : []),
];

const jobViolations = (job: Job): string[] => {
  const { uses, permissions, container, 'timeout-minutes': timeout } = job;
  return [
    ...(uses === undefined && timeout === undefined ? ['the job has no timeout'] : []),
    ...(uses !== undefined && !LOCAL_WORKFLOW.test(uses) ? [`${uses} is a workflow of others`] : []),
    ...(permissions === 'write-all' ? ['the job may write everything'] : []),
    ...(container && !PINNED_IMAGE.test(container.image) ? [`${container.image} names no version`] : []),
    ...stepsOf(job).flatMap(stepViolations),
  ];
};

export const violationsOf = ({ on, permissions, concurrency, jobs }: Workflow): string[] => [
  ...('pull_request_target' in on ? ['pull_request_target runs with the rights of the repository'] : []),
  ...(mayWrite(permissions) ? ['the workflow may write by default'] : []),
  ...(concurrency === undefined ? ['the workflow has no concurrency group'] : []),
  ...Object.entries(jobs).flatMap(([name, job]) =>
    jobViolations(job).map((violation) => `${name}: ${violation}`),
  ),
];
