// Checks what the receivers of remote write answer, with a request that contains no samples.

import { type RemoteWriteOptions, receiverOptionsOf } from '../../daemon/remote-write/options.ts';
import { systemClock } from '../../lib/clock.ts';
import { SECOND } from '../../lib/time.ts';
import type { Answer } from '../../remote-write/answer.ts';
import { Receiver } from '../../remote-write/receiver.ts';
import type { DoctorContext } from './account-session.ts';
import { type CheckResult, failed, ok, unknown } from './check-result.ts';

/** The daemon may wait longer for an answer. */
const MAX_TIMEOUT_MS = 30 * SECOND;

/** Throws the signal's reason. */
export async function* checkRemoteWrite(context: DoctorContext): AsyncGenerator<CheckResult> {
  for (const receiver of context.settings.remote_write)
    yield resultOf(`remote write ${receiver.name}`, await ask(receiver, context));
}

/** Prometheus and VictoriaMetrics accept a request without samples if they would accept one with samples. */
const ask = async (settings: RemoteWriteOptions, { signal, version }: DoctorContext): Promise<Answer> => {
  const options = receiverOptionsOf(settings);
  await using receiver = new Receiver(
    { ...options, timeoutMs: Math.min(options.timeoutMs, MAX_TIMEOUT_MS) },
    { clock: systemClock, userAgent: `proxywatch/${version}` },
  );
  signal.throwIfAborted();
  const answer = await receiver.send(receiver.encode([]), signal);
  if (answer.kind !== 'retry' || !answer.isFallback) return answer;
  return await receiver.send(receiver.encode([]), signal);
};

const resultOf = (subject: string, answer: Answer): CheckResult => {
  if (answer.kind === 'accepted')
    return ok(
      subject,
      'accepts requests; doctor sent no samples, so it did not check how old samples may be',
    );
  if (answer.kind === 'refused') return unknown(subject, answer.reason, ON_REFUSAL);
  return failed(subject, answer.reason, adviceOn(answer.reason));
};

const ON_REFUSAL =
  'This answer is to a request without samples, so it does not show whether the receiver accepts samples. Start the daemon, and look at proxywatch_remote_write_samples_total.';

const adviceOn = (reason: string): string =>
  ADVICE.find(([pattern]) => pattern.test(reason))?.[1] ??
  'Check that url is the address of an endpoint for remote write, or with "type: otlp" for metrics by OTLP.';

const PATH =
  'Correct the path in url: /api/v1/write for Prometheus and VictoriaMetrics, /api/v1/push for Mimir, /api/v1/receive for Thanos, /api/prom/push for Grafana Cloud. For OTLP: /api/v1/otlp/v1/metrics for Prometheus, /opentelemetry/v1/metrics for VictoriaMetrics.';

/** By the start of the reason; the first that matches counts. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /^answered 2/,
    'An HTML page, such as a login page, is not the answer of a remote write endpoint. Correct url, or let the gateway in front of it pass this machine.',
  ],
  [/^answered 40[13]/, 'Correct basic_auth or bearer_token of this receiver, and the tenant in its headers.'],
  [
    /^answered 404: remote write receiver needs to be enabled/,
    'Start Prometheus with --web.enable-remote-write-receiver.',
  ],
  [
    /^answered 404: otlp write receiver needs to be enabled/,
    'Start Prometheus with --web.enable-otlp-receiver, or up to version 2 with --enable-feature=otlp-write-receiver.',
  ],
  [/^answered 400: .*to (?:an )?HTTPS/i, 'The server uses TLS. Write https:// in url.'],
  [/^answered (?:400|404|405)/, PATH],
  [/^answered 3/, 'proxywatch follows no redirects. Set url to the address that it redirects to.'],
  [/^answered 429/, 'The receiver accepts fewer requests. Raise its limit, or run doctor again later.'],
  [/^answered 5/, 'The server runs, but reports an error. Read the log of the server.'],
  [
    /: (?:CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|ERR_TLS_CERT_ALTNAME_INVALID)$/,
    'The certificate of the receiver is expired, not valid yet, or for another host name. Replace the certificate, or correct the host in url.',
  ],
  [
    /: (?:\w*SELF_SIGNED\w*|UNABLE_TO_\w*(?:CERT|ISSUER|SIGNATURE)\w*)$/,
    'proxywatch does not trust the certificate of the receiver. Set tls.ca_file to the certificate of the authority that issued it.',
  ],
  [
    /: ERR_SSL_\w*(?:CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE|UNKNOWN_CA)$/,
    'The receiver demands a client certificate. Set tls.cert_file and tls.key_file to a certificate that the receiver trusts.',
  ],
  [
    /: ERR_OSSL_/,
    'The files of tls are not valid PEM, or the key does not belong to the certificate. Correct tls.',
  ],
  [
    /: (?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/,
    'The server closed the connection without an answer. Check whether url must begin with https://, and whether the receiver demands a client certificate (tls.cert_file and tls.key_file).',
  ],
  [/: ERR_SSL_/, 'The server at this address does not use TLS. Correct the port in url, or write http://.'],
  [
    /^(?:connection failed|no answer)/,
    'Check that the receiver runs and that its address is correct. Check that DNS and firewalls allow this machine to connect to it.',
  ],
];
