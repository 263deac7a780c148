// Lets twins live with changed fields, one life for each field and each way of changing it.

import type { ProviderAnswer } from '../../support/faulty-provider.ts';
import { rewriteJson } from '../../support/faulty-provider.ts';
import type { Twin, Twins } from '../../support/twins.ts';
import { type Outcome, outcomeOf } from '../outcome.ts';
import type { Fields } from './answer-fields.ts';
import { stepsOf, withField } from './change-field.ts';
import { type FieldType, MUTATIONS, type Mutation } from './mutations.ts';
import { restingOn } from './resting-series.ts';
import type { SceneName } from './scenes.ts';

/** The fields of an endpoint's answers, and which of them proxywatch reads. */
export interface ChangedAnswers {
  readonly scene: SceneName;
  readonly endpoint: string;
  readonly fields: Fields;
  readonly reads: ReadonlySet<string>;
}

interface PlannedCase {
  readonly mutation: Mutation;
  /** Several if they are changed together. */
  readonly paths: readonly string[];
  /** Whether proxywatch reads the fields. */
  readonly isRead: boolean;
}

export interface FieldCase extends PlannedCase {
  readonly scene: SceneName;
  readonly endpoint: string;
  readonly twin: Twin;
  readonly outcome: Outcome;
  /** Whether proxywatch counted an answer that contradicts itself. */
  readonly isInconsistent: boolean;
}

/** These say that a value is unknown, which concerns only the series that rest on it. */
const SILENT = new Set(['absent', 'null', 'an unknown word']);

/**
 * Plans one case for each field that series rest on. All others are changed together, because nothing may happen; but
 * those that are read one by one in the ways that must be counted.
 */
export const planCases = ({ scene, endpoint, fields, reads }: ChangedAnswers): PlannedCase[] =>
  MUTATIONS.flatMap((mutation) => {
    const suitable = [...fields].flatMap(([path, type]) => (mutation.types.includes(type) ? [path] : []));
    const isTogether = (path: string): boolean =>
      !hasFieldsBelow(fields, path) &&
      restingOn(scene, endpoint, path).length === 0 &&
      (!reads.has(path) || SILENT.has(mutation.name));
    const together = suitable.filter(isTogether);
    const single = suitable.filter((path) => !isTogether(path));
    return [
      ...[true, false].flatMap((isRead) => {
        const paths = together.filter((path) => reads.has(path) === isRead);
        return paths.length === 0 ? [] : [{ mutation, paths, isRead }];
      }),
      ...single.map((path) => ({ mutation, paths: [path], isRead: reads.has(path) })),
    ];
  });

const hasFieldsBelow = (fields: Fields, path: string): boolean =>
  [...fields.keys()].some((other) => other.startsWith(`${path}.`) || other.startsWith(`${path}[`));

export const liveCase = async (
  twins: Twins,
  healthy: Twin,
  { scene, endpoint, fields }: ChangedAnswers,
  planned: PlannedCase,
): Promise<FieldCase> => {
  const react = (answer: ProviderAnswer): ProviderAnswer =>
    rewriteJson(answer, (json) =>
      planned.paths.reduce((changed, path) => changeIn(changed, path, fields, planned.mutation), json),
    );
  const twin = await twins.live({ matches: (request) => request.endpoint === endpoint, react });
  const outcome = outcomeOf(twins.before, healthy, twin);
  return { ...planned, scene, endpoint, twin, outcome, isInconsistent: contradictionsOf(twin) > 0 };
};

const changeIn = (json: unknown, path: string, fields: Fields, mutation: Mutation): unknown =>
  withField(json, stepsOf(path), mutation.valueFor(fields.get(path) as FieldType));

const contradictionsOf = ({ samples }: Twin): number =>
  [...samples].reduce(
    (sum, [series, value]) =>
      series.startsWith('proxywatch_inconsistent_answers_total{') ? sum + value : sum,
    0,
  );
