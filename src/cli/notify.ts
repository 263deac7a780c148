// proxywatch notify: sends a test notification through the receivers, and prints what came back.

import { randomUUID } from 'node:crypto';
import type { Severity } from '../alerts/alert.ts';
import { type Annotate, linksOf } from '../alerts/annotations.ts';
import type { AlertDescription, NotificationContent } from '../alerts/notification.ts';
import { alertmanagerMessage } from '../alerts/receivers/alertmanager.ts';
import { heartbeatMessage } from '../alerts/receivers/heartbeat.ts';
import {
  type AlertmanagerOptions,
  type HeartbeatOptions,
  isRouted,
  type ReceiverOptions,
  type RoutedOptions,
} from '../alerts/receivers/options.ts';
import type { Delivery, TransportContext } from '../alerts/receivers/receiver.ts';
import { createNotificationTransport } from '../alerts/receivers/receivers.ts';
import { createSender } from '../alerts/receivers/send.ts';
import { alertLinks, servedBy } from '../daemon/addresses.ts';
import { loadSettings } from '../daemon/load-settings.ts';
import type { Settings } from '../daemon/settings.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { type CheckResult, failed, lineOf, ok } from './doctor/check-result.ts';
import { mistakeInReceiver, type ShardOption, withShard } from './options.ts';

export interface NotifyOptions extends ShardOption {
  readonly config: string;
  /** All receivers if not given. */
  readonly receiver?: string;
  readonly severity: Severity;
}

/** Prints a line for each receiver, and returns 1 if any of them did not accept the notification. Throws ConfigError. */
export const notify = async (
  { env, stdout, stderr, signal, version }: CommandContext,
  { config: file, receiver: name, severity, ...option }: NotifyOptions,
): Promise<ExitCode> => {
  const { config: settings } = loadSettings(file, withShard(env, option));
  const { receivers } = settings.alerts;
  const chosen = receivers.filter((receiver) => name === undefined || receiver.name === name);
  if (chosen.length === 0) {
    stderr.write(`error: ${mistakeInReceiver(receivers, 'alerts.receivers', name)}\n`);
    return 1;
  }
  const context = { ...transportContext(settings, version), severity };
  let code: ExitCode = 0;
  for (const receiver of chosen) {
    signal.throwIfAborted();
    for await (const result of testNotifications(receiver, context)) {
      stdout.write(`${lineOf(result)}\n`);
      if (result.status === 'failed') code = 1;
    }
  }
  return code;
};

interface TestContext extends TransportContext {
  readonly severity: Severity;
}

const transportContext = (settings: Settings, version: string): TransportContext => {
  // The documentation has no section about the test, so there is no link to a runbook.
  const { runbook_url: _, ...links } = linksOf(
    TEST_ALERT,
    alertLinks(settings, undefined, servedBy(settings)),
    () => undefined,
  );
  const annotate: Annotate = ({ summary }) => ({ summary, ...links });
  return { clock: systemClock, log: silentLog, userAgent: `proxywatch/${version}`, annotate };
};

async function* testNotifications(
  receiver: ReceiverOptions,
  context: TestContext,
): AsyncGenerator<CheckResult> {
  if (receiver.type === 'alertmanager') yield* testAlertmanager(receiver, context);
  else {
    const send = isRouted(receiver) ? sendNotification(receiver, context) : sendHeartbeat(receiver, context);
    yield resultOf(`receiver ${receiver.name}`, await send);
  }
}

const sendNotification = async (
  options: RoutedOptions,
  context: TestContext,
): Promise<Delivery | undefined> => {
  await using transport = createNotificationTransport(options, context);
  return await transport.send({ id: randomUUID(), content: testContent(context) });
};

const sendHeartbeat = async (
  options: HeartbeatOptions,
  { clock, userAgent }: TestContext,
): Promise<Delivery | undefined> => {
  await using sender = createSender(clock, userAgent);
  return await sender.send(heartbeatMessage(options));
};

/** Servers are named by their number, as in the log. */
async function* testAlertmanager(
  options: AlertmanagerOptions,
  context: TestContext,
): AsyncGenerator<CheckResult> {
  await using sender = createSender(context.clock, context.userAgent);
  const now = context.clock.now();
  for (const [index, url] of options.urls.entries()) {
    const message = alertmanagerMessage(url, options, [testAlert(context)], { ...context, now });
    yield resultOf(`receiver ${options.name}, server ${index + 1}`, await sender.send(message));
  }
}

/** Says what came back. */
export const resultOf = (subject: string, delivery: Delivery | undefined): CheckResult => {
  // Nothing closes the transport before the answer.
  if (!delivery) return failed(subject, 'no answer');
  if (delivery.isDelivered) return ok(subject, delivery.reply);
  const { reason, answer } = delivery;
  return failed(subject, answer === undefined ? reason : `${reason}: ${answer}`);
};

const TEST_ALERT = 'TestNotification';

const testAlert = ({ clock, severity }: TestContext): AlertDescription => ({
  ...{ alert: TEST_ALERT, severity, labels: {}, value: null },
  summary: 'This is a test of the notifications of proxywatch. You do not need to do anything.',
  ...{ startsAt: clock.now(), endsAt: null },
});

const testContent = (context: TestContext): NotificationContent => ({
  groupKey: JSON.stringify({ alertname: TEST_ALERT }),
  groupLabels: { alertname: TEST_ALERT },
  ...{ firing: 1, silenced: 0, added: 1, risen: 0, resolved: 0 },
  alerts: [testAlert(context)],
});
