// Defines the JSON of uptime, and of uptime that tells the subject's own failures from those of others.

import { z } from 'zod';
import type { Uptimes } from '../../../collectors/proxy-tests/summaries.ts';
import { SECOND } from '../../../lib/time.ts';
import type { Uptime } from '../../../store/test-history-store.ts';
import { amount, count, ratio } from '../fields.ts';

export const uptime = z
  .strictObject({
    results: count,
    successes: count,
    ratio: ratio.nullable(),
    mean_response_time_seconds: amount.nullable().describe('Mean of the successful results'),
  })
  .meta({ id: 'Uptime' });

export const attributedUptime = uptime
  .extend({
    own_failures: count
      .nullable()
      .describe(
        'Failures by the fault of the subject itself. Null, as the next three values, if an earlier version stored failures of the period',
      ),
    other_failures: count
      .nullable()
      .describe(
        'Failures by the fault of a proxy, target or tester other than the subject, or of the provider',
      ),
    unattributed_failures: count.nullable().describe('Failures that no fault explains'),
    own_ratio: ratio
      .nullable()
      .describe('Share of the results that are not failures by the fault of the subject itself'),
  })
  .meta({ id: 'AttributedUptime' });

export const uptimes = z
  .strictObject({
    '24h': attributedUptime,
    '7d': attributedUptime,
    '30d': attributedUptime,
    '90d': attributedUptime.describe('The current day in UTC, and the 89 days before it'),
  })
  .meta({ id: 'Uptimes' });

export const uptimeJson = ({ results, successes, sumMs }: Uptime) => ({
  results,
  successes,
  ratio: results === 0 ? null : successes / results,
  mean_response_time_seconds: successes === 0 ? null : sumMs / successes / SECOND,
});

export const attributedUptimeJson = (sums: Uptime) => {
  const { results, successes, ownFailures: own, otherFailures: other } = sums;
  const isKnown = own !== null && other !== null;
  return {
    ...uptimeJson(sums),
    own_failures: own,
    other_failures: other,
    unattributed_failures: isKnown ? results - successes - own - other : null,
    own_ratio: isKnown && results > 0 ? (results - own) / results : null,
  };
};

export const uptimesJson = (uptimes: Uptimes) => ({
  '24h': attributedUptimeJson(uptimes['24h']),
  '7d': attributedUptimeJson(uptimes['7d']),
  '30d': attributedUptimeJson(uptimes['30d']),
  '90d': attributedUptimeJson(uptimes['90d']),
});
