// Changes every field of the answers of a scene in every way, checks the rule, and compares the tables with a snapshot.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MINUTE } from '../../../src/lib/time.ts';
import { jsonOf } from '../../support/faulty-provider.ts';
import { type Twin, Twins } from '../../support/twins.ts';
import { outcomeOf } from '../outcome.ts';
import { fieldsIn } from './answer-fields.ts';
import { type ChangedAnswers, type FieldCase, liveCase, planCases } from './field-cases.ts';
import { FieldReads } from './field-reads.ts';
import { faultsOf } from './field-rule.ts';
import { tableOf } from './field-table.ts';
import { observation } from './observed-schema.ts';
import { endpointsOf, SCENES, type SceneName, twinsOptionsOf } from './scenes.ts';

const PREPARATION_LIMIT_MS = 10 * MINUTE;

/** The tables of `scene` are in `snapshots/fields-{scene}.md`. */
export const testFields = (scene: SceneName, title: string): void => {
  describe(title, () => {
    const endpoints = endpointsOf(SCENES[scene]);
    const { fields: concerned = {} } = SCENES[scene];
    const reads = new FieldReads();
    const answers = new Map<string, unknown[]>(endpoints.map((endpoint) => [endpoint, []]));
    const tables: string[] = [];
    let twins: Twins;
    let healthy: Twin;

    beforeAll(async () => {
      // The jitter of pauses and retries must not decide what a table says.
      vi.spyOn(Math, 'random').mockReturnValue(0.5);
      twins = await Twins.prepare(twinsOptionsOf(SCENES[scene]));
      observation.reads = reads;
      healthy = await twins.live({
        matches: () => true,
        react: (answer, { endpoint }) => {
          answers.get(endpoint)?.push(jsonOf(answer));
          return answer;
        },
      });
      observation.reads = undefined;
    }, PREPARATION_LIMIT_MS);
    afterAll(async () => {
      await twins[Symbol.asyncDispose]();
      vi.restoreAllMocks();
    });

    const changedAnswers = (endpoint: string): ChangedAnswers => ({
      ...{ scene, endpoint },
      fields: new Map(
        [...fieldsIn(endpoint, answers.get(endpoint) ?? [])].filter(
          ([path]) => concerned[endpoint]?.test(path) ?? true,
        ),
      ),
      reads: reads.of(endpoint),
    });

    it('change nothing in a healthy twin', async () => {
      const { changed, alerts, failed, log } = outcomeOf(twins.before, healthy, await twins.live());
      expect({ changed, alerts, failed, log }).toEqual({ changed: [], alerts: [], failed: [], log: [] });
    });

    for (const endpoint of endpoints) {
      it(`of ${endpoint} include all that proxywatch reads`, () => {
        const { fields } = changedAnswers(endpoint);
        const read = [...reads.of(endpoint)].filter((path) => concerned[endpoint]?.test(path) ?? true);
        expect(read.filter((path) => !fields.has(path))).toEqual([]);
      });

      it(`of ${endpoint} change only what rests on them`, async () => {
        const changed = changedAnswers(endpoint);
        const cases: FieldCase[] = [];
        for (const planned of planCases(changed)) {
          const each = await liveCase(twins, healthy, changed, planned);
          cases.push(each);
          const name = `${each.paths.join(' ')}: ${each.mutation.name}`;
          expect.soft(faultsOf(each, twins.before), name).toEqual([]);
        }
        tables.push(tableOf(changed, cases));
      });
    }

    it('have the effects of the snapshot', async () => {
      const text = `# ${title}\n\n${INTRODUCTION}\n\n${tables.join('\n')}`;
      await expect(text).toMatchFileSnapshot(`../snapshots/fields-${scene}.md`);
    });
  });
};

const INTRODUCTION =
  'The tests in `test/blast-radius/fields` write this file. [How to read the tables](../README.md)';
