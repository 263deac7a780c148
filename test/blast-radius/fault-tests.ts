// Applies every fault to every part of a page, checks the radius, and compares the tables with a snapshot.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import type { ProviderAnswer, ProviderRequest } from '../support/faulty-provider.ts';
import { type Twin, Twins, type TwinsOptions } from '../support/twins.ts';
import { FAULTS, type Fault } from './faults.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Part } from './parts/part.ts';
import { PARTS, PARTS_BY_PAGE } from './parts.ts';
import { outsideRadius } from './rule.ts';
import { type Case, tablesOf } from './table.ts';
import { WATCHED } from './watched-account.ts';

/** On an idle machine the preparation takes five seconds. */
const PREPARATION_LIMIT_MS = 10 * MINUTE;

/** The tables of `page` are in `snapshots/faults-{page}.md`. */
export const testFaults = (
  page: keyof typeof PARTS_BY_PAGE,
  title: string,
  watched: TwinsOptions = WATCHED,
): void => {
  describe(title, () => {
    let twins: Twins;
    let healthy: Twin;
    const cases: Case[] = [];

    beforeAll(async () => {
      // The jitter of pauses and retries must not decide what a table says.
      vi.spyOn(Math, 'random').mockReturnValue(0.5);
      twins = await Twins.prepare(watched);
      healthy = await twins.live();
    }, PREPARATION_LIMIT_MS);
    afterAll(async () => {
      await twins[Symbol.asyncDispose]();
      vi.restoreAllMocks();
    });

    it('change nothing in a healthy twin', async () => {
      const { changed, alerts, failed, log } = outcomeOf(twins.before, healthy, await twins.live());
      expect({ changed, alerts, failed, log }).toEqual({ changed: [], alerts: [], failed: [], log: [] });
    });

    it('cover every kind of request of a healthy twin', () => {
      const covered = new Set(healthy.requests.filter(isCovered).map(kindOf));
      expect([...new Set(healthy.requests.map(kindOf))].filter((kind) => !covered.has(kind))).toEqual([]);
    });

    for (const part of PARTS_BY_PAGE[page]) {
      it(`in ${part.name} (${part.endpoint}) change only what rests on it`, async () => {
        for (const fault of FAULTS) {
          const outcome = await liveWith(part, fault);
          cases.push({ part, fault: fault.name, outcome });
          expect.soft(outsideRadius(part, fault, outcome), fault.name).toEqual([]);
        }
      });
    }

    it('have the effects of the snapshot', async () => {
      const life = { before: twins.before, after: healthy.samples };
      const text = `# ${title}\n\n${INTRODUCTION}\n\n${tablesOf(cases, life)}`;
      await expect(text).toMatchFileSnapshot(`snapshots/faults-${page}.md`);
    });

    const liveWith = async (part: Part, fault: Fault): Promise<Outcome> => {
      let count = 0;
      const react = (answer: ProviderAnswer) => {
        count += 1;
        return fault.react(answer);
      };
      const twin = await twins.live({ matches: part.matches, react });
      expect(count, 'wrong answers').toBeGreaterThan(0);
      return outcomeOf(twins.before, healthy, twin);
    };
  });
};

const INTRODUCTION =
  'The tests in `test/blast-radius` write this file. [How to read the tables](../README.md)';

const isCovered = (request: ProviderRequest): boolean => PARTS.some((part) => part.matches(request));

/** Requests of a kind differ only in the ids and the times that they name. */
const kindOf = ({ method, endpoint, query }: ProviderRequest): string => {
  const page = query.page === undefined || query.page === '1' ? '' : 'later page';
  const names = Object.keys(query).filter((name) => name !== 'page');
  return [method, endpoint, page, query.interval, query.per_page, ...names].join(' ');
};
