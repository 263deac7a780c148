// Sends notifications to a webhook in the format of its template, signed by the Standard Webhooks specification.

import { createHmac } from 'node:crypto';
import type { WebhookOptions } from './options.ts';
import type { OutgoingNotification, Transport, TransportContext } from './receiver.ts';
import { createSender, type Message } from './send.ts';
import { custom, json } from './templates/json.ts';
import { discord, ntfy, slack, telegram } from './templates/messages.ts';
import { pagerduty } from './templates/pagerduty.ts';
import { teams } from './templates/teams.ts';
import type { Template, TemplateContext, TemplateRequest } from './templates/template.ts';

export const createWebhookTransport = (options: WebhookOptions, context: TransportContext): Transport => {
  const sender = createSender(context.clock, context.userAgent);
  return {
    send: (notification) => sender.send(messageOf(notification, options, context)),
    [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
  };
};

const messageOf = (
  { id, content }: OutgoingNotification,
  options: WebhookOptions,
  { annotate, clock }: TransportContext,
): Message => {
  const template = TEMPLATES[options.template];
  const { rejectedSetting, isAccepted } = template;
  const { url, body } = requestOf(template, content, { options, annotate });
  const [key, bearer] = [options.secret?.reveal(), options.token?.reveal()];
  const headers = {
    'content-type': 'application/json',
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...webhookHeaders({ id, sentAt: clock.now(), body }, key),
  };
  const secrets = [options.url, options.secret, options.token, options.routing_key].flatMap(
    (secret) => secret?.reveal() ?? [],
  );
  return { method: 'POST', url, headers, body, secrets, rejectedSetting, isAccepted };
};

const requestOf = (
  { request, requestReport }: Template,
  content: OutgoingNotification['content'],
  context: TemplateContext,
): TemplateRequest => {
  if (!('report' in content)) return request(content, context);
  // The check of the configuration refuses it.
  if (!requestReport) throw new TypeError('the template has no reports');
  return requestReport(content.report, context);
};

/** Returns the address to which the requests of this webhook go. */
export const webhookUrl = ({ template, url }: WebhookOptions): string =>
  url?.reveal() ?? TEMPLATES[template].defaultUrl ?? '';

const PREFIX = 'whsec_';

export interface SignedMessage {
  readonly id: string;
  /** ms since the epoch. */
  readonly sentAt: number;
  readonly body: string;
}

/** Returns the headers with the notification's id and time, and with its signature if there is a secret. */
export const webhookHeaders = (
  { id, sentAt, body }: SignedMessage,
  secret: string | undefined,
): Record<string, string> => {
  const timestamp = String(Math.floor(sentAt / 1_000));
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (secret === undefined) return headers;
  const signature = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
};

/** Secrets of the specification have a prefix, followed by Base64. Other secrets are used as they are. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret);

export const TEMPLATES: Readonly<Record<WebhookOptions['template'], Template>> = {
  ...{ json, slack, discord, teams, telegram, pagerduty, ntfy, custom },
};
