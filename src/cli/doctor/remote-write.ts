// Checks that the receivers of remote write take requests, with a request that has no samples.

import { receiverOptionsOf } from '../../daemon/remote-write/receiver-options.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Answer } from '../../remote-write/answer.ts';
import { Receiver } from '../../remote-write/receiver.ts';
import { writeRequestBody } from '../../remote-write/write-request.ts';
import type { DoctorContext } from './account-session.ts';
import { type CheckResult, failed, ok } from './check-result.ts';

/** Throws the signal's reason. */
export async function* checkRemoteWrite({
  settings,
  signal,
  version,
}: DoctorContext): AsyncGenerator<CheckResult> {
  for (const options of settings.remote_write) {
    const context = { clock: systemClock, userAgent: `proxywatch/${version}` };
    await using receiver = new Receiver(receiverOptionsOf(options), context);
    const answer = await receiver.send(writeRequestBody([]), signal);
    yield findingOf(`remote write, receiver ${options.name}`, answer);
  }
}

const findingOf = (subject: string, answer: Answer): CheckResult => {
  if (answer.kind === 'accepted') return ok(subject, 'takes a request without samples');
  // Some receivers refuse a request that is empty, which shows that they read it.
  if (answer.kind === 'refused' || answer.kind === 'too large')
    return ok(subject, `reads requests, and refuses one without samples (${answer.reason})`);
  return failed(subject, answer.reason, adviceOn(answer));
};

const adviceOn = ({ kind, reason }: Answer & { readonly reason: string }): string => {
  if (/^answered 40[13]\b/.test(reason))
    return 'Correct basic_auth, bearer_token, the headers or the client certificate of this receiver.';
  if (kind === 'misconfigured')
    return 'Check the path of its url: /api/v1/write for Prometheus and VictoriaMetrics, /api/v1/push for Mimir, /api/v1/receive for Thanos. Prometheus needs --web.enable-remote-write-receiver.';
  return reason.startsWith('answered')
    ? 'The receiver runs, but reports an error. Read its log.'
    : 'Check that the receiver runs and that its address is correct. Check that DNS and firewalls allow this machine to connect to it, and that its certificate is valid.';
};
