// Defines the JSON of what a failed probe shows beyond its error code.

import { z } from 'zod';
import type { ProbeFailureDetails } from '../../../store/probe-store.ts';
import { count, text } from '../fields.ts';

export const probeFailure = {
  phase: text.describe('Phase of the probe that failed: `resolve`, `connect`, `tunnel`, `tls` or `response`'),
  cause: text,
  message: text,
  proxy_status: count
    .nullable()
    .describe('HTTP status or SOCKS5 reply code of the proxy. Null if the proxy did not answer'),
  provider_code: text.nullable().describe('The provider’s own code'),
  request_id: text
    .nullable()
    .describe('The provider’s id of the request. Quote it to the provider’s support'),
};

export const probeFailureObject = z.strictObject(probeFailure).meta({ id: 'ProbeFailureDetails' });

export const probeFailureJson = ({
  phase,
  cause,
  message,
  status,
  code,
  requestId,
}: ProbeFailureDetails) => ({
  ...{ phase, cause, message },
  ...{ proxy_status: status, provider_code: code, request_id: requestId },
});
