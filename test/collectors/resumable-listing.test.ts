// Tests how long an interrupted listing can be continued.

import { expect, it } from 'vitest';
import { ResumableListing } from '../../src/collectors/listings/resumable-listing.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { ProviderError } from '../../src/provider/errors.ts';
import { FakeClock } from '../support/fake-clock.ts';

it.each([
  [HOUR, true],
  [2 * HOUR + MINUTE, false],
])('an interrupted listing that waited for %s ms continues: %s', (waitMs, continues) => {
  const clock = new FakeClock('2026-07-06T12:00:00Z');
  const listing = new ResumableListing();
  const pass = listing.begin(clock);
  pass.progress.recordPage(500, 0);
  pass.progress.pages = 3;
  expect(listing.interrupt(clock, new ProviderError('server', 'proxy_user/search', 'answered 500'))).toBe(
    true,
  );
  clock.advance(waitMs);
  expect(listing.begin(clock).isResumed).toBe(continues);
});
