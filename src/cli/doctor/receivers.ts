// Checks that the receivers of alerts can be reached, without sending them a notification.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { authorizationHeader } from '../../alerts/receivers/alertmanager.ts';
import { mailServerOf } from '../../alerts/receivers/email.ts';
import type { AlertmanagerOptions, ReceiverOptions } from '../../alerts/receivers/options.ts';
import type { Failure } from '../../alerts/receivers/receiver.ts';
import { createSender } from '../../alerts/receivers/send.ts';
import { webhookUrl } from '../../alerts/receivers/webhook.ts';
import { proposeExternalUrl } from '../../daemon/addresses.ts';
import { systemClock } from '../../lib/clock.ts';
import { connectionErrorText } from '../../lib/http-answer.ts';
import { SECOND } from '../../lib/time.ts';
import type { DoctorContext } from './account-session.ts';
import { type CheckResult, failed, ok, warning } from './check-result.ts';

type AddressReceiver = Exclude<ReceiverOptions, AlertmanagerOptions>;

const TIMEOUT_MS = 10 * SECOND;

/** Throws the signal's reason. */
export async function* checkReceivers({
  settings,
  signal,
  version,
}: DoctorContext): AsyncGenerator<CheckResult> {
  const { evaluate, receivers } = settings.alerts;
  if (evaluate === false && receivers.length > 0)
    yield warning(
      'receivers',
      'the receivers get no notifications, because alerts.evaluate is false',
      'Remove alerts.evaluate, or set it to true.',
    );
  const proposal = proposeExternalUrl(settings);
  if (proposal) yield warning('status page', proposal.found, proposal.advice);
  for (const receiver of receivers) {
    signal.throwIfAborted();
    if (receiver.type === 'alertmanager') yield* checkAlertmanager(receiver, version);
    else yield await checkAddress(receiver, signal);
  }
}

/** Servers are named by their number, as in the log. */
async function* checkAlertmanager(
  options: AlertmanagerOptions,
  version: string,
): AsyncGenerator<CheckResult> {
  await using sender = createSender(systemClock, `proxywatch/${version}`);
  for (const [index, url] of options.urls.entries()) {
    const subject = `receiver ${options.name}, server ${index + 1}`;
    const answer = await sender.send({
      method: 'GET',
      url: `${url}/api/v2/status`,
      headers: authorizationHeader(options),
    });
    if (answer?.isDelivered) yield ok(subject, 'answers');
    else if (answer) yield failed(subject, answer.reason, adviceOn(answer));
  }
}

const adviceOn = ({ status }: Failure): string => {
  if (status === undefined) return UNREACHED;
  if (status === 401 || status === 403) return 'Correct basic_auth or bearer_token of this receiver.';
  if (status < 300)
    return 'A gateway answers instead of the Alertmanager. Correct url, or let the gateway pass this machine.';
  return status < 500
    ? 'Check its url: the server must have /api/v2/status below this url. An Alertmanager with a route prefix needs this prefix in the url.'
    : 'The server runs, but reports an error. Read the log of the server.';
};

const UNREACHED =
  'Check that the receiver runs and that its address is correct. Check that DNS and firewalls allow this machine to connect to it.';

/** Only connects and does not show the address, because anyone who knows it can write to it. */
const checkAddress = async (receiver: AddressReceiver, signal: AbortSignal): Promise<CheckResult> => {
  const subject = `receiver ${receiver.name}`;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    await connectTo(addressOf(receiver), AbortSignal.any([signal, timeout]));
    return ok(
      subject,
      `accepts connections; doctor sent no ${receiver.type === 'heartbeat' ? 'heartbeat' : 'notification'}`,
    );
  } catch (error) {
    signal.throwIfAborted();
    // A receiver that cannot be reached is a finding, not an error of the command.
    return timeout.aborted
      ? failed(subject, `no connection within ${TIMEOUT_MS / SECOND} s`, UNREACHED)
      : failed(subject, connectionErrorText(error), UNREACHED);
  }
};

interface Address {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** Trusted certificates (PEM) instead of those of the system. */
  readonly ca?: Buffer;
}

const addressOf = (receiver: AddressReceiver): Address => {
  if (receiver.type === 'email') {
    const { host, port, isSmtps } = mailServerOf(receiver);
    const { smtp_ca_file: file } = receiver;
    return { host, port, isTls: isSmtps, ...(file !== undefined && { ca: readFileSync(file) }) };
  }
  const url = receiver.type === 'webhook' ? webhookUrl(receiver) : receiver.url.reveal();
  const { protocol, hostname, port } = new URL(url);
  const isTls = protocol === 'https:';
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (isTls ? 443 : 80)), isTls };
};

/** Rejects with the reason why it cannot connect, which includes an invalid certificate. */
const connectTo = async ({ host, port, isTls, ca }: Address, signal: AbortSignal): Promise<void> => {
  const socket = isTls
    ? connectTls({ host, port, ...(ca && { ca }), ...(isIP(host) ? {} : { servername: host }) })
    : connect({ host, port });
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', { signal });
  } finally {
    socket.destroy();
  }
};
