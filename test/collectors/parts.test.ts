// Tests runs over parts: skipped items add up, each part fails alone, and all parts are requested in turn.

import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OtherCustomerError } from '../../src/collectors/customer.ts';
import { PartStates } from '../../src/collectors/parts/part-states.ts';
import { collectParts } from '../../src/collectors/parts/parts-run.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { ProviderError, type ProviderErrorKind } from '../../src/provider/errors.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { recordingLog } from './single-collector.ts';

const errorOf = (kind: ProviderErrorKind, endpoint = 'e') => new ProviderError(kind, endpoint, 'no');

class Rig {
  readonly states = new PartStates();
  readonly clock = new FakeClock('2026-07-06T12:00:00Z');
  readonly log = recordingLog();
  readonly requested: string[] = [];
  readonly abort = new AbortController();
  /** Returns the error of a part. A part without an error skips as many items as its name has letters. */
  errorFor: (name: string) => Error | undefined = () => undefined;

  run(names: readonly string[], limit = 1, answer: ProviderErrorKind = 'not_found') {
    const parts = names.map((name) => ({
      name,
      endpoint: name.startsWith('other') ? 'other' : 'e',
      collect: async () => {
        this.requested.push(name);
        await setImmediate();
        const fault = this.errorFor(name);
        if (fault) throw fault;
        return name.length;
      },
    }));
    const { clock, log, abort } = this;
    return collectParts({ clock, log, signal: abort.signal }, this.states, {
      parts,
      limit,
      answerErrorKind: answer,
    });
  }
}

