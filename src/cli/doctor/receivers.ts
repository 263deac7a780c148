// Checks that the receivers of alerts can be reached, without sending them a notification.

import { once } from 'node:events';
import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { authorizationHeader } from '../../alerts/receivers/alertmanager.ts';
import type { AlertmanagerOptions, ReceiverOptions } from '../../alerts/receivers/options.ts';
import { connectionErrorText, createSender, type Failure } from '../../alerts/receivers/send.ts';
import { systemClock } from '../../lib/clock.ts';
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
    const statusUrl = `${url.replace(/\/$/, '')}/api/v2/status`;
    const answer = await sender.send({
      method: 'GET',
      url: statusUrl,
      headers: authorizationHeader(options),
    });
    if (answer?.isDelivered) yield ok(subject, 'answers');
    else if (answer) yield failed(subject, answer.reason, adviceOn(answer));
  }
}

const adviceOn = ({ status }: Failure): string => {
  if (status === undefined) return UNREACHED;
  if (status === 401 || status === 403) return 'Correct basic_auth or bearer_token of this receiver.';
  return status < 500
    ? 'Check its url: the server must have /api/v2/status below this url. An Alertmanager with a route prefix needs this prefix in the url.'
    : 'The server runs, but reports an error. Read the log of the server.';
};

const UNREACHED =
  'Check that the receiver runs and that its url is correct. Check that DNS and firewalls allow this machine to connect to it.';

/** Only connects and does not show the address, because anyone who knows it can write to it. */
const checkAddress = async (
  { name, type, url }: AddressReceiver,
  signal: AbortSignal,
): Promise<CheckResult> => {
  const subject = `receiver ${name}`;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    await connectTo(new URL(url.reveal()), AbortSignal.any([signal, timeout]));
    return ok(
      subject,
      `accepts connections; doctor sent no ${type === 'webhook' ? 'notification' : 'heartbeat'}`,
    );
  } catch (error) {
    signal.throwIfAborted();
    // A receiver that cannot be reached is a finding, not an error of the command.
    return timeout.aborted
      ? failed(subject, `no connection within ${TIMEOUT_MS / SECOND} s`, UNREACHED)
      : failed(subject, connectionErrorText(error), UNREACHED);
  }
};

/** Rejects with the reason why it cannot connect, which includes an invalid certificate. */
const connectTo = async ({ protocol, hostname, port }: URL, signal: AbortSignal): Promise<void> => {
  const isTls = protocol === 'https:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = isTls
    ? connectTls({ host, port: Number(port || 443), ...(isIP(host) ? {} : { servername: host }) })
    : connect({ host, port: Number(port || 80) });
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', { signal });
  } finally {
    socket.destroy();
  }
};
