// Defines how the status shows the receivers of remote write.

import { z } from 'zod';
import { secondsOf } from '../rfc3339.ts';
import type { RemoteWriteStatus } from '../status-view.ts';
import { amount, count, text, time } from './fields.ts';
import { itemOf } from './item.ts';

export const { schema: remoteWriteReceiver, json: remoteWriteJson } = itemOf<RemoteWriteStatus>()(
  'RemoteWriteReceiver',
  (from) => ({
    name: text,
    host: text.describe('Host and port of the receiver’s url'),
    lag_seconds: from(
      amount
        .nullable()
        .describe(
          'Time since `waiting_since`, 0 if the receiver has everything, or null before the first look',
        ),
      ({ lagMs }) => secondsOf(lagMs),
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
    samples: from(
      z
        .strictObject({ accepted: count, refused: count, expired: count })
        .nullable()
        .describe('Numbers of samples since the receiver was added, or null before the first look'),
      ({ samples }) =>
        samples && { accepted: samples.accepted, refused: samples.refused, expired: samples.expired },
    ),
  }),
);