describe('parts', () => {
  it.each([1, 2, 5])(
    'of which %i run at once add up their skipped items, without those of failed parts',
    async (limit) => {
      const rig = new Rig();
      rig.errorFor = (name) => (name === 'ccc' ? errorOf('rejected') : undefined);
      expect(await rig.run(['a', 'bb', 'ccc', 'dddd', 'eeeee'], limit)).toMatchObject({
        skipped: 12,
        failedParts: [{ part: 'ccc', error: { kind: 'rejected' }, isLogged: true }],
        isSuccessDespiteFailures: true,
      });
    },
  );

  it('may be missing entirely, and the run is ok', async () => {
    expect(await new Rig().run([])).toMatchObject({ skipped: 0, failedParts: [] });
  });

  it('that all fail with different errors fail the run', async () => {
    const rig = new Rig();
    rig.errorFor = (name) => errorOf(name === 'a' ? 'server' : 'auth');
    await expect(rig.run(['a', 'b', 'c', 'd'])).rejects.toMatchObject({ kind: 'server' });
    expect(rig.requested).toHaveLength(4);
    // All parts still wait, so the run still fails.
    await expect(rig.run(['a', 'b', 'c', 'd'])).rejects.toMatchObject({ kind: 'server' });
    expect(rig.requested).toHaveLength(4);
  });

  it('of which three fail alike and none succeeds fail the run, and do not wait longer', async () => {
    const rig = new Rig();
    rig.errorFor = () => errorOf('auth');
    await expect(rig.run(['a', 'b', 'c', 'd', 'e'])).rejects.toMatchObject({ kind: 'auth' });
    expect(rig.requested).toEqual(['a', 'b', 'c']);
    rig.errorFor = () => undefined;
    await rig.run(['a', 'b', 'c', 'd', 'e']);
    expect(rig.requested.slice(3)).toEqual(['d', 'e', 'a', 'b', 'c']);
    expect(rig.log.lines).toEqual([]);
  });

  it.each(['rejected', 'not_found'] as const)('that are %s do not affect the others', async (kind) => {
    const rig = new Rig();
    rig.errorFor = (name) => (name === 'e' ? undefined : errorOf(kind));
    expect(await rig.run(['a', 'b', 'c', 'd', 'e'])).toMatchObject({ isSuccessDespiteFailures: true });
  });

  it('whose error counts as an answer are requested at every slot', async () => {
    const rig = new Rig();
    rig.errorFor = (name) => (name === 'a' ? errorOf('rejected') : undefined);
    for (let run = 0; run < 3; run += 1) await rig.run(['a', 'b'], 1, 'rejected');
    expect(rig.requested.filter((name) => name === 'a')).toHaveLength(3);
  });

  it('that fail are logged once for each kind of error, and once when they succeed again', async () => {
    const rig = new Rig();
    const kinds: (ProviderErrorKind | undefined)[] = ['server', 'server', 'timeout', undefined, undefined];
    for (const kind of kinds) {
      rig.errorFor = (name) => (name === 'a' && kind ? errorOf(kind) : undefined);
      await rig.run(['a', 'b']);
      rig.clock.advance(HOUR);
    }
    expect(rig.log.lines.map(({ part, kind, message }) => [part, kind, message])).toEqual([
      ['a', 'server', 'a part failed'],
      ['a', 'timeout', 'a part failed'],
      ['a', undefined, 'a part succeeds again'],
    ]);
  });

  it('of a paused endpoint are not requested, and keep their place', async () => {
    const rig = new Rig();
    rig.errorFor = (name) => (name === 'a' ? errorOf('rate_limited', 'e') : undefined);
    expect(await rig.run(['a', 'b', 'other c'])).toMatchObject({
      isSuccessDespiteFailures: true,
      failedParts: [{ part: 'parts that were not reached', error: { kind: 'rate_limited' } }],
    });
    expect(rig.requested).toEqual(['a', 'other c']);
    rig.errorFor = () => undefined;
    await rig.run(['a', 'b', 'other c']);
    expect(rig.requested.slice(2)).toEqual(['b', 'a', 'other c']);
  });

  it('with keys of another customer end the run', async () => {
    const rig = new Rig();
    rig.errorFor = (name) => (name === 'b' ? new OtherCustomerError('auth', 'e', 'another') : undefined);
    await expect(rig.run(['a', 'b', 'c'])).rejects.toBeInstanceOf(OtherCustomerError);
    expect(rig.requested).toEqual(['a', 'b']);
  });

  it('that a run did not reach before its end come first in the next run', async () => {
    const rig = new Rig();
    rig.errorFor = (name) => {
      if (name === 'b') rig.abort.abort(errorOf('timeout', 'quotes'));
      return name === 'b' ? errorOf('timeout', 'quotes') : undefined;
    };
    const { failedParts } = await rig.run(['a', 'b', 'c', 'd']);
    expect(failedParts).toMatchObject([{ part: 'parts that were not reached', error: { kind: 'timeout' } }]);
    expect(rig.states.byLastAttempt([{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }])).toEqual(
      ['c', 'd', 'a', 'b'].map((name) => ({ name })),
    );
  });

  it('are all requested within their waits, no matter which fail and where runs end', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    await fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(fc.boolean()),
        fc.integer({ min: 1, max: 3 }),
        async (fails, reach) => {
          const rig = new Rig();
          const last = new Map<string, number>();
          for (let run = 0; run < 200; run += 1) {
            let requested = 0;
            const abort = new AbortController();
            const signal = abort.signal;
            const parts = names.map((name) => ({
              name,
              endpoint: 'e',
              collect: async () => {
                last.set(name, run);
                requested += 1;
                if (requested >= reach) abort.abort(errorOf('timeout'));
                if (fails.next().value) throw errorOf('server');
                return 0;
              },
            }));
            const { clock, log } = rig;
            const context = { clock, log, signal };
            await collectParts(context, rig.states, { parts, limit: 1, answerErrorKind: 'not_found' }).catch(
              () => {},
            );
            rig.clock.advance(MINUTE);
            // A part waits at most an hour, plus a turn for each of the seven parts.
            for (const name of names) expect(run - (last.get(name) ?? 0)).toBeLessThanOrEqual(60 + 7);
          }
        },
      ),
      { numRuns: 20 },
    );
  });
});
