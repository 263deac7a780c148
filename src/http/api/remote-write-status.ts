// Defines how the status shows the receivers of remote write.

import { z } from 'zod';
import { SECOND } from '../../lib/time.ts';
import type { RemoteWriteStatus } from '../daemon-view.ts';
import { rfc3339 } from '../rfc3339.ts';
import { amount, count, text, time } from './fields.ts';

export const remoteWriteReceiver = z
  .strictObject({
    name: text,
    host: text.describe('Host and port of the receiver’s url'),
    lag_seconds: amount
      .nullable()
      .describe(
        'Time since `waiting_since`, 0 if the receiver has everything, or null before the first look',
      ),
    waiting_since: time
      .nullable()
      .describe('Time since which the receiver has taken nothing although settled history waits'),
    last_success_at: time
      .nullable()
      .describe(
        'Time at which the receiver last accepted samples, or null if it has not since the daemon started',
      ),
    last_error: text
      .nullable()
      .describe('Why the receiver did not take the last request, or null if it took the request'),
    samples: z
      .strictObject({ accepted: count, refused: count, expired: count })
      .nullable()
      .describe('Numbers of samples since the receiver was added, or null before the first look'),
  })
  .meta({ id: 'RemoteWriteReceiver' });

export const remoteWriteJson = ({
  name,
  host,
  lagMs,
  samples,
  ...receiver
}: RemoteWriteStatus): z.output<typeof remoteWriteReceiver> => ({
  name,
  host,
  lag_seconds: lagMs === null ? null : lagMs / SECOND,
  waiting_since: rfc3339(receiver.waitingSince),
  last_success_at: rfc3339(receiver.lastSuccessAt),
  last_error: receiver.lastError,
  samples: samples && { accepted: samples.accepted, refused: samples.refused, expired: samples.expired },
});
