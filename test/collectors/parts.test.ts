// Parts of a run side by side: what they skip adds up, each fails alone, and all are asked in turn.

import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OtherCustomerError } from '../../src/collectors/customer.ts';
import { collectParts } from '../../src/collectors/parts/collect-parts.ts';
import { PartStates } from '../../src/collectors/parts/part-states.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { ProviderError, type ProviderErrorKind } from '../../src/provider/errors.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { listeningLog } from './sole-collector.ts';

const failing = (kind: ProviderErrorKind, endpoint = 'e') => new ProviderError(kind, endpoint, 'no');

class Rig {
  readonly states = new PartStates();
  readonly clock = new FakeClock('2026-07-06T12:00:00Z');
  readonly log = listeningLog();
  readonly asked: string[] = [];
  readonly abort = new AbortController();
  /** What a part does; it skips as many items as its name is long otherwise. */
  fault: (name: string) => Error | undefined = () => undefined;

  run(names: readonly string[], limit = 1, answer: ProviderErrorKind = 'not_found') {
    const parts = names.map((name) => ({
      name,
      endpoint: name.startsWith('other') ? 'other' : 'e',
      collect: async () => {
        this.asked.push(name);
        await setImmediate();
        const fault = this.fault(name);
        if (fault) throw fault;
        return name.length;
      },
    }));
    const { clock, log, abort } = this;
    return collectParts({ clock, log, signal: abort.signal }, this.states, { parts, limit, answer });
  }
}

describe('parts', () => {
  it.each([1, 2, 5])(
    'of which %i are asked at once add up what they skip, beside those that fail',
    async (limit) => {
      const rig = new Rig();
      rig.fault = (name) => (name === 'ccc' ? failing('rejected') : undefined);
      expect(await rig.run(['a', 'bb', 'ccc', 'dddd', 'eeeee'], limit)).toMatchObject({
        skipped: 12,
        failedParts: [{ part: 'ccc', error: { kind: 'rejected' }, isLogged: true }],
        isCurrent: true,
      });
    },
  );

  it('that are none make a run that is sound', async () => {
    expect(await new Rig().run([])).toMatchObject({ skipped: 0, failedParts: [] });
  });

  it('that all fail, each in its own way, make a run that has failed', async () => {
    const rig = new Rig();
    rig.fault = (name) => failing(name === 'a' ? 'server' : 'auth');
    await expect(rig.run(['a', 'b', 'c', 'd'])).rejects.toMatchObject({ kind: 'server' });
    expect(rig.asked).toHaveLength(4);
    // None of them has waited long enough: it has still failed.
    await expect(rig.run(['a', 'b', 'c', 'd'])).rejects.toMatchObject({ kind: 'server' });
    expect(rig.asked).toHaveLength(4);
  });

  it('of which three fail alike and none goes well speak for the others, and wait for no longer', async () => {
    const rig = new Rig();
    rig.fault = () => failing('auth');
    await expect(rig.run(['a', 'b', 'c', 'd', 'e'])).rejects.toMatchObject({ kind: 'auth' });
    expect(rig.asked).toEqual(['a', 'b', 'c']);
    rig.fault = () => undefined;
    await rig.run(['a', 'b', 'c', 'd', 'e']);
    expect(rig.asked.slice(3)).toEqual(['d', 'e', 'a', 'b', 'c']);
    expect(rig.log.lines).toEqual([]);
  });

  it.each(['rejected', 'not_found'] as const)('that are %s say nothing of the others', async (kind) => {
    const rig = new Rig();
    rig.fault = (name) => (name === 'e' ? undefined : failing(kind));
    expect(await rig.run(['a', 'b', 'c', 'd', 'e'])).toMatchObject({ isCurrent: true });
  });

  it('that answer with an error which is an answer are asked at every slot', async () => {
    const rig = new Rig();
    rig.fault = (name) => (name === 'a' ? failing('rejected') : undefined);
    for (let run = 0; run < 3; run += 1) await rig.run(['a', 'b'], 1, 'rejected');
    expect(rig.asked.filter((name) => name === 'a')).toHaveLength(3);
  });

  it('that fail are named once for each kind of failure, and once when they go well again', async () => {
    const rig = new Rig();
    const kinds: (ProviderErrorKind | undefined)[] = ['server', 'server', 'timeout', undefined, undefined];
    for (const kind of kinds) {
      rig.fault = (name) => (name === 'a' && kind ? failing(kind) : undefined);
      await rig.run(['a', 'b']);
      rig.clock.advance(HOUR);
    }
    expect(rig.log.lines.map(({ part, kind, message }) => [part, kind, message])).toEqual([
      ['a', 'server', 'a part failed'],
      ['a', 'timeout', 'a part failed'],
      ['a', undefined, 'a part succeeds again'],
    ]);
  });

  it('of an endpoint that is to be left alone are not asked for, and keep their place', async () => {
    const rig = new Rig();
    rig.fault = (name) => (name === 'a' ? failing('rate_limited', 'e') : undefined);
    expect(await rig.run(['a', 'b', 'other c'])).toMatchObject({
      isCurrent: true,
      failedParts: [{ part: 'parts that were not reached', error: { kind: 'rate_limited' } }],
    });
    expect(rig.asked).toEqual(['a', 'other c']);
    rig.fault = () => undefined;
    await rig.run(['a', 'b', 'other c']);
    expect(rig.asked.slice(2)).toEqual(['b', 'a', 'other c']);
  });

  it('with keys of another customer end the run', async () => {
    const rig = new Rig();
    rig.fault = (name) => (name === 'b' ? new OtherCustomerError('auth', 'e', 'another') : undefined);
    await expect(rig.run(['a', 'b', 'c'])).rejects.toBeInstanceOf(OtherCustomerError);
    expect(rig.asked).toEqual(['a', 'b']);
  });

  it('that the end of the run keeps from being asked come first in the next one', async () => {
    const rig = new Rig();
    rig.fault = (name) => {
      if (name === 'b') rig.abort.abort(failing('timeout', 'quotes'));
      return name === 'b' ? failing('timeout', 'quotes') : undefined;
    };
    const { failedParts } = await rig.run(['a', 'b', 'c', 'd']);
    expect(failedParts).toMatchObject([{ part: 'parts that were not reached', error: { kind: 'timeout' } }]);
    expect(rig.states.inTurn([{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }])).toEqual(
      ['c', 'd', 'a', 'b'].map((name) => ({ name })),
    );
  });

  it('are all asked within their waits, whichever fail and wherever runs end', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    await fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(fc.boolean()),
        fc.integer({ min: 1, max: 3 }),
        async (fails, reach) => {
          const rig = new Rig();
          const last = new Map<string, number>();
          for (let run = 0; run < 200; run += 1) {
            let asked = 0;
            const abort = new AbortController();
            const signal = abort.signal;
            const parts = names.map((name) => ({
              name,
              endpoint: 'e',
              collect: async () => {
                last.set(name, run);
                asked += 1;
                if (asked >= reach) abort.abort(failing('timeout'));
                if (fails.next().value) throw failing('server');
                return 0;
              },
            }));
            const { clock, log } = rig;
            const context = { clock, log, signal };
            await collectParts(context, rig.states, { parts, limit: 1, answer: 'not_found' }).catch(() => {});
            rig.clock.advance(MINUTE);
            // Seven turns, and an hour of its own at most.
            for (const name of names) expect(run - (last.get(name) ?? 0)).toBeLessThanOrEqual(60 + 7);
          }
        },
      ),
      { numRuns: 20 },
    );
  });
});
